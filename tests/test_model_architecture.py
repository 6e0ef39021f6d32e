"""Parameter counts and FLOPs are exact, because everything else rests on them."""

from __future__ import annotations

import pytest

from assistant.model import architecture_of
from assistant.vocabulary.questionnaire import ModelShape

from .modelled import catalog


@pytest.mark.parametrize(
    ("model", "billions", "tolerance"),
    [
        ("qwen2.5-7b", 7.616, 0.001),
        ("qwen2.5-72b", 72.706, 0.001),
        ("mixtral-8x7b", 46.70, 0.005),
        ("llama-3.1-405b", 405.85, 0.005),
        ("deepseek-v3", 671.03, 0.01),
        ("gpt-3-175b", 174.6, 0.05),
        ("llama-3.1-8b", 8.030, 0.001),
        ("llama-3.1-70b", 70.554, 0.001),
    ],
)
def test_a_public_model_has_its_published_parameter_count(model, billions, tolerance):
    assert architecture_of(catalog().models[model]).params / 1e9 == pytest.approx(billions, abs=tolerance)


def test_a_mixture_of_experts_touches_a_part_of_its_parameters():
    mixtral = architecture_of(catalog().models["mixtral-8x7b"])
    assert mixtral.active_params / 1e9 == pytest.approx(12.88, abs=0.01)


@pytest.mark.parametrize("params", [1e8, 1e9, 7e9, 13e9, 34e9, 70e9, 175e9, 405e9, 1e12])
def test_a_bare_parameter_count_gets_a_plausible_shape_of_that_size(params):
    derived = architecture_of(ModelShape(params=params))
    assert derived.params == pytest.approx(params, rel=0.02)
    assert derived.derived and derived.heads % 8 == 0 and derived.layers >= 4
    assert 1.5 * derived.hidden < derived.ffn < 6 * derived.hidden or params < 2e9


@pytest.mark.parametrize(
    ("total", "active", "experts", "per_token"),
    [(671e9, 37e9, 256, 8), (120e9, 12e9, 64, 4), (235e9, 22e9, 128, 8), (400e9, 40e9, 0, 0)],
)
def test_a_mixture_of_which_only_sizes_are_known_has_them(
    total: float, active: float, experts: int, per_token: int
) -> None:
    made = architecture_of(ModelShape(params=total, active_params=active, experts=experts, experts_per_token=per_token))
    assert made.params == pytest.approx(total, rel=0.02) and made.active_params == pytest.approx(active, rel=0.08)
    assert made.experts == experts or (not experts and made.experts > made.experts_per_token)


def test_a_token_of_a_mixture_without_a_stated_active_size_takes_a_share() -> None:
    made = architecture_of(ModelShape(params=132e9, experts=16, experts_per_token=4))
    assert made.params == pytest.approx(132e9, rel=0.02) and 0.2 < made.active_params / 132e9 < 0.4


def test_training_costs_six_flops_per_parameter_and_token_plus_attention():
    gpt = architecture_of(catalog().models["gpt-3-175b"])
    attention = gpt.train_flops(2048, causal=False) - 6 * gpt.matmul_params
    assert gpt.matmul_params == pytest.approx(gpt.params, rel=0.001)
    assert attention == pytest.approx(12 * gpt.layers * gpt.hidden * 2048)
    assert gpt.train_flops(2048) - 6 * gpt.matmul_params == pytest.approx(attention / 2)


def test_grouped_queries_and_latent_attention_shrink_the_cache():
    llama = architecture_of(catalog().models["llama-3.1-70b"])
    assert llama.kv_bytes_per_token() == 80 * 2 * 8 * 128 * 2
    deepseek = architecture_of(catalog().models["deepseek-v3"])
    assert deepseek.kv_bytes_per_token() == 61 * (512 + 64) * 2


def test_a_layer_with_a_window_attends_to_no_more_than_it():
    gemma = architecture_of(catalog().models["gemma-3-27b"])  # 52 of 62 layers keep 1,024 tokens
    short, long = (float(gemma.attention_flops(length)) for length in (65_536, 131_072))
    all_of_it = 2.0 * gemma.score_width * gemma.layers * 131_072
    assert long / all_of_it == pytest.approx(10 / 62 + 52 / 62 * 2 * 1024 / 131_072, rel=0.01)
    assert long < 2 * short
    assert float(gemma.attention_flops(1024)) == pytest.approx(2.0 * gemma.score_width * gemma.layers * 1024)
