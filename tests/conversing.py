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


@pytest.fixture(scope="module")
def library() -> Library:
    return libraries.load()


@pytest.fixture
def begin(library: Library) -> Callable[..., Conversation]:
    """A conversation in which the given messages have been said, at the prices of one fixed day."""

    def begun(*messages: str, **options: Any) -> Conversation:
        planner = dated_planner(datetime.date(2026, 11, 20), searched=False)
        conversation = Conversation(library, **{"planner": planner, **options})
        list(replay(conversation, messages))
        return conversation

    return begun


def one(events: list[Event], kind: type) -> Any:
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1, [event.kind for event in events]
    return found[0]


def asked(events: list[Event]) -> str:
    return one(events, Question).field
