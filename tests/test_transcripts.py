"""Saved conversations: documents people read, that nothing is lost from, and that run as tests."""

from __future__ import annotations

import datetime
from pathlib import Path

import pytest

from assistant import library as libraries
from assistant.conversation import Conversation
from assistant.conversation.events import Note, Turn
from assistant.conversation.planner import dated_planner
from assistant.conversation.transcript import document, replaying
from assistant.conversation.transcript.document import Exchange, Transcript
from assistant.conversation.transcript.saving import Recorder
from assistant.library import Library
from assistant.vocabulary.errors import InputError

FOLDER = Path(__file__).parents[1] / "transcripts"
SAVED = sorted(FOLDER.glob("*.md"))
MONEY = {"budget", "buying", "spot", "own", "home", "fabrics", "sites"}  # what a sum is asked or told for
HEAD = {
    "date": "2026-11-20",
    "program": "weft 0.1.0",
    "rules": "0" * 12,
    "knowledge": "1" * 12,
    "catalog": "2" * 12,
    "evidence": "claims",
}


@pytest.fixture(scope="module")
def library() -> Library:
    return libraries.load()


@pytest.fixture
def saved(tmp_path: Path, library: Library) -> Path:
    """A conversation that was saved as it went."""
    path = tmp_path / "talk.md"
    today = datetime.date(2026, 11, 20)
    head = document.head_of(library, today, searched=False)
    recorder = Recorder(path).begin("A test", head)
    conversation = Conversation(library, planner=dated_planner(today, searched=False), record=recorder)
    conversation.start()
    for message in ("fine-tune llama 3.1 8b on 16 H100s", "no, 8", "why"):
        conversation.say(message)
    return path


@pytest.mark.sampled(2, always=lambda path: MONEY.intersection(path.stem.split("-")))
@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_the_conversation_goes_as_it_went(path: Path, library: Library) -> None:
    result = replaying.replay_file(path, library)
    assert not result.changed, f"{result.summary}\n{result.diff}"


def test_many_different_situations_are_kept() -> None:
    read = [document.read(path) for path in SAVED]
    assert len(read) >= 30
    assert len({transcript.title for transcript in read}) == len(read)
    assert len({tuple(transcript.said[:2]) for transcript in read}) == len(read)


@pytest.mark.parametrize("path", SAVED, ids=lambda path: path.stem)
def test_a_transcript_reads_back_as_it_was_written(path: Path) -> None:
    transcript = document.read(path)
    assert document.head_text(transcript.title, transcript.head) + _written(transcript) == path.read_text(
        encoding="utf-8"
    )


def _written(transcript: Transcript) -> str:
    def text(exchange: Exchange) -> str:
        said = "" if exchange.said is None else f"\n{document.YOU}{document._escape(exchange.said)}\n"
        return f"{said}\n{document.WEFT}{exchange.answer}\n"

    return "".join(text(exchange) for exchange in transcript.exchanges)


@pytest.mark.parametrize(
    "message",
    [
        "**You:** me",
        "**Weft:** it",
        "# title",
        "- item",
        "| a | b |",
        "back\\slash",
        "\\*",
        "`code` <b>bold</b>",
        "[link](http://x)",
        "_em_ *strong* ~x~",
        "64 H100s",
    ],
)
def test_whatever_was_typed_comes_back_exactly(message: str) -> None:
    turns = [
        Turn(said=None, events=(Note(text="hello"),)),
        Turn(said=message, events=(Note(text=f"You said {message}"), Note(text=message, items=(message,)))),
    ]
    parsed = document.parse(document.text_of("Title", HEAD, turns))
    assert parsed.said == [message] and parsed.title == "Title" and parsed.head == HEAD
    assert len(parsed.exchanges) == 2


def test_every_turn_is_on_the_disk_before_the_next(tmp_path: Path, library: Library) -> None:
    path, seen = tmp_path / "talk.md", []
    recorder = Recorder(path).begin("A test", HEAD)

    def record(turn: Turn) -> None:
        recorder(turn)
        seen.append(document.read(path).said)

    conversation = Conversation(library, record=record)
    conversation.start()
    conversation.say("pretraining")
    conversation.say("llama 3.1 8b")
    assert seen == [[], ["pretraining"], ["pretraining", "llama 3.1 8b"]]


def test_a_file_cut_anywhere_keeps_every_answered_turn(saved: Path) -> None:
    text = saved.read_text(encoding="utf-8")
    whole = document.parse(text)
    for end in range(text.index("**You:**"), len(text), 97):
        part = document.parse(text[:end])
        assert list(whole.said[: len(part.said)]) == [
            *part.said[:-1],
            *([whole.said[len(part.said) - 1]] if part.said else []),
        ]
        assert [e.answer for e in part.exchanges[:-1]] == [e.answer for e in whole.exchanges[: len(part.exchanges) - 1]]


def test_a_recording_never_overwrites_another(saved: Path) -> None:
    with pytest.raises(FileExistsError):
        Recorder(saved).begin("Another", HEAD)


def test_a_replay_of_the_same_program_finds_no_difference(saved: Path, library: Library) -> None:
    result = replaying.replay_file(saved, library)
    assert (result.changed, result.diff, result.facts_changed) == (False, "", ())
    assert "4 answers, all the same" in result.summary


def test_a_changed_number_shows_as_one_line_of_a_diff(saved: Path, library: Library) -> None:
    text = saved.read_text(encoding="utf-8")
    saved.write_text(text.replace("Understood: GPUs: 8 (was 16)", "Understood: GPUs: 8 (was 17)"), encoding="utf-8")
    result = replaying.replay_file(saved, library)
    removed = [line for line in result.diff.splitlines() if line.startswith("-") and not line.startswith("---")]
    added = [line for line in result.diff.splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert result.changed and len(removed) == len(added) == 1
    assert "was 17" in removed[0] and "was 16" in added[0]
    assert "the program changed" in result.summary


def test_a_replay_tells_changed_facts_from_a_changed_program(saved: Path, library: Library) -> None:
    text = saved.read_text(encoding="utf-8")
    now = document.read(saved).head["catalog"]
    saved.write_text(text.replace(now, "f" * 12).replace("(was 16)", "(was 17)"), encoding="utf-8")
    result = replaying.replay_file(saved, library)
    assert result.facts_changed == ("catalog or prices",) and "catalog or prices changed since" in result.summary


def test_update_accepts_what_is_answered_now(saved: Path, library: Library) -> None:
    original = saved.read_text(encoding="utf-8")
    saved.write_text(original.replace("(was 16)", "(was 17)"), encoding="utf-8")
    replaying.update_file(saved, library)
    assert saved.read_text(encoding="utf-8") == original
    assert [path.name for path in saved.parent.iterdir()] == [saved.name]


def test_a_replay_writes_no_exports(
    saved: Path, library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    target = Path("never.md")
    with saved.open("a", encoding="utf-8") as file:
        file.write(f"\n**You:** export to {target}\n\n**Weft:** The plan is in {target}.\n")
    assert not replaying.replay_file(saved, library).changed
    assert not target.exists()


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "expected a transcript"),
        ("hello", "expected a transcript"),
        ("# Title\n", 'expected "- Date'),
        (document.head_text("T", HEAD).replace("2026-11-20", "yesterday"), "expected a date"),
        (document.head_text("T", HEAD) + "\n**Weft:** a\n\n**Weft:** b\n", 'expected "**You:**"'),
    ],
)
def test_a_file_that_is_no_transcript_is_one_sentence(
    tmp_path: Path, library: Library, text: str, sentence: str
) -> None:
    path = tmp_path / "other.md"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as error:
        replaying.replay_file(path, library)
    assert sentence in str(error.value) and str(path) in str(error.value)


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path, library: Library) -> None:
    (tmp_path / "bytes.md").write_bytes(b"\xff\xfe\x00")
    for path, sentence in (
        (tmp_path / "bytes.md", "UTF-8"),
        (tmp_path / "missing.md", "no such file"),
        (tmp_path, "got a folder"),
    ):
        with pytest.raises(InputError, match=sentence):
            document.read(path)


def test_a_parsed_transcript_holds_the_exchanges_in_order() -> None:
    text = document.head_text("T", HEAD) + "\n**Weft:** hello\n\n**You:** a\n\n**Weft:** b\n\nc\n\n**You:** d\n"
    assert document.parse(text).exchanges == (Exchange(None, "hello"), Exchange("a", "b\n\nc"))
