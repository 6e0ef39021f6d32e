"""MLPerf Training as submitters logged it: audited step times, to none of which a constant was fitted.

``knowledge/measurements/mlperf.csv`` has the columns of ``training.csv`` and the benchmarks GPT-3 175B and Llama 3.1
8B; Llama 2 70B with LoRA stands in ``finetuning.csv``. Every submitter runs the vendor's container, so all are
predicted without what others take longer. ``mlperf_pairs.csv`` names runs that differ in one thing: the network (same
round, model, GPUs and layout) or the number of GPUs (same submitter, round, model, GPU, micro-batch, TP and PP).
"""

import csv
from collections.abc import Mapping
from pathlib import Path

from assistant.model.validation import Run
from assistant.vocabulary.catalog import Catalog

from .practice import as_published
from .runs import read_runs

Pair = tuple[str, str]  # ids of two runs


def benchmark_runs(measurements: Path, catalog: Catalog) -> list[Run]:
    """The rows of ``mlperf.csv`` that are not excluded."""
    runs = read_runs(measurements / "mlperf.csv", catalog)
    return [as_published(run, known=False) for run in runs if run.use != "excluded"]


def pairs(measurements: Path, differs: str, known: Mapping[str, Run]) -> list[Pair]:
    """Pairs of known runs that differ in the ``network`` or in the number of ``gpus``, the smaller one first."""
    with (measurements / "mlperf_pairs.csv").open(newline="", encoding="utf-8") as file:
        named = [(row["first"], row["second"]) for row in csv.DictReader(file) if row["differs"] == differs]
    return [(a, b) for a, b in named if a in known and b in known]
