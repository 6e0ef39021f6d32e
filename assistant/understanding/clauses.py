"""Whose each clause of a message with prices is: of somebody who sells, or of the job that is planned."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from .templates import Quantity
from .text import Token

_ENDS, _SENTENCES = frozenset(",;.!?"), frozenset(";.!?")


class Clauses:
    """Tells the clauses of the job from those of sellers; ``words``: ``job`` (what is done, asked or may be spent),
    ``due`` (a time with these is the job's) and ``bound`` (one with these is a seller's, wherever it stands)."""

    def __init__(self, words: Mapping[str, Any]) -> None:
        self._job, self._due, self._bound = (frozenset(words[name].split()) for name in ("job", "due", "bound"))
        self._job_said: dict[str, list[list[str]]] = {}  # by their first word
        for said in map(str.split, words["job_said"]):
            self._job_said.setdefault(said[0], []).append(said)

    def of_the_job(
        self, tokens: Sequence[Token], prices: Set[int], sellers: Set[int], work: Set[int], times: Sequence[Quantity]
    ) -> frozenset[int]:
        """The tokens that are of the job: those of a clause without a price that tells what is done, of those behind
        it up to where a seller or a price is told again, and of one with a time by which the job is due.

        ``prices``, ``sellers``: where prices and names of sellers begin; ``work``: tokens of models, sizes and tokens
        of the run; ``times``: amounts of time.
        """
        found: set[int] = set()
        priced, of_job, sold = max(prices, default=len(tokens)), False, False
        for first, last in _clauses(tokens):
            own = range(first, last)
            timed = any(first <= time.start < last for time in times)
            texts = {tokens[at].text for at in own}
            begins = next((at for at in own if at in work or self._tells(tokens, at)), None)
            if not prices.isdisjoint(own):
                last_price = max(at for at in own if at in prices)
                begins = next((at for at in range(last_price + 1, last) if self._tells(tokens, at)), None)
                of_job, sold = begins is not None, True
                found |= set(range(begins, last)) if begins is not None else set()
            elif timed and texts & self._bound:
                continue
            elif begins is not None:
                of_job = True
                found |= set(own)
            elif not sellers.isdisjoint(own):
                of_job = False
            elif of_job or (
                timed and (texts & self._due or (sold and first > priced and _is_apart(tokens, priced, first)))
            ):
                found |= set(own)
        return frozenset(found)

    def _tells(self, tokens: Sequence[Token], at: int) -> bool:
        """Whether a word, or the words that begin with it, tell what is done."""
        first = tokens[at].text
        said = ([token.text for token in tokens[at : at + len(one)]] == one for one in self._job_said.get(first, ()))
        return first in self._job or any(said)


def _is_apart(tokens: Sequence[Token], priced: int, first: int) -> bool:
    """Whether a clause is of a sentence behind that of the last price, and no line of a list: "… with InfiniBand. 64
    H100 for 3 months."."""
    begins = next((at for at in range(first - 1, priced, -1) if tokens[at].text in _SENTENCES), priced)
    return tokens[begins].text in ".!?"


def _clauses(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """What stands between commas, sentences and lines."""
    first = 0
    for at in range(len(tokens) + 1):
        joined = at + 1 < len(tokens) and tokens[at].text == "." and tokens[at + 1].glued  # "together.ai"
        if at == len(tokens) or (tokens[at].text in _ENDS and not joined):
            if first < at:
                yield first, at
            first = at + 1
