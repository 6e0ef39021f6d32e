"""Which communication hides behind which compute, per strategy. All times in seconds, (F, L) over networks and layouts.

Exposed time is what remains after the compute it can run behind: ``communication − share·min(communication, window)``;
``share`` is below one because kernels that run beside a collective lose units and memory bandwidth to it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .collectives import Group, Wires, all_gather, all_reduce, all_to_all, group, reduce_scatter
from .framework import Framework
from .job import ASYNC, DDP, FSDP, HSDP, ZERO1, ZERO2, Job
from .layout import Layouts
from .memory import Share, shard_sizes

Times = np.ndarray


def exposed(communication: Times, window: Times, share: float) -> Times:
    """What of ``communication`` is left when ``share`` of the part that fits into ``window`` hides."""
    return communication - share * np.minimum(communication, window)


@dataclass(frozen=True)
class LayerCommunication:
    """Exposed seconds per layer and micro-batch, forward and backward."""

    forward: Times
    backward: Times


ZERO = LayerCommunication(np.zeros(1), np.zeros(1))


def tensor_parallel(job: Job, wires: Wires, framework: Framework, layouts: Layouts, forward: Times) -> LayerCommunication:
    """Two all-reduces of the activations per layer and direction (Megatron, 1909.08053), or as many bytes as
    all-gather and reduce-scatter with sequence parallel. They are on the critical path but for what the framework
    runs beside the products of the same layer.
    """
    if not (layouts.tp > 1).any():
        return ZERO
    bytes_ = layouts.micro_batch * job.sequence_length / layouts.cp * job.architecture.hidden * job.activation_bytes
    ranks = group(layouts.tp, np.ones_like(layouts.tp), wires.machine.domain)
    one = np.where(layouts.sequence_parallel > 0, all_gather(wires, bytes_, ranks) + reduce_scatter(wires, bytes_, ranks),
                   all_reduce(wires, bytes_, ranks))
    both = np.where(layouts.tp > 1, 2.0 * one, 0.0)
    return LayerCommunication(exposed(both, forward, framework.tp_overlap), exposed(both, 2.0 * forward, framework.tp_overlap))


def context_parallel(job: Job, wires: Wires, framework: Framework, layouts: Layouts, attention: Times) -> LayerCommunication:
    """Keys and values travel round the ring of cp ranks behind attention (Ring Attention, 2310.01889); backward both ways."""
    if not (layouts.cp > 1).any():
        return ZERO
    a = job.architecture
    tokens = layouts.micro_batch * job.sequence_length
    bytes_ = tokens * a.kv_width / np.minimum(layouts.tp, a.kv_heads) * job.activation_bytes
    ring = np.where(layouts.cp > 1, all_gather(wires, bytes_, group(layouts.cp, layouts.tp, wires.machine.domain)), 0.0)
    return LayerCommunication(exposed(ring, attention, framework.overlap),
                              exposed(2.0 * ring, 2.5 * attention, framework.overlap))


def expert_parallel(job: Job, wires: Wires, framework: Framework, layouts: Layouts) -> LayerCommunication:
    """Tokens travel to their experts and back: two all-to-alls per mixture layer and direction, exposed.

    Where the framework sends a token to each domain once (DeepEP) and copies it inside, fewer bytes cross the network.
    """
    a = job.architecture
    if not a.moe_layers or not (layouts.ep > 1).any():
        return ZERO
    tokens = layouts.micro_batch * job.sequence_length / layouts.cp / layouts.tp
    bytes_ = tokens * a.experts_per_token * a.hidden * job.activation_bytes
    ranks = group(layouts.ep, np.ones_like(layouts.ep), wires.machine.domain)
    once = visited_share(ranks.domains, a.experts_per_token) if framework.dispatch_once else 1.0
    both = np.where(layouts.ep > 1, 2.0 * all_to_all(wires, bytes_, ranks, once), 0.0) * (a.moe_layers / a.layers)
    return LayerCommunication(both, both)


def visited_share(domains: np.ndarray, copies: int) -> np.ndarray:
    """Expected domains a token visits ÷ its copies, when ``copies`` experts are spread evenly over ``domains``."""
    return domains * (1.0 - (1.0 - 1.0 / domains) ** copies) / copies


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
    stride = np.where(layouts.ep > 1, layouts.ep, layouts.tp)
    all_experts = np.where(layouts.ep > 1, np.maximum(all_dense * layouts.tp / layouts.ep, 1.0), all_dense)
    return DataGroups(group(dense, layouts.tp, domain), group(experts, stride, domain),
                      group(np.maximum(all_dense / dense, 1.0), layouts.tp * dense, domain),
                      group(np.maximum(all_experts / experts, 1.0), stride * experts, domain))


def fully_sharded(job: Job, wires: Wires, framework: Framework, layouts: Layouts, share: Share, groups: DataGroups,
                  forward: Times, backward: Times) -> tuple[LayerCommunication, Times]:
    """FSDP and ZeRO-3: each layer is gathered before forward and again before backward, its gradient scattered after.

    A layer's collectives run behind the neighbour layer's compute (prefetch). Returns the exposed seconds per layer and
    those per micro-batch of the unit that nothing precedes (embeddings and head, 2304.11277 section 4).
    """
    weight, gradient = float(job.weight_bytes), job.gradient_bytes
    gather = all_gather(wires, share.layer_dense * weight, groups.dense)
    scatter = reduce_scatter(wires, share.layer_dense * gradient, groups.dense)
    if job.architecture.moe_layers:
        gather = gather + all_gather(wires, share.layer_experts * weight, groups.experts)
        scatter = scatter + reduce_scatter(wires, share.layer_experts * gradient, groups.experts)
    outer = all_gather(wires, share.outer * weight, groups.dense) + reduce_scatter(wires, share.outer * gradient, groups.dense)
    used = np.where((layouts.strategy == FSDP) | (layouts.strategy == HSDP), 1.0, 0.0)
    layer = LayerCommunication(used * exposed(gather, forward, framework.overlap),
                               used * exposed(gather + scatter, backward, framework.overlap))
    return layer, used * outer


def replicated(job: Job, wires: Wires, framework: Framework, layouts: Layouts, share: Share, groups: DataGroups,
               forward: Times, backward: Times) -> Times:
    """Exposed seconds per optimizer step of gradient exchange where weights are not sharded, and of HSDP's replicas.

    DDP: one all-reduce of the stage's gradients behind the last micro-batch's ``backward``. ZeRO-1: reduce-scatter
    there, all-gather of the new weights behind the next ``forward``. ZeRO-2 scatters after every micro-batch.
    ``async`` hides behind the whole step.
    """
    overlap = framework.gradient_overlap if job.gradient_overlap is None else job.gradient_overlap
    hidden = framework.overlap if overlap else 0.0
    kinds = [(share.dense, groups.dense, groups.dense_replicas)]
    if job.architecture.moe_layers:
        kinds.append((share.experts, groups.experts, groups.expert_replicas))
    total = 0.0
    for params, ranks, replicas in kinds:
        total = total + _exchange(job, wires, layouts, params, ranks, replicas, forward, backward, hidden)
    return total


def _exchange(job: Job, wires: Wires, layouts: Layouts, params: Times, ranks: Group, replicas: Group,
              forward: Times, backward: Times, hidden: float) -> Times:
    s, gradient = layouts.strategy, params * job.gradient_bytes
    time = 0.0
    if ((s == DDP) | (s == ASYNC)).any():
        reduce = all_reduce(wires, gradient, ranks)
        window = np.where(s == ASYNC, layouts.micro_batches * (forward + backward), backward)
        time = time + np.where((s == DDP) | (s == ASYNC), exposed(reduce, window, hidden), 0.0)
    if ((s == ZERO1) | (s == ZERO2)).any():
        scatter = reduce_scatter(wires, gradient, ranks)
        gather = exposed(all_gather(wires, params * job.weight_bytes, ranks), forward, hidden)
        times = np.where(s == ZERO2, layouts.micro_batches, 1.0)
        time = time + np.where((s == ZERO1) | (s == ZERO2), times * exposed(scatter, backward, hidden) + gather, 0.0)
    apart = replicas.size > 1
    if apart.any():
        reduce = all_reduce(wires, gradient / ranks.size, replicas)
        time = time + np.where(apart, exposed(reduce, backward, hidden), 0.0)
    return time
