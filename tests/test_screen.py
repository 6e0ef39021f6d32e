"""The conversation on the full screen: answering with keys, words and the mouse."""

from __future__ import annotations

import re

import pytest

pytest.importorskip("textual")

from assistant.tui.flow import parts
from tests.at_the_screen import JOB, NARROW, at_the_screen, on_screen


@on_screen
async def test_a_whole_interview_by_keyboard_alone_ends_in_a_plan(begin):
    async with at_the_screen(begin) as user:
        assert "What will the cluster do?" in user.sees()
        await user.press("1", "enter")
        await user.says("llama 3.1 8b")
        await user.says("h100")
        await user.says("16")
        plan = user.talk.conversation.plan
        network = user.talk.conversation.library.catalog.fabrics[plan.recommendation.fabric]
        assert network.name in user.sees().splitlines()[0]
        assert plan.recommendation.certainty in user.sees().splitlines()[0]
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
        assert question.not_sure and "0 No limit yet" in user.sees()
        await user.press("0", "enter")
        assert question.field in user.talk.conversation.draft.left_open
        assert user.talk.conversation.question != question and "› No limit yet" in user.sees()


@on_screen
async def test_the_choices_stay_in_view_on_a_small_screen_beside_a_plan_and_an_answer(begin):
    async with at_the_screen(begin, NARROW) as user:
        await user.says(JOB)
        assert "Because: " in user.sees() and "0 No limit yet" in user.sees()
        assert "Changes if " in user.sees(), "the card of the finished plan"
        await user.press("0", "enter")
        assert "3 AWS" in user.sees()
        await user.says("why do you ask?")
        assert "3 AWS · 4" in user.sees() and "0 Not sure" in user.sees()


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
        assert "Taken back" in user.sees() and not re.search("clear|close|toss-up", user.sees().splitlines()[0])


@on_screen
async def test_a_line_break_is_typed_with_ctrl_j_and_enter_sends_both_lines(begin):
    async with at_the_screen(begin) as user:
        await user.types("pretraining llama 3.1 8b")
        await user.press("ctrl+j")
        await user.says("on 16 h100")
        assert user.talk.conversation.draft.fields["cluster.gpus"] == 16
        assert user.talk.conversation.draft.fields["model"] == "llama-3.1-8b"


@on_screen
async def test_a_key_already_in_flight_does_not_answer_a_question_that_has_just_appeared(begin):
    async with at_the_screen(begin, grace_s=3600) as user:
        await user.press("1", "enter")
        assert user.talk.conversation.draft.fields == {"workload": "pretraining"}, (
            "nothing was in flight before the first question"
        )
        await user.says("llama 3.1 8b")
        assert "model" not in user.talk.conversation.draft.fields and "has just appeared" in user.sees()
        user.talk._grace_s = 0
        await user.press("enter")
        assert user.talk.conversation.draft.fields["model"] == "llama-3.1-8b"


@on_screen
async def test_what_was_typed_before_comes_back_with_the_arrow_keys(begin):
    async with at_the_screen(begin) as user:
        await user.says("hello there")
        await user.press("ctrl+up")
        assert user.talk.prompt.text == "hello there"
        await user.press("escape")
        assert user.talk.prompt.text == ""


@on_screen
async def test_the_newest_answer_is_in_view_until_one_scrolls_away(begin):
    async with at_the_screen(begin, size=NARROW) as user:
        for said in (JOB, "warnings", "assumptions", "why"):
            await user.says(said)
            await user.until(lambda said=said: said.split()[0] in user.sees())
        log = user.talk.log_view
        await user.press("pageup")
        await user.until(lambda: log.scroll_y < log.max_scroll_y)
        where = log.scroll_y
        log.go_on([parts("more came back")])
        await user.pilot.resize_terminal(81, 24)
        await user.rests()
        assert abs(log.scroll_y - where) < 5, "whoever scrolled stays there"
        await user.says("help")
        await user.until(lambda: "› help" in user.sees())
