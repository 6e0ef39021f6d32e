"""A sweep as CSV or Parquet: one row for each fabric at each point, one for a point that cannot be."""

from pathlib import Path
from typing import Any

from assistant.vocabulary.sweep import Point, Sweep, SweptFabric

from .cells import csv_text
from .parquet import Kind, packed

_COLUMNS = """
    fabric chosen kept verdict fits step_time_p10_s step_time_p50_s step_time_p90_s slowdown_percent
    exposed_communication_percent run_hours cost_p10_usd cost_p50_usd cost_p90_usd error
""".split()
_TEXTS, _FLAGS = ("fabric", "verdict", "error"), ("chosen", "kept", "fits")
_BANDS = {"step_time_s": "step_time_{}_s", "cost_usd": "cost_{}_usd"}


def sweep_csv(sweep: Sweep) -> str:
    """The varied fields by their paths, then the figures; numbers unrounded, in the units that the names say."""
    paths = [axis.path for axis in sweep.axes]
    found = [(point, cells) for point in sweep.points for cells in _rows(point)]
    rows = [[*(point.values[path] for path in paths), *map(cells.get, _COLUMNS)] for point, cells in found]
    return csv_text([[*paths, *_COLUMNS], *rows])


def sweep_parquet(sweep: Sweep, to: Path) -> None:
    """The same rows as a Parquet file."""
    columns: dict[str, Kind] = {axis.path: _kind_of(axis.values) for axis in sweep.axes}
    columns |= {name: "string" if name in _TEXTS else "bool_" if name in _FLAGS else "float64" for name in _COLUMNS}
    texts = [axis.path for axis in sweep.axes if columns[axis.path] == "string"]
    rows = (
        {**point.values, **{path: _text(point.values[path]) for path in texts}, **dict.fromkeys(_COLUMNS), **cells}
        for point in sweep.points
        for cells in _rows(point)
    )
    packed(rows, columns, to)


def _kind_of(values: list[Any]) -> Kind:
    """What a column of a varied field holds; what is neither numbers nor yes or no is text."""
    kinds = {type(value) for value in values if value is not None}
    if kinds == {bool}:
        return "bool_"
    if kinds == {int}:
        return "int64"
    return "float64" if kinds and kinds <= {int, float} else "string"


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


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
