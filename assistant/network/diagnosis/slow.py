"""One of many that stays behind the others, and what tells it from chance."""

from dataclasses import dataclass

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
