"""Which question comes next: the one whose answer could change the recommendation most, and none when none could."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.vocabulary.errors import InputError
from assistant.vocabulary.interview import InterviewQuestion
from assistant.vocabulary.plan import Plan

from ..draft import Draft
from ..trials import Trying
from .open_questions import called, open_questions
from .pairs import value_together
from .value import REFINES, QuestionValue, in_words, value_of

if TYPE_CHECKING:
    from assistant.planning import Outcome

# Less likely than this to change the answer, a question is not worth the person's time.
LEAST_PROBABILITY = 0.01
# Of two answers that change it only together: the first is worth asking for when the second may still be said as well.
LEAST_TOGETHER = 0.02
MOST_REFINING = 3
_ABOUT_THE_JOB = ("training.", "parallelism", "inference.")


@dataclass(frozen=True)
class Next:
    """The question that comes next and what its answer could change; ``asked`` is ``None`` when none could change
    anything.

    ``refines`` names what would only move the cost.
    """

    asked: InterviewQuestion | None
    why: str = ""
    refines: tuple[str, ...] = ()


def next_question(questions: Sequence[InterviewQuestion], draft: Draft, plan: Plan | None, trials: Trying) -> Next:
    """What is needed, in order; then the question most likely to change the recommended fabric, and among those equally
    likely the one with most at stake; where none alone could change it, the one that could with another."""
    still_open = open_questions(questions, draft, trials.catalog)
    needed = [asked for asked in still_open if asked.required]
    if needed:
        return Next(needed[0])
    if plan is None or not still_open:
        return Next(None)
    try:
        now = trials.tried(draft.questionnaire(trials.catalog))
    except InputError:
        return Next(still_open[0])
    values = _values_of(still_open, draft, now, trials)
    best = max(values, key=lambda value: value.rank)
    if best.probability >= LEAST_PROBABILITY:
        return Next(best.asked, "" if best.asked.why_is_enough else in_words(best, trials.catalog))
    together = value_together(still_open, draft, now, trials)
    if together is not None and together.probability >= LEAST_TOGETHER:
        return Next(together.asked, in_words(together, trials.catalog))
    moving = sorted((v for v in values if v.moved > REFINES), key=lambda value: -value.moved)
    return Next(None, refines=tuple(called(value.asked) for value in moving[:MOST_REFINING]))


def _values_of(
    still_open: Iterable[InterviewQuestion], draft: Draft, now: Outcome, trials: Trying
) -> list[QuestionValue]:
    """What the questions are worth; those that need the model anew last, and only while they could still be the
    best."""
    found: list[QuestionValue] = []
    for asked in sorted(still_open, key=lambda asked: asked.field.startswith(_ABOUT_THE_JOB)):
        best = max((value.probability for value in found), default=0.0)
        found.append(value_of(asked, draft, now, trials, at_least=best))
    return found
