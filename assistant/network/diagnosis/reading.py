"""How a log is read: which of the readers a line may tell something, each asked once of lines that are alike."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from typing import BinaryIO, cast

from . import debug_lines, judge_path, judge_tests, known_lines, perf_table, trouble
from .debug_lines import DebugLog
from .facts import words as fact_words
from .kinds import Counts, Fold, Kind, Kinds, asking_bits
from .perf_table import Reader, numbers_of
from .repeats import Again, Repeats
from .reported import Reported
from .samples import Left, Samples
from .signatures import Signature, any_said, one_in, places, signatures
from .sweeps import Sweeps
from .telling import Telling
from .text import LEAST, Piece, Prefixes, cleaned, pieces_of
from .tools import Tools
from .tools import words as tools_words

# Of what a line may tell, the bits of these readers, beside those of known_lines.words(); _ANY: of none by its words.
_NCCL, _TABLE, _TOOLS, _ANY = 16, 32, 64, 256
_OTHERS = _NCCL | _TABLE | _TOOLS | _ANY  # than the readers of known lines
# Lines that are not NCCL's and whose numbers are asked for, or that change how the next ones are read, are all read.
_UNLIKE = known_lines.FAILED | known_lines.STEP | known_lines.STARTS | _TOOLS | _ANY
# What a line of nccl-tests' own may tell to others than the readers that count; of trouble it tells once.
_UNTABLED = known_lines.FAILED | known_lines.WENT_ON | _NCCL | _ANY
_WAYS = 50_000  # processes, and ways that their channels go, that are remembered
_Place = tuple[str, int]  # host and GPU


@dataclass
class Heard:
    """What is read of a log beside the tables of nccl-tests."""

    log: DebugLog = field(default_factory=DebugLog)
    known: known_lines.KnownLines = field(default_factory=known_lines.KnownLines)
    tools: Tools = field(default_factory=Tools)
    sweeps: Sweeps = field(default_factory=Sweeps)
    reported: Reported = field(default_factory=Reported)
    samples: Samples = field(init=False)

    def __post_init__(self) -> None:
        self.samples = Samples(self.tools)


class Reading:
    """Which of the readers a line may tell something, and what they have of it. Of lines that are of one kind, or like
    one before but for numbers that no reader asks for, the first is read and the others are counted."""

    def __init__(self) -> None:
        self.tables, self.heard = Reader(judge_tests.of_results, judge_path.swings), Heard()
        self._telling, self._repeats, self._like = _telling(), Repeats(), b""
        self._signed = b""  # the line in which signatures are looked for, without its numbers
        self._kinds, self._prefixes = Kinds(self._telling.of), Prefixes()
        self._samples = self.heard.samples
        self._odd = False  # whether a piece had characters that control a terminal
        self._heads: dict[bytes, _Place] = {}  # of lines of NCCL's: by host, process and GPU as they stand there
        self._places = set[_Place]()  # whose lines have been read: a new process there says nothing else
        self._ways: dict[tuple[_Place, bytes], Counts] = {}  # and by what a channel goes
        self._counts: Counter[tuple[_Place, bytes]] = Counter()

    def read(self, stream: BinaryIO) -> None:
        """Read a log."""
        tools, sweeps, reported = self.heard.tools, self.heard.sweeps, self.heard.reported
        like_a_row, like_ranks = self.tables.like_a_row, self.tables.like_ranks
        every, tried = False, True  # whether all lines are read; whether those are that may be of trials
        samples, exact = self._samples, known_lines.of_exact() & ~known_lines.of_work()
        for piece in pieces_of(stream, _exact()):
            kinds = map(self._kinds.__getitem__, piece.kinds)
            self._odd = self._odd or piece.odd
            for at, (raw, kind) in enumerate(zip(piece.lines, kinds, strict=True)):
                if kind.numbers and like_a_row(piece.first + at, raw, kind.numbers):
                    continue
                if kind.ranks and like_ranks(piece.first + at, raw):
                    continue
                if kind.heads or reported.open:
                    reported.take(piece.first + at, raw, piece.kinds[at], kind)
                if (
                    kind.family.thinned
                    and not (kind.bits & exact and at in piece.marked)
                    and samples.leaves(piece.first + at, raw, kind)
                ):
                    continue
                if (not every or kind.barren) and not (tried and kind.hint):
                    if not kind.bits:
                        continue
                    if kind.fold is not None and self._is_alike(piece, at, raw, kind):
                        continue
                elif kind.ours and kind.fold is not None and self._is_alike(piece, at, raw, kind):
                    continue
                number = piece.first + at
                if samples.open and not kind.family.thinned:
                    self._read_left(samples.before())
                if (every or len(raw) > LEAST) and (bits := self.wanted(number, raw, kind, at in piece.marked)):
                    self.take(number, cleaned(raw, self._prefixes, odd=piece.odd), bits, raw, kind)
                    every, tried = tools.under_way or sweeps.open, sweeps.under_way
        reported.close()
        self._read_left(samples.at_the_end(lambda raw: cleaned(raw, self._prefixes, odd=self._odd)))
        self._settle()

    def _read_left(self, lines: Iterable[Left]) -> None:
        """Read lines that were left as others are like them."""
        self._like = self._signed = b""
        for number, raw, kind in lines:
            self.take(number, cleaned(raw, self._prefixes, odd=self._odd), kind.bits or _ANY, raw, kind)

    def _is_alike(self, piece: Piece, at: int, raw: bytes, kind: Kind) -> bool:
        """Count a line of a kind that is known; whether it is no more than that."""
        fold, number = cast(Fold, kind.fold), piece.first + at
        if kind.ours:
            head, rest = _head_of(raw)
            place = self._heads.get(head) or self._place_of(head)
            if kind.way:
                at, said = _said_in(raw, kind.way, rest)
                if place is None or (place, said) not in self._ways:
                    return False
                if kind.way[1] is None:
                    self.heard.log.between(raw[raw.find(b" : ", rest) + 1 : at + 1].decode("utf-8", errors="replace"))
                self._counts[place, said] += 1
            elif place not in self._places:
                return False
        if fold.numbers or kind.residual:
            line = cleaned(raw, self._prefixes, odd=piece.odd)
            if kind.residual and any_said(line, kind.residual):
                return False
            self.heard.known.raw = raw
            if fold.numbers and not fold.numbers(number, line):
                return False
        if (fold.numbers or kind.residual) and not kind.ours:
            self._samples.counted(kind)
        kind.count, kind.last = kind.count + 1, number
        return True

    def _place_of(self, head: bytes) -> "_Place | None":
        """Host and GPU of a process, which is noted as one that prints."""
        place = self.heard.log.head(f"{head.decode('utf-8', errors='replace')}]")
        if place is not None and len(self._heads) < _WAYS:
            self._heads[head] = place
        self._joined()
        return place

    def _joined(self) -> None:
        """Tell the tables which hosts have new processes."""
        if self.heard.log.joined:
            self.tables.joined(self.heard.log.joined)
            self.heard.log.joined.clear()

    def _settle(self) -> None:
        """Count what was found alike with what was read; kinds are learnt anew from here on."""
        for kind in self._kinds.values():
            if kind.fold is not None and kind.count:
                for counter, what in kind.fold.counts:
                    counter[what] += kind.count
                self.heard.known.alike(kind.count, kind.last, kind.fold)
            kind.fold, kind.count = None, 0
            family = kind.family
            for seen in family.seen if family.passed else ():
                seen.count += family.passed
            self.heard.known.steps.told += family.passed * family.steps
            family.passed = 0
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
                self.heard.known.raw = line
                self._again(number, again)
                if kind.ours and kind.fold is not None:
                    self._remember(line, kind, again.counts)
                return 0
        sized, again = exact or bits & _sized(), None
        if tabled:
            self._like = self._repeats.table_key(line)
            self._signed = self._repeats.key(line) if bits >> known_lines.SIGNATURES and not sized else b""
            again = self._repeats.of(self._like)
        elif sized:
            return bits
        else:
            like = like or self._repeats.key(line)
            if bits & (known_lines.FAILED if bits & _NCCL and b"NCCL INFO" in line else _UNLIKE):
                self._signed = like
                return bits
            self._like, again = like, self._repeats.of(like)
        if again is None or (line[:1] == b"#" and again.table is None):
            return bits
        self.heard.known.raw = line
        self._again(number, again)
        return 0

    def _again(self, number: int, again: Again) -> None:
        """Count a line that is like one before."""
        for counter, what in again.counts:
            counter[what] += 1
        if not again.more:
            return
        if again.seen or again.went_on:
            self.heard.known.again(number, known_lines.WENT_ON if again.went_on else 0, again.seen)
        if again.told:
            self.heard.log.last_listed = listed = again.listed or self.heard.log.last_listed
            self.tables.heard(again.told, listed)
        if again.table is not None:
            self.tables.again(number, again.table)

    def take(self, number: int, line: str, bits: int, raw: bytes, kind: Kind) -> None:
        """Read one cleaned line."""
        heard, log, ours, went_on = self.heard, self.heard.log, bits & _NCCL, bool(bits & known_lines.WENT_ON)
        strange, before, heard.known.raw = heard.known.strange, heard.known.went_on, raw
        if kind.fold is not None and bits & known_lines.of_work():
            bits = self._at_work(number, line, bits, kind.fold)
        absent = len(heard.known.absent)
        seen = heard.known.take(number, line, bits, self._signed) if bits & ~_OTHERS else ()
        telling = bool(bits & known_lines.FAILED or ours or heard.known.started or len(heard.known.absent) > absent)
        telling = telling or any(_is_told(each.signature) for each in seen)
        kind.family.seen, kind.family.steps = tuple(seen), heard.known.steps.last == number
        heard.tools.kept, tabled, kept = "", False, heard.sweeps.trials_kept
        fold = Fold((), tuple(seen))
        fold.strange, fold.went_on = heard.known.strange is not strange, heard.known.went_on != before
        fold.numbers = heard.known.numbers
        if ours and log.take(number, line):
            heard.tools.taken_by_others()
            self._joined()
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
            tabled = True
            heard.tools.taken_by_others()
            if bits == _TABLE and line[:1].isdigit() and kind.clean and raw.split() == line.encode().split():
                kind.numbers = numbers_of(line)
            if self._like[:1] == b"#" and heard.known.steps.last != number:
                said = self.tables.said(line)
                self._repeats.keep(self._like, Again((), tuple(seen), table=said, went_on=went_on))
                if not (isinstance(said, str) or seen or went_on or "_perf" in line):
                    kind.ranks = kind.clean and self.tables.keep_ranks(raw, said)
        else:
            if ours and "NCCL_" in line:
                self.tables.heard(line, log.last_listed, given=True)
                log.given(number, line)
            tools = bits & _TOOLS or heard.tools.under_way
            sweeps = heard.sweeps.under_way and (kind.hint or (heard.sweeps.open and not kind.barren))
            if tools:
                heard.tools.take(number, line)
            if sweeps:
                kind.tried(fruitful=heard.sweeps.take(number, line))
                self.tables.between(heard.sweeps.heads)
            elif not (ours or tools or bits & _UNLIKE or "_perf" in line):
                self._repeats.keep(self._like, Again((), tuple(seen), went_on=went_on))
            kind.family.asks_tools = kind.family.asks_tools or bool(tools)
            rows = bits & _TABLE and line[:1].isdigit()
            if bits and not (ours or rows or "_perf" in line or (tools and heard.tools.told)):
                self._learn(kind, fold)
        self._samples.read(raw, kind, telling=telling or tabled or heard.sweeps.trials_kept > kept)

    @staticmethod
    def _at_work(number: int, line: str, bits: int, fold: Fold) -> int:
        """The bits of a line of a known kind that others ask for, once what it tells of work is counted."""
        for seen in fold.seen:
            if seen.signature.code == "worked" and known_lines.at_work(number, line):
                seen.last, seen.count = number, seen.count + 1
        return bits & ~known_lines.of_work()

    def _learn_ours(self, raw: bytes, kind: Kind, fold: Fold) -> None:
        """What a line of NCCL's own counts, wherever its kind comes again from the same process."""
        self._remember(raw, kind, fold.counts)
        if kind.way:
            fold.counts = ()  # it is the way that tells
        self._learn(kind, fold)

    def _remember(self, raw: bytes, kind: Kind, counts: Counts) -> None:
        """From which host and GPU, and by which way, a line of NCCL's was that has been read."""
        head, rest = _head_of(raw)
        place = self._heads.get(head) or self._place_of(head)
        if place is None:
            return
        if kind.way and len(self._ways) < _WAYS:
            self._ways[place, _said_in(raw, kind.way, rest)[1]] = counts
        elif not kind.way and len(self._places) < _WAYS:
            self._places.add(place)

    def _learn(self, kind: Kind, fold: Fold) -> None:
        """What a line counts, for its kind where no number in it was asked for."""
        if kind.fold is not None or not kind.clean or not (self.heard.known.plain or fold.numbers):
            return
        if any(seen.signature.recurs or seen.signature.ends for seen in fold.seen):
            return
        # a channel differs from one that was read in its ranks alone
        channel = kind.way is not None and kind.way[1] is None
        asked = 0 if channel else kind.bits & _asking() & ~known_lines.of_work() & ~self.heard.known.settled
        if fold.numbers is None and any(seen.signature.code == "worked" for seen in fold.seen):
            fold.numbers = known_lines.at_work
        if not any(asked >> (known_lines.SIGNATURES + places()[seen.signature.code]) & 1 for seen in fold.seen):
            kind.residual = tuple(at for at in places().values() if asked >> (known_lines.SIGNATURES + at) & 1)
            kind.fold = fold

    def _of_table(self, number: int, line: str) -> bool:
        """Whether a line is one of a table; after the first of these, lines that said nothing may be."""
        if "_perf" in line and "B/s" in line:  # the command of a script that says what its rows below are
            self.heard.sweeps.take(number, line)
        before = len(self.tables.runs)
        read = self.tables.take(number, line)
        if not before and self.tables.runs:
            self._settle()
            self._repeats.forget()
        return read


def _is_told(signature: Signature) -> bool:
    """Whether what a line tells may be another thing in each line that is like it, or is told at its place."""
    plain = signature.sign or signature.code == "worked"
    return not plain or signature.recurs or signature.ends or signature.at_the_end or known_lines.asks(signature)


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


_asking = lru_cache(maxsize=1)(lambda: asking_bits(known_lines.SIGNATURES))
_exact = lru_cache(maxsize=1)(known_lines.exact)
_sized = lru_cache(maxsize=1)(known_lines.sized)


@lru_cache(maxsize=1)
def _telling() -> Telling:
    """The words of all readers; what is learnt of the words of a log holds for the next."""
    of_readers = {**known_lines.words(), _NCCL: debug_lines.WORDS, _TABLE: perf_table.WORDS, _TOOLS: tools_words()}
    words = {known_lines.TROUBLE: trouble.words()}
    signed = {1 << (known_lines.SIGNATURES + at): each.words for at, each in enumerate(signatures())}
    return Telling({**of_readers, **words, **signed}, headlines=_TOOLS)
