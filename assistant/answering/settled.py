"""Questions for a yes or a no that checked statements settle, as ``knowledge/settled.yaml`` lists them: matched by their words, strictly."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from assistant.library import Library, shipped
from assistant.retrieval import words
from assistant.vocabulary.answers import DirectLine
from assistant.vocabulary.errors import KnowledgeError

from .asked import plain
from .polarity import Polarity, polarity_of

FILE = "settled.yaml"
_YES_OR_NO = re.compile(
    r"^\W*(?:(?:and|but|so|ok|okay|well|then)\W+)*(?:is|are|am|do|does|did|can|could|will|would|must|should|has|have|was|were)\b"
)
_DENIES = re.compile(r"\b(?:not|never|no|none|nor|without|cannot)\b|n't\b")
# "More than one node" is not one node: such words must be those of the line.
_COMPARES = re.compile(
    r"\b(?:more|less|fewer|than|as (?:much|many|fast|good|slow)|faster|slower|better|worse|cheaper|dearer|most|least|same)\b"
)
# What the polarity of a question says already.
_SAID_BY_POLARITY = frozenset(
    words.tokens(
        "must need needed require required necessary mandatory enough suffice sufficient adequate fine ok okay "
        "work works good"
    )
)
_KEYS = {"asked", "also", "reply", "claims"}


@dataclass(frozen=True)
class _Line:
    """One way to ask: its words, what a yes to it would mean, and the words by which it compares."""

    tokens: frozenset[str]
    polarity: Polarity
    denies: bool
    compares: frozenset[str]


@dataclass(frozen=True)
class Settled:
    """A reply that opens with yes or no, the statements it rests on, the ways to ask for it and every word it may be asked in."""

    reply: str
    claims: tuple[str, ...]
    asked: tuple[str, ...]
    lines: tuple[_Line, ...]
    tokens: frozenset[str]

    def answers(self, asked: _Line) -> bool:
        """Whether the question holds all words of one line and none that is foreign, and means the same by a yes."""
        return asked.tokens <= self.tokens and any(
            line.tokens <= asked.tokens
            and (line.polarity, line.denies, line.compares) == (asked.polarity, asked.denies, asked.compares)
            for line in self.lines
        )


def settled(question: str, library: Library) -> Settled | None:
    """The entry that answers a yes-or-no question; ``None`` for every other question and where that is not certain."""
    text = plain(question)
    if not _YES_OR_NO.search(text):
        return None
    asked = _line(text)
    found = [entry for entry in read(library.knowledge_folder) if entry.answers(asked)]
    return found[0] if len(found) == 1 else None


def settled_line(entry: Settled, library: Library) -> DirectLine:
    """The reply with its sources, their dates and our verdict on the statements it rests on."""
    claims = [library.knowledge.claims[name] for name in entry.claims]
    sources = list(dict.fromkeys(claim.source for claim in claims))
    dates = [date for name in sources if (date := library.knowledge.sources[name].date)]
    verdict = next((claim.verdict for claim in claims if claim.verdict != "confirmed"), "confirmed")
    return DirectLine(
        text=f"{entry.reply} After {', '.join(_dated(name, library) for name in sources)}. Our verdict: {verdict}.",
        claims=list(entry.claims),
        source=sources[0],
        verdict=verdict,
        date=max(dates).isoformat() if dates else None,
    )


def _dated(source: str, library: Library) -> str:
    date = library.knowledge.sources[source].date
    return f"{source} ({date.isoformat() if date else 'undated'})"


@lru_cache(maxsize=4)
def read(folder: Path) -> tuple[Settled, ...]:
    """The entries of a knowledge folder. Raises :class:`KnowledgeError`."""
    entries = (shipped.documents("settled", folder, FILE).get(FILE) or {}).get("questions", [])
    if not isinstance(entries, list) or not all(
        isinstance(one, dict) and set(one) <= _KEYS and {"asked", "reply", "claims"} <= set(one) for one in entries
    ):
        raise KnowledgeError(
            f"{folder / FILE}: questions: expected a list of {{asked: [text, ...], also: [word, ...], reply: text, claims: [id, ...]}}"
        )
    return tuple(_entry(one) for one in entries)


def _entry(told: dict) -> Settled:
    asked = [str(line) for line in told["asked"]]
    lines = tuple(_line(plain(line)) for line in asked)
    also = [token for word in told.get("also", ()) for token in _tokens(str(word))]
    return Settled(
        " ".join(str(told["reply"]).split()),
        tuple(told["claims"]),
        tuple(asked),
        lines,
        frozenset().union(*(line.tokens for line in lines), also),
    )


def _line(text: str) -> _Line:
    return _Line(_tokens(text), polarity_of(text), bool(_DENIES.search(text)), frozenset(_COMPARES.findall(text)))


def _tokens(text: str) -> frozenset[str]:
    return frozenset(words.tokens(words.written_out(text))) - _SAID_BY_POLARITY
