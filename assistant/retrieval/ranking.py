"""How likely a passage answers a question: meaning and words weighed together, each signal between 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Cosines of the question with the passage, the passage under its heading, the headings alone, its best sentence, its best
# claim; the share of the question's information in the passage's words and in those of its whole section.
SIGNALS = ("text", "headed", "heading", "sentence", "claim", "words", "section_words")
# Fitted on the tuning half of tests/questions.yaml by `python -m tests.retrieval_report --fit`.
WEIGHTS = np.array([1.86, 4.12, -0.20, 11.33, 1.66, 12.87, 10.80], np.float32)


@dataclass(frozen=True)
class Evidence:
    """What speaks for and against an answer to one question, beside the relevance of the best passage."""

    cosine: float  # the largest one of the question, in either reading, with anything but headings that stands for a passage
    covered: float  # share of the question's information in words that stand anywhere in the collection
    outside: float  # cosine of the question, with or without the field's names, with the nearest topic that is not covered
    named: int  # things the question calls by name that none of the first passages mentions


@dataclass(frozen=True)
class Answerable:
    """Logistic regression: does the best passage answer? A weight for each sign; ``threshold``: the least probability."""

    relevance: float  # of the best passage
    cosine: float
    covered: float
    outside: float
    named: float
    constant: float
    threshold: float


# Fitted like WEIGHTS; the threshold refuses 5 % of the answerable questions of the tuning half.
ANSWERABLE = Answerable(relevance=0.057, cosine=9.295, covered=4.090, outside=-14.581, named=-1.071,
                        constant=-1.676, threshold=0.598)


def relevance(signals: np.ndarray) -> np.ndarray:
    """One number per passage from its signals, shape ``(passages, len(SIGNALS))``; only differences within a question count."""
    return signals @ WEIGHTS


def probability(relevances: np.ndarray, evidence: Evidence) -> np.ndarray:
    """How likely each passage answers, 0 to 1, so that scores of different questions can be compared."""
    fitted = ANSWERABLE
    logit = (fitted.relevance * relevances + fitted.cosine * evidence.cosine + fitted.covered * evidence.covered
             + fitted.outside * evidence.outside + fitted.named * evidence.named + fitted.constant)
    return 1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0)))
