"""A person's own files with what is in them, so that a process on another machine knows the same."""

from __future__ import annotations

import contextlib
import hashlib
import platform
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy

import assistant
from assistant.vocabulary.errors import InputError

from . import Library, load, paths
from .files import content_of, opened, replacing


@dataclass(frozen=True)
class File:
    """A file and its content."""

    path: Path
    content: bytes

    @classmethod
    def at(cls, path: Path | None) -> File | None:
        """Raises :class:`InputError` when it cannot be read."""
        if path is None:
            return None
        with opened(path) as file:
            return cls(path, file.read())

    def there(self) -> Path:
        """The file itself where it is on this machine as it was, else a copy of the same name in the cache. Raises
        :class:`OSError` where that cannot be written."""
        with contextlib.suppress(OSError, InputError):
            if content_of(self.path) == self.content:
                return self.path
        digest = hashlib.blake2b(self.content, digest_size=16).hexdigest()
        copy = paths.cache_dir() / "carried" / digest / self.path.name
        if not copy.is_file() or content_of(copy) != self.content:
            with replacing(copy) as file:
                file.write(self.content)
        return copy


@dataclass(frozen=True)
class Carried:
    """What a library was loaded with."""

    user_catalog: File | None = None
    profile: File | None = None

    @classmethod
    def of(cls, library: Library) -> Carried:
        return cls(File.at(library.user_catalog), File.at(library.profile))

    def library(self) -> Library:
        """The same library, in this process."""
        return _loaded(self)

    def made_with(self) -> tuple[str, ...]:
        """What an answer hangs on beside its questionnaire: the program, what it reads, and what it computes with."""
        told = {"weft": assistant.__version__, **self.library().digests}
        told |= {"python": platform.python_version(), "numpy": numpy.__version__}
        return tuple(f"{name} {value}" for name, value in told.items())


@lru_cache(maxsize=4)
def _loaded(carried: Carried) -> Library:
    catalog, profile = carried.user_catalog, carried.profile
    return load(user_catalog=catalog.there() if catalog else None, profile=profile.there() if profile else None)
