"""Quantities as people write them: ``70B``, ``100e9``, ``400 Gb/s``, ``$2.50``, ``10 days``.

Every parser takes what a YAML, JSON or CSV reader delivers (a number or a string) and returns
a plain number in the unit of the field, or raises ``ValueError`` with one sentence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, ValidationInfo

NINETIETH = 1.2816  # standard deviations of a normal distribution from its median to its tenth or ninetieth percentile
DAYS_PER_YEAR = 365.0  # one length of a year and of a month for terms, bills, write-offs and what people name
DAYS_PER_MONTH = DAYS_PER_YEAR / 12
HOURS_PER_YEAR = 24 * DAYS_PER_YEAR
HOURS_PER_MONTH = HOURS_PER_YEAR / 12  # the 730 hours that clouds bill


def amortized(usd: float, months: float, utilization: float = 1.0) -> float:
    """US dollars per hour of a purchase that serves ``months`` months, in use for a fraction ``utilization`` of them.

    Straight line, no interest and no resale value.
    """
    return usd / (months * HOURS_PER_MONTH * utilization)


def monthly(usd_per_gpu_hour: float, gpus: float) -> float:
    """US dollars of a month in which ``gpus`` GPUs are paid for in every hour."""
    return usd_per_gpu_hour * gpus * HOURS_PER_MONTH


def in_months(days: float) -> str:
    """``3 months`` where they are whole ones, else ``45 days``."""
    months = round(days / DAYS_PER_MONTH, 6)
    number, unit = (months, "month") if months >= 1 and months.is_integer() else (days, "day")
    return f"{number:.4g} {unit}{'s' * (number != 1)}"


def days_said(days: float) -> str:
    """A number of days as people said it: ``30 days``; what is no number of whole days was said in months."""
    return in_months(days) if days % 1 else f"{days:g} day{'s' * (days != 1)}"


_NUMBER = r"[+-]?(?:\d[\d_,]*+(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d++)?"
_QUANTITY = re.compile(rf"(?P<number>{_NUMBER})(?P<unit>.*)")
_LONGEST = 200  # characters of a quantity: none that people write takes a fifth of it
_LARGEST = 1e30  # of any number, before its unit: no count, sum or length of time comes near

_MAGNITUDES = ((1e3, "k thousand"), (1e6, "m mn million"), (1e9, "b bn g billion"), (1e12, "t tn trillion"))
MAGNITUDES = {"": 1.0} | {name: value for value, names in _MAGNITUDES for name in names.split()}
_COUNT_NOUNS = re.compile(
    r"\s*(params?|parameters|tokens?|toks?|gpus?|nodes?|sequences|samples|sites|experts|layers|"
    r"heads|stages|months?|requests?)$"
)

# Value of one unit in the unit of the field it may be given for.
_RATES = {"bit/s": 1e-9, "kb/s": 1e-6, "mb/s": 1e-3, "gb/s": 1.0, "tb/s": 1e3}
_TIMES = (
    (1 / 86400, "s sec second"),
    (1 / 1440, "min minute"),
    (1 / 24, "h hr hour"),
    (1.0, "d day"),
    (7.0, "w wk week"),
    (14.0, "fortnight"),
    (DAYS_PER_MONTH, "mo month"),
    (DAYS_PER_YEAR, "y yr year"),
)
DAYS_IN = {name: value for value, names in _TIMES for name in names.split()}  # one of a unit of time


def split(value: object) -> tuple[float, str]:
    """``(number, unit text)`` of a number or a string such as ``"400 Gb/s"``."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise ValueError(f"expected a number, got {shown(value)}")
    if isinstance(value, str):
        match = _QUANTITY.fullmatch(" ".join(short(value).replace("~", "").replace("≈", "").split()))
        if not match:
            raise ValueError(f"expected a number, got {shown(value)}")
        digits = match["number"]
        if "," in digits and not re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?([eE][+-]?\d+)?", digits):
            raise ValueError(f"expected a number such as 1500 or 1,500 or 1.5, got {shown(value)}")
        number, unit = float(digits.replace(",", "").replace("_", "")), match["unit"].strip()
    else:
        number, unit = _float(value), ""
    if not abs(number) < _LARGEST:
        raise ValueError(f"expected a finite number below {_LARGEST:g}, got {shown(value)}")
    return number, unit


def short(value: str) -> str:
    """A text that may be a quantity: what is longer than one can be is refused before any pattern reads it."""
    if len(value) > _LONGEST:
        raise ValueError(f"expected a finite number in at most {_LONGEST} characters, got {shown(value)}")
    return value


def _float(value: int | float) -> float:
    """A number as float; a whole number too large for one is infinite and refused with the others that are."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def shown(value: object) -> str:
    """A value as an error message shows it: quoted when text, never longer than 60 characters, no control
    characters."""
    text = f'"{value}"' if isinstance(value, str) else _written(value)
    text = "".join(c if c.isprintable() else "�" for c in text)
    return text if len(text) <= 60 else text[:57] + "..."


def _written(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python refuses to write whole numbers of more than 4,300 digits
        return "a number of thousands of digits"


def count(value: object) -> float:
    """A count with a magnitude: ``70B`` → 7e10, ``100e9`` → 1e11, ``2.5 trillion tokens`` → 2.5e12."""
    number, unit = split(value)
    unit = _COUNT_NOUNS.sub("", " " + unit.lower()).strip()
    if unit not in MAGNITUDES:
        raise ValueError(f"expected a count such as 70B, 100e9 or 1500000, got {shown(value)}")
    return number * MAGNITUDES[unit]


def whole(value: object) -> int:
    """A whole number; ``16k`` and ``1,024`` are understood, ``2.5`` is not one."""
    try:
        number = count(value)
    except ValueError:
        raise ValueError(f"expected a whole number, got {shown(value)}") from None
    if number != int(number):
        raise ValueError(f"expected a whole number, got {shown(value)}")
    return int(number)


_BYTES = {"": 1.0, "b": 1.0} | {
    f"{letter}{mark}": base ** (power + 1)
    for power, letter in enumerate("kmgtp")
    for base, marks in ((1000.0, ("b", "")), (1024.0, ("ib", "i")))
    for mark in marks
}


def size(value: object) -> float | None:
    """Bytes: a number, or text such as ``1GiB``, ``64 MiB`` or ``2GB``."""
    if value is None:
        return None
    number, unit = split(value)
    unit = unit.strip().lower().removesuffix("ytes").removesuffix("yte")
    if unit not in _BYTES:
        raise ValueError(f"expected bytes such as 1GiB, 64 MiB or 1e9, got {shown(value)}")
    return number * _BYTES[unit]


def gbps(value: Any) -> float:
    """Gigabits per second: ``400``, ``400 Gb/s``, ``400G``, ``3.2 Tbps``; ``50 GB/s`` is gigabytes and becomes 400."""
    number, unit = split(value)
    compact = unit.replace(" ", "").replace("per", "/")
    if compact in ("GB/s", "GBps", "TB/s", "TBps", "MB/s", "MBps"):
        return number * 8 * {"G": 1.0, "T": 1e3, "M": 1e-3}[compact[0]]
    plain = compact.lower().replace("bit/s", "b/s").replace("bps", "b/s").replace("ib/s", "b/s")
    short = dict.fromkeys(("", "g", "gbe", "gig", "gbit", "gb"), "gb/s")
    plain = (short | {"t": "tb/s", "tb": "tb/s", "m": "mb/s", "b/s": "bit/s"}).get(plain, plain)
    if plain not in _RATES:
        raise ValueError(f"expected a data rate such as 400, 400 Gb/s or 3.2 Tb/s, got {shown(value)}")
    return number * _RATES[plain]


_CURRENCIES = {"eur": "€|eur|euros?", "gbp": "£|gbp|pounds?", "jpy": "¥|jpy|yen", "chf": "chf|francs?|franken",
               "cny": "cny|rmb|yuan", "inr": "₹|inr|rupees?"}  # fmt: skip
CURRENCIES = tuple(_CURRENCIES)
_CURRENCY = {code: re.compile(rf"(?<![a-z])(?:{words})(?![a-z])", re.I) for code, words in _CURRENCIES.items()}


def currency_of(text: str) -> str | None:
    """The currency other than the dollar that an amount is in: ``eur`` for ``€500k``."""
    return next((code for code, words in _CURRENCY.items() if words.search(text)), None)


def _dollars(value: Any, info: ValidationInfo) -> float:
    """US dollars; an amount in another currency by ``usd_per`` of the context (code → dollars for one unit), which
    lists what was ``converted``."""
    rates = (info.context or {}).get("usd_per", {})
    code = currency_of(short(value)) if isinstance(value, str) else None
    plain = value
    if isinstance(value, str):
        plain = _grouped_money(short(value), by_the_hour=(info.field_name or "").endswith(_BY_THE_HOUR))
    if code is None or not rates:
        return usd(plain)
    if code not in rates:
        known = ", ".join(name.upper() for name in rates)
        raise ValueError(
            f"expected US dollars, or a currency whose rate is in the catalog ({known}), got {shown(value)}"
        )
    dollars = rates[code] * usd(_CURRENCY[code].sub("", plain))
    info.context["converted"].append((code, value.strip(), dollars))  # type: ignore[index]
    return dollars


_BY_THE_HOUR = ("hour_usd", "per_kwh")  # how fields of small prices end: "2.350 €" is one of these
_DIGITS = re.compile(r"\d(?:[\d.,'\u2019 \u00a0\u202f]*\d)?")
_SIGNED = re.compile(r"[$€£¥₹]|(?<![a-z])(?:usd|dollars?|" + "|".join(_CURRENCIES.values()) + r")(?![a-z])", re.I)
_DOTTED = re.compile(r"[1-9]\d{0,2}(?:\.\d{3})+")  # 40.000, where a dot marks thousands
_SPACED = re.compile(r"\d{1,3}(?:['\u2019 \u00a0\u202f]\d{3})+(?:[.,]\d{1,2})?")  # 40 000, 40'000,50
_DOTTED_CENTS = re.compile(r"\d{1,3}(?:\.\d{3})+,\d{1,2}")  # 1.250,50
_SIZED = re.compile(r"\s*(?:k|m|mm|mn|mio|b|bn|t|thousand|million|billion|trillion)\b", re.I)
_COMMA_CENTS = re.compile(r"\d+,\d{1,2}")  # 2,50


def _grouped_money(text: str, *, by_the_hour: bool) -> str:
    """An amount with a currency in the digits of a program, as a sentence with it is read: ``40.000 €`` and ``1.250,50
    EUR`` are thousands, but for a price by the hour, of which ``2.350 €`` is a little more than two."""
    found = _DIGITS.search(text)
    if found is None or not _SIGNED.search(text):
        return text
    digits = found[0]
    if digits.count(".") == 1 and _SIZED.match(text, found.end()):  # "$1.250M" is a million and a quarter
        return text
    if _DOTTED_CENTS.fullmatch(digits) or (_DOTTED.fullmatch(digits) and (digits.count(".") > 1 or not by_the_hour)):
        plain = digits.replace(".", "").replace(",", ".")
    elif _SPACED.fullmatch(digits) or _COMMA_CENTS.fullmatch(digits):
        plain = re.sub(r"['\u2019 \u00a0\u202f]", "", digits).replace(",", ".")
    else:
        return text
    return text[: found.start()] + plain + text[found.end() :]


# US dollars: a number without a unit that is less is no budget, nor is a sum in a question about one. $100 pay for six
# hours of one machine of eight H100 at the least price of the catalog ($1.99 per GPU-hour).
LEAST_BUDGET = 100.0
_IN_BINARY = 0.05  # "256k" is 262,144, 2.4 % more; 2 ** 20 is a million but for 4.9 %


def same_in_binary(one: float, other: float) -> bool:
    """Whether two numbers are the same one, be either told in thousands of 1,024."""
    return abs(one / other - 1) < _IN_BINARY


def in_dollars(value: float) -> str:
    """An amount of US dollars as it is read back: ``$563,450``, ``$450.76``, ``$2.31``."""
    if value >= 1000:
        return f"${value:,.0f}"
    return f"${value:,.2f}".removesuffix(".00") if value >= 100 else f"${value:,.4g}"


def told_apart(value: float, limit: float | None, told: Callable[[float], str]) -> str:
    """An amount of US dollars beside one that it is held against, as ``told``: with all its dollars where the two would
    read the same and are not."""
    if limit is None or value == limit or told(value) != told(limit):
        return told(value)
    return in_dollars(value) if in_dollars(value) != in_dollars(limit) else f"${value:,.2f}"


def times(ratio: float) -> str:
    """``2.2 times``, ``twice``, ``120 times``."""
    told = f"{ratio:.2g}" if ratio < 99.5 else f"{ratio:,.0f}"
    return "twice" if told == "2" else f"{told} times"


_TWICE = 1.995  # what rounds to 2.0 times
_SAME = 0.0005  # of the whole: what rounds to 0.0 %
_TIMES_AS = {"longer": ("long", "less time"), "more": ("much", "less")}
COMPARISONS = ("of", *(f"{word}{than}" for word in _TIMES_AS for than in ("", " than")))


def compared(ratio: float, how: str) -> str:
    """One thing beside another, ``how`` one of :data:`COMPARISONS`: ``12 % longer than``, and where it is twice as much
    or more ``2.2 times as long as``, as nobody reads "117 % longer" right at first sight; ``34 % of`` or ``3.4 times``
    it."""
    if how == "of":
        return times(ratio) if ratio >= _TWICE else f"{_digits(100 * ratio)} % of"
    word, _, than = how.partition(" ")
    much, fewer = _TIMES_AS[word]
    if abs(ratio - 1) < _SAME or ratio >= _TWICE:
        same = f"as {much}{' as' if than else ''}"
        return f"{times(ratio)} {same}" if ratio >= _TWICE else same
    less = f"{fewer} {than}".strip()
    return f"{_digits(100 * (ratio - 1))} % {how}" if ratio > 1 else f"{_digits(100 * (1 - ratio))} % {less}"


def _digits(percent: float) -> str:
    """Two digits, all before the point; what is less than a tenth with one."""
    return f"{percent:.0f}" if percent >= 9.95 else f"{percent:.1f}"


def limit_in_dollars(limit: float, told: Callable[[float], str]) -> str:
    """A limit as it was given, to the dollar; one of three digits as ``told``."""
    return told(limit) if float(f"{limit:.3g}") == limit else in_dollars(limit)


def usd(value: Any) -> float:
    """US dollars: ``2.5``, ``$2.50``, ``50k usd``, ``$1.2M``, ``$2.10/hr`` (the period is the field's)."""
    if isinstance(value, str):
        text = short(value).strip()
        if currency_of(text):
            raise ValueError(f"expected US dollars, got {shown(value)}")
        text = re.sub(r"(?i)\s*(/|per)\s*(gpu)?[\s/-]*(h|hr|hour|kwh)\b", "", text)
        text = re.sub(r"(?i)us\s*\$|\$|\busd\b|\bdollars?\b", "", text)
        number, unit = split(text)
        if unit.lower() not in MAGNITUDES:
            raise ValueError(f"expected an amount of US dollars such as 2.50, $2.50 or 50k, got {shown(value)}")
        return number * MAGNITUDES[unit.lower()]
    return split(value)[0]


def days(value: Any) -> float:
    """Days: ``10``, ``10 days``, ``2 weeks``, ``36 h``."""
    number, unit = split(value)
    unit = unit.lower().rstrip(".") or "day"
    if unit not in DAYS_IN:
        unit = unit.removesuffix("s")
    if unit not in DAYS_IN:
        raise ValueError(f"expected a time such as 10, 10 days or 2 weeks, got {shown(value)}")
    return number * DAYS_IN[unit]


def percent(value: Any) -> float:
    """Percent: ``10`` or ``10 %``."""
    number, unit = split(value)
    if unit.lower() not in ("", "%", "percent", "pct"):
        raise ValueError(f"expected a percentage such as 10 or 10 %, got {shown(value)}")
    return number


def ratio(value: Any) -> float:
    """A ratio: ``2``, ``2:1``, ``3 to 2``, ``1.5x``; ``non-blocking`` is 1."""
    text = short(_written(value) if isinstance(value, int) else str(value)).strip().lower()
    if value is False or re.fullmatch(r"non[- ]?blocking|none|no", text):
        return 1.0
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*(?:x|(?::|/|to)\s*(\d+(?:\.\d+)?))?", text)
    if found is None or value is True or float(found[2] or 1) == 0:
        raise ValueError(f"expected a ratio such as 2, 2:1 or non-blocking, got {shown(value)}")
    return float(found[1]) / float(found[2] or 1)


def yes_or_no(value: Any) -> bool:
    """A yes or no as YAML, JSON and CSV deliver it."""
    word = str(value).strip().lower() if isinstance(value, (bool, str)) else ""
    if word in ("true", "yes", "on", "y", "false", "no", "off", "n"):
        return word in ("true", "yes", "on", "y")
    raise ValueError(f"expected true or false, got {shown(value)}")


# US dollars below which a price is told to so many digits behind the point; whole dollars from the last on.
_TOLD_DIGITS = ((10.0, 3), (1000.0, 2))


def outward(price: float, *, up: bool) -> float:
    """A price in US dollars at which something turns, rounded to what :func:`exact_usd` tells of it, a tenth of a cent,
    a cent or a dollar, and away from where it has not turned: what is told turns it too."""
    step = 10.0 ** _told_digits(price)
    return round((math.ceil if up else math.floor)(round(price * step, 6)) / step, 3)


def _told_digits(price: float) -> int:
    return next((digits for below, digits in _TOLD_DIGITS if abs(price) < below), 0)


def exact_usd(price: float) -> str:
    """A price with all the digits that it was rounded to: ``1.95``, ``2.326``, ``2,034,568``."""
    digits = _told_digits(price)
    return f"{price:,.{min(digits, 2) if round(price, 2) == round(price, digits) else digits}f}"


Count = Annotated[float, BeforeValidator(count)]
Whole = Annotated[int, BeforeValidator(whole)]
Gbps = Annotated[float, BeforeValidator(gbps)]
Usd = Annotated[float, BeforeValidator(_dollars)]
Days = Annotated[float, BeforeValidator(days)]
Percent = Annotated[float, BeforeValidator(percent)]
Ratio = Annotated[float, BeforeValidator(ratio)]
YesNo = Annotated[bool, BeforeValidator(yes_or_no)]
