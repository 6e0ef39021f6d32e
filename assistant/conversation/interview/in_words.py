"""What the answer to a question could change, in words people use: between which networks it decides, and what which
answer would make of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assistant.present.fields import field_name, value_text
from assistant.present.limits import OUTCOMES
from assistant.vocabulary.catalog import Catalog

from .plausible import Plausible
from .value import QuestionValue

if TYPE_CHECKING:
    from assistant.planning import Outcome

RARE = 0.02  # an outcome of a smaller probability is not named
_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five"}


def decided(value: QuestionValue, now: Outcome, catalog: Catalog) -> str:
    """``It decides between InfiniBand NDR 400 Gb/s and RoCE v2 400 Gb/s.``; nothing where what it could change is not
    the network."""
    others = [name for name in _weights(value) if name not in (None, now.fabric)]
    if now.fabric is None or not others:
        return ""
    first = catalog.fabrics[others[0]].name
    more = len(others) - 1
    other = first if not more else f"{_NUMBERS.get(more + 1, more + 1)} others, {first} the likeliest"
    return f"This decides between {catalog.fabrics[now.fabric].name} and {other}."


def outcomes(value: QuestionValue, catalog: Catalog) -> tuple[str, ...]:
    """``AWS EFA v2 (p5, p5e) with provider AWS``: the likeliest outcomes, each with the answers that lead to it."""
    weights = _weights(value)
    least = min(RARE, max(weights.values(), default=0.0))
    likeliest = [name for name, weight in weights.items() if name is not None and weight >= least][:OUTCOMES]
    answers = {name: [turn.answer for turn in value.turns if turn.fabric == name] for name in likeliest}
    return tuple(f"{catalog.fabrics[name].name} with {_either(answers[name], catalog)}" for name in likeliest)


def _weights(value: QuestionValue) -> dict[str | None, float]:
    """The likelihood of each outcome, the likeliest first."""
    found: dict[str | None, float] = {}
    for turn in value.turns:
        found[turn.fabric] = found.get(turn.fabric, 0.0) + turn.answer.weight
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def _either(answers: list[Plausible], catalog: Catalog) -> str:
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
    return " or ".join([*(_with(name, shown(name, values)) for name, values in alone.items()), *dict.fromkeys(both)])


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
    return f"{field_name(name)} {before}{values[-1]}"
