"""Two charts as SVG: bands on one axis, and bars of parts. They stand inside a page, take its colours and its width,
and say the same in words.

Places are percents of the width and letters keep their size, so that a chart is as readable on a phone as on paper.
Colour is never the only sign: what is chosen is ticked and bold, and each kind of part has a texture of its own.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from assistant.vocabulary.added import added

from .text import in_xml, safe

ROW, BAR = 38, 11  # pixels: a row with its name, and the bar in it
_NAME, _TOP, _AXIS = 13, 18, 24  # pixels: from the top of a row to its name's line and to its bar; below the last row
_STACK_ROW, _STACK_BAR, _LEGEND = 50, 22, 19
_WRITTEN = 16  # pixels of a row that are written on: no line of the chart passes through them
_PAST_WRITING = f'stroke-dasharray="{ROW - _WRITTEN} {_WRITTEN}"'
_DASHED_PAST_WRITING = f'stroke-dasharray="4 3 4 3 4 {ROW - 18}"'
_LETTER = 2.1  # percent of the narrowest page that a letter takes
_TICKS = 4
_FAR = 25.0  # times as much: beyond, an axis from nothing shows nothing of the least

Kind = Literal["work", "wait", "network"]
Chosen = Literal["good", "doubt"] | None  # what is chosen, with good reason or because it was given
_SIGNS = {"good": "✓ ", "doubt": "• "}


@dataclass(frozen=True)
class BandRow:
    """A row: a name, its tenth, fiftieth and ninetieth percentile, and what stands at the right end; ``more`` of it
    only where there is room."""

    name: str
    band: tuple[float, float, float]
    figure: str
    more: str = ""
    chosen: Chosen = None


@dataclass(frozen=True)
class Part:
    """A part of a bar: its name, how long it is, and of which kind."""

    name: str
    size: float
    kind: Kind
    figure: str


@dataclass(frozen=True)
class StackRow:
    """A bar of parts: its name, what stands at its right end, and how long it is, of one."""

    name: str
    parts: Sequence[Part]
    figure: str
    length: float = 1.0
    chosen: Chosen = None


def bands_svg(
    title: str,
    told: Sequence[str],
    rows: Sequence[BandRow],
    *,
    marks: Sequence[tuple[float, str]] = (),
    from_zero: bool = True,
) -> str:
    """Bands below each other. ``told``: the same in sentences; ``marks``: values (US dollars) with a line of
    their own, such as a budget. The axis begins at nothing, unless the values are too far apart for that."""
    axis = _Axis.of(_values(rows, marks), from_zero=from_zero)
    top = 20 if marks else 2
    floor = top + ROW * len(rows)
    inner = [*_ticks(axis, top, floor)]
    for value, name in marks:
        x = axis.at(value)
        line = _upright("mark", x, top + _WRITTEN + 2, floor, _DASHED_PAST_WRITING)
        inner += [line, _text(x, 12, name, "strong", _anchor(x))]
    for number, row in enumerate(rows):
        inner += _band(row, top + ROW * number, axis)
    return _svg(title, told, floor + _AXIS, inner)


def is_logarithmic(rows: Sequence[BandRow], marks: Sequence[tuple[float, str]] = ()) -> bool:
    """Whether the values of bands are too far apart for an axis that begins at nothing."""
    return _Axis.of(_values(rows, marks), from_zero=True).log


def _values(rows: Sequence[BandRow], marks: Sequence[tuple[float, str]]) -> list[float]:
    return [value for row in rows for value in row.band] + [value for value, _ in marks]


@dataclass(frozen=True)
class _Axis:
    low: float
    high: float
    log: bool

    @classmethod
    def of(cls, values: Iterable[float], *, from_zero: bool) -> _Axis:
        some = [value for value in values if value > 0]
        low, high = min(some), max(some)
        if from_zero and high > _FAR * low:
            return cls(low / 1.15, high * 1.15, True)
        room = 0.06 * (high - low) or 0.1 * high
        return cls(0.0 if from_zero else max(0.0, low - room), high + room, False)

    def at(self, value: float) -> float:
        """Percent of the width."""
        scale = math.log if self.log else float
        low, high = scale(self.low), scale(self.high)
        return min(100.0, max(0.0, 100 * (scale(max(value, self.low or value or 0.0)) - low) / (high - low)))

    def ticks(self) -> list[float]:
        """Some round values between the ends."""
        if self.log:
            powers = range(math.floor(math.log10(self.low)), math.ceil(math.log10(self.high)) + 1)
            for digits in ((1,), (1, 3), (1, 2, 5)):
                found = [d * 10.0**p for p in powers for d in digits if self.low <= d * 10.0**p <= self.high]
                if len(found) >= 3:
                    return found[:: -(-len(found) // _TICKS)]
            return [self.low, self.high]
        rough = (self.high - self.low) / _TICKS
        step = next(s for d in (1, 2, 2.5, 5, 10) if (s := d * 10 ** math.floor(math.log10(rough))) >= rough)
        first = math.ceil(self.low / step)
        return [step * n for n in range(first, math.floor(self.high / step) + 1)]


def _ticks(axis: _Axis, top: int, floor: int) -> Iterator[str]:
    for value in axis.ticks():
        x = axis.at(value)
        yield _upright("grid", x, top + _WRITTEN, floor, _PAST_WRITING)
        yield _text(x, floor + 18, _in_short(value), "quiet", _anchor(x))


def _upright(kind: str, x: float, top: int, floor: int, dashes: str) -> str:
    return f'<line class="{kind}" x1="{x:.2f}%" x2="{x:.2f}%" y1="{top}" y2="{floor}" {dashes}/>'


def _in_short(usd: float) -> str:
    """``$250``, ``$40k``, ``$1.5M``: what marks an axis."""
    for size, unit in ((1e9, "bn"), (1e6, "M"), (1e3, "k")):
        if usd >= size:
            return f"${usd / size:.4g}{unit}"
    return f"${usd:.4g}"


def _anchor(x: float) -> str:
    return "start" if x < 8 else "end" if x > 92 else "middle"


def _band(row: BandRow, y: int, axis: _Axis) -> Iterator[str]:
    low, middle, high = (axis.at(value) for value in row.band)
    more = f'<tspan class="wide quiet"> {in_xml(safe(row.more))}</tspan>' if row.more else ""
    yield from _named(row.name, f"{in_xml(safe(row.figure))}{more}", y, row.chosen)
    wide, style = max(0.4, high - low), f"band {row.chosen}" if row.chosen else "band"
    yield f'<rect class="{style}" x="{low:.2f}%" y="{y + _TOP}" width="{wide:.2f}%" height="{BAR}" rx="3"/>'
    ends = f'y1="{y + _TOP - 2}" y2="{y + _TOP + BAR + 2}"'
    yield f'<line class="middle" x1="{middle:.2f}%" x2="{middle:.2f}%" {ends}/>'


def _named(name: str, figure: str, y: int, chosen: Chosen) -> Iterator[str]:
    """What is written above a bar; ``figure`` is escaped already."""
    yield _text(0, y + _NAME, f"{_SIGNS[chosen]}{name}" if chosen else name, "strong" if chosen else "")
    style = "strong " if chosen else ""
    yield f'<text class="{style}figure" x="100%" y="{y + _NAME}" text-anchor="end">{figure}</text>'


def stacks_svg(title: str, told: Sequence[str], rows: Sequence[StackRow], legend: Sequence[tuple[Kind, str]]) -> str:
    """Bars below each other, each of parts that add up to its length; ``legend``: what each kind is, in the words to
    print."""
    inner: list[str] = []
    for number, row in enumerate(rows):
        y = _STACK_ROW * number
        inner += _named(row.name, in_xml(safe(row.figure)), y, row.chosen)
        inner += _parts(row, y + _TOP)
    floor = _STACK_ROW * len(rows) + 4
    for number, (kind, text) in enumerate(legend):
        y = floor + _LEGEND * number
        inner += [*_filled(kind, "0", "18", y, 12), f'<text x="26" y="{y + 11}">{in_xml(safe(text))}</text>']
    return _svg(title, told, floor + _LEGEND * len(legend) + 2, inner)


def _parts(row: StackRow, y: int) -> Iterator[str]:
    whole, x = added(part.size for part in row.parts), 0.0
    for part in row.parts:
        wide = 100 * row.length * part.size / whole
        label = f"<title>{in_xml(safe(f'{part.name}: {part.figure}'))}</title>"
        yield f"<g>{label}{''.join(_filled(part.kind, f'{x:.2f}%', f'{wide:.2f}%', y, _STACK_BAR))}</g>"
        if part.kind == "work" and wide > _LETTER * (len(part.name) + 2):
            yield f'<text class="inside" x="{x:.2f}%" dx="6" y="{y + 15}">{in_xml(safe(part.name))}</text>'
        x += wide


def _filled(kind: Kind, x: str, width: str, y: int, height: int) -> Iterator[str]:
    """A part with its texture: computing is solid, waiting for each other outlined, the network striped."""
    yield f'<svg x="{x}" y="{y}" width="{width}" height="{height}">'
    yield f'<rect class="{kind}" width="100%" height="100%"/>'
    if kind == "network":
        middle = f'x2="100%" y1="{height / 2:g}" y2="{height / 2:g}"'
        yield f'<line class="stripes" {middle} stroke-width="{height}" stroke-dasharray="2 3"/>'
    yield "</svg>"


def _text(x: float, y: float, text: str, style: str = "", anchor: str = "start") -> str:
    kind = f' class="{style}"' if style else ""
    return f'<text{kind} x="{x:.2f}%" y="{y}" text-anchor="{anchor}">{in_xml(safe(text))}</text>'


def _svg(title: str, told: Sequence[str], height: int, inner: Iterable[str]) -> str:
    ident = re.sub(r"\W+", "-", title.lower()).strip("-")
    return (
        f'<svg class="chart" xmlns="http://www.w3.org/2000/svg" width="100%" height="{height}" role="img" '
        f'aria-labelledby="{ident} {ident}-told"><title id="{ident}">{in_xml(safe(title))}</title>'
        f'<desc id="{ident}-told">{in_xml(safe(" ".join(told)))}</desc>{"".join(inner)}</svg>'
    )
