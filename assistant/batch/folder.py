"""The folder of a batch: a result is written beside the one before and takes its place when it is whole."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assistant.library.files import replacing
from assistant.vocabulary.errors import InputError, Place

_PATIENCE_S = 2.0  # for the processes of a batch that was killed a moment ago


@dataclass(frozen=True)
class Tally:
    """How a batch went."""

    planned: int = 0
    bad: int = 0

    def and_one(self, *, bad: bool) -> Tally:
        return Tally(self.planned + (not bad), self.bad + bad)

    @property
    def rows(self) -> int:
        return self.planned + self.bad


@dataclass
class Written:
    """A result that is being written: ``part`` holds whole rows up to the last that ``journal`` names."""

    folder: Path
    name: str
    head: dict[str, Any]  # what the result is made of: its inputs, the day, the program, the rules
    tally: Tally = Tally()

    @property
    def part(self) -> Path:
        return self.folder / f"{self.name}.part"

    @property
    def journal(self) -> Path:
        return self.folder / f"{self.name}.part.rows"

    @property
    def packed(self) -> Path:
        return self.folder / f"{self.name}.packed"

    @property
    def end(self) -> Path:
        return self.folder / f"{self.name}.end"

    def begin(self, first: bytes) -> None:
        """Anew, with what stands before the first row."""
        self.part.write_bytes(first)
        self._to(self.journal, json.dumps(self.head).encode() + b"\n" + self._line(len(first)), "wb")

    def add(self, row: bytes, *, bad: bool) -> None:
        """A row, which outlives this process from here on."""
        self._to(self.part, row, "ab")
        self.tally = self.tally.and_one(bad=bad)
        self._to(self.journal, self._line(self.part.stat().st_size), "ab")

    def _line(self, size: int) -> bytes:
        return f"{size} {self.tally.planned} {self.tally.bad}\n".encode()

    @staticmethod
    def _to(path: Path, content: bytes, mode: str) -> None:
        with open(path, mode) as file:
            file.write(content)

    def go_on(self) -> bool:
        """Whether a stopped batch of the same inputs was found, of which the whole rows are kept. Raises
        :class:`InputError` where it was of others."""
        try:
            head, *lines = self.journal.read_bytes().split(b"\n")[:-1]  # what follows the last end of line is torn
            same = json.loads(head) == self.head
            size = self.part.stat().st_size
            kept = [tuple(map(int, line.split())) for line in lines]
        except (OSError, ValueError):
            return False
        if not same:
            raise InputError("the batch that was stopped there had other inputs: run it without --resume", self._place)
        whole = [line for line in kept if line[0] <= size]
        if not whole:
            return False
        os.truncate(self.part, whole[-1][0])
        with replacing(self.journal, 0o644) as file:
            file.write(b"\n".join([head, *lines[: len(whole)]]) + b"\n")
        self.tally = replace(self.tally, planned=whole[-1][1], bad=whole[-1][2])
        return True

    def finished(self) -> bool:
        """Whether the result is there already, whole and of the same inputs."""
        try:
            said = json.loads(self.end.read_bytes())
            if said["head"] != self.head or said["blake2b"] != _digest(self.folder / self.name):
                return False
            self.tally = Tally(said["planned"], said["bad"])
        except (OSError, ValueError, KeyError, TypeError):
            return False
        return True

    def finish(self, packed: Callable[[Path, Path], None] | None = None) -> None:
        """Put it in the place of the one before, and say beside it that it is whole. ``packed`` makes the file that is
        wanted of the rows."""
        made = self.part
        if packed is not None:
            made = self.packed
            packed(self.part, made)
        with open(made, "rb") as file:
            os.fsync(file.fileno())
        digest = _digest(made)
        os.replace(made, self.folder / self.name)
        told = {"planned": self.tally.planned, "bad": self.tally.bad, "blake2b": digest, "head": self.head}
        with replacing(self.end, 0o644) as file:
            file.write(json.dumps(told, indent=1).encode() + b"\n")
        self.clear()

    def clear(self) -> None:
        """Take away what a result that is whole was made with."""
        for left in (self.journal, self.part, self.packed):
            with contextlib.suppress(OSError):
                left.unlink()

    @property
    def _place(self) -> Place:
        return Place(str(self.folder))


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else writes into the folder meanwhile. Raises :class:`InputError` when somebody does."""
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".weft-batch.lock", timeout=_PATIENCE_S):
            yield
    except Timeout:
        raise InputError("another batch is writing into this folder", Place(str(folder))) from None
