"""Numbers as people type or spell them: ``64``, ``16k``, ``1,024``, ``1.250.000``, ``eight``, ``half a million``, ``2 x
10^12``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from .templates import Quantity
from .text import Token, cut

_DOTTED = re.compile(r"\d{1,3}(?:\.\d{3}){2,}")
_THOUSAND_MARKS = re.compile(r"[,'\u202f\u00a0]")
_THOUSANDS = re.compile(r"\d{1,3}\.\d{3}")  # 1.500: a decimal, or thousands as they are written elsewhere
DOTTED = "dotted"
_LARGEST = 1e24  # what is larger, or infinite, counts nothing
_SHORTENED = frozenset({"mio", "mrd", "mn", "mln", "bn"})  # written with a full stop behind: "1.4 Mio. Euro"
_COUNTED_IN_LETTERS = frozenset({"tokens", "token", "toks", "params", "parameters"})  # "2 T tokens"
_ILLIONS = frozenset({"million", "billion", "trillion"})  # a number in words that ends in one is of that size
_ORDINAL = frozenset({"st", "nd", "rd", "th"})
_AND_A_HALF = ("and", "a", "half")


@dataclass(frozen=True)
class NumberWords:
    """``numbers.yaml``: words that are numbers or multiply one; ``glued`` letters do so only directly behind digits, or
    beside one of ``money``, the names of currencies: "20 M EUR", "$ 20 M"."""

    ones: dict[str, float]
    tens: dict[str, float]
    scales: dict[str, float]
    glued: frozenset[str]
    sizes: frozenset[str]  # words that size what is counted: "two eighty gig cards" are two of 80
    boxes: frozenset[str]  # what may be of so many GPUs: "two sixteen GPU nodes"
    phrases: dict[tuple[str, ...], float]
    none: frozenset[tuple[str, ...]]  # what begins as a number and is none: "a one-off fee"
    money: frozenset[str]

    @classmethod
    def of(cls, data: dict, currencies: dict[str, list[str]]) -> NumberWords:
        phrases = {tuple(t.text for t in cut(words)): float(value) for words, value in data["phrases"].items()}
        money = frozenset(name for names in currencies.values() for name in names if len(cut(name)) == 1)
        return cls(
            data["ones"],
            data["tens"],
            data["scales"],
            frozenset(data["glued"]),
            frozenset(data["sizes"]),
            frozenset(data["boxes"]),
            phrases,
            frozenset(tuple(t.text for t in cut(words)) for words in data["none"]),
            money,
        )


def numbers(tokens: Sequence[Token], words: NumberWords) -> list[Quantity]:
    """Every number of a message; ``unit`` is how it was written: a magnitude letter or word, or nothing."""
    found: list[Quantity] = []
    at = 0
    while at < len(tokens):
        if tuple(t.text for t in tokens[at : at + 3]) in words.none:
            at += 3
            continue
        number = _phrase(tokens, at, words) or _digits(tokens, at, words) or _spelled(tokens, at, words)
        if number is not None:
            found.append(number)
        at = number.end if number else at + 1
    return found


def value_of(text: str) -> float:
    """The value of digits: ``1,024``, ``1.5``, ``1.250.000``, ``2e12``; version-like ``2.5.1`` counts as its first two
    parts."""
    text = _THOUSAND_MARKS.sub("", text)
    if _DOTTED.fullmatch(text):
        return float(text.replace(".", ""))
    head = text.split("e")[0]
    return float(text) if head.count(".") <= 1 else float(".".join(head.split(".")[:2]))


def _digits(tokens: Sequence[Token], at: int, words: NumberWords) -> Quantity | None:
    token = tokens[at]
    if not token.is_number:
        return None
    value, end, unit = value_of(token.text), at + 1, ""
    grouped = _grouped(tokens, at)
    comma = _decimal_comma(tokens, at)
    if comma is not None:
        value, end = comma, at + 3
    elif _THOUSANDS.fullmatch(token.text):
        unit = DOTTED
    elif grouped is not None:
        value, end = grouped
    power = _power_of_ten(tokens, end, value)
    if power is not None:
        value, end = power
    hyphen = end + 1 < len(tokens) and tokens[end].text == "-" and tokens[end].glued and len(tokens[end + 1].text) > 2
    if hyphen and tokens[end + 1].text in words.scales:  # "7-billion-parameter"
        end += 1
    if end < len(tokens) and _multiplies(tokens, at, end, words):
        unit, value, end = tokens[end].text, value * words.scales[tokens[end].text], end + 1
        end += unit in _SHORTENED and end < len(tokens) and tokens[end].text == "." and tokens[end].glued
    if end < len(tokens) and tokens[end].glued and tokens[end].text in _ORDINAL:
        return None
    if not value < _LARGEST:
        return None  # a row of digits, no number of anything
    return Quantity("number", _plain(value), at, end, unit)


def _grouped(tokens: Sequence[Token], at: int) -> tuple[float, int] | None:
    """ "1 250 000": thousands in groups of three, of which one begins with zero."""
    end = at + 1
    while (
        end < len(tokens) and len(tokens[end].text) == 3 and tokens[end].text.isdecimal() and len(tokens[at].text) <= 3
    ):
        end += 1
    if not tokens[at].text.isdecimal() or not any(t.text[0] == "0" for t in tokens[at + 1 : end]):
        return None
    return float("".join(t.text for t in tokens[at:end])), end


def _decimal_comma(tokens: Sequence[Token], at: int) -> float | None:
    """ "2,5 million": the comma of a decimal, glued on both sides, with one or two digits behind it."""
    if at + 2 >= len(tokens) or tokens[at + 1].text != "," or not (tokens[at + 1].glued and tokens[at + 2].glued):
        return None
    after = tokens[at + 2].text
    return (
        float(f"{tokens[at].text}.{after}")
        if after.isdecimal() and len(after) <= 2 and tokens[at].text.isdecimal()
        else None
    )


def _power_of_ten(tokens: Sequence[Token], at: int, value: float) -> tuple[float, int] | None:
    """``10^12`` and ``2 x 10^12``."""
    texts = [t.text for t in tokens[at : at + 5]]
    if value == 10 and texts[:1] == ["^"] and len(texts) > 1 and texts[1].isdecimal():
        return 10.0 ** min(int(texts[1]), 30), at + 2
    if len(texts) >= 4 and texts[0] in ("x", "*") and texts[1] == "10" and texts[2] == "^" and texts[3].isdecimal():
        return value * 10.0 ** min(int(texts[3]), 30), at + 4
    return None


def _multiplies(tokens: Sequence[Token], start: int, at: int, words: NumberWords) -> bool:
    """Whether the token at ``at`` multiplies the digits that begin at ``start``."""
    token = tokens[at]
    if token.text not in words.scales:
        return False
    if token.text in words.glued and len(token.text) < 3:
        ends = at + 1 >= len(tokens) or not (tokens[at + 1].glued and tokens[at + 1].is_number)
        of_tokens = at + 1 < len(tokens) and tokens[at + 1].text in _COUNTED_IN_LETTERS
        beside = {t.text for t in (*tokens[max(start - 1, 0) : start], *tokens[at + 1 : at + 2])}
        return (token.glued or of_tokens or not beside.isdisjoint(words.money)) and ends
    return True


def _phrase(tokens: Sequence[Token], at: int, words: NumberWords) -> Quantity | None:
    for size in range(6, 0, -1):
        value = words.phrases.get(tuple(t.text for t in tokens[at : at + size]))
        if value is not None and at + size <= len(tokens):
            return Quantity("number", _plain(value), at, at + size, "word")
    return None


def _spelled(tokens: Sequence[Token], at: int, words: NumberWords) -> Quantity | None:
    """A number in words: ``two hundred and fifty-six``, ``fifteen trillion``; places count tokens."""
    if joined := _in_hundreds(tokens, at, words):
        return joined
    total = group = 0.0
    end, place, unit = at, at, "word"
    if tokens[at].text in ("a", "an") and at + 1 < len(tokens) and words.scales.get(tokens[at + 1].text, 0) >= 100:
        group, place, end = 1.0, at + 1, at + 1
    while place < len(tokens):
        word = tokens[place].text
        if word in words.ones or word in words.tens:
            if place > at and tokens[place - 1].text in words.ones:
                break
            group += words.ones.get(word) or words.tens[word]
        elif end > at and word in ("hundred", "dozen"):
            group *= words.scales[word]
        elif end > at and len(word) > 2 and words.scales.get(word, 0) >= 1000:
            total, group, unit = total + group * words.scales[word], 0.0, word
        elif end > at and word == "point" and place + 1 < len(tokens) and tokens[place + 1].text in words.ones:
            group += words.ones[tokens[place + 1].text] / 10
            place += 1
        elif end > at and tuple(t.text for t in tokens[place : place + 3]) == _AND_A_HALF:  # "two and a half"
            group, place = group + 0.5, place + 2
        elif (
            end > at
            and word in ("-", "and")
            and place + 1 < len(tokens)
            and _goes_on(tokens[place - 1].text, word, tokens[place + 1].text, words)
        ):
            place += 1
            continue
        else:
            break
        place += 1
        end = place
    number = total + group
    unit = unit if unit in _ILLIONS else "word"
    if end > at and _is_spoken_letter(tokens, end, words):  # "a seventy B llama"
        number, unit, end = number * words.scales[tokens[end].text], tokens[end].text, end + 1
    return Quantity("number", _plain(number), at, end, unit) if end > at and number < _LARGEST else None


def _in_hundreds(tokens: Sequence[Token], at: int, words: NumberWords) -> Quantity | None:
    """ "Two fifty six", "five twelve", as they are spoken; "two eighty gig cards" are two."""
    hundreds, following = words.ones.get(tokens[at].text, 0), tokens[at + 1].text if at + 1 < len(tokens) else ""
    if not 1 <= hundreds <= 10 or not (following in words.tens or words.ones.get(following, 0) >= 12):
        return None
    rest = _spelled(tokens, at + 1, words)
    behind = [token.text for token in tokens[rest.end : rest.end + 2]] if rest else []
    sized = bool(behind and behind[0] in words.sizes) or (behind[:1] == ["gpu"] and behind[-1] in words.boxes)
    if rest is None or rest.value >= 100 or sized:
        return None
    return replace(rest, value=int(100 * hundreds + rest.value), start=at)


def _is_spoken_letter(tokens: Sequence[Token], at: int, words: NumberWords) -> bool:
    """ "B" or "T" behind a number in words, where it begins no name: "two B two hundreds"."""
    following = tokens[at + 1] if at + 1 < len(tokens) else None
    number = following is not None and (
        following.is_number or following.text in words.ones or following.text in words.tens
    )
    return at < len(tokens) and tokens[at].text in ("b", "t") and not number


def _goes_on(before: str, joint: str, word: str, words: NumberWords) -> bool:
    """ "Two hundred and five", "twenty-four", "seven-hundred"; "five and seven" and "five-seven" are two numbers."""
    if joint == "and":
        return before in words.scales and (word in words.ones or word in words.tens)
    return word in words.scales or (before in words.tens and word in words.ones)


def _plain(number: float) -> int | float:
    """A whole number as ``int``, anything else as it is."""
    number = round(number, 6)
    return int(number) if number == int(number) and abs(number) < 1e15 else number


def binary(quantity: Quantity) -> int | float:
    """A length in tokens: ``8k`` means 8,192 and ``1m`` 1,048,576; ``10k`` is what it says."""
    thousands = (
        quantity.value / 1000 if quantity.unit == "k" else quantity.value / 1e6 * 1024 if quantity.unit == "m" else 0
    )
    if thousands and thousands == int(thousands) and int(thousands) & (int(thousands) - 1) == 0:
        return int(thousands) * 1024
    return quantity.value
