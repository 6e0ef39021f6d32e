"""What a user relies on when asking for a sum of money: the sources' own examples come out to the cent, with our
verdict beside them, and the same question with other numbers is computed."""

from __future__ import annotations

import pathlib
import re

import pytest
import yaml

from assistant.answering import answer_many, computed_answer
from assistant.answering.computing import not_summed
from assistant.conversation.searching import understood
from assistant.library import load
from assistant.vocabulary.answers import Answer

LIBRARY = load()
RENT = "what does it cost to rent {gpus:g} H100 for {days:g} days at ${gpu_usd_per_hour:.2f} per GPU-hour?"
WRITTEN_OFF = "what is ${usd:.0f} written off over {months:g} months on {gpus:g} GPUs per GPU-hour?"
WORTH_IT = "is ${premium:.2f} more per GPU-hour worth it at ${gpu_usd_per_hour:.2f}?"


def answered(question: str) -> Answer:
    found = computed_answer(understood(question, LIBRARY), LIBRARY)
    assert found is not None, question
    return found


def _stated(formula: str) -> list[tuple[str, dict[str, float]]]:
    return [
        (claim.id, dict(one.inputs))
        for claim in LIBRARY.knowledge.claims.values()
        for one in claim.compute
        if one.formula == formula
    ]


@pytest.mark.parametrize(("claim", "of"), _stated("run_cost"))
@pytest.mark.parametrize("times", [1, 1.5])
def test_the_rents_of_the_sources_come_out_to_the_cent_and_so_do_others(claim, of, times):
    price = times * (of["gpu_usd_per_hour"] + of.get("fabric_usd_per_hour", 0))
    found = answered(RENT.format(gpus=of["gpus"], days=times * of["days"], gpu_usd_per_hour=price)).computed
    assert found.kind == "rent"
    assert found.value == pytest.approx(times * of["days"] * 24 * of["gpus"] * round(price, 2), abs=0.005)
    verdict = LIBRARY.knowledge.claims[claim].verdict
    assert (f"Our verdict: {verdict}" in found.caveat) is (times == 1), "beside its own numbers alone"


@pytest.mark.parametrize(("claim", "of"), _stated("capital_per_gpu_hour"))
@pytest.mark.parametrize("times", [1, 2])
def test_the_networks_of_the_sources_written_off_come_out_and_so_do_others(claim, of, times):
    found = answered(WRITTEN_OFF.format(**{**of, "usd": times * of["usd"]})).computed
    hourly, monthly = (figure.value for figure in found.figures)
    assert found.kind == "write-off"
    assert hourly == pytest.approx(times * of["usd"] / of["months"] / 730 / of["gpus"], abs=5e-5)
    assert monthly == pytest.approx(times * of["usd"] / of["months"] / of["gpus"], abs=0.005)
    assert (LIBRARY.knowledge.claims[claim].source in found.caveat) is (times == 1)


@pytest.mark.parametrize(
    "question",
    [
        "a purchase of $2,000,000 written off over 3 years on 64 GPUs",
        "an investment of about $2,000,000 depreciated over 36 months on 64 GPUs",
    ],
)
def test_a_purchase_that_is_written_off_is_a_sum_however_it_is_called(question):
    found = answered(question).computed
    assert found.kind == "write-off" and found.value == pytest.approx(2e6 / 36 / 730 / 64, abs=5e-5)


@pytest.mark.parametrize(("claim", "of"), _stated("break_even"))
def test_the_premiums_of_the_sources_break_even_where_they_do(claim, of):
    found = answered(WORTH_IT.format(**of))
    assert found.computed.value == pytest.approx(100 * of["premium"] / of["gpu_usd_per_hour"], rel=1e-4)
    beside = {side.claim for conflict in found.conflicts for side in conflict.sides}
    assert beside and found.conflicts[0].resolution, f"what the sources say of {claim} stands beside it"


def test_two_runs_side_by_side_have_their_difference():
    found = answered("how much is 32 GPUs for 11.5 days at $2.50 against 10 days at $3.50?").computed
    assert [figure.value for figure in found.figures] == [22_080, 26_880, 4_800, 2.875, 3_200]
    assert "$4,800.00 more (+21.7 %) and takes 1.50 days less" in found.text and "cancels out" in found.caveat
    other = answered("how much is 64 GPUs for 12 days at $2.00 against 10 days at $3.00?").computed
    assert "$9,216.00 more" in other.text


def test_a_slowdown_is_worth_its_share_of_the_price():
    found = answered("What premium per GPU-hour is a 15% slowdown worth at $2.50?").computed
    assert (found.kind, found.value) == ("worth", 0.375) and "$0.375" in found.text


SUMS = """
what does 10 days on 32 GPUs at $2.50 cost when Ethernet is 15 % slower? | 11.5 22080 19200 2880 | multinode
what does 20 days on 64 GPUs at $2.00 cost when Ethernet is 10 % slower? | 22 67584 61440 6144 | multinode
what does 10 days on 32 GPUs at $2.50 and 15 % slower cost against $3.50? | 11.5 22080 26880 4800 0.375 | multinode
32 GPUs, 10 days at $3.50 or 15 % slower on Ethernet at $2.50: dearer? | 11.5 22080 26880 4800 0.375 | multinode
RoCE at $2.40 is 20 % slower than IB at $3.10: 14 days on 16 GPUs? | 16.8 15482.88 16665.6 1182.72 0.48 | multinode
$40,000 switches, $180,000 adapters, $21,000 cables for 96 GPUs over two years? | 241000 0.143289 104.601 | networking
a bill rises from $320,000 to $410,000: how much is that? | 90000 1.28125 28.125 21.951 | networking
what is 6 switches x $44,000 and 96 NICs x $2,050 per GPU on 96 GPUs? | 460800 4800 | guide
how long does a run of 30 days take that is 15 % slower? | 4.5 34.5 | multinode
what do $65,000, $400,000 and $25,000 come to? | 490000 | guide
what is $65,000 plus $400,000 plus $25,000 over 36 months on 64 GPUs per GPU-hour? | 490000 0.291334 212.674 | guide
how much is lost when a run of $500,000 costs $600,000? | 100000 1.2 20 16.6667 | guide
how many times cheaper is $8,744 than $26,880? | 18136 3.07411 207.411 67.4702 | multinode
48 H100, 9 days at $3.10 per GPU-hour with a premium of $0.40 for InfiniBand: total? | 36288 4147.2 12.9032 | multinode
32 H100, 10 days, $2.50 plus $1.00 for InfiniBand: total? | 26880 7680 40 | multinode
what are 64 adapters at $6,250 each? | 400000 | guide
what is $4,349,440 for 1024 GPUs per GPU? | 4247.5 | cheah-h100
is a network worth 15 % more at 22 % more throughput? | 0.942623 | infiniband-vs-ethernet
what share of $23,000 is a network of $4,000? | 17.3913 | fire-flyer
switches $65,000, cards $400,000, cables $25,000, 64 GPUs, 36 months per GPU-hour? | 490000 0.291334 212.674 | guide
64 H100 30 days, $1.00 premium per GPU-hour, 15 % slower without it: worth it? | 6.66667 46080 | multinode
32 H100, 10 days at $2.50/hr: is IB at +$1 worth it when Ethernet adds 15%? | 11.5 22080 26880 4800 0.375 40 | multi
9 GPUs, 10 days at $2, a premium of $0.40, 25 % slower without: worth it? | 12.5 5400 5184 -216 0.5 20 | multinode
is a $0.75 premium worth it at $3.00 when Ethernet is 30 % slower? | 0.9 25 -0.15 | multinode
IB adds $1.20 to $2.60, saves 20 % of the time, 10 GPUs, 10 days: worth it? | 8 6240 7296 1056 0.65 | multinode
InfiniBand saves 1.5 days but costs $4,800 more: is that worth it? | 3200 | multinode
IB premium $1.00-$1.50 per GPU-hour on 32 GPUs for 10 days, how much? | 7680 11520 | multinode
2 switches at $70K each, 128 HCAs at $6,000 each, cables $40K over 4 years, 128 GPUs? | 948000 0.211366 154.297 | guide
64 HCAs at $5,000 to $8,000 each: total? | 320000 512000 | guide
InfiniBand costs 18% more per hour and Ethernet is 30% slower: which is cheaper? | 0.907692 | infiniband-vs-ethernet
what do $90,000, $300,000 and $40,000 come to over 48 months on 128 GPUs? | 430000 0.0958726 69.9870 | guide
"""


@pytest.mark.parametrize("row", SUMS.strip().splitlines())
def test_the_other_cost_examples_of_the_sources_are_computed_with_any_numbers(row):
    question, figures, source = (part.strip() for part in row.split("|"))
    found = answered(question).computed
    wanted = [float(value) for value in figures.split()]
    assert [figure.value for figure in found.figures] == pytest.approx(wanted, rel=1e-5), found.kind
    assert source in found.caveat and "Our verdict:" in found.caveat


def test_two_networks_that_are_bought_have_their_difference_per_gpu_hour():
    question = "how much more per GPU-hour is a network of $490,000 than one of $175,000 over 36 months on 64 GPUs?"
    assert "From the dearest to the cheapest it is $0.187 per GPU-hour." in answered(question).computed.text


@pytest.mark.parametrize(
    "question, told",
    [
        ("spot $0.99/hr 32 GPUs 11.5 days total", "cost $8,743.68"),
        ("spot $1.25/hr 48 GPUs 7 days total", "cost $10,080.00"),
        ("what do 48 H100 cost for 9 days at 1.80 an hour?", "9 days at $1.80 cost $18,662.40"),
        ("what does a run of 10 days on 32 H100 cost at 3.50 per GPU-hour", "cost $26,880.00"),
        ("32 H100, 10 hours, $2.50 plus $1.00 for the switches: what does it come to?", "Together $3.50."),
        ("8.4 days × 24 hr × 96 GPUs × $1.75/hr", "8.4 days at $1.75 cost $33,868.80"),
        ("fabric cost of $840K amortized over 3 years for 128 GPUs: per GPU-hour?", "$0.250 per GPU-hour"),
        ("is $0.60 extra worth it at $2.40 when Ethernet is 15 % slower?", "No, by the money alone"),
        ("What is a 15 % slowdown worth per GPU-hour at $2.50?", "up to $0.375"),
        ("is $0.40 more per GPU-hour worth it at $3.20?", "more than 12.5 % slower"),
        (
            "48 switches x $43,000, 1024 NICs x $1,890 on 1024 GPUs over 36 months, total per GPU-hour?",
            "48 switches × $43,000 = $2,064,000; 1,024 NICs × $1,890 = $1,935,360. Together $3,999,360.00: over 36 "
            "months on 1024 GPUs $0.149 per GPU-hour",
        ),
        (
            "12 switches at 31,500 EUR, 9 routers, 640 optics x $420 and 40 licences @ $1,100: total?",
            "40 licences × $1,100 = $44,000. Left out of the sum, as no price is told: 9 routers. Together $738,767.6",
        ),
        (
            "1 SN5600 (~$47K) + 64 HCAs (~$250K) + cables (~$20K), amortized over 3 years on 64 GPUs?",
            "1 SN5600 $47,000; 64 HCAs $250,000; cables $20,000. Together $317,000.00: over 36 months on 64 GPUs $0.18",
        ),
        ("is 0.29 dollars more per GPU-hour for InfiniBand worth it at 2.01?", "more than 14.4 % slower"),
        ("is 0.35 dollars more per GPU-hour worth it at 2.80?", "more than 12.5 % slower"),
        ("64 H100 at $2.50 for 10 days and 64 H100 at $3.50 for 8 days, total?", "8 days at $3.50 cost $43,008.00"),
    ],
)
def test_sums_as_people_type_them(question, told):
    assert told in answered(question).computed.text


def test_electricity_is_that_of_the_machines_as_a_bought_plan_counts_it():
    found = answered("what does the electricity of 64 H100 for 30 days cost?").computed
    of = LIBRARY.catalog.constants
    kw, more = 8 * of["power-machine-h100-sxm"].value, of["cost-power-usage-effectiveness"].value
    assert found.kind == "electricity"
    assert found.value == pytest.approx(kw * more * 720 * of["cost-electricity"].value, rel=1e-3)
    other = answered("electricity cost of 16 H200 for two weeks at $0.12 per kWh?").computed
    usd, kwh, _ = (figure.value for figure in other.figures)
    assert usd == pytest.approx(0.12 * kwh, rel=1e-4) and "at $0.12" in other.text


def test_machines_with_a_time_and_a_price_in_euro_are_a_rent_where_they_are_put_as_a_question():
    asked = understood("16 H100 for two weeks at 2.10 EUR per hour", LIBRARY)
    [found] = answer_many([(None, asked)], LIBRARY, lambda: pytest.fail("nothing is to be searched"))
    euro = LIBRARY.catalog.constants["currency-eur"]
    assert found.computed.value == pytest.approx(14 * 24 * 16 * 2.10 * euro.value, abs=0.01)
    [rate] = (one.why for one in found.computed.assumptions if one.field.startswith("EUR"))
    assert str(euro.date) in rate and "2.10 EUR is $2.366" in rate


def test_a_source_with_other_numbers_is_not_said_to_have_this_sum():
    other = answered("what do $90,000, $300,000 and $40,000 come to?").computed
    assert "has a sum of this kind:" in other.caveat and "has this sum:" not in other.caveat


COSTS = yaml.safe_load(pathlib.Path(__file__).with_name("cost_questions.yaml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("row", COSTS, ids=lambda row: row[0])
def test_costs_asked_with_other_numbers_have_both_sides_and_their_difference_in_the_first_lines(row):
    question, *told = row
    text = answered(question).computed.text
    assert all(one in text for one in told), text


def test_the_sums_of_rent_and_purchase_multiply_out_as_they_are_printed():
    for question in (
        "should I rent or buy 128 H100?",
        "When does buying 256 H100 pay against renting them at $2.50 per GPU-hour?",
    ):
        for one in answered(question).computed.figures[:2]:
            months, hours, gpus, price = re.match(r"(\d+) months × (\d+) h × (\d+) × \$([\d.]+),", one.formula).groups()
            assert one.value == pytest.approx(int(months) * int(hours) * int(gpus) * float(price), abs=0.005)


def test_buying_pays_later_the_less_is_paid_for_rent_and_never_below_power_and_upkeep():
    ask = "When does buying 256 H100 pay against renting them at ${} per GPU-hour?"
    assert "pays after 47." in answered(ask.format("1.65")).computed.text
    assert "Renting is the cheaper for ever" in answered(ask.format("0.20")).computed.text


def test_the_power_of_machines_names_what_it_leaves_out():
    *_, power = answered("what does the electricity of 128 H100 for 30 days cost?").computed.figures
    assert power.formula == (
        "163.2 kW × 1.3 (power usage effectiveness): machines and the site for them, without switches and optics"
    )


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("64 H100 for 30 days at $2.50 plus $5,000 storage", "$120,200.00 in all"),
        ("24 H200 at $3.40 for 2 weeks and $900 for egress, total?", "$28,317.60 in all"),
        ("40 A100 for 6 days at $1.30 with $1,500 for support, what is the total?", "$8,988.00 in all"),
        (
            "what does 1 million tokens cost if 8 H100 make 12,000 tokens per second at $2.50 per GPU-hour?",
            "cost $0.46",
        ),
        ("what do 5 million tokens cost if 16 H200 make 30,000 tokens/s at $3.00 per GPU-hour?", "cost $2.22"),
        ("what does 20% idle time cost on 128 H100 at $2.50 for 10 days?", "$15,360.00"),
        ("half of 64 H100 at $2.50 are idle for 30 days, what does it cost?", "$57,600.00"),
        ("96 H100 for 21 days at $2.30, and 10% is lost to failures, what does that loss cost?", "$11,128.32"),
        ("64 H100 for 30 days at $2.50 with a 20% discount?", "are $92,160.00"),
        ("the network costs 15% of a 9 million dollar cluster of 256 GPUs; per GPU?", "$5,273.44 for each"),
        ("InfiniBand is 12% of a $20M cluster with 512 GPUs, what is that per GPU-hour over 36 months?", "$0.178 per"),
        ("a 128 GPU cluster costs $5M, 18% of that is network. Network per GPU-hour over 4 years?", "$0.201 per"),
    ],
)
def test_a_share_a_sum_beside_and_the_price_of_tokens_are_in_the_sum(question, told):
    assert told in answered(question).computed.text


@pytest.mark.parametrize("question", [row[0] for row in COSTS][:8])
@pytest.mark.parametrize(("more", "number"), [(" The fee is $7,777.", "7,777"), (" A third party takes 37%.", "37")])
def test_no_sum_is_told_that_passes_over_a_number_of_the_question_without_a_word(question, more, number):
    """$900 for egress, or 20 % of idle time, were left out and the sum told as if it were the whole."""
    found = computed_answer(understood(question + more, LIBRARY), LIBRARY)
    assert found is None or number in found.computed.text + found.computed.caveat


def test_the_number_for_which_no_sum_is_told_is_named():
    said = understood("what do 64 H100 cost for 10 days at $2.50, and 7% tax?", LIBRARY)
    assert computed_answer(said, LIBRARY) is None
    assert not_summed(said, LIBRARY) == ["7%"]


def test_two_prices_and_two_lengths_of_which_nobody_says_whose_they_are_give_no_sum():
    asked = "we pay 2.60 per GPU-hour for 48 H100; with InfiniBand 3.05 but only 11 days rather than 12.5. Cheaper?"
    found = computed_answer(understood(asked, LIBRARY), LIBRARY)
    assert found is None or found.computed is None
