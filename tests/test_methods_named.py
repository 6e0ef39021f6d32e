"""Methods whose islands meet rarely are shown under the name that they were given; unused ones are assumed nowhere."""

from __future__ import annotations

import pytest

from assistant import api

FAST = {"gpu": "h100-sxm", "gpus": 64}


@pytest.mark.parametrize(
    ("strategy", "named"), [("fedavg", "federated averaging"), ("localsgd", "local SGD"), ("diloco", "DiLoCo")]
)
@pytest.mark.parametrize("cluster", [FAST | {"sites": 4, "wan_gbps": 1}, FAST | {"fabric": "ethernet-tcp-10"}])
def test_the_method_is_shown_as_it_was_named(strategy: str, named: str, cluster: dict) -> None:
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-8b",
        "cluster": cluster,
        "parallelism": {"strategy": strategy},
    }
    made = api.plan(job)
    told = [one.message for one in made.warnings if one.code == "fixed-parallelism"]
    assert len(told) == 1 and f"the split you fixed (tp 1, pp 1, {named})" in told[0]
    chosen = next(one for one in made.candidates if one.fabric == made.recommendation.fabric)
    assert chosen.parallelism["strategy"] == strategy
    text = made.written()
    assert f"Split: {named}" in text
    assert f"Low-communication training ({named}) exchanges weights once per" in " ".join(text.split())


def test_inner_steps_of_the_method_that_was_named_are_told() -> None:
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": FAST | {"fabric": "ethernet-tcp-10"}}
    made = api.plan(job | {"parallelism": {"strategy": "localsgd"}})
    assert "exchanges weights once per 16 inner steps" in " ".join(made.written().split())


@pytest.mark.parametrize("more", [{}, {"rl": {"algorithm": "grpo", "rollout_gpus": 32}}])
def test_reinforcement_learning_at_two_sites_assumes_no_inner_steps(more: dict) -> None:
    job = {"workload": "rlhf", "model": "llama-3.1-8b", "cluster": FAST | {"sites": 2, "wan_gbps": 10}} | more
    made = api.plan(job)
    assert not [one for one in made.assumptions if "inner_steps" in one.field]


def test_pretraining_at_two_sites_still_tells_them() -> None:
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": FAST | {"sites": 2, "wan_gbps": 10}}
    assert [one.value for one in api.plan(job).assumptions if one.field == "parallelism.inner_steps"] == [500]
