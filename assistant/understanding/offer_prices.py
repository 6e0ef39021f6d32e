"""Which amounts of a message are prices of an offer: of a GPU-hour, or of all that somebody asks for."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace

from assistant.vocabulary.catalog import Catalog, Gpu
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .offer_message import Message
from .quantities import MONEY_OTHER
from .templates import Quantity
from .text import Token

MOST_PER_HOUR = 100.0  # dollars: what costs more is no price of a GPU-hour
LEAST_SUM = 1000.0  # dollars: what costs less is no price of a cluster
_RATES = frozenset({"gpu-hour", "node-hour", "gpu-month", "node-month", "month"})
_OFF_THE_LIST = 1.5  # times the dearest, or below the cheapest, price of a list: no price of that
_CALLED = 5  # tokens between a sum and the word that calls it the total
_FAR = 14  # tokens between a sum and who asks for it
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
_BY, _NEXT = frozenset({"with", "at", "from", "by"}), 3  # between a sum and who asks for it, behind it: tokens
_COMES_TO = frozenset({"to", "at", "for", "wants", "asks"})


def is_rate(amount: Quantity) -> bool:
    """Whether an amount is the price of machines for a time: of an hour or a month, as it was said."""
    return amount.kind in ("money", MONEY_OTHER, "decimal") and amount.unit in _RATES


def hourly(amount: Quantity) -> bool:
    """Whether an amount may be the price of a GPU and an hour."""
    if amount.kind == "money":
        return amount.unit in ("gpu-hour", "gpu", "") and amount.value <= MOST_PER_HOUR
    return (amount.kind, amount.unit) == ("decimal", "gpu-hour") or _is_bare(amount)


def is_sum(amount: Quantity) -> bool:
    """Whether an amount may be the price of a cluster, whole or by the month."""
    return amount.kind == "money" and amount.unit in ("month", "") and amount.value >= LEAST_SUM


def may_be_asked(amount: Quantity) -> bool:
    """Whether an amount may be a price of machines as it was said, in whatever currency: a rate, or a sum as large, or
    as small, as one."""
    if is_rate(amount) or hourly(amount):
        return True
    whole = amount.kind in ("money", MONEY_OTHER) and not amount.unit
    return whole and not MOST_PER_HOUR < amount.value < LEAST_SUM


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
    offers = (offer for one in catalog.providers.values() for offer in one.offers if gpu and offer.gpu == gpu.id)
    listed = sorted(price.price.si for offer in offers for price in offer.prices)
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


def prices_of(message: Message, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Prices per GPU-hour; beside one of these, small sums and decimals without a unit are prices as well, and sums
    where somebody asks for them."""
    money = [q for q in quantities if q.kind == "money"]  # what is paid apart is none of these
    if message.alone and message.alone > MOST_PER_HOUR:  # of the sums of a purchase the one that is asked for
        return [q for q in money if q.value == message.alone][:1]
    small = [q for q in money if hourly(q)]
    small += [q for q in quantities if (q.kind, q.unit) == ("decimal", "gpu-hour") and q.value <= MOST_PER_HOUR]
    told = {part.start for q in small if (part := message.section_of(q.start))}  # parts with a price of a GPU-hour
    in_part = lambda q: (part := message.section_of(q.start)) is not None and part.start not in told
    sums = [q for q in money if is_sum(q) and (in_part(q) or _asked_for(q, message, money))]
    taken = {at for q in small for at in range(q.start, q.end)}
    bare = [q for q in quantities if _is_bare(q) and q.start not in taken]
    sellers, networks = ({name.id for name in names} for names in (message.providers, message.fabrics))
    each = len(bare) == len(sellers) == len(networks)  # "Lambda says 2.49 with InfiniBand, Crusoe 2.10 RoCE"
    behind = [q for q in bare if any(name.end <= q.start <= name.end + 1 for name in message.providers)]
    by_some = (message.of_offers or each or len(behind) > 1) and max(len(sellers), len(networks)) > 1
    at_most = [] if not message.beside_others or small else [q for q in bare if _goes_to(message.tokens, q)]
    return sorted([*small, *(bare if small or by_some else at_most), *sums], key=lambda q: q.start)


def asked_in_all(tokens: Sequence[Token], amounts: Sequence[Quantity], words: Set[str]) -> float | None:
    """The sum that a seller asks for all of it: the one that is called so (``words``: "total", "turnkey price"), else
    the only one."""
    sums = [q for q in amounts if q.kind == "money" and not q.unit and q.value >= LEAST_SUM]
    called = {q.value for q in sums if any(t.text in words for t in tokens[max(0, q.start - _CALLED) : q.start])}
    found = called or {q.value for q in sums}
    return found.pop() if len(found) == 1 else None


def _goes_to(tokens: Sequence[Token], price: Quantity) -> bool:
    """ "If I negotiate Lambda down to 2.10": beside quotes that are known, a decimal to which somebody comes."""
    return price.start > 0 and tokens[price.start - 1].text in _COMES_TO


def _asked_for(price: Quantity, message: Message, money: Sequence[Quantity]) -> bool:
    """Whether a name that may ask for a sum stands before it, with no other price and no end of a sentence between."""
    names = message.providers if not message.of_offers else [*message.providers, *message.fabrics]
    for name in names:
        low, high = sorted((name.end, price.start))
        between = message.tokens[low:high]
        asked_by = (
            price.unit == "month" and message.tokens[name.start - 1].text in _BY
        )  # "$120,000 a month with Lambda"
        if name.start > price.start and not (message.of_offers or (asked_by and name.start - price.end < _NEXT)):
            continue
        near = high - low <= _FAR and not any(t.text in _STRONG for t in between)
        if near and not any(low <= other.start < high for other in money if other is not price):
            return True
    return False
