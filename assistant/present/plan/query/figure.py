"""A figure of a plan: its value, the ends of eight of ten cases, how it is written and what makes it."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import dataclass

from assistant.vocabulary.plan import Band, Candidate, Plan

from ... import figures
from .. import reading
from ..answers.asked import Asked

# How a value of a unit is written; what has no entry is a count of what the unit names.
_WRITTEN: dict[str, Callable[[float], str]] = {
    "usd": figures.sum_usd,
    "usd/h": figures.usd,
    "usd/one": lambda value: f"${figures.significant(value)}",
    "hours": figures.hours,
    "seconds": figures.seconds,
    "percent": figures.percent,
    "kW": lambda value: f"{figures.significant(value)} kW",
    "kWh": lambda value: f"{figures.significant(value)} kWh",
    "GiB": lambda value: f"{value:,.1f} GiB",
    "Gb/s": lambda value: f"{figures.significant(value)} Gb/s",
    "day": lambda value: reading.day(datetime.date.fromordinal(round(value)).isoformat()),
}
_FEW = 10.0
_LARGE = 1e9


@dataclass(frozen=True)
class Figure:
    """``unit``: a key of ``_WRITTEN`` or what is counted; ``how``: what makes it, in sentences."""

    value: float
    unit: str
    low: float | None = None
    high: float | None = None
    how: tuple[str, ...] = ()

    @classmethod
    def of(cls, band: Band | None, unit: str, *how: str, times: float = 1.0) -> Figure | None:
        """A band of the plan times a factor."""
        if band is None:
            return None
        return cls(times * band.p50, unit, times * band.p10, times * band.p90, how)

    def written(self, value: float | None = None) -> str:
        """Its value, or another one, as it is written."""
        shown = self.value if value is None else value
        if self.unit in _WRITTEN:
            return _WRITTEN[self.unit](shown)
        return f"{self._number(shown)} {self.unit}"

    def _number(self, value: float) -> str:
        """A count: of rates three digits, else whole things from ten on and two digits of fewer."""
        if abs(value) >= _LARGE:
            return f"{figures.significant(value / _LARGE)} billion"
        if self.unit.endswith("/s"):
            return figures.significant(value)
        return figures.significant(value, 2) if value < _FEW else figures.significant(round(value))

    @property
    def band(self) -> str:
        """The ends of eight of ten cases, where they differ."""
        if self.low is None or self.high is None or self.written(self.low) == self.written(self.high):
            return ""
        low = self.written(self.low) if self.unit in _WRITTEN else self._number(self.low)
        return f", in eight of ten cases {low} to {self.written(self.high)}"


@dataclass(frozen=True)
class Subject:
    """Whose figures are told: a network as the plan has it, an offer of it, or that of another plan. ``label`` names it
    where several are compared, ``quote`` is its number where it is one."""

    asked: Asked
    found: Candidate
    label: str = ""
    quote: int | None = None

    @property
    def plan(self) -> Plan:
        return self.asked.plan

    @property
    def gpus(self) -> int:
        return reading.gpus(self.plan)

    @property
    def is_best(self) -> bool:
        """Whether it is the network of which the plan has its parts."""
        return self.found.fabric == self.plan.recommendation.fabric
