"""What PyTorch's watchdog says of collectives that did not end: ranks that met in different ones, and ranks that never
came."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import finding

_WAITS = re.compile(r"SeqNum=(\d{1,12}), OpType=(\w{1,40})")
_BEGUN = re.compile(r"last enqueued (?:NCCL )?work: (\d{1,12})")
_RANK = re.compile(r"\b[Rr]ank (\d{1,9})\b")
_GROUP = re.compile(r"\[PG (?:ID )?(\d{1,9})")
_POINT_TO_POINT = frozenset(("SEND", "RECV", "COALESCED"))  # two ranks of a pair do different things
_MOST = 100_000
_NAMED = 4


@dataclass
class Collectives:
    """Reads the watchdog's lines; of each collective of a group, by number, what it was on which rank."""

    _waiting: dict[tuple[str, str], dict[str, str]] = field(default_factory=dict)
    _mixed: tuple[int, str] | None = None
    _begun: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)  # group → rank → collective, line

    def take(self, number: int, line: str) -> None:
        """Read one line; ``number``: its number in the file."""
        if "last enqueued" in line and (begun := _BEGUN.search(line)) and (rank := _RANK.search(line)):
            ranks = self._begun.setdefault(found[1] if (found := _GROUP.search(line)) else "", {})
            if len(ranks) < _MOST:
                ranks[int(rank[1])] = (int(begun[1]), number)
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

    def findings(self, ranks: int) -> Iterator[DiagnosisFinding]:
        """The first collective in which ranks differ, and who never came; ``ranks``: of the job, 0 when not known."""
        if self._mixed:
            yield finding("collectives-differ", self._mixed[0], said=self._mixed[1])
            return
        for begun in self._begun.values():
            at, first = max(last for last, _ in begun.values()), min(line for _, line in begun.values())
            behind = {rank: each for rank, each in sorted(begun.items()) if each[0] < at}
            silent = sorted(set(range(ranks)) - set(begun))
            if behind and len(behind) <= len(begun) // 2:
                last, line = min(behind.values())
                yield finding("rank-behind", line, who=_named([*behind]), at=at, last=last)
            elif not behind and silent and len(silent) <= ranks // 8:
                yield finding("rank-silent", first, who=_named(silent), at=at, ranks=ranks)
            elif not behind and len(begun) == ranks > 1:
                yield finding("all-ranks-came", first, at=at)


def _named(ranks: list[int]) -> str:
    more = f" and {len(ranks) - _NAMED} more" if len(ranks) > _NAMED else ""
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks[:_NAMED]))}{more}"
