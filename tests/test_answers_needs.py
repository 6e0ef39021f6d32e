"""Whether a network is needed, enough or worth it: yes means what the question meant, for every network named."""

from __future__ import annotations

import pytest

from assistant.answering import computed_answer
from assistant.conversation import Conversation
from assistant.conversation.events import Note
from assistant.conversation.searching import understood
from assistant.library import Library, load
from assistant.vocabulary.answers import Computed

JOB = "llama 3.1 8b with fsdp on 16 H100"


@pytest.fixture(scope="module")
def library() -> Library:
    return load()


def needed(question: str, library: Library) -> Computed:
    found = computed_answer(understood(question, library), library)
    assert found is not None and found.computed.kind == "need", question
    return found.computed


def lags(found: Computed, fabric: str) -> float:
    """How many times the fastest network's step a step over ``fabric`` takes, by the answer's own figures."""
    steps = {
        figure.name.removeprefix("step time, "): figure.value
        for figure in found.figures
        if figure.name.startswith("step time")
    }
    return steps[fabric] / min(steps.values())


@pytest.mark.parametrize(
    ("called", "fabric"),
    [
        ("EFA", "aws-efa-v2"),
        ("InfiniBand HDR", "infiniband-hdr-200"),
        ("Spectrum-X", "spectrum-x-400"),
        ("RoCE", "roce-v2-400"),
        ("Ultra Ethernet", "ultra-ethernet-400"),
        ("InfiniBand", "infiniband-ndr-400"),
        ("Ethernet", "ethernet-tcp-100"),
        ("25 GbE", "ethernet-tcp-25"),
    ],
)
def test_a_network_is_enough_exactly_when_a_step_over_it_is_hardly_longer(called, fabric, library):
    found = needed(f"Is {called} enough for {JOB}?", library)
    assert found.text.startswith("Yes, " if lags(found, fabric) <= 1.05 else "No, ")
    better = needed(f"Do I need more than {called} for {JOB}?", library)
    assert better.text.startswith("No: " if lags(found, fabric) <= 1.05 else "Yes: ")


@pytest.mark.parametrize("called", ["Spectrum-X", "InfiniBand", "EFA"])
def test_a_network_that_another_one_replaces_is_not_needed_and_the_other_is_named(called, library):
    found = needed(f"Does {JOB} need {called}?", library)
    assert (
        found.text.startswith("No: ")
        and lags(found, "roce-v2-400") <= 1.05
        and "RoCE v2 400 Gb/s does as well" in found.text
    )


def test_what_can_be_left_out_is_what_is_not_needed(library):
    assert needed(f"Do I need RDMA for {JOB}?", library).text.startswith("Yes: ")
    assert needed(f"Can {JOB} do without RDMA?", library).text.startswith("No: ")
    assert needed(f"Can we get away without InfiniBand for {JOB}?", library).text.startswith("Yes: ")


@pytest.mark.parametrize("question", [f"Is RoCE not enough for {JOB}?", f"Isn't RoCE enough for {JOB}?"])
def test_a_question_put_negatively_gets_neither_yes_nor_no(question, library):
    assert needed(question, library).text.startswith("RoCE v2 400 Gb/s is enough.")


def test_each_network_named_gets_its_verdict(library):
    found = needed("Is 10 GbE or 100 GbE enough for llama-3.1-8b on 16 H100?", library)
    for fabric, name in (("ethernet-tcp-10", "Ethernet 10 Gb/s"), ("ethernet-tcp-100", "Ethernet 100 Gb/s")):
        assert (f"{name}, TCP sockets is not enough" in found.text) is (lags(found, fabric) > 1.05)
    both = needed(f"Do I need InfiniBand for {JOB}, or is Ethernet enough?", library)
    assert not both.text.startswith(("Yes", "No")) and "Ethernet 100 Gb/s, TCP sockets is not enough" in both.text


def test_inside_one_node_every_network_is_enough_and_none_is_needed(library):
    assert needed("Is Ethernet enough for llama-3.1-8b on 8 H100?", library).text.startswith("Yes: ")
    assert needed("Do I need InfiniBand for llama-3.1-8b on 8 H100?", library).text.startswith("No: ")


@pytest.mark.parametrize(
    "question",
    [
        "Is Ethernet enough for llama-3.1-405b on 8 H100?",
        "Can llama-3.1-405b run on 8 H100",
        "Can llama-3.1-405b be trained on 16 H100 over RoCE?",
    ],
)
def test_what_does_not_fit_is_told_so_before_any_network(question, library):
    text = computed_answer(understood(question, library), library).computed.text
    assert "not fit" in text and not text.startswith("Yes")


@pytest.mark.parametrize(
    ("question", "opens"),
    [
        ("do we need InfiniBand?", "Not for its speed"),
        ("is ethernet enough?", "Hardly"),
        ("do we need RDMA?", "Yes, a fast network"),
    ],
)
def test_in_a_conversation_it_is_asked_of_the_plan_and_answered_in_short(question, opens, library):
    talk = Conversation(library)
    talk.start()
    talk.say(f"pretrain {JOB}, sequence length 8k, global batch 256")
    [said] = [event for event in talk.say(question) if isinstance(event, Note)]
    assert said.text.startswith(opens) and "InfiniBand NDR 400 Gb/s" in " ".join((said.text, *said.items))


@pytest.mark.parametrize(
    "question",
    ["Do large clusters need InfiniBand?", "Is RDMA required for inference?", "Do most clouds need Ethernet?"],
)
def test_a_general_question_is_not_taken_for_one_about_the_job_told_before(question, library):
    told = {"model": "llama-3.1-8b", "cluster.gpu": "h100-sxm", "cluster.gpus": 16, "workload": "pretraining"}
    assert computed_answer(understood(question, library, told), library, told=told) is None


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("will i need infiniband to train it?", "needed"),
        ("can it run over ethernet?", "enough"),
        ("is roce worth it?", "worth"),
        ("can we skip infiniband?", "left-out"),
        ("do we need anything better than ethernet?", "too-little"),
        ("is infiniband needed or is roce enough?", "unclear"),
        ("don't we need infiniband?", "unclear"),
    ],
)
def test_what_a_yes_would_mean(text, meant, library):
    assert understood(text, library).roles["stance"] == meant


@pytest.mark.parametrize("called", ["a 7B fine-tune", "fine tuning 7B"])
def test_fine_tuning_is_no_word_for_enough(called, library):
    found = needed(f"do I need InfiniBand for {called} on 2 nodes?", library)
    assert found.text.startswith("No: RDMA is needed, InfiniBand is not") and lags(found, "ethernet-tcp-100") > 1.05


def test_a_job_of_ours_without_a_size_is_answered_for_a_usual_one_and_says_so(library):
    found = needed("can I train 70B over 25 GbE?", library)
    assert found.text.startswith("No, ") and "how many was not said" in found.text
    assert "cluster.gpus" in {one.field for one in found.assumptions}
    assert needed("can we fine-tune a 13B model over 100GbE?", library).text.startswith("No, ")


def test_a_job_of_nobody_without_a_size_is_left_to_the_search(library):
    assert computed_answer(understood("is InfiniBand needed to train 70B?", library), library) is None


def test_the_bandwidth_a_node_needs_is_that_of_a_network_over_which_a_step_is_hardly_longer(library):
    found = computed_answer(
        understood("what bandwidth per node does a 70B pretraining on 64 H100 need?", library), library
    ).computed
    steps = {
        one.name.removeprefix("step time, "): one.value for one in found.figures if one.name.startswith("step time")
    }
    enough = found.figures[0].formula.split(" × ")[1].split(",")[0]
    fabric = next(one.id for one in library.catalog.fabrics.values() if one.name == enough)
    assert found.unit == "Gb/s" and steps[fabric] <= 1.05 * min(steps.values())
    assert all(step > 1.05 * min(steps.values()) for name, step in steps.items() if "tcp" in name)


def test_serving_inside_one_node_needs_no_network_and_over_several_is_left_to_the_search(library):
    assert needed("is 100 GbE enough for inference of llama 3.1 70b on 8 H100?", library).text.startswith("Yes: ")
    assert needed("do I need InfiniBand to serve llama 3.1 8b on 1 H100?", library).text.startswith("No: ")
    assert (
        computed_answer(understood("do I need InfiniBand to serve llama 3.1 405b on 16 H100?", library), library)
        is None
    )


def test_prefill_and_decode_apart_need_rdma_and_not_infiniband(library):
    found = computed_answer(understood("does prefill/decode split need InfiniBand", library), library)
    assert found is not None and found.computed.kind == "prefill-decode"
    assert found.computed.text.startswith("RDMA is needed, InfiniBand is not")
    used = {one.name: one.value for one in found.computed.figures}
    assert used["link used, ethernet-tcp-100"] > 100 > 20 * used["link used, roce-v2-400"] > 0


def test_tensor_parallel_over_two_nodes_is_timed_on_the_network_named(library):
    found = computed_answer(understood("TP16 across two nodes over 100 GbE?", library), library)
    assert found is not None and found.computed.text.startswith("No: TP 16")
    assert found.computed.figures[0].value > 4 * found.computed.figures[-1].value
