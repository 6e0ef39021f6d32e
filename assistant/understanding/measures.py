"""Which figures of a plan a message asks for, by what it means: each is weighed by itself, so that two may be asked for
at once. What they are called and what they are learned from is ``knowledge/language/measures.yaml``, the weights
``measures.npz``, learned by ``tests/measures_fit.py``.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from assistant.vocabulary.errors import KnowledgeError

_LEAST = 0.05  # what is less likely is not handed on


@dataclass(frozen=True)
class Measures:
    """``weight``: shape ``(measures, dimensions)``."""

    names: tuple[str, ...]
    weight: np.ndarray
    bias: np.ndarray

    def asked(self, meant: np.ndarray) -> tuple[tuple[str, float], ...]:
        """The figures with how likely each is asked for, 0 to 1, the likeliest first; ``meant``: the vector of the
        message (:class:`.opinion.Opinion`)."""
        odds = 1 / (1 + np.exp(-(self.weight @ meant + self.bias)))
        found = ((name, round(float(p), 3)) for name, p in zip(self.names, odds, strict=True) if p >= _LEAST)
        return tuple(sorted(found, key=lambda one: -one[1]))


@lru_cache(maxsize=2)
def measures(path: Path) -> Measures:
    """From the file, read with the first message about a plan."""
    try:
        with np.load(path, allow_pickle=False) as file:
            weight, bias = (file[name].astype(np.float32) for name in ("weight", "bias"))
            return Measures(tuple(file["names"].tolist()), weight, bias)
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise KnowledgeError(f"{path}: cannot be read: {error}") from None
