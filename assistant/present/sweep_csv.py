"""A sweep as CSV: one row for each fabric at each point, one for a point that cannot be."""

from typing import Any

from assistant.vocabulary.sweep import Point, Sweep, SweptFabric

from .cells import csv_text

_COLUMNS = """
    fabric chosen kept verdict fits step_time_p10_s step_time_p50_s step_time_p90_s slowdown_percent
    exposed_communication_percent run_hours cost_p10_usd cost_p50_usd cost_p90_usd error
""".split()
_BANDS = {"step_time_s": "step_time_{}_s", "cost_usd": "cost_{}_usd"}


def sweep_csv(sweep: Sweep) -> str:
    """The varied fields by their paths, then the figures; numbers unrounded, in the units that the names say."""
    paths = [axis.path for axis in sweep.axes]
    found = [(point, cells) for point in sweep.points for cells in _rows(point)]
    rows = [[*(point.values[path] for path in paths), *map(cells.get, _COLUMNS)] for point, cells in found]
    return csv_text([[*paths, *_COLUMNS], *rows])


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
