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


def notice(*after: str) -> str:
    """What Slurm and a script that handles its signal print of a preemption, and what came after it."""
    told = (
        "slurmstepd: error: *** STEP 7.0 ON bn1 CANCELLED AT 2026-02-02T09:29:35 DUE TO PREEMPTION ***",
        "[2026-02-02 09:29:35] caught SIGUSR1 on rank 0: preemption notice, 180 s grace",
    )
    return "\n".join((*told, *after)) + "\n" + SIGTERM


# One host that serves on its eight GPUs: it looks for adapters as NCCL always does, and needs none.
SERVING = (
    debug("NET/IB : No device found.", "Using network Socket", "NVLS multicast support is available on dev 0",
          "Connected all rings, use ring PXN 0 GDR 1", hosts=1, per_host=8)
    + "[2026-02-02 05:13:41 TP0] WARNING: Using default MoE kernel config. Performance might be sub-optimal! "
    "Config file not found at E=257,N=256.json\n[2026-02-02 05:15:05] INFO:     Uvicorn running on http://0.0.0.0:3000\n"
)  # fmt: skip


def four_adapters(gpu: str, peak: float, names: tuple[int, ...] = (0, 1, 2, 3), *also: str) -> str:
    listed = " ".join(f"[{at}]mlx5_{name}:1/IB" for at, name in enumerate(names))
    lines = (*also, f"NET/IB : Using {listed} [RO]; OOB ens3f0:10.9.0.12<0>", "Using network IB", *channels("IB"))
    return debug(*lines, per_host=8) + table(peak, "all_gather", device=gpu, sweep=SWEEP)


A100, HIDDEN = "NVIDIA A100-SXM4-80GB", "NCCL_IB_HCA set by environment to mlx5_0,mlx5_1,mlx5_2,mlx5_3"


def over_efa(gpu: str, peak: float) -> str:
    """A test over EFA, whose plugin does without GPUDirect."""
    lines = ("NET/OFI Selected provider is efa, fabric is efa (found 1 nics)", "Using network Libfabric",
             "GPU Direct RDMA Disabled for HCA 0 'rdmap0s6'", *channels("Libfabric", 1, ""))  # fmt: skip
    return debug(*lines, per_host=4) + table(peak, per_host=4, device=gpu, sweep=SWEEP)


def horovod(size: str, also: str = "NET/Socket : Using [0]eth0:10.0.0.4<0>") -> str:
    """Two virtual machines of Azure, of a named size, that train over sockets."""
    lines = ("NET/IB : No device found.", also, "Using network Socket", *channels("Socket", 1, ""))
    return f"two {size}, 8 GPUs each\n" + debug(*lines, per_host=8) + STEPPED


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
        (STEPPED + notice("step 29 finished, saving", "no checkpoint was saved, the last saved checkpoint is step 4"),
         STEPPED + "slurmstepd: error: *** JOB 7 ON n CANCELLED AT 2026-02-02T09:29:35 DUE TO NODE FAILURE ***\n",
         "node-down"),
        (SERVING, "server_args=ServerArgs(tp_size=16, nnodes=2, node_rank=0)\n" + SERVING, "no-rdma-device"),
        (four_adapters(A100, 91.0), four_adapters("NVIDIA H200", 185.0), "adapters-left-out"),
        (four_adapters(A100, 91.0), four_adapters(A100, 91.0, (0, 1, 4, 5)), "adapters-left-out"),
        (four_adapters(A100, 91.0), four_adapters(A100, 91.0, (0, 1, 2, 3), HIDDEN), "adapters-left-out"),
        (four_adapters(A100, 91.0), four_adapters(A100, 30.0), "low-bandwidth"),
        (over_efa("NVIDIA A10G", 4.5), over_efa("NVIDIA H100 80GB HBM3", 40.0), "no-gpudirect"),
        (horovod("Standard_NC24s_v3"), horovod("Standard_NC24rs_v3"), "tcp-sockets"),
    ],
    ids=["longer sequences", "a test of adapters", "deleted by hand", "progress bars", "algorithms tried",
         "interrupted", "ended by a signal", "preempted, or its host failed", "one host",
         "four adapters of an A100 node",
         "of eight, by their numbers", "of eight, as chosen", "four, and slower", "EFA without GPUDirect",
         "a size without RDMA"],
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


def test_more_ranks_than_a_server_has_gpus_are_on_several_hosts_though_one_host_alone_speaks():
    log = debug("NET/OFI Selected Provider is efa (found 4 nics)", "Using network AWS Libfabric",
                "comm 0x1 rank 0 nranks 16 cudaDev 0 busId 101c0 - Init START",
                "Channel 00/0 : 0[0] -> 7[7] via P2P/CUMEM/read", hosts=1)  # fmt: skip
    assert diagnose_text(log, CATALOG).transport == "efa"
    assert diagnose_text(log.replace("nranks 16", "nranks 8"), CATALOG).transport == "p2p"


def test_the_log_of_nodes_with_fewer_adapters_says_so_and_expects_what_these_carry():
    found = diagnose_text(four_adapters(A100, 91.0), CATALOG)
    assert found.expected_busbw_gb_per_s and found.expected_busbw_gb_per_s < 100
    assert "adapters-fewer-than-usual" in {each.code for each in found.findings}


def test_a_line_that_says_itself_that_nothing_failed_is_not_told_as_the_cause():
    tried = "W bfc_allocator.cc:290] ran out of memory; the caller indicates that this is not a failure\n"
    assert "said-by-the-log" not in alarms(tried + horovod("Standard_NC24rs_v3"))
    assert "said-by-the-log" in alarms(tried.replace("not a", "a") + horovod("Standard_NC24rs_v3"))


def test_two_hosts_of_v100_cards_in_pcie_without_a_sign_of_rdma_have_sockets_alone():
    lines = ("NET/IB : No device found.", "Using network Socket", *channels("Socket", 1, ""))
    card = "Created device GPU:0, name: Tesla V100-PCIE-16GB, pci bus id: 0001:00:00.0\n"
    assert not alarms(card + debug(*lines, per_host=4) + STEPPED)
    assert "tcp-sockets" in alarms(card.replace("PCIE", "SXM2") + debug(*lines, per_host=8) + STEPPED)


def test_a_host_that_never_connected_may_be_one_of_several():
    began = debug("NET/IB : No device found.", "Using network Socket", "NVLS multicast support is available on dev 0",
                  hosts=1, per_host=8)  # fmt: skip
    assert "no-rdma-device" in alarms(began)


def test_nodes_of_four_gpus_with_an_adapter_each_have_all_that_they_should():
    four = four_adapters(A100, 91.0).partition("# Collective")[0].replace("1[1] -> 8[0]", "1[1] -> 4[0]")
    found = diagnose_text(four + table(91.0, "all_gather", per_host=4, device=A100, sweep=SWEEP), CATALOG)
    assert "adapters-fewer-than-usual" not in {each.code for each in found.findings}
