"""What is said to a query: figures with what makes them, differences, a claim against the plan, before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from typing import Any

from ... import figures
from .. import reading
from ..answers.asked import Asked
from .amounts import AMOUNTS
from .figure import Figure, Subject
from .subjects import scaled, subjects, with_change
from .sums import SUMS
from .times import TIMES

FIGURES: Mapping[str, Callable[[Subject], Figure | None]] = {**SUMS, **TIMES, **AMOUNTS}
_MOST = 3  # figures that are told at once
# Figures that a plan has of the network that it recommends alone.
OF_THE_PLAN = frozenset(
    "purchase network-cost network-gpu network-part switch-cost optics-cost nic-cost power power-network switches "
    "optics cables nics".split()
)
_EQUAL = 0.01  # figures that are closer are as good as the same
_FAR = 1.5  # a claim that is further off is told in times
# Which amounts of a message are of a unit, and what makes one of it.
_CLAIMED: Mapping[str, tuple[tuple[str, ...], float]] = {
    "usd": (("money", "large", "sum"), 1.0),
    "usd/h": (("money", "decimal"), 1.0),
    "hours": (("time",), 24.0),
    "percent": (("percent",), 1.0),
    "kW": (("power",), 1.0),
    "Gb/s": (("rate",), 1.0),
}


def answered(asked: Asked, change: Mapping[str, Any]) -> list[str]:
    """The sentences; none where the plan has none of the figures. ``change``: fields that the question supposes to be
    otherwise."""
    names, of, told = asked.said.query.quantities[:_MOST], subjects(asked), asked.figures
    if not names or not of:
        return []
    if change:
        if of[0].label:
            return []
        with_time = "comparative" in asked.said.query.concepts and "cost" in names
        return _tried(of[0], dict.fromkeys((*names, *(["duration"] if with_time else []))), told, dict(change))
    paid = _paid_for(asked, of[0], names[0], told)
    if paid:
        return paid
    factor = _scaled(asked, names)
    if factor is not None:
        return [line for name in names for line in _changed(of[0], scaled(of[0], factor), name, told)]
    found = [(name, one, figure) for name in names for one in of if (figure := _figure(name, one)) is not None]
    if not found or {name for name, _, _ in found} != set(names):
        return []
    if len(of) > 1:
        of_each = [(name, [(one, figure) for n, one, figure in found if n == name]) for name in names]
        return [line for name, each in of_each for line in _compared(each, of, told[name])]
    judged = _judged(asked, found[0][2], told[names[0]])
    if judged:
        return [judged, *found[0][2].how]
    return _told([(name, figure) for name, _, figure in found], told, of[0])


def told(asked: Asked, names: Sequence[str]) -> list[str]:
    """Figures of the recommendation, by name."""
    best = asked.best
    of = Subject(asked, best) if best is not None else None
    found = [(name, figure) for name in names if of is not None and (figure := FIGURES[name](of)) is not None]
    return _told(found, asked.figures, of) if of is not None and found else []


def _figure(name: str, of: Subject) -> Figure | None:
    """A figure of a network; what the plan has of its own alone, of the plan with that network."""
    found = FIGURES[name](of)
    if found is not None or of.is_best or of.found.fabric == "none" or name not in OF_THE_PLAN:
        return found
    then = with_change(of.asked, {"cluster.fabric": of.found.fabric})
    return FIGURES[name](then) if then is not None else None


def _told(found: Sequence[tuple[str, Figure]], told: Mapping[str, Any], of: Subject) -> list[str]:
    """Each figure with its band; of one alone what makes it."""
    at = f"{of.label}: " if of.label else ""
    (name, figure), *others = found
    if told[name]["label"] == "{}" and figure.how and not others:  # a figure that is named by what makes it
        return [f"{at}{figure.written()}: {figure.how[0]}", *figure.how[1:]]
    said = [f"{at}{_whole(told[name], of, figure)}." for name, figure in found]
    return [*(line[0].upper() + line[1:] for line in said), *(how for _, figure in found for how in figure.how)]


def _whole(told: Mapping[str, Any], of: Subject, figure: Figure) -> str:
    """A figure with its name and its band; one below nothing by the name that it has then."""
    if figure.value < 0 and "negative" in told:
        return told["negative"].replace("{}", figure.written(-figure.value))
    return _said(told, of, f"{figure.written()}{figure.band}")


def _said(told: Mapping[str, Any], of: Subject, figure: str) -> str:
    """A figure behind its name, or where its name has a place for it."""
    name = _named(told, of)
    if of.label and name[1:2].islower():
        name = name[0].lower() + name[1:]
    return name.replace("{}", figure) if "{}" in name else f"{name}: {figure}"


def _named(told: Mapping[str, Any], of: Subject) -> str:
    tokens = "output tokens" if reading.serves(of.plan) else "tokens"
    stops = "take a copy down" if reading.serves(of.plan) else "stop the job"
    parts = {"{work}": reading.bill(of.plan), "{tokens}": tokens, "{stops}": stops}
    return reduce(lambda label, part: label.replace(*part), parts.items(), told["label"])


def _heading(told: Mapping[str, Any], of: Subject) -> str:
    name = " ".join(_named(told, of).replace("{}", "").split())
    return name[0].upper() + name[1:]


def _paid_for(asked: Asked, of: Subject, name: str, told: Mapping[str, Any]) -> list[str]:
    """How many of something a sum pays for."""
    unit = told[name].get("pays")
    usd = next(iter(asked.amounts("money", "large", "sum")), None)
    each = FIGURES[unit](of) if unit and "afford" in asked.said.query.concepts else None
    if usd is None or each is None or not each.value:
        return []
    many, all_ = Figure(usd / each.value, told[name].get("unit", name)), FIGURES[name](of)
    ours = f" The run has {all_.written()}." if all_ else ""
    return [
        f"{Figure(usd, 'usd').written()} pay for {many.written()} at ${figures.significant(each.value)} each.{ours}"
    ]


def _compared(found: Sequence[tuple[Subject, Figure]], of: Sequence[Subject], told: Mapping[str, Any]) -> list[str]:
    """Each, the best first, and how far the first is from the others."""
    less = told.get("better", "less") == "less"
    ranked = sorted(found, key=lambda one: one[1].value if less else -one[1].value)
    said = [f"{one.label}: {figure.written()}{figure.band if len(ranked) < 3 else ''}." for one, figure in ranked]
    unknown = [f"{one.label}: not known." for one in of if one not in [known for known, _ in ranked]]
    what = _heading(told, ranked[0][0])
    if len(ranked) == 1:
        return [f"{what}, {said[0]}", *unknown, *ranked[0][1].how]
    (one, first), (other, last) = ranked[0], ranked[-1]
    if abs(last.value - first.value) <= _EQUAL * abs(last.value or 1.0):
        both = f"{first.written()} with {one.label} and {last.written()} with {other.label}"
        said = [
            f"There is no difference in {told['of']}: {both}." if "of" in told else f"{what}: no difference, {both}."
        ]
        return [*said, *unknown]
    apart = abs(last.value - first.value)
    share = "" if first.unit in ("percent", "day") or not last.value else f" ({100 * apart / abs(last.value):.0f} %)"
    how = told.get("than", "less" if less else "more")
    far = f"{apart:g} days" if first.unit == "day" else first.written(apart)
    return [f"{what}: {one.label} {far} {how} than {other.label}{share}.", *said, *unknown]


def _judged(asked: Asked, figure: Figure, told: Mapping[str, Any]) -> str | None:
    """A number that somebody claims, held against the plan's."""
    if not ("claim" in asked.said.query.concepts or asked.text.startswith("is ")) or figure.unit not in _CLAIMED:
        return None
    kinds, factor = _CLAIMED[figure.unit]
    claimed = next((factor * value for value in asked.amounts(*kinds) if value > 0), None)
    if claimed is None or not figure.value:
        return None
    ratio, ours = claimed / figure.value, f"{figure.written()}{figure.band}"
    theirs = figure.written(claimed)
    low, high = figure.low or figure.value, figure.high or figure.value
    if low <= claimed <= high:
        near = "about right" if abs(ratio - 1) < _EQUAL * 10 else "possible"
        return f"{theirs} is {near}: the plan has {ours}."
    far = f"{max(ratio, 1 / ratio):.2g} times" if max(ratio, 1 / ratio) >= _FAR else f"{100 * abs(ratio - 1):.0f} %"
    return f"No: {theirs} is too {'high' if ratio > 1 else 'low'}, {far} off; the plan has {ours}."


def _scaled(asked: Asked, names: Sequence[str]) -> float | None:
    """The factor of a price that falls or rises by a share."""
    told = asked.said.query.concepts
    share = next((p / 100 for p in asked.amounts("percent", "share") if 0 < p < 100), None)
    if share is None or not {"falls", "rises"} & told or not set(names) <= set(SUMS):
        return None
    return 1 - share if "falls" in told else 1 + share


def _tried(now: Subject, names: Iterable[str], told: Mapping[str, Any], change: dict[str, Any]) -> list[str]:
    then = with_change(now.asked, change)
    if then is None:
        return []
    return [line for name in names for line in _changed(now, then, name, told)]


def _changed(now: Subject, then: Subject, name: str, told: Mapping[str, Any]) -> list[str]:
    """A figure before and after."""
    before, after = FIGURES[name](now), FIGURES[name](then)
    if before is None or after is None:
        return []
    share = f" ({100 * (after.value / before.value - 1):+.0f} %)" if before.value and before.unit != "day" else ""
    same = before.written() == after.written()
    text = f"{after.written()}, as now" if same else f"{after.written()} instead of {before.written()}{share}"
    at = f"{now.label}: " if now.label else ""
    line = f"{at}{_said(told[name], now, text)}."
    return [line[0].upper() + line[1:], *after.how]
