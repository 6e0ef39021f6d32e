"""A message in which offers are looked for: its amounts and names, and which stretch of it belongs to which price."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice, pairwise, product
from typing import Any

from .scopes import Reach
from .sections import Section
from .templates import Quantity
from .text import Token, Tokens

_STRONG, _WEAK = frozenset(";.!?"), frozenset({",", "and", "&", "or", "while", "but", "vs", "versus", "against", "/"})
UNNAMED = ""  # the name of a seller who is told apart from those that are named: "a reseller"
_MOST_CUTS = 4096  # ways to part a message that are tried


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
    until a date, and what was typed for some tokens. ``every``: amounts of others and of the past too; ``changed``: how
    an amount became one in dollars, or of one GPU, by the token at which it begins; ``sections``: the parts that are a
    quote each; ``closings``: where a "Kind regards" may end it; ``job``: the tokens of clauses that are of the job."""

    tokens: Tokens
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
    changed: Mapping[int, str] = field(default_factory=dict)
    sections: Sequence[Section] = ()
    closings: Sequence[int] = ()
    job: Set[int] = frozenset()

    @property
    def of_one(self) -> bool:
        """Whether no two sellers and no two networks are named."""
        return max(len({name.id for name in names}) for names in (self.providers, self.fabrics)) < 2

    def section_of(self, at: int) -> Section | None:
        """The part in which a token stands."""
        return next((part for part in self.sections if part.has(at)), None)

    @property
    def names_apart(self) -> bool:
        """Whether a seller is named in the part of one quote: what is unnamed in another is not that one's. Who signs
        one mail with several quotes stands behind the last of them and makes all."""
        return any(self.section_of(name.start) for name in self.providers if not self.signs(name))

    def signs(self, name: Priced) -> bool:
        """Whether a name stands under the mail; of several that are pasted, each with its own end, none does so for
        all. What stands before any price ("thanks for the call") ends none."""
        return len(self._ends) == 1 and name.start > self._ends[0]

    @cached_property
    def _ends(self) -> list[int]:
        """Where the mails end."""
        first = min((q.start for q in self.money), default=0)
        return [at for at in self.closings if at > first]

    @property
    def times(self) -> list[Quantity]:
        """What is said of how long something takes, and is not told of the job."""
        return [q for q in self.quantities if q.kind == "time" and q.start not in self.job]

    @property
    def dates(self) -> list[Quantity]:
        """The days that are named."""
        return [q for q in self.quantities if q.kind == "date"]

    @property
    def money(self) -> list[Quantity]:
        """What is said in dollars, of the offers or not."""
        return [q for q in self.every if q.kind == "money"]

    @property
    def payable(self) -> list[Quantity]:
        """What is said in dollars, or as a share of a price."""
        return [q for q in self.every if q.kind in ("money", "percent")]


def parted(message: Message, prices: Sequence[Quantity]) -> list[tuple[int, int]]:
    """The stretch of the message that belongs to each price: parted where no stretch has two of a kind, every one has
    what it needs, and at the end of a sentence or a line rather than at a comma; never across what opens a quote."""
    gaps = [
        _opened(message, a.end, b.start) or list(_cuts(message.tokens, a.end, b.start)) for a, b in pairwise(prices)
    ]

    def stretches(cuts: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        edges = [0, *(at for at, _ in cuts), len(message.tokens)]
        return [_within(message, price, *edge) for price, edge in zip(prices, pairwise(edges), strict=True)]

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


def _opened(message: Message, first: int, last: int) -> list[tuple[int, int]]:
    """Where the quote of the second of two prices is opened, if it is another one."""
    return [(part.start, 0) for part in message.sections if first <= part.start <= last][:1]


def _within(message: Message, price: Quantity, first: int, last: int) -> tuple[int, int]:
    """A stretch as far as it belongs to the quote in which its price stands."""
    part = message.section_of(price.start)
    return (max(first, part.start), min(last, part.end)) if part else (first, last)


def _cuts(tokens: Sequence[Token], first: int, last: int) -> Iterator[tuple[int, int]]:
    """Where two offers may be parted, and how strongly: an empty line, a sentence or a line, a comma, nothing."""
    for at in range(first, last):
        if tokens[at].text in _STRONG:
            yield at, 3 if at + 1 < last and tokens[at + 1].text == ";" else 2
        elif tokens[at].text in _WEAK:
            yield at, 1
    yield first, 0
    yield last, 0


def built_of(message: Message, price: Quantity, first: int, last: int) -> dict[str, Any]:
    """What the stretch of a price says of how its network is built; a sentence before any of its names and its price is
    one of the job."""
    begins = min([price.start, *(n.start for n in (*message.fabrics, *message.providers) if first <= n.start < last)])
    own = (c for c in message.cabled if first <= c.start < last)
    if message.alone is not None:  # a mail is about nothing else
        return {one.field: one.value for one in reversed(list(own))}
    own = [c for c in own if not any(t.text in _STRONG for t in message.tokens[c.end : begins])]
    return {one.field: one.value for one in reversed(own)}


def one_of(names: Sequence[Priced], first: int, last: int) -> str | None:
    """The first of the names in a stretch."""
    return next((name.id for name in names if first <= name.start < last), None)


def gpu_of(message: Message, price: Quantity, first: int, last: int) -> str | None:
    """The GPU that a price is for, where a message names several: the last one before it in its stretch, else the one
    of its sentence behind it."""
    named = [q for q in message.quantities if q.kind == "gpu" and isinstance(q.value, str)]
    if len({q.value for q in named}) < 2:
        return None
    before = [q.value for q in named if first <= q.start < price.start]
    behind = (q for q in named if price.end <= q.start < last)
    own = (q.value for q in behind if not any(t.text in _STRONG for t in message.tokens[price.end : q.start]))
    return before[-1] if before else next(own, None)
