"""Saves a conversation as it goes: on the disk before any of an answer is seen, from the first message on."""

from __future__ import annotations

import contextlib
import datetime
import os
from collections.abc import Callable
from pathlib import Path

from assistant.library import paths
from assistant.library.files import write_whole

from ..events import Turn
from .document import answer_text, head_text, said_text


class Recorder:
    """Appends what was said and then its answer, and makes sure each is on the disk: a crash loses nothing of which any
    answer was seen.

    The file is there already, or begins with the first message, with what ``head`` gives then: one in which nothing is
    said leaves no file, and ``path`` gets a number when another conversation has taken it. ``ended`` is told the path
    after each turn.
    """

    def __init__(
        self, path: Path, head: Callable[[], str] | None = None, ended: Callable[[Path], object] | None = None
    ) -> None:
        self.path = path
        self.ended = ended
        self._head = head
        self._unsaid: list[Turn] = []
        self._heard = False

    def begin(self, title: str, head: dict[str, str]) -> Recorder:
        """Write the head of a new file. Raises :class:`FileExistsError` rather than touch one that is there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._write(head_text(title, head), "x")
        return self

    def heard(self, said: str) -> None:
        """What was said, before its answer is known in full."""
        if self._head is not None:
            self._create(self._head())
            self._head = None
            for turn in self._unsaid:
                self(turn)
        self._write(said_text(said))
        self._heard = True

    def __call__(self, turn: Turn) -> None:
        if self._head is not None:
            self._unsaid.append(turn)
            return
        self._write(("" if self._heard else said_text(turn.said)) + answer_text(turn))
        self._heard = False
        if self.ended is not None:
            self.ended(self.path)

    def _create(self, head: str) -> None:
        """A file that no other conversation has, also none that begins at the same moment."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        while True:
            self.path = untaken(self.path)
            with contextlib.suppress(FileExistsError):
                return self._write(head, "x")

    def _write(self, text: str, mode: str = "a") -> None:
        """Text at the end of the file, then on the disk; where not all of it fits, nothing of it stays."""
        with open(self.path, f"{mode}b", buffering=0, opener=_for_its_owner) as file:
            size, left = file.seek(0, os.SEEK_END), memoryview(text.encode())
            try:
                while left:
                    left = left[file.write(left) :]
                os.fsync(file.fileno())
            except BaseException:
                with contextlib.suppress(OSError):
                    file.truncate(size)
                    if not size:
                        os.unlink(self.path)
                raise


def _for_its_owner(path: str, flags: int) -> int:
    """What somebody said is nobody else's to read."""
    return os.open(path, flags, 0o600)


def new_path() -> Path:
    """A file named after day and time."""
    return untaken(folder() / f"{datetime.datetime.now().strftime('%Y-%m-%d-%H%M')}.md")


def folder() -> Path:
    """Where the user's conversations are kept."""
    return paths.data_dir() / "transcripts"


def untaken(path: Path) -> Path:
    """The path, or with a number when another conversation has it."""
    names = (path.with_stem(f"{path.stem}{suffix}") for suffix in ("", *(f"-{n}" for n in range(2, 1000))))
    return next(name for name in names if not name.exists())


def replace_file(path: Path, text: str) -> None:
    """Write a file so that a crash leaves the old or the new one, never half of it."""
    write_whole(path, text.encode(), permissions=0o600)
