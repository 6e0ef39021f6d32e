"""How a saved conversation is written down and read back.

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
escaped with a backslash; everything from ``**Weft:** `` to the next such line is the answer. Nothing in an answer
starts a line with either mark. Parsing and writing are inverse to each other.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import assistant
from assistant.library import Library, files
from assistant.vocabulary.errors import InputError, Place

from ..events import Turn
from ..wording import markdown

YOU, WEFT = "**You:** ", "**Weft:** "
# Keys of a head and their labels.
HEAD = {name.lower(): name for name in ("Date", "Program", "Rules", "Knowledge")}
HEAD |= {"catalog": "Catalog and prices", "evidence": "Evidence"}
_SPECIAL = re.compile(r"([\\`*_\[\]<>|~#])")
_ESCAPED = re.compile(r"\\([\\`*_\[\]<>|~#])")
LONGEST_FILE = 16 * 1024 * 1024
CLAIMS, SEARCH = "claims", "claims and search"
_DIGEST_LENGTH = 12


@dataclass(frozen=True)
class Exchange:
    """One turn of a transcript; ``said`` is ``None`` for the welcome."""

    said: str | None
    answer: str


@dataclass(frozen=True)
class Transcript:
    """A parsed transcript. ``head`` has the keys date, program, rules, knowledge, catalog, evidence; ``unanswered`` is
    the last message when the program ended before its answer was recorded."""

    title: str
    head: dict[str, str]
    exchanges: tuple[Exchange, ...]
    unanswered: str | None = None

    @property
    def said(self) -> list[str]:
        """The user's answered messages in order."""
        return [exchange.said for exchange in self.exchanges if exchange.said is not None]

    @property
    def date(self) -> datetime.date:
        return datetime.date.fromisoformat(self.head["date"])

    @property
    def searched(self) -> bool:
        """Whether the search index was asked for further evidence."""
        return self.head["evidence"] == SEARCH


def head_of(library: Library, today: datetime.date, *, searched: bool) -> dict[str, str]:
    """What an answer was made with."""
    digests = {name: digest[:_DIGEST_LENGTH] for name, digest in library.digests.items()}
    program = f"weft {assistant.__version__}"
    return {"date": today.isoformat(), "program": program, **digests, "evidence": SEARCH if searched else CLAIMS}


def head_text(title: str, head: dict[str, str]) -> str:
    """The text before the first turn."""
    return f"# {_escape(title)}\n\n" + "".join(f"- {label}: {head[key]}\n" for key, label in HEAD.items())


def said_text(said: str | None) -> str:
    """What was said as it stands in the document, an empty line first; nothing for the welcome."""
    return "" if said is None else f"\n{YOU}{_escape(said)}\n"


def answer_text(turn: Turn) -> str:
    """The answer of a turn as it stands in the document, an empty line first."""
    answer = "\n\n".join(text for text in (markdown(event) for event in turn.events) if text)
    return f"\n{WEFT}{_harmless(answer)}\n"


def _escape(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text)


def _unescape(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


def _harmless(answer: str) -> str:
    """No line of an answer may look like the beginning of a turn."""
    marks = (YOU.strip(), WEFT.strip())
    return "\n".join("\\" + line if line.startswith(marks) else line for line in answer.splitlines())


def text_of(title: str, head: dict[str, str], turns: Iterable[Turn]) -> str:
    """The whole document."""
    return head_text(title, head) + "".join(said_text(turn.said) + answer_text(turn) for turn in turns)


def written(turns: Iterable[Turn], library: Library, today: datetime.date, form: str = "markdown") -> str:
    """What was said so far as a document; ``form``: markdown or html."""
    text = text_of("A conversation with Weft", head_of(library, today, searched=False), turns)
    return as_html(parse(text)) if form == "html" else text


def as_html(transcript: Transcript) -> str:
    """A transcript as a page that stands alone."""
    from assistant.present.html import conversation_html

    facts = {label: transcript.head[key] for key, label in HEAD.items()}
    return conversation_html(transcript.title, facts, ((e.said, e.answer) for e in transcript.exchanges))


def parse(text: str, file: str | None = None) -> Transcript:
    """A transcript from its text. Raises :class:`InputError` with file and line when it is none.

    A last message without an answer (the program ended while answering) is no exchange: it is ``unanswered``.
    """
    lines = text.splitlines()
    if not lines or not lines[0].startswith("# "):
        raise InputError('expected a transcript, which starts with a title line "# …"', Place(file, 1))
    first = next((i for i, line in enumerate(lines) if line.startswith((YOU.strip(), WEFT.strip()))), len(lines))
    head = _head(lines[1:first], file)
    exchanges = tuple(_exchanges(lines, first, file))
    return Transcript(_unescape(lines[0][2:]), head, exchanges, _unanswered(text.splitlines(keepends=True)[first:]))


def _unanswered(lines: list[str]) -> str | None:
    """The message that the last turn begins with and ends with; one that was cut off in its line is none."""
    last = next((line for line in reversed(lines) if line.startswith((YOU.strip(), WEFT.strip()))), WEFT)
    return _unescape(last[len(YOU) :].rstrip("\n")) if last.startswith(YOU) and last.endswith("\n") else None


def _head(lines: list[str], file: str | None) -> dict[str, str]:
    keys = {label: key for key, label in HEAD.items()}
    pairs = [line[2:].split(": ", 1) for line in lines if line.startswith("- ") and ": " in line]
    head = {keys[label]: value.strip() for label, value in pairs if label in keys}
    missing = [label for key, label in HEAD.items() if key not in head]
    if missing:
        raise InputError(f'expected "- {missing[0]}: …" under the title', Place(file, 2))
    try:
        datetime.date.fromisoformat(head["date"])
    except ValueError:
        problem = f'expected a date such as 2026-11-20, got "{head["date"][:40]}"'
        raise InputError(problem, Place(file, 2, "Date")) from None
    return head


def _exchanges(lines: list[str], first: int, file: str | None) -> Iterator[Exchange]:
    said, answer, started = None, [], False
    for number, line in enumerate(lines[first:], start=first + 1):
        if line.startswith(YOU.strip()):
            if started:
                yield Exchange(said, _joined(answer))
            said, answer, started = _unescape(line[len(YOU) :]), [], False
        elif line.startswith(WEFT.strip()):
            if started:
                raise InputError('expected "**You:**" before the next answer', Place(file, number))
            answer, started = [line[len(WEFT) :]], True
        elif started:
            answer.append(line)
    if started:
        yield Exchange(said, _joined(answer))


def _joined(lines: list[str]) -> str:
    return "\n".join(lines).rstrip("\n")


def read(path: str | Path) -> Transcript:
    """The transcript in a file. Raises :class:`InputError`."""
    with files.opened(Path(path)) as file:
        content = file.read(LONGEST_FILE + 1)
    text = files.text_read(_whole_letters(content), str(path), LONGEST_FILE)
    return parse(text.replace("\r\n", "\n"), str(path))


def _whole_letters(content: bytes) -> bytes:
    """Without the beginning of a last letter in UTF-8, at which writing was cut off."""
    length = next((n for n in (1, 2, 3) if content[-n:][:1] >= b"\xc0"), 0)
    first = content[-length] if length else 0
    return content[:-length] if length and length < 2 + (first >= 0xE0) + (first >= 0xF0) else content
