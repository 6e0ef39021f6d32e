"""``weft predict``: the quantitative model alone."""

from typing import Annotated

import typer

from .options import CatalogFile, Out, ProfileFile, Questionnaire
from .terminal import format_option, write


def predict(
    file: Questionnaire,
    form: Annotated[str, format_option("jsonl")] = "jsonl",
    out: Out = None,
    catalog: CatalogFile = None,
    profile: ProfileFile = None,
) -> None:
    """The quantitative model alone, for the fabric and the parallelism given: one line per questionnaire."""
    from assistant.batch.results import json_line
    from assistant.library import load
    from assistant.planning.prediction import predictions

    bad, lines = 0, []
    for one in predictions(file, load(user_catalog=catalog, profile=profile)):
        bad += "error" in one
        lines.append(json_line(one))
        if out is None:
            write(lines.pop())
    if out is not None:
        write("".join(lines), out)
    raise typer.Exit(2 if bad else 0)
