"""The ratio that decides between fabrics: the same job measured on two of them, beside what is predicted."""

from collections.abc import Sequence

from assistant.model.validation import Run
from assistant.vocabulary.validation import MeasuredRun, Slowdown


def slowdowns(runs: Sequence[tuple[Run, MeasuredRun]]) -> list[Slowdown]:
    """The first run of every job on each slower fabric, against the fastest run of the same job by the same source."""
    jobs: dict[tuple, list[tuple[Run, MeasuredRun]]] = {}
    for run, row in runs:
        key = (run.source, run.job, run.machine.gpu, run.machine.gpus_per_node, run.parallelism.model_dump_json())
        jobs.setdefault(key, []).append((run, row))
    return [found for same in jobs.values() for found in _against_fastest(same)]


def _against_fastest(same: Sequence[tuple[Run, MeasuredRun]]) -> list[Slowdown]:
    fastest = min((row for _, row in same), key=lambda row: row.measured_s)
    first: dict[str, MeasuredRun] = {}
    for _, row in same:
        first.setdefault(row.fabric, row)
    return [
        Slowdown(
            source=row.source,
            use=row.use,
            id=row.id,
            against=fastest.id,
            gpus=row.gpus,
            fabric=row.fabric,
            fastest=fastest.fabric,
            measured=row.measured_s / fastest.measured_s,
            predicted=row.predicted_s / fastest.predicted_s,
        )
        for fabric, row in first.items()
        if fabric != fastest.fabric
    ]
