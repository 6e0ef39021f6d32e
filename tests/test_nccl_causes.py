"""``weft nccl diagnose`` names the cause where a log holds it: an adapter, a host, the path, losses, heat; and healthy
runs that look alike raise no alarm.

Each cause has logs with it and logs that print the same things and are healthy.
"""

from __future__ import annotations

import pytest

from assistant import library
from assistant.network.diagnosis import diagnose_text
from tests.nccl_logs import DEVICES, GIB, H100_NAME, HEADERS, MIB, channels, debug, row, table

CATALOG = library.load().catalog
ROCE = DEVICES.replace(":1/IB", ":1/RoCE")


def running(*first: str, devices: str = DEVICES) -> str:
    return debug(*first, devices, "Using network IB", *channels("IB"), "Init COMPLETE")


def speeds(**slow: int) -> str:
    """The lines in which NCCL 2.28 names the speed of each adapter, on two hosts; ``slow``: host_adapter=Mbit/s."""
    return "".join(
        f"node-{host}:1:2 [0] NCCL INFO NET/IB: [{n}] mlx5_{n}:uverbs{n}:1/IB provider=Mlx5 "
        f"speed={slow.get(f'n{host}_{n}', 400000)} context=0x55 pciPath=/sys/devices/pci0000:0f ar=1\n"
        for host in (0, 1)
        for n in range(8)
    )


def ibstat(**rates: int) -> str:
    """``ibstat``; an adapter of rate 0 is down."""
    return "".join(
        f"CA 'mlx5_{n}'\n\tCA type: MT4129\n\tPort 1:\n\t\tState: {'Active' if rate else 'Down'}\n"
        f"\t\tPhysical state: {'LinkUp' if rate else 'Polling'}\n\t\tRate: {rate or 10}\n\t\tLink layer: InfiniBand\n"
        for n in range(8)
        for rate in [rates.get(f"mlx5_{n}", 400)]
    )


def devices(count: int, host: int) -> str:
    listed = " ".join(f"[{n}]mlx5_{n}:1/IB" for n in range(count))
    return f"node-{host}:1:2 [0] NCCL INFO NET/IB : Using {listed} [RO]; OOB eth0:10.0.0.{host}<0>\n"


def by_adapter(slow: float) -> str:
    parts = []
    for n in range(8):
        pinned = f"n:1:2 [0] NCCL INFO NET/IB : Using [0]mlx5_{n}:1/IB [RO]; OOB eth0:10.0.0.1<0>\n"
        head, rows = table(slow if n == 6 else 48.7, "sendrecv", per_host=1).split("#\n# ", 1)
        parts.append(f"===== mlx5_{n} =====\n{head}{pinned}#\n# {rows}")
    return "\n".join(parts)


def pairs(shape: str, slow: str = "", names: str = "gx-0{}", good: float = 47.5, bad: float = 11.2) -> str:
    hosts = [names.format(n) for n in range(1, 8)]
    return "".join(
        shape.format(a=a, b=b, rate=(bad if slow in (a, b) else good) + 0.07 * n) + "\n"
        for n, (a, b) in enumerate((a, b) for n, a in enumerate(hosts) for b in hosts[n + 1 :])
    )


def named_pairs(shape: str) -> str:
    names = ["alice", "bob", "carol", "dave", "erin"]
    return "".join(
        shape.format(a=a, b=b, rate=19.0 if "carol" in (a, b) else 47.0) + "\n"
        for n, a in enumerate(names)
        for b in names[n + 1 :]
    )


def two_racks(shape: str) -> str:
    places = [(a, b) for a in range(8) for b in range(a)]
    return "".join(shape.format(a=a, b=b, rate=96.2 if (a < 4) == (b < 4) else 48.1) + "\n" for a, b in places)


def by_rank(shape: str, usual: float, other: float) -> str:
    return "".join(
        shape.format(r=rank, s=step, v=other if rank == 6 else usual + step / 100) + "\n"
        for step in range(1, 9)
        for rank in range(8)
    )


def matrix(slow: str) -> str:
    hosts = [f"n{n}" for n in range(1, 7)]
    rows = [["-" if a == b else "19.2" if slow in (a, b) else f"48.{n}" for n, b in enumerate(hosts)] for a in hosts]
    lines = [" ".join([host, *row]) for host, row in zip(hosts, rows, strict=True)]
    return "\n".join(["GB/s " + " ".join(hosts), *lines]) + "\n"


def steps(slow: int, label: str = "compute", usual: float = 412.0, other: float = 804.0) -> str:
    return "".join(
        f"[rank{rank}] step {step} loss 2.{step} {label} {(other if rank == slow else usual) + step % 7:.1f} ms\n"
        for step in range(1, 9)
        for rank in range(8)
    )


def swinging(rows: list[tuple[float, float]], hosts: int = 4) -> str:
    """A table whose two sides are given, from 64 MiB on."""
    ranks = 8 * hosts
    head = table(1.0, hosts=hosts).split("\n   ")[0]
    lines = []
    for n, (out, inside) in enumerate(rows):
        size = 64 * MIB << n
        one, other = (row(size, busbw, "all_reduce", ranks, "2.17").split() for busbw in (out, inside))
        lines.append(" ".join([*one[:9], *other[5:9]]))
    return head[: head.rindex("GB/s)") + 5] + "\n" + "\n".join(lines) + "\n# Out of bounds values : 0 OK\n"


COLLIDING = [(270, 150), (338, 181), (350, 120), (172, 349), (230, 351), (149, 191), (352, 232)]
STEADY = [(260, 262), (310, 308), (330, 331), (345, 344), (350, 351), (352, 350), (353, 352)]
LOSING = [(140, 18), (331, 5), (21, 97), (7, 170), (89, 196), (327, 41), (332, 9)]
DISCARDS = "root@n7:~# ethtool -S rdma0\n     rx_discards_phy: 48813977\n     rx_prio3_pause: 0\n"
SETTLED = "root@n7:~# ethtool -S rdma0\n     rx_discards_phy: 0\n     rx_prio3_pause: 918811\n"


def scaling(*peaks: float) -> str:
    return "\n".join(
        f"### {2 << n} hosts\n" + table(peak, hosts=2 << n, sweep={GIB: 0.95, 8 * GIB: 1.0})
        for n, peak in enumerate(peaks)
    )


def devinfo(mtu: int, other: int, device: str = "mlx5_3") -> str:
    return (
        f"w-1$ ibv_devinfo -d mlx5_3\nhca_id:\tmlx5_3\n\tmax_mtu:\t4096 (5)\n\tactive_mtu:\t{mtu} (5)\n"
        f"w-2$ ibv_devinfo -d {device}\nhca_id:\t{device}\n\tmax_mtu:\t4096 (5)\n\tactive_mtu:\t{other} (3)\n"
    )


def links(mtu: int, other: int) -> str:
    return "".join(
        f"w-{host}$ ip link show rdma3\n5: rdma3: <BROADCAST,UP> mtu {size} qdisc mq\n"
        for host, size in enumerate((mtu, other))
    )


def queue_pairs(mtu: int, other: int) -> str:
    return "".join(
        f"node-{host}:1:2 [0] NCCL INFO NET/IB: NCCL Dev 0 IbDev 0 Port 1 qpn 3130 mtu {value} GID 3 (0/E107)\n"
        for host, value in enumerate((mtu, other))
    )


ENDED = (
    "node-0:1:2 [3] transport/net_ib.cc:2070 NCCL WARN NET/IB: Got completion from peer 10.2.0.14<40797> with "
    "status=12 opcode=0 len=0 vendor err 129 (Send)\n"
)


def modify(text: str, index: int | None = None) -> str:
    pinned = debug(f"NCCL_IB_GID_INDEX set by environment to {index}.") if index is not None else ""
    warned = f"node-0:1:2 [0] misc/ibvwrap.cc:257 NCCL WARN Call to ibv_modify_qp failed with error {text}\n"
    follows = (
        "node-0:1:2 [0] proxy.cc:1524 NCCL WARN [Proxy Service 8] Failed to execute operation Connect from rank 8\n"
    )
    return debug(ROCE, "Using network IB") + pinned + warned + follows


SMI = "index, temperature.gpu, clocks.current.sm [MHz], clocks_event_reasons.hw_thermal_slowdown\n"
HOT = "\n".join(
    f"{n}, {89 if n == 5 else 70}, {615 if n == 5 else 1980} MHz, {'' if n == 5 else 'Not '}Active" for n in range(8)
)
COOL = "\n".join(f"{n}, 70, 1980 MHz, Not Active" for n in range(8))
NODE = debug("NVLS multicast support is available on dev 0", "comm 0x1 rank 0 nRanks 8 nNodes 1 localRanks 8", hosts=1)

UPLINKS = "switch: spine uplink utilisation leaf-3: "
REPEATS = "five repeats, busbw at 8G: "
ARROWS = "pair size busbw(GB/s)\n", "{a}  <-> {b}   1073741824   {rate:.2f}"
COLUMNS = "# host_a host_b busbw #wrong\n", "{a}   {b}   {rate:.2f}   0"
PERFTEST = "#bytes  #iterations  BW peak[Gb/sec]  BW average[Gb/sec]  MsgRate[Mpps]\n"
HOSTS = "host        busbw GB/s\n"
ADAPTERS = "adapter   BW average[Gb/sec]\n"
ON_ROCE = running(devices=ROCE)
NVLS = "transport/nvls.cc:254 NCCL WARN Failed to bind NVLink SHARP (NVLS) Multicast memory : CUDA error 1\n"
BALANCING = "NCCL WARN NUMA auto balancing enabled which can lead to variability in the RCCL performance!\n"
STRANGE = "node-0:1:2 [0] x.cc:1 NCCL WARN Something of no weight\n"
NO_DAEMON = "NET/GPUDirectTCPX : failed to connect to /run/tcpx/rxdm_gpu0 : No such file or directory"
SOCKETS = debug("NET/IB : No device found.", "NET/Socket : Using [0]{0}0:10.0.0.1<0>", "Using network Socket",
                "comm 0x5 rank 0 nRanks 4 nNodes 2 localRanks 2", *channels("Socket", 1, "", ranks=4)[1:])  # fmt: skip


def each(shape: str, count: int, other: int = -1, **values: tuple[object, object]) -> str:
    """``count`` lines of which the one numbered ``other`` has the second of the values."""
    return "".join(shape.format(n=n, **{k: v[n == other] for k, v in values.items()}) + "\n" for n in range(count))


IMEX = "Node #0   - 10.7.7.11   - READY   - Version: 575.57\nNode #1   - 10.7.7.18   - {0}   - Version: N/A\n"
EFA = debug("NCCL_IB_DISABLE set by environment to 1.", "NET/OFI Selected provider is efa, fabric is efa-direct",
            "Using network Libfabric", *channels("Libfabric"))  # fmt: skip
LAB = debug("NCCL_IB_DISABLE set to 1", "NET/Socket : Using [0]eth4:10.0.0.1<0>", "Using network Socket",
            "comm 0x5 rank 0 nRanks 4 nNodes 2 localRanks 2", *channels("Socket", 1, "", ranks=4))  # fmt: skip
SPEED = "Settings for eth4:\n\tSpeed: 100000Mb/s\n"
CARDS = {"per_host": 2, "device": "NVIDIA A100 80GB PCIe"}
ONE = (table(1.0, hosts=1, per_host=2, named=False, listed=False).split("#\n")[0]
       + f"#  Rank  0 Group  0 Pid 10 on node-0 device  0 [0000:1b:00] {H100_NAME}\n{HEADERS['2.13']}\n"
       + " 1073741824 268435456 float sum -1 900.1 1192.89 0.00 0 0.35 3067833.78 0.00 0\n")  # fmt: skip
TRACE = debug("AllReduce: opCount 1 count 8").replace("INFO", "TRACE")
TWICE = "node-0:1:2 [0] init.cc:820 NCCL WARN Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1b000\n"
SLICES = "GPU 0: NVIDIA A100 80GB PCIe (UUID: GPU-0a1f)\n  MIG 3g.40gb     Device  0: (UUID: MIG-5a2e)\n"
FULL = "node-0:1:2 [0] transport/nvls.cc:180 NCCL WARN Cuda failure 2 'out of memory'\n"
WARM = "[ 9981.2] mlx5_core 0000:b8:00.0: temp_warn_event:153:(pid 0): High temperature on sensors with bit set 0 1\n"
SUPPLY = "  3f1 | 02/20/2025 | 03:11:07 | Power Supply PSU4 | Power Supply AC lost | Asserted\n"
BRAKE = "{0}$ nvidia-smi --query-gpu=...\nindex, clocks_throttle_reasons.hw_power_brake_slowdown\n"
CGROUP = "gpu-1 # cat /sys/fs/cgroup/cpu.max\n400000 100000\nnr_periods 48211\nnr_throttled {0}\n"
PING = "$ ping -M do -s {0} -c 3 10.44.0.18\n3 packets transmitted, {1} received, {2}% packet loss, time 2051ms\n"
LLDP = "lldp neighbours:\n" + "".join(
    f"h-{n}  mlx5_3 sw-{{{n}}}  swp{n}  mlx5_4 sw-{{{n + 4}}} swp{n}\n" for n in range(4)
)
LLDPCTL = "".join(
    f"[root@h-{n} ~]# lldpctl\nInterface:    ens3np0, via: LLDP, RID: 1\n  SysName:  sw-{{{n}}}\n"
    f"Interface:    ens4np0, via: LLDP, RID: 2\n  SysName:  sw-{{{n + 4}}}\n"
    for n in range(4)
)
PREFIX = debug("NCCL_IB_HCA set to {0}",
               "NET/IB : Using [0]mlx5_1:1/IB [1]mlx5_10:1/{1} [2]mlx5_11:1/{1} [RO]; OOB e:1<0>",
               "Using network IB", "Init COMPLETE")  # fmt: skip


def loops(*peaks: float, of: str = "# loop\n", hosts: int = 2) -> str:
    first = running() + table(peaks[0], hosts=hosts, sweep={8 * GIB: 1.0})
    lines = (row(8 * GIB, peak, "all_reduce", 16, "2.17") for peak in peaks[1:])
    return first + "".join(f"{of}{line}\n# Avg bus bandwidth    : 1\n" for line in lines)


# name: (log, what is found, what its words name)
FAULTY = {
    # an adapter
    "speed-lines": (running() + speeds(n1_5=100000) + table(102.0), "adapter-slower", "mlx5_5 on node-1"),
    "ibstat": ("node-3$ ibstat\n" + ibstat(mlx5_3=200) + running() + table(190.0, hosts=4),
               "adapter-slower", "mlx5_3 on node-3"),
    "ibstatus": (each("Infiniband device 'mlx5_{n}' port 1 status:\n\trate: {g:g} Gb/sec (4X NDR)", 8, 6, g=(400, 100))
                 + running() + table(98.0), "adapter-slower", "mlx5_6"),
    "sysfs": (each("n{n}: /sys/class/infiniband/mlx5_2/ports/1/rate:{g:g} Gb/sec (2X NDR)", 5, 3, g=(400, 200))
              + running() + table(195.0, hosts=5), "adapter-slower", "mlx5_2 on n3"),
    "ethtool": (each("Settings for rdma{n}:\n\tSpeed: {m:g}000Mb/s", 8, 4, m=(400, 100)) + ON_ROCE
                + table(99.0, hosts=4), "adapter-slower", "rdma4"),
    "run-by-run": (by_adapter(11.7), "adapter-slower", "mlx5_6"),
    "one-line-each": (ADAPTERS + each("mlx5_{n}   {g}", 8, 4, g=(391.2, 97.3)), "adapter-slower", "mlx5_4"),
    "fewer-on-one-host": (devices(8, 0) + devices(6, 1) + debug(*channels("IB")) + table(222.0),
                          "adapters-missing", "node-1"),
    "mlxlink": (each("# mlxlink -d mlx5_{n}\nState : Active\nSpeed : IB-{g}\nWidth : 4x", 8, 2, g=("NDR", "HDR"))
                + running() + table(190.0, hosts=4), "adapter-slower", "mlx5_2 runs at 200"),
    "rdma-link": (each("link mlx5_{n}/1 state {s}", 8, 2, s=("ACTIVE", "DOWN")) + running() + ENDED,
                  "adapter-down", "mlx5_2"),
    "down": ("node-1# ibstat\n" + ibstat(mlx5_4=0) + running() + ENDED, "adapter-down", "mlx5_4 on node-1"),
    "behind-pdsh": (each("n{n}: CA 'mlx5_2'\nn{n}: \tRate: {g}", 5, 3, g=(400, 100)) + running() + table(98.0, hosts=5),
                    "adapter-slower", "mlx5_2 on n3"),
    "in-a-loop-of-ssh": (each("[root@n{n} ~]# cat /sys/class/infiniband/mlx5_2/ports/1/rate\n{g} Gb/sec (4X NDR)", 5, 3,
                              g=(400, 100)) + running() + table(98.0, hosts=5), "adapter-slower", "mlx5_2 on n3"),
    # a host
    "pairs": (COLUMNS[0] + pairs(COLUMNS[1], "gx-04"), "slow-host", "gx-04"),
    "pairs-with-arrows": (ARROWS[0] + pairs(ARROWS[1], "gx-06"), "slow-host", "gx-06"),
    "pairs-as-csv": ("host_a,host_b,GB/s\n" + pairs("{a},{b},{rate:.1f}", "gx-02"), "slow-host", "gx-02"),
    "pairs-in-words": (pairs("{a} -> {b}: {rate:.1f} Gb/s", "h100-3", "h100-{}", 387.2, 96.0), "slow-host", "h100-3"),
    "pairs-by-time": (pairs("{a} {b} latency {rate:.1f} us", "gx-05", good=4.1, bad=22.0), "slow-host", "gx-05"),
    "host-by-host": (HOSTS + each("gpu-{n:02d}   {g}", 12, 7, g=(478.1, 231.0)), "slow-host", "gpu-07"),
    "matrix": (matrix("n4"), "slow-host", "n4"),
    "rank-by-rank": (steps(5), "slow-rank", "rank 5"),
    "rank-that-waits-least": (steps(2, "allreduce_wait", 390.0, 12.0), "slow-rank", "rank 2"),
    "rank-by-tokens": (by_rank("[rank{r}] iter {s} | tokens/s {v} | loss 2.1", 3900, 2100), "slow-rank", "rank 6"),
    "rank-with-labels": (by_rank("rank={r} step={s} fwd_ms={v}", 101, 190), "slow-rank", "rank 6"),
    "worker-by-worker": (by_rank("worker-{r}: step {s} took {v} s", 2.04, 4.1), "slow-host", "worker-6"),
    "died": (running() + "slurmctld: error: Nodes t-06 not responding, setting DOWN\n" + ENDED, "node-down", "t-06"),
    "one-peer-and-adapter": (running() + ENDED.replace("(Send)", "(Send) hca mlx5_6") * 3, "retries-exhausted",
                             "names the peer 10.2.0.14 and the adapter mlx5_6"),
    "addresses": (pairs("{a} {b} {rate:.2f} GB/s", "10.0.0.4", "10.0.0.{}"), "slow-host", "10.0.0.4"),
    "names-without-numbers": (named_pairs("{a} -> {b} {rate:.1f} GB/s"), "slow-host", "carol"),
    "json-lines": (pairs('{{"src": "{a}", "dst": "{b}", "busbw": {rate:.2f}}}', "gx-03"), "slow-host", "gx-03"),
    "markdown": ("| host | peer | GB/s |\n|---|---|---|\n" + pairs("| {a} | {b} | {rate:.2f} |", "gx-01"),
                 "slow-host", "gx-01"),
    "perftest": (PERFTEST + pairs("--- {a} -> {b} ---\n 65536   5000   {rate:.2f}   {rate:.2f}   0.7", "gx-02"),
                 "slow-host", "gx-02"),
    # the path
    "swings": (ON_ROCE + swinging(COLLIDING), "path-collisions", "swing"),
    "falls-with-hosts": (ON_ROCE + scaling(451, 272, 165, 112), "path-collisions", "451 GB/s at 2 nodes"),
    "uplinks": (ON_ROCE + UPLINKS + "98% 97% 12% 4% 99% 8%\n" + table(150.0, hosts=8), "path-collisions", "98, 97, 12"),
    "repeats": (ON_ROCE + table(118.0, hosts=16) + REPEATS + "118.1  83.6  141.7  97.2  126.0\n",
                "path-collisions", "repeats give 118.1"),
    # losses
    "swings-and-discards": (ON_ROCE + swinging(LOSING) + DISCARDS, "packets-lost", "rx_discards_phy"),
    "swings-widely": (ON_ROCE + swinging(LOSING), "bandwidth-swings", "PFC"),
    "perfquery": (running() + "PortXmitDiscards:.......8123317\n" + table(120.0, hosts=4), "packets-lost", "81"),
    "symbol-errors": (running() + "SymbolErrorCounter:.....65535\n" + table(120.0, hosts=4), "link-errors", "65"),
    # packets of unequal size
    "devinfo": (devinfo(4096, 1024) + ON_ROCE + ENDED, "mtu-differs", "1024 on w-2"),
    "queue-pairs": (queue_pairs(5, 3) + ENDED, "mtu-differs", "1024 on node-1"),
    "links": (links(9000, 1500) + ON_ROCE + ENDED, "mtu-differs", "rdma3"),
    "too-long": ("ping: local error: message too long, mtu=1500\n" + ON_ROCE + ENDED, "mtu-too-small", "1500"),
    # the address
    "gid-by-name": (modify("No data available", 5), "gid-index-pinned", "NCCL_IB_GID_INDEX=5"),
    "gid-empty-by-name": (modify("No data available"), "gid-empty", "show_gids"),
    "gid-invalid-by-name": (modify("Invalid argument"), "gid-invalid", "show_gids"),
    "gid-unrouted-by-name": (modify("Network is unreachable", 1), "gid-index-pinned", "NCCL_IB_GID_INDEX=1"),
    "rails-by-name": (modify("Connection timed out"), "rail-unreachable", "rails"),
    # heat
    "too-hot": (NODE + table(470.0, hosts=1) + SMI + HOT, "thermal-slowdown", "heat: 5"),
    "too-hot-in-words": (NODE + table(270.0, hosts=1) + "GPU 00000000:4E:00.0\n  HW Thermal Slowdown : Active\n",
                         "thermal-slowdown", "4E:00"),
    "slower-again": (NODE + table(472.0, hosts=1) + "\n" + table(250.0, hosts=1), "repeat-slower", "250"),
    "violation": (NODE + table(300.0, hosts=1) + "GPU 3: thermal violation 812 s\n", "thermal-slowdown", "heat: 3"),
    "clocks": ("index, clocks.sm [MHz]\n" + each("{n}, {c} MHz", 8, 4, c=(1980, 345)) + NODE + table(200.0, hosts=1),
               "gpu-clock-low", "GPUs 4 run at 345"),
    "nvlink-inactive": (NODE + table(180.0, hosts=1) + "Link 3: <inactive>\n", "nvlink-inactive", "inactive"),
    # the plugin of a network
    "slingshot-as-ethernet": (SOCKETS.replace("{0}", "hsn"), "plugin-missing", "Slingshot"),
    "fastrak-missing": (debug("NCCL_FASTRAK_IFNAME set by environment to eth1") + SOCKETS.replace("{0}", "eth")
                        + table(9.0), "plugin-missing", "FasTrak"),
    "daemon-missing": (debug(NO_DAEMON) + SOCKETS.replace("{0}", "eth") + table(3.6), "receive-daemon", "RxDM"),
    "nvls": (NODE + "node-0:1:2 [0] " + NVLS, "nvls-failed", "fabricmanager"),
    # what is set, asked for or retried, where it does harm
    "imex-of-a-tray": (running() + IMEX.format("UNAVAILABLE"), "imex-refused", "READY"),
    "imex-service": ( "nvidia-imex.service: Failed with result 'exit-code'\n" + ENDED, "imex-refused", "tray"),
    "sockets-of-a-lab-that-are-slow": (SPEED + LAB + table(3.1, **CARDS), "ib-disabled", "unset"),
    "sockets-of-boards": (SPEED + LAB + table(11.0), "tcp-sockets", "RDMA"),
    "one-rank-of-mpirun": ("$ mpirun -np 8 ./all_reduce_perf -g 1\n" + ONE, "one-rank", "more ranks"),
    "one-rank-of-srun": ("$ srun -n 16 ./all_reduce_perf -g 1\n" + ONE, "one-rank", "more ranks"),
    "traced-and-slow": (TRACE + running() + table(90.0), "trace-logging", "release build"),
    # GPUs that are taken twice, or full
    "same-host-id": (debug("NCCL_HOSTID set by environment to train-cluster") + TWICE, "same-host-id", "train-cluster"),
    "same-host-id-and-no-warning": (debug("NCCL_HOSTID set to a1"), "same-host-id", "node-0 and node-1"),
    "two-ranks-on-one-gpu": (NODE + TWICE, "duplicate-gpu", "rank 0 and rank 1"),
    "slices": (SLICES + TWICE, "mig-slices", "slices"),
    "memory-full": (NODE + FULL, "gpu-memory-full", "nvidia-smi"),
    "memory-full-in-words": (NODE + "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB\n",
                             "gpu-memory-full", "left over"),
    # heat and power of a part
    "adapter-hot": (running() + table(98.0, hosts=4) + WARM, "adapter-hot", "0000:b8:00.0"),
    "adapter-hot-and-ended": (running() + WARM + ENDED, "adapter-hot", "0000:b8:00.0"),
    "supply-lost": (running() + table(98.0, hosts=4) + SUPPLY, "power-supply-lost", "PSU4"),
    "braked": (running() + table(148.0, hosts=4) + BRAKE.format("h100-6") + "0, Not Active\n3, Active\n",
               "gpu-slowed-by-hardware", "3 on h100-6"),
    "braked-on-one-of-two": (running() + table(148.0) + BRAKE.format("a-1") +
                             "0, Not Active\n" + BRAKE.format("a-2") + "0, Active\n",
                             "gpu-slowed-by-hardware", "0 on a-2"),
    "loops-that-fall": (loops(478, 473, 453, 389, 286, 170), "falls-with-time", "478 to 170"),
    "loops-that-fall-in-steps": (loops(478, 478, 300, 300, 200), "falls-with-time", "over 5 runs"),
    # the CPUs of a container
    "cpus-of-a-pod": (ON_ROCE + swinging(COLLIDING) + table(98.0, hosts=4) + CGROUP.format(47990),
                      "cpu-throttled", "of 4 CPUs in 100%"),
    "cpus-in-one-line": (ON_ROCE + table(98.0, hosts=4) + "nr_periods=1000 nr_bursts=0\nnr_throttled=310\n",
                         "cpu-throttled", "31%"),
    # how the hosts are cabled, and what the path takes
    "rails-swapped": (ON_ROCE + ENDED + LLDP.format(*"33434434"), "rails-swapped", "mlx5_3 is on sw-4 in place"),
    "rails-swapped-by-lldpctl": (ON_ROCE + ENDED + LLDPCTL.format(*"33344443"), "rails-swapped", "h-3 is cabled"),
    "small-frames": (ON_ROCE + ENDED + PING.format(8972, 0, 100) + PING.format(1472, 3, 0), "path-mtu", "8972"),
    "small-frames-the-other-way": (ON_ROCE + ENDED + PING.format(1472, 3, 0) + PING.format(4068, 0, 100),
                                   "path-mtu", "4068"),
    "storage-by-prefix": (PREFIX.format("mlx5_1", "RoCE"), "adapters-by-prefix", "mlx5_10, mlx5_11"),
    "others-by-prefix": (PREFIX.format("mlx5_1", "IB") + ENDED.replace("(Send)", "(Send) hca mlx5_10"),
                         "adapters-by-prefix", "exact"),
    # where nothing says more: what it may be, and what tells
    "four-of-eight": (debug(*channels("IB", nics=4), DEVICES) + table(196.0), "half-of-the-adapters", "NCCL_IB_HCA"),
    "half": (running() + table(200.0, hosts=4), "low-bandwidth", "sendrecv_perf on every pair"),
    "slow-pair-of-nodes": (running() + table(120.0), "low-bandwidth", "ibstat"),
}  # fmt: skip
HEALTHY = {
    "storage-adapter": running() + speeds(n0_7=200000, n1_7=200000) + table(372.0, hosts=4),
    "management-port": "node-3$ ibstat\n" + ibstat(mlx5_7=100) + running() + table(372.0, hosts=4),
    "all-alike": speeds() + running() + table(372.0, hosts=4),
    "adapters-even": by_adapter(48.6),
    "adapters-even-in-lines": ADAPTERS + each("mlx5_{n}   {g}", 8, 4, g=(391.2, 388.9)),
    "ethernet-beside": "Settings for eno1:\n\tSpeed: 10000Mb/s\n"
    + each("Settings for rdma{n}:\n\tSpeed: 400000Mb/s", 8) + ON_ROCE + table(352.0, hosts=4),
    "unused-port-down": ibstat(mlx5_7=0).replace("mlx5_7", "mlx5_9") + running() + table(372.0, hosts=4),
    "same-list-everywhere": devices(8, 0) + devices(8, 1) + running() + table(470.0),
    "pairs": COLUMNS[0] + pairs(COLUMNS[1]),
    "pairs-with-arrows": ARROWS[0] + pairs(ARROWS[1]),
    "hosts": HOSTS + each("gpu-{n:02d}   {g}", 12, 7, g=(478.1, 460.3)),
    "names-without-numbers": named_pairs("{a} -> {b} {rate:.1f} GB/s").replace("19.0", "47.0"),
    "perftest": PERFTEST + pairs("--- {a} -> {b} ---\n 65536   5000   {rate:.2f}   {rate:.2f}   0.7"),
    "rdma-link": each("link mlx5_{n}/1 state ACTIVE", 8) + running() + table(372.0, hosts=4),
    "other-interfaces": links(9000, 1500).replace("rdma3", "eno1") + ON_ROCE + table(352.0, hosts=4),
    "stages": by_rank("[rank{r}] step {s} fwd {v} ms", 100, 126) + running(),
    "two-racks": COLUMNS[0] + two_racks("n{a:02d} n{b:02d} {rate} 0"),
    "settings-tried": NODE + "$ NCCL_NVLS_ENABLE=0 ./all_reduce_perf\n" + table(470.0, hosts=1) + table(260.0, hosts=1),
    "nvlink-bridge": NODE + table(470.0, hosts=1) + "Link 3: <inactive>\n",
    "matrix": matrix("none"),
    "ranks": steps(-1),
    "first-step": steps(-1) + "[rank0] step 0 loss 9.0 compute 9123.0 ms\n",
    "words-and-numbers": each("node-0{n} up {d} days, load average: {d}.17, 0.4", 8, 3, d=(3, 91)) + running(),
    "sizes-of-jobs": "tokens/s\n" + "".join(f"tp{2**n} {100 * 1.9**n:.1f} tokens/s\n" for n in range(5)) + running(),
    "one-rank-writes": each("[rank0] step {n} loss 2.1 step_time {t} ms", 12, 3, t=(410, 900)) + running(),
    "steady": ON_ROCE + swinging(STEADY),
    "one-dip": ON_ROCE + swinging([*STEADY[:3], (140, 344), *STEADY[4:]]),
    "scaling": ON_ROCE + scaling(451, 352, 350, 347),
    "uplinks-even": ON_ROCE + UPLINKS + "71% 70% 69% 73%\n" + table(350.0, hosts=8),
    "one-queue-pair": running("NCCL_IB_QPS_PER_CONNECTION set by environment to 1") + table(350.0, hosts=8),
    "repeats-alike": ON_ROCE + table(350.0, hosts=16) + REPEATS + "350.1 348.6 351.7 349.2 350.0\n",
    "old-discards": ON_ROCE + DISCARDS + table(352.0, hosts=4),
    "no-discards": ON_ROCE + SETTLED + table(352.0, hosts=4),
    "no-symbol-errors": running() + "SymbolErrorCounter:....0\nLinkDownedCounter:.....0\n" + table(372.0, hosts=4),
    "mtu-alike": devinfo(4096, 4096) + ON_ROCE + table(352.0, hosts=4),
    "mtu-of-another-adapter": devinfo(4096, 1024, "mlx5_8") + ON_ROCE + table(352.0, hosts=4),
    "links-alike": links(9000, 9000) + ON_ROCE + table(352.0, hosts=4),
    "queue-pairs-alike": queue_pairs(5, 5) + running() + table(372.0, hosts=4),
    "gid-3": running("NCCL_IB_GID_INDEX set by environment to 3.", devices=ROCE) + table(352.0, hosts=4),
    "gid-3-and-no-table": running("NCCL_IB_GID_INDEX set by environment to 3.", devices=ROCE),
    "cool": NODE + table(470.0, hosts=1) + SMI + COOL,
    "power-cap": NODE + table(470.0, hosts=1) + "    SW Power Cap : Active\n    HW Thermal Slowdown : Not Active\n",
    "again": NODE + table(472.0, hosts=1) + "\n" + table(465.0, hosts=1),
    "again-otherwise": NODE + table(472.0, hosts=1) + "\n$ NCCL_ALGO=Tree ./all_reduce_perf\n" + table(250.0, hosts=1),
    "small-on-purpose": running() + table(3.5, sweep={8: 0.01, 1024: 0.1, 65536: 1.0}),
    "tracing-on-purpose": debug("AllReduce: opCount 1 count 8", hosts=1).replace("INFO", "TRACE")
    + table(6.8, hosts=1, per_host=2, device="NVIDIA H100 PCIe", sweep={MIB: 0.5, 32 * MIB: 1.0}),
    "balancing": "n7:1:2 [0] init.cc:128 " + BALANCING + table(308.0, hosts=1, device="AMD Instinct MI300X"),
    "a-warning-and-on": running() + STRANGE + table(372.0, hosts=4),
    "a-warning-and-steps": running() + STRANGE + "iteration 20/500 loss 2.1\n",
    "ethernet-and-no-gpu-named": SOCKETS.replace("{0}", "eth"),
    "imex-is-up": IMEX.format("READY") + "Domain State: UP\n" + running() + table(470.0),
    "imex-came-back": IMEX.format("RECOVERING") + IMEX.format("READY") + running() + table(470.0),
    "imex-by-name": "$ nvidia-imex-ctl -N\n" + running(),
    "ib-disabled-under-efa": EFA,
    "line-filled": SPEED + LAB + table(10.6, **CARDS),
    "line-filled-by-iperf": "[SUM] 0.00-10.00 sec  113 GBytes  97.1 Gbits/sec  receiver\n" + LAB + table(10.6, **CARDS),
    "one-rank-asked-of-mpirun": "$ mpirun -np 1 ./all_reduce_perf -g 1\n" + ONE,
    "one-rank-asked": "$ ./all_reduce_perf -b 8 -e 128M -g 1\n" + ONE,
    "one-rank-and-no-command": ONE,
    "traced-in-part": TRACE,
    "traced-and-fast": TRACE + running() + table(470.0),
    "a-host-id-each": debug("NCCL_HOSTID set by environment to a1", hosts=1) + running(),
    "host-id-on-one-node": debug("NCCL_HOSTID set by environment to a1", hosts=1) + table(470.0, hosts=1),
    "a-slice-for-one": SLICES + ONE,
    "slices-on-the-way": SLICES + running() + table(470.0),
    "memory-was-full-and-freed": running() + FULL.replace("NCCL WARN", "NCCL INFO") + "iteration 20/500 loss 2.1\n",
    "smaller-batch-tried": running() + "CUDA out of memory. Trying batch 8\nstep 20 loss 2.1 lr 3e-4\n",
    "adapter-was-hot": WARM + running() + table(372.0, hosts=4),
    "supply-lost-and-fast": SUPPLY + running() + table(372.0, hosts=4),
    "not-braked": running() + table(470.0) + BRAKE.format("h100-6") + each("{n}, Not Active", 8),
    "braked-for-a-moment": running() + table(470.0) + BRAKE.format("h100-6") + "0, Active\n",
    "loops-that-recover": loops(478, 471, 340, 476, 473),
    "loops-alike": loops(478, 471, 480, 476, 473),
    "cpus-enough": ON_ROCE + table(352.0, hosts=4) + CGROUP.format(12),
    "cpus-throttled-beside": ON_ROCE + table(352.0, hosts=4) + CGROUP.format(47990),
    "rails-straight": ON_ROCE + LLDP.format(*"33334444") + table(352.0, hosts=4),
    "rails-crossed-on-a-routed-network": ON_ROCE + LLDP.format(*"33434434"),
    "frames-of-1500-everywhere": ON_ROCE + PING.format(8972, 0, 100) + PING.format(1472, 3, 0),
    "rails-of-two-racks": ON_ROCE + LLDPCTL.format(*"33554466"),
    "jumbo-frames-pass": ON_ROCE + PING.format(8972, 3, 0) + PING.format(1472, 3, 0),
    "jumbo-frames-mended": ON_ROCE + PING.format(8972, 0, 100) + PING.format(1472, 3, 0) + PING.format(8972, 3, 0),
    "exact-adapter": PREFIX.format("=mlx5_1", "RoCE"),
    "prefix-of-all": PREFIX.format("mlx5_1", "IB"),
    "ethernet-of-one-rank": debug("Using network Socket", "comm 0x1 rank 0 nranks 16 cudaDev 0 busId 1 - Init START",
                                  "Channel 00/0 : 0[0] -> 1[0] [send] via NET/Socket/0", hosts=1, per_host=1),
}  # fmt: skip


def alarms(text: str) -> dict[str, str]:
    found = diagnose_text(text, CATALOG).findings
    return {each.code: f"{each.message} {each.fix}" for each in found if each.severity != "info"}


@pytest.mark.parametrize("name", FAULTY)
def test_the_cause_that_a_log_holds_is_named(name):
    log, code, words = FAULTY[name]
    found = alarms(log)
    assert words in found.get(code, "not found"), found


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_log_that_looks_alike_raises_no_alarm(name):
    assert not alarms(HEALTHY[name])


def test_results_that_vary_by_the_host_are_not_blamed_on_the_path():
    log = ON_ROCE + swinging(COLLIDING) + table(98.0, hosts=4)
    for cause, code in ((CGROUP.format(47990), "cpu-throttled"), (f"n7:1:2 [0] {BALANCING}", "numa-balancing")):
        assert "path-collisions" not in alarms(log + cause) and code in alarms(log + cause)


def test_runs_of_other_settings_or_hosts_are_no_loop_that_falls():
    assert "falls-with-time" not in alarms(loops(478, 470, 300, 250, of="$ NCCL_ALGO=Tree ./all_reduce_perf\n"))
    assert "falls-with-time" not in alarms(ON_ROCE + scaling(451, 352, 250, 147))


def test_a_job_that_a_person_stopped_is_no_fault_and_what_failed_before_still_is():
    stopped = (
        "^CW0508 11:47:02.771000 22187 torch/distributed/elastic/agent/server/api.py:704] Received Signals.SIGINT "
        "death signal, shutting down workers\n"
        "node-0:1:2 [2] proxy.cc:1525 NCCL WARN [Service thread] Could not receive type from localRank 3, res=3\n"
    )
    port = "node-0:1:2 [3] transport/net_ib.cc:134 NCCL WARN NET/IB : mlx5_6:1 Got async event : port error\n"

    def alarms(text: str) -> set[str]:
        return {each.code for each in diagnose_text(text, CATALOG).findings if each.severity != "info"}

    assert alarms(running() + stopped) == set()
    assert "port-error" in alarms(running() + port + stopped)
    assert alarms(running() + stopped.replace("Signals.SIGINT", "Signals.SIGTERM")) > {"ended-from-outside"}
