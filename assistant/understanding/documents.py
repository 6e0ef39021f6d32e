"""A text that is too long for a message: what of it is read.

Reading takes milliseconds for every hundred characters, so of a document the sentences with figures and names are read
first, each once however often it stands there, and the others while there is room.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Set
from dataclasses import dataclass

LONGEST = 2500  # letters that are read: below a second of one core where every word may be one of a price
_SENTENCE = re.compile(r"[^\n.!?;]*(?:[.!?;](?!\s)[^\n.!?;]*)*(?:[.!?;](?=\s)|\n|$)")
_LONGEST_SENTENCE = 500  # characters; a longer one is cut
_FIRST_OF_WORDS = "\u2e80"  # behind it are the scripts in which a sign is a word, or half of one
_WORD = re.compile(r"[^\W\d_]{3,}")


@dataclass(frozen=True)
class Excerpt:
    """``text`` with spaces in place of what is not read, so that places hold; ``left`` are the characters not read."""

    text: str
    left: int


def excerpt(text: str, names: Set[str]) -> Excerpt:
    """What of ``text`` is read: all of it, or what tells most by its figures and ``names``."""
    if _letters(text) <= LONGEST:
        return Excerpt(text, 0)
    once: dict[str, tuple[int, int]] = {}
    for start, end in _sentences(text):
        once.setdefault(text[start:end].strip(), (start, end))
    once.pop("", None)
    room, kept, left = LONGEST, [], 0
    for _, (start, end) in sorted(once.items(), key=lambda one: not _tells(one[0], names)):
        size = _letters(text[start:end])
        taken = (end - start) * min(room, size) // size
        room, left = max(0, room - size), left + end - start - taken
        kept.append((start, start + taken))
    parts, last = [], 0
    for start, end in sorted(kept):
        parts += [" " * (start - last), text[start:end]]
        last = end
    return Excerpt("".join(parts) + " " * (len(text) - last), left)


def _letters(text: str) -> int:
    """How much there is to read: a sign of Chinese or Japanese, which may be a word, is two letters."""
    return len(text) + sum(sign >= _FIRST_OF_WORDS for sign in text)


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    for match in _SENTENCE.finditer(text):
        for start in range(match.start(), match.end(), _LONGEST_SENTENCE):
            yield start, min(start + _LONGEST_SENTENCE, match.end())


def _tells(sentence: str, names: Set[str]) -> bool:
    return any(c.isdecimal() for c in sentence) or not names.isdisjoint(w.lower() for w in _WORD.findall(sentence))
