"""``weft`` and ``weft chat``: the conversation."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError

from .options import Theme
from .terminal import line_width, one_of, write_lines

Version = Annotated[bool, typer.Option("--version", help="Print the version and stop.")]


def start(context: typer.Context, version: Version = False, theme: Theme = "auto") -> None:
    """Without a command: the conversation on the full screen."""
    if version:
        from assistant import __version__

        print(f"weft {__version__}")
        raise typer.Exit
    if context.invoked_subcommand is None:
        _on_screen(None, theme)


def chat(
    plain: Annotated[bool, typer.Option("--plain", help="Line by line: for pipes and screen readers.")] = False,
    resume: Annotated[
        str | None, typer.Option(metavar="FILE|NUMBER", help="Go on with a transcript, or with one of the list.")
    ] = None,
    last: Annotated[bool, typer.Option("--continue", help="Go on with the latest conversation.")] = False,
    listed: Annotated[bool, typer.Option("--list", help="List the conversations that are kept, and stop.")] = False,
    theme: Theme = "auto",
) -> None:
    """The conversation: on the full screen, or line by line with --plain."""
    if listed:
        from assistant.conversation.transcript import kept

        write_lines(kept.lines(kept.kept(), line_width(160)))
        return
    path = _chosen(resume, last)
    if not plain:
        _on_screen(path, theme)
    from assistant.conversation import plain as line_mode

    raise typer.Exit(line_mode.main(resume=path))


def _chosen(resume: str | None, last: bool) -> Path | None:
    if resume is None and not last:
        return None
    from assistant.conversation.transcript import kept

    if resume is not None and last:
        raise InputError("expected --resume or --continue, got both")
    return kept.latest() if resume is None else kept.named(resume)


def _on_screen(resume: Path | None, theme: str) -> None:
    from assistant import tui

    one_of("--theme", theme, tui.THEMES)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(
            "expected a terminal for the full screen; use weft chat --plain in a pipe or with a screen reader"
        )
    raise typer.Exit(tui.run(resume=resume, theme=theme))
