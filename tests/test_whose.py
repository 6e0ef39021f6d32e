"""Whose the machines are is heard or asked, and no word that decides what a plan costs is dropped without a word."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assistant import library
from assistant.understanding import Listener
from assistant.vocabulary.utterance import Utterance

from . import understanding_fit
from .labels import labels

TODAY = datetime.date(2026, 11, 22)
HELD_OUT = Path(__file__).parent / "messages" / "owned_held_out.yaml"
THERE = {"machines", "everything"}


def heard(say: str) -> Utterance:
    shipped = library.load()
    return Listener.of(shipped.language, shipped.catalog).hear(say, today=TODAY)


def taken(said: Utterance) -> str:
    """Whose the machines are taken to be; what nobody says is planned as a rental."""
    return "theirs" if said.fields.get("budget.owned") in THERE else said.fields.get("budget.mode", "rent")


def offered(said: Utterance) -> list[str]:
    """What is offered where it is asked whose they are, the likeliest first."""
    values = [value for doubt in said.doubts for meaning in doubt.meanings for value in meaning.values()]
    return ["theirs" if value in THERE else value for value in values if value in THERE | {"buy", "rent"}]


@pytest.mark.parametrize(
    "say",
    [
        "64 H100 are ours, 70B pretraining, which network do we buy?",
        "we possess 32 H200; train 13B; which switch?",
        "we have 4 racks of GB200 NVL72, pretrain a 400B, which network between the racks?",
        "our own 32 A100 nodes are in the rack, currently 100GbE, should we upgrade to InfiniBand? 70B pretraining",
        "we bought 8 DGX H100 last year. network: 100GbE so far. is it worth buying InfiniBand for pretraining 13B?",
        "our cluster: 64 H100. Job: 70B, 200B tokens. Should the network be RoCE or InfiniBand?",
        "power is 30 cents, we own 4 nodes of 8 A100, 7B pretraining",
    ],
)
def test_machines_that_are_there_are_not_planned_as_a_rental(say: str) -> None:
    said = heard(say)
    assert taken(said) == "theirs"


@pytest.mark.parametrize(
    "say",
    [
        "dense pretraining of 30B on 2T tokens, we are buying 512 H100 SXM, own datacenter, need to decide the network",
        "8B on 500B tokens; we will purchase 64 H100; which interconnect should it be?",
        "pretraining of 30B on 2T tokens, we are buying 512 H100 SXM (64 HGX boxes of 8), which network?",
        "we plan to buy 64 H100, 8B on 500B tokens, which network would you put in?",
        "Buying a 512x H100 cluster to train a 70B dense model on 4T tokens, we own the facility",
    ],
)
def test_machines_that_somebody_says_to_be_buying_stay_bought_though_the_hall_is_their_own(say: str) -> None:
    said = heard(say)
    assert taken(said) == "buy" and not offered(said)


@pytest.mark.parametrize(
    "say",
    [
        "64 MI300X of our own, RoCE or InfiniBand? pretrain 30B",
        "pretrain 70B on 64 H100 of ours",
        "16 own H100 in two servers, 100 GbE between, finetune 70B, does InfiniBand pay?",
        "pretrain 7B, 32 L40S in 4 servers that are ours, 25 GbE now, is 100 GbE worth it?",
    ],
)
def test_what_may_be_theirs_is_asked_with_that_first(say: str) -> None:
    said = heard(say)
    assert taken(said) == "theirs" or offered(said)[:1] == ["theirs"]


@pytest.mark.parametrize(
    ("say", "never"),
    [
        ("we have 64 H100 reserved at CoreWeave, pretrain 70B", {"theirs", "buy"}),
        ("we have 64 H100 in mind, 70B pretraining", {"theirs", "buy"}),
        ("we have access to 64 H100, pretrain 70B", {"theirs", "buy"}),
        ("should we own 64 H100 for pretraining 70B?", {"theirs", "buy"}),
        ("is it cheaper to buy 128 H100 than to rent them for pretraining 70B?", {"theirs", "buy"}),
        ("128 H100 at 2.20 a GPU-hour with NDR, 30B, 600B tokens", {"theirs", "buy"}),
    ],
)
def test_machines_that_nobody_has_are_nobodys(say: str, never: set[str]) -> None:
    assert taken(heard(say)) not in never


def test_what_is_taken_by_its_meaning_is_said_to_be() -> None:
    said = heard("our cluster: 64 H100. Job: 70B, 200B tokens. Should the network be RoCE or InfiniBand?")
    assert any("taken to be yours" in sentence for sentence in said.assumed)


@pytest.mark.parametrize(
    ("say", "word"),
    [
        ("70B on 64 H100 spot at Crusoe, 200B tokens, how risky is that?", "spot"),
        ("is spot on AWS safe for a 3 week run of 7B on 32 H100?", "spot"),
    ],
)
def test_a_word_that_decides_is_told_where_nothing_came_of_it(say: str, word: str) -> None:
    said = heard(say)
    assert word in said.rest.split() or "budget.spot" in {*said.fields, *(doubt.field for doubt in said.doubts)}
    assert word in said.decisive.split() or "budget.spot" in {*said.fields, *(doubt.field for doubt in said.doubts)}


@pytest.mark.parametrize(
    "say",
    ["our own model is a 30B dense, 64 H100", "64 H100, 30B, a sweet spot?", "we already own 400G InfiniBand, 64 H100"],
)
def test_words_that_speak_of_something_else_are_not_told(say: str) -> None:
    assert not heard(say).decisive


def test_messages_of_people_who_never_saw_the_program(some: Callable[..., Any]) -> None:
    """Of 120 messages by a blind writer (first read on 29 November 2026, before and after the meaning was asked): of 45
    whose machines were theirs 3 and then 15 were heard so and 3 and then 17 asked; of 10 of which nothing was said none
    was taken for anything; 6 of 65 others were taken to be theirs."""
    wrong = there = 0
    messages = some(labels(HELD_OUT), 4)
    for message in messages:
        wanted = set(message["fields"].items()) | {
            (path, value) for path, values in message.get("either", {}).items() for value in values
        }
        said = heard(message["say"])
        theirs = message["fields"].get("budget.owned") in THERE
        there += theirs and "theirs" in {taken(said), *offered(said)}
        wrong += not theirs and taken(said) == "theirs" and ("budget.owned", said.fields["budget.owned"]) not in wanted
    assert there >= 0.55 * sum(message["fields"].get("budget.owned") in THERE for message in messages)
    assert wrong <= 0.06 * len(messages)


def test_the_shipped_head_was_learned_from_the_messages_as_they_are_now() -> None:
    """Else: ``python -m tests.opinion_fit --head choice`` learns it anew."""
    with np.load(understanding_fit.OPINION, allow_pickle=False) as weights:
        assert str(weights["learned_from.whose"]) == understanding_fit.of_whose()
