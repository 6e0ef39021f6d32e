"""The full screen from its first frame to its end: loading, working beside the keys, saving, errors, leaving."""

from __future__ import annotations

import contextlib
import os
import select
import subprocess
import sys
import threading

import pytest

pytest.importorskip("textual")

from assistant.conversation import Conversation, opening
from assistant.tui.app import WeftApp
from assistant.tui.conversation_screen import ConversationScreen
from assistant.tui.log import LIVE_EXCHANGES, Exchange
from assistant.vocabulary.errors import InputError
from tests.at_the_screen import JOB, PATIENCE, WIDE, User, at_the_screen, on_screen


@on_screen
async def test_the_plan_is_saved_from_the_menu(begin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.press("ctrl+p")
        await user.types("markdown")
        await user.until(lambda: "A document to hand on" in user.sees() and "The contract" not in user.sees())
        await user.press("enter")
        await user.until(lambda: list(tmp_path.glob("*.md")))
        saved = next(tmp_path.glob("*.md"))
        await user.until(lambda: "The plan is in" in user.sees())
        plan = user.talk.conversation.plan
        assert plan.names[plan.recommendation.fabric] in saved.read_text(encoding="utf-8")


@on_screen
async def test_the_transcript_is_saved_as_it_goes_and_the_screen_says_where(library, tmp_path, monkeypatch):
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    async with at_the_screen(lambda: opening.begin(library)) as user:
        path = user.talk.conversation.transcript_path
        assert path.is_relative_to(tmp_path) and path.name in user.sees()
        await user.says(JOB)
        assert JOB.split()[0] in path.read_text(encoding="utf-8")
    async with at_the_screen(lambda: opening.begin(library, resume=path)) as again:
        assert f"› {JOB}" in again.sees() and "Candidates" in again.sees()


@on_screen
async def test_a_transcript_that_cannot_be_read_ends_the_program_with_its_sentence(library, tmp_path):
    app = WeftApp(lambda: opening.begin(library, resume=tmp_path / "missing.md"))
    async with app.run_test() as pilot:
        for _ in range(PATIENCE):
            if app.failure is not None:
                break
            await pilot.pause(0.02)
    assert isinstance(app.failure, InputError) and "missing.md" in str(app.failure) and app.return_value == 1


def _read(terminal):
    assert select.select([terminal], [], [], 60)[0], "nothing came from the terminal for a minute"
    return os.read(terminal, 65536)


@on_screen
async def test_the_screen_stands_and_takes_text_before_the_library_is_loaded(begin):
    loaded = threading.Event()

    def slow():
        loaded.wait()
        return begin()

    app = WeftApp(slow, grace_s=0)
    async with app.run_test(size=WIDE) as pilot:
        user = User(pilot)
        await user.types(JOB)
        await user.hits("enter")
        assert app.talk.conversation is None and "One moment; next: “pretraining llama" in user.sees()
        loaded.set()
        await user.until(lambda: not app.talk.busy)
        assert app.talk.prompt.text == "" and f"› {JOB}" in user.sees() and app.talk.conversation.plan is not None


@on_screen
async def test_the_search_loads_beside_the_first_questions_and_its_absence_is_one_sentence(begin):
    asked = threading.Event()

    def broken(conversation):
        asked.wait()
        raise InputError("the search needs torch, which is not installed")

    async with at_the_screen(begin, warm_search=broken) as user:
        assert "loading the search" in user.sees()
        await user.press("1", "enter")
        assert user.talk.conversation.draft.fields == {"workload": "pretraining"}
        asked.set()
        await user.until(lambda: "search is off" in user.sees())


@on_screen
async def test_what_is_typed_while_a_plan_is_worked_out_is_said_in_its_order_afterwards(library):
    from assistant.planning import plan

    working, go_on = threading.Event(), threading.Event()

    def slow(questionnaire, library):
        working.set()
        go_on.wait()
        return plan(questionnaire, library)

    async with at_the_screen(lambda: Conversation(library, planner=slow)) as user:
        await user.types(JOB)
        await user.hits("enter")
        working.wait()
        assert "working it out" in user.sees()
        await user.types("1")
        await user.hits("enter")
        assert user.talk.prompt.text == "1" and user.talk.busy, (
            "a key of a question that is not there yet answers nothing"
        )
        await user.hits("backspace")
        for text in ("we have spot machines", "why", "facts"):
            await user.types(text)
            await user.hits("enter")
        assert user.talk.prompt.text == "" and "next: “we have spot machines” and 2 more" in user.sees()
        go_on.set()
        await user.until(lambda: not user.talk.busy)
        assert [turn.said for turn in user.talk.conversation.turns[-3:]] == ["we have spot machines", "why", "facts"]


@on_screen
async def test_an_error_inside_is_one_calm_sentence_and_the_conversation_goes_on(library):
    def failing(questionnaire, library):
        raise RuntimeError("the abacus is broken [/bold]")

    async with at_the_screen(lambda: Conversation(library, planner=failing)) as user:
        await user.says(JOB)
        assert "That did not work" in user.sees() and "[/bold]" in user.sees() and "Traceback" not in user.sees()
        await user.press("1", "enter")
        assert user.talk.conversation.draft.fields == {"workload": "pretraining"}


SAID = 2 * LIVE_EXCHANGES + 2  # so that page up brings others back twice


@on_screen
async def test_a_long_conversation_keeps_few_exchanges_live_and_page_up_brings_the_others_back(library):
    def long():
        conversation = Conversation(library)
        conversation.start()
        for number in range(SAID):
            conversation.say(f"help {number}")
        return conversation

    async with at_the_screen(long) as user:
        assert len(user.talk.query(Exchange)) <= LIVE_EXCHANGES
        await user.until(lambda: f"› help {SAID - 1}" in user.sees())
        for _ in range(200):
            if "› help 0" in user.sees():
                break
            await user.press("pageup")
        assert "› help 0" in user.sees()
        await user.says("help again")
        await user.until(lambda: "› help again" in user.sees())
        assert len(user.talk.query(Exchange)) <= LIVE_EXCHANGES


@on_screen
async def test_saying_goodbye_leaves(begin):
    async with at_the_screen(begin) as user:
        await user.types("quit")
        await user.hits("enter")
        await user.until(lambda: user.app._exit)
        assert user.app.return_value == 0


def test_the_first_screen_loads_neither_library_nor_model():
    """What is not imported cannot hold up the first screen."""
    late = ("torch", "sentence_transformers", "numpy", "pydantic", "assistant.conversation", "assistant.library")
    code = f"import sys, assistant.tui.app; print([name for name in {late} if name in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True)
    assert ended.stdout.strip() == "[]"


def test_leaving_while_the_search_still_loads_is_quiet_and_at_once():
    """In a real terminal: the question appears, Ctrl+Q ends the program with exit code 0 and nothing on the shell."""
    pty = pytest.importorskip("pty")
    program, terminal = pty.fork()
    if program == 0:
        os.environ.pop("NO_COLOR", None)
        os.environ["TERM"] = "xterm-256color"
        os.execv(sys.executable, [sys.executable, "-m", "assistant"])
    shown = b""
    while b"^Q" not in shown or b"loading the search" not in shown:
        shown += _read(terminal)
    os.write(terminal, b"\x11")
    rest = b""
    with contextlib.suppress(OSError):  # Linux reports the end of a terminal as an error
        while chunk := _read(terminal):
            rest += chunk
    _, status = os.waitpid(program, 0)
    after = rest.rpartition(b"\x1b[?1049l")[2]  # what follows the alternate screen is on the user's shell
    assert os.waitstatus_to_exitcode(status) == 0
    assert b"Traceback" not in rest and b"terminate called" not in rest and b"Building" not in after


def test_the_conversation_is_the_first_screen():
    assert isinstance(WeftApp(lambda: None).get_default_screen(), ConversationScreen)
