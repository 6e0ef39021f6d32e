"""Numbers as people type or spell them: ``64``, ``16k``, ``1,024``, ``eight``, ``half a million``."""

from __future__ import annotations

import re

WORDS = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
    "eleven": 11, "twelve": 12, "sixteen": 16, "twenty": 20, "twenty-four": 24, "thirty": 30, "thirty-two": 32,
    "forty": 40, "forty-eight": 48, "fifty": 50, "sixty": 60, "sixty-four": 64, "hundred": 100, "a hundred": 100,
    "one hundred": 100, "two hundred": 200, "five hundred": 500, "a thousand": 1000, "one thousand": 1000,
    "two thousand": 2000, "ten thousand": 10_000, "a dozen": 12, "half a million": 500_000, "a million": 1_000_000,
    "single": 1,
}
MAGNITUDE = {"k": 1e3, "thousand": 1e3, "m": 1e6, "mn": 1e6, "mio": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9,
             "billion": 1e9, "t": 1e12, "tn": 1e12, "trillion": 1e12}

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e\d{1,2})?"
_SPELLED = "|".join(sorted((re.escape(word) for word in WORDS), key=len, reverse=True))
_LETTER = r"(?:\s?(?:thousand|million|billion|trillion|mio|mn|bn|tn)|[kmbt])"

# A plain count: digits with an optional magnitude, or a word. Never the tail of another word or number.
NUMBER = rf"(?:(?<![\w.])|(?<=[\dk]x))(?:(?:{_DIGITS})(?:\s?(?:thousand|million)\b|k(?![a-z])|k(?=x\d|x\s))?|(?:{_SPELLED})\b)"
# The same with every magnitude: 70b, 2T, 1.5 trillion.
AMOUNT = rf"(?<![\w.])(?:(?:{_DIGITS}){_LETTER}?(?![a-z\d])|(?:{_SPELLED})\b(?:\s(?:thousand|million|billion|trillion)\b)?)"
DECIMAL = rf"(?<![\w.])(?:{_DIGITS})"

_PARTS = re.compile(rf"(?P<digits>{_DIGITS})\s*(?P<letter>[a-z]*)")


def value(text: str) -> float:
    """The value of what :data:`NUMBER` or :data:`AMOUNT` matched."""
    text = text.strip()
    if text in WORDS:
        return float(WORDS[text])
    first, _, last = text.rpartition(" ")
    if first in WORDS and last in MAGNITUDE:
        return WORDS[first] * MAGNITUDE[last]
    match = _PARTS.match(text)
    if match is None:
        raise ValueError(f"not a number: {text!r}")
    return round(float(match["digits"].replace(",", "")) * MAGNITUDE.get(match["letter"], 1.0), 6)


def plain(number: float) -> int | float:
    """A whole number as ``int``, anything else as it is."""
    return int(number) if number == int(number) and abs(number) < 1e15 else number


def whole(text: str) -> int | None:
    """The whole number a count stands for, or ``None`` when it is a fraction."""
    number = value(text)
    return int(number) if number == int(number) else None


def binary(text: str) -> int | None:
    """A length in tokens, where ``8k`` means 8192 as everybody who writes it so means it."""
    match = _PARTS.match(text.strip())
    if match and match["letter"] in ("k", "m") and float(match["digits"]) == int(float(match["digits"])):
        thousands = int(float(match["digits"])) * (1 if match["letter"] == "k" else 1024)
        # 8k, 32k, 128k and 1M are powers of two; 10k and 100k are what they say.
        return thousands * 1024 if thousands & (thousands - 1) == 0 else thousands * 1000
    return whole(text)
