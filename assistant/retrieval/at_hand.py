"""The index of a library, opened once per process."""

from __future__ import annotations

from assistant.library import Library, paths
from assistant.vocabulary.errors import InputError

from .building import key
from .documents import Content
from .embedder import Embedder
from .index import Index

_OPENED: dict[Library, Index] = {}


def ready_index(library: Library) -> Index:
    """The index of a library: from the cache, else built now (loads the model and says so). Raises :class:`InputError`."""
    if library not in _OPENED:
        _OPENED[library] = Index.open(library)
    return _OPENED[library]


def built_index(library: Library) -> Index | None:
    """The index if it is already built for exactly this library and model: what a plan uses, which never waits for a model."""
    try:
        return ready_index(library) if library in _OPENED or is_built(library) else None
    except InputError:
        return None


def is_built(library: Library) -> bool:
    """Whether opening the index would need no model. Raises :class:`InputError` when there is no embedding model."""
    return (paths.cache_dir() / "search" / f"index-{Embedder().fingerprint}-{key(Content.of(library))}.npz").is_file()
