"""``weft understand``: what free text was taken to mean."""

from typing import Annotated

import typer

from .ask import texts
from .options import TextBatch
from .terminal import format_option, write


def understand(
    sentence: Annotated[str | None, typer.Argument(help="What a person might say.")] = None,
    form: Annotated[str, format_option("json", "jsonl")] = "json",
    batch_file: TextBatch = None,
) -> None:
    """What free text was taken to mean: intent and questionnaire fields."""
    from assistant import api
    from assistant.batch.results import json_line

    for ident, text in texts(sentence, batch_file):
        meaning = api.understand(text, id=ident)
        if form == "json" and batch_file is None:
            write(meaning.model_dump_json(indent=2) + "\n")
        else:
            write(json_line(meaning.model_dump(mode="json")))
