"""A report for a terminal: calm colours, never colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assistant.vocabulary.plan import Plan

from .brief import brief
from .report import Block, Bullets, Paragraph, Section, Table, fitting_columns, report, whole
from .text import safe

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

_GAP = 3  # cells Rich leaves between two columns
_STYLES = {"✓": "bold green", "!": "yellow", "✗": "dim"}


def plan_view(plan: Plan, width: int, more: str | None = None) -> Group:
    """The plan as a Rich renderable for a terminal of ``width`` columns: whole, or in short with ``more``, how to see the rest."""
    return sections_view(brief(plan, more) if more else report(plan), width)


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


def in_view(sections: list[Section], room: tuple[int, int]) -> tuple[list[Section], list[Section]]:
    """The sections parted into what surely fills ``room`` (columns, rows) and what is below it; nothing is below no room."""
    width, rows = room
    for number, section in enumerate(sections if width else []):
        blocks: list[Block] = []
        for at, block in enumerate(section.blocks):
            shown, hidden = _parted(block, width, rows)
            blocks.append(shown)
            rows -= _least_rows(shown, width)
            if rows <= 0:
                below = [*([hidden] if hidden else []), *section.blocks[at + 1 :]]
                return (
                    [*sections[:number], Section(section.title, blocks)],
                    [*([Section("", below)] if below else []), *sections[number + 1 :]],
                )
    return sections, []


def _parted(block: Block, width: int, rows: int) -> tuple[Block, Block | None]:
    """A list parted after the items that surely take ``rows``; other blocks stay whole."""
    if not isinstance(block, Bullets):
        return block, None
    taken = 0
    while taken < len(block.items) and rows > 0:
        rows -= -(-len(block.items[taken]) // width)
        taken += 1
    return Bullets(block.items[:taken]), Bullets(block.items[taken:]) if block.items[taken:] else None


def _least_rows(block: Block, width: int) -> int:
    """Rows a block takes at least: wrapping between words takes more."""
    if isinstance(block, Table):
        return len(block.rows)
    return sum(-(-len(text) // width) for text in (block.items if isinstance(block, Bullets) else [block.text]))


def _view(block: Block, width: int) -> RenderableType:
    from rich.padding import Padding
    from rich.text import Text

    if isinstance(block, Paragraph):
        return Padding(
            Text(safe(block.text), style="bold" if block.strong else ""), (0, 0, 1 if block.strong else 0, 0)
        )
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

    columns = fitting_columns(table, width, _GAP) or whole(table)
    drawn = Drawn(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim", padding=(0, 1))
    for i, cells in columns.items():
        drawn.add_column(cells[0], justify="right" if i in table.right else "left", no_wrap=len(table.header) > 2)
    for number, row in enumerate(table.rows):
        style = "bold" if number == table.emphasis else _STYLES.get(row[0], "")
        drawn.add_row(*(Text(safe(cells[number + 1]), style=style) for cells in columns.values()))
    return drawn
