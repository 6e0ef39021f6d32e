"""Errors per source and in total, row by row, and with constants calibrated without the source."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import cast

from assistant.model.validation import Errors, Run, outcome, step_time, summarize
from assistant.vocabulary.validation import MeasuredRun, SourceAccuracy, Use, Validation

from .slowdowns import slowdowns

Judged = tuple[Run, float, tuple[float, float]]  # a run, the seconds predicted and their band


def validate(runs: Sequence[Run], file: Path, done: Callable[[], None] = lambda: None) -> Validation:
    """Every run that is not excluded beside its prediction, and the errors by source, validation rows before others.

    ``done`` is called after each run.
    """
    kept = [run for run in runs if run.use != "excluded"]
    measured = [_measured(run, done) for run in kept]
    pairs, sources = list(zip(kept, measured, strict=True)), []
    for use in ("validation", "calibration"):
        sources += _by_source([(run, row) for run, row in pairs if run.use == use], use)
    left_away = len(runs) - len(kept)
    return Validation(file=str(file), excluded=left_away, sources=sources, runs=measured, slowdowns=slowdowns(pairs))


def planned(runs: Sequence[Run]) -> list[SourceAccuracy]:
    """Errors by source of runs whose prediction counts what others than their publishers take longer."""
    return _by_source([(run, _measured(run, lambda: None)) for run in runs], "planned")


def _measured(run: Run, done: Callable[[], None]) -> MeasuredRun:
    predicted = outcome(run)
    done()
    return MeasuredRun(
        id=run.id,
        source=run.source,
        use=cast("Use", run.use),
        gpu=run.machine.gpu,
        gpus=run.job.gpus,
        fabric=run.network.id,
        measured_s=run.measured_s,
        predicted_s=predicted.step_time_s,
        p10_s=predicted.band.p10,
        p90_s=predicted.band.p90,
    )


def _by_source(found: Sequence[tuple[Run, MeasuredRun]], use: Use) -> list[SourceAccuracy]:
    rows = [(run, row.predicted_s, (row.p10_s, row.p90_s)) for run, row in found]
    names = dict.fromkeys(run.source for run, _, _ in rows)
    lines = [accuracy(name, use, [row for row in rows if row[0].source == name]) for name in names]
    return lines + ([accuracy("", use, rows)] if len(names) > 1 else [])


def accuracy(source: str, use: Use, rows: Sequence[Judged]) -> SourceAccuracy:
    """One line of a report."""
    errors = asdict(summarize(*(list(column) for column in zip(*rows, strict=True))))
    return SourceAccuracy(source=source, use=use, runs=errors.pop("count"), **errors)


def left_out(runs: Sequence[Run], predictions: Mapping[str, Sequence[float]]) -> list[SourceAccuracy]:
    """Errors of the sources that :func:`assistant.validation.calibration.leave_one_out` predicted, by kind of model
    too.

    Bands are as wide as those of ``runs`` with the shipped constants, around the prediction made without the source.
    """
    kept = [run for run in runs if run.use != "excluded"]
    lines: list[SourceAccuracy] = []
    for source, seconds in predictions.items():
        own = zip((run for run in kept if run.source == source), seconds, strict=True)
        rows = [(run, time, _band_around(run, time)) for run, time in own]
        lines += [accuracy(source, "left out", rows), *_by_kind(source, rows)]
    return lines


def _band_around(run: Run, seconds: float) -> tuple[float, float]:
    shipped = outcome(run)
    factor = seconds / shipped.step_time_s
    return factor * shipped.band.p10, factor * shipped.band.p90


def _by_kind(source: str, rows: Sequence[Judged]) -> list[SourceAccuracy]:
    """Dense models and mixtures apart, where a source has both."""
    dense = [row for row in rows if not row[0].job.architecture.experts]
    mixtures = [row for row in rows if row[0].job.architecture.experts]
    kinds = {"dense": dense, "mixtures": mixtures} if dense and mixtures else {}
    return [accuracy(f"{source}, {kind}", "left out", of_kind) for kind, of_kind in kinds.items()]


def errors_of(runs: Sequence[Run], *, bands: bool = False) -> Errors:
    """Errors of these runs, with the share of them inside P10-P90 when ``bands``."""
    if not bands:
        return summarize(runs, [step_time(run) for run in runs])
    made = [outcome(run) for run in runs]
    return summarize(runs, [one.step_time_s for one in made], [(one.band.p10, one.band.p90) for one in made])
