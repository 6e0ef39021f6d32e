"""Asking the plan for a figure: how long, how much, how full, how fast, which is cheapest, what would another take."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assistant.conversation import Conversation
from assistant.conversation.events import (
    Answer,
    Comparison,
    Event,
    Explanation,
    Failure,
    Note,
    PlanShown,
    Question,
    Understood,
    VariationShown,
)
from assistant.conversation.searching import understood
from assistant.library import Library
from assistant.present import figures
from assistant.vocabulary.plan import Candidate
from tests.conversing import JOB, begin, library, one

Begin = Callable[..., Conversation]


def _best(conversation: Conversation) -> Candidate:
    return next(c for c in conversation.plan.candidates if c.fabric == conversation.plan.recommendation.fabric)


def _called(conversation: Conversation, found: Candidate) -> str:
    return conversation.plan.names[found.fabric]


def _said(events: list[Event]) -> str:
    note = one(events, Note)
    return "\n".join((note.text, *note.items))


def _in_full(conversation: Conversation, asked: str) -> str:
    """What is answered in five lines, and what "more" shows behind it."""
    return f"{_said(conversation.say(asked))}\n{_said(conversation.say('more'))}"


@pytest.mark.parametrize(
    "asked",
    [
        "how long does it take",
        "how long will the run take?",
        "so how many days is that",
        "when will it be done?",
        "duration?",
    ],
)
def test_how_long_the_run_takes(begin: Begin, asked: str) -> None:
    conversation = begin(JOB)
    told = (
        f"The run takes {figures.hours(_best(conversation).run_hours)} on {_called(conversation, _best(conversation))}."
    )
    assert told in _in_full(conversation, asked)


@pytest.mark.parametrize(
    "asked",
    [
        "what does it cost?",
        "how much is that",
        "what's the total price",
        "cost of the run",
        "why is it so expensive?",
        "how much is it per month",
        "what is the cost per million tokens?",
    ],
)
def test_what_the_run_costs_and_what_that_is_made_of(begin: Begin, asked: str) -> None:
    conversation = begin(JOB, "100B tokens")
    best, said = _best(conversation), _in_full(conversation, asked)
    assert f"costs {figures.usd_band(best.cost_usd)} on {_called(conversation, best)}" in said
    assert f"64 GPUs × {figures.hours(best.run_hours)} × ({figures.usd(best.gpu_usd_per_hour)} for the GPU + " in said
    assert f"Per million tokens: {figures.usd(best.cost_usd.p50 / 100e9 * 1e6)}." in said


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("how long is one step?", lambda c: f"One step takes {figures.seconds(c.step_time_s.p50)}"),
        ("tokens per second?", lambda c: f"{figures.significant(c.tokens_per_s_per_gpu * 64)} tokens per second"),
        ("what is our MFU?", lambda c: f"{figures.percent(100 * c.mfu)} MFU"),
        ("how much memory is left", lambda c: f"{c.memory_gb_per_gpu * 1e9 / 2**30:,.1f} of the 80 GiB"),
        ("does it fit?", lambda c: "It fits: "),
        (
            "how much time do we lose to communication?",
            lambda c: f"{figures.percent(c.exposed_communication_percent)} of the time",
        ),
        ("where does the time go", lambda c: "Where the time goes: compute "),
        ("which split do you use?", lambda c: f"runs at {figures.layout(c.parallelism)}"),
        ("why tp 4?", lambda c: "Nobody fixed it"),
        (
            "how much is the network part?",
            lambda c: "InfiniBand NDR costs nothing on top of the GPU: it is part of the machine's price",
        ),
    ],
)
def test_a_figure_of_the_plan(begin: Begin, asked: str, told: Callable[[Candidate], str]) -> None:
    conversation = begin(JOB)
    assert told(_best(conversation)) in _in_full(conversation, asked)


def test_a_split_that_was_said_is_named_as_said(begin: Begin) -> None:
    assert "You said how to split it" in _said(begin(JOB, "fsdp").say("why this split?"))


def test_the_figure_of_a_network_that_is_named(begin: Begin) -> None:
    conversation = begin(JOB)
    tcp = next(c for c in conversation.plan.candidates if c.fabric == "ethernet-tcp-100")
    assert f"The run takes {figures.hours(tcp.run_hours)} on Ethernet 100, TCP." in _said(
        conversation.say("how long over plain 100G ethernet?")
    )
    assert f"costs {figures.usd_band(tcp.cost_usd)}" in _said(conversation.say("what would it cost on TCP?"))


def test_the_figure_of_a_network_that_cannot_be_had_says_so(begin: Begin) -> None:
    said = _said(begin(JOB, "we run on aws").say("how much on infiniband?"))
    assert "It will not do here, though." in said and "sells no NVIDIA H100 SXM5 80 GB with InfiniBand NDR" in said


def test_comparing_networks_that_cannot_be_had_says_so_first(begin: Begin) -> None:
    conversation = begin(JOB, "we run on aws")
    assert one(conversation.say("compare roce and infiniband"), Comparison).summary.startswith(
        "Neither can be had at a quoted price. Amazon Web Services sells no NVIDIA H100"
    )
    only = one(conversation.say("compare roce and efa"), Comparison).summary
    assert only.startswith("Only AWS EFA v2 can be had at a quoted price.")


def test_ranking_the_networks(begin: Begin) -> None:
    conversation = begin(JOB)
    able = [c for c in conversation.plan.candidates if c.verdict != "impossible" and c.cost_usd]
    assert _said(conversation.say("which is the cheapest network?")).startswith(
        f"{_called(conversation, min(able, key=lambda c: c.cost_usd.p50))} has the lowest cost"
    )
    assert _said(conversation.say("which one is fastest?")).startswith(
        f"{_called(conversation, min(able, key=lambda c: c.step_time_s.p50))} is the fastest"
    )
    assert {one(conversation.say("what is second best?"), Comparison).right} == {
        conversation.plan.recommendation.runner_up
    }
    options = _in_full(conversation, "what are my options?")
    named = ("no network" if c.fabric == "none" else _called(conversation, c) for c in conversation.plan.candidates)
    assert all(name in options for name in named)


def test_what_a_network_would_need_to_win(begin: Begin) -> None:
    conversation = begin(JOB)
    efa = next(c for c in conversation.plan.candidates if c.fabric == "aws-efa-v2")
    said = _said(conversation.say("what would it take for EFA to win?"))
    less = efa.gpu_usd_per_hour * (1 - _best(conversation).cost_usd.p50 / efa.cost_usd.p50)
    assert f"GPU and network together {figures.usd(less)} less per GPU-hour" in said
    assert "cannot be had here, whatever it costs" in _said(begin(JOB, "on aws").say("when would roce be better?"))


def test_nothing_speaks_against_what_is_recommended(begin: Begin) -> None:
    conversation = begin(JOB)
    assert "Nothing speaks against InfiniBand NDR 400 Gb/s" in _said(conversation.say("why not infiniband?"))
    assert "RoCE v2 400 Gb/s is ruled out here" in _said(conversation.say("why not roce?"))
    assert one(conversation.say("more"), Explanation).about == "roce-v2-400"


def test_the_plan_in_a_few_lines_and_how_far_to_trust_it(begin: Begin) -> None:
    conversation = begin(JOB)
    summary = _said(conversation.say("summarize"))
    assert summary.startswith("Rent 64 NVIDIA H100") and figures.usd(_best(conversation).cost_usd.p50) in summary
    trust = _in_full(conversation, "can I trust this?")
    assert (
        figures.seconds(_best(conversation).step_time_s.p90) in trust
        and f"{len(conversation.plan.assumptions)} values were assumed" in trust
    )


def test_hardware_settings_and_prices_of_the_plan(begin: Begin) -> None:
    conversation = begin(JOB)
    assert f"{conversation.plan.fabric_design['switches']} switch" in _said(
        conversation.say("how many switches do we need?")
    )
    assert "NCCL_IB_TC" in _in_full(begin(JOB, "the network is roce v2 400"), "which nccl settings should we use?")
    assert "NCCL_SOCKET_IFNAME" in _said(conversation.say("which nccl settings should we use?"))
    assert "October 2026, 2026-10-06" in _in_full(conversation, "how old are the prices?")


def test_a_time_that_is_asked_for_is_judged_and_sized(begin: Begin) -> None:
    conversation = begin(JOB)
    events = conversation.say("can we do it in 2 weeks?")
    told = one(events, Note)
    assert told.text.startswith("No: ") and any(text.startswith("About 1,") for text in told.items)
    assert "constraints.deadline_days" not in conversation.draft.fields
    assert one(conversation.say("is it done in 2 years?"), Note).text.startswith("Yes: ")


def test_a_job_that_misses_its_deadline_is_told_how_many_gpus_would_meet_it(begin: Begin) -> None:
    conversation = begin(JOB, "we have two weeks")
    [more, *_] = conversation.plan.recommendation.what_fits
    met = begin(JOB.replace("64", str(more.change["cluster.gpus"])), "we have two weeks").plan.recommendation
    assert (met.verdict, met.fabric) == ("recommended", more.fabric) and more.run_hours <= 14 * 24
    assert "The deadline of 14 days is missed." in _in_full(conversation, "how long does it take?")


def test_other_facts_in_the_question_are_tried_and_not_taken(begin: Begin) -> None:
    conversation = begin(JOB)
    events = conversation.say("how much would it cost on 128 GPUs?")
    varied = one(events, VariationShown).plan
    best = next(c for c in varied.candidates if c.fabric == varied.recommendation.fabric)
    assert figures.usd(best.cost_usd.p50) in " ".join(one(events, VariationShown).card)
    behind = [text for note in conversation.say("more") if isinstance(note, Note) for text in (note.text, *note.items)]
    assert figures.usd_band(best.cost_usd) in "\n".join(behind)
    assert conversation.draft.fields["cluster.gpus"] == 64


def test_tensor_parallelism_alone_means_a_split_that_is_in_use(begin: Begin) -> None:
    """Eight tensor-parallel ranks with Adam's states on every data-parallel one would not fit; nobody runs that."""
    plan = begin(JOB, "tp 8").plan
    assert plan.recommendation.verdict == "recommended"
    assert next(a.value for a in plan.assumptions if a.field == "parallelism.strategy") == "zero1"


def test_a_serving_job_tells_its_load_and_what_a_network_is_worth(begin: Begin) -> None:
    conversation = begin("serve deepseek v3 on 4 nodes of h200, 2k prompts, 500 output tokens")
    best = _best(conversation)
    assert f"up to {figures.significant(best.tokens_per_s_per_gpu * 32 / 500)} requests per second" in _said(
        conversation.say("how many requests per second can we do?")
    )
    assert f"One output token takes {figures.seconds(best.serving.tpot_s)}" in _said(
        conversation.say("what's the latency per token?")
    )
    assert "No special network is needed" in _said(conversation.say("do we need roce?"))
    assert "A service has no end" in _said(conversation.say("how long does it take?"))
    trains = begin(JOB)
    assert "a step takes" in _said(trains.say("do we need infiniband?"))
    assert one(trains.say("more"), Answer).answer.computed.kind == "need", "for training the model computes it"


@pytest.mark.parametrize(
    "said",
    [
        "how long does an all-reduce take",
        "what is MFU",
        "how expensive is a switch",
        "how many nccl rings are there",
        "how much traffic per step?",
        "how long is a piece of string",
        "what does Spheron say about cost?",
        "is RoCE lossless?",
        "why is tcp so slow",
        "how much does Meta pay",
        "what is the largest RoCE cluster?",
        "what time is it?",
        "uncertain",
        "we are uncertain",
        "how reliable is roce?",
        "is infiniband reliable?",
        "what is the electricity price?",
        "how much is electricity",
        "how long are the cables?",
        "what is tp?",
        "what is pp",
        "what is a bottleneck?",
        "what is sharded?",
        "take the cheapest",
        "make it the cheapest",
        "go with the second",
        "shard it",
        "our memory is full",
        "just a second",
        "give me a second",
        "how many gpus for 20 requests per second?",
        "what is the price of an H100?",
    ],
)
def test_a_question_of_the_field_is_none_of_the_plan(said: str, library: Library) -> None:
    assert understood(said, library).of_plan is None


@pytest.mark.parametrize(
    ("said", "topic"),
    [
        ("what time will it be done?", "run-time"),
        ("how many steps?", "run-time"),
        ("which fabric has the best price?", "cheapest"),
        ("what is the most expensive network?", "options"),
        ("how accurate are the prices?", "prices"),
        ("cost per day?", "run-cost"),
        ("what is the network's share of the cost?", "network-cost"),
        ("what takes the most time?", "waiting"),
        ("why not pp 2?", "split"),
    ],
)
def test_a_question_of_the_plan_is_told_from_its_neighbours(said: str, topic: str, library: Library) -> None:
    assert understood(said, library).of_plan == topic


@pytest.mark.parametrize(
    "said", ["would 128 GPUs be faster?", "is 128 GPUs cheaper?", "would H200 be better?", "is B200 worth it?"]
)
def test_whether_other_facts_would_be_better_is_tried(begin: Begin, said: str) -> None:
    assert one(begin(JOB).say(said), VariationShown).changes


def test_a_time_asked_of_a_serving_job_or_of_an_assumed_run_is_about_that_job(begin: Begin) -> None:
    assert "A service has no end" in _said(begin("serve llama 3.3 70b on 32 h100s").say("can we do it in two weeks?"))
    conversation = begin("finetune llama 3.1 8b on 16 H100")
    takes = figures.hours(_best(conversation).run_hours)
    assert takes in _said(conversation.say("can we do it in 1 day?"))


def test_the_price_at_which_another_network_ties_follows_from_the_plans_own_figures(begin: Begin) -> None:
    conversation = begin(JOB, "100B tokens")
    best, other = _best(conversation), next(c for c in conversation.plan.candidates if c.fabric == "aws-efa-v2")
    ties = best.gpu_usd_per_hour * best.run_hours / other.run_hours
    assert f"({figures.usd(ties)} instead of {figures.usd(other.gpu_usd_per_hour)})" in _said(
        conversation.say("what would it take for efa to win?")
    )


def test_a_deadline_that_is_stated_or_tried_is_no_question(library: Library) -> None:
    assert understood("can we do it in two weeks?", library).of_plan == "in-time"
    for said in (
        "we have two weeks",
        "what if we had two weeks",
        "could you set the deadline to 3 weeks",
        "would a 2 week outage matter?",
    ):
        assert understood(said, library).of_plan != "in-time", said
    for said in ("do we have 14 days?", "can we do it in two weeks on 128 GPUs"):
        assert understood(said, library).of_plan != "in-time", said


def test_whatever_the_handbook_says_can_be_said_is_understood(
    begin: Begin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, some: Callable[..., Any]
) -> None:
    monkeypatch.chdir(tmp_path)  # "save as md" writes a file
    page = (Path(__file__).parents[1] / "knowledge" / "handbook" / "conversation.md").read_text(encoding="utf-8")
    serving, saying = (
        "requests per second",
        [
            text
            for text in re.findall(r"`([^`\n]+)`", page)
            if not text.startswith(("weft ", "export", "quit", "json", "html", "yaml"))
        ],
    )
    assert len(saying) > 40
    conversation = begin("serve llama 3.3 70b on 32 h100s")
    for text in [text for text in saying if serving in text or "latency" in text]:
        assert not [e for e in conversation.say(text) if isinstance(e, Failure)], text
    conversation = begin(JOB, "three months", "we own the machines", "budget 2M")
    for text in some([text for text in saying if serving not in text and "latency" not in text], 3):
        failed = [
            e
            for e in conversation.say(text)
            if isinstance(e, Failure) or (isinstance(e, Answer) and (e.answer is None or not e.answer.answered))
        ]
        assert not failed, (text, failed)


@pytest.mark.parametrize(
    ("asked", "field", "values"),
    [
        ("64 or 128 GPUs?", "cluster.gpus", (64, 128)),
        ("what would you recommend, 64 or 128?", "cluster.gpus", (64, 128)),
        ("H100 or H200?", "cluster.gpu", ("h100-sxm", "h200-sxm")),
        ("should we rent or buy?", "budget.mode", ("rent", "buy")),
        ("compare 64 and 128 GPUs", "cluster.gpus", (64, 128)),
        ("aws or coreweave?", "cluster.provider", ("aws", "coreweave")),
    ],
)
def test_a_question_between_values_plans_each_and_takes_none(
    begin: Begin, asked: str, field: str, values: tuple[object, ...]
) -> None:
    conversation = begin(JOB)
    said, before = _said(conversation.say(asked)), conversation.draft.fields
    assert conversation.draft.fields == before == begin(JOB).draft.fields and conversation.variation is None
    for value in values:
        other = begin(JOB)
        other.say(f"what if {value}" if field != "cluster.gpus" else f"what if {value} GPUs")
        plan = other.variation.plan if other.variation else other.plan
        best = next(c for c in plan.candidates if c.fabric == plan.recommendation.fabric)
        assert figures.usd(best.cost_usd.p50) in said, value


def test_the_years_behind_which_renting_or_buying_is_asked_are_those_of_the_comparison(begin: Begin) -> None:
    said = _said(begin(JOB).say("for two years, rent or buy?"))
    assert "for 24 months of full use" in said and "amortisation: 24 months" in said


def test_two_networks_are_still_compared_point_by_point(begin: Begin) -> None:
    assert {one(begin(JOB).say("roce or infiniband?"), Comparison).left} == {"roce-v2-400"}


def test_whether_what_is_tried_is_better(begin: Begin) -> None:
    conversation = begin(JOB)
    changed = one(conversation.say("what if 128 GPUs"), VariationShown).changes
    assert one(conversation.say("is that cheaper?"), Note).items == changed


@pytest.mark.parametrize("said", ["hello", "thanks!", "thank you very much", "great"])
def test_a_polite_word_is_no_failure_and_changes_nothing(begin: Begin, said: str) -> None:
    conversation = begin(JOB)
    plan = conversation.plan
    assert not [e for e in conversation.say(said) if isinstance(e, Failure)] and conversation.plan is plan


def test_what_is_said_of_a_served_model_in_the_words_of_training_counts(begin: Begin) -> None:
    conversation = begin("serve deepseek v3 in fp8 on 8 H200")
    assert (
        conversation.draft.fields["inference.precision"] == "fp8"
        and conversation.plan.recommendation.verdict == "no-network-needed"
    )
    shown = one(conversation.say("what if bf16?"), VariationShown)
    assert shown.plan.recommendation.verdict == "infeasible", "in two bytes the weights do not fit"
    assert "it does not belong to inference" in " ".join(
        one(conversation.say("megatron, answers of 800 tokens"), Understood).assumed
    )
    assert conversation.draft.fields["inference.output_tokens"] == 800


def test_a_provider_that_is_denied_is_taken_back(begin: Begin) -> None:
    conversation = begin(JOB, "on AWS", "not AWS")
    assert (
        "cluster.provider" not in conversation.draft.fields and conversation.plan.recommendation.fabric != "aws-efa-v2"
    )
    assert "cluster.provider" not in begin(JOB, "on coreweave", "any provider").draft.fields


def test_how_long_something_is_in_use_a_day_is_not_how_long_the_run_takes(begin: Begin) -> None:
    conversation = begin(JOB)
    before = conversation.draft.fields
    conversation.say("8 hours a day")
    assert conversation.draft.fields == before


def test_machines_that_become_bought_are_told_by_what_is_paid_and_keep_what_is_said_of_electricity(
    begin: Begin,
) -> None:
    conversation = begin(f"{JOB}, 100B tokens")
    shown = one(conversation.say("buy them"), PlanShown)
    first, second = shown.changes[:2]
    assert re.match(r"Cost: \$[\d,]+ for the run → \$[\d.]+ M to buy; \$[\d,]+ a month\.$", first)
    assert "its share of a purchase in full use is $" in second and ", its rent $" in second
    for said in ("electricity costs 0.19 EUR per kWh", "electricity: 0.19 EUR/kWh"):
        asked = one(conversation.say(said), Question)
        assert asked.field == "budget.electricity_usd_per_kwh" and asked.choices[0].label == "$0.2141 per kWh"
    conversation.say("yes")
    assert conversation.draft.fields["budget.electricity_usd_per_kwh"] == pytest.approx(0.2141, abs=1e-4)
    told = one(conversation.say("compare Lambda and Voltage Park"), Note)
    lines = [line for line in told.items if "provider: " in line]
    assert len(lines) == 2 and all("rented" in line and "per GPU-hour" in line for line in lines)
    assert any("The plan buys its own" in item for item in told.items)


def test_all_that_a_message_leaves_in_doubt_is_asked_one_after_the_other(begin: Begin) -> None:
    conversation = begin("70B on 64 H100, budget 50k euros, two weeks")
    assert conversation.question.field == "budget.usd"
    length = one(conversation.say("yes"), Question)
    assert length.field == "training.days" and len(length.choices) == 2
    conversation.choose("training.days")
    assert {"budget.usd": 56_345, "training.days": 14}.items() <= conversation.draft.fields.items()
    left = begin("70B on 64 H100, budget 50k euros, two weeks", "not sure", "not sure")
    assert "budget.usd" not in left.draft.fields and left.question.field == "workload"
