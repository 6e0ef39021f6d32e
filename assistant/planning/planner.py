"""Questionnaire in, plan out: the pipeline's decision, the evidence for it, and where it would turn."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final, Literal

from assistant.library import Library
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from .affordable import what_fits
from .assemble import plan_of
from .card import card
from .flips import flips, rival_offer
from .pipeline import Decision, Pipeline, pipeline_of
from .quote_flips import best_published, without_quotes
from .rent_or_buy import rent_or_buy
from .volunteer import volunteered

if TYPE_CHECKING:
    from assistant.retrieval import Index

MOST_PLANS = 8  # kept, of some hundred kilobytes each
SEARCH: Final = "search"  # stands for: the index built for this library, if there is one


@dataclass(frozen=True)
class Begun:
    """A plan of which only the values at which it would turn are missing: working them out takes longer than all the
    rest."""

    told: Plan
    made: Decision
    pipeline: Pipeline
    index: Index | None = None  # that its evidence was looked up in

    @cached_property
    def plan(self) -> Plan:
        """What can be shown before it is known where it would turn."""
        answer = self.told.recommendation
        shown = answer.model_copy(update={"card": card(self.made, answer, self.told.sizing)})
        return self.told.model_copy(update={"recommendation": shown})

    def finished(self) -> Plan:
        """The whole plan."""
        return self._whole

    @cached_property
    def _whole(self) -> Plan:
        turns, made, answer = flips(self.made, self.pipeline), self.made, self.told.recommendation
        rival = (
            best_published(made, self.pipeline)
            if made.job.questionnaire.budget.quotes
            else rival_offer(made, self.pipeline.catalog)
        )
        found = {"flips": turns, "rival_offer": rival, "card": card(made, answer, self.told.sizing, turns)}
        told = {
            "recommendation": answer.model_copy(update=found),
            "volunteered": volunteered(made, self.pipeline, rival),
        }
        return self.told.model_copy(update=told)


def plan(
    questionnaire: Questionnaire,
    library: Library,
    *,
    index: Index | Literal["search"] | None = SEARCH,
    today: datetime.date | None = None,
) -> Plan:
    """The plan of a questionnaire whose ids are in the catalog.

    ``index`` is the search index for further evidence (by default the one built for this library, if there is one;
    ``None`` cites the rules' claims alone). ``today`` dates the prices. Raises :class:`InputError` for a job that
    cannot be split over its GPUs or priced.
    """
    return begun(questionnaire, library, index=index, today=today).finished()


def begun(
    questionnaire: Questionnaire,
    library: Library,
    *,
    index: Index | Literal["search"] | None = SEARCH,
    today: datetime.date | None = None,
) -> Begun:
    """As :func:`plan`, for whoever shows the answer before it is known where it would turn. The latest ones are kept:
    who takes something back, or keeps what was tried, has had that plan."""
    pipeline, index = pipeline_of(library, today), _built_index(library) if index == SEARCH else index
    said = questionnaire.model_dump_json(exclude_unset=True), questionnaire.sized_by_load
    key = *said, id(index), today or datetime.date.today()
    found = pipeline.plans.pop(key, None)
    if found is None or found.index is not index:
        found = _begun(questionnaire, library, pipeline, index)
    pipeline.plans[key] = found
    for oldest in list(pipeline.plans)[:-MOST_PLANS]:
        pipeline.plans.pop(oldest, None)
    return found


def _begun(questionnaire: Questionnaire, library: Library, pipeline: Pipeline, index: Index | None) -> Begun:
    made = pipeline.decide(questionnaire)
    told = plan_of(made, library, pipeline, index, without_quotes(questionnaire, pipeline, made.work))
    if made.job.questionnaire.budget.mode == "buy":
        told = told.model_copy(update={"rent_or_buy": rent_or_buy(made, pipeline)})
    told.recommendation.what_fits = what_fits(made, pipeline)
    return Begun(told, made, pipeline, index)


def decide(questionnaire: Questionnaire, library: Library, *, today: datetime.date | None = None) -> Decision:
    """The decision alone: see :meth:`Pipeline.decide`."""
    return pipeline_of(library, today).decide(questionnaire)


def _built_index(library: Library) -> Index | None:
    """The search index if it was built for exactly this library; planning never builds one."""
    from assistant import retrieval

    return retrieval.built_index(library)
