"""Files: a user's are read as text or refused in a sentence; what is written takes another's place at once."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import os
import re
import secrets
import stat
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from assistant.vocabulary.errors import InputError, Place

from . import paths

try:
    import fcntl
except ImportError:  # on Windows a file that is open is not removed anyway
    fcntl = None

MAX_FILE_BYTES = 64 * 1024 * 1024  # half a million rows of CSV
MOST_COLUMNS = 500  # of a CSV: three times the fields that a questionnaire has
# A pipe without a writer is opened without waiting for one; on Windows there is neither, nor a difference of line ends.
_READING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_NEW = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
_NOT_UTF8 = re.compile("[\udc80-\udcff]")  # what Python makes of a byte that is not, and of nothing else
_UNFINISHED = ".weft-new"  # ends the name of a file that is being written


def check_columns(header: Sequence[str], file: str) -> None:
    """Raises :class:`InputError` where the first line of a CSV names more columns than any table has."""
    if len(header) > MOST_COLUMNS:
        raise InputError(f"expected at most {MOST_COLUMNS} columns, found {len(header):,}", Place(file, 1))


def text_of(path: Path, largest: int = MAX_FILE_BYTES) -> str:
    """A user's file as text. Raises :class:`InputError` when it cannot be read, is larger or is not UTF-8."""
    return text_read(content_of(path, largest), str(path), largest)


def content_of(path: Path, largest: int = MAX_FILE_BYTES) -> bytes:
    """What is in a user's file; of a larger one its beginning, which :func:`text_read` refuses. Raises
    :class:`InputError` when it cannot be read."""
    with opened(path) as file:
        content = file.read(largest + 1)
        if content is None:  # as what the kernel hands out line by line
            raise InputError("cannot be read: it gives nothing", Place(str(path)))
        return content


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
    return checked(marked(content, name, largest), name)


def marked(content: bytes, name: str, largest: int = MAX_FILE_BYTES) -> str:
    """What was read of a file as text whose parts are :func:`checked` each for itself: what is not UTF-8 is marked.
    Raises :class:`InputError` when it is larger."""
    if len(content) > largest:
        raise InputError(f"expected at most {largest >> 20} MiB: split it and name the parts", Place(name))
    return content.decode("utf-8-sig", errors="surrogateescape")


def checked(text: str, name: str, line: int = 1) -> str:
    """A part of a :func:`marked` text, which begins on ``line``. Raises :class:`InputError` where it is not UTF-8."""
    found = None if text.isascii() else _NOT_UTF8.search(text)
    if found is not None:
        there = line + text.count("\n", 0, found.start())
        raise InputError("expected UTF-8 text, found bytes that are not", Place(name, there))
    return text


def real(path: Path) -> Path:
    """Where a path leads; of links that lead round in a circle one of them."""
    return Path(os.path.realpath(path))


def check_apart(written: Iterable[Path], read: Iterable[Path]) -> None:
    """Raises :class:`InputError` where a file that is read would be written over, by whatever name."""
    outputs = list(written)
    taken = {real(path) for path in outputs}
    for path in read:
        if real(path) in taken or any(_same_file(path, output) for output in outputs):
            raise InputError("expected an input that the output does not replace: give another --out", Place(str(path)))


def _same_file(path: Path, other: Path) -> bool:
    """Whether two names are of one file: hard links, and names that differ in case alone where that is no matter. A
    terminal or a pipe is read and written."""
    try:
        return path.is_file() and path.samefile(other)
    except (OSError, ValueError):
        return False


@contextlib.contextmanager
def alone(path: Path, patience_s: float = 10.0) -> Iterator[None]:
    """Nobody else who asks this changes the file from here to the end. Where nothing can be locked (a file system that
    has no locks), nobody waits. Raises :class:`InputError` when somebody else does not end."""
    from filelock import FileLock, Timeout

    name = hashlib.blake2b(os.fsencode(real(path)), digest_size=12).hexdigest()
    lock = paths.cache_dir() / "locks" / f"{name}.lock"  # and not beside a file that may lie anywhere
    with contextlib.ExitStack() as held:
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            held.enter_context(FileLock(lock, timeout=patience_s))
        except Timeout:
            raise InputError("another program is changing this file: try again", Place(str(path))) from None
        except (OSError, NotImplementedError):
            pass
        yield


def write_whole(path: Path, content: bytes, permissions: int = 0o666) -> None:
    """A file of the user's, on the disk when this returns; the one before keeps its place until then, and gives its
    ``permissions``. What is no plain file (a pipe, a device), or cannot be replaced, is written to. Raises
    :class:`OSError`."""
    there = real(path)  # a link stays one
    if there.is_symlink():
        raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), str(path))
    known = there.is_file()
    replaceable = os.access(there.parent, os.W_OK) and (os.access(there, os.W_OK) if known else not path.exists())
    if not replaceable or Path("/dev") in path.absolute().parents:
        path.write_bytes(content)
        return
    with replacing(there, permissions) as file:
        if known:
            os.chmod(file.name, stat.S_IMODE(there.stat().st_mode))
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def is_unread_pipe(path: Path) -> bool:
    """Whether writing there would wait until somebody reads."""
    try:
        if not stat.S_ISFIFO(path.stat().st_mode):
            return False
        os.close(os.open(path, os.O_WRONLY | os.O_NONBLOCK))
    except OSError as error:
        return error.errno == errno.ENXIO
    return False


@contextlib.contextmanager
def replacing(path: Path, permissions: int = 0o600) -> Iterator[BinaryIO]:
    """A new file beside ``path`` that is renamed to it in the end: a reader, or a crash, finds the old file or the new
    one, never half of it. What the process withholds of all its files (umask) is no part of its ``permissions``. Raises
    :class:`OSError`."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _clear(path.parent)
    temporary, file = _begun(path.parent, permissions)
    try:
        with file:
            yield file
            file.flush()
            if fcntl is not None:  # elsewhere one that is open cannot be renamed
                os.replace(temporary, path)
        if fcntl is None:
            os.replace(temporary, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
        raise


def _begun(folder: Path, permissions: int) -> tuple[Path, BinaryIO]:
    """A file that is locked until it is closed, or its process ends: nobody takes it for a leftover."""
    while True:
        path = folder / f".{secrets.token_hex(8)}{_UNFINISHED}"
        file = os.fdopen(os.open(path, _NEW, permissions), "wb")
        with contextlib.suppress(OSError):  # where nothing can be locked, nothing is taken away
            if fcntl is not None:
                fcntl.flock(file, fcntl.LOCK_EX)
        if path.exists():
            return path, file
        file.close()  # somebody cleared it away before it was locked


def _clear(folder: Path) -> None:
    """Take away what processes that were killed had begun: on Windows what is still open stays by itself."""
    for path in folder.glob(f".*{_UNFINISHED}"):
        with contextlib.suppress(OSError), contextlib.ExitStack() as open_until:
            if fcntl is not None:
                fcntl.flock(open_until.enter_context(open(path, "rb")), fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
