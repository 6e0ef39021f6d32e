"""The dials on the full screen: turned with the arrow keys, taken with Enter, left with Escape."""

from __future__ import annotations

import pytest

pytest.importorskip("textual")

from tests.at_the_screen import JOB, NARROW, at_the_screen, on_screen


@on_screen
async def test_a_dial_is_turned_with_the_arrow_keys_taken_with_enter_and_left_with_escape(begin):
    async with at_the_screen(begin, size=NARROW) as user:
        await user.hits("ctrl+d")
        assert "as soon as there is a plan" in user.reads()
        await user.says(JOB)
        await user.hits("ctrl+d", "right")
        dials, conversation = user.talk.panel.plan.dials, user.talk.conversation
        await user.until(lambda: dials.point is not None)
        assert "GPUs: ◂ 24 ▸ now 16" in user.reads() and "▼ 24" in user.reads() and "Certainty: " in user.reads()
        assert dials.point.card.cost in user.reads()
        await user.until(lambda: "·" not in user.sees().split("▼")[1].splitlines()[1])  # every value is worked out
        await user.press("enter")
        assert conversation.turns[-1].said == "GPUs: 24" and conversation.plan.questionnaire["cluster"]["gpus"] == 24
        assert user.talk.prompt.has_focus and not dials.is_open
        await user.press("f8")
        assert conversation.plan.questionnaire["cluster"]["gpus"] == 16
        before = conversation.plan
        await user.hits("f7", "down", "end", "escape")
        assert conversation.plan is before and not dials.is_open and user.talk.prompt.has_focus
        await user.hits("f7", "left")
        assert dials.is_open and dials.has_focus
        await user.types("dial price")
        assert user.talk.prompt.text == "dial price" and not dials.is_open
        await user.press("enter")
        await user.until(lambda: dials.has_focus)
        assert dials.dial.path.endswith("gpu_hour_usd")
