"""What a piece of an offer (:mod:`.pieces`) says, as a value: who asks, for how long, for how many, and what a price is
for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH

from .offer_message import Message
from .offer_prices import LEAST_SUM, MOST_PER_HOUR, as_quoted
from .quantities import MONEY_OTHER
from .reading import Reading
from .templates import Quantity
from .text import cut

_TERM_DAYS = (27.0, 2000.0)
_LEAST_PER_HOUR = 0.01  # dollars
_HOURS = {"hour": 1.0, "day": 24.0, "week": 168.0, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH}
_NODE = 8  # GPUs, where nobody says how many a node has
_TIMES = ("time", "date")
_MARKS = " '\"“”-:#"


@dataclass(frozen=True)
class Said:
    """A piece: what was typed for it, and its tokens."""

    text: str
    tokens: frozenset[int]


@dataclass(frozen=True)
class Price:
    """In dollars: of a GPU-hour, or in all for ``months``; ``note``: how it became so."""

    hour: float | None = None
    usd: float | None = None
    months: float | None = None
    note: str = ""


class Values:
    """``words``: what a price is for (``per_node``, ``per_gpu``, ``per_whole``, and ``per_hour`` to ``per_year``), the
    months of terms without a number (``terms``), ``no_term``, what a seller is called (``labels``), and who is
    ``nobody`` or ``plain``; ``currencies``: the words for each."""

    def __init__(self, words: Mapping[str, Any], currencies: Mapping[str, Sequence[str]], catalog: Catalog) -> None:
        self._catalog, of = catalog, lambda name: frozenset(words[name].split())
        self._things = {name: of(f"per_{name}") for name in ("node", "gpu", "whole")}
        self._times = {name: of(f"per_{name}") for name in _HOURS}
        self._none, self._labels, self._plain = of("without") | of("no_term"), of("labels"), of("plain")
        self._nobody, self._plain_ends = of("nobody"), tuple(words["plain_ends"].split())
        self._terms = {word: float(months) for word, months in words["terms"].items()}
        self._currencies = {code: frozenset(said) for code, said in currencies.items()}

    def seller(self, reading: Reading, piece: Said) -> str | None:
        """Who asks: a provider of the catalog, or a name as it is written; nobody where it is none."""
        for q in reading.named:
            if q.kind in ("provider", "instance") and piece.tokens & {*range(q.start, q.end)}:
                return q.value if q.kind == "provider" else q.value[0]
        said = piece.text.strip(_MARKS)
        words = cut(said)
        while words and (words[0].text in self._labels or not words[0].text.isalnum()):  # "Provider North", "'Silver'"
            said = said[words[0].end :].strip(_MARKS)
            words = cut(said)
        if not words or len(said) < 2 or said.isdecimal() or self.is_none(said):
            return None
        first = words[0].text
        plain = len(words) == 1 and (first in self._plain or first.endswith(self._plain_ends))
        return None if plain or (first in self._nobody and said[0].islower()) else said

    def months(self, reading: Reading, message: Message, piece: Said) -> float | None:
        """The months of a term; ``None`` where it says none, or cannot be read."""
        shortest, longest = _TERM_DAYS
        if self.is_none(piece.text):
            return None
        days = self.days(reading, message, piece)
        if days is not None:
            return round(days / DAYS_PER_MONTH, 1) if shortest <= days <= longest else None
        texts = [token.text for token in cut(piece.text)]
        if len(texts) == 1 and texts[0].isdecimal():  # "12" in the column of the term
            return float(texts[0]) if 1 <= int(texts[0]) * DAYS_PER_MONTH <= longest else None
        return next((months for word, months in self._terms.items() if word in " ".join(texts)), None)

    def is_none(self, said: str) -> bool:
        """Whether words say that there is none of it: "no commitment", "month to month"."""
        texts = [token.text for token in cut(said)]
        return not self._none.isdisjoint(texts) or texts.count("month") > 1

    @staticmethod
    def days(reading: Reading, message: Message, piece: Said) -> float | None:
        """The days that a piece names, or until the day that it names."""
        time = next(at(reading.quantities, piece, _TIMES), None)
        if time is None:
            return None
        return float(time.value) if time.kind == "time" else message.days_until(time.value)

    def gpus(self, reading: Reading, piece: Said) -> int | None:
        """How many GPUs are offered."""
        nodes, gpus = self._count(reading, "node", piece), self._count(reading, "gpu", piece)
        many = nodes * (reading.per_node(self._catalog) or _NODE) if nodes else gpus
        return int(many) if many and many >= 1 else None

    def _count(self, reading: Reading, thing: str, piece: Said) -> float | None:
        """How many of what a price is for are offered."""
        number = next(at(reading.quantities, piece, ("number",)), None)
        behind = reading.text.tokens[max(piece.tokens) + 1 : max(piece.tokens) + 2]
        words = {token.text for token in (*cut(piece.text), *behind)}
        return float(number.value) if number and bool(words & self._things["node"]) == (thing == "node") else None

    def price(
        self, reading: Reading, amount: Quantity, per: Sequence[Said], counted: Sequence[Said], months: float | None
    ) -> Price | None:
        """What an amount is the price of; ``None`` where that, or the rate of its currency, is not known."""
        thing, form = self._for_what(amount, per)
        currency = amount.currency or self._currency(reading)
        foreign = amount.kind == MONEY_OTHER or (amount.kind != "money" and bool(currency))
        quantity = replace(amount, kind=MONEY_OTHER if foreign else "money", currency=currency, unit="")
        said = reading.text.typed(amount.start, amount.end)
        if form and thing != "whole":
            return self._of_an_hour(reading, replace(quantity, unit=f"{thing}-hour"), form, said)
        told = as_quoted(quantity, self._catalog, None)
        usd, by = (
            (float(told[0].value), f"{said} is ${told[0].value:,.6g}, at {told[1]}") if told else (amount.value, "")
        )
        if (foreign and not told) or usd < LEAST_SUM:
            return None
        if thing in ("gpu", "node"):
            many = next(filter(None, (self._count(reading, thing, piece) for piece in counted)), None)
            return Price(usd=usd * many, note=f"{many:g} of ${usd:,.6g}") if many else None
        monthly = HOURS_PER_MONTH / _HOURS[form] if form else None
        return Price(usd=usd * monthly * (months or 1.0), months=1.0, note=by) if monthly else Price(usd=usd, note=by)

    def _of_an_hour(self, reading: Reading, quantity: Quantity, form: str, said: str) -> Price | None:
        hours = _HOURS[form]
        quantity = replace(quantity, value=quantity.value / hours)
        told = as_quoted(quantity, self._catalog, reading.per_node(self._catalog) or _NODE)
        if told is None and quantity.kind == MONEY_OTHER:
            return None  # a currency whose rate nobody keeps
        hour = float((told[0] if told else quantity).value)
        by = [*([told[1]] if told else []), *([f"{hours:g} h a {form}"] if hours != 1 else [])]
        note = f"{said} is ${hour:.6g}, at {' and '.join(by)}" if by else ""
        return Price(hour=hour, note=note) if _LEAST_PER_HOUR < hour <= MOST_PER_HOUR else None

    def _for_what(self, amount: Quantity, per: Sequence[Said]) -> tuple[str, str | None]:
        """What a price is for ("gpu", "node", "whole"), and for how long ("hour" to "year"): as its words say, or as
        was read beside it; else what costs so little is of a GPU and an hour."""
        words = {part for one in per for token in cut(one.text) for part in (token.text, token.stem)}
        thing = next((name for name, known in self._things.items() if words & known), None)
        thing = thing or ("gpu" if any(map(_is_of_a_gpu, words)) else None)
        form = next((name for name, known in self._times.items() if words & known), None)
        small, (of, _, time) = amount.value <= MOST_PER_HOUR, amount.unit.rpartition("-")
        if thing is None and form is None:
            as_read = time in _HOURS and (not small or amount.unit in ("gpu-hour", "node-hour"))
            thing, form = (of or None, time) if as_read else (None, None)
        if small and (form is None or (form == "month" and thing is None)):  # "a month" is that of another price
            return (thing if thing == "node" else "gpu"), "hour"
        if form == "hour" and thing is None:
            thing = of if of == "node" else "gpu"
        return thing or "whole", form

    def _currency(self, reading: Reading) -> str:
        """The currency in which everything is told, where one is named and no dollars are: that of a bare number."""
        words = {token.text for token in reading.text.tokens}
        named = {code for code, known in self._currencies.items() if words & known}
        return named.pop() if len(named) == 1 and "USD" not in named else ""


def _is_of_a_gpu(word: str) -> bool:
    """Whether a word looks like the name of a GPU: "h200"."""
    return word[:1].isalpha() and any(map(str.isdecimal, word))


def at(amounts: Sequence[Quantity], piece: Said, kinds: Sequence[str]) -> Iterator[Quantity]:
    """The amounts of some kinds that stand at a piece, the likeliest kind and the longest first."""
    own = [q for q in amounts if q.kind in kinds and piece.tokens & {*range(q.start, q.end)}]
    yield from sorted(own, key=lambda q: (kinds.index(q.kind), q.start - q.end))
