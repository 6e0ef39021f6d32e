"""Findings from NCCL debug lines: which network, whether GPU memory is read directly, how many adapters take part."""

import re
from collections.abc import Iterator

from assistant.vocabulary.answers import DiagnosisFinding

from .collectives import Collectives
from .debug_lines import DebugLog
from .expected import card_in, is_pcie
from .signatures import (
    Completion,
    Signature,
    completion,
    finding,
    harmless,
    judgements,
    pinned,
    read,
    signatures_in,
    suspects,
)

_LOOPBACK = re.compile(r"^lo:|:127\.")
_BRIDGE = re.compile(r"^docker|^br-|^veth|:172\.17\.0\.")
_WARNED = re.compile(r"NCCL WARN\s*(.{1,160})")
_NVLINK = re.compile(r"SXM|H[128]00|B[23]00|HGX|DGX", re.I)
_DATACENTRE = re.compile(
    r"\b[AH]\d00\b|B[23]00|V100|MI\d{3}", re.I
)  # whose machines have RDMA, whatever joins the GPUs
_FABRIC_INTERFACE = re.compile(r"^(?:hsn|ib)\d")
_WENT_ON = ("Init COMPLETE", "Connected all")
_NO_GDR_BY_DESIGN = re.compile(r"GB10|GeForce|RTX", re.I)


class KnownLines:
    """Counts the known failure lines while a log is read; each is reported once, at its first line."""

    def __init__(self) -> None:
        self.seen: dict[str, tuple[Signature, int, int, int]] = {}  # first line, last line, count
        self.went_on = 0  # the last line that tells of a job that runs
        self.card = ""  # without NVLink, where a line names one
        self.collectives = Collectives()
        self.completions: dict[int, tuple[Completion | None, int, int]] = {}
        self.mtu_line: int | None = None
        self.nameless_failure: int | None = None
        self.strange: tuple[int, str, int] | None = None  # first line of NCCL's warnings that nothing here explains

    def take(self, number: int, line: str) -> None:
        if " via " in line and "NCCL INFO Channel" in line:
            return
        if "NCCL " in line:
            self.went_on = number if any(said in line for said in _WENT_ON) else self.went_on
        elif not self.card:
            self.card = card_in(line)
        self.collectives.take(number, line)
        known = signatures_in(line)
        for signature in known:
            _, first, _, count = self.seen.get(signature.code, (signature, number, 0, 0))
            self.seen[signature.code] = (signature, first, number, count + 1)
        ended = completion(line)
        if not known and not ended and "NCCL WARN" in line and not harmless(line) and (warned := _WARNED.search(line)):
            first, text, count = self.strange or (number, warned[1], 0)
            self.strange = (first, text, count + 1)
        if ended:
            status, meaning = ended
            _, first, count = self.completions.get(status, (meaning, number, 0))
            self.completions[status] = (meaning, first, count + 1)
        if self.mtu_line is None and "mtu 3" in line and re.search(r"\bmtu 3\b", line):
            self.mtu_line = number
        if self.nameless_failure is None and "unhandled system error" in line:
            self.nameless_failure = number

    def findings(self, several_hosts: bool, log: DebugLog, device: str, last_row: int) -> Iterator[DiagnosisFinding]:
        """``last_row``: line of the last row of a table, 0 without one."""
        for signature, first, last, count in self.seen.values():
            light = (signature.weighs == "unless-it-went-on" and last < max(self.went_on, last_row)) or (
                signature.weighs == "where-rdma-may-be" and sockets_are_all(log, device)
            )
            if signature.hosts == "any" or several_hosts:
                yield _counted(as_information(signature.at(first)) if light else signature.at(first), count)
        yield from self.collectives.findings()
        yield from self._explained(log)
        for status, (meaning, first, count) in self.completions.items():
            yield _counted((meaning or judgements()["completion-error"]).at(first, status=status), count)
        if self.strange is not None:
            first, text, count = self.strange
            more = f", and {count - 1} more such" if count > 1 else ""
            yield finding("unknown-warning", first, more=more, text=text)
        if self.mtu_line is not None:
            yield finding("small-mtu", self.mtu_line)
        if self.nameless_failure is not None and not log.lines:
            yield finding("debug-off", self.nameless_failure)

    def _explained(self, log: DebugLog) -> Iterator[DiagnosisFinding]:
        for each in pinned():
            line, value = log.settings.get(each.setting, (0, ""))
            if each.status in self.completions and value and value not in each.usual:
                yield each.at(line, value=value[:40])


def sockets_are_all(log: DebugLog, device: str) -> bool:
    """Whether nothing tells that the machine has more than Ethernet: cards without NVLink, no setting of RDMA, no
    interface of another network."""
    if not is_pcie(device) or _DATACENTRE.search(device):
        return False
    asked = any(name.startswith("NCCL_IB_") and name != "NCCL_IB_DISABLE" for name in log.settings)
    return not asked and not any(_FABRIC_INTERFACE.search(interface) for _, interface in log.bootstrap.values())


def as_information(found: DiagnosisFinding) -> DiagnosisFinding:
    """The same finding, told without alarm."""
    return found.model_copy(update={"severity": "info"})


def beside_others(found: list[DiagnosisFinding]) -> list[DiagnosisFinding]:
    """What harms in some runs only is information while nothing else is wrong."""
    if any(each.severity != "info" and each.code not in suspects() for each in found):
        return found
    return [as_information(each) for each in found]


def _counted(found: DiagnosisFinding, lines: int) -> DiagnosisFinding:
    return found.model_copy(update={"message": f"{found.message} ({lines} lines)"}) if lines > 1 else found


def findings(log: DebugLog, nodes: int | None, device: str) -> Iterator[DiagnosisFinding]:
    """What the debug lines of one file say."""
    yield from _lines(log)
    yield from _settings(log, nodes, device)
    if nodes is not None and nodes > 1:
        yield from _bootstrap(log)
        yield from _sockets(log, device)
        yield from _gpudirect(log, device)
        yield from _adapters(log)
    if log.local["SHM"] > log.local["P2P"]:
        joined = _NVLINK.search(device) and not is_pcie(device)
        name = "host-memory-in-place-of-nvlink" if joined else "host-memory-inside-node"
        yield finding(name, log.local_line["SHM"])


def _lines(log: DebugLog) -> Iterator[DiagnosisFinding]:
    if log.one_of_many:
        yield finding("one-rank-speaks", 1)
    if log.traced:
        yield finding("trace-logging" if log.tracing else "every-call-logged", log.trace_line, calls=log.traced)


def _settings(log: DebugLog, nodes: int | None, device: str) -> Iterator[DiagnosisFinding]:
    def said(name: str) -> tuple[int, str]:
        return log.settings.get(name, (0, ""))

    line, value = said("NCCL_IB_DISABLE")
    if value not in ("", "0") and nodes != 1 and not sockets_are_all(log, device):
        yield finding("ib-disabled", line)
    line, value = said("NCCL_IB_HCA")
    if value and "," not in value and not value.startswith("^") and len(log.device_list or []) == 1:
        per_node = log.local_ranks or (log.ranks // nodes if nodes else 0)
        alone = per_node == 1 or is_pcie(device)
        yield finding("one-adapter-is-all" if alone else "one-adapter-pinned", line, adapter=value[:40])
    line, value = said("NCCL_P2P_DISABLE")
    if value not in ("", "0"):
        joined = log.nvls or log.nvls_there or (device and not is_pcie(device))
        yield finding("peer-to-peer-disabled" if joined else "peer-to-peer-not-there", line)
    line, value = said("NCCL_NET_GDR_LEVEL")
    if value in ("0", "LOC"):
        yield finding("gpudirect-disabled", line)


def choices_pinned(log: DebugLog) -> Iterator[DiagnosisFinding]:
    """What the environment decides in NCCL's place, which a slow job is better without; Google's plugins for sockets
    come with such settings."""
    pinned = [(log.settings[name][0], f"{name}={log.settings[name][1]}") for name in read("choices")
              if name in log.settings]  # fmt: skip
    if pinned and log.transport not in ("tcpx", "tcpxo"):
        yield finding("choices-pinned", pinned[0][0], names=", ".join(said for _, said in pinned))


def _bootstrap(log: DebugLog) -> Iterator[DiagnosisFinding]:
    for line, interface in log.bootstrap.values():
        if _LOOPBACK.search(interface) or _BRIDGE.search(interface):
            yield finding("bootstrap-on-loopback" if _LOOPBACK.search(interface) else "docker-interface", line)
            return


def _sockets(log: DebugLog, device: str) -> Iterator[DiagnosisFinding]:
    if log.transport == "tcp-socket":
        asked = log.settings.get("NCCL_NET", (0, ""))[1].lower() == "socket"
        name = "tcp-sockets-as-asked" if asked else "tcp-sockets"
        name = "tcp-sockets-are-all" if not asked and sockets_are_all(log, device) else name
        yield finding(name, log.channel_line.get(False, log.network_line))
    if log.device_list == [] and log.transport not in ("efa", "slingshot", "tcpx", "tcpxo"):
        yield finding("empty-device-list", log.device_line)


def _gpudirect(log: DebugLog, device: str) -> Iterator[DiagnosisFinding]:
    if log.gpudirect is not False or _NO_GDR_BY_DESIGN.search(device):
        return
    hosts_without, hosts_with = log.channel_hosts.get(False, set()), log.channel_hosts.get(True, set())
    line = log.channel_line.get(False) or log.gdr_lines.get("Disabled", 1)
    if hosts_with and not hosts_without & hosts_with:
        yield finding("gpudirect-missing-on-some", line, hosts=", ".join(sorted(hosts_without)[:4]))
    elif log.transport in ("efa", "slingshot", "unknown"):
        yield finding("no-gpudirect-of-plugin", line)
    else:
        reason = log.gdr_reason.strip()[:60]
        yield finding("no-gpudirect", line, why=f" ({reason})" if reason else "")


def _adapters(log: DebugLog) -> Iterator[DiagnosisFinding]:
    """Fewer adapters than GPUs that could use them. Of one rank of many, or of few GPUs of a node, nothing follows."""
    listed = len(log.device_list or [])
    if log.transport not in ("infiniband", "roce") or log.one_of_many or not log.nics_used:
        return
    host = max(log.nics_used, key=lambda name: len(log.gpus_on_nets[name]))
    used, gpus = len(log.nics_used[host]), len(log.gpus_on_nets[host])
    if 2 * used <= min(listed, gpus):
        line = min(log.channel_line.values(), default=log.device_line)
        yield finding("few-adapters-used", line, used=used, listed=listed)
