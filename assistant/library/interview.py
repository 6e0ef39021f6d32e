"""Reads the questions of the interview."""

from __future__ import annotations

from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.interview import InterviewQuestion

from . import shipped

FILE = "interview.yaml"
_QUESTIONS = TypeAdapter(tuple[InterviewQuestion, ...])


def read(folder: Path) -> tuple[InterviewQuestion, ...]:
    """The questions of a knowledge folder in their order. Raises :class:`KnowledgeError` that names the question and its key."""
    told = (shipped.documents("interview", folder, FILE).get(FILE) or {}).get("questions", [])
    try:
        return _QUESTIONS.validate_python(told)
    except ValidationError as error:
        first = error.errors()[0]
        raise KnowledgeError(f"{folder / FILE}: questions.{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
