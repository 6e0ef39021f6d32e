"""What would be recommended if something else were said: the planner's own pipeline, asked for the choice alone."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from assistant.library import Library
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.questionnaire import Questionnaire

if TYPE_CHECKING:
    from assistant.planning import Decision, Pipeline
    from assistant.planning.resolve import Resolved

KEPT = 512  # outcomes: an interview tries some hundred questionnaires, a quarter of them again after the next answer


@dataclass(frozen=True)
class Tried:
    """The outcome of one trial. ``fabric`` is ``None`` when nothing works; ``costs`` are medians in US dollars by
    fabric."""

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


class Trying(Protocol):
    """What tries questionnaires of a catalog."""

    catalog: Catalog

    def tried(self, questionnaire: Questionnaire) -> Tried:
        """What would be recommended. Raises :class:`InputError` for a job that cannot be split or priced."""
        ...


class Trials:
    """Tries questionnaires. ``today`` dates the prices. The planner is loaded with the first trial: a first question
    need not wait for it."""

    def __init__(self, library: Library, today: datetime.date | None = None) -> None:
        self.catalog, self._library, self._today = library.catalog, library, today
        self._kept: dict[str, Tried] = {}

    @cached_property
    def _pipeline(self) -> Pipeline:
        from assistant.planning import pipeline_of

        return pipeline_of(self._library, self._today)

    def tried(self, questionnaire: Questionnaire) -> Tried:
        """What would be recommended. Raises :class:`InputError` for a job that cannot be split or priced."""
        from assistant.planning import CHOICE_ALONE

        said = questionnaire.model_dump_json(exclude_unset=True)
        if said not in self._kept:
            if len(self._kept) >= KEPT:
                self._kept.clear()
            self._kept[said] = _outcome(self._pipeline.decide(questionnaire, CHOICE_ALONE))
        return self._kept[said]


def _outcome(made: Decision) -> Tried:
    chosen, other = made.choice.chosen, made.choice.runner_up
    usable = [e for e in made.entries if e.usable and e.run_cost is not None and e.verdict != "impossible"]
    return Tried(
        chosen.id if chosen else None,
        other.id if made.choice.coin_flip and other else None,
        {e.id: e.median_cost for e in usable},
        {e.id: e.median_hours for e in usable},
        made.job,
    )
