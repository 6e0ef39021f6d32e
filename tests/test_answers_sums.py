"""What a user relies on when asking for a sum of money: the sources' own examples come out to the cent, with our
verdict beside them, and the same question with other numbers is computed."""

from __future__ import annotations

import pytest

from assistant.answering import computed_answer
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
    assert [figure.value for figure in found.figures] == [22_080, 26_880]
    assert "$4,800.00 more (+21.7 %) and takes 1.50 days less" in found.text and "cancels out" in found.caveat
    other = answered("how much is 64 GPUs for 12 days at $2.00 against 10 days at $3.00?").computed
    assert "$9,216.00 more" in other.text


def test_a_slowdown_is_worth_its_share_of_the_price():
    found = answered("What premium per GPU-hour is a 15% slowdown worth at $2.50?").computed
    assert (found.kind, found.value) == ("worth", 0.375) and "$0.375" in found.text
