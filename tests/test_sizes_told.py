"""Sizes, shares and machines that are told beside a plan, or in a first message, are taken for what they are of."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.conversation import Conversation
from assistant.conversation.events import Event, Failure, VariationShown
from tests.conversing import begin, library

JOB = "pretrain a 13B on 300B tokens, 64 H100 at Lambda, InfiniBand"


def _tried(events: list[Event]) -> list[str]:
    return [one.field for event in events if isinstance(event, VariationShown) for one in event.fields]


@pytest.fixture
def talk(begin: Callable[..., Conversation]) -> Conversation:
    return begin(JOB)


def test_a_bare_size_is_of_the_model_where_that_is_what_it_is_near(talk: Conversation) -> None:
    assert _tried(talk.say("could I go to 20B")) == ["model.params"]


def test_a_percentage_of_a_price_is_no_number_of_gpus(talk: Conversation) -> None:
    assert "cluster.gpus" not in _tried(talk.say("suppose the quote comes in 20% lower"))


def test_a_size_behind_the_name_of_a_model_is_that_models(begin: Callable[..., Conversation]) -> None:
    talk = begin("train gpt2 124M from scratch on fineweb 10B tokens, one 4090")
    assert talk.draft.fields["model.params"] == 124e6 and "model" not in talk.draft.fields


def test_the_network_that_is_there_is_the_one_that_is_named(begin: Callable[..., Conversation]) -> None:
    talk = begin("256 A100 80GB we already own, HDR 200G IB, want to train a 30B model on 600B tokens, how long")
    assert talk.draft.fields["cluster.fabric"] == "infiniband-hdr-200"


def test_a_model_whose_tokens_take_all_of_it_is_no_mixture(begin: Callable[..., Conversation]) -> None:
    talk = begin("train a moe with 8 experts, 4B params, 1B active, on 20B tokens, 16 A100 80GB rented")
    assert not [event for event in talk.say("what if 1B params instead") if isinstance(event, Failure)]


__all__ = ["begin", "library"]
