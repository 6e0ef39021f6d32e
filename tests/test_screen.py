"""The conversation on the full screen, used as a person uses it: with keys, on the real screen, over the real planner."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import os
import select
import subprocess
import sys
import threading

import pytest

pytest.importorskip("textual")

from assistant.conversation import Conversation, opening  # noqa: E402
from assistant.tui.app import WeftApp  # noqa: E402
from assistant.tui.conversation_screen import ConversationScreen  # noqa: E402
from assistant.tui.help_screen import HelpScreen  # noqa: E402
from assistant.tui.log import LIVE_EXCHANGES, Exchange  # noqa: E402
from assistant.tui.source_screen import SourceScreen  # noqa: E402
from assistant.vocabulary.errors import InputError  # noqa: E402

JOB = "pretraining llama 3.1 8b on 16 h100"
NARROW, WIDE, VERY_WIDE = (80, 24), (160, 50), (200, 60)
PATIENCE = 1500  # looks at the screen, 20 ms apart, before something is taken never to come


class User:
    """Presses keys and reads the screen."""

    def __init__(self, pilot):
        self.pilot, self.app, self.talk = pilot, pilot.app, pilot.app.talk

    async def until(self, condition):
        for _ in range(PATIENCE):
            if condition():
                break
            await self.pilot.pause(0.02)
        assert condition(), f"never came; the screen shows:\n{self.sees()}"
        await self.pilot.pause()

    async def press(self, *keys):
        await self.pilot.press(*keys)
        await self.until(lambda: not self.talk.busy)

    async def types(self, text):
        await self.pilot.press(*(_KEYS.get(character, character) for character in text))

    async def says(self, text):
        await self.types(text)
        await self.press("enter")

    def sees(self):
        """The text on the screen, line by line."""
        strips = self.app.screen._compositor.render_strips()
        return "\n".join("".join(segment.text for segment in strip).rstrip() for strip in strips)

    def reads(self):
        """The text on the screen without the line breaks and the signs at the edges."""
        return " ".join(self.sees().replace("▌", " ").split())


_KEYS = {" ": "space", ",": "comma", ".": "full_stop", "-": "minus", "[": "left_square_bracket", "]": "right_square_bracket",
         "/": "slash", "=": "equals_sign", "@": "at", "(": "left_parenthesis", ")": "right_parenthesis", "'": "apostrophe",
         "$": "dollar_sign", "\\": "backslash", "&": "ampersand", "#": "number_sign", "?": "question_mark"}


@contextlib.asynccontextmanager
async def at_the_screen(conversation_factory, size=WIDE, **options):
    app = WeftApp(conversation_factory, **{"grace_s": 0, **options})
    async with app.run_test(size=size) as pilot:
        user = User(pilot)
        await user.until(lambda: not user.talk.busy)
        yield user


def on_screen(test):
    """Runs a test that waits for the screen."""

    @functools.wraps(test)
    def run(*args, **kwargs):
        asyncio.run(test(*args, **kwargs))

    return run


@pytest.fixture
def begin(library):
    """What opens a conversation."""
    return lambda: Conversation(library)


@on_screen
async def test_a_whole_interview_by_keyboard_alone_ends_in_a_plan(begin):
    async with at_the_screen(begin) as user:
        assert "What will the cluster do?" in user.sees()
        await user.press("1", "enter")
        await user.says("llama 3.1 8b")
        await user.says("h100")
        await user.says("16")
        plan = user.talk.conversation.plan
        assert plan.recommendation.fabric in user.sees().splitlines()[0]
        assert f"{plan.recommendation.confidence:.0%} sure" in user.sees().splitlines()[0]
        for _ in range(40):
            if user.talk.conversation.question is None:
                break
            await user.press("f9")
        assert user.talk.conversation.question is None and "ask: why" in user.sees()


@on_screen
async def test_everything_said_at_once_needs_no_question(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        assert user.talk.conversation.draft.fields["cluster.gpus"] == 16
        assert "Understood:" in user.sees() and "✓" in user.sees()


@on_screen
async def test_a_number_marks_its_choice_and_enter_takes_it(begin):
    async with at_the_screen(begin) as user:
        second = user.talk.question_view.offers[1]
        await user.press("2")
        assert f"▸ 2 {second.label}" in user.sees() and f"Enter takes: {second.label}" in user.sees()
        assert user.talk.conversation.draft.fields == {}
        await user.press("enter")
        assert user.talk.conversation.draft.fields == {"workload": "finetuning"}
        assert f"› {second.label}" in user.sees()


@on_screen
async def test_arrow_keys_walk_through_the_choices_and_around_their_ends(begin):
    async with at_the_screen(begin) as user:
        last = user.talk.question_view.offers[-1]
        await user.press("up")
        assert user.talk.question_view.marked == last
        await user.press("down", "down", "enter")
        assert user.talk.conversation.draft.fields == {"workload": "finetuning"}


@on_screen
async def test_enter_alone_answers_nothing(begin):
    async with at_the_screen(begin) as user:
        await user.press("enter", "enter")
        assert user.talk.conversation.draft.fields == {} and len(user.talk.conversation.turns) == 1


@on_screen
async def test_a_number_that_goes_on_is_an_answer_and_no_choice(begin):
    async with at_the_screen(begin) as user:
        await user.press("1", "enter")
        await user.says("llama 3.1 8b")
        await user.says("h100")
        assert "How many GPUs" in user.sees()
        assert not any(offer.key.isdigit() for offer in user.talk.question_view.offers if offer.choice)
        await user.says("64")
        assert user.talk.conversation.draft.fields["cluster.gpus"] == 64


@on_screen
async def test_a_letter_takes_a_choice_where_numbers_are_answers(begin):
    async with at_the_screen(begin) as user:
        await user.says("pretraining llama 3.1 8b on h100")
        first = user.talk.question_view.offers[0]
        assert first.key == "a" and first.label[0].isdigit()
        await user.press("a", "enter")
        assert "cluster.gpus" in user.talk.conversation.draft.fields


@on_screen
async def test_a_click_takes_a_choice(begin):
    async with at_the_screen(begin) as user:
        await user.pilot.click("#choices", offset=(6, 1))
        await user.until(lambda: not user.talk.busy and user.talk.conversation.draft.fields)
        assert user.talk.conversation.draft.fields == {"workload": "finetuning"}


@on_screen
async def test_not_sure_leaves_a_question_open_and_says_what_is_assumed(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        question = user.talk.conversation.question
        assert question.not_sure and "0 Not sure" in user.sees()
        await user.press("0", "enter")
        assert question.field in user.talk.conversation.draft.left_open
        assert user.talk.conversation.question != question and "› not sure" in user.sees()


@on_screen
async def test_going_back_shows_the_question_again_with_its_answer(begin):
    async with at_the_screen(begin) as user:
        await user.press("1", "enter")
        await user.press("f5")
        assert user.talk.conversation.question.field == "workload"
        assert "Your answer so far:" in user.sees()
        await user.press("2", "enter")
        assert user.talk.conversation.draft.fields["workload"] == "finetuning"


@on_screen
async def test_undo_takes_the_last_answer_back(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        assert user.talk.conversation.plan is not None
        await user.press("f8")
        assert user.talk.conversation.plan is None
        assert "Taken back" in user.sees() and "% sure" not in user.sees()


@on_screen
async def test_a_source_opens_with_its_verdict_and_what_holds_instead(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.until(lambda: user.talk.knowledge is not None)
        doubtful = next(e for e in user.talk.conversation.plan.evidence if e.correction)
        await user.press("f4")
        sources = user.talk.panel.sources
        await user.until(lambda: sources.has_focus)
        while sources.marked_key != f"cited:{doubtful.id}":
            await user.press("down")
        await user.press("enter")
        assert isinstance(user.app.screen, SourceScreen)
        page = user.reads()
        assert doubtful.verdict in page and "What holds:" in page and "Who gains:" in page
        assert " ".join(doubtful.correction.split())[:40] in page
        await user.press("escape", "escape")
        assert user.app.screen is user.talk and user.talk.prompt.has_focus


@on_screen
async def test_every_source_of_the_knowledge_base_can_be_opened_before_there_is_a_plan(begin, library):
    async with at_the_screen(begin) as user:
        await user.until(lambda: user.talk.knowledge is not None)
        assert user.talk.panel.sources.option_count == len(library.knowledge.sources) + 1
        await user.press("f4")
        await user.until(lambda: user.talk.panel.sources.has_focus)
        await user.press("end", "enter")
        last = max(library.knowledge.sources.values(), key=lambda source: source.title)
        assert isinstance(user.app.screen, SourceScreen) and last.title.split(":")[0] in user.reads()


@on_screen
async def test_why_is_a_tree_that_leads_from_the_answer_to_a_source(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.says("why")
        assert "whole proof with its facts" in user.sees()
        await user.press("f3")
        why = user.talk.panel.why
        await user.until(lambda: why.has_focus)
        for _ in range(60):
            reason = why.marked_reason
            if reason.source:
                break
            await user.press("right" if reason.children and not why.is_open else "down")
        assert reason.source and "↗" in user.sees()
        await user.press("enter")
        assert isinstance(user.app.screen, SourceScreen) and reason.source in user.reads()


@on_screen
async def test_every_finding_of_the_plan_is_in_the_proof(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        plan = user.talk.conversation.plan
        assert plan.findings and {finding.rule for finding in plan.findings} <= set(_rules(user.talk.panel.why.roots))


def _rules(reasons):
    for reason in reasons:
        if reason.kind == "rule":
            yield reason.id
        yield from _rules(reason.children)


@on_screen
async def test_on_a_small_screen_the_plan_takes_the_place_of_the_conversation(begin):
    async with at_the_screen(begin, NARROW) as user:
        await user.says(JOB)
        assert "Candidates" not in user.sees() and "Understood:" in user.sees()
        await user.press("f2")
        await user.until(lambda: user.talk.panel.plan.has_focus)
        assert "Candidates" in user.sees() and "Understood:" not in user.sees()
        await user.press("f2")
        await user.until(lambda: user.talk.prompt.has_focus)
        assert "Candidates" not in user.sees()


@pytest.mark.parametrize("size", [WIDE, VERY_WIDE])
@on_screen
async def test_on_a_large_screen_the_plan_grows_beside_the_conversation(begin, size):
    async with at_the_screen(begin, size) as user:
        assert "○ model: not yet" in user.sees()
        await user.press("1", "enter")
        assert "✓ kind of job: pretraining" in user.sees()
        await user.says("llama 3.1 8b on 16 h100")
        assert "Candidates" in user.sees() and "Understood:" in user.sees()


@on_screen
async def test_a_terminal_that_changes_its_size_keeps_everything(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.types("a half-typed thought")
        for size in (NARROW, VERY_WIDE, (40, 12), WIDE):
            await user.pilot.resize_terminal(*size)
            await user.pilot.pause(0.1)
            assert max(len(line) for line in user.sees().splitlines()) <= size[0]
        assert user.talk.prompt.text == "a half-typed thought"
        assert "Understood:" in user.sees() and "Candidates" in user.sees()


@pytest.mark.parametrize("typed", ["[red]hot[/red] [/] [@click=app.quit]x[/]", "\\[b] $accent [bold",
                                   "a\x1b[31mred\x07\u202ehidden"])
@on_screen
async def test_what_is_typed_is_shown_and_never_obeyed(begin, typed):
    async with at_the_screen(begin) as user:
        user.talk.prompt.text = typed
        await user.press("enter")
        shown = user.reads()
        assert "\x1b" not in shown and "\u202e" not in shown
        assert "[red]hot[/red]" in shown or "[b] $accent" in shown or "hidden" in shown
        assert user.app.is_running and not user.app._exit


@on_screen
async def test_a_line_break_is_typed_with_ctrl_j_and_enter_sends_both_lines(begin):
    async with at_the_screen(begin) as user:
        await user.types("pretraining llama 3.1 8b")
        await user.press("ctrl+j")
        await user.says("on 16 h100")
        assert user.talk.conversation.draft.fields["cluster.gpus"] == 16
        assert user.talk.conversation.draft.fields["model"] == "llama-3.1-8b"


@pytest.mark.parametrize("theme", ["dark", "light"])
@on_screen
async def test_without_colour_the_screen_is_in_the_terminals_own_two_colours(begin, theme, monkeypatch):
    monkeypatch.setenv("NO_COLOR", "1")
    async with at_the_screen(begin, theme=theme) as user:
        await user.press("1")
        assert "▸ 1" in user.sees()
        await user.press("escape")
        await user.says(JOB)
        colours = {str(colour.name) for strip in user.app.screen._compositor.render_strips() for segment in strip if segment.style
                   for colour in (segment.style.color, segment.style.bgcolor) if colour is not None}
        assert colours <= {"default"}
        assert "✓" in user.sees().splitlines()[0]


@on_screen
async def test_light_and_dark_can_be_changed_from_the_menu(begin):
    async with at_the_screen(begin) as user:
        assert user.app.current_theme.dark
        await user.press("ctrl+p")
        await user.types("light")
        await user.until(lambda: "Change the colours" in user.sees())
        await user.pilot.pause(0.3)
        await user.press("enter")
        await user.until(lambda: not user.app.current_theme.dark)


@on_screen
async def test_the_plan_is_saved_from_the_menu(begin, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.press("ctrl+p")
        await user.types("markdown")
        await user.until(lambda: "A document to hand on" in user.sees())
        await user.pilot.pause(0.3)
        await user.press("enter")
        await user.until(lambda: list(tmp_path.glob("*.md")))
        saved = next(tmp_path.glob("*.md"))
        await user.until(lambda: "Saved as" in user.sees())
        assert user.talk.conversation.plan.recommendation.fabric in saved.read_text(encoding="utf-8")


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
        await pilot.press("enter")
        assert app.talk.conversation is None and JOB in user.sees() and "what you typed stays here" in user.sees()
        loaded.set()
        await user.until(lambda: not app.talk.busy)
        assert app.talk.prompt.text == JOB and "What will the cluster do?" in user.sees()
        await user.press("enter")
        assert app.talk.conversation.plan is not None


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
async def test_a_question_about_the_field_lists_passages_that_can_be_opened(library, index):
    from assistant import retrieval

    def begin_with_search():
        return Conversation(library, searcher=lambda question: retrieval.ask(question, library, index))

    async with at_the_screen(begin_with_search) as user:
        await user.says("how many bytes does an all-reduce send?")
        await user.press("f4")
        await user.until(lambda: user.talk.panel.sources.has_focus)
        assert "Found for" in user.sees()
        await user.press("enter")
        assert isinstance(user.app.screen, SourceScreen)


@on_screen
async def test_a_key_already_in_flight_does_not_answer_a_question_that_has_just_appeared(begin):
    async with at_the_screen(begin, grace_s=3600) as user:
        await user.press("1", "enter")
        assert user.talk.conversation.draft.fields == {} and "has just appeared" in user.sees()
        user.talk._grace_s = 0
        await user.press("enter")
        assert user.talk.conversation.draft.fields == {"workload": "pretraining"}


@on_screen
async def test_typing_goes_on_while_a_plan_is_worked_out(library):
    from assistant.planning import plan

    working, go_on = threading.Event(), threading.Event()

    def slow(questionnaire, library):
        working.set()
        go_on.wait()
        return plan(questionnaire, library)

    async with at_the_screen(lambda: Conversation(library, planner=slow)) as user:
        await user.types(JOB)
        await user.pilot.press("enter")
        working.wait()
        assert "working it out" in user.sees()
        await user.types("why")
        await user.pilot.press("enter")
        assert user.talk.prompt.text == "why" and user.talk.busy
        go_on.set()
        await user.until(lambda: not user.talk.busy)
        await user.press("enter")
        assert "whole proof with its facts" in user.sees()


@on_screen
async def test_an_error_inside_is_one_calm_sentence_and_the_conversation_goes_on(library):
    def failing(questionnaire, library):
        raise RuntimeError("the abacus is broken [/bold]")

    async with at_the_screen(lambda: Conversation(library, planner=failing)) as user:
        await user.says(JOB)
        assert "That did not work" in user.sees() and "[/bold]" in user.sees() and "Traceback" not in user.sees()
        await user.press("1", "enter")
        assert user.talk.conversation.draft.fields == {"workload": "pretraining"}


@on_screen
async def test_a_what_if_is_marked_as_only_tried_until_it_is_kept(begin):
    async with at_the_screen(begin) as user:
        await user.says(JOB)
        await user.says("what if we had 64 gpus")
        assert "what if" in user.sees().splitlines()[0] and "Only tried, not taken" in user.sees()
        assert user.talk.conversation.draft.fields["cluster.gpus"] == 16
        await user.says("keep it")
        assert user.talk.conversation.draft.fields["cluster.gpus"] == 64
        assert "what if" not in user.sees().splitlines()[0]


@on_screen
async def test_a_long_conversation_keeps_few_exchanges_live_and_page_up_brings_the_others_back(library):
    def long():
        conversation = Conversation(library)
        conversation.start()
        for number in range(3 * LIVE_EXCHANGES):
            conversation.say(f"help {number}")
        return conversation

    async with at_the_screen(long) as user:
        assert len(user.talk.query(Exchange)) <= LIVE_EXCHANGES
        await user.until(lambda: f"› help {3 * LIVE_EXCHANGES - 1}" in user.sees())
        for _ in range(200):
            if "› help 0" in user.sees():
                break
            await user.press("pageup")
        assert "› help 0" in user.sees()
        await user.says("help again")
        await user.until(lambda: "› help again" in user.sees())
        assert len(user.talk.query(Exchange)) <= LIVE_EXCHANGES


@on_screen
async def test_help_is_about_what_has_the_keyboard(begin):
    async with at_the_screen(begin) as user:
        await user.press("f1")
        assert isinstance(user.app.screen, HelpScreen) and "Answering" in user.sees() and "Everywhere" in user.sees()
        await user.press("escape")
        await user.press("f4")
        await user.until(lambda: user.talk.panel.sources.has_focus)
        await user.press("f1")
        assert "What your last question found" in user.sees()


@on_screen
async def test_what_was_typed_before_comes_back_with_the_arrow_keys(begin):
    async with at_the_screen(begin) as user:
        await user.says("hello there")
        await user.press("ctrl+up")
        assert user.talk.prompt.text == "hello there"
        await user.press("escape")
        assert user.talk.prompt.text == ""


@on_screen
async def test_on_a_small_screen_an_answer_in_between_gets_the_room_of_the_choices_until_a_key_wants_them(begin):
    async with at_the_screen(begin, NARROW) as user:
        first = user.talk.question_view.offers[0].label
        assert first in user.sees()
        await user.says("help")
        assert first not in user.sees() and "What will the cluster do?" in user.sees()
        await user.press("down")
        assert f"▸ 1 {first}" in user.sees()


@on_screen
async def test_a_long_answer_is_read_from_its_beginning(begin):
    async with at_the_screen(begin, NARROW) as user:
        await user.says(JOB)
        await user.says("compare roce and infiniband")
        await user.until(lambda: "› compare roce and infiniband" in user.sees())


@on_screen
async def test_saying_goodbye_leaves(begin):
    async with at_the_screen(begin) as user:
        await user.types("quit")
        await user.pilot.press("enter")
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
    while "Ctrl+Q".encode() not in shown or "loading the search".encode() not in shown:
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


def _read(terminal):
    assert select.select([terminal], [], [], 60)[0], "nothing came from the terminal for a minute"
    return os.read(terminal, 65536)


def test_the_conversation_is_the_first_screen():
    assert isinstance(WeftApp(lambda: None).get_default_screen(), ConversationScreen)
