"""An answer to a question as plain lines."""

from __future__ import annotations

import textwrap

from assistant.vocabulary.answers import Answer

from .text import safe


def answer_lines(answer: Answer, width: int = 80) -> list[str]:
    """Passages with their sources, the best first; a doubtful one is never shown without its correction."""
    if not answer.answered:
        return ["Nothing in the knowledge base answers this."]
    lines: list[str] = []
    for number, passage in enumerate(answer.passages, start=1):
        lines.append(f"{number}. {passage.source}, “{passage.section}” ({passage.date or 'no date'}; match {passage.score:.2f})")
        if passage.place:
            lines += _wrapped(f"Yours: {passage.place}", width)
        lines += _wrapped(passage.text, width)
        if passage.correction:
            lines += _wrapped(f"{passage.status.upper()}. What holds: {passage.correction}", width)
        lines.append("")
    return [safe(line) for line in lines[:-1]]


def _wrapped(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, width, initial_indent="   ", subsequent_indent="   ")
