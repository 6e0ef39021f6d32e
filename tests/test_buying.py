"""Machines of one's own: what is bought, what it draws, whether the budget pays for it, and when it beats renting."""

from __future__ import annotations

import copy
import datetime
from typing import Any

import pytest

from assistant import library as libraries
from assistant.planning import begun, decide
from assistant.present.blocks import Bullets
from assistant.present.plan import purchase as told
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.questionnaire import Questionnaire

LIBRARY = libraries.load()
OF_ONE_SPEED = {"infiniband-ndr-400", "spectrum-x-400", "roce-v2-400", "ultra-ethernet-400"}


def plan(gpus: int = 64, gpu: str = "h100-sxm", cluster: dict[str, Any] | None = None, **sections: Any) -> Plan:
    said = {
        "workload": "pretraining",
        "model": "llama-3.1-8b",
        "cluster": {"gpus": gpus, "gpu": gpu, **(cluster or {})},
        "training": {"tokens": 1e11},
        "budget": {"mode": "buy"},
    }
    questionnaire = Questionnaire.model_validate(said | sections)
    return begun(questionnaire, LIBRARY, index=None, today=datetime.date(2026, 11, 20)).plan


@pytest.fixture(scope="module")
def h100() -> Plan:
    return plan(512)


@pytest.fixture(scope="module")
def gb200() -> Plan:
    return plan(1152, "gb200", model="llama-3.1-405b")


def words(found: Plan) -> str:
    blocks = told.section(found) + told.power(found) + told.rent_or_buy(found)
    return "\n".join(item for block in blocks if isinstance(block, Bullets) for item in block.items)


def test_what_is_bought_adds_up_line_by_line(h100: Plan, gb200: Plan) -> None:
    for found, machines, each in ((h100, 64, 8 * 36_900), (gb200, 16, 72 * 60_000)):
        bought = found.purchase
        assert (bought.items[0].count, bought.items[0].usd) == (machines, pytest.approx(each))
        assert bought.capital_usd == pytest.approx(sum(i.count * i.usd for i in bought.items))
        assert bought.capital_usd - machines * each == pytest.approx(found.fabric_design["capex_usd"]["mid"])
        gpus = found.fabric_design["gpus"]
        assert sum(bought.monthly_usd.values()) == pytest.approx(bought.usd_per_gpu_hour * gpus * 730)
        assert all(i.source and i.date for i in bought.items)


def test_servers_and_racks_are_bought_whole_also_where_the_last_is_not_full() -> None:
    for gpu, gpus, machines, each, kw in (("h100-sxm", 20, 3, 8 * 36_900, 10.2), ("gb200", 100, 2, 72 * 60_000, 126)):
        found = plan(gpus, gpu, training={"tokens": 1e9})
        bought, servers = found.purchase, found.purchase.items[0]
        assert (servers.count, servers.usd) == (machines, pytest.approx(each))
        assert bought.spare_gpus == machines * found.power.gpus_per_machine - gpus
        assert found.power.machines_kw == pytest.approx(machines * kw)
        assert sum(bought.monthly_usd.values()) == pytest.approx(bought.usd_per_gpu_hour * gpus * 730)
        assert "stay idle: machines are sold whole" in words(found)


def test_power_is_that_of_the_machines_as_sold_and_of_the_network_as_drawn(h100: Plan, gb200: Plan) -> None:
    for found, machines_kw in ((h100, 64 * 10.2), (gb200, 16 * 126)):
        drawn = found.power
        supernics = found is h100 and "spectrum-x" in found.recommendation.fabric  # a rack is told as it is sold
        assert drawn.machines_kw == pytest.approx(machines_kw + (0.05 * 512 if supernics else 0.0))
        assert drawn.network_kw == pytest.approx(found.fabric_design["power_w"] / 1e3)
        assert sum(rack.count * rack.kw for rack in drawn.racks) == pytest.approx(drawn.it_kw)
        assert drawn.site_kw == pytest.approx(1.3 * drawn.it_kw)
        hours = next(c for c in found.candidates if c.verdict == "recommended").run_hours
        assert drawn.run_kwh == pytest.approx(drawn.site_kw * hours)
    assert h100.power.racks[0].count == 16 and gb200.power.racks[0].kw == pytest.approx(126)


def test_the_network_draws_the_same_wherever_a_plan_tells_it() -> None:
    spectrum = plan(512, cluster={"fabric": "spectrum-x-400"})
    assert spectrum.power.network_kw == pytest.approx(spectrum.fabric_design["power_w"] / 1e3)
    assert spectrum.power.machine_kw == pytest.approx(10.6), "eight BlueField-3 draw 400 W more, in the machine"
    assert "adapters" in spectrum.power.machine_source


def test_racks_that_are_bought_are_joined_as_costs_least_unless_it_is_said_how() -> None:
    free, rail = (
        plan(1152, "gb200", model="llama-3.1-405b", cluster={"fabric": "infiniband-ndr-400"} | how).fabric_design
        for how in ({}, {"topology": "rail"})
    )
    assert (free["topology"], free["switches"], rail["topology"], rail["switches"]) == ("fat-tree", 68, "rail", 130)
    assert any("4,140,560 USD less than 130 switches" in note for note in free["notes"])


def test_of_rented_machines_power_is_the_providers_affair_unless_it_is_limited() -> None:
    rented = plan(budget={})
    assert told.power(rented) == [] and rented.purchase is None
    asked = plan(budget={}, constraints={"max_power_kw": 100})
    assert "the provider pays it" in words(asked)


def test_the_budget_of_a_purchase_is_its_capital_and_not_its_write_off() -> None:
    poor = plan(budget={"mode": "buy", "usd": 1e6})
    assert poor.recommendation.verdict == "infeasible"
    assert "a budget of $2." in poor.recommendation.smallest_change, "64 H100, although the run writes off a few $1,000"
    [fewer] = [one.change["cluster.gpus"] for one in poor.recommendation.what_fits if "cluster.gpus" in one.change]
    works = {gpus: plan(gpus, budget={"mode": "buy", "usd": 1e6}).recommendation.verdict for gpus in (fewer, fewer + 8)}
    assert works == {fewer: "recommended", fewer + 8: "infeasible"}, "the most that the budget buys"
    rich = plan(budget={"mode": "buy", "usd": 3e6})
    assert rich.recommendation.verdict == "recommended" and "is kept by the purchase" in words(rich)


def test_how_many_gpus_a_budget_buys_is_one_answer_and_the_most_that_works() -> None:
    poor = plan(512, budget={"mode": "buy", "usd": 2e6}).recommendation
    assert poor.what_fits[0].change == {"cluster.gpus": 48} and "GPUs" not in poor.smallest_change


def test_a_power_limit_counts_the_servers_and_not_only_their_gpus() -> None:
    assert plan(constraints={"max_power_kw": 60}).recommendation.verdict == "infeasible", "8 servers draw 82 kW"
    assert plan(constraints={"max_power_kw": 90}).recommendation.verdict == "recommended"


def test_networks_of_one_speed_differ_in_switches_power_and_people_alone(h100: Plan) -> None:
    per_hour = {c.fabric: c.fabric_usd_per_gpu_hour for c in h100.candidates}
    assert max(per_hour[f] for f in OF_ONE_SPEED) - min(per_hour[f] for f in OF_ONE_SPEED) < 0.08
    assert "whatever the network; from a third party" in words(h100)


def test_every_network_is_bought_at_its_own_bill_also_where_it_has_no_planes_to_split_into() -> None:
    said = {"workload": "pretraining", "model": "llama-3.1-8b", "budget": {"mode": "buy"}}
    cluster = {"gpus": 64, "gpu": "h100-sxm", "planes": 2}
    made = decide(Questionnaire.model_validate(said | {"cluster": cluster}), LIBRARY)
    origins = {e.id: e.price.fabric_usd_per_hour.origin for e in made.entries if e.priced is not None and e.costed}
    assert set(origins.values()) == {"derived"} and origins["ethernet-tcp-100"] == "derived"


def test_a_network_that_cannot_be_built_as_described_is_refused_if_decided_else_the_plan_says_so() -> None:
    said = {"topology": "plane", "planes": 3}
    with pytest.raises(InputError, match="divide the 8 NICs of a node, got 3") as refused:
        plan(cluster={"fabric": "roce-v2-400", **said})
    assert refused.value.place.field == "cluster.planes"
    [warning] = [w.message for w in plan(cluster=said).warnings if w.code == "network-drawn-otherwise"]
    assert "cluster.planes" in warning and "got 3" in warning
    assert not {w.code for w in plan(cluster={"topology": "plane", "planes": 4}).warnings} & {"network-drawn-otherwise"}


def test_the_planes_that_nobody_counted_are_those_that_are_drawn() -> None:
    found = plan(cluster={"topology": "plane"})
    [assumed] = [one.value for one in found.assumptions if one.field == "cluster.planes"]
    assert assumed == found.fabric_design["planes"] > 1


def test_a_network_of_unknown_cost_does_not_win_for_being_free_and_who_has_it_is_told_that_no_price_is_known() -> None:
    ours = LIBRARY.catalog.fabrics["roce-v2-400"].model_copy(
        update={"id": "ours", "name": "Ours", "technology": "other", "capex_per_gpu": None}
    )
    catalog = LIBRARY.catalog.model_copy(update={"fabrics": LIBRARY.catalog.fabrics | {"ours": ours}})
    library = copy.copy(LIBRARY)
    vars(library)["catalog"] = catalog
    said = {"workload": "pretraining", "model": "llama-3.1-8b", "budget": {"mode": "buy", "usd": 1e7}}
    for cluster in ({}, {"fabric": "ours"}):
        asked = Questionnaire.model_validate(said | {"cluster": {"gpus": 64, "gpu": "h100-sxm", **cluster}})
        found = begun(asked, library, index=None, today=datetime.date(2026, 11, 20)).plan
        fabrics = {c.fabric: c for c in found.candidates}
        assert fabrics["ours"].cost_usd is None and fabrics["ours"].step_time_s is not None
        if cluster:
            assert found.recommendation.fabric == "ours" and "price-unknown" in {w.code for w in found.warnings}
        else:
            assert fabrics[found.recommendation.fabric].cost_usd is not None


def test_where_renting_and_buying_cost_the_same(h100: Plan, gb200: Plan) -> None:
    for found in (h100, gb200):
        both, bought, drawn = found.rent_or_buy, found.purchase, found.power
        gpus = found.fabric_design["gpus"]
        each, power = bought.capital_usd / gpus, bought.monthly_usd["power"] / gpus / 730
        upkeep = (bought.monthly_usd["support"] + bought.monthly_usd["staff"]) / gpus / 730
        rent, months = both.rent_usd_per_gpu_hour, both.break_even_months
        assert each + months * 730 * (upkeep + power) == pytest.approx(months * 730 * rent)
        if both.break_even_utilization_percent is None:
            assert months > both.months
            continue
        used = both.break_even_utilization_percent / 100
        paid = each + both.months * 730 * (upkeep + used * power)
        assert paid == pytest.approx(both.months * 730 * used * rent)
        assert drawn is not None


def test_what_nobody_lets_is_bought_and_islands_of_ones_own_are_joined_by_what_can_be_bought() -> None:
    unsold = plan(32, "a40", budget={})
    assert unsold.purchase is not None and unsold.questionnaire["budget"]["mode"] == "buy"
    sites = plan(cluster={"sites": 2, "wan_gbps": 100})
    assert not LIBRARY.catalog.fabrics[sites.fabric_design["fabric"]].providers and len(sites.purchase.items) > 1


def test_one_machine_needs_no_network_whatever_is_considered() -> None:
    assert [i.count for i in plan(8).purchase.items] == [1] and [i.count for i in plan(72, "gb200").purchase.items] == [
        1
    ]


def test_who_buys_may_buy_what_the_provider_that_was_named_does_not_let(h100: Plan) -> None:
    named = plan(512, cluster={"provider": "coreweave"})
    assert [c.fabric for c in named.candidates] == [c.fabric for c in h100.candidates]
    assert named.purchase and named.purchase.capital_usd == h100.purchase.capital_usd
    assert any(one.field == "cluster.provider" and "CoreWeave lets" in one.why for one in named.assumptions)
