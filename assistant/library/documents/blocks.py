"""What every reader gives: the paragraphs of a document, each with its headings and its place, as harmless text."""

from __future__ import annotations

import contextlib
import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.vocabulary.printing import printable

# Invisible in print and common in PDF and HTML: soft hyphen, zero-width space, word joiner, byte order mark.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")  # private-use characters are the bullets of symbol fonts
_JOINERS = "\u200c\u200d"  # needed to write Persian and several Indian scripts


class Unreadable(ValueError):
    """A document that cannot be read; the message is the end of a sentence that begins with its path."""


class NotADocument(ValueError):
    """A file that holds no text; it is left out with a note."""


@dataclass(frozen=True)
class Block:
    """A paragraph, list item, table row or piece of code."""

    text: str
    headings: tuple[str, ...] = ()
    line: int | None = None
    page: int | None = None


@dataclass(frozen=True)
class Contents:
    """A document as read: ``problems`` are parts that could not be."""

    title: str | None
    blocks: list[Block]
    problems: list[str] = field(default_factory=list)


class Outline:
    """The headings above the present place."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, heading: str) -> None:
        """A heading of this level ends those of its level and below."""
        self._open = [*((above, text) for above, text in self._open if above < level), (level, heading)]

    @property
    def headings(self) -> tuple[str, ...]:
        return tuple(text for _, text in self._open)


def harmless(text: str) -> str:
    """One line of text that cannot command a terminal: an escape becomes ``␛``, other control characters visible
    signs."""
    bare = _PRIVATE.sub(" ", text.translate(_INVISIBLE))
    return " ".join(printable(bare, spaces="\n\r\t\f\v", kept=_JOINERS).split())


def paragraphs(text: str) -> Iterator[tuple[int, list[str]]]:
    """``(1-based line, lines)`` of each run of lines without an empty one."""
    run: list[str] = []
    number = 0
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            run.append(line)
        elif run:
            yield number - len(run), run
            run = []
    if run:
        yield number + 1 - len(run), run


@contextlib.contextmanager
def quiet(library: str) -> Iterator[None]:
    """A library logs each oddity of a file; the one sentence about it is ours to say."""
    logger = logging.getLogger(library)
    before = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(before)
