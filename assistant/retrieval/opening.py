"""Opens the search index: read from the user's cache when it was built from the same content and model, else built."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import numpy as np

from assistant.library import Library, paths
from assistant.vocabulary.errors import InputError

from . import ranking, store, tokens
from .documents import Content
from .embedder import Embedder
from .index import FIELDS, Index, packed
from .notation import written_out
from .progress import embedding_progress
from .query import Reading
from .shipped_vectors import shipped_vectors

FORMAT = "6"  # changes with what is stored, how words are read and how passages are ranked
KEPT_HITS = 20  # passages kept for each query of a rule


_OPENED: dict[Library, Index] = {}


def ready_index(library: Library) -> Index:
    """The index of a library: from the cache, else built now (loads the model and says so). Raises
    :class:`InputError`."""
    if library not in _OPENED:
        _OPENED[library] = open_index(library)
    return _OPENED[library]


def built_index(library: Library) -> Index | None:
    """The index if it is already built for exactly this library and model: what a plan uses, which never waits for a
    model."""
    try:
        built = library in _OPENED or _is_there(_key_of(library))
        return ready_index(library) if built else None
    except InputError:
        return None


@lru_cache(maxsize=4)
def _key_of(library: Library) -> str:
    return key(Content.of(library))


def _is_there(content_key: str) -> bool:
    """Whether an index of that content is kept, of the model that is used: which one that is takes reading its
    files."""
    return any(_folder().glob(f"index-*-{content_key}.npz")) and _path(content_key, Embedder()).is_file()


def open_index(library: Library, *, embedder: Embedder | None = None, folder: Path | None = None) -> Index:
    """The index of a library, read from ``folder`` (the user's cache) or built and kept there.

    A file that is damaged, or cannot be written, costs time and nothing else. Raises :class:`InputError` when there is
    no embedding model.
    """
    content, embedder = Content.of(library), embedder or Embedder()
    path = _path(key(content), embedder, folder)
    arrays = store.read(path)
    if arrays is None or not _fits(arrays, content):
        with store.alone(path):
            arrays = store.read(path)  # another program may have built it meanwhile
            if arrays is None or not _fits(arrays, content):
                known = shipped_vectors(library.knowledge_folder, embedder.fingerprint)
                arrays = _built(content, embedder, known | store.known_vectors(path.parent, embedder.fingerprint))
                store.write(path, arrays)
    return Index(content, arrays, embedder)


def _folder() -> Path:
    return paths.cache_dir() / "search"


def _path(content_key: str, embedder: Embedder, folder: Path | None = None) -> Path:
    return (folder or _folder()) / f"index-{embedder.fingerprint}-{content_key}.npz"


def key(content: Content) -> str:
    """32 hexadecimal digits that change with any text, with the rules' queries, the terms, and the way of ranking."""
    passages = [document.passage.id for document in content.documents]
    pieces = [(piece.passage, piece.kind, piece.text) for piece in content.pieces]
    terms = [(term.term, term.aliases) for term in content.terms]
    how = (FORMAT, FIELDS, ranking.SIGNALS, ranking.WEIGHTS.tolist(), ranking.ANSWERABLE, ranking.CONSTANT)
    texts = (content.queries, terms, content.outside, content.beside, sorted(content.everyday.means.items()))
    return store.text_digest(json.dumps((how, passages, pieces, *texts), ensure_ascii=False)).hex()


def _fits(arrays: store.Arrays, content: Content) -> bool:
    hits = (len(content.queries), min(KEPT_HITS, len(content.documents)))
    shapes = {"vectors": (len(content.row_of),), "digests": (len(content.row_of),), "hits": hits, "hit_scores": hits}
    return "word_vectors" in arrays and all(
        name in arrays and arrays[name].shape[: len(shape)] == shape for name, shape in shapes.items()
    )


def _built(content: Content, embedder: Embedder, known: dict[bytes, np.ndarray]) -> store.Arrays:
    held = _words(content)
    texts = dict.fromkeys((*content.row_of, *held.values()))
    digests = {text: store.text_digest(text) for text in texts}
    new = [text for text, digest in digests.items() if digest not in known]
    if new:
        with embedding_progress(len(new), of=len(digests)) as done:
            known = known | dict(zip((digests[text] for text in new), embedder.embed(new, done=done), strict=True))
    arrays: store.Arrays = {"words": packed(list(held))}
    for name, chosen in (("", list(content.row_of)), ("word_", list(held.values()))):
        arrays[f"{name}vectors"] = (
            np.stack([known[digests[text]] for text in chosen]) if chosen else np.zeros((0, 1), np.float32)
        )
        arrays[f"{name}digests"] = np.array([list(digests[text]) for text in chosen], np.uint8).reshape(-1, 16)
    arrays["bags"] = packed(Index(content, arrays, embedder).bags)
    return arrays | _hits(Index(content, arrays, embedder))


def _words(content: Content) -> dict[str, str]:
    """Every word of the passages and of what the rules look up, by token, with the form that is embedded."""
    found: dict[str, str] = {}
    asked = (line for document in content.documents for line in document.passage.asked)
    parts = (part for document in content.documents for part in (document.passage.text, document.heading))
    for text in (*parts, *asked, *content.queries):
        for token, form in tokens.forms(written_out(text, content.initialisms)).items():
            found.setdefault(token, form)
    return found


def _hits(index: Index) -> store.Arrays:
    """The best passages for each query of the rules, so that a plan needs no model."""
    content, vectors = index.content, index.vectors
    shape = (len(content.queries), min(KEPT_HITS, len(content.documents)))
    hits, scores = np.zeros(shape, np.int32), np.zeros(shape, np.float32)
    for row, query in enumerate(content.queries):
        text = written_out(query, content.initialisms)
        vector = vectors[content.row_of[text]]
        ranked = index.rank_reading(Reading.of_known(text, vector))
        hits[row] = ranked.order[: shape[1]]
        scores[row] = ranked.scores[hits[row]]
    return {"hits": hits, "hit_scores": scores}
