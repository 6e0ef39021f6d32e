"""A person at the real screen, over the real planner: presses keys, reads what stands there."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import select

from assistant.tui.app import WeftApp

JOB = "pretraining llama 3.1 8b on 16 h100"
NARROW, WIDE, VERY_WIDE = (80, 24), (160, 50), (200, 60)
PATIENCE = 1500  # looks at the screen, 20 ms apart, before something is taken never to come


class User:
    """Presses keys and reads the screen."""

    def __init__(self, pilot):
        self.pilot, self.app, self.talk = pilot, pilot.app, pilot.app.talk

    async def until(self, condition):
        for _ in range(PATIENCE):
            if condition():
                break
            await self.pilot.pause(0.02)
        assert condition(), f"never came; the screen shows:\n{self.sees()}"
        await self.pilot.pause()

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await self.until(lambda: not self.talk.busy)

    async def types(self, text):
        await self.pilot.press(*(_KEYS.get(character, character) for character in text))

    async def says(self, text):
        await self.types(text)
        await self.press("enter")

    def sees(self):
        """The text on the screen, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    def reads(self):
        """The text on the screen without the line breaks and the signs at the edges."""
        return " ".join(self.sees().replace("▌", " ").split())


_KEYS = {
    " ": "space",
    ",": "comma",
    ".": "full_stop",
    "-": "minus",
    "[": "left_square_bracket",
    "]": "right_square_bracket",
    "/": "slash",
    "=": "equals_sign",
    "@": "at",
    "(": "left_parenthesis",
    ")": "right_parenthesis",
    "'": "apostrophe",
    "$": "dollar_sign",
    "\\": "backslash",
    "&": "ampersand",
    "#": "number_sign",
    "?": "question_mark",
}


@contextlib.asynccontextmanager
async def at_the_screen(conversation_factory, size=WIDE, **options):
    app = WeftApp(conversation_factory, **{"grace_s": 0, **options})
    async with app.run_test(size=size) as pilot:
        user = User(pilot)
        await user.until(lambda: not user.talk.busy)
        yield user


def on_screen(test):
    """Runs a test that waits for the screen."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        asyncio.run(test(*args, **kwargs))

    return run


def read_until(terminal, words):
    """What a program has written to its terminal when the words have come."""
    shown = b""
    while words not in shown:
        assert select.select([terminal], [], [], 60)[0], f"{words!r} never came from the terminal:\n{shown!r}"
        shown += os.read(terminal, 65536)
    return shown
