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

from .text import safe

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_OFF = ["link", "image", "autolink", "html_inline", "html_block", "reference", "entity"]
_WON = re.compile(r"<tr>\n(<td[^>]*>✓)")
_DAY = re.compile(r"(<td[^>]*>)(\d{4}-\d\d-\d\d)")


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
    made = _DAY.sub(r'\1<span class="day">\2</span>', made)
    return made.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(_OFF, ignoreInvalid=True)


def page(title: str, body: str) -> str:
    """A page that stands alone, of elements that were made safe."""
    frame = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    return frame.substitute(title=escape(safe(title)), body=body)
