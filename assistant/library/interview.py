"""Reads the questions of the interview."""

from __future__ import annotations

from pathlib import Path

from assistant.vocabulary.interview import Interview, InterviewQuestion

from . import shipped

FILE = "interview.yaml"


def read(folder: Path) -> tuple[InterviewQuestion, ...]:
    """The questions of a knowledge folder in their order. Raises :class:`KnowledgeError` naming file, line and key."""
    told = shipped.documents("interview", folder, FILE).get(FILE) or {}
    return shipped.validated(Interview, told, folder / FILE, ()).questions
