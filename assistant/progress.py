"""What commands know of the terminal: a progress bar on standard error, and how long lines may be."""

from __future__ import annotations

import sys
from typing import Any


def progress_bar(title: str, total: int | None = None) -> Any:
    """A progress bar on standard error when that is a terminal, else nothing; gives a function to call per step.

    ``total``: steps, when their number is known.
    """
    import contextlib

    if not sys.stderr.isatty():
        return contextlib.nullcontext(lambda: None)
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    @contextlib.contextmanager
    def bar() -> Any:
        columns = (SpinnerColumn(), TextColumn("{task.description}"), MofNCompleteColumn(), TimeElapsedColumn())
        with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
            task = progress.add_task(title, total=total)
            yield lambda: progress.advance(task)

    return bar()


def line_width(widest: int = 120, otherwise: int = 100) -> int:
    """Columns to write in: the terminal's, between 40 and ``widest``; ``otherwise`` where there is no terminal."""
    import shutil

    return max(40, min(widest, shutil.get_terminal_size((otherwise, 24)).columns))
