"""What ``NCCL_DEBUG=INFO`` lines say about the network in use, NCCL 2.4 to 2.29 and RCCL."""

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from assistant.vocabulary.answers import LogTransport

_LINE = re.compile(r"(?P<host>[^\s:\[\]]+):\d+:\d+\s+\[(?P<device>-?\d{1,6})\].*?NCCL (?:INFO|WARN)\s*(?P<text>.*)")
_VERSION = re.compile(r"N?CCL version (\d+\.\d+(?:\.\d+)?)")
_NETWORK = re.compile(r"Using network (.+?)\s*$")
_DEVICES = re.compile(r"NET/IB(?:ext\w*)? ?: Using (.*?)(?:;|$)")
_ONE_DEVICE = re.compile(r"\[\d+\]\s*([\w.-]+):\d+/(\w+)")
_VIA = re.compile(r"via (NET|COLLNET)/([^/]+)/(\d{1,6})(?:\(\d+\))?((?:/\w+)*)")
_LOCAL = re.compile(r"via (P2P|SHM|direct shared memory)\b/?(\S*)")
_HOP = re.compile(r"(\d{1,9})\[[^\]]*\](?:\[[^\]]*\])? ?-> ?(\d{1,9})\[")
_RANKS = re.compile(r"\bn[rR]anks (\d{1,9})")
_NODES = re.compile(r"\bnNodes (\d{1,9})")
_PROVIDER = re.compile(
    r"(?:[Pp]rovider is|Libfabric provider|provider:?)\s+(efa|cxi)\b|NET/OFI Running on P\w+ platform"
)
_GDR = re.compile(r"GPU Direct RDMA (Enabled|Disabled)(.*)")
_SET = re.compile(r"(NCCL_\w+) set (?:by environment )?to (\S+)")
_BOOTSTRAP = re.compile(r"Bootstrap ?: Using (?:\[0\])?([\w.@-]+):(\S+?)<")
_SPEED = re.compile(r"\bspeed=(\d{1,12})")
_NVLS = re.compile(r"(\d{1,6}) nvls channels")


@dataclass
class DebugLog:
    """Everything read from debug lines. Lines are numbers in the file, from 1."""

    lines: int = 0
    version: str | None = None
    networks: Counter[str] = field(default_factory=Counter)
    network_line: int = 1
    device_list: list[tuple[str, str]] | None = None  # (name, IB | RoCE | …); an empty list was printed empty
    device_line: int = 1
    channels: Counter[tuple[str, bool]] = field(default_factory=Counter)  # (network, GPU memory directly)
    channel_hosts: dict[bool, set[str]] = field(default_factory=lambda: defaultdict(set))
    channel_line: dict[bool, int] = field(default_factory=dict)
    nics_used: set[int] = field(default_factory=set)
    nvls: bool = False
    local: Counter[str] = field(default_factory=Counter)
    local_line: dict[str, int] = field(default_factory=dict)
    providers: Counter[str] = field(default_factory=Counter)
    gdr_lines: dict[str, int] = field(default_factory=dict)  # Enabled | Disabled → first line
    gdr_reason: str = ""
    settings: dict[str, tuple[int, str]] = field(default_factory=dict)
    bootstrap: dict[str, tuple[int, str]] = field(default_factory=dict)  # host → (line, interface:address)
    ranks: int = 0
    nodes_said: int | None = None
    devices_per_host: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    speeds: Counter[int] = field(default_factory=Counter)  # Mbit/s of the adapters

    def take(self, number: int, line: str) -> bool:
        """Read one cleaned line; whether it was one of NCCL's."""
        if found := _VERSION.search(line):
            self.version = self.version or found.group(1)
        found = _LINE.search(line)
        if not found:
            return bool(_VERSION.search(line))
        self.lines += 1
        host, text = found["host"], found["text"]
        if int(found["device"]) >= 0:
            self.devices_per_host[host].add(int(found["device"]))
        self._network(number, text)
        self._channel(number, host, text)
        self._surroundings(number, host, text)
        return True

    def _network(self, number: int, text: str) -> None:
        if found := _NETWORK.search(text):
            if not self.networks:
                self.network_line = number
            self.networks[found.group(1)] += 1
        if found := _DEVICES.search(text):
            listed = _ONE_DEVICE.findall(found.group(1))
            if self.device_list is None or len(listed) > len(self.device_list):
                self.device_list, self.device_line = listed, number
        if found := _PROVIDER.search(text):
            self.providers[found.group(1) or "efa"] += 1  # a platform of AWS means EFA
        if found := _GDR.search(text):
            self.gdr_lines.setdefault(found.group(1), number)
            if found.group(1) == "Disabled":
                self.gdr_reason = self.gdr_reason or found.group(2)
        for speed in _SPEED.findall(text):
            self.speeds[int(speed)] += 1

    def _channel(self, number: int, host: str, text: str) -> None:
        if found := _VIA.search(text):
            kind, network, nic, suffix = found.groups()
            direct = "/GDRDMA" in suffix
            if kind == "COLLNET":
                return
            self.channels[network, direct] += 1
            self.channel_hosts[direct].add(host)
            self.channel_line.setdefault(direct, number)
            self.nics_used.add(int(nic))
        elif found := _LOCAL.search(text):
            kind = "SHM" if found.group(1) != "P2P" else "P2P"
            self.local[kind] += 1
            self.local_line.setdefault(kind, number)
        if (hop := _HOP.search(text)) and "Channel" in text:
            self.ranks = max(self.ranks, int(hop.group(1)) + 1, int(hop.group(2)) + 1)

    def _surroundings(self, number: int, host: str, text: str) -> None:
        if found := _RANKS.search(text):
            self.ranks = max(self.ranks, int(found.group(1)))
        if found := _NODES.search(text):
            self.nodes_said = max(self.nodes_said or 0, int(found.group(1)))
        if found := _SET.search(text):
            self.settings.setdefault(found.group(1), (number, found.group(2).rstrip(".")))
        if found := _BOOTSTRAP.search(text):
            self.bootstrap.setdefault(host, (number, f"{found.group(1)}:{found.group(2)}"))
        if ((found := _NVLS.search(text)) and int(found.group(1)) > 0) or "NVLS Head" in text or "NVLS comm" in text:
            self.nvls = True

    @property
    def nodes(self) -> int | None:
        """Nodes: as said, else the hosts that printed or ranks ÷ the GPUs of the fullest host; ``None`` from one rank's
        lines."""
        if self.nodes_said:
            return self.nodes_said
        hosts, per_host = len(self.devices_per_host), max(map(len, self.devices_per_host.values()), default=0)
        if hosts <= 1 and (per_host <= 1 or not self.ranks):
            return None
        return max(hosts, -(-self.ranks // per_host) if per_host > 1 else 1)

    @property
    def network(self) -> str | None:
        """The network of the channels between hosts, else the one named by ``Using network``."""
        if self.channels:
            return Counter({name: count for (name, _), count in self.channels.items()}).most_common(1)[0][0]
        return self.networks.most_common(1)[0][0] if self.networks else None

    @property
    def transport(self) -> LogTransport | None:
        """The contract's word for the network in use, or ``None``."""
        name = (self.network or "").lower()
        if name.startswith(("ib", "net/ib")):
            kinds = Counter(kind.lower() for _, kind in self.device_list or [])
            return "roce" if kinds and kinds.most_common(1)[0][0] == "roce" else "infiniband"
        if "socket" in name:
            return "tcp-socket"
        if "tcpxo" in name or "fastrak" in name:
            return "tcpxo"
        if "tcpx" in name:
            return "tcpx"
        if "libfabric" in name or "ofi" in name:
            provider = self.providers.most_common(1)[0][0] if self.providers else ""
            return "efa" if provider == "efa" else "slingshot" if provider == "cxi" else "unknown"
        return None

    @property
    def gpudirect(self) -> bool | None:
        """Whether every channel between hosts reads GPU memory directly; ``None`` where the question has no meaning."""
        if self.transport not in ("infiniband", "roce", "efa", "slingshot", "unknown"):
            return None
        if self.channels:
            return all(direct for _, direct in self.channels)
        return False if "Disabled" in self.gdr_lines and "Enabled" not in self.gdr_lines else None
