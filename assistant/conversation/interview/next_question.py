"""Which question comes next: the one whose answer could change the recommendation most, and none when none could."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.vocabulary.errors import InputError
from assistant.vocabulary.interview import InterviewQuestion

from ..draft import Draft
from ..trials import Trying
from .in_words import decided, outcomes
from .open_questions import called, open_questions
from .pairs import value_together
from .value import REFINES, QuestionValue, least_value, value_of

if TYPE_CHECKING:
    from assistant.planning import Outcome

# Less likely than this to change the answer, a question is not worth the person's time.
LEAST_PROBABILITY = 0.03
# Of two answers that change it only together: the first is worth asking for when the second may still be said as well.
LEAST_TOGETHER = 0.04
MOST_REFINING = 3


@dataclass(frozen=True)
class Next:
    """The question that comes next; ``asked`` is ``None`` when the answer to none could change anything.

    ``decides`` says in a sentence between which networks it decides, ``outcomes`` what the likeliest answers would make
    of it, ``refines`` names what would only move the cost.
    """

    asked: InterviewQuestion | None
    decides: str = ""
    outcomes: tuple[str, ...] = ()
    refines: tuple[str, ...] = ()


def next_question(questions: Sequence[InterviewQuestion], draft: Draft, trials: Trying) -> Next:
    """What is needed or stands first, in order; then the question most likely to change the recommended fabric, and
    among those equally likely the one with most at stake; where none alone could change it, the one that could with
    another."""
    still_open = open_questions(questions, draft, trials.catalog)
    needed = [asked for asked in still_open if asked.required or asked.first]
    if needed:
        return Next(needed[0])
    if not draft.complete or not still_open:
        return Next(None)
    try:
        now = trials.tried(draft.questionnaire(trials.catalog))
    except InputError:
        return Next(still_open[0])
    values = _values_of(still_open, draft, now, trials)
    best = max(values, key=lambda value: value.rank)
    if best.probability < LEAST_PROBABILITY:
        together = value_together(still_open, draft, now, trials)
        if together is None or together.probability < LEAST_TOGETHER:
            moving = sorted((v for v in values if v.moved > REFINES), key=lambda value: -value.moved)
            return Next(None, refines=tuple(called(value.asked) for value in moving[:MOST_REFINING]))
        best = together
    decides = "" if best.asked.why_is_enough else decided(best, now, trials.catalog)
    return Next(best.asked, decides, outcomes(best, trials.catalog))


def _values_of(
    still_open: Sequence[InterviewQuestion], draft: Draft, now: Outcome, trials: Trying
) -> list[QuestionValue]:
    """What the questions are worth; what is likelier to be answered otherwise than assumed first, and the others only
    while they could still be the best."""
    found: list[QuestionValue] = []
    for asked in sorted(still_open, key=least_value):
        best = max((value.probability for value in found), default=0.0)
        found.append(value_of(asked, draft, now, trials, at_least=best))
    return found
