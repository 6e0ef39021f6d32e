"""Time of collectives over scale-up domains and the network between them, as NCCL would run them.

A group of ``size`` ranks has ``local`` ranks in each domain (all groups run at once, as training does it). Every
function takes columns: networks have shape (F, 1), sizes and bytes (L,); the result is (F, L) seconds. Bus bandwidth
and its factors are those of nccl-tests (PERFORMANCE.md).
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from assistant.vocabulary.large_messages import FLAT_DOMAINS, LEAST_SHARE, TREE_OF_TWO, share_of_a_pair

from .machine import Machine
from .network import Network, Networks
from .protocols import (
    LL,
    LL128,
    LL128_SHARE,
    LL_SHARE,
    NVLINK_STEP,
    SIMPLE,
    CollectiveConstants,
    Protocol,
)

# NVLS against ring: 480 against 367 GB/s on 8 H100 (collectives_compared.csv, dgxc and ml-engineering)
SWITCH_GAIN = 1.31
WHOLE_SWITCH = 8  # ranks from which NVLS is faster: with 4 to 7 of 8 GPUs the ring's bandwidth is measured
TREE_EFFICIENCY = 0.85  # trees against rings at the same volume: 4 to 32 AWS p5 nodes
# 387 GB/s on 8 nodes of 8 H100 with SHARP (cw-0005): what goes up and what comes down share the adapter
SHARP_PASSES = 2.0
# A rank that sends and does not receive: 43.7 of 50 GB/s from GPU to GPU on one rail, messages of 1 to 4 MiB
# (uccl-0068 to 0070), a node's eight 45.8 each (kv0050); of what adapters reach in a ring, 49. NCCL's sendrecv_perf,
# where every rank does both at once over few channels, is ``send_share``: 25.
LONE_SHARE = 0.9
# Adapters of a rack that a ring crosses, one for each of its channels: as many as NCCL lays rings through the eight
# adapters of a node. Assumed: rings through 72 GPUs of a rack have been published by nobody.
RACK_RINGS = 8
# Bytes/s of the nodes that tell ``ll_per_byte``, Slingshot with two adapters and the first EFA. Where adapters move
# data by themselves, messages of 16 KiB take the less on faster nodes, in proportion: 17 us more than 1 KiB on 188 GB/s
# (azure-a100), 7 on 392 (dstack-0053 to 0073). Where software does (later EFA, TCPXO), faster nodes gain nothing.
FLAGGED_NODE_RATE = 47e9
RACK_ADAPTERS = 8  # of a node in the series that congestion was read off
PEER_LAUNCH = 0.2e-6  # seconds per peer of an all-to-all, wherever it is: assumed, held while the protocols were fitted
# Times its compute that communication of a step may hide behind: exchanges of gradients and weights behind both passes,
# sends of a pipeline behind the forward passes, 5/3; what tensor and context parallel hide behind is a part of a layer.
HIDDEN = 2.0


@dataclass(frozen=True)
class Group:
    """Ranks that communicate: ``size`` of them, ``local`` per scale-up domain, in ``domains`` domains ``apart`` from
    each other; ``reach`` ranks from the first to the last of a domain's, so many GPUs lie among them. Shape (L,)."""

    size: np.ndarray
    local: np.ndarray
    domains: np.ndarray
    apart: np.ndarray
    reach: np.ndarray

    def rows(self, index: np.ndarray) -> Group:
        """Some of the groups, in the order of ``index``."""
        return Group(*(getattr(self, name)[index] for name in _COLUMNS))


_COLUMNS = [field.name for field in fields(Group)]


def group(size: np.ndarray, stride: np.ndarray, domain: int) -> Group:
    """A group whose neighbours are ``stride`` ranks apart, ranks filling domains of ``domain`` GPUs in order."""
    local = np.minimum(np.maximum(np.floor(domain / stride), 1.0), size)
    reach = stride * (local - 1.0) + 1.0
    return Group(size, local, np.ceil(size / local), np.maximum(stride / domain, 1.0), reach)


def uplink_share(networks: Networks, apart: np.ndarray, span: np.ndarray, *, neighbours: bool = True) -> np.ndarray:
    """How many times slower neighbours ``apart`` domains from each other are for the uplinks of oversubscribed leaves,
    (F, L).

    Where ranks are placed leaf by leaf, of the domains under one leaf as many talk to the next leaf at once as
    neighbours are apart: one for a plain ring, all of them where a pipeline's stage fills the leaf. Of those that a
    scheduler has ``scattered`` all do whose neighbour happens to be elsewhere. A group or pipeline whose ``span`` of
    domains stays under one leaf crosses none. ``neighbours``: False where everybody sends to everybody, wherever they
    are.
    """
    leaf = networks.leaf_domains
    crossing = np.minimum(apart, leaf) / leaf
    if neighbours:
        crossing = np.maximum(crossing, networks.scattered * (1.0 - leaf / np.maximum(span, leaf)))
    return np.where(span > leaf, np.maximum(networks.oversubscription * crossing, 1.0), 1.0)


class Wires:
    """Bandwidth and latency between the ranks of groups: one machine, several networks.

    ``slowdown`` stretches everything the network does (latency and bytes alike); a shape of (K, 1, 1) gives results of
    shape (K, F, L), which is how error bands are drawn.
    """

    def __init__(
        self,
        machine: Machine,
        networks: Networks,
        slowdown: float | np.ndarray = 1.0,
        constants: CollectiveConstants | None = None,
    ) -> None:
        self.machine, self.networks, self.slowdown = machine, networks, slowdown
        self.constants = constants or machine.protocols
        self.latency = networks.latency * slowdown
        self.depth = max(np.ndim(slowdown), 2)  # dimensions of a time, networks and groups the last two
        self.blocking = bool((networks.oversubscription > 1.0).any())
        self.up = machine.scale_up_bandwidth
        # Of the time a byte takes with flags where adapters are as slow as those that ``ll_per_byte`` was fitted on.
        adapters = np.minimum(FLAGGED_NODE_RATE / (networks.gpu_rate * machine.gpus_per_node), 1.0)
        self.flagged = np.where(networks.by_adapter, adapters, 1.0)
        self.near_step = machine.scale_up_latency / NVLINK_STEP
        self.switch_gain = SWITCH_GAIN if machine.in_network_reduction else 1.0
        self._hops: dict[tuple[float, float], np.ndarray] = {}
        self._ways: dict[int, tuple[Group, dict[bool, np.ndarray], np.ndarray]] = {}

    def inside_rate(self, local: np.ndarray | float, reach: np.ndarray | float) -> np.ndarray | float:
        """Bytes/s into one of ``local`` ranks of a domain from the others, which lie among ``reach`` GPUs.

        Behind a switch or on PCIe that of the GPU; in a mesh each rank has links of its own to every peer, and a group
        uses those between its members: two MI300X have one of seven. Neighbours on a bridge have the bridge; a ring
        that leaves it moves at the pace of what joins the whole node.
        """
        peers, bridged = self.machine.mesh_peers, self.machine.bridged
        if bridged > 1:
            return np.where(np.asarray(reach) <= bridged, max(self.machine.bridge_bandwidth, self.up), self.up)
        if not peers:
            return self.up
        return self.up * np.where(np.asarray(local) > 1, np.minimum(np.asarray(local) - 1.0, peers) / peers, 1.0)

    def network_rate(self, group: Group, *, rings: bool = True) -> np.ndarray:
        """Bytes/s into one domain for one group, (F, L), of ``rings`` or of what each rank sends to all.

        All groups of a domain share its NICs, so a group with ``local`` ranks there owns ``local`` shares; a rack has
        more than rings cross. Congestion takes a share per doubling beyond ``FLAT_DOMAINS`` nodes, a rack counting for
        as many as its adapters would serve; where flows are hashed onto paths they lose ``routing_share`` as soon as
        they collide.
        """
        known = self._of(group)[1]
        if rings not in known:
            known[rings] = self._network_rate(group, rings=rings)
        return known[rings]

    def _of(self, group: Group) -> tuple[Group, dict[bool, np.ndarray], np.ndarray]:
        """What all collectives of one group have in common: rates into a domain, and how its slowest waits. One
        is held beside another for the same group, and the same one is asked for with other sizes."""
        found = self._ways.get(id(group))
        if found is None:  # keeps the group, so that no other one comes by its number
            found = self._ways[id(group)] = group, {}, self._waiting(group)
        return found

    def _network_rate(self, group: Group, *, rings: bool) -> np.ndarray:
        n, m = self.networks, self.machine
        rack = m.domain > m.gpus_per_node
        own, kept = n.gpu_rate * group.local, 1.0
        endpoints = group.domains * (max(m.domain / RACK_ADAPTERS, 1.0) if rack else 1.0)
        if (endpoints > FLAT_DOMAINS).any():
            doublings = np.log2(np.maximum(endpoints / FLAT_DOMAINS, 1.0))
            kept = np.maximum(1.0 - n.scale_loss * doublings, LEAST_SHARE)
            kept = kept * (1.0 - (1.0 - n.routing_share) * np.minimum(doublings, 1.0))
        rate = (np.minimum(own, n.nic_rate * RACK_RINGS) if rack and rings else own) * kept / self.slowdown
        if not self.blocking:
            return rate
        return rate / uplink_share(n, group.apart, group.domains * group.apart, neighbours=rings)

    def waiting(self, group: Group) -> np.ndarray:
        """Factor for the slowest of many: the expected largest of n normal spreads is about jitter·√(2·ln n).

        It stretches latency; the bytes of a long collective average it out (TCP runs of 2 to 8 nodes show none).
        """
        return self._of(group)[2]

    def _waiting(self, group: Group) -> np.ndarray:
        return 1.0 + self.networks.jitter * np.sqrt(2.0 * np.log(np.maximum(group.domains, 2.0)))

    def hop(self, protocol: Protocol, trips: float) -> np.ndarray:
        """Seconds of one step over each network, (F, 1)."""
        key = protocol.far, trips
        if key not in self._hops:
            self._hops[key] = protocol.far * self.slowdown + trips * self.latency
        return self._hops[key]

    def fastest(
        self,
        streaming: np.ndarray,
        whole: np.ndarray,
        group: Group,
        near: np.ndarray,
        hops: np.ndarray,
        fill: np.ndarray | float = 0.0,
    ) -> np.ndarray:
        """Seconds of the protocol NCCL would choose.

        ``streaming``: seconds at full bandwidth, ``whole``: bytes that a small message hands on per step, ``near``
        steps inside domains, ``hops`` between them, ``fill``: seconds until a pipeline of chunks flows.
        """
        c, start, crossing = self.constants, group.size > 1, hops * self.waiting(group)
        ll128_share = np.where(hops > 0, c.ll128_share, LL128_SHARE)
        inside = [protocol.base * start + protocol.near * self.near_step * near for protocol in (LL, LL128, SIMPLE)]
        inside[0] = inside[0] + whole * hops * (c.ll_per_byte * self.flagged * self.slowdown)
        low = np.minimum(
            inside[0] + crossing * self.hop(LL, 1.0) + streaming * (1.0 / LL_SHARE),
            inside[1] + crossing * self.hop(LL128, c.ll128_trips) + streaming * (1.0 / ll128_share),
        )
        return np.minimum(low, inside[2] + crossing * self.hop(SIMPLE, c.simple_trips) + streaming + fill)

    def ring(self, bytes_: np.ndarray, group: Group, passes: float) -> np.ndarray:
        """A flat ring: the link into each domain carries (N−1)/N of the tensor in each pass; N−1 steps per pass, 1/N
        each."""
        volume = passes * bytes_ * (group.size - 1.0) / group.size
        apart = group.domains > 1
        inside = volume / self.inside_rate(group.local, group.reach)
        streaming = np.where(apart, np.maximum(volume / self.network_rate(group), inside), inside)
        near, hops = passes * (group.size - group.domains), passes * group.domains * apart
        return self.fastest(streaming, bytes_ / group.size, group, near, hops)

    def tree(self, bytes_: np.ndarray, group: Group) -> np.ndarray:
        """Double binary tree between domains (NCCL 2.4): twice the tensor into a domain, once when there are only two.

        Where no switch adds (before Hopper) NCCL keeps to rings for large tensors on two nodes: 188 of 200 GB/s on 16
        A100 with HDR. Over sockets the host's copies are the limit. Neither sends fewer bytes than a ring.
        """
        flat = 2.0 * (group.size - 1.0) / group.size
        passes = np.where(group.domains > 2, 2.0 * (group.domains - 1.0) / group.domains, 1.0) / TREE_EFFICIENCY
        as_ring = self.networks.host_bound | (not self.machine.in_network_reduction)
        between = bytes_ * np.where(as_ring, np.maximum(passes, flat), passes) / self.network_rate(group)
        inside = self._inside_reduce(bytes_, group)
        outer = np.maximum(between, inside)
        levels = np.log2(np.maximum(group.domains, 1.0))
        full = self.constants.fill * self.networks.half_message / self.networks.gpu_rate * self.slowdown
        found = self.fastest(
            outer, bytes_, group, 2.0 * (group.local - 1.0), 2.0 * levels, np.minimum(outer, levels * full)
        )
        by_switch = (group.domains == 2) & (group.local >= WHOLE_SWITCH) & ~as_ring
        if not by_switch.any():
            return found
        # Of two whole domains the switches may add in a tree's place (NVLSTree): slower to start.
        gained = outer - np.maximum(between * (TREE_EFFICIENCY / TREE_OF_TWO), inside)
        return found - np.where(by_switch, np.maximum(gained - self.constants.switch_start, 0.0), 0.0)

    def _inside_reduce(self, bytes_: np.ndarray, group: Group) -> np.ndarray:
        """Bandwidth part of an all-reduce inside a domain; faster where the switch adds."""
        gain = np.where(group.local >= WHOLE_SWITCH, self.switch_gain, 1.0)
        rate = self.inside_rate(group.local, group.reach) * gain
        return 2.0 * bytes_ * (group.local - 1.0) / group.local / rate

    def switch(self, bytes_: np.ndarray, group: Group) -> np.ndarray:
        """All-reduce of one domain in its switch (NVLS): faster for large tensors, slow to start, no steps from rank to
        rank."""
        return self._inside_reduce(bytes_, group) + self.constants.switch_start

    def in_network(self, bytes_: np.ndarray, group: Group) -> np.ndarray:
        """Reduction in the switches (SHARP): each domain sends the tensor once and receives it once."""
        outer = np.maximum(SHARP_PASSES * bytes_ / self.network_rate(group), self._inside_reduce(bytes_, group))
        hops = np.where(group.domains > 1, 2.0, 0.0)
        return self.fastest(outer, bytes_, group, 2.0 * (group.local - 1.0), hops)

    def one_way_in_network(self, bytes_: np.ndarray, group: Group) -> np.ndarray:
        """Half an all-reduce in the switches: an all-gather sends each domain's part up once and gets the whole down, a
        reduce-scatter the other way round. As many bytes into a domain as a ring, but two hops in the place of one for
        every domain (NCCL's CollNet direct; nothing measured)."""
        volume = bytes_ * (group.size - 1.0) / group.size
        inside = volume / self.inside_rate(group.local, group.reach)
        streaming = np.maximum(volume / self.network_rate(group), inside)
        return self.fastest(streaming, bytes_, group, group.local - 1.0, np.where(group.domains > 1, 2.0, 0.0))


def times_faster(one: Network, other: Network, machine: Machine) -> float:
    """How many times faster a step is on ``one`` network than on the ``other`` at most, however it is split; 1 where it
    is better in nothing, infinite where the two differ in kind.

    Of a step with compute C, communication X on the other network, X/k at least on this one, and H hidden there, the
    ratio is at most (C + X − H)/(C + X/k − H); with H up to X/k and up to w·C it is largest where both are reached:
    1 + w·(k − 1).
    """
    kinds = (
        one.transport == other.transport or other.transport == "rdma",
        other.in_network_reduction or not one.in_network_reduction,
        one.rails_apart or not other.rails_apart,
        other.oversubscription <= 1.0
        or (other.oversubscription <= one.oversubscription and other.leaf_domains >= one.leaf_domains),
        one.scattered == other.scattered and not (one.wide_area or other.wide_area),
        min(one.latency, other.latency, one.half_message, other.half_message) > 0.0,
    )
    if not all(kinds):
        return np.inf
    rate = max(one.gpu_rate / other.gpu_rate, one.nic_rate / other.nic_rate, 1.0)
    endpoints = machine.domains * max(machine.domain / RACK_ADAPTERS, 1.0)
    doublings = np.log2(max(endpoints / FLAT_DOMAINS, 1.0))
    if other.scale_loss > one.scale_loss:  # beyond where the other loses no more the one still does
        doublings = min(doublings, (1.0 - LEAST_SHARE) / other.scale_loss)
        kept = (max(1.0 - n.scale_loss * doublings, LEAST_SHARE) for n in (one, other))
        rate *= next(kept) / next(kept)
    rate *= max(one.routing_share / other.routing_share, 1.0)
    latency = max(other.latency / one.latency, 1.0)
    if other.jitter > one.jitter:
        waits = (1.0 + n.jitter * np.sqrt(2.0 * np.log(max(machine.domains, 2.0))) for n in (other, one))
        latency *= next(waits) / next(waits)
    fill = (other.half_message / other.gpu_rate) / (one.half_message / one.gpu_rate)
    return 1.0 + HIDDEN * (float(max(rate, latency, fill)) - 1.0)


def all_gather(wires: Wires, bytes_: np.ndarray, group: Group) -> np.ndarray:
    """Every rank ends with ``bytes_``. NCCL runs it as a ring on nodes of several GPUs (2.23 ``tuning.cc``), or lets
    switches that add copy it."""
    return _through_switches(wires, bytes_, group, wires.ring(bytes_, group, 1.0))


reduce_scatter = all_gather  # ``bytes_`` in on every rank, 1/N out: the all-gather backwards takes as long


def _through_switches(wires: Wires, bytes_: np.ndarray, group: Group, ring: np.ndarray) -> np.ndarray:
    """The ring or, where the switches of the network add and copy, what they take if that is less."""
    if not wires.networks.in_network_reduction.any():
        return ring
    usable = wires.networks.in_network_reduction & (group.domains > 1)
    return np.where(usable, np.minimum(ring, wires.one_way_in_network(bytes_, group)), ring)


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

    ``crossing``: the share of these bytes that really crosses when copies for one domain travel once. What goes to
    ranks under other leaves shares the leaf's uplinks.
    """
    inside = bytes_ * (group.local - 1.0) / group.size / wires.inside_rate(group.local, group.reach)
    apart, remote = group.domains > 1, group.size - group.local
    carried = remote
    if wires.blocking:
        beyond = (
            np.maximum(group.size - group.local * wires.networks.leaf_domains, 0.0) * wires.networks.oversubscription
        )
        carried = np.maximum(remote, beyond)
    between = crossing * bytes_ * carried / group.size * group.local / wires.network_rate(group, rings=False)
    if wires.networks.rails_apart.any():  # tokens for another rail travel to its GPU inside the domain first
        other = bytes_ * remote / group.size * (1.0 - 1.0 / group.local) / wires.inside_rate(group.local, group.reach)
        between = between + np.where(wires.networks.rails_apart, other, 0.0)
    # Inside a domain NCCL sends small messages with flags (LL): its p2p threshold is 16 KiB to a peer.
    simple = SIMPLE.base + np.where(
        apart, wires.hop(SIMPLE, wires.constants.simple_trips), SIMPLE.near * wires.near_step
    )
    flags = np.where(apart, np.inf, LL.base + LL.near * wires.near_step + inside * (1.0 / LL_SHARE - 1.0))
    start = np.minimum(simple, flags) * (group.size > 1) + group.size * PEER_LAUNCH
    return np.maximum(inside, np.where(apart, between, 0.0)) + start + remote * (wires.constants.peer * wires.latency)


def send_receive(
    wires: Wires,
    bytes_: np.ndarray,
    crosses: np.ndarray,
    senders: np.ndarray,
    stage: np.ndarray | float = 1.0,
    span: np.ndarray | float = 1.0,
    both_ways: bool = False,
    ranks: int = 1,
) -> np.ndarray:
    """Point to point between neighbours; ``senders`` ranks of a domain send at once and share its NICs. ``stage``:
    domains that send at once to as many others, of the ``span`` the whole chain has.

    ``both_ways``: each rank receives from another one meanwhile. To a single peer NCCL opens few channels, which then
    do not fill an adapter: 25 of 49 GB/s on H100 with NDR, and half of that where the communicator has many ``ranks``
    (a pipeline's has as many as stages).
    """
    n, c = wires.networks, wires.constants
    channels = share_of_a_pair(ranks, c.send_share)
    rate = np.minimum(n.gpu_rate * wires.machine.domain / senders, n.nic_rate * (channels if both_ways else LONE_SHARE))
    if wires.blocking:
        rate = rate / uplink_share(n, np.asarray(stage), np.asarray(span))
    outside = bytes_ * wires.slowdown / rate + wires.hop(SIMPLE, c.simple_trips)
    return SIMPLE.base + np.where(
        crosses, outside, bytes_ / wires.inside_rate(2.0, 2.0) + SIMPLE.near * wires.near_step
    )
