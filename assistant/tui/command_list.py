"""The commands that begin with what is typed, above the line it is typed on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from textual.content import Content
from textual.message import Message
from textual.widgets import OptionList
from textual.widgets.option_list import Option


class CommandList(OptionList):
    """Open while a command is typed; the answer line keeps the keyboard and moves the mark."""

    @dataclass
    class Picked(Message):
        """A command was clicked."""

        command: str

    def __init__(self, **options: Any) -> None:
        super().__init__(markup=False, compact=True, **options)
        self.can_focus = False
        self.display = False
        self._commands: list[str] = []

    def offer(self, found: Mapping[str, str]) -> None:
        """Show these commands, each with what it is about; nothing for none."""
        if list(found) != self._commands:
            self._commands = list(found)
            room = max(map(len, found), default=0) + 2
            label = lambda name, about: Content.assemble((name.ljust(room), "$accent"), (about, "$quiet"))
            self.clear_options().add_options([Option(label(name, about)) for name, about in found.items()])
            self.highlighted = 0 if found else None
        self.display = bool(found)

    @property
    def marked(self) -> str | None:
        """The command the mark is on, while the list is open."""
        return self._commands[self.highlighted] if self.display and self.highlighted is not None else None

    def move(self, step: int) -> None:
        """Move the mark up or down, around the ends."""
        self.highlighted = ((self.highlighted or 0) + step) % len(self._commands)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """A click chooses."""
        event.stop()
        self.post_message(self.Picked(self._commands[event.option_index]))
