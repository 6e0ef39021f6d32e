"""Results of many trials that a log lists line by line: by pairs of hosts, by host, by adapter; and the steps of a
training job by rank."""

import re
from collections import defaultdict, deque
from dataclasses import dataclass, field
from functools import lru_cache
from statistics import median

from .signatures import one_in, read

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
_RANK = re.compile(r"\b[Rr]ank[ :=#]{0,2}(\d{1,6})\b")
_TIMED = re.compile(
    r"([A-Za-z][\w./-]{0,31})\s?[:=]?\s?(\d{1,9}(?:\.\d{1,6})?) ?(ms|us|s|tok(?:en)?s?/s|samples/s|TFLOPS?(?:/s)?)\b"
)
# The same with the unit in the label: fwd_ms=101, tokens/s 2100, step_time_s: 4.6
_RATE = re.compile(r"/s|_per_|tflops", re.IGNORECASE)
_LABELLED = re.compile(
    r"([A-Za-z][\w.-]{0,31}?(?:_(?:ms|us|s|secs?|seconds)|(?:/|_per_)s(?:ec(?:ond)?)?|_tflops))\s?[:=]?\s?(\d{1,9}(?:\.\d{1,6})?)\b",
    re.IGNORECASE,
)
# A figure of merit without a unit, of which more is better: NVIDIA's resiliency extension gives a healthy GPU 1.
_MERIT = re.compile(r"\b(\w{0,24}(?:score|perf(?:ormance)?|mfu))\s?[:=]\s?(\d{1,6}(?:\.\d{1,6})?)\b", re.IGNORECASE)
_RANKS = re.compile(r"(?:global[_ ]?)?ranks?(?:[_ ]?id)?\Z|gpu[_ ]?rank\Z", re.IGNORECASE)  # the column of ranks
_LISTED = re.compile(
    r"rank\s{0,4}(\d{1,6})\s?[:=]\s{0,12}(\d{1,9}(?:\.\d{1,6})?)\s{0,4}\Z", re.IGNORECASE
)  # below a label
_COLUMN = re.compile(r"[A-Za-z_/%. -]{1,40}(?:[(\[][^)\]]{1,12}[)\]])?\Z")
_SECTION = re.compile(
    r"\W{0,12}rank[ :#]{0,2}(\d{1,6})\W{0,12}\Z", re.IGNORECASE
)  # a headline above what one rank prints
_PART = re.compile(r"([A-Za-z_][^\s|]{0,60})[\s|]{2,40}(?:[\d.]{1,12}%[\s|]{1,20})?(\d{1,9}\.\d{1,6})(ms|us|s)\b")
_NUMBERED = re.compile(r"(?:\br(?:ank)?[ _]?|[{,] ?)(\d{1,6}) ?[:=] ?(\d{1,9}\.\d{1,6})")
_STEP_NUMBER = re.compile(r"\b(?:step|iter(?:ation)?)s?[ :=]{0,2}\d{1,9}")
_PACES = ("time", "(ms)", "(s)", "compute", "duration", "latency", "tok/s", "tokens/s", "flop")  # in small letters
_LETTERS = re.compile(r"[a-z%]+")
_GAP = re.compile(r"\s{0,20}[|,;\t]\s{0,20}|\s{2,40}")  # between columns
_WAIT = re.compile(r"wait|comm|sync|reduce|barrier|gather", re.IGNORECASE)
_ADAPTER = re.compile(r"(?:mlx[45]|bnxt_re|irdma|ionic|rdmap?|hsn|cxi|roce|efa|hfi1|ib)_?\w{0,12}\d")
_HEADED = re.compile(r"host|node|server|machine|adapter|hca|nic|device|rail", re.IGNORECASE)
_KEPT = 32  # values of a rank
_SERIES, _NAMES, _DIGITS_OF_RANK = 64, 60, 7  # of them; characters of a label, and digits less one of a rank's number
_RANKS_COMPARED, _TOLD_ONCE = 4, 3  # ranks at least; values of a rank below which one is told of it alone
_MOST = 20_000  # lines that are read of a log: what stays behind the others shows in the first ones
_HINTS = ("core", "ank", "RANK", "/s", "bps", "bw", "BW", "andwidth", "FLOP", "ms", "us", "latency", "sec", "s ")
_FEW = 0.1  # of all trials: a host with less hardly moves the middle of them
_LOOKED = 400  # characters of a line: a matrix of sixty hosts is longer, and is passed over
_TRIALS = 3  # without a host, of which the middle one is usual
HALF = 0.55  # of what another trial gives: half of it, and what results scatter by
MATTERS = 0.15  # of the longest part of a step: less holds nobody up
ONCE = 0.67  # of the usual: what is told once may be chance above it
ALIKE, DROP = 0.85, 0.75  # of the usual: what the others reach, and what a slow one stays below


@dataclass
class Trial:
    """One result: the names it is of, as a rate or the inverse of a time, and as it was printed."""

    line: int
    names: tuple[str, ...]
    rate: float
    printed: float


@dataclass(frozen=True)
class Slow:
    """One that stays behind the others: what it reaches, and what they do, as printed."""

    kind: str
    name: str
    line: int
    trials: int
    best: float
    usual: float
    unit: str


@dataclass
class Sweeps:
    """Takes the lines that are neither NCCL's nor nccl-tests'."""

    trials: dict[tuple[str, str, str], list[Trial]] = field(default_factory=lambda: defaultdict(list))
    steps: dict[tuple[str, str], dict[int, deque[float]]] = field(default_factory=lambda: defaultdict(dict))
    spoken: set[tuple[str, str]] = field(default_factory=set)  # of steps those of sentences: they take several
    # By unit: of the fastest rank and the slowest, as a log tells of these two alone; which one that is, line.
    extremes: dict[str, deque[tuple[float, float, str, int]]] = field(
        default_factory=lambda: defaultdict(lambda: deque(maxlen=_KEPT))
    )
    _first: dict[tuple[str, str], int] = field(default_factory=dict)
    _unit: str = ""  # of the table under way, and where its value stands, from the end
    _at: int = 0
    _headed: bool = False
    _perftest: str = ""  # the unit of perftest's rows, and what the last headline names
    _named: tuple[str, ...] = ()
    _across: list[str] = field(default_factory=list)  # the hosts above a matrix
    _columns: list[str] = field(default_factory=list)  # of a table by rank
    _label: str = ""  # of the list by rank under way
    _section: int | None = None  # the rank whose own table is under way
    _looked: int = 0

    @property
    def under_way(self) -> bool:
        """Whether more lines are read, whatever their words."""
        return self._looked <= _MOST

    @property
    def open(self) -> bool:
        """Whether the next line may be a row, whatever its words."""
        return self._looked <= _MOST and bool(
            self._unit or self._perftest or self._columns or self._label or self._section is not None
        )

    def take(self, number: int, line: str) -> None:
        """Read one cleaned line."""
        if self._looked > _MOST or not line or len(line) > _LOOKED:
            return
        if not (self.open or line.endswith("s") or one_in(line, _HINTS)):
            return
        self._looked += 1
        if self._of_ranks(number, line):
            return
        self._extremes(number, line)
        unit = _UNIT.search(line)
        said = line.replace('"', "") if line[:1] == "{" else line
        if (rank := _RANK.search(said)) and (unit or _has_value(said)):
            self._step(number, int(rank[1]), said)
        elif _PERFTEST.search(line):
            self._perftest = "MB/s" if "MB/s" in line else "Gb/s"
        elif unit or self._unit or self._perftest:
            self._line(number, line, unit[0] if unit else "")

    def _of_ranks(self, number: int, line: str) -> bool:
        """Whether a line is of a table that has a column of ranks, or of a list by rank below a label."""
        if self._label and (listed := _LISTED.match(line)):
            self._value(number, int(listed[1]), self._label, listed[2])
            return True
        small = line.lower()
        self._label = (
            small.rstrip(" :.") if len(line) < _NAMES and (line.endswith(":") or one_in(small, _PACES)) else ""
        )
        if section := _SECTION.match(line):
            self._section = int(section[1])
            return True
        if self._section is not None and (part := _PART.match(line)):
            self._value(number, self._section, part[1].lower(), part[2], part[3])
            return True
        if self._in_a_line(number, line, small):
            return True
        if not self._columns and "rank" not in small:
            return False
        cells = [cell for cell in _GAP.split(line.strip("|,; ")) if cell]
        cells = line.split() if len(cells) == 1 else cells
        if any(_RANKS.match(cell) for cell in cells) and len(cells) > 1 and all(map(_COLUMN.match, cells)):
            self._columns = [cell.lower() for cell in cells]
            return True
        if not self._columns or not line.strip("|-+=: "):
            return bool(self._columns)  # a line that is drawn
        if len(cells) != len(self._columns):
            self._columns = []
            return False
        at = next(n for n, name in enumerate(self._columns) if _RANKS.match(name))
        rank = cells[at].lower().removeprefix("rank").strip(" :")
        for name, cell in (
            zip(self._columns, cells, strict=True) if rank.isdecimal() and len(rank) < _DIGITS_OF_RANK else ()
        ):
            if name != self._columns[at] and _NUMBER.match(cell):
                self._value(number, int(rank), name, cell)
        return True

    def _in_a_line(self, number: int, line: str, small: str) -> bool:
        """Whether a line has the values of all ranks one behind the other, as a list or each with its number."""
        before, _, listed = line.partition("[")
        values = [value.strip() for value in listed.partition("]")[0].split(",")]
        if "rank" in small and len(values) > 1 and all(map(_NUMBER.match, values)):
            told = list(enumerate(values))
        else:
            told = [(int(rank), value) for rank, value in _NUMBERED.findall(line)]
            before = line[: line.find(told[0][1])].rstrip("r0123456789=: {") if told else ""
        of_all = len(told) >= _RANKS_COMPARED and [rank for rank, _ in told] == [*range(len(told))]
        if not of_all or not one_in(small, _PACES):
            return False
        label = _STEP_NUMBER.sub("", before.lower()).strip(" :=")
        for rank, value in told:
            self._value(number, rank, label, value)
        return True

    def _extremes(self, number: int, line: str) -> None:
        """Keep what is told of the slowest rank and the fastest."""
        for about in read("ranks")["extremes"]:
            fast, slow = (re.search(about[end], line) for end in ("fast", "slow"))
            if about["has"] in line and fast and slow:
                self.extremes[about["unit"]].append((float(fast["value"]), float(slow["value"]), slow["rank"], number))

    def _value(self, number: int, rank: int, label: str, value: str, unit: str = "") -> None:
        """Keep one value of a rank, where it is a time or a rate."""
        series = label, unit or ("/s" if _RATE.search(label) else "")
        if "/" not in series[1] and any(map(_no_pace().match, _LETTERS.findall(label))):
            return
        if len(self.steps) < _SERIES or series in self.steps:
            self._first.setdefault(series, number)
            self.steps[series].setdefault(rank, deque(maxlen=_KEPT)).append(float(value))

    def _step(self, number: int, rank: int, line: str) -> None:
        timed = [(label, value, unit) for label, value, unit in _TIMED.findall(line)]
        others = [(label, value, "") for label, value in _LABELLED.findall(line)]
        merits = [(label, value, "/s") for label, value in _MERIT.findall(line)]
        for label, value, unit in [*timed, *others, *merits]:
            if not label.lower().startswith("rank"):
                self._value(number, rank, label.lower(), value, unit)
        if line[:1] != "{":
            self.spoken |= {
                (label.lower(), unit or ("/s" if _RATE.search(label) else "")) for label, _, unit in [*timed, *others]
            }

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
        at = self._value_at(words, numbers, unit)
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

    def _value_at(self, words: list[str], numbers: list[int], unit: str) -> int | None:
        """Which word is the value: the one before its unit, else the one in the column that the headline names."""
        if unit:
            before = [n for n in numbers if n + 1 < len(words) and _unit_like(words[n + 1])]
            after = [n for n in numbers if n and _unit_like(words[n - 1])]
            return next(iter([*before, *after]), None)
        at = len(words) + self._at
        return at if at in numbers else next((n for n in numbers if "." in words[n]), None)

    def _add(self, kind: str, number: int, names: tuple[str, ...], value: float, unit: str) -> None:
        if value > 0:
            rate = 1 / value if _TIME.fullmatch(unit) else value
            self.trials[kind, _shape(names[0]), unit if "/" in unit else unit.lower()].append(
                Trial(number, names, rate, value)
            )

    @property
    def tables(self) -> bool:
        """Whether there are trials enough to compare, or steps of several ranks."""
        listed = any(len({trial.names for trial in trials}) >= 4 for trials in self.trials.values())
        listed = listed or bool(self.extremes)
        return listed or any(len(each) >= _RANKS_COMPARED for each in self.steps.values())


@lru_cache(maxsize=1)
def _no_pace() -> re.Pattern[str]:
    """How words of labels begin whose values are no time, as ``knowledge/nccl/ranks.yaml`` has them."""
    return re.compile("|".join(map(re.escape, read("ranks")["no_pace"])))


def _has_value(line: str) -> bool:
    """Whether a line has a value that is compared between ranks."""
    return any(pattern.search(line) for pattern in (_LABELLED, _TIMED, _MERIT))


def slow_of(kind: str, trials: list[Trial], unit: str = "") -> list[Slow]:
    """The names that stay behind the others in their trials."""
    return _slow_in_pairs(trials, unit) if kind == "pair" else _slow_alone(kind.partition(" ")[0], trials, unit)


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


def slow_ranks(sweeps: Sweeps) -> list[Slow]:
    """Ranks that take longer than the others in every step, or that wait least for them."""
    of_ranks = {each: _middles(by_rank, each in sweeps.spoken) for each, by_rank in sweeps.steps.items()}
    of_ranks = {series: middles for series, middles in of_ranks.items() if len(middles) >= _RANKS_COMPARED}
    whole = defaultdict[str, float](float)  # of each unit the longest time, or the greatest rate
    for (label, unit), middles in of_ranks.items():
        whole[_unit_in(label, unit)] = max(whole[_unit_in(label, unit)], median(middles.values()))
    for (label, unit), middles in of_ranks.items():
        by_rank, usual = sweeps.steps[label, unit], median(middles.values())
        waits, rate = _WAIT.search(label) is not None, "/" in unit or "FLOP" in unit.upper()
        drop = DROP if max(map(len, by_rank.values())) >= _TOLD_ONCE else ONCE
        low = [rank for rank, value in middles.items() if value < (drop if rate else 0.5) * usual]
        high = [rank for rank, value in middles.items() if value > usual / drop]
        behind, ahead = (low, high) if waits or rate else (high, low)
        rest = [value for rank, value in middles.items() if rank not in behind]
        even = all(ALIKE * usual <= value <= usual / ALIKE for value in rest)
        counts = all(abs(middles[rank] - usual) >= MATTERS * whole[_unit_in(label, unit)] for rank in behind)
        if behind and counts and not ahead and even and len(behind) <= max(1, len(middles) // 4):
            line = sweeps._first[label, unit]
            return [
                Slow("rank", str(rank), line, len(by_rank[rank]), middles[rank], usual, f"{unit} of {label}")
                for rank in behind
            ]
    return _slowest_told(sweeps)


def _middles(by_rank: dict[int, deque[float]], spoken: bool) -> dict[int, float]:
    """The middle value of each rank that told as often as may be asked of it, or of a sentence must be."""
    told = _TOLD_ONCE if spoken else max(map(len, by_rank.values()))
    return {rank: median(values) for rank, values in by_rank.items() if len(values) >= min(told, _TOLD_ONCE)}


def _unit_in(label: str, unit: str) -> str:
    """The unit of a series, which may end its label."""
    return unit or _SPLIT.split(label.replace("_", " ").strip(" )]"))[-1]


def _slowest_told(sweeps: Sweeps) -> list[Slow]:
    """The rank that each report of the two extremes names as the slowest, where it is far from the fastest."""
    for unit, told in sweeps.extremes.items():
        fast, slow, rank, line = told[0]
        ratios = [max(a, b) / min(a, b) for a, b, *_ in told if min(a, b) > 0]
        if len({rank for *_, rank, _ in told}) == 1 and ratios and min(ratios) > 1 / ONCE:
            return [Slow("rank", rank, line, len(told), slow, fast, unit)]
    return []


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
