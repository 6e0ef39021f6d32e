"""Plans that were saved: what ``weft plan --format json`` writes."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from pydantic import ValidationError

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.plan import Plan

from .files import MAX_FILE_BYTES, text_of, text_read

STDIN = Path("-")
_SCHEMA = "weft/plan/1"
_HEAD = 200  # characters in which the schema is named


def is_one(path: Path) -> bool:
    """Whether a file holds a plan, rather than a questionnaire."""
    return path.suffix.lower() == ".json" and _SCHEMA in text_of(path)[:_HEAD]


def read(path: Path) -> Plan:
    """A saved plan; ``-`` is standard input. Raises :class:`InputError` for what is none."""
    given = path == STDIN
    name = "standard input" if given else str(path)
    text = text_read(sys.stdin.buffer.read(MAX_FILE_BYTES + 1), name) if given else text_of(path)
    expected = InputError("expected a plan as weft plan FILE --format json writes it", Place(name))
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise expected from None
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
        raise expected
    try:
        return Plan.model_validate(value)
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        raise InputError("not as the contract has it (weft schema plan)", Place(name, field=field)) from None
