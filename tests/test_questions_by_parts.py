"""Questions of a plan by their parts: several in one message, figures beside what is named, under a change and against
a limit, and what nobody who asks takes back."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from assistant.conversation import Conversation
from assistant.conversation.events import Event, Failure, Note, PlanShown, Understood, VariationShown
from assistant.conversation.planner import dated_planner
from assistant.conversation.turn.followup import LINES, lines_of
from assistant.library import Library
from assistant.present.plan.answers.measures import MEASURES, Beside, held
from assistant.present.plan.reading import chosen
from tests import measures_fit
from tests.conversing import begin, library
from tests.labels import labels

RUN = "pretrain a 13B on 1.5T tokens, 128 H100 rented, 600k dollars, within 8 weeks"


def _said(events: list[Event]) -> str:
    notes = [line for event in events if isinstance(event, Note) for line in (event.text, *event.items)]
    return "\n".join([*notes, *(line for event in events if isinstance(event, VariationShown) for line in event.card)])


@pytest.fixture(scope="module")
def talk(library: Library) -> Conversation:
    talk = Conversation(library, planner=dated_planner(datetime.date(2026, 11, 20), searched=False))
    talk.start()
    talk.say(RUN)
    return talk


def _asked(talk: Conversation, text: str) -> list[Event]:
    """The answer to what is asked; nothing of the job is another one than before."""
    before = talk.draft.fields
    events = talk.say(text)
    assert talk.draft.fields == before and not [e for e in events if isinstance(e, Understood | PlanShown)], text
    if talk.variation is not None:
        talk.say("drop it")
    return events


@pytest.mark.parametrize(
    ("ask", "each"),
    [
        ("does it fit in memory and how much power does it draw", ("GiB of the fullest GPU", "kW")),
        ("can we be done in 4 weeks, and what would that cost", ("in the middle it is done by", "for the run")),
        ("what MFU did you assume? and how many kilowatts does it draw?", ("MFU", "kW")),
    ],
)
def test_each_of_two_questions_is_answered(talk: Conversation, ask: str, each: tuple[str, ...]) -> None:
    events = _asked(talk, ask)
    told = [line for e in events if isinstance(e, Note) for line in (e.text, *e.items)]
    assert all(words in " ".join(told) for words in each), told
    assert lines_of(told) <= LINES


def test_what_one_question_supposes_holds_for_the_next(talk: Conversation) -> None:
    said = _said(_asked(talk, "and with 256 GPUs and FP8? how much power does it draw then?"))
    assert "kW" in said
    best = chosen(talk.plan) if talk.plan is not None else None
    assert best is not None and f"{talk.plan and talk.plan.power and talk.plan.power.it_kw:.0f} kW" not in said, said


@pytest.mark.parametrize(
    ("days", "answer"),
    [
        (30, "Yes: time 26.6 days of 30 days, 3.37 days to spare; in one case of ten 41.4 days, which is more."),
        (60, "Yes: time 26.6 days of 60 days, 33.4 days to spare."),
        (20, "No: time 26.6 days, 6.63 days more than 20 days."),
    ],
)
def test_a_limit_that_is_asked_about_is_held_against_the_figure(talk: Conversation, days: int, answer: str) -> None:
    best = chosen(talk.plan) if talk.plan is not None else None
    assert talk.plan is not None and best is not None
    assert held("time", "time", Beside("", talk.plan, best), [days]) == answer


def test_a_price_that_somebody_tells_is_held_against_the_plan(talk: Conversation) -> None:
    told = _said(_asked(talk, "ok but Nebius told me 2.10 on the phone"))
    assert told.startswith("Nebius at $2.10 per GPU-hour: $172,000 for the run") and "dearer" in told
    less = _said(_asked(talk, "what if Lambda drops 40%"))
    assert "40 % below its list" in less and "cheaper than the plan's" in less
    network = _said(_asked(talk, "and EFA at 80% off the price?"))
    assert "it would be the cheaper one" in network


@pytest.mark.parametrize("ask", ["rollback plan?", "drop the 13B, what is freed"])
def test_a_question_takes_nothing_back(talk: Conversation, ask: str) -> None:
    before, plan = talk.draft.fields, talk.plan
    talk.say(ask)
    assert talk.draft.fields == before and talk.plan == plan


def test_a_bare_size_is_of_the_model_where_that_is_what_it_is_near(talk: Conversation) -> None:
    tried = next(e for e in _asked(talk, "could I go to 20B") if isinstance(e, VariationShown))
    assert [(one.field, one.value) for one in tried.fields] == [("model.params", 20e9)]


def test_a_percentage_of_a_price_is_no_number_of_gpus(talk: Conversation) -> None:
    tried = [e for e in _asked(talk, "suppose the quote comes in 20% lower") if isinstance(e, VariationShown)]
    assert not [one for e in tried for one in e.fields if one.field == "cluster.gpus"]


def test_a_length_beside_a_change_is_no_deadline_that_somebody_named(begin: Callable[..., Conversation]) -> None:
    talk = begin("256 A100 80GB we already own, HDR 200G IB, want to train a 30B model on 600B tokens, how long")
    assert talk.draft.fields["cluster.fabric"] == "infiniband-hdr-200", "the network that is there is the one named"
    said = _said(talk.say("what if I lend 64 of the gpus to another team, they gave me two weeks' notice"))
    assert "that you name" not in said


def test_a_size_behind_the_name_of_a_model_is_that_models(begin: Callable[..., Conversation]) -> None:
    talk = begin("train gpt2 124M from scratch on fineweb 10B tokens, one 4090")
    assert talk.draft.fields["model.params"] == 124e6 and "model" not in talk.draft.fields


def test_of_a_range_of_models_the_largest_is_planned_where_something_is_asked(
    begin: Callable[..., Conversation],
) -> None:
    talk = begin("16 nodes of 8x H100 rented, planning the fabric for training 13B-40B models, Ethernet or NVIDIA IB?")
    assert "cluster.gpu" in talk.draft.fields and talk.plan is None
    assert "parameters: 40 billion" in _said(talk.say("what would it take for infiniband to win"))


def test_a_model_whose_tokens_take_all_of_it_is_no_mixture(begin: Callable[..., Conversation]) -> None:
    talk = begin("train a moe with 8 experts, 4B params, 1B active, on 20B tokens, 16 A100 80GB rented")
    assert not [e for e in talk.say("what if 1B params instead") if isinstance(e, Failure)]


def test_every_figure_that_is_learned_is_computed_and_learned_from_what_stands() -> None:
    data: dict[str, Any] = labels(measures_fit.DATA)
    with np.load(measures_fit.FILE) as file:
        assert tuple(file["names"].tolist()) == tuple(data) == tuple(MEASURES)
        assert str(file["learned_from"]) == measures_fit.digest(), "python -m tests.measures_fit"


__all__ = ["begin", "library"]
