"""What a user relies on when asking what a run costs, makes a day, writes or moves: the model's own numbers, by sums
done by hand."""

from __future__ import annotations

import pytest

from assistant.answering import computed_answer
from assistant.conversation.searching import understood
from assistant.library import Library, load
from assistant.library.questionnaires import from_value
from assistant.planning import plan
from assistant.vocabulary.answers import Computed


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


def computed(question: str, library: Library, kind: str) -> Computed:
    found = computed_answer(understood(question, library), library)
    assert found is not None and found.computed.kind == kind, question
    return found.computed


def figures(found: Computed) -> dict[str, float]:
    return {figure.name: figure.value for figure in found.figures}


def test_a_run_costs_what_the_plan_says(library):
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-8b",
        "training": {"tokens": 1e12},
        "cluster": {"gpu": "h100-sxm", "gpus": 64},
    }
    made = plan(from_value(job, library.catalog), library, index=None)
    best = next(one for one in made.candidates if one.fabric == made.recommendation.fabric)
    found = computed("what does it cost to train llama 3.1 8b on 1T tokens with 64 H100?", library, "run-cost")
    assert found.value == pytest.approx(best.cost_usd.p50, rel=1e-4)
    assert figures(found)["GPU-hours"] == pytest.approx(64 * best.run_hours, rel=1e-4)


def test_a_price_and_a_network_that_are_named_are_taken(library):
    asked = "how much does it cost to train llama 3.1 8b on 1T tokens on 64 H100"
    cheap, dear = (
        computed(f"{asked} at ${price} per GPU hour?", library, "run-cost").value for price in ("2.00", "4.00")
    )
    assert 1.8 < dear / cheap <= 2.001
    slow = computed(f"{asked} over 100 GbE?", library, "run-cost")
    assert (
        slow.inputs["fabrics"] == ["ethernet-tcp-100"] and slow.value > computed(f"{asked}?", library, "run-cost").value
    )


def test_gpu_hours_hardly_depend_on_a_number_of_gpus_that_is_not_said(library):
    found = computed("how many GPU hours does 7B on 2T tokens need on H100?", library, "run-time")
    least = 6 * 7e9 * 2e12 / 989.5e12 / 3600
    assert 1.5 * least < figures(found)["GPU-hours"] < 4 * least
    assert "cluster.gpus" in {one.field for one in found.assumptions}


def test_tokens_a_day_are_those_of_a_second_86400_times(library):
    found = computed("how many tokens per day will 70B make on 256 H100?", library, "step-time")
    each = next(value for name, value in figures(found).items() if name.startswith("throughput"))
    assert f"{each * 256 * 86400 / 1e9:.2f} B tokens a day" in found.text


@pytest.mark.parametrize("question", ["what MFU will 70B get on 64 H100?", "what is the MFU of 70B on 64 H100?"])
def test_the_utilisation_of_a_described_job_is_computed(question, library):
    assert "MFU" in computed(question, library, "step-time").text


def test_a_checkpoint_is_weights_and_the_optimizers_state(library):
    found = computed("how long does it take to write a checkpoint of 70B at 10 GB/s?", library, "checkpoint")
    assert figures(found)["checkpoint"] == pytest.approx(14 * 70e9)
    assert found.value == pytest.approx(14 * 70e9 / 10e9) and found.unit == "s"
    assert computed("how big is a checkpoint of 70B?", library, "checkpoint").unit == "bytes"


def test_a_cache_moves_at_most_at_the_line_rate_of_a_node(library):
    found = computed(
        "how long does it take to move the KV cache of a 32k prompt of llama 3.1 70b over 100 GbE?",
        library,
        "kv-transfer",
    )
    assert found.value == pytest.approx(32_000 * 2 * 80 * 8 * 128 * 2 / 12.5e9, rel=1e-3)
    assert figures(found)["expected, ethernet-tcp-100"] > found.value


def test_a_broadcast_brings_every_node_the_whole_message(library):
    found = computed("how long does a broadcast of 140 GB over 100 GbE on 8 nodes take?", library, "collective")
    assert found.value == pytest.approx(140 / 12.5) and figures(found)["expected, ethernet-tcp-100"] > found.value


def test_the_power_of_a_network_is_that_of_its_bill_of_materials(library):
    found = computed("how much power does the network of 512 H100 with InfiniBand NDR draw?", library, "network")
    assert f"{figures(found)['power'] / 1000:.1f} kW" in found.text


def test_a_deadline_that_no_number_of_gpus_meets_is_told_with_what_keeps_it(library):
    found = computed("how many H100 do I need to train 405B on 15T tokens in 5 days?", library, "deadline")
    assert found.text.startswith("No number of") and "a larger batch would" in found.text
    assert figures(found)["length of the run"] > 5


@pytest.mark.parametrize(
    ("said", "speeds"),
    [
        ("all-reduce of 1 GB on 4 nodes at 50 GB/s", (400.0,)),
        ("all-reduce of 1 GB on 4 nodes at 50 Gb/s", (50.0,)),
        ("all-reduce of 1 GB on 4 nodes at 12.5 GB/s or 400 Gb/s", (100.0, 400.0)),
        ("train 8B on 1T tokens with 64 H100", ()),
        ("a link of 3.2 Tb/s, 1 Tb/s of it for 8B", (1000.0,)),
    ],
)
def test_a_speed_in_bytes_counts_eight_times_and_a_number_of_tokens_is_none(said, speeds, library):
    assert understood(said, library).roles.get("speeds", ()) == speeds


def test_a_run_of_so_many_days_costs_those_days(library):
    found = computed("how much will a 3 week run of 70B on 128 H100 cost at $2.00 per GPU hour?", library, "run-cost")
    assert figures(found)["length of the run"] == pytest.approx(21, rel=0.05)
    assert found.value == pytest.approx(2.0 * 128 * 21 * 24), "the price that was said, and nothing on top"


def test_a_price_may_be_asked_for_without_a_question_word(library):
    assert computed("cost to train a 1B model on 20B tokens with 8 A100", library, "run-cost").unit == "USD"


@pytest.mark.parametrize(
    ("question", "costs"),
    [
        (
            "we rent 48 H100 at 2.60; InfiniBand is 0.45 more and takes 11 days instead of 12.5. Cheaper?",
            ("$38,649.60", "$37,440.00"),
        ),
        (
            "We rent 48 H100 at $2.60 per GPU-hour. With InfiniBand it is $0.45 more, and takes 11 days instead of "
            "12.5. Is that cheaper?",
            ("$38,649.60", "$37,440.00"),
        ),
        (
            "100 GbE would make our 72-GPU run take 17 days at $2.05 instead of 13 at $2.95",
            ("$60,220.80", "$66,268.80"),
        ),
        (
            "48 H100 at 2.60 take 12.5 days, InfiniBand costs 0.45 extra and they take 11. Is it cheaper?",
            ("$37,440.00", "$38,649.60"),
        ),
    ],
)
def test_two_runs_are_compared_whose_second_length_or_premium_has_no_unit(question, costs, library):
    """48 × 24 h × 11 × $3.05 and 48 × 24 h × 12.5 × $2.60; 72 × 24 h × 17 × $2.05 and 72 × 24 h × 13 × $2.95."""
    asked = understood(question, library)
    found = computed_answer(asked, library)
    assert found is not None, question
    assert all(cost in found.computed.text for cost in costs), found.computed.text
    assert "Not used" not in (found.computed.caveat or "")


@pytest.mark.parametrize(
    "said", ["what if it takes 20 days instead of 12.", "64 H100 at $2.95, 0.5 more seconds per step, cheaper?"]
)
def test_a_bare_number_beside_a_run_that_has_no_price_or_length_makes_no_sum(said, library):
    assert computed_answer(understood(said, library), library) is None
