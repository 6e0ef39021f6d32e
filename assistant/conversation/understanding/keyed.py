"""Fields written as in a questionnaire: ``cluster.gpus_per_node: 8``, ``nics_per_node=4``, ``spot: false``."""

from __future__ import annotations

import re

from .numbers import AMOUNT, binary, plain, value, whole
from .reading import Reading

# A name alone is enough where nothing else is called so; the short ones need their section in front.
_NUMBERS = (
    "cluster.gpus_per_node",
    "cluster.nics_per_node",
    "cluster.wan_gbps",
    "training.sequence_length",
    "training.global_batch",
    "training.micro_batch",
    "inference.tensor_parallel",
    "inference.prompt_tokens",
    "inference.output_tokens",
    "inference.requests_per_s",
    "budget.gpu_hour_usd",
    "budget.fabric_premium_gpu_hour_usd",
    "budget.amortization_months",
    "budget.electricity_usd_per_kwh",
    "constraints.max_slowdown_percent",
    "constraints.deadline_days",
)
_NUMBERS_OF_A_SECTION = (
    "cluster.gpus",
    "cluster.sites",
    "training.tokens",
    "training.days",
    "budget.usd",
    "cluster.oversubscription",
)
_YES_OR_NO = (
    "constraints.vendor_neutral",
    "parallelism.sequence_parallel",
    "parallelism.shard_within_node",
    "budget.spot",
    "cluster.adaptive_routing",
)
_TOKEN_LENGTHS = ("training.sequence_length",)
_COUNTS = (
    "gpus",
    "gpus_per_node",
    "nics_per_node",
    "sites",
    "global_batch",
    "micro_batch",
    "tensor_parallel",
    "prompt_tokens",
    "output_tokens",
)
_IS = r"[\"']?\s?(?:=|:)\s?\$?"


def _named(field: str) -> str:
    section, name = field.split(".")
    return rf"(?:{section}[./])?{name}" if field not in _NUMBERS_OF_A_SECTION else rf"{section}[./]{name}"


_FIELDS = [
    (field, re.compile(rf"(?<![\w.]){_named(field)}{_IS}(?P<n>{AMOUNT}|\.\d+)"))
    for field in (*_NUMBERS, *_NUMBERS_OF_A_SECTION)
]
_FLAGS = [
    (field, re.compile(rf"(?<![\w.]){_named(field)}{_IS}(?:(?P<yes>true|yes|on)|false|no|off)\b"))
    for field in _YES_OR_NO
]


def read_keyed(reading: Reading) -> None:
    """Sets the fields that are written by their names in the questionnaire."""
    if "=" not in reading.message.text and ":" not in reading.message.text:
        return
    for field, pattern in _FIELDS:
        for match in reading.message.find(pattern):
            number = _number(field, match["n"])
            if number is not None:
                reading.set(field, number)
                reading.message.take_match(match)
    for field, pattern in _FLAGS:
        for match in reading.message.find(pattern):
            reading.set(field, match["yes"] is not None)
            reading.message.take_match(match)


def _number(field: str, text: str) -> int | float | None:
    if field in _TOKEN_LENGTHS:
        return binary(text)
    return whole(text) if field.split(".")[1] in _COUNTS else plain(value(text))
