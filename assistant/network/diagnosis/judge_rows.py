"""The row of a table of GPUs, adapters or hosts that differs from the others where these are alike."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

from assistant.vocabulary.answers import DiagnosisFinding

from .columns import order_of
from .report_table import Column, ReportTable
from .reported import Reported
from .signatures import as_information, finding, xid
from .slow import ALIKE, DROP, far_above

_COMPARED, _FEW, _HALF = 4, 0.25, 0.5  # rows at least; the share that may differ, and of what is a fault by itself
_LONGER = 3  # since the start of a host, against the middle of the others: what it counts since then is not comparable
_HALVED = 0.05  # of half of a rate: what measurements differ by
_COLUMNS = 6  # that are named
_CLOSE = 0.9  # of the others: so many lie close to their middle where one stands out
_AT_WORK = 50  # per cent: an idle GPU lowers its clock and the speed of its link by design
_HOTTER = 8  # degrees above the middle of the others, where a clock is low for heat
_NAMED, _SHOWN = 8, 200  # rows of a table that are told, and characters of one
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
    """A value that stands out: its column and row, what the others have, and whether it may be meant so."""

    column: Column
    row: int
    usual: str
    meant: bool = False

    @property
    def said(self) -> str:
        """How a sentence tells of it."""
        return f"{self.column.name} is {self.column.shown(self.row)} (the others: {self.usual})"


@dataclass(frozen=True)
class _Judged:
    """What stands out in a column; ``clear``: whether its values tell what is usual."""

    odd: list[_Odd]
    clear: bool = True


def findings(tables: Sequence[ReportTable], *, fast: bool) -> Iterator[DiagnosisFinding]:
    """What stands out in the tables of a log; ``fast``: tables of nccl-tests are as fast as they should be, and it did
    no harm."""
    for table in tables:
        accused = set[int | None]()
        if table.of_parts:
            for told in _of_table(table):
                accused.add(told.line)
                yield as_information(told) if fast else told
        for told in _of_xids(table):
            accused.add(told.line)
            yield told
        yield from _of_verdicts(table, accused)


def compared(tables: Sequence[ReportTable]) -> frozenset[int]:
    """The lines of rows that are compared with each other by what was measured in them."""
    measured = [
        table for table in tables if any(table.of_parts and each.meaning.judged == "low" for each in table.columns)
    ]
    return frozenset(line for table in measured for line in table.lines)


def checked(reported: Reported, tables: Sequence[ReportTable]) -> list[str]:
    """What was checked of the tables of a log, and how much of them was too much for it."""
    read = sum(len(table.lines) for table in tables if _columns_judged(table))
    first = f" (the first {read:,} alone)" if reported.left else ""
    return [f"the rows of tables of GPUs, adapters or hosts against each other{first}"] if read else []


def monitoring(reported: Reported, tables: Sequence[ReportTable]) -> DiagnosisFinding | None:
    """A note of what kind of text it is, where it has a table of GPUs, adapters or hosts, and of what of it was
    compared."""
    known = reported.monitored
    if known is None:
        return None
    judged = [*dict.fromkeys(name for table in tables for name in _columns_judged(table))]
    if judged:
        return finding("monitoring-data", known[0], columns=", ".join(judged[:_COLUMNS]))
    return finding("monitoring-data-alone", known[0], columns=known[1])


def _columns_judged(table: ReportTable) -> list[str]:
    """The columns of which the values were judged."""
    every = table.columns if table.of_parts else []
    return [column.name for column in every if _judged(table, column) is not None or column.meaning.judged == "xid"]


def _of_table(table: ReportTable) -> Iterator[DiagnosisFinding]:
    by_cause, unclear = defaultdict[tuple[int, str], list[_Odd]](list), list[Column]()
    for column in table.columns:
        judged = _judged(table, column)
        for odd in judged.odd if judged else ():
            by_cause[odd.row, odd.column.meaning.because].append(odd)
        if judged and not judged.clear:
            unclear.append(column)
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
        told = told.model_copy(update={"evidence": table.text(row)[:_SHOWN]})
        yield as_information(told) if all(odd.meant for odd in its) else told
    for column in unclear:
        values = ", ".join(
            f"{cell} in {count}" for cell, count in Counter(map(column.shown, column.values)).most_common(3)
        )
        yield finding("rows-differ", table.lines[min(column.values)], column=column.name, values=values)


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


def _judged(table: ReportTable, column: Column) -> _Judged | None:
    """What stands out in a column; ``None`` for one that is not judged."""
    meaning = column.meaning
    if (meaning.beside and table.column(meaning.beside) is None) or (meaning.once and table.in_time):
        return None
    if meaning.judged in ("none", "least"):
        return _counted(table, column)
    peers = _peers(table, column) if meaning.judged in ("fewer", "low", "far") else []
    if not peers:
        return None
    each = [_beside(table, column, its) for its in peers]
    odd = _without_twins(table, column, [one for judged in each for one in judged.odd])
    return _Judged(odd, all(judged.clear for judged in each))


def _counted(table: ReportTable, column: Column) -> _Judged | None:
    """Counts that should be nothing, and are in most rows, or in half of them where they are a fault by themselves."""
    absolute, downs = column.meaning.absolute, column.meaning.judged == "least"
    if (len(table) < _COMPARED and not absolute) or (downs and table.of_switch):  # whose ports see each host restart
        return None
    counted = [row for row, value in column.values.items() if value >= max(column.meaning.least, 0.5)]
    if downs and (up := table.column("uptime")):
        longest = _LONGER * median(up.values.values()) if up.values else 0.0
        counted = [row for row in counted if up.values.get(row, 0.0) <= longest]
    if len(counted) > (_HALF if absolute else _FEW) * len(table):
        return _Judged([], clear=not absolute)
    usual = Counter(column.cells[row] for row in column.values).most_common(1)[0][0] if counted else ""
    return _Judged([_Odd(column, row, usual) for row in counted])


def _peers(table: ReportTable, column: Column) -> list[list[int]]:
    """Rows that may be compared: of one kind of machine and one test, and of adapters the same one of several hosts,
    else those of one rate; of GPUs those at work, as an idle one saves power by the generation of its link too."""
    load, rate, what = table.column("load"), table.column("rate"), column.meaning.what
    rows = [*column.values]
    if table.of in ("gpu", "host"):
        if what == "rate" or (what == "generation" and load is None and table.of == "gpu"):
            return []
        if load is not None and what in _BY_LOAD:
            least = _AT_WORK if max(load.values.values(), default=0.0) > 1 else _AT_WORK / 100
            rows = [row for row in rows if load.values.get(row, 100.0) >= least]
        groups = _grouped(rows, table.kind)
    else:
        of_name = Counter(map(table.part, rows))
        several = [row for row in rows if of_name[table.part(row)] >= _COMPARED]
        groups = _grouped(several, lambda row: f"{table.kind(row)} {table.part(row)}")
        if what != "rate":  # one alone may be meant for storage
            others = [row for row in rows if of_name[table.part(row)] < _COMPARED]
            groups += _grouped(others, lambda row: f"{table.kind(row)} {rate.cells[row] if rate else ''}")
    if column.meaning.judged == "low":
        groups = [same for its in groups for same in _grouped(its, table.test) if _alike_again(table, column, same)]
    return [its for its in groups if len(its) >= _COMPARED]


def _alike_again(table: ReportTable, column: Column, rows: list[int]) -> bool:
    """Whether parts that have several rows have much the same in each of theirs: else these are of something else that
    no column is known to tell."""
    its = _grouped(rows, lambda row: f"{table.host(row)} {table.part(row)}")
    spans = [(min(values), max(values)) for each in its if (values := [column.values[row] for row in each])]
    return len(its) == len(rows) or median(low >= ALIKE * high for low, high in spans) > 0.5


def _grouped(rows: list[int], by: Callable[[int], str]) -> list[list[int]]:
    groups = defaultdict[str, list[int]](list)
    for row in rows:
        groups[by(row)].append(row)
    return [*groups.values()]


def _beside(table: ReportTable, column: Column, rows: list[int]) -> _Judged:
    """Values that are below those of the other rows, where these lie close together, or far above them."""
    values, few = {row: column.values[row] for row in rows}, _FEW
    if column.meaning.judged == "fewer":
        few = _HALF if _on_a_board(table) else _FEW
        counts = Counter(values.values())
        usual = max((value for value, count in counts.items() if count >= (1 - few) * len(rows)), default=None)
        if usual is None:
            return _Judged([], clear=False)
        low, alike = [row for row, value in values.items() if value < usual], True
        shown = next(column.shown(row) for row, value in values.items() if value == usual)
    elif column.meaning.judged == "far":
        usual = median(values.values())
        low, alike, shown = far_above(values, column.meaning.least), True, f"{usual:.6g}"
    else:
        usual = median(values.values())
        low = [row for row, value in values.items() if value < DROP * usual]
        others = len(rows) - len(low)
        close = sum(ALIKE * usual <= value <= usual / ALIKE for value in values.values())
        alike, shown = close >= _CLOSE * others, f"{usual:.6g}"
    return _Judged([_Odd(column, row, shown) for row in low] if alike and len(low) <= few * len(rows) else [])


def _on_a_board(table: ReportTable) -> bool:
    """Whether rows are GPUs with NVLink to all others, which have the same links and lanes by the make of their
    board."""
    links = table.column("links")
    return table.of == "gpu" and links is not None and min(links.values.values(), default=0.0) > 1


def _without_twins(table: ReportTable, column: Column, odd: list[_Odd]) -> list[_Odd]:
    """Without the adapters that stand out on several hosts by the same name, and the GPUs that do so on all: these are
    made so, or have other work. Several adapters of one host that carry half or a quarter of what the others do may
    have a line of another rate."""
    if table.of == "gpu":
        names, hosts = Counter(table.part(each.row) for each in odd), {table.host(row) for row in table.rows}
        return [each for each in odd if len(hosts) < 2 or names[table.part(each.row)] < len(hosts)]
    if table.of != "adapter":
        return odd
    names, hosts = Counter(table.part(each.row) for each in odd), Counter(table.host(each.row) for each in odd)
    alone = [each for each in odd if names[table.part(each.row)] < 2]
    if column.meaning.what != "bandwidth":
        return alone
    return [
        replace(each, meant=hosts[table.host(each.row)] > 1 and _is_half(column.values[each.row] / float(each.usual)))
        for each in alone
    ]


def _is_half(share: float) -> bool:
    return any(abs(share * times - 1) < _HALVED for times in (2, 4, 8))


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
