"""Questionnaire in, plan out: the pipeline's decision, the evidence for it, and where it would turn."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from assistant.library import Library
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from .affordable import what_fits
from .assemble import plan_of
from .card import card
from .flips import flips, rival_offer
from .pipeline import CHOICE_ALONE, Decision, Pipeline, pipeline_of
from .rent_or_buy import rent_or_buy

if TYPE_CHECKING:
    from assistant.retrieval import Index

SEARCH: Final = "search"  # stands for: the index built for this library, if there is one


@dataclass(frozen=True)
class Begun:
    """A plan of which only the values at which it would turn are missing: working them out takes longer than all the
    rest."""

    plan: Plan
    made: Decision
    pipeline: Pipeline

    def finished(self) -> Plan:
        """The whole plan."""
        turns, answer = flips(self.made, self.pipeline), self.plan.recommendation
        found = {"flips": turns, "rival_offer": rival_offer(self.made), "card": card(self.made, answer, turns)}
        return self.plan.model_copy(update={"recommendation": answer.model_copy(update=found)})


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
    """As :func:`plan`, for whoever shows the answer before it is known where it would turn."""
    pipeline = pipeline_of(library, today)
    made = pipeline.decide(questionnaire)
    index = _built_index(library) if index == SEARCH else index
    told = plan_of(made, library, pipeline.predictor, index, _without_quotes(questionnaire, pipeline))
    if made.job.questionnaire.budget.mode == "buy":
        told = told.model_copy(update={"rent_or_buy": rent_or_buy(made, pipeline)})
    told.recommendation.what_fits = what_fits(made, pipeline)
    told.recommendation.card = card(made, told.recommendation)
    return Begun(told, made, pipeline)


def decide(questionnaire: Questionnaire, library: Library, *, today: datetime.date | None = None) -> Decision:
    """The decision alone: see :meth:`Pipeline.decide`."""
    return pipeline_of(library, today).decide(questionnaire)


def _without_quotes(questionnaire: Questionnaire, pipeline: Pipeline) -> Decision | None:
    """What would be decided by published prices alone; ``None`` without a quote, and where nothing is published."""
    if not questionnaire.budget.quotes:
        return None
    budget = questionnaire.budget.model_copy(update={"quotes": []})
    try:
        return pipeline.decide(questionnaire.model_copy(update={"budget": budget}), CHOICE_ALONE)
    except InputError:
        return None


def _built_index(library: Library) -> Index | None:
    """The search index if it was built for exactly this library; planning never builds one."""
    from assistant import retrieval

    return retrieval.built_index(library)
