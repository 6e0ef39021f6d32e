"""Who rents with the provider open is recommended something that somebody sells, at a price that is quoted."""

from __future__ import annotations

import datetime
import io
import itertools
import re
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from assistant.conversation import Conversation, wording
from assistant.library import Library, load
from assistant.library.questionnaires import from_value
from assistant.market import Offered
from assistant.planning import Pipeline, begun, plan
from assistant.planning.flips import Charging
from assistant.planning.offers import list_price_at, rental_offers, taken
from assistant.planning.pipeline import CHOICE_ALONE
from assistant.planning.remedy import smallest_change
from assistant.present.blocks import Table
from assistant.present.figures import usd
from assistant.present.plan import formats
from assistant.present.plan.formats import plan_html, plan_lines
from assistant.present.plan.offers import in_short, section
from assistant.present.terminal import blocks_view
from assistant.vocabulary.catalog import Offer
from assistant.vocabulary.plan import Plan
from tests.rentals import RENTED, TODAY, cost, decided, library, pipeline, planned, rental


@pytest.mark.parametrize("seed", range(0, 300, 16))
def test_a_run_of_some_days_takes_them_as_it_is_recommended_whoever_else_lets_machines(pipeline: Pipeline, seed: int):
    job = rental(seed)
    job |= {"training": {"days": 14}, "budget": {"mode": "rent"}, "workload": "finetuning" if seed % 2 else "rlhf"}
    made = decided(pipeline, job)
    chosen = made.choice.chosen
    if chosen is None or made.instead_of is not None:
        return
    assert chosen.median_hours == pytest.approx(14 * 24)
    for provider in ("aws", "lambda"):
        there = decided(pipeline, job | {"cluster": job["cluster"] | {"provider": provider}})
        same = [e for e in there.variants if (e.id, e.step) == (chosen.id, chosen.step)]  # as many adapters, too
        assert all(e.median_hours == pytest.approx(14 * 24) for e in same), (job, provider)


def test_where_the_days_are_those_of_another_network_the_plan_says_how_many_they_are_here(library: Library) -> None:
    job: dict[str, Any] = {"workload": "finetuning", "model": "llama-3.1-8b", "training": {"days": 14}}
    cluster = {"gpu": "a100-sxm-40gb", "gpus": 64, "provider": "oci"}
    made = plan(from_value(job | {"cluster": cluster}, library.catalog), library, index=None, today=TODAY)
    [work] = [a for a in made.assumptions if a.field == "training.tokens"]
    assert "AWS EFA (p4d, p4de) does in 14 days" in work.why and "recommended where neither a provider" in work.why
    assert "here it takes 12.3 days" in next(w.message for w in made.warnings if w.code == "days-are-work")


@pytest.mark.parametrize("budget", [{"mode": "rent"}, {"mode": "rent", "reserved_days": 91}])
def test_a_reservation_a_little_longer_than_the_run_is_taken_where_it_costs_less(pipeline: Pipeline, budget: dict):
    cluster = {"gpu": "h100-sxm", "gpus": 64, "provider": "together-ai"}
    job = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": cluster}
    chosen = decided(pipeline, job | {"training": {"days": 80}, "budget": budget}).choice.chosen
    assert chosen.price.offered.tier == "reserved" and chosen.median_hours < chosen.price.least_hours


@pytest.fixture(scope="module")
def rented(pipeline: Pipeline) -> Plan:
    return plan(from_value(RENTED, pipeline.catalog), pipeline.library, index=None, today=TODAY)


def test_a_reservation_whose_term_nobody_tells_stands_beside_with_its_price_and_without_a_sum(pipeline: Pipeline):
    job = {"workload": "inference", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-pcie", "gpus": 8}}
    told = plan(from_value(job, pipeline.catalog), pipeline.library, index=None, today=TODAY)
    untold = [o for o in told.offers if o.tier == "reserved" and o.months is None]
    assert {(o.provider, o.usd_per_gpu_hour, o.run_cost_usd) for o in untold} == {
        ("hyperstack", 1.82, None), ("hyperstack", 1.75, None)
    }  # fmt: skip
    assert untold[0].usd_per_gpu_hour < told.offers[told.recommendation.offer].usd_per_gpu_hour
    assert told.offers.index(untold[0]) > max(n for n, o in enumerate(told.offers) if o.run_cost_usd)
    text = " ".join(" ".join(plan_lines(told)).split())
    assert "reserved, term not stated" in text and "ask for the term" in text and "Capacity blocks are" not in text


def test_a_capacity_block_is_paid_in_whole_days_and_beyond_two_weeks_in_whole_weeks(pipeline: Pipeline):
    job = RENTED | {"cluster": {"gpu": "h200-sxm", "gpus": 64}}
    offers = {o.tier: o for e in decided(pipeline, job).variants for o in e.considered.offers if o.provider == "aws"}
    days = np.array([9.2, 10.0, 14.5, 30.3])
    assert list(offers["capacity-block"].charged(24 * days) / 24) == [10, 10, 21, 35]
    large = decided(pipeline, job | {"cluster": {"gpu": "h200-sxm", "gpus": 1024}})
    assert not any(o.tier == "capacity-block" for e in large.variants for o in e.considered.offers)
    service = {"workload": "inference", "model": "llama-3.3-70b", "cluster": {"gpu": "h200-sxm", "gpus": 16}}
    endless = decided(pipeline, service)
    assert not any(o.tier == "capacity-block" for e in endless.variants for o in e.considered.offers)


def test_the_price_of_the_cheapest_host_of_a_marketplace_is_not_what_is_paid_there(pipeline: Pipeline):
    job = {"workload": "inference", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-pcie", "gpus": 8}}
    told = plan(from_value(job, pipeline.catalog), pipeline.library, index=None, today=TODAY)
    host = next(o for o in told.offers if o.provider == "vast-ai")
    assert host.usd_per_gpu_hour < told.offers[0].usd_per_gpu_hour and told.recommendation.offer == 0
    assert host.run_cost_usd.p50 == pytest.approx(2.45 * host.usd_per_gpu_hour * 8 * told.candidates[0].run_hours)
    assert f"from ${host.usd_per_gpu_hour}" in " ".join(plan_lines(told)) and "cheapest host" in " ".join(
        plan_lines(told)
    )
    assert told.offers[0].instance.startswith("Community Cloud")
    assert any("machines that other hosts run" in w.message for w in told.warnings)


def test_the_nearest_offer_of_the_same_network_is_named_with_the_price_at_which_it_is_taken(
    pipeline: Pipeline, rented: Plan
):
    job, told = RENTED, rented
    rival, ours = told.recommendation.rival_offer, told.offers[told.recommendation.offer]
    assert rival.provider != ours.provider and rival.cheaper_at_usd_per_gpu_hour < rival.usd_per_gpu_hour
    for cents, whose in ((-0.01, rival.provider), (0.01, ours.provider)):
        charging = Charging(rival.provider, rival.usd_per_gpu_hour, rival.cheaper_at_usd_per_gpu_hour + cents)
        chosen = pipeline.decide(from_value(job, pipeline.catalog), CHOICE_ALONE, charging=charging).choice.chosen
        assert (chosen.id, chosen.price.offered.provider) == (ours.fabric, whose)
    text = " ".join(" ".join(plan_lines(told)).split())
    assert (
        f"Same network at {pipeline.catalog.providers[rival.provider].name}" in text
        and "this network, not this offer of it," in text
    )


@pytest.mark.parametrize(
    ("gpus", "per_machine", "least", "paid"),
    [
        (4, 8, None, 8),
        (4, 8, 1, 4),
        (8, 8, None, 8),
        (12, 8, 1, 16),
        (64, 8, None, 64),
        (8, 8, 16, 16),
        (1, 1, None, 1),
    ],
)
def test_whole_machines_are_paid_for_unless_a_part_can_be_ordered(gpus, per_machine, least, paid) -> None:
    offer = Offer(
        name="x", gpu="h100-sxm", gpus_per_node=per_machine, fabrics=["none"], min_gpus=least, source="x", date=TODAY
    )
    assert Offered("somebody", "Somebody", offer).paid(gpus) == paid


@pytest.mark.parametrize("provider", ["runpod", "voltage-park", "lambda"])
def test_a_provider_that_is_named_is_not_asked_for_more_than_it_lets(pipeline: Pipeline, provider: str):
    offers = [o for o in pipeline.catalog.providers[provider].offers if o.gpu == "h100-sxm" and o.fabrics != ["none"]]
    most = max(o.largest_gpus for o in offers)
    job = {"workload": "pretraining", "model": "llama-3.1-70b", "budget": {"mode": "rent"}}
    able, asked_for_more = (
        decided(pipeline, job | {"cluster": {"gpu": "h100-sxm", "gpus": gpus, "provider": provider}})
        for gpus in (most, 2 * most)
    )
    assert able.choice.chosen is not None and able.choice.chosen.id in {f for o in offers for f in o.fabrics}
    assert asked_for_more.instead_of is not None and asked_for_more.job.gpus == most, "the rest would stand idle"
    assert not any(entry.usable for entry in asked_for_more.instead_of.entries)


def test_what_nobody_lets_is_not_recommended_for_rent_and_is_taken_as_bought_where_nobody_spoke_of_renting(library):
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "rubin", "gpus": 144}}
    rented = plan(from_value(job | {"budget": {"mode": "rent"}}, library.catalog), library, index=None, today=TODAY)
    assert rented.recommendation.card.do.startswith("Rent 144 NVIDIA"), "who lets all of them can be asked for a price"
    assert "No price of it was read: ask" in rented.recommendation.card.cost
    assert not [w for w in rented.warnings if w.code == "fewer-gpus-than-asked"]
    assert [(o.provider, o.run_cost_usd) for o in rented.offers] == [("coreweave", None)]
    nobody = from_value(job | {"cluster": {"gpu": "a40", "gpus": 16}, "budget": {"mode": "rent"}}, library.catalog)
    change = plan(nobody, library, index=None, today=TODAY).recommendation.smallest_change
    assert "Nobody in the catalog rents out 16" in change
    open_ = plan(from_value(job, library.catalog), library, index=None, today=TODAY)
    assert ("budget.mode", "buy") in [(a.field, a.value) for a in open_.assumptions]
    assert open_.recommendation.fabric and not open_.offers


@pytest.mark.parametrize("gpu", ["mi350x", "rtx-5090"])
def test_what_nobody_lets_is_not_recommended_for_rent_where_it_needs_no_network_either(pipeline: Pipeline, gpu: str):
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": gpu, "gpus": 8}}
    rented = decided(pipeline, job | {"budget": {"mode": "rent"}})
    assert rented.choice.chosen is None
    assert "Nobody in the catalog rents out 8" in smallest_change(rented.job, rented.entries, pipeline.predictor)
    assert decided(pipeline, job).choice.chosen is not None, "where nobody said rent it is bought"


def test_a_named_provider_that_tells_no_price_is_listed_without_a_sum_and_the_plan_says_so(library: Library) -> None:
    cluster = {"gpu": "h200-sxm", "gpus": 128, "provider": "azure"}
    job = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": cluster, "budget": {"usd": 1000}}
    made = plan(from_value(job, library.catalog), library, index=None, today=TODAY)
    assert made.recommendation.fabric == "infiniband-ndr-400"
    assert all(c.cost_usd is None and c.gpu_usd_per_hour is None for c in made.candidates)
    assert made.offers and all(o.run_cost_usd is None and o.finishes_days for o in made.offers)
    told = " ".join(w.message for w in made.warnings if w.code == "price-unknown")
    assert "no price of Microsoft Azure" in told and "budget is not checked" in told
    text = " ".join(" ".join(plan_lines(made)).split())
    assert "No price of it was read" in text and "Confidence" not in text


def test_a_network_that_was_decided_is_rented_from_who_lets_it_cheapest(library: Library) -> None:
    cluster = {"gpu": "h100-sxm", "gpus": 64, "fabric": "roce-v2-200"}
    job = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": cluster, "budget": {"mode": "rent"}}
    made = plan(from_value(job, library.catalog), library, index=None, today=TODAY)
    best = next(c for c in made.candidates if c.fabric == "roce-v2-200")
    theirs = [o for o in made.offers if o.fabric == "roce-v2-200" and o.run_cost_usd]
    assert made.recommendation.fabric == "roce-v2-200" and made.offers[made.recommendation.offer] is theirs[0]
    assert best.gpu_usd_per_hour == theirs[0].usd_per_gpu_hour


def test_two_sites_rent_islands_of_a_network_that_somebody_lets(library: Library) -> None:
    cluster = {"gpu": "h100-sxm", "gpus": 128, "sites": 2}
    job = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": cluster, "budget": {"mode": "rent"}}
    made = plan(from_value(job, library.catalog), library, index=None, today=TODAY)
    best = next(c for c in made.candidates if c.fabric == made.recommendation.fabric)
    taken = made.offers[made.recommendation.offer]
    assert best.fabric == "wan-low-communication" and best.probability_best > 0.5
    assert taken.fabric == best.parallelism["inside_each_site"] and taken.usd_per_gpu_hour == best.gpu_usd_per_hour
    assert "in unison across the sites" in made.recommendation.headline


def test_a_quoted_rent_is_the_price_and_no_published_offer_is_taken(library: Library) -> None:
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "cluster": {"gpu": "h100-sxm", "gpus": 64},
        "budget": {"mode": "rent", "gpu_hour_usd": 2.2},
    }
    made = plan(from_value(job, library.catalog), library, index=None, today=TODAY)
    assert made.offers == [] and made.recommendation.offer is None
    best = next(c for c in made.candidates if c.fabric == made.recommendation.fabric)
    assert best.gpu_usd_per_hour == 2.2


@pytest.fixture(scope="module")
def made(library: Library) -> Plan:
    """A month of 64 H100, at whoever's."""
    job = {
        "workload": "pretraining",
        "model": "llama-3.1-70b",
        "cluster": {"gpu": "h100-sxm", "gpus": 64},
        "training": {"days": 30},
        "budget": {"mode": "rent"},
    }
    return plan(from_value(job, library.catalog), library, index=None, today=TODAY)


def test_a_month_of_64_h100_lists_every_offer_with_what_it_comes_to(library: Library, made: Plan) -> None:
    priced = [o for o in made.offers if o.run_cost_usd]
    assert len(priced) >= 10 and [o.run_cost_usd.p50 for o in priced] == sorted(o.run_cost_usd.p50 for o in priced)
    taken = made.offers[made.recommendation.offer]
    assert taken.fabric == made.recommendation.fabric and taken.date and taken.source
    shown = " ".join(" ".join(plan_lines(made)).split())
    names = {o.provider: library.catalog.providers[o.provider].name for o in priced}
    assert all(name in shown for name in names.values()) and "Offers" in plan_html(made)
    for offer in priced:
        sold = [
            p for o in library.catalog.providers[offer.provider].offers if o.name == offer.instance for p in o.prices
        ]
        assert offer.usd_per_gpu_hour in [p.price.value for p in sold], "a price that this provider does not quote"


def test_a_run_of_minutes_is_told_to_the_minute_and_in_whole_hours(library: Library) -> None:
    """No list that was read tells the shortest rental: what is billed at least is to be asked."""
    job = {"workload": "finetuning", "model": "llama-3.1-8b", "training": {"method": "lora", "tokens": 10e6}}
    short = plan(from_value(job | {"cluster": {"gpu": "h100-sxm", "gpus": 8}}, library.catalog), library, index=None)
    hour = short.offers[short.recommendation.offer].usd_per_gpu_hour * 8
    told = short.recommendation.card.cost
    assert short.candidates[0].run_hours < 1 and f" to the minute, ${hour:.0f} in whole hours; ask" in told
    of_the_run = {"quotes": [{"usd": 300, "fabric": "none"}]}
    for agreed in (of_the_run, {"mode": "rent", "reserved_days": 30}):  # a sum, or a term, is whatever the run takes
        job["budget"] = agreed
        one = plan(from_value(job | {"cluster": {"gpu": "h100-sxm", "gpus": 8}}, library.catalog), library, index=None)
        assert "whole hours" not in one.recommendation.card.cost, agreed


def test_a_list_price_that_moves_leaves_what_is_paid_for_a_network_on_top_as_it_is(pipeline: Pipeline) -> None:
    budget = {"mode": "rent", "fabric_premium_gpu_hour_usd": 0.5}
    job = decided(pipeline, RENTED | {"budget": budget, "training": {"tokens": 1e11}})
    offers = rental_offers(job.variants, job.entries, job.job, pipeline.catalog, TODAY)
    on_top = [o for o in offers if o.fabric == "infiniband-ndr-400" and o.run_cost_usd and o.tier == "on-demand"]
    assert on_top
    for offer in on_top:
        listed = offer.usd_per_gpu_hour * offer.paid_over_listed
        dearer = (1.2 * (listed + 0.5) - 0.5) / offer.paid_over_listed
        assert list_price_at(offer, 1.2 * offer.ranked_usd) == pytest.approx(dearer), offer.instance


def test_a_network_that_nobody_sells_or_prices_is_not_called_impossible(made: Plan) -> None:
    """It is told apart in the contract and in the table; all three remain out of the question."""
    barred = {c.fabric: c.barred for c in made.candidates}
    assert barred["roce-v2-400"] == "no-price-quoted" and barred["ethernet-tcp-25"] == "not-sold"
    assert barred["none"] == barred["aws-efa-v1"] == "impossible" and barred[made.recommendation.fabric] is None
    assert all((c.barred is None) == (c.verdict != "impossible") for c in made.candidates)
    text = "\n".join(plan_lines(made, 120))
    assert "? no price quoted   – not sold" in text and "✗" not in text.split("OFFERS")[0]


def test_the_table_of_offers_has_each_machine_once_the_cheapest_first_and_cuts_no_sum(made: Plan) -> None:
    _, table, *notes = section(made)
    known = ["no price" not in row for row in table.rows]
    names = [row[1] for row, priced in zip(table.rows, known, strict=True) if priced]
    assert known == sorted(known, reverse=True) and len(names) == len(set(names))
    costs = [o.run_cost_usd.p50 for o in made.offers if o.run_cost_usd]
    assert costs == sorted(costs) and table.rows[0][5] == usd(costs[0])
    assert datetime.timedelta(30) <= datetime.date.fromisoformat(table.rows[0][7]) - TODAY <= datetime.timedelta(33)
    alike = [o for o in made.offers if o.run_cost_usd and o.run_cost_usd.p50 < 1.2 * costs[0]]
    assert any(f"No difference that counts between the first {len(alike)} (" in note.text for note in notes)
    assert 1 < len(alike) < 5, "a price twice as high is another price, however long the run takes"
    narrow = Console(width=80, file=io.StringIO())
    narrow.print(blocks_view([table], 80))
    drawn = narrow.file.getvalue()
    assert "…" not in drawn and all(row[5] in drawn and row[7] in drawn for row in table.rows)


@pytest.mark.parametrize("asked", ["which offers are there?", "who sells this?", "where can we rent it cheapest?"])
def test_who_asks_for_offers_in_the_conversation_is_told_the_cheapest_with_each_network(library: Library, asked: str):
    talk = Conversation(library, today=TODAY)
    talk.start()
    talk.say("pretrain llama 3.1 70b on 64 H100")
    shown = " ".join(line for event in talk.say(asked) for line in wording.lines(event, 1000))
    priced = [o for o in talk.plan.offers if o.run_cost_usd]
    assert f"{len(priced)} priced offers run this job" in shown
    assert all(talk.plan.names[fabric] in shown for fabric in {o.fabric for o in priced})
    assert f"{library.catalog.providers[priced[0].provider].name}: {priced[0].instance}" in shown


def test_copies_that_nothing_joins_are_served_from_machines_that_are_let_one_by_one(library: Library) -> None:
    job = {"workload": "inference", "model": "llama-3.3-70b", "cluster": {"gpu": "b200", "gpus": 32}}
    found = plan(from_value(job, library.catalog), library, index=None, today=TODAY)
    let = {o.provider for o in found.offers if o.usd_per_gpu_hour is not None}
    assert found.recommendation.verdict == "no-network-needed" and {"runpod", "hyperstack", "lambda"} <= let
    header = next(block for block in section(found) if isinstance(block, Table)).header
    assert "cost of a month" in header and not {"done in", "done by"} & set(header), "a service is never done"
    trains = job | {"workload": "pretraining", "training": {"tokens": 1e9}}
    found = plan(from_value(trains, library.catalog), library, index=None, today=TODAY)
    assert not any(o.instance == "Community Cloud B200" for o in found.offers), "8 at once cannot be joined to 32"


def test_a_run_of_fourteen_days_ends_on_the_fourteenth(pipeline: Pipeline) -> None:
    told = planned(pipeline, RENTED | {"model": {"params": 7e10}, "training": {"days": 14}})
    offer = told.offers[told.recommendation.offer]
    assert (offer.finishes_days, offer.finishes_on) == (14, "2026-12-04")


def test_offers_between_two_sites_are_of_the_way_that_is_recommended(pipeline: Pipeline) -> None:
    cluster = {"gpu": "h100-sxm", "gpus": 128, "sites": 2, "wan_gbps": 400}
    told = planned(pipeline, RENTED | {"model": "llama-3.1-8b", "cluster": cluster, "training": {"tokens": 2e11}})
    verdicts = {c.fabric: c.verdict for c in told.candidates}
    assert verdicts["infiniband-ndr-400"] == "recommended"
    assert all((o.verdict == "avoid") is (verdicts[o.fabric] == "avoid") for o in told.offers if o.run_cost_usd)


def test_warnings_call_networks_gpus_and_sellers_by_their_names(pipeline: Pipeline) -> None:
    told = planned(pipeline, RENTED | {"cluster": {"gpu": "mi300x", "gpus": 128}})
    assert {"stale-price-decides", "outside-calibration"} <= {w.code for w in told.warnings}
    for warning in told.warnings:
        assert not re.search(r"\b(tensorwave|vultr|roce-v2-400)\b|sure.*mi300x", warning.message), warning.message


def test_more_gpus_than_the_job_takes_are_told_where_they_are_paid_for(pipeline: Pipeline) -> None:
    cluster = {"gpu": "gb200", "gpus": 64, "provider": "coreweave"}
    told = planned(pipeline, {"workload": "inference", "model": "deepseek-v3", "cluster": cluster})
    offer = told.offers[told.recommendation.offer]
    assert (offer.provider, offer.gpus_paid) == ("coreweave", 72)
    assert offer.usd_per_month == pytest.approx(72 * 730 * offer.usd_per_gpu_hour, rel=1e-6)
    assert " a month for 72 GPUs, the fewest that are let there" in told.recommendation.card.cost


def test_what_was_quoted_is_not_called_the_cheapest_on_offer(pipeline: Pipeline) -> None:
    quotes = [{"fabric": "infiniband-ndr-400", "gpu_hour_usd": 3.0}, {"fabric": "roce-v2-400", "gpu_hour_usd": 2.5}]
    told = planned(pipeline, RENTED | {"budget": {"mode": "rent", "quotes": quotes}})
    assert "choose/the-offer-that-costs-least" not in {finding.rule for finding in told.findings}


def test_a_price_of_low_trust_says_so_where_it_counts(made: Plan) -> None:
    table = next(block for block in section(made) if isinstance(block, Table))
    doubted = {row[1].partition(":")[0] for row in table.rows if "low trust" in row[1] and "capacity" not in row[1]}
    assert doubted == {o.provider_name for o in made.offers if o.trust == "low" and o.run_cost_usd}


@pytest.mark.parametrize("width", [80, 100])
def test_each_price_stands_with_its_day_in_the_terminal_as_well(made: Plan, width: int) -> None:
    told = formats.written(made, "text", width=width)
    listed, legend = told.split("\nOFFERS\n")[1].split("Prices are lists, with the day on which they were read")
    listed, taken = " ".join(listed.split()), made.offers[made.recommendation.offer]
    dates = {o.date for o in made.offers if o.run_cost_usd}
    assert legend and len(dates) > 3 and all(date in listed for date in dates) and taken.finishes_on in listed


def test_what_adapters_would_save_is_said_of_the_same_work_also_where_days_were_said(library: Library) -> None:
    job = {"workload": "finetuning", "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": 32}}
    job |= {"training": {"method": "full", "days": 10}, "budget": {"mode": "rent"}}
    told = plan(from_value(job, library.catalog), library, index=None, today=TODAY).volunteered
    assert told is not None and told.startswith("If adapters (LoRA) would do: 8 GPUs without a network")
    later = re.search(r"done in ([\d.]+) days instead of 10 days", told)
    assert later is not None and float(later[1]) > 20, "a quarter of the GPUs are not as quick"


def test_the_offer_that_is_taken_stands_in_the_table_also_over_plain_ethernet(pipeline: Pipeline) -> None:
    """The same machine costs less on another network, and the one that was given is advised against."""
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "training": {"tokens": 1e11}}
    made = planned(pipeline, job | {"cluster": {"gpu": "h100-sxm", "gpus": 64, "fabric": "ethernet-tcp-100"}})
    for shown in (in_short(made), section(made)):
        [table] = [block for block in shown if isinstance(block, Table)]
        won = table.rows[table.emphasis]
        assert (won[0], won[2]) == ("✓", "ethernet-tcp-100") and won[1].startswith("Amazon Web Services")
        assert [row[0] for row in table.rows].count("✓") == 1


def at_a_provider(provider: str, gpu: str, gpus: int, library: Library) -> Plan:
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "training": {"tokens": 50e9}}
    job["cluster"] = {"gpu": gpu, "gpus": gpus, "provider": provider}
    return plan(from_value(job, library.catalog), library, index=None, today=TODAY)


@pytest.mark.parametrize(("provider", "name"), [("vast-ai", "Vast.ai"), ("runpod", "RunPod")])
def test_a_provider_that_was_named_is_the_one_that_lets_no_more(library: Library, provider: str, name: str):
    asked = 16 if provider == "vast-ai" else 256
    told = at_a_provider(provider, "h200-sxm", asked, library)
    assert told.recommendation.headline.startswith(f"{name} quotes no price of {asked}")
    assert told.recommendation.card.because == f"{name} quotes no price of {asked} together."
    [fewer] = [a.why for a in told.assumptions if a.field == "cluster.gpus"]
    assert f"{name} quotes no price of so many together" in fewer
    [warning] = [w.message for w in told.warnings if w.code == "fewer-gpus-than-asked"]
    assert f"no offer of {asked} NVIDIA H200 SXM" in warning and f"Others list a price of {asked}: " in warning
    assert "obody lets" not in "\n".join((told.recommendation.headline, fewer, warning))


def test_a_provider_has_no_price_of_so_many_with_a_network_and_its_smallest_order_is_named(library: Library):
    told = at_a_provider("hyperstack", "h100-sxm", 16, library)
    [warning] = [w.message for w in told.warnings if w.code == "price-unknown"]
    assert "no price of Hyperstack for 16 NVIDIA H100 SXM5 80 GB with a network between nodes" in warning
    assert "Hyperstack lets them from 64 GPUs on" in told.recommendation.card.do
    assert "GPUs on" not in at_a_provider("hyperstack", "h100-sxm", 64, library).recommendation.card.do


def test_what_is_let_only_in_a_larger_order_is_paid_for_whole_at_a_quoted_rent_too(library: Library):
    def rented(gpus: int, **budget: float) -> Plan:
        asked = {**RENTED, "cluster": {"gpu": "h100-sxm", "gpus": gpus, "provider": "hyperstack"}}
        asked["budget"], asked["training"] = {"mode": "rent", **budget}, {"days": 3}
        asked["model"] = "llama-3.1-8b"
        return plan(from_value(asked, library.catalog), library, index=None, today=TODAY)

    few, many = rented(16, gpu_hour_usd=2.4), rented(64, gpu_hour_usd=2.4)
    costs = [one.candidates[0].median_cost / one.candidates[0].run_hours for one in (few, many)]
    assert costs == pytest.approx([64 * 2.4, 64 * 2.4])
    card = few.recommendation.card
    assert "64 are paid for, 16 of them work; where 16 were quoted, give the price as a quote" in card.do
    assert "for 64 GPUs, the fewest that are let there" in card.cost
    unpriced = rented(16, usd=5000).recommendation.card.cost
    most = float(re.search(r"kept up to \$([\d.]+) per GPU-hour of 64 GPUs", unpriced)[1])
    assert 4900 < most * 64 * few.candidates[0].run_hours <= 5000


def test_of_two_networks_of_a_machine_that_cost_the_same_the_faster_one_stands_first(library: Library):
    job = RENTED | {"training": {"tokens": 100e9}, "budget": {"mode": "rent", "reserved_days": 400}}
    offers = plan(from_value(job, library.catalog), library, index=None, today=TODAY).offers
    pairs = [
        (a, b)
        for a, b in itertools.pairwise(o for o in offers if o.run_cost_usd)
        if (a.provider, a.instance, a.tier) == (b.provider, b.instance, b.tier)
        and a.run_cost_usd.p50 == pytest.approx(b.run_cost_usd.p50)
    ]
    assert pairs and all(a.finishes_days <= b.finishes_days for a, b in pairs)


def test_a_mean_of_several_listings_is_told_as_that_and_no_sum_is_made_of_it(pipeline: Pipeline) -> None:
    """Jarvis Labs' H200 stood with a sum at $4.59, which is an average of what it lists."""
    job = {"workload": "inference", "model": "llama-3.1-8b", "cluster": {"gpu": "h200-sxm", "gpus": 1}}
    made = begun(from_value(job, pipeline.catalog), pipeline.library, index=None, today=TODAY).plan
    [row] = [o for o in made.offers if o.provider == "jarvis-labs"]
    assert (row.usd_per_gpu_hour, row.run_cost_usd, row.tier) == (4.59, None, "on-demand")
    assert "mean of several" in str(section(made))
    h100 = next(o for o in pipeline.catalog.providers["verda"].offers if o.name == "1× H100 SXM")
    assert any(price.mean for price in h100.prices), "and beside a price that was listed it is left"
    assert h100.price("on-demand").price.value == 2.29


def test_of_two_networks_of_a_machine_for_the_same_sum_the_faster_one_is_recommended_and_why_is_said(pipeline):
    """64 B300 for a term that is paid whole, and no network that is not advised against: the sum is one, the days are
    not, and who asked for no single vendor's network is told that this one is."""
    job = {"workload": "pretraining", "model": "deepseek-v3", "cluster": {"gpu": "b300", "gpus": 64}}
    job |= {"training": {"tokens": 2e10}, "constraints": {"deadline_days": 30, "vendor_neutral": True}}
    made = planned(pipeline, job | {"budget": {"mode": "rent", "spot": True, "reserved_days": 30}})
    answer, (best, slower) = made.recommendation, made.candidates[:2]
    assert (best.fabric, slower.fabric) == ("aws-efa-v3", "ethernet-tcp-100")
    assert best.median_cost == pytest.approx(slower.median_cost) and best.run_hours < slower.run_hours / 4
    assert answer.card.because == "The same cost as on Ethernet 100 Gb/s, TCP sockets, and faster."
    assert (answer.certainty, answer.tied, best.probability_best) == ("clear", ["aws-efa-v3"], 1.0)
    [against] = [w.message for w in made.warnings if w.code == "advised-against-and-least-bad"]
    assert "comes from one vendor" in against and "recommended all the same" in against
    assert made.offers[answer.offer].verdict == "acceptable"
    certain = [line for line in plan_lines(made, 400) if "Certainty: " in line]
    assert len(certain) == 1 and "clear; Ethernet 100, TCP costs the same and is slower." in certain[0]


@pytest.mark.parametrize("quotes", [[], [{"provider": "oci", "fabric": "roce-v2-100", "gpu_hour_usd": 2.5}]])
def test_what_is_recommended_for_want_of_anything_better_is_not_advised_against_in_its_own_offer(pipeline, quotes):
    job = {"workload": "pretraining", "model": "llama-3.1-8b", "training": {"tokens": 1e12}}
    job["cluster"] = {"gpu": "a100-sxm-40gb", "gpus": 2048, "provider": "oci"}
    made = planned(pipeline, job | {"budget": {"mode": "rent", "quotes": quotes}})
    answer = made.recommendation
    assert (answer.fabric, made.offers[answer.offer].verdict) == ("roce-v2-100", "acceptable")
    [against] = [w.message for w in made.warnings if w.code == "advised-against-and-least-bad"]
    what = "nothing else that was quoted" if quotes else "nothing else that is let at a price"
    assert "64 times as many" in against and what in against
    assert [quote.verdict for quote in made.quotes] == ["acceptable"] * len(quotes)


_DISAGGREGATED: dict[str, Any] = {"workload": "disaggregated-inference", "model": "llama-3.1-70b"}


@pytest.mark.parametrize("gpus", [80, 144, 216])
def test_of_several_racks_that_serve_by_themselves_it_is_each_rack_that_needs_no_network(pipeline, gpus: int):
    made = planned(pipeline, _DISAGGREGATED | {"cluster": {"gpu": "gb200", "gpus": gpus}, "budget": {"mode": "rent"}})
    answer = made.recommendation
    assert answer.verdict == "no-network-needed"
    assert answer.card.because == "Both sides lie in each rack of 72: nothing crosses a network."
    assert "in each rack of 72 GPUs what reads prompts and what writes answers share NVLink 5" in answer.headline


@pytest.mark.parametrize(
    ("job", "idle", "said"),
    [
        (
            _DISAGGREGATED | {"cluster": {"gpu": "gb200", "gpus": 80}},
            "8 of the 80 GPUs stand idle",
            "72 in all; with 72 alone it serves as much.",
        ),
        (
            {"workload": "inference", "model": "llama-3.1-405b", "inference": {"precision": "bf16"}}
            | {"cluster": {"gpu": "h100-sxm", "gpus": 24}},
            "8 of the 24 GPUs stand idle",
            "1 copy of 16 GPUs, 16 in all; with 16 alone it serves as much.",
        ),
        (
            {"workload": "rlhf", "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": 48}}
            | {"rl": {"rollout_gpus": 24, "rollout_tensor_parallel": 16}},
            "8 of the 48 GPUs stand idle while answers are written",
            "give another size of a copy (rl.rollout_tensor_parallel).",
        ),
        ({"workload": "inference", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 16}}, None, None),
    ],
)
def test_gpus_that_are_paid_for_and_do_nothing_are_told(pipeline, job: dict[str, Any], idle: str | None, said: str):
    made = planned(pipeline, job | {"budget": {"mode": "rent"}})
    told = [w.message for w in made.warnings if w.code == "gpus-stand-idle"]
    if idle is None:
        assert not told and "idle" not in made.recommendation.card.finish
        return
    assert f"{idle}." in made.recommendation.card.finish
    assert told[0].startswith(f"{idle}, and are paid for like the others: ") and told[0].endswith(said)


def test_of_whole_machines_that_are_paid_for_only_those_gpus_work_that_a_copy_has(pipeline):
    job = {"workload": "batch-inference", "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": 20}}
    made = planned(pipeline, job | {"inference": {"tensor_parallel": 8, "tokens": 1e9}, "budget": {"mode": "rent"}})
    assert "24 are paid for, 16 of them work; ask for 24 or 16" in made.recommendation.card.do
