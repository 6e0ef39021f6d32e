"""Why a fabric is recommended that is not the one most often the cheapest."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from assistant.reasoning import Conclusion

from .choice import Choice
from .entry import Entry

Points = dict[str, float]  # what a rule says for (above 0) or against (below 0) a fabric, by its words


def not_the_likeliest(entries: list[Entry], choice: Choice, conclusions: Iterable[Conclusion]) -> str | None:
    """One sentence with both probabilities and what decided; ``None`` where the recommended fabric is the likeliest
    too, and where it was no choice: it is owned, or nothing crosses a network."""
    chosen = choice.chosen
    likeliest = max(
        (e for e in entries if e.probability_best is not None), key=lambda e: e.probability_best or 0.0, default=None
    )
    if chosen is None or likeliest is None or choice.kept or chosen.considered.fabric.technology == "none":
        return None
    ours, theirs = (round(100 * (e.probability_best or 0.0)) for e in (chosen, likeliest))
    if theirs <= ours:
        return None
    said = list(conclusions)
    decided = _decided(chosen, likeliest, _points(said, chosen), _points(said, likeliest))
    best = "cheapest" if chosen.costed else "quickest"
    return f"{_name(likeliest)} is more often the {best} ({theirs} % against {ours} %), but {decided}."


def _decided(chosen: Entry, likeliest: Entry, ours: Points, theirs: Points) -> str:
    if likeliest.risky:
        taken_away = "its machines may be taken away, and " if chosen.price.spot is None else ""
        return f"{taken_away}on average it costs more"
    apart = 100 * abs(likeliest.median_cost / chosen.median_cost - 1)
    what = "costs" if chosen.costed else "runs"
    tie = f"their {what} lie {f'{apart:.1f}' if apart >= 0.05 else 'less than 0.1'} % apart, within the error"
    if chosen.points <= likeliest.points:
        return (
            f"{tie}, and {_name(chosen)} has the {'lower middle cost' if chosen.costed else 'shorter run'}"
            if chosen.median_cost <= likeliest.median_cost
            else tie
        )
    return f"{tie}, so the rules decide: {_spoken(chosen, ours, likeliest, theirs)}"


def _spoken(chosen: Entry, ours: Points, likeliest: Entry, theirs: Points) -> str:
    """What is said of only one of the two, for and against."""
    sides: list[tuple[Any, Points, Points]] = [(chosen, ours, theirs), (likeliest, theirs, ours)]
    parts = []
    for entry, own, other in sides:
        alone = {reason: points for reason, points in own.items() if other.get(reason) != points}
        parts += [
            f"{word} {_name(entry)}: {', '.join(reasons)}"
            for word, reasons in (
                ("for", [r for r, p in alone.items() if p > 0]),
                ("against", [r for r, p in alone.items() if p < 0]),
            )
            if reasons
        ]
    return "; ".join(parts)


def _points(conclusions: list[Conclusion], entry: Entry) -> Points:
    return {
        c.then.get("reason") or c.rule: c.then["prefer"]
        for c in conclusions
        if c.fabric == entry.id and c.then.get("prefer")
    }


def _name(entry: Entry) -> str:
    return entry.considered.fabric.name
