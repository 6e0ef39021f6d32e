"""How long the checkpoints of a job took to be written, and whether that grew."""

import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median

from pydantic import BaseModel, ConfigDict

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import Pattern, finding, one_in, read

_SECONDS = {"ms": 1e-3, "m": 60.0}
_NUMBER = re.compile(r"[\d.]+")
_NEAR = 3  # lines in which one that has begun is said to be done
_KINDS = 16  # kinds of lines
_HEAD, _KEPT, _FEWEST = 5, 64, 4  # of each the first ones, the last ones, and how many at least
_GROWN, _ON_THE_WAY, _LONG = 5.0, 2.0, 10.0  # the last against the first, and the one before it; seconds that are long


class _Known(BaseModel):
    """The words of such lines; see ``knowledge/nccl/saves.yaml`` for what each key is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    of: tuple[str, ...]
    written: tuple[str, ...]
    others: tuple[str, ...]
    took: Pattern
    done: tuple[str, ...]
    ended: Pattern


@lru_cache(maxsize=1)
def _known() -> _Known:
    return _Known.model_validate(read("saves"))


def words() -> tuple[str, ...]:
    """In small letters: one is in every line that tells how long a checkpoint took."""
    return _known().of + _known().done


@dataclass
class _Saves:
    first: list[float] = field(default_factory=list)
    latest: deque[tuple[float, int]] = field(default_factory=lambda: deque(maxlen=_KEPT))
    count: int = 0

    @property
    def before(self) -> float:
        """The middle of the first ones, in seconds."""
        return median(self.first[: max(1, self.count // 2)])

    @property
    def grew(self) -> bool:
        """Whether the last two take much longer than the first ones: one alone may have more to write."""
        if self.count < _FEWEST:
            return False
        (nearly, _), (last, _) = [*self.latest][-2:]
        return last >= max(_LONG, _GROWN * self.before) and nearly >= _ON_THE_WAY * self.before


@dataclass
class Saves:
    """Takes the lines that tell how long a checkpoint took, those of one form for themselves."""

    _kinds: dict[str, _Saves] = field(default_factory=dict)
    _begun: tuple[int, str] = (0, "")  # the line that told last of one without its time, and its form

    def take(self, number: int, line: str, small: str) -> bool:
        """Read one line; whether it tells of one."""
        known, (begun, form) = _known(), self._begun
        if not (one_in(small, known.of) and one_in(small, known.written)) or one_in(small, known.others):
            took = known.ended.match(line) if number - begun <= _NEAR and one_in(small, known.done) else None
        elif took := known.took.search(line):
            form = _NUMBER.sub("", small[: took.start("time")].replace(" ", ""))
        else:
            self._begun = number, _NUMBER.sub("", small)
            return True
        if took is None:
            return False
        if form in self._kinds or len(self._kinds) < _KINDS:
            saves = self._kinds.setdefault(form, _Saves())
            unit = (took["unit"] or "s").lower()
            seconds = float(took["time"]) * _SECONDS.get("ms" if unit == "ms" else unit[0], 1.0)
            saves.count += 1
            if len(saves.first) < _HEAD:
                saves.first.append(seconds)
            saves.latest.append((seconds, number))
        return True

    def findings(self, *, steady: bool) -> Iterator[DiagnosisFinding]:
        """Whether they take much longer by the end; ``steady``: whether the steps between them do not."""
        for saves in self._kinds.values():
            if saves.grew:
                before, (after, _) = saves.before, saves.latest[-1]
                line = next(at for seconds, at in saves.latest if seconds >= _ON_THE_WAY * before)
                steps = ", while the steps between them take as long as before" if steady else ""
                yield finding("checkpoints-slower", line, before=before, after=after, steps=steps)
                return
