"""TCP sockets between nodes: whether they are all that the machines have, as a provider means it, or what is left where
RDMA or a plugin is missing."""

import re
from collections.abc import Callable, Iterator

from pydantic import BaseModel

from assistant.vocabulary.answers import DiagnosisFinding

from .debug_lines import DebugLog
from .expected import is_pcie
from .signatures import Pattern, as_information, finding, read, signatures

_DATACENTRE = re.compile(
    r"\b[AH]\d00\b|B[23]00|V100(?!-PCIE)|MI\d{3}", re.I
)  # whose machines have RDMA, whatever joins the GPUs
_OFTEN_WITHOUT = re.compile(
    r"V100", re.I
)  # of clouds: fewer than eight in a machine are mostly joined by Ethernet alone
_FABRIC_INTERFACE = re.compile(r"^(?:hsn|ib)\d")
_GPUS_OF_SERVERS = 8
_UNCHECKED = "sockets-of-the-provider-unchecked"  # the sign of those of which no page was read
_OF_PROVIDERS = ("sockets-of-the-provider", _UNCHECKED)
_WITHOUT_RDMA = (*_OF_PROVIDERS, "ethernet-only")  # signs that name machines which have none


def sockets_are_all(log: DebugLog, device: str) -> bool:
    """Whether nothing tells that the machine has more than Ethernet: sockets that fill its line; a bus without RDMA
    adapters; cards without NVLink or none that is named, no setting of RDMA, no interface or plugin of another network,
    no NVLink switch."""
    if log.line_filled or log.sockets_meant or log.without_rdma or carried_by_rack(log):
        return True
    if (device and (not is_pcie(device) or _DATACENTRE.search(device))) or log.transport not in (None, "tcp-socket"):
        return False
    if log.rdma_named or any(name.startswith("NCCL_IB_") and name != "NCCL_IB_DISABLE" for name in log.settings):
        return False
    interfaces = [*log.socket_interfaces, *(interface for _, interface in log.bootstrap.values())]
    if any(_FABRIC_INTERFACE.search(interface) for interface in interfaces):
        return False
    return bool(device) or not (log.nvls_there or log.nvls or log.other_network or _whole_node(log))


def carried_by_rack(log: DebugLog) -> bool:
    """Whether NVLink joins the hosts, which are trays of one rack, and no channel takes another network."""
    return log.rack and not log.channels


def _whole_node(log: DebugLog) -> bool:
    """Whether a host has as many GPUs as machines that are built with RDMA."""
    per_host = max(map(len, log.devices_per_host.values()), default=0)
    return max(log.local_ranks, per_host, log.per_host) >= _GPUS_OF_SERVERS or any(
        _DATACENTRE.search(host) and not _OFTEN_WITHOUT.search(host) for host in log.devices_per_host
    )


def findings(log: DebugLog, device: str, named: frozenset[str]) -> Iterator[DiagnosisFinding]:
    if log.transport == "tcp-socket" and not carried_by_rack(log):
        asked = log.settings.get("NCCL_NET", (0, ""))[1].lower() == "socket" or "NCCL_IB_DISABLE" in log.by_comment
        name = "tcp-sockets-as-asked" if asked else "tcp-sockets"
        only = "ethernet-only" in named or sockets_are_all(log, device)
        name = "tcp-sockets-are-all" if not asked and only else name
        if not asked and log.sockets_meant:
            checked = log.meaning.get("meant") or _UNCHECKED not in named
            name = "tcp-sockets-of-the-provider" if checked else "tcp-sockets-of-the-provider-unchecked"
        line = log.channel_line.get(False, log.network_line)
        yield finding(name, line)
        at, plugin = log.settings.get("NCCL_NET_PLUGIN", (0, ""))
        if plugin.lower() == "none" and not (asked or log.sockets_meant):
            yield finding("plugin-switched-off", at)
        elif name == "tcp-sockets" and not log.other_network and (missing := _plugin_missing(log, device, named)):
            said = {"network": missing.network, "plugin": missing.plugin, "mend": missing.fix}
            yield finding("plugin-missing", line, **said)
    if log.device_list == [] and log.transport not in ("efa", "slingshot", "tcpx", "tcpxo"):
        told = finding("empty-device-list", log.device_line)
        meant = log.sockets_meant or "ethernet-only" in named or sockets_are_all(log, device)
        yield as_information(told) if meant else told


def of_sockets() -> frozenset[str]:
    """The codes of what is found of every job over sockets, and is a fault only where RDMA is there."""
    known = {each.code for each in signatures() if each.weighs == "where-rdma-may-be"}
    return frozenset(known | {"tcp-sockets", "like-sockets", "empty-device-list", "ib-disabled"})


def ethernet_of(said_of: Callable[[str], str]) -> float:
    """Bytes per second of the Ethernet of the cloud's machines that lines name; 0 where that is not known. ``said_of``:
    what lines say of a sign."""
    machine = next((said for sign in _OF_PROVIDERS if (said := said_of(sign))), "")
    rates = (one["ethernet"] for one in read("machines") if re.fullmatch(one["named"], machine, re.IGNORECASE))
    return next(rates, 0.0) * 1e9 / 8


def sockets_meant(log: DebugLog, device: str, named: frozenset[str]) -> bool:
    """Whether sockets carry the data as a provider documents it: by its plugin, or on machines that have nothing else.
    Where another network's plugin was meant to load, neither is so."""
    if log.transport != "tcp-socket" or named & {"plugin-not-loaded", "plugin-not-found"}:
        return False
    meant = log.meaning.get("meant", False) or not named.isdisjoint(_OF_PROVIDERS)
    return meant and _plugin_missing(log, device, named) is None


class _Plugin(BaseModel):
    """A network that a plugin alone reaches, and how to tell that it is there."""

    network: str
    plugin: str
    fix: str
    interfaces: Pattern | None = None
    hosts: Pattern | None = None
    settings: tuple[str, ...] = ()
    gpus: Pattern | None = None
    named: frozenset[str] = frozenset()  # the signs that other lines than NCCL's name it, or machines that have it

    def signed(self, log: DebugLog, device: str, named: frozenset[str]) -> bool:
        """Whether the log has a sign of this network; ``named``: those of lines that are not NCCL's."""
        interfaces = [*log.socket_interfaces, *(name for _, name in log.bootstrap.values())]
        return bool(
            self.named & named
            or (self.interfaces and any(self.interfaces.search(name) for name in interfaces))
            or (self.settings and any(name.startswith(self.settings) for name in log.settings))
            or (self.hosts and any(self.hosts.search(host) for host in log.devices_per_host)
                and (not self.gpus or (self.gpus.search(device) and not {*_WITHOUT_RDMA} & named)))
        )  # fmt: skip


def _plugin_missing(log: DebugLog, device: str, named: frozenset[str]) -> _Plugin | None:
    plugins = (_Plugin.model_validate(each) for each in read("plugins"))
    return next((each for each in plugins if each.signed(log, device, named)), None)
