"""Plans and conversations as pages: they stand alone, nothing in them is more than text, and nothing is missing."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from assistant.conversation import Conversation
from assistant.conversation.events import Exported, Failure
from assistant.conversation.planner import dated_planner
from assistant.conversation.transcript import document
from assistant.library import Library, load
from assistant.library.questionnaires import read_one
from assistant.planning import plan
from assistant.present.blocks import Heading
from assistant.present.html import conversation_html
from assistant.present.plan import reading
from assistant.present.plan.document import document as report
from assistant.present.plan.formats import plan_html
from tests.program import weft

ROOT = Path(__file__).parents[1]
TODAY = datetime.date(2026, 11, 20)
HOSTILE = "<script>alert(1)</script> ![x](http://evil/x.png) [y](javascript:alert(1)) &amp; <http://evil/>"


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


def stands_alone(page: str) -> BeautifulSoup:
    """The page read as a browser would; fails where it could fetch or run anything."""
    soup = BeautifulSoup(page, "html.parser")
    assert not soup.find_all(["script", "iframe", "object", "embed", "link", "img", "a", "form"])
    assert not soup.find_all(["image", "use", "foreignobject", "animate", "set"]), "what a picture could fetch or run"
    assert not [
        tag for tag in soup.find_all(True) for name in tag.attrs if name.startswith("on") or name in ("src", "href")
    ]
    assert "url(" not in page and "@import" not in page
    assert "default-src 'none'" in soup.find("meta", {"http-equiv": "Content-Security-Policy"})["content"]
    return soup


def test_a_plan_as_a_page_has_every_section_and_every_candidate(library: Library) -> None:
    made = plan(
        read_one(ROOT / "knowledge/examples/llama-70b-pretraining.yaml", library.catalog),
        library,
        index=None,
        today=TODAY,
    )
    soup = stands_alone(plan_html(made))
    assert [h.text for h in soup.find_all("h2")] == [block.text for block in report(made) if isinstance(block, Heading)]
    text = soup.get_text(" ")
    assert all(line in text for _, line in made.recommendation.card)
    assert all(reading.name(made, one.fabric) in text for one in made.candidates if one.fabric != "none")
    won = soup.find("tr", class_="won").text
    assert "✓" in won and reading.name(made, made.recommendation.fabric) in won


def test_the_page_follows_the_readers_light_or_dark_and_can_be_printed() -> None:
    page = conversation_html("Talk", {}, [(None, "Hello")])
    assert "prefers-color-scheme: dark" in page and "@media print" in page


@pytest.mark.parametrize("where", ["title", "said", "answer", "fact"])
def test_nothing_typed_or_loaded_becomes_more_than_text(where: str) -> None:
    page = conversation_html(
        HOSTILE if where == "title" else "Talk",
        {"Date": HOSTILE if where == "fact" else "today"},
        [(HOSTILE if where == "said" else "hi", HOSTILE if where == "answer" else "hello")],
    )
    assert "alert(1)" in stands_alone(page).get_text()


def test_a_conversation_is_exported_as_a_page_with_all_that_was_said(library: Library, tmp_path: Path) -> None:
    talk = Conversation(library, planner=dated_planner(TODAY, searched=False), today=TODAY)
    talk.start()
    talk.say("8 H100s <b>now</b>")
    done = talk.say(f"export the conversation to {tmp_path / 'talk.html'}")
    assert [event.what for event in done if isinstance(event, Exported)] == ["conversation"]
    soup = stands_alone((tmp_path / "talk.html").read_text(encoding="utf-8"))
    assert "8 H100s <b>now</b>" in soup.get_text() and soup.find("b") is None
    assert "What will the cluster do?" in soup.get_text()


def test_an_exported_conversation_in_markdown_is_a_transcript(library: Library, tmp_path: Path) -> None:
    talk = Conversation(library, today=TODAY)
    talk.start()
    talk.say("64 H100s")
    talk.say(f"save the transcript to {tmp_path / 'talk.md'}")
    assert document.read(tmp_path / "talk.md").said == ["64 H100s"]
    refused = talk.say(f"export the conversation to {tmp_path / 'talk.json'}")
    assert any(isinstance(event, Failure) and "markdown or html" in event.text for event in refused)


def test_the_commands_write_pages(tmp_path: Path) -> None:
    saved = next(iter(sorted((ROOT / "transcripts").glob("*.md"))))
    for arguments in (
        ["replay", str(saved), "--export", str(tmp_path / "talk.html")],
        [
            "plan",
            str(ROOT / "knowledge/examples/single-node.yaml"),
            "--format",
            "html",
            "--out",
            str(tmp_path / "plan.html"),
        ],
    ):
        assert weft(*arguments).code == 0
    said = document.read(saved).said
    assert all(
        message in stands_alone((tmp_path / "talk.html").read_text(encoding="utf-8")).get_text() for message in said
    )
    stands_alone((tmp_path / "plan.html").read_text(encoding="utf-8"))
    wrong = weft("replay", str(saved), "--export", str(tmp_path / "talk.pdf"))
    assert wrong.code == 2 and "ends in .html" in wrong.err and not (tmp_path / "talk.pdf").exists()
