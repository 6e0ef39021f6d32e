"""What a pasted offer says beside its prices: who makes it, the least time, from when on, and what is paid apart."""

from __future__ import annotations

import datetime
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import pairwise
from operator import itemgetter
from typing import Any

from .sections import Section
from .templates import Quantity
from .text import Text, Token, Tokens, cut, stem

OFFERED = frozenset(map(stem, ("quote", "quoted", "quotation", "offer", "offers", "asks")))
_ADDRESS = re.compile(r"@(?:[\w-]+\.)*?([\w-]+)(?:\.(?:co|com))?\.[a-z]+(?![\w-]|\.\w)", re.I)
_FROM = frozenset({"from", "by"})
_MORE = frozenset({"plus", "+"})  # begins what is paid besides
_BEFORE_THE_VERB = 5  # tokens between who offers and the verb: "Nordwind is pleased to offer"
_MOST_WORDS = 3  # of a name
_FROM_WHOM = _FROM | {"at", "with", "of"}
_AT = frozenset({"at", "for", "@", "=", ":"})  # between a seller and its price
_PARTS = frozenset({"and", "or", "while", "but", "vs", "versus", "against"})  # two offers, besides the ends of clauses
_NEAR = 3  # tokens between a time and what says that it is the least
_UNLIKE = 3  # tokens between "another" and what a seller is called: "another small provider"
_SELLS = 2  # words of a seller from which on a message is one's
_FARTHEST_CLOSE = 40  # tokens between "Kind regards" and the name of the firm
_MOST_PLAIN = 1  # words in small letters of a line that is part of a signature: "Dana of"
_ABBREVIATED = 4  # letters: "zzgl. 19 %"
_STRONG = frozenset(";.!?")
_ENDS = _STRONG | {","}
_ITEMS = _ENDS | _PARTS
_HEADS = _STRONG | {":", "(", "$"}  # what ends the head of a quote


def _parts_a_clause(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sentence, a line or a clause ends at a mark; the point of an abbreviation ends none."""
    return tokens[at].text in _ENDS and not (tokens[at].text == "." and at and _is_short(tokens[at - 1])
                                             and at + 1 < len(tokens) and tokens[at + 1].is_number)  # fmt: skip


def _is_short(token: Token) -> bool:
    return token.is_word and len(token.text) <= _ABBREVIATED


class Sellers:
    """``words``: those of ``apart`` (what is paid beside the machines; what a price may include is so with one of
    ``on_top``, and neither is with one of ``within``), ``once`` and ``once_said`` (of that, once), ``least``, ``there``
    (from when on), ``nobody`` (no name of a seller), ``strangers`` (who is none that is named), ``called`` (what a
    seller is called) and ``unlike`` (before that: it is another one), ``plain`` and ``plain_ends`` (what begins a line
    and is none),
    ``says`` (what a seller does with a price) and ``ours`` (an amount is what we may spend). ``items``: the
    stems of what a price may include."""

    def __init__(
        self, words: Mapping[str, Any], devices: Iterable[str] = (), items: Sequence[tuple[str, ...]] = ()
    ) -> None:
        self._apart, self._once, self._least, self._there, self._nobody, self._ours = (
            frozenset(words[name].split()) for name in ("apart", "once", "least", "there", "nobody", "ours")
        )
        self._sells, self._besides, self._closes, self._titles, self._firm, self.total = (
            frozenset(words[name].split()) for name in ("sells", "besides", "closes", "titles", "firm", "total")
        )
        self._plain, self._says, self._mailers, self._on_top, self._within = (
            frozenset(words[name].split()) for name in ("plain", "says", "mailers", "on_top", "within")
        )
        self._strangers, self._called, self._unlike, self._closes_line = (
            frozenset(words[name].split()) for name in ("strangers", "called", "unlike", "closes_line")
        )
        self._without = frozenset(words["without"].split())  # "$2.49 no setup" is a price
        self._strangers_said = [tuple(said.split()) for said in words["strangers_said"]]
        self._items, self._once_said = items, [tuple(t.text for t in cut(said)) for said in words["once_said"]]
        self._phrases = [tuple(t.text for t in cut(said)) for said in (*words["besides_said"], *devices)]
        self._plain_ends = tuple(words["plain_ends"].split())
        self._at_once = {tuple(said.split()): float(days) for said, days in words["at_once"].items()}

    def sells(self, tokens: Tokens) -> bool:
        """Whether a message has the words of one who sells: two of them are no accident."""
        return len({token.text for token in tokens} & self._sells) >= _SELLS

    def signed(self, tokens: Tokens, typed: Callable[[int, int], str], known: Set[int]) -> tuple[int, int] | None:
        """Where the name of the firm stands under a mail: the last part of what follows "Kind regards", where a person
        is named before it, or where it is called a firm. Any word may be one there, if it is written as a name."""
        close = self.closing(tokens)
        if close is None:
            return None
        parts, at = [], close + 1
        while at < len(tokens):
            end = next((n for n in range(at, len(tokens)) if tokens[n].text in _ENDS), len(tokens))
            if parts and self._is_prose(tokens, typed, at, end):  # the mail is over: what follows is ours
                break
            first = next((n for n in range(at, end) if self._may_sign(tokens, typed, known, n)), end)
            last = next((n for n in range(first, end) if not self._may_sign(tokens, typed, known, n)), end)
            parts += [(first, last)] if first < last else []
            at = end + 1
        if not parts or parts[-1][1] - close > _FARTHEST_CLOSE:
            return None
        start, end = parts[-1]
        firm = {token.text for token in tokens[start:end]} & self._firm
        return (start, end) if len(parts) > 1 or firm else None

    def closing(self, tokens: Tokens) -> int | None:
        """Where a mail ends: at its "Kind regards"."""
        return max(self.closings(tokens), default=None)

    def closings(self, tokens: Tokens) -> list[int]:
        """Where a mail, or each of several, may end."""
        return [at for at in range(len(tokens)) if self._is_closing(tokens, at)]

    def _is_closing(self, tokens: Tokens, at: int) -> bool:
        alone = 0 < at < len(tokens) - 1 and tokens[at - 1].text in _STRONG and tokens[at + 1].text in _ENDS
        return tokens[at].text in self._closes or (alone and tokens[at].text in self._closes_line)

    def domain(self, text: Text) -> tuple[int, int] | None:
        """Where the firm stands in the address of who wrote a mail: "dana@acme.example"."""
        for found in _ADDRESS.finditer(text.original):
            start, end = found.span(1)
            at = [n for n, token in enumerate(text.tokens) if start <= token.start < end]
            if at and found[1].lower() not in self._mailers:
                return at[0], at[-1] + 1
        return None

    def _is_prose(self, tokens: Tokens, typed: Callable[[int, int], str], first: int, last: int) -> bool:
        """Whether a line under a mail is a sentence and names nobody."""
        words = (n for n in range(first, last) if tokens[n].is_word and tokens[n].text not in self._titles)
        return sum(typed(n, n + 1)[0].islower() for n in words) > _MOST_PLAIN

    def _may_sign(self, tokens: Tokens, typed: Callable[[int, int], str], known: Set[int], at: int) -> bool:
        word = tokens[at].is_word and tokens[at].text not in self._titles and at not in known
        return word and typed(at, at + 1)[0].isupper()

    def besides(self, tokens: Tokens, first: int, last: int) -> Iterator[tuple[int, int]]:
        """The clauses that say something of the offer that is no sum: a deposit, taxes, a discount."""
        at = first
        while at < last:
            end = next((n for n in range(at, last) if _parts_a_clause(tokens, n)), last)
            if self.is_besides(tokens, at, end):
                yield at, end
            at = end + 1

    def is_besides(self, tokens: Tokens, first: int, last: int) -> bool:
        """Whether something is said of an offer that is no sum of it, and is nothing of ours."""
        known = tokens.has(self._besides, first, last)
        known = known or any(tokens.says(phrase, first, last) for phrase in self._phrases)
        return known and not tokens.has(self._ours, first, last)

    def named(self, tokens: Tokens, typed: Callable[[int, int], str], known: Set[int]) -> tuple[int, int] | None:
        """Where the name of a seller stands that no catalog has: words that begin with a capital letter, before
        "offers" or behind "a quote from"; ``known``: tokens of names and amounts."""

        is_name = self._is_name(tokens, typed, known)
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

    def _is_name(self, tokens: Tokens, typed: Callable[[int, int], str], known: Set[int]) -> Callable[[int], bool]:
        """Whether the token at a place may be a name, or a part of one."""

        def is_name(at: int) -> bool:
            word = tokens[at].is_word and tokens[at].text not in self._nobody and at not in known
            called = word and tokens[at].stem not in OFFERED and typed(at, at + 1)[0].isupper()
            return called and not self._is_plain(tokens, typed, at)

        return is_name

    def _is_plain(self, tokens: Tokens, typed: Callable[[int, int], str], at: int) -> bool:
        """Whether a word is one of the language that begins a line or a sentence: "Alternatively", "Discounted"; beside
        "Inc", behind it "GmbH", it is a name as any other."""
        firm = any(token.text in self._firm for token in tokens[at : at + _MOST_WORDS])
        said = typed(at, at + 1).lower()
        return not firm and (said in self._plain or said.endswith(self._plain_ends))

    def _in_place(self, tokens: Tokens, first: int, start: int, end: int, price: Quantity) -> bool:
        """Whether a name before a price stands where who asks it does: it begins what is told, it is called a firm, or
        it is what "offers" and "at" are said of."""
        heads = start == first or not tokens[start - 1].is_word or tokens[start - 1].text in _FROM
        firm = any(token.text in self._firm for token in tokens[start:end])
        behind = tokens[end] if end < len(tokens) else None
        asks = behind is not None and (behind.text in self._says | _AT or behind.stem in OFFERED)
        return heads or firm or asks or end == price.start

    def beside(
        self,
        tokens: Tokens,
        typed: Callable[[int, int], str],
        prices: Sequence[Quantity],
        known: Set[int],
        theirs: Set[int],
        words: Set[str],
    ) -> list[tuple[int, int]]:
        """Where the names of sellers that no catalog has stand, one for each price: words that begin with a capital
        letter in the clause before it, or behind "from" in the rest of its clause. ``known``: tokens of names and
        amounts, ``theirs`` of sellers in the catalog; ``words``: what some wording knows, no name by itself."""
        is_name, found, before, sold = self._is_name(tokens, typed, known), [], 0, sorted(theirs)
        for price in prices:
            first, last = _item(tokens, price, before)
            before = price.end
            if _any_in(sold, first, last):
                continue
            runs = list(_runs(is_name, first, price.start, last))
            starts = [
                at
                for begin, end in runs
                if self._in_place(tokens, first, begin, end, price)
                for at in range(begin, min(end, price.start))
            ]
            starts += [at for at in self._behind_from(tokens, price.end, last) if is_name(at)]
            strange = next((at for at in starts if tokens[at].text not in words), None)
            if strange is not None:
                start, end = strange, strange + 1
                while start - 1 in starts and end - start < _MOST_WORDS:
                    start -= 1
                while end < last and is_name(end) and end - start < _MOST_WORDS:
                    end += 1
                found.append((start, end))
        return found

    def _behind_from(self, tokens: Tokens, first: int, last: int) -> Iterator[int]:
        """Where a name may stand behind "from", or what a seller is called: "by Provider North"."""
        for at in tokens.places(_FROM_WHOM, max(0, first - 2), last):
            behind = (at + 1, at + 2) if tokens.has(self._called, at + 1, at + 2) else (at + 1,)
            yield from (place for place in behind if first <= place < last)

    def strangers(
        self, tokens: Tokens, prices: Sequence[Quantity], known: Set[int], theirs: Set[int], words: Set[str]
    ) -> Iterator[tuple[int, int]]:
        """Where somebody asks a price whom nobody knows, one place for each price that no name of ``theirs`` asks: "a
        reseller", "another provider", "the other one", or a word in small letters that is none of ``words``."""
        before, sold, told_of = 0, sorted(theirs), self._told_of_strangers(tokens)
        for price in prices:
            first, last = _item(tokens, price, before)
            told = not before and first - 2 in theirs and tokens[first - 1].text == ","  # "Lambda, a reseller: 2.49"
            before = price.end
            if not told and not _any_in(sold, first, last):
                near = told_of[bisect_left(told_of, first) : bisect_left(told_of, last)]
                found = ((at, end) for at in near if (end := self._stranger(tokens, first, at, last)))
                strange = lambda at: tokens[at].is_word and tokens[at].text not in words | self._nobody | self._plain
                small = (
                    (at, at + 1)
                    for at in _places_of_a_name(tokens, first, last, price)
                    if at not in known and strange(at)
                )
                place = next(found, None) or next(small, None)
                yield from [place] if place else []

    def _told_of_strangers(self, tokens: Tokens) -> list[int]:
        """Where words may begin that tell of somebody who is none of those that are named."""
        said = (at for said in self._strangers_said for at in tokens.phrases(said, 0, len(tokens)))
        return sorted({*said, *tokens.places(self._strangers | self._called)})

    def _stranger(self, tokens: Tokens, first: int, at: int, last: int) -> int | None:
        """Where the words end, beginning at ``at``, by which somebody is told who is none of those that are named."""
        said = (at + len(said) for said in self._strangers_said if tokens.says(said, at, at + len(said)))
        end = next((end for end in said if end <= last), None)
        if end or tokens[at].text in self._strangers:
            return end or at + 1
        before = {token.text for token in tokens[max(first, at - _UNLIKE) : at]}
        return at + 1 if tokens[at].text in self._called and before & self._unlike else None

    def heading(
        self, tokens: Tokens, typed: Callable[[int, int], str], known: Set[int], words: Set[str], part: Section
    ) -> tuple[int, int] | None:
        """Where the name of a seller stands that no catalog has, with which a quote begins: behind "From:" or "Quote
        A:" the last name of the line, behind "-" or a line the first."""
        is_name = self._is_name(tokens, typed, known)
        end = next((n for n in range(part.said, part.end) if tokens[n].text in _HEADS), part.end)
        found, at = [], part.said
        while at < end and is_name(at):
            last = next((n for n in range(at, end) if not is_name(n)), end)
            person = last < len(tokens) and typed(last, last + 1) == "<"  # "Dana <dana@acme.example>"
            strange = any(tokens[n].text not in words for n in range(at, last))
            if strange and not person and last - at <= _MOST_WORDS:
                found.append((at, last))
            at = last + 1
        return found[-1] if found else None

    def _before(self, tokens: Tokens, verb: int, is_name: Callable[[int], bool]) -> int | None:
        for at in range(verb - 1, max(-1, verb - _BEFORE_THE_VERB - 1), -1):
            if tokens[at].text in _ENDS:
                return None
            if is_name(at):
                return at + 1
        return None

    def least_time(self, tokens: Tokens, times: Sequence[Quantity], first: int, last: int) -> Quantity | None:
        """The least time for which is paid, among the times in ``first:last``."""
        return next((q for q in times if first <= q.start and q.end <= last and self.is_least(tokens, q)), None)

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

    def there_in(self, tokens: Tokens, times: Sequence[Quantity], first: int, last: int) -> Quantity | None:
        """The time after which the machines are there: "delivery in 4 weeks", "available in 10 days", "ready
        tomorrow"."""
        for time in (q for q in times if first <= q.start and q.end <= last):
            start, end = clause_of(tokens, time.start, time.end)
            around = tokens.has(self._there, start, time.start) or tokens.has(self._there, time.end, end)
            if around and not self.is_least(tokens, time):
                return time
        return next(self._soon(tokens, first, last), None)

    def _soon(self, tokens: Tokens, first: int, last: int) -> Iterator[Quantity]:
        said = [(at, at + len(said), days) for said, days in self._at_once.items()
                for at in tokens.phrases(said, first, last)]  # fmt: skip
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
        if amount.kind == "percent" and (not on_top or self.is_besides(tokens, first, last)):
            return False
        outside = lambda at: not self._is_within(tokens, amount, at) and tokens[at - 1].text not in self._without
        if any(map(outside, tokens.places(self._apart, first, last))):
            return True
        if on_top and any(tokens.says(item, first, last, stems=True) for item in self._items):
            return True
        return self._is_said_once(tokens, first, last) and not tokens.has(self.total, first, last)

    def _is_within(self, tokens: Tokens, amount: Quantity, at: int) -> bool:
        """Whether what a word names is said to be in a price: "$400,000 with installation", "installation included"."""
        return tokens.has(self._within, amount.end, at) or tokens.has(self._within, at + 1, at + 2)

    def _is_said_once(self, tokens: Tokens, first: int, last: int) -> bool:
        return any(tokens.says(said, first, last) for said in self._once_said)

    def is_asked(self, tokens: Tokens, price: Quantity) -> bool:
        """Whether somebody asks a price: in its clause a word says so before it."""
        first, _ = _item(tokens, price, 0)
        says = tokens.has(self._says, first, price.start)
        return says or tokens.has(OFFERED, first, price.start, stems=True)

    def is_asking(self, token: Token) -> bool:
        """Whether a word is one by which somebody asks a price or a term."""
        return token.text in self._says or token.stem in OFFERED

    def is_ours(self, tokens: Tokens, amount: Quantity) -> bool:
        """Whether an amount is what we may spend."""
        return tokens.has(self._ours, *clause_of(tokens, amount.start, amount.end))

    def is_once(self, tokens: Tokens, amount: Quantity) -> bool:
        """Whether what is paid apart is paid once: a fee, and no rate."""
        first, last = _paid_for(tokens, amount)
        once = tokens.has(self._once, first, last) or self._is_said_once(tokens, first, last)
        return amount.kind != "percent" and not amount.unit and once


def _paid_for(tokens: Tokens, amount: Quantity) -> tuple[int, int]:
    """The clause of an amount, up to what is paid besides or from there on: "plus $60,000 for installation"."""
    first, last = clause_of(tokens, amount.start, amount.end)
    before, behind = tokens.before(_MORE, amount.start, first), tokens.after(_MORE, amount.end, last)
    return first if before is None else before, last if behind is None else behind


def _runs(is_name: Callable[[int], bool], first: int, before: int, last: int) -> Iterator[tuple[int, int]]:
    """The runs of names that begin in ``first:before``, as far as they go within ``last``."""
    at = first
    while at < before:
        end = next((n for n in range(at, last) if not is_name(n)), last)
        if end > at:
            yield at, end
        at = end + 1


def _any_in(places: Sequence[int], first: int, last: int) -> bool:
    """Whether one of some ascending places is in ``first:last``."""
    at = bisect_left(places, first)
    return at < len(places) and places[at] < last


def _places_of_a_name(tokens: Tokens, first: int, last: int, price: Quantity) -> Iterator[int]:
    """Where one word may be a seller though it is not written as a name: before the price that begins with it, and
    right behind "from" after the price."""
    if first + 1 == price.start or (first + 2 == price.start and tokens[first + 1].text in _AT):
        yield first
    yield from (at + 1 for at in tokens.places(_FROM, price.end, last - 1))


def _item(tokens: Tokens, price: Quantity, before: int) -> tuple[int, int]:
    """What stands around a price between commas, sentences, lines and words that part two offers, behind the price
    ``before``; what follows it up to the end of the sentence where that is a clause of its own: "…, from Acme"."""
    ahead, behind = tokens.places(_ITEMS, before, price.start), tokens.places(_ITEMS, price.end)
    first = next((at + 1 for at in reversed(ahead) if not _is_enclosed(tokens, at, price)), before)
    last = next((at for at in behind if not _is_enclosed(tokens, at, price)), len(tokens))
    return first, last


def _is_enclosed(tokens: Tokens, at: int, price: Quantity) -> bool:
    """Whether a place is in brackets that do not enclose the price: "at $3.35/h (24 months, 25% upfront) by Acme"."""
    number = bisect_right(tokens.brackets, at, key=itemgetter(0)) - 1
    opened, closed = tokens.brackets[number] if number >= 0 else (at, at)
    return opened <= at < closed and not opened < price.start < closed


def clause_of(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """What stands between two commas, sentences or lines around some tokens."""
    before, last = tokens.before(_ENDS, start), tokens.after(_ENDS, end)
    return 0 if before is None else before + 1, len(tokens) if last is None else last
