"""``weft batch``: many questionnaires, one result each."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from assistant.vocabulary.errors import InputError, Place

from .options import CatalogFile, EngineName, Jobs, RayAddress, Today, chosen
from .terminal import format_option, path, progress_bar, say, show, tell


def batch(
    files: Annotated[
        list[Path], typer.Argument(help="Files of questionnaires: YAML documents, JSON, JSON lines, CSV.", parser=path)
    ],
    out: Annotated[Path, typer.Option(help="The folder for plans.jsonl, plans.csv or plans.parquet.", parser=path)],
    form: Annotated[str, format_option("jsonl", "csv", "parquet")] = "jsonl",
    jobs: Jobs = None,
    engine: EngineName = "local",
    ray_address: RayAddress = None,
    catalog: CatalogFile = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on with the batch that was stopped there.")] = False,
    today: Today = None,
) -> None:
    """Many questionnaires: one result each, in input order; a bad row does not stop the rest.

    The result is written beside the one before and takes its place when it is whole; what it comes to stands beside it
    in plans.jsonl.summary.json. weft handbook scale tells how long many take, and how a Ray cluster is used.
    """
    from assistant.batch import runner
    from assistant.library import load
    from assistant.present.batch_summary import blocks
    from assistant.retrieval import ready_index

    crew = chosen(engine, jobs, ray_address)
    library = load(user_catalog=catalog)
    ready_index(library)
    with progress_bar("planning") as advance:

        def done(error: dict[str, Any] | None) -> None:
            if error is not None:
                say(str(InputError(error["message"], Place(error["file"], error["line"], error["field"]))))
            advance()

        day = today.date() if today else None
        found = runner.run(files, out, library, kind=form, engine=crew, resume=resume, today=day, done=done)
    show(blocks(found))
    tell(f"{found.planned} planned, {found.refused} bad: {out / f'plans.{form}'}")
    raise typer.Exit(2 if found.refused else 0)
