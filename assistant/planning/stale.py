"""Whether an old price decides: would the recommendation change if that price had moved as prices do? And where one
would have to be for that."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from functools import partial
from math import log, sqrt

from assistant.library.freshness import half_life_days
from assistant.market import PART_UNIT, Priced
from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import RentalOffer, Warning_
from assistant.vocabulary.quantities import exact_usd, outward

from .budgets import usd_per_month
from .choice import choose_at
from .entry import Entry
from .headline import usd
from .offers import asked_today, taken
from .pipeline import Decision
from .resolve import Resolved
from .turning import FARTHEST

DECIDES = "stale-price-decides"
_MOST = 3  # offers that are told
_HALVINGS = 6  # of the way to where the answer turns: to two percent of it
_NOT_DATED = ("quoted", "included", "none")

Even = Callable[[RentalOffer, RentalOffer], tuple[float, float]]


def warnings(made: Decision, offers: Sequence[RentalOffer], catalog: Catalog) -> list[Warning_]:
    """The old prices that decide, then those of the choice that are old and decide nothing."""
    found, chosen = deciding_prices(made, offers, catalog), made.choice.chosen
    even = partial(_even, made=made, catalog=catalog)
    own = _offer_of(chosen, offers)
    told = own is not None and any(f" {_name(own)} at ${own.usd_per_gpu_hour:.2f} " in w.message for w in found)
    alone = partial(_where_alone, job=made.job)
    return [*found, *_old_of_choice(chosen, own, offers, even, alone, told=told)] if chosen else found


def deciding_prices(made: Decision, offers: Sequence[RentalOffer], catalog: Catalog) -> list[Warning_]:
    """A warning for each price older than its half-life whose plausible drift since then turns the recommendation.

    A price may move by ``freshness-price-drift`` in one half-life, either way, and by its square root of time in more:
    it wanders, up in one and down in another. A price shared by several fabrics (the GPU's) moves for all of them.
    Where offers compete the price of one alone moves, and the answer turns where another costs less for the run.
    """
    job, chosen = made.job, made.choice.chosen
    if chosen is None or made.choice.kept or chosen.considered.fabric.technology == "none":
        return []
    if job.questionnaire.budget.quotes:  # what is published stands beside them
        return []
    half_life = half_life_days(catalog, "purchase price" if job.questionnaire.budget.mode == "buy" else "rental price")
    drift = catalog.constants["freshness-price-drift"].si

    def farthest(age_days: int) -> float:
        return (1 + drift) ** sqrt(age_days / half_life)

    if chosen.price.offered is not None:
        even = partial(_even, made=made, catalog=catalog)
        return _among_offers(_offer_of(chosen, offers), offers, farthest, made.today, even)
    able = [e for e in made.entries if e.usable and e.verdict != "impossible" and e.costed]
    found = [_deciding(job, able, chosen, price, farthest(price.age_days or 0)) for price in _old(able, half_life)]
    return [warning for warning in found if warning is not None]


def _old_of_choice(
    chosen: Entry,
    own: RentalOffer | None,
    offers: Sequence[RentalOffer],
    even: Even,
    alone: Callable[[Entry], str],
    *,
    told: bool,
) -> list[Warning_]:
    """A warning for each old price of the choice; an offer's, unless it is told already, with the price at which
    another costs less, or where there is no other what its price decides (``alone``)."""
    others, found = _rivals(own, offers) if own else [], []
    for price in chosen.price.prices:
        turns = ""
        if own and others and price is chosen.price.gpu_usd_per_hour:
            at, change = even(own, others[0])
            mean = _on_average(own, others[0])
            turns = f" From ${exact_usd(at)} on ({change:+.0f} %) {_name(others[0])} would cost no more{mean}."
        elif own and price is chosen.price.gpu_usd_per_hour and not _others(own, offers):
            turns = f" {alone(chosen)}"
        if price.stale and not (told and price is chosen.price.gpu_usd_per_hour):
            found.append(Warning_(code="stale-prices", message=f"{price}.{turns}"))
    return found


def _offer_of(chosen: Entry | None, offers: Sequence[RentalOffer]) -> RentalOffer | None:
    """The offer whose price the choice has, where it has one."""
    number = taken(chosen, offers)
    return offers[number] if number is not None and offers[number].run_cost_usd else None


def _where_alone(chosen: Entry, job: Resolved) -> str:
    """What the price of the only offer that could be taken decides: from where on it keeps no budget, or nothing."""
    budget = job.questionnaire.budget
    kept = [(budget.usd / chosen.outlay, f"budget of {usd(budget.usd)}")] if budget.usd else []
    if budget.usd_per_month:
        month = budget.usd_per_month / usd_per_month(chosen, job.questionnaire)
        kept.append((month, f"budget of {usd(budget.usd_per_month)} a month"))
    by = f" by {job.provider.name}" if job.provider else ""
    nothing_else = f"nothing else that could be taken is let{by} at a price that is known"
    ratio, what = min(kept, default=(None, ""))
    if ratio is None or ratio > FARTHEST:
        of_it = "No price of it" if ratio is None else f"No price of it up to {FARTHEST:g} times as much"
        return f"{of_it} changes the recommendation: {nothing_else}."
    at = outward(chosen.price.list_price_at(ratio), up=False)
    far = f"Above ${exact_usd(at)} ({100 * (ratio - 1):+.0f} %) the {what} is not kept"
    return f"{far}; no other price of it changes anything: {nothing_else}."


def _others(own: RentalOffer, offers: Sequence[RentalOffer]) -> list[RentalOffer]:
    """The offers that could be taken instead, cheapest run first."""
    able = (
        o for o in offers if o.ranked_usd < float("inf") and o.meets_limits and o.verdict not in ("avoid", "impossible")
    )
    return [o for o in able if (o.provider, o.instance) != (own.provider, own.instance)]


def _rivals(own: RentalOffer, offers: Sequence[RentalOffer]) -> list[RentalOffer]:
    """:func:`_others`; none where one of them costs less already: then it was not the price that decided."""
    least = own.run_cost_usd.p50 if own.run_cost_usd else 0.0
    others = _others(own, offers)
    # Of spot machines the mean counts, as where offers are compared.
    cheaper = (o for o in others if o.ranked_usd < least)
    return [] if any(cheaper) else others


def _even(moved: RentalOffer, other: RentalOffer, made: Decision, catalog: Catalog) -> tuple[float, float]:
    """The price per GPU-hour of one offer, asked for today, at which its run costs what the other's does, and its
    change in percent: by what offers are compared, of spot machines the mean."""
    assert moved.usd_per_gpu_hour is not None
    at = asked_today(moved, other.ranked_usd, made.variants, made.job, catalog)
    at = outward(at, up=at > moved.usd_per_gpu_hour)
    return at, 100 * (at / moved.usd_per_gpu_hour - 1)


def _among_offers(
    own: RentalOffer | None,
    offers: Sequence[RentalOffer],
    farthest: Callable[[int], float],
    today: datetime.date | None,
    even: Even,
) -> list[Warning_]:
    others = _rivals(own, offers) if own else []
    if own is None or not others:
        return []
    found = []
    # Between offers of one network that cost the same as far as anybody can tell nothing is decided.
    apart = [o for o in others if not (o.tied and own.tied and o.fabric == own.fabric)]
    for moved, other in ((own, others[0]), *((o, own) for o in apart)):
        if not moved.stale or moved.date is None:
            continue
        age = ((today or datetime.date.today()) - datetime.date.fromisoformat(moved.date)).days
        at, change = even(moved, other)
        if change <= -100:
            continue  # not even for nothing would its run cost as little
        if abs(log(1 + change / 100)) <= log(farthest(age)):
            cheaper = "it" if other is own else _name(other)
            mean = _on_average(moved, other)
            found.append((abs(change), moved, _decides(moved, age, at, change, cheaper, mean)))
    if any(moved is own for _, moved, _ in found):  # the other side of the same
        found = [one for one in found if one[1] is not others[0]]
    return [warning for *_, warning in sorted(found, key=lambda one: one[0])[:_MOST]]


def _on_average(*offers: RentalOffer) -> str:
    """That spot machines are compared by what they cost on average, which is not the sum that is told first."""
    return " on average" if any(o.tier == "spot" for o in offers) else ""


def _decides(o: RentalOffer, age: int, at: float, change: float, cheaper: str, mean: str) -> Warning_:
    name = _name(o)
    return Warning_(
        code=DECIDES,
        message=f"An old price decides: {name} at ${o.usd_per_gpu_hour:.2f} per GPU-hour is {age} days old "
        f"({o.source}, {o.date}). At ${exact_usd(at)}, a change of {change:+.0f} % that is plausible after so long, "
        f"{cheaper} would cost no more{mean} than what is recommended: ask for a quote.",
    )


def _name(offer: RentalOffer) -> str:
    fabric, tier = offer.fabric.replace("none", ""), offer.tier.replace("on-demand", "")
    terms = ", ".join(filter(None, (fabric, tier)))
    return f"{offer.instance} at {offer.provider}{f' ({terms})' if terms else ''}"


def _old(able: list[Entry], half_life: float) -> list[Priced]:
    """The prices in use that are older than their half-life, each once."""
    used = [price for e in able for price, _ in _moving(e)]
    return list(
        {_same(p): p for p in used if p.origin not in _NOT_DATED and p.value and (p.age_days or 0) > half_life}.values()
    )


def _moving(entry: Entry) -> list[tuple[Priced, float]]:
    """Each price that can move by itself with the USD per GPU-hour it makes: that of the GPU first, then the network's,
    of one that is bought each part's, as several networks are built from the same."""
    gpu, fabric = entry.price.gpu_usd_per_hour, entry.price.fabric_usd_per_hour
    return [(gpu, gpu.value), *(entry.price.fabric_parts or ((fabric, fabric.value),))]


def _same(price: Priced) -> tuple[object, ...]:
    """What makes two prices one: they move together whatever their notes say. Of parts of a network those of every
    speed."""
    return price.device or price.what, price.unit == PART_UNIT or price.value, price.source, price.date


def _deciding(job: Resolved, able: list[Entry], chosen: Entry, price: Priced, factor: float) -> Warning_ | None:
    def other(value: float) -> Entry | None:
        by = value - price.value
        return choose_at(job.questionnaire, able, chosen, lambda entry: _with(entry, price, by))

    for moved in (price.value * factor, price.value / factor):
        if other(moved) is None:
            continue
        same, turned = price.value, moved
        for _ in range(_HALVINGS):
            middle = sqrt(same * turned)
            same, turned = (same, middle) if other(middle) is not None else (middle, turned)
        told = lambda value: exact_usd(outward(value / price.share, up=value > price.value))
        instead, source, change = other(moved), price.source.partition(":")[0], 100 * (moved / price.value - 1)
        assert instead
        return Warning_(
            code=DECIDES,
            message=(
                f"An old price decides: {price.what} at {told(price.value)} {price.unit} is {price.age_days} days "
                f"old ({source}, {price.date}). At {told(moved)}, a change of {change:+.0f} % that is "
                f"plausible after so long, {instead.considered.fabric.name} would be recommended; the answer is open "
                f"from about {told(turned)} on: ask for a quote."
            ),
        )
    return None


def _with(entry: Entry, price: Priced, by: float) -> tuple[float, float]:
    """The entry's prices of GPU and fabric with one of them moved ``by`` of its unit."""
    of_gpu, *of_fabric = (usd if _same(one) == _same(price) else 0.0 for one, usd in _moving(entry))
    change = by / price.value
    return entry.price.gpu_total + change * of_gpu, entry.price.fabric_total + change * added(of_fabric)
