"""Everything that reads what others wrote, each as a function of a text, for what nobody would write."""

from __future__ import annotations

import contextlib
import datetime
import pathlib
import tempfile
from collections.abc import Callable

from assistant.answering.answers import computed_answer
from assistant.conversation.transcript import document
from assistant.library import Library, price_lists, profiles, questionnaires, text_batches
from assistant.library import catalog as catalogs
from assistant.library.documents import reading
from assistant.network.diagnosis import diagnose_text
from assistant.sweeps import grid
from assistant.understanding import Listener
from assistant.validation import runs
from assistant.vocabulary import quantities
from assistant.vocabulary.errors import InputError, KnowledgeError
from assistant.web import access, messages

TODAY = datetime.date(2026, 11, 20)
Reader = Callable[[str], object]
# What a reader may say instead of reading: a sentence for whoever wrote it.
REFUSED = (InputError, KnowledgeError, reading.NotADocument, reading.Unreadable, messages.NotUnderstood)
_QUANTITIES = ("count", "whole", "size", "gbps", "usd", "days", "percent", "ratio", "yes_or_no")
_QUESTIONNAIRES = (".yaml", ".json", ".jsonl", ".csv")
_DOCUMENTS = (".html", ".md", ".txt", ".pdf")


def readers(library: Library) -> dict[str, Reader]:
    """All of them by name, for one library."""
    catalog, listener = library.catalog, Listener.of(library.language, library.catalog, library.listener)
    of_files = {
        **{
            f"questionnaire{ending}": (ending, lambda path: list(questionnaires.read(path, catalog)))
            for ending in _QUESTIONNAIRES
        },
        "prices.csv": (".csv", lambda path: price_lists.read(path, provider="lambda")),
        "runs.csv": (".csv", lambda path: runs.read_measured(path, catalog)),
        "profile.yaml": (".yaml", lambda path: profiles.read(path, catalog)),
        "catalog.yaml": (".yaml", lambda path: catalogs.read(library.knowledge_folder / "catalog", path)),
        "texts.jsonl": (".jsonl", lambda path: list(text_batches.read(path))),
        "transcript.md": (".md", document.read),
    }
    return {
        "message": lambda text: listener.hear(text, today=TODAY),
        "question": lambda text: computed_answer(listener.hear(text, today=TODAY), library, today=TODAY),
        "log": lambda text: diagnose_text(text, catalog),
        "axis": lambda text: list(grid.combinations(grid.axes_of([text], list(catalog.fabrics)))),
        "web message": messages._parts,
        "web address": lambda text: (access.same_origin(text, "a"), access.Access("x" * 16, 1).serves(text)),
        **{f"quantity {name}": _refusing(getattr(quantities, name)) for name in _QUANTITIES},
        **{f"document{ending}": _document(ending) for ending in _DOCUMENTS},
        **{name: _file(ending, read) for name, (ending, read) in of_files.items()},
    }


def _refusing(read: Reader) -> Reader:
    """A quantity is refused with a ``ValueError``, which pydantic makes a sentence of."""

    def of(text: str) -> object:
        with contextlib.suppress(ValueError):
            return read(text)

    return of


def _document(ending: str) -> Reader:
    return lambda text: reading.read(pathlib.PurePath(f"a{ending}"), _bytes(text))


def _file(ending: str, read: Callable[[pathlib.Path], object]) -> Reader:
    def of(text: str) -> object:
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / f"a{ending}"
            file.write_bytes(_bytes(text))
            return read(file)

    return of


def _bytes(text: str) -> bytes:
    """What no UTF-8 can be is written as the byte that it stands for."""
    return text.encode("utf-8", "surrogateescape" if text.isascii() else "surrogatepass")
