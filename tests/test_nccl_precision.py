"""Healthy logs that look like faulty ones, as newcomers paste them, each with the faulty log that it must not hide."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from tests.nccl_logs import DEVICES, GIB, MIB, channels, debug, table

CATALOG = library.load().catalog
SOUND = debug(DEVICES, "Using network IB", *channels("IB"), "Init COMPLETE", per_host=8)
SWEEP = {16 * MIB: 0.6, 256 * MIB: 0.9, 2 * GIB: 1.0}
LOOPED = debug(
    "NCCL_IB_HCA set to mlx5_0", "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB bond0:10.3.0.12<0>", "Using network IB",
    "Channel 00/0 : 0[0] -> 1[1] [send] via NET/IB/0/GDRDMA", hosts=1,
) + table(48.1, "sendrecv", hosts=1, per_host=2, sweep=SWEEP)  # fmt: skip
OFF = "+ export NCCL_P2P_DISABLE=1\n+ export NCCL_SHM_DISABLE=1\n"
STEPPED = "".join(f"[2026-02-02 09:{n:02d}:00] step {n} | loss 2.9 | 0.61 s/it\n" for n in range(1, 30))
SIGTERM = (
    "W0202 09:29:40.2 1 torch/distributed/elastic/agent/server/api.py:719] Received Signals.SIGTERM death signal\n"
)


def lengthening(done_later: int) -> str:
    return "".join(
        f"step {n} | seq_len {1024 if n < 20 else 2048} | loss 2.1 | step_time {1.0 if n < 20 else 2.1} s | "
        f"tokens/s {16384 if n < 20 else done_later}\n"
        for n in range(40)
    )


def lightning(share: int) -> str:
    return f"Epoch 3: {share}%|####  | {5 * share}/500 [08:20<00:00,  1.00it/s, v_num=7, train_loss=0.300]\n"


INTERRUPTED = (
    "^Cmpirun: killing job\nmpirun noticed that process rank 0 with PID 2 on node a1 exited on signal {}.\n"
    + table(465.0, sweep=SWEEP)
)


def by_algorithm(best: float = 455.0) -> str:
    """What a script measures that tries algorithms, the last of which NCCL chooses by itself."""
    return "".join(
        debug("NVLS multicast support is available on dev 0", DEVICES, "Using network IB",
              f"NCCL_ALGO set by environment to {name}", *channels("IB", ranks=32), hosts=4, per_host=8)
        + table(peak, hosts=4, sweep=SWEEP)
        for name, peak in {"Ring": min(365.0, best), "Tree": min(205.0, best), "NVLSTree": best}.items()
    )  # fmt: skip


def alarms(text: str) -> set[str]:
    return {each.code for each in diagnose_text(text, CATALOG).findings if each.severity != "info"}


@pytest.mark.parametrize(
    ("healthy", "faulty", "code"),
    [
        (lengthening(16100), lengthening(8100), "steps-slower"),
        (OFF + LOOPED, "NCCL_P2P_DISABLE=1\n" + LOOPED, "peer-to-peer-disabled"),
        (STEPPED + SIGTERM + "$ kubectl delete pytorchjob llm-ft\n", STEPPED + SIGTERM, "ended-from-outside"),
        (lightning(90) + lightning(100), "Monitored metric val_loss did not improve\n", "not-recognised"),
        (by_algorithm(), by_algorithm(best=200.0), "low-bandwidth"),
        (INTERRUPTED.format("2 (Interrupt)"), INTERRUPTED.format("6 (Aborted)"), "rank-aborted"),
        (SOUND + "JobId=7 State=COMPLETED ExitCode=0:0\n",
         SOUND + "JobId=7 ExitCode=0:9\nWatchdog caught collective operation timeout\n",
         "collective-timeout"),
    ],
    ids=["longer sequences", "a test of adapters", "deleted by hand", "progress bars", "algorithms tried",
         "interrupted", "ended by a signal"],
)  # fmt: skip
def test_a_healthy_log_is_no_alarm_and_a_faulty_one_that_is_like_it_is(healthy, faulty, code):
    assert not alarms(healthy)
    assert code in alarms(faulty)


def test_a_command_that_ended_an_earlier_job_does_not_make_the_failures_of_this_one_its_consequence():
    failed = debug("Using network IB", per_host=8) + (
        "node-0:1:2 [0] misc/socket.cc:50 NCCL WARN socketProgress: Connection closed by remote peer node-1<40122>\n"
        "node-0:1:2 [0] NCCL WARN NET/IB : Got completion from peer 10.0.0.2<45678> with status=12 opcode=1 len=7\n"
    )
    assert {"retries-exhausted", "peer-closed"} <= alarms("me@login:~$ scancel 7\n" + failed)


@pytest.mark.parametrize("device", ["NVIDIA L20", "NVIDIA L2", "NVIDIA L40S", "NVIDIA L4"])
def test_cards_without_nvlink_are_joined_by_pcie(device):
    found = diagnose_text(table(21.5, hosts=1, device=device, sweep=SWEEP), CATALOG)
    assert found.transport == "pcie" and not alarms(table(21.5, hosts=1, device=device, sweep=SWEEP))
