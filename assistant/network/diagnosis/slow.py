"""One of many that stays behind the others, and what tells it from chance."""

from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

_Where = TypeVar("_Where")
_TIMES = 10  # times the middle of all: what hosts count since their starts differs less
ALIKE, DROP = 0.85, 0.75  # of the usual: what the others reach, and what a slow one stays below


@dataclass(frozen=True)
class Slow:
    """One that stays behind the others: what it reaches, and what they do, as printed."""

    kind: str
    name: str
    line: int
    trials: int
    best: float
    usual: float
    unit: str


def far_above(values: Mapping[_Where, float], least: float) -> list[_Where]:
    """Where counts, of ``least`` or more, are far above the middle of all."""
    usual = median(values.values())
    return [where for where, value in values.items() if value >= max(least, _TIMES * usual)]
