"""Logs of nccl-tests in the conversation: what the network that was measured is worth to the plan at hand."""

from __future__ import annotations

import re
from pathlib import Path

from assistant.network.diagnosis import diagnose
from assistant.planning.measured import plan_as_measured
from assistant.present.plan.measured import sentences
from assistant.vocabulary.errors import InputError

from .. import exporting
from ..events import Event, Failure, Note
from .parts import Parts

_SAID = re.compile(r"(?:(?:we|i) )?(?:have )?measured\b:?(?P<rest> .+)", re.IGNORECASE)
_LOG = re.compile(r"[~./]\S*|\S+\.(?:log|txt|out|json)", re.IGNORECASE)
_ELSEWHERE = "Files are read at the terminal alone: weft plan FILE --measured LOG."


def logs_named(text: str) -> list[Path]:
    """Files that a message says were measured: ``measured all_gather.log``; none of any other message."""
    said = _SAID.fullmatch(text.strip())
    words = said["rest"].split() if said else []
    return [Path(word).expanduser() for word in words] if all(_LOG.fullmatch(word) for word in words) else []


def measured(parts: Parts, logs: list[Path]) -> list[Event]:
    """How far the network is from what it should be, what that costs a month, and what to do about it."""
    plan = parts.state.plan
    if plan is None:
        return parts.answered(Failure(text="A measured network is held against a plan: tell me about the job first."))
    if parts.exporter is not exporting.write:  # who talks in a browser may not read this machine's files
        return parts.answered(Failure(text=_ELSEWHERE))
    try:
        asked = parts.state.draft.questionnaire(parts.catalog)
        made = plan_as_measured(asked, parts.library, diagnose(logs, parts.catalog))
    except InputError as error:
        return parts.answered(Failure(text=f"{error}."))
    found = made.measured
    if found is None:
        return parts.answered()
    first, *rest = sentences(found)
    wrong = tuple(message for run in found.runs for message in run.findings)
    return parts.answered(Note(text=first, items=(*rest, *wrong)))
