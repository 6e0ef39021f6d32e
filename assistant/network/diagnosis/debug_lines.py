"""What ``NCCL_DEBUG=INFO`` lines say about the network in use, NCCL 2.4 to 2.30 and RCCL."""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import lru_cache
from math import gcd
from typing import Any

from assistant.vocabulary.answers import LogTransport

from .signatures import networks, one_in

WORDS = ("nccl",)  # in every line of NCCL's, in small letters

_HEAD = re.compile(r"([^\s:\[\]]{1,255}):\d{1,10}:\d{1,10} {1,4}\[(-?\d{1,6})\]")
_VERSION = re.compile(r"N?CCL version (\d{1,3}\.\d{1,3}(?:\.\d{1,3})?)")
_ONE_DEVICE = re.compile(r"\[\d{1,3}\] ?([\w.+-]{1,64}):(?:\w{1,64}:)?\d{1,3}/(\w{1,32})")
_VIA = re.compile(r"via (NET|COLLNET)/([^/]{1,64})/(\d{1,6})(?:\(\d{1,6}\))?((?:/\w{1,32}){0,4})")
_LOCAL = re.compile(r"via (P2P|SHM|direct shared memory)\b")
_HOP = re.compile(r"(\d{1,9})\[(\w{0,16})\](?:\[[^\]]{0,64}\])? ?-> ?(\d{1,9})\[(\w{0,16})\]")  # ranks and their GPUs
_RANK = re.compile(r"\brank (\d{1,9}) n[rR]anks (\d{1,9})")
_GPU_OF_RANK = re.compile(r"\bcudaDev (\d{1,4})\b")
_RANKS = re.compile(r"\bn[rR]anks (\d{1,9})")
_NODES = re.compile(r"\bnNodes (\d{1,9})")
_LOCAL_RANKS = re.compile(r"\blocalRanks (\d{1,9})")
_PROVIDER = re.compile(r"(?:[Pp]rovider is|Libfabric provider|provider:?) {1,4}(efa|cxi)\b")
_FOUND = re.compile(r"found (\d{1,3}) nics\b", re.I)
_GDR = re.compile(r"GPU Direct RDMA (Enabled|Disabled)(.{0,200})")
_SET = re.compile(r"(NCCL_\w{1,64}) set (?:by environment )?to (\S{1,400})")
# Settings as they are given to a job: at the start of a line, or behind what exports them or hands them on.
_GIVEN = re.compile(r"(?:^|[+$#>] |\bexport(?:ing)? |\benv |-x |-e |--env[= ]|ENV )(?=NCCL_\w{1,64}=)")
_VALUE = re.compile(r"\b(NCCL_\w{1,64})=[\"']?([^\s\"';]{1,400})")
# What somebody says of a setting that is no mistake.
_MEANT = re.compile(r"\b(?:on purpose|deliberate(?:ly)?|intentional(?:ly)?|by design|as (?:planned|intended))\b", re.I)
_BOOTSTRAP = re.compile(r"Bootstrap ?: Using (?:\[0\])?([\w.@-]{1,64}):([^\s<]{1,200})<")
_INTERFACE = re.compile(r"\[\d{1,3}\]([\w.@-]{1,64}):")
_OTHERS = re.compile(r"NET/(?:OFI|FasTrak|GPUDirectTCPX|AWS)|libnccl-net-|tcpx|fastrak", re.I)
_SPEED = re.compile(r"\bspeed=(\d{1,12})")
_MADE = re.compile(r"\bname=(\w{1,32}) speed=(\d{1,12}) ndevs=1\b")
_CLIQUE = re.compile(r"MNNVL busId .{0,40}fabric UUID (?!0+\.0+\b)[0-9a-f.]{3,40} cliqueId 0x(?!0+\b)")
_FABRIC = re.compile(r"MNNVL busId \S+ fabric UUID (\S+) cliqueId (\S+) state (\d{1,2})")
_NONE = frozenset("0x.")  # of what the identity of no cluster is made
_LISTED = re.compile(r"\[\d{1,3}\] ?[={]?\S")
_PATH_MTU = re.compile(r"\bqpn \d{1,9} mtu ([1-5])\b")  # 1 to 5: 256 to 4096 bytes, as verbs number them
_MACHINE = re.compile(r"Running on (\S{1,64}) platform")  # of AWS, as its plugin names it
# An adapter of the topology: GB/s of its link, the number that its name ends in, where it stands in the list.
_NET = re.compile(r"\+ NET\[(\d{1,4}\.\d)\] - NET/(?:\d{1,6}-)?(\d{1,3})\b")
_LANES = re.compile(r"\+ PCI\[(\d{1,4}\.\d)\] - (NIC/[\w-]{1,32})")  # GB/s of the link behind which an adapter is
_MANY = re.compile(r"\b(\d{1,3}) coll channels\b|^Channel \d{1,3}/(\d{1,3}) : ")
_NVLS = re.compile(r"(\d{1,6}) nvls channels")
# Lines that a healthy start prints by the thousand, by their first word; nothing in them is asked for.
_ROUTINE = frozenset(
    ("Trees", "Tree", "Setting", "threadThresholds", "P2P", "NVLS", "Pattern", "Ring", "Connected", "Channel")
)
# One is in every other line that says more than whose line it is.
_TOLD = (
    "Using network ",
    "NET/",
    "rovider",
    "RDMA Disabled",
    "anks ",
    " set ",
    "MNNVL",
    "Bootstrap",
    "nvls",
    "coll channels",
    " mtu ",
)
_HEADS = 4096  # different beginnings of lines that are remembered
_HOSTS = 100_000
_GPUS_OF_SERVERS = 8


def meaning_of(network: str) -> dict[str, Any]:
    """What the name of a network means, as ``knowledge/nccl/networks.yaml`` has it; empty for none or another."""
    return next((one for one in networks() if network and one["has"] in network.lower()), {})


@lru_cache(maxsize=1024)
def _devices_in(listed: str) -> list[tuple[str, str]]:
    """Name and kind of the adapters of a list, which every rank prints; not to be changed."""
    return _ONE_DEVICE.findall(listed)


@dataclass
class DebugLog:
    """Everything read from debug lines. Lines are numbers in the file, from 1."""

    kinds: Counter[str] = field(default_factory=Counter)  # INFO | WARN | TRACE
    version: str | None = None
    networks: Counter[str] = field(default_factory=Counter)
    network_of: dict[str, tuple[str, int]] = field(default_factory=dict)  # by host: the first that it names, line
    network_line: int = 1
    device_list: list[tuple[str, str]] | None = None  # (name, IB | RoCE | …); an empty list was printed empty
    device_line: int = 1
    adapters: dict[str, str] = field(default_factory=dict)  # of lines that print one adapter each: name → IB | RoCE
    channels: Counter[tuple[str, bool]] = field(default_factory=Counter)  # (network, GPU memory directly)
    channel_hosts: dict[bool, set[str]] = field(default_factory=lambda: defaultdict(set))
    channel_line: dict[bool, int] = field(default_factory=dict)
    nics_used: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))  # by host
    gpus_on_nets: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))  # by host: that print channels
    summed: bool = False  # switches of the network add: channels go through SHARP, or more arrives than is sent
    nvls: bool = False
    nvls_there: bool = False  # the GPUs could use it, whatever the settings say
    ways: int = 0  # that NCCL opens at once through the links of a node
    local: Counter[str] = field(default_factory=Counter)
    local_line: dict[str, int] = field(default_factory=dict)
    providers: Counter[str] = field(default_factory=Counter)
    nics_found: dict[str, tuple[int, int]] = field(default_factory=dict)  # by host: of libfabric, line
    gdr_lines: dict[str, int] = field(default_factory=dict)  # Enabled | Disabled → first line
    gdr_reason: str = ""
    settings: dict[str, tuple[int, str]] = field(default_factory=dict)
    varied: set[str] = field(default_factory=set)  # of these those that the log gives several values
    set_on: dict[str, dict[str, str]] = field(
        default_factory=dict
    )  # of these: value → the first host that NCCL says it on
    by_command: set[str] = field(default_factory=set)  # of these those that lines other than NCCL's give
    by_comment: set[str] = field(default_factory=set)  # settings of which somebody's comment in the log speaks
    adapters_chosen: bool = False  # somebody chose which adapters are used, as the log shows
    said: tuple[int, float] | None = None  # adapters of a node, bytes per second of each, as somebody's words have it
    port_rate: float = 0.0  # bytes per second of the adapters in use, as other tools print it; 0 where none does
    ethernet: float = 0.0  # bytes per second of the Ethernet of the machines that the log names, 0 where it names none
    looped: bool = False  # one node whose ranks talk over its adapters, as commands in the log ask
    host_ids: dict[str, dict[str, int]] = field(default_factory=dict)  # NCCL_HOSTID → the hosts that say it, line
    bootstrap: dict[str, tuple[int, str]] = field(default_factory=dict)  # host → (line, interface:address)
    ranks: int = 0
    ranks_printing: set[int] = field(default_factory=set)
    first_ranks: int = 0  # of hosts, by ranks and their GPUs' numbers: what divides them all
    last_gpu: int = 0  # the greatest of these numbers
    nodes_said: int | None = None
    local_ranks: int = 0
    devices_per_host: dict[str, set[int]] = field(default_factory=lambda: defaultdict(set))
    speeds: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)  # (host, adapter) → Gb/s, line
    listed: dict[str, tuple[list[tuple[str, str]], int]] = field(default_factory=dict)  # by host: its adapters, line
    last_listed: tuple[str, ...] = ()  # the adapters that the last such line names
    linked: bool = False  # a line of the topology names NVLink
    lanes: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)  # → GB/s of their PCIe link, line
    links: dict[tuple[str, int], tuple[float, int]] = field(
        default_factory=dict
    )  # (host, place in the list) → Gb/s, line
    machine: str = ""  # of a cloud, as its plugin names it
    offered: str = ""  # what machines have that other lines name by their type
    packets: dict[str, tuple[int, int]] = field(default_factory=dict)  # by host: the least path MTU, bytes; line
    calls: Counter[str] = field(default_factory=Counter)  # lines that tell of every call
    trace_line: int = 1
    tracing: bool = False  # by a library that was built for it
    fabric: dict[str, tuple[str, int, int]] = field(default_factory=dict)  # by host: NVLink cluster or "", state, line
    rack_used: bool = False  # as a communicator says
    rack_unused: bool = False
    rack: bool = False  # NVLink joins more than one node
    socket_interfaces: tuple[str, ...] = ()
    rdma_named: bool = False  # a line that is not NCCL's says that the hosts have RDMA
    line_filled: bool = False  # sockets give what the named Ethernet adapter has, by the table: nothing else is there
    adapters_there: int = 0  # of a node, as lists that are not NCCL's show; 0 where there is none
    without_rdma: bool = False  # somebody looked for RDMA adapters on the bus, and there are none
    sockets_meant: bool = False  # their provider has nothing else for these machines
    other_network: bool = False  # a plugin or library of another network than Ethernet was looked for
    verbs: bool = False  # failures speak of RDMA
    roce_gids: bool = False  # their addresses hold IPv4 ones, as only those of RoCE do
    joined: set[str] = field(default_factory=set)  # hosts of processes whose first line was read since it was emptied
    counted: list[tuple[Counter[Any], Hashable]] = field(default_factory=list)  # where the last line counts
    alike: bool = True  # whether it says all of what it says without its long numbers
    plain: bool = True  # whether it says no more than whose line it is, whatever its numbers
    _heads: dict[str, tuple[str, int] | None] = field(default_factory=dict)
    _hops: set[str] = field(default_factory=set)

    def take(self, number: int, line: str) -> bool:
        """Read one cleaned line; whether it was one of NCCL's."""
        at = line.find("NCCL ")
        if at < 0:
            return False
        level, _, text = line[at + 5 :].partition(" ")
        if level == "version" and self.version is None and (found := _VERSION.search(line)):
            self.version = found.group(1)
            return True
        head = self.head(line[:at])
        if head is None or level not in ("INFO", "WARN", "TRACE"):
            return level == "version"
        self.counted.clear()
        self.alike, self.plain = level == "INFO", True
        self._count(self.kinds, level)
        host, device = head
        self._said(number, host, device, level, text.lstrip())
        return True

    @property
    def started(self) -> bool:
        """Whether the start of a job is among the lines."""
        return bool(self.ranks or self.bootstrap or self.networks)

    def given(self, number: int, line: str) -> None:
        """What a line that is not NCCL's sets for it."""
        if _GIVEN.search(line):
            for name, value in _VALUE.findall(line):
                self._set(number, name, value)
                self.by_command.add(name)
        if line.startswith("#") or _MEANT.search(line):
            self.by_comment |= {name for name, _ in _VALUE.findall(line)}

    def head(self, before: str) -> tuple[str, int] | None:
        """Host and GPU from ``host:pid:tid [gpu]``; the same few begin every line. Those of processes that are new have
        ``joined``."""
        known = self._heads.get(before)
        if known is None and before not in self._heads:
            found = _HEAD.search(before)
            known = (found[1], int(found[2])) if found else None
            if len(self._heads) < _HEADS:
                self._heads[before] = known
            if known and len(self.joined) < _HOSTS:
                self.joined.add(known[0])
            if known and known[1] >= 0 and len(self.devices_per_host) < _HOSTS:
                self.devices_per_host[known[0]].add(known[1])
        return known

    def _said(self, number: int, host: str, device: int, level: str, text: str) -> None:
        word = text.partition(" ")[0]
        if (level == "WARN" and "NET/IB" in text) or "net_ib.cc" in text:
            self.verbs = True
        self.roce_gids = self.roce_gids or ("::ffff:" in text and "gid ::ffff:" in text.lower())
        if level == "TRACE" or "opCount" in text:
            self.trace_line = self.trace_line if self.calls else number
            self._count(self.calls, level)
            self.alike = False
            self.tracing = self.tracing or level == "TRACE"
        elif word == "+" and text.startswith("+ NVL["):
            self.linked = True
        elif word == "+" and (lanes := _LANES.match(text)) and len(self.lanes) < _HOSTS:
            self.lanes[host, lanes[2]], self.plain = (float(lanes[1]), number), False
        elif word == "+" and (link := _NET.match(text)) and len(self.links) < _HOSTS:
            self.links[host, int(link[2])], self.plain = (8 * float(link[1]), number), False
        elif " via " in text:
            self.plain = False
            self._channel(number, host, device, text)
        elif word == "NCCL" and self.version is None and (found := _VERSION.match(text)):
            self.version = found.group(1)
        elif word in _ROUTINE:
            if word == "Channel" and (many := _MANY.match(text)):
                self.ways = max(self.ways, int(many[2]))
            self.nvls = self.nvls or text.startswith(("NVLS Head", "NVLS comm"))
            self.nvls_there = self.nvls_there or text.startswith("NVLS multicast support is available")
        else:
            self.plain = self.plain and ("Got completion" in text or not one_in(text, _TOLD))
            self._network(number, host, text)
            self._surroundings(number, host, text)

    def _network(self, number: int, host: str, text: str) -> None:
        if "Using network " in text:
            if not self.networks:
                self.network_line = number
            name = text.partition("Using network ")[2].strip()
            self._count(self.networks, name)
            if len(self.network_of) < _HOSTS:
                self.network_of.setdefault(host, (name, number))
        if "NET/" in text:
            self._adapters(number, host, text)
            self.other_network = self.other_network or _OTHERS.search(text) is not None
            if not self.socket_interfaces and text.startswith("NET/Socket"):
                self.socket_interfaces = tuple(_INTERFACE.findall(text))
        if "rovider" in text and (found := _PROVIDER.search(text)):
            self._count(self.providers, found.group(1))
            if (nics := _FOUND.search(text)) and len(self.nics_found) < _HOSTS:
                self.nics_found.setdefault(host, (int(nics[1]), number))
        if "platform" in text and "NET/OFI" in text:
            self.machine = self.machine or (found[1] if (found := _MACHINE.search(text)) else "")
            if ("AWS" in text or "Running on P" in text) and "ould not" not in text:
                self._count(self.providers, "efa")  # a platform of AWS means EFA
        if "GPU Direct RDMA" in text and (found := _GDR.search(text)):
            self.gdr_lines.setdefault(found.group(1), number)
            if found.group(1) == "Disabled" and ("distance" in found.group(2) or not self.gdr_reason):
                self.gdr_reason = found.group(2)

    def _adapters(self, number: int, host: str, text: str) -> None:
        if text.startswith(("NET/IB", "NET/gIB", "NET/GIB", "NET/UCX")):
            listed = _devices_in(text.partition(";")[0])
            # a list in a form that is not known says no more than that there is one
            if "Using " in text and (listed or not _LISTED.search(text.partition(";")[0])):
                if self.device_list is None or len(listed) > len(self.device_list):
                    self.device_list, self.device_line = listed, number
                if len(self.listed) < _HOSTS and len(listed) > len(self.listed.get(host, ([],))[0]):
                    self.listed[host] = (listed, number)
                self.last_listed = tuple(name for name, _ in listed)
            elif len(self.adapters) < 4096:
                self.adapters.update(dict(listed))
            self.alike = "speed=" not in text
            if (made := _MADE.search(text)) and len(self.speeds) < _HOSTS:
                self.speeds[host, made[1]] = (int(made[2]) / 1e3, number)
            if listed and (speed := _SPEED.search(text)) and len(self.speeds) < _HOSTS:
                self.speeds[host, listed[0][0]] = (int(speed[1]) / 1e3, number)
        if " mtu " in text and (path := _PATH_MTU.search(text)) and len(self.packets) < _HOSTS:
            size = 128 << int(path[1])
            if size < self.packets.get(host, (1 << 20, 0))[0]:
                self.packets[host] = (size, number)

    def _channel(self, number: int, host: str, device: int, text: str) -> None:
        at = text.index(" via ") + 1
        if found := _VIA.match(text, at):
            kind, network, nic, suffix = found.groups()
            direct = "/GDRDMA" in suffix
            if kind == "COLLNET":
                self.summed = True
                return
            self._count(self.channels, (network, direct))
            self.channel_hosts[direct].add(host)
            self.channel_line.setdefault(direct, number)
            self.nics_used[host].add(int(nic))
            self.gpus_on_nets[host].add(device)
        elif found := _LOCAL.match(text, at):
            kind = "SHM" if found.group(1) != "P2P" else "P2P"
            self._count(self.local, kind)
            self.local_line.setdefault(kind, number)
        self.between(text[text.find(" : ") + 1 : at])

    def between(self, between: str) -> None:
        """The two ranks that a channel joins, which are the same on every channel."""
        if between in self._hops:
            return
        if len(self._hops) < _HOSTS:
            self._hops.add(between)
        if hop := _HOP.search(between):
            self.ranks = max(self.ranks, int(hop[1]) + 1, int(hop[3]) + 1)
            self._placed(int(hop[1]), hop[2])
            self._placed(int(hop[3]), hop[4])

    def _surroundings(self, number: int, host: str, text: str) -> None:
        if "anks " in text:
            self._ranks(text)
        if " set " in text and (found := _SET.search(text)):
            self._set(number, found.group(1), found.group(2).rstrip("."))
            if host and len(on := self.set_on.setdefault(found.group(1), {})) < _HOSTS:
                on.setdefault(found.group(2).rstrip("."), host)
            if found.group(1) == "NCCL_HOSTID" and len(self.host_ids) < _HEADS:
                self.host_ids.setdefault(found.group(2).rstrip("."), {}).setdefault(host, number)
        if "MNNVL" in text:
            self.rack = self.rack or _CLIQUE.search(text) is not None
            if (fabric := _FABRIC.search(text)) and len(self.fabric) < _HOSTS:
                cluster = "" if _NONE.issuperset(fabric[1]) else f"{fabric[1]} {fabric[2]}"
                self.fabric.setdefault(host, (cluster, int(fabric[3]), number))
        if "Bootstrap" in text and (found := _BOOTSTRAP.search(text)) and len(self.bootstrap) < _HOSTS:
            self.bootstrap.setdefault(host, (number, f"{found.group(1)}:{found.group(2)}"))
        if "nvls" in text and (found := _NVLS.search(text)) and int(found.group(1)) > 0:
            self.nvls = True
        if "coll channels" in text and (many := _MANY.match(text)):
            self.ways = max(self.ways, int(many[1]))

    def _ranks(self, text: str) -> None:
        if found := _RANK.search(text):
            self.ranks_printing.add(min(int(found.group(1)), _HOSTS))
            self._placed(int(found.group(1)), gpu[1] if (gpu := _GPU_OF_RANK.search(text)) else "")
        if found := _RANKS.search(text):
            self.ranks = max(self.ranks, int(found.group(1)))
        if found := _NODES.search(text):
            self.nodes_said = max(self.nodes_said or 0, int(found.group(1)))
        self.rack = self.rack or "MNNVL 1" in text
        self.rack_used = self.rack_used or "MNNVL 1" in text
        self.rack_unused = self.rack_unused or "MNNVL 0" in text
        if found := _LOCAL_RANKS.search(text):
            self.local_ranks = max(self.local_ranks, int(found.group(1)))

    def _set(self, number: int, name: str, value: str) -> None:
        if self.settings.setdefault(name, (number, value))[1] != value:
            self.varied.add(name)

    def _placed(self, rank: int, gpu: str) -> None:
        """A rank and its GPU's number, where it is that and no address on the bus."""
        if len(gpu) in (1, 2) and gpu.isdecimal():
            self.first_ranks = gcd(self.first_ranks, rank - int(gpu))
            self.last_gpu = max(self.last_gpu, int(gpu))

    def _count(self, counter: Counter[Any], what: Hashable) -> None:
        counter[what] += 1
        self.counted.append((counter, what))

    @property
    def traced(self) -> int:
        """How many lines tell of a call."""
        return self.calls.total()

    @property
    def lines(self) -> int:
        """How many lines were NCCL's."""
        return self.kinds.total()

    @property
    def per_host(self) -> int:
        """Ranks of a host, where they fill hosts in the order of their GPUs; 0 where the log does not tell, as where
        each rank sees one GPU, or ranks are those of several groups."""
        if not self.first_ranks and self.last_gpu + 1 == self.ranks:
            return self.ranks
        told = self.first_ranks > self.last_gpu > 0 and (self.first_ranks <= 8 or self.last_gpu >= 8)
        return self.first_ranks if told else 0

    @property
    def nodes(self) -> int | None:
        """Nodes: one where all ranks print from it; as said, else ranks ÷ those of a host, else the hosts that printed
        or ranks ÷ the GPUs of the fullest host, as their numbers go; ``None`` from one rank's lines."""
        alone = len(self.devices_per_host) == 1 and 1 < self.ranks == len(self.ranks_printing)
        if alone and not (self.nodes_said or self.channels):  # hosts may have one name
            return 1
        if self.nodes_said or self.per_host > 1:
            return self.nodes_said or -(-self.ranks // self.per_host)
        hosts, per_host = len(self.devices_per_host), max(map(len, self.devices_per_host.values()), default=0)
        if hosts == 1 and per_host > 1 and per_host < self.ranks:
            inside = self.local and self.ranks <= max(_GPUS_OF_SERVERS, self.last_gpu + 1)
            return 1 if inside and not self.channels else None
        if hosts <= 1 and (per_host <= 1 or not self.ranks):
            return None
        numbered = max((max(its) + 1 for its in self.devices_per_host.values()), default=0)
        return max(hosts, -(-self.ranks // max(per_host, numbered)) if per_host > 1 else 1)

    @property
    def one_of_many(self) -> bool:
        """Whether the lines are those of one rank of a job that has more."""
        printing = sum(map(len, self.devices_per_host.values()))
        return bool(self.lines) and self.ranks > 1 and printing <= 1 and len(self.ranks_printing) <= 1

    @property
    def network(self) -> str | None:
        """The network of the channels between hosts, else the one named by ``Using network``."""
        if self.channels:
            return Counter({name: count for (name, _), count in self.channels.items()}).most_common(1)[0][0]
        return self.networks.most_common(1)[0][0] if self.networks else None

    @property
    def adapter_rate(self) -> float | None:
        """Bytes per second of most of the adapters, where their lines or another tool's say it."""
        rates = Counter(rate for rate, _ in self.speeds.values())
        return rates.most_common(1)[0][0] * 1e9 / 8 if rates else self.port_rate or None

    @property
    def adapter_kinds(self) -> Counter[str]:
        """IB or RoCE, as the adapters are listed."""
        listed = self.device_list or list(self.adapters.items())
        return Counter(kind.lower() for _, kind in listed)

    @property
    def sums_off(self) -> int:
        """The line where a setting leaves the sums of the NVLink switch out, rings where somebody says that they are
        meant; 0 where none does."""
        (line, value), (at, algorithm) = (
            self.settings.get(name, (0, "")) for name in ("NCCL_NVLS_ENABLE", "NCCL_ALGO")
        )
        rings = algorithm.lower() == "ring" and "NCCL_ALGO" in self.by_comment - self.varied
        return line if value == "0" else at if rings else 0

    @property
    def meaning(self) -> dict[str, Any]:
        """What the name of the network in use means, as ``knowledge/nccl/networks.yaml`` has it; empty without one."""
        return meaning_of(self.network or "")

    @property
    def transport(self) -> LogTransport | None:
        """The contract's word for the network in use, or ``None``."""
        name, meant = (self.network or "").lower(), self.meaning
        if not name and self.verbs:
            return "roce" if self.roce_gids else "infiniband"
        if not name and self.device_list and not self.providers:
            return "roce" if self.adapter_kinds.most_common(1)[0][0] == "roce" else "infiniband"
        if not name and self.providers:
            return "efa" if self.providers["efa"] else "slingshot"
        asks = meant.get("asks")
        if asks == "verbs":
            kinds = self.adapter_kinds.most_common(1)
            return "roce" if (kinds[0][0] == "roce" if kinds else self.roce_gids) else "infiniband"
        if asks == "libfabric":
            provider = self.providers.most_common(1)[0][0] if self.providers else ""
            return "efa" if provider == "efa" else "slingshot" if provider == "cxi" else "unknown"
        return meant.get("transport")

    @property
    def by_plugin(self) -> bool:
        """Whether a plugin carries the data, on which what is set for NCCL's own transport has no effect."""
        return self.transport in ("efa", "slingshot", "gib", "tcpx", "tcpxo") or "ibext" in (self.network or "").lower()

    @property
    def without_gpudirect(self) -> list[str]:
        """The hosts with a channel that does not read GPU memory directly, where others have none such; empty where all
        hosts are alike."""
        without, with_ = self.channel_hosts.get(False, set[str]()), self.channel_hosts.get(True, set[str]())
        return sorted(without) if with_ - without else []

    @property
    def gpudirect(self) -> bool | None:
        """Whether every channel between hosts reads GPU memory directly; ``None`` where the question has no meaning."""
        if self.transport in (None, "tcp-socket"):
            return None
        if self.channels:
            # TCPX's older plugins do not say it.
            return all(direct for _, direct in self.channels) or (None if "tcpx" in self.transport else False)
        return False if "Disabled" in self.gdr_lines and "Enabled" not in self.gdr_lines else None
