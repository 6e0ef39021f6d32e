"""What a question is after: the words beside its question word, ``which Linux kernel …``, ``how deep is an …``."""

from __future__ import annotations

import re

from . import words

_QUESTION_WORD = re.compile(
    r"\b(?:how (?:many|much|long|often|big|large|fast|deep|heavy|loud|wide|tall|old|far|high|quickly|soon|thin|hard|expensive|dear)|"
    r"which|what|whose|who|when|where|how)\b",
    re.IGNORECASE,
)
_WORDS = 2  # beside the question word: the thing asked for and what is said of it


def asked_for(text: str) -> list[str]:
    """The tokens of the words that follow the first question word; none without such a word."""
    found = _QUESTION_WORD.search(text)
    return words.tokens(text[found.end() :])[:_WORDS] if found else []
