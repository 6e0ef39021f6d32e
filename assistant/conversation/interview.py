"""Which question comes next: the one whose answer could change the recommendation most, and none when none could."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan

from .draft import Draft
from .events import Event, Question
from .questions import QUESTIONS, Asked
from .together import worth_together
from .worth import REFINES, Worth, in_words, worth_of

if TYPE_CHECKING:
    from .trials import Trials, Tried

# Less likely than this to change the answer, a question is not worth the person's time.
LEAST_PROBABILITY = 0.01
# Of two answers that change it only together: the first is worth asking for when the second may still be said as well.
LEAST_TOGETHER = 0.02
MOST_REFINING = 3
_ABOUT_THE_JOB = ("training.", "parallelism", "inference.")


@dataclass(frozen=True)
class Next:
    """The question that comes next and what its answer could change; ``asked`` is ``None`` when none could change anything.

    ``refines`` names what would only move the cost.
    """

    asked: Asked | None
    why: str = ""
    refines: tuple[str, ...] = ()


def next_question(draft: Draft, plan: Plan | None, trials: Trials) -> Next:
    """What is needed, in order; then the question most likely to change the recommended fabric, and among those equally
    likely the one with most at stake; where none alone could change it, the one that could with another."""
    still_open = open_questions(draft, trials.catalog)
    needed = [asked for asked in still_open if asked.required]
    if needed:
        return Next(needed[0])
    if plan is None or not still_open:
        return Next(None)
    try:
        now = trials.tried(draft.questionnaire(trials.catalog))
    except InputError:
        return Next(still_open[0])
    worths = _worths(still_open, draft, now, trials)
    best = max(worths, key=lambda worth: worth.rank)
    if best.probability < LEAST_PROBABILITY:
        together = worth_together(still_open, draft, now, trials)
        if together is not None and together.probability >= LEAST_TOGETHER:
            return Next(together.asked, in_words(together, trials.catalog))
        moving = sorted((w for w in worths if w.moved > REFINES), key=lambda worth: -worth.moved)
        return Next(None, refines=tuple(worth.asked.called for worth in moving[:MOST_REFINING]))
    return Next(best.asked, "" if best.asked.first else in_words(best, trials.catalog))


def _worths(still_open: list[Asked], draft: Draft, now: Tried, trials: Trials) -> list[Worth]:
    """What the questions are worth; those that need the model anew last, and only while they could still be the best."""
    found: list[Worth] = []
    for asked in sorted(still_open, key=lambda asked: asked.field.startswith(_ABOUT_THE_JOB)):
        best = max((worth.probability for worth in found), default=0.0)
        found.append(worth_of(asked, draft, now, trials, at_least=best))
    return found


def open_questions(draft: Draft, catalog: Catalog) -> list[Asked]:
    """Every question that is not answered, not left open and worth asking for this job."""
    return [asked for asked in QUESTIONS if asked.open(draft, catalog)]


def answered(question: Question, events: Iterable[Event]) -> bool:
    """Whether what came back took the answer to this question, "not sure" included."""
    asked = asked_about(question.field)
    return any(
        not event.fields or (asked is not None and any(asked.settles(one.field) for one in event.fields))
        for event in events
        if event.kind == "understood"
    )


def asked_about(field: str) -> Asked | None:
    """The question that a field answers."""
    return next((asked for asked in QUESTIONS if field == asked.field or field in asked.settled_by), None)
