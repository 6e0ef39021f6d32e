"""Plans that were saved: what ``weft plan --format json`` writes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from . import json_text
from .files import MAX_FILE_BYTES, text_of, text_read

STDIN = Path("-")
_SCHEMA = "weft/plan/1"
_DEGREES = {"tp", "pp", "cp", "ep", "etp", "interleave", "micro_batch"}
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
        value = json_text.loads(text, Place(name, 1))
    except InputError:
        raise expected from None
    if not isinstance(value, dict) or value.get("schema") != _SCHEMA:
        raise expected
    try:
        plan = Plan.model_validate(value)
        Questionnaire.model_validate(plan.questionnaire)
    except ValidationError as error:
        field = ".".join(map(str, error.errors()[0]["loc"]))
        within = "" if error.title == Plan.__name__ else "questionnaire."
        raise _other(name, within + field) from None
    for field in _impossible(plan):
        raise _other(name, field)
    return plan


def _other(name: str, field: str) -> InputError:
    return InputError("not as the contract has it (weft schema plan)", Place(name, field=field))


def _impossible(plan: Plan) -> Iterator[str]:
    """What the program never writes, and could not reckon with: somebody has changed it by hand."""
    for number, one in enumerate(plan.candidates):
        for name in _DEGREES & one.parallelism.keys():
            degree = one.parallelism[name]
            if degree is not None and (isinstance(degree, bool) or not isinstance(degree, int) or degree < 1):
                yield f"candidates.{number}.parallelism.{name}"
        if one.step_time_s is not None and one.step_time_s.p50 <= 0:
            yield f"candidates.{number}.step_time_s.p50"
    if (offer := plan.recommendation.offer) is not None and not 0 <= offer < len(plan.offers):
        yield "recommendation.offer"
