"""Reads ``knowledge/catalog/`` and a user's own catalog file, which overrides it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from pydantic import BaseModel

from assistant.vocabulary.catalog import Catalog, Device, Fabric, Fact, Gpu, Model, Provider, ScaleUp
from assistant.vocabulary.errors import KnowledgeError

from . import shipped

# File (or folder) name in knowledge/catalog → field of Catalog and what an entry is.
PARTS: dict[str, tuple[str, type[BaseModel]]] = {
    "gpus": ("gpus", Gpu), "models": ("models", Model), "fabrics": ("fabrics", Fabric),
    "scale_up": ("scale_ups", ScaleUp), "providers": ("providers", Provider), "devices": ("devices", Device),
    "constants": ("constants", Fact)}


def read(folder: Path, user_file: Path | None = None) -> Catalog:
    """The catalog; entries of ``user_file`` replace or amend ours by id. Raises :class:`KnowledgeError`."""
    raw: dict[str, dict[str, Any]] = {field: {} for field, _ in PARTS.values()}
    origin: dict[tuple[str, str], Path] = {}
    for name, content in shipped.documents("catalog", folder).items():
        field, _ = _part(name, folder / name)
        for key, value in (content or {}).items():
            if key in raw[field]:
                raise KnowledgeError(f"{folder / name}:{shipped.line_of(folder / name, (key,))} {key}: stands in two files")
            raw[field][key], origin[field, key] = value, folder / name
    if user_file is not None:
        _amend(raw, origin, user_file)
    return Catalog(**{field: {key: _entry(kind, key, value, origin[field, key]) for key, value in raw[field].items()}
                      for field, kind in PARTS.values()})


def _part(name: str, path: Path) -> tuple[str, type[BaseModel]]:
    part = name.removesuffix(".yaml").split("/")[0]
    if part not in PARTS:
        raise KnowledgeError(f"{path}: expected one of {', '.join(PARTS)} as the name of a catalog file, got {part}")
    return PARTS[part]


def _entry(kind: type[BaseModel], key: str, value: Any, path: Path) -> Any:
    if "id" in kind.model_fields and isinstance(value, dict):
        value = {"id": key, **value}
    return shipped.validated(kind, value, path, (key,))


def _amend(raw: dict[str, dict[str, Any]], origin: dict[tuple[str, str], Path], path: Path) -> None:
    """Lay a user's file over ours: ``gpus: {h100-sxm: {hour_price: {…}}}`` changes that one fact."""
    from assistant.vocabulary.errors import InputError, Place

    from .yaml_text import documents

    try:
        found = list(documents(path.read_text(encoding="utf-8"), str(path)))
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"cannot be read: {error}", Place(str(path))) from None
    for document in found:
        if not isinstance(document.value, dict):
            raise InputError(f"expected {', '.join(PARTS)} as keys", Place(str(path), document.line))
        for part, entries in document.value.items():
            if part not in PARTS or not isinstance(entries, dict):
                raise InputError(f"expected one of {', '.join(PARTS)} with entries", Place(str(path), document.line_of((part,)), part))
            field = PARTS[part][0]
            for key, value in entries.items():
                raw[field][key] = _merged(raw[field].get(key), value)
                origin[field, key] = path




def _merged(ours: Any, theirs: Any) -> Any:
    if isinstance(ours, dict) and isinstance(theirs, dict) and "value" not in theirs:
        return {**ours, **{key: _merged(ours.get(key), value) for key, value in theirs.items()}}
    return theirs
