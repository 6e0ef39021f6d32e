"""What of the money of a message follows from the rest by arithmetic: the sum of a line from the price of one, a total
from its lines or from a rate and a time, a tax and what is left of a list price from a percentage. What follows from
another amount is no offer of its own, and how it follows tells for how many GPUs and how long that one is."""

from __future__ import annotations

import datetime
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, takewhile

from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH

from .offer_prices import LEAST_SUM, hourly
from .quantities import MONEY_OTHER
from .reading import Reading
from .templates import Quantity
from .text import Tokens

_MONEY = ("money", MONEY_OTHER)
_CLOSE, _LOOSE = 2e-4, 4e-3  # as shares: what may be lost by rounding, of a sum with all and with few digits
_CENT = 0.005  # what rounding takes of a price with cents
_LINES = 2  # from which on a sum is a total of lines
_MOST = 100_000  # GPUs, or pieces
_TIMES = 32  # of a message: no mail of a seller has more
_NODE = 8  # GPUs
_MONTHS = (HOURS_PER_MONTH, 720.0, 744.0)  # hours by which a month is reckoned
_MONTH_DAYS = 27.0  # from which on a time is one of months
_A_DAY, _A_YEAR = 24.0, 8760.0
_NEAR = 60  # tokens between a rate and a sum that follows from it
_BESIDE = 10  # tokens between it and one of few digits
_STRONG = frozenset(";.!?")


@dataclass(frozen=True)
class Proof:
    """How a sum follows from a rate: for how many GPUs or nodes, and how many hours."""

    count: float
    hours: float


@dataclass
class Ledger:
    """Amounts by the token that they begin at. ``follows``: the one that each follows from, or leads to: a line to its
    total, a list price to what is left of it; ``pieces``: of those the prices of one, and ``lines`` those that are in
    a total; ``proved``: the rates from which a sum follows."""

    follows: dict[int, int] = field(default_factory=dict)
    pieces: set[int] = field(default_factory=set)
    lines: set[int] = field(default_factory=set)
    proved: dict[int, Proof] = field(default_factory=dict)

    def root(self, at: int) -> int:
        """The amount that one follows from in the end."""
        seen = {at}
        while (at := self.follows.get(at, at)) not in seen:
            seen.add(at)
        return at

    @classmethod
    def of(cls, reading: Reading) -> Ledger:
        book, tokens = cls(), reading.text.tokens
        money = sorted((q for q in reading.spans if q.kind in _MONEY or hourly(q)), key=lambda q: q.end)
        money = list({q.end: q for q in money}.values())
        measured = {at for q in reading.quantities if q.kind != "number" for at in range(q.start, q.end)}
        numbers = {int(q.value) for q in reading.quantities if q.kind == "number" and q.start not in measured
                   and float(q.value).is_integer() and 1 < q.value <= _MOST}  # fmt: skip
        sums = [q for q in money if q.value >= LEAST_SUM]
        book._of_pieces(tokens, sums, numbers)
        book._of_rates(tokens, money, numbers, _days(reading))
        shares = [q for q in reading.quantities if q.kind == "percent" and 0 < q.value < 100]
        book._of_shares([q for q in money if q.kind in _MONEY], shares)
        book._of_lines([q for q in money if q.kind in _MONEY and not _is_rate(q)])
        return book

    def _of_pieces(self, tokens: Tokens, sums: Sequence[Quantity], numbers: Iterable[int]) -> None:
        """ "4 x $295,000 = $1,180,000"; of one piece both are the same."""
        for one, line in pairwise(sums):
            inside = tokens[one.end : line.start]
            if _alike(one, line) and not _STRONG.intersection(token.text for token in inside):
                alone = not any(token.is_word for token in inside)  # a line of a table with one of it
                if any(_closes(n * one.value, line.value) for n in (*([1] if alone else []), *numbers)):
                    self.follows[one.start] = line.start
                    self.pieces.add(one.start)

    def _of_rates(
        self, tokens: Tokens, money: Sequence[Quantity], numbers: Iterable[int], days: Sequence[float]
    ) -> None:
        """ "$1.89 for 64 GPUs and 2 weeks, $40,642.56 in all": of each sum the rate that stands nearest."""
        spans = {*_MONTHS, _A_YEAR, *(_A_DAY * one for one in days)}
        spans |= {round(one / DAYS_PER_MONTH) * month for one in days if one >= _MONTH_DAYS for month in _MONTHS}
        counts, hours = sorted({1, *numbers, *(_NODE * n for n in numbers)}), sorted(spans)
        for whole in (q for q in money if q.value >= LEAST_SUM and q.start not in self.follows):
            rates = [q for q in money if _is_rate(q) and q.value < whole.value and _same_money(q, whole)]
            for rate in sorted(rates, key=lambda q, at=whole.start: abs(q.start - at)):
                if abs(rate.start - whole.start) > _NEAR:
                    break
                between = tokens[min(rate.end, whole.end) : max(rate.start, whole.start)]
                if _rounding(whole.value) > _CLOSE and (len(between) > _BESIDE or whole.unit):
                    continue  # of few digits much is the product: of those only what stands beside the rate
                proof = next(_proofs(rate, whole, counts, hours), None)
                if proof:
                    self.follows[whole.start] = rate.start
                    self.proved.setdefault(rate.start, proof)
                    break

    def _of_lines(self, sums: Sequence[Quantity]) -> None:
        """Each amount that is the sum of those before it, and these; a total may be a line of the next."""
        for n, whole in enumerate(sums):
            found, rest = list[Quantity](), whole.value
            for one in reversed(sums[:n]) if whole.start not in self.follows else ():
                if one.start in self.pieces or one.start in self.lines:
                    continue
                if not _alike(one, whole) or one.value > rest * (1 + _CLOSE):
                    break
                found.append(one)
                rest -= one.value
                if len(found) >= _LINES and abs(rest) <= _CLOSE * whole.value:
                    self._close(whole, found)
                    break

    def _close(self, whole: Quantity, found: Sequence[Quantity]) -> None:
        """Takes a total; where a rate is proved by one of its lines, what is let is that, and the rest beside it."""
        rate = next((to for one in found if (to := self.follows.get(one.start)) in self.proved), None)
        if rate is not None:
            self.follows[whole.start] = rate
        self.follows |= {one.start: whole.start for one in found if one.start not in self.proved}
        self.lines |= {one.start for one in found}

    def _of_shares(self, money: Sequence[Quantity], shares: Sequence[Quantity]) -> None:
        """ "plus 19 % VAT" follows, and from "$63.30, less 38 %: $39.24" what is left: of amounts that stand near each
        other, and a share near both."""
        alike = lambda a, b: _alike(a, b) or (hourly(a) and hourly(b) and _same_money(a, b))
        behind = lambda a: takewhile(lambda b: b.start - a.end <= _NEAR, (b for b in money if b.end > a.end))
        for first, second in ((a, b) for a in money for b in behind(a) if alike(a, b)):
            if second.start in self.follows or first.start in self.follows:
                continue
            near = (q for q in shares if first.start - _NEAR <= q.start <= second.end + _NEAR)
            for share in dict.fromkeys(q.value / 100 for q in near):
                if _closes(first.value * (1 - share), second.value):
                    self.follows[first.start] = second.start
                elif _closes(first.value * share, second.value) or _closes(first.value * (1 + share), second.value):
                    self.follows[second.start] = first.start


def _days(reading: Reading) -> list[float]:
    """The times of a message, and what lies between two of its days."""
    dates = [q.value for q in reading.quantities if q.kind == "date" and isinstance(q.value, datetime.date)]
    between = [float(abs((b - a).days)) for a, b in pairwise(dates) if a != b]
    times = (float(q.value) for q in reading.quantities if q.kind == "time" and q.value > 0)
    return list(dict.fromkeys([*times, *between]))[:_TIMES]


def _is_rate(amount: Quantity) -> bool:
    return hourly(amount) or amount.unit in ("gpu-hour", "node-hour", "gpu-month", "node-month")


def _alike(one: Quantity, other: Quantity) -> bool:
    """Whether two amounts are of the same money and time."""
    time = lambda q: q.unit.rpartition("-")[2] if q.unit not in ("gpu", "node", "port") else ""
    return _same_money(one, other) and time(one) == time(other)


def _same_money(one: Quantity, other: Quantity) -> bool:
    return (one.currency or "USD") == (other.currency or "USD")


def _closes(found: float, said: float) -> bool:
    return abs(found - said) <= max(_CENT if said < LEAST_SUM else 0.0, _rounding(said) * said)


def _rounding(said: float) -> float:
    """What a sum may differ by, as it is rounded: "84k" by more than "83,865.60"."""
    digits = len(f"{said:.15g}".replace(".", "").strip("0"))
    return _LOOSE if digits <= 3 else _CLOSE


def _proofs(rate: Quantity, whole: Quantity, counts: Sequence[int], spans: Sequence[float]) -> Iterator[Proof]:
    """``counts`` and ``spans`` (hours) from the least on."""
    monthly = rate.unit.endswith("month")
    for hours in spans if rate.value > 0 else ():
        per = hours / HOURS_PER_MONTH if monthly else hours
        usual = whole.value / (rate.value * per)
        first = bisect_left(counts, usual * (1 - 2 * _LOOSE) - 1)
        for count in counts[first : bisect_right(counts, usual * (1 + 2 * _LOOSE) + 1)]:
            if (monthly and count * per <= 1) or not _closes(rate.value * count * per, whole.value):
                continue
            yield Proof(float(count), hours)
