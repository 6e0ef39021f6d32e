"""Which prices would turn an answer, under a budget that rules the other networks out at their list price."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pytest

from assistant.library import Library, load
from assistant.library.questionnaires import from_value
from assistant.planning import Pipeline, plan
from assistant.planning.flips import Charging, provider_of
from assistant.planning.limits import affordable_share, cost_if_affordable, meets, too_dear_alone
from assistant.present.plan import card
from assistant.vocabulary.plan import Flip, Plan

TODAY = datetime.date(2026, 11, 30)
TIGHT = {"h100-sxm": 95_277, "h200-sxm": 190_000, "b200": 150_000}  # US dollars: one network alone keeps them


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


@pytest.fixture(scope="module")
def stages(library: Library) -> Pipeline:
    return Pipeline(library, TODAY)


def _asked(gpu: str, library: Library, **budget: Any):
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "cluster": {"gpu": gpu, "gpus": 64},
        "training": {"tokens": "140B"},
        "budget": budget,
    }
    return from_value(job, library.catalog)


def _planned(gpu: str, library: Library, **budget: Any) -> Plan:
    return plan(_asked(gpu, library, **budget), library, index=None, today=TODAY)


def _of_lists(made: Plan) -> list[Flip]:
    return [flip for flip in made.recommendation.flips if provider_of(flip.input) and flip.at < flip.from_]


@pytest.mark.parametrize("gpu", TIGHT)
def test_an_offer_that_a_budget_rules_out_at_its_list_price_turns_the_answer_where_it_becomes_cheap_enough(
    gpu: str, library: Library, stages: Pipeline
):
    made = _planned(gpu, library, usd=TIGHT[gpu])
    others = [c for c in made.candidates if c.fabric != made.recommendation.fabric and c.verdict == "acceptable"]
    told = made.recommendation.card
    assert told is not None and not others and "keeps the budget" in told.because
    [flip] = _of_lists(made)
    assert "at least two inputs" not in told.changes_if and f"{flip.at:g}" in told.changes_if

    def taken(price: float) -> str | None:
        charging = Charging(provider_of(flip.input) or "", _listed(made, flip), price, TODAY)
        return stages.outcome(_asked(gpu, library, usd=TIGHT[gpu]), charging=charging).fabric

    assert taken(flip.at) == flip.to_fabric
    assert taken(flip.at * 1.02) == made.recommendation.fabric


def _listed(made: Plan, flip: Flip) -> float:
    """The list price that a flip tells with three decimals."""
    some = {o.usd_per_gpu_hour for o in made.offers if o.provider == provider_of(flip.input) and o.usd_per_gpu_hour}
    return min(some, key=lambda usd: abs(usd - flip.from_))


def test_a_budget_that_the_choice_keeps_leaves_the_price_that_turns_it_and_how_sure_it_is(library: Library):
    free, tight = (_planned("h200-sxm", library, **budget) for budget in ({}, {"usd": TIGHT["h200-sxm"]}))
    assert [(f.input, f.at, f.to_fabric) for f in _of_lists(free)] == [
        (f.input, f.at, f.to_fabric) for f in _of_lists(tight)
    ]
    assert tight.recommendation.certainty == free.recommendation.certainty == "close"
    assert tight.recommendation.confidence >= free.recommendation.confidence
    [sure] = card.certain(tight)
    assert "AWS EFA v2 may turn out cheaper" in sure and "within the budget" in sure
    assert "within the budget" not in card.certain(free)[0]


def test_who_lets_the_same_network_over_the_budget_is_named_with_the_price_that_keeps_it(library: Library):
    """SF Compute's list price comes to $86,100 on InfiniBand, Voltage Park's to $81,200."""
    rival = _planned("h100-sxm", library, usd=83_000).recommendation.rival_offer
    assert rival is not None and rival.provider == "sf-compute"
    assert rival.cheaper_at_usd_per_gpu_hour < rival.usd_per_gpu_hour


def test_a_draw_counts_an_offer_over_the_budget_only_where_its_price_turns_out_within_it(
    library: Library, stages: Pipeline
):
    asked = _asked("h200-sxm", library, usd=TIGHT["h200-sxm"])
    made = stages.decide(asked)
    dear = [e for e in made.entries if too_dear_alone(e, asked)]
    assert dear and not any(meets(e, asked) for e in dear)
    for entry in dear:
        share, cost = affordable_share(entry, asked), cost_if_affordable(entry, asked)
        assert 0 < share < 1 and share == pytest.approx(TIGHT["h200-sxm"] / entry.median_cost)
        assert np.array_equal(np.isfinite(cost), np.broadcast_to(entry.price_error <= share, cost.shape))
        assert (entry.probability_best or 0.0) <= np.mean(np.isfinite(cost))
    assert sum(e.probability_best or 0.0 for e in made.entries) == pytest.approx(1.0)
    assert any(e.probability_best for e in dear)


def test_what_misses_more_than_the_budget_is_let_in_by_no_price(library: Library, stages: Pipeline):
    """Plain Ethernet takes 39 days: with a deadline of 30 no price of it turns anything."""
    asked = _asked("h100-sxm", library, usd=TIGHT["h100-sxm"])
    late = asked.changed("constraints.deadline_days", 30)
    made = stages.decide(late)
    slow = next(e for e in made.entries if e.id == "ethernet-tcp-100")
    assert not too_dear_alone(slow, late) and not slow.probability_best


@pytest.mark.parametrize("gpus", [8192, 16384])
def test_a_list_price_of_more_machines_than_anybody_says_to_let_is_told_under_that_condition_first(
    gpus: int, library: Library
):
    job = {"workload": "pretraining", "model": "llama-3.1-405b", "cluster": {"gpu": "h100-sxm", "gpus": gpus}}
    made = plan(from_value(job, library.catalog), library, index=None, today=TODAY)
    taken = next(o for o in made.offers if o.fabric == made.recommendation.fabric)
    assert taken.provider == "sf-compute", "nobody says how many its market has"
    answer = made.recommendation
    assert answer.card is not None
    for text in (answer.headline, answer.card.do):
        assert "if so many are let at all, which nobody says" in text


def test_what_an_offer_states_to_let_is_told_without_a_condition(library: Library):
    answer = _planned("h100-sxm", library).recommendation
    assert answer.card is not None and "if so many" not in answer.headline + answer.card.do
