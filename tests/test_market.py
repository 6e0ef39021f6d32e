"""A cost is hours · GPUs · price, every price says where it comes from, and a premium pays exactly when it saves
more."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from assistant import library
from assistant.market import (
    Electricity,
    NetworkBill,
    Offered,
    amortized,
    best_interval,
    break_even_slowdown,
    candidate_prices,
    mean_time_between,
    run_cost,
    time_factor,
)
from assistant.vocabulary.catalog import Fabric, Fact, ListPrice, Offer, Override
from assistant.vocabulary.errors import InputError, KnowledgeError
from assistant.vocabulary.questionnaire import Questionnaire

TODAY = datetime.date(2026, 11, 20)
CATALOG = library.load().catalog
H100 = CATALOG.gpus["h100-sxm"]


def fact(value: float, unit: str = "USD/GPU-h", date: str = "2026-10-06") -> Fact:
    return Fact(value=value, unit=unit, source="a-list", date=datetime.date.fromisoformat(date))


INFINIBAND = Fabric(
    id="infiniband-ndr-400",
    name="InfiniBand NDR",
    technology="infiniband",
    transport="rdma",
    line_rate=fact(400, "Gb/s"),
    premium=fact(0.19, date="2026-04-23"),
    capex_per_gpu=fact(4247, "USD/GPU", "2024-08-01"),
    power_per_gpu=fact(64, "W"),
    summary="test",
)
ROCE = Fabric(
    id="roce-v2-400",
    name="RoCE v2",
    technology="roce",
    transport="rdma",
    line_rate=fact(400, "Gb/s"),
    premium=fact(0.05),
    summary="test",
)
TCP = Fabric(
    id="ethernet-tcp-100", name="TCP", technology="tcp", transport="tcp", line_rate=fact(100, "Gb/s"), summary="test"
)
EFA = Fabric(
    id="aws-efa-v2", name="EFA", technology="efa", transport="srd", line_rate=fact(100, "Gb/s"), summary="test"
)


def job(gpus: int = 32, fabric: str | None = None, **budget) -> Questionnaire:
    return Questionnaire(
        workload="pretraining",
        model="llama-3.1-8b",
        budget=budget,
        cluster={"gpu": "h100-sxm", "gpus": gpus, "fabric": fabric},
    )


def prices(fabric: Fabric, questionnaire: Questionnaire, offers=(), tier="on-demand", catalog=CATALOG, **options):
    offered = [Offered("somebody", "Somebody", offer, tier, offer.price(tier)) for offer in offers]
    return candidate_prices(questionnaire, H100, fabric, offered, catalog, today=TODAY, **options)


def sold(price: float | None = 3.9, fabric: str = "roce-v2-400", **more) -> Offer:
    listed = {} if price is None else {"hour_price": fact(price)}
    base = {"name": "cluster", "gpu": "h100-sxm", "gpus_per_node": 8, "fabrics": [fabric], "source": "x", "date": TODAY}
    return Offer(**{**base, **listed, **more})


@pytest.mark.parametrize(
    ("days", "gpu_price", "premium", "usd"),
    [(11.5, 2.50, 0.0, 22_080), (11.5, 0.99, 0.0, 8_743.68), (10, 2.50, 1.00, 26_880), (10, 2.50, 1.50, 30_720)],
)
def test_published_runs_of_32_gpus_cost_what_their_arithmetic_says(days, gpu_price, premium, usd):
    assert run_cost(days * 24, 32, gpu_price, premium) == pytest.approx(usd)
    quote = job(gpu_hour_usd=gpu_price, fabric_premium_gpu_hour_usd=premium)
    assert prices(INFINIBAND, quote).run_cost(days * 24, 32) == pytest.approx(usd)


@pytest.mark.parametrize(("usd", "per_gpu_hour"), [(490_000, 0.291), (317_000, 0.189), (175_000, 0.104)])
def test_a_fabric_for_64_gpus_over_three_years(usd, per_gpu_hour):
    assert amortized(usd / 64, 36) == pytest.approx(per_gpu_hour, abs=0.001)


def test_idle_hours_make_every_used_hour_dearer():
    assert amortized(4247, 48) == pytest.approx(0.121, abs=0.0005)
    assert amortized(4247, 48, 0.8) == pytest.approx(0.152, abs=0.0005)


def test_a_premium_pays_at_its_share_of_the_gpu_price_however_long_the_run():
    assert break_even_slowdown(0.19, 2.90) == pytest.approx(0.065, abs=0.001)
    assert break_even_slowdown(1.00, 2.50) == pytest.approx(0.40)
    hours = np.array([1.0, 240.0, 8760.0])
    slowdown = break_even_slowdown(1.00, 2.50)
    assert run_cost(hours, 64, 2.50, 1.00) == pytest.approx(run_cost(hours * (1 + slowdown), 64, 2.50, 0.0))
    quote = job(gpu_hour_usd=2.90, fabric_premium_gpu_hour_usd=0.19)
    assert prices(INFINIBAND, quote).break_even_slowdown == pytest.approx(0.0655, abs=1e-4)


def test_a_band_of_run_lengths_gives_a_band_of_costs():
    costs = prices(INFINIBAND, job(gpu_hour_usd=2.0, fabric_premium_gpu_hour_usd=0.05)).run_cost(
        np.array([100.0, 110.0, 130.0]), 8
    )
    assert costs == pytest.approx(np.array([100.0, 110.0, 130.0]) * 8 * 2.05)


def test_power_is_paid_with_its_cooling():
    site = Electricity(0.10, 1.25, None)
    assert site.usd(700) == pytest.approx(0.0875) and site.kwh(700, 24) == pytest.approx(21)


def test_a_quoted_premium_belongs_to_the_fixed_fabric_else_to_infiniband():
    quote = job(gpu_hour_usd=2.0, fabric_premium_gpu_hour_usd=0.8)
    assert prices(INFINIBAND, quote).fabric_total == 0.8
    assert prices(ROCE, quote).fabric_total == 0.0
    fixed = job(fabric="roce-v2-400", gpu_hour_usd=2.0, fabric_premium_gpu_hour_usd=0.8)
    assert prices(ROCE, fixed).fabric_total == 0.8
    assert prices(INFINIBAND, fixed).fabric_total == 0.0


def test_a_rent_contains_its_network_whatever_that_costs_to_build_unless_ones_own_catalog_says_otherwise():
    """No spreadsheet's discount on optics decides between networks that are let."""
    assert INFINIBAND.premium and prices(INFINIBAND, job(gpu_hour_usd=2.0)).fabric_total == 0.0
    assert "taken to be in the rent" in " ".join(prices(INFINIBAND, job(gpu_hour_usd=2.0)).notes)
    fact_ = Override(fact=INFINIBAND.premium)
    mine = CATALOG.model_copy(update={"overrides": {"fabrics.infiniband-ndr-400.premium": fact_}})
    assert prices(INFINIBAND, job(gpu_hour_usd=2.0), catalog=mine).fabric_total == 0.19


def test_a_quote_that_names_no_provider_is_not_the_price_of_a_cloud_with_a_network_of_its_own():
    own, offer = EFA.model_copy(update={"providers": ["aws"]}), sold(6.88, "aws-efa-v2")
    assert prices(own, job(gpu_hour_usd=2.0), [offer]).gpu_usd_per_hour.value == 6.88
    assert prices(own, job(fabric="aws-efa-v2", gpu_hour_usd=2.0), [offer]).gpu_usd_per_hour.value == 2.0
    assert prices(ROCE, job(gpu_hour_usd=2.0)).gpu_usd_per_hour.value == 2.0


def test_a_quote_comes_before_an_offer_and_without_both_the_price_is_not_known():
    assert prices(ROCE, job(gpu_hour_usd=2.2), [sold(3.2)]).gpu_usd_per_hour.origin == "quoted"
    offered = prices(ROCE, job(), [sold(3.2)])
    assert (offered.gpu_total, offered.gpu_usd_per_hour.origin) == (3.2, "offer")
    assert (offered.fabric_total, offered.fabric_usd_per_hour.origin) == (0.0, "included")
    for nobody_tells in (prices(ROCE, job()), prices(INFINIBAND, job(), [sold(None, "infiniband-ndr-400")])):
        assert not nobody_tells.known and nobody_tells.offered is None and nobody_tells.fabric_total == 0.0
        assert nobody_tells.run_cost(10.0, 32) == 320, "GPU-hours"


def test_of_several_offers_the_cheapest_counts_and_a_fabric_sold_apart_has_no_borrowed_price():
    found = prices(ROCE, job(), [sold(price, fabric_included=False) for price in (3.2, 2.9)])
    assert (found.gpu_total, found.fabric_total) == (2.9, 0.0)
    assert "sold apart, at a price that was not read" in " ".join(found.notes)


def test_old_prices_are_called_stale_and_quotes_are_not():
    old = sold(None, "infiniband-ndr-400", hour_price=fact(3.2, date="2026-04-23"))
    found = prices(INFINIBAND, job(), [old])
    assert (found.gpu_usd_per_hour.age_days, found.gpu_usd_per_hour.stale) == (211, True)
    assert found.oldest_days == 211
    assert "211 days old" in " ".join(found.notes)
    quote = prices(INFINIBAND, job(gpu_hour_usd=2.0, fabric_premium_gpu_hour_usd=0.1))
    assert not any(price.stale for price in quote.prices)
    assert quote.oldest_days is None


def test_plain_ethernet_and_a_clouds_own_network_add_nothing():
    assert prices(TCP, job(), [sold(3.2, "ethernet-tcp-100")]).fabric_total == 0
    assert prices(EFA, job(), [sold(3.2, "aws-efa-v2")]).fabric_usd_per_hour.origin == "included"


def test_who_buys_a_gpu_without_a_price_pays_that_of_a_relative_and_reads_so():
    a100 = CATALOG.gpus["a100-sxm-80gb"]
    found = candidate_prices(job(mode="buy"), a100, TCP, (), CATALOG, BILL, today=TODAY).gpu_usd_per_hour
    assert found.origin == "derived" and "H100" in (found.note or "") and "quote" in (found.note or "")
    assert 0 < found.value < prices(TCP, job(mode="buy")).gpu_usd_per_hour.value
    bare = CATALOG.model_copy(update={"constants": {n: c for n, c in CATALOG.constants.items() if "purchase" not in n}})
    with pytest.raises(InputError, match=r"budget\.gpu_hour_usd: expected a price"):
        candidate_prices(job(mode="buy"), a100, TCP, (), bare, today=TODAY)


def test_a_missing_constant_is_named():
    bare = CATALOG.model_copy(update={"constants": {}})
    with pytest.raises(KnowledgeError, match="cost-price-half-life"):
        candidate_prices(job(), H100, TCP, (), bare, today=TODAY)


BILL = NetworkBill(usd=7656.25, watts=64.0, nics=1.0, date=datetime.date(2024, 8, 1))


def bought(fabric, bill=BILL, **said):
    team = said.pop("network_team", "expert")
    questionnaire = job(mode="buy", **said)
    constraints = questionnaire.constraints.model_copy(update={"network_team": team})
    questionnaire = questionnaire.model_copy(update={"constraints": constraints})
    return candidate_prices(questionnaire, H100, fabric, (), CATALOG, bill, today=TODAY)


def test_buying_spreads_the_capital_over_the_months_and_adds_power_and_support():
    found = bought(INFINIBAND, amortization_months=36, electricity_usd_per_kwh=0.10)
    effectiveness = CATALOG.constants["cost-power-usage-effectiveness"].value
    assert found.fabric_usd_per_hour.value == pytest.approx(0.2913, abs=1e-4)
    assert found.fabric_usd_per_hour.stale
    assert found.fabric_power_usd_per_hour.value == pytest.approx(0.064 * 0.10 * effectiveness)
    machine = 10.2 / 8  # kW of a DGX H100, by GPU
    assert found.gpu_power_usd_per_hour.value == pytest.approx(machine * 0.10 * effectiveness)
    assert found.upkeep.fabric_support.value == pytest.approx(0.05 * 7656.25 / 8760)
    capital = CATALOG.constants["cost-purchase-price-h100-sxm"].value + 7656.25
    assert found.capital_usd == pytest.approx(capital * job().cluster.gpus)
    assert found.gpu_total + found.fabric_total == pytest.approx(
        capital / (36 * 730) + 0.05 * capital / 8760 + (machine + 0.064) * 0.10 * effectiveness
    )
    longer = bought(INFINIBAND, amortization_months=72)
    assert longer.fabric_usd_per_hour.value == pytest.approx(0.2913 / 2, abs=1e-4)
    assert longer.upkeep.fabric_support.value == found.upkeep.fabric_support.value, "support is paid by the year"


def test_every_network_is_bought_at_its_own_bill_and_a_flat_figure_stands_in_only_where_none_is_drawn():
    for fabric in (INFINIBAND, ROCE, TCP):
        assert bought(fabric).fabric_usd_per_hour.value == pytest.approx(7656.25 / (36 * 730))
    flat = bought(INFINIBAND, bill=None, amortization_months=48).fabric_usd_per_hour
    assert flat.value == pytest.approx(0.121, abs=0.0005) and "no bill can be drawn" in flat.note
    assert bought(INFINIBAND, bill=NetworkBill(usd=0.0)).fabric_total == 0.0, "one machine: nothing to join"


def test_a_network_of_unknown_cost_has_no_price_of_a_purchase_and_its_rent_is_none():
    silent = INFINIBAND.model_copy(update={"capex_per_gpu": None})
    assert silent.premium is not None and bought(silent).known, "a bill is drawn"
    assert not bought(silent, bill=None).known and bought(silent, bill=None).capital_usd is None
    assert bought(silent, bill=None, fabric_premium_gpu_hour_usd=0.3).known


def test_who_lacks_the_skill_pays_engineers_and_the_others_do_not():
    expert = ROCE.model_copy(update={"skills": "expert"})
    assert bought(expert, gpus=2048).upkeep.staff is None
    some, none = (bought(expert, gpus=2048, network_team=team).upkeep.staff.value for team in ("some", "none"))
    assert some == pytest.approx(200_000 / 8760 / 2048) and none == pytest.approx(2 * some), "256 nodes: one engineer"


def test_a_network_quoted_per_hour_is_taken_as_it_stands():
    quoted = bought(INFINIBAND, fabric_premium_gpu_hour_usd=0.3)
    assert quoted.fabric_total == pytest.approx(0.3)


def test_what_was_assumed_is_listed():
    fields = {assumption.field for assumption in prices(INFINIBAND, job(mode="buy")).assumptions}
    assert {"budget.amortization_months", "budget.electricity_usd_per_kwh", "power usage effectiveness"} <= fields
    assert "spot interruptions per node and day" in {
        a.field for a in prices(ROCE, job(mode="rent", spot=True), [SPOT], "spot").assumptions
    }
    assert {assumption.field for assumption in prices(INFINIBAND, job(mode="rent")).assumptions} == {
        "failures per node and day",
        "seconds to restart after a failure",
        "seconds a checkpoint stops the work",
    }


def test_who_buys_and_says_spot_reads_that_it_does_not_apply_and_pays_no_rework():
    both, bought = (prices(ROCE, job(mode="buy", spot=spot)) for spot in (True, False))
    said = [a.why for a in both.assumptions if a.field == "budget.spot"]
    assert (
        len(said) == 1
        and "does not apply" in said[0]
        and not [a for a in bought.assumptions if a.field == "budget.spot"]
    )
    assert both.spot_factor == bought.spot_factor == 1.0 and both.gpu_total == bought.gpu_total
    assert "spot interruptions per node and day" not in {a.field for a in both.assumptions}


SPOT = sold(3.9, prices=[ListPrice(tier="spot", price=fact(2.37))])
RARELY_TAKEN = SPOT.model_copy(update={"spot_interruptions": fact(0.0064, "per node-day")})


def test_spot_is_rework_and_not_a_flat_discount():
    one, many = (prices(ROCE, job(gpus=gpus, spot=True), [SPOT], "spot") for gpus in (8, 512))
    assert 1 < one.spot_factor < many.spot_factor
    assert many.spot_factor * many.failure_factor == pytest.approx(
        float(time_factor(mean_time_between((0.1 + 0.0038) / 86400, 64), 30.0, 1800.0))
    ), "failures are not counted twice"
    assert one.gpu_total == 2.37
    on_demand = prices(ROCE, job(gpus=512, spot=True), [SPOT])
    assert on_demand.spot_factor == 1.0 and on_demand.failure_factor > 1.0
    assert [(a.field, a.value) for a in on_demand.assumptions if a.field == "budget.spot"] == [("budget.spot", False)]


def test_a_provider_that_publishes_how_often_it_takes_machines_away_is_taken_at_its_word():
    usual, rarely = (prices(ROCE, job(512, spot=True), [offer], "spot") for offer in (SPOT, RARELY_TAKEN))
    assert 1 < rarely.spot_factor < usual.spot_factor
    assert rarely.spot.rate_spread < usual.spot.rate_spread, "what nobody publishes is less sure"
    told = [a for a in rarely.assumptions if a.field == "spot interruptions per node and day"]
    assert [a.value for a in told] == [0.0064]


def test_who_says_how_often_their_machines_fail_does_not_know_how_often_spot_machines_are_taken_away():
    asked = job(512, spot=True)
    said = asked.model_copy(update={"cluster": asked.cluster.model_copy(update={"failures_per_node_day": 0.004})})
    published, stated = (prices(ROCE, one, [RARELY_TAKEN], "spot").spot for one in (asked, said))
    assert stated.rate_spread == published.rate_spread > 0


def test_a_large_job_on_spot_machines_costs_more_than_the_discount_saves():
    dearer = [
        prices(ROCE, job(gpus, spot=True), [SPOT], "spot").spot_factor * 2.37 > 3.9 for gpus in (8, 64, 4096, 16384)
    ]
    assert dearer == [False, False, True, True]


def test_a_reservation_is_paid_in_whole_terms_and_the_rest_on_demand_where_that_is_less():
    """An hour on demand is $3.90, a term of 3 months 2,190 hours at $2.00: from 1,123 hours on another term is less."""
    offer = sold(3.9, prices=[ListPrice(tier="reserved", months=3, price=fact(2.0))])
    found, term = prices(ROCE, job(), [offer], "reserved"), 3 * 730
    assert found.run_cost(100.0, 32) == pytest.approx(term * 32 * 2.0)
    assert found.run_cost(4000.0, 32) == pytest.approx(2 * term * 32 * 2.0)
    assert found.run_cost(term + 10.0, 32) == pytest.approx((term + 10) * 32 * 2.0), "nobody foresees half a percent"
    listed = offer.model_copy(update={"prices": [*offer.prices, ListPrice(tier="on-demand", price=fact(3.9))]})
    both = prices(ROCE, job(), [listed], "reserved")
    assert both.run_cost(term + 1100.0, 32) == pytest.approx(32 * (2.0 * term + 3.9 * 1100))
    assert both.run_cost(term + 1200.0, 32) == pytest.approx(32 * 2.0 * 2 * term)
    draws = both.run_cost(np.array([term, 1.6 * term, 2.1 * term]), 32)
    assert draws == pytest.approx(32 * 2.0 * term * np.array([2, 2, 2.1])), "terms are booked for the middle"


def test_the_checkpoint_interval_is_youngs_for_rare_interruptions_and_wastes_least():
    day = 86400.0
    assert best_interval(1000 * day, 30.0) == pytest.approx(np.sqrt(2 * 30 * 1000 * day), rel=0.01)
    mean, spacing = 5 * 3600.0, np.linspace(60, 7200, 500)
    wasted = time_factor(mean, 30.0, 900.0, spacing)
    assert spacing[np.argmin(wasted)] == pytest.approx(float(best_interval(mean, 30.0)), rel=0.05)
    assert float(time_factor(mean, 30.0, 900.0)) <= wasted.min() + 1e-4


def test_the_expected_rework_agrees_with_drawn_interruptions():
    """Simulates segments of work that must finish undisturbed; a disturbed one costs the time so far and a restart."""
    mean, checkpoint, restart, interval = 3600.0, 30.0, 300.0, 600.0
    draws = np.random.default_rng(7)

    def until_done(length: float) -> float:
        spent = 0.0
        while (hit := draws.exponential(mean)) < length:
            spent += hit
            while (again := draws.exponential(mean)) < restart:
                spent += again
            spent += restart
        return spent + length

    simulated = np.mean([until_done(interval + checkpoint) for _ in range(20_000)]) / interval
    # Daly counts a restart of every segment's tail in the exponent: the two differ by second-order terms.
    assert float(time_factor(mean, checkpoint, restart, interval)) == pytest.approx(simulated, rel=0.02)


def test_interruptions_add_up_over_nodes_and_none_cost_nothing():
    assert float(mean_time_between(1 / 86400, 24)) == pytest.approx(3600)
    assert float(time_factor(mean_time_between(0.0, 8), 30.0, 900.0)) == 1.0
    assert np.isfinite(time_factor(1.0, 30.0, 9000.0))
