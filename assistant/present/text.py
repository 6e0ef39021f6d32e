"""Blocks as plain lines: no colour, no boxes, nothing that a screen reader stumbles over."""

import html
import textwrap
from collections.abc import Iterator

from assistant.vocabulary.printing import printable

from .blocks import Block, Bullets, Chart, Choices, Heading, PageBreak, Paragraph, Table, Tree


def lines_of(blocks: list[Block], width: int) -> list[str]:
    """Blocks as lines, an empty one before every paragraph and heading."""
    lines: list[str] = []
    for block in blocks:
        lines += [*([""] if isinstance(block, Paragraph) and lines else []), *block_lines(block, width)]
    return [safe(line) for line in lines]


def block_lines(block: Block, width: int) -> list[str]:
    """One block as lines."""
    match block:
        case Heading(text):
            return ["", text.upper()]
        case Paragraph(text):
            return textwrap.wrap(text, width, break_long_words=False) or [""]
        case Bullets(items):
            return [line for item in items for line in _hanging(item, width, "- ")]
        case Tree(lines):
            return [line for depth, text in lines for line in _hanging(text, width, "  " * depth + "- ")]
        case Choices(offers):
            return [line for key, label in offers for line in _hanging(label, width, f"  {key}. ")]
        case Chart(lines):
            return [line if block.whole else line[:width] for line in lines]
        case Table():
            return _table_lines(block, width)
        case PageBreak():
            return ["", "-" * min(width, 40)]


def _hanging(text: str, width: int, lead: str = "", after: str | None = None) -> list[str]:
    """Text to the right of ``lead``, or of ``after`` from the second line on; a word that is longer than a line, such
    as a list of adapters, stays whole, so that it can be copied."""
    after = " " * len(lead) if after is None else after
    return textwrap.wrap(text, width, initial_indent=lead, subsequent_indent=after, break_long_words=False)


def _table_lines(table: Table, width: int) -> list[str]:
    if table.each_named:
        return [line for row in table.rows for line in _hanging(_each_named(table, row), width, after="    ")]
    columns = table.fitting(width, 2)
    if columns is None:
        return [line for record in _records(table) for line in _hanging(record, width, after="    ")]
    widths = {i: max(map(len, cells)) for i, cells in columns.items()}
    aligned = {i: str.rjust if i in table.right else str.ljust for i in columns}
    return [
        "  ".join(aligned[i](cells[line], widths[i]) for i, cells in columns.items()).rstrip()
        for line in range(len(table.rows) + 1)
    ]


def _each_named(table: Table, row: list[str]) -> str:
    return f"{row[0]}: {' | '.join(f'{name} {cell}' for name, cell in zip(table.header[1:], row[1:], strict=True))}"


def _records(table: Table) -> Iterator[str]:
    """The rows of a table too wide for the screen, without the columns that give way: words as they stand, figures
    beside their names."""
    columns = table.fewest
    for row in range(1, len(table.rows) + 1):
        cells = {
            i: column[row] if i not in table.right else f"{column[0]} {column[row]}" for i, column in columns.items()
        }
        head = " ".join(cells[i] for i in (0, 1) if cells.get(i))
        rest = [cell for i, cell in cells.items() if i > 1 and cell]
        yield f"{head}: {', '.join(rest)}" if rest else head


def in_xml(text: str) -> str:
    """A text as it stands in XML, between two tags. (``xml.sax.saxutils`` does the same and loads TLS and mail.)"""
    return html.escape(text, quote=False)


def safe(text: str) -> str:
    """Text that cannot command a terminal: control and format characters (newline and tab apart) are shown as ``�``."""
    return printable(text, spaces="", kept="\n\t", pictures=False)
