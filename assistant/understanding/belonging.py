"""What of the pieces of offers (:mod:`.pieces`) is of which price by what stands beside it, whatever the network takes
for likely: a price on demand has no term, a discount no time, an offer ends on the day until which it is valid, the
price of a line is no offer, and what a seller's own sentence asks is his."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import Any

from .offer_prices import hourly, is_rate
from .piece_values import Said, amounts_at
from .pieces import LINE, OF_OFFERS, OTHER, PRICE, Piece
from .quantities import MONEY_OTHER
from .reading import Reading
from .templates import Quantity
from .text import Tokens, clause_of, cut, sentences

_MONEY = ("money", MONEY_OTHER)
_TIMED = frozenset({"term", "minimum", "delivery", "extra", "time"})
_MARK = 4  # words that a comma parts as well as
_PARTS = frozenset({",", "or", "and"})
_PRICES = ("money", MONEY_OTHER, "decimal", "number")
_STRONG = frozenset(";.!?")
_SOFT = frozenset({"budget", OTHER, PRICE})
_SURELY_NOT = 0.8  # how likely an amount has to be none of an offer, where a seller stands beside it
_SURE = 0.5
_BEHIND = 2  # tokens between a price and the share that is taken off
_LASTING = frozenset({"term", "minimum"})
_SEVERAL = 2
_BESIDE = 0.9  # how likely a term is one beside the only price of its clause, and
_NAMED = 0.9  # where it is called a term, or the least


class Belonging:
    """``words``: ``on_demand`` (a price with these has no term), ``valid`` (until a day), ``less`` (before a share
    that is taken off a price) and ``reduced`` (a time beside these is a condition)."""

    def __init__(self, words: Mapping[str, Any]) -> None:
        self._term, self._there = frozenset(words["terms_said"].split()), frozenset(words["there"].split())
        self._less = frozenset(words["less"].split())
        self._on_demand = [tuple(t.text for t in cut(said)) for said in words["on_demand"]]
        self._valid, self._reduced, self._least, self._ours = (
            frozenset(words[name].split()) for name in ("valid", "reduced", "least", "ours")
        )

    def settled(self, reading: Reading, found: Sequence[Piece], said: Sequence[Said]) -> list[Piece]:
        """The pieces, as surely of a price or of none as what stands beside them says."""
        made = [self._timed(reading, piece, one) for piece, one in zip(found, said, strict=True)]
        return self._without_terms(reading, made, said)

    def is_validity(self, tokens: Tokens, time: Quantity) -> bool:
        """Whether a time is that until which an offer stands: "valid until 20 December", "good for 30 days"."""
        return tokens.has(self._valid, clause_of(tokens, time.start, time.end)[0], time.start)

    def less(self, reading: Reading, price: Quantity) -> float:
        """The share that is taken off a price behind it: "$10.60 minus 45 %"."""
        behind = [
            q
            for q in reading.quantities
            if q.kind == "percent" and 0 < q.start - price.end <= _BEHIND and q.value < 100
        ]
        taken = (q.value / 100 for q in behind if reading.text.tokens.has(self._less, price.end, q.start))
        return next(taken, 0.0)

    def _timed(self, reading: Reading, piece: Piece, said: Said) -> Piece:
        """A piece that is of no offer, where its time is that of a discount, or the last day of the offer."""
        tokens = reading.text.tokens
        time = next(amounts_at(reading.quantities, said, ("time", "date")), None) if piece.kind in _TIMED else None
        if time is None:
            return piece
        first, last = clause_of(tokens, time.start, time.end)
        shares = any(q.kind == "percent" and first <= q.start < last for q in reading.quantities)
        reduced = piece.kind == "term" and shares and tokens.has(self._reduced, first, last)
        if reduced or self.is_validity(tokens, time):
            return replace(piece, of=())
        if piece.kind in _LASTING and tokens.has(self._ours, first, last):
            return replace(piece, kind="time", of=())  # "at most 50 days"
        lasts, there = tokens.has(self._term | self._least, first, last), tokens.has(self._there, first, last)
        if piece.kind in _LASTING | {"delivery"} and lasts != there:  # "3 month term", "delivery 6 weeks"
            kind = "delivery" if there else "term" if piece.kind == "delivery" else piece.kind
            piece = replace(piece, kind=kind)
        named = piece.kind in _LASTING and tokens.has(self._term | self._least, min(said.tokens), max(said.tokens) + 1)
        return replace(piece, sure=max(piece.sure, _NAMED)) if named else piece

    def _without_terms(self, reading: Reading, found: list[Piece], said: Sequence[Said]) -> list[Piece]:
        """The pieces; no term is of a price that is said to be on demand."""
        tokens = reading.text.tokens
        prices = [n for n, piece in enumerate(found) if piece.kind == PRICE and said[n].tokens]
        amounts = {n: next(amounts_at(reading.quantities, said[n], _PRICES), None) for n in prices}
        places = {n: (q.start, q.end) if q else (min(said[n].tokens), max(said[n].tokens) + 1)
                  for n, q in amounts.items()}  # fmt: skip
        bare = {n for phrase in self._on_demand for at in tokens.phrases(phrase, 0, len(tokens))
                for n in [_nearest(tokens, at, at + len(phrase), places)] if n is not None}  # fmt: skip
        if not bare:
            return found
        free = [n in bare for n in prices]
        return [replace(one, of=tuple(0.0 if none else odds for odds, none in zip(one.of, free, strict=True)))
                if one.kind == "term" and len(one.of) == len(free) else one for one in found]  # fmt: skip

    def in_its_place(self, reading: Reading, found: Sequence[Piece], said: Sequence[Said]) -> list[Piece]:
        """The pieces; a term beside the only price of its clause, sentence, line or paragraph is surely of that, but
        for one that stands above all prices and is said of nobody, or of all of them."""
        tokens, made = reading.text.tokens, list(found)
        at = lambda n: min(said[n].tokens, default=-1)
        prices = [n for n, one in enumerate(found) if one.kind == PRICE]
        sellers = [at(n) for n, one in enumerate(found) if one.kind == "seller" and one.sure >= _SURE]
        lines = list(sentences(tokens))
        blank = [k for k in range(1, len(tokens)) if tokens[k].text == tokens[k - 1].text == LINE]
        for n, one in enumerate(found):
            if one.kind not in _LASTING or not one.of or len(prices) < _SEVERAL:
                continue
            line = next(((a, b) for a, b in lines if a <= at(n) < b), (0, 0))
            told = any(line[0] <= place < at(n) for place in sellers)
            closes = at(n) > max(map(at, prices)) and all(line[0] <= at(m) for m in prices)  # of all, or of the last
            of_all = not told or min(one.of) >= _BESIDE
            if closes or (at(n) < min(map(at, prices)) and of_all):
                continue
            above = max((end for end in blank if end <= at(n)), default=0)
            block = (above, min((end for end in blank if end > at(n)), default=len(tokens)))
            for first, last in (clause_of(tokens, at(n), at(n) + 1), line, block):
                inside = [first <= at(m) < last for m in prices]
                if sum(inside) == 1:
                    made[n] = replace(one, of=tuple(map(float, inside)), sure=max(one.sure, _BESIDE))
                    break
        return made

    def in_its_sentence(self, reading: Reading, found: Sequence[Piece], said: Sequence[Said]) -> list[Piece]:
        """The pieces; the one amount in a sentence with a seller that may be a price, and is surely nothing else, is
        his, and of what he names nothing else is."""
        made = list(found)
        for first, last in sentences(reading.text.tokens):
            inside = {n for n, one in enumerate(said) if one.tokens and first <= min(one.tokens) < last}
            money = [n for n in inside if found[n].kind in _SOFT]
            sells = any(found[n].kind == "seller" and found[n].sure >= _SURE for n in inside)
            may_be = [n for n in money if found[n].kind == PRICE or found[n].sure < _SURELY_NOT]
            if len(money) == len(may_be) == 1 and sells and _asked(reading, said[money[0]]):
                made = _as_price(made, money[0], inside)
        return made


def _asked(reading: Reading, said: Said) -> bool:
    """Whether an amount is one that a seller may ask for machines."""
    amount = next(amounts_at(reading.quantities, said, _MONEY), None)
    return amount is not None and (is_rate(amount) or hourly(amount))


def _as_price(found: list[Piece], at: int, inside: Set[int]) -> list[Piece]:
    """The pieces with that one as a price; those ``inside`` its sentence are of it alone."""
    price, made = found[at], list(found)
    before = sum(one.kind == PRICE for one in found[:at])
    known = price.kind == PRICE
    none = not known and not any(one.kind == PRICE for one in found)
    for n in inside if known else range(len(found)):  # beside a price that is new each of the others has one more
        one = found[n]
        if one.kind in OF_OFFERS and one.kind != PRICE and (one.of or none):
            odds = [0.0] * len(one.of) if n in inside else [*one.of]
            rest = odds[before + known :]
            made[n] = replace(one, of=(*odds[:before], float(n in inside), *rest))
    made[at] = replace(price, kind=PRICE, of=(), sure=max(price.sure, _SURE) if known else _SURE)
    return made


def _nearest(tokens: Tokens, first: int, last: int, prices: Mapping[int, tuple[int, int]]) -> int | None:
    """The price that stands nearest some words in their sentence, where a comma, or an "or", parts as much as some
    words do."""
    far: list[tuple[int, int]] = []
    for n, (begins, ends) in prices.items():
        texts = [tokens[at].text for at in (range(last, begins) if begins >= last else range(ends, first))]
        if not _STRONG.intersection(texts):
            far.append((len(texts) + _MARK * sum(text in _PARTS for text in texts), n))
    return min(far)[1] if far else None
