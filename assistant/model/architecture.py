"""What a transformer is made of: exact parameter counts and FLOPs, dense, mixture of experts, latent attention.

FLOPs count a multiply-add as two. Attention FLOPs are given with the causal half stated: a causal model computes
half of the score matrix, ``causal=False`` gives the full matrix that many publications count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Model
from assistant.vocabulary.questionnaire import ModelShape

# Of one number; block-scaled ones with their share of a scale of one byte (OCP Microscaling 1.0: for 32 numbers; NVFP4:
# for 16).
BYTES: dict[str, float] = {"fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "mxfp8": 1 + 1 / 32, "nvfp4": 0.5 + 1 / 16}
# Bytes of an element with its scales: INT4 in groups of 128 with a 16-bit scale and zero point (GPTQ, AWQ), MXFP4 with
# eight bits for 32 elements (OCP Microscaling 1.0), NVFP4 with eight bits for 16.
QUANTIZED = {"int8": 1.0, "int4": (4.0 + 32 / 128) / 8, "mxfp4": (4.0 + 8 / 32) / 8, "nvfp4": (4.0 + 8 / 16) / 8}


def element_bytes(precision: str) -> float:
    """Bytes of one weight in any format that models are served in."""
    return QUANTIZED.get(precision) or float(BYTES[precision])


# Layers and hidden size of published dense models by parameter count (Llama 3.2 1B, Llama 3.1 8B, 70B, 405B; GPT-2
# small).
_LADDER = (
    (1.24e8, 12, 768),
    (1.24e9, 16, 2048),
    (8.03e9, 32, 4096),
    (7.06e10, 80, 8192),
    (4.06e11, 126, 16384),
    (1.6e12, 160, 28672),
)


@dataclass(frozen=True)
class LatentAttention:
    """Multi-head latent attention (DeepSeek-V2, 2405.04434): low-rank queries and a shared low-rank key/value."""

    q_rank: int
    kv_rank: int
    nope: int
    rope: int
    value: int


@dataclass(frozen=True)
class Architecture:
    """One transformer decoder; all counts are exact where the catalog's dimensions are."""

    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    gated: bool = True
    tied: bool = False
    experts: int = 0
    experts_per_token: int = 0
    shared_experts: int = 0
    expert_ffn: int = 0
    expert_groups: int = 1  # that experts are routed by, and how many of them a token may visit
    expert_group_limit: int = 1
    dense_layers: int = 0
    moe_every: int = 1
    attention_bias: bool = False
    clamped_experts: bool = False  # with biases, which are not counted among the parameters
    scaled_rotary: bool = False  # rotary positions by several kernels
    biases: bool = False
    positions: int = 0
    qk_norm: bool = False
    latent: LatentAttention | None = None
    derived: bool = False  # dimensions were derived from a parameter count alone
    window: int = 0  # tokens that a sliding layer keeps; 0: every layer keeps all
    sliding_layers: int = 0
    linear_layers: int = 0  # that keep a state of ``linear_state`` elements instead of keys and values
    linear_state: int = 0
    linear_params: int = 0  # of one linear layer in place of its attention
    attention_gate: bool = False
    parallel_block: bool = False  # attention and MLP work on the same input, and their sums are reduced at once
    cache_width: int = 0  # elements that a layer keeps of a token, where that is not what the heads say
    native_precision: str = "bf16"  # of the weights as published
    scaled_blocks: bool = False  # weights in FP8 have a scale for each block

    @property
    def moe_layers(self) -> int:
        """Layers whose MLP is a mixture of experts."""
        return (self.layers - self.dense_layers) // self.moe_every if self.experts else 0

    @property
    def reductions(self) -> int:
        """All-reduces of a pass between tensor-parallel ranks that keep whole states."""
        return self.layers * (1 if self.parallel_block else 2)

    @property
    def plain_layers(self) -> int:
        """Layers with a dense MLP."""
        return self.layers - self.moe_layers

    @property
    def query_width(self) -> int:
        return self.heads * self.head_dim

    @property
    def kv_width(self) -> int:
        """Width of keys plus values of one token before the heads are repeated."""
        return 2 * self.kv_heads * self.head_dim

    @property
    def score_width(self) -> float:
        """Mean of the widths of scores and values summed over heads: attention FLOPs are 4·s²·score_width, full
        matrix."""
        if self.latent is None:
            return float(self.query_width)
        return self.heads * (self.latent.nope + self.latent.rope + self.latent.value) / 2

    @cached_property
    def attention_params(self) -> float:
        """Parameters of the average layer's attention, biases included, or of what a linear layer has instead."""
        linear = self.linear_layers / self.layers
        return (1.0 - linear) * self._softmax_params + linear * self.linear_params if linear else self._softmax_params

    @property
    def _softmax_params(self) -> int:
        if self.latent is not None:
            return _latent_params(self, self.latent)
        weights = (2 + self.attention_gate) * self.hidden * self.query_width + self.hidden * self.kv_width
        bias = self.query_width + self.kv_width if self.attention_bias or self.biases else 0
        return weights + bias + (self.hidden if self.biases else 0) + (2 * self.head_dim if self.qk_norm else 0)

    def _mlp(self, width: int) -> int:
        matrices = 3 if self.gated else 2
        return matrices * self.hidden * width + ((matrices - 1) * width + self.hidden if self.biases else 0)

    @cached_property
    def mlp_params(self) -> int:
        """Parameters of one dense layer's MLP."""
        return self._mlp(self.ffn)

    @cached_property
    def expert_params(self) -> int:
        """Parameters of one routed expert."""
        return self._mlp(self.expert_ffn) if self.experts else 0

    @cached_property
    def router_params(self) -> int:
        """Router and shared experts of one mixture layer: what every rank holds."""
        return self.hidden * self.experts + self.shared_experts * self.expert_params if self.experts else 0

    @property
    def norm_params(self) -> int:
        """Both norms of one layer (LayerNorm has a bias, RMSNorm has none)."""
        return (4 if self.biases else 2) * self.hidden

    @cached_property
    def shared_layer_params(self) -> float:
        """Parameters of the average layer without its routed experts."""
        mlp = (self.plain_layers * self.mlp_params + self.moe_layers * self.router_params) / self.layers
        return self.attention_params + self.norm_params + mlp

    @cached_property
    def expert_layer_params(self) -> float:
        """Routed expert parameters of the average layer."""
        return self.moe_layers * self.experts * self.expert_params / self.layers

    @cached_property
    def embedding_params(self) -> int:
        """One vocabulary matrix."""
        return self.vocab * self.hidden

    @cached_property
    def outer_params(self) -> int:
        """Embeddings, positions, final norm and head."""
        return (1 if self.tied else 2) * self.embedding_params + self.positions * self.hidden + self.norm_params // 2

    @cached_property
    def params(self) -> int:
        """All parameters."""
        return round(self.layers * (self.shared_layer_params + self.expert_layer_params) + self.outer_params)

    @cached_property
    def active_params(self) -> int:
        """Parameters one token passes through (routed experts: only those it is sent to)."""
        share = self.experts_per_token / self.experts if self.experts else 0.0
        return round(self.layers * (self.shared_layer_params + self.expert_layer_params * share) + self.outer_params)

    @cached_property
    def matmul_params(self) -> float:
        """Parameters that multiply one token: active ones, the head once, the embedding look-up not at all."""
        share = self.experts_per_token / self.experts if self.experts else 0.0
        return self.layers * (self.shared_layer_params + self.expert_layer_params * share) + self.embedding_params

    def bytes(self, precision: str) -> float:
        """Bytes of all weights in ``precision``."""
        return self.params * element_bytes(precision)

    def attention_flops(self, sequence: float | np.ndarray, *, causal: bool = True) -> float | np.ndarray:
        """Forward FLOPs per token of scores and values, all layers: 4·width for each key that a query sees."""
        return 4.0 * self.score_width * added(count * seen for count, _, seen in self.reaches(sequence, causal=causal))

    def reaches(
        self, sequence: float | np.ndarray, *, causal: bool = True
    ) -> list[tuple[int, float | np.ndarray, float | np.ndarray]]:
        """(Layers, keys that their queries reach at most, keys that one sees in the mean) over a sequence: all of it,
        or what a layer with a window keeps; the first queries of a causal one see less. Linear layers count as those
        that reach all of it, which bounds what they take."""
        near = np.minimum(self.window, sequence)
        kinds = [(self.layers - self.sliding_layers, sequence), (self.sliding_layers, near)]
        return [
            (count, reach, reach * (1.0 - 0.5 * reach / sequence) if causal else reach)
            for count, reach in kinds
            if count
        ]

    def train_flops(self, sequence: float | np.ndarray, *, causal: bool = True) -> float | np.ndarray:
        """Model FLOPs per token of forward and backward (backward is twice forward); recompute is not counted."""
        return 3.0 * (2.0 * self.matmul_params + self.attention_flops(sequence, causal=causal))

    @property
    def full_layers(self) -> int:
        """Layers whose keys and values grow with the context."""
        return self.layers - self.sliding_layers - self.linear_layers

    @property
    def _kept_width(self) -> int:
        """Elements that one layer keeps of a token (latent attention: its compressed form)."""
        heads = self.kv_width if self.latent is None else self.latent.kv_rank + self.latent.rope
        return self.cache_width or heads

    def kv_bytes(self, context: float | np.ndarray, precision: str = "bf16") -> float | np.ndarray:
        """Cache of one request with so many tokens behind it; the state of linear layers is kept in 16 bits."""
        return (
            self._seen(context) * self._kept_width * element_bytes(precision)
            + 2.0 * self.linear_layers * self.linear_state
        )

    def kv_share(self, tp: int) -> float:
        """Part of the cache on one of ``tp`` ranks: heads are spread, at least one on each; a latent one is whole."""
        return 1.0 if self.latent is not None else max(1.0 / tp, 1.0 / self.kv_heads)

    def decode_attention_flops(self, context: float | np.ndarray) -> float | np.ndarray:
        """FLOPs of scores and values of one decoded token; latent attention multiplies in its compressed form
        (2405.04434)."""
        seen = self._seen(context)
        if self.latent is None:
            return 4.0 * self.query_width * seen
        return 2.0 * self.heads * (2 * self.latent.kv_rank + self.latent.rope) * seen

    def visible_attention_flops(self, behind: float | np.ndarray) -> float | np.ndarray:
        """FLOPs per prompt token of scores and values with so many tokens before it on average."""
        return 4.0 * self.score_width * self._seen(behind)

    def _seen(self, context: float | np.ndarray) -> float | np.ndarray:
        """Tokens that all layers keep of so many, but for linear ones."""
        seen = self.full_layers * context
        if not self.sliding_layers:
            return seen
        return seen + self.sliding_layers * np.minimum(context, self.window or np.inf)

    def kv_bytes_per_token(self, precision: str = "bf16") -> float:
        """Key/value cache of one more token of a long context."""
        return float(self.full_layers * self._kept_width * element_bytes(precision))


def _latent_params(a: Architecture, latent: LatentAttention) -> int:
    """Parameters of one latent-attention layer with its two inner norms (DeepSeek-V2, 2405.04434, section 2.1)."""
    per_head = latent.nope + latent.rope
    query = a.hidden * a.heads * per_head
    if latent.q_rank:
        query = a.hidden * latent.q_rank + latent.q_rank + latent.q_rank * a.heads * per_head
    key_value = a.hidden * (latent.kv_rank + latent.rope) + latent.kv_rank
    key_value += latent.kv_rank * a.heads * (latent.nope + latent.value)
    return query + key_value + a.heads * latent.value * a.hidden


def architecture_of(model: Model | ModelShape) -> Architecture:
    """The architecture of a catalog model or of what a questionnaire says about one."""
    if isinstance(model, ModelShape):
        return _of_shape(model)
    latent = model.mla
    return Architecture(
        layers=model.layers,
        hidden=model.hidden,
        heads=model.heads,
        kv_heads=model.kv_heads,
        head_dim=model.head_dim or model.hidden // model.heads,
        ffn=model.ffn,
        vocab=model.vocab,
        gated=model.gated_mlp,
        tied=model.tied_embeddings,
        experts=model.experts,
        experts_per_token=model.experts_per_token,
        shared_experts=model.shared_experts,
        expert_ffn=(model.expert_ffn or model.ffn) if model.experts else 0,
        expert_groups=model.expert_groups,
        expert_group_limit=model.expert_group_limit,
        dense_layers=model.dense_layers,
        moe_every=model.moe_every,
        attention_bias=model.attention_bias,
        clamped_experts=model.clamped_experts,
        scaled_rotary=model.scaled_rotary,
        biases=model.biases,
        positions=model.positions,
        qk_norm=model.qk_norm,
        attention_gate=model.attention_gate,
        parallel_block=model.parallel_block,
        window=model.sliding_window or 0,
        sliding_layers=model.sliding_layers,
        linear_layers=model.linear_layers,
        linear_state=model.linear_state,
        linear_params=model.linear_params,
        native_precision=model.native_precision,
        scaled_blocks=model.scaled_blocks,
        latent=LatentAttention(
            latent.get("q_lora_rank", 0) or 0,
            latent["kv_lora_rank"],
            latent["qk_nope_head_dim"],
            latent["qk_rope_head_dim"],
            latent["v_head_dim"],
        )
        if latent
        else None,
    )


def _of_shape(shape: ModelShape) -> Architecture:
    layers, hidden, heads, ffn, vocab = shape.layers, shape.hidden, shape.heads, shape.ffn, shape.vocab
    if layers is None or hidden is None or heads is None or ffn is None or vocab is None:
        params, active = float(shape.params or 0), float(shape.active_params or 0)
        sparse = active < _SPARSE * params  # of which every token takes all is no mixture, whatever experts were named
        if sparse and (active or shape.experts > shape.experts_per_token > 0):
            return mixture_of_size(params, active, shape.experts, shape.experts_per_token)
        return dense_of_size(params)
    return Architecture(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=shape.kv_heads or heads,
        head_dim=hidden // heads,
        ffn=ffn,
        vocab=vocab,
        gated=shape.gated_mlp,
        tied=shape.tied_embeddings,
        experts=shape.experts,
        experts_per_token=shape.experts_per_token,
        expert_ffn=(shape.expert_ffn or ffn) if shape.experts else 0,
        window=shape.sliding_window or 0,
        sliding_layers=shape.sliding_layers,
        linear_layers=shape.linear_layers,
        # a linear layer is taken to be as large as the attention in whose place it is
        linear_params=2 * hidden * hidden + hidden * (hidden // heads) * 2 * (shape.kv_heads or heads),
        cache_width=shape.kv_width or 0,
        native_precision=shape.native_precision,
    )


def dense_of_size(params: float) -> Architecture:
    """A plausible dense model of ``params`` parameters: depth and width between published ones, the MLP takes up the
    rest."""
    bare = _without_mlp(params)
    rest = (params - bare.params) / (3 * bare.hidden * bare.layers) + bare.ffn
    return replace(bare, ffn=max(64, round(rest / 64) * 64))


def _without_mlp(params: float) -> Architecture:
    """Depth, width, heads and vocabulary of a dense model of ``params`` parameters, with next to no MLP."""
    sizes = np.log([size for size, _, _ in _LADDER])
    size = np.log(params)
    layers = max(4, 4 * round(float(np.exp(np.interp(size, sizes, np.log([depth for _, depth, _ in _LADDER])))) / 4))
    width = float(np.exp(np.interp(size, sizes, np.log([hidden for _, _, hidden in _LADDER]))))
    head_dim = 128 if width >= 1536 else 64
    heads = max(8, round(width / head_dim / 8) * 8)
    hidden = heads * head_dim
    vocab, tied = (128256, False) if params >= 4e9 else (32000, True)
    return Architecture(
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=8,
        head_dim=head_dim,
        ffn=64,
        vocab=vocab,
        tied=tied,
        derived=True,
    )


def mixture_of_size(params: float, active: float, experts: int, per_token: int) -> Architecture:
    """A plausible mixture of ``experts``, of which a token passes ``per_token`` in every layer, with ``params``
    parameters, ``active`` of them for a token; zeros are unknown.

    As deep and wide as a dense model of the active size (DeepSeek-V3, Qwen3 and gpt-oss lie near it); the size of an
    expert and what all tokens pass through, counted as shared experts, follow from the two sums. Where the numbers of
    experts are unknown a token takes :data:`_PER_TOKEN`, as most published mixtures of many experts have it.
    """
    if not active:  # what is no expert is that of a dense model of the active size: solved by turns
        active = params
        for _ in range(_TURNS):
            bare = min(active, _without_mlp(active).params)
            active = bare + (params - bare) * per_token / experts
    bare = _without_mlp(active)
    routed = max(params - bare.params, 0.0)
    if not experts:
        per_token = _PER_TOKEN
        of_token = max(active - bare.params, 0.05 * active)
        experts = max(2 * per_token, 8 * round(per_token * routed / of_token / 8))
    cells = 3 * bare.hidden * bare.layers  # parameters of an expert that is one wide
    wide = (params - active) / (cells * (experts - per_token))
    shared = max(0, round((active - bare.params) / (cells * wide) - per_token))
    wide = max(64, 64 * round(routed / (cells * (experts + shared)) / 64))
    return replace(bare, experts=experts, experts_per_token=per_token, expert_ffn=wide, shared_experts=shared, ffn=wide)


_SPARSE = 0.95  # of the parameters: a token that takes fewer takes part of a mixture
_PER_TOKEN = 8  # DeepSeek-V3, Qwen3, Kimi K2, GLM-4.5
_TURNS = 30
