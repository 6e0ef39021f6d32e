"""What other tools say beside NCCL's lines, of which host and device: rates, packet sizes, ports that are down, GPUs
that are too hot. The patterns are ``knowledge/nccl/tools.yaml``."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict

from assistant.vocabulary.answers import LogTransport

from .columns import meaning_of
from .copies import HEADS, Copies
from .matrix import Matrix
from .signatures import Pattern, one_in, read
from .telling import PROMPT

_PREFIX = re.compile(r"^([A-Za-z][\w.-]{0,62}\d[\w.-]{0,62}): ")  # as pdsh and clush put it before every line
_MHZ = re.compile(r"(\d{2,5})(?: MHz)?\Z")
_COUNT = re.compile(r"(\d{1,9})(?:\.\d{1,3})?(?: MiB| W| %)?\Z")
_ASKED = re.compile(r"--query-gpu=([\w.,]{1,2000})")
_REASONS = re.compile(r"0x[0-9a-f]{1,16}\Z", re.I)
# Bits of nvidia-smi's clocks_event_reasons.active (NVML's nvmlClocksEventReason…): slowed down by hardware, by software
# for heat, by hardware for heat; by the power brake.
_HOT, _BRAKE = 0x8 | 0x20 | 0x40, 0x80
_MOST = 100_000
_AFTER = 1000  # lines behind the last of a table of neighbours in which there may be more
_COUNTED = re.compile(r"\{\d{0,9}(?:,\d{0,9})?\}")  # how often something is repeated
_AT_WORK = 50  # per cent: an idle GPU lowers the speed of its link by design
_PROMPT = 160  # characters in which a prompt ends
# Files of rates that a command prints one after the other: cat /sys/class/net/{eth0,eth1}/speed, rdma{0..7}.
_FILES = re.compile(r"/sys/class/net/([\w.-]{0,32})(?:\{([\w.,-]{1,400})\})?([\w.-]{0,32})/speed(?![\w:])")
_RANGE = re.compile(r"(\d{1,3})\.\.(\d{1,3})\Z")
_GPU, _ASIDE = "GPU", "-"  # how names of GPUs begin; the name of what carries no data between them
_SOME = re.compile(r"[1-9]\d?\Z")  # adapters, where they are counted
_MB_S = re.compile(r"\d{4,7}\Z")


class _Value(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    what: Literal["rate", "mtu", "down", "hot", "tcp", "switch", "ping", "loss", "cpus", "periods", "throttled", "busy",
                  "lanes", "most_lanes", "limit", "usual_limit", "memory", "netdev", "layer", "reasons",
                  "counter"]  # fmt: skip
    has: tuple[str, ...]
    pattern: Pattern
    factor: float = 1.0
    named: dict[str, float] = {}

    @property
    def asks(self) -> bool:
        """Whether the pattern asks for a certain number."""
        return re.search(r"[0-9]", _COUNTED.sub("", self.pattern.pattern)) is not None

    def number(self, said: str) -> float:
        """What was said, in the unit of ``what``."""
        return self.named[said.upper()] if said.upper() in self.named else float(said.rstrip("Gg")) * self.factor


class _Crowded(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    what: Literal["uplinks", "repeats"]
    has: tuple[str, ...]
    pattern: Pattern
    number: Pattern
    apart: float
    least: float | None = None
    most: float | None = None


class _Known(BaseModel):
    hosts: list[Pattern]
    opens: list[str]
    devices: list[Pattern]
    values: list[_Value]
    crowded: list[_Crowded]
    neighbours: Pattern
    neighbour: Pattern
    queried: dict[str, Pattern]
    queries: tuple[str, ...]
    bus_asked: Pattern
    bus_counted: Pattern
    bus_card: Pattern
    front: Pattern
    back: Pattern


@lru_cache(maxsize=1)
def _known() -> _Known:
    return _Known.model_validate(read("tools"))


@lru_cache(maxsize=2)
def _telling(what: Literal["values", "devices"]) -> tuple[str, ...]:
    """The words of which one is in every line that has a value, or that opens the lines of a device."""
    known = _known()
    values = {word for each in [*known.values, *known.crowded] for word in each.has}
    return tuple(sorted(values if what == "values" else known.opens))


@lru_cache(maxsize=1)
def _by_word() -> list[tuple[str, int]]:
    """Each word of the values and the bits of those that it may mean, by their place in the file."""
    bits = defaultdict[str, int](int)
    for at, each in enumerate(_known().values):
        for word in each.has:
            bits[word] |= 1 << at
    return list(bits.items())


def words() -> tuple[str, ...]:
    """In small letters: one is in every line that is read here, but for those that :attr:`Tools.under_way` is of."""
    return (
        *_telling("values"),
        *_telling("devices"),
        *_known().queries,
        "lldp",
        "affinity",
        "gpu0 gpu1",
        *HEADS,
        "lspci",
        PROMPT,
    )


@dataclass
class Tools:
    """The readings of a log, by host (empty where it is not said) and device; lines are numbers in the file."""

    rates: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)  # Gb/s
    mtus: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)  # bytes
    unequal: tuple[str, float, float, int] | None = None  # one device whose packets differ where no host is named
    down: dict[tuple[str, str], int] = field(default_factory=dict)
    hot: dict[tuple[str, str], int] = field(default_factory=dict)  # GPUs
    braked: dict[tuple[str, str], int] = field(default_factory=dict)  # GPUs, by their power supply
    busy: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)  # GPUs: a process that is no test
    capped: dict[tuple[str, str], int] = field(default_factory=dict)  # GPUs, by their limit of power
    switches: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)  # at the other end of a cable
    pings: dict[float, tuple[float, int]] = field(default_factory=dict)  # bytes that may not be cut → loss in per cent
    counters: dict[str, dict[tuple[str, str], tuple[float, int]]] = field(default_factory=lambda: defaultdict(dict))
    cpu: dict[str, dict[str, tuple[float, int]]] = field(default_factory=dict)  # by host: CPUs, periods and those ended
    uneven: dict[str, tuple[list[float], int]] = field(default_factory=dict)  # what is crowded, or repeats
    tcp: float = 0.0  # Gb/s, of a test of TCP
    clocks: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)  # MHz, by GPU
    lanes: dict[tuple[str, str], tuple[float, float, int]] = field(default_factory=dict)  # of PCIe: in use, there
    widths: dict[tuple[str, str], tuple[float, int]] = field(
        default_factory=dict
    )  # lanes in use, where no more is said
    gens: dict[tuple[str, str], tuple[int, int, int]] = field(default_factory=dict)  # PCIe of GPUs at work: now, most
    memory: dict[tuple[str, str], tuple[float, int]] = field(default_factory=dict)  # MiB in use, by GPU
    uncorrected: dict[tuple[str, str], int] = field(default_factory=dict)  # GPUs with errors of memory
    matrix: Matrix = field(default_factory=Matrix)
    copies: Copies = field(default_factory=Copies)
    cards: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))  # by host: RDMA adapters on its bus
    _asked_bus: bool = False  # the next line is what a command prints that looks for them
    _counted_bus: bool = False  # and that is how many there are
    _no_card: bool = False
    aside: set[int] = field(default_factory=set)  # lines of lowered links of what carries no data between GPUs
    at_work: set[tuple[str, str]] = field(default_factory=set)  # GPUs, as what prints their memory says too
    limits: dict[tuple[str, str], tuple[float, float, int]] = field(default_factory=dict)  # W, by GPU: set, by default
    netdevs: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)  # of adapters: their interfaces
    layers: dict[tuple[str, str], tuple[str, int]] = field(default_factory=dict)  # of adapters: InfiniBand or Ethernet
    _files: deque[str] = field(default_factory=deque)  # interfaces of which the next lines are the rates
    _most_lanes: float = 0.0
    _limit: float = 0.0
    _ping: float = 0.0
    told: bool = False  # whether the last line said something by its numbers, or may have
    kept: Literal["", "device", "counter", "other"] = ""  # what of it was kept: which it is of, or more
    placed: tuple[str, str] = ("", "")  # the host, where the line names it itself, and device of the last that told it
    _neighbours: int = 0  # lines in which more of a table of neighbours may stand
    _host: str = ""
    _devices: dict[str, str] = field(default_factory=dict)  # by host: of which the lines are
    _columns: dict[str, list[int]] = field(default_factory=dict)

    @property
    def under_way(self) -> bool:
        """Whether the next line may be a row of a table, whatever its words."""
        return self._neighbours > 0 or bool(self._columns or self._files) or self._pairs_under_way or self._asked_bus

    @property
    def _pairs_under_way(self) -> bool:
        return self.matrix.under_way or self.copies.under_way

    @property
    def _named(self) -> dict[str, dict[tuple[str, str], tuple[str, int]]]:
        """What is kept as a word of a place, by what it is."""
        return {"switch": self.switches, "busy": self.busy, "netdev": self.netdevs, "layer": self.layers}

    @property
    def without_rdma(self) -> bool:
        """Whether somebody looked for RDMA adapters on the bus of a host, and there were none."""
        return self._no_card and not any(self.cards.values())

    @property
    def adapters_there(self) -> int:
        """How many adapters a node has, as its bus or the matrix of its topology shows; 0 where neither is printed."""
        return max(map(len, self.cards.values()), default=0) or self.matrix.adapters

    @property
    def adapter_rates(self) -> dict[tuple[str, str], tuple[float, int]]:
        """Gb/s and line by host and adapter: what is printed of its interface is said of the adapter, where it is known
        whose that is."""
        adapters = {(host, netdev): name for (host, name), (netdev, _) in self.netdevs.items()}
        return {(host, adapters.get((host, name), name)): rate for (host, name), rate in self.rates.items()}

    @property
    def place(self) -> tuple[str, str]:
        """The host and the device of which the next lines are."""
        return self._host, self._devices.get(self._host, "")

    def stand(self, host: str, device: str) -> None:
        """The next lines are of this host, that of the last lines where it is empty, and device."""
        self._host = host or self._host
        self._devices[self._host] = device

    def again(self, placed: tuple[str, str]) -> None:
        """A line came that says the same of a device as one before."""
        self._devices[placed[0] or self._host] = placed[1]

    def take(self, number: int, line: str) -> None:
        """Read one cleaned line that is not NCCL's."""
        self.kept = ""
        if not line:
            return
        small, table = line.lower(), False
        self.told = False
        self._place(line, small)
        if self._asked_bus or "lspci" in small:
            self._on_the_bus(line)
        if self._files or "/speed" in small:
            self._filed(number, line)
            self.kept = "other"
        if self.matrix.under_way or "ffinity" in line or line.startswith("GPU0"):
            self.matrix.take(number, line)
            table = True
        if (self.copies.under_way or one_in(small, HEADS)) and self.copies.take(number, line):
            table = True
        if self._columns or one_in(small, _known().queries):
            self._row(number, line)
            table = True
        self._neighbours = _AFTER if "lldp" in small else max(0, self._neighbours - 1)
        self.told = self.told or table or self._neighbours > 0
        self.kept = "other" if table or self._neighbours > 0 or self._asked_bus else self.kept
        if self._neighbours and (row := _known().neighbours.search(line)):
            self._neighbours = _AFTER
            for found in _known().neighbour.finditer(line):
                if len(self.switches) < _MOST:
                    self.switches.setdefault((row["host"], found["device"]), (found["value"], number))
        if one_in(small, _telling("values")):
            self._values(number, line, small)

    def taken_by_others(self) -> None:
        """A line of NCCL's or of a table came: what was asked of the bus is answered by nothing."""
        if self._asked_bus:
            self._asked_bus, self._no_card = False, self._no_card or not self.cards[self._host]

    def _on_the_bus(self, line: str) -> None:
        """A command that looks for RDMA adapters on the bus, and what it prints: one in each line, or how many."""
        known, before = _known(), self._asked_bus
        self._asked_bus = known.bus_asked.search(line) is not None
        if self._asked_bus or not before:
            self._no_card = self._no_card or before
            self._counted_bus = known.bus_counted.search(line) is not None
        elif card := known.bus_card.match(line):
            self.cards[self._host].add(card["slot"])
            self._asked_bus = True
        elif self._counted_bus and _SOME.match(line):
            self.cards[self._host] |= {str(n) for n in range(int(line))}
        elif not self.cards[self._host]:
            self._no_card = True
        self.told = self.told or before or self._asked_bus

    def _filed(self, number: int, line: str) -> None:
        """The command that prints files of rates, and what it prints."""
        if files := _FILES.findall(line):
            self._files, self.told = deque(name for each in files for name in _expanded(*each)), True
        elif self._files and _MB_S.match(line):
            if len(self.rates) < _MOST:
                self.rates.setdefault((self._host, self._files.popleft()), (int(line) / 1000, number))
            self.told = True
        else:
            self._files.clear()

    def _place(self, line: str, small: str) -> None:
        """On which host the next lines were printed, and of which device they are."""
        if line[0] in "[=#*-" or one_in(line[:_PROMPT], ("$", "#", ">", "%")):
            for pattern in _known().hosts:
                if found := pattern.search(line):
                    self._host, self.told, self.kept = found["host"].split(".")[0], True, "other"
                    self._devices.pop(self._host, None)
                    break
        if one_in(small, _telling("devices")):
            for pattern in _known().devices:
                if (found := pattern.search(line)) and len(self._devices) < _MOST:
                    (kind, name), self.told = next(iter(found.groupdict().items())), True
                    host, device = self._host_of(line), {"gpu": f"{_GPU} {name}", "aside": _ASIDE}.get(kind, name)
                    self._devices[host], self.kept = device, self.kept or "device"
                    self.placed = "" if host == self._host else host, device
                    return

    def _host_of(self, line: str) -> str:
        """The host that a line is of: that before it, else that of the last prompt or headline."""
        return before[1].split(".")[0] if (before := _PREFIX.match(line)) else self._host

    def _values(self, number: int, line: str, small: str) -> None:
        host, bits = self._host_of(line), 0
        for word, its in _by_word():
            if word in small:
                bits |= its
        while bits:
            each = _known().values[(bits & -bits).bit_length() - 1]
            bits &= bits - 1
            self.told = self.told or each.asks
            said = False
            for found in each.pattern.finditer(line):  # several devices may stand in a line
                said = self.told = True
                named = found.groupdict()
                device = named.get("device") or self._devices.get(host, "")
                if each.what == "counter":
                    self.kept = "counter" if self.kept in ("", "device") else self.kept
                    self._count(named["counter"], (host, device), found["value"], number)
                    continue
                place, self.kept = (named.get("host") or host, device), "other"
                if named.get("layer"):
                    self.layers.setdefault(place, (named["layer"], number))
                self.aside |= {number} if device == _ASIDE and "downgraded" in small else set[int]()
                self._keep(each, place, found["value"], number)
                self.at_work |= {place} if int(named.get("load") or 0) >= _AT_WORK else set[tuple[str, str]]()
            if said and each.what != "ping":  # its result may stand behind it
                return
        for each in _known().crowded:
            if one_in(small, each.has) and (found := each.pattern.search(line)):
                self.told, self.kept = True, "other"
                self._compare(each, line[found.start() if each.most else found.end() :], number)

    def _keep(self, each: _Value, place: tuple[str, str], value: str, number: int) -> None:
        if len(self.rates) + len(self.mtus) + len(self.down) + len(self.netdevs) > _MOST:
            return
        if each.what == "down":
            self.down.setdefault(place, number)
        elif each.what in ("hot", "reasons"):
            self._slowed(place, int(value, 0) if each.what == "reasons" else _HOT, number)
        elif (names := self._named.get(each.what)) is not None:
            names.setdefault(place, (value, number))
        elif each.what in ("cpus", "periods", "throttled"):
            self.cpu.setdefault(place[0], {})[each.what] = (each.number(value), number)
        elif each.what in ("tcp", "ping", "loss"):
            self._tried(each.what, each.number(value), number)
        elif each.what == "most_lanes":
            self._most_lanes = each.number(value)
        elif each.what == "lanes":
            self._of_lanes(place, each.number(value), number)
        elif each.what == "memory" and place[1]:
            self.memory.setdefault(place, (each.number(value), number))
        elif each.what == "limit":
            self._limit = each.number(value)
        elif each.what == "usual_limit" and self._limit:
            self.limits.setdefault(place, (self._limit, each.number(value), number))
            self._limit = 0.0
        elif each.what == "rate" and place[1]:
            self.rates.setdefault(place, (each.number(value), number))
        elif each.what == "mtu":
            before = self.mtus.setdefault(place, (float(value), number))
            if before[0] != float(value) and self.unequal is None and place[1]:
                self.unequal = (place[1], before[0], float(value), number)

    def _count(self, name: str, place: tuple[str, str], value: str, number: int) -> None:
        """A counter of an adapter or port, of which the last value stands."""
        meaning = meaning_of(name)
        its = self.counters[name] if meaning is not None and meaning.judged == "far" else {}
        if any(place) and (place in its or len(its) < _MOST):
            its[place] = (float(value), number)

    def _of_lanes(self, place: tuple[str, str], lanes: float, number: int) -> None:
        """How many lanes a device uses, of those that the line before says it can."""
        if place[1] == _ASIDE:
            self._most_lanes = 0.0
        elif self._most_lanes:
            self.lanes[place] = min(self.lanes.get(place, (99.0, 0.0, 0)), (lanes, self._most_lanes, number))
            self._most_lanes = 0.0
        elif place[1].upper().startswith(_GPU):  # what else is on the bus has as many as its kind needs
            self.widths.setdefault(place, (lanes, number))

    def _counted(self, gpu: tuple[str, str], said: dict[str, str], number: int) -> None:
        """What a row says of a GPU in numbers."""
        counts = {what: int(found[1]) for what, word in said.items() if (found := _COUNT.match(word))}
        if "lanes" in counts and "most_lanes" in counts:
            self.lanes[gpu] = (counts["lanes"], counts["most_lanes"], number)
        if "gen" in counts and "most_gen" in counts and counts.get("load", 0) >= _AT_WORK:
            self.gens[gpu] = (counts["gen"], counts["most_gen"], number)
        if "memory" in counts:
            self.memory[gpu] = (counts["memory"], number)
            self.at_work |= {gpu} if counts.get("load", 0) >= _AT_WORK else set[tuple[str, str]]()
        if "limit" in counts and "usual_limit" in counts:
            self.limits[gpu] = (counts["limit"], counts["usual_limit"], number)
        if counts.get("uncorrected"):
            self.uncorrected.setdefault(gpu, number)
        self._slowed(gpu, int(said["reasons"], 16) if _REASONS.match(said.get("reasons", "")) else 0, number)

    def _slowed(self, gpu: tuple[str, str], bits: int, number: int) -> None:
        """Why a GPU runs slower than it can, in NVML's bits."""
        for mask, those in ((_HOT, self.hot), (_BRAKE, self.braked)):
            if bits & mask:
                those.setdefault(gpu, number)

    def _tried(self, what: str, value: float, number: int) -> None:
        """A test of TCP or of the size of packets."""
        if what == "tcp":
            self.tcp = max(self.tcp, value)
        elif what == "ping":
            self._ping = value
        elif self._ping and len(self.pings) < _MOST:
            self.pings[self._ping], self._ping = (value, number), 0.0

    def _compare(self, each: _Crowded, text: str, number: int) -> None:
        said = [float(found) for found in each.number.findall(text)]
        low, high = min(said, default=0.0), max(said, default=0.0)
        between = each.least is None or each.most is None or (low <= each.least and high >= each.most)
        if len(said) >= 3 and high >= each.apart * low and between:
            self.uneven.setdefault(each.what, (said, number))

    def _row(self, number: int, line: str) -> None:
        """A row of ``nvidia-smi --query-gpu … --format=csv`` with columns that tell of clocks and what lowers them, of
        lanes, of memory; the command says which where it leaves the headline out."""
        asked = _ASKED.search(line) if "noheader" in line else None
        words = [word.strip() for word in (asked[1] if asked else line).split(",")]
        named = {
            what: [n for n, word in enumerate(words) if column.search(word)]
            for what, column in _known().queried.items()
        }
        if len(words) > 1 and any(named.values()):
            self._columns = {} if "--" in line and not asked else named  # the command that asks
        elif (
            self._columns
            and len(words) > max(n for its in self._columns.values() for n in its)
            and len(self.clocks) < _MOST
        ):
            gpu = self._host, words[0]
            self._counted(gpu, {what: words[its[0]] for what, its in self._columns.items() if its}, number)
            for what, those in (("hot", self.hot), ("braked", self.braked), ("capped", self.capped)):
                if any(words[n] == "Active" for n in self._columns[what]) and len(those) < _MOST:
                    those.setdefault(gpu, number)
            at = self._columns["clock"]
            if at and (clock := _MHZ.match(words[at[0]])) and len(self.clocks) < _MOST:
                self.clocks.setdefault(gpu, (float(clock[1]), number))
        else:
            self._columns = {}


def _expanded(before: str, listed: str, after: str) -> list[str]:
    """The names that a shell makes of braces, and one where there are none."""
    names = list[str]()
    for part in listed.split(","):
        span = _RANGE.match(part)
        names += [str(n) for n in range(int(span[1]), int(span[2]) + 1)] if span else [part]
    return [f"{before}{name}{after}" for name in names]


def joined_by(tools: Tools) -> LogTransport | None:
    """What joins the GPUs of a host, by the matrix of its topology or by how fast they copy to each other; ``None``
    where neither tells."""
    return tools.matrix.joins or ("nvlink" if tools.copies.linked else "p2p" if tools.copies.seen else None)


def of_the_front(netdevs: Iterable[str]) -> bool:
    """Whether interfaces are all named as those of the network in front, for logins and storage, mostly are."""
    return _all_named(_known().front, netdevs)


def of_the_back(netdevs: Iterable[str]) -> bool:
    """Whether interfaces are all named as those of the network between GPUs mostly are."""
    return _all_named(_known().back, netdevs)


def _all_named(pattern: re.Pattern[str], netdevs: Iterable[str]) -> bool:
    names = [*netdevs]
    return bool(names) and all(pattern.search(name) for name in names)
