"""Who waits for others: of each rank, until a line of the same rank, or of all, says that it does no more."""

import re
from dataclasses import dataclass, field

_RANK = re.compile(r"\brank[ _:=#]{0,2}(\d{1,6})\b", re.IGNORECASE)
_ALL = re.compile(r"\b(?:all|every)\b[\w ]{0,12}\b(?:ranks?|process(?:es)?|workers?)\b", re.IGNORECASE)
_MOST = 10_000  # waits that are remembered: one of each rank of a large job


@dataclass
class Waits:
    """Takes the lines that tell of a wait (``no-progress``) and of its end (``wait-over``)."""

    _open: set[tuple[str, str]] = field(default_factory=set)  # who waits and for whom, empty where a line names none

    @property
    def over(self) -> bool:
        """Whether nobody waits any more."""
        return not self._open

    def began(self, line: str, said: str) -> None:
        """A line tells of a wait; ``said``: how, in its words."""
        if len(self._open) < _MOST:
            self._open.add(_parties(line, said))

    def ended(self, line: str, said: str) -> None:
        """A line tells that a wait is over: of the rank that it names, of all where it names none."""
        who, awaited = _parties(line, said)
        if not who or _ALL.search(line):
            self._open.clear()
            return
        self._open = {
            (waits, of) for waits, of in self._open if waits != who and not (not waits and of and of == awaited)
        }


def _parties(line: str, said: str) -> tuple[str, str]:
    """The rank that a line names first before what is ``said``, and the first in and behind that."""
    at = max(line.find(said), 0)
    who, awaited = _RANK.search(line, 0, at), _RANK.search(line, at)
    return who[1] if who else "", awaited[1] if awaited else ""
