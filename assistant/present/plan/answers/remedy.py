"""Where nothing works as asked: the plan that would work, of which the rest is asked."""

from __future__ import annotations

from typing import Any

from assistant.vocabulary.plan import Plan
from assistant.vocabulary.quantities import days_said

from ... import figures
from .. import flips, reading
from .asked import Asked
from .trials import enough_for

_DAYS = "constraints.deadline_days"
_LIMITS = ("budget.usd", "budget.usd_per_month")


def remedied(asked: Asked) -> tuple[Asked, str] | None:
    """The same asked of what the plan names as the way out, and the line that says so; ``None`` where the plan works
    or nothing that it names does."""
    if asked.best is not None:
        return None
    limits = {field: value for field in _LIMITS if (value := reading.asked(asked.plan, field))}
    if limits:
        without: dict[str, Any] = dict.fromkeys(limits)
        made = asked.tried(without)
        if made is not None:
            return asked.instead(without, made), _without_the_limit(made, *limits.items())
    if reading.serves(asked.plan):
        return _with_more(asked)
    days = reading.asked(asked.plan, _DAYS)
    both: dict[str, Any] = dict.fromkeys([*limits, *([_DAYS] if days else [])])
    made = asked.tried(both) if days else None
    best = reading.chosen(made) if made else None
    if made is not None and best is not None and best.run_hours is not None:
        usd = f" and {figures.usd(best.cost_usd.p50)}" if best.cost_usd and limits else ""
        kept = " and ".join([f"{days_said(days)}", *(figures.usd(value) for value in limits.values())])
        told = f"Not within {kept}: it takes {figures.hours(best.run_hours)}{usd}. Without these limits:"
        return asked.instead(both, made), told
    for way in asked.plan.recommendation.what_fits:
        made = asked.tried(way.change)
        if made is not None:
            what = ", ".join(flips.changed(path, value) for path, value in way.change.items())
            return asked.instead(way.change, made), f"Nothing works as asked. With {what}:"
    return None


def _with_more(asked: Asked) -> tuple[Asked, str] | None:
    """The same asked of a service with as many GPUs as its load takes."""
    made = enough_for(asked, 1.0)
    if made is None:
        return None
    gpus, found = reading.gpus(made), asked.plan.sizing
    load = reading.asked(asked.plan, "inference.requests_per_s")
    carry = ""
    if found is not None and load and found.carries_requests_per_s:
        most, wanted = (figures.significant(rate) for rate in (found.carries_requests_per_s, load))
        carry = f", which carry {most} of {wanted} requests a second"
    lead = f"Not on {reading.gpus(asked.plan):,} GPUs{carry}. With {gpus:,}:"
    return asked.instead({"cluster.gpus": gpus}, made), lead


def _without_the_limit(made: Plan, *limits: tuple[str, float]) -> str:
    """That it is of the job without the budget that it cannot keep."""
    field, value = limits[0]
    best, bought = reading.chosen(made), reading.to_buy(made)
    cost = best.cost_usd.p50 if best and best.cost_usd else None
    cost = best.usd_per_month if best and field.endswith("month") else bought.capital_usd if bought else cost
    month = " a month" if field.endswith("month") else ""
    takes = f"it takes {figures.usd(cost)}{month}" if cost else "no price of it is known"
    return f"Not within {figures.usd(value)}{month}: {takes}. Without that limit:"
