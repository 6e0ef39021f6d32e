"""Of what is told in a pasted quote each part is of its own price: terms, months, last days, networks, and totals."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.understanding import Listener

from .quoted import CATALOG, IB, ROCE, TODAY, planned

HEAR = Listener.of(library.load().language, CATALOG).hear
JOB = "Pretraining Llama 3.1 70B, 120B tokens, 64 H100. "


def quotes(said: str) -> list[dict]:
    """What was told of each quote."""
    return [{name: value for name, value in one.items() if value} for one in HEAR(said, today=TODAY).contract().quotes]


def terms(said: str) -> dict[float, float | None]:
    """The term of each price."""
    return {one["gpu_hour_usd"]: one.get("months") for one in quotes(said)}


@pytest.mark.parametrize(
    ("said", "months"),
    [
        ("Lambda: pay as you go $2.89/GPU-hr with InfiniBand, with a 2 year reservation $1.99/GPU-hr.",
         {2.89: None, 1.99: 24}),
        ("Crusoe with InfiniBand: reserved 6 months $2.05 per GPU-hour, on demand $2.60 per GPU-hour.",
         {2.05: 6, 2.60: None}),
        ("Nebius here: we can do $2.65/hr per GPU on-demand or $2.15/hr per GPU with a 3-month reservation, NDR.",
         {2.65: None, 2.15: 3}),
    ],
)  # fmt: skip
def test_a_price_on_demand_takes_no_term(said, months):
    assert terms(JOB + said) == pytest.approx(months)


def test_the_time_of_a_discount_is_no_term_of_the_price_without_it():
    said = JOB + "AWS: 4.90 USD per GPU-hour on p5.48xlarge with EFA, 12% discount if you commit for 2 years."
    assert terms(said) == {4.9: None}


@pytest.mark.parametrize(
    ("said", "usd", "months"),
    [
        ("Nebius offers InfiniBand NDR for a flat monthly fee of $104,000 on a 3 month term.", 312_000, 3),
        ("Nordlicht quoted NDR InfiniBand at a monthly price of 101,000 dollars.", 101_000, 1),
        ("Crusoe: monthly rate $95,000 with InfiniBand NDR.", 95_000, 1),
    ],
)
def test_what_a_seller_asks_by_the_month_is_his_price(said, usd, months):
    heard = HEAR(JOB + said, today=TODAY)
    [quote] = quotes(JOB + said)
    assert (quote["fabric"], quote["usd"], quote["months"]) == (IB, usd, months)
    assert not {"budget.usd", "budget.usd_per_month"} & {*heard.fields, *(doubt.field for doubt in heard.doubts)}


def test_a_flat_rate_by_the_month_in_german_is_no_sum_and_no_seller():
    said = (
        "Wir trainieren Llama 3.1 70B auf 64 H100. Angebot von Nebius: InfiniBand NDR, Monatspauschale von 98.000 EUR."
    )
    heard = HEAR(said, today=TODAY)
    amounts = {doubt.field for doubt in heard.doubts if doubt.field and doubt.field.startswith("budget.usd")}
    assert not {"budget.usd", "budget.usd_per_month"} & heard.fields.keys() and "budget.usd" not in amounts
    assert heard.fields.get("cluster.provider") == "nebius" or quotes(said)[0]["provider"] == "nebius"


def test_what_may_be_spent_a_month_is_still_ours():
    heard = HEAR("Our rent budget: monthly rate of $90,000 max for 64 H100, pretraining 70B", today=TODAY)
    assert heard.fields["budget.usd_per_month"] == 90_000 and not heard.offers


@pytest.mark.parametrize("until", ["Offer valid until 18 December.", "The quote expires on 5 December.",
                                   "Valid for 20 days."])  # fmt: skip
def test_the_last_day_of_an_offer_is_neither_a_least_time_nor_a_delivery(until):
    said = f"{JOB}Crusoe: $2.45 per GPU-hour, InfiniBand NDR. {until}"
    [quote] = quotes(said)
    assert not quote.keys() & {"minimum_days", "delivery_days", "months"}
    assert "constraints.deadline_days" not in HEAR(said, today=TODAY).fields


def test_a_price_is_of_the_seller_of_its_own_sentence_and_takes_no_network_of_another():
    said = (
        "We pretrain 70B on 200B tokens with 128 B200. AWS lists p6-b200 at $4.30. Polarstern Cloud offers 128 B200 "
        "with NDR InfiniBand at $3.20/GPUh, 12-month reserved."
    )
    told = {one["gpu_hour_usd"]: (one["provider"], one.get("fabric")) for one in quotes(said)}
    assert told[3.2] == ("Polarstern Cloud", IB) and told.get(4.3, ("aws", None))[0] == "aws"
    assert told.get(4.3, ("aws", None))[1] != IB


def test_a_monthly_price_in_a_second_quote_is_its_own():
    said = JOB + (
        '\nFrom Lambda: "64x H100 SXM, Quantum-2 InfiniBand, $2.40 per GPU hour, available now"'
        '\nFrom Together: "64 H100, 400G RoCE, monthly price $103,000, support included"'
    )
    told = {one["provider"]: one for one in quotes(said)}
    assert told["lambda"]["gpu_hour_usd"] == 2.4 and told["lambda"]["fabric"] == IB
    assert (told["together-ai"]["usd"], told["together-ai"]["months"], told["together-ai"]["fabric"]) == (
        103_000,
        1,
        ROCE,
    )


def test_of_an_itemised_purchase_the_total_is_the_quote():
    said = """Quote for purchase, pretraining Llama 3.1 70B on 32 H100:
4 x DGX H100 @ $295,000 = $1,180,000
Network: NDR InfiniBand switches, NICs, optics and cables: $150,000
Total: $1,330,000. Lead time 10 weeks.
From: Supermicro reseller"""
    [quote] = quotes(said)
    assert quote["usd"] == 1_330_000 and quote["fabric"] == IB and "unread" not in quote


def test_a_network_that_a_known_provider_does_not_list_is_asked_about():
    quote = {"fabric": IB, "gpu_hour_usd": 2.2, "provider": "aws"}
    told = [one.message for one in planned(quote).warnings if one.code == "quoted-network-not-listed"]
    assert len(told) == 1 and "Amazon Web Services" in told[0] and "EFA" in told[0]
    for fine in (
        {**quote, "provider": "Nordlicht"},
        {**quote, "provider": "lambda"},
        {**quote, "fabric": "aws-efa-v2"},
    ):
        assert not [one for one in planned(fine).warnings if one.code == "quoted-network-not-listed"]
