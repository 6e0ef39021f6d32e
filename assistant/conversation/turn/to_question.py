"""What is said to the open question without answering it: why it is asked, what Weft would take, a bare yes or no, and
the way back to an earlier one."""

from __future__ import annotations

from ..events import Event, Note
from . import steps
from .parts import Parts


def to_question(parts: Parts, text: str) -> list[Event] | None:
    """The answer to it; ``None`` where the message is something else."""
    interviewer = parts.interviewer
    choice = interviewer.choice_meant(text)
    if choice is not None:
        return steps.take(parts, choice)
    meaning = interviewer.meaning(text)
    if meaning == "no" and not (interviewer.asked and interviewer.asked.required):
        return steps.leave_open(parts)
    if meaning is None and interviewer.question is None and interviewer.reply(text) in ("yes", "no"):
        return parts.answered(_to_nothing(parts))
    if meaning in ("yes", "no"):
        return parts.answered(Note(text="Which one then? A number, a name or your own words will do."))
    if meaning is not None:
        return parts.answered(interviewer.explained(meaning, parts.state.draft))
    earlier = interviewer.earlier(text, parts.state.draft)
    return steps.back(parts, earlier) if earlier is not None else None


def _to_nothing(parts: Parts) -> Note:
    """A bare yes or no where nothing was asked: what it could mean now."""
    if parts.state.variation is not None:
        return Note(text='What was tried is not taken yet: "keep it" takes it, "drop it" leaves the plan as it is.')
    if parts.state.plan is not None:
        return Note(text='Nothing was asked, so nothing changes. "what next" tells what to do with the plan.')
    return Note(text="Nothing was asked yet: tell me about the job.")
