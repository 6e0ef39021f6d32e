"""What moves: the traffic facts that articles get wrong, checked by arithmetic."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.model import all_gather_time, all_reduce_time, predict_training, synchronise
from assistant.vocabulary.questionnaire import Parallelism

from .modelled import azure_sockets, job, machine, network


def ideal(cluster, per_gpu: float):
    """A network of exactly this bandwidth, without latency, ramp or congestion, no reduction in switches."""
    return replace(
        network("infiniband-ndr-400", cluster),
        gpu_rate=per_gpu,
        nic_rate=per_gpu,
        latency=0.0,
        half_message=0.0,
        scale_loss=0.0,
        jitter=0.0,
        in_network_reduction=False,
    )


def test_gradients_of_70b_take_0_61_s_over_eight_ndr_ports_at_eight_nodes():
    cluster = replace(machine(64), scale_up_bandwidth=1e15, scale_up_latency=0.0)
    least = 2 * 7 / 8 * 140 / 400  # 0.6125 s: what must enter a node; NCCL's ring and tree come within 15 % of it
    assert least <= all_reduce_time(ideal(cluster, 50e9), cluster, 140e9) <= 1.15 * least
    one_port = ideal(cluster, 50e9 / 8)
    assert 4.9 <= all_reduce_time(one_port, cluster, 140e9) <= 1.15 * 4.9


def test_an_all_gather_is_a_flat_ring_over_the_link_into_a_node():
    cluster = replace(machine(16), scale_up_bandwidth=1e15, scale_up_latency=0.0)
    assert all_gather_time(ideal(cluster, 3.19e9 / 8), cluster, 15.23e9) == pytest.approx(
        15 / 16 * 15.23 / 3.19, rel=0.001
    )


@pytest.mark.parametrize("nodes", [2, 4, 8])
def test_fully_sharded_training_moves_three_collectives_per_micro_step(nodes):
    cluster = machine(8 * nodes)
    seven = job(
        "qwen2.5-7b",
        8 * nodes,
        global_batch=16 * nodes,
        sequence_length=2048,
        micro_batch=2,
        recompute="full",
        framework="fsdp",
    )
    outcome = predict_training(seven, cluster, [azure_sockets(cluster)], Parallelism(strategy="fsdp"))[0]
    ranks = 8 * nodes
    assert outcome.traffic_into_node["dp"] == pytest.approx(3 * 2 * 7.616e9 * (ranks - 1) / ranks, rel=0.001)


def test_accumulation_repeats_the_gathers_of_sharding_but_not_the_all_reduce_of_ddp():
    cluster = machine(16)

    def moved(strategy, batch):
        one = job("qwen2.5-1.5b", 16, global_batch=batch, sequence_length=2048, micro_batch=1, recompute="full")
        return predict_training(one, cluster, [network("infiniband-ndr-400", cluster)], Parallelism(strategy=strategy))[
            0
        ].traffic_into_node["dp"]

    assert moved("fsdp", 64) == pytest.approx(4 * moved("fsdp", 16))
    assert moved("ddp", 64) == pytest.approx(moved("ddp", 16))


def test_sharding_inside_a_node_sends_an_eighth_between_nodes():
    cluster = machine(64)

    def moved(strategy):
        one = job("llama-3.1-8b", 64, global_batch=64, micro_batch=1, recompute="full")
        return predict_training(one, cluster, [network("infiniband-ndr-400", cluster)], Parallelism(strategy=strategy))[
            0
        ].traffic_into_node["dp"]

    params = 8.03e9
    assert moved("hsdp") == pytest.approx(
        2 * 7 / 8 * 2 * params, rel=0.01
    )  # eight shards, each all-reduced over eight nodes
    assert moved("fsdp") == pytest.approx(3 * 63 / 64 * 2 * params, rel=0.01)


def test_one_diloco_exchange_of_70b_over_a_gigabit_takes_1120_seconds():
    sync = synchronise(70e9 * 2, islands=2, island_rate=1e9 / 8, every=500, latency=0.0)
    assert sync.seconds == pytest.approx(1120)
    assert sync.per_step / (sync.per_step + 10) == pytest.approx(0.18, abs=0.01)  # 22 % on top of steps of 10 s


def test_two_gpus_of_a_mesh_share_one_link_and_eight_use_all_seven():
    """64 GB/s join two MI300X (amd-instinct-datasheets): a seventh of what all of a GPU's links carry."""

    def seconds(gpus: int) -> float:
        cluster = machine(gpus, "mi300x", min(gpus, 8))
        cluster = replace(cluster, scale_up_latency=0.0)
        return all_gather_time(network("none", cluster), cluster, 8e9)

    efficiency = machine(8, "mi300x").scale_up_bandwidth / 448e9
    assert seconds(2) == pytest.approx(8e9 / 2 / (64e9 * efficiency), rel=0.001)
    assert seconds(4) == pytest.approx(8e9 * 3 / 4 / (3 * 64e9 * efficiency), rel=0.001)
    assert seconds(8) == pytest.approx(8e9 * 7 / 8 / (448e9 * efficiency), rel=0.001)
