"""The steps of a job that trains: how long each took, and whether they got slower while it ran."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median

from assistant.vocabulary.answers import DiagnosisFinding

from .clock import seconds_between
from .signatures import finding, one_in

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
# What a step works on, where its line says how much that is.
_SIZE = re.compile(
    rb"(?<![\w/])((?:max_?)?seq(?:uence)?[_ -]?len\w{0,4}|ctx(?:_len)?|context(?:_len\w{0,4})?|tokens(?:/|_per_)step|"
    rb"(?:global[_ -]?|micro[_ -]?)?batch[_ -]?size|[gm]?bs|response_length/mean|resolution|num_microbatches)"
    rb"\s?[=:]?\s?(\d{1,9}(?:\.\d{1,3})?)",
    re.I,
)
_LOOKED, LARGER = 2000, 1.1  # bytes of a line; what is no chance
_DATA = re.compile(
    r"\b(?:data(?:loader|_load\w{0,3})?[_ ](?:time|wait)|load_time|batch_wait|input_wait)(?:_m?s)?\s?[:=]?\s?"
    r"(\d{1,9}(?:\.\d{1,6})?)",
    re.I,
)
_TIMED, _WAITED = ("ime", "step_", "s/it", "/step"), ("data", "load", "wait")  # one is in every such line
_HEAD, _FEWEST, _FEW = 200, 5, 10  # steps that are compared, at either end, and the least of a log; few of them
WAITING = 0.3  # of a step: loaders that keep up take some hundredths of it
STEADY = 1.05  # the last steps against the first, where nothing slowed them down
SLOWER, MUCH = 1.25, 1.6  # the last ones against the first: steps scatter by some per cent; where there are few


def _larger(before: bytes, after: bytes) -> bool:
    """Whether a later line of a step names a larger size of what a step works on than an earlier one does."""
    sizes = [{name.lower(): float(value) for name, value in _SIZE.findall(line[:_LOOKED])} for line in (before, after)]
    return any(value > LARGER * sizes[0][name] > 0 for name, value in sizes[1].items() if name in sizes[0])


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
    printed: tuple[bytes, bytes] = (b"", b"")  # the first and the last one as they stand in the log
    _first: list[float] = field(default_factory=list)
    _latest: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=_HEAD))
    _count: int = 0
    _label: str = ""  # what stands before the time of a step
    _by_rate: bool = False  # the lines say how much was done in a second, and not how long a step took
    _rates: list[float] = field(default_factory=list)
    _latest_rates: deque[float] = field(default_factory=lambda: deque(maxlen=_HEAD))
    _waits: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=_HEAD))

    def take(self, number: int, line: str) -> bool:
        """Read one line; whether it told of a step."""
        small = line.lower()
        step = _STEP.search(line, _first(small)) if one_in(small, _TOLD) else None
        if not step:
            return "throughput/" in small and bool(self.told) and self._rate_apart(number, line)
        self.first, self.last, self.told = self.first or number, number, self.told + 1
        at, of = step["at"] or step["batch"], step["of"] or step["batches"]
        self.at = int(at) if at is not None else self.at
        if of is not None and at == of:
            self.ended_at = number
        if (time := self._took(line)) is not None:
            self._timed(time, number)
            self._count_rate(line)
            if time > 0 and one_in(line, _WAITED) and (waited := _DATA.search(line)):
                self._waits.append((float(waited[1]) / time, number))
        return True

    def _rate_apart(self, number: int, line: str) -> bool:
        """The rate of a step in a line of its own, of the first kind that came."""
        found = _RATE_APART.search(line)
        name = line[: found.start(1)].strip() if found else ""
        if not found or not float(found[1]) or (self._label or name) != name:
            return False
        self._label, self._by_rate = name, True
        self._timed(1 / float(found[1]), number)
        return True

    def _timed(self, time: float, number: int) -> None:
        """Keep how long a step took."""
        self._count += 1
        if len(self._first) < _HEAD:
            self._first.append(time)
        self._latest.append((time, number))

    def _count_rate(self, line: str) -> None:
        """How much was done in a second, where a line says that beside how long the step took."""
        if self._by_rate or (not self._rates and self._count > 1):
            return
        rate = _RATE.search(line)
        done = float(rate[1].replace(",", "")) if rate else 0.0
        if done and len(self._rates) < _HEAD:
            self._rates.append(done)
        if done:
            self._latest_rates.append(done)

    @property
    def _longer_by_design(self) -> bool:
        """Whether the last steps did as much a second as the first ones, or say that they do more: longer sequences, or
        larger batches."""
        half = min(len(self._latest_rates) // 2, len(self._rates))
        if half < 2:  # no line says how much was done in a second
            return _larger(*self.printed)
        return median(self._rates[:half]) < SLOWER * median([*self._latest_rates][-half:])

    def as_printed(self, raw: bytes) -> None:
        """Keep a line that :meth:`take` took for the time of the day in it."""
        self.printed = (self.printed[0] or raw, raw)

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
            rate = _RATE.search(line) if self._by_rate or not self._count else None
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
        half = min(self._count // 2, _HEAD)
        if self._count < _FEWEST:
            return False
        return median(took for took, _ in [*self._latest][-half:]) <= STEADY * median(self._first[:half])

    @property
    def compared(self) -> bool:
        """Whether there are times enough to tell whether steps got slower."""
        return self._count >= _FEWEST

    def findings(self) -> Iterator[DiagnosisFinding]:
        """Whether the last steps take longer than the first ones; whether they wait for data."""
        if len(self._waits) >= _FEWEST and WAITING < (share := median(share for share, _ in self._waits)) < 1:
            yield finding("waits-for-data", self._waits[0][1], share=share)
        half = min(self._count // 2, _HEAD)
        if self._count < _FEWEST:
            return
        before, after = median(self._first[:half]), median(took for took, _ in [*self._latest][-half:])
        least = SLOWER if self._count >= _FEW else MUCH
        if after > least * before and not self._longer_by_design:
            line = next(at for took, at in self._latest if took > least * before)
            if self._by_rate:
                yield finding("steps-slower-by-rate", line, before=1 / before, after=1 / after)
            else:
                yield finding("steps-slower", line, before=before, after=after)
