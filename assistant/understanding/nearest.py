"""Which kind the sentences are of that mean most nearly the same: every sentence that was learned from votes for its
kind, the more the nearer it is."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from .meaning import vector

_NEARNESS = 18.0  # votes fall by e with each 1/18 of the cosine: best of 8 to 30 on questions that were left out
_MOST = 127  # of a byte with a sign


@dataclass(frozen=True)
class Nearest:
    """``vectors`` of the sentences, kind after kind: float32, shape ``(sentences, dimensions)``; ``counts`` of the
    sentences of each of the ``kinds``, one at least."""

    vectors: np.ndarray
    kinds: tuple[str, ...]
    counts: np.ndarray

    def shares(self, text: str) -> dict[str, float] | None:
        """The share of each kind in the votes, 0 to 1, a kind of many sentences having no more of them than one of few;
        ``None`` where the model is not installed."""
        asked = vector(text)
        if asked is None:
            return None
        votes = np.exp(_NEARNESS * (self.vectors @ asked - 1))
        starts = np.cumsum(self.counts) - self.counts
        of_kinds = np.add.reduceat(votes, starts) / self.counts
        return dict(zip(self.kinds, (of_kinds / of_kinds.sum()).tolist(), strict=True))


@lru_cache(maxsize=2)
def nearest(path: Path) -> Nearest:
    """From the file, read when the first question needs it."""
    with np.load(path, allow_pickle=False) as file:
        vectors, kinds, counts = file["vectors"].astype(np.float32), file["kinds"].tolist(), file["counts"]
    return Nearest(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), tuple(kinds), counts)


def in_bytes(vectors: np.ndarray) -> np.ndarray:
    """Unit vectors in signed bytes, as they are kept: their cosines are 0.003 off at most."""
    return np.round(vectors * (_MOST / np.abs(vectors).max())).astype(np.int8)
