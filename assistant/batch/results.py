"""One result as a JSON line or a CSV row."""

import json
from dataclasses import asdict
from typing import Any

from assistant.present.cells import csv_text
from assistant.present.parquet import Kind
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.printing import in_json

Result = dict[str, Any]  # a plan as the contract's JSON value, or ``{"name", "error": {file, line, field, message}}``
CSV_COLUMNS = tuple(
    """
    name verdict fabric runner_up confidence headline strategy tp pp cp ep dp micro_batch step_time_p10_s
    step_time_p50_s step_time_p90_s exposed_communication_percent tokens_per_s_per_gpu mfu memory_gb_per_gpu
    run_hours cost_p10_usd cost_p50_usd cost_p90_usd fabric_usd_per_gpu_hour warnings error_file error_line
    error_field error_message
    """.split()
)


def error_result(name: str | None, error: InputError) -> Result:
    """What stands in the place of a questionnaire that could not be planned."""
    return {"name": name, "error": {**asdict(error.place), "message": error.message}}


def json_line(result: Result) -> str:
    """A result as one line of JSON."""
    return in_json(json.dumps(result, ensure_ascii=False, separators=(",", ":"), allow_nan=False)) + "\n"


_TEXTS = (
    "name verdict fabric runner_up headline strategy warnings error_file error_field error_message".split()
)  # what is neither a text nor counted is a float64
_COUNTED = "tp pp cp ep dp micro_batch error_line".split()


def columns() -> dict[str, Kind]:
    """The columns of a row with what they hold, for Parquet."""
    kind = lambda name: "string" if name in _TEXTS else "int64" if name in _COUNTED else "float64"
    return {name: kind(name) for name in CSV_COLUMNS}


def csv_header() -> str:
    return csv_text([CSV_COLUMNS])


def csv_line(result: Result) -> str:
    """A result as one CSV row: the recommendation and its figures, or the error."""
    return csv_text([list(_cells(result).values())])


def cells_line(result: Result) -> str:
    """The cells of the CSV row by their column, as one line of JSON."""
    return json_line(_cells(result))


def _cells(result: Result) -> Result:
    row = _error_cells(result) if "error" in result else _plan_cells(result)
    return {column: row.get(column) for column in CSV_COLUMNS}


def _error_cells(result: Result) -> Result:
    return {"name": result["name"], **{f"error_{key}": value for key, value in result["error"].items()}}


def _plan_cells(plan: dict[str, Any]) -> Result:
    answer = plan["recommendation"]
    chosen = next((c for c in plan["candidates"] if c["fabric"] == answer["fabric"]), {})
    row = {"name": plan["questionnaire"].get("name"), "warnings": " ".join(w["code"] for w in plan["warnings"])}
    row |= {key: answer[key] for key in ("verdict", "fabric", "runner_up", "confidence", "headline")}
    row |= {key: chosen.get(key) for key in CSV_COLUMNS if key in chosen and key not in row}
    row |= {key: value for key, value in (chosen.get("parallelism") or {}).items() if key in CSV_COLUMNS}
    for name, column in (("step_time_s", "step_time_{}_s"), ("cost_usd", "cost_{}_usd")):
        for quantile, value in (chosen.get(name) or {}).items():
            row[column.format(quantile)] = value
    return row
