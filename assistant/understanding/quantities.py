"""Amounts with their units: times, rates, money with currency and period, percentages, powers, dates."""

from __future__ import annotations

import datetime
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .numbers import DOTTED, NumberWords
from .templates import Compiler, Matcher, Quantity, Source, TemplateError
from .text import Token, cut, stem

_LONGEST_UNIT = 4  # tokens
MONEY_OTHER = "money-other"  # money in another currency than dollars: it is asked about, never converted in silence
_UNMEASURED = frozenset({"number", "size", "sum", "large", "decimal"})
_ARTICLE = "a"
_LEAST_SUM = 1000  # a number that may be a sum of money without saying so
_LEAST_A_MONTH = 100  # one that is told by the month
_OF_MACHINES = ("gpu-hour", "node-hour", "gpu-month", "node-month")
_LONGEST_PERIOD = 8  # tokens of "per node and month:"


@dataclass(frozen=True)
class Units:
    """``units.yaml`` and ``dates.yaml``, compiled."""

    by_words: dict[tuple[str, ...], list[tuple[str, float]]]
    currencies: dict[tuple[str, ...], str]
    cents: frozenset[str]
    per: Matcher
    leading: Matcher
    counted: frozenset[str]
    named_rates: dict[tuple[str, ...], float]  # Gb/s of names without a number
    no_rate_behind: frozenset[str]
    shares: dict[str, float]
    parts: dict[tuple[str, ...], float]
    months: dict[str, int]
    weekdays: dict[str, int]
    feasts: dict[tuple[str, ...], tuple[int, int]]
    easter: dict[tuple[str, ...], int]  # days behind Easter Sunday

    @classmethod
    def of(cls, units: dict[str, Any], dates: dict[str, Any], numbers: dict[str, Any], compiler: Compiler) -> Units:
        words: dict[tuple[str, ...], list[tuple[str, float]]] = defaultdict(list)
        for dimension in ("time", "rate", "power", "memory", "length", "percent"):
            for names, factor in units[dimension].items():
                for name in names.split("|"):
                    words[_texts(name)].append((dimension, float(factor)))
        of_templates = lambda some: Matcher(compiler, [(period, t) for period, said in some.items() for t in said])
        return cls(
            dict(words),
            {_texts(name): code for code, names in units["currency"].items() for name in names},
            frozenset(units["cents"]),
            of_templates(units["per"]),
            of_templates(units["leading"]),
            frozenset(stem(word) for word in units["counted"].split()),
            {_texts(name): float(gbps) for names, gbps in units["named_rates"].items() for name in names.split("|")},
            frozenset(units["no_rate_behind"]),
            units["shares"],
            {_texts(part): float(value) for part, value in numbers["parts"].items()},
            {name: month for month, names in enumerate(dates["months"], start=1) for name in names},
            {name: day for day, names in enumerate(dates["weekdays"]) for name in names},
            {_texts(name): (month, day) for name, (month, day) in dates["feasts"].items()},
            {_texts(name): int(days) for name, days in dates["easter"].items()},
        )


def _texts(words: str) -> tuple[str, ...]:
    return tuple(token.text for token in cut(words))


def amounts(tokens: Sequence[Token], numbers: Iterable[Quantity], units: Units) -> list[Quantity]:
    """Every number with a unit behind it or a currency in front of it; one may be read as several amounts."""
    source = Source(tokens, {})
    found: list[Quantity] = []
    numbers = list(numbers)
    cents = {q.start: q for q in numbers if 0 < q.value < 100}
    texts = [token.text for token in tokens]
    named = (units.currencies.get(tuple(texts[at : at + size]), "USD") for at in range(len(texts)) for size in (1, 2))
    of_cents = next((code for code in named if code != "USD"), "USD")  # beside euros a cent or a grand is of them
    for number in (*numbers, *_ones(tokens, units)):
        money = _money(source, number, cents, of_cents, units)
        if number.unit == _ARTICLE:
            found += [money] if money and (money.unit or money.value != 1) else []
            continue
        found += [money] if money else _measured(tokens, number, units)
    parts = _parts(tokens, units)
    inside = {at for part in parts for at in range(part.start, part.end)}  # "half a gigabit"
    named = [rate for rate in _named_rates(tokens, numbers, units) if rate.start not in inside]
    return found + named + parts + _shares(tokens, numbers, units)


def _named_rates(tokens: Sequence[Token], numbers: Iterable[Quantity], units: Units) -> list[Quantity]:
    """ "Gigabit Ethernet", "GbE": a rate by its name, where no number says how many of it."""
    counted = {q.end for q in numbers if q.unit != _ARTICLE}
    found: list[Quantity] = []
    for at in range(len(tokens)):
        before = at - (tokens[at - 1].text == "-") if at else 0
        apart = before not in counted and not (before and tokens[before - 1].text in units.no_rate_behind)
        for size in range(_LONGEST_UNIT, 0, -1) if apart and not (found and at < found[-1].end) else ():
            name = tuple(t.text for t in tokens[at : at + size])
            if len(name) == size and name in units.named_rates and not _runs_on(tokens, at + size):
                found.append(Quantity("rate", units.named_rates[name], at, at + size, " ".join(name)))
                break
    return found


def _ones(tokens: Sequence[Token], units: Units) -> list[Quantity]:
    """The article of "a dollar ninety five", "a dollar per GPU hour"."""
    pairs = (at for at in range(len(tokens) - 1) if tokens[at].text == "a" and tokens[at + 1].is_word)
    return [Quantity("number", 1, at, at + 1, _ARTICLE) for at in pairs if _currency_after(tokens, at + 1, units)]


def _shares(tokens: Sequence[Token], numbers: Sequence[Quantity], units: Units) -> list[Quantity]:
    """ "A tenth", "two thirds", "three in five", in percent."""
    texts = [t.text for t in tokens]
    pairs = ((at, units.shares.get(texts[at + 1])) for at in range(len(texts) - 1) if texts[at] in ("a", "an", "one"))
    found = [Quantity("share", share, at, at + 2) for at, share in pairs if share and texts[max(at - 1, 0)] != "and"]
    halves = (at for at in range(len(texts) - 1) if texts[at] == "half" and texts[at + 1] in ("is", "are", "of"))
    found += [Quantity("share", units.shares["half"], at, at + 1) for at in halves]
    starts = {q.start: q for q in numbers}
    for number in numbers:
        one = units.shares.get(texts[number.end].removesuffix("s"), 0.0) if number.end < len(texts) else 0.0
        if one and number.value > 1 and number.value * one < _WHOLE:  # "two thirds"
            found.append(Quantity("share", _round(round(number.value * one, 3)), number.start, number.end + 1))
        joint = next((joint for joint in _OUT_OF if tuple(texts[number.end : number.end + len(joint)]) == joint), ())
        of = starts.get(number.end + len(joint)) if joint else None
        if of and 0 < number.value < of.value <= _MOST_OF["of" in joint]:  # "three in five"
            found.append(Quantity("share", _round(_WHOLE * number.value / of.value), number.start, of.end))
    return found


_WHOLE = 100  # percent
_OUT_OF, _MOST_OF = (("out", "of"), ("in", "every"), ("in",)), (10, 100)


def ranges(tokens: Sequence[Token], numbers: Sequence[Quantity], amounts: Iterable[Quantity]) -> list[Quantity]:
    """The amounts; those that are the high end of a range, as in "between 5 and 7 weeks", with the low end too.

    Bare numbers stand there as they are besides: "64-128 GPUs" and "2 to 4 nodes" are asked about as counts.
    """
    ends, starts = {q.end: q for q in numbers}, {q.start: q for q in numbers}
    found: list[Quantity] = []
    for amount in amounts:
        low, high = ends.get(amount.start - 1), starts.get(amount.start)
        least = _low_end(low, high) if low and high else None
        measured = isinstance(amount.value, (int, float))  # no date: "from 12 to 14 May"
        if low and high and least and measured and _joins(tokens, low, high.start - 1):
            start = low.start - (tokens[high.start - 1].text == "and")  # with its "between"
            found += [amount] if amount.kind == "number" else []
            amount = replace(amount, start=start, low=_round(least * amount.value / high.value))
        found.append(amount)
    inside = {at for q in found if q.low is not None and q.kind not in _UNMEASURED for at in range(q.start, q.end)}
    return [q for q in found if q.kind != "number" or q.start not in inside]


def carried(tokens: Sequence[Token], numbers: Sequence[Quantity], measured: Iterable[Quantity]) -> list[Quantity]:
    """Bare numbers that are times in the unit of the one before them: "the eight weeks become four"."""
    starts, found = {q.start: q for q in numbers}, []
    for amount in measured:
        own, other = starts.get(amount.start), starts.get(amount.end + 1)
        if amount.kind != "time" or own is None or other is None or not own.value:
            continue
        last = other.end == len(tokens) or not tokens[other.end].text[0].isalnum()
        if last and tokens[amount.end].text in _BECOMES:
            value = _round(amount.value * other.value / own.value)
            found.append(replace(amount, value=value, start=other.start, end=other.end))
    return found


_BECOMES = frozenset("become becomes became to into are is were was".split())


def _low_end(low: Quantity, high: Quantity) -> float | None:
    """The lower of two numbers of a range, in the magnitude of the other: "2 to 3 million", "200 to 300k"."""
    if not 0 < low.value < high.value:
        return None
    if low.unit in ("", "word") and high.unit:
        return low.value * 1000 ** int(math.log(high.value / low.value, 1000) + 1e-9)
    return low.value if low.unit == high.unit else None


def _joins(tokens: Sequence[Token], low: Quantity, at: int) -> bool:
    """Whether the word at ``at`` makes a range of what stands on both sides of it."""
    before, joint = tokens[low.start - 1].text if low.start else "", tokens[at]
    if joint.text == "and":
        return before == "between"
    if joint.text == "-":
        return joint.glued and tokens[at + 1].glued
    return joint.text in ("to", "or") and before != "from"


def unmeasured(
    tokens: Sequence[Token], numbers: Sequence[Quantity], measured: Iterable[Quantity], units: Units
) -> list[Quantity]:
    """Numbers without a unit that may be money all the same: ``sum`` for what is large (its unit: what it is for),
    ``decimal``."""
    begun, source, found = {q.start for q in measured}, Source(tokens, {}), []
    for number in numbers:
        following = tokens[number.end].stem if number.end < len(tokens) else ""
        if number.start in begun or following in units.counted:
            continue
        period, end = _period(source, number.end, units)
        if number.value >= _LEAST_SUM or (period == "month" and number.value >= _LEAST_A_MONTH):
            found.append(Quantity("sum", number.value, number.start, end, period))
            if _is_large(number, tokens):
                found.append(Quantity("large", number.value, number.start, end, period))
        elif number.value != int(number.value):
            found.append(Quantity("decimal", number.value, number.start, end, period))
    return found


def _measured(tokens: Sequence[Token], number: Quantity, units: Units) -> list[Quantity]:
    start = number.end + (1 if number.end < len(tokens) and tokens[number.end].text == "-" else 0)
    for size in range(_LONGEST_UNIT, 0, -1):
        name = tuple(t.text for t in tokens[start : start + size])
        if len(name) == size and name in units.by_words and not _runs_on(tokens, start + size):
            glued = tokens[start].glued
            whole = replace(number, end=start + size, unit=" ".join(name))
            return [
                _and_a_half(replace(whole, kind=dimension, value=_round(number.value * factor)), factor, tokens)
                for dimension, factor in units.by_words[name]
                if glued or len(name[0]) > 1 or name[0] == "%" or _apart(tokens, start)
            ]
    return []


def _is_large(number: Quantity, tokens: Sequence[Token]) -> bool:
    """Whether a number is written as money is: thousands or millions, and no power of two as lengths and batches
    are."""
    thousands = int(number.value) // 1000
    written = number.unit in ("k", "m", "thousand", "million", "mio", "mn", "word") or "," in tokens[number.start].text
    return written and thousands >= 20 and thousands & (thousands - 1) != 0


def _apart(tokens: Sequence[Token], at: int) -> bool:
    """ "2 s", "48 h": a letter that stands apart is a unit of time, where no name goes on behind it as in "8 H 100"."""
    return tokens[at].text in ("s", "h") and not (at + 1 < len(tokens) and tokens[at + 1].is_number)


def _runs_on(tokens: Sequence[Token], at: int) -> bool:
    """Whether a unit would be the beginning of something longer: the "g" of "4gpu5"."""
    return at < len(tokens) and tokens[at].glued and (tokens[at].is_number or tokens[at].is_word)


def _parts(tokens: Sequence[Token], units: Units) -> list[Quantity]:
    """ "A week", "half a megawatt", "a second and a half": a word that counts a unit and nothing else."""
    found = []
    for at in range(len(tokens)):
        for size in range(4, 0, -1):
            words = tuple(t.text for t in tokens[at : at + size])
            part = units.parts.get(words)
            unit = tokens[at + size].text if at + size < len(tokens) else ""
            for dimension, factor in units.by_words.get((unit,), ()) if part and len(unit) > 2 else ():
                if part and (dimension == "time" or (dimension in _OF_PARTS and words not in _ARTICLES)):
                    amount = Quantity(dimension, _round(part * factor), at, at + size + 1, f"a {unit}")
                    found.append(_and_a_half(amount, factor, tokens))
    return found


_OF_PARTS, _ARTICLES = ("rate", "power"), (("a",), ("an",))


def _and_a_half(amount: Quantity, one: float, tokens: Sequence[Token]) -> Quantity:
    """ "A second and a half", "two months and half"; ``one``: of the unit."""
    behind = tuple(t.text for t in tokens[amount.end : amount.end + 3])
    size = 3 if behind == ("and", "a", "half") else 2 if behind[:2] == ("and", "half") else 0
    return replace(amount, value=_round(amount.value + one / 2), end=amount.end + size) if size else amount


def _money(
    source: Source, number: Quantity, cents: Mapping[int, Quantity], of_cents: str, units: Units
) -> Quantity | None:
    """Money, with what it is for as its unit: ``""`` for a sum, else ``gpu-hour``, ``month``, ``kwh``, …"""
    tokens = source.tokens
    before, after = _currency_before(tokens, number.start, units), _currency_after(tokens, number.end, units)
    code, start, end, value = None, number.start, number.end, number.value
    if before is not None:
        code, start = before
    elif after is not None:
        code, end = after
    elif number.end < len(tokens) and _are_cents(tokens, number.end, units):
        code, end, value = of_cents, number.end + (2 if tokens[number.end].text == "us" else 1), value / 100
    elif tokens[number.end - 1].text == "grand":
        code = of_cents
    if code is None:
        return None
    if before is not None and after is not None and after[0] == code:
        end = after[1]
    small, end = _with_cents(source, cents, end, units)
    period, end = _period(source, end, units)
    led = _period_before(source, start, units)
    period = f"{period}-{led}" if period in ("gpu", "node") and led == "month" else period or led
    if period == "mwh":
        period, value = "kwh", value / 1000
    if number.unit == DOTTED and number.value >= 1 and period in ("", "month", "year"):
        value *= 1000  # "500.000 dollars", but "$0.065" and "$2.125 per GPU-hour"
    return Quantity("money" if code == "USD" else MONEY_OTHER, _round(value + small), start, end, period, code)


def _are_cents(tokens: Sequence[Token], at: int, units: Units) -> bool:
    """ "12 cents", "6.5 US cents", and "12c/kWh" where the letter is glued to the number."""
    per = at + 1 < len(tokens) and tokens[at + 1].text in ("/", "per")
    if tokens[at].text == "us" and at + 1 < len(tokens):
        return tokens[at + 1].text in units.cents
    return tokens[at].text in units.cents or (tokens[at].text == "c" and tokens[at].glued and per)


def _with_cents(source: Source, cents: Mapping[int, Quantity], at: int, units: Units) -> tuple[float, int]:
    """ "Two dollars [and] ten [cents] an hour": the cents behind whole dollars, and where they end."""
    tokens = source.tokens
    start = at + 1 if at < len(tokens) and tokens[at].text == "and" else at
    small = cents.get(start)
    if small is None or start == 0 or not tokens[start - 1].is_word:
        return 0.0, at
    named = small.end < len(tokens) and _are_cents(tokens, small.end, units)
    spoken = tokens[start].is_word and small.value >= 5 and not _counts(tokens, small.end, units)
    if named or (start == at and (spoken or _period(source, small.end, units)[0])):
        return small.value / 100, small.end + named
    return 0.0, at


def _counts(tokens: Sequence[Token], at: int, units: Units) -> bool:
    """Whether a number counts what stands behind it: "for two dollars sixty four GPUs"."""
    return at < len(tokens) and (tokens[at].stem in units.counted or tokens[at].is_number)


def _currency_before(tokens: Sequence[Token], at: int, units: Units) -> tuple[str, int] | None:
    for size in (3, 2, 1):
        start = at - size
        name = tuple(t.text for t in tokens[start:at]) if start >= 0 else ()
        if not name or (name[-1] == "$" and not all(token.glued for token in tokens[start + 1 : at])):  # "a $5 premium"
            continue
        if name in units.currencies and (size > 1 or len(name[0]) > 2 or not tokens[start].is_word):
            us = start > 0 and tokens[start - 1].text in ("us", "usd")
            return units.currencies[name], start - us
    return None


def _currency_after(tokens: Sequence[Token], at: int, units: Units) -> tuple[str, int] | None:
    for size in (3, 2, 1):
        name = tuple(t.text for t in tokens[at : at + size])
        if len(name) == size and name in units.currencies:
            return units.currencies[name], at + size
    return None


def _period(source: Source, at: int, units: Units) -> tuple[str, int]:
    within = lambda end: all(token.text not in ",;" for token in source.tokens[at:end])
    hits = [hit for hit in units.per.at(source, at) if within(hit.end)]  # "$2.10/h, 32 H100" is none of an "h 32"
    best = max(hits, key=lambda hit: hit.end, default=None)
    return (best.key, best.end) if best else ("", at)


def _period_before(source: Source, start: int, units: Units) -> str:
    """What a price is for, where that stands before it: "a monthly fee of $98,000", "price per GPU-hour: $2.35"."""
    for at in range(max(0, start - _LONGEST_PERIOD), start):
        led = next((hit.key for hit in units.leading.at(source, at) if hit.end == start), None)
        if led:
            return led
    if start < 2 or source.tokens[start - 1].text != ":":
        return ""
    for at in range(max(0, start - _LONGEST_PERIOD), start - 1):
        period, end = _period(source, at, units)
        if period in _OF_MACHINES and end == start - 1:
            return period
    return ""


def _round(value: float) -> int | float:
    tidy = float(f"{value:.12g}")
    value = tidy if math.isclose(tidy, value, rel_tol=1e-14) else value  # the noise of the product goes, a third stays
    return int(value) if value == int(value) and abs(value) < 1e15 else value


# -- dates -----------------------------------------------------------------------------------------------


def dates(tokens: Sequence[Token], units: Units, today: datetime.date) -> list[Quantity]:
    """Days of the calendar: ``15 March``, ``2027-03-01``, ``end of Q1``, ``before Christmas``; the next one that
    comes."""
    found: list[Quantity] = []
    at = 0
    while at < len(tokens):
        date = next((d for read in _DATES if (d := read(tokens, at, units, today))), None)
        if date:
            found.append(date)
        at = date.end if date else at + 1
    return found


def _written(tokens: Sequence[Token], at: int, units: Units, today: datetime.date) -> Quantity | None:
    """``2027-03-01``, ``01.03.2027``, ``3/15/2027``."""
    text = tokens[at].text
    if text.count(".") == 2 and all(part.isdecimal() for part in text.split(".")):
        day, month, year = (int(part) for part in text.split("."))
        return _made(year + (2000 if year < 100 else 0), month, day, at, at + 1)
    parts = [t.text for t in tokens[at : at + 5]]
    if len(parts) == 5 and parts[1] == parts[3] in ("-", "/") and all(p.isdecimal() for p in parts[::2]):
        first, second, third = (int(p) for p in parts[::2])
        if first > 31:
            return _made(first, second, third, at, at + 5)
        year = third + (2000 if third < 100 else 0)
        month, day = (second, first) if first > 12 else (first, second)
        date, other = _made(year, month, day, at, at + 5), _made(year, day, month, at, at + 5)
        return Quantity("dates", (date.value, other.value), at, at + 5) if date and other and day != month else date
    return None


def _named(tokens: Sequence[Token], at: int, units: Units, today: datetime.date) -> Quantity | None:
    """``15 March``, ``15th of March 2027``, ``March 15th``, ``March 2027``, ``march``."""
    day, end = _day(tokens, at)
    if day and end < len(tokens) and tokens[end].text in ("of", "."):
        end += 1
    month = units.months.get(tokens[end].text) if end < len(tokens) else None
    if month is None or (not day and tokens[end].text == "may" and not _numbered(tokens, end + 1)):
        return None
    end += 1
    if not day:
        day, after = _day(tokens, end)
        end = after if day else end
    year, end = _year(tokens, end, today)
    return _next(year, month, day or 1, today, at, end)


def _day(tokens: Sequence[Token], at: int) -> tuple[int, int]:
    """The day of a month at a place and what follows it, or 0."""
    if at >= len(tokens) or not tokens[at].text.isdecimal() or not 1 <= int(tokens[at].text) <= 31:
        return 0, at
    ordinal = at + 1 < len(tokens) and tokens[at + 1].glued and tokens[at + 1].text in ("st", "nd", "rd", "th")
    return int(tokens[at].text), at + 1 + ordinal


def _numbered(tokens: Sequence[Token], at: int) -> bool:
    return at < len(tokens) and tokens[at].is_number


def _year(tokens: Sequence[Token], at: int, today: datetime.date) -> tuple[int, int]:
    """The year that is said at a place, in figures or as this one or the next, and what follows it; or 0."""
    first = tokens[at].text if at < len(tokens) else ""
    of = at + (first in ("of", "in"))
    which = [token.text for token in tokens[of : of + 2]]
    if which in (["next", "year"], ["this", "year"]):
        return today.year + (which[0] == "next"), of + 2
    at_year = at + 1 if at < len(tokens) and tokens[at].text == "," else at
    text = tokens[at_year].text if at_year < len(tokens) else ""
    return (int(text), at_year + 1) if text.isdecimal() and 2020 <= int(text) <= 2100 else (0, at)


def _spoken(tokens: Sequence[Token], at: int, units: Units, today: datetime.date) -> Quantity | None:
    """``end of March``, ``end of Q1 2027``, ``mid June``, ``next Friday``, ``Christmas``, ``end of the year``."""
    texts = tuple(t.text for t in tokens[at : at + 6])
    for name, (month, day) in units.feasts.items():
        if texts[: len(name)] == name:
            year, end = _year(tokens, at + len(name), today)
            return _next(year, month, day, today, at, end)
    for name, days in units.easter.items():
        if texts[: len(name)] == name:
            year, end = _year(tokens, at + len(name), today)
            dates = (
                easter(y) + datetime.timedelta(days=days) for y in ((year,) if year else (today.year, today.year + 1))
            )
            return next((Quantity("date", date, at, end) for date in dates if year or date > today), None)
    if texts[0] in units.weekdays and len(texts[0]) > 3:
        ahead = (units.weekdays[texts[0]] - today.weekday() - 1) % 7 + 1
        return Quantity("date", today + datetime.timedelta(days=ahead), at, at + 1)
    return _part_of(tokens, at, texts, units, today)


def easter(year: int) -> datetime.date:
    """Easter Sunday of a year of the Gregorian calendar (the anonymous algorithm, Nature 1876)."""
    golden, (century, rest) = year % 19, divmod(year, 100)
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (rest // 4) - epact - rest % 4) % 7
    shift = epact + weekday - 7 * ((golden + 11 * epact + 22 * weekday) // 451) + 114
    return datetime.date(year, shift // 31, shift % 31 + 1)


def _part_of(
    tokens: Sequence[Token], at: int, texts: tuple[str, ...], units: Units, today: datetime.date
) -> Quantity | None:
    edge = {
        "end": "end",
        "eo": "end",
        "mid": "mid",
        "middle": "mid",
        "start": "start",
        "beginning": "start",
        "early": "start",
        "late": "end",
    }.get(texts[0])
    place = at + 1 if edge else at
    while edge and place < len(tokens) and tokens[place].text in ("of", "the", "-"):
        place += 1
    if place >= len(tokens):
        return None
    if tokens[place].text == "q" and place + 1 < len(tokens) and tokens[place + 1].text in "1234":
        quarter = int(tokens[place + 1].text)
        year, end = _year(tokens, place + 2, today)
        return _edge_of(year, quarter * 3 - 2, quarter * 3, edge or "end", today, at, end)
    if not edge:
        return None
    if tokens[place].text in units.months:
        month = units.months[tokens[place].text]
        year, end = _year(tokens, place + 1, today)
        return _edge_of(year, month, month, edge, today, at, end)
    return _relative_edge(tokens, at, place, edge, today)


def _relative_edge(tokens: Sequence[Token], at: int, place: int, edge: str, today: datetime.date) -> Quantity | None:
    """``end of (this|next) (month|quarter|year)``, of a quarter of the calendar; "the quarter" is this one."""
    ahead = tokens[place].text == "next"
    place += tokens[place].text in ("next", "this")
    word = tokens[place].text if place < len(tokens) else ""
    if word == "month":
        month = today.month % 12 + 1 if ahead else today.month
        return _edge_of(0, month, month, edge, today, at, place + 1)
    if word == "quarter":
        begun = (today.month - 1) // 3 + ahead
        year, first = today.year + begun // 4, begun % 4 * 3 + 1
        return _edge_of(year, first, first + 2, edge, today, at, place + 1)
    if word == "year":
        return _edge_of(today.year + ahead, 1, 12, edge, today, at, place + 1)
    year, end = _year(tokens, place, today)
    return _edge_of(year, 1, 12, edge, today, at, end) if year else None


def _edge_of(
    year: int, first: int, last: int, edge: str, today: datetime.date, start: int, end: int
) -> Quantity | None:
    month, day = {"start": (first, 1), "mid": ((first + last) // 2, 15), "end": (last, 31)}[edge]
    return _next(year, month, day, today, start, end)


def _next(year: int, month: int, day: int, today: datetime.date, start: int, end: int) -> Quantity | None:
    """The date in the year that is said, else the next time it comes; the last of a month where the day is too
    large."""
    for candidate in (year,) if year else (today.year, today.year + 1):
        date = _made(candidate, month, day, start, end)
        if date and (year or date.value > today):
            return date
    return None


def _made(year: int, month: int, day: int, start: int, end: int) -> Quantity | None:
    for last in range(day, max(day - 4, 0), -1):
        try:
            return Quantity("date", datetime.date(year, month, last), start, end)
        except (ValueError, OverflowError):
            if day < 29 or day > 31:
                return None
    return None


def _of_the_month(tokens: Sequence[Token], at: int, units: Units, today: datetime.date) -> Quantity | None:
    """ "The 21st": the next such day."""
    ordinal = at + 1 < len(tokens) and tokens[at + 1].glued and tokens[at + 1].text in ("st", "nd", "rd", "th")
    led = at > 0 and tokens[at - 1].text in ("the", "by", "before", "until", "on")
    if not (ordinal and led and tokens[at].text.isdecimal()):
        return None
    behind = tokens[at + 2] if at + 2 < len(tokens) else None
    if behind is not None and behind.is_word and behind.text not in _AFTER_A_DAY:
        return None  # "the 2nd node"
    months = (today.month - 1 + n for n in range(1, 3))
    following = [_made(today.year + month // 12, month % 12 + 1, int(tokens[at].text), at, at + 2) for month in months]
    same = _made(today.year, today.month, int(tokens[at].text), at, at + 2)
    return next((date for date in (same, *following) if date and date.value > today), None)


_AFTER_A_DAY = frozenset("or and at so really latest because otherwise please then".split())
_DATES = (_written, _named, _spoken, _of_the_month)

__all__ = ["MONEY_OTHER", "NumberWords", "TemplateError", "Units", "amounts", "dates"]
