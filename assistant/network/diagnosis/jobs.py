"""The paces of jobs that print to one log, one after the other or side by side."""

import re
from dataclasses import dataclass, field

from .pace import Pace

# What stands before the lines of a job, where several print to one log: [A 9001], job-17:, run-b |
_TAG = re.compile(rb"\s{0,8}\[?([^\]\[|:\n]{0,24}[A-Za-z][^\]\[|:\n]{0,24})[\]|:]")
_MOST, _TURNS = 8, 2  # side by side at most, and how often one comes again after another where they do
_NEXT = 3  # times as far as from one step to the next: what is printed then is the next one
_OVER = 64  # of those that are over

Name = tuple[str, bytes]  # of a job: the total of its steps, and what stands before its lines


@dataclass
class _Job:
    pace: Pace = field(default_factory=Pace)
    first: int = -1  # the number of its first step, and of its last one
    at: int = -1
    stride: int = 0  # from the last but one to that
    epoch: int = -1  # in which the last one was

    def begins_anew(self, at: int, epoch: int) -> bool:
        """Whether a step is the first one of another job: its number falls back to where this one began, and no epoch
        began since."""
        return 0 <= at <= self.first and at < self.at and epoch <= self.epoch

    def goes_on(self, at: int) -> bool:
        """Whether a step, of another total, is the next one of this job."""
        return self.stride > 0 and self.at < at <= self.at + _NEXT * self.stride

    def stepped(self, at: int, epoch: int) -> None:
        """Keep where the job stands."""
        self.stride = at - self.at if 0 <= self.at < at else self.stride
        self.first, self.at, self.epoch = self.first if self.first >= 0 else at, at, epoch


@dataclass
class _Apart:
    """Jobs that their names tell from each other; one that begins its steps anew is another."""

    named: dict[Name, _Job] = field(default_factory=dict)
    last: Name | None = None  # of the last step
    over: list[Pace] = field(default_factory=list)

    def of(self, name: Name, at: int, epoch: int) -> Pace:
        """The pace of the job that a step is of."""
        job = self.named.get(name)
        if job is not None and job.begins_anew(at, epoch):
            self._ended(name)
        if name not in self.named:
            before = self.named.get(self.last) if self.last and self.last[1] == name[1] else None
            self.named[name] = self.named.pop(self.last) if self.last and before and before.goes_on(at) else _Job()
            if len(self.named) > _MOST + 1:
                self._ended(next(iter(self.named)))
        self.last = name
        self.named[name].stepped(at, epoch)
        return self.named[name].pace

    def _ended(self, name: Name) -> None:
        pace = self.named.pop(name).pace
        if pace.compared and len(self.over) < _OVER:
            self.over.append(pace)

    @property
    def compared(self) -> list[Pace]:
        """Those of which there are steps enough."""
        return [*self.over, *(job.pace for job in self.named.values() if job.pace.compared)]


@dataclass
class Jobs:
    """Takes the steps of a log, each with its number and the total where it tells them; knows to which job they
    belong."""

    _by_total: _Apart = field(default_factory=_Apart)
    _by_name: _Apart = field(default_factory=_Apart)
    _last: Name | None = None  # of the last step
    _many: bool = False  # whether there are too many to be told from each other by what stands before
    _turns: int = 0  # how often a job came again after another
    last: tuple[Pace, ...] = ()  # of the last step

    def of(self, at: int, of: str, before: bytes, epoch: int) -> tuple[Pace, ...]:
        """The paces that a step is kept with: of the jobs of its total, and of what stands before it as well."""
        tag = _TAG.match(before)
        name = of, tag[1] if tag else b""
        known = name in self._by_name.named
        self._many = self._many or (not known and len(self._by_name.named) > _MOST)
        self._turns += known and name != self._last
        self._last = name
        by_total = self._by_total.of((of, b""), at, epoch)
        self.last = (by_total,) if self._many else (by_total, self._by_name.of(name, at, epoch))
        return self.last

    @property
    def compared(self) -> list[Pace]:
        """The paces of which the steps are compared with each other: of jobs side by side by what stands before their
        lines, else by the total of their steps."""
        aside = not self._many and self._turns >= _TURNS and 1 < len(self._by_name.named) <= _MOST
        return self._by_name.compared if aside else self._by_total.compared
