"""The steps of a job that trains: how long each took, and whether they got slower while it ran."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from assistant.vocabulary.answers import DiagnosisFinding

from .clock import seconds_between
from .jobs import Jobs
from .pace import Pace
from .pace_words import names_pace
from .signatures import OneOf, Pattern, one_in, read

_NUMBER = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
_DIGITS = re.compile(r"\d+")
_WAITED = ("data", "load", "wait")  # one is in every line that tells of it
_UNITS = ("seconds", "sec", "secs")  # labels that are in seconds by themselves
_UNIT = re.compile(r"[\d.]{0,16} ?(ms|s)\b")  # behind a number that has not ended, or at it
_BEFORE = 12  # characters by which a step is found in the line as it stands in the log


class _Known(BaseModel):
    """See ``knowledge/nccl/steps.yaml`` for what each key is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    told: tuple[str, ...]
    begins: tuple[str, ...]
    step: OneOf
    epoch: Pattern
    timed: tuple[str, ...]
    took: OneOf
    plainly: Pattern
    not_of: Pattern
    rate_apart: Pattern
    rate: Pattern
    data: Pattern
    size: Pattern


@lru_cache(maxsize=1)
def _known() -> _Known:
    return _Known.model_validate(read("steps"))


def _first(small: str) -> int:
    """From where on a step may be told of."""
    places = [at for word in _known().begins if (at := small.find(word)) >= 0]
    return 0 if small.startswith("{") or "%|" in small or not small.isascii() else min(places, default=0)


@lru_cache(maxsize=256)
def _of_a_step(before: str, label: str) -> bool:
    """Whether a time behind a plain word is one of a step, by what stands before it in small letters."""
    return _known().not_of.search(before) is None and names_pace(label, "s", before)


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
    _jobs: Jobs = field(default_factory=Jobs)
    _epoch: int = -1  # the last that was named
    named_epoch: bool = False  # whether the last line named one and was no step
    _plain: bool = False  # whether how long a step took stands behind a plain word

    def take(self, number: int, line: str, raw: bytes = b"") -> bool:
        """Read one line; whether it told of a step. ``raw``: the line as it stands in the log."""
        small, known = line.lower(), _known()
        epoch = known.epoch.search(line) if "epoch" in small else None
        self._epoch = int(epoch[1]) if epoch else self._epoch
        step = known.step.search(line, _first(small)) if one_in(small, known.told) else None
        self.named_epoch = epoch is not None and step is None
        if not step:
            return "throughput/" in small and bool(self.told) and self._rate_apart(number, line, raw)
        self.first, self.last, self.told = self.first or number, number, self.told + 1
        at, of = step["at"] or step["batch"], step["of"] or step["batches"]
        self.at = int(at) if at is not None else self.at
        if of is not None and at == of:
            self.ended_at = number
        before = raw[: max(0, raw.find(step[0][:_BEFORE].encode()))]
        paces = self._jobs.of(int(at or step["bar"] or -1), of or step["bars"] or "", before, self._epoch)
        paces = (self.every_job, *paces)
        if (time := self._took(line, small)) is not None:
            rate = None if self._by_rate or not self.every_job.asks_rates else _rate_in(line)
            waited = self._waited(line) if time > 0 and one_in(line, _WAITED) else None
            for pace in paces:
                pace.timed(time, number)
                pace.did(rate or 0.0)
                if waited is not None:
                    pace.waited(waited, time, number)
        for pace in paces:
            pace.as_printed(raw)
        return True

    @property
    def _compared(self) -> list[Pace]:
        """The steps that are compared with each other."""
        return [pace for pace in self._jobs.compared if not (self._plain and pace.is_a_clock)]

    def _rate_apart(self, number: int, line: str, raw: bytes) -> bool:
        """The rate of a step in a line of its own, of the first kind that came."""
        found = _known().rate_apart.search(line)
        name = line[: found.start(1)].strip() if found else ""
        if not found or not float(found[1]) or (self._label or name) != name:
            return False
        self._label, self._by_rate = name, True
        for pace in (self.every_job, *self._jobs.last):
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

    def _took(self, line: str, small: str) -> float | None:
        """How long a step took, as printed: behind the words behind which it stood before."""
        at = line.find(self._label) if self._label else -1
        if at >= 0 and (again := _NUMBER.match(line, at + len(self._label))):
            return float(again[0])
        first = not self.every_job.count
        asked = not (self._by_rate or self._plain) and one_in(line, _known().timed)
        if took := _known().took.search(line) if asked else None:
            value, often = float(took[took.lastgroup or 0]), took.lastgroup in ("times", "other")
            if took.lastgroup == "label":
                self._label = line[took.start() : took.start("label")]
            return (1 / value if value else None) if often else value
        if (first or self._plain) and (plainly := self._took_plainly(line, small)) is not None:
            self._plain = True
            return plainly
        rate = _rate_in(line) if self._by_rate or first else None
        self._by_rate = self._by_rate or rate is not None
        return 1 / rate if rate else None

    @staticmethod
    def _took_plainly(line: str, small: str) -> float | None:
        """How long a step took, behind a plain word in a line that names no other work."""
        found = _known().plainly.search(line)
        if found is None or (found["value"] and not (found["unit"] or found["label"].lower() in _UNITS)):
            return None
        before = _DIGITS.sub("0", small[: found.start()])
        return float(found["value"] or found["alone"]) if _of_a_step(before, "took") else None

    def _waited(self, line: str) -> float | None:
        """How long a step waited for data, in the unit in which the line has the time of the step."""
        if (found := _known().data.search(line)) is None:
            return None
        at = line.find(self._label) + len(self._label) if self._label in line else len(line)
        wait, step = (_UNIT.match(line, end) for end in (found.end(), at))
        factor = {("ms", "s"): 1e-3, ("s", "ms"): 1e3}.get((wait[1] if wait else "", step[1] if step else ""), 1.0)
        return float(found[found.lastindex or 0]) * factor

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


def _rate_in(line: str) -> float | None:
    """How much was done in a second, as a line says."""
    rate = _known().rate.search(line)
    return float((rate["value"] or rate["before"]).replace(",", "")) if rate else None
