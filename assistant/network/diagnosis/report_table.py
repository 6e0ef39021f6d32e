"""A table of GPUs, adapters or hosts by its columns: of what part each row is, and the values of the columns whose
meaning is known."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from statistics import median_low
from typing import Literal, cast

from .columns import (
    NAMES,
    Meaning,
    cells_of,
    is_adapter,
    is_one_gpu,
    is_out_of_work,
    is_planned,
    is_summary,
    number_in,
    verdict_in,
)
from .reported import Sheet, as_text, without_prefix

Of = Literal["gpu", "adapter", "host", "part"]
_OF_GPUS = ("memory", "clock", "work", "links", "load")  # columns that tell of GPUs
_COUNTED = ("none", "least")
_OF_ROWS = (*NAMES, "time", "model", "check")  # what columns say of which part, time and test a row is
_LETTERS, _DIGITS, _SLOT = (
    re.compile(r"[A-Za-z]*"),
    re.compile(r"\d+"),
    re.compile(r"\b[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.\d\b"),
)
_PER_PLACE = 1.5  # rows that have the same in a column of what was tested, against the rows of a place
_GROWS = 1.5  # from one size to the next
_PORTS = 16  # of one host: more has a switch


@dataclass(frozen=True)
class Column:
    """A column whose meaning is known: its name, its cells, and the values by row of those that have one."""

    name: str
    meaning: Meaning
    cells: Sequence[str]
    values: dict[int, float]
    series: bool = False  # the values are the middle, or the last, of several rows of a part

    def shown(self, row: int) -> str:
        """What a row has, as it stands there."""
        return f"{self.values[row]:.4g}" if self.series else self.cells[row]


class ReportTable:
    """Rows by their place in the table. Those that sum up others, or are of parts that are out of work as meant, are
    left out; of a part that comes again in time one row is left, with the middle of what is measured, and with what is
    counted by the end."""

    def __init__(self, sheet: Sheet) -> None:
        names, split = sheet.headline.names, sheet.headline.split
        self.names_parts = sheet.names_parts
        meanings = sheet.headline.meanings
        texts = as_text(b"\n".join(raw for _, raw in sheet.rows)).split("\n")
        told = [*map(without_prefix, texts)] if sheet.prefixed else []
        before, bare = [host for host, _ in told] or [""] * len(texts), [line for _, line in told] or texts
        kept = [cells_of(line, split) for line in bare]
        fitting = [at for at, cells in enumerate(kept) if len(cells) == len(names)]
        if len(fitting) < len(kept):
            kept = [kept[at] for at in fitting]
        self.lines = [sheet.rows[at][0] for at in fitting]
        self.texts, self.before = [texts[at] for at in fitting], [before[at] for at in fitting]
        columns: list[Sequence[str]] = [*zip(*kept, strict=True)] or [()] * len(names)
        self._named = [
            ("model" if each.what == "gpu" and not any(map(is_one_gpu, {*column})) else each.what, column)
            for each, column in zip(meanings, columns, strict=True)
            if each is not None
        ]
        left_out = {at for column in columns for at in _left_out(column, is_planned)}
        for what, column in self._named:
            says = is_summary if what in NAMES else is_out_of_work if what == "state" else None
            left_out |= _left_out(column, says) if says else set()
        rows = [at for at in range(len(kept)) if at not in left_out] if left_out else [*range(len(kept))]
        unknown = [cells for meaning, cells in zip(meanings, columns, strict=True) if meaning is None]
        self._worded = any(number_in(cell, "") is None for cells in unknown for cell in {*cells})
        again = self._again(rows)
        self.rows = [its[-1] for its in again] if again else rows
        self.columns = [
            _column(name, meaning, cells, rows, again)
            for name, meaning, cells in zip(names, meanings, columns, strict=True)
            if meaning is not None and meaning.what not in (*_OF_ROWS, "state")
        ]
        self._others = [
            (name, meaning, cells)
            for name, meaning, cells in zip(names, meanings, columns, strict=True)
            if meaning is None or meaning.what not in _OF_ROWS
        ]

    def _again(self, rows: list[int]) -> list[list[int]]:
        """The rows of each part, where parts come again in time, as a column of times tells, or all of them in turn;
        none otherwise."""
        if not (self.in_time or self._in_turn(rows)):
            return []
        of_part = defaultdict[tuple[str, str], list[int]](list)
        for at in rows:
            of_part[self.host(at), self.part(at)].append(at)
        return [*of_part.values()] if len(of_part) < len(rows) else []

    @property
    def in_time(self) -> bool:
        """Whether a column says when a row was measured."""
        return any(what == "time" for what, _ in self._named)

    def _in_turn(self, rows: list[int]) -> bool:
        """Whether the same parts come again and again in the same order, as monitors print them, and no column has
        words that may say what was tested in each turn."""
        places = [(self.host(at), self.part(at)) for at in rows]
        turn = len({*places})
        again = 1 < turn < len(places) and all(place == places[at % turn] for at, place in enumerate(places))
        return again and not any(what == "check" for what, _ in self._named) and not self._worded

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def of_parts(self) -> bool:
        """Whether rows are of hosts, GPUs or adapters, and not of how many of them there were."""
        return self.names_parts and not self.of_sizes

    def column(self, what: str) -> Column | None:
        """The first column of a meaning."""
        return next((each for each in self.columns if each.meaning.what == what), None)

    def failed(self) -> dict[int, list[str]]:
        """By row the columns in which it failed a check; none of a row that passed by the verdict on all of them. Any
        column is one of checks where all its cells are verdicts, and some passed or it is named as one."""
        failed = defaultdict[int, list[str]](list)
        passed = set[int]()
        for name, meaning, cells in self._others:
            said = {cell: verdict_in(cell) for cell in {cells[row] for row in self.rows}}
            whole = meaning is not None and meaning.what == "state"
            if None in said.values() or not (whole or "passed" in said.values()):
                continue
            for row in self.rows:
                if said[cells[row]] == "failed":
                    failed[row].append(name)
                elif whole and said[cells[row]] == "passed":
                    passed.add(row)
        return {row: names for row, names in failed.items() if row not in passed}

    def _cells(self, *whats: str) -> list[Sequence[str]]:
        return [cells for what, cells in self._named if what in whats]

    @cached_property
    def _hosts(self) -> list[Sequence[str]]:
        return self._cells("host") or [self.before]

    @cached_property
    def _parts(self) -> list[Sequence[str]]:
        return [*self._cells("gpu"), *self._cells("adapter"), *self._cells("part")]

    @cached_property
    def _models(self) -> list[Sequence[str]]:
        return self._cells("model")

    @cached_property
    def _tests(self) -> list[Sequence[str]]:
        """The columns that say what was tested in each row, where the same part has several rows and no time tells them
        apart: in each so many parts have the same cell as a part has rows."""
        places = {(self.host(row), self.part(row)) for row in self.rows}
        if len(places) == len(self.rows) or self.in_time:
            return []
        most = _PER_PLACE * len(self.rows) / len(places)
        unknown = [cells for _, meaning, cells in self._others if meaning is None]
        return [
            *self._cells("check"),
            *(cells for cells in unknown if 1 < len({cells[row] for row in self.rows}) <= most),
        ]

    @cached_property
    def _kinds(self) -> frozenset[str]:
        """The letters with which names of hosts begin, where those of most are the same: machines of a kind."""
        begins = Counter(_begin_of(host) for host in {self.host(row) for row in self.rows})
        common = begins.most_common(1)
        return frozenset(begins) if common and 2 * common[0][1] >= begins.total() else frozenset()

    @cached_property
    def of_sizes(self) -> bool:
        """Whether what should name a part is how many of them there were: numbers that double."""
        names = [self.part(row) or self.host(row) for row in self.rows]
        numbers = sorted({int(name) for name in names if name.isdecimal()})
        if len(numbers) < len({*names}) or not numbers or numbers[-1] <= 2 * len(numbers):
            return False
        grown = [after >= _GROWS * before for before, after in pairwise(numbers)]
        return 4 * sum(grown) >= 3 * len(grown) > 0

    @cached_property
    def of_switch(self) -> bool:
        """Whether rows are ports of a switch: of more than a host has."""
        return max(Counter(self.host(row) for row in self.rows).values(), default=0) > _PORTS and self.of != "gpu"

    def host(self, row: int) -> str:
        """The host of a row, empty where none is named."""
        return self._hosts[0][row].split(".")[0]

    def part(self, row: int) -> str:
        """The GPU or adapter of a row, empty in a table of hosts."""
        return "/".join(cells[row] for cells in self._parts)

    def kind(self, row: int) -> str:
        """What kind of machine and device a row is of, by its model and the names."""
        model = "/".join(cells[row] for cells in self._models)
        device = "" if self.of == "gpu" else _shape_of(self.part(row))
        return f"{model} {_begin_of(self.host(row)) if self._kinds else ''} {device}"

    def test(self, row: int) -> str:
        """What was tested in a row, empty where all rows are of one test."""
        return "/".join(cells[row] for cells in self._tests)

    @cached_property
    def of(self) -> Of:
        """What rows are of."""
        if not self._parts:
            return "host"
        if self._cells("gpu"):
            return "gpu"
        first = self._parts[0][self.rows[0]] if self.rows else ""
        if self._cells("adapter") or is_adapter(first):
            return "adapter"
        gpus = first.isdecimal() and any(each.meaning.what in _OF_GPUS for each in self.columns)
        return "gpu" if gpus else "part"

    def named(self, row: int) -> str:
        """How a sentence names the part of a row."""
        part, host = self.part(row), self.host(row)
        if self.of == "gpu":
            part = f"GPU {part[3:].strip(' :_-') or part}" if part[:3].lower() == "gpu" else f"GPU {part}"
        said = f"{part} of {host}" if part and host else part or host
        return said if host or self.of == "adapter" else f"{said} (line {self.lines[row]})"

    def check(self, row: int) -> str:
        """What was tested in a row, empty where no column names it."""
        return "/".join(cells[row] for cells in self._cells("check"))

    def text(self, row: int) -> str:
        """A row as it stands in the log."""
        return self.texts[row].strip()


def _begin_of(host: str) -> str:
    return cast(re.Match[str], _LETTERS.match(host))[0].lower()


def _shape_of(part: str) -> str:
    """A name of a device without its numbers."""
    return _DIGITS.sub("0", _SLOT.sub("", part)).lower()


def _left_out(cells: Sequence[str], says: Callable[[str], bool]) -> set[int]:
    """The rows of which a cell says something."""
    odd = {cell for cell in {*cells} if says(cell)}
    return {at for at, cell in enumerate(cells) if cell in odd} if odd else set()


def _column(name: str, meaning: Meaning, cells: Sequence[str], rows: list[int], again: list[list[int]]) -> Column:
    known = {cell: number_in(cell, meaning.what) for cell in {*cells}}
    all_told = len(rows) == len(cells) and None not in known.values()
    told_of = dict(enumerate(map(known.__getitem__, cells))) if all_told else {at: known[cells[at]] for at in rows}
    values = {at: value for at, value in told_of.items() if value is not None}
    if not again:
        return Column(name, meaning, cells, _of_one_unit(cells, values))
    told = dict[int, float]()
    for its in again:
        if said := [values[at] for at in its if at in values]:
            counted = meaning.judged in _COUNTED and meaning.what != "hot"
            told[its[-1]] = said[-1] if counted else median_low(said)
    return Column(name, meaning, cells, told, series=True)


def _of_one_unit(cells: Sequence[str], values: dict[int, float]) -> dict[int, float]:
    """The values, without those that have another unit than most."""
    numbers = {cell for cell in {cells[at] for at in values} if any(map(str.isdigit, cell))}
    units = {cell: cell.lstrip("x<>~≈0123456789.").strip() for cell in numbers}
    if len({*units.values()}) < 2:
        return values
    usual = Counter(units[cells[at]] for at in values if cells[at] in units).most_common(1)[0][0]
    return {at: value for at, value in values.items() if not value or units.get(cells[at], usual) == usual}
