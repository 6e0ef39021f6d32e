"""What a question asks is data: every topic speaks where its examples say so, and keeps quiet beside them."""

from __future__ import annotations

import pytest

from assistant.answering import KINDS
from assistant.conversation.searching import understood
from assistant.library import Library, load

TOPICS = {one["topic"]: one for one in load().language["topics"]["topics"]}


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


def of(key: str) -> list[tuple[str, str]]:
    """Every example of one kind with its topic."""
    return [(text, name) for name, topic in TOPICS.items() for text in topic["examples"].get(key, ())]


def test_every_topic_has_a_case_that_speaks_and_one_that_keeps_quiet_and_whoever_is_asked_can_answer():
    for name, topic in TOPICS.items():
        pairs = (("speaks", "quiet"),) if name in KINDS else (("of_plan", "not_of_plan"),)
        assert all(topic["examples"].get(speaks) and topic["examples"].get(quiet) for speaks, quiet in pairs), name
    assert set(KINDS) <= set(TOPICS)


@pytest.mark.sampled(3, of=lambda text, topic: topic)
@pytest.mark.parametrize(("text", "topic"), of("speaks"))
def test_a_topic_is_recognised(text, topic, library):
    assert understood(text, library).topic == topic


@pytest.mark.sampled(3, of=lambda text, topic: topic)
@pytest.mark.parametrize(("text", "topic"), of("quiet"))
def test_a_topic_keeps_quiet_beside_its_own(text, topic, library):
    assert understood(text, library).topic != topic


@pytest.mark.parametrize(("text", "topic"), of("of_plan"))
def test_what_is_asked_of_the_plan_is_recognised(text, topic, library):
    assert understood(text, library).of_plan == topic


@pytest.mark.parametrize(("text", "topic"), of("not_of_plan"))
def test_what_means_something_else_is_not_asked_of_the_plan(text, topic, library):
    assert understood(text, library).of_plan != topic
