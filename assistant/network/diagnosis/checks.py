"""What a log let one check, and what it did not: "nothing wrong" is worth as much as this list."""

from collections.abc import Iterator

from assistant.vocabulary.large_messages import TWO_CHANNELS_RANKS

from .debug_lines import DebugLog
from .runs import Run, bus_factor, collective_of, validated
from .steps import Steps

_NO_TABLE = "there is no table of nccl-tests"
_NO_LINES = "there are no lines of NCCL_DEBUG=INFO"
_PEERS = "they reach each other, and no line tells whether over NVLink or PCIe"
_OVER_NVLINK = "NVLink joins the nodes"
_NO_ADAPTERS = ("nvlink", "tcp-socket")
_OF_PAIRS = (
    "sendrecv: NCCL opens so few channels to one peer that healthy pairs reach half of an adapter, a quarter beyond "
    f"{TWO_CHANNELS_RANKS} ranks, and an adapter at half of its rate gives as much: all_gather_perf or ib_write_bw "
    "tells"
)


def checks(
    run: Run | None,
    log: DebugLog,
    nodes: int | None,
    transport: str,
    expected: float | None,
    steps: Steps,
    left: int = 0,
) -> tuple[list[str], list[str]]:
    """What was checked, and what could not be, each with the reason; ``left``: lines that were not read as others are
    like them."""
    by_reason: dict[str, list[str]] = {}
    if left:
        why = "lines of one kind beyond the first thousands: of these a sample was read, and the last ones"
        by_reason[why] = [f"the numbers of {left} lines that differ from others in numbers alone"]
    for what, why_not in (*_of_steps(steps), *_each(run, log, nodes, transport, expected)):
        by_reason.setdefault(why_not, []).append(what)
    return by_reason.pop("", []), [f"{', '.join(whats)} ({why})" for why, whats in by_reason.items()]


def _of_steps(steps: Steps) -> Iterator[tuple[str, str]]:
    """What the lines of a job's steps let be checked, where there are some."""
    if steps.told > 1:
        yield f"{steps.told} steps of a job, lines {steps.first} to {steps.last}, for failures among them", ""
        yield "whether its steps got slower", "" if steps.compared else "few of their lines have a time or rate"


def _each(
    run: Run | None, log: DebugLog, nodes: int | None, transport: str, expected: float | None
) -> Iterator[tuple[str, str]]:
    rows = run.rows if run else []
    table = "" if rows else _NO_TABLE
    yield "the arithmetic of the table", table
    yield (
        "how many ranks ran",
        "" if log.ranks or (run and (run.ranks_listed or bus_factor(run))) else table or _NO_LINES,
    )
    yield "whether results are right", "" if run and validated(run) else table or "the test did not validate"
    if nodes == 1:
        joined = transport if transport not in ("unknown", "p2p") else ""
        why = _PEERS if transport == "p2p" else "no line tells of a channel between GPUs" if log.lines else _NO_LINES
        yield "what joins the GPUs of the node", "" if joined else why
    else:
        yield from _network(log, transport, shown=bool(log.lines or rows))
    why = "how fast this should be is not known" if rows else table
    yield "the speed against what is usual", "" if rows and expected is not None else why
    if run and rows and collective_of(run) == "sendrecv" and nodes != 1 and transport not in _NO_ADAPTERS:
        yield "whether every adapter has its whole rate", _OF_PAIRS


def _network(log: DebugLog, transport: str, *, shown: bool) -> Iterator[tuple[str, str]]:
    """``shown``: there is a run of which a line or table tells; else a network is no more than there."""
    speaks = "" if log.lines else _NO_LINES
    one = "only one rank's lines are here" if log.one_of_many else ""
    none = "no line tells of a channel between nodes"
    there = f"; {log.offered}, and nothing shows that it was used" if log.offered else ""
    carries = (
        "which network carries the data"
        if shown or transport == "unknown"
        else "which network its links and adapters are of"
    )
    yield carries, "" if transport != "unknown" else f"{speaks or none}{there}"
    if log.channels:
        direct = "TCP sockets have none" if transport == "tcp-socket" else "the plugin's lines do not say it"
        count = "no line lists the adapters of a host"
    else:
        direct = count = _OVER_NVLINK if transport == "nvlink" else none
    listed = log.device_list or log.nics_found or (transport == "tcp-socket" and log.socket_interfaces)
    yield "GPUDirect on every channel", speaks or one or ("" if log.gpudirect is not None else direct)
    yield "how many adapters take part", speaks or one or ("" if log.nics_used and listed else count)
