"""Wordings are data: every file's examples hold, every field that a person may say has words, and each stands once."""

from __future__ import annotations

import datetime
import re
from dataclasses import dataclass, field
from typing import Any

import pytest

from assistant import library
from assistant.understanding import Listener
from assistant.vocabulary.language import Example
from assistant.vocabulary.questionnaire import FIELDS

LOADED = library.load()
WORDINGS = LOADED.language.fields
TODAY = datetime.date(2026, 11, 22)
KEYS = {
    "unset",
    "either",
    "+",
    "-",
    "!",
}  # beside the values of a choice: taken back, left open, changed, said for sure
COMPUTED = re.compile(r"/\d+|\d+[-/]")  # a value that follows from the amount: "/60", "100-", "1000/"
UNSAID = {"name"}  # given with the plan's file, not in a sentence


@dataclass
class Knows:
    """A conversation that knows what an example needs."""

    fields: dict[str, Any] = field(default_factory=dict)
    asked: str | None = None
    nodes: int | None = None

    @property
    def changed(self) -> tuple[str, ...]:
        return tuple(self.fields)


@pytest.fixture(scope="module")
def listener() -> Listener:
    return Listener.of(LOADED.language, LOADED.catalog, LOADED.listener)


EXAMPLES = [
    pytest.param(path, example, id=f"{path}: {example.text}")
    for path, wording in WORDINGS.items()
    for example in wording.examples
]


def _kind(path: str, example: Example) -> tuple[str, bool, str | None]:
    """Of which wording an example is, whether that speaks, and what was asked."""
    return path, path in example.expect, example.asked


@pytest.mark.sampled(4, of=_kind, always=lambda path, example: path.startswith("budget."))
@pytest.mark.parametrize(("path", "example"), EXAMPLES)
def test_an_example_sets_exactly_what_it_says(listener: Listener, path: str, example: Example) -> None:
    today = datetime.date.fromisoformat(example.today) if example.today else TODAY
    heard = listener.hear(example.text, Knows(dict(example.known), example.asked), today=today)
    assert {
        path: pytest.approx(value) if isinstance(value, float) else value for path, value in example.expect.items()
    } == dict(heard.fields)


@pytest.mark.parametrize("path", WORDINGS)
def test_a_wording_has_a_case_that_speaks_and_one_that_keeps_quiet(path: str) -> None:
    speaks = [path in example.expect for example in WORDINGS[path].examples]
    assert any(speaks) and not all(speaks)


@pytest.mark.parametrize("path", WORDINGS)
def test_the_values_of_a_wording_are_values_of_its_field(path: str) -> None:
    known, flag = {str(value) for value in FIELDS[path].values}, FIELDS[path].about.kind == "flag"
    for value in (*WORDINGS[path].values, *WORDINGS[path].replies):
        assert (
            value in KEYS
            or COMPUTED.fullmatch(value)
            or value.partition(" beside ")[0].rstrip("?!") in known
            or (path == "cluster.provider" and value in library.load().catalog.providers)
            or (flag and value.rstrip("!") in ("true", "false"))
            or value.rstrip("!").isdigit()
        )


def test_every_field_that_a_person_may_say_has_words() -> None:
    assert [
        path for path, f in FIELDS.items() if not f.about.words and path not in WORDINGS and path not in UNSAID
    ] == []


def test_a_file_is_named_after_its_field() -> None:
    folder = LOADED.knowledge_folder / "language" / "fields"
    assert {file.stem for file in folder.glob("*.yaml")} == {path.replace(".", "-") for path in WORDINGS}
