"""What a question asks of a network: whether it is needed, enough, worth its price, or can be left out, and which network."""

from __future__ import annotations

import re
from enum import Enum

from .asked import Asked


class Polarity(Enum):
    """What a yes would mean. ``NEUTRAL``: a yes could be read either way, or several things are asked at once."""

    NEEDED = "needed"
    ENOUGH = "enough"
    WORTH = "worth it"
    LEFT_OUT = "can be left out"
    TOO_LITTLE = "something better is needed"
    NEUTRAL = "unclear"


_NEED = r"\bneed(?:s|ed)?\b|\b(?:have|has|had) to\b|\brequire[ds]?\b|\bnecessary\b|\bmust\b|\bmandatory\b"
_ENOUGH = r"\benough\b|\bsuffic\w+|\badequate\b|\bget (?:away|by)\b|\bmanage\b|\bworks?\b|\bfine\b(?![\s-]?tun)|\bok(?:ay)?\b|\bdo with\b"
_RUNS = re.compile(r"\b(?:can|could|will|would)\b.{0,60}\b(?:run|train(?:ed)?|fine-?tuned?)\b")
_WORTH = r"\bworth\b|\bpay(?:s|ing)?\b"
_ASKED = (
    (Polarity.NEEDED, re.compile(_NEED)),
    (Polarity.ENOUGH, re.compile(_ENOUGH)),
    (Polarity.WORTH, re.compile(_WORTH)),
)
_NEGATED = re.compile(rf"(?:\bnot\b|n't\b|\bnever\b)(?=.{{0,40}}(?:{_NEED}|{_ENOUGH}|{_WORTH}))")
_BETTER_THAN = re.compile(rf"(?:{_NEED})\s(?:\w+\s){{0,2}}(?:more|better|faster|beyond|else)\b.{{0,20}}\bthan\b")
_WITHOUT = re.compile(r"\b(?:without|do away with|leave out|drop|skip)\b(?P<what>.*)")

_RDMA = re.compile(r"\brdma\b")
# Networks a question names only to leave them out: the understanding rules them out instead of naming them.
_TECHNOLOGIES = {
    "infiniband": r"\binfini-?band\b|\bib\b|\b[nhx]dr\b",
    "roce": r"\broce\b",
    "spectrum-x": r"\bspectrum",
    "efa": r"\befa\b",
    "ultra-ethernet": r"\bultra ethernet\b",
}


def polarity_of(text: str) -> Polarity:
    """What a yes to the lower-case question ``text`` would mean."""
    if _NEGATED.search(text):
        return Polarity.NEUTRAL
    if _BETTER_THAN.search(text):
        return Polarity.TOO_LITTLE
    found = [polarity for polarity, words in _ASKED if words.search(text)]
    if _WITHOUT.search(text):
        return Polarity.NEUTRAL if Polarity.NEEDED in found or Polarity.WORTH in found else Polarity.LEFT_OUT
    if not found and _RUNS.search(text):
        return Polarity.ENOUGH
    return found[0] if len(found) == 1 else Polarity.NEUTRAL


def names_network(asked: Asked) -> bool:
    """Whether the question itself names a network or a speed; what the conversation decided before is none."""
    return bool(asked.speeds or (asked.fabrics and "cluster.fabric" not in asked.told))


def left_out(text: str) -> str | None:
    """The technology that is to be left out, ``rdma`` for all that have it."""
    match = _WITHOUT.search(text)
    if match is None:
        return None
    if _RDMA.search(match["what"]):
        return "rdma"
    return next((name for name, words in _TECHNOLOGIES.items() if re.search(words, match["what"])), None)


def is_about_rdma(asked: Asked) -> bool:
    """Whether RDMA as such is asked about, and no network by name."""
    return asked.has(_RDMA) and not names_network(asked)
