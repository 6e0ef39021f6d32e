"""Rules over a job and its candidates: stage after stage, each complete before the next, every conclusion with its
proof."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from assistant.vocabulary.facts import FACTS, UNKNOWN
from assistant.vocabulary.rules import STAGES, Branch, Rule

from .conclusion import Conclusion
from .engine import EngineError, EngineRule, Fact, Match, Ruleset, Then, Value
from .patterns import WHOLE_JOB, CompiledRule, Group, compiled
from .sentences import Sentence, sentence

Facts = Mapping[str, Any]
KEPT = 256  # sets of facts whose matches a group of rules remembers: those of one interview, some kilobytes each


class Reasoner:
    """Built once from a set of rules, run for any number of jobs.

    ``spoken``: with the sentences and the facts that they rest on; else verdicts and preferences alone, in half the
    time. ``names``: how people call what facts have by id, for the sentences. Raises
    :class:`~assistant.vocabulary.errors.KnowledgeError` when rules do not hang together, e.g. when one reads a finding
    that nothing concludes in time.
    """

    def __init__(
        self, rules: Iterable[Rule], *, spoken: bool = True, names: Mapping[str, str] = MappingProxyType({})
    ) -> None:
        ordered = sorted(rules, key=lambda rule: (STAGES.index(rule.stage), rule.id))
        branches = [branch for rule in ordered for branch in rule.branches]
        groups = compiled(branches)
        self._read = {
            scope: frozenset().union(*(getattr(group, scope) for group in groups)) for scope in ("job", "candidate")
        }
        self._matchers = [_Matcher(group) for group in groups]
        members = {member.branch.id: member for group in groups for member in group.rules}
        self._speakers = [_Speaker(members[branch.id], spoken, names) for branch in branches]

    def run(self, job: Facts, candidates: Sequence[Facts], *, supposed: Iterable[str] = ()) -> list[Conclusion]:
        """Conclusions ordered by stage, rule and candidate; equal facts give equal conclusions in equal order.

        ``job`` and each candidate hold the facts of :data:`~assistant.vocabulary.facts.FACTS`; a missing one, or None,
        is unknown. Candidates need different ``fabric``s. ``supposed`` names findings to start from, for trying a rule
        alone. Raises :class:`EngineError` for a fact of the wrong kind or a number that is not finite.
        """
        fabrics = {str(candidate["fabric"]): candidate for candidate in candidates}
        if len(fabrics) < len(candidates):
            raise EngineError("two candidates have the same fabric")
        read = self._read["candidate"]
        each = {fabric: _checked("candidate", candidate, read) for fabric, candidate in fabrics.items()}
        memory = _Memory(_checked("job", job, self._read["job"]), each, supposed)
        for matcher in self._matchers:
            matcher.fire(memory)
        return [
            speaker.conclusion(job, fabrics.get(fabric), memory)
            for speaker in self._speakers
            for fabric in ((*fabrics,) if speaker.per_candidate else (WHOLE_JOB,))
            if (speaker.id, fabric) in memory.fired
        ]


class _Matcher:
    """The rules of a group over what is known. What fired on facts that were there before is not matched again: of the
    runs that try what another answer would change, two in three show a group the facts of an earlier one."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._ruleset = Ruleset([EngineRule(member.branch.id, member.patterns) for member in group.rules])
        self._fired: dict[Hashable, list[Match]] = {}

    def fire(self, memory: _Memory) -> None:
        """Have the memory learn what fires."""
        facts, learn = memory.facts_for(self._group), memory.learner(self._group)
        key = tuple(tuple(fact.values()) for fact in facts)
        kept = self._fired.get(key)
        if kept is not None:
            for match in kept:
                learn(match)
            return
        if len(self._fired) >= KEPT:
            self._fired.clear()
        self._fired[key] = self._ruleset.run(facts, learn)


class _Memory:
    """What is known during one run: the facts, and who has concluded what so far."""

    def __init__(self, job: Facts, candidates: Mapping[str, Facts], supposed: Iterable[str]) -> None:
        self.job, self.candidates = job, candidates
        self.fired: set[tuple[str, str]] = set()
        self.concluded: dict[tuple[str, str], list[str]] = {}
        for name in supposed:
            self.concluded.update({(name, fabric): [] for fabric in (WHOLE_JOB, *candidates)})

    def facts_for(self, group: Group) -> list[Fact]:
        """Findings first: a pattern may ask for their absence."""
        facts: list[Fact] = [_finding(name, fabric) for name, fabric in self.concluded if name in group.findings]
        facts.append({"kind": "job", "id": "job", **{name: self.job[name] for name in group.job}})
        if group.per_candidate:
            for fabric, values in self.candidates.items():
                facts.append({"kind": "candidate", "id": fabric, **{name: values[name] for name in group.candidate}})
        return facts

    def learner(self, group: Group) -> Then:
        """What to do when a rule of the group fires: remember it, and hand its finding back if the group reads it."""

        def learn(match: Match) -> Iterable[Fact]:
            fabric = match.facts.get("candidate", WHOLE_JOB)
            if (match.rule, fabric) in self.fired:
                return ()
            self.fired.add((match.rule, fabric))
            branch = group.branches[match.rule]
            name = branch.then.name
            self.concluded.setdefault((name, fabric), []).append(branch.rule.id)
            return (_finding(name, fabric),) if name in group.findings else ()

        return learn

    def used(self, branch: Branch, fabric: str) -> tuple[str, list[str]]:
        """The first finding that was there of those a rule reads, and the rules that concluded any of them."""
        about = [
            (name, place)
            for name in branch.when.finding
            for place in (fabric, WHOLE_JOB)
            if (name, place) in self.concluded
        ]
        producers = {producer for key in about for producer in self.concluded[key]} - {branch.rule.id}
        return (about[0][0] if about else UNKNOWN), sorted(producers)


class _Speaker:
    """A rule with its sentences taken apart, ready to say what it concluded."""

    def __init__(self, compiled_rule: CompiledRule, spoken: bool, names: Mapping[str, str]) -> None:
        branch, self._spoken = compiled_rule.branch, spoken
        self.branch, self.id = branch, branch.id
        self.per_candidate, self.name = compiled_rule.per_candidate, branch.then.name
        self._because = sentence(branch.because, names)
        called = {} if branch.then.setting else names  # what is typed into a terminal keeps its ids
        self._texts: dict[str, Sentence] = {key: sentence(text, called) for key, text in branch.then.texts.items()}
        self._then = branch.then.model_dump(exclude_none=True, exclude={"setting"})
        self._looks_at = [
            (f"{scope}.{name}", scope, name) for scope, names in branch.looks_at.items() for name in names
        ]

    def conclusion(self, job: Facts, candidate: Facts | None, memory: _Memory) -> Conclusion:
        fabric = str(candidate["fabric"]) if candidate is not None else None
        if not self._spoken:
            return self._concluded(fabric, self._then)
        scopes: dict[str, Facts] = {"job": job, "candidate": candidate or {}}
        producers: list[str] = []
        if self.branch.when.finding:
            name, producers = memory.used(self.branch, fabric or WHOLE_JOB)
            scopes["finding"] = {"name": name, "rule": producers[0] if producers else UNKNOWN}
        looked_at = {label: _known(scopes[scope].get(name)) for label, scope, name in self._looks_at}
        return self._concluded(fabric, self._decision(scopes), self._because(scopes), looked_at, tuple(producers))

    def _concluded(
        self,
        fabric: str | None,
        then: dict[str, Any],
        because: str = "",
        looked_at: Facts = MappingProxyType({}),
        producers: tuple[str, ...] = (),
    ) -> Conclusion:
        return Conclusion(
            rule=self.branch.rule.id,
            case=self.branch.case,
            stage=self.branch.stage,
            fabric=fabric,
            conclusion=self.name,
            then=then,
            because=because,
            facts=dict(looked_at),
            claims=self.branch.claims,
            look_up=self.branch.look_up,
            touches=self.branch.touches,
            from_findings=producers,
        )

    def _decision(self, scopes: dict[str, Facts]) -> dict[str, Any]:
        texts = {key: fill(scopes) for key, fill in self._texts.items()}
        setting = self.branch.then.setting
        if setting is not None:
            return {"setting": {"name": setting.name, "value": texts.get("value", setting.value)}}
        return {**self._then, **texts}


def _finding(name: str, fabric: str) -> Fact:
    return {"kind": "finding", "id": f"finding {name} {fabric}", "name": name, "fabric": fabric}


def _known(value: Any) -> Any:
    return UNKNOWN if value is None else value


def _checked(scope: str, facts: Facts, names: Iterable[str]) -> dict[str, Value]:
    """The named facts, ``unknown`` where missing. Raises :class:`EngineError` where a fact is of the wrong kind."""
    checked = {}
    for name in names:
        value = checked[name] = _known(facts.get(name))
        if value != UNKNOWN and not FACTS[scope][name].is_kind(value):
            raise EngineError(f"{scope}.{name}: expected a {FACTS[scope][name].kind}, got {value!r}")
    return checked
