"""Reads the questions of the interview."""

from __future__ import annotations

from pathlib import Path

from assistant.vocabulary.interview import Interview

from . import shipped

FILE = "interview.yaml"


def read(folder: Path) -> Interview:
    """The questions of a knowledge folder, and what may be said to any.

    Raises :class:`KnowledgeError` naming file, line and key.
    """
    told = shipped.documents("interview", folder, FILE).get(FILE) or {}
    return shipped.validated(Interview, told, folder / FILE, ())
