"""A sum, a currency, a price of a kilowatt or a time of use that is named beside a plan is computed with the plan's own
figures, and a question for money with numbers of one's own with these."""

from __future__ import annotations

import re

import pytest

from assistant.answering import computed_answer
from assistant.conversation import Conversation
from assistant.conversation.searching import understood
from assistant.library import Library
from assistant.present.figures import usd
from assistant.vocabulary.answers import Computed
from tests.conversing import begin, library

BOUGHT = "buy 64 H100 and pretrain 70B on 300B tokens"
OURS = "we own 64 H100, which network do we buy? pretrain 13B on 300B tokens"


def told(conversation: Conversation, question: str) -> str:
    """All that is said to a question; what is only tried is dropped again."""
    before = conversation.draft
    said = " ".join(
        text
        for event in conversation.say(question)
        for text in (getattr(event, "text", ""), *(getattr(event, "items", ())), *(getattr(event, "card", None) or ()))
        if isinstance(text, str)
    )
    assert conversation.draft == before, "a question changes no fact"
    return said


@pytest.fixture
def bought(begin) -> Conversation:
    return begin(BOUGHT)


def test_what_is_bought_is_asked_about_in_the_words_of_who_pays_for_it(bought):
    plan = bought.plan
    kw, capital = plan.power.it_kw, plan.purchase.capital_usd
    assert f"{usd(180 * kw)} a month" in told(bought, "what does colocation at 180 dollars per kW a month come to?")
    in_euros = told(bought, "how much is that per month in euros?")
    rate = re.search(r"At (\S+) dollars for EUR", in_euros)
    assert rate is not None
    euro = float(rate[1])
    assert f"EUR {capital / euro / 1e6:.2f} M to buy" in in_euros and "a month" in in_euros
    assert "GBP" in told(bought, "and in pounds?")
    spot = told(bought, "is spot cheaper?")
    assert "Nebius at $1.25" in spot and "your own $170,000" in spot, "not the plan against itself"
    assert "Nebius" in told(bought, "what about spot at Nebius?")
    assert told(bought, "is one switch enough?").startswith("Yes: InfiniBand NDR 400 Gb/s takes 1 switch")
    half = told(bought, "what if we only use it for 6 months?")
    assert "over 6 months instead of 36" in half and "Voltage Park" in half
    assert told(bought, "is the network worth 200k?").startswith("Yes at $200,000")
    assert told(bought, "is the network worth 2 million?").startswith("No at $2 M")
    assert "2 racks of servers" in told(bought, "kW per rack?"), "no 2 servers in one rack"


def test_a_dearer_kilowatt_hour_is_no_price_of_the_network(begin):
    dear = told(begin(OURS.replace("64", "128")), "what if electricity is 35 cents?")
    assert "as before the run costs" in dear and "the price alone" in dear and "worth it" not in dear
    ours = begin(OURS)
    enough = told(ours, "is one switch enough?")
    assert "RoCE v2 100 Gb/s takes 1 switch" in enough and "buy none" not in enough
    assert told(ours, "is the network worth 300k?").startswith("No at $300,000: RoCE v2 100 Gb/s")
    assert "on the machines that are there $8,370" in told(ours, "is spot cheaper for us?")


def test_what_is_paid_today_is_held_against_the_lists_and_is_no_budget(begin):
    paid = begin("pretrain 13B on 16 H100, 300B tokens")
    said = told(paid, "30k a month, too much?")
    assert "$2.57 per GPU-hour" in said and "Voltage Park at $1.99" in said
    assert "budget.usd_per_month" not in paid.draft.fields


def test_a_site_draws_what_its_pue_says(begin):
    plan = begin(f"{BOUGHT}, PUE of 1.5").plan
    assert plan.power.site_kw == pytest.approx(1.5 * plan.power.it_kw)
    assert not [one for one in plan.assumptions if one.field == "power usage effectiveness"]


def asked(question: str, library: Library) -> Computed:
    found = computed_answer(understood(question, library), library)
    assert found is not None and found.computed is not None, question
    return found.computed


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("how many QM9700 do I need for 256 H100?", 12),
        ("how many SN5600 for 1024 H100?", 24),
        ("what does a month of 256 H100 at 2.15 cost?", 401_792.00),
        ("what does it cost to run 64 H100 for 30 days at 2.20?", 101_376.00),
        ("2.61 million over 36 months for 64 GPUs per GPU-hour?", 1.5518),
        ("is 2.50 a good price for H200 with InfiniBand, 64 GPUs, 70B?", 2.50),
        ("we pay 30k a month for 16 H100, is that too much? 13B finetuning", 2.56849),
    ],
)
def test_the_numbers_of_a_question_are_computed_with(question, value, library):
    assert asked(question, library).value == pytest.approx(value, rel=1e-4)


def test_machines_at_a_price_of_ones_own_break_even_with_a_rent_of_ones_own(library):
    question = "break-even between renting at 2.10 per GPU-hour and buying 16 H100 nodes at 260k a node over 3 years"
    found = {one.name: one.value for one in asked(question, library).figures}
    assert found["rented"] == pytest.approx(36 * 730 * 128 * 2.10)
    network_and_upkeep = found["bought"] - 16 * 260_000
    assert 800_000 < network_and_upkeep < 2_500_000
    month = (found["bought"] - 4_988_000) / 36
    assert found["buying pays after"] == pytest.approx(4_988_000 / (730 * 128 * 2.10 - month), rel=0.01)


def test_parts_and_a_taper_have_the_price_of_the_bill_of_materials(library):
    whole = asked("what does an InfiniBand NDR network for 512 H100 cost?", library)
    half = asked("how much cheaper is a 2:1 oversubscribed fabric for 512 GPUs?", library)
    prices = [next(f.value for f in one.figures if f.name == "price") for one in (whole, half)]
    assert next(f.value for f in half.figures if f.name == "less than non-blocking") == pytest.approx(
        prices[0] - prices[1]
    )
    link = library.catalog.devices["ndr-link-400"]
    assert asked("what does a 400G transceiver cost?", library).value == link.price.si
    server = asked("how much does an H100 server cost?", library)
    assert server.kind == "server-price" and 150_000 < server.value < 500_000


@pytest.mark.parametrize(
    ("message", "gpus"), [("16x B200 nodes, pretrain 34B", 128), ("8 nodes of 8x B200", 64), ("10 x H100 servers", 80)]
)
def test_so_many_x_nodes_are_nodes(message, gpus, library):
    assert understood(message, library).fields["cluster.gpus"] == gpus


def test_a_gpu_of_the_field_is_said_to_be_unknown_with_the_nearest(library):
    said = understood("2x DGX Spark, finetune 8B", library)
    assert said.fields["cluster.gpus"] == 2 and "cluster.gpu" not in said.fields
    assert [doubt.options for doubt in said.doubts if doubt.field == "cluster.gpu"] == [("rtx-pro-6000",)]


def test_more_servers_than_nodes_are_asked_about(library):
    said = understood("buy 64 H200 servers? 8 nodes, pretrain 70B", library)
    assert [doubt.options for doubt in said.doubts] == [(64, 512)]
