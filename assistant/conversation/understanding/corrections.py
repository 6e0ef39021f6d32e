"""What puts right what was said, and bare numbers that answer a question."""

from __future__ import annotations

import re

from assistant.vocabulary import quantities

from .answered import MODE, TEAM, YES_OR_NO, read_answer
from .message import TAKEN
from .numbers import AMOUNT, binary, plain, value, whole
from .reading import Reading
from .relative import NUMERIC, WHOLE, last_said

_BARE = re.compile(rf"(?<![\w.\-])(?:to\s|it\s|at\s|about\s|say\s|~|\$)?(?P<n>{AMOUNT})(?P<unit>\s?%)?(?![\w%/\-])")
_PUT_RIGHT = re.compile(
    rf"[,.;\s](?:no|sorry|wait|rather|actually|i mean|oops)\b[\s,]*(?:wait|sorry|actually|rather|i mean[t]?)?[\s,]*"
    rf"(?:make (?:that|it)\s)?(?P<n>{AMOUNT})\W*$"
)
_REPLACED = re.compile(
    r"\b(?:replac(?:e|ing)|swap(?:ping)?(?: out)?|substitut(?:e|ing)|exchang(?:e|ing))\s[^.;,]{1,40}?\s(?:by|with|for|"
    r"against)\s|"
    r"\b(?:chang\w+|switch\w*|mov\w+|go|going|upgrad\w+|downgrad\w+)\s(?:\w+\s){0,2}from\s[^.;,]{1,40}?\sto\s"
)
_SAID_BEFORE = re.compile(
    rf"\b(?:entered|typed|said|wrote|put|gave|told you|answered)\s(?:the |a )?(?:{AMOUNT}\s?(?:\w+\s)?|"
    rf"[\w.\-]*\d[\w.\-]*\s)(?:,\s)?(?:but|"
    rf"when|where|while|instead of|however)\s(?:i |we )?(?:meant|mean)?"
)
# "48 H100s, not 64": what was said before is taken back and is no new number.
_NOT_THAT = re.compile(r"(?<=\w),?\s(?:and )?not (?:an? |the )?\d[\w.,]*(?=\W*$|[;.]\s)")


_LEAST_BUDGET = 100  # dollars
_OTHER_THING = re.compile(
    r"\s(?:full\s|whole\s|big\s)?(?P<noun>racks?|nodes?|servers?|machines?|boxes|sites?|switch(?:es)?|nics?|clusters?|hours?|days?|"
    r"weeks?|months?|years?|tokens?|layers?|experts?)\b"
)
_PER_GPU = re.compile(r"\s?(?:per|/|for (?:each|every)|each)\s?(?:gpu|card|accelerator)\b")
_PRODUCT = re.compile(r"^\W*(?:it's |we have |maybe |about |say )?(?P<nodes>\d{1,4})\s?[x*]\s?(?P<each>[1248]|16)\W*$")
_OF = r"(?:\s\w+)?"  # what is counted
_NEW_FOR_OLD = [
    re.compile(pattern)
    for pattern in (
        rf"(?P<new>{AMOUNT}){_OF},?\s(?:and\s)?(?:not|instead of|rather than|in place of)\s(?:the\s|a\s|an\s)?(?P<old>{AMOUNT})",
        rf"\b(?:not|n't)\s(?:the\s|a\s)?(?P<old>{AMOUNT}){_OF}(?:,|\sbut|\s-+|;|\.)\s(?:but\s|rather\s|it(?:'s|\sis)\s|we have\s|actually\s)*"
        rf"(?P<new>{AMOUNT})",
        rf"(?P<old>{AMOUNT}){_OF}\s(?:is|was)\s(?:wrong|a typo|incorrect|a mistake|not right|an error)[,.;:\s\-]+"
        rf"(?:(?:it|that)(?:'s|\sis)|(?:it\s)?should be|make (?:it|that)|we have|i meant?|take|actually|rather|\s)*(?P<new>{AMOUNT})",
        rf"\b(?:chang\w+|switch\w*|mov\w+|go|going|set|rais\w+|lower\w*|increas\w+|reduc\w+)\s(?:\w+\s){{0,2}}from\s(?P<old>{AMOUNT})\sto\s"
        rf"(?P<new>{AMOUNT})",
    )
]

_NOW = re.compile(
    r"\b(?:is|are|has|have|got|'s|'re|we|went (?:up|down)) now\b|\bnow (?:is|are|at|it's|only|just)\b|\bby now\b"
)


def read_self_correction(reading: Reading) -> None:
    """ "64 H100s, no, make that 96": the number said last in the same message is put right."""
    match = _PUT_RIGHT.search(reading.message.text)
    if match and TAKEN in reading.message.open[match.start("n") : match.end("n")]:
        return
    said = next((name for name in reversed(list(reading.fields)) if name in NUMERIC), None)
    number = _parsed(said, match["n"]) if match and said else None
    if number is not None:
        reading.set(said, number)
        reading.message.take_match(match)


def read_replaced(reading: Reading) -> None:
    """ "Replace H100 by B200", "from H100 to B200": only what comes after is meant."""
    for pattern in (_REPLACED, _SAID_BEFORE):
        for match in reading.message.find(pattern):
            reading.message.take(match.start(), match.end())
    if reading.intent == "change":
        for match in reading.message.find(_NOT_THAT):
            if any(c.isdigit() for c in reading.message.text[: match.start()]):
                reading.message.take_match(match)


def read_new_for_old(reading: Reading) -> None:
    """ "It is 48, not 64": the number that is taken back tells which fact is put right."""
    match = next((m for m in (p.search(reading.message.text) for p in _NEW_FOR_OLD) if m), None)
    if match is None or TAKEN in reading.message.open[match.start("new") : match.end("new")]:
        return
    known = [
        name for name, held in reading.context.fields.items() if name in NUMERIC and _parsed(name, match["old"]) == held
    ]
    last = last_said(reading)
    field = last if last in known else known[0] if len(known) == 1 else None
    number = _parsed(field, match["new"]) if field and field not in reading.fields else None
    if number is not None:
        reading.set(field, number)
        reading.intent = "change" if reading.intent == "describe" else reading.intent
        reading.message.take_match(match)


def is_put_anew(reading: Reading) -> bool:
    """ "The budget is now 450k", where another was told before."""
    if reading.context is None or reading.context.asked or not reading.fields or not _NOW.search(reading.message.text):
        return False
    told = reading.context.fields
    return all(name in told and told[name] != value for name, value in reading.fields.items())


def read_bare(reading: Reading) -> None:
    """A number on its own answers the question that was asked, or corrects the number said last."""
    if reading.context is None or reading.intent in ("ask", "why", "why-not", "compare", "help", "export", "undo"):
        return
    read_new_for_old(reading)
    field = _expected(reading)
    if field is None or field in reading.fields:
        return
    if field in (*YES_OR_NO, TEAM, MODE):
        read_answer(reading, field)
        return
    if field == "cluster.gpus" and _read_product(reading):
        return
    matches = [m for m in reading.message.find(_BARE) if _is_of_the_field(reading, field, m)]
    numbers = {_parsed(field, match["n"]) for match in matches}
    if len(numbers) != 1 or reading.message.negation(*matches[0].span()):
        return
    number = numbers.pop()
    if (
        field == "cluster.nics_per_node"
        and number is not None
        and _PER_GPU.match(reading.message.text, matches[0].end())
    ):
        gpu = reading.gpu()
        number *= reading.known("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else 8)
    if number is not None:
        reading.set(field, number)
        for match in matches:
            reading.message.take_match(match)


def _is_of_the_field(reading: Reading, field: str, match: re.Match[str]) -> bool:
    """Whether a number can be the one that is expected: "two racks" is no number of GPUs, "20 %" no budget, 1.5 dollars neither."""
    counted = _OTHER_THING.match(reading.message.text, match.end())
    own = counted and counted["noun"].rstrip("s") in field
    if (counted and not own) or (match["unit"] and not field.endswith("_percent")):
        return False
    return field != "budget.usd" or (_parsed(field, match["n"]) or 0) >= _LEAST_BUDGET


def _read_product(reading: Reading) -> bool:
    """ "4x8" as the number of GPUs: four nodes of eight."""
    match = _PRODUCT.match(reading.message.open)
    if match is None:
        return False
    reading.set("cluster.gpus", int(match["nodes"]) * int(match["each"]))
    reading.set("cluster.gpus_per_node", int(match["each"]))
    reading.message.take_match(match)
    return True


def _expected(reading: Reading) -> str | None:
    """The numeric field a bare number is about: the one last said when correcting, else the one asked for."""
    last = last_said(reading)
    asked = reading.context.asked
    if reading.intent in ("change", "what-if"):
        return last or (asked if asked in NUMERIC else None)
    if asked in NUMERIC or asked in (*YES_OR_NO, TEAM, MODE):
        return asked
    return {"model": "model.params"}.get(asked or "")


def _parsed(field: str, text: str) -> int | float | None:
    if field == "training.sequence_length":
        return binary(text)
    if field in WHOLE:
        return whole(text)
    if field == "model.params" and not re.search(r"\d\s?[mbt]|illion", text):
        return None
    try:
        return plain(quantities.count(text) if not text[0].isalpha() else value(text))
    except ValueError:
        return None
