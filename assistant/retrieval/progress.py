"""What a user sees while texts are embedded: a bar in a terminal, one plain line elsewhere, always on standard
error."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_told: list[Callable[[int, int], object]] = []
_WORTH_A_LINE = 64  # texts; fewer are embedded before a line is read


def say_loading() -> None:
    """What a question waits for in a fresh process."""
    print("Loading the embedding model; this takes some seconds, once per start.", file=sys.stderr, flush=True)


@contextmanager
def shown_by(tell: Callable[[int, int], object] | None) -> Iterator[None]:
    """While this holds, ``tell`` hears how many of how many texts are embedded, and nothing is said on standard
    error."""
    before = list(_told)
    _told[:] = [tell] if tell is not None else before
    try:
        yield
    finally:
        _told[:] = before


@contextmanager
def embedding_progress(new: int, *, of: int) -> Iterator[Callable[[int], None]]:
    """Says that the model is loaded and ``new`` of ``of`` texts are embedded; yields what is told after each batch."""
    if _told:
        embedded = 0

        def tell(count: int) -> None:
            nonlocal embedded
            embedded += count
            _told[-1](embedded, new)

        tell(0)
        yield tell
        return
    reason = f"Building the search index (embedding {new} of {of} texts, once per change)"
    if not sys.stderr.isatty():
        if new >= _WORTH_A_LINE:
            print(f"{reason}; this takes some seconds.", file=sys.stderr, flush=True)
        yield lambda count: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(f"{reason}:", total=new)
        yield lambda count: progress.advance(task, count)
