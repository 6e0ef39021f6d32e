"""Reports in which nothing ran: the transport is the network that the adapters speak, and what carries other things is
compared with its like alone."""

from __future__ import annotations

import pytest

from assistant.api import diagnose

_PORT = """CA '{name}'
\tCA type: MT4129
\tPort 1:
\t\tState: Active
\t\tPhysical state: LinkUp
\t\tRate: {rate}
\t\tLink layer: {layer}
"""
_PERFTEST = """                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_3
 Number of qps   : 4\t\tTransport type : IB
 Link type       : {link}
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 65536      7483212          0.00               392.33 \t\t   0.748311
"""


def _ports(*ports: tuple[str, int, str]) -> str:
    return "".join(_PORT.format(name=name, rate=rate, layer=layer) for name, rate, layer in ports)


@pytest.mark.parametrize(
    ("text", "transport"),
    [
        (_ports(*((f"mlx5_{n}", 400, "InfiniBand") for n in range(8)), ("mlx5_8", 100, "Ethernet")), "infiniband"),
        (_ports(*((f"mlx5_{n}", 200, "Ethernet") for n in range(4))), "roce"),
        (_PERFTEST.format(link="IB"), "infiniband"),
        (_PERFTEST.format(link="Ethernet"), "roce"),
        ("efa 0000:4f:00.0: Setup irq:340\ninfiniband efa_0: IB device registered\nnvidia-nvswitch0: open\n", "efa"),
    ],
)
def test_what_a_report_without_a_run_is_on_is_what_its_adapters_speak(text: str, transport: str) -> None:
    found = diagnose(text).files[0]
    assert found.transport == transport and not [each for each in found.findings if each.severity != "info"]


def test_an_ethernet_port_for_storage_is_no_slow_adapter_but_a_slow_one_of_its_own_kind_is() -> None:
    compute = [(f"mlx5_{n}", 400, "InfiniBand") for n in range(8)]
    slow = diagnose(_ports(*compute[:7], ("mlx5_7", 200, "InfiniBand"), ("mlx5_8", 100, "Ethernet"))).files[0]
    (told,) = [each for each in slow.findings if each.severity != "info"]
    assert told.code == "adapter-slower" and "mlx5_7" in told.message


@pytest.mark.parametrize(("wait", "waits"), [("1.7ms", False), ("1.9s", True)])
def test_a_wait_for_data_is_compared_with_the_step_in_one_unit(wait: str, waits: bool) -> None:
    steps = "".join(f"[rank0] step {n:4} | loss 9.1 | step_time 2.785s | data_wait {wait}\n" for n in range(0, 100, 5))
    assert ("waits-for-data" in [each.code for each in diagnose(steps).files[0].findings]) is waits


def test_a_file_system_that_stops_again_and_again_while_steps_wait_for_data_is_told() -> None:
    step = (
        "Epoch: [3]  [{n:4}/10009]  eta: 1:10:15  lr: 0.0008  loss: 2.9  time: {time}  data: {data}  max mem: 61877\n"
    )
    quick = "".join(step.format(n=n, time=0.4233, data=0.0141) for n in range(0, 500, 50))
    slow = "".join(step.format(n=n, time=3.6381, data=3.2262) for n in range(500, 1500, 50))
    silent = "gpu-n3 kernel: [882100.33] nfs: server 10.2.0.250 not responding, still trying\n"
    again = "gpu-n3 kernel: [882165.91] nfs: server 10.2.0.250 OK\n"
    told = {each.code: each.severity for each in diagnose(quick + silent + again + slow).files[0].findings}
    assert told["storage-stopped"] == "error" and told["waits-for-data"] == "warning"


def test_libfabric_on_slingshot_is_no_efa_though_the_plugin_looks_for_its_platform() -> None:
    line = "nid001128:118003:118389 [0] NCCL INFO "
    text = (
        f"{line}NET/OFI Initializing aws-ofi-nccl 1.6.0\n"
        f"{line}NET/OFI Could not find /sys/devices/virtual/dmi/id/product_name entry for AWS platform\n"
        f"{line}NET/OFI Selected Provider is cxi (found 4 nics)\n{line}Using network AWS Libfabric\n"
    )
    assert diagnose(text).files[0].transport == "slingshot"


def test_infiniband_switched_off_in_a_node_that_nothing_leaves_and_an_older_bmc_are_no_alarms() -> None:
    line = "inf-h100-2:412:412 [0] NCCL INFO "
    text = f"{line}NCCL version 2.21.5+cuda12.4\n{line}NCCL_IB_DISABLE set by environment to 1.\n" + "".join(
        f"{line}Channel {n:02}/0 : 0[0] -> 1[1] via P2P/CUMEM\n" for n in range(24)
    )
    assert not [each for each in diagnose(text).files[0].findings if each.severity != "info"]
    report = _ports(("mlx5_0", 400, "InfiniBand")) + "[WARN] bmc firmware 24.06.1 older than 24.09.0 (cosmetic)\n"
    assert "firmware-differs" not in [each.code for each in diagnose(report).files[0].findings]


def test_a_port_that_went_down_twice_since_its_start_and_ecn_without_losses_are_no_alarms() -> None:
    check = (
        "[ OK ] hca mlx5_{n}  port 1 ACTIVE LinkUp rate 400 link_layer InfiniBand lid 61{n} sm_lid 1 symbol_err 0 "
        "link_downed {downs}\n"
    )
    found = diagnose("".join(check.format(n=n, downs=1 + (n == 6)) for n in range(8))).files[0]
    assert found.transport == "infiniband" and not [each for each in found.findings if each.severity != "info"]
    often = diagnose("".join(check.format(n=n, downs=1 + 40 * (n == 6)) for n in range(8))).files[0]
    assert [each for each in often.findings if each.severity != "info"]
    marked = "link mlx5_0/1 rx_write_requests 1880240172 out_of_sequence 0 np_ecn_marked_roce_packets 90118822\n"
    assert not [each for each in diagnose(marked).files[0].findings if each.severity != "info"]


_MATRIX = """\tGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity
GPU0\t X \tNV12\tPXB\tSYS\tPXB\t0-31\t0
GPU1\tNV12\t X \tPXB\tSYS\tPXB\t0-31\t0
GPU2\tPXB\tPXB\t X \tNV12\tSYS\t32-63\t1
GPU3\tSYS\tSYS\tNV12\t X \tSYS\t32-63\t1
NIC0\tPXB\tPXB\tSYS\tSYS\t X
"""
_OF_ROCM = """========== Weight between two GPUs ==========
       GPU0         GPU1         GPU2
GPU0   0            15           15
GPU1   15           0            15
GPU2   15           15           0
========== Link Type between two GPUs ==========
       GPU0         GPU1         GPU2
GPU0   0            XGMI         XGMI
GPU1   XGMI         0            XGMI
GPU2   XGMI         XGMI         0
========== Hops between two GPUs ==========
       GPU0         GPU1         GPU2
GPU0   0            1            1
GPU1   1            0            1
"""
_COPIES = """Running device_to_device_memcpy_read_ce.
memcpy CE GPU(row) <- GPU(column) bandwidth (GB/s)
           0         1         2         3
 0       N/A    {0:.2f}    {0:.2f}    {0:.2f}
 1    {0:.2f}       N/A    {0:.2f}    {0:.2f}
 2    {0:.2f}    {0:.2f}       N/A    {1:.2f}
 3    {0:.2f}    {0:.2f}    {1:.2f}       N/A

SUM device_to_device_memcpy_read_ce 4752.41
"""
_P2P = """Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
   D\\D     0      1      2
     0 2501.41  36.22  38.03
     1  37.10 2519.65  37.80
     2  37.10  37.65 2519.80
Bidirectional P2P=Enabled Bandwidth Matrix (GB/s)
   D\\D     0      1      2
     0 2501.41 {0:.2f} {0:.2f}
     1  {0:.2f} 2519.65 {0:.2f}
     2  {0:.2f} {0:.2f} 2519.80
P2P=Enabled Latency Matrix (us)
   GPU     0      1      2
     0   2.13   2.90   2.88
"""


@pytest.mark.parametrize(
    ("text", "transport"),
    [
        (_MATRIX, "nvlink"),
        (_MATRIX.replace("NV12", "PXB"), "pcie"),
        (_OF_ROCM, "xgmi"),
        (_OF_ROCM.replace("XGMI", "PCIE"), "pcie"),
        (_COPIES.format(396.0, 395.0), "nvlink"),
        (_COPIES.format(26.0, 26.0), "p2p"),
        (_P2P.format(752.0), "nvlink"),
        (_P2P.format(100.0), "p2p"),
    ],
)
def test_what_joins_the_gpus_of_a_host_is_told_by_its_matrix_and_by_how_fast_they_copy(
    text: str, transport: str
) -> None:
    found = diagnose(text).files[0]
    assert found.transport == transport and not [each for each in found.findings if each.severity != "info"]
    assert "what joins the GPUs of the host" in found.checked


def test_a_pair_that_copies_at_half_of_what_the_others_do_is_named() -> None:
    (found,) = [each for each in diagnose(_COPIES.format(396.0, 152.5)).files[0].findings if each.severity != "info"]
    assert (
        found.code == "copies-uneven" and "GPU2 and GPU3 copy at 152.5 GB/s where most pairs reach 396" in found.message
    )


def test_a_link_of_two_lanes_among_links_of_four_and_a_gpu_with_half_of_the_others_lanes_are_named() -> None:
    end = 'Gbps Active/  LinkUp)==> 1 3[  ] "sw1" ( )\n'
    link = "CA: n{0:02} mlx5_0:\n  0x0002c9030045a1b{0} 12 1[  ] ==( {1}X 53.125 " + end
    links = diagnose("".join(link.format(n, 2 if n == 4 else 4) for n in range(1, 9))).files[0]
    assert links.transport == "infiniband" and [(f.code, "n04" in f.message) for f in links.findings] == [
        ("adapter-slower", True)
    ]
    lanes = "".join(f"[preflight] gpu{n} pcie gen5 x{8 if n == 2 else 16}\n" for n in range(8))
    (found,) = [each for each in diagnose(lanes).files[0].findings if each.severity != "info"]
    assert found.code == "pcie-lanes-lost" and found.message.startswith("gpu2 has 8 of its 16 lanes")


def _codes(text: str) -> set[str]:
    return {each.code for each in diagnose(text).files[0].findings if each.severity != "info"}


def test_a_window_without_room_an_idle_port_of_the_board_and_one_bound_process_are_no_faults() -> None:
    boot = "[ 4.1] pci 0000:e2:00.0: BAR {}: no space for [mem size 0x00200000]\n[ 9.8] ib_ipoib: IPoIB driver loaded\n"
    up = "[ 36.7] IPv6: ADDRCONF(NETDEV_CHANGE): ibp12s0: link becomes ready\n"
    assert not _codes(boot.format(7) + up) and _codes(boot.format(1) + up) == {"bar-missing"}
    assert diagnose(boot.format(7) + up).files[0].transport == "infiniband"
    ports = "# ip -br link\n{}  DOWN  3c:ec:ef:aa:10:02 <NO-CARRIER,BROADCAST,MULTICAST,UP>\n"
    rdma = "".join(f"link mlx5_{n}/1 state ACTIVE physical_state LINK_UP netdev eth{n}\n" for n in range(8))
    assert not _codes(rdma + ports.format("eno1")) and "link-down" in _codes(rdma + ports.format("eth3"))
    assert not _codes(
        "$ numactl -N 1 ib_write_bw -d mlx5_2 -x 3 -D 30 172.20.33.4\n" + _PERFTEST.format(link="Ethernet")
    )


def test_of_pairs_that_a_script_heads_with_their_hosts_the_slow_host_is_named() -> None:
    half = "    {0}  {1:.2f}  {2:.2f}      0"
    row = f"  4294967296    1073741824     float     sum      -1{half}{half}\n"
    fast, slow = row.format(17420, 246.56, 462.30), row.format(42893, 100.13, 187.75)
    pairs = [(a, b) for a in range(1, 7) for b in range(a + 1, 7)]
    rows = [f"--- h100-03{a} <-> h100-03{b}  OK\n{slow if 5 in (a, b) else fast}" for a, b in pairs]
    found = diagnose("# NDR InfiniBand, 8 rails\n" + "".join(rows)).files[0]
    assert found.transport == "infiniband"
    assert [(each.code, "h100-035" in each.message) for each in found.findings] == [("slow-host", True)]


def test_steps_that_wait_for_data_now_and_then_wait_for_a_storage_that_stops() -> None:
    step = '02:00:01 {{"step": {}, "loss": 2.5, "t_total": {}, "t_data": {}, "t_fwd_bwd": 2.12, "t_optim": 0.1}}\n'
    lost = "gpu-h-01 kernel: Lustre: scratch-OST001b: Connection to scratch-OST001b (at 10.9.0.27@o2ib) was lost\n"
    gone = "gpu-h-03 kernel: LustreError: 167-0: scratch-OST001b: This client was evicted by scratch-OST001b\n"
    times = [(45.6, 43.0) if n % 5 == 4 else (2.6, 0.02) for n in range(60)]
    steps = [step.format(n, *each) + (lost if n == 20 else gone if n == 40 else "") for n, each in enumerate(times)]
    assert _codes("".join(steps)) == {"storage-stopped", "waits-for-data"}
    once = [step.format(n, *((45.6, 43.0) if n in (0, 30) else (2.6, 0.02))) for n in range(60)]
    assert not _codes("".join(once))


def test_a_port_of_ethernet_is_no_slow_rail_and_the_one_rail_that_is_down_is_named() -> None:
    state = "mlx5_{} 4: ACTIVE {} Gb/sec ({}) {}\n"
    rails = "".join(state.format(n, 200, "4X HDR", "InfiniBand") for n in range(8))
    found = diagnose(rails + state.format(8, 25, "1X EDR", "Ethernet")).files[0]
    assert found.transport == "infiniband" and not found.findings
    assert diagnose("".join(state.format(n, 400, "4X NDR", "Ethernet") for n in range(8))).files[0].transport == "roce"
    down = _ports(*((f"mlx5_{n}", 400, "InfiniBand") for n in range(8)), ("mlx5_8", 100, "Ethernet"))
    down = down.replace("State: Active\n\t\tPhysical state: LinkUp", "State: Down\n\t\tPhysical state: Polling", 1)
    assert _codes(down) == {"rail-down"}
    assert not _codes(_ports(("mlx5_9", 400, "InfiniBand")) + down), "the ninth may be spare"


def test_of_pairs_listed_in_lines_the_slow_host_is_named_whatever_stands_behind_the_value() -> None:
    head = "$ ./pairs.sh all_reduce_perf -b 4G -e 4G   # each line one 2-node run, busbw GB/s\n"
    pairs = [(a, b) for a in range(1, 7) for b in range(a + 1, 7)]
    rows = "".join(f"h10{a} h10{b}   {240.78 if 5 in (a, b) else 475.04}  wrong=0\n" for a, b in pairs)
    assert [(each.code, "h105" in each.message) for each in diagnose(head + rows).files[0].findings] == [
        ("slow-host", True)
    ]


def test_a_packet_sent_again_in_weeks_is_no_fault_of_a_link_and_verbs_of_roce_are_roce() -> None:
    counters = "$ nvidia-smi nvlink -e -i 3\nGPU 3: NVIDIA H200 (UUID: GPU-7d0f)\n\t Link 7: Replay Errors: {}\n"
    assert not _codes(counters.format(1)) and _codes(counters.format(48211)) == {"nvlink-errors"}
    lines = (
        "w3:19:77 [1] NCCL INFO Channel 01/0 : 25[1] -> 1[1] [send] via NET/IB/1/GDRDMA\n"
        "w3:19:77 [1] NCCL INFO NET/IB: mlx5_1:1 GID index 3 (RoCE v2, ::ffff:10.21.1.7) selected\n"
    )
    assert diagnose(lines).files[0].transport == "roce"


def test_a_card_that_speaks_both_is_on_the_network_of_its_interface() -> None:
    card = "0000:18:00.0 mlx5_0 (MT4129) ConnectX-7 card, 400GbE / NDR IB (default mode) port 1 (ACTIVE) ==> {} (Up)\n"
    assert diagnose(card.format("ibp24s0")).files[0].transport == "infiniband"
