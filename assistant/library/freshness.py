"""How old every dated figure is, against how long figures of its kind hold."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from pydantic import BaseModel

from assistant.vocabulary.catalog import Calibration, Catalog, Fabric, Fact, Offer, ScaleUp
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.knowledge import Claim, Knowledge

Kind = Literal["rental price", "purchase price", "provider offer", "measurement"]
KINDS: tuple[Kind, ...] = get_args(Kind)
# The constant that says how many days a figure of a kind holds. Specifications are of no kind: they do not age.
HALF_LIVES: dict[Kind, str] = {
    "rental price": "cost-price-half-life",
    "purchase price": "freshness-purchase-price",
    "provider offer": "freshness-offer",
    "measurement": "freshness-measurement",
}
_SPECIFIED = frozenset({"line_rate", "bandwidth_per_gpu", "largest_proven_gpus", "power_per_gpu"})


@dataclass(frozen=True)
class Dated:
    """A figure, its kind, and its age against its half-life, in days. ``name`` is its place in the catalog or a claim's
    id."""

    name: str
    kind: Kind
    date: datetime.date
    source: str
    age_days: int
    half_life_days: float

    @property
    def old(self) -> bool:
        return self.age_days > self.half_life_days


def half_life_days(catalog: Catalog, kind: Kind) -> float:
    """Days a figure of this kind holds. Raises :class:`KnowledgeError` when the constant is missing."""
    if HALF_LIVES[kind] not in catalog.constants:
        raise KnowledgeError(f"knowledge/catalog/constants: expected an entry {HALF_LIVES[kind]}, there is none")
    return catalog.constants[HALF_LIVES[kind]].value


def dated(catalog: Catalog, knowledge: Knowledge, today: datetime.date) -> list[Dated]:
    """Every figure that ages: of the catalog, and claims that are prices or measurements. Oldest first."""
    lives = {kind: half_life_days(catalog, kind) for kind in KINDS}
    found = [
        Dated(name, kind, date, source, (today - date).days, lives[kind])
        for name, kind, date, source in (*_of_catalog(catalog), *_of_claims(knowledge))
    ]
    return sorted(found, key=lambda one: (one.date, one.name))


Found = tuple[str, Kind, datetime.date, str]


def _of_catalog(catalog: Catalog) -> Iterator[Found]:
    for section in type(catalog).model_fields:
        for ident, entry in getattr(catalog, section).items():
            yield from _of_value(entry, f"{section}.{ident}", None)


def _of_value(value: object, name: str, owner: object) -> Iterator[Found]:
    if isinstance(value, Fact):
        kind = _kind_of(value, name.rsplit(".", 1)[-1], owner)
        if kind is not None:
            yield name, kind, value.date, value.source
        return
    if isinstance(value, Offer):
        yield name, "provider offer", value.date, value.source
    for key, part in _parts(value):
        yield from _of_value(part, f"{name}.{key}", owner if isinstance(value, dict) else value)


def _parts(value: object) -> list[tuple[object, object]]:
    if isinstance(value, BaseModel):
        return [(key, getattr(value, key)) for key, about in type(value).model_fields.items() if not about.exclude]
    if isinstance(value, dict):
        return list(value.items())
    return [(getattr(part, "name", i), part) for i, part in enumerate(value)] if isinstance(value, list) else []


def _kind_of(fact: Fact, field: str, owner: object) -> Kind | None:
    if fact.unit in ("USD/GPU-h", "USD/kWh"):
        return "rental price"
    if fact.unit in ("USD", "USD/GPU"):
        return "purchase price"
    return "measurement" if isinstance(owner, (Fabric, ScaleUp, Calibration)) and field not in _SPECIFIED else None


def _of_claims(knowledge: Knowledge) -> Iterator[Found]:
    for claim in knowledge.claims.values():
        date, kind = claim.date or knowledge.sources[claim.source].date, _kind_of_claim(claim)
        if date is not None and kind is not None:
            yield claim.id, kind, date, claim.source


def _kind_of_claim(claim: Claim) -> Kind | None:
    if claim.type == "price":
        return "purchase price" if claim.figure and "hour" not in claim.figure.unit else "rental price"
    return "measurement" if claim.type == "measured" else None
