"""What a question is after: the words beside its question word, and the kind of thing, such as a price or a person."""

from __future__ import annotations

from collections.abc import Iterable

from .search_words import kinds, question_word
from .tokens import tokens

_WORDS = 2  # beside the question word: the thing asked for and what is said of it


def focus(text: str) -> list[str]:
    """The tokens beside the first question word, ``which Linux kernel …``, ``how deep is an …``; none without such a
    word."""
    found = question_word().search(text)
    return tokens(text[found.end() :])[:_WORDS] if found else []


def lacks_kind(question: str, texts: Iterable[str]) -> bool:
    """Whether the question asks for a kind of thing of which none of the texts holds one."""
    together = " ".join(texts)
    return any(asks.search(question) and not holds.search(together) for asks, holds in kinds())
