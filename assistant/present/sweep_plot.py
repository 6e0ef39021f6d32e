"""A sweep as a plot of letters, one letter per fabric: readable without colour and copied as text."""

import math
import string
import textwrap

from .fields import field_name
from .sweep_series import Panel, Series, apart, figure

ROWS = 16
_LETTERS = string.ascii_uppercase + string.ascii_lowercase
LEAST_SLOT = 5
_LONGEST = 8  # letters of a name beside the axis


def text_plot(panel: Panel, width: int = 80, rows: int = ROWS) -> list[str]:
    """The plot as lines of at most ``width`` characters, ``rows`` high; values on a logarithmic scale, places at equal
    distances.

    Fabrics that fall on one spot stand side by side; ``+`` stands for those that find no room there. Those that fall on
    one another everywhere share a letter.
    """
    panel = apart(panel)
    margin = max(len(panel.metric.shown(value)) for value in _levels(panel, rows)) + 1
    widest = max(len(figure(tick)) for tick in panel.ticks) + 1 if panel.axis.numeric else 0
    slot = max(LEAST_SLOT, widest, (width - margin - 2) // len(panel.ticks))
    shown = panel.ticks[: max(1, (width - margin - 2) // slot)]
    grid = [[""] * len(shown) for _ in range(rows)]
    for letter, series in zip(_LETTERS, panel.series, strict=False):
        for place, value in enumerate(series.values[: len(shown)]):
            if value is not None:
                grid[_row(value, panel, rows)][place] += letter
    lines = [
        _line(cells, level if row % 5 == 0 or row == rows - 1 else None, panel, margin, slot)
        for row, (cells, level) in enumerate(zip(grid, _levels(panel, rows), strict=True))
    ]
    lines.append(" " * margin + " +" + "-" * (slot * len(shown)))
    lines.append(_ticks(_axis(panel.axis.path), list(map(figure, shown)), margin, slot))
    lines.append(_ticks("plan", [_chosen(panel, place) for place in range(len(shown))], margin, slot))
    missing = len(panel.ticks) - len(shown)
    more = [f"{missing} more values find no room here; they are in the table."] if missing else []
    return [line.rstrip() for line in lines] + more + ["", *_legend(panel.series, width)]


def _axis(path: str) -> str:
    """The name of the axis, where it is short enough to stand beside it."""
    name = field_name(path)
    return name if len(name) <= _LONGEST else ""


def _levels(panel: Panel, rows: int) -> list[float]:
    """The value at the middle of each row, the highest first."""
    low, high = (math.log(bound) for bound in panel.bounds)
    return [math.exp(high - (high - low) * row / (rows - 1)) for row in range(rows)]


def _row(value: float, panel: Panel, rows: int) -> int:
    low, high = (math.log(bound) for bound in panel.bounds)
    return round((high - math.log(value)) / (high - low) * (rows - 1))


def _line(cells: list[str], level: float | None, panel: Panel, margin: int, slot: int) -> str:
    label = "" if level is None else panel.metric.shown(level)
    room = slot - 1
    fitted = [cell if len(cell) <= room else cell[: room - 1] + "+" for cell in cells]
    return label.rjust(margin) + " |" + "".join(cell.center(slot) for cell in fitted)


def _ticks(name: str, cells: list[str], margin: int, slot: int) -> str:
    return name.rjust(margin) + "  " + "".join(cell[: slot - 1].center(slot) for cell in cells)


def _chosen(panel: Panel, place: int) -> str:
    return next((letter for letter, series in zip(_LETTERS, panel.series, strict=False) if series.chosen[place]), "-")


def _legend(series: list[Series], width: int) -> list[str]:
    """The letters in the order of the lines' ends, as many beside each other as there is room for."""
    named = [f"{letter} {one.name}" for letter, one in zip(_LETTERS, series, strict=False)]
    column = max((len(name) for name in named if len(name) + 3 <= width // 2), default=width) + 3
    rows: list[str] = []
    for name in named:
        if not rows or len(rows[-1]) + len(name) > width:
            rows.append("")
        rows[-1] += name.ljust(column)
    return [line for row in rows for line in textwrap.wrap(row.rstrip(), width, subsequent_indent="  ")]
