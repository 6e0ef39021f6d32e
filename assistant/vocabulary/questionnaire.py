"""The questionnaire: everything the planner may be told.

Only ``workload``, ``model``, ``cluster.gpu`` and ``cluster.gpus`` are needed. What is missing stays
``None`` here; the planner fills it in and lists every assumption.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from .quantities import Count, Days, Gbps, Percent, Ratio, Usd, Whole, YesNo, shown

WORKLOADS = ("pretraining", "finetuning", "rlhf", "inference", "disaggregated-inference", "batch-inference")
STRATEGIES = ("ddp", "zero1", "zero2", "fsdp", "hsdp", "async", "diloco")
PRECISIONS = ("fp32", "fp16", "bf16", "fp8")

Workload = Literal["pretraining", "finetuning", "rlhf", "inference", "disaggregated-inference", "batch-inference"]
Strategy = Literal["ddp", "zero1", "zero2", "fsdp", "hsdp", "async", "diloco"]
Precision = Literal["fp32", "fp16", "bf16", "fp8"]


def _identifier(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a catalog id, got {shown(value)}")
    return value.strip()


def _zero3_is_fsdp(value: Any) -> Any:
    """ZeRO-3 and FSDP full shard are the same communication; DeepSpeed's name is accepted."""
    if isinstance(value, str):
        name = value.strip().lower().replace("-", "").replace("_", "")
        return {"zero3": "fsdp", "fullshard": "fsdp", "hybridshard": "hsdp", "dp": "ddp"}.get(
            name, value.strip().lower().replace("-", "")
        )
    return value


def _name(value: Any) -> Any:
    """A name may look like a number; it is text all the same."""
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            raise ValueError(f"expected text that can be written as UTF-8, got {shown(value)}") from None
    return str(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value


Id = Annotated[str, BeforeValidator(_identifier)]
Positive = Annotated[Whole, Field(ge=1)]


class Section(BaseModel):
    """A part of the questionnaire: unknown keys are refused, nothing is coerced silently."""

    model_config = ConfigDict(extra="forbid", protected_namespaces=(), allow_inf_nan=False)


class ModelShape(Section):
    """An inline architecture, or just ``{params: 70e9}``. Frozen, so that what is worked out for it can be kept."""

    model_config = ConfigDict(frozen=True)

    params: Annotated[Count, Field(ge=1e6, le=1e14)] | None = None
    layers: Annotated[Whole, Field(ge=1, le=2000)] | None = None
    hidden: Annotated[Whole, Field(ge=32, le=1_000_000)] | None = None
    heads: Annotated[Whole, Field(ge=1, le=4096)] | None = None
    kv_heads: Annotated[Whole, Field(ge=1, le=4096)] | None = None
    ffn: Annotated[Whole, Field(ge=1, le=4_000_000)] | None = None
    vocab: Annotated[Whole, Field(ge=1, le=10_000_000)] | None = None
    gated_mlp: YesNo = True
    tied_embeddings: YesNo = False
    experts: Annotated[Whole, Field(ge=0, le=100_000)] = 0
    experts_per_token: Annotated[Whole, Field(ge=0, le=1000)] = 0
    expert_ffn: Annotated[Whole, Field(ge=1, le=4_000_000)] | None = None

    @model_validator(mode="after")
    def _complete(self) -> ModelShape:
        dimensions = {
            "layers": self.layers,
            "hidden": self.hidden,
            "heads": self.heads,
            "ffn": self.ffn,
            "vocab": self.vocab,
        }
        given = [name for name, value in dimensions.items() if value is not None]
        if not given and self.params is None:
            raise ValueError("expected params, or layers, hidden, heads, ffn and vocab, got neither")
        missing = [name for name in dimensions if name not in given]
        if given and missing:
            raise ValueError(
                f"expected {', '.join(missing)} beside {', '.join(given)}: an inline model is either just params or complete"
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
        return self


class Cluster(Section):
    """The machines: which GPU, how many, how they are joined."""

    gpu: Id
    gpus: Annotated[Whole, Field(ge=1, le=1_000_000)]
    gpus_per_node: Annotated[Whole, Field(ge=1, le=1024)] | None = None
    nics_per_node: Annotated[Whole, Field(ge=1, le=256)] | None = None
    fabric: Id | None = None
    provider: Id | None = None
    oversubscription: Annotated[Ratio, Field(ge=1, le=32)] | None = None
    adaptive_routing: YesNo | None = None
    sites: Annotated[Whole, Field(ge=1, le=1000)] = 1
    wan_gbps: Annotated[Gbps, Field(gt=0, le=1e6)] | None = None


class Training(Section):
    """One optimizer step and the length of the run; absent for inference."""

    sequence_length: Annotated[Whole, Field(ge=1, le=100_000_000)] | None = None
    global_batch: Annotated[Whole, Field(ge=1, le=100_000_000)] | None = None
    micro_batch: Annotated[Whole, Field(ge=1, le=1_000_000)] | None = None
    precision: Precision = "bf16"
    recompute: Literal["none", "selective", "full"] | None = None
    attention: Literal["flash", "unfused"] = "flash"
    framework: Literal["megatron", "fsdp", "deepspeed", "jax", "other"] | None = None
    tokens: Annotated[Count, Field(ge=1, le=1e18)] | None = None
    days: Annotated[Days, Field(gt=0, le=36500)] | None = None

    @model_validator(mode="after")
    def _one_length(self) -> Training:
        if self.tokens is not None and self.days is not None:
            raise ValueError("expected tokens or days, got both")
        return self


class Parallelism(Section):
    """How the job is split. ``dp`` follows from the GPUs; when given it is checked."""

    strategy: Annotated[Strategy, BeforeValidator(_zero3_is_fsdp)] = "ddp"
    tp: Positive = 1
    pp: Positive = 1
    cp: Positive = 1
    ep: Positive = 1
    dp: Positive | None = None
    interleave: Positive = 1
    sequence_parallel: YesNo = False
    shard_within_node: YesNo = False


class Inference(Section):
    """Serving: how a request looks and how many come."""

    tensor_parallel: Positive | None = None
    prompt_tokens: Annotated[Whole, Field(ge=1, le=100_000_000)] = 2000
    output_tokens: Annotated[Whole, Field(ge=1, le=100_000_000)] = 500
    requests_per_s: Annotated[Count, Field(gt=0, le=1e9)] | None = None
    precision: Precision | None = None


class Budget(Section):
    """Money: renting or buying, what is quoted, what may be spent."""

    mode: Literal["rent", "buy"] = "rent"
    usd: Annotated[Usd, Field(gt=0, le=1e13)] | None = None
    gpu_hour_usd: Annotated[Usd, Field(gt=0, le=1e5)] | None = None
    fabric_premium_gpu_hour_usd: Annotated[Usd, Field(ge=0, le=1e5)] | None = None
    amortization_months: Annotated[Whole, Field(ge=1, le=240)] | None = None
    electricity_usd_per_kwh: Annotated[Usd, Field(ge=0, le=100)] | None = None
    spot: YesNo = False

    @property
    def on_spot(self) -> bool:
        """Whether machines can be taken away: rented ones alone."""
        return self.spot and self.mode == "rent"


class Constraints(Section):
    """What must hold, whatever the price."""

    max_slowdown_percent: Annotated[Percent, Field(ge=0, le=1e6)] | None = None
    deadline_days: Annotated[Days, Field(gt=0, le=36500)] | None = None
    vendor_neutral: YesNo = False
    network_team: Literal["none", "some", "expert"] = "some"
    excluded_fabrics: list[Id] = Field(default_factory=list)  # never considered: "no InfiniBand"


class Questionnaire(Section):
    """What the person said, before anything is assumed."""

    name: Annotated[str, BeforeValidator(_name), Field(min_length=1, max_length=200)] | None = None
    workload: Workload
    model: Id | ModelShape
    cluster: Cluster
    training: Training | None = None
    parallelism: Literal["auto"] | Parallelism = "auto"
    inference: Inference | None = None
    budget: Budget = Field(default_factory=Budget)
    constraints: Constraints = Field(default_factory=Constraints)

    @property
    def serves(self) -> bool:
        return self.workload in ("inference", "disaggregated-inference", "batch-inference")

    @model_validator(mode="after")
    def _consistent(self) -> Questionnaire:
        cluster, parallelism = self.cluster, self.parallelism
        if self.serves and self.training is not None:
            raise ValueError(f"expected no training section for workload {self.workload}")
        if not self.serves and self.inference is not None:
            raise ValueError(f"expected no inference section for workload {self.workload}")
        if cluster.wan_gbps is not None and cluster.sites == 1:
            raise ValueError("expected cluster.sites of at least 2 beside cluster.wan_gbps, got 1")
        if cluster.sites > 1 and cluster.gpus % cluster.sites:
            raise ValueError(f"expected cluster.gpus divisible by cluster.sites ({cluster.sites}), got {cluster.gpus}")
        if isinstance(parallelism, Parallelism):
            split = parallelism.tp * parallelism.pp * parallelism.cp
            if cluster.gpus % split:
                raise ValueError(f"expected tp·pp·cp to divide cluster.gpus ({cluster.gpus}), got {split}")
            if parallelism.dp is not None and split * parallelism.dp != cluster.gpus:
                raise ValueError(
                    f"expected tp·pp·cp·dp to be cluster.gpus ({cluster.gpus}), got {split * parallelism.dp}"
                )
        return self
