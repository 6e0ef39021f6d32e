"""The application around the conversation: colours, menu, leaving."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from textual.app import App
from textual.binding import Binding

from . import menu
from .conversation_screen import GRACE_S, ConversationScreen
from .theme import DARK, LIGHT, TERMINAL_DARK, TERMINAL_LIGHT

if TYPE_CHECKING:
    from assistant.conversation import Conversation


class WeftApp(App[int], inherit_bindings=False):
    """One conversation on one screen.

    ``conversation_factory`` and ``warm_search`` are called in threads, the first once the first screen stands, the
    second once the first question does; ``resumed`` goes on with a transcript, where that is offered. ``failure`` is
    the error with which the conversation could not be had.
    """

    TITLE = "weft"
    CSS_PATH = Path(__file__).with_name("weft.tcss")
    COMMANDS = {lambda: menu.MenuCommands}
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide"), (180, "-very-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]
    BINDINGS = [
        Binding("ctrl+p", "command_palette", "Menu", priority=True, key_display="^P"),
        Binding("ctrl+q", "quit", "Quit", priority=True, key_display="^Q"),
        Binding("ctrl+c", "help_quit", show=False, system=True),
    ]

    def __init__(
        self,
        conversation_factory: Callable[[], Conversation],
        warm_search: Callable[[Conversation], object] | None = None,
        *,
        theme: str = "dark",
        grace_s: float = GRACE_S,
        resumed: Callable[[Path], Conversation] | None = None,
    ) -> None:
        # With NO_COLOR, Textual turns colours grey, and those of an ansi theme black on black; with ansi_color it
        # leaves everything in the terminal's own two colours.
        super().__init__(ansi_color=True if os.environ.get("NO_COLOR") else None)
        self.ansi_theme_dark, self.ansi_theme_light = TERMINAL_DARK, TERMINAL_LIGHT
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        self.theme = f"weft-{theme}"
        self.failure: Exception | None = None
        self._ended: int | None = None
        self._warm_search, self._grace_s, self.resumed = warm_search, grace_s, resumed
        self.talk = ConversationScreen(conversation_factory, warm_search, grace_s)

    def get_default_screen(self) -> ConversationScreen:
        """The conversation."""
        return self.talk

    def on_mount(self) -> None:
        """Who ends the program from outside gets the terminal back as it was, also who has ended it already: half a
        screen cannot be put away."""
        if self._ended is not None:
            self.exit(self._ended)
        for name in ("SIGTERM", "SIGHUP"):
            with contextlib.suppress(AttributeError, NotImplementedError, RuntimeError, ValueError):  # not everywhere
                number = getattr(signal, name)
                asyncio.get_running_loop().add_signal_handler(number, self.exit, 128 + number)

    def end(self, number: int) -> None:
        """The signal of this number came before the screen stood."""
        self._ended = 128 + number

    def action_resume(self) -> None:
        """Let the person choose a conversation that is kept, and go on with it."""
        from assistant.conversation.transcript.kept import kept

        from .kept_screen import KeptScreen

        now = self.talk.conversation.transcript_path if self.talk.conversation else None
        found = [one for one in kept() if one.path != now] if self.resumed else []
        if found:
            self.push_screen(KeptScreen(found), self._go_on_with)
        else:
            self.notify("No other conversation is kept.")

    def _go_on_with(self, path: Path | None) -> None:
        resumed = self.resumed
        if path is not None and resumed is not None:
            self.talk = ConversationScreen(lambda: resumed(path), self._warm_search, self._grace_s)
            self.push_screen(self.talk)  # over the other one, which is kept on the disk as it stands

    def action_turn_colours(self) -> None:
        """From dark to light and back."""
        self.theme = "weft-light" if self.current_theme.dark else "weft-dark"

    def give_up(self, error: Exception) -> None:
        """Leave because there is no conversation to have; whoever started the app says why."""
        self.failure = error
        self.exit(1)
