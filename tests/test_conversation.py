"""The interview: what is asked, what is answered, what moves the plan, what is never lost."""

from __future__ import annotations

import datetime
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant import library as libraries
from assistant.conversation import Conversation, opening, plain, replay, searching, transcripts, wording
from assistant.conversation.events import (Answer, Comparison, Event, Explanation, Exported, Failure, Finished, Note, PlanShown,
                                           Question, Reason, Turn,
                                           Understood, VariationShown)
from assistant.conversation.transcripts import dated_planner
from assistant.library import Library
from assistant.library.questionnaires import read_one
from assistant.vocabulary.answers import Answer as SearchAnswer
from assistant.vocabulary.errors import InputError

JOB = "pretrain llama 3.1 70b on 64 H100s"


@pytest.fixture(scope="module")
def library() -> Library:
    return libraries.load()


@pytest.fixture
def begin(library: Library) -> Callable[..., Conversation]:
    """A conversation in which the given messages have been said, at the prices of one fixed day."""
    def begun(*messages: str, **options: Any) -> Conversation:
        planner = dated_planner(datetime.date(2026, 11, 20), searched=False)
        conversation = Conversation(library, **{"planner": planner, **options})
        list(replay(conversation, messages))
        return conversation

    return begun


def one(events: list[Event], kind: type) -> Any:
    found = [event for event in events if isinstance(event, kind)]
    assert len(found) == 1, [event.kind for event in events]
    return found[0]


def asked(events: list[Event]) -> str:
    return one(events, Question).field


# -- the interview -----------------------------------------------------------------------------------------


def test_a_whole_conversation_is_a_list(library: Library) -> None:
    events = list(replay(Conversation(library), ["we want to pretrain a 7B model", "16 H100s", "not sure"]))
    assert [e for e in events if isinstance(e, PlanShown)]
    assert isinstance(events[0], Note) and isinstance(events[1], Question)


def test_what_is_needed_is_asked_first_and_a_plan_appears_as_soon_as_it_can(begin: Callable[..., Conversation]) -> None:
    conversation = begin()
    fields = [conversation.question.field]
    for message in ("pretraining", "llama 3.1 70b", "H100"):
        events = conversation.say(message)
        assert not [e for e in events if isinstance(e, PlanShown)]
        fields.append(asked(events))
    assert fields == ["workload", "model", "cluster.gpu", "cluster.gpus"]
    shown = one(conversation.say("64"), PlanShown)
    assert shown.first and shown.plan.questionnaire["cluster"]["gpus"] == 64
    assert shown.headline == shown.plan.recommendation.headline


def test_what_was_said_is_not_asked_again(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB} with fsdp, 400G InfiniBand is there, 8k context, batch 512, 100B tokens, $2.10/hr")
    said = {"workload", "model", "cluster.gpu", "cluster.gpus", "cluster.fabric", "parallelism", "training.global_batch",
            "training.tokens", "budget.usd"}
    while conversation.question is not None:
        assert conversation.question.field not in said
        conversation.say("not sure")


def test_every_question_says_why_it_is_asked_and_what_not_sure_means(begin: Callable[..., Conversation]) -> None:
    conversation, seen = begin(), []
    answers = {"workload": "pretraining", "model": "70b", "cluster.gpu": "H100", "cluster.gpus": "64"}
    while conversation.question is not None:
        question = conversation.question
        seen.append(question.field)
        assert question.why_asked and (question.if_not_sure or not question.not_sure)
        conversation.say(answers.get(question.field, "not sure"))
    assert len(seen) == len(set(seen)) >= 8


def test_one_node_needs_no_further_question(begin: Callable[..., Conversation]) -> None:
    conversation = begin()
    events = conversation.say("fine-tune llama 3.1 8b on one node with 8 H100s")
    assert one(events, PlanShown).plan.recommendation.verdict == "no-network-needed"
    assert one(events, Finished) and conversation.question is None


def test_not_sure_leaves_it_open_and_says_what_is_taken(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    open_field, taken = conversation.question.field, conversation.question.if_not_sure
    understood = one(conversation.say("I don't know"), Understood)
    assert taken in understood.assumed[0] and not understood.fields
    assert open_field in conversation.draft.left_open and conversation.question.field != open_field


def test_what_is_needed_cannot_be_left_open(begin: Callable[..., Conversation]) -> None:
    conversation = begin()
    events = conversation.say("not sure")
    assert asked(events) == "workload" and not conversation.draft.left_open


def test_back_returns_to_the_question_before_with_its_answer(begin: Callable[..., Conversation]) -> None:
    conversation = begin("pretraining", "llama 3.1 70b")
    question = one(conversation.say("back"), Question)
    assert question.field == "model" and question.previous == "model: Llama 3.1 70B"
    understood = one(conversation.say("8b"), Understood)
    assert understood.fields[0].before == "Llama 3.1 70B" and conversation.draft.fields["model"] == "llama-3.1-8b"
    assert conversation.question.field == "cluster.gpu"


def test_back_at_the_first_question_stays_there(begin: Callable[..., Conversation]) -> None:
    conversation = begin()
    assert asked(conversation.say("back")) == "workload"


def test_a_choice_and_its_label_typed_are_the_same_answer(begin: Callable[..., Conversation]) -> None:
    chosen, typed = begin(), begin()
    choice = chosen.question.choices[1]
    chosen.choose(choice.id)
    typed.say(choice.label)
    assert chosen.draft.fields == typed.draft.fields == choice.value


def test_a_choice_of_another_question_is_refused(begin: Callable[..., Conversation]) -> None:
    conversation = begin()
    assert one(conversation.choose("no-such-choice"), Failure)
    assert conversation.draft.fields == {} and conversation.question.field == "workload"


@pytest.mark.parametrize(("reply", "fields"), [
    ("in-house", {"budget.mode": "buy"}),
    ("anywhere", {"budget.mode": "rent"}),
])
def test_a_plain_word_answers_the_open_question(begin: Callable[..., Conversation], reply: str, fields: dict[str, Any]) -> None:
    conversation = begin(JOB)
    while conversation.question.field != "cluster.provider":
        conversation.say("not sure")
    assert {f.field: f.value for f in one(conversation.say(reply), Understood).fields} == fields


# -- corrections -------------------------------------------------------------------------------------------


def test_a_correction_shows_what_it_replaces_and_moves_the_plan(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    events = conversation.say("no, 128")
    assert one(events, Understood).fields[0].before == "64"
    shown = one(events, PlanShown)
    assert not shown.first and shown.changes and shown.plan.questionnaire["cluster"]["gpus"] == 128


@pytest.mark.parametrize(("message", "field"), [("tp 7", "parallelism.tp"), ("100 GPUs, 8 GPUs per node", "cluster.gpus"),
                                                ("micro batch 0", None)])
def test_what_cannot_be_changes_nothing_and_says_why(begin: Callable[..., Conversation], message: str, field: str | None) -> None:
    conversation = begin(JOB)
    before, plan = conversation.draft.fields, conversation.plan
    failures = [e for e in conversation.say(message) if isinstance(e, Failure)]
    assert len(failures) == 1 and failures[0].text.endswith(".")
    assert conversation.draft.fields == before and conversation.plan == plan
    if field:
        assert "expected" in failures[0].text


def test_a_new_workload_sets_aside_what_does_not_belong_to_it(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB}, 8k context, batch 512")
    understood = one(conversation.say("actually we serve it"), Understood)
    assert {"training.sequence_length", "training.global_batch"}.isdisjoint(conversation.draft.fields)
    assert any("sequence length" in text and "set aside" in text for text in understood.assumed)


@pytest.mark.parametrize(("messages", "gpus", "read_back"), [
    (["16 nodes", "h100, 8 per node"], 128, "16 nodes × 8 GPUs = 128"),
    (["16 nodes", "h100, 8 per node", "actually 4 GPUs per node"], 64, "16 nodes × 4 GPUs = 64"),
    (["16 nodes of 4 H100", "8 gpus per node"], 128, "16 nodes × 8 GPUs = 128"),
    (["4 H100 per node", "16 nodes", "8 gpus per node"], 128, "16 nodes × 8 GPUs = 128"),
    (["16 nodes of 8 H100", "32 nodes", "undo", "4 gpus per node"], 64, "16 nodes × 4 GPUs = 64"),
    (["16 nodes of 8 H100", "actually we have GB200"], 64, "16 nodes × 4 GPUs = 64"),
    (["1 node with 8 H100s", "4 GPUs per node"], 4, "1 node × 4 GPUs = 4"),
])
def test_gpus_counted_from_nodes_follow_what_is_in_a_node(begin: Callable[..., Conversation], messages: list[str], gpus: int,
                                                          read_back: str) -> None:
    conversation = begin(*messages[:-1])
    understood = one(conversation.say(messages[-1]), Understood)
    assert conversation.draft.fields["cluster.gpus"] == gpus
    assert any(read_back in field.text for field in understood.fields) and not any(f.field == "cluster.nodes" for f in understood.fields)


def test_gpus_that_were_said_themselves_are_not_counted_anew(begin: Callable[..., Conversation]) -> None:
    conversation = begin("16 nodes of 8 H100", "actually 64 GPUs", "4 GPUs per node")
    assert conversation.draft.fields["cluster.gpus"] == 64 and conversation.draft.nodes is None


@pytest.mark.parametrize(("message", "needed"), [
    ("forget the number of nodes", "The number of GPUs is needed"), ("please drop the GPUs", "The number of GPUs is needed"),
    ("ignore the gpu count", "The number of GPUs is needed"), ("remove the model", "The model is needed"),
    ("forget about the kind of job", "The kind of job is needed"), ("take back the type of GPU", "The kind of GPU is needed"),
])
def test_what_every_plan_needs_cannot_be_taken_back(begin: Callable[..., Conversation], message: str, needed: str) -> None:
    for conversation in (begin(JOB), begin()):
        fields = conversation.draft.fields
        assert needed in one(conversation.say(message), Failure).text and conversation.draft.fields == fields


def test_taking_back_a_count_with_a_new_one_is_a_correction(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    conversation.say("forget the 64 GPUs, we have 128 GPUs")
    assert conversation.draft.fields["cluster.gpus"] == 128


def test_tokens_and_days_replace_each_other(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB}, 100B tokens")
    conversation.say("run it for 10 days")
    assert conversation.draft.fields["training.days"] == 10 and "training.tokens" not in conversation.draft.fields


def test_a_network_ruled_out_is_not_considered_until_it_is_there(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB}, no InfiniBand")
    assert not [c for c in conversation.plan.candidates if "infiniband" in c.fabric]
    assert "you ruled it out" in one(conversation.say("why not InfiniBand?"), Explanation).tree.text
    conversation.say("we do have 400G InfiniBand after all")
    assert conversation.plan.recommendation.fabric == "infiniband-ndr-400"


def test_what_was_not_understood_is_said_and_not_used(begin: Callable[..., Conversation]) -> None:
    conversation = begin()
    understood = one(conversation.say("64 H100s and a Cray Slingshot network"), Understood)
    assert understood.rest == "Cray Slingshot" and "cluster.fabric" not in conversation.draft.fields
    assert "turtles" in one(conversation.say("I like turtles"), Failure).text


# -- undo and branches -------------------------------------------------------------------------------------


def test_undo_and_redo_walk_through_what_was_said(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    plans = [conversation.plan]
    for message in ("no, 128", "fsdp"):
        conversation.say(message)
        plans.append(conversation.plan)
    for plan in reversed(plans[:-1]):
        conversation.say("undo")
        assert conversation.plan == plan
    for plan in plans[1:]:
        conversation.say("redo")
        assert conversation.plan == plan
    assert one(conversation.say("redo"), Note).text == "Nothing was taken back."


def test_another_way_after_undo_keeps_the_first_as_a_branch(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "no, 128", "undo", "fsdp")
    assert "GPUs: 128" in one(conversation.say("branches"), Note).items[0]
    conversation.say("branch 1")
    assert conversation.draft.fields["cluster.gpus"] == 128 and "parallelism.strategy" not in conversation.draft.fields
    conversation.say("branch 1")
    assert conversation.draft.fields["parallelism.strategy"] == "fsdp"
    assert one(conversation.say("branch 7"), Failure)


def test_nothing_to_take_back_at_the_start(begin: Callable[..., Conversation]) -> None:
    assert "nothing to take back" in one(begin().say("undo"), Note).text


def test_start_over_begins_again_and_keeps_the_old_line(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "start over")
    assert conversation.plan is None and conversation.draft.fields == {} and conversation.question.field == "workload"
    conversation.say("branch 1")
    assert conversation.plan is not None


# -- about the plan ----------------------------------------------------------------------------------------


def test_questions_about_the_plan_need_a_plan(begin: Callable[..., Conversation]) -> None:
    conversation = begin("pretraining")
    for message in ("why", "why not RoCE", "what if 128 GPUs", "compare RoCE and InfiniBand", "export as json",
                    "what would flip it"):
        assert "still needed: model, GPU, GPUs" in one(conversation.say(message), Failure).text


def test_what_if_stands_beside_the_plan_until_it_is_kept(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    plan, fields = conversation.plan, conversation.draft.fields
    shown = one(conversation.say("what if we had 128 GPUs and HSDP?"), VariationShown)
    assert conversation.plan == plan and conversation.draft.fields == fields
    assert {f.field: f.value for f in shown.fields} == {"cluster.gpus": 128, "parallelism.strategy": "hsdp"}
    kept = one(conversation.say("keep it"), PlanShown)
    assert kept.plan == shown.plan == conversation.plan and conversation.draft.fields["cluster.gpus"] == 128


@pytest.mark.parametrize(("message", "fields"), [
    ("what if RoCE 200?", {"cluster.fabric": "roce-v2-200"}),
    ("what if the context were 8k?", {"training.sequence_length": 8192}),
    ("what if the batch were 256?", {"training.global_batch": 256}),
])
def test_a_number_in_a_what_if_belongs_to_what_it_stands_beside(begin: Callable[..., Conversation], message: str,
                                                               fields: dict[str, Any]) -> None:
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
    assert conversation.draft.fields["cluster.gpus"] == 256 and conversation.draft.fields["parallelism.strategy"] == "fsdp"
    assert "GPUs: 128" in one(conversation.say("branches"), Note).items[0]
    conversation.say("undo")
    assert conversation.draft.fields["cluster.gpus"] == 64 and conversation.draft.fields["parallelism.strategy"] == "fsdp"
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
    why_not = one(conversation.say("why not RoCE?"), Explanation)
    assert "does not fit" in why_not.tree.children[0].text


def test_why_a_deadline_cannot_be_met_names_the_deadline(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB}, 15T tokens, deadline 10 days")
    assert conversation.plan.recommendation.verdict == "infeasible"
    assert "days" in one(conversation.say("why"), Explanation).tree.children[0].text


def test_a_variation_that_is_dropped_is_gone(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "what if 100 GbE", "no, leave it")
    assert conversation.variation is None
    assert "no variation to keep" in one([e for e in conversation.say("keep it") if isinstance(e, Note)], Note).text


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


def test_why_leads_from_the_answer_over_rules_and_facts_to_sources(begin: Callable[..., Conversation], library: Library) -> None:
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
    explanation = one(conversation.say("why not plain ethernet?"), Explanation)
    assert explanation.about.startswith("ethernet-tcp") and "more than" in explanation.tree.children[0].text


def test_two_fabrics_are_compared_point_by_point(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    comparison = one(conversation.say("compare InfiniBand with 100 gig ethernet"), Comparison)
    rows = {row.what: row for row in comparison.rows}
    assert (comparison.left, comparison.right) == ("infiniband-ndr-400", "ethernet-tcp-100")
    assert rows["latency between nodes"].better == "left" and rows["skills to run it"].better == "right"
    cost = {c.fabric: c.cost_usd.p50 for c in conversation.plan.candidates if c.cost_usd}
    assert rows["cost of the run"].better == ("left" if cost[comparison.left] < cost[comparison.right] else "right")


def test_comparing_with_what_is_no_candidate_is_a_sentence(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB}, no InfiniBand")
    assert "no candidate" in one(conversation.say("compare NDR InfiniBand with RoCE"), Failure).text


def test_flips_are_those_of_the_plan(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    note = one(conversation.say("what would flip it?"), Note)
    assert len(note.items) >= len(conversation.plan.recommendation.flips)
    assert all(any(flip.to_fabric in item for item in note.items) for flip in conversation.plan.recommendation.flips)


def test_sources_that_disagree_are_told_with_what_holds(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB} with fsdp")
    note = one(conversation.say("which sources disagree?"), Note)
    assert len(note.items) == len(conversation.plan.conflicts) > 0
    assert all("What holds" in item for item in note.items)


@pytest.mark.parametrize("message", ["sources", "assumptions", "warnings", "what should we measure first?",
                                     "what should we ask the provider?", "help", "what do you know so far?"])
def test_each_part_of_the_plan_can_be_asked_for(begin: Callable[..., Conversation], message: str) -> None:
    assert [e for e in begin(JOB).say(message) if isinstance(e, Note)][0].text


def test_free_questions_go_to_the_search(begin: Callable[..., Conversation]) -> None:
    def searcher(question: str) -> SearchAnswer:
        return SearchAnswer(question=question, answered=False, passages=[])

    conversation = begin(JOB, searcher=searcher)
    fields, question = conversation.draft.fields, conversation.question
    answer = one(conversation.say("what is tail latency?"), Answer)
    assert answer.answer.question == "what is tail latency?" and "no answer" in answer.note
    assert conversation.draft.fields == fields and conversation.question == question


def test_without_a_search_it_says_so(begin: Callable[..., Conversation]) -> None:
    answer = one(begin(JOB).say("what is tail latency?"), Answer)
    assert answer.answer is None and "not available" in answer.note


def test_a_search_that_cannot_be_opened_is_a_sentence(begin: Callable[..., Conversation]) -> None:
    def searcher(question: str) -> SearchAnswer:
        raise InputError("the search needs torch, which is not installed")

    assert "torch" in one(begin(JOB, searcher=searcher).say("what is tail latency?"), Failure).text


# -- what cannot be, and what is not known ------------------------------------------------------------------


def test_minus_five_gpus_are_refused_in_one_sentence(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    failure = one(conversation.say("-5 GPUs"), Failure)
    assert failure.text == "\"-5 GPUs\" cannot be right: the number must be more than zero. Nothing was changed."
    assert conversation.draft.fields["cluster.gpus"] == 64


def test_a_network_nobody_knows_is_named_and_the_known_ones_listed(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    failure = one(conversation.say("compare RoCE and nonsense"), Failure)
    assert '"nonsense" is no network' in failure.text and "infiniband-ndr-400" in failure.text
    assert one(conversation.say("compare the two"), Comparison)


def test_every_single_word_that_help_names_is_understood(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    for word in ("facts", "branches", "sources", "assumptions", "warnings", "back", "not sure"):
        assert not [e for e in conversation.say(word) if isinstance(e, Failure)], word


@pytest.mark.parametrize("question", ["from how many GPUs does InfiniBand pay?", "How many GPUs before InfiniBand makes sense?"])
def test_from_how_many_gpus_a_network_pays_is_computed_for_the_present_job(begin: Callable[..., Conversation],
                                                                           question: str) -> None:
    answer = one(begin(f"{JOB} with fsdp").say(question), Answer).answer
    assert answer.computed.kind == "crossover" and answer.computed.inputs["model"] == "Llama 3.1 70B"


def test_lora_is_said_to_be_planned_as_full_fine_tuning(begin: Callable[..., Conversation]) -> None:
    noted = one(begin().say("LoRA of llama 3.1 8b on 16 H100s"), Understood)
    assert any("upper bound" in text for text in noted.assumed)


# -- export ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("message", "suffix", "format"),
                         [("export as markdown to {}", ".md", "markdown"), ("save it to {}", ".json", "json"),
                                                             ("export to {}", ".yaml", "yaml"), ("export to {}", ".txt", "text")])
def test_the_plan_is_exported(begin: Callable[..., Conversation], tmp_path: Path, message: str, suffix: str, format: str) -> None:
    path = tmp_path / f"plan{suffix}"
    exported = one(begin(JOB).say(message.format(path)), Exported)
    assert (exported.path, exported.format) == (str(path), format) and path.stat().st_size > 50


def test_an_exported_questionnaire_plans_the_same_again(begin: Callable[..., Conversation], library: Library,
                                                        tmp_path: Path) -> None:
    conversation = begin(f"{JOB} with fsdp, no InfiniBand, $2.10/hr", f"export as yaml to {tmp_path / 'job.yaml'}")
    assert read_one(tmp_path / "job.yaml", library.catalog) == conversation.draft.questionnaire(library.catalog)


def test_a_file_that_is_there_is_not_overwritten_unasked(begin: Callable[..., Conversation], tmp_path: Path) -> None:
    path = tmp_path / "plan.md"
    path.write_text("mine")
    conversation = begin(JOB)
    assert "already there" in one(conversation.say(f"export to {path}"), Failure).text and path.read_text() == "mine"
    assert one(conversation.say(f"export to {path}, overwrite"), Exported) and path.read_text() != "mine"
    assert "cannot be written" in one(conversation.say(f"export to {tmp_path}/no/such/folder.md"), Failure).text


# -- anything may be typed ---------------------------------------------------------------------------------


@pytest.mark.parametrize("message", ["", "   ", "\x1b[31m", "[/bold]", "{}", "%s", "\\", "'; DROP TABLE", "64" * 500,
                                     "no " * 400, "\u202e64 H100s", "99999999999999999999 H100s",
                                     "1e400 tokens", "0 GPUs", "-8 GPUs", "8x8x8x8 H100", "🙂", "tp=99999999999 pp=3", "compare",
                                     "what if", "why not", "branch 0", "export to /", "x" * 5000])
def test_no_message_breaks_the_conversation(begin: Callable[..., Conversation], message: str) -> None:
    for conversation in (begin(), begin(JOB)):
        events = conversation.say(message)
        assert not any(c in str([e.model_dump() for e in events if not isinstance(e, PlanShown)]) for c in "\x1b\u202e")
        assert conversation.say("help")


def test_events_are_frozen_and_travel_as_json(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "why", "what if 128 GPUs", "compare RoCE and InfiniBand")
    for turn in conversation.turns:
        assert Turn.model_validate_json(turn.model_dump_json(by_alias=True)) == turn
    with pytest.raises(ValueError, match="frozen"):
        conversation.turns[0].events[0].text = "other"


def test_the_same_words_give_the_same_conversation(begin: Callable[..., Conversation]) -> None:
    messages = (JOB, "fsdp", "why", "no, 128", "what would flip it")
    assert begin(*messages).turns == begin(*messages).turns


# -- line by line ------------------------------------------------------------------------------------------


def talk(conversation: Conversation, *lines: str) -> list[str]:
    said, written = iter(lines), []
    plain.run(conversation, lambda: next(said, None), written.append)
    return written


def test_line_by_line_choices_have_keys_and_the_end_of_input_ends_it(begin: Callable[..., Conversation]) -> None:
    conversation = Conversation(libraries.load())
    written = talk(conversation, "1", "2", "H100", "64")
    assert conversation.draft.fields == {"workload": "pretraining", "model": "llama-3.1-70b", "cluster.gpu": "h100-sxm",
                                         "cluster.gpus": 64}
    assert "  1. Pretrain a model" in written


def test_a_number_that_could_be_an_answer_is_no_key(begin: Callable[..., Conversation]) -> None:
    conversation = Conversation(libraries.load())
    written = talk(conversation, "pretraining", "llama 3.1 8b", "H100", "2")
    assert conversation.draft.fields["cluster.gpus"] == 2
    assert any(line.startswith("  a. 8 (") for line in written)


def test_lines_are_plain_text_that_fits(library: Library) -> None:
    written = talk(Conversation(library), f"{JOB} with fsdp", "why", "compare InfiniBand and RoCE", "what if [red]128[/red] "
                                                                                                    "GPUs \x1b[31m",
                                                                                                    "show the plan", "quit")
    assert max(len(line) for line in written) <= 80
    assert all(line.isprintable() for line in written)
    assert not any(c in "".join(written) for c in "│┌─═█")


def test_after_an_answer_in_between_the_open_question_is_named(library: Library) -> None:
    written = talk(Conversation(library), JOB, "why")
    assert any(line.startswith("Still open: ") for line in written)


def test_a_conversation_is_saved_and_gone_on_with(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    first = opening.begin(library)
    written = talk(first, JOB, "fsdp")
    assert str(first.transcript_path) in "".join(written)
    again = opening.begin(library, resume=first.transcript_path)
    assert again.draft.fields == first.draft.fields and again.plan == first.plan
    assert "Going on where the transcript ends." in talk(again, "no, 128")
    assert opening.begin(library, resume=first.transcript_path).draft.fields["cluster.gpus"] == 128


def test_a_conversation_in_which_nothing_is_said_leaves_no_file(library: Library, tmp_path: Path,
                                                                monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    silent, other = opening.begin(library), opening.begin(library)
    assert not any("transcript is in" in line for line in talk(silent)) and not list(tmp_path.rglob("*.md"))
    talk(other, "pretraining")
    silent.say("finetuning")
    assert len(list(tmp_path.rglob("*.md"))) == 2 and silent.transcript_path != other.transcript_path


def test_a_conversation_that_ended_with_goodbye_replays_as_it_went(library: Library, tmp_path: Path,
                                                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WEFT_HOME", str(tmp_path))
    first = opening.begin(library)
    talk(first, "pretraining", "quit")
    assert not transcripts.replay_file(first.transcript_path, library).changed


def test_a_question_during_the_warm_up_opens_the_search_once(library: Library, monkeypatch: pytest.MonkeyPatch) -> None:
    opened, ready = [], threading.Event()

    def slowly(library: Library, yours: bool) -> Callable[[str], SearchAnswer]:
        opened.append(yours)
        ready.wait(1)
        return lambda question: SearchAnswer(question=question, answered=False, passages=[])

    monkeypatch.setattr(searching, "_open_search", slowly)
    search = searching.lazy_searcher(library)
    warming = threading.Thread(target=search, args=("interconnect",))
    warming.start()
    asked = threading.Thread(target=search, args=("what is RDMA?",))
    asked.start()
    ready.set()
    warming.join()
    asked.join()
    assert len(opened) == 1


def test_the_command_talks_through_a_pipe(tmp_path: Path) -> None:
    code = "from assistant.conversation import plain; raise SystemExit(plain.main())"
    done = subprocess.run([sys.executable, "-c", code], input="64 H100s\nquit\n", capture_output=True, text=True,
                          cwd=Path(__file__).parents[1],
                          env={"WEFT_HOME": str(tmp_path), "PATH": "/usr/bin:/bin", "PYTHONUTF8": "1"})
    assert done.returncode == 0 and done.stderr == "" and "GPUs: 64" in done.stdout


def test_the_conversation_loads_neither_screen_nor_embedding_model() -> None:
    code = ("import sys, json\nfrom assistant import library\nfrom assistant.conversation import Conversation, replay\n"
            f"list(replay(Conversation(library.load()), [{JOB!r}, 'why']))\nprint(json.dumps([m for m in ('torch', "
            f"'sentence_transformers', 'textual') if m in sys.modules]))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[1])
    assert json.loads(done.stdout) == []
