"""What rules can tell apart: facts that answer every test of theirs alike lead to the same matches."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping
from typing import Any

from assistant.vocabulary.facts import FACTS, UNKNOWN, Scope

from .engine import LARGEST_NUMBER, EngineError, Property, stored

Class = int | str | bool | None


class Distinctions:
    """The facts of a scope that rules read, and what their tests compare each with: of a number a rule sees between
    which of these it lies, of a word which of these it is, if any; flags are themselves."""

    def __init__(self, scope: Scope, names: Iterable[str], tests: Iterable[Property]) -> None:
        words: dict[str, set[str]] = {name: set() for name in names}
        numbers: dict[str, set[float]] = {name: set() for name in words}
        for test in tests:
            for value in test.value if isinstance(test.value, tuple) else (test.value,):
                kept = stored(test.field, value)[1]
                if isinstance(kept, str):
                    words[test.field].add(kept)
                else:
                    numbers[test.field].add(kept)
        self._scope = scope
        kinds = {name: FACTS[scope][name].kind for name in words}
        self._texts = [(name, words[name]) for name, kind in kinds.items() if kind == "text"]
        self._flags = [(name, words[name]) for name, kind in kinds.items() if kind == "flag"]
        self._numbers = [(name, words[name], sorted(numbers[name])) for name, kind in kinds.items() if kind == "number"]

    def of(self, facts: Mapping[str, Any]) -> dict[str, Class]:
        """The class of each fact that is read: of a number twice its place among those it is compared with, one more
        where it is one of them; of a word itself, ``None`` where it is compared with others alone. A missing fact, or
        None, is unknown. Raises :class:`EngineError` for a fact of the wrong kind, and for a number that the engine
        cannot keep."""
        classes: dict[str, Class] = {}
        told = facts.get
        for name, words in self._texts:
            value = told(name)
            if value.__class__ is not str:
                value = self._word(name, value, "text")
            classes[name] = value if value in words else None
        for name, words in self._flags:
            value = told(name)
            if value is not True and value is not False:
                value = self._word(name, value, "flag")
                value = value if value in words else None
            classes[name] = value
        for name, words, numbers in self._numbers:
            value = told(name)
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                number = _number(name, value)
                place = bisect_left(numbers, number)
                classes[name] = 2 * place + (place < len(numbers) and numbers[place] == number)
            else:
                value = self._word(name, value, "number")
                classes[name] = value if value in words else None
        return classes

    def _word(self, name: str, value: Any, kind: str) -> str:
        """A word that is told of a fact; of what is no text whether it is known. Raises :class:`EngineError` for
        another."""
        value = UNKNOWN if value is None else value
        if not isinstance(value, str) or (kind != "text" and value != UNKNOWN):
            raise EngineError(f"{self._scope}.{name}: expected a {kind}, got {value!r}")
        return value


def _number(name: str, value: float) -> float:
    """As the engine keeps it, without the start that its words take."""
    number = float(value)
    if not -LARGEST_NUMBER <= number <= LARGEST_NUMBER:  # neither is what is not a number
        stored(name, value)  # says so
    return round(number, 4)
