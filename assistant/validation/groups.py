"""Groups of measured rows, each judged by the same figures: what the handbook's table of all measurements shows.

A group is what one kind of source measured of one quantity: step times, ratios of two steps, shares of time. A new one
is a table in ``knowledge/measurements`` and a function in :mod:`assistant.validation.group_list` that puts what was
measured beside what is predicted.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from assistant.model.validation import Run, flops, outcome
from assistant.vocabulary.validation import GroupAccuracy

SHORTEST_SERIES = 4  # rows that are worth ranking
Kept = Literal["calibrated", "seen", "kept out"]


@dataclass(frozen=True)
class Observed:
    """One measured value beside the predicted one and its band, all in one unit.

    ``constant``: what a model of one constant multiplies, FLOPs for a step, 1 for a ratio. ``series``: rows of one are
    ranked against each other.
    """

    measured: float
    predicted: float
    band: tuple[float, float] | None = None  # P10 and P90
    constant: float = 1.0
    series: str | None = None


@dataclass(frozen=True)
class Group:
    """Rows that are judged together. ``use``: ``calibrated`` where a constant was fitted to rows of this group."""

    name: str
    quantity: str
    use: Kept
    rows: tuple[Observed, ...]


def observed(run: Run) -> Observed:
    """The seconds per step of a run beside the predicted ones."""
    made = outcome(run)
    return Observed(run.measured_s, made.step_time_s, (made.band.p10, made.band.p90), flops(run))


def accuracies(groups: Iterable[Group]) -> list[GroupAccuracy]:
    """One line for each group that has rows."""
    return [accuracy_of(group) for group in groups if group.rows]


def accuracy_of(group: Group) -> GroupAccuracy:
    """The errors of one group. Raises ValueError without rows or for values that are not above zero."""
    measured = np.array([row.measured for row in group.rows])
    predicted = np.array([row.predicted for row in group.rows])
    if not len(measured) or measured.min() <= 0 or predicted.min() <= 0:
        raise ValueError(f"{group.name}: expected rows with values above zero")
    error = predicted / measured - 1.0
    banded = [(row.measured, row.band) for row in group.rows if row.band is not None]
    inside = [band[0] <= value <= band[1] for value, band in banded]
    return GroupAccuracy(
        group=group.name,
        quantity=group.quantity,
        use=group.use,
        rows=len(group.rows),
        mean_absolute=float(np.abs(error).mean()),
        median_absolute=float(np.median(np.abs(error))),
        p90_absolute=float(np.quantile(np.abs(error), 0.9)),
        bias=float(error.mean()),
        geometric=float(np.expm1(np.abs(np.log(predicted / measured)).mean())),
        null_mean_absolute=_one_constant(group.rows),
        covered=float(np.mean(inside)) if inside else None,
        ratio=float(np.exp(np.log(predicted / measured).mean())),
        ranked=_ranked(group.rows),
    )


def _one_constant(rows: Sequence[Observed]) -> float:
    """Mean error of the constant that suits these rows best."""
    ratios = np.array([row.constant / row.measured for row in rows])
    return float(min(np.abs(ratios / one - 1.0).mean() for one in ratios))


def _ranked(rows: Sequence[Observed]) -> float | None:
    """Mean rank correlation (Spearman) over the series of four rows and more, each as often as it has rows."""
    series: dict[str, list[Observed]] = {}
    for row in rows:
        if row.series is not None:
            series.setdefault(row.series, []).append(row)
    long = [found for found in series.values() if len(found) >= SHORTEST_SERIES]
    if not long:
        return None
    found = [_spearman(*np.array([(row.measured, row.predicted) for row in rows]).T) for rows in long]
    return float(np.average(found, weights=[len(rows) for rows in long]))


def _spearman(a: np.ndarray, b: np.ndarray) -> float:
    ranks = [np.argsort(np.argsort(values)) for values in (a, b)]
    return float(np.asarray(np.corrcoef(ranks))[0, 1])
