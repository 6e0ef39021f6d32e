"""A sweep as CSV: one row for each fabric at each point, one for a point that cannot be."""

from __future__ import annotations

import csv
import io
from typing import Any

from assistant.vocabulary.sweep import Point, Sweep, SweptFabric

from .cells import harmless

_COLUMNS = (
    "fabric",
    "chosen",
    "kept",
    "verdict",
    "fits",
    "step_time_p10_s",
    "step_time_p50_s",
    "step_time_p90_s",
    "slowdown_percent",
    "exposed_communication_percent",
    "run_hours",
    "cost_p10_usd",
    "cost_p50_usd",
    "cost_p90_usd",
    "error",
)
_BANDS = {"step_time_s": "step_time_{}_s", "cost_usd": "cost_{}_usd"}


def sweep_csv(sweep: Sweep) -> str:
    """The varied fields by their paths, then the figures; numbers unrounded, in the units that the names say."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([*(axis.path for axis in sweep.axes), *_COLUMNS])
    for point in sweep.points:
        for cells in _rows(point):
            row = [*(point.values[axis.path] for axis in sweep.axes), *(cells.get(column) for column in _COLUMNS)]
            writer.writerow([_cell(cell) for cell in row])
    return buffer.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else harmless(value)


def _rows(point: Point) -> list[dict[str, Any]]:
    if point.error:
        return [{"error": point.error}]
    return [_cells(one, point) for one in point.fabrics]


def _cells(one: SweptFabric, point: Point) -> dict[str, Any]:
    cells = {name: getattr(one, name) for name in _COLUMNS if name in SweptFabric.model_fields}
    cells |= {"chosen": one.fabric == point.fabric, "kept": one.fabric == point.fabric and point.kept}
    for name, column in _BANDS.items():
        band = getattr(one, name)
        cells |= {column.format(quantile): value for quantile, value in (band.model_dump() if band else {}).items()}
    return cells
