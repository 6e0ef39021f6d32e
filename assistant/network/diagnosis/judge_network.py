"""Findings from NCCL debug lines: which network, whether GPU memory is read directly, how many adapters take part."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic import BaseModel

from assistant.network.nccl.host import within
from assistant.vocabulary.answers import DiagnosisFinding, LogTransport

from .clock import seconds_between, shown
from .collectives import Collectives
from .debug_lines import DebugLog
from .expected import CARD_WORDS, card_in, is_pcie
from .kinds import Fold
from .signatures import (
    Completion,
    Pattern,
    Signature,
    Speed,
    as_information,
    completion,
    conditions,
    explained,
    finding,
    harmless,
    judgements,
    narrowing,
    of_speed,
    one_in,
    pinned,
    places,
    read,
    signatures,
    signatures_in,
    silent,
    suspects,
)
from .steps import Steps
from .trouble import Trouble

_LOOPBACK = re.compile(r"^lo:|:127\.")
_BRIDGE = re.compile(r"^(?:docker|br-|veth|virbr|cni|flannel|cali|podman|lxcbr|vmnet|tailscale|wg)|:172\.17\.0\.")
_WARNED = re.compile(r"NCCL WARN\s*(\S.{0,159})")
_NVLINK = re.compile(r"SXM|H[128]00|B[23]00|HGX|DGX", re.I)
_DATACENTRE = re.compile(
    r"\b[AH]\d00\b|B[23]00|V100(?!-PCIE)|MI\d{3}", re.I
)  # whose machines have RDMA, whatever joins the GPUs
_RACK = re.compile(r"\bGB[23]00\b")  # GPUs whose trays NVLink joins
# NVML's nvmlGpuFabricState_t; a server without such a fabric reports 0, or is complete without a cluster.
_FABRIC_STATES = {0: "not supported", 1: "not started", 2: "in progress", 3: "completed"}
_UNDER_WAY = (1, 2)
_FABRIC_INTERFACE = re.compile(r"^(?:hsn|ib)\d")
_PEER = re.compile(r"from peer ([^\s<]{1,64})<")
_HCA = re.compile(r"\bhca (\w{1,32})")
_DISTANCE = re.compile(r"distance \d+ > \d+")
_PEERS = 1000
# Seconds, or so many times as long as from one line of a step to the next: longer is no pause to save or evaluate.
_LONG, _SEVERAL = 600.0, 5
_ALIKE = 20_000  # kinds of lines of which is remembered what they tell: 8 MB
_EVIDENCE = 200  # characters of a line that are shown
_WENT_ON = ("Init COMPLETE", "Connected all")
_BY_NUMBER = ("last enqueued", "SeqNum=")  # lines whose numbers :class:`Collectives` asks for
_GPUS_OF_SERVERS = 8
_NO_GDR = ("0", "LOC")  # of NCCL_NET_GDR_LEVEL: never
_NO_GDR_BY_DESIGN = re.compile(r"GB10|GeForce|RTX", re.I)


# Of what a line may tell, the bits of these; from SIGNATURES on those of the known failures by their place in the file.
STEP, CARD, FAILED, WENT_ON, TROUBLE, SIGNATURES = 1, 2, 4, 8, 128, 9
WORDS = {
    WENT_ON: ("init complete", "connected all"),
    STEP: ("step", "iter", "epoch", "[batch=", "tokens_per_sec:", "samples_per_sec:", "|loss:"),
    CARD: CARD_WORDS,
    FAILED: ("warn", "last enqueued", "seqnum=", "got completion", "unhandled system error"),
}


def exact() -> list[bytes]:
    """The numbers of four digits and more that patterns of known failures ask for; the domain of a bus (0000) says
    nothing."""
    patterns = [re.sub(r"\[[^\]]*\]", "", each.pattern.pattern) for each in signatures() if each.pattern]
    asked = {number for pattern in patterns for number in re.findall(r"\d{4,}", pattern) if int(number)}
    return [number.encode() for number in sorted(asked)]


# What is asked of a number of four digits and more beyond that it is one: that it has five or more, or at most so many.
_SIZED = re.compile(r"\[1-9\]\\d\{[4-9]|\\d\{(?:[4-9]\b|\d,[45]\})")


def sized() -> int:
    """The bits of the known failures of which two lines may tell differently that differ in long numbers alone."""
    places = (at for at, each in enumerate(signatures()) if each.pattern and _SIZED.search(each.pattern.pattern))
    return sum(1 << (SIGNATURES + at) for at in places)


@dataclass
class Seen:
    """A known failure, as often as a log tells of it: the first line, and what it says in the pattern's group."""

    signature: Signature
    said: str
    first: int
    evidence: str
    printed: bytes = b""  # the line as it stands in the log
    last: int = 0
    count: int = 0


class KnownLines:
    """Counts the known failure lines while a log is read; each is reported once, at its first line."""

    def __init__(self) -> None:
        self.seen: dict[str, Seen] = {}
        self.went_on = 0  # the last line that tells of a job that runs
        self._like: dict[bytes, list[Seen]] = {}
        self.steps, self.trouble = Steps(), Trouble()
        self.raw = b""  # the line that is read, as it stands in the log
        self.plain = True  # whether the last line told nothing by its numbers, as far as these readers go
        self.numbers: Callable[[int, str], bool] | None = None  # of them, who asked for its numbers alone
        self._quiet = 0  # the bits of signs that are known by now
        self.card = ""  # without NVLink, where a line names one
        self.collectives = Collectives()
        self.completions: dict[int, tuple[Completion | None, int, int]] = {}
        self.ended_at: dict[int, tuple[Counter[str], Counter[str]]] = {}  # of each status: peers, adapters
        self.nameless_failure: int | None = None
        # NCCL's warnings that nothing here explains: first line, text, how many, last line.
        self.strange: tuple[int, str, int, int] | None = None

    @property
    def ended_well(self) -> bool:
        """Whether a line says that the job came to its end as meant."""
        return self.steps.ended or "ended-well" in self.seen

    @property
    def transport(self) -> LogTransport | None:
        """The network that other lines than NCCL's name, where they name one alone; where none does, the one that a
        name is mostly of."""
        telling = [seen.signature for seen in self.seen.values() if seen.signature.transport]
        firm = [each for each in telling if not each.otherwise]
        named: set[LogTransport] = {each.transport for each in firm or telling if each.transport}
        return named.pop() if len(named) == 1 else None

    @property
    def connected(self) -> bool:
        """Whether the job connected its ranks, no request between them failed, and nothing tells that it stopped."""
        stopped = any(
            seen.signature.follows and seen.signature.severity == "error" and seen.last > self.went_on
            for seen in self.seen.values()
        )
        return bool(self.went_on) and not self.completions and not stopped

    def take(self, number: int, line: str, bits: int, like: bytes = b"") -> list[Seen]:
        """Read one cleaned line; what it counts as. ``bits``: of what it may tell, as :data:`WORDS` and the signatures
        have them; ``like``: the same for lines of which the same signatures tell, empty where it is not known."""
        self.plain, self.numbers = True, None
        if "NCCL " in line:
            if bits & WENT_ON and one_in(line, _WENT_ON):
                self.went_on = number
        elif bits & STEP and self._stepped(number, line):
            self.plain, self.numbers = False, self._stepped
        elif bits & CARD and not self.card:
            self.card, self.plain = card_in(line), False
        counted = self._counted(number, line, bits >> SIGNATURES, like) if bits >> SIGNATURES else []
        told = any(not seen.signature.sign for seen in counted)
        if bits & FAILED:
            self._failed(number, line, known=told)
        if bits & TROUBLE and not told:
            self.trouble.take(number, line)
        return counted

    def _counted(self, number: int, line: str, bits: int, like: bytes) -> list[Seen]:
        """The known failures that a line tells of, counted; of lines that are alike only the first is searched."""
        counted = self._like.get(like) if like else None
        if counted is None:
            counted = list[Seen]()
            for signature, said in signatures_in(line, bits & ~self._quiet):
                self._quiet |= signature.sign << places()[signature.code]
                seen = self.seen.setdefault(signature.code, Seen(signature, said, number, line[:_EVIDENCE], self.raw))
                counted.append(seen)
            if like and len(self._like) < _ALIKE:
                self._like[like] = counted
        for seen in counted:
            seen.last, seen.count = number, seen.count + 1
        return counted

    def alike(self, count: int, last: int, fold: Fold) -> None:
        """Count lines of one kind, of which the ``last`` is at that line."""
        if fold.went_on:
            self.went_on = max(self.went_on, last)
        if fold.strange and self.strange is not None:
            first, text, before, at = self.strange
            self.strange = (first, text, before + count, max(at, last))
        for each in fold.seen:
            each.last, each.count = max(each.last, last), each.count + count

    def again(self, number: int, bits: int, seen: tuple[Seen, ...]) -> None:
        """Count a line that is like one before."""
        if bits & WENT_ON:
            self.went_on = number
        for each in seen:
            each.last, each.count = number, each.count + 1

    def _failed(self, number: int, line: str, *, known: bool) -> None:
        self.collectives.take(number, line)
        ended = completion(line)
        self.plain = self.plain and not ended and not one_in(line, _BY_NUMBER)
        self.numbers = self._ended if ended and not one_in(line, _BY_NUMBER) else None
        if not known and not ended and "NCCL WARN" in line and not harmless(line) and (warned := _WARNED.search(line)):
            first, text, count, _ = self.strange or (number, warned[1], 0, number)
            self.strange = (first, text, count + 1, number)
        if ended:
            self._ended(number, line)
        if self.nameless_failure is None and "unhandled system error" in line:
            self.nameless_failure = number

    def _stepped(self, number: int, line: str) -> bool:
        if self.steps.take(number, line):
            self.steps.as_printed(self.raw)
            self.went_on = number
            return True
        return False

    def _ended(self, number: int, line: str) -> bool:
        """Count how a work request ended, and where; whether the line says it."""
        if ended := completion(line):
            status, meaning = ended
            _, first, count = self.completions.get(status, (meaning, number, 0))
            self.completions[status] = (meaning, first, count + 1)
            for where, counted in zip(
                (_PEER, _HCA), self.ended_at.setdefault(status, (Counter(), Counter())), strict=True
            ):
                if (named := where.search(line)) and len(counted) < _PEERS:
                    counted[named[1]] += 1
        return ended is not None

    def findings(
        self, several_hosts: bool, log: DebugLog, device: str, speed: Speed, last_row: int, moved: int
    ) -> Iterator[DiagnosisFinding]:
        """``last_row``: line of the last row of a table, 0 without one; ``moved``: of the last that moved full
        packets."""
        started = bool(log.ranks or log.bootstrap or log.networks)  # the log has the start of a job
        moved, ended = max(moved, self.steps.last), self._end(max(self.went_on, last_row), started=started)
        for seen in self.seen.values():
            signature, weighs = seen.signature, seen.signature.weighs
            went_on = self.ended_well or seen.last < max(self.went_on, last_row)
            light = (weighs == "unless-fast" and speed == "fine") or (
                (went_on and weighs == "unless-it-went-on")
                or (signature.at_the_end and (self.ended_well or seen.last < self.steps.last))
                or any(code in self.seen and self.seen[code].last > seen.last for code in signature.over)
                or (ended and seen.first > ended[0] and (signature.follows or {*signature.waited} & ended[1]))
                or (weighs == "where-rdma-may-be" and (sockets_are_all(log, device) or "ethernet-only" in self.seen))
            )
            passed = signature.at_the_end and signature.severity == "info" and seen.last < self.steps.last
            if not signature.sign and not passed and (signature.hosts == "any" or several_hosts):
                told = self._ended_while_stepping(seen, started=started) or signature.at(
                    seen.first, seen.evidence, said=seen.said
                )
                yield _counted(as_information(told) if light else told, seen.count)
        yield from self.steps.findings()
        yield from self.collectives.findings(log.ranks)
        yield from self._explained(log, moved)
        for status, (meaning, first, count) in self.completions.items():
            if meaning and meaning.code == "retries-exhausted" and 0 < moved < first:
                meaning = judgements()["retries-exhausted-under-way"]
            told = (meaning or judgements()["completion-error"]).at(first, status=status)
            told = as_information(told) if ended and first > ended[0] else told
            yield _counted(told.model_copy(update={"message": told.message + self._one_place(status, log)}), count)
        if self.strange is not None:
            first, text, count, last = self.strange
            more = f", and {count - 1} more such" if count > 1 else ""
            told = finding("unknown-warning", first, more=more, text=text)
            behind = ended is not None and first > ended[0]
            yield as_information(told) if behind or last < max(self.went_on, last_row) else told
        if self.nameless_failure is not None and not log.lines:
            yield finding("debug-off", self.nameless_failure)

    def _end(self, ran: int, *, started: bool) -> tuple[int, set[str]] | None:
        """Where the whole job was ended by a person or the batch system, after which nothing ``ran`` (the last line of
        it) but something did before, or may have as the log has no start, and the codes of that."""
        if started and not ran:
            return None
        ends = {seen.signature.code: seen.first if seen.first > ran else seen.last
                for seen in self.seen.values() if seen.signature.ends and seen.last > ran}  # fmt: skip
        return (min(ends.values()), {*ends}) if ends else None

    def _ended_while_stepping(self, seen: Seen, *, started: bool) -> DiagnosisFinding | None:
        """Of an end of the whole job what is told where its steps went on until then, or how long before they had
        stopped; ``started``: whether the log has the start of a job, which then shows no steps."""
        ending, steps = seen.signature.while_stepping, self.steps
        if ending is None or not ending.says.search(seen.said) or steps.last > seen.first:
            return None
        told = seen.signature.at(seen.first, seen.evidence, said=seen.said)
        if steps.told < 2:  # a log that has the start of the job shows that nothing came of it; the end of one does not
            message = ending.unseen.format(said=seen.said)
            return as_information(told.model_copy(update={"message": message})) if message and not started else None
        ago = seconds_between(steps.printed[1], seen.printed)
        if ago is not None and ago > max(_LONG, _SEVERAL * steps.every):
            more = f"; its last step was {shown(ago)} before, so that it hung or did something else until then"
            return told.model_copy(update={"message": told.message + more})
        since = f", {shown(ago)} after the last one" if ago is not None else " (no line tells when the last one was)"
        message = ending.message.format(said=seen.said, since=since).replace(" ()", "")
        return as_information(told.model_copy(update={"message": message}))

    def _one_place(self, status: int, log: DebugLog) -> str:
        """The peer that all requests of a status name, and the adapter that all that failed do: that rail, then."""
        peers, adapters = self.ended_at[status][0], sum((each for _, each in self.ended_at.values()), Counter[str]())
        named = list[str]()
        if len(peers) == 1:
            (peer,) = peers
            host = next((host for host, (_, at) in log.bootstrap.items() if at.partition(":")[2] == peer), "")
            named.append(f"the peer {peer}{f' ({host})' if host else ''}")
        if len(adapters) == 1:
            named.append(f"the adapter {next(iter(adapters))}")
        return f"; {'every one' if peers.total() > 1 else 'it'} names {' and '.join(named)}" if named else ""

    def _explained(self, log: DebugLog, moved: int) -> Iterator[DiagnosisFinding]:
        for each in pinned():
            line, value = log.settings.get(each.setting, (0, ""))
            _, first, _ = self.completions.get(each.status, (None, 0, 0))
            ended = first and value not in each.usual and not 0 < moved < first
            if value and (ended or any(code in self.seen for code in each.of)):
                yield each.at(line, value=value[:40])
        yield from self._by_prefix(log)

    def _by_prefix(self, log: DebugLog) -> Iterator[DiagnosisFinding]:
        """Adapters that a setting takes though it names another one, of which theirs begins: a fault where they are of
        another network, or are those that fail."""
        line, value = log.settings.get("NCCL_IB_HCA", (0, ""))
        named, kinds = [name.partition(":")[0] for name in value.split(",")], dict(log.device_list or [])
        if value.startswith(("=", "^")):
            return
        extra = {also: name for name in named if name in kinds for also in kinds
                 if also not in named and also.startswith(name) and also[len(name):].isdigit()}  # fmt: skip
        failing = {adapter for _, adapters in self.ended_at.values() for adapter in adapters}
        if extra:
            told = finding("adapters-by-prefix", line, value=value[:80], names=", ".join([*extra][:8]))
            harm = any(kinds[also] != kinds[name] for also, name in extra.items()) or (failing and failing <= {*extra})
            yield told if harm else as_information(told)


def sockets_are_all(log: DebugLog, device: str) -> bool:
    """Whether nothing tells that the machine has more than Ethernet: sockets that fill its line; cards without NVLink
    or none that is named, no setting of RDMA, no interface or plugin of another network, no NVLink switch."""
    if log.line_filled or log.sockets_meant:
        return True
    if (device and (not is_pcie(device) or _DATACENTRE.search(device))) or log.transport not in (None, "tcp-socket"):
        return False
    if any(name.startswith("NCCL_IB_") and name != "NCCL_IB_DISABLE" for name in log.settings):
        return False
    interfaces = [*log.socket_interfaces, *(interface for _, interface in log.bootstrap.values())]
    if any(_FABRIC_INTERFACE.search(interface) for interface in interfaces):
        return False
    return bool(device) or not (log.nvls_there or log.nvls or log.other_network or _whole_node(log))


def _whole_node(log: DebugLog) -> bool:
    """Whether a host has as many GPUs as machines that are built with RDMA."""
    per_host = max(map(len, log.devices_per_host.values()), default=0)
    return max(log.local_ranks, per_host, log.per_host) >= _GPUS_OF_SERVERS or any(
        _DATACENTRE.search(h) for h in log.devices_per_host
    )


def without_harm(
    found: list[DiagnosisFinding], known: KnownLines, speed: Speed, last_row: int
) -> list[DiagnosisFinding]:
    """What could do harm is information in a log that shows none: the job stepped or measured after it, or came to its
    end, at no lower speed than expected, and nothing else is wrong. What costs speed alone is so in any log of tables
    as fast as expected, wherever it stands there. ``last_row``: line of the last row of a table that moved full
    packets, 0 without one."""
    alarms = {each.code for each in found if each.severity != "info"}
    if speed in ("slow", "short") or alarms - suspects().keys() - conditions() - of_speed():
        return found
    worked = max(known.steps.last, last_row)

    def did_none(each: DiagnosisFinding) -> bool:
        if each.code in of_speed():
            return speed == "fine"
        last = max(each.line or 0, known.seen[each.code].last if each.code in known.seen else 0)
        return known.ended_well or last < worked or (each.severity == "warning" and speed == "fine")

    could = conditions() | of_speed()
    return [as_information(each) if each.code in could and did_none(each) else each for each in found]


def beside_others(found: list[DiagnosisFinding], speed: Speed, *, ran: bool) -> list[DiagnosisFinding]:
    """What harms in some runs only is information while nothing else is wrong in a job that ``ran``; what a job got
    over weighs again where what it leads to is found."""
    alarms = {each.code for each in found if each.severity != "info"} - suspects().keys()
    alone = not ran and not alarms
    if speed == "short":
        alarms |= {code for code in narrowing() if any(each.code == code for each in found)}
    weigh = {code: alone or bool(alarms & {*beside, code} if beside else alarms) for code, beside in suspects().items()}
    found = [each if weigh.get(each.code, True) else as_information(each) for each in found]
    found = [each for each in found if each.severity != "info" or each.code not in silent()]
    causes = {
        each.code: each for each in signatures() if each.weighs == "unless-it-went-on" and alarms & {*each.beside}
    }
    return [
        each.model_copy(update={"severity": causes[each.code].severity}) if each.code in causes else each
        for each in found
    ]


def unexplained(found: list[DiagnosisFinding]) -> list[DiagnosisFinding]:
    """The findings without those that say in other words, or wrongly, what another one is the cause of."""
    alarms = {each.code for each in found if each.severity != "info"}
    return [each for each in found if not alarms & explained().get(each.code, frozenset())]


def cleaned_up(found: list[DiagnosisFinding]) -> list[DiagnosisFinding]:
    """What a launcher ends after a time-out, or after the batch system or a person ended the job, is its clean-up, told
    as information: whom others wait for was ended before."""
    waited = {each.code: frozenset(each.waited) for each in signatures() if each.waited}
    no_alarm = {each.code for each in signatures() if each.severity == "info"}  # of itself, and not as it turned out
    lines = {each.code: each.line or 0 for each in found if each.severity != "info" or each.code in no_alarm}
    return [
        as_information(each)
        if any(lines.get(code, each.line or 0) < (each.line or 0) for code in waited.get(each.code, ()))
        else each
        for each in found
    ]


def _counted(found: DiagnosisFinding, lines: int) -> DiagnosisFinding:
    return found.model_copy(update={"message": f"{found.message} ({lines} lines)"}) if lines > 1 else found


def findings(
    log: DebugLog, nodes: int | None, device: str, speed: Speed, named: frozenset[str], heard_of: bool = False
) -> Iterator[DiagnosisFinding]:
    """What the debug lines of one file say; ``speed``: of the job, as far as its tables are judged; ``named``: the
    signs of lines that are not NCCL's; ``heard_of``: other lines are of most of the ranks."""
    yield from _lines(log, speed, heard_of)
    yield from _version(log, device, speed)
    yield from _settings(log, nodes, device)
    line, value = log.settings.get("NCCL_IB_HCA", (0, ""))
    if "no-rdma-device" in named and value and not value.startswith("^") and not log.device_list:
        yield finding("adapters-filtered", line, value=value[:80])
    if nodes is not None and nodes > 1:
        yield from _rack(log, device)
        yield from _apart(log)
        yield from _bootstrap(log)
        yield from _sockets(log, device, named)
        yield from _gpudirect(log, device, named)
        yield from _sharp(log, named)
        yield from map(as_information, _adapters(log)) if speed == "fine" else _adapters(log)
    if log.local["SHM"] > log.local["P2P"]:
        joined = not _through_the_host(log, device)
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


def _rack(log: DebugLog, device: str) -> Iterator[DiagnosisFinding]:
    """NVLink between the trays of a rack that is there, or should be, and is not used. Trays of different clusters have
    none between them; a server whose switches join its own GPUs alone has no cluster and a state that is complete."""
    line, value = log.settings.get("NCCL_MNNVL_ENABLE", (0, ""))
    if log.rack_used or not log.rack_unused or not (log.fabric or value == "0"):
        return
    joined = {cluster for cluster, _, _ in log.fabric.values() if cluster}
    apart = {host: each for host, each in log.fabric.items() if not each[0]}
    if value == "0" and (joined or _RACK.search(device)):
        yield finding("rack-switched-off", line, setting="NCCL_MNNVL_ENABLE=0")
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
        yield finding("nccl-too-old", 1, version=log.version, device=device[:40], since=since)


def _settings(log: DebugLog, nodes: int | None, device: str) -> Iterator[DiagnosisFinding]:
    def said(name: str) -> tuple[int, str]:
        return log.settings.get(name, (0, ""))

    line, value = said("NCCL_IB_DISABLE")
    if value not in ("", "0") and nodes != 1 and not sockets_are_all(log, device):
        told = finding("ib-disabled", line, value=value[:20])
        yield as_information(told) if log.by_plugin else told
    line, value = said("NCCL_IB_HCA")
    if value and "," not in value and not value.startswith("^") and len(log.device_list or []) == 1:
        per_node = log.local_ranks or (log.ranks // nodes if nodes else 0)
        alone = per_node == 1 or is_pcie(device) or log.looped
        yield finding("one-adapter-is-all" if alone else "one-adapter-pinned", line, adapter=value[:40])
    for value, its in log.host_ids.items():
        if len(its) > 1:
            yield finding("same-host-id", min(its.values()), value=value[:40], hosts=" and ".join(sorted(its)[:4]))
    for name in ("NCCL_P2P_DISABLE", "NCCL_P2P_LEVEL"):
        line, value = said(name)
        if log.looped:
            yield finding("adapters-tried-in-one-node", line, setting="NCCL_P2P_DISABLE and NCCL_SHM_DISABLE")
            break
        if value and (value in ("0", "LOC")) == name.endswith("LEVEL"):
            joined = log.nvls or log.nvls_there or (device and not is_pcie(device))
            yield finding(
                "peer-to-peer-disabled" if joined else "peer-to-peer-not-there", line, setting=f"{name}={value}"
            )
    line, value = said("NCCL_NET_GDR_LEVEL")
    if value in _NO_GDR:
        told = finding("gpudirect-disabled", line)
        yield as_information(told) if _through_the_host(log, device) else told


def _through_the_host(log: DebugLog, device: str) -> bool:
    """Whether the GPUs of a node reach each other through host memory only, as cards without peer-to-peer do: nothing
    tells that adapters could reach them."""
    return log.local["SHM"] > log.local["P2P"] and not (_NVLINK.search(device) and not is_pcie(device))


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
        yield finding("sums-switched-off", log.sums_off)


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


def _sockets(log: DebugLog, device: str, named: frozenset[str]) -> Iterator[DiagnosisFinding]:
    if log.transport == "tcp-socket":
        asked = log.settings.get("NCCL_NET", (0, ""))[1].lower() == "socket"
        name = "tcp-sockets-as-asked" if asked else "tcp-sockets"
        only = "ethernet-only" in named or sockets_are_all(log, device)
        name = "tcp-sockets-are-all" if not asked and only else name
        name = "tcp-sockets-of-the-provider" if not asked and log.sockets_meant else name
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


def sockets_meant(log: DebugLog, device: str, named: frozenset[str]) -> bool:
    """Whether sockets carry the data as a provider documents it: by its plugin, or on machines that have nothing else.
    Where another network's plugin was meant to load, neither is so."""
    if log.transport != "tcp-socket" or named & {"plugin-not-loaded", "plugin-not-found"}:
        return False
    meant = log.meaning.get("meant", False) or "sockets-of-the-provider" in named
    return meant and _plugin_missing(log, device, named) is None


class _Plugin(BaseModel):
    """A network that a plugin alone reaches, and how to tell that it is there."""

    network: str
    plugin: str
    fix: str
    interfaces: Pattern | None = None
    hosts: Pattern | None = None
    settings: tuple[str, ...] = ()
    datacentre: bool = False
    named: str = ""  # the sign that other lines than NCCL's name it

    def signed(self, log: DebugLog, device: str, named: frozenset[str]) -> bool:
        """Whether the log has a sign of this network; ``named``: those of lines that are not NCCL's."""
        interfaces = [*log.socket_interfaces, *(name for _, name in log.bootstrap.values())]
        return bool(
            self.named in named
            or (self.interfaces and any(self.interfaces.search(name) for name in interfaces))
            or (self.settings and any(name.startswith(self.settings) for name in log.settings))
            or (self.hosts and any(self.hosts.search(host) for host in log.devices_per_host)
                and (not self.datacentre or _DATACENTRE.search(device)))
        )  # fmt: skip


def _plugin_missing(log: DebugLog, device: str, named: frozenset[str]) -> _Plugin | None:
    plugins = (_Plugin.model_validate(each) for each in read("plugins"))
    return next((each for each in plugins if each.signed(log, device, named)), None)


def _gpudirect(log: DebugLog, device: str, named: frozenset[str]) -> Iterator[DiagnosisFinding]:
    if log.gpudirect is not False or _NO_GDR_BY_DESIGN.search(device) or len(set(log.networks)) > 1:
        return
    without = log.meaning.get("without_gpudirect")
    if log.transport == "efa" and without and re.search(without, device):
        yield finding("no-gpudirect-of-instance", log.channel_line.get(False, 1), device=device[:40])
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
        yield finding("no-gpudirect-so-far-apart", line, said=far[0])
    elif log.settings.get("NCCL_NET_GDR_LEVEL", (0, ""))[1] in _NO_GDR and _through_the_host(log, device):
        yield as_information(finding("no-gpudirect", line))  # as it was asked for
    else:
        yield finding("no-gpudirect-without-module" if "HCA" in log.gdr_reason else "no-gpudirect", line)


def _sharp(log: DebugLog, named: frozenset[str]) -> Iterator[DiagnosisFinding]:
    """Sums in the switches that were asked for, and that no channel goes through: as the plugin's lines say, or as the
    channels between hosts show. One rank of many need not be one that speaks of them."""
    line, value = log.settings.get("NCCL_COLLNET_ENABLE", (0, ""))
    setting = f"NCCL_COLLNET_ENABLE={value}" if value == "1" else ""
    at, algorithms = log.settings.get("NCCL_ALGO", (0, ""))
    if not setting and algorithms and all(one.lower().startswith("collnet") for one in algorithms.split(",")):
        line, setting = at, f"NCCL_ALGO={algorithms[:40]}"
    refused = bool({"sharp-unavailable", "sharp-not-there"} & named)
    if setting and not log.summed and (refused or (log.channels and not log.one_of_many)):
        yield finding("sharp-not-used", line, setting=setting)


def _adapters(log: DebugLog) -> Iterator[DiagnosisFinding]:
    """Fewer adapters than GPUs that could use them. Of one rank of many, or of few GPUs of a node, nothing follows."""
    listed = len(log.device_list or [])
    if log.transport not in ("infiniband", "roce", "gib") or log.one_of_many or not log.nics_used:
        return
    host = max(log.nics_used, key=lambda name: len(log.gpus_on_nets[name]))
    used, gpus = len(log.nics_used[host]), len(log.gpus_on_nets[host])
    if 2 * used <= min(listed, gpus):
        line = min(log.channel_line.values(), default=log.device_line)
        yield finding("few-adapters-used", line, used=used, listed=listed)
