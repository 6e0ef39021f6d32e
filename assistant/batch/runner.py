"""Runs the planner over many rows, in one process or several, always in input order."""

from __future__ import annotations

import datetime
import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import assistant
from assistant.library import Library, load
from assistant.library.questionnaires import STDIN, Row, read
from assistant.vocabulary.errors import InputError, Place

from . import parquet
from .folder import Tally, Written, alone
from .pool import mapped
from .results import Result, cells_line, csv_header, csv_line, error_result, json_line

_LINES: dict[str, Callable[[Result], str]] = {"jsonl": json_line, "csv": csv_line, "parquet": cells_line}


@dataclass(frozen=True)
class Told:
    """What becomes of a row: how it is written, and its error where it has one."""

    line: bytes
    error: dict[str, Any] | None = None


@dataclass(frozen=True)
class Asked:
    """What all rows of a batch are planned with; it is handed to other processes."""

    kind: str
    today: datetime.date
    user_catalog: Path | None


def rows(files: Iterable[Path], library: Library) -> Iterator[Row]:
    """Rows of all files in order; a file that cannot be read gives one bad row."""
    for file in files:
        try:
            yield from read(file, library.catalog)
        except Exception as error:
            yield Row(str(file), None, None, error=_said(error, "read").located(file=str(file)))


def _said(error: Exception, done: str = "planned") -> InputError:
    """The error of a row: a mistake of ours in one must not cost the others their answers."""
    if isinstance(error, InputError):
        return error
    return InputError(f"could not be {done}, which is a fault of this program: {type(error).__name__}: {error}")


def told(asked: Asked, row: Row) -> Told:
    """The plan of one row, or its error."""
    from assistant.planning import plan

    try:
        made = plan(row.questionnaire, load(user_catalog=asked.user_catalog), today=asked.today)
        return Told(_line(asked, made.model_dump(mode="json", by_alias=True)))
    except Exception as error:
        return _bad(asked, row, _said(error))


def _bad(asked: Asked, row: Row, error: InputError) -> Told:
    there = error.located(file=row.file, line=row.line)
    return Told(_line(asked, error_result(row.name, there)), {**asdict(there.place), "message": there.message})


def _lost(asked: Asked, row: Row, reason: str) -> Told:
    return _bad(
        asked, row, InputError(f"could not be planned: its process ended twice ({reason}), for want of memory?")
    )


def _line(asked: Asked, result: Result) -> bytes:
    return _LINES[asked.kind](result).encode(errors="backslashreplace")


def results(found: Iterable[Row], asked: Asked, jobs: int) -> Iterator[Told]:
    """Results in input order; with ``jobs`` above one from that many processes."""
    if jobs <= 1:
        return (told(asked, row) for row in found)
    return mapped(partial(told, asked), found, jobs, partial(_lost, asked))


def run(
    files: list[Path],
    out: Path,
    library: Library,
    *,
    kind: str = "jsonl",
    jobs: int = 1,
    resume: bool = False,
    today: datetime.date | None = None,
    done: Callable[[dict[str, Any] | None], None] = lambda _: None,
) -> Tally:
    """Plan every questionnaire of ``files`` and write ``out/plans.jsonl`` (or ``.csv``, ``.parquet``); ``done`` hears
    of the error of each row, or of none. With ``resume`` the rows of a batch that was stopped there are kept.

    Raises :class:`InputError` when the folder cannot be written, is written to by somebody else or holds an input.
    """
    if kind == "parquet":
        parquet.ready()
    asked = Asked(kind, today or datetime.date.today(), library.user_catalog)
    written = Written(out, f"plans.{kind}", _head(files, library, asked, resume=resume))
    _apart(files, written)
    try:
        with alone(out):
            if resume and written.finished():
                written.clear()
                return written.tally
            if not (resume and written.go_on()):
                written.begin(csv_header().encode() if kind == "csv" else b"")
            left = itertools.islice(rows(files, library), written.tally.rows, None)
            for one in results(left, asked, jobs):
                written.add(one.line, bad=one.error is not None)
                done(one.error)
            written.finish(parquet.packed if kind == "parquet" else None)
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror or error}") from None
    return written.tally


def _head(files: list[Path], library: Library, asked: Asked, *, resume: bool) -> dict[str, Any]:
    """What a result is made of: where all of it is the same, so is the result."""
    if resume and Path(STDIN) in files:
        raise InputError("expected files with --resume: standard input cannot be read a second time")
    said = {"program": assistant.__version__, "day": asked.today.isoformat(), **library.digests}
    return said | {"inputs": [[str(file), _digest(file)] for file in files]}


def _digest(file: Path) -> str | None:
    """Of a file's content; ``None`` where it is none, which is said in its row."""
    if not file.is_file():
        return None
    with open(file, "rb") as content:
        return hashlib.file_digest(content, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _apart(files: list[Path], written: Written) -> None:
    taken = {path.resolve() for path in (written.folder / written.name, written.part, written.journal, written.end)}
    for file in files:
        if file.resolve() in taken:
            raise InputError("expected an input that the output does not replace: give another --out", Place(str(file)))
