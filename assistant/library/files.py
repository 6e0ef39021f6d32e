"""Files: a user's are read as text or refused in a sentence; what is written takes another's place at once."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from assistant.vocabulary.errors import InputError, Place

MAX_FILE_BYTES = 256 * 1024 * 1024


def text_of(path: Path, largest: int = MAX_FILE_BYTES) -> str:
    """A user's file as text. Raises :class:`InputError` when it cannot be read, is larger or is not UTF-8."""
    name = str(path)
    try:
        if path.is_dir():
            raise InputError("expected a file, got a folder", Place(name))
        if path.stat().st_size > largest:
            too_large = f"expected a file of at most {largest >> 20} MiB: split it and name the parts"
            raise InputError(too_large, Place(name))
        return text_read(path.read_bytes(), name)
    except FileNotFoundError:
        raise InputError("no such file", Place(name)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", Place(name)) from None


def text_read(content: bytes, name: str) -> str:
    """What was read of a file as text. Raises :class:`InputError` when it is not UTF-8."""
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
