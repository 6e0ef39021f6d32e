"""Whether an old price decides: would the recommendation change if that price had moved as prices do?"""

from __future__ import annotations

from math import sqrt

from assistant.library.freshness import half_life_days
from assistant.market import PART_UNIT, Priced
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Warning_

from .choice import choose_at
from .entry import Entry
from .pipeline import Decision
from .resolve import Resolved

_NOT_DATED = ("quoted", "included", "none")


def deciding_prices(made: Decision, catalog: Catalog) -> list[Warning_]:
    """A warning for each price older than its half-life whose plausible drift since then turns the recommendation.

    A price may move by ``freshness-price-drift`` in one half-life, either way, and by its square root of time in more:
    it wanders, up in one and down in another. A price shared by several fabrics (the GPU's) moves for all of them.
    """
    job, chosen = made.job, made.choice.chosen
    if chosen is None or made.choice.kept or chosen.considered.fabric.technology == "none":
        return []
    able = [e for e in made.entries if e.usable and e.verdict != "impossible" and e.run_cost is not None]
    half_life = half_life_days(catalog, "purchase price" if job.questionnaire.budget.mode == "buy" else "rental price")
    drift = catalog.constants["freshness-price-drift"].si
    found = [
        _deciding(job, able, chosen, price, (1 + drift) ** sqrt((price.age_days or 0) / half_life))
        for price in _old(able, half_life)
    ]
    return [warning for warning in found if warning is not None]


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
    return price.what, price.unit == PART_UNIT or price.value, price.source, price.date


def _deciding(job: Resolved, able: list[Entry], chosen: Entry, price: Priced, factor: float) -> Warning_ | None:
    for moved in (price.value * factor, price.value / factor):
        other = choose_at(
            job.questionnaire, able, chosen, lambda entry, by=moved - price.value: _with(entry, price, by)
        )
        if other is not None:
            source, change = price.source.partition(":")[0], 100 * (moved / price.value - 1)
            return Warning_(
                code="stale-price-decides",
                message=(
                    f"An old price decides: {price.what} at {price.value:.3g} {price.unit} is {price.age_days} days "
                    f"old ({source}, {price.date}). At {moved:.3g}, a change of {change:+.0f} % that is plausible "
                    f"after so long, {other.considered.fabric.name} would be recommended: ask for a quote."
                ),
            )
    return None


def _with(entry: Entry, price: Priced, by: float) -> tuple[float, float]:
    """The entry's prices of GPU and fabric with one of them moved ``by`` of its unit."""
    of_gpu, *of_fabric = (usd if _same(one) == _same(price) else 0.0 for one, usd in _moving(entry))
    change = by / price.value
    return entry.price.gpu_total + change * of_gpu, entry.price.fabric_total + change * sum(of_fabric)
