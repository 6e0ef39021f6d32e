"""Questionnaires from files: YAML documents, JSON, JSON lines, CSV with dotted column names.

Every row is a :class:`Row`: a questionnaire, or one sentence that says what is wrong and where.
"""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place, of_a_row
from assistant.vocabulary.quantities import CURRENCIES, shown
from assistant.vocabulary.questionnaire import Questionnaire

from . import checks, json_text, wording, yaml_text
from .files import MAX_FILE_BYTES, check_columns, checked, content_of, marked, text_read

STDIN = "-"
_A_PLAN = (
    "expected a questionnaire, got a plan that was saved: weft diff holds it against today, weft launch writes what "
    "starts it, and what was asked stands under its key questionnaire"
)


@dataclass(frozen=True)
class Row:
    """One questionnaire of a file, or the error that stands in its place."""

    file: str
    line: int | None
    name: str | None
    read: Questionnaire | None = None
    error: InputError | None = None

    @property
    def questionnaire(self) -> Questionnaire:
        """What was read. Raises the error that stands in its place."""
        if self.read is None:
            raise self.error or InputError("expected a questionnaire, got nothing")
        return self.read


@dataclass(frozen=True)
class _Raw:
    """A value as it stands in the file, before it is checked."""

    value: Any
    line: int | None
    lines: dict[tuple[str, ...], int]
    error: InputError | None = None


def read(path: str | Path, catalog: Catalog, seen: Callable[[bytes], None] = lambda _: None) -> Iterator[Row]:
    """Every questionnaire of a file in order, ``-`` being standard input; ``seen`` is told what is in it. Raises
    :class:`InputError` when the file itself cannot be read."""
    path = Path(path)
    name = str(path)
    reader = READERS.get(path.suffix.lower())
    if name == STDIN:
        name, content = "standard input", sys.stdin.buffer.read(MAX_FILE_BYTES + 1)
        reader = _reader_of(marked(content, name))
    elif reader is None:
        raise InputError(f"expected a file ending in {', '.join(READERS)}", Place(name))
    else:
        content = content_of(path)
    seen(content)
    text = (marked if reader in _BY_ROW else text_read)(content, name)
    found = False
    for raw in reader(text, name):
        found = True
        yield _row(raw, name, catalog)
    if not found:
        raise InputError("expected a questionnaire, found nothing in the file", Place(name))


def read_one(path: str | Path, catalog: Catalog) -> Questionnaire:
    """The one questionnaire of a file. Raises :class:`InputError` when it is wrong or when there are several."""
    rows = []
    for row in read(path, catalog):
        if row.error is not None:
            raise row.error
        rows.append(row)
        if len(rows) > 1:
            raise InputError("expected one questionnaire, found several: use weft batch", Place(str(path), row.line))
    return rows[0].questionnaire


def from_value(value: object, catalog: Catalog) -> Questionnaire:
    """A questionnaire from a plain dict (no file). Raises :class:`InputError` naming the field."""
    rates = {
        code: catalog.constants[f"currency-{code}"].value
        for code in CURRENCIES
        if f"currency-{code}" in catalog.constants
    }
    converted: list[tuple[str, str, float]] = []
    if isinstance(value, Mapping) and str(value.get("schema")).startswith("weft/plan/"):
        raise InputError(_A_PLAN)
    try:
        questionnaire = Questionnaire.model_validate(value, context={"usd_per": rates, "converted": converted})
    except ValidationError as error:
        raise wording.sentence(error, value) from None
    checks.check(questionnaire, catalog)
    return questionnaire.with_converted(converted)


def nested(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Dotted fields as the nested mapping a questionnaire file holds."""
    value: dict[str, Any] = {}
    for name, content in fields.items():
        *path, last = name.split(".")
        inner = value
        for part in path:
            inner = inner.setdefault(part, {})
        inner[last] = content
    return value


def _reader_of(text: str) -> Callable[[str, str], Iterator[_Raw]]:
    """What reads a text of which no ending tells the format."""
    lines = [line for line in text.splitlines() if line.strip()]
    if text.lstrip().startswith(("{", "[")):
        return (
            _json_lines
            if len(lines) > 1 and all(line.startswith("{") and line.rstrip().endswith("}") for line in lines)
            else _json
        )
    return _csv if lines and ":" not in lines[0] and "," in lines[0] else _yaml


def _row(raw: _Raw, file: str, catalog: Catalog) -> Row:
    name = raw.value.get("name") if isinstance(raw.value, dict) else None
    name = str(name) if isinstance(name, (str, int, float)) and not isinstance(name, bool) else None
    if raw.error is not None:
        return Row(file, raw.line, name, error=raw.error)
    try:
        if not isinstance(raw.value, dict):
            raise InputError(f"expected a questionnaire (keys and values), got {shown(raw.value)}")
        return Row(file, raw.line, name, from_value(raw.value, catalog))
    except Exception as fault:
        error = of_a_row(fault, "read")
        return Row(file, raw.line, name, error=error.located(file=file, line=_line(raw, error.place.field)))


def _line(raw: _Raw, field: str | None) -> int | None:
    path = tuple(field.split(".")) if field else ()
    while path and path not in raw.lines:
        path = path[:-1]
    return raw.lines.get(path, raw.line)


def _yaml(text: str, file: str) -> Iterator[_Raw]:
    for document in yaml_text.documents(text, file):
        if document.value is not None:
            yield _Raw(document.value, document.line, document.lines)


def _json(text: str, file: str) -> Iterator[_Raw]:
    if not text.strip():
        return
    value = json_text.loads(text, Place(file, 1))
    for one in value if isinstance(value, list) else [value]:
        yield _Raw(one, 1, {} if isinstance(value, list) else _lines_of_json(text, file))


def _lines_of_json(text: str, file: str) -> dict[tuple[str, ...], int]:
    """JSON is nearly YAML, whose reader knows lines; where it is not, errors name the field alone."""
    try:
        return next(iter(yaml_text.documents(text, file))).lines
    except (InputError, StopIteration):
        return {}


def _json_lines(text: str, file: str) -> Iterator[_Raw]:
    for number, line in enumerate(io.StringIO(text), start=1):
        if not line.strip():
            continue
        try:
            yield _Raw(json_text.loads(checked(line, file, number), Place(file, number)), number, {})
        except InputError as error:
            yield _Raw(None, number, {}, error.located())


def _csv(text: str, file: str) -> Iterator[_Raw]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, None)
        if header is None:
            return
        columns = _columns(header, file)
        start = reader.line_num + 1
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield _csv_row(columns, cells, start, file)
            start = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"not valid CSV: {error}", Place(file, reader.line_num)) from None


def _columns(header: list[str], file: str) -> list[tuple[str, ...]]:
    check_columns(header, file)
    checked("".join(header), file)
    columns = [tuple(cell.strip().split(".")) for cell in header]
    for i, column in enumerate(columns):
        if not all(column):
            problem = f"expected a column name in each cell of the first line, got {shown(header[i])}"
            raise InputError(problem, Place(file, 1))
        if column in columns[:i]:
            raise InputError("the column stands twice", Place(file, 1, ".".join(column)))
        if any(other != column and other[: len(column)] == column for other in columns) and column != ("model",):
            raise InputError("the column stands both alone and with parts", Place(file, 1, ".".join(column)))
    return columns


def _csv_row(columns: list[tuple[str, ...]], cells: list[str], line: int, file: str) -> _Raw:
    value: dict[str, Any] = {}
    try:
        checked("\0".join(cells), file, line)
    except InputError as error:
        return _Raw(value, line, {}, error)
    if len(cells) > len(columns):
        problem = f"expected at most {len(columns)} cells as in the first line, got {len(cells)}"
        return _Raw(value, line, {}, InputError(problem, Place(file, line)))
    for column, cell in zip(columns, cells, strict=False):
        if cell.strip():
            here = value
            for part in column[:-1]:
                here = here.setdefault(part, {})
                if not isinstance(here, dict):
                    place = Place(file, line, ".".join(column))
                    return _Raw({}, line, {}, InputError("given both alone and with parts", place))
            here[column[-1]] = cell.strip()
    return _Raw(value, line, {})


_BY_ROW = (_json_lines, _csv)  # what is wrong in a row costs no other
READERS = {".yaml": _yaml, ".yml": _yaml, ".json": _json, ".jsonl": _json_lines, ".ndjson": _json_lines, ".csv": _csv}
