"""What asking a question is worth: its plausible answers are tried, and what they would change is weighed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assistant.present.fields import field_name, value_text
from assistant.present.limits import OUTCOMES
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.interview import InterviewQuestion

from ..draft import Draft
from ..trials import Trying
from .plausible import Plausible, plausible_answers

if TYPE_CHECKING:
    from assistant.planning import Outcome

# An answer that moves the cost by less than this share refines nothing worth a question.
REFINES = 0.05
RARE = 0.02  # an outcome of a smaller probability is not named


@dataclass(frozen=True)
class TurningAnswer:
    """An answer that would change the recommendation, and to what (``None``: nothing would work)."""

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


def value_of(
    asked: InterviewQuestion, draft: Draft, now: Outcome, trials: Trying, at_least: float = 0.0
) -> QuestionValue:
    """What the answer to one question could change. ``now``: the outcome as things stand. Once the probability cannot
    reach ``at_least`` any more, the rest is not tried."""
    turns, probability, regret, moved = [], 0.0, 0.0, 0.0
    answers = sorted(plausible_answers(asked, draft, now, trials.catalog), key=lambda answer: -answer.weight)
    for number, answer in enumerate(answers):
        if probability + sum(a.weight for a in answers[number:]) < at_least:
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


def tried(answer: Plausible, draft: Draft, trials: Trying) -> Outcome | None:
    """What would be recommended with an answer; ``None`` where it cannot be given: a batch that does not divide,
    say."""
    try:
        return trials.tried(draft.with_fields(answer.fields, trials.catalog).draft.questionnaire(trials.catalog))
    except InputError:
        return None


def in_words(value: QuestionValue, catalog: Catalog) -> str:
    """What the answer could change: ``It could change the answer (about 20 % likely): with provider AWS it would be
    …``."""
    outcomes: dict[str | None, list[Plausible]] = {}
    for turn in value.turns:
        outcomes.setdefault(turn.fabric, []).append(turn.answer)
    weights = {fabric: sum(answer.weight for answer in answers) for fabric, answers in outcomes.items()}
    least = min(RARE, max(weights.values()))
    likeliest = sorted(weights, key=lambda fabric: weights[fabric], reverse=True)[:OUTCOMES]
    parts = [
        f"with {' or '.join(_choices(answers, catalog))} {_becomes(fabric, catalog)}"
        for fabric, answers in outcomes.items()
        if fabric in likeliest and weights[fabric] >= least
    ]
    if len(outcomes) > len(parts):
        parts.append("a few rarer answers would change it too")
    likely = f"about {100 * value.probability:.0f} % likely"
    return f"It could change the answer ({likely}): {'; '.join(parts)}; otherwise it stays."


def _choices(answers: list[Plausible], catalog: Catalog) -> list[str]:
    """What may be said, in words: values of one thing together in their order, several things at once joined by "and"
    where none of them is enough alone.
    """
    said, alone = [_said(answer) for answer in answers], {}
    for name, value in (pairs[0] for pairs in said if len(pairs) == 1):
        alone.setdefault(name, []).append(value)
    needs_both = [p for p in said if len(p) > 1 and not any(value in alone.get(name, []) for name, value in p)]
    both = [" and ".join(_with(name, [value_text(name, value, catalog)]) for name, value in p) for p in needs_both]
    for values in alone.values():
        if all(isinstance(value, int | float) for value in values):
            values.sort()
    shown = lambda name, values: list(dict.fromkeys(value_text(name, value, catalog) for value in values))
    return [*(_with(name, shown(name, values)) for name, values in alone.items()), *dict.fromkeys(both)]


def _said(answer: Plausible) -> list[tuple[str, Any]]:
    """What the person would say; renting goes without saying where a provider is named."""
    rents = "cluster.provider" in answer.fields
    return [pair for pair in answer.fields.items() if not (rents and pair[0] == "budget.mode")]


def _with(name: str, values: list[str]) -> str:
    """``price $1.95 or $6.24 per GPU-hour``; a yes is its name alone."""
    if values == ["yes"]:
        return field_name(name)
    unit = values[-1].partition(" ")[2]
    shortened = [value.removesuffix(unit).strip() for value in values[:-1]]
    before = f"{', '.join(shortened)} or " if shortened else ""
    if name == "parallelism.strategy":
        return f"{before}{values[-1]} alone, without tensor or pipeline parallelism,"
    return f"{field_name(name)} {before}{values[-1]}"


def _becomes(fabric: str | None, catalog: Catalog) -> str:
    return f"it would be {catalog.fabrics[fabric].name}" if fabric else "nothing would work"
