"""A sweep as an SVG picture: a panel for each combination of the other fields, axes, each line's name at its end, light
background."""

import math
import textwrap

from assistant.vocabulary.sweep import Sweep

from .fields import field_name
from .sweep_series import Panel, Series, apart, figure, named, panels
from .text import in_xml, safe

WIDTH, HEIGHT = 900, 460  # pixels of one panel
LEFT, RIGHT, TOP, BOTTOM = 84, 236, 52, 56
_LINE, _LETTERS = 15, 28  # pixels of a line of a name, and letters on it
# Okabe and Ito (2008), a palette that colour-blind readers can tell apart; where it ends, dashes begin.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7A5195")
_DASHES = ("", "6 3", "2 3")


def sweep_svg(sweep: Sweep, metric: str = "cost") -> str:
    """The picture as text. A fabric's ring marks where a plan chooses it; the values' axis is logarithmic."""
    drawn = [apart(panel) for panel in panels(sweep, metric)]
    heights = [max(HEIGHT, TOP + BOTTOM + sum(map(_room, panel.series)) + 2 * _LINE) for panel in drawn]
    total, name = max(sum(heights), 80), safe(sweep.name or "sweep")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{total}" viewBox="0 0 {WIDTH} {total}" '
        'font-family="sans-serif" font-size="12" fill="#222222" role="img">',
        f"<title>{in_xml(name)}</title>",
        f"<desc>{in_xml(' '.join(_told(panel) for panel in drawn))}</desc>",
        f'<rect width="{WIDTH}" height="{total}" fill="#ffffff"/>',
    ]
    if not drawn:
        parts.append(_text(20, 40, "No fabric can be had at any point of this sweep."))
    top = 0
    for panel, height in zip(drawn, heights, strict=True):
        parts += [f'<g transform="translate(0 {top})">', *_panel(panel, name, height), "</g>"]
        top += height
    return "\n".join([*parts, "</svg>", ""])


def _panel(panel: Panel, name: str, height: int) -> list[str]:
    where = f", {named(panel.where)}" if panel.where else ""
    parts = [
        _text(LEFT, 22, f"{name}{where}", 'font-size="15" font-weight="bold"'),
        _text(LEFT, 40, panel.metric.title, 'fill="#555555"'),
    ]
    parts += [*_value_axis(panel, height), *_place_axis(panel, height)]
    for number, series in enumerate(panel.series):
        parts += _drawn(series, number, panel, height)
    return [*parts, *_names(panel, height)]


def _told(panel: Panel) -> str:
    """What a panel shows, in words: each line from its first value to its last."""
    axis, lines = field_name(panel.axis.path), []
    for series in panel.series:
        some = [(tick, value) for tick, value in zip(panel.ticks, series.values, strict=True) if value is not None]
        ends = [f"{panel.metric.shown(value)} at {figure(tick)}" for tick, value in (some[0], some[-1])]
        lines.append(f"{series.name}: {' to '.join(dict.fromkeys(ends))}")
    return f"{panel.metric.title} over {axis}. {'; '.join(lines)}."


def _x(place: int, panel: Panel) -> float:
    room = WIDTH - LEFT - RIGHT
    return LEFT + room * (place + 0.5) / len(panel.ticks)


def _y(value: float, panel: Panel, height: int) -> float:
    low, high = (math.log(bound) for bound in panel.bounds)
    return TOP + 8 + (high - math.log(value)) / (high - low) * (height - TOP - BOTTOM - 16)


def _value_axis(panel: Panel, height: int) -> list[str]:
    parts = []
    for value in gridlines(*panel.bounds):
        y = _y(value, panel, height)
        parts += [
            f'<line x1="{LEFT}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#dddddd"/>',
            _text(LEFT - 8, y + 4, panel.metric.shown(value), 'text-anchor="end"'),
        ]
    return parts


def gridlines(low: float, high: float) -> list[float]:
    """Round values between two bounds on a logarithmic scale: 1, 2 and 5 times powers of ten, closer where they are
    few."""
    powers = range(math.floor(math.log10(low)) - 1, math.ceil(math.log10(high)) + 1)
    for digits in ((1,), (1, 2, 5), (1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9), tuple(1 + i / 20 for i in range(180))):
        found = [digit * 10.0**power for power in powers for digit in digits if low <= digit * 10.0**power <= high]
        if len(found) >= 4:
            return found[:: -(-len(found) // 9)]
    return [low, high]


def _place_axis(panel: Panel, height: int) -> list[str]:
    floor = height - BOTTOM
    parts = [f'<polyline points="{LEFT},{TOP} {LEFT},{floor} {WIDTH - RIGHT},{floor}" fill="none" stroke="#222222"/>']
    every = -(-len(panel.ticks) // 14)
    for place, tick in enumerate(panel.ticks):
        x = _x(place, panel)
        parts.append(f'<line x1="{x:.1f}" y1="{floor}" x2="{x:.1f}" y2="{floor + 5}" stroke="#222222"/>')
        if place % every == 0:
            parts.append(_text(x, floor + 20, safe(figure(tick)), 'text-anchor="middle"'))
    return [*parts, _text((LEFT + WIDTH - RIGHT) / 2, floor + 42, field_name(panel.axis.path), 'text-anchor="middle"')]


def _style(number: int) -> tuple[str, str]:
    return _COLOURS[number % len(_COLOURS)], _DASHES[number // len(_COLOURS) % len(_DASHES)]


def _drawn(series: Series, number: int, panel: Panel, height: int) -> list[str]:
    """The lines between neighbouring places, a dot at each, a ring where a plan chooses this fabric."""
    colour, dash = _style(number)
    parts = [
        f'<polyline points="{run}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>'
        for run in _runs(series, panel, height)
    ]
    for place, value in enumerate(series.values):
        if value is not None:
            x, y = _x(place, panel), _y(value, panel, height)
            at = f'cx="{x:.1f}" cy="{y:.1f}"'
            where = f"{field_name(panel.axis.path)} {safe(figure(panel.ticks[place]))}"
            label = in_xml(f"{series.name}, {where}: {panel.metric.shown(value)}")
            if series.chosen[place]:
                parts.append(f'<circle {at} r="8" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts.append(_mark(number, x, y, colour, f"<title>{label}</title>"))
    return parts


def _runs(series: Series, panel: Panel, height: int) -> list[str]:
    """The points of each unbroken stretch; a place without a value interrupts the line."""
    runs: list[list[str]] = [[]]
    for place, value in enumerate(series.values):
        if value is None:
            runs.append([])
        else:
            runs[-1].append(f"{_x(place, panel):.1f},{_y(value, panel, height):.1f}")
    return [" ".join(run) for run in runs if len(run) > 1]


def _mark(number: int, x: float, y: float, colour: str, title: str = "") -> str:
    """A dot, a square, a diamond or a triangle: lines are told apart without their colours."""
    d = 4.5
    shapes = (
        (),
        ((-d, -d), (d, -d), (d, d), (-d, d)),
        ((0, -d - 1), (d + 1, 0), (0, d + 1), (-d - 1, 0)),
        ((0, -d - 1), (d + 1, d), (-d - 1, d)),
    )
    corners = shapes[number % len(shapes)]
    if not corners:
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}">{title}</circle>'
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners)
    return f'<polygon points="{points}" fill="{colour}">{title}</polygon>'


def _names(panel: Panel, height: int) -> list[str]:
    """Each line's name at its end, moved as far as another stands there, and what the ring means."""
    x, parts = WIDTH - RIGHT + 34, []
    ends = [(_end(series, panel, height), number) for number, series in enumerate(panel.series)]
    top = TOP + 4.0
    for (end_x, end_y), number in sorted(ends, key=lambda one: one[0][1]):
        series, (colour, _) = panel.series[number], _style(number)
        below = sum(_room(panel.series[n]) for (_, y), n in ends if y > end_y)
        y = min(max(end_y, top), height - BOTTOM - below - _room(series) + _LINE)
        lead = f'x1="{end_x + 7:.1f}" y1="{end_y:.1f}" x2="{x - 14}" y2="{y:.1f}"'
        parts += [f'<line {lead} stroke="{colour}" stroke-width="0.8"/>', _mark(number, x - 8, y, colour)]
        parts += [_text(x, y + 4 + _LINE * n, line) for n, line in enumerate(_lines(series))]
        top = y + _room(series)
    y = height - BOTTOM + 20
    ring = f'<circle cx="{x - 8}" cy="{y}" r="8" fill="none" stroke="#222222" stroke-width="2"/>'
    return [*parts, ring, _text(x + 4, y + 4, "a plan chooses it")]


def _lines(series: Series) -> list[str]:
    return textwrap.wrap(series.name, _LETTERS)


def _room(series: Series) -> int:
    return _LINE * len(_lines(series)) + 4


def _end(series: Series, panel: Panel, height: int) -> tuple[float, float]:
    """Where a line ends."""
    place, value = next((n, v) for n, v in reversed(list(enumerate(series.values))) if v is not None)
    return _x(place, panel), _y(value, panel, height)


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" {more}>{in_xml(text)}</text>'
