"""How likely a passage answers a question: meaning and words weighed together, each signal between 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Cosines of the question with the passage, the passage under its heading, the headings alone, its best sentence, its best
# claim; the share of the question's information in the passage's words and in those of its whole section.
SIGNALS = ("text", "headed", "heading", "sentence", "claim", "words", "section_words")
WEIGHTS = np.array([1.0, 1.0, 0.5, 1.0, 0.5, 2.0, 1.0], np.float32)


@dataclass(frozen=True)
class Answerable:
    """Logistic regression on the best relevance and on what the collection knows of the question's words."""

    relevance: float
    covered: float
    constant: float
    threshold: float


ANSWERABLE = Answerable(relevance=2.0, covered=2.0, constant=-6.0, threshold=0.5)


def relevance(signals: np.ndarray) -> np.ndarray:
    """One number per passage from its signals, shape ``(passages, len(SIGNALS))``; only differences within a question count."""
    return signals @ WEIGHTS


def probability(relevances: np.ndarray, covered: float) -> np.ndarray:
    """How likely each passage answers, 0 to 1, so that scores of different questions can be compared."""
    logit = ANSWERABLE.relevance * relevances + ANSWERABLE.covered * covered + ANSWERABLE.constant
    return 1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0)))
