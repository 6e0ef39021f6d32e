"""Findings from NCCL debug lines: which network, whether GPU memory is read directly, how many adapters take part."""

import re
from collections import Counter
from collections.abc import Iterator

from assistant.network.nccl.host import within
from assistant.vocabulary.answers import DiagnosisFinding

from . import sockets
from .debug_lines import DebugLog
from .expected import is_pcie
from .signatures import Speed, as_information, finding, read
from .sockets import sockets_are_all

_LOOPBACK = re.compile(r"^lo:|:127\.")
_BRIDGE = re.compile(r"^(?:docker|br-|veth|virbr|cni|flannel|cali|podman|lxcbr|vmnet|tailscale|wg)|:172\.17\.0\.")
_NVLINK = re.compile(r"SXM|H[128]00|B[23]00|HGX|DGX", re.I)
_RACK = re.compile(r"\bGB[23]00\b")  # GPUs whose trays NVLink joins
# NVML's nvmlGpuFabricState_t; a server without such a fabric reports 0, or is complete without a cluster.
_FABRIC_STATES = {0: "not supported", 1: "not started", 2: "in progress", 3: "completed"}
_UNDER_WAY = (1, 2)
_APART = 4  # values of one setting that are told
UNCHECKED = " (as far as we know: not checked against a page)"
_DISTANCE = re.compile(r"distance \d+ >=? \d+")
_NO_GDR = ("0", "LOC")  # of NCCL_NET_GDR_LEVEL: never
_CARRIED_BY_HOST, _CARRIED_RATE = 2, 25e9  # adapters of a node, and bytes/s of each: a socket's memory moves more
_NO_GDR_BY_DESIGN = re.compile(r"GB10|GeForce|RTX", re.I)


def findings(
    log: DebugLog,
    nodes: int | None,
    device: str,
    speed: Speed,
    named: frozenset[str],
    heard_of: bool = False,
    *,
    stepped: bool = False,
    alone: bool = False,
) -> Iterator[DiagnosisFinding]:
    """What the debug lines of one file say; ``speed``: of the job, as far as its tables are judged; ``named``: the
    signs of lines that are not NCCL's; ``heard_of``: other lines are of most of the ranks; ``stepped``: the job did
    steps and measured nothing; ``alone``: nothing leaves its node."""
    yield from _lines(log, speed, heard_of)
    yield from _version(log, device, speed)
    yield from _settings(log, nodes, device, named, speed, alone=alone)
    line, value = log.settings.get("NCCL_IB_HCA", (0, ""))
    if "no-rdma-device" in named and value and not value.startswith("^") and not log.device_list:
        yield finding("adapters-filtered", line, value=value[:80])
    if nodes is not None and nodes > 1:
        yield from _rack(log, device, speed)
        yield from _apart(log)
        differ = _set_apart(log)
        yield from differ if speed == "no-table" else map(as_information, differ)  # of tables each may have its own
        yield from _bootstrap(log)
        yield from sockets.findings(log, device, named)
        direct = _gpudirect(log, device, named, by_design=stepped, slow=speed in ("slow", "short"))
        yield from map(as_information, direct) if speed == "fine" else direct
        yield from _sharp(log, named, speed)
        yield from map(as_information, _adapters(log)) if speed == "fine" else _adapters(log)
    if log.local["SHM"] > log.local["P2P"]:
        joined = not _through_the_host(log, device) and "NCCL_P2P_DISABLE" not in log.by_comment
        name = "host-memory-in-place-of-nvlink" if joined else "host-memory-inside-node"
        yield finding(name, log.local_line["SHM"])


def _apart(log: DebugLog) -> Iterator[DiagnosisFinding]:
    """Hosts that do not name the same network."""
    by_name: dict[str, tuple[str, int]] = {}
    for host, (name, line) in log.network_of.items():
        by_name.setdefault(name, (host, line))
    if len(by_name) > 1:
        said = ", ".join(f"{name} on {host}" for name, (host, _) in by_name.items())
        yield finding("networks-differ", max(line for _, line in by_name.values()), said=said)


def _set_apart(log: DebugLog) -> Iterator[DiagnosisFinding]:
    """Settings by which all ranks must choose alike and that hosts give different values."""
    for name, about in read("choices").items():
        on = log.set_on.get(name, {}) if about.get("alike") else {}
        if len({*on.values()}) > 1:
            said = ", ".join(f"{value[:20]} on {host}" for value, host in [*on.items()][:_APART])
            yield finding("settings-differ", log.settings[name][0], setting=name, said=said)


def _rack(log: DebugLog, device: str, speed: Speed) -> Iterator[DiagnosisFinding]:
    """NVLink between the trays of a rack that is there, or should be, and is not used. Trays of different clusters have
    none between them; a server whose switches join its own GPUs alone has no cluster and a state that is complete."""
    line, value = log.settings.get("NCCL_MNNVL_ENABLE", (0, ""))
    if log.rack_used or not log.rack_unused or not (log.fabric or value == "0"):
        return
    joined = {cluster for cluster, _, _ in log.fabric.values() if cluster}
    apart = {host: each for host, each in log.fabric.items() if not each[0]}
    if value == "0" and (joined or _RACK.search(device)):
        told = finding("rack-switched-off", line, setting="NCCL_MNNVL_ENABLE=0")
        yield _as_meant(told, log, "NCCL_MNNVL_ENABLE", speed)
    elif apart and (joined or _RACK.search(device) or any(each[1] in _UNDER_WAY for each in apart.values())):
        _, state, at = next(iter(apart.values()))
        said = {"state": state, "said": _FABRIC_STATES.get(state, "unknown"), "hosts": ", ".join([*apart][:8])}
        yield finding("rack-tray-not-joined" if joined else "rack-not-joined", at, **said)
    elif len(joined) == 1 and len(log.fabric) > 1:
        yield finding("rack-domain-missing", min(at for _, _, at in log.fabric.values()))


def _lines(log: DebugLog, speed: Speed, heard_of: bool) -> Iterator[DiagnosisFinding]:
    if log.one_of_many and not heard_of:
        yield finding("one-rank-speaks", 1)
    if log.traced:
        told = finding("trace-logging" if log.tracing else "every-call-logged", log.trace_line, calls=log.traced)
        yield told if speed in ("slow", "short") else as_information(told)


def _version(log: DebugLog, device: str, speed: Speed) -> Iterator[DiagnosisFinding]:
    """A release of NCCL from before these GPUs: it runs on them, and does not know what joins them."""
    made = next((one for one in read("devices") if re.search(one["printed"], device)), {})
    since = made.get("nccl")
    if since and log.version and speed in ("slow", "short") and within(log.version, None, since):
        unchecked = UNCHECKED if made.get("unchecked") else ""
        yield finding("nccl-too-old", 1, version=log.version, device=device[:40], since=since, unchecked=unchecked)


def _as_meant(told: DiagnosisFinding, log: DebugLog, setting: str, speed: Speed) -> DiagnosisFinding:
    """What a setting does is information where somebody says that it is meant, and no table is slow for it."""
    return as_information(told) if setting in log.by_comment and speed not in ("slow", "short") else told


def _settings(
    log: DebugLog, nodes: int | None, device: str, named: frozenset[str], speed: Speed, *, alone: bool
) -> Iterator[DiagnosisFinding]:
    def said(name: str) -> tuple[int, str]:
        return log.settings.get(name, (0, ""))

    line, value = said("NCCL_IB_DISABLE")
    if value not in ("", "0") and not alone and not sockets_are_all(log, device):
        told = finding("ib-disabled", line, value=value[:20])
        told = _as_meant(told, log, "NCCL_IB_DISABLE", speed)
        yield as_information(told) if log.by_plugin or "ethernet-only" in named else told
    line, value = said("NCCL_IB_HCA")
    if value and "," not in value and not value.startswith("^") and len(log.device_list or []) == 1:
        per_node = log.local_ranks or (log.ranks // nodes if nodes else 0)
        by_itself = per_node == 1 or is_pcie(device) or log.looped or log.adapters_chosen
        name = "one-adapter-there" if _only_one(log) else "one-adapter-is-all" if by_itself else "one-adapter-pinned"
        yield finding(name, line, adapter=value[:40])
    for value, its in log.host_ids.items():
        if len(its) > 1:
            yield finding("same-host-id", min(its.values()), value=value[:40], hosts=" and ".join(sorted(its)[:4]))
    for name in ("NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL"):
        line, value = said(name)
        if log.looped:
            yield finding("adapters-tried-in-one-node", line, setting="NCCL_P2P_DISABLE and NCCL_SHM_DISABLE")
            break
        if value and (value in ("0", "LOC")) == name.endswith("LEVEL"):
            joined = log.nvls or log.nvls_there or log.linked or (device and not is_pcie(device))
            told = finding(
                "peer-to-peer-disabled" if joined else "peer-to-peer-not-there", line, setting=f"{name}={value}"
            )
            yield as_information(told) if name in log.by_comment else told
    line, value = said("NCCL_NET_GDR_LEVEL")
    if value in _NO_GDR:
        told = _as_meant(finding("gpudirect-disabled", line), log, "NCCL_NET_GDR_LEVEL", speed)
        yield as_information(told) if _through_the_host(log, device) else told


def _through_the_host(log: DebugLog, device: str) -> bool:
    """Whether the GPUs of a node reach each other through host memory only, as cards without peer-to-peer do: nothing
    tells that adapters could reach them."""
    joined = log.linked or (_NVLINK.search(device) and not is_pcie(device))
    return log.local["SHM"] > log.local["P2P"] and not joined


def _only_one(log: DebugLog) -> bool:
    """Whether a node has one adapter: as a list of its devices shows, or somebody says."""
    return log.adapters_there == 1 or (log.said is not None and log.said[0] == 1)


def choices_pinned(log: DebugLog, speed: Speed) -> Iterator[DiagnosisFinding]:
    """What the environment decides in NCCL's place, which a job that is slower than it might be is better without;
    Google's plugins come with such settings."""
    told = list[tuple[int, str]]()
    for name, about in read("choices").items():
        line, value = log.settings.get(name, (0, ""))
        enough = value in about.get("usual", ()) or (value.isdecimal() and int(value) >= about.get("enough", 1 << 62))
        if value and not enough and (speed == "slow" or about.get("narrows")):
            told.append((line, f"{name}={value} ({about['does']})"))
    if told and speed in ("slow", "short") and log.transport not in ("tcpx", "tcpxo", "gib"):
        yield finding("choices-pinned", told[0][0], names="; ".join(said for _, said in told))
    elif log.sums_off and speed == "fine":
        setting = "NCCL_NVLS_ENABLE=0" if log.settings.get("NCCL_NVLS_ENABLE", (0, ""))[1] == "0" else "NCCL_ALGO=Ring"
        yield finding("sums-switched-off", log.sums_off, setting=setting)


def _bootstrap(log: DebugLog) -> Iterator[DiagnosisFinding]:
    said = Counter(interface for _, interface in log.bootstrap.values())
    for line, interface in log.bootstrap.values():
        if _LOOPBACK.search(interface):
            yield finding("bootstrap-on-loopback", line)
        elif _BRIDGE.search(interface):
            told = finding("docker-interface", line, interface=interface)
            # one address on several hosts: each reaches itself there
            yield told.model_copy(update={"severity": "error"}) if said[interface] > 1 else told
        elif said[interface] > 1 and not log.channels:
            yield finding("same-address", line, interface=interface, hosts=said[interface])
        else:
            continue
        return


def _gpudirect(
    log: DebugLog, device: str, named: frozenset[str], *, by_design: bool, slow: bool
) -> Iterator[DiagnosisFinding]:
    """``by_design``: nothing shows that the machines' topology, where NCCL decides by it, slows the job down; no more
    does the host's memory where a node has so few adapters that it carries all that they bring. ``slow``: as
    tables show."""
    if log.gpudirect is not False or _NO_GDR_BY_DESIGN.search(device) or len(set(log.networks)) > 1:
        return
    without = log.meaning.get("without_gpudirect")
    if log.transport == "efa" and without and re.search(without, device):
        unchecked = UNCHECKED if re.search(log.meaning["unchecked"], device) else ""
        line = log.channel_line.get(False, 1)
        yield finding("no-gpudirect-of-instance", line, device=device[:40], unchecked=unchecked)
        return
    line, value = log.settings.get("NCCL_TOPO_FILE", (0, ""))
    if value and not value.startswith("/var/run/nvidia-topologyd"):
        yield finding("topology-file-of-another", line, value=value[:80])
    hosts_without, hosts_with = log.channel_hosts.get(False, set()), log.channel_hosts.get(True, set())
    line = log.channel_line.get(False) or log.gdr_lines.get("Disabled", 1)
    if "topology-file-missing" in named:
        yield finding("no-gpudirect-without-topology", line)
    elif hosts_with and not hosts_without & hosts_with:
        yield finding("gpudirect-missing-on-some", line, hosts=", ".join(sorted(hosts_without)[:4]))
    elif log.transport in ("efa", "slingshot", "unknown"):
        yield finding("no-gpudirect-of-plugin", line)
    elif far := _DISTANCE.search(log.gdr_reason):
        told = finding("no-gpudirect-so-far-apart", line, said=far[0])
        yield as_information(told) if by_design else told
    elif log.settings.get("NCCL_NET_GDR_LEVEL", (0, ""))[1] in _NO_GDR and _through_the_host(log, device):
        yield as_information(finding("no-gpudirect", line))  # as it was asked for
    else:
        told = finding("no-gpudirect-without-module" if "HCA" in log.gdr_reason else "no-gpudirect", line)
        few = 0 < len(log.device_list or []) <= _CARRIED_BY_HOST and (log.adapter_rate or 0.0) <= _CARRIED_RATE
        carried = few and not slow
        yield as_information(told) if carried else told


def _sharp(log: DebugLog, named: frozenset[str], speed: Speed) -> Iterator[DiagnosisFinding]:
    """Sums in the switches that were asked for, and that no channel goes through: as the plugin's lines say, or as the
    channels between hosts show; where SHARP gave the job a tree, in a slow table alone. One rank of many need not be
    one that speaks of them."""
    line, value = log.settings.get("NCCL_COLLNET_ENABLE", (0, ""))
    setting = f"NCCL_COLLNET_ENABLE={value}" if value == "1" else ""
    at, algorithms = log.settings.get("NCCL_ALGO", (0, ""))
    if not setting and algorithms and all(one.lower().startswith("collnet") for one in algorithms.split(",")):
        line, setting = at, f"NCCL_ALGO={algorithms[:40]}"
    refused = bool({"sharp-unavailable", "sharp-not-there"} & named)
    granted = "sharp-job-made" in named and not refused and speed not in ("slow", "short")
    if setting and not (log.summed or granted) and (refused or (log.channels and not log.one_of_many)):
        told = finding("sharp-not-used", line, setting=setting)
        there = log.transport in ("infiniband", "unknown")  # the switches of other networks add nothing
        yield told if there or speed in ("slow", "short") else as_information(told)


def _adapters(log: DebugLog) -> Iterator[DiagnosisFinding]:
    """Fewer adapters than GPUs that could use them. Of one rank of many, or of few GPUs of a node, nothing follows."""
    listed = len(log.device_list or [])
    if log.transport not in ("infiniband", "roce", "gib") or log.one_of_many or not log.nics_used:
        return
    host = max(log.nics_used, key=lambda name: len(log.gpus_on_nets[name]))
    used, gpus = len(log.nics_used[host]), len(log.gpus_on_nets[host])
    per_node = max(log.local_ranks, log.per_host, log.last_gpu + 1)
    meant = min(gpus, listed, listed * gpus / per_node)  # several GPUs share an adapter where these are fewer
    if 2 * used <= meant:
        line = min(log.channel_line.values(), default=log.device_line)
        yield finding("few-adapters-used", line, used=used, listed=listed)
