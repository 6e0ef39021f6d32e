"""``weft replay``: whether saved conversations still give the same answers."""

from pathlib import Path
from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError, Place

from .terminal import path, write


def replay(
    files: Annotated[list[Path], typer.Argument(help="Saved transcripts.", parser=path)],
    update: Annotated[bool, typer.Option("--update", help="Accept what changed.")] = False,
    export: Annotated[
        Path | None,
        typer.Option(help="Do not replay: write the transcript as a page that stands alone (.html).", parser=path),
    ] = None,
) -> None:
    """Replay saved transcripts: non-zero exit and a readable diff when something changed."""
    from assistant.conversation.transcript.replaying import replay_file, update_file
    from assistant.library import load
    from assistant.present.text import safe

    if export is not None:
        return _export(files, export)
    library, changed = load(), 0
    for file in files:
        result = replay_file(file, library)
        print(safe(result.summary))
        if result.changed:
            changed += 1
            print(safe(result.diff), end="")
            if update:
                update_file(file, library)
    raise typer.Exit(1 if changed and not update else 0)


def _export(files: list[Path], out: Path) -> None:
    from assistant.conversation.transcript import document
    from assistant.library.files import check_apart

    if len(files) != 1 or out.suffix.lower() not in (".html", ".htm"):
        raise InputError(
            f"expected one transcript and a file name that ends in .html, got {len(files)} and {out}",
            Place(field="--export"),
        )
    check_apart([out], files)
    write(document.as_html(document.read(files[0])), out)
