"""The pictures of the handbook's page about the screen: the real screen, in kept conversations said again."""

from __future__ import annotations

import asyncio
import html
import re
from collections.abc import Callable
from dataclasses import dataclass

from textual import events
from textual.pilot import Pilot

from assistant.conversation import Conversation
from assistant.conversation.transcript.document import read
from assistant.conversation.transcript.replaying import conversation_for
from assistant.library import Library

from .app import WeftApp

FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
PATIENCE_S = 60.0
LARGE, SMALL = (120, 36), (80, 24)


@dataclass(frozen=True)
class Situation:
    """The first ``messages`` of a kept conversation, what is ``also`` said, then keys; ``theme`` is light or dark,
    ``size`` columns and rows."""

    transcript: str
    messages: int
    keys: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    theme: str = "dark"
    size: tuple[int, int] = LARGE


SITUATIONS = {
    "question": Situation("why-and-what-if", 0, ("2",), size=SMALL),
    "plan": Situation("why-and-what-if", 2),
    "why": Situation("why-and-what-if", 3, ("f3", "down", "right", "down", "down", "right")),
    "what-if": Situation("70b-over-plain-tcp", 6),
    "dials": Situation("why-and-what-if", 2, ("ctrl+d", "down", "down", *["right"] * 3)),
    "plots": Situation("70b-over-plain-tcp", 4, ("f6",)),
    "sources": Situation("70b-over-plain-tcp", 4, ("f4",), theme="light", also=("which sources disagree",)),
}


def taken(name: str, library: Library) -> str:
    """The picture of a situation as SVG, with the fonts of whoever looks at it."""
    picture = asyncio.run(_taken(SITUATIONS[name], library))
    picture = re.sub(r"@font-face\s*{.*?}", "", picture, flags=re.DOTALL)
    picture = re.sub(r"font-family:\s*[^;]+;", f"font-family: {FONTS};", picture)
    return picture.replace("<text ", '<text xml:space="preserve" ')  # else spaces at the ends of a piece are lost


def text_in(picture: str) -> list[str]:
    """What can be read in a picture, piece by piece from the top."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", picture, re.DOTALL)
    return [html.unescape(text).replace("\xa0", " ") for text in found]


async def _taken(situation: Situation, library: Library) -> str:
    saved = read(library.knowledge_folder.parent / "transcripts" / f"{situation.transcript}.md")

    def begin() -> Conversation:
        return conversation_for(saved, library)

    def turns() -> int:
        return len(app.talk.conversation.turns) if app.talk.conversation else 0

    app = WeftApp(begin, theme=situation.theme, grace_s=0)
    async with app.run_test(size=situation.size) as pilot:
        app.talk.prompt.cursor_blink = False
        await _settled(pilot)
        for message in [*saved.said[: situation.messages], *situation.also]:
            heard = turns()
            app.post_message(events.Paste(message))
            await _until(lambda: app.talk.prompt.text, pilot)
            await pilot.press("enter")
            await _until(lambda heard=heard: turns() > heard, pilot)
            await _settled(pilot)
        for key in situation.keys:
            await pilot.press(key)
            await _settled(pilot)
        return app.export_screenshot(title="weft")


async def _settled(pilot: Pilot[int]) -> None:
    """Wait until nothing is being worked out and everything is drawn."""
    talk = pilot.app.talk  # type: ignore[attr-defined]
    plotting = lambda: talk.panel.tab == "plots" and talk.panel.plots.computing
    working = lambda: talk.busy or talk.knowledge is None or plotting() or talk.panel.plan.dials.working
    await _until(lambda: not working(), pilot)
    await pilot.pause(0.2)


async def _until(done: Callable[[], object], pilot: Pilot[int]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not done():
            await pilot.pause(0.02)
