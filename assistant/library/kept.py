"""What is built of the shipped wordings and catalog, kept in the user's cache: building it takes a second, reading it a
fifth of one.

A file is read only as far as it names classes of this program and a few plain ones, and only when it is whole.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import io
import pickle
import sys
from collections.abc import Callable, Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, TypeVar

from . import paths
from .files import content_of, replacing
from .shipped import digest

T = TypeVar("T")

_DIGEST_BYTES = 16
_OTHERS = ("pydantic", "snowballstemmer")  # packages whose objects or word stems are in what is kept
_PLAIN = frozenset({("builtins", "list"), ("collections", "defaultdict"), ("datetime", "date")})


def kept(name: str, room: str, data: tuple[str, ...], there: Mapping[str, object], build: Callable[[], T]) -> T:
    """What ``build`` makes: from the cache where neither the code of ``room`` and of the vocabulary nor the ``data``
    (content hashes) has changed since. ``there`` are the objects that it refers to and that are not kept with it.

    A file that is damaged, or cannot be written, costs time and nothing else.
    """
    try:
        path = paths.cache_dir() / "compiled" / f"{name}-{_version(room, data)}.pickle"
    except metadata.PackageNotFoundError:  # installed without its metadata: nobody can say with what it was made
        return build()
    with contextlib.suppress(Exception):  # whatever is wrong with a file, it is built again
        return _read(content_of(path), there)
    built = build()
    with contextlib.suppress(OSError, pickle.PicklingError, RecursionError):
        _write(path, built, there)
        for old in path.parent.glob(f"{name}-*.pickle"):
            if old != path:
                old.unlink(missing_ok=True)
    return built


def _version(room: str, data: tuple[str, ...]) -> str:
    folders = [paths.PACKAGE / one for one in (room, "vocabulary")]
    code = {path.relative_to(paths.PACKAGE).as_posix(): path.read_bytes() for f in folders for path in f.rglob("*.py")}
    others = [metadata.version(name) for name in _OTHERS]
    return digest({**code, "data": repr((sys.version, others, data)).encode()})


def _read(content: bytes, there: Mapping[str, object]) -> Any:
    said, body = content[:_DIGEST_BYTES], content[_DIGEST_BYTES:]
    if hashlib.blake2b(body, digest_size=_DIGEST_BYTES).digest() != said:
        raise pickle.UnpicklingError("damaged")
    collecting = gc.isenabled()
    gc.disable()  # none of what is read is garbage
    try:
        return _Reader(body, there).load()
    finally:
        if collecting:
            gc.enable()


def _write(path: Path, built: object, there: Mapping[str, object]) -> None:
    body = io.BytesIO()
    _Writer(body, there).dump(built)
    with replacing(path) as file:
        file.write(hashlib.blake2b(body.getbuffer(), digest_size=_DIGEST_BYTES).digest())
        file.write(body.getbuffer())


class _Writer(pickle.Pickler):
    def __init__(self, file: io.BytesIO, there: Mapping[str, object]) -> None:
        super().__init__(file, protocol=5)
        self._names = {id(one): name for name, one in there.items()}

    def persistent_id(self, obj: object) -> str | None:
        return self._names.get(id(obj))


class _Reader(pickle.Unpickler):
    def __init__(self, body: bytes, there: Mapping[str, object]) -> None:
        super().__init__(io.BytesIO(body))
        self._there = there

    def persistent_load(self, pid: str) -> object:
        return self._there[pid]

    def find_class(self, module_name: str, global_name: str, /) -> Any:
        found = None
        if (module_name, global_name) in _PLAIN or module_name.startswith("assistant."):
            found = super().find_class(module_name, global_name)
        if not isinstance(found, type):
            raise pickle.UnpicklingError(f"{module_name}.{global_name} is not kept")
        return found
