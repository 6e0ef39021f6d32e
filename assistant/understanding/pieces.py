"""Which words of a message with prices tell of an offer, and of which: a learned reading (``quotes.npz``).

A recurrent network of one layer each way (Cho et al. 2014, arXiv 1406.1078) over the vectors of the words
(:mod:`.meaning`), what the readers of amounts and names say of them, and how they are written, marks every word as a
part of a piece ("seller", "price", …) or of none; the likeliest sequence of marks is taken. Each piece and each price
are then weighed against each other: whether they are of one offer.
``tests/quotes_fit.py`` learns it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from assistant.vocabulary.errors import KnowledgeError

OF_OFFERS = ("seller", "price", "per", "network", "term", "minimum", "gpus", "gpu", "delivery", "extra")
OF_THE_JOB = ("model", "tokens", "time", "budget", "job_gpus", "job_gpu")
PRICE, OTHER = "price", "other"  # of an offer, of none
KINDS = (*OF_OFFERS, *OF_THE_JOB, OTHER)
_AMOUNTS = (
    "money", "money-other", "decimal", "number", "size", "percent", "time", "date", "dates", "rate", "gpu", "model",
    "provider", "network", "instance", "power", "sum", "large",
)  # fmt: skip
_UNITS = ("gpu-hour", "node-hour", "gpu-month", "node-month", "month", "day", "week", "year")
_MARKS = (",", ".", ";", ":", "/", "(", ")", "|", "-", "?", "@", "$", "€", "£", "=")
_SAID = re.compile(r"[$€£¥₹]|\b(?:usd|eur|gbp|chf)\b", re.IGNORECASE)
_STEPS = (1, 2, 4, 8, 16, 32)  # words between a word and a price, and between a piece and a price
LINE = ";"  # where a line ends
_ENDS = re.compile(r"[.!?](?:\s|$)|;")

_NEVER, _WAYS = 1e4, ("forward", "backward")

Place = tuple[int, int]


@dataclass(frozen=True)
class Piece:
    """A stretch of the text (characters) that tells something of an offer, or of the job; ``sure``: how likely its
    words are a piece of this kind, 0 to 1; ``of``: how likely it is of each price, by the number of the price."""

    kind: str
    start: int
    end: int
    sure: float
    of: tuple[float, ...] = ()


@dataclass(frozen=True)
class Amount:
    """What a reader of amounts and names says of a stretch of the text (characters)."""

    kind: str
    unit: str
    start: int
    end: int


def shape(text: str, places: Sequence[Place], amounts: Sequence[Amount]) -> np.ndarray:
    """How the words at ``places`` are written, and what the readers say of them: float32, ``(words, features)``."""
    rows, overs = [_written(text, places, at) for at in range(len(places))], _over(places, amounts)
    money = [at for at, over in enumerate(overs) if any(one.kind.startswith("money") for one in over)]
    for at, ((start, end), over) in enumerate(zip(places, overs, strict=True)):
        kinds, units = {one.kind for one in over}, {one.unit for one in over}
        rows[at] += [float(kind in kinds) for kind in _AMOUNTS] + [float(unit in units) for unit in _UNITS]
        rows[at] += [float(any(one.start == start for one in over)), float(any(one.end == end for one in over))]
        up_to, since = bisect_right(money, at), bisect_left(money, at)
        before, after = money[up_to - 1] if up_to else -99, money[since] if since < len(money) else 9999
        rows[at] += [float(at - before <= n) for n in _STEPS] + [float(after - at <= n) for n in _STEPS]
    return np.array(rows, np.float32).reshape(len(places), -1)


def _over(places: Sequence[Place], amounts: Sequence[Amount]) -> list[list[Amount]]:
    """Which amounts lie over each word."""
    found: list[list[Amount]] = [[] for _ in places]
    ends = [end for _, end in places]
    for one in amounts:
        at = bisect_right(ends, one.start)
        while at < len(places) and places[at][0] < one.end:
            found[at].append(one)
            at += 1
    return found


def _written(text: str, places: Sequence[Place], at: int) -> list[float]:
    start, end = places[at]
    word, gap = text[start:end], text[places[at - 1][1] if at else 0 : start]
    behind = text[end : places[at + 1][0] if at + 1 < len(places) else len(text)]
    return [
        float(word[:1].isdigit()),
        float(word[:1].isupper()),
        float(word.isupper() and len(word) > 1),
        float(not gap and at > 0),
        float(at == 0 or text[:start].rstrip(" -*•·|>").endswith(LINE)),
        float(text[:start].replace(" ", "").endswith(2 * LINE)),
        float(behind.strip(" |")[:1] == LINE or text[end:].lstrip(" |")[:1] == LINE),
        float(bool(_SAID.search(text[max(0, start - 4) : start]))),
        float(bool(_SAID.search(text[end : end + 5]))),
        at / len(places),
        *(float(word == mark) for mark in _MARKS),
    ]


class Standings:
    """How the pieces of a message stand to its prices. Where they stand is kept in order, so that what lies between
    two of them is counted without going through all of it; ``words``: the number of the first word of each piece."""

    def __init__(self, text: str, pieces: Sequence[Piece], words: Sequence[int]) -> None:
        self._pieces, self._words = pieces, words
        self._of = {kind: [n for n, one in enumerate(pieces) if one.kind == kind] for kind in KINDS}
        self._at = {kind: np.array([words[n] for n in some], int) for kind, some in self._of.items()}
        self.prices = self._of[PRICE]
        self._starts = np.array([pieces[n].start for n in self.prices], int)
        self._until = np.array([pieces[n].end for n in self.prices], int)
        self._text, self._lines = text, np.array([at for at, sign in enumerate(text) if sign == LINE], int)
        self._ends = np.array([match.start() for match in _ENDS.finditer(text)], int)
        self._stops = np.array([sign in ".!?" for sign in text], bool)
        gaps = [text[a + 1 : b].strip(" ") for a, b in pairwise(self._lines)]
        empty = [n for n, gap in enumerate(gaps) if not gap]
        self._empty, self._emptied = self._lines[empty], self._lines[[n + 1 for n in empty]]
        self._commas = np.array([at for at, sign in enumerate(text) if sign == ","], int)

    def of(self, at: int) -> np.ndarray:
        """How the piece ``at`` stands to each price: float32, shape ``(prices, features)``."""
        one, here, prices, same = self._pieces[at], self._words[at], self._at[PRICE], self._at[self._pieces[at].kind]
        low, high = np.minimum(here, prices), np.maximum(here, prices)
        far, behind = high - low, prices > here
        first, last = np.minimum(one.end, self._until), np.maximum(one.start, self._starts)
        within = lambda places: np.searchsorted(places, last) - np.searchsorted(places, first)
        ends, lines = within(self._ends) + self._stops_at(last, first), within(self._lines)
        doubled = np.searchsorted(self._emptied, last) > np.searchsorted(self._empty, first)
        crossed, alike = _inside(prices, low, high), _inside(same, low, high)
        nearer, closer = _inside(prices, here - far, here + far), _inside(same, prices - far, prices + far)
        before, after = (prices < here).sum(), (prices > here).sum()
        order = self._of[one.kind].index(at)
        numbered = (np.arange(len(prices)) == order) & (len(same) == len(prices))
        columns = [
            *(one.kind == kind for kind in OF_OFFERS),
            *(far <= n for n in _STEPS),
            behind,
            *(crossed >= n for n in (1, 2, 3)),
            *(ends >= n for n in (1, 2, 3, 5)),
            *(lines >= n for n in (1, 2, 4)),
            doubled,
            within(self._commas) > 0,
            *(alike >= n for n in (1, 2)),
            *(nearer >= n for n in (1, 2)),
            *(closer >= n for n in (1, 2)),
            same[0] < prices[0],
            same[-1] < prices[-1],
            before == 0,
            after == 0,
            ~behind & (crossed == 0),
            behind & (crossed == 0),
            numbered,
            len(same) == 1,
            len(same) >= len(prices),
            *(len(prices) >= n for n in (2, 3, 4)),
        ]
        return np.stack([np.broadcast_to(column, len(prices)) for column in columns], axis=1).astype(np.float32)

    def _stops_at(self, last: np.ndarray, first: np.ndarray) -> np.ndarray:
        """Whether a stretch ends with a full stop behind which the sentence goes on beyond it."""
        final = np.maximum(last - 1, 0)
        return (last > first) & self._stops[final] & ~np.isin(final, self._ends)


def _inside(places: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """How many places lie between others, those not counted."""
    return np.maximum(np.searchsorted(places, high) - np.searchsorted(places, low, side="right"), 0)


@dataclass
class Pieces:
    """The network; ``weights`` by name as :mod:`tests.quotes_fit` writes them."""

    weights: Mapping[str, np.ndarray]
    marks: Sequence[str] = field(init=False)
    _turns: np.ndarray = field(init=False)  # what goes on has begun, or gone on

    def __post_init__(self) -> None:
        self.marks = self.weights["marks"].tolist()
        goes_on = lambda a, b: b[0] != "I" or a[2:] == b[2:]
        self._turns = np.array(
            [[0.0 if goes_on(a, b) else -_NEVER for b in self.marks] for a in self.marks], np.float32
        )

    def read(self, text: str, states: np.ndarray, places: Sequence[Place], amounts: Sequence[Amount]) -> list[Piece]:
        """The pieces of a message in order; ``states``: of its words, shape ``(words, 2 * dimensions)``."""
        own = self._linear("narrow", states)
        given = np.concatenate([np.maximum(own, 0), shape(text, places, amounts)], axis=1)
        found = self._passed(given)
        scores = self._linear("mark", found)
        path, odds = self._path(np.log(_softmax(scores) + 1e-9)), _softmax(scores)
        spans = spans_of([self.marks[one] for one in path])
        sure = lambda kind, a, b: float(min(sum(odds[n, self.marks.index(f"{part}-{kind}")] for part in "BI")
                                            for n in range(a, b)))  # fmt: skip
        pieces = [Piece(kind, places[a][0], places[b - 1][1], sure(kind, a, b)) for kind, a, b in spans]
        return self._linked(text, pieces, [(a, b) for _, a, b in spans], found)

    def _linked(self, text: str, pieces: list[Piece], spans: Sequence[Place], found: np.ndarray) -> list[Piece]:
        stand = Standings(text, pieces, [first for first, _ in spans])
        means = np.array([found[a:b].mean(axis=0) for a, b in spans])
        linked = []
        for at, piece in enumerate(pieces):
            of: tuple[float, ...] = ()
            if piece.kind in OF_OFFERS and piece.kind != PRICE and stand.prices:
                own = np.broadcast_to(means[at], (len(stand.prices), means.shape[1]))
                rows = np.concatenate([stand.of(at), own, means[stand.prices]], axis=1)
                hidden = np.maximum(self._linear("hidden", rows), 0)
                of = tuple(float(p) for p in _sigmoid(self._linear("link", hidden))[:, 0])
            linked.append(Piece(piece.kind, piece.start, piece.end, piece.sure, of))
        return linked

    def _passed(self, given: np.ndarray) -> np.ndarray:
        """A gated recurrent unit over the words, forward and backward at once, in the layout of PyTorch: shape
        ``(words, 2 * size)``."""
        inward = np.stack([self._linear("forward.in", given), self._linear("backward.in", given)[::-1]], axis=1)
        weight, bias = (np.stack([self.weights[f"{way}.hidden.{one}"] for way in _WAYS]) for one in ("weight", "bias"))
        size = weight.shape[2]
        state, found = np.zeros((2, size), np.float32), np.empty((len(given), 2, size), np.float32)
        for at, row in enumerate(inward):
            own = (weight @ state[:, :, None])[:, :, 0] + bias
            gates = _sigmoid(row[:, : 2 * size] + own[:, : 2 * size])
            new = np.tanh(row[:, 2 * size :] + gates[:, :size] * own[:, 2 * size :])
            state = new + gates[:, size:] * (state - new)
            found[at] = state
        return np.concatenate([found[:, 0], found[::-1, 1]], axis=1)

    def _path(self, scores: np.ndarray) -> list[int]:
        """The likeliest sequence of marks (Viterbi)."""
        best, back = scores[0], []
        for row in scores[1:]:
            ways = best[:, None] + self._turns
            back.append(ways.argmax(axis=0))
            best = ways.max(axis=0) + row
        path = [int(best.argmax())]
        for came in reversed(back):
            path.append(int(came[path[-1]]))
        return path[::-1]

    def _linear(self, name: str, given: np.ndarray) -> np.ndarray:
        return given @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"]


def spans_of(marks: Sequence[str]) -> list[tuple[str, int, int]]:
    """The kinds of pieces with the words that they begin and end with: "B-price I-price O"."""
    found: list[tuple[str, int, int]] = []
    for at, mark in enumerate(marks):
        part, _, kind = mark.partition("-")
        if part == "B" or (part == "I" and not (found and found[-1][0] == kind and found[-1][2] == at)):
            found.append((kind, at, at + 1))
        elif part == "I":
            found[-1] = (kind, found[-1][1], at + 1)
    return found


def _sigmoid(x: np.ndarray) -> np.ndarray:
    return 1 / (1 + np.exp(-x))


def _softmax(scores: np.ndarray) -> np.ndarray:
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


@lru_cache(maxsize=2)
def pieces(path: Path) -> Pieces:
    """From the file, read with the first message that has a price."""
    try:
        with np.load(path, allow_pickle=False) as file:
            return Pieces(
                {name: file[name].astype(np.float32) if file[name].dtype == np.float16 else file[name] for name in file}
            )
    except (OSError, ValueError, KeyError, BadZipFile) as error:
        raise KnowledgeError(f"{path}: cannot be read: {error}") from None
