"""Blocks for a terminal: calm colours, never colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .blocks import Block, Bullets, Heading, Paragraph, Table, sentences
from .text import block_lines, safe

if TYPE_CHECKING:
    from rich.console import Group, RenderableType

_GAP = 3  # cells Rich leaves between two columns
_STYLES = {"✓": "bold green", "!": "yellow", "✗": "dim"}


def blocks_view(blocks: list[Block], width: int) -> Group:
    """Blocks as a Rich renderable."""
    from rich.console import Group

    return Group(*(_view(block, width) for block in blocks))


def in_view(blocks: list[Block], room: tuple[int, int]) -> tuple[list[Block], list[Block]]:
    """The blocks parted into what surely fills ``room`` (columns, rows) and what is below it; nothing is below no
    room."""
    width, rows = room
    for number, block in enumerate(blocks if width else []):
        shown, below = _parted(block, width, rows)
        rows -= _least_rows(shown, width)
        if rows <= 0:
            return [*blocks[:number], shown], [*below, *blocks[number + 1 :]]
    return blocks, []


def _parted(block: Block, width: int, rows: int) -> tuple[Block, list[Block]]:
    """A list parted after the items that surely take ``rows``; other blocks stay whole."""
    if not isinstance(block, Bullets):
        return block, []
    taken = 0
    while taken < len(block.items) and rows > 0:
        rows -= -(-len(block.items[taken]) // width)
        taken += 1
    below = block.items[taken:]
    return Bullets(block.items[:taken]), [Bullets(below)] if below else []


def _least_rows(block: Block, width: int) -> int:
    """Rows a block takes at least: wrapping between words takes more."""
    return sum(1 if isinstance(block, Table) else -(-len(text) // width) for text in sentences(block))


def _view(block: Block, width: int) -> RenderableType:
    from rich.padding import Padding
    from rich.text import Text

    match block:
        case Heading(text):
            return Text(f"\n{text}", style="bold cyan")
        case Paragraph(text, strong):
            return Padding(Text(safe(text), style="bold" if strong else ""), (0, 0, int(strong), 0))
        case Table():
            return _table(block, width)
    return _bullets(sentences(block))


def _bullets(items: list[str]) -> RenderableType:
    from rich.table import Table as Grid
    from rich.text import Text

    grid = Grid.grid(padding=(0, 1))
    grid.add_column(width=1)
    grid.add_column()
    for item in items:
        grid.add_row(Text("•", style="dim"), Text(safe(item)))
    return grid


def _table(table: Table, width: int) -> RenderableType:
    from rich import box
    from rich.table import Table as Drawn
    from rich.text import Text

    columns = table.fitting(width, _GAP)
    if columns is None:  # each row in running text: a figure that is cut says nothing
        return Text("\n".join(safe(line) for line in block_lines(table, width)))
    drawn = Drawn(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="dim", padding=(0, 1))
    for i, cells in columns.items():
        drawn.add_column(cells[0], justify="right" if i in table.right else "left", no_wrap=len(table.header) > 2)
    for number, row in enumerate(table.rows):
        style = "bold" if number == table.emphasis else _STYLES.get(row[0], "")
        drawn.add_row(*(Text(safe(cells[number + 1]), style=style) for cells in columns.values()))
    return drawn
