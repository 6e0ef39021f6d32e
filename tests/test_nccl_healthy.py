"""What healthy logs say of failures that were none: meant, tested, quoted, chosen, got over or left in order; each with
the log that differs in the one thing that makes it a fault."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from tests.nccl_logs import DEVICES, channels, debug, table

CATALOG = library.load().catalog
SOUND = debug(DEVICES, "Using network IB", *channels("IB"), "Connected all rings", "Init COMPLETE", per_host=8)
TIMED_OUT = (
    "[rank1]:[E ProcessGroupNCCL.cpp:616] [Rank 1] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7, "
    "OpType=ALLREDUCE, NumelIn=1024, Timeout(ms)=5000) ran for 5038 milliseconds before timing out.\n"
)
XID = "fixture: NVRM: Xid (PCI:0000:1b:00): 79, GPU has fallen off the bus.\n"
COMPLETION = "n:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.3<4411> with error 12, opcode 1, len 0\n"
PREEMPTED = "slurmstepd: error: *** JOB 901 ON n-3 CANCELLED AT 2026-05-03T07:30:02 DUE TO PREEMPTION ***\n"
SIGTERM = (
    "W0503 07:30:10.2 1 torch/distributed/elastic/agent/server/api.py:719] Received Signals.SIGTERM death signal\n"
)
FOUR = (
    "NET/IB : Using " + " ".join(f"[{n}]mlx5_{n}:1/IB" for n in range(4)) + " [RO]; OOB eth0:10.0.0.1<0>",
    "Using network IB",
    *channels("IB", 4),
)
HCA = "NCCL_IB_HCA=mlx5_0,mlx5_1,mlx5_2,mlx5_3"
NO_RDMA = ("NET/IB : No device found.", "NET/Socket : Using [0]ens5:10.0.0.4<0>", "Using network Socket")
V100 = "Tesla V100-SXM2-16GB"


def stepped(first: int = 0, last: int = 30, took: float = 3.1, more: str = "") -> str:
    return "".join(f"2026-05-03 07:{n:02d}:10 step {n} loss 2.1 step_time {took} s{more}\n" for n in range(first, last))


def sockets(machine: str, peak: float, device: str, host: str = "node-") -> str:
    lines = debug(*NO_RDMA, *channels("Socket", 1, ""), per_host=8).replace("node-", host)
    return f"{machine}\n{lines}{table(peak, device=device)}"


def alarms(text: str) -> set[str]:
    return {each.code for each in diagnose_text(text, CATALOG).findings if each.severity != "info"}


@pytest.mark.parametrize(
    "end",
    [
        PREEMPTED + "Received SIGTERM, saving checkpoint before exit\nCheckpoint saved: gpt-step=440-last.ckpt\n",
        PREEMPTED + "srun: Job step aborted: Waiting up to 32 seconds for job step to finish.\n",
        PREEMPTED + "Exiting, job will be requeued (REQUEUE count 2)\n",
        PREEMPTED.replace("PREEMPTION", "JOB REQUEUE"),
        PREEMPTED + "no checkpoint was saved, the last saved checkpoint is step 4\n",
        "Spot VM preempted by Compute Engine\n[ckpt] step 29 persisted to gs://b/ckpt-29\nsystemd: Stopped train.\n",
        "Evicted workload default/llm due to preemption in ClusterQueue a; requeuing\n",
        "EC2 rebalance recommendation received for i-0a; no action\n",
        "Node maintenance scheduled by cloud provider in 3600 s; continuing\n",
        "node gpu-17 state set to DRAINING, reason=rolling firmware upgrade; the running job may finish\n",
        "Normal  Killing  kubelet  Stopping container pytorch\n" + SIGTERM,
        SIGTERM + "[sidecar] job finished flag seen, stopping containers\n",
        SIGTERM + "autoscaler: group workers scaled down to 0\n",
    ],
)
def test_who_was_told_to_go_is_no_fault(end):
    assert not alarms(SOUND + stepped() + end)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (PREEMPTED.replace("PREEMPTION", "NODE FAILURE, SEE LOG") + "job will be requeued\n", "node-down"),
        ("compute.instances.hostError: Instance terminated\nwill be restarted automatically\n", "host-maintenance"),
        ("node gpu-17 state set to DRAINED (Xid 79)\n", "host-maintenance"),
        (TIMED_OUT + "Checkpoint saved: step=20.ckpt\njob will be requeued\n", "collective-timeout"),
        (TIMED_OUT + "Normal  Killing  kubelet  Stopping container pytorch\n", "collective-timeout"),
    ],
)
def test_hosts_that_failed_stay_faults(end, code):
    assert code in alarms(SOUND + stepped() + end)


SUITES = {
    "pytest": (
        "===== test session starts =====\ntests/test_x.py::test_xid79\n{}PASSED [ 50%]\n",
        "===== 13 passed, 1 xfailed in 41.20s =====\n",
        "===== 1 failed, 12 passed in 41.20s =====\n",
    ),
    "pytest -q": ("$ pytest -q tests\n{}", "20 passed in 31.11s\n", "1 failed, 19 passed in 31.11s\n"),
    "unittest": (
        "test_timeout (tests.test_pg.TestPG) ... {}ok\n",
        "Ran 14 tests in 61.221s\n\nOK (skipped=2)\n",
        "Ran 14 tests in 61.221s\n\nFAILED (failures=1)\n",
    ),
    "CTest": (
        "Test project /build\n    Start 1: xid\n1: {}1/1 Test #1: xid ......   Passed    0.02 sec\n",
        "100% tests passed, 0 tests failed out of 1\n",
        "50% tests passed, 1 tests failed out of 2\n",
    ),
    "Go": ("=== RUN   TestXid\n    {}", "PASS\nok  \texample.com/watch\t0.112s\n", "FAIL\texample.com/watch\t0.1s\n"),
    "GoogleTest": (
        "[==========] Running 2 tests from 1 test suite.\n[ RUN      ] Log.Xid\n{}[       OK ] Log.Xid (3 ms)\n",
        "[==========] 2 tests from 1 test suite ran. (9 ms total)\n[  PASSED  ] 2 tests.\n",
        "[  FAILED  ] Log.Xid (3 ms)\n[==========] 2 tests from 1 test suite ran. (9 ms total)\n",
    ),
    "Cargo": (
        "running 2 tests\n{}test parse_xid ... ok\n",
        "test result: ok. 2 passed; 0 failed; 0 ignored\n",
        "test result: FAILED. 1 passed; 1 failed; 0 ignored\n",
    ),
    "Jest": ("PASS src/xid.test.ts\n  {}", "Tests:       3 passed, 3 total\n", "Tests:       1 failed, 2 passed\n"),
    "TAP": ("1..2\nok 1 parses xid\n# {}ok 2 parses ib\n", "# 2 tests, 0 failures\n", "not ok 2 parses ib\n"),
}


@pytest.mark.parametrize("suite", SUITES)
def test_what_a_suite_prints_in_which_every_test_passed_is_what_it_tests(suite):
    body, passed, failed = SUITES[suite]
    printed = body.format(XID + COMPLETION + TIMED_OUT)
    assert not alarms(printed + passed)
    for faulty in (printed + failed, printed, printed + passed + SOUND + TIMED_OUT):
        assert "collective-timeout" in alarms(faulty), "it failed, was cut off, or a job failed after it"


@pytest.mark.parametrize(
    "shown",
    [
        f"$ mpirun -np 16 -x {HCA} ./all_reduce_perf -b 8M -e 8G\n",
        f"# experiment: rails 0-3 only ({HCA}), the others are for storage this week\n",
        "# rails 4-7 reserved for storage this week\n",
        "# storage shares the fabric: NCCL gets rails 0,2,4,6 only\n",
    ],
    ids=["a command", "a comment", "a word", "these alone"],
)
def test_adapters_that_somebody_chose_are_measured_by_what_they_carry(shown):
    of_four = debug(f"NCCL_IB_HCA set by environment to {HCA.partition('=')[2]}", *FOUR, per_host=8)
    cross = debug("NCCL_CROSS_NIC set by environment to 0.", per_host=8)
    found = diagnose_text(shown + of_four + cross + table(194.0, hosts=4), CATALOG)
    assert not [each.code for each in found.findings if each.severity != "info"]
    assert "as chosen: 4 of the usual 8 adapters" in " ".join(each.message for each in found.findings)
    assert "adapters-left-out" in alarms(of_four + table(194.0, hosts=4)), "nobody says that it is meant"
    assert "low-bandwidth" in alarms(shown + of_four + table(90.0, hosts=4)), "slower than four adapters are"


def test_a_plugin_in_whose_place_another_one_was_loaded_is_not_missed():
    missing = "NET/Plugin : dlerror=libibverbs.so.1: cannot open shared object file"
    used = ("NET/FastSocket : Using [0]eth0:10.138.0.40<0>", "Using network FastSocket", *channels("FastSocket", 1, ""))
    assert not alarms(debug(missing, "NET/Plugin: Loaded net plugin FastSocket (v4)", *used, per_host=8) + stepped())
    other = debug(missing, *NO_RDMA, *channels("Socket", 1, ""), per_host=8)
    assert {"plugin-not-loaded", "tcp-sockets"} <= alarms(other + stepped())


@pytest.mark.parametrize(
    ("healthy", "faulty", "code"),
    [
        (sockets("p3.16xlarge x2", 2.85, V100, "ip-10-0-0-"), sockets("p3.16xlarge", 0.9, V100), "low-bandwidth"),
        (sockets("g5.48xlarge", 4.1, "NVIDIA A10G"), sockets("p4d.24xlarge", 4.1, "NVIDIA A100-SXM4-40GB"),
         "tcp-sockets"),
        (sockets("machineType: n1-standard-96", 2.9, V100), sockets("on our own machines", 2.9, V100), "tcp-sockets"),
        (sockets("no EFA on this instance type", 4.1, V100, "ip-10-0-0-"),
         sockets("", 4.1, "NVIDIA H100 80GB HBM3", "ip-10-0-0-"), "plugin-missing"),
    ],
    ids=["p3", "g5", "n1", "said so"],
)  # fmt: skip
def test_sockets_are_what_machines_have_that_no_provider_builds_with_rdma(healthy, faulty, code):
    assert not alarms(healthy)
    assert code in alarms(faulty)


FAR = ("GPU Direct RDMA Disabled for GPU 3[89000] / HCA 0 (distance 4 >= 3)", *channels("IB", 8, ""))
NO_MODULE = ("GPU Direct RDMA Disabled for HCA 0 'mlx5_0'", *channels("IB", 8, ""))
IMAGES = "".join(f"[1,0]<stdout>:{n}\timages/sec: 5646.2 +/- 0.4 (jitter = 3.1)\t7.9\n" for n in range(1, 300, 50))
DIED = "(raylet, ip=10.24.1.19) A worker died or was killed while executing a task by an unexpected system error. {}\n"
HOT = "GPU 3: throttled for heat (thermal)\n"
SWEEP = "$ NCCL_NET={} srun ./all_reduce_perf\n"
EVENTS = "14m  Warning  FailedScheduling  pod/w-1  0/4 nodes are available: 4 Insufficient nvidia.com/gpu.\n"
NO_IB = debug("NCCL_IB_DISABLE set by environment to 1.", *NO_RDMA, *channels("Socket", 1, ""), per_host=8) + stepped()
ONE = debug("NCCL_IB_HCA set by environment to mlx5_0", "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>",
            "Using network IB", *channels("IB", 1), per_host=8) + table(48.5)  # fmt: skip
SLOW_NET = debug("NCCL_NET set by environment to Socket", *NO_RDMA[1:], *channels("Socket", 1, ""), per_host=8)


PORT = "NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>"
KV_FULL = "WARNING 04-18 10:13:20 [scheduler.py:1754] Sequence group 91 is preempted by {} because {}\n"
STOPPED = "mpirun noticed that process rank 3 with PID 9 on node a exited on signal 15 (Terminated).\n"
NO_PEER = "[rank0]: Failed to connect: connection refused by 10.0.0.1:8476, rank 1 waits\n"


@pytest.mark.parametrize(
    ("healthy", "faulty", "code"),
    [
        (debug(PORT, "Using network IB", *NO_MODULE, per_host=4) + IMAGES,
         debug(DEVICES, "Using network IB", *NO_MODULE, per_host=8) + IMAGES, "no-gpudirect"),
        (SOUND + KV_FULL.format("PreemptionMode.RECOMPUTE mode", "there is not enough KV cache space") + stepped(),
         SOUND + stepped() + "compute.instances.hostError: host a was lost\n", "host-maintenance"),
        (SOUND + table(478.0) + STOPPED + "burnin.sh: rc=124 (time limit reached), 30 iterations\n",
         SOUND + table(478.0) + STOPPED, "ended-from-outside"),
        (SOUND + "mlx5_3: link flaps: 0\n" + table(478.0), SOUND + "mlx5_3: link flapped 14 times\n" + table(110.0),
         "link-flaps"),
        (NO_PEER + "".join(f"main.py:188] step {n} nll=5.1 steps_per_sec=0.84\n" for n in range(0, 500, 50)),
         NO_PEER, "connection-refused"),
        (debug(DEVICES, "Using network IB", *FAR, per_host=8) + IMAGES,
         debug(DEVICES, "Using network IB", *NO_MODULE, per_host=8) + IMAGES, "no-gpudirect"),
        (debug(DEVICES, "Using network IB", *FAR, per_host=8) + IMAGES,
         debug(DEVICES, "Using network IB", *FAR, per_host=8) + table(110.0), "no-gpudirect"),
        (SOUND + stepped(0, 9) + DIED.format("reward actor restarted (1/5)"),
         SOUND + stepped(0, 9) + DIED.format("It will not come back"), "actor-died"),
        (SOUND + stepped(0, 9) + "The actor died unexpectedly before finishing this task.\n" + stepped(9, 30),
         SOUND + stepped(0, 9) + "The actor died unexpectedly before finishing this task.\n", "actor-died"),
        (SOUND + stepped(0, 15) + HOT + stepped(15, 30),
         SOUND + stepped(0, 15) + HOT + stepped(15, 30, 3.6), "gpu-slowed"),
        (stepped(0, 20, more=" bs=256") + stepped(20, 40, 4.6, more=" bs=384"),
         stepped(0, 20, more=" bs=256") + stepped(20, 40, 4.6, more=" bs=256"), "steps-slower"),
        (SWEEP.format("Socket") + SLOW_NET + table(4.1) + SWEEP.format("IB") + SOUND + table(478.0),
         SLOW_NET.replace("NCCL_NET set by environment to Socket", "Init START") + table(4.1), "tcp-sockets"),
        (stepped(0, 20) + "elastic: scaled down to 1 of 2 nodes, world 16 -> 8\n" + stepped(20, 40, 6.1),
         stepped(0, 20) + "[rank0] evaluation done\n" + stepped(20, 40, 6.1), "steps-slower"),
        (SOUND + stepped() + EVENTS, SOUND + EVENTS, "resources-missing"),
        ("the lab has 10GbE only\n" + NO_IB, NO_IB, "tcp-sockets"),
        ("# one rail on purpose: NCCL_IB_HCA=mlx5_0\n" + ONE, ONE, "one-adapter-pinned"),
        ("# if you see 'GPU has fallen off the bus' drain the node\n" + SOUND + stepped(),
         "GPU 3 has fallen off the bus\nGPU has fallen off the bus\n" + SOUND + stepped(), "gpu-off-the-bus"),
        ("$ grep -E 'fallen off the bus|Xid .*: 79' /var/log/syslog\n" + SOUND + stepped(),
         "$ tail /var/log/syslog\n" + XID + SOUND + stepped(), "gpu-off-the-bus"),
    ],
    ids=["one port of a node", "a sequence preempted", "a burn-in's time is over", "no flaps", "connected in the end",
         "far apart, and no module", "far apart, and slow", "restarted, as it says", "restarted, as steps go on",
         "heat without effect", "larger batches", "sockets tried", "fewer nodes",
         "events of the start", "Ethernet only", "one rail", "a runbook", "looked for"],
)  # fmt: skip
def test_what_was_meant_or_got_over_is_no_alarm_and_what_differs_in_that_is(healthy, faulty, code):
    assert not alarms(healthy)
    assert code in alarms(faulty)
