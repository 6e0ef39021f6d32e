"""Vectors that come with the knowledge, so that a fresh install embeds only what was added since.

One file per embedding model in ``knowledge/vectors/``: for each text the digest that stands for it, and its unit vector
in whole numbers of -127 to 127: a quarter of the size, and cosines within 0.001. A vector is found by the digest of its
text, so one that is left over is never used for another text.
"""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np

from . import store
from .index import Index

_STEPS = 127  # largest whole number of a component
_MISSING = 0.05  # share of texts without a shipped vector from which on the file is worth a new version of itself


def shipped_at(folder: Path, fingerprint: str) -> Path:
    """The file of the vectors of this model, in the folder ``knowledge``."""
    return folder / "vectors" / f"{fingerprint}.npz"


def shipped_vectors(folder: Path, fingerprint: str) -> dict[bytes, np.ndarray]:
    """Unit vectors (float32) by digest of their text; none when there is no such file or it is damaged."""
    arrays = store.read(shipped_at(folder, fingerprint)) or {}
    if not {"digests", "steps"} <= set(arrays) or len(arrays["digests"]) != len(arrays["steps"]):
        return {}
    vectors = arrays["steps"].astype(np.float32)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return {digest.tobytes(): vector for digest, vector in zip(arrays["digests"], vectors, strict=True)}


def worth_shipping(index: Index, folder: Path) -> tuple[Path, bytes] | None:
    """The file with the vectors of all texts of ``index``, where too many are missing in the one in ``folder``."""
    path = shipped_at(folder, index.embedder.fingerprint)
    known, held = shipped_vectors(folder, index.embedder.fingerprint), index.by_digest()
    if len(held.keys() - known.keys()) <= _MISSING * len(held):
        return None
    exact = np.stack([held[digest] for digest in sorted(held)])
    steps = np.rint(exact / np.abs(exact).max(axis=1, keepdims=True) * _STEPS).astype(np.int8)
    digests = np.frombuffer(b"".join(sorted(held)), np.uint8).reshape(len(held), -1)
    file = io.BytesIO()
    np.savez_compressed(file, digests=digests, steps=steps)
    return path, file.getvalue()
