"""What commands know of the terminal: what an option accepts, where text goes, progress, how long lines may be."""

from __future__ import annotations

import contextlib
import functools
import inspect
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from assistant.vocabulary.errors import InputError, Place, did_you_mean
from assistant.vocabulary.printing import in_json

if TYPE_CHECKING:
    from assistant.present.blocks import Block


STDIN = "-"
MOST_SAID = 1_000_000  # characters: a mail with everything that was quoted below it


def one_of(field: str, given: str, accepted: Iterable[str]) -> None:
    """Raises :class:`InputError` with what is accepted, and the nearest of it, when ``given`` is not."""
    known = tuple(accepted)
    if given not in known:
        hint = did_you_mean(given.lower(), known)
        raise InputError(f'expected one of {", ".join(known)}, got "{given}"{hint}', Place(field=field))


def format_option(*accepted: str, note: str = "") -> Any:
    """The option ``--format``: anything but ``accepted`` is refused before the command runs; ``note`` ends its help."""

    def checked(given: str) -> str:
        one_of("--format", given, accepted)
        return given

    names = " or ".join(filter(None, (", ".join(accepted[:-1]), accepted[-1])))
    return typer.Option("--format", help=f"{names}{note}.", callback=checked)


def path(given: str) -> Path:
    """What an option or argument names. Nothing at all, as of a shell's variable that is not set, is no name: Python
    takes it for the folder one is in."""
    if not given:
        raise typer.BadParameter("expected a path, got nothing")
    return Path(given)


def text_said(given: str, what: str) -> str:
    """A text as an argument says it, or standard input for ``-``; ``what`` it should be. Raises :class:`InputError` for
    nothing, and for more than :data:`MOST_SAID` characters."""
    text = sys.stdin.read(MOST_SAID + 1) if given == STDIN else given
    if len(text) > MOST_SAID:
        raise InputError(f"expected at most {MOST_SAID:,} characters: weft ask and weft plan read documents")
    if not text.strip():
        raise InputError(f"expected {what}, got nothing")
    return text


def sparing(command: Callable[..., None]) -> Callable[..., None]:
    """A command of which no ``out`` may be one of the files that it reads: whatever else is a path, and the person's
    own catalog where that is laid over ours without being named."""

    @functools.wraps(command)
    def checked(*args: Any, **kwargs: Any) -> None:
        given = inspect.signature(command).bind(*args, **kwargs).arguments
        written = _paths(given.pop("out", None))
        if written:
            from assistant.library import files, paths

            own = [paths.data_dir() / "catalog.yaml"] if given.get("catalog", "") is None else []
            read = [path for value in given.values() for path in _paths(value) if str(path) != "-"]
            files.check_apart(written, [*read, *own])
        command(*args, **kwargs)

    return checked


def _paths(value: object) -> list[Path]:
    return [one for one in (value if isinstance(value, list) else [value]) if isinstance(one, Path)]


def write(text: str, out: Path | None = None) -> None:
    """To the screen, or to a file. Raises :class:`InputError` when the file cannot be written."""
    if out is None:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    from assistant.library.files import is_unread_pipe, write_whole

    if is_unread_pipe(out):
        say(f"{out} is a pipe that nobody reads yet: waiting for a reader")
    try:
        write_whole(out, text.encode())
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror or error}", Place(str(out))) from None


def write_json(text: str, out: Path | None = None) -> None:
    """JSON as :func:`write` has it, what cannot be seen in it as escapes."""
    write(in_json(text) + "\n", out)


def write_lines(lines: Iterable[str]) -> None:
    """Lines to the screen."""
    write("\n".join(lines) + "\n")


def show(blocks: list[Block]) -> None:
    """Blocks to the screen: drawn for a terminal, else as plain lines."""
    from assistant.present.terminal import blocks_view
    from assistant.present.text import lines_of

    if not sys.stdout.isatty():
        write_lines(lines_of(blocks, line_width()))
        return
    from rich.console import Console

    console = Console(highlight=False, markup=False, emoji=False)
    console.print(blocks_view(blocks, min(console.width, 120)))


def save(path: Path, text: str) -> None:
    """To a file, and one line on standard error that says so."""
    write(text, path)
    tell(f"written: {path}")


def say(message: str) -> None:
    """What the program has to say of itself, as :func:`tell`."""
    tell(f"weft: {message}")


def tell(line: str) -> None:
    """One line on standard error, nothing in it that could move the cursor: names of files are anybody's."""
    from assistant.present.text import safe

    print(safe(line), file=sys.stderr)


@contextlib.contextmanager
def progress_bar(title: str, total: int | None = None) -> Iterator[Callable[..., None]]:
    """A progress bar on standard error when that is a terminal, else nothing; gives a function to call per step.

    ``total``: steps, when their number is known. The function may be told the name of what the step is about.
    """
    if not sys.stderr.isatty():
        yield lambda name="": None
        return
    from rich.console import Console
    from rich.progress import MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    text = TextColumn("{task.description}", markup=False)
    columns = (SpinnerColumn(), text, MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=total)
        yield lambda name="": progress.update(task, advance=1, description=f"{title} {name}".rstrip())


def line_width(widest: int = 120, otherwise: int = 100) -> int:
    """Columns to write in: the terminal's, between 40 and ``widest``; ``otherwise`` where there is no terminal."""
    import shutil

    return max(40, min(widest, shutil.get_terminal_size((otherwise, 24)).columns))


def table_width() -> int:
    """Columns for tables of many columns."""
    return line_width(160, 110)
