"""Sockets that a provider means, networks that a log cut at its start still tells, and the host that several runs in
one file have in common."""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from assistant.vocabulary.answers import DiagnosedFile
from tests.nccl_logs import channels, debug, table

CATALOG = library.load().catalog
A100, GH200 = "NVIDIA A100-SXM4-40GB", "NVIDIA GH200 120GB"
FAST = ("NET/Plugin: Loaded net plugin FastSocket (v8)", "NET/FastSocket : Using [0]ens12:10.128.0.9<0>",
        "Using network FastSocket", *channels("FastSocket", 1, ""))  # fmt: skip
PLAIN = ("NET/Plugin: No plugin found (libnccl-net.so)", "NET/IB : No device found.",
         "NET/Socket : Using [0]ens12:10.128.0.9<0>", "Using network Socket", *channels("Socket", 1, ""))  # fmt: skip


def read(text: str) -> DiagnosedFile:
    return diagnose_text(text, CATALOG)


def alarms(found: DiagnosedFile) -> list[str]:
    return [each.code for each in found.findings if each.severity != "info"]


@pytest.mark.parametrize(
    ("lines", "host", "device", "alarm"),
    [
        (FAST, "a2-highgpu-8g-", A100, []),
        (FAST, "gke-a3-edge-", "NVIDIA H100 80GB HBM3", []),
        (PLAIN, "gke-train-a2-highgpu-8g-pool-1f-", A100, []),
        (PLAIN, "node-", A100, ["no-rdma-device", "tcp-sockets"]),
        (("NCCL_FASTRAK_CTRL_DEV set by environment to eth0", *FAST), "a3-", A100, ["plugin-missing", "tcp-sockets"]),
    ],
)
def test_sockets_that_a_provider_documents_are_a_note_and_a_fall_back_to_them_a_fault(lines, host, device, alarm):
    found = read(debug(*lines).replace("node-", host) + table(5.2, device=device))
    assert found.transport == "tcp-socket" and sorted(alarms(found)) == alarm
    assert alarm or any("as the provider documents" in each.message for each in found.findings)


@pytest.mark.parametrize(
    ("line", "host", "transport"),
    [
        ("NET/OFI Using Libfabric version 1.22", "ip-10-1-2-", "efa"),
        ("NET/OFI Posted send request 0x7fe4c0 on dev rdmap79s0 size 524288", "node-", "efa"),
        ("NET/OFI NIC group 0 device #0 0000:53:00.0", "node-", "efa"),
        ("Channel 00/0 : 0[0] -> 8[0] [send] via NET/AWS Libfabric/0/GDRDMA", "node-", "efa"),
        ("Channel 00/0 : 0[0] -> 8[0] [send] via NET/Libfabric/0/GDRDMA", "node-", "efa"),
        ("Channel 00/0 : 0[0] -> 4[0] [send] via NET/AWS Libfabric/0/GDRDMA", "nid00100", "slingshot"),
        ("NET/OFI Using CXI device cxi0", "node-", "slingshot"),
    ],
)
def test_a_log_that_is_cut_at_its_start_still_tells_its_libfabric_network(line, host, transport):
    assert read(debug(line, per_host=8).replace("node-", host)).transport == transport


PAIRS = [("nid001000", "nid001001", 78.0), ("nid001000", "nid001002", 41.0), ("nid001001", "nid001002", 40.0),
         ("nid001003", "nid001002", 42.0), ("nid001001", "nid001003", 77.5)]  # fmt: skip


def between(run: int, pair: tuple[str, str, float], how: str) -> str:
    """The log of one run of several: its hosts in the list of ranks, in NCCL's lines, or in the command."""
    one, other, peak = pair
    made = table(peak, per_host=4, device=GH200, listed=how == "listed")
    if how == "command":
        return f"$ srun -N2 --nodelist={one},{other} ./all_reduce_perf -b 64M -e 8G -f 2 -w 5\n{made}"
    lines = channels("AWS Libfabric", 4, ranks=8)
    spoken = debug("NET/OFI Selected Provider is cxi (found 4 nics)", *lines, per_host=4).replace("localRanks 8", "")
    text = spoken.replace(":10", f":{run}10") + made
    return text.replace("node-000", one).replace("node-001", other).replace("node-0:", f"{one}:").replace(
        "node-1:", f"{other}:"
    )  # fmt: skip


@pytest.mark.parametrize("how", ["listed", "printing", "command"])
@pytest.mark.parametrize("runs", [PAIRS, PAIRS[:3]], ids=["five pairs", "three pairs"])
def test_the_host_that_all_slow_runs_of_a_file_have_in_common_is_named(how, runs):
    found = read("".join(between(at, pair, how) for at, pair in enumerate(runs, 1)))
    assert found.transport == ("unknown" if how == "command" else "slingshot") and alarms(found) == ["slow-host"]
    assert "nid001002" in found.findings[0].message


@pytest.mark.parametrize(
    "runs",
    [
        PAIRS[:2],
        [("a", "b", 78.0), ("a", "c", 60.0), ("b", "c", 62.0)],
        [("a", "b", 78.0), ("a", "c", 41.0), ("b", "c", 76.0)],
        [("a", "b", 78.0), ("a", "c", 77.0), ("b", "c", 79.0), ("a", "d", 40.0)],
    ],
)
def test_no_host_is_accused_where_few_runs_leave_it_open(runs):
    found = read("".join(between(at, pair, "listed") for at, pair in enumerate(runs, 1)))
    assert "slow-host" not in alarms(found)


@pytest.mark.parametrize(
    ("machine", "said"),
    [
        ("machine type: a3-megagpu-8g, us-central1-c", "GPUDirect-TCPXO"),
        ("node.kubernetes.io/instance-type=a3-megagpu-8g", "GPUDirect-TCPXO"),
        ("machine_type = a3-highgpu-8g", "GPUDirect-TCPX"),
        ("instance a3-ultragpu-8g, zone europe-west1-b", "gIB"),
        ("2 x p5.48xlarge", "EFA"),
    ],
)
def test_sockets_on_a_machine_whose_provider_has_more_name_the_plugin_that_is_missing(machine, said):
    found = read(f"{machine}\n" + debug(*PLAIN) + table(9.0))
    (missing, *_) = [each for each in found.findings if each.severity != "info"]
    assert missing.code == "plugin-missing" and said in missing.message
    assert alarms(read("machine type: a2-highgpu-8g\n" + debug(*PLAIN) + table(9.0, device=A100))) == []


@pytest.mark.parametrize(
    ("machine", "has", "transport"),
    [
        ("machine type: a3-megagpu-8g, us-central1-c", "GPUDirect-TCPXO", "tcpxo"),
        ("machine_type = a3-highgpu-8g", "GPUDirect-TCPX", "tcpx"),
        ("instance a4-highgpu-8g, zone europe-west1-b", "gIB", "gib"),
        ("node.kubernetes.io/instance-type=p5.48xlarge", "EFA", "efa"),
        ("size: Standard_ND96isr_H100_v5", "InfiniBand", "infiniband"),
        ("$ srun -w nid001000,nid001001 ./all_reduce_perf -b 8 -e 8G -f 2", "Slingshot", "slingshot"),
    ],
)
def test_the_name_of_a_machine_tells_what_carried_the_data_only_where_that_was_faster_than_sockets(
    machine, has, transport
):
    found = read(f"{machine}\n" + table(30.0))
    assert found.transport == "unknown"
    (network,) = [each for each in found.not_checked if "which network carries the data" in each]
    assert has in network and "nothing shows that it was used" in network
    found = read(f"{machine}\n" + table(300.0))
    (told,) = [each for each in found.findings if each.code == "transport-inferred"]
    assert found.transport == transport and told.severity == "info" and has in told.message


@pytest.mark.parametrize(
    ("text", "transport"),
    [
        ("8 nodes, 8x400G IB\n" + table(350.0, hosts=8), "infiniband"),
        ("all hosts: ib=8x400 ok\npair gn1-gn2 busbw 460.9 GB/s\npair gn3-gn4 busbw 457.5 GB/s\n", "infiniband"),
        ("p5.48xlarge\n# 2-node check:\npair 00 busbw 461.0 GB/s\npair 01 busbw 466.0 GB/s\n", "efa"),
        ("p5.48xlarge\npair GPU0-GPU1 busbw 460.9 GB/s\npair GPU2-GPU3 busbw 457.5 GB/s\n", "unknown"),
        ("p5.48xlarge\n# 2-node check, NVLink inside:\npair 00 busbw 461.0 GB/s\n", "unknown"),
        ("p5.48xlarge\n2 nodes: 8 GB/s, expected 350 GB/s\n2 nodes again: 9 GB/s\n", "unknown"),
        ("8x400G IB or RoCE, who knows\n" + table(350.0, hosts=8), "unknown"),
        ("the new nodes have no EFA\n" + table(350.0, hosts=8), "unknown"),
    ],
)
def test_a_network_is_inferred_from_the_speed_between_nodes_and_the_one_that_the_log_names(text, transport):
    assert read(text).transport == transport


def test_hosts_of_a_cray_with_aries_are_not_said_to_have_slingshot():
    found = read("$ srun -w nid00012,nid00013 ./all_reduce_perf\n" + table(8.0, device="Tesla P100-PCIE-16GB"))
    assert not [each for each in (*found.not_checked, *map(str, found.findings)) if "Slingshot" in each]


def test_a_line_of_the_plugin_tells_what_carried_the_data_whatever_the_machine_is_called():
    lines = debug("NET/OFI Selected Provider is efa (found 32 nics)", "Using network AWS Libfabric",
                  *channels("AWS Libfabric"))  # fmt: skip
    assert read("2 x p5.48xlarge\n" + lines + table(300.0)).transport == "efa"
    assert read("size: Standard_ND96isr_H100_v5\n" + lines + table(300.0)).transport == "efa"


@pytest.mark.parametrize(
    ("machine", "device", "checked"),
    [
        ("machine type: a2-highgpu-8g", A100, True),
        ("node.kubernetes.io/instance-type=g4dn.12xlarge", "Tesla T4", False),
        ("size: Standard_NC24s_v3", "Tesla V100-PCIE-16GB", False),
    ],
)
def test_what_is_known_of_machines_from_memory_alone_says_so(machine, device, checked):
    found = read(f"{machine}\n" + debug(*PLAIN) + table(2.3, device=device))
    (sockets,) = [each for each in found.findings if each.code == "tcp-sockets"]
    assert sockets.severity == "info" and ("not checked" in sockets.message) is not checked
    assert "memory" in sockets.rests or checked


def test_two_nodes_that_fill_their_adapters_with_a_ring_are_not_half_of_them():
    tcpxo = ("NET/FasTrak plugin initialized", "Using network FasTrak", *channels("FasTrak"))
    assert alarms(read(debug(*tcpxo) + table(187.0))) == []
    assert alarms(read(debug(*tcpxo) + table(94.0))) != []
