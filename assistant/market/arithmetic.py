"""The arithmetic of money: amortisation, power, the cost of a run, the slowdown at which a premium pays.

Hours of a run may be one number or an array of draws.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from assistant.vocabulary.quantities import HOURS_PER_MONTH

Hours = TypeVar("Hours", float, np.ndarray)


def amortized(usd: float, months: float, utilization: float = 1.0) -> float:
    """US dollars per hour of a purchase that serves ``months`` months, in use for a fraction ``utilization`` of them.

    Straight line, no interest and no resale value.
    """
    return usd / (months * HOURS_PER_MONTH * utilization)


def power(watts: float, usd_per_kwh: float, power_usage_effectiveness: float) -> float:
    """US dollars per hour of a constant draw; power usage effectiveness = power of the site ÷ power of its machines."""
    return watts / 1000.0 * power_usage_effectiveness * usd_per_kwh


def run_cost(hours: Hours, gpus: float, gpu_usd_per_hour: float, fabric_usd_per_hour: float = 0.0) -> Hours:
    """US dollars of a run: hours · GPUs · (GPU + fabric), both in dollars per GPU-hour. ``hours`` may be an array of
    draws."""
    return hours * gpus * (gpu_usd_per_hour + fabric_usd_per_hour)


def break_even_slowdown(premium: float, gpu_usd_per_hour: float) -> float:
    """The slowdown, as a fraction, above which paying ``premium`` per GPU-hour for the faster fabric is the cheaper
    run.

    With T hours on the fast fabric: T·(p + premium) = T·(1 + s)·p gives s = premium ÷ p; the run length T cancels.
    """
    return premium / gpu_usd_per_hour
