"""The amounts of a question about runs, by what they are of a run: its days, the price of a GPU-hour, its GPUs, what is
paid on top, and what is told of one run against another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from assistant.vocabulary.utterance import Amount

from .case import Case

DEAREST_HOUR = 100.0  # US dollars: what costs more is no GPU-hour
MOST = 4  # runs side by side
_ALIKE = 4.0  # times: a bare number beside a length or a price is one too where it is not further from it
_ORDER = {"money": 0, "time": 1, "percent": 2, "decimal": 3, "number": 4}
_HOURLY = ("", "gpu-hour", "gpu", "node-hour")
Span = tuple[int, int]


@dataclass(frozen=True)
class Part:
    """An amount, and every place where it is said."""

    value: float
    said: tuple[Span, ...]


@dataclass
class Told:
    """What a question says of runs, by what it is; ``left`` are amounts that no sum takes, as they were typed."""

    parts: dict[str, list[Part]] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def of(self, kind: str) -> list[Part]:
        return self.parts.get(kind, [])

    def one(self, kind: str) -> Part | None:
        return next(iter(self.of(kind)), None)


def overlap(one: Span, other: Span) -> bool:
    """Whether two stretches of a text have a character in common."""
    return one[0] < other[1] and other[0] < one[1]


def told(case: Case) -> Told:
    """The amounts of the question by what they are of a run."""
    found, taken = Told(), list[Span]()
    bare: list[tuple[Amount, str]] = []
    places = case.utterance.roles["places"]
    amounts = sorted(case.utterance.amounts, key=lambda one: (_ORDER.get(one.kind, len(_ORDER)), one.start))
    for one in amounts:
        span = _free(one, taken)
        if span is None or _is_of_a_name(case, one):
            continue
        taken.append(span)
        kind = _kind(one, places)
        if kind == "bare":
            bare.append((one, case.utterance.text[one.start : one.end]))
        elif kind:
            _add(found, kind, _value(case, one, kind), span)
        else:
            found.left.append(case.utterance.text[one.start : one.end])
    for one, text in sorted(bare, key=lambda each: each[0].start):
        kind = _elliptical(found, one)
        if kind:
            _add(found, kind, float(one.value), (one.start, one.end))
        elif not _is_known(case, float(one.value)):
            found.left.append(text)
    return found


# -- amounts -----------------------------------------------------------------------------------------------


def _free(one: Amount, taken: Sequence[Span]) -> Span | None:
    """Where an amount stands that shares nothing with those before it; of "at $4.60 or 8 days" the eight days."""
    start = max((last for first, last in taken if first <= one.start < last), default=one.start)
    return (start, one.end) if start < one.end and not any(overlap((start, one.end), o) for o in taken) else None


def _kind(one: Amount, places: Mapping[str, tuple[Span, ...]]) -> str | None:
    """What an amount is of a run: ``None`` for what no sum of a run takes, ``""`` for what is no amount of it."""
    plays = lambda role: any(start <= one.start < end for start, end in places.get(f"{{{role}}}", ()))
    if one.kind == "money":
        if one.value <= 0 or one.value > DEAREST_HOUR or one.unit not in _HOURLY:
            return None
        return "on_top" if plays("on_top") else "usd"
    if one.kind == "time":
        if one.unit == "a hour" or (one.unit.startswith("h") and float(one.value) == 1.0):
            return ""
        return next((role for role in ("less", "longer") if plays(role)), "days")
    if one.kind == "percent":
        return next((role for role in ("slower", "saved", "dearer") if plays(role)), None)
    if one.kind in ("number", "decimal"):
        if one.kind == "decimal" and plays("on_top"):  # "0.45 more"
            return "on_top"
        if plays("so_many"):
            return "gpus"
        if more := next((role for role in ("less", "longer") if plays(role)), None):  # "5 more days"
            return more
        if one.unit == "gpu-hour":
            return "usd"
        return "" if one.unit == "word" else "bare"
    return None


def _value(case: Case, one: Amount, kind: str) -> float:
    value = float(one.value)
    if kind in ("usd", "on_top") and one.unit == "node-hour":
        return value / case.bare().gpus_per_node
    return value / 100 if one.kind == "percent" else value


def _add(found: Told, kind: str, value: float, span: Span) -> None:
    """The same amount said again is the same amount."""
    parts = found.parts.setdefault(kind, [])
    for at, part in enumerate(parts):
        if part.value == value:
            parts[at] = replace(part, said=(*part.said, span))
            return
    parts.append(Part(value, (span,)))
    parts.sort(key=lambda part: part.said[0])


def _elliptical(found: Told, one: Amount) -> str | None:
    """What a number without a unit is: what there is too little of, else what stands before it ("12 days … and 14")."""
    days, usd = found.of("days"), found.of("usd")
    before = [
        (part.said[0], kind) for kind in ("days", "usd") for part in found.of(kind) if part.said[0][0] < one.start
    ]
    kind = max(before)[1] if before else None
    if len(days) != len(usd):
        kind = "days" if len(days) < len(usd) else "usd"
    alike = found.of(kind) if kind else []
    near = all(part.value / _ALIKE <= float(one.value) <= part.value * _ALIKE for part in alike)
    plain = bool(alike) or (kind == "usd" and one.kind == "decimal" and float(one.value) <= DEAREST_HOUR)
    return kind if near and plain and len(alike) < MOST else None


def _is_of_a_name(case: Case, one: Amount) -> bool:
    """Whether it is part of a name, as the 400 of "400G Ethernet" or the A100."""
    return any(overlap((one.start, one.end), (entity.start, entity.end)) for entity in case.utterance.entities)


def _is_known(case: Case, value: float) -> bool:
    """Whether a number is one of the machines': their GPUs, nodes, adapters."""
    known = [of for name, of in case.fields.items() if name.startswith("cluster.") and isinstance(of, (int, float))]
    return value in known or value == case.utterance.nodes
