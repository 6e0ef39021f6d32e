"""Rows of a CSV file that a spreadsheet may open."""

import csv
import io
from collections.abc import Iterable


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as lines of CSV; nothing is an empty cell, truth a word."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue()


def _cell(cell: object) -> object:
    """A spreadsheet runs a cell that begins like a formula; text that does is set off with an apostrophe."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return "'" + cell if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
