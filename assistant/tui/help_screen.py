"""Help of what has the keyboard, and every key."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from textual.events import Key

from .page_screen import PageScreen, help_lines

if TYPE_CHECKING:
    from .app import WeftApp

KEYS = """
# Everywhere

F2 F3 F4 F6 | the plan, why, the sources, the plots: step in; again, or Esc, steps back
F5 | back: from a panel to the answer line, from there to the question before
F8 | undo what was said last
F9 | not sure: let it be assumed, and listed as assumed
PgUp PgDn | read what was said
/ | the same by name, on the answer line: /plan /why /sources /plots /back /undo /skip /resume …
Ctrl+P | menu: save, export, copy, light or dark, other conversations
Ctrl+Q | quit; the transcript is saved as you go
"""


class HelpScreen(PageScreen):
    """A page of help; the keys that it names close it and do what it says."""

    app: WeftApp

    def __init__(self, about: str, keys: Mapping[str, str]) -> None:
        super().__init__(help_lines(f"{about.strip()}\n\n{KEYS.strip()}"))
        self._keys = keys

    async def on_key(self, event: Key) -> None:
        """A key of the conversation, which goes on."""
        action = self._keys.get(event.key)
        if action is not None:
            event.stop()
            self.dismiss()
            await self.app.talk.run_action(action)
