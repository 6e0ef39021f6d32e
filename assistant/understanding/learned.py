"""Weights that were learned from labelled messages, and what they make of the features of something new.

Softmax regression: every feature has a weight for every class, a class is as likely as the sum of its weights says.
``tests/understanding_fit.py`` learns them; no model is loaded.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.vocabulary.added import added


@dataclass(frozen=True)
class Learned:
    """``weights`` of a feature: the place of a class, the weight there in hundredths, the next place, …"""

    classes: Sequence[str]
    bias: Sequence[float]
    weights: Mapping[str, Sequence[int]]

    @classmethod
    def of(cls, data: Mapping[str, Any]) -> Learned:
        """From the file as it is read."""
        return cls(data["classes"], data["bias"], data["weights"])

    def likely(self, features: Iterable[str]) -> dict[str, float]:
        """The probability of every class, 0 to 1."""
        scores = list(self.bias)
        for feature in features:
            row = self.weights.get(feature, ())
            for at in range(0, len(row), 2):
                scores[row[at]] += row[at + 1] / 100
        most = max(scores)
        powers = [math.exp(score - most) for score in scores]
        whole = added(powers)
        return {one: power / whole for one, power in zip(self.classes, powers, strict=True)}
