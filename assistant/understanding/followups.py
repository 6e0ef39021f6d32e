"""What is asked of the plan on the table, in people's own words: which kind of question, and how likely.

The kinds and the sentences that they are learned from are ``knowledge/language/followups.yaml``, the weights of words
``followups.json``, learned by ``tests/understanding_fit.py``. What a message means has a say as well
(:mod:`.opinion`): each is wrong about other questions, so they are asked together.

Measured on 60 questions of ten people that neither was learned from, judged by hand: the right kind is first for 36 by
the words alone, for 29 by the meaning alone and for 46 by both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.vocabulary.added import added

from .acts import Acts, features
from .learned import Learned
from .templates import Quantity
from .text import Text, cut

ELSEWHERE = "elsewhere"  # the class of what is no question of the plan: questions of the field, facts of a job
_KNOWN = ("cluster.gpus",)  # where there is a plan, something of the job is known
_MOST = 3  # kinds that are handed on
_LEAST = 0.02  # how likely they must be
_IN_A_ROW = 2  # words of a message that are weighed together
_LONGEST = 4  # words in a row that stand for a concept
_FLOOR, _THOUGHT_OF = 0.004, 0.02  # how likely a kind is at least, and where somebody thinks of it


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
        self, text: Text, quantities: Sequence[Quantity], meant: Mapping[str, float] | None = None
    ) -> tuple[tuple[str, float], ...]:
        """The likeliest kinds with their probabilities, 0 to 1, the likeliest first. ``meant``: how likely each is by
        what the message means."""
        likely = self.learned.likely(seen(text, quantities, self.acts, self.concepts))
        if meant:
            likely = together(likely, meant)
        ranked = sorted(likely.items(), key=lambda one: -one[1])[:_MOST]
        return tuple((kind, round(share, 3)) for kind, share in ranked if share >= _LEAST)


def together(likely: Mapping[str, float], meant: Mapping[str, float]) -> dict[str, float]:
    """How likely each kind is by two opinions of the same weight: the geometric mean, where either thinks of it. Where
    the words speak most for a kind that meaning has not learned yet, they alone tell of it, and the others share what
    is left."""
    first = max(likely, key=likely.__getitem__)
    new = {} if first in meant else {first: likely[first]}
    left = 1 - added(new.values())
    meant = {**{kind: left * share for kind, share in meant.items()}, **new}
    thought_of = [kind for kind in likely if max(likely[kind], meant.get(kind, 0.0)) >= _THOUGHT_OF]
    both = {kind: math.sqrt((likely[kind] + _FLOOR) * (meant.get(kind, 0.0) + _FLOOR)) for kind in thought_of}
    whole = added(both.values())
    return {kind: share / whole for kind, share in both.items()}


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
