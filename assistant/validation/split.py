"""Which measured runs the model may be calibrated on, and which only judge it.

A *series* is everything one publisher measured on one GPU generation with models of one width (hidden size) and kind
(dense or mixture): other depths, GPU counts, splits, micro-batches, sequence lengths, precisions and releases are
near-duplicates of a job and stay on one side. The tables that NVIDIA publishes (dgxc, Megatron-Bridge, NeMo) repeat
each other's jobs and count as one publisher. Every other width of a publisher is for calibration, from the widest on,
because large matrices tell efficiencies and small ones only launches; publishers and tables in ``ONLY_VALIDATION`` are
for none.

vTrain measured two widths only, at four tensor-parallel degrees each. Its series are the matrices a GPU multiplies,
width and degree, like the squares of a board: one colour is for calibration, again that of the largest, so that no
matrix that judges was fitted.
"""

from collections.abc import Iterable, Sequence

from assistant.model.validation import Run

PUBLISHER = {
    "dgxc": "nvidia",
    "megatron-bridge": "nvidia",
    "nemo": "nvidia",
    "nemo-long": "nvidia",
    "azure-ring-tree": "azure",
}
ONLY_VALIDATION = ("azure", "kempner", "nemo-long")
FAMILY = {
    "a100": "a100",
    "h100": "hopper",
    "h200": "hopper",
    "v100": "v100",
    "b200": "blackwell",
    "gb200": "blackwell",
    "b300": "blackwell-ultra",
    "gb300": "blackwell-ultra",
}

BY_MATRIX = ("vtrain",)

Series = tuple[
    str, str, bool, int, int
]  # publisher, GPU generation, mixture of experts, hidden size, tensor parallelism or 0


def family_of(gpu: str) -> str:
    """GPUs that share efficiency constants; a GPU of no measured family is its own."""
    return FAMILY.get(gpu.split("-")[0], gpu)


def series_of(run: Run) -> Series:
    """What a run has in common with its near-duplicates."""
    a = run.job.architecture
    generation = family_of(run.machine.gpu).removesuffix("-ultra")
    publisher = run.source if run.source in ONLY_VALIDATION else PUBLISHER.get(run.source, run.source)
    return publisher, generation, bool(a.experts), a.hidden, run.parallelism.tp if publisher in BY_MATRIX else 0


def calibration_series(series: Iterable[Series]) -> set[Series]:
    """Every other series within a publisher, GPU generation and kind (dense or mixture), from the widest model on."""
    groups: dict[tuple[str, str, bool], list[Series]] = {}
    for one in sorted(set(series), reverse=True):
        groups.setdefault(one[:3], []).append(one)
    return {one for group in groups.values() if group[0][0] not in ONLY_VALIDATION for one in _every_other(group)}


def _every_other(group: list[Series]) -> list[Series]:
    """Every other width of a group, or every other square of widths and tensor-parallel degrees."""
    widths, degrees = sorted({one[3] for one in group}, reverse=True), sorted({one[4] for one in group})
    return [one for one in group if (widths.index(one[3]) + degrees.index(one[4])) % 2 == 0]


def use_of(runs: Sequence[Run]) -> list[str]:
    """Where each run belongs: ``calibration`` or ``validation``; excluded runs stay excluded."""
    chosen = calibration_series(series_of(run) for run in runs if run.use != "excluded")
    return [
        run.use if run.use == "excluded" else "calibration" if series_of(run) in chosen else "validation"
        for run in runs
    ]
