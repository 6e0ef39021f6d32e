"""How bad a finding is follows from what the log shows to have come of it: a job that worked on, came to its end or was
ended from outside has no alarm for it, and one that died, hangs, is slow or has broken hardware has."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from tests.labels import labels
from tests.nccl_logs import DEVICES, GIB, MIB, channels, debug, table

CATALOG = library.load().catalog
LOGS = labels(Path(__file__).with_name("nccl_outcomes.yaml"))
SOUND = debug(DEVICES, "Using network IB", *channels("IB"), "Connected all rings", "Init COMPLETE", per_host=8)
TIMED_OUT = "[rank3]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, OpType=ALLREDUCE)\n"
CLOSED = "n1:1:2 [3] NCCL WARN socketProgress: Connection closed by remote peer n2<41222>\n"
ILLEGAL = "RuntimeError: CUDA error: an illegal memory access was encountered\n"
SERVED = "engine: 12.4 req/s, 2101.2 tok/s\n"


def steps(first: int, last: int) -> str:
    return "".join(f"step {n}0/9000 | loss 2.1 | 1.1 s/it\n" for n in range(first, last))


def alarms(text: str) -> set[str]:
    return {each.code for each in diagnose_text(text, CATALOG).findings if each.severity != "info"}


@pytest.mark.parametrize("name", LOGS["healthy"])
def test_what_nothing_came_of_is_no_alarm(name):
    assert not alarms(LOGS["healthy"][name])


@pytest.mark.parametrize("name", LOGS["faulty"])
def test_what_ended_or_slowed_a_job_or_is_broken_is_an_alarm(name):
    assert alarms(LOGS["faulty"][name])


@pytest.mark.parametrize(
    ("healthy", "faulty"),
    [
        (steps(1, 9) + TIMED_OUT + "restarting from step 50\n" + steps(5, 20), steps(1, 9) + TIMED_OUT),
        (steps(1, 9) + ILLEGAL + "restarting\n" + steps(5, 9), steps(1, 9) + ILLEGAL + steps(5, 9) + ILLEGAL),
        (ILLEGAL + 3 * SERVED, 3 * SERVED + ILLEGAL),
        (steps(1, 9) + TIMED_OUT + steps(9, 20), steps(1, 9) + TIMED_OUT + "$ ./all_reduce_perf\n" + table(478.0)),
        (steps(1, 9) + "job 7 was stopped by the operator\n" + ILLEGAL,
         steps(1, 9) + ILLEGAL + "job 7 was stopped by the operator\n"),
        (steps(1, 9) + ILLEGAL + "ExitCode=0:0\n", "data job finished, ExitCode=0:0\n" + steps(1, 9) + ILLEGAL),
        (steps(1, 9) + ILLEGAL + steps(9, 12),
         steps(1, 9) + ILLEGAL + "kernel: NVRM: Xid (PCI:0000:4e:00): 79, fell off\n" + steps(9, 12)),
        (steps(1, 9) + ILLEGAL + "tokens: 0.0 tok/s\n" + steps(9, 12), steps(1, 9) + ILLEGAL + 3 * "at 0.0 tok/s\n"),
    ],
    ids=["restarted", "restarted in vain", "other work", "work of another kind", "after its end",
         "its end, or another's", "broken hardware", "a rate of zero"],
)  # fmt: skip
def test_a_job_that_does_again_what_it_did_got_over_it(healthy, faulty):
    assert not alarms(SOUND + healthy)
    assert alarms(SOUND + faulty)


def test_what_is_no_alarm_is_told_with_what_to_do_about_it():
    told = {each.code: each for each in diagnose_text(SOUND + steps(1, 9) + ILLEGAL + steps(9, 12), CATALOG).findings}
    assert {each.severity for each in told.values()} == {"info"} and all(each.fix for each in told.values())


def test_a_failure_that_did_harm_is_told_with_what_came_before_it():
    last = "n1:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<45678> with status=12 opcode=1 len=7\n"
    before = "n1:1:2 [3] NCCL WARN NET/IB : mlx5_3:1 Got async event : port error\n"
    assert not alarms(SOUND + steps(1, 9) + before + steps(9, 12))
    assert "retries-exhausted" in alarms(SOUND + steps(1, 9) + before + steps(9, 12) + last)


@pytest.mark.parametrize(
    "said",
    [
        "[check] self-test: injecting NCCL_NET=Bogus (expected to fail)",
        "[check] the errors below are meant",
        "[check] failures are expected here",
        "[check] NCCL_NET=Bogus, meant to fail",
    ],
)
def test_a_failure_that_was_provoked_is_what_is_tested(said):
    provoked = f"{said}\nn:1:2 [0] net.cc:5 NCCL WARN Error: network Bogus not found.\n"
    assert not alarms(SOUND + table(478.0) + provoked + "[check] self-test OK (failure detected as expected)\n")
    assert alarms(SOUND + table(478.0) + provoked.partition("\n")[2])


NVLS = "NVLS multicast support is available on dev 0"
P2P, SHM = "Channel 00/0 : 0[0] -> 1[1] via P2P/IPC", "Channel 00 : 0[0] -> 1[1] via SHM/direct/direct"


@pytest.mark.parametrize(
    ("setting", "lines", "hosts", "peak"),
    [
        ("NCCL_ALGO=Ring", (NVLS, P2P), 1, 365.0),
        ("NCCL_P2P_DISABLE=1", (SHM,), 1, 14.0),
        ("NCCL_NET_GDR_LEVEL=LOC", (DEVICES, "Using network IB", *channels("IB", 8, "")), 2, 110.0),
        ("NCCL_MAX_NCHANNELS=1", (DEVICES, "Using network IB", *channels("IB")), 2, 22.0),
        ("NCCL_IB_DISABLE=1", ("Using network Socket", *channels("Socket", 1, "")), 2, 9.0),
    ],
)
def test_what_a_setting_costs_is_no_alarm_where_somebody_says_that_it_is_meant(setting, lines, hosts, peak):
    name, _, value = setting.partition("=")
    log = debug(f"{name} set by environment to {value}.", *lines, hosts=hosts, per_host=8) + table(peak, hosts=hosts)
    assert not alarms(f"# {setting} on purpose, to compare\n" + log)
    assert alarms(log)


BOX = "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\nGPU0\t X \t{0}\t0-31\tN/A\nGPU1\t{0}\t X \t0-31\tN/A\n"


@pytest.mark.parametrize(
    ("matrix", "device", "peak", "transport"),
    [
        (BOX.format("NV4"), "NVIDIA RTX A6000", 20.0, "nvlink"),
        (BOX.format("PHB"), "NVIDIA RTX A6000", 20.0, "pcie"),
        ("", "NVIDIA RTX A6000", 48.0, "nvlink"),
        ("", "NVIDIA H100 PCIe", 48.0, "pcie"),
        ("", "Tesla V100-PCIE-32GB", 18.0, "nvlink"),
    ],
)
def test_a_bridge_between_two_cards_is_told_from_their_slots(matrix, device, peak, transport):
    found = diagnose_text(matrix + table(peak, hosts=1, per_host=2, device=device, sweep={MIB: 0.6, GIB: 1.0}), CATALOG)
    assert found.transport == transport


SOCKETS = debug(
    "NET/Socket : Using [0]eno1:10.0.0.1<0>",
    "Using network Socket",
    "comm 0x55 rank 0 nRanks 8 nNodes 2 localRanks 4 localRank 0 MNNVL 0",
    "Channel 00/0 : 0[0] -> 4[0] [send] via NET/Socket/0",
    per_host=4,
)


@pytest.mark.parametrize(
    ("said", "codes"),
    [
        ("Job 7 starting on a[1-2] (4 x A100-SXM4-40GB, 4 x HDR200 per node)\n", {"tcp-sockets"}),
        ("hosts: 2 x 8 GPUs, 1 x 400G RoCE\n", {"tcp-sockets"}),
        ("hosts: 2 x RTX A6000, 2 x 10GbE\n", set()),
        ("we had 4 GPUs of the A100 kind before\n", set()),
    ],
)
def test_what_a_line_says_of_the_hosts_tells_whether_sockets_are_all_they_have(said, codes):
    assert alarms(said + SOCKETS + steps(1, 9)) == codes


def test_sums_in_the_switches_are_missed_only_where_the_network_has_them():
    asked = "NCCL_COLLNET_ENABLE set by environment to 1."
    cxi = (
        "NET/OFI Selected Provider is cxi (found 4 nics)",
        "Using network AWS Libfabric",
        *channels("AWS Libfabric", 4),
    )
    assert not alarms(debug(asked, *cxi, per_host=4) + steps(1, 9))
    assert "sharp-not-used" in alarms(
        debug(asked, DEVICES, "Using network IB", *channels("IB"), per_host=8) + steps(1, 9)
    )
