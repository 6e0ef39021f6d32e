"""The bus bandwidth to expect of a run, from the catalog: adapters of the GPU's usual node and what the fabric gives of
them."""

import re
from dataclasses import dataclass

from assistant.vocabulary.catalog import Catalog, Fabric, Gpu
from assistant.vocabulary.large_messages import TREE_OF_TWO, alarm_share, kept_by_many, share_of_a_pair

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
# Of what is expected inside a node, where rings in place of the switch's sums are no fault and give 0.79 of it.
INSIDE_ALARM = 0.6
# Of a ring that fills the adapters: what reaches it shows no fault of the network, whatever trees reach elsewhere.
FILLED = 0.9
# What moves the data, as the catalog calls it (its ``transport``), of what logs call a transport. Where they tell none,
# what is expected is the low end of all (RDMA_SHARE) as it is.
_SCATTERS = {"infiniband": "rdma", "roce": "rdma", "gib": "rdma", "efa": "srd", "slingshot": "srd", "unknown": "rdma"}
_SCATTERS |= {"tcpx": "gpudirect-tcp", "tcpxo": "gpudirect-tcp", "tcp-socket": "tcp"}


@dataclass(frozen=True)
class Large:
    """Bus bandwidth of large messages between nodes, in GB/s: what is expected, below which it is an alarm, and what a
    ring gives, without any switch that adds."""

    expected: float
    alarm: float
    ring: float


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
    per_node, usual = ranks // nodes, gpu.usual_nic_line_rate.si
    rate = rate or usual
    fabric = _fabric(gpu, transport, rate, catalog)
    if fabric is None and transport not in ("unknown", "infiniband", "roce"):
        return None
    adapters = _adapters(fabric, gpu, per_node)
    if listed and (fewer or per_node < gpu.gpus_per_node or rate != usual):
        adapters = min(adapters * max(1.0, usual / rate), listed)  # two of half the rate are built in place of one
    sums = sums and not fewer
    return _between(collective, ranks, nodes, gpu, fabric, adapters, rate, catalog, sums=sums, measured=not fewer)


def large_messages(
    collective: str, ranks: int, nodes: int, gpu: Gpu, fabric: Fabric, adapters: float, catalog: Catalog
) -> Large | None:
    """What to expect between nodes with so many ``adapters`` of a fabric each, and what is an alarm: as in a diagnosis
    of a log of them. ``None`` for a collective, or a network, of which that is not known."""
    if nodes < 2 or fabric.line_rate is None or fabric.technology not in _TECHNOLOGIES.values():
        return None
    full, ring = (
        _between(collective, ranks, nodes, gpu, fabric, adapters, fabric.nic_rate, catalog, sums=sums)
        for sums in (True, False)
    )
    if full is None or ring is None:
        return None
    return Large(full, _alarm(collective, nodes, fabric.transport, full, ring), ring)


def alarm_below(
    collective: str, nodes: int | None, transport: str, expected: float | None, ring: float | None
) -> float | None:
    """Gigabytes per second below which a run is slower than healthy ones are; ``None`` where nothing is expected.
    ``ring``: what a ring gives, without any switch that adds."""
    if expected is None:
        return None
    if nodes == 1 or transport not in _SCATTERS:
        return INSIDE_ALARM * expected
    return _alarm(collective, nodes, _SCATTERS[transport], expected, ring)


def _alarm(collective: str, nodes: int | None, moved_by: str, expected: float, ring: float | None) -> float:
    low = alarm_share(moved_by) * expected
    return min(low, FILLED * ring) if ring and nodes == 2 and collective == "all_reduce" else low


def _between(
    collective: str,
    ranks: int,
    nodes: int,
    gpu: Gpu,
    fabric: Fabric | None,
    adapters: float,
    rate: float,
    catalog: Catalog,
    *,
    sums: bool,
    measured: bool = True,
) -> float | None:
    """GB/s between nodes with so many adapters of ``rate`` bytes per second each; ``measured``: the nodes are like
    those that were measured."""
    per_node = ranks // nodes
    share = fabric.bandwidth_efficiency.si if fabric is not None and fabric.bandwidth_efficiency else RDMA_SHARE
    line = fabric.nic_rate if fabric is not None and fabric.line_rate else rate
    node = adapters * line * share / 1e9
    if fabric is not None and fabric.bandwidth_ceiling is not None:
        node = min(node, fabric.bandwidth_ceiling.si / 1e9)
    if fabric is not None and collective == "all_reduce" and measured and _alike(fabric, per_node, gpu, adapters):
        known = _measured(fabric, nodes)
        if nodes == 2:
            adds = sums and catalog.scale_up_of(gpu, ranks, per_node).in_network_reduction
            known = _of_two(known, node, ranks, gpu, fabric, catalog) if adds else None
        if known is not None:
            return known
    if fabric is not None and fabric.technology == "tcp":  # one flow, of the many that a node's sockets carry
        pair = node / per_node
    else:
        pair = node / min(adapters, per_node) * share_of_a_pair(ranks, catalog.constants["collective-send-share"].si)
    found = _by_collective(collective, node, per_node, ranks, pair)
    if found is None or collective == "sendrecv":
        return found
    if fabric is not None and fabric.scale_loss_per_doubling is not None:
        found *= kept_by_many(nodes, fabric.scale_loss_per_doubling.si)
    # A ring crosses the links of every GPU as often as the adapters of a node.
    links = _inside(gpu, collective, per_node, "nvlink", catalog, adds=False) if per_node == gpu.gpus_per_node else None
    return min(found, links or found)


def _of_two(known: float | None, node: float, ranks: int, gpu: Gpu, fabric: Fabric, catalog: Catalog) -> float | None:
    """All-reduce of two whole nodes whose switches add, which is faster than a ring of their adapters (``node``), in
    GB/s: a tree between them, or what the switches give where that is less; what was measured (``known``) where the
    same limits it there. Elsewhere NCCL keeps to rings."""
    inside = _inside(gpu, "all_reduce", ranks // 2, "nvlink", catalog, adds=True)
    if fabric.technology == "tcp" or inside is None:
        return known
    modelled = min(TREE_OF_TWO * 2 * (ranks - 1) / ranks * node, inside)
    return known if known and FILLED * modelled < known < modelled / FILLED else modelled


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
    node = rate * RDMA_SHARE / 1e9
    return _by_collective(collective, node, ranks // nodes, ranks, node * nodes / ranks) if ranks > nodes else None


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


def _by_collective(collective: str, node: float, per_node: int, ranks: int, pair: float) -> float | None:
    """``pair``: what a rank and the one that it sends to on another node reach."""
    if collective in _RINGS:
        return node
    if collective == "sendrecv":
        return pair
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


def _alike(fabric: Fabric, per_node: int, gpu: Gpu, adapters: float) -> bool:
    """Whether nodes are like those that were measured: of eight GPUs with as many adapters; with fewer they carry
    less."""
    alike = gpu.nics_per_node == _NICS_MEASURED and adapters == (fabric.nics_per_node or _NICS_MEASURED)
    return per_node == gpu.gpus_per_node and (alike or fabric.technology == "tcp")


def _measured(fabric: Fabric, nodes: int) -> float | None:
    """Measured all-reduce on as many nodes, or about as many, in GB/s. Two nodes are faster than the adapters carry,
    three and more are not: neither stands for the other."""
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
