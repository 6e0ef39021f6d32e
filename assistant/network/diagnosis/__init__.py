"""``weft nccl diagnose``: reads nccl-tests output and NCCL debug logs; what is wrong, how fast it is, what to change.

The questions are asked in this order: is the log what it claims, how many ranks ran, did it stop, which network,
GPUDirect, how many adapters, and only then whether it is fast enough.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.vocabulary.answers import DiagnosedFile, Diagnosis, DiagnosisFinding, LogKind, LogTransport
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError

from . import causes, judge_network, judge_parts, judge_path, judge_tests
from .checks import checks
from .debug_lines import DebugLog
from .expected import expected_busbw, gpu_named, is_pcie
from .json_report import LARGEST, run_of
from .perf_table import Reader
from .runs import Run, collective_of, nodes_of, ranks_of
from .signatures import Speed, finding
from .sweeps import Sweeps
from .text import cleaned, lines_of, opened
from .tools import Tools

PCIE = 64.0  # GB/s: the line rate of 16 lanes of PCIe 5.0, 32 GT/s each
_SEVERITIES = {"error": 0, "warning": 1, "info": 2}


def diagnose(paths: Iterable[Path | str], catalog: Catalog) -> Diagnosis:
    """Read log files. Raises :class:`InputError` for a file that cannot be read."""
    return Diagnosis(files=[_of_file(Path(path), catalog) for path in paths])


def _of_file(path: Path, catalog: Catalog) -> DiagnosedFile:
    try:
        with opened(path) as stream:
            if stream.read(64).lstrip()[:1] == b"{":
                stream.seek(0)
                said = stream.read(LARGEST + 1)
                if len(said) <= LARGEST and (run := run_of(said)) is not None:
                    return _judged([run], Heard(), catalog, str(path))
            stream.seek(0)
            return _diagnosed(lines_of(stream), catalog, str(path))
    except InputError as error:
        raise error.located(file=str(path)) from None


def diagnose_text(text: str, catalog: Catalog, path: str = "-") -> DiagnosedFile:
    """Diagnose the text of one log. Of several tables the fastest gives collective, ranks and peak; all give
    findings."""
    return _diagnosed(cleaned(text), catalog, path)


@dataclass
class Heard:
    """What is read of a log beside the tables of nccl-tests."""

    log: DebugLog = field(default_factory=DebugLog)
    known: judge_network.KnownLines = field(default_factory=judge_network.KnownLines)
    tools: Tools = field(default_factory=Tools)
    sweeps: Sweeps = field(default_factory=Sweeps)


def _diagnosed(lines: Iterable[tuple[int, str]], catalog: Catalog, path: str) -> DiagnosedFile:
    tables, heard = Reader(), Heard()
    log, known, tools, sweeps = heard.log, heard.known, heard.tools, heard.sweeps
    for number, line in lines:
        known.take(number, line)
        if log.take(number, line):
            if "NCCL_" in line or "Using [" in line:
                tables.heard(line, log.last_listed)
        elif not tables.take(number, line):
            if "NCCL_" in line:
                tables.heard(line, log.last_listed)
            tools.take(number, line)
            sweeps.take(number, line)
    runs = [run for run in tables.runs if run.rows or run.ranks_listed or run.failures or run.header_line]
    return _judged(runs, heard, catalog, path)


def _judged(runs: list[Run], heard: Heard, catalog: Catalog, path: str) -> DiagnosedFile:
    log = heard.log
    best = max(runs, key=lambda run: run.peak, default=None)
    nodes, device = _nodes(best, log), next((run.device for run in runs if run.device), heard.known.card)
    transport = _transport(log, nodes, device, best.peak if best else 0.0)
    log.line_filled = transport == "tcp-socket" and judge_path.line_filled(runs, device, log, heard.tools)
    found = _findings(runs, heard, nodes, device, transport, catalog)
    expected = _expected(best, nodes, device, transport, catalog, log) if best else None
    checked, not_checked = checks(best, log, nodes, transport, expected)
    return DiagnosedFile(
        path=path,
        kind=_kind(runs, heard),
        collective=collective_of(best) if best else "unknown",
        ranks=(ranks_of(best) if best else 0) or log.ranks,
        nodes=nodes,
        transport=transport,
        gpudirect_rdma=log.gpudirect,
        peak_busbw_gb_per_s=best.peak if best else 0.0,
        findings=found,
        peak_bytes=max(best.rows, key=lambda row: row.busbw).size if best and best.rows else None,
        expected_busbw_gb_per_s=expected,
        checked=checked,
        not_checked=not_checked,
    )


def _kind(runs: list[Run], heard: Heard) -> LogKind:
    if runs or heard.sweeps.tables:
        return "mixed" if heard.log.lines else "nccl-tests"
    return "nccl-debug" if heard.log.lines or heard.known.seen or heard.known.completions else "unknown"


def _nodes(run: Run | None, log: DebugLog) -> int | None:
    return (nodes_of(run) if run is not None else None) or log.nodes


def _transport(log: DebugLog, nodes: int | None, device: str, peak: float) -> LogTransport:
    """The network between nodes; inside one node, or where no line names a network, what joins the GPUs. ``peak``: of
    the tables, in GB/s; 0 where nothing was sent between ranks."""
    if log.rack and not log.channels:
        return "nvlink"
    alone = nodes is None and len(log.devices_per_host) == 1 and len(next(iter(log.devices_per_host.values()))) > 1
    inside = nodes is None and (log.local or alone) and not log.channels and log.transport in (None, "tcp-socket")
    if nodes == 1 or inside:
        if log.local["SHM"] > log.local["P2P"]:
            return "shm"
        if is_pcie(device) and (peak or log.local) and peak <= PCIE:  # more is a bridge of NVLink between two cards
            return "pcie"
        joined = log.nvls or log.nvls_there or log.rack or log.local["P2P"]
        return "nvlink" if joined or (device and peak) else "unknown"
    return log.transport or "unknown"


def _expected(
    run: Run, nodes: int | None, device: str, transport: str, catalog: Catalog, log: DebugLog
) -> float | None:
    listed = len(log.device_list or [])
    value = expected_busbw(
        collective_of(run), ranks_of(run), nodes or 0, device, transport, catalog, log.adapter_rate, listed
    )
    return None if value is None else round(value, 2)


def _findings(
    runs: list[Run], heard: Heard, nodes: int | None, device: str, transport: str, catalog: Catalog
) -> list[DiagnosisFinding]:
    log, several = heard.log, nodes is None or nodes > 1
    by_run = {run.line: nodes_of(run) or nodes for run in runs}
    expected = {run.line: _expected(run, by_run[run.line], device, transport, catalog, log) for run in runs}
    adapters, tables = _adapters(log, device, catalog), list[DiagnosisFinding]()
    for run in runs:
        tables += judge_tests.findings(run, by_run[run.line], transport, expected[run.line], adapters)
    speed = _speed(runs, tables, expected)
    rdma = several and transport not in ("tcp-socket", "tcpx", "tcpxo") and log.gpudirect is not False
    unsteady = "numa-balancing" in heard.known.seen or any(judge_parts.throttled(heard.tools, speed))
    found = [
        *heard.known.findings(several, log, device, max((run.rows[-1].line for run in runs if run.rows), default=0)),
        *judge_network.findings(log, nodes, device, speed),
        *judge_parts.findings(runs, log, heard.tools, heard.sweeps, speed, heard.known.ran),
        *judge_path.findings(rdma, runs, expected, by_run, heard.tools, unsteady),
        *tables,
    ]
    if apart := judge_tests.separate_jobs(runs):
        found = [apart, *(each for each in found if each.code not in ("one-rank", "no-results"))]
    if any(each.code in judge_tests.SLOWNESS and each.severity != "info" for each in found):
        found += judge_network.choices_pinned(log)
    if not runs and not log.lines and not heard.sweeps.tables and not found:
        found.append(finding("not-recognised", 1))
    if len({collective_of(run) for run in runs}) > 1:
        peaks = ", ".join(f"{collective_of(run)} {run.peak:.4g}" for run in runs)
        found.append(finding("several-runs", runs[0].line, runs=len(runs), peaks=peaks))
    share = min((run.peak / known for run in runs if (known := expected[run.line]) and run.rows), default=1.0)
    return _ordered(causes.told(judge_network.beside_others(found), transport, log, nodes, share))


def _speed(runs: list[Run], tables: list[DiagnosisFinding], expected: dict[int, float | None]) -> Speed:
    if any(each.code in judge_tests.SLOWNESS for each in tables):
        return "slow"
    rows = [run for run in runs if run.rows]
    if not rows:
        return "no-table"
    known = all(expected[run.line] and max(row.size for row in run.rows) >= judge_tests.LARGE for run in rows)
    return "fine" if known else "unknown"


def _adapters(log: DebugLog, device: str, catalog: Catalog) -> judge_tests.Adapters:
    """What the log says of the adapters of a node: that all of the usual ones carry data, which and how many, or
    nothing."""
    gpu, listed = gpu_named(device, catalog), len(log.device_list or [])
    if gpu and gpu.nics_per_node <= listed == max(map(len, log.nics_used.values()), default=0):
        return "all"
    return "known" if (log.device_list and log.speeds) or log.channels else "unknown"


def _ordered(found: list[DiagnosisFinding]) -> list[DiagnosisFinding]:
    """Errors first, causes before what follows from them, in the order of the file; the same code once per line."""
    unique = {(each.code, each.line): each for each in found}
    return sorted(unique.values(), key=lambda e: (_SEVERITIES[e.severity], e.code in causes.SYMPTOMS, e.line))
