"""What asking a question is worth: its plausible answers are tried, and what they would change is weighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assistant.vocabulary.added import added
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.interview import InterviewQuestion

from ..draft import Draft
from ..trials import Trying
from .plausible import Plausible, plausible_answers

if TYPE_CHECKING:
    from assistant.planning import Outcome

# An answer that moves the cost by less than this share refines nothing worth a question.
REFINES = 0.05
_ABOUT_THE_JOB = ("training.", "inference.", "rl.")


@dataclass(frozen=True)
class TurningAnswer:
    """An answer that would change the recommendation, and to what (``None``: the job could not be done so)."""

    answer: Plausible
    fabric: str | None


@dataclass(frozen=True)
class QuestionValue:
    """``probability`` that the answer changes the recommended fabric; ``regret``: expected cost of staying with it
    where it would change, and ``moved``: expected change of the cost of the run, both as fractions of the cost."""

    asked: InterviewQuestion
    probability: float
    regret: float
    moved: float
    turns: tuple[TurningAnswer, ...]

    @property
    def rank(self) -> tuple[float, float, float]:
        """The probability of another recommendation first, then what is at stake."""
        return round(self.probability, 3), round(self.regret, 4), round(self.moved, 4)


def least_value(asked: InterviewQuestion) -> tuple[bool, float]:
    """Orders questions by what trying them takes and promises: those for which the model has to compute anew last."""
    return asked.field.startswith(_ABOUT_THE_JOB), -added(answer.weight for answer in asked.plausible)


def value_of(
    asked: InterviewQuestion, draft: Draft, now: Outcome, trials: Trying, at_least: float = 0.0
) -> QuestionValue:
    """What the answer to one question could change. ``now``: the outcome as things stand. Once the probability cannot
    reach ``at_least`` any more, the rest is not tried; nor is what lies between two amounts that change nothing."""
    turns, probability, regret, moved = [], 0.0, 0.0, 0.0
    answers = _ends_first(plausible_answers(asked, draft, now, trials.catalog))
    for number, answer in enumerate(answers):
        if probability + added(a.weight for a in answers[number:]) < at_least:
            break
        if number == 2 and not turns and _between(answers):
            moved += added(a.weight for a in answers[2:]) * moved / added(a.weight for a in answers[:2])
            break
        then = tried(answer, draft, trials)
        if then is None or (answer.must_work and then.fabric is None and now.fabric is not None):
            continue
        if now.cost and then.cost:
            moved += answer.weight * abs(then.cost / now.cost - 1)
        if not now.agrees(then):
            turns.append(TurningAnswer(answer, then.fabric))
            probability += answer.weight
            regret += answer.weight * then.regret(now.fabric)
    return QuestionValue(asked, probability, regret, moved, tuple(turns))


def _ends_first(answers: Sequence[Plausible]) -> list[Plausible]:
    """Of amounts the least and the most first, for what is between them lies between in what it changes; else the
    likeliest."""
    ordered = sorted(answers, key=lambda answer: -answer.weight)
    if not _between(ordered):
        return ordered
    ends = [pick(ordered, key=lambda answer: answer.amount or 0.0) for pick in (min, max)]
    return [*ends, *(answer for answer in ordered if answer not in ends)]


def _between(answers: Sequence[Plausible]) -> bool:
    """Whether the answers are amounts on both sides of what is assumed, and more than two."""
    amounts = [answer.amount for answer in answers if answer.amount is not None]
    return len(answers) > 2 and len(amounts) == len(answers) and min(amounts) < 1 < max(amounts)


def tried(answer: Plausible, draft: Draft, trials: Trying) -> Outcome | None:
    """What would be recommended with an answer; ``None`` where it cannot be given: a batch that does not divide,
    say."""
    try:
        return trials.tried(draft.with_fields(answer.fields, trials.catalog).draft.questionnaire(trials.catalog))
    except InputError:
        return None
