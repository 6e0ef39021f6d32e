"""Time of one layer on one GPU: matrix multiplications, attention, element-wise traffic, launches.

Every function takes columns of slices, shape (C,), and returns seconds of the same shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .architecture import Architecture
from .framework import Framework
from .job import Job
from .layout import Slices
from .machine import Machine

TILE = 128.0  # rows and columns of the output tile of a tensor-core kernel (CUTLASS default 128×128 and 128×256)
FLASH_BACKWARD = 2.5  # flash attention's backward recomputes the scores: five products instead of two (2205.14135)

# Fitted together with the GPU families, on calibration rows of vTrain and llm-foundry on A100 unless said otherwise.
FP8_EFFICIENCY = 0.95  # of their doubled peak, FP8 matrices against BF16 ones: dgxc, NeMo and Megatron-Bridge on H100
BACKWARD_LAUNCH = 0.82  # host time to launch a layer's backward pass against its forward pass
TP_LAUNCH = 0.041  # extra host time per layer and tensor-parallel peer: collectives, and hosts that wait for each other
UNFUSED_SOFTMAX = 0.29  # extra host time per layer when Megatron's fused softmax kernel cannot be used
KNEE = 3.0  # how sharply a layer turns from launch-bound to GPU-bound
SCORE_PASSES = 4.8  # times the score matrix is written or read forward when attention is not fused
LOSS_TRAFFIC = 57.0  # bytes per logit of softmax, loss and their gradient
ELEMENTWISE = 1.0  # measured ÷ counted traffic of norms, residuals and activations
GROUPED = 1.5  # time of products grouped by expert against one dense product of the same FLOPs: dgxc Grok-1, DeepSeek-V3
PERMUTE_PASSES = 8.0  # times a mixture layer reads or writes each token's copies: sort, scatter, gather, weighted sum

# Not fitted: tensor cores need rows of 16 bytes, other products fall back (BigScience's heads of 108 and 52 show it).
MISALIGNED = 3.0


@dataclass(frozen=True)
class LayerTimes:
    """Seconds on one GPU for one micro-batch, shape (C,) each: the average layer, and the head with its loss.

    ``forward`` and ``backward`` are the GPU's work; a layer takes at least ``forward_floor`` and ``backward_floor``, the
    host's time to launch its kernels, whatever else the GPU does meanwhile.
    """

    forward: np.ndarray
    backward: np.ndarray
    forward_floor: np.ndarray
    backward_floor: np.ndarray
    attention: np.ndarray  # the part selective recompute repeats
    head_forward: np.ndarray
    head_backward: np.ndarray


@dataclass(frozen=True)
class Kernels:
    """What the GPU delivers for this precision, in FLOP/s and bytes/s."""

    matrix_rate: float
    head_rate: float
    attention_rate: float
    memory_rate: float
    tail: float  # multiply-add columns (m·n) of half a wave of tiles
    element: int  # bytes


def kernels_of(machine: Machine, job: Job) -> Kernels:
    """Rates of the GPU family's calibrated kernels in the job's precision."""
    wide = "bf16" if job.precision == "fp8" else job.precision
    fp8 = job.precision == "fp8"
    matrix = machine.peak[job.precision] * machine.gemm_efficiency * (FP8_EFFICIENCY if fp8 else 1.0)
    return Kernels(
        matrix_rate=matrix, head_rate=machine.peak[wide] * machine.gemm_efficiency,
        attention_rate=machine.peak[wide] * machine.attention_efficiency,
        memory_rate=machine.memory_bandwidth * machine.memory_efficiency,
        tail=0.5 * machine.compute_units * TILE * TILE, element=job.activation_bytes)


def gemm_time(m: np.ndarray, k: np.ndarray, n: np.ndarray, batch: np.ndarray | float, rate: float,
              kernels: Kernels) -> np.ndarray:
    """Seconds of ``batch`` products (m,k)·(k,n).

    Output tiles are whole (tile quantisation), the last wave of tiles is half full on average, and a thin product is
    bound by reading its operands: max(arithmetic, traffic).
    """
    padded = np.ceil(m / TILE) * np.ceil(n / TILE) * (TILE * TILE) * batch
    arithmetic = 2.0 * k * (padded + kernels.tail) / rate
    traffic = kernels.element * batch * (m * k + k * n + m * n) / kernels.memory_rate
    return np.maximum(arithmetic, traffic)


def _forward_and_backward(gemms: list[tuple], rate: float, kernels: Kernels) -> tuple[np.ndarray, np.ndarray]:
    """Seconds forward and backward of (m, k, n, batch) products; backward is dX = dY·Wᵀ and dW = Xᵀ·dY."""
    shape = np.broadcast_shapes(*(np.shape(size) for gemm in gemms for size in gemm))
    m, k, n, batch = (np.stack([np.broadcast_to(size, shape) for size in column]) for column in zip(*gemms, strict=True))
    forward = gemm_time(m, k, n, batch, rate, kernels).sum(0)
    backward = (gemm_time(m, n, k, batch, rate, kernels) + gemm_time(k, m, n, batch, rate, kernels)).sum(0)
    return forward, backward


def attention_gemms(a: Architecture, tokens: np.ndarray, tp: np.ndarray) -> list[tuple]:
    """Projections of one layer's attention as (m, k, n, batch)."""
    if a.latent is not None:
        q, latent = a.latent.nope + a.latent.rope, a.latent
        rank = float(latent.q_rank or a.hidden)
        return [
            (tokens, a.hidden, rank, 1.0), (tokens, rank, a.heads * q / tp, 1.0),
            (tokens, a.hidden, float(latent.kv_rank + latent.rope), 1.0),
            (tokens, float(latent.kv_rank), a.heads * (latent.nope + latent.value) / tp, 1.0),
            (tokens, a.heads * latent.value / tp, float(a.hidden), 1.0),
        ]
    keys = 2.0 * a.head_dim * np.maximum(a.kv_heads / tp, 1.0)  # a key/value head is repeated where tp exceeds their number
    return [(tokens, float(a.hidden), a.query_width / tp + keys, 1.0), (tokens, a.query_width / tp, float(a.hidden), 1.0)]


def mlp_gemms(a: Architecture, tokens: np.ndarray, width: np.ndarray, batch: np.ndarray | float = 1.0) -> list[tuple]:
    """Both halves of an MLP (gate and up in one product) as (m, k, n, batch)."""
    return [(tokens, float(a.hidden), (2.0 if a.gated else 1.0) * width, batch), (tokens, width, float(a.hidden), batch)]


def expert_gemms(a: Architecture, tokens: np.ndarray, tp: np.ndarray, ep: np.ndarray) -> list[tuple]:
    """Router, shared and routed experts of one layer; with ep > 1 experts are whole and tokens split over tp."""
    spread = ep > 1
    width = np.where(spread, a.expert_ffn, a.expert_ffn / tp)
    own = np.where(spread, tokens / tp, tokens)
    held = a.experts / ep
    gemms = [(tokens, float(a.hidden), float(a.experts), 1.0)]
    gemms += mlp_gemms(a, np.maximum(own * a.experts_per_token / held, 1.0), width, held * GROUPED)
    if a.shared_experts:
        gemms += mlp_gemms(a, tokens, a.shared_experts * a.expert_ffn / tp)
    return gemms


def attention_core(job: Job, slices: Slices, kernels: Kernels) -> tuple[np.ndarray, np.ndarray]:
    """Seconds forward and backward of scores, softmax and values of one layer.

    Flash: arithmetic only, causal half (2205.14135). Unfused: two batched products over the full matrix plus the score
    matrix written and read by scale, mask, softmax and dropout (2205.05198 counts 5·heads·s² stored bytes).
    """
    a, s = job.architecture, float(job.sequence_length)
    rows = slices.micro_batch * s / slices.cp
    flops = 4.0 * rows * s * a.score_width / slices.tp * (MISALIGNED if a.head_dim % 8 and a.latent is None else 1.0)
    if job.attention == "flash":
        forward = flops * (0.5 if job.causal else 1.0) / kernels.attention_rate
        return forward, FLASH_BACKWARD * forward
    scores = rows * s * a.heads / slices.tp
    passes = kernels.element * scores / kernels.memory_rate
    return flops / kernels.matrix_rate + SCORE_PASSES * passes, 2.0 * flops / kernels.matrix_rate + 1.1 * SCORE_PASSES * passes


def elementwise_traffic(job: Job, slices: Slices, width: np.ndarray) -> np.ndarray:
    """Bytes of norms, residuals, rotary positions and activation of one layer, forward.

    Norms and residuals touch the hidden size ten times and are repeated on every tensor-parallel rank unless the
    sequence is split among them (2205.05198); the activation touches the MLP width three times.
    """
    a = job.architecture
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    replicated = 10.0 * a.hidden / np.where(slices.sequence_parallel > 0, slices.tp, 1.0)
    split = (2.0 * (a.query_width + a.kv_width) + (3.0 if a.gated else 2.0) * width) / slices.tp
    casts = 2.0 * (a.hidden + width / slices.tp) if job.precision == "fp8" else 0.0
    return ELEMENTWISE * tokens * job.activation_bytes * (replicated + split + casts)


def head_times(job: Job, slices: Slices, kernels: Kernels) -> tuple[np.ndarray, np.ndarray]:
    """Seconds forward and backward of the vocabulary product and the loss (logits once in FP32)."""
    a = job.architecture
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    vocab = a.vocab / slices.tp
    forward, backward = _forward_and_backward([(tokens, float(a.hidden), vocab, 1.0)], kernels.head_rate, kernels)
    loss = tokens * vocab / kernels.memory_rate
    return forward + 0.6 * LOSS_TRAFFIC * loss, backward + 0.4 * LOSS_TRAFFIC * loss


def layer_times(job: Job, machine: Machine, framework: Framework, slices: Slices) -> LayerTimes:
    """Seconds of the average layer and of the head for one micro-batch."""
    a, kernels = job.architecture, kernels_of(machine, job)
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    core_forward, core_backward = attention_core(job, slices, kernels)
    shared = attention_gemms(a, tokens, slices.tp)
    forward, backward, loop = np.zeros_like(tokens), np.zeros_like(tokens), np.zeros_like(tokens)
    for count, gemms, width, held in _kinds(a, tokens, slices):
        share = count / a.layers
        ahead, back = _forward_and_backward(shared + gemms, kernels.matrix_rate, kernels)
        traffic = elementwise_traffic(job, slices, width) / kernels.memory_rate
        forward += share * (ahead + core_forward + traffic)
        backward += share * (back + core_backward + 2.0 * traffic)
        loop += share * framework.expert_launch * held
    head_forward, head_backward = head_times(job, slices, kernels)
    factor, launch = framework.compute, machine.kernel_launch * framework.launch
    unfused = UNFUSED_SOFTMAX * _softmax_falls_back(job, slices) if job.attention == "unfused" else 0.0
    launch = launch * (1.0 + TP_LAUNCH * (slices.tp - 1.0) + unfused)
    return LayerTimes(forward * factor, backward * factor, launch + loop, BACKWARD_LAUNCH * launch + 2.0 * loop,
                      core_forward * factor, head_forward * factor, head_backward * factor)


def _softmax_falls_back(job: Job, slices: Slices) -> np.ndarray:
    """Whether Megatron's fused softmax is left out: it wants the score matrices of one GPU in multiples of four."""
    matrices = slices.micro_batch * np.floor(job.architecture.heads / slices.tp)
    return (np.mod(matrices, 4.0) != 0).astype(float)


def _kinds(a: Architecture, tokens: np.ndarray, slices: Slices) -> list[tuple]:
    """(number of layers, MLP products, MLP width touched per token, experts held) for dense and for mixture layers."""
    kinds = []
    if a.plain_layers:
        kinds.append((a.plain_layers, mlp_gemms(a, tokens, a.ffn / slices.tp), np.full_like(tokens, a.ffn), 0.0))
    if a.moe_layers:
        # activation of the experts a token visits, and its copies sorted by expert before and merged after
        copies = PERMUTE_PASSES / 3.0 * a.experts_per_token * a.hidden
        width = np.full_like(tokens, (a.experts_per_token + a.shared_experts) * a.expert_ffn + copies)
        kinds.append((a.moe_layers, expert_gemms(a, tokens, slices.tp, slices.ep), width, a.experts / slices.ep))
    return kinds


def floored(busy: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """The GPU's time, or the host's time to launch the work where that is longer (smooth near the knee)."""
    high, low = np.maximum(busy, floor), np.minimum(busy, floor)
    return high * (1.0 + (low / high) ** KNEE) ** (1.0 / KNEE)
