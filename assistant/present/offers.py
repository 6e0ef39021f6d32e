"""What is sold: every offer with its network's rate per GPU and its prices, as text and as JSON."""

import textwrap
from collections.abc import Iterator
from typing import Any

from assistant.vocabulary.catalog import Catalog, ListPrice, Offer, Provider
from assistant.vocabulary.counted import counted

from . import figures
from .blocks import Block, Chart, Heading, Paragraph

OFFERS = "offers"  # as a part of the catalog
_TIERS = {"on-demand": "on demand", "reserved": "reserved", "capacity-block": "capacity block", "spot": "spot"}
_TIER_WIDTH = len("reserved 12 months")
_INDENT = "    "


def listed_offers(catalog: Catalog, provider: str | None = None, gpu: str | None = None) -> list[dict[str, Any]]:
    """Every offer, of one provider or GPU where one is given, with all its prices in US dollars per GPU-hour.

    ``usual`` marks the price of each tier and term that is reckoned with.
    """
    return [_as_json(seller, offer) for seller, offer in _found(catalog, provider, gpu)]


def offer_blocks(catalog: Catalog, provider: str | None, gpu: str | None, width: int) -> list[Block]:
    """The offers by provider, none wider than ``width``."""
    blocks: list[Block] = []
    for seller in catalog.providers.values():
        offers = [offer for _, offer in _found(catalog, seller.id, gpu)] if provider in (None, seller.id) else []
        if offers:
            plain = seller.name.lower().replace(" ", "-") == seller.id
            blocks.append(Heading(seller.name if plain else f"{seller.name} ({seller.id})"))
            blocks += [Paragraph(seller.note)] if seller.note else []
            blocks.append(Chart(tuple(line for offer in offers for line in ("", *_offer_lines(offer, width)))))
    if not blocks:
        return [Paragraph("Nobody in the catalog sells that.")]
    how = (
        "Prices are list prices in US dollars per GPU-hour with their day and how far they can be trusted (high: the "
        "provider's own list or a copy of its feed; low: a floor, an estimate or doubtful), in the provider's usual "
        "region; weft catalog offers --format json has all regions and the source of each."
    )
    return [*blocks, Paragraph(how)]


def _found(catalog: Catalog, provider: str | None, gpu: str | None) -> Iterator[tuple[Provider, Offer]]:
    for seller in catalog.providers.values():
        if provider in (None, seller.id):
            yield from ((seller, offer) for offer in seller.offers if gpu in (None, offer.gpu))


def _as_json(seller: Provider, offer: Offer) -> dict[str, Any]:
    usual = {id(offer.usual(prices)) for prices in _by_tier(offer).values()}
    return {
        "provider": seller.id,
        "instance": offer.name,
        **offer.model_dump(mode="json", exclude={"name", "prices"}),
        "gbps_per_gpu": offer.gbps_per_gpu,
        "prices": [_price_as_json(price, id(price) in usual) for price in offer.prices],
    }


def _price_as_json(price: ListPrice, usual: bool) -> dict[str, Any]:
    return {
        "tier": price.tier,
        "months": price.months,
        "region": price.region,
        "usd_per_gpu_hour": price.price.value,
        "date": price.price.date.isoformat(),
        "source": price.price.source,
        "trust": price.trust,
        "note": price.price.note,
        "usual": usual,
    }


def _by_tier(offer: Offer) -> dict[tuple[str, float | None], list[ListPrice]]:
    """The prices by tier and term, in the order of :data:`_TIERS`."""
    found: dict[tuple[str, float | None], list[ListPrice]] = {}
    for price in sorted(offer.prices, key=lambda price: (list(_TIERS).index(price.tier), price.months or 0)):
        found.setdefault((price.tier, price.months), []).append(price)
    return found


def _offer_lines(offer: Offer, width: int) -> Iterator[str]:
    yield from textwrap.wrap(f"{offer.name}: {offer.gpus_per_node} × {offer.gpu}", width, subsequent_indent=_INDENT)
    yield from _indented(_network(offer), width)
    for (tier, months), prices in _by_tier(offer).items():
        price = offer.usual(prices)
        if price is not None:
            name = _TIERS[tier] + (f" {months:g} months" if months else "")
            yield from _indented(_price_line(name, price, prices), width, after=_INDENT + " " * (_TIER_WIDTH + 1))
    if not offer.prices:
        yield from _indented("no price was read: ask for a quote", width)


def _indented(text: str, width: int, after: str = _INDENT) -> list[str]:
    return textwrap.wrap(text, width, initial_indent=_INDENT, subsequent_indent=after)


def _network(offer: Offer) -> str:
    """``aws-efa-v3, 400 Gb/s per GPU (8 × 400 in a node); also ethernet-tcp-100; from 16 GPUs; medium trust``."""
    first, *others = offer.fabrics
    said = ["no network between machines" if first == "none" else first]
    if offer.gbps_per_gpu is not None:
        said[0] += f", {offer.gbps_per_gpu:g} Gb/s per GPU ({offer.nics_per_node} × {offer.gbps_per_nic:g} in a node)"
    elif first != "none":
        said[0] += ", its rate per GPU is not known"
    said += [f"also {', '.join(others)}"] if others else []
    said += [size] if (size := _size(offer)) else []
    if offer.fabric_included is not True and set(offer.fabrics) != {"none"}:
        paid = "extra" if offer.fabric_included is False else "not known to be in the price"
        said.append(f"the network is {paid}")
    said += [f"{offer.trust} trust"] if offer.trust != "high" else []
    return "; ".join(said)


def _size(offer: Offer) -> str | None:
    """``16 to 64 GPUs``; ``None`` where nothing is known of the sizes that are let."""
    least, most = offer.min_gpus, offer.largest_gpus
    if least is None:
        return f"at most {counted(most, 'GPU')}" if most else None
    return f"{least:,} to {most:,} GPUs" if most else f"from {least:,} GPUs"


def _price_line(name: str, price: ListPrice, of: list[ListPrice]) -> str:
    usd = f"{price.price.value:.3f}"
    line = f"{name:<{_TIER_WIDTH}} {usd:>7}  {price.price.date}  {price.trust:<6}"
    elsewhere = [other.price.value for other in of if other is not price]
    where = [price.region] if price.region else []
    if elsewhere:
        low, high = (figures.usd(value) for value in (min(elsewhere), max(elsewhere)))
        where.append(f"others {low}" + (f" to {high}" if low != high else ""))
    return f"{line}  {', '.join(where)}".rstrip()
