"""Another language than English: recognised by its small words, what is known of it put into the words that the
templates read.

No translator. Every new token stands for the whole of what was typed, so what is not understood comes back as it was
typed; a word that neither the file of the language nor English has is marked, and no fact is taken from its sentence in
silence.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.vocabulary.language import Language, OtherLanguage

from .text import ENGLISH, Token, cut, ends_sentence, stem

UNREAD = "unread"  # a language that no file knows
_GROUP = re.compile(r"\d{3}")
_DOTTED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")  # 1.250, where a dot marks thousands
_COMMAED = re.compile(r"\d{1,3},\d{3}")  # 1,250: in English a thousand, elsewhere a little more than one
_UNSURE = "ambiguous"  # stands for a number that may be two: a word, so that nothing counts with it and it is said back
_WORD = re.compile(r"[a-z\u00df-\u024f]+")
_LATIN = re.compile(r"[a-z\u00df-\u024f]+")
_FEW_SIGNS, _SHARE_OF_SIGNS = 2, 0.3  # so many small words show a language, or so large a part of a short message
_FRAGMENT = 2  # letters that may be a part of a name, where nothing stands between: "p5en"
_NO_WORDS = frozenset({"weights", "judged", "spelling", "asked_of_plans"})  # parts that hold stems, not words
_MANY_UNKNOWN = 4  # words nobody knows, beside no English ones, are another language


def _texts(words: str) -> tuple[str, ...]:
    return tuple(token.text for token in cut(words, stemmed=False))


@dataclass(frozen=True)
class _Tongue:
    """A language file, compiled: ``expressions`` by their first word, the longest first."""

    entry: OtherLanguage
    signs: frozenset[str]
    expressions: Mapping[str, Sequence[tuple[tuple[str, ...], tuple[str, ...]]]]

    @classmethod
    def of(cls, entry: OtherLanguage) -> _Tongue:
        found: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = defaultdict(list)
        for english, expressions in entry.words.items():
            for words in (_spoken(expression, entry) for expression in expressions.split("|")):
                found[words[0]].append((words, _texts(english)))
        ranked = {first: sorted(rows, key=lambda row: -len(row[0])) for first, rows in found.items()}
        return cls(entry, frozenset(entry.signs.split()), ranked)

    def at(self, tokens: Sequence[Token], at: int) -> tuple[int, tuple[str, ...]] | None:
        """The longest expression that begins at a place: how many tokens it has, and its English words."""
        for words, english in self.expressions.get(tokens[at].text, ()):
            end = at + len(words)
            if words == tuple(token.text for token in tokens[at:end]) and not (
                _joined(tokens, at) or _joined(tokens, end)
            ):
                return len(words), english
        return None


def _joined(tokens: Sequence[Token], at: int) -> bool:
    """Whether a place lies within a word with digits: "A100"."""
    return (
        0 < at < len(tokens) and tokens[at].glued and tokens[at - 1].text[0].isalnum() and tokens[at].text[0].isalnum()
    )


def _spoken(expression: str, entry: OtherLanguage) -> tuple[str, ...]:
    return tuple(token.text for token in _elided(cut(expression, stemmed=False), entry.elided))


def _elided(tokens: Sequence[Token], elided: Collection[str]) -> Iterator[Token]:
    """ "l'ethernet" and "d'équipe" are two words each, the mark being part of the first."""
    at = 0
    while at < len(tokens):
        token = tokens[at]
        head, mark, tail = token.text.partition("'")
        if mark and head in elided and tail:
            middle = token.start + len(head) + 1
            yield Token(head + mark, token.start, middle, token.glued, head + mark)
            yield Token(tail, middle, token.end, False, stem(tail))
        elif head in elided and at + 1 < len(tokens) and tokens[at + 1].text == "'" and tokens[at + 1].glued:
            at += 1
            yield Token(head + "'", token.start, tokens[at].end, token.glued, head + "'")
        else:
            yield token
        at += 1


class Languages:
    """All languages with a file, and the words of English and of the catalog, which stay what they are."""

    def __init__(
        self,
        entries: Mapping[str, OtherLanguage],
        english: Collection[str],
        learned: Iterable[str],
        names: Collection[str],
        signs: Iterable[str],
    ) -> None:
        self._tongues = {name: _Tongue.of(entry) for name, entry in entries.items()}
        foreign = frozenset(sign for tongue in self._tongues.values() for sign in tongue.signs)
        self._names = frozenset(names)
        self._english = frozenset(english) | self._names
        self._known = frozenset(stem(word) for word in {*english, *learned} if word not in foreign) | self._names
        self._signs = {name: tongue.signs | self._own(tongue) for name, tongue in self._tongues.items()}
        self._clear = {name: frozenset(filter(self._is_clear, signs)) for name, signs in self._signs.items()}
        self._english_signs = frozenset(signs) - foreign

    @classmethod
    def of(cls, language: Language, names: Collection[str], wordings: Collection[str]) -> Languages:
        """The languages of the house; English is every word of its data, and of the messages that acts were learned
        from."""
        learned = words_of([feature for feature in language["weights"]["weights"] if feature.startswith("~")])
        parts = [part for name, part in language.parts.items() if name not in _NO_WORDS]
        english = words_of([parts, language["spelling"]["words"], language["spelling"]["right"]]) | set(wordings)
        return cls(language.others, english, learned, names, language["words"]["signs"].split())

    def __call__(self, tokens: Sequence[Token]) -> tuple[str, list[Token]]:
        """The language of a message, and its tokens with what is known of that language put into English."""
        name = self._language(tokens)
        if name == ENGLISH:
            return name, list(tokens)
        tongue = self._tongues.get(name)
        if tongue is None:
            return name, [self._marked(token) for token in tokens]
        apart = list(_elided(list(_apart(tokens)), tongue.entry.elided))
        written = list(self._numbers(apart, tongue.entry))
        return name, _without_ordinal_dots(list(self._replaced(written, tongue)))

    # -- which language ----------------------------------------------------------------------------------

    def _own(self, tongue: _Tongue) -> set[str]:
        """Words that the expressions of a language have and English has not."""
        words = {word for rows in tongue.expressions.values() for expression, _ in rows for word in expression}
        return {word for word in words if word[0].isalpha() and not self._is_known(word)} | set(tongue.entry.numerals)

    def _is_clear(self, sign: str) -> bool:
        """Whether a sign shows a language by itself: no English word, no name, no single letter such as "à"."""
        return sign not in self._english and (len(sign) > 1 or not _LATIN.match(sign))

    def _is_known(self, word: str) -> bool:
        """Whether English or the catalog has a word; a single letter is part of a name or a unit."""
        return word in self._known or stem(word) in self._known or (len(word) == 1 and word.isascii())

    def _language(self, tokens: Sequence[Token]) -> str:
        behind = {at + 1 for at, mark in enumerate(tokens) if mark.text in ".@" and mark.glued}  # "dana@acme.com"
        address = lambda at: at in behind and tokens[at].glued
        words = {one.text for at, one in enumerate(tokens) if one.is_word and not (_is_part(one) or address(at))}
        english = len(words & self._english_signs)
        found = {name: words & signs for name, signs in self._signs.items() if words & self._clear[name]}
        unknown = {word for word in words if not self._is_known(word)}
        name = max(found, key=lambda name: len(found[name]), default=ENGLISH)
        most = len(found.get(name, ()))
        told = most >= _FEW_SIGNS or (not english and most >= _SHARE_OF_SIGNS * len(unknown))
        if most and told and 2 * most >= english:
            return name
        strange = sum(len(word) for word in unknown if not _LATIN.match(word)) > 1
        others = [word for word in words if len(word) > 1 and word not in self._names]
        return UNREAD if not english and (strange or _MANY_UNKNOWN <= len(others) == len(unknown)) else ENGLISH

    # -- its words ---------------------------------------------------------------------------------------

    def _replaced(self, tokens: Sequence[Token], tongue: _Tongue) -> Iterator[Token]:
        at = 0
        while at < len(tokens):
            found = tongue.at(tokens, at)
            if found is None:
                yield self._marked(tokens[at])
                at += 1
                continue
            size, english = found
            first, last = tokens[at], tokens[at + size - 1]
            for n, word in enumerate(english):
                yield Token(word, first.start, last.end, first.glued and first.text.isalnum() and not n, stem(word))
            at += size

    def _marked(self, token: Token) -> Token:
        return replace(token, foreign=True) if token.is_word and not self._is_known(token.text) else token

    # -- its numbers -------------------------------------------------------------------------------------

    def _numbers(self, tokens: Sequence[Token], entry: OtherLanguage) -> Iterator[Token]:
        """Numbers as the language writes them: ``1.250,50``, ``1 250``, ``一百二十万``."""
        at = 0
        while at < len(tokens):
            text, end = self._number(tokens, at, entry)
            same = text == tokens[at].text
            yield tokens[at] if same else replace(tokens[at], text=text, stem=text, end=tokens[end - 1].end)
            at = end

    def _number(self, tokens: Sequence[Token], at: int, entry: OtherLanguage) -> tuple[str, int]:
        text, end = tokens[at].text, at + 1
        if entry.numerals and (text in entry.numerals or tokens[at].is_number):
            return _numerals(tokens, at, entry.numerals)
        if not tokens[at].is_number:
            return text, end
        if entry.thousands == "." and _DOTTED.fullmatch(text):
            text = text.replace(".", "")
        elif entry.thousands == " ":
            text, end = self._grouped(tokens, at)
        if entry.decimal == "," and _COMMAED.fullmatch(text):
            return _UNSURE, end
        if entry.decimal == "," and text.isdecimal() and _fraction(tokens, end):
            return f"{text}.{tokens[end + 1].text}", end + 2
        return text, end

    def _grouped(self, tokens: Sequence[Token], at: int) -> tuple[str, int]:
        """ "1 250 000"; not the "3 405" of "Llama 3 405B"."""
        end = at + 1
        while end < len(tokens) and _GROUP.fullmatch(tokens[end].text) and not tokens[end].glued:
            end += 1
        runs_on = end < len(tokens) and tokens[end].glued and tokens[end].is_word
        named = at > 0 and (tokens[at].glued or tokens[at - 1].text in self._names)
        if named or runs_on or not (tokens[at].text.isdecimal() and len(tokens[at].text) <= 3):
            return tokens[at].text, at + 1
        return "".join(token.text for token in tokens[at:end]), end


def words_of(data: Any) -> set[str]:
    """The words in the strings of nested data, keys included."""
    if isinstance(data, str):
        return set(_WORD.findall(data))
    if isinstance(data, Mapping):
        data = [*data, *data.values()]
    return set().union(*map(words_of, data)) if isinstance(data, (list, tuple)) else set()


def unsure(tokens: Sequence[Token]) -> frozenset[int]:
    """The tokens of the sentences in which a word was not understood: what they say may be denied, past or of
    others."""
    found: set[int] = set()
    start = 0
    for at in range(len(tokens) + 1):
        if at < len(tokens) and not ends_sentence(tokens, at):
            continue
        if any(token.foreign for token in tokens[start:at]):
            found.update(range(start, at))
        start = at + 1
    return frozenset(found)


def _apart(tokens: Sequence[Token]) -> Iterator[Token]:
    """Signs of a script without spaces stand apart from what is beside them."""
    last = ""
    for token in tokens:
        beside = token.glued and (_is_sign(token.text) or _is_sign(last))
        yield replace(token, glued=False) if beside else token
        last = token.text


def _is_sign(text: str) -> bool:
    return len(text) == 1 and "\u3040" <= text <= "\u9fff"


def _fraction(tokens: Sequence[Token], at: int) -> bool:
    """Whether ",50" follows."""
    return (
        at + 1 < len(tokens)
        and tokens[at].text == ","
        and tokens[at].glued
        and tokens[at + 1].glued
        and tokens[at + 1].text.isdecimal()
    )


def _numerals(tokens: Sequence[Token], at: int, numerals: Mapping[str, int]) -> tuple[str, int]:
    """Digits and signs of a number, ``三百二十``, ``20万``, ``1.5亿``: as digits, and where it ends."""
    total = section = 0.0
    digit: float | None = None
    end = at
    while end < len(tokens) and (tokens[end].text in numerals or (end == at and tokens[end].is_number)):
        text, value = tokens[end].text, numerals.get(tokens[end].text)
        if value is None:
            if "," in text or text.count(".") > 1 or not re.fullmatch(r"[\d.]+", text):
                return text, at + 1
            digit = float(text)
        elif value < 10:
            digit = value if digit is None else digit * 10 + value
        elif value < 10_000:
            section, digit = section + (1 if digit is None else digit) * value, None
        else:
            whole = section + (digit or 0)
            total, section, digit = ((total + whole) or 1) * value, 0.0, None
        end += 1
    if end == at + 1 and tokens[at].is_number:
        return tokens[at].text, end
    return f"{total + section + (digit or 0):.10g}", end


def _without_ordinal_dots(tokens: Sequence[Token]) -> list[Token]:
    """ "15. March" is "15 March": the dot ends no sentence."""
    return [token for at, token in enumerate(tokens) if not (token.text == "." and _is_ordinal(tokens, at))]


def _is_ordinal(tokens: Sequence[Token], at: int) -> bool:
    before, after = tokens[max(0, at - 1)], tokens[at + 1] if at + 1 < len(tokens) else None
    if not (before.text.isdecimal() and len(before.text) <= 2 and tokens[at].glued) or after is None:
        return False
    return after.text in _AFTER_ORDINALS and not after.glued


_AFTER_ORDINALS = frozenset(
    "january february march april may june july august september october november december quarter day of".split()
)


def _is_part(token: Token) -> bool:
    """Whether letters are a part of a name: the "en" of "p5en"."""
    return token.glued and token.text.isascii() and len(token.text) <= _FRAGMENT
