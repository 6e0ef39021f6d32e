"""Random jobs on rented machines, planned at the prices of one day."""

from __future__ import annotations

import datetime
import random
from typing import Any

import pytest

from assistant.library import Library, load
from assistant.library.questionnaires import from_value
from assistant.planning import Pipeline, plan
from assistant.planning.pipeline import CHOICE_ALONE, Decision, Strategy
from assistant.vocabulary.plan import Plan

TODAY = datetime.date(2026, 11, 20)
GPUS = "h100-sxm h200-sxm b200 b300 gb200 gb300 a100-sxm-80gb mi300x mi325x l40s h100-pcie gh200 rtx-4090".split()
GPUS += "a100-sxm-40gb a100-sxm-40gb b300 mi350x rtx-5090".split()  # 40 GB and B300 are let on very different networks
MODELS = "llama-3.1-8b llama-3.1-70b llama-3.1-405b qwen2.5-7b mixtral-8x7b deepseek-v3".split()
WORKLOADS = ("pretraining", "finetuning", "inference", "batch-inference", "rlhf")
DAYS = (1, 3, 14, 80, 100, 340)  # 80 and 340 are a little less than a term


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


@pytest.fixture(scope="module")
def pipeline(library: Library) -> Pipeline:
    return Pipeline(library, TODAY)


def rental(seed: int) -> dict:
    draw = random.Random(seed)
    cluster = {"gpu": draw.choice(GPUS), "gpus": 8 * 2 ** draw.randrange(0, 9)}
    budget = {"mode": "rent", "spot": draw.random() < 0.25}
    job = {"workload": draw.choice(WORKLOADS), "model": draw.choice(MODELS), "cluster": cluster, "budget": budget}
    days, sites = draw.choice(DAYS), draw.choice((1, 1, 1, 1, 1, 2))
    if "inference" not in job["workload"]:
        cluster["sites"] = sites
        job |= {"training": {"days": days}} if draw.random() < 0.6 else {}
    return job


def decided(pipeline: Pipeline, value: dict, strategy: Strategy = CHOICE_ALONE) -> Decision:
    return pipeline.decide(from_value(value, pipeline.catalog), strategy)


def cost(made: Decision) -> float:
    return made.choice.chosen.median_cost if made.choice.chosen else float("inf")


RENTED: dict[str, Any] = {
    "workload": "pretraining",
    "model": "llama-3.1-70b",
    "cluster": {"gpu": "h100-sxm", "gpus": 64},
}
SPOT_512: dict[str, Any] = {
    "workload": "pretraining",
    "model": "llama-3.1-70b",
    "cluster": {"gpu": "h100-sxm", "gpus": 512},
    "training": {"tokens": 1e12},
    "budget": {"spot": True},
}


def planned(pipeline: Pipeline, job: dict) -> Plan:
    return plan(from_value(job, pipeline.catalog), pipeline.library, index=None, today=TODAY)


@pytest.fixture(scope="module")
def made_on_spot(pipeline: Pipeline) -> Plan:
    return planned(
        pipeline,
        {
            "workload": "pretraining",
            "model": "llama-3.1-70b",
            "cluster": {"gpu": "h100-sxm", "gpus": 64},
            "training": {"days": 30},
            "budget": {"mode": "rent", "spot": True},
        },
    )
