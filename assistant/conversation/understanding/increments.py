"""What is added to a number that is known, or taken from it: "4 more nodes", "extend the deadline by two weeks".

Where the number is not known, nothing is read: the part that is added is not the whole.
"""

from __future__ import annotations

import re
from functools import lru_cache

from .counts import NODE
from .dollars import MONEY, dollars
from .duration import UNIT_DAYS
from .groups import groups, unique_groups
from .numbers import NUMBER, value, whole
from .reading import Reading
from .relative import set_changed

_ONE = ("a", "an", "one", "another")
_N = rf"(?P<n>{NUMBER}|\b(?:an?|one|another)\b)"
_EXTRA = r"(?:more|extra|additional|further|other)"
_OF_OURS = r"(?:\sof\s(?:the|our|my|these|those))?"
_LONGER = r"(?:longer|later|more|extra|additional)"
_SHORTER = r"(?:earlier|shorter|less|sooner|fewer)"
_MOVE = r"(?:extend|prolong|postpone|push|delay|lengthen|mov|shift|shorten|cut|bring|pull|reduc|increas)\w*"
_STRETCH = rf"{_N}\s(?:{_EXTRA}\s)?(?P<unit>hours?|days?|weeks?|months?)"
# "Than before": against the number that is known. Against anything else it is not known what the number becomes.
_THAN_KNOWN = (
    r"\sthan\s(?:before|now|today|currently|at present|until now|so far|planned|last time|at the moment|(?:i|we) (?:said|planned|had|have)|"
    r"what we (?:have|had)|(?:the|our) (?:current|previous|last|present) \w+|that|this)(?:\s(?:now|before|today|planned|so far))*\b"
)
_TIME = re.compile(
    unique_groups(
        rf"\b{_MOVE}\s[^.;,]{{0,40}}?\bby\s{_STRETCH}\b(?:\s(?:{_LONGER}|{_SHORTER}))?|{_STRETCH}\s(?:{_LONGER}|"
        rf"{_SHORTER})\b(?:{_THAN_KNOWN}|(?!\sthan))"
    )
)
_BUDGET = re.compile(
    rf"\b(?:increas|rais|extend|bump|lower|reduc|cut|decreas|shrink|slash)\w*\s(?:up\s|down\s)?(?:the\s|our\s|"
    rf"my\s)?budget\sby\s{MONEY}"
)
_DOWN = re.compile(
    rf"\b(?:{_SHORTER}|shorten\w*|cut\w*|forward|reduc\w*|lower\w*|pull\w*|decreas\w*|shrink\w*|slash\w*)\b"
)
_A_NODE = re.compile(NODE)


@lru_cache(maxsize=4)
def _counted(gpu: str) -> tuple[tuple[re.Pattern[str], int], ...]:
    """The patterns of more and of fewer, each with its sign. ``gpu`` is the regular expression for a GPU's name."""
    gpu = re.sub(r"\(\?P<\w+>", "(?:", gpu)
    thing = rf"(?P<thing>\s(?:gpus?|cards?|accelerators?)\b|\s{gpu}|{NODE})"
    known = rf"(?:{_THAN_KNOWN}|(?!\s?than))"
    more = rf"{_N}\s{_EXTRA}{thing}{known}|{_N}{thing}\s(?:more|extra)(?:{_THAN_KNOWN}|(?=\W*$))|\badd(?:s|ed|ing)?\s(?:in\s)?{_N}(?:\s{_EXTRA})?{thing}|\banother\s{_N}{thing}"
    fewer = (
        rf"{_N}\s(?:fewer|less){thing}{known}|{_N}{_OF_OURS}{thing}\s(?:fewer|less|(?:have |has )?(?:died|failed|broke|broken)|(?:are|is|went) (?:gone|broken|dead|down|out))\b{known}|"
        rf"\btak(?:e|es|ing)\s{_N}{_OF_OURS}{thing}\s(?:away|off|out)\b|\b(?:remov(?:e|es|ed|ing)|subtract|minus|los(?:e|es|t|ing)|drop(?:s|ped)?|return(?:s|ed)?|gave back|give back)\s{_N}{_OF_OURS}{thing}"
    )
    return (re.compile(unique_groups(more)), 1), (re.compile(unique_groups(fewer)), -1)


@lru_cache(maxsize=4)
def _against_others(gpu: str) -> re.Pattern[str]:
    """ "4 more GPUs than they": a number that is no count of ours."""
    gpu = re.sub(r"\(\?P<\w+>", "(?:", gpu)
    thing = rf"(?:\s(?:gpus?|cards?|accelerators?)\b|\s{gpu}|{NODE})"
    return re.compile(unique_groups(rf"{_N}\s(?:{_EXTRA}|fewer|less){thing}(?=\sthan\b)"))


def read_increments(reading: Reading) -> None:
    """Sets ``cluster.gpus``, ``constraints.deadline_days``, ``training.days`` and ``budget.usd`` from a difference to what is known."""
    for pattern, sign in _counted(reading.lexicon.gpu_expression):
        for match in reading.message.find(pattern):
            said = groups(match)
            each = _per_node(reading) if _A_NODE.fullmatch(said["thing"]) else 1
            count = 1 if said["n"] in _ONE else whole(said["n"])
            _change(reading, match, "cluster.gpus", sign * count * each if count and each else None)
    for match in reading.message.find(_against_others(reading.lexicon.gpu_expression)):
        reading.held.append(match.span())
        reading.message.take_match(match)
    for match in reading.message.find(_TIME):
        _change_time(reading, match)
    for match in reading.message.find(_BUDGET):
        _change(reading, match, "budget.usd", dollars(match) * _sign(match))


def _per_node(reading: Reading) -> int | None:
    gpu = reading.gpu()
    return reading.known("cluster.gpus_per_node") or (gpu.gpus_per_node if gpu else None)


def _change_time(reading: Reading, match: re.Match[str]) -> None:
    """The deadline, or the length of the run where only that is known."""
    said = groups(match)
    number = 1.0 if said["n"] in _ONE else value(said["n"])
    fields = reading.context.fields if reading.context else {}
    field = (
        "training.days"
        if "training.days" in fields and "constraints.deadline_days" not in fields
        else "constraints.deadline_days"
    )
    _change(reading, match, field, _sign(match) * number * UNIT_DAYS[said["unit"].rstrip("s")])


def _sign(match: re.Match[str]) -> int:
    return -1 if _DOWN.search(match[0]) else 1


def _change(reading: Reading, match: re.Match[str], field: str, difference: float | None) -> None:
    """Add to the number the conversation has; without one the words are kept from being read as the whole."""
    fields = reading.context.fields if reading.context else {}
    if field in fields and difference is not None and fields[field] + difference > 0:
        set_changed(reading, field, round(fields[field] + difference, 6))
        reading.message.take_match(match)
        reading.intent = "change" if reading.intent == "describe" else reading.intent
    elif fields:
        reading.held.append(match.span())
        reading.message.take_match(match)
