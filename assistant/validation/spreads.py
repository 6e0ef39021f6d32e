"""How wide bands are: what scatters within one publisher's runs, and from one publisher to the next.

    python -m assistant.validation.spreads            # fit, and print the spreads beside the shipped ones
    python -m assistant.validation.spreads --write    # and put them into the catalog

Rows for calibration alone tell both; a spread is a standard deviation of the logarithm of compute time.

*Within* a publisher, by stack: each series is predicted by constants fitted without it, one step of the fit from the
shipped ones. The spread is the one with which eight in ten rows lie within P10-P90, a series counting by the root of
its rows as a source does in the fit, and what else widens a band (network, FP8, a GPU's own) as it is shipped. Few
series tell little: the variance of all stacks together counts as much as :data:`POOLED` series of a stack's own.
Mixtures have a spread besides, found likewise.

*Between* publishers: each one is predicted by constants fitted without any of its rows, on GPU families that others
have measured too. The spread is the root mean square of the publishers' mean errors, less what few series of one would
scatter by themselves.
"""

import datetime
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assistant.library import load
from assistant.model.validation import Run, outcome
from assistant.vocabulary.quantities import NINETIETH

from .calibration import NUDGE, OUT_PASSES, PRIOR, errors, fit, stepped, thinned, told_by, weights
from .constants import Prepared, Values, predicted, prepared, shipped
from .practice import published_runs
from .record import rewritten
from .split import PUBLISHER, Series, family_of, series_of
from .stages import STAGES

WITHIN = 0.8  # share of rows that P10-P90 should hold
POOLED = 3  # series; as many as the rows that a constant's first value counts for in the fit
EVERY = 3  # of the rows of the others, each so many-th tells the constants without a publisher
REWEIGHTED = 5  # times the weights of large errors follow a step


@dataclass(frozen=True)
class Off:
    """One row for calibration as constants fitted without its series, or without its publisher, predict it.

    ``error``: logarithm of predicted ÷ measured. ``beside``: variance of its band beside that of its stack and, of a
    mixture, that of mixtures.
    """

    run: Run
    error: float
    beside: float = 0.0

    @property
    def series(self) -> Series:
        return series_of(self.run)

    @property
    def publisher(self) -> str:
        return PUBLISHER.get(self.run.source, self.run.source)


def usable(runs: Sequence[Run]) -> list[Run]:
    """The rows for calibration."""
    return [run for run in runs if run.use == "calibration"]


def without_series(runs: Sequence[Run], values: Values) -> Iterator[Off]:
    """Every row for calibration that constants are fitted to, predicted without its series."""
    ready = [prepared(run) for run in thinned(runs)]
    for stage in STAGES:
        rows = stage.rows(ready)
        names = [name for name in stage.names if told_by(name, rows)]
        if names:
            yield from _without_each(rows, values, names)


def _without_each(rows: Sequence[Prepared], values: Values, names: Sequence[str]) -> Iterator[Off]:
    found = errors(rows, values)
    nudged = [errors(rows, values | {name: values[name] * np.exp(NUDGE)}) for name in names]
    slopes = np.stack([(error - found) / NUDGE for error in nudged], axis=1)
    series = [series_of(one.run) for one in rows]
    for left in dict.fromkeys(series):
        kept = np.array([one != left for one in series])
        moved = _moved(kept, rows, found, slopes, values, names) if kept.any() else np.zeros(len(names))
        for i in np.flatnonzero(~kept).tolist():
            yield Off(rows[i].run, float(found[i] + slopes[i] @ moved), _beside(rows[i].run))


def _moved(
    kept: np.ndarray,
    rows: Sequence[Prepared],
    found: np.ndarray,
    slopes: np.ndarray,
    values: Values,
    names: Sequence[str],
) -> np.ndarray:
    """How far the logarithms of the constants go where only the rows ``kept`` pull at them, their errors straight in
    them."""
    ours, own, sloped = [one for one, keep in zip(rows, kept, strict=True) if keep], found[kept], slopes[kept]
    moved, held = np.zeros(len(names)), np.eye(len(names)) * PRIOR / len(ours)
    for _ in range(REWEIGHTED):
        weight = weights(ours, own + sloped @ moved)
        normal = sloped.T @ (weight[:, None] * sloped) + held
        then = stepped(values, names, normal, -sloped.T @ (weight * own))
        moved = np.log([then[name] / values[name] for name in names])
    return moved


def _beside(run: Run) -> float:
    """Variance of the logarithm of a step that does not come from its stack's spread or from being a mixture."""
    made = outcome(run)
    whole = (np.log(made.band.p90 / made.band.p10) / (2.0 * NINETIETH)) ** 2
    framework = run.machine.framework(run.job.framework)
    mixture = framework.mixture_spread if run.job.architecture.experts else 0.0
    return float(max(whole - framework.total_spread**2 - mixture**2, 0.0))


def spread_of(rows: Sequence[Off], already: float = 0.0) -> float:
    """The spread with which eight in ten rows lie within P10-P90, a series counting by the root of its rows;
    ``already``: a spread that these rows have besides."""
    sizes: dict[Series, int] = {}
    for row in rows:
        sizes[row.series] = sizes.get(row.series, 0) + 1
    share = np.array([sizes[row.series] ** -0.5 for row in rows])
    share /= share.sum()
    away = (np.array([row.error for row in rows]) / NINETIETH) ** 2 - np.array([row.beside for row in rows])
    order = np.argsort(away)
    last = order[np.searchsorted(np.cumsum(share[order]), WITHIN - 1e-9)]
    return float(np.sqrt(max(away[last] - already**2, 0.0)))


def within_spreads(rows: Sequence[Off]) -> dict[str, float]:
    """The spread of each stack, ``all`` of them together, and ``mixture`` besides."""
    dense = [row for row in rows if not row.run.job.architecture.experts]
    found = {"all": spread_of(dense)}
    for stack in dict.fromkeys(str(row.run.job.framework) for row in dense):
        own = [row for row in dense if row.run.job.framework == stack]
        series = len({row.series for row in own})
        series = series if series > 1 else 0  # the only one of a stack is predicted with what it alone can tell
        found[stack] = float(np.sqrt((series * spread_of(own) ** 2 + POOLED * found["all"] ** 2) / (series + POOLED)))
    mixtures = [row for row in rows if row.run.job.architecture.experts]
    if mixtures:
        stack = str(mixtures[0].run.job.framework)
        found["mixture"] = spread_of(mixtures, found.get(stack, found["all"]))
    return found


def without_publisher(runs: Sequence[Run], publisher: str) -> list[Off]:
    """The dense rows of one publisher predicted without it, those on GPU families that others have measured."""
    rows = usable(runs)
    ours = [run for run in rows if PUBLISHER.get(run.source, run.source) == publisher]
    others = {family_of(run.machine.gpu) for run in rows if run not in ours}
    judged = [r for r in ours if family_of(r.machine.gpu) in others and not r.job.architecture.experts]
    if not judged:
        return []
    values = fit([r for r in runs if r not in ours], passes=OUT_PASSES, every=EVERY)
    return [Off(run, float(np.log(predicted(prepared(run), values) / run.measured_s))) for run in judged]


def between_spread(rows: Sequence[Off]) -> float:
    """The spread from one publisher to the next, of rows predicted without their publisher."""
    variances = []
    for publisher in dict.fromkeys(row.publisher for row in rows):
        own = [row for row in rows if row.publisher == publisher]
        means = np.array([np.mean([r.error for r in own if r.series == one]) for one in {r.series for r in own}])
        few = means.var(ddof=1) / len(means) if len(means) > 1 else 0.0
        variances.append(means.mean() ** 2 - few)
    return float(np.sqrt(max(np.mean(variances), 0.0))) if variances else 0.0


def facts(within: Mapping[str, float], between: float) -> dict[str, float]:
    """The spreads as facts of ``framework.yaml``."""
    own = {f"framework-{stack}-spread": value for stack, value in within.items() if stack not in ("all", "mixture")}
    return own | {"framework-mixture-spread": within["mixture"], "cluster-practice-publishers": between}


def main(arguments: Sequence[str], done: Callable[[str], None] = print) -> None:
    """Fit, print, and with ``--write`` put the spreads into the catalog; each publisher left out takes a minute."""
    library = load()
    runs = published_runs(library.knowledge_folder, library.catalog)
    found = within_spreads(list(without_series(runs, shipped(library.catalog))))
    done(f"all stacks together: {found['all']:.3f}")
    rows: list[Off] = []
    for publisher in dict.fromkeys(PUBLISHER.get(run.source, run.source) for run in usable(runs)):
        own = without_publisher(runs, publisher)
        rows += own
        done(f"without {publisher}: {len(own)} rows, mean error {np.mean([r.error for r in own]) if own else 0:+.3f}")
    values = facts(found, between_spread(rows))
    for name, value in values.items():
        fact = library.catalog.constants.get(name)
        done(f"{name:32} fitted {value:8.4f}   shipped {fact.si if fact else float('nan'):8.4f}")
    if "--write" in arguments:
        path = library.knowledge_folder / "catalog" / "constants" / "framework.yaml"
        done(f"written: {rewritten(path, values, datetime.date.today())}")


if __name__ == "__main__":
    main(sys.argv[1:])
