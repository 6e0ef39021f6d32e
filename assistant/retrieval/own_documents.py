"""The user's own documents in the search: ranked together with the shipped passages, by the same signals and weights.

Their vectors are kept in a file of their own in the user's cache and used again for every text that did not change.
"""

from __future__ import annotations

import contextlib
import datetime
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from assistant.library import Library, paths
from assistant.library.documents import DocumentStore, harmless
from assistant.vocabulary.own_documents import OwnDocument, OwnPassage, State

from . import store
from .documents import Content, Document
from .embedder import Embedder
from .index import Index
from .opening import ready_index
from .progress import embedding_progress
from .store import text_digest

_KEPT_AFTER = 2_048  # texts: a long embedding that is stopped goes on where it was
_OPENED: dict[tuple[Library, Path], tuple[list[tuple[OwnDocument, State]], Index]] = {}


def index_with_yours(library: Library, own: DocumentStore | None = None) -> Index:
    """The index over the shipped passages and the user's documents; new texts are embedded now. Raises
    :class:`InputError`.

    While there are no documents it is the shipped index itself. It is not what rules look up in: a plan rests on the
    shipped knowledge alone.
    """
    own = own or DocumentStore()
    shipped = ready_index(library)
    state: list[tuple[OwnDocument, State]] = [(listed, own.state(listed)) for listed in own.documents()]
    before = _OPENED.get((library, own.folder))
    if before is None or before[0] != state:
        found = [document for listed, _ in state for document in _documents(own, listed)]
        before = state, _together(shipped, found) if found else shipped
        _OPENED[library, own.folder] = before
    return before[1]


def forget_removed(own: DocumentStore) -> None:
    """Take the vectors of texts that no document holds any more out of the cache; needs no model."""
    held = {text_digest(text) for listed in own.documents() for text in _texts(_documents(own, listed))}
    for path in _folder().glob("vectors-*.npz"):
        kept = {digest: vector for digest, vector in _known(path).items() if digest in held}
        if kept:
            _keep(path, kept)
        else:
            with contextlib.suppress(OSError):
                path.unlink()


def _together(shipped: Index, found: list[Document]) -> Index:
    """One index over both: what a word is worth and how near a text is are measured over all passages alike."""
    ours = shipped.content
    content = Content([*ours.documents, *found], terms=ours.terms, outside=ours.outside)
    vectors = _vectors(_texts(found), shipped.embedder)
    rows = [shipped.vector(text) if text in ours.row_of else vectors[text_digest(text)] for text in content.row_of]
    together = Index(content, {"vectors": np.stack(rows)}, shipped.embedder)
    together.bags = [*shipped.bags, *map(together.bag_of, found)]  # the terms are ours, so our words stay what they are
    return together


def _documents(own: DocumentStore, listed: OwnDocument) -> Iterator[Document]:
    """A user's document as the index knows passages; a page or a line is a place to cite and no heading to compare
    with."""
    changed = "" if own.state(listed) == "current" else " (changed since it was read)"
    date = datetime.date.fromtimestamp(listed.modified_ns / 1e9).isoformat()
    for number, cut in enumerate(own.cuts(listed) or (), start=1):
        where = f", page {cut.page}" if cut.page else f", line {cut.line}" if cut.line else ""
        name, place = f"{listed.source}#{number}", harmless(listed.path) + where + changed
        passage = OwnPassage(id=name, section=cut.section, text=cut.text, date=date, place=place)
        yield Document(passage, cut.headings or (listed.title,), listed.title, ())


def _texts(found: Iterable[Document]) -> list[str]:
    pieces = (piece for position, document in enumerate(found) for piece in document.pieces(position))
    return list(dict.fromkeys(piece.text for piece in pieces))


def _vectors(texts: list[str], embedder: Embedder) -> dict[bytes, np.ndarray]:
    """The vector of each text by its digest: kept ones, and new ones embedded with a bar that says so."""
    path = _folder() / f"vectors-{embedder.fingerprint}.npz"
    known = _known(path)
    digests = {text_digest(text): text for text in texts}
    new = [digest for digest in digests if digest not in known]
    if new:
        with embedding_progress(len(new), of=len(digests)) as done:
            for start in range(0, len(new), _KEPT_AFTER):
                part = new[start : start + _KEPT_AFTER]
                known.update(zip(part, embedder.embed([digests[digest] for digest in part], done=done), strict=True))
                _keep(path, known)
    if len(known) > len(digests):
        known = {digest: known[digest] for digest in digests}
        _keep(path, known)
    return known


def _folder() -> Path:
    return paths.cache_dir() / "own-documents"


def _known(path: Path) -> dict[bytes, np.ndarray]:
    arrays = store.read(path) or {}
    if not {"digests", "vectors"} <= set(arrays) or len(arrays["digests"]) != len(arrays["vectors"]):
        return {}
    return {row.tobytes(): vector for row, vector in zip(arrays["digests"], arrays["vectors"], strict=True)}


def _keep(path: Path, vectors: dict[bytes, np.ndarray]) -> None:
    rows = np.frombuffer(b"".join(vectors), np.uint8).reshape(-1, 16)
    store.write(path, {"digests": rows, "vectors": np.stack(list(vectors.values()))})
