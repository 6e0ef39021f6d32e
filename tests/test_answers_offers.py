"""What a user relies on when asking who sells a GPU and at which price: the catalog's offers answer, and what they do
not have is said."""

from __future__ import annotations

import datetime

import pytest

from assistant.answering import computed_answer
from assistant.conversation.searching import understood
from assistant.library import Library, load
from assistant.market import offered_tiers
from assistant.present.answers import answer_lines
from assistant.understanding.listener import Listener
from assistant.vocabulary.answers import Answer


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


def answered(question: str, library: Library, today: datetime.date | None = None) -> Answer:
    found = computed_answer(understood(question, library), library, today=today)
    assert found is not None and found.computed.kind == "offers", question
    return found


def test_the_price_of_a_provider_is_its_offers_price_with_tier_date_source_and_trust(library):
    offer = next(o for o in library.catalog.providers["coreweave"].offers if o.gpu == "h200-sxm")
    price = offer.price("on-demand")
    first = answered("what does CoreWeave charge for H200", library).computed.figures[0]
    assert first.value == price.price.value and offer.name in first.name and first.unit == "USD/GPU-h"
    for told in ("on demand", str(price.price.date), price.price.source, f"{price.trust} trust", "InfiniBand 400 Gb/s"):
        assert told in first.formula
    assert f"spot ${offer.price('spot').price.value:.2f}" in first.formula, "the other tiers stand beside it"


def test_the_cheapest_come_first_and_each_seller_is_one_that_sells_it(library):
    found = answered("cheapest B200 per hour", library).computed
    values = [figure.value for figure in found.figures if "on demand" in figure.formula]
    catalog = library.catalog
    paid = [
        offered.usd_per_gpu_hour
        for provider in catalog.providers.values()
        for offer in provider.offers
        if offer.gpu == "b200"
        for offered in offered_tiers(provider, offer, catalog.constants, spot=False)
        if offered.tier == "on-demand" and offered.usd_per_gpu_hour
    ]
    assert values == sorted(values) and found.value == min(paid)
    sellers = answered("who sells RoCE with H100", library).computed.text
    for provider in library.catalog.providers.values():
        kinds = {
            library.catalog.fabrics[f].technology
            for o in provider.offers
            if o.gpu.startswith("h100")
            for f in o.fabrics
        }
        assert (provider.name in sellers) == bool(kinds & {"roce", "spectrum-x"}), provider.id


def test_what_a_marketplaces_cheapest_host_asks_is_said_so_and_the_sum_counts_what_is_paid(library):
    host = answered("what does Vast.ai charge for 8 H100 PCIe", library).computed.figures[0]
    times = library.catalog.constants["market-paid-over-cheapest"].si
    assert "from: what its cheapest host asks" in host.formula
    assert f"8 GPUs ${8 * times * host.value:.2f} per hour" in host.formula


def test_a_price_that_nobody_read_is_said_to_be_missing_and_none_is_borrowed(library):
    text = answered("what does H100 with InfiniBand cost at Hyperstack", library).computed.text
    assert "No price was read of Hyperstack AI Supercloud H100: ask for a quote" in text
    for question in ("does AWS sell InfiniBand", "does google cloud have infiniband?"):
        assert "sells no InfiniBand" in answered(question, library).computed.text
    assert answered("does CoreWeave have InfiniBand", library).computed.text.startswith("Yes")


@pytest.mark.parametrize(
    ("question", "gpu", "count", "days"),
    [
        ("rent 128 H100 at CoreWeave for 2 weeks", "h100-sxm", 128, 14),
        ("128 H200 at CoreWeave for 10 days: how much?", "h200-sxm", 128, 10),
        ("what does it cost to rent 96 H100 at CoreWeave for a month?", "h100-sxm", 96, 30.416666666666668),
        ("what do I pay for 128 H200 at CoreWeave for 3 days?", "h200-sxm", 128, 3),
        ("what does CoreWeave charge for 64 H100 from 1 Dec to 15 Dec?", "h100-sxm", 64, 14),
    ],
)
def test_a_rent_that_names_no_price_is_summed_at_the_providers_own(question, gpu, count, days, library):
    offer = next(o for o in library.catalog.providers["coreweave"].offers if o.gpu == gpu)
    found = answered(question, library).computed
    assert found.value == pytest.approx(24 * days * count * offer.price("on-demand").price.value, abs=0.01)
    assert f"${found.value:,.2f} at CoreWeave" in found.text and offer.name in found.figures[1].name


@pytest.mark.parametrize("today", ["2026-11-30", "2026-12-01", "2026-12-09"])
def test_a_rent_that_has_begun_is_summed_from_its_first_day(today, library):
    asked, day = "what does CoreWeave charge for 64 H100 from 1 Dec to 15 Dec?", datetime.date.fromisoformat(today)
    heard = Listener.of(library.language, library.catalog, library.listener).hear(asked, today=day)
    assert "64 GPUs for 14 days cost" in computed_answer(heard, library, today=day).computed.text


def test_an_old_price_is_told_as_old(library):
    asked = "what does CoreWeave charge for H200"
    date = library.catalog.providers["coreweave"].offers[0].date
    assert "days old" not in answered(asked, library, date).computed.figures[0].formula
    assert "days old" in answered(asked, library, date + datetime.timedelta(900)).computed.figures[0].formula


def test_the_answer_is_short_and_no_article_stands_beside_it(library):
    found = answered("what does Lambda charge for H100", library)
    assert not found.passages and len(answer_lines(found, 120)) <= 12


def test_in_a_conversation_the_gpu_of_the_job_is_meant(library):
    told = {"cluster.gpu": "h100-sxm", "cluster.gpus": 64, "model": "llama-3.1-70b"}
    found = computed_answer(understood("what does Lambda charge?", library, told), library, told=told).computed
    assert found.kind == "offers" and "h100-sxm" in found.inputs["gpus"]
    assert [one.field for one in found.assumptions] == ["cluster.gpu", "cluster.gpus"]


def test_the_gpu_that_is_named_is_meant_and_what_else_bears_the_name_is_told_beside_it(library):
    named = answered("who sells H100 cheapest", library).computed
    for found in (named, answered("who sells 80 H100 cheapest", library).computed):
        assert found.inputs["gpus"] == ["h100-sxm"], "a number of GPUs is no size of a memory"
    assert "Other GPUs of that name: NVIDIA H100 PCIe 80 GB from" in named.text
    assert "Other GPUs" not in answered("who sells H100 PCIe", library).computed.text
    vultr = answered("what does Vultr charge for A100", library).computed
    assert "sells no NVIDIA A100 SXM4 80 GB" in vultr.text and "A100 PCIe" in vultr.figures[0].name


def test_so_many_gpus_are_let_at_once_joined_and_paid_in_whole_machines(library):
    offers = {one.name: one for provider in library.catalog.providers.values() for one in provider.offers}
    for asked in ("who sells 640 A100 cheapest", "who sells 80 H100 cheapest", "who sells 5000 H100"):
        found = answered(asked, library).computed
        for figure in found.figures:
            offer = next(one for name, one in offers.items() if figure.name.endswith(name))
            assert offer.fabrics[0] != "none" and (offer.largest_gpus or 5000) >= found.inputs["count"]
            assert offer.largest_gpus or "how many are let at once is not said" in figure.formula
        assert "Left out: " in found.text
    nine = answered("who sells 9 H100 with InfiniBand", library).computed
    dearest, hour = nine.figures[0], 16 * nine.figures[0].value
    assert f"16 GPUs ${hour:.2f} per hour" in dearest.formula and f"from ${hour / 9:.2f} per GPU-hour" in nine.text
    assert "16 GPUs $" in answered("what does Lambda charge for 16 H100?", library).computed.figures[0].formula


def test_a_sum_says_how_many_gpus_it_rents_in_whole_machines_at_whom(library):
    found = computed_answer(understood("How many H100 can I rent for 50,000 euro a month?", library), library).computed
    assert found.kind == "offers-for-money" and found.unit == "GPUs"
    rate = library.catalog.constants["currency-eur"].value
    assert found.inputs["usd"] == pytest.approx(50_000 * rate) and any("EUR" in a.field for a in found.assumptions)
    for figure in found.figures:
        hourly = float(figure.formula.split("$")[1].split()[0])
        assert 730 * hourly * figure.value <= found.inputs["usd"] < 730 * hourly * (figure.value + 8)
    racks = computed_answer(
        understood("how many GB200 with InfiniBand can I rent for $40,000 a month?", library), library
    ).computed
    assert racks.value == 0 and "no NVIDIA GB200" in racks.text and "the least that is let" in racks.figures[0].formula
    day, month = (
        computed_answer(understood(f"how many H100 can I rent for ${sum_of}?", library), library).computed.inputs
        for sum_of in ("5,000 a day", "152,083 a month")
    )
    assert day["usd"] / day["hours"] == pytest.approx(month["usd"] / month["hours"], rel=1e-3)


def test_who_asks_for_the_spot_price_hears_it_first_with_its_region_and_the_cheaper_one(library):
    """It was told behind $6.88 on demand, and $1.81 in another region not at all."""
    first = answered("what is the spot price of H100 on AWS?", library).computed.figures[0]
    offer = next(o for o in library.catalog.providers["aws"].offers if o.name == "p5.48xlarge")
    spot = {one.region: one.price.value for one in offer.prices if one.tier == "spot"}
    assert first.value == offer.price("spot").price.value and first.formula.startswith("spot; in us-east-1")
    assert f"${min(spot.values()):.2f} in {min(spot, key=spot.get)}" in first.formula
