"""``weft nccl diagnose`` reads what other tools print of a machine and what a job says of its steps: each with a log
that has the fault, and one that looks alike and has none."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from tests.nccl_logs import DEVICES, H100_NAME, channels, debug, table
from tests.program import weft

CATALOG = library.load().catalog
SOUND = debug(DEVICES, "Using network IB", *channels("IB"), "Init COMPLETE", per_host=8)
TCP = debug(
    "NET/Socket : Using [0]eno1:10.0.0.1<0>", "Using network Socket", *channels("Socket", 1, ""), "Init COMPLETE"
)
OFI = "node-{}:1:2 [0] NCCL INFO NET/OFI Selected Provider is efa (found {} nics)\n"
DIED = (
    "[rank0]:[E1 ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=9, "
    "OpType=ALLREDUCE, Timeout(ms)=600000) ran for 600032 milliseconds\n"
)


def steps(*times: float, more: str = "") -> str:
    return "".join(f"step {n}/900 | loss 2.1 | step_time {time} s{more}\n" for n, time in enumerate(times))


def asked(columns: str, *rows: str, headline: bool = True) -> str:
    """``nvidia-smi --query-gpu``, with its headline or as ``noheader`` leaves it out."""
    form = "csv" if headline else "csv,noheader"
    head = f"{columns.replace(',', ', ')}\n" if headline else ""
    return f"$ nvidia-smi --query-gpu={columns} --format={form}\n{head}" + "".join(f"{row}\n" for row in rows)


def matrix(odd: str = "NV18", far: str = "PIX") -> str:
    cells = [["NV18"] * 4 for _ in range(4)]
    cells[0][3] = cells[3][0] = odd
    rows = [" ".join(["X" if n == m else cell for m, cell in enumerate(row)]) for n, row in enumerate(cells)]
    nics = ["PIX SYS", "PIX SYS", f"{far} SYS", "SYS PIX"]
    lines = [f"GPU{n} {row} {nic} 0-31 0" for n, (row, nic) in enumerate(zip(rows, nics, strict=True))]
    return "\tGPU0 GPU1 GPU2 GPU3 NIC0 NIC1 CPU Affinity NUMA Affinity\n" + "\n".join(lines) + "\n"


def ethernet(name: str, rate: int) -> str:
    return f"{name}             UP             10.1.0.51/24\n\tSpeed: {rate}Mb/s\n"


def cabled(*pairs: tuple[str, str, str]) -> str:
    return "".join(f"{host} {adapter} -> leaf-{leaf}\n" for host, adapter, leaf in pairs)


def smi(*used: int) -> str:
    return "".join(
        f"|   {n}  NVIDIA H100 80GB HBM3          On  | 00000000:1B:00.0   Off |                    0 |\n"
        f"| N/A   35C    P0            75W /  700W |  {mib:6d}MiB /  81559MiB |      0%      Default |\n"
        for n, mib in enumerate(used)
    )


def networks(other: str) -> str:
    first = debug(DEVICES, "Using network IB", "comm 0x1 rank 0 nRanks 16 nNodes 2 localRanks 8", hosts=1)
    return first + debug(f"Using network {other}", "comm 0x1 rank 8 nRanks 16 nNodes 2 localRanks 8", hosts=1).replace(
        "node-0", "node-1"
    )


def chosen(*algorithms: str) -> str:
    of_each = (debug(f"NCCL_ALGO set by environment to {each}", hosts=1).replace("node-0", f"node-{n}")
               for n, each in enumerate(algorithms))  # fmt: skip
    return networks("IB") + "".join(of_each)


LANES = "index,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current,pcie.link.width.max,utilization.gpu"
GIB = 1024
MAP = "Map:  {}%|###   | 7201000/11842034 [07:38<04:55, 15712.93 examples/s]\n"
NVLS_OFF = debug("NCCL_NVLS_ENABLE set by environment to 0", DEVICES, "Using network IB", *channels("IB"), per_host=8)
PORT = "node-1:1:2 [3] transport/net_ib.cc:93 NCCL WARN NET/IB : mlx5_3:1 Got async event : port {}\n"
SAVING = "saving checkpoint at iteration     400 to /mnt/blob/ckpt in torch_dist format\n"
NO_GDR, SHM = "NCCL_NET_GDR_LEVEL set by environment to LOC", "Channel 00/0 : 0[0] -> 3[3] via SHM/direct/direct"
FAULTS = {
    "rank-prepares-data": SOUND + MAP.format(12) + MAP.format(61) + DIED,
    "process-crashed": SOUND + "failed (exitcode: -11) local_rank: 3\n" + DIED,
    "rank-killed": SOUND + "failed (exitcode: -9) local_rank: 3\n" + DIED,
    "steps-slower": steps(*[3.0] * 8, *[5.1] * 8),
    "waits-for-data": steps(*[5.1] * 8, more=" | data_time 2.9 s"),
    "nvlink-uneven": matrix(odd="SYS"),
    "adapters-far": matrix(far="SYS") + SOUND + table(140.0),
    "pcie-lanes-lost": asked(LANES, "0, 5, 5, 16, 16, 99 %", "1, 5, 5, 4, 16, 99 %", "2, 5, 5, 16, 16, 98 %"),
    "pcie-lanes-lost, by its generation": asked(LANES, "0, 5, 5, 16, 16, 99 %", "1, 1, 5, 16, 16, 97 %"),
    "pcie-lanes-lost, by lspci": "3b:00.0 Ethernet controller: X\n LnkCap: Speed 32GT/s, Width x16\n"
    " LnkSta: Speed 32GT/s, Width x8\n",
    "gpu-power-limited": asked(
        "index,power.limit,power.default_limit", "0, 700.00 W, 700.00 W", "1, 400.00 W, 700.00 W"
    ),
    "gpu-memory-held": asked("index,memory.used", "0, 4 MiB", "1, 72990 MiB", "2, 4 MiB", headline=False) + DIED,
    "gpu-memory-held, by the table": smi(522, 522, 77 * GIB, 522) + DIED,
    "gpu-errors-counted": asked("index,ecc.errors.uncorrected.volatile.total", "0, 0", "1, 3"),
    "thermal-slowdown": asked("index,clocks_event_reasons.active", "0, 0x0000000000000000", "1, 0x0000000000000040"),
    "slow-interface": TCP + ethernet("eno1", 1000) + ethernet("ens2np0", 100000) + table(0.11, per_host=2),
    "networks-differ": networks("Socket"),
    "settings-differ": chosen("Ring", "Tree"),
    "adapters-missing": OFI.format(0, 32) + OFI.format(1, 31) + DIED,
    "rails-swapped": cabled(
        ("h-1", "mlx5_2", "2"), ("h-1", "mlx5_3", "3"), ("h-2", "mlx5_2", "3"), ("h-2", "mlx5_3", "2")
    ),
    "path-mtu": "ping -c3 -M do -s 1472: 3/3 received\nping -c3 -M do -s 8972: 0/3 received\n" + DIED,
    "mtu-differs": "mt-1$ ip link show ens7 | grep mtu\nmtu 9000\nmt-2$ ip link show ens7 | grep mtu\nmtu 1500\n",
    "program-error": SOUND + steps(3.0) + "gpu-b [rank6]: KeyError: Caught KeyError in DataLoader worker process 2.\n"
    "gpu-b [rank6]: KeyError: 'input_ids'\n" + DIED,
    "port-error": SOUND + steps(3.0, 3.0) + PORT.format("error") + DIED,
    "checkpoint-holds-up": SOUND + steps(3.0, 3.0) + SAVING + DIED,
    "gpudirect-disabled": debug(DEVICES, NO_GDR, "Using network IB", *channels("IB", 1, ""), per_host=8),
    "not-lossless": "leaf-2 swp1-32  PFC mode: off\n" + SOUND + "node-0 mlx5_0 packet_seq_err 1802211\n" + DIED,
    "bound-to-one-socket": "$ mpirun numactl --cpunodebind=0 --membind=0 ./all_reduce_perf\n" + SOUND + table(300.0),
    "gid-index-pinned": "+ mpirun -x NCCL_IB_GID_INDEX=0 ./all_reduce_perf\n"
    + SOUND.partition("Channel")[0]
    + "\nnode-0:1:2 [0] NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out\n",
}
HEALTHY = {
    "a port that came back": SOUND + steps(3.0, 3.0) + PORT.format("error") + "kernel: mlx5_core 0000:5e:00.0: "
    "Link down\n" + steps(3.0, 3.0),
    "GPUDirect off where GPUs meet in host memory": debug(
        DEVICES, NO_GDR, "Using network IB", *channels("IB", 8, ""), *[SHM] * 9, per_host=4),
    "a job that ended": SOUND + steps(3.0)
    + "node-1:1:2 [0] NCCL INFO [Service thread] Connection closed by localRank 0\n"
    "[W1 TCPStore.cpp:122] [c10d] recvValue failed on SocketImpl: Connection reset by peer\nexit codes: n-1=0 n-2=0\n",
    "sums switched off": NVLS_OFF + table(366.0),
    "preempted": SOUND + steps(3.0, 3.0) + "*** JOB 1 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO PREEMPTION ***\n"
    "1.extern extern COMPLETED 0:0\n",
    "preempted, and requeued": "*** JOB 1 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO PREEMPTION ***\n" + SOUND
    + steps(3.0) + "1 n[1-4] PREEMPTED 0:0 05:17:44\n1 n[3-6] COMPLETED 0:0 01:21:52\n",
    "steps that warm up": steps(9.0, 4.0, *[3.0] * 12),
    "steps with one slow one": steps(*[3.0] * 9, 11.0, *[3.1] * 9),
    "a loader that keeps up": steps(*[5.1] * 8, more=" | data_time 0.04 s"),
    "a matrix of one board": matrix() + SOUND + table(480.0),
    "an adapter far away and a fast table": matrix(far="SYS") + SOUND + table(480.0),
    "idle GPUs with slow links": steps(3.0) + asked(LANES, "0, 1, 5, 16, 16, 0 %", "1, 5, 5, 16, 16, 99 %"),
    "a board of eight lanes each": steps(3.0) + asked(LANES, "0, 4, 4, 8, 16, 90 %", "1, 4, 4, 8, 16, 90 %"),
    "the usual limit of power": steps(3.0) + asked("index,power.limit,power.default_limit", "0, 700.00 W, 700.00 W"),
    "GPUs at work": steps(3.0) + smi(70 * GIB, 71 * GIB, 70 * GIB, 71 * GIB),
    "power capped at its limit": steps(3.0) + asked("index,clocks_event_reasons.active", "0, 0x0000000000000004"),
    "the fast interface": TCP + ethernet("eno1", 1000).replace("eno1", "mgmt0") + ethernet("eno1", 100000) + table(
        10.5, per_host=2, device="NVIDIA L40S"),
    "one network": networks("IB") + steps(3.0),
    "algorithms that were tried": chosen("Ring", "Tree") + table(470.0),
    "as many interfaces": OFI.format(0, 32) + OFI.format(1, 32) + steps(3.0),
    "rails as planned": steps(3.0) + cabled(("h-1", "mlx5_2", "2"), ("h-1", "mlx5_3", "3"),
                                           ("h-2", "mlx5_2", "2"), ("h-2", "mlx5_3", "3")),
    "a store that closed after the end": SOUND + steps(3.0, 3.0) + "training finished, exiting\n"
    "[rank4]:[W901 TCPStore.cpp:125] [c10d] recvValue failed on SocketImpl: failed to recv, got 0 bytes\n",
}  # fmt: skip


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_named(name):
    found = [each.code for each in diagnose_text(FAULTS[name], CATALOG).findings if each.severity != "info"]
    assert name.partition(",")[0] in found


@pytest.mark.parametrize("name", HEALTHY)
def test_what_looks_alike_is_no_alarm(name):
    found = diagnose_text(HEALTHY[name], CATALOG).findings
    assert [each.code for each in found if each.severity != "info"] == []


@pytest.mark.parametrize(
    ("said", "transport"),
    [
        ("fi_info: provider: efa  (16 domains)", "efa"),
        ("$ mpirun -x NCCL_IB_GID_INDEX=3 -x NCCL_IB_TC=106 ./all_reduce_perf", "roce"),
        ("        Link layer: InfiniBand", "infiniband"),
        ("NCCL net on all nodes: IB [mlx5_0,3,4,5,6,9,10,11]  GDR=1", "infiniband"),
        ("two hosts, network: no IB here", "unknown"),
        ("hsn0: cxi0 FI_CXI_DEFAULT_CQ_SIZE=131072", "slingshot"),
        ("allocated 64 GiB of memory", "unknown"),
    ],
)
def test_the_network_is_known_by_what_other_lines_name(said, transport):
    assert diagnose_text(f"{said}\n{table(300.0, device=H100_NAME)}", CATALOG).transport == transport


def test_data_that_was_prepared_and_a_kill_after_the_time_out_do_not_lead():
    after = "failed (exitcode: -9) local_rank: 3\n"
    preempted = "*** JOB 1 ON n1 CANCELLED AT 2026-01-01T00:00:00 DUE TO PREEMPTION ***\n"
    for before, codes in ((DIED, ["collective-timeout"]), (preempted, [])):
        found = diagnose_text(SOUND + MAP.format(61) + MAP.format(100) + before + after, CATALOG).findings
        assert [each.code for each in found if each.severity != "info"] == codes


@pytest.mark.parametrize(("ranks", "transport"), [(8, "p2p"), (32, "unknown")])
def test_channels_inside_a_node_do_not_name_the_network_of_a_job_that_no_node_holds(ranks, transport):
    channel = "Channel 01/0 : 0[0] -> 7[7] via P2P/CUMEM"
    said = debug(channel, f"comm 0x1 rank 0 nranks {ranks} cudaDev 0 - Init COMPLETE",
                 hosts=1, per_host=1)  # fmt: skip
    assert diagnose_text(said, CATALOG).transport == transport


def test_the_network_that_joins_the_gpus_of_amd_has_its_own_name():
    inside = debug("comm 0x1 rank 0 nRanks 8 nNodes 1 localRanks 8", "Channel 01/0 : 0[0] -> 7[7] via P2P/IPC", hosts=1)
    assert diagnose_text("RCCL version 2.20.5+hip6.2 HEAD:d380693+\n" + inside, CATALOG).transport == "xgmi"
    assert diagnose_text(inside, CATALOG).transport == "p2p", "no line names the GPUs"


def test_a_network_that_nccl_did_not_find_carries_nothing():
    refused = debug("NET/IB : No device found.") + "node-0:1:2 [0] net.cc:692 NCCL WARN Error: network IB not found.\n"
    assert diagnose_text("$ systemctl is-active opensm\nfailed\n" + refused, CATALOG).transport == "unknown"


def test_a_checkpoint_that_held_nobody_up_is_not_told():
    assert diagnose_text(SOUND + steps(3.0, 3.0) + SAVING, CATALOG).findings == []


TITAN = (
    "[rank0]:[titan] 2026-11-02 10:00:0{0} - root - INFO - step: {0}  loss: 8.1  grad_norm: 1.3  memory: 61.2GiB(77.3%)"
    "  tps: {1}  tflops: 420.1  mfu: 42.47%\n"
)
MEGATRON = (
    " [2026-11-01 10:00:0{0}] iteration        {0}/  500000 | consumed samples: 1024 | elapsed time per iteration (ms)"
    ": {1} | learning rate: 1.2E-04 | lm loss: 2.5E+00 | grad norm: 0.311 |\n"
)


COMPOSER = (
    "[batch={0}0/4000]:\n\t Train time/epoch: 0\n\t Train loss/train/total: 7.91\n"
    "\t Train throughput/batches_per_sec: 0.2151\n\t Train throughput/tokens_per_sec: {1}\n"
)


@pytest.mark.parametrize(
    "bar",
    [
        "1|{0}|Loss: 2.03:   6%|x | {0}/880 [01:{0}<18:11,  1.32s/it]\n",
        "Training:  12%|#2        | {0}/1000 [04:{0}<29:20,  2.00s/it]\n",
        "100%|##########| {0}/60 [04:{0}<00:00,  1.05it/s]\n",
    ],
)
def test_a_log_of_nothing_but_a_progress_bar_is_known_for_one_of_a_job(bar):
    assert diagnose_text("".join(bar.format(n) for n in range(10, 40)), CATALOG).findings == []


@pytest.mark.parametrize(("last", "codes"), [(28190.4, []), (11022.7, ["steps-slower"])])
def test_the_steps_of_composer_are_read_though_their_figures_stand_in_lines_of_their_own(last, codes):
    found = diagnose_text("".join(COMPOSER.format(n, 28200.1 if n < 8 else last) for n in range(1, 17)), CATALOG)
    assert [each.code for each in found.findings] == codes
    assert any("16 steps of a job" in each for each in found.checked)


@pytest.mark.parametrize(
    ("line", "steady", "slower"),
    [(TITAN, ["7,301", "7,298"], ["7,301", "4,102"]), (MEGATRON, ["5321.4", "5330.1"], ["5321.4", "9872.0"])],
)
def test_the_log_of_a_trainer_alone_is_read_and_what_it_cannot_tell_is_said(tmp_path, line, steady, slower):
    log = tmp_path / "train.log"
    log.write_text("".join(line.format(n, steady[n > 4]) for n in range(10)), encoding="utf-8")
    said = weft("nccl", "diagnose", str(log))
    text = " ".join(said.out.split())
    assert said.code == 0 and "checked: 10 steps of a job, lines 1 to 10" in text and "NCCL_DEBUG=INFO" in text
    assert "which network carries the data" in text.partition("could not be checked")[2]
    log.write_text("".join(line.format(n, slower[n > 4]) for n in range(10)), encoding="utf-8")
    assert "(steps-slower)" in weft("nccl", "diagnose", str(log)).out
