"""Small answers the conversation needs: how long one collective takes on one network."""

from __future__ import annotations

import numpy as np

from . import collectives
from .collectives import Wires, group
from .machine import Machine
from .network import Network, Networks


def collective_time(
    kind: str,
    network: Network,
    machine: Machine,
    bytes_: float,
    gpus: int | None = None,
    ranks_per_node: int | None = None,
) -> float:
    """Seconds of one collective of ``bytes_`` over ``gpus`` (default: all); ``kind`` as in :mod:`collectives`.

    ``ranks_per_node``: GPUs of a domain that take part (default: all of it).
    """
    wires = Wires(machine, Networks([network]))
    stride = machine.domain / ranks_per_node if ranks_per_node else 1.0
    ranks = group(np.array([float(gpus or machine.gpus)]), np.array([stride]), machine.domain)
    return float(np.ravel(getattr(collectives, kind)(wires, np.array([float(bytes_)]), ranks))[0])


def algorithm_of(kind: str, network: Network, machine: Machine, bytes_: float) -> str:
    """What the time of a collective over all GPUs is that of: ring, tree, a domain's switch or the network's."""
    if kind not in ("all_reduce", "all_gather", "reduce_scatter"):
        return "pairwise"
    wires, sizes = Wires(machine, Networks([network])), np.array([float(bytes_)])
    ranks = group(np.array([float(machine.gpus)]), np.ones(1), machine.domain)
    apart, adds = machine.domains > 1, network.in_network_reduction and machine.domains > 1
    if kind == "all_reduce":
        known = {"ring": wires.ring(sizes, ranks, 2.0)}
        known |= {"tree": wires.tree(sizes, ranks)} if apart else {}
        known |= {"NVLS": wires.switch(sizes, ranks)} if machine.in_network_reduction and not apart else {}
        known |= {"SHARP": wires.in_network(sizes, ranks)} if adds else {}
    else:
        known = {"ring": wires.ring(sizes, ranks, 1.0)}
        known |= {"SHARP": wires.one_way_in_network(sizes, ranks)} if adds else {}
    return min(known, key=lambda name: float(np.ravel(known[name])[0]))


def all_reduce_time(network: Network, machine: Machine, bytes_: float, gpus: int | None = None) -> float:
    """Seconds to sum ``bytes_`` (on each GPU) over all GPUs."""
    return collective_time("all_reduce", network, machine, bytes_, gpus)


def all_gather_time(network: Network, machine: Machine, bytes_: float, gpus: int | None = None) -> float:
    """Seconds until every GPU has ``bytes_`` gathered from all."""
    return collective_time("all_gather", network, machine, bytes_, gpus)


def all_to_all_time(network: Network, machine: Machine, bytes_: float, gpus: int | None = None) -> float:
    """Seconds for every GPU to send ``bytes_`` in equal parts to all."""
    return collective_time("all_to_all", network, machine, bytes_, gpus)


def bus_bandwidth(kind: str, bytes_: float, seconds: float, ranks: int) -> float:
    """Bytes/s as nccl-tests prints it: algorithm bandwidth × 2(n−1)/n, (n−1)/n or 1 (PERFORMANCE.md)."""
    factor = {"all_reduce": 2.0 * (ranks - 1) / ranks, "send_receive": 1.0}.get(kind, (ranks - 1) / ranks)
    return bytes_ / seconds * factor


def send_time(network: Network, machine: Machine, bytes_: float) -> float:
    """Seconds for one GPU to send ``bytes_`` to one GPU of another domain, or of its own when there is only one."""
    wires = Wires(machine, Networks([network]))
    crosses = np.array([machine.domains > 1])
    return float(np.ravel(collectives.send_receive(wires, np.array([float(bytes_)]), crosses, np.ones(1)))[0])


def least_bytes(kind: str, bytes_: float, members: int, gpus_each: int = 1) -> float:
    """Bytes that must enter each of ``members`` domains of ``gpus_each`` GPUs, whatever the algorithm, without
    reduction in switches.

    All-reduce 2(n−1)/n, all-gather and reduce-scatter (n−1)/n of the payload (PERFORMANCE.md of nccl-tests); all-to-all
    (n−1)/n of what every GPU sends; a message between two GPUs its own size.
    """
    share = (members - 1.0) / members
    return bytes_ * {"all_reduce": 2.0 * share, "all_to_all": share * gpus_each, "send_receive": 1.0}.get(kind, share)
