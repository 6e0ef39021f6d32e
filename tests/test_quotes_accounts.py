"""All the money of a pasted mail is accounted for: what follows by arithmetic is no offer, what is left is asked."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.understanding import Listener

from .quoted import CATALOG, IB, TODAY, planned

HEAR = Listener.of(library.load().language, CATALOG).hear


def quotes(said: str) -> list[dict]:
    """What was told of each quote."""
    return [{name: value for name, value in one.items() if value} for one in HEAR(said, today=TODAY).contract().quotes]


def test_the_total_of_a_rate_is_no_second_offer_and_no_budget():
    said = "Kestrel Cloud: H100 with NDR, 3 weeks, 16 servers. $2.10 per GPU-hour, total $135,475.20."
    [quote] = quotes(said)
    assert quote["gpu_hour_usd"] == 2.1 and "unread" not in quote
    assert "budget.usd" not in HEAR(said, today=TODAY).fields


def test_lines_by_the_month_are_one_offer_of_their_total():
    said = """This is what they sent us:
Compute, 4 nodes HGX H200 (32 GPUs)    $61,500 / month
Network, NDR InfiniBand                 $5,200 / month
24x7 support                            $2,300 / month
Total                                  $69,000 / month
Contract term 12 months"""
    [quote] = quotes(said)
    assert (quote["usd"], quote["months"], quote["fabric"]) == (12 * 69_000, 12, IB)


def test_of_a_list_price_what_is_left_of_it_is_the_offer():
    told = "Azure: list $10.60 per GPU-hour minus 45 %, 96 H200, NDR InfiniBand, 12 month term"
    assert [one["gpu_hour_usd"] for one in quotes(told)] == [pytest.approx(5.83)]
    both = "Azure offers 96 H200, NDR InfiniBand: list price $10.60 per GPU-hour, your price $5.83 (45 % discount)"
    assert [one["gpu_hour_usd"] for one in quotes(both)] == [5.83]


def test_a_term_in_the_line_of_one_price_is_of_no_other():
    said = """Kestrel reserved 64x H100 for 2 weeks: $1.89, IB
Ostra spot, same card: $1.35
Halden cluster, 64 H100 for 4 weeks: $2.69, IB"""
    told = {one["gpu_hour_usd"]: one.get("minimum_days") or 30 * one.get("months", 0) for one in quotes(said)}
    assert (told[1.89], told[1.35]) == (14, 0) and told[2.69] == pytest.approx(28, abs=3)


def test_a_price_far_off_all_lists_is_asked_about_and_nothing_is_clear():
    said = "Kestrel: 64 H100, NDR InfiniBand, 12 months, $425,571 in all. Ostra: 64 H100, NDR, $2.20 per GPU-hour."
    assert all("$425,571" in one["unread"] for one in quotes(said))


def test_what_we_may_spend_is_kept_beside_the_price_of_a_seller():
    said = "34B model, 800B tokens, 128 H100 at $2.15 per GPU-hour at Nebius, budget 1.8M."
    assert HEAR(said, today=TODAY).fields["budget.usd"] == 1_800_000


def test_no_plan_is_clear_while_something_is_to_be_asked_of_a_quote():
    plan = planned({"fabric": IB, "gpu_hour_usd": 1.2, "provider": "aws"})
    assert any(one.code == "quoted-network-not-listed" for one in plan.warnings)
    assert plan.recommendation.certainty != "clear"
