"""Logs as nccl-tests and NCCL's debug lines print them, written anew with the figures of published runs."""

from __future__ import annotations

MIB, GIB = 2**20, 2**30
FACTORS = {
    "all_reduce": lambda n: 2 * (n - 1) / n,
    "all_gather": lambda n: (n - 1) / n,
    "reduce_scatter": lambda n: (n - 1) / n,
    "alltoall": lambda n: (n - 1) / n,
    "sendrecv": lambda n: 1.0,
    "broadcast": lambda n: 1.0,
}
HEADERS = {
    "1.0": "#      bytes             N    type      op     time  algbw  busbw    delta     time  algbw  busbw    delta",
    "2.0": "#       size         count    type   redop     time   algbw   busbw  error     time   algbw   busbw  error",
    "2.13": "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   "
    "busbw #wrong",
    "2.17": "#       size         count      type   redop    root     time   algbw   busbw  #wrong     time   algbw   "
    "busbw  #wrong ",
    "2.19": "# size count type redop root time algbw busbw #wrong i_min i_max i_p99 i_cv% time algbw busbw #wrong "
    "i_min i_max i_p99 i_cv%",
}
H100_NAME = "NVIDIA H100 80GB HBM3"
SWEEP = {64 * MIB: 0.6, 256 * MIB: 0.85, GIB: 0.95, 8 * GIB: 1.0}  # share of the peak at a size


def row(size: int, busbw: float, collective: str, ranks: int, release: str, wrong: str = "0") -> str:
    algbw = busbw / FACTORS[collective](ranks)
    time = f"{size / algbw / (1e6 if release == '1.0' else 1e3):.3f}"
    side = f"{time} {algbw:.2f} {busbw:.2f} {'5e-07' if release in ('1.0', '2.0') else wrong}"
    if release == "2.19":
        side += " 1.0 9.0 8.5 0.2"
    in_place = " ".join([*side.split()[:3], "N/A"]) if collective in ("alltoall", "sendrecv") else side
    reduces = "sum" if collective in ("all_reduce", "reduce_scatter") else "none"
    kind = f"float {reduces}" if release in ("1.0", "2.0") else f"float {reduces} -1"
    return f"{size:>12} {size // 4:>12} {kind} {side} {in_place}"


def table(
    peak: float,
    collective: str = "all_reduce",
    hosts: int = 2,
    per_host: int = 8,
    *,
    device: str = H100_NAME,
    release: str = "2.17",
    sweep: dict[int, float] = SWEEP,
    named: bool = True,
    listed: bool = True,
    wrong: str = "0",
) -> str:
    ranks = hosts * per_host
    lines = [f"# Collective test starting: {collective}_perf"] if named else []
    lines.append(
        f"# nThread 1 nGpus 1 minBytes 8 maxBytes {max(sweep)} step: 2(factor) warmup iters: 5 iters: 20 validation: 1 "
    )
    if listed:
        place = "[0x10]" if release in ("1.0", "2.0") else "[0000:1b:00]"
        lines += ["#", "# Using devices"]
        lines += [
            f"#  Rank {rank:2d} Group  0 Pid  {rank + 100} on node-{rank // per_host:03d} device  {rank % per_host} "
            f"{place} {device}"
            for rank in range(ranks)
        ]
    lines += [
        "#",
        HEADERS[release],
        "#        (B)    (elements)                     (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)",
    ]
    shown = [row(size, share * peak, collective, ranks, release, wrong) for size, share in sweep.items()]
    mean = sum(sweep.values()) / len(sweep) * peak
    return "\n".join([*lines, *shown, "# Out of bounds values : 0 OK", f"# Avg bus bandwidth    : {mean:.4f} "]) + "\n"


def debug(*texts: str, hosts: int = 2, per_host: int = 2) -> str:
    """Debug lines as every rank of ``hosts`` hosts prints them."""
    return (
        "\n".join(
            f"node-{host}:{100 + device}:{200 + device} [{device}] NCCL INFO {text}"
            for text in texts
            for host in range(hosts)
            for device in range(per_host)
        )
        + "\n"
    )


def channels(network: str, nics: int = 8, suffix: str = "/GDRDMA", ranks: int = 16) -> list[str]:
    return [
        f"comm 0x55 rank 0 nRanks {ranks} nNodes 2 localRanks 8 localRank 0 MNNVL 0",
        *(
            f"Channel {nic:02d}/0 : {nic}[{nic}] -> {nic + 8}[{nic}] [send] via NET/{network}/{nic}{suffix}"
            for nic in range(nics)
        ),
    ]


DEVICES = "NET/IB : Using " + " ".join(f"[{n}]mlx5_{n}:1/IB" for n in range(8)) + " [RO]; OOB eth0:10.0.0.1<0>"
