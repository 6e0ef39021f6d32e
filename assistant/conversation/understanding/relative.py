"""What is said against a number that is known: "half the price", "double the GPUs", "20 % less"."""

from __future__ import annotations

import re

from .numbers import plain
from .reading import Reading

WHOLE = {
    "cluster.gpus",
    "cluster.gpus_per_node",
    "cluster.nics_per_node",
    "cluster.sites",
    "training.global_batch",
    "training.micro_batch",
    "inference.tensor_parallel",
    "inference.output_tokens",
    "inference.prompt_tokens",
    "parallelism.tp",
    "parallelism.pp",
    "parallelism.cp",
    "parallelism.ep",
    "parallelism.dp",
}
NUMERIC = WHOLE | {
    "training.sequence_length",
    "training.tokens",
    "training.days",
    "budget.usd",
    "budget.gpu_hour_usd",
    "budget.electricity_usd_per_kwh",
    "constraints.max_slowdown_percent",
    "constraints.deadline_days",
    "inference.requests_per_s",
    "cluster.wan_gbps",
    "cluster.oversubscription",
    "model.params",
}

_FACTORS = {
    "half": 0.5,
    "halve": 0.5,
    "halved": 0.5,
    "halving": 0.5,
    "double": 2.0,
    "doubled": 2.0,
    "twice": 2.0,
    "triple": 3.0,
    "tripled": 3.0,
    **{
        f"{word} times": float(n)
        for n, word in enumerate("two three four five six seven eight nine ten".split(), start=2)
    },
    "quadruple": 4.0,
    "quadrupled": 4.0,
    "a third": 1 / 3,
    "a quarter": 0.25,
}
_THINGS = {
    "budget.gpu_hour_usd": r"(?:(?:gpu\s|hourly\s|rental\s)?(?:price|cost|rate)s?(?:\sper gpu[\s\-]hour)?|gpus?(?=\scosts?\s)|"
    r"gpu[\s\-]hours?)",
    "cluster.gpus": r"(?:number of\s|amount of\s)?(?:gpus?|scale|cluster(?:\ssize)?|cards|accelerators|nodes|servers|machines|boxes|hosts|racks|"
    r"instances|as many gpus)",
    "budget.usd": r"budget",
    "training.global_batch": r"(?:global\s)?batch(?:\ssize)?",
    "training.sequence_length": r"(?:sequence|context)(?:\slength)?",
    "training.tokens": r"tokens",
    "cluster.wan_gbps": r"wan(?:\sbandwidth)?",
}
_FACTOR = rf"(?:{'|'.join(_FACTORS)}|\d+(?:\.\d+)?\s?(?:x|times))"
_IS = (
    r"(?:(?:was|were|is|are|be|been|being|gets?|got|becomes?|became|will|would|should|shall|must|has|have|had|needs?|to|now|about|going|grows?|grew|"
    r"only|actually|just)\s){0,5}"
)
_MORE = r"(?:more|longer|larger|bigger|higher|greater|as many|as much)"
_AS_MUCH = r"(?:longer|larger|bigger|higher|greater|more|that|as (?:many|much|long|large|big|high)(?: as (?:before|now|planned|that))?)\b"
_RELATIVE = {
    field: re.compile(
        rf"(?P<factor>{_FACTOR})\s(?:of\s)?(?:the\s|as many\s|our\s|my\s|that\s)?(?:{thing})\b|(?:the\s|"
        rf"our\s)?(?:{thing})\s{_IS}(?P<factor_>{_FACTOR})\b(?!\sas\s(?:expensive|costly|slow|fast|cheap|dear|good|bad|likely)\b)(?:\s{_AS_MUCH})?|(?P<factor__>\d+(?:\.\d+)?)\s?(?:x|times)\s(?:the|{_MORE})\s(?:{thing})\b"
    )
    for field, thing in _THINGS.items()
}
_AFTERTHOUGHT = r"(?:,?\s(?:please|actually|rather|instead|in fact|then|now|again|sorry))*\W*$"
_SHARES = {"half": 0.5, "a half": 0.5, "a third": 1 / 3, "a quarter": 0.25, "a fifth": 0.2, "a tenth": 0.1}
_SHRINKING = (
    "reduc",
    "cut",
    "lower",
    "decreas",
    "shrink",
    "drop",
    "fall",
    "fell",
    "slash",
    "less",
    "cheap",
    "small",
    "few",
    "short",
    "down",
)
_GROWN = {
    field: re.compile(
        rf"\b(?P<verb>(?:increas|rais|grow|bump|extend|scal|reduc|cut|lower|decreas|shrink|drop|slash)\w*)\s(?:up\s|down\s)?(?:the\s|our\s|"
        rf"my\s)?(?:{thing})\s"
        rf"by\s(?:(?P<share>{'|'.join(_SHARES)})|(?P<percent>\d+(?:\.\d+)?)\s?(?:%|percent|per cent))(?!\w)|"
        rf"\b(?:{thing})\s(?:(?:cost|costs|were|was|is|are|gets?|got|would be|becomes?|became|drops?|dropped|rises?|rose|goes|went|falls?|"
        rf"fell|by|up|down)\s){{0,3}}"
        rf"(?P<percent_>\d+(?:\.\d+)?)\s?(?:%|percent|per cent)\s(?P<verb_>less|cheaper|lower|smaller|fewer|shorter|more|higher|dearer|larger|"
        rf"bigger|longer|up|down)\b|(?P<percent__>\d+(?:\.\d+)?)\s?(?:%|percent|per cent)\s(?P<verb__>less|fewer|lower|smaller|shorter|cheaper|more|higher|"
        rf"larger|bigger|longer|additional|extra)\s(?:of\s)?(?:the\s|our\s)?(?:{thing})\b"
    )
    for field, thing in _THINGS.items()
}
_OF_THAT = re.compile(
    rf"^\W*(?:(?:make (?:it|that)|just|only|no|sorry|actually|rather|oops|wait|"
    rf"take)[\s,]+)*(?P<factor>{_FACTOR})\s(?:of\s)?(?:that|it|this|as (?:many|"
    rf"much))(?: of (?:them|those|it))?{_AFTERTHOUGHT}|"
    rf"^\W*(?:make|have|take)? ?(?:it|that|this|them) (?P<factor_>{_FACTOR})(?: as (?:many|much|big|large|"
    rf"long))?{_AFTERTHOUGHT}"
)
_CUT = re.compile(
    r"^\W*(?:\w+[\s,]+){0,3}?(?:(?:cut|slice|chop|split|reduce|bring|take|divide|scale|shrink|knock)\s(?:that|it|this|them|"
    r"the number|those)(?: down)?\s(?:in|by|to|into|down to)\s(?:a |one )?"
    r"(?P<half>half|two|third|quarter|tenth)|(?P<word>double|halve|triple|quadruple)\s(?:that|it|this|them|the number|"
    r"those))(?: again)?(?: please)?\W*$"
)
_CUT_TO = {"half": 0.5, "two": 0.5, "third": 1 / 3, "quarter": 0.25, "tenth": 0.1}


def read_relative(reading: Reading) -> None:
    """ "Half the price" of the price that is known; without one it stays in the rest."""
    for field, pattern in _RELATIVE.items():
        for match in reading.message.find(pattern):
            current = current_value(reading, field)
            if current is None or field in reading.fields:
                continue
            changed = round(current * _factor(match["factor"] or match["factor_"] or match["factor__"]), 6)
            set_changed(reading, field, changed)
            reading.message.take_match(match)
            reading.intent = "change" if reading.intent == "describe" else reading.intent


def read_grown(reading: Reading) -> None:
    """ "Increase the GPUs by half", "cut the budget by 20 %": of the number that is known."""
    for field, pattern in _GROWN.items():
        for match in reading.message.find(pattern):
            current = current_value(reading, field)
            if current is None or field in reading.fields:
                continue
            share = (
                _SHARES[match["share"]]
                if match["share"]
                else float(match["percent"] or match["percent_"] or match["percent__"]) / 100
            )
            factor = (
                1 - share if (match["verb"] or match["verb_"] or match["verb__"]).startswith(_SHRINKING) else 1 + share
            )
            changed = round(current * factor, 6)
            set_changed(reading, field, changed)
            reading.message.take_match(match)


def read_of_that(reading: Reading) -> None:
    """ "Half of that": of the number said last."""
    match = _OF_THAT.match(reading.message.open) or _CUT.match(reading.message.text)
    last = last_said(reading) if match else None
    current = current_value(reading, last) if last else None
    if current is None:
        return
    said = match.groupdict()
    factor = (
        _CUT_TO[said["half"]]
        if said.get("half")
        else _factor(said.get("factor") or said.get("factor_") or said["word"])
    )
    changed = round(current * factor, 6)
    set_changed(reading, last, changed)
    reading.intent = "what-if" if reading.intent == "what-if" else "change"
    reading.message.take_match(match)


def last_said(reading: Reading) -> str | None:
    """The number that was changed last in the conversation."""
    changed = reading.context.changed if reading.context else ()
    return next((name for name in reversed(changed) if name in NUMERIC), None)


def _factor(text: str) -> float:
    return _FACTORS[text] if text in _FACTORS else float(re.split(r"\s?(?:x|times)", text)[0])


def current_value(reading: Reading, field: str) -> float | None:
    """The value the conversation has for a field; a GPU-hour costs what the catalog says where nothing else was said."""
    known = reading.context.fields.get(field) if reading.context else None
    if known is None and field == "budget.gpu_hour_usd" and reading.context:
        gpu = reading.gpu()
        return gpu.hour_price.value if gpu and gpu.hour_price else None
    return known


def set_changed(reading: Reading, field: str, changed: float) -> None:
    """Set a field to a number that follows from the one before; what is counted stays whole and at least one."""
    reading.set(field, max(1, round(changed)) if field in WHOLE else plain(changed))
