"""Bytes on the fullest GPU: weights, gradients, optimizer, activations, gathered parameters, buffers.

Sources: activations Korthikanti et al. (2205.05198), sharded states ZeRO (1910.02054), one-forward-one-backward
pipelines Narayanan et al. (2104.04473). Columns of layouts, shape (L,).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .framework import Framework
from .job import DDP, FSDP, HSDP, RECOMPUTE, ZERO1, ZERO2, Job
from .layout import Layouts
from .machine import Machine

CONTEXT = 1.5e9  # CUDA context, NCCL channels and library workspaces of one process
FRAGMENTATION = 0.05  # share of the allocated memory that the caching allocator cannot give out
_FULL, _SELECTIVE = RECOMPUTE.index("full"), RECOMPUTE.index("selective")


@dataclass(frozen=True)
class Memory:
    """Bytes per GPU, shape (L,) each."""

    weights: np.ndarray
    gradients: np.ndarray
    optimizer: np.ndarray
    activations: np.ndarray
    gathered: np.ndarray
    buffers: np.ndarray

    @property
    def total(self) -> np.ndarray:
        """All parts with the fragmentation margin, as the driver sees it."""
        used = self.weights + self.gradients + self.optimizer + self.activations + self.gathered
        return used * (1.0 + FRAGMENTATION) + self.buffers


@dataclass(frozen=True)
class Share:
    """Parameters one GPU is responsible for before any sharding over data parallel ranks, shape (L,)."""

    dense: np.ndarray  # attention, norms, dense MLP, embeddings
    experts: np.ndarray
    layers: np.ndarray  # layers of the fullest stage
    layer_dense: np.ndarray
    layer_experts: np.ndarray
    outer: np.ndarray  # embeddings and head on this stage


def share_of(job: Job, layouts: Layouts) -> Share:
    """Parameters per GPU of the fullest stage: tp splits all but the norms, pp the layers, ep the routed experts."""
    a = job.architecture
    layers = np.ceil(a.layers / layouts.pp)
    layer_dense = a.shared_layer_params / layouts.tp
    layer_experts = a.expert_layer_params / np.where(layouts.ep > 1, layouts.ep, layouts.tp)
    outer = np.where(layouts.pp > 1, a.embedding_params, a.outer_params) / layouts.tp
    return Share(layers * layer_dense + outer, layers * layer_experts, layers, layer_dense, layer_experts, outer)


def shard_sizes(layouts: Layouts, domain: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranks that share one copy of the sharded state: (for dense parameters, for experts).

    All data-parallel ranks, or for HSDP and ``shard_within_node`` those inside one scale-up domain.
    """
    dense = layouts.dp * layouts.cp
    experts = np.where(layouts.ep > 1, np.maximum(dense * layouts.tp / layouts.ep, 1.0), dense)
    inside = (layouts.strategy == HSDP) | (layouts.shard_within_node > 0)
    room = np.maximum(np.floor(domain / layouts.tp), 1.0)
    expert_room = np.where(layouts.ep > 1, np.maximum(np.floor(domain / layouts.ep), 1.0), room)
    return np.where(inside, np.minimum(dense, room), dense), np.where(inside, np.minimum(experts, expert_room), experts)


def activation_bytes_per_layer(job: Job, layouts: Layouts) -> tuple[np.ndarray, np.ndarray]:
    """Bytes one micro-batch keeps per layer until its backward pass: (everything, only the layer's input).

    2205.05198 eq. 2 and 4 for GPT with dropout (10 + 24/t bytes per token and hidden unit), carried over to grouped
    queries, gated and expert MLPs; scores (5·heads·s) only where attention is unfused.
    """
    a, e = job.architecture, float(job.activation_bytes)
    tokens = layouts.micro_batch * job.sequence_length / layouts.cp
    spread = np.where(layouts.sequence_parallel > 0, layouts.tp, 1.0)
    whole = (4.0 * e + (2.0 if a.biases else 0.0)) * a.hidden / spread
    widths = a.query_width + a.kv_width + a.score_width + _mlp_width(a)
    split = e * widths / layouts.tp
    scores = (2.0 * e + 1.0) * a.heads * job.sequence_length / layouts.tp if job.attention == "unfused" else 0.0
    scores = np.where(layouts.recompute == _SELECTIVE, 0.0, scores)
    return tokens * (whole + split + scores), tokens * e * a.hidden / spread


def _mlp_width(a) -> float:
    """Elements per token the average layer's MLP keeps: gate, up and their product; routed tokens once per expert."""
    kept = 3.0 if a.gated else 2.0
    routed = (a.experts_per_token + a.shared_experts) * kept * a.expert_ffn + 2.0 * a.experts_per_token * a.hidden
    return (a.plain_layers * kept * a.ffn + a.moe_layers * routed) / a.layers


def activations(job: Job, layouts: Layouts) -> np.ndarray:
    """Bytes of activations on the fullest stage: the first holds up to pp micro-batches, the last one and its logits."""
    full, inputs = activation_bytes_per_layer(job, layouts)
    everything = layouts.recompute == _FULL
    kept = np.where(everything, inputs, full)
    layers = np.ceil(job.architecture.layers / layouts.pp)
    extra = np.where(layouts.interleave > 1, 1.0 + (layouts.pp - 1.0) / (layouts.pp * layouts.interleave), 1.0)
    in_flight = np.minimum(layouts.micro_batches, layouts.pp) * extra
    tokens = layouts.micro_batch * job.sequence_length / layouts.cp
    logits = tokens * job.architecture.vocab / layouts.tp * 8.0  # FP32 logits and their gradient
    first = kept * layers * in_flight + np.where(layouts.pp > 1, 0.0, logits)
    return np.maximum(first, kept * layers + logits) + np.where(everything, full, 0.0)


def memory_of(job: Job, machine: Machine, framework: Framework, layouts: Layouts) -> Memory:
    """Bytes per GPU by kind. Mixed precision keeps FP32 master weights and two Adam moments: 12 bytes per parameter."""
    share, (dense, experts) = share_of(job, layouts), shard_sizes(layouts, machine.domain)
    own = share.dense + share.experts
    sharded = share.dense / dense + share.experts / experts
    strategy = layouts.strategy
    fully = (strategy == FSDP) | (strategy == HSDP)
    weight = float(job.weight_bytes)
    gradient = 4.0 if job.precision == "fp32" else framework.gradient_memory
    states = 8.0 if job.precision == "fp32" else 12.0
    has_shards = fully | (strategy == ZERO1) | (strategy == ZERO2)
    unit = 2.0 * (share.layer_dense + share.layer_experts) + share.outer
    gathered = np.where(fully & (dense > 1), unit * weight + (share.layer_dense + share.layer_experts) * gradient, 0.0)
    return Memory(
        weights=np.where(fully, 0.0 if job.precision != "fp32" else sharded * weight, own * weight),
        gradients=np.where(fully | (strategy == ZERO2), sharded, own) * gradient,
        optimizer=np.where(has_shards, sharded, own) * states,
        activations=activations(job, layouts), gathered=gathered,
        buffers=np.full_like(own, CONTEXT) + np.where(strategy == DDP, 0.0, 0.2e9))
