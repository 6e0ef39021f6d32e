"""What each offer that runs a job comes to."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import replace

from assistant.market import Freshness, Offered
from assistant.vocabulary.catalog import Catalog, ListPrice, Tier
from assistant.vocabulary.plan import RentalOffer, Verdict
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .choice import meets
from .entry import Entry, about, band_of
from .money import list_price_error
from .resolve import Resolved


def rental_offers(
    variants: list[Entry], entries: list[Entry], job: Resolved, catalog: Catalog, today: datetime.date | None
) -> list[RentalOffer]:
    """Every offer that runs the job, cheapest run first, those without a price last.

    ``variants``: each fabric with every number of NICs that it is sold with; ``entries`` have the verdicts.
    """
    if job.questionnaire.budget.mode != "rent" or job.questionnaire.budget.gpu_hour_usd is not None or job.sites > 1:
        return []  # between sites the islands of each are rented, and no offer is one of both
    freshness = Freshness.of(catalog.constants, today)
    verdicts: dict[str, Verdict] = {entry.id: entry.verdict for entry in entries}
    once = {(e.id, e.considered.nics_per_node): e for e in reversed(variants)}  # not again on demand
    able = [e for e in once.values() if _runs(e, verdicts[e.id])]
    if any(e.id == "none" for e in able):  # then every machine is rented as it is, whatever joins it to others
        able = [e for e in able if e.id == "none"]
    found = [
        _row(entry, offered, tier, price, job, catalog, freshness, verdicts[entry.id])
        for entry in able
        for offered in entry.considered.offers
        for tier, price in _prices(offered, job)
    ]
    return sorted(found, key=lambda o: (o.run_cost_usd.p50 if o.run_cost_usd else float("inf"), o.provider, o.fabric))


def _runs(entry: Entry, verdict: Verdict) -> bool:
    """Whether the job runs on a fabric that is sold, be it at a price that nobody told."""
    if entry.estimated is None or not entry.estimate.fits or entry.run_cost is None:
        return False
    return verdict != "impossible" or (entry.considered.sold is False and set(entry.reasons) <= _UNSOLD)


_UNSOLD = {"screen/rented-out-by-nobody", "screen/not-sold-by-the-provider", "screen/not-in-the-quotes"}


def _prices(offered: Offered, job: Resolved) -> Iterator[tuple[Tier, ListPrice | None]]:
    """On demand always, with its price or without; the other tiers where there is a price."""
    yield "on-demand", offered.offer.price("on-demand")
    reserved = offered.offer.price("reserved")
    if reserved is not None and reserved.months is not None:  # of an unknown term nobody knows what is paid
        yield "reserved", reserved
    spot = offered.offer.price("spot")
    if spot is not None and job.questionnaire.budget.on_spot:
        yield "spot", spot


def _row(
    entry: Entry,
    offered: Offered,
    tier: Tier,
    price: ListPrice | None,
    job: Resolved,
    catalog: Catalog,
    freshness: Freshness,
    verdict: Verdict,
) -> RentalOffer:
    """The offer as the contract has it. Of a reservation the whole term is paid for, however long the run."""
    offer, paid, extra = offered.offer, offered.paid(job.gpus), entry.price.fabric_usd_per_hour
    hours = entry.hours / entry.price.spot_factor * (entry.price.spot_stretch if tier == "spot" else 1.0)
    usd = price.price.si if price else None
    charged = hours.clip(min=(price.months or 0.0) * HOURS_PER_MONTH) if price and tier == "reserved" else hours
    onto = extra.value if extra.origin == "quoted" or offer.fabric_included is False else 0.0
    cost = None if usd is None else (usd + onto) * paid * charged
    listed = freshness.priced(offered.name, price.price) if price else None
    error = list_price_error(offered.provider, price, listed.age_days, catalog) if listed else 1.0
    there = replace(entry, run_hours=hours, run_cost=entry.run_cost if cost is None else cost)
    return RentalOffer(
        provider=offered.provider,
        instance=offer.name,
        gpu=offer.gpu,
        fabric=entry.id,
        gbps_per_gpu=offer.gbps_per_gpu if entry.id == offer.fabrics[0] else None,
        tier=tier,
        usd_per_gpu_hour=usd,
        usd_per_month=None if usd is None else usd * paid * HOURS_PER_MONTH,
        run_cost_usd=None if cost is None else band_of(about(cost * error, there.median_cost)),
        finishes_days=there.median_hours / 24,
        date=price.price.date.isoformat() if price else None,
        source=price.price.source if price else None,
        stale=listed is not None and listed.stale,
        verdict=verdict,
        meets_limits=meets(there, job.questionnaire),
        network_included=offer.fabric_included,
        trust=price.trust if price else None,
    )
