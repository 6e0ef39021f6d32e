"""The new plan is there before the next question: in two steps comes what one step brings, and what is in view comes
first."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from assistant.conversation import Conversation, opening
from assistant.conversation.events import Turn
from assistant.conversation.transcript import document
from assistant.library import Library
from assistant.planning import begun, forget, plan
from assistant.present.blocks import Bullets
from assistant.present.plan.formats import plan_lines
from assistant.present.plan.report import report
from assistant.present.terminal import in_view
from assistant.tui.menu import offered
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire
from tests.at_the_screen import JOB, WIDE, User, at_the_screen
from tests.test_interview import draft_of


def test_in_two_steps_comes_what_one_step_brings(library: Library) -> None:
    whole, parted = Conversation(library), Conversation(library)
    whole.start(), parted.start()
    for said in (JOB, "what if 64 GPUs", "keep it", "not sure", "why", "undo", "start over"):
        first, rest = parted.hear(said), parted.go_on()
        assert whole.say(said) == list(parted.turns[-1].events)
        assert [event.kind for event in (*first, *rest)] == [event.kind for event in parted.turns[-1].events]
        assert parted.plan == whole.plan and parted.question == whole.question and not parted.has_more


def test_the_plan_comes_before_the_question(library: Library) -> None:
    talk = Conversation(library)
    talk.start()
    first = talk.hear(JOB)
    assert [event.kind for event in first] == ["understood", "plan"] and talk.has_more
    assert [event.kind for event in talk.go_on()] == ["question"]
    assert talk.plan is not None and talk.plan.recommendation.headline == first[1].headline


def test_what_was_asked_with_the_job_is_answered_behind_the_plan_and_before_the_next_question(library: Library) -> None:
    events = Conversation(library).say("13b on 2T tokens, we own 12 nodes of 8 A100 with 100GbE, is that enough?")
    kinds = [event.kind for event in events]
    answer = next(n for n, event in enumerate(events) if event.kind == "note" and event.text.startswith("Hardly"))
    assert kinds.index("plan") < answer and answer < max(n for n, kind in enumerate(kinds) if kind == "question")
    assert not next(event for event in events if event.kind == "understood").rest


def test_a_turn_that_was_left_half_done_is_ended_by_the_next_message(library: Library) -> None:
    talk = Conversation(library)
    talk.start()
    talk.hear(JOB)
    talk.hear("warnings")
    talk.go_on()
    assert [turn.said for turn in talk.turns] == [None, JOB, "warnings"] and talk.turns[1].events[-1].kind == "question"


def test_a_plan_that_was_begun_ends_as_the_plan(library: Library) -> None:
    questionnaire = draft_of(library, parallelism__strategy="fsdp", cluster__gpus=32).questionnaire(library.catalog)
    early = begun(questionnaire, library, index=None)
    forget()
    assert early.finished() == plan(questionnaire, library, index=None) and early.finished().recommendation.flips
    assert not early.plan.recommendation.flips and early.plan.candidates == early.finished().candidates


def test_nothing_of_a_plan_is_lost_where_it_is_parted(library: Library) -> None:
    blocks = report(plan(draft_of(library).questionnaire(library.catalog), library, index=None))
    for rows in (1, 20, 45, 80, 10_000):
        shown, below = in_view(blocks, (65, rows))
        assert _texts([*shown, *below]) == _texts(blocks)
    assert in_view(blocks, (0, 0)) == (blocks, [])


def test_the_question_that_was_answered_stands_above_the_answer_alone(library: Library) -> None:
    async def run() -> None:
        async with at_the_screen(lambda: Conversation(library), WIDE) as user:
            await user.until(lambda: not user.talk.busy)
            await user.says("pretraining")
            assert "? What will the cluster do?" in user.reads()
            await user.says("actually 64 GPUs")
            assert "? Which model?" not in user.reads()

    asyncio.run(run())


@dataclass(frozen=True)
class Stuck:
    """A plan that was begun and cannot be finished until ``goes`` is set; ``broken`` for good."""

    plan: Plan
    whole: Plan
    broken: bool = False
    goes: threading.Event = field(default_factory=threading.Event)

    def finished(self) -> Plan:
        if self.broken:
            raise RuntimeError("the abacus is broken")
        assert self.goes.wait(60)
        return self.whole


@pytest.fixture
def stuck(library: Library) -> Callable[..., Stuck]:
    def made(questionnaire: Questionnaire, library: Library, **how: Any) -> Stuck:
        early = begun(questionnaire, library, index=None)
        return Stuck(early.plan, early.finished(), **how)

    return made


def test_a_plan_that_cannot_be_finished_ends_its_turn_all_the_same(
    library: Library, stuck: Callable[..., Stuck]
) -> None:
    recorded: list[Turn] = []
    talk = Conversation(library, planner=partial(stuck, broken=True), record=recorded.append)
    talk.start()
    talk.hear(JOB)
    failure, question = talk.go_on()
    assert (
        "the abacus is broken" in failure.text
        and "Nothing was changed" not in failure.text
        and question.kind == "question"
    )
    assert (
        recorded[-1].said == JOB
        and talk.draft.fields["cluster.gpus"] == 16
        and talk.plan is not None
        and not talk.has_more
    )
    assert [event.kind for event in talk.say("warnings")] == ["note"]


def test_an_error_while_a_message_is_worked_out_leaves_everything_as_it_was(library: Library) -> None:
    broken = []

    def planner(questionnaire: Questionnaire, library: Library) -> Plan:
        if broken:
            raise RuntimeError("the abacus is broken")
        return plan(questionnaire, library, index=None)

    talk = Conversation(library, planner=planner)
    talk.start(), talk.say(JOB), talk.say("no, 32 GPUs")
    fields, shown = talk.draft.fields, talk.plan
    broken.append(True)
    for said in ("no, 64 GPUs", "undo"):
        with pytest.raises(RuntimeError):
            talk.hear(said)
        assert talk.draft.fields == fields and talk.plan is shown and not talk.has_more and talk.go_on() == []
    broken.clear()
    talk.say("undo")
    assert talk.draft.fields["cluster.gpus"] == 16 and [turn.said for turn in talk.turns] == [
        None,
        JOB,
        "no, 32 GPUs",
        "undo",
    ]


def test_a_message_whose_plan_was_seen_is_not_lost_when_the_program_ends_at_once(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    for path in (tmp_path / "first.md", tmp_path / "later.md"):
        talk = opening.begin(library, transcript=path)
        talk.start()
        if path.stem == "later":
            talk.say("pretraining")
        talk.hear(JOB)  # and the program ends here
        assert not talk.silent
        again = opening.begin(library, resume=path)
        assert again.draft.fields == talk.draft.fields and again.turns[-1].said == JOB
        assert opening.begin(library, resume=path).plan == again.plan


def test_a_message_that_was_cut_off_while_it_was_written_is_not_said_again(library: Library, tmp_path: Path) -> None:
    talk = opening.begin(library, transcript=tmp_path / "talk.md")
    talk.start(), talk.hear("pretraining on 64 H100s")
    text = (tmp_path / "talk.md").read_text(encoding="utf-8")
    assert document.parse(text).unanswered == "pretraining on 64 H100s"
    assert document.parse(text[:-8]).unanswered is None


def test_what_is_copied_while_the_plan_is_worked_out_is_the_finished_plan(
    library: Library, stuck: Callable[..., Stuck]
) -> None:
    made: list[Stuck] = []

    def planner(questionnaire: Questionnaire, library: Library) -> Stuck:
        made.append(stuck(questionnaire, library))
        return made[-1]

    async def run() -> None:
        async with at_the_screen(lambda: Conversation(library, planner=planner), WIDE) as user:
            await user.types(JOB)
            await user.hits("enter")
            await user.until(lambda: made and user.talk.panel.plan.plan is made[0].plan)
            copy = next(command for command in offered(user.talk, user.app) if command.name == "Copy the plan")
            copy.run()
            assert not user.app.clipboard
            made[0].goes.set()
            await user.until(lambda: not user.talk.busy)
            assert user.app.clipboard == "\n".join(plan_lines(made[0].whole)) != "\n".join(plan_lines(made[0].plan))

    asyncio.run(run())


def test_after_starting_over_nothing_of_the_old_plan_is_left_on_any_tab(library: Library) -> None:
    async def run() -> None:
        async with at_the_screen(lambda: Conversation(library), WIDE) as user:
            await user.says(JOB)
            panel = user.talk.panel
            assert panel.plots.plan is user.talk.conversation.plan and panel._proofs and _below(user)
            await user.says("start over")
            assert panel.plots.plan is None and not panel._proofs and not _below(user)
            await user.press("f6")
            assert "as soon as there is a plan" in user.reads()

    asyncio.run(run())


def test_a_planner_that_gives_the_whole_plan_at_once_fills_every_tab(library: Library) -> None:
    async def run() -> None:
        whole = lambda questionnaire, library: plan(questionnaire, library, index=None)
        async with at_the_screen(lambda: Conversation(library, planner=whole), WIDE) as user:
            await user.says(JOB)
            panel = user.talk.panel
            assert panel.plots.plan is user.talk.conversation.plan and panel._proofs and _below(user)
            first = _below(user)
            await user.says("no, 64 GPUs")
            assert panel.plots.plan is user.talk.conversation.plan and _below(user) is not first

    asyncio.run(run())


def _below(user: User) -> object:
    """What stands below the edge of the plan's panel."""
    return user.app.query_one("#plan-rest").content


def _texts(blocks: list) -> list[str]:
    """Titles, items and the other blocks in their order."""
    return [text for block in blocks for text in (block.items if isinstance(block, Bullets) else [repr(block)])]
