"""Begins or resumes a conversation that is kept: its transcript, its planner, its search."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

from assistant.library import Library, load, paths
from assistant.vocabulary.answers import Answer
from assistant.vocabulary.errors import InputError

from . import exporting, transcripts
from .conversation import Conversation, Searcher


def begin(library: Library | None = None, *, resume: Path | None = None, keep: bool = True) -> Conversation:
    """A conversation ready for ``start``; with ``keep`` each turn is saved under the user's data folder.

    ``resume`` goes on with a saved transcript: its messages are said again under today's rules and prices, the file
    is rewritten with today's answers, and new turns are appended to it; the conversation has then been started.
    Raises :class:`InputError` when the transcript cannot be read.
    """
    library = library or load()
    if resume is not None:
        return _resumed(library, resume)
    conversation = Conversation(library, searcher=lazy_searcher(library))
    if keep:
        record_in(conversation, new_path(), "A conversation with Weft")
    return conversation


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
    from assistant.retrieval import built_index

    return transcripts.head_of(library, datetime.date.today(), searched=built_index(library) is not None)


def _resumed(library: Library, path: Path) -> Conversation:
    saved = transcripts.read(path)
    conversation = Conversation(library, searcher=lazy_searcher(library), exporter=_export_nothing)
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


def lazy_searcher(library: Library) -> Searcher:
    """Answers free questions; index and model are loaded with the first one."""
    opened: list[Callable[[str], Answer]] = []

    def search(question: str) -> Answer:
        if not opened:
            opened.append(_open_search(library))
        return opened[0](question)

    return search


def _open_search(library: Library) -> Callable[[str], Answer]:
    try:
        from assistant.retrieval import ask, ready_index
    except ImportError as error:
        raise InputError(f"the search needs {error.name}, which is not installed") from None
    index = ready_index(library)
    return lambda question: ask(question, library, index)
