"""What is out of date is said: by weft doctor for every figure, by a plan where an old price decides."""

from __future__ import annotations

import datetime
import re

import pytest
import yaml

from assistant.commands.doctor import freshness
from assistant.library import load
from assistant.library.freshness import KINDS, dated, half_life_days
from assistant.library.questionnaires import read_one
from assistant.planning import Pipeline, plan
from assistant.planning.flips import Charging
from assistant.vocabulary.questionnaire import Questionnaire

from .program import weft

TODAY = datetime.date(2026, 11, 20)
LATER = datetime.date(2027, 6, 1)
CODE = "stale-price-decides"
EXAMPLES = ("llama-70b-pretraining", "tight-budget", "mixtral-moe", "deepseek-v3-blackwell")


@pytest.fixture(scope="module")
def library():
    return load()


def _job(**budget):
    return Questionnaire.model_validate(
        {
            "workload": "pretraining",
            "model": "llama-3.1-70b",
            "cluster": {"gpu": "h100-sxm", "gpus": 64},
            "training": {"global_batch": 512, "sequence_length": 8192},
            "budget": budget,
        }
    )


def _said(made):
    return [warning.message for warning in made.warnings if warning.code == CODE]


def test_every_price_offer_and_measurement_is_dated_and_specifications_do_not_age(library):
    found = dated(library.catalog, library.knowledge, TODAY)
    names = {one.name for one in found}
    assert {one.kind for one in found} == set(KINDS)
    assert "gpus.h100-sxm.hour_price" in names and "gpus.h100-sxm.memory" not in names
    assert "fabrics.infiniband-ndr-400.line_rate" not in names and "fabrics.infiniband-ndr-400.latency" in names
    assert "gpus.h100-sxm.calibration.gemm_efficiency" in names
    prices = [
        price for provider in library.catalog.providers.values() for offer in provider.offers for price in offer.prices
    ]
    assert sum(one.name.startswith("providers.") and one.kind == "rental price" for one in found) == len(prices)


def test_a_figure_is_old_the_day_after_its_half_life(library):
    one = next(
        one for one in dated(library.catalog, library.knowledge, TODAY) if one.name == "gpus.h100-sxm.hour_price"
    )
    last_day = one.date + datetime.timedelta(days=int(half_life_days(library.catalog, "rental price")))
    for day, old in ((last_day, False), (last_day + datetime.timedelta(days=1), True)):
        again = next(o for o in dated(library.catalog, library.knowledge, day) if o.name == one.name)
        assert again.old is old


def test_the_doctor_counts_by_kind_and_names_each_when_asked():
    short, long = freshness(False, TODAY), freshness(True, TODAY)
    assert len(short) == len(KINDS) and all(any(kind in line for line in short) for kind in KINDS)
    library = load()
    old = [one for one in dated(library.catalog, library.knowledge, TODAY) if one.old]
    assert old and all(any(one.name in line for line in long) for one in old)
    assert len(long) == len(KINDS) + len(old)


def test_on_the_day_of_the_oldest_figure_nothing_is_old(library):
    first = dated(library.catalog, library.knowledge, TODAY)[0].date
    assert all(line.startswith("✓") for line in freshness(False, first))


def test_old_figures_are_no_fault_of_the_installation():
    seen = weft("doctor", "--all")
    assert seen.code == 0 and "rental prices" in seen.out


def test_prices_decide_when_they_are_old_and_not_on_their_own_day(library):
    assert _said(plan(_job(), library, index=None, today=TODAY)) == []
    later = [
        _said(plan(read_one(library.examples[name], library.catalog), library, index=None, today=LATER))
        for name in EXAMPLES
    ]
    assert any(later)
    for messages in later:
        assert len(messages) == len(set(messages))
        assert all("days old" in message and "ask for a quote" in message for message in messages)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_old_price_that_decides_really_does_when_it_has_moved(library, tmp_path, name):
    example = read_one(library.examples[name], library.catalog)
    made = plan(example, library, index=None, today=LATER)
    by_name = {fabric.name: fabric.id for fabric in library.catalog.fabrics.values()}
    for message in _said(made):
        what = re.search(r"decides: (.+) at (?:[\d.e-]+ USD|\$[\d.]+ per)", message)[1]
        moved = re.search(r"At \$?([\d.]+),", message)[1]
        if what not in by_name or made.questionnaire["budget"]["mode"] == "buy":
            continue
        file = tmp_path / "catalog.yaml"
        premium = {"value": float(moved), "unit": "USD/GPU-h", "source": "derived: a new quote", "date": LATER}
        file.write_text(yaml.safe_dump({"fabrics": {by_name[what]: {"premium": premium}}}), encoding="utf-8")
        again = plan(example, load(user_catalog=file), index=None, today=LATER)
        assert again.recommendation.fabric != made.recommendation.fabric


def test_where_offers_compete_it_is_told_at_which_price_another_costs_less(library, tmp_path):
    made = plan(_job(), library, index=None, today=LATER)
    taken = made.offers[made.recommendation.offer]
    name = re.escape(f"{taken.instance} at {taken.provider_name} ")
    told = re.compile(rf"{name}.* at \$[\d.]+ per.* At \$([\d.]+),")
    [at] = [found[1] for message in _said(made) if (found := told.search(message))]
    assert "stale-prices" not in {warning.code for warning in made.warnings}, "what is told once is not told again"
    for beyond, moves in ((0.95, False), (1.1, True)):
        price = {"value": beyond * float(at), "unit": "USD/GPU-h", "source": "a new quote", "date": LATER}
        amended = {taken.instance: {"prices": [{"tier": "on-demand", "price": price}]}}
        file = tmp_path / f"{beyond}.yaml"
        file.write_text(yaml.safe_dump({"providers": {taken.provider: {"offers": amended}}}), encoding="utf-8")
        again = plan(_job(), load(user_catalog=file), index=None, today=LATER)
        now = again.offers[again.recommendation.offer]
        assert ((now.provider, now.instance) != (taken.provider, taken.instance)) is moves


@pytest.mark.parametrize(
    ("budget", "beyond", "told"),
    [
        ({"usd": 40_000}, True, "the budget of $40,000 is not kept; no other price of it changes anything"),
        ({"usd_per_month": 600_000}, True, "the budget of $600,000 a month is not kept"),
        ({"usd": 4e6}, False, "No price of it up to 10 times as much changes the recommendation"),
        ({}, False, "No price of it changes the recommendation: nothing else that could be taken is let by Oracle"),
    ],
)
def test_an_old_price_of_the_only_offer_says_beyond_which_price_a_budget_fails_or_that_none_matters(
    library, budget, beyond, told
):
    cluster = {"gpu": "h100-sxm", "gpus": 64, "provider": "oci"}
    training = {"tokens": 1e11} if "usd_per_month" not in budget else {"days": 60}
    said = {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": cluster, "training": training}
    job, pipeline = Questionnaire.model_validate({**said, "budget": budget}), Pipeline(library, TODAY)
    made = plan(job, library, index=None, today=TODAY)
    [message] = [one.message for one in made.warnings if one.code == "stale-prices"]
    assert "days old: ask again." in message and told in message
    taken = made.offers[made.recommendation.offer]

    def then(usd: float) -> str | None:
        charging = Charging(taken.provider, taken.usd_per_gpu_hour, usd, TODAY)
        made = pipeline.decide(job, charging=charging)
        return made.choice.chosen and made.choice.chosen.id if made.instead_of is None else None  # on fewer GPUs

    if beyond:
        [at] = re.findall(r"Above \$([\d.,]+) \(", message)
        usd = float(at.replace(",", ""))
        assert then(usd) == taken.fabric and then(1.002 * usd) is None
    else:
        assert then(10 * taken.usd_per_gpu_hour) == then(taken.usd_per_gpu_hour / 10) == taken.fabric


def test_a_quoted_price_is_never_old(library):
    made = plan(
        _job(gpu_hour_usd=2.5, fabric_premium_gpu_hour_usd=0.0), library, index=None, today=datetime.date(2030, 1, 1)
    )
    assert not [m for m in _said(made) if "H100" in m]


def test_no_published_price_decides_among_quotes(library):
    quotes = [{"provider": "nscale", "fabric": "roce-v2-400", "gpu_hour_usd": 8.5, "months": 1}]
    assert _said(plan(_job(quotes=quotes), library, index=None, today=LATER)) == []


def test_no_old_price_decides_between_offers_of_one_network_that_cost_the_same(library):
    job = _job().model_copy(update={"cluster": _job().cluster.model_copy(update={"gpu": "b200"})})
    made = plan(job, library, index=None, today=TODAY)
    taken = made.offers[made.recommendation.offer]
    alike = [o for o in made.offers if o.tied and o.stale and o.provider != taken.provider]
    assert alike and not any(o.provider in message for o in alike for message in _said(made))


def test_where_no_network_is_needed_no_price_decides(library):
    one_node = Questionnaire.model_validate(
        {"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 8}}
    )
    assert _said(plan(one_node, library, index=None, today=datetime.date(2030, 1, 1))) == []
