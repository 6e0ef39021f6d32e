"""The line the user answers on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from textual import events
from textual.binding import Binding
from textual.message import Message
from textual.widgets import TextArea

if TYPE_CHECKING:
    from assistant.conversation.completing import Completer


class Prompt(TextArea):
    """Free text: Enter sends it, Ctrl+J breaks the line; empty, the arrow keys walk through the choices above."""

    HELP = """\
# Answering

Type the number or letter of a choice and press Enter, or say it in your own words: “64 H100s, Llama 70B, two weeks”.
Several facts in one sentence are fine, and so are corrections: “no, 128”.

Enter | sends
Ctrl+J | breaks the line
Tab or → | takes the rest of a name or command that stands there in grey
/ | the commands: /undo, /save html, /copy card, /resume … for keyboards without function keys
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

    class Completed(Message):
        """Tab was pressed while there are commands to choose from."""

    @dataclass
    class Paged(Message):
        """Page Up (-1) or Page Down (1): meant for what was said, not for this line."""

        step: int

    def __init__(self, **options: Any) -> None:
        plain = {"show_line_numbers": False, "highlight_cursor_line": False}
        super().__init__(soft_wrap=True, tab_behavior="focus", compact=True, **plain, **options)
        self._sent: list[str] = []
        self._recalled = 0
        self.completer: Completer | None = None
        self.chooses = False  # whether the arrow keys walk through commands while something is typed

    def remember(self, text: str) -> None:
        """Keep a sent text for the arrow keys, and clear the line."""
        if text.strip() and self._sent[-1:] != [text]:
            self._sent.append(text)
        self._recalled = len(self._sent)
        self.text = ""

    def update_suggestion(self) -> None:
        """Offer the rest of the name or command that is being typed at the end of the line."""
        at_the_end = self.cursor_location == self.document.end and "\n" not in self.text
        self.suggestion = self.completer.rest(self.text) if self.completer and at_the_end else ""

    async def _on_key(self, event: events.Key) -> None:
        if event.key == "tab" and (self.suggestion or self.chooses):
            event.stop()
            event.prevent_default()
            if self.chooses:
                self.post_message(self.Completed())
            else:
                self.insert(self.suggestion)
            return
        if event.key == "enter":
            event.stop()
            event.prevent_default()
            self.post_message(self.Submitted(self.text))
            return
        await super()._on_key(event)

    def type_instead(self, text: str) -> None:
        """Put another text on the line, ready to go on."""
        self.text = text
        self.move_cursor(self.document.end)

    def action_new_line(self) -> None:
        """Break the line."""
        self.insert("\n")

    def action_cursor_up(self, select: bool = False) -> None:
        """Move the cursor; in an empty prompt, choose."""
        if self.text and not self.chooses:
            super().action_cursor_up(select)
        else:
            self.post_message(self.Moved(-1))

    def action_cursor_down(self, select: bool = False) -> None:
        """Move the cursor; in an empty prompt, choose."""
        if self.text and not self.chooses:
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
        self.type_instead(self._sent[self._recalled] if self._recalled < len(self._sent) else "")
