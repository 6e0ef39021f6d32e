"""Several offers in one message, or in a pasted mail: what each network, or each provider, would cost, and what it
includes. They are prices of fabrics, not the budget."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product
from typing import Any

from assistant.vocabulary.catalog import QuoteItem
from assistant.vocabulary.quantities import DAYS_PER_MONTH
from assistant.vocabulary.utterance import Quoted

from .scopes import Reach, denial_of
from .sellers import Sellers
from .templates import Quantity
from .text import Token, cut

_MOST_PER_HOUR = 100.0  # dollars: what costs more is no price of a GPU-hour
_LEAST_SUM = 1000.0  # dollars: what costs less is no price of a cluster
_FAR = 14  # tokens between a sum and who asks for it
_STRONG, _WEAK = frozenset(";.!?"), frozenset({",", "and", "&", "or", "while", "but", "vs", "versus", "against", "/"})
_OF_ALL = frozenset({",", ".", ";", ":", "both", "all", "each", "either"})  # before a term that is that of every offer
_LEADS_TO = frozenset({":", "-", "=", "@", "at", "for"})  # between the term and the price of one line of a list
_COMES_TO = frozenset({"to", "at", "for", "wants", "asks"})
_MOST_CUTS = 4096  # ways to part a message that are tried
_OF_ONE = ("fabric", "provider", "oversubscription", "nics_per_node")
_TERM_DAYS = (27.0, 2000.0)  # what is shorter or longer is no term of a rental


@dataclass(frozen=True)
class Priced:
    """A name that may have a price: a fabric or a provider, and where it stands (tokens)."""

    id: str
    start: int
    end: int


@dataclass(frozen=True)
class Cabled:
    """What is said of how a network is built: the field of a quote that tells it, its value, where it begins and ends
    (tokens)."""

    field: str
    value: float
    start: int
    end: int


@dataclass(frozen=True)
class Message:
    """What offers are looked for in: its tokens, amounts, names and denials, what is said of how networks are built,
    whether it speaks of offers, whether others are known, the price of the one that is told alone, the days from today
    until a date, and what was typed for some tokens. ``every``: amounts of others and of the past too."""

    tokens: Sequence[Token]
    quantities: Sequence[Quantity]
    fabrics: Sequence[Priced]
    providers: Sequence[Priced]
    denials: Sequence[Reach]
    cabled: Sequence[Cabled]
    of_offers: bool
    beside_others: bool
    alone: float | None
    every: Sequence[Quantity]
    days_until: Callable[[Any], float]
    typed: Callable[[int, int], str]

    @property
    def of_one(self) -> bool:
        """Whether no two sellers and no two networks are named."""
        return max(len({name.id for name in names}) for names in (self.providers, self.fabrics)) < 2

    @property
    def times(self) -> list[Quantity]:
        """What is said of how long something takes."""
        return [q for q in self.quantities if q.kind == "time"]

    @property
    def money(self) -> list[Quantity]:
        """What is said in dollars, of the offers or not."""
        return [q for q in self.every if q.kind == "money"]


def _before_all(message: Message, term: Quantity, price: Quantity, first: int) -> bool:
    """Whether a time stands in a clause before the offers and so is of none of them: "rents for three months, has two
    quotes: A 2.35 …"; not in a list: "1 month: $2.85"."""
    named = any(first <= name.start < term.start for name in (*message.fabrics, *message.providers))
    between = message.tokens[term.end : price.start]
    listed = all(token.text in _LEADS_TO for token in between)
    return not (named or listed) and term.end <= price.start and any(token.text in ",.;:" for token in between)


class Offers:
    """Reads offers; ``items``: what one may include, with the words for it; ``words``: those by which an amount is no
    offer (``on_top``, ``paid`` without ``might``), or an item is not in its price (``beside``)."""

    def __init__(self, items: Mapping[str, QuoteItem], words: Mapping[str, str]) -> None:
        self._on_top, self._paid, self._might, self._beside = (
            frozenset(words[name].split()) for name in ("on_top", "paid", "might", "beside")
        )
        self.sellers = Sellers(words)
        self._items = [
            (id, tuple(t.stem for t in cut(word) if t.text != "-")) for id, item in items.items() for word in item.words
        ]

    def read(self, message: Message) -> tuple[list[Quoted], Set[int], list[Quantity]]:
        """The offers of a message, the tokens that tell of them and the amounts that belong to them; none where there
        are fewer than two different ones, but for one more beside those that are known."""
        apart = list(self.sellers.apart(message.tokens, message.money))
        beside = {amount.start for _, _, amount in apart}
        usable = (q for q in message.quantities if q.start not in beside)
        prices = _prices(message, [q for q in usable if not self._no_offer(q, message.tokens)])
        one_more = message.beside_others and len(prices) == len({p.id for p in message.providers}) == 1
        one_more = one_more or [price.value for price in prices] == [message.alone]
        if len(prices) < 2 and not one_more:
            return [], frozenset(), []
        untold = {at for first, last, _ in apart for at in range(first, last)}
        found: list[Quoted] = []
        places: list[tuple[int, int]] = []  # where each is told
        taken, amounts = {at for p in (*prices, *message.cabled) for at in range(p.start, p.end)}, list(prices)
        for price, (first, last) in zip(prices, _parted(message, prices), strict=True):
            fabric, provider = (_one(names, first, last) for names in (message.fabrics, message.providers))
            said = {id: span for id, span in self._said(message, first, last).items() if span[0] not in untold}
            term = self._term(message, first, last, said)
            if fabric is None and provider is None:
                months = term and round(term.value / DAYS_PER_MONTH, 1)
                if found and term and months != found[-1].months and message.of_one:
                    # "$2.35 on one month, $2.09 on three": the same on another term
                    found.append(replace(found[-1], gpu_hour_usd=float(price.value), usd=None, months=months))
                    places.append((first, last))
                    amounts.append(term)
                    taken |= set(range(term.start, term.end))
                continue
            delivery = _beside(message, said.get("lead-time"))
            delivery = delivery or self.sellers.there_in(message.tokens, message.times, first, last)
            own = term if term and not _before_all(message, term, price, first) else None
            built, months = _built(message, price, first, last), own and round(own.value / DAYS_PER_MONTH, 1)
            told = {"oversubscription", "term"} | ({"lead-time"} if delivery else set())
            if "oversubscription" in said:
                built.setdefault("oversubscription", 1.0)
            whole = price.value > _MOST_PER_HOUR
            monthly = 1.0 if whole and price.unit == "month" else None
            places.append((first, last))
            found.append(
                Quoted(
                    fabric,
                    provider,
                    gpu_hour_usd=None if whole else float(price.value),
                    usd=float(price.value) * (months or 1.0 if monthly else 1.0) if whole else None,
                    months=months or monthly,
                    delivery_days=delivery and delivery.value,
                    includes=tuple(item for item in said if item not in told),
                    **built,
                )
            )
            amounts += [one for one in (own, delivery) if one]
            taken |= {at for at in range(first, last) if any(at in range(*span) for span in said.values())}
            taken |= {at for one in (own, delivery) if one for at in range(one.start, one.end)}
            if own and price is prices[-1] and message.tokens[own.start - 1].text in _OF_ALL:
                found = [one if one.months or one.usd else replace(one, months=months) for one in found]
        if len({(offer.fabric, offer.provider, offer.months) for offer in found}) < 2 and not one_more:
            return [], frozenset(), []
        same, sellers = _on_terms(message, found), {offer.provider for offer in found}
        several = len(sellers) > 1 or None in sellers
        if len(found) > 1 and same is found and several:  # each says itself what it takes beside its price
            found, told = self._of_each(message, found, places, apart), []
        else:
            found, told = self._of_all(message, same, apart)
        spans = [*((first, last) for first, last, _ in apart), *((one.start, one.end) for one in told)]
        taken |= {at for first, last in spans for at in range(first, last)}
        return found, frozenset(taken), [*amounts, *told, *(amount for _, _, amount in apart)]

    def _of_all(
        self, message: Message, found: list[Quoted], apart: list[tuple[int, int, Quantity]]
    ) -> tuple[list[Quoted], list[Quantity]]:
        """The offers with what is said once for all that one seller offers: the least time, the day from which on, what
        is paid apart; and the amounts that tell of it."""
        least = self.sellers.least_time(message.tokens, message.times, 0, len(message.tokens))
        since = self.sellers.there_from(message.tokens, [q for q in message.quantities if q.kind == "date"])
        once, note = self._apart(message, apart)
        if least and any(least.value <= DAYS_PER_MONTH * (one.months or 0.0) for one in found):
            told = f"smallest term said: {message.typed(least.start, least.end)}, each price counted for its own term"
            note = "; ".join(text for text in (note, told) if text)
        days = message.days_until(since.value) if since else None
        same = [
            replace(
                one,
                note=note,
                minimum_days=float(least.value)
                if least and least.value > DAYS_PER_MONTH * (one.months or 0.0)
                else None,
                delivery_days=one.delivery_days if days is None else days,
                once_usd=once,
            )
            for one in found
        ]
        return same, [one for one in (least, since) if one]

    def _apart(self, message: Message, apart: list[tuple[int, int, Quantity]]) -> tuple[float | None, str]:
        """What is paid once beside the price, in dollars, and a note of what is in no sum."""
        once = {q.start: float(q.value) for _, _, q in apart if self.sellers.is_once(message.tokens, q)}
        rest = [span for *span, amount in apart if amount.start not in once]
        notes = dict.fromkeys(message.typed(first, last).strip(" ,;:-\n") for first, last in rest)
        return sum(once.values()) or None, f"not in the sum: {', '.join(notes)}" if notes else ""

    def _of_each(
        self,
        message: Message,
        found: list[Quoted],
        places: list[tuple[int, int]],
        apart: list[tuple[int, int, Quantity]],
    ) -> list[Quoted]:
        """The offers, each with what is paid apart of it alone."""
        told = []
        for offer, (start, end) in zip(found, places, strict=True):
            once, note = self._apart(message, [one for one in apart if start <= one[2].start < end])
            told.append(replace(offer, once_usd=once, note=note))
        return told

    def _no_offer(self, quantity: Quantity, tokens: Sequence[Token]) -> bool:
        """Whether an amount comes on top of a price, as in "8 cents more an hour", or is what is paid already."""
        near = tokens[max(0, quantity.start - 2) : quantity.end + 2]
        before = [token.text for token in tokens[max(0, quantity.start - 4) : quantity.end]]
        paid = not self._paid.isdisjoint(before) and self._might.isdisjoint(before)  # "they would pay 2.10 at Together"
        return paid or any(token.text in self._on_top for token in near)

    def _said(self, message: Message, first: int, last: int) -> dict[str, tuple[int, int]]:
        """What is said to be in the price, and where."""
        places = [at for at in range(first, last) if message.tokens[at].text != "-"]
        stems = [message.tokens[at].stem for at in places]
        found: dict[str, tuple[int, int]] = {}
        for id, words in self._items:
            for n in range(len(places) - len(words) + 1):
                if tuple(stems[n : n + len(words)]) != words:
                    continue
                at, end = places[n], places[n + len(words) - 1] + 1
                if {token.text for token in message.tokens[end : end + 2]} & self._beside:
                    continue
                if denial_of(message.denials, at, end, frozenset(range(at, end))) is None:
                    found.setdefault(id, (at, end))
        return found

    def _term(self, message: Message, first: int, last: int, said: Mapping[str, tuple[int, int]]) -> Quantity | None:
        """The time for which it is rented; a time beside what else is said, such as a lead time, is that."""
        beside = {at for id, (start, end) in said.items() if id != "term" for at in range(start, end + 3)}
        shortest, longest = _TERM_DAYS
        times = (q for q in message.times if first <= q.start and q.end <= last)
        times = (q for q in times if not self.sellers.is_least(message.tokens, q))
        times = (q for q in times if self.sellers.there_in(message.tokens, [q], first, last) is None)
        return next((q for q in times if shortest <= q.value <= longest and q.start not in beside), None)


def _on_terms(message: Message, found: list[Quoted]) -> list[Quoted]:
    """One seller's prices for several terms are of the same machines: what is told once is told of all."""
    if not message.of_one or len({one.months for one in found} - {None}) < len(found):
        return found
    told: dict[str, Any] = {part: next(filter(None, (getattr(one, part) for one in found)), None) for part in _OF_ONE}
    told["includes"] = tuple(dict.fromkeys(item for one in found for item in one.includes))
    return [replace(one, **told) for one in found]


def _beside(message: Message, said: tuple[int, int] | None) -> Quantity | None:
    """The time that stands right after what is said, or before it: "lead time 6 weeks", "6 weeks lead time"."""
    if said is None:
        return None
    start, end = said
    times = [q for q in message.quantities if q.kind == "time"]
    after = (q for q in times if end <= q.start <= end + 2)
    return next(after, None) or next((q for q in times if start - 1 <= q.end <= start), None)


def _prices(message: Message, quantities: Sequence[Quantity]) -> list[Quantity]:
    """Prices per GPU-hour; beside one of these, small sums and decimals without a unit are prices as well, and sums
    where somebody asks for them."""
    money = [q for q in quantities if q.kind == "money"]  # what is paid apart is none of these
    small = [q for q in money if q.unit in ("gpu-hour", "") and q.value <= _MOST_PER_HOUR]
    small += [q for q in quantities if (q.kind, q.unit) == ("decimal", "gpu-hour") and q.value <= _MOST_PER_HOUR]
    sums = [q for q in money if q.unit in ("month", "") and q.value >= _LEAST_SUM and _asked_for(q, message, money)]
    taken = {at for q in small for at in range(q.start, q.end)}
    bare = [
        q
        for q in quantities
        if q.kind == "number"
        and isinstance(q.value, float)
        and 1 <= q.value <= 20
        and not q.unit
        and q.start not in taken
    ]
    sellers, networks = ({name.id for name in names} for names in (message.providers, message.fabrics))
    each = len(bare) == len(sellers) == len(networks)  # "Lambda says 2.49 with InfiniBand, Crusoe 2.10 RoCE"
    by_some = (message.of_offers or each) and len(sellers) > 1
    at_most = [] if not message.beside_others or small else [q for q in bare if _goes_to(message.tokens, q)]
    return sorted([*small, *(bare if small or by_some else at_most), *sums], key=lambda q: q.start)


def _goes_to(tokens: Sequence[Token], price: Quantity) -> bool:
    """ "If I negotiate Lambda down to 2.10": beside quotes that are known, a decimal to which somebody comes."""
    return price.start > 0 and tokens[price.start - 1].text in _COMES_TO


def _asked_for(price: Quantity, message: Message, money: Sequence[Quantity]) -> bool:
    """Whether a name that may ask for a sum stands before it, with no other price and no end of a sentence between."""
    names = message.providers if not message.of_offers else [*message.providers, *message.fabrics]
    for name in names:
        low, high = sorted((name.end, price.start))
        between = message.tokens[low:high]
        if name.start > price.start and not message.of_offers:
            continue
        if high - low <= _FAR and not any(t.text in _STRONG for t in between):
            return not any(low <= other.start < high for other in money if other is not price)
    return False


def _parted(message: Message, prices: Sequence[Quantity]) -> list[tuple[int, int]]:
    """The stretch of the message that belongs to each price: parted where no stretch has two of a kind, every one has
    what it needs, and at the end of a sentence or a line rather than at a comma."""
    gaps = [list(_cuts(message.tokens, a.end, b.start)) for a, b in pairwise(prices)]

    def stretches(cuts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        edges = [0, *(at for at, _ in cuts), len(message.tokens)]
        return list(pairwise(edges))

    def cost(cuts: Sequence[tuple[int, int]]) -> tuple[int, int, int, int]:
        several = missing = 0
        for first, last in stretches(cuts):
            counts = [len({n.id for n in names if first <= n.start < last})
                      for names in (message.fabrics, message.providers)]  # fmt: skip
            several += sum(count > 1 for count in counts)
            missing += sum(count == 0 for count in counts)
        # What follows a price is more often of the same offer than of the next.
        return several, missing, -sum(strength for _, strength in cuts), -sum(at for at, _ in cuts)

    tried = min(_MOST_CUTS, 16 * _MOST_CUTS // max(1, len(prices)) ** 2)  # all for four prices, fewer for a long list
    return stretches(min(islice(product(*gaps), max(1, tried)), key=cost))


def _cuts(tokens: Sequence[Token], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Where two offers may be parted, and how strongly: an empty line, a sentence or a line, a comma, nothing."""
    for at in range(first, last):
        if tokens[at].text in _STRONG:
            yield at, 3 if at + 1 < last and tokens[at + 1].text == ";" else 2
        elif tokens[at].text in _WEAK:
            yield at, 1
    yield first, 0
    yield last, 0


def _built(message: Message, price: Quantity, first: int, last: int) -> dict[str, Any]:
    """What the stretch of a price says of how its network is built; a sentence before any of its names and its price is
    one of the job."""
    begins = min([price.start, *(n.start for n in (*message.fabrics, *message.providers) if first <= n.start < last)])
    own = (c for c in message.cabled if first <= c.start < last)
    own = [c for c in own if not any(t.text in _STRONG for t in message.tokens[c.end : begins])]
    return {one.field: one.value for one in reversed(own)}


def _one(names: Sequence[Priced], first: int, last: int) -> str | None:
    """The first of the names in a stretch."""
    return next((name.id for name in names if first <= name.start < last), None)
