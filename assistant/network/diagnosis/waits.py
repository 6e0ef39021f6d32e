"""Who waits for others: of each rank, until a line of the same rank, or of all, says that it does no more."""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from .signatures import Pattern, read

_RANK = re.compile(r"\brank[ _:=#]{0,2}(\d{1,6})\b", re.IGNORECASE)
_MOST = 10_000  # ranks whose waits are remembered, and those that are waited for


class _Known(BaseModel):
    """See ``knowledge/nccl/waits.yaml`` for what each key is."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    all: Pattern
    of_ranks: Pattern


@lru_cache(maxsize=1)
def _known() -> _Known:
    return _Known.model_validate(read("waits"))


@dataclass
class Waits:
    """Takes the lines that tell of a wait (``no-progress``) and of its end (``wait-over``)."""

    _waiting: set[str] = field(default_factory=set)  # the ranks that wait
    _awaited: set[str] = field(default_factory=set)  # where a line names none that waits: for whom, empty for nobody

    @property
    def over(self) -> bool:
        """Whether nobody waits any more."""
        return not (self._waiting or self._awaited)

    def began(self, line: str, said: str) -> None:
        """A line tells of a wait; ``said``: how, in its words."""
        who, awaited = _parties(line, said)
        waits, name = (self._waiting, who) if who else (self._awaited, awaited)
        if len(waits) < _MOST:
            waits.add(name)

    def ended(self, line: str, said: str) -> None:
        """A line tells that a wait is over: of the rank that it names, of all where it names none but speaks of
        ranks."""
        who, awaited = _parties(line, said)
        if _known().all.search(line) or (not who and _known().of_ranks.search(line)):
            self._waiting.clear()
            self._awaited.clear()
        elif who:
            self._waiting.discard(who)
            self._awaited -= {awaited} - {""}


def _parties(line: str, said: str) -> tuple[str, str]:
    """The rank that a line names first before what is ``said``, and the first in and behind that."""
    at = max(line.find(said), 0)
    who, awaited = _RANK.search(line, 0, at), _RANK.search(line, at)
    return who[1] if who else "", awaited[1] if awaited else ""
