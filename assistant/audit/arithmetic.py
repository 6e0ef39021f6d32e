"""Plain arithmetic: products, ratios, losses, money. Inputs of a product or a sum are named as the reader would."""

from __future__ import annotations

from math import prod

from assistant.market import amortized, break_even_slowdown
from assistant.market import run_cost as cost_of_run
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .registry import formula


@formula
def product(**factors: float) -> float:
    """the factors multiplied"""
    return prod(factors.values())


@formula
def total(**parts: float) -> float:
    """the parts added up"""
    return sum(parts.values())


@formula
def ratio(value: float, base: float) -> float:
    """value ÷ base"""
    return value / base


@formula
def difference(value: float, less: float) -> float:
    """value − less"""
    return value - less


@formula
def gain(before: float, after: float) -> float:
    """after ÷ before − 1"""
    return after / before - 1.0


@formula
def loss(before: float, after: float) -> float:
    """1 − after ÷ before"""
    return 1.0 - after / before


@formula
def share_of_total(part: float, rest: float) -> float:
    """part ÷ (part + rest)"""
    return part / (part + rest)


@formula
def time_saved(share: float, faster: float) -> float:
    """share · (1 − 1 ÷ faster): what the whole gains when a share of it runs that many times faster (Amdahl)"""
    return share * (1.0 - 1.0 / faster)


@formula
def gap_closed(low: float, reached: float, high: float = 1.0) -> float:
    """(reached − low) ÷ (high − low): the part of the gap that is closed"""
    return (reached - low) / (high - low)


@formula
def run_cost(days: float, gpus: float, gpu_usd_per_hour: float, fabric_usd_per_hour: float = 0.0) -> float:
    """days · 24 · GPUs · (GPU + fabric), dollars per GPU-hour"""
    return cost_of_run(24.0 * days, gpus, gpu_usd_per_hour, fabric_usd_per_hour)


@formula
def cost_change_with_length(
    days: float, longer_days: float, slowdown: float, gpu_usd_per_hour: float, premium: float
) -> float:
    """(cost on the fast fabric ÷ cost on the slow one) of the longer run ÷ that of the shorter − 1"""

    def dearer(length: float) -> float:
        slow = cost_of_run(24 * length * (1 + slowdown), 1, gpu_usd_per_hour)
        return cost_of_run(24 * length, 1, gpu_usd_per_hour, premium) / slow

    return dearer(longer_days) / dearer(days) - 1.0


@formula
def break_even(premium: float, gpu_usd_per_hour: float) -> float:
    """premium ÷ price of a GPU-hour: the slowdown above which the premium pays"""
    return break_even_slowdown(premium, gpu_usd_per_hour)


@formula
def capital_per_gpu_hour(usd: float, gpus: float, months: float) -> float:
    """capital ÷ GPUs ÷ (months · 730 h)"""
    return amortized(usd, months) / gpus


@formula
def capital_per_gpu_month(usd: float, gpus: float, months: float) -> float:
    """capital ÷ GPUs ÷ months"""
    return amortized(usd, months) * HOURS_PER_MONTH / gpus


@formula
def capital_difference(usd: float, other_usd: float, gpus: float, months: float) -> float:
    """(capital − other capital) ÷ GPUs ÷ (months · 730 h)"""
    return amortized(usd - other_usd, months) / gpus
