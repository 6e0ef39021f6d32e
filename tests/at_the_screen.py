"""A person at the real screen, over the real planner: presses keys, reads what stands there."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import select

from textual.events import Key, Paste
from textual.keys import _character_to_key

from assistant.tui.app import WeftApp

JOB = "pretraining llama 3.1 8b on 16 h100"
NARROW, WIDE, VERY_WIDE = (80, 24), (160, 50), (200, 60)
PATIENCE = 1500  # looks at the screen, 20 ms apart, before something is taken never to come


class User:
    """Presses keys and reads the screen."""

    def __init__(self, pilot):
        self.pilot, self.app, self.talk = pilot, pilot.app, pilot.app.talk

    async def until(self, condition):
        """Until it holds, on a screen on which all is drawn."""
        for _ in range(PATIENCE):
            if condition():
                await self.rests()
                if condition():
                    return
            await asyncio.sleep(0.02)
        raise AssertionError(f"never came; the screen shows:\n{self.sees()}")

    async def rests(self):
        """Until what was set off is done and drawn, but for what threads still work out."""
        for _ in range(PATIENCE):
            await self.app.animator.wait_until_complete()
            await self.pilot.pause(0)
            if not self._is_drawing() or self.app._exit:
                return
        raise AssertionError(f"never rests; the screen shows:\n{self.sees()}")

    def _is_drawing(self):
        screen = self.app.screen
        drawing = (screen._layout_required, screen._repaint_required, screen._dirty_widgets, screen._callbacks)
        receivers = (self.app, *screen.walk_children(with_self=True))
        return any(drawing) or any(one._message_queue.qsize() or one._next_callbacks for one in receivers)

    async def hits(self, *keys):
        """Presses keys; what they set off may go on in a thread."""
        for key in keys:
            self._strike(key)
            await self.rests()

    async def press(self, *keys):
        """Presses keys and waits for the answer."""
        await self.hits(*keys)
        await self.until(lambda: not self.talk.busy)

    async def types(self, text):
        """The first letter may move the focus to the answer line: the others follow when it has."""
        for letters in (text[:1], text[1:]):
            for letter in letters:
                self._strike(letter)
            await self.rests()

    def _strike(self, key):
        """What the terminal reports when a key is hit; a single letter is what it stands for."""
        letter = key if len(key) == 1 else None
        self.app._driver.send_message(Key(_character_to_key(key) if letter else key, letter))

    async def says(self, text):
        """The first letter is typed, which may move the focus to the answer line; the others come at once."""
        await self.types(text[:1])
        if text[1:]:
            self.app.post_message(Paste(text[1:]))
            await self.rests()
        await self.press("enter")

    def sees(self):
        """The text on the screen, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    def reads(self):
        """The text on the screen without the line breaks and the signs at the edges."""
        return " ".join(self.sees().replace("▌", " ").split())


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
