"""What is kept of a forward pass until its backward pass, by layer, micro-batch and pipeline stage.

Sources: Korthikanti et al. (2205.05198), Narayanan et al. (2104.04473), Megatron-Core's
``pipeline_parallel/schedules.py``. What a training stack keeps besides stands in ``HABITS``. Columns of layouts, shape
(L,).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from .architecture import Architecture
from .job import RECOMPUTE, Job
from .layout import Layouts
from .mixtures import gathered_inputs, lightly_kept, recomputes_lightly

_FULL, _SELECTIVE = RECOMPUTE.index("full"), RECOMPUTE.index("selective")


@dataclass(frozen=True)
class Habits:
    """What a training stack keeps in memory beyond what the job itself asks for.

    ``gate``: MLP-wide tensors kept by a gated MLP: gate, up and their product where one kernel computes it, and the
    gate's activation too where PyTorch does. ``rotated``: queries and keys are kept after rotation, beside the merged
    projection that the values are a view of. ``gathered``: products keep inputs gathered over the tensor-parallel
    ranks. ``logits``: bytes per logit at the peak of the loss, whose vocabulary tensor parallelism splits where
    ``splits_loss``. ``weighs_wide``: what experts that are multiplied at once give is weighed in FP32.
    ``half_gradients``: bytes of a 16-bit gradient kept beside the accumulated one. ``weighs_head``:
    pipeline stages get layers by parameters, the head counted like layers.
    """

    gate: float = 4.0
    rotated: bool = False
    gathered: bool = False
    logits: float = 12.0
    splits_loss: bool = True
    weighs_wide: bool = False
    half_gradients: float = 0.0
    weighs_head: bool = False


# Logits: 12 are the BF16 logits, their FP32 copy, its softmax and the BF16 gradient, each a tensor of eager PyTorch:
# the Ultrascale rows for calibration give 11.5 when it is left free, and Kempner's show all of it on every
# tensor-parallel rank. 6 are BF16 logits and one FP32 copy changed in place (Megatron-Core
# ``tensor_parallel/cross_entropy.py``). A stack that nobody named has the kernels of a tuned one and the loss of an
# eager one.
FUSED_LOSS = 4.0  # BF16 logits and their gradient: FlashAttention's fused loss, llm-foundry's
HABITS = {
    "megatron": Habits(gate=3.0, logits=6.0),
    "jax": Habits(gate=3.0, logits=6.0),
    "fsdp": Habits(splits_loss=False, weighs_wide=True),
    "deepspeed": Habits(logits=6.0),
    "unknown": Habits(gate=3.0),
    "other": Habits(rotated=True, gathered=True, half_gradients=2.0, weighs_head=True),  # nanotron
}


def activation_bytes_per_layer(job: Job, layouts: Layouts, habits: Habits = Habits()) -> tuple[np.ndarray, np.ndarray]:
    """Bytes one micro-batch keeps per layer until its backward pass: (everything, only the layer's input).

    2205.05198 eq. 2 and 4 tensor by tensor: inputs and outputs of both norms, what attention and the MLP's products are
    computed from; dropout masks only with biases (models that have none drop nothing out); scores (5·heads·s) only
    where attention is unfused. Outputs of the norms are split by sequence parallelism unless the stack keeps them
    gathered.
    """
    a, e = job.architecture, float(job.activation_bytes)
    tokens = _tokens(job, layouts)
    spread = np.where(layouts.sequence_parallel > 0, layouts.tp, 1.0)
    whole = (2.0 * e + (2.0 if a.biases else 0.0)) * a.hidden / spread
    inputs = 2.0  # of attention's first products and of the MLP's
    width = _attention_width(a, habits) + _mlp_width(a, habits) * _tile(job, tokens) + _weighed(job, habits)
    if job.adapters is not None:
        inputs = 2.0 if job.adapters.beside_mlp() else 1.0
        width += job.adapters.inner_width(a) - (0.0 if job.adapters.beside_mlp() else _last_inputs(a))
    whole = whole + inputs * e * a.hidden / (1.0 if habits.gathered else spread)
    split = e * width / layouts.tp
    scores = (2.0 * e + 1.0) * a.heads * job.sequence_length / layouts.tp if job.attention == "unfused" else 0.0
    scores = np.where(layouts.recompute == _SELECTIVE, 0.0, scores)
    kept = tokens * (whole + split + scores + 2.0 * e * gathered_inputs(job, layouts))
    if recomputes_lightly(job):
        kept = np.where(layouts.recompute == _SELECTIVE, np.minimum(lightly_kept(job, layouts), kept), kept)
    return kept, tokens * e * a.hidden / spread


def _tile(job: Job, tokens: np.ndarray) -> np.ndarray | float:
    """Share of the MLP's inner tensors that is there at once."""
    return np.minimum(1.0, job.architecture.hidden / tokens) if job.saves("tiled-mlp") else 1.0


def _tokens(job: Job, layouts: Layouts) -> np.ndarray:
    """Tokens of a micro-batch on one GPU, the longest sequence by itself where that is more."""
    return np.maximum(layouts.micro_batch * job.sequence_length, job.longest_sequence or 0) / layouts.cp


def _attention_width(a: Architecture, habits: Habits) -> float:
    """Elements per token that attention keeps: queries, keys, values and its output; latent attention its factors
    too."""
    if a.latent is not None:
        wide = 2 * (a.latent.nope + a.latent.rope) + 2 * a.latent.value
        return float(a.latent.q_rank + a.latent.kv_rank + a.latent.rope + a.heads * wide)
    rotated = (
        a.query_width + a.kv_width / 2 if habits.rotated and a.gated else 0.0
    )  # models without a gate do not rotate
    normalised = a.query_width + a.kv_width / 2 if a.qk_norm else 0.0  # what the norms of queries and keys take in
    return 2.0 * a.query_width + a.kv_width + rotated + normalised


def _mlp_width(a: Architecture, habits: Habits) -> float:
    """Elements per token the average layer's MLP keeps; routed tokens once per expert with their input and output."""
    kept = habits.gate if a.gated else 2.0
    inside = a.experts_per_token * a.expert_ffn + a.shared_width
    routed = inside * kept + 2.0 * a.experts_per_token * a.dispatched_width
    return (a.plain_layers * kept * a.ffn + a.moe_layers * routed) / a.layers


def _weighed(job: Job, habits: Habits) -> float:
    """Elements per token of the average layer that weighing what experts give keeps: where eager code does it in FP32
    (torchtitan 0.2.0's ``moe.py``) twice the bytes of a copy in the precision of the activations, which is counted."""
    a = job.architecture
    wide = habits.weighs_wide and not job.expert_loop
    return a.moe_layers / a.layers * a.experts_per_token * a.dispatched_width if wide and a.experts else 0.0


def _mlp_gradients(a: Architecture) -> float:
    """Elements per token of the gradients of an MLP's inner tensors, which are there at once in its backward pass. With
    all weights trained they are small beside the gradients of these."""
    inner = a.plain_layers * a.ffn + a.moe_layers * (a.experts_per_token * a.expert_ffn + a.shared_width)
    return (3.0 if a.gated else 2.0) * inner / a.layers


def _last_inputs(a: Architecture) -> float:
    """Elements per token of the inputs of the MLP's last products alone: a frozen product with no adapter beside it
    needs none of its inputs for the backward pass, the activation before it needs what it was computed from."""
    routed = a.experts_per_token * (a.expert_ffn + a.dispatched_width) + a.shared_width
    return (a.plain_layers * a.ffn + a.moe_layers * routed) / a.layers


def in_flight(layouts: Layouts, ranks: Sequence[np.ndarray | float]) -> list[np.ndarray]:
    """Micro-batches whose activations the stages of some ranks hold, counted in passes through all chunks of a stage.

    Without interleaving one more than the stages behind (2104.04473); with v chunks a rank starts with
    ``2·(pp − rank − 1) + (v − 1)·pp`` chunks and then one more each time it takes one back
    (Megatron-Core ``get_pp_rank_microbatches``). Never more than there are.
    """
    pp, v = layouts.pp, layouts.interleave
    first: np.ndarray = pp
    less: np.ndarray | float = 1.0  # from one rank to the next
    if v.max() > 1:
        first, less = pp + np.where(v > 1, (pp - 1.0) / v, 0.0), np.where(v > 1, 2.0 / v, 1.0)
    return [np.minimum(layouts.micro_batches, first - rank * less) for rank in ranks]


def activations(job: Job, layouts: Layouts, habits: Habits) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bytes per layer and micro-batch in flight, of the layer being recomputed, and of the logits at the loss."""
    full, inputs = activation_bytes_per_layer(job, layouts, habits)
    everything = layouts.recompute == _FULL
    tokens = _tokens(job, layouts)
    each = FUSED_LOSS if job.fused_loss else habits.logits
    logits = tokens * job.architecture.vocab * (each if job.loss_bytes is None else job.loss_bytes)
    if habits.splits_loss or job.fused_loss:
        logits = logits / layouts.tp
    if job.saves("chunked-loss"):  # a chunk's logits beside the gradient of all that the head takes in
        taken_in = tokens * job.architecture.hidden
        logits = np.minimum(logits, taken_in * (each + job.activation_bytes))
    part, work = layouts.recomputed, np.where(everything, full, 0.0)
    inner = job.activation_bytes * _mlp_gradients(job.architecture) if job.adapters is not None else 0.0
    # backward, the FP32 gradient, its product with the weights, and that with what was weighed
    passing = max(inner, 3.0 * 4.0 * _weighed(job, habits))
    if passing:
        work = work + tokens * passing / layouts.tp
    if job.saves("offload"):  # of a layer on its way out or in and of the one at work
        work, inputs = work + np.where(everything, 2.0 * inputs, 0.0), 0.0
    return np.where(everything, part * inputs + (1.0 - part) * full, full), work, logits
