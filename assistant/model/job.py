"""One training job as the model sees it: SI units, nothing about fabrics."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assistant.vocabulary.questionnaire import NARROW, Parallelism

from .adapters import Adapters
from .architecture import BYTES, Architecture

STRATEGIES = ("ddp", "zero1", "zero2", "fsdp", "hsdp", "async", "diloco")
DDP, ZERO1, ZERO2, FSDP, HSDP, ASYNC, DILOCO = range(7)
RECOMPUTE = ("none", "selective", "full")
# What is done besides where memory is short, each with those before it.
SAVINGS = ("none", "chunked-loss", "offload", "tiled-mlp")
EXPERT_OVERLAPS = ("none", "batch", "dualpipe")
EXPERT_KERNELS = ("separate", "fused")
NO_OVERLAP, BATCH_OVERLAP, DUALPIPE = EXPERT_OVERLAPS
SEPARATE, FUSED = EXPERT_KERNELS


@dataclass(frozen=True)
class Job:
    """What is trained and how one optimizer step looks; ``None`` is chosen by the search.

    ``global_batch`` in sequences per optimizer step, ``wan_bytes_per_s`` one direction, per site.
    ``gradient_overlap``: whether gradients travel while the backward pass runs (``None``: the framework's habit).
    ``regathered``: share of the weights that FSDP gathers a third time because checkpoints lie around its units, so
    that the recomputed forward pass finds them sharded; none where units lie around checkpoints, as PyTorch advises.
    ``document_tokens``: mean length of the documents packed into a sequence, which attend to themselves alone; ``None``
    where a sequence is one. ``loss_bytes``: bytes kept of each logit where a kernel for the loss is known to keep so
    many; ``None``: as the stack's own.
    ``longest_sequence``: where sequences differ in length and ``sequence_length`` is their mean, what memory must hold.
    ``adapters``: what is trained beside a frozen model, ``None`` where all of it is trained.
    ``expert_overlap``: what dispatch and combine of experts hide behind: nothing (``None`` too), the compute of another
    micro-batch, or that in DeepSeek's bidirectional pipeline (2412.19437, 3.2.1). ``dispatch_precision``: of tokens on
    the way to their experts, ``bf16`` or ``fp8``. ``routing_nodes``: scale-up domains that a token goes to at most;
    ``None``: as its model has it. ``expert_loop``: false where a stack that multiplies expert by expert is known to
    multiply all of them in one grouped product instead. ``expert_kernels``: ``fused`` where the step of a mixture is
    one CUDA graph, whose kernels sort, cast and multiply tokens in one go (Megatron from NeMo 26.06 on, in FP8 on
    Blackwell); ``separate`` (``None`` too) where the host launches one after the other.
    ``saving``: one of :data:`SAVINGS`. The loss computed chunk by chunk of the tokens, so that no chunk's logits are
    larger than what the head takes in (Liger Kernel, 2410.10989; torchtune); the layers' inputs, which full recompute
    starts from, kept in the host's memory; and the MLP computed tile by tile, of as many tokens as the model is wide,
    when it is recomputed (Arctic Long Sequence Training, 2506.13996, has all three).
    ``sharding_open``: whether the states may be spread over more ranks than a split has it that was given without
    saying who keeps them, where it does not fit otherwise.
    ``attention``: ``flash`` as the stack has it, ``flash-3`` with FlashAttention-3 on Hopper and elsewhere with kernels
    as fast as the GPU's vendor's own, or ``unfused``.
    ``padded_vocabulary``: whether the vocabulary is rounded up to whole tiles, as Megatron does and recipes advise.
    """

    architecture: Architecture
    gpus: int
    workload: str = "pretraining"
    sequence_length: int = 4096
    global_batch: int = 512
    micro_batch: int | None = None
    precision: str = "bf16"
    recompute: str | None = None
    attention: str = "flash"
    framework: str | None = None
    sites: int = 1
    wan_bytes_per_s: float | None = None
    sync_every: int = 500  # inner steps between two synchronisations of DiLoCo (2311.08105 uses 500)
    gradient_overlap: bool | None = None
    gradient_bytes: float = 2.0  # bytes of one gradient element on the wire
    regathered: float = 0.0
    causal: bool = True
    padded_vocabulary: bool = True
    # the loss is computed by a kernel that keeps no FP32 logits, whatever the stack's own does
    fused_loss: bool = False
    # FP32 weights and moments beside 16-bit weights; False: weights, gradients, moments in 16 bits
    master_weights: bool = True
    adapters: Adapters | None = None
    document_tokens: float | None = None
    loss_bytes: float | None = None
    expert_overlap: str | None = None
    dispatch_precision: str = "bf16"
    routing_nodes: int | None = None
    expert_loop: bool = True
    longest_sequence: int | None = None
    expert_kernels: str | None = None
    saving: str = "none"
    sharding_open: bool = False

    @property
    def tokens(self) -> int:
        """Tokens per optimizer step."""
        return self.global_batch * self.sequence_length

    @property
    def weight_bytes(self) -> int:
        """Bytes of one weight as it is kept and gathered; training in FP8 and narrower keeps BF16 weights."""
        return 4 if self.precision == "fp32" else 2

    def saves(self, kind: str) -> bool:
        """Whether memory is saved in this way."""
        return SAVINGS.index(self.saving) >= SAVINGS.index(kind)

    @property
    def narrow(self) -> bool:
        """Whether products take in eight bits or four."""
        return self.precision in NARROW

    @property
    def quantized_bytes(self) -> float:
        """Bytes per weight of what block-scaled training keeps of it besides :attr:`weight_bytes`.

        A block's scale belongs to a row or to a column, so each weight is kept in two layouts (Transformer Engine's
        ``MXFP8Tensor``, ``NVFP4Tensor``), one byte of scale for each 32 or 16 elements. In MXFP8 both stand in the
        place of the BF16 weights (Megatron's ``fp8_param_gather``); NVFP4's recipe keeps the BF16 ones too.
        """
        both = 2.0 * BYTES[self.precision]
        return {"mxfp8": both - self.weight_bytes, "nvfp4": both}.get(self.precision, 0.0)

    @property
    def activation_bytes(self) -> int:
        """Bytes of one activation element (training in FP8 and narrower stores BF16 between layers)."""
        return 4 if self.precision == "fp32" else 2

    @property
    def model_flops(self) -> float:
        """Model FLOPs of one optimizer step, recompute not counted.

        Frozen weights have no gradient: 4 FLOPs per parameter and token in the place of 6, and 6 for the adapters'.
        """
        a = self.architecture
        seen = min(self.document_tokens or self.sequence_length, self.sequence_length)
        per_token = float(a.train_flops(seen, causal=self.causal))
        if self.adapters is not None:
            per_token += 6.0 * self.adapters.active_params(a) - 2.0 * a.matmul_params
        return self.tokens * per_token

    @property
    def trained_params(self) -> float:
        """Parameters that have gradients."""
        return self.architecture.params if self.adapters is None else self.adapters.params(self.architecture)

    def with_(self, **changes: object) -> Job:
        """The same job with some fields changed."""
        return replace(self, **changes)


def degrees(parallelism: Parallelism, gpus: int) -> int:
    """Data-parallel degree of a given split."""
    return gpus // (parallelism.tp * parallelism.pp * parallelism.cp)
