"""What a sum leaves out: the rule that none is told which passes over a number of the question without a word."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from assistant.vocabulary.answers import Computed
from assistant.vocabulary.quantities import DAYS_PER_MONTH, DAYS_PER_YEAR
from assistant.vocabulary.utterance import Amount

from .case import Case

_OF_A_SUM = frozenset({"money", "percent", "share", "time", "number", "decimal"})
_OF_OTHERS = ("word", "b")  # "one", "two"; the parameters of a model
_PER_DAY = 86400.0, 86400e3  # seconds and milliseconds
_AS_MANY = {
    "time": (24.0, 1 / DAYS_PER_MONTH, 1 / DAYS_PER_YEAR, 1 / 7, *_PER_DAY),
    "percent": (0.01,),
    "share": (0.01,),
}
_ALIKE = 0.006  # of a value: three digits of it
_SAME = 1e-4
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_OF_THE_JOB = (
    "cluster.",
    "parallelism",
    "model",
    "inference.",
    "training.sequence",
    "training.global",
    "training.tokens",
)


def left_out(case: Case, found: Computed) -> list[str]:
    """The numbers of a question that the sum told to it neither takes nor names, as they were typed; none where no sum
    of money is told."""
    if not any(figure.unit.startswith("USD") for figure in found.figures):
        return []
    told = [*_numbers([found.text, found.inputs, [(one.formula, one.name, one.value) for one in found.figures]])]
    told += _numbers([(one.value, one.why) for one in found.assumptions])
    known = [value for name, value in case.fields.items() if name.startswith(_OF_THE_JOB)]
    told += _numbers([*known, case.utterance.nodes])
    typed = case.utterance.text
    amounts = [*_counted(case)]
    groups = _together(amounts)
    return [
        typed[group[0].start : max(one.end for one in group)]
        for group in groups
        if not any(_is_told(one, told) or _is_taken(one, amounts, told) for one in group)
        and typed[group[0].start : group[0].end] not in found.caveat
    ]


def _counted(case: Case) -> Iterator[Amount]:
    """The amounts that a sum may take: no part of a name, no "an hour" of a price."""
    names = [(one.start, one.end) for one in case.utterance.entities]
    for one in case.utterance.amounts:
        of_name = any(start < one.end and one.start < end for start, end in names)
        of_price = one.unit.startswith("a ") or (one.kind == "time" and one.unit.startswith("h") and one.value == 1)
        if one.kind in _OF_A_SUM and one.unit not in _OF_OTHERS and not (of_name or of_price):
            yield one


def _together(amounts: Iterable[Amount]) -> list[list[Amount]]:
    """The readings of one place of the text: a number may be a size or a price as well."""
    groups: list[list[Amount]] = []
    for one in sorted(amounts, key=lambda one: one.start):
        if groups and one.start < max(other.end for other in groups[-1]):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _is_told(one: Amount, told: Iterable[float]) -> bool:
    value = float(one.value)
    ways = [value, round(value), *(value * times for times in _AS_MANY.get(one.kind, ()))]
    ways += [round(way) for way in ways if one.kind == "time" and way >= 1]
    return any(abs(way - number) <= _ALIKE * abs(way) for way in ways for number in told)


def _is_taken(share: Amount, amounts: Iterable[Amount], told: Iterable[float]) -> bool:
    """Whether a share was taken of another amount, or put on it: what comes of it is told."""
    if share.kind not in ("percent", "share"):
        return False
    part = float(share.value) / 100
    of = [float(one.value) for one in amounts if one.kind in ("money", "time", "decimal")]
    ways = [value * times for value in of for times in (part, 1 + part, 1 - part)]
    return any(abs(way - number) <= _SAME * abs(way) for way in ways for number in told)


def _numbers(of: Any) -> Iterator[float]:
    """Every number that is in something, in its texts too."""
    if isinstance(of, str):
        yield from (float(one.replace(",", "")) for one in _NUMBER.findall(of))
    elif isinstance(of, bool):
        return
    elif isinstance(of, int | float):
        yield float(of)
    elif isinstance(of, dict):
        yield from _numbers([*of.values()])
    elif isinstance(of, Iterable):
        for one in of:
            yield from _numbers(one)
