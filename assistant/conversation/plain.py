"""The conversation line by line: for pipes, screen readers and any terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from assistant.present.plan import card
from assistant.present.text import lines_of, safe

from . import line_input, opening, wording
from .completing import Completer
from .conversation import Conversation
from .events import Event, Question

ReadMessage = Callable[[], str | None]
WriteLine = Callable[[str], None]


def main(resume: Path | None = None, *, width: int = 80) -> int:
    """``weft chat --plain`` on standard input and output; the exit code."""
    conversation = opening.begin(resume=resume)
    try:
        complete = Completer(conversation.library)
        run(conversation, line_input.reader(complete.lines), lambda line: print(line, flush=True), width=width)
    except KeyboardInterrupt:
        print()
    except BrokenPipeError:
        _discard_output()
    return 0


def run(conversation: Conversation, read_message: ReadMessage, write_line: WriteLine, *, width: int = 80) -> None:
    """Talk until ``read_message`` gives ``None`` (end of input) or the user quits.

    A conversation that was resumed goes on with its open question. A message may have several lines; every line written
    is plain text.
    """
    if conversation.turns:
        write_line("Going on where the transcript ends.")
        for line in lines_of(card.section(conversation.plan), width) if conversation.plan else ():
            write_line(line)
        write_line("")
        _write([conversation.question] if conversation.question else [], write_line, width)
    else:
        _write(conversation.start(), write_line, width)
    while (line := read_message()) is not None:
        if not line.strip():
            continue
        events = _answer(conversation, line)
        _write(events, write_line, width)
        if conversation.is_over:
            break
        _remind(conversation, events, write_line, width)
    _farewell(conversation, write_line)


def _answer(conversation: Conversation, line: str) -> list[Event]:
    """A key of the open question's choices, or a message."""
    question = conversation.question
    typed = line.strip().rstrip(".").lower()
    if question is not None:
        keys = wording.keys(question)
        if typed in keys:
            return conversation.choose(question.choices[keys.index(typed)].id)
        if typed == "0" and question.not_sure:
            return conversation.say("not sure")
    return conversation.say(line)


def _write(events: Iterable[Event], write_line: WriteLine, width: int) -> None:
    """Each event as a paragraph, an empty line after it."""
    for event in events:
        lines = wording.lines(event, width)
        for line in lines:
            write_line(line)
        if lines:
            write_line("")


def _remind(conversation: Conversation, events: list[Event], write_line: WriteLine, width: int) -> None:
    """After an answer in between, the question that is still open."""
    open_ = conversation.question
    if open_ is not None and not any(isinstance(event, Question) for event in events):
        _write([open_.model_copy(update={"again": True, "text": f"Still open: {open_.text}"})], write_line, width)


def _farewell(conversation: Conversation, write_line: WriteLine) -> None:
    if conversation.transcript_path is not None and conversation.transcript_path.exists():
        write_line(safe(f"The transcript is in {conversation.transcript_path}."))


def _discard_output() -> None:
    """The reader of a pipe has gone: nothing more can be said, and Python must not complain at its end."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
