"""``weft nccl diagnose``: reads nccl-tests output and NCCL debug logs; what is wrong, how fast it is, what to change.

The questions are asked in this order: is the log what it claims, how many ranks ran, did it stop, which network,
GPUDirect, how many adapters, and only then whether it is fast enough.
"""

from collections.abc import Iterable
from pathlib import Path

from assistant.vocabulary.answers import DiagnosedFile, Diagnosis, DiagnosisFinding, LogKind, LogTransport
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place

from . import judge_network, judge_tests
from .checks import checks
from .debug_lines import DebugLog
from .expected import expected_busbw, gpu_named, is_pcie
from .json_report import LARGEST, run_of
from .perf_table import Reader
from .runs import Run, collective_of, nodes_of, ranks_of
from .signatures import finding
from .text import cleaned, lines_of

_SEVERITIES = {"error": 0, "warning": 1, "info": 2}


def diagnose(paths: Iterable[Path | str], catalog: Catalog) -> Diagnosis:
    """Read log files. Raises :class:`InputError` for a file that cannot be read."""
    return Diagnosis(files=[_of_file(Path(path), catalog) for path in paths])


def _of_file(path: Path, catalog: Catalog) -> DiagnosedFile:
    try:
        with path.open("rb") as stream:
            if stream.read(64).lstrip()[:1] == b"{" and path.stat().st_size <= LARGEST:
                stream.seek(0)
                if (run := run_of(stream.read())) is not None:
                    return _judged([run], DebugLog(), judge_network.KnownLines(), catalog, str(path))
            stream.seek(0)
            return _diagnosed(lines_of(stream), catalog, str(path))
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", Place(file=str(path))) from None


def diagnose_text(text: str, catalog: Catalog, path: str = "-") -> DiagnosedFile:
    """Diagnose the text of one log. Of several tables the fastest gives collective, ranks and peak; all give
    findings."""
    return _diagnosed(cleaned(text), catalog, path)


def _diagnosed(lines: Iterable[tuple[int, str]], catalog: Catalog, path: str) -> DiagnosedFile:
    tables, log, known = Reader(), DebugLog(), judge_network.KnownLines()
    for number, line in lines:
        known.take(number, line)
        if not log.take(number, line):
            tables.take(number, line)
    runs = [run for run in tables.runs if run.rows or run.ranks_listed or run.failures or run.header_line]
    return _judged(runs, log, known, catalog, path)


def _judged(
    runs: list[Run], log: DebugLog, known: judge_network.KnownLines, catalog: Catalog, path: str
) -> DiagnosedFile:
    best = max(runs, key=lambda run: run.peak, default=None)
    nodes, device = _nodes(best, log), next((run.device for run in runs if run.device), known.card)
    transport = _transport(log, nodes, device, best is not None and best.peak > 0)
    found = _findings(runs, log, known, nodes, device, transport, catalog)
    expected = _expected(best, nodes, device, transport, catalog, log) if best else None
    checked, not_checked = checks(best, log, nodes, transport, expected)
    return DiagnosedFile(
        path=path,
        kind=_kind(runs, log, known),
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


def _kind(runs: list[Run], log: DebugLog, known: judge_network.KnownLines) -> LogKind:
    if runs:
        return "mixed" if log.lines else "nccl-tests"
    return "nccl-debug" if log.lines or known.seen or known.completions else "unknown"


def _nodes(run: Run | None, log: DebugLog) -> int | None:
    return (nodes_of(run) if run is not None else None) or log.nodes


def _transport(log: DebugLog, nodes: int | None, device: str, ran: bool) -> LogTransport:
    """The network between nodes; inside one node, or where no line names a network, what joins the GPUs. ``ran``:
    whether something was sent between ranks."""
    if log.rack and log.local["P2P"] and not log.channels:
        return "nvlink"
    alone = nodes is None and len(log.devices_per_host) == 1 and len(next(iter(log.devices_per_host.values()))) > 1
    inside = nodes is None and (log.local or alone) and not log.channels and log.transport in (None, "tcp-socket")
    if nodes == 1 or inside:
        if log.local["SHM"] > log.local["P2P"]:
            return "shm"
        if is_pcie(device) and (ran or log.local):
            return "pcie"
        return "nvlink" if log.nvls or log.local["P2P"] or (device and ran) else "unknown"
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
    runs: list[Run],
    log: DebugLog,
    known: judge_network.KnownLines,
    nodes: int | None,
    device: str,
    transport: str,
    catalog: Catalog,
) -> list[DiagnosisFinding]:
    several = nodes is None or nodes > 1
    found = [
        *known.findings(several, log, device, max((run.rows[-1].line for run in runs if run.rows), default=0)),
        *judge_network.findings(log, nodes, device),
    ]
    adapters = _adapters(log, device, catalog)
    for run in runs:
        of_run = nodes_of(run) or nodes
        expected = _expected(run, of_run, device, transport, catalog, log)
        found += judge_tests.findings(run, of_run, transport, expected, adapters)
    if apart := judge_tests.separate_jobs(runs):
        found = [apart, *(each for each in found if each.code not in ("one-rank", "no-results"))]
    if slow := list(judge_tests.slow_hosts(runs)):
        found = [*slow, *(each for each in found if each.code != "half-of-the-adapters")]
    if any(each.code in judge_tests.SLOWNESS and each.severity != "info" for each in found):
        found += judge_network.choices_pinned(log)
    if not runs and not log.lines and not found:
        found.append(finding("not-recognised", 1))
    if len({collective_of(run) for run in runs}) > 1:
        peaks = ", ".join(f"{collective_of(run)} {run.peak:.4g}" for run in runs)
        found.append(finding("several-runs", runs[0].line, runs=len(runs), peaks=peaks))
    return _ordered(judge_network.beside_others(found))


def _adapters(log: DebugLog, device: str, catalog: Catalog) -> judge_tests.Adapters:
    """What the log says of the adapters of a node: that all of the usual ones carry data, which and how many, or
    nothing."""
    gpu, listed = gpu_named(device, catalog), len(log.device_list or [])
    if gpu and gpu.nics_per_node <= listed == max(map(len, log.nics_used.values()), default=0):
        return "all"
    return "known" if (log.device_list and log.speeds) or log.channels else "unknown"


def _ordered(found: list[DiagnosisFinding]) -> list[DiagnosisFinding]:
    """Errors first, in the order of the file; the same code once per line."""
    unique = {(each.code, each.line): each for each in found}
    return sorted(unique.values(), key=lambda each: (_SEVERITIES[each.severity], each.line))
