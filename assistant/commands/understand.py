"""``weft understand``: what free text was taken to mean."""

from typing import Annotated

import typer

from .ask import one_text, write_answer, write_each
from .options import TextBatch
from .terminal import format_option


def understand(
    sentence: Annotated[str | None, typer.Argument(help="What a person might say.")] = None,
    form: Annotated[str, format_option("json", "jsonl")] = "json",
    batch_file: TextBatch = None,
) -> None:
    """What free text was taken to mean: intent and questionnaire fields."""
    from assistant import api

    if said := one_text(sentence, batch_file):
        write_answer(api.understand(said), form)
    elif batch_file is not None:
        write_each(batch_file, lambda texts: (api.understand(text, id=ident) for ident, text in texts))
