"""What a user relies on when asking how many GPUs a deadline or a load takes: a number that was tried, and its
assumptions."""

from __future__ import annotations

import pytest

from assistant.answering import computed_answer
from assistant.conversation.searching import understood
from assistant.library import Library, load
from assistant.library.questionnaires import from_value
from assistant.planning.prediction import predict
from assistant.vocabulary.answers import Computed


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


def computed(question: str, library: Library, kind: str) -> Computed:
    found = computed_answer(understood(question, library), library)
    assert found is not None, f"not computed: {question}"
    assert found.computed.kind == kind
    return found.computed


def figures(found: Computed) -> dict[str, float]:
    return {figure.name: figure.value for figure in found.figures}


def days(library: Library, gpus: int, tokens: float) -> float:
    """The run as ``weft predict`` has it."""
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "training": {"tokens": tokens},
        "cluster": {"gpu": "h100-sxm", "gpus": gpus, "fabric": "infiniband-ndr-400"},
    }
    return tokens / (predict(from_value(job, library.catalog), library.catalog).tokens_per_s_per_gpu * gpus) / 86400


def test_the_gpus_for_a_deadline_meet_it_and_half_as_many_do_not(library):
    found = computed(
        "How many H100s do I need to train llama 3.1 70B on 1T tokens within 60 days?", library, "deadline"
    )
    gpus, length = figures(found)["GPUs"], figures(found)["length of the run"]
    assert length == pytest.approx(days(library, int(gpus), 1e12), rel=1e-4) and length <= 60
    assert days(library, int(gpus) // 2, 1e12) > 60
    assert figures(found)["at least, at peak"] == pytest.approx(6 * 70.55e9 * 1e12 / (989e12 * 60 * 86400), abs=1)


def test_a_run_without_a_number_of_tokens_takes_the_compute_optimal_and_says_so(library):
    found = computed("how many GPUs to train a 7B model in 10 days?", library, "deadline")
    assert {one.field: one.value for one in found.assumptions}["training.tokens"] == pytest.approx(20 * 7e9, rel=0.1)


def test_more_days_take_fewer_gpus(library):
    short, long = (
        figures(computed(f"how many GPUs to train 405B on 1T tokens in {n} days?", library, "deadline"))["GPUs"]
        for n in (30, 180)
    )
    assert long < short


def test_a_load_takes_as_many_gpus_as_carry_it(library):
    few, many = (
        figures(
            computed(f"how many H100 do I need to serve llama 3.1 70B at {n} requests per second?", library, "load")
        )
        for n in (10, 100)
    )
    assert many["GPUs"] > few["GPUs"] and few["carried"] >= 10 and many["carried"] >= 100
    assert few["carried"] / few["GPUs"] == pytest.approx(many["carried"] / many["GPUs"], rel=0.2)


def test_longer_answers_take_more_gpus(library):
    short, long = (
        figures(computed(f"How many H100 to serve 70B at 50 requests/s with {n} output tokens?", library, "load"))[
            "GPUs"
        ]
        for n in (100, 1000)
    )
    assert long > short


@pytest.mark.parametrize("users", [200, 800])
def test_users_who_each_want_so_many_tokens_a_second_take_a_number_of_gpus(users, library):
    found = computed(f"how many H200 for {users} users at 30 tokens/s", library, "load")
    assert f"{users} requests at once, each token within 33.3 ms (30 tokens/s)" in found.text
    assert figures(found)["GPUs"] >= 16 * users / 200 and figures(found)["per million output tokens"] > 0


def test_a_load_with_targets_takes_a_number_of_each_kind_of_gpu_with_its_price(library):
    asked = "how many GPUs for 70B, 2,000 prompt, 500 answer, 10 requests/s, TTFT 500 ms, 50 tokens/s per user"
    found = computed(asked, library, "load")
    assert "the first token within 500 ms, each token within 20 ms (50 tokens/s)" in found.text
    assert found.text.count(" a month") >= 3 and found.text.count("per million output tokens") >= 3


@pytest.mark.parametrize(("gpus", "says"), [(4, "not enough"), (64, ": enough")])
def test_whether_the_gpus_named_carry_the_load_is_said(gpus, says, library):
    found = computed(f"Can I serve llama 3.1 70B on {gpus} H100 at 20 requests per second?", library, "load")
    assert says in found.text


def test_a_load_without_a_number_asked_for_is_no_sizing(library):
    found = computed("How much memory does it take to serve 70B at 10 requests per second?", library, "memory")
    assert "weights" in found.text


@pytest.mark.parametrize(
    "question", ["how many GPUs to train a 1000T model in 1 day?", "How much memory does a 1000T model need to train?"]
)
def test_a_model_beyond_any_size_is_left_to_the_search(question, library):
    assert computed_answer(understood(question, library), library) is None


@pytest.mark.parametrize(
    "question",
    [
        "what does a 64 GPU InfiniBand cluster cost to wire?",
        "How much does the wiring for 64 H100 with InfiniBand cost?",
        "How expensive is it to connect 64 H100 with InfiniBand?",
    ],
)
def test_what_wiring_costs_is_the_price_of_the_network(question, library):
    found = computed(question, library, "network")
    assert figures(found)["NICs"] == 64 and figures(found)["price"] > 0


def test_an_all_to_all_of_a_mixture_moves_its_tokens_and_never_its_weights(library):
    asked = "how long is the all-to-all of DeepSeek-V3 over InfiniBand NDR on 8 nodes"
    found = computed_answer(understood(asked, library), library)
    assert found is not None
    assert found.computed.inputs["bytes"] == 4096 * 8 * 7168 * 2, "4,096 tokens, 8 experts each, 7,168 wide, in 16 bits"
    dense = computed_answer(understood(asked.replace("DeepSeek-V3", "Llama 3.1 70B"), library), library)
    assert dense is None or dense.computed.inputs.get("collective") != "all_to_all"
