"""The bus bandwidth to expect of a run, from the catalog: adapters of the GPU's usual node and what the fabric gives of
them."""

import re

from assistant.vocabulary.catalog import Catalog, Fabric, Gpu

from .signatures import read

_CARD = (
    r"\b[AH]\d00[ -](?:\d0GB )?PCIe\b|\bV100-PCIE\b|\bRTX\b|GeForce|\bL[24]0S?\b|NVIDIA L[24]\b|\bA40\b|\bT4\b"
    r"|\bA10G?\b|\bA16\b|\bA30\b|\bA6000\b|\bA5000\b"
)
_PCIE = re.compile(rf"PCIe|\bNVL\b|\bL[24]\b|RTX|{_CARD}", re.I)
# A card, named anywhere in a log; vLLM says what joins its GPUs and not which they are.
_NAMED = re.compile(rf"{_CARD}|PCIe-only GPUs")
# One is in every such line.
_PARTS = (
    "PCIe",
    "PCIE",
    "RTX",
    "GeForce",
    "L4",
    "L20",
    "NVIDIA L2",
    "A40",
    "T4",
    "A10",
    "A16",
    "A30",
    "A6000",
    "A5000",
)
CARD_WORDS = tuple(part.lower() for part in _PARTS)
_WORDS, _RATE = re.compile(r"[A-Za-z]+\d*|\d+"), re.compile(r"(?:(\d) ?[x×*] ?)?(\d{2,3}) ?G")
# What logs call a transport and the catalog a technology; of the others none is built from the catalog's fabrics.
_TECHNOLOGIES = {"tcp-socket": "tcp"} | {name: name for name in ("infiniband", "roce", "efa", "tcpx", "tcpxo")}
_TECHNOLOGIES["gib"] = "roce"  # which Google's plugin speaks
_WAYS = ("nvlink", "xgmi", "pcie", "p2p", "shm")  # inside a node
_LARGEST_NODE = 16  # GPUs of one server
_RING_OF_CARDS = 4  # less may be two neighbours under one switch
_RINGS = ("all_reduce", "all_gather", "reduce_scatter", "broadcast", "reduce")
_NICS_MEASURED = 8  # of a node, in every row of all_reduce_bus_bandwidth
# of the line rate, where the transport is not known or is sockets, or none of its fabrics has this rate: the low end of
# what fabrics reach at two nodes
RDMA_SHARE = 0.8
# All-reduce in the NVLink switch (NVLS) against rings: 480 and 367 GB/s on 8 H200, 838 and 682 on 8 B200, 1.31 and 1.23
# (ml-engineering).
SWITCH_GAIN = 1.27


def gpu_named(device: str, catalog: Catalog, *, inside: bool = False) -> Gpu | None:
    """The catalog's GPU for a device name, ``None`` when it is not there; ``inside``: also of those of which only what
    joins them inside a node is known."""
    known = (one for one in read("devices") if inside or not one.get("inside"))
    ident = next((one["gpu"] for one in known if re.search(one["printed"], device)), None)
    return catalog.gpus.get(ident) if ident else None


def also_built_with(device: str) -> tuple[int, ...]:
    """How many adapters nodes of these GPUs have too, beside the usual number."""
    return tuple(next((one.get("adapters", ()) for one in read("devices") if re.search(one["printed"], device)), ()))


def is_pcie(device: str) -> bool:
    """Whether GPUs of this name are joined by PCIe inside a node."""
    return bool(_PCIE.search(device))


def slot_of(device: str) -> float:
    """Gigabytes per second that the PCIe slot of a card carries in one direction."""
    return float(next(one["slot"] for one in read("cards") if re.search(one["printed"], device, re.IGNORECASE)))


def card_in(line: str) -> str:
    """The card without NVLink that a line names, ``""`` when none."""
    named = any(part in line for part in _PARTS) and _NAMED.search(line)
    return named[0] if named else ""


def adapters_said(text: str) -> tuple[int, float] | None:
    """How many adapters somebody's words give a node, and their rate in bytes per second; ``None`` where they do not.
    The words are ``knowledge/nccl/adapters_said.yaml``."""
    known, words = read("adapters_said"), _WORDS.findall(text)
    count = known["counts"].get(words[0].lower()) if words else None
    rate = known["rates"].get(words[-1].upper()) if words else None
    if rate is None and (numbers := _RATE.findall(text, len(words[0]) if words else 0)):
        ports, each = numbers[-1]  # of one adapter, where they are told of
        rate = int(ports or 1) * int(each)
    return (count, rate * 1e9 / 8) if count and rate else None


def expected_busbw(
    collective: str,
    ranks: int,
    nodes: int,
    device: str,
    transport: str,
    catalog: Catalog,
    rate: float | None = None,
    listed: int = 0,
    adds: bool = False,
    sums: bool = True,
    fewer: bool = False,
) -> float | None:
    """Gigabytes per second at large messages on a healthy system of this kind; ``None`` when the catalog cannot say.

    Ring collectives are limited by the adapters of a node, inside one by NVLink; all-to-all by the share of its data
    that leaves the node; a pair of ranks by one adapter. Measured values by node count go before the formula.
    ``rate``: bytes per second of an adapter, where the log has it; else of the GPU's usual one. ``listed``: adapters
    that the log lists, 0 where it does not: nodes with fewer GPUs, or faster adapters, than usual have fewer of these.
    ``adds``: the switch between the GPUs of a node can add; ``sums``: nobody switched its sums off;
    ``fewer``: the nodes are built with, or are to use, as many adapters as are listed.
    """
    gpu = gpu_named(device, catalog, inside=nodes == 1)
    if gpu is None or ranks < 2 or nodes < 1 or ranks < nodes:
        return None
    if nodes > 1 and ranks > nodes * max(_LARGEST_NODE, gpu.gpus_per_node):  # the two are not of one job
        return None
    if nodes == 1 or (transport == "nvlink" and ranks <= gpu.scale_up_domain):
        return _inside(gpu, collective, ranks, transport, catalog, adds)
    per_node = ranks // nodes
    rate = rate or gpu.usual_nic_line_rate.si
    fabric = _fabric(gpu, transport, rate, catalog)
    if fabric is None and transport not in ("unknown", "infiniband", "roce"):
        return None
    # What two nodes show above their adapters takes a switch that adds: elsewhere NCCL keeps to rings.
    switched = nodes > 2 or (sums and catalog.scale_up_of(gpu, ranks, per_node).in_network_reduction)
    measured = _measured(fabric, collective, per_node, nodes, gpu) if switched and not fewer else None
    if measured is not None:
        return measured
    adapters = _adapters(fabric, gpu, per_node)
    if listed and (fewer or per_node < gpu.gpus_per_node or rate != gpu.usual_nic_line_rate.si):
        adapters = min(adapters, listed)
    share = fabric.bandwidth_efficiency.si if fabric is not None and fabric.bandwidth_efficiency else RDMA_SHARE
    line = fabric.nic_rate if fabric is not None and fabric.line_rate else rate
    node = adapters * line * share / 1e9
    if fabric is not None and fabric.bandwidth_ceiling is not None:
        node = min(node, fabric.bandwidth_ceiling.si / 1e9)
    return _by_collective(collective, node, per_node, ranks)


def most_without_sums(
    ranks: int, nodes: int, device: str, catalog: Catalog, rate: float | None, listed: int
) -> float | None:
    """Bus bandwidth of an all-reduce, in GB/s, that no algorithm exceeds unless the switches between nodes add;
    ``None`` where the GPU is not known. ``rate``, ``listed``: as in :func:`expected_busbw`."""
    gpu = gpu_named(device, catalog)
    if gpu is None or nodes < 2 or ranks < nodes:
        return None
    line = max(listed, gpu.nics_per_node) * (rate or gpu.usual_nic_line_rate.si) / 1e9
    return most_of_line(line, ranks, nodes)


def most_of_line(line: float, ranks: int, nodes: int) -> float:
    """Bus bandwidth of an all-reduce that no algorithm exceeds where all adapters of a node carry ``line``, in its
    unit, unless the switches between nodes add.

    Each of N nodes sends 2 (N - 1) / N of the data at least (Patarasuk and Yuan 2009, Bandwidth optimal all-reduce
    algorithms); what is printed counts 2 (n - 1) / n for n ranks.
    """
    return line * nodes / (nodes - 1) * (ranks - 1) / ranks


def as_known(value: float) -> float:
    """An expectation with the digits that are known of it, two: large messages scatter by 0.15 about it (NETWORK_SPREAD
    in logarithm)."""
    return float(f"{value:.2g}")


def of_ethernet(collective: str, ranks: int, nodes: int, rate: float) -> float | None:
    """Gigabytes per second that sockets give at most of an Ethernet adapter's ``rate`` (bytes per second) per node."""
    return _by_collective(collective, rate * RDMA_SHARE / 1e9, ranks // nodes, ranks) if ranks > nodes else None


def _inside(gpu: Gpu, collective: str, ranks: int, transport: str, catalog: Catalog, adds: bool) -> float | None:
    """Of a whole node: what a ring of its links carries, or the NVLink switch's sums; also where the data takes another
    way than these links. Of cards in PCIe any number makes a ring; several trays of a rack are joined like one node."""
    if transport not in _WAYS or collective not in _RINGS:
        return None
    joined = catalog.scale_up_of(gpu, ranks, ranks)
    cards = joined.id.startswith("pcie")
    if (transport in ("pcie", "shm") and cards and ranks < _RING_OF_CARDS) or (transport == "shm" and cards):
        return None
    if ranks < gpu.gpus_per_node and not cards:
        return None
    gain = SWITCH_GAIN if adds and joined.in_network_reduction and collective == "all_reduce" else 1.0
    return joined.bandwidth_per_gpu.si * joined.bus_bandwidth_efficiency.si * gain / 1e9


def _by_collective(collective: str, node: float, per_node: int, ranks: int) -> float | None:
    if collective in _RINGS:
        return node
    if collective == "sendrecv":
        return node / per_node
    if collective == "alltoall":
        return node / per_node * (ranks - 1) / (ranks - per_node)
    return None


def _fabric(gpu: Gpu, transport: str, rate: float, catalog: Catalog) -> Fabric | None:
    technology = _TECHNOLOGIES.get(transport)
    known = [f for f in catalog.fabrics.values() if f.technology == technology and f.line_rate is not None]
    fitting = [fabric for fabric in known if fabric.gpus is None or gpu.id in fabric.gpus]
    if technology == "tcp":
        fitting = [fabric for fabric in fitting if fabric.bandwidth_ceiling is not None]
        return max(fitting, key=lambda fabric: fabric.nic_rate, default=None)
    if technology in ("infiniband", "roce"):
        fitting = [fabric for fabric in fitting if abs(fabric.nic_rate / rate - 1) < 0.01]
    return fitting[0] if fitting else None


def _measured(fabric: Fabric | None, collective: str, per_node: int, nodes: int, gpu: Gpu) -> float | None:
    # measured on nodes of eight GPUs with as many adapters; nodes with fewer carry less
    whole = (
        collective == "all_reduce"
        and per_node == gpu.gpus_per_node
        and (gpu.nics_per_node == _NICS_MEASURED or (fabric is not None and fabric.technology == "tcp"))
    )
    if fabric is None or not whole or not fabric.all_reduce_bus_bandwidth:
        return None
    # Two nodes all-reduce faster than the adapters carry, three and more do not: neither stands for the other.
    known = sorted(count for count in fabric.all_reduce_bus_bandwidth if (count == 2) == (nodes == 2))
    if not known or nodes > 2 * known[-1]:
        return None
    nearest = min(known, key=lambda count: (max(count, nodes) / min(count, nodes), count))
    return fabric.all_reduce_bus_bandwidth[nearest].si / 1e9


def _adapters(fabric: Fabric | None, gpu: Gpu, per_node: int) -> float:
    """Adapters that the ranks of one node can use."""
    if fabric is not None and fabric.technology == "tcp":
        return 1
    whole = fabric.nics_per_node if fabric is not None and fabric.nics_per_node else gpu.nics_per_node
    return max(1.0, whole * per_node / gpu.gpus_per_node)
