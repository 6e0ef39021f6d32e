"""Budgets as people have them: of the run, of a month, of the purchase, as a share for the network, in other money."""

from __future__ import annotations

import pytest

from assistant import library, planning
from assistant.library import questionnaires
from assistant.planning import pipeline
from assistant.present.plan import reading

LIBRARY = library.load()
JOB = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": 64},
       "training": {"tokens": 400e9}}  # fmt: skip


@pytest.fixture(scope="module")
def stages() -> pipeline.Pipeline:
    return pipeline.Pipeline(LIBRARY)


def asked(budget: dict, **more) -> questionnaires.Questionnaire:
    return questionnaires.from_value({**JOB, **more, "budget": budget}, LIBRARY.catalog)


def test_what_may_be_spent_a_month_is_held_against_a_month_of_all_machines(stages):
    free = stages.decide(asked({})).choice.chosen
    month = 64 * 730.5 * free.price.gpu_total
    assert free.median_hours > 730.5
    assert stages.decide(asked({"usd_per_month": 1.01 * month})).choice.chosen.id == free.id
    short = planning.plan(asked({"usd_per_month": 0.9 * month}), LIBRARY, index=None)
    assert short.recommendation.verdict == "infeasible"
    assert "a month" in short.recommendation.smallest_change


def test_the_network_takes_no_more_than_its_share_of_a_purchase():
    plan = planning.plan(asked({"mode": "buy", "network_share_percent": 8}), LIBRARY, index=None)
    kept = {c.fabric: 100 * c.fabric_usd_per_gpu_hour / (c.fabric_usd_per_gpu_hour + c.gpu_usd_per_hour)
            for c in plan.candidates if c.fabric_usd_per_gpu_hour}  # fmt: skip
    assert kept[plan.recommendation.fabric] <= 8 < kept["infiniband-ndr-400"]
    dear = next(c for c in plan.candidates if c.fabric == "infiniband-ndr-400")
    assert "screen/network-over-its-share" in dear.reasons
    assert "At most 8 % for the network: kept" in reading.limits_kept(plan)
