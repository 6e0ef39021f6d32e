"""What would be recommended if something else were said: the planner's own steps, without evidence, flips and words.

The model's estimates are kept by everything they depend on, so that answers about money or people cost a millisecond or
two each and an answer about the job is worked out once.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from assistant.library import Library
from assistant.model import architecture_of
from assistant.planning import choice, facts, money, verdicts
from assistant.planning.candidates import considered
from assistant.planning.design import bought_designs
from assistant.planning.entry import Entry, Estimate
from assistant.planning.estimate import estimate_training
from assistant.planning.resolve import Resolved, resolve
from assistant.planning.serving import estimate_serving
from assistant.planning.sizes import sizes_of
from assistant.reasoning import Reasoner
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.questionnaire import Questionnaire
from assistant.vocabulary.rules import Rule

# The rules judge the cheapest fabrics, so many at a time and all whose cost is near the first's, until one is acceptable.
# Dearer ones lose whatever the rules say of them.
ROUND = 4
NEAR = 1.2
MOST_KEPT = 4000  # estimates


@dataclass(frozen=True)
class Tried:
    """The outcome of one trial. ``fabric`` is ``None`` when nothing works; ``costs`` are medians in US dollars by fabric."""

    fabric: str | None
    even_with: str | None  # the other side of a coin flip
    costs: dict[str, float]
    hours: dict[str, float]
    job: Resolved

    @property
    def cost(self) -> float | None:
        """US dollars of the run on the recommended fabric."""
        return self.costs.get(self.fabric) if self.fabric else None

    def agrees(self, other: Tried) -> bool:
        """The same recommendation, or ``other`` calls the two a coin flip."""
        return other.fabric == self.fabric or (self.fabric is not None and self.fabric == other.even_with)

    def regret(self, fabric: str | None) -> float:
        """What staying with ``fabric`` would cost here beyond the recommended one, as a fraction of its cost."""
        if not self.cost or fabric not in self.costs:
            return 1.0 if fabric != self.fabric else 0.0
        return max(0.0, self.costs[fabric] / self.cost - 1)


class Trials:
    """Tries questionnaires. ``today`` dates the prices."""

    def __init__(self, library: Library, today: datetime.date | None = None) -> None:
        self.catalog = library.catalog
        self._rules = library.rules
        self._today = today
        self._reasoner: Reasoner | None = None
        self._estimates: dict[tuple[Any, ...], Estimate | None] = {}
        self._drawn: dict[tuple[Any, ...], dict[str, FabricDesign]] = {}

    def tried(self, questionnaire: Questionnaire) -> Tried:
        """What would be recommended. Raises :class:`InputError` for a job that cannot be split or priced."""
        job = resolve(questionnaire, self.catalog, lambda model: architecture_of(model).params)
        architecture = architecture_of(job.model)
        entries = [Entry(fabric) for fabric in considered(job, self.catalog)]
        self._estimate(entries, job, architecture)
        money.price(entries, job, self.catalog, self._designs(entries, job), self._today)
        money.run(entries, job)
        choice.mark_ties(entries)
        self._judge(entries, job, architecture)
        made = choice.choose(entries, questionnaire)
        if facts.other_split(made.chosen, entries):
            self._judge(entries, job, architecture, made.chosen)
            made = choice.choose(entries, questionnaire)
        return _outcome(made, entries, job)

    def _estimate(self, entries: list[Entry], job: Resolved, architecture: Any) -> None:
        """Estimates from what was worked out before; only fabrics not seen yet with this job are worked out now."""
        about = _what_counts(job)
        # Between sites one candidate rests on the others: they are worked out together.
        together = tuple(e.id for e in entries if e.considered.computable) if job.sites > 1 else ()
        keys = {e.id: (about, together, e.id, e.considered.nics_per_node) for e in entries}
        new = [e for e in entries if keys[e.id] not in self._estimates]
        if any(e.considered.computable for e in new):
            (estimate_serving if job.serves else estimate_training)(new, job, architecture, self.catalog)
        if len(self._estimates) > MOST_KEPT:
            self._estimates.clear()
        self._estimates.update({keys[e.id]: e.estimate for e in new if e.considered.computable})
        for entry in entries:
            if entry.considered.computable:
                entry.estimate = self._estimates.get(keys[entry.id], entry.estimate)

    def _designs(self, entries: list[Entry], job: Resolved) -> dict[str, FabricDesign]:
        """The networks of machines that are bought, drawn once for each size."""
        if job.questionnaire.budget.mode != "buy":
            return {}
        computed = tuple((e.id, e.considered.nics_per_node) for e in entries if e.estimate is not None)
        key = (
            job.gpu.id,
            job.gpus,
            job.gpus_per_node,
            job.sites,
            job.questionnaire.budget.amortization_months,
            computed,
        )
        if key not in self._drawn:
            self._drawn[key] = bought_designs(entries, job, self.catalog)
        return self._drawn[key]

    def _judge(self, entries: list[Entry], job: Resolved, architecture: Any, chosen: Entry | None = None) -> None:
        """Verdicts and preference points of the rules that decide, for what could be chosen."""
        for entry in entries:
            entry.verdict, entry.points = "acceptable" if entry.usable else "impossible", 0.0
        about_job = facts.job_facts(job, architecture, entries, sizes_of(job, architecture, entries), chosen)
        rest, good = _candidates(entries, job), float("inf")
        while rest and (good == float("inf") or rest[0].median_cost <= NEAR * good):
            judged, rest = _split(rest, min(good, rest[0].median_cost))
            self._apply(entries, judged, job, about_job)
            if any(e.considered.owned and e.verdict != "impossible" for e in judged):
                break  # it is kept, whatever else there is
            good = min((e.median_cost for e in judged if e.verdict == "acceptable"), default=good)

    def _apply(self, entries: list[Entry], judged: list[Entry], job: Resolved, about_job: dict[str, Any]) -> None:
        told = [facts.candidate_facts(entry, job, entries) for entry in judged]
        verdicts.apply(self._deciding().run(about_job, told), judged)

    def _deciding(self) -> Reasoner:
        """The rules that give verdicts or preferences, and those whose conclusions they read."""
        if self._reasoner is None:
            self._reasoner = Reasoner(_deciding(self._rules))
        return self._reasoner


def _what_counts(job: Resolved) -> tuple[Any, ...]:
    """Everything of a job that an estimate depends on: not money, people or who sells it."""
    split = job.parallelism.model_dump_json() if job.parallelism else None
    serving = job.inference.model_dump_json() if job.inference else None
    return (
        job.questionnaire.workload,
        job.model_name,
        job.params,
        repr(job.questionnaire.model),
        job.gpu.id,
        job.gpus,
        job.gpus_per_node,
        job.domain,
        job.sites,
        job.wan_gbps,
        job.sequence_length,
        job.global_batch,
        job.micro_batch,
        job.precision,
        job.recompute,
        job.attention,
        job.framework,
        split,
        serving,
    )


def _deciding(rules: Mapping[str, Rule]) -> list[Rule]:
    wanted = {rule.id for rule in rules.values() if rule.then.verdict or rule.then.prefer is not None}
    while True:
        read = {name for ident in wanted for name in (*rules[ident].when.finding, *rules[ident].when.without)}
        more = {rule.id for rule in rules.values() if rule.then.name in read} - wanted
        if not more:
            return [rules[ident] for ident in sorted(wanted)]
        wanted |= more


def _candidates(entries: list[Entry], job: Resolved) -> list[Entry]:
    """What could be chosen: the fabric that is owned alone if it can be kept, else the cheapest first."""
    return sorted(
        (e for e in entries if e.usable and choice.meets(e, job.questionnaire)),
        key=lambda e: (not e.considered.owned, e.median_cost),
    )


def _split(rest: list[Entry], cheapest: float) -> tuple[list[Entry], list[Entry]]:
    """Who is judged next: an owned fabric alone, else the cheapest and all whose cost is near; and the others."""
    if rest[0].considered.owned:
        return rest[:1], rest[1:]
    count = max(ROUND, sum(e.median_cost <= NEAR * cheapest for e in rest))
    return rest[:count], rest[count:]


def _outcome(made: choice.Choice, entries: list[Entry], job: Resolved) -> Tried:
    usable = [e for e in entries if e.usable and e.cost is not None and e.verdict != "impossible"]
    return Tried(
        made.chosen.id if made.chosen else None,
        made.runner_up.id if made.coin_flip and made.runner_up else None,
        {e.id: e.median_cost for e in usable},
        {e.id: e.median_hours for e in usable},
        job,
    )
