"""``weft nccl diagnose``: reads nccl-tests output and NCCL debug logs; what is wrong, how fast it is, what to change.

The questions are asked in this order: is the log what it claims, how many ranks ran, did it stop, which network,
GPUDirect, how many adapters, and only then whether it is fast enough.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache, lru_cache
from pathlib import Path
from typing import BinaryIO, cast

from assistant.vocabulary.answers import DiagnosedFile, Diagnosis, DiagnosisFinding, LogKind, LogTransport
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError

from . import causes, debug_lines, judge_network, judge_parts, judge_path, judge_tests, perf_table, trouble
from .checks import checks
from .debug_lines import DebugLog
from .expected import also_built_with, expected_busbw, gpu_named, is_pcie
from .facts import differences, tried
from .facts import words as fact_words
from .json_report import LARGEST, run_of
from .judge_network import of_sockets as of_sockets
from .judge_path import Measured
from .kinds import Counts, Fold, Kind, Kinds, asking_bits
from .perf_table import Reader, numbers_of
from .repeats import Again, Repeats
from .runs import Run, collective_of, nodes_of, ranks_of
from .signatures import Speed, any_said, as_information, finding, general, one_in, places, signatures, symptoms
from .sweeps import Sweeps
from .telling import Telling
from .text import LEAST, Piece, Prefixes, cleaned, opened, pieces_of, stream_of
from .tools import Tools
from .tools import words as tools_words

_LEAST = "NVIDIA H100 80GB HBM3"  # of the GPUs of which eight, with as many adapters, are behind a switch that adds
_AT_THE_END = re.compile(r"\d{1,3}$")
_INSIDE = ("nvlink", "xgmi", "pcie", "p2p", "shm")
# Channels that NCCL opens inside a node: 2 to 4 over PCIe, 12 over the links of four V100, 24 of eight A100.
_BY_NVLINK = 8
_CHANNELS_ASKED = {"NCCL_MIN_NCHANNELS", "NCCL_MIN_CTAS", "NCCL_MAX_NCHANNELS"}  # where it does not choose itself
PCIE = 64.0  # GB/s: the line rate of 16 lanes of PCIe 5.0, 32 GT/s each
# Of what a line may tell, the bits of these readers, beside those of judge_network.WORDS; _ANY: of none by its words.
_NCCL, _TABLE, _TOOLS, _ANY = 16, 32, 64, 256
_OTHERS = _NCCL | _TABLE | _TOOLS | _ANY  # than the readers of known lines
# Lines that are not NCCL's and whose numbers are asked for, or that change how the next ones are read, are all read.
_UNLIKE = judge_network.FAILED | judge_network.STEP | _TOOLS | _ANY
# What a line of nccl-tests' own may tell to others than the readers that count; of trouble it tells once.
_UNTABLED = judge_network.FAILED | judge_network.WENT_ON | _NCCL | _ANY
_WAYS = 50_000  # processes, and ways that their channels go, that are remembered
_SEVERITIES = {"error": 0, "warning": 1, "info": 2}


def diagnose(paths: Iterable[Path | str], catalog: Catalog) -> Diagnosis:
    """Read log files. Raises :class:`InputError` for a file that cannot be read."""
    return Diagnosis(files=[_of_file(Path(path), catalog) for path in paths])


def _of_file(path: Path, catalog: Catalog) -> DiagnosedFile:
    try:
        with opened(path) as stream:
            if stream.read(64).lstrip()[:1] == b"{":
                stream.seek(0)
                said = stream.read(LARGEST + 1)
                if len(said) <= LARGEST and (run := run_of(said)) is not None:
                    return _judged([run], Heard(), catalog, str(path))
            stream.seek(0)
            return _diagnosed(stream, catalog, str(path))
    except InputError as error:
        raise error.located(file=str(path)) from None


def diagnose_text(text: str, catalog: Catalog, path: str = "-") -> DiagnosedFile:
    """Diagnose the text of one log. Of several tables the fastest gives collective, ranks and peak; all give
    findings."""
    return _diagnosed(stream_of(text), catalog, path)


@dataclass
class Heard:
    """What is read of a log beside the tables of nccl-tests."""

    log: DebugLog = field(default_factory=DebugLog)
    known: judge_network.KnownLines = field(default_factory=judge_network.KnownLines)
    tools: Tools = field(default_factory=Tools)
    sweeps: Sweeps = field(default_factory=Sweeps)


class _Reading:
    """Which of the readers a line may tell something, and what they have of it. Of lines that are of one kind, or like
    one before but for numbers that no reader asks for, the first is read and the others are counted."""

    def __init__(self) -> None:
        self.tables, self.heard = Reader(judge_tests.of_results, judge_path.swings), Heard()
        self._telling, self._repeats, self._like = _telling(), Repeats(), b""
        self._signed = b""  # the line in which signatures are looked for, without its numbers
        self._kinds, self._prefixes = Kinds(self._telling.of), Prefixes()
        self._heads = set[bytes]()  # of lines of NCCL's: host, process and GPU, whose lines have been read
        self._ways: dict[tuple[bytes, bytes], Counts] = {}  # by head, and by what a channel goes
        self._counts: Counter[tuple[bytes, bytes]] = Counter()

    def read(self, stream: BinaryIO) -> None:
        """Read a log."""
        tools, sweeps, like_a_row = self.heard.tools, self.heard.sweeps, self.tables.like_a_row
        every, tried = False, True  # whether all lines are read; whether those are that may be of trials
        for piece in pieces_of(stream, _exact()):
            kinds = map(self._kinds.__getitem__, piece.kinds)
            for at, (raw, kind) in enumerate(zip(piece.lines, kinds, strict=True)):
                if kind.numbers and like_a_row(piece.first + at, raw, kind.numbers):
                    continue
                if not every and not (tried and kind.hint):
                    if not kind.bits:
                        continue
                    if kind.fold is not None and self._is_alike(piece, at, raw, kind):
                        continue
                elif kind.ours and kind.fold is not None and self._is_alike(piece, at, raw, kind):
                    continue
                number = piece.first + at
                if len(raw) > LEAST and (bits := self.wanted(number, raw, kind, at in piece.marked)):
                    self.take(number, cleaned(raw, self._prefixes, odd=piece.odd), bits, raw, kind)
                    every, tried = tools.under_way or sweeps.open, sweeps.under_way
        self._settle()

    def _is_alike(self, piece: Piece, at: int, raw: bytes, kind: Kind) -> bool:
        """Count a line of a kind that is known; whether it is no more than that."""
        fold, number = cast(Fold, kind.fold), piece.first + at
        if kind.ours:
            head, rest = _head_of(raw)
            if kind.way:
                at, said = _said_in(raw, kind.way, rest)
                if (head, said) not in self._ways:
                    return False
                if kind.way[1] is None:
                    self.heard.log.between(raw[raw.find(b" : ", rest) + 1 : at + 1].decode("utf-8", errors="replace"))
                self._counts[head, said] += 1
            elif head not in self._heads:
                return False
        if fold.numbers or kind.residual:
            line = cleaned(raw, self._prefixes, odd=piece.odd)
            if kind.residual and any_said(line, kind.residual):
                return False
            self.heard.known.raw = raw
            if fold.numbers and not fold.numbers(number, line):
                return False
        kind.count, kind.last = kind.count + 1, number
        return True

    def _settle(self) -> None:
        """Count what was found alike with what was read; kinds are learnt anew from here on."""
        for kind in self._kinds.values():
            if kind.fold is not None and kind.count:
                for counter, what in kind.fold.counts:
                    counter[what] += kind.count
                self.heard.known.alike(kind.count, kind.last, kind.fold)
            kind.fold, kind.count = None, 0
        for way, count in self._counts.items():
            for counter, what in self._ways[way]:
                counter[what] += count
        self._counts.clear()

    def wanted(self, number: int, line: bytes, kind: Kind, exact: bool) -> int:
        """The bits of a line; 0 where it is to be passed over. ``exact``: whether it has a number that is asked for."""
        like, bits = b"", kind.bits
        self._like = self._signed = b""
        if not bits:
            return _ANY
        if bits == _TABLE and line.lstrip()[:1].isdigit():  # mostly a row: no two are alike
            return bits
        tabled = line[:1] == b"#" and bits & _TABLE and not bits & _UNTABLED
        if not tabled and (b"NCCL INFO" in line or b"0x" in line):
            like = self._repeats.key(line)
            if not exact and (again := self._repeats.of(like)) is not None:
                self._again(number, again)
                if kind.ours and kind.fold is not None:
                    self._remember(line, kind, again.counts)
                return 0
        sized, again = exact or bits & _sized(), None
        if tabled:
            self._like = self._repeats.table_key(line)
            self._signed = self._repeats.key(line) if bits >> judge_network.SIGNATURES and not sized else b""
            again = self._repeats.of(self._like)
        elif sized:
            return bits
        else:
            like = like or self._repeats.key(line)
            if bits & (judge_network.FAILED if bits & _NCCL and b"NCCL INFO" in line else _UNLIKE):
                self._signed = like
                return bits
            self._like, again = like, self._repeats.of(like)
        if again is None or (line[:1] == b"#" and again.table is None):
            return bits
        self._again(number, again)
        return 0

    def _again(self, number: int, again: Again) -> None:
        """Count a line that is like one before."""
        for counter, what in again.counts:
            counter[what] += 1
        if not again.more:
            return
        if again.seen or again.went_on:
            self.heard.known.again(number, judge_network.WENT_ON if again.went_on else 0, again.seen)
        if again.told:
            self.heard.log.last_listed = listed = again.listed or self.heard.log.last_listed
            self.tables.heard(again.told, listed)
        if again.table is not None:
            self.tables.again(number, again.table)

    def take(self, number: int, line: str, bits: int, raw: bytes, kind: Kind) -> None:
        """Read one cleaned line."""
        heard, log, ours, went_on = self.heard, self.heard.log, bits & _NCCL, bool(bits & judge_network.WENT_ON)
        strange, before, heard.known.raw = heard.known.strange, heard.known.went_on, raw
        seen = heard.known.take(number, line, bits, self._signed) if bits & ~_OTHERS else ()
        fold = Fold((), tuple(seen))
        fold.strange, fold.went_on = heard.known.strange is not strange, heard.known.went_on != before
        fold.numbers = heard.known.numbers
        if ours and log.take(number, line):
            if log.joined:
                self.tables.joined(log.joined)
                log.joined.clear()
            listed = "Using [" in line
            fact = self.tables.listens and one_in(line, fact_words())
            told = line if listed or fact or "NCCL_" in line else ""
            if told:
                self.tables.heard(line, log.last_listed)
            counts = fold.counts = tuple(log.counted)
            if not told and kind.ours and (log.plain or kind.way):
                self._learn_ours(raw, kind, fold)
            if log.alike and self._like and not fact:  # the numbers of a fact are asked for
                of_list = log.last_listed if listed else ()
                self._repeats.keep(self._like, Again(counts, tuple(seen), told, of_list, went_on=went_on))
        elif bits & _TABLE and self._of_table(number, line):
            if bits == _TABLE and line[:1].isdigit() and kind.clean and raw.split() == line.encode().split():
                kind.numbers = numbers_of(line)
            if self._like[:1] == b"#" and heard.known.steps.last != number:
                self._repeats.keep(self._like, Again((), tuple(seen), table=self.tables.said(line), went_on=went_on))
        else:
            if ours and "NCCL_" in line:
                self.tables.heard(line, log.last_listed, given=True)
                log.given(number, line)
            tools, sweeps = bits & _TOOLS or heard.tools.under_way, heard.sweeps.under_way
            if tools:
                heard.tools.take(number, line)
            if sweeps:
                heard.sweeps.take(number, line)
            elif not (ours or tools or bits & _UNLIKE or "_perf" in line):
                self._repeats.keep(self._like, Again((), tuple(seen), went_on=went_on))
            rows = bits & _TABLE and line[:1].isdigit()
            if bits and not (ours or rows or "_perf" in line or (tools and heard.tools.told)):
                self._learn(kind, fold)

    def _learn_ours(self, raw: bytes, kind: Kind, fold: Fold) -> None:
        """What a line of NCCL's own counts, wherever its kind comes again from the same process."""
        self._remember(raw, kind, fold.counts)
        if kind.way:
            fold.counts = ()  # it is the way that tells
        self._learn(kind, fold)

    def _remember(self, raw: bytes, kind: Kind, counts: Counts) -> None:
        """From which process, and by which way, a line of NCCL's was that has been read."""
        head, rest = _head_of(raw)
        if kind.way and len(self._ways) < _WAYS:
            self._ways[head, _said_in(raw, kind.way, rest)[1]] = counts
        elif not kind.way and len(self._heads) < _WAYS:
            self._heads.add(head)

    def _learn(self, kind: Kind, fold: Fold) -> None:
        """What a line counts, for its kind where no number in it was asked for."""
        if kind.fold is not None or not kind.clean or not (self.heard.known.plain or fold.numbers):
            return
        asked = kind.bits & _asking()
        if not any(asked >> (judge_network.SIGNATURES + places()[seen.signature.code]) & 1 for seen in fold.seen):
            kind.residual = tuple(at for at in places().values() if asked >> (judge_network.SIGNATURES + at) & 1)
            kind.fold = fold

    def _of_table(self, number: int, line: str) -> bool:
        """Whether a line is one of a table; after the first of these, lines that said nothing may be."""
        before = len(self.tables.runs)
        read = self.tables.take(number, line)
        if not before and self.tables.runs:
            self._settle()
            self._repeats.forget()
        return read


def _head_of(raw: bytes) -> tuple[bytes, int]:
    """Host, process and GPU of a line of NCCL's, with what stands before them where that is not clear, and where they
    end."""
    end = raw.find(b" NCCL ")
    gpu = raw.rfind(b"[", 0, end)
    start = raw.rfind(b" ", 0, gpu - 1) + 1 if gpu > 1 and raw[gpu - 2] != 32 else 0
    return raw[start : raw.find(b"]", gpu, end)], end  # a warning names its place in the program behind it


def _said_in(raw: bytes, way: tuple[bytes, int | None], rest: int) -> tuple[int, bytes]:
    """Where the way of a line begins, and what it is."""
    at = raw.find(way[0], rest)
    return at, raw[at:] if way[1] is None else raw[at : at + way[1]]


_asking = lru_cache(maxsize=1)(lambda: asking_bits(judge_network.SIGNATURES))
_exact = lru_cache(maxsize=1)(judge_network.exact)
_sized = lru_cache(maxsize=1)(judge_network.sized)


@lru_cache(maxsize=1)
def _telling() -> Telling:
    """The words of all readers; what is learnt of the words of a log holds for the next."""
    of_readers = {**judge_network.WORDS, _NCCL: debug_lines.WORDS, _TABLE: perf_table.WORDS, _TOOLS: tools_words()}
    words = {judge_network.TROUBLE: trouble.words()}
    signed = {1 << (judge_network.SIGNATURES + at): each.words for at, each in enumerate(signatures())}
    return Telling({**of_readers, **words, **signed}, headlines=_TOOLS)


def _diagnosed(stream: BinaryIO, catalog: Catalog, path: str) -> DiagnosedFile:
    reading = _Reading()
    reading.read(stream)
    runs = [run for run in reading.tables.runs if run.rows or run.ranks_listed or run.failures or run.header_line]
    return _judged(runs, reading.heard, catalog, path)


def _judged(runs: list[Run], heard: Heard, catalog: Catalog, path: str) -> DiagnosedFile:
    log = heard.log
    best = max(runs, key=lambda run: run.peak, default=None)
    nodes, device = _nodes(best, log), next((run.device for run in runs if run.device), heard.known.card)
    if (
        not device
        and log.nvls_there
        and 8 in (log.local_ranks, log.per_host)
        and (nodes == 1 or len(log.device_list or []) >= 8)
    ):
        device = _LEAST
    log.looped = nodes == 1 and bool(log.channels) and {"NCCL_P2P_DISABLE", "NCCL_SHM_DISABLE"} <= log.by_command
    transport = _transport(log, nodes, device, best.peak if best else 0.0)
    if transport in ("unknown", "p2p"):
        named = _named_elsewhere(heard.known, log, nodes)
        transport = transport if named == "unknown" else named
    if transport in ("nvlink", "p2p") and "amd-gpus" in heard.known.seen:
        transport = "xgmi"
    log.line_filled = transport == "tcp-socket" and judge_path.line_filled(runs, device, log, heard.tools)
    log.sockets_meant = judge_network.sockets_meant(log, device, frozenset(heard.known.seen))
    found = _findings(runs, heard, nodes, device, transport, catalog)
    test = (collective_of(best), ranks_of(best)) if best else ("unknown", 0)
    expected = _expected(*test, nodes, device, transport, catalog, log, adds=log.nvls_there) if best else None
    checked, not_checked = checks(best, log, nodes, transport, expected, heard.known.steps)
    return DiagnosedFile(
        path=path,
        kind=_kind(runs, heard),
        collective=test[0],
        ranks=test[1] or log.ranks,
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


def _kind(runs: list[Run], heard: Heard) -> LogKind:
    if runs or heard.sweeps.tables:
        return "mixed" if heard.log.lines else "nccl-tests"
    return "nccl-debug" if heard.log.lines or heard.known.seen or heard.known.completions else "unknown"


def _nodes(run: Run | None, log: DebugLog) -> int | None:
    nodes = (nodes_of(run) if run is not None else None) or log.nodes
    return None if run is not None and nodes and run.rows and 0 < ranks_of(run) < nodes else nodes  # of another run


def _transport(log: DebugLog, nodes: int | None, device: str, peak: float) -> LogTransport:
    """The network between nodes; inside one node, or where no line names a network, what joins the GPUs. ``peak``: of
    the tables, in GB/s; 0 where nothing was sent between ranks."""
    if log.rack and not log.channels:
        return "nvlink"
    if log.looped:
        return log.transport or "unknown"
    alone = nodes is None and len(log.devices_per_host) == 1 and len(next(iter(log.devices_per_host.values()))) > 1
    several = log.ranks > judge_tests.LARGEST_NODE
    silent = not log.channels and log.transport in (None, "tcp-socket")
    inside = nodes is None and not several and (log.local or alone) and silent
    if nodes == 1 or inside:
        if log.local["SHM"] > log.local["P2P"]:
            return "shm"
        if is_pcie(device) and (peak or log.local) and peak <= PCIE:  # more is a bridge of NVLink between two cards
            return "pcie"
        joined = log.nvls or log.nvls_there or log.rack or log.linked or peak > PCIE
        many = log.ways >= _BY_NVLINK and not _CHANNELS_ASKED & log.settings.keys()
        if joined or (device and (peak or log.local["P2P"])) or (log.local["P2P"] and many):
            return "nvlink"
        return "p2p" if log.local["P2P"] else "unknown"
    return log.transport or "unknown"


def _named_elsewhere(known: judge_network.KnownLines, log: DebugLog, nodes: int | None) -> LogTransport:
    """The network that other lines than NCCL's name: NVLink inside a node, the others between nodes; none where NCCL
    did not find the one that it was told to use."""
    if "plugin-not-found" in known.seen and not log.channels:
        return "unknown"
    of_roce = {"NCCL_IB_TC", "NCCL_IB_GID_INDEX"} & log.settings.keys()
    named = known.transport or ("roce" if of_roce else "unknown")
    return named if nodes is None or (nodes == 1) == (named == "nvlink") else "unknown"


def _expected(
    collective: str,
    ranks: int,
    nodes: int | None,
    device: str,
    transport: str,
    catalog: Catalog,
    log: DebugLog,
    *,
    adds: bool,
) -> float | None:
    listed = len(log.device_list or [])
    if log.looped:  # how often data crosses an adapter is another thing than between nodes
        return None
    value = expected_busbw(
        collective, ranks, nodes or 0, device, transport, catalog, log.adapter_rate, listed,
        adds=adds, sums=not log.sums_off, fewer=_built_with_fewer(log, device),
    )  # fmt: skip
    return None if value is None else round(value, 2)


def _built_with_fewer(log: DebugLog, device: str) -> bool:
    """Whether every host lists as many adapters as some nodes of these GPUs have, numbered without a gap, and no
    setting chose them: nothing tells that there are more."""
    listed, names = log.device_list or [], log.by_command | log.settings.keys()
    numbered = sorted(int(number[0]) for name, _ in listed if (number := _AT_THE_END.search(name)))
    alike = all(len(each) == len(listed) for each, _ in log.listed.values())
    return (
        len(listed) in also_built_with(device)
        and alike
        and numbered == [*range(len(listed))]
        and "NCCL_IB_HCA" not in names
    )


def _in_one_node(log: DebugLog, transport: str, heard: Heard) -> bool:
    """Whether a job that says nothing of nodes is one of a single host: it connected or did its work, its GPUs alone
    speak, of as many ranks, no channel leaves it, and no option asks for more."""
    known = heard.known
    if not (known.connected or known.steps.last or "serves" in known.seen):
        return False
    speaking = [len(gpus) for gpus in log.devices_per_host.values()]
    alone = len(speaking) == 1 and speaking[0] >= max(2, log.ranks) and not log.channels and not log.rack
    return alone and transport in _INSIDE and "several-nodes" not in known.seen


def _findings(
    runs: list[Run], heard: Heard, nodes: int | None, device: str, transport: str, catalog: Catalog
) -> list[DiagnosisFinding]:
    log = heard.log
    several = nodes > 1 if nodes is not None else not _in_one_node(log, transport, heard)
    by_run = {run.line: nodes_of(run) or nodes for run in runs}
    fastest = {(collective_of(run), ranks_of(run)): run for run in sorted(runs, key=lambda run: run.peak)}.values()
    quick = {run.line for run in fastest}

    @cache  # a log may hold ten thousand tables of a few tests
    def expected_of(collective: str, ranks: int, nodes: int | None, *, adds: bool) -> float | None:
        return _expected(collective, ranks, nodes, device, transport, catalog, log, adds=adds)

    @cache
    def adapters_of(ranks: int, nodes: int | None) -> judge_tests.Adapters:
        return _adapters(log, ranks, nodes, device, catalog)

    expected = {
        run.line: expected_of(
            collective_of(run), ranks_of(run), by_run[run.line], adds=log.nvls_there and run.line in quick
        )
        for run in runs
    }
    shares = {run.line: run.peak / known for run in runs if (known := expected[run.line]) and run.rows}
    tables, beside = dict[tuple[str, str, str], tuple[DiagnosisFinding, int]](), _tried(runs, quick, shares)
    codes = set[str]()
    for run in sorted(runs, key=lambda run: shares.get(run.line, 1.0)):
        adapters = adapters_of(ranks_of(run), by_run[run.line])
        judged = judge_tests.findings(run, by_run[run.line], transport, expected[run.line], adapters)
        for each in judged:
            told = each
            if run.line in beside and each.code in judge_tests.SLOWNESS:
                told = as_information(each)
            else:
                codes.add(each.code)
            alike = collective_of(run), told.code, told.severity
            worst, count = tables.get(alike, (told, 0))
            tables[alike] = worst, count + 1
    speed = _speed([run for run in fastest if run.rows], codes, expected)
    rdma = several and transport not in ("tcp-socket", "tcpx", "tcpxo") and log.gpudirect is not False
    known = heard.known
    ran = (
        speed == "fine"
        or any(run.rows for run in runs)
        or bool(known.steps.last)
        or known.ended_well
        or "serves" in known.seen
    )
    unsteady = "numa-balancing" in heard.known.seen or any(judge_parts.throttled(heard.tools, speed))
    found = [
        *heard.known.findings(several, log, device, speed, _last(runs), _last(runs, judge_tests.MIB)),
        *judge_network.findings(log, nodes, device, speed, frozenset(known.seen), _heard_of(known, log)),
        *judge_parts.findings(runs, log, heard.tools, heard.sweeps, speed, known.connected),
        *judge_path.findings(Measured(runs, expected, by_run, rdma, transport != "infiniband", unsteady), heard.tools),
        *(_counted(*each) for each in tables.values()),
    ]
    if apart := judge_tests.separate_jobs(runs):
        found = [apart, *(each for each in found if each.code not in ("one-rank", "no-results"))]
    found += judge_network.choices_pinned(log, speed)
    if not (runs or log.lines or heard.sweeps.tables or found or known.seen or known.steps.last):
        found.append(finding("not-recognised", 1))
    if len({collective_of(run) for run in runs}) > 1:
        peaks = ", ".join(f"{collective_of(run)} {run.peak:.4g}" for run in runs)
        found.append(finding("several-runs", runs[0].line, runs=len(runs), peaks=peaks))
    share = min(shares.values(), default=1.0)
    found = judge_network.without_harm(found, known, speed, _last(runs, judge_tests.MIB))
    found = judge_network.beside_others(found, speed, ran=ran or known.connected)
    found = judge_network.cleaned_up(judge_network.unexplained(found))
    if causes.unexplained(found, ran=ran or bool(known.went_on)):
        found += known.trouble.findings(failed=any(each.severity != "info" for each in found))
    return _ordered(causes.told(found, transport, log, nodes, share))


def _tried(runs: list[Run], quick: set[int], shares: dict[int, float]) -> set[int]:
    """The lines of runs with other variables than the fastest of the same test (those in ``quick``), which is as fast
    as it should be by its share of what is expected: they say nothing of the machines."""
    by_test = defaultdict[tuple[str, int], list[Run]](list)
    for run in runs:
        by_test[collective_of(run), ranks_of(run)].append(run)
    found = set[int]()
    for same in by_test.values():
        best = next((run for run in same if run.line in quick), None)
        if best is None or shares.get(best.line, 0.0) < judge_tests.SHORT:
            continue
        slow = [run for run in same if shares.get(run.line, 1.0) < judge_tests.SLOW]
        found |= {run.line for run in slow if tried(differences([best], [run]), same)}
    return found


def _heard_of(known: judge_network.KnownLines, log: DebugLog) -> bool:
    """Whether lines that are not NCCL's are of most of the ranks: a log of all of them, then."""
    return 2 * len(known.collectives.ranks) >= log.ranks > 0


def _last(runs: list[Run], size: int = 0) -> int:
    """The line of the last row of so many bytes at least, 0 where there is none."""
    return max((row.line for run in runs for row in run.rows if row.size >= size), default=0)


def _counted(worst: DiagnosisFinding, count: int) -> DiagnosisFinding:
    """Of what several tables of one collective have in common the worst, which comes first, and how many there are."""
    return worst.model_copy(update={"message": f"{worst.message} ({count} tables, the worst)"}) if count > 1 else worst


def _speed(fastest: list[Run], codes: set[str], expected: dict[int, float | None]) -> Speed:
    """Of the ``fastest`` run of each test: what was tried beside it says nothing of the machines. ``codes``: what was
    found in tables."""
    if codes & {*judge_tests.SLOWNESS}:
        return "slow"
    if not fastest:
        return "no-table"
    if not all(expected[run.line] and max(row.size for row in run.rows) >= judge_tests.LARGE for run in fastest):
        return "unknown"
    share = min(run.peak / (expected[run.line] or run.peak) for run in fastest)
    cards = any(is_pcie(run.device) for run in fastest)  # whose boards and sockets differ by as much
    return "fine" if share >= judge_tests.SHORT else "unknown" if cards else "short"


def _adapters(log: DebugLog, ranks: int, nodes: int | None, device: str, catalog: Catalog) -> judge_tests.Adapters:
    """What the log says of the adapters of a node, where all of its GPUs take part."""
    gpu, listed = gpu_named(device, catalog), len(log.device_list or [])
    if gpu is None:
        return judge_tests.Adapters()
    if gpu.nics_per_node <= listed == max(map(len, log.nics_used.values()), default=0):
        return judge_tests.Adapters(data="all")
    if ranks == (nodes or 0) * gpu.gpus_per_node and _built_with_fewer(log, device):
        return judge_tests.Adapters(listed, others=gpu.nics_per_node)
    known = (log.device_list and log.speeds) or log.channels
    rate = log.adapter_rate or gpu.usual_nic_line_rate.si
    whole = rate == gpu.usual_nic_line_rate.si and ranks == (nodes or 0) * gpu.gpus_per_node
    chosen = log.settings.get("NCCL_IB_HCA", (0, ""))[1]
    why = f"NCCL_IB_HCA={chosen[:80]}" if chosen else "the job does not see the others, or there are none"
    data, usual = "known" if known else "unknown", gpu.nics_per_node if whole else 0
    return judge_tests.Adapters(listed, usual, rate / 1e9, data, why)


def _ordered(found: list[DiagnosisFinding]) -> list[DiagnosisFinding]:
    """Causes before what follows from them, what says why before what says less, errors first, in the order of the
    file; notes last; the same code once per line."""
    unique = {(each.code, each.line): each for each in found}
    return sorted(
        unique.values(),
        key=lambda e: (
            e.severity == "info",
            e.code in symptoms(),
            e.code in general(),
            _SEVERITIES[e.severity],
            e.line,
        ),
    )
