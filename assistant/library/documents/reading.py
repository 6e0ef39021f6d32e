"""One file in, its passages out."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath

from assistant.vocabulary.own_documents import Cut

from . import finding, html, markdown, pdf, plain
from .blocks import Contents, NotADocument, Unreadable, harmless
from .cutting import cut

MOST_CHARACTERS = 4_000_000  # of text: some five thousand printed pages of one file are not a document but a dump
_LONGEST_HEADING = 200  # characters


@dataclass(frozen=True)
class ReadDocument:
    """The passages of a document; ``problems`` are parts of it that could not be read."""

    title: str
    cuts: list[Cut]
    problems: list[str]


def read(path: PurePath, data: bytes) -> ReadDocument:
    """The passages of a file's bytes. Raises :class:`Unreadable` or :class:`NotADocument` with the end of a
    sentence."""
    try:
        contents = _contents(path, data)
    except RecursionError:
        raise Unreadable("is nested too deeply to be read") from None
    characters = sum(len(block.text) for block in contents.blocks)
    if characters > MOST_CHARACTERS:
        raise Unreadable(f"holds {characters:,} characters of text; at most {MOST_CHARACTERS:,} are read, so split it")
    cuts = [_with_short_headings(found) for found in cut(contents.blocks)]
    if not cuts:
        raise NotADocument("has no text in it")
    return ReadDocument(_short(contents.title or harmless(path.stem) or harmless(path.name)), cuts, contents.problems)


def _contents(path: PurePath, data: bytes) -> Contents:
    suffix = path.suffix.lower()
    if data[:1024].lstrip().startswith(b"%PDF-") or suffix in finding.PDF:
        return pdf.read(data)
    if suffix in finding.HTML:
        return html.read(data)
    return (markdown if suffix in finding.MARKDOWN else plain).read(data)


def _with_short_headings(found: Cut) -> Cut:
    return Cut(found.text, tuple(map(_short, found.headings)), found.line, found.page)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_HEADING else text[: _LONGEST_HEADING - 1] + "…"
