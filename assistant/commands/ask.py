"""``weft ask`` and what it shares with ``weft understand``: a text, or a file of texts."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.vocabulary.errors import InputError, of_a_row

from .knowledge import warn_of_changes
from .options import TextBatch
from .terminal import format_option, line_width, say, text_said, write, write_json, write_lines

if TYPE_CHECKING:
    from pydantic import BaseModel

    Answering = Callable[[Iterable[tuple[str | None, str]]], Iterator[BaseModel]]


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
    from assistant.present.answers import answer_lines

    if said := one_text(question, batch_file):
        warn_of_changes()
        [answer] = api.answers([(None, said)], top=top)
        if form == "text":
            write_lines(answer_lines(answer, line_width()))
        else:
            write_answer(answer, form)
    elif batch_file is not None:
        warn_of_changes()
        write_each(batch_file, lambda texts: api.answers(texts, top=top))


def one_text(text: str | None, batch_file: Path | None) -> str | None:
    """The text where that is what was given, or standard input for ``-``. Raises :class:`InputError` unless it is that
    or a batch file."""
    if (text is None) is (batch_file is None):
        raise InputError("expected a text or --batch FILE, and not both")
    return text if text is None else text_said(text, "some text")


def write_answer(answer: "BaseModel", form: str) -> None:
    """As ``json``, or in one line."""
    from assistant.batch.results import json_line

    if form == "json":
        write_json(answer.model_dump_json(indent=2))
    else:
        write(json_line(answer.model_dump(mode="json")))


def write_each(path: Path, answers: "Answering") -> None:
    """A line of JSON for each of a file, in its order: what ``answers`` brings for its text, or what is wrong with it,
    which is also told on standard error and makes the exit code 2."""
    from assistant.batch.results import json_line
    from assistant.library.text_batches import read

    rows = list(read(path))
    made, bad = _each(answers, [(ident, text) for ident, text in rows if isinstance(text, str)]), False
    for ident, text in rows:
        found = text if isinstance(text, InputError) else next(made)
        if isinstance(found, InputError):
            bad = True
            say(str(found))
            write(json_line({"id": ident, "error": {"field": found.place.field, "message": str(found)}}))
        else:
            write_answer(found, "jsonl")
    if bad:
        raise typer.Exit(2)


def _each(answers: "Answering", texts: "list[tuple[str | None, str]]") -> "Iterator[BaseModel | InputError]":
    """An answer for each text. They are made together; where one ends that, those left are asked one by one, so that
    only its own answer is lost."""
    done = 0
    try:
        for answer in answers(texts):
            yield answer
            done += 1
    except InputError:  # nothing can be answered, as without the search's model
        raise
    except Exception:
        for one in texts[done:]:
            try:
                yield from answers([one])
            except Exception as error:
                yield of_a_row(error, "answered")
