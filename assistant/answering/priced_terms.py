"""A list of parts as it is written down: so many of each at so much. What has no price is named, and left out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from assistant.vocabulary.utterance import Amount

from .case import Case

# Commas and line ends between parts, not those of "$43,000", and the words and signs that add one to another.
_BETWEEN = re.compile(r",(?!\d)|[;+&?\n]|(?<!\d)\.(?!\d)|\b(?:and|plus|und|et)\b", re.I)
_TIMES = re.compile(r"^\s*(?:x|×|\*|·)\s*$", re.I)
# "48 switches x $43,000", "2,000 cables at $100", "40 transceivers: $900"
_EACH = re.compile(r"(?:\bx|×|\*|·|@|\bat|\bà|:)\s*(?:about\s*)?$", re.I)
_OF_MACHINES = re.compile(r"\s*(?:on|for|over|across|in)\b", re.I)  # "… on 1024 GPUs over 36 months"
_NAME = re.compile(r"\s*(?:of\s+|the\s+|our\s+)?((?:[^\W\d_][\w/.-]*+\s?){1,3})")
_ASKS = re.compile(r"\s*(?:what|how)\b.*?\b(?:is|are|do|does|would|will|of|cost)\b(?:\s+an?\b)?", re.I)
_LAST = re.compile(r"\s+(?:at|each|for|x|on|over|in|to|of|is|are)\b.*", re.I)


@dataclass(frozen=True)
class Term:
    """So many of a part, ``what`` they are, and US dollars of one; ``None`` where no price is told."""

    count: float
    what: str
    usd: float | None

    @property
    def told(self) -> str:
        """``48 switches × $43,000 = $2,064,000``."""
        many = f"{self.count:,g} {self.what}".strip()
        if self.usd is None:
            return many
        if self.count == 1:
            return f"{self.what} {_dollars(self.usd)}".strip()
        return f"{many} × {_dollars(self.usd)} = {_dollars(self.count * self.usd)}"


def terms(case: Case) -> list[Term]:
    """The parts of a list in the order in which they stand."""
    text, amounts = case.utterance.text, case.utterance.amounts
    edges = [0, *(at for match in _BETWEEN.finditer(text) for at in match.span()), len(text)]
    pieces = [
        (first, last, [one for one in amounts if first <= one.start < last])
        for first, last in pairwise(edges)
        if first < last
    ]
    return [term for first, last, said in pieces for term in _of_piece(text, first, last, said)]


def _of_piece(text: str, first: int, last: int, said: Sequence[Amount]) -> Iterator[Term]:
    """The part that a piece between two commas tells of, if it does."""
    price = next((one for one in said if one.kind == "money"), None)
    if price is None:
        yield from _without_price(text, first, last, said)
        return
    before = [one for one in said if one.kind == "number" and one.end <= price.start]
    after = next((one for one in said if one.kind == "number" and one.start >= price.end), None)
    if after and _TIMES.match(text[price.end : after.start]):  # "$43,000 × 48 switches"
        yield Term(float(after.value), _name(text, after.end, last), float(price.value))
    elif before and (price.unit in ("gpu", "port", "node") or _EACH.search(text[first : price.start])):
        count = before[-1]
        yield Term(float(count.value), _name(text, count.end, price.start), float(price.value))
    else:  # "64 HCAs ($250K)" is the sum of all of them
        some = _name(text, before[-1].end, price.start) if before else ""
        named = f"{before[-1].value:,g} {some}" if some else _name(text, first, price.start)
        yield Term(1.0, named or _name(text, price.end, last), float(price.value))


def _without_price(text: str, first: int, last: int, said: Sequence[Amount]) -> Iterator[Term]:
    """ "3 routers": so many of something, with nothing before that says what they are for."""
    count = next((one for one in said if one.kind == "number"), None)
    if count is None or text[first : count.start].strip() or any(one.kind != "number" for one in said):
        return
    name = _name(text, count.end, last)
    if name and not re.match(r"(?:x\s+)?(?:gpu|node)", name, re.I) and not _OF_MACHINES.match(text[first:]):
        yield Term(float(count.value), name, None)


def _name(text: str, first: int, last: int) -> str:
    opening = _ASKS.match(text[first:last])
    found = _NAME.match(text[first + (opening.end() if opening else 0) : last])
    name = f" {found[1]} " if found else ""
    return _LAST.sub("", name).strip(" :.-")


def _dollars(usd: float) -> str:
    return f"${usd:,.0f}" if usd == round(usd) else f"${usd:,.2f}"
