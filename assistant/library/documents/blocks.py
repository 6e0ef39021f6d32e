"""What every reader gives: the paragraphs of a document, each with its headings and its place, as harmless text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field

# Invisible in print and common in PDF and HTML: soft hyphen, zero-width space, word joiner, byte order mark.
_INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u2060\ufeff"))
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
    return " ".join("".join(_harmless(character) for character in text.translate(_INVISIBLE)).split())


def _harmless(character: str) -> str:
    if character in "\n\r\t\f\v" or unicodedata.category(character) == "Co":
        return " "  # private-use characters are the bullets of symbol fonts
    if character < " ":
        return chr(0x2400 + ord(character))  # the Unicode block "Control Pictures"
    unsafe = unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp") and character not in _JOINERS
    return "\ufffd" if unsafe else character


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
