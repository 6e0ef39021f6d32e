"""Rules as the engine wants them: patterns over job, candidate and finding facts, in small rulesets that chain."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import itemgetter
from typing import Any

from assistant.vocabulary.conditions import Comparison
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.facts import FACTS, UNKNOWN
from assistant.vocabulary.rules import STAGES, Branch, Stage

from .engine import LARGEST_NUMBER, LARGEST_RULESET, Pattern, Property

# Fabric of findings that are about the job.
WHOLE_JOB = "*"


@dataclass(frozen=True)
class CompiledRule:
    """A rule in one of its cases with its patterns; ``per_candidate``: it is about one candidate, else about the
    job."""

    branch: Branch
    per_candidate: bool
    patterns: tuple[Pattern, ...]


@dataclass(frozen=True)
class Read:
    """What some rules read: names of facts of the job and of a candidate, and of findings."""

    job: tuple[str, ...]
    candidate: tuple[str, ...]
    findings: tuple[str, ...]

    @classmethod
    def by(cls, rules: Sequence[Branch]) -> Read:
        return cls(
            tuple(sorted({name for rule in rules for name in rule.when.job})),
            tuple(sorted({name for rule in rules for name in rule.when.candidate})),
            tuple(sorted({name for rule in rules for name in (*rule.when.finding, *rule.when.without)})),
        )

    @cached_property
    def of_job(self) -> Callable[[dict[str, Any]], Hashable]:
        """What is read of the job among more of it."""
        return _picking(self.job)


def _picking(names: tuple[str, ...]) -> Callable[[dict[str, Any]], Hashable]:
    return itemgetter(*names) if names else lambda facts: ()


@dataclass(frozen=True)
class Chain:
    """Ids of rules that use each other's conclusions within a stage, or of a single rule, and what they read: no other
    rule of the stage has a part in whether they fire."""

    rules: frozenset[str]
    read: Read


@dataclass(frozen=True)
class Group:
    """Rules matched together: the chains of a stage, as many as fit."""

    stage: Stage
    rules: tuple[CompiledRule, ...]
    read: Read
    chains: tuple[Chain, ...]
    per_candidate: bool
    branches: Mapping[str, Branch]  # by id


def compiled(rules: Sequence[Branch]) -> list[Group]:
    """Groups in the order they run. Raises :class:`KnowledgeError` naming the rule that reads what nothing concludes in
    time."""
    scopes = _FindingScopes(rules)
    groups = []
    for stage in STAGES:
        members = [_compiled(rule, scopes) for rule in rules if rule.stage == stage]
        groups.extend(_group(stage, packed) for packed in _packed(members))
    return groups


class _FindingScopes:
    """Which rules conclude what, and whether a finding is about the job or about one candidate."""

    def __init__(self, rules: Sequence[Branch]) -> None:
        self.rules = rules
        self.producers: dict[str, list[Branch]] = {}
        for rule in rules:
            self.producers.setdefault(rule.then.name, []).append(rule)
        self._known: dict[str, bool] = {}

    def per_candidate(self, rule: Branch) -> bool:
        """Whether a rule is about one candidate: it looks at one, or reads a finding about one."""
        if rule.id not in self._known:
            self._known[rule.id] = bool(rule.looks_at["candidate"])  # also ends the recursion of a circle of rules
            self._known[rule.id] = self._known[rule.id] or any(
                self.about_candidate(rule, name) for name in rule.when.finding
            )
        return self._known[rule.id]

    def about_candidate(self, reader: Branch, name: str) -> bool:
        """Whether the findings of this name are about a candidate; they must all be, or none."""
        latest = STAGES.index(reader.stage)
        producers = [rule for rule in self.producers.get(name, ()) if STAGES.index(rule.stage) <= latest]
        if not producers:
            nobody = "no rule of this stage or an earlier one concludes it"
            raise KnowledgeError(f"rule {reader.id}: when.finding {name}: {nobody}")
        kinds = {self.per_candidate(rule) for rule in producers}
        if len(kinds) > 1:
            named = ", ".join(rule.id for rule in producers)
            problem = f"concluded about the job and about candidates ({named}); use two names"
            raise KnowledgeError(f"rule {reader.id}: when.finding {name}: {problem}")
        return kinds.pop()

    def check_absence(self, reader: Branch, name: str) -> None:
        """An absent finding can only be known when its stage is over."""
        earlier = STAGES[: STAGES.index(reader.stage)]
        late = [rule.id for rule in self.producers.get(name, ()) if rule.stage not in earlier]
        if late or name not in self.producers:
            reason = f"{', '.join(late)} may still conclude it" if late else "no rule concludes it"
            raise KnowledgeError(f"rule {reader.id}: when.without {name}: {reason}; name a finding of an earlier stage")


def _compiled(rule: Branch, scopes: _FindingScopes) -> CompiledRule:
    per_candidate = scopes.per_candidate(rule)
    patterns = []
    if rule.when.job or not per_candidate:
        patterns.append(Pattern("job", "job", _tests("job", rule.when.job)))
    if per_candidate:
        patterns.append(Pattern("candidate", "candidate", _tests("candidate", rule.when.candidate)))
    if rule.when.finding:
        about = {scopes.about_candidate(rule, name) for name in rule.when.finding}
        if len(about) > 1:
            named = ", ".join(rule.when.finding)
            raise KnowledgeError(f"rule {rule.id}: when.finding: {named} are not all about the same thing")
        patterns.append(_finding("finding", tuple(rule.when.finding), about.pop()))
    for i, name in enumerate(rule.when.without):
        scopes.check_absence(rule, name)
        patterns.append(_finding(f"without{i}", (name,), scopes.about_candidate(rule, name), absent=True))
    return CompiledRule(rule, per_candidate, tuple(patterns))


def _finding(label: str, names: tuple[str, ...], about_candidate: bool, absent: bool = False) -> Pattern:
    same = (("fabric", "candidate", "id"),) if about_candidate else ()
    return Pattern(label, "finding", (Property("name", "is", names),), same, absent)


def _tests(scope: str, conditions: Mapping[str, Any]) -> tuple[Property, ...]:
    tests: list[Property] = []
    for name, condition in conditions.items():
        tests.extend(_condition(name, FACTS[scope][name].kind, condition))
    return tuple(tests)


def _condition(name: str, kind: str, condition: Any) -> Iterator[Property]:
    if not isinstance(condition, Comparison):
        yield Property(name, "is", tuple(condition) if isinstance(condition, list) else condition)
        return
    for comparison, bound in condition.bounds.items():
        yield Property(name, comparison, bound)
    if not condition.excluded:
        return
    # What is not known is not known to differ either. An unknown number is kept as a word, so any number rules it out.
    yield Property(name, "at_least", -LARGEST_NUMBER) if kind == "number" else Property(name, "is not", UNKNOWN)
    for value in condition.excluded:
        if value != UNKNOWN:
            yield Property(name, "is not", value)


def _packed(members: Sequence[CompiledRule]) -> list[list[CompiledRule]]:
    """The rules of a stage in as few rulesets as their size allows; rules that chain stay together."""
    packs: list[list[CompiledRule]] = []
    for component in sorted(_components(members), key=lambda c: (not c[0].per_candidate, -len(c), c[0].branch.id)):
        if len(component) > LARGEST_RULESET:
            named = ", ".join(member.branch.id for member in component)
            many = f"these {len(component)} rules use each other's conclusions within one stage"
            raise KnowledgeError(f"{many}, at most {LARGEST_RULESET} can: {named}")
        about = any(member.per_candidate for member in component)
        for pack in packs:
            if len(pack) + len(component) <= LARGEST_RULESET and any(member.per_candidate for member in pack) == about:
                pack.extend(component)
                break
        else:
            packs.append(list(component))
    return [sorted(pack, key=lambda member: member.branch.id) for pack in packs]


def _components(members: Sequence[CompiledRule]) -> list[list[CompiledRule]]:
    """Rules joined by a finding that one concludes and another reads in the same stage."""
    component = {member.branch.id: [member] for member in members}
    readers = [(member, name) for member in members for name in member.branch.when.finding]
    for reader, name in readers:
        for producer in members:
            joined, other = component[reader.branch.id], component[producer.branch.id]
            if producer.branch.then.name == name and joined is not other:
                joined.extend(other)
                component.update({member.branch.id: joined for member in other})
    return list({id(group): sorted(group, key=lambda m: m.branch.id) for group in component.values()}.values())


def _group(stage: Stage, members: list[CompiledRule]) -> Group:
    rules = [member.branch for member in members]
    chains = [[member.branch for member in component] for component in _components(members)]
    return Group(
        stage,
        tuple(members),
        Read.by(rules),
        tuple(Chain(frozenset(rule.id for rule in chain), Read.by(chain)) for chain in chains),
        any(member.per_candidate for member in members),
        {rule.id: rule for rule in rules},
    )
