"""``weft nccl diagnose``: what is wrong with a run, from the output of nccl-tests and NCCL's debug lines of many
releases.

The logs here are written anew in the formats of the tools; their figures are those of published runs.
"""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path

import pytest

from assistant import library
from assistant.network import diagnosis
from assistant.network.diagnosis import diagnose, diagnose_text
from assistant.network.diagnosis.signatures import judgements, read, signatures
from assistant.present.diagnosis import diagnosis_lines
from assistant.vocabulary.answers import Diagnosis
from assistant.vocabulary.errors import InputError
from tests.nccl_logs import DEVICES, GIB, H100_NAME, HEADERS, MIB, channels, debug, table
from tests.program import weft

CATALOG = library.load().catalog


def codes(text: str) -> set[str]:
    return {each.code for each in diagnose_text(text, CATALOG).findings}


@pytest.mark.parametrize("release", ["1.0", "2.0", "2.13", "2.17", "2.19"])
def test_the_table_of_every_release_is_read(release):
    found = diagnose_text(table(43.81, release=release, device="A100-SXM4-40GB"), CATALOG)
    assert (found.kind, found.collective, found.ranks, found.nodes) == ("nccl-tests", "all_reduce", 16, 2)
    assert found.peak_busbw_gb_per_s == 43.81
    assert not {each.code for each in found.findings} & {
        "table-inconsistent",
        "rows-missing",
        "wrong-results",
        "no-results",
    }


@pytest.mark.parametrize(
    ("collective", "peak"),
    [("all_reduce", 369.86), ("all_gather", 71.35), ("reduce_scatter", 300.0), ("alltoall", 70.54)],
)
def test_collective_and_ranks_follow_from_the_numbers_alone(collective, peak):
    found = diagnose_text(table(peak, collective, hosts=16, named=False, listed=False, release="2.13"), CATALOG)
    assert (found.collective, found.ranks, found.nodes) == (collective, 128, None), (
        "only the ratio of the columns says so"
    )


def test_what_launchers_and_forums_add_does_not_matter():
    clean = table(480.0, hosts=2)
    noisy = "\n".join(f"\x1b[32m> [1,0]<stdout>:{line}\x1b[0m\r" for line in clean.splitlines())
    noisy = noisy.replace("float sum -1", "[1,0]<stdout>:float sum -1")
    assert diagnose_text(noisy, CATALOG).model_dump() == diagnose_text(clean, CATALOG).model_dump()


@pytest.mark.parametrize(
    "before",
    [
        "worker-1  | ",
        "Nov 12 10:11:{n:02d} gpu-03 check[271486]: ",
        "run(), common.cu:{n}, ",
        "2026-03-11T08:45:10.{n}Z stdout F ",
        "[pod/nccl-0/main] ",
        '        "',
    ],
)
def test_what_runs_the_job_may_put_anything_before_the_lines(before):
    clean = table(480.0, hosts=2)
    after = '",' if before.endswith('"') else ""
    noisy = "\n".join(f"{before.format(n=n % 60)}{line}{after}" for n, line in enumerate(clean.splitlines()))
    assert diagnose_text(noisy, CATALOG).model_dump() == diagnose_text(clean, CATALOG).model_dump()


def test_a_healthy_cluster_has_no_fault():
    log = debug("Bootstrap: Using eth0:10.0.0.1<0>", DEVICES, "Using network IB", *channels("IB")) + table(390.0)
    found = diagnose_text(log, CATALOG)
    assert (found.kind, found.transport, found.gpudirect_rdma, found.nodes) == ("mixed", "infiniband", True, 2)
    assert found.expected_busbw_gb_per_s == CATALOG.fabrics["infiniband-ndr-400"].all_reduce_bus_bandwidth[2].value
    assert all(each.severity == "info" for each in found.findings)


def test_sockets_in_place_of_rdma_are_an_error_unless_asked_for():
    log = debug(
        "NET/IB : No device found.",
        "NET/Socket : Using [0]eth0:10.0.0.1<0>",
        "Using network Socket",
        *channels("Socket", 1, ""),
    ) + table(3.19)
    found = diagnose_text(log, CATALOG)
    assert (found.transport, found.gpudirect_rdma) == ("tcp-socket", None)
    assert {"no-rdma-device", "tcp-sockets"} <= {each.code for each in found.findings if each.severity == "error"}
    asked = debug("NCCL_NET set by environment to Socket.", "Using network Socket", *channels("Socket", 1, ""))
    assert {each.code: each.severity for each in diagnose_text(asked, CATALOG).findings} == {"tcp-sockets": "info"}


def test_a_missing_device_is_harmless_on_one_node():
    log = debug(
        "NET/IB : No device found.",
        "Using network Socket",
        "comm 0x1 rank 0 nRanks 8 nNodes 1 localRanks 8",
        "Channel 00/0 : 0[0] -> 1[1] via P2P/CUMEM",
        hosts=1,
        per_host=8,
    )
    found = diagnose_text(log, CATALOG)
    assert (found.transport, found.nodes, found.findings) == ("p2p", 1, []), "no line tells what joins the GPUs"


def test_a_table_that_is_faster_than_the_sockets_its_log_names_contradicts_them():
    """16 ranks on two hosts at 235 GB/s, and "Using network Socket"; inside one host sockets carry nothing."""
    sockets = debug("Using network Socket")
    assert "beyond-sockets" in codes(sockets + table(235.0))
    assert "beyond-sockets" in codes(sockets + table(70.0, hosts=4, collective="all_gather"))
    for other in (sockets + table(8.0), sockets + table(450.0, hosts=1), debug("Using network IB") + table(235.0)):
        assert "beyond-sockets" not in codes(other)


def test_bandwidth_of_sockets_without_a_debug_line_is_recognised():
    """A Slingshot system with its plugin unloaded reached 6.07 instead of 123 GB/s."""
    slow = diagnose_text(table(6.07, per_host=4, device="NVIDIA GH200 120GB"), CATALOG)
    assert "like-sockets" in {each.code for each in slow.findings}
    assert "like-sockets" not in codes(table(123.11, per_host=4, device="NVIDIA GH200 120GB"))


@pytest.mark.parametrize(
    ("collective", "peak", "per_host", "slow"),
    [
        ("sendrecv", 13.61, 1, True),
        ("alltoall", 13.6, 1, True),
        ("sendrecv", 39.32, 2, False),
        ("alltoall", 70.54, 2, False),
        ("all_reduce", 100.0, 8, True),
        ("all_reduce", 351.0, 8, False),
    ],
)
def test_a_slow_pair_of_nodes_stands_out_and_a_good_one_does_not(collective, peak, per_host, slow):
    found = diagnose_text(table(peak, collective, per_host=per_host), CATALOG)
    assert ("low-bandwidth" in {each.code for each in found.findings}) is slow
    assert found.expected_busbw_gb_per_s > 0


def test_the_speed_of_one_adapter_is_named():
    fix = next(each.fix for each in diagnose_text(table(48.0), CATALOG).findings if each.code == "low-bandwidth")
    assert "one adapter of 400 Gb/s" in fix


def test_data_through_host_memory_is_found_and_on_which_host():
    everywhere = debug(DEVICES, "Using network IB", *channels("IB", suffix=""))
    assert diagnose_text(everywhere, CATALOG).gpudirect_rdma is False
    assert "no-gpudirect" in codes(everywhere)
    good = "\n".join(f"node-0:1:1 [0] NCCL INFO {text}" for text in [DEVICES, "Using network IB", *channels("IB")])
    bad = "\n".join(f"node-1:1:1 [0] NCCL INFO {text}" for text in channels("IB", suffix=""))
    some = [
        each for each in diagnose_text(good + "\n" + bad, CATALOG).findings if each.code == "gpudirect-missing-on-some"
    ]
    assert len(some) == 1 and "node-1" in some[0].message and "node-0" not in some[0].message


def test_one_node_without_gpudirect_does_not_turn_it_off_for_all():
    """The header said "GPUDirect RDMA: no" of a job in which one node of four lacked its module."""
    good = [
        f"node-{n}:1:1 [0] NCCL INFO {text}"
        for n in range(3)
        for text in [DEVICES, "Using network IB", *channels("IB")]
    ]
    bad = [f"node-3:1:1 [0] NCCL INFO {text}" for text in channels("IB", suffix="")]
    mixed = diagnose_text("\n".join([*good, *bad]), CATALOG)
    assert (mixed.gpudirect_rdma, mixed.gpudirect_missing_on) == (False, ["node-3"])
    lines = diagnosis_lines(Diagnosis(files=[mixed]))
    assert "   GPUDirect RDMA: yes, but for channels of node-3" in lines
    nowhere = diagnose_text(debug(DEVICES, "Using network IB", *channels("IB", suffix="")), CATALOG)
    assert "   GPUDirect RDMA: no" in diagnosis_lines(Diagnosis(files=[nowhere]))
    everywhere = diagnose_text("\n".join(good), CATALOG)
    assert "   GPUDirect RDMA: yes" in diagnosis_lines(Diagnosis(files=[everywhere]))


@pytest.mark.parametrize(
    ("lines", "transport", "direct"),
    [
        (
            ["NET/OFI Selected Provider is efa", "Using network AWS Libfabric", *channels("AWS Libfabric", 4)],
            "efa",
            True,
        ),
        (
            ["NET/OFI Selected Provider is cxi", "Using network AWS Libfabric", *channels("AWS Libfabric", 4, "")],
            "slingshot",
            False,
        ),
        (
            [DEVICES.replace(":1/IB", ":1/RoCE").replace("NET/RoCE", "NET/IB"), "Using network IB", *channels("IB")],
            "roce",
            True,
        ),
        (["Using network IBext_v8", *channels("IBext_v8")], "infiniband", True),
        (["Using network GPUDirectTCPX_v7", *channels("GPUDirectTCPX_v7", 4, "")], "tcpx", None),
        (["Using network FasTrak", *channels("FasTrak", 8, "")], "tcpxo", None),
    ],
)
def test_the_network_in_use_is_named(lines, transport, direct):
    found = diagnose_text(debug(*lines), CATALOG)
    assert (found.kind, found.transport, found.gpudirect_rdma) == ("nccl-debug", transport, direct)


def test_old_debug_lines_are_read():
    found = diagnose_text(
        "NCCL version 2.7.8+cuda10.2\n"
        + debug(
            "Bootstrap : Using [0]ib0:10.1.0.1<0> [1]ib1:10.2.0.1<0>",
            "Channel 00 : 0[1a000] -> 4[1c000] [send] via NET/IB/1",
            "comm 0x14d rank 1 nranks 8 cudaDev 1 busId 1c000 - Init COMPLETE",
            "Using network IB",
            per_host=4,
        ),
        CATALOG,
    )
    assert (found.ranks, found.nodes, found.transport, found.gpudirect_rdma) == (8, 2, "infiniband", False)


def test_idle_adapters_are_counted():
    log = debug(DEVICES, "Using network IB", *channels("IB", nics=2), per_host=8)
    found = diagnose_text(log, CATALOG).findings
    assert "2 of 8 adapters" in next(each.message for each in found if each.code == "few-adapters-used")
    assert "few-adapters-used" not in codes(debug(DEVICES, "Using network IB", *channels("IB", nics=8)))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("NCCL_IB_DISABLE set by environment to 1.", "ib-disabled"),
        ("Bootstrap : Using lo:127.0.0.1<0>", "bootstrap-on-loopback"),
        ("Bootstrap : Using docker0:172.17.0.1<0>", "docker-interface"),
        ("NCCL_P2P_DISABLE set by environment to 1.", "peer-to-peer-disabled"),
        ("NET/IB : Using [RO]; OOB eth0:10.0.0.1<0>", "empty-device-list"),
    ],
)
def test_settings_and_interfaces_that_hurt(line, code):
    assert code in codes(debug(line, "Using network IB"))


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("net.cc:626 NCCL WARN Error: network AWS Libfabric not found.", "plugin-not-found"),
        (
            "NCCL INFO NET/Plugin: Could not find: ofi libnccl-net-ofi.so. Using internal network plugin.",
            "plugin-not-found",
        ),
        ("NCCL INFO NET/OFI Only EFA provider is supported", "efa-provider-missing"),
        ("NCCL WARN Failed to open libibverbs.so[.1]", "libibverbs-missing"),
        ("NCCL WARN Bootstrap : no socket interface found", "socket-interface-missing"),
        ("NCCL WARN Net : Connect to 10.0.0.2<4242> failed : No route to host", "no-route-to-host"),
        ("NCCL WARN NET/IB : Got completion with error 12, opcode 1, len 0, vendor err 129", "retries-exhausted"),
        (
            "NCCL WARN NET/IB: Got completion from peer 10.0.0.2<38534> with status=12 opcode=129 len=0 vendor "
            "err 129 (Recv)",
            "retries-exhausted",
        ),
        (
            "NCCL WARN NET/IB: Got completion from peer 10.0.0.2<1> with status=IBV_WC_RETRY_EXC_ERR(12) "
            "opcode=IBV_WC_SEND(0) vendor_err=129",
            "retries-exhausted",
        ),
        ("NCCL WARN NET/IB : Got completion with error 4, opcode 0, len 0, vendor err 81", "local-protection"),
        ("NCCL WARN NET/IB : Got completion with error 5, opcode 0, len 0, vendor err 249", "flushed"),
        ("NCCL WARN Call to ibv_modify_qp failed with 22 Invalid argument", "gid-invalid"),
        ("NCCL WARN Call to ibv_modify_qp failed with 61 No data available, local GID ::", "gid-empty"),
        ("NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out", "rail-unreachable"),
        ("NCCL WARN Call to ibv_reg_mr failed", "locked-memory"),
        ("NCCL WARN Call to ibv_reg_mr_iova2 failed with error Bad address", "gpu-memory-not-registered"),
        ("ibv_reg_mr_iova2() failed: Cannot allocate memory", "locked-memory"),
        ("NCCL WARN NET/IB : failed to ibv_reg_mr_iova2, errno 14", "gpu-memory-not-registered"),
        ("NCCL INFO Cannot initialize CollNet, using point-to-point network instead", "sharp-unavailable"),
        ("Test CUDA failure common.cu:941 'system not yet initialized'", "fabric-manager"),
        ("NCCL WARN Failed to open libnvidia-ml.so.1", "nvml-missing"),
        ("NCCL WARN Error: failed to extend /dev/shm/nccl-x to 9637888 bytes", "shared-memory-full"),
        ("Incompatible NCCL versions. nccl-tests was compiled with NCCL 2.28", "incompatible-versions"),
        ("NCCL WARN socketProgress: address with family 33621 is neither", "mixed-builds"),
        ("NCCL WARN NET/OFI handshake failed on EFA peer, error 4126", "efa-handshake"),
    ],
)
def test_known_failures_are_named_once_with_a_fix(line, code):
    text = "\n".join(["starting", *(f"node-{host}:1:2 [0] {line}" if "NCCL" in line else line for host in (0, 1))])
    found = [each for each in diagnose_text(text, CATALOG).findings if each.code == code]
    assert len(found) == 1, codes(text)
    assert found[0].line == 2 and len(found[0].fix) > 5


def test_normal_lines_are_no_failures():
    normal = debug(
        "NET/Plugin: Failed to find ncclNetPlugin_v7 symbol.",
        "NET/Plugin : No plugin found (libnccl-net.so), using internal implementation",
        "NVLS multicast support is available on dev 0",
        "16 coll channels, 16 nvls channels, 16 p2p channels",
        DEVICES,
        "Using network IB",
        "ignore busbw 4126.5",
        *channels("IB"),
    )
    assert codes(normal) == set()


def test_a_stopped_test_says_so():
    head = table(1.0).split(HEADERS["2.17"])[0]
    failed = head + (
        "node-0: Test NCCL failure common.cu:1279 'remote process exited or there was a network error / '\n"
        " .. node-0 pid 1: Test failure common.cu:1100\n"
    )
    assert {"test-failed", "remote-died"} <= codes(failed)
    hung = diagnose_text(head + HEADERS["2.17"] + "\n", CATALOG)
    assert [each.code for each in hung.findings] == ["no-results"]
    assert (hung.ranks, hung.nodes, hung.peak_busbw_gb_per_s) == (16, 2, 0.0)


def test_a_build_without_mpi_is_recognised():
    one = "\n".join(
        [
            "# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 2(factor) warmup iters: 5 iters: 20 agg "
            "iters: 1 validation: 1 graph: 0",
            "# Using devices",
            f"#  Rank  0 Group  0 Pid 10 on node-0 device  0 [0000:1b:00] {H100_NAME}",
            HEADERS["2.13"],
            " 1073741824 268435456 float sum -1 900.1 1192.89 0.00 0 0.35 3067833.78 0.00 0",
        ]
    )
    assert "separate-jobs" in codes(one + "\n" + one) and "one-rank" not in codes(one + "\n" + one)
    assert "one-rank" in codes(one)


def test_wrong_results_make_the_bandwidth_worthless():
    assert "wrong-results" in codes(table(480.0, wrong="12"))
    assert "wrong-results" in codes(table(480.0).replace("0 OK", "3 FAILED"))


def test_edited_and_shortened_tables_are_noticed():
    full = table(370.0)
    lines = full.splitlines()
    rows = [index for index, line in enumerate(lines) if line.lstrip()[:1].isdigit()]
    shortened = "\n".join(line for index, line in enumerate(lines) if index not in rows[:2])
    assert "rows-missing" in codes(shortened)
    words = lines[rows[-1]].split()
    words[6] = f"{float(words[6]) * 1.5:.2f}"
    assert "table-inconsistent" in codes(full.replace(lines[rows[-1]], " ".join(words)))


def test_reading_aids():
    assert "small-messages-only" in codes(table(300.0, sweep={1 * MIB: 0.2, 64 * MIB: 1.0}))
    assert "average-misleads" in codes(
        table(487.0, sweep={8: 0.001, 1024: 0.001, 4096: 0.001, MIB: 0.002, 8 * GIB: 1.0})
    )
    assert "two-node-effect" in codes(table(482.0)) and "two-node-effect" not in codes(table(345.0, hosts=4))
    assert "unsteady-bandwidth" in codes(table(350.0, sweep={64 * MIB: 0.9, 256 * MIB: 1.0, GIB: 0.4, 8 * GIB: 0.95}))
    reduced = table(70.5, "alltoall", per_host=2).replace(
        "#\n" + HEADERS["2.17"], "# Reducing maxBytes to 26549638485 due to memory limitation\n#\n" + HEADERS["2.17"]
    )
    assert "sizes-reduced" in codes(reduced)


def test_several_runs_in_one_file_are_all_judged():
    found = diagnose_text(table(13.6, "alltoall", per_host=1) + "\n" + table(13.61, "sendrecv", per_host=1), CATALOG)
    assert found.collective == "sendrecv" and found.peak_busbw_gb_per_s == 13.61
    assert [each.code for each in found.findings].count("low-bandwidth") == 2
    assert "alltoall 13.6, sendrecv 13.61" in next(
        each.message for each in found.findings if each.code == "several-runs"
    )


def test_errors_come_first():
    severities = [
        each.severity
        for each in diagnose_text(
            debug("NET/IB : No device found.", "Using network Socket", *channels("Socket", 1, "")) + table(3.19),
            CATALOG,
        ).findings
    ]
    assert severities == sorted(severities, key=["error", "warning", "info"].index)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello\nworld",
        "\x00\x01\x02",
        "size count",
        "# nThread",
        "1 2 float",
        "{}" * 1000,
        "9" * 5000,
        "h:1:2 [0] NCCL LOUD x",
        "² ³ float sum -1 1 1 1 0 1 1 1 0",
        "1 2 float sum -1 1e999 1 1 0 1 1 1 0",
    ],
)
def test_anything_else_is_called_unknown(text):
    found = diagnose_text(text, CATALOG)
    assert (found.kind, found.peak_busbw_gb_per_s, found.transport) == ("unknown", 0.0, "unknown")
    assert [each.code for each in found.findings] == ["not-recognised"]


def test_files_are_read_in_order_and_a_missing_one_is_refused(tmp_path):
    (tmp_path / "a.log").write_bytes(table(480.0).encode() + b"\xff\xfe")
    (tmp_path / "b.log").write_text("nothing", encoding="utf-8")
    found = diagnose([tmp_path / "a.log", tmp_path / "b.log"], CATALOG)
    assert [each.kind for each in found.files] == ["nccl-tests", "unknown"]
    with pytest.raises(InputError, match="no such file"):
        diagnose([tmp_path / "missing.log"], CATALOG)


def test_a_packed_log_is_read_and_one_cut_short_is_refused(tmp_path):
    (tmp_path / "run.log.gz").write_bytes(packed := gzip.compress(table(480.0).encode()))
    (found,) = diagnose([tmp_path / "run.log.gz"], CATALOG).files
    assert (found.kind, found.peak_busbw_gb_per_s) == ("nccl-tests", 480.0)
    (tmp_path / "cut.gz").write_bytes(packed[: len(packed) // 2])
    with pytest.raises(InputError, match="cannot be read: Compressed file ended"):
        diagnose([tmp_path / "cut.gz"], CATALOG)


def test_a_file_without_nccl_is_refused_and_beside_a_log_it_is_named(tmp_path):
    prose, log = tmp_path / "README.md", tmp_path / "run.log"
    prose.write_text("# A page\nNothing of the kind.\n", encoding="utf-8")
    log.write_text(table(480.0), encoding="utf-8")
    alone = weft("nccl", "diagnose", str(prose))
    assert alone.code == 2 and "expected output of nccl-tests" in alone.err and not alone.out
    both = weft("nccl", "diagnose", str(prose), str(log))
    assert both.code == 0 and "not-recognised" in both.out


def test_every_known_failure_has_a_name_of_its_own():
    assert len({signature.code for signature in signatures()}) == len(signatures())


def test_what_the_judges_find_is_what_the_file_of_findings_has():
    judges = "".join(path.read_text(encoding="utf-8") for path in Path(diagnosis.__file__).parent.glob("*.py"))
    judges += " ".join(
        f'"{each["finding"]}"' for each in read("columns")["columns"] if "finding" in each
    )  # or its data
    assert set(judgements()) == {name for name in re.findall(r'"([a-z]+(?:-[a-z]+)+)"', judges) if name in judgements()}
    assert {*re.findall(r'finding\(\s*"([a-z-]+)"', judges)} <= set(judgements())


@pytest.mark.parametrize(
    ("warned", "code"),
    [
        ("Timeout waiting for connection from 10.0.0.2<41234>", "connection-timed-out"),
        ("Call to ibv_modify_qp failed with error Connection timed out errno 110", "rail-unreachable"),
        ("Call to ibv_modify_qp failed with error Invalid argument errno 22", "gid-invalid"),
        ("Mismatched NCCL version detected : rank 3 version 22203 rank 12 version 22602", "incompatible-versions"),
        ("ncclSocketAccept: Call to accept failed: Too many open files", "open-files"),
        ("NET/IB : mlx5_11:1 Got async event : port error", "port-error"),
        ('Missing "iommu=pt" from kernel command line', "iommu-translates"),
        ("Something that nobody has seen before", "unknown-warning"),
    ],
)
def test_a_warning_is_never_passed_over(warned, code):
    log = f"node1:1234:1240 [0] NCCL INFO Using network IB\nnode1:1234:1240 [0] misc/net.cc:1 NCCL WARN {warned}\n"
    found = diagnose_text(log, CATALOG).findings
    assert code in {each.code for each in found}
    if code == "unknown-warning":
        assert warned in next(each.message for each in found if each.code == code)


COUNTERS = "link mlx5_7/1 out_of_sequence 771203 roce_adp_retrans 8821\n"
ACS = "ACSCtl: SrcValid+ TransBlk- ReqRedir+\n"
RETRIED = "Call to connect returned Connection refused, retrying"
HUGE = (
    "libfabric:9:efa:core:grow():104<warn> Failed to mmap huge page region of 4194304 bytes: Cannot allocate memory\n"
)
ENDED = "with status=12 opcode=0 len=0 vendor err 129 (Send)"


def running(*first: str) -> str:
    return debug(*first, DEVICES, "Using network IB", *channels("IB"), "Init COMPLETE")


@pytest.mark.parametrize(
    ("code", "faulty", "healthy"),
    [
        ("packets-lost", running() + COUNTERS + table(60.0, hosts=8), running() + COUNTERS + table(360.0, hosts=4)),
        ("pcie-access-control", ACS + running() + table(180.0, hosts=4), ACS + running() + table(360.0, hosts=4)),
        ("connection-refused", debug(RETRIED), debug(RETRIED) + running()),
        ("huge-pages-missing", HUGE, HUGE + running()),
        ("no-rdma-device", debug("NET/IB : No device found.", "Using network Socket", *channels("Socket", 1, "")),
         "GPU 0: NVIDIA GeForce RTX 3080\n" + debug("NET/IB : No device found.", *channels("Socket", 1, ""))),
        ("one-adapter-pinned", *(
            debug("NCCL_IB_HCA set by environment to mlx5_0",
                  "NET/IB : Using [0]mlx5_0:1/IB [RO]; OOB eth0:10.0.0.1<0>",
                  f"comm 0x5 rank 0 nRanks {2 * local} nNodes 2 localRanks {local} localRank 0", per_host=local)
            for local in (8, 1))),
        ("gid-index-pinned", *(
            running(f"NCCL_IB_GID_INDEX set by environment to {index}")
            + f"w:7:8 [0] NCCL WARN NET/IB: Got completion from peer 10.1.1.2<5> {ENDED}\n" for index in (1, 3))),
        ("one-tcp-flow", *(
            debug("NET/Socket: Using 1 threads and 1 sockets per thread", per_host=1).replace("node-", host)
            for host in ("gke-pool-", "workstation-"))),
    ],
)  # fmt: skip
def test_what_healthy_runs_print_too_weighs_only_where_it_harms(code, faulty, healthy):
    def alarms(text: str) -> set[str]:
        return {each.code for each in diagnose_text(text, CATALOG).findings if each.severity != "info"}

    assert code in alarms(faulty) and code not in alarms(healthy)


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("h7 kernel: NVRM: Xid (PCI:0000:4e:00): 79, pid=9, GPU has fallen off the bus.", "gpu-off-the-bus"),
        ("kernel: NVRM: Xid (PCI:0000:19:00): 95, pid=12, Uncontained: LTC TAG", "gpu-memory-error"),
        ("slurmstepd: error: Detected 1 oom_kill event in StepId=88.0.", "out-of-memory-killer"),
        ("[rank2]: Watchdog caught collective operation timeout: WorkNCCL(SeqNum=7)", "collective-timeout"),
    ],
)
def test_what_the_kernel_and_the_framework_say_is_named(line, code):
    assert code in codes(running() + line)


def test_ranks_that_met_in_different_collectives_are_told_apart_from_a_slow_network():
    def waiting(*operations: str) -> str:
        return "".join(f"[rank{rank}]:[E] [PG ID 1 PG GUID 3 Rank {rank}] Watchdog: WorkNCCL(SeqNum=88, OpType={each}, "
                       "NumelIn=1)\n" for rank, each in enumerate(operations))  # fmt: skip

    (found,) = diagnose_text(running() + waiting("BROADCAST", "ALLREDUCE"), CATALOG).findings
    assert found.code == "collective-mismatch" and "rank 0 in BROADCAST, rank 1 in ALLREDUCE" in found.message
    assert not codes(running() + waiting("ALLREDUCE", "ALLREDUCE") + waiting("SEND", "RECV"))


def test_a_list_cut_at_the_top_leaves_the_node_whole():
    whole = table(480.0, hosts=1)
    cut = "\n".join(line for line in whole.split("\n") if "Rank" not in line or int(line.split()[2]) > 4)
    found = diagnose_text(cut, CATALOG)
    assert (found.ranks, found.nodes, found.transport) == (8, 1, "nvlink")


def test_nothing_wrong_is_said_with_what_was_checked():
    found = diagnose_text(table(360.0, hosts=4), CATALOG)
    assert "the arithmetic of the table" in found.checked
    assert any("which network carries the data" in each and "NCCL_DEBUG=INFO" in each for each in found.not_checked)
    text = "\n".join(diagnosis_lines(Diagnosis(files=[found])))
    assert "nothing wrong was found in what was checked" in text and "could not be checked" in text


def test_half_of_the_node_other_adapters_and_one_gpu_of_a_node_are_no_faults():
    half = debug(*channels("IB", nics=4, ranks=8), DEVICES, per_host=4).replace("localRanks 8", "localRanks 4")
    assert "few-adapters-used" not in codes(half)
    one = debug("comm 0x5 rank 0 nRanks 2 nNodes 2 localRanks 1 localRank 0 MNNVL 0", DEVICES,
                "Channel 00/0 : 0[0] -> 1[0] [send] via NET/IB/0/GDRDMA", per_host=1)  # fmt: skip
    assert not {f.code for f in diagnose_text(one, CATALOG).findings if f.severity != "info"}
    slower = {f.code: f.severity for f in diagnose_text(table(190.0, hosts=4), CATALOG).findings}
    assert slower == {"half-of-the-adapters": "info"}


def test_four_of_eight_rails_are_seen_where_the_adapters_are_known():
    pinned = debug(*channels("IB", nics=4), DEVICES, per_host=8) + table(196.0)
    assert {"half-of-the-adapters", "few-adapters-used"} <= codes(pinned)


def test_a_busy_neighbour_is_no_fault_and_a_start_that_collapses_is_one():
    dip = {64 * MIB: 0.7, 256 * MIB: 0.9, 512 * MIB: 0.6, GIB: 0.95, 8 * GIB: 1.0}
    assert {f.severity for f in diagnose_text(table(360.0, hosts=4, sweep=dip), CATALOG).findings} <= {"info"}
    fall = {64 * MIB: 0.8, 256 * MIB: 1.0, 512 * MIB: 0.4, GIB: 0.3, 8 * GIB: 0.3}
    roce = debug(*channels("IB"), DEVICES.replace(":1/IB", ":1/RoCE")) + table(330.0, sweep=fall)
    (found,) = [f for f in diagnose_text(roce, CATALOG).findings if f.code == "bandwidth-collapses"]
    assert "PFC" in found.fix


def test_a_cut_list_of_ranks_is_not_believed_against_the_table():
    whole = table(360.0, hosts=4)
    cut = "\n".join(line for line in whole.split("\n") if "Rank" not in line or "node-000" in line)
    found = diagnose_text(cut, CATALOG)
    assert (found.ranks, found.nodes) == (32, 4)
    assert {f.code for f in found.findings} == {"ranks-cut"}


def test_one_ranks_lines_are_said_to_be_that():
    text = debug(*channels("IB", nics=1), DEVICES, hosts=1, per_host=1)
    assert codes(text) == {"one-rank-speaks"}


def test_shared_memory_is_what_it_is_whatever_was_loaded():
    text = debug("Using network IBext_v8", "Channel 00 : 0[0] -> 1[1] via direct shared memory", hosts=1)
    assert diagnose_text(text, CATALOG).transport == "shm"


def test_tracing_libraries_and_logs_of_every_call_are_told_apart():
    calls = debug("AllReduce: opCount 1 sendbuff 0x7f recvbuff 0x7f count 8 datatype 7", *channels("IB"), DEVICES)
    assert "every-call-logged" in codes(calls)
    assert "trace-logging" in codes(calls.replace("NCCL INFO AllReduce", "NCCL TRACE AllReduce"))


@pytest.mark.parametrize(("name", "transport"), [("gIB", "gib"), ("FasTrak", "tcpxo"), ("GPUDirectTCPX_v7", "tcpx"),
                                                 ("FastSocket", "tcp-socket"), ("IBext_v8", "infiniband")])  # fmt: skip
def test_the_name_of_a_network_tells_the_transport(name, transport):
    text = debug(f"Using network {name}", *channels(name))
    assert diagnose_text(text, CATALOG).transport == transport


def test_two_cards_on_a_bridge_of_nvlink_are_told_by_a_bandwidth_that_pcie_has_not():
    def of(peak: float) -> str:
        return diagnose_text(table(peak, hosts=1, per_host=2, device="NVIDIA A100 80GB PCIe"), CATALOG).transport

    assert (of(231.0), of(22.0)) == ("nvlink", "pcie")


def test_time_follows_the_size_of_the_log():
    """Shapes whose reading took minutes: a line without a space, a line of warnings, numbers and dots."""
    for shape in ("x", "NCCL WARN ", "1:", "1.", "socket", "[0]mlx5_0:1/IB ", " "):
        found = diagnose_text(shape * (2_000_000 // len(shape)), CATALOG)
        assert found.peak_busbw_gb_per_s == 0


def test_the_report_as_json_says_what_the_table_says(tmp_path):
    def side(size: int) -> dict[str, object]:
        return {"time": size / 480e3 * 1.875, "alg_bw": 256.0, "bus_bw": 480.0, "nwrong": 0}

    devices = [{"rank": n, "group": 0, "hostname": f"node-{n // 8}", "device": n % 8, "device_info": H100_NAME}
               for n in range(16)]  # fmt: skip
    results = [{"size": size, "count": size // 4, "type": "float", "redop": "sum", "root": -1,
                "out_of_place": side(size), "in_place": None} for size in (GIB, 8 * GIB)]  # fmt: skip
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"devices": devices, "results": results, "average_bus_bandwidth": {"bandwidth": "nan"}}))
    (found,) = diagnose([path], CATALOG).files
    assert (found.collective, found.ranks, found.nodes, found.peak_busbw_gb_per_s) == ("all_reduce", 16, 2, 480.0)
    assert {each.code for each in found.findings} == {"two-node-effect"}


def test_the_host_that_slows_every_pair_is_named():
    def pair(one: str, other: str, peak: float) -> str:
        return table(peak, "sendrecv", per_host=1).replace("node-000", one).replace("node-001", other)

    hosts = ["a", "b", "c", "d", "e"]
    pairs = [(one, other) for n, one in enumerate(hosts) for other in hosts[n + 1 :]]
    slow = diagnose_text("\n".join(pair(*each, 19.0 if "c" in each else 48.0) for each in pairs), CATALOG).findings
    assert [(each.code, "with c " in each.message) for each in slow] == [("slow-host", True)]
    assert not codes("\n".join(pair(*each, 48.0) for each in pairs))


def test_a_table_of_another_run_is_noticed_and_a_split_one_is_none():
    head, whole = table(390.0, hosts=4).split(HEADERS["2.17"])[0], table(390.0, hosts=1)
    other = head + HEADERS["2.17"] + whole.split(HEADERS["2.17"])[1]
    assert "table-of-another-run" in codes(other)
    split = re.sub(r"Group  0 (.* on node-00(\d))", r"Group  \2 \1", other)
    found = diagnose_text(split, CATALOG)
    assert (found.ranks, found.nodes) == (8, 1) and "table-of-another-run" not in {f.code for f in found.findings}


def test_nodes_with_fewer_gpus_and_adapters_are_judged_by_their_own_and_a_choice_taken_from_nccl_is_named():
    two = "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [RO]; OOB ib0:10.0.0.1<0>"
    small = debug(two, "Using network IB", *channels("IB", nics=2, ranks=8), per_host=4).replace("localRanks 8", "")
    small += table(43.0, per_host=4, device="NVIDIA A100-SXM4-80GB")
    assert "half-of-the-adapters" not in codes(small) and "low-bandwidth" not in codes(small)
    tree = debug("NCCL_ALGO set by environment to Tree", DEVICES, *channels("IB")) + table(150.0, hosts=8)
    found = {each.code: each.message for each in diagnose_text(tree, CATALOG).findings}
    assert "NCCL_ALGO=Tree" in found["choices-pinned"] and "half-of-the-adapters" not in found
    assert "choices-pinned" not in codes(tree.split("# Collective")[0] + table(345.0, hosts=8))


def test_addresses_of_a_failure_tell_roce():
    warned = (
        "NCCL WARN NET/IB: Got completion from peer 10.0.0.2<1> with status=12 opcode=0 len=0 vendor err 129 (Recv)"
    )
    for gid, transport in (("::ffff:10.0.0.1", "roce"), ("fe80::1", "infiniband")):
        line = f"node-0:1:2 [0] {warned} localGid {gid} remoteGids{gid} hca mlx5_6"
        assert diagnose_text(line, CATALOG).transport == transport


def test_every_known_failure_says_what_it_was_learnt_from_and_how_sure_that_is():
    assert not [signature.code for signature in signatures() if not signature.rests]
    found = diagnose_text(debug(DEVICES, "Using network IB", *channels("IB", suffix="")), CATALOG)
    assert "NVIDIA/nccl#1412, NVIDIA/nccl#489; confirmed" in " ".join(diagnosis_lines(Diagnosis(files=[found]), 400))


def test_a_node_whose_nvlink_is_slow_is_noticed_and_two_nodes_say_nothing_of_four():
    assert "low-bandwidth" in codes(table(180.0, hosts=1)) and not codes(table(372.0, hosts=1))
    assert not codes(table(25.0, hosts=1, per_host=2)), "of two GPUs it is not known how many links join them"
    roce = debug(DEVICES.replace(":1/IB", ":1/RoCE"), *channels("IB")) + table(352.0, hosts=4)
    assert (diagnose_text(roce, CATALOG).expected_busbw_gb_per_s or 0) <= 400, "no more than eight adapters carry"


def test_settings_that_change_nothing_on_these_machines_are_no_faults():
    alone = debug("NCCL_IB_DISABLE set by environment to 1", "Using network Socket",
                  "comm 0x1 rank 0 nRanks 8 nNodes 1 localRanks 8", hosts=1, per_host=8)  # fmt: skip
    assert "ib-disabled" not in codes(alone)
    cards = debug(
        "NCCL_P2P_DISABLE set by environment to 1", "Channel 00 : 0[0] -> 1[1] via SHM/direct/direct", hosts=1
    )
    found = diagnose_text(cards + table(15.0, hosts=1, per_host=4, device="NVIDIA GeForce RTX 4090"), CATALOG).findings
    assert not [each.code for each in found if each.severity != "info"]
