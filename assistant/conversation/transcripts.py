"""Conversations as documents a person likes to read, saved as they go, replayed as tests.

The format is that of :mod:`transcript_format`. A transcript says with which rules, knowledge and prices it was made, so
that a replay can tell a changed fact from a changed program.
"""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import assistant
from assistant.library import Library
from assistant.vocabulary.own_documents import YOURS
from assistant.vocabulary.questionnaire import Questionnaire

from .conversation import Conversation, Searcher
from .events import Turn
from .searching import lazy_searcher
from .transcript_format import HEAD, WEFT, YOU, Exchange, Recorder, Transcript, opening, parse, read, replace, text_of

if TYPE_CHECKING:
    from assistant.planning import Begun

__all__ = [
    "Exchange",
    "Recorder",
    "ReplayResult",
    "Transcript",
    "as_html",
    "conversation_for",
    "dated_planner",
    "export_nothing",
    "head_of",
    "keep_nothing",
    "opening",
    "parse",
    "read",
    "replace",
    "replay_file",
    "replayed",
    "text_of",
    "update_file",
    "written",
]

CLAIMS, SEARCH = "claims", "claims and search"
_FACTS = {"rules": "rules", "knowledge": "knowledge", "catalog": "catalog or prices"}
_DIGEST_LENGTH = 12


@dataclass(frozen=True)
class ReplayResult:
    """What a replay found. ``diff`` is a unified diff of the text; ``facts_changed`` names what is not as it was then."""

    path: Path
    changed: bool
    diff: str
    facts_changed: tuple[str, ...]
    answers: int

    @property
    def summary(self) -> str:
        """One line for the terminal."""
        if not self.changed:
            note = f" although {_listed(self.facts_changed)} changed since" if self.facts_changed else ""
            return f"{self.path}: {self.answers} answers, all the same{note}."
        reason = (
            f"{_listed(self.facts_changed)} changed since"
            if self.facts_changed
            else "rules, knowledge and prices are the same, so the program changed"
        )
        return f"{self.path}: different answers; {reason}."


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)


def head_of(library: Library, today: datetime.date, *, searched: bool) -> dict[str, str]:
    """What an answer was made with."""
    digests = {name: digest[:_DIGEST_LENGTH] for name, digest in library.digests.items()}
    return {
        "date": today.isoformat(),
        "program": f"weft {assistant.__version__}",
        **digests,
        "evidence": SEARCH if searched else CLAIMS,
    }


def dated_planner(today: datetime.date, *, searched: bool) -> Callable[[Questionnaire, Library], Begun]:
    """The planner with prices as of ``today``; without the search it cites the claims of the rules alone."""

    def make(questionnaire: Questionnaire, library: Library) -> Begun:
        from assistant.planning import begun

        return begun(questionnaire, library, today=today, index=_index(library) if searched else None)

    return make


def _index(library: Library) -> Any:
    from assistant.retrieval import ready_index

    return ready_index(library)


def conversation_for(transcript: Transcript, library: Library, searcher: Searcher | None = None) -> Conversation:
    """A conversation under the circumstances of the transcript, that writes no files."""
    planner = dated_planner(transcript.date, searched=transcript.head["evidence"] == SEARCH)
    # A document added since must not change what was answered; where the user's documents were cited they are searched again.
    yours = any(f"({YOURS}" in exchange.answer for exchange in transcript.exchanges)
    return Conversation(
        library,
        planner=planner,
        searcher=searcher or lazy_searcher(library, yours=yours),
        exporter=export_nothing,
        record=keep_nothing,
        today=transcript.date,
    )


def written(turns: Iterable[Turn], library: Library, today: datetime.date, form: str = "markdown") -> str:
    """What was said so far as a document; ``form``: markdown or html."""
    text = text_of("A conversation with Weft", head_of(library, today, searched=False), turns)
    return as_html(parse(text)) if form == "html" else text


def as_html(transcript: Transcript) -> str:
    """A transcript as a page that stands alone."""
    from assistant.present.html import conversation_html

    facts = {label: transcript.head[key] for key, label in HEAD.items()}
    return conversation_html(transcript.title, facts, ((e.said, e.answer) for e in transcript.exchanges))


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
    head = head_of(library, transcript.date, searched=transcript.head["evidence"] == SEARCH)
    return text_of(transcript.title, head, conversation.turns)


def replay_file(path: str | Path, library: Library, searcher: Searcher | None = None) -> ReplayResult:
    """Say the user's messages again and compare every answer."""
    path = Path(path)
    then, now = read(path), parse(replayed(read(path), library, searcher))
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
    replace(Path(path), replayed(read(path), library, searcher))
