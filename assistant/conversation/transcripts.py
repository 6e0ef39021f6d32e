"""Conversations as documents a person likes to read, saved as they go, replayed as tests.

The format, Markdown, UTF-8::

    # Title

    - Date: 2026-11-20            the day the prices are taken at
    - Program: weft 0.1.0
    - Rules: 0123456789ab         first characters of the content hash
    - Knowledge: 0123456789ab
    - Catalog and prices: 0123456789ab
    - Evidence: claims            or "claims and search"

    **Weft:** the welcome

    the first question

    **You:** 64 H100s

    **Weft:** Understood: …

A line that starts with ``**You:** `` begins a turn and holds the whole message, characters that Markdown would read
escaped with a backslash; everything from ``**Weft:** `` to the next such line is the answer. Nothing in an answer starts
a line with either mark. Parsing and writing are inverse to each other.
"""

from __future__ import annotations

import datetime
import difflib
import os
import re
import tempfile
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assistant import __version__
from assistant.library import Library
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.own_documents import YOURS
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

from .conversation import Conversation, Searcher
from .events import Turn
from .searching import lazy_searcher
from .wording import markdown

YOU, WEFT = "**You:** ", "**Weft:** "
_HEAD = {"date": "Date", "program": "Program", "rules": "Rules", "knowledge": "Knowledge", "catalog": "Catalog and prices",
         "evidence": "Evidence"}
_FACTS = {"rules": "rules", "knowledge": "knowledge", "catalog": "catalog or prices"}
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#])")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|~#])")
_DIGEST_LENGTH = 12
CLAIMS, SEARCH = "claims", "claims and search"
LONGEST_FILE = 16 * 1024 * 1024


@dataclass(frozen=True)
class Exchange:
    """One turn of a transcript; ``said`` is ``None`` for the welcome."""

    said: str | None
    answer: str


@dataclass(frozen=True)
class Transcript:
    """A parsed transcript. ``head`` has the keys date, program, rules, knowledge, catalog, evidence."""

    title: str
    head: dict[str, str]
    exchanges: tuple[Exchange, ...]

    @property
    def said(self) -> list[str]:
        """The user's messages in order."""
        return [exchange.said for exchange in self.exchanges if exchange.said is not None]

    @property
    def date(self) -> datetime.date:
        return datetime.date.fromisoformat(self.head["date"])


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
        reason = (f"{_listed(self.facts_changed)} changed since" if self.facts_changed
                  else "rules, knowledge and prices are the same, so the program changed")
        return f"{self.path}: different answers; {reason}."


def _listed(names: Iterable[str]) -> str:
    return " and ".join(names)


# -- writing -----------------------------------------------------------------------------------------------


def head_of(library: Library, today: datetime.date, *, searched: bool) -> dict[str, str]:
    """What an answer was made with."""
    digests = {name: digest[:_DIGEST_LENGTH] for name, digest in library.digests.items()}
    return {"date": today.isoformat(), "program": f"weft {__version__}", **digests, "evidence": SEARCH if searched else CLAIMS}


def opening(title: str, head: dict[str, str]) -> str:
    """The text before the first turn."""
    return f"# {_escape(title)}\n\n" + "".join(f"- {label}: {head[key]}\n" for key, label in _HEAD.items())


def turn_text(turn: Turn) -> str:
    """One turn as it stands in the document, an empty line first."""
    said = "" if turn.said is None else f"\n{YOU}{_escape(turn.said)}\n"
    answer = "\n\n".join(text for text in (markdown(event) for event in turn.events) if text)
    return f"{said}\n{WEFT}{_harmless(answer)}\n"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _harmless(answer: str) -> str:
    """No line of an answer may look like the beginning of a turn."""
    return "\n".join("\\" + line if line.startswith((YOU.strip(), WEFT.strip())) else line for line in answer.splitlines())


class Recorder:
    """Appends each turn as it ends and makes sure it is on the disk: a crash loses nothing that was answered."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def begin(self, title: str, head: dict[str, str]) -> Recorder:
        """Write the head of a new file. Raises :class:`FileExistsError` rather than touch one that is there."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._write(opening(title, head), "x")
        return self

    def __call__(self, turn: Turn) -> None:
        self._write(turn_text(turn), "a")

    def _write(self, text: str, mode: str) -> None:
        with open(self.path, mode, encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())


# -- reading -----------------------------------------------------------------------------------------------


def parse(text: str, file: str | None = None) -> Transcript:
    """A transcript from its text. Raises :class:`InputError` with file and line when it is none.

    A last turn without an answer (the program ended while answering) is left out.
    """
    lines = text.splitlines()
    if not lines or not lines[0].startswith("# "):
        raise InputError("expected a transcript, which starts with a title line \"# …\"", Place(file, 1))
    first = next((i for i, line in enumerate(lines) if line.startswith((YOU.strip(), WEFT.strip()))), len(lines))
    head = _head(lines[1:first], file)
    return Transcript(_unescape(lines[0][2:]), head, tuple(_exchanges(lines, first, file)))


def _head(lines: list[str], file: str | None) -> dict[str, str]:
    keys = {label: key for key, label in _HEAD.items()}
    pairs = [line[2:].split(": ", 1) for line in lines if line.startswith("- ") and ": " in line]
    head = {keys[label]: value.strip() for label, value in pairs if label in keys}
    missing = [label for key, label in _HEAD.items() if key not in head]
    if missing:
        raise InputError(f"expected \"- {missing[0]}: …\" under the title", Place(file, 2))
    try:
        datetime.date.fromisoformat(head["date"])
    except ValueError:
        raise InputError(f"expected a date such as 2026-11-20, got \"{head['date'][:40]}\"", Place(file, 2, "Date")) from None
    return head


def _exchanges(lines: list[str], first: int, file: str | None) -> Iterable[Exchange]:
    said, answer, started = None, [], False
    for number, line in enumerate(lines[first:], start=first + 1):
        if line.startswith(YOU.strip()):
            if started:
                yield Exchange(said, _joined(answer))
            said, answer, started = _unescape(line[len(YOU):]), [], False
        elif line.startswith(WEFT.strip()):
            if started:
                raise InputError("expected \"**You:**\" before the next answer", Place(file, number))
            answer, started = [line[len(WEFT):]], True
        elif started:
            answer.append(line)
    if started:
        yield Exchange(said, _joined(answer))


def _joined(lines: list[str]) -> str:
    return "\n".join(lines).rstrip("\n")


def read(path: str | Path) -> Transcript:
    """The transcript in a file. Raises :class:`InputError`."""
    name = str(path)
    try:
        if os.path.getsize(path) > LONGEST_FILE:
            raise InputError(f"expected a transcript of at most {LONGEST_FILE >> 20} MiB", Place(name))
        return parse(Path(path).read_text(encoding="utf-8"), name)
    except UnicodeDecodeError:
        raise InputError("expected UTF-8 text, found bytes that are not", Place(name)) from None
    except OSError as error:
        raise InputError(f"cannot be read: {error.strerror or error}", Place(name)) from None


# -- replaying ---------------------------------------------------------------------------------------------


def dated_planner(today: datetime.date, *, searched: bool) -> Callable[[Questionnaire, Library], Plan]:
    """The planner with prices as of ``today``; without the search it cites the claims of the rules alone."""
    def make(questionnaire: Questionnaire, library: Library) -> Plan:
        from assistant.planning import plan

        return plan(questionnaire, library, today=today, index=_index(library) if searched else None)

    return make


def _index(library: Library) -> Any:
    from assistant.retrieval import ready_index

    return ready_index(library)


def conversation_for(transcript: Transcript, library: Library, searcher: Searcher | None = None) -> Conversation:
    """A conversation under the circumstances of the transcript, that writes no files."""
    planner = dated_planner(transcript.date, searched=transcript.head["evidence"] == SEARCH)
    # A document added since must not change what was answered; where the user's documents were cited they are searched again.
    yours = any(f"({YOURS}" in exchange.answer for exchange in transcript.exchanges)
    return Conversation(library, planner=planner, searcher=searcher or lazy_searcher(library, yours=yours),
                        exporter=lambda plan, questionnaire, target: None)


def text_of(title: str, head: dict[str, str], turns: Iterable[Turn]) -> str:
    """The whole document."""
    return opening(title, head) + "".join(turn_text(turn) for turn in turns)


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


def replace(path: Path, text: str) -> None:
    """Write a file so that a crash leaves the old or the new one, never half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    with open(handle, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(temporary, path.stat().st_mode & 0o777 if path.exists() else 0o644)
    os.replace(temporary, path)
