"""The row of a table of GPUs, adapters or hosts that differs from the others where these are alike."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from statistics import median
from typing import TypeVar

from assistant.vocabulary.answers import DiagnosisFinding

from .columns import meaning_of, order_of
from .report_table import Column, ReportTable
from .reported import Reported
from .signatures import as_information, finding, xid
from .slow import ALIKE, DROP
from .tools import of_the_front

_COMPARED, _FEW, _MOSTLY = 4, 0.25, 0.75  # rows at least; the share that may differ, and that must be alike
_CLOSE = 0.9  # of the others: so many lie close to their middle where one stands out
_AT_WORK = 50  # per cent: an idle GPU lowers its clock and the speed of its link by design
_HOTTER = 8  # degrees above the middle of the others, where a clock is low for heat
_NAMED, _SHOWN = 8, 200  # rows of a table that are told, and characters of one
_TIMES, _SIBLINGS = 10, 3  # times the middle of the others, of so many places at least: counters since the start differ
_Where = TypeVar("_Where")
Place = tuple[str, str]  # host and device
Counters = Mapping[str, Mapping[Place, tuple[float, int]]]  # by name and place: how many, and the line
_NUMBER = re.compile(r"(?<![\d.])\d{2,3}(?![\d.])")
_BY_LOAD = ("clock", "work", "generation", "bandwidth")  # of GPUs: these say nothing of an idle one

_SLOWER = {
    "gpu": "row-slower-gpu",
    "host": "row-slower-host",
    "adapter": "row-slower-adapter",
    "part": "row-slower-adapter",
}


@dataclass(frozen=True)
class _Odd:
    """A value that stands out: its column and row, and what the others have."""

    column: Column
    row: int
    usual: str

    @property
    def said(self) -> str:
        """How a sentence tells of it."""
        return f"{self.column.name} is {self.column.shown(self.row)} (the others: {self.usual})"


def findings(reported: Reported, *, fast: bool) -> Iterator[DiagnosisFinding]:
    """What stands out in the tables of a log; ``fast``: tables of nccl-tests are as fast as they should be, and it did
    no harm."""
    for sheet in reported.sheets:
        table, accused = ReportTable(sheet), set[int | None]()
        if sheet.names_parts and len(sheet.rows) >= _COMPARED:
            for told in _of_table(table):
                accused.add(told.line)
                yield as_information(told) if fast else told
        for told in _of_xids(table):
            accused.add(told.line)
            yield told
        yield from _of_verdicts(table, accused)


def checked(reported: Reported, counters: Counters) -> list[str]:
    """What was checked of the tables and counters of a log, and how much of them was too much for it."""
    of_parts = [sheet for sheet in reported.sheets if sheet.names_parts and len(sheet.rows) >= _COMPARED]
    read = sum(len(sheet.rows) for sheet in of_parts)
    first = f" (the first {read:,} alone)" if reported.left else ""
    told = [f"the rows of tables of GPUs, adapters or hosts against each other{first}"] if read else []
    return [*told, *["what adapters lost and repeated against each other"] * any(map(_siblings, counters.values()))]


def monitoring(reported: Reported, counters: Counters) -> DiagnosisFinding | None:
    """A note of what kind of text it is, where it has a table of GPUs, adapters or hosts, or their counters."""
    if known := reported.monitored:
        return finding("monitoring-data", known[0], columns=known[1])
    lines = [line for its in counters.values() for _, line in its.values()]
    return finding("monitoring-data", min(lines), columns=", ".join([*counters][:6])) if lines else None


def _of_table(table: ReportTable) -> Iterator[DiagnosisFinding]:
    by_cause = defaultdict[tuple[int, str], list[_Odd]](list)
    for odd in _odd_in(table):
        by_cause[odd.row, odd.column.meaning.because].append(odd)
    kept = {cause: its for cause, its in by_cause.items() if cause[1] != "pace" or _slowed(table, its)}
    for (row, because), its in sorted(kept.items())[:_NAMED]:
        its.sort(key=lambda odd: order_of(odd.column.meaning))
        name = its[0].column.meaning.finding
        said = [odd.said for odd in its] + ([_heat(table, row)] if because == "pace" else [])
        told = finding(
            _SLOWER[table.of] if name == "row-slower" else name,
            table.lines[row],
            who=table.named(row),
            said=", ".join(filter(None, said)),
        )
        yield told.model_copy(update={"evidence": table.text(row)[:_SHOWN]})


def _of_xids(table: ReportTable) -> Iterator[DiagnosisFinding]:
    """Xid errors of GPUs: what a line of the kernel's is an alarm for whatever else is in a log; the others are what
    programs make too, and no fault of a part by themselves."""
    column = table.column("xid")
    for row in table.rows if column else ():
        for number in _NUMBER.findall(column.cells[row] if column else ""):
            for known, said in xid(int(number)):
                told = known.at(table.lines[row], table.text(row)[:_SHOWN], said=said)
                told = told.model_copy(update={"message": f"{table.named(row)}: {told.message}"})
                yield told if known.weighs == "always" else as_information(told)


def _of_verdicts(table: ReportTable, accused: set[int | None]) -> Iterator[DiagnosisFinding]:
    """Rows that failed a check, as the table says itself; those that failed the same ones are told together, and those
    of which it is told why not again."""
    failed = {row: names for row, names in table.failed().items() if table.lines[row] not in accused}
    for names in dict.fromkeys(map(tuple, failed.values())):
        rows = [row for row, its in failed.items() if tuple(its) == names]
        more = f" and {len(rows) - _NAMED} more" if len(rows) > _NAMED else ""
        who = ", ".join(_named(table, row) for row in rows[:_NAMED]) + more
        told = finding("row-failed", table.lines[rows[0]], who=who, said=", ".join(names))
        yield told.model_copy(update={"evidence": table.text(rows[0])[:_SHOWN]})


def _named(table: ReportTable, row: int) -> str:
    of, check = (table.named(row) if table.host(row) or table.part(row) else ""), table.check(row)
    return f"{check} of {of}" if check and of else check or of or f"line {table.lines[row]}"


def _odd_in(table: ReportTable) -> Iterator[_Odd]:
    """Every value that stands out in its column."""
    for column in table.columns:
        if column.meaning.beside and table.column(column.meaning.beside) is None:
            continue
        if column.meaning.judged in ("none", "least"):
            yield from _counted(table, column)
        elif column.meaning.judged in ("fewer", "low", "far"):
            for peers in _peers(table, column):
                yield from _without_twins(table, [*_beside(column, peers)])


def _counted(table: ReportTable, column: Column) -> Iterator[_Odd]:
    """Counts that should be nothing, and are in most rows."""
    counted = [row for row, value in column.values.items() if value >= max(column.meaning.least, 0.5)]
    if 0 < len(counted) <= _FEW * len(table):
        usual = Counter(column.cells[row] for row in column.values).most_common(1)[0][0]
        yield from (_Odd(column, row, usual) for row in counted)


def _peers(table: ReportTable, column: Column) -> list[list[int]]:
    """Rows that may be compared: of one model, and of adapters the same one of several hosts, else those of one rate;
    of GPUs those at work, as an idle one saves power by the generation of its link too."""
    load, rate, what = table.column("load"), table.column("rate"), column.meaning.what
    rows = [*column.values]
    if table.of in ("gpu", "host"):
        if what == "rate" or (what == "generation" and load is None and table.of == "gpu"):
            return []
        if load is not None and what in _BY_LOAD:
            least = _AT_WORK if max(load.values.values(), default=0.0) > 1 else _AT_WORK / 100
            rows = [row for row in rows if load.values.get(row, 100.0) >= least]
        groups = _grouped(rows, table.model) if table.has_models else [rows]
    else:
        of_name = Counter(map(table.part, rows))
        several = [row for row in rows if of_name[table.part(row)] >= _COMPARED]
        groups = _grouped(several, lambda row: f"{table.model(row)} {table.part(row)}")
        if what != "rate":  # one alone may be meant for storage
            others = [row for row in rows if of_name[table.part(row)] < _COMPARED]
            groups += _grouped(others, lambda row: f"{table.model(row)} {rate.cells[row] if rate else ''}")
    return [its for its in groups if len(its) >= _COMPARED]


def _grouped(rows: list[int], by: Callable[[int], str]) -> list[list[int]]:
    groups = defaultdict[str, list[int]](list)
    for row in rows:
        groups[by(row)].append(row)
    return [*groups.values()]


def _beside(column: Column, rows: list[int]) -> Iterator[_Odd]:
    """Values that are below those of the other rows, where these lie close together, or far above them."""
    values = {row: column.values[row] for row in rows}
    if column.meaning.judged == "fewer":
        usual, count = Counter(values.values()).most_common(1)[0]
        low = [row for row, value in values.items() if value < usual]
        alike = count >= _MOSTLY * len(rows)
        shown = next(column.shown(row) for row, value in values.items() if value == usual)
    elif column.meaning.judged == "far":
        usual = median(values.values())
        low, alike, shown = _far(values, column.meaning.least), True, f"{usual:.6g}"
    else:
        usual = median(values.values())
        low = [row for row, value in values.items() if value < DROP * usual]
        others = len(rows) - len(low)
        close = sum(ALIKE * usual <= value <= usual / ALIKE for value in values.values())
        alike, shown = close >= _CLOSE * others, f"{usual:.6g}"
    if alike and 0 < len(low) <= _FEW * len(rows):
        yield from (_Odd(column, row, shown) for row in low)


def _far(values: Mapping[_Where, float], least: float) -> list[_Where]:
    """Where counts are far above the middle of all."""
    usual = median(values.values())
    return [where for where, value in values.items() if value >= max(least, _TIMES * usual)]


def of_counters(counters: Counters, *, fast: bool) -> Iterator[DiagnosisFinding]:
    """Adapters or ports that lost or repeated far more than their siblings: the same one on other hosts or, where a
    name is on few, the others; those of the network in front lose packets for reasons of its own."""
    far = defaultdict[tuple[Place, str], list[tuple[str, int]]](list)
    for name, its in counters.items():
        meaning = meaning_of(name)
        for places in _siblings(its) if meaning else ():
            values = {place: its[place][0] for place in places}
            above = _far(values, meaning.least if meaning else 0.0)
            if 0 < len(above) <= max(1, _FEW * len(values)):
                usual = f"{median(values.values()):,.6g}"
                for place in above:
                    said = f"{name} is {values[place]:,.0f} (the others: {usual})"
                    far[place, meaning.finding if meaning else ""].append((said, its[place][1]))
    for ((host, name), code), said in [*far.items()][:_NAMED]:
        who = f"{name} on {host}" if name and host else name or host
        told = finding(code, said[0][1], who=who, said=", ".join(each for each, _ in said))
        yield as_information(told) if fast else told


def counted_alike(counters: Counters) -> bool:
    """Whether what adapters lost and repeated is known of several, and much the same on all of them."""
    return any(map(_siblings, counters.values())) and not any(of_counters(counters, fast=False))


def _siblings(its: Mapping[Place, tuple[float, int]]) -> list[list[Place]]:
    of_name = defaultdict[str, list[Place]](list)
    for place in its:
        of_name[place[1]].append(place)
    several = [places for places in of_name.values() if len(places) >= _SIBLINGS]
    few = [place for places in of_name.values() if len(places) < _SIBLINGS for place in places]
    others = [place for place in few if not of_the_front([place[1]])] or few
    return [*several, others] if len(others) >= _SIBLINGS else several


def _without_twins(table: ReportTable, odd: list[_Odd]) -> list[_Odd]:
    """Without the adapters that stand out on several hosts by the same name: these are made so."""
    names = Counter(table.part(each.row) for each in odd) if table.of == "adapter" else Counter[str]()
    return [each for each in odd if names[table.part(each.row)] < 2]


def _slowed(table: ReportTable, odd: list[_Odd]) -> bool:
    """Whether a low clock is one under load, as a column of the load says, heat, or what the GPU does beside it."""
    only_clock = all(each.column.meaning.what == "clock" for each in odd)
    load = table.column("load")
    return not only_clock or bool(_heat(table, odd[0].row)) or (load is not None and odd[0].row in load.values)


def _heat(table: ReportTable, row: int) -> str:
    """The temperature of a row that is hotter than the others, empty for one that is not."""
    column = table.column("temperature")
    if column is None or row not in column.values:
        return ""
    usual = median(column.values.values())
    hotter = column.values[row] >= usual + _HOTTER
    return _Odd(column, row, f"{usual:.6g}").said if hotter else ""
