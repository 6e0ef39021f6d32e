"""Constants that a calibration writes into the catalog, laid over those where it starts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any, TypeVar

from assistant.vocabulary.catalog import Fact

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

T = TypeVar("T", bound="DataclassInstance")
_latest: dict[tuple[type, str], tuple[Any, Any, Any]] = {}  # where it started, the constants, what they made of it


def from_catalog(start: T, prefix: str, constants: Mapping[str, Fact] | None) -> T:
    """The dataclass ``start`` with the fields the catalog has, in SI: ``tp_launch`` of prefix ``kernel`` is
    ``kernel-tp-launch``."""
    before = _latest.get((type(start), prefix))
    if before is not None and before[1] is constants and before[0] == start:
        return before[2]
    facts = constants or {}
    given = {field.name: facts.get(f"{prefix}-{field.name.replace('_', '-')}") for field in fields(start)}
    made = replace(start, **{name: fact.si for name, fact in given.items() if fact})
    _latest[type(start), prefix] = start, constants, made
    return made
