"""Sixty questions of ten people about their plans: each is answered from the plan in five lines, without a search."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant import library as libraries
from assistant.conversation import Conversation, wording
from assistant.conversation.draft import Draft
from assistant.conversation.events import Answer, Event, Failure, Finished, Question, VariationShown
from assistant.conversation.heard import heard
from assistant.conversation.planner import dated_planner
from assistant.conversation.turn.followup import LINES, WIDTH
from assistant.library import Library
from assistant.present.plan.answers import SENTENCES
from tests.conversing import TODAY, library, talk_of
from tests.labels import labels

PEOPLE: list[dict[str, Any]] = labels(Path(__file__).with_name("followups.yaml"))
OPEN: list[dict[str, Any]] = labels(Path(__file__).with_name("followups_open.yaml"))
SIGNED: list[dict[str, Any]] = labels(Path(__file__).with_name("followups_signed.yaml"))
ONCE: list[dict[str, Any]] = labels(Path(__file__).with_name("followups_once.yaml"))
ROLES: list[dict[str, Any]] = labels(Path(__file__).with_name("followups_roles.yaml"))
ASKED: list[dict[str, Any]] = labels(Path(__file__).with_name("followups_asked.yaml"))
KINDS: list[dict[str, Any]] = libraries.load().language["followups"]["kinds"]
SUBJECTS: list[dict[str, Any]] = libraries.load().language["followups"]["subjects"]
EVERY, EVERY_ASKED = 12, 17  # of the sixty plans: each takes half a second
TOPICS: list[dict[str, Any]] = [one for one in libraries.load().language["topics"]["topics"] if "tells" in one]
LONGEST = 10  # lines of what is tried; nobody who asks of a plan is answered with the whole proof


def _lines(events: list[Event]) -> list[str]:
    shown = [event for event in events if not isinstance(event, Question | Finished)]
    return [line for event in shown for line in wording.lines(event, WIDTH) if line.strip()]


@pytest.mark.parametrize("person", PEOPLE, ids=lambda person: person["role"])
def test_every_question_of_a_plan_is_answered_from_it_in_five_lines(
    person: dict[str, Any], library: Library, some: Callable[..., list[dict[str, Any]]]
) -> None:
    talk = talk_of(library, person["job"])
    for one in some(person["asked"], 3, first=PEOPLE.index(person)):
        events = talk.say(one["ask"])
        assert not [e for e in events if isinstance(e, Failure | Answer)], one["ask"]
        lines = _lines(events)
        tried = 1 if talk.variation is not None else 0
        assert len(lines) <= LINES + tried, (one["ask"], lines)
        said = " ".join(" ".join(line.split()) for line in lines)
        assert any(words in said for words in one["told"].split("|")), (one["ask"], said)


@pytest.mark.parametrize("person", [*OPEN, *SIGNED], ids=lambda person: person["role"])
def test_a_job_of_which_something_is_open_is_asked_about_and_nothing_of_it_is_taken(
    person: dict[str, Any], library: Library, some: Callable[..., list[dict[str, Any]]]
) -> None:
    talk = talk_of(library, person["job"])
    told = dict(talk.draft.fields)
    for one in some(person["asked"], 5, first=[*OPEN, *SIGNED].index(person)):
        events = talk.say(one["ask"])
        assert not [e for e in events if isinstance(e, Failure)], one["ask"]
        lines = _lines(events)
        said = " ".join(" ".join(line.split()) for line in lines)
        tried = any(isinstance(e, VariationShown) for e in events) or "Nothing was changed" in said  # each in full
        assert len(lines) <= LINES + 1 or (tried and len(lines) <= LONGEST), (one["ask"], lines)
        assert any(words in said for words in one["told"].split("|")), (one["ask"], said)
        assert talk.draft.fields == told, one["ask"]


def test_one_question_of_a_plan_is_answered_with_what_the_asker_needs(
    library: Library, some: Callable[[list[dict[str, Any]], int], list[dict[str, Any]]]
) -> None:
    for one in some(ONCE, 3):
        talk = talk_of(library, one["job"])
        told = dict(talk.draft.fields)
        lines = _lines(talk.say(one["ask"]))
        said = " ".join(" ".join(line.split()) for line in lines)
        missing = [words for words in one["told"].split("|") if words not in said]
        assert len(lines) <= LINES and not missing, (one["ask"], missing, said)
        assert talk.draft.fields == told, one["ask"]


def test_each_of_sixty_plans_answers_the_question_that_its_reader_has(
    library: Library, some: Callable[[list[dict[str, Any]], int], list[dict[str, Any]]]
) -> None:
    for one in [*some(ROLES, EVERY), *some(ASKED, EVERY_ASKED)]:
        talk = talk_of(library, one["job"])
        told = dict(talk.draft.fields)
        lines = _lines(talk.say(one["ask"]))
        said = " ".join(" ".join(line.split()) for line in lines)
        missing = [words for words in one["told"].split("|") if words not in said]
        assert len(lines) <= (LONGEST if one.get("tried") else LINES) and not missing, (one["ask"], missing, said)
        assert talk.draft.fields == told, one["ask"]


@pytest.mark.parametrize(
    ("job", "ask", "told"),
    [
        (
            "Serve a 13B model, 20 requests/s, 1k in / 500 out, rented, either A100 or H100",
            "dollars per million tokens for each of them",
            "A100",
        ),
        (
            "Buy 16 H100, full finetuning of a 13B model on 5B tokens",
            "we close it after 8 months, how much did buying hurt",
            "after 8 months in full use",
        ),
        (
            "pretrain 8B on 1T tokens, 64 H100 rented, within 60 days",
            "how likely is it that we are late and pay a penalty",
            "in the slow tenth of cases",
        ),
        ("pretrain 8B on 1T tokens, 64 H100 rented", "is that choice 60/40 or 95/5", "of the draws"),
        # what was pinned, a limit or a place where it turns is planned again, and what is there already is said to be
        (
            "rent 32 H100 at Lambda to fine-tune a 70B model on 5B tokens",
            "who else has these?",
            "Cheaper than Lambda's $",
        ),
        ("pretrain 7B on 1T tokens, 64 H100 rented", "where's the knee?", "Then it stops paying: "),
        (
            "buy 128 H100 to pretrain a 30B model on 600B tokens",
            "which network keeps the loss below 10 %",
            "below the 10 %",
        ),
        (
            "pretrain 30B on 600B tokens, 128 H100 rented, 30 days",
            "we lose maybe 5% of nodes at any time. does the deadline hold?",
            "1 of 16",
        ),
        (
            "pretrain 13B on 1T tokens, 64 H100 rented, InfiniBand",
            "what if we use InfiniBand?",
            "That is the plan already",
        ),
        (
            "buy 64 H200 to train 13B on 1T tokens",
            "is it cheaper to rent if we only use them six months a year?",
            "at 50 % use",
        ),
        ("fine-tune a 70B model", "how many gpus do I need?", "16 GPUs now"),
        ("buy 128 B200 for a 70B pretraining on 1T tokens", "which line is the most expensive one", "The machines: $"),
    ],
)
def test_what_the_job_named_or_a_time_to_come_is_computed_from_the_plan(
    job: str, ask: str, told: str, library: Library
) -> None:
    talk = talk_of(library, job)
    before = talk.draft.fields
    lines = _lines(talk.say(ask))
    assert len(lines) <= LINES and told in " ".join(line.strip() for line in lines), lines
    assert talk.draft.fields == before and talk.variation is None


def test_whose_the_machines_are_is_not_supposed_for_what_is_there_costs_least(library: Library) -> None:
    talk = talk_of(library, "128 H100 IB vs RoCE for pretraining 13B dense on 2T tokens, rent, which")
    assert "there already" not in " ".join(_lines(talk.say("what does it cost?")))


def test_what_is_asked_for_more_shows_the_proof(library: Library) -> None:
    talk = talk_of(library, "pretrain llama 3.1 70b on 64 H100s")
    short = _lines(talk.say("do we even need infiniband for this?"))
    proof = _lines(talk.say("more"))
    assert len(proof) > len(short) and any("step time" in line for line in proof)


@pytest.mark.parametrize("said", ["what does SHARP do?", "how does ring all-reduce work"])
def test_a_question_of_the_field_still_goes_to_the_library(said: str, library: Library) -> None:
    talk = talk_of(library, "pretrain llama 3.1 70b on 64 H100s")
    assert next(event.kind for event in talk.say(said)) == "answer"


@pytest.mark.parametrize("said", ["make it 128", "budget is 300k", "not AWS", "Lambda came down to $2.05"])
def test_a_fact_beside_a_plan_is_no_question(said: str, library: Library) -> None:
    talk = talk_of(library, "pretrain llama 3.1 70b on 64 H100s")
    before = talk.draft.fields
    talk.say(said)
    assert talk.draft.fields != before or said == "not AWS"


@pytest.mark.parametrize(
    ("ask", "kind"),
    [
        ("and which bit of this is most likely to bite me", "breaks"),
        ("how do i check it myself in an hour", "quick-test"),
        ("could i just rent something for 500 and be done", "rent-for"),
        ("And the latency? 100 km is what, half a millisecond?", "latency"),
    ],
)
def test_a_question_in_words_of_ones_own_is_known_by_what_it_means(ask: str, kind: str, library: Library) -> None:
    draft = Draft({"cluster.gpus": 64})
    assert heard(ask, draft, library, TODAY).followup[0][0] == kind


def test_every_kind_of_question_has_sentences_that_exist_and_enough_to_be_learned_from() -> None:
    for kind in KINDS:
        assert set(kind["tells"]) <= set(SENTENCES) and kind["more"] and len(kind["says"]) >= 5, kind["kind"]
    assert set(SENTENCES) == {name for told in (*KINDS, *SUBJECTS, *TOPICS) for name in told["tells"]}
    assert all(one["of"] == "plan" and one["more"] for one in TOPICS)
    assert {name for one in SUBJECTS for name in one.get("unless", ())} <= {kind["kind"] for kind in KINDS}


def test_a_plan_volunteers_one_line_that_was_planned_again(library: Library) -> None:
    job = "full fine-tune of llama 3.1 70b on 16 H100 rented, 2B tokens"
    plan = talk_of(library, job).plan
    assert plan is not None and plan.volunteered and plan.volunteered.startswith("If adapters (LoRA) would do: 8 GPUs")
    lora = talk_of(library, job.replace("full fine-tune", "lora fine-tune").replace("16 H100", "8 H100")).plan
    assert lora is not None and lora.recommendation.verdict != "infeasible" and lora.volunteered is None
    cheapest = next(c for c in lora.candidates if c.fabric == lora.recommendation.fabric)
    assert cheapest.cost_usd and f"${cheapest.cost_usd.p50:,.0f}"[:4] in plan.volunteered


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        ("what about AWS?", "Amazon Web Services: AWS EFA v2, $"),
        ("not AWS", "Nothing changes without Amazon Web Services"),
        ("is fp8 cheaper?", "FP8 saves $"),
        ("what if the price of voltage park is wrong?", "per GPU-hour it costs $"),
        ("should we rent H200 instead", "NVIDIA H200 SXM 141 GB: $"),
        ("and when I go to 1024?", "1,024: $"),
        ("youre off by 2x. then what does it cost me", "At half the speed it takes"),
        ("what if they deliver three weeks late", "instead of"),
        ("how many GPU hours is that", "GPU-hours: 64 GPUs for"),
        ("yes", "Which one then?"),
    ],
)
def test_what_is_named_or_doubted_is_planned_and_changes_nothing(
    ask: str, told: str, talk_of_a_run: Conversation
) -> None:
    before = talk_of_a_run.draft.fields
    lines = _lines(talk_of_a_run.say(ask))
    assert told in " ".join(line.strip() for line in lines) and len(lines) <= LINES, lines
    assert talk_of_a_run.draft.fields == before and talk_of_a_run.variation is None


@pytest.fixture(scope="module")
def talk_of_a_run(library: Library) -> Conversation:
    return talk_of(library, "pretrain llama 3.1 70b on 64 H100s, 1T tokens")


def test_the_target_that_goes_first_is_told_with_what_is_left_of_it(library: Library) -> None:
    talk = talk_of(library, "serve llama 3.1 70b in fp8 to 60 requests per second, 1500 in, 300 out, first token 800 ms, 40 ms per token, rented H100")  # fmt: skip  # noqa: E501
    [first, *_] = _lines(talk.say("which target breaks first when load goes up, ttft or tpot"))
    assert "goes first: " in first and "of 40 ms" in first


def test_where_nothing_works_rented_machines_that_would_are_told(library: Library) -> None:
    job = "full finetune of a 13B model on 500M tokens on our 8 RTX 4090, 4 per node, 10 gig ethernet"
    talk = talk_of(library, job)
    assert talk.plan is not None and talk.plan.recommendation.verdict == "infeasible"
    assert "on rented machines it would: 8 " in " ".join(_lines(talk.say("or i rent for a weekend and be done?")))
    assert "No network changes that" in _lines(talk.say("used connectx off ebay, worth it?"))[0]


def test_the_work_and_a_length_in_one_message_are_a_run_and_its_deadline(library: Library) -> None:
    fields = talk_of(library, "rent 32 B200 for a month, full finetune of llama 3.3 70B on 5B tokens").draft.fields
    assert (fields["training.tokens"], fields["constraints.deadline_days"]) == (5e9, 30)
