"""What each offer that runs a job comes to."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import ceil, exp, inf
from typing import Any

import numpy as np

from assistant.market import Freshness, Offered, monthly, price_at
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import RentalOffer, Verdict

from .choice import Choice
from .entry import Entry, about, band_of, mean_cost
from .limits import meets
from .money import NOTICED, list_price_error, list_price_spread, steady_cost, unfinished
from .resolve import Resolved


def rental_offers(
    variants: list[Entry],
    entries: list[Entry],
    job: Resolved,
    catalog: Catalog,
    today: datetime.date | None,
    choice: Choice | None = None,
) -> list[RentalOffer]:
    """Every offer that runs the job, cheapest run first, those without a price last.

    ``variants``: each fabric on all terms on which it is let; ``entries`` have the verdicts; ``choice``: what is
    recommended among them.
    """
    said = choice or Choice()
    if job.questionnaire.budget.mode != "rent" or job.questionnaire.budget.gpu_hour_usd is not None:
        return []
    freshness = Freshness.of(catalog.constants, today)
    judged = {entry.id: entry for entry in entries}
    able = [e for e in variants if _runs(e, judged[e.id])]
    if any(e.id == "none" for e in able):  # then every machine is rented as it is, whatever joins it to others
        able = [e for e in able if e.id == "none"]
    if any(e.inside for e in able):  # between sites: islands of each, unless what goes in unison alone is advised
        advised = [e for e in able if judged[e.id].verdict not in ("avoid", "impossible")]
        islands = any(e.inside for e in advised) or not advised
        able = [e for e in able if bool(e.inside) is islands]
    found = [
        _row(entry, offered, job, catalog, freshness, said.verdict_on(judged[entry.id]))
        for entry in able
        for offered in _with_untold_terms(entry.considered.offers)
    ]
    return _tied(cheapest_first(found), catalog)


def cheapest_first(offers: Iterable[RentalOffer]) -> list[RentalOffer]:
    """The cheapest run first, those without a sum last. Of what costs the same quotes stand before what is published,
    and of one provider the network first on which the run is done sooner."""

    def rank(offer: RentalOffer) -> tuple[float, bool, str, float, str]:
        days = inf if offer.finishes_days is None else offer.finishes_days
        return float(f"{offer.ranked_usd:.6g}"), offer.kind != "quote", offer.provider, days, offer.fabric

    return sorted(offers, key=rank)


def _with_untold_terms(offers: Iterable[Offered]) -> Iterator[Offered]:
    """Beside each machine on demand its prices of which no sum is made: shown, and chosen by nobody."""
    for offered in offers:
        yield offered.told() if offered.quote is None else offered
        if offered.tier == "on-demand" and offered.quote is None:
            yield from offered.beside()


def _tied(found: list[RentalOffer], catalog: Catalog) -> list[RentalOffer]:
    """Cheapest first, with those marked that cost the same as far as prices tell: how long the run takes moves the sums
    of all, only what is agreed instead of the list moves one of them."""
    cheapest = next((o.run_cost_usd.p50 for o in found if o.run_cost_usd), 0.0)
    most = cheapest * exp(list_price_spread(catalog, found[0].tier if found else "on-demand"))
    return [o.model_copy(update={"tied": True}) if o.run_cost_usd and o.ranked_usd <= most else o for o in found]


def taken(entry: Entry | None, offers: Sequence[RentalOffer]) -> int | None:
    """Which of the offers it is whose price an entry has."""
    if entry is None or entry.priced is None or entry.priced.offered is None:
        return None
    wanted = _who(entry, entry.priced.offered)
    return next((n for n, offer in enumerate(offers) if _whose(offer) == wanted), None)


def _who(entry: Entry, of: Offered) -> tuple[object, ...]:
    months = of.listed.months if of.listed and of.quote is None else None  # rows of quotes tell no term
    return of.provider, of.offer.name, (entry.inside or entry).id, of.tier, months


def _whose(o: RentalOffer) -> tuple[object, ...]:
    return o.provider, o.instance, o.fabric, o.tier, o.months


def _runs(entry: Entry, judged: Entry) -> bool:
    """Whether the job runs on it, be it at a price that nobody told. ``judged``: the same fabric on the terms on which
    it costs least."""
    if entry.estimated is None or not entry.estimate.fits or entry.run_cost is None:
        return False
    return judged.barred in (None, "not-sold", "not-quoted", "no-price-quoted")


_HALVINGS = 30  # of a price: to a billionth
_FOR_EVER = 36_525  # days: a century
_MOSTLY = 0.5  # share of runs that never finish from which there is no middle to tell


def _row(
    entry: Entry, offered: Offered, job: Resolved, catalog: Catalog, freshness: Freshness, verdict: Verdict
) -> RentalOffer:
    """The offer as the contract has it. Of a reservation whole terms are paid for."""
    there = on(entry, offered, job)
    return RentalOffer(
        **_what(offered, (entry.inside or entry).id),
        **_price(there, offered, job, freshness),
        **_sums(there, offered, catalog, freshness),
        verdict=verdict,
        meets_limits=meets(there, job.questionnaire),
    )


def listed_row(offered: Offered, fabric: str, freshness: Freshness) -> RentalOffer:
    """What a list says of machines, before anybody said what is to run on them."""
    none = dict.fromkeys(("usd_per_month", "run_cost_usd", "finishes_days"))
    judged = {"verdict": "acceptable", "meets_limits": True}
    return RentalOffer(**_what(offered, fabric), **_listed(offered, freshness), **none, **judged)


def on(entry: Entry, offered: Offered, job: Resolved) -> Entry:
    """The entry as it is on another offer of its terms: at its price, where a sum is made of that."""
    if offered.listed is None or not offered.summed:
        return entry
    of, there = entry.on_offers.get(id(offered), (None, None))
    if there is None or of is not offered:
        price = entry.price.taking(offered, job.gpus // job.sites)
        there = entry.again(priced=price, run_cost=price.run_cost(entry.hours, job.gpus))
        there.steady_cost = steady_cost(there, job)
        entry.on_offers[id(offered)] = offered, there
    return there


def _what(offered: Offered, fabric: str) -> dict[str, Any]:
    """Who lets what."""
    offer = offered.offer
    return {
        "provider": offered.provider,
        "provider_name": offered.provider_name,
        "instance": offer.name,
        "gpu": offer.gpu,
        "fabric": fabric,
        "gbps_per_gpu": offer.gbps_per_gpu if fabric == offer.fabrics[0] else None,
        "tier": offered.tier,
        "network_included": offer.fabric_included,
        "paid_over_listed": offered.markup,
        "whole_days_up_to": offered.by_the_day or None,
    }


def _price(there: Entry, offered: Offered, job: Resolved, freshness: Freshness) -> dict[str, Any]:
    """What the list says, with its provenance, and what a month of it comes to."""
    islands = job.gpus // job.sites
    price = there.price if offered.summed else there.price.taking(offered, islands)  # what is summed is taken already
    month = price.usd_per_month(job.gpus) if offered.listed else None
    paid = {"gpus_paid": offered.paid(islands) * job.sites, "usd_per_month": month}
    return paid | _listed(offered, freshness)


def _listed(offered: Offered, freshness: Freshness) -> dict[str, Any]:
    listed = offered.listed
    if listed is None:
        return {"stale": False} | dict.fromkeys(("usd_per_gpu_hour", "date", "source"))
    return {
        "usd_per_gpu_hour": listed.price.si,
        "months": listed.months,
        "date": listed.price.date.isoformat(),
        "source": listed.price.source,
        "stale": freshness.priced(offered.name, listed.price).stale,
        "trust": listed.trust,
    }


def _sums(there: Entry, offered: Offered, catalog: Catalog, freshness: Freshness) -> dict[str, Any]:
    """What the run comes to, and when it is done; of machines that are taken away too often nobody can tell."""
    never = unfinished(there.price.spot) if there.price.spot else 0.0
    never = never if never >= NOTICED else 0.0
    spot = offered.tier == "spot"
    found: dict[str, Any] = dict.fromkeys(("run_cost_usd", "finishes_days"))
    found["unfinished_percent"] = 100 * never if spot else None
    if never >= _MOSTLY:
        return found
    found |= {"finishes_days": round(there.median_hours / 24, 6), "finishes_on": finishes_on(there, freshness.today)}
    if offered.listed is None or not offered.summed:
        return found
    age = freshness.priced(offered.name, offered.listed.price).age_days
    likely = _likely(there, offered, age, catalog)
    return found | {
        "run_cost_usd": band_of(likely),
        "expected_cost_usd": mean_cost(likely, there.steady_cost) if spot and not never else None,
    }


def finishes_on(entry: Entry, today: datetime.date) -> str | None:
    """The day on which a run that is ordered today is done; ``None`` where that takes a century."""
    return (today + datetime.timedelta(days=ceil(entry.days))).isoformat() if entry.days < _FOR_EVER else None


def list_price_at(offer: RentalOffer, usd: float) -> float:
    """The list price of a GPU-hour at which the run on an offer costs so much, by what offers are compared; what is
    paid for a network on top stays."""
    assert offer.usd_per_gpu_hour is not None
    rent, on_top = offer.usd_per_gpu_hour * offer.paid_over_listed, 0.0
    if offer.usd_per_month is not None and offer.gpus_paid:  # of a quote neither is told: it is one sum
        on_top = offer.usd_per_month / monthly(1.0, offer.gpus_paid) - rent
    return price_at(rent, on_top, usd / offer.ranked_usd) / offer.paid_over_listed


def asked_today(offer: RentalOffer, usd: float, variants: Iterable[Entry], job: Resolved, catalog: Catalog) -> float:
    """:func:`list_price_at` of a price that is asked for today: by what spot machines are compared is no multiple of
    their price, and less where that is new."""
    if offer.tier == "spot":
        found = ((e, o) for e in variants if e.costed for o in e.considered.offers if _who(e, o) == _whose(offer))
        entry, offered = next(found, (None, None))
        if entry is not None and offered is not None:
            return price_today(on(entry, offered, job), offered, usd, catalog)
    return list_price_at(offer, usd)


def price_today(there: Entry, offered: Offered, usd: float, catalog: Catalog) -> float:
    """The list price of a GPU-hour of ``offered``, asked for today, at which the run on it, which is ``there``, is
    compared by so much."""
    ranked, low, high = ranked_by(there, offered, 0, catalog), 0.0, usd / there.median_cost
    if offered.tier != "spot":
        return there.price.list_price_at(high)
    for _ in range(_HALVINGS):  # the mean is never less than the middle
        middle = (low + high) / 2
        low, high = (middle, high) if ranked(middle) < usd else (low, middle)
    return there.price.list_price_at(high)


def ranked_by(there: Entry, offered: Offered, age_days: int | None, catalog: Catalog) -> Callable[[float], float]:
    """By what the run on an offer is compared, US dollars, at its price and at a multiple of it: the middle, of spot
    machines the mean where that is more."""
    if offered.tier != "spot" or offered.listed is None:
        return lambda ratio: ratio * there.median_cost
    likely = _likely(there, offered, age_days, catalog)
    return lambda ratio: max(ratio * there.median_cost, mean_cost(ratio * likely, there.steady_cost))


def _likely(there: Entry, offered: Offered, age_days: int | None, catalog: Catalog) -> np.ndarray:
    """US dollars of the run at the prices that may turn out for one that was read so many days ago, (worlds,)."""
    assert offered.listed is not None
    error = list_price_error(offered.provider, offered.listed, age_days, catalog)
    return about(there.cost * error, there.median_cost)
