"""Machines that may be taken away: recommended where they cost less as a whole, and what they cost is said."""

from __future__ import annotations

import re

from assistant.library import Library
from assistant.library.questionnaires import from_value
from assistant.planning import Pipeline, plan
from assistant.planning.assemble import recommendation_of
from assistant.planning.card import card
from assistant.planning.flips import Charging
from assistant.planning.offers import rental_offers, taken
from assistant.planning.pipeline import CHOICE_ALONE
from assistant.planning.tie import _decided
from assistant.present.fields import assumed_text
from assistant.present.figures import usd
from assistant.present.plan.card import certain
from assistant.present.plan.flips import turn
from assistant.present.plan.offers import in_short, spot_left
from assistant.vocabulary.plan import Flip, Plan
from tests.rentals import RENTED, SPOT_512, TODAY, cost, decided, library, made_on_spot, pipeline, planned, rental


def test_machines_reserved_for_a_term_are_no_spot_machines_and_the_plan_says_so(library: Library) -> None:
    cluster = {"gpu": "h100-sxm", "gpus": 64, "provider": "nebius"}
    job = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": cluster, "training": {"days": 30}}
    for reserved in ({}, {"reserved_days": 90}):
        budget = {"mode": "rent", "spot": True} | reserved
        made = plan(from_value(job | {"budget": budget}, library.catalog), library, index=None, today=TODAY)
        assert ("spot" in {o.tier for o in made.offers}) is not bool(reserved)
    assert any("reserved for a term" in a.why for a in made.assumptions if a.field == "budget.spot")


def test_a_run_that_spot_machines_interrupt_faster_than_it_restarts_has_no_average_cost(pipeline: Pipeline):
    job = {**rental(0), "workload": "pretraining", "model": "llama-3.1-405b", "budget": {"spot": True}}
    made = decided(pipeline, job | {"cluster": {"gpu": "h100-sxm", "gpus": 16384}, "training": {"tokens": 1e12}})
    found = rental_offers(made.variants, made.entries, made.job, pipeline.catalog, TODAY)
    spot = {o.provider: o for o in found if o.tier == "spot" and o.verdict != "avoid"}
    assert all(o.expected_cost_usd is None and o.unfinished_percent for o in spot.values())
    nebius, aws = spot["nebius"], spot["aws"]  # AWS says how rarely it takes its machines away
    assert nebius.run_cost_usd is None and nebius.finishes_days is None and aws.run_cost_usd is not None
    assert aws.run_cost_usd.p90 < 1e9 and aws.unfinished_percent < 10 < nebius.unfinished_percent
    assert made.choice.chosen.price.spot is None and found[0].tier == "on-demand"


def test_16_384_spot_machines_are_not_recommended_at_many_times_the_cost_of_steady_ones(pipeline: Pipeline) -> None:
    cluster = {"gpu": "h100-sxm", "gpus": 16384}
    job = {"workload": "pretraining", "model": "llama-3.1-405b", "cluster": cluster, "budget": {"spot": True}}
    made = decided(pipeline, job)
    let = [e for e in made.variants if e.priced is not None and e.price.offered is not None]
    spot = [e for e in let if e.price.offered.tier == "spot"]
    assert made.choice.chosen is not None and made.choice.chosen.price.spot_factor < 2
    assert max(e.price.spot_factor for e in spot) > 50 > 2 > min(e.price.spot_factor for e in spot) > 1


def test_each_offer_stands_once_in_each_tier_where_spot_is_allowed(library: Library) -> None:
    cluster = {"gpu": "h100-sxm", "gpus": 64}
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": cluster, "budget": {"spot": True}}
    offers = plan(from_value(job, library.catalog), library, index=None, today=TODAY).offers
    rows = [(o.provider, o.instance, o.fabric, o.tier) for o in offers]
    assert len(rows) == len(set(rows)) and {"spot", "on-demand"} <= {o.tier for o in offers}
    by_offer = {row[:3]: {o.tier: o for o in offers if (o.provider, o.instance, o.fabric) == row[:3]} for row in rows}
    for tiers in by_offer.values():
        if "spot" in tiers:
            assert tiers["spot"].finishes_days > tiers["on-demand"].finishes_days, "what is taken away is done again"


def test_spot_machines_are_recommended_only_where_they_cost_less_on_average_as_well(pipeline: Pipeline) -> None:
    made = decided(pipeline, SPOT_512)
    chosen = made.choice.chosen
    assert chosen is not None and chosen.price.spot is None
    same = [e for e in made.variants if e.id == chosen.id and e.price.spot is not None]
    assert min(e.median_cost for e in same) < chosen.median_cost, "the middle sum alone would have taken them"
    assert min(e.likely_cost.mean() for e in same) > chosen.likely_cost.mean()


def test_spot_machines_that_are_left_are_named_with_the_reason(pipeline: Pipeline) -> None:
    told = planned(pipeline, SPOT_512)
    assert told.recommendation.card.because.endswith("spot machines cost less only in the middle.")
    left = spot_left(told)
    assert "Crusoe" in left and "in the middle are not taken" in left and "do not finish" in left
    assert left in str(in_short(told)) and not spot_left(planned(pipeline, RENTED | {"training": {"days": 14}}))
    [spot] = [a for a in told.assumptions if a.field == "budget.spot"]
    assert assumed_text(spot) == "spot instances: allowed, and not taken", "nobody assumes what was said otherwise"


CRUSOE_96 = {"workload": "pretraining", "model": "llama-3.1-8b", "training": {"tokens": 2e11}}
CRUSOE_96 |= {"cluster": {"gpu": "h100-sxm", "gpus": 96, "provider": "crusoe"}, "budget": {"spot": True}}


def test_who_gives_up_spot_machines_that_are_taken_away_too_often_takes_them_where_most_runs_cost_half(pipeline):
    chosen = decided(pipeline, CRUSOE_96).choice.chosen
    assert chosen.price.spot is not None and chosen.steady_cost is not None
    assert chosen.median_cost < chosen.ranked_cost < chosen.steady_cost < chosen.likely_cost.mean()


def test_the_days_of_a_spot_run_spread_as_its_cost_does(library: Library) -> None:
    job = SPOT_512 | {"cluster": {"gpu": "b200", "gpus": 512}, "budget": {"spot": True, "usd": 9e5}}
    found = plan(from_value(job, library.catalog), library, index=None, today=TODAY).candidates[0]
    hours, cost = found.run_hours_band, found.cost_usd
    assert hours is not None and cost is not None and found.gpu_usd_per_hour is not None
    assert cost.p90 > 3 * cost.p50, "or nothing spreads"
    assert 0.5 < cost.p90 / (found.gpu_usd_per_hour * 512 * hours.p90) < 2


def test_an_old_spot_price_decides_by_its_mean_and_only_by_falling_but_that_of_the_choice(made_on_spot: Plan) -> None:
    messages = [w.message for w in made_on_spot.warnings if w.code == "stale-price-decides" and ", spot)" in w.message]
    own = made_on_spot.offers[made_on_spot.recommendation.offer]
    assert messages
    for text in messages:
        [change] = re.findall(r"a change of ([+-])\d+ %", text)
        assert change == ("+" if own.tier == "spot" and f"decides: {own.instance} at" in text else "-"), text


def test_the_price_at_which_an_old_one_would_decide_holds_for_a_price_that_is_asked_for_today(
    pipeline: Pipeline,
) -> None:
    """Nebius at the threshold, told on the day of the plan, was still recommended: a new price is surer."""
    job = RENTED | {"training": {"tokens": 1e11}, "budget": {"spot": True}}
    made = planned(pipeline, job)
    own = made.offers[made.recommendation.offer]
    [told] = [w.message for w in made.warnings if f"decides: {own.instance} at" in w.message]
    at = re.search(r"At \$([\d.]+), a change of [+-]\d+ %", told)[1]
    assert own.tier == "spot" and own.stale and "would cost no more on average than what is recommended" in told
    for usd_per_hour, moved in ((float(at), True), (float(at) - 0.01, False)):
        charging = Charging(own.provider, own.usd_per_gpu_hour, usd_per_hour, TODAY)
        chosen = pipeline.decide(from_value(job, pipeline.catalog), CHOICE_ALONE, charging=charging).choice.chosen
        taken_then = (chosen.price.offered.provider, chosen.price.offered.tier)
        assert (taken_then != (own.provider, own.tier)) is moved, usd_per_hour


def test_a_spot_price_at_which_the_answer_turns_is_called_one(made_on_spot: Plan) -> None:
    ours = made_on_spot.recommendation.fabric
    for tier, called in (("spot", " (spot)"), ("on-demand", "")):
        aws = next(o for o in made_on_spot.offers if (o.provider, o.tier) == ("aws", tier) and o.usd_per_gpu_hour)
        price = {"input": "providers.aws.gpu_hour_usd", "from": aws.usd_per_gpu_hour, "at": 1.0, "to_fabric": "x"}
        said = turn(Flip.model_validate(price), ours, made_on_spot)
        assert said.startswith(f"price at Amazon Web Services{called}: from $")


def test_the_average_by_which_spot_machines_are_ranked_stands_beside_their_cost(made_on_spot: Plan) -> None:
    text = " ".join(block.text if hasattr(block, "text") else str(block) for block in in_short(made_on_spot))
    spot = next(o for o in made_on_spot.offers if o.tier == "spot" and o.expected_cost_usd and o.run_cost_usd)
    assert f"{usd(spot.run_cost_usd.p50)} ({usd(spot.expected_cost_usd)})" in text


def test_what_ties_is_not_far_dearer_by_the_sums_that_are_told(pipeline: Pipeline) -> None:
    """ "Ties with it" stood beside "the next network costs 81 % more": half of the spot runs cost as much."""
    job = {"workload": "pretraining", "model": "llama-3.1-70b", "training": {"tokens": 2e10}}
    made = planned(pipeline, job | {"cluster": {"gpu": "h100-sxm", "gpus": 16}, "budget": {"spot": True}})
    answer = made.recommendation
    cost = {c.fabric: c.cost_usd.p50 for c in made.candidates if c.cost_usd}
    assert "on spot machines" in answer.card.do and " tie" not in answer.card.do
    assert all(cost[fabric] <= 1.25 * cost[answer.fabric] for fabric in answer.tied)
    assert answer.certainty == "close", "in a fifth of the worlds and more another is the cheaper one, and it is named"
    assert "may turn out cheaper" in " ".join(certain(made)) and "another may" not in " ".join(certain(made))


def test_the_reason_speaks_of_the_spot_machines_that_are_recommended(pipeline: Pipeline) -> None:
    """ "Spot machines cost less only in the middle" stood under a recommendation of spot machines."""
    job = {"workload": "rlhf", "model": "llama-3.1-8b", "cluster": {"gpu": "b200", "gpus": 32}}
    said = from_value(job | {"budget": {"spot": True}}, pipeline.catalog)
    # A little dearer than its list, Nebius costs less than AWS in the middle alone.
    made = pipeline.decide(said, charging=Charging("nebius", 2.9, 3.0))
    chosen, shown = made.choice.chosen, card(made, recommendation_of(made, pipeline))
    assert chosen.price.spot is not None and "on spot machines" in shown.do
    assert shown.because.endswith("other spot machines cost less only in the middle.")
    other = next(e for e in made.choice.rest if e.risky and e.median_cost < chosen.median_cost)
    assert _decided(chosen, other, {}, {}) == "on average it costs more", "both may be taken away"


def test_a_price_at_which_the_answer_turns_says_of_which_day_it_is_where_an_old_one_would_not_turn_it(pipeline) -> None:
    """AWS at its threshold, entered with the date of the list, turned nothing: what is old counts for dearer."""
    job = RENTED | {"training": {"tokens": 1e11}, "budget": {"spot": True}}
    made = planned(pipeline, job)
    flip = next(one for one in made.recommendation.flips if one.input == "providers.aws.gpu_hour_usd")
    listed = next(o.usd_per_gpu_hour for o in made.offers if (o.provider, o.tier) == ("aws", "spot"))
    assert flip.dated == TODAY.isoformat() and f", as of {TODAY}: then" in made.recommendation.card.changes_if
    assert f"as of {TODAY} (as old as the list it would not yet)" in turn(flip, made.recommendation.fabric, made)
    for date, then in ((TODAY, flip.to_fabric), (None, made.recommendation.fabric)):
        charging = Charging("aws", listed, flip.at, date)
        assert pipeline.outcome(from_value(job, pipeline.catalog), charging=charging).fabric == then
    steady = planned(pipeline, RENTED | {"training": {"tokens": 1e11}})
    assert {one.dated for one in steady.recommendation.flips} == {None}, "a list's price is what is paid"
