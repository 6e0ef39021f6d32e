"""Files: a user's are read as text or refused in a sentence; what is written takes another's place at once."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from assistant.vocabulary.errors import InputError, Place

MAX_FILE_BYTES = 64 * 1024 * 1024  # half a million rows of CSV
# A pipe without a writer is opened without waiting for one; on Windows there is neither, nor a difference of line ends.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def text_of(path: Path, largest: int = MAX_FILE_BYTES) -> str:
    """A user's file as text. Raises :class:`InputError` when it cannot be read, is larger or is not UTF-8."""
    with opened(path) as file:
        return text_read(file.read(largest + 1), str(path), largest)


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A user's file to read. Raises :class:`InputError` when it cannot be read, also while it is, and when it is none:
    a device or a pipe may never end."""
    name = str(path)
    try:
        with open(path, "rb", opener=lambda file, _: os.open(file, _READING)) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise InputError("expected a file, got a device or a pipe", Place(name))
            yield file
    except IsADirectoryError:
        raise InputError("expected a file, got a folder", Place(name)) from None
    except FileNotFoundError:
        raise InputError("no such file", Place(name)) from None
    except (OSError, EOFError, zlib.error) as error:  # the last two: of a packed file
        raise InputError(f"cannot be read: {getattr(error, 'strerror', None) or error}", Place(name)) from None


def text_read(content: bytes, name: str, largest: int = MAX_FILE_BYTES) -> str:
    """What was read of a file as text. Raises :class:`InputError` when it is larger or not UTF-8."""
    if len(content) > largest:
        raise InputError(f"expected at most {largest >> 20} MiB: split it and name the parts", Place(name))
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise InputError("expected UTF-8 text, found bytes that are not", Place(name, line)) from None


@contextlib.contextmanager
def replacing(path: Path, permissions: int = 0o600) -> Iterator[BinaryIO]:
    """A new file beside ``path`` that is renamed to it in the end: a reader, or a crash, finds the old file or the new
    one, never half of it. Raises :class:`OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
        os.chmod(temporary, permissions)
        os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise
