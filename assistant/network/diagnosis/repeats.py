"""Lines that a log has again and again, with other numbers that no reader asks for: process ids, addresses in memory,
times of the day. The first is read, what it counted is kept, and the others are counted like it."""

import re
from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .perf_table import Said

# A number that begins a word and is an address in memory, has four digits and more (a date may follow), or is a time.
# Names with numbers, what begins with 0, and what is shorter, stay: ranks, devices, statuses, parts of addresses.
_NUMBER = re.compile(
    rb"\d(?<![\w.-].)(?:x[0-9a-f]{5,}|(?<!0)\d{3,}(?:-\d\d-\d\d[T ]\d\d:\d\d:\d\d)?[.,\dZ]*|\d:\d\d:\d\d[.,\dZ]*)"
)
_ANY = b"\x01"  # in place of it: a sign that no line has, as "0 errors" is not like "4711 errors"
_PROCESS = re.compile(rb"(?<= Pid)\s+\d+|\[[\da-f]{2,8}:[\da-f:.]{2,12}\]")  # and the address of its GPU
_MOST, _LONGEST = 50_000, 400  # kinds that are remembered, and bytes of the longest line: 30 MB


@dataclass(frozen=True)
class Again:
    """What a line counts each time: places of counters, and known failures; what it told the tables' reader, and the
    adapters that it lists; what a line of the tool's own says."""

    counts: tuple[tuple[Counter[Any], Hashable], ...] = ()
    seen: tuple[Any, ...] = ()
    told: str = ""
    listed: tuple[str, ...] = ()
    table: Said | None = None
    went_on: bool = False  # it tells of a job that runs

    @cached_property
    def more(self) -> bool:
        """Whether it does more than count."""
        return bool(self.seen or self.told or self.went_on) or self.table is not None


_NOTHING = Again()


class Repeats:
    """By kind of line what it counts; the first kinds of a log, as one with many more has few repeats."""

    def __init__(self) -> None:
        self._known: dict[bytes, Again] = {}

    def key(self, line: bytes) -> bytes:
        """The line without numbers that nobody asks for; empty where it is too long to be remembered."""
        return _NUMBER.sub(_ANY, line) if len(line) < _LONGEST else b""

    def table_key(self, line: bytes) -> bytes:
        """A line of the tool's own without the process that a rank line names: all else in it is asked for."""
        return _PROCESS.sub(b"", line) if len(line) < _LONGEST else b""

    def of(self, key: bytes) -> Again | None:
        """What a line counts that is like one before."""
        return self._known.get(key)

    def keep(self, key: bytes, again: Again = _NOTHING) -> None:
        """Remember what a line counted that nothing else follows from."""
        if key and len(self._known) < _MOST:
            self._known[key] = again

    def forget(self) -> None:
        """Read all kinds anew, as the readers take lines otherwise from here on."""
        self._known.clear()
