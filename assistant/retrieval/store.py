"""The built index on disk: one file of arrays per content and model, written atomically, checked when read."""

from __future__ import annotations

import contextlib
import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from assistant.library.files import opened, replacing

PATIENCE_S = 600  # longer than it takes to build; then whoever holds the lock is taken to hang
_KEPT = 3  # index files: switching between two models or two branches must not rebuild each time
_UNREADABLE = (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, NotImplementedError)

Arrays = dict[str, np.ndarray]


def read(path: Path) -> Arrays | None:
    """The arrays of an index file; None when it is missing, cut short or damaged (each member carries a checksum)."""
    try:
        with opened(path) as content, np.load(content, allow_pickle=False) as file:
            return {name: file[name] for name in file.files}
    except _UNREADABLE:
        return None


def write(path: Path, arrays: Arrays) -> bool:
    """Write an index file, and take the oldest ones away. False when the folder is not writable."""
    try:
        with replacing(path) as file:
            np.savez(file, allow_pickle=False, **arrays)
    except OSError:
        return False
    for old in sorted(path.parent.glob("index-*.npz"), key=_age)[_KEPT:]:
        with contextlib.suppress(OSError):
            old.unlink()
    return True


@contextlib.contextmanager
def alone(path: Path) -> Iterator[None]:
    """While one program builds an index the others wait for it, and then find it; where nothing can be locked, nobody
    waits."""
    from filelock import FileLock, Timeout

    lock = FileLock(path.with_suffix(".lock"), timeout=PATIENCE_S)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock.acquire()
    except (OSError, NotImplementedError, Timeout):
        yield
        return
    try:
        yield
    finally:
        lock.release()


def text_digest(text: str) -> bytes:
    """16 bytes that stand for a text, under which its vector is kept."""
    return hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=16).digest()


def known_vectors(folder: Path, fingerprint: str) -> dict[bytes, np.ndarray]:
    """Vectors of texts that an earlier index of the same model holds: only new texts are embedded again."""
    found: dict[bytes, np.ndarray] = {}
    for path in sorted(folder.glob(f"index-{fingerprint}-*.npz"), key=_age):
        arrays = read(path) or {}
        for kind in ("", "word_"):
            rows, vectors = arrays.get(f"{kind}digests", ()), arrays.get(f"{kind}vectors", ())
            found.update(zip((row.tobytes() for row in rows), vectors, strict=False))
    return found


def _age(path: Path) -> float:
    try:
        return -path.stat().st_mtime
    except OSError:
        return 0.0
