"""The starts of a job from what it saved: one that starts again and again from the same step makes no progress. What
lines say of a start is ``knowledge/nccl/attempts.yaml``."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import Pattern, finding, one_in, read

_LOOP = 3  # starts from one step: twice may be chance


class _Starts(BaseModel):
    """``pattern``, with the group ``step``, is asked where one of the words it ``has`` is in a line; ``not_of``: of
    lines with these words those that tell of no start."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    has: tuple[str, ...]
    pattern: Pattern
    not_of: Pattern


@lru_cache(maxsize=1)
def _starts() -> _Starts:
    return _Starts.model_validate(read("attempts"))


def words() -> tuple[str, ...]:
    """In small letters: one is in every line that tells of a start."""
    return _starts().has


@dataclass
class Attempts:
    """Takes the lines that tell from which step a job goes on; lines are numbers in the file."""

    _step: int = -1  # of the last start
    _line: int = 0  # the first of those in a row from that step
    _count: int = 0  # of these
    _done: int = 0  # steps done, as that start was told

    def take(self, number: int, line: str, steps: int, at: int) -> bool:
        """Read one line, before which so many ``steps`` were done, the last ``at`` that number (-1 where it is not
        told); whether it told of a start. Of one attempt all ranks tell: the next one begins where steps were done
        since. What counts its steps anew starts from another job's."""
        small = line.lower()
        if not one_in(small, words()) or not (told := _starts().pattern.search(line)) or _starts().not_of.search(line):
            return False
        step = int(told["step"])
        if not step:  # an epoch begins there as well
            return False
        if step != self._step:
            self._step, self._line, self._count, self._done = step, number, 1, steps
        elif steps > self._done and not 0 <= at < step:
            self._count, self._done = self._count + 1, steps
        return True

    def ended(self) -> None:
        """The job came to its end as meant: what starts from the same step is another one."""
        self._step = -1

    def findings(self) -> Iterator[DiagnosisFinding]:
        """The starts of a job that makes no progress."""
        if self._step >= 0 and self._count >= _LOOP:
            yield finding("restart-loop", self._line, step=self._step, times=self._count)
