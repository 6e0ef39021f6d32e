"""What PyTorch's watchdog says of collectives that did not end: ranks that met in different ones."""

import re
from collections.abc import Iterator

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import finding

_WAITS = re.compile(r"SeqNum=(\d{1,12}), OpType=(\w{1,40})")
_RANK = re.compile(r"\b[Rr]ank (\d{1,9})\b")
_GROUP = re.compile(r"\[PG (?:ID )?(\S{1,40})")
_POINT_TO_POINT = frozenset(("SEND", "RECV", "COALESCED"))  # two ranks of a pair do different things
_MOST = 100_000


class Collectives:
    """Reads the watchdog's lines; of each collective of a group, by number, what it was on which rank."""

    def __init__(self) -> None:
        self._waiting: dict[tuple[str, str], dict[str, str]] = {}
        self._mixed: tuple[int, str] | None = None

    def take(self, number: int, line: str) -> None:
        """Read one line; ``number``: its number in the file."""
        if "SeqNum=" not in line or self._mixed or len(self._waiting) > _MOST or not (waits := _WAITS.search(line)):
            return
        group, rank = _GROUP.search(line), _RANK.search(line)
        operation = waits[2].upper()
        if operation in _POINT_TO_POINT:
            return
        ranks = self._waiting.setdefault((group[1] if group else "", waits[1]), {})
        ranks.setdefault(operation, rank[1] if rank else "?")
        if len(ranks) > 1:
            said = ", ".join(f"rank {where} in {what}" for what, where in ranks.items())
            self._mixed = (number, f"number {waits[1]}: {said}")

    def findings(self) -> Iterator[DiagnosisFinding]:
        """The first collective in which ranks differ."""
        if self._mixed:
            yield finding("collectives-differ", self._mixed[0], said=self._mixed[1])
