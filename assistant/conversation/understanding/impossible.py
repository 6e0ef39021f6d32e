"""Numbers that cannot be meant: ``-5 GPUs``, ``0 nodes``, ``minus 3 days``. They are named, never read without their sign."""

from __future__ import annotations

import re

from .numbers import AMOUNT
from .reading import Reading

_UNIT = (r"(?:gpus?|cards?|accelerators?|nodes?|servers?|machines?|hosts?|boxes|instances?|racks?|nics?|sites?|tokens?|sequences|layers|"
         r"hours?|days?|weeks?|months?|years?|dollars?|usd|bucks|percent|%|gbps|gb/s|gbe|requests?|rps|qps)")
_LINK = re.compile(r"\b[a-z][a-z0-9+.\-]*://\S+|\bwww\.\S+")
_SIGN = r"(?<![\w.)\]%-])(?:-(?=[\d$])|minus\s|negative\s)\$?"


def refuse(reading: Reading) -> list[tuple[int, int]]:
    """Masks impossible numbers and notes a sentence for each; the places, to be given back when all is read."""
    thing = _anonymous(rf"(?:{reading.lexicon.gpu_expression}|{_UNIT}(?![a-z0-9]))")
    amount = re.sub(r"^(?:\(\?<![^)]*\))+", "", AMOUNT)
    negative = re.compile(rf"{_SIGN}{amount}(?:[\s\-]?(?:x\s?)?{thing}|(?=\W*$))|(?<=[=:])\s?-\$?\d[\d.,]*|-\$\d[\d.,]*[kmb]?")
    nothing = re.compile(rf"(?<![\w.,$-])(?:0|zero)\s(?:x\s?)?{thing}")
    spans = []
    for match in [*reading.message.find(negative), *reading.message.find(nothing)]:
        reading.doubts.append(f"\"{reading.message.typed(*match.span()).strip()}\" cannot be right: the number must be more than zero")
        reading.message.take_match(match)
        spans.append(match.span())
    return spans


def set_links_aside(reading: Reading) -> list[tuple[int, int]]:
    """Masks addresses: what stands in one is no fact of the job. Returns the places, to be given back."""
    spans = [match.span() for match in reading.message.find(_LINK)]
    for span in spans:
        reading.message.take(*span)
    return spans


def _anonymous(pattern: str) -> str:
    return re.sub(r"\(\?P<\w+>", "(?:", pattern)
