"""What a layout sends per optimizer step: bytes into each GPU and into each scale-up domain, by kind.

Exact volumes of the algorithms in ``collectives`` (flat ring: (N−1)/N of the tensor per pass), no times.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from .collectives import Group, group
from .dispatch import element_bytes, routing_of
from .job import DDP, FSDP, HSDP, ZERO2, Job
from .layout import Layouts
from .machine import Machine
from .memory import share_of, trained_share
from .overlap import data_groups


@dataclass(frozen=True)
class Traffic:
    """Per optimizer step, shape (L,): bytes into a GPU, bytes into a domain over the network, number of collectives."""

    per_gpu: dict[str, np.ndarray]
    into_domain: dict[str, np.ndarray]
    collectives: np.ndarray


def _ring(bytes_: np.ndarray, ranks: Group, domain: int) -> tuple[np.ndarray, np.ndarray]:
    """(into a GPU, into a domain) for one pass: every group in a domain has one link into it."""
    volume = bytes_ * (ranks.size - 1.0) / ranks.size
    return volume, np.where(ranks.domains > 1, volume * domain / ranks.local, 0.0)


def traffic_of(job: Job, machine: Machine, layouts: Layouts) -> Traffic:
    """Volumes by kind (tp, cp, ep, pp, dp)."""
    parts = {
        "tp": _tensor(job, machine, layouts),
        "cp": _context(job, machine, layouts),
        "ep": _expert(job, machine, layouts),
        "pp": _pipeline(job, machine, layouts),
        "dp": _data(job, machine, layouts),
    }
    into_gpu, into_domain = ({kind: part[i] for kind, part in parts.items()} for i in (0, 1))
    return Traffic(into_gpu, into_domain, reduce(np.add, (part[2] for part in parts.values())))


def _per_step(job: Job, layouts: Layouts) -> np.ndarray:
    """Layer executions of one GPU per optimizer step and direction."""
    return layouts.micro_batches * job.architecture.layers / layouts.pp


def _activation(job: Job, layouts: Layouts) -> np.ndarray:
    return layouts.micro_batch * job.sequence_length / layouts.cp * job.architecture.hidden * job.activation_bytes


def _tensor(job: Job, machine: Machine, layouts: Layouts):
    """Two all-reduces (two passes each) per layer and direction, the forward ones again with full recompute."""
    runs = _per_step(job, layouts) * (2.0 + (layouts.recompute == 2) * layouts.recomputed) * 2.0 * (layouts.tp > 1)
    gpu, domain = _ring(
        _activation(job, layouts), group(layouts.tp, np.ones_like(layouts.tp), machine.domain), machine.domain
    )
    return 2.0 * runs * gpu, 2.0 * runs * domain, runs


def _context(job: Job, machine: Machine, layouts: Layouts):
    a = job.architecture
    bytes_ = (
        layouts.micro_batch
        * job.sequence_length
        * a.kv_width
        / np.minimum(layouts.tp, a.kv_heads)
        * job.activation_bytes
    )
    runs = _per_step(job, layouts) * 3.0 * (layouts.cp > 1)
    gpu, domain = _ring(bytes_, group(layouts.cp, layouts.tp, machine.domain), machine.domain)
    return runs * gpu, runs * domain, runs * (layouts.cp - 1.0)


def _expert(job: Job, machine: Machine, layouts: Layouts):
    """Dispatch and combine forward and backward; what crosses is each copy, or one for each domain (DeepEP)."""
    a = job.architecture
    if not a.moe_layers:
        return (np.zeros_like(layouts.pp),) * 3
    tokens = layouts.micro_batch * job.sequence_length / layouts.cp / layouts.tp
    elements = element_bytes(job, combine=False) + element_bytes(job, combine=True)
    calls = _per_step(job, layouts) * (a.moe_layers / a.layers) * 2.0 * (layouts.ep > 1)
    ranks = group(layouts.ep, layouts.etp, machine.domain)
    routing = routing_of(job, machine.framework(job.framework), ranks)
    both, crossing = calls * tokens * a.dispatched_width * elements, routing.crossing(ranks)
    copies = np.maximum(a.experts_per_token * (ranks.size - 1.0) / ranks.size, crossing)
    if routing.once:
        copies = np.maximum(routing.reached(ranks)[1] * (ranks.size - 1.0) / ranks.size, crossing)
    return both * copies, np.where(ranks.domains > 1, both * crossing * machine.domain, 0.0), 2.0 * calls


def _pipeline(job: Job, machine: Machine, layouts: Layouts):
    """Each tensor-parallel rank sends its share and the receiving node gathers it (2104.04473 section 4.1)."""
    runs = 2.0 * layouts.micro_batches * layouts.interleave * (layouts.pp > 1)
    stage = layouts.tp * layouts.cp * layouts.dp
    crosses = (stage * layouts.pp > machine.domain) & (machine.domains > 1)
    gpu = runs * _activation(job, layouts) / layouts.tp
    # Only the ranks of the stages at a domain's edge send across it.
    return gpu, np.where(crosses, gpu * np.minimum(stage, machine.domain), 0.0), runs


def _data(job: Job, machine: Machine, layouts: Layouts):
    """DDP: two passes per step. ZeRO-1/2: scatter and gather. FSDP: two gathers and a scatter per micro-batch."""
    share, groups = share_of(job, layouts), data_groups(layouts, machine.domain)
    fully = (layouts.strategy == FSDP) | (layouts.strategy == HSDP)
    m = layouts.micro_batches
    weights = np.where(fully, 2.0 * m, np.where(layouts.strategy == DDP, 0.0, 1.0))
    gradients = np.where(
        fully, m, np.where(layouts.strategy == DDP, 2.0, np.where(layouts.strategy == ZERO2, layouts.rounds, 1.0))
    )
    per_gpu, per_domain = np.zeros_like(m), np.zeros_like(m)
    trained = trained_share(job, share)
    for params, own, ranks, replicas in (
        (share.dense, trained.dense, groups.dense, groups.dense_replicas),
        (share.experts, trained.experts, groups.experts, groups.expert_replicas),
    ):
        bytes_ = params * (weights * job.weight_bytes + gradients * job.gradient_bytes)
        if job.adapters is not None:
            gathered = np.where(fully, params * job.adapters.moved_bytes(job.weight_bytes), own * job.weight_bytes)
            bytes_ = weights * gathered + gradients * own * job.gradient_bytes
        for amount, members in ((bytes_, ranks), (2.0 * own * job.gradient_bytes / ranks.size, replicas)):
            gpu, domain = _ring(amount, members, machine.domain)
            per_gpu, per_domain = per_gpu + gpu, per_domain + domain
    count = np.where(fully, 3.0 * m * share.layers, 2.0) * (layouts.dp * layouts.cp > 1)
    return per_gpu, per_domain, count
