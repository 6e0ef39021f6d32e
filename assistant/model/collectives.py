"""Time of collectives over scale-up domains and the network between them, as NCCL would run them.

A group of ``size`` ranks has ``local`` ranks in each domain (all groups run at once, as training does it). Every
function takes columns: networks have shape (F, 1), sizes and bytes (L,); the result is (F, L) seconds. Bus bandwidth and
its factors are those of nccl-tests (PERFORMANCE.md).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .machine import Machine
from .network import Networks


@dataclass(frozen=True)
class Protocol:
    """One of NCCL's protocols: seconds per collective, per step inside a domain, per step over the network besides the
    fabric's own latency, and the share of the bandwidth it reaches (NCCL 2.21 ``src/graph/tuning.cc``: ``baseLat`` and
    ``hwLat`` for NVLink and NET, the latter less the 2.7 and 5.0 us of its fastest ring and tree step).
    """

    base: float
    near: float
    far: float
    share: float


LL = Protocol(6.6e-6, 0.6e-6, 0.0, 0.45)  # flags beside every word: half of the wire
LL128 = Protocol(14e-6, 1.9e-6, 1.3e-6, 0.92)  # a flag per 128 bytes
SIMPLE = Protocol(8.4e-6, 3.4e-6, 11.3e-6, 1.0)  # waits for a whole chunk
PROTOCOLS = (LL, LL128, SIMPLE)

LOW_LATENCY_SHARE = 0.3  # of the bandwidth: what NCCL's LL protocols reach when messages are too small for the simple one
PIPE_FILL = 15e-6  # seconds until a scale-up link streams: dgxc-0001.. all-reduce of 1 to 16 MiB on 8 H100
SWITCH_GAIN = 1.31  # NVLS against ring: 480 against 367 GB/s on 8 H100 (collectives_compared.csv, dgxc and ml-engineering)
WHOLE_SWITCH = 8  # ranks from which NVLS is faster: with 4 to 7 of 8 GPUs the ring's bandwidth is measured
TREE_EFFICIENCY = 0.85  # trees against rings at the same volume: 2 to 32 AWS p5 nodes
SWITCH_START = 60e-6  # seconds that NVLS needs before it is faster: the ring wins below 32 MiB there


@dataclass(frozen=True)
class Group:
    """Ranks that communicate: ``size`` of them, ``local`` per scale-up domain, in ``domains`` domains. Shape (L,)."""

    size: np.ndarray
    local: np.ndarray
    domains: np.ndarray


def group(size: np.ndarray, stride: np.ndarray, domain: int) -> Group:
    """A group whose neighbours are ``stride`` ranks apart, ranks filling domains of ``domain`` GPUs in order."""
    local = np.minimum(np.maximum(np.floor(domain / stride), 1.0), size)
    return Group(size, local, np.ceil(size / local))


class Wires:
    """Bandwidth and latency between the ranks of groups: one machine, several networks.

    ``slowdown`` stretches everything the network does (latency and bytes alike); a shape of (K, 1, 1) gives results of
    shape (K, F, L), which is how error bands are drawn.
    """

    def __init__(self, machine: Machine, networks: Networks, slowdown: float | np.ndarray = 1.0) -> None:
        self.machine, self.networks, self.slowdown = machine, networks, slowdown
        self.latency = networks.latency * slowdown
        self.up = machine.scale_up_bandwidth
        self.up_latency = machine.scale_up_latency
        self.switch_gain = SWITCH_GAIN if machine.in_network_reduction else 1.0

    def network_rate(self, group: Group, message: np.ndarray) -> np.ndarray:
        """Bytes/s into one domain for one group, (F, L).

        All groups of a domain share its NICs, so a group with ``local`` ranks there owns ``local`` shares. Small
        messages per NIC reach less (half at ``half_message``, never below what the low-latency protocol gives), and
        congestion takes a share per doubling beyond eight domains (NDR: flat to 8 nodes, a third lost at 64 with
        static routing).
        """
        n = self.networks
        share = n.gpu_rate * group.local
        lost = 1.0 - n.scale_loss * np.maximum(np.log2(np.maximum(group.domains, 1.0)) - 3.0, 0.0)
        per_nic = message / np.maximum(group.local * n.nics_per_gpu, 1.0)
        return share * np.maximum(lost, 0.3) * np.maximum(per_nic / (per_nic + n.half_message), LOW_LATENCY_SHARE) / self.slowdown

    def waiting(self, group: Group) -> np.ndarray:
        """Factor for the slowest of many: the expected largest of n normal spreads is about jitter·√(2·ln n).

        It stretches latency; the bytes of a long collective average it out (TCP runs of 2 to 8 nodes show none).
        """
        return 1.0 + self.networks.jitter * np.sqrt(2.0 * np.log(np.maximum(group.domains, 2.0)))

    def inside(self, volume: np.ndarray) -> np.ndarray:
        """Seconds for ``volume`` bytes through one GPU's scale-up link; small volumes pay for filling the pipe."""
        time = volume / self.up
        return time + np.minimum(PIPE_FILL, time * (1.0 / LOW_LATENCY_SHARE - 1.0))

    def ring(self, bytes_: np.ndarray, group: Group, passes: float) -> np.ndarray:
        """A flat ring: the link into each domain carries (N−1)/N of the tensor in each pass; N−1 steps per pass."""
        volume = passes * bytes_ * (group.size - 1.0) / group.size
        near, hops = passes * (group.size - group.domains), passes * group.domains
        between = np.maximum(volume / self.network_rate(group, bytes_), volume / self.up)
        far = hops * self.latency * self.waiting(group)
        crossing = self.fastest(between, near, hops) + far
        return np.where(group.domains > 1, crossing, self.inside(volume) + near * self.up_latency)

    def fastest(self, streaming: np.ndarray, near: np.ndarray, far: np.ndarray) -> np.ndarray:
        """Seconds of the protocol NCCL would choose, the fabric's latency left out: ``streaming`` seconds at full bandwidth,
        ``near`` steps inside domains and ``far`` steps between them.
        """
        times = [protocol.base + near * protocol.near + far * protocol.far * self.slowdown + streaming / protocol.share
                 for protocol in PROTOCOLS]
        return np.minimum(np.minimum(times[0], times[1]), times[2])

    def tree(self, bytes_: np.ndarray, group: Group) -> np.ndarray:
        """Double binary tree between domains (NCCL 2.4): twice the tensor into a domain, once when there are only two.

        Over sockets the host's copies are the limit, so a tree saves nothing there (3.19 GB/s on two Azure nodes).
        """
        flat = 2.0 * (group.size - 1.0) / group.size
        passes = np.where(group.domains > 2, 2.0 * (group.domains - 1.0) / group.domains, 1.0) / TREE_EFFICIENCY
        volume = bytes_ * np.where(self.networks.host_bound, np.maximum(passes, flat), passes)
        between = volume / self.network_rate(group, bytes_)
        outer = np.maximum(between, self._inside_reduce(bytes_, group))
        hops = 2.0 * np.log2(np.maximum(group.domains, 1.0))
        return self.fastest(outer, 2.0 * (group.local - 1.0), hops) + hops * self.latency

    def _inside_reduce(self, bytes_: np.ndarray, group: Group) -> np.ndarray:
        """Bandwidth part of an all-reduce inside a domain; faster where the switch adds."""
        gain = np.where(group.local >= WHOLE_SWITCH, self.switch_gain, 1.0)
        return 2.0 * bytes_ * (group.local - 1.0) / group.local / (self.up * gain)

    def switch(self, bytes_: np.ndarray, group: Group) -> np.ndarray:
        """All-reduce of one domain in its switch (NVLS): faster for large tensors, slow to start."""
        return self._inside_reduce(bytes_, group) + SWITCH_START + 2.0 * (group.local - 1.0) * self.up_latency

    def in_network(self, bytes_: np.ndarray, group: Group) -> np.ndarray:
        """Reduction in the switches (SHARP): each domain sends and receives the tensor once."""
        between = bytes_ / self.network_rate(group, bytes_)
        outer = np.maximum(between, self._inside_reduce(bytes_, group))
        return outer + 2.0 * (self.latency + (group.local - 1.0) * self.up_latency)


def all_gather(wires: Wires, bytes_: np.ndarray, group: Group) -> np.ndarray:
    """Every rank ends with ``bytes_``. NCCL runs it as a ring on nodes of several GPUs (2.23 ``tuning.cc``)."""
    return wires.ring(bytes_, group, 1.0)


def reduce_scatter(wires: Wires, bytes_: np.ndarray, group: Group) -> np.ndarray:
    """``bytes_`` in on every rank, 1/N out: the all-gather backwards."""
    return wires.ring(bytes_, group, 1.0)


def all_reduce(wires: Wires, bytes_: np.ndarray, group: Group) -> np.ndarray:
    """The fastest of ring, tree or the domain's switch and, where it is on, in-network reduction."""
    other = wires.switch(bytes_, group) if wires.machine.in_network_reduction else np.inf
    best = np.minimum(wires.ring(bytes_, group, 2.0), np.where(group.domains > 1, wires.tree(bytes_, group), other))
    if wires.networks.in_network_reduction.any():
        usable = wires.networks.in_network_reduction & (group.domains > 1)
        best = np.where(usable, np.minimum(best, wires.in_network(bytes_, group)), best)
    return best


def all_to_all(wires: Wires, bytes_: np.ndarray, group: Group, crossing: np.ndarray | float = 1.0) -> np.ndarray:
    """Each rank sends ``bytes_`` in equal parts to all ranks: (N−local)/N of it crosses its share of the network.

    ``crossing``: the share of these bytes that really crosses when copies for one domain travel once.
    """
    inside = bytes_ * (group.local - 1.0) / group.size / wires.up
    outside = crossing * bytes_ * (group.size - group.local) / group.size
    between = outside * group.local / wires.network_rate(group, np.maximum(bytes_ * group.local, 1.0))
    latency = np.where(group.domains > 1, wires.latency, wires.up_latency) + group.size * 0.2e-6
    return np.maximum(inside, np.where(group.domains > 1, between, 0.0)) + latency


def send_receive(wires: Wires, bytes_: np.ndarray, crosses: np.ndarray, senders: np.ndarray) -> np.ndarray:
    """Point to point between neighbours; ``senders`` ranks of a domain send at once and share its NICs."""
    n = wires.networks
    per_nic = bytes_ / np.maximum(n.nics_per_gpu, 1.0)
    rate = np.minimum(n.gpu_rate * wires.machine.domain / senders, n.nic_rate)
    outside = bytes_ * (per_nic + n.half_message) * wires.slowdown / (rate * per_nic) + wires.latency
    return np.where(crosses, outside, bytes_ / wires.up + wires.up_latency)
