"""What is said to the open question without answering it: why it is asked, what Weft would take, a bare yes or no, and
the way back to an earlier one."""

from __future__ import annotations

import re

from ..events import Event, Note
from . import steps
from .parts import Parts

_BACK_TO = re.compile(
    r"\W*(?:(?:please )?(?:go |take me |let(?:'|)s go )?back to|(?:re)?ask(?: me)?(?: about)?|change my answer (?:to|about))"
    r" (?P<name>.+?)(?: question)?(?: again)?\W*|\W*(?:the )?(?P<named>.+?) question(?: again)?(?: please)?\W*",
    re.IGNORECASE,
)


def to_question(parts: Parts, text: str) -> list[Event] | None:
    """The answer to it; ``None`` where the message is something else."""
    interviewer = parts.interviewer
    choice = interviewer.choice_meant(text)
    if choice is not None:
        return steps.take(parts, choice)
    meaning = interviewer.meaning(text)
    if meaning == "no" and not (interviewer.asked and interviewer.asked.required):
        return steps.leave_open(parts)
    if meaning in ("yes", "no"):
        return parts.answered(Note(text="Which one then? A number, a name or your own words will do."))
    if meaning is not None:
        return parts.answered(interviewer.explained(meaning))
    found = _BACK_TO.fullmatch(text)
    earlier = interviewer.called(found["name"] or found["named"], parts.state.draft) if found else None
    return steps.back(parts, earlier) if earlier is not None else None
