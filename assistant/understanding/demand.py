"""What a question asks for: the noun behind the word that asks, what is wanted of it, the things of which it speaks,
and its numbers with what each of them counts. What an answer tells is looked at with the same words, so that one can be
held against the other.

The words are ``knowledge/language/asked_for.yaml``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assistant.vocabulary.utterance import Amount

_FIGURES = {
    "<money>": r"\$ ?\d",
    "<time>": r"\d ?(?:ms|µs|s|min|minutes?|h|hours?|days?|weeks?|months?|years?)\b|\b20\d\d\b",
    "<latency>": r"\d ?(?:ms|µs)\b",
    "<rate>": r"\d ?(?:[kmgt]b/s|[gt]bit)",
    "<percent>": r"\d ?%|\btimes as\b",
    "<number>": r"\d",
}
_WORD = re.compile(r"[a-zµ$%][\w-]*")
_PLURAL = re.compile(r"(?<=[a-z]{2})(?:(?<=ss|sh|ch)es|(?<!s)s)$")
_LEAST_ALIKE = 4  # letters that two forms of a word have in common
_MOST_BEHIND = 4  # words between what asks and the end of what is asked for
_NUMBER = re.compile(r"\d[\d,']*(?:\.\d+)?")


@dataclass(frozen=True)
class Thing:
    """Something that may be asked for. ``lacks``: what no plan knows of it; ``nearest``: questions that it answers;
    ``told_by``: the kinds of question whose answer tells it; ``beside``: words that are said besides."""

    name: str
    said: re.Pattern[str]
    told: re.Pattern[str]
    lacks: str
    nearest: tuple[str, ...]
    told_by: tuple[str, ...] = ()
    beside: re.Pattern[str] | None = None

    def in_words(self, said: str) -> str | None:
        """The words of a question by which it is asked for; ``None`` where it is not."""
        found = self.said.search(said)
        return found.group() if found and (self.beside is None or self.beside.search(said)) else None


@dataclass(frozen=True)
class Counted:
    """A number of a question: ``text`` as it was typed, ``of`` the word that says what it counts, "" where none does;
    ``kind`` of quantity."""

    amount: Amount
    text: str
    of: str
    kind: str


@dataclass(frozen=True)
class Demand:
    """What one question asks for: ``head`` the words of the noun behind the word that asks."""

    text: str
    head: tuple[str, ...]
    wants: tuple[str, ...]
    things: tuple[Thing, ...]
    numbers: tuple[Counted, ...]


class Demands:
    """Reads what is asked for, and whether it is told."""

    @classmethod
    def of_data(cls, data: Mapping[str, Any]) -> Demands:
        """From the file as it is read, made once."""
        if id(data) not in _made:
            _made.clear()
            _made[id(data)] = cls(data), data
        return _made[id(data)][0]

    def __init__(self, data: Mapping[str, Any]) -> None:
        self._alike = [(_pattern(words), _pattern(words)) for words in data["alike"].values()]
        self._nothing = frozenset(data["nothing_of_its_own"])
        self._ends = frozenset(data["ends"])
        self._forms = frozenset(data["forms"])
        self._asks = re.compile(data["asks"])
        self._wants = {name: (_pattern(one["says"]), _pattern(one["told"])) for name, one in data["wants"].items()}
        self.things = tuple(_thing(one) for one in data["things"])

    def of(self, text: str, first: str, amounts: Sequence[Amount], typed: str) -> Demand:
        """What a question asks for; ``first``: its first clause, that has its noun, ``typed``: the message that it is
        of, in which the amounts have their places."""
        said, first = (" ".join(one.lower().split()) for one in (text, first))
        things = tuple(one for one in self.things if one.in_words(said))
        return Demand(text, self._head(first), self.wants_of(first), things, tuple(self._numbers(typed, amounts)))

    def _head(self, said: str) -> tuple[str, ...]:
        """The noun behind the first word that asks for one: "sequence length" of "what sequence length could I …"."""
        for found in self._asks.finditer(said):
            words: list[str] = []
            for word in _WORD.findall(re.split(r"[,.;:?!()]", said[found.end() :])[0])[: _MOST_BEHIND + 1]:
                if word in self._ends:
                    break
                words.append(word)
            own = [word for word in words[:_MOST_BEHIND] if word not in self._nothing]
            if own:
                return tuple(own)
        return ()

    def _numbers(self, text: str, amounts: Sequence[Amount]) -> Iterable[Counted]:
        kind = ""
        for one in sorted(amounts, key=lambda amount: amount.start):
            typed = text[one.start : one.end]
            if one.kind == "date" or one.unit == "word" or not isinstance(one.value, int | float):
                continue
            behind = [word for word in _WORD.findall(text[one.end :].lower()[:40]) if word not in self._nothing]
            glued = re.match(r" ?-?([a-z][\w-]*)", text[one.end :].lower())
            of = next(iter(behind), "") if glued else ""
            of = "" if of in self._ends else of
            if of in self._forms:
                continue
            kind = one.kind if one.kind != "number" or of else kind or "number"
            yield Counted(one, typed, of, kind)

    def tells(self, answer: str, word: str) -> bool:
        """Whether an answer has a word, a form of it, or one that is alike."""
        stem = _PLURAL.sub("", word)
        if re.search(rf"(?<![a-z]){re.escape(stem[: max(_LEAST_ALIKE, len(stem) - 2)])}", answer):
            return True
        return any(told.search(answer) for says, told in self._alike if says.fullmatch(word) or says.fullmatch(stem))

    def knows(self, word: str) -> bool:
        """Whether a word is one of those of which one tells of another."""
        return any(says.fullmatch(word) for says, _ in self._alike)

    def wants_of(self, question: str) -> tuple[str, ...]:
        """What a question wants of the thing that it asks for."""
        return tuple(name for name, (says, _) in self._wants.items() if says.search(question.lower()))

    def wanted(self, answer: str, want: str) -> bool:
        """Whether an answer has what a kind of question wants."""
        return bool(self._wants[want][1].search(answer))


def _thing(one: Mapping[str, Any]) -> Thing:
    said = _pattern(one["says"])
    named = () if "with" in one else one["says"]  # with them alone nothing is told of it
    told = _pattern([*named, *one.get("told", ())])
    beside = _pattern(one["with"]) if "with" in one else None
    nearest, kinds = tuple(one.get("nearest", ())), tuple(one.get("told_by", ()))
    return Thing(one["thing"], said, told, one.get("lacks", ""), nearest, kinds, beside)


def _pattern(words: Iterable[str]) -> re.Pattern[str]:
    """Any of the words, of which ``*`` ends one that may go on and ``<money>`` stands for a figure."""
    each = (
        _FIGURES.get(word) or rf"(?<![a-z]){re.escape(str(word).lower())}".replace(r"\*", r"\w*") + r"(?![a-z])"
        for word in words
    )
    return re.compile("|".join(each))


def printed(answer: str) -> list[tuple[float, str]]:
    """The numbers of an answer in small letters, each with what stands behind it."""
    found = []
    for one in _NUMBER.finditer(answer):
        behind = answer[one.end() : one.end() + 24]
        value = float(one.group().replace(",", "").replace("'", ""))
        scale = re.match(r" ?(k|m|b|t|million|billion|trillion)\b", behind)
        found.append((value, behind))
        if scale:
            found.append((value * _SCALES[scale.group(1)[0]], behind))
    return found


_made: dict[int, tuple[Demands, Mapping[str, Any]]] = {}
_SCALES = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}
