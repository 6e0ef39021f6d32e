"""Tables of nccl-tests (``all_reduce_perf`` and its siblings) and rccl-tests, releases 1.0 to 2.19.

The columns changed between releases; a row is read by counting what stands to the right of the type, with the header of
its own run deciding where that is ambiguous.
"""

import re
from collections.abc import Callable, Sequence
from sys import intern
from typing import Any

from .facts import VARIABLE, Facts, facts_in
from .runs import Half, Row, Run, close
from .signatures import one_in

_COLLECTIVES = (
    "all_reduce|all_gather|reduce_scatter|alltoallv|alltoall|sendrecv|broadcast|reduce|gather|scatter|hypercube"
)
_EXCHANGE, _NEAR = re.compile(r"\b(?:all-?to-?all|all_to_all)\b", re.I), 3  # in somebody's words, lines above a table
_PROGRAM = re.compile(rf"\b({_COLLECTIVES})_perf\b")
_LAUNCHER = re.compile(r"\b(?:mpirun|mpiexec|prterun|srun|torchrun)\b(?!.{0,200}?\s--?n(?:p|tasks)?[ =]?1\b)")
_ON_HOSTS = re.compile(r" (?:--?host[= ]|-H ?|--nodelist[= ]|-w ?)([\w.,:\[\]-]{1,2000})")
_HOST = re.compile(r"([\w.-]{1,200})(?:\[([\d,-]{1,1000})\])?(?::\d{1,4})?(?:,|\Z)")
_MOST = 4096  # hosts of a range
_PARAMETERS = re.compile(r"nThread\s+\d+\s+nGpus\s+\d+\s+minBytes\s+\d+\s+maxBytes\s+(\d{1,18})")
_RANK = re.compile(
    r"Rank\s+(\d{1,9})\s+(?:Group\s+(\d{1,9})\s+)?(?:Pid\s+\d+\s+)?on\s+(\S+)\s+device\s+(\d{1,4})\s+\[[^\]]*\]\s*+([^#]*)"
)
_AVERAGE = re.compile(r"Avg bus bandwidth\s*:\s*(\d{1,9}(?:\.\d{1,9})?(?:[eE][-+]?\d\d)?)\s*(FAILED)?")
_OUT_OF_BOUNDS = re.compile(r"Out of bounds values\s*:\s*\d+\s+(OK|FAILED)")
_REDUCED = re.compile(r"Reducing maxBytes to (\d{1,18})")
_FAILURE = re.compile(r"Test (NCCL failure|CUDA failure|timeout)\s*(?:\(\d+s\)\s*)?\S+(\s.*|)")
_FACTS, _LISTENED = 1000, 2000  # facts of one run, and lines in which they are looked for: ranks say the same
# In small letters: one is in every line that the tool prints, or that starts it; the types are those of its rows.
WORDS = (
    "float", "double", "half", " int ", " uint ", " char ", " m ", " fp ", " size ", " bytes ", " rank ", "_perf",
    "alltoall", "all-to-all", "all_to_all",
    "nthread", "bandwidth", "bounds", "reducing", "test ", "collective", "devices", "(b)", "out-of-place", "mpirun",
    "mpiexec", "prterun", "srun", "torchrun", "timeout",
)  # fmt: skip
# One is in every headline of a table, and in every line behind it or of a failure.
_OF_HEADERS = ("algbw", "out-of-place", "(B)")
_OF_FOOTERS = ("Avg bus", "Out of bounds", "Reducing", "Test ", "# Using devices", "# Collective test")
_RIGHT = 0.0  # one object for all rows
_made = tuple.__new__  # a named tuple, of as many fields as it has: half the time of its constructor
_MISSING = ("N/A", "nan", "-nan")
_NUMBER = re.compile(r"[-+]?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d\d)?\Z", re.ASCII)
# A row without a time of day: size, count, type, perhaps redop, then numbers.
_PLAIN = re.compile(
    r"\d{1,18}\s+\d{1,18}\s+[a-z][a-z0-9_]*(?:\s+[a-z]+)?"
    r"(?:\s+(?:[-+]?\d{1,15}(?:\.\d{1,15})?(?:[eE][-+]?\d\d)?|N/A|-?nan)(?=\s|\Z)){3,40}\Z",
    re.ASCII,
)
_COUNTS = (4, 5, 8, 9)  # of the numbers of a row: of one side or both, with the root before them
_GREATEST, _DIGITS = 1e16, 18  # of a number of a row, and of its size
_DAY = re.compile(r"\d{4}-\d\d-\d\d\Z", re.ASCII)
_TYPE = re.compile(r"[a-z][a-z0-9_]*\Z")
_BYTES = re.compile(r"\d{1,18}\Z", re.ASCII)


# A rank line, taken apart: rank, group, host, device, name of the GPU of each; another line that is to be read again,
# or that says nothing (empty).
Ranked = tuple[int, str, str, int, str]
Said = tuple[Ranked, ...] | str
_PID, _RANKS_KEPT = b" Pid ", 50_000  # before the process of a rank; rank lines that are remembered: 15 MB


class Reader:
    """Takes one cleaned line after the other and keeps the runs found."""

    def __init__(self, *questions: Callable[[Run], object]) -> None:
        """``questions``: what is asked of every table when it has ended, each a :func:`once`."""
        self.runs: list[Run] = []
        self._questions, self._shared = questions, dict[object, Any]()
        self._rank_lines: dict[tuple[bytes, bytes], tuple[Ranked, ...]] = {}  # before the process, and behind it
        self._redops: dict[bytes, str] = {}
        self._program: str | None = None
        self._exchanged = -_NEAR  # the last line that names it
        self._launched = False
        self._adapters: tuple[str, ...] = ()
        self._facts: Facts = frozenset()
        self._variables = set[str]()  # that commands give
        self._listened = 0  # lines since the last row
        self._printing, self._given = set[str](), set[str]()  # hosts since the last row: whose processes print, as told
        self._between: tuple[str, ...] = ()  # hosts that a line above the next row names

    def joined(self, hosts: set[str]) -> None:
        """Hosts on which processes began to print."""
        self._printing |= hosts

    @property
    def listens(self) -> bool:
        """Whether facts are still looked for, before the next table."""
        return self._listened < _LISTENED

    def heard(self, line: str, adapters: tuple[str, ...], *, given: bool = False) -> None:
        """What a line that is not the tool's says of the run under way, or of the next one; the ``adapters`` that were
        listed last. ``given``: a command gives it."""
        run = self._run if self._run is not None and not self._run.rows else None
        self._adapters = adapters
        facts = facts_in(line) if self.listens else Facts()
        self._listened += 1
        names = {name for name, _ in facts if name.startswith(VARIABLE)} if given else set[str]()
        if run is not None:
            run.adapters = adapters
            run.facts |= facts if len(run.facts) < _FACTS else Facts()
            run.given |= names
        elif len(self._facts) < _FACTS:
            self._facts |= facts
            self._variables |= names

    def between(self, hosts: tuple[str, ...]) -> None:
        """A line names the hosts between which the next rows were measured; no names say nothing."""
        self._between = hosts or self._between

    def take(self, number: int, line: str) -> bool:
        """Read one line; whether it was one of the tool's."""
        if line[:1].isdigit() and self._row(number, line):
            return True
        if "_perf" in line and (named := _PROGRAM.search(line)):
            self._program = named.group(1)
        if "ll" in line and "NCCL" not in line and _EXCHANGE.search(line):  # the columns are those of an all-gather
            self._exchanged = number
        if ("run" in line or "mpiexec" in line) and _LAUNCHER.search(line):
            self._launched = True
            self._given |= _hosts_in(line)
        if line.startswith(("# nccl-tests version", "# rccl-tests version", "# Collective test starting")):
            self._start(number)
            return True
        return (
            self._rank(number, line)
            or self._parameters(number, line)
            or self._header(number, line)
            or self._footer(number, line)
        )

    def said(self, line: str) -> Said:
        """What a line says that :meth:`take` read, for :meth:`again` wherever the same is said."""
        if line.startswith("# Using devices") or line.lstrip("# ").startswith(("out-of-place", "(B)")):
            return ""
        return _ranks_in(line) or line if "_perf" not in line else line

    def keep_ranks(self, raw: bytes, said: tuple[Ranked, ...]) -> bool:
        """Remember the ranks of a line for :meth:`like_ranks`; whether there is room."""
        before, _, after = raw.partition(_PID)
        if not after or _PID in after or len(self._rank_lines) >= _RANKS_KEPT:
            return False
        self._rank_lines[before, after.partition(b" on ")[2]] = said
        return True

    def like_ranks(self, number: int, raw: bytes) -> bool:
        """Read a line that is like one before but for the process of its rank; whether it was one."""
        before, _, after = raw.partition(_PID)
        said = self._rank_lines.get((before, after.partition(b" on ")[2]))
        if said is None:
            return False
        self._ranks(number, said)
        return True

    def again(self, number: int, said: Said) -> None:
        """Read a line that says the same as one before."""
        if isinstance(said, tuple):
            self._ranks(number, said)
        elif said:
            self.take(number, said)

    @property
    def _run(self) -> Run | None:
        return self.runs[-1] if self.runs else None

    def _start(self, number: int, *, again: bool = False) -> Run:
        """The current run if nothing was read into it yet, else a new one."""
        run = self._run
        if again or run is None or run.rows or run.ranks_listed or run.failures:
            if run is not None:
                close(run, self._questions, self._shared)
            given = frozenset(self._variables)
            run = Run(number, launched=self._launched, adapters=self._adapters, facts=self._facts, given=given)
            self._facts, self._variables = frozenset(), set()
            self.runs.append(run)
        run.program = self._program or run.program
        return run

    def _parameters(self, number: int, line: str) -> bool:
        found = _PARAMETERS.search(line) if "nThread" in line else None
        if not found:
            return False
        run = self._run
        if run is None or run.rows or run.max_bytes is not None:
            run = self._start(number, again=True)
        run.max_bytes = int(found.group(1))
        near = "alltoall" if number - self._exchanged < _NEAR else None
        run.program = run.program or self._program or near
        return True

    def _rank(self, number: int, line: str) -> bool:
        found = _ranks_in(line)
        if found:
            self._ranks(number, found)
        return bool(found)

    def _ranks(self, number: int, found: tuple[Ranked, ...]) -> None:
        run = self._run
        if run is None or run.rows:
            run = self._start(number, again=True)
        for rank, group, host, device, name in found:
            run.group = run.group or group
            if group == run.group:
                run.ranks_listed.append((rank, host, name))
                run.devices = max(run.devices, device + 1)
        run.ranks_listed_line = run.ranks_listed_line or number

    def _header(self, number: int, line: str) -> bool:
        if not one_in(line, _OF_HEADERS):
            return False
        words = line.lstrip("# ").split()
        if "algbw" in words and words[0] in ("size", "bytes"):
            run = self._run
            if run is None or run.rows:
                run = self._start(number, again=True)
            run.header_line = number
            run.counts_wrong = any(word.endswith("wrong") for word in words)
            run.timestamp = "timestamp" in words
            run.per_iteration = "i_min" in words
            run.milliseconds = words[0] == "bytes"  # release 1.0
            return True
        return bool(words) and words[0] in ("out-of-place", "(B)")

    def like_a_row(self, number: int, raw: bytes, numbers: int) -> bool:
        """Read a line of a kind of which one was a row whose ``numbers`` begin at that word; whether it was one too."""
        run, words = self.runs[-1] if self.runs else None, raw.split()
        if run is None or run.timestamp or run.per_iteration:
            return False
        try:
            size, values = int(words[0]), [*map(float, words[numbers:])]
        except ValueError:  # a number without a value, or what has letters of the hexadecimal digits
            return False
        count, scale = len(values), 1e-3 if run.milliseconds else 1e-6
        if count not in _COUNTS or not max(values) < _GREATEST or len(words[0]) > _DIGITS:
            return False
        redop = (self._redops.get(words[3]) or self._redop(words[3])) if numbers > 3 else None
        root = int(values[0]) if count & 1 else None
        time, algbw, best, wrong = values[count & 1 : (count & 1) + 4]
        halves = (_made(Half, (time * scale, algbw, best, wrong or _RIGHT)),)
        if count > 5:
            time, algbw, busbw, wrong = values[-4:]
            halves = (*halves, _made(Half, (time * scale, algbw, busbw, wrong or _RIGHT)))
            best = busbw if busbw > best else best
        return self._take_row(number, _made(Row, (number, size, redop, root, halves, best)))

    def _redop(self, word: bytes) -> str:
        """What a row says that was done; one object for all rows."""
        return self._redops.setdefault(word, intern(word.decode()))

    def _row(self, number: int, line: str) -> bool:
        row = _row_of(number, line, self._run)
        return row is not None and self._take_row(number, row)

    def _take_row(self, number: int, row: Row) -> bool:
        run = self.runs[-1] if self.runs else self._start(number)
        if run.average is not None:  # the footer of the table before stands between
            run = self._start(number, again=True)
        if self._between:
            run = self._start(number, again=bool(run.rows))
            run.named, self._between = frozenset(self._between), ()
        if not run.rows and not run.named:
            named = self._printing if len(self._printing) > 1 else self._given
            run.named = frozenset(named) if len(named) > 1 and not run.ranks_listed else run.named
            run.speaking = frozenset(self._printing)
            self._printing, self._given, self._listened = set(), set(), 0
        run.rows.append(row)
        return True

    def _footer(self, number: int, line: str) -> bool:
        run = self._run
        if run is None:
            return line.startswith(("# Using devices", "# Collective test"))
        if not one_in(line, _OF_FOOTERS):
            return False
        if found := _AVERAGE.search(line):
            run.average = float(found.group(1))
        elif found := _OUT_OF_BOUNDS.search(line):
            run.out_of_bounds = (number, found.group(1))
        elif found := _REDUCED.search(line):
            run.reduced_to = int(found.group(1))
        elif found := _FAILURE.search(line):
            run.failures.append((number, found.group(1), found.group(2).strip(" '\"/")))
        else:
            return line.startswith(("# Using devices", "# Collective test"))
        return True


def _hosts_in(line: str) -> set[str]:
    """The hosts that a command names on which it starts ranks: ``-H a:8,b:8``, ``--nodelist=nid[0001-0002,0007]``."""
    return {
        f"{begin}{number}"
        for listed in _ON_HOSTS.findall(line)
        for begin, numbers in _HOST.findall(listed)
        for number in (_numbers(numbers) if numbers else [""])
        if not begin.isdigit()  # nccl-tests' own -w counts iterations
    }


def _numbers(listed: str) -> list[str]:
    """``0001-0003,0007`` one by one, as many as a job of nodes may have."""
    numbers = list[str]()
    for part in listed.split(","):
        first, _, last = part.partition("-")
        many = int(last or first) - int(first) if first.isdigit() and (last or first).isdigit() else 0
        numbers += [str(int(first) + n).zfill(len(first)) for n in range(many + 1)] if 0 < many < _MOST else [first]
    return numbers


def _ranks_in(line: str) -> tuple[Ranked, ...]:
    """The ranks of a rank line."""
    if "Rank" not in line:
        return ()
    # the same few names in every table, of which a log may hold thousands
    return tuple(
        (int(rank), group, intern(host.split(".")[0]), int(device), intern(name))
        for rank, group, host, device, name in _RANK.findall(line)
    )


def numbers_of(line: str) -> int:
    """At which word of a row its numbers begin, where all behind it are numbers that have a value; else 0."""
    if not _PLAIN.match(line) or "N/A" in line or "nan" in line:
        return 0
    return 4 if line.split(None, 4)[3].isalpha() else 3


def _row_of(number: int, line: str, run: Run | None) -> Row | None:
    """A row, or ``None``: size, count and type, perhaps redop and root, then the numbers of one or both sides."""
    words, plain = line.split(), _PLAIN.match(line) is not None
    if len(words) < 7 or not (plain or (_BYTES.match(words[0]) and _BYTES.match(words[1]) and _TYPE.match(words[2]))):
        return None
    rest = words[3:]
    redop = intern(rest.pop(0)) if rest[0].isalpha() and rest[0] not in _MISSING else None
    if not plain and len(rest) > 2 and ((run is not None and run.timestamp) or _DAY.match(rest[-2])):
        rest = rest[:-2]
    if not plain and not all(word in _MISSING or _NUMBER.match(word) for word in rest):
        return None
    try:
        values: list[float | None] = [*map(float, rest)]
        missing = "nan" in line
    except ValueError:
        values, missing = [None if word in _MISSING else float(word) for word in rest], False
    if missing:
        values = [None if word in _MISSING else value for word, value in zip(rest, values, strict=True)]
    wide = 8 if run is not None and run.per_iteration else 4
    scale = 1e-3 if run is not None and run.milliseconds else 1e-6
    sides, extra = divmod(len(values), wide)
    if extra not in (0, 1) or sides not in (1, 2):
        return None
    root = values[0] if extra else None
    one = _half(values[extra : extra + 4], scale)
    two = _half(values[extra + wide : extra + wide + 4], scale) if sides > 1 else None
    halves = (one, two) if one and two else (one,) if one else (two,) if two else ()
    if not halves:
        return None
    best = max(one.busbw, two.busbw) if one and two else halves[0].busbw
    return Row(number, int(words[0]), redop, None if root is None else int(root), halves, best)


def _half(values: Sequence[float | None], scale: float) -> Half | None:
    time, algbw, busbw, wrong = values
    if time is None or algbw is None or busbw is None:
        return None
    return Half(time * scale, algbw, busbw, wrong or (None if wrong is None else _RIGHT))
