"""``weft batch``: many questionnaires, one result each."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.vocabulary.errors import InputError, Place

from .options import CatalogFile, Today
from .terminal import format_option, progress_bar, say

_MOST_JOBS = 256


def batch(
    files: Annotated[
        list[Path], typer.Argument(help="Files of questionnaires: YAML documents, JSON, JSON lines, CSV.")
    ],
    out: Annotated[Path, typer.Option(help="The folder for plans.jsonl, plans.csv or plans.parquet.")],
    form: Annotated[str, format_option("jsonl", "csv", "parquet")] = "jsonl",
    jobs: Annotated[
        int | None, typer.Option(min=1, max=_MOST_JOBS, help="Processes that work at once; as many as there are cores.")
    ] = None,
    catalog: CatalogFile = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the batch that was stopped there.")] = False,
    today: Today = None,
) -> None:
    """Many questionnaires: one result each, in input order; a bad row does not stop the rest.

    The result is written beside the one before and takes its place when it is whole.
    """
    from assistant.batch import runner
    from assistant.library import load
    from assistant.retrieval import ready_index

    library = load(user_catalog=catalog)
    ready_index(library)
    with progress_bar("planning") as advance:

        def done(error: dict[str, Any] | None) -> None:
            if error is not None:
                say(str(InputError(error["message"], Place(error["file"], error["line"], error["field"]))))
            advance()

        day = today.date() if today else None
        tally = runner.run(files, out, library, kind=form, jobs=jobs or _cores(), resume=resume, today=day, done=done)
    print(f"{tally.planned} planned, {tally.bad} bad: {out / f'plans.{form}'}", file=sys.stderr)
    raise typer.Exit(2 if tally.bad else 0)


def _cores() -> int:
    """Those that this process may use: a container may have fewer than the machine."""
    allowed = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(allowed, _MOST_JOBS)
