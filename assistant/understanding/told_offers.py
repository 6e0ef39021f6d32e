"""The offers of a message as the learned reading (:mod:`.pieces`) tells them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TypeVar

from assistant.vocabulary.quantities import DAYS_PER_MONTH
from assistant.vocabulary.utterance import Quoted

from .belonging import Belonging
from .besides import OFFERED
from .ledger import Ledger
from .meaning import one_thread
from .offer_prices import MOST_PER_HOUR
from .opinion import before, opinions
from .piece_values import Said, Values, amounts_at
from .pieces import LINE, OF_OFFERS, OF_THE_JOB, OTHER, PRICE, Amount, Piece, Place, pieces
from .quantities import MONEY_OTHER
from .reading import Reading
from .templates import Quantity
from .text import ENGLISH, Text, clause_of

_LINKED, _AT_LEAST = 0.5, 0.005  # how likely a piece has to be of a price, and one that is else of none
# How likely a price has to be one of an offer, and a seller and a number of GPUs to be one.
_SURE, _SURE_PART = 0.5, {PRICE: 0.5, "seller": 0.3, "gpus": 0.5, "delivery": 0.4}
_HARDLY = 0.3  # how likely the only price has to be one of an offer where somebody is said to offer
_SURELY = 0.9  # how likely a piece has to be to tell something of the job that no wording does
_SURELY_OTHER = 0.8  # how likely a price has to be one of no offer, where a seller stands beside it
_OF_NONE = 0.1  # a number of GPUs that is less likely one of any price is the job's
_MONEY = ("money", MONEY_OTHER, "decimal", "number", "sum", "large", "size")  # what may be a price, the likeliest first
_FAR = 12  # tokens between a sum and what it is for
_ENDS = ".!?"
_KEPT = 64  # messages whose pieces are kept: each is read more than once
_PARTS = {
    "provider": "seller",
    "fabric": "network",
    "months": "term",
}  # of a quote, and the kind of piece that tells it
_TIMED = ("term", "minimum", "delivery", "extra")  # pieces of an offer that may have a time

T = TypeVar("T")


@dataclass(frozen=True)
class Told:
    """An offer with its price and the tokens of all that tells of it; ``sure``: how likely each part is what it is
    taken for, 0 to 1, and ``said`` the piece that tells it; ``unread``: what nobody could read, by part; ``proved``:
    other amounts follow from its price."""

    offer: Quoted
    price: Quantity
    tokens: frozenset[int]
    sure: Mapping[str, float]
    said: Mapping[str, Said]
    unread: Mapping[str, str]
    amounts: Sequence[Quantity] = ()
    proved: bool = False


@dataclass(frozen=True)
class Learned:
    """The ``offers``; ``unread``: prices of which nobody knows what they are for; tokens: ``job``, what tells of the
    job, ``heads``: what opens a quote, ``lines``: the sums that follow from others."""

    offers: Sequence[Told] = ()
    unread: Sequence[Quantity] = ()
    job: frozenset[int] = frozenset()
    heads: frozenset[int] = frozenset()
    lines: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Marked:
    """Tokens of offers: their prices, their times, and their GPUs."""

    priced: frozenset[int] = frozenset()
    timed: frozenset[int] = frozenset()
    counted: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Lined:
    """A message in one line, with a mark where each line ended, as it is read: in English; ``places``: of its
    tokens."""

    text: str
    places: Sequence[Place] = field(hash=False)

    def said(self, text: Text, piece: Piece) -> Said:
        """A piece with all of each of its words."""
        start = bisect_right(self.places, piece.start, key=lambda place: place[1])
        end = bisect_left(self.places, piece.end, key=lambda place: place[0])
        if start >= end:
            return Said("", "", frozenset())
        typed = text.typed(start, end)
        return Said(self.text[self.places[start][0] : self.places[end - 1][1]], typed, frozenset(range(start, end)))


class ToldOffers:
    """``path``: the file of the opinion, beside which that of the pieces lies."""

    def __init__(self, path: Path, values: Values, belonging: Belonging) -> None:
        self._path, self._values, self._belonging = str(path), values, belonging  # as it is kept with the listener

    def pieces(self, reading: Reading) -> tuple[Lined, Sequence[Piece]]:
        """The pieces of a message that has an amount of money; none without the model."""
        money = ("money", MONEY_OTHER, "decimal")
        seen = lined(reading.text)
        if not any(q.kind in money or isinstance(q.value, float) for q in reading.quantities):
            return seen, ()
        amounts = tuple(
            Amount(q.kind, q.unit, seen.places[q.start][0], seen.places[q.end - 1][1]) for q in reading.spans
        )
        found = _read(Path(self._path), seen.text, before(reading.context), amounts)
        last = max((piece.end for piece in found if piece.kind == PRICE), default=0)
        return seen, [_as_told(piece, seen.text, last) for piece in found]

    def of_job(self, reading: Reading) -> Mapping[str, Said]:
        """What surely tells of the job, by the kind of piece."""
        seen, found = self.pieces(reading)
        return {piece.kind: seen.said(reading.text, piece) for piece in found
                if piece.kind in OF_THE_JOB and piece.sure >= _SURELY}  # fmt: skip

    def marked(self, reading: Reading) -> Marked:
        """What of a message is of its offers, before anything of the job is read."""
        seen, found = self.pieces(reading)
        named = {piece.kind for piece in found} & {"seller", "network"}
        if not named or not any(piece.kind == PRICE and piece.sure >= _SURE for piece in found):
            return Marked()
        tokens = lambda kinds: frozenset(
            at
            for piece in found
            if piece.kind in kinds
            and (piece.kind == PRICE or piece.sure >= _SURE_PART.get(piece.kind, 0.0))
            and not _is_of_the_job(piece)
            for at in seen.said(reading.text, piece).tokens
        )
        timed = tokens(_TIMED)
        valid = lambda q: q.kind in ("time", "date") and self._belonging.is_validity(reading.text.tokens, q)
        times = {at for q in reading.quantities
                 if (q.kind in ("time", "date", "dates", "percent") and q.start in timed) or valid(q)
                 for at in range(q.start, q.end)}  # fmt: skip
        return Marked(tokens((PRICE,)), frozenset(times), tokens(("gpus",)))

    def read(self, reading: Reading, fabrics: Mapping[int, str], apart: Set[int]) -> Learned:
        """The offers that are told; ``fabrics``: the networks that are named, by token; ``apart``: tokens of amounts
        that are paid beside the machines."""
        seen, found = self.pieces(reading)
        book = Ledger.of(reading)
        found = _by_the_book(reading, seen, found, book)
        said = [seen.said(reading.text, piece) for piece in found]
        found = self._belonging.in_its_place(reading, found, said)
        found = self._belonging.settled(reading, self._belonging.in_its_sentence(reading, found, said), said)
        found = _of_its_seller(reading, found, said)
        offered = any(token.stem in OFFERED for token in reading.text.tokens)
        every = [n for n, piece in enumerate(found) if piece.kind == PRICE]
        if not every and offered:  # a sum that sounds like what we may spend, and hardly so
            every = [n for n, piece in enumerate(found) if piece.kind == "budget" and piece.sure < _SURE][:1]
            found = [replace(piece, of=(1.0,)) if every and piece.kind in OF_OFFERS else piece for piece in found]
            found = [replace(one, kind=PRICE, sure=_HARDLY) if n in every else one for n, one in enumerate(found)]
        asked = len(every) == 1 and (offered or bool(reading.context.fields.get("budget.quotes")))
        least = _HARDLY if asked else _SURE
        prices = [n for n in every if found[n].sure >= least and not said[n].tokens & apart]
        rivals = [every.index(n) for n in every if not said[n].tokens & apart]
        heads = self._values.heads(reading.text.tokens, [min(said[n].tokens) for n in prices])
        found = [_in_its_part(one, heads, said, n, every) for n, one in enumerate(found)]
        names = [self._names(reading, piece, one, fabrics) for piece, one in zip(found, said, strict=True)]
        parts = _shared_out(found, names, [every.index(n) for n in prices], rivals)
        told = [
            self._offer(reading, fabrics, found, said, n, every.index(n), parts[every.index(n)], book) for n in prices
        ]
        of = lambda ours: frozenset(
            at for piece, one in zip(found, said, strict=True) if ours(piece) for at in one.tokens
        )
        return Learned(
            [one for one in told if one],
            [
                amount
                for n, one in zip(prices, told, strict=True)
                if one is None and (amount := next(amounts_at(reading.quantities, said[n], _MONEY), None))
            ],
            of(_is_of_the_job),
            frozenset(at for first in heads for at in (first, first + 1)),
            frozenset(at for q in reading.spans if q.start in book.follows for at in range(q.start, q.end)),
        )  # fmt: skip

    def _names(self, reading: Reading, piece: Piece, said: Said, fabrics: Mapping[int, str]) -> bool:
        """Whether a piece names a network, or a seller, of the catalog; of the other kinds each says what it is."""
        if piece.kind == "seller":
            return any(q.kind in ("provider", "instance") and q.start in said.tokens for q in reading.named)
        if piece.kind == "term":
            return (self._values.days(reading, said) or 0.0) >= 1 or not self._values.tells(reading, "months", said)
        return piece.kind != "network" or bool(said.tokens & fabrics.keys())

    def _offer(
        self, reading: Reading, fabrics: Mapping[int, str], found: Sequence[Piece], every: Sequence[Said], price: int,
        number: int, own: Mapping[str, Sequence[int]], book: Ledger,
    ) -> Told | None:  # fmt: skip
        """The offer at a price, the ``number``-th; ``None`` where nobody knows what that is for."""
        values, said = self._values, {kind: [every[n] for n in some] for kind, some in own.items()}
        amount = next(amounts_at(reading.quantities, every[price], _MONEY), None)
        months = _first(said.get("term", ()), lambda piece: values.months(reading, piece))
        near = lambda one: max(min(one.tokens) - amount.end, amount.start - max(one.tokens), 0) if amount else 0
        far = _FAR if amount and amount.value > MOST_PER_HOUR else math.inf  # of an hour the head of a table may say it
        per = sorted((one for one in said.get("per", ()) if near(one) <= far), key=near)[:1]
        counted = said.get("gpus", ())
        share = self._belonging.less(reading, amount) if amount else 0.0
        asked = replace(amount, value=amount.value * (1 - share)) if amount else None
        priced = asked and values.price(reading, asked, per, counted, months)
        if not amount or not priced:
            return None
        proof = book.proved.get(amount.start)
        nodes = (reading.per_node(values.catalog) or 1) if amount.unit.startswith("node") else 1
        least = _first([*said.get("minimum", ()), *said.get("term", ())], lambda piece: values.least(reading, piece))
        offer = Quoted(
            _first(said.get("network", ()), lambda piece: next((fabrics[at] for at in sorted(piece.tokens)
                                                                if at in fabrics), None)),
            _first(said.get("seller", ()), lambda piece: values.seller(reading, piece)),
            gpu_hour_usd=priced.hour,
            usd=priced.usd,
            months=months or priced.months,
            delivery_days=_first(said.get("delivery", ()), lambda piece: values.days(reading, piece)),
            minimum_days=least if least and least > DAYS_PER_MONTH * (months or 0.0) else None,
            gpu=_first(said.get("gpu", ()), lambda piece: _gpu(reading, piece)),
            gpus=int(proof.count * nodes) if proof else _first(counted, lambda piece: values.gpus(reading, piece)),
            note="; ".join(filter(None, (f"{100 * share:g} % off {amount.value:,g}" if share else "", priced.note))),
        )  # fmt: skip
        whole = [*(one for some in said.values() for one in some), every[price]]
        best = {part: own[kind][0] for part, kind in _PARTS.items() if kind in own}
        told = {part: every[n] for part, n in best.items()}
        return Told(
            offer,
            amount,
            frozenset().union(*(one.tokens for one in whole)),
            {part: found[n].sure * found[n].of[number] for part, n in best.items()} | {PRICE: found[price].sure},
            told,
            {part: one.typed for part, one in told.items()
             if not getattr(offer, part) and values.tells(reading, part, one)},
            [amount, *(q for one in whole for q in amounts_at(reading.quantities, one, ("time", "date")))],
            amount.start in book.follows.values(),
        )  # fmt: skip


@lru_cache(maxsize=_KEPT)
def _read(path: Path, text: str, known: str, amounts: tuple[Amount, ...]) -> Sequence[Piece]:
    model = opinions(path)
    if model is None:
        return ()
    seen = model.words(text, known)
    with one_thread():
        return pieces(path.with_name("quotes.npz")).read(text, seen.both, seen.places, amounts)


def lined(text: Text) -> Lined:
    """A message as the network reads it: what was typed, or what that is in English."""
    if text.language == ENGLISH:
        found = list(text.original)
        for token in text.tokens:
            if token.text == LINE:
                found[token.start] = LINE
        return Lined("".join(found), [(token.start, token.end) for token in text.tokens])
    said, places = "", []
    for token in text.tokens:
        typed = text.original[token.start : token.end]
        word = typed if typed.lower() == token.text else token.text
        said += "" if token.glued else " "
        places.append((len(said), len(said) + len(word)))
        said += word
    return Lined(said, places)


def _gpu(reading: Reading, piece: Said) -> str | None:
    """The GPU of an offer, where several are named."""
    several = len({q.value for q in reading.named if q.kind == "gpu"}) > 1
    return next((q.value for q in amounts_at(reading.named, piece, ("gpu",))), None) if several else None


def _first(some: Iterable[Said], value: Callable[[Said], T | None]) -> T | None:
    return next((found for piece in some if (found := value(piece)) is not None), None)


def _by_the_book(reading: Reading, seen: Lined, found: Sequence[Piece], book: Ledger) -> list[Piece]:
    """The pieces; an amount that follows from another one is no price by itself, and what is of it is of that one."""
    money = {q.start: q for q in reading.spans if q.kind in _MONEY}
    known: dict[tuple[int, int], int | None] = {}  # which amount a piece begins with: it is asked for often

    def first(piece: Piece) -> int | None:
        at = piece.start, piece.end
        if at not in known:
            said = amounts_at(reading.quantities, seen.said(reading.text, piece), _MONEY)
            known[at] = next((q.start for q in said), None)
        return known[at]

    made = sorted(found, key=lambda piece: piece.start)
    roots = [book.root(at) if piece.kind == PRICE and (at := first(piece)) in book.follows else None for piece in made]
    there = {first(piece) for piece in made}
    for root in {root for root in roots if root is not None} - there:  # nobody took it for anything
        q = money[root]
        made.append(Piece(OTHER, seen.places[q.start][0], seen.places[q.end - 1][1], 1.0))
        roots.append(None)
    order = sorted(range(len(made)), key=lambda n: made[n].start)
    made, roots = [made[n] for n in order], [roots[n] for n in order]
    before = [n for n, piece in enumerate(made) if piece.kind == PRICE]
    own: list[int | None] = [None] * len(made)  # of each amount it is the price, else the first piece, that has it
    for n in sorted(range(len(made)), key=lambda n: made[n].kind != PRICE):
        at = first(made[n])
        own[n] = None if at in own else at
    from_others = {*roots} - {None}
    after = [n for n, root in enumerate(roots) if root is None and (made[n].kind == PRICE or own[n] in from_others)]
    told = [[k for k, m in enumerate(before) if m == n or (roots[m] is not None and roots[m] == own[n])] for n in after]
    gone = [roots[m] is not None for m in before]
    of_gone = lambda piece: piece.kind == "per" and gone[max(range(len(gone)), key=lambda k: piece.of[k])]
    return [
        replace(piece, kind=PRICE, sure=max(piece.sure if piece.kind == PRICE else _SURELY, _SURE), of=())
        if n in after
        else replace(piece, kind=OTHER, sure=1.0, of=())
        if piece.kind == PRICE
        else replace(
            piece, of=() if of_gone(piece) else tuple(max((piece.of[k] for k in some), default=0.0) for some in told)
        )
        if piece.of
        else piece
        for n, piece in enumerate(made)
    ]


def _of_its_seller(reading: Reading, found: Sequence[Piece], said: Sequence[Said]) -> list[Piece]:
    """The pieces; a price that is not surely of no offer is that of the seller in its clause, if that has no other."""
    tokens, made = reading.text.tokens, list(found)
    places = [clause_of(tokens, min(one.tokens), max(one.tokens) + 1) if one.tokens else None for one in said]
    for n, price in enumerate(found):
        inside = [place is not None and place == places[n] for place in places]
        beside = {one.kind for one, within in zip(made, inside, strict=True) if within}
        if price.kind != OTHER or price.sure >= _SURELY_OTHER or "seller" not in beside or PRICE in beside:
            continue
        at = sum(one.kind == PRICE for one in made[:n])
        for k, one in enumerate(made):
            if one.kind in OF_OFFERS and one.kind != PRICE:
                odds = [share * (not inside[k]) for share in one.of]
                made[k] = replace(one, of=(*odds[:at], float(inside[k]), *odds[at:]))
        made[n] = replace(price, kind=PRICE, sure=_SURE)
    return made


def _as_told(piece: Piece, text: str, last: int) -> Piece:
    """A piece of another kind where nothing says what it is: a time that is a sentence of its own behind the ``last``
    price is the job's, and a single letter ("A = 1.95") no GPU."""
    around = (text[: piece.start].rstrip()[-1:], text[piece.end :].lstrip()[:1])
    if piece.kind == "term" and piece.start > last and around[0] in _ENDS and around[1] in _ENDS and all(around):
        return replace(piece, kind="time", of=())
    return replace(piece, kind="seller") if piece.kind == "gpu" and piece.end == piece.start + 1 else piece


def _is_of_the_job(piece: Piece) -> bool:
    ours = piece.kind in OF_THE_JOB and piece.sure >= _SURE
    return ours or (piece.kind == "gpus" and max(piece.of, default=0.0) < _OF_NONE)


def _shared_out(
    found: Sequence[Piece], names: Sequence[bool], prices: Sequence[int], rivals: Sequence[int]
) -> dict[int, dict[str, list[int]]]:
    """The pieces of each price, by their numbers, the likeliest first, and those that name nothing (``names``) last;
    one that is likely of none goes to the likeliest that has none of its kind. ``rivals``: the prices that are not paid
    apart, whether or not they are of an offer."""
    parts: dict[int, dict[str, list[int]]] = {n: {} for n in prices}
    told = [piece.sure >= _SURE_PART.get(piece.kind, 0.0) and not _is_of_the_job(piece) for piece in found]
    # Of one there is nothing else to tell of, but for what is another's where it has its own.
    own = lambda piece, n: any(p.kind == piece.kind and p.of and p.of[n] >= _LINKED for p in found)
    theirs = lambda piece, n: piece.of[n] < _LINKED <= max(piece.of[k] for k in rivals) and own(piece, n)
    share = lambda piece, n: max(piece.of) if len(parts) == 1 and not theirs(piece, n) else piece.of[n]
    pairs = [(share(one, n), at, n) for at, one in enumerate(found) if told[at] and one.of for n in parts]
    placed: set[int] = set()
    for odds, at, n in sorted(pairs, key=lambda pair: (pair[0] < _LINKED, not names[pair[1]], -pair[0])):
        same = parts[n].get(found[at].kind, [])
        if odds >= _LINKED or (odds >= _AT_LEAST and at not in placed and (not same or names[at] > names[same[0]])):
            parts[n][found[at].kind] = [at, *same] if same and names[at] > names[same[0]] else [*same, at]
            placed.add(at)
    return parts


def _in_its_part(piece: Piece, heads: Sequence[int], said: Sequence[Said], number: int, prices: Sequence[int]) -> Piece:
    """A piece that is of no price of another quote, where each is opened by a head ("Quote B:"), and surely of the only
    price of its own."""
    of = lambda n: sum(head <= min(said[n].tokens) for head in heads)
    own = [n for n in prices if of(n) == of(number)]
    if not heads or not of(number) or not piece.of:
        return piece
    share = 1.0 if len(own) == 1 else 0.0
    return replace(piece, of=tuple(max(odds, share) * (n in own) for odds, n in zip(piece.of, prices, strict=True)))
