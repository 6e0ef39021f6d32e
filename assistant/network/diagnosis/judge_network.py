"""Findings from NCCL debug lines: which network, whether GPU memory is read directly, how many adapters take part."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.vocabulary.answers import DiagnosisFinding

from .debug_lines import DebugLog
from .judge_tests import finding
from .signatures import Completion, Failure, Signature, completion, signatures

_LOOPBACK = re.compile(r"^lo:|:127\.")
_BRIDGE = re.compile(r"^docker|^br-|^veth|:172\.17\.0\.")
_WARNED = re.compile(r"NCCL WARN\s*(.{1,160})")
# Lines of which a healthy start prints thousands: no failure is among them.
_ROUTINE = re.compile(r"NCCL INFO (?:Channel|Ring |Trees? |Setting affinity|NVLS Head|P2P Chunksize)")
_NO_GDR_BY_DESIGN = re.compile(r"GB10|GeForce|RTX", re.I)


class KnownLines:
    """Counts the known failure lines while a log is read; each is reported once, at its first line."""

    def __init__(self) -> None:
        self.seen: dict[str, tuple[Signature, int, int]] = {}
        self.completions: dict[int, tuple[Completion | None, int, int]] = {}
        self.mtu_line: int | None = None
        self.nameless_failure: int | None = None
        self.strange: tuple[int, str, int] | None = None  # first line of NCCL's warnings that nothing here explains

    def take(self, number: int, line: str) -> None:
        if _ROUTINE.search(line):
            return
        known = [signature for signature in signatures() if signature.pattern.search(line)]
        for signature in known:
            _, first, count = self.seen.get(signature.code, (signature, number, 0))
            self.seen[signature.code] = (signature, first, count + 1)
        ended = completion(line)
        if not known and not ended and (warned := _WARNED.search(line)):
            first, text, count = self.strange or (number, warned[1], 0)
            self.strange = (first, text, count + 1)
        if ended:
            status, meaning = ended
            _, first, count = self.completions.get(status, (meaning, number, 0))
            self.completions[status] = (meaning, first, count + 1)
        if self.mtu_line is None and re.search(r"\bmtu 3\b", line):
            self.mtu_line = number
        if self.nameless_failure is None and "unhandled system error" in line:
            self.nameless_failure = number

    def findings(self, several_hosts: bool, informed: bool) -> Iterator[DiagnosisFinding]:
        for signature, first, count in self.seen.values():
            if signature.hosts == "any" or several_hosts:
                times = f" ({count} lines)" if count > 1 else ""
                yield finding(signature.code, signature.severity, first, signature.message + times, signature.fix)
        for status, (meaning, first, count) in self.completions.items():
            one = meaning or Failure(
                code="completion-error",
                message=f"an RDMA request ended with status {status}",
                fix="look up the status in the verbs documentation, and the first error of the peer",
            )
            yield finding(one.code, "error", first, one.message + (f" ({count} lines)" if count > 1 else ""), one.fix)
        if self.strange is not None:
            first, text, count = self.strange
            more = f", and {count - 1} more such" if count > 1 else ""
            yield finding(
                "unknown-warning",
                "warning",
                first,
                f"NCCL warns of something that is not in the list of known failures{more}: {text}",
                "read it as it stands; the first warning of the first host that has one is nearest to the cause",
            )
        if self.mtu_line is not None:
            yield finding(
                "small-mtu",
                "warning",
                self.mtu_line,
                "the path takes packets of 1 KiB only",
                "jumbo frames (MTU 9000) on hosts and switches",
            )
        if self.nameless_failure is not None and not informed:
            yield finding(
                "debug-off",
                "error",
                self.nameless_failure,
                "NCCL failed and debug output is off: the reason is not in this log",
                "run again with NCCL_DEBUG=INFO",
            )


def findings(log: DebugLog, several_hosts: bool, device: str) -> Iterator[DiagnosisFinding]:
    """What the debug lines of one file say."""
    yield from _settings(log)
    yield from _bootstrap(log, several_hosts)
    if several_hosts:
        yield from _sockets(log)
        yield from _gpudirect(log, device)
        yield from _adapters(log)
    yield from _inside_the_node(log)


def _settings(log: DebugLog) -> Iterator[DiagnosisFinding]:
    if (said := log.settings.get("NCCL_IB_DISABLE")) and said[1] != "0":
        yield finding(
            "ib-disabled",
            "warning",
            said[0],
            "NCCL_IB_DISABLE switches the built-in RDMA transport off; a plugin may still use it",
            "unset it, or use NCCL_NET=Socket when TCP is what you want",
        )
    if (
        (said := log.settings.get("NCCL_IB_HCA"))
        and "," not in said[1]
        and not said[1].startswith("^")
        and log.device_list
        and len(log.device_list) == 1
    ):
        yield finding(
            "one-adapter-pinned",
            "warning",
            said[0],
            f"NCCL_IB_HCA names one adapter ({said[1][:40]}): the others stay idle",
            "unset it, or list all adapters: =mlx5_0,mlx5_1,…",
        )
    if (said := log.settings.get("NCCL_P2P_DISABLE")) and said[1] != "0":
        yield finding(
            "peer-to-peer-disabled",
            "warning",
            said[0],
            "NCCL_P2P_DISABLE sends data between the GPUs of a node through host memory",
            "unset it on machines with NVLink",
        )
    if (said := log.settings.get("NCCL_NET_GDR_LEVEL")) and said[1] in ("0", "LOC"):
        yield finding(
            "gpudirect-disabled", "warning", said[0], "NCCL_NET_GDR_LEVEL allows GPUDirect nowhere", "unset it"
        )


def _bootstrap(log: DebugLog, several_hosts: bool) -> Iterator[DiagnosisFinding]:
    if not several_hosts:
        return
    for line, interface in log.bootstrap.values():
        if _LOOPBACK.search(interface):
            yield finding(
                "bootstrap-on-loopback",
                "error",
                line,
                "a host announces itself under its loopback address: the others cannot reach it",
                "set NCCL_SOCKET_IFNAME to the interface the hosts share; look at /etc/hosts and /etc/nccl.conf",
            )
            return
        if _BRIDGE.search(interface):
            yield finding(
                "docker-interface",
                "warning",
                line,
                "connections are set up over the container bridge",
                "NCCL_SOCKET_IFNAME=^docker0,lo",
            )
            return


def _sockets(log: DebugLog) -> Iterator[DiagnosisFinding]:
    if log.transport == "tcp-socket":
        asked = log.settings.get("NCCL_NET", (0, ""))[1].lower() == "socket"
        yield finding(
            "tcp-sockets",
            "info" if asked else "error",
            log.channel_line.get(False, log.network_line),
            "TCP sockets carry the data between nodes" + (", as NCCL_NET asks" if asked else ": RDMA is not in use"),
            "none, if TCP is what you want"
            if asked
            else "see the other findings for why; on machines with RDMA "
            "set NCCL_NET so that the job fails in place of falling back",
        )
    if (
        log.device_list is not None
        and not log.device_list
        and log.transport not in ("efa", "slingshot", "tcpx", "tcpxo")
    ):
        yield finding(
            "empty-device-list",
            "error",
            log.device_line,
            "the list of RDMA devices is empty, although the line says Using",
            "pass /dev/infiniband into the container and check ibv_devinfo and NCCL_IB_HCA",
        )


def _gpudirect(log: DebugLog, device: str) -> Iterator[DiagnosisFinding]:
    if log.gpudirect is not False or _NO_GDR_BY_DESIGN.search(device):
        return
    hosts_without, hosts_with = log.channel_hosts.get(False, set()), log.channel_hosts.get(True, set())
    line = log.channel_line.get(False) or log.gdr_lines.get("Disabled", 1)
    if hosts_with and not hosts_without & hosts_with:
        names = ", ".join(sorted(hosts_without)[:4])
        yield finding(
            "gpudirect-missing-on-some",
            "error",
            line,
            f"data goes through host memory on {names} and not on the other hosts: the slow ones set the pace",
            "load nvidia-peermem there and compare driver and kernel",
        )
    elif log.transport in ("efa", "slingshot", "unknown"):
        yield finding(
            "no-gpudirect",
            "warning",
            line,
            "channels between nodes go through host memory (no GDRDMA)",
            "compare plugin and FI_ settings with a run that has it; the container needs the driver libraries",
        )
    else:
        why = f" ({log.gdr_reason.strip()[:60]})" if log.gdr_reason.strip() else ""
        yield finding(
            "no-gpudirect",
            "warning",
            line,
            f"channels between nodes go through host memory: GPUDirect RDMA is not used{why}",
            "modprobe nvidia-peermem, or an open driver with DMA-BUF; if it is loaded, GPU and adapter may be too "
            "far apart (nvidia-smi topo -m)",
        )


def _adapters(log: DebugLog) -> Iterator[DiagnosisFinding]:
    listed = len(log.device_list or [])
    if log.transport in ("infiniband", "roce") and log.nics_used and 2 * len(log.nics_used) <= listed:
        line = min(log.channel_line.values(), default=log.device_line)
        yield finding(
            "few-adapters-used",
            "warning",
            line,
            f"{len(log.nics_used)} of {listed} adapters carry data",
            "expected when few GPUs per node take part; else check NCCL_IB_HCA and that the topology is visible "
            "(NCCL_TOPO_FILE in a VM)",
        )


def _inside_the_node(log: DebugLog) -> Iterator[DiagnosisFinding]:
    if log.local["SHM"] > log.local["P2P"]:
        yield finding(
            "host-memory-inside-node",
            "info",
            log.local_line["SHM"],
            "GPUs of a node exchange data through host memory",
            "expected for cards without peer-to-peer; with NVLink check NCCL_P2P_DISABLE, ACS and IOMMU",
        )
