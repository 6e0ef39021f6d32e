"""What a plan means once it runs, and values that a question names: who runs it, a pause, spare nodes, cash, power, a
price of somebody else, a term at a discount, so many times as much; and jobs of which something is missing."""

from __future__ import annotations

import datetime

import pytest

from assistant.conversation import Conversation, wording
from assistant.conversation.events import Event, Finished, Question
from assistant.conversation.planner import dated_planner
from assistant.conversation.turn.followup import LINES, WIDTH
from assistant.library import Library
from tests.conversing import library, talk_of

__all__ = ["library"]


def _said(events: list[Event]) -> tuple[int, str]:
    shown = [event for event in events if not isinstance(event, Question | Finished)]
    lines = [line for event in shown for line in wording.lines(event, WIDTH) if line.strip()]
    return len(lines), " ".join(" ".join(line.split()) for line in lines)


@pytest.mark.parametrize(
    ("job", "ask", "told"),
    [
        (
            "pretrain 30B on 600B tokens, 128 H100 rented, 30 days",
            "who looks after the nodes at night, the provider or us?",
            "runs the machines, the power and the network",
        ),
        (
            "buy 64 H100 to fine-tune a 70B model on 5B tokens",
            "do we have to operate this ourselves, and are those people in the total?",
            "run by your own people",
        ),
        (
            "pretrain 8B on 2T tokens, 256 H100 that we buy, 60 days",
            "are 2 spare nodes enough if a repair takes 14 days?",
            "4 spare nodes are enough 19 times of 20",
        ),
        (
            "pretrain 30B on 2T tokens, 128 H100 rented",
            "how is the spending spread over the quarters?",
            "Q4 2026 $",
        ),
        (
            "buy 64 H100 to fine-tune a 70B model on 5B tokens",
            "electricity and colocation per year, each by itself",
            "Room (colocation): not in the sum",
        ),
        (
            "rent 64 H100 to fine-tune a 70B model on 20B tokens",
            "they ask 2.80 an hour, what do I counter with?",
            "above Voltage Park's $1.99, the plan's",
        ),
        (
            "pretrain 13B on 800B tokens, 64 H100 rented, within 60 days",
            "the date was brought forward by three weeks, is that a problem?",
            "the 39 days",
        ),
        (
            "GRPO on qwen 2.5 7b, 16 H100 rented, 500 steps",
            "my boss says take runpod spot, sensible?",
            "Of RunPod no spot price for this job was read",
        ),
        (
            "fine-tune on 64 H100 that we buy, budget 3M",
            "does that include power and people?",
            "Supposed so far: model: Llama 3.1 70B",
        ),
        (
            "fine-tune on 64 H100 that we buy, budget 3M",
            "I saw pause storms take a cluster down, convince me",
            "still needed: model",
        ),
    ],
)
def test_what_a_question_names_is_computed_from_the_plan(job: str, ask: str, told: str, library: Library) -> None:
    talk = talk_of(library, job)
    before = talk.draft.fields
    lines, said = _said(talk.say(ask))
    assert told in said and lines <= LINES, said
    assert talk.draft.fields == before and talk.variation is None


def test_a_fact_that_clashes_is_not_taken_and_the_rest_of_the_job_is(library: Library) -> None:
    talk = talk_of(library)
    _, said = _said(talk.say("pretrain a 7B model on 1T tokens, 64 H100 rented, EP=8"))
    assert "Not taken: expert parallel" in said and talk.plan is not None
    assert "parallelism.ep" not in talk.draft.fields


def test_experts_without_a_number_that_a_token_uses_are_planned(library: Library) -> None:
    talk = talk_of(library, "train a 3B MoE with 16 experts on 100B tokens, 32 A100 rented")
    assert talk.plan is not None and talk.draft.fields["model.experts_per_token"] == 2


def test_a_limit_that_leaves_fewer_gpus_is_not_supposed_beside_the_plan_that_was_shown(library: Library) -> None:
    talk = talk_of(library, "serve llama 3.3 70b fp8 on 16 H100 in 2 nodes, 800 concurrent, 30k a month at Lambda")
    _, said = _said(talk.say("a node is gone in the busiest hour, do we survive"))
    assert "8 GPUs are left" in said, said
