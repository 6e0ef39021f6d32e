"""``weft knowledge``: the user's own documents in the search."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from assistant.vocabulary.counted import counted

from .options import TextOrJson
from .terminal import path, progress_bar, say, write_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assistant.library.documents import Added
    from assistant.vocabulary.own_documents import OwnDocument

_NAMED = 3  # documents named in a warning; the others are counted

commands = typer.Typer(
    no_args_is_help=True,
    help="Your own documents in the search: weft ask and the conversation find and cite them. "
    "They never change the rules, the prices or the figures of a plan.",
)
Paths = Annotated[
    list[Path],
    typer.Argument(help="Folders and files: Markdown, plain text, HTML, PDF.", show_default=False, parser=path),
]
Names = Annotated[
    list[str],
    typer.Argument(
        metavar="NAME|PATH...", show_default=False, help="As weft knowledge list names it, or a path or folder."
    ),
]


@commands.command()
def add(paths: Paths) -> None:
    """Read documents into the search; given again, only what changed is read again.

    Your documents are found and cited beside the shipped sources. They never change the rules, the prices or the
    figures of a plan. A file is left as it is: its text is kept in your data folder (weft doctor names it) until you
    remove it.
    """
    from assistant.library import load
    from assistant.library.documents import DocumentStore
    from assistant.retrieval import index_with_yours

    own = DocumentStore()
    with progress_bar("Reading") as done:
        added = own.add(paths, done)
    if own.documents():
        index_with_yours(load(), own)
    _report(added)
    taken = added.new or added.refreshed or added.same
    raise typer.Exit(0 if taken and not added.problems else 2)


@commands.command()
def remove(names: Names) -> None:
    """Forget documents: by name, by path, or all of a folder. The files themselves stay."""
    from assistant.library.documents import DocumentStore
    from assistant.retrieval import forget_removed

    own = DocumentStore()
    try:
        for name in names:
            for document in own.remove(name):
                print(f"removed    {document.name}")
    finally:
        forget_removed(own)


@commands.command("list")
def listing(form: TextOrJson = "text") -> None:
    """Your documents, and whether each file is still as it was read."""
    from assistant.library.documents import DocumentStore

    own = DocumentStore()
    found = [(document, own.state(document, thorough=True)) for document in own.documents()]
    if form == "json":
        import json

        lines = [{**asdict(document), "source": document.source, "state": state} for document, state in found]
        print(json.dumps(lines, indent=2))
    elif not found:
        print("No documents of yours yet: weft knowledge add FOLDER")
    else:
        width = max(len(document.name) for document, _ in found)
        write_lines(_line(document, state, width) for document, state in found)


def warn_of_changes() -> None:
    """One line on standard error when documents are no longer as they were read, and how to refresh them."""
    from assistant.library.documents import DocumentStore

    own = DocumentStore()
    states = [(document, own.state(document)) for document in own.documents()]
    changed = [document for document, state in states if state in ("changed", "damaged")]
    missing = [document for document, state in states if state == "missing"]
    if changed:
        again = _quoted(document.path for document in changed)
        _warn(f"changed since it was read: {_named(changed)}; refresh with: weft knowledge add {again}")
    if missing:
        _warn(
            f"no longer there: {_named(missing)}; forget with: weft knowledge remove {_quoted(d.name for d in missing)}"
        )


def _line(document: OwnDocument, state: str, width: int) -> str:
    from assistant.library.documents import harmless

    head = f"{'✓' if state == 'current' else '!'} {state:<8} {document.name:<{width}}"
    return f"{head}  “{document.title}”, {_passages(document)}, added {document.added}, {harmless(document.path)}"


def _passages(document: OwnDocument) -> str:
    return counted(document.passages, "passage")


def _report(added: Added) -> None:
    for word, documents in (("added", added.new), ("refreshed", added.refreshed)):
        for document in documents:
            print(f"{word:<10} {document.name}: {_passages(document)}")
    if added.same:
        print(f"unchanged  {counted(len(added.same), 'document')}")
    if not (added.new or added.refreshed or added.same):
        print("Nothing was added.")
    for note in added.notes:
        print(f"note: {note}", file=sys.stderr)
    for problem in added.problems:
        _warn(problem)


def _named(documents: list[OwnDocument]) -> str:
    more = f" and {len(documents) - _NAMED} more" if len(documents) > _NAMED else ""
    return ", ".join(document.name for document in documents[:_NAMED]) + more


def _quoted(texts: Iterable[str]) -> str:
    """For a shell; a long list ends in the place that has it whole."""
    import shlex

    quoted = [shlex.quote(text) for text in texts]
    return " ".join(quoted) if len(quoted) <= _NAMED else f"{' '.join(quoted[:_NAMED])} … (all: weft knowledge list)"


def _warn(message: str) -> None:
    from assistant.library.documents import harmless

    say(harmless(message))
