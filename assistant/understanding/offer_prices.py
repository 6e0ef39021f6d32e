"""Which amounts of a message are prices of an offer: of a GPU-hour, or of all that somebody asks for."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from assistant.vocabulary.catalog import Catalog, Gpu
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .quantities import MONEY_OTHER
from .templates import Quantity
from .text import Token

MOST_PER_HOUR = 100.0  # dollars: what costs more is no price of a GPU-hour
LEAST_SUM = 1000.0  # dollars: what costs less is no price of a cluster
_RATES = frozenset({"gpu-hour", "node-hour", "gpu-month", "node-month", "month"})
_OFF_THE_LIST = 1.5  # times the dearest, or below the cheapest, price of a list: no price of that
_CALLED = 5  # tokens between a sum and the word that calls it the total
_STRONG = frozenset(";.!?")
_PRICED = frozenset({"money", "decimal", "number"})
_CARDS = frozenset({"gpu", "card", "acceler", "chip", "gpuh"})  # stems
_HOURS = frozenset({"h", "hr", "hour", "hourly", "hourli", "gpuh"})
# By whether an amount says that it is of a GPU, and that it is of an hour.
_TAKEN_AS = {
    (False, False): "one GPU and an hour",
    (False, True): "one GPU",
    (True, False): "an hour",
}


def is_rate(amount: Quantity) -> bool:
    """Whether an amount is the price of machines for a time: of an hour or a month, as it was said."""
    return amount.kind in ("money", MONEY_OTHER, "decimal") and amount.unit in _RATES


def hourly(amount: Quantity) -> bool:
    """Whether an amount may be the price of a GPU and an hour."""
    if amount.kind == "money":
        return amount.unit in ("gpu-hour", "gpu", "") and amount.value <= MOST_PER_HOUR
    return (amount.kind, amount.unit) == ("decimal", "gpu-hour") or _is_bare(amount)


def _is_bare(amount: Quantity) -> bool:
    """Whether an amount is a decimal without a unit such as prices are."""
    return amount.kind == "number" and isinstance(amount.value, float) and 1 <= amount.value <= 20 and not amount.unit


def as_quoted(amount: Quantity, catalog: Catalog, per_node: int | None) -> tuple[Quantity, str] | None:
    """What somebody asks in another currency, for a node of ``per_node`` GPUs, or by the month, in dollars for one GPU
    and an hour, and by what; ``None`` where it needs no change, or where the rate or the node is not known."""
    foreign, of_node = amount.kind == MONEY_OTHER, amount.unit in ("node-hour", "node-month")
    monthly = amount.unit in ("node-month", "gpu-month")
    rate = catalog.constants.get(f"currency-{amount.currency.lower()}") if foreign else None
    if not (foreign or of_node or monthly) or (foreign and rate is None) or (of_node and not per_node):
        return None
    shared = (per_node or 1 if of_node else 1) * (HOURS_PER_MONTH if monthly else 1.0)
    value = amount.value * (rate.value if rate else 1.0) / shared
    by = [f"{rate.value:g} {rate.note} ({rate.date})"] if rate else []
    by += [f"{per_node} GPUs a node"] if of_node else []
    by += [f"{HOURS_PER_MONTH:g} h a month"] if monthly else []
    unit = "gpu-hour" if of_node or monthly else amount.unit
    ours = replace(amount, kind="money", value=float(f"{value:.6g}"), unit=unit, currency="USD")
    return ours, " and ".join(by)


def by_the_node(
    amounts: Sequence[Quantity],
    tokens: Sequence[Token],
    gpu: Gpu | None,
    per_node: int | None,
    catalog: Catalog,
    behind: Set[int] = frozenset(),
) -> list[Quantity]:
    """The amounts; a price "per hour" with no word of what is that of a node of ``per_node`` GPUs, where for one GPU it
    is far above, or stands ``behind`` a node, and for a node is within what the lists ask."""
    listed = listed_prices(catalog, gpu.id) if gpu else []
    if not listed or not per_node or per_node < 2:
        return list(amounts)
    low, high = listed[0] / _OFF_THE_LIST, listed[-1] * _OFF_THE_LIST
    in_ours = lambda q: dollars(q, catalog).value
    is_node = lambda q, unit: (
        q.kind in ("money", MONEY_OTHER)
        and q.unit == unit
        and (in_ours(q) > high or q.start in behind)
        and low <= in_ours(q) / per_node <= high
    )
    of_nodes = lambda some, unit: [
        replace(q, unit="node-hour") if is_node(q, unit) and not _of_gpus(q, tokens) else q for q in some
    ]
    found = of_nodes(amounts, "gpu-hour")  # "$85/h a machine, or $31 for three years"
    return of_nodes(found, "") if any(q.unit == "node-hour" for q in found) else found


def listed_prices(catalog: Catalog, gpu: str) -> list[float]:
    """What anybody asks for an hour of a GPU, in dollars, the least first."""
    offers = (offer for one in catalog.providers.values() for offer in one.offers if offer.gpu == gpu)
    return sorted(price.price.si for offer in offers for price in offer.prices)


def _of_gpus(amount: Quantity, tokens: Sequence[Token]) -> bool:
    """Whether a price says that it is that of a GPU: behind it, or in the words that lead to it."""
    leads = next((n for n in range(amount.start, 0, -1) if tokens[n - 1].text in _STRONG), 0)
    said = tokens[max(leads, amount.start - _CALLED) : amount.end]
    return any(token.text.startswith("gpu") for token in said)


def guessed(amounts: Sequence[Quantity], prices: Set[float], tokens: Sequence[Token]) -> list[tuple[Quantity, str]]:
    """What was taken for granted about amounts that were taken as ``prices`` of a GPU-hour: that they are of one GPU,
    of an hour, or both."""
    gpus = {at for q in amounts if q.kind == "gpu" for at in range(q.start, q.end)}
    found: dict[int, tuple[Quantity, str]] = {}
    for amount in sorted((q for q in amounts if q.kind in _PRICED and q.value in prices), key=lambda q: q.end):
        within = range(max(0, amount.start - _CALLED), amount.end)  # "per GPU and hour they ask 2.80"
        of_gpus = gpus & {*within} or any(tokens[at].stem in _CARDS for at in within) or _of_gpus(amount, tokens)
        of_hours = amount.unit == "gpu-hour" or any(tokens[at].stem in _HOURS for at in within)
        what = _TAKEN_AS.get((bool(of_gpus), of_hours))
        found[amount.start] = (amount, what or "")
    return [(amount, what) for amount, what in found.values() if what]


def dollars(amount: Quantity, catalog: Catalog) -> Quantity:
    """An amount of another currency in dollars, where the catalog has its rate; any other amount as it is."""
    rate = catalog.constants.get(f"currency-{amount.currency.lower()}") if amount.kind == MONEY_OTHER else None
    return replace(amount, kind="money", value=float(f"{amount.value * rate.value:.6g}")) if rate else amount
