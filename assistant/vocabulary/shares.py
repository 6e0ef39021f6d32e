"""How well a share is known that so many rows give, and whether it may as well be another."""

from __future__ import annotations

LEVEL = 0.95
INTENDED = (0.75, 0.88)  # share of what is measured that P10-P90 should hold, which is made to hold 0.8


def interval(share: float, rows: int, level: float = LEVEL) -> tuple[float, float]:
    """The shares under which seeing so many of so many independent rows is no rare thing, at either end (Clopper and
    Pearson, Biometrika 26, 1934)."""
    from scipy.stats import binomtest  # half a second, for who looks at tables of errors alone

    found = binomtest(round(share * rows), rows).proportion_ci(level)
    return float(found.low), float(found.high)


def may_be(share: float, rows: int, others: tuple[float, float] = INTENDED) -> bool:
    """Whether so few rows cannot tell the share from all that lie between the ``others``."""
    low, high = interval(share, rows)
    return low <= others[1] and others[0] <= high
