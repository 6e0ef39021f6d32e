"""A rule: one decision, what it looks at, what it concludes, why, and what it rests on.

Everything a rule names is checked when it is read: facts and their values against :data:`FACTS`, the fields of its
sentences, and that it rests on at least one claim and has an example for each case in which it speaks and one where it
keeps quiet.
"""

from __future__ import annotations

import difflib
import itertools
import math
import string
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationInfo,
    field_validator,
    model_validator,
)

from .facts import FACTS, UNKNOWN, FactWord
from .knowledge import Grade
from .quantities import shown

__all__ = [
    "FACTS",
    "STAGES",
    "UNKNOWN",
    "Branch",
    "Case",
    "Comparison",
    "Example",
    "Rule",
    "Setting",
    "Stage",
    "Then",
    "When",
    "fields_of",
]

Stage = Literal["classify", "demand", "screen", "choose", "advise"]
STAGES: tuple[Stage, ...] = get_args(Stage)

# What a sentence may say of a finding it was drawn from.
FINDING_FIELDS = ("name", "rule")

Scalar = bool | int | float | str


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[list[str], BeforeValidator(_as_list)]


class Entry(BaseModel):
    """A part of a rule: unknown keys are refused, rules are not changed after loading."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Comparison(Entry):
    """What a fact must be; several comparisons hold together. An unknown fact never satisfies one."""

    at_least: float | None = None
    at_most: float | None = None
    more_than: float | None = None
    less_than: float | None = None
    not_: Scalar | list[Scalar] | None = Field(None, alias="not")

    @property
    def bounds(self) -> dict[str, float]:
        """The numeric comparisons that were given."""
        given = {name: getattr(self, name) for name in ("at_least", "at_most", "more_than", "less_than")}
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


def _apart(one: Any, other: Any) -> bool:
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


def _checked_conditions(scope: str, conditions: dict[str, Any]) -> dict[str, Any]:
    for name, condition in conditions.items():
        word = FACTS[scope].get(name)
        if word is None:
            near = difflib.get_close_matches(name, FACTS[scope], n=1, cutoff=0.5)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ValueError(f"unknown {scope} fact {shown(name)}{hint} (weft handbook rules lists them)")
        try:
            _check_condition(word, condition)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
    return conditions


class When(Entry):
    """What must hold. ``finding``: any of these was concluded; ``without``: none of these was, in an earlier stage."""

    job: dict[str, Condition] = Field(default_factory=dict)
    candidate: dict[str, Condition] = Field(default_factory=dict)
    finding: Names = Field(default_factory=list)
    without: Names = Field(default_factory=list)

    @field_validator("job", "candidate")
    @classmethod
    def _known_facts(cls, conditions: dict[str, Any], info: Any) -> dict[str, Any]:
        return _checked_conditions(info.field_name, conditions)

    @model_validator(mode="after")
    def _looks_at_something(self) -> When:
        if not (self.job or self.candidate or self.finding):
            raise ValueError("expected job, candidate or finding: a rule that always speaks decides nothing")
        return self

    def excludes(self, other: When) -> bool:
        """Whether some fact tells them apart: what one asks of it the other rules out."""
        pairs = ((self.job, other.job), (self.candidate, other.candidate))
        return any(_apart(mine[name], its[name]) for mine, its in pairs for name in mine if name in its)

    def and_(self, other: When) -> When:
        """Both together. Raises ``ValueError`` where both look at one fact, or both name findings."""
        mine, its = ({**one.job, **one.candidate, "finding": one.finding} for one in (self, other))
        if twice := [name for name in mine if mine[name] and its.get(name)]:
            raise ValueError(
                f"{', '.join(twice)}: looked at by the rule and by one of its cases, say it in one of them"
            )
        return self.model_copy(
            update={
                "job": {**self.job, **other.job},
                "candidate": {**self.candidate, **other.candidate},
                "finding": self.finding or other.finding,
                "without": [*self.without, *other.without],
            }
        )


class Setting(Entry):
    """One environment variable; ``value`` null: leave it unset."""

    name: str = Field(pattern=r"^[A-Z][A-Z0-9_]*$")
    value: str | None


class Then(Entry):
    """The one thing a rule says."""

    verdict: Literal["impossible", "avoid"] | None = None
    conclude: str | None = Field(None, pattern=r"^[a-z0-9][a-z0-9-]*$")
    warn: str | None = Field(None, pattern=r"^[a-z0-9][a-z0-9-]*$")
    prefer: float | None = None
    reason: str | None = None
    ask: str | None = None
    measure: str | None = None
    setting: Setting | None = None

    @property
    def kind(self) -> str:
        """Which of the seven things it is."""
        return next(name for name in _KINDS if getattr(self, name) is not None)

    @property
    def name(self) -> str:
        """What later rules know the finding by."""
        said = self.verdict or self.conclude or self.warn
        return said or {"ask": "question", "measure": "measurement"}.get(self.kind, self.kind)

    @property
    def texts(self) -> dict[str, str]:
        """The parts that are sentences with fields in them, by key."""
        texts = {"ask": self.ask, "measure": self.measure, "value": self.setting and self.setting.value}
        return {key: text for key, text in texts.items() if text}

    @model_validator(mode="after")
    def _one_thing(self) -> Then:
        said = [name for name in _KINDS if getattr(self, name) is not None]
        if len(said) != 1:
            raise ValueError(f"expected exactly one of {', '.join(_KINDS)}, got {', '.join(said) or 'none'}")
        if (self.prefer is None) != (self.reason is None):
            raise ValueError("expected prefer and reason together")
        return self


_KINDS = ("verdict", "conclude", "warn", "prefer", "ask", "measure", "setting")


class Given(Entry):
    """Facts of an example; what is not named is unknown."""

    job: dict[str, Scalar] = Field(default_factory=dict)
    candidate: dict[str, Scalar] = Field(default_factory=dict)
    findings: Names = Field(default_factory=list)

    @field_validator("job", "candidate")
    @classmethod
    def _known_facts(cls, facts: dict[str, Scalar], info: Any) -> dict[str, Scalar]:
        return _checked_conditions(info.field_name, facts)


class Example(Entry):
    """Facts under which the rule ``fires``, or the case of it that does; or under which it keeps ``silent``."""

    given: Given
    expect: str


def fields_of(template: str) -> list[tuple[str, str, str]]:
    """``(scope, field, format)`` of every field of a sentence such as ``{candidate.slowdown_percent:.0f} %``.

    Raises ``ValueError`` for a field that is no fact, or a number format on a fact that is no number.
    """
    found = []
    for _, expression, spec, conversion in string.Formatter().parse(template):
        if expression is None:
            continue
        scope, _, name = expression.partition(".")
        known = FINDING_FIELDS if scope == "finding" else FACTS.get(scope, {})
        if name not in known or conversion:
            raise ValueError(
                f"unknown field {{{expression}}}: expected {{job.…}}, {{candidate.…}} or {{finding.…}} "
                "with the name of a fact"
            )
        if spec and (scope == "finding" or FACTS[scope][name].kind != "number"):
            raise ValueError(f"{{{expression}:{spec}}}: the format {spec} needs a number")
        format(1.0, spec or "")
        found.append((scope, name, spec or ""))
    return found


def _known_fields(sentence: str) -> str:
    fields_of(sentence)
    return sentence


Because = Annotated[str, Field(min_length=10), AfterValidator(_known_fields)]


class Case(Entry):
    """One of several things a rule may say: conditions on further facts, what follows then and what that rests on."""

    when: When
    then: Then | None = None
    because: Because | None = None
    claims: list[str] = Field(default_factory=list)
    look_up: str | None = Field(None, min_length=3)
    touches: list[str] = Field(default_factory=list)


@dataclass(frozen=True)
class Branch:
    """A rule in one of its cases, with what all of them share; a rule without cases is its own only branch.

    ``because`` is the rule's sentence and then the case's, ``claims`` the case's and then the rule's.
    """

    rule: Rule
    case: str
    when: When
    then: Then
    because: str
    claims: tuple[str, ...]
    look_up: str | None
    touches: tuple[str, ...]

    @property
    def id(self) -> str:
        """The rule, and the case in brackets."""
        return f"{self.rule.id} ({self.case})" if self.case else self.rule.id

    @property
    def stage(self) -> Stage:
        return self.rule.stage

    @property
    def fields(self) -> list[tuple[str, str]]:
        """``(scope, field)`` of all that its sentences mention."""
        texts = (self.because, *self.then.texts.values())
        return [(scope, name) for text in texts for scope, name, _ in fields_of(text)]

    @property
    def looks_at(self) -> dict[str, list[str]]:
        """Facts it reads, by scope: its conditions first, then what only its sentences mention."""
        read: dict[str, list[str]] = {"job": list(self.when.job), "candidate": list(self.when.candidate)}
        for scope, name in self.fields:
            if scope in read and name not in read[scope]:
                read[scope].append(name)
        return read


class Rule(Entry):
    """One decision. ``id`` is ``stage/name`` or ``stage/folder/name``, as the file is called.

    ``cases``: what it says depends on further facts, e.g. whether a source's threshold agrees with what was computed. No
    two of them can hold together, so one rule never says two things about one fabric.
    """

    id: str = Field(pattern=r"^[a-z]+(/[a-z0-9-]+){1,2}$")
    title: str = Field(min_length=3)
    when: When
    cases: dict[str, Case] = Field(default_factory=dict)
    then: Then | None = Field(None, validate_default=True)
    because: Because | None = Field(None, validate_default=True)
    claims: list[str] = Field(default_factory=list, validate_default=True)
    look_up: str | None = Field(default=None, min_length=3)  # none: its claims say all there is
    grade: Grade
    touches: list[str] = Field(default_factory=list)  # tags of the disagreements in knowledge/conflicts.yaml
    examples: list[Example]

    @property
    def stage(self) -> Stage:
        return self.id.split("/")[0]  # type: ignore[return-value]

    @cached_property
    def branches(self) -> tuple[Branch, ...]:
        """The rule in each of its cases."""
        if not self.cases:
            return (self._branch("", Case(when=self.when), self.when),)
        return tuple(self._branch(name, case, self.when.and_(case.when)) for name, case in self.cases.items())

    def _branch(self, name: str, case: Case, when: When) -> Branch:
        claims = tuple(dict.fromkeys((*case.claims, *self.claims)))
        because = " ".join(text for text in (self.because, case.because) if text)
        then, look_up = case.then or self.then, case.look_up or self.look_up
        return Branch(self, name, when, then, because, claims, look_up, (*self.touches, *case.touches))

    @field_validator("id")
    @classmethod
    def _known_stage(cls, identifier: str) -> str:
        if identifier.split("/")[0] not in STAGES:
            raise ValueError(f"expected an id that starts with one of {', '.join(STAGES)}, got {shown(identifier)}")
        return identifier

    @field_validator("then", "because", "claims")
    @classmethod
    def _said_here_or_in_every_case(cls, said: Any, info: ValidationInfo) -> Any:
        cases = info.data.get("cases", {}).values()
        if not said and not (cases and all(getattr(case, info.field_name) for case in cases)):
            raise ValueError(f"required: expected at least 1{' here or in every case' if cases else ''}")
        return said

    @field_validator("cases")
    @classmethod
    def _cases_exclude_each_other(cls, cases: dict[str, Case]) -> dict[str, Case]:
        for (name, one), (other_name, other) in itertools.combinations(cases.items(), 2):
            if not one.when.excludes(other.when):
                raise ValueError(f"{name} and {other_name} can both hold: give them one fact that tells them apart")
        return cases

    @model_validator(mode="after")
    def _hangs_together(self) -> Rule:
        wanted = [*(self.cases or ["fires"]), "silent"]
        if {example.expect for example in self.examples} != set(wanted):
            said = {"fires": "one that fires", "silent": "one that is silent"}
            each = " and ".join(said.get(name, f"one for {name}") for name in wanted)
            raise ValueError(f"examples: expected at least {each}")
        for branch in self.branches:
            if branch.then.verdict and not branch.when.candidate and not branch.when.finding:
                raise ValueError("then: a verdict is about a candidate, so when needs candidate conditions")
            if not branch.when.finding and any(scope == "finding" for scope, _ in branch.fields):
                raise ValueError("because: {finding.…} needs when.finding")
        return self
