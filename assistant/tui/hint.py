"""The line under the prompt: what Enter would do now, and what is still loading or where it is saved."""

from __future__ import annotations

from typing import Any

from textual.content import Content
from textual.widget import Widget

from assistant.present.text import safe


class HintLine(Widget):
    """One row; the right part gives way when there is no room."""

    DEFAULT_CSS = "HintLine { height: 1; }"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._hint: tuple[str, str] = ("", "$quiet")
        self._state = ""

    @property
    def plain(self) -> str:
        """What is written."""
        return f"{self._hint[0]}  {self._state}"

    def say(self, text: str, style: str = "$quiet") -> None:
        """Show what Enter would do."""
        self._hint = (safe(text), style)
        self.refresh()

    def state(self, text: str) -> None:
        """Show what loads, or where the transcript is."""
        self._state = safe(text)
        self.refresh()

    def render(self) -> Content:
        """Hint left, state right."""
        width = self.content_size.width
        hint = Content.styled(*self._hint).truncate(width, ellipsis=True)
        room = width - hint.cell_length - 3
        state = Content.styled(self._state, "$quiet")
        if state.cell_length > room:
            return hint
        return hint + Content(" " * (room - state.cell_length + 3)) + state
