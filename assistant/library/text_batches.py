"""Batches of questions or sentences: JSON lines ``{"id", "text"}``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown

from . import json_lines

_LINE = '{"id": …, "text": …}'


def read(path: Path) -> Iterator[tuple[str | None, str | InputError]]:
    """``(id, text)`` of each line; what is wrong with a line in the place of its text. Raises :class:`InputError` for a
    file that cannot be read or has no line."""
    for place, value in json_lines.read(path, _LINE):
        yield (None, value) if isinstance(value, InputError) else _one(value, place)


def _one(value: object, place: Place) -> tuple[str | None, str | InputError]:
    known = value if isinstance(value, dict) else {}
    ident, text = known.get("id"), known.get("text")
    if ident is not None and (isinstance(ident, bool) or not isinstance(ident, (str, int))):
        return None, InputError(f"expected text as id, got {shown(ident)}", Place(place.file, place.line, "id"))
    if not isinstance(text, str):
        text = InputError(f"expected {_LINE}, got {shown(value)}", place)
    return (None if ident is None else str(ident)), text
