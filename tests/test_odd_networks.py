"""Nodes of odd sizes and joints, racks, slow links: what crosses adapters and how fast."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.model import (
    Job,
    all_gather_time,
    all_reduce_time,
    architecture_of,
    bus_bandwidth,
    machine_of,
    network_of,
    predict_training,
)
from assistant.model.single_collectives import collective_time, send_time
from assistant.planning.resolve import resolve
from assistant.vocabulary.questionnaire import Parallelism, Questionnaire

GIB = 2.0**30
CATALOG = library.load().catalog


def _machine(gpu: str, gpus: int, per_node: int = 8):
    entry = CATALOG.gpus[gpu]
    link = CATALOG.scale_up_of(entry, gpus, per_node)
    return machine_of(entry, link, gpus, per_node, CATALOG.constants, CATALOG.bridge_of(entry))


def _network(fabric: str, machine, nics: int | None = None):
    return network_of(CATALOG.fabrics[fabric], nics, machine)


@pytest.mark.parametrize(("gpu", "per_node"), [("v100-sxm", 16), ("a100-sxm-80gb", 16), ("l40s", 10), ("gh200", 4)])
def test_a_node_is_one_domain_whatever_its_size(gpu, per_node) -> None:
    machine = _machine(gpu, 2 * per_node, per_node)
    assert (machine.domain, machine.domains) == (per_node, 2)


def test_a_ring_crosses_the_adapters_of_a_node_of_sixteen_once() -> None:
    machine = _machine("v100-sxm", 32, 16)
    network = _network("infiniband-hdr-200", machine, 4)
    whole = GIB * 31 / 32 / (4 * CATALOG.fabrics["infiniband-hdr-200"].nic_rate * 0.94)
    assert all_gather_time(network, machine, GIB) == pytest.approx(whole, rel=0.1)


def test_half_a_node_has_half_its_adapters() -> None:
    four, eight = _machine("h100-sxm", 8, 4), _machine("h100-sxm", 16, 8)
    rates = [_network("infiniband-ndr-400", machine).gpu_rate for machine in (four, eight)]
    assert rates[0] == rates[1]


def test_neighbours_on_a_bridge_have_it_and_four_cards_have_pcie() -> None:
    machine = _machine("h100-nvl", 8)
    network = _network("none", machine)
    pair, four = (
        bus_bandwidth("all_reduce", GIB, all_reduce_time(network, machine, GIB, gpus=n), n) / 1e9 for n in (2, 4)
    )
    assert pair == pytest.approx(116, rel=0.03)  # measured between two H100 PCIe on bridges
    assert four == pytest.approx(31.5, rel=0.03)
    apart = collective_time("all_reduce", network, machine, GIB, gpus=2, ranks_per_node=2)
    assert bus_bandwidth("all_reduce", GIB, apart, 2) / 1e9 == pytest.approx(31.5, rel=0.03)


def test_a_pair_of_a100_on_bridges_is_as_fast_as_measured() -> None:
    machine = _machine("a100-pcie-80gb", 4, 4)
    network, bytes_ = _network("none", machine), 512_493_570
    # microsoft/vidur, a100_pairwise_nvlink: 2,635 us on two, 32,485 us on four
    for gpus, measured in ((2, 2_635e-6), (4, 32_485e-6)):
        assert all_reduce_time(network, machine, bytes_, gpus=gpus) == pytest.approx(measured, rel=0.05)


def test_racks_are_joined_by_the_adapters_that_rings_cross() -> None:
    speeds = []
    for racks in (1, 2, 20):
        machine = _machine("gb200", 72 * racks, 4)
        seconds = all_reduce_time(_network("infiniband-ndr-400", machine), machine, 8 * GIB)
        speeds.append(bus_bandwidth("all_reduce", 8 * GIB, seconds, 72 * racks) / 1e9)
    assert speeds[0] > 800
    assert 200 < speeds[2] < 400 < speeds[1] < speeds[0]  # 392 GB/s is what eight adapters carry


@pytest.mark.parametrize(("gpus", "said"), [(72, []), (144, [8])])
def test_how_many_adapters_of_a_rack_a_ring_uses_is_said_where_there_are_several(gpus: int, said: list[int]) -> None:
    asked = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "gb200", "gpus": gpus}}
    taken = resolve(Questionnaire.model_validate(asked), CATALOG).assumptions
    assert [one.value for one in taken if one.field == "model.rack_adapters"] == said


def test_a_lone_sender_fills_nearly_its_adapter() -> None:
    machine = _machine("h100-sxm", 16)
    assert GIB / send_time(_network("infiniband-ndr-400", machine), machine, GIB) / 1e9 == pytest.approx(44, abs=1)


def _step(machine, network, strategy: str, within_node: bool = False) -> float:
    shape = architecture_of(CATALOG.models["llama-3.1-8b"])
    job = Job(shape, machine.gpus, global_batch=machine.gpus, micro_batch=1, framework="fsdp", recompute="full")
    split = Parallelism.model_validate({"strategy": strategy, "shard_within_node": within_node})
    return predict_training(job, machine, [network], split)[0].step_time_s


@pytest.mark.parametrize("gbps", [0.1, 1.0, 10.0])
@pytest.mark.parametrize(("strategy", "passes"), [("ddp", 2), ("zero1", 2), ("fsdp", 3), ("hsdp", 2 / 8)])
def test_where_the_network_is_the_bottleneck_the_step_is_ring_volume_over_what_the_link_gives(
    gbps, strategy, passes
) -> None:
    slow = CATALOG.fabrics["ethernet-tcp-10"]
    assert slow.line_rate and slow.bandwidth_efficiency
    rate = slow.line_rate.model_copy(update={"value": gbps})
    machine = _machine("h100-sxm", 32)
    network = network_of(slow.model_copy(update={"line_rate": rate}), None, machine)
    # Groups of HSDP that share the adapter: one for each GPU of a node.
    ranks, groups = (4, 8) if strategy == "hsdp" else (32, 1)
    volume = passes * groups * 2.0 * architecture_of(CATALOG.models["llama-3.1-8b"]).params * (ranks - 1) / ranks
    through_the_link = volume / (rate.si * slow.bandwidth_efficiency.si)
    assert _step(machine, network, strategy, strategy == "hsdp") == pytest.approx(through_the_link, rel=0.15)


@pytest.mark.parametrize(
    ("gbps", "step_s"),
    # Adnan082/diloco-measured: 30.8M parameters on four nodes over NCCL sockets, all steps synchronised in FP32; the
    # link as shaped, and a step of which 25 ms are compute.
    [(0.05, 38.0), (0.2, 8.30), (1, 1.533), (5, 0.344)],
)
def test_slow_links_give_the_share_that_was_measured(gbps, step_s) -> None:
    slow = CATALOG.fabrics[f"ethernet-tcp-{gbps:g}"]
    assert slow.bandwidth_efficiency
    ring_s = 2 * 3 / 4 * 30.8e6 * 4 / slow.nic_rate
    assert 0.025 + ring_s / slow.bandwidth_efficiency.si == pytest.approx(step_s, rel=0.05)


def test_sharding_over_all_ranks_costs_the_more_against_within_the_node_the_more_there_are() -> None:
    ratios = []
    for gpus in (64, 256, 1024):
        machine = _machine("h100-sxm", gpus)
        network = _network("infiniband-ndr-400", machine)
        ratios.append(_step(machine, network, "fsdp") / _step(machine, network, "hsdp", True))
    assert ratios[0] < ratios[1] < ratios[2] and ratios[2] > 1.2
