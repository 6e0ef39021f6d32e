"""Markdown: paragraphs, list items, table rows and code under their headings; HTML in it is read as HTML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from . import html
from .blocks import Block, Contents, Outline, harmless
from .plain import decoded

if TYPE_CHECKING:
    from markdown_it.rules_inline import StateInline

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_TITLE = re.compile(r"^title:(.+)$", re.MULTILINE)
_LONGEST_TAG = 4096  # characters: an end that is looked for further on takes time by the square of a file's size


def read(data: bytes) -> Contents:
    """The blocks of a Markdown file; lines are those of the file."""
    from markdown_it import MarkdownIt

    text, title = _without_front_matter(decoded(data))
    reader = MarkdownIt("commonmark").enable("table")
    reader.inline.ruler.at("html_inline", _tag)
    tokens = reader.parse(text)
    outline, blocks = Outline(), []
    for kind, written, line in _written(tokens):
        if kind.startswith("h") and written:
            outline.enter(int(kind[1:]), written)
            title = title or written
        elif written:
            blocks.append(Block(written, outline.headings, line))
    return Contents(title, blocks)


def _without_front_matter(text: str) -> tuple[str, str | None]:
    """The text with the settings at its top blanked, line for line, and the title they give."""
    found = _FRONT_MATTER.match(text)
    if not found:
        return text, None
    blanked, title = "\n" * found.group().count("\n") + text[found.end() :], _TITLE.search(found.group(1))
    return blanked, harmless(title.group(1).strip().strip("\"'")) if title else None


def _tag(state: StateInline, silent: bool) -> bool:
    """A tag, or a comment, in running text."""
    from markdown_it.common.html_re import HTML_TAG_RE

    found = HTML_TAG_RE.match(state.src[state.pos : state.pos + _LONGEST_TAG]) if state.src[state.pos] == "<" else None
    if found is None:
        return False
    if not silent:
        state.push("html_inline", "", 0).content = found[0]
    state.pos += found.end()
    return True


def _written(tokens: list[Any]) -> Iterator[tuple[str, str, int]]:
    """``(kind, text, line)`` of each block: ``h1`` to ``h6``, else ``text``; the cells of a table row together."""
    kind, line, row = "text", 1, None
    for token in tokens:
        line = token.map[0] + 1 if token.map else line
        if token.type == "heading_open":
            kind = token.tag
        elif token.type == "tr_open":
            row = []
        elif token.type == "tr_close":
            yield "text", " | ".join(row or ()), line
            row = None
        elif token.type == "inline" and row is not None:
            row.append(_inline(token))
        elif token.type == "inline":
            yield kind, _inline(token), line
            kind = "text"
        elif token.type in ("fence", "code_block"):
            yield "text", harmless(token.content), line
        elif token.type == "html_block":
            yield from (("text", block.text, line) for block in html.read(token.content).blocks)


def _inline(token: Any) -> str:
    """The words of a line: links by their text, images by their description, tags left out."""
    parts = []
    for child in token.children or ():
        if child.type in ("text", "code_inline", "image"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
    return harmless("".join(parts))
