"""The new plan is there before the next question: in two steps comes what one step brings, and what is in view comes first."""

from __future__ import annotations

import asyncio

from assistant.conversation import Conversation
from assistant.library import Library
from assistant.planning import begun, plan
from assistant.present.report import Bullets, report
from assistant.present.terminal import in_view
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
    assert early.finished() == plan(questionnaire, library, index=None) and early.finished().recommendation.flips
    assert not early.plan.recommendation.flips and early.plan.candidates == early.finished().candidates


def test_nothing_of_a_plan_is_lost_where_it_is_parted(library: Library) -> None:
    sections = report(plan(draft_of(library).questionnaire(library.catalog), library, index=None))
    for rows in (1, 20, 45, 80, 10_000):
        shown, below = in_view(sections, (65, rows))
        assert _texts([*shown, *below]) == _texts(sections)
    assert in_view(sections, (0, 0)) == (sections, [])


def test_the_question_that_was_answered_stands_above_the_answer_alone(library: Library) -> None:
    async def run() -> None:
        async with at_the_screen(lambda: Conversation(library), WIDE) as user:
            await user.until(lambda: not user.talk.busy)
            await user.says("pretraining")
            assert "? What will the cluster do?" in user.reads()
            await user.says("actually 64 GPUs")
            assert "? Which model?" not in user.reads()

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
        whole = lambda questionnaire, library: plan(questionnaire, library, index=None)  # noqa: E731
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


def _texts(sections: list) -> list[str]:
    """Titles, items and the other blocks in their order."""
    found = []
    for section in sections:
        found += [section.title] if section.title else []
        for block in section.blocks:
            found += block.items if isinstance(block, Bullets) else [repr(block)]
    return found
