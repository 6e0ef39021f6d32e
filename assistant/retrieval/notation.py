"""Text as the field writes it: one spelling for each word, so that ``IB``, ``100GbE`` and ``all reduce`` find their
passages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from assistant.vocabulary.knowledge import Term
from assistant.vocabulary.printing import printable

from .search_words import spelling
from .tokens import STOP, is_small

_ESCAPE = re.compile(r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|\x1b(?:\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_NAMED = re.compile(r"(?<![.?!:]\s)(?<!^)\b[A-Z][\w.-]*|\b(?=\w*[A-Za-z])[^\W\d]*\d[\w.-]*|\b(?:19|20)\d\d\b")
_REPEATED = re.compile(r"\bit(?:\s+it)+\b")


def written_out(text: str, initialisms: Initialisms | None = None) -> str:
    """Text without terminal escapes and control characters, in the field's usual spelling, short names written out."""
    text = unicodedata.normalize("NFKC", _ESCAPE.sub(" ", text)).replace("μ", "µ")
    text = " ".join(printable(text).replace("�", " ").split())
    for pattern, written in spelling():
        text = pattern.sub(written, text)
    return initialisms.written_out(text) if initialisms else text


class Initialisms:
    """Writes ``PFC`` as ``PFC Priority Flow Control``: the short names of glossary terms with what they stand for."""

    def __init__(self, terms: Iterable[Term] = ()) -> None:
        self.long: dict[str, str] = {}
        for term in terms:
            names = (term.term, *term.aliases)
            self.long.update({short.lower(): name for name in names for short in names if _stands_for(short, name)})
        self._pattern = re.compile(_any_of(self.long), re.IGNORECASE)

    def written_out(self, text: str) -> str:
        """The text with every short name followed by the long one."""
        return self._pattern.sub(lambda found: f"{found.group()} {self.long[found.group().lower()]}", text)


class Everyday:
    """Replaces what people say who do not use the field's words: ``the cheap cable`` → ``the standard Ethernet``."""

    def __init__(self, pairs: Iterable[tuple[str, str]] = ()) -> None:
        self.means = {said.lower(): means for said, means in pairs}
        self._pattern = re.compile(_any_of(self.means), re.IGNORECASE)

    def replaced(self, text: str) -> str:
        """The text in the field's words; the same text when it has nothing to replace."""
        return self._pattern.sub(lambda found: self.means[found.group().lower()], text)


def names_pattern(terms: Iterable[Term]) -> re.Pattern[str]:
    """Matches every name of the field: terms, their aliases, and words with a digit such as ``p5.48xlarge``."""
    names = {name for term in terms for name in (term.term, *term.aliases) if len(name) > 1}
    return re.compile(rf"\b\w*\d[\w.-]*|{_any_of(names)}", re.IGNORECASE)


def _any_of(names: Iterable[str]) -> str:
    """A pattern for the names as whole words, longer ones first; of no name one that is never found."""
    return rf"(?<![\w-])(?:{'|'.join(map(re.escape, sorted(names, key=len, reverse=True))) or '(?!)'})(?![\w-])"


def without_names(text: str, names: re.Pattern[str]) -> str:
    """What is asked about, names left out: ``Which licence has NCCL?`` → ``Which licence has it?``

    ``names``: those of the field; whatever else a text calls by name is left out too.
    """
    bare = _NAMED.sub(lambda found: found.group() if is_small(found.group().lower()) else "it", names.sub("it", text))
    return _REPEATED.sub("it", " ".join(bare.split()))


def called_by_name(text: str) -> list[str]:
    """What a text calls by name: capitals that do not begin a sentence, words with digits, years; a plain number or "I"
    is none."""
    return [name for name in _NAMED.findall(text) if not is_small(name.lower())]


def _stands_for(short: str, name: str) -> bool:
    """Whether ``short`` is made of the first letters of ``name``, small words counted or not."""
    parts = re.split(r"[\s-]+", name.lower())
    if len(parts) < 2 or not 2 <= len(short) <= 6 or short.lower() in STOP:
        return False
    all_letters, content = "".join(part[:1] for part in parts), "".join(part[:1] for part in parts if part not in STOP)
    return short.lower() in (all_letters, content)
