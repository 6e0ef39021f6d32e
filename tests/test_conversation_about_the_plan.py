"""Questions about the plan: why, why not, what if, compare, and what else is asked of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from assistant.conversation import Conversation, plain, wording
from assistant.conversation.events import (
    Answer,
    Comparison,
    Explanation,
    Failure,
    Note,
    PlanShown,
    Reason,
    Understood,
    VariationShown,
)
from assistant.library import Library
from assistant.present.blocks import Table
from assistant.present.figures import UNKNOWN
from assistant.present.plan import candidates
from assistant.vocabulary.answers import Answer as SearchAnswer
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.utterance import Utterance
from tests.conversing import JOB, begin, library, one

# -- about the plan ----------------------------------------------------------------------------------------


def test_questions_about_the_plan_need_a_plan(begin: Callable[..., Conversation]) -> None:
    conversation = begin("pretraining")
    for message in (
        "why",
        "why not RoCE",
        "what if 128 GPUs",
        "compare RoCE and InfiniBand",
        "export as json",
        "what would flip it",
    ):
        assert "still needed: model, GPU, GPUs" in one(conversation.say(message), Failure).text


def test_what_if_stands_beside_the_plan_until_it_is_kept(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    plan, fields = conversation.plan, conversation.draft.fields
    shown = one(conversation.say("what if we had 128 GPUs and HSDP?"), VariationShown)
    assert conversation.plan == plan and conversation.draft.fields == fields
    assert {f.field: f.value for f in shown.fields} == {"cluster.gpus": 128, "parallelism.strategy": "hsdp"}
    kept = one(conversation.say("keep it"), PlanShown)
    assert kept.plan == shown.plan == conversation.plan and conversation.draft.fields["cluster.gpus"] == 128


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        ("what if RoCE 200?", {"cluster.fabric": "roce-v2-200"}),
        ("what if the context were 8k?", {"training.sequence_length": 8192}),
        ("what if the batch were 256?", {"training.global_batch": 256}),
    ],
)
def test_a_number_in_a_what_if_belongs_to_what_it_stands_beside(
    begin: Callable[..., Conversation], message: str, fields: dict[str, Any]
) -> None:
    shown = one(begin(f"{JOB}, 4k context, 100B tokens").say(message), VariationShown)
    assert {f.field: f.value for f in shown.fields} == fields


def test_a_variation_that_cannot_be_done_says_what_would_help(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    shown = one(conversation.say("what if llama 3.1 405b with ddp?"), VariationShown)
    assert shown.plan.recommendation.verdict == "infeasible"
    assert shown.plan.recommendation.smallest_change in "\n".join(wording.lines(shown, 1000))


def test_keeping_a_variation_keeps_the_branches_and_can_be_taken_back(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "no, 128", "undo", "fsdp")
    conversation.say("what if we had 256 GPUs?")
    conversation.say("keep it")
    assert (
        conversation.draft.fields["cluster.gpus"] == 256 and conversation.draft.fields["parallelism.strategy"] == "fsdp"
    )
    assert "GPUs: 128" in one(conversation.say("branches"), Note).items[0]
    conversation.say("undo")
    assert (
        conversation.draft.fields["cluster.gpus"] == 64 and conversation.draft.fields["parallelism.strategy"] == "fsdp"
    )
    conversation.say("no, 32")
    assert any("GPUs: 256" in item for item in one(conversation.say("branches"), Note).items)
    conversation.say("branch 1")
    assert conversation.draft.fields["cluster.gpus"] == 128 and "parallelism.strategy" not in conversation.draft.fields


def test_a_strategy_alone_says_what_it_means_for_the_split(begin: Callable[..., Conversation]) -> None:
    assert "without tensor or pipeline parallelism" in one(begin(JOB).say("fsdp"), Understood).assumed[0]
    assert not one(begin(JOB).say("tp8 fsdp"), Understood).assumed


def test_why_of_what_cannot_be_done_says_what_stands_in_the_way(begin: Callable[..., Conversation]) -> None:
    conversation = begin("pretrain llama 3.1 405b on 16 H100s")
    assert conversation.plan.recommendation.verdict == "infeasible"
    explanation = one(conversation.say("why"), Explanation)
    figures = [child.text for child in explanation.tree.children if child.kind == "figure"]
    assert any("does not fit" in text and "GiB per GPU" in text for text in figures)
    assert not any("$" in text or "One step takes" in text for text in figures)
    assert "does not fit" in one(conversation.say("why not RoCE?"), Note).text
    why_not = one(conversation.say("more"), Explanation)
    assert "does not fit" in why_not.tree.children[0].text
    [table] = [b for b in candidates.section(conversation.plan) if isinstance(b, Table)]
    assert {tuple(row[2:6]) for row in table.rows} == {(UNKNOWN,) * 4}, "what does not fit takes no time"
    compared = one(conversation.say("compare RoCE and InfiniBand"), Comparison)
    assert not {"one step", "length of the run"} & {row.what for row in compared.rows}


def test_why_a_deadline_cannot_be_met_names_the_deadline(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB}, 15T tokens, deadline 10 days")
    assert conversation.plan.recommendation.verdict == "infeasible"
    assert "days" in one(conversation.say("why"), Explanation).tree.children[0].text


def test_a_variation_that_is_dropped_is_gone(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "what if 100 GbE", "no, leave it")
    assert conversation.variation is None
    assert "no variation to keep" in one([e for e in conversation.say("keep it") if isinstance(e, Note)], Note).text


def test_undo_after_a_what_if_takes_back_the_what_if_and_then_the_last_fact(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "no, 128", "what if we had 256 GPUs?")
    plan = conversation.plan
    note = one([e for e in conversation.say("undo") if isinstance(e, Note)], Note)
    assert "No longer tried: GPUs: 256" in note.text and conversation.variation is None
    assert conversation.plan is plan and conversation.draft.fields["cluster.gpus"] == 128
    conversation.say("undo")
    assert conversation.draft.fields["cluster.gpus"] == 64


@pytest.mark.parametrize(
    "said",
    [
        "why",
        "why not RoCE?",
        "what would flip it",
        "assumptions",
        "show the plan",
        "plot",
        "compare RoCE and InfiniBand",
    ],
)
def test_what_is_asked_after_a_what_if_is_about_what_was_tried(begin: Callable[..., Conversation], said: str) -> None:
    """The same answers as if the variation had been the plan from the start, and the answer says which of the two it is
    about."""
    note, *answer = begin(JOB, "what if we had 8 GPUs with 100 gig ethernet?").say(said)
    accepted, kept = (
        begin(JOB).say(said),
        begin(JOB, "what if we had 8 GPUs with 100 gig ethernet?", "keep it").say(said),
    )
    assert "GPUs: 8" in note.text and "tried" in note.text
    assert answer == kept and answer != accepted


def test_a_what_if_that_cannot_be_is_a_sentence(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    assert "got 7" in one(conversation.say("what if we used tp 7"), Failure).text
    assert conversation.variation is None


def test_half_the_price_is_half_of_the_catalogs_price(begin: Callable[..., Conversation], library: Library) -> None:
    shown = one(begin(JOB).say("what if it were half the price"), VariationShown)
    assert shown.fields[0].value == pytest.approx(library.catalog.gpus["h100-sxm"].hour_price.value / 2)


def leaves(reason: Reason) -> Iterator[Reason]:
    yield reason
    for child in reason.children:
        yield from leaves(child)


def test_why_leads_from_the_answer_over_rules_and_facts_to_sources(
    begin: Callable[..., Conversation], library: Library
) -> None:
    conversation = begin(JOB)
    explanation = one(conversation.say("why"), Explanation)
    nodes = list(leaves(explanation.tree))
    assert explanation.tree.text == conversation.plan.recommendation.headline
    assert {n.id for n in nodes if n.kind == "rule"} <= set(library.rules)
    claims = [n for n in nodes if n.kind == "claim"]
    assert claims and {n.source for n in claims} <= set(library.knowledge.sources)
    assert [n for n in nodes if n.kind == "fact"] and [n for n in nodes if n.kind == "figure"]


def test_why_of_one_finding_by_its_rule(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    rule = conversation.plan.findings[0].rule
    assert one(conversation.say(f"why {rule}"), Explanation).about == rule


def test_why_not_names_the_price_of_taking_it(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB} with fsdp")
    assert "avoid it" in one(conversation.say("why not plain ethernet?"), Note).text
    explanation = one(conversation.say("more"), Explanation)
    assert explanation.about.startswith("ethernet-tcp") and "more than" in explanation.tree.children[0].text


def test_two_fabrics_are_compared_point_by_point(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    comparison = one(conversation.say("compare InfiniBand with 100 gig ethernet"), Comparison)
    rows = {row.what: row for row in comparison.rows}
    assert (comparison.left, comparison.right) == ("infiniband-ndr-400", "ethernet-tcp-100")
    assert rows["latency between nodes"].better == "left" and rows["skills to run it"].better == "right"
    cost = {c.fabric: c.cost_usd.p50 for c in conversation.plan.candidates if c.cost_usd}
    assert rows["cost of the run"].better == ("left" if cost[comparison.left] < cost[comparison.right] else "right")


def test_a_network_that_nobody_prices_is_compared_by_its_time(begin: Callable[..., Conversation]) -> None:
    events = begin("pretrain llama 3.1 70b on 64 H100", "the network is roce v2 400").say(
        "compare RoCE and plain ethernet"
    )
    assert one(events, Comparison).summary.startswith("What the run costs on RoCE 400 nobody tells; it takes")


def test_comparing_with_what_is_no_candidate_is_a_sentence(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB}, no InfiniBand")
    assert "no candidate" in one(conversation.say("compare NDR InfiniBand with RoCE"), Failure).text


def test_flips_are_those_of_the_plan(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    note = one(conversation.say("what would flip it?"), Note)
    called = conversation.plan.names
    assert len(note.items) >= len(conversation.plan.recommendation.flips)
    assert all(
        any(called[flip.to_fabric] in item for item in note.items) for flip in conversation.plan.recommendation.flips
    )


def test_sources_that_disagree_are_told_with_what_holds(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB} with fsdp")
    note = one(conversation.say("which sources disagree?"), Note)
    assert len(note.items) == len(conversation.plan.conflicts) > 0
    assert all("What holds" in item for item in note.items)


@pytest.mark.parametrize(
    "message",
    [
        "sources",
        "assumptions",
        "warnings",
        "what should we measure first?",
        "what should we ask the provider?",
        "help",
        "what do you know so far?",
    ],
)
def test_each_part_of_the_plan_can_be_asked_for(begin: Callable[..., Conversation], message: str) -> None:
    assert next(e for e in begin(JOB).say(message) if isinstance(e, Note)).text


def test_free_questions_go_to_the_search(begin: Callable[..., Conversation]) -> None:
    def searcher(question: Utterance) -> SearchAnswer:
        return SearchAnswer(question=question.text, answered=False, passages=[])

    conversation = begin(JOB, searcher=searcher)
    fields, question = conversation.draft.fields, conversation.question
    answer = one(conversation.say("what is tail latency?"), Answer)
    assert answer.answer.question == "what is tail latency?" and "no answer" in answer.note
    assert conversation.draft.fields == fields and conversation.question == question


def test_without_a_search_it_says_so(begin: Callable[..., Conversation]) -> None:
    answer = one(begin(JOB).say("what is tail latency?"), Answer)
    assert answer.answer is None and "not available" in answer.note


def test_a_search_that_cannot_be_opened_is_a_sentence(begin: Callable[..., Conversation]) -> None:
    def searcher(question: Utterance) -> SearchAnswer:
        raise InputError("the search needs torch, which is not installed")

    assert "torch" in one(begin(JOB, searcher=searcher).say("what is tail latency?"), Failure).text


# -- what a newcomer asks ----------------------------------------------------------------------------------


def _notes(events: list[Any]) -> str:
    return "\n".join(text for event in events if isinstance(event, Note) for text in (event.text, *event.items))


def test_two_questions_in_one_message_are_both_answered_in_five_lines(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    for message, both in (
        ("how many tokens did you assume and where does the price come from?", ("1.411 trillion", "list price")),
        ("what is the MFU and how big is the batch?", ("43% MFU", "512 sequences")),
        ("where does the price come from, and what is the sequence length?", ("list price", "8192 tokens")),
    ):
        events = conversation.say(message)
        assert all(text in _notes(events) for text in both)
        told = [line for event in events if isinstance(event, Note) for line in wording.lines(event, 80)]
        assert len(list(filter(str.strip, told))) <= 5
    alone = one(conversation.say("how many tokens did you assume?"), Note)
    assert alone.text.startswith("tokens of the run: 1.411"), "what is asked for comes first"


def test_beside_a_what_if_it_is_said_of_which_plan_an_answer_is(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "what if 128 GPUs")
    accepted = _notes(conversation.say("what does the run cost?"))
    assert accepted.startswith("With the plan as it stands, GPUs: 128 being only tried:") and "$93,000" in accepted
    tried = _notes(conversation.say("and what would it cost with that?"))
    assert tried.startswith("With GPUs: 128, as tried") and "$186,000" in tried
    conversation.say("drop it")
    assert "as it stands" not in _notes(conversation.say("what does the run cost?"))


def test_a_number_after_a_comparison_means_what_was_compared(begin: Callable[..., Conversation]) -> None:
    """And where none of it can be done no number is asked for."""
    conversation = begin("fine-tune llama 3.1 8b on 16 H100")
    conversation.say("lambda or nebius, in Europe")
    assert [choice.label for choice in conversation.question.choices] == ["Lambda", "Nebius"]
    conversation.say("what does it cost?")
    conversation.choose(conversation.question.choices[1].id)
    assert conversation.draft.fields["cluster.provider"] == "nebius"
    none = begin("fine-tune qwen 2.5 72b on 32 a100")
    before = none.question
    told = none.say("lambda or nebius, in Europe")
    assert "None of these can be done" in _notes(told) and "the one to take" not in _notes(told)
    assert none.question == before


def test_a_plan_that_works_again_says_its_certainty_once(begin: Callable[..., Conversation]) -> None:
    conversation = begin("fine-tune qwen 2.5 72b on 32 a100, $60,000", "on machines we buy")
    shown = one(conversation.say("rented, not bought"), PlanShown)
    assert shown.turned and "\n".join(wording.lines(shown, 200)).count("Certainty: ") == 1


def test_the_first_plan_says_for_how_many_tokens_it_counts(begin: Callable[..., Conversation]) -> None:
    """The cost goes with them; who says how many is not told so."""
    counted = "Counted for 1 billion tokens, assumed: cost and time go with them."
    shown = one(begin().say("fine-tune qwen 2.5 72b on 32 a100"), PlanShown)
    assert counted in "\n".join(wording.lines(shown, 200))
    for said in ("for 2T tokens", "for two weeks"):
        assert "Counted for" not in str(wording.lines(one(begin().say(f"{JOB} {said}"), PlanShown), 200))


def test_a_network_that_nobody_lets_is_compared_in_a_whole_sentence(begin: Callable[..., Conversation]) -> None:
    told = _notes(begin(JOB).say("why not roce"))
    assert "If it could be had, a step would take as long as on InfiniBand NDR" in told
