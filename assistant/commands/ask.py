"""``weft ask`` and what it shares with ``weft understand``: a text, or a file of texts."""

from pathlib import Path
from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError

from .knowledge import warn_of_changes
from .options import TextBatch
from .terminal import format_option, line_width, write, write_lines


def ask(
    question: Annotated[str | None, typer.Argument(help="A question about fabrics, prices, settings, sources.")] = None,
    form: Annotated[str, format_option("text", "json", "jsonl")] = "text",
    top: Annotated[int, typer.Option(min=1, max=50, help="How many passages.")] = 5,
    batch_file: TextBatch = None,
) -> None:
    """An answer: a number the model computes, or what the claims say; then the passages with dates and verdicts.

    Says so when the knowledge base has no answer. weft handbook asking shows what can be computed.
    """
    from assistant import api
    from assistant.batch.results import json_line
    from assistant.present.answers import answer_lines

    said = texts(question, batch_file)
    warn_of_changes()
    for answer in api.answers(said, top=top):
        if batch_file is not None or form == "jsonl":
            write(json_line(answer.model_dump(mode="json")))
        elif form == "json":
            write(answer.model_dump_json(indent=2) + "\n")
        else:
            write_lines(answer_lines(answer, line_width()))


def texts(text: str | None, batch_file: Path | None) -> list[tuple[str | None, str]]:
    """``(id, text)`` of one text or of each line of a batch file. Raises :class:`InputError` unless there is exactly
    one."""
    if text is not None and batch_file is None:
        if not text.strip():
            raise InputError("expected some text, got nothing")
        return [(None, text)]
    if text is None and batch_file is not None:
        from assistant.library.text_batches import read

        return list(read(batch_file))
    raise InputError("expected a text or --batch FILE, and not both")
