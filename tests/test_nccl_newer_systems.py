"""Logs of newer releases, providers and launchers, healthy and faulty, written before the program read them: of the
first twelve all told their network and no healthy one raised an alarm, one storm of pauses was not told and one queue's
error was told in the log's own words alone; of eight more one, behind clush, lost its table. All are known now."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from tests.nccl_logs import DEVICES, GIB, MIB, channels, debug, table

CATALOG = library.load().catalog
SWEEP = {256 * MIB: 0.85, GIB: 0.95, 4 * GIB: 0.99, 8 * GIB: 1.0}
ROCE = DEVICES.replace(":1/IB", ":1/RoCE")


def job(*lines: str, peak: float, device: str = "NVIDIA H100 80GB HBM3", per_host: int = 8, hosts: int = 4) -> str:
    spoken = debug(*lines, per_host=per_host)
    return spoken + table(peak, hosts=hosts, per_host=per_host, device=device, sweep=SWEEP)


def using(name: str, kind: str = "RoCE", of: str = "NET/IB") -> str:
    return f"{of} : Using " + " ".join(f"[{n}]{name}{n}:1/{kind}" for n in range(8)) + " [RO]; OOB eth0:10.9.0.1<0>"


def each(text: str, before: Callable[[int], str]) -> str:
    return "".join(f"{before(at)}{line}\n" for at, line in enumerate(text.splitlines()))


def paused(received: int, storms: int) -> str:
    return "".join(
        f"node-{host}$ ethtool -S rdma0\n     rx_prio3_pause: {received if host == 2 else 120}\n"
        f"     tx_prio3_pause: 21\n     tx_prio3_pause_storm_warning_events: {storms if host == 2 else 0}\n"
        for host in range(4)
    )


CURRENT = (
    "ENV/Plugin: Could not find: libnccl-env.so. Using internal environment plugin", "NCCL version 2.28.9+cuda13.0",
    "Bootstrap: Using eth0:10.4.0.1<0>", "NET/Plugin: Could not find: libnccl-net.so",
    "GIN/Plugin: Could not find: libnccl-gin.so", "RAS client listening socket at ::1<28028>", DEVICES,
    "Initialized NET plugin IB", "Assigned NET plugin IB to comm", "GIN/IB: Assigned GIN plugin to comm",
    "Using network IB", "MNNVL busId 0x1b000 fabric UUID 0.0 cliqueId 0x0 state 3 healthMask 0x0", *channels("IB"),
    "Symmetric memory is not supported across nodes", "PROFILER/Plugin: Could not find: libnccl-profiler.so",
    "comm 0x5 rank 0 nranks 16 cudaDev 0 nvmlDev 0 busId 1b000 commId 0x3 - Init COMPLETE",
)  # fmt: skip
RACK = "".join(
    f"tray-{tray}:{900 + gpu}:{990 + gpu} [{gpu}] NCCL INFO {text}\n"
    for tray in range(18)
    for gpu in range(4)
    for text in (
        "MNNVL busId 0x901000 fabric UUID 7c1f00aa.19de40b2 cliqueId 0x7ffe state 3 healthMask 0x0",
        f"comm 0x5 rank {4 * tray + gpu} nRanks 72 nNodes 18 localRanks 4 localRank {gpu} MNNVL 1",
        f"Channel 00/0 : {4 * tray + gpu}[{gpu}] -> {(4 * tray + gpu + 1) % 72}[0] via P2P/MNNVL",
    )
)
RCCL = ("RCCL version : 2.22.3-HEAD:9d0c33f", "NET/Plugin: Could not find: librccl-net.so", using("bnxt_re"),
        "Using network IB", *channels("IB"))  # fmt: skip
GIB_PLUGIN = ("NET/gIB : Initializing gIB v1.1.0", using("mlx5_", of="NET/gIB"), "Using network gIB", *channels("gIB"))
EFA = ("NET/OFI Initializing aws-ofi-nccl 1.16.3", "NET/OFI Plugin selected platform: AWS",
       "NET/OFI Selected provider is efa, fabric is efa-direct (found 8 nics)", "Using network Libfabric",
       *channels("Libfabric"))  # fmt: skip
NO_EFA = ("NET/OFI Initializing aws-ofi-nccl 1.16.3", "NET/OFI No eligible providers were found",
          "NET/IB : No device found.", "Using network Socket", *channels("Socket", 1, ""))  # fmt: skip
CXI = ("NET/OFI Initializing aws-ofi-nccl 1.14.2", "NET/OFI Selected provider is cxi, fabric is cxi (found 4 nics)",
       "Using network Libfabric", *(line.replace("localRanks 8", "") for line in channels("Libfabric", 4)))  # fmt: skip
NO_MODULE = ("NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0'", DEVICES, "Using network IB",
             *channels("IB", suffix=""))  # fmt: skip
OVERFLOW = "[ 9182.1] bnxt_en 0000:41:00.0 bnxt_re3: QP 0x1f1: CQ overflow, moving to error state\n"
RETRIES = (
    "[2026-11-12 03:11:31] node-1:105:5105 [5] ncclIbTest:2310 NCCL WARN NET/IB: Got completion from peer 10.4.0.1<4> "
    "with status=IBV_WC_RETRY_EXC_ERR(12) opcode=IBV_WC_SEND(0) vendor_err=129 localGid {0} remoteGids{0} hca {1}\n"
)
FULL = "[default5]:[rank13]: torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB.\n"
WATCHDOG = "".join(
    f"[rank{rank}]:[E1112 03:22:08.1 ProcessGroupNCCL.cpp:632] [Rank {rank}] Watchdog caught collective operation "
    "timeout: WorkNCCL(SeqNum=811, OpType=_ALLGATHER_BASE, Timeout(ms)=600000) ran for 600013 milliseconds\n"
    for rank in range(13)
)

# name: (log, transport, the alarms that it must raise, all of them where none)
LOGS = {
    "storm of pauses": (job(ROCE, "Using network IB", *channels("IB"), peak=88.0) + paused(9912881234, 219), "roce",
                        {"pause-storm", "low-bandwidth"}),
    "pauses as usual": (job(ROCE, "Using network IB", *channels("IB"), peak=350.0) + paused(1207, 0), "roce", set()),
    "NCCL 2.28": (job(*CURRENT, peak=372.0), "infiniband", set()),
    "NCCL 2.28, a peer that is silent": (debug(*CURRENT, per_host=8) + RETRIES.format("fe80::1", "mlx5_5"),
                                         "infiniband", {"retries-exhausted"}),
    "GB200 over NVLink": (RACK + table(905.0, hosts=18, per_host=4, device="NVIDIA GB200", sweep=SWEEP), "nvlink",
                          set()),
    "MI300X with Thor2": (job(*RCCL, peak=352.0, device="AMD Instinct MI300X"), "roce", set()),
    "MI300X with Thor2, a queue that overflows": (debug(*RCCL, per_host=8) + OVERFLOW
                                                  + RETRIES.format("::ffff:10.9.3.1", "bnxt_re3"), "roce",
                                                  {"adapter-queue-broken", "retries-exhausted"}),
    "MI355X with its plugin": (job("RCCL version : 2.27.7-HEAD:1", using("ionic_", of="NET/ANP"),
                                   "Using network RCCL-ANP", *channels("RCCL-ANP"), peak=350.0,
                                   device="AMD Instinct MI355X"), "roce", set()),
    "gIB behind kubectl's times": (each(job(*GIB_PLUGIN, peak=355.0, device="NVIDIA B200"),
                                        lambda at: f"2026-11-12T03:11:{at % 60:02d}.{at:09d}Z "), "gib", set()),
    "EFA behind srun's labels": (each(job(*EFA, peak=345.0, device="NVIDIA B200"), lambda at: f"{at % 32:2d}: "),
                                 "efa", set()),
    "EFA that fell back": (each(job(*NO_EFA, peak=6.1), lambda at: f"{at % 32:02d}: "), "tcp-socket",
                           {"efa-provider-missing", "tcp-sockets"}),
    "Slingshot by the plugin's new name": (job(*CXI, peak=88.0, per_host=4, device="NVIDIA GH200 120GB"), "slingshot",
                                           set()),
    "lines as a container's runtime keeps them": (
        "".join(json.dumps({"log": f"{line}\n", "stream": "stdout"}) + "\n" for line in job(
            DEVICES, "Using network IB", *channels("IB"), peak=352.0).splitlines()), "infiniband", set()),
    "clush, without GPUDirect": (each(job(*NO_MODULE, peak=91.0), lambda _: "n1: "), "infiniband",
                                 {"no-gpudirect", "low-bandwidth"}),
    "a rank without memory": (debug(ROCE, "Using network IB", per_host=8) + FULL + WATCHDOG, "roce",
                              {"gpu-memory-full", "collective-timeout"}),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_a_log_of_a_newer_system_tells_its_network_and_what_is_wrong(name):
    text, transport, faults = LOGS[name]
    found = diagnose_text(text, CATALOG)
    alarms = {each.code for each in found.findings if each.severity != "info"}
    assert found.transport == transport
    assert faults <= alarms and (faults or not alarms)


@pytest.mark.parametrize(
    ("collective", "release"),
    [
        *(("all_reduce", release) for release in ("1.0", "2.0", "2.17", "2.19")),
        ("alltoall", "2.0"),
        ("alltoall", "2.17"),
    ],
)
def test_the_tables_behind_the_first_are_read_as_carefully(collective, release):
    """Rows of a kind that is known are read in a shorter way: what they say is the same."""

    def one(peak: float, wrong: str = "0") -> str:
        return table(peak, collective, hosts=4, release=release, wrong=wrong)

    good = diagnose_text(one(310.0) + one(320.0) + one(330.0), CATALOG)
    assert good.peak_busbw_gb_per_s == 330.0 and good.ranks == 32
    alone = {each.code for each in diagnose_text(one(310.0), CATALOG).findings}
    assert {each.code for each in good.findings} == alone
    if release not in ("1.0", "2.0"):
        bad = diagnose_text(one(310.0) + one(320.0) + one(300.0, "3"), CATALOG)
        (told,) = [each for each in bad.findings if each.code == "wrong-results"]
        assert told.line > one(310.0).count("\n") * 2
    edited = one(310.0) + one(320.0) + one(330.0).replace("330.00", "230.00")
    assert "table-inconsistent" in {each.code for each in diagnose_text(edited, CATALOG).findings}
