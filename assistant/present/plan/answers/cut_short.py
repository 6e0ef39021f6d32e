"""A run that ends before its work is done, or after the day on which it has to be: what there is then, and the odds."""

from __future__ import annotations

from math import erf, log, sqrt

from assistant.vocabulary.quantities import days_said

from ... import figures
from .. import reading
from .asked import Asked

_NINTH_DECILE = 1.2816  # standard deviations of a normal distribution
_LEAST = 0.01


def part_way(asked: Asked) -> list[str]:
    """What has been spent and done at the share of the run that is named, and what is left to use."""
    best = asked.best
    share = next((one for one in asked.amounts("percent", "share") if 0 < one < 100), None)
    share = share or (50.0 if asked.says("halfway") else None)
    if best is None or best.run_hours is None or share is None or not reading.ends(asked.plan):
        return []
    spent = f", {figures.usd(share / 100 * best.cost_usd.p50)} spent" if best.cost_usd else ""
    steps = reading.asked(asked.plan, "training.steps")
    tokens = reading.asked(asked.plan, "training.tokens")
    done = (
        f"{share / 100 * steps:,.0f} of {steps:,} steps"
        if steps
        else f"{share:g} % of the {'tokens' if tokens else 'run'}"
    )
    return [
        f"At {share:g} %: {done} after {figures.hours(share / 100 * best.run_hours)}{spent}; the last checkpoint is "
        "there and works."
    ]


def late_chance(asked: Asked) -> list[str]:
    """How likely the run ends after its deadline, by the band of its time, and the latest day to start for nine of ten
    cases."""
    best, limit = asked.best, reading.asked(asked.plan, "constraints.deadline_days")
    if best is None or best.run_hours is None or not limit or not reading.ends(asked.plan):
        return []
    quick, slow = reading.run_band(best)
    days, middle = 24.0 * limit, best.run_hours
    spread = log(slow / middle if days >= middle else middle / quick) / _NINTH_DECILE
    late = 0.5 * (1 - erf(log(days / middle) / spread / sqrt(2))) if spread > 0 else 0.0
    chance = "under 1 %" if late < _LEAST else "over 99 %" if late > 1 - _LEAST else f"about {late:.0%}"
    spare = (days - slow) / 24
    left = f"; start within {spare:,.0f} days and nine of ten cases still keep it" if spare > 1 else ""
    return [
        f"{chance[:1].upper()}{chance[1:]} if it starts today: it takes {figures.hours(middle)}, "
        f"{figures.hours(slow)} in the slow tenth of cases, of {days_said(limit)}{left}.",
        "Late machines or data are not in that: more GPUs help against a slow run, not against a late start.",
    ]
