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
from typing import TYPE_CHECKING

from .text import safe

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

_OFF = ["link", "image", "autolink", "html_inline", "html_block", "reference", "entity"]
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_WON = re.compile(r"<tr>\n(<td[^>]*>✓)")
_STYLE = """
:root { color-scheme: light dark; --ink: #1d2126; --quiet: #5a636e; --paper: #fff;
  --line: #d8dde3; --mark: #0b6e4f; --said: #eef3f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e7eb; --quiet: #9aa4af; --paper: #14171b; --line: #343b43; --mark: #5fd0a5; --said: #1f262e; }
}
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 16px/1.55 system-ui, sans-serif; overflow-wrap: break-word; }
main { max-width: 62rem; margin: 0 auto; padding: 2rem 1.25rem 4rem; }
h1 { font-size: 1.6rem; line-height: 1.25; }
h2 { font-size: 1.15rem; margin: 2.2rem 0 .6rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
p, li { max-width: 48rem; }
li { margin: .25rem 0; }
h1 + p > strong:only-child { font-size: 1.1rem; color: var(--mark); }
.wide { overflow-x: auto; margin: .8rem 0; }
table { border-collapse: collapse; font-size: .92rem; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .7rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top; }
th { color: var(--quiet); font-weight: 600; }
.won td { font-weight: 650; color: var(--mark); }
td:first-child { white-space: nowrap; }
pre, code { font: .85rem/1.3 ui-monospace, monospace; }
pre { overflow-x: auto; }
.facts { color: var(--quiet); font-size: .88rem; }
.you { margin: 1.8rem 0 .6rem; padding: .6rem .9rem; background: var(--said);
  border-left: 3px solid var(--mark); white-space: pre-wrap; }
.name { display: block; color: var(--quiet); font-size: .8rem; }
footer { margin-top: 3rem; color: var(--quiet); font-size: .85rem; }
@page { margin: 18mm; }
@media print {
  :root { color-scheme: light; --ink: #000; --quiet: #444; --paper: #fff; --line: #bbb; --mark: #000; --said: #f2f2f2; }
  body { font-size: 10.5pt; } main { max-width: none; padding: 0; } .wide { overflow: visible; }
  h2, .you { break-after: avoid; } tr, li { break-inside: avoid; }
}
"""


def conversation_html(title: str, facts: Mapping[str, str], exchanges: Iterable[tuple[str | None, str]]) -> str:
    """A conversation as a page. ``facts``: what it was made with; ``exchanges``: what was said (``None``: nothing yet),
    and the answer as Markdown."""
    listed = " · ".join(f"{escape(safe(label))} {escape(safe(value))}" for label, value in facts.items())
    turns = "".join(_said(said) + f'<div class="weft">{elements(answer)}</div>\n' for said, answer in exchanges)
    return page(title, f'<h1>{escape(safe(title))}</h1>\n<p class="facts">{listed}</p>\n{turns}')


def _said(said: str | None) -> str:
    return "" if said is None else f'<div class="you"><span class="name">You</span>{escape(safe(said))}</div>\n'


def elements(markdown: str) -> str:
    """The elements that Markdown stands for; tables may be scrolled where they are too wide."""
    made = _reader().render(markdown)
    made = _WON.sub(r'<tr class="won">\n\1', made)
    return made.replace("<table>", '<div class="wide"><table>').replace("</table>", "</table></div>")


@lru_cache(maxsize=1)
def _reader() -> MarkdownIt:
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).enable("table").disable(_OFF, ignoreInvalid=True)


def page(title: str, body: str) -> str:
    """A page that stands alone, of elements that were made safe."""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        f"<title>{escape(safe(title))}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n{body}"
        f"<footer>Made by Weft; every figure's source is named beside it.</footer>\n</main>\n</body>\n</html>\n"
    )
