"""What a list of prices changes in the catalog, and the prices that are taken as a document of it."""

from __future__ import annotations

import datetime
import json
import math
from collections.abc import Iterable
from dataclasses import replace

from assistant.vocabulary.catalog import Catalog, ListPrice, Offer
from assistant.vocabulary.prices import Listed, PriceChange
from assistant.vocabulary.quantities import shown

from .listed_offers import BY, Finder, names_of, plain

_ROUNDED = 2e-3  # lists round to the third digit
TAKEN = ("changed", "new", "confirmed")  # outcomes whose prices are taken


def compared(prices: Iterable[Listed], catalog: Catalog) -> list[PriceChange]:
    """Each price of a list beside the catalog's, the older ones of a list first as they are overtaken by the newer."""
    finder, newest, found = Finder(catalog), {}, []
    for listed in sorted(prices, key=lambda one: (one.date, one.line)):
        match = finder.offer(listed)
        if isinstance(match, PriceChange):
            found.append(match)
            continue
        provider, offer = match
        named = not listed.instance or plain(listed.instance) in names_of(offer)
        found_by = None if named else f"{offer.name} of {provider.name} for {shown(listed.instance)}, {BY}"
        key = (provider.id, offer.name, listed.tier, listed.months, listed.region)
        was = newest.get(key) or _ours(offer, listed)
        change = _beside(PriceChange(listed, "new", provider.id, offer.name, was, found_by=found_by))
        if change.outcome != "kept":
            newest[key] = as_list_price(listed)
        found.append(change)
    return found


def _ours(offer: Offer, listed: Listed) -> ListPrice | None:
    """The newest price of ours of that tier, term and region; the usual region is what a price without one is of."""
    usual = (None, offer.usual_region)
    alike = [price for price in offer.prices if (price.tier, price.months) == (listed.tier, listed.months)]
    there = [price for price in alike if price.region == listed.region]
    near = [price for price in alike if price.region in usual] if listed.region in usual else []
    return max(there or near, key=lambda price: price.price.date, default=None)


def _beside(change: PriceChange) -> PriceChange:
    listed, was = change.listed, change.was
    if was is None:
        return change
    if listed.date < was.price.date:
        return replace(change, outcome="kept", why=f"ours is newer, of {was.price.date}")
    same = math.isclose(listed.usd, was.price.value, rel_tol=_ROUNDED)
    if listed.date == was.price.date:
        why = "ours is the same" if same else f"ours is of the same day and says {was.price.value:g}"
        return replace(change, outcome="kept", why=why)
    return replace(change, outcome="confirmed" if same else "changed")


def as_list_price(listed: Listed) -> ListPrice:
    """A price of a list as the catalog has it."""
    fact = {"value": round(listed.usd, 4), "unit": "USD/GPU-h", "source": listed.source, "date": listed.date}
    return ListPrice.model_validate(
        {"tier": listed.tier, "months": listed.months, "region": listed.region, "price": fact, "trust": listed.trust}
    )


def written(changes: Iterable[PriceChange], of: str, day: datetime.date) -> str:
    """The prices that are taken, as one more document for a user's own catalog file; ``of`` names the list."""
    providers: dict[str, dict[str, list[str]]] = {}
    for change in changes:
        if change.provider and change.offer and change.outcome in TAKEN:
            of_offer = providers.setdefault(change.provider, {}).setdefault(change.offer, [])
            of_offer.append(_entry(as_list_price(change.listed)))
    lines = ["---", f"# weft prices --update {of}, {day}", "providers:"]
    for provider, offers in providers.items():
        lines += [f"  {provider}:", "    offers:"]
        for offer, prices in offers.items():
            lines += [f"      {_quoted(offer)}:", "        prices:", *(f"          - {price}" for price in prices)]
    return "\n".join(lines) + "\n"


def _entry(price: ListPrice) -> str:
    fact = price.price
    term = f", months: {price.months:g}" if price.months else ""
    region = f", region: {_quoted(price.region)}" if price.region else ""
    value = f"{{value: {fact.value:g}, unit: {fact.unit}, source: {_quoted(fact.source)}, date: {fact.date}}}"
    return f"{{tier: {price.tier}{term}{region}, price: {value}, trust: {price.trust}}}"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
