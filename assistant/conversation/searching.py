"""Free questions, looked up; index and model are loaded with the first that must be looked up."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Lock
from typing import Any

from assistant.library import Library
from assistant.understanding import Listener
from assistant.understanding.attach import Nothing
from assistant.vocabulary.answers import Answer
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.utterance import Utterance


def understood(question: str, library: Library, told: Mapping[str, Any] | None = None) -> Utterance:
    """A question, understood beside what was ``told`` before."""
    return Listener.of(library.language, library.catalog, library.listener).hear(question, Nothing(told or {}))


Searcher = Callable[[Utterance], Answer]  # a question as it was understood where it was said


def lazy_searcher(library: Library, *, yours: bool = True) -> Searcher:
    """Answers free questions, also from the user's own documents; index and model are loaded with the first one."""
    opened: list[Searcher] = []
    opening = Lock()

    def search(question: Utterance) -> Answer:
        # A question during the warm-up waits for it instead of opening the model a second time.
        with opening:
            if not opened:
                opened.append(_open_search(library, yours))
        return opened[0](question)

    return search


def _open_search(library: Library, yours: bool) -> Searcher:
    try:
        from assistant.answering import answer
        from assistant.retrieval import index_with_yours, ready_index
    except ImportError as error:
        raise InputError(f"the search needs {error.name}, which is not installed") from None
    opened = index_with_yours if yours else ready_index
    opened(library)
    return lambda question: answer(question, library, opened(library))
