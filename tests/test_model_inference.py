"""Serving at first order: when must anything cross nodes, and what."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model import Serving, architecture_of, predict_inference, sizing
from assistant.model.disaggregation import balanced
from assistant.model.prefill_decode import Cuts
from assistant.model.serving_time import NOTHING_GUESSED, Guesses
from assistant.vocabulary.questionnaire import Inference

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


def test_a_copy_over_two_nodes_answers_no_faster_than_its_network_lets_the_prompts_through():
    cluster, a = machine(16), architecture_of(catalog().models["llama-3.1-405b"])
    nets = [network("ethernet-tcp-100", cluster), network("infiniband-ndr-400", cluster)]
    lengths = {"prompt_tokens": 8000, "output_tokens": 200}
    asked = serving("llama-3.1-405b", 16, **lengths, tensor_parallel=16)
    slow, fast = predict_inference(asked, cluster, nets)
    for one, net in zip((slow, fast), nets, strict=True):
        # what every prompt has to send into each node: two states a layer are reduced over all sixteen GPUs
        prompt = 2 * a.layers * 2 * 15 / 16 * 8000 * a.hidden * 2 / (net.gpu_rate * cluster.gpus_per_node)
        assert one.requests_per_s < 1 / prompt
    assert fast.requests_per_s > 8 * slow.requests_per_s
    assert slow.exposed_communication_percent > 90


def test_a_load_that_a_copy_over_two_nodes_carries_is_answered_whole():
    cluster = machine(16)
    asked = serving("deepseek-r1", 16, precision="fp8", prompt_tokens=4000, requests_per_s=3.0)
    found = predict_inference(asked, cluster, [network("ethernet-tcp-100", cluster)])[0]
    assert found.nodes_per_replica == 2 and found.carries > 3.0
    assert found.requests_per_s == pytest.approx(3.0, rel=0.01)


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


def test_a_network_too_slow_for_the_caches_carries_so_many_requests_fewer():
    cluster = machine(16, "h200-sxm")
    nets = [network("ethernet-tcp-10", cluster), network("infiniband-ndr-400", cluster)]
    asked = serving(
        "llama-3.1-70b", 16, precision="fp8", prompt_tokens=4000, disaggregated=True, requests_per_s=4.0, ttft=1.0
    )
    slow, fast = predict_inference(asked, cluster, nets)
    caches = 4.0 * 4000 * 2 * 80 * 8 * 128 * 2  # bytes/s: keys and values, layers, heads of 128 in BF16
    assert slow.sides.link_wanted == pytest.approx(caches / (0.94 * 10e9 / 8), rel=0.01)
    assert slow.requests_per_s < 1.0 and not slow.meets_targets
    assert slow.replicas_needed > 4 * slow.replicas and slow.kv_transfer_s > 1.0
    assert fast.sides.link_wanted < 0.05 and fast.requests_per_s == pytest.approx(4.0) and fast.meets_targets


def test_a_rack_holds_both_sides_and_as_many_instances_as_are_said():
    rack = machine(144, "gb200", 4)
    asked = serving("deepseek-r1", 144, precision="fp8", disaggregated=True)
    inside = predict_inference(asked, rack, [network("none", rack)])[0]
    assert inside.fits and inside.across_nodes_per_request == 0.0
    assert inside.sides.prefill_workers % 2 == inside.sides.decode_workers % 2 == 0
    cluster = machine(64, "h200-sxm")
    said = serving("llama-3.1-70b", 64, precision="fp8", disaggregated=True, prefill_gpus=4, prefill_workers=6,
                   decode_gpus=8, decode_workers=5)  # fmt: skip
    sides = predict_inference(said, cluster, [network("roce-v2-400", cluster)])[0].sides
    assert (sides.prefill_workers, sides.prefill_gpus, sides.decode_workers, sides.decode_gpus) == (6, 4, 5, 8)


class Counted(float):
    """Requests per second of an instance, with how many numbers of instances it was multiplied by."""

    tried = 0

    def __rmul__(self, instances: int) -> float:
        Counted.tried += 1
        return instances * float(self)


def test_instances_of_both_sides_are_the_best_of_all_and_found_by_as_many_trials_as_their_number_has_digits():
    for reader, writer, read, written in ((1, 8, 0.7, 11.0), (8, 8, 3.0, 3.0), (4, 16, 900.0, 0.2), (2, 3, 1e-9, 5.0)):
        for gpus in (2, 11, 64, 999):
            worth = {
                x: min(x * read, (gpus - x * reader) // writer * written) for x in range(1, gpus) if gpus >= x * reader
            }
            best = max(worth, key=lambda x: worth[x]) if gpus >= reader + writer else 0
            writers = (gpus - best * reader) // writer if best else 0
            assert balanced(reader, writer, read, written, gpus) == (best, writers)
    for gpus in (10**3, 10**15, 10**30):
        Counted.tried = 0
        x, y = balanced(4, 8, Counted(3.0), 5.0, gpus)
        assert x * 3.0 == pytest.approx(y * 5.0, rel=0.02)
        assert Counted.tried <= gpus.bit_length() + 2


def test_instances_serve_the_same_whatever_number_of_gpus_they_were_worked_out_for():
    over = [network("infiniband-ndr-400", machine(128))]
    kept = Cuts(machine(128), over)
    for gpus in (128, 32, 64, 256):
        asked, there = serving("deepseek-r1", gpus, disaggregated=True, requests_per_s=4.0, ttft=2.0), machine(gpus)
        [after], [alone] = predict_inference(asked, there, over, kept), predict_inference(asked, there, over)
        assert after.parallelism == alone.parallelism and after.carries == alone.carries
        assert (after.draws == alone.draws).all()


def test_a_target_that_nothing_keeps_even_alone_is_tried_on_no_number_of_gpus(monkeypatch):
    tried, cluster = [], machine(64)
    predicted = sizing.predict_inference
    monkeypatch.setattr(sizing, "predict_inference", lambda *asked: tried.append(asked) or predicted(*asked))
    asked = serving("llama-3.1-70b", 64, disaggregated=True, requests_per_s=1e6)
    over = network("infiniband-ndr-400", cluster)
    for late in ({"ttft": 1e-3}, {"tpot": 1e-12}):
        assert sizing.sizings(replace(asked, **late), cluster, over) == [] == tried
    assert sizing.sizings(replace(asked, ttft=2.0), cluster, over)[0].carries >= 1e6 and len(tried) <= 10


def test_tokens_that_are_guessed_and_accepted_count_only_where_they_are_said():
    node, guesses = machine(8, "h200-sxm"), Guesses(1, 0.85)
    over = [network("none", node)]
    for flying, least, most in ((4, 1.3, 1.85), (1024, 0.9, 1.85)):  # never more than what is accepted
        asked = serving("deepseek-r1", 8, precision="fp8", concurrency=flying)
        plain, guessed = (
            predict_inference(replace(asked, guesses=one), node, over)[0] for one in (NOTHING_GUESSED, guesses)
        )
        assert least < plain.time_per_output_token_s / guessed.time_per_output_token_s < most
    with pytest.raises(ValueError, match="accepted_percent beside speculative_tokens"):
        Inference(speculative_tokens=2)


def test_no_network_takes_less_than_no_time():
    """The steps that two halves of a batch take in turn are compared with steps that have no prompts in them either."""
    for model, gpu, gpus in (("deepseek-v2", "rtx-pro-6000", 2), ("deepseek-r1", "h100-sxm", 32)):
        cluster = machine(gpus, gpu, min(gpus, 8))
        over = [network(one, cluster) for one in ("infiniband-ndr-400", "aws-efa-v3")]
        for guesses in (NOTHING_GUESSED, Guesses(2, 0.7)):
            for how in ({"offline": True}, {"concurrency": 64.0}, {"disaggregated": True}):
                for found in predict_inference(serving(model, gpus, guesses=guesses, **how), cluster, over):
                    assert found.network_wait_s >= 0.0 and 0.0 <= found.exposed_communication_percent <= 100.0


def test_what_is_cached_is_not_read_again_and_comes_over_the_network_from_a_remote_store():
    cluster = machine(16)
    net = [network("infiniband-ndr-400", cluster)]
    fresh, cached, remote = (
        predict_inference(serving("llama-3.1-70b", 16, prompt_tokens=8000, precision="fp8", **said), cluster, net)[0]
        for said in ({}, {"cached": 0.5}, {"cached": 0.5, "fetched_over": "network"})
    )
    assert cached.time_to_first_token_s < 0.8 * fresh.time_to_first_token_s
    assert cached.across_nodes_per_request == 0.0 < remote.across_nodes_per_request
    assert remote.time_to_first_token_s > cached.time_to_first_token_s
