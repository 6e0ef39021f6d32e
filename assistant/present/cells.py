"""Rows of a CSV file that a spreadsheet may open."""

import csv
import io
from collections.abc import Iterable

from .text import safe

_BEGINS_A_FORMULA = frozenset("=+-@＝＋－＠")  # the last four as they are typed in Japanese


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Rows as lines of CSV; nothing is an empty cell, truth a word."""
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([_cell(cell) for cell in row] for row in rows)
    return out.getvalue()


def _cell(cell: object) -> object:
    """A spreadsheet runs a cell that begins like a formula; text that does is set off with an apostrophe. A carriage
    return would end the row for some readers, and what turns the direction of writing shows another text than there
    is."""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if not isinstance(cell, str):
        return cell
    text = safe(cell.replace("\r\n", "\n").replace("\r", "\n"))
    return "'" + text if text.lstrip()[:1] in _BEGINS_A_FORMULA else text
