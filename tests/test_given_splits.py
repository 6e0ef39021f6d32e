"""A split that was given and does not fit: what nobody said is found, and what was said otherwise is told."""

from __future__ import annotations

from typing import Any

import pytest

from assistant import api
from assistant.vocabulary.plan import Plan


def _at_a_given_split(split: dict[str, Any], training: dict[str, Any] | None = None, **cluster: Any) -> Plan:
    value = {
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "cluster": {"gpu": "h100-sxm", "gpus": 64, **cluster},
        "training": training or {},
        "parallelism": split,
    }
    return api.plan(value)


def test_who_keeps_the_states_is_found_where_the_split_that_was_given_leaves_it_open() -> None:
    """8B on 16 copies was refused: every rank was taken to keep all states, which nobody had said."""
    made = api.plan({"workload": "pretraining", "model": "llama-3.1-8b",
                     "cluster": {"gpu": "h100-sxm", "gpus": 16}, "parallelism": {"dp": 16}})  # fmt: skip
    assert made.recommendation.verdict == "recommended"
    [taken] = [one for one in made.assumptions if one.field == "parallelism.strategy"]
    assert taken.value == made.candidates[0].parallelism["strategy"] == "zero1"
    assert "with DDP the split that was given does not fit into memory" in taken.why


@pytest.mark.parametrize(
    ("split", "training", "told"),
    [
        ({"tp": 8, "pp": 4, "strategy": "zero1"}, {"recompute": "none", "micro_batch": 4}, "with full recompute"),
        ({"tp": 4, "strategy": "ddp"}, {}, "with FSDP (ZeRO-3)"),
        ({"tp": 8, "strategy": "fsdp", "sequence_parallel": False}, {"recompute": "full", "micro_batch": 8},
         "with a micro-batch of 1"),
    ],
)  # fmt: skip
def test_a_split_that_does_not_fit_as_it_was_given_is_told_what_would_do(split, training, told) -> None:
    made = _at_a_given_split(split, training)
    assert made.recommendation.verdict == "infeasible"
    said = made.recommendation.smallest_change or ""
    assert f"with this split it fits on these 64 GPUs {told}." in said
    if "FSDP" in told:
        assert _at_a_given_split(split | {"strategy": "fsdp"}, training).recommendation.verdict == "recommended"
