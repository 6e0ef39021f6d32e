"""The offers of a message as the learned reading (:mod:`.pieces`) tells them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from assistant.vocabulary.quantities import DAYS_PER_MONTH
from assistant.vocabulary.utterance import Quoted

from .meaning import one_thread
from .offer_message import Message
from .opinion import before, opinions
from .piece_values import Said, Values, at
from .pieces import LINE, OTHER, PRICE, Amount, Piece, pieces
from .quantities import MONEY_OTHER
from .reading import Reading
from .templates import Quantity
from .text import ENGLISH, Text

_LINKED, _AT_LEAST = 0.5, 0.02  # how likely a piece has to be of a price, and one that is else of none
_MONEY = ("money", MONEY_OTHER, "decimal", "number", "sum", "large", "size")  # what may be a price, the likeliest first
_KEPT = 64  # messages whose pieces are kept: each is read more than once
_PARTS = {
    "provider": "seller",
    "fabric": "network",
    "months": "term",
}  # of a quote, and the kind of piece that tells it

T = TypeVar("T")


@dataclass(frozen=True)
class Told:
    """An offer with its price and the tokens of all that tells of it; ``sure``: how likely each part is what it is
    taken for, 0 to 1, and ``said`` the piece that tells it; ``unread``: what nobody could read, by part."""

    offer: Quoted
    price: Quantity
    tokens: frozenset[int]
    sure: Mapping[str, float]
    said: Mapping[str, Said]
    unread: Mapping[str, str]
    amounts: Sequence[Quantity] = ()


@dataclass(frozen=True)
class Learned:
    """The ``offers``, the prices of none of them (``other``), and those of which nobody knows what they are for."""

    offers: Sequence[Told] = ()
    other: Sequence[tuple[Piece, Said]] = ()
    unread: Sequence[str] = ()


class ToldOffers:
    """``path``: the file of the opinion, beside which that of the pieces lies."""

    def __init__(self, path: Path, values: Values) -> None:
        self._path, self._values = str(path), values  # as it is kept with the listener

    def pieces(self, reading: Reading) -> Sequence[Piece]:
        """The pieces of a message that has an amount of money; none of another language, or without the model."""
        money = ("money", MONEY_OTHER, "decimal")
        priced = any(q.kind in money or isinstance(q.value, float) for q in reading.quantities)
        if not priced or reading.text.language != ENGLISH:
            return ()
        return _read(Path(self._path), lined(reading.text), before(reading.context), tuple(_amounts(reading)))

    def read(self, reading: Reading, message: Message) -> Learned:
        """The offers that are told."""
        found = self.pieces(reading)
        prices = [piece for piece in found if piece.kind == PRICE]
        parts = _shared_out(found, len(prices))
        told = [self._offer(reading, message, price, n, parts[n]) for n, price in enumerate(prices)]
        return Learned(
            [one for one in told if one],
            [(one, _said(reading.text, one)) for one in found if one.kind == OTHER],
            [_said(reading.text, price).text for price, one in zip(prices, told, strict=True) if one is None],
        )

    def _offer(
        self, reading: Reading, message: Message, price: Piece, number: int, own: Mapping[str, Sequence[Piece]]
    ) -> Told | None:
        """The offer at a price, the ``number``-th; ``None`` where nobody knows what that is for."""
        values, said = self._values, {kind: [_said(reading.text, one) for one in some] for kind, some in own.items()}
        amount = next(at(reading.quantities, _said(reading.text, price), _MONEY), None)
        months = _first(said.get("term", ()), lambda piece: values.months(reading, message, piece))
        per, counted = said.get("per", ())[:1], said.get("gpus", ())
        priced = amount and values.price(reading, amount, per, counted, months)
        if not amount or not priced:
            return None
        least = _first(said.get("minimum", ()), lambda piece: values.days(reading, message, piece))
        offer = Quoted(
            _first(said.get("network", ()), lambda piece: _fabric(message, piece)),
            _first(said.get("seller", ()), lambda piece: values.seller(reading, piece)),
            gpu_hour_usd=priced.hour,
            usd=priced.usd,
            months=months or priced.months,
            delivery_days=_first(said.get("delivery", ()), lambda piece: values.days(reading, message, piece)),
            minimum_days=least if least and least > DAYS_PER_MONTH * (months or 0.0) else None,
            gpu=_first(said.get("gpu", ()), lambda piece: _gpu(reading, piece)),
            gpus=_first(counted, lambda piece: values.gpus(reading, piece)),
            note=priced.note,
        )
        every = [*(one for some in said.values() for one in some), _said(reading.text, price)]
        best = {part: own[kind][0] for part, kind in _PARTS.items() if kind in own}
        told = {part: said[kind][0] for part, kind in _PARTS.items() if kind in own}
        return Told(
            offer,
            amount,
            frozenset().union(*(one.tokens for one in every)),
            {part: one.sure * one.of[number] for part, one in best.items()} | {PRICE: price.sure},
            told,
            {part: one.text for part, one in told.items() if not (getattr(offer, part) or values.is_none(one.text))},
            [amount, *(q for one in every for q in at(reading.quantities, one, ("time", "date")))],
        )


@lru_cache(maxsize=_KEPT)
def _read(path: Path, text: str, known: str, amounts: tuple[Amount, ...]) -> Sequence[Piece]:
    model = opinions(path)
    if model is None:
        return ()
    seen = model.words(text, known)
    with one_thread():
        return pieces(path.with_name("quotes.npz")).read(text, seen.both, seen.places, amounts)


def lined(text: Text) -> str:
    """What was typed, with a mark where each line ended, as in one line."""
    found = list(text.original)
    for token in text.tokens:
        if token.text == LINE:
            found[token.start] = LINE
    return "".join(found)


def _amounts(reading: Reading) -> Iterator[Amount]:
    tokens = reading.text.tokens
    for q in reading.spans:
        yield Amount(q.kind, q.unit, tokens[q.start].start, tokens[q.end - 1].end)


def _said(text: Text, piece: Piece) -> Said:
    """A piece with all of each of its words."""
    own = frozenset(n for n, token in enumerate(text.tokens) if token.start < piece.end and piece.start < token.end)
    return Said(text.typed(min(own), max(own) + 1) if own else "", own)


def _fabric(message: Message, piece: Said) -> str | None:
    return next((one.id for one in message.fabrics if piece.tokens & {*range(one.start, one.end)}), None)


def _gpu(reading: Reading, piece: Said) -> str | None:
    """The GPU of an offer, where several are named."""
    several = len({q.value for q in reading.named if q.kind == "gpu"}) > 1
    return next((q.value for q in at(reading.named, piece, ("gpu",))), None) if several else None


def _first(some: Iterable[Said], value: Callable[[Said], T | None]) -> T | None:
    return next((found for piece in some if (found := value(piece)) is not None), None)


def _shared_out(found: Sequence[Piece], prices: int) -> list[dict[str, list[Piece]]]:
    """The pieces of each price, the likeliest first; one that is likely of none goes to the likeliest that has none of
    its kind."""
    parts: list[dict[str, list[Piece]]] = [{} for _ in range(prices)]
    pairs = [(odds, at, n) for at, piece in enumerate(found) for n, odds in enumerate(piece.of)]
    placed: set[int] = set()
    for odds, at_, n in sorted(pairs, key=lambda pair: -pair[0]):
        piece = found[at_]
        if odds >= _LINKED or (odds >= _AT_LEAST and at_ not in placed and piece.kind not in parts[n]):
            parts[n].setdefault(piece.kind, []).append(piece)
            placed.add(at_)
    return parts
