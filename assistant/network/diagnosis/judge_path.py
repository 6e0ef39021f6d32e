"""Whether it is the path between the nodes: flows that crowd on some links, losses, and runs that differ though nothing
was changed."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate, pairwise, takewhile

from assistant.vocabulary.answers import DiagnosisFinding

from .debug_lines import DebugLog
from .expected import is_pcie
from .facts import differences, tried
from .judge_tests import DROP, MIB, SLOW
from .runs import COMPARED, Row, Run, bus_factor, collective_of, once, ranks_of, usual
from .signatures import as_information, finding
from .tools import Tools

LOW, BACK = 0.7, 0.8  # of what smaller messages reached: a result that is low, and one that is back at it
STEADY = 1.03  # of the run before: chance
_MANY, _NAMED = 4, 4  # runs of one test of which those after a fall are told apart; differences that are told
FEWEST = 3  # low results that are no chance, and their least share of all
SHARE = 0.15
# k flows that share a link have 1/k of it each. Less than an eighth is more than eight flows on one link, or lost
# packets that are sent again after a time-out.
LOST = 0.12


@once
def swings(run: Run) -> tuple[int, float, float, float] | None:
    """Where large messages are low and then high again: line, least, greatest, and least ÷ reached before; else
    ``None``. The best of what smaller messages reached is what a larger one should."""
    rows = [row for row in run.rows if row.size >= COMPARED]
    reached, low, back, count = 0.0, list[tuple[float, float, Row]](), False, 0
    for row in rows:
        reached = max(reached, row.busbw)
        for half in row.halves:
            count += 1
            if reached > 0.0 and half.busbw < LOW * reached:
                low.append((half.busbw / reached, half.busbw, row))
            elif low and half.busbw >= BACK * reached:
                back = True
    if len(low) < FEWEST or len(low) < SHARE * count or not back:
        return None
    share, least, _ = min(low, key=lambda each: each[0])
    return low[0][2].line, least, reached, share


def line_filled(runs: list[Run], device: str, log: DebugLog, tools: Tools) -> bool:
    """Whether sockets give nearly what the Ethernet adapter in use has, by its own rate or by a test of TCP, between
    cards that no NVLink board holds or where TCP was tested or tuned: whoever set it up so lost nothing."""
    if not (is_pcie(device) or tools.tcp or "NCCL_NSOCKS_PERTHREAD" in log.settings):
        return False
    rates = [rate for (_, name), (rate, _) in tools.rates.items() if name in log.socket_interfaces]
    line = min(rates, default=tools.tcp) / 8
    return bool(line) and max((run.peak for run in runs), default=0.0) >= BACK * line


@dataclass(frozen=True)
class Measured:
    """The tables of a log, with the bus bandwidth that is expected of each (GB/s) and its nodes, by a run's line.
    ``several``: whether RDMA joins several nodes; ``hashed``: by routes that hashes choose, as Ethernet's are;
    ``unsteady``: the hosts themselves make results vary, so that swings say nothing of the path."""

    runs: list[Run]
    expected: dict[int, float | None]
    nodes: dict[int, int | None]
    several: bool
    hashed: bool
    unsteady: bool


def findings(measured: Measured, tools: Tools) -> Iterator[DiagnosisFinding]:
    """What the tables, and what other tools print beside them, say of the path."""
    if measured.several:
        yield from _crowded(measured, tools)
    fell = list(_falls_with_time(measured.runs))
    yield from fell or _slower_again(measured.runs)


def _crowded(measured: Measured, tools: Tools) -> Iterator[DiagnosisFinding]:
    runs, signs, line = measured.runs, list[str](), 0
    told = [None if measured.unsteady else swings(run) for run in runs]
    swinging = [each for each in told if each is not None]
    lossy = [each for each in swinging if each[3] < LOST]
    if lossy:
        line, least, most, _ = lossy[0]
        yield finding("bandwidth-swings", line, least=least, most=most)
        return
    if swinging:
        line, least, most, _ = swinging[0]
        signs.append(f"large messages swing between {least:.4g} and {most:.4g} GB/s")
    if fall := _falls(measured):
        line = line or fall[0]
        signs.append(fall[1])
    slow = bool(signs) or any(run.peak < SLOW * (measured.expected[run.line] or 0) for run in runs)
    for what, (numbers, at) in tools.uneven.items() if slow or not runs else ():
        line = line or at
        shown = ", ".join(f"{number:g}" for number in numbers[:8])
        signs.append(f"the uplinks carry {shown} %" if what == "uplinks" else f"repeats give {shown}")
    if signs:
        capacity = fall is not None and len(signs) == 1 and not measured.hashed
        yield finding("uplinks-too-few" if capacity else "path-collisions", line, said="; ".join(signs))


def _falls(measured: Measured) -> tuple[int, str] | None:
    """Whether a test that is as it should be at few nodes is slow at more."""
    by_kind: dict[str, dict[int, Run]] = defaultdict(dict)
    expected, nodes = measured.expected, measured.nodes
    for run in measured.runs:
        count = nodes[run.line]
        if count and count > 1 and run.peak > 0 and expected[run.line]:
            by_kind[collective_of(run)][count] = run
    for by_nodes in by_kind.values():
        few, many = by_nodes[min(by_nodes)], by_nodes[max(by_nodes)]
        whole, part = expected[few.line] or 0.0, expected[many.line] or 0.0
        if few is not many and few.peak >= SLOW * whole and many.peak < SLOW * part:
            peaks = ", ".join(f"{run.peak:.4g} GB/s at {count} nodes" for count, run in sorted(by_nodes.items()))
            return many.line, peaks
    return None


def _falls_with_time(runs: list[Run]) -> Iterator[DiagnosisFinding]:
    """One test again and again, each time slower, though no setting or host was changed."""
    by_size: dict[int, list[tuple[Row, Run]]] = defaultdict(list)
    for run in runs:
        for row in run.rows:
            if row.size >= COMPARED:
                by_size[row.size].append((row, run))
    for same in by_size.values():
        values, of = [row.busbw for row, _ in same], [run for _, run in same]
        falling = len(values) > FEWEST and values[-1] < SLOW * values[0]
        if not falling or any(later > STEADY * before for before, later in pairwise(values)):
            continue
        changed = len({tuple(sorted(run.hosts)) for run in of if run.hosts}) > 1
        factors = [bus_factor(run) or 0.0 for run in of]
        changed = changed or max(factors) - min(factors) > 0.01  # another number of ranks, or collective
        if not changed and not any(differences([before], [after]) for before, after in pairwise(of)):
            yield finding("falls-with-time", same[-1][0].line, first=values[0], last=values[-1], count=len(values))
            return


def _slower_again(runs: list[Run]) -> Iterator[DiagnosisFinding]:
    """The same test of the same ranks, slower than before, with what else differs between the runs; what somebody tried
    is told as information."""
    by_test: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for run in runs:
        if run.rows and run.peak > 0 and ranks_of(run):
            hosts, largest = run.hosts or run.named, max(row.size for row in run.rows)
            key = collective_of(run), ranks_of(run), hosts, hosts or run.speaking, run.device, largest
            by_test[key].append(run)
    for same in by_test.values():
        for changed in (False, True):
            if (told := _slower_than_before(same, changed=changed)) is not None:
                yield told
                return


def _slower_than_before(same: list[Run], *, changed: bool) -> DiagnosisFinding | None:
    """``changed``: where something else than the speed differs, which less is asked of."""
    before, after = _fallen(same, DROP if changed else SLOW)
    if not after:
        return None
    found = differences(before, after)
    best, last = max(before, key=lambda run: run.peak), max(after, key=lambda run: run.peak)
    start = _slower_from(best, last)
    if bool(found) != changed or not start or (not changed and usual(last) >= SLOW * best.peak):
        return None
    said = {"last": last.peak, "best": best.peak, "mib": start / MIB}
    if not changed:
        told = finding("repeat-slower", last.line, **said)
    elif tried(found, same):
        return finding("slower-as-tried", last.line, **said, differs="; ".join(map(str, found[:_NAMED])))
    else:
        fix = next((each.fix for each in found if each.fix), "put it back as it was and measure again")
        said |= {"differs": "; ".join(map(str, found[:_NAMED])), "mend": fix}
        told = finding("slower-since-change", last.line, **said)
    named = last.hosts or last.named or last.speaking
    return told if named else as_information(told)  # it may be a test of other hosts


def _fallen(same: list[Run], share: float) -> tuple[list[Run], list[Run]]:
    """The runs before and after a fall below a share of what came before: of a few runs the best and the last, of many
    those that are all below. Empty where there is none."""
    if len(same) < _MANY:
        best, last = max(same, key=lambda run: run.peak), same[-1]
        return ([best], [last]) if last.line > best.line and last.peak < share * best.peak else ([], [])
    least = [*accumulate((run.peak for run in same), min)]
    most = [*accumulate((run.peak for run in reversed(same)), max)][::-1]
    at = next((at for at in range(2, len(same) - 1) if most[at] < share * least[at - 1]), 0)
    return (same[:at], same[at:]) if at else ([], [])


def _slower_from(best: Run, last: Run) -> int:
    """The size in bytes from which on a run is slower than another at every size, 0 where it is not so at the larger
    sizes; of small messages latency decides."""
    before = {row.size: row.busbw for row in best.rows if row.size >= COMPARED}
    shared = [(row.size, row.busbw / before[row.size]) for row in last.rows if before.get(row.size)]
    slower = list(takewhile(lambda each: each[1] < DROP, sorted(shared, reverse=True)))
    return slower[-1][0] if slower and len(slower) >= min(FEWEST, len(shared)) else 0
