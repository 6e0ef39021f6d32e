"""One fabric between scale-up domains, in SI units, and several of them stacked as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property

import numpy as np

from assistant.vocabulary.catalog import Fabric

from .machine import Machine

# Spectrum-X, Ultra Ethernet and EFA spread packets by definition, and sockets feel the host before the switches.
ROUTED_EITHER_WAY = ("infiniband", "roce")


@dataclass(frozen=True)
class Cabling:
    """What a person knows of how a network is built, beyond the fabric's kind.

    ``oversubscription``: node-facing ÷ spine-facing bandwidth of a leaf, 1 is non-blocking. ``adaptive_routing``:
    whether packets are spread over paths by load; ``None``: as the fabric usually is. ``in_network``: the switches add
    (SHARP), where the fabric's can. ``lossless``: False where Ethernet has no working flow and congestion control.
    ``topology``: ``rail`` (the adapters of a node on a leaf each), ``fat-tree`` (all on one), ``rail-only`` (rails that
    nothing joins), ``plane`` (every adapter's ports on ``planes`` networks).
    """

    oversubscription: float = 1.0
    adaptive_routing: bool | None = None
    in_network: bool = False
    lossless: bool | None = None
    topology: str = "rail"
    planes: int = 1


@dataclass(frozen=True)
class Network:
    """A fabric as the collectives see it.

    ``line_rate``: bytes/s of the adapters of a GPU as they are sold.
    ``gpu_rate``: bytes/s into one GPU when all GPUs of a node communicate at once (large messages).
    ``nic_rate``: bytes/s one GPU reaches alone. ``half_message``: bytes per GPU of a node at which a collective on two
    nodes reaches half of the rate; it says how long a pipeline of chunks takes to fill. ``wan_rate``: bytes/s into one
    site. ``scale_loss``: share of the bandwidth lost per doubling of domains; ``routing_share``: what flows keep that
    are hashed onto paths and collide, once there are many. ``leaf_domains``:
    domains that one leaf switch of each rail joins; beyond it ``oversubscription`` counts.
    ``possible`` is False where the fabric cannot join the machine's domains.
    """

    id: str
    transport: str
    gpu_rate: float
    nic_rate: float
    latency: float
    half_message: float
    scale_loss: float
    jitter: float
    in_network_reduction: bool
    routing_share: float = 1.0
    rails_apart: bool = False  # nothing but the scale-up domain joins one rail with another
    scattered: float = 0.0  # share of a ring's neighbours that are placed without a thought for leaves
    oversubscription: float = 1.0
    leaf_domains: float = float("inf")
    lossy: bool = False  # RDMA over Ethernet without flow control: how slow is anybody's guess
    uplink_spread: float = 1.0  # times the usual error where a job crosses the uplinks of oversubscribed leaves
    possible: bool = True
    wide_area: bool = False
    proven_gpus: float = float("inf")
    line_rate: float = 0.0


def network_of(
    fabric: Fabric,
    nics_per_node: int | None,
    machine: Machine,
    *,
    in_network: bool = False,
    cabling: Cabling = Cabling(),
) -> Network:
    """The fabric on this machine. ``in_network``: reduction in the switches is switched on (clouds rarely do).

    NICs per node: as given, else as usual for the fabric.

    Bandwidth of a node is NICs × line rate × efficiency, at most the fabric's ceiling per node (TCP stacks).
    """
    nics = nics_per_node or fabric.usual_nics(machine.usual_nics_per_node)
    rate = fabric.line_rate.si if fabric.line_rate else 0.0
    efficiency = min(1.0, fabric.bandwidth_efficiency.si) if fabric.bandwidth_efficiency else 1.0
    node_rate = nics * rate * efficiency
    ceiling = getattr(fabric, "bandwidth_ceiling", None)
    if ceiling is not None:
        node_rate = min(node_rate, ceiling.si)
    node_rate *= _lossless_share(fabric, machine, cabling)
    # A flow that is hashed keeps to one plane of its adapter.
    one_plane = cabling.planes if _routing_share(fabric, machine, cabling) < 1.0 else 1
    none = fabric.technology == "none"
    return Network(
        id=fabric.id,
        transport=fabric.transport,
        gpu_rate=max(node_rate / machine.gpus_per_node, 1.0),
        nic_rate=max(node_rate / min(nics, machine.gpus_per_node) / one_plane, 1.0),
        latency=_si(fabric.latency),
        half_message=_si(fabric.half_bandwidth_message),
        scale_loss=_si(fabric.scale_loss_per_doubling),
        routing_share=_routing_share(fabric, machine, cabling),
        jitter=_si(fabric.jitter),
        in_network_reduction=(in_network or cabling.in_network) and fabric.in_network_reduction,
        rails_apart=cabling.topology == "rail-only",
        scattered=_si((machine.constants or {}).get("congestion-scattered")),
        oversubscription=cabling.oversubscription,
        leaf_domains=_leaf_domains(machine, cabling, min(nics, machine.gpus_per_node)),
        uplink_spread=_si((machine.constants or {}).get("congestion-uplink-spread")) or 1.0,
        lossy=fabric.technology == "roce" and cabling.lossless is False,
        possible=machine.domains == 1 or not none,
        wide_area=fabric.technology == "wan",
        proven_gpus=fabric.largest_proven_gpus.si if fabric.largest_proven_gpus else float("inf"),
        line_rate=nics * rate / machine.gpus_per_node * _lossless_share(fabric, machine, cabling),
    )


def _routing_share(fabric: Fabric, machine: Machine, cabling: Cabling) -> float:
    """What colliding flows keep of the bandwidth: all of it where packets are spread by load; where nobody says how a
    fabric routes that usually hashes flows, halfway."""
    static = (machine.constants or {}).get("congestion-static")
    if static is None or fabric.technology not in ROUTED_EITHER_WAY:
        return 1.0
    if cabling.adaptive_routing is None:
        return 1.0 if fabric.adaptive_routing else (1.0 + static.si) / 2.0
    return 1.0 if cabling.adaptive_routing else static.si


def _lossless_share(fabric: Fabric, machine: Machine, cabling: Cabling) -> float:
    """What RDMA over Ethernet keeps of its bandwidth where nobody set up flow and congestion control."""
    share = (machine.constants or {}).get("congestion-lossy")
    return share.si if share is not None and fabric.technology == "roce" and cabling.lossless is False else 1.0


def _leaf_domains(machine: Machine, cabling: Cabling, nics: int) -> float:
    """Domains under one set of leaves.

    Rails: node-facing ports of a leaf, one for each node's NIC of that rail, all ports where no spine joins the rails.
    Else a node takes as many ports of its leaf as it has NICs. A switch has as many times the ports as there are
    planes, each at that part of the rate.
    """
    ports = (machine.constants or {}).get("congestion-leaf-ports")
    if ports is None:
        return float("inf")
    all_ports = ports.si * cabling.planes
    nodes = all_ports if cabling.topology == "rail-only" else leaf_nodes(all_ports, cabling.oversubscription)
    each = nics if cabling.topology == "fat-tree" else 1
    return max(1.0, nodes / each * machine.gpus_per_node / machine.domain)


def leaf_nodes(ports: float, oversubscription: float) -> int:
    """Nodes whose NICs of one rail hang on one leaf of ``ports`` ports, the others facing spines."""
    return int(ports * oversubscription / (1.0 + oversubscription))


def _si(fact) -> float:
    return fact.si if fact is not None else 0.0


_COLUMNS = [field.name for field in fields(Network) if field.name not in ("id", "transport")]


class Networks:
    """Several networks as columns: every numeric field of :class:`Network` as an array of shape (networks, 1)."""

    gpu_rate: np.ndarray
    nic_rate: np.ndarray
    line_rate: np.ndarray
    latency: np.ndarray
    half_message: np.ndarray
    scale_loss: np.ndarray
    routing_share: np.ndarray
    jitter: np.ndarray
    in_network_reduction: np.ndarray
    rails_apart: np.ndarray
    scattered: np.ndarray
    oversubscription: np.ndarray
    leaf_domains: np.ndarray
    by_adapter: np.ndarray  # RDMA: no software between messages
    host_bound: np.ndarray  # sockets: the host's copies are the limit

    def __init__(self, networks: Sequence[Network]) -> None:
        self.networks = tuple(networks)
        self.by_adapter = np.array([[network.transport == "rdma"] for network in self.networks])
        self.host_bound = np.array([[network.transport == "tcp"] for network in self.networks])
        for name in _COLUMNS:
            setattr(self, name, np.array([[getattr(network, name)] for network in self.networks]))

    def __len__(self) -> int:
        return len(self.networks)

    def some(self, index: np.ndarray) -> Networks:
        """Some of them, in the order of ``index``."""
        return Networks([self.networks[at] for at in index])

    @cached_property
    def first(self) -> Networks:
        """The first of them alone, for what no network touches."""
        return self if len(self) == 1 else Networks(self.networks[:1])
