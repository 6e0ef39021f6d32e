"""Plans that were saved: what ``weft plan --format json`` writes."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ValidationError

from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from . import json_text
from .files import MAX_FILE_BYTES, text_of, text_read

STDIN = Path("-")
_SCHEMA = "weft/plan/1"
_DEGREES = {"tp", "pp", "cp", "ep", "etp", "interleave", "micro_batch"}
_HEAD = 200  # characters in which the schema is named
_LARGEST = 1e30  # as of every quantity
_MOST_PARTS = 10**9  # of a network: a thousand for each GPU of the largest job


class _Setting(BaseModel):
    """What is read of a setting of NCCL."""

    name: str
    value: str
    reason: str


class _Settings(BaseModel):
    """What is read of ``nccl``."""

    fabric: str = ""
    machines: str | None = None
    needs: str = ""
    script: list[str] = []
    settings: list[_Setting] = []
    leave_alone: list[_Setting] = []
    using_network: str | None = None


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
    for field in _not_as_written(value):
        raise InputError("not as the contract has it (weft schema plan)", Place(name, field=field))
    return Plan.model_validate(value)


def _not_as_written(value: dict[str, Any]) -> Iterator[str]:
    """The fields of a plan that the program never writes so, and could not reckon with: somebody has changed them by
    hand."""
    yield from _beyond(value, "")
    try:
        plan = Plan.model_validate(value)
    except ValidationError as error:
        yield _first(error)
        return
    yield from _of_questionnaire(plan.questionnaire)
    yield from _of_network(plan.fabric_design)
    try:
        _Settings.model_validate(plan.nccl)
    except ValidationError as error:
        yield f"nccl.{_first(error)}"
    yield from _impossible(plan)


def _first(error: ValidationError) -> str:
    return ".".join(map(str, error.errors()[0]["loc"]))


def _beyond(value: object, field: str) -> Iterator[str]:
    """Numbers that no quantity reaches."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _beyond(part, f"{field}.{name}" if field else name)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _beyond(part, f"{field}.{number}")
    elif isinstance(value, (int, float)) and not abs(value) < _LARGEST:
        yield field


def _of_questionnaire(said: dict[str, Any]) -> Iterator[str]:
    """A plan has its questionnaire as it was read: numbers, where a person may write them as text."""
    try:
        read = Questionnaire.model_validate(said).model_dump(mode="json")
    except ValidationError as error:
        yield f"questionnaire.{_first(error)}"
    else:
        yield from _otherwise(said, read, "questionnaire")


def _otherwise(given: object, read: object, field: str) -> Iterator[str]:
    if isinstance(given, dict) and isinstance(read, dict):
        for name, part in given.items():
            yield from _otherwise(part, read.get(name), f"{field}.{name}")
    elif given != read or isinstance(given, bool) is not isinstance(read, bool):
        yield field


def _of_network(design: dict[str, Any]) -> Iterator[str]:
    """The network to build is a contract of its own; of each part there is a number that can be."""
    if not design:
        return
    try:
        made = FabricDesign.model_validate(design)
    except ValidationError as error:
        yield f"fabric_design.{_first(error)}"
        return
    for name, count in [*made, *((f"cables.{name}", count) for name, count in made.cables)]:
        least = 1 if name in ("planes", "groups", "gpus", "nodes") else 0
        if isinstance(count, int) and not isinstance(count, bool) and not least <= count <= _MOST_PARTS:
            yield f"fabric_design.{name}"


def _impossible(plan: Plan) -> Iterator[str]:
    """What has the right kind and cannot be."""
    for number, one in enumerate(plan.candidates):
        for name in _DEGREES & one.parallelism.keys():
            degree = one.parallelism[name]
            if degree is not None and (isinstance(degree, bool) or not isinstance(degree, int) or degree < 1):
                yield f"candidates.{number}.parallelism.{name}"
        if one.step_time_s is not None and one.step_time_s.p50 <= 0:
            yield f"candidates.{number}.step_time_s.p50"
    if (offer := plan.recommendation.offer) is not None and not 0 <= offer < len(plan.offers):
        yield "recommendation.offer"
    for number, flip in enumerate(plan.recommendation.flips):
        for name, end in (("from", flip.from_), ("at", flip.at)):
            if isinstance(end, bool) or not isinstance(end, (int, float)):
                yield f"recommendation.flips.{number}.{name}"
