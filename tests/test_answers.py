"""What a user relies on when asking for a number or a fact: the right sum, its assumptions, verdicts, dates and
disagreement."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.answering import KINDS, answer_many, computed_answer
from assistant.conversation import Conversation
from assistant.conversation.events import Answer as Said
from assistant.conversation.searching import understood
from assistant.conversation.wording import lines
from assistant.library import Library, load
from assistant.present.answers import answer_lines
from assistant.retrieval import Index, open_index
from assistant.vocabulary.answers import Answer, Computed
from assistant.vocabulary.contracts import schema_of
from tests.labels import labels
from tests.program import weft

ROOT = Path(__file__).parents[1]
GB, GIB = 1e9, 2.0**30
NDR_NODE, TCP_100 = 8 * 50e9, 12.5e9  # bytes/s of a node of eight 400 Gb/s adapters, and of one 100 Gb/s adapter


@pytest.fixture(scope="module")
def search(library: Library, index: Index) -> Callable[[str], Answer]:
    return lambda question: answer_many([(None, understood(question, library))], library, lambda: index)[0]


def computed(question: str, library: Library, kind: str) -> Computed:
    found = computed_answer(understood(question, library), library)
    assert found is not None, f"not computed: {question}"
    assert found.answered and found.computed.kind == kind
    return found.computed


def value(found: Computed, name: str) -> float:
    """The one figure whose name contains ``name``."""
    [one] = [figure for figure in found.figures if name in figure.name]
    return one.value


# How long is a collective: the bound is exact, the expectation lies above it

COLLECTIVES = [
    ("how long is the all-reduce of 70B over 100 GbE on 8 nodes?", 2 * 7 / 8 * 140 * GB / TCP_100),
    ("How long does an all-reduce of 70B take on 8 nodes with NDR InfiniBand?", 2 * 7 / 8 * 140 * GB / NDR_NODE),
    ("how long is an all-reduce of 405B on 16 nodes over 400G InfiniBand", 2 * 15 / 16 * 810 * GB / NDR_NODE),
    ("all-reduce of 1 GiB on 4 nodes of 8 H100 with NDR", 2 * 3 / 4 * GIB / NDR_NODE),
    ("all reduce of 1 GB on 2 nodes of 8 H100 with NDR: how many milliseconds?", GB / NDR_NODE),
    ("allredcue of 70B over 100GbE on 8 nodes, how long?", 2 * 7 / 8 * 140 * GB / TCP_100),
    ("how long does the gradient sync of 7B take on 4 nodes over infinband ndr", 2 * 3 / 4 * 14 * GB / NDR_NODE),
    ("reduce-scatter of 2 GB on 2 nodes over RoCE 400", 7 / 8 * 2 * GB / 450e9),  # NVLink is narrower here
    ("reduce-scatter of 2 GB on 8 nodes over 200G RoCE, how long?", 7 / 8 * 2 * GB / (8 * 25e9)),
    ("how long does an all-gather of 16 GB take on 4 nodes with 200G InfiniBand?", 3 / 4 * 16 * GB / (8 * 25e9)),
    ("all-to-all of 256 MB over EFA on 4 p5.48xlarge", 3 / 4 * 8 * 0.256 * GB / (32 * 12.5e9)),
    ("all-to-all of 1 GB on 64 H100 with NDR, how long?", 7 / 8 * 8 * GB / NDR_NODE),
    ("p2p transfer of 100 MB over NDR: how long?", 0.1 * GB / 50e9),
    ("how long does it take to send 140 GB over 100GbE?", 140 * GB / TCP_100),
]


@pytest.mark.parametrize(("question", "least"), COLLECTIVES)
def test_a_collective_takes_at_least_its_bytes_over_the_line_rate_and_is_expected_to_take_longer(
    question, least, library
):
    found = computed(question, library, "collective")
    assert found.value == pytest.approx(least, rel=1e-4) and found.unit == "s"
    assert least < value(found, "expected") < 10 * least
    assert "÷" in found.formula and "line rate" in found.text


def test_a_measured_collective_is_expected_about_as_it_was_measured(library):
    """CoreWeave's sample without SHARP and Azure's NDR reach 350 to 390 GB/s of bus bandwidth on eight nodes at 8
    GiB."""
    found = computed("how long is an all-reduce of 8 GiB on 8 nodes of 8 H100 with NDR?", library, "collective")
    measured = 8 * GIB * 2 * 63 / 64 / 370e9
    assert value(found, "expected") == pytest.approx(measured, rel=0.4)


def test_inside_one_node_no_network_is_crossed(library):
    found = computed("time for an all-reduce of 1 GiB inside one node of 8 H100", library, "collective")
    assert found.value == pytest.approx(GIB / 450e9, rel=1e-4)  # the switch adds: every GPU sends the tensor once
    assert "no network is crossed" in found.text


def test_two_networks_are_compared_in_one_answer_and_a_bare_speed_is_taken_as_one_and_said(library):
    found = computed(
        "How long would one all-reduce of 140 GB of gradients take over 400 Gbps versus 100 GbE?", library, "collective"
    )
    assert value(found, "at least, ethernet-tcp-100") == pytest.approx(2 * 7 / 8 * 140 * GB / TCP_100, rel=1e-4)
    assert value(found, "at least, infiniband-ndr-400") == pytest.approx(2 * 7 / 8 * 140 * GB / NDR_NODE, rel=1e-4)
    assert any("400 Gb/s is taken as InfiniBand" in one.why for one in found.assumptions)


def test_the_number_of_adapters_is_as_said_or_the_usual_one_said_as_an_assumption(library):
    usual = computed("how long is an all-reduce of 70B on 8 nodes over NDR?", library, "collective")
    said = computed("how long is an all-reduce of 70B on 8 nodes over NDR with 4 nics per node?", library, "collective")
    assert said.value == pytest.approx(2 * usual.value, rel=1e-4)
    assert {"cluster.nics_per_node", "cluster.gpu"} <= {one.field for one in usual.assumptions}
    assert "cluster.nics_per_node" not in {one.field for one in said.assumptions}


# Sizes


def test_parameters_are_summed_from_the_dimensions(library):
    dense = 80 * (2 * 8192 * 8192 + 2 * 8192 * 1024 + 3 * 8192 * 28672 + 2 * 8192) + 2 * 128256 * 8192 + 8192
    assert computed("How many parameters does llama 3.1 70b have?", library, "parameters").value == pytest.approx(
        dense, rel=1e-5
    )
    mixture = computed("how many parameters has mixtral 8x7b", library, "parameters")
    expert, rest = 3 * 4096 * 14336, 32 * (2 * 4096 * 4096 + 2 * 4096 * 1024 + 4096 * 8) + 2 * 32000 * 4096
    assert mixture.value == pytest.approx(32 * 8 * expert + rest, rel=1e-4)
    assert value(mixture, "active") == pytest.approx(32 * 2 * expert + rest, rel=1e-4)


@pytest.mark.parametrize(
    ("question", "bytes_"),
    [
        ("kv cache of llama 3.1 70b at 128k context", 80 * 2 * 8 * 128 * 2 * 131072),
        ("How big is the KV cache per token of llama 3.1 8b?", 32 * 2 * 8 * 128 * 2),
        ("kv cache per token of deepseek-v3", 61 * (512 + 64) * 2),
        ("how big is the kv cache of llama 3.1 8b for 32k tokens and 16 requests", 32 * 2 * 8 * 128 * 2 * 32768 * 16),
        ("kv cache size of llama 3.1 70b in fp8 for 8k context", 80 * 2 * 8 * 128 * 8192),
    ],
)
def test_the_key_value_cache_is_layers_times_heads_times_bytes(question, bytes_, library):
    assert computed(question, library, "kv-cache").value == pytest.approx(bytes_, rel=1e-4)


def test_training_flops_are_six_times_parameters_times_tokens(library):
    found = computed("how many flops to train llama 3.1 405b on 15T tokens", library, "flops")
    assert found.value == pytest.approx(6 * 405.85e9 * 15e12, rel=1e-3)


@pytest.mark.parametrize(
    ("question", "bytes_"),
    [
        ("traffic per step per node for ZeRO-3 of a 70B model on 64 H100", 3 * 63 / 64 * 140 * GB),
        (
            "how much data per step does data parallel training of a 13B model move between 4 nodes?",
            2 * 31 / 32 * 26 * GB,
        ),
        ("bytes per step per node for fsdp of a 7B model on 16 H100", 3 * 15 / 16 * 14 * GB),
    ],
)
def test_the_bytes_of_a_step_are_passes_over_the_model(question, bytes_, library):
    found = computed(question, library, "traffic")
    assert found.value == pytest.approx(bytes_, rel=2e-3)
    assert "micro-batch" in " ".join(one.why for one in found.assumptions)


# Memory


def test_training_memory_is_sixteen_bytes_per_parameter_and_what_activations_add(library):
    found = computed("how many GPUs do I need to train a 70B model on H100?", library, "memory")
    assert value(found, "weights, gradients, Adam") == pytest.approx(16 * 70e9, rel=1e-4)
    assert value(found, "GPUs at least, training") == 14  # 1,120 GB ÷ 80 GiB, rounded up
    assert found.value >= 14 and found.unit == "GPUs"


def test_what_cannot_fit_does_not_and_what_fits_does(library):
    assert "does not fit" in computed("does llama 3.1 405b fit on 64 H100 for training?", library, "memory").text
    assert "it fits" in computed("does llama 3.1 8b fit on 8 H100 for training?", library, "memory").text
    served = computed("can I serve llama 3.1 405b on 8 H200?", library, "memory")
    assert served.value == pytest.approx(2 * 405.85e9, rel=1e-3) and "it fits" in served.text
    assert "does not fit" in computed("does llama 3.1 405b fit on 8 H100 for inference?", library, "memory").text
    half = computed("does 70B fit on one H100 for inference in fp8", library, "memory")
    # embeddings and head stay in 16 bits
    assert half.value == pytest.approx(72 * GB, rel=0.01) and half.text.endswith("it fits.")


def test_without_a_word_on_training_or_serving_both_are_answered(library):
    found = computed("how much memory does llama 3.1 8b need?", library, "memory")
    assert "Training" in found.text and "Serving" in found.text


# Jobs


def test_the_step_time_of_a_described_job_lies_above_its_arithmetic(library):
    found = computed("step time of llama 70b on 64 h100 with 100GbE", library, "step-time")
    tokens = next(one.value for one in found.assumptions if one.field == "training.global_batch") * 8192
    assert found.value > 6 * 70e9 * tokens / (64 * 989e12)
    assert value(found, "throughput") == pytest.approx(tokens / found.value / 64, rel=1e-3)


def test_the_days_of_a_run_are_tokens_over_throughput(library):
    found = computed("how many days to train llama 3.1 8b on 1T tokens on 256 H100 with NDR?", library, "run-time")
    at_peak = 6 * 8.03e9 * 1e12 / (256 * 989.4e12) / 86400
    assert value(found, "at peak") == pytest.approx(at_peak, rel=1e-3)
    assert found.value == pytest.approx(
        at_peak / 0.42, rel=0.4
    )  # dense models of this size reach about two fifths of peak
    assert value(found, "GPU-hours") == pytest.approx(found.value * 24 * 256, rel=1e-3)


def test_tcp_against_rdma_is_a_factor_where_the_whole_model_is_gathered_every_step(library):
    found = computed("how much slower is TCP than RDMA for qwen2.5-7b with fsdp on 16 H100", library, "slowdown")
    slow, fast = value(found, "step time, ethernet-tcp-100"), value(found, "step time, infiniband")
    assert found.unit == "times" and found.value == pytest.approx(slow / fast, rel=1e-3)
    assert found.value > 3


@pytest.mark.parametrize(
    "job", ["a 7B model with fsdp on 16 H100", "qwen2.5-7b with fsdp and sequence length 4096 on 16 H100"]
)
def test_a_comparison_of_two_networks_keeps_how_the_job_is_split_and_fed(job, library):
    compared = computed(f"how much slower is TCP than RDMA for {job}", library, "slowdown")
    alone = computed(f"step time of {job} over 100GbE", library, "step-time")
    assert value(compared, "step time, ethernet-tcp-100") == pytest.approx(alone.value, rel=1e-6)
    assert "split FSDP" in compared.text


def test_whether_a_job_needs_infiniband_is_answered_yes_or_no_from_the_step_over_each_network(library):
    found = computed("do I need InfiniBand for 7B on 16 H100?", library, "need")
    assert found.text.startswith(("No:", "Yes:")) and "sequences of" in found.text
    assert {"ethernet-tcp-100 ÷", "roce-v2-400 ÷"} <= {figure.name.rsplit(" ", 1)[0] for figure in found.figures[:2]}
    assert "crosses no network" in computed("do I need InfiniBand for llama 3.1 8b on 8 H100?", library, "need").text


def test_where_infiniband_pays_is_computed_beside_each_sources_number(library):
    found = computed_answer(
        understood(
            "from how many GPUs does InfiniBand pay for llama 3.1 8b with fsdp on H100: 16, 32, 64 or 256 GPUs?",
            library,
        ),
        library,
    )
    crossover = found.computed.crossover
    assert found.computed.kind == "crossover" and crossover.rdma_from in {point.gpus for point in crossover.points}
    [conflict] = found.conflicts
    assert conflict.id == "gpu-count-threshold-for-infiniband"
    assert {number.gpus for number in crossover.sources} >= {8, 16, 32, 64, 256}
    text = " ".join(" ".join(answer_lines(found, 80)).split())
    assert "Here, on 8 GPUs: no network is crossed." in text and "What holds:" in text


# Money and parts


@pytest.mark.parametrize(
    ("question", "share"),
    [
        ("is $1 more per GPU hour worth it at $2.50", 1 / 2.5),
        ("what is the break-even slowdown of a $0.19 premium on $2.90 per GPU hour", 0.19 / 2.9),
        ("is an extra $0.50/hr for InfiniBand worth it at $2.10/hr?", 0.5 / 2.1),
    ],
)
def test_a_premium_breaks_even_at_its_share_of_the_price(question, share, library):
    found = computed(question, library, "break-even")
    assert (found.value, found.unit) == (pytest.approx(100 * share, rel=1e-4), "%")
    assert value(found, "share of communication") == pytest.approx(100 * share / (1 + share), rel=1e-4)


@pytest.mark.parametrize(
    ("question", "switches", "cables"),
    [
        (
            "how many switches for 1024 GPUs with NDR InfiniBand",
            48,
            2048,
        ),  # 64 ports: 32 leaf, 16 spine, no oversubscription
        ("how many switches and cables does an InfiniBand NDR fabric for 64 H100s need?", 1, 64),
    ],
)
def test_a_network_is_counted_switch_by_switch(question, switches, cables, library):
    found = computed(question, library, "network")
    assert (found.value, value(found, "cables")) == (switches, cables)
    assert value(found, "price") > 0


# What is no question for a number is never computed

LABELLED = labels(ROOT / "tests" / "questions.yaml")["questions"]
ORDINARY = [question["text"] for question in LABELLED]
# Of the labelled questions these ask for what the model computes; every other one asks what a source says or what
# something is.
ASK_FOR_A_NUMBER = {
    "Does RunPod have InfiniBand?",  # the catalog's offers know
    "Does GCP offer InfiniBand on A3 instances?",  # the same
    "70B fp16 gradient sync volume per step in GB",
    "thoretical all-reduce time for 70B on HDR infinband",
    "How long would one all-reduce of 140 GB of gradients take over 400 Gbps versus 100 GbE?",
    "How much slower is Llama 3.1 70B on 64 H100 over 100GbE than over NDR?",
    "How much gradient data moves per step when training Llama 3.1 405B on 8 nodes?",
    "How many seconds does a 405B all-reduce take on NDR and on 100GbE?",
    "What does an InfiniBand fabric for 64 H100s cost in switches, cards and cables?",
    "Which NCCL environment variables should I set on InfiniBand?",
    "spot $0.99/hr 32 GPUs 11.5 days total",
}


def test_of_hundreds_of_ordinary_questions_only_those_for_a_number_are_computed(library, some):
    assert len(ORDINARY) >= 60 + len(ASK_FOR_A_NUMBER)
    tried = {*ASK_FOR_A_NUMBER, *some(sorted(ORDINARY), 3)}
    assert {text for text in tried if computed_answer(understood(text, library), library)} == ASK_FOR_A_NUMBER


@pytest.mark.parametrize(
    "question",
    [
        "What is an all-reduce?",
        "why is the all-reduce of 70B slow over 100 GbE?",
        "Who measured all-reduce on 8 nodes of H100?",
        "What all-reduce time does the article give for 405B over NDR?",
        "we train llama 3.1 70b on 64 H100 over 100GbE, all-reduce in bf16",
        "Should I use FSDP or DDP for llama 3.1 70b on 64 H100?",
        "Which network do I need for llama 3.1 70b on 64 H100?",
        "How much faster is 8 nodes than 4 nodes for the 72B model with InfiniBand?",
        "how long is a piece of string",
        "does LoRA fine-tuning of llama 3.1 70b fit on 8 H100?",
        "how many GPUs did Meta use for llama 3.1 405b?",
        "64 H100",
        "llama 3.1 70b, 8k context",
        "$2.50 per GPU hour",
        "",
    ],
)
def test_what_asks_for_no_number_of_ours_is_left_to_the_search(question, library):
    assert computed_answer(understood(question, library), library) is None


def test_what_is_missing_altogether_is_not_made_up(library):
    assert (
        computed_answer(understood("how long does an all-reduce take over 100 GbE on 8 nodes?", library), library)
        is None
    )
    assert computed_answer(understood("what is the step time of my model on 64 H100?", library), library) is None
    assert computed_answer(understood("from how many GPUs does InfiniBand pay?", library), library) is None


def test_a_job_that_cannot_be_is_left_to_the_search(library):
    assert (
        computed_answer(understood("step time of llama 3.1 70b on 64 H100 with tp 7 over NDR", library), library)
        is None
    )


def test_what_was_misspelt_is_said(library):
    found = computed("allredcue of 70B over 100GbE on 8 nodes, how long?", library, "collective")
    assert any('"allredcue" is read as' in one.why for one in found.assumptions)


# Answers from claims


def test_a_withdrawn_statement_never_leads_and_says_so_with_what_holds(search):
    found = search("Is plain Ethernet as fast as InfiniBand for FSDP?")
    assert found.computed is None and found.answered
    [withdrawn] = [line for line in found.direct if line.verdict == "withdrawn"]
    assert found.direct[0].verdict == "confirmed" and found.direct.index(withdrawn) > 0
    assert withdrawn.text.startswith("WITHDRAWN:") and "What holds:" in withdrawn.text
    assert found.conflicts[0].id == "withdrawn-azure-ethernet-result"


def test_every_direct_line_names_who_says_it_when_and_our_verdict(search, library):
    for question in (
        "How much slower is RoCE than InfiniBand?",
        "Which switches support SHARP?",
        "What does InfiniBand cost extra?",
    ):
        found = search(question)
        assert any(line.claims for line in found.direct)
        for line in found.direct:
            if (
                not line.claims
            ):  # a passage in its own words: nobody's single claim, so no verdict, but a source and its number
                shown = found.passages[line.passage - 1]
                assert line.verdict is None and f"[{line.passage}]" in line.text
                assert line.source == shown.source and (line.date or "undated") in line.text
                continue
            [claim] = [library.knowledge.claims[name] for name in line.claims]
            source = library.knowledge.sources[claim.source]
            assert claim.statement in line.text and f"Our verdict: {claim.verdict}." in line.text
            assert (source.author or source.publisher or source.title) in line.text
            assert (line.date or "undated") in line.text and claim.evidence_grade in line.text
            assert claim.id in {one["id"] for one in found.passages[line.passage - 1].claims}


def test_the_direct_answer_is_the_same_however_many_passages_are_shown(library, index):
    few, many = (
        answer_many([(None, understood("How close is RoCE to InfiniBand?", library))], library, lambda: index, top)[0]
        for top in (1, 8)
    )
    assert (len(few.passages), len(many.passages)) == (1, 8)
    assert [line.claims for line in few.direct] == [
        line.claims for line in many.direct
    ] and few.conflicts == many.conflicts
    assert all(line.passage in (1, None) and "[2]" not in line.text for line in few.direct)


def test_a_wrong_figure_stands_beside_ours(search):
    found = search("How long does a 405B all-reduce take on NDR according to the guide?")
    [line] = [line for line in found.direct if line.verdict == "approximate" and "28" in line.text][:1]
    assert "Recomputed:" in line.text or "What holds:" in line.text


def test_who_gains_from_a_statement_is_said(search):
    found = search("From how many GPUs of synchronous data parallelism does InfiniBand pay off?")
    vendors = [line for line in found.direct if line.source.startswith("spheron")]
    assert vendors and "Interest: Spheron" in vendors[0].text


@pytest.mark.parametrize(
    ("question", "conflict"),
    [
        ("16, 32, 64 or 256 GPUs: when do I need InfiniBand?", "gpu-count-threshold-for-infiniband"),
        ("How do I disable InfiniBand in NCCL?", "why-ib-disable-did-not-disable"),
        ("How close is RoCE to InfiniBand?", "roce-against-infiniband"),
        ("what does InfiniBand cost extra?", "infiniband-premium"),
    ],
)
def test_where_sources_disagree_each_side_is_named_with_its_verdict_and_what_holds(question, conflict, search, library):
    first = search(question).conflicts[0]
    known = library.knowledge.conflicts[conflict]
    assert first.id == conflict and first.resolution == known.resolution
    assert [(side.claim, side.verdict) for side in first.sides] == [
        (side.claim, library.knowledge.claims[side.claim].verdict) for side in known.sides
    ]


def test_where_nobody_disagrees_no_disagreement_is_told(search):
    assert not search("What does SHARP do?").conflicts
    assert not search("What does rail-optimized mean?").conflicts


def test_what_nobody_here_knows_is_said_with_what_is_nearest(search):
    found = search("What is the best pizza in Naples?")
    assert not found.answered and not found.direct and not found.conflicts
    text = answer_lines(found, 80)
    assert text[0] == "The knowledge base does not answer this." and "Nearest:" in text
    assert any(line.startswith("[1]") for line in text)


def test_where_only_a_wrong_statement_is_near_what_holds_comes_first(search):
    for question in (
        "Did InfiniBand beat RoCE in MLPerf?",
        "Is InfiniBand mandatory above 256 GPUs?",
    ):
        first = search(question).direct[0]
        assert first.text.startswith("What holds:") and f"{first.verdict.upper()}:" in first.text


@pytest.mark.parametrize(
    ("question", "opens"),
    [
        ("what is rail-optimized?", "rail-optimised topology:"),
        ("what does SHARP do?", "SHARP:"),
        ("what is an incast?", "incast:"),
        ("explain RoCE to me", "RoCE v2:"),
        ("what does ECMP mean?", "ECMP:"),
    ],
)
def test_a_question_for_a_meaning_is_opened_by_the_glossary_with_its_source(question, opens, search):
    first = search(question).direct[0]
    assert first.text.startswith(opens) and "Glossary, after" in first.text and first.claims


# On every surface


def test_lines_fit_into_80_columns_and_the_direct_answer_stands_above_the_passages(search, library):
    for question in ("how long is the all-reduce of 70B over 100 GbE on 8 nodes?", "How close is RoCE to InfiniBand?"):
        text = answer_lines(search(question), 80)
        assert max(map(len, text)) <= 80
        rule = text.index("─" * 80)
        assert any("What holds" in line for line in text[:rule]) and text[rule + 1].startswith("[1] ")


def test_a_batch_keeps_its_order_and_answers_as_single_questions_do(library, index, search):
    asked = [
        ("b", "What is tail latency?"),
        ("a", "how long is the all-reduce of 70B over 100 GbE on 8 nodes?"),
        ("c", ""),
        (None, "capital of France"),
    ]
    answers = answer_many([(name, understood(text, library)) for name, text in asked], library, lambda: index)
    assert [answer.id for answer in answers] == ["b", "a", "c", None]
    assert [answer.computed is not None for answer in answers] == [False, True, False, False]
    for (_, question), answer in zip(asked, answers, strict=True):
        assert not question or answer.model_copy(update={"id": None}) == search(question)


def test_an_index_is_opened_only_when_something_must_be_searched(library):
    def never() -> Index:
        raise AssertionError("opened")

    [answer] = answer_many([(None, understood("how many parameters has mixtral 8x7b?", library))], library, never)
    assert answer.computed.kind == "parameters" and answer.passages


def test_the_conversation_answers_as_the_command_does(library, search):
    question = "how long is the all-reduce of 70B over 100 GbE on 8 nodes?"
    talk = Conversation(library)
    talk.start()
    [said] = [event for event in talk.say(question) if isinstance(event, Said)]
    assert said.answer == search(question)
    assert said.answer.computed.text in " ".join(" ".join(lines(said, 80)).split())
    assert talk.draft.fields == {} and talk.question is not None


def _in_full(talk, question):
    """Beside a plan a computed answer is told in short; "more" shows it with its formula and what was assumed."""
    [short], [said] = talk.say(question), [event for event in talk.say("more") if isinstance(event, Said)]
    assert len(lines(short, 80)) <= 5
    return said.answer.computed


def test_in_a_conversation_what_was_said_before_fills_the_question_and_changes_nothing(library):
    talk = Conversation(library)
    talk.start()
    talk.say("pretrain llama 3.1 8b on 16 H100")
    before = dict(talk.draft.fields)
    found = _in_full(talk, "how long is the all-reduce over 100 GbE?")
    assert found.value == pytest.approx(2 * 1 / 2 * 2 * 8.03e9 / TCP_100, rel=1e-3)
    assert {one.field for one in found.assumptions if "conversation" in one.why} >= {"model", "cluster.gpus"}
    assert talk.draft.fields == before


def test_a_network_that_was_decided_is_the_one_a_later_question_means(library):
    talk = Conversation(library)
    talk.start()
    talk.say("pretrain llama 3.1 8b on 16 H100, we have 100 gig ethernet")
    found = _in_full(talk, "how long is the all-reduce?")
    assert "Ethernet 100 Gb/s" in found.text
    assert not any("no network named" in one.why for one in found.assumptions)


@pytest.mark.parametrize(
    "text",
    [
        "how long is the all-reduce of 70B over \x1b[31m100 GbE\x1b[0m on 8 nodes?",
        "how long is the all-reduce of 70B over 100 GbE on 8 nodes?\x00",
        "how long is the\r\nall-reduce of 70B over 100 GbE on 8 nodes?",
        "how long is the \x1b]0;title\x07all-reduce of 70B over 100 GbE on 8 nodes?",
    ],
)
def test_control_characters_are_shown_and_never_obeyed(text, library):
    found = computed_answer(understood(text, library), library)
    assert found is not None and found.question.isprintable()
    assert all(line.isprintable() for line in answer_lines(found, 80))


def test_markup_in_a_question_is_text(library):
    found = computed_answer(
        understood("how long is the all-reduce of 70B over 100 GbE on 8 nodes? [bold]&<b>", library), library
    )
    assert found.question.endswith("[bold]&<b>")


def test_the_command_prints_json_with_the_sum_and_its_inputs():
    run = weft("ask", "is $1 more per GPU hour worth it at $2.50", "--format", "json")
    found = json.loads(run.out)
    assert run.code == 0 and found["answered"] and found["direct"] == []
    assert found["computed"]["kind"] == "break-even" and found["computed"]["value"] == pytest.approx(40)
    assert found["computed"]["inputs"] == {"premium_usd_per_gpu_hour": 1, "gpu_usd_per_hour": 2.5}
    assert found["conflicts"][0]["id"] == "infiniband-premium" and found["passages"]


def test_the_command_answers_a_batch_line_by_line(tmp_path):
    asked = tmp_path / "questions.jsonl"
    asked.write_text(
        '{"id": "1", "text": "kv cache per token of deepseek-v3"}\n{"id": "2", "text": "how many parameters has '
        'mixtral 8x7b"}\n'
    )
    run = weft("ask", "--batch", str(asked), "--format", "jsonl")
    answers = [json.loads(line) for line in run.out.splitlines()]
    assert [(one["id"], one["computed"]["kind"]) for one in answers] == [("1", "kv-cache"), ("2", "parameters")]


def test_the_schema_of_an_answer_knows_what_is_computed():
    properties = schema_of("answer")["properties"]
    assert {"direct", "computed", "conflicts", "passages", "answered"} <= set(properties)


PAGE = (ROOT / "knowledge" / "handbook" / "asking.md").read_text(encoding="utf-8")


def test_every_kind_of_computation_is_in_the_handbook_with_a_question_that_is_computed(library):
    rows = dict(re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", PAGE, re.M))
    assert list(rows) and set(rows) == set(KINDS)
    for kind, question in rows.items():
        computed(question.split(" – ")[0], library, kind)


def test_what_the_handbook_shows_is_what_is_answered(library, index):
    """Written anew by weft handbook asking --write."""
    shown = re.findall(r'^\$ weft ask "([^"]+)" --top 1\n(.*?)^```', PAGE, re.M | re.S)
    assert len(shown) == 2
    for question, text in shown:
        [answer] = answer_many([(None, understood(question, library))], library, lambda: index, 1)
        assert text.splitlines() == answer_lines(answer, 80)


def test_settings_for_a_network_that_a_provider_has_not_come_with_those_it_has(library):
    found = computed_answer(understood("NCCL env for RoCE on Azure", library), library)
    said = " ".join(answer_lines(found, 200))
    assert said.startswith("Microsoft Azure lets no machines with RoCE: it has InfiniBand NDR")
    assert "NCCL_TOPO_FILE" in said and "--fabric infiniband-ndr-400 --provider azure" in said
