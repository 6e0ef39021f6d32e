"""Ranking by words: BM25 over several fields of a document, and the nearest known spelling of a mistyped word."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np

# Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", section 3.6 (BM25F).
SATURATION = 1.2
LENGTH_NORMALISATION = 0.5
_SHORTEST_CORRECTED = 4
_WORD = re.compile(r"[A-Za-z]+(?:[-'][A-Za-z]+)*")
_LIKENESS = 0.78  # normalised optimal string alignment: one slip in five letters, two in nine


class WordIndex:
    """BM25F over documents whose fields are lists of tokens; ``weights`` says what a word counts in each field."""

    def __init__(self, bags: Sequence[Mapping[str, Sequence[str]]], weights: Mapping[str, float]) -> None:
        self.size = len(bags)
        frequency = _weighted_frequencies(bags, weights)
        self._postings: dict[str, tuple[np.ndarray, np.ndarray]] = {
            token: (np.fromiter(found, np.int32), np.fromiter(found.values(), np.float32)) for token, found in frequency.items()}
        self._rarest = self._information(1)

    def scores(self, query: Iterable[str]) -> np.ndarray:
        """For each document the share, 0 to 1, of the question's information that its words carry."""
        total, result = 0.0, np.zeros(self.size, np.float32)
        for token, times in Counter(query).items():
            information = self.information(token) * min(times, 2)
            total += information
            if token in self._postings:
                documents, frequency = self._postings[token]
                result[documents] += information * frequency * (1 + SATURATION) / (frequency + SATURATION)
        return result / (total * (1 + SATURATION)) if total else result

    def information(self, token: str) -> float:
        """Inverse document frequency in nats; an unknown token counts as the rarest one."""
        return self._information(len(self._postings[token][0])) if token in self._postings else self._rarest

    def covered(self, query: Iterable[str]) -> float:
        """The share of the question's information in words that stand anywhere in the collection."""
        asked = set(query)
        total = sum(self.information(token) for token in asked)
        return sum(self.information(token) for token in asked if token in self._postings) / total if total else 0.0

    def __contains__(self, token: str) -> bool:
        return token in self._postings

    def _information(self, documents: int) -> float:
        return math.log(1 + (self.size - documents + 0.5) / (documents + 0.5)) if self.size else 0.0


def _weighted_frequencies(bags: Sequence[Mapping[str, Sequence[str]]], weights: Mapping[str, float]) -> dict[str, dict[int, float]]:
    """Per token and document: the sum over fields of weight times frequency over the field's relative length."""
    result: dict[str, dict[int, float]] = {}
    for field, weight in weights.items():
        average = sum(len(bag.get(field, ())) for bag in bags) / max(1, len(bags)) or 1.0
        for document, bag in enumerate(bags):
            words = bag.get(field, ())
            length = 1 - LENGTH_NORMALISATION + LENGTH_NORMALISATION * len(words) / average
            for token, times in Counter(words).items():
                found = result.setdefault(token, {})
                found[document] = found.get(document, 0.0) + weight * times / length
    return result


class Spelling:
    """The nearest word of the collection for a word that neither the collection nor the language knows."""

    def __init__(self, vocabulary: Iterable[str], is_word: Callable[[str], bool]) -> None:
        self._vocabulary = {word for word in vocabulary if len(word) >= _SHORTEST_CORRECTED and not word.isdigit()}
        self._choices = sorted(self._vocabulary)
        self._is_word = is_word

    def corrected_text(self, text: str) -> str:
        """The text with every mistyped word replaced; all else stays as it was written."""
        return _WORD.sub(lambda found: self._like(found.group()), text)

    def _like(self, word: str) -> str:
        nearest = self.corrected(word.lower())
        return word if nearest == word.lower() else nearest

    def corrected(self, word: str) -> str:
        """``infinband`` → ``infiniband``; the word itself when it is known, holds a digit, or nothing is near."""
        if len(word) < _SHORTEST_CORRECTED or word in self._vocabulary or any(c.isdigit() for c in word) or self._is_word(word):
            return word
        from rapidfuzz import process
        from rapidfuzz.distance import OSA

        found = process.extractOne(word, self._choices, scorer=OSA.normalized_similarity, score_cutoff=_LIKENESS)
        return found[0] if found else word
