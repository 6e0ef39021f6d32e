"""``weft handbook``: the documentation, and what of it is made from the program."""

from typing import Annotated

import typer

from .examples import list_or_print
from .terminal import one_of, progress_bar, write_lines


def handbook(
    topic: Annotated[str | None, typer.Argument(help="Print this page.")] = None,
    write: Annotated[
        bool,
        typer.Option(
            "--write",
            help="In a clone of the repository: make the generated pages and pictures anew. With a topic only that: "
            "rules, asking, audit, accuracy, screen, readme, vectors, mcp, files (what has to be in rules/ and "
            "knowledge/), or left-out (what the page on accuracy says of sources left out: some minutes, only when "
            "named).",
        ),
    ] = False,
) -> None:
    """The documentation, in the terminal."""
    from assistant.library import load

    if write:
        _write(topic)
    else:
        list_or_print(load().handbook, topic, "topic")


def _write(topic: str | None) -> None:
    from assistant.handbook import PARTS
    from assistant.handbook import write as written
    from assistant.library import load

    if topic is not None:
        one_of("the part to write", topic, PARTS)
    with progress_bar("writing", 1 if topic else None) as done:
        changed = written(load(), [topic] if topic else (), done)
    write_lines([f"written: {path}" for path in changed] or ["Nothing changed."])
