"""The arithmetic of money: amortisation, a month, the cost of a run, the slowdown at which a premium pays.

Hours of a run may be one number or an array of draws.
"""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from assistant.vocabulary.quantities import amortized, monthly

__all__ = ["Hours", "amortized", "break_even_slowdown", "capital", "monthly", "price_at", "run_cost"]

Hours = TypeVar("Hours", float, np.ndarray)


def capital(usd_per_hour: float, months: float) -> float:
    """US dollars of a purchase that comes to so much an hour: what :func:`amortized` is the inverse of."""
    return usd_per_hour / amortized(1.0, months)


def run_cost(hours: Hours, gpus: float, gpu_usd_per_hour: float, fabric_usd_per_hour: float = 0.0) -> Hours:
    """US dollars of a run: hours · GPUs · (GPU + fabric), both in dollars per GPU-hour. ``hours`` may be an array of
    draws."""
    return hours * gpus * (gpu_usd_per_hour + fabric_usd_per_hour)


def price_at(price: float, beside: float, ratio: float) -> float:
    """The price at which it and what is paid ``beside`` it come to ``ratio`` times what they do."""
    return ratio * (price + beside) - beside


def break_even_slowdown(premium: float, gpu_usd_per_hour: float) -> float:
    """The slowdown, as a fraction, above which paying ``premium`` per GPU-hour for the faster fabric is the cheaper
    run.

    With T hours on the fast fabric: T·(p + premium) = T·(1 + s)·p gives s = premium ÷ p; the run length T cancels.
    """
    return premium / gpu_usd_per_hour
