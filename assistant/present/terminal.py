"""A report for a terminal: calm colours, never colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.vocabulary.plan import Plan

from .report import Block, Bullets, Paragraph, Section, Table, report
from .text import safe

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

_STYLES = {"✓": "bold green", "!": "yellow", "✗": "dim"}
_WIDE = 100  # below this many columns the less important columns of the candidates give way


def plan_view(plan: Plan, width: int) -> Group:
    """The whole plan as a Rich renderable for a terminal of ``width`` columns."""
    return sections_view(report(plan), width)


def sections_view(sections: list[Section], width: int) -> Group:
    """Sections as a Rich renderable."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = []
    for section in sections:
        if section.title:
            parts += [Text(), Text(section.title, style="bold cyan")]
        parts += [_view(block, width) for block in section.blocks]
    return Group(*parts)


def _view(block: Block, width: int) -> RenderableType:
    from rich.padding import Padding
    from rich.text import Text

    if isinstance(block, Paragraph):
        return Padding(Text(safe(block.text), style="bold" if block.strong else ""), (0, 0, 1 if block.strong else 0, 0))
    if isinstance(block, Bullets):
        return _bullets(block)
    return _table(block, width)


def _bullets(block: Bullets) -> RenderableType:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, 1))
    grid.add_column(width=1)
    grid.add_column()
    for item in block.items:
        grid.add_row(Text("•", style="dim"), Text(safe(item)))
    return grid


def _table(table: Table, width: int) -> RenderableType:
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    kept = _columns(table, width)
    drawn = Drawn(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim", padding=(0, 1))
    for i in kept:
        drawn.add_column(table.header[i], justify="right" if i in table.right else "left", no_wrap=len(table.header) > 2)
    for number, row in enumerate(table.rows):
        style = "bold" if number == table.emphasis else _STYLES.get(row[0], "")
        drawn.add_row(*(Text(safe(row[i]), style=style) for i in kept))
    return drawn


def _columns(table: Table, width: int) -> list[int]:
    """Columns that fit, the first ones and the last but one first to stay."""
    columns = list(range(len(table.header)))
    while len(columns) > 3:
        needed = sum(max(len(row[i]) for row in [table.header, *table.rows]) for i in columns) + 3 * len(columns)
        if needed <= width:
            break
        columns.remove(next(i for i in (5, 4, 7, 3, 2) if i in columns)) if any(i in columns for i in (5, 4, 7, 3, 2)) else columns.pop()
    return columns
