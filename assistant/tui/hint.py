"""The line under the prompt: what Enter would do now, and what is still loading or where it is saved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from textual.content import Content
from textual.widget import Widget

from .flow import cleaned
from .question import Offer


class HintLine(Widget):
    """One row; the right part gives way when there is no room."""

    DEFAULT_CSS = "HintLine { height: 1; }"

    def __init__(self, **options: Any) -> None:
        super().__init__(**options)
        self._hint: tuple[str, str] = ("", "$quiet")
        self._states: tuple[str, ...] = ("",)

    @property
    def plain(self) -> str:
        """What is written when there is room."""
        return f"{self._hint[0]}  {self._states[0]}"

    def say(self, text: str, style: str = "$quiet") -> None:
        """Show what Enter would do."""
        self._hint = (cleaned(text), style)
        self.refresh()

    def state(self, *texts: str) -> None:
        """Show what loads, or where the transcript is: the first of the texts for which there is room."""
        self._states = tuple(cleaned(text) for text in texts)
        self.refresh()

    def render(self) -> Content:
        """Hint left, state right."""
        width = self.content_size.width
        hint = Content.styled(*self._hint).truncate(width, ellipsis=True)
        states = (Content.styled(text, "$quiet") for text in self._states)
        state = next((state for state in states if state.cell_length <= width - hint.cell_length - 3), Content(""))
        return hint + Content(" " * (width - hint.cell_length - state.cell_length)) + state


def next_step(
    offer: Offer | None, typed: str, offers: Sequence[Offer], folded: bool = False, completes: bool = False
) -> str:
    """What the user can do now, in few words."""
    if offer is not None:
        return f"Enter takes: {offer.label}"
    if typed.startswith("/"):
        return "↑ ↓ and Enter, or Tab to complete"
    if completes:
        return "Tab completes · Enter sends"
    if typed.strip():
        return "Enter sends · Ctrl+J breaks the line"
    if not offers:
        return "ask: why · why not roce · what if 128 GPUs · or / for commands"
    kind = "number" if offers[0].key.isdigit() else "letter"
    if folded:
        return f"{kind} and Enter, or your own words; ↑ ↓ shows why"
    if offers[0].choice is None:
        return "your own words, or 0 and Enter if not sure"
    return f"{kind} or ↑ ↓ and Enter, your own words, or /"
