"""``weft diff``: two plans, or a saved plan and today."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from .options import CatalogFile, Out, Today
from .terminal import format_option, line_width, path, write


def diff(
    before: Annotated[
        Path, typer.Argument(help="A saved plan (weft plan FILE --format json); - is standard input.", parser=path)
    ],
    after: Annotated[
        Path | None,
        typer.Argument(
            help="Another one, or a questionnaire, planned today; left out: the same job, today.", parser=path
        ),
    ] = None,
    form: Annotated[str, format_option("text", "json", "markdown")] = "text",
    check: Annotated[
        bool, typer.Option("--check", help="As without it: an option of commands that were written before.")
    ] = False,
    catalog: CatalogFile = None,
    today: Today = None,
    out: Out = None,
) -> None:
    """What is different, and which input, price, rule or constant did it; as Markdown a comment for a pull request.

    Ends with 1 where another network is recommended than before. weft handbook review shows a GitHub Action and a
    pre-commit hook.
    """
    from assistant import api
    from assistant.present.plan.diff import written

    day, was = today.date() if today else None, api.saved(before)
    now = api.planned(after, catalog=catalog, today=day) if after else None
    found = api.diff(was, now, catalog=catalog, today=day)
    write(written(found, form, line_width()), out)
    raise typer.Exit(0 if found.same_answer else 1)
