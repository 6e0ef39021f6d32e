"""The architecture of a catalog model, and a plausible one where only sizes are said."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from assistant.vocabulary.catalog import Model
from assistant.vocabulary.questionnaire import ModelShape

from .architecture import Architecture, Heads, LatentAttention

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
        value_dim=model.value_head_dim or 0,
        joint_values=model.joint_values,
        query_rank=model.q_lora_rank or 0,
        sliding_heads=_sliding_heads(model),
        borrowing_layers=model.borrowing_layers,
        borrowing_sliding=model.borrowing_sliding_layers,
        linear_beside=model.linear_beside_attention,
        without_mlp=model.layers_without_mlp,
        without_attention=model.layers_without_attention,
        attention_weights=model.attention_params or 0,
        compressed=tuple(sorted(model.compressed_layers.items())),
        cache_width=model.cache_width or 0,
        sparse_keys=model.sparse_keys or 0,
        index_width=model.index_width,
        index_bytes=model.index_bytes,
        index_layers=model.index_layers,
        expert_hidden=model.expert_hidden or 0,
        shared_ffn=model.shared_ffn or 0,
        lookup_width=model.lookup_width,
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


def _sliding_heads(model: Model) -> Heads | None:
    """The heads of layers with a window where they are not those of full ones."""
    other = model.sliding_heads
    if other is None:
        return None
    key = other.get("head_dim") or model.head_dim or model.hidden // model.heads
    value = other.get("value_head_dim") or (key if "head_dim" in other else model.value_head_dim or key)
    return Heads(other.get("heads", model.heads), other.get("kv_heads", model.kv_heads), key, value)


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
