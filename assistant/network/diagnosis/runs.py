"""One run of nccl-tests: its rows, and what follows from them (which collective, how many ranks)."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import wraps
from math import ceil, gcd
from statistics import median
from typing import Any, NamedTuple, TypeVar

Answer = TypeVar("Answer")
# GB/s: what the printed digits tell well, and still tell apart of a slow run's fastest rows.
_CLEAR, _FEW, _LEAST = 5.0, 8, 0.3
COMPARED = 16 * 2**20  # bytes: below, latency decides, and tables are not compared with each other
_CLOSED = ()
ROUNDING = 0.005  # GB/s: half of the last digit that is printed


class Half(NamedTuple):
    """One side of a row: out of place or in place. Seconds, and gigabytes per second as printed."""

    time_s: float
    algbw: float
    busbw: float
    wrong: float | None


class Row(NamedTuple):
    """One message size, in bytes; ``busbw``: the better of the two sides, GB/s."""

    line: int
    size: int
    redop: str | None
    root: int | None
    halves: tuple[Half, ...]
    busbw: float

    def closed(self, shared: dict[object, Any]) -> "Row":
        """The row without its sides."""
        return Row(self.line, shared.setdefault(self.size, self.size), self.redop, self.root, (), self.busbw)


@dataclass(slots=True)
class Run:
    """One table with what stands around it. ``ranks_listed`` maps each rank line to its host and device name; of ranks
    that were split into groups (NCCL_TESTS_SPLIT) those of the first, which the table is about."""

    line: int
    program: str | None = None
    header_line: int | None = None
    milliseconds: bool = False
    counts_wrong: bool = False
    timestamp: bool = False
    per_iteration: bool = False
    max_bytes: int | None = None
    reduced_to: int | None = None
    group: str = ""
    ranks_listed: list[tuple[int, str, str]] = field(default_factory=list)
    ranks_listed_line: int | None = None
    devices: int = 0  # of a host, as far as its rank lines number them
    rows: list[Row] = field(default_factory=list)
    average: float | None = None
    out_of_bounds: tuple[int, str] | None = None
    failures: list[tuple[int, str, str]] = field(default_factory=list)
    launched: bool = False  # by a command that starts several ranks
    adapters: tuple[str, ...] = ()  # as NCCL lists them before the table
    named: frozenset[str] = frozenset()  # hosts that other lines name: two at least, and asked where none is listed
    speaking: frozenset[str] = frozenset()  # hosts whose processes print before the table
    facts: frozenset[tuple[str, str]] = frozenset()  # that lines before the table say: see :mod:`.facts`
    given: frozenset[str] = frozenset()  # of these the variables that commands give
    closed: bool = False  # nothing is added any more: see :func:`close`
    kept: dict[str, tuple[tuple[object, ...], Any]] = field(default_factory=dict, repr=False, compare=False)

    @property
    def state(self) -> tuple[object, ...]:
        """What the answers of :func:`once` hang on: it changes only while the table is read."""
        return len(self.rows), len(self.ranks_listed), self.program

    @property
    def peak(self) -> float:
        return _peak(self)

    @property
    def hosts(self) -> frozenset[str]:
        return _hosts(self)

    @property
    def device(self) -> str:
        """The name of the GPUs as the tool prints it."""
        return next((name.strip() for _, _, name in self.ranks_listed if name.strip()), "")


def once(question: Callable[[Run], Answer]) -> Callable[[Run], Answer]:
    """Answered once of each table: a log may hold ten thousand, each judge asks again."""

    @wraps(question)
    def answered(run: Run) -> Answer:
        before = run.kept.get(question.__name__)
        if before is None or not (run.closed or before[0] == run.state):
            before = run.kept[question.__name__] = (_CLOSED if run.closed else run.state, question(run))
        return before[1]

    return answered


@once
def _peak(run: Run) -> float:
    return max([row.busbw for row in run.rows], default=0.0)


@once
def usual(run: Run) -> float:
    """The bus bandwidth of the middle row, GB/s; 0 without rows."""
    return median([row.busbw for row in run.rows]) if run.rows else 0.0


@once
def halves_of(run: Run) -> list[Half]:
    """Both sides of all rows; of a table that is closed nobody asks."""
    return [half for row in run.rows for half in row.halves]


@once
def validated(run: Run) -> bool:
    """Whether results were compared with what they should be."""
    return any(half.wrong is not None for half in halves_of(run))


@once
def _hosts(run: Run) -> frozenset[str]:
    return frozenset(host for _, host, _ in run.ranks_listed)


@once
def bus_factor(run: Run) -> float | None:
    """busbw ÷ algbw from the largest rows, where rounding does least: 2(n−1)/n, (n−1)/n or 1 by collective."""
    halves = halves_of(run)
    ratios = sorted([busbw / algbw for _, algbw, busbw, _ in halves if algbw >= _CLEAR])
    if not ratios:
        told = sorted(halves, key=lambda half: -half.algbw)[:_FEW]
        ratios = sorted(half.busbw / half.algbw for half in told if half.algbw >= _LEAST)
    return ratios[len(ratios) // 2] if ratios else None


@once
def collective_of(run: Run) -> str:
    """Which collective it was: as named, else from the columns and the bus factor, else ``unknown``."""
    if run.program is not None:
        return run.program
    factor = bus_factor(run)
    if not run.rows or factor is None:
        return "unknown"
    row = run.rows[-1]
    if factor > 1.02:
        return "all_reduce"
    if abs(factor - 1) < max(0.005, 2 * ROUNDING / max(half.algbw for half in halves_of(run))):
        return "broadcast" if row.root not in (None, -1) and row.redop in (None, "none") else "sendrecv"
    if row.redop not in (None, "none"):
        return "reduce_scatter"
    # nccl-tests cannot check all-to-all in place and prints N/A there.
    unchecked = len(row.halves) == 2 and row.halves[1].wrong is None and row.halves[0].wrong is not None
    return "alltoall" if unchecked else "all_gather"


@once
def ranks_of(run: Run) -> int:
    """How many ranks took part: the rank lines as far as the table's arithmetic allows them, else what that gives; 0
    when neither says."""
    listed, fitting = ranks_listed(run), _fitting(run)
    if listed and (listed in fitting or not fitting):
        return listed
    return min(fitting, key=lambda n: (-gcd(n, 8), n), default=0)


@once
def ranks_listed(run: Run) -> int:
    """How many ranks the lines above the table name."""
    return len({rank for rank, _, _ in run.ranks_listed})


@once
def nodes_of(run: Run) -> int | None:
    """How many hosts took part: those of the rank lines; of a list that was cut as many as the ranks fill."""
    per_host = Counter(host for _, host, _ in set(run.ranks_listed))
    if not per_host:
        return None
    ranks, listed = ranks_of(run), ranks_listed(run)
    return len(per_host) if ranks <= listed else max(len(per_host), -(-ranks // max(*per_host.values(), run.devices)))


_ANSWERS = (_peak, usual, validated, _hosts, bus_factor, collective_of, ranks_of, ranks_listed, nodes_of)


def close(run: Run, questions: Iterable[Callable[[Run], object]], shared: dict[object, Any]) -> None:
    """Ask of a table that has ended what is asked of its single results, and keep of these only the rows that are asked
    for later: the large ones, the first, the last and the best. ``questions``: further ones, each a :func:`once`;
    ``shared``: what other tables have alike, kept once for all."""
    state = run.state
    run.kept, run.closed = {name: each for name, each in run.kept.items() if each[0] == state}, True
    for question in (*_ANSWERS, *questions):
        question(run)
    run.kept.pop(halves_of.__name__, None)
    run.kept = {name: _shared((_CLOSED, answer), shared) for name, (_, answer) in run.kept.items()}
    run.facts = shared.setdefault(run.facts, run.facts)
    run.speaking = shared.setdefault(run.speaking, run.speaking)
    run.failures = run.failures or shared.setdefault(list, run.failures)
    rows, peak = run.rows, run.peak
    best = next((at for at, row in enumerate(rows) if row.busbw == peak), -1)
    kept = [at for at, row in enumerate(rows) if row.size >= COMPARED or at in (0, best, len(rows) - 1)]
    run.rows = [rows[at].closed(shared) for at in kept]
    ranks = tuple(run.ranks_listed)
    run.ranks_listed = shared.setdefault(ranks, run.ranks_listed)


def _shared(kept: tuple[tuple[object, ...], Any], shared: dict[object, Any]) -> tuple[tuple[object, ...], Any]:
    """An answer that most tables have alike, kept once: what it was is a part of the name, as 1 is equal to 1.0."""
    answer = kept[1]
    alike = isinstance(answer, (int, str, frozenset, type(None))) or answer == ()
    return shared.setdefault((type(answer), answer), kept) if alike else kept


def _fitting(run: Run) -> range:
    """Numbers of ranks that the table's arithmetic allows; empty where it says nothing."""
    collective = collective_of(run)
    if bus_factor(run) is None or collective in ("sendrecv", "broadcast", "reduce", "hypercube", "unknown"):
        return range(0)
    return _by_factor(halves_of(run), 2 if collective == "all_reduce" else 1)


def _by_factor(halves: list[Half], passes: int) -> range:
    """Ranks n with passes·(n−1)/n = busbw ÷ algbw within the printed digits."""
    pairs = [(algbw, busbw) for _, algbw, busbw, _ in halves if algbw >= 1.0]
    # of all bounds the closest: they rise with what they are made of
    least = [ratio for a, b in pairs if (ratio := (b - ROUNDING) / (a + ROUNDING)) < passes]
    most = [ratio for a, b in pairs if (ratio := (b + ROUNDING) / (a - ROUNDING)) < passes]
    low = max(2.0, 1 / (1 - max(least) / passes)) if least else 2.0
    high = min(1e6, 1 / (1 - min(most) / passes)) if most else 1e6
    return range(ceil(low - 1e-6), int(high + 1e-6) + 1) if high < 1e5 else range(0)
