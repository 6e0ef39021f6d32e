"""The parts of a message that are a quote each: what opens one, and how far it reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from .ignored import HIDDEN
from .templates import Quantity
from .text import Text, Token, ends_sentence

_MARKS = frozenset({":", "-", "=", ")", "("})  # behind "quote A"
_HEADED = frozenset({":", "="})  # behind "Acme:"
_NUMBERED = frozenset({"no", "nr", "number", "#", ".", "'", '"'})  # between "bidder" and "1", or around its name
_MOST_OF_A_HEAD = 6  # words and marks
_BULLETS = frozenset({"-", "*", "•", "·"})
_LINE = frozenset({";", ":"})  # before a bullet: a line, or the one that leads to the list


@dataclass(frozen=True)
class Section:
    """One quote's part of a message: its tokens, and where what it says begins behind "Quote A:", "From:" or "-"."""

    start: int
    said: int
    end: int
    own: bool = False  # of a quote of its own, and no line of a list

    def has(self, at: int) -> bool:
        return self.start <= at < self.end


class Sections:
    """Finds the parts; ``words``: ``labels`` ("quote A:"), ``sender`` ("From:"), ``says`` ("bidder 1 asks") and
    ``points`` (what is told of an offer and heads none: "Price:")."""

    def __init__(self, words: Mapping[str, Any]) -> None:
        self.labels, self._sender, self._says, self._points = (
            frozenset(words[name].split()) for name in ("labels", "sender", "says", "points")
        )

    def of(self, tokens: Sequence[Token], prices: Sequence[Quantity], job: Set[int]) -> list[Section]:
        """The parts with a price where the same mark opens two of them or more, and no price stands outside; ``job``:
        tokens that are of the job, with which a part ends."""
        for opened in (self._labelled, self._sent, _bullets, self._headed, _empty_lines):
            parts = list(self._parts(tokens, prices, list(opened(tokens)), job, of_lines=opened is _bullets))
            if len(parts) > 1 and all(any(part.has(price.start) for part in parts) for price in prices):
                named = opened in (self._labelled, self._sent, self._headed)
                return [replace(part, own=named) for part in parts]
        return []

    def label(self, text: Text, part: Section) -> str:
        """What a part is called by what opens it: "Provider X", "bidder no. 1"."""
        if text.tokens[part.start].text in self._sender:
            return ""
        head = self.head(text.tokens, part)
        marks = (at for at in head if text.tokens[at].text in _MARKS | self._says)
        end = next(marks, head.stop)
        while end > head.start + 1 and text.tokens[end - 1].text in self.labels:  # "Acme quote:"
            end -= 1
        return text.typed(head.start, end).strip() if part.own else ""

    def head(self, tokens: Sequence[Token], part: Section) -> range:
        """The tokens that open a part: "Provider X" of "Provider X: 64 H100"."""
        named = part.own and tokens[part.start].text not in self._sender
        marks = _MARKS | self._says if named else ()
        end = next((at for at in range(part.start + 1, part.end) if tokens[at].text in marks), part.said)
        return range(part.start, max(end, part.said))

    def sender(self, tokens: Sequence[Token]) -> list[Section]:
        """Where a single mail may say who wrote it: behind "From:", and in its last line."""
        last = max((at + 1 for at, token in enumerate(tokens) if token.text == ";"), default=len(tokens))
        sent = [Section(at, said, len(tokens)) for at, said in self._sent(tokens)]
        signed = any(token.text == "," for token in tokens[last:]) and not any(t.is_number for t in tokens[last:])
        return [*sent, *([Section(last, last, len(tokens))] if signed else [])]

    def _parts(
        self, tokens: Sequence[Token], prices: Sequence[Quantity], starts: Sequence[tuple[int, int]], job: Set[int],
        *, of_lines: bool,
    ) -> Iterator[Section]:  # fmt: skip
        """The parts that have a price; what follows without one goes on with the part before, unless it is a line of a
        list."""
        edges = [start for start, _ in starts] + [len(tokens)]
        priced = [(first, last, said) for (first, last), (_, said) in zip(pairwise(edges), starts, strict=True)
                  if any(first <= price.start < last for price in prices)]  # fmt: skip
        for n, (first, last, said) in enumerate(priced):
            final = n + 1 == len(priced)
            last = last if of_lines else len(tokens) if final else priced[n + 1][0]
            priced_to = max(price.end for price in prices if first <= price.start < last)
            ends = (
                at for at in range(priced_to, last) if (tokens[at].text == ";" if of_lines and final else at in job)
            )
            yield Section(first, said, next(ends, last))

    def _labelled(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
        """ "Quote A:", "Option 2 -", "Offer 1 (CoreWeave)", "Vendor 'Aurora' =", "bidder no. 1 asks"."""
        for at in (n for n, token in enumerate(tokens) if token.text in self.labels or token.text == HIDDEN):
            begins = at == 0 or ends_sentence(tokens, at - 1)
            if tokens[at].text == HIDDEN:  # "Quote #1 - Acme": a number of that kind is of no job
                end = next((n for n in range(at, len(tokens)) if tokens[n].text != HIDDEN), len(tokens))
                if begins and end < len(tokens) and tokens[end].text in _MARKS:
                    yield at, end + 1
                continue
            if begins and at + 2 < len(tokens) and tokens[at + 1].text == ":":  # "Vendor: Acme"
                yield at, at + 2
                continue
            end = next((n for n in range(at + 1, len(tokens)) if tokens[n].text not in _NUMBERED), len(tokens))
            quoted = end > at + 1 and tokens[end - 1].text in "'\""
            mark = next(
                (n for n in range(end + 1, len(tokens)) if not (quoted and tokens[n].text in "'\"")), len(tokens)
            )
            marked = mark < len(tokens) and tokens[mark].text in _MARKS | self._says
            if marked and (quoted or len(tokens[end].text) <= 2):
                yield at, end if quoted else mark + 1

    def _sent(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
        """ "From: Anna, CoreWeave", at the beginning of a line."""
        for at in range(len(tokens) - 1):
            begins = at == 0 or not tokens[at - 1].text.isalnum()
            if begins and tokens[at].text in self._sender and tokens[at + 1].text == ":":
                yield at, at + 2

    def _headed(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
        """ "Acme: 64 H100 …", "B = 2.45", each at the beginning of a line, a sentence or a part of a list; what is told
        of every offer ("Price:") heads none."""
        heads: dict[tuple[str, ...], list[int]] = {}
        for at in range(len(tokens)):
            begins = at == 0 or ends_sentence(tokens, at - 1) or tokens[at - 1].text in ",)"
            near = range(at, min(at + _MOST_OF_A_HEAD, len(tokens)))
            end = next((n for n in near if not _is_of_a_name(tokens[n])), at)
            if begins and tokens[at].is_word and end > at and tokens[end].text in _HEADED:
                heads.setdefault(tuple(token.text for token in tokens[at:end]), []).append(at)
        yield from ((at, at) for said, (at, *more) in heads.items() if not more and self._points.isdisjoint(said))


def _bullets(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """ "- …", "* …", "1) …", "b) …", each at the beginning of a line."""
    for at in range(len(tokens) - 1):
        begins = at == 0 or tokens[at - 1].text in _LINE or ends_sentence(tokens, at - 1)
        if begins and tokens[at].text in _BULLETS and not tokens[at + 1].glued:
            yield at, at + 1
        elif begins and len(tokens[at].text) == 1 and tokens[at].text.isalnum() and tokens[at + 1].text == ")":
            yield at, at + 2


def _is_of_a_name(token: Token) -> bool:
    return token.is_word or token.is_number or token.text in ".-&'"


def _empty_lines(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The beginning, and what stands behind an empty line."""
    yield 0, 0
    for at in range(1, len(tokens) - 1):
        if tokens[at].text == tokens[at - 1].text == ";":
            yield at + 1, at + 1
