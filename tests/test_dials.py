"""The dials of a plan: the planner's own answer at every value, the value under the hand first, taken in words that are
understood."""

from __future__ import annotations

import pytest

from assistant.conversation import Conversation, wording
from assistant.conversation.answers.alternatives import alternatives
from assistant.conversation.dials import fields_taken, next_value, not_taken, words
from assistant.conversation.heard import fields_set, heard
from assistant.conversation.turn.commands import command_of
from assistant.planning import Pipeline
from assistant.present.dials import bar, bar_lines, stretches, view
from assistant.vocabulary.dial import Dial
from assistant.vocabulary.plan import Band
from assistant.vocabulary.sweep import Point, SweptFabric

JOB = "pretraining llama 3.1 8b on 16 h100, 20 billion tokens"


@pytest.fixture(scope="module")
def planned(library):
    """A conversation with a plan; tests take nothing in it."""
    return _planned(library, JOB)


def _planned(library, *said):
    conversation = Conversation(library)
    conversation.start()
    for message in said:
        conversation.hear(message)  # where the plan would turn is not asked for here
    assert conversation.plan is not None
    return conversation


def _dial(conversation, path):
    return next(dial for dial in conversation.dials() if dial.path.startswith(path))


def test_where_the_plan_stands_a_dial_says_what_the_plan_says(planned):
    answer = planned.plan.recommendation
    for dial in planned.dials():
        point = planned.dialled(dial, dial.now)
        assert dial.now in dial.stops
        assert (point.fabric, point.certainty, point.tied) == (answer.fabric, answer.certainty, answer.tied)
        assert point.card == answer.card.model_copy(update={"changes_if": point.card.changes_if})


def test_a_value_that_is_taken_gives_the_plan_that_the_dial_has_shown_and_undo_takes_it_back(library):
    conversation = _planned(library, JOB)
    before = conversation.plan
    dial = _dial(conversation, "providers.")
    value = dial.stops[dial.stops.index(dial.now) + 1]
    told = conversation.dialled(dial, value).card
    conversation.turn(dial, value)
    card = conversation.plan.recommendation.card
    assert (card.do, card.cost, card.finish) == (told.do, told.cost, told.finish)
    assert card != before.recommendation.card
    conversation.hear("undo")
    assert conversation.plan.recommendation.card == before.recommendation.card


@pytest.mark.parametrize(
    "said",
    [
        [JOB],
        ["grpo of qwen2.5-7b on 1024 h100, bought"],
        ["serve llama 3.1 8b on 2 l40s, 10 requests per second, 2000 in 500 out"],
        [f"{JOB}, deadline: 30 days, price: $2.50 per GPU-hour"],
        ["pretraining llama 3.1 8b on 16 h100, length of the run: 40 days"],
    ],
)
def test_the_words_of_a_value_are_understood_as_it(library, said):
    conversation = _planned(library, *said)
    dials = conversation.dials()
    assert len(dials) >= 2
    for dial in dials:
        for value in dict.fromkeys((dial.values[0], dial.values[-1])):
            understood = fields_set(heard(words(dial, value, library), conversation.draft, library), conversation.draft)
            assert understood == pytest.approx(fields_taken(dial, value)), words(dial, value, library)


def test_the_value_under_the_hand_comes_first_then_its_neighbours_then_where_the_answer_turns():
    dial = Dial(path="budget.gpu_hour_usd", values=(1, 2, 3, 4), now=2, grain=0.25)
    answers = {1: "a", 2: "a", 3: "b", 4: "b", 2.5: "a", 2.75: "b"}
    known, order = {}, []
    while (value := next_value(dial, known, 3)) not in known:
        known[value] = _point(value, answers[value])
        order.append(value)
    assert order == [3, 2, 4, 1, 2.5, 2.75]
    assert [(one.first, one.last) for one in stretches(dial, known)] == [(1, 2.5), (2.75, 4)]


def test_a_value_at_which_the_model_fails_says_so_and_the_others_stand(planned, monkeypatch):
    monkeypatch.setattr(Pipeline, "decide", lambda *asked, **options: 1 / 0)
    dial = _dial(planned, "cluster.gpus")
    assert "could not be worked out" in planned.dialled(dial, dial.values[0]).error


def test_a_list_price_at_which_somebody_else_is_recommended_cannot_be_taken(planned, library):
    dial = _dial(planned, "providers.")
    ours = dial.path.split(".")[1]
    assert not_taken(dial, _point(1, "a", provider=ours), library) is None
    assert "nothing to take" in not_taken(dial, _point(1, "a", provider="aws"), library)


def _point(value, fabric, cost=100.0, **said):
    one = SweptFabric(fabric=str(fabric), kind="tcp", verdict="recommended", fits=True, cost_usd=_band(cost))
    return Point(values={"budget.gpu_hour_usd": value}, fabric=fabric, certainty="clear", fabrics=[one], **said)


def _band(cost):
    return Band(p10=cost, p50=cost, p90=cost)


def test_networks_that_tie_are_one_stretch_and_it_has_the_name_of_the_plan():
    dial = Dial(path="budget.gpu_hour_usd", values=(1, 2, 3), now=2)
    known = {1: _point(1, "a", tied=["a", "b"]), 2: _point(2, "b", tied=["b", "a"]), 3: _point(3, "b", tied=["b"])}
    [one] = stretches(dial, known)
    assert one.point.fabric == "b" and one.tied


@pytest.mark.parametrize("width", [36, 47, 74, 96])
def test_every_line_fits_and_is_told_without_colour(planned, library, width):
    dials = planned.dials()
    known = {value: planned.dialled(dials[0], value) for value in dials[0].stops[:4]}  # the others are yet to come
    lines = view(dials, 0, [dial.now for dial in dials], known, library.catalog, width, "the run")
    rows = ["".join(text for text, _ in line) for line in lines]
    assert max(map(len, rows)) <= width
    assert any("A" in row and "·" in row for row in rows) and any(row.startswith("Certainty: ") for row in rows)


def test_nothing_said_lies_at_the_right_end_of_a_dial(planned, library):
    dial = _dial(planned, "constraints.deadline_days")
    assert dial.now is None and dial.stops[-1] is None and words(dial, None, library) == "no deadline"
    known = {None: planned.dialled(dial, None), dial.values[0]: planned.dialled(dial, dial.values[0])}
    assert known[None].fabric and known[dial.values[0]].fabric is None
    drawn = ["".join(text for text, _ in line) for line in bar(dial, known, 72, None)]
    assert "none" in drawn[0] and drawn[1].strip().startswith("╳") and "A" in drawn[1]


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("dial the batch size", "dial-amount"),
        ("show me the price dial", "dial-price"),
        ("dial months", "dial-time"),
        ("turn the deadline dial", "dial-time"),
        ("which dials are there", "dials"),
        ("what is the price", None),
    ],
)
def test_a_dial_is_named_as_people_name_it(library, said, meant):
    assert command_of(said, library) == meant


def test_two_values_that_are_supposed_are_weighed_as_a_question_between_them_is(planned, library):
    said = heard("what if 32 or 128 GPUs", planned.draft, library)
    assert alternatives(said) == [{"cluster.gpus": 32}, {"cluster.gpus": 128}]


def test_line_by_line_a_dial_is_asked_for_by_its_name(planned, library):
    assert Conversation(library).say("dial gpus")[0].kind == "failure"
    [event] = planned.say("dial GPUs")
    lines = wording.lines(event, 80)
    assert lines[0] == "The dial of GPUs:" and any("◆" in line for line in lines)
    dial, known = event.dial, dict(zip(event.dial.stops, event.points, strict=True))
    assert [line for line in bar_lines(dial, known, library.catalog, "the run") if "━" in line]
    [listed] = planned.say("dials")
    assert [item.split(":")[0] for item in listed.items] == ["dial GPUs", "dial batch", "dial price", "dial months"]
