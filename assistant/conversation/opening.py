"""Begins or resumes a conversation that is kept: its transcript, its planner, its search."""

from __future__ import annotations

import datetime
from pathlib import Path

from assistant.library import Library, load, paths

from . import exporting, transcripts
from .conversation import Conversation, Exporter
from .searching import lazy_searcher


def begin(library: Library | None = None, *, resume: Path | None = None, keep: bool = True) -> Conversation:
    """A conversation ready for ``start``; with ``keep`` each turn is saved under the user's data folder.

    ``resume`` goes on with a saved transcript: its messages are said again under today's rules and prices, the file
    is rewritten with today's answers, and new turns are appended to it; the conversation has then been started.
    Raises :class:`InputError` when the transcript cannot be read.
    """
    library = library or load()
    if resume is not None:
        return _resumed(library, resume)
    conversation = _today(library)
    if keep:
        record_in(conversation, new_path(), "A conversation with Weft")
    return conversation


def _today(library: Library, exporter: Exporter = exporting.write) -> Conversation:
    """A conversation at today's prices, with further evidence from the search index when it is built."""
    planner = transcripts.dated_planner(datetime.date.today(), searched=_searched(library))
    return Conversation(library, planner=planner, searcher=lazy_searcher(library), exporter=exporter)


def _searched(library: Library) -> bool:
    from assistant.retrieval import built_index

    return built_index(library) is not None


def record_in(conversation: Conversation, path: Path, title: str) -> None:
    """Save every further turn in ``path``."""
    conversation.record = transcripts.Recorder(path).begin(title, _head(conversation.library))
    conversation.transcript_path = path


def new_path() -> Path:
    """A file name that is not taken: day and time, and a number when two begin in the same minute."""
    folder = paths.data_dir() / "transcripts"
    stem = datetime.datetime.now().strftime("%Y-%m-%d-%H%M")
    names = (folder / f"{stem}{suffix}.md" for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(path for path in names if not path.exists())


def _head(library: Library) -> dict[str, str]:
    return transcripts.head_of(library, datetime.date.today(), searched=_searched(library))


def _resumed(library: Library, path: Path) -> Conversation:
    saved = transcripts.read(path)
    conversation = _today(library, _export_nothing)
    conversation.start()
    for message in saved.said:
        conversation.say(message)
    conversation.exporter = exporting.write
    transcripts.replace(path, transcripts.text_of(saved.title, _head(library), conversation.turns))
    conversation.record = transcripts.Recorder(path)
    conversation.transcript_path = path
    return conversation


def _export_nothing(*_: object) -> None:
    """While the past is said again, no file is written."""
