"""What a plot of a sweep draws: for each combination of the other fields one series per fabric over the varied
number."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from assistant.vocabulary.sweep import Axis, Point, Sweep, SweptFabric, axis_along, rows_along

from . import figures
from .fields import field_name

SAME = 0.01  # two lines that are nowhere farther apart than this cannot be told apart, nor their costs


@dataclass(frozen=True)
class Metric:
    """A figure that is drawn, on a logarithmic axis. ``shown`` writes a value of it."""

    name: str
    title: str
    of: Callable[[SweptFabric], float | None]
    shown: Callable[[float], str]


METRICS = {
    "cost": Metric("cost", "cost of the run, US dollars", lambda one: one.cost_usd and one.cost_usd.p50, figures.usd),
    # As a ratio, so that the fastest stands at 1 on a logarithmic axis.
    "slowdown": Metric(
        "slowdown",
        "step time, times that of the fastest fabric",
        lambda one: None if one.slowdown_percent is None else 1 + one.slowdown_percent / 100,
        lambda ratio: f"{figures.significant(ratio)}×",
    ),
    "step-time": Metric(
        "step-time", "seconds per step", lambda one: one.step_time_s and one.step_time_s.p50, figures.seconds
    ),
}


@dataclass(frozen=True)
class Series:
    """One fabric: its value at each place of the axis, ``None`` where it cannot be; ``chosen``: a plan takes it
    there. ``name``: as people call it, with those whose line lies on this one."""

    fabric: str
    name: str
    values: list[float | None]
    chosen: list[bool]


@dataclass(frozen=True)
class Panel:
    """One plot: the other fields' values, the axis, its ticks and the series, the best at the largest value first."""

    where: dict[str, Any]
    axis: Axis
    ticks: list[Any]
    series: list[Series]
    metric: Metric

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest value of all series, a little apart when they are one."""
        values = [value for one in self.series for value in one.values if value is not None]
        low, high = min(values), max(values)
        return (low, high) if high > low * 1.001 else (low / 1.05, high * 1.05)


def panels(sweep: Sweep, metric: str) -> list[Panel]:
    """One panel for each combination of the other fields at which some fabric can be had."""
    axis = axis_along(sweep.axes) or sweep.axes[0]
    rows = rows_along(axis, sweep.points)
    found = [_panel(axis, where, row, METRICS[metric], sweep.names) for where, row in rows]
    return [panel for panel in found if panel.series]


def apart(panel: Panel) -> Panel:
    """The panel with one line for fabrics whose lines lie on one another, under all their names."""
    groups: list[list[Series]] = []
    for one in panel.series:
        same = next((group for group in groups if _is_same(group[0], one)), None)
        if same is None:
            groups.append([one])
        else:
            same.append(one)
    return replace(panel, series=[_joined(group) for group in groups])


def _is_same(left: Series, right: Series) -> bool:
    pairs = list(zip(left.values, right.values, strict=True))
    if any((a is None) is not (b is None) for a, b in pairs):
        return False
    return all(abs(a / b - 1) <= SAME for a, b in pairs if a is not None and b)


def _joined(group: list[Series]) -> Series:
    chosen = [any(some) for some in zip(*(one.chosen for one in group), strict=True)]
    return replace(group[0], name=", ".join(one.name for one in group), chosen=chosen)


def _panel(axis: Axis, where: dict[str, Any], row: list[Point], metric: Metric, called: dict[str, str]) -> Panel:
    names = list(dict.fromkeys(one.fabric for point in row for one in point.fabrics if _drawn(one)))
    series = [
        Series(one, called.get(one, one), [_value(point, one, metric) for point in row], [p.fabric == one for p in row])
        for one in names
    ]
    series = [one for one in series if any(value is not None for value in one.values)]
    return Panel(where, axis, [point.values[axis.path] for point in row], sorted(series, key=_last), metric)


def _drawn(one: SweptFabric) -> bool:
    return bool(one.fits) and one.verdict != "impossible"


def _value(point: Point, fabric: str, metric: Metric) -> float | None:
    found = next((one for one in point.fabrics if one.fabric == fabric and _drawn(one)), None)
    return None if found is None else metric.of(found)


def _last(series: Series) -> float:
    """The value at the largest place where there is one: the order of the legend is then that of the lines' ends."""
    return next((value for value in reversed(series.values) if value is not None), math.inf)


def figure(value: Any) -> str:
    """A value of an axis in short."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: "null"}[value]
    if isinstance(value, (int, float)):
        if abs(value) >= 1e6:
            return f"{value:.4g}".replace("e+0", "e").replace("e+", "e")
        text = figures.significant(value, 6)
        return text.rstrip("0").rstrip(".") if "." in text else text
    return str(value)


def named(values: dict[str, Any]) -> str:
    """``GPUs 64, model llama-3.1-8b``."""
    return ", ".join(f"{field_name(path)} {figure(value)}" for path, value in values.items())
