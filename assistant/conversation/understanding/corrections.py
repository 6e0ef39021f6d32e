"""What only makes sense in a conversation: bare numbers, "half the price", "double the GPUs"."""

from __future__ import annotations

import re

from assistant.vocabulary import quantities

from .message import TAKEN
from .numbers import AMOUNT, binary, plain, value, whole
from .reading import Reading

_BARE = re.compile(rf"(?<![\w.\-])(?:to\s|it\s|at\s|about\s|say\s|~|\$)?(?P<n>{AMOUNT})(?P<unit>\s?%)?(?![\w%/\-])")
_FACTORS = {"half": 0.5, "halve": 0.5, "halved": 0.5, "halving": 0.5, "double": 2.0, "doubled": 2.0, "twice": 2.0,
            "triple": 3.0, "three times": 3.0,
            "four times": 4.0, "quadruple": 4.0, "a third": 1 / 3, "a quarter": 0.25, "ten times": 10.0}
_THINGS = {
    "budget.gpu_hour_usd": r"(?:gpu\s|hourly\s|rental\s)?(?:price|cost|rate)s?(?:\sper gpu[\s\-]hour)?",
    "cluster.gpus": r"(?:number of\s|amount of\s)?(?:gpus?|scale|cluster(?:\ssize)?|cards|as many gpus)",
    "budget.usd": r"budget",
    "training.global_batch": r"(?:global\s)?batch(?:\ssize)?",
    "training.sequence_length": r"(?:sequence|context)(?:\slength)?",
    "training.tokens": r"tokens",
    "cluster.wan_gbps": r"wan(?:\sbandwidth)?",
}
_FACTOR = rf"(?:{'|'.join(_FACTORS)}|\d+(?:\.\d+)?\s?(?:x|times))"
_RELATIVE = {field: re.compile(
    rf"(?P<factor>{_FACTOR})\s(?:of\s)?(?:the\s|as many\s|our\s|my\s|that\s)?(?:{thing})\b|(?:the\s|"
    rf"our\s)?(?:{thing})\s(?:was\s|were\s|is\s|are\s)?(?P<factor_>{_FACTOR})\b")
    for field, thing in _THINGS.items()}
_OF_THAT = re.compile(rf"^\W*(?:make (?:it|that)\s|just\s|only\s)*(?P<factor>{_FACTOR})\s(?:of\s)?(?:that|it|this|as (?:many|"
                      rf"much))(?: of (?:them|those|it))?(?: please)?\W*$|"
                      rf"^\W*(?:make|have|take)? ?(?:it|that|this|them) (?P<factor_>{_FACTOR})(?: as (?:many|much|big|large|"
                      rf"long))?(?: please)?\W*$")
_CUT = re.compile(r"^\W*(?:\w+[\s,]+){0,3}?(?:(?:cut|slice|chop|split|reduce|bring|take|divide|scale|shrink|knock)\s(?:that|it|this|them|"
                  r"the number|those)(?: down)?\s(?:in|by|to|into|down to)\s(?:a |one )?"
                  r"(?P<half>half|two|third|quarter|tenth)|(?P<word>double|halve|triple|quadruple)\s(?:that|it|this|them|the number|"
                  r"those))(?: again)?(?: please)?\W*$")
_CUT_TO = {"half": 0.5, "two": 0.5, "third": 1 / 3, "quarter": 0.25, "tenth": 0.1}
_PUT_RIGHT = re.compile(rf"[,.;\s](?:no|sorry|wait|rather|actually|i mean|oops)\b[\s,]*(?:wait|sorry|actually|rather|i mean[t]?)?[\s,]*"
                        rf"(?:make (?:that|it)\s)?(?P<n>{AMOUNT})\W*$")
_REPLACED = re.compile(r"\b(?:replac(?:e|ing)|swap(?:ping)?(?: out)?|substitut(?:e|ing)|exchang(?:e|ing))\s[^.;,]{1,40}?\s(?:by|with|for|"
                       r"against)\s|"
                       r"\b(?:chang\w+|switch\w*|mov\w+|go|going|upgrad\w+|downgrad\w+)\s(?:\w+\s){0,2}from\s[^.;,]{1,40}?\sto\s")
_SAID_BEFORE = re.compile(rf"\b(?:entered|typed|said|wrote|put|gave|told you|answered)\s(?:the |a )?{AMOUNT}\s?(?:\w+\s)?(?:,\s)?(?:but|"
                          rf"when|where|while|instead of|however)\s")
_WHOLE = {"cluster.gpus", "cluster.gpus_per_node", "cluster.nics_per_node", "cluster.sites", "training.global_batch",
          "training.micro_batch",
          "inference.tensor_parallel", "inference.output_tokens", "inference.prompt_tokens", "parallelism.tp", "parallelism.pp",
          "parallelism.cp", "parallelism.ep",
          "parallelism.dp"}
_NUMERIC = _WHOLE | {"training.sequence_length", "training.tokens", "training.days", "budget.usd", "budget.gpu_hour_usd",
                     "budget.electricity_usd_per_kwh",
                     "constraints.max_slowdown_percent", "constraints.deadline_days", "inference.requests_per_s",
                     "cluster.wan_gbps", "cluster.oversubscription", "model.params"}
_YES_OR_NO = ("constraints.vendor_neutral", "budget.spot", "cluster.adaptive_routing")
_YES = re.compile(r"^\W*(?:yes|yep|yeah|sure|correct|true|y)\b")
_NO = re.compile(r"^\W*(?:no|nope|none|false|n)\b\W*$")


_WHO = {
    "none": re.compile(r"\b(?:nobody|no one|no-one|none|nope|no|not really|not at all|zero|just me|only me|me alone|myself)\b(?: really|"
                       r" here| yet| at all)*"),
    "expert": re.compile(r"\b(?:experts?|plenty|lots|strong|dedicated|professionals?|a (?:whole|full|big|large) \w+|very (?:good|"
                         r"experienced|skilled)|experienced|specialists?|definitely)\b"),
    "some": re.compile(r"\b(?:yes|yep|yeah|some|somewhat|a (?:bit|little|few)|one|two|three|kind of|sort of|basic|part[\s-]time|someone|"
                       r"somebody|a bit)\b"),
}


def read_relative(reading: Reading) -> None:
    """"Half the price" of the price that is known; without one it stays in the rest."""
    for field, pattern in _RELATIVE.items():
        for match in reading.message.find(pattern):
            current = _current(reading, field)
            if current is None or field in reading.fields:
                continue
            changed = round(current * _factor(match["factor"] or match["factor_"]), 6)
            reading.set(field, max(1, round(changed)) if field in _WHOLE else plain(changed))
            reading.message.take_match(match)


def read_of_that(reading: Reading) -> None:
    """"Half of that": of the number said last."""
    match = _OF_THAT.match(reading.message.open) or _CUT.match(reading.message.text)
    last = _last_said(reading) if match else None
    current = _current(reading, last) if last else None
    if current is None:
        return
    said = match.groupdict()
    factor = _CUT_TO[said["half"]] if said.get("half") else _factor(said.get("factor") or said.get("factor_") or said["word"])
    changed = round(current * factor, 6)
    reading.set(last, max(1, round(changed)) if last in _WHOLE else plain(changed))
    reading.intent = "what-if" if reading.intent == "what-if" else "change"
    reading.message.take_match(match)


def _last_said(reading: Reading) -> str | None:
    changed = reading.context.changed if reading.context else ()
    return next((name for name in reversed(changed) if name in _NUMERIC), None)


def _factor(text: str) -> float:
    return _FACTORS[text] if text in _FACTORS else float(re.split(r"\s?(?:x|times)", text)[0])


def read_self_correction(reading: Reading) -> None:
    """"64 H100s, no, make that 96": the number said last in the same message is put right."""
    match = _PUT_RIGHT.search(reading.message.text)
    if match and TAKEN in reading.message.open[match.start("n"):match.end("n")]:
        return
    said = next((name for name in reversed(list(reading.fields)) if name in _NUMERIC), None)
    number = _parsed(said, match["n"]) if match and said else None
    if number is not None:
        reading.set(said, number)
        reading.message.take_match(match)


def read_replaced(reading: Reading) -> None:
    """"Replace H100 by B200", "from H100 to B200": only what comes after is meant."""
    for pattern in (_REPLACED, _SAID_BEFORE):
        for match in reading.message.find(pattern):
            reading.message.take(match.start(), match.end())


def _current(reading: Reading, field: str) -> float | None:
    known = reading.context.fields.get(field) if reading.context else None
    if known is None and field == "budget.gpu_hour_usd" and reading.context:
        gpu = reading.gpu()
        return gpu.hour_price.value if gpu and gpu.hour_price else None
    return known


def read_bare(reading: Reading) -> None:
    """A number on its own answers the question that was asked, or corrects the number said last."""
    if reading.context is None or reading.intent in ("ask", "why", "why-not", "compare", "help", "export", "undo"):
        return
    field = _expected(reading)
    if field is None or field in reading.fields:
        return
    if field in _YES_OR_NO:
        _read_yes_no(reading, field)
    if field == "constraints.network_team":
        _read_how_many(reading)
    matches = list(reading.message.find(_BARE))
    numbers = {_parsed(field, match["n"]) for match in matches}
    if len(numbers) != 1 or reading.message.negation(*matches[0].span()):
        return
    number = numbers.pop()
    if number is not None:
        reading.set(field, number)
        for match in matches:
            reading.message.take_match(match)


def _expected(reading: Reading) -> str | None:
    """The numeric field a bare number is about: the one last said when correcting, else the one asked for."""
    last = _last_said(reading)
    asked = reading.context.asked
    if reading.intent in ("change", "what-if"):
        return last
    if asked in _NUMERIC or asked in (*_YES_OR_NO, "constraints.network_team"):
        return asked
    return {"model": "model.params"}.get(asked or "")


def _read_yes_no(reading: Reading, field: str) -> None:
    for pattern, answer in ((_YES, True), (_NO, False)):
        match = pattern.match(reading.message.open)
        if match:
            reading.set(field, answer)
            reading.message.take_match(match)
            return


def _read_how_many(reading: Reading) -> None:
    """"Nobody really", "just me", "a whole department": who runs the network, when that was asked."""
    for level, pattern in _WHO.items():
        match = pattern.search(reading.message.open)
        if match:
            reading.set("constraints.network_team", level)
            reading.message.take_match(match)
            return


def _parsed(field: str, text: str) -> int | float | None:
    if field == "training.sequence_length":
        return binary(text)
    if field in _WHOLE:
        return whole(text)
    if field == "model.params" and not re.search(r"\d\s?[mbt]|illion", text):
        return None
    try:
        return plain(quantities.count(text) if not text[0].isalpha() else value(text))
    except ValueError:
        return None
