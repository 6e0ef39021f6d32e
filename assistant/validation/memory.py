"""Measured peaks of memory, layouts that ran and layouts that ran out of it, beside what the model says of them.

``knowledge/measurements/memory.csv``: a row either names a run of ``training.csv`` (column ``run``) or gives a job in
that file's columns. ``outcome`` is ``ran`` or ``out of memory``; ``memory_bytes``, where known, is the peak of one GPU:
``seen`` as what PyTorch's ``allocator`` gave out, what it ``reserved`` for that, or on the whole ``device``. Every run
of ``training.csv`` fitted into its GPU's memory too.
"""

import csv
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from assistant.model.memory import FRAGMENTATION, SURPLUS, least_bytes, memory_of
from assistant.model.search import layouts_for
from assistant.model.validation import Run
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.validation import MemoryAccuracy, MemoryReport, Refused, Use, Validation

from .runs import USES, run_of

SEEN = ("allocator", "reserved", "device")
OUTCOMES = ("ran", "out of memory")
# Sources that do not say what was recomputed: a run of theirs fits when it fits with any recomputation.
RECOMPUTE_UNSTATED = ("dgxc", "megatron-bridge", "nemo")
FUSED_LOSS = ("llm-foundry",)  # loss_fn fused_crossentropy in its configuration files
# What they print is of the first stage: with one micro-batch and two stages the last one, with the head, would hold 1.4
# to 1.7 times as much as is printed (usp-0183, 0185, 0191, 0194 and 0195, for calibration).
FIRST_STAGE = ("ultrascale-pipelines",)
_OWN = ("run", "master_weights", "outcome", "memory_bytes", "seen", "published")


@dataclass(frozen=True)
class Observed:
    """A job and what is known of its memory; ``bytes`` of one GPU, None where nobody measured it."""

    run: Run
    ran: bool
    bytes: float | None = None
    seen: str = "allocator"

    @property
    def source(self) -> str:
        """Who saw it."""
        return self.run.source


@dataclass(frozen=True)
class Peak:
    """Bytes of one GPU as predicted: in the allocator of the stage whose memory is printed, in total with margin and
    context, the ``least`` without which it is refused, and what the GPU has."""

    allocated: float
    total: float
    least: float
    limit: float

    @property
    def fits(self) -> bool:
        """Whether a plan would say so of this very split."""
        return min(self.total, self.least) <= self.limit

    @property
    def spare(self) -> bool:
        """Whether it fits with the margin too, as what a plan chooses itself does."""
        return self.total <= self.limit


def read_memory(path: Path, runs: Sequence[Run], catalog: Catalog) -> list[Observed]:
    """The rows of ``memory.csv``. Raises :class:`InputError` naming file, line and column of the first bad cell."""
    known = {run.id: run for run in runs}
    with path.open(newline="", encoding="utf-8") as file:
        reader = csv.DictReader(file)
        found = []
        for row in reader:
            try:
                if row["use"] != "excluded":
                    found.append(_observed(row, known, catalog))
            except InputError as error:
                raise error.located(file=str(path), line=reader.line_num) from None
    return found


def _observed(row: Mapping[str, str], known: Mapping[str, Run], catalog: Catalog) -> Observed:
    for name, accepted in (("outcome", OUTCOMES), ("seen", (*SEEN, "")), ("use", USES)):
        if row[name] not in accepted:
            raise InputError(f'expected one of {", ".join(accepted)}, got "{row[name]}"', Place(field=name))
    if row["run"] and row["run"] not in known:
        raise InputError(f'expected a run of training.csv, got "{row["run"]}"', Place(field="run"))
    run = known[row["run"]] if row["run"] else run_of(_job_cells(row), catalog)
    said = {name: row[name] for name in ("source", "use", "reason")}
    job = run.job.with_(master_weights=row["master_weights"] != "0")
    run = replace(run, id=row["run"] or row["id"], job=job, **said)
    measured = float(row["memory_bytes"]) if row["memory_bytes"] else None
    return Observed(run, row["outcome"] == "ran", measured, row["seen"] or "allocator")


def _job_cells(row: Mapping[str, str]) -> dict[str, str]:
    """The row in the columns of ``training.csv``; neither a fabric nor a step time changes memory."""
    cells = {name: value for name, value in row.items() if name not in _OWN}
    return cells | {"fabric": "infiniband-ndr-400", "step_time_s": "1"}


def peak(run: Run) -> Peak:
    """What the model says of a run, at the layout with the least bytes where the run leaves something open."""
    job = run.job.with_(fused_loss=run.source in FUSED_LOSS)
    layouts, framework = layouts_for(job, run.machine, run.parallelism), run.machine.framework(run.job.framework)
    memory = memory_of(job, run.machine, framework, layouts)
    at = int(np.argmin(memory.total))
    printed = memory_of(job, run.machine, framework, layouts, first=True) if run.source in FIRST_STAGE else memory
    least = float(least_bytes(job, run.machine, framework, layouts).min())
    return Peak(float(printed.allocated[at]), float(memory.total[at]), least, run.machine.memory)


def with_memory(made: Validation, runs: Sequence[Run], measurements: Path | None, catalog: Catalog) -> Validation:
    """The report with the memory part: of the shipped ``measurements``, or of a user's runs, where they say what they
    took."""
    rows = read_memory(measurements / "memory.csv", runs, catalog) if measurements else observed_of(runs)
    known = measurements or any(row.bytes for row in rows)
    return made.model_copy(update={"memory": memory_report(runs, rows)}) if known else made


def observed_of(runs: Sequence[Run], reserved: Collection[str] = ()) -> list[Observed]:
    """Runs whose file says how much memory they took, excluded ones left away; of the sources ``reserved`` it is what
    the allocator held."""
    kept = [run for run in runs if run.use != "excluded"]
    return [
        Observed(run, True, run.memory_bytes, "reserved" if run.source in reserved else "allocator") for run in kept
    ]


def memory_report(runs: Sequence[Run], rows: Sequence[Observed]) -> MemoryReport:
    """Errors of measured peaks, and verdicts on all ``runs`` and ``rows``: what ran and is refused, what did not and is
    not.

    A row about a run of ``runs`` replaces it: it knows more.
    """
    told = {row.run.id for row in rows if row.ran}
    others = [Observed(run, True) for run in runs if run.use != "excluded" and run.id not in told]
    ran = [row for row in rows if row.ran] + others
    peaks = [peak(row.run) for row in ran]
    unfit = [(row.run, found) for row, found in zip(ran, peaks, strict=True) if not found.spare]
    saved = [run for run, _ in unfit if run.source in RECOMPUTE_UNSTATED and peak(_recomputing(run)).spare]
    close = [run for run, found in unfit if run not in saved and found.fits]
    refused = [_refused(run, found) for run, found in unfit if run not in saved and not found.fits]
    dead = [row.run for row in rows if not row.ran]
    measured = [(row, found) for row, found in zip(ran, peaks, strict=True) if row.bytes is not None]
    return MemoryReport(
        sources=_accuracies(measured),
        margin=FRAGMENTATION,
        surplus=SURPLUS,
        ran=len(ran),
        fit=len(ran) - len(unfit),
        fit_recomputing=len(saved),
        fit_closely=len(close),
        refused=refused,
        out_of_memory=len(dead),
        wrongly_fit=[run.id for run in dead if peak(run).fits],
    )


def _recomputing(run: Run) -> Run:
    return replace(run, job=run.job.with_(recompute=None))


def _refused(run: Run, found: Peak) -> Refused:
    return Refused(id=run.id, source=run.source, needed_bytes=found.least, gpu_bytes=found.limit, reason=run.reason)


def _accuracies(measured: Sequence[tuple[Observed, Peak]]) -> list[MemoryAccuracy]:
    lines: list[MemoryAccuracy] = []
    for use in ("validation", "calibration"):
        of_use = [pair for pair in measured if pair[0].run.use == use]
        lines += [
            _accuracy(source, use, [pair for pair in of_use if pair[0].source == source])
            for source in dict.fromkeys(row.source for row, _ in of_use)
        ]
    return lines


def _as_seen(row: Observed, found: Peak) -> float:
    """The predicted bytes of what somebody saw: with the margin for blocks that cannot be given out where they saw
    what is reserved, with everything but it where they saw the device."""
    if row.seen == "device":
        return found.total - found.allocated * FRAGMENTATION
    return found.allocated * (1.0 + FRAGMENTATION if row.seen == "reserved" else 1.0)


def _accuracy(source: str, use: Use, pairs: Sequence[tuple[Observed, Peak]]) -> MemoryAccuracy:
    """Errors of the allocator's peak; of what it reserved with the margin, of a whole device's with everything else."""
    predicted = np.array([_as_seen(row, found) for row, found in pairs])
    spared = np.array([1.0 if row.seen == "reserved" else 1.0 + FRAGMENTATION for row, _ in pairs])
    measured = np.array([row.bytes for row, _ in pairs])
    error = predicted / measured - 1.0
    size = np.abs(error)
    return MemoryAccuracy(
        source=source,
        use=use,
        rows=len(pairs),
        mean_absolute=float(size.mean()),
        median_absolute=float(np.median(size)),
        p90_absolute=float(np.quantile(size, 0.9)),
        bias=float(error.mean()),
        within_margin=float(np.mean(measured <= predicted * spared)),
    )
