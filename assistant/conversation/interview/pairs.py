"""What two answers could change together that neither changes alone: looked at before the interview would end."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING

from assistant.vocabulary.added import added
from assistant.vocabulary.interview import InterviewQuestion

from ..draft import Draft
from ..trials import Trying
from .plausible import Plausible, plausible_answers
from .value import QuestionValue, TurningAnswer, tried

if TYPE_CHECKING:
    from assistant.planning import Outcome

MOST_PAIRS = 12  # the likeliest; each takes some ten milliseconds, and of 32 in 29 jobs the rest turned one, at 2 %
# A deadline is measured by the outcome as it stands, and the length of a run changes only what a deadline allows.
_ALONE = ("constraints.deadline_days", "training.tokens")


def value_together(
    still_open: Iterable[InterviewQuestion], draft: Draft, now: Outcome, trials: Trying
) -> QuestionValue | None:
    """The question whose answer, with that to another open one, is likeliest to change the recommended fabric.

    ``probability``: of such a pair of answers. ``None`` where no pair tried changes anything.
    """
    asked = {one.field: one for one in still_open if one.field not in _ALONE}
    answers = {name: plausible_answers(one, draft, now, trials.catalog) for name, one in asked.items()}
    turns: dict[str, list[TurningAnswer]] = {}
    for first, second, both in _likeliest(answers):
        then = tried(both, draft, trials)
        if then is None or (then.fabric is None and now.fabric is not None) or now.agrees(then):
            continue
        for name in (first, second):
            turns.setdefault(name, []).append(TurningAnswer(both, then.fabric))
    if not turns:
        return None
    weights = {name: added(turn.answer.weight for turn in turned) for name, turned in turns.items()}
    best = max(weights, key=lambda name: round(weights[name], 4))
    return QuestionValue(asked[best], weights[best], 0.0, 0.0, tuple(turns[best]))


def _likeliest(answers: dict[str, list[Plausible]]) -> list[tuple[str, str, Plausible]]:
    """Pairs of answers to two questions, the likeliest first."""
    pairs = [
        (first, second, Plausible(one.fields | two.fields, one.weight * two.weight, one.must_work or two.must_work))
        for first, second in combinations(answers, 2)
        for one in answers[first]
        for two in answers[second]
    ]
    return sorted(pairs, key=lambda pair: -pair[2].weight)[:MOST_PAIRS]
