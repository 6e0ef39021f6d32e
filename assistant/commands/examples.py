"""``weft examples``, and how it and ``weft handbook`` list and print files."""

from pathlib import Path
from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError

from .terminal import write


def examples(name: Annotated[str | None, typer.Argument(help="Print this one.")] = None) -> None:
    """Questionnaires to start from, and a log, measured runs and a list of prices to try the other commands with."""
    from assistant.library import load

    known = load()
    list_or_print(known.examples | known.example_files, name, "example")


def list_or_print(found: dict[str, Path], name: str | None, what: str) -> None:
    """The names with the first line of each file, or the file of that name; ``what`` it is for the error."""
    if name is None:
        width = max((len(key) for key in found), default=0)
        write(
            "".join(f"{key.ljust(width)}  {_text(path).splitlines()[0].lstrip('# ')}\n" for key, path in found.items())
        )
    elif name in found:
        write(_text(found[name]))
    else:
        raise InputError(f'expected a known {what}, got "{name}"; known: {", ".join(found)}')


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8")
