"""The figures of the catalog that a plan is computed with, by name, so that a later one can say which of them changed;
and a catalog with those of an earlier plan."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from pydantic import BaseModel

from assistant.vocabulary.catalog import Catalog, Fact

M = TypeVar("M", bound=BaseModel)

_LISTED = "hour_price"  # what lists say is told by the offers of a plan
CONSTANTS = "constants"


def figures_of(catalog: Catalog, gpu: str, fabrics: Iterable[str]) -> dict[str, str]:
    """Every constant, and the facts of a GPU, of what joins it inside its node and of some fabrics, by dotted path:
    value and unit as the catalog has them."""
    found = {f"{CONSTANTS}.{name}": _said(fact) for name, fact in catalog.constants.items()}
    node = catalog.gpus[gpu]
    parts: list[tuple[str, BaseModel]] = [(f"gpus.{gpu}", node)]
    parts += [(f"scale_ups.{name}", catalog.scale_ups[name]) for name in (node.scale_up, node.bridge) if name]
    parts += [(f"fabrics.{name}", catalog.fabrics[name]) for name in fabrics]
    return found | {path: _said(fact) for name, part in parts for path, fact in _facts(part, name)}


def _said(fact: Fact) -> str:
    return f"{fact.value:.15g} {fact.unit}"


def _facts(part: BaseModel, path: str) -> Iterator[tuple[str, Fact]]:
    for name, value in part:
        if isinstance(value, Fact) and name != _LISTED:
            yield f"{path}.{name}", value
        elif isinstance(value, BaseModel) and not isinstance(value, Fact):
            yield from _facts(value, f"{path}.{name}")


def laid_over(catalog: Catalog, figures: Mapping[str, str]) -> Catalog:
    """The catalog with these figures in place of its own; of one that it does not have nothing is said."""
    for path, said in figures.items():
        section, _, rest_of = path.partition(".")
        name, *rest = [rest_of] if section == CONSTANTS else rest_of.split(".")
        entries = getattr(catalog, section, None) if section in type(catalog).model_fields else None
        if isinstance(entries, dict) and isinstance(entries.get(name), BaseModel):
            changed = {**entries, name: _with(entries[name], rest, said)}
            catalog = catalog.model_copy(update={section: changed})
    return catalog


def _with(part: M, path: list[str], said: str) -> M:
    if not path:
        value, _, unit = said.partition(" ")
        with contextlib.suppress(ValueError, KeyError):  # what no figure of the catalog could be is left alone
            number = float(value)
            if math.isfinite(number):
                return type(part).model_validate({**part.model_dump(), "value": number, "unit": unit})
        return part
    inner = getattr(part, path[0], None)
    return part.model_copy(update={path[0]: _with(inner, path[1:], said)}) if isinstance(inner, BaseModel) else part
