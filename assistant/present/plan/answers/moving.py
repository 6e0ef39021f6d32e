"""Leaving: another seller, and machines of one's own in the place of rented ones."""

from __future__ import annotations

from assistant.vocabulary.plan import Candidate, RentOrBuy

from ... import figures
from .. import purchase, reading
from .asked import Asked
from .other_gpus import rented_instead
from .trials import WORTH_THE_TIME, line


def leave(asked: Asked) -> list[str]:
    """The provider that was named beside the best of all."""
    tried = asked.tried({"cluster.provider": None, "cluster.fabric": None})
    here, there = asked.best, reading.chosen(tried) if tried else None
    if here is None or there is None or tried is None or here.cost_usd is None or there.cost_usd is None:
        return ["Nothing else works here with a known price."]
    own = any(
        reading.asked(asked.plan, field) for field in ("cluster.provider", "budget.gpu_hour_usd", "cluster.fabric")
    )
    if not own and not asked.plan.quotes and not asked.buys:
        return _from_unknown(asked, here)
    offer = tried.taken
    where = f"{offer.provider_name or offer.provider}, " if offer else ""
    less = here.median_cost - there.median_cost
    said = f"{where}{asked.name(there.fabric)}: {line(tried, asked)}, against {line(asked.plan, asked)} here."
    if less < 0.02 * here.median_cost:
        return [f"Stay: elsewhere saves {figures.usd(max(0.0, less))}.", said]
    return [f"Leaving saves {figures.usd(less)} ({less / here.median_cost:.0%}).", said]


def _from_unknown(asked: Asked, here: Candidate) -> list[str]:
    """Leaving a seller whose price nobody said: what the network alone brings, and from which price on it pays."""
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    able = [
        c for c in asked.plan.candidates if c.step_time_s and c.run_hours and kind(c) not in (kind(here), "tcp", "none")
    ]
    named = [c for c in able if c.fabric in asked.fabrics]
    roce = [c for c in able if kind(c) in ("roce", "infiniband")]
    other = next(iter([*named, *roce, *able]), None)
    if other is None or not here.run_hours or not here.cost_usd or not other.run_hours:
        return ["Say what you pay now and where: without it the plan cannot tell what leaving saves."]
    hours, name = other.run_hours - here.run_hours, asked.name(here.fabric)
    even = here.median_cost / (reading.gpus(asked.plan) * other.run_hours)
    felt = abs(hours) > WORTH_THE_TIME * here.run_hours
    saves = f"{figures.hours(abs(hours))} of {figures.hours(other.run_hours)}"
    first = (
        f"Yes, for the time: {name} saves {saves}"
        if felt and hours > 0
        else f"Not for the network: {name} saves {saves}"
    )
    return [
        f"{first} against {asked.name(other.fabric)}." if hours > 0 else f"Not for the network: {name} saves no time.",
        f"Then price decides, and you did not say yours: {line(asked.plan, asked)}; it pays only if you give more "
        f"than {figures.usd(even)} per GPU-hour now.",
    ]


def leave_hassle(asked: Asked) -> str | None:
    return (
        "Against it weigh what the plan does not count: moving the data out (egress), credits and commitments, setting "
        "up anew, and a trial run there first."
    )


def rent_or_buy_decided(asked: Asked) -> str | None:
    """Which of both, and the use from which it is the other; of a use that is named which it is there."""
    found = both_ways(asked)
    if asked.best is None or found is None:
        return None
    use = found.break_even_utilization_percent
    named = use_named(asked)
    if use is None:
        return f"Rent: even in full use all {found.months:g} months buying costs more."
    over = f"over {found.months:g} months"
    if named is not None:
        first = "Buy" if named > use else "Rent"
        return f"{first} at {named:.3g} % use: buying pays from {use:.0f} % on, {over}."
    short = found.run_months is not None and found.run_months < (found.break_even_months or 0.0)
    return f"{'Rent for this run alone' if short else 'Buy'}: buying pays if in use more than {use:.0f} % {over}."


def use_named(asked: Asked) -> float | None:
    """The share of the time in use that a message names, percent: "40 %", "six months a year", "8 hours a day"."""
    named = next((share for share in asked.amounts("percent") if 0 < share <= 100), None)
    return named if named is not None else part_of_a_whole(asked)


def part_of_a_whole(asked: Asked) -> float | None:
    """The percentage that "six months a year" or "8 hours a day" is."""
    whole = next((days for word, days in asked.words["of_a_whole"].items() if word in asked.text), None)
    part = next((days for days in asked.amounts("time") if whole and 0 < days < whole), None)
    return 100 * part / whole if part and whole else None


def ownership_open(asked: Asked) -> str | None:
    """Where nobody said whether it is rented or bought, the sum of the other way."""
    plan = asked.plan
    if asked.best is None or any(reading.asked(plan, name) for name in ("budget.mode", "budget.owned")):
        return None
    made = asked.tried({"budget.mode": "buy", "cluster.provider": None})
    card = made.recommendation.card if made is not None and made.purchase is not None else None
    return (
        f"Whether you rent or buy is open: this is rented; bought it is {card.cost[:1].lower()}{card.cost[1:]}"
        if card
        else None
    )


def both_ways(asked: Asked) -> RentOrBuy | None:
    """Rent beside purchase, of a plan that has only one of them too."""
    if asked.plan.rent_or_buy is not None:
        return asked.plan.rent_or_buy
    bought = asked.tried({"budget.mode": "buy"})
    return bought.rent_or_buy if bought else None


def rent_or_buy(asked: Asked) -> str | None:
    """Both sums, and which is less; nothing where nothing works as asked."""
    if asked.best is None:
        return None
    found = both_ways(asked)
    return purchase.turns(found)[0] if found else "They cannot be compared: one of them has no price here."


def rent_or_buy_turn(asked: Asked) -> list[str]:
    if asked.best is None:
        return []
    found = both_ways(asked)
    return purchase.turns(found)[1:] if found else [f"Rented: {text}" for text in rented_instead(asked)[:2]]
