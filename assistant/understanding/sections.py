"""The parts of a message that are a quote each: what opens one, and how far it reaches."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from .templates import Quantity
from .text import Token, ends_sentence

_MARKS = frozenset({":", "-", "=", ")", "("})  # behind "quote A"
_BULLETS = frozenset({"-", "*", "•", "·"})
_LINE = frozenset({";", ":"})  # before a bullet: a line, or the one that leads to the list


@dataclass(frozen=True)
class Section:
    """One quote's part of a message: its tokens, and where what it says begins behind "Quote A:", "From:" or "-"."""

    start: int
    said: int
    end: int

    def has(self, at: int) -> bool:
        return self.start <= at < self.end


class Sections:
    """Finds the parts; ``words``: ``labels`` ("quote A:"), ``sender`` ("From:"), ``job`` and ``job_said`` (a sentence
    behind the price that has one of these is of the job again)."""

    def __init__(self, words: Mapping[str, Any]) -> None:
        self._labels, self._sender, self._job = (frozenset(words[name].split()) for name in ("labels", "sender", "job"))
        self._job_said = [tuple(said.split()) for said in words["job_said"]]

    def of(self, tokens: Sequence[Token], prices: Sequence[Quantity]) -> list[Section]:
        """The parts with a price where the same mark opens two of them or more, and no price stands outside."""
        for opened in (self._labelled, self._sent, _bullets, _empty_lines):
            parts = list(self._parts(tokens, prices, list(opened(tokens)), of_lines=opened is _bullets))
            if len(parts) > 1 and all(any(part.has(price.start) for part in parts) for price in prices):
                return parts
        return []

    def sender(self, tokens: Sequence[Token]) -> list[Section]:
        """Where a single mail may say who wrote it: behind "From:", and in its last line."""
        last = max((at + 1 for at, token in enumerate(tokens) if token.text == ";"), default=len(tokens))
        sent = [Section(at, said, len(tokens)) for at, said in self._sent(tokens)]
        signed = any(token.text == "," for token in tokens[last:]) and not any(t.is_number for t in tokens[last:])
        return [*sent, *([Section(last, last, len(tokens))] if signed else [])]

    def _parts(
        self, tokens: Sequence[Token], prices: Sequence[Quantity], starts: Sequence[tuple[int, int]], *, of_lines: bool
    ) -> Iterator[Section]:
        """The parts that have a price; what follows without one goes on with the part before, unless it is a line of a
        list."""
        edges = [start for start, _ in starts] + [len(tokens)]
        priced = [(first, last, said) for (first, last), (_, said) in zip(pairwise(edges), starts, strict=True)
                  if any(first <= price.start < last for price in prices)]  # fmt: skip
        for n, (first, last, said) in enumerate(priced):
            final = n + 1 == len(priced)
            last = last if of_lines else len(tokens) if final else priced[n + 1][0]
            yield Section(first, said, self._end(tokens, prices, first, last, of_line=of_lines and final))

    def _end(self, tokens: Sequence[Token], prices: Sequence[Quantity], first: int, last: int, *, of_line: bool) -> int:
        """Where a part ends: with the next one, with the line of the last bullet, or where the job is told again."""
        priced = max((price.end for price in prices if first <= price.start < last), default=last)
        if of_line:
            return next((at for at in range(priced, last) if tokens[at].text == ";"), last)
        return self.job_again(tokens, priced, last)

    def job_again(self, tokens: Sequence[Token], first: int, last: int) -> int:
        """Where the sentence or line begins, behind ``first``, that is of the job again: "We need it for a month."."""
        edges = [at for at in range(first, last) if ends_sentence(tokens, at)]
        for at, end in pairwise([*edges, last]):
            told = [token.text for token in tokens[at:end]]
            said = any(tuple(told[n : n + len(one)]) == one for one in self._job_said for n in range(len(told)))
            if said or not self._job.isdisjoint(told):
                return at
        return last

    def _labelled(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
        """ "Quote A:", "Option 2 -", "Offer 1 (CoreWeave)"."""
        for at in range(len(tokens) - 2):
            name = tokens[at + 1]
            if tokens[at].text in self._labels and tokens[at + 2].text in _MARKS and len(name.text) <= 2:
                yield at, at + 3

    def _sent(self, tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
        """ "From: Anna, CoreWeave", at the beginning of a line."""
        for at in range(len(tokens) - 1):
            begins = at == 0 or not tokens[at - 1].text.isalnum()
            if begins and tokens[at].text in self._sender and tokens[at + 1].text == ":":
                yield at, at + 2


def _bullets(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """ "- …", "* …", "1) …", "b) …", each at the beginning of a line."""
    for at in range(len(tokens) - 1):
        begins = at == 0 or tokens[at - 1].text in _LINE or ends_sentence(tokens, at - 1)
        if begins and tokens[at].text in _BULLETS and not tokens[at + 1].glued:
            yield at, at + 1
        elif begins and len(tokens[at].text) == 1 and tokens[at].text.isalnum() and tokens[at + 1].text == ")":
            yield at, at + 2


def _empty_lines(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """The beginning, and what stands behind an empty line."""
    yield 0, 0
    for at in range(1, len(tokens) - 1):
        if tokens[at].text == tokens[at - 1].text == ";":
            yield at + 1, at + 1
