"""Whether a network carries the tokens of a mixture to experts on many GPUs is computed, not looked up."""

from __future__ import annotations

import re

import pytest

from assistant import api
from assistant.vocabulary.answers import Computed


def computed(question: str) -> Computed:
    found = api.ask(question).computed
    assert found is not None and found.kind == "experts-over-nodes", question
    return found


def figure(found: Computed, name: str) -> float:
    return next(one.value for one in found.figures if one.name == name)


@pytest.mark.parametrize(
    ("question", "ranks", "opens"),
    [
        ("Can I run expert parallel EP64 over 100 GbE for DeepSeek-R1?", 64, "No: experts of DeepSeek-R1"),
        ("EP32 on 400G RoCE enough for DeepSeek-V3 decode?", 32, "Yes: experts of DeepSeek-V3"),
        ("Is InfiniBand NDR enough for EP 16 of DeepSeek-V3 on H200?", 16, "Yes: experts of DeepSeek-V3"),
        ("Will 32-way expert parallelism of Qwen3-235B-A22B work over 25GbE?", 32, "No: experts of Qwen3"),
        ("Does wide EP of DeepSeek-V3 over 8 nodes work on 100GbE?", 64, "No: experts of DeepSeek-V3"),
    ],
)
def test_experts_over_a_network_are_computed(question: str, ranks: int, opens: str) -> None:
    found = computed(question)
    assert found.text.startswith(opens) and found.inputs["ranks"] == ranks
    assert "dispatch and combine of a layer" in found.text and "of its compute" in found.text


def test_a_layer_exchange_is_what_was_measured_and_what_its_bytes_take() -> None:
    found = computed("EP32 on InfiniBand NDR enough for DeepSeek-V3 decode?")
    exchange = figure(found, "experts' exchange of a layer, infiniband-ndr-400")
    # DeepEP on H800 with 400 Gb/s adapters, 128 tokens to 8 of 32 ranks: 155 us out and 273 back
    assert exchange == pytest.approx(155e-6 + 273e-6, rel=0.1)
    away = 128 * 8 * 7168 * (1 + 4 / 128 + 2) * 24 / 32  # bytes of a GPU that leave its node
    assert away / 50e9 < exchange < 2 * away / 50e9
    assert figure(found, "per token, infiniband-ndr-400") > figure(found, "compute of a layer") * 61


def test_ranks_inside_one_rack_need_no_network() -> None:
    found = computed("Is 400G RoCE enough for EP64 of DeepSeek-R1 on GB200?")
    assert found.text.startswith("Yes: EP 64") and "no network carries" in found.text


def test_a_target_decides_where_one_is_said() -> None:
    asked = "Is RoCE 400G enough for EP32 decode of DeepSeek-V3 at {} ms per token?"
    assert computed(asked.format(20)).text.startswith("No") and computed(asked.format(100)).text.startswith("Yes")


def test_a_dense_model_has_no_experts_to_spread() -> None:
    found = computed("Can I run EP16 over RoCE for Llama 3.1 70B?")
    assert "dense" in found.text and not re.search("NaN|None", found.text)


@pytest.mark.parametrize("question", ["What is EP64?", "Which network is best for EP?"])
def test_what_is_asked_of_the_word_is_not_computed(question: str) -> None:
    found = api.ask(question).computed
    assert found is None or found.kind != "experts-over-nodes"


def test_a_job_that_trains_is_judged_by_its_step() -> None:
    found = computed("Pretraining Mixtral 8x7B with EP8 on 64 H100: is 100GbE enough?")
    assert "No" in found.text.split(".")[0] and "step" in found.text
