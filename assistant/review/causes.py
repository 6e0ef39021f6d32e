"""Which of the things that changed did it: the way from one plan to the other, one change after the other, the job
decided again after each.

First what is known (rules, the program, facts that plans do not keep): the old job at the old constants and prices.
Then each constant and each price, the one that moves the answer most first; then the day, by which prices are as old as
they are; then each input in the order of its fields.
The costs along the way add up to the difference of the two plans.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from assistant.library import Library
from assistant.library.questionnaires import from_value, nested
from assistant.planning import Pipeline, pipeline_of
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.plan.diff import Cause, Kind, PlanDiff
from assistant.vocabulary.questionnaire import Questionnaire

from .fields import flat, said
from .prices import Instead, Key

MOST = 12  # prices, and constants, tried one by one; what is left is tried together
K = TypeVar("K")
V = TypeVar("V")
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
        changed: dict[Key, float | None] = {
            (one.provider, one.instance, one.tier, one.months): one.was for one in found.prices if one.now is not None
        }
        self._constants(trail, asked, found, changed)
        self._prices(trail, asked, changed)
        if self._before.date != self._after.date:
            trail.went("day", f"{self._before.date} → {self._after.date}", _decided(new, asked, {}))
        self._inputs(trail, new, found)
        return trail.causes

    def _constants(self, trail: Trail, asked: Questionnaire, found: PlanDiff, prices: dict[Key, float | None]) -> None:
        """What is known, at the old constants and prices, then one constant after the other."""
        old = {one.name: one.was for one in found.constants if one.was is not None}
        stand = lambda figures: _decided(self._pipeline(self._before, figures), asked, prices)
        trail.went("known", ", ".join(found.changed_with), stand(old))
        told = {one.name: f"{one.name}: {one.was} → {one.now or 'gone'}" for one in found.constants}
        for name in _by_weight(trail.here, list(old)[:MOST], lambda name: stand(_without(old, name))):
            old.pop(name)
            trail.went("constant", told[name], stand(old))
        if old:
            trail.went("constant", f"{len(old)} other constants", stand({}))

    def _prices(self, trail: Trail, asked: Questionnaire, changed: dict[Key, float | None]) -> None:
        """One price after the other."""
        old = self._pipeline(self._before)
        stand = lambda prices: _decided(old, asked, prices)
        for key in _by_weight(trail.here, list(changed)[:MOST], lambda key: stand(_without(changed, key))):
            changed.pop(key)
            trail.went("price", _told(key), stand(changed))
        trail.went("price", f"{len(changed)} other prices", stand({}))

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

    def _pipeline(self, plan: Plan, figures: Mapping[str, str] | None = None) -> Pipeline:
        """As on the day of a plan; ``figures``: with these in place of the catalog's."""
        day = datetime.date.fromisoformat(plan.date) if plan.date else None
        if not figures:
            return pipeline_of(self._library, day)
        return Pipeline(replace(self._library, figures=tuple(figures.items())), day)


def _by_weight(here: Stand, keys: Iterable[K], without: Callable[[K], Stand]) -> list[K]:
    """Those that move the answer by themselves, which gives ``without`` each, those that give another network first."""
    moved: list[tuple[bool, float, K]] = []
    for key in keys:
        there = without(key)
        if here.differs(there):
            moved.append((there.fabric == here.fabric, -abs((there.cost or 0.0) - (here.cost or 0.0)), key))
    return [key for *_, key in sorted(moved, key=lambda one: one[:2])]


def _without(what: Mapping[K, V], key: K) -> dict[K, V]:
    return {other: value for other, value in what.items() if other != key}


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
