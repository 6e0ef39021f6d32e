"""Two calm themes, and the sixteen terminal colours that Rich's tables use in each.

Contrast of text on its background is at least 4.5 : 1 (WCAG 2.2, success criterion 1.4.3).
"""

from __future__ import annotations

from typing import Any

from rich.terminal_theme import TerminalTheme
from textual.theme import Theme

# Three grounds, two inks, a line, a mark with what is written on it, and the colours of the signs: in the dark, in the
# light.
_COLOURS = {
    "background": ("#14181d", "#fbfaf7"),
    "surface": ("#1b2128", "#f2f0ea"),
    "panel": ("#232a32", "#e8e5dd"),
    "foreground": ("#d7dce2", "#20262c"),
    "quiet": ("#98a3ae", "#5b646d"),
    "line": ("#2c3540", "#cfcbc0"),
    "mark": ("#2f3f50", "#d3e0ec"),
    "marked": ("#ffffff", "#10151a"),
    "primary": ("#7aa2c9", "#2c5d8a"),
    "link": ("#9cc3e6", "#2c5d8a"),
    "accent": ("#e0b573", "#8a5a00"),
    "good": ("#8cc29a", "#2a6b3c"),
    "bad": ("#e58a86", "#a3312c"),
    "magenta": ("#bfa3d0", "#6b4a80"),
}
# What Textual and the style sheet call them.
_THEME = {"secondary": "link", "success": "good", "warning": "accent", "error": "bad"} | {
    name: name for name in ("primary", "accent", "foreground", "background", "surface", "panel")
}
_VARIABLES = {
    "border": "primary",
    "border-blurred": "line",
    "footer-background": "background",
    "footer-key-foreground": "accent",
    "footer-description-foreground": "quiet",
    "block-cursor-background": "mark",
    "block-cursor-foreground": "marked",
    "block-cursor-blurred-background": "panel",
    "scrollbar": "line",
    "scrollbar-hover": "quiet",
    "scrollbar-active": "primary",
    **{f"scrollbar-{part}": "background" for part in ("background", "background-hover", "background-active")},
    "scrollbar-corner-color": "background",
    "quiet": "quiet",
    "work": "primary",
    "good": "good",
    "doubt": "accent",
    "bad": "bad",
    "weft": "link",
}
# black, red, green, yellow, blue, magenta, cyan, white
_ANSI = (
    ("line", "bad", "good", "accent", "primary", "magenta", "link", "foreground"),
    ("foreground", "bad", "good", "accent", "primary", "magenta", "link", "quiet"),
)


def _theme(name: str, light: bool) -> Theme:
    told: dict[str, Any] = {key: _COLOURS[colour][light] for key, colour in _THEME.items()}
    variables = {key: _COLOURS[colour][light] for key, colour in _VARIABLES.items()}
    return Theme(name=name, dark=not light, **told, variables={**variables, "block-cursor-text-style": "bold"})


def _rgb(colour: str, light: bool) -> tuple[int, int, int]:
    value = int(_COLOURS[colour][light][1:], 16)
    return value >> 16, value >> 8 & 0xFF, value & 0xFF


def _terminal(light: bool) -> TerminalTheme:
    colours = [_rgb(colour, light) for colour in _ANSI[light]]
    return TerminalTheme(_rgb("background", light), _rgb("foreground", light), colours, colours)


DARK, LIGHT = _theme("weft-dark", False), _theme("weft-light", True)
TERMINAL_DARK, TERMINAL_LIGHT = _terminal(False), _terminal(True)
