"""Files of JSON lines: a value a line."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from assistant.vocabulary.errors import InputError, Place

from . import json_text
from .files import checked, content_of, marked


def read(path: Path, one: str) -> Iterator[tuple[Place, object]]:
    """The value of each line with its place; an :class:`InputError` in the place of one that is none. ``one``: how a
    line looks, as ``{"id": …, "text": …}``. Raises :class:`InputError` for a file that cannot be read, and for one
    without a line."""
    name, found = str(path), False
    for number, line in enumerate(marked(content_of(path), name).split("\n"), start=1):
        if line.strip():
            found = True
            yield Place(name, number), _value(line, name, number)
    if not found:
        raise InputError(f"expected lines as {one}, found nothing in the file", Place(name))


def _value(line: str, name: str, number: int) -> object:
    try:
        return json_text.loads(checked(line, name, number), Place(name, number))
    except InputError as error:
        return error.located()  # a new one: what it was raised in, frames and texts, would be kept with each line
