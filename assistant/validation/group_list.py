"""The groups of measured rows that the handbook lists: a function for each kind of table, and their order."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import exp
from pathlib import Path

from assistant.model.described import architecture_of
from assistant.model.validation import Run, flops
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import NINETIETH
from assistant.vocabulary.validation import GroupAccuracy, MeasuredRun, Slowdown

from .adapters import LOOKED_AT, adapter_runs
from .dispatch import predicted, read_calls, spread_of
from .groups import Group, Kept, Observed, accuracies, observed
from .interruptions import interruption_groups
from .kv_transfers import kv_transfer_groups
from .low_communication import low_communication_groups
from .mlperf import benchmark_runs, pairs
from .reinforcement import SEEN, steps_compared, syncs_compared
from .serving import serving_groups
from .serving_clusters import cluster_groups
from .step_tail import step_tail_groups


@dataclass(frozen=True)
class Measured:
    """What the groups are made from: the folder of measurements, the catalog, and the training runs as they were
    already predicted."""

    folder: Path
    catalog: Catalog
    training: Sequence[tuple[Run, MeasuredRun]]
    slowdowns: Sequence[Slowdown]


def described_groups(measured: Measured) -> list[GroupAccuracy]:
    """Every group with its errors."""
    return accuracies(group for made in GROUPS for group in made(measured))


def _training(measured: Measured) -> Iterator[Group]:
    """Full training by source and kind of model; validation rows of a source that was also fitted to are kept out
    too. Those of mixtures were looked at before ``kernel-grouped`` was set."""
    found: dict[tuple[str, str, Kept], list[Observed]] = {}
    for run, row in measured.training:
        kind = "mixtures" if run.job.architecture.experts else "dense"
        looked_at: Kept = "seen" if run.job.architecture.experts else "kept out"
        use: Kept = "calibrated" if run.use == "calibration" else looked_at
        made = Observed(run.measured_s, row.predicted_s, (row.p10_s, row.p90_s), flops(run))
        found.setdefault((run.source, kind, use), []).append(made)
    for (source, kind, use), rows in sorted(found.items(), key=lambda item: (item[0][1], item[0][0], item[0][2])):
        yield Group(f"{source}, {kind}", "step", use, tuple(rows))


def _mlperf(measured: Measured) -> Iterator[Group]:
    runs = benchmark_runs(measured.folder, measured.catalog)
    for model, name in (("gpt-3-175b", "GPT-3 175B"), ("llama-3.1-8b", "Llama 3.1 8B")):
        architecture = architecture_of(measured.catalog.models[model])
        rows = tuple(observed(run) for run in runs if run.job.architecture == architecture)
        yield Group(f"MLPerf, {name}", "step", "kept out", rows)


def _adapters(measured: Measured) -> Iterator[Group]:
    found: dict[str, list[Observed]] = {}
    for run in adapter_runs(measured.folder, measured.catalog):
        if run.use != "excluded":
            found.setdefault(run.source, []).append(observed(run))
    for source, rows in sorted(found.items()):
        use: Kept = "seen" if source in LOOKED_AT else "kept out"
        yield Group(f"LoRA and QLoRA, {source}", "step", use, tuple(rows))


def _ratios(measured: Measured) -> Iterator[Group]:
    """The same job on two networks, and on more GPUs; those apart that also split a sequence over more or fewer of
    them, which says as much of context parallelism as of scale."""
    slower = [Observed(line.measured, line.predicted) for line in measured.slowdowns if line.use == "validation"]
    yield Group("same job over TCP and InfiniBand, Azure", "ratio of steps", "kept out", tuple(slower))
    runs = [*benchmark_runs(measured.folder, measured.catalog), *adapter_runs(measured.folder, measured.catalog)]
    known = {run.id: run for run in runs if run.use != "excluded"}
    for name, differs in (("same job on two networks, MLPerf", "network"), ("more GPUs, MLPerf", "gpus")):
        both = [(known[a], known[b]) for a, b in pairs(measured.folder, differs, known)]
        alike = [(a, b) for a, b in both if a.parallelism.cp == b.parallelism.cp]
        apart = [(a, b) for a, b in both if a.parallelism.cp != b.parallelism.cp]
        yield Group(name, "ratio of steps", "kept out", tuple(_ratio(a, b) for a, b in alike))
        yield Group(f"{name}, other cp", "ratio of steps", "kept out", tuple(_ratio(a, b) for a, b in apart))


def _ratio(first: Run, second: Run) -> Observed:
    """The second run's step over the first one's; the model of one constant knows what FLOPs per GPU tell."""
    a, b = observed(first), observed(second)
    return Observed(b.measured / a.measured, b.predicted / a.predicted, constant=b.constant / a.constant)


def _interruptions(measured: Measured) -> Iterable[Group]:
    return interruption_groups(measured.folder, measured.catalog)


def _low_communication(measured: Measured) -> Iterable[Group]:
    return low_communication_groups(measured.folder)


def _step_tail(measured: Measured) -> Iterable[Group]:
    return step_tail_groups(measured.folder, measured.catalog)


def _reinforcement(measured: Measured) -> Iterator[Group]:
    """Whole steps of reinforcement learning and weights on their way, by publisher."""
    tables = (("RL", "step", steps_compared), ("weight sync", "seconds", syncs_compared))
    for name, quantity, compared in tables:
        found: dict[tuple[str, Kept], list[Observed]] = {}
        for row in compared(measured.folder, measured.catalog):
            judges: Kept = "seen" if row.group in SEEN else "kept out"
            use: Kept = "calibrated" if row.use == "calibration" else judges
            made = Observed(row.measured_s, row.predicted_s, (row.p10_s, row.p90_s), row.simple)
            found.setdefault((row.group, use), []).append(made)
        for (group, use), rows in sorted(found.items()):
            yield Group(f"{name}, {group}", quantity, use, tuple(rows))


def _dispatches(measured: Measured) -> Iterator[Group]:
    """Expert dispatch and combine, by kernel, publisher and GPU."""
    found: dict[tuple[str, Kept], list[Observed]] = {}
    for call in read_calls(measured.folder, measured.catalog):
        use: Kept = "calibrated" if call.use == "calibration" else "kept out"
        seconds, away = predicted(call), exp(NINETIETH * spread_of(call))
        made = Observed(call.seconds, seconds, (seconds / away, seconds * away), call.copy_bytes)
        name = f"{'decoding: ' * call.routing.direct}dispatch and combine, {call.source}, {call.machine.gpu}"
        found.setdefault((name, use), []).append(made)
    for (name, use), rows in sorted(found.items()):
        yield Group(name, "seconds", use, tuple(rows))


def _kv_transfers(measured: Measured) -> Iterable[Group]:
    return kv_transfer_groups(measured.folder, measured.catalog)


def _serving(measured: Measured) -> Iterable[Group]:
    yield from serving_groups(measured.folder, measured.catalog)
    yield from cluster_groups(measured.folder, measured.catalog)


GROUPS: tuple[Callable[[Measured], Iterable[Group]], ...] = (
    _training,
    _mlperf,
    _adapters,
    _ratios,
    _reinforcement,
    _dispatches,
    _kv_transfers,
    _serving,
    _step_tail,
    _interruptions,
    _low_communication,
)
