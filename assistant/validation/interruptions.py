"""Interruptions as operators reported them, beside what a plan expects of a job of that size."""

import csv
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assistant.market import Interruptions, checkpoint_seconds, interruptions_of
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import NINETIETH

from .groups import Group, Kept, Observed

_TRAINED = 100e9  # parameters where a row does not say what was trained
_TITLES = {"effective_percent": "share of time that trains", "hours_between": "hours between interruptions"}


def interruption_groups(measurements: Path, catalog: Catalog) -> Iterator[Group]:
    """Effective training time and time between interruptions, what the constants come from apart."""
    found: dict[tuple[str, Kept], list[Observed]] = {}
    with (measurements / "interruptions.csv").open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            state = (
                catalog.constants["cost-checkpoint-state"].si
                * (float(row["trained_b"] or 0) * 1e9 or _TRAINED)
                / int(row["gpus"])
            )
            expected = interruptions_of(int(row["nodes"]), checkpoint_seconds(state, catalog), catalog)
            use: Kept = "calibrated" if row["use"] == "calibrated" else "kept out"
            found.setdefault((row["measure"], use), []).append(_observed(row, expected))
    for (measure, use), rows in sorted(found.items()):
        yield Group("interruptions of large jobs", _TITLES[measure], use, tuple(rows))


def _observed(row: dict[str, str], expected: Interruptions) -> Observed:
    value = float(row["value"])
    if row["measure"] == "effective_percent":
        low, middle, high = (100.0 * share for share in expected.effective())
        return Observed(value, middle, (low, high))
    hours, away = expected.between_s / 3600, np.exp(NINETIETH * expected.rate_spread)
    return Observed(value, hours, (hours / away, hours * away), constant=1.0 / int(row["nodes"]))
