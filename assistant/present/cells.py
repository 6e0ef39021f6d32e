"""Cells of a CSV file that a spreadsheet may open."""

from __future__ import annotations

from typing import Any


def harmless(cell: Any) -> Any:
    """A spreadsheet runs a cell that begins like a formula; text that does is set off with an apostrophe."""
    return "'" + cell if isinstance(cell, str) and cell[:1] in ("=", "+", "-", "@", "\t", "\r") else cell
