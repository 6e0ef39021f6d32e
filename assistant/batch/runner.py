"""Runs the planner over many rows, in one process or several, always in input order."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from assistant.library import Library, load
from assistant.library.questionnaires import Row, read
from assistant.vocabulary.errors import InputError, Place

from .results import Result, csv_header, csv_line, error_result, json_line

# Rows handed to the workers ahead of the one whose answer is written next: memory stays bounded.
AHEAD_PER_JOB = 32


@dataclass
class Tally:
    """How a batch went."""

    planned: int = 0
    bad: int = 0


def rows(files: Iterable[Path], library: Library) -> Iterator[Row]:
    """Rows of all files in order; a file that cannot be read gives one bad row."""
    for file in files:
        try:
            yield from read(file, library.catalog)
        except InputError as error:
            yield Row(str(file), error.place.line, None, error=error.located(file=str(file)))


def result(row: Row, library: Library) -> Result:
    """The plan of one row as the contract's JSON value, or its error."""
    from assistant.planning import plan

    if row.error is not None:
        return error_result(row.name, row.error)
    try:
        return plan(row.questionnaire, library).model_dump(mode="json", by_alias=True)
    except InputError as error:
        return error_result(row.name, error.located(file=row.file, line=row.line))
    except Exception as error:  # a mistake of ours in one row must not cost the others their answers
        message = f"could not be planned, which is a fault of this program: {type(error).__name__}: {error}"
        return error_result(row.name, InputError(message, Place(row.file, row.line)))


def results(found: Iterable[Row], library: Library, jobs: int) -> Iterator[Result]:
    """Results in input order; with ``jobs`` above one from that many processes."""
    if jobs <= 1:
        yield from (result(row, library) for row in found)
        return
    with ProcessPoolExecutor(jobs) as pool:
        waiting: deque[Future[Result]] = deque()
        for row in found:
            waiting.append(pool.submit(_in_worker, row, library.user_catalog))
            if len(waiting) >= AHEAD_PER_JOB * jobs:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _in_worker(row: Row, user_catalog: Path | None) -> Result:
    return result(row, load(user_catalog=user_catalog))


def run(
    files: list[Path],
    out: Path,
    library: Library,
    *,
    kind: str = "jsonl",
    jobs: int = 1,
    done: Callable[[Result], None] = lambda _: None,
) -> Tally:
    """Plan every questionnaire of ``files`` and write ``out/plans.jsonl`` (or ``.csv``); ``done`` hears of each result.

    Raises :class:`InputError` when the folder cannot be written.
    """
    tally = Tally()
    line = {"jsonl": json_line, "csv": csv_line}[kind]
    try:
        out.mkdir(parents=True, exist_ok=True)
        with open(out / f"plans.{kind}", "w", encoding="utf-8", errors="backslashreplace") as file:
            file.write(csv_header() if kind == "csv" else "")
            for one in results(rows(files, library), library, jobs):
                file.write(line(one))
                tally.bad += "error" in one
                tally.planned += "error" not in one
                done(one)
    except OSError as error:
        raise InputError(f"cannot write to {out}: {error.strerror or error}") from None
    return tally
