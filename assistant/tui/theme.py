"""Two calm themes, and the sixteen terminal colours that Rich's tables use in each.

Contrast of text on its background is at least 4.5 : 1 (WCAG 2.2, success criterion 1.4.3).
"""

from __future__ import annotations

from rich.terminal_theme import TerminalTheme
from textual.theme import Theme


def _calm(
    name: str,
    dark: bool,
    *,
    foreground: str,
    background: str,
    surface: str,
    panel: str,
    quiet: str,
    line: str,
    mark: str,
    marked: str,
    primary: str,
    link: str,
    accent: str,
    good: str,
    bad: str,
) -> Theme:
    """A theme from its few colours: three grounds, two inks, one line, one mark, and the colours of the signs."""
    bar = {
        f"scrollbar-{part}": background
        for part in ("background", "background-hover", "background-active", "corner-color")
    }
    return Theme(
        name=name,
        dark=dark,
        primary=primary,
        secondary=link,
        accent=accent,
        foreground=foreground,
        background=background,
        surface=surface,
        panel=panel,
        success=good,
        warning=accent,
        error=bad,
        variables={
            "border": primary,
            "border-blurred": line,
            "footer-background": background,
            "footer-key-foreground": accent,
            "footer-description-foreground": quiet,
            "block-cursor-background": mark,
            "block-cursor-foreground": marked,
            "block-cursor-text-style": "bold",
            "block-cursor-blurred-background": panel,
            "scrollbar": line,
            "scrollbar-hover": quiet,
            "scrollbar-active": primary,
            **bar,
            "quiet": quiet,
            "work": primary,
            "good": good,
            "doubt": accent,
            "bad": bad,
            "weft": link,
        },
    )


DARK = _calm(
    "weft-dark",
    True,
    foreground="#d7dce2",
    background="#14181d",
    surface="#1b2128",
    panel="#232a32",
    quiet="#98a3ae",
    line="#2c3540",
    mark="#2f3f50",
    marked="#ffffff",
    primary="#7aa2c9",
    link="#9cc3e6",
    accent="#e0b573",
    good="#8cc29a",
    bad="#e58a86",
)
LIGHT = _calm(
    "weft-light",
    False,
    foreground="#20262c",
    background="#fbfaf7",
    surface="#f2f0ea",
    panel="#e8e5dd",
    quiet="#5b646d",
    line="#cfcbc0",
    mark="#d3e0ec",
    marked="#10151a",
    primary="#2c5d8a",
    link="#2c5d8a",
    accent="#8a5a00",
    good="#2a6b3c",
    bad="#a3312c",
)


def _rgb(value: str) -> tuple[int, int, int]:
    return int(value[1:3], 16), int(value[3:5], 16), int(value[5:7], 16)


def _terminal(background: str, foreground: str, colours: list[str]) -> TerminalTheme:
    return TerminalTheme(_rgb(background), _rgb(foreground), [_rgb(c) for c in colours], [_rgb(c) for c in colours])


# black, red, green, yellow, blue, magenta, cyan, white
TERMINAL_DARK = _terminal(
    "#14181d", "#d7dce2", ["#2c3540", "#e58a86", "#8cc29a", "#e0b573", "#7aa2c9", "#bfa3d0", "#9cc3e6", "#d7dce2"]
)
TERMINAL_LIGHT = _terminal(
    "#fbfaf7", "#20262c", ["#20262c", "#a3312c", "#2a6b3c", "#8a5a00", "#2c5d8a", "#6b4a80", "#2c5d8a", "#5b646d"]
)
