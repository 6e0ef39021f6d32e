"""Results of many trials that a log lists line by line: by pairs of hosts, by host, by adapter."""

import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import lru_cache

from .by_rank import ByRank
from .columns import is_one_gpu
from .signatures import one_in, read
from .slow import ALIKE, DROP, Slow

_UNIT = re.compile(
    r"\b(?:[GMT]i?B/s(?:ec)?|[GM]b(?:its?)?/s(?:ec)?|[GM]bps|busbw|algbw|bandwidth|BW|tok(?:en)?s?/s(?:ec)?|samples/s(?:ec)?|"
    r"T?FLOPS?(?:/s)?|m?sec(?:onds)?|[mu]s|latency|(?<=\d )s)\b",
    re.IGNORECASE,
)
_TIME = re.compile(r"m?sec(?:onds)?|[mu]?s|latency", re.IGNORECASE)
_NAME = re.compile(r"(?=[\w.-]*\d)[A-Za-z][\w.-]{0,63}\Z|\d{1,3}(?:\.\d{1,3}){3}\Z")
_WORD = re.compile(r"[A-Za-z][A-Za-z_-]{1,40}\Z")  # a host without a number, where an arrow tells that it is one
_ARROW = re.compile(r"\s(?:<?-+>|<->|→|↔|vs\.?)\s")
_ROW = 6  # words of a line that is nothing but two names, a value and its unit
# ib_write_bw and its siblings: bytes, iterations, peak, average, and a rate of messages that some leave out.
_PERFTEST = re.compile(r"BW peak.{0,20}BW average")
_AVERAGE = 3
_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?\Z", re.ASCII)
_SPLIT = re.compile(r"[\s,|;:=()\[\]<>{}\"']+")
_DIGITS = re.compile(r"\d+")
_ADAPTER = re.compile(r"(?:mlx[45]|bnxt_re|irdma|ionic|rdmap?|hsn|cxi|roce|efa|hfi1|ib)_?\w{0,12}\d")
_HEADED = re.compile(r"host|node|server|machine|adapter|hca|nic|device|rail", re.IGNORECASE)
_MOST = 20_000  # lines that are read of a log: what stays behind the others shows in the first ones
_FEW = 0.1  # of all trials: a host with less hardly moves the middle of them
_CARRIED = re.compile(r"(?<![\d.])(\d{1,5}(?:\.\d{1,6})?) ?GB/s(?:ec)?\b")
_PAIR = re.compile(
    r"\bpair:? ([A-Za-z][\w.]{0,62}\d)(?: ?(?:<?->?|[,:/~]|<->|→|↔|and|to|vs\.?) ?)([A-Za-z][\w.]{0,62}\d)\b"
)
_LINK_RATE = re.compile(r"Gb/s(?:ec)? \(\d{1,2}X\b")  # of a port as sysfs has it, which nobody measured
# The hosts of the table below, as scripts that try each pair head it.
_HEADS = re.compile(r"(?<![\w.-])([A-Za-z][\w.-]{0,62}\d) ?(?:<-{1,2}>|<=>|↔) ?([A-Za-z][\w.-]{0,62}\d)(?![\w-])")
_BETWEEN = 1000  # results between nodes that are kept
_LOOKED = 400  # characters of a line: a matrix of sixty hosts is longer, and is passed over
_TRIALS = 3  # without a host, of which the middle one is usual
HALF = 0.55  # of what another trial gives: half of it, and what results scatter by


@lru_cache(maxsize=1)
def hints() -> tuple[str, ...]:
    """In small letters: one is in every line of trials, or it ends with an s."""
    return tuple(read("trials")["hints"])


@lru_cache(maxsize=2)
def _of_between(name: str) -> re.Pattern[str]:
    return re.compile(read("trials")[name], re.IGNORECASE)


@dataclass
class Trial:
    """One result: the names it is of, as a rate or the inverse of a time, and as it was printed."""

    line: int
    names: tuple[str, ...]
    rate: float
    printed: float


@dataclass
class Sweeps:
    """Takes the lines that are neither NCCL's nor nccl-tests'."""

    trials: dict[tuple[str, str, str], list[Trial]] = field(default_factory=lambda: defaultdict(list))
    by_rank: ByRank = field(default_factory=ByRank)
    _unit: str = ""  # of the table under way, and where its value stands, from the end
    _at: int = 0
    _headed: bool = False
    _perftest: str = ""  # the unit of perftest's rows, and what the last headline names
    _named: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()  # two hosts that the last line names, and no result beside them
    _across: list[str] = field(default_factory=list)  # the hosts above a matrix
    _looked: int = 0
    _kept: int = 0
    between: list[tuple[int, float]] = field(default_factory=list)  # line and GB/s of what was measured between nodes
    _apart: bool = False  # whether a headline says that what stands below it was

    def leave(self, lines: frozenset[int]) -> None:
        """Forget what was read of lines that others judge."""
        for which, its in [*self.trials.items()] if lines else []:
            self.trials[which] = [each for each in its if each.line not in lines]
            if not self.trials[which]:
                del self.trials[which]
        self.by_rank.leave(lines)

    @property
    def trials_kept(self) -> int:
        """How many lines told a trial, or a row of a table by rank."""
        return self._kept + len(self.between) + self.by_rank.rows

    @property
    def under_way(self) -> bool:
        """Whether more lines are read, whatever their words."""
        return self._looked <= _MOST

    @property
    def open(self) -> bool:
        """Whether the next line may be a row, whatever its words."""
        return self._looked <= _MOST and bool(self._unit or self._perftest or self.by_rank.open)

    def take(self, number: int, line: str) -> bool:
        """Read one cleaned line; whether anything of it was kept."""
        if self._looked > _MOST or not line:
            return False
        self.heads = ()
        self.by_rank.shared(line)
        if len(line) > _LOOKED:
            return False
        if (found := _HEADS.search(line)) and not _CARRIED.search(line) and not any(map(is_one_gpu, found.groups())):
            self.heads = found.groups()
            return True
        if _LINK_RATE.search(line):
            return False
        if not (self.open or line.endswith("s") or one_in(line.lower(), hints())):
            return False
        kept = self._kept, len(self.between), self._apart
        self._looked += 1
        self._between_nodes(number, line)
        if self.by_rank.take(number, line):
            return True
        unit = _UNIT.search(line)
        if _PERFTEST.search(line):
            self._perftest = "MB/s" if "MB/s" in line else "Gb/s"
        elif unit or self._unit or self._perftest:
            self._line(number, line, unit[0] if unit else "")
        return kept != (self._kept, len(self.between), self._apart)

    def _between_nodes(self, number: int, line: str) -> None:
        """Keep what a line says was measured between nodes, by its own words or those of the headline above."""
        values, apart = _CARRIED.findall(line), _of_between("between").search(line) is not None
        if _of_between("not_between").search(line):
            self._apart = False
        elif not values:
            self._apart = apart or (self._apart and line[:1] not in "#=-*" and not line.endswith(":"))
        elif len(values) == 1 and len(self.between) < _BETWEEN:
            pair = _PAIR.search(line)
            hosts = pair is not None and pair[1] != pair[2] and not any(map(is_one_gpu, pair.groups()))
            if apart or hosts or (pair is None and self._apart):
                self.between.append((number, float(values[0])))

    def _line(self, number: int, line: str, unit: str) -> None:
        words = [word.rstrip(".") for word in _SPLIT.split(line) if word]
        names = self._names(line, words)
        numbers = [n for n, word in enumerate(words) if _NUMBER.match(word)]
        if self._perftest and len(numbers) == len(words) in (_AVERAGE + 1, _AVERAGE + 2):
            self._keep(number, self._named, float(words[_AVERAGE]), self._perftest)
        elif self._perftest and 1 <= len(names) <= 2 and not numbers:
            self._named = tuple(names)
        elif len(names) >= 4 and len({_shape(name) for name in names}) == 1 and not numbers:
            self._across, self._unit = names, unit or self._unit
        elif not numbers or not names:
            if unit:
                self._head(line, words)
        elif self._across and names[0] == words[0] and len(words) == len(self._across) + 1:
            self._matrix(number, words)
        elif len(names) <= 2:
            self._row(number, line, words, names, numbers, unit)

    def _head(self, line: str, words: list[str]) -> None:
        """A line that says what the columns below it are."""
        named = [n for n, word in enumerate(words) if _unit_like(word)]
        self._unit = words[named[0]] if named else ""
        # "busbw GB/s" is one column under two words
        self._at = -1 - sum(n > named[0] and n not in named for n in range(len(words))) if named else -1
        self._headed, self._across = _HEADED.search(line) is not None, []

    def _matrix(self, number: int, words: list[str]) -> None:
        for name, word in zip(self._across, words[1:], strict=True):
            if name != words[0] and _NUMBER.match(word):
                self._add("pair", number, (words[0], name), float(word), self._unit)

    def _row(self, number: int, line: str, words: list[str], names: list[str], numbers: list[int], unit: str) -> None:
        at = self._value_at(line, words, numbers, unit)
        if at is None:
            return
        # "worker-2: step 3 took 4.1 s" is one of many such lines, with other numbers.
        told = names and words[0] == names[0] and line.startswith(f"{names[0]}:") and unit
        before = " ".join(word for word in words[1:] if not word[0].isdigit()) if told else None
        self._keep(number, tuple(names), float(words[at]), unit or self._unit, before)

    def _names(self, line: str, words: list[str]) -> list[str]:
        """The words that may name hosts or adapters."""
        names = [word for word in words if _NAME.match(word) and not _unit_like(word) and not _common(word)]
        if not names and len(words) <= _ROW and _ARROW.search(line):
            plain = [word for word in words if _WORD.match(word) and not _unit_like(word)]
            names = plain if len(plain) == 2 else []
        return names

    def _keep(self, number: int, names: tuple[str, ...], value: float, unit: str, before: str | None = None) -> None:
        if len(names) == 2 and names[0] != names[1] and _shape(names[0]) == _shape(names[1]):
            self._add("pair", number, names, value, unit)
        elif len(names) == 1 and _ADAPTER.fullmatch(names[0]):
            self._add("adapter", number, names, value, unit)
        elif len(names) == 1 and before is not None:
            self._add(f"host {before}", number, names, value, unit)
        elif len(names) == 1 and (self._headed or self._perftest):
            self._add("host", number, names, value, unit)

    def _value_at(self, line: str, words: list[str], numbers: list[int], unit: str) -> int | None:
        """Which word is the value: the one before its unit, else the one in the column that the headline names."""
        if unit:
            before = [n for n in numbers if n + 1 < len(words) and _unit_like(words[n + 1])]
            after = [n for n in numbers if n and _unit_like(words[n - 1])]
            return next(iter([*before, *after]), None)
        at, broken = len(words) + self._at, [n for n in numbers if "." in words[n]]
        more = "=" in line and len(broken) == 1  # "475.04  wrong=0" has more columns than the headline names
        return at if at in numbers and not more else next(iter(broken), None)

    def _add(self, kind: str, number: int, names: tuple[str, ...], value: float, unit: str) -> None:
        if value > 0:
            self._kept += 1
            rate = 1 / value if _TIME.fullmatch(unit) else value
            self.trials[kind, _shape(names[0]), unit if "/" in unit else unit.lower()].append(
                Trial(number, names, rate, value)
            )

    @property
    def tables(self) -> bool:
        """Whether there are trials enough to compare, or steps of several ranks."""
        listed = any(len({trial.names for trial in trials}) >= 4 for trials in self.trials.values())
        return listed or self.by_rank.told


def slow_of(kind: str, trials: list[Trial], unit: str = "") -> list[Slow]:
    """The names that stay behind the others in their trials."""
    if kind == "pair":
        return _slow_in_pairs(trials, unit)
    name, _, told = kind.partition(" ")
    slow = _slow_alone(name, trials, unit)
    # what each host tells of in a sentence, and once, is no work that it does again and again
    return [each for each in slow if each.trials > 1 or not told or not _TIME.fullmatch(unit)]


def _slow_in_pairs(trials: list[Trial], unit: str) -> list[Slow]:
    """Hosts with which every trial is slow while those of the others are not."""
    by_host, found = defaultdict[str, list[Trial]](list), []
    for trial in trials:
        for name in trial.names:
            by_host[name].append(trial)
    middle = _middle(trials)
    for host, its in sorted(by_host.items()):
        others = len(trials) - len(its)
        if len(its) > 1 and others:
            few = len(its) < _FEW * len(trials)
            without = [] if few else [trial for trial in trials if host not in trial.names]
            usual = _middle(without) if without else middle
            best = max(its, key=lambda trial: trial.rate)
            if best.rate < DROP * usual.rate and (others >= _TRIALS or _two_levels(its, without)):
                found.append(Slow("host", host, its[0].line, len(its), best.printed, usual.printed, unit))
    return found


def _two_levels(slow: list[Trial], others: list[Trial]) -> bool:
    """Whether a few trials leave no other reading than one host: it was with several others and always as slow, and
    what was tried without it was as fast each time; of the latter two at least, or one that is twice as fast."""
    partners = {trial.names for trial in slow}
    low, high = [trial.rate for trial in slow], [trial.rate for trial in others]
    even = min(low) >= ALIKE * max(low) and min(high) >= ALIKE * max(high)
    return len(partners) > 1 and even and (len(high) > 1 or max(low) < HALF * high[0])


def slow_pairs(trials: list[Trial], unit: str) -> list[Slow]:
    """A pair or two that are slow while both of their hosts are not."""
    if len(trials) < 6 or any(len(trial.names) != 2 for trial in trials):
        return []
    usual = _middle(trials)
    low = [trial for trial in trials if trial.rate < DROP * usual.rate]
    if len(low) > max(1, len(trials) // 10):
        return []
    return [Slow("pair", " and ".join(t.names), t.line, 1, t.printed, usual.printed, unit) for t in low]


def _slow_alone(kind: str, trials: list[Trial], unit: str) -> list[Slow]:
    by_name: dict[str, list[Trial]] = defaultdict(list)
    for trial in trials:
        by_name[trial.names[0]].append(trial)
    middles = {name: _middle(its) for name, its in by_name.items()}
    usual = _middle(list(middles.values()))
    low = {name: each for name, each in middles.items() if each.rate < DROP * usual.rate}
    rest = [each.rate for name, each in middles.items() if name not in low]
    even = all(ALIKE * usual.rate <= rate <= usual.rate / ALIKE for rate in rest)
    if len(middles) < 4 or len(low) > max(1, len(middles) // 4) or not even:
        return []
    return [Slow(kind, name, t.line, len(by_name[name]), t.printed, usual.printed, unit) for name, t in low.items()]


def _middle(trials: list[Trial]) -> Trial:
    return sorted(trials, key=lambda trial: trial.rate)[len(trials) // 2]


def _shape(name: str) -> str:
    """A name with its numbers taken out; those without one are all alike."""
    return _DIGITS.sub("0", name) if _NAME.match(name) else ""


def _unit_like(word: str) -> bool:
    return word[:1].isalpha() and (word == "s" or _UNIT.fullmatch(word) is not None)


def _common(word: str) -> bool:
    """Whether a word with digits names a size, a type or a place in a program and no machine."""
    return _DIGITS.split(word, maxsplit=1)[0].lower().strip("-_.") in read("not_hosts")
