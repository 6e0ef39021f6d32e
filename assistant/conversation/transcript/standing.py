"""Where a kept conversation stands, beside its transcript: to go on at once without saying everything again.

It is a cache: what holds it is the transcript, and where the transcript, the program, the day or anything that an
answer rests on is not the same any more, everything is said again instead.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from assistant.library import paths
from assistant.library.files import real, replacing
from assistant.vocabulary.entry import Entry
from assistant.vocabulary.plan import Plan

from ..draft import Draft, InDoubt
from ..events import Question, Recalled, Turn, VariationShown
from ..state import State
from . import document

if TYPE_CHECKING:
    from ..conversation import Conversation

RESTS_ON = ("date", "program", "rules", "knowledge", "catalog")


_AS_IT_IS = ("asked", "left_open", "changed", "nodes", "in_doubt")  # of a draft, as it is kept


class _Draft(Entry):
    fields: dict[str, Any]
    asked: str | None
    left_open: tuple[str, ...]
    changed: tuple[str, ...]
    nodes: int | None
    in_doubt: tuple[InDoubt, ...] = ()


_Line = tuple[_Draft, ...]  # a draft after those it came from, the oldest first


class _Standing(Entry):
    """Everything of a conversation but what was said; ``transcript`` is the digest of that."""

    transcript: str
    rests_on: dict[str, str]
    draft: _Line
    branches: tuple[_Line, ...] = ()
    undone: tuple[_Line, ...] = ()
    plan: Plan | None = None
    adopted: Plan | None = None
    variation: VariationShown | None = None
    varied: _Line | None = None
    question: Question | None = None
    doubting: bool = False
    asked: tuple[str, ...] = ()
    finished: bool = False
    version: Literal[1] = 1


def keep(conversation: Conversation, path: Path, head: Mapping[str, str]) -> None:
    """Write down where a conversation stands whose turns are all in the transcript. What cannot be written costs time
    and nothing else."""
    state, thread = conversation.parts.state, conversation.parts.interviewer.thread
    found = _Standing(
        transcript=_digest(path),
        rests_on={name: head[name] for name in RESTS_ON},
        draft=_line(state.draft),
        branches=tuple(map(_line, state.branches)),
        undone=tuple(map(_line, state.undone)),
        plan=state.plan,
        adopted=state.adopted,
        variation=state.variation,
        varied=_line(state.varied) if state.varied else None,
        question=thread.question,
        doubting=thread.doubting,
        asked=thread.asked,
        finished=thread.finished,
    )
    with contextlib.suppress(OSError), replacing(at(path)) as file:
        file.write(found.model_dump_json(by_alias=True).encode())


def go_on(conversation: Conversation, path: Path, head: Mapping[str, str]) -> bool:
    """Put a new conversation where the one in a transcript stood; whether it could be."""
    try:
        found = _Standing.model_validate_json(at(path).read_bytes())
        saved = document.read(path)
    except (OSError, ValidationError, ValueError):
        return False
    if found.transcript != _digest(path) or found.rests_on != {name: head[name] for name in RESTS_ON}:
        return False
    parts = conversation.parts
    parts.state = State(
        _draft(found.draft),
        tuple(map(_draft, found.branches)),
        tuple(map(_draft, found.undone)),
        found.plan,
        found.adopted,
        found.variation,
        _draft(found.varied) if found.varied else None,
    )
    thread = parts.interviewer.thread
    parts.interviewer.thread = type(thread)(found.question, found.doubting, found.asked, found.finished)
    parts.turns.ended += [Turn(said=e.said, events=(Recalled(text=e.answer),)) for e in saved.exchanges]
    return True


def at(path: Path) -> Path:
    """Where it is written down how the conversation of a transcript stands."""
    name = hashlib.blake2b(os.fsencode(real(path)), digest_size=12).hexdigest()
    return paths.cache_dir() / "conversations" / f"{name}.json"


def _digest(path: Path) -> str:
    return hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()


def _line(draft: Draft | None) -> _Line:
    line: list[_Draft] = []
    while draft is not None:
        told = json.loads(json.dumps(draft.fields))  # as it will be read, so that nothing is another kind of list
        line.append(_Draft(fields=told, **{n: getattr(draft, n) for n in _AS_IT_IS}))
        draft = draft.parent
    return tuple(reversed(line))


def _draft(line: _Line) -> Draft:
    draft: Draft | None = None
    for one in line:
        draft = Draft(one.fields, parent=draft, **{name: getattr(one, name) for name in _AS_IT_IS})
    return draft or Draft()
