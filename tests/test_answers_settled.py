"""What a user relies on when asking for a yes or a no: one is given only where checked statements say it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from assistant.answering import answer
from assistant.answering.settled import read, settled
from assistant.conversation.searching import understood
from assistant.library import load
from assistant.retrieval import open_index
from assistant.vocabulary.errors import KnowledgeError


def opens(question: str, library) -> str | None:
    entry = settled(understood(question, library), library)
    return entry.reply.split()[0].strip(":,") if entry else None


def test_every_entry_rests_on_statements_that_hold_and_answers_its_own_lines(library):
    for entry in read(library):
        assert entry.reply.startswith(("Yes", "No ", "No:", "Not "))
        assert entry.claims and all(
            library.knowledge.claims[name].verdict in ("confirmed", "consistent") for name in entry.claims
        )
        assert [settled(understood(line, library), library) for line in entry.asked] == [entry] * len(entry.asked), (
            entry.asked
        )


@pytest.mark.parametrize(
    ("question", "first"),
    [
        ("does PFC have to be on?", "Yes"),
        ("must priority flow control be enabled on RoCE", "Yes"),
        ("is 100 GbE enough for inference?", "Yes"),
        ("do we need InfiniBand for LLM serving?", "No"),
        ("is InfiniBand required for a single node?", "No"),
        ("does NCCL_IB_DISABLE=1 turn off RoCE as well?", "Yes"),
        ("so is UALink available yet?", "Not"),
    ],
)
def test_the_same_thing_in_other_words_gets_the_same_yes_or_no(question, first, library):
    assert opens(question, library) == first


@pytest.mark.parametrize(
    "question",
    [
        "can PFC be off?",
        "must PFC be off for RoCE?",
        "doesn't PFC have to be on?",
        "why does PFC have to be on?",
        "must PFC be on for iWARP?",
        "is 100 GbE enough for training?",
        "is 10 GbE enough for inference?",
        "is InfiniBand not needed for inference?",
        "is Ethernet needed for inference?",
        "PFC on RoCE",
        "does Azure have InfiniBand on A3?",
        "is PFC on?",
        "",
    ],
)
def test_what_is_not_certain_gets_neither(question, library):
    assert settled(understood(question, library), library) is None


def test_the_reply_leads_with_its_sources_and_verdict(library, index):
    first = answer(understood("does PFC have to be on?", library), library, index).direct[0]
    assert (
        first.text.startswith("Yes for RoCE")
        and "saturn-cloud-ib-vs-roce" in first.text
        and "Our verdict: consistent." in first.text
    )
    assert set(first.claims) <= set(library.knowledge.claims)


def test_a_broken_list_is_one_clear_sentence(tmp_path):
    (tmp_path / "settled.yaml").write_text("questions: [{asked: [x]}]")
    with pytest.raises(KnowledgeError, match=r"settled\.yaml: questions: expected a list"):
        read(replace(load(), knowledge_folder=tmp_path))
