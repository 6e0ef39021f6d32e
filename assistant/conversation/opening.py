"""Begins or resumes a conversation that is kept: its transcript, its planner, its search."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from assistant.library import Library, load
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from . import exporting
from .conversation import Conversation
from .exporting import Exporter
from .planner import dated_planner
from .searching import lazy_searcher
from .transcript import document, replaying, saving, standing

if TYPE_CHECKING:
    from assistant.planning import Begun


def begin(
    library: Library | None = None,
    *,
    resume: Path | None = None,
    transcript: Path | None = None,
    title: str = "A conversation with Weft",
    exporter: Exporter = exporting.write,
    kept: bool = True,
) -> Conversation:
    """A conversation ready for ``start``; each turn is saved from the first message on, in ``transcript`` or in a file
    of its own under the user's data folder; nowhere unless ``kept``.

    ``resume`` goes on with a saved transcript, at once where nothing that its answers rest on has changed. Else its
    messages, also one that was never answered, are said again under today's rules and prices, and the file is rewritten
    with today's answers. New turns are appended to it; the conversation has then been started. Raises
    :class:`InputError` when the transcript cannot be read.
    """
    library = library or load()
    conversation = _today(library, replaying.export_nothing if resume else exporter)
    if not kept:
        return conversation
    if resume is None:
        head = lambda: document.head_text(title, _head(library))
        conversation.record = saving.Recorder(transcript or saving.new_path(), head)
    else:
        if not standing.go_on(conversation, resume, _rests_on(library)):
            _say_again(conversation, resume)
            standing.keep(conversation, resume, _rests_on(library))
        conversation.record = saving.Recorder(resume)
        conversation.parts.exporter = exporter
    conversation.record.ended = lambda path: standing.keep(conversation, path, _rests_on(library))
    return conversation


def _today(library: Library, exporter: Exporter) -> Conversation:
    """A conversation at today's prices, with further evidence from the search index when it is built."""
    today = datetime.date.today()

    def planner(questionnaire: Questionnaire, library: Library) -> Plan | Begun:
        # Whether there is an index is looked up with the first plan: the first question need not wait for it.
        return dated_planner(today, searched=_searched(library))(questionnaire, library)

    return Conversation(library, planner=planner, searcher=lazy_searcher(library), exporter=exporter, today=today)


def _searched(library: Library) -> bool:
    from assistant.retrieval import built_index

    return built_index(library) is not None


def _head(library: Library) -> dict[str, str]:
    return document.head_of(library, datetime.date.today(), searched=_searched(library))


def _rests_on(library: Library) -> dict[str, str]:
    """What answers are made with today; whether there is a search index does not change them but for their evidence,
    and takes a while to find out."""
    return document.head_of(library, datetime.date.today(), searched=False)


def _say_again(conversation: Conversation, path: Path) -> None:
    saved = document.read(path)
    conversation.record = replaying.keep_nothing
    conversation.start()
    for message in (*saved.said, *([] if saved.unanswered is None else [saved.unanswered])):
        conversation.say(message)
    saving.replace_file(path, document.text_of(saved.title, _head(conversation.library), conversation.turns))
