"""The rows of a batch as one Parquet file, through pyarrow (extra ``[parquet]``), a group of rows at a time."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assistant.vocabulary.errors import InputError, Place

from .results import CSV_COLUMNS

if TYPE_CHECKING:
    import pyarrow

ROWS = 20_000  # of a group: some ten megabytes while it is made
_TEXTS = (
    "name verdict fabric runner_up headline strategy warnings error_file error_field error_message".split()
)  # what is neither a text nor counted is a float64
_COUNTED = "tp pp cp ep dp micro_batch error_line".split()


def ready() -> None:
    """Raises :class:`InputError` where pyarrow is not installed: before anything is planned."""
    try:
        import pyarrow.parquet
    except ModuleNotFoundError:
        problem = "Parquet needs its library: pip install 'weft-fabric-planner[parquet]'"
        raise InputError(problem, Place(field="--format")) from None
    del pyarrow


def packed(lines: Path, to: Path) -> None:
    """A file of rows as JSON lines, written as Parquet."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    schema = _schema()
    # Written through a file of ours: a full disk is then told as one, and can be tried.
    with open(lines, encoding="utf-8") as said, open(to, "wb") as file, ParquetWriter(file, schema) as writer:
        while rows := [json.loads(line) for line in itertools.islice(said, ROWS)]:
            writer.write_table(pyarrow.Table.from_pylist(rows, schema))


def _schema() -> pyarrow.Schema:
    import pyarrow

    def kind(name: str) -> Any:
        if name in _TEXTS:
            return pyarrow.string()
        return pyarrow.int64() if name in _COUNTED else pyarrow.float64()

    return pyarrow.schema([(name, kind(name)) for name in CSV_COLUMNS])
