"""What was typed, as tokens: cleaned, lower-cased, slips corrected, every token with its place in the original.

The project's only cleaner and speller. One pass of one regular expression cuts the text, so reading stays linear.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-_])")
_TURNS, _SEEN = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"), "�"
_ALIKE = str.maketrans(
    {"×": "x", "–": "-", "—": "-", "−": "-", "‑": "-", "’": "'", "‘": "'", "“": '"', "”": '"', "„": '"', "≈": "~",
     "→": ">", "½": ".5", "¼": ".25", "¾": ".75", "，": ",", "。": ".", "？": "?", "！": "!", "：": ":", "；": ";",
     "、": ",", "（": "(", "）": ")", "％": "%", "～": "~", "《": '"', "》": '"', "«": '"', "»": '"'}
)  # fmt: skip
_TOKEN = re.compile(
    r"\d{1,3}(?:,\d{3})+(?![\d])(?:\.\d+)?|\d{1,3}(?:['\u202f\u00a0]\d{3})+(?!\d)"  # 16,384 and 16'384
    r"|\d+(?:\.\d+)*(?:e[+-]?\d{1,2}(?![\w.]))?|\.\d+"
    r"|(?<=\d)x(?=[a-z]{0,4}\d|\d)"  # the x of 8xH100
    r"|[a-z\u00df-\u024f\u0370-\u04ff]+(?:'[a-z]+)?"  # words; a run of Chinese is cut into its characters
    r"|\S"
)
_LEADERS = re.compile(r"[ \t]*(?:\.[ \t]?){4,}(?=\S)")  # of a table: "storage ........ $0.07"
ENGLISH = "english"
_LONGEST_WORD = 24  # letters: what is longer is no word anybody knows, and not worth a look for slips
_LONGEST_NUMBER = 40  # characters: more digits are no number of anything
_NO_NUMBER = "…"


@dataclass(frozen=True, slots=True)
class Token:
    """``text`` as it is read; ``start`` and ``end`` are places in :attr:`Text.original`; ``glued`` to the one before;
    ``foreign``: a word of another language that no file knows."""

    text: str
    start: int
    end: int
    glued: bool
    stem: str
    foreign: bool = False

    @property
    def is_number(self) -> bool:
        return self.text[0].isdecimal() or (self.text[0] == "." and len(self.text) > 1)

    @property
    def is_word(self) -> bool:
        return self.text[0].isalpha()


class Tokens(tuple[Token, ...]):
    """The tokens of a message, which know where words stand among them: what is asked of the clause of each of many
    amounts takes time by their number, not by that times the length of the clause. Places count tokens."""

    @cached_property
    def _texts(self) -> dict[str, list[int]]:
        return _where(token.text for token in self)

    @cached_property
    def _stems(self) -> dict[str, list[int]]:
        return _where(token.stem for token in self)

    @cached_property
    def _known(self) -> dict[tuple[frozenset[str], bool], list[int]]:
        return {}

    @cached_property
    def brackets(self) -> list[tuple[int, int]]:
        """Where round brackets open and close; of those within others the innermost."""
        found, opened = [], None
        for at in self.places(_ROUND):
            if self[at].text == "(":
                opened = at
            elif opened is not None:
                found.append((opened, at))
                opened = None
        return found

    def _all(self, words: frozenset[str], stems: bool) -> list[int]:
        found = self._known.get((words, stems))
        if found is None:
            where = self._stems if stems else self._texts
            found = self._known[words, stems] = sorted(at for word in words & where.keys() for at in where[word])
        return found

    def places(
        self, words: frozenset[str], first: int = 0, last: int | None = None, *, stems: bool = False
    ) -> Sequence[int]:
        """Where one of the words, or of the stems, stands in ``first:last``, ascending."""
        found = self._all(words, stems)
        return found[bisect_left(found, first) : len(found) if last is None else bisect_left(found, last)]

    def has(self, words: frozenset[str], first: int, last: int, *, stems: bool = False) -> bool:
        """Whether one of the words, or of the stems, stands in ``first:last``."""
        found = self._all(words, stems)
        at = bisect_left(found, first)
        return at < len(found) and found[at] < last

    def after(self, words: frozenset[str], first: int, last: int | None = None) -> int | None:
        """The first place of one of the words in ``first:last``."""
        found = self._all(words, stems=False)
        at = bisect_left(found, first)
        return found[at] if at < len(found) and (last is None or found[at] < last) else None

    def before(self, words: frozenset[str], last: int, first: int = 0) -> int | None:
        """The last place of one of the words in ``first:last``."""
        found = self._all(words, stems=False)
        at = bisect_left(found, last)
        return found[at - 1] if at and found[at - 1] >= first else None

    def phrases(self, said: Sequence[str], first: int, last: int, *, stems: bool = False) -> Iterator[int]:
        """Where some words, or stems, stand one after the other in ``first:last``."""
        for at in self.places(frozenset(said[:1]), first, last - len(said) + 1, stems=stems):
            if all((self[at + n].stem if stems else self[at + n].text) == word for n, word in enumerate(said)):
                yield at

    def says(self, said: Sequence[str], first: int, last: int, *, stems: bool = False) -> bool:
        """Whether some words, or stems, stand one after the other in ``first:last``."""
        return next(self.phrases(said, first, last, stems=stems), None) is not None


_ROUND = frozenset("()")


def _where(words: Iterable[str]) -> dict[str, list[int]]:
    """The places of each of some words."""
    found: dict[str, list[int]] = {}
    for at, word in enumerate(words):
        found.setdefault(word, []).append(at)
    return found


@dataclass(frozen=True)
class Text:
    """A message: what was typed without control characters, its tokens, and the words that were read as others."""

    original: str
    tokens: Tokens
    language: str = ENGLISH
    slips: tuple[tuple[str, str], ...] = ()

    def typed(self, start: int, end: int) -> str:
        """What was typed for the tokens ``start:end``."""
        return self.original[self.tokens[start].start : self.tokens[end - 1].end] if end > start else ""


def clean(text: str) -> str:
    """The text without terminal escapes and control characters; line breaks and tabs become spaces, and what could turn
    the order of other signs stays seen, as ``�``."""
    bare = _TURNS.sub(_SEEN, _ESCAPE.sub("", text))
    return "".join(c if c.isprintable() else " " for c in bare)


def in_one_line(text: str) -> str:
    """A message of several lines in one, each of them a sentence still: a pasted mail keeps its parts."""
    lines = [_LEADERS.sub(": ", line.strip()) for line in text.strip().splitlines()]
    return "".join(line + (" " if line.endswith((",", ":")) else "; ") for line in lines[:-1]) + "".join(lines[-1:])


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """The stem of an English word: ``gathers`` and ``gathering`` are ``gather``; short words stay."""
    if len(word) < 4 or not word.isascii():
        return word
    return _stemmer().stemWord(word)


@lru_cache(maxsize=1)
def _stemmer():
    import snowballstemmer

    return snowballstemmer.stemmer("english")


ENDS = frozenset(".;!?")
_OF_CLAUSES = ENDS | {","}


def ends_sentence(tokens: Sequence[Token], at: int) -> bool:
    """Whether a sentence ends with the mark at a place: the point of "3.5x" ends none."""
    return tokens[at].text in ENDS and not (tokens[at].text == "." and at + 1 < len(tokens) and tokens[at + 1].glued)


def sentences(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    """Where each sentence, or line, begins and ends."""
    start = 0
    for at in range(len(tokens)):
        if ends_sentence(tokens, at):
            yield start, at
            start = at + 1
    yield start, len(tokens)


def clauses(
    tokens: Tokens, first: int, last: int, parted: frozenset[str] = frozenset({","})
) -> Iterator[tuple[int, int]]:
    """What stands between some marks, between two places."""
    for comma in [*tokens.places(parted, first, last), last]:
        if first < comma:
            yield first, comma
        first = comma + 1


def clause_of(tokens: Tokens, start: int, end: int) -> tuple[int, int]:
    """What stands between two commas, sentences or lines around some tokens."""
    before, last = tokens.before(_OF_CLAUSES, start), tokens.after(_OF_CLAUSES, end)
    return 0 if before is None else before + 1, len(tokens) if last is None else last


def in_question(tokens: Tokens, at: int) -> bool:
    """Whether the sentence that goes on at a place ends in a question mark."""
    end = next((n for n in tokens.places(ENDS, at) if ends_sentence(tokens, n)), None)
    return end is not None and tokens[end].text == "?"


def cut(text: str, *, stemmed: bool = True) -> list[Token]:
    """The tokens of a text that is spelled right, as data are; without stems where another language is spoken."""
    return list(_tokens(_lower(text), stem if stemmed else str))


def _lower(text: str) -> str:
    """Lower case and one way to write each mark, every character in its place."""
    if text.isascii():
        return text.lower()
    marked = text.translate(_ALIKE) if not any(c in text for c in "½¼¾") else text
    return "".join(low if len(low := c.lower()) == 1 else c for c in marked)


def _tokens(text: str, stemmed: Callable[[str], str] = stem) -> Iterator[Token]:
    last = -1
    for match in _TOKEN.finditer(text):
        word = match[0]
        end = match.end()
        if end - match.start() > _LONGEST_NUMBER and word[0] in "0123456789.":
            word = _NO_NUMBER
        yield Token(word, match.start(), end, match.start() == last, stemmed(word) if word[0].isalpha() else word)
        last = match.end()


@dataclass(frozen=True)
class Speller:
    """Corrects slips against the words the language data and the catalog know.

    ``short`` holds what people type for something longer, ``right`` English words that look like slips and are none. Of
    another language what is known is put into English (``in_english``), and slips are looked for in ``names`` alone.
    """

    words: frozenset[str]
    names: frozenset[str]
    short: dict[tuple[str, ...], tuple[str, ...]]
    right: frozenset[str]
    known: frozenset[str]  # words of the wordings, spelled right as well
    in_english: Callable[[Sequence[Token]], tuple[str, list[Token]]]
    stems: frozenset[str] = field(init=False)  # of all that is spelled right: a third of a second, kept with the rest

    def __post_init__(self) -> None:
        object.__setattr__(self, "stems", frozenset(map(stem, self.words | self.right | self.known)))

    def read(self, text: str) -> Text:
        """``text`` as tokens, cleaned and corrected."""
        original = clean(text)
        lines = "".join(
            ";" if c in "\n\r\x0b\x0c" else c for c in _ESCAPE.sub("", text)
        )  # a line is a sentence of its own
        tokens = list(_tokens(_lower("".join(c if c.isprintable() and c != _SEEN else " " for c in lines))))
        language, tokens = self.in_english(tokens)
        speller = self if language == ENGLISH else self._of_names
        corrected = [speller._corrected(t) for t in tokens]
        slips = tuple(
            (typed.text, read.text) for typed, read in zip(tokens, corrected, strict=True) if typed is not read
        )
        return Text(original, Tokens(self._expanded(corrected)), language, slips)

    @cached_property
    def _of_names(self) -> Speller:
        return replace(self, words=self.names)

    def _corrected(self, token: Token) -> Token:
        better = self._near(token) if token.is_word and 4 < len(token.text) <= _LONGEST_WORD else None
        return Token(better, token.start, token.end, token.glued, stem(better)) if better else token

    def _near(self, token: Token) -> str | None:
        known = token.text in self.right or (self.words is self.names and not token.foreign)
        return None if known else _nearest(self, token.text)

    def _expanded(self, tokens: Sequence[Token]) -> Iterator[Token]:
        """Short forms written out: the tokens that come of one stand for the whole of what was typed."""
        at, longest = 0, max((len(form) for form in self.short), default=0)
        while at < len(tokens):
            most = min(longest, len(tokens) - at)
            size = next((n for n in range(most, 0, -1) if self._is_short(tokens, at, n)), 0)
            if not size:
                yield tokens[at]
                at += 1
                continue
            first, last = tokens[at], tokens[at + size - 1]
            for word in self.short[tuple(t.text for t in tokens[at : at + size])]:
                yield Token(word, first.start, last.end, first.glued, stem(word) if word[0].isalpha() else word)
            at += size

    def _is_short(self, tokens: Sequence[Token], at: int, size: int) -> bool:
        """Whether some tokens are a short form by themselves: the "r" of "R1" is none."""
        joined = (
            at + size < len(tokens)
            and tokens[at + size].glued
            and (tokens[at + size].text[0].isalnum() or tokens[at + size].text in "=+$")
        )
        return (
            not joined and not (tokens[at].glued and at) and tuple(t.text for t in tokens[at : at + size]) in self.short
        )

    def __hash__(self) -> int:
        return id(self)


_LONG = 9  # letters from which two slips are forgiven


@lru_cache(maxsize=65536)
def _nearest(speller: Speller, word: str) -> str | None:
    """The one known word that was meant, if ``word`` is no form of a known one and one slip away from it."""
    if word in speller.words or stem(word) in speller.stems:
        return None
    from rapidfuzz import process
    from rapidfuzz.distance import OSA

    allowed = 2 if len(word) >= _LONG else 1
    candidates = [w for w in _by_initial(speller).get(word[0], ()) if abs(len(w) - len(word)) <= allowed]
    found = process.extract(word, candidates, scorer=OSA.distance, score_cutoff=allowed, limit=2)
    return found[0][0] if found and (len(found) == 1 or found[0][1] < found[1][1]) else None


@lru_cache(maxsize=8)
def _by_initial(speller: Speller) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for word in sorted(speller.words):
        if len(word) > 4:
            found.setdefault(word[0], []).append(word)
    return {letter: tuple(words) for letter, words in found.items()}
