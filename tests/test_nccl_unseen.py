"""What logs of people who did not know the program showed: racks without their NVLink, prefixes of launchers, sentences
that said too much, and reasons that were not true."""

from __future__ import annotations

import re

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from assistant.present.diagnosis import diagnosis_lines
from assistant.vocabulary.answers import DiagnosedFile, Diagnosis
from tests.nccl_logs import DEVICES, GIB, MIB, channels, debug, table

CATALOG = library.load().catalog
TRAYS = {f"tray-{n}": f"10.9.0.{n}" for n in range(4)}
FOUR = "NET/IB : Using [0]mlx5_0:1/IB [1]mlx5_1:1/IB [2]mlx5_4:1/IB [3]mlx5_5:1/IB [RO]; OOB eth0:10.9.0.1<0>"
LARGE = {GIB: 0.98, 4 * GIB: 1.0, 8 * GIB: 1.0}


def read(text: str) -> DiagnosedFile:
    return diagnose_text(text, CATALOG)


def alarms(found: DiagnosedFile) -> list[str]:
    return [each.code for each in found.findings if each.severity != "info"]


def rack(out: dict[str, tuple[str, int]], cluster: str = "7c1f00aa.19de40b2 cliqueId 0x7", used: int = 0) -> str:
    """Debug lines of a job over four trays; ``out``: the cluster and state of the fabric where it is another one."""
    lines = [FOUR, "Using network IB"]
    text = debug(*lines, hosts=4, per_host=4)
    for tray, host in enumerate(TRAYS):
        said, state = out.get(host, (cluster, 3))
        for gpu in range(4):
            head = f"{host}:{900 + gpu}:{990 + gpu} [{gpu}] NCCL INFO"
            text += f"{head} MNNVL busId 0x{gpu}901000 fabric UUID {said} state {state} healthMask 0x0\n"
            rank = 4 * tray + gpu
            text += f"{head} comm 0x5 rank {rank} nRanks 16 nNodes 4 localRanks 4 localRank {gpu} MNNVL {used}\n"
            text += (
                f"{head} Channel 0{gpu}/0 : {rank}[{gpu}] -> {(rank + 4) % 16}[{gpu}] [send] via NET/IB/{gpu}/GDRDMA\n"
            )
    return text


NONE = "0.0 cliqueId 0x0"


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ({"tray-2": (NONE, 2)}, "the GPUs of tray-2 have not joined the NVLink fabric (state 2: in progress"),
        (dict.fromkeys(TRAYS, (NONE, 1)), "no GPU has joined the NVLink fabric (state 1: not started"),
        ({}, "the IMEX domain or its channel is missing"),
    ],
    ids=["one tray", "no tray", "no domain"],
)
def test_nvlink_of_a_rack_that_is_not_in_use_is_the_cause_and_not_the_adapters(out, said):
    found = read(rack(out) + table(186.0, hosts=4, per_host=4, device="NVIDIA GB200", sweep=LARGE))
    first = next(each for each in found.findings if each.severity != "info")
    assert first.code == "rack-nvlink-unused" and said in first.message
    assert alarms(found) == ["rack-nvlink-unused"], "the adapters give what four of 400 Gb/s carry"
    assert found.expected_busbw_gb_per_s == pytest.approx(196.0)


def test_a_rack_that_is_switched_off_says_by_what():
    found = read(debug("NCCL_MNNVL_ENABLE set by environment to 0.", hosts=4, per_host=4) + rack({}))
    assert "NCCL_MNNVL_ENABLE=0" in next(each.message for each in found.findings if each.code == "rack-nvlink-unused")


def test_a_rack_that_is_switched_off_on_purpose_is_measured_by_its_adapters():
    off = debug("NCCL_MNNVL_ENABLE set by environment to 0.", hosts=4, per_host=4) + rack({})
    meant = "NOTE: MNNVL is switched off on purpose (NCCL_MNNVL_ENABLE=0), the adapters are to be tested\n"
    good, slow = (table(peak, hosts=4, per_host=4, device="NVIDIA GB200", sweep=LARGE) for peak in (187.0, 80.0))
    assert not alarms(read(meant + off + good))
    assert alarms(read(off + good)) and alarms(read(meant + off + slow))


def test_servers_without_a_rack_and_trays_of_several_racks_are_no_alarm():
    hgx = debug("MNNVL busId 0x1b000 fabric UUID 0.0 cliqueId 0x0 state 3 healthMask 0x0", hosts=4, per_host=8)
    assert not alarms(read(hgx + debug(DEVICES, "Using network IB", *channels("IB"), hosts=2, per_host=8)))
    apart = {host: (f"7c1f00a{n}.19de40b{n} cliqueId 0x7", 3) for n, host in enumerate(TRAYS)}
    assert not alarms(read(rack(apart)))


def test_nvlink_over_several_trays_has_an_expected_speed():
    found = read(rack({}, used=1).replace("via NET/IB", "via P2P/MNNVL/IB")
                 + table(690.0, hosts=4, per_host=4, device="NVIDIA GB200", sweep=LARGE))  # fmt: skip
    assert found.transport == "nvlink" and found.expected_busbw_gb_per_s == pytest.approx(684.0)
    assert not alarms(found)


@pytest.mark.parametrize(
    "before",
    [
        "[default3]:",
        "[default3]:[rank3]:",
        "[default3]: [rank3]: ",
        "dgx-17: ",
        "dgx-17: [rank3]: ",
        "2: [default3]:",
        "(VllmWorker rank=3 pid=4121) ",
        "(RayTrainWorker pid=88, ip=10.0.0.3) ",
        "ERROR 06-30 05:01:37 [multiproc_executor.py:487] ",
        "(VllmWorker rank=3 pid=4121) ERROR 06-30 05:01:37 [multiproc_executor.py:487] ",
    ],
)
@pytest.mark.parametrize(
    ("error", "code"),
    [("IndexError: list index out of range", "program-error"), ("RuntimeError: bad shard 7", "runtime-error")],
)
def test_what_launchers_put_before_a_traceback_hides_it_from_nobody(before, error, code):
    lines = ["Traceback (most recent call last):", '  File "/x/train.py", line 3, in step', error]
    found = read(debug(DEVICES, "Using network IB") + "".join(f"{before}{line}\n" for line in lines))
    assert code in alarms(found) and error in next(each.message for each in found.findings if each.code == code)


def test_a_normal_start_and_end_say_nothing_of_a_rank_that_failed():
    sound = debug(
        DEVICES, "Using network IB", *channels("IB"), "[Proxy Service] Device 3 CPU core 11", "Init COMPLETE",
        "[Service thread] Connection closed by localRank 1", "comm 0x1 rank 0 nranks 16 - Abort COMPLETE", per_host=8,
    )  # fmt: skip
    assert read(sound).findings == []
    broken = "n0:1:2 [0] proxy.cc:1540 NCCL WARN [Proxy Service 0] Failed to execute operation Setup from rank 1\n"
    found = read(sound + broken)
    (told,) = [each for each in found.findings if each.code == "service-connection"]
    assert told.evidence in broken


def test_a_peer_that_ended_is_no_watchdog():
    said = "[rank1]: ncclRemoteError: A call failed possibly due to a network error or a remote process exiting."
    assert alarms(read(f"{debug(DEVICES, 'Using network IB')}{said}\n")) == ["remote-died"]


def test_the_rank_that_does_something_else_is_singled_out():
    waits = "".join(
        f"[rank{rank}]:[E ProcessGroupNCCL.cpp:616] [Rank {rank}] Watchdog caught collective operation timeout: "
        f"WorkNCCL(SeqNum=71, OpType={'ALLREDUCE' if rank == 5 else 'BROADCAST'}, NumelIn=1)\n"
        for rank in range(8)
    )
    one = debug("comm 0x1 rank 0 nRanks 8 nNodes 1 localRanks 8", hosts=1, per_host=1)
    found = read(one + waits)
    (told,) = [each for each in found.findings if each.code == "collective-mismatch"]
    assert "rank 5 in ALLREDUCE, the other 7 in BROADCAST" in told.message
    assert "one-rank-speaks" not in {each.code for each in found.findings}, "all eight ranks speak, through PyTorch"


def test_one_address_on_all_hosts_is_the_cause_and_what_it_breaks_is_not_told():
    bridge = debug("Bootstrap : Using virbr0:192.168.122.1<0>", "Using network Socket", hosts=2)
    abort = "Connect to 192.168.122.1<46013> failed : Software caused connection abort"
    broken = f"node-1:1:2 [0] misc/socket.cc:484 NCCL WARN {abort}\n"
    refused = "node-1:1:2 [0] NCCL INFO Call to connect returned Connection refused, retrying\n"
    found = read(bridge + refused + broken)
    first = found.findings[0]
    assert (first.code, first.severity) == ("docker-interface", "error") and "virbr0" in first.message
    assert not {"wrong-interface", "connection-refused"} & {each.code for each in found.findings}
    assert "ranks unknown on 2 node(s)" in "\n".join(diagnosis_lines(Diagnosis(files=[found])))


def test_ranks_that_print_some_of_the_gpus_are_not_spread_over_more_hosts():
    text = "".join(
        f"n{host}:1:2 [{gpu}] NCCL INFO comm 0x1 rank {8 * host + gpu} nranks 16 cudaDev {gpu}\n"
        for host, gpu in ((0, 0), (0, 7), (1, 0))
    )
    found = read(text)
    assert (found.ranks, found.nodes) == (16, 2)


EFA = "+ export FI_PROVIDER=efa NCCL_DEBUG=INFO\n"
NO_PLUGIN = ("NET/IB : No device found.", "NET/IB : Using [RO]; OOB ens5:10.0.0.1<0>",
             "NET/Socket : Using [0]ens5:10.0.0.1<0>", "Using network Socket", *channels("Socket", 1, ""))  # fmt: skip


def test_without_the_plugin_nobody_is_sent_to_look_for_verbs():
    found = read(EFA + debug(*NO_PLUGIN, per_host=8))
    assert alarms(found) == ["plugin-missing", "tcp-sockets"] or alarms(found) == ["tcp-sockets", "plugin-missing"]
    assert all(each.line for each in found.findings), "every finding has the line it rests on"
    assert not any("/dev/infiniband" in each.fix for each in found.findings)


def test_a_plugin_that_cannot_be_loaded_is_not_called_missing():
    broken = "NET/Plugin: Could not find: /opt/x/libnccl-net.so: /lib/libfabric.so.1: version `FABRIC_1.8' not found"
    found = read(EFA + debug(broken, *NO_PLUGIN, per_host=8))
    assert alarms(found)[0] == "plugin-not-loaded" and set(alarms(found)) == {"plugin-not-loaded", "tcp-sockets"}


@pytest.mark.parametrize(
    ("listed", "transport"),
    [("[0]mlx5_0+mlx5_1:1/RoCE [1]mlx5_2+mlx5_3:1/RoCE", "roce"), ("[0]=<mlx5_0 x mlx5_1>", "infiniband")],
)
def test_a_list_of_adapters_in_a_form_that_is_not_known_is_not_an_empty_one(listed, transport):
    found = read(debug(f"NET/IB : Using {listed} [RO]; OOB eth0:10.0.0.1<0>", "Using network IB", *channels("IB")))
    assert found.transport == transport and "empty-device-list" not in alarms(found)


EMPTY_LIST = "NET/IB : Using [RO]; OOB eth0:10.0.0.1<0>"


@pytest.mark.parametrize(
    "machine",
    ["$ kubectl get nodes\ng2-standard-24\n", "the rack is ethernet-only\n"],
)
def test_an_empty_list_of_adapters_is_a_note_where_the_machines_have_sockets_alone(machine):
    said = ("NET/IB : No device found.", EMPTY_LIST, "Using network Socket", *channels("Socket", 1, ""))
    lines = debug(*said, hosts=2, per_host=8)
    assert alarms(read(machine + lines)) == []
    assert "empty-device-list" in alarms(read(lines))


def test_a_topology_file_that_is_missing_is_not_that_of_another_machine():
    missing = "n0:1:2 [0] graph/xml.cc:329 NCCL WARN Could not open XML topology file /opt/x.xml : No such file\n"
    text = debug("NCCL_TOPO_FILE set by environment to /opt/x.xml.", DEVICES, "Using network IB") + missing
    found = read(text + debug(*channels("IB", suffix=""), per_host=8))
    assert alarms(found)[0] == "topology-file-missing" and "topology-file-of-another" not in alarms(found)
    assert not any("nvidia-peermem" in each.fix for each in found.findings)


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        (("Using network Socket", *channels("Socket", 1, "")), "GPUDirect on every channel (TCP sockets have none)"),
        (("Using network FasTrak", *channels("FasTrak", 8, "")), "(the plugin's lines do not say it)"),
        (("Using network IB", *channels("IB")), "how many adapters take part (no line lists the adapters of a host)"),
    ],
)
def test_what_could_not_be_checked_has_a_reason_that_is_true(lines, reason):
    found = read(debug(*lines, per_host=8))
    assert any(reason in each for each in found.not_checked), found.not_checked
    assert not any("no line tells" in each for each in found.not_checked)


def test_a_node_that_failed_before_its_channels_does_have_debug_lines():
    found = read(debug("comm 0x1 rank 0 nranks 4 nNodes 1 localRanks 4", hosts=1, per_host=4))
    assert any("no line tells of a channel between GPUs" in each for each in found.not_checked)


@pytest.mark.parametrize(
    ("device", "way", "expected", "peak", "alarm"),
    [
        ("NVIDIA L40S", "P2P/direct pointer", 23.625, 21.0, False),
        ("NVIDIA L40S", "P2P/direct pointer", 23.625, 12.0, False),
        ("NVIDIA L40S", "P2P/direct pointer", 23.625, 3.0, True),
        ("NVIDIA H100 80GB HBM3", "SHM/direct/direct", 364.5, 30.0, True),
    ],
)
def test_inside_a_node_cards_and_detours_have_an_expected_speed(device, way, expected, peak, alarm):
    ways = [f"Channel 0{n}/0 : {n}[{n}] -> {n + 1}[{n + 1}] via {way}" for n in range(7)]
    text = debug("comm 0x1 rank 0 nRanks 8 nNodes 1 localRanks 8", *ways, hosts=1, per_host=8)
    sweep = {256 * MIB: 0.97, GIB: 1.0, 4 * GIB: 1.0}
    found = read(text + table(peak, hosts=1, per_host=8, device=device, sweep=sweep))
    assert found.expected_busbw_gb_per_s == pytest.approx(expected, rel=0.001)
    assert ("low-bandwidth" in alarms(found)) is alarm


PEERS = [f"Channel 0{n}/0 : {n}[{n}] -> {(n + 1) % 8}[{(n + 1) % 8}] via P2P/CUMEM" for n in range(8)]
ONE_NODE = "comm 0x5 rank 0 nRanks 8 nNodes 1 localRanks 8 localRank 0 MNNVL 0"
NOT_SHOWN = "peer-to-peer (PCIe or NVLink not shown)"


@pytest.mark.parametrize(
    ("more", "peak", "device", "transport", "said"),
    [
        ((), 0.0, "", "p2p", NOT_SHOWN),
        (("Channel 00/04 : 0 1 2 3 4 5 6 7",), 0.0, "", "p2p", NOT_SHOWN),
        (("Channel 00/24 : 0 1 2 3 4 5 6 7",), 0.0, "", "nvlink", "NVLink"),
        (("+ NVL[240.0] - NVS/0",), 0.0, "", "nvlink", "NVLink"),
        (("NVLS multicast support is available on dev 0",), 0.0, "", "nvlink", "NVLink"),
        ((), 22.0, "NVIDIA L40S", "pcie", "pcie"),
        ((), 20.0, "NVIDIA A100 80GB PCIe", "pcie", "pcie"),
        ((), 470.0, "NVIDIA H100 80GB HBM3", "nvlink", "NVLink"),
    ],
)
def test_peer_access_alone_is_no_nvlink(more, peak, device, transport, said):
    """P2P/CUMEM and P2P/direct pointer say that GPUs reach each other, not over what."""
    text = debug(ONE_NODE, *more, *PEERS, hosts=1, per_host=8)
    found = read(text + (table(peak, hosts=1, per_host=8, device=device) if device else ""))
    assert found.transport == transport
    assert f"over {said}".lower() in diagnosis_lines(Diagnosis(files=[found]))[1].lower()


def test_a_card_that_another_line_names_is_joined_by_pcie():
    named = "+-----+\n|   0  NVIDIA A100 80GB PCIe    Off |   00000000:17:00.0 Off |\n"
    assert read(named + debug(ONE_NODE, *PEERS, hosts=1, per_host=8)).transport == "pcie"


def test_nvlink_that_carries_the_traffic_between_trays_is_called_that():
    found = read(re.sub(r"via NET/IB/\d/GDRDMA", "via P2P/MNNVL", rack({}, used=1)))
    assert (found.transport, found.nodes) == ("nvlink", 4), "the contract's word stays"
    assert "over NVLink between nodes (MNNVL)" in diagnosis_lines(Diagnosis(files=[found]))[1]
    assert "over NVLink" not in diagnosis_lines(Diagnosis(files=[read(rack({}))]))[1]


@pytest.mark.parametrize(
    ("asked", "refused", "way", "alarm"),
    [
        ("NCCL_COLLNET_ENABLE set by environment to 1.", True, "", True),
        ("NCCL_COLLNET_ENABLE set by environment to 1.", False, "", True),
        ("NCCL_ALGO set by environment to CollNet", False, "", True),
        ("NCCL_ALGO set by environment to Ring,CollNetDirect", False, "", False),
        ("NCCL_COLLNET_ENABLE set by environment to 0.", True, "", False),
        ("NCCL_COLLNET_ENABLE set by environment to 1.", False, "CollNet 00/0 : 0 [send] via COLLNET/SHARP/0", False),
        ("NCCL_DEBUG set by environment to INFO.", True, "", False),
    ],
)  # fmt: skip
def test_sums_in_the_switches_that_were_asked_for_and_not_made_are_a_fault(asked, refused, way, alarm):
    lines = ["Cannot initialize CollNet, using point-to-point network instead"] if refused else []
    text = debug(asked, FOUR, "Using network IB", *lines, *channels("IB", 4), *([way] if way else []), per_host=4)
    assert ("sharp-not-used" in alarms(read(text + table(390.0)))) is alarm


def listing(*rates: int, host: str = "", how: str = "mlx5_{n} rate {rate} Gb/sec (4X NDR) 4: ACTIVE") -> str:
    return "".join(f"{host}{how.format(n=n, rate=rate)}\n" for n, rate in enumerate(rates))


@pytest.mark.parametrize(
    ("slow", "text"),
    [
        (
            "mlx5_2 on node-1",
            "$ ssh node-0 'for d in mlx5_*; do …'\n"
            + listing(400, 400, 400, 400)
            + "$ ssh -o StrictHostKeyChecking=no -p 2222 node-1 'for d in mlx5_*; do …'\n"
            + listing(400, 400, 100, 400),
        ),
        (
            "mlx5_1 on node-1",
            listing(400, 400, 400, 400, host="node-0: ", how="CA 'mlx5_{n}'\tPhysical state: LinkUp\tRate: {rate}")
            + listing(400, 100, 400, 400, host="node-1: ", how="CA 'mlx5_{n}'\tPhysical state: LinkUp\tRate: {rate}"),
        ),
    ],
    ids=["a loop over ssh", "columns by paste"],
)
def test_one_adapter_that_came_up_slower_is_named_however_the_rates_are_listed(slow, text):
    log = debug(DEVICES, "Using network IB", *channels("IB"), per_host=8) + text
    found = read(log + table(98.0, sweep=LARGE))
    told = next(each for each in found.findings if each.code == "adapter-slower")
    assert told.severity == "warning" and slow in told.message
    assert "adapter-slower" not in alarms(read(log.replace("100", "400") + table(360.0, sweep=LARGE)))


def test_a_gpu_behind_fewer_lanes_than_the_others_is_told_though_nvlink_is_fast():
    one_node = table(470.0, hosts=1, per_host=8, sweep=LARGE)
    lanes = lambda odd: "".join(
        f"GPU {n} {n}8:00.0 H2D-Pinned 55.0 GB/s   LnkSta: Speed 32GT/s, Width x{odd if n == 3 else 16}\n"
        for n in range(8)
    )
    found = read(one_node + lanes(4))
    assert alarms(found) == ["pcie-lanes-lost"] and "GPU 3 has 4 of its 16 lanes" in found.findings[0].message
    assert alarms(read(one_node + lanes(16))) == []
    disks = "LnkSta: Speed 16GT/s, Width x4\n" * 3 + "mlx5_0 LnkSta: Speed 16GT/s, Width x8\n"
    assert alarms(read(one_node + lanes(16) + disks)) == []


def test_failures_that_an_audit_counted_none_of_are_no_failures():
    audit = (
        "=== nightly audit, 24 nodes, 24 h ===\npattern                                  matches\n"
        "NVRM: Xid .*: 79, GPU has fallen off the bus          {}\nOut of memory: Killed process                   0\n"
        "NCCL WARN .* Got completion .* error                  0\n"
    )
    assert alarms(read(audit.format(0))) == []
    assert "gpu-off-the-bus" in alarms(read(audit.format(2)))
    listed = "node-3    NVRM: Xid 79, GPU has fallen off the bus    0\n"  # the number of the GPU
    assert "gpu-off-the-bus" in alarms(read(listed))


def test_an_entry_of_the_address_table_that_hosts_set_differently_is_told_by_host():
    lines = [
        "node-0:1:2 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 3.",
        "node-1:1:2 [0] NCCL INFO NCCL_IB_GID_INDEX set by environment to 0.",
        "node-0:1:2 [0] misc/ibvwrap.cc:293 NCCL WARN Call to ibv_modify_qp failed with 110 Connection timed out, on "
        "dev mlx5_0:1, curr state INIT, next state RTR, local GID index 3, remote GID fe80::966d:aeff:fe31:7c02",
    ]
    found = read(debug(DEVICES, "Using network IB", per_host=8) + "\n".join(lines) + "\n")
    told = next(each for each in found.findings if each.code == "gid-index-pinned")
    assert "NCCL_IB_GID_INDEX=3 on node-0 and 0 on node-1" in told.message


def test_v100_machines_of_a_cloud_over_ethernet_are_no_fault():
    lines = ["NET/IB : No device found.", "NET/Socket : Using [0]ens4:10.0.0.1<0>", "Using network Socket"]
    text = debug(*lines, *channels("Socket", 1, ""), "Init COMPLETE", per_host=4).replace("node-", "bhs-v100-0")
    text = text.replace("nRanks 16", "nRanks 8").replace("localRanks 8", "localRanks 4")
    assert alarms(read(text)) == []
    assert "tcp-sockets" in alarms(read(text.replace("v100", "h100")))


def test_a_table_of_an_exchange_is_known_by_the_words_above_it():
    text = table(58.0, collective="all_gather", hosts=4, per_host=8, sweep=LARGE, named=False)
    assert "low-bandwidth" in alarms(read(text))
    assert alarms(read("alltoall for the MoE people, 4 nodes\n" + text)) == []


def test_who_trains_on_one_node_may_meet_at_a_loopback_address():
    said = "[INFO] [launch.py:152:main] nnodes={}, num_local_procs=2, node_rank=0\n"
    meets = "[INFO] [comm.py:652:init_distributed] Discovered: master_addr=127.0.0.1, master_port=29500\n"
    assert alarms(read(said.format(1) + meets)) == []
    assert alarms(read(said.format(4) + meets)) == ["master-on-loopback"]


def test_sockets_where_somebody_says_that_rdma_is_not_permitted_are_no_fault():
    lines = [
        "NCCL_IB_DISABLE set by environment to 1.",
        "NET/Socket : Using [0]ens7f0:10.0.0.1<0>",
        "Using network Socket",
    ]
    text = debug(*lines, *channels("Socket", 1, ""), "Init COMPLETE", per_host=8)
    assert "tcp-sockets" in alarms(read(text))
    assert alarms(read("# zone 2: RDMA not permitted by policy, TCP on 100G only\n" + text)) == []


def test_rates_that_a_script_lists_beside_quoted_names_are_read():
    rates = listing(400, 400, 400, 400, host="node-0: ", how="'mlx5_{n}' {rate}")
    rates += listing(400, 100, 400, 400, host="node-1: ", how="'mlx5_{n}' {rate}")
    found = read(debug(DEVICES, "Using network IB", *channels("IB"), per_host=8) + rates + table(98.0, sweep=LARGE))
    assert any(each.code == "adapter-slower" and "mlx5_1 on node-1" in each.message for each in found.findings)
