"""Lines that differ in numbers alone are of one kind, and what they may tell is asked once of each kind.

A piece of a log is brought to its kinds as a whole: small letters, ``0`` for a number or an address, one space for
several. A kind that told nothing by its numbers when it was read is counted from then on; where known failures ask for
a certain number (``Xid 79``) those alone are looked for in each line.
"""

import re
from collections import Counter, deque
from collections.abc import Callable, Hashable
from functools import lru_cache
from typing import Any

from .columns import may_head
from .signatures import Signature, read, signatures

_ADDRESS = re.compile(rb"0x[0-9a-fA-F]{5,}")
_SMALL = bytes(
    ord("0") if at in b"0123456789" else at + 32 if 65 <= at <= 90 else 32 if at in b"\t\r" else at for at in range(256)
)
# What is left of a name made of hexadecimal digits: a container, an address of an adapter, a commit.
_HEXADECIMAL = re.compile(rb"0[a-f]{1,8}0[0a-f]*")
# Runs become one sign, of spaces up to 38 long and of digits up to 10: longer numbers are kinds of their own.
_RUNS = ((b" ", (8, 4, 2, 2)), (b"0", (3, 2, 2)))
_MOST, _LONGEST = 30_000, 600  # kinds that are remembered, and bytes of the longest: 30 MB
_LENGTHY, _ALL = 2500, 30_000_000  # bytes of the longest of which a sample may be read, and of all keys together
# What is left of names of hexadecimal digits that begin with a letter, of requests and commits; of some cards too.
_NAMES = re.compile(rb"[a-f]{1,8}0(?![a-z0-9])|[a-f0]{8,}")
_COLOURED = b"\x1b"  # what may stand inside any word
# Rows of nccl-tests with both sides are told before the kinds are made, as no two of them are alike: size, count, type,
# operation, root, eight numbers.
_ROWS = re.compile(
    rb"^ *+\d++ ++\d++ ++(?:b?float\d*+|half|double|u?int\d*+|u?char|fp8\w*+|f8\w*+) ++[a-z]++ ++-?\d++"
    rb"(?: ++[\d.]++){8}+$",
    re.MULTILINE,
)
_ROW = b"0 0 float sum \x01"  # their kind, which no other line has
_ENDS = b" \",'}])\\n"  # what may stand behind the last word of a line that something was put around


_BLOCKS, _BAR = b"\xe2\x96", b"\xe2\x96\x88"  # how UTF-8 writes block elements, and the whole one


def _drawn(piece: bytes) -> bytes:
    """Bars of progress, each of one block however far it is."""
    for part in b"\x89\x8a\x8b\x8c\x8d\x8e\x8f":
        piece = piece.replace(_BLOCKS + bytes((part,)), _BAR)
    for length in (8, 4, 2, 2):
        piece = piece.replace(length * _BAR, _BAR)
    return piece


def kinds_in(piece: bytes) -> list[bytes]:
    """The kind of each line of a piece."""
    piece = _ROWS.sub(_ROW, piece)
    if _BLOCKS in piece:
        piece = _drawn(piece)
    if b"0x" in piece or b"0X" in piece:
        piece = _ADDRESS.sub(b"0", piece)
    piece = piece.translate(_SMALL)
    for sign, lengths in _RUNS:
        for length in lengths:
            piece = piece.replace(length * sign, sign)
    return _HEXADECIMAL.sub(b"0", piece).split(b"\n")


Counts = tuple[tuple[Counter[Any], Hashable], ...]  # places of counters


class Fold:
    """What each line of a kind counts: places of counters, known failures, a warning that none of these explains;
    ``numbers``: the one reader that asks for those in it."""

    __slots__ = ("counts", "numbers", "seen", "strange", "went_on")

    def __init__(self, counts: Counts, seen: tuple[Any, ...]) -> None:
        self.counts, self.seen = counts, seen
        self.strange = self.went_on = False
        self.numbers: Callable[[int, str], bool] | None = None


_FRUITLESS = 100  # lines of a kind
_CHANNEL, _PATH = (b" via ", None), (b" mtu ", 6)  # up to its end, and the size of packets, as verbs number it


class Family:
    """The kinds that differ in names of hexadecimal digits alone, and what of their lines is read (:mod:`.samples`).
    ``kept``: whether it is remembered; ``whole``: how many lines came there; ``telling``: whether one told what is
    looked for in every line; ``counters`` and ``devices``: how many were counters of adapters, or named one;
    ``asks_tools``: whether any may; ``thinned``: whether a sample is read, and which is the ``next`` of it; ``left``:
    how many were not since another line, and ``last_left`` of them; ``passed``: how many of these are read no more;
    ``steps``: whether its last was one; ``seen``: what it counted."""

    __slots__ = ("asks_tools", "counters", "devices", "kept", "last_left", "left", "next", "passed", "seen", "steps",
                 "telling", "thinned", "whole")  # fmt: skip

    def __init__(self) -> None:
        self.kept = self.telling = self.thinned = self.steps = self.asks_tools = False
        self.whole = self.counters = self.devices = self.next = self.left = self.passed = 0
        self.last_left: deque[tuple[int, bytes, Kind]] | None = None
        self.seen: tuple[Any, ...] = ()


class Kind:
    """One kind of line. ``bits``: of the readers that it may tell something; ``hint``: whether it may be a trial's;
    ``heads``: whether it may be the headline of a table of parts; ``clean``: whether nothing stands inside what is
    said; ``fruitless``: how many in turn were no trials; ``numbers``: of rows of a table the word at which they begin,
    0 of all else; ``ranks``: whether it is one of rank lines; ``fold``: what a line counts, once that is known;
    ``way``: from where on, and how far, a line of NCCL's says the one thing that is asked of it;
    ``family``: of which it is."""

    __slots__ = ("bits", "clean", "count", "family", "fold", "fruitless", "headless", "heads", "hint", "last",
                 "numbers", "ours", "ranks", "residual", "way")  # fmt: skip

    def __init__(self, key: bytes, bits: int, family: Family) -> None:
        self.bits, self.family = bits, family
        self.hint = key.rstrip(_ENDS).endswith(b"s") or any(hint in key for hint in _hints())
        self.heads = may_head(key)
        self.ours = b"nccl info " in key or b"nccl warn " in key or b"nccl trace " in key
        channel = b"nccl info channel 0" in key and b" via " in key
        self.way = _CHANNEL if channel else _PATH if b"nccl dev 0 ibdev 0 port 0 qpn 0 mtu 0" in key else None
        self.clean = b"\x1b" not in key and b"<std" not in key and len(key) < _LONGEST
        self.residual: tuple[int, ...] | None = None
        self.fold: Fold | None = None
        self.ranks = False
        self.count = self.fruitless = self.headless = self.last = self.numbers = 0

    def heads_none(self) -> None:
        """One of its lines was no headline: a kind that never was one is read no more as one."""
        self.headless += 1
        self.heads = self.headless < _FRUITLESS

    def tried(self, *, fruitful: bool) -> None:
        """It was read as a trial: a kind that never was one is read no more as one."""
        self.fruitless = 0 if fruitful else self.fruitless + 1
        self.hint = self.hint and not self.barren

    @property
    def barren(self) -> bool:
        """Whether no trial is looked for in it any more."""
        return self.fruitless >= _FRUITLESS


@lru_cache(maxsize=1)
def _hints() -> tuple[bytes, ...]:
    """One is in every line of trials, in small letters: see :mod:`.sweeps`."""
    return (*(hint.encode() for hint in read("trials")["hints"]), _COLOURED)


class Kinds(dict[bytes, Kind]):
    """The kinds of a log by :func:`kinds_in`; what comes after the first ones is asked each time."""

    def __init__(self, bits_of: Callable[[bytes], int]) -> None:
        super().__init__()
        self._bits_of = bits_of
        self._families: dict[bytes, Family] = {}  # by their keys without names of hexadecimal digits
        self._bytes = 0  # of all keys

    def __missing__(self, key: bytes) -> Kind:
        named = _NAMES.sub(b"0", key)
        kind = Kind(key, self._bits_of(key), self._families.get(named) or Family())
        if self._bytes < _ALL and len(key) < _LENGTHY:
            self._families[named] = kind.family
            kind.family.kept = True
            if len(self) < _MOST:
                self[key] = kind
            self._bytes += len(key)
        return kind


# Digits of a pattern that no line's number answers: how often something is repeated, any digit, those of a name (mlx5),
# the domain of a bus. How often a digit is repeated stays where it must be more than once.
_ANY_NUMBER = re.compile(
    r"\\d\{1,\d{1,9}\}|(?<!\\d)(?<!9\])\{\d{0,9}(?:,\d{0,9})?\}|\(\?P<\w+>|\[0-9a-f\](?:\{\d\})?|\b0000\b|(?<!\\)(?<=[A-Za-z_])\d{1,9}"
)


def asking(signature: Signature) -> bool:
    """Whether a failure is known by a certain number, or by how many digits one has."""
    patterns = (signature.pattern.pattern if signature.pattern else "", *signature.says)
    return any(re.search(r"\d", _ANY_NUMBER.sub("", text)) for text in patterns)


def asking_bits(first: int) -> int:
    """The bits of those failures, from a first bit on."""
    return sum(1 << (first + at) for at, each in enumerate(signatures()) if asking(each))
