"""The files a user means: those named, and the documents in the folders named. Links out of a folder are not
followed."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assistant.vocabulary.errors import InputError, Place

from .blocks import NotADocument, Unreadable, harmless

LARGEST_FILE = 32 * 1024 * 1024  # bytes
MOST_FILES = 5_000
MARKDOWN, HTML, PDF = (".md", ".markdown", ".mdown", ".mkd"), (".html", ".htm", ".xhtml"), (".pdf",)
TEXT = (".txt", ".text", ".rst", ".adoc", ".org", "")
KINDS = (*MARKDOWN, *HTML, *PDF, *TEXT)


@dataclass(frozen=True)
class Found:
    """A file to read and the name it gets; ``named`` by the user himself, so that its kind and a link do not matter."""

    path: Path
    name: str
    named: bool


def files(given: Path, notes: list[str]) -> Iterator[Found]:
    """The documents of one path given by the user; what is left out is said in ``notes``. Raises
    :class:`InputError`."""
    try:
        path = given.expanduser().resolve(strict=True)
    except (OSError, RuntimeError) as error:
        missing = isinstance(error, FileNotFoundError)
        reason = "does not exist" if missing else f"cannot be read: {getattr(error, 'strerror', error)}"
        raise InputError(reason, _place(given)) from None
    if path.is_dir():
        yield from _below(path, notes)
    elif path.is_file():
        yield Found(path, harmless(path.name), named=True)
    else:
        raise InputError("expected a file or a folder", _place(given))


def _place(path: Path) -> Place:
    return Place(harmless(str(path)))


def _below(folder: Path, notes: list[str]) -> Iterator[Found]:
    count, others = 0, Counter()
    for path in _walk(folder, notes):
        if path.suffix.lower() not in KINDS:
            others[harmless(path.suffix.lower())] += 1
            continue
        count += 1
        if count > MOST_FILES:
            raise InputError(f"holds more than {MOST_FILES} documents; add its folders one by one", _place(folder))
        yield Found(path, harmless((folder.name or "root") + "/" + path.relative_to(folder).as_posix()), named=False)
    if others:
        kinds = ", ".join(f"{suffix} ({times})" for suffix, times in others.most_common())
        notes.append(f"{harmless(str(folder))}: left out files of other kinds: {kinds}")


def _walk(folder: Path, notes: list[str]) -> Iterator[Path]:
    """Files below a folder in order of name; hidden ones and links are left out."""

    def refused(error: OSError) -> None:
        notes.append(f"{harmless(str(error.filename))}: left out, cannot be opened: {error.strerror}")

    for parent, folders, names in os.walk(folder, onerror=refused, followlinks=False):
        folders[:] = sorted(
            name for name in folders if not name.startswith(".") and not _link(Path(parent, name), folder, notes)
        )
        for name in sorted(names):
            path = Path(parent, name)
            if not name.startswith(".") and not _link(path, folder, notes):
                yield path


def _link(path: Path, folder: Path, notes: list[str]) -> bool:
    """Whether a path is a link; one that leads out of the folder is worth a note, another's target is found by
    itself."""
    if not path.is_symlink():
        return False
    try:
        inside = path.resolve().is_relative_to(folder)
    except (OSError, RuntimeError):
        inside = False
    if not inside:
        notes.append(f"{harmless(str(path))}: left out, a link that leads out of the folder")
    return True


def content(found: Found) -> tuple[bytes, os.stat_result]:
    """A file's bytes and state; never waits for a pipe, never follows a link.

    Raises :class:`Unreadable` or :class:`NotADocument`.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(found.path, flags)
        with os.fdopen(handle, "rb") as file:
            state = os.fstat(handle)
            if not stat.S_ISREG(state.st_mode):
                raise NotADocument("is not a file")
            if state.st_size > LARGEST_FILE:
                size, most = f"{state.st_size / 2**20:.1f} MiB", f"{LARGEST_FILE / 2**20:g} MiB"
                raise Unreadable(f"is {size} large; at most {most} are read, so split it")
            data = file.read(LARGEST_FILE)
            if data is None:  # as what the kernel hands out line by line
                raise Unreadable("cannot be read: it gives nothing")
            return data, state
    except OSError as error:
        raise Unreadable(f"cannot be read: {error.strerror}") from None
