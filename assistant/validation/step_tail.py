"""Distributions of step times as MLPerf's logs have them, beside what is said of the slowest in a hundred."""

import csv
from collections.abc import Iterator
from pathlib import Path

from assistant.model.tail import excess_of_slowest
from assistant.vocabulary.catalog import Catalog

from .groups import Group, Kept, Observed


def step_tail_groups(measurements: Path, catalog: Catalog) -> Iterator[Group]:
    """P99 over the median less one, NVIDIA's own submissions apart."""
    found: dict[Kept, list[Observed]] = {"calibrated": [], "kept out": []}
    with (measurements / "step_tail.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            use: Kept = "calibrated" if row["use"] == "calibrated" else "kept out"
            low, middle, high = excess_of_slowest(catalog.constants, float(row["step_median_s"]))
            found[use].append(Observed(float(row["p99_over_median"]) - 1.0, middle, (low, high)))
    for use, rows in found.items():
        yield Group("slowest steps, MLPerf", "P99 over median, less 1", use, tuple(rows))
