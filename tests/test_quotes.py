"""What was offered in writing is what is compared: what each comes to, what it leaves open, what to write back."""

from __future__ import annotations

import pytest

from assistant import library, planning
from assistant.library import questionnaires
from assistant.present.plan import formats
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Plan

CATALOG = library.load().catalog
JOB = {"workload": "pretraining", "model": "llama-3.1-70b", "cluster": {"gpu": "h100-sxm", "gpus": 64},
       "training": {"tokens": 2e9}}  # fmt: skip
THREE = [
    {"provider": "CoreWeave", "fabric": "infiniband-ndr-400", "gpu_hour_usd": 2.20, "includes": ["support"]},
    {"provider": "Lambda", "fabric": "roce-v2-400", "gpu_hour_usd": 2.49, "oversubscription": 2},
    {"provider": "Joe's Rack", "fabric": "ethernet-tcp-100", "usd": "50k", "months": 1},
]


def planned(*quotes: dict, **budget) -> Plan:
    job = questionnaires.from_value({**JOB, "budget": {"quotes": list(quotes), **budget}}, CATALOG)
    return planning.plan(job, library.load(), index=None)


@pytest.fixture(scope="module")
def three() -> Plan:
    return planned(*THREE)


def test_the_best_quote_is_recommended_and_published_offers_only_stand_beside(three):
    answer = three.recommendation
    assert answer.fabric == "infiniband-ndr-400" and "CoreWeave" in answer.headline
    taken = three.offers[answer.offer]
    assert (taken.kind, taken.usd_per_gpu_hour) == ("quote", 2.20)
    kinds = [offer.kind for offer in three.offers]
    assert kinds[:3] == ["quote"] * 3 and set(kinds[3:]) == {"published"}
    assert {c.fabric for c in three.candidates if c.verdict == "acceptable"} <= {q["fabric"] for q in THREE}


def test_each_quote_says_what_it_comes_to_what_it_leaves_open_and_how_far_it_is_from_the_list(three):
    coreweave, lambda_, joe = three.quotes
    assert coreweave.effective_usd_per_gpu_hour == pytest.approx(2.20 / (1 - coreweave.waiting_percent / 100))
    assert coreweave.published.provider == "coreweave"
    listed = coreweave.published.usd_per_gpu_hour
    assert coreweave.over_published_percent == pytest.approx(100 * (2.20 / listed - 1))
    assert "support" not in coreweave.missing and "support" in lambda_.missing
    assert "oversubscription" in coreweave.missing and "oversubscription" not in lambda_.missing
    assert "flow control" in lambda_.missing and "flow control" not in coreweave.missing
    at_that_price = planned(THREE[0], THREE[1] | {"gpu_hour_usd": lambda_.usd_per_gpu_hour_to_win})
    first, second = (quote.run_cost_usd.p50 for quote in at_that_price.quotes)
    assert first == pytest.approx(second)
    assert joe.run_cost_usd.p50 == pytest.approx(50_000), "of a term all of it is paid for"


def test_the_mail_asks_for_what_is_missing_and_for_nothing_else(three):
    asked = CATALOG.quote_items
    mail = three.quotes[0].reply
    assert "$2.20 per GPU-hour" in mail and asked["storage"].ask in mail
    assert asked["support"].ask not in mail and asked["lossless"].ask not in mail
    text = formats.written(three, "text")
    assert "YOUR QUOTES" in text and "WHAT TO WRITE BACK" in text and "To lambda:" in text


def test_a_sum_without_a_term_is_that_of_the_run_however_long_it_takes():
    once, twice = (planned({"provider": "Nebius", "usd": usd}) for usd in (60_000, 120_000))
    assert once.quotes[0].fabric == "infiniband-ndr-400", "the network that the provider lists with this GPU"
    assert [p.quotes[0].run_cost_usd.p50 for p in (once, twice)] == [60_000, 120_000]


def test_a_quote_to_buy_is_written_off_and_a_small_sum_is_that_of_the_network():
    network = {"fabric": "infiniband-ndr-400", "usd": 200_000, "provider": "a reseller"}
    cluster = network | {"usd": 2.1e6, "fabric": "roce-v2-400"}
    plan = planned(network, cluster, mode="buy")
    by_fabric = {c.fabric: c for c in plan.candidates}
    hours = 64 * 36 * 730.5
    assert by_fabric["infiniband-ndr-400"].fabric_usd_per_gpu_hour == pytest.approx(200_000 / hours, rel=0.2)
    assert by_fabric["roce-v2-400"].gpu_usd_per_hour == pytest.approx(2.1e6 / hours, rel=0.1)
    assert "optics and cables" in plan.quotes[0].missing


@pytest.mark.parametrize(
    ("quote", "field", "message"),
    [
        ({"fabric": "infiniband-ndr-400"}, "budget.quotes.0", "expected usd or gpu_hour_usd, got neither"),
        ({"fabric": "infinband", "usd": 1e6}, "budget.quotes.0.fabric", "expected an id of the catalog"),
        ({"fabric": "roce-v2-400", "usd": 1, "includes": ["optic"]}, "budget.quotes.0.includes", "optics"),
        ({"gpu_hour_usd": 2}, "budget.quotes.0", "expected fabric or provider, got neither"),
        ({"fabric": "roce-v2-400", "usd": 1, "storge": 1}, "budget.quotes.0.storge", "unknown key"),
    ],
)
def test_a_quote_that_cannot_be_read_is_refused_with_its_place(quote, field, message):
    with pytest.raises(InputError) as refused:
        planned(quote)
    assert refused.value.place.field == field and message in refused.value.message
