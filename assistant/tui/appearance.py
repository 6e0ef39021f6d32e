"""Which colours the screen begins with: as asked, as ``NO_COLOR`` says, or as the terminal's own background asks
for."""

from __future__ import annotations

import os
import re
import sys
import time

PATIENCE_S, PATIENCE_OVER_SSH_S = 0.2, 1.0
# OSC 11 asks for the background; every terminal answers what follows it (device attributes), so nobody waits in vain.
_QUESTION = b"\x1b]11;?\x1b\\\x1b[c"
_LAST_ANSWER = re.compile(rb"\x1b\[\?[0-9;]*c")
_BACKGROUND = re.compile(rb"\x1b\]11;rgba?:([0-9a-f]{1,4})/([0-9a-f]{1,4})/([0-9a-f]{1,4})", re.IGNORECASE)


def settle(theme: str) -> str:
    """``light`` or ``dark`` for ``light``, ``dark``, ``plain`` or ``auto``. ``plain`` sets ``NO_COLOR``, which Textual
    reads."""
    if theme == "plain":
        os.environ["NO_COLOR"] = "1"
    elif os.environ.get("NO_COLOR") == "":
        del os.environ["NO_COLOR"]  # empty means colours are welcome (no-color.org); Textual looks at its presence only
    if theme == "auto":
        return "light" if "NO_COLOR" not in os.environ and _light_background() else "dark"
    return "light" if theme == "light" else "dark"


def _light_background() -> bool:
    """Whether the terminal says that its background is light; a silent one counts as dark."""
    told = os.environ.get("COLORFGBG", "").rpartition(";")[2]
    if told.isdigit():
        return int(told) == 7 or int(told) > 8
    return is_light(_answer())


def is_light(answer: bytes) -> bool:
    """Whether an answer to the question for the background names a light colour."""
    found = _BACKGROUND.search(answer)
    if found is None:
        return False
    red, green, blue = (int(channel, 16) / (16 ** len(channel) - 1) for channel in found.groups())
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue > 0.5  # weights of luminance: ITU-R BT.709


def _answer() -> bytes:
    """What the terminal says about its background; nothing where there is none to ask or where somebody types
    already."""
    try:
        import select
        import termios
        import tty
    except ImportError:  # not on Windows
        return b""
    try:
        given, shown = sys.stdin.fileno(), sys.stdout.fileno()
        before = termios.tcgetattr(given)
        if select.select([given], [], [], 0)[0]:
            return b""
    except (OSError, ValueError, termios.error):
        return b""
    try:
        tty.setcbreak(given)
        os.write(shown, _QUESTION)
        return _read_until_answered(given, PATIENCE_OVER_SSH_S if os.environ.get("SSH_CONNECTION") else PATIENCE_S)
    finally:
        termios.tcsetattr(given, termios.TCSANOW, before)


def _read_until_answered(given: int, patience_s: float) -> bytes:
    import select

    answer, end = b"", time.monotonic() + patience_s
    while not _LAST_ANSWER.search(answer) and select.select([given], [], [], max(0.0, end - time.monotonic()))[0]:
        answer += os.read(given, 256)
    return answer
