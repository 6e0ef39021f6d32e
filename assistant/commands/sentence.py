"""``weft "sentence"``: the card for a job that is told in one go."""

from __future__ import annotations

import difflib
import sys
from collections.abc import Collection
from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError

from .options import CatalogFile, TextOrJson
from .terminal import STDIN, show, text_said, write_json

NAME = "sentence"
EXAMPLE = "fine-tune Llama 3.1 8B on 8 H100"


def as_command(arguments: list[str], commands: Collection[str]) -> list[str]:
    """The arguments, with the command in front where the first is a sentence: it holds several words, or is ``-``.

    Raises :class:`InputError` for a sentence without quotes, and for a word that is no command.
    """
    first = arguments[0] if arguments else "chat"
    if first == STDIN or len(first.split()) > 1:
        return [NAME, *arguments]
    if first in commands or first.startswith("-"):
        return arguments
    if len(arguments) > 2 and not any(one.startswith("-") for one in arguments):
        raise InputError(f'expected a command, got "{first}"; put a sentence in quotes: weft "{" ".join(arguments)}"')
    from assistant.vocabulary.quantities import shown  # it loads pydantic: no help waits for that

    near = difflib.get_close_matches(first, commands, n=1)
    meant = f"did you mean weft {near[0]}?" if near else f'tell the job as in weft "{EXAMPLE}"; weft --help: commands'
    raise InputError(f"expected a command or a job in a sentence, got {shown(first)}: {meant}")


def sentence(
    said: Annotated[str, typer.Argument(metavar="SENTENCE", help="The job; - reads it from standard input.")],
    form: TextOrJson = "text",
    catalog: CatalogFile = None,
) -> None:
    """The card for a job in a sentence: what to do, what it costs, when it is done, why, what would change it."""
    from assistant.conversation import at_once, opening
    from assistant.library import load
    from assistant.present.blocks import Paragraph

    said = text_said(said, "a sentence that tells the job")
    kept = sys.stdin.isatty() and sys.stdout.isatty()
    found = at_once.tell(opening.begin(load(user_catalog=catalog), kept=kept), said)
    if form == "json" and found.plan is not None:
        write_json(found.plan.model_dump_json(by_alias=True, indent=2))
        return
    if form == "json" and found.missing:
        raise InputError(found.missing)
    blocks = [*at_once.blocks(found), *([Paragraph("To go on with it: weft chat --continue")] if kept else [])]
    show(blocks)
