"""The wordings of the house: ``knowledge/language/``, one part per file, one file per field of the questionnaire."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pydantic import Field

from .entry import Entry


class Example(Entry):
    """A sentence and what it sets, with what the conversation knew: one speaks, one keeps quiet."""

    text: str
    expect: dict[str, Any]
    known: dict[str, Any] = Field(default_factory=dict)
    asked: str | None = None
    today: str | None = None


class Wording(Entry):
    """How one field is said. ``says`` are templates with a quantity, ``values`` templates for each value of a
    choice, ``replies`` the same for the answer to the open question alone, ``implies`` what a value (``any`` of
    them, or from ``>= 1000`` on) says of other fields unless they are said themselves, ``quiet`` what looks like
    the field and is not; ``asks`` what cannot be taken as it stands, by the sentence that asks back (``{said}``
    stands for the words), ``between`` the other fields that the words of such a sentence may mean; ``answers`` are
    templates that count only as the answer to the open question of a field, by its path (and how the value is
    computed: ``inference.requests_per_s /60``): "8000 a month" where the budget in all was asked for; a value with
    ``?`` gives way where another one is said too. ``beside`` are templates that count only where another field is
    said or known, by its path. ``cues`` are templates that say nothing alone, by a name: a value ``machines beside
    NAME`` counts only where one of them is somewhere in the message."""

    field: str
    says: list[str] = Field(default_factory=list)
    values: dict[str, list[str]] = Field(default_factory=dict)
    replies: dict[str, list[str]] = Field(default_factory=dict)
    beside: dict[str, list[str]] = Field(default_factory=dict)
    cues: dict[str, list[str]] = Field(default_factory=dict)
    answers: dict[str, list[str]] = Field(default_factory=dict)
    implies: dict[str, dict[str, Any]] = Field(default_factory=dict)
    quiet: list[str] = Field(default_factory=list, alias="not")
    asks: dict[str, list[str]] = Field(default_factory=dict)
    between: dict[str, list[str]] = Field(default_factory=dict)
    examples: list[Example] = Field(min_length=2)


class OtherLanguage(Entry):
    """A language beside English. ``signs`` are the small words that show it; ``words`` English words → what stands for
    them, several with ``|`` between (of no English words: what may be passed over); ``please`` asks for English in that
    language; ``thousands`` and ``decimal`` are the marks in its numbers, ``numerals`` signs that are digits or
    multiply; ``elided`` what goes before an apostrophe."""

    name: str
    please: str
    signs: str
    words: dict[str, str] = Field(default_factory=dict)
    thousands: str = ""
    decimal: str = "."
    elided: list[str] = Field(default_factory=list)
    numerals: dict[str, int] = Field(default_factory=dict)
    examples: list[Example] = Field(min_length=2)


@dataclass(frozen=True)
class Language:
    """All wordings: ``fields`` by path, ``others`` the languages beside English by name, and every other file by its
    name (``units``, ``numbers``, ``scopes``, …)."""

    fields: dict[str, Wording]
    others: dict[str, OtherLanguage]
    parts: dict[str, Any]

    def __getitem__(self, part: str) -> Any:
        return self.parts[part]
