"""What a newcomer must not have to guess: whose split, a network that is given, the probability of what, in which unit."""

from __future__ import annotations

import datetime

import pytest

from assistant.conversation import Conversation, wording
from assistant.library import Library
from assistant.planning import facts, plan
from assistant.present import html, reading
from assistant.present.fields import value_text
from assistant.present.markdown import plan_markdown
from assistant.present.sweep import sentences
from assistant.present.text import plan_lines
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.sweep import Sweep, Turn
from tests.test_interview import draft_of

TODAY = datetime.date(2026, 11, 20)
JOB = {"training__sequence_length": 8192, "training__global_batch": 512, "training__framework": "megatron"}


def planned(library: Library, **fields: object) -> Plan:
    return plan(draft_of(library, **{**JOB, **fields}).questionnaire(library.catalog), library, index=None, today=TODAY)


def text_of(found: Plan) -> str:
    return " ".join(" ".join(plan_lines(found, 100)).split())


def test_networks_on_different_splits_are_told_with_their_splits(library: Library) -> None:
    found = planned(library)
    shapes = {(c.parallelism["tp"], c.parallelism["pp"], c.parallelism["strategy"]) for c in found.candidates if c.fits}
    assert len(shapes) > 1
    for text in (text_of(found), plan_markdown(found), html.plan_html(found)):
        assert "Each network at its own best split" in text
    assert "own best split" not in text_of(planned(library, parallelism__strategy="fsdp"))


def test_rules_speak_of_the_split_of_the_recommended_network(library: Library) -> None:
    """Over jobs whose networks prefer different splits: no word of pipelines where the recommended one has none."""
    seen = 0
    for gpus, batch in ((64, 512), (128, 512), (64, 1024), (32, 256)):
        found = planned(library, cluster__gpus=gpus, training__global_batch=batch)
        chosen = next(c for c in found.candidates if c.verdict == "recommended")
        told = [f for f in found.findings if "job.pp" in f.facts]
        assert all(f.facts["job.pp"] == (chosen.parallelism["pp"] or 1) for f in told)
        piped = any(f.rule == "demand/pipeline-tolerates-latency" for f in found.findings)
        assert not piped or chosen.parallelism["pp"] > 1
        seen += len({c.parallelism["pp"] for c in found.candidates if c.fits}) > 1
    assert seen, "some of these jobs must have networks with different splits"


def test_the_split_told_first_is_looked_at_again_where_the_choice_has_another(library: Library) -> None:
    class Fake:
        def __init__(self, pp: int, cost: float) -> None:
            self.considered = type("C", (), {"owned": False, "fabric": type("F", (), {"transport": "rdma"})})
            self.estimate = type("E", (), {"parallelism": {"pp": pp}, "fits": True})
            self.usable, self.median_cost, self.step = True, cost, 1.0

    piped, flat = Fake(4, 1.0), Fake(1, 1.1)
    assert facts.other_split(flat, [piped, flat]) and not facts.other_split(piped, [piped, flat])
    assert not facts.other_split(None, [piped, flat])


def test_a_network_that_is_given_is_not_called_recommended(library: Library) -> None:
    found = planned(library, cluster__fabric="ethernet-tcp-100")
    text = text_of(found)
    assert "✓ given" in text and "✓ recommended" not in text and "Confidence" not in text
    assert f"Chance that it is the cheapest as well: {found.recommendation.confidence:.0%}" in text
    assert found.recommendation.verdict == "recommended", "the contract stays"
    assert reading.verdict(found.candidates[0], found) == "given"


def test_confidence_says_of_what(library: Library) -> None:
    assert "the chance that it is the cheapest" in text_of(planned(library))


def test_the_step_of_the_plan_and_that_of_a_prediction_are_told_apart(library: Library) -> None:
    found = planned(library)
    chosen = found.candidates[0]
    step = sum(chosen.breakdown_s.model_dump().values())
    assert (reading.middle(found) is None) == (abs(step / chosen.step_time_s.p50 - 1) < reading.SAME)
    apart = chosen.model_copy(update={"step_time_s": chosen.step_time_s.model_copy(update={"p50": 1.1 * step})})
    assert "weft predict" in reading.middle(found.model_copy(update={"candidates": [apart, *found.candidates[1:]]}))


def test_turning_points_have_words_and_units(library: Library) -> None:
    found = planned(library, parallelism__strategy="fsdp", cluster__gpus=32)
    assert found.recommendation.flips
    section = text_of(found).split("WHAT WOULD FLIP IT")[1].split("WHERE THE SOURCES")[0]
    assert not any(flip.input in section for flip in found.recommendation.flips)
    if any(flip.input == "budget.gpu_hour_usd" for flip in found.recommendation.flips):
        assert "per GPU-hour" in section


@pytest.mark.parametrize(("days", "text"), [(0.119, "2.86 hours"), (1.5, "36 hours"), (30.0, "30 days")])
def test_a_short_deadline_is_told_in_hours(days: float, text: str) -> None:
    assert value_text("constraints.deadline_days", days) == text


def test_a_comparison_in_plain_text_names_both_values(library: Library) -> None:
    talk = Conversation(library, today=TODAY)
    talk.start()
    talk.say("pretrain llama 3.1 70b on 64 h100 with fsdp")
    shown = [line for event in talk.say("compare roce and infiniband") for line in wording.lines(event, 80)]
    step = next(line for line in shown if line.startswith("one step: "))
    assert "roce-v2-400 " in step and " | infiniband-ndr-400 " in step


def test_a_comparison_after_a_what_if_is_of_what_was_tried(library: Library) -> None:
    talk = Conversation(library, today=TODAY)
    talk.start()
    talk.say("pretrain llama 3.1 70b on 64 h100 with fsdp")
    before = talk.plan.recommendation.fabric
    talk.say("what if plain 100 gig ethernet")
    compared = talk.say("compare")[0]
    assert compared.kind == "comparison" and {compared.left, compared.right} == {before, "ethernet-tcp-100"}


def test_a_sweep_that_only_stirs_a_tie_says_so_once() -> None:
    def turn(question: str, **more: object) -> Turn:
        return Turn(question=question, along="cluster.gpus", where={}, compared=True, largest=1024, **more)

    swept = Sweep(name=None, axes=[], points=[], turns=[turn("chosen", first=128), turn("cheaper-than-ethernet-rdma"),
                                                        turn("cheaper-than-tcp", first=16, throughout=True)])
    text = " ".join(sentences(swept))
    assert "within the error" in text and "not at every larger value" not in text and "plain TCP from 16 GPUs on" in text
