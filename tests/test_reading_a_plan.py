"""What a newcomer must not have to guess: whose split, a network that is given, the probability of what, in which
unit."""

from __future__ import annotations

import datetime
import re

import pytest

from assistant.conversation import Conversation, wording
from assistant.library import Library
from assistant.library.questionnaires import from_value, read_one
from assistant.planning import plan
from assistant.present import figures
from assistant.present.fields import value_text
from assistant.present.plan import assumptions, card, flips, formats, reading
from assistant.present.plan.formats import plan_lines, plan_markdown
from assistant.present.sweep import sentences
from assistant.vocabulary.plan import Flip, Plan
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
    for text in (text_of(found), plan_markdown(found), formats.plan_html(found)):
        assert "Each network at its own best split" in text
    assert "own best split" not in text_of(planned(library, parallelism__strategy="fsdp"))


@pytest.mark.parametrize(
    ("slower", "told"), [(-3.0, "3.0 % faster"), (0.0, "fastest"), (4.4, "+4.4 %"), (340.0, "4.4× as long")]
)
def test_a_network_that_is_faster_but_not_possible_is_not_told_to_be_as_fast(slower: float, told: str) -> None:
    assert figures.slowdown(slower) == told


def test_a_price_of_electricity_is_told_with_the_digits_that_it_is_counted_with() -> None:
    assert [figures.usd_per_kwh(price) for price in (0.19, 0.0884, 0.2)] == ["$0.19", "$0.0884", "$0.20"]


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


def test_what_is_measured_on_the_first_day_is_compared_with_the_network_that_is_bought(library: Library) -> None:
    found = planned(library, cluster__gpus=512, budget__mode="buy")
    [profile] = [line for line in found.measure_first if "Profile 20 steps" in line]
    assert f"computed here on {found.names[found.recommendation.fabric]}." in profile


def test_a_price_that_turns_the_answer_is_told_with_the_network_whose_price_it_is() -> None:
    field = "budget.fabric_premium_gpu_hour_usd"
    cheaper = Flip.model_validate({"input": field, "from": 0.477, "at": 0.432, "to_fabric": "infiniband-ndr-400"})
    dearer = Flip.model_validate({"input": field, "from": 0.171, "at": 0.182, "to_fabric": "spectrum-x-400"})
    told = [flips.turn(cheaper, "spectrum-x-400"), flips.turn(dearer, "infiniband-ndr-400")]
    assert all(text.startswith("price of infiniband-ndr-400 on top of the GPU: from $0.") for text in told)


def test_what_a_bought_network_costs_an_hour_is_told_with_what_it_contains(library: Library) -> None:
    """The write-off alone, and the price that turns the answer, which holds power and upkeep too."""
    found = planned(library, cluster__gpus=512, budget__mode="buy")
    text, own = text_of(found), found.recommendation.fabric
    alone = next(a.value for a in found.assumptions if a.field == f"fabrics.{own}.write_off")
    assert f"write-off of {found.names[own]}: ${alone:.3g}" in text
    assert alone < reading.chosen(found).fabric_usd_per_gpu_hour
    price = Flip.model_validate(
        {"input": "budget.fabric_premium_gpu_hour_usd", "from": 0.29, "at": 0.19, "to_fabric": "infiniband-ndr-400"}
    )
    assert "on top of the GPU, with its power and upkeep: from $0.29 to $0.19" in flips.turn(price, own, found)
    assert "with its power and upkeep" not in flips.turn(price, own, planned(library))


def test_a_network_that_is_given_is_not_called_recommended(library: Library) -> None:
    found = planned(library, cluster__fabric="ethernet-tcp-100")
    text = text_of(found)
    assert "✓ given" in text and "✓ recommended" not in text and "Confidence" not in text
    assert f"Chance that it is the cheapest as well: {found.recommendation.confidence:.0%}" in text
    assert found.recommendation.verdict == "recommended", "the contract stays"
    assert reading.verdict(found.candidates[0], found) == "given"


def test_confidence_says_of_what(library: Library) -> None:
    text = text_of(planned(library))
    said = "Chance that this network, not this offer of it, is the cheapest, or within a percent, if what was assumed"
    assert said in text.split("WHY NOT THE OTHERS")[0].split("WHY")[1]


def test_what_is_cheaper_but_not_advised_is_named_beside_the_confidence(library: Library) -> None:
    cards = {"cluster__gpu": "a100-sxm-40gb", "cluster__gpus": 1024, "training__tokens": 1e12, "budget__mode": "buy"}
    found = planned(library, **cards)
    [cheaper] = reading.unadvised(found)
    assert cheaper.verdict == "avoid" and cheaper.cost_usd.p50 < found.candidates[0].cost_usd.p50
    text = text_of(found)
    assert (
        f"cheaper but not advised: {reading.name(found, cheaper.fabric)}, {figures.usd(cheaper.cost_usd.p50)}" in text
    )
    assert "Cheapest run of those advised" in text and "That is among those advised;" in text


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


def test_where_nothing_works_nothing_is_called_the_cheapest(library: Library) -> None:
    found = planned(library, cluster__gpus=16, model="llama-3.1-405b")
    assert found.recommendation.verdict == "infeasible"
    for text in (text_of(found), plan_markdown(found), formats.plan_html(found)):
        assert "Confidence" not in text and "chance that it is the cheapest" not in text
    talk = Conversation(library, today=TODAY)
    talk.start()
    said = " ".join(
        line
        for message in ("pretrain llama 3.1 405b on 16 h100", "what would flip it", "why", "what if 12 h100?")
        for event in talk.say(message)
        for line in wording.lines(event, 1000)
    )
    assert "Nothing works as asked" in said and "Confidence" not in said and "The answer is none" not in said


def test_who_sees_that_another_network_is_more_often_the_cheapest_reads_why_it_is_not_the_one(library: Library) -> None:
    seen = set()
    for path in sorted((library.knowledge_folder / "examples").glob("*.yaml")):
        found = plan(read_one(path, library.catalog), library, index=None, today=TODAY)
        best = {c.fabric: round(100 * (c.probability_best or 0.0)) for c in found.candidates}
        ours, most = best.get(found.recommendation.fabric, 0), max(best.values())
        chosen_freely = found.recommendation.verdict == "recommended" and not reading.is_given(found)
        sentence = found.recommendation.not_the_likeliest
        assert bool(sentence) == (chosen_freely and most > ours), path.name
        if sentence:
            assert f"({most} % against {ours} %)" in sentence and sentence in " ".join(text_of(found).split())
            assert any(
                why in sentence for why in ("the rules decide: for", "lower middle cost", "on average it costs more")
            )
        seen.add(bool(sentence))
        assert_certainty_agrees_with_its_chance(found)
    assert seen == {True, False}


def assert_certainty_agrees_with_its_chance(found: Plan) -> None:
    """The word is on the card, the only probability under why; "clear" stands beside none that says otherwise."""
    sure, chance = " ".join(card.certain(found)), found.recommendation.confidence
    said = f"{sure} {reading.chance(found)}"
    before, _, after = text_of(found).partition("WHY")
    assert not re.search(r"[Cc]hance that|likely to be the cheap|more often the cheapest", before), said
    assert reading.chance(found) in " ".join(after.split("WHY NOT")[0].split())
    if sure.startswith("Certainty: clear") and found.recommendation.verdict == "recommended":
        assert chance >= 0.8 or (chance <= 0.2 and re.search("it was given, and .* costs less", sure)), said
    if sure.startswith("Certainty: toss-up"):
        assert "costs the same as" in sure and len(found.recommendation.tied) > 1


def test_why_says_so_in_the_conversation_too(library: Library) -> None:
    talk = Conversation(library, today=TODAY)
    talk.start()
    shown = " ".join(
        line
        for event in talk.say("pretrain llama 3.1 8b on 128 h100 that we buy, with megatron, batch 512, context 8k")
        for line in wording.lines(event, 1000)
    )
    asked = " ".join(line for event in talk.say("why") for line in wording.lines(event, 1000))
    sentence = talk.plan.recommendation.not_the_likeliest
    assert sentence and sentence in asked
    assert not re.search(r"\d %", card.section(talk.plan)[1].items[-1]) and sentence not in shown, "only under why"


def test_what_was_assumed_is_told_in_words(library: Library) -> None:
    """No path of a questionnaire and no key of the catalog stands before the colon."""
    seen = set()
    for path in sorted((library.knowledge_folder / "examples").glob("*.yaml")):
        found = plan(read_one(path, library.catalog), library, index=None, today=TODAY)
        told = assumptions.section(found)[1].items
        names = [item.split(":")[0] for item in told]
        assert not [name for name in names if re.search(r"[a-z_]\.[a-z_]|_", name)], path.name
        seen.update(names)
    prices = {"price", "price of roce-v2-400 on top of the GPU", "write-off of roce-v2-200"}
    assert {"GPUs per node", *prices} <= seen


def test_a_comparison_in_plain_text_names_both_values(library: Library) -> None:
    talk = Conversation(library, today=TODAY)
    talk.start()
    talk.say("pretrain llama 3.1 70b on 64 h100 with fsdp")
    shown = [line for event in talk.say("compare roce and infiniband") for line in wording.lines(event, 80)]
    step = next(line for line in shown if line.startswith("one step: "))
    assert "RoCE 400 " in step and " | InfiniBand NDR " in step


def test_a_comparison_after_a_what_if_is_of_what_was_tried(library: Library) -> None:
    talk = Conversation(library, today=TODAY)
    talk.start()
    talk.say("pretrain llama 3.1 70b on 64 h100 with fsdp")
    before = talk.plan.recommendation.fabric
    talk.say("what if plain 100 gig ethernet")
    about, compared = talk.say("compare")
    assert (
        "tried" in about.text
        and compared.kind == "comparison"
        and {compared.left, compared.right} == {before, "ethernet-tcp-100"}
    )


def test_a_sweep_that_only_stirs_a_tie_says_so_once() -> None:
    def turn(question: str, **more: object) -> Turn:
        return Turn(question=question, along="cluster.gpus", where={}, compared=True, largest=1024, **more)

    swept = Sweep(
        name=None,
        axes=[],
        points=[],
        turns=[
            turn("chosen", first=128),
            turn("cheaper-than-ethernet-rdma"),
            turn("cheaper-than-tcp", first=16, throughout=True),
        ],
    )
    text = " ".join(sentences(swept))
    assert (
        "within the error" in text and "not at every larger value" not in text and "plain TCP from 16 GPUs on" in text
    )


def test_a_quote_without_a_sum_has_its_reason_in_a_line_below_the_table(library):
    """The cheapest of two quotes was marked as impossible, and why stood in the whole report alone."""
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "cluster": {"gpu": "h100-sxm", "gpus": 256},
        "training": {"days": 30},
        "budget": {
            "quotes": [
                {"fabric": "infiniband-hdr-200", "gpu_hour_usd": 2.05},
                {"fabric": "infiniband-ndr-400", "gpu_hour_usd": 2.65, "provider": "nebius"},
            ]
        },
    }
    said = text_of(plan(from_value(job, library.catalog), library, index=None, today=TODAY))
    assert "- ✗ 1: InfiniBand HDR is not offered with NVIDIA H100" in said and "✗ 2" not in said


def test_spot_runs_of_which_some_never_finish_are_not_said_to_be_the_cheapest_on_average(library: Library) -> None:
    job = {
        "workload": "finetuning",
        "model": "deepseek-v3",
        "cluster": {"gpu": "b300", "gpus": 256},
        "budget": {"mode": "rent", "spot": True},
        "training": {"days": 5, "method": "qlora"},
    }
    made = plan(from_value(job, library.catalog), library, index=None, today=TODAY)
    card, offer = made.recommendation.card, made.offers[made.recommendation.offer]
    assert offer.unfinished_percent > 5 and offer.expected_cost_usd is None
    assert "on average" not in card.because and "in the middle, though 5." in card.because
    assert "of 100 never finish on them, so no average is known" in card.cost
