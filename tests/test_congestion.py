"""What a person says of how the network is built (oversubscription, routing) moves what it should and nothing else."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from pydantic import ValidationError

from assistant import library
from assistant.library.yaml_text import documents
from assistant.model import Cabling, all_gather_time, all_reduce_time, all_to_all_time, machine_of, network_of
from assistant.model.single_collectives import collective_time, send_time
from assistant.planning import plan
from assistant.vocabulary.questionnaire import Questionnaire

LARGE = 1e11  # bytes: so many that latency does not count


def reduce_scatter_time(network, machine, bytes_, gpus):
    return collective_time("reduce_scatter", network, machine, bytes_, gpus)


def _on(nodes: int, **cabling):
    catalog = library.load().catalog
    gpu = catalog.gpus["h100-sxm"]
    machine = machine_of(gpu, catalog.scale_ups[gpu.scale_up], 8 * nodes, 8, catalog.constants)
    return machine, network_of(catalog.fabrics["infiniband-ndr-400"], 8, machine, cabling=Cabling(**cabling))


def _seconds(time, nodes: int, **cabling) -> float:
    machine, network = _on(nodes, **cabling)
    return float(time(network, machine, LARGE, 8 * nodes))


def test_tokens_sent_to_experts_under_other_leaves_share_the_uplinks() -> None:
    free, shared = (_seconds(all_to_all_time, 128, oversubscription=ratio) for ratio in (1.0, 4.0))
    # At 4:1 a leaf has 51 ports for nodes, so 77 of the other 127 nodes are under other leaves, at a quarter of the
    # bandwidth.
    assert shared / free == pytest.approx(4.0 * 77 / 127, rel=0.05)


def test_under_one_leaf_oversubscription_changes_nothing() -> None:
    assert _seconds(all_to_all_time, 32, oversubscription=2.0) == _seconds(all_to_all_time, 32, oversubscription=1.0)


def test_rings_whose_ranks_are_scattered_feel_the_uplinks() -> None:
    free, half, quarter = (_seconds(all_gather_time, 128, oversubscription=ratio) for ratio in (1.0, 2.0, 4.0))
    assert half == free  # half of the neighbours, two thirds of them elsewhere: less than half of what leaves carry
    # 51 nodes under a leaf: of half of the neighbours 77 in 128 are elsewhere, at a quarter of the bandwidth.
    assert quarter / free == pytest.approx(4.0 * 0.5 * 77 / 128, rel=0.05)


def test_static_routing_loses_a_share_of_the_bandwidth_that_does_not_grow_with_nodes() -> None:
    slower = [
        _seconds(all_gather_time, nodes, adaptive_routing=False)
        / _seconds(all_gather_time, nodes, adaptive_routing=True)
        for nodes in (8, 16, 32, 64, 512)
    ]
    assert slower[0] == 1.0
    assert max(slower[1:]) - min(slower[1:]) < 0.02
    # Azure's InfiniBand at 16, 32 and 64 nodes: 309, 284 and 252 GB/s with adaptive routing, 275, 243 and 235 with
    # static.
    assert np.mean(slower[1:4]) == pytest.approx(np.mean([309 / 275, 284 / 243, 252 / 235]), abs=0.01)


def test_a_questionnaire_may_say_both_in_the_words_of_the_field() -> None:
    text = (
        "model: deepseek-v3\nworkload: pretraining\ncluster: {gpu: h100-sxm, gpus: 2048, oversubscription: 2:1, "
        "adaptive_routing: no}"
    )
    cluster = Questionnaire.model_validate(next(documents(text, "job.yaml")).value).cluster
    assert (cluster.oversubscription, cluster.adaptive_routing) == (2.0, False)


def test_a_plan_says_what_it_takes_the_spines_for() -> None:
    knowledge = library.load()
    job = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": 512}}
    made = plan(Questionnaire.model_validate(job), knowledge)
    assert [a.value for a in made.assumptions if a.field == "cluster.oversubscription"] == [1.0]
    job["cluster"]["oversubscription"] = "2:1"
    made = plan(Questionnaire.model_validate(job), knowledge)
    assert not [a for a in made.assumptions if a.field == "cluster.oversubscription"]
    assert any("by chance" in warning.message for warning in made.warnings if warning.code == "oversubscribed")
    assert not any("oversubscription" in question for question in made.questions_for_provider)


def test_a_pipeline_whose_stages_fill_leaves_feels_the_whole_ratio() -> None:
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-405b",
        "cluster": {"gpu": "h100-sxm", "gpus": 4096},
        "parallelism": {"strategy": "zero1", "tp": 8, "pp": 8},
        "training": {"global_batch": 2048, "micro_batch": 1},
    }
    sends = {}
    for ratio in (1, 8):
        job["cluster"]["oversubscription"] = ratio
        made = plan(Questionnaire.model_validate(job), library.load(), index=None)
        sends[ratio] = next(c for c in made.candidates if c.fabric == "infiniband-ndr-400").breakdown_s.pp_p2p
    assert sends[8] > 1.5 * sends[1]


@pytest.mark.parametrize(
    ("text", "ratio"), [("2:1", 2.0), ("3 to 2", 1.5), ("4x", 4.0), ("non-blocking", 1.0), ("no", 1.0), (2, 2.0)]
)
def test_a_ratio_is_read_as_people_write_it(text, ratio) -> None:
    cluster = {"gpu": "h100-sxm", "gpus": 64, "oversubscription": text}
    assert (
        Questionnaire.model_validate(
            {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": cluster}
        ).cluster.oversubscription
        == ratio
    )


@pytest.mark.parametrize("text", ["1:2", "half", "", "0", "-2"])
def test_what_is_no_ratio_of_at_least_one_is_refused(text) -> None:
    cluster = {"gpu": "h100-sxm", "gpus": 64, "oversubscription": text}
    with pytest.raises(ValidationError):
        Questionnaire.model_validate({"workload": "pretraining", "model": "llama-3.1-8b", "cluster": cluster})


def test_spraying_fabrics_stay_adaptive_whatever_is_said_of_the_routing() -> None:
    machine, _ = _on(64)
    fabric = library.load().catalog.fabrics["spectrum-x-400"]
    assert (
        len(
            {
                network_of(fabric, None, machine, cabling=Cabling(adaptive_routing=way)).routing_share
                for way in (None, True, False)
            }
        )
        == 1
    )


def test_sockets_do_not_care_how_switches_route() -> None:
    machine, _ = _on(64)
    tcp = library.load().catalog.fabrics["ethernet-tcp-100"]
    ways = [
        network_of(tcp, None, machine, cabling=Cabling(adaptive_routing=way)).routing_share
        for way in (None, True, False)
    ]
    assert len(set(ways)) == 1
    assert np.isfinite(replace(network_of(tcp, None, machine)).gpu_rate)


def test_oversubscribed_leaves_make_the_plan_less_sure_and_it_says_so() -> None:
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-8b",
        "cluster": {"gpu": "h100-sxm", "gpus": 1024, "fabric": "roce-v2-400"},
        "parallelism": {"strategy": "zero1"},
        "training": {"global_batch": 1024, "sequence_length": 1024},  # little work: most of a step is the network
    }
    free = plan(Questionnaire.model_validate(job), library.load(), index=None)
    job["cluster"]["oversubscription"] = "3:1"
    shared = plan(Questionnaire.model_validate(job), library.load(), index=None)
    width = [_width(next(c for c in made.candidates if c.fabric == "roce-v2-400")) for made in (free, shared)]
    assert width[1] > width[0]
    said = [warning.message for warning in shared.warnings if warning.code == "outside-calibration"]
    assert any("oversubscribed" in message for message in said)


def _width(candidate) -> float:
    return candidate.step_time_s.p90 / candidate.step_time_s.p10


def test_switches_that_add_shorten_all_three_collectives_and_help_small_messages_most() -> None:
    for time in (all_gather_time, all_reduce_time, reduce_scatter_time):
        gains = []
        for bytes_ in (1e6, LARGE):
            (machine, without), (_, adding) = _on(64), _on(64, in_network=True)
            gains.append(time(without, machine, bytes_, 512) / time(adding, machine, bytes_, 512))
        assert gains[0] > 2.0 and gains[0] > gains[1] > 1.0


def test_switches_that_add_enter_the_step_where_they_are() -> None:
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-8b",
        "cluster": {"gpu": "h100-sxm", "gpus": 1024},
        "training": {"global_batch": 1024, "micro_batch": 1},
        "parallelism": {"strategy": "fsdp"},
    }
    steps = {}
    for adds in (False, True):
        job["cluster"]["in_network_reduction"] = adds
        made = plan(Questionnaire.model_validate(job), library.load(), index=None)
        steps[adds] = {c.fabric: c.step_time_s.p50 for c in made.candidates if c.step_time_s}
    assert steps[True]["infiniband-ndr-400"] < 0.95 * steps[False]["infiniband-ndr-400"]
    assert steps[True]["roce-v2-400"] == steps[False]["roce-v2-400"]  # Ethernet switches do not add


def test_tokens_cross_the_node_first_where_nothing_joins_the_rails() -> None:
    joined, apart = (_seconds(all_to_all_time, 16, topology=way) for way in ("rail", "rail-only"))
    assert 1.05 < apart / joined < 1.15  # 8 to 11 % in the study of rail-only networks (2307.12169)
    assert _seconds(all_gather_time, 16, topology="rail-only") == _seconds(all_gather_time, 16)


def test_leaves_hold_more_nodes_by_planes_and_fewer_where_a_node_hangs_on_one() -> None:
    held = {
        name: _on(64, **cabling)[1].leaf_domains
        for name, cabling in {
            "rail": {},
            "planes": {"topology": "plane", "planes": 4},
            "one leaf": {"topology": "fat-tree"},
            "rail-only": {"topology": "rail-only"},
        }.items()
    }
    assert held == {"rail": 32, "planes": 128, "one leaf": 4, "rail-only": 64}


def test_a_hashed_flow_keeps_to_one_plane() -> None:
    machine, spread = _on(2, topology="plane", planes=4, adaptive_routing=True)
    _, hashed = _on(2, topology="plane", planes=4, adaptive_routing=False)
    assert send_time(hashed, machine, LARGE) == pytest.approx(4.0 * send_time(spread, machine, LARGE), rel=0.01)


def test_roce_without_flow_control_is_slower_and_less_sure() -> None:
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 64}}
    job["parallelism"] = {"strategy": "fsdp"}
    found = {}
    for lossless in (True, False):
        job["cluster"]["lossless"] = lossless
        made = plan(Questionnaire.model_validate(job), library.load(), index=None)
        found[lossless] = {c.fabric: c for c in made.candidates if c.step_time_s}
    one, other = (found[lossless]["roce-v2-100"] for lossless in (True, False))
    assert other.step_time_s.p50 > 1.1 * one.step_time_s.p50 and _width(other) > _width(one)
    ib = [found[lossless]["infiniband-ndr-400"].step_time_s.p50 for lossless in (True, False)]
    assert ib[0] == ib[1]
