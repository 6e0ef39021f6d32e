"""Kept conversations, said again on the real screen: the answers are those of the document."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("textual")

from textual import events

from assistant.conversation.transcript import document, replaying
from tests.at_the_screen import NARROW, WIDE, at_the_screen, on_screen

FOLDER = Path(__file__).parents[1] / "transcripts"
# One on each size, and one that is beside the point: what is answered in the others, without a screen, the transcripts
# show, and going back on the screen tests/test_screen.py.
NAMES = ["single-node", "serving", "beside-the-point"]


@pytest.mark.parametrize(("number", "name"), list(enumerate(NAMES)), ids=NAMES)
@on_screen
async def test_a_kept_conversation_goes_the_same_way_on_the_screen(library, number, name):
    saved = document.read(FOLDER / f"{name}.md")
    async with at_the_screen(
        lambda: replaying.conversation_for(saved, library), NARROW if number % 2 else WIDE
    ) as user:
        for message in saved.said:
            user.app.post_message(events.Paste(message))
            await user.rests()
            await user.press("enter")
        written = document.text_of(saved.title, saved.head, user.talk.conversation.turns)
        assert document.parse(written).exchanges == saved.exchanges
