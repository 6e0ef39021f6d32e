"""How the job is split: ``tp8 pp4 fsdp``, ``zero-3``, ``8-way tensor parallelism``, ``hybrid sharding``."""

from __future__ import annotations

import re

from .numbers import NUMBER, whole
from .reading import Reading

_DEGREES = {
    "tp": r"tensor(?:[\s\-]model)?",
    "pp": r"pipeline(?:[\s\-]model)?",
    "cp": r"context|"
    r"ring attention",
    "ep": r"expert(?:[\s\-]model)?",
    "dp": r"data",
}
_PARALLEL = r"[\s_\-]?parallel(?:ism|ized|ization)?(?:[\s_\-](?:size|degree|ways?))?"
_IS = r"\s?(?:=|:|of|is|at|to|x|over|across|with)?\s?"
_DEGREE = {
    name: re.compile(
        rf"(?<![a-z]){name}(?:[\s_\-]?(?:size|degree))?[\s\-]?(?:=|:|of|is|x|to)?\s?(?P<n>\d+)(?![\d.]*[a-z])|"
        rf"(?<![a-z]){name}\s(?:[a-z]+\s){{1,4}}?(?:=|:|is|of|\()\s?(?P<n____>\d+)(?![\d.]*[a-z])|"
        rf"(?P<n_>{NUMBER})[\s\-]?way\s(?:{words}|{name})(?:{_PARALLEL})?|"
        rf"(?:{words}){_PARALLEL}{_IS}(?P<n__>{NUMBER})(?!\s?(?:nodes?|gpus?|x|h100|a100|h200|b200))(?:[\s\-]?way\b)?|"
        rf"(?<!virtual )(?:{words})\s(?:depth\s?(?:=|:|of|is)?\s?)?(?P<n_____>{NUMBER})(?:[\s\-]?way\b|(?<=\d)(?!\w|[.,\-]\d|\s?(?:gpus?|"
        rf"nodes?|k\b|tokens?)))(?<!data \d)|"
        rf"(?P<n___>{NUMBER})\s(?:{words})(?:{_PARALLEL}|[\s\-]stages?)"
    )
    for name, words in _DEGREES.items()
}
_INTERLEAVE = re.compile(
    rf"\binterleaved?\s(?:1f1b\s|pipeline\s)?(?:schedule\s|scheduling\s)?(?:(?:with|of|in|"
    rf"and)\s)?(?P<n_>\d+)\s(?:model\s|"
    rf"virtual\s)?(?:chunks?|stages)\b|\b(?:interleav(?:e|ed|ing)|vpp|"
    rf"virtual(?:[\s\-]pipeline)?(?:[\s\-]stages)?){_IS}(?P<n>\d+)(?!\w)"
)
_STRATEGIES = {
    "zero1": r"(?:deepspeed\s)?zero(?:[\s\-]?stage)?[\s\-]?(?:1|one)|deepspeed,?\s(?:zero\s)?stage[\s\-]?1|distributed optimizer|"
    r"optimizer[\s\-]state sharding",
    "zero2": r"(?:deepspeed\s)?zero(?:[\s\-]?stage)?[\s\-]?(?:2|two)|deepspeed,?\s(?:zero\s)?stage[\s\-]?2",
    "hsdp": r"hsdp|hybrid[\s_\-]?shard(?:ing|ed)?(?:[\s\-]data[\s\-]parallel(?:ism)?)?",
    "fsdp": r"(?:pytorch\s|torch\s)?fsdp[\s\-]?2?|(?:deepspeed\s)?zero(?:[\s\-]?stage)?[\s\-]?(?:3|three)|"
    r"deepspeed,?\s(?:zero\s)?stage[\s\-]?3|"
    r"full(?:y)?[\s_\-]?shard(?:ed|ing)?(?:[\s\-]data[\s\-]parallel(?:ism)?)?",
    "diloco": r"di[\s\-]?loco|local[\s\-]sgd|federated averaging",
    "async": r"async(?:hronous)?(?:[\s\-]sgd|[\s\-]training|[\s\-]updates)|parameter[\s\-]servers?",
    "ddp": r"ddp|(?:plain|pure|simple|just|only|vanilla)?\s?data[\s\-]parallel(?:ism)?(?:\s(?:only|training))?",
}
_STRATEGY = {name: re.compile(rf"(?<![a-z0-9])(?:{pattern})(?![a-z0-9])") for name, pattern in _STRATEGIES.items()}
_AUTO = re.compile(
    r"\b(?:auto(?:matic)?(?:ally)? ?(?:parallelism|parallel|sharding|split)|parallelism\s?(?:=|:|is)?\s?auto|"
    r"(?<!did )(?<!do )(?<!would )(?:you|weft) (?:choose|decide|pick|find)(?: (?:the )?(?:parallelism|split|"
    r"sharding|strategy))?|(?:choose|find|search) the (?:best )?parallelism|"
    r"whatever (?:parallelism|split) (?:is best|works)|best parallelism)"
)
_SEQUENCE_PARALLEL = re.compile(r"sequence[\s\-]parallel(?:ism)?")
_SWITCHED_OFF = re.compile(r"\s?[:=]?\s?(?:is |turned |switched )*(?:off|disabled|false)\b")
_WITHIN_NODE = re.compile(
    r"shard(?:ed|ing|s)? (?:(?:only|stay|stays|kept|remain|are|is) )*(?:with)?in(?:side)? (?:the |each |a |"
    r"one )?nodes?"
)


def read_parallelism(reading: Reading) -> None:
    """Sets ``parallelism.*``; for serving, tensor parallelism goes to ``inference.tensor_parallel``."""
    for match in reading.message.find(_AUTO):
        reading.set("parallelism", "auto")
        reading.message.take_match(match)
    for name, pattern in _DEGREE.items():
        for match in reading.message.find(pattern):
            degree = whole(next(text for text in match.groupdict().values() if text))
            if degree is None or reading.message.negation(match.start(), match.end()):
                continue
            reading.set(
                "inference.tensor_parallel" if name == "tp" and reading.serves else f"parallelism.{name}", degree
            )
            reading.message.take_match(match)
    for match in reading.message.find(_INTERLEAVE):
        reading.set("parallelism.interleave", int(match["n"] or match["n_"]))
        reading.message.take_match(match)
    _read_flags(reading)
    _read_strategy(reading)


def _read_flags(reading: Reading) -> None:
    for pattern, field in (
        (_SEQUENCE_PARALLEL, "parallelism.sequence_parallel"),
        (_WITHIN_NODE, "parallelism.shard_within_node"),
    ):
        for match in reading.message.find(pattern):
            denial = reading.message.negation(match.start(), match.end())
            off = _SWITCHED_OFF.match(reading.message.text, match.end())
            reading.set(field, denial is None and off is None)
            reading.message.take(
                denial.start if denial else match.start(), off.end() if off else denial.end if denial else match.end()
            )


def _read_strategy(reading: Reading) -> None:
    """One strategy; of two that are named without a denial none is taken."""
    found: list[tuple[str, re.Match[str]]] = []
    for name, pattern in _STRATEGY.items():
        for match in reading.message.find(pattern):
            denial = reading.message.negation(match.start(), match.end())
            if denial:
                reading.deny("parallelism.strategy", name, denial.start, denial.end)
                continue
            reading.message.take_match(match)
            found.append((name, match))
    if len({name for name, _ in found}) > 1 and reading.intent != "change":
        reading.message.give_back([match.span() for _, match in found])
    elif found:
        reading.set("parallelism.strategy", max(found, key=lambda pair: pair[1].start())[0])
    if any("deepspeed" in match[0] for _, match in found):
        reading.set("training.framework", "deepspeed")
