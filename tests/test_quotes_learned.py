"""Quotes in free words, which are read by what was learned from labelled messages."""

from __future__ import annotations

import numpy as np
import pytest

from assistant import library
from assistant.understanding import Listener

from . import quotes_judged
from .quoted import CATALOG, IB, TODAY
from .understanding_fit import MESSAGES

HEAR = Listener.of(library.load().language, CATALOG).hear


def test_what_is_learned_of_quotes_was_learned_from_these_messages():
    """Else: ``python -m tests.quotes_fit`` learns it anew."""
    from . import quotes_fit  # brings torch, which who only lists the tests need not wait for

    with np.load(quotes_fit.FILE, allow_pickle=False) as file:
        assert str(file["learned_from"]) == quotes_fit.digest()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("| vendor | gpu | $/gpu-h | fabric | commit |\n| Halden Cloud | H200 | 2.55 | NDR | 6 mo |\n"
         "| Ostra | H200 | 2.15 | RoCE | 1 yr |\nJob: 13B, 1T tokens, 40 days",
         [("Halden Cloud", 2.55, 6), ("Ostra", 2.15, 12)]),
    ],
)  # fmt: skip
def test_a_table_of_quotes_is_read_with_its_sellers_and_terms(said, told):
    heard = HEAR(said, today=TODAY)
    assert [(one.provider, one.gpu_hour_usd, one.months) for one in heard.offers] == told
    assert heard.offers[0].fabric == IB and heard.fields["training.tokens"] == 1e12


def test_a_price_in_a_currency_whose_rate_nobody_keeps_is_never_taken_for_dollars():
    heard = HEAR("Bahnhof asks 27,80 SEK per GPU hour with NDR, Conapto 24,10 SEK per GPU hour with RoCE", today=TODAY)
    assert not any(one.gpu_hour_usd and one.gpu_hour_usd > 20 for one in heard.offers)


def test_as_many_quotes_of_strangers_are_read_right_as_were_when_they_were_last_judged():
    """Of 46 messages with quotes that nobody learned from 21 were read with every offer right and 19 of 25 times of a
    job, and of each of the others something is asked; a reading that grows worse by more than two is noticed."""
    found = quotes_judged.judge(quotes_judged.messages(MESSAGES / "quotes_fresh.yaml"), HEAR)
    right = {kind: found.right[kind] for kind in ("messages with every offer right", "job's time")}
    assert right["messages with every offer right"] >= 19 and right["job's time"] >= 17, right
    assert found.right["messages wrong in silence"] <= 2, found.wrong
    assert found.right["messages right, and asked about"] <= 8
