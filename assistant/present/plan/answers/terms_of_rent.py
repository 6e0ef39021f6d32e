"""How machines are let: by the hour, for a term, in blocks; how much of what is paid for is used, and what falling
prices make of a term."""

from __future__ import annotations

from assistant.vocabulary.plan import RentalOffer
from assistant.vocabulary.quantities import DAYS_PER_MONTH, DAYS_PER_YEAR, HOURS_PER_MONTH

from ... import figures
from .. import reading
from .asked import Asked, money

_NAMES = {
    "on-demand": "on demand",
    "reserved": "reserved",
    "spot": "spot",
    "capacity-block": "in a capacity block",
}
_USUAL_TERM = 365.0  # days


def taken(asked: Asked) -> RentalOffer | None:
    """The offer that the plan takes."""
    return asked.plan.taken


def tiers(asked: Asked) -> list[str]:
    """What the seller of the plan's machines asks for them, by how they are let, with the day of each price."""
    offer, best = taken(asked), asked.best
    if offer is None or best is None:
        return []
    seller = offer.provider_name or offer.provider
    same = [o for o in asked.plan.offers if o.provider == offer.provider and o.usd_per_gpu_hour and o.gpu == offer.gpu]
    told: dict[str, str] = {}
    for one in sorted(same, key=lambda o: o.usd_per_gpu_hour or 0.0):
        how = _NAMES.get(one.tier, one.tier)
        told.setdefault(how, f"{how} {figures.usd(one.usd_per_gpu_hour)} ({one.date})")
    mine = _NAMES.get(offer.tier, offer.tier)
    why = "the lowest sum that keeps what you asked for" if offer.meets_limits else "the lowest sum"
    said = [f"Taken: {mine}, {why}. {seller}, per GPU-hour: {'; '.join(told.values())}."]
    if "capacity-block" in {o.tier for o in same} or "block" in asked.text:
        said.append(
            "A block has fixed days, is paid before and ends on its day: a run that is late needs another. On demand "
            "ends when you like, but so many machines at once may not be free: ask."
        )
    return said


def _paid_hours(asked: Asked) -> float | None:
    """Hours that are paid whole: a term that is named or said, else that of the offer; of machines that are bought the
    time of their write-off."""
    named = next((24 * days for days in asked.amounts("time") if days >= 30), None)
    reserved, offer = reading.asked(asked.plan, "budget.reserved_days"), taken(asked)
    if asked.buys:
        months = next((a.value for a in asked.plan.assumptions if a.field == "budget.amortization_months"), None)
        months = reading.asked(asked.plan, "budget.amortization_months") or months
        return float(months) * HOURS_PER_MONTH if isinstance(months, int | float) else None
    if named or reserved:
        return named or 24 * reserved
    return offer.months * HOURS_PER_MONTH if offer is not None and offer.months else None


def used(asked: Asked) -> list[str]:
    """Which share of the hours that are paid for the run fills, and what the rest comes to."""
    best, hours = asked.best, _paid_hours(asked)
    if best is None or best.run_hours is None or not reading.ends(asked.plan):
        return []
    if many := reading.asked(asked.plan, "training.runs_per_day"):
        return _all_day(asked, best.run_hours, float(many))
    if hours is None:
        share = best.run_hours / (24 * _USUAL_TERM)
        filled = f"{figures.hours(best.run_hours)} of 365 days, {figures.percent(100 * share)}"
        bound = f"Bound for a year one run would fill {filled}, {figures.percent(100 * (1 - share))} idle"
        return [
            f"{bound}{_worth(asked, 24 * _USUAL_TERM)}. By the hour nothing idle is paid: {money(best)} for the run."
        ]
    share = min(1.0, best.run_hours / hours)
    said = [
        f"One run fills {figures.hours(best.run_hours)} of {figures.hours(hours)}: {figures.percent(100 * share)} "
        f"used, {figures.percent(100 * (1 - share))} idle{_worth(asked, hours)}."
    ]
    by_the_hour = asked.tried({"budget.reserved_days": None}) if not asked.buys else None
    other = reading.chosen(by_the_hour) if by_the_hour else None
    if other is not None and other.cost_usd is not None:
        said.append(f"By the hour the run alone costs {money(other)}: a term pays only if other work fills the rest.")
    return [*said, "Each further run adds its own hours: fewer tokens take that much less."]


def _all_day(asked: Asked, run_hours: float, many: float) -> list[str]:
    """The share of a day that so many runs fill, on all GPUs and on one node, and by the hour."""
    gpus, per = reading.gpus(asked.plan), reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    share = many * run_hours / 24
    best, offer = asked.best, taken(asked)
    rate = offer.usd_per_gpu_hour if offer else best.gpu_usd_per_hour if best else None
    whole = rate * gpus * HOURS_PER_MONTH if rate else None
    used_ = many * run_hours * gpus
    mostly = "Yes, mostly idle" if share < _HALF else "No"
    cost = ""
    if rate and whole:
        cost = f": {figures.usd(used_ * rate * DAYS_PER_MONTH)} a month by the hour instead of {figures.usd(whole)}"
    said = [
        f"{mostly}: {many:g} runs of {figures.hours(run_hours)} fill {figures.percent(100 * share)} of a day, "
        f"{figures.significant(used_)} of {24 * gpus:,} GPU-hours{cost}."
    ]
    made = asked.tried({"cluster.gpus": per}) if per < gpus else None
    one = reading.chosen(made) if made else None
    if one is not None and one.run_hours:
        does = "is enough" if many * one.run_hours < 24 else "is not enough"
        said.append(
            f"One node of {per} {does}: there they fill {figures.percent(100 * many * one.run_hours / 24)} of a day"
            f"{f', {figures.usd(rate * per * HOURS_PER_MONTH)} a month' if rate else ''}."
        )
    return [*said, "Loading the model and the data of each run comes on top, minutes that may be longer than the run."]


_HALF = 0.5


def _worth(asked: Asked, hours: float) -> str:
    """What the idle hours cost at the plan's rate."""
    best, offer = asked.best, taken(asked)
    rate = offer.usd_per_gpu_hour if offer else best.gpu_usd_per_hour if best else None
    if not rate or asked.buys or best is None or best.run_hours is None:
        return ""
    return f", {figures.usd(rate * reading.gpus(asked.plan) * max(0.0, hours - best.run_hours))} at {figures.usd(rate)}"


def falling(asked: Asked) -> list[str]:
    """What a fall of prices makes of a term that is fixed, beside a rent by the hour."""
    best, offer = asked.best, taken(asked)
    percent = next((share for share in asked.amounts("percent", "share") if 0 < share < 100), None)
    rate = offer.usd_per_gpu_hour if offer else best.gpu_usd_per_hour if best else None
    if best is None or percent is None or not rate or asked.buys or not asked.says("falling"):
        return []
    hours = _paid_hours(asked) or 24 * _USUAL_TERM
    term = rate * reading.gpus(asked.plan) * hours
    length = "a year" if abs(hours / 24 - DAYS_PER_YEAR) < 5 else figures.hours(hours)
    said = [
        f"Bound for {length}: {figures.usd(term)} fixed; at {percent:g} % lower prices from the first day it would be "
        f"{figures.usd(percent / 100 * term)} less, half of that if they fall halfway."
    ]
    if reading.ends(asked.plan) and best.cost_usd is not None:
        said.append(f"By the hour you gain from the fall: the run of {money(best)} would cost that much less.")
    return [*said, "Against it: a shorter term, a price that follows the list, or a way out in the contract."]


def which_are_quotes(asked: Asked) -> list[str]:
    """Which figures somebody asks and which are ours."""
    offer, bought = taken(asked), asked.plan.purchase
    if not asked.says("quoted-or-not"):
        return []
    if offer is not None and offer.usd_per_gpu_hour:
        listed = "your quote" if offer.kind == "quote" else f"a list price of {offer.date}, no quote to you"
        seller = offer.provider_name or offer.provider
        first = f"Asked by somebody: {figures.usd(offer.usd_per_gpu_hour)} per GPU-hour at {seller}, {listed}."
    elif bought is not None:
        first = (
            "Asked by somebody: the prices of machines and parts, lists or derived from them; none is a quote to you."
        )
    else:
        return []
    return [
        first,
        "Ours: time of a step, days, and so the sum; what GPUs wait, memory, failures. Their error is in the ranges.",
        "To be confirmed in writing: price and its term, number and day of the machines, the network between them.",
    ]
