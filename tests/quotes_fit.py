"""Learns which words of a message with prices tell of an offer, and of which (:mod:`assistant.understanding.pieces`).

``python -m tests.quotes_fit`` learns from the labelled messages and writes ``knowledge/language/quotes.npz`` (ten
minutes of two cores, the same every time); ``--leave-out N`` leaves out every fifth message from the N-th on, says how
much of those is found, and writes nothing (``--write FILE``: there). The layers of the encoder stay as they are
(``opinion.npz``): to be done again after those were learned anew. Beside each message stand varied ones: other names,
numbers, networks and units, in small letters, on one line.
"""

from __future__ import annotations

import argparse
import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from assistant import library
from assistant.understanding import pieces as reading
from assistant.understanding.opinion import Opinions, opinions
from assistant.understanding.pieces import KINDS, OF_OFFERS, PRICE, Amount, Piece
from assistant.understanding.text import in_one_line

from . import understanding_fit as words
from .labels import labels

SETS = ("quotes_a", "quotes_b")
FILE = words.OPINION.with_name("quotes.npz")
MARKS = ("O", *(f"{part}-{kind}" for kind in KINDS for part in "BI"))
_COPIES = 4  # varied messages beside each
_NARROW, _SIZE, _HIDDEN = 96, 96, 64
_PASSES, _AT_ONCE, _RATE, _DECAY, _DROPPED = 12, 16, 2e-3, 1e-2, 0.35
_OF_LINKS = 2.0  # weight in the loss
_JOB = {"gpus": "job_gpus", "gpu": "job_gpu"}
_OTHER_SELLER, _OTHER_NUMBER, _OTHER_NETWORK, _OTHER_UNIT, _SMALL, _ONE_LINE = 0.6, 0.6, 0.3, 0.15, 0.15, 0.1
_FIRST = (
    "Nor Hal Blue Ten Gpu Kes Ost Zeph Mist Cor Sun Rack Hel Vol Bright Qua Iron North Pel Sil Deep Lat Co Ber Aur Tal"
).split()
_LAST = (
    "dlys cyon ra sor barn trel rava yr wood vid dial spire ix ta forge rry gate ican crest harbour tice balt".split()
)
_FIRM = [
    "",
    "",
    "",
    " Compute",
    " Cloud",
    " AI",
    " HPC",
    " Systems",
    " GmbH",
    " Ltd",
    " Labs",
    " IT",
    " Inc.",
    " Datacenters",
]


def made_up() -> str:
    """A name that no seller has."""
    return random.choice(_FIRST) + random.choice(_LAST) + random.choice(_FIRM)


@dataclass(frozen=True)
class Told:
    """A message with its pieces; ``of``: the prices (places among the pieces) with which each is of one offer."""

    text: str
    pieces: Sequence[Piece]
    of: Sequence[frozenset[int]]


def digest() -> str:
    """What the file says it was learned from: the messages, and the layers that the vectors of words come from."""
    return words.learned_from(words.OPINION, sets=SETS)


# -- where the pieces stand --------------------------------------------------------------------------------


def told(message: dict[str, Any]) -> Told:
    """The pieces of a labelled message at their places: of several that read alike the nearest to the price of the
    offer, and in the order of the offers."""
    text, quotes = in_one_line(message["say"]), message.get("quotes", [])
    prices: list[tuple[int, int]] = []
    for quote in quotes:
        found = [one for one in _places(text, quote[PRICE]) if one not in prices]
        later = [one for one in found if prices and one[0] > prices[-1][0]]
        prices.extend((later or found or _places(text, quote[PRICE]))[:1])
    taken: dict[tuple[str, int, int], set[tuple[int, int]]] = {(PRICE, *place): {place} for place in prices}
    for kind in OF_OFFERS:
        if kind == PRICE:
            continue
        for quote, price in zip(quotes, prices, strict=True):
            if quote.get(kind):
                alike = [n for n, one in enumerate(quotes) if one.get(kind) == quote[kind]]
                places = _places(text, quote[kind])
                if len(places) >= len(alike) > 1:
                    places = [places[alike.index(quotes.index(quote))]] if len(places) == len(alike) else places
                best = min(places, key=lambda one: _cost(text, one, price, prices, kind), default=None)
                if best is not None:
                    taken.setdefault((kind, *best), set()).add(price)
    for name, said in message.get("job", {}).items():
        free = [one for one in _places(text, said) if not any(a < one[1] and one[0] < b for _, a, b in taken)]
        if free:
            taken.setdefault((_JOB.get(name, name), *(free[-1] if name in _JOB else free[0])), set())
    for said in message.get("other_prices", []):
        for one in _places(text, said):
            if not any(a < one[1] and one[0] < b for _, a, b in taken):
                taken.setdefault(("other", *one), set())
    rank = {kind: n for n, kind in enumerate((PRICE, "seller", *OF_OFFERS, *KINDS))}
    kept: list[tuple[str, int, int]] = []
    for one in sorted(taken, key=lambda one: (rank[one[0]] if one[0] != PRICE else -1, one[1])):
        if not any(a < one[2] and one[1] < b for _, a, b in kept):
            kept.append(one)
    kept.sort(key=lambda one: one[1])
    at = {one[1:]: n for n, one in enumerate(kept) if one[0] == PRICE}
    return Told(
        text,
        [Piece(kind, start, end, 1.0) for kind, start, end in kept],
        [frozenset(at[price] for price in taken[one] if price in at) for one in kept],
    )


def _places(text: str, said: str) -> list[tuple[int, int]]:
    before = r"(?<![\d])(?<!\d[.,])" if said[:1].isdigit() else r"(?<!\w)" if said[:1].isalpha() else ""
    behind = r"(?![\d])(?![.,]\d)" if said[-1:].isdigit() else r"(?!\w)" if said[-1:].isalpha() else ""
    found = [one.span() for one in re.finditer(before + re.escape(said) + behind, text)]
    return found or [one.span() for one in re.finditer(re.escape(said), text)]


def _cost(
    text: str, place: tuple[int, int], price: tuple[int, int], prices: Sequence[tuple[int, int]], kind: str
) -> float:
    far = max(place[0] - price[1], price[0] - place[1], 0)
    low, high = min(place[1], price[1]), max(place[0], price[0])
    crossed = sum(low <= one[0] < high for one in prices if one != price)
    lines = text[low:high].count(reading.LINE) if low < high else 0
    behind = place[0] > price[0]
    return far + 60 * crossed + 10 * lines + (25 * behind if kind in ("seller", "gpu", "gpus") else -10 * behind)


# -- varied messages ---------------------------------------------------------------------------------------


class Variety:
    """The same message with other words; ``messages``: where networks and units are taken from."""

    def __init__(self, messages: Sequence[dict[str, Any]]) -> None:
        quotes = [quote for message in messages for quote in message.get("quotes", [])]
        of = lambda kind: [quote[kind] for quote in quotes if kind in quote]
        self._networks = [one for one in of("network") if len(one) < 25]
        self._units = of("per")
        known = [one.name for one in library.load().catalog.providers.values()]
        self._sellers = [*known, *of("seller"), *(made_up() for _ in range(3 * len(known)))]
        self._terms = of("term")

    def of(self, one: Told) -> Told:
        sellers = {piece.start: one.text[piece.start : piece.end] for piece in one.pieces if piece.kind == "seller"}
        renamed = {
            name: random.choice(self._sellers) for name in {*sellers.values()} if random.random() < _OTHER_SELLER
        }
        small, line = random.random() < _SMALL, random.random() < _ONE_LINE
        text, at, moved = "", 0, []
        for piece in one.pieces:
            text += self._plain(one.text[at : piece.start], line)
            own = self._other(piece.kind, one.text[piece.start : piece.end], renamed)
            moved.append(replace(piece, start=len(text), end=len(text) + len(own)))
            text, at = text + own, piece.end
        text += self._plain(one.text[at:], line)
        return Told(text.lower() if small and len(text.lower()) == len(text) else text, moved, one.of)

    @staticmethod
    def _plain(said: str, line: bool) -> str:
        return said.replace(f"{reading.LINE} ", " ") if line else said

    def _other(self, kind: str, said: str, renamed: dict[str, str]) -> str:
        if kind == "seller":
            return renamed.get(said, said)
        if kind == "network" and random.random() < _OTHER_NETWORK:
            return random.choice(self._networks)
        if kind == "per" and said[:1].isalpha() and random.random() < _OTHER_UNIT:
            return random.choice([one for one in self._units if one[:1].isalpha()])
        if kind == "term" and random.random() < _OTHER_UNIT:
            return random.choice(self._terms)
        if kind in ("network", "gpu", "job_gpu", "model") or random.random() >= _OTHER_NUMBER:
            return said
        return "".join(random.choice("123456789") if c.isdigit() and c != "0" else c for c in said)


# -- what the network sees ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A message as the network sees it: ``states`` and ``shape`` of its words, its marks, and what is linked."""

    told: Told
    places: Sequence[tuple[int, int]]
    states: torch.Tensor
    shape: torch.Tensor
    marks: torch.Tensor
    spans: Sequence[tuple[int, int, int]]  # piece, first word, end
    pairs: tuple[torch.Tensor, ...]  # as :func:`_pairs` says, each of all pairs


def amounts(text: str) -> list[Amount]:
    """What the readers say of a message, as the listener gives it to the network."""
    typed, found = words.listener().spans(text)
    place = lambda q: (typed.tokens[q.start].start, typed.tokens[q.end - 1].end)
    return [Amount(q.kind, q.unit, *place(q)) for q in found]


def row(one: Told, model: Opinions) -> Row:
    seen = model.words(one.text, "")
    marks, spans = ["O"] * len(seen.places), []
    for n, piece in enumerate(one.pieces):
        own = [at for at, (a, b) in enumerate(seen.places) if a < piece.end and piece.start < b]
        own = [at for at in own if marks[at] == "O"]
        if own:
            spans.append((n, own[0], own[-1] + 1))
            for at in own:
                marks[at] = f"{'B' if at == own[0] else 'I'}-{piece.kind}"
    return Row(
        one,
        seen.places,
        torch.from_numpy(seen.both).half(),
        torch.from_numpy(reading.shape(one.text, seen.places, amounts(one.text))),
        torch.tensor([MARKS.index(mark) for mark in marks]),
        spans,
        _columns([*_pairs(one, spans)]),
    )


def _columns(pairs: Sequence[tuple[int, int, list[float], float]]) -> tuple[torch.Tensor, ...]:
    if not pairs:
        return ()
    kinds = (torch.long, torch.long, torch.float, torch.float)
    return tuple(torch.tensor(column, dtype=kind) for column, kind in zip(zip(*pairs, strict=True), kinds, strict=True))


class Network(nn.Module):
    def __init__(self, states: int, shapes: int, betweens: int) -> None:
        super().__init__()
        self.narrow = nn.Linear(states, _NARROW)
        self.passed = nn.GRU(_NARROW + shapes, _SIZE, batch_first=True, bidirectional=True)
        self.mark = nn.Linear(2 * _SIZE, len(MARKS))
        self.hidden, self.link = nn.Linear(betweens + 4 * _SIZE, _HIDDEN), nn.Linear(_HIDDEN, 1)
        self.dropped = nn.Dropout(_DROPPED)

    def forward(self, batch: Sequence[Row]) -> tuple[torch.Tensor, torch.Tensor]:
        pad = lambda name: nn.utils.rnn.pad_sequence([getattr(one, name).float() for one in batch], batch_first=True)
        own = torch.relu(self.narrow(self.dropped(pad("states"))))
        given = torch.cat([self.dropped(own), pad("shape")], dim=2)
        lengths = torch.tensor([len(one.marks) for one in batch])
        packed = nn.utils.rnn.pack_padded_sequence(given, lengths, batch_first=True, enforce_sorted=False)
        found = nn.utils.rnn.pad_packed_sequence(self.passed(packed)[0], batch_first=True)[0]
        return self.mark(self.dropped(found)), found

    def loss(self, batch: Sequence[Row]) -> torch.Tensor:
        scores, found = self(batch)
        right = nn.utils.rnn.pad_sequence([one.marks for one in batch], batch_first=True, padding_value=-100)
        total = functional.cross_entropy(scores.flatten(0, 1), right.flatten(), reduction="sum") / len(batch)
        rows = [self._linked(one, found[n]) for n, one in enumerate(batch) if one.pairs]
        if rows:
            odds = self.link(self.dropped(torch.relu(self.hidden(torch.cat(rows)))))[:, 0]
            sure = torch.cat([one.pairs[3] for one in batch if one.pairs])
            total = total + _OF_LINKS * functional.binary_cross_entropy_with_logits(odds, sure)
        return total

    def _linked(self, one: Row, found: torch.Tensor) -> torch.Tensor:
        """How each pair stands, with the mean vector of the words of both."""
        at, price, between, _ = one.pairs
        sums = functional.pad(found.cumsum(dim=0), (0, 0, 1, 0))
        first, last = (torch.tensor([span[n] for span in one.spans]) for n in (1, 2))
        means = (sums[last] - sums[first]) / (last - first)[:, None]
        return torch.cat([between, means[at], means[price]], dim=1)


def _pairs(told: Told, spans: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, list[float], float]]:
    """Of every piece of an offer with every price: which they are, how they stand, and 1 where they are of one."""
    kept, at = [told.pieces[n] for n, _, _ in spans], [first for _, first, _ in spans]
    stand = reading.Standings(told.text, kept, at)
    for k, piece in enumerate(kept):
        if piece.kind in OF_OFFERS and piece.kind != PRICE and stand.prices:
            for price, row in zip(stand.prices, stand.of(k).tolist(), strict=True):
                linked = spans[price][0] in told.of[spans[k][0]]
                yield k, price, row, float(linked)


def learn(rows: Sequence[Row]) -> Network:
    betweens = reading.Standings("x", [Piece(PRICE, 0, 1, 1.0)], [0]).of(0).shape[1]
    network = Network(rows[0].states.shape[1], rows[0].shape.shape[1], betweens)
    optimizer = torch.optim.AdamW(network.parameters(), lr=_RATE, weight_decay=_DECAY)
    steps = _PASSES * -(-len(rows) // _AT_ONCE)
    falling = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min(1.0, (step + 1) / 40) * max(0.02, 1 - step / steps)
    )
    for n in range(_PASSES):
        losses = []
        order = sorted(random.sample(range(len(rows)), len(rows)), key=lambda k: len(rows[k].marks) // 40)
        batches = [[rows[k] for k in order[a : a + _AT_ONCE]] for a in range(0, len(order), _AT_ONCE)]
        for batch in random.sample(batches, len(batches)):
            optimizer.zero_grad()
            found = network.loss(batch)
            found.backward()
            nn.utils.clip_grad_norm_(network.parameters(), 1.0)
            optimizer.step()
            falling.step()
            losses.append(float(found.detach()))
        print(f"pass {n + 1} of {_PASSES}: {np.mean(losses):.3f}", flush=True)
    return network.eval()


def written(network: Network) -> dict[str, np.ndarray]:
    """The weights as :class:`reading.Pieces` reads them."""
    state = {name: tensor.detach().numpy().astype(np.float16) for name, tensor in network.state_dict().items()}
    found = {name: value for name, value in state.items() if not name.startswith("passed.")}
    for way, ending in (("forward", ""), ("backward", "_reverse")):
        for ours, theirs in (
            ("in.weight", "weight_ih"),
            ("in.bias", "bias_ih"),
            ("hidden.weight", "weight_hh"),
            ("hidden.bias", "bias_hh"),
        ):
            found[f"{way}.{ours}"] = state[f"passed.{theirs}_l0{ending}"]
    return found | {"marks": np.array(MARKS), "learned_from": np.array(digest())}


# -- how good it is ----------------------------------------------------------------------------------------


def right(read: reading.Pieces, rows: Sequence[Row]) -> str:
    """Of the pieces of each kind how many are found, if cut elsewhere, how many are made up, and how many of those
    are linked to the right prices."""
    found, of, made, linked, pairs = Counter(), Counter(), Counter(), Counter(), Counter()
    for one in rows:
        got = read.read(one.told.text, one.states.float().numpy(), one.places, amounts(one.told.text))
        prices = [p for p in got if p.kind == PRICE]
        same = lambda a, b: a.kind == b.kind and a.start < b.end and b.start < a.end
        for n, piece in enumerate(one.told.pieces):
            of[piece.kind] += 1
            mine = next((p for p in got if same(p, piece)), None)
            found[piece.kind] += mine is not None
            if mine and mine.of:
                theirs = {k for k, p in enumerate(prices) for m in one.told.of[n] if same(p, one.told.pieces[m])}
                pairs[piece.kind] += 1
                linked[piece.kind] += theirs == {k for k, odds in enumerate(mine.of) if odds >= 0.5}
        for p in got:
            made[p.kind] += not any(same(p, piece) for piece in one.told.pieces)
    told = lambda kind: f", {linked[kind]} of {pairs[kind]} linked" if pairs[kind] else ""
    return "\n".join(f"{kind}: {found[kind]} of {of[kind]}, {made[kind]} made up{told(kind)}" for kind in KINDS)


def main(left_out: int | None, file: Path | None) -> None:
    random.seed(0)
    torch.manual_seed(0)
    torch.set_num_threads(1)  # the same sums every time
    model = opinions(words.OPINION)
    assert model is not None, "the encoder is not installed"
    messages = [one for name in SETS for one in labels(words.MESSAGES / f"{name}.yaml")]
    held = messages[left_out::5] if left_out is not None else []
    known = [one for one in messages if one not in held]
    variety = Variety(known)
    rows = []
    for message in known:
        one = told(message)
        rows += [row(some, model) for some in (one, *(variety.of(one) for _ in range(_COPIES)))]
    print(len(rows), "messages", flush=True)
    weights = written(learn(rows))
    read = reading.Pieces(
        {name: value.astype(np.float32) if value.dtype == np.float16 else value for name, value in weights.items()}
    )
    if held:
        print(right(read, [row(told(one), model) for one in held]))
    if file or not held:
        np.savez(file or FILE, **weights)  # type: ignore[arg-type]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--leave-out", type=int)
    parser.add_argument("--write", type=Path)
    asked = parser.parse_args()
    main(asked.leave_out, asked.write)
