"""What two answers could change together that neither changes alone: looked at before the interview would end."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING

from .draft import Draft
from .plausible import Plausible
from .questions import Asked
from .worth import Turn, Worth, answers_to, tried

if TYPE_CHECKING:
    from .trials import Trials, Tried

MOST_PAIRS = 32  # the likeliest; each takes some ten milliseconds
# A deadline is measured by the outcome as it stands, and the length of a run changes only what a deadline allows.
_ALONE = ("constraints.deadline_days", "training.tokens")


def worth_together(still_open: Iterable[Asked], draft: Draft, now: Tried, trials: Trials) -> Worth | None:
    """The question whose answer, with that to another open one, is likeliest to change the recommended fabric.

    ``probability``: of such a pair of answers. ``None`` where no pair tried changes anything.
    """
    turns: dict[str, list[Turn]] = {}
    asked = {one.field: one for one in still_open if one.field not in _ALONE}
    for first, second, both in _likeliest(asked, draft, now, trials):
        then = tried(both, draft, trials)
        if then is None or (then.fabric is None and now.fabric is not None) or now.agrees(then):
            continue
        for name in (first, second):
            turns.setdefault(name, []).append(Turn(both, then.fabric))
    if not turns:
        return None
    best = max(turns, key=lambda name: round(sum(turn.answer.weight for turn in turns[name]), 4))
    return Worth(asked[best], sum(turn.answer.weight for turn in turns[best]), 0.0, 0.0, tuple(turns[best]))


def _likeliest(asked: dict[str, Asked], draft: Draft, now: Tried, trials: Trials) -> list[tuple[str, str, Plausible]]:
    """Pairs of answers to two questions, the likeliest first."""
    answers = {name: answers_to(one, draft, now, trials) for name, one in asked.items()}
    pairs = [
        (
            first,
            second,
            Plausible(one.fields | other.fields, one.weight * other.weight, one.must_work or other.must_work),
        )
        for first, second in combinations(answers, 2)
        for one in answers[first]
        for other in answers[second]
    ]
    return sorted(pairs, key=lambda pair: -pair[2].weight)[:MOST_PAIRS]
