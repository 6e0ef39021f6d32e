"""Fits the weights of :mod:`assistant.retrieval.ranking` on labelled questions: ``python -m tests.retrieval_report
--fit``.

What is answerable is decided by a logistic regression of a few signs; its threshold comes from cross-validation between
the sets, so from questions of other hands than those that the coefficients were fitted on.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple
from typing import TYPE_CHECKING

import numpy as np

from assistant.retrieval import Index, ranking
from assistant.retrieval.query import read

if TYPE_CHECKING:
    from tests.retrieval_report import Question

# Share of the answerable questions of the later sets that the threshold may refuse. Less than the 5 % aimed at, because
# the lines that passages are asked in were written by people who had seen some of these questions.
MOST_REFUSED = 0.02
FIRST_WRITTEN = "tuning"  # its questions are easier than what came later
_RIDGE = 0.0005
_RIDGE_OF_SIGNS = 2.0


def fitted(index: Index, asked: Sequence[Question]) -> str:
    """The assignments to put into ``ranking.py``."""
    readings = read(
        [question.text for question in asked], index.content, index.spelling, index.embedder, index.known_words
    )
    signals = [index.signals(reading) for reading in readings]
    right = [
        np.array([document.place in question.accept for document in index.content.documents]) for question in asked
    ]
    weights = _weights([pair for pair in zip(signals, right, strict=True) if pair[1].any()])
    relevances = [found @ weights for found in signals]
    table = np.array(
        [astuple(index.evidence(reading, found)) for found, reading in zip(relevances, readings, strict=True)]
    )
    answerable = np.array([bool(question.accept) for question in asked])
    sets = np.array([question.half for question in asked])
    coefficients, unseen = _logistic(table, answerable), _cross_validated(table, answerable, sets)
    threshold = np.quantile(unseen[answerable & (sets != FIRST_WRITTEN)], MOST_REFUSED)
    lines = [
        f"# cross-validated, {name}: {np.mean(unseen[chosen & ~answerable] < threshold):.1%} of the unanswerable "
        f"caught, {np.mean(unseen[chosen & answerable] < threshold):.1%} of the answerable refused"
        for name, chosen in (*((name, sets == name) for name in dict.fromkeys(sets)), ("all", sets != ""))
    ]
    *values, constant = (f"{value:.3f}" for value in coefficients)
    return (
        f"WEIGHTS = np.array([{', '.join(f'{weight:.2f}' for weight in weights)}], np.float32)\n"
        f"ANSWERABLE = ({', '.join(values)})\nCONSTANT, THRESHOLD = {constant}, {threshold:.3f}\n" + "\n".join(lines)
    )


def _cross_validated(table: np.ndarray, answerable: np.ndarray, sets: np.ndarray) -> np.ndarray:
    """The probability of each question by coefficients fitted on the other sets."""
    found = np.zeros(len(table))
    for left_out in dict.fromkeys(sets):
        fit = _logistic(table[sets != left_out], answerable[sets != left_out])
        found[sets == left_out] = 1 / (1 + np.exp(-(table[sets == left_out] @ fit[:-1] + fit[-1])))
    return found


def _weights(pairs: Sequence[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Weights that make a passage of an accepted section likely among all passages (softmax, ridge), by Adam."""
    weights = np.full(pairs[0][0].shape[1], 2.0)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    for step in range(1, 601):
        gradient = _RIDGE * weights
        for signals, right in pairs:
            relevance = signals @ weights
            likely = np.exp(relevance - relevance.max())
            likely /= likely.sum()
            among_right = likely * right
            gradient -= (among_right / max(among_right.sum(), 1e-12) - likely) @ signals / len(pairs)
        mean, square = 0.9 * mean + 0.1 * gradient, 0.99 * square + 0.01 * gradient**2
        weights -= (
            (0.1 if step < 400 else 0.02) * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.99**step)) + 1e-8)
        )
    return weights


def _logistic(table: np.ndarray, answerable: np.ndarray) -> np.ndarray:
    """Coefficients and constant of a logistic regression with a ridge on standardised columns, by Newton's method."""
    centre, spread = table.mean(axis=0), table.std(axis=0)
    columns = np.column_stack(((table - centre) / spread, np.ones(len(table))))
    ridge = np.diag([_RIDGE_OF_SIGNS] * table.shape[1] + [0.0])
    fit = np.zeros(columns.shape[1])
    for _ in range(30):
        likely = 1 / (1 + np.exp(-columns @ fit))
        curvature = (columns * (likely * (1 - likely))[:, None]).T @ columns + ridge
        fit -= np.linalg.solve(curvature, columns.T @ (likely - answerable) + ridge @ fit)
    slopes = fit[:-1] / spread
    return np.append(slopes, fit[-1] - slopes @ centre)
