"""Pools of GPUs that are counted apart: "32 H100 for prefill and 64 for decode", "3 clusters of 64 H100 each"."""

from __future__ import annotations

import re
from functools import lru_cache

from .counts import NODE
from .groups import groups, unique_groups
from .numbers import NUMBER, whole
from .reading import Reading

_THING = r"(?:\s?(?:x\s?)?(?:{gpu}|(?:gpus?|cards?|accelerators?)\b))"
_NO_OTHER = rf"(?![\w.]|\s?(?:{NODE}|tokens?\b|k\b|ms\b|requests?\b|racks?\b|x\s?\d|%))"
_SAID = r"(?:(?!\d)[^.;?]){0,40}?"


@lru_cache(maxsize=4)
def _patterns(gpu: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The two pools of disaggregated serving, and several clusters of one size."""
    thing = _THING.format(gpu=gpu)
    first, second = rf"(?P<first>{NUMBER}){_NO_OTHER}{thing}", rf"(?P<second>{NUMBER}){_NO_OTHER}{thing}?"
    split = (
        rf"\bprefil\w*\b{_SAID}{first}{_SAID}\bdecod\w*\b{_SAID}{second}|\bdecod\w*\b{_SAID}{first}{_SAID}\bprefil\w*\b{_SAID}{second}|"
        rf"{first}\s{_SAID}\bprefil\w*\b{_SAID}{second}\s{_SAID}\bdecod\w*\b|{first}\s{_SAID}\bdecod\w*\b{_SAID}{second}\s{_SAID}\bprefil\w*\b"
    )
    clusters = (
        rf"(?P<first>{NUMBER})\s(?:separate\s|identical\s|equal\s)?(?:clusters|islands|partitions|pools|pods)\s(?:of|with|having|at|x|,)\s?"
        rf"(?P<second>{NUMBER}){_NO_OTHER}{thing}(?:\s(?:each|apiece|per (?:cluster|island|partition|pool|pod)))?"
    )
    return re.compile(unique_groups(split)), re.compile(unique_groups(clusters))


def read_pools(reading: Reading) -> None:
    """Sets ``cluster.gpus`` to what the pools hold together, and the workload where they are those of prefill and decode."""
    split, clusters = _patterns(reading.lexicon.gpu_expression)
    for match in reading.message.find(split):
        said = groups(match)
        _set(reading, match, whole(said["first"]), whole(said["second"]), add=True)
        if "workload" not in reading.fields or reading.fields["workload"] == "inference":
            reading.set("workload", "disaggregated-inference")
    for match in reading.message.find(clusters):
        said = groups(match)
        _set(reading, match, whole(said["first"]), whole(said["second"]), add=False)


def _set(reading: Reading, match: re.Match[str], first: int | None, second: int | None, *, add: bool) -> None:
    if not first or not second:
        return
    reading.set("cluster.gpus", first + second if add else first * second)
    for name, text in match.groupdict().items():
        if text and name.startswith(("first", "second")):
            reading.message.take(*match.span(name))
