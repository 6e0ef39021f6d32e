"""The steps of a job that trains: how long each took, and whether they got slower while it ran."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.vocabulary.answers import DiagnosisFinding

from .clock import seconds_between
from .pace import Pace
from .signatures import one_in

# A step of a job that trains, with what is told of one that ended well.
_STEP = re.compile(
    r"\b(?:(?:iteration|iter|step)s?[ :=]{1,12}\[?(?P<at>\d{1,9})(?:\s{0,12}/\s{0,12}(?P<of>\d{1,9})\b)?|"
    r"epochs?[ :=]{1,12}\[?\d).{0,200}?(?<![a-z])(?:loss|lr|ms|s/it|it/s|samples|tokens|tok/s|TFLOP\w?|nll|ppl|"
    r"perplexity|steps?(?:_per_|/)s(?:ec)?)|"
    r"^\{'(?:train_)?(?:loss|runtime)': \d|^\d{1,4}\|\d{1,9}\|Loss: \d|"
    r"^\d{1,9}\s{1,12}(?:images|examples|samples)/sec: \d|"
    r"\[batch=(?P<batch>\d{1,9})(?:/(?P<batches>\d{1,9}))?\]:?$",
    re.I,
)
# One is in every such line, in small letters.
_TOLD = (
    "loss",
    "lr",
    "ms",
    "s/it",
    "it/s",
    "samples",
    "tokens",
    "tok/s",
    "tflop",
    "nll",
    "ppl",
    "perplexity",
    "s_per_s",
    "p_per_s",
    "runtime",
    "[batch=",
    "/sec:",
)
_BEGINS = ("iter", "step", "epoch", "[batch=")  # with one of these, in small letters, or the line
_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
# How long it took, in seconds or milliseconds: which is not asked, as steps are compared with each other alone.
_TOOK = re.compile(
    r"(?:elapsed time per iteration \(ms\)|step[_ ]?time(?:_m?s)?|train_step_timing(?: in s)?|"
    r"iter(?:ation)?[_ ]time(?:_m?s)?|time[_/ ]per[_ ]step|"
    r"step_m?s|(?:m?s|sec)[_/]step|time/step)\s?[:=]?\s?(\d{1,9}(?:\.\d{1,6})?)|"
    r"\b(\d{1,9}(?:\.\d{1,6})?) ?(?:m?s/it\b|m?s/step)",
    re.I,
)
# The rate of the step before, where a trainer prints its figures in lines of their own (Composer).
_RATE_APART = re.compile(r"\bthroughput/(?:device/)?(?:tokens|samples)_per_sec: (\d{1,12}(?:\.\d{1,6})?)")
# How much a step did in a second, where no line says how long it took: torchtitan's lines, and those of other trainers.
_RATE = re.compile(
    r"\b(?:tps|tok(?:en)?s?(?:/|_per_)s(?:ec(?:ond)?)?(?:/gpu)?|samples(?:/|_per_)s(?:ec(?:ond)?)?)\s?[:=]?\s?"
    r"(\d{1,3}(?:,\d{3}){1,3}|\d{1,9}(?:\.\d{1,6})?)",
    re.I,
)
_DATA = re.compile(
    r"\b(?:data(?:loader|_load\w{0,3})?[_ ](?:time|wait)|load_time|batch_wait|input_wait)(?:_m?s)?\s?[:=]?\s?"
    r"(\d{1,9}(?:\.\d{1,6})?)",
    re.I,
)
_TIMED, _WAITED = ("ime", "step_", "s/it", "/step"), ("data", "load", "wait")  # one is in every such line
# What stands before the lines of a job, where several print to one log: [A 9001], job-17:, run-b |
_TAG = re.compile(rb"\s{0,8}\[?([^\]\[|:\n]{0,24}[A-Za-z][^\]\[|:\n]{0,24})[\]|:]")
_BEFORE = 12  # characters by which a step is found in the line as it stands in the log
_JOBS, _TURNS = 8, 2  # at most, and how often one comes again after another where they run side by side


def _first(small: str) -> int:
    """From where on a step may be told of."""
    places = [at for word in _BEGINS if (at := small.find(word)) >= 0]
    return 0 if small.startswith("{") or not small.isascii() else min(places, default=0)


@dataclass
class Steps:
    """Takes the lines of steps; lines are numbers in the file."""

    first: int = 0  # the line of the first one
    last: int = 0  # of the last one
    told: int = 0  # how many
    at: int = -1  # the number of the last one that told it
    ended_at: int = 0  # the line of the last of all, 0 where it has not come
    every_job: Pace = field(default_factory=Pace)
    _label: str = ""  # what stands before the time of a step
    _by_rate: bool = False  # the lines say how much was done in a second, and not how long a step took
    _jobs: dict[tuple[str, bytes], Pace] = field(default_factory=dict)  # by the total of their steps, and a tag
    _job: tuple[str, bytes] | None = None  # of the last step
    _turns: int = 0  # how often a job came again after another

    def take(self, number: int, line: str, raw: bytes = b"") -> bool:
        """Read one line; whether it told of a step. ``raw``: the line as it stands in the log."""
        small = line.lower()
        step = _STEP.search(line, _first(small)) if one_in(small, _TOLD) else None
        if not step:
            return "throughput/" in small and bool(self.told) and self._rate_apart(number, line, raw)
        self.first, self.last, self.told = self.first or number, number, self.told + 1
        at, of = step["at"] or step["batch"], step["of"] or step["batches"]
        self.at = int(at) if at is not None else self.at
        if of is not None and at == of:
            self.ended_at = number
        paces = self._paces(of or "", raw[: max(0, raw.find(step[0][:_BEFORE].encode()))])
        if (time := self._took(line)) is not None:
            rate = None if self._by_rate or not self.every_job.asks_rates else _RATE.search(line)
            done = float(rate[1].replace(",", "")) if rate else 0.0
            waited = _DATA.search(line) if time > 0 and one_in(line, _WAITED) else None
            for pace in paces:
                pace.timed(time, number)
                pace.did(done)
                if waited:
                    pace.waited(float(waited[1]) / time, number)
        for pace in paces:
            pace.as_printed(raw)
        return True

    def _paces(self, of: str, before: bytes) -> list[Pace]:
        """Where a step is kept: with all, and with those of its job, by the total of these and what stands before."""
        tag = _TAG.match(before)
        job = of, tag[1] if tag else b""
        if job not in self._jobs and len(self._jobs) <= _JOBS:
            self._jobs[job] = Pace()
        elif job != self._job:
            self._turns += job in self._jobs
        self._job = job
        return [self.every_job, self._jobs[job]] if job in self._jobs else [self.every_job]

    @property
    def _compared(self) -> list[Pace]:
        """The steps that are compared with each other: those of each job, where several run side by side."""
        apart = 1 < len(self._jobs) <= _JOBS and self._turns >= _TURNS
        several = [pace for pace in self._jobs.values() if pace.compared] if apart else []
        totals = {of for of, _ in self._jobs}
        return several or ([] if apart and len(totals) > 1 else [self.every_job])

    def _rate_apart(self, number: int, line: str, raw: bytes) -> bool:
        """The rate of a step in a line of its own, of the first kind that came."""
        found = _RATE_APART.search(line)
        name = line[: found.start(1)].strip() if found else ""
        if not found or not float(found[1]) or (self._label or name) != name:
            return False
        self._label, self._by_rate = name, True
        for pace in (self.every_job, *(its for job, its in self._jobs.items() if job == self._job)):
            pace.timed(1 / float(found[1]), number)
            pace.as_printed(raw)
        return True

    @property
    def printed(self) -> tuple[bytes, bytes]:
        """The first and the last line of a step as they stand in the log."""
        return self.every_job.printed

    @property
    def every(self) -> float:
        """Seconds between the lines of two steps by the times of the day in them, 0 where these do not tell."""
        return (seconds_between(*self.printed) or 0.0) / (self.told - 1) if self.told > 1 else 0.0

    def _took(self, line: str) -> float | None:
        """How long a step took, as printed: behind the words behind which it stood before."""
        at = line.find(self._label) if self._label else -1
        if at >= 0 and (again := _NUMBER.match(line, at + len(self._label))):
            return float(again[0])
        took = _TOOK.search(line) if not self._by_rate and one_in(line, _TIMED) else None
        if took is None:
            rate = _RATE.search(line) if self._by_rate or not self.every_job.count else None
            self._by_rate = self._by_rate or rate is not None
            done = float(rate[1].replace(",", "")) if rate else 0.0
            return 1 / done if done else None
        if took.lastindex == 1:
            self._label = line[took.start() : took.start(1)]
        return float(took[took.lastindex or 1])

    @property
    def ended(self) -> bool:
        """Whether the last of all came."""
        return bool(self.ended_at)

    @property
    def steady(self) -> bool:
        """Whether the last steps take no longer than the first ones."""
        return bool(self._compared) and all(pace.steady for pace in self._compared)

    @property
    def compared(self) -> bool:
        """Whether there are times enough to tell whether steps got slower."""
        return any(pace.compared for pace in self._compared)

    def findings(self) -> Iterator[DiagnosisFinding]:
        """Whether the last steps of a job take longer than its first ones; whether they wait for data."""
        for pace in self._compared:
            yield from pace.findings(by_rate=self._by_rate)
