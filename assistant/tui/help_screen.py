"""Help of what has the keyboard, and every key."""

from __future__ import annotations

from .page_screen import PageScreen, help_lines

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
    """A page of help."""

    def __init__(self, about: str) -> None:
        super().__init__(help_lines(f"{about.strip()}\n\n{KEYS.strip()}"))
