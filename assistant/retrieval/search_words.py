"""How the search reads what is typed: the data of ``knowledge/search.yaml``, where every key is described."""

from __future__ import annotations

import re
from functools import lru_cache

from assistant.library import paths, shipped
from assistant.vocabulary.entry import Entry

_FILE = "search.yaml"


class Kind(Entry):
    """What asks for a kind of thing, such as a price, and what a text that holds one contains."""

    asks: list[str]
    holds: list[str]


class SearchWords(Entry):
    """The whole file."""

    spelling: list[tuple[str, str]]
    question_words: list[str]
    technical: list[str]
    kinds: list[Kind]


@lru_cache(maxsize=1)
def _read() -> SearchWords:
    folder = paths.shipped("knowledge")
    return shipped.validated(SearchWords, shipped.documents("search", folder, _FILE)[_FILE], folder / _FILE, ())


@lru_cache(maxsize=1)
def spelling() -> list[tuple[re.Pattern[str], str]]:
    """What is written in several ways, and the one way in which it is searched, in order."""
    return [(re.compile(pattern, re.IGNORECASE), written) for pattern, written in _read().spelling]


@lru_cache(maxsize=1)
def question_word() -> re.Pattern[str]:
    """A word that opens a question, with what belongs to it: ``how deep``."""
    return re.compile(rf"\b(?:{'|'.join(_read().question_words)})\b", re.IGNORECASE)


@lru_cache(maxsize=1)
def kinds() -> list[tuple[re.Pattern[str], re.Pattern[str]]]:
    """By kind of thing what asks for it and what holds it."""
    told = _read()
    pattern = lambda any_of: re.compile(
        "|".join(any_of).replace("{technical}", "|".join(told.technical)), re.IGNORECASE
    )
    return [(pattern(kind.asks), pattern(kind.holds)) for kind in told.kinds]
