"""How likely a passage answers a question: meaning and words weighed together, each signal between 0 and 1."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

# Cosines of the question with the passage, the passage under its heading, the headings alone, its best sentence, its best
# claim; the share of the question's information in the passage's words, in those of its whole section, and in words like its own.
SIGNALS = ("text", "headed", "heading", "sentence", "claim", "words", "section_words", "alike")
# Fitted on the questions for developing (the tuning half of tests/questions.yaml, questions_fresh.yaml, questions_a.yaml) by
# `python -m tests.retrieval_report --fit`.
WEIGHTS = np.array([1.84, 3.92, 1.03, 9.06, 3.13, 4.09, 4.14, 13.32], np.float32)


@dataclass(frozen=True)
class Evidence:
    """What speaks for and against an answer to one question."""

    cosine: float  # the largest one of the question, in either reading, with anything but headings that stands for a passage
    covered: float  # share of the question's information, in the better reading, in words that stand anywhere in the collection
    outside: float  # cosine of the question, with or without the field's names, with the nearest topic that is not covered
    named: int  # things the question calls by name that none of the first passages mentions
    said: float  # share of the question's information in words like those of the first passages
    lead: float  # how far the relevance of the best passage lies above that of the tenth
    kind: bool  # a price, a date, a place or a person is asked for, and the first passages hold none
    least: float  # how like the least told word of the question is to a word of the best passage, 0 to 1
    length: float  # log of one more than the words: of a long question every passage holds a smaller share


@dataclass(frozen=True)
class Answerable:
    """Logistic regression: does the best passage answer? A weight for each sign; ``threshold``: the least probability."""

    cosine: float
    covered: float
    outside: float
    named: float
    said: float
    lead: float
    kind: float
    least: float
    length: float
    constant: float
    threshold: float


# Fitted like WEIGHTS. With the threshold, cross-validation refuses 4.5 % of the answerable questions and catches 93.9 % of the others.
ANSWERABLE = Answerable(cosine=9.159, covered=1.254, outside=-13.659, named=-1.511, said=3.142,
                        lead=0.060, kind=-4.367, least=2.586, length=3.004, constant=-8.141, threshold=0.598)


_FALLS = 0.1  # of log-odds: what each point of relevance behind the best passage costs


def relevance(signals: np.ndarray) -> np.ndarray:
    """One number per passage from its signals, shape ``(passages, len(SIGNALS))``; only differences within a question count."""
    return signals @ WEIGHTS


def probability(relevances: np.ndarray, evidence: Evidence) -> np.ndarray:
    """How likely each passage answers, 0 to 1, so that scores of different questions can be compared."""
    fitted = ANSWERABLE
    behind = relevances - relevances.max(initial=-np.inf)
    logit = (_FALLS * behind + fitted.cosine * evidence.cosine + fitted.covered * evidence.covered
             + fitted.outside * evidence.outside + fitted.named * evidence.named + fitted.said * evidence.said
             + fitted.lead * evidence.lead + fitted.kind * evidence.kind + fitted.least * evidence.least
             + fitted.length * evidence.length + fitted.constant)
    return 1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0)))
