"""Reads ``knowledge/catalog/`` and a user's own catalog file, which overrides it."""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from assistant.vocabulary.catalog import Catalog, Device, Fabric, Fact, Gpu, Model, Provider, QuoteItem, ScaleUp
from assistant.vocabulary.errors import KnowledgeError

from . import shipped
from .user_catalog import UserCatalog

# File (or folder) name in knowledge/catalog → field of Catalog and what an entry is.
PARTS: dict[str, tuple[str, type[BaseModel]]] = {
    "gpus": ("gpus", Gpu),
    "models": ("models", Model),
    "fabrics": ("fabrics", Fabric),
    "scale_up": ("scale_ups", ScaleUp),
    "providers": ("providers", Provider),
    "devices": ("devices", Device),
    "quote_items": ("quote_items", QuoteItem),
    "constants": ("constants", Fact),
}


def read(folder: Path, user_file: Path | None = None) -> Catalog:
    """The catalog; entries of ``user_file`` replace or amend ours by id.

    Raises :class:`KnowledgeError` for our files and :class:`InputError` for the user's.
    """
    raw: dict[str, dict[str, Any]] = {field: {} for field, _ in PARTS.values()}
    origin: dict[tuple[str, str], Path] = {}
    for name, content in shipped.documents("catalog", folder).items():
        field, _ = _part(name, folder / name)
        for key, value in (content or {}).items():
            if key in raw[field]:
                line = shipped.line_of(folder / name, (key,))
                raise KnowledgeError(f"{folder / name}:{line} {key}: stands in two files")
            raw[field][key], origin[field, key] = value, folder / name
    for field, entries in raw.items():
        if not entries:
            raise KnowledgeError(f"{folder}: the catalog has no {field.replace('_', ' ')}")
    theirs = _user_catalog(user_file)
    if theirs:
        theirs.lay_over(raw)
    read_in = {
        field: {key: _entry(kind, field, key, value, origin, theirs) for key, value in raw[field].items()}
        for field, kind in PARTS.values()
    }
    catalog = _with_usual_rents(Catalog(**read_in, overrides=theirs.overrides(raw) if theirs else {}))
    if theirs:
        theirs.check_references(catalog)
    return catalog


def _with_usual_rents(catalog: Catalog) -> Catalog:
    """What a GPU-hour usually costs: the median of what is listed on demand, where the user's own file does not say."""
    listed: dict[str, list[Fact]] = {}
    for provider in catalog.providers.values():
        for offer in provider.offers:
            if offer.hour_price is not None:
                listed.setdefault(offer.gpu, []).append(offer.hour_price)
    usual = {ident: _median(facts) for ident, facts in listed.items()}
    told = {f"gpus.{ident}.hour_price": fact for ident, fact in usual.items()}
    gpus = {
        ident: gpu if gpu.hour_price or ident not in usual else gpu.model_copy(update={"hour_price": usual[ident]})
        for ident, gpu in catalog.gpus.items()
    }
    overrides = {
        path: own if own.instead_of or path not in told else own.model_copy(update={"instead_of": told[path]})
        for path, own in catalog.overrides.items()
    }
    return catalog.model_copy(update={"gpus": gpus, "overrides": overrides})


def _median(facts: list[Fact]) -> Fact:
    """Dated as the newest of them."""
    source = f"derived: median of {len(facts)} list prices on demand (knowledge/catalog/providers)"
    value = round(statistics.median(fact.value for fact in facts), 4)
    return Fact(value=value, unit="USD/GPU-h", source=source, date=max(fact.date for fact in facts))


def _user_catalog(path: Path | None) -> UserCatalog | None:
    return UserCatalog(path, {name: field for name, (field, _) in PARTS.items()}) if path else None


def _part(name: str, path: Path) -> tuple[str, type[BaseModel]]:
    part = name.removesuffix(".yaml").split("/")[0]
    if part not in PARTS:
        raise KnowledgeError(f"{path}: expected one of {', '.join(PARTS)} as the name of a catalog file, got {part}")
    return PARTS[part]


def _entry(
    kind: type[BaseModel],
    field: str,
    key: str,
    value: Any,
    origin: dict[tuple[str, str], Path],
    theirs: UserCatalog | None,
) -> Any:
    if "id" in kind.model_fields and isinstance(value, dict):
        value = {"id": key, **value}
    if theirs and (field, key) in theirs.placed:
        return theirs.validated(kind, value, field, key)
    return shipped.validated(kind, value, origin[field, key], (key,))
