"""The lines of a log that are known: failures and signs, counted while it is read, the job's steps and its end."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from assistant.vocabulary.answers import DiagnosisFinding, LogTransport

from . import attempts, collectives, saves
from .attempts import Attempts
from .clock import seconds_between, shown
from .collectives import Collectives
from .debug_lines import DebugLog
from .expected import CARD_WORDS, card_in
from .kinds import Fold
from .signatures import (
    Completion,
    Signature,
    Speed,
    as_information,
    completion,
    counted_none,
    finding,
    harmless,
    judgements,
    one_in,
    overcome,
    pinned,
    places,
    quoted,
    signatures,
    signatures_in,
)
from .sockets import sockets_are_all
from .steps import Steps
from .trouble import Trouble
from .waits import Waits

_WARNED = re.compile(r"NCCL WARN\s*(\S.{0,159})")
_PEER = re.compile(r"from peer ([^\s<]{1,64})<")
# A rate of nothing.
_IDLE = re.compile(
    r"(?<![\d.,])0(?:\.0{1,6})? ?[a-z]{1,12}(?:/|_per_| per )(?:s|min)|"
    r"(?:/s|_per_sec\w{0,3}|put\S{0,10})[ =:]{1,4}0(?:\.0{1,6})?(?![\d.])",
    re.I,
)
_HCA = re.compile(r"\bhca (\w{1,32})")
_PEERS = 1000
# Seconds, or so many times as long as from one line of a step to the next: longer is no pause to save or evaluate.
_LONG, _SEVERAL = 600.0, 5
_RECURRING = 3  # times: once or twice is what a switch that starts anew does too
_ALIKE = 20_000  # kinds of lines of which is remembered what they tell: 8 MB
_NAMED = 3  # of the failures of which a report has none
_EVIDENCE = 200  # characters of a line that are shown
_COUNTED, _ROWS = "patterns-counted", 500  # the headline of a table that counts kinds of lines, and how long it may be
_WENT_ON = ("Init COMPLETE", "Connected all", " coll channels, ")
_ASKED = ("ended-well", "no-progress", "wait-over")  # of which each line is asked


# Of what a line may tell, the bits of these; from SIGNATURES on those of the known failures by their place in the file.
STEP, CARD, FAILED, WENT_ON, TROUBLE, STARTS, SIGNATURES = 1, 2, 4, 8, 128, 512, 10
_WORDS = {
    WENT_ON: ("init complete", "connected all", " coll channels, "),
    STEP: (
        "step",
        "iter",
        "epoch",
        "[batch=",
        "tokens_per_sec:",
        "samples_per_sec:",
        "|loss:",
        "images/sec:",
        "examples/sec:",
        "samples/sec:",
        "it/s",
        "s/it",
    ),
    CARD: CARD_WORDS,
    FAILED: ("warn", "seqnum=", "got completion", "unhandled system error"),
}


def words() -> dict[int, tuple[str, ...]]:
    """By a bit, in small letters, what one of is in every line that may tell it."""
    others = {STEP: saves.words(), FAILED: collectives.words(), STARTS: attempts.words()}
    return {bit: _WORDS.get(bit, ()) + others.get(bit, ()) for bit in {*_WORDS, *others}}


def _exact_in(signature: Signature) -> set[bytes]:
    """The numbers of four digits and more that a failure's pattern asks for; the domain of a bus (0000) says
    nothing."""
    text = re.sub(r"\[[^\]]*\]", "", signature.pattern.pattern) if signature.pattern else ""
    return {number.encode() for number in re.findall(r"\d{4,}", text) if int(number)}


def exact() -> list[bytes]:
    """The numbers of four digits and more that patterns of known failures ask for."""
    return sorted({number for each in signatures() for number in _exact_in(each)})


@lru_cache(maxsize=1)
def of_exact() -> int:
    """The bits of the failures that ask for one."""
    return sum(1 << (SIGNATURES + at) for at, each in enumerate(signatures()) if _exact_in(each))


# What is asked of a number of four digits and more beyond that it is one: that it has five or more, or at most so many.
_SIZED = re.compile(r"\[1-9\]\\d\{[4-9]|\\d\{(?:[4-9]\b|\d,[45]\})")


def sized() -> int:
    """The bits of the known failures of which two lines may tell differently that differ in long numbers alone."""
    places = (at for at, each in enumerate(signatures()) if each.pattern and _SIZED.search(each.pattern.pattern))
    return sum(1 << (SIGNATURES + at) for at in places)


def asks(signature: Signature) -> bool:
    """Whether each line of a failure or sign is asked where it stands, and what it says there."""
    return signature.code in _ASKED


@lru_cache(maxsize=1)
def of_work() -> int:
    """The bit of lines that may tell of work of any kind."""
    return 1 << (SIGNATURES + places()["worked"])


def _counts(found: tuple[Signature, str]) -> bool:
    """Whether a line may say that there was none of what was found in it: of work it says how much."""
    return not (found[0].sign or found[0].code == "worked")


def at_work(_: int, line: str) -> bool:
    """Whether a line that tells how much was done in a second names no rate of nothing."""
    return not _IDLE.search(line)


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
    printed_last: bytes = b""  # the last one, of what ends a job
    times: int = 1  # how often it came anew after the job had worked in between
    overcome: bool = True  # whether every such line says itself that it was got over


class KnownLines:
    """Counts the known failure lines while a log is read; each is reported once, at its first line."""

    def __init__(self) -> None:
        self.seen: dict[str, Seen] = {}
        self.went_on = 0  # the last line that tells of a job that runs
        self._like: dict[bytes, list[Seen]] = {}
        self.steps, self.trouble, self.attempts, self.waits = Steps(), Trouble(), Attempts(), Waits()
        self.absent: dict[str, int] = {}  # what lines say that there was none of
        self.raw = b""  # the line that is read, as it stands in the log
        self.plain = True  # whether the last line told nothing by its numbers, as far as these readers go
        self.numbers: Callable[[int, str], bool] | None = None  # of them, who asked for its numbers alone
        self.started = False  # whether the last line told of a start, or of what comes between two
        self._quiet = 0  # the bits of signs that are known by now
        self.card = ""  # without NVLink, where a line names one
        self.collectives, self.saves = Collectives(), saves.Saves()
        self.completions: dict[int, tuple[Completion | None, int, int]] = {}
        self.completed = 0  # the line of the last request that failed
        self.ended_at: dict[int, tuple[Counter[str], Counter[str]]] = {}  # of each status: peers, adapters
        self.nameless_failure: int | None = None
        # NCCL's warnings that nothing here explains: first line, text, how many, last line.
        self.strange: tuple[int, str, int, int] | None = None

    @property
    def ended_well(self) -> bool:
        """Whether a line says that the job came to its end as meant, and it did not work on after that."""
        return self.steps.ended or ("ended-well" in self.seen and self.seen["ended-well"].last > self.worked)

    @property
    def worked(self) -> int:
        """The last line that tells of work, 0 where fewer than two do."""
        other = self.seen.get("worked")
        return max(self.steps.last, other.last if other and other.count > 1 else 0)

    def said(self, code: str) -> str:
        """What the first line that was seen of a failure or sign says of it, empty without one."""
        return self.seen[code].said if code in self.seen else ""

    def only_at(self, code: str, lines: set[int]) -> bool:
        """Whether all lines that tell of a failure are among some."""
        seen = self.seen.get(code)
        among = sum(seen.first <= line <= seen.last for line in lines) if seen else 0
        return seen is not None and {seen.first, seen.last} <= lines and seen.count <= among

    @property
    def counts_of_none(self) -> DiagnosisFinding | None:
        """A note of what kind of text it is, where it looks for failures and has none."""
        if not self.absent:
            return None
        told = ", ".join(each.strip() for each in [*self.absent][:_NAMED])
        return finding("counts-of-none", min(self.absent.values()), said=told)

    @property
    def standing(self) -> frozenset[str]:
        """The codes of what was seen and is not over by what was seen after it."""
        return frozenset(code for code, seen in self.seen.items() if not self._is_over(seen))

    def _is_over(self, seen: Seen) -> bool:
        if seen.signature.code == "no-progress":
            return self.waits.over
        return any(code in self.seen and self.seen[code].last >= seen.last for code in seen.signature.over)

    @property
    def overcome(self) -> frozenset[str]:
        """The codes of failures of which every line says that they were got over; hardware that failed stays so."""
        told = (seen for seen in self.seen.values() if seen.overcome and not seen.signature.sign)
        return frozenset(
            seen.signature.code for seen in told if seen.signature.weighs != "always" or seen.signature.follows
        )

    @property
    def tested(self) -> tuple[int, int] | None:
        """The first and the last line of suites of tests in which none failed; ``None`` where there is none."""
        began, passed = self.seen.get("tests-began"), self.seen.get("tests-passed")
        whole = began and passed and "tests-failed" not in self.seen and passed.last > began.first
        return (began.first, passed.last) if began and passed and whole else None

    @property
    def transport(self) -> LogTransport | None:
        """The network that other lines than NCCL's name, where they name one alone; where none does, the one that a
        name is mostly of, or that machines have where that name is of several."""
        telling = [seen.signature for seen in self.seen.values() if seen.signature.transport]
        firm = [each for each in telling if not (each.otherwise or each.offers)]
        loose = [each for each in telling if each.otherwise]
        there = [each for each in telling if each.offers] if loose else []
        named: set[LogTransport] = {each.transport for each in firm or there or loose if each.transport}
        named -= {"nvlink"} if len(named) > 1 else set()  # which is in each node, whatever joins these
        return named.pop() if len(named) == 1 else None

    @property
    def offered(self) -> str:
        """The machines that lines name by their type, with the network that these have; empty where none does."""
        return ", ".join(
            f"{seen.said} has {seen.signature.offers}" for seen in self.seen.values() if seen.signature.offers
        )

    @property
    def fast_networks(self) -> list[tuple[LogTransport, str]]:
        """The networks that machines are said to have and that are faster than sockets, and how a sentence says so."""
        return [
            (
                seen.signature.faster,
                f"{seen.said} has {seen.signature.offers}"
                if seen.signature.offers
                else f"line {seen.first} names {seen.said or seen.signature.faster}",
            )
            for seen in self.seen.values()
            if seen.signature.faster
        ]

    @property
    def told(self) -> bool:
        """Whether a line told of more than what a network is called."""
        return any(seen.signature.offers or not seen.signature.faster for seen in self.seen.values())

    @property
    def connected(self) -> bool:
        """Whether the job connected its ranks, no request between them failed, and nothing tells that it stopped."""
        stopped = any(
            seen.signature.follows and seen.signature.severity == "error" and seen.last > self.went_on
            for seen in self.seen.values()
        )
        return bool(self.went_on) and not self.completions and not stopped

    def take(self, number: int, line: str, bits: int, like: bytes = b"") -> list[Seen]:
        """Read one cleaned line; what it counts as. ``bits``: of what it may tell, as :func:`words` and the signatures
        have them; ``like``: the same for lines of which the same signatures tell, empty where it is not known."""
        self.plain, self.numbers = not bits & of_work() or at_work(number, line), None
        started = bits & STARTS and self.attempts.take(
            number, line, self.raw.decode("utf-8", errors="replace"), self.steps
        )
        self.started = bool(started) and not self.attempts.passed_over
        if started:
            self.plain, self.numbers = False, self._without_start if self.attempts.passed_over else None
        if "NCCL " in line:
            if bits & WENT_ON and one_in(line, _WENT_ON):
                self.went_on = number
        elif bits & STEP and self._stepped(number, line):
            self.plain, self.numbers = False, None if started else self._stepped
            bits &= ~of_work()  # a step is work
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
        table = _COUNTED in self.seen and number - self.seen[_COUNTED].first < _ROWS
        like = b"" if table else like  # rows differ in what they count alone
        counted = self._like.get(like) if like else None
        if counted is None:
            counted = list[Seen]()
            found = signatures_in(line, bits & ~self._quiet)
            if found and quoted(line):
                found = [each for each in found if each[0].sign]
            elif any(map(_counts, found)) and (none := counted_none(line, table=table))[0]:
                found = [each for each in found if each[0].sign or not _is_none(each, *none)]
                like, self.plain = b"", False  # another number of them is another thing
                self.absent |= dict.fromkeys(none[0].split("\n"), number) if len(self.absent) < _NAMED else {}
            for signature, said in found:
                self._quiet |= (signature.sign and not signature.at_the_end) << places()[signature.code]
                seen = self.seen.setdefault(signature.code, Seen(signature, said, number, line[:_EVIDENCE], self.raw))
                seen.overcome = seen.overcome and overcome(line)
                counted.append(seen)
            if like and len(self._like) < _ALIKE:
                self._like[like] = counted
        for seen in counted:
            if seen.signature.code in _ASKED:
                self.plain = False  # where the next one stands is asked too
            seen.times += seen.signature.recurs and 0 < seen.last < self.steps.last
            seen.printed_last = self.raw if seen.signature.ends else b""
            seen.last, seen.count = number, seen.count + 1
        self._said(line, counted)
        return counted

    def _said(self, line: str, counted: Iterable[Seen]) -> None:
        """Tell the readers that ask of each such line anew: who waits, and what ended."""
        codes = {seen.signature.code: seen.signature for seen in counted}
        if "ended-well" in codes:
            self.attempts.ended()
        if waits := codes.get("no-progress"):
            self.waits.began(line, waits.said_in(line, line.lower()) or "")
        elif over := codes.get("wait-over"):
            self.waits.ended(line, over.said_in(line, line.lower()) or "")

    @property
    def settled(self) -> int:
        """The bits of signs that were seen and of which no later line is asked for."""
        return self._quiet << SIGNATURES

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
        self._said(self.raw.decode("utf-8", errors="replace") if seen else "", seen)
        for each in seen:
            each.last, each.count = number, each.count + 1
            each.printed_last = self.raw if each.signature.ends else b""

    def _failed(self, number: int, line: str, *, known: bool) -> None:
        self.collectives.take(number, line, self.steps.last)
        ended = completion(line)
        if ended and quoted(line):
            return
        by_number = "SeqNum=" in line or one_in(line.lower(), collectives.words())
        self.plain = self.plain and not ended and not by_number
        self.numbers = self._ended if ended and not by_number else None
        if (
            not known
            and not ended
            and "NCCL WARN" in line
            and not (harmless(line) or quoted(line) or counted_none(line, table=True)[0])
            and (warned := _WARNED.search(line))
        ):
            first, text, count, _ = self.strange or (number, warned[1], 0, number)
            self.strange = (first, text, count + 1, number)
        if ended:
            self._ended(number, line)
        if self.nameless_failure is None and "unhandled system error" in line:
            self.nameless_failure = number

    def _without_start(self, number: int, line: str) -> bool:
        """Whether a line of something that is saved tells nothing, as there is no start before it."""
        return self.attempts.waits and at_work(number, line)

    def _stepped(self, number: int, line: str) -> bool:
        if self.steps.take(number, line, self.raw):
            self.went_on = number
            return True
        if self.saves.take(number, line, line.lower()) or self.steps.named_epoch:
            self.plain = False
        return False

    def _ended(self, number: int, line: str) -> bool:
        """Count how a work request ended, and where; whether the line says it."""
        if ended := completion(line):
            status, meaning = ended
            _, first, count = self.completions.get(status, (meaning, number, 0))
            self.completions[status], self.completed = (meaning, first, count + 1), number
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
        started = log.started
        moved, ran = max(moved, self.steps.last), max(self.went_on, last_row, self.worked)
        ended = self._end(ran, started=started)
        for seen in self.seen.values():
            signature, weighs = seen.signature, seen.signature.weighs
            went_on = self.ended_well or seen.last < ran
            light = (weighs == "unless-fast" and (speed == "fine" or self._without_effect(seen))) or (
                (went_on and weighs == "unless-it-went-on")
                or (signature.at_the_end and (self.ended_well or seen.last < self.steps.last))
                or self._is_over(seen)
                or (signature.before_start and self.steps.told > 1)
                or (ended and seen.first > ended[0] and (signature.follows or {*signature.waited} & ended[1]))
                or (weighs == "where-rdma-may-be" and (sockets_are_all(log, device) or "ethernet-only" in self.seen))
            )
            passed = signature.at_the_end and signature.severity == "info" and seen.last < self.steps.last
            if not signature.sign and not passed and (signature.hosts == "any" or several_hosts):
                told = self._ended_while_stepping(seen) or signature.at(seen.first, seen.evidence, said=seen.said)
                yield _counted(as_information(told) if light else told, seen.count)
        yield from self._recurring()
        for told in self.steps.findings():
            meant = self._work_changed and told.code == "steps-slower"
            yield as_information(told) if meant else told
        yield from self.saves.findings(steady=self.steps.steady)
        yield from self.collectives.findings(log.ranks, self.steps.last)
        yield from self.attempts.findings()
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
            yield as_information(told) if behind or last < ran else told
        if self.nameless_failure is not None and not log.lines:
            yield finding("debug-off", self.nameless_failure)

    @property
    def _work_changed(self) -> bool:
        """Whether steps have other work, or are done by another number of ranks, from somewhere among them on."""
        changed = self.seen.get("work-changed")
        return changed is not None and self.steps.first < changed.first < self.steps.last

    def _without_effect(self, seen: Seen) -> bool:
        """Whether steps went on at the same pace before and after what was seen."""
        return self.steps.first < seen.first and seen.last < self.steps.last and self.steps.steady

    def asked_after(self, worked: int) -> int:
        """The line at which the job was ended from outside, 0 where it was not, had hung before, or ``worked`` after
        that (the last line of it)."""
        ends = [seen for seen in self.seen.values() if seen.signature.ends and seen.last > worked]
        if any(seen.signature.while_stepping and self._hung(seen) for seen in ends):
            return 0
        return min((seen.first if seen.first > worked else seen.last for seen in ends), default=0)

    @property
    def last_of_others(self) -> dict[str, tuple[int, int]]:
        """By code the last line, and how many there are, of requests that failed and warnings that no entry knows."""
        told = (meaning.code if meaning else "completion-error" for meaning, _, _ in self.completions.values())
        last = {code: (self.completed, 1) for code in (*told, "retries-exhausted")}
        return last if self.strange is None else {**last, "unknown-warning": (self.strange[3], self.strange[2])}

    def _end(self, ran: int, *, started: bool) -> tuple[int, set[str]] | None:
        """Where the whole job was ended by a person or the batch system, after which nothing ``ran`` (the last line of
        it) but something did before, or may have as the log has no start, and the codes of that."""
        if started and not ran:
            return None
        ends = {seen.signature.code: seen.first if seen.first > ran else seen.last
                for seen in self.seen.values() if seen.signature.ends and seen.last > ran}  # fmt: skip
        return (min(ends.values()), {*ends}) if ends else None

    def _ended_while_stepping(self, seen: Seen) -> DiagnosisFinding | None:
        """Of an end of the whole job what is told where its steps went on until then, or how long before they had
        stopped."""
        ending, steps = seen.signature.while_stepping, self.steps
        if ending is None or not ending.says.search(seen.said) or steps.last > seen.last:
            return None
        told = seen.signature.at(seen.first, seen.evidence, said=seen.said)
        if steps.told < 2:  # it worked otherwise, or nothing came of it: which of these is not known
            message = ending.unseen.format(said=seen.said) + self._lost
            return as_information(told.model_copy(update={"message": message})) if ending.unseen else None
        ago = seconds_between(steps.printed[1], seen.printed_last)
        if ago is not None and self._hung(seen):
            more = f"; its last step was {shown(ago)} before, so that it hung or did something else until then"
            return told.model_copy(update={"message": told.message + more})
        since = f", {shown(ago)} after the last one" if ago is not None else " (no line tells when the last one was)"
        message = ending.message.format(said=seen.said, since=since).replace(" ()", "") + self._lost
        return as_information(told.model_copy(update={"message": message}))

    def _recurring(self) -> Iterator[DiagnosisFinding]:
        """Links that go down again and again while the job works: each time it waits, and once it will not get over
        it."""
        for seen in self.seen.values():
            if seen.signature.recurs and seen.times >= _RECURRING:
                yield finding("link-recurs", seen.first, times=seen.times, said=seen.said or seen.evidence[:80])

    def _hung(self, end: Seen) -> bool:
        """Whether the steps of a job had stopped long before it was ended, by the times of the day in its lines."""
        ago = seconds_between(self.steps.printed[1], end.printed_last) if self.steps.told > 1 else None
        return ago is not None and ago > max(_LONG, _SEVERAL * self.steps.every)

    @property
    def _lost(self) -> str:
        """What a job lost that was ended, where it did work after it was last saved, as its lines say."""
        saved = self.seen["saved"].last if "saved" in self.seen else 0
        if self.steps.told < 2 or saved > self.steps.last:
            return ""
        if not saved:
            return "; no line tells that they were saved, so that they may have to be done again"
        return f"; its steps after the checkpoint of line {saved}, up to line {self.steps.last}, are to be done again"

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
            on = log.set_on.get(each.setting, {})
            ended = first and (value not in each.usual or len(on) > 1) and not 0 < moved < first
            if value and (ended or any(code in self.seen for code in each.of)):
                by_host = [f"{one[:20]} on {host}" for one, host in [*on.items()][:3]] if len(on) > 1 else []
                yield each.at(line, value=" and ".join(by_host) or value[:40])
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


def _is_none(told: tuple[Signature, str], none: str, rest: str) -> bool:
    """Whether a failure that a line tells of is one of those that it says there was none of; the count may stand where
    its pattern looks for something else."""
    signature, said = told
    counted = signature.said_in(none, none.lower()) is not None or said[:1] == "0"
    return counted and signature.said_in(rest, rest.lower()) is None


def _counted(found: DiagnosisFinding, lines: int) -> DiagnosisFinding:
    return found.model_copy(update={"message": f"{found.message} ({lines} lines)"}) if lines > 1 else found
