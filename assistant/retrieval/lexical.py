"""Ranking by words: BM25 over several fields of a document, and the nearest known spelling of a mistyped word."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np

# Robertson and Zaragoza 2009, "The Probabilistic Relevance Framework: BM25 and Beyond", section 3.6 (BM25F).
SATURATION = 1.2
LENGTH_NORMALISATION = 0.5

_SHORTEST_CORRECTED = 4
# Normalised optimal string alignment: one slip in five letters, two in nine; swapped letters already in four.
_LIKENESS, _LIKENESS_OF_SWAPPED = 0.78, 0.75
_WORD = re.compile(r"(?<![\w.$/-])[A-Za-z]{4,}(?![\w]|\.\w|[-/]\w*[\d_])")
_PARTS = re.compile(r"[-'._]")
# Endings, and what stood in the place of some of them.
_ENDINGS = tuple(
    one.split("/") for one in "s/ es/ ies/y ed/ ed/e ing/ ing/e er/ er/e est/ est/e ly/ ity/ ness/".split()
)


class WordIndex:
    """BM25F over documents whose fields are lists of tokens; ``weights`` says what a word counts in each field."""

    def __init__(self, bags: Sequence[Mapping[str, Sequence[str]]], weights: Mapping[str, float]) -> None:
        self.size = len(bags)
        frequency = _weighted_frequencies(bags, weights)
        self._postings: dict[str, tuple[np.ndarray, np.ndarray]] = {
            token: (np.fromiter(found, np.int32), np.fromiter(found.values(), np.float32))
            for token, found in frequency.items()
        }
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

    def __contains__(self, token: str) -> bool:
        return token in self._postings

    def _information(self, documents: int) -> float:
        return math.log(1 + (self.size - documents + 0.5) / (documents + 0.5)) if self.size else 0.0


def _weighted_frequencies(
    bags: Sequence[Mapping[str, Sequence[str]]], weights: Mapping[str, float]
) -> dict[str, dict[int, float]]:
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
    """The nearest known word for one that neither the collection nor the language knows.

    ``language`` gives the lower-case words of the language; it is asked when the first unknown word is met.
    """

    def __init__(self, vocabulary: Iterable[str], language: Callable[[], frozenset[str]]) -> None:
        parts = {part for word in vocabulary for part in (word, *_PARTS.split(word))}
        self._vocabulary = {part for part in parts if len(part) >= _SHORTEST_CORRECTED and not part.isdigit()}
        self._choices = sorted(self._vocabulary)
        self._language = language

    def corrected_text(self, text: str) -> str:
        """The text with every mistyped word replaced (``infinband`` → ``infiniband``); names of files, variables and
        settings stay as they are, and a capital inside a text marks a name, which is not taken for a word of the
        language."""
        unknown = sorted({word for word in map(str.lower, _WORD.findall(text)) if not self._knows(word)})
        meant = _nearest(unknown, self._choices)
        others = [word for word in unknown if word not in meant]
        of_language = _nearest(others, self._language_choices) if others else {}

        def corrected(found: re.Match[str]) -> str:
            word = found.group()
            name = found.start() > 0 and word[0].isupper()
            return meant.get(word.lower()) or (not name and of_language.get(word.lower())) or word

        return _WORD.sub(corrected, text)

    def _knows(self, word: str) -> bool:
        return word in self._vocabulary or self._in_language(word)

    def _in_language(self, word: str) -> bool:
        known = self._language()
        return word in known or any(form in known for form in _uninflected(word))

    @cached_property
    def _language_choices(self) -> list[str]:
        return sorted(word for word in self._language() if len(word) >= _SHORTEST_CORRECTED)


def _nearest(words: list[str], choices: list[str]) -> dict[str, str]:
    """The likest choice of each word that has one. All are compared at once: the library then looks at many together,
    five times as fast as one after the other."""
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    if not words or not choices:
        return {}
    likeness = process.cdist(words, choices, scorer=OSA.normalized_similarity, score_cutoff=_LIKENESS_OF_SWAPPED)
    best = [(word, choices[at], row[at]) for word, row, at in zip(words, likeness, likeness.argmax(1), strict=True)]
    return {
        word: choice
        for word, choice, like in best
        if like >= _LIKENESS or (like >= _LIKENESS_OF_SWAPPED and sorted(choice) == sorted(word))
    }


def _uninflected(word: str) -> Iterator[str]:
    """What a word may be a form of: ``sends`` and ``sending`` of ``send``, ``tuned`` of ``tune``, ``planned`` of
    ``plan``."""
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            base = word.removesuffix(ending) + instead
            yield base
            if base[-1] == base[-2]:
                yield base[:-1]
