"""What a piece of an offer (:mod:`.pieces`) says, as a value: who asks, for how long, for how many, and what a price is
for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH

from .offer_prices import LEAST_SUM, MOST_PER_HOUR, as_quoted
from .quantities import MONEY_OTHER
from .reading import Reading
from .templates import Quantity
from .text import Tokens, cut

_TERM_DAYS = (27.0, 2000.0)
_FAR_BELOW = 3.0  # times below the cheapest: it is what is added to a price
_OFF_THE_LISTS = 1.5  # times the dearest, or below the cheapest, price that anybody lists: no price of that GPU
_HOURS = {"hour": 1.0, "day": 24.0, "week": 168.0, "month": HOURS_PER_MONTH, "year": 12 * HOURS_PER_MONTH}
_NODE = 8  # GPUs, where nobody says how many a node has
_TIMES = ("time", "date")
_COLON = frozenset({":"})
_OPENS = frozenset({":", "-", "=", ")", "("})  # behind "quote A"
_MARKS = " '\"“”-:#"


@dataclass(frozen=True)
class Said:
    """A piece: what is read of it, in English, what was typed for it, and its tokens."""

    text: str
    typed: str
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
        self.catalog, of = catalog, lambda name: frozenset(words[name].split())
        self._things = {name: of(f"per_{name}") for name in ("node", "gpu", "whole")}
        self._times = {name: of(f"per_{name}") for name in _HOURS}
        self._none, self._labels, self._plain = (
            of("without") | of("no_term"),
            of("labels"),
            of("plain") | of("apart") | of("points") | of("sells"),
        )
        self._papers, self._least, self._mailers = of("papers"), of("least"), of("mailers")
        self._sender = of("sender")
        self._nobody, self._plain_ends = of("nobody"), tuple(words["plain_ends"].split())
        self._terms = {word: float(months) for word, months in words["terms"].items()}
        self._listed: dict[str, list[float]] = {}  # dollars for an hour of each GPU
        for offer in (offer for one in catalog.providers.values() for offer in one.offers if offer.prices):
            self._listed.setdefault(offer.gpu, []).extend(one.price.si for one in offer.prices)
        self._currencies = {code: frozenset(said) for code, said in currencies.items()}

    def seller(self, reading: Reading, piece: Said) -> str | None:
        """Who asks: a provider of the catalog, or a name as it is written; nobody where it is none."""
        for q in reading.named:
            if q.kind in ("provider", "instance") and piece.tokens & {*range(q.start, q.end)}:
                return q.value if q.kind == "provider" else q.value[0]
        whole = said = piece.typed.strip(_MARKS)
        words = cut(said)
        label = words[0].text if words and words[0].text in self._labels else ""
        while words and (words[0].text in self._labels or not words[0].text.isalnum()):  # "Provider North", "'Silver'"
            said = said[words[0].end :].strip(_MARKS)
            words = cut(said)
        if label and (len(said) < 2 or said.isdecimal()):  # "Provider X"; "Quote 1" is the name of nobody
            return None if label in self._papers or not said else whole
        first = min(piece.tokens)
        before = reading.text.original[: reading.text.tokens[first].start]
        if before.endswith("@") or before.endswith("."):  # "dana@acme.example"
            address = said.split(".")[0]
            return None if address.lower() in self._mailers else address.title()
        if not words or said.isdecimal() or self.is_none(said):
            return None
        first = words[0].text
        plain = len(words) == 1 and (first in self._plain or first.endswith(self._plain_ends))
        speaker = said == "I"  # "I have three quotes"
        return None if plain or speaker or (first in self._nobody and said[0].islower()) else said

    def heads(self, tokens: Tokens, prices: Sequence[int]) -> list[int]:
        """Where quotes are opened ("Quote A:"), if each of several has a price and no price is outside."""
        short = lambda at: at + 2 < len(tokens) and len(tokens[at + 1].text) <= 2 and tokens[at + 2].text in _OPENS
        begins = lambda at: at == 0 or not tokens[at - 1].is_word
        sent = [at for at in tokens.places(self._sender) if begins(at) and tokens.has(_COLON, at + 1, at + 2)]
        found = sorted([*sent, *(at for at in tokens.places(self._labels) if begins(at) and short(at))])
        edges = [*found, len(tokens)]
        priced = all(any(a <= price < b for price in prices) for a, b in pairwise(edges))
        return found if len(found) > 1 and priced and all(price > found[0] for price in prices) else []

    def tells(self, reading: Reading, part: str, piece: Said) -> bool:
        """Whether words that were not understood tell something of a part of an offer: a time, or a name."""
        if self.is_none(piece.text) or (part == "months" and self.least(reading, piece) is not None):
            return False
        written = any(letter.isdigit() or (part == "fabric" and letter.isupper()) for letter in piece.typed)
        return part != "provider" and written

    def months(self, reading: Reading, piece: Said) -> float | None:
        """The months of a term; ``None`` where it says none, or cannot be read."""
        shortest, longest = _TERM_DAYS
        if self.is_none(piece.text):
            return None
        days = self.days(reading, piece)
        if days is not None:
            if self.least(reading, piece) is not None:
                return None
            return round(days / DAYS_PER_MONTH, 1) if shortest <= days <= longest else None
        texts = [token.text for token in cut(piece.text)]
        if len(texts) == 1 and texts[0].isdecimal():  # "12" in the column of the term
            return float(texts[0]) if 1 <= int(texts[0]) * DAYS_PER_MONTH <= longest else None
        return next((months for word, months in self._terms.items() if word in " ".join(texts)), None)

    def least(self, reading: Reading, piece: Said) -> float | None:
        """The days that are paid for at least, where a piece says so, or is too short for a term."""
        days = self.days(reading, piece)
        least = not self._least.isdisjoint(token.text for token in cut(piece.text))
        return days if days is not None and days >= 1 and (least or days < _TERM_DAYS[0]) else None

    def is_none(self, said: str) -> bool:
        """Whether words say that there is none of it: "no commitment", "month to month"."""
        texts = [token.text for token in cut(said)]
        return not self._none.isdisjoint(texts) or texts.count("month") > 1

    @staticmethod
    def days(reading: Reading, piece: Said) -> float | None:
        """The days that a piece names, or until the day that it names."""
        time = next(amounts_at(reading.quantities, piece, _TIMES), None)
        if time is None or (time.start - 1 in piece.tokens and reading.text.tokens[time.start - 1].is_number):
            return None  # "500 a month" is so much of each month, and no time
        return float(time.value) if time.kind == "time" else float(max(0, (time.value - reading.today).days))

    def gpus(self, reading: Reading, piece: Said) -> int | None:
        """How many GPUs are offered."""
        nodes, gpus = self._count(reading, "node", piece), self._count(reading, "gpu", piece)
        many = nodes * (reading.per_node(self.catalog) or _NODE) if nodes else gpus
        return int(many) if many and many >= 1 else None

    def _count(self, reading: Reading, thing: str, piece: Said) -> float | None:
        """How many of what a price is for are offered."""
        number = next(amounts_at(reading.quantities, piece, ("number",)), None)
        end = max(piece.tokens) + 1
        end = next((q.end for q in reading.named if q.kind == "gpu" and q.start == end), end)  # "two H100 nodes"
        behind = [one for one in reading.text.tokens[max(piece.tokens) + 1 : end + 2] if one.is_word]  # "32 x HGX B200"
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
            own = {part for one in per for token in cut(one.text) for part in (token.text, token.stem)}
            of_gpus = not own.isdisjoint(self._things["gpu"])
            return self._of_an_hour(reading, replace(quantity, unit=f"{thing}-hour"), form, said, said_of_gpus=of_gpus)
        told = as_quoted(quantity, self.catalog, None)
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

    def _of_an_hour(
        self, reading: Reading, quantity: Quantity, form: str, said: str, *, said_of_gpus: bool
    ) -> Price | None:
        hours, per_node = _HOURS[form], reading.per_node(self.catalog) or _NODE
        quantity = replace(quantity, value=quantity.value / hours)
        told = as_quoted(quantity, self.catalog, per_node)
        if told is None and quantity.kind == MONEY_OTHER:
            return None  # a currency whose rate nobody keeps
        hour = float((told[0] if told else quantity).value)
        by = [*([told[1]] if told else []), *([f"{hours:g} h a {form}"] if hours != 1 else [])]
        if not self._is_let(reading, hour):
            if not said_of_gpus and quantity.unit != "node-hour" and self._is_let(reading, hour / per_node):
                hour, by = float(f"{hour / per_node:.6g}"), [*by, f"{per_node} GPUs a node"]
            elif not said_of_gpus or hour > MOST_PER_HOUR or hour < min(self._lists(reading)) / _FAR_BELOW:
                return None
        note = f"{said} is ${hour:.6g}, at {' and '.join(by)}" if by else ""
        return Price(hour=hour, note=note)

    def _is_let(self, reading: Reading, hour: float) -> bool:
        """Whether one of the GPUs that a message names, or any where it names none, is let for about so many dollars an
        hour."""
        listed = self._lists(reading)
        return min(listed) / _OFF_THE_LISTS <= hour <= max(listed) * _OFF_THE_LISTS

    def _lists(self, reading: Reading) -> list[float]:
        named = {q.value for q in reading.named if q.kind == "gpu"} & self._listed.keys()
        return [usd for gpu in named or self._listed for usd in self._listed[gpu]]

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
        elif form is None and of == thing and time in _HOURS:
            form = time
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


def amounts_at(amounts: Sequence[Quantity], piece: Said, kinds: Sequence[str]) -> Iterator[Quantity]:
    """The amounts of some kinds that stand at a piece, the likeliest kind and the longest first."""
    first, last = min(piece.tokens, default=0), max(piece.tokens, default=-1)
    near = (q for q in amounts if q.start <= last and first < q.end and q.kind in kinds)
    own = [q for q in near if not piece.tokens.isdisjoint(range(q.start, q.end))]
    yield from sorted(own, key=lambda q: (kinds.index(q.kind), q.start - q.end))
