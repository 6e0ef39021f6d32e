"""The conversations that are kept: which there are, and which one is meant."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from pathlib import Path

from assistant.vocabulary.errors import InputError, Place

from . import document, saving

_NONE = "no conversation is kept yet; weft begins one"


@dataclass(frozen=True)
class Kept:
    """A kept conversation: when something was last said in it, its first message, and how many there are."""

    path: Path
    last: datetime.datetime
    first: str
    messages: int

    @property
    def told(self) -> str:
        """When, how much, and what it begins with."""
        messages = f"{self.messages} message{'' if self.messages == 1 else 's'}"
        return f"{self.last:%Y-%m-%d %H:%M}, {messages}: {self.first}"


def kept(folder: Path | None = None) -> list[Kept]:
    """The conversations of a folder, the user's own where none is named, the latest first; a file that is no
    transcript, or in which nothing was said, is none."""
    found = []
    for path in (folder or saving.folder()).glob("*.md"):
        try:
            transcript, last = document.read(path), path.stat().st_mtime
        except (InputError, OSError):
            continue
        said = [*transcript.said, *([] if transcript.unanswered is None else [transcript.unanswered])]
        if said:
            found.append(Kept(path, datetime.datetime.fromtimestamp(last), said[0], len(said)))
    return sorted(found, key=lambda one: (one.last, one.path.name), reverse=True)


def latest() -> Path:
    """The conversation in which something was said last. Raises :class:`InputError` where there is none."""
    found = kept()
    if not found:
        raise InputError(f"expected a conversation to go on with, but {_NONE}")
    return found[0].path


def named(name: str) -> Path:
    """A transcript by its path, or by its number among those that are kept. Raises :class:`InputError` for a number
    that none has."""
    if not name.isdecimal() or Path(name).exists():
        return Path(name)
    found = kept()
    if not 1 <= int(name) <= len(found):
        there = f"a number from 1 to {len(found)}, as weft chat --list shows them" if found else f"a file, for {_NONE}"
        raise InputError(f"expected {there}; got {name}", Place(field="--resume"))
    return found[int(name) - 1].path


def lines(found: list[Kept], width: int) -> list[str]:
    """The list for a terminal, each with its number; how to go on with one at the end."""
    if not found:
        return [f"{_NONE[0].upper()}{_NONE[1:]}."]
    digits = len(str(len(found)))
    listed = (f"{number:>{digits}}  {one.told}" for number, one in enumerate(found, start=1))
    how = "Go on with one: weft chat --resume NUMBER; with the latest: weft chat --continue"
    return [*(line if len(line) <= width else f"{line[: width - 1]}…" for line in listed), "", how]
