"""Words that decide what a plan costs and came to nothing: told as not understood, never dropped without a word.

What has claimed such a word may have been taken back since, by the sentence around it or by the act of the message; so
it counts what became of the fields that it speaks for, and not who claimed it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .reading import Reading
from .templates import Quantity
from .text import ends_sentence

_NEAR = 3  # words beside one that say what it speaks of instead
_OF_ANOTHER = frozenset({"others", "quoted"})  # scopes of what is no word of ours


@dataclass(frozen=True)
class Speaking:
    """Words, the fields that they speak for, and the words beside which they speak of something else."""

    words: frozenset[str]
    first: str  # of the fields the one that they speak for above all
    fields: frozenset[str]
    besides: frozenset[str]
    of_offers: bool

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Speaking:
        words, besides = (frozenset(data.get(key, "").split()) for key in ("words", "except"))
        return cls(words, data["fields"][0], frozenset(data["fields"]), besides, data.get("offers", False))


class Decisive:
    """`decisive` of words.yaml."""

    def __init__(self, data: Iterable[Mapping[str, Any]]) -> None:
        self._speaking: Sequence[Speaking] = [Speaking.of(one) for one in data]

    def lost(self, reading: Reading) -> set[int]:
        """The tokens of such words of which nothing was taken or asked, where a job is told."""
        if not reading.fields or (reading.context.fields and reading.act not in ("describe", "change")):
            return set()
        told = {*reading.fields, *reading.unset, *(path for one in reading.doubts for path in _paths(one))}
        words = {at for one in self._speaking for at in self._of(one, reading) if not self._is_told(one, reading, told)}
        return words | {at for amount in _unspent(reading) for at in range(amount.start, amount.end)}

    def spoken_of(self, reading: Reading, fields: Iterable[str]) -> set[str]:
        """Those of some fields that such words speak for above all in a message."""
        said = {one.first for one in self._speaking if any(True for _ in self._of(one, reading))}
        return said & {*fields}

    def _of(self, one: Speaking, reading: Reading) -> Iterable[int]:
        tokens = reading.text.tokens
        for at, token in enumerate(tokens):
            ours = token.text in one.words and not reading.kinds(at, at + 1) & _OF_ANOTHER
            if ours and not _beside(reading, at) & one.besides:
                yield at

    def _is_told(self, one: Speaking, reading: Reading, told: set[str]) -> bool:
        return bool(one.fields & told) or (one.of_offers and bool(reading.offers))


def _unspent(reading: Reading) -> list[Quantity]:
    """Sums of dollars that are the value of nothing, where nothing is offered that they may be of."""
    values = [value for value in reading.fields.values() if isinstance(value, int | float)]
    values += [value for doubt in reading.doubts for one in doubt.meanings for value in one.values()]
    said = " ".join(doubt.sentence for doubt in reading.doubts)
    sums = [q for q in reading.quantities if q.kind == "money" and q.unit == "" and not reading.offers]
    typed = lambda q: " ".join(reading.text.typed(q.start, q.end).split())
    return [q for q in sums if q.value not in values and typed(q) not in said]


def _beside(reading: Reading, at: int) -> set[str]:
    """The words near one in its sentence."""
    tokens = reading.text.tokens
    found: set[str] = set()
    for step in (-1, 1):
        for near in range(at + step, at + step * (_NEAR + 1), step):
            if not 0 <= near < len(tokens) or ends_sentence(tokens, near):
                break
            found |= {tokens[near].text, tokens[near].stem}
    return found


def _paths(doubt: Any) -> set[str]:
    return {path for path in (doubt.field, *(path for path, _ in doubt.between)) if path}
