"""What is asked of the plan on the table, in people's own words: which kind of question, and how likely.

The kinds and the sentences that they are learned from are ``knowledge/language/followups.yaml``, the weights
``followups.json``, learned by ``tests/understanding_fit.py``. Where the words leave open which kind it is, the
sentences that mean nearly the same vote too (:mod:`.nearest`).

Measured on 219 questions of people that were not learned from: the right kind is first for 71 % by the words alone and
for 76 % with the votes, among the first three for 84 % and 90 %.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .acts import Acts, features
from .learned import Learned
from .nearest import nearest
from .templates import Quantity
from .text import Text, cut

ELSEWHERE = "elsewhere"  # the class of what is no question of the plan: questions of the field, facts of a job
_KNOWN = ("cluster.gpus",)  # where there is a plan, something of the job is known
_MOST = 3  # kinds that are handed on
_LEAST = 0.02  # how likely they must be
_IN_A_ROW = 2  # words of a message that are weighed together
_LONGEST = 4  # words in a row that stand for a concept
_CLEAR = 0.6  # how likely the likeliest kind is by the words alone where nothing else is looked at
_FLOOR = 1e-4  # less than that neither the words nor the votes say of a kind


@dataclass(frozen=True)
class Followups:
    """The kinds of question; ``acts`` has the wordings that are looked at beside the words."""

    learned: Learned
    acts: Acts
    concepts: Mapping[tuple[str, ...], frozenset[str]]

    @classmethod
    def of(cls, data: Mapping[str, Any], weights: Mapping[str, Any], acts: Acts) -> Followups:
        """From the two files as they are read."""
        return cls(Learned.of(weights), acts, words_of_concepts(data["concepts"]))

    def kinds(
        self, text: Text, quantities: Sequence[Quantity], vectors: Path | None = None
    ) -> tuple[tuple[str, float], ...]:
        """The likeliest kinds with their probabilities, 0 to 1, the likeliest first. ``vectors``: the file of the
        sentences that are looked at where the words leave it open."""
        likely = self.learned.likely(seen(text, quantities, self.acts, self.concepts))
        if vectors is not None and max(likely.values()) < _CLEAR:
            likely = together(likely, nearest(vectors).shares(text.original))
        ranked = sorted(likely.items(), key=lambda one: -one[1])[:_MOST]
        return tuple((kind, round(share, 3)) for kind, share in ranked if share >= _LEAST)


def together(likely: Mapping[str, float], votes: Mapping[str, float] | None) -> dict[str, float]:
    """The kinds in the order of what the words and the votes of the sentences say together; how likely the first, the
    second, … of them is, and whether it is none, the words alone say. Theirs alone where nobody votes."""
    if votes is None:
        return dict(likely)
    shares = {kind: share for kind, share in likely.items() if kind != ELSEWHERE}
    order = sorted(shares, key=lambda kind: -(shares[kind] + _FLOOR) * (votes.get(kind, 0.0) + _FLOOR))
    ranked = dict(zip(order, sorted(shares.values(), reverse=True), strict=True))
    return {**ranked, ELSEWHERE: likely.get(ELSEWHERE, 0.0)}


def words_of_concepts(concepts: Mapping[str, str]) -> dict[tuple[str, ...], frozenset[str]]:
    """The concepts of every word, by its stem, and of words in a row."""
    found: dict[tuple[str, ...], set[str]] = {}
    for concept, words in concepts.items():
        for word in words.split():
            found.setdefault(tuple(token.stem for token in cut(word.replace("_", " "))), set()).add(concept)
    return {stems: frozenset(names) for stems, names in found.items()}


def seen(
    text: Text, quantities: Sequence[Quantity], acts: Acts, concepts: Mapping[tuple[str, ...], frozenset[str]]
) -> list[str]:
    """What a message is weighed by: words and pairs of words as its act is, whatever was asked before it, and what it
    speaks of, each concept alone and with each other."""
    words = [one for one in features(text, quantities, acts, known=_KNOWN) if one.count(" ") < _IN_A_ROW]
    stems = [token.stem for token in text.tokens]
    rows = (tuple(stems[n : n + size]) for size in range(1, _LONGEST + 1) for n in range(len(stems) - size + 1))
    told = sorted({concept for row in rows for concept in concepts.get(row, ())})
    pairs = [f"@{one} @{other}" for n, one in enumerate(told) for other in told[n + 1 :]]
    return [*words, *(f"@{one}" for one in told), *pairs]
