"""How well a share is known that so many rows give, and whether it may as well be another."""

from __future__ import annotations

import math
from collections.abc import Callable

LEVEL = 0.95
INTENDED = 0.8  # share of what is measured that P10-P90 is made to hold


def interval(share: float, rows: int, level: float = LEVEL) -> tuple[float, float]:
    """The shares under which seeing so many of so many independent rows is no rare thing, at either end (Clopper and
    Pearson, Biometrika 26, 1934)."""
    seen, each = round(share * rows), (1.0 - level) / 2.0
    low = _solved(lambda p: 1.0 - _at_most(seen - 1, rows, p), each) if seen else 0.0
    high = _solved(lambda p: -_at_most(seen, rows, p), -each) if seen < rows else 1.0
    return low, high


def may_be(share: float, rows: int, other: float = INTENDED) -> bool:
    """Whether so few rows cannot tell the share from the ``other``."""
    low, high = interval(share, rows)
    return low <= other <= high


def _at_most(seen: int, rows: int, p: float) -> float:
    """Probability of ``seen`` and fewer of ``rows`` where each has probability ``p`` in (0, 1)."""
    whole, odds = math.lgamma(rows + 1), math.log(p) - math.log1p(-p)
    start = rows * math.log1p(-p)
    terms = (whole - math.lgamma(k + 1) - math.lgamma(rows - k + 1) + k * odds + start for k in range(seen + 1))
    return min(1.0, sum(map(math.exp, terms)))


def _solved(rising: Callable[[float], float], value: float) -> float:
    """Where a rising function of a probability has the value."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2.0
        low, high = (middle, high) if rising(middle) < value else (low, middle)
    return (low + high) / 2.0
