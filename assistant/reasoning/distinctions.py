"""What rules can tell apart: facts that answer every test of theirs alike lead to the same matches."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
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
        self._compared: list[tuple[str, str, set[str], list[float]]] = [
            (name, FACTS[scope][name].kind, words[name], sorted(numbers[name])) for name in words
        ]

    def of(self, facts: Mapping[str, Any]) -> dict[str, Class]:
        """The class of each fact that is read: of a number twice its place among those it is compared with, one more
        where it is one of them; of a word itself, ``None`` where it is compared with others alone. A missing fact, or
        None, is unknown. Raises :class:`EngineError` for a fact of the wrong kind, and for a number that the engine
        cannot keep."""
        classes: dict[str, Class] = {}
        for name, kind, words, numbers in self._compared:
            value = facts.get(name)
            value = UNKNOWN if value is None else value
            if isinstance(value, str):
                known = kind == "text" or value == UNKNOWN
                classes[name] = value if value in words else None
            elif isinstance(value, bool):
                known, classes[name] = kind == "flag", value
            elif known := kind == "number" and isinstance(value, (int, float)):
                number = _number(name, value)
                classes[name] = bisect_left(numbers, number) + bisect_right(numbers, number)
            if not known:
                raise EngineError(f"{self._scope}.{name}: expected a {kind}, got {value!r}")
        return classes


def _number(name: str, value: float) -> float:
    """As the engine keeps it, without the start that its words take."""
    number = float(value)
    if not -LARGEST_NUMBER <= number <= LARGEST_NUMBER:  # neither is what is not a number
        stored(name, value)  # says so
    return round(number, 4)
