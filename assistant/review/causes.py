"""Which of the things that changed did it: the way from one plan to the other, one change after the other, the job
decided again after each.

First what is known (rules, constants, the program): the old job at the old prices. Then each price, the one that moves
the answer most first; then the day, by which prices are as old as they are; then each input in the order of its fields.
The costs along the way add up to the difference of the two plans.
"""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from assistant.library import Library
from assistant.library.questionnaires import from_value, nested
from assistant.planning import Pipeline, pipeline_of
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.plan.diff import Cause, Kind, PlanDiff
from assistant.vocabulary.questionnaire import Questionnaire

from .fields import flat, said
from .prices import Instead, Key

MOST_PRICES = 12  # tried one by one; what is left is tried together
_FELT = 0.001  # of a cost: less is rounding


@dataclass(frozen=True)
class Stand:
    """The answer so far: the network and US dollars of the run at the median, ``None`` where nothing works."""

    fabric: str | None
    cost: float | None

    def differs(self, other: Stand) -> bool:
        """Whether anybody would notice."""
        if self.fabric != other.fabric or (self.cost is None) != (other.cost is None):
            return True
        return bool(self.cost and other.cost and abs(other.cost / self.cost - 1) > _FELT)


@dataclass
class Trail:
    """Where the way has come to, and what moved the answer so far. What moves it by less than anybody notices is left
    to the next change, so that the costs add up."""

    here: Stand
    causes: list[Cause] = field(default_factory=list)

    def went(self, kind: Kind, what: str, there: Stand) -> None:
        was = self.here
        if was.differs(there):
            changed = {"fabric_was": was.fabric, "fabric": there.fabric}
            self.causes.append(Cause(kind=kind, what=what, cost_was_usd=was.cost, cost_usd=there.cost, **changed))
            self.here = there


class Walk:
    """From ``before`` to ``after``, which was made with ``library``."""

    def __init__(self, before: Plan, after: Plan, library: Library) -> None:
        self._before, self._after, self._library = before, after, library

    def causes(self, found: PlanDiff) -> list[Cause]:
        """Each change that made a difference. Raises :class:`InputError` where the old job is none any more."""
        trail, new = Trail(_stand_of(self._before)), self._pipeline(self._after)
        asked = from_value(said(self._before), self._library.catalog)
        self._prices(trail, asked, found)
        if self._before.date != self._after.date:
            trail.went("day", f"{self._before.date} → {self._after.date}", _decided(new, asked, {}))
        self._inputs(trail, new, found)
        return trail.causes

    def _prices(self, trail: Trail, asked: Questionnaire, found: PlanDiff) -> None:
        """What is known, at the old prices, then one price after the other."""
        old = self._pipeline(self._before)
        changed: dict[Key, float | None] = {
            (one.provider, one.instance, one.tier, one.months): one.was for one in found.prices if one.now is not None
        }
        trail.went("known", ", ".join(found.changed_with), _decided(old, asked, changed))
        for key in self._by_weight(old, asked, changed, trail.here):
            changed.pop(key)
            trail.went("price", _told(key), _decided(old, asked, changed))
        trail.went("price", f"{len(changed)} other prices", _decided(old, asked, {}))

    def _inputs(self, trail: Trail, pipeline: Pipeline, found: PlanDiff) -> None:
        """One field after the other; those that make no job by themselves go with the next."""
        told, waiting = dict(flat(self._before.questionnaire)), list[str]()
        for change in found.inputs:
            told.pop(change.field, None)
            if change.now is not None:
                told[change.field] = change.now
            waiting.append(change.field)
            try:
                there = _decided(pipeline, from_value(nested(told), self._library.catalog), {})
            except InputError:
                continue
            trail.went("input", ", ".join(waiting), there)
            waiting = []

    def _by_weight(
        self, pipeline: Pipeline, asked: Questionnaire, changed: dict[Key, float | None], here: Stand
    ) -> list[Key]:
        """The prices that move the answer by themselves, those that give another network first."""
        moved: list[tuple[bool, float, Key]] = []
        for key in list(changed)[:MOST_PRICES]:
            there = _decided(pipeline, asked, {other: usd for other, usd in changed.items() if other != key})
            if here.differs(there):
                moved.append((there.fabric == here.fabric, -abs((there.cost or 0.0) - (here.cost or 0.0)), key))
        return [key for *_, key in sorted(moved, key=lambda one: one[:2])]

    def _pipeline(self, plan: Plan) -> Pipeline:
        return pipeline_of(self._library, datetime.date.fromisoformat(plan.date) if plan.date else None)


def _decided(pipeline: Pipeline, asked: Questionnaire, instead: dict[Key, float | None]) -> Stand:
    made = pipeline.outcome(asked, charging=Instead.of(instead) if instead else None)
    return Stand(made.fabric, made.cost)


def _stand_of(plan: Plan) -> Stand:
    answer = plan.recommendation
    if answer.verdict == "infeasible":
        return Stand(None, None)
    chosen = next((one for one in plan.candidates if one.fabric == answer.fabric), None)
    return Stand(answer.fabric, chosen.cost_usd.p50 if chosen and chosen.cost_usd else None)


def _told(key: Key) -> str:
    provider, instance, tier, months = key
    return f"{provider}, {instance}, {tier}{f' for {months:g} months' if months else ''}"
