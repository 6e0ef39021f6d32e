"""Findings from nccl-tests tables: is the table what it claims, did the test run as meant, is it fast enough."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.vocabulary.answers import DiagnosisFinding, Severity

from .expected import is_pcie
from .runs import Row, Run, bus_factor, collective_of, ranks_of

MIB = 2**20
LARGE = 64 * MIB  # from here on a row says something about the fabric
SMALL_SWEEP = 128 * MIB
# Of the expected bus bandwidth. Large messages of RDMA fabrics scatter by 0.15 about the model (logarithm,
# NETWORK_SPREAD), so 0.6 is 3.4 standard deviations below it; one NIC of eight, or a host's sockets, give an eighth and
# less.
SLOW, VERY_SLOW = 0.6, 0.15
SOCKET_CEILING = 10.0  # GB/s: more than TCP sockets gave on any node measured (knowledge/catalog/fabrics.yaml)
DROP = 0.75  # of the best smaller size: two of those standard deviations below it
NIC_RATES = (12.5, 25.0, 50.0, 100.0)  # GB/s of 100, 200, 400 and 800 Gb/s


def finding(code: str, severity: Severity, line: int, message: str, fix: str) -> DiagnosisFinding:
    return DiagnosisFinding(code=code, severity=severity, line=line, message=message, fix=fix)


def findings(run: Run, nodes: int | None, transport: str, expected: float | None) -> Iterator[DiagnosisFinding]:
    """What is wrong with one run; ``expected``: gigabytes per second, ``None`` when not known."""
    yield from _stopped(run)
    yield from _not_what_was_meant(run)
    if not run.rows or run.peak <= 0:
        return
    yield from _wrong_results(run)
    yield from _doubtful_table(run)
    yield from _reading(run, nodes)
    yield from _speed(run, nodes, transport, expected)


def _stopped(run: Run) -> Iterator[DiagnosisFinding]:
    for line, kind, text in run.failures[:1]:
        more = f", and {len(run.failures) - 1} more like it" if len(run.failures) > 1 else ""
        said = f": {text[:100]}" if text else ""
        yield finding(
            "test-failed",
            "error",
            line,
            f"the test stopped with {kind}{said}{more}",
            "read the first WARN line before it; run again with NCCL_DEBUG=INFO when there is none",
        )
    if not run.rows and not run.failures and (run.ranks_listed or run.header_line):
        yield finding(
            "no-results",
            "error",
            run.header_line or run.line,
            "the test started and printed no row: it hung or was killed",
            "run again with NCCL_DEBUG=INFO and look where it stops; start with two ranks",
        )


def _not_what_was_meant(run: Run) -> Iterator[DiagnosisFinding]:
    if run.rows and run.peak == 0:
        yield finding(
            "one-rank",
            "error",
            run.rows[0].line,
            "the bus bandwidth is zero in every row: one rank ran and had nothing to communicate",
            "ask for more ranks",
        )


def separate_jobs(runs: list[Run]) -> DiagnosisFinding | None:
    """Several tables of one rank each, mixed together: a build without MPI."""
    idle = [run for run in runs if run.rows and run.peak == 0]
    first_ranks = max((sum(rank == 0 for rank, _, _ in run.ranks_listed) for run in runs), default=0)
    if len(idle) < 2 and first_ranks < 2:
        return None
    return finding(
        "separate-jobs",
        "error",
        (idle or runs)[0].line,
        "every process ran a job of its own: the network was never used",
        "build nccl-tests with MPI=1 and start it with mpirun or srun --mpi=pmix",
    )


def _wrong_results(run: Run) -> Iterator[DiagnosisFinding]:
    bad = next((row for row in run.rows if run.counts_wrong for half in row.halves if half.wrong), None)
    line = bad.line if bad else run.out_of_bounds[0] if run.out_of_bounds and run.out_of_bounds[1] == "FAILED" else None
    if line is not None:
        yield finding(
            "wrong-results",
            "error",
            line,
            "the results were wrong: data was corrupted on the way, the bandwidth means nothing",
            "check memory errors, PCIe peer-to-peer with an IOMMU that translates (iommu=pt), and the driver",
        )


def _doubtful_table(run: Run) -> Iterator[DiagnosisFinding]:
    """A table whose numbers do not fit each other was edited, or lines were lost."""
    odd = next((row for row in run.rows if any(_odd(row, half.time_s, half.algbw) for half in row.halves)), None)
    if odd is not None:
        yield finding(
            "table-inconsistent",
            "warning",
            odd.line,
            "size ÷ time is not the bandwidth that stands beside it: the row was edited",
            "use the original output",
        )
    values = [half.busbw for row in run.rows for half in row.halves]
    mean = sum(values) / len(values)
    if run.average is not None and abs(mean - run.average) > max(0.002, 0.002 * run.average):
        yield finding(
            "rows-missing",
            "info",
            run.rows[0].line,
            f"the printed average {run.average:g} GB/s is not that of the rows shown ({mean:.4g}): rows are missing",
            "use the complete output",
        )


def _odd(row: Row, time_s: float, algbw: float) -> bool:
    if time_s < 5e-6 or algbw < 0.5:  # too short or too small for the printed digits
        return False
    return abs(row.size / time_s / 1e9 / algbw - 1) > 0.02


def _reading(run: Run, nodes: int | None) -> Iterator[DiagnosisFinding]:
    largest = max(row.size for row in run.rows)
    if largest < SMALL_SWEEP:
        yield finding(
            "small-messages-only",
            "warning",
            run.rows[-1].line,
            f"the largest message is {largest / MIB:.4g} MiB: the peak is not what the fabric can do",
            "sweep up to 8 GiB (-b 8M -e 8G -f 2)",
        )
    if run.reduced_to is not None:
        yield finding(
            "sizes-reduced",
            "info",
            run.line,
            f"GPU memory ended the sweep at {run.reduced_to / MIB:,.0f} MiB",
            "none: the sizes on the parameter line were not all run",
        )
    if run.average is not None and run.peak > 3 * run.average:
        yield finding(
            "average-misleads",
            "info",
            run.rows[-1].line,
            f"the printed average {run.average:.4g} GB/s counts small messages: the peak is {run.peak:.4g}",
            "judge by the largest messages",
        )
    if nodes == 2 and collective_of(run) == "all_reduce" and bus_factor(run) and run.peak > 400:
        yield finding(
            "two-node-effect",
            "info",
            run.rows[-1].line,
            "with two nodes the tree algorithm "
            f"sends less than the formula counts: {run.peak:.4g} GB/s is more than the "
            "adapters carry",
            "compare at three nodes or more, or with NCCL_ALGO=Ring",
        )


def _speed(run: Run, nodes: int | None, transport: str, expected: float | None) -> Iterator[DiagnosisFinding]:
    rows = [row for row in run.rows if row.size >= LARGE]
    best = max(run.rows, key=lambda row: row.busbw)
    yield from _unsteady(rows)
    if expected is not None and rows and run.peak < SLOW * expected:
        severity = "error" if run.peak < VERY_SLOW * expected else "warning"
        yield finding(
            "low-bandwidth",
            severity,
            best.line,
            f"{run.peak:.4g} GB/s where about {expected:.3g} is expected of the usual adapters of this node",
            _slow_fix(run.peak, transport),
        )
    elif transport == "unknown" and _like_sockets(run, nodes) and rows:
        yield finding(
            "like-sockets",
            "warning",
            best.line,
            f"{run.peak:.4g} GB/s between {nodes} nodes is what TCP sockets give, not RDMA",
            'run with NCCL_DEBUG=INFO and read the line "Using network": it must not say Socket; load the '
            "network plugin of the system",
        )


def _like_sockets(run: Run, nodes: int | None) -> bool:
    several = nodes is not None and nodes >= 2 and ranks_of(run) >= 4 * nodes
    return several and run.peak < SOCKET_CEILING and not is_pcie(run.device)


def _slow_fix(peak: float, transport: str) -> str:
    if transport == "tcp-socket":
        return (
            "TCP is the limit: use RDMA, or several sockets (NCCL_SOCKET_NTHREADS, NCCL_NSOCKS_PERTHREAD) and "
            "interfaces"
        )
    one = next((rate for rate in NIC_RATES if 0.75 * rate <= peak <= 1.02 * rate), None)
    hint = (
        f"; {peak:.3g} GB/s is what one adapter of {one * 8:g} Gb/s gives: check NCCL_IB_HCA and the topology"
        if one
        else ""
    )
    return (
        "with NCCL_DEBUG=INFO check the network in use, GPUDirect on every channel and how many adapters take "
        f"part{hint}"
    )


def _unsteady(rows: list[Row]) -> Iterator[DiagnosisFinding]:
    best = 0.0
    for row in rows:
        if best and row.busbw < DROP * best:
            yield finding(
                "unsteady-bandwidth",
                "warning",
                row.line,
                f"{row.busbw:.4g} GB/s at "
                f"{row.size / MIB:,.0f} MiB after {best:.4g} at a smaller size: it should not "
                "fall",
                "run again; look for other traffic, congestion and losses (ethtool -S, perfquery)",
            )
            return
        best = max(best, row.busbw)
