"""Messages typed, pasted or piped into the conversation line by line.

What is pasted is one message, however many lines it has: a terminal that can marks a paste, and lines that arrive
together belong together. Of a file, and of a pipe that ends with them, every line is a message of its own: they are a
conversation written down.
"""

from __future__ import annotations

import os
import select
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress

TOGETHER_S = 0.02  # lines that are closer were not typed one by one: the fastest typists take 50 ms for a letter
_READ_BYTES = 1 << 16
_PROMPT = "> "


def reader(completed: Callable[[str], list[str]] | None = None) -> Reader | Typed | Lines:
    """What reads messages from standard input, as it is connected; ``completed``: what a line may become with the Tab
    key."""
    if sys.stdin.isatty():
        return Typed(completed)
    try:
        return Reader(sys.stdin.fileno())
    except (OSError, ValueError):  # no file of the system: a test, an embedding program
        return Lines()


class Lines:
    """Every line a message."""

    def __call__(self) -> str | None:
        return sys.stdin.readline() or None


class Typed:
    """Messages at a terminal, edited with the readline library where Python has it."""

    def __init__(self, completed: Callable[[str], list[str]] | None = None) -> None:
        with suppress(ImportError):
            import readline

            readline.parse_and_bind("set enable-bracketed-paste on")  # a paste with its line ends is one line to edit
            if completed is not None:
                readline.set_completer_delims("")  # names hold spaces: the whole line is completed
                readline.set_completer(lambda line, number: ([*completed(line), None])[number])
                readline.parse_and_bind("tab: complete")

    def __call__(self) -> str | None:
        """The next message, ``None`` at the end of input."""
        lines: list[str] = []
        ahead = _waiting(sys.stdin.fileno())  # typed while the answer before was worked out: every line by itself
        with suppress(EOFError):
            lines.append(input(_PROMPT))
            while not ahead and _waiting(sys.stdin.fileno()):
                lines.append(input())
        return "\n".join(lines) if lines else None


class Reader:
    """Messages from a pipe or a file."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor, self._rest, self._ended = descriptor, b"", False
        self._ready: deque[str] = deque()

    def __call__(self) -> str | None:
        """The next message, ``None`` at the end of input."""
        while not self._ready and not self._ended:
            self._read()
        return self._ready.popleft() if self._ready else None

    def _read(self) -> None:
        """What has arrived and what arrives with it: one message, but where the input ends with it."""
        more = True
        while more and not self._ended:
            some = os.read(self._descriptor, _READ_BYTES)
            self._rest, self._ended = self._rest + some, not some
            more = _waiting(self._descriptor)
        lines = self._rest.split(b"\n")
        self._rest = lines.pop() if lines[-1] == b"" or not self._ended else b""
        texts = [line.decode(errors="replace").rstrip("\r") for line in lines]
        self._ready.extend(texts if self._ended else ["\n".join(texts)] if texts else [])


def _waiting(descriptor: int) -> bool:
    """Whether more is there already."""
    with suppress(OSError, ValueError):  # a system that cannot tell
        return bool(select.select([descriptor], [], [], TOGETHER_S)[0])
    return False
