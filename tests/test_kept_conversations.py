"""Conversations that are kept: listed, and gone on with by number, as the latest, or on the screen."""

from __future__ import annotations

import io
import os
import sys

import pytest

pytest.importorskip("textual")

from assistant.conversation import opening
from tests.at_the_screen import JOB, at_the_screen, on_screen

from .program import weft


@pytest.fixture
def home(tmp_path, monkeypatch, library):
    """A home with two conversations, of which the first named is the latest."""
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "stdin", io.StringIO(""))
    folder = tmp_path / "transcripts"
    for name, message, at in (("older", "serve llama 3.1 8b", 1000), ("newer", JOB, 2000)):
        talk = opening.begin(library, transcript=folder / f"{name}.md")
        talk.start()
        talk.say(message)
        os.utime(folder / f"{name}.md", (at, at))
    (folder / "notes.md").write_text("no transcript\n", encoding="utf-8")
    return folder


def test_what_is_kept_is_listed_the_latest_first(home):
    newest, older, _, how = weft("chat", "--list").out.splitlines()
    assert newest.startswith("1  ") and newest.endswith(f"1 message: {JOB}") and older.endswith("serve llama 3.1 8b")
    assert "--resume NUMBER" in how and "--continue" in how


def test_the_latest_conversation_goes_on_with_its_card(home):
    seen = weft("chat", "--plain", "--continue")
    assert seen.code == 0 and "Going on" in seen.out and "Rent 16 NVIDIA H100" in seen.out
    assert seen.out.rstrip().endswith("newer.md.")


def test_a_conversation_is_taken_by_its_number_in_the_list(home):
    assert weft("chat", "--plain", "--resume", "2").out.rstrip().endswith("older.md.")
    wrong = weft("chat", "--plain", "--resume", "3")
    assert wrong.code == 2 and "a number from 1 to 2" in wrong.err


def test_without_a_conversation_that_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    seen = weft("chat", "--plain", "--continue")
    assert seen.code == 2 and "no conversation is kept yet" in seen.err
    assert weft("chat", "--list").out == "No conversation is kept yet; weft begins one.\n"


@on_screen
async def test_on_the_screen_another_conversation_is_chosen_from_a_list(home, library):
    resumed = lambda path: opening.begin(library, resume=path)
    async with at_the_screen(lambda: opening.begin(library), size=(80, 24), resumed=resumed) as user:
        user.app.action_resume()
        await user.until(lambda: "serve llama 3.1 8b" in user.sees() and f"{JOB}" in user.sees())
        await user.hits("down", "enter")
        user.talk = user.app.talk
        await user.until(lambda: not user.talk.busy and "› serve llama 3.1 8b" in user.sees())
        assert user.talk.conversation.draft.fields["workload"] == "inference"


def test_whoever_leaves_while_an_answer_is_being_written_down_finds_it_again(tmp_path, library):
    talk = opening.begin(library, transcript=tmp_path / "a.md")
    talk.start()
    assert talk.silent
    left = []
    talk.record.ended = lambda path: left.append(talk.silent)  # a page closed now leaves its file
    talk.say(JOB)
    assert left and not any(left)
