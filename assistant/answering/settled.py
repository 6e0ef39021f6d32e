"""Questions for a yes or a no that checked statements settle, as ``knowledge/settled.yaml`` lists them: matched by
their words, strictly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from assistant.library import Library, shipped
from assistant.retrieval.notation import written_out
from assistant.retrieval.tokens import tokens
from assistant.understanding.topics import Topics
from assistant.vocabulary.answers import DirectLine
from assistant.vocabulary.errors import KnowledgeError
from assistant.vocabulary.utterance import Utterance

FILE = "settled.yaml"
# What the stance of a question says already.
_NEEDED, _ENOUGH = "must need needed require required necessary mandatory", "enough suffice sufficient adequate"
_SAID_BY_STANCE = frozenset(tokens(f"{_NEEDED} {_ENOUGH} fine ok okay work works good"))
_KEYS = {"asked", "also", "reply", "claims"}


@dataclass(frozen=True)
class _Line:
    """One way to ask: its words, what a yes to it would mean, and the words by which it compares."""

    tokens: frozenset[str]
    stance: str
    denies: bool
    compares: frozenset[str]

    @classmethod
    def of(cls, text: str, roles: Mapping[str, Any]) -> _Line:
        signs = roles["signs"]
        return cls(_tokens(text), roles["stance"], "denies" in signs, frozenset(signs.get("compares", ())))


@dataclass(frozen=True)
class Settled:
    """A reply that opens with yes or no, the statements it rests on, the ways to ask for it and every word it may be
    asked in."""

    reply: str
    claims: tuple[str, ...]
    asked: tuple[str, ...]
    lines: tuple[_Line, ...]
    tokens: frozenset[str]

    def answers(self, asked: _Line) -> bool:
        """Whether the question holds all words of one line and none that is foreign, and means the same by a yes."""
        return asked.tokens <= self.tokens and any(
            line.tokens <= asked.tokens
            and (line.stance, line.denies, line.compares) == (asked.stance, asked.denies, asked.compares)
            for line in self.lines
        )


def settled(utterance: Utterance, library: Library) -> Settled | None:
    """The entry that answers a yes-or-no question; ``None`` for every other question and where that is not certain."""
    if "yes_or_no" not in utterance.roles["signs"]:
        return None
    asked = _Line.of(utterance.text, utterance.roles)
    found = [entry for entry in read(library) if entry.answers(asked)]
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
def read(library: Library) -> tuple[Settled, ...]:
    """The entries of a library's knowledge. Raises :class:`KnowledgeError`."""
    folder = library.knowledge_folder
    entries = shipped.listed("settled", folder, FILE, "questions")[FILE]
    if not all(
        isinstance(one, dict) and set(one) <= _KEYS and {"asked", "reply", "claims"} <= set(one) for one in entries
    ):
        raise KnowledgeError(
            f"{folder / FILE}: questions: expected a list of {{asked: [text, ...], also: [word, ...], reply: text, "
            "claims: [id, ...]}"
        )
    topics = Topics(library.language["topics"], library.language["words"]["sets"])
    return tuple(_entry(one, topics) for one in entries)


def _entry(told: dict[str, Any], topics: Topics) -> Settled:
    asked = tuple(str(line) for line in told["asked"])
    lines = tuple(_Line.of(line, topics.roles_of(line)) for line in asked)
    also = [token for word in told.get("also", ()) for token in _tokens(str(word))]
    every = frozenset().union(*(line.tokens for line in lines), also)
    return Settled(" ".join(str(told["reply"]).split()), tuple(told["claims"]), asked, lines, every)


def _tokens(text: str) -> frozenset[str]:
    return frozenset(tokens(written_out(text))) - _SAID_BY_STANCE
