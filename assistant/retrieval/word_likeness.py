"""How much of a question a passage says in whatever words: each word of the question beside the likest word of the
passage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

# Two words chosen at random have a cosine of about 0.2; what is not nearer than that is unlike. Squared, because two
# words that are halfway alike seldom mean the same.
_UNLIKE = 0.2
_KEPT = 2_000  # words of questions whose likeness is remembered: a question asks for each several times


class WordLikeness:
    """The words of passages with their vectors.

    ``held`` lists each passage's tokens; ``vectors`` are unit vectors of the tokens in ``known``, in that order. A
    token without a vector, such as a number, is like itself only.
    """

    def __init__(self, held: Sequence[Sequence[str]], known: Sequence[str], vectors: np.ndarray) -> None:
        every = {token: row for row, token in enumerate(dict.fromkeys((*known, *(t for found in held for t in found))))}
        self._row, self._vectors = every, vectors
        sets = [sorted({every[token] for token in found}) for found in held]
        self._filled = np.array([row for row, found in enumerate(sets) if found], np.int64)
        self._flat = np.array([token for found in sets for token in found], np.int64)
        self._starts = np.cumsum([0, *(len(found) for found in sets if found)])[:-1].astype(np.int64)
        self._passages = len(held)
        self._kept: dict[str, np.ndarray] = {}

    def likeness(self, tokens: Sequence[str], vectors: Mapping[str, np.ndarray]) -> np.ndarray:
        """For each token of a question and each passage how like the likest word is, 0 to 1: shape ``(tokens,
        passages)``.

        ``vectors``: of tokens that are not known here.
        """
        if len(self._kept) > _KEPT:
            self._kept.clear()
        new = [token for token in dict.fromkeys(tokens) if token not in self._kept]
        self._kept.update(zip(new, map(self._in_passages, self._like(new, vectors)), strict=True))
        found = [self._kept[token] for token in tokens]
        return np.stack(found) if found else np.zeros((0, self._passages), np.float32)

    def _in_passages(self, like: np.ndarray) -> np.ndarray:
        """The likest word of each passage."""
        result = np.zeros(self._passages, np.float32)
        if len(self._flat):
            result[self._filled] = np.maximum.reduceat(like[self._flat], self._starts)
        return result

    def _like(self, tokens: Sequence[str], vectors: Mapping[str, np.ndarray]) -> np.ndarray:
        """How like every token of the collection is to these: shape ``(len(tokens), tokens of the collection)``.

        All at once, because reading the collection's vectors takes longer than multiplying them.
        """
        like, count = np.zeros((len(tokens), len(self._row)), np.float32), len(self._vectors)
        rows = [self._row.get(token) for token in tokens]
        found = (
            self._vectors[row] if row is not None and row < count else vectors.get(token)
            for token, row in zip(tokens, rows, strict=True)
        )
        known = {place: vector for place, vector in enumerate(found) if vector is not None}
        places = list(known)
        if places and count:
            cosines = np.stack(list(known.values())) @ self._vectors.T
            like[places, :count] = (np.clip(cosines - _UNLIKE, 0.0, None) / (1 - _UNLIKE)) ** 2
        for place, row in enumerate(rows):
            if row is not None:
                like[place, row] = 1.0
        return like
