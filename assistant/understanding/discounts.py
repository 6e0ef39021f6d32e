"""A price that is told as a share off somebody's list: "CoreWeave gave us 25 % off list"."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.vocabulary.catalog import Catalog, ListPrice, Offer
from assistant.vocabulary.quantities import DAYS_PER_MONTH, in_dollars
from assistant.vocabulary.utterance import Quoted

from .attach import Fact
from .offer_prices import hourly
from .reading import Reading
from .text import clause_of

_PRICE = "budget.gpu_hour_usd"
_WHOLE = 100.0  # percent
_BETWEEN = 3  # words between a seller and the share: "gave us", "offers"


def off_the_list(reading: Reading, facts: Sequence[Fact], catalog: Catalog) -> Quoted | None:
    """The quote of the one seller that is named, by its list price on demand of the GPU that is known, less the share;
    ``None`` where either is open, or where a price is told too. Its fact is settled, and so is its question."""
    asked = [fact for fact in facts if fact.says.act == "ask" and fact.says.field == _PRICE]
    shares = [(fact, q) for fact in asked for q in fact.slots.values() if q.kind == "percent"]
    sellers, gpu = {q.value for q in reading.named if q.kind == "provider"}, reading.gpu(catalog)
    told = any(hourly(q) and q.kind != "number" for q in reading.quantities)
    if len(shares) != 1 or len(sellers) != 1 or gpu is None or told or reading.known("budget.mode") == "buy":
        return None
    (fact, share), seller = shares[0], catalog.providers[sellers.pop()]
    listed = _listed(seller.offers, gpu.id, reading.known("cluster.gpus"))
    if listed is None or not 0 < share.value < _WHOLE:
        return None
    offer, price = listed
    usd = float(f"{price.price.si * (1 - share.value / _WHOLE):.6g}")
    reading.doubts = [doubt for doubt in reading.doubts if doubt.field != _PRICE]
    names = [q for q in reading.named if q.kind == "provider" and 0 <= fact.start - q.end <= _BETWEEN]
    reading.taken |= fact.claimed | {at for q in names for at in range(q.end, fact.start)}  # "gave us"
    whose = f"{share.value:g} % off {seller.name}'s list of {in_dollars(price.price.si)} ({price.price.date})"
    return Quoted(offer.fabrics[0], seller.id, usd, months=_term(reading, fact), note=whose)


def _listed(offers: Sequence[Offer], gpu: str, gpus: int | None) -> tuple[Offer, ListPrice] | None:
    """The cheapest price on demand of a GPU in a list, of an offer of which so many are let."""
    fits = (one for one in offers if one.gpu == gpu and (one.min_gpus or 0) <= (gpus or one.min_gpus or 0))
    prices = ((one, price) for one in fits for price in one.prices if price.tier == "on-demand" and not price.mean)
    return min(prices, key=lambda both: both[1].price.si, default=None)


def _term(reading: Reading, fact: Fact) -> float | None:
    """The months for which the share is taken off, where its clause tells a time."""
    first, last = clause_of(reading.text.tokens, fact.start, fact.end)
    times = (q for q in reading.quantities if q.kind == "time" and first <= q.start < last)
    return next((round(q.value / DAYS_PER_MONTH, 1) for q in times), None)
