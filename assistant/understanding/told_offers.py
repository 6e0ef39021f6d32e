"""The offers of a message as the learned reading (:mod:`.pieces`) tells them: what every piece says, by the readers of
amounts and names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH
from assistant.vocabulary.utterance import Quoted

from .offer_message import Message
from .offer_prices import LEAST_SUM, MOST_PER_HOUR, as_quoted
from .opinion import before, opinions
from .pieces import PRICE, Amount, Piece, pieces
from .quantities import MONEY_OTHER
from .reading import Reading
from .templates import Quantity
from .text import ENGLISH, Text, cut

_LINKED, _AT_LEAST = 0.5, 0.02  # how likely a piece has to be of a price, and one that is else of none
_MONEY = ("money", MONEY_OTHER, "decimal", "number", "sum", "large", "size")  # what may be a price, the likeliest first
_KEPT = 64  # messages whose pieces are kept: each is read more than once
_TERM_DAYS = (27.0, 2000.0)
_FORMS = ("hour", "day", "week", "month", "year")
_HOURS = dict(zip(_FORMS, (1.0, 24.0, 168.0, HOURS_PER_MONTH, 12 * HOURS_PER_MONTH), strict=True))


@dataclass(frozen=True)
class Told:
    """An offer with the tokens of its price and of all that tells of it; ``sure``: how likely each part is what it is
    taken for, 0 to 1, and ``said`` what was typed for it; ``unread``: what nobody could read, by what it is."""

    offer: Quoted
    price: Quantity
    tokens: frozenset[int]
    sure: Mapping[str, float]
    said: Mapping[str, str]
    unread: Mapping[str, str]
    amounts: Sequence[Quantity] = ()


@dataclass(frozen=True)
class Learned:
    """What the learned reading says of a message: its ``offers``, the prices that are of none and those that could not
    be read (typed), and the tokens of what it tells of the job."""

    offers: Sequence[Told] = ()
    other: Sequence[Piece] = ()
    unread: Sequence[str] = ()
    job: Mapping[str, frozenset[int]] | None = None


class ToldOffers:
    """``path``: the file of the opinion, beside which that of the pieces lies; ``words``: what a price is for
    (``per_node``, ``per_gpu``, ``per_whole`` and ``per_hour`` to ``per_year``), terms in one word (``terms``), and who
    is ``nobody``."""

    def __init__(
        self, path: Path, words: Mapping[str, Any], currencies: Mapping[str, Sequence[str]], catalog: Catalog
    ) -> None:
        self._currencies = {code: frozenset(said) for code, said in currencies.items()}
        self._opinion, self._path, self._catalog = Path(path), Path(path).with_name("quotes.npz"), catalog
        self._node, self._gpu, self._whole, self._nobody, self._without, self._no_term = (
            frozenset(words[name].split())
            for name in ("per_node", "per_gpu", "per_whole", "nobody", "without", "no_term")
        )
        self._labels = frozenset(words["labels"].split())
        self._plain, self._plain_ends = frozenset(words["plain"].split()), tuple(words["plain_ends"].split())
        self._times = {one: frozenset(words[f"per_{one}"].split()) for one in _FORMS}
        self._terms = {word: float(months) for word, months in words["terms"].items()}

    def pieces(self, reading: Reading) -> list[Piece]:
        """The pieces of a message that has an amount of money; none of another language, or without the model."""
        priced = any(q.kind in ("money", MONEY_OTHER, "decimal") or isinstance(q.value, float) for q in reading.quantities)
        if not priced or reading.text.language != ENGLISH or not self._path.is_file():
            return []
        return _read(self._opinion, self._path, lined(reading.text), before(reading.context), tuple(_amounts(reading)))

    def read(self, reading: Reading, message: Message) -> Learned:
        """The offers that are told."""
        found = self.pieces(reading)
        prices = [piece for piece in found if piece.kind == PRICE]
        told, unread, parts = [], [], _shared_out(found, len(prices))
        for n, price in enumerate(prices):
            offer = self._offer(reading, message, price, n, parts[n])
            if offer:
                told.append(offer)
            else:
                unread.append(_typed(reading.text, price))
        job = {piece.kind: tokens_of(reading.text, piece) for piece in found if not piece.of and piece.kind not in (PRICE, "other")}
        return Learned(told, [one for one in found if one.kind == "other"], unread, job)

    def _offer(
        self, reading: Reading, message: Message, price: Piece, number: int, own: Mapping[str, Sequence[Piece]]
    ) -> Told | None:
        at = lambda kind: [(piece, tokens_of(reading.text, piece)) for piece in own.get(kind, ())]
        tokens = tokens_of(reading.text, price)
        amount = next(_first(reading.quantities, tokens, _MONEY), None)
        if amount is None:
            return None
        unread: dict[str, str] = {}
        said = lambda piece: _typed(reading.text, piece)
        times = [(piece, next(_first(reading.quantities, where, ("time", "date")), None)) for piece, where in at("term")]
        months = next((m for piece, q in times if (m := self._months(message, said(piece), q)) is not None), None)
        if any(q is None and self._months(message, said(piece), q) is None for piece, q in times) and not months:
            unread |= {"months": said(times[0][0])} if not self._is_none(said(times[0][0])) else {}
        priced = self._priced(reading, amount, [said(piece) for piece, _ in at("per")[:1]], at("gpus"), months)
        if priced is None:
            return None
        hour, usd, monthly, note = priced
        fabric = next((one.id for _, where in at("network") for one in message.fabrics if where & {*range(one.start, one.end)}), None)
        if fabric is None and (lost := [said(piece) for piece, _ in at("network") if not self._is_none(said(piece))]):
            unread["fabric"] = lost[0]
        delivery = next(filter(None, (next(_first(reading.quantities, where, ("time", "date")), None) for _, where in at("delivery"))), None)
        least = next(filter(None, (next(_first(reading.quantities, where, ("time",)), None) for _, where in at("minimum"))), None)
        several = len({q.value for q in reading.named if q.kind == "gpu"}) > 1
        gpu = next((q.value for _, where in at("gpu") for q in _first(reading.named, where, ("gpu",))), None) if several else None
        every = [(piece, where) for kind in own for piece, where in at(kind)]
        names = {"provider": "seller", "fabric": "network", "months": "term", "gpu": "gpu"}
        sure = {part: own[kind][0].sure * own[kind][0].of[number] for part, kind in names.items() if kind in own}
        return Told(
            Quoted(
                fabric,
                next((name for piece, where in at("seller") if (name := self._seller(reading, said(piece), where))), None),
                gpu_hour_usd=hour,
                usd=usd,
                months=months or monthly,
                delivery_days=self._days(message, delivery),
                minimum_days=float(least.value) if least and least.value > DAYS_PER_MONTH * (months or 0.0) else None,
                gpu=gpu,
                gpus=next((many for piece, where in at("gpus") if (many := self._gpus(reading, piece, where))), None),
                note=note,
            ),
            amount,
            frozenset(tokens.union(*(where for _, where in every))),
            sure | {"price": price.sure},
            {part: said(own[kind][0]) for part, kind in names.items() if kind in own},
            unread,
            [amount, *(q for _, where in every for q in _first(reading.quantities, where, ("time", "date")))],
        )

    def _seller(self, reading: Reading, said: str, where: frozenset[int]) -> str | None:
        """Who asks: a provider of the catalog, or a name as it is written; nobody where it is none."""
        for q in reading.named:
            if q.kind in ("provider", "instance") and where & {*range(q.start, q.end)}:
                return q.value if q.kind == "provider" else q.value[0]
        said = said.strip(" '\"“”-:#")
        first = cut(said)
        while first and (first[0].text in self._labels or not first[0].text.isalnum()):  # "Provider North", "'Silver'"
            said = said[first[0].end :].strip(" '\"-:#")
            first = cut(said)
        plain = not first or self._is_none(said) or (first[0].text in self._nobody and said[:1].islower())
        plain = plain or len(said) < 2 or said.isdecimal()
        plain = plain or (len(first) == 1 and (first[0].text in self._plain or first[0].text.endswith(self._plain_ends)))
        return None if plain else said

    def _months(self, message: Message, said: str, amount: Quantity | None) -> float | None:
        """The months of a term; ``None`` where it says none, or cannot be read."""
        shortest, longest = _TERM_DAYS
        if self._is_none(said):
            return None
        if amount is not None:
            days = self._days(message, amount)
            return round(days / DAYS_PER_MONTH, 1) if days is not None and shortest <= days <= longest else None
        tokens = cut(said)
        if len(tokens) == 1 and tokens[0].text.isdecimal():  # "12" in the column of the term
            return float(tokens[0].text) if 1 <= int(tokens[0].text) * DAYS_PER_MONTH <= longest else None
        return next((months for word, months in self._terms.items() if word in " ".join(token.text for token in tokens)), None)

    def _is_none(self, said: str) -> bool:
        texts = [token.text for token in cut(said)]
        return any(text in self._without | self._no_term for text in texts) or texts.count("month") > 1

    @staticmethod
    def _days(message: Message, amount: Quantity | None) -> float | None:
        if amount is None:
            return None
        return float(amount.value) if amount.kind == "time" else message.days_until(amount.value)

    def _priced(
        self, reading: Reading, amount: Quantity, per: Sequence[str], counted: Sequence[tuple[Piece, frozenset[int]]],
        months: float | None,
    ) -> tuple[float | None, float | None, float | None, str] | None:  # fmt: skip
        """The price of a GPU-hour, or the sum, in dollars, the months that a sum a month is of at least, and how it
        became so; ``None`` where it is not known what it is for."""
        thing, form = self._for_what(per)
        value, hours = float(amount.value), _HOURS.get(form or "")
        unit = amount.unit
        if form is None and thing is None and unit == "":
            form, thing = ("hour", "gpu") if value <= MOST_PER_HOUR else (None, None)
        elif form is None and thing is None:
            thing, _, form = unit.partition("-") if "-" in unit else ("whole", "", unit)
        elif value <= MOST_PER_HOUR and (form is None or (form == "month" and thing is None)):  # "a month" is of another price
            thing, form = thing if thing in ("gpu", "node") else "gpu", "hour"
        elif form == "hour" and thing is None:
            thing = "node" if unit.startswith("node") else "gpu"
        hours = _HOURS.get(form or "")
        foreign = amount.kind == MONEY_OTHER or (amount.kind != "money" and self._foreign(reading))
        quantity = replace(amount, kind=MONEY_OTHER if foreign else "money", currency=amount.currency or self._foreign(reading))
        if hours and thing in ("gpu", "node"):
            quantity = replace(quantity, value=value / hours, unit=f"{thing}-hour")
            told = as_quoted(quantity, self._catalog, reading.per_node(self._catalog) or 8)
            if told is None and quantity.kind == MONEY_OTHER:
                return None  # of a currency whose rate nobody keeps
            by = f"{told[1] if told else ''}{' and ' if told and hours != 1 else ''}{f'{hours:g} h a {form}' if hours != 1 else ''}"
            hour = float((told[0] if told else quantity).value)
            if not 0.01 < hour <= MOST_PER_HOUR:
                return None
            return hour, None, None, f"{reading.text.typed(amount.start, amount.end)} is ${hour:.6g}, at {by}" if by else ""
        told = as_quoted(replace(quantity, unit=""), self._catalog, None)
        usd, note = (float(told[0].value), told[1]) if told else (value, "")
        if foreign and told is None:
            return None
        if thing in ("gpu", "node") or usd < LEAST_SUM:
            many = next(filter(None, (self._count(reading, thing, piece, where) for piece, where in counted)), None)
            if many is None or usd < LEAST_SUM:
                return None
            return None, usd * many, None, f"{many:g} of ${usd:,.6g}"
        if hours:
            return None, usd * HOURS_PER_MONTH / hours * (months or 1.0), 1.0, note
        return None, usd, None, note

    def _foreign(self, reading: Reading) -> str:
        """The currency in which everything is told where one is named and no dollars are: of a bare number beside it."""
        words = {token.text for token in reading.text.tokens}
        named = {code for code, known in self._currencies.items() if words & known}
        return named.pop() if len(named) == 1 and "USD" not in named else ""

    def _count(self, reading: Reading, thing: str | None, piece: Piece, where: frozenset[int]) -> float | None:
        """How many of what a price is for are offered."""
        number = next(_first(reading.quantities, where, ("number",)), None)
        node = any(token.text in self._node for token in cut(reading.text.original[piece.start : piece.end + 12]))
        return float(number.value) if number and node == (thing == "node") else None

    def _gpus(self, reading: Reading, piece: Piece, where: frozenset[int]) -> int | None:
        """How many GPUs are offered."""
        nodes, gpus = self._count(reading, "node", piece, where), self._count(reading, "gpu", piece, where)
        many = nodes * (reading.per_node(self._catalog) or 8) if nodes else gpus
        return int(many) if many and many >= 1 else None

    def _for_what(self, per: Sequence[str]) -> tuple[str | None, str | None]:
        """What a price is for ("gpu", "node", "whole"), and for how long ("hour" to "year")."""
        words = {part for one in per for token in cut(one) for part in (token.text, token.stem)}
        things = (("node", self._node), ("gpu", self._gpu), ("whole", self._whole))
        thing = next((name for name, known in things if words & known), None)
        thing = thing or ("gpu" if any(word[:1] in "abhglm" and any(map(str.isdigit, word)) and word[0].isalpha() for word in words) else None)
        return thing, next((name for name in _FORMS if words & self._times[name]), None)


@lru_cache(maxsize=_KEPT)
def _read(opinion: Path, path: Path, text: str, known: str, amounts: tuple[Amount, ...]) -> list[Piece]:
    model = opinions(opinion)
    if model is None:
        return []
    seen = model.words(text, known)
    return pieces(path).read(text, seen.both, seen.places, amounts)


def lined(text: Text) -> str:
    """What was typed, with a mark where each line ended, as in one line."""
    found = list(text.original)
    for token in text.tokens:
        if token.text == ";":
            found[token.start] = ";"
    return "".join(found)


def _amounts(reading: Reading) -> Iterator[Amount]:
    tokens = reading.text.tokens
    for q in reading.spans:
        yield Amount(q.kind, q.unit, tokens[q.start].start, tokens[q.end - 1].end)


def tokens_of(text: Text, piece: Piece) -> frozenset[int]:
    return frozenset(at for at, token in enumerate(text.tokens) if token.start < piece.end and piece.start < token.end)


def _shared_out(found: Sequence[Piece], prices: int) -> list[dict[str, list[Piece]]]:
    """The pieces of each price, the likeliest first; one that is likely of none goes to the likeliest that has none of its
    kind."""
    parts: list[dict[str, list[Piece]]] = [{} for _ in range(prices)]
    pairs = [(odds, at, n) for at, piece in enumerate(found) for n, odds in enumerate(piece.of)]
    placed: set[int] = set()
    for odds, at, n in sorted(pairs, key=lambda pair: -pair[0]):
        piece = found[at]
        if odds >= _LINKED or (odds >= _AT_LEAST and at not in placed and piece.kind not in parts[n]):
            parts[n].setdefault(piece.kind, []).append(piece)
            placed.add(at)
    return parts


def _typed(text: Text, piece: Piece) -> str:
    """What was typed for the words of a piece, none of them cut."""
    own = tokens_of(text, piece)
    return text.typed(min(own), max(own) + 1) if own else text.original[piece.start : piece.end]


def _first(amounts: Sequence[Quantity], where: frozenset[int], kinds: Sequence[str]) -> Iterator[Quantity]:
    """The amounts of some kinds that stand at some tokens, the likeliest kind and the longest first."""
    own = [q for q in amounts if q.kind in kinds and where & {*range(q.start, q.end)}]
    yield from sorted(own, key=lambda q: (kinds.index(q.kind), q.start - q.end))
