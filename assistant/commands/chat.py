"""``weft`` and ``weft chat``: the conversation."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from assistant.vocabulary.errors import InputError

from .options import Theme
from .terminal import one_of

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
    resume: Annotated[Path | None, typer.Option(help="Go on with a saved transcript.")] = None,
    theme: Theme = "auto",
) -> None:
    """The conversation: on the full screen, or line by line with --plain."""
    if not plain:
        _on_screen(resume, theme)
    from assistant.conversation import plain as line_mode

    raise typer.Exit(line_mode.main(resume=resume))


def _on_screen(resume: Path | None, theme: str) -> None:
    from assistant import tui

    one_of("--theme", theme, tui.THEMES)
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise InputError(
            "expected a terminal for the full screen; use weft chat --plain in a pipe or with a screen reader"
        )
    raise typer.Exit(tui.run(resume=resume, theme=theme))
