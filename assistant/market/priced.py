"""A price with where it came from: what a plan lists and warns about."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from assistant.vocabulary.catalog import Fact
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.plan import Assumption

Origin = Literal["quoted", "offer", "catalog", "derived", "included", "none", "unknown"]


@dataclass(frozen=True)
class Priced:
    """One price and its provenance. ``value`` is in ``unit``; ``date`` is ``None`` for what the person quoted.

    Of origin ``unknown`` it is no price: its value of one makes a cost count GPU-hours, by which fabrics of a provider
    that tells none can still be compared. ``share``: of the source's price that is counted, above 1 where machines are
    bought whole and below where some of them are there. ``device``: the id in the catalog of what is bought,
    whatever it is called.
    """

    what: str
    value: float
    unit: str
    origin: Origin
    source: str
    date: datetime.date | None = None
    age_days: int | None = None
    stale: bool = False
    note: str | None = None
    share: float = 1.0
    device: str | None = None

    @property
    def read(self) -> float:
        """The price as its source has it."""
        return self.value / self.share

    @property
    def known(self) -> bool:
        """Whether it is a price at all."""
        return self.origin != "unknown"

    @property
    def _amount(self) -> str:
        """``$1.99 per GPU-hour``, ``$0.0819 per GPU-hour``; other units as they are."""
        if self.unit != "USD/GPU-h":
            return f"{self.read:,.4g} {self.unit}"
        return f"${self.read:,.2f} per GPU-hour" if self.read >= 1 else f"${self.read:.3g} per GPU-hour"

    def __str__(self) -> str:
        if not self.known:
            return f"{self.what}: {self.source}"
        parts = [f"{self.what}: {self._amount}", self.source]
        if self.date is not None:
            parts.append(self.date.isoformat())
        if self.stale:
            parts.append(f"{self.age_days} days old: ask again")
        return ", ".join(parts)


@dataclass(frozen=True)
class Freshness:
    """When prices are looked at and after how many days one counts as stale."""

    today: datetime.date
    half_life_days: float

    @classmethod
    def of(cls, constants: Mapping[str, Fact], today: datetime.date | None = None) -> Freshness:
        return cls(today or datetime.date.today(), constant(constants, "cost-price-half-life").value)

    def priced(
        self,
        what: str,
        fact: Fact,
        origin: Origin = "catalog",
        *,
        factor: float = 1.0,
        unit: str | None = None,
        note: str | None = None,
    ) -> Priced:
        """A catalog fact as a price, times ``factor``; stale when it is older than the half-life."""
        age, value = (self.today - fact.date).days, fact.si * factor
        dated = (fact.source, fact.date, age, age > self.half_life_days)
        return Priced(what, value, unit or fact.unit, origin, *dated, note or fact.note)


@lru_cache(maxsize=512, typed=True)
def assumed(field: str, value: float | str, why: str) -> Assumption:
    """What a price rests on: the same for every network of a plan, and for most plans."""
    return Assumption(field=field, value=value, why=why)


def constant(constants: Mapping[str, Fact], name: str) -> Fact:
    """A constant of the catalog. Raises :class:`KnowledgeError` when it is not there."""
    if name not in constants:
        raise KnowledgeError(f"knowledge/catalog/constants: expected an entry {name}, there is none")
    return constants[name]


def quoted(what: str, value: float, field: str, unit: str = "USD/GPU-h", note: str | None = None) -> Priced:
    """What the person was quoted: no date, never stale."""
    return Priced(what, value, unit, "quoted", f"quoted in {field}", note=note)


def unknown(what: str) -> Priced:
    """Of what nobody told a price."""
    return Priced(what, 1.0, "GPU-h", "unknown", "no price of it is known")


def nothing(what: str, why: str, origin: Origin = "none") -> Priced:
    """A price of zero and the reason."""
    return Priced(what, 0.0, "USD/GPU-h", origin, why)
