"""Two calm themes, and the sixteen terminal colours that Rich's tables use in each.

Contrast of text on its background is at least 4.5 : 1 (WCAG 2.2, success criterion 1.4.3).
"""

from __future__ import annotations

from rich.terminal_theme import TerminalTheme
from textual.theme import Theme

DARK = Theme(
    name="weft-dark", dark=True,
    primary="#7aa2c9", secondary="#8fb8a8", accent="#e0b573", foreground="#d7dce2", background="#14181d", surface="#1b2128",
    panel="#232a32", success="#8cc29a", warning="#e0b573", error="#e58a86",
    variables={"border": "#7aa2c9", "border-blurred": "#2c3540", "footer-background": "#14181d", "footer-key-foreground": "#e0b573",
               "footer-description-foreground": "#98a3ae", "block-cursor-background": "#2f3f50", "block-cursor-foreground": "#ffffff",
               "block-cursor-text-style": "bold", "block-cursor-blurred-background": "#28323c", "scrollbar": "#2c3540",
               "scrollbar-background": "#14181d", "scrollbar-hover": "#3b4754", "scrollbar-active": "#7aa2c9",
               "scrollbar-background-hover": "#14181d", "scrollbar-background-active": "#14181d", "scrollbar-corner-color": "#14181d",
               "quiet": "#98a3ae", "good": "#8cc29a", "doubt": "#e0b573", "bad": "#e58a86", "weft": "#9cc3e6"})

LIGHT = Theme(
    name="weft-light", dark=False,
    primary="#2c5d8a", secondary="#2f6f5e", accent="#8a5a00", foreground="#20262c", background="#fbfaf7", surface="#f2f0ea",
    panel="#e8e5dd", success="#2a6b3c", warning="#8a5a00", error="#a3312c",
    variables={"border": "#2c5d8a", "border-blurred": "#d6d2c8", "footer-background": "#fbfaf7", "footer-key-foreground": "#8a5a00",
               "footer-description-foreground": "#5b646d", "block-cursor-background": "#d3e0ec", "block-cursor-foreground": "#10151a",
               "block-cursor-text-style": "bold", "block-cursor-blurred-background": "#e3e6e6", "scrollbar": "#cfcbc0",
               "scrollbar-background": "#fbfaf7", "scrollbar-hover": "#b9b4a7", "scrollbar-active": "#2c5d8a",
               "scrollbar-background-hover": "#fbfaf7", "scrollbar-background-active": "#fbfaf7", "scrollbar-corner-color": "#fbfaf7",
               "quiet": "#5b646d", "good": "#2a6b3c", "doubt": "#8a5a00", "bad": "#a3312c", "weft": "#2c5d8a"})


def _rgb(value: str) -> tuple[int, int, int]:
    return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16)


def _terminal(background: str, foreground: str, colours: list[str]) -> TerminalTheme:
    return TerminalTheme(_rgb(background), _rgb(foreground), [_rgb(c) for c in colours], [_rgb(c) for c in colours])


# black, red, green, yellow, blue, magenta, cyan, white
TERMINAL_DARK = _terminal("#14181d", "#d7dce2",
                          ["#2c3540", "#e58a86", "#8cc29a", "#e0b573", "#7aa2c9", "#bfa3d0", "#9cc3e6", "#d7dce2"])
TERMINAL_LIGHT = _terminal("#fbfaf7", "#20262c",
                           ["#20262c", "#a3312c", "#2a6b3c", "#8a5a00", "#2c5d8a", "#6b4a80", "#2c5d8a", "#5b646d"])
