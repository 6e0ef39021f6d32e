"""What a transformer is made of: exact parameter counts and FLOPs, dense, mixture of experts, latent attention.

FLOPs count a multiply-add as two. Attention FLOPs are given with the causal half stated: a causal model computes
half of the score matrix, ``causal=False`` gives the full matrix that many publications count.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from assistant.vocabulary.added import added

# Of one number; block-scaled ones with their share of a scale of one byte (OCP Microscaling 1.0: for 32 numbers; NVFP4:
# for 16).
BYTES: dict[str, float] = {"fp32": 4, "fp16": 2, "bf16": 2, "fp8": 1, "mxfp8": 1 + 1 / 32, "nvfp4": 0.5 + 1 / 16}
# Bytes of an element with its scales: INT4 in groups of 128 with a 16-bit scale and zero point (GPTQ, AWQ), MXFP4 with
# eight bits for 32 elements (OCP Microscaling 1.0), NVFP4 with eight bits for 16.
QUANTIZED = {"int8": 1.0, "int4": (4.0 + 32 / 128) / 8, "mxfp4": (4.0 + 8 / 32) / 8, "nvfp4": (4.0 + 8 / 16) / 8}


def element_bytes(precision: str) -> float:
    """Bytes of one weight in any format that models are served in."""
    return QUANTIZED.get(precision) or float(BYTES[precision])


@dataclass(frozen=True)
class LatentAttention:
    """Multi-head latent attention (DeepSeek-V2, 2405.04434): low-rank queries and a shared low-rank key/value."""

    q_rank: int
    kv_rank: int
    nope: int
    rope: int
    value: int


@dataclass(frozen=True)
class Heads:
    """Heads of one kind of attention layer: widths in elements. ``joint``: values come of the same product as keys
    (Gemma 4's full layers, transformers ``modeling_gemma4.py``), and are kept beside them all the same."""

    heads: int
    kv_heads: int
    key: int
    value: int
    joint: bool = False

    @property
    def kv_width(self) -> int:
        """Keys plus values of one token before the heads are repeated."""
        return self.kv_heads * (self.key + self.value)

    @property
    def projected(self) -> int:
        """Columns of the products that make keys and values."""
        return self.kv_heads * self.key if self.joint else self.kv_width

    @property
    def score_width(self) -> float:
        """Mean of the widths of scores and values, summed over heads."""
        return self.heads * (self.key + self.value) / 2


@dataclass(frozen=True)
class Reach:
    """Layers of one kind and the tokens that they keep: of a context one in ``every``, at most ``most``, of which a
    query looks at ``seen`` at most (sparse attention)."""

    layers: int
    heads: Heads
    every: int = 1
    most: float = np.inf
    seen: float = np.inf

    def kept(self, context: float | np.ndarray) -> float | np.ndarray:
        """Entries that one layer keeps of a context of so many tokens."""
        return np.minimum(context / self.every, self.most) if np.isfinite(self.most) else context / self.every

    def looked_at(self, context: float | np.ndarray) -> float | np.ndarray:
        """Of these the ones that a query multiplies."""
        kept = self.kept(context)
        return np.minimum(kept, self.seen) if np.isfinite(self.seen) else kept


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
    value_dim: int = 0  # of a head, where values are not as wide as keys
    joint_values: bool = False  # values of full layers come of the product that makes keys
    query_rank: int = 0  # of queries that go through a narrow product first
    sliding_heads: Heads | None = None  # of sliding layers where they have others than full ones
    borrowing_layers: int = 0  # full layers that attend to the keys and values of an earlier one and keep none
    borrowing_sliding: int = 0  # sliding ones of these
    linear_beside: bool = False  # linear layers have attention as well, side by side
    without_mlp: int = 0  # layers that are a mixer alone
    without_attention: int = 0  # layers that are an MLP alone
    attention_weights: int = 0  # parameters of the average attention where the dimensions do not tell them
    compressed: tuple[tuple[int, int], ...] = ()  # (tokens that become one entry, layers that keep such ones as well)
    sparse_keys: int = 0  # entries of a layer with an index that a query looks at; 0: all
    index_width: int = 0  # of the index's queries, all heads: what it multiplies with each entry to choose among them
    index_bytes: float = 0.0  # that an index keeps of a token of the context
    index_layers: int = 0  # layers that have an index of their own
    expert_hidden: int = 0  # width on which routed experts work where it is not the hidden size
    shared_ffn: int = 0  # of all shared experts together where it is not theirs times the width of a routed one
    lookup_width: int = 0  # of embeddings that every layer adds by look-up

    @property
    def moe_layers(self) -> int:
        """Layers whose MLP is a mixture of experts."""
        return (self.layers - self.without_mlp - self.dense_layers) // self.moe_every if self.experts else 0

    @property
    def reductions(self) -> int:
        """All-reduces of a pass between tensor-parallel ranks that keep whole states."""
        parts = self.layers * (1 if self.parallel_block else 2)
        return parts - self.without_mlp - self.without_attention

    @property
    def plain_layers(self) -> int:
        """Layers with a dense MLP."""
        return self.layers - self.without_mlp - self.moe_layers

    @cached_property
    def full_heads(self) -> Heads:
        """Of layers whose queries reach the whole context; latent attention as what its scores and values are."""
        if self.latent is not None:
            return Heads(self.heads, self.heads, self.latent.nope + self.latent.rope, self.latent.value)
        return Heads(self.heads, self.kv_heads, self.head_dim, self.value_dim or self.head_dim, self.joint_values)

    @cached_property
    def near_heads(self) -> Heads:
        """Of layers with a window."""
        return self.sliding_heads or self.full_heads

    @property
    def attention_layers(self) -> int:
        """Layers with scores and values."""
        return self.layers - self.without_attention - (0 if self.linear_beside else self.linear_layers)

    def _mean(self, of_full: float, of_near: float) -> float:
        """The average attention layer's."""
        near = self.sliding_layers / self.attention_layers if self.sliding_heads else 0.0
        return of_full + near * (of_near - of_full) if near else of_full

    @cached_property
    def query_width(self) -> float:
        """Of the average attention layer's queries."""
        return self._mean(self.heads * self.head_dim, self.near_heads.heads * self.near_heads.key)

    @cached_property
    def kv_width(self) -> float:
        """Width of keys plus values of one token before the heads are repeated, of the average attention layer."""
        width = self.kv_heads * (self.head_dim + (self.value_dim or self.head_dim))
        return self._mean(width, self.near_heads.kv_width)

    @cached_property
    def score_width(self) -> float:
        """Mean of the widths of scores and values summed over heads: attention FLOPs are 4·s²·score_width, full
        matrix."""
        return float(self._mean(self.full_heads.score_width, self.near_heads.score_width))

    @cached_property
    def attention_params(self) -> float:
        """Parameters of the average layer's attention, biases included, or of what a linear layer has instead."""
        weights = self.attention_layers * self._softmax_params + self.linear_layers * self.linear_params
        return weights / self.layers

    @cached_property
    def _softmax_params(self) -> float:
        """Parameters of the average attention layer."""
        if self.attention_weights:
            return self.attention_weights
        full, near = (self._weights_of(heads) for heads in (self.full_heads, self.near_heads))
        lent = self.borrowing_layers * self.full_heads.projected + self.borrowing_sliding * self.near_heads.projected
        return self._mean(full, near) - self.hidden * lent / self.attention_layers

    def _weights_of(self, of: Heads) -> float:
        """Parameters of an attention layer with these heads."""
        width, gate = of.heads * of.key, self.attention_gate * self.hidden * of.heads * of.value
        if self.latent is not None:
            return _latent_params(self, self.latent) + gate
        query = self.hidden * width
        if self.query_rank:
            query = self.query_rank * (self.hidden + width)
        weights = query + gate + self.hidden * (of.projected + of.heads * of.value)
        bias = width + of.kv_width if self.attention_bias or self.biases else 0
        return weights + bias + (self.hidden if self.biases else 0) + (2 * of.key if self.qk_norm else 0)

    @property
    def dispatched_width(self) -> int:
        """Elements of a token on its way to an expert and back."""
        return self.expert_hidden or self.hidden

    @property
    def shared_width(self) -> int:
        """Inner width of all shared experts of a layer together."""
        return self.shared_ffn or self.shared_experts * self.expert_ffn

    def _mlp(self, width: int, hidden: int | None = None) -> int:
        matrices = 3 if self.gated else 2
        biases = (matrices - 1) * width + self.hidden if self.biases else 0
        return matrices * (hidden or self.hidden) * width + biases

    @cached_property
    def mlp_params(self) -> int:
        """Parameters of one dense layer's MLP."""
        return self._mlp(self.ffn)

    @cached_property
    def expert_params(self) -> int:
        """Parameters of one routed expert."""
        return self._mlp(self.expert_ffn, self.expert_hidden) if self.experts else 0

    @cached_property
    def router_params(self) -> int:
        """Router, shared experts and the ways into and out of a narrow width of one mixture layer: what every rank
        holds. Shared experts work on the hidden size (Nemotron 3: transformers ``modeling_nemotron_h.py``)."""
        if not self.experts:
            return 0
        shared = self._mlp(self.shared_width) if self.shared_width else 0
        return self.hidden * (self.experts + 2 * self.expert_hidden) + shared

    @property
    def norm_params(self) -> int:
        """Both norms of one layer (LayerNorm has a bias, RMSNorm has none)."""
        return (4 if self.biases else 2) * self.hidden

    @cached_property
    def shared_layer_params(self) -> float:
        """Parameters of the average layer without its routed experts."""
        mlp = (self.plain_layers * self.mlp_params + self.moe_layers * self.router_params) / self.layers
        # what is looked up goes through a gate and out of it, and comes of the hidden state by a third product
        return self.attention_params + self.norm_params + mlp + 3 * self.hidden * self.lookup_width

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
        outer = (1 if self.tied else 2) * self.embedding_params + self.positions * self.hidden + self.norm_params // 2
        return outer + self.lookup_params

    @cached_property
    def lookup_params(self) -> int:
        """Parameters that are looked up for every layer and multiply nothing (per-layer embeddings of Gemma 3n and 4,
        transformers ``modeling_gemma4.py``)."""
        return self.vocab * self.lookup_width * self.layers

    @cached_property
    def params(self) -> int:
        """All parameters."""
        return round(self.layers * (self.shared_layer_params + self.expert_layer_params) + self.outer_params)

    @cached_property
    def active_params(self) -> int:
        """Parameters one token passes through (routed experts: only those it is sent to)."""
        share = self.experts_per_token / self.experts if self.experts else 0.0
        layers = self.layers * (self.shared_layer_params + self.expert_layer_params * share)
        return round(layers + self.outer_params - self.lookup_params)

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
        return 4.0 * added(width * count * seen for width, count, _, seen in self._widths(sequence, causal=causal))

    def reaches(
        self, sequence: float | np.ndarray, *, causal: bool = True
    ) -> list[tuple[float, float | np.ndarray, float | np.ndarray]]:
        """(Layers, keys that their queries reach at most, keys that one sees in the mean) over a sequence: all of it,
        or what a layer with a window keeps; the first queries of a causal one see less. Linear layers count as those
        that reach all of it, which bounds what they take. A layer with heads of its own counts for as many as it is
        wider than the average."""
        return [(w * n / self.score_width, reach, seen) for w, n, reach, seen in self._widths(sequence, causal=causal)]

    def _widths(self, sequence: float | np.ndarray, *, causal: bool) -> list[tuple]:
        """The same with the width of scores and values in front."""
        found, linear = [], 0 if self.linear_beside else self.linear_layers
        for one in self._kinds:
            reach, context = one.looked_at(sequence), sequence / one.every
            seen = reach * (1.0 - 0.5 * reach / context) if causal else reach
            found.append((one.heads.score_width, one.layers, reach, seen))
        if linear:
            seen = sequence * 0.5 if causal else sequence
            found.append((self.full_heads.score_width, linear, sequence, seen))
        return found

    def train_flops(self, sequence: float | np.ndarray, *, causal: bool = True) -> float | np.ndarray:
        """Model FLOPs per token of forward and backward (backward is twice forward); recompute is not counted."""
        return 3.0 * (2.0 * self.matmul_params + self.attention_flops(sequence, causal=causal))

    @property
    def full_layers(self) -> int:
        """Layers whose queries reach the whole context, token by token."""
        return self.attention_layers - self.sliding_layers

    @cached_property
    def _kinds(self) -> list[Reach]:
        """Attention layers by what they keep. A layer that compresses keeps a window beside (DeepSeek-V4)."""
        seen = float(self.sparse_keys or np.inf)
        kinds = [Reach(self.full_layers, self.full_heads, seen=seen)]
        kinds.append(Reach(self.sliding_layers, self.near_heads, most=float(self.window or np.inf)))
        kinds += [Reach(layers, self.full_heads, every, seen=seen) for every, layers in self.compressed]
        return [one for one in kinds if one.layers]

    def _kept_width(self, of: Heads) -> int:
        """Elements that one layer keeps of a token (latent attention: its compressed form)."""
        heads = of.kv_width if self.latent is None else self.latent.kv_rank + self.latent.rope
        return self.cache_width or heads

    def _keeping(self, kind: Reach) -> int:
        """Layers of a kind that keep keys and values of their own."""
        borrowed = self.borrowing_sliding if np.isfinite(kind.most) else self.borrowing_layers
        return kind.layers - borrowed

    def kv_bytes(self, context: float | np.ndarray, precision: str = "bf16") -> float | np.ndarray:
        """Cache of one request with so many tokens behind it: keys and values of each layer that keeps its own, what
        indexes keep, and the state of linear layers in 16 bits.

        A layer that borrows keeps none (cross-layer attention, 2405.12981); a window keeps its tokens; compressed
        layers one entry for so many tokens; an index one key for each entry (DeepSeek-V3.2: 128 bytes a token).
        """
        kept = added(self._keeping(one) * self._kept_width(one.heads) * one.kept(context) for one in self._kinds)
        index = self.index_layers * self.index_bytes * context
        return kept * element_bytes(precision) + index + 2.0 * self.linear_layers * self.linear_state

    def read_bytes(self, context: float | np.ndarray, precision: str = "bf16") -> float | np.ndarray:
        """What decoding one token reads of that: of sparse layers only the entries that a query looks at; a layer that
        borrows reads what is lent."""
        read = added(one.layers * self._kept_width(one.heads) * one.looked_at(context) for one in self._kinds)
        index = self.index_layers * self.index_bytes * context
        return read * element_bytes(precision) + index + 2.0 * self.linear_layers * self.linear_state

    def kv_share(self, tp: int) -> float:
        """Part of the cache on one of ``tp`` ranks: heads are spread, at least one on each; a latent one is whole."""
        return 1.0 if self.latent is not None else max(1.0 / tp, 1.0 / self.kv_heads)

    def decode_attention_flops(self, context: float | np.ndarray) -> float | np.ndarray:
        """FLOPs of scores and values of one decoded token; latent attention multiplies in its compressed form
        (2405.04434)."""
        if self.latent is None:
            return self.visible_attention_flops(context)
        seen = added(one.layers * one.looked_at(context) for one in self._kinds)
        each = 2.0 * self.heads * (2 * self.latent.kv_rank + self.latent.rope)
        return each * seen + self._index_flops(context)

    def visible_attention_flops(self, behind: float | np.ndarray) -> float | np.ndarray:
        """FLOPs per prompt token of scores and values with so many tokens before it on average."""
        scored = added(one.layers * one.heads.score_width * one.looked_at(behind) for one in self._kinds)
        return 4.0 * scored + self._index_flops(behind)

    def _index_flops(self, context: float | np.ndarray) -> float | np.ndarray:
        """FLOPs in which indexes choose the entries that one token's query looks at."""
        return 2.0 * self.index_layers * self.index_width * context

    def growing(self) -> list[tuple[int, int, int]]:
        """(Layers, elements of an entry, tokens that become one entry) of layers that keep keys and values of their own
        and keep more of a longer context."""
        kinds = [one for one in self._kinds if not np.isfinite(one.most)]
        return [(self._keeping(one), self._kept_width(one.heads), one.every) for one in kinds]

    def kv_bytes_per_token(self, precision: str = "bf16") -> float:
        """Key/value cache of one more token of a long context."""
        each = added(layers * width / every for layers, width, every in self.growing())
        return float(each * element_bytes(precision) + self.index_layers * self.index_bytes)


def _latent_params(a: Architecture, latent: LatentAttention) -> int:
    """Parameters of one latent-attention layer with its two inner norms (DeepSeek-V2, 2405.04434, section 2.1)."""
    per_head = latent.nope + latent.rope
    query = a.hidden * a.heads * per_head
    if latent.q_rank:
        query = a.hidden * latent.q_rank + latent.q_rank + latent.q_rank * a.heads * per_head
    key_value = a.hidden * (latent.kv_rank + latent.rope) + latent.kv_rank
    key_value += latent.kv_rank * a.heads * (latent.nope + latent.value)
    return query + key_value + a.heads * latent.value * a.hidden
