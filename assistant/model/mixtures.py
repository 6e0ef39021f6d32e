"""What a mixture of experts hides, recomputes and keeps: batch overlap, two-way pipelines, norms and up-projections.

Columns of layouts or slices, (L,) or (C,).
"""

from __future__ import annotations

import numpy as np

from .architecture import BYTES
from .dispatch import dispatch_from, hidden_share
from .job import DUALPIPE, NO_OVERLAP, Job
from .layout import Layouts
from .machine import Machine


def recomputes_lightly(job: Job) -> bool:
    """Whether selective recompute means norms, the up-projections of latent attention and the MLP's activation, as
    Meta (only outputs of products are kept, 2302.13971, 2.4), DeepSeek-V3 (2412.19437, 3.2.3), Megatron's
    ``--recompute-modules`` and torchtitan have it: flash attention keeps no scores that could be recomputed."""
    return job.attention != "unfused" and job.adapters is None


def lightly_kept(job: Job, layouts: Layouts) -> np.ndarray:
    """Bytes that one micro-batch keeps per layer when :func:`recomputes_lightly`, (L,).

    Kept are what the recomputed parts start from: the residual stream before both norms, latent attention's factors
    (else queries, keys and values), attention's output, and of the MLP or each expert (with its tokens) the two inner
    tensors, which mixtures in FP8 keep as products take them in, in one byte (2412.19437, 3.3.3).
    """
    a, e = job.architecture, float(job.activation_bytes)
    operand = max(1.0, BYTES[job.precision]) if job.narrow and a.moe_layers else e
    tokens = layouts.micro_batch * job.sequence_length / layouts.cp
    stream = 2.0 * e * a.hidden / np.where(layouts.sequence_parallel > 0, layouts.tp, 1.0)
    attention = e * (2.0 * a.query_width + a.kv_width)
    if a.latent is not None:
        factors = a.latent.q_rank + a.latent.kv_rank + a.latent.rope
        attention = e * factors + e * a.heads * a.latent.value
    halves = 2.0 if a.gated else 1.0
    inside = a.experts_per_token * a.expert_ffn + a.shared_width
    routed = a.experts_per_token * a.dispatched_width + inside * halves
    inner = (a.moe_layers * routed + a.plain_layers * halves * a.ffn) / a.layers
    return tokens * (stream + (attention + operand * inner) / layouts.tp + operand * gathered_inputs(job, layouts))


def gathered_inputs(job: Job, layouts: Layouts) -> np.ndarray:
    """Elements per token and layer of other ranks' copies that ranks sharing an expert take in beside their own."""
    a = job.architecture
    if not a.moe_layers or layouts.etp.max() == 1:
        return np.zeros(len(layouts.pp))
    others = np.where(layouts.ep > 1, (layouts.etp - 1.0) / layouts.tp, 0.0)
    return others * a.experts_per_token * a.dispatched_width * a.moe_layers / a.layers


def overlaps_experts(job: Job) -> bool:
    """Whether dispatch and combine run beside the compute of another micro-batch."""
    return bool(job.architecture.moe_layers) and job.expert_overlap not in (None, NO_OVERLAP)


def two_way(job: Job, layouts: Layouts) -> np.ndarray:
    """Whose pipeline is fed from both ends (DualPipe): an even number of stages, each with at least two micro-batches;
    others hide what they hide in one that is fed from one end."""
    if not bool(job.architecture.moe_layers) or job.expert_overlap != DUALPIPE:
        return np.zeros(len(layouts.pp), dtype=bool)
    even = (layouts.pp > 1) & (np.mod(layouts.pp, 2.0) == 0)
    return even & (layouts.interleave == 1) & (layouts.micro_batches >= 2.0 * layouts.pp)


def exposed_experts(job: Job, machine: Machine, communication: np.ndarray, compute: np.ndarray) -> np.ndarray:
    """Seconds per layer and micro-batch that stay of the experts' ``communication`` beside ``compute`` of another
    micro-batch, forward and backward together."""
    if not overlaps_experts(job):
        return communication
    share = hidden_share(job, dispatch_from(machine.constants), machine.compute_units)
    return communication - share * np.minimum(communication, compute)
