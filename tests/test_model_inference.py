"""Serving at first order: when must anything cross nodes, and what."""

from __future__ import annotations

import pytest

from assistant.model import Serving, architecture_of, predict_inference

from .modelled import catalog, machine, network


def serving(model: str, gpus: int, **changes) -> Serving:
    return Serving(architecture_of(catalog().models[model]), gpus, **changes)


def test_a_model_that_fits_one_node_never_needs_the_network():
    cluster = machine(32)
    outcomes = predict_inference(
        serving("llama-3.1-70b", 32),
        cluster,
        [network(f, cluster) for f in ("none", "ethernet-tcp-10", "infiniband-ndr-400")],
    )
    assert {o.across_nodes_per_request for o in outcomes} == {0.0}
    assert len({o.time_per_output_token_s for o in outcomes}) == 1 and all(o.fits for o in outcomes)


def test_405b_in_bf16_spans_two_nodes_of_h100_and_fp8_does_not():
    cluster = machine(16)
    nets = [network("infiniband-ndr-400", cluster), network("ethernet-tcp-25", cluster)]
    wide = predict_inference(serving("llama-3.1-405b", 16), cluster, nets)
    assert wide[0].nodes_per_replica == 2 and wide[0].across_nodes_per_token > 0
    assert wide[1].time_per_output_token_s >= wide[0].time_per_output_token_s
    assert predict_inference(serving("llama-3.1-405b", 16, precision="fp8"), cluster, nets)[0].nodes_per_replica == 1


def test_disaggregated_serving_moves_the_prompts_cache():
    cluster = machine(16)
    split = predict_inference(
        serving("llama-3.1-70b", 16, prompt_tokens=8000, disaggregated=True),
        cluster,
        [network("infiniband-ndr-400", cluster), network("ethernet-tcp-100", cluster)],
    )
    cache = 8000 * 80 * 2 * 8 * 128 * 2
    assert split[0].across_nodes_per_request == pytest.approx(cache)
    assert split[1].kv_transfer_s > 10 * split[0].kv_transfer_s
    assert split[1].time_to_first_token_s > split[0].time_to_first_token_s


def test_decoding_is_at_least_as_slow_as_reading_the_weights():
    cluster = machine(8)
    outcome = predict_inference(serving("llama-3.1-70b", 8, tensor_parallel=8), cluster, [network("none", cluster)])[0]
    assert outcome.time_per_output_token_s > 141e9 / 8 / 3.35e12
    assert outcome.time_per_output_token_s < 0.05


def test_more_requests_need_more_replicas():
    cluster = machine(64)
    needed = [
        predict_inference(serving("llama-3.1-70b", 64, requests_per_s=r), cluster, [network("none", cluster)])[
            0
        ].replicas_needed
        for r in (1, 50)
    ]
    assert needed[0] < needed[1]
