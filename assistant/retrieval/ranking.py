"""How likely a passage answers a question: meaning and words weighed together, each signal between 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Cosines of the question with the passage, the passage under its heading, the headings alone, its best sentence, its best
# claim; the share of the question's information in the passage's words and in those of its whole section.
SIGNALS = ("text", "headed", "heading", "sentence", "claim", "words", "section_words")
# Fitted on the tuning half of tests/questions.yaml by `python -m tests.retrieval_report --fit`.
WEIGHTS = np.array([5.07, 5.27, 0.88, 4.19, 2.79, 12.40, 10.33], np.float32)


@dataclass(frozen=True)
class Answerable:
    """Logistic regression: does the best passage answer? Each field is a weight but the last, the least probability."""

    relevance: float  # of the best passage
    cosine: float  # the largest one of the question with anything that stands for a passage
    covered: float  # share of the question's information in words that stand anywhere in the collection
    outside: float  # cosine of the question, with or without the field's names, with the nearest topic that is not covered
    constant: float
    threshold: float


# Fitted like WEIGHTS; the threshold refuses 5 % of the answerable questions of the tuning half.
ANSWERABLE = Answerable(relevance=0.153, cosine=7.014, covered=4.456, outside=-11.658, constant=-3.696, threshold=0.597)


def relevance(signals: np.ndarray) -> np.ndarray:
    """One number per passage from its signals, shape ``(passages, len(SIGNALS))``; only differences within a question count."""
    return signals @ WEIGHTS


def best_cosine(signals: np.ndarray) -> float:
    """The largest cosine of the question with a passage, a sentence or a claim."""
    return float(signals[:, [SIGNALS.index(name) for name in ("text", "headed", "sentence", "claim")]].max(initial=-1.0))


def probability(relevances: np.ndarray, cosine: float, covered: float, outside: float) -> np.ndarray:
    """How likely each passage answers, 0 to 1, so that scores of different questions can be compared."""
    fitted = ANSWERABLE
    logit = fitted.relevance * relevances + fitted.cosine * cosine + fitted.covered * covered + fitted.outside * outside
    return 1.0 / (1.0 + np.exp(-np.clip(logit + fitted.constant, -30.0, 30.0)))
