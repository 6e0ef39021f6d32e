"""Which of a layer's communication hides behind its compute. Seconds, (F, C) over networks and slices.

Exposed time is what remains after the compute it can run behind: ``communication − share·min(communication, window)``;
``share`` is below one because kernels that run beside a collective lose units and memory bandwidth to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .collectives import Group, Wires, all_gather, all_reduce, group
from .dispatch import call_time, dispatch_from, element_bytes, routing_of
from .framework import Framework
from .job import Job
from .layout import Layouts, Slices
from .machine import Machine
from .memory import shard_sizes
from .network import Networks

Times = np.ndarray


class Links:
    """The wires between domains of several networks, and those inside one domain, which no network touches.

    Groups that stay inside take the same time whatever the network and its ``slowdown``, so that time has one row: (1,
    L).
    """

    def __init__(self, machine: Machine, networks: Networks, slowdown: float | np.ndarray = 1.0) -> None:
        self.machine = machine
        self.between = Wires(machine, networks, slowdown)
        alone = len(networks) == 1 and np.ndim(slowdown) == 0
        self.inside = self.between if alone else Wires(machine, networks.first)

    def of(self, crossing: np.ndarray) -> Wires:
        """The wires for groups of which some are ``crossing``."""
        return self.between if crossing.any() else self.inside


def exposed(communication: Times, window: Times, share: float | Times) -> Times:
    """What of ``communication`` is left when ``share`` of the part that fits into ``window`` hides."""
    return communication - share * np.minimum(communication, window)


@dataclass(frozen=True)
class LayerCommunication:
    """Exposed seconds per layer and micro-batch, forward and backward; ``outer``: per micro-batch outside the
    layers."""

    forward: Times
    backward: Times
    outer: Times | float = 0.0


def nothing(slices: Slices) -> LayerCommunication:
    """No communication."""
    return LayerCommunication(*(np.zeros_like(slices.tp) for _ in range(3)))


def tensor_parallel(job: Job, links: Links, framework: Framework, slices: Slices, forward: Times) -> LayerCommunication:
    """Two all-reduces of the activations per layer and direction (Megatron, 1909.08053), or as many bytes as
    all-gather and reduce-scatter with sequence parallel. They are on the critical path; only with sequence parallel are
    there frameworks that run part of them beside the products of the same layer (Transformer Engine's user buffers).
    Its gathers carry what is multiplied next, half the bytes in FP8; sums, embedding and head stay in 16 bits.
    The embedding sums its output likewise, the head its input's gradient.
    """
    if not (slices.tp > 1).any():
        return nothing(slices)
    bytes_ = slices.micro_batch * job.sequence_length / slices.cp * job.architecture.hidden * job.activation_bytes
    ranks = group(slices.tp, np.ones_like(slices.tp), links.machine.domain)
    wires, split = links.of(ranks.domains > 1), slices.sequence_parallel > 0
    apart, together = (np.flatnonzero((slices.tp > 1) & kind) for kind in (split, ~split))
    both, spared = np.zeros_like(slices.tp), 0.0
    if len(apart):
        some, own = taken(ranks, apart), bytes_[apart]
        gather = all_gather(wires, own, some)
        both = both + spread(4.0 * gather, apart, len(bytes_))  # and as many scatters, which take as long
        if job.precision in ("fp8", "mxfp8") and framework.gathers_fp8:
            spared = spread(2.0 * (gather - all_gather(wires, own / 2.0, some)), apart, len(bytes_))
    if len(together):
        both = both + spread(2.0 * all_reduce(wires, bytes_[together], taken(ranks, together)), together, len(bytes_))
    both = both + 2.0 * links.machine.kernels.tp_wait * (slices.tp > 1)
    hidden, inside = np.where(split, framework.tp_overlap, 0.0), both - spared
    return LayerCommunication(exposed(inside, forward, hidden), exposed(inside, 2.0 * forward, hidden), both)


def context_parallel(
    job: Job, links: Links, framework: Framework, slices: Slices, attention: Times
) -> LayerCommunication:
    """Keys and values travel round the ring of cp ranks behind attention (Ring Attention, 2310.01889); backward both
    ways."""
    if not (slices.cp > 1).any():
        return nothing(slices)
    a = job.architecture
    tokens = slices.micro_batch * job.sequence_length
    bytes_ = tokens * a.kv_width / np.minimum(slices.tp, a.kv_heads) * job.activation_bytes
    ranks = group(slices.cp, slices.tp, links.machine.domain)
    ring = np.where(slices.cp > 1, all_gather(links.of(ranks.domains > 1), bytes_, ranks), 0.0)
    return LayerCommunication(
        exposed(ring, attention, framework.overlap), exposed(2.0 * ring, 2.5 * attention, framework.overlap)
    )


def expert_parallel(job: Job, links: Links, framework: Framework, slices: Slices) -> LayerCommunication:
    """Tokens travel to their experts and back, per layer and direction, with nothing hidden: dispatch and combine
    forward, and backward the same two the other way round. Ranks that share an expert gather each other's tokens before
    it and add up their results after it (expert tensor parallel, 2504.14960)."""
    a = job.architecture
    if not a.moe_layers or not (slices.ep > 1).any():
        return nothing(slices)
    tokens = slices.micro_batch * job.sequence_length / slices.cp / slices.tp
    ranks = group(slices.ep, slices.etp, links.machine.domain)
    wires, routing = links.of(ranks.domains > 1), routing_of(job, framework, ranks)
    constants = dispatch_from(links.machine.constants)
    there, back = (
        call_time(
            wires,
            tokens * a.dispatched_width * element_bytes(job, combine=way),
            ranks,
            routing,
            combine=way,
            constants=constants,
        )
        for way in (False, True)
    )
    both = np.where(slices.ep > 1, there + back, 0.0)
    shared = (slices.ep > 1) & (slices.etp > 1)
    if shared.any():
        sharing = group(slices.etp, np.ones_like(slices.etp), links.machine.domain)
        bytes_ = tokens * slices.etp * a.experts_per_token * a.dispatched_width * job.activation_bytes
        inside = links.of(sharing.domains > 1)
        both = both + np.where(shared, 2.0 * all_gather(inside, bytes_, sharing), 0.0)
    both = both * (a.moe_layers / a.layers)
    return LayerCommunication(both, both)


def spread(times: Times, rows: np.ndarray, length: int) -> Times:
    """Times of some rows among ``length`` rows, nothing elsewhere."""
    if len(rows) == length:
        return times
    found = np.zeros((*times.shape[:-1], length))
    found[..., rows] = times
    return found


def taken(ranks: Group, rows: np.ndarray) -> Group:
    """Some of the groups."""
    return ranks.rows(rows)


@dataclass(frozen=True)
class DataGroups:
    """Groups that share gradients: everything, the sharding part and the replicas, for dense and expert parameters."""

    dense: Group
    experts: Group
    dense_replicas: Group
    expert_replicas: Group


def data_groups(layouts: Layouts, domain: int) -> DataGroups:
    """Data-parallel groups after tensor and expert parallel ranks are placed next to each other."""
    dense, experts = shard_sizes(layouts, domain)
    all_dense = layouts.dp * layouts.cp
    stride = np.where(layouts.ep > 1, layouts.ep * layouts.etp, layouts.tp)
    all_experts = np.where(layouts.ep > 1, np.maximum(all_dense * layouts.tp / stride, 1.0), all_dense)
    return DataGroups(
        group(dense, layouts.tp, domain),
        group(experts, stride, domain),
        group(np.maximum(all_dense / dense, 1.0), layouts.tp * dense, domain),
        group(np.maximum(all_experts / experts, 1.0), stride * experts, domain),
    )
