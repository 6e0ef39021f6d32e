"""A conversation at the prices of one fixed day, and what is looked for among its events."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import pytest

from assistant import library as libraries
from assistant.conversation import Conversation, replay
from assistant.conversation.events import Event, Question
from assistant.conversation.planner import dated_planner
from assistant.library import Library

JOB = "pretrain llama 3.1 70b on 64 H100s"
TODAY = datetime.date(2026, 11, 20)


@pytest.fixture(scope="module")
def library() -> Library:
    return libraries.load()


@pytest.fixture
def begin(library: Library) -> Callable[..., Conversation]:
    """A conversation in which the given messages have been said, at the prices of one fixed day."""

    def begun(*messages: str, **options: Any) -> Conversation:
        planner = dated_planner(TODAY, searched=False)
        conversation = Conversation(library, **{"planner": planner, **options})
        list(replay(conversation, messages))
        return conversation

    return begun


def talk_of(library: Library, *said: str, fields: dict[str, Any] | None = None) -> Conversation:
    """A conversation that begins with ``fields``, in which ``said`` was said, on the day of :data:`TODAY`."""
    talk = Conversation(library, planner=dated_planner(TODAY, searched=False), today=TODAY, fields=fields)
    talk.start()
    for text in said:
        talk.say(text)
    return talk


def one(events: list[Event], kind: type) -> Any:
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1, [event.kind for event in events]
    return found[0]


def asked(events: list[Event]) -> str:
    return one(events, Question).field
