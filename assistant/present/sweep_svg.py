"""A sweep as an SVG picture: one panel for each combination of the other fields, axes, legend, light background."""

import math
from xml.sax.saxutils import escape, quoteattr

from assistant.vocabulary.sweep import Sweep

from .sweep_series import Panel, Series, figure, named, panels
from .text import safe

WIDTH, HEIGHT = 900, 460  # pixels of one panel
LEFT, RIGHT, TOP, BOTTOM = 84, 220, 52, 56
_LEGEND_LINE = 18
# Okabe and Ito (2008), a palette that colour-blind readers can tell apart; where it ends, dashes begin.
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#56B4E9", "#E69F00", "#000000", "#7A5195")
_DASHES = ("", "6 3", "2 3")


def sweep_svg(sweep: Sweep, metric: str = "cost") -> str:
    """The picture as text. A fabric's ring marks where a plan chooses it; the values' axis is logarithmic."""
    drawn = panels(sweep, metric)
    heights = [max(HEIGHT, TOP + BOTTOM + _LEGEND_LINE * (len(panel.series) + 2)) for panel in drawn]
    total, name = max(sum(heights), 80), safe(sweep.name or "sweep")
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{total}" viewBox="0 0 {WIDTH} {total}" '
        'font-family="sans-serif" font-size="12" fill="#222222" role="img">',
        f"<title>{escape(name)}</title>",
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
    return [*parts, *_legend(panel)]


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
    return [*parts, _text((LEFT + WIDTH - RIGHT) / 2, floor + 42, panel.axis.path, 'text-anchor="middle"')]


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
            at = f'cx="{_x(place, panel):.1f}" cy="{_y(value, panel, height):.1f}"'
            where = f"{panel.axis.path} {safe(figure(panel.ticks[place]))}"
            label = escape(f"{series.fabric}, {where}: {panel.metric.shown(value)}")
            if series.chosen[place]:
                parts.append(f'<circle {at} r="8" fill="none" stroke="{colour}" stroke-width="2"/>')
            parts.append(f'<circle {at} r="3.5" fill="{colour}"><title>{label}</title></circle>')
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


def _legend(panel: Panel) -> list[str]:
    """The fabrics in the order in which their lines end."""
    x, parts = WIDTH - RIGHT + 20, []
    for number, series in enumerate(panel.series):
        y = TOP + 10 + _LEGEND_LINE * number
        colour, dash = _style(number)
        line = f'x1="{x}" y1="{y}" x2="{x + 24}" y2="{y}"'
        parts += [
            f'<line {line} stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>',
            f'<circle cx="{x + 12}" cy="{y}" r="3.5" fill="{colour}"/>',
            _text(x + 32, y + 4, series.fabric),
        ]
    y = TOP + 10 + _LEGEND_LINE * (len(panel.series) + 1)
    ring = f'<circle cx="{x + 12}" cy="{y}" r="8" fill="none" stroke="#222222" stroke-width="2"/>'
    return [*parts, ring, _text(x + 32, y + 4, "a plan chooses it")]


def _text(x: float, y: float, text: str, more: str = "") -> str:
    return f"<text x={quoteattr(f'{x:.1f}')} y={quoteattr(f'{y:.1f}')} {more}>{escape(text)}</text>"
