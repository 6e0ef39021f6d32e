"""The folder of a batch: a result is written beside the one before and takes its place when it is whole."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from assistant.library.files import replacing
from assistant.vocabulary.batch import BatchSummary
from assistant.vocabulary.errors import InputError, Place

from .summary import Counted, Summing

_LOCK = ".weft-batch.lock"
_PATIENCE_S = 2.0  # for the processes of a batch that was killed a moment ago


@dataclass
class Written:
    """A result that is being written: ``part`` holds whole rows up to the last that ``journal`` names."""

    folder: Path
    name: str
    head: dict[str, Any]  # what the result is made of: its inputs, the day, the program, the rules
    summing: Summing = field(default_factory=Summing)

    @property
    def rows(self) -> int:
        """Whole ones so far."""
        return self.summing.so_far.rows

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

    @property
    def summary(self) -> Path:
        return self.folder / f"{self.name}.summary.json"

    @property
    def files(self) -> tuple[Path, ...]:
        """What is written."""
        made = self.folder / self.name, self.part, self.journal, self.packed, self.end, self.summary
        return *made, self.folder / _LOCK

    def check(self) -> None:
        """Raises :class:`InputError` where a name of ours is taken by something that no batch leaves there. What is
        written bit by bit would go through a link to another file; a pipe would be waited for."""
        replaced = self.folder / self.name, self.end, self.summary  # by a new file: a link to a file gives way
        for path in self.files:
            try:
                there = path.stat() if path in replaced else path.lstat()
            except OSError:  # nothing is there, or the folder tells when it is written to
                continue
            if not stat.S_ISREG(there.st_mode):
                what = "a folder" if stat.S_ISDIR(there.st_mode) else "a link, a pipe or a device"
                message = f"expected a file of an earlier batch or nothing, got {what}: give another --out"
                raise InputError(message, Place(str(path)))

    def begin(self, first: bytes) -> None:
        """Anew, with what stands before the first row."""
        for left in (self.part, self.journal):  # what they may be another name of stays as it is
            left.unlink(missing_ok=True)
        self.part.write_bytes(first)
        self._to(self.journal, json.dumps(self.head).encode() + b"\n" + self._line(first, b"{}"), "wb")

    def input(self, number: int) -> str | None:
        """The digest of an input, in the order in which they were given; ``None`` where it was no file."""
        return self.head["inputs"][number][1]

    def spoil(self) -> None:
        """An input is no longer what the head says: the result is finished, and neither gone on with nor taken for that
        of these inputs afterwards."""
        self.head = {**self.head, "changed": True}
        if self.journal.exists():
            _, *lines = self.journal.read_bytes().split(b"\n")
            with replacing(self.journal, 0o644) as file:
                file.write(b"\n".join([json.dumps(self.head).encode(), *lines]))

    def add(self, row: bytes, counts: Counted) -> None:
        """A row and what of it is counted, which outlive this process from here on."""
        self._to(self.part, row, "ab")
        self.summing.add(counts)
        self._to(self.journal, self._line(row, json.dumps(counts, separators=(",", ":")).encode()), "ab")

    def _line(self, row: bytes, said: bytes) -> bytes:
        """What the journal says of a row: where it ends, the digest by which it is known again, what is counted."""
        return b"%d %s %s\n" % (self.part.stat().st_size, _row_digest(row, said), said)

    @staticmethod
    def _to(path: Path, content: bytes, mode: str) -> None:
        with open(path, mode) as file:
            file.write(content)

    def go_on(self) -> bool:
        """Whether a stopped batch of the same inputs was found, of which the whole rows are kept as far as they are
        what was written. Raises :class:`InputError` where it was of others."""
        try:
            head, *lines = self.journal.read_bytes().split(b"\n")[:-1]  # what follows the last end of line is torn
            same = json.loads(head) == self.head
            kept = list(self._kept(lines)) if same else []
        except (OSError, ValueError):
            return False
        if not same:
            raise InputError("the batch that was stopped there had other inputs: run it without --resume", self._place)
        if not kept:
            return False
        for _, said in kept[1:]:
            self.summing.add(json.loads(said))
        os.truncate(self.part, kept[-1][0])
        with replacing(self.journal, 0o644) as file:
            file.write(b"\n".join([head, *lines[: len(kept)]]) + b"\n")
        return True

    def _kept(self, lines: list[bytes]) -> Iterator[tuple[int, bytes]]:
        """Where what stands before the first row ends, and each row, with what is counted of it: up to the first that
        is not what was written. Raises :class:`ValueError` for a line that no batch writes."""
        begin, whole = 0, self.part.stat().st_size
        with open(self.part, "rb") as file:
            for line in lines:
                size, digest, said = line.split(b" ", 2)
                end = int(size)
                if not begin <= end <= whole or _row_digest(file.read(end - begin), said) != digest:
                    return
                yield end, said
                begin = end

    def finished(self) -> BatchSummary | None:
        """The summary of the result where it is there already, whole and made of the same. Raises :class:`InputError`
        where it is whole and of other inputs."""
        try:
            said = json.loads(self.end.read_bytes())
            if said["blake2b"] != _digest(self.folder / self.name):
                return None
            same, of_these = said["head"] == self.head, said["head"]["inputs"] == self.head["inputs"]
            found = BatchSummary.model_validate_json(self.summary.read_bytes()) if same else None
        except (OSError, ValueError, KeyError, TypeError):
            return None
        if not of_these:
            raise InputError("the batch that is finished there had other inputs: run it without --resume", self._place)
        return found

    def finish(self, names: Mapping[str, str], packed: Callable[[Path, Path], None] | None = None) -> BatchSummary:
        """Put it in the place of the one before, and say beside it what it comes to and that it is whole. ``packed``
        makes the file that is wanted of the rows; ``names``: how people call a network."""
        made = self.part
        if packed is not None:
            made = self.packed
            packed(self.part, made)
        with open(made, "rb") as file:
            os.fsync(file.fileno())
        digest = _digest(made)
        found = self.summing.whole(names)
        os.replace(made, self.folder / self.name)
        with replacing(self.summary, 0o644) as file:
            file.write(found.model_dump_json(by_alias=True, indent=1).encode() + b"\n")
        told = {"planned": found.planned, "bad": found.refused, "blake2b": digest, "head": self.head}
        with replacing(self.end, 0o644) as file:
            file.write(json.dumps(told, indent=1).encode() + b"\n")
        self.clear()
        return found

    def clear(self) -> None:
        """Take away what a result that is whole was made with."""
        for left in (self.journal, self.part, self.packed):
            with contextlib.suppress(OSError):
                left.unlink()

    @property
    def _place(self) -> Place:
        return Place(str(self.folder))


def _row_digest(row: bytes, said: bytes) -> bytes:
    """Of a row with what is counted of it."""
    return hashlib.blake2b(said + b"\n" + row, digest_size=16).hexdigest().encode()


def _digest(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Nobody else writes into the folder meanwhile. Raises :class:`InputError` when somebody does."""
    from filelock import FileLock, Timeout

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / _LOCK, timeout=_PATIENCE_S):
            yield
    except Timeout:
        raise InputError("another batch is writing into this folder", Place(str(folder))) from None
