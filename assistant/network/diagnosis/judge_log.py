"""What a log shows, once it is read: the network, what to expect of it, and everything that is wrong, causes first."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from functools import cache

from assistant.network.nccl.host import within
from assistant.vocabulary.answers import DiagnosedFile, DiagnosisFinding, LogKind, LogTransport
from assistant.vocabulary.catalog import Catalog

from . import (
    causes,
    harm,
    judge_counters,
    judge_network,
    judge_parts,
    judge_path,
    judge_rows,
    judge_tests,
    known_lines,
    sockets,
)
from .adapters_told import adapters_told
from .checks import checks
from .debug_lines import DebugLog, meaning_of
from .expected import (
    FILLED,
    alarm_below,
    also_built_with,
    expected_busbw,
    gpu_named,
    is_pcie,
    most_of_line,
    most_without_sums,
    of_ethernet,
    slot_of,
)
from .facts import differences, tried
from .inferred import inferred
from .judge_path import Measured
from .outcome import outcome_of
from .reading import Heard
from .report_table import ReportTable
from .runs import Row, Run, collective_of, nodes_of, ranks_of
from .signatures import Speed, as_information, finding, general, symptoms
from .tools import joined_by

_LEAST = "NVIDIA H100 80GB HBM3"  # of the GPUs of which eight, with as many adapters, are behind a switch that adds
_SWITCH_ADDS = "2.17.1"  # NCCL's release from which it has the switch between H100 add (NCCL_NVLS_ENABLE in its source)
_AT_THE_END = re.compile(r"\d{1,3}$")
_INSIDE = ("nvlink", "xgmi", "pcie", "p2p", "shm")
# Channels that NCCL opens inside a node: 2 to 4 over PCIe, 12 over the links of four V100, 24 of eight A100.
_BY_NVLINK = 8
_CHANNELS_ASKED = {"NCCL_MIN_NCHANNELS", "NCCL_MIN_CTAS", "NCCL_MAX_NCHANNELS"}  # where it does not choose itself
_OF_ADAPTERS = ("infiniband", "roce", "tcp-socket", "unknown")  # whose adapters people buy, and speak of
_BY_COUNTERS = ("packets-lost", "packets-lost-many", "link-errors-many", "congested")  # of one adapter, since its start
_BELOW = 8  # lines in which what a remark is about is set
_SEVERITIES = {"error": 0, "warning": 1, "info": 2}


def judged(runs: list[Run], heard: Heard, catalog: Catalog, path: str) -> DiagnosedFile:
    log, reports = heard.log, [ReportTable(sheet) for sheet in heard.reported.sheets]
    heard.sweeps.leave(judge_rows.compared(reports))
    best = max(runs, key=lambda run: run.peak, default=None)
    nodes, device = _nodes(best, log), next((run.device for run in runs if run.device), heard.known.card)
    gpu = gpu_named(device, catalog, inside=True)
    if (
        not device
        and log.nvls_there
        and 8 in (log.local_ranks, log.per_host)
        and (nodes == 1 or len(log.device_list or []) >= 8)
    ):
        device = _LEAST
    log.by_comment |= _set_below_a_remark(log, heard.known)
    forced = {"NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE"} <= log.by_command
    log.looped = nodes == 1 and forced and bool(log.channels or log.network)
    log.linked = log.linked or heard.tools.matrix.linked or heard.tools.copies.linked
    log.adapters_there = heard.tools.adapters_there
    log.without_rdma = heard.tools.without_rdma
    log.port_rate = _port_rate(log, heard)
    log.summed = log.summed or any(_more_than_sent(run, log, device, catalog) for run in runs)
    transport = _carried_by(log, heard.known, nodes, device, best.peak if best else 0.0)
    if transport == "unknown" and not (runs or log.lines):
        joined = joined_by(heard.tools)
        transport = "pcie" if joined == "p2p" and is_pcie(device) else joined or transport
    guess = None
    if transport == "unknown" and nodes != 1 and not log.rack:
        guess = inferred(runs, heard.sweeps, heard.known, device, catalog)
        transport = guess.transport if guess else transport
    log.adapters_chosen = _chosen(log, heard.known)
    log.said = _said(log, heard.known, transport, runs)
    log.ethernet = sockets.ethernet_of(heard.known.said) or _together(log.said)
    log.line_filled = transport == "tcp-socket" and judge_path.line_filled(runs, device, log, heard.tools)
    log.rdma_named = "rdma-there" in heard.known.standing
    log.offered = "" if guess else heard.known.offered
    log.sockets_meant = sockets.sockets_meant(log, device, heard.known.standing)
    found = [*_findings(runs, heard, reports, nodes, device, transport, catalog), *([guess.finding] if guess else [])]
    test = (collective_of(best), ranks_of(best)) if best else ("unknown", 0)
    expected = None
    if best:
        expected = _expected(*test, nodes, device, transport, catalog, log, adds=_may_add(log, nodes, transport))
        ring = _expected(*test, nodes, device, transport, catalog, log, adds=False, sums=False)
        expected = _as_ring(best, nodes, expected, ring, told=log.nvls_there)
    large = max((row for row in best.rows if row.size >= judge_tests.LARGE), key=_busbw, default=None) if best else None
    checked, not_checked = checks(best, log, nodes, transport, expected, heard.known.steps, heard.samples.left)
    checked += [*judge_rows.checked(heard.reported, reports), *judge_counters.checked(heard.tools.counters)]
    checked += ["what joins the GPUs of the host"] if joined_by(heard.tools) else []
    return DiagnosedFile(
        path=path,
        kind=_kind(runs, heard),
        collective=test[0],
        ranks=test[1] or log.ranks,
        nodes=nodes,
        transport=transport,
        gpudirect_rdma=log.gpudirect,
        gpudirect_missing_on=log.without_gpudirect if log.gpudirect is False else [],
        peak_busbw_gb_per_s=best.peak if best else 0.0,
        findings=found,
        peak_bytes=max(best.rows, key=_busbw).size if best and best.rows else None,
        expected_busbw_gb_per_s=expected,
        checked=checked,
        not_checked=not_checked,
        gpu=gpu.id if gpu else None,
        large_busbw_gb_per_s=large.busbw if large else 0.0,
        large_bytes=large.size if large else None,
        largest_bytes=max((row.size for row in best.rows), default=None) if best else None,
    )


def _carried_by(
    log: DebugLog, known: known_lines.KnownLines, nodes: int | None, device: str, peak: float
) -> LogTransport:
    """What carried the data by NCCL's lines, else by what other lines of the log call it."""
    transport = _transport(log, nodes, device, peak, apart="several-nodes" in known.seen)
    if transport == "infiniband" and not log.device_list and known.transport == "roce":
        return "roce"  # verbs of either are NET/IB, and no line lists the adapters with what they speak
    if transport in ("unknown", "p2p"):
        named = _named_elsewhere(known, log, nodes)
        transport = transport if named == "unknown" else named
    return "xgmi" if transport in ("nvlink", "p2p") and "amd-gpus" in known.seen else transport


def _busbw(row: Row) -> float:
    return row.busbw


def _kind(runs: list[Run], heard: Heard) -> LogKind:
    if runs or heard.sweeps.tables or heard.sweeps.between:
        return "mixed" if heard.log.lines else "nccl-tests"
    return (
        "nccl-debug"
        if heard.log.lines or heard.log.version or heard.known.told or heard.known.completions
        else "unknown"
    )


def _nodes(run: Run | None, log: DebugLog) -> int | None:
    nodes = (nodes_of(run) if run is not None else None) or log.nodes
    return None if run is not None and nodes and run.rows and 0 < ranks_of(run) < nodes else nodes  # of another run


def _port_rate(log: DebugLog, heard: Heard) -> float:
    """Bytes per second of the adapters that the job uses, as other tools print it of half of them at least; 0 where
    they do not: of a few somebody asks because these differ. 0 also beside faster ones, which the job should use."""
    used = {name for name, _ in log.device_list or []}
    if not used:
        value = log.settings.get("NCCL_IB_HCA", (0, ""))[1]
        names = value.lstrip("=").split(",") if not value.startswith("^") else []
        used = {name.split(":")[0] for name in names if name}
    shown = heard.tools.adapter_rates
    of_name = {name: rate for (_, name), (rate, _) in shown.items() if name in used}
    most = Counter(of_name.values()).most_common(1)
    told = most and 2 * len(of_name) >= len(used) and most[0][0] == max(rate for rate, _ in shown.values())
    return most[0][0] * 1e9 / 8 if told else 0.0


def _more_than_sent(run: Run, log: DebugLog, device: str, catalog: Catalog) -> bool:
    """Whether an all-reduce is faster than adapters carry it where no switch between nodes adds."""
    ranks, nodes = ranks_of(run), _nodes(run, log)
    if collective_of(run) != "all_reduce" or not nodes or log.rack:
        return False
    most = most_without_sums(ranks, nodes, device, catalog, log.adapter_rate, len(log.device_list or []))
    return most is not None and run.peak > most


def _transport(log: DebugLog, nodes: int | None, device: str, peak: float, *, apart: bool) -> LogTransport:
    """The network between nodes; inside one node, or where no line names a network, what joins the GPUs. ``peak``: of
    the tables, in GB/s; 0 where nothing was sent between ranks. ``apart``: an option asks for several nodes."""
    if log.rack and not log.channels:
        return "nvlink"
    if log.looped:
        return log.transport or "unknown"
    alone = nodes is None and len(log.devices_per_host) == 1 and len(next(iter(log.devices_per_host.values()))) > 1
    several = log.ranks > judge_tests.LARGEST_NODE
    silent = not log.channels and log.transport in (None, "tcp-socket")
    inside = nodes is None and not (several or apart) and (log.local or alone) and silent
    if nodes == 1 or inside:
        if log.local["SHM"] >= max(1, log.local["P2P"]):  # a ring is as fast as its slowest way
            return "shm"
        slot = slot_of(device)  # what reaches more has a bridge of NVLink between two cards
        if is_pcie(device) and (peak or log.local) and peak <= slot and not log.linked:
            return "pcie"
        joined = log.nvls or log.nvls_there or log.rack or log.linked or peak > slot
        many = log.ways >= _BY_NVLINK and not _CHANNELS_ASKED & log.settings.keys()
        if joined or (device and (peak or log.local["P2P"])) or (log.local["P2P"] and many):
            return "nvlink"
        return "p2p" if log.local["P2P"] else "unknown"
    return log.transport or "unknown"


def _named_elsewhere(known: known_lines.KnownLines, log: DebugLog, nodes: int | None) -> LogTransport:
    """The network that other lines than NCCL's name: NVLink inside a node, the others between nodes; none where NCCL
    did not find the one that it was told to use."""
    if "plugin-not-found" in known.seen and not log.channels:
        return "unknown"
    of_roce = {"NCCL_IB_TC", "NCCL_IB_GID_INDEX"} & log.settings.keys()
    asked = meaning_of(log.settings.get("NCCL_NET", (0, ""))[1])
    by_verbs = "infiniband" if asked.get("asks") == "verbs" else "unknown"
    named = asked.get("transport") or known.transport or ("roce" if of_roce else by_verbs)
    return named if nodes is None or (nodes == 1) == (named == "nvlink") else "unknown"


def _expected(
    collective: str,
    ranks: int,
    nodes: int | None,
    device: str,
    transport: str,
    catalog: Catalog,
    log: DebugLog,
    *,
    adds: bool,
    sums: bool = True,
) -> float | None:
    listed, rate, fewer = len(log.device_list or []), log.adapter_rate, _fewer(log, device)
    if log.said and fewer:
        listed, rate = log.said[0], rate or log.said[1]
    if log.looped:  # how often data crosses an adapter is another thing than between nodes
        return None
    value = expected_busbw(
        collective, ranks, nodes or 0, device, transport, catalog, rate, listed,
        adds=adds and not log.sums_off, sums=sums and not log.sums_off, fewer=fewer,
    )  # fmt: skip
    if value is not None and transport == "tcp-socket" and log.ethernet and nodes:
        value = min(value, of_ethernet(collective, ranks, nodes, log.ethernet) or value)
    return None if value is None else round(value, 2)


def _said(log: DebugLog, known: known_lines.KnownLines, transport: str, runs: list[Run]) -> tuple[int, float] | None:
    """How many adapters somebody says a node has, bytes per second of each, where NCCL lists no more than that and no
    table shows more than they carry: that is said of others then."""
    there = known.seen.get("adapters-said") if transport in _OF_ADAPTERS else None
    said = adapters_told(there.evidence, there.said) if there else None
    if said is None or len(log.device_list or []) > said[0]:
        return None
    return None if any(_beyond(run, log, _together(said)) for run in runs) else said


def _beyond(run: Run, log: DebugLog, line: float) -> bool:
    """Whether a table shows more between nodes than adapters of ``line`` bytes per second in all carry."""
    ranks, nodes = ranks_of(run), _nodes(run, log)
    ring = collective_of(run) not in ("alltoall", "sendrecv")
    return bool(ring and ranks and nodes and nodes > 1) and run.peak * 1e9 > most_of_line(line, ranks, nodes or 0)


def _together(said: tuple[int, float] | None) -> float:
    """Bytes per second of the adapters that somebody says a node has, 0 without such words."""
    return said[0] * said[1] if said else 0.0


def _fewer(log: DebugLog, device: str) -> bool:
    """Whether nodes have, or are to use, the adapters that are listed or that somebody says they have, and no more."""
    return log.said is not None or log.adapters_chosen or _built_with_fewer(log, device)


def _built_with_fewer(log: DebugLog, device: str) -> bool:
    """Whether every host lists as many adapters as some nodes of these GPUs have, numbered without a gap, and no
    setting chose them: nothing tells that there are more."""
    listed, names = log.device_list or [], log.by_command | log.settings.keys()
    numbered = sorted(int(number[0]) for name, _ in listed if (number := _AT_THE_END.search(name)))
    alike = all(len(each) == len(listed) for each, _ in log.listed.values())
    return (
        len(listed) in also_built_with(device)
        and alike
        and numbered == [*range(len(listed))]
        and "NCCL_IB_HCA" not in names
    )


def _chosen(log: DebugLog, known: known_lines.KnownLines) -> bool:
    """Whether somebody chose adapters by name: a comment in the log says so, or of several a command."""
    named, listed = log.settings.get("NCCL_IB_HCA", (0, ""))[1], len(log.device_list or [])
    said = "NCCL_IB_HCA" in log.by_comment or "adapters-meant" in known.seen
    shown = said or ("NCCL_IB_HCA" in log.by_command and listed > 1)
    return shown and bool(named) and not named.startswith("^") and listed == named.count(",") + 1


def _set_below_a_remark(log: DebugLog, known: known_lines.KnownLines) -> set[str]:
    """The settings that commands give right below a line in which somebody says that they are meant."""
    remark = known.seen.get("settings-meant")
    if remark is None:
        return set()
    lines = {name: line for name, (line, _) in log.settings.items() if name in log.by_command}
    return {name for name, line in lines.items() if any(0 < line - at <= _BELOW for at in (remark.first, remark.last))}


def _in_one_node(log: DebugLog, transport: str, heard: Heard) -> bool:
    """Whether a job that says nothing of nodes is one of a single host: it connected or did its work, its GPUs alone
    speak, of as many ranks, no channel leaves it, and no option asks for more; or an option says so."""
    known = heard.known
    if "one-node" in known.seen and "several-nodes" not in known.seen and not log.channels:
        return True
    if not (known.connected or known.worked or known.steps.last or "serves" in known.seen):
        return False
    speaking = [len(gpus) for gpus in log.devices_per_host.values()]
    alone = len(speaking) == 1 and speaking[0] >= max(2, log.ranks) and not log.channels and not log.rack
    return alone and transport in _INSIDE and "several-nodes" not in known.seen


@dataclass(frozen=True)
class _Tables:
    """The tables of a log; by the line of each its nodes, the bus bandwidth to expect (GB/s), that below which it is an
    alarm, and the share of what is expected which was reached."""

    runs: list[Run]
    fastest: list[Run]  # of each test
    nodes: dict[int, int | None]
    expected: dict[int, float | None]
    alarms: dict[int, float | None]
    shares: dict[int, float]

    @property
    def last(self) -> int:
        """The line of the last row, 0 without one."""
        return _last(self.runs)

    @property
    def moved(self) -> int:
        """The line of the last row that moved full packets, 0 without one."""
        return _last(self.runs, judge_tests.MIB)


def _tables(
    runs: list[Run], log: DebugLog, nodes: int | None, device: str, transport: str, catalog: Catalog
) -> _Tables:
    per_node = max((ranks_of(run) // count for run in runs if (count := nodes_of(run))), default=0)
    by_run = {run.line: nodes_of(run) or _nodes_for(ranks_of(run), nodes, per_node) for run in runs}
    by_test = {(collective_of(run), ranks_of(run)): run for run in sorted(runs, key=lambda run: run.peak)}
    fastest = [*by_test.values()]
    quick = {run.line for run in fastest}

    @cache  # a log may hold ten thousand tables of a few tests
    def expected_of(collective: str, ranks: int, nodes: int | None, *, adds: bool, sums: bool = True) -> float | None:
        return _expected(collective, ranks, nodes, device, transport, catalog, log, adds=adds, sums=sums)

    expected, alarms = dict[int, float | None](), dict[int, float | None]()
    for run in runs:
        test, of = (collective_of(run), ranks_of(run), by_run[run.line]), run.line
        full = expected_of(*test, adds=_may_add(log, by_run[of], transport) and of in quick)
        ring = expected_of(*test, adds=False, sums=False)
        expected[of] = _as_ring(run, by_run[of], full, ring, told=log.nvls_there)
        alarms[of] = alarm_below(test[0], by_run[of], transport, full, ring)
    shares = {run.line: run.peak / known for run in runs if (known := expected[run.line]) and run.rows}
    for run in runs:  # one repeat in a hundred is chance: it takes more where the same test was as fast as it should be
        again = shares.get(by_test[collective_of(run), ranks_of(run)].line, 0.0) >= judge_tests.SHORT
        if (alarm := alarms[run.line]) and again:
            alarms[run.line] = min(alarm, judge_tests.SLOW * (expected[run.line] or 0.0))
    return _Tables(runs, fastest, by_run, expected, alarms, shares)


def _nodes_for(ranks: int, nodes: int | None, per_node: int) -> int | None:
    """How many nodes a table is of that has no list of its ranks: those of the job, as far as they hold so many ranks;
    ``per_node``: of the tables with a list, 0 without one."""
    if nodes and per_node and ranks > nodes * per_node:
        return -(-ranks // per_node)
    return nodes


def _as_ring(run: Run, nodes: int | None, expected: float | None, ring: float | None, *, told: bool) -> float | None:
    """What to expect of a run, in GB/s: of two nodes that fill their adapters with a ring, or one its links, that: a
    tree counts more than it sends, and half of its rate is a ring's whole one; and the switch of a node, of which no
    line ``told``, may not add there."""
    if expected is None or ring is None or collective_of(run) != "all_reduce" or nodes not in (1, 2):
        return expected
    filled = FILLED * run.peak < ring and run.peak >= FILLED * ring
    instead = not told if nodes == 1 else run.peak < judge_tests.SLOW * expected
    return ring if filled and instead else expected


def _may_add(log: DebugLog, nodes: int | None, transport: str) -> bool:
    """Whether the switch inside a node adds, as far as the log tells: NCCL has it do so by itself, and not all of its
    lines are in every log."""
    assumed = nodes == 1 and transport == "nvlink" and not within(log.version, None, _SWITCH_ADDS)
    return log.nvls_there or assumed


def _of_tables(
    tables: _Tables, log: DebugLog, device: str, transport: str, catalog: Catalog
) -> tuple[list[DiagnosisFinding], Speed]:
    """What is wrong with tables, once for all that have it in common, and how fast the job is by them."""

    @cache
    def adapters_of(ranks: int, nodes: int | None) -> judge_tests.Adapters:
        return _adapters(log, ranks, nodes, device, catalog)

    worst_of = dict[tuple[str, str, str], tuple[DiagnosisFinding, int]]()
    beside, codes = _tried(tables), set[str]()
    for run in sorted(tables.runs, key=lambda run: tables.shares.get(run.line, 1.0)):
        nodes = tables.nodes[run.line]
        adapters = adapters_of(ranks_of(run), nodes)
        for each in judge_tests.findings(
            run, nodes, transport, tables.expected[run.line], tables.alarms[run.line], adapters
        ):
            told = each
            if run.line in beside and each.code in judge_tests.SLOWNESS:
                told = as_information(each)
            else:
                codes.add(each.code)
            alike = collective_of(run), told.code, told.severity
            worst, count = worst_of.get(alike, (told, 0))
            worst_of[alike] = worst, count + 1
    speed = _speed([run for run in tables.fastest if run.rows], codes, tables.expected, transport)
    return [_counted(*each) for each in worst_of.values()], speed


def _findings(
    runs: list[Run],
    heard: Heard,
    reports: list[ReportTable],
    nodes: int | None,
    device: str,
    transport: str,
    catalog: Catalog,
) -> list[DiagnosisFinding]:
    log, known, tools = heard.log, heard.known, heard.tools
    tables = _tables(runs, log, nodes, device, transport, catalog)
    of_tables, speed = _of_tables(tables, log, device, transport, catalog)
    several = nodes > 1 if nodes is not None else not _in_one_node(log, transport, heard)
    rdma = several and transport not in ("tcp-socket", "tcpx", "tcpxo") and log.gpudirect is not False
    unsteady = "numa-balancing" in known.seen or any(judge_parts.throttled(tools, speed))
    measured = Measured(runs, tables.expected, tables.nodes, rdma, transport != "infiniband", unsteady)
    stepped = known.steps.told > 1 and not any(run.rows for run in runs)
    found = [
        *known.findings(several, log, device, speed, tables.last, tables.moved),
        *judge_network.findings(
            log,
            nodes,
            device,
            speed,
            known.standing,
            _heard_of(known, log),
            stepped=stepped,
            alone=nodes == 1 or transport in _INSIDE,
        ),
        *judge_parts.findings(
            runs, log, tools, heard.sweeps, speed, known.connected, log.machine or known.said("machine-named")
        ),
        *judge_rows.findings(reports, fast=speed == "fine"),
        *judge_counters.findings(tools.counters, fast=speed == "fine"),
        *judge_path.findings(measured, tools),
        *of_tables,
    ]
    if speed not in ("slow", "short") and judge_counters.alike(tools.counters):
        found = [as_information(each) if each.code in _BY_COUNTERS else each for each in found]
    found = [each for each in found if not (each.line in tools.aside and known.only_at(each.code, tools.aside))]
    if apart := judge_tests.separate_jobs(runs):
        found = [apart, *(each for each in found if each.code not in ("one-rank", "no-results"))]
    found += judge_network.choices_pinned(log, speed)
    if not (runs or log.lines or log.version or heard.sweeps.tables or found or known.told or known.steps.last):
        data = judge_rows.monitoring(heard.reported, reports) or judge_counters.monitoring(tools.counters)
        data = data or (finding("links-of-a-host", 1) if joined_by(tools) else None)
        found.append(data or known.counts_of_none or finding("not-recognised", 1))
    if len({collective_of(run) for run in runs}) > 1:
        peaks = ", ".join(f"{collective_of(run)} {f'{run.peak:.4g}' if run.rows else 'no row'}" for run in runs)
        found.append(finding("several-runs", runs[0].line, runs=len(runs), peaks=peaks))
    found = _weighed(harm.as_meant(found, log), heard, speed, tables)
    return _ordered(causes.told(found, transport, log, nodes, min(tables.shares.values(), default=1.0)))


def _weighed(found: list[DiagnosisFinding], heard: Heard, speed: Speed, tables: _Tables) -> list[DiagnosisFinding]:
    """What was found as it weighs in this log, with the log's own words where nothing else says why it failed."""
    known, rows = heard.known, (_first(tables.runs), tables.moved)
    did_work = bool(known.worked or known.steps.last) or known.ended_well or "serves" in known.seen
    ran = did_work or speed == "fine" or any(run.rows for run in tables.runs)
    found = harm.of_tests(found, known)
    found = harm.as_it_came_out(found, outcome_of(known, rows, started=heard.log.started), speed)
    found = harm.without_harm(found, known, speed, tables.moved)
    found = harm.beside_others(found, speed, ran=ran or known.connected, overcome=known.overcome)
    found = harm.cleaned_up(harm.unexplained(found))
    if causes.unexplained(found, ran=ran or bool(known.went_on)):
        found += known.trouble.findings(failed=any(each.severity != "info" for each in found))
    return found


def _tried(tables: _Tables) -> set[int]:
    """The lines of runs with other variables than the fastest of the same test, which is as fast as it should be by its
    share of what is expected: they say nothing of the machines."""
    quick, shares = {run.line for run in tables.fastest}, tables.shares
    by_test = defaultdict[tuple[str, int], list[Run]](list)
    for run in tables.runs:
        by_test[collective_of(run), ranks_of(run)].append(run)
    found = set[int]()
    for same in by_test.values():
        best = next((run for run in same if run.line in quick), None)
        if best is None or shares.get(best.line, 0.0) < judge_tests.SHORT:
            continue
        slow = [run for run in same if shares.get(run.line, 1.0) < judge_tests.SLOW]
        found |= {run.line for run in slow if tried(differences([best], [run]), same)}
    return found


def _heard_of(known: known_lines.KnownLines, log: DebugLog) -> bool:
    """Whether lines that are not NCCL's are of most of the ranks: a log of all of them, then."""
    return 2 * len(known.collectives.ranks) >= log.ranks > 0


def _last(runs: list[Run], size: int = 0) -> int:
    """The line of the last row of so many bytes at least, 0 where there is none."""
    return max((row.line for run in runs for row in run.rows if row.size >= size), default=0)


def _first(runs: list[Run]) -> int:
    """The line at which the first test began, 0 where there is none."""
    return min((run.line for run in runs), default=0)


def _counted(worst: DiagnosisFinding, count: int) -> DiagnosisFinding:
    """Of what several tables of one collective have in common the worst, which comes first, and how many there are."""
    return worst.model_copy(update={"message": f"{worst.message} ({count} tables, the worst)"}) if count > 1 else worst


def _speed(fastest: list[Run], codes: set[str], expected: dict[int, float | None], transport: str) -> Speed:
    """Of the ``fastest`` run of each test: what was tried beside it says nothing of the machines. ``codes``: what was
    found in tables."""
    if codes & {*judge_tests.SLOWNESS}:
        return "slow"
    if not fastest:
        return "no-table"
    if not all(expected[run.line] and max(row.size for row in run.rows) >= judge_tests.LARGE for run in fastest):
        return "unknown"
    share = min(run.peak / (expected[run.line] or run.peak) for run in fastest)
    # boards of cards, and what sockets make of a line, differ by as much
    differ = transport == "tcp-socket" or any(is_pcie(run.device) for run in fastest)
    return "fine" if share >= judge_tests.SHORT else "unknown" if differ else "short"


def _adapters(log: DebugLog, ranks: int, nodes: int | None, device: str, catalog: Catalog) -> judge_tests.Adapters:
    """What the log says of the adapters of a node, where all of its GPUs take part."""
    gpu, listed = gpu_named(device, catalog), len(log.device_list or [])
    if gpu is None:
        return judge_tests.Adapters()
    if log.said is not None:
        more = gpu.nics_per_node if log.said[0] < gpu.nics_per_node else 0
        return judge_tests.Adapters(log.said[0], rate=log.said[1] / 1e9, others=more, said=True)
    if gpu.nics_per_node <= listed == max(map(len, log.nics_used.values()), default=0):
        return judge_tests.Adapters(data="all")
    if log.adapters_chosen and listed < gpu.nics_per_node:
        used = max(map(len, log.nics_used.values()), default=0)
        data = "all" if used == listed else "known" if used else "unknown"
        return judge_tests.Adapters(listed, others=gpu.nics_per_node, data=data, chosen=True)
    if ranks == (nodes or 0) * gpu.gpus_per_node and _built_with_fewer(log, device):
        return judge_tests.Adapters(listed, others=gpu.nics_per_node)
    known = (log.device_list and log.speeds) or log.channels
    rate = log.adapter_rate or gpu.usual_nic_line_rate.si
    whole = rate == gpu.usual_nic_line_rate.si and ranks == (nodes or 0) * gpu.gpus_per_node
    chosen = log.settings.get("NCCL_IB_HCA", (0, ""))[1]
    why = f"NCCL_IB_HCA={chosen[:80]}" if chosen else "the job does not see the others, or there are none"
    data, usual = "known" if known else "unknown", gpu.nics_per_node if whole else 0
    return judge_tests.Adapters(listed, usual, rate / 1e9, data, why)


def _ordered(found: list[DiagnosisFinding]) -> list[DiagnosisFinding]:
    """Causes before what follows from them, what says why before what says less, errors first, in the order of the
    file; notes last; the same code once per line."""
    unique = {(each.code, each.line): each for each in found}
    return sorted(
        unique.values(),
        key=lambda e: (
            e.severity == "info",
            e.code in symptoms(),
            e.code in general(),
            _SEVERITIES[e.severity],
            e.line,
        ),
    )
