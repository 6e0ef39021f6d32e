"""``weft nccl bench``: the script that a network is judged by, and ``weft plan --measured``: what its logs mean."""

from __future__ import annotations

import json
import os
import re
import subprocess

import pytest

from assistant import library
from assistant.present import figures
from assistant.present.plan.measured import sentences
from assistant.vocabulary.plan import Plan

from .nccl_logs import DEVICES, channels, debug, table
from .program import weft

EXAMPLES = library.load().knowledge_folder / "examples"


@pytest.fixture(scope="module")
def written() -> str:
    return weft("nccl", "bench", str(EXAMPLES / "llama-70b-pretraining.yaml")).out


def test_the_script_runs_the_collectives_of_the_job_under_mpirun_and_slurm(written, tmp_path):
    """As a shell reads it: each program once, on 64 ranks, with the settings of the network."""
    (tmp_path / "bench.sh").write_text(written, encoding="utf-8")
    for name in ("mpirun", "srun"):
        (tmp_path / name).write_text(f'#!/bin/sh\necho {name} "$@" >> "$CALLS"\n', encoding="utf-8")
        (tmp_path / name).chmod(0o755)
    calls = tmp_path / "calls"
    around = {"PATH": f"{tmp_path}:{os.environ['PATH']}", "CALLS": str(calls), "HOSTS": "hosts", "LOGS": str(tmp_path)}
    subprocess.run(["bash", str(tmp_path / "bench.sh")], check=True, env=around)
    subprocess.run(["bash", str(tmp_path / "bench.sh")], check=True, env={**around, "SLURM_JOB_ID": "1", "NODES": "4"})
    by_mpi, other, by_slurm, _ = calls.read_text(encoding="utf-8").splitlines()
    assert by_mpi.startswith("mpirun -np 64 -N 8") and "all_gather_perf" in by_mpi and "reduce_scatter_perf" in other
    assert by_slurm.startswith("srun --mpi=pmix -N 4") and "-c 1" in by_slurm


def test_every_size_has_what_to_expect_and_what_is_an_alarm(written):
    rows = re.findall(r"#\s+(\d+ [KMG]iB)\s+([\d.]+) GB/s \(([\d.]+)–([\d.]+)\)\s+([\d.]+) GB/s", written)
    assert len(rows) >= 16 and any(size == "8 GiB" for size, *_ in rows)
    assert all(float(alarm) < float(low) < float(mid) < float(high) for _, mid, low, high, alarm in rows)
    assert written.count("the job's own size") == 2


def test_what_is_expected_is_about_what_weft_collective_says():
    """A diagnosis and the model have it from the same facts, but for latency."""
    found = json.loads(weft("nccl", "bench", str(EXAMPLES / "llama-70b-pretraining.yaml"), "--format", "json").out)
    (last,) = [one for one in found["tests"][0]["sizes"] if one["bytes"] == 2**30]
    told = weft("collective", "all_gather", "--size", "1GiB", "--gpu", found["gpu"], "--gpus", "64", "--fabric",
                found["fabric"], "--format", "json")  # fmt: skip
    assert json.loads(told.out)["busbw_gb_per_s"] == pytest.approx(last["busbw_gb_per_s"], rel=0.05)


def test_a_job_on_one_node_has_no_network_to_test():
    refused = weft("nccl", "bench", str(EXAMPLES / "single-node.yaml"))
    assert refused.code == 2 and "nothing to test between" in refused.err


@pytest.fixture(scope="module")
def logs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("logs")
    for name, peak, hosts in (("healthy", 350.0, 8), ("pinned", 45.0, 8), ("sockets", 5.0, 8), ("inside", 480.0, 1)):
        text = table(peak, collective="all_gather", hosts=hosts)
        (folder / f"{name}.log").write_text(text, encoding="utf-8")
    return folder


def measured(log) -> dict:
    example = str(EXAMPLES / "llama-70b-pretraining.yaml")
    return json.loads(weft("plan", example, "--measured", str(log), "--format", "json").out)


def test_a_network_as_it_should_be_is_accepted(logs):
    found = measured(logs / "healthy.log")["measured"]
    assert found["advice"] == "accept" and found["usual"] and 0.9 < found["slower"] < 1.2


def test_a_network_that_wastes_money_is_repaired_and_what_that_is_worth_is_said(logs):
    plan = measured(logs / "sockets.log")
    found = plan["measured"]
    assert found["advice"] in ("repair", "switch") and found["slower"] > 20
    assert 0 < found["wasted_usd_per_month"] < found["usd_per_month"]
    assert found["step_time_s"] > found["step_time_as_it_should_be_s"]
    (chosen,) = [one for one in plan["candidates"] if one["fabric"] == found["fabric"]]
    assert chosen["step_time_s"]["p50"] == pytest.approx(found["step_time_s"])
    milder = measured(logs / "pinned.log")["measured"]
    assert milder["slower"] < found["slower"]
    assert (milder["wasted_usd_per_month"] or 0) <= found["wasted_usd_per_month"]


def test_diagnose_and_plan_expect_the_same_of_a_log_and_the_plan_says_what_it_is_held_against(tmp_path):
    """ "diagnose expects 480 GB/s and plan --measured 509 GB/s of one and the same log": two nodes at 8 GiB."""
    log, example = tmp_path / "two.log", str(EXAMPLES / "llama-70b-pretraining.yaml")
    log.write_text(debug(DEVICES, "Using network IB", *channels("IB")) + table(470.0), encoding="utf-8")
    diagnosed = re.search(r"about [\d,]+", weft("nccl", "diagnose", str(log)).out)
    made = weft("plan", example, "--measured", str(log), "--format", "markdown").out
    row, *_ = re.findall(r"^\| all\\?_reduce, 16 ranks on 2 nodes .*", made, re.M)
    assert diagnosed and diagnosed[0] == "about 480" and f"{diagnosed[0]} GB/s" in row
    assert "Planned is the same for this message on so many of the plan's own nodes" in made
    [run] = json.loads(weft("plan", example, "--measured", str(log), "--format", "json").out)["measured"]["runs"]
    assert f"{figures.significant(run['expected_gb_per_s'])} GB/s" in row
    assert run["diagnosed_gb_per_s"] == pytest.approx(482.0)


def test_a_log_of_one_node_says_nothing_of_the_network(logs):
    refused = weft("plan", str(EXAMPLES / "llama-70b-pretraining.yaml"), "--measured", str(logs / "inside.log"))
    assert refused.code == 2 and "at least two nodes" in refused.err and "inside.log" in refused.err


def test_in_the_conversation_a_log_says_what_a_repair_is_worth(logs, tmp_path):
    from assistant.conversation import Conversation

    talk = Conversation(library.load(), searcher=None)
    talk.start()
    assert "tell me about the job first" in talk.say(f"/measured {logs / 'sockets.log'}")[0].text
    talk.say("pretrain llama 3.1 70b on 64 H100 over InfiniBand NDR, which we own, for 30 days")
    [found, *_] = talk.say(f"we measured {logs / 'sockets.log'}")
    assert "times what the catalog has" in found.text and any(
        "repair" in item or "switch" in item for item in found.items
    )
    [missing, *_] = talk.say(f"measured {tmp_path / 'nothing.log'}")
    assert "no such file" in missing.text


SMALL = """
name: small
workload: pretraining
model: llama-3.1-8b
cluster: {gpu: h100-sxm, gpus: 64, fabric: ethernet-tcp-100}
training: {tokens: 50e9, global_batch: 512, sequence_length: 8192}
budget: {mode: MODE}
"""


@pytest.mark.parametrize(
    ("mode", "peak", "advice"),
    [("rent", 5.2, "switch"), ("rent", 1.5, "switch"), ("buy", 5.2, "accept")],
)
def test_sockets_are_left_where_rented_machines_with_rdma_cost_less_than_they_do_repaired(tmp_path, mode, peak, advice):
    """A network that was bought is kept; what is saved is the difference of the two costs that are said."""
    log, job = tmp_path / "sockets.log", tmp_path / "job.yaml"
    log.write_text(table(peak, hosts=4), encoding="utf-8")
    job.write_text(SMALL.replace("MODE", mode), encoding="utf-8")
    plan = Plan.model_validate_json(weft("plan", str(job), "--measured", str(log), "--format", "json").out)
    found = plan.measured
    assert found and found.advice == advice
    said = " ".join(sentences(found))
    assert ("faster than it was planned" in said) is (peak > 5)
    if advice == "accept":
        assert "accept it as it is" in said and "switch" not in said
        return
    assert found.instead_cost_usd < min(found.cost_usd, found.cost_as_it_should_be_usd)
    assert f"switch, which saves {figures.usd(found.cost_usd - found.instead_cost_usd)}." in said
    assert ("repaired" in said) is (peak < 5)
    (other,) = [one for one in plan.candidates if one.fabric == found.instead]
    assert other.cost_usd and other.cost_usd.p50 == pytest.approx(found.instead_cost_usd)


@pytest.mark.parametrize(("peak", "advice"), [(4.1, "accept"), (1.5, "repair")])
def test_a_network_that_is_owned_is_kept_and_what_another_one_would_take_and_save_is_said_by_month(
    tmp_path, peak, advice
):
    """The log of sockets does not know that sockets are all there is: no fault of theirs is told beside the money."""
    log, job = tmp_path / "tcp.log", tmp_path / "job.yaml"
    lines = ("NET/IB : No device found.", "Using network Socket", *channels("Socket", 1, "", ranks=32))
    log.write_text(debug(*lines) + table(peak, hosts=4), encoding="utf-8")
    job.write_text(SMALL.replace("50e9", "500e9").replace("mode: MODE", "mode: buy, owned: everything"))
    plan = Plan.model_validate_json(weft("plan", str(job), "--measured", str(log), "--format", "json").out)
    found = plan.measured
    assert found and found.advice == advice and not found.runs[0].findings
    assert found.instead_work_usd < found.usd_per_month and found.instead_capital_usd > found.cost_usd
    said = " ".join(sentences(found))
    assert f"in its place costs {figures.usd(found.instead_capital_usd)} to buy" in said
    assert ("Have it repaired." in said) is (advice == "repair")
    assert ("pay for that waiting" in said) is (advice == "repair")


def test_a_log_of_another_transport_is_said_to_be_one_and_decides_nothing(tmp_path):
    """Sockets in use where the plan has InfiniBand, and faster than sockets are; the file names no network."""
    log, job = tmp_path / "sockets.log", tmp_path / "job.yaml"
    log.write_text(debug("Using network Socket") + table(235.0, hosts=8), encoding="utf-8")
    job.write_text(SMALL.replace(", fabric: ethernet-tcp-100", "").replace("MODE", "rent"), encoding="utf-8")
    plan = Plan.model_validate_json(weft("plan", str(job), "--measured", str(log), "--format", "json").out)
    assert plan.measured and plan.measured.fabric.startswith("infiniband")
    said = " ".join([*sentences(plan.measured), *plan.measured.runs[0].findings])
    assert "the log shows TCP sockets, not InfiniBand verbs" in said and "as it is now" in said
    assert "more than TCP sockets carry" in said
    assert not plan.questionnaire["cluster"].get("fabric")
    assert "given" not in plan.recommendation.card.because + plan.recommendation.headline
    assert not any("already decided or owned" in finding.because for finding in plan.findings)


def test_amd_gpus_are_tested_with_the_programs_of_rccl(tmp_path):
    job = tmp_path / "job.yaml"
    job.write_text("workload: pretraining\nmodel: llama-3.1-70b\ncluster: {gpu: mi300x, gpus: 32}\n", encoding="utf-8")
    said = weft("nccl", "bench", str(job)).out
    assert "rccl-tests must be built with MPI=1" in said and "nccl-tests must" not in said.replace("rccl-tests", "")
