"""What cannot be, what is not known, what is exported, and that anything may be typed, also line by line."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from assistant import library as libraries
from assistant.conversation import Conversation, opening, plain, searching
from assistant.conversation.events import (
    Answer,
    Comparison,
    Copied,
    Exported,
    Failure,
    Note,
    PlanShown,
    Turn,
    Understood,
)
from assistant.conversation.exporting import written
from assistant.conversation.transcript.replaying import replay_file
from assistant.library import Library
from assistant.library.questionnaires import from_value, read_one
from assistant.planning import forget
from assistant.vocabulary.answers import Answer as SearchAnswer
from assistant.vocabulary.questionnaire import SERVING
from tests.conversing import JOB, begin, library, one

# -- what cannot be, and what is not known ------------------------------------------------------------------


def test_minus_five_gpus_are_refused_in_one_sentence(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    failure = one(conversation.say("-5 GPUs"), Failure)
    assert failure.text == '"-5 GPUs" cannot be right: the number must be more than zero. Nothing was changed.'
    assert conversation.draft.fields["cluster.gpus"] == 64


def test_a_network_nobody_knows_is_named_and_the_known_ones_listed(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    failure = one(conversation.say("compare RoCE and nonsense"), Failure)
    assert '"nonsense" is no network' in failure.text and "infiniband-ndr-400" in failure.text
    assert one(conversation.say("compare the two"), Comparison)


def test_every_single_word_that_help_names_is_understood(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    for word in ("facts", "branches", "sources", "assumptions", "warnings", "back", "not sure"):
        assert not [e for e in conversation.say(word) if isinstance(e, Failure)], word


@pytest.mark.parametrize(
    "question", ["from how many GPUs does InfiniBand pay?", "How many GPUs before InfiniBand makes sense?"]
)
def test_from_how_many_gpus_a_network_pays_is_computed_for_the_present_job(
    begin: Callable[..., Conversation], question: str
) -> None:
    conversation = begin(f"{JOB} with fsdp")
    assert "InfiniBand" in " ".join(one(conversation.say(question), Note).items)
    answer = one(conversation.say("more"), Answer).answer
    assert answer.computed.kind == "crossover" and answer.computed.inputs["model"] == "Llama 3.1 70B"


def test_lora_is_planned_as_adapters_beside_a_frozen_model(begin: Callable[..., Conversation]) -> None:
    shown = one(begin().say("LoRA of llama 3.1 70b on 8 H100s"), PlanShown).plan
    assumed = {assumption.field: assumption.value for assumption in shown.assumptions}
    assert shown.recommendation.verdict == "no-network-needed"
    assert (assumed["training.lora_rank"], assumed["training.lora_targets"]) == (16, "all-linear")


# -- export ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "suffix", "format"),
    [
        ("export as markdown to {}", ".md", "markdown"),
        ("save it to {}", ".json", "json"),
        ("export to {}", ".yaml", "yaml"),
        ("export to {}", ".txt", "text"),
    ],
)
def test_the_plan_is_exported(
    begin: Callable[..., Conversation], tmp_path: Path, message: str, suffix: str, format: str
) -> None:
    path = tmp_path / f"plan{suffix}"
    exported = one(begin(JOB).say(message.format(path)), Exported)
    assert (exported.path, exported.format) == (str(path), format) and path.stat().st_size > 50


@pytest.mark.parametrize(
    ("message", "instead"),
    [
        ("export as pdf", 'say "save as html"'),
        ("save the plan to plan.pdf", "print it there"),
        ("save as docx", "LibreOffice"),
        ("export to excel", "weft batch"),
        ("share this", "copy the card"),
        ("save the card as yaml", "expected markdown, html, json or text for a card"),
    ],
)
def test_a_format_that_is_not_written_is_refused_with_what_does_instead(begin, message, instead, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert instead in one(begin(JOB).say(message), Failure).text and not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("message", "what", "first", "some"),
    [
        ("copy", "The card", "Rent 64", "- Certainty:"),
        ("copy the card", "The card", "Rent 64", "- Because:"),
        ("copy the YAML to the clipboard", "The questionnaire as YAML", "workload: pretraining", "gpus: 64"),
        ("copy as markdown", "The plan as Markdown", "# ", "**Rent 64"),
        ("copy the json", "The plan as JSON", "{", '"schema": "weft/plan/1"'),
        ("copy the transcript", "The conversation", "# A conversation", f"**You:** {JOB}"),
    ],
)
def test_what_is_to_be_copied_is_what_the_words_say(begin, message, what, first, some):
    copied = one(begin(JOB).say(message), Copied)
    assert copied.what == what and copied.text.startswith(first) and some in copied.text


def test_the_card_is_saved_alone(begin, tmp_path):
    path = tmp_path / "card.md"
    assert one(begin(JOB).say(f"save the card to {path}"), Exported).what == "card"
    assert path.read_text().startswith("**Rent 64") and len(path.read_text().splitlines()) == 8


def test_an_exported_questionnaire_plans_the_same_again(
    begin: Callable[..., Conversation], library: Library, tmp_path: Path
) -> None:
    conversation = begin(f"{JOB} with fsdp, no InfiniBand, $2.10/hr", f"export as yaml to {tmp_path / 'job.yaml'}")
    assert read_one(tmp_path / "job.yaml", library.catalog) == conversation.draft.questionnaire(library.catalog)


def test_every_kind_of_job_that_is_exported_is_read_back_as_what_was_said(library):
    """Of a service whose load sizes it no number of GPUs is written, nor a kind that nobody said."""
    texts = [path.read_text() for path in library.examples.values()]
    texts += [f"workload: {kind}\nmodel: llama-3.1-70b\ninference: {{requests_per_s: 4}}\n" for kind in SERVING]
    for text in texts:
        said = from_value(yaml.safe_load(text), library.catalog)
        read = from_value(yaml.safe_load(written(None, said, "yaml")), library.catalog)
        assert (read, read.sized_by_load) == (said, said.sized_by_load), text


def test_a_file_that_is_there_is_not_overwritten_unasked(begin: Callable[..., Conversation], tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("mine")
    conversation = begin(JOB)
    assert "already there" in one(conversation.say(f"export to {path}"), Failure).text and path.read_text() == "mine"
    assert one(conversation.say(f"export to {path}, overwrite"), Exported) and path.read_text() != "mine"
    assert "cannot be written" in one(conversation.say(f"export to {tmp_path}/no/such/folder.md"), Failure).text


# -- anything may be typed ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "",
        "   ",
        "\x1b[31m",
        "[/bold]",
        "{}",
        "%s",
        "\\",
        "'; DROP TABLE",
        "64" * 500,
        "no " * 400,
        "\u202e64 H100s",
        "99999999999999999999 H100s",
        "1e400 tokens",
        "0 GPUs",
        "-8 GPUs",
        "8x8x8x8 H100",
        "🙂",
        "tp=99999999999 pp=3",
        "compare",
        "what if",
        "why not",
        "branch 0",
        "export to /",
        "x" * 5000,
    ],
)
def test_no_message_breaks_the_conversation(begin: Callable[..., Conversation], message: str) -> None:
    for conversation in (begin(), begin(JOB)):
        events = conversation.say(message)
        assert not any(c in str([e.model_dump() for e in events if not isinstance(e, PlanShown)]) for c in "\x1b\u202e")
        assert conversation.say("help")


def test_events_are_frozen_and_travel_as_json(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "why", "what if 128 GPUs", "compare RoCE and InfiniBand")
    for turn in conversation.turns:
        assert Turn.model_validate_json(turn.model_dump_json(by_alias=True)) == turn
    with pytest.raises(ValueError, match="frozen"):
        conversation.turns[0].events[0].text = "other"


def test_the_same_words_give_the_same_conversation(begin: Callable[..., Conversation]) -> None:
    messages = (JOB, "fsdp", "why", "no, 128", "what would flip it")
    first = begin(*messages).turns
    forget()
    assert begin(*messages).turns == first


# -- line by line ------------------------------------------------------------------------------------------


def talk(conversation: Conversation, *lines: str) -> list[str]:
    said, written = iter(lines), []
    plain.run(conversation, lambda: next(said, None), written.append)
    return written


def test_line_by_line_choices_have_keys_and_the_end_of_input_ends_it(begin: Callable[..., Conversation]) -> None:
    conversation = Conversation(libraries.load())
    written = talk(conversation, "1", "2", "H100", "64")
    assert conversation.draft.fields == {
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "cluster.gpu": "h100-sxm",
        "cluster.gpus": 64,
    }
    assert "  1. Pretrain a model" in written


def test_a_number_that_could_be_an_answer_is_no_key(begin: Callable[..., Conversation]) -> None:
    conversation = Conversation(libraries.load())
    written = talk(conversation, "pretraining", "llama 3.1 8b", "H100", "2")
    assert conversation.draft.fields["cluster.gpus"] == 2
    assert any(line.startswith("  a. 8 (") for line in written)


def test_lines_are_plain_text_that_fits(library: Library) -> None:
    written = talk(
        Conversation(library),
        f"{JOB} with fsdp",
        "why",
        "compare InfiniBand and RoCE",
        "what if [red]128[/red] GPUs \x1b[31m",
        "show the plan",
        "quit",
    )
    assert max(len(line) for line in written) <= 80
    assert all(line.isprintable() for line in written)
    assert not any(c in "".join(written) for c in "│┌─═█")


def test_after_an_answer_in_between_the_open_question_is_named(library: Library) -> None:
    written = talk(Conversation(library), JOB, "why")
    assert any(line.startswith("Still open: ") for line in written)


def test_a_conversation_is_saved_and_gone_on_with(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    first = opening.begin(library)
    written = talk(first, JOB, "fsdp")
    assert str(first.transcript_path) in "".join(written)
    again = opening.begin(library, resume=first.transcript_path)
    assert again.draft.fields == first.draft.fields and again.plan == first.plan
    assert "Going on where the transcript ends." in talk(again, "no, 128")
    assert opening.begin(library, resume=first.transcript_path).draft.fields["cluster.gpus"] == 128


def test_a_conversation_in_which_nothing_is_said_leaves_no_file(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    silent, other = opening.begin(library), opening.begin(library)
    assert not any("transcript is in" in line for line in talk(silent)) and not list(tmp_path.rglob("*.md"))
    talk(other, "pretraining")
    silent.say("finetuning")
    assert len(list(tmp_path.rglob("*.md"))) == 2 and silent.transcript_path != other.transcript_path


def test_a_conversation_that_ended_with_goodbye_replays_as_it_went(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    first = opening.begin(library)
    talk(first, "pretraining", "quit")
    assert not replay_file(first.transcript_path, library).changed


def test_a_question_during_the_warm_up_opens_the_search_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, ready = [], threading.Event()

    def slowly(library: Library, yours: bool) -> Callable[[str], SearchAnswer]:
        opened.append(yours)
        ready.wait(1)
        return lambda question: SearchAnswer(question=question, answered=False, passages=[])

    monkeypatch.setattr(searching, "_open_search", slowly)
    search = searching.lazy_searcher(library)
    warming = threading.Thread(target=search, args=("interconnect",))
    warming.start()
    asked = threading.Thread(target=search, args=("what is RDMA?",))
    asked.start()
    ready.set()
    warming.join()
    asked.join()
    assert len(opened) == 1


def test_the_command_talks_through_a_pipe(tmp_path: Path) -> None:
    code = "from assistant.conversation import plain; raise SystemExit(plain.main())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        input="64 H100s\nquit\n",
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[1],
        env={
            "WEFT_HOME": str(tmp_path),
            "WEFT_CACHE": os.environ["WEFT_CACHE"],
            "PATH": "/usr/bin:/bin",
            "PYTHONUTF8": "1",
        },
    )
    assert done.returncode == 0 and done.stderr == "" and "GPUs: 64" in done.stdout


def test_the_conversation_loads_neither_screen_nor_embedding_model() -> None:
    code = (
        "import sys, json\nfrom assistant import library\nfrom assistant.conversation import Conversation, replay\n"
        f"list(replay(Conversation(library.load()), [{JOB!r}, 'why']))\nprint(json.dumps([m for m in ('torch', "
        f"'sentence_transformers', 'textual') if m in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1]
    )
    assert json.loads(done.stdout) == []


# -- another job -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said", ["now another job: serve llama 3.1 8B on 8 L40S", "Next, we serve llama 3.1 8B on 8 L40S GPUs"]
)
def test_another_job_is_a_new_one_and_says_what_carries_over(begin, said):
    conversation = begin(f"{JOB} for 30 days, our network team is expert, budget 2 M$")
    new = next(e for e in conversation.say(said) if isinstance(e, Note) and "A new job" in e.text)
    assert "Carried over: network skills: expert" in new.text or "network team" in new.text
    fields = conversation.draft.fields
    assert (fields["model"], fields["cluster.gpus"]) == ("llama-3.1-8b", 8)
    assert "budget.usd" not in fields and fields["constraints.network_team"] == "expert"
    assert conversation.plan.recommendation.verdict == "no-network-needed"
