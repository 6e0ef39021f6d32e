"""What a pasted offer says beside its prices: who makes it, the least time, from when on, and what is paid apart."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator, Mapping, Sequence, Set

from .templates import Quantity
from .text import Token, stem

OFFERED = frozenset(map(stem, ("quote", "quoted", "quotation", "offer", "offers", "asks")))
_FROM = frozenset({"from", "by"})
_BEFORE_THE_VERB = 5  # tokens between who offers and the verb: "Nordwind is pleased to offer"
_MOST_WORDS = 3  # of a name
_NEAR = 3  # tokens between a time and what says that it is the least
_STRONG = frozenset(";.!?")
_ENDS = _STRONG | {","}


class Sellers:
    """``words``: those of ``apart`` (what is paid beside the machines), ``once`` (of that, once), ``least``, ``there``
    (from when on) and ``nobody`` (no name of a seller)."""

    def __init__(self, words: Mapping[str, str]) -> None:
        self._apart, self._once, self._least, self._there, self._nobody = (
            frozenset(words[name].split()) for name in ("apart", "once", "least", "there", "nobody")
        )

    def named(
        self, tokens: Sequence[Token], typed: Callable[[int, int], str], known: Set[int]
    ) -> tuple[int, int] | None:
        """Where the name of a seller stands that no catalog has: words that begin with a capital letter, before
        "offers" or behind "a quote from"; ``known``: tokens of names and amounts."""

        def is_name(at: int) -> bool:
            word = tokens[at].is_word and tokens[at].text not in self._nobody and at not in known
            return word and tokens[at].stem not in OFFERED and typed(at, at + 1)[0].isupper()

        for verb in (at for at, token in enumerate(tokens) if token.stem in OFFERED):
            first = verb + 2
            if first < len(tokens) and tokens[verb + 1].text in _FROM and is_name(first):
                return first, next((n for n in range(first, len(tokens)) if not is_name(n)), len(tokens))
            end = self._before(tokens, verb, is_name)
            if end is not None:
                start = end - 1
                while start > 0 and end - start < _MOST_WORDS and is_name(start - 1):
                    start -= 1
                return start, end
        return None

    def _before(self, tokens: Sequence[Token], verb: int, is_name: Callable[[int], bool]) -> int | None:
        for at in range(verb - 1, max(-1, verb - _BEFORE_THE_VERB - 1), -1):
            if tokens[at].text in _ENDS:
                return None
            if is_name(at):
                return at + 1
        return None

    def least_time(self, tokens: Sequence[Token], times: Sequence[Quantity], first: int, last: int) -> Quantity | None:
        """The least time for which is paid, among the times in ``first:last``."""
        return next((q for q in times if first <= q.start and q.end <= last and self.is_least(tokens, q)), None)

    def is_least(self, tokens: Sequence[Token], time: Quantity) -> bool:
        """Whether a time is said to be the least: "minimum term one week", "one week minimum", "at least 7 days"."""
        before, after = tokens[max(0, time.start - _NEAR) : time.start], tokens[time.end : time.end + 1]
        cut = max((n for n, token in enumerate(before, 1) if token.text in _ENDS), default=0)
        return any(token.text in self._least for token in (*before[cut:], *after))

    def there_from(self, tokens: Sequence[Token], dates: Sequence[Quantity]) -> Quantity | None:
        """The day from which on the machines are there: "available from 5 December"."""
        for date in dates:
            first, _ = _clause(tokens, date.start, date.end)
            if isinstance(date.value, datetime.date) and any(t.text in self._there for t in tokens[first : date.start]):
                return date
        return None

    def there_in(self, tokens: Sequence[Token], times: Sequence[Quantity], first: int, last: int) -> Quantity | None:
        """The time after which the machines are there: "delivery in 4 weeks", "available in 10 days"."""
        for time in (q for q in times if first <= q.start and q.end <= last):
            start, end = _clause(tokens, time.start, time.end)
            if any(token.text in self._there for token in (*tokens[start : time.start], *tokens[time.end : end])):
                return time
        return None

    def apart(self, tokens: Sequence[Token], money: Sequence[Quantity]) -> Iterator[tuple[int, int, Quantity]]:
        """The clauses with an amount that is paid beside the machines, such as a setup fee, and that amount."""
        for amount in money:
            first, last = _clause(tokens, amount.start, amount.end)
            if amount.unit != "gpu-hour" and any(token.text in self._apart for token in tokens[first:last]):
                yield first, last, amount

    def is_once(self, tokens: Sequence[Token], amount: Quantity) -> bool:
        """Whether what is paid apart is paid once: a fee, and no rate."""
        first, last = _clause(tokens, amount.start, amount.end)
        return not amount.unit and any(token.text in self._once for token in tokens[first:last])


def _clause(tokens: Sequence[Token], start: int, end: int) -> tuple[int, int]:
    """What stands between two commas, sentences or lines around some tokens."""
    first = next((at + 1 for at in range(start - 1, -1, -1) if tokens[at].text in _ENDS), 0)
    last = next((at for at in range(end, len(tokens)) if tokens[at].text in _ENDS), len(tokens))
    return first, last
