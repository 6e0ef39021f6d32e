"""Numbers as people type or spell them: ``64``, ``16k``, ``1,024``, ``eight``, ``half a million``."""

from __future__ import annotations

import re

_ONES = {
    word: n
    for n, word in enumerate(
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
        "nineteen".split(),
        start=1,
    )
}
_TENS = {
    word: 10 * n for n, word in enumerate("twenty thirty forty fifty sixty seventy eighty ninety".split(), start=2)
}
_PHRASES = {
    "single": 1.0,
    "dual": 2.0,
    "quad": 4.0,
    "a dozen": 12.0,
    "half a dozen": 6.0,
    "half a hundred": 50.0,
    "half a thousand": 500.0,
    **{
        f"{part} {big}": share * size
        for big, size in (("million", 1e6), ("billion", 1e9), ("trillion", 1e12))
        for part, share in (
            ("half a", 0.5),
            ("a quarter", 0.25),
            ("a quarter of a", 0.25),
            ("three quarters of a", 0.75),
            ("one and a half", 1.5),
            ("two and a half", 2.5),
        )
    },
}
_SCALES = {"hundred": 1e2, "thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
MAGNITUDE = {
    "k": 1e3,
    "thousand": 1e3,
    "m": 1e6,
    "mn": 1e6,
    "mio": 1e6,
    "million": 1e6,
    "b": 1e9,
    "bn": 1e9,
    "billion": 1e9,
    "t": 1e12,
    "tn": 1e12,
    "trillion": 1e12,
}

_DIGITS = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e\d{1,2})?"
_UNITS = "|".join(sorted(_ONES, key=len, reverse=True))
_BELOW_HUNDRED = rf"(?:(?:{'|'.join(_TENS)})(?:[\s\-](?:{'|'.join(list(_ONES)[:9])})\b)?|dozen|{_UNITS})"
_BELOW_THOUSAND = (
    rf"(?:(?:(?:a|a couple(?: of)?|{_BELOW_HUNDRED})\s)?hundred(?:\s(?:and\s)?{_BELOW_HUNDRED}\b)?|{_BELOW_HUNDRED})"
)
_SPELLED_COUNT = (
    rf"(?:(?:(?:an?|{_BELOW_THOUSAND})\s)?thousand(?:\s(?:and\s)?{_BELOW_THOUSAND}\b)?|a couple(?: of)? thousand|"
    rf"{_BELOW_THOUSAND})"
)
_FIXED = "|".join(sorted((re.escape(phrase) for phrase in _PHRASES), key=len, reverse=True))
_SPELLED = rf"(?:{_FIXED}|(?:two|three|four|five|six) dozen|a (?:million|billion|trillion)|{_SPELLED_COUNT})"
_LETTER = r"(?:\s?(?:thousand|million|billion|trillion|mio|mn|bn|tn)|[kmbt])"

# A plain count: digits with an optional magnitude, or a word. Never the tail of another word or number.
NUMBER = (
    rf"(?<!few )(?<!several )(?<!many )(?:(?<![\w.])|(?<=[\dk]x))(?:(?:{_DIGITS})(?:\s?(?:thousand|million)\b|k(?![a-z])|k(?=x\d|"
    rf"x\s))?|(?:{_SPELLED})\b)"
)
# The same with every magnitude: 70b, 2T, 1.5 trillion.
AMOUNT = (
    rf"(?<!few )(?<!several )(?<!many )(?<![\w.])(?:(?:{_DIGITS}){_LETTER}?(?![a-z\d])|(?:{_SPELLED})\b(?:\s(?:million|billion|"
    rf"trillion)\b)?)"
)
DECIMAL = rf"(?:{_DIGITS})"  # without a look at what comes before

_PARTS = re.compile(rf"(?P<digits>{_DIGITS})\s*(?P<letter>[a-z]*)")


def value(text: str) -> float:
    """The value of what :data:`NUMBER` or :data:`AMOUNT` matched."""
    text = text.strip()
    match = _PARTS.match(text)
    if match is None:
        return _spelled_value(text)
    return round(float(match["digits"].replace(",", "")) * MAGNITUDE.get(match["letter"], 1.0), 6)


def _spelled_value(text: str) -> float:
    """The value of a number in words: ``two hundred and fifty-six``, ``fifteen trillion``, ``half a million``."""
    if text in _PHRASES:
        return _PHRASES[text]
    total = group = 0.0
    for word in re.split(r"[\s\-]+", text):
        if word in _ONES or word in _TENS:
            group += _ONES.get(word) or _TENS[word]
        elif word == "hundred":
            group = (group or 1) * 100
        elif word in ("couple", "dozen"):
            group = 2 if word == "couple" else (group or 1) * 12
        elif word in _SCALES:
            total, group = total + (group or 1) * _SCALES[word], 0.0
        elif word not in ("a", "an", "and", "of"):
            raise ValueError(f"not a number: {text!r}")
    return total + group


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
