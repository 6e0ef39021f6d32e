"""What a rule asks of a fact: a value, one of several, or comparisons, checked against :data:`FACTS` when it is
read."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, ConfigDict, Field, model_validator

from .entry import Entry
from .errors import did_you_mean
from .facts import FACTS, UNKNOWN, FactWord
from .quantities import shown

Bound = Literal["at_least", "at_most", "more_than", "less_than"]
Scalar = bool | int | float | str


class RulePart(Entry):
    """A part of a rule: nothing is read as another kind of value than it is."""

    model_config = ConfigDict(strict=True)


class Comparison(RulePart):
    """What a fact must be; several comparisons hold together. An unknown fact never satisfies one."""

    at_least: float | None = None
    at_most: float | None = None
    more_than: float | None = None
    less_than: float | None = None
    not_: Scalar | list[Scalar] | None = Field(None, alias="not")

    @property
    def bounds(self) -> dict[Bound, float]:
        """The numeric comparisons that were given."""
        given = {name: getattr(self, name) for name in get_args(Bound)}
        return {name: bound for name, bound in given.items() if bound is not None}

    @property
    def excluded(self) -> list[Scalar]:
        """The values the fact must not have."""
        return self.not_ if isinstance(self.not_, list) else [] if self.not_ is None else [self.not_]

    @property
    def span(self) -> tuple[tuple[float, int], tuple[float, int]]:
        """The least and the greatest number it allows, each beside 1, −1 where the number itself is just outside."""
        lows = [(n, side) for n, side in ((self.at_least, 0), (self.more_than, 1)) if n is not None]
        highs = [(n, side) for n, side in ((self.at_most, 0), (self.less_than, -1)) if n is not None]
        return max(lows, default=(-math.inf, 0)), min(highs, default=(math.inf, 0))

    def allows(self, value: Scalar) -> bool:
        """Whether a known value meets it."""
        if not self.bounds:
            return value not in (*self.excluded, UNKNOWN)
        low, high = self.span
        return value != UNKNOWN and low <= (value, 0) <= high and value not in self.excluded

    @model_validator(mode="after")
    def _says_something(self) -> Comparison:
        if not self.bounds and not self.excluded:
            raise ValueError("expected at_least, at_most, more_than, less_than or not")
        return self


def _options(condition: Any) -> list[Scalar]:
    return condition if isinstance(condition, list) else [condition]


def _condition(value: Any) -> Any:
    """Equality is written as a value, any-of as a list, everything else as a mapping."""
    if isinstance(value, dict):
        return Comparison.model_validate(value)
    options = _options(value)
    if not options or not all(isinstance(option, (bool, int, float, str)) for option in options):
        raise ValueError(f"expected a value, a list of values or a comparison, got {shown(value)}")
    return value


Condition = Annotated[Any, BeforeValidator(_condition)]


def apart(one: Any, other: Any) -> bool:
    """Whether no value meets both conditions."""
    if isinstance(one, Comparison) and isinstance(other, Comparison):
        return one.span[0] > other.span[1] or other.span[0] > one.span[1]
    if isinstance(one, Comparison):
        one, other = other, one
    allowed = other.allows if isinstance(other, Comparison) else _options(other).__contains__
    return not any(allowed(option) for option in _options(one))


def check_value(word: FactWord, value: Scalar) -> None:
    """Raise ``ValueError`` when a fact can never have this value."""
    if value == UNKNOWN:
        return
    if not word.is_kind(value):
        expected = {"number": f"a number ({word.unit})", "flag": "true or false", "text": "a word"}
        raise ValueError(f"expected {expected[word.kind]}, got {shown(value)}")
    if word.values and value not in (*word.values, "none"):
        raise ValueError(f"expected one of {', '.join(word.values)}, got {shown(value)}")


def _check_condition(word: FactWord, condition: Any) -> None:
    if not isinstance(condition, Comparison):
        options = _options(condition)
    else:
        if condition.bounds and word.kind != "number":
            raise ValueError(f"expected a word or a list of words: this fact is a {word.kind}, not a number")
        options = condition.excluded
    for option in options:
        check_value(word, option)


def checked(scope: str, conditions: dict[str, Any]) -> dict[str, Any]:
    """The conditions. Raises ``ValueError`` for a fact that does not exist or can never be so, with the nearest
    name."""
    for name, condition in conditions.items():
        word = FACTS[scope].get(name)
        if word is None:
            hint = did_you_mean(name, FACTS[scope])
            raise ValueError(f"unknown {scope} fact {shown(name)}{hint} (weft handbook rules lists them)")
        try:
            _check_condition(word, condition)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return conditions
