"""A rule: one decision, what it looks at, what it concludes, why, and what it rests on.

Everything a rule names is checked when it is read: facts and their values against :data:`FACTS`, the fields of its
sentences, and that it rests on at least one claim and has an example for each case in which it speaks and one where it
keeps quiet.
"""

from __future__ import annotations

import itertools
import string
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, cast, get_args

from pydantic import AfterValidator, BeforeValidator, Field, ValidationInfo, field_validator, model_validator

from .conditions import Condition, RulePart, Scalar, apart, checked
from .facts import FACTS
from .knowledge import Grade
from .quantities import COMPARISONS, shown

Stage = Literal["classify", "demand", "screen", "choose", "advise"]
STAGES: tuple[Stage, ...] = get_args(Stage)

# What a sentence may say of a finding it was drawn from.
FINDING_FIELDS = ("name", "rule")


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[list[str], BeforeValidator(_as_list)]


class When(RulePart):
    """What must hold. ``finding``: any of these was concluded; ``without``: none of these was, in an earlier stage."""

    job: dict[str, Condition] = Field(default_factory=dict)
    candidate: dict[str, Condition] = Field(default_factory=dict)
    finding: Names = Field(default_factory=list)
    without: Names = Field(default_factory=list)

    @field_validator("job", "candidate")
    @classmethod
    def _known_facts(cls, conditions: dict[str, Any], info: Any) -> dict[str, Any]:
        return checked(info.field_name, conditions)

    @model_validator(mode="after")
    def _looks_at_something(self) -> When:
        if not (self.job or self.candidate or self.finding):
            raise ValueError("expected job, candidate or finding: a rule that always speaks decides nothing")
        return self

    def excludes(self, other: When) -> bool:
        """Whether some fact tells them apart: what one asks of it the other rules out."""
        pairs = ((self.job, other.job), (self.candidate, other.candidate))
        return any(apart(mine[name], its[name]) for mine, its in pairs for name in mine if name in its)

    def and_(self, other: When) -> When:
        """Both together. Raises ``ValueError`` where both look at one fact, or both name findings."""
        twice = [*(self.job.keys() & other.job.keys()), *(self.candidate.keys() & other.candidate.keys())]
        twice += ["finding"] if self.finding and other.finding else []
        if twice:
            raise ValueError(f"{', '.join(twice)}: asked by the rule and by one of its cases, say it in one of them")
        job, candidate = {**self.job, **other.job}, {**self.candidate, **other.candidate}
        finding, without = self.finding or other.finding, [*self.without, *other.without]
        return self.model_copy(update={"job": job, "candidate": candidate, "finding": finding, "without": without})


class Setting(RulePart):
    """One environment variable; ``value`` null: leave it unset."""

    name: str = Field(pattern=r"^[A-Z][A-Z0-9_]*$")
    value: str | None


class Then(RulePart):
    """The one thing a rule says.

    ``outweighed_by``: the saving for which a network is taken that the rule says to avoid: any that the error bands can
    tell, where what it objects to is in the cost already; only a large one, where it speaks of what no sum holds.
    Without it the verdict stands whatever the network costs.
    """

    verdict: Literal["impossible", "avoid"] | None = None
    outweighed_by: Literal["any-saving", "large-saving"] | None = None
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
        if self.outweighed_by is not None and self.verdict != "avoid":
            raise ValueError("expected outweighed_by beside verdict: avoid alone")
        return self


_KINDS = ("verdict", "conclude", "warn", "prefer", "ask", "measure", "setting")


class Given(RulePart):
    """Facts of an example; what is not named is unknown."""

    job: dict[str, Scalar] = Field(default_factory=dict)
    candidate: dict[str, Scalar] = Field(default_factory=dict)
    findings: Names = Field(default_factory=list)

    @field_validator("job", "candidate")
    @classmethod
    def _known_facts(cls, facts: dict[str, Scalar], info: Any) -> dict[str, Scalar]:
        return checked(info.field_name, facts)


class Example(RulePart):
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
        format(1.0, "" if spec and (spec.startswith("#") or spec in COMPARISONS) else spec or "")
        found.append((scope, name, spec or ""))
    return found


def _known_fields(sentence: str) -> str:
    fields_of(sentence)
    return sentence


Because = Annotated[str, Field(min_length=10), AfterValidator(_known_fields)]


class Case(RulePart):
    """One of several things a rule may say: conditions on further facts, what follows then and what that rests on."""

    when: When
    then: Then | None = None
    because: Because | None = None
    claims: list[str] = Field(default_factory=list)
    look_up: str | None = Field(default=None, min_length=3)
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


class Rule(RulePart):
    """One decision. ``id`` is ``stage/name`` or ``stage/folder/name``, as the file is called.

    ``cases``: what it says depends on further facts, e.g. whether a source's threshold agrees with what was computed.
    No two of them can hold together, so one rule never says two things about one fabric.
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
        then, look_up = cast(Then, case.then or self.then), case.look_up or self.look_up
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
        if not said and not (cases and all(getattr(case, str(info.field_name)) for case in cases)):
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
