"""What each offer that runs a job comes to."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from math import ceil, exp

from assistant.market import Freshness, Offered, monthly
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import RentalOffer, Verdict

from .choice import meets
from .entry import Entry, about, band_of
from .money import list_price_error, list_price_spread, unfinished
from .resolve import Resolved


def rental_offers(
    variants: list[Entry], entries: list[Entry], job: Resolved, catalog: Catalog, today: datetime.date | None
) -> list[RentalOffer]:
    """Every offer that runs the job, cheapest run first, those without a price last.

    ``variants``: each fabric on all terms on which it is let; ``entries`` have the verdicts.
    """
    if job.questionnaire.budget.mode != "rent" or job.questionnaire.budget.gpu_hour_usd is not None:
        return []
    freshness = Freshness.of(catalog.constants, today)
    judged = {entry.id: entry for entry in entries}
    able = [e for e in variants if _runs(e, judged[e.id])]
    if any(e.id == "none" for e in able):  # then every machine is rented as it is, whatever joins it to others
        able = [e for e in able if e.id == "none"]
    if any(e.inside for e in able):  # between sites: then the islands of each are rented
        able = [e for e in able if e.inside]
    found = [
        _row(entry, offered, job, catalog, freshness, judged[entry.id].verdict)
        for entry in able
        for offered in _with_untold_terms(entry.considered.offers)
    ]
    return _tied(sorted(found, key=lambda o: (o.ranked_usd, o.provider, o.fabric)), catalog)


def _with_untold_terms(offers: Iterable[Offered]) -> Iterator[Offered]:
    """Beside each machine on demand its prices of which no sum is made: shown, and chosen by nobody."""
    for offered in offers:
        yield offered
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
    of = entry.priced.offered
    months = of.listed.months if of.listed and of.quote is None else None  # rows of quotes tell no term
    wanted = (of.provider, of.offer.name, (entry.inside or entry).id, of.tier, months)
    found = ((o.provider, o.instance, o.fabric, o.tier, o.months) for o in offers)
    return next((n for n, offer in enumerate(found) if offer == wanted), None)


def _runs(entry: Entry, judged: Entry) -> bool:
    """Whether the job runs on it, be it at a price that nobody told. ``judged``: the same fabric on the terms on which
    it costs least."""
    if entry.estimated is None or not entry.estimate.fits or entry.run_cost is None:
        return False
    return judged.barred in (None, "not-sold", "not-quoted", "no-price-quoted")


_FOR_EVER = 36_525  # days: a century
_NOTICED = 0.05  # share of runs that never finish from which there is no mean to tell (fewer count as stopped late),
_MOSTLY = 0.5  # and from which there is no middle either


def _row(
    entry: Entry, offered: Offered, job: Resolved, catalog: Catalog, freshness: Freshness, verdict: Verdict
) -> RentalOffer:
    """The offer as the contract has it. Of a reservation the whole term is paid for, however long the run."""
    offer, extra, listed = offered.offer, entry.price.fabric_usd_per_hour, offered.listed
    paid = offered.paid(job.gpus // job.sites) * job.sites
    onto = extra.value if extra.origin == "quoted" or offer.fabric_included is False else 0.0
    usd, dated, likely, there = None, None, None, entry
    if listed is not None:
        usd, dated = listed.price.si, freshness.priced(offered.name, listed.price)
    if listed is not None and dated is not None and usd is not None and offered.summed:
        cost = (usd * offered.markup + onto) * paid * replace(entry.price, offered=offered).charged(entry.hours)
        there = replace(entry, run_cost=cost)
        likely = about(cost * list_price_error(offered.provider, listed, dated.age_days, catalog), there.median_cost)
    never = unfinished(entry.price.spot) if entry.price.spot else 0.0
    never = never if never >= _NOTICED else 0.0
    fabric, days = (entry.inside or entry).id, None if never >= _MOSTLY else entry.median_hours / 24
    likely = None if days is None else likely
    later = None if days is None else days + (entry.price.delivery_days or 0.0)
    return RentalOffer(
        provider=offered.provider,
        provider_name=offered.provider_name,
        instance=offer.name,
        gpu=offer.gpu,
        fabric=fabric,
        gbps_per_gpu=offer.gbps_per_gpu if fabric == offer.fabrics[0] else None,
        tier=offered.tier,
        usd_per_gpu_hour=usd,
        usd_per_month=None if usd is None else monthly(usd * offered.markup + onto, paid),
        run_cost_usd=None if likely is None else band_of(likely),
        expected_cost_usd=float(likely.mean()) if likely is not None and offered.tier == "spot" and not never else None,
        unfinished_percent=100 * never if offered.tier == "spot" else None,
        finishes_days=days,
        finishes_on=(freshness.today + datetime.timedelta(days=ceil(later))).isoformat()
        if later is not None and later < _FOR_EVER
        else None,
        months=listed.months if listed else None,
        date=listed.price.date.isoformat() if listed else None,
        source=listed.price.source if listed else None,
        stale=dated is not None and dated.stale,
        verdict=verdict,
        meets_limits=meets(there, job.questionnaire),
        network_included=offer.fabric_included,
        trust=listed.trust if listed else None,
        paid_over_listed=offered.markup,
        gpus_paid=paid,
        whole_days_up_to=offered.by_the_day or None,
    )
