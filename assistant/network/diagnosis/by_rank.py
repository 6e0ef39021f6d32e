"""The pace of a job by rank, or by host, as trainers, profilers and detectors print it: in sentences and records, in
tables with a column of ranks, in lists below a label, in a part for each rank, or of the two extremes alone."""

import re
from collections import defaultdict, deque
from collections.abc import Iterable
from dataclasses import dataclass, field
from statistics import median
from typing import NamedTuple

from .pace_words import is_rate, is_wait, names_pace, of_other_work, pace_words, stages_in, without_stages
from .signatures import one_in
from .slow import ALIKE, DROP, Slow

_NUMBER = re.compile(r"\d{1,12}(?:\.\d{1,6})?\Z", re.ASCII)
_RANK = re.compile(r"\b[Rr]ank[ :=#]{0,2}(\d{1,6})\b")
_TIMED = re.compile(
    r"([A-Za-z][\w./-]{0,31})\s?[:=]?\s?(\d{1,9}(?:\.\d{1,6})?) ?(ms|us|s|tok(?:en)?s?/s|samples/s|TFLOPS?(?:/s)?)\b"
)
# The same with the unit in the label: fwd_ms=101, tokens/s 2100, step_time_s: 4.6
_LABELLED = re.compile(
    r"([A-Za-z][\w.-]{0,31}?(?:_(?:ms|us|s|secs?|seconds)|(?:/|_per_)s(?:ec(?:ond)?)?|_tflops))\s?[:=]?\s?(\d{1,9}(?:\.\d{1,6})?)\b",
    re.IGNORECASE,
)
# Of a table: what names a column, what stands between two, a value with its unit.
_COLUMN = re.compile(r"[A-Za-z_/%. -]{1,40}(?:[(\[][^)\]]{1,12}[)\]])?\Z")
_GAP = re.compile(r"\s{0,20}[|,;\t]\s{0,20}|\s{2,40}")
_CELL = re.compile(r"(\d{1,12}(?:\.\d{1,6})?) ?(?:ms|us|s)?\Z", re.ASCII)
_NAME = re.compile(r"[A-Za-z][\w.-]{0,62}\d[\w.-]{0,62}\Z")
# Below a label; a headline above what one rank prints, and a line of that; each value with its rank in one line.
_LISTED = re.compile(
    r"(?:\[\w{1,20}\]\s{1,8})?rank\s{0,4}(\d{1,6})\s{0,4}(?:[:=]|->)\s{0,12}(\d{1,9}(?:\.\d{1,6})?) ?(?:ms|us|s)?\Z",
    re.IGNORECASE,
)
# The same with several values, of which the label says one after the other what they are.
_ABREAST = re.compile(
    r"rank\s{0,4}(\d{1,6})\s{0,4}[:|]?\s{1,12}(\d{1,9}(?:\.\d{1,6})?(?:\s{1,12}[/|]\s{1,12}\d{1,9}(?:\.\d{1,6})?){1,5})\Z",
    re.IGNORECASE,
)
_HEADLINE, _BETWEEN = 200, re.compile(r"\s{1,12}[/|]\s{1,12}")  # characters of such a label
_UNIT, _ASIDE = (
    re.compile(r"[(\[](ms|us|s)[)\]]"),
    re.compile(r"[(\[][^)\]]{0,40}[)\]]|, ranks \d{1,6} ?(?:-|to) ?\d{1,6}"),
)
_SECTION = re.compile(r"\W{0,12}rank[ :#]{0,2}(\d{1,6})\W{0,12}\Z", re.IGNORECASE)
_PART = re.compile(r"([A-Za-z_][^\s|]{0,60})[\s|]{2,40}(?:[\d.]{1,12}%[\s|]{1,20})?(\d{1,9}\.\d{1,6})(ms|us|s)\b")
_NUMBERED = re.compile(r"(?:\br(?:ank)?[ _]?|[{,] ?)(\d{1,6}) ?[:=] ?(\d{1,9}\.\d{1,6})")
_SPLIT = re.compile(r"[\s,|;:=()\[\]<>{}\"']+")
_KEPT, _SERIES = 32, 64  # values of a rank, and series of them
_LONGEST, _DIGITS = 60, 7  # characters of a label, and digits of a rank's number less one
_COMPARED, _TOLD_ONCE = 4, 3  # ranks at least; values of a rank below which one is told of it alone
_NAMED = 8  # of those that are told together
MATTERS = 0.15  # of the longest part of a step: less holds nobody up
ONCE = 0.7  # of the usual: what is told once may be chance above it

_MERIT = "/"  # the unit of a figure of merit, which has none: more of it is better
_RATE = "/s"  # of one whose label says what is done in a second
_STAGE = 2  # ranks side by side, which may be a stage of a pipeline: one alone has others of its stage beside it

_USUAL = 8  # GPUs of a server, where nothing tells
_SECONDS = {"us": 1e-6, "ms": 1e-3, "s": 1.0, "se": 1.0}  # by how the name of the unit begins

Series = tuple[str, str]  # what is told, and its unit: with "/" where more is better


class Told(NamedTuple):
    """A report of the slowest rank: what it takes, and the fastest or the middle of all (``against``)."""

    against: str
    other: float
    slow: float
    rank: str
    line: int

    @property
    def apart(self) -> float:
        """How far the two are from each other, as the greater over the smaller; 1 where one is nothing."""
        low, high = sorted((self.other, self.slow))
        return high / low if low > 0 else 1.0


@dataclass
class ByRank:
    """Takes lines, and keeps what they tell of the pace of single ranks; of hosts where they tell of these."""

    paces: dict[Series, dict[str, deque[float]]] = field(default_factory=lambda: defaultdict(dict))
    spoken: set[Series] = field(default_factory=set)  # of these those of sentences: they take several
    # By unit: reports of the slowest rank, since the last one in which it was like the one it is compared with
    extremes: dict[str, deque[Told]] = field(default_factory=lambda: defaultdict(lambda: deque(maxlen=_KEPT)))
    even: set[str] = field(default_factory=set)  # the units of which there is such a one: ranks do equal work
    rows: int = 0  # lines of lists and tables by rank, of which each may be another's
    stages_said: int = 0  # of a pipeline, each with work of its own; 0 where no line tells
    all_alike: bool = False  # whether a line names a way to share the work that has no stages
    first: dict[Series, int] = field(default_factory=dict)  # the line at which it is told first
    _of_table: set[Series] = field(default_factory=set)  # that columns of tables by rank are of
    _columns: list[str] = field(default_factory=list)  # of the table under way, and which of them names who it is
    _who: int = 0
    _caption: str = ""  # what stands above it
    _label: str = ""  # of the list under way
    _rows: bool = False  # whether it has some
    _above: str = ""  # in small letters: the headline above that, or above a table
    _abreast: list[Series] = field(default_factory=list)  # of a list with several values to a rank
    _section: str = ""  # the rank whose own part is under way

    @property
    def open(self) -> bool:
        """Whether the next line may tell of a rank, whatever its words."""
        return bool(self._columns or self._label or self._abreast or self._section)

    @property
    def told(self) -> bool:
        """Whether there are ranks enough to compare."""
        return bool(self.extremes) or any(len(each) >= _COMPARED for each in self.by_job.values())

    @property
    def stages(self) -> int:
        """Of a pipeline; 0 where nothing tells."""
        return self.stages_said or int(self.all_alike)

    @property
    def by_job(self) -> dict[Series, dict[str, deque[float]]]:
        """The series that are of the ranks of a job: of a column of ranks without the first, 0, the numbers are places
        in a list or a setting."""
        return {each: its for each, its in self.paces.items() if each not in self._of_table or "0" in its}

    def leave(self, lines: frozenset[int]) -> None:
        """Forget what was read of lines that others judge."""
        for series in [series for series, line in self.first.items() if line in lines]:
            del self.first[series], self.paces[series]

    def shared(self, line: str) -> None:
        """Read in one cleaned line, however long it is, how ranks share the work."""
        small = line.lower()
        self.stages_said = self.stages_said or stages_in(line, small)
        self.all_alike = self.all_alike or without_stages(line, small)

    def take(self, number: int, line: str) -> bool:
        """Read one cleaned line; whether it was one that tells of ranks."""
        if self._listed(number, line):
            self.rows += 1
            return True
        self._of_extremes(number, line)
        told = self._in_a_sentence(number, line)
        if not (told or self._label) and line.strip("|-+=: "):
            headline = line.endswith(":") or not any(map(str.isdigit, line))
            self._above = line.lower()[:_HEADLINE] if headline else ""
        return told

    def _listed(self, number: int, line: str) -> bool:
        """Whether a line is one of a list or a table by rank, or of one rank's part."""
        if self._label and (listed := _LISTED.match(line)):
            unit = found[1] if (found := _UNIT.search(self._label) or _UNIT.search(self._above)) else ""
            self._keep(number, listed[1], self._label, listed[2], unit, self._above)
            self._rows = True
            return True
        if self._abreast and (row := _ABREAST.match(line)):
            values = _BETWEEN.split(row[2])
            if len(values) == len(self._abreast):
                for (label, unit), value in zip(self._abreast, values, strict=True):
                    self._keep(number, row[1], label, value, unit)
            return True
        small = line.lower()
        self._above = self._label if self._label and not self._rows else self._above
        self._rows = False
        names = len(line) < _LONGEST and (line.endswith(":") or one_in(small, pace_words().headed))
        self._abreast = _labels_in(small) if line.endswith(":") and "rank" in small and len(line) < _HEADLINE else []
        self._label = small.rstrip(" :.") if names else ""
        if section := _SECTION.match(line):
            self._section = section[1]
            return True
        if self._section and (part := _PART.match(line)):
            self._keep(number, self._section, part[1].lower(), part[2], part[3])
            return True
        return self._in_a_line(number, line, small) or self._in_a_table(number, line, small)

    def _in_a_sentence(self, number: int, line: str) -> bool:
        """A line that names its rank, with what it took."""
        words = line.split()
        record = line[:1] == "{" or all("=" in word for word in words)
        said = line.replace('"', "") if record else line
        rank = _RANK.search(said)
        if rank is None:
            return False
        small, timed = said.lower(), [(each, each[3]) for each in _TIMED.finditer(said)]
        timed += [(each, "") for each in _LABELLED.finditer(said)]
        for each, unit in timed:
            label = each[1].lower()
            if not label.startswith("rank"):
                self._keep(number, rank[1], label, each[2], unit, small[: each.start()])
        merits = [each for pattern in pace_words().merits for each in pattern.finditer(said)]
        for each in merits:
            self._keep(number, rank[1], each["label"].lower(), each["value"], _MERIT)
        if not record:
            self.spoken |= {_series(each[1].lower(), unit) for each, unit in timed}
        return bool(timed or merits)

    def _in_a_table(self, number: int, line: str, small: str) -> bool:
        if not self._columns and not one_in(small, pace_words().table_of):
            return False
        cells = [cell for cell in _GAP.split(line.strip("|,; ")) if cell]
        cells = line.split() if len(cells) == 1 else cells
        if len(cells) > 1 and all(map(_COLUMN.match, cells)) and (who := _column_of(cells)) is not None:
            self._columns, self._who, self._caption = [cell.lower() for cell in cells], who, self._above
            return self._of_ranks
        if not self._columns or not line.strip("|-+=: "):
            return bool(self._columns) and self._of_ranks  # a line that is drawn
        if len(cells) != len(self._columns):
            self._columns = []
            return False
        name = cells[self._who].lower().removeprefix("rank").strip(" :")
        of_ranks = name.isdecimal() and len(name) < _DIGITS
        if of_ranks or _NAME.match(name):
            for label, cell in zip(self._columns, cells, strict=True):
                if label != self._columns[self._who] and (value := _CELL.match(cell)):
                    self._of_table |= {_series(label, "")} if of_ranks else set[Series]()
                    self._keep(number, name, label, value[1], before=self._caption if of_ranks else "")
        return self._of_ranks

    @property
    def _of_ranks(self) -> bool:
        """Whether the table under way is one by rank; those by host may be trials too."""
        return pace_words().rank_column.match(self._columns[self._who]) is not None

    def _in_a_line(self, number: int, line: str, small: str) -> bool:
        """Whether a line has the values of all ranks one behind the other, as a list or each with its number."""
        if not one_in(small, pace_words().headed):
            return False
        before, _, listed = line.partition("[")
        values = [value.strip() for value in listed.partition("]")[0].split(",")]
        if "rank" in small and len(values) > 1 and all(map(_NUMBER.match, values)):
            told = list(enumerate(values))
        else:
            told = [(int(rank), value) for rank, value in _NUMBERED.findall(line)]
            before = line[: line.find(told[0][1])].rstrip("r0123456789=: {") if told else ""
        if len(told) < _COMPARED or [rank for rank, _ in told] != [*range(len(told))]:
            return False
        label = pace_words().step_number.sub("", before.lower()).strip(" :=")
        for rank, value in told:
            self._keep(number, str(rank), label, value, before=self._above)
        return True

    def _of_extremes(self, number: int, line: str) -> None:
        """Keep what is told of the slowest rank beside another, or the middle of them."""
        units = set[str]()
        for about in pace_words().extremes:
            if about.has not in line or about.unit in units:
                continue
            other, slow = about.other.search(line), about.slow.search(line)
            if other and slow and not of_other_work(line[: slow.start()].lower()):
                units.add(about.unit)
                told = Told(about.against, *_alike(other.groupdict(), slow.groupdict()), slow["rank"], number)
                if told.apart <= 1 / ALIKE:
                    self.even.add(about.unit)
                    self.extremes[about.unit].clear()
                else:
                    self.extremes[about.unit].append(told)

    def _keep(self, number: int, who: str, label: str, value: str, unit: str = "", before: str = "") -> None:
        """Keep one value, where it is a time of a step or a rate; ``before``: what stands before its label."""
        series = _series(label, unit)
        if series[1] != _MERIT and not names_pace(label, series[1], before):
            return
        if len(self.paces) < _SERIES or series in self.paces:
            self.first.setdefault(series, number)
            self.paces[series].setdefault(str(int(who)) if who.isdecimal() else who, deque(maxlen=_KEPT)).append(
                float(value)
            )


def _alike(other: dict[str, str | None], slow: dict[str, str | None]) -> tuple[float, float]:
    """What two patterns found, in the unit of the latter, where both tell theirs."""
    value, unit, own = (float(slow["value"] or slow["bare"] or 0), other.get("unit"), slow.get("unit"))
    return float(other["value"] or 0) * (_SECONDS[unit[:2]] / _SECONDS[own[:2]] if unit and own else 1), value


def slow_ranks(by_rank: ByRank, per_host: int = 0) -> list[Slow]:
    """Ranks, or hosts, that take longer than the others, or that wait least for them; ``per_host``: ranks of a host, 0
    when not known."""
    middles = {each: _middles(its, each in by_rank.spoken) for each, its in by_rank.by_job.items()}
    middles = {each: its for each, its in middles.items() if len(its) >= _COMPARED}
    whole = defaultdict[str, float](float)  # of each unit the longest time, or the greatest rate
    for (label, unit), its in middles.items():
        whole[_unit_in(label, unit)] = max(whole[_unit_in(label, unit)], median(its.values()))
    for (label, unit), its in middles.items():
        usual, paces = median(its.values()), by_rank.paces[label, unit]
        drop = DROP if max(map(len, paces.values())) >= _TOLD_ONCE else ONCE
        behind = _behind(label, unit, its, drop)
        if behind and all(abs(its[who] - usual) >= MATTERS * whole[_unit_in(label, unit)] for who in behind):
            stage = _may_be_a_stage(behind, len(its), by_rank.stages, per_host)
            of_ranks = all(map(str.isdecimal, behind))
            kind = "rank-of-a-stage" if of_ranks and stage else "rank" if of_ranks else "host"
            name, told = _together(behind, per_host), max(len(paces[who]) for who in behind)
            worst, line = median(its[who] for who in behind), by_rank.first[label, unit]
            return [Slow(kind, name, line, told, worst, usual, _said(label, unit))]
    return _slowest_told(by_rank)


def _together(names: list[str], per_host: int) -> str:
    """Ranks, or hosts, in one name: those side by side from the first to the last, and whether they are of one
    host."""
    if not all(map(str.isdecimal, names)):
        return ", ".join(sorted(names)[:_NAMED])
    numbers = sorted(map(int, names))
    ends = [at for at, each in enumerate(numbers[:-1], 1) if numbers[at] != each + 1]
    spans = [numbers[first:last] for first, last in zip([0, *ends], [*ends, len(numbers)], strict=True)]
    said = [str(each[0]) if len(each) == 1 else f"{each[0]}-{each[-1]}" for each in spans]
    more, ranks = f" and {len(said) - _NAMED} more" if len(said) > _NAMED else "", "ranks" if numbers[1:] else "rank"
    whole = len(spans) == 1 and len(numbers) == (per_host or _USUAL) and numbers[0] % len(numbers) == 0
    return f"{ranks} {', '.join(said[:_NAMED])}{more}" + (", all those of one host" if whole else "")


def _behind(label: str, unit: str, middles: dict[str, float], drop: float) -> list[str]:
    """Who of many stays behind: few, while the others are alike."""
    usual = median(middles.values())
    waits, rate = is_wait(label), "/" in unit or "FLOP" in unit.upper()
    low = [who for who, value in middles.items() if value < (drop if rate else 0.5) * usual]
    high = [who for who, value in middles.items() if value > usual / drop]
    behind, ahead = (low, high) if waits or rate else (high, low)
    rest = [value for who, value in middles.items() if who not in behind]
    even = all(ALIKE * usual <= value <= usual / ALIKE for value in rest)
    return behind if not ahead and even and len(behind) <= max(1, len(middles) // 4) else []


def _middles(its: dict[str, deque[float]], spoken: bool) -> dict[str, float]:
    """The middle value of each that told as often as may be asked of it, or of a sentence must be."""
    told = _TOLD_ONCE if spoken else max(map(len, its.values()))
    return {who: median(values) for who, values in its.items() if len(values) >= min(told, _TOLD_ONCE)}


def _may_be_a_stage(behind: list[str], ranks: int, stages: int, per_host: int) -> bool:
    """Whether those who stay behind are as many as a stage of the pipeline has, which may have more work than others;
    where no line tells of one, several side by side at either end, which have the embeddings and the loss, but for
    those of exactly one host."""
    if stages:
        return stages > 1 and len(behind) * stages >= ranks
    numbers = sorted(int(who) for who in behind if who.isdecimal())
    together = len(numbers) >= _STAGE and numbers == [*range(numbers[0], numbers[-1] + 1)]
    of_host = len(numbers) == (per_host or _USUAL) and numbers[0] % len(numbers) == 0
    at_an_end = together and ranks % len(numbers) == 0 and (numbers[0] == 0 or numbers[-1] == ranks - 1)
    return at_an_end and not of_host


def _slowest_told(by_rank: ByRank) -> list[Slow]:
    """The rank that each report names as the slowest, where it is far from the middle; from the fastest one that tells
    nothing by itself where ranks have unlike work, as stages of a pipeline do: there must be one stage, or reports from
    before in which all were alike."""
    for unit, told in by_rank.extremes.items():
        if len({each.rank for each in told}) != 1 or min(each.apart for each in told) <= 1 / ONCE:
            continue
        equal = by_rank.stages == 1 or (told[0].against == "middle" and not by_rank.stages)
        later = unit in by_rank.even
        if later and len(told) < _TOLD_ONCE:
            continue
        kind = "rank" if equal or later else "rank-of-a-stage"
        return [Slow(kind, f"rank {told[0].rank}", told[0].line, len(told), told[0].slow, told[0].other, unit)]
    return []


def _labels_in(headline: str) -> list[Series]:
    """What each of several values is, as a headline in small letters has them one after the other."""
    unit = found[1] if (found := _UNIT.search(headline)) else ""
    parts = [
        " ".join(pace_words().step_number.sub("", _ASIDE.sub("", part)).split()) for part in _BETWEEN.split(headline)
    ]
    return [(part.strip(" :,"), unit) for part in parts] if len(parts) > 1 else []


def _column_of(cells: Iterable[str]) -> int | None:
    """The column that names ranks, else that of hosts; ``None`` where there is none."""
    for names in (pace_words().rank_column, pace_words().host_column):
        at = next((n for n, cell in enumerate(cells) if names.match(cell)), None)
        if at is not None:
            return at
    return None


def _series(label: str, unit: str) -> Series:
    return label, unit or (_RATE if is_rate(label) else "")


def _said(label: str, unit: str) -> str:
    """How a sentence names a series behind a value of it."""
    unit = unit or (found if (found := _unit_in(label, unit))[:2] in _SECONDS else "")
    return label if unit in ("", _MERIT, _RATE) else f"{unit} of {label}"


def _unit_in(label: str, unit: str) -> str:
    """The unit of a series, which may end its label."""
    return unit or _SPLIT.split(label.replace("_", " ").strip(" )]"))[-1]
