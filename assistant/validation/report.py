"""Errors per source, over the rows that nothing was calibrated on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from assistant.model.validation import Errors, Run, band, step_time, summarize


@dataclass(frozen=True)
class SourceErrors:
    """One line of ``weft validate``."""

    source: str
    use: str
    errors: Errors


def by_source(runs: Sequence[Run], *, bands: bool = False) -> list[SourceErrors]:
    """Errors of every source and use, excluded rows left out, in the order of the file."""
    groups: dict[tuple[str, str], list[Run]] = {}
    for run in runs:
        if run.use != "excluded":
            groups.setdefault((run.source, run.use), []).append(run)
    return [SourceErrors(source, use, errors_of(group, bands=bands)) for (source, use), group in groups.items()]


def errors_of(runs: Sequence[Run], *, bands: bool = False) -> Errors:
    """Errors of these runs, with the share of them inside P10-P90 when ``bands``."""
    return summarize(runs, [step_time(run) for run in runs], [band(run) for run in runs] if bands else None)
