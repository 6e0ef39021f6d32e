"""A report as plain lines: no colour, no boxes, nothing that a screen reader stumbles over."""

from __future__ import annotations

import textwrap
import unicodedata

from assistant.vocabulary.plan import Plan

from .brief import brief
from .report import Block, Bullets, Paragraph, Section, Table, fitting_columns, report


def plan_lines(plan: Plan, width: int = 80) -> list[str]:
    """The whole plan as lines of at most ``width`` characters."""
    return section_lines(report(plan), width)


def brief_lines(plan: Plan, more: str, width: int = 80) -> list[str]:
    """The plan in short; ``more`` says how to see the rest."""
    return section_lines(brief(plan, more), width)


def section_lines(sections: list[Section], width: int) -> list[str]:
    """Sections as lines, one empty line between blocks."""
    lines: list[str] = []
    for section in sections:
        if section.title:
            lines += ["", section.title.upper()]
        for block in section.blocks:
            lines += [*([""] if isinstance(block, Paragraph) and lines else []), *block_lines(block, width)]
    return [safe(line) for line in lines]


def block_lines(block: Block, width: int) -> list[str]:
    """One block as lines."""
    if isinstance(block, Paragraph):
        return textwrap.wrap(block.text, width) or [""]
    if isinstance(block, Bullets):
        return [
            line
            for item in block.items
            for line in textwrap.wrap(item, width, initial_indent="- ", subsequent_indent="  ")
        ]
    return _table_lines(block, width)


def _table_lines(table: Table, width: int) -> list[str]:
    columns = fitting_columns(table, width, 2)
    if table.each_named:
        return [
            line
            for row in table.rows
            for line in textwrap.wrap(
                f"{row[0]}: {' | '.join(f'{name} {cell}' for name, cell in zip(table.header[1:], row[1:], strict=True))}",
                width,
                subsequent_indent="    ",
            )
        ]
    if columns is None:
        return _records(table, width)
    widths = {i: max(map(len, cells)) for i, cells in columns.items()}
    return [
        "  ".join(
            cells[line].rjust(widths[i]) if i in table.right else cells[line].ljust(widths[i])
            for i, cells in columns.items()
        ).rstrip()
        for line in range(len(table.rows) + 1)
    ]


def _records(table: Table, width: int) -> list[str]:
    """A table too wide for the screen: one record a row, the names beside the values."""
    lines = []
    for row in table.rows:
        head = [cell for cell, name in zip(row[:2], table.header[:2], strict=True) if cell]
        rest = [f"{name} {cell}" for name, cell in zip(table.header[2:], row[2:], strict=True)]
        lines += textwrap.wrap(
            f"{' '.join(head)}: {', '.join(rest)}" if rest else " ".join(head), width, subsequent_indent="    "
        )
    return lines


def safe(text: str) -> str:
    """Text that cannot command a terminal: control and format characters (newline and tab apart) are shown as ``�``."""
    return "".join(c if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co") else "�" for c in text)
