"""Questions about NCCL: a variable is answered from what is known of that one, a line of a log from the failures that
are known, "how do I check" by what a log shows."""

from __future__ import annotations

import re

import pytest

from assistant.answering import answer
from assistant.conversation.searching import understood
from assistant.network.nccl.variables import known, meaning, variables_in


@pytest.fixture(scope="module")
def asked(library, index):
    return lambda question: answer(understood(question, library), library, index)


@pytest.mark.parametrize(
    ("question", "variable", "says"),
    [
        ("what does NCCL_IB_TIMEOUT do and what is its default?", "NCCL_IB_TIMEOUT",
         "14; 18 since 2.14.3; 20 since 2.23.4"),
        ("should I set NCCL_NVLS_ENABLE=0?", "NCCL_NVLS_ENABLE",
         "When: leave it. 0 only where the provider demands it"),
        ("NCCL_PROTO=simple on EFA?", "NCCL_PROTO", "better not NCCL_PROTO=simple: takes the LL128 protocol away"),
        ("NCCL_IB_QPS_PER_CONNECTION on RoCE", "NCCL_IB_QPS_PER_CONNECTION", "1 since 2.10.3"),
        ("which traffic class for NCCL on OCI?", "NCCL_IB_TC",
         "BM.GPU.H200.8 and BM.GPU.B200.8, BM.GPU.B300.8): set NCCL_IB_TC=41"),
        ("do I need NCCL_TOPO_FILE on Azure ND H100 v5?", "NCCL_TOPO_FILE",
         "set NCCL_TOPO_FILE=/opt/microsoft/ndv5/topo.xml"),
        ("what is NCCL_IB_TC?", "NCCL_IB_TC", "traffic class of NCCL's RDMA packets"),
        ("what is NCCL_CROSS_NIC and when should I set it to 0?", "NCCL_CROSS_NIC",
         "0 where rails are networks of their own"),
        ("How many NICs has BM.GPU.H100.8 and which NCCL_IB_HCA?", "NCCL_IB_HCA", "(16 RDMA ports)"),
        ("what is the RoCE traffic class at Google A3 Ultra?", "NCCL_IB_TC", "script or file sets NCCL_IB_TC=52"),
        ("which QPS per connection does Oracle use on A100?", "NCCL_IB_QPS_PER_CONNECTION",
         "set NCCL_IB_QPS_PER_CONNECTION=4"),
        ("NCCL_IB_SPLIT_DATA_ON_QPS default in 2.19?", "NCCL_IB_SPLIT_DATA_ON_QPS", "default of NCCL 2.19 is 1"),
        ("nccl_buffsize=8388608 on p5.48xlarge, good idea?", "NCCL_BUFFSIZE", "better not NCCL_BUFFSIZE=8388608"),
    ],
)  # fmt: skip
def test_a_question_on_a_variable_is_answered_from_what_is_known_of_that_one(question, variable, says, asked):
    found = asked(question)
    told = [line.text for line in found.direct]
    assert found.answered and says in " ".join(told)
    assert all(variable in text or text.startswith(("All settings", "Elsewhere")) for text in told), told
    assert "weft nccl env" in told[-1]
    assert all(variable in passage.text for passage in found.passages)


def test_of_named_machines_what_holds_there_goes_first(asked):
    assert (
        asked("which traffic class for NCCL on OCI?")
        .direct[0]
        .text.startswith("Oracle Cloud Infrastructure (BM.GPU4.8")
    )
    azure = asked("NCCL_IB_QPS_PER_CONNECTION at Azure").direct[0].text
    assert azure.startswith("Nothing that was read of Microsoft Azure") and "leave it unset" in azure
    lines = asked("NCCL_PROTO=simple on EFA?").direct
    assert "plugin 1.6 and later" in lines[0].text and "plugin before 1.6 only" in lines[1].text


def test_beside_the_machines_own_setting_stands_no_advice_of_another_network(asked):
    told = " ".join(line.text for line in asked("what is the right NCCL_NET for EFA with plugin 1.9?").direct)
    assert "set NCCL_NET=AWS Libfabric" in told and "NCCL_IB_DISABLE" not in told
    told = " ".join(line.text for line in asked("which interface for NCCL bootstrap on GKE A4?").direct)
    assert "set NCCL_SOCKET_IFNAME=eth0,eth1" in told


def test_a_question_on_nccl_without_an_answer_is_sent_to_the_commands_that_may_have_it(asked):
    found = asked("what does ibv_reg_mr_iova2 failed with error Cannot allocate memory mean?")
    assert found.answered or "weft nccl diagnose LOG" in (found.note or "")


def test_what_was_not_read_in_a_source_is_said_to_be_from_memory(asked):
    told = " ".join(line.text for line in asked("what does NCCL_CROSS_NIC do?").direct)
    assert "from memory, not checked" in told
    assert "from memory" not in asked("what does NCCL_IB_TC do?").direct[0].text


def test_of_a_variable_that_nobody_knows_it_is_said_and_no_other_one_is_told(asked):
    found = asked("what does NCCL_FOOBAR_LEVEL do?")
    assert not found.answered and not found.direct
    assert "Nothing is known here of NCCL_FOOBAR_LEVEL" in (found.note or "") and "weft nccl env" in (found.note or "")


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("NCCL says Using network Socket on p5, what is wrong?", "TCP sockets carry the data between nodes"),
        ("Got completion from peer with status=12 vendor err 129, what does it mean?", "a peer never acknowledged"),
        ("our log has status=12, only on rail 3, why?", "a peer never acknowledged"),
        ("I set NCCL_IB_GID_INDEX=1 and NCCL says status=12", "NCCL_IB_GID_INDEX=1 pins an address"),
        ("NCCL error: Bootstrap : no socket interface found", "name one that exists on every host"),
        ("status=5 vendor err 249 from NCCL, what is that?", "it follows from another error"),
        ("NET/IB : No device found. in the log of a container, why?", "pass /dev/infiniband into the container"),
        ('"Failed to open libibverbs.so" what to do', "install rdma-core"),
        ("Could not find: libnccl-net.so, what do I do?", "install the plugin"),
        ("why is all_reduce busbw above line rate on two nodes?", "with two nodes the tree algorithm"),
        ("Watchdog caught collective operation timeout, where do I look first?", "the rank that says nothing"),
    ],
)
def test_a_line_of_a_log_is_answered_from_the_failures_that_are_known(question, says, asked):
    told = [line.text for line in asked(question).direct]
    assert says.lower() in " ".join(told).lower()
    assert "weft nccl diagnose LOG" in told[-1]


def test_a_fallback_to_tcp_is_never_answered_by_how_to_force_it(asked):
    told = " ".join(line.text for line in asked("NCCL says Using network Socket on p5, what is wrong?").direct)
    assert "NCCL_IB_DISABLE=1" not in told and "NCCL_NET=Socket" not in told
    assert "aws-ofi-nccl" in told and "security group" in told


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("how do I check that GPUDirect RDMA is used?", "/GDRDMA"),
        ("how do I verify that SHARP is active?", "/SHARP behind each adapter"),
        ("how can I tell whether all eight NICs take part?", "NET/IB : Using [0]"),
        ("how can I see which network NCCL uses?", "Using network"),
        ("how do I know that NCCL_TOPO_FILE is read?", "NCCL_TOPO_FILE set by environment to"),
    ],
)
def test_how_something_is_checked_is_answered_by_what_a_log_shows(question, says, asked):
    told = [line.text for line in asked(question).direct]
    assert says in told[0] and not re.search(r"\b[Ss]et NCCL_", " ".join(told))
    assert "weft nccl diagnose LOG" in told[-1]


@pytest.mark.parametrize(
    "question",
    [
        "what happens when a link flaps?",
        "How do I fix a CUDA out of memory error in the data loader?",
        "how do I check whether RoCE is enough for 64 GPUs?",
        "what is GPUDirect RDMA?",
    ],
)
def test_other_questions_are_left_to_the_search(question, library, asked):
    assert not any("weft nccl" in line.text for line in asked(question).direct)


def test_each_meaning_rests_on_a_statement_a_source_or_says_that_it_was_not_read(library):
    described = [name for name in known() if meaning(name)]
    assert len(described) > 40
    for name in described:
        about = meaning(name)
        assert {"means", "advice"} <= about.keys() and about.keys() & {"claim", "source", "checked"}
        assert about.get("claim") in {None, *library.knowledge.claims}
        assert about.get("source") in {None, *library.knowledge.sources}


def test_a_variable_is_found_however_it_is_written():
    assert [name for name, _, _ in variables_in("nccl_ib_tc=41, NCCL_NEW_THING and nccl_tests_all")] == [
        "NCCL_IB_TC",
        "NCCL_NEW_THING",
    ]
