"""Fits the model's few constants to measured runs marked ``calibration``: no other row is looked at.

    python -m assistant.validation.calibration            # fit, and print the values beside the shipped ones
    python -m assistant.validation.calibration --write    # and put them into the catalog

Each stage fits the constants that its rows can tell apart, the others held, by robust least squares on the logarithm of
the step time, a source weighing by the root of its rows. Deterministic; NumPy only.
"""

import datetime
import sys
from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from assistant.library import load
from assistant.model.validation import Run

from .constants import EAGER, TAKEN_OVER, Prepared, Values, first_values, predicted, prepared, shipped
from .practice import practice, published_runs
from .record import record
from .stages import STAGES

MOST_ROWS = 240  # of one source: vTrain's many alike rows are thinned evenly
SOFT = 0.04  # below it errors count squared, above it by their size
PRIOR = 3.0  # rows that a constant's first value counts for, so that a few rows alone cannot carry it far
NUDGE, LONGEST = 0.02, 0.3  # of the logarithm: for derivatives, and the longest step of a round
ROUNDS = 6
OUT_PASSES, OUT_EVERY = 1, 1  # each fit without a source: passes, and every n-th row of the others
# Nothing multiplies faster than the best products measured on A100: 271 of 312 TFLOP/s, 0.87 of the peak (S. Bekman, ML
# Engineering, maximum achievable matmul; from memory). The backward pass, which PyTorch launches from C++, takes the
# host no longer than the forward pass.
BOUNDS = {
    "gemm_efficiency": (0.2, 0.87),
    "attention_efficiency": (0.1, 0.9),
    "overlap": (0.01, 0.95),
    "tp_overlap": (0.01, 0.95),
    "fp8_efficiency": (0.5, 1.0),
    "backward_launch": (0.5, 1.0),
    "compute": (0.7, 2.0),
}


def fit(
    runs: Sequence[Run], *, without: str | None = None, every: int = 1, passes: int = 2, rounds: int = ROUNDS
) -> Values:
    """The constants that suit the calibration rows best, from :func:`first_values` on.

    ``without``: a source whose rows are not used. ``every``: use only each n-th row of a source (a quick, rougher fit).
    ``passes``: how often all stages are gone through, since each holds what the others found.
    """
    usable = [prepared(run) for run in thinned(runs, every) if run.source != without]
    values = completed(first_values(), usable)
    for _ in range(passes):
        for stage in STAGES:
            rows = stage.rows(usable)
            names = [name for name in stage.names if told_by(name, rows)]
            if names:
                values = improved(rows, values, names, rounds)
            values = completed(values, usable)
    return values


def thinned(runs: Sequence[Run], every: int = 1) -> list[Run]:
    """The calibration runs, at most ``MOST_ROWS`` of a source, and of those each n-th."""
    sources: dict[str, list[Run]] = {}
    for run in runs:
        if run.use == "calibration":
            sources.setdefault(run.source, []).append(run)
    return [run for of in sources.values() for run in of[:: every * -(-len(of) // MOST_ROWS)]]


def told_by(name: str, rows: Sequence[Prepared]) -> bool:
    """Whether any of the rows depends on a constant: a framework's factor needs a run of that framework."""
    first = name.split("/")[0]
    return any(first in ("kernel", one.family, one.run.job.framework) for one in rows)


def completed(values: Values, rows: Sequence[Prepared]) -> Values:
    """The values with what follows from others: stacks without rows take the eager factors, and all share its
    overlap."""
    values = dict(values)
    frameworks = {one.run.job.framework for one in rows}
    for stack in (EAGER, *TAKEN_OVER):
        model = EAGER if stack not in frameworks or stack == EAGER else stack
        model = "other" if model == EAGER and EAGER not in frameworks and "other" in frameworks else model
        values |= {f"{stack}/{habit}": values[f"{model}/{habit}"] for habit in ("compute", "tp_overlap")}
        values |= {f"{stack}/{habit}": values[f"{EAGER}/{habit}"] for habit in ("launch", "attention", "overlap")}
    return values


def errors(rows: Sequence[Prepared], values: Values) -> np.ndarray:
    """Logarithm of predicted ÷ measured seconds of each row."""
    values = completed(values, rows)
    return np.log([predicted(one, values) / one.run.measured_s for one in rows])


def weights(rows: Sequence[Prepared], found: np.ndarray) -> np.ndarray:
    """Weight of each squared error: a source counts by the root of its rows, an error beyond ``SOFT`` by its size
    only."""
    counts = Counter(one.source for one in rows)
    share = np.array([counts[one.source] ** -0.5 for one in rows])
    return share / share.sum() / np.maximum(np.abs(found), SOFT)


def improved(rows: Sequence[Prepared], start: Values, names: Sequence[str], rounds: int) -> Values:
    """Reweighted least squares in the logarithms of the constants, with their derivatives by small differences.

    A constant that the rows hardly determine stays where it starts, which counts like ``PRIOR`` rows.
    """
    values, origin = dict(start), np.log([start[name] for name in names])
    for _ in range(rounds):
        found = errors(rows, values)
        nudged = [errors(rows, values | {name: values[name] * np.exp(NUDGE)}) for name in names]
        slopes = np.stack([(error - found) / NUDGE for error in nudged], axis=1)
        weight = weights(rows, found)
        moved = np.log([values[name] for name in names]) - origin
        normal = slopes.T @ (weight[:, None] * slopes) + np.eye(len(names)) * PRIOR / len(rows)
        pull = -slopes.T @ (weight * found) - PRIOR / len(rows) * moved
        values |= stepped(values, names, normal, pull)
    return values


def stepped(values: Values, names: Sequence[str], normal: np.ndarray, pull: np.ndarray) -> Values:
    """One step of the constants; where one meets its bound, the others are solved again with it there."""
    held: dict[int, float] = {}
    while True:
        free = [i for i in range(len(names)) if i not in held]
        step = np.zeros(len(names))
        for i, by in held.items():
            step[i] = by
        rest = pull - normal @ step
        step[free] = np.linalg.solve(normal[np.ix_(free, free)], rest[free])
        step = np.clip(step, -LONGEST, LONGEST)
        met = {i: by for i in free if (by := _to_bound(names[i], values[names[i]], step[i])) is not None}
        if not met:
            return {name: values[name] * float(np.exp(by)) for name, by in zip(names, step, strict=True)}
        held |= met


def _to_bound(name: str, value: float, step: float) -> float | None:
    """The shorter step to the bound that ``step`` would cross, in logarithms; ``None`` when it crosses none."""
    parts = name.split("/")
    low, high = BOUNDS.get(parts[1] if len(parts) > 1 else parts[0], (0.0, np.inf))
    moved = value * float(np.exp(step))
    return None if low <= moved <= high else float(np.log(np.clip(moved, low, high) / value))


def leave_one_out(runs: Sequence[Run], done: Callable[[], None] = lambda: None) -> dict[str, list[float]]:
    """Seconds per step predicted for all runs of each source by constants fitted without that source, in their order.

    Sources that no constant was fitted on are left away: every prediction of theirs is of that kind anyway. ``done`` is
    called after each source.
    """
    kept = [run for run in runs if run.use != "excluded"]
    found: dict[str, list[float]] = {}
    for source in dict.fromkeys(run.source for run in kept if run.use == "calibration"):
        values = fit(kept, without=source, passes=OUT_PASSES, every=OUT_EVERY)
        found[source] = [predicted(prepared(run), values) for run in kept if run.source == source]
        done()
    return found


def main(arguments: Sequence[str]) -> None:
    """Fit, print constants as fitted and as shipped, and with ``--write`` put them into the catalog."""
    library = load()
    runs = published_runs(library.knowledge_folder, library.catalog)
    values = fit(runs)
    values |= practice(runs, values)
    old = shipped(library.catalog)
    for name in dict.fromkeys((*(name for stage in STAGES for name in stage.names), "megatron/practice")):
        print(f"{name:32} fitted {values[name]:12.6g}   shipped {old[name]:12.6g}")
    if "--write" in arguments:
        for path in record(values, library.catalog.gpus, library.knowledge_folder / "catalog", datetime.date.today()):
            print(f"written: {path}")


if __name__ == "__main__":
    main(sys.argv[1:])
