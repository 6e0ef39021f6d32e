"""Ethernet at the rate that was said, down to 100 Mb/s, however it was said."""

from __future__ import annotations

import pytest

from assistant import api, library
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.questionnaire import Questionnaire

LIBRARY = library.load()


@pytest.mark.parametrize(
    ("said", "fabric"),
    [
        ("pretrain 7B on 16 H100 over 1 Gb/s ethernet", "ethernet-tcp-1"),
        ("pretrain 1B on 4 nodes of 8 A100 with gigabit ethernet", "ethernet-tcp-1"),
        ("pretrain 1B on 16 A100, GbE", "ethernet-tcp-1"),
        ("pretrain 1B on 16 A100 with ddp, gigabit", "ethernet-tcp-1"),
        ("1 GbE, 16 A100, pretrain 1B", "ethernet-tcp-1"),
        ("train 1b on 16 a100, 100 Mb/s", "ethernet-tcp-0.1"),
        ("pretrain 7B on 32 H100, the network is 100 Mb/s", "ethernet-tcp-0.1"),
        ("pretrain 7B on 32 H100 over 100 Mbit ethernet", "ethernet-tcp-0.1"),
        ("pretrain 7B on 16 H100 over 1 Gb/s", "ethernet-tcp-1"),
        ("pretrain 7B on 32 H100 with half a gigabit ethernet", "ethernet-tcp-0.5"),
        ("train 7B on 16 H100 with 2.5GbE", "ethernet-tcp-2.5"),
        ("10GbE, 16 A100, pretrain 1B", "ethernet-tcp-10"),
        ("pretrain 7B on 16 H100 over 40GbE", "ethernet-tcp-40"),
        ("7B on 64 H100 with 100 gigabit ethernet", "ethernet-tcp-100"),
        ("pretrain 1B on 16 A100 over 12.5 GB/s ethernet", "ethernet-tcp-100"),
        ("pretrain 1B on 16 A100, the network does 100 MB/s", "ethernet-tcp-0.8"),
        ("pretrain 7B on 64 H100 on 400 GB/s InfiniBand", "infiniband-ndr-400"),
        ("7B pretraining on 32 H100, storage reads at 5 Gb/s", None),
        ("pretrain 70B on 64 H100, storage at 10 GB/s, 40 Gb/s ethernet", "ethernet-tcp-40"),
        ("pretrain 70B on 64 H100, 10 GB/s storage and 400 Gb/s InfiniBand", "infiniband-ndr-400"),
        ("pretrain 70B on 64 H100, storage over 25 GbE", None),
        ("how many gigabit per GPU do we need for 70B on 64 H100", None),
    ],
)
def test_a_rate_that_is_said_is_the_rate_of_the_network(said: str, fabric: str | None) -> None:
    assert api.understand(said).fields.get("cluster.fabric") == fabric


def _questionnaire(fabric: str, gpus: int = 16, per_node: int = 8) -> Questionnaire:
    return Questionnaire.model_validate(
        {
            "workload": "pretraining",
            "model": "llama-3.1-8b",
            "cluster": {"gpu": "h100-sxm", "gpus": gpus, "gpus_per_node": per_node, "fabric": fabric},
            "training": {"sequence_length": 8192, "global_batch": gpus, "micro_batch": 1, "recompute": "full"},
            "parallelism": {"strategy": "ddp"},
        }
    )


@pytest.mark.parametrize("gbps", [0.1, 0.5, 1.0, 2.5, 10.0])
@pytest.mark.parametrize(("gpus", "per_node"), [(16, 8), (32, 8), (4, 1)])
def test_a_step_of_data_parallel_training_is_ring_volume_over_what_the_rate_gives(gbps, gpus, per_node) -> None:
    fabric = LIBRARY.catalog.fabrics[f"ethernet-tcp-{gbps:g}"]
    assert fabric.line_rate and fabric.bandwidth_efficiency and fabric.nic_rate == gbps * 1e9 / 8
    made = api.predict(_questionnaire(fabric.id, gpus, per_node).model_dump(exclude_unset=True))
    volume = 2 * (gpus - 1) / gpus * 2 * LIBRARY.catalog.models["llama-3.1-8b"].params.value
    assert made.step_time_s == pytest.approx(volume / (fabric.nic_rate * fabric.bandwidth_efficiency.si), rel=0.15)


@pytest.mark.parametrize("name", ["ethernet-tcp-1000", "ethernet-tcp-0", "ethernet-tcp-1.0", "roce-v2-1"])
def test_a_rate_that_does_not_exist_is_no_network(name: str) -> None:
    assert name not in LIBRARY.catalog.fabrics


@pytest.mark.parametrize(
    ("name", "meant"),
    [("1GbE", "ethernet-tcp-1"), ("GbE", "ethernet-tcp-1"), ("gigabit ethernet", "ethernet-tcp-1"),
     ("2.5 gigabit ethernet", "ethernet-tcp-2.5"), ("10GbE", "ethernet-tcp-10")],
)  # fmt: skip
def test_a_questionnaire_with_another_name_is_told_the_id(name: str, meant: str) -> None:
    with pytest.raises(InputError, match=f"did you mean {meant}\\?"):
        api.plan({"workload": "pretraining", "model": "llama-3.1-8b",
                  "cluster": {"gpu": "h100-sxm", "gpus": 16, "fabric": name}})  # fmt: skip


def test_the_plan_names_the_rate_that_was_said() -> None:
    asked = {"workload": "pretraining", "model": {"params": "1B"},
             "cluster": {"gpu": "h100-sxm", "gpus": 16, "fabric": "ethernet-tcp-1"}}  # fmt: skip
    made = api.plan(asked)
    assert made.recommendation.fabric == "ethernet-tcp-1"
    card = made.recommendation.card
    assert card is not None and "Ethernet 1 Gb/s" in card.do
    listed = [c.fabric for c in made.candidates if c.fabric not in dict(LIBRARY.catalog.fabrics)]
    assert listed == ["ethernet-tcp-1"]


def test_a_question_is_answered_at_the_rate_that_was_said() -> None:
    found = api.ask("how long is the all-reduce of 7B over gigabit ethernet on 4 nodes?")
    assert "over Ethernet 1 Gb/s, TCP sockets at least 2.80 min at line rate" in str(found)


def test_two_stages_send_activations_and_gradients_across_at_once() -> None:
    made = api.predict(
        {
            "workload": "pretraining",
            "model": "llama-3.1-70b",
            "cluster": {"gpu": "h100-sxm", "gpus": 16, "fabric": "ethernet-tcp-1"},
            "training": {"sequence_length": 8192, "global_batch": 32, "micro_batch": 1},
            "parallelism": {"tp": 8, "pp": 2, "dp": 1},
        }
    )
    each_way = 32 * 8192 * 8192 * 2
    assert made.breakdown_s.pp_p2p == pytest.approx(each_way / (0.94 * 1e9 / 8), rel=0.1)
