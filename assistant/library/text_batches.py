"""Batches of questions or sentences: JSON lines ``{"id", "text"}``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.quantities import shown

from . import json_text
from .files import text_of


def read(path: Path) -> Iterator[tuple[str | None, str]]:
    """``(id, text)`` of each line. Raises :class:`InputError` naming file and line."""
    for number, line in enumerate(text_of(path).split("\n"), start=1):
        if line.strip():
            yield _one(line, Place(str(path), number))


def _one(line: str, place: Place) -> tuple[str | None, str]:
    value = json_text.loads(line, place)
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise InputError(f'expected {{"id": …, "text": …}}, got {shown(value)}', place)
    ident = value.get("id")
    if ident is not None and not isinstance(ident, (str, int)):
        raise InputError(f"expected text as id, got {shown(ident)}", Place(place.file, place.line, "id"))
    return (None if ident is None else str(ident)), value["text"]
