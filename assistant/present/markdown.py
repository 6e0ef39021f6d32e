"""Blocks as Markdown."""

import re

from .blocks import Block, Bullets, Chart, Choices, Heading, PageBreak, Paragraph, Table, Tree
from .text import safe

# What Markdown or HTML would read as a command in running text: a bracket where it would end the text of a link, and
# what makes a link of a bare address.
_SPECIAL = re.compile(r"([\\`*_<>|#@]|\](?=[(:])|:(?=//)|(?<=www)\.)", re.IGNORECASE)
_FENCES = re.compile("`+")


def blocks_markdown(blocks: list[Block]) -> str:
    """Blocks as Markdown, an empty line between two; headings are of the second level."""
    return "\n\n".join(block_markdown(block) for block in blocks)


def block_markdown(block: Block) -> str:
    """One block as Markdown."""
    match block:
        case Heading(text):
            return f"## {_unbroken(text)}"
        case Paragraph(text, strong):
            return f"**{escaped(text)}**" if strong else escaped(text)
        case Bullets(items):
            return "\n".join(f"- {_unbroken(item)}" for item in items)
        case Tree(lines):
            return "\n".join("  " * depth + f"- {_unbroken(text)}" for depth, text in lines)
        case Choices(offers):
            return f"*{escaped(' · '.join(label for _, label in offers))}*"
        case PageBreak():
            return "---"
        case Chart(lines):
            fence = "`" * max(3, 1 + max(map(len, _FENCES.findall("\n".join(lines))), default=0))
            return "\n".join([f"{fence}text", *lines, fence])
        case Table(header, rows, right):
            return table(header, [[_unbroken(cell) for cell in row] for row in rows], right)


def table(header: list[str], rows: list[list[str]], right: frozenset[int] = frozenset()) -> str:
    """Cells that are Markdown already, as a table."""
    rule = ["---:" if i in right else "---" for i in range(len(header))]
    return "\n".join(f"| {' | '.join(row)} |" for row in (header, rule, *rows))


def _unbroken(text: str) -> str:
    """What must stay on its line: a break would end the item or the row."""
    return escaped(" ".join(text.splitlines()))


def escaped(text: str) -> str:
    """Text that Markdown shows as it is."""
    return _SPECIAL.sub(r"\\\1", safe(text))
