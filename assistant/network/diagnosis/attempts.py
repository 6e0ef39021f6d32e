"""The starts of a job from what it saved: one that starts again and again from the same step makes no progress. What
lines say of a start is ``knowledge/nccl/attempts.yaml``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import Pattern, finding, one_in, read
from .steps import Steps

_HEADS = tuple("=#*-")  # one begins a heading
_MOST = 10_000  # trials that are remembered, and those who tell of a start
_LOOP = 3  # starts from one step: twice may be chance


class _Lines(BaseModel):
    """Lines that the ``pattern`` finds where one of the words they ``have`` is in them, but for ``not_of``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    has: tuple[str, ...]
    pattern: Pattern
    not_of: Pattern
    within: bool = False

    def told(self, line: str, small: str) -> re.Match[str] | None:
        """What a line tells, ``None`` where it is none of these."""
        found = self.pattern.search(line) if one_in(small, self.has) else None
        return None if found is None or self.not_of.search(found[0] if self.within else line) else found


class _Known(BaseModel):
    """See the file for what each is of."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: _Lines
    saved: _Lines
    step: Pattern
    whole: Pattern
    another: _Lines
    heading: _Lines
    who: Pattern


@lru_cache(maxsize=1)
def _known() -> _Known:
    return _Known.model_validate(read("attempts"))


@lru_cache(maxsize=1)
def words() -> tuple[str, ...]:
    """In small letters: one is in every line that tells of a start, or of what comes between two."""
    known = _known()
    return tuple({word for each in (known.start, known.saved, known.another, known.heading) for word in each.has})


@dataclass
class Attempts:
    """Takes the lines that tell from which step a job goes on; lines are numbers in the file."""

    _step: int = -1  # of the last start
    _line: int = 0  # the first of those from that step since something was saved
    _latest: int = 0  # and the last one
    _told: dict[str, tuple[int, int]] = field(default_factory=dict)  # by who tells: how many, steps done at the last
    _trials: set[str] = field(default_factory=set)  # as lines name them
    _heading: str = ""  # of whom the lines are
    passed_over: bool = False  # whether the last line may tell of what was saved, and was not looked at

    def take(self, number: int, line: str, raw: str, steps: Steps) -> bool:
        """Read one line, as cleaned and as it stands in the log; whether it told of a start, or of what makes the next
        start no repetition. Of one attempt all ranks tell, each in its own lines: the next one begins where steps were
        done since. What counts its steps anew starts from another job's."""
        small, known, self.passed_over = line.lower(), _known(), False
        if line[:1] in _HEADS and (heading := known.heading.told(line, small)):
            self._heading = heading["who"]
            return True
        told = known.start.told(line, small)
        if told and (step := int(told["step"])):  # at step 0 an epoch begins as well
            self._started(number, step, self._who(raw), steps)
            return True
        if self._step >= 0 and (saved := known.saved.told(line, small)):
            if self._is_newer(saved[0], line, steps):
                self.ended()
            return True
        another = known.another.told(line, small)
        if another and another[0] not in self._trials:
            self.ended()
            if len(self._trials) < _MOST:
                self._trials.add(another[0])
        self.passed_over = self.waits and another is None and one_in(small, known.saved.has)
        return another is not None or self.passed_over

    @property
    def waits(self) -> bool:
        """Whether there is no start yet: what is saved then is not looked at, and will be behind one."""
        return self._step < 0

    def _started(self, number: int, step: int, who: str, steps: Steps) -> None:
        """Count a start that a rank or host tells of."""
        if step != self._step or steps.ended_at > self._line:
            self._step, self._line, self._told = step, number, {}
        self._latest = number
        times, done = self._told.get(who, (0, -1))
        if (not times and len(self._told) < _MOST) or (times and steps.told > done and not 0 <= steps.at < step):
            self._told[who] = times + 1, steps.told

    def _is_newer(self, said: str, line: str, steps: Steps) -> bool:
        """Whether what is saved, as a line says, holds more than what the job started from."""
        if named := [int(each["step"]) for each in _known().step.finditer(line)]:
            return max(named) > self._step
        since = steps.last > self._latest and not 0 <= steps.at <= self._step
        return since and _known().whole.search(said) is not None

    def _who(self, raw: str) -> str:
        """Which rank or host a line is of, empty where nothing tells."""
        told = _known().who.search(raw)
        return f"{self._heading} {told[0] if told else ''}"

    def ended(self) -> None:
        """The job came to its end as meant, or saved something: what starts from the same step is another one."""
        self._step = -1

    def findings(self) -> Iterator[DiagnosisFinding]:
        """The starts of a job that makes no progress."""
        times = max((count for count, _ in self._told.values()), default=0)
        if self._step >= 0 and times >= _LOOP:
            yield finding("restart-loop", self._line, step=self._step, times=times)
