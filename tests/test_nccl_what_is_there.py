"""What a machine has, as lines beside NCCL's show it, against what a job uses; the part that stays behind; jobs that
start again and again. Each cause in several dresses, with the log of a job in which all is well."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from assistant.network.diagnosis.collectives import Collectives
from assistant.present.diagnosis import diagnosis_lines
from assistant.vocabulary.answers import Diagnosis
from tests.nccl_logs import DEVICES, GIB, MIB, channels, debug, table

CATALOG = library.load().catalog
LARGE = {16 * MIB: 0.6, 256 * MIB: 0.9, 2 * GIB: 0.99, 8 * GIB: 1.0}
V100, A100 = "Tesla V100-SXM2-32GB", "NVIDIA A100-SXM4-80GB"


def read(text: str):
    return diagnose_text(text, CATALOG)


def alarms(text: str) -> dict[str, str]:
    return {each.code: each.message for each in read(text).findings if each.severity != "info"}


# Sockets, where the bus of the hosts was looked at


SOCKETS = debug(
    "NET/IB : No device found.", "NET/Socket : Using [0]ens1f0:172.20.4.1<0>", "Using network Socket",
    *(line.replace("localRanks 8", "localRanks 4") for line in channels("Socket", 1, "", 8)), per_host=4,
) + table(4.3, per_host=4, device=V100, sweep=LARGE)  # fmt: skip


@pytest.mark.parametrize(
    "bus",
    [
        "$ lspci | grep -i mellanox\n$ lspci | grep -ic infiniband\n0\n",
        "gpu-07:~$ lspci | egrep -i 'infiniband|connectx'; echo $?\n1\n",
        "root@gpu-07# lspci -d 15b3:\nroot@gpu-07# uptime\n",
        "+ lspci -nn\n+ grep -i mellanox\n+ lspci | grep -i mellanox\n+ true\n",
    ],
)
def test_sockets_are_no_fault_of_hosts_without_rdma_adapters_on_their_bus(bus):
    assert not alarms(bus + SOCKETS)


@pytest.mark.parametrize(
    "bus",
    [
        "",
        "$ lspci | grep -i mellanox\n5e:00.0 Infiniband controller: Mellanox Technologies MT28908 \n$ uptime\n",
        "$ lspci | grep -ci mellanox\n4\n",
        "$ lspci -d 15b3:\n0000:5e:00.0 Ethernet controller: Mellanox Technologies MT2892 [ConnectX-6 Dx]\n",
        "$ lspci | grep -qi mellanox\n$ uptime\n",
        "$ lspci | grep --quiet Mellanox || exit 1\n",
        "+ lspci\n+ grep -q Mellanox\n",
        "if ! lspci | grep Mellanox >/dev/null; then\n",
        "check the adapters with lspci | grep -i mellanox\n",
        "we ran lspci | grep -i mellanox on the other host yesterday.\n",
        "$ lspci | grep -i nvme\n$ uptime\n",
    ],
)
def test_sockets_beside_adapters_on_the_bus_are_a_fault(bus):
    assert "tcp-sockets" in alarms(bus + SOCKETS)


# One adapter, or fewer than usual, by construction


ONE = debug(
    "NCCL_IB_HCA set to mlx5_0:1", "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB ib0:10.7.0.1<0>", "Using network IB",
    "comm 0x5 rank 0 nRanks 8 nNodes 2 localRanks 4 localRank 0 MNNVL 0",
    "Channel 00/0 : 0[0] -> 4[0] [send] via NET/IB/0/GDRDMA", per_host=4,
) + table(23.1, per_host=4, device="NVIDIA A100-SXM4-40GB", sweep=LARGE)  # fmt: skip
MATRIX = (
    "\tGPU0\tGPU1\tGPU2\tGPU3\t{heads}\tCPU Affinity\tNUMA Affinity\n"
    "GPU0\t X \tNV4\tNV4\tNV4\t{cells}\t0-15\t0\nGPU1\tNV4\t X \tNV4\tNV4\t{cells}\t0-15\t0\n"
    "GPU2\tNV4\tNV4\t X \tNV4\t{cells}\t16-31\t1\nGPU3\tNV4\tNV4\tNV4\t X \t{cells}\t16-31\t1\n"
)


@pytest.mark.parametrize(
    "there",
    [
        "$ lspci -d 15b3:\n21:00.0 Infiniband controller: Mellanox Technologies MT28908 Family [ConnectX-6]\n$ date\n",
        MATRIX.format(heads="mlx5_0", cells="PXB"),
        "each node: 4x A100, 1x HDR200\n",
    ],
)
def test_the_one_adapter_that_a_node_has_is_not_pinned(there):
    assert not alarms(there + ONE)


@pytest.mark.parametrize(
    "there",
    [
        "$ lspci -d 15b3:\n21:00.0 Infiniband controller: Mellanox Technologies MT28908\n"
        "41:00.0 Infiniband controller: Mellanox Technologies MT28908\n$ date\n",
        MATRIX.format(heads="NIC0\tNIC1\tNIC2\tNIC3", cells="PXB\tPXB\tSYS\tSYS"),
    ],
)
def test_one_of_several_adapters_that_a_node_has_is_pinned(there):
    assert "one-adapter-pinned" in alarms(there + ONE)


def bonded(*, gpus: int, used: int, peak: float = 91.0) -> str:
    """Four bonded adapters for eight GPUs; the lines of some of a host's GPUs, whose channels use so many of them."""
    names = [f"mlx5_bond_{n}" for n in (1, 2, 3, 4)]
    listed = " ".join(f"[{n}]{name}:1/RoCE" for n, name in enumerate(names))
    said = "".join(
        f"gn-1:{100 + gpu}:{200 + gpu} [{gpu}] NCCL INFO {text}\n"
        for gpu in range(gpus)
        for text in (
            f"NCCL_IB_HCA set to {','.join(names)}",
            f"NET/IB : Using {listed} [RO]; OOB eth0:10.0.0.1<0>",
            "Using network IB",
            f"comm 0x5 rank {gpu} nRanks 32 nNodes 4 localRanks 8 localRank {gpu} MNNVL 0",
            f"Channel 00/0 : {gpu}[{gpu}] -> {8 + gpu}[{gpu}] [send] via NET/IB/{gpu * used // gpus}/GDRDMA",
        )
    )
    return said + table(peak, hosts=4, device=A100, sweep=LARGE)


@pytest.mark.parametrize(
    "inventory",
    [
        "inventory: node=hgx-8 nics=4x(CX6-Dx 2x100G LACP)\n",
        "each node has 8 A100 and four 200GbE adapters\n",
        "host: 8 x A100, 4 x 200 Gb/s RoCE\n",
    ],
)
def test_fewer_adapters_than_gpus_are_as_the_inventory_says(inventory):
    found = read(inventory + bonded(gpus=4, used=2))
    assert found.expected_busbw_gb_per_s == pytest.approx(88.0, rel=0.05), "four adapters of 200 Gb/s"
    assert not [each.code for each in found.findings if each.severity != "info"]


def test_gpus_that_share_adapters_use_as_many_as_they_have_among_them():
    four = "each node has 8 A100 and four 200GbE adapters\n"
    assert "few-adapters-used" not in alarms(four + bonded(gpus=8, used=4))
    assert "few-adapters-used" in alarms(four + bonded(gpus=8, used=2, peak=45.0))


# EFA interfaces, by the type of machine


def efa(found: int, *before: str, hosts: int = 2) -> str:
    return debug("NET/OFI Initializing aws-ofi-nccl 1.9.1-aws", *before,
                 f"NET/OFI Selected Provider is efa (found {found} nics)", "Using network AWS Libfabric",
                 *channels("AWS Libfabric", found), hosts=hosts, per_host=8)  # fmt: skip


@pytest.mark.parametrize(
    ("log", "there"),
    [
        (efa(1, "NET/OFI Running on p4d.24xlarge platform, Setting NCCL_TOPO_FILE environment variable to /x.xml"), 4),
        ("node.kubernetes.io/instance-type: p4de.24xlarge\n" + efa(2), 4),
        (efa(2, "NET/OFI Running on p5.48xlarge platform, topology file /x.xml"), 32),
    ],
)
def test_efa_interfaces_that_the_job_does_not_see_are_told(log, there):
    assert f"of the {there} interfaces" in alarms(log)["adapters-missing"]


def pod(found: int, machine: str, gpus: int) -> str:
    """Two pods that were given some of a machine's GPUs each."""
    return debug("NET/OFI Initializing aws-ofi-nccl 1.9.1-aws", f"NET/OFI Running on {machine} platform, file /x.xml",
                 f"NET/OFI Selected Provider is efa (found {found} nics)", "Using network AWS Libfabric",
                 f"comm 0x55 rank 0 nRanks {2 * gpus} nNodes 2 localRanks {gpus} localRank 0 MNNVL 0",
                 per_host=gpus)  # fmt: skip


@pytest.mark.parametrize(
    ("machine", "found", "gpus"), [("p5.48xlarge", 1, 1), ("p5.48xlarge", 4, 1), ("p4d.24xlarge", 1, 2),
                                   ("p4d.24xlarge", 2, 4), ("p5en.48xlarge", 2, 2)]
)  # fmt: skip
def test_a_pod_that_has_its_gpus_share_of_the_interfaces_is_no_alarm(machine, found, gpus):
    assert "adapters-missing" not in alarms(pod(found, machine, gpus))


def test_a_pod_that_has_less_than_its_share_is_told_of_it():
    told = alarms(pod(1, "p5.48xlarge", 4))["adapters-missing"]
    assert "1 of the 16 interfaces" in told and "for 4 of its 8 GPUs" in told


def test_machines_without_nvidias_gpus_are_not_compared():
    assert "adapters-missing" not in alarms(pod(1, "trn1.32xlarge", 8))


@pytest.mark.parametrize(("machine", "count"), [("p4d.24xlarge", 4), ("p5.48xlarge", 32), ("p5.48xlarge", 8),
                                                ("g5.48xlarge", 1)])  # fmt: skip
def test_all_efa_interfaces_or_one_for_each_gpu_are_no_alarm(machine, count):
    said = f"NET/OFI Running on {machine} platform, Setting NCCL_TOPO_FILE environment variable to /x.xml"
    assert "adapters-missing" not in alarms(efa(count, said))


# An adapter at a lower rate, in NCCL's own topology


def topology(rates: dict[tuple[int, int], float], system: bool = True, usual: float = 50.0) -> str:
    return "".join(
        f"node-{host}:100:200 [0] NCCL INFO             + NET[{rate:.1f}] - NET/{f'{host}-' if system else ''}{nic} "
        f"(1b1d0a0003ceb8a0/1/{rate:.6f})\n"
        for host in range(4)
        for nic in range(8)
        for rate in (rates.get((host, nic), usual),)
    )


@pytest.mark.parametrize(
    ("dump", "said"),
    [
        (topology({(2, 5): 25.0}), "mlx5_5 on node-2 runs at 200 Gb/s where the others run at 400"),
        (topology({(1, 0): 25.0}, system=False), "mlx5_0 on node-1 runs at 200"),
        (topology({(3, 7): 12.5}, usual=25.0), "mlx5_7 on node-3 runs at 100 Gb/s where the others run at 200"),
    ],
)
def test_a_slower_adapter_of_the_topology_is_named(dump, said):
    log = debug(DEVICES, "Using network IB", *channels("IB"), hosts=4, per_host=8)
    slow = alarms(log + dump + table(181.0, hosts=4, sweep=LARGE) + "acceptance: errors=0 -> PASS\n")
    assert said in slow["adapter-slower"] and "said-by-the-log" not in slow
    assert not alarms(log + topology({}) + table(372.0, hosts=4, sweep=LARGE))


@pytest.mark.parametrize("said", ["errors=0 -> PASS", "check: failures: 0, warnings: 0", "rdma counters: errors = 0"])
def test_a_count_of_no_errors_is_no_cause(said):
    log = debug(DEVICES, "Using network IB", *channels("IB"), hosts=4, per_host=8) + table(150.0, hosts=4, sweep=LARGE)
    assert "said-by-the-log" not in alarms(log + said + "\n")


# NVLink that the log shows, and a setting that keeps data from it


ALONE = "".join(
    f"dgx:{100 + gpu}:{200 + gpu} [{gpu}] NCCL INFO {text}\n"
    for gpu in range(4)
    for text in (
        "NCCL_P2P_DISABLE set by environment to 1.",
        f"comm 0x5 rank {gpu} nRanks 4 nNodes 1 localRanks 4 localRank {gpu} MNNVL 0",
        f"Channel 00 : {gpu}[{gpu}] -> {(gpu + 1) % 4}[{(gpu + 1) % 4}] via SHM/direct/direct",
    )
) + "".join(f"step {n} | loss 1.4 | step 2.88s (compute 0.52s, grad sync 2.36s)\n" for n in range(20))
BARE = "      GPU0  GPU1  GPU2  GPU3\n" + "".join(
    f"GPU{row}  " + "  ".join("X" if row == column else "{0}" for column in range(4)) + "\n" for row in range(4)
)


@pytest.mark.parametrize(
    "shown",
    [
        MATRIX.format(heads="NIC0", cells="PXB"),
        BARE.format("NV12"),
        "dgx:100:200 [0] NCCL INFO + NVL[240.0] - NVS/0\n",
    ],
)
def test_peer_to_peer_that_is_off_where_nvlink_is_there_is_an_alarm(shown):
    assert {"peer-to-peer-disabled", "host-memory-inside-node"} <= alarms(shown + ALONE).keys()


@pytest.mark.parametrize("shown", ["", BARE.format("PHB"), BARE.format("SYS")])
def test_peer_to_peer_that_is_off_between_cards_in_slots_is_none(shown):
    assert not alarms(shown + ALONE)


# Ranks that never got a network


def test_ranks_that_nccl_refuses_have_no_network():
    log = "".join(
        f"w1:{100 + rank}:{200 + rank} [0] NCCL INFO {text}\n"
        for rank in range(4)
        for text in (DEVICES, "Using network IB", f"comm 0x5 rank {rank} nranks 4 cudaDev 0 busId 1b000 - Init START")
    )
    refused = (
        "w1:100:200 [0] init.cc:837 NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1b000\n"
    )
    found = read(log + refused)
    assert (found.transport, found.nodes) == ("unknown", 1)
    two_hosts = log.replace("w1:102:202", "w2:102:202").replace("w1:103:203", "w2:103:203")
    assert read(two_hosts + refused).transport == "infiniband"


def test_ranks_of_hosts_with_one_name_are_on_as_many_nodes_as_nccl_says():
    said = "".join(
        f"localhost:{100 + rank}:{200 + rank} [{rank % 4}] NCCL INFO comm 0x5 rank {rank} nRanks 8 nNodes 2 "
        f"localRanks 4 localRank {rank % 4} MNNVL 0\n"
        for rank in range(8)
    )
    assert read(said).nodes == 2


# GPUs that are slowed down


@pytest.mark.parametrize(
    "line",
    [
        "[exporter] 04:12 sm_clock MHz node-12: gpu0=1980 gpu5=1095 temp C: 61 87 throttle: gpu5=0x48 (HW_SLOWDOWN)",
        'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{gpu="5",UUID="GPU-1",Hostname="node-12",job="dcgm"} 72',
        'DCGM_FI_DEV_CLOCKS_EVENT_REASONS{gpu="5",device="nvidia5",Hostname="node-12"} 64',
        "04:12:09 node-12 GPU 5: sm 1095 MHz, 88 C, HW_THERMAL_SLOWDOWN",
    ],
)
def test_the_gpu_that_slows_down_for_heat_is_named_with_its_host(line):
    steps = "".join(f"iteration {n} | elapsed time per iteration (ms): {5200 if n < 20 else 7900}.1 | loss 2.1\n"
                    for n in range(40))  # fmt: skip
    told = alarms(steps + line + "\n")
    assert "5 on node-12" in told["thermal-slowdown"] and "said-by-the-log" not in told


@pytest.mark.parametrize(
    "line",
    [
        'DCGM_FI_DEV_CLOCK_THROTTLE_REASONS{gpu="5",Hostname="node-12"} 1',
        "04:12 sm_clock MHz node-12: gpu0=1980 gpu5=1980 throttle: gpu5=0x4 (SW_POWER_CAP)",
        "04:12:09 node-12 GPU 5: HW_THERMAL_SLOWDOWN: Not Active",
    ],
)
def test_an_idle_gpu_or_its_limit_of_power_is_no_heat(line):
    assert "thermal-slowdown" not in alarms(line + "\n")


def abreast(slow: int, sign: str = "/") -> str:
    rows = "".join(
        f"    rank {rank:3d} {(6600 if rank == slow else 3950) + rank:9.1f} {sign} "
        f"{(540 if rank == slow else 3250) - rank:8.1f}\n"
        for rank in range(40, 48)
    )
    return "".join(
        f"[timers] iteration {n} per-rank forward-backward compute {sign} grad-reduce wait (ms), ranks 40-47:\n{rows}"
        for n in (100, 200, 300)
    )


@pytest.mark.parametrize("sign", ["/", "|"])
def test_times_that_stand_abreast_name_the_rank_that_the_others_wait_for(sign):
    assert "rank 43: 6643 ms of per-rank forward-backward compute" in alarms(abreast(43, sign))["slow-rank"]
    assert not alarms(abreast(-1, sign))


# Starts that make no progress, and who is behind


def attempts(starts: list[int], said: str = "loading checkpoint from /c/run at iteration {0}") -> str:
    return "".join(
        said.format(step) + "\n"
        + "".join(f"iteration {step + n} | loss 2.2 | elapsed time per iteration (ms): 6100.0\n" for n in range(1, 8))
        + "[rank0]:[E ProcessGroupNCCL.cpp:616] [Rank 0] Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum={900 + at}, OpType=_ALLGATHER_BASE, Timeout(ms)=600000) ran for 600013 milliseconds\n"
        for at, step in enumerate(starts)
    )  # fmt: skip


@pytest.mark.parametrize(
    "said",
    [
        "loading checkpoint from /c/run at iteration {0}\n successfully loaded checkpoint from /c/run at iteration {0}",
        "Resuming from checkpoint /c/run/global_step_{0}\nRank 3 resumed from global_step_{0}",
        "INFO Restored state of step {0} in 41 s",
        "resume: loaded ckpt_{0}.pt (epoch 3)",
        "***** Running training *****\n  Continuing training from global step {0}",
        "Resuming from ba{0}-rank0.pt",
    ],
)
def test_a_job_that_starts_again_and_again_from_one_step_makes_no_progress(said):
    told = alarms(attempts([7200, 7200, 7200, 7200], said))["restart-loop"]
    assert "step 7200" in told and "4 times" in told
    assert "restart-loop" not in alarms(attempts([7200, 7900, 8400, 9100], said)), "it goes on from what it saved"
    assert "restart-loop" not in alarms(attempts([7200, 7200], said)), "twice may be chance"


def test_jobs_that_count_their_steps_anew_start_from_the_weights_of_another():
    tuned = "loaded checkpoint of the base model at step 143000\n" + "".join(
        f"step {n} | loss 1.{n} | 0.61 s/it\n" for n in range(1, 9)
    )
    assert "restart-loop" not in alarms(5 * tuned)


def test_trials_from_one_checkpoint_that_end_as_meant_are_no_loop():
    trial = attempts([400]).rpartition("[rank0]")[0] + "training finished, exit code 0\n"
    assert "restart-loop" not in alarms(4 * trial)


ATTEMPT = (
    "loading checkpoint from /ckpt/run at iteration 1000\n"
    + "".join(f"iteration {n} | loss 2.2 | elapsed time per iteration (ms): 6100.0\n" for n in range(1001, 1009))
)  # fmt: skip


@pytest.mark.parametrize(
    "log",
    [
        4 * (ATTEMPT + "saved checkpoint at iteration 1500\nslurmstepd: *** JOB 47 CANCELLED DUE TO TIME LIMIT ***\n"),
        4 * (ATTEMPT + "Checkpoint written to /ckpt/run/step_1500 in 12.1 s; job requeued\n"),
        "".join(f"==> logs/rank_{n}.log <==\n{ATTEMPT}" for n in range(4)),
        "".join(f"=== rank {n} ===\n{ATTEMPT}" for n in range(4)),
        "".join(f"[rank{n}] {line}\n" for n in range(4) for line in ATTEMPT.splitlines()),
        "".join(f"{n}: {line}\n" for n in range(4) for line in ATTEMPT.splitlines()),
        "".join(f"=== trial {n}: lr=0.000{n} ===\n{ATTEMPT}" for n in range(1, 4)),
        "".join(f"starting experiment sweep-{n}\n{ATTEMPT}" for n in range(1, 4)),
        3 * (ATTEMPT + "training finished, exit code 0\n"),
        "".join(f"# run {n}/3, starting from step 8\n{table(370.0)}" for n in range(1, 4)),
    ],
    ids=["saved", "saved and requeued", "files of ranks", "headings of ranks", "ranks before lines", "tasks",
         "trials", "a sweep", "ended as meant", "three tables"],
)  # fmt: skip
def test_starts_from_one_step_are_no_loop_where_something_was_saved_or_they_are_not_of_one_job(log):
    assert "restart-loop" not in alarms(log)


def test_attempts_of_one_rank_are_a_loop_whatever_was_saved_before_them_and_whoever_prints_it():
    said = "".join(f"[rank{n}] {line}\n" for n in range(2) for line in ATTEMPT.splitlines())
    assert "4 times" in alarms("saved checkpoint at iteration 1000\n" + 4 * said)["restart-loop"]
    named = "config: llama-7b.yaml\n" + ATTEMPT
    assert "4 times" in alarms(4 * named)["restart-loop"]


@pytest.mark.parametrize(
    "line",
    [
        "[rank0] flight recorder: last enqueued seq per rank: 812 on 31 ranks; 811 on rank 21 (w-2:5)",
        "flight recorder summary: rank 21 at 811, all other ranks at 812",
        "last collective by rank: 812 on all ranks; 811 on rank 21",
        "flight recorder: ranks 0-20,22-31 at collective 812, rank 21 at 811",
    ],
)
def test_the_rank_that_is_behind_in_a_tally_is_named(line):
    told = alarms(attempts([100]) + line + "\n")["rank-behind"]
    assert "rank 21" in told and "812" in told and "811" in told


def test_a_tally_in_which_no_rank_is_behind_names_none():
    assert "rank-behind" not in alarms(attempts([100]) + "flight recorder: last enqueued per rank: 812 on all ranks\n")


@pytest.mark.parametrize(
    "later",
    [
        "flight recorder: last enqueued seq per rank: 905 on all ranks",
        "flight recorder: last enqueued seq per rank: 905 on 31 ranks; 904 on rank 21",
        "last collective by rank: rank 21 at 813, all other ranks at 813",
        "[rank21]: [PG ID 0 Rank 21] last enqueued work: 840, last completed work: 839",
        "iteration 150 | loss 2.2 | elapsed time per iteration (ms): 6100.0",
    ],
)
def test_a_later_line_that_shows_that_the_rank_went_on_takes_back_that_it_never_came(later):
    tally = "[rank0] flight recorder: last enqueued seq per rank: 812 on 31 ranks; 811 on rank 21 (w-2:5)\n"
    told = alarms(tally + later + "\n").get("rank-behind", "")
    assert "812" not in told
    assert "812" in alarms(tally + tally + "flight recorder: 812 on 31 ranks; 811 on rank 21\n")["rank-behind"]


@pytest.mark.parametrize(
    "later",
    [
        "[rank4] tp group flight recorder: last enqueued seq per rank: 905 on all ranks",
        "[rank21] flight recorder, process group: dp_3: last enqueued seq per rank: 905 on all ranks",
        "[rank21]: [PG ID 3 Rank 21] last enqueued work: 840, last completed work: 839",
    ],
)
def test_what_another_group_counts_says_nothing_of_a_rank_that_never_came(later):
    tally = "[rank0] flight recorder: last enqueued seq per rank: 812 on 31 ranks; 811 on rank 21 (w-2:5)\n"
    assert "812" in alarms(tally + later + "\n")["rank-behind"]
    of_all = later.replace("tp group ", "").replace("dp_3", "default").replace("PG ID 3", "PG ID 0")
    assert "812" not in alarms(tally + of_all + "\n").get("rank-behind", "")


def test_a_group_of_some_ranks_takes_back_what_it_told_itself():
    tally = "[rank4] tp group flight recorder: last enqueued seq per rank: 812 on 7 ranks; 811 on rank 6\n"
    assert "rank 6" in alarms(tally)["rank-behind"]
    later = "tp group flight recorder: last enqueued seq per rank: 905 on all ranks\n"
    assert "rank 6" in alarms(tally + "[rank12] " + later)["rank-behind"]
    assert "rank-behind" not in alarms(tally + "[rank4] " + later)


def test_a_tally_that_comes_again_and_again_is_kept_once_and_counted():
    told = Collectives()
    for number in range(1, 5001):
        told.take(number, f"12:00:{number % 60:02d} flight recorder: 812 on 31 ranks; 811 on rank 21")
    assert len(told._tallied) == 1
    [found] = told.findings(32)
    assert found.line == 1 and "so 5000 times of 5000" in found.message
    assert not [*told.findings(32, stepped=5000)]
    told.take(5002, "flight recorder: 812 on 31 ranks; 811 on rank 21", stepped=5001)
    [found] = told.findings(32, stepped=5001)
    assert found.line == 5002 and "times" not in found.message


def test_tallies_of_many_groups_are_remembered_up_to_an_end():
    told = Collectives()
    for number in range(1, 1001):
        told.take(number, f"[rank{number}] tp group flight recorder: 812 on 31 ranks; 811 on rank {number}")
    assert len(told._tallied) == 100


# A partition that is preempted again and again


def requeued(*, hung: bool = False) -> str:
    lines, step = list[str](), 0
    for hour in range(4):
        for minute in range(50):
            step += 50
            if hung and hour == 3 and minute > 5:
                continue
            lines.append(f"[2026-03-01 0{hour}:{minute:02d}:00] step {step} | loss 1.9 | step_time 1.2s")
        lines.append(
            f"slurmstepd: error: *** JOB 7{hour} ON n1 CANCELLED AT 2026-03-01T0{hour}:50:10 DUE TO PREEMPTION ***"
        )
        lines.append(f"ckpt_{step}.pt written (9.8 s)")
        if hour < 3:
            lines.append(f"resume: loaded ckpt_{step}.pt")
    return "\n".join(lines) + "\n"


def test_a_job_that_is_put_into_the_queue_again_and_goes_on_is_sound():
    assert not alarms(requeued())
    assert "ended-by-scheduler" in alarms(requeued(hung=True)), "its steps had stopped long before"


# Replicas that must be equal


@pytest.mark.parametrize(
    ("line", "who"),
    [
        (
            "weight-hash iteration 900 tp-rank 1: 7/8 replicas 8a11c0de99, rank 27 (gx-3:3) 19bb77a0c1",
            "rank 27 (gx-3:3)",
        ),
        (
            "[step 900] parameter checksum mismatch across data-parallel replicas: rank 27 differs from the others",
            "rank 27",
        ),
        ("[rank 27] model weights not in sync with the other replicas at iteration 900", "rank 27"),
        ("replica check: 15/16 ranks agree, odd one: rank 27", "rank 27"),
        ("weights hash: 7/8 ranks 0xabcdef12, rank 3 differs, received 0x999999", "rank 3"),
        ("weights hash: 7/8 ranks agree, rank 3 (w-1:3) does not; received 8 of 8", "rank 3 (w-1:3)"),
        ("weights hash: 7/8 ranks agree, rank 3 differs; waiting for the operator, next check in 500 steps", "rank 3"),
    ],
)
def test_replicas_that_differ_name_the_rank_however_fast_the_job_is(line, who):
    steps = "".join(f"iteration {n} | elapsed time per iteration (ms): 4400.1 | loss 2.1\n" for n in range(20))
    assert who in alarms(steps + line + "\n" + steps)["replicas-diverged"]


@pytest.mark.parametrize(
    "line",
    [
        "weight-hash iteration 900 tp-rank 1: 8/8 replicas 8a11c0de99",
        "checkpointing 3/8 ranks done, rank 4 next",
        "weights hash: 7/8 ranks 0xabcdef12 received, rank 3 outstanding",
        "weights hash: received 7/8 ranks 0xabcdef12, rank 3 will follow",
        "weights hash: 7/8 ranks 0xabcdef12 so far, next rank 3",
        "weights hash: 7/8 ranks 0xabcdef12, rank 3 (w-1:3) still pending",
        "loaded 3/8 replicas of the weights on rank 4",
        "replica check: 16/16 ranks agree, last: rank 27",
        "[rank 3] parameter shape mismatch: expected [4096], got [2048]",
        "gradient norms of 3/8 ranks: rank 3 0.41",
        "loading: model checksum mismatch of /c/model_3.pt on rank 3",
    ],
)
def test_replicas_that_agree_and_other_counts_are_no_alarm(line):
    assert "replicas-diverged" not in alarms(line + "\n")


def test_a_replica_that_differs_later_is_found_among_many_checks():
    checks = "".join(f"replica check {n}: {15 if n == 60 else 16}/16 ranks agree, odd one: rank {n % 16}\n"
                     for n in range(90))  # fmt: skip
    assert "rank 12" in alarms(checks)["replicas-diverged"]


# Tables of more nodes than the one with a list of ranks


@pytest.mark.parametrize("nodes", [16, 32, 64])
def test_a_table_without_its_ranks_is_not_of_the_nodes_of_another(nodes):
    few = table(360.0, hosts=4, sweep=LARGE)
    many = table(110.0, hosts=nodes, sweep=LARGE, listed=False)
    log = debug(DEVICES, "Using network IB", *channels("IB", ranks=32)) + few + many
    slow = alarms(log)["low-bandwidth"]
    assert 200 < float(slow.partition("about ")[2].split()[0]) < 400, "what eight adapters of 400 Gb/s carry at most"


def test_an_expectation_has_no_more_digits_than_are_known():
    log = debug(DEVICES, "Using network IB", *channels("IB"), hosts=4, per_host=8) + table(181.0, hosts=4, sweep=LARGE)
    assert read(log).expected_busbw_gb_per_s == pytest.approx(345.0)
    said = " ".join(each.message for each in read(log).findings)
    assert "about 340 " in said or "about 350 " in said
    assert "about 340 expected" in "\n".join(diagnosis_lines(Diagnosis(files=[read(log)])))


# Adapters whose rate other tools print


FOUR = ("mlx5_1", "mlx5_4", "mlx5_7", "mlx5_9")
LIST = " ".join(f"[{at}]{name}:1/RoCE" for at, name in enumerate(FOUR))
USED = debug(f"NET/IB : Using {LIST} [RO]; OOB eno2:10.6.0.1<0>", "Using network IB", *channels("IB", 4), hosts=4)
OF_100 = USED + table(43.8, hosts=4, device=A100, sweep=LARGE)


@pytest.mark.parametrize(
    "said",
    [
        "ethtool: " + ", ".join(f"{name} 100000Mb/s" for name in FOUR) + "\n",
        "ports: " + "; ".join(f"{name}: 100 Gb/s" for name in FOUR) + "\n",
        "".join(f"{name}/1 rate=100Gbps\n" for name in FOUR),
        "".join(f"CA '{name}'\n\tPort 1:\n\t\tState: Active\n\t\tRate: 100\n" for name in FOUR),
        "".join(f"/sys/class/infiniband/{name}/ports/1/rate:100 Gb/sec (4X EDR)\n" for name in FOUR),
    ],
)
def test_as_much_is_expected_as_adapters_of_the_printed_rate_carry(said):
    assert not alarms(said + OF_100)
    assert read(said + OF_100).expected_busbw_gb_per_s == pytest.approx(4 * 12.5, rel=0.25)
    assert "low-bandwidth" in alarms(said + USED + table(14.2, hosts=4, device=A100, sweep=LARGE))


@pytest.mark.parametrize(
    "said",
    [
        "",
        "mlx5_4 100000Mb/s\n",
        "ib_write_bw mlx5_1: 97.3 Gb/s, mlx5_4: 98.1 Gb/s\n",
        "".join(f"{name} 100000Mb/s\n" for name in FOUR) + "mlx5_2 200000Mb/s\n",
    ],
)
def test_no_rate_or_that_of_one_adapter_or_beside_faster_ones_leaves_what_is_usual_to_expect(said):
    assert "low-bandwidth" in alarms(said + OF_100)


# Sums in the switches


EIGHT = " ".join(f"[{at}]mlx5_{at}:1/IB" for at in range(8))
SUMS = debug(
    "NCCL_COLLNET_ENABLE set by environment to 1.", f"NET/IB : Using {EIGHT} [RO]; OOB eno1:10.8.0.1<0>",
    "Using network IBext_v8", *channels("IB", 8), hosts=2,
)  # fmt: skip
JOB = "[node-000:0:412 - context.c:671][2025-03-02 09:00:01] INFO sharp_job_id:7 resv_key: tree_type:LLT tree_idx:0\n"
GROUP = (
    "INFO tree_info: type:LLT tree idx:1 treeID:0x3 caps:0x6 quota: ( osts:51 user_data_per_ost:1024 max_groups:51)\n"
)
REFUSED = "[node-000:0:412] ERROR sharp_create_job failed: no resource\n"


@pytest.mark.parametrize(
    ("said", "hosts", "peak", "told"),
    [
        ("", 8, 362.0, True),
        ("", 8, 474.0, False),  # 8 adapters of 50 GB/s give 400 · 8/7 · 63/64 = 450 GB/s at most
        ("", 16, 447.0, False),
        ("", 8, 431.0, True),
        (JOB, 8, 391.0, False),
        (GROUP, 8, 391.0, False),
        (JOB + REFUSED, 8, 362.0, True),
        (JOB, 8, 120.0, True),
    ],
)
def test_sums_in_the_switches_are_missed_unless_a_job_was_made_or_more_arrives_than_adapters_carry(
    said, hosts, peak, told
):
    log = said + SUMS + table(peak, hosts=hosts, sweep=LARGE)
    assert ("sharp-not-used" in alarms(log)) == told


# The network of a log that has none of NCCL's lines


@pytest.mark.parametrize(
    ("said", "transport"),
    [
        ("[ndh100v5-4:01210] SET UCX_TLS=tcp", "unknown"),
        ("size Standard_ND96is_H100_v5", "unknown"),  # no r: without RDMA
        ("the second v5 of the image", "unknown"),
        ("export NCCL_NET=IB NCCL_IB_HCA=mlx5_2", "infiniband"),
        ("mpirun -x NCCL_NET=IB -x NCCL_IB_GID_INDEX=3", "roce"),
        ("export NCCL_NET=IB  # RoCEv2, PFC on priority 3", "roce"),
        ("ndh100v5-4$ export NCCL_NET=Socket", "tcp-socket"),
        ("export NCCL_NET=Mine", "unknown"),
    ],
)
def test_the_setting_of_the_network_tells_which_it_is_and_the_name_of_a_machine_does_not(said, transport):
    assert read(f"{said}\n" + table(31.0, hosts=4, sweep=LARGE)).transport == transport


@pytest.mark.parametrize(
    ("said", "there"),
    [
        ("[ndh100v5-4:01210] SET UCX_TLS=tcp", True),
        ("vmss of Standard_ND96amsr_A100_v4", True),
        ("pool: ND H200 v5, 2 nodes", True),
        ("size Standard_ND128isr_NDR_GB200_v6", True),
        ("size Standard_ND96is_H100_v5", False),  # no r: without RDMA
        ("the second v5 of the image", False),
    ],
)
def test_sizes_of_azures_with_rdma_are_told_as_what_the_machines_have(said, there):
    found = read(f"{said}\n" + table(31.0, hosts=4, sweep=LARGE))
    assert found.transport == "unknown" and ("has InfiniBand" in "; ".join(found.not_checked)) is there


@pytest.mark.parametrize(
    ("command", "transport"),
    [("torchrun --nnodes 2 --nproc_per_node 2 t.py", "tcp-socket"),
     ("srun --export=ALL,SLURM_NNODES=3 t.py", "tcp-socket"),
     ("torchrun --standalone --nproc_per_node 2 t.py", "unknown")],
)  # fmt: skip
def test_a_job_of_several_nodes_that_ended_in_its_bootstrap_was_to_use_the_network_that_nccl_named(command, transport):
    lines = debug(
        "NET/IB : No device found.", "NET/Socket : Using [0]eno3:10.1.1.7<0>", "Using network Socket", hosts=1
    )
    assert read(f"$ {command}\n{lines}").transport == transport


@pytest.mark.parametrize(("through_host", "transport"), [(2, "shm"), (1, "pcie")])
def test_cards_in_pairs_that_host_memory_joins_go_as_fast_as_that(through_host, transport):
    ways = ["P2P/CUMEM", "SHM/direct/direct" if through_host > 1 else "P2P/IPC"]
    lines = debug(
        *(f"Channel 00/0 : {at}[{at}] -> {(at + 1) % 4}[{(at + 1) % 4}] via {ways[at % 2]}" for at in range(4)),
        hosts=1, per_host=4,
    )  # fmt: skip
    text = lines + table(11.0, hosts=1, per_host=4, device="NVIDIA A100 80GB PCIe", sweep=LARGE)
    assert read(text).transport == transport
