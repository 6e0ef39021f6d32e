"""The words of written-out text, stemmed: what is compared when passages are found by words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

_BRITISH = re.compile(r"(?<=\w{4})is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)")
_FAMILY = re.compile(r"[a-z]{4,}(?=\d)")  # ``qwen2.5`` is also a ``qwen``
_TOKEN = re.compile(r"[a-z0-9]+(?:[._'’-][a-z0-9]+)*")
STOP = frozenset(
    """a an and any are as at be been but by can could did do does doing for from had has have having how i
    if in into is it its just like may me mine my need no not now of on or our ours please should so
    some tell than that the their them then there these they this those to too was we were what when
    where which while who why will with would you your yours about actually all am also because being
    both does let more most much many really very happen happens""".split()
)
_CONTRACTED = re.compile(r"(?:n't|'(?:s|re|ve|ll|d|m))$")
_SHORT_STEMS = frozenset({"ca", "wo", "sha"})  # of can't, won't, shan't


def tokens(text: str) -> list[str]:
    """Stemmed words of written-out text; a compound gives itself and its parts, words without content are left out."""
    return [token for token, _ in _told(text)]


def forms(text: str) -> dict[str, str]:
    """Each token of :func:`tokens` that is a word, without digits, with the form it first has in the text."""
    found: dict[str, str] = {}
    for token, form in _told(text):
        if token.isalpha():
            found.setdefault(token, form)
    return found


def _told(text: str) -> Iterator[tuple[str, str]]:
    """Tokens with the words they come from."""
    for word in _TOKEN.findall(text.lower().replace("’", "'")):
        parts = [part for part in re.split(r"[_-]", word) if part]
        if len(parts) > 1:
            yield "".join(parts), word
            parts = [part for part in parts if len(part) > 1 or part.isdigit()]
        yield from ((stem(part), part) for part in parts if not is_small(part))
        yield from ((family.group(), family.group()) for part in parts if (family := _FAMILY.match(part)))


def is_small(word: str) -> bool:
    """Whether a word has no content: a stop word, or one with another drawn into it, as ``isn't`` and ``we're``."""
    head = _CONTRACTED.sub("", word)
    return word in STOP or head in STOP or (head in _SHORT_STEMS and head != word)


def plain_words(text: str) -> list[str]:
    """Lower-case words with content, as written."""
    return [word for word in _TOKEN.findall(text.lower()) if not is_small(word)]


@lru_cache(maxsize=1)
def _stemmer() -> Any:
    import snowballstemmer

    return snowballstemmer.stemmer("english")


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """The word without its inflection (Porter's second algorithm for English); words with digits stay as they are."""
    if any(c.isdigit() for c in word):
        return word[:-1] if len(word) > 3 and word.endswith("s") and word[-2].isdigit() else word
    return _stemmer().stemWord(_BRITISH.sub("iz", word.removesuffix("'s")))
