"""A conversation is gone on with at once where it stood, as if it had never been left."""

from __future__ import annotations

import pytest

from assistant.conversation import opening, wording
from assistant.conversation.transcript import standing

SAID = (
    "pretraining llama 3.1 8b on 16 h100",
    "actually 32 GPUs",
    "undo",
    "global batch 1024",
    "CoreWeave offers NDR at $2.20, Lambda RoCE at $2.49",
    "not sure",
    "what if 64 GPUs",
)


@pytest.fixture
def left(library, tmp_path, monkeypatch):
    """A kept conversation, and the transcript of it."""
    monkeypatch.setenv("WEFT_CACHE", str(tmp_path / "cache"))
    talk = opening.begin(library, transcript=tmp_path / "talk.md")
    talk.start()
    for message in SAID:
        talk.say(message)
    return talk, tmp_path / "talk.md"


def _told(events):
    return ["\n".join(wording.lines(event)) for event in events]


def test_a_conversation_goes_on_where_it_stood_and_nothing_is_said_again(library, left, monkeypatch):
    before, path = left
    text = path.read_text(encoding="utf-8")
    monkeypatch.setattr(opening, "_say_again", None)
    again = opening.begin(library, resume=path)
    assert [turn.said for turn in again.turns] == [None, *SAID] and path.read_text(encoding="utf-8") == text
    assert (again.draft, again.plan, again.question) == (before.draft, before.plan, before.question)
    before.record = None
    for message in ("branches", "why", "keep it", "undo", "redo", "back", "/copy conversation"):
        assert _told(again.say(message)) == _told(before.say(message)), message


@pytest.mark.parametrize("change", ["the transcript", "the day", "what is kept"])
def test_where_something_changed_everything_is_said_again(library, left, monkeypatch, change):
    _, path = left
    if change == "the transcript":
        path.write_text(path.read_text(encoding="utf-8").replace("global batch 1024", "global batch 2048"))
    elif change == "the day":
        monkeypatch.setattr(opening, "_rests_on", lambda library: {name: "other" for name in standing.RESTS_ON})
    else:
        next((path.parent / "cache" / "conversations").iterdir()).write_text("{")
    said = []
    monkeypatch.setattr(opening, "_say_again", lambda conversation, path: said.append(path))
    opening.begin(library, resume=path)
    assert said == [path]


def test_what_the_first_message_needs_is_ready_before_it_comes(library, index):
    opening.begin(library, kept=False).warm()
