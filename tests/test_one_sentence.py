"""A job in one sentence on the command line, and a questionnaire from a pipe: the card comes back, with what was
assumed and what was not understood."""

from __future__ import annotations

import io
import json
import sys

import pytest

from .program import weft

QUESTIONNAIRE = "workload: pretraining\nmodel: llama-3.1-8b\ncluster: {gpu: h100-sxm, gpus: 16}\n"


@pytest.fixture
def piped(monkeypatch):
    """``weft ARGUMENTS`` with a text on standard input."""

    def run(text, *arguments):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
        return weft(*arguments)

    return run


def _flat(text):
    return " ".join(text.split())


def test_a_sentence_gives_the_card_and_what_was_taken_and_assumed():
    seen = weft("70B on 64 H100, two weeks, Lambda")
    first, text = seen.out.splitlines()[0], _flat(seen.out)
    assert seen.code == 0 and first.startswith("Rent 64 NVIDIA H100 SXM5 80 GB at Lambda")
    for part in ("Cost:", "Done in 14", "Because:", "Changes if", "Certainty:"):
        assert part in text
    assert "Understood: parameters: 70 billion; GPU: NVIDIA H100 SXM5 80 GB; GPUs: 64; provider: Lambda." in text
    assert "length of the run: 14 days (deadline: 14 days may be meant instead)." in text
    assert "workload: pretraining (the sentence does not say)." in text and "sequence length: 8192" in text
    assert "price of InfiniBand NDR on top" in text and "infiniband-ndr-400" not in text


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("pretrain an MoE with 64 experts, 100B parameters, 1T tokens on 512 B200", "to use 8 of the 64 experts"),
        ("pretrain 8B on 500B tokens on 64 H100, 100 Gb/s line between the sites", "sites is taken to join two"),
    ],
)
def test_what_nobody_said_of_experts_and_sites_is_said_to_be_taken(sentence, said):
    """It stood among what was understood, and nowhere else."""
    assert said in _flat(weft(sentence).out).partition("Taken, because nobody could be asked:")[2]


@pytest.mark.parametrize(
    ("sentence", "card", "answer"),
    [
        (
            "pretrain 13b on 2T tokens, we own 12 nodes of 8 A100 with 100GbE, is that enough?",
            "Keep Ethernet 100 Gb/s, TCP sockets for the 96",
            "Hardly: it runs, but slowly: on Ethernet 100 Gb/s a step takes",
        ),
        (
            "LoRA llama 3.1 70b on 16 H100 at CoreWeave, 300M tokens, what does it cost per million tokens?",
            "Rent 16 NVIDIA H100 SXM5 80 GB at CoreWeave",
            " per million tokens",
        ),
        (
            "serve llama 70b for 200 users at 30 tokens/s on H200, do we need infiniband?",
            "Rent ",
            "No special network is needed.",
        ),
    ],
)
def test_what_is_asked_with_a_job_is_answered_from_its_plan(sentence, card, answer):
    """ "100 GbE is not enough, RoCE is" stood above a plan that bought another network than the one that is there."""
    told = _flat(weft(sentence).out)
    assert told.startswith(card) and answer in told and "Not understood" not in told


def test_what_somebody_else_asks_is_a_quote_and_a_model_beside_quotes_is_taken_by_its_size():
    """ "Someone else RoCE at 2.05" was what others have, and "8B" was left where no plan is without a model."""
    told = _flat(weft("64 H100, someone else RoCE at 2.05, Lambda 2.60 InfiniBand, 8B on 1T tokens").out)
    assert told.startswith("Rent 64 NVIDIA H100 SXM5 80 GB as in quote 1, with RoCE v2 400 Gb/s.")
    assert "parameters: 8 billion" in told and "Lambda, InfiniBand NDR 400 Gb/s, $2.60 per GPU-hour" in told
    assert "Not understood" not in told


def test_a_question_about_a_load_is_answered_without_a_model():
    seen = weft("how many H200 for 200 users at 30 tokens/s")
    told = _flat(seen.out)
    assert seen.code == 0 and told.startswith("Serving Llama 3.1 70B at 200 requests at once")
    assert "model: llama-3.1-70b – not said" in told


@pytest.mark.parametrize(
    ("sentence", "said", "left"),
    [
        ("64 H100 are ours, 8B, 500B tokens, which network do we buy?", "there already: the machines", ""),
        ("which network should we buy for our 64 H100, 8B, 500B tokens, in 30 days", "deadline: 30 days", ""),
        ("I own 64 H100, electricity 0.25 per kWh, 8B, 500B tokens", "electricity: $0.25 per kWh", ""),
        ("we own 64 H100, 8B, 500B tokens, budget for the network 400,000", "budget: $400,000", ""),
        ("we buy 64 H100, 8B, 500B tokens, budget for the network 400,000", "machines: bought", "the network alone"),
    ],
)
def test_a_network_for_machines_of_ones_own_is_bought_and_a_sum_for_it_is_no_budget_of_all(sentence, said, left):
    told = _flat(weft(sentence).out)
    ours = "Buy 64 NVIDIA" not in told and "for the 64 NVIDIA H100 SXM5 80 GB that are there" in told
    assert ours is not bool(left) and said in told.split("Taken, because")[0].split("Understood:")[1]
    assert left in told and ("left open, budget" in told) is bool(left)


@pytest.mark.parametrize(
    ("sentence", "said"),
    [
        ("70B on 4096 GB200 (NVL72 racks)", "GPU: NVIDIA GB200 NVL72; GPUs: 4,096."),
        ("70B on 1152 GB200, NVL72 racks", "GPU: NVIDIA GB200 NVL72; GPUs: 1,152."),
        ("70B on 16 racks of GB200 (NVL72)", "GPU: NVIDIA GB200 NVL72; GPUs: 1,152."),
        ("70B on 4096 GB200 NVL72 racks", "GPUs: 4,096 (294,912 may be meant instead)."),
    ],
)
def test_the_rack_that_a_gpu_comes_in_does_not_multiply_gpus(sentence, said):
    assert said in _flat(weft(sentence).out)


def test_machines_that_nobody_says_are_there_are_rented_where_nobody_can_be_asked():
    told = weft("train 405B on 1152 GB200 in NVL72 racks").out
    assert told.startswith("Rent 1,152 NVIDIA GB200 NVL72")
    assert "machines: rented (there already: the machines or machines: bought may be meant instead)" in _flat(told)


def test_of_providers_named_with_or_the_cheapest_that_lets_such_machines_is_taken_and_the_other_is_said():
    told = _flat(weft("fine-tune Llama 3.3 70B on 2B tokens, 32x H200 on lambda or coreweave").out)
    assert "Rent 32 NVIDIA H200 SXM 141 GB at CoreWeave" in told
    assert "provider: CoreWeave (Lambda may be meant instead)" in told


def test_what_learns_from_so_many_tokens_is_no_serving_and_a_range_of_sizes_is_no_workload():
    told = _flat(weft("reproducing an MoE, 8 experts top 2, 1.3B active 5B total, 60B tokens, 8 H100 rented").out)
    assert "inference" not in told and "parameters: 5 billion" in told and "for the run" in told
    told = _flat(weft("continuous training of 3-8B models on 32 B200, rented").out)
    assert "3,000,000,000 or pretraining" not in told


def test_a_sentence_over_its_budget_says_what_would_keep_it():
    text = _flat(weft("rent 64 H100 from Oracle for 70B pretraining, 30 days, no more than 300 thousand dollars").out)
    told, ways = text.split("Each of these was planned and would do: ")
    assert "Rent 40 of the 64" in told and "All 64 take a budget of $463,000 instead of $300,000" in told
    assert ways.startswith("- any provider: $"), "all of them, and all that was to be trained"


def test_a_budget_in_euros_is_taken_at_a_rate_with_its_day(piped):
    text = _flat(piped("pretrain llama 3.1 8b on 16 h100 for 100B tokens, budget €2 M\n", "-").out)
    assert "budget: $2,253,800 (At 1.1269 US dollars for one euro (2026-10-06) it is $2,253,800)" in text


def test_a_sum_in_euros_beside_a_time_drops_neither(piped):
    text = _flat(piped("70B on 64 H100, budget 50k euros, two weeks\n", "-").out)
    assert "Done in 14 days" in text and "nothing that runs" not in text
    assert "- budget: $56,345 (At 1.1269 US dollars" in text
    assert "- length of the run: 14 days (deadline: 14 days may be meant instead)" in text


def test_rent_or_buy_asked_with_a_job_is_answered_beside_its_card(piped):
    text = _flat(piped("is it cheaper to buy 128 H100 than to rent them for pretraining 70B on 2T tokens\n", "-").out)
    card, both = text.split("Buying pays after ")
    assert card.startswith("Rent 128 NVIDIA H100") and "for this run alone rent" in both
    assert "in all: rented $" in both and ", bought $" in both


def test_what_is_not_understood_in_a_sentence_is_said(piped):
    text = _flat(piped("pretrain llama 3.1 8b on 16 h100 in the basement of my uncle\n", "-").out)
    assert text.startswith("Rent 16") and 'Not understood, so not used: "basement of my uncle".' in text


def test_a_sentence_for_a_program_gives_the_plan_as_json():
    plan = json.loads(weft("pretrain llama 3.1 8b on 16 h100", "--format", "json").out)
    assert plan["schema"] == "weft/plan/1" and plan["recommendation"]["card"]["do"].startswith("Rent 16")


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("64 H100 for us",), "expected a job with model"),
        (("pretrain llama 3.1 70b on",), "expected a job with GPU and GPUs"),
        (("LoRA of llama 3.1 8b on 8 GTX 1080 Ti",), '"GTX 1080 Ti" is no GPU of the catalog'),
        (("pretrain llama 3.1 8b on 8 Foobar X900 GPUs",), 'not understood: "Foobar X900"'),
        (("pretrain llama 3.1 8b on 16 h100 with tp 7",), "7"),
        (("70B", "on", "64", "H100"), 'put a sentence in quotes: weft "70B on 64 H100"'),
        (("paln", "job.yaml"), "did you mean weft plan?"),
        (("banana",), 'got "banana": tell the job as in weft "fine-tune'),
        (("",), "a job in a sentence"),
    ],
)
def test_what_cannot_be_planned_is_one_sentence(arguments, told):
    seen = weft(*arguments)
    assert seen.code == 2 and told in seen.err and "Traceback" not in seen.err and not seen.out


def test_nothing_on_standard_input_is_said(piped):
    assert "expected a sentence that tells the job, got nothing" in piped("\n", "-").err


def test_a_questionnaire_from_a_pipe_is_planned(piped):
    seen = piped(QUESTIONNAIRE, "plan", "-")
    assert seen.code == 0 and seen.out.startswith("Rent 16 NVIDIA H100 SXM5 80 GB")


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ('{"workload": "pretraining", "model": "llama-3.1-8b", "cluster": {"gpu": "h100-sxm", "gpus": 16}}', 1),
        ('{"name": "a"}\n{"name": "b"}\n', 2),
        ("[\n{},\n{}]", 2),
        ("workload,model\npretraining,llama-3.1-8b\n", 1),
        (QUESTIONNAIRE + "---\n" + QUESTIONNAIRE, 2),
    ],
)
def test_the_format_of_what_is_piped_is_seen(text, rows, library, monkeypatch):
    from assistant.library.questionnaires import read

    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert len(list(read("-", library.catalog))) == rows


def test_a_mistake_in_what_is_piped_names_its_line(piped):
    seen = piped(QUESTIONNAIRE.replace("16", "many"), "plan", "-")
    assert seen.code == 2 and seen.err.startswith("weft: standard input:3 cluster.gpus: ")


def test_a_limit_in_money_that_has_no_rate_is_said_to_be_kept_by_nothing_before_the_card():
    text = _flat(weft("pretrain 8B on 64 H100 for 30 days, at most CHF 60'000").out)
    assert text.startswith("Not held to a limit that was said: budget: CHF 60'000 is no amount of dollars")


def test_what_is_available_in_millions_is_a_budget_and_no_number_of_gpus():
    """It was refused: "GPUs: expected at most 1e+06, got 2000000"."""
    assert "keeps the budget of $2.00 M" in _flat(weft("buy 64 H100, 13B pretraining, only 2 million available").out)


def test_a_load_that_is_stated_to_ask_is_sized_as_in_a_plan():
    sentence = "Llama 70B on H200, 2,000 prompt, 500 answer, 10 requests/s, TTFT 500 ms, 50 tokens/s per user"
    planned, asked = _flat(weft(sentence).out), json.loads(weft("ask", sentence, "--format", "json").out)["computed"]
    size, month = (next(f["value"] for f in asked["figures"] if f["name"] == name) for name in ("GPUs", "a month"))
    assert asked["kind"] == "load" and planned.startswith(f"Rent {size:.0f} NVIDIA H200")
    cost = planned.split("Cost: $")[1].split()[0].replace(",", "")
    assert month == pytest.approx(float(cost), rel=0.01)


def test_what_is_stated_without_a_load_is_searched_as_before():
    found = json.loads(weft("ask", "Llama 70B on 64 H100 over RoCE", "--format", "json").out)
    assert found["computed"] is None
