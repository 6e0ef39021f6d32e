"""Predicted against measured: as text, CSV and JSON, and as the handbook's page and plot."""

import sys
import textwrap
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from assistant.vocabulary.validation import CollectiveAccuracy, MeasuredRun, Slowdown, SourceAccuracy, Validation

from . import memory_report
from .blocks import Table
from .cells import csv_text
from .covered import covered_cell
from .memory_report import percents
from .text import block_lines, safe

SOURCE_HEAD = ("source", "runs", "mean", "median", "P90", "bias", "one constant", "in P10-P90")
_COLLECTIVE_HEAD = ("source", "messages", "rows", "median", "P90", "bias", "bandwidth")
_TITLES = {
    "validation": "Rows that nothing was calibrated on",
    "calibration": "Rows the constants were calibrated on",
    "left out": "Each source predicted by constants calibrated without it",
}


def as_text(made: Validation, *, rows: bool = False, width: int = 100) -> str:
    """Tables by use, errors in percent of the measured step; with ``rows`` every run first and every run refused by
    name."""
    excluded = f", {made.excluded} excluded" if made.excluded else ""
    lines = wrapped(
        f"{len(made.runs)} measured runs of {safe(made.file)}{excluded}. Errors of the predicted step in percent of "
        "the measured one. 'one constant': time proportional to FLOPs, best constant.",
        width,
    )
    if rows:
        lines += ["", *_row_table(made.runs)]
    lines += _by_use(made.sources, SOURCE_HEAD, source_cells)
    return "\n".join([*lines, *_slowdowns(made, width), *_memory(made, rows, width), *_collectives(made, width)]) + "\n"


def _by_use(
    lines: Sequence[Any], head: Sequence[str], cells: Callable[[Any], Sequence[str]], left: int = 1
) -> list[str]:
    """A table for each use that there is, under its title."""
    used = [(title, [cells(line) for line in lines if line.use == use]) for use, title in _TITLES.items()]
    return [text for title, rows in used if rows for text in ("", title, *_columns(head, rows, left))]


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """The text in lines of at most ``width`` characters; lines after the first begin with ``indent``."""
    return textwrap.wrap(text, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


SLOWDOWN_HEAD = ("run", "GPUs", "fabric", "against", "measured", "predicted", "error")


def slowdown_cells(line: Slowdown) -> tuple[str, ...]:
    """One pair of runs as cells of a table."""
    figures = (f"{line.measured:.3g}×", f"{line.predicted:.3g}×", f"{100 * line.error:+.0f} %")
    return (safe(line.id), str(line.gpus), safe(line.fabric), safe(line.fastest), *figures)


def _slowdowns(made: Validation, width: int) -> list[str]:
    """The same job on two fabrics, where a file has such runs."""
    if not made.slowdowns:
        return []
    said = wrapped("The same job on a slower fabric: its step over that on the fastest one.", width)
    return ["", *said, *_columns(SLOWDOWN_HEAD, map(slowdown_cells, made.slowdowns))]


def _memory(made: Validation, rows: bool, width: int) -> list[str]:
    """Errors of the peak of memory, where it was measured, and how often 'fits' is right."""
    memory = made.memory
    if memory is None:
        return []
    said = (
        "Peak of one GPU's memory: errors of the predicted one in percent of the measured one; 'within "
        f"margin': measured at most the predicted one and {100 * memory.margin:.0f} %."
    )
    refused = memory_report.refusals(memory, ids=rows or len(memory.refused) <= 5)
    return [
        "",
        *wrapped(said, width),
        *_by_use(memory.sources, memory_report.HEAD, memory_report.cells),
        "",
        *(line for text in memory_report.verdicts(memory) for line in wrapped(text, width)),
        *(line for text in refused for line in wrapped(f"- {text}", width, "  ")),
    ]


def _collectives(made: Validation, width: int) -> list[str]:
    """Errors of NCCL's collectives, where they were compared."""
    if not made.collectives:
        return []
    compared = sum(line.rows for line in made.collectives if not line.source)
    said = (
        f"{compared} measured collectives, {made.collectives_excluded} excluded. Errors of the predicted time "
        "in percent of the measured one; small: up to 1 MiB. 'bandwidth': median error of the bus bandwidth. "
        "Bias: the median with its sign."
    )
    return ["", *wrapped(said, width), *_by_use(made.collectives, _COLLECTIVE_HEAD, collective_cells, left=2)]


def collective_cells(line: CollectiveAccuracy) -> tuple[str, ...]:
    """Errors of a source's collectives as cells of a table."""
    sizes, bias = percents(line.median_absolute, line.p90_absolute), f"{100 * line.bias:+.1f}"
    return (safe(line.source) or "all", line.messages, str(line.rows), *sizes, bias, *percents(line.median_bandwidth))


def source_cells(line: SourceAccuracy) -> tuple[str, ...]:
    """Errors of a source's runs as cells of a table."""
    sizes, bias = percents(line.mean_absolute, line.median_absolute, line.p90_absolute), f"{100 * line.bias:+.1f}"
    covered = "" if line.covered is None else covered_cell(line.covered, line.runs, marked=False)
    return (safe(line.source) or "all", str(line.runs), *sizes, bias, *percents(line.null_mean_absolute), covered)


def _row_table(runs: list[MeasuredRun]) -> list[str]:
    head = ("row", "source", "use", "GPU", "GPUs", "fabric", "measured s", "predicted s", "error %")
    return _columns(head, map(_run_cells, runs), left=6)


def _run_cells(run: MeasuredRun) -> tuple[str, ...]:
    seconds = f"{run.measured_s:.4g}", f"{run.predicted_s:.4g}", f"{100 * run.error:+.1f}"
    return (safe(run.id), safe(run.source), run.use, run.gpu, str(run.gpus), run.fabric, *seconds)


def _columns(head: Sequence[str], rows: Iterable[Sequence[str]], left: int = 1) -> list[str]:
    """Aligned columns, the first ``left`` of them to the left, however wide."""
    table = Table(list(head), [list(row) for row in rows], frozenset(range(left, len(head))))
    return block_lines(table, sys.maxsize)


def as_json(made: Validation, *, rows: bool = False) -> str:
    """The whole report; without ``rows`` the single runs are left away."""
    shown = made if rows else made.model_copy(update={"runs": []})
    return shown.model_dump_json(indent=2) + "\n"


def as_csv(made: Validation, *, rows: bool = False) -> str:
    """One line per source and use, or with ``rows`` one per run; seconds and fractions."""
    entries = made.runs if rows else made.sources
    columns = [*(type(entries[0]).model_fields if entries else ()), *(["error"] if rows else [])]
    return csv_text([columns, *([getattr(entry, name) for name in columns] for entry in entries)])
