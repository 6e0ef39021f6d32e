"""What a message says by its meaning, whatever the wordings say: a second, learned opinion.

all-MiniLM-L6-v2, whose layers were learned further from the labelled messages (``knowledge/language/opinion.npz``, by
``tests/opinion_fit.py``), says of every amount and name which field it is a value of, of every choice whether it is
made, what is done with the message, and what it asks of a plan. Computed with NumPy (:mod:`.meaning`); PyTorch is
needed to learn alone.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np

from assistant.vocabulary.added import added
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.questionnaire import FIELDS

from .attach import Context
from .meaning import Encoder, Words, model_folder

_MOST_BEFORE = 200  # characters of what is known that are read with a message
_LEAST = 0.01  # what is less likely is left out
_KEPT, _KEPT_WORDS = 1024, 16  # messages whose opinion is kept; parts of messages whose words are
_LAYERS = "bert."
_PART, _MOST_PARTS = 560, 8  # characters that are read at once; parts of a long text that are read
_MOST_READ = 8  # times that the model reads on, where a part has more words than it may see
_ENDS = re.compile(r"[.;!?]\s|\n")
HEADS = ("act", "span", "choice", "kind")


@dataclass(frozen=True)
class Opinion:
    """How likely each reading is, 0 to 1: ``acts``; ``stretches``, the fields of an amount or a name by its places in
    the message (``none``: of no field); ``stated``, ``field=value`` of choices and ``unset:field``; ``kinds`` of
    question about a plan. ``learned``: the readings of stretches and choices that there are."""

    acts: Mapping[str, float] = field(default_factory=dict)
    stretches: Mapping[tuple[int, int], Mapping[str, float]] = field(default_factory=dict)
    stated: Mapping[str, float] = field(default_factory=dict)
    kinds: Mapping[str, float] = field(default_factory=dict)
    learned: frozenset[str] = frozenset()


class Opinions:
    """The model with its heads, each a matrix behind the vectors of the words."""

    def __init__(self, folder: Path, file: Mapping[str, np.ndarray]) -> None:
        self.acts, self.fields, self.choices, self.kinds = (tuple(file[f"classes.{one}"].tolist()) for one in HEADS)
        self._learned = frozenset(self.fields) | frozenset(self.choices)
        self._heads = {one: (whole(file, f"{one}.weight"), file[f"{one}.bias"].astype(np.float32)) for one in HEADS}
        layers = {name.removeprefix(_LAYERS): one for name, one in file.items() if name.startswith(_LAYERS)}
        self._encoder = Encoder(folder, layers)

    @lru_cache(maxsize=_KEPT)  # noqa: B019 - there is one for the process
    def of(self, text: str, before: str, stretches: tuple[tuple[int, int], ...]) -> Opinion:
        """The opinion of a message; ``before``: :func:`before`; ``stretches``: places of its amounts and names."""
        parts = [self._part(text[start:end], start, before, stretches) for start, end in parted(text)[:_MOST_PARTS]]
        share = lambda each: added(each) / len(each)
        return Opinion(
            _joined([part.acts for part in parts], share),
            {place: odds for part in parts for place, odds in part.stretches.items()},
            _joined([part.stated for part in parts], max),
            parts[-1].kinds,
            self._learned,
        )

    def _part(self, text: str, start: int, before: str, stretches: tuple[tuple[int, int], ...]) -> Opinion:
        words = self._words(before, text)
        mean = words.states.mean(axis=0)
        within = [place for place in stretches if start < place[1] and place[0] < start + len(text)]
        own = [(place, self._stretch(words, mean, (place[0] - start, place[1] - start))) for place in within]
        pooled = np.concatenate([mean, words.states.max(axis=0)])
        said = 1 / (1 + np.exp(-self._scores("choice", pooled)))
        return Opinion(
            _likely(self.acts, self._scores("act", mean)),
            {place: odds for place, odds in own if odds is not None},
            _told(self.choices, said),
            _likely(self.kinds, self._scores("kind", pooled)),
        )

    @lru_cache(maxsize=_KEPT_WORDS)  # noqa: B019 - there is one for the process
    def _words(self, before: str, text: str) -> Words:
        return self._encoder.words(before or " ", text)

    def words(self, text: str, before: str) -> Words:
        """The words of a message by the places in it; of a long one the beginning."""
        found: list[Words] = []
        for start, end in parted(text)[:_MOST_PARTS]:
            while len(found) < _MOST_READ and text[start:end].strip():
                part = self._words(before, text[start : min(end, start + 2 * _PART)])
                if not part.places:
                    break
                found.append(replace(part, places=[(start + a, start + b) for a, b in part.places]))
                start = found[-1].places[-1][1]
        cut = lambda kind: np.concatenate([getattr(one, kind)[: len(one.places)] for one in found])
        return Words(cut("states"), [place for one in found for place in one.places], cut("middle"))

    def _stretch(self, words: Words, mean: np.ndarray, place: tuple[int, int]) -> Mapping[str, float] | None:
        first = bisect_right(words.places, place[0], key=lambda one: one[1])
        last = bisect_left(words.places, place[1], key=lambda one: one[0])
        if first >= last:
            return None
        own = words.states[first:last]
        return _likely(self.fields, self._scores("span", np.concatenate([own.mean(axis=0), own[0], mean])))

    def _scores(self, head: str, vector: np.ndarray) -> np.ndarray:
        weight, bias = self._heads[head]
        return weight @ vector + bias


def parted(text: str) -> list[tuple[int, int]]:
    """Where the parts of a text begin and end that the model reads at once: sentences, as many as it may see."""
    ends = [match.end() for match in _ENDS.finditer(text)] + [len(text)]
    found, start, last = [], 0, 0
    for end in ends:
        if end - start > _PART and last > start:
            found.append((start, last))
            start = last
        last = end
    return [*found, (start, len(text))]


def _joined(parts: Sequence[Mapping[str, float]], how: Callable[[Sequence[float]], float]) -> dict[str, float]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: how([part.get(name, 0.0) for part in parts]) for name in names}


def before(context: Context) -> str:
    """What the conversation knows, as the model reads it before a message."""
    asked = FIELDS.get(context.asked or "")
    known = ", ".join(_known(path, value) for path, value in context.fields.items() if path in FIELDS)[:_MOST_BEFORE]
    parts = [f"asked {asked.about.label}" if asked else "", f"known {known}" if known else ""]
    return " ; ".join(part for part in parts if part)


def _known(path: str, value: Any) -> str:
    label = FIELDS[path].about.label
    return f"{label} {value}" if isinstance(value, (str, bool)) else label


def whole(file: Mapping[str, np.ndarray], name: str) -> np.ndarray:
    """A vector as it is kept, or a matrix that is kept in signed bytes with a scale for each row."""
    kept = file[name].astype(np.float32)
    return kept * file[f"{name}.scale"][:, None] if f"{name}.scale" in file else kept


def in_bytes(name: str, matrix: np.ndarray) -> dict[str, np.ndarray]:
    """A matrix as :func:`whole` reads it."""
    scale = np.maximum(np.abs(matrix).max(axis=1), 1e-12) / 127
    return {name: np.round(matrix / scale[:, None]).astype(np.int8), f"{name}.scale": scale.astype(np.float32)}


def _likely(classes: Sequence[str], scores: np.ndarray) -> dict[str, float]:
    powers = np.exp(scores - scores.max())
    return _told(classes, powers / powers.sum())


def _told(classes: Sequence[str], odds: np.ndarray) -> dict[str, float]:
    return {one: float(p) for one, p in zip(classes, odds, strict=True) if p >= _LEAST}


@lru_cache(maxsize=2)
def opinions(path: Path) -> Opinions | None:
    """From the file, read with the first message; ``None`` where the model is not installed."""
    folder = model_folder()
    if folder is None:
        return None
    try:
        with np.load(path, allow_pickle=False) as file:
            return Opinions(folder, dict(file))
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise KnowledgeError(f"{path}: cannot be read: {error}") from None
