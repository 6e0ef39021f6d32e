"""Free questions to the knowledge base; index and model are loaded with the first one."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock

from assistant.library import Library
from assistant.vocabulary.answers import Answer
from assistant.vocabulary.errors import InputError


def lazy_searcher(library: Library, *, yours: bool = True) -> Callable[[str], Answer]:
    """Answers free questions, also from the user's own documents; index and model are loaded with the first one."""
    opened: list[Callable[[str], Answer]] = []
    opening = Lock()

    def search(question: str) -> Answer:
        # A question during the warm-up waits for it instead of opening the model a second time.
        with opening:
            if not opened:
                opened.append(_open_search(library, yours))
        return opened[0](question)

    return search


def _open_search(library: Library, yours: bool) -> Callable[[str], Answer]:
    try:
        from assistant.retrieval import ask, index_with_yours, ready_index
    except ImportError as error:
        raise InputError(f"the search needs {error.name}, which is not installed") from None
    opened = index_with_yours if yours else ready_index
    opened(library)
    return lambda question: ask(question, library, opened(library))
