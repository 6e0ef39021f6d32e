"""The interview: what is asked, what is answered, what is corrected and taken back, what is never lost."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assistant.conversation import Conversation, replay
from assistant.conversation.events import Answer, Explanation, Failure, Finished, Note, PlanShown, Question, Understood
from assistant.library import Library
from assistant.vocabulary.utterance import Utterance
from tests.conversing import JOB, asked, begin, library, one

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
    assert shown.turned and not shown.changes and shown.plan.questionnaire["cluster"]["gpus"] == 64
    assert shown.headline == shown.plan.recommendation.headline


def test_what_was_said_is_not_asked_again(begin: Callable[..., Conversation]) -> None:
    conversation = begin(f"{JOB} with fsdp, 400G InfiniBand is there, 8k context, batch 512, 100B tokens, $2.10/hr")
    said = {
        "workload",
        "model",
        "cluster.gpu",
        "cluster.gpus",
        "cluster.fabric",
        "parallelism",
        "training.global_batch",
        "training.tokens",
        "budget.usd",
    }
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
    assert 5 <= len(seen) == len(set(seen)) <= 8
    assert "parallelism" not in seen and seen.index("budget.usd") == 4  # what is needed, then what it may cost


def test_any_question_may_be_asked_back(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB)
    for said, told in (("why do you ask?", "decides"), ("what would you take?", "no limit"), ("what is that?", "GPU")):
        events = conversation.say(said)
        assert told in one(events, Note).text and one(events, Question).again, said
    assert "AWS" in " ".join(one((conversation.say("skip"), conversation.say("why do you ask?"))[1], Note).items)
    assert conversation.say("no")[0].assumed and "cluster.provider" in conversation.draft.left_open
    assert asked(conversation.say("back to the budget")) == "budget.usd"
    assert conversation.say("$300k")[0].fields[0].value == 300_000


def test_yes_to_a_question_for_a_name_asks_which_one(begin: Callable[..., Conversation]) -> None:
    conversation = begin()
    assert "Which one" in one(conversation.say("yes"), Note).text and asked(conversation.say("no")) == "workload"


def test_a_novice_is_told_one_word_and_an_expert_none(begin: Callable[..., Conversation]) -> None:
    every_word = f"{JOB}, tp 4 pp 2, batch 512, 8k context, 100B tokens, megatron"
    assert begin(JOB).question.word and not begin(every_word).question.word


def test_nothing_that_was_asked_speaks_of_odds_or_of_nothing_working(begin: Callable[..., Conversation]) -> None:
    conversation = begin("pretrain llama 3.1 70b on 128 H200 that we buy")
    while (question := conversation.question) is not None:
        said = f"{question.why_asked} {question.word} {' '.join(one(conversation.say('why do you ask?'), Note).items)}"
        assert "%" not in said and "nothing would work" not in said and "-v2-" not in said
        conversation.say("skip")
    assert conversation.turns[-1].events[-1].assumed


def test_the_search_is_warmed_up_with_a_question_as_it_would_be_asked(library: Library) -> None:
    heard: list[Utterance] = []
    Conversation(library, searcher=lambda question: heard.append(question)).warm()  # type: ignore[arg-type]
    assert heard[0].text == "what is an interconnect?" and "signs" in heard[0].roles


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


@pytest.mark.parametrize(
    ("reply", "fields"),
    [
        ("in-house", {"budget.mode": "buy"}),
        ("anywhere", {"budget.mode": "rent"}),
    ],
)
def test_a_plain_word_answers_the_open_question(
    begin: Callable[..., Conversation], reply: str, fields: dict[str, Any]
) -> None:
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
    assert shown.changes and shown.plan.questionnaire["cluster"]["gpus"] == 128


@pytest.mark.parametrize(
    ("message", "field"),
    [("tp 7", "parallelism.tp"), ("100 GPUs, 8 GPUs per node", "cluster.gpus"), ("micro batch 0", None)],
)
def test_what_cannot_be_changes_nothing_and_says_why(
    begin: Callable[..., Conversation], message: str, field: str | None
) -> None:
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


@pytest.mark.parametrize(
    ("messages", "gpus", "read_back"),
    [
        (["16 nodes", "h100, 8 per node"], 128, "16 nodes × 8 GPUs = 128"),
        (["16 nodes", "h100, 8 per node", "actually 4 GPUs per node"], 64, "16 nodes × 4 GPUs = 64"),
        (["16 nodes of 4 H100", "8 gpus per node"], 128, "16 nodes × 8 GPUs = 128"),
        (["4 H100 per node", "16 nodes", "8 gpus per node"], 128, "16 nodes × 8 GPUs = 128"),
        (["16 nodes of 8 H100", "32 nodes", "undo", "4 gpus per node"], 64, "16 nodes × 4 GPUs = 64"),
        (["16 nodes of 8 H100", "actually we have GB200"], 64, "16 nodes × 4 GPUs = 64"),
        (["1 node with 8 H100s", "4 GPUs per node"], 4, "1 node × 4 GPUs = 4"),
    ],
)
def test_gpus_counted_from_nodes_follow_what_is_in_a_node(
    begin: Callable[..., Conversation], messages: list[str], gpus: int, read_back: str
) -> None:
    conversation = begin(*messages[:-1])
    understood = one(conversation.say(messages[-1]), Understood)
    assert conversation.draft.fields["cluster.gpus"] == gpus
    assert any(read_back in field.text for field in understood.fields) and not any(
        f.field == "cluster.nodes" for f in understood.fields
    )


def test_gpus_that_were_said_themselves_are_not_counted_anew(begin: Callable[..., Conversation]) -> None:
    conversation = begin("16 nodes of 8 H100", "actually 64 GPUs", "4 GPUs per node")
    assert conversation.draft.fields["cluster.gpus"] == 64 and conversation.draft.nodes is None


@pytest.mark.parametrize(
    ("message", "needed"),
    [
        ("forget the number of nodes", "The number of GPUs is needed"),
        ("please drop the GPUs", "The number of GPUs is needed"),
        ("ignore the gpu count", "The number of GPUs is needed"),
        ("remove the model", "The model is needed"),
        ("forget about the kind of job", "The kind of job is needed"),
        ("take back the type of GPU", "The kind of GPU is needed"),
    ],
)
def test_what_every_plan_needs_cannot_be_taken_back(
    begin: Callable[..., Conversation], message: str, needed: str
) -> None:
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
    events = conversation.say("64 H100s and a Cray Slingshot network")
    assert one(events, Understood).fields and "cluster.fabric" not in conversation.draft.fields
    assert "Cray Slingshot" in one(events, Question).text
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


# -- what practitioners said -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        "We want to pretrain llama 3.1 70b on 128 H100, 8k context. Which network do we need?",
        "Which network do we need for pretraining llama 3.1 70b on 128 H100?",
        "pretraining llama 3.1 70b on 128 H100. What do you recommend?",
    ],
)
def test_a_question_that_comes_with_its_job_is_answered_by_the_plan(
    begin: Callable[..., Conversation], message: str
) -> None:
    conversation = begin()
    shown = one(conversation.say(message), PlanShown)
    assert shown.plan.questionnaire["cluster"]["gpus"] == 128


def test_true_details_of_a_model_are_confirmed_and_false_ones_asked_about(begin: Callable[..., Conversation]) -> None:
    conversation = begin("pretrain llama 3.1 70b, it has 80 layers and 8192 hidden, on 64 H100")
    assert conversation.plan.questionnaire["model"] == "llama-3.1-70b"
    assert "as published" in one(conversation.say("it has 80 layers"), Note).text
    assert "none published" in str(conversation.say("it has 128 experts")[0])
    assert conversation.plan.questionnaire["model"] == "llama-3.1-70b"


@pytest.mark.parametrize(
    ("message", "field", "value"),
    [("it has 70B parameters", "model", "llama-3.1-70b"), ("34B dense", "model.params", 34e9)],
)
def test_its_own_size_leaves_the_model_and_another_size_is_another_model(
    begin: Callable[..., Conversation], message: str, field: str, value: Any
) -> None:
    conversation = begin(JOB)
    conversation.say(message)
    assert conversation.draft.fields[field] == value


def test_a_limit_of_power_goes_from_speech_to_the_verdict(begin: Callable[..., Conversation]) -> None:
    conversation = begin(JOB, "the room gives us only 20 kW")
    assert conversation.draft.fields["constraints.max_power_kw"] == 20
    plan = conversation.plan
    assert plan is not None and "screen/more-power-than-allowed" in {r for c in plan.candidates for r in c.reasons}


def test_a_number_in_words_that_never_ends_is_no_number(begin: Callable[..., Conversation]) -> None:
    assert begin(JOB).say("two" + " hundred" * 170)


def test_yes_to_the_nearest_gpu_takes_it_and_nothing_takes_it_before(begin: Callable[..., Conversation]) -> None:
    conversation = begin("pretraining llama 3.1 8b")
    question = one(conversation.say("8 RTX 3090"), Question)
    assert "cluster.gpu" not in conversation.draft.fields
    assert "RTX 3090" in question.text and "RTX 4090" in question.text
    assert one(conversation.say("yes"), PlanShown).plan.questionnaire["cluster"]["gpu"] == "rtx-4090"


@pytest.mark.parametrize("text", ["we own 16 A100, which network should we buy?", "we own 16 A100, is IB worth it?"])
def test_a_question_for_the_plan_keeps_the_part_of_the_job_that_it_states(
    begin: Callable[..., Conversation], text: str
) -> None:
    conversation = begin()
    events = list(conversation.say(text))
    told = conversation.draft.fields
    assert (told["cluster.gpu"], told["cluster.gpus"], told["budget.owned"]) == ("a100-sxm-80gb", 16, "machines")
    assert asked(events) == "workload" and not any(isinstance(event, Answer) for event in events)


def test_what_each_network_costs_to_buy_is_asked_of_the_plan(begin: Callable[..., Conversation]) -> None:
    conversation = begin(
        "we own 24 H100, which network should we buy?", "fine-tune 34B on 100M tokens", "we want InfiniBand NDR for it"
    )
    each = str(conversation.say("so what does each network cost to buy?")[0])
    assert "Ethernet 200, TCP $45,700" in each and "InfiniBand NDR $119,000" in each
    for text in (
        "what does the 200G ethernet option cost to buy?",
        "is it worth 70k more than 200G ethernet for one 7 hour job?",
    ):
        said = str(conversation.say(text)[0])
        assert "$45,700" in said and "$73,500 more" in said and "for one run alone" in said
    assert "budget.usd" not in conversation.draft.fields
    there = str(conversation.say("we already have ConnectX-7 adapters in the machines")[0])
    assert "24 adapters as bought, $45,400 of $119,000" in there and "$73,700 is left" in there
