"""Time of one layer on one GPU: matrix multiplications, attention, element-wise traffic, launches.

Every function takes columns of slices, shape (C,), and returns seconds of the same shape.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.added import added

from .adapters import Adapters
from .architecture import Architecture
from .framework import Framework
from .job import FUSED, Job
from .kernels import KernelConstants
from .layout import Slices
from .machine import Machine
from .mixtures import recomputes_lightly

TILE = 128.0  # rows and columns of the output tile of a tensor-core kernel (CUTLASS default 128×128 and 128×256)
CALIBRATED_SEQUENCE = 8192.0  # tokens; of the rows that efficiencies were fitted to, one in a hundred has more
HOPPER = ("h100", "h200", "h800", "h20", "gh200")  # what FlashAttention-3 is written for
FLASH_BACKWARD = 2.5  # flash attention's backward recomputes the scores: five products instead of two (2205.14135)

# Passes over the score matrix backward against forward, counted in Megatron's unfused attention: forward writes the
# product, reads and writes softmax and dropout (with its mask of one byte) and reads the result, 6.5; backward likewise
# 9.5.
SCORES_BACKWARD = 9.5 / 6.5

# Bytes that element-wise kernels move backward against forward, counted: norms read two and write one where they read
# and wrote one, dropout and residual the same, GELU 12 against 8, SwiGLU 5 against 3, and bias gradients read every
# product's gradient.
ELEMENTWISE_BACKWARD = 1.5

# More of them where rotary positions are scaled (YaRN): Transformer Engine's fused kernel does not scale, and halves
# negated, joined, multiplied, added and joined again make 12 passes forward and 17 backward of queries and keys
# (Megatron-Core 0.16, ``rope_utils.py``).
SCALED_ROTARY = 10.0

KNEE = 4.0  # how sharply a layer turns from launch-bound to GPU-bound; held fixed in the fit

# Not fitted either: what kernels of their own move for experts with biases and a clamped gate, in passes of 16 bits
# over each of a token's copies, counted in Megatron-Core 0.15 and 0.16 (``TEGroupedMLP._apply_bias``,
# ``weighted_bias_quick_geglu_impl``). Bias times the token's weight, which has FP32 and so have sum and joined result:
# 28 bytes an element forward and 40 backward. The halves clamped and joined: 4 passes over both forward, 5 backward.
EXPERT_BIAS, EXPERT_CLAMP = 14.0, 8.0

# Counted likewise: passes in which tokens are sorted by expert and merged again (``MoEAlltoAllTokenDispatcher``: copies
# written, sorted by expert, sorted back, read). The fit needs more of them than there are (``kernel-permute-passes``),
# because such kernels are short, many and far from the memory's rate; those of biases and clamped gates, which are
# launched expert by expert, are taken to be as far from it.
COUNTED_PERMUTES = 6.0

# Not fitted: tensor cores want rows of whole 16 bytes (NVIDIA's matrix multiplication guide), other products fall back.
# The factor is what vTrain's calibration rows show for a vocabulary of 50,257 on one tensor-parallel rank.
MISALIGNED = 3.0

# Not fitted: where every head begins between two such rows, the batched products of unfused attention run on no tensor
# core at all, at the rate of FP32: 312 over 19.5 TFLOP/s on an A100 (its datasheet). BigScience's ten calibration rows
# whose heads are 108, 150 and 450 wide ask for 15 to 19. By their datasheets it is 8 on a V100 and 15 on an H100: taken
# alike for all, as no row has such heads there and the catalog has no rate of FP32 without tensor cores.
OFF_TENSOR_CORES = 16.0

# Times the passage through memory that making four-bit weights wider takes: 1 is the least there can be, and nothing
# was fitted. torchtune's runs with and without four bits differ by 2.5 times that on an A100, by 7 on an RTX 4090;
# the band of QLoRA is wider for it.
WIDENING = 1.0


@dataclass(frozen=True)
class LayerTimes:
    """Seconds on one GPU for one micro-batch, shape (C,) each: the average layer, and the head with its loss.

    ``forward`` and ``backward`` are the GPU's work, forward with its waits for a host that loops over experts (it
    counts each one's tokens first; the backward pass counts nothing); a layer takes at least ``forward_floor`` and
    ``backward_floor``, the host's time to launch its kernels, whatever else the GPU does meanwhile.
    """

    forward: np.ndarray
    backward: np.ndarray
    forward_floor: np.ndarray
    backward_floor: np.ndarray
    attention: np.ndarray  # scores, softmax and values, forward
    selective: np.ndarray  # the part selective recompute repeats
    head_forward: np.ndarray
    head_backward: np.ndarray
    spared: np.ndarray  # the part full recompute leaves out: a layer's last product, where checkpointing stops early


@dataclass(frozen=True)
class Kernels:
    """What the GPU delivers for this precision, in FLOP/s and bytes/s."""

    matrix_rate: float
    head_rate: float
    attention_rate: float
    memory_rate: float
    tail: float  # outputs (m·n) of half a wave of tiles
    element: int  # bytes
    constants: KernelConstants


def kernels_of(machine: Machine, job: Job) -> Kernels:
    """Rates of the GPU family's calibrated kernels in the job's precision."""
    wide = "bf16" if job.narrow else job.precision
    matrix = machine.peak[job.precision] * machine.gemm_efficiency * machine.kernels.of_peak(job.precision)
    newest = job.attention == "flash-3" and machine.gpu.split("-")[0] in HOPPER
    attention = machine.attention_efficiency * (machine.kernels.newest_attention if newest else 1.0)
    return Kernels(
        matrix_rate=matrix,
        head_rate=machine.peak[wide] * machine.gemm_efficiency,
        attention_rate=machine.peak[wide] * attention,
        memory_rate=machine.memory_bandwidth * machine.memory_efficiency,
        tail=0.5 * machine.compute_units * machine.kernels.tile**2,
        element=job.activation_bytes,
        constants=machine.kernels,
    )


def gemm_time(
    m: np.ndarray, k: np.ndarray, n: np.ndarray, batch: np.ndarray | float, rate: float, kernels: Kernels
) -> np.ndarray:
    """Seconds of ``batch`` products (m,k)·(k,n).

    Output tiles are whole (tile quantisation), the last wave of tiles of each product is half full on average, each
    tile costs some steps along k to fill and empty, and a thin product is bound by reading its operands:
    max(arithmetic, traffic). Filling takes its time whatever the precision, so ``depth`` counts steps at the 16-bit
    rate.
    """
    padded = np.ceil(m / TILE) * np.ceil(n / TILE) * (TILE * TILE)
    depth = kernels.constants.depth * (rate / kernels.head_rate)
    arithmetic = 2.0 * (k + depth) * batch * (padded + kernels.tail) / rate
    operand = kernels.element if rate <= kernels.head_rate else 1  # FP8 operands, 16-bit results
    traffic = batch * (operand * (m * k + k * n) + kernels.element * m * n) / kernels.memory_rate
    return np.maximum(arithmetic, traffic)


def _forward_and_backward(
    gemms: list[tuple], rate: float, kernels: Kernels, *, frozen: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Seconds forward and backward of (m, k, n, batch) products; backward is dX = dY·Wᵀ and, unless W is ``frozen``,
    dW = Xᵀ·dY."""
    shape = np.broadcast_shapes(*{np.shape(size) for gemm in gemms for size in gemm})
    sizes = np.empty((4, len(gemms), *shape))
    for row, gemm in enumerate(gemms):
        for column, size in enumerate(gemm):
            sizes[column, row] = size
    m, k, n, batch = sizes
    forward = gemm_time(m, k, n, batch, rate, kernels).sum(0)
    if frozen:
        return forward, gemm_time(m, n, k, batch, rate, kernels).sum(0)
    backward = (gemm_time(m, n, k, batch, rate, kernels) + gemm_time(k, m, n, batch, rate, kernels)).sum(0)
    return forward, backward


def adapter_times(
    adapters: Adapters, products: list[tuple], kernels: Kernels, *, merged: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Seconds forward and backward of the adapters beside some products (m, k, n, batch, parts).

    Forward x·A and that by B, in 16 bits, the result scaled and added to the product's: five passes over it. Backward
    two products for the gradients of A and B and two for that of x, which is added; the scaled gradient is read and
    written (2106.09685, as PEFT, torchtune and NeMo compute it: none of them fuses these products). ``parts``: products
    that a layer has merged and that have adapters of their own, unless the stack has one for all (``merged``).
    """
    r, rate, element = np.array(float(adapters.rank)), kernels.head_rate, float(kernels.element)
    forward, backward = np.zeros(1), np.zeros(1)
    for m, k, n, batch, parts in products:
        own = 1.0 if merged else parts
        times, width = batch * own, n / own
        down, up = gemm_time(m, k, r, times, rate, kernels), gemm_time(m, r, width, times, rate, kernels)
        forward = forward + down + up + 5.0 * batch * element * m * n / kernels.memory_rate
        to_b = gemm_time(r, m, width, times, rate, kernels) + gemm_time(m, width, r, times, rate, kernels)
        to_a = gemm_time(k, m, r, times, rate, kernels) + gemm_time(m, r, k, times, rate, kernels)
        passes = batch * element * (2.0 * m * n + 3.0 * own * m * k) / kernels.memory_rate
        backward = backward + to_b + to_a + passes
    return forward, backward


def _adapted(adapters: Adapters, a: Architecture, attention: list[tuple], mlp: list[tuple]) -> list[tuple]:
    """Of a layer's products those with adapters, each with how many it was merged from."""
    parts = [3.0, 1.0] if a.latent is None else [1.0] * len(attention)
    found = [(*gemm, part) for gemm, part in zip(attention, parts, strict=True)]
    if adapters.beside_mlp():
        halves = mlp[len(mlp) % 2 :]  # the router, which a mixture begins with, has none
        found += [(*gemm, 2.0 if a.gated and not at % 2 else 1.0) for at, gemm in enumerate(halves)]
    return found


def widening_time(job: Job, slices: Slices, kernels: Kernels) -> np.ndarray:
    """Seconds per layer and direction in which weights held in four bits are made into 16: read, written, and read
    again by the product, which counts that itself."""
    if job.adapters is None or not job.adapters.quantized:
        return np.zeros_like(slices.tp)
    a = job.architecture
    weights = a.shared_layer_params / slices.tp + a.expert_layer_params / (slices.ep * slices.etp)
    return WIDENING * (job.adapters.base_bytes + job.weight_bytes) * weights / kernels.memory_rate


def attention_gemms(a: Architecture, tokens: np.ndarray, tp: np.ndarray) -> list[tuple]:
    """Projections of one layer's attention as (m, k, n, batch)."""
    if a.latent is not None:
        q, latent = a.latent.nope + a.latent.rope, a.latent
        rank = float(latent.q_rank or a.hidden)
        return [
            (tokens, a.hidden, rank, 1.0),
            (tokens, rank, a.heads * q / tp, 1.0),
            (tokens, a.hidden, float(latent.kv_rank + latent.rope), 1.0),
            (tokens, float(latent.kv_rank), a.heads * (latent.nope + latent.value) / tp, 1.0),
            (tokens, a.heads * latent.value / tp, float(a.hidden), 1.0),
        ]
    keys = a.kv_width / np.minimum(tp, a.kv_heads)  # a head is repeated where tp exceeds their number
    return [
        (tokens, float(a.hidden), a.query_width / tp + keys, 1.0),
        (tokens, a.query_width / tp, float(a.hidden), 1.0),
    ]


def mlp_gemms(
    a: Architecture, tokens: np.ndarray, width: np.ndarray, batch: np.ndarray | float = 1.0, hidden: int = 0
) -> list[tuple]:
    """Both halves of an MLP (gate and up in one product) as (m, k, n, batch)."""
    return [
        (tokens, float(hidden or a.hidden), (2.0 if a.gated else 1.0) * width, batch),
        (tokens, width, float(hidden or a.hidden), batch),
    ]


def expert_gemms(a: Architecture, tokens: np.ndarray, slices: Slices, grouped: float) -> list[tuple]:
    """Router, shared and routed experts of one layer; ``etp`` ranks share an expert and the tokens of all of them."""
    tp, width = slices.tp, a.expert_ffn / slices.etp
    own, held = tokens * slices.etp / tp, a.experts / slices.ep
    gemms = [(tokens, float(a.hidden), float(a.experts), 1.0)]
    gemms += mlp_gemms(a, np.maximum(own * a.experts_per_token / held, 1.0), width, held * grouped, a.expert_hidden)
    if a.shared_width:
        gemms += mlp_gemms(a, tokens, a.shared_width / tp)
    if a.expert_hidden:  # into the width of the experts and out of it
        narrow = a.expert_hidden / tp
        gemms += [(tokens, float(a.hidden), narrow, 1.0), (tokens, narrow, float(a.hidden), 1.0)]
    return gemms


def attention_core(job: Job, slices: Slices, kernels: Kernels) -> tuple[np.ndarray, np.ndarray]:
    """Seconds forward and backward of scores, softmax and values of one layer.

    Flash: arithmetic only, causal half (2205.14135), of each packed document by itself; longer sequences are faster per
    FLOP. Unfused: two batched products
    over the full matrix plus the score matrix written and read by scale, mask, softmax and dropout (2205.05198 counts
    5·heads·s² stored bytes).
    """
    a, s = job.architecture, float(job.sequence_length)
    rows, seen = slices.micro_batch * s / slices.cp, min(job.document_tokens or s, s)
    flops = 4.0 * rows * a.score_width / slices.tp
    odd = a.head_dim % 8 and a.latent is None
    if job.attention != "unfused":
        flops = flops * (MISALIGNED if odd else 1.0)
        depth = kernels.constants.attention_depth
        reaches = a.reaches(seen, causal=job.causal)
        keys = added(count * mean * _visits(float(reach), seen, slices.cp, depth) for count, reach, mean in reaches)
        forward = flops * keys / a.layers / kernels.attention_rate
        return forward, FLASH_BACKWARD * forward
    scores = rows * s * a.heads / slices.tp
    passes = kernels.element * scores / kernels.memory_rate
    product = flops * seen * (OFF_TENSOR_CORES if odd else 1.0) / kernels.matrix_rate
    read = kernels.constants.score_passes * passes
    return product + read, 2.0 * product + SCORES_BACKWARD * read


def _visits(reach: float, seen: float, cp: np.ndarray, depth: float) -> np.ndarray:
    """Time of flash attention against that at the family's efficiency, which was calibrated at ``CALIBRATED_SEQUENCE``
    tokens and less, (C,).

    A tile of queries takes as long as its keys, and as ``depth`` / 2 more to start, to mask the blocks on the diagonal
    and to end, so time goes with s·(s + depth) where FLOPs go with s². Context parallel ranks pay it once for each of
    the cp blocks of keys that pass by (2310.01889).
    """
    return (1.0 + depth * cp / reach) / (1.0 + depth / min(seen, CALIBRATED_SEQUENCE))


def elementwise_traffic(job: Job, slices: Slices, width: np.ndarray) -> np.ndarray:
    """Bytes of norms, residuals, rotary positions and activation of one layer, forward.

    Norms and residuals touch the hidden size ten times and are repeated on every tensor-parallel rank unless the
    sequence is split among them (2205.05198); the activation touches the MLP width three times. Rotary positions read
    and write queries and keys once, scaled ones (YaRN), for which no kernel is fused, six times.
    """
    a = job.architecture
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    replicated = 10.0 * a.hidden / np.where(slices.sequence_parallel > 0, slices.tp, 1.0)
    rotated = a.scaled_rotary * SCALED_ROTARY * (a.query_width + a.kv_width / 2.0)
    split = (2.0 * (a.query_width + a.kv_width) + rotated + (3.0 if a.gated else 2.0) * width) / slices.tp
    return tokens * job.activation_bytes * (replicated + split)


def cast_traffic(job: Job, slices: Slices, taken_in: np.ndarray, constants: KernelConstants) -> np.ndarray:
    """Bytes that FP8 and narrower add to one layer, forward: what its products take in, read and written in the
    operands' layouts.

    ``taken_in``: elements per token that the MLP's products take in on one rank. A split sequence is cast before it is
    gathered. Weights are cast once a step for many micro-batches and left out.
    """
    if not job.narrow:
        return np.zeros_like(slices.tp)
    a = job.architecture
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    attention = a.hidden / np.where(slices.sequence_parallel > 0, slices.tp, 1.0) + a.query_width / slices.tp
    return constants.fp8_casts * tokens * (attention + taken_in)


def head_times(job: Job, slices: Slices, kernels: Kernels) -> tuple[np.ndarray, np.ndarray]:
    """Seconds forward and backward of the vocabulary product and the loss (logits once in FP32).

    A vocabulary as it came (GPT-2's 50,257) gives rows that tensor cores cannot take; split over tp it is padded
    anyway.
    """
    a = job.architecture
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    vocab = a.vocab / slices.tp
    forward, backward = _forward_and_backward(
        [(tokens, float(a.hidden), vocab, 1.0)], kernels.head_rate, kernels, frozen=job.adapters is not None
    )
    odd = np.where(slices.tp > 1, 1.0, 1.0 if job.padded_vocabulary or a.vocab % 8 == 0 else MISALIGNED)
    loss = kernels.constants.loss_traffic * tokens * vocab / kernels.memory_rate
    return odd * forward + 0.6 * loss, odd * backward + 0.4 * loss


def layer_times(job: Job, machine: Machine, framework: Framework, slices: Slices) -> LayerTimes:
    """Seconds of the average layer and of the head for one micro-batch."""
    a, kernels = job.architecture, kernels_of(machine, job)
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    slower = framework.attention if job.attention == "flash" else 1.0  # newest kernels are no slower in any stack
    core_forward, core_backward = (slower * time for time in attention_core(job, slices, kernels))
    shared = attention_gemms(a, tokens, slices.tp)
    forward, backward, loop, spared = (np.zeros_like(tokens) for _ in range(4))
    frozen, widened = job.adapters is not None, widening_time(job, slices, kernels)
    fused = is_fused(job)
    for count, gemms, width, taken_in, held in _kinds(a, tokens, slices, machine.kernels, fused=fused):
        share = count / a.layers
        ahead, back = _forward_and_backward(shared + gemms, kernels.matrix_rate, kernels, frozen=frozen)
        if job.adapters is not None:
            beside = _adapted(job.adapters, a, shared, gemms)
            more = adapter_times(job.adapters, beside, kernels, merged=framework.fused_accumulation)
            ahead, back = ahead + more[0] + widened, back + more[1] + widened
        casts = 0.0 if fused else cast_traffic(job, slices, taken_in, machine.kernels)
        moved = elementwise_traffic(job, slices, width) + casts
        traffic = moved / kernels.memory_rate
        if not frozen:
            back = back + waits_for_experts(a, gemms, slices, held, kernels)
        forward += share * (ahead + core_forward + traffic)
        backward += share * (back + core_backward + ELEMENTWISE_BACKWARD * traffic)
        loop += share * framework.expert_launch * held * job.expert_loop
        if framework.stops_early and job.recompute != "none":
            m, k, n, batch = gemms[-1]
            spared += share * gemm_time(m, k, n, batch, kernels.matrix_rate, kernels)
    head_forward, head_backward = head_times(job, slices, kernels)
    factor = framework.compute * framework.practice * machine.kernels.pace(job.gpus)
    host = 0.0 if fused else machine.kernel_launch * framework.launch
    launch = host * (machine.kernels.fp8_launch if job.narrow else 1.0)
    unfused = machine.kernels.unfused_softmax * _softmax_falls_back(job, slices) if job.attention == "unfused" else 0.0
    launch = launch * (1.0 + machine.kernels.tp_launch * np.log2(slices.tp) + unfused)
    launch = launch * (1.0 + (machine.kernels.mixture_launch - 1.0) * a.moe_layers / a.layers)
    outer = machine.kernels.outer_launch * host
    return LayerTimes(
        forward * factor + loop,
        backward * factor,
        launch + loop,
        machine.kernels.backward_launch * launch + 2.0 * loop,
        core_forward * factor,
        factor * (light_repeat(job, slices, kernels) if recomputes_lightly(job) else core_forward),
        head_forward * factor + outer,
        head_backward * factor,
        spared * factor,
    )


def light_repeat(job: Job, slices: Slices, kernels: Kernels) -> np.ndarray:
    """Seconds per layer in which norms, the up-projections of latent attention and the experts' activation are computed
    again: norms read and write the hidden size, the activation reads two inner tensors and writes one."""
    a = job.architecture
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    inner = (a.experts_per_token * a.expert_ffn + a.shared_width) * a.moe_layers + a.ffn * a.plain_layers
    norms = 4.0 * a.hidden / np.where(slices.sequence_parallel > 0, slices.tp, 1.0)
    moved = tokens * job.activation_bytes * (norms + 3.0 * inner / a.layers / slices.tp)
    seconds = moved / kernels.memory_rate
    if a.latent is None:
        return seconds
    up = [gemm for at, gemm in enumerate(attention_gemms(a, tokens, slices.tp)) if at in (1, 3)]
    return seconds + _forward_and_backward(up, kernels.matrix_rate, kernels, frozen=True)[0]


def _softmax_falls_back(job: Job, slices: Slices) -> np.ndarray:
    """Whether Megatron's fused softmax is left out: it wants the score matrices of one GPU in multiples of four."""
    matrices = slices.micro_batch * np.floor(job.architecture.heads / slices.tp)
    return (np.mod(matrices, 4.0) != 0).astype(float)


def waits_for_experts(
    a: Architecture, gemms: list[tuple], slices: Slices, held: np.ndarray, kernels: Kernels
) -> np.ndarray:
    """Seconds that the products of a layer's routed experts take longer, both ways together, because few tokens per
    expert leave little to do between reading weights and writing gradients.

    A product of many rows hides both; the fewer rows, the less: time goes with the root of the squares of arithmetic
    and traffic.
    """
    if not a.moe_layers:
        return np.zeros_like(slices.tp)
    ahead, back = _forward_and_backward(gemms[1:3], kernels.matrix_rate, kernels)
    traffic = kernels.constants.expert_traffic * held * a.expert_params / slices.etp / kernels.memory_rate
    return np.hypot(ahead + back, traffic) - (ahead + back)


def is_fused(job: Job) -> bool:
    """Whether a mixture's step is one graph whose kernels do what a host launches kernel by kernel elsewhere."""
    return job.expert_kernels == FUSED and bool(job.architecture.moe_layers)


def _kinds(
    a: Architecture, tokens: np.ndarray, slices: Slices, constants: KernelConstants, *, fused: bool
) -> list[tuple]:
    """(Number of layers, MLP products, MLP width touched per token, elements per token that these products take in on a
    rank, experts held) for dense and for mixture layers."""
    kinds, whole = [], a.hidden / np.where(slices.sequence_parallel > 0, slices.tp, 1.0)
    if a.plain_layers:
        kinds.append(
            (
                a.plain_layers,
                mlp_gemms(a, tokens, a.ffn / slices.tp),
                np.full_like(tokens, a.ffn),
                whole + a.ffn / slices.tp,
                0.0,
            )
        )
    if a.moe_layers:
        # activation of the experts a token visits, and its copies sorted by expert before and merged after
        slowly = 1.0 if fused else constants.permute_passes / COUNTED_PERMUTES
        passes = 0.0 if fused else constants.permute_passes * a.dispatched_width
        passes += slowly * a.clamped_experts * (EXPERT_BIAS * a.hidden + EXPERT_CLAMP * a.expert_ffn)
        copies = passes / 3.0 * a.experts_per_token
        width = np.full_like(tokens, a.experts_per_token * a.expert_ffn + a.shared_width + copies)
        gemms = expert_gemms(a, tokens, slices, constants.grouped)
        visited = a.experts_per_token * (a.dispatched_width + a.expert_ffn) + a.shared_width
        kinds.append((a.moe_layers, gemms, width, whole + visited / slices.tp, a.experts / slices.ep))
    return kinds


def floored(busy: np.ndarray, floor: np.ndarray) -> np.ndarray:
    """The GPU's time, or the host's time to launch the work where that is longer (smooth near the knee)."""
    high, low = np.maximum(busy, floor), np.minimum(busy, floor)
    return high * (1.0 + (low / high) ** KNEE) ** (1.0 / KNEE)
