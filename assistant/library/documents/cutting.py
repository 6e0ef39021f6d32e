"""Cuts a document into passages of about 60 to 150 words that stay under one heading and on one page."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator

from assistant.vocabulary.own_documents import Cut

from .blocks import Block

LEAST, ENOUGH, MOST = 60, 100, 150  # words; the embedding model reads some 160
_CHARACTERS = 8  # of a word and the space after it, at most: so long scripts without spaces and tables are cut too
_FINISHED = tuple(".!?…:;,。！？")
_WORD = re.compile(r"\S+")
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+|(?<=[。！？])")


def cut(blocks: Iterable[Block]) -> Iterator[Cut]:
    """The passages of a document, in its order."""
    for (headings, page), together in itertools.groupby(blocks, lambda block: (block.headings, block.page)):
        for line, text in _merged(piece for block in together for piece in _pieces(block)):
            yield Cut(text, headings, line, page)


def _merged(pieces: Iterable[tuple[int | None, str]]) -> list[tuple[int | None, str]]:
    """Pieces put together until there is enough; a short rest joins the passage before it."""
    found: list[tuple[int | None, str]] = []
    for line, text in pieces:
        if found and _length(found[-1][1]) < ENOUGH and _length(found[-1][1]) + _length(text) <= MOST:
            found[-1] = (found[-1][0], _joined(found[-1][1], text))
        else:
            found.append((line, text))
    if len(found) > 1 and _length(found[-1][1]) < LEAST and _length(found[-2][1]) + _length(found[-1][1]) <= MOST:
        (line, text), (_, rest) = found[-2:]
        found[-2:] = [(line, _joined(text, rest))]
    return found


def _joined(first: str, second: str) -> str:
    """List items and table rows have no full stop at their end and get a mark between them."""
    return f"{first} {second}" if first.endswith(_FINISHED) else f"{first} · {second}"


def _pieces(block: Block) -> Iterator[tuple[int | None, str]]:
    """A block whole when it is short, else its sentences, else runs of words."""
    if _fits(block.text):
        yield block.line, block.text
        return
    for sentence in _SENTENCE_END.split(block.text):
        start = 0
        while not _fits(sentence, start):
            end = _head(sentence, start)
            yield block.line, sentence[start:end].strip()
            start = end
        if rest := sentence[start:].strip():
            yield block.line, rest


def _fits(text: str, start: int = 0) -> bool:
    """Whether what begins at ``start`` is no more than a passage holds."""
    return len(text) - start < (MOST + 1) * _CHARACTERS and _length(text[start:]) <= MOST


def _head(text: str, start: int) -> int:
    """Where the first words of a text without sentences end, as many as a passage holds."""
    limit = start + MOST * _CHARACTERS
    words = list(itertools.islice(_WORD.finditer(text, start), MOST))
    end = words[-1].end() if words else start
    if end <= limit:
        return end
    space = text.rfind(" ", start + 1, limit)
    return space if space > 0 else limit


def _length(text: str) -> int:
    """In words, or in what would be words of eight characters where there are fewer spaces."""
    return max(len(text.split()), len(text) // _CHARACTERS)
