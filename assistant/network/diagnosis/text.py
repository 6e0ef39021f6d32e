"""Logs as they are posted: colours, launcher prefixes, quotes and indentation removed, line numbers kept.

A log is read in pieces and a line only as far as one of NCCL can go, so that time and memory follow from the log's size
whatever is in it.
"""

import contextlib
import gzip
import io
import json
import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from assistant.library import files
from assistant.vocabulary.errors import InputError

from .kinds import kinds_in
from .signatures import read

PIECE = 1 << 20  # bytes read at once
LONGEST = 4096  # characters of a line that are read: a list of sixteen adapters takes a quarter of it
LEAST = 2  # bytes: less says nothing, as the "#" between the parts of a table
LONGEST_BYTES = 4 * LONGEST  # four bytes at most to a character
LARGEST = 512 * PIECE  # of all lines together, unpacked: a packed file of a megabyte may hold a thousand
_PACKED = b"\x1f\x8b"

_ESCAPES = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_]")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_ODD = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")  # the same before it is decoded
_CONTROLS = bytes(at for at in (*range(32), 127) if at not in b"\t\n")
_OPEN_MPI = re.compile(r"\[\d+,\d+\]<std(?:out|err|diag)>:? ?")  # before a line, and sometimes in the middle of a row
_SRUN = re.compile(r"\d{1,6}:\s(?=\s*[#\d]|[^\s:]+:\d+:\d+ \[)")  # srun --label
# What runs a job puts before its lines: a pod or a rank in brackets, a time, Ray's process.
_LAUNCHED = re.compile(
    r"(?:\[(?!\w{1,32}@)[^\]\[]{1,100}\] ?(?=\s*#|\s{0,20}\d|\S+:\d+:\d+ )|\[(?!rank ?\d)[^\]\[]{1,100}\] ?(?=\[)"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,16}\s"
    r"|\(\w{1,40} pid=\d{1,10}[^)]{0,60}\)\s)++"
)
# What nccl-tests prints at the start of a line before any row; whatever stands before it stands before the rows too.
_MARK = re.compile(
    r"# nThread |# [nr]ccl-tests version|# Collective test starting|# Using devices"
    r"|#\s{1,8}Rank\s{1,8}\d|#\s{1,16}size\s"
)
_SHAPES = 16  # kinds of prefix that are remembered
_WRAPPED = frozenset('>{"[(0123456789')  # first characters of lines that something was put around
_QUOTES = "> \t"


@contextlib.contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """A file to be read, unpacked where gzip packed it, whatever its name. Raises :class:`InputError`."""
    with files.opened(path) as stream:
        packed = stream.read(len(_PACKED)) == _PACKED
        stream.seek(0)
        yield cast(BinaryIO, gzip.GzipFile(fileobj=stream)) if packed else stream


def stream_of(text: str) -> BinaryIO:
    """A text as a file of it."""
    return io.BytesIO(text.encode("utf-8", errors="replace"))


class Piece(NamedTuple):
    """Some lines of a log as they stand there, the kind of each (:mod:`.kinds`), the number of the first; the places of
    those that hold one of the marks; whether characters that control a terminal may be among them."""

    first: int
    lines: list[bytes]
    kinds: list[bytes]
    marked: set[int]
    odd: bool


def pieces_of(stream: BinaryIO, marks: Sequence[bytes]) -> Iterator[Piece]:
    """A log in pieces, its lines numbered from 1."""
    number = 1
    for piece in _pieces(stream):
        lines = piece.split(b"\n")
        yield Piece(number, lines, kinds_in(piece), _marked(piece, marks), _is_odd(piece))
        number += len(lines)


def cleaned(raw: bytes, prefixes: "Prefixes", *, odd: bool) -> str:
    """A line with everything removed that the tools did not print; indentation goes too."""
    line = raw[:LONGEST_BYTES].decode("utf-8", errors="replace")[:LONGEST]
    return _cleaned(line, prefixes, odd=odd)


def _is_odd(piece: bytes) -> bool:
    """Whether a piece has characters that control a terminal: looked for byte by byte only where there may be some."""
    return len(piece.translate(None, _CONTROLS)) < len(piece) or (b"\xc2" in piece and _ODD.search(piece) is not None)


def _marked(piece: bytes, marks: Sequence[bytes]) -> set[int]:
    """The lines of a piece, from 0, that hold one of the marks."""
    lines, line, before = set[int](), 0, 0
    for at in sorted(place for mark in marks for place in _places(piece, mark)):
        line, before = line + piece.count(b"\n", before, at), at
        lines.add(line)
    return lines


def _places(piece: bytes, mark: bytes) -> Iterator[int]:
    at = piece.find(mark)
    while at >= 0:
        yield at
        at = piece.find(mark, at + 1)


def _cleaned(line: str, prefixes: "Prefixes", *, odd: bool) -> str:
    if odd:
        line = _CONTROL.sub("", _ESCAPES.sub("", line))
    if "<std" in line:
        line = _OPEN_MPI.sub("", line)
    line = line.strip()
    if line[:1].isdigit() and _like_a_row(line):
        return line
    if before := _put_before().match(line):
        line = line[before.end() :].lstrip()
    if line[:1] in _WRAPPED:
        line = _unwrapped(line)
    if "#" in line or prefixes.known:
        line = prefixes.cut(line)
    return line


def _like_a_row(line: str) -> bool:
    """Whether a line begins as a row of nccl-tests does, size, count and type: nothing was put before it."""
    words = line.split(None, 3)
    return len(words) > 3 and words[0].isdigit() and words[1].isdigit() and words[2].isidentifier()


@lru_cache(maxsize=1)
def _put_before() -> re.Pattern[str]:
    """What launchers put before lines, as ``knowledge/nccl/prefixes.yaml`` has it."""
    return re.compile(f"(?:{'|'.join(each['pattern'] for each in read('prefixes'))})++")


def _unwrapped(line: str) -> str:
    """A line without quotes, the container runtime's or Ansible's JSON, and what is known to be put before it."""
    first = line[:1]
    if first == ">":
        line = line.lstrip(_QUOTES)
    elif first == "{" and line.startswith('{"log"'):
        line = _logged(line)
    elif first == '"':
        line = _string(line)
    if line[:1] in ("[", "(", "1", "2") and (before := _LAUNCHED.match(line)):
        line = line[before.end() :].lstrip()
    if line[:1].isdigit() and (label := _SRUN.match(line)):
        line = line[label.end() :].lstrip()
    return line


class Prefixes:
    """What a launcher, a container's runtime or the journal puts before every line, learnt from lines whose own start
    is known: the same characters, any numbers."""

    def __init__(self) -> None:
        self.known: list[re.Pattern[str]] = []

    def cut(self, line: str) -> str:
        """The line without such a prefix."""
        if (mark := _MARK.search(line)) and 0 < mark.start() < 200:
            self._learn(line[: mark.start()])
        for shape in self.known:
            if before := shape.match(line):
                return line[before.end() :].lstrip()
        return line

    def _learn(self, before: str) -> None:
        if len(self.known) >= _SHAPES or not re.search(r"[^\s\d#]", before):
            return
        shape = re.sub(r"\d+|\s+|[^\d\s]+", lambda part: _any(part[0]), before)
        if all(shape != each.pattern for each in self.known):
            self.known.append(re.compile(shape))


def _any(part: str) -> str:
    return r"\d{1,20}" if part[0].isdigit() else r"\s{1,20}" if part.isspace() else re.escape(part)


def _string(line: str) -> str:
    """The text of a line that is one string of a JSON list."""
    try:
        text = json.loads(line.rstrip(","))
    except ValueError:
        return line
    return text.strip() if isinstance(text, str) else line


def _logged(line: str) -> str:
    """The text of a line that a container's runtime keeps as JSON."""
    try:
        return str(json.loads(line)["log"]).strip()
    except (ValueError, KeyError, TypeError):
        return line


def _pieces(stream: BinaryIO) -> Iterator[bytes]:
    """The bytes in pieces that end where a line ends; of a line longer than a piece its start."""
    rest, read = b"", 0
    while piece := stream.read(PIECE):
        read += len(piece)
        if read > LARGEST:
            raise InputError(f"expected a log of at most {LARGEST >> 20} MiB, unpacked: cut it where a run ends")
        whole, newline, tail = piece.rpartition(b"\n")
        if not newline:
            rest = (rest + piece)[:LONGEST_BYTES]
            continue
        yield rest + whole
        rest = tail
    if rest:
        yield rest
