"""Rows as one Parquet file, through pyarrow (extra ``[parquet]``), a group of rows at a time."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

from assistant.vocabulary.errors import InputError, Place

ROWS = 20_000  # of a group: some ten megabytes while it is made
Kind = Literal["string", "int64", "float64", "bool_"]


def ready() -> None:
    """Raises :class:`InputError` where pyarrow is not installed: before anything is planned."""
    try:
        import pyarrow.parquet
    except ModuleNotFoundError:
        problem = "Parquet needs its library: pip install 'weft-fabric-planner[parquet]'"
        raise InputError(problem, Place(field="--format")) from None
    del pyarrow


def packed(rows: Iterable[dict[str, Any]], columns: Mapping[str, Kind], to: Path) -> None:
    """Rows, each with its cells by column, written as Parquet with ``columns`` in their order."""
    import pyarrow
    from pyarrow.parquet import ParquetWriter

    schema = pyarrow.schema([(name, getattr(pyarrow, kind)()) for name, kind in columns.items()])
    coming = iter(rows)
    # Written through a file of ours: a full disk is then told as one, and can be tried.
    with open(to, "wb") as file, ParquetWriter(file, schema) as writer:
        while group := list(itertools.islice(coming, ROWS)):
            writer.write_table(pyarrow.Table.from_pylist(group, schema))
