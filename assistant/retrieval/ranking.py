"""How likely a passage answers a question: meaning and words weighed together, each signal between 0 and 1."""

from __future__ import annotations

from dataclasses import astuple, dataclass

import numpy as np

from assistant.vocabulary.added import added

# Cosines of the question with the passage, the passage under its heading, the headings alone, its best sentence, its
# best claim; the share of the question's information in the passage's words, in those of its whole section, and in
# words like its own.
SIGNALS = ("text", "headed", "heading", "sentence", "claim", "words", "section_words", "alike")
# Fitted on the questions for developing (the tuning half of tests/questions.yaml, questions_fresh.yaml,
# questions_a.yaml, questions_b.yaml) by `python -m tests.retrieval_report --fit`.
WEIGHTS = np.array([2.43, 3.91, 0.90, 10.51, 2.47, 3.52, 3.31, 13.68], np.float32)


@dataclass(frozen=True)
class Evidence:
    """What speaks for and against an answer to one question; information is in nats."""

    # the largest one of the question, in either reading, with anything but headings that stands for a passage
    cosine: float
    # cosine of the question, with or without the field's names, with the nearest topic that is not covered
    outside: float
    named: int  # things the question calls by name that none of the first passages mentions
    said: float  # share of the question's information in words like those of the first passages
    told: float  # information of the question's words that the first passages hold
    lost: float  # information of the question's words that they do not
    # the same, as far as the question's meaning hangs on the names in it: of a known thing something unknown
    lost_of_named: float
    off_focus: float  # how unlike theirs the words beside the question word are, as far as the meaning hangs on names
    ahead: float  # how far the relevance of the best passage lies above that of the second
    kind: bool  # a price, a date, a place or a person is asked for, and the first passages hold none
    least: float  # how like the least told word of the question is to a word of the best passage, 0 to 1
    length: float  # log of one more than the words: of a long question every passage holds a smaller share


# Logistic regression: does the best passage answer? A weight for each sign of Evidence, in its order, and a constant;
# fitted like WEIGHTS. The threshold is the least probability, set so that 2 % of the answerable of the three later sets
# are refused, each by coefficients fitted without it; there 88 % of their unanswerable are caught.
ANSWERABLE = (13.259, -10.467, -1.214, 3.668, 0.093, 0.116, -0.304, -5.516, 0.173, -3.437, 2.922, 2.187)
CONSTANT, THRESHOLD = -12.039, 0.543


_FALLS = 0.1  # of log-odds: what each point of relevance behind the best passage costs


def relevance(signals: np.ndarray) -> np.ndarray:
    """One number per passage from its signals, shape ``(passages, len(SIGNALS))``; only differences within a question
    count."""
    return signals @ WEIGHTS


def probability(relevances: np.ndarray, evidence: Evidence) -> np.ndarray:
    """How likely each passage answers, 0 to 1, so that scores of different questions can be compared."""
    behind = relevances - relevances.max(initial=-np.inf)
    logit = _FALLS * behind + CONSTANT + added(w * sign for w, sign in zip(ANSWERABLE, astuple(evidence), strict=True))
    return 1.0 / (1.0 + np.exp(-np.clip(logit, -30.0, 30.0)))
