"""Which question comes next: the one seam where the order of the interview is decided."""

from __future__ import annotations

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Plan

from .draft import Draft
from .questions import QUESTIONS, Asked


def next_question(draft: Draft, plan: Plan | None, catalog: Catalog) -> Asked | None:
    """What is needed, in order; then whether a network is there already, which settles most; then the open question on
    which the plan says it could flip; then the others.

    ``None`` when nothing is open that could change the answer: one scale-up domain needs no network whatever else is said.
    """
    still_open = open_questions(draft, catalog)
    needed = [asked for asked in still_open if asked.required]
    if needed:
        return needed[0]
    if plan is not None and plan.recommendation.verdict == "no-network-needed":
        return None
    if still_open and still_open[0].first:
        return still_open[0]
    flips = {flip.input for flip in plan.recommendation.flips} if plan is not None else set()
    return next((asked for asked in still_open if flips & set(asked.settled_by)), still_open[0] if still_open else None)


def open_questions(draft: Draft, catalog: Catalog) -> list[Asked]:
    """Every question that is not answered, not left open and worth asking for this job."""
    return [asked for asked in QUESTIONS if asked.open(draft, catalog)]


def asked_about(field: str) -> Asked | None:
    """The question that a field answers."""
    return next((asked for asked in QUESTIONS if field == asked.field or field in asked.settled_by), None)
