"""A rule: one decision, what it looks at, what it concludes, why, and what it rests on.

Everything a rule names is checked when it is read: facts and their values against :data:`FACTS`, the fields of its
sentences, and that it rests on at least one claim and shows one case where it speaks and one where it keeps quiet.
"""

from __future__ import annotations

import string
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, field_validator, model_validator

from .facts import FACTS, UNKNOWN, FactWord
from .knowledge import Grade
from .quantities import shown

__all__ = [
    "FACTS",
    "STAGES",
    "UNKNOWN",
    "Comparison",
    "Example",
    "Rule",
    "Setting",
    "Stage",
    "Then",
    "Touch",
    "When",
    "fields_of",
]

Stage = Literal["classify", "demand", "screen", "choose", "advise"]
STAGES: tuple[Stage, ...] = get_args(Stage)

Touch = Literal[
    "withdrawn-ethernet",
    "threshold",
    "roce-vs-infiniband",
    "ethernet-kinds",
    "latency",
    "premium",
    "prices",
    "allreduce-time",
    "overlap",
    "fsdp-scaling",
    "batch",
    "inference",
    "precision-fit",
    "uec",
    "xdr",
    "line-rate",
    "lossless",
    "nccl-settings",
    "spectrum-x",
    "bandwidth-ratio",
    "mlperf",
    "gcp-fabric",
    "patterns",
    "nvswitch",
    "diloco",
    "disable-ib",
    "small-message",
]

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

    @model_validator(mode="after")
    def _says_something(self) -> Comparison:
        if not self.bounds and not self.excluded:
            raise ValueError("expected at_least, at_most, more_than, less_than or not")
        return self


def _condition(value: Any) -> Any:
    """Equality is written as a value, any-of as a list, everything else as a mapping."""
    if isinstance(value, dict):
        return Comparison.model_validate(value)
    options = value if isinstance(value, list) else [value]
    if not options or not all(isinstance(option, (bool, int, float, str)) for option in options):
        raise ValueError(f"expected a value, a list of values or a comparison, got {shown(value)}")
    return value


Condition = Annotated[Any, BeforeValidator(_condition)]


def check_value(word: FactWord, value: Scalar) -> None:
    """Raise ``ValueError`` when a fact can never have this value."""
    if value == UNKNOWN:
        return
    numeric = isinstance(value, (int, float)) and not isinstance(value, bool)
    if word.kind == "number" and not numeric:
        raise ValueError(f"expected a number ({word.unit}), got {shown(value)}")
    if word.kind == "flag" and not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {shown(value)}")
    if word.kind == "text" and not isinstance(value, str):
        raise ValueError(f"expected a word, got {shown(value)}")
    if word.values and value not in (*word.values, "none"):
        raise ValueError(f"expected one of {', '.join(word.values)}, got {shown(value)}")


def _check_condition(word: FactWord, condition: Any) -> None:
    if not isinstance(condition, Comparison):
        options = condition if isinstance(condition, list) else [condition]
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
            raise ValueError(f"unknown {scope} fact {shown(name)}")
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
    """A case where the rule speaks, or one where it keeps quiet."""

    given: Given
    expect: Literal["fires", "silent"]


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


class Rule(Entry):
    """One decision. ``id`` is ``stage/name``, as the file is called."""

    id: str = Field(pattern=r"^[a-z]+/[a-z0-9-]+$")
    title: str = Field(min_length=3)
    when: When
    then: Then
    because: str = Field(min_length=10)
    claims: list[str] = Field(min_length=1)
    look_up: str | None = Field(default=None, min_length=3)  # none: its claims say all there is
    grade: Grade
    touches: list[Touch] = Field(default_factory=list)
    examples: list[Example] = Field(min_length=2)

    @property
    def stage(self) -> Stage:
        return self.id.split("/")[0]  # type: ignore[return-value]

    @property
    def looks_at(self) -> dict[str, list[str]]:
        """Facts the rule reads, by scope: its conditions first, then what only its sentences mention."""
        read: dict[str, list[str]] = {"job": list(self.when.job), "candidate": list(self.when.candidate)}
        for text in (self.because, *self.then.texts.values()):
            for scope, name, _ in fields_of(text):
                if scope in read and name not in read[scope]:
                    read[scope].append(name)
        return read

    @field_validator("id")
    @classmethod
    def _known_stage(cls, identifier: str) -> str:
        if identifier.split("/")[0] not in STAGES:
            raise ValueError(f"expected an id that starts with one of {', '.join(STAGES)}, got {shown(identifier)}")
        return identifier

    @field_validator("because")
    @classmethod
    def _known_fields(cls, because: str) -> str:
        fields_of(because)
        return because

    @model_validator(mode="after")
    def _hangs_together(self) -> Rule:
        expected = {example.expect for example in self.examples}
        if expected != {"fires", "silent"}:
            raise ValueError("examples: expected at least one that fires and one that is silent")
        if self.then.verdict and not self.when.candidate and not self.when.finding:
            raise ValueError("then: a verdict is about a candidate, so when needs candidate conditions")
        if any(
            "finding" == scope for text in (self.because, *self.then.texts.values()) for scope, _, _ in fields_of(text)
        ):
            if not self.when.finding:
                raise ValueError("because: {finding.…} needs when.finding")
        return self
