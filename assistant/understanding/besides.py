"""What an offer says beside its price: the least time, from when on the machines are there, and what is paid apart."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from operator import itemgetter
from typing import Any

from .templates import Quantity
from .text import Token, Tokens, clause_of, clauses, cut, stem

OFFERED = frozenset(map(stem, ("quote", "quoted", "quotation", "offer", "offers", "asks")))
_FEES = frozenset({"fee", "fees"})
_MORE = frozenset({"plus", "+"})  # begins what is paid besides
_NEAR = 3  # tokens between a time and what says that it is the least
_SELLS = 2  # words of a seller from which on a message is one's
_MOST_PLAIN = 1  # words in small letters of a line that is part of a signature: "Dana of"
_ABBREVIATED = 4  # letters: "zzgl. 19 %"
_ENDS = frozenset(";.!?,")


class Besides:
    """``words``: those of ``apart`` (what is paid beside the machines; what a price may include is so with one of
    ``on_top``, and neither is with one of ``within``), ``once`` and ``once_said`` (of that, once), ``least``, ``there``
    (from when on), ``says`` (what a seller does with a price) and ``ours`` (an amount is what we may spend);
    ``devices``: names of switches, which are told as they are written; ``items``: the stems of what a price may
    include."""

    def __init__(
        self, words: Mapping[str, Any], devices: Iterable[str] = (), items: Sequence[tuple[str, ...]] = ()
    ) -> None:
        self._apart, self._once, self._least, self._there, self._ours, self._sells = (
            frozenset(words[name].split()) for name in ("apart", "once", "least", "there", "ours", "sells")
        )
        self._besides, self.total, self._says, self._on_top, self._within = (
            frozenset(words[name].split()) for name in ("besides", "total", "says", "on_top", "within")
        )
        self._closes, self._closes_line, self._titles, self._firm = (
            frozenset(words[name].split()) for name in ("closes", "closes_line", "titles", "firm")
        )
        self._strangers, self._called, self._unlike = (
            frozenset(words[name].split()) for name in ("strangers", "called", "unlike")
        )
        self.at = frozenset(words["supposed_at"].split())
        self._strangers_said = [tuple(said.split()) for said in words["strangers_said"]]
        self._without = frozenset(words["without"].split())  # "$2.49 no setup" is a price
        self._items, self._once_said = items, [tuple(t.text for t in cut(said)) for said in words["once_said"]]
        self._phrases = [tuple(t.text for t in cut(said)) for said in (*words["besides_said"], *devices)]
        self._at_once = {tuple(said.split()): float(days) for said, days in words["at_once"].items()}

    def sells(self, tokens: Tokens) -> bool:
        """Whether a message has the words of one who sells: two of them are no accident."""
        return len({token.text for token in tokens} & self._sells) >= _SELLS

    def signed(
        self, tokens: Tokens, typed: Callable[[int, int], str], known: Set[int]
    ) -> tuple[int, int, tuple[int, int] | None]:
        """Where the mail before a mail ends, and where it does itself, at the last "Kind regards"; and where the name
        of the firm stands under it: the last run of words that are written as names, where a person is named before it,
        or where it is called a firm."""
        alone = lambda at: 0 < at < len(tokens) - 1 and {tokens[at - 1].text, tokens[at + 1].text} <= _ENDS
        ends = [*tokens.places(self._closes), *filter(alone, tokens.places(self._closes_line))]
        *before, close = [-1, *sorted(ends)] if ends else [-1, len(tokens)]
        is_name = lambda at: (tokens[at].is_word and tokens[at].text not in self._titles and at not in known
                              and typed(at, at + 1)[0].isupper())  # fmt: skip
        runs: list[tuple[int, int]] = []
        for first, last in clauses(tokens, close + 1, len(tokens), _ENDS | {"(", ")"}):
            small = sum(tokens[at].is_word and typed(at, at + 1)[0].islower() for at in range(first, last))
            if runs and small > _MOST_PLAIN:  # the mail is over: what follows is ours
                break
            named = [at for at in range(first, last) if is_name(at)]
            runs += [(named[0], next((n for n in range(named[0], last) if not is_name(n)), last))] if named else []
        firm = bool(runs) and tokens.has(self._firm, *runs[-1])
        return before[-1], close, runs[-1] if len(runs) > 1 or firm else None

    def stranger(self, tokens: Tokens, first: int, price: Quantity) -> bool:
        """Whether somebody is told behind a place who asks a price, and is none of those that are named: "a reseller",
        "another provider", "the other one"."""
        last = clause_of(tokens, price.start, price.end)[1]
        said = any(tokens.says(said, first, last) for said in self._strangers_said)
        called = any(
            tokens.has(self._unlike, max(first, at - _NEAR), at) for at in tokens.places(self._called, first, last)
        )
        return said or called or tokens.has(self._strangers, first, last)

    def strangers(self, tokens: Tokens) -> set[int]:
        """The words that tell of somebody who is none of those that are named."""
        said = [(at, len(said)) for said in self._strangers_said for at in tokens.phrases(said, 0, len(tokens))]
        return {n for at, size in said for n in range(at, at + size)} | {*tokens.places(self._strangers)}

    def besides(self, tokens: Tokens) -> Iterator[tuple[int, int]]:
        """The clauses that say something of the offer that is no sum: a deposit, taxes, a discount."""
        at, phrases = 0, [phrase for phrase in self._phrases if tokens.says(phrase, 0, len(tokens))]
        while at < len(tokens):
            end = next((n for n in range(at, len(tokens)) if _parts_a_clause(tokens, n)), len(tokens))
            if self._is_besides(tokens, at, end, phrases):
                yield at, end
            at = end + 1

    def _is_besides(self, tokens: Tokens, first: int, last: int, phrases: Iterable[Sequence[str]]) -> bool:
        """Whether something is said of an offer that is no sum of it, and is nothing of ours."""
        known = tokens.has(self._besides, first, last) or any(tokens.says(phrase, first, last) for phrase in phrases)
        return known and not tokens.has(self._ours, first, last)

    def least_time(self, tokens: Tokens, times: Sequence[Quantity]) -> Quantity | None:
        """The least time for which is paid, among some times."""
        return next((q for q in times if self.is_least(tokens, q)), None)

    def is_least(self, tokens: Tokens, time: Quantity) -> bool:
        """Whether a time is said to be the least: "minimum term one week", "one week minimum", "at least 7 days"."""
        before, after = tokens[max(0, time.start - _NEAR) : time.start], tokens[time.end : time.end + 1]
        cut = max((n for n, token in enumerate(before, 1) if token.text in _ENDS), default=0)
        return any(token.text in self._least for token in (*before[cut:], *after))

    def there_from(self, tokens: Tokens, dates: Sequence[Quantity]) -> Quantity | None:
        """The day from which on the machines are there: "available from 5 December"."""
        for date in dates:
            first, _ = clause_of(tokens, date.start, date.end)
            if isinstance(date.value, datetime.date) and tokens.has(self._there, first, date.start):
                return date
        return None

    def lasting(self, dates: Sequence[Quantity]) -> tuple[Quantity, Quantity] | None:
        """The first and the last day of a window that is let: "from 1 December to 29 December"."""
        days = [q for q in dates if isinstance(q.value, datetime.date)]
        near = (pair for pair in pairwise(days) if 0 < pair[1].start - pair[0].end <= _NEAR)
        return next((pair for pair in near if pair[0].value < pair[1].value), None)

    def there_in(self, tokens: Tokens, times: Sequence[Quantity], own: Set[int]) -> Quantity | None:
        """The time after which the machines are there: one of ``times``, or what some tokens say: "delivery in 4
        weeks", "available in 10 days", "ready tomorrow"."""
        for time in times:
            start, end = clause_of(tokens, time.start, time.end)
            around = tokens.has(self._there, start, time.start) or tokens.has(self._there, time.end, end)
            if around and not self.is_least(tokens, time):
                return time
        return next(self._soon(tokens, own), None)

    def _soon(self, tokens: Tokens, own: Set[int]) -> Iterator[Quantity]:
        said = [(at, at + len(said), days) for said, days in self._at_once.items()
                for at in tokens.phrases(said, 0, len(tokens)) if at in own]  # fmt: skip
        for at, end, days in sorted(said, key=itemgetter(0)):
            if tokens.has(self._there, *clause_of(tokens, at, end)):
                yield Quantity("time", days, at, end)

    def apart(self, tokens: Tokens, money: Sequence[Quantity]) -> Iterator[tuple[int, int, Quantity]]:
        """The clauses with an amount that is paid beside the machines, such as a setup fee, and that amount."""
        for amount in money:
            first, last = _paid_for(tokens, amount)
            ours = tokens.has(self._ours, first, last)
            if amount.unit != "gpu-hour" and not ours and self._is_apart(tokens, amount, first, last):
                yield first, last, amount

    def _is_apart(self, tokens: Tokens, amount: Quantity, first: int, last: int) -> bool:
        """Whether a clause says what an amount is paid for beside the machines: by a word of that; by what a price may
        include, on top; or as paid once, where it is not the price of all. A share is always on top of something."""
        on_top = tokens.has(self._on_top, first, last)
        if amount.kind == "percent" and (not on_top or self._is_besides(tokens, first, last, self._phrases)):
            return False
        outside = lambda at: not self._is_within(tokens, amount, at) and tokens[at - 1].text not in self._without
        named = (
            self._apart - _FEES if amount.unit.endswith("month") else self._apart
        )  # "a monthly fee of $98,000" is a price
        if any(map(outside, tokens.places(named, first, last))):
            return True
        if on_top and any(tokens.says(item, first, last, stems=True) for item in self._items):
            return True
        return self._is_said_once(tokens, first, last) and not tokens.has(self.total, first, last)

    def _is_within(self, tokens: Tokens, amount: Quantity, at: int) -> bool:
        """Whether what a word names is said to be in a price: "$400,000 with installation", "installation included"."""
        return tokens.has(self._within, amount.end, at) or tokens.has(self._within, at + 1, at + 2)

    def _is_said_once(self, tokens: Tokens, first: int, last: int) -> bool:
        return any(tokens.says(said, first, last) for said in self._once_said)

    def is_asking(self, token: Token) -> bool:
        """Whether a word is one by which somebody asks a price or a term."""
        return token.text in self._says or token.stem in OFFERED

    def is_ours(self, tokens: Tokens, amount: Quantity) -> bool:
        """Whether an amount is what we may spend."""
        return tokens.has(self._ours, *clause_of(tokens, amount.start, amount.end))

    def is_added(self, tokens: Tokens, amount: Quantity) -> bool:
        """Whether an amount comes on top of a price: "plus $1.00 for InfiniBand", "an extra 18 cents"."""
        return amount.kind.startswith("money") and tokens.has(self._on_top, max(0, amount.start - 1), amount.start)

    def is_once(self, tokens: Tokens, amount: Quantity) -> bool:
        """Whether what is paid apart is paid once: a fee, and no rate."""
        first, last = _paid_for(tokens, amount)
        once = tokens.has(self._once, first, last) or self._is_said_once(tokens, first, last)
        return amount.kind != "percent" and not amount.unit and once


def _parts_a_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sentence, a line or a clause ends at a mark; the point of an abbreviation ends none."""
    return tokens[at].text in _ENDS and not (tokens[at].text == "." and at and _is_short(tokens[at - 1])
                                             and at + 1 < len(tokens) and tokens[at + 1].is_number)  # fmt: skip


def _is_short(token: Token) -> bool:
    return token.is_word and len(token.text) <= _ABBREVIATED


def _paid_for(tokens: Tokens, amount: Quantity) -> tuple[int, int]:
    """The clause of an amount, up to what is paid besides or from there on: "plus $60,000 for installation"."""
    first, last = clause_of(tokens, amount.start, amount.end)
    before, behind = tokens.before(_MORE, amount.start, first), tokens.after(_MORE, amount.end, last)
    return first if before is None else before, last if behind is None else behind
