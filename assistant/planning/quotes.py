"""Quotes: what somebody offers to this very job. They stand in for the offers of the catalog, and each is laid beside
what is published: what it comes to, what it leaves open, and what to ask."""

from __future__ import annotations

import datetime
from typing import Any

from assistant.market import Offered, amortized
from assistant.vocabulary.catalog import Catalog, Fabric, Fact, ListPrice, Offer, Provider
from assistant.vocabulary.questionnaire import Quote

from .resolve import Resolved

_NO_TERM = {"months": None, "minimum_days": None, "once_usd": None}  # of what is bought


def as_offers(job: Resolved, catalog: Catalog, today: datetime.date) -> tuple[Offered, ...]:
    """Each quote whose network is known as an offer of ``today``; ``number`` counts them from 1."""
    found = (
        _as_offer(number, quote, job, catalog, today) for number, quote in enumerate(job.questionnaire.budget.quotes, 1)
    )
    return tuple(offered for offered in found if offered is not None)


def _as_offer(number: int, quote: Quote, job: Resolved, catalog: Catalog, today: datetime.date) -> Offered | None:
    """Machines as the provider lists them where it does, else the job's own nodes; ``None`` without a network."""
    if job.questionnaire.budget.mode == "buy":
        whole = quote.usd and quote.usd + (quote.once_usd or 0.0)
        quote = quote.model_copy(update=_NO_TERM | {"usd": whole})
    provider = provider_of(quote, catalog)
    listed = _listed(quote, provider, job)
    fabric = quote.fabric or (listed.fabrics[0] if listed else None)
    if fabric is None:
        return None
    hourly = quote.gpu_hour_usd or amortized(quote.usd or 0.0, quote.months or 1.0) / job.gpus
    fact = Fact(value=hourly, unit="USD/GPU-h", source=f"quoted in budget.quotes.{number}", date=today)
    own = listed if listed is not None and listed.fabrics[0] == fabric else None
    offer = Offer(
        **_adapters(quote, own, catalog.fabrics[fabric], job),
        name=f"quote {number}",
        gpu=job.gpu.id,
        gpus_per_node=job.gpus_per_node,
        fabrics=[fabric],
        min_gpus=1,
        prices=[ListPrice(tier="on-demand", price=fact)],
        source=fact.source,
        date=fact.date,
    )
    name = provider.name if provider else quote.provider or ""
    whose = provider.id if provider else quote.provider or "quote"
    return Offered(whose, name, offer, listed=offer.price("on-demand"), quote=quote, number=number)


def _adapters(quote: Quote, own: Offer | None, fabric: Fabric, job: Resolved) -> dict[str, Any]:
    """Adapters of a node and their rate: as quoted, else as the provider lists them (``own``); of a rate without a
    number the usual number."""
    if not quote.tells_adapters:
        return {"nics_per_node": own.nics_per_node, "gbps_per_nic": own.gbps_per_nic} if own else {}
    listed = own.nics_per_node if own else None
    usual = fabric.usual_nics(job.gpu.nics_in(job.gpus_per_node))
    rate = quote.gbps_per_nic or (fabric.line_rate and 8 * fabric.line_rate.si / 1e9)
    return {"nics_per_node": quote.nics_per_node or listed or usual, "gbps_per_nic": rate}


def provider_of(quote: Quote, catalog: Catalog) -> Provider | None:
    """The provider of the catalog that a quote names, by its id, name or another name."""
    name = (quote.provider or "").lower()
    known = (p for p in catalog.providers.values() if name in {p.id, p.name.lower(), *map(str.lower, p.aliases)})
    return next(known, None)


def _listed(quote: Quote, provider: Provider | None, job: Resolved) -> Offer | None:
    """What the provider lists of this GPU, with the quoted network where it lists one."""
    own = [offer for offer in provider.offers if offer.gpu == job.gpu.id] if provider else []
    return next((offer for offer in own if quote.fabric in offer.fabrics), own[0] if own else None)
