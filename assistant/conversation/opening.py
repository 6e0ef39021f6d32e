"""Begins or resumes a conversation that is kept: its transcript, its planner, its search."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.library import Library, load, paths
from assistant.vocabulary.questionnaire import Questionnaire

from . import exporting, transcripts
from .conversation import Conversation, Exporter
from .events import Turn
from .searching import lazy_searcher

if TYPE_CHECKING:
    from assistant.planning import Begun


def begin(library: Library | None = None, *, resume: Path | None = None, keep: bool = True) -> Conversation:
    """A conversation ready for ``start``; with ``keep`` each turn is saved under the user's data folder, from the first
    message on.

    ``resume`` goes on with a saved transcript: its messages, also one that was never answered, are said again under today's rules and prices, the file
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
    today = datetime.date.today()

    def planner(questionnaire: Questionnaire, library: Library) -> Begun:
        # Whether there is an index is looked up with the first plan: the first question need not wait for it.
        return transcripts.dated_planner(today, searched=_searched(library))(questionnaire, library)

    return Conversation(library, planner=planner, searcher=lazy_searcher(library), exporter=exporter, today=today)


def _searched(library: Library) -> bool:
    from assistant.retrieval import built_index

    return built_index(library) is not None


def record_in(conversation: Conversation, path: Path, title: str) -> None:
    """Save the conversation in ``path`` from the first message on: one in which nothing is said leaves no file."""
    conversation.record = _FirstWords(conversation, title)
    conversation.transcript_path = path


class _FirstWords:
    """Begins the transcript with the first message and hands everything further to it."""

    def __init__(self, conversation: Conversation, title: str) -> None:
        self._conversation, self._title = conversation, title
        self._unsaid: list[Turn] = []

    def __call__(self, turn: Turn) -> None:
        self._unsaid.append(turn)

    def heard(self, said: str) -> None:
        """The first message."""
        talk = self._conversation
        talk.transcript_path = _untaken(talk.transcript_path)
        recorder = transcripts.Recorder(talk.transcript_path).begin(self._title, _head(talk.library))
        for unsaid in self._unsaid:
            recorder(unsaid)
        recorder.heard(said)
        talk.record = recorder


def new_path() -> Path:
    """A file named after day and time."""
    return _untaken(paths.data_dir() / "transcripts" / f"{datetime.datetime.now().strftime('%Y-%m-%d-%H%M')}.md")


def _untaken(path: Path) -> Path:
    """The path, or with a number when another conversation has it."""
    names = (path.with_stem(f"{path.stem}{suffix}") for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(name for name in names if not name.exists())


def _head(library: Library) -> dict[str, str]:
    return transcripts.head_of(library, datetime.date.today(), searched=_searched(library))


def _resumed(library: Library, path: Path) -> Conversation:
    saved = transcripts.read(path)
    conversation = _today(library, transcripts.export_nothing)
    conversation.record = transcripts.keep_nothing
    conversation.start()
    for message in (*saved.said, *([] if saved.unanswered is None else [saved.unanswered])):
        conversation.say(message)
    conversation.exporter = exporting.write
    transcripts.replace(path, transcripts.text_of(saved.title, _head(library), conversation.turns))
    conversation.record = transcripts.Recorder(path)
    conversation.transcript_path = path
    return conversation
