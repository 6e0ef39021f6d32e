"""Several prices side by side: what each network, or each provider, would cost. They are prices of fabrics, not the
budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.vocabulary.utterance import Quoted

from .templates import Quantity

_MOST_PER_HOUR = 100.0  # dollars: what costs more is no price of a GPU-hour
_FAR = 14  # tokens between a price and what it is for


@dataclass(frozen=True)
class Priced:
    """A name that may have a price: a fabric or a provider, and where it stands (tokens)."""

    id: str
    start: int
    end: int


def offers(
    quantities: Sequence[Quantity], fabrics: Sequence[Priced], providers: Sequence[Priced]
) -> tuple[list[Quoted], frozenset[int]]:
    """The offers of a message and the tokens of their prices; none where there are fewer than two different ones."""
    prices = _prices(quantities)
    if len(prices) < 2:
        return [], frozenset()
    named = [(_nearest(price, prices, fabrics), _nearest(price, prices, providers)) for price in prices]
    found = [
        Quoted(fabric, provider, gpu_hour_usd=float(price.value))
        for price, (fabric, provider) in zip(prices, named, strict=True)
        if fabric or provider
    ]
    different = len({(offer.fabric, offer.provider) for offer in found}) > 1
    return (found, frozenset(at for p in prices for at in range(p.start, p.end))) if different else ([], frozenset())


def _prices(quantities: Sequence[Quantity]) -> list[Quantity]:
    """Prices per GPU-hour; beside one of these, small sums and decimals without a unit are prices as well."""
    hourly = [q for q in quantities if q.kind == "money" and q.unit == "gpu-hour" and q.value <= _MOST_PER_HOUR]
    small = [q for q in quantities if q.kind == "money" and not q.unit and q.value <= _MOST_PER_HOUR]
    if not hourly and not small:
        return []
    taken = {at for q in (*hourly, *small) for at in range(q.start, q.end)}
    bare = [
        q
        for q in quantities
        if q.kind == "number"
        and isinstance(q.value, float)
        and 1 <= q.value <= 20
        and not q.unit
        and q.start not in taken
    ]
    return sorted([*hourly, *small, *bare], key=lambda q: q.start)


def _nearest(price: Quantity, prices: Sequence[Quantity], names: Sequence[Priced]) -> str | None:
    """The name that stands nearest to a price on the side where this message names things, with no other price
    between."""
    leads = bool(names) and names[0].start < prices[0].start
    best: tuple[int, str] | None = None
    for name in names:
        low, high = sorted((name.start, price.start))
        if any(low < other.start < high for other in prices) or (name.start < price.start) != leads:
            continue
        gap = price.start - name.end if leads else name.start - price.end
        if gap <= _FAR and (best is None or gap < best[0]):
            best = (gap, name.id)
    return best[1] if best else None
