"""Plans and conversations as pages that stand alone: no script, nothing fetched, light or dark as the reader's system
is, printable.

The content is that of the Markdown; markdown-it makes the elements of it. Raw HTML, links and images are switched off,
so that nothing that was typed or loaded can become more than text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from .blocks import Block, Bullets, Chart, Heading, PageBreak, Paragraph, Table
from .markdown import block_markdown
from .text import safe

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_OFF = ["link", "image", "autolink", "html_inline", "html_block", "reference", "entity"]
_WON = re.compile(r"<tr>\n(<td[^>]*>✓)")
_DAY = re.compile(r"(<td[^>]*>)(\d{4}-\d\d-\d\d)")  # at the start of a cell


def conversation_html(title: str, facts: Mapping[str, str], exchanges: Iterable[tuple[str | None, str]]) -> str:
    """A conversation as a page. ``facts``: what it was made with; ``exchanges``: what was said (``None``: nothing yet),
    and the answer as Markdown."""
    listed = " · ".join(f"{escape(safe(label))} {escape(safe(value))}" for label, value in facts.items())
    turns = "".join(_said(said) + f'<div class="weft">{elements(answer)}</div>\n' for said, answer in exchanges)
    return page(title, f'<h1>{escape(safe(title))}</h1>\n<p class="facts">{listed}</p>\n{turns}')


def _said(said: str | None) -> str:
    return "" if said is None else f'<div class="you"><span class="name">You</span>{escape(safe(said))}</div>\n'


def elements(markdown: str) -> str:
    """The elements that Markdown stands for; tables may be scrolled where they are too wide, days stay on a line."""
    made = _reader().render(markdown)
    made = _WON.sub(r'<tr class="won">\n\1', made)
    return _unbroken(made).replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")


def _unbroken(made: str) -> str:
    """Days in cells stay on a line."""
    return _DAY.sub(r'\1<span class="day">\2</span>', made)


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(_OFF, ignoreInvalid=True)


def report_page(title: str, blocks: Iterable[Block]) -> str:
    """A report as a page; of what stands before the first break tables read line by line where there is little room."""
    first, *rest = _parted(blocks)
    body = f'<div class="first">{blocks_elements(first)}</div>'
    proof = "".join(f'<div class="proof">{blocks_elements(part)}</div>' for part in rest)
    return page(title, f"<h1>{escape(safe(title))}</h1>\n{body}{proof}")


def _parted(blocks: Iterable[Block]) -> list[list[Block]]:
    parts: list[list[Block]] = [[]]
    for block in blocks:
        if isinstance(block, PageBreak):
            parts.append([])
        else:
            parts[-1].append(block)
    return parts


def blocks_elements(blocks: Iterable[Block]) -> str:
    """Blocks as elements, each heading with what is beneath it in a section; the sentence to read when only one is read
    stands on a card with the list beneath it."""
    sections: list[list[Block]] = [[]]
    for block in blocks:
        if isinstance(block, Heading):
            sections.append([])
        sections[-1].append(block)
    return "\n".join(f"<section>{_section(one)}</section>" for one in sections if one)


def _section(blocks: list[Block]) -> str:
    made: list[str] = []
    for before, block in zip([None, *blocks], blocks, strict=False):
        if isinstance(block, Bullets) and isinstance(before, Paragraph) and before.strong:
            made[-1] = f'<div class="card">{made[-1]}{_element(block)}</div>'
        else:
            made.append(_element(block))
    return "\n".join(made)


def _element(block: Block) -> str:
    match block:
        case Heading(text):
            return f"<h2>{_told(text)}</h2>"
        case Paragraph(text, strong, doubt):
            lead = "lead doubt" if doubt else "lead"
            return f'<p class="{lead}"><strong>{_told(text)}</strong></p>' if strong else f"<p>{_told(text)}</p>"
        case Bullets(items):
            return f"<ul>{''.join(f'<li>{_told(item)}</li>' for item in items)}</ul>"
        case Chart(lines, _, svg):
            return f"<figure>{svg}</figure>" if svg else f"<pre>{_told(chr(10).join(lines))}</pre>"
        case Table():
            return _table(block)
    return elements(block_markdown(block))


def _table(table: Table) -> str:
    """Every cell with the name of its column, for who reads it line by line."""
    sides = ['class="right"' if i in table.right else "" for i in range(len(table.header))]
    head = "".join(f'<th scope="col" {side}>{_told(name)}</th>' for name, side in zip(table.header, sides, strict=True))
    rows = "".join(
        f"<tr{' class=' + chr(34) + 'won' + chr(34) if n == table.emphasis else ''}>{_cells(table, row, sides)}</tr>"
        for n, row in enumerate(table.rows)
    )
    return f'<div class="table"><table><thead><tr>{head}</tr></thead><tbody>{_unbroken(rows)}</tbody></table></div>'


def _cells(table: Table, row: list[str], sides: list[str]) -> str:
    named = zip(table.header, row, sides, strict=True)
    return "".join(f'<td data-name="{_told(name)}" {side}>{_told(cell)}</td>' for name, cell, side in named)


def _told(text: str) -> str:
    return escape(safe(text))


def page(title: str, body: str) -> str:
    """A page that stands alone, of elements that were made safe."""
    frame = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    return frame.substitute(title=escape(safe(title)), body=body)
