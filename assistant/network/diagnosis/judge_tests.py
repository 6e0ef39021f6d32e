"""Findings from nccl-tests tables: is the table what it claims, did the test run as meant, is it fast enough."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from assistant.vocabulary.added import added
from assistant.vocabulary.answers import DiagnosisFinding

from .expected import as_known, is_pcie
from .runs import Row, Run, bus_factor, collective_of, halves_of, once, ranks_listed, ranks_of
from .signatures import as_information, finding

MIB = 2**20
LARGE = 64 * MIB  # from here on a row says something about the fabric
SMALL_SWEEP = 128 * MIB
# Of the expected bus bandwidth. Large messages of RDMA fabrics scatter by 0.15 about the model (logarithm,
# NETWORK_SPREAD), so 0.6 is 3.4 standard deviations below it; one NIC of eight, or a host's sockets, give an eighth and
# less. Whether a table is an alarm says :func:`.expected.alarm_below`; 0.6 is for what is held against other results.
SLOW, VERY_SLOW = 0.6, 0.15
SOCKET_CEILING = 10.0  # GB/s: more than TCP sockets gave on any node measured (knowledge/catalog/fabrics.yaml)
# GB/s of a node: five times that, and the line rate of the fastest adapter that sockets have been given (400 Gb/s).
# Two nodes may count what they send twice.
BEYOND_SOCKETS, OF_TWO_NODES = 50.0, 2
LARGEST_NODE = 16  # GPUs of one server at most (the DGX-2's and 16-GPU PCIe boxes): more ranks are several hosts
DROP = 0.75  # of the best smaller size: two of those standard deviations below it
COLLAPSED = 0.4  # of the best: one row is enough
HALF = (0.38, 0.6)  # of what is expected: half of the adapters, less than SLOW
FLAT = 0.9
NEAR = 0.06
FEW = 0.3  # of what is expected: one adapter of four, and of eight
SLOWNESS = ("low-bandwidth", "half-of-the-adapters", "adapters-left-out")
# Of what is expected: no alarm by itself, as healthy systems scatter so far, but enough to believe a named cause.
SHORT = 0.9
REACHED = (0.7, 1.25)  # of the line rate: 0.8 (RDMA_SHARE) less a tenth, and what two nodes show (482 of 400)
NIC_RATES = (12.5, 25.0, 50.0, 100.0)  # GB/s of 100, 200, 400 and 800 Gb/s


@dataclass(frozen=True)
class Adapters:
    """What a log says of the adapters of a node: how many it lists of how many usual ones of which rate (GB/s; 0 where
    it does not say), whether all of these carry ``data`` or at least which do is known, ``why`` some are missing."""

    listed: int = 0
    usual: int = 0
    rate: float = 0.0
    data: Literal["all", "known", "unknown"] = "unknown"
    why: str = ""
    others: int = 0  # of other nodes of these GPUs, where the nodes are built with fewer, or use fewer
    chosen: bool = False  # somebody chose these
    said: bool = False  # somebody says that a node has these

    def carry(self, peak: float) -> bool:
        """Whether a bandwidth is what those that are listed give, and not all of them are."""
        return self.listed < self.usual and REACHED[0] < peak / (self.listed * self.rate or 1e9) < REACHED[1]


def findings(
    run: Run, nodes: int | None, transport: str, expected: float | None, alarm: float | None, adapters: Adapters
) -> Iterator[DiagnosisFinding]:
    """What is wrong with one run; ``expected``: gigabytes per second, ``None`` when not known, ``alarm``: what healthy
    runs are not below. Half of it is a sign of fewer or slower adapters where not all of them carry data."""
    yield from _stopped(run)
    if not run.rows or run.peak <= 0:
        return
    yield from of_results(run)
    yield from _reading(run, nodes)
    yield from _beyond_sockets(run, nodes, transport)
    yield from _speed(run, nodes, transport, expected, alarm or 0.0, adapters)


def _stopped(run: Run) -> Iterator[DiagnosisFinding]:
    for line, kind, text in run.failures[:1]:
        more = f", and {len(run.failures) - 1} more like it" if len(run.failures) > 1 else ""
        yield finding("test-failed", line, kind=kind, said=f": {text[:100]}" if text else "", more=more)
    if not run.rows and not run.failures and (run.ranks_listed or run.header_line):
        yield finding("no-results", run.header_line or run.line)
    if run.rows and run.peak == 0:
        told = finding("one-rank", run.rows[0].line)
        yield told if run.launched else as_information(told)


def separate_jobs(runs: list[Run]) -> DiagnosisFinding | None:
    """Several tables of one rank each, mixed together: a build without MPI."""
    idle = [run for run in runs if run.rows and run.peak == 0]
    joined = lambda run: run.peak > 0  # a bus bandwidth is that of several ranks, whatever a list numbers
    first_ranks = max((sum(rank == 0 for rank, _, _ in one.ranks_listed) for one in runs if not joined(one)), default=0)
    alone = sum(ranks_listed(run) == 1 for run in runs)
    apart = len(idle) >= 2 or first_ranks >= 2 or (idle and alone >= 2)
    return finding("separate-jobs", (idle or runs)[0].line) if apart else None


@once
def of_results(run: Run) -> tuple[DiagnosisFinding, ...]:
    """What is wrong with single results of a table, whatever else its log says."""
    return (*_wrong_results(run), *_doubtful_table(run)) if run.rows and run.peak > 0 else ()


def _wrong_results(run: Run) -> Iterator[DiagnosisFinding]:
    wrong = run.counts_wrong and any([half.wrong for half in halves_of(run)])
    bad = next((row for row in run.rows if any(half.wrong for half in row.halves)), None) if wrong else None
    line = bad.line if bad else run.out_of_bounds[0] if run.out_of_bounds and run.out_of_bounds[1] == "FAILED" else None
    if line is not None:
        yield finding("wrong-results", line)


def _doubtful_table(run: Run) -> Iterator[DiagnosisFinding]:
    """A table whose numbers do not fit each other was edited, or lines were lost."""
    factor = bus_factor(run)
    odd = _odd_row(run.rows, factor)
    if odd is not None:
        yield finding("table-inconsistent", odd.line)
    if run.average is None:
        return
    values = [half.busbw for half in halves_of(run)]
    mean = added(values) / len(values)
    if abs(mean - run.average) > max(0.002, 0.002 * run.average):
        yield finding("rows-missing", run.rows[0].line, average=run.average, mean=mean)


def _odd_row(rows: list[Row], factor: float | None) -> Row | None:
    """The first row where size ÷ time is not the bandwidth beside it, or that one's ratio to the bus bandwidth not the
    table's."""
    for row in rows:
        for time_s, algbw, busbw, _ in row.halves:
            if algbw < 0.5 or time_s < 5e-6:  # too short or too small for the printed digits
                continue
            if factor is not None and algbw >= 5.0 and abs(busbw / algbw / factor - 1) > 0.02:
                return row
            if abs(row.size / time_s / 1e9 / algbw - 1) > 0.02:
                return row
    return None


def _reading(run: Run, nodes: int | None) -> Iterator[DiagnosisFinding]:
    largest, last = max(row.size for row in run.rows), run.rows[-1].line
    if largest < SMALL_SWEEP:
        yield finding("small-messages-only", last, mib=largest / MIB)
    if run.reduced_to is not None:
        yield finding("sizes-reduced", run.line, mib=run.reduced_to / MIB)
    if 0 < ranks_listed(run) != ranks_of(run):
        name = "ranks-cut" if ranks_listed(run) < ranks_of(run) else "table-of-another-run"
        yield finding(name, run.ranks_listed_line or run.line, listed=ranks_listed(run), ranks=ranks_of(run))
    if run.average is not None and run.peak > 3 * run.average:
        yield finding("average-misleads", last, average=run.average, peak=run.peak)
    if nodes == 2 and collective_of(run) == "all_reduce" and bus_factor(run) and run.peak > 400:
        yield finding("two-node-effect", last, peak=run.peak)


def _speed(
    run: Run, nodes: int | None, transport: str, expected: float | None, alarm: float, adapters: Adapters
) -> Iterator[DiagnosisFinding]:
    rows = [row for row in run.rows if row.size >= LARGE]
    best = max(run.rows, key=lambda row: row.busbw)
    fell = list(_fall(rows, transport))
    yield from fell
    if adapters.others:
        name = "adapters-as-chosen" if adapters.chosen else "adapters-fewer-than-usual"
        name = "adapters-as-said" if adapters.said else name
        said = {"listed": adapters.listed, "usual": adapters.others, "gbps": 8 * adapters.rate}
        yield finding(name, run.line, **said, peak=run.peak)
    inside = nodes == 1 or transport == "nvlink"
    less = expected is not None and rows and not inside and run.peak < SHORT * expected
    if less and adapters.carry(run.peak):
        said = {"listed": adapters.listed, "usual": adapters.usual, "why": adapters.why}
        yield finding("adapters-left-out", best.line, peak=run.peak, **said)
    elif expected is not None and rows and run.peak < alarm:
        if inside:
            if not is_pcie(run.device) or run.peak < FEW * expected:
                name = "low-bandwidth-of-cards" if is_pcie(run.device) else "low-bandwidth-inside-node"
                yield finding(name, best.line, peak=run.peak, expected=expected)
            return
        if adapters.data != "all" and transport != "tcp-socket" and _half(run.peak, expected) and _flat(rows, run.peak):
            name = "half-of-the-adapters-of-efa" if transport == "efa" else "half-of-the-adapters"
            half = finding(name, best.line, peak=run.peak, expected=as_known(expected))
            yield half if adapters.data == "known" else half.model_copy(update={"severity": "info"})
            return
        name = "low-bandwidth-of-tcp" if transport == "tcp-socket" else "low-bandwidth"
        hint = _one_adapter(run.peak, expected) if run.peak < FEW * expected else _one_of_all(run.peak / expected)
        slow = finding(name, best.line, peak=run.peak, expected=as_known(expected), hint=hint)
        yield slow.model_copy(update={"severity": "error"}) if run.peak < VERY_SLOW * expected else slow
    elif transport == "unknown" and _like_sockets(run, nodes) and rows and not adapters.said:
        yield finding("like-sockets", best.line, peak=run.peak, nodes=nodes)


def _beyond_sockets(run: Run, nodes: int | None, transport: str) -> Iterator[DiagnosisFinding]:
    """A table of several nodes that is faster than the sockets which its log names: the two do not belong together."""
    several = nodes > 1 if nodes else ranks_of(run) > LARGEST_NODE
    twice = nodes == 2 and collective_of(run) == "all_reduce"
    if several and transport == "tcp-socket" and run.peak > BEYOND_SOCKETS * (OF_TWO_NODES if twice else 1):
        best = max(run.rows, key=lambda row: row.busbw)
        yield finding("beyond-sockets", best.line, peak=run.peak, most=BEYOND_SOCKETS, measured=SOCKET_CEILING)


def _half(peak: float, expected: float) -> bool:
    """Whether it is what half of the adapters give, or all of half the rate."""
    return HALF[0] * expected < peak < SLOW * expected


def _flat(rows: list[Row], peak: float) -> bool:
    """Whether the largest messages all run at the peak, as behind a ceiling."""
    largest = [row.busbw for row in rows[-2:]]
    return len(largest) > 1 and min(largest) > FLAT * peak


def _like_sockets(run: Run, nodes: int | None) -> bool:
    several = nodes is not None and nodes >= 2 and ranks_of(run) >= 4 * nodes
    return several and run.peak < SOCKET_CEILING and not is_pcie(run.device)


def _one_adapter(peak: float, expected: float) -> str:
    """A hint where the peak is what a single adapter of some speed gives, of nodes with four and more of them."""
    rates = [rate for rate in NIC_RATES if rate <= expected / 4 or (rate < NIC_RATES[-1] and rate <= 0.3 * expected)]
    one = next((rate for rate in rates if 0.75 * rate <= peak <= 1.02 * rate), None)
    gives = f"{peak:.3g} GB/s is what one adapter of {one * 8:g} Gb/s gives" if one else ""
    return f"; {gives}: check NCCL_IB_HCA and the topology" if one else ""


def _one_of_all(share: float) -> str:
    """A hint where one adapter of each ring at a half, or a quarter, of its rate is enough for what is reached."""
    near = next((word for word, part in (("half", 0.5), ("a quarter", 0.25)) if abs(share - part) < NEAR), None)
    return f"; about {near} of it: one adapter at {near} of its rate slows every ring so far" if near else ""


def _fall(rows: list[Row], transport: str) -> Iterator[DiagnosisFinding]:
    """Bandwidth that falls and stays low as messages grow; a single low row is a neighbour's, or chance."""
    if not rows:
        return
    peak = max(range(len(rows)), key=lambda n: rows[n].busbw)
    best, after = rows[peak], rows[peak + 1 :]
    low = next((row for row in rows[1:] if row.busbw < DROP * best.busbw and row.line > best.line), None)
    if low is None:
        return
    said = {"busbw": low.busbw, "mib": low.size / MIB, "best": best.busbw}
    stays = all(row.busbw < DROP * best.busbw for row in after if row.line >= low.line)
    lasts = sum(row.line >= low.line for row in after) >= 2 or low.busbw < COLLAPSED * best.busbw
    if stays and lasts:
        yield finding(
            "bandwidth-collapses-on-roce" if transport in ("roce", "gib") else "bandwidth-collapses", low.line, **said
        )
    else:
        yield finding("unsteady-bandwidth", low.line, **said)
