"""A table of GPUs, adapters or hosts by its columns: of what part each row is, and the values of the columns whose
meaning is known."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median_low
from typing import Literal

from .columns import (
    NAMES,
    Meaning,
    cells_of,
    is_adapter,
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
        meanings = sheet.headline.meanings
        texts = as_text(b"\n".join(raw for _, raw in sheet.rows)).split("\n")
        told = [*map(without_prefix, texts)] if sheet.prefixed else []
        before, bare = [host for host, _ in told] or [""] * len(texts), [line for _, line in told] or texts
        kept = [line.split() for line in bare] if split == "space" else [cells_of(line, split) for line in bare]
        fitting = [at for at, cells in enumerate(kept) if len(cells) == len(names)]
        if len(fitting) < len(kept):
            kept = [kept[at] for at in fitting]
        self.lines = [sheet.rows[at][0] for at in fitting]
        self.texts, self.before = [texts[at] for at in fitting], [before[at] for at in fitting]
        columns: list[Sequence[str]] = [*zip(*kept, strict=True)] or [()] * len(names)
        self._named = [(each.what, column) for each, column in zip(meanings, columns, strict=True) if each is not None]
        left_out = {at for column in columns for at in _left_out(column, is_planned)}
        for what, column in self._named:
            says = is_summary if what in NAMES else is_out_of_work if what == "state" else None
            left_out |= _left_out(column, says) if says else set()
        rows = [at for at in range(len(kept)) if at not in left_out] if left_out else [*range(len(kept))]
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
        """The rows of each part, where a column of times tells that parts come again; none otherwise."""
        if not any(what == "time" for what, _ in self._named):
            return []
        of_part = defaultdict[tuple[str, str], list[int]](list)
        for at in rows:
            of_part[self.host(at), self.part(at)].append(at)
        return [*of_part.values()] if len(of_part) < len(rows) else []

    def __len__(self) -> int:
        return len(self.rows)

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

    @property
    def has_models(self) -> bool:
        """Whether a column says what kind of device a row is of."""
        return bool(self._models)

    def host(self, row: int) -> str:
        """The host of a row, empty where none is named."""
        return self._hosts[0][row].split(".")[0]

    def part(self, row: int) -> str:
        """The GPU or adapter of a row, empty in a table of hosts."""
        return "/".join(cells[row] for cells in self._parts)

    def model(self, row: int) -> str:
        """What kind of device a row says that it is of, empty where it does not."""
        return "/".join(cells[row] for cells in self._models)

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
            part = f"GPU {part.upper().removeprefix('GPU').strip(' :') or part}"
        said = f"{part} of {host}" if part and host else part or host
        return said if host or self.of == "adapter" else f"{said} (line {self.lines[row]})"

    def check(self, row: int) -> str:
        """What was tested in a row, empty where no column names it."""
        return "/".join(cells[row] for cells in self._cells("check"))

    def text(self, row: int) -> str:
        """A row as it stands in the log."""
        return self.texts[row].strip()


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
