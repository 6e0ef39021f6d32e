"""The pace of the steps of one job: whether the last ones take longer than the first."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import finding, read

_LOOKED, LARGER = 2000, 1.1  # bytes of a line; what is no chance
_RISES, _FALLS = 0.8, 0.05  # of the values of a clock, which counts on: steps scatter
_HEAD, FEWEST, _FEW = 200, 5, 10  # steps that are compared, at either end, and the least of a log; few of them
_STARTS = 2  # steps that wait for a loader which starts
WAITING = 0.3  # of a step: loaders that keep up take some hundredths of it
STEADY = 1.05  # the last steps against the first, where nothing slowed them down
SLOWER, MUCH = 1.25, 1.6  # the last ones against the first: steps scatter by some per cent; where there are few


@lru_cache(maxsize=1)
def _size() -> re.Pattern[bytes]:
    return re.compile(read("steps")["size"].encode(), re.IGNORECASE)


def _larger(before: bytes, after: bytes) -> bool:
    """Whether a later line of a step names a larger size of what a step works on than an earlier one does."""
    sizes = [
        {name.lower(): float(value) for name, value in _size().findall(line[:_LOOKED])} for line in (before, after)
    ]
    return any(value > LARGER * sizes[0][name] > 0 for name, value in sizes[1].items() if name in sizes[0])


@dataclass
class Pace:
    """How long the first and the last steps took, as printed, and how much was done in a second."""

    count: int = 0
    _rises: int = 0  # how often one took longer than the one before, and how often less
    _falls: int = 0
    printed: tuple[bytes, bytes] = (b"", b"")  # the first and the last line as they stand in the log
    _first: list[float] = field(default_factory=list)
    _latest: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=_HEAD))
    _rates: list[float] = field(default_factory=list)
    _latest_rates: deque[float] = field(default_factory=lambda: deque(maxlen=_HEAD))
    _waits: deque[tuple[float, float, int]] = field(default_factory=lambda: deque(maxlen=_HEAD))

    def timed(self, time: float, number: int) -> None:
        """Keep how long a step took."""
        self.count += 1
        before = self._latest[-1][0] if self._latest else time
        self._rises, self._falls = self._rises + (time > before), self._falls + (time < before)
        if len(self._first) < _HEAD:
            self._first.append(time)
        self._latest.append((time, number))

    def did(self, done: float) -> None:
        """Keep how much a step did in a second, where a line says that beside how long it took."""
        if not self._rates and self.count > 1:
            return
        if done and len(self._rates) < _HEAD:
            self._rates.append(done)
        if done:
            self._latest_rates.append(done)

    def waited(self, wait: float, step: float, number: int) -> None:
        """Keep how long a step waited for data, and how long it took in all."""
        self._waits.append((wait, step, number))

    @property
    def _waiting(self) -> float:
        """The share of their time that steps wait for data, without the two that waited longest: loaders that start
        again with an epoch take as long once."""
        steps = sorted(self._waits)[:-_STARTS]
        return sum(wait for wait, _, _ in steps) / (sum(step for _, step, _ in steps) or 1.0)

    def as_printed(self, raw: bytes) -> None:
        """Keep the line of a step for what else is in it."""
        self.printed = (self.printed[0] or raw, raw)

    @property
    def asks_rates(self) -> bool:
        """Whether the rate of a step is asked: no, where the first line said none."""
        return bool(self._rates) or self.count <= 1

    @property
    def _longer_by_design(self) -> bool:
        """Whether the last steps did as much a second as the first ones, or say that they do more: longer sequences, or
        larger batches."""
        half = min(len(self._latest_rates) // 2, len(self._rates))
        if half < 2:  # no line says how much was done in a second
            return _larger(*self.printed)
        return median(self._rates[:half]) < SLOWER * median([*self._latest_rates][-half:])

    @property
    def is_a_clock(self) -> bool:
        """Whether what is printed counts on from step to step."""
        return self._rises >= _RISES * (self.count - 1) and self._falls <= _FALLS * self.count

    @property
    def _ends(self) -> tuple[float, float]:
        """The middle of the first steps and of the last ones."""
        half = min(self.count // 2, _HEAD)
        return median(self._first[:half]), median(took for took, _ in [*self._latest][-half:])

    @property
    def compared(self) -> bool:
        """Whether there are times enough to tell whether steps got slower."""
        return self.count >= FEWEST

    @property
    def steady(self) -> bool:
        """Whether the last steps take no longer than the first ones."""
        return self.compared and self._ends[1] <= STEADY * self._ends[0]

    def findings(self, *, by_rate: bool) -> Iterator[DiagnosisFinding]:
        """Whether the last steps take longer than the first ones; whether they wait for data."""
        if len(self._waits) >= FEWEST and WAITING < (share := self._waiting) < 1:
            yield finding("waits-for-data", max(self._waits)[2], share=share)
        if not self.compared:
            return
        before, after = self._ends
        least = SLOWER if self.count >= _FEW else MUCH
        if after > least * before and not self._longer_by_design:
            line = next(at for took, at in self._latest if took > least * before)
            if by_rate:
                yield finding("steps-slower-by-rate", line, before=1 / before, after=1 / after)
            else:
                yield finding("steps-slower", line, before=before, after=after)
