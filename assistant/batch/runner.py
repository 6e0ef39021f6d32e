"""Runs the planner over many rows, in one process or several, always in input order."""

from __future__ import annotations

import contextlib
import datetime
import hashlib
import itertools
import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import assistant
from assistant.engines import Engine, Work
from assistant.library import Library
from assistant.library.carried import Carried
from assistant.library.files import check_apart
from assistant.library.questionnaires import STDIN, Row, read
from assistant.present import parquet
from assistant.vocabulary.batch import BatchSummary
from assistant.vocabulary.errors import InputError, of_a_row

from .folder import Written, alone
from .results import Result, cells_line, columns, csv_header, csv_line, error_result, json_line
from .summary import Counted, counted

ONE = Engine(jobs=1)  # this process

_LINES: dict[str, Callable[[Result], str]] = {"jsonl": json_line, "csv": csv_line, "parquet": cells_line}


@dataclass(frozen=True)
class Told:
    """What becomes of a row: how it is written, what of it is counted, and its error where it has one."""

    line: bytes
    counts: Counted
    error: dict[str, Any] | None = None


@dataclass(frozen=True)
class Asked:
    """What all rows of a batch are planned with; it is handed to other processes, on other machines too."""

    kind: str
    today: datetime.date
    files: Carried


def rows(files: Iterable[Path], library: Library, written: Written | None = None) -> Iterator[Row]:
    """Rows of all files in order; a file that cannot be read gives one bad row, and so does one that is no longer what
    the head of ``written`` says."""
    for number, file in enumerate(files):

        def same(content: bytes, number: int = number) -> None:
            if written is not None and hashlib.blake2b(content, digest_size=16).hexdigest() != written.input(number):
                written.spoil()
                raise InputError("the file was changed while the batch ran: run it again")

        try:
            yield from read(file, library.catalog, same if file != Path(STDIN) else lambda _: None)
        except Exception as error:
            yield Row(str(file), None, None, error=of_a_row(error, "read").located(file=str(file)))


def told(asked: Asked, row: Row) -> Told:
    """The plan of one row, or its error."""
    from assistant.planning import plan

    try:
        made = plan(row.questionnaire, asked.files.library(), today=asked.today)
        return _told(asked, made.model_dump(mode="json", by_alias=True))
    except Exception as error:
        return _bad(asked, row, of_a_row(error, "planned"))


def _bad(asked: Asked, row: Row, error: InputError) -> Told:
    there = error.located(file=row.file, line=row.line)
    return _told(asked, error_result(row.name, there), {**asdict(there.place), "message": there.message})


def _lost(asked: Asked, row: Row, reason: str) -> Told:
    return _bad(
        asked, row, InputError(f"could not be planned: its process ended twice ({reason}), for want of memory?")
    )


def _told(asked: Asked, result: Result, error: dict[str, Any] | None = None) -> Told:
    return Told(_LINES[asked.kind](result).encode(errors="backslashreplace"), counted(result), error)


def run(
    files: list[Path],
    out: Path,
    library: Library,
    *,
    kind: str = "jsonl",
    engine: Engine = ONE,
    resume: bool = False,
    today: datetime.date | None = None,
    done: Callable[[dict[str, Any] | None], None] = lambda _: None,
) -> BatchSummary:
    """Plan every questionnaire of ``files`` and write ``out/plans.jsonl`` (or ``.csv``, ``.parquet``) and what it comes
    to beside it; ``done`` hears of the error of each row, or of none. With ``resume`` the rows of a batch that was
    stopped there are kept, whichever ``engine`` planned them.

    Raises :class:`InputError` when the folder cannot be written, is written to by somebody else or holds an input, and
    when the engine cannot be had.
    """
    if kind == "parquet":
        parquet.ready()
    engine.ready()
    asked = Asked(kind, today or datetime.date.today(), Carried.of(library))
    written = Written(out, f"plans.{kind}", _head(files, library, asked, resume=resume))
    check_apart(written.files, [*files, *filter(None, (library.user_catalog, library.profile))])
    written.check()
    try:
        with alone(out):
            if resume and (found := written.finished()):
                written.clear()
                return found
            goes_on = resume and written.go_on()
            left = itertools.islice(rows(files, library, written), written.rows, None)
            work = Work(partial(told, asked), asked.files.made_with)
            with contextlib.closing(engine.mapped(work, left, partial(_lost, asked))) as results:
                if not goes_on:
                    written.begin(csv_header().encode() if kind == "csv" else b"")
                for one in results:
                    written.add(one.line, one.counts)
                    done(one.error)
            return written.finish(_names(library), _packed if kind == "parquet" else None)
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror or error}") from None


def _names(library: Library) -> dict[str, str]:
    return {one.id: one.label for one in library.catalog.fabrics.values()}


def _packed(lines: Path, to: Path) -> None:
    """A file of rows as JSON lines, written as Parquet."""
    with open(lines, encoding="utf-8") as said:
        parquet.packed(map(json.loads, said), columns(), to)


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
