"""What PyTorch's watchdog says of collectives that did not end: ranks that met in different ones, and ranks that never
came."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from pydantic import BaseModel, ConfigDict

from assistant.vocabulary.answers import DiagnosisFinding

from .signatures import Pattern, finding, one_in, read

_WAITS = re.compile(r"SeqNum=(\d{1,12}), OpType=(\w{1,40})")
_BEGUN = re.compile(r"last enqueued (?:NCCL )?work: (\d{1,12})")
_RANK = re.compile(r"\b[Rr]ank (\d{1,9})\b")
_SPEAKER = re.compile(r"\W{0,4}rank[ :=]?(\d{1,9})\b", re.IGNORECASE)  # who prints a line
_GROUP = re.compile(r"\[PG (?:ID )?(\d{1,9})")
_POINT_TO_POINT = frozenset(("SEND", "RECV", "COALESCED"))  # two ranks of a pair do different things
_MOST = 100_000
_TOLD = 100  # tallies of unlike ranks that are remembered: more of them name no single ones
_NAMED = 4


class _Tallies(BaseModel):
    """Lines that tell at which collective ranks are, by the words they have; a pattern is found once for each number,
    with the groups ``at``, ``who`` (one rank), ``place`` (of it), ``all`` where of all but for ``other``; ``group``: of
    which ranks' collectives, where a line names another group than that of all."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    has: tuple[str, ...]
    patterns: tuple[Pattern, ...]
    group: Pattern


@lru_cache(maxsize=1)
def _tallies() -> _Tallies:
    return _Tallies.model_validate(read("tallies"))


def words() -> tuple[str, ...]:
    """In small letters: one is in every line that tells at which collective ranks are."""
    return _tallies().has


@dataclass
class _Tally:
    """A line that tells who is behind: the ranks, with their places, at which collective of their ``group`` they are
    and the others; how many lines tell the same."""

    line: int
    group: str
    behind: dict[int, tuple[int, str]]
    at: int
    last: int = 0  # the last one
    count: int = 0

    @property
    def who(self) -> str:
        """The ranks with their places."""
        return ", ".join(f"rank {rank}{place}" for rank, (_, place) in self.behind.items())

    def after(self, rank: int, at: int) -> None:
        """A later line tells at which collective a rank is: it came, where that is no earlier one."""
        if at >= self.at:
            self.behind.pop(rank, None)


@dataclass
class Collectives:
    """Reads the watchdog's lines; of each collective of a group, by number, what it was on which rank."""

    ranks: set[int] = field(default_factory=set)  # that speak
    _waiting: dict[tuple[str, str], dict[str, set[str]]] = field(default_factory=dict)
    _mixed: tuple[int, tuple[str, str]] | None = None  # the first in which ranks differ, and its line
    _tallied: list[_Tally] = field(default_factory=list)  # of whom no later line tells that they went on
    _begun: dict[str, dict[int, tuple[int, int]]] = field(default_factory=dict)  # group → rank → collective, line

    def take(self, number: int, line: str, stepped: int = 0) -> None:
        """Read one line; ``number``: its number in the file; ``stepped``: the line of the last step, to which all ranks
        came."""
        if "last enqueued" in line and (begun := _BEGUN.search(line)) and (rank := _RANK.search(line)):
            ranks = self._begun.setdefault(found[1] if (found := _GROUP.search(line)) else "", {})
            if len(ranks) < _MOST:
                ranks[int(rank[1])] = (int(begun[1]), number)
            self._went_on(line, int(rank[1]), int(begun[1]))
        if one_in(line.lower(), _tallies().has):
            self._tallied = [each for each in self._tallied if each.last > stepped]
            self._tally(number, line)
        if "SeqNum=" not in line or len(self._waiting) > _MOST or not (waits := _WAITS.search(line)):
            return
        group, rank = _GROUP.search(line), _RANK.search(line)
        if rank and len(self.ranks) < _MOST:
            self.ranks.add(int(rank[1]))
        if rank:
            self._went_on(line, int(rank[1]), int(waits[1]))
        operation = waits[2].upper()
        if operation in _POINT_TO_POINT:
            return
        at = (group[1] if group else "", waits[1])
        ranks = self._waiting.setdefault(at, {})
        its = ranks.setdefault(operation, set())
        if len(its) < _MOST:
            its.add(rank[1] if rank else "?")
        if len(ranks) > 1 and not self._mixed:
            self._mixed = number, at

    def _went_on(self, line: str, rank: int, at: int) -> None:
        """A rank is at a collective of the group of all ranks, which is the one that most tallies count in."""
        group = _GROUP.search(line)
        if self._tallied and (group is None or int(group[1]) == 0):
            for each in self._tallied:
                if not each.group:
                    each.after(rank, at)
            self._tallied = [each for each in self._tallied if each.behind]

    def _tally(self, number: int, line: str) -> None:
        """Who is behind, where one line tells at which collective single ranks are, and where the others; who was
        behind before in that group and is not there any more went on."""
        every = [[*pattern.finditer(line)] for pattern in _tallies().patterns]
        whole = next((found for found in every if len(found) == 1 and found[0]["all"] and not found[0]["other"]), [])
        told = next((found for found in every if len(found) > 1), whole)
        if not told:
            return
        ahead, group = max(int(each["at"]) for each in told), _group_of(line)
        behind = [each for each in told if int(each["at"]) < ahead]
        named = {int(each["who"]): int(each["at"]) for each in behind if each["who"]}
        for before in self._tallied:
            for rank in [*before.behind] if before.group == group else ():
                before.after(rank, named.get(rank, ahead) if len(named) == len(behind) else 0)
        self._tallied = [each for each in self._tallied if each.behind]
        others = any(int(each["at"]) == ahead and not each["who"] for each in told)
        if others and 0 < len(behind) <= _NAMED and len(named) == len(behind):
            places = {int(each["who"]): f" ({each['place']})" if each["place"] else "" for each in behind}
            self._keep(_Tally(number, group, {rank: (at, places[rank]) for rank, at in named.items()}, ahead))

    def _keep(self, tally: _Tally) -> None:
        """Count a tally with those of the same ranks."""
        same = (each for each in self._tallied if each.group == tally.group and [*each.behind] == [*tally.behind])
        first = next(same, tally)
        if first is tally and len(self._tallied) < _TOLD:
            self._tallied.append(tally)
        first.last, first.count = tally.line, first.count + 1

    def findings(self, ranks: int, stepped: int = 0) -> Iterator[DiagnosisFinding]:
        """The first collective in which ranks differ, and who never came; ``ranks``: of the job, 0 when not known;
        ``stepped``: the line of its last step, to which all ranks came."""
        if self._mixed:
            number, at = self._mixed
            yield finding("collectives-differ", number, said=f"number {at[1]}: {_apart(self._waiting[at])}")
            return
        if tallied := [each for each in self._tallied if each.last > stepped]:
            first, lines = tallied[0], sum(each.count for each in tallied)
            again = f"; so {first.count} times of {lines}" if lines > 1 else ""
            last = min(at for at, _ in first.behind.values())
            yield finding("rank-behind-in-tally", first.line, who=first.who, at=first.at, last=last, again=again)
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


def _apart(by_operation: dict[str, set[str]]) -> str:
    """Which ranks are in which collective; of most of them only how many, so that the odd ones are seen."""
    most = max(by_operation, key=lambda what: len(by_operation[what]))
    told, rest = list[str](), ""
    for what, its in by_operation.items():
        if what == most and len(its) > max(2, sum(map(len, by_operation.values())) // 2):
            rest = f", the other {len(its)} in {what}"
        else:
            ranks = sorted(its, key=lambda rank: (len(rank), rank))
            more = f" and {len(ranks) - _NAMED} more" if len(ranks) > _NAMED else ""
            told.append(f"rank{'s' if len(ranks) > 1 else ''} {', '.join(ranks[:_NAMED])}{more} in {what}")
    return ", ".join(told) + rest


def _group_of(line: str) -> str:
    """The group in which a tally counts, empty where it is that of all ranks; another one is also of whoever prints it,
    as there are several of its name."""
    numbered, named = _GROUP.search(line), _tallies().group.search(line)
    group = numbered[1].lstrip("0") if numbered else named[named.lastgroup or 0].lower() if named else ""
    speaker = _SPEAKER.match(line) if group else None
    return f"{group} of {speaker[1] if speaker else ''}" if group else ""


def _named(ranks: list[int]) -> str:
    more = f" and {len(ranks) - _NAMED} more" if len(ranks) > _NAMED else ""
    return f"rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks[:_NAMED]))}{more}"
