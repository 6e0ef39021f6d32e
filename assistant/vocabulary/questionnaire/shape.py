"""The architecture of a model that is given inline."""

from __future__ import annotations

from typing import Annotated

from pydantic import ConfigDict, Field, model_validator

from ..fields import About
from ..quantities import Count, Whole, YesNo
from .section import Section, ServedPrecision

_OF_ITS_SIZE = "what is usual for a model of its size"


class ModelShape(Section):
    """An inline architecture, or just ``{params: 70e9}``. Frozen, so that what is worked out for it can be kept."""

    model_config = ConfigDict(frozen=True)

    params: Annotated[
        Annotated[Count, Field(ge=1e6, le=1e14)] | None,
        About("parameters", "amount", "How many parameters does the model have?", "they follow from the dimensions",
              words=("parameters", "params", "parameter count", "model size"), span="number", sensible=(1e8, 5e12)),
    ] = None  # fmt: skip
    active_params: Annotated[
        Annotated[Count, Field(ge=1e6, le=1e14)] | None,
        About("active parameters", "amount", "How many of the parameters does a token use?", "all of them",
              words=("active [parameters|params]", "activated [parameters|params]"), span="number", sensible=(1e8,
                                                                                                              1e12)),
    ] = None  # fmt: skip
    layers: Annotated[
        Annotated[Whole, Field(ge=1, le=2000)] | None,
        About("layers", "count", "How many layers?", _OF_ITS_SIZE,
              words=("layers", "transformer (blocks|layers)", "num layers"), span="number"),
    ] = None  # fmt: skip
    hidden: Annotated[
        Annotated[Whole, Field(ge=32, le=1_000_000)] | None,
        About("hidden size", "count", "How wide is the model?", _OF_ITS_SIZE, plain=True, span="number", binary=True,
              words=("hidden [size|dim|dimension]", "d model", "model (dim|dimension|width)",
                     "embedding (size|dim|dimension)")),
    ] = None  # fmt: skip
    heads: Annotated[
        Annotated[Whole, Field(ge=1, le=4096)] | None,
        About("attention heads", "count", "How many attention heads?", _OF_ITS_SIZE,
              words=("[attention|query] heads",), lookalikes=("kv heads", "key value heads"), span="number"),
    ] = None  # fmt: skip
    kv_heads: Annotated[
        Annotated[Whole, Field(ge=1, le=4096)] | None,
        About("key-value heads", "count", "How many key-value heads?", "as many as attention heads",
              words=("kv heads", "key value heads", "gqa groups"), span="number"),
    ] = None  # fmt: skip
    ffn: Annotated[
        Annotated[Whole, Field(ge=1, le=4_000_000)] | None,
        About("feed-forward size", "count", "How wide is the feed-forward layer?", _OF_ITS_SIZE, plain=True,
              words=("ffn [size|dim|width|hidden]", "feed forward [size|dim]", "intermediate (size|dim)",
                     "mlp (size|width|dim)"),
              span="number", binary=True),
    ] = None  # fmt: skip
    vocab: Annotated[
        Annotated[Whole, Field(ge=1, le=10_000_000)] | None,
        About("vocabulary", "count", "How many entries has the vocabulary?", _OF_ITS_SIZE, plain=True,
              words=("vocab [size]", "vocabulary [size]"), span="number"),
    ] = None  # fmt: skip
    gated_mlp: Annotated[
        YesNo, About("gated MLP", "flag", "Is the MLP gated (SwiGLU)?", "it is", words=("gated mlp", "swiglu"))
    ] = True
    tied_embeddings: Annotated[
        YesNo,
        About("tied embeddings", "flag", "Are input and output embeddings tied?", "they are not",
              words=("tied embeddings", "weight tying")),
    ] = False  # fmt: skip
    experts: Annotated[
        Annotated[Whole, Field(ge=0, le=100_000)],
        About("experts", "count", "How many experts?", "none: a dense model", words=("experts",), span="number",
              sensible=(2, 4096), lookalikes=("experts per token", "active experts", "network experts")),
    ] = 0  # fmt: skip
    experts_per_token: Annotated[
        Annotated[Whole, Field(ge=0, le=1000)],
        About("experts per token", "count", "How many experts does a token use?", "none: a dense model", span="number",
              words=("experts per token", "(active|activated) experts", "experts active"), sensible=(1, 64)),
    ] = 0  # fmt: skip
    expert_ffn: Annotated[
        Annotated[Whole, Field(ge=1, le=4_000_000)] | None,
        About("expert size", "count", "How wide is one expert?", "as the dense feed-forward layer", plain=True,
              words=("expert (ffn|size|dim|intermediate)", "moe intermediate [size]"), span="number", binary=True),
    ] = None  # fmt: skip

    sliding_window: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)] | None,
        About("sliding window", "count", "How many tokens does a sliding layer keep?", "every layer keeps all",
              unit="{} tokens", words=("sliding window", "attention window"), span="number", binary=True, plain=True),
    ] = None  # fmt: skip
    sliding_layers: Annotated[
        Annotated[Whole, Field(ge=0, le=2000)],
        About("sliding layers", "count", "How many layers keep a window only?", "none", span="number",
              words=("(sliding|local attention|windowed) layers",)),
    ] = 0  # fmt: skip
    linear_layers: Annotated[
        Annotated[Whole, Field(ge=0, le=2000)],
        About("linear layers", "count", "How many layers keep a fixed state instead of keys and values?", "none",
              span="number", words=("(linear attention|mamba|state space|deltanet) layers",)),
    ] = 0  # fmt: skip
    kv_width: Annotated[
        Annotated[Whole, Field(ge=1, le=1_000_000)] | None,
        About("cache width", "count", "How many elements does a layer keep of a token (latent attention: its latent)?",
              "keys and values of all key-value heads", span="number", binary=True, plain=True,
              words=("(kv|cache|latent) (width|rank)",)),
    ] = None  # fmt: skip
    native_precision: Annotated[
        ServedPrecision,
        About("published precision", "choice", "In which precision are the weights published?", "bf16",
              words=("(published|native|checkpoint) (precision|format)",)),
    ] = "bf16"  # fmt: skip

    @model_validator(mode="after")
    def _complete(self) -> ModelShape:
        dimensions = {
            "layers": self.layers, "hidden": self.hidden, "heads": self.heads, "ffn": self.ffn, "vocab": self.vocab
        }  # fmt: skip
        given = [name for name, value in dimensions.items() if value is not None]
        if not given and self.params is None:
            raise ValueError("expected params, or layers, hidden, heads, ffn and vocab, got neither")
        missing = [name for name in dimensions if name not in given]
        if given and missing:
            raise ValueError(
                f"expected {', '.join(missing)} beside {', '.join(given)}: an inline model is either just params or "
                "complete"
            )
        if self.heads and self.hidden and self.hidden % self.heads:
            raise ValueError(f"expected hidden divisible by heads, got hidden {self.hidden} and heads {self.heads}")
        if self.heads and self.kv_heads and self.heads % self.kv_heads:
            raise ValueError(
                f"expected heads divisible by kv_heads, got heads {self.heads} and kv_heads {self.kv_heads}"
            )
        if self.experts_per_token > self.experts:
            raise ValueError(
                f"expected experts_per_token of at most experts ({self.experts}), got {self.experts_per_token}"
            )
        if self.experts and not self.experts_per_token:
            raise ValueError(f"expected experts_per_token of at least 1 beside experts {self.experts}, got 0")
        if self.layers and self.sliding_layers + self.linear_layers > self.layers:
            raise ValueError(
                f"expected sliding_layers and linear_layers of at most layers ({self.layers}), got "
                f"{self.sliding_layers} and {self.linear_layers}"
            )
        if self.sliding_layers and not self.sliding_window:
            raise ValueError(f"expected sliding_window beside sliding_layers {self.sliding_layers}, got none")
        if self.active_params and self.params and self.active_params > self.params:
            raise ValueError(f"expected active_params of at most params ({self.params:g}), got {self.active_params:g}")
        return self
