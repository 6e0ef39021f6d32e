"""What ``weft nccl bench``, ``weft nccl diagnose``, ``weft plan --measured`` and ``weft ask`` expect of the same
machines is the same."""

from __future__ import annotations

import json

import pytest

from assistant.library import load
from assistant.network.diagnosis import diagnose_text

from .nccl_logs import DEVICES, GIB, channels, debug, table
from .program import weft

CATALOG = load().catalog
JOB = "workload: pretraining\nmodel: {model}\ncluster: {{gpu: {gpu}, gpus: {gpus}, {more}}}\n{rest}"
COREWEAVE = "provider: coreweave, fabric: infiniband-ndr-400"
TWO = "parallelism: {strategy: ddp, tp: 1, pp: 1}"


@pytest.fixture
def job(tmp_path):
    def written(more: str, gpu: str = "h100-sxm", gpus: int = 64, rest: str = "", model="llama-3.1-70b") -> str:
        path = tmp_path / "job.yaml"
        path.write_text(JOB.format(model=model, gpu=gpu, gpus=gpus, more=more, rest=rest), encoding="utf-8")
        return str(path)

    return written


def benched(job: str, collective: str) -> dict:
    found = json.loads(weft("nccl", "bench", job, "--format", "json").out)
    (test,) = (one for one in found["tests"] if one["collective"] == collective)
    (size,) = (one for one in test["sizes"] if one["bytes"] == 8 * GIB)
    return size


def infiniband(*args, **more) -> str:
    return debug(DEVICES, "Using network IB", *channels("IB"), hosts=2, per_host=2) + table(*args, **more)


def slow(text: str) -> bool:
    return any(
        each.code == "low-bandwidth" and each.severity != "info" for each in diagnose_text(text, CATALOG).findings
    )


@pytest.mark.parametrize(("gpu", "healthy"), [("h100-sxm", 346), ("a100-sxm-80gb", 173), ("b300", 657)])
def test_machines_of_oracle_have_their_sixteen_adapters_in_the_test_of_their_network(job, gpu, healthy):
    """ "weft nccl bench counts 8 NICs, though the same script exports 16 HCAs: a half-dead network passes"."""
    found = benched(job("provider: oci", gpu), "all_gather")
    assert found["busbw_gb_per_s"] == pytest.approx(healthy, rel=0.05)
    assert found["alarm_gb_per_s"] > 0.6 * healthy, "half of the adapters are an alarm"


def test_half_of_oracles_network_is_told_by_the_plan_too(job, tmp_path):
    log = tmp_path / "half.log"
    log.write_text(table(172.7, "all_gather", hosts=8), encoding="utf-8")
    found = json.loads(weft("plan", job("provider: oci"), "--measured", str(log), "--format", "json").out)["measured"]
    assert found["slower"] == pytest.approx(2.0, rel=0.05) and found["advice"] != "accept"


def test_a_question_about_oracles_machines_counts_their_adapters():
    asked = "how long is an all-reduce of 8 GB on 8 nodes of 8xH100 at OCI over RoCE 200"
    told = " ".join(weft("ask", asked).out.split())
    assert "NICs per node: 16" in told and "352 GB/s of a node" in told


@pytest.mark.parametrize(
    ("collective", "hosts", "rest"),
    [("all_gather", 8, ""), ("send_recv", 8, ""), ("all_reduce", 2, TWO)],
)
def test_what_the_test_of_a_network_calls_an_alarm_is_found_in_its_log_and_repaired(
    job, tmp_path, collective, hosts, rest
):
    """ "bench says below the alarm 'weft nccl diagnose LOG says what to look at first', but it finds nothing there"."""
    plan = job(COREWEAVE, gpus=8 * hosts, rest=rest, model="{params: 1B}" if rest else "llama-3.1-70b")
    sized, name = benched(plan, collective), collective.replace("send_recv", "sendrecv")
    for share, alarm in ((0.97, True), (1.03, False)):
        text = infiniband(sized["alarm_gb_per_s"] * share, name, hosts=hosts)
        assert slow(text) is alarm
        log = tmp_path / "x.log"
        log.write_text(text, encoding="utf-8")
        found = json.loads(weft("plan", plan, "--measured", str(log), "--format", "json").out)["measured"]
        assert (found["runs"][0]["busbw_gb_per_s"] < found["runs"][0]["alarm_gb_per_s"]) is alarm
        assert not alarm or found["advice"] != "accept"


def test_pairs_of_ranks_are_expected_to_reach_the_same_everywhere(job):
    """ "sendrecv on H100 NDR: bench says 26, diagnose on 26 says about 49 is expected"; 39.32 was measured too."""
    sized = benched(job(COREWEAVE), "send_recv")
    found = diagnose_text(infiniband(26.0, "sendrecv", hosts=8), CATALOG)
    assert found.expected_busbw_gb_per_s == pytest.approx(sized["busbw_gb_per_s"], rel=0.01)
    assert not slow(infiniband(26.0, "sendrecv", hosts=8)) and not slow(table(39.32, "sendrecv", per_host=2))
    assert sized["low_gb_per_s"] < 26 and sized["high_gb_per_s"] > 48
    assert any("adapter at half of its rate gives as much" in each for each in found.not_checked)


@pytest.mark.parametrize(("where", "measured"), [(COREWEAVE, 696.1), ("provider: gcp, fabric: roce-v2-400", 683.5)])
def test_two_nodes_of_b200_add_in_their_switches_and_send_once(job, where, measured):
    """ "B200, two nodes, all-reduce: expected 482 GB/s, which H100 reach, where 684 to 703 were measured"."""
    network = "IB" if "infiniband" in where else "RoCE"
    found = diagnose_text(infiniband(measured, device="NVIDIA B200").replace("/IB", f"/{network}"), CATALOG)
    assert found.expected_busbw_gb_per_s == pytest.approx(measured, rel=0.1)
    plan = job(where, gpu="b200", gpus=16, rest=TWO, model="{params: 1B}")
    assert benched(plan, "all_reduce")["busbw_gb_per_s"] == pytest.approx(measured, rel=0.1)


@pytest.mark.parametrize(("peak", "wrong"), [(190.0, True), (220.3, True), (365.0, False), (476.0, False)])
def test_one_node_of_eight_h100_is_held_against_what_its_switch_gives(peak, wrong):
    """ "one node, 8×H100, 220 GB/s: about 360 expected, nothing wrong was found": Azure's are at 460."""
    text = debug("NCCL version 2.27.3+cuda12.8", "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM/read", hosts=1, per_host=8)
    found = diagnose_text(text + table(peak, hosts=1), CATALOG)
    assert slow(text + table(peak, hosts=1)) is wrong
    assert wrong is False or found.expected_busbw_gb_per_s == pytest.approx(463, rel=0.01)


REFUSED = {
    "wrong": (lambda: infiniband(350.0, hosts=8, wrong="17"), "the bandwidth means nothing; have that mended"),
    "efa": (
        lambda: debug("NET/OFI Selected provider is efa, fabric is efa-direct (found 4 nics)",
                      "Using network AWS Libfabric") + table(43.7),
        "not InfiniBand verbs",
    ),
    "tcp-as-asked": (
        lambda: debug("NCCL_NET set by environment to Socket", "Using network Socket", *channels("Socket", suffix=""))
        + table(9.0, "all_gather", hosts=8),
        "as NCCL_NET asks",
    ),
    "b200": (lambda: infiniband(387.0, device="NVIDIA B200"), "it names NVIDIA B200"),
    "small": (lambda: table(30.0, sweep={2**20: 0.5, 2**25: 1.0}), "the largest here is 32 MiB"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_a_log_that_does_not_measure_the_network_of_the_plan_is_refused_in_a_sentence(job, tmp_path, name):
    text, says = REFUSED[name]
    log = tmp_path / f"{name}.log"
    log.write_text(text(), encoding="utf-8")
    refused = weft("plan", job(COREWEAVE), "--measured", str(log))
    assert refused.code == 2 and says in refused.err and refused.err.count("\n") == 1


def test_a_log_whose_small_messages_were_the_fastest_is_judged_by_its_large_ones(job, tmp_path):
    """ "expected messages of 64 MiB and more": the file had 64 and 128 MiB, and its peak at 4."""
    log = tmp_path / "fell.log"
    log.write_text(table(60.0, sweep={4 * 2**20: 1.0, 64 * 2**20: 0.8, 128 * 2**20: 0.9}), encoding="utf-8")
    found = json.loads(weft("plan", job(COREWEAVE), "--measured", str(log), "--format", "json").out)["measured"]
    assert found["runs"][0]["message_bytes"] == 128 * 2**20
    assert found["runs"][0]["busbw_gb_per_s"] == pytest.approx(54.0)


def test_messages_larger_than_the_largest_tested_are_told_as_such(job):
    """ "messages of about 16.1 GB, yet 8 GiB ← the job's own size"."""
    told = weft("nccl", "bench", job("provider: aws", gpus=16, model="llama-3.1-8b")).out
    rows = [line for line in told.splitlines() if " 8 GiB " in line and "←" in line]
    assert rows and all("the job's own are larger" in line for line in rows)
