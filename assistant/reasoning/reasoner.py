"""Rules over a job and its candidates: stage after stage, each complete before the next, every conclusion with its
proof."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from assistant.vocabulary.facts import UNKNOWN
from assistant.vocabulary.rules import STAGES, Branch, Rule

from .conclusion import Conclusion
from .distinctions import Distinctions
from .engine import EngineError, EngineRule, Fact, Match, Ruleset
from .patterns import WHOLE_JOB, CompiledRule, Group, Read, compiled
from .sentences import Sentence, sentence

Facts = Mapping[str, Any]
Places = dict[Hashable, tuple[str, ...]]  # ids of rules that fire, by what is seen of a place
KEPT_RUNS = (
    512  # what fired in runs that saw the same of all facts: prices that cross no threshold; some kilobytes each
)
KEPT_SPOKEN = 128  # conclusions of a rule with their sentences, a kilobyte each
KEPT = 256  # of what a chain of rules sees of a job, and with each of a place: some hundred bytes each


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
        tests = [
            (pattern.kind, test)
            for group in groups
            for member in group.rules
            for pattern in member.patterns
            for test in pattern.tests
        ]
        read = [group.read for group in groups]
        self._apart = {
            "job": Distinctions("job", {n for r in read for n in r.job}, (t for kind, t in tests if kind == "job")),
            "candidate": Distinctions(
                "candidate", {n for r in read for n in r.candidate}, (t for kind, t in tests if kind == "candidate")
            ),
        }
        seen = [branch.looks_at for branch in branches] if spoken else []
        shown = {scope: {name for looks_at in seen for name in looks_at[scope]} for scope in ("job", "candidate")}
        self.reads = frozenset({"fabric", *shown["candidate"], *(name for r in read for name in r.candidate)})
        self.reads_of_job = frozenset({*shown["job"], *(name for r in read for name in r.job)})
        self._matchers = [_Matcher(group) for group in groups]
        members = {member.branch.id: member for group in groups for member in group.rules}
        self._speakers = {branch.id: _Speaker(members[branch.id], spoken, names) for branch in branches}
        self._known: dict[Hashable, tuple[list[tuple[str, str]], dict[tuple[str, str], list[str]]]] = {}
        self._order = {ident: place for place, ident in enumerate(self._speakers)}

    def run(self, job: Facts, candidates: Sequence[Facts], *, supposed: Iterable[str] = ()) -> list[Conclusion]:
        """Conclusions ordered by stage, rule and candidate; equal facts give equal conclusions in equal order.

        ``job`` and each candidate hold the facts of :data:`~assistant.vocabulary.facts.FACTS`; a missing one, or None,
        is unknown. Candidates need different ``fabric``s. ``supposed`` names findings to start from, for trying a rule
        alone. Raises :class:`EngineError` for a fact of the wrong kind or a number that is not finite.
        """
        fabrics = {str(candidate["fabric"]): candidate for candidate in candidates}
        if len(fabrics) < len(candidates):
            raise EngineError("two candidates have the same fabric")
        supposed = tuple(supposed)
        memory = _Memory(job, fabrics, supposed, self._apart)
        seen = supposed, memory.classes
        known = self._known.get(seen)
        if known is None:
            known = self._fired(memory), memory.concluded
            if len(self._known) >= KEPT_RUNS:
                self._known.clear()
            self._known[seen] = known
        fired, memory.concluded = known
        return [self._speakers[rule].conclusion(job, fabrics.get(place), memory) for rule, place in fired]

    def tells_apart(self, one: Facts, other: Facts) -> bool:
        """Whether what fires may depend on which of two sets of facts about the job it is."""
        of = self._apart["job"].of
        return of(one) != of(other)

    def _fired(self, memory: _Memory) -> list[tuple[str, str]]:
        """The rules that fire, each with the place it is about."""
        for matcher in self._matchers:
            matcher.fire(memory)
        places = {place: at for at, place in enumerate((WHOLE_JOB, *memory.candidates))}
        return sorted(memory.fired, key=lambda one: (self._order[one[0]], places[one[1]]))


class _Matcher:
    """The rules of a group over what is known. A rule sees the job, at most one candidate, and findings about either:
    so what fires at a place is kept for each chain by what it can tell apart of these, and the engine is asked only
    about places where that is new."""

    def __init__(self, group: Group) -> None:
        self._group = group
        self._ruleset = Ruleset([EngineRule(member.branch.id, member.patterns) for member in group.rules])
        # of each chain the ids of rules that fire, by what is seen of the job, then of the place
        self._known: list[dict[Hashable, Places]] = [{} for _ in group.chains]

    def fire(self, memory: _Memory) -> None:
        """Have the memory learn what fires."""
        seen = [memory.seen(chain.read, per_candidate=self._group.per_candidate) for chain in self._group.chains]
        known = [self._of_job(of, about) for of, (about, _) in zip(self._known, seen, strict=True)]
        fired = [[*map(of.get, keys)] for of, (_, keys) in zip(known, seen, strict=True)]
        new = sorted({at for places in fired if None in places for at, rules in enumerate(places) if rules is None})
        if new:
            asked = self._asked(memory, [memory.places[at] for at in new])
            for chain, of, (_, keys), places in zip(self._group.chains, known, seen, fired, strict=True):
                if len(of) + len(new) > KEPT:
                    of.clear()
                for at in new:
                    rules = tuple(rule for rule in asked[memory.places[at]] if rule in chain.rules)
                    of[keys[at]] = places[at] = rules
        for places in fired:
            for place, rules in zip(memory.places, places, strict=False) if any(places) else ():
                for rule in rules or ():
                    memory.learn(self._group.branches[rule], place)

    @staticmethod
    def _of_job(known: dict[Hashable, Places], about: Hashable) -> Places:
        """What is known of the places of such a job."""
        if about not in known:
            if len(known) >= KEPT:
                known.clear()
            known[about] = {}
        return known[about]

    def _asked(self, memory: _Memory, places: Sequence[str]) -> dict[str, tuple[str, ...]]:
        """What fires at places, as the engine says."""
        firing: dict[str, dict[str, None]] = {place: {} for place in (WHOLE_JOB, *places)}

        def fires(match: Match) -> Iterable[Fact]:
            """Hands a finding back if the group reads it."""
            place = match.facts.get("candidate", WHOLE_JOB)
            firing[place][match.rule] = None
            name = self._group.branches[match.rule].then.name
            return (_finding(name, place),) if name in self._group.read.findings else ()

        self._ruleset.run(memory.facts_for(self._group.read, places), fires)
        return {place: tuple(firing[place]) for place in places}


class _Memory:
    """What is known during one run: the facts, and who has concluded what so far. ``apart``: what rules can tell apart
    of the job and of a candidate."""

    def __init__(
        self,
        job: Facts,
        candidates: Mapping[str, Facts],
        supposed: Iterable[str],
        apart: Mapping[str, Distinctions],
    ) -> None:
        self.job, self.candidates, self.places = job, candidates, (WHOLE_JOB, *candidates)
        self._of_job = apart["job"].of(job)
        rows = [apart["candidate"].of(one) for one in candidates.values()]
        self._of_candidates = {name: (_WHOLE, *(row[name] for row in rows)) for name in (rows[0] if rows else ())}
        self._whole = (_WHOLE, *(None for _ in rows))  # of each place, whether it is the job
        self.classes = (self.places, *self._of_job.values(), *self._of_candidates.values())
        self.fired: set[tuple[str, str]] = set()
        self.concluded: dict[tuple[str, str], list[str]] = {}
        self._named: set[str] = set()  # findings that there are about anything
        for name in supposed:
            self.concluded.update({(name, fabric): [] for fabric in self.places})
            self._named.add(name)

    def seen(self, read: Read, *, per_candidate: bool) -> tuple[Hashable, Sequence[Hashable]]:
        """What rules can tell apart: of the job with the findings about it, and at each place, or of the job alone, of
        the candidate there and of the findings about it."""
        named = [name for name in read.findings if name in self._named]
        findings = [[(name, place) in self.concluded for place in self.places] for name in named]
        about_job = read.of_job(self._of_job), *named, *(places[0] for places in findings)
        if not per_candidate:
            return about_job, (_WHOLE,)
        columns = [self._of_candidates[name] for name in read.candidate if self._of_candidates] or [self._whole]
        return about_job, columns[0] if len(columns) + len(findings) == 1 else [*zip(*columns, *findings, strict=True)]

    def facts_for(self, read: Read, places: Sequence[str]) -> list[Fact]:
        """Of the job and of candidates, findings first: a pattern may ask for their absence."""
        about = {WHOLE_JOB, *places}
        facts: list[Fact] = [
            _finding(name, place) for name, place in self.concluded if name in read.findings and place in about
        ]
        facts.append({"kind": "job", "id": "job", **{name: _known(self.job.get(name)) for name in read.job}})
        for place in places:
            if place != WHOLE_JOB:
                values = self.candidates[place]
                told = {name: _known(values.get(name)) for name in read.candidate}
                facts.append({"kind": "candidate", "id": place, **told})
        return facts

    def learn(self, branch: Branch, place: str) -> None:
        """Remember that a rule has fired."""
        self.fired.add((branch.id, place))
        self.concluded.setdefault((branch.then.name, place), []).append(branch.rule.id)
        self._named.add(branch.then.name)

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
        self._silent: dict[str | None, Conclusion] = {}  # without sentences it is the same for all jobs
        self._spoke: dict[Hashable, Conclusion] = {}  # with them for all of which it looked at the same facts
        self.branch, self.id = branch, branch.id
        self.name = branch.then.name
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
            if fabric not in self._silent:
                self._silent[fabric] = self._concluded(fabric, self._then)
            return self._silent[fabric]
        scopes: dict[str, Facts] = {"job": job, "candidate": candidate or {}}
        producers: list[str] = []
        if self.branch.when.finding:
            name, producers = memory.used(self.branch, fabric or WHOLE_JOB)
            scopes["finding"] = {"name": name, "rule": producers[0] if producers else UNKNOWN}
        looked_at = {label: _known(scopes[scope].get(name)) for label, scope, name in self._looks_at}
        values = tuple(looked_at.values())
        seen = fabric, values, tuple(map(type, values)), scopes.get("finding", {}).get("name"), tuple(producers)
        found = self._spoke.get(seen)
        if found is None:
            if len(self._spoke) >= KEPT_SPOKEN:
                self._spoke.clear()
            said = self._decision(scopes), self._because(scopes)
            found = self._spoke[seen] = self._concluded(fabric, *said, looked_at, tuple(producers))
        return found

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


_WHOLE = object()  # in the place of what is seen of a candidate where it is the job


def _finding(name: str, fabric: str) -> Fact:
    return {"kind": "finding", "id": f"finding {name} {fabric}", "name": name, "fabric": fabric}


def _known(value: Any) -> Any:
    return UNKNOWN if value is None else value
