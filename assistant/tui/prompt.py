"""The line the user answers on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.widgets import TextArea


class Prompt(TextArea):
    """Free text: Enter sends it, Ctrl+J breaks the line; empty, the arrow keys walk through the choices above."""

    HELP = """\
# Answering

Type the number or letter of a choice and press Enter, or say it in your own words: “64 H100s, Llama 70B, two weeks”.
Several facts in one sentence are fine, and so are corrections: “no, 128”.

Enter | sends
Ctrl+J | breaks the line
↑ ↓ | choose; without choices they bring back what you typed

Once there is a plan, ask it things: “why”, “why not RoCE”, “what if 128 GPUs”, “compare roce and infiniband”, “undo”.
"""
    BINDINGS = [
        Binding("ctrl+j", "new_line", "New line", show=False),
        Binding("ctrl+up", "recall(-1)", "Earlier text", show=False),
        Binding("ctrl+down", "recall(1)", "Later text", show=False),
    ]

    @dataclass
    class Submitted(Message):
        """Enter was pressed; the text may be empty."""

        text: str

    @dataclass
    class Moved(Message):
        """An arrow key in an empty prompt: ``step`` is -1 for up and 1 for down."""

        step: int

    @dataclass
    class Paged(Message):
        """Page Up (-1) or Page Down (1): meant for what was said, not for this line."""

        step: int

    def __init__(self, **options: Any) -> None:
        plain = {"show_line_numbers": False, "highlight_cursor_line": False}
        super().__init__(soft_wrap=True, tab_behavior="focus", compact=True, **plain, **options)
        self._sent: list[str] = []
        self._recalled = 0

    def remember(self, text: str) -> None:
        """Keep a sent text for the arrow keys, and clear the line."""
        if text.strip() and self._sent[-1:] != [text]:
            self._sent.append(text)
        self._recalled = len(self._sent)
        self.text = ""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Submitted(self.text))
            return
        await super()._on_key(event)

    def action_new_line(self) -> None:
        """Break the line."""
        self.insert("\n")

    def action_cursor_up(self, select: bool = False) -> None:
        """Move the cursor; in an empty prompt, choose."""
        if self.text:
            super().action_cursor_up(select)
        else:
            self.post_message(self.Moved(-1))

    def action_cursor_down(self, select: bool = False) -> None:
        """Move the cursor; in an empty prompt, choose."""
        if self.text:
            super().action_cursor_down(select)
        else:
            self.post_message(self.Moved(1))

    def action_cursor_page_up(self) -> None:
        """Read what was said."""
        self.post_message(self.Paged(-1))

    def action_cursor_page_down(self) -> None:
        """Read what was said."""
        self.post_message(self.Paged(1))

    def action_recall(self, step: int) -> None:
        """Bring back what was typed before."""
        self._recalled = max(0, min(len(self._sent), self._recalled + step))
        self.text = self._sent[self._recalled] if self._recalled < len(self._sent) else ""
        self.move_cursor(self.document.end)
