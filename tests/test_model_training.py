"""Predictions of training: parts add up, measured slowdowns come out, layouts make sense."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assistant.model import predict_training, sweep
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.questionnaire import Parallelism

from .modelled import azure_sockets, catalog, job, machine, network

# Corrected Azure runs (JingchaoZhang.github.io, 2026-02-15): tokens/s in total on InfiniBand and on TCP sockets.
AZURE = [
    ("qwen2.5-7b", 2, 2, 131018, 4968),
    ("qwen2.5-7b", 2, 4, 262201, 9439),
    ("qwen2.5-7b", 2, 8, 502991, 18710),
    ("qwen2.5-72b", 1, 2, 9127, 203),
    ("qwen2.5-72b", 1, 4, 17604, 402),
    ("qwen2.5-72b", 1, 8, 30175, 784),
    ("mixtral-8x7b", 1, 2, 22520, 398),
    ("mixtral-8x7b", 1, 4, 44239, 774),
    ("mixtral-8x7b", 1, 8, 83583, 1501),
]


def azure(model: str, micro_batch: int, nodes: int):
    cluster = machine(8 * nodes)
    run = job(
        model,
        8 * nodes,
        workload="finetuning",
        sequence_length=2048,
        global_batch=8 * nodes * micro_batch,
        micro_batch=micro_batch,
        recompute="full",
        framework="fsdp",
    )
    return predict_training(
        run, cluster, [network("infiniband-ndr-400", cluster), azure_sockets(cluster)], Parallelism(strategy="fsdp")
    )


@pytest.mark.parametrize(("model", "micro_batch", "nodes", "infiniband", "tcp"), AZURE)
def test_the_slowdown_of_tcp_is_the_measured_one(model, micro_batch, nodes, infiniband, tcp):
    fast, slow = azure(model, micro_batch, nodes)
    assert slow.step_time_s / fast.step_time_s == pytest.approx(infiniband / tcp, rel=0.25)


@pytest.mark.parametrize(("model", "micro_batch", "nodes", "infiniband", "tcp"), AZURE)
def test_the_catalogs_tcp_is_as_slow_as_the_measured_one(model, micro_batch, nodes, infiniband, tcp):
    cluster = machine(8 * nodes)
    run = job(
        model,
        8 * nodes,
        sequence_length=2048,
        global_batch=8 * nodes * micro_batch,
        micro_batch=micro_batch,
        recompute="full",
        framework="fsdp",
    )
    nets = [network("infiniband-ndr-400", cluster), network("ethernet-tcp-100", cluster)]
    fast, slow = predict_training(run, cluster, nets, Parallelism(strategy="fsdp"))
    assert slow.step_time_s / fast.step_time_s == pytest.approx(infiniband / tcp, rel=0.25)


def test_compute_per_gpu_does_not_shrink_with_more_nodes():
    compute = [azure("qwen2.5-7b", 2, nodes)[0].breakdown.compute for nodes in (2, 4, 8)]
    assert compute == pytest.approx([compute[0]] * 3, rel=0.01)  # the slowest of more GPUs is a little slower


@pytest.mark.parametrize(
    "parallelism",
    [
        None,
        Parallelism(strategy="fsdp"),
        Parallelism(strategy="zero1", tp=8, pp=4, sequence_parallel=True),
        Parallelism(strategy="zero1", tp=4, pp=4, interleave=2),
        Parallelism(strategy="hsdp", cp=2),
        Parallelism(strategy="async", tp=8),
    ],
)
def test_the_parts_of_a_step_add_up(parallelism):
    cluster = machine(64)
    run = job("llama-3.1-70b", 64, sequence_length=8192, global_batch=512, framework="megatron")
    for outcome in predict_training(
        run,
        cluster,
        [network(f, cluster) for f in ("infiniband-ndr-400", "roce-v2-100", "ethernet-tcp-100")],
        parallelism,
    ):
        parts = outcome.breakdown.model_dump()
        assert sum(parts.values()) == pytest.approx(outcome.step_time_s)
        assert min(parts.values()) >= 0
        assert outcome.tokens_per_s_per_gpu == pytest.approx(512 * 8192 / 64 / outcome.step_time_s)
        assert outcome.band.p10 < outcome.band.p50 < outcome.band.p90
        assert outcome.band.p50 == pytest.approx(outcome.step_time_s, rel=0.1)


def test_experts_over_nodes_pay_for_their_all_to_all():
    cluster = machine(64, gpus_per_node=4)
    run = job(
        "mixtral-8x7b",
        64,
        sequence_length=4096,
        global_batch=256,
        framework="megatron",
        recompute="full",
        micro_batch=1,
    )
    nets = [network("infiniband-ndr-400", cluster), network("ethernet-tcp-100", cluster)]
    fast, slow = predict_training(run, cluster, nets, Parallelism(strategy="zero1", ep=8, tp=2, pp=2))
    assert fast.breakdown.ep > 0 and slow.breakdown.ep > 5 * fast.breakdown.ep


def test_a_slow_network_has_another_best_layout_than_a_fast_one():
    cluster = machine(64)
    run = job("llama-3.1-70b", 64, sequence_length=8192, global_batch=512)
    fast, slow = predict_training(
        run, cluster, [network("infiniband-ndr-400", cluster), network("ethernet-tcp-25", cluster)]
    )
    assert fast.parallelism != slow.parallelism
    kept = Parallelism(**{k: v for k, v in fast.parallelism.items() if k not in ("micro_batch", "recompute", "dp")})
    assert predict_training(run, cluster, [network("ethernet-tcp-25", cluster)], kept)[0].step_time_s > slow.step_time_s


def test_a_single_node_does_not_care_about_the_network():
    cluster = machine(8)
    run = job("llama-3.1-8b", 8, global_batch=64)
    outcomes = predict_training(
        run, cluster, [network(f, cluster) for f in ("none", "ethernet-tcp-10", "infiniband-ndr-400")]
    )
    assert len({round(o.step_time_s, 9) for o in outcomes}) == 1
    assert all(not any(o.traffic_into_node.values()) for o in outcomes)


def test_no_network_cannot_join_two_nodes():
    cluster = machine(16)
    run = job("llama-3.1-8b", 16, global_batch=64)
    assert not predict_training(run, cluster, [network("none", cluster)])[0].fits


def test_what_does_not_fit_says_so():
    cluster = machine(8)
    outcome = predict_training(job("llama-3.1-405b", 8, global_batch=8), cluster, [network("none", cluster)])[0]
    assert not outcome.fits and outcome.memory_bytes > cluster.memory


def test_published_layouts_that_ran_fit_and_those_that_cannot_do_not():
    cluster = machine(64)
    run = job("llama-3.1-70b", 64, sequence_length=8192, global_batch=64, framework="fsdp")
    sharded = predict_training(run, cluster, [network("infiniband-ndr-400", cluster)], Parallelism(strategy="fsdp"))[0]
    copied = predict_training(run, cluster, [network("infiniband-ndr-400", cluster)], Parallelism(strategy="ddp"))[0]
    assert sharded.fits and not copied.fits


def test_larger_batches_make_data_parallel_less_sensitive_to_the_network():
    cluster = machine(32)

    def slowdown(batch):
        run = job("llama-3.2-1b", 32, global_batch=batch, micro_batch=1, recompute="full")
        fast, slow = predict_training(
            run, cluster, [network(f, cluster) for f in ("infiniband-ndr-400", "ethernet-tcp-25")], Parallelism()
        )
        return slow.step_time_s / fast.step_time_s

    assert slowdown(2048) < slowdown(128) / 2


def test_worlds_are_the_same_for_every_network_and_every_call():
    cluster = machine(32)
    run = job("llama-3.1-8b", 32, global_batch=128)
    nets = [network(f, cluster) for f in ("infiniband-ndr-400", "roce-v2-400", "ethernet-tcp-100")]
    first, again = predict_training(run, cluster, nets), predict_training(run, cluster, nets[::-1])[::-1]
    for one, other in zip(first, again, strict=True):
        assert np.array_equal(one.draws, other.draws)
    assert np.corrcoef(first[0].draws, first[1].draws)[0, 1] > 0.8


def test_an_unknown_framework_widens_the_band():
    cluster = machine(32)

    def width(framework):
        run = job("llama-3.1-8b", 32, global_batch=128, framework=framework)
        band = predict_training(run, cluster, [network("infiniband-ndr-400", cluster)])[0].band
        return band.p90 / band.p10

    assert width(None) > width("megatron")


def test_a_sweep_shows_where_the_line_rate_stops_to_matter():
    cluster = machine(64)
    run = job("llama-3.1-8b", 64, global_batch=256)
    times = sweep(
        run,
        cluster,
        [network("roce-v2-100", cluster)],
        None,
        {"line_rate": [0.1, 1, 10, 100], "gpus": [64, 128, 100003]},
    )
    assert np.all(np.diff(times["line_rate"][0]) <= 1e-12)
    assert times["gpus"][0, 1] < times["gpus"][0, 0] and np.isnan(times["gpus"][0, 2])


def test_sites_that_meet_rarely_train_over_a_wide_area_link():
    cluster = machine(16)

    def trained(wan):
        run = job("llama-3.2-1b", 16, global_batch=64, sites=2, wan_bytes_per_s=wan)
        return predict_training(run, cluster, [network("wan-low-communication", cluster)])[0]

    slow, fast = trained(1e9 / 8), trained(1e15)
    assert slow.fits and slow.parallelism["strategy"] == "diloco"
    assert (slow.step_time_s - fast.step_time_s) * 500 == pytest.approx(
        2 * 1.236e9 / (1e9 / 8), rel=0.01
    )  # one exchange in 500 steps


def test_a_batch_smaller_than_the_ranks_is_refused_with_one_sentence():
    cluster = machine(64)
    with pytest.raises(InputError, match="data-parallel ranks"):
        predict_training(
            job("llama-3.1-8b", 64, global_batch=8), cluster, [network("none", cluster)], Parallelism(strategy="fsdp")
        )


def test_every_gpu_and_every_fabric_of_the_catalog_can_be_computed():
    for gpu in catalog().gpus.values():
        cluster = machine(32, gpu.id)
        run = job("llama-3.1-8b", 32, global_batch=128)
        for outcome in predict_training(run, cluster, [network(f, cluster) for f in catalog().fabrics]):
            assert np.isfinite(outcome.step_time_s) and outcome.step_time_s > 0


def parts(strategy: str, gpus: int = 64, model: str = "llama-3.1-8b", fabric: str = "roce-v2-100", **split):
    cluster = machine(gpus)
    one = job(
        model, gpus, global_batch=gpus, sequence_length=2048, micro_batch=1, recompute="full", framework="megatron"
    )
    return predict_training(one, cluster, [network(fabric, cluster)], Parallelism(strategy=strategy, **split))[
        0
    ].breakdown


def test_gradients_and_their_replicas_share_the_backward_pass_they_hide_behind():
    hidden, shown = (
        predict_training(
            replace(
                job(
                    "llama-3.1-8b",
                    64,
                    global_batch=64,
                    sequence_length=2048,
                    micro_batch=1,
                    recompute="full",
                    framework="megatron",
                ),
                gradient_overlap=overlap,
            ),
            machine(64),
            [network("roce-v2-100", machine(64))],
            Parallelism(strategy="zero1", shard_within_node=True),
        )[0].breakdown
        for overlap in (True, False)
    )
    windows = hidden.compute + hidden.recompute  # one micro-batch: everything that anything could hide behind
    assert 0 < shown.dp - hidden.dp <= windows


def test_async_training_updates_every_weight_on_every_gpu_as_ddp_does():
    assert parts("async", tp=8).optimizer == pytest.approx(parts("ddp", tp=8).optimizer)
    assert parts("zero1", tp=8).optimizer < parts("ddp", tp=8).optimizer / 4


def test_windows_spare_a_model_most_of_a_long_sequences_attention():
    on = machine(64, "h100-sxm", 8)
    run = job("gemma-3-27b", 64, sequence_length=131_072, global_batch=16, framework="megatron")
    split = Parallelism(tp=8, sequence_parallel=True)
    without = replace(run, architecture=replace(run.architecture, sliding_layers=0))
    seconds = [predict_training(one, on, [network("infiniband-ndr-400", on)], split)[0] for one in (run, without)]
    assert seconds[0].step_time_s < 0.6 * seconds[1].step_time_s


def test_a_synchronous_step_goes_at_the_pace_of_the_slowest_gpu():
    """The same work for each GPU: what compute takes grows with the number of GPUs, by a few percent in all."""

    def compute(gpus: int) -> float:
        cluster = machine(gpus)
        run = job("llama-3.1-8b", gpus, global_batch=4 * gpus, micro_batch=1, recompute="none", framework="megatron")
        [made] = predict_training(run, cluster, [network("infiniband-ndr-400", cluster)], Parallelism(strategy="zero1"))
        return made.breakdown.compute

    node, hundred, thousand = compute(8), compute(128), compute(1024)
    assert node < hundred < thousand < 1.06 * node
    assert hundred - node > thousand - hundred  # the slowest of many is hardly slower than the slowest of a few


def test_buffers_are_cleared_and_weights_cast_once_however_many_micro_batches_a_step_has():
    cluster = machine(64)

    def once(batches: int, precision: str, framework: str = "megatron") -> float:
        run = job(
            "llama-3.1-8b",
            64,
            global_batch=64 * batches,
            micro_batch=1,
            recompute="none",
            framework=framework,
            precision=precision,
        )
        [made] = predict_training(run, cluster, [network("infiniband-ndr-400", cluster)], Parallelism(strategy="zero1"))
        return made.breakdown.optimizer

    assert once(1, "bf16") == once(16, "bf16")
    assert once(1, "bf16") > once(1, "bf16", "fsdp")  # who keeps no such buffer clears none
    params = job("llama-3.1-8b", 64).architecture.params
    casts = (once(1, "fp8") - once(1, "bf16")) * cluster.memory_bandwidth * cluster.memory_efficiency
    assert casts == pytest.approx(4.0 * params, rel=0.15)  # embedding and head stay in 16 bits
