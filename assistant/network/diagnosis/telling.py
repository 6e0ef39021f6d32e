"""Which readers a line of a log may tell something, by its words alone: most lines of a long log tell none of them
anything, and are passed over before they are decoded.

A line is looked at as the words of letters that are in it, of each of which is remembered what it may mean.
"""

import re
from collections.abc import Iterable, Mapping

# Letters in small letters, the signs that end a prompt as one word of their own, all else (digits too) as a space.
_SIGNS = b"$#>%"
SHAPE = bytes(
    ord(b"$") if at in _SIGNS else at if bytes([at]).islower() or at == 10 else at + 32 if 65 <= at <= 90 else 32
    for at in range(256)
)
PROMPT = "$"
_HEADLINES = frozenset((b"==", b"**", b"--", b"##"))
_COMMON = frozenset(("memory", "node", "nodes", "rank", "ranks", "error", "device", "data", "worker"))
_RUN = re.compile(r"[a-z]+|\$")
_SHORT = 3  # letters: less is a word of its own, or it would be found in every other
_WORDS = 100_000  # that are remembered: 10 MB


def _telling_most(found: re.Match[str]) -> tuple[bool, int]:
    """The longest run of letters that is no word of every log."""
    length = found.end() - found.start()
    return length > _SHORT and found[0] not in _COMMON, length


def _letters(shape: bytes) -> bytes:
    """The letters of a word that is asked for, with a space where they must begin or end one of a line."""
    said = b" ".join(shape.split())
    short = len(said) < _SHORT
    return b" " * (short or shape[:1] == b" ") + said + b" " * (short or shape[-1:] == b" ")


class Telling:
    """``words``: by a reader's bit, what in small letters is in every line that the reader wants: of each the longest
    rarer run of letters is asked for, as a part of a word, or as a whole one where signs stand on both sides of it."""

    def __init__(self, words: Mapping[int, Iterable[str]], headlines: int) -> None:
        self._parts: dict[bytes, list[tuple[bytes, int]]] = {}  # by their first letters
        self._wholes: dict[bytes, int] = {}
        self._headlines = headlines
        self._prompts = self._wordless = 0  # bits of what ends a prompt, and of what has no letter
        self._phrases: dict[int, list[bytes]] = {}  # by a bit: of its words all letters, as :data:`SHAPE` leaves them
        for bit, its in words.items():
            for word in its:
                self._phrases.setdefault(bit, []).append(_letters(word.encode().translate(SHAPE)))
                run = max(_RUN.finditer(word), key=_telling_most, default=None)
                if run is None:
                    self._wordless |= bit
                elif run[0] == PROMPT:
                    self._prompts |= bit
                else:
                    self._wants(run[0].encode(), bit, whole=run.start() > 0 and run.end() < len(word))
        self._dull: set[bytes] = set()
        self._known: dict[bytes, int] = {}

    def _wants(self, word: bytes, bit: int, *, whole: bool) -> None:
        if whole or len(word) < _SHORT:
            self._wholes[word] = self._wholes.get(word, 0) | bit
        else:
            self._parts.setdefault(word[:_SHORT], []).append((word, bit))

    def of(self, line: bytes) -> int:
        """The bits of the readers that may want a line; 0 for none."""
        words = line.translate(SHAPE).split()
        bits = 0 if words and self._dull.issuperset(words) else self._of_words(words)
        if bits and b"\x1b" not in line:  # colours may stand inside what is said
            bits = self._of_phrases(b" %b " % b" ".join(words), bits)
        return bits | self._headlines if line[:2] in _HEADLINES else bits

    def _of_words(self, words: list[bytes]) -> int:
        bits = 0 if words else self._wordless
        for word in words:
            if word not in self._dull:
                known = self._known.get(word)
                bits |= self._of_word(word) if known is None else known
        return bits

    def _of_phrases(self, said: bytes, bits: int) -> int:
        """Of some bits those of which all letters of a word are in a line, one behind the other."""
        left, bits = bits, 0
        while left:
            bit = left & -left
            left ^= bit
            for phrase in self._phrases[bit]:
                if phrase in said:
                    bits |= bit
                    break
        return bits

    def _of_word(self, word: bytes) -> int:
        bits = self._wholes.get(word, 0)
        if b"$" in word:
            bits |= self._prompts
        for at in range(len(word) - _SHORT + 1):
            for part, its in self._parts.get(word[at : at + _SHORT], ()):
                if word.startswith(part, at):
                    bits |= its
        if len(self._known) + len(self._dull) < _WORDS:
            if bits:
                self._known[word] = bits
            else:
                self._dull.add(word)
        return bits
