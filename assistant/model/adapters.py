"""Low-rank adapters on a frozen model (LoRA, QLoRA): what is trained, and in what form the rest is held.

LoRA (Hu et al., 2106.09685) puts beside a frozen product W of k × n two trained ones, A of k × r and B of r × n: r·(k +
n) parameters. QLoRA (Dettmers et al., 2305.14314) holds the frozen layers in four bits and multiplies in sixteen.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from .architecture import BYTES, Architecture

ATTENTION, ALL_LINEAR = "attention", "all-linear"
# Four bits, an 8-bit constant for each 64 weights and a 32-bit one for each 256 of those (2305.14314, section 3).
NF4_BYTES = (4.0 + 8.0 / 64 + 32.0 / (64 * 256)) / 8


class Module(NamedTuple):
    """One product of the average layer that adapters stand beside: parameters into and out of it, how many there
    are."""

    into: float
    out: float
    number: float


@dataclass(frozen=True)
class Adapters:
    """``rank`` of the adapters, the products they stand beside, and how the frozen layers are held: a precision or
    ``nf4``; embeddings and head are held in 16 bits whatever the layers are."""

    rank: int = 16
    targets: str = ALL_LINEAR
    base: str = "bf16"

    @property
    def base_bytes(self) -> float:
        """Bytes of one frozen weight of a layer, with its share of the constants of its block."""
        return NF4_BYTES if self.quantized else float(BYTES[self.base])

    @property
    def outer_bytes(self) -> float:
        """Bytes of one frozen weight of embeddings, norms outside the layers, and head."""
        return max(2.0, self.base_bytes)

    def moved_bytes(self, weight_bytes: float) -> float:
        """Bytes of one frozen weight of a layer as it is gathered and multiplied: as it is held, but no wider than the
        products' ``weight_bytes`` (PyTorch's FSDP2 makes weights narrower before it gathers them,
        ``MixedPrecisionPolicy.param_dtype``)."""
        return min(self.base_bytes, float(weight_bytes))

    @property
    def quantized(self) -> bool:
        """Whether weights must be made wider before they multiply anything."""
        return self.base == "nf4"

    def beside_mlp(self) -> bool:
        """Whether the MLP's products have adapters, and with them a use for their inputs in the backward pass."""
        return self.targets == ALL_LINEAR

    def dense_params(self, a: Architecture) -> float:
        """Trained parameters of the average layer without its routed experts."""
        return self._params(_attention(a) + (_mlp(a) if self.beside_mlp() else []))

    def expert_params(self, a: Architecture) -> float:
        """Trained parameters of the average layer's routed experts, each of which has adapters of its own."""
        return self._params(_experts(a)) if self.beside_mlp() and a.experts else 0.0

    def params(self, a: Architecture) -> float:
        """All trained parameters."""
        return a.layers * (self.dense_params(a) + self.expert_params(a))

    def held_bytes(self, a: Architecture) -> float:
        """Bytes of the whole frozen model."""
        layers = a.layers * (a.shared_layer_params + a.expert_layer_params)
        return layers * self.base_bytes + a.outer_params * self.outer_bytes

    def active_params(self, a: Architecture) -> float:
        """Trained parameters that one token passes through."""
        share = a.experts_per_token / a.experts if a.experts else 0.0
        return a.layers * (self.dense_params(a) + share * self.expert_params(a))

    def inner_width(self, a: Architecture) -> float:
        """Elements per token between A and B, all of a layer's adapters together."""
        modules = _attention(a) + (_mlp(a) if self.beside_mlp() else [])
        routed = _experts(a) if self.beside_mlp() and a.experts else []
        visited = a.experts_per_token / a.experts if a.experts else 0.0
        return self.rank * (sum(one.number for one in modules) + visited * sum(one.number for one in routed))

    def _params(self, modules: list[Module]) -> float:
        return sum(self.rank * (one.into + one.out) * one.number for one in modules)


def _attention(a: Architecture) -> list[Module]:
    """Queries, keys, values and output by themselves; latent attention its factors."""
    h = float(a.hidden)
    if a.latent is None:
        keys = a.kv_width / 2.0
        return [Module(h, a.query_width, 1.0), Module(h, keys, 2.0), Module(a.query_width, h, 1.0)]
    latent, per_head = a.latent, a.latent.nope + a.latent.rope
    query = [Module(h, a.heads * per_head, 1.0)]
    if latent.q_rank:
        query = [Module(h, latent.q_rank, 1.0), Module(latent.q_rank, a.heads * per_head, 1.0)]
    return [
        *query,
        Module(h, latent.kv_rank + latent.rope, 1.0),
        Module(latent.kv_rank, a.heads * (latent.nope + latent.value), 1.0),
        Module(a.heads * latent.value, h, 1.0),
    ]


def _mlp(a: Architecture) -> list[Module]:
    """The dense MLP and the shared experts of the average layer; the router stays as it is."""
    dense, shared = a.plain_layers / a.layers, a.shared_experts * a.moe_layers / a.layers
    width = a.shared_width // max(a.shared_experts, 1)
    return _halves(a, a.ffn, dense) + (_halves(a, width, shared) if shared else [])


def _experts(a: Architecture) -> list[Module]:
    return _halves(a, a.expert_ffn, a.experts * a.moe_layers / a.layers)


def _halves(a: Architecture, width: int, count: float) -> list[Module]:
    into = Module(float(a.hidden), float(width), (2.0 if a.gated else 1.0) * count)
    return [into, Module(float(width), float(a.hidden), count)]
