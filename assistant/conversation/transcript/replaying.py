"""Says again what was said in a saved conversation, and compares every answer.

A transcript says with which rules, knowledge and prices it was made, so that a replay can tell a changed fact from a
changed program.
"""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from pathlib import Path

from assistant.library import Library
from assistant.vocabulary.own_documents import YOURS

from ..conversation import Conversation
from ..planner import dated_planner
from ..searching import Searcher, lazy_searcher
from .document import WEFT, YOU, Transcript, head_of, parse, read, text_of
from .saving import replace_file

_FACTS = {"rules": "rules", "knowledge": "knowledge", "catalog": "catalog or prices"}


@dataclass(frozen=True)
class ReplayResult:
    """What a replay found. ``diff`` is a unified diff of the text; ``facts_changed`` names what is not as it was
    then."""

    path: Path
    changed: bool
    diff: str
    facts_changed: tuple[str, ...]
    answers: int

    @property
    def summary(self) -> str:
        """One line for the terminal."""
        facts = " and ".join(self.facts_changed)
        if not self.changed:
            note = f" although {facts} changed since" if facts else ""
            return f"{self.path}: {self.answers} answers, all the same{note}."
        same = "rules, knowledge and prices are the same, so the program changed"
        return f"{self.path}: different answers; {f'{facts} changed since' if facts else same}."


def conversation_for(transcript: Transcript, library: Library, searcher: Searcher | None = None) -> Conversation:
    """A conversation under the circumstances of the transcript, that writes no files."""
    # A document added since must not change what was answered; where the user's documents were cited they are searched
    # again.
    yours = any(f"({YOURS}" in exchange.answer for exchange in transcript.exchanges)
    return Conversation(
        library,
        planner=dated_planner(transcript.date, searched=transcript.searched),
        searcher=searcher or lazy_searcher(library, yours=yours),
        exporter=export_nothing,
        record=keep_nothing,
        today=transcript.date,
    )


def export_nothing(*_: object) -> None:
    """While the past is said again, no file is written."""


def keep_nothing(turn: object) -> None:
    """What is said again is in the transcript already."""


def replayed(transcript: Transcript, library: Library, searcher: Searcher | None = None) -> str:
    """The document as the program would write it now for the same messages."""
    conversation = conversation_for(transcript, library, searcher)
    conversation.start()
    for message in transcript.said:
        conversation.say(message)
    head = head_of(library, transcript.date, searched=transcript.searched)
    return text_of(transcript.title, head, conversation.turns)


def replay_file(path: str | Path, library: Library, searcher: Searcher | None = None) -> ReplayResult:
    """Say the user's messages again and compare every answer."""
    path, then = Path(path), read(path)
    now = parse(replayed(then, library, searcher))
    before, after = _body(then), _body(now)
    diff = "".join(difflib.unified_diff(before, after, f"{path} (saved)", f"{path} (now)", n=2))
    facts = tuple(words for key, words in _FACTS.items() if then.head[key] != now.head[key])
    return ReplayResult(path, before != after, diff, facts, len(then.exchanges))


def _body(transcript: Transcript) -> list[str]:
    lines = []
    for exchange in transcript.exchanges:
        lines += [f"{YOU}{exchange.said}\n"] if exchange.said is not None else []
        lines += [f"{line}\n" for line in f"{WEFT}{exchange.answer}".splitlines()]
    return lines


def update_file(path: str | Path, library: Library, searcher: Searcher | None = None) -> None:
    """Accept what a replay gives now: the file is replaced as a whole or not at all."""
    replace_file(Path(path), replayed(read(path), library, searcher))
