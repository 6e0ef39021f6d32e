"""Fine-tuning with adapters as it was measured: LoRA and QLoRA, time and peak of memory, beside the model.

``knowledge/measurements/finetuning.csv`` has the columns of ``training.csv`` and what is trained. No constant of the
model was chosen by any of its rows: they all judge.
"""

from collections.abc import Sequence
from pathlib import Path

from assistant.model.validation import Run, outcome
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.validation import AdapterReport

from .memory import memory_report, observed_of
from .practice import as_published
from .report import Judged, accuracy
from .runs import read_runs

# Who measured with the software, and the settings, of the GPU's vendor: every submitter of MLPerf runs its container.
OF_THE_VENDOR = ("dgxc", "megatron-bridge", "mlperf", "nemo")
LOOKED_AT = ("prime-rl",)  # before FlashAttention-3's speed was looked up, and that its experts are multiplied at once
# Whose figures are what PyTorch's allocator reserved: whole blocks of 2 MiB in each of the rows.
RESERVED = ("prime-rl",)


def adapter_runs(measurements: Path, catalog: Catalog) -> list[Run]:
    """The rows of ``finetuning.csv``, those of the vendors predicted without what others take longer; no constant is
    known from this kind of job, of any of them."""
    runs = read_runs(measurements / "finetuning.csv", catalog)
    return [as_published(run, known=False) if run.source in OF_THE_VENDOR else run for run in runs]


def adapter_report(runs: Sequence[Run]) -> AdapterReport:
    """Errors of the step by source and GPU, of the peak of memory by source, and which runs are refused."""
    kept = [run for run in runs if run.use != "excluded"]
    groups: dict[str, list[Judged]] = {}
    for run in kept:
        one = outcome(run)
        row = (run, one.step_time_s, (one.band.p10, one.band.p90))
        groups.setdefault(f"{run.source}, {run.machine.gpu}", []).append(row)
    lines = [accuracy(name, "validation", groups[name]) for name in sorted(groups)]
    everything = accuracy("", "validation", [row for rows in groups.values() for row in rows])
    return AdapterReport(
        sources=[*lines, everything],
        memory=memory_report(kept, observed_of(kept, RESERVED)),
        excluded=len(runs) - len(kept),
    )
