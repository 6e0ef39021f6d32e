"""The questionnaire: everything the planner may be told, and what the house knows of each field (:class:`About`).

Only ``workload``, ``model``, ``cluster.gpu`` and ``cluster.gpus`` are needed, of serving the first two. What is missing
stays ``None`` here; the planner fills it in and lists every assumption.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    model_validator,
)

from .fields import About, RegisteredField, registry
from .quantities import Count, Days, Gbps, Percent, Ratio, Usd, Whole, YesNo, shown

TRAINING = ("pretraining", "finetuning", "rlhf")
SERVING = ("inference", "disaggregated-inference", "batch-inference")
WORKLOADS = (*TRAINING, *SERVING)
RARELY = ("diloco", "localsgd", "fedavg")  # islands that meet once in many steps
STRATEGIES = ("ddp", "zero1", "zero2", "fsdp", "hsdp", "async", *RARELY)
PRECISIONS = ("fp32", "fp16", "bf16", "fp8")

Workload = Literal["pretraining", "finetuning", "rlhf", "inference", "disaggregated-inference", "batch-inference"]
Strategy = Literal["ddp", "zero1", "zero2", "fsdp", "hsdp", "async", "diloco", "localsgd", "fedavg"]
Precision = Literal["fp32", "fp16", "bf16", "fp8"]
ServedPrecision = Literal["fp32", "fp16", "bf16", "fp8", "int8", "int4", "mxfp4", "nvfp4"]


def _identifier(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"expected a catalog id, got {shown(value)}")
    return value.strip()


_OTHER_NAMES = {
    "zero3": "fsdp",
    "fullshard": "fsdp",
    "hybridshard": "hsdp",
    "dp": "ddp",
    "localsgd": "localsgd",
    "federatedaveraging": "fedavg",
}


def _zero3_is_fsdp(value: Any) -> Any:
    """ZeRO-3 and FSDP full shard are the same communication; DeepSpeed's name is accepted."""
    if isinstance(value, str):
        name = value.strip().lower().replace("-", "").replace("_", "").replace(" ", "")
        return _OTHER_NAMES.get(name, value.strip().lower().replace("-", ""))
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


class Cluster(Section):
    """The machines: which GPU, how many, how they are joined."""

    gpu: Annotated[
        Id, About("GPU", "id", "Which GPU?", "nothing: it is needed", words=("gpu [type|model]",), span="gpu")
    ]
    gpus: Annotated[
        Annotated[Whole, Field(ge=1, le=1_000_000)],
        About("GPUs", "count", "How many GPUs?", "nothing: it is needed", span="number", sensible=(1, 200_000),
              words=("gpus", "cards", "accelerators", "gpu count", "number of gpus")),
    ]  # fmt: skip
    gpus_per_node: Annotated[
        Annotated[Whole, Field(ge=1, le=1024)] | None,
        About("GPUs per node", "count", "How many GPUs are in a node?", "the usual node of the GPU", span="number",
              words=("gpus (per|in each|in a) (node|server|machine|box|host)", "gpus per node"), sensible=(1, 72)),
    ] = None  # fmt: skip
    nics_per_node: Annotated[
        Annotated[Whole, Field(ge=1, le=256)] | None,
        About("NICs per node", "count", "How many network adapters are in a node?", "one per GPU for RDMA, one for TCP",
              words=("nics (per|in each|in a) (node|server|machine|box|host)", "nics", "hcas",
                     "network (cards|adapters)"),
              span="number", sensible=(1, 64)),
    ] = None  # fmt: skip
    fabric: Annotated[
        Id | None,
        About("network", "id", "Which network is there?", "every network is considered", span="fabric",
              words=("network", "fabric", "interconnect")),
    ] = None  # fmt: skip
    provider: Annotated[
        Id | None,
        About("provider", "id", "Who rents out the machines?", "any provider", span="provider",
              words=("[cloud] provider", "cloud", "vendor")),
    ] = None  # fmt: skip
    oversubscription: Annotated[
        Annotated[Ratio, Field(ge=1, le=32)] | None,
        About("oversubscription", "amount", "How far is the network oversubscribed?", "not at all", unit="{}:1",
              words=("oversubscription", "oversubscribed", "blocking [ratio|factor]"), span="number"),
    ] = None  # fmt: skip
    adaptive_routing: Annotated[
        YesNo | None,
        About("adaptive routing", "flag", "Does the network route adaptively?", "as the network usually does",
              words=("adaptive routing",)),
    ] = None  # fmt: skip
    in_network_reduction: Annotated[
        YesNo | None,
        About("in-network reduction", "flag", "Do the switches add (SHARP)?", "they do not, as in most clouds",
              words=("in network (reduction|computing|aggregation)", "sharp")),
    ] = None  # fmt: skip
    lossless: Annotated[
        YesNo | None,
        About("flow control", "flag", "Are flow and congestion control (PFC, ECN) set up on the Ethernet?",
              "they are, where the network is RoCE", words=("lossless ethernet",)),
    ] = None  # fmt: skip
    topology: Annotated[
        Literal["rail", "fat-tree", "rail-only", "plane"] | None,
        About("topology", "choice", "How are the adapters of a node spread over leaf switches?",
              "one leaf for each rail, as reference designs do", words=("[network] topology",)),
    ] = None  # fmt: skip
    planes: Annotated[
        Annotated[Whole, Field(ge=1, le=16)] | None,
        About("planes", "count", "Into how many separate planes is the network split?", "one",
              words=("[network] planes",), span="number", sensible=(1, 8)),
    ] = None  # fmt: skip
    sites: Annotated[
        Annotated[Whole, Field(ge=1, le=1000)],
        About("sites", "count", "In how many places do the machines stand?", "one", span="number",
              words=("sites", "locations", "data centers", "campuses")),
    ] = 1  # fmt: skip
    wan_gbps: Annotated[
        Annotated[Gbps, Field(gt=0, le=1e6)] | None,
        About("link between sites", "amount", "How fast is the link between the sites?", "one site", unit="{} Gb/s",
              words=("wan [link]", "link between [the] sites", "internet [link]"), span="rate"),
    ] = None  # fmt: skip


class Training(Section):
    """One optimizer step and the length of the run; absent for inference."""

    method: Annotated[
        Literal["full", "lora", "qlora"] | None,
        About("method", "choice", "Full fine-tuning, LoRA or QLoRA?", "every weight is trained"),
    ] = None
    lora_rank: Annotated[
        Annotated[Whole, Field(ge=1, le=4096)] | None,
        About("LoRA rank", "count", "Which LoRA rank?", "16", words=("[lora] rank", "lora r"), span="number"),
    ] = None
    lora_targets: Annotated[
        Literal["attention", "all-linear"] | None,
        About("LoRA targets", "choice", "Which matrices have adapters?", "every linear layer",
              words=("[lora] targets", "target modules")),
    ] = None  # fmt: skip
    sequence_length: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)] | None,
        About("sequence length", "count", "How long are the sequences?", "what is usual for the workload",
              unit="{} tokens", span="number", binary=True, plain=True, sensible=(16, 1 << 21),
              words=("(sequence|seq) [len|length|lengths]", "(context|ctx) [len|length|window|size]", "seqlen",
                     "max seq [len|length]"),
              lookalikes=("vocab", "prompt")),
    ] = None  # fmt: skip
    global_batch: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)] | None,
        About("global batch", "count", "How many sequences does a step take?", "what published runs of this size use",
              unit="{} sequences", plain=True, span="number", sensible=(1, 200_000),
              words=("(global|total|effective|overall) batch [size]", "gbs", "batch size", "batch")),
    ] = None  # fmt: skip
    micro_batch: Annotated[
        Annotated[Whole, Field(ge=1, le=1_000_000)] | None,
        About("micro-batch", "count", "How many sequences does a GPU take at once?", "the best one that fits",
              plain=True, span="number", sensible=(1, 1024),
              words=("micro batch [size]", "microbatch [size]", "mbs", "(per device|per gpu|local) batch "
                                                                       "[size]", "batch [size] per (gpu|device)")),
    ] = None  # fmt: skip
    precision: Annotated[
        Precision, About("precision", "choice", "In which precision?", "bf16", words=("precision", "dtype"))
    ] = "bf16"
    recompute: Annotated[
        Literal["none", "selective", "full"] | None,
        About("recomputation", "choice", "How much is recomputed in the backward pass?", "what fits and is fastest",
              words=("recompute", "(activation|gradient) checkpointing")),
    ] = None  # fmt: skip
    attention: Annotated[
        Literal["flash", "flash-3", "unfused"],
        About("attention", "choice", "Is attention fused (flash)?", "it is", words=("attention",)),
    ] = "flash"
    framework: Annotated[
        Literal["megatron", "fsdp", "deepspeed", "jax", "other"] | None,
        About("framework", "choice", "Which framework trains it?", "a middle one, with a wider band",
              words=("framework", "software", "stack")),
    ] = None  # fmt: skip
    expert_overlap: Annotated[
        Literal["none", "batch", "dualpipe"] | None,
        About("expert overlap", "choice", "What do tokens on the way to their experts hide behind?",
              "as the model's publisher or the framework does it",
              words=("(expert|moe|ep|dispatch) [communication|comm] (overlap|overlapping)",)),
    ] = None  # fmt: skip
    dispatch_precision: Annotated[
        Literal["bf16", "fp8"] | None,
        About("dispatch precision", "choice", "In which precision do tokens travel to their experts?",
              "bf16, or as the model's publisher has it", words=("(expert|moe|token) dispatch (precision|dtype)",
                                                                 "dispatch (precision|dtype)")),
    ] = None  # fmt: skip
    routing_nodes: Annotated[
        Annotated[Whole, Field(ge=1, le=1024)] | None,
        About("nodes per token", "count", "To how many nodes may a token go?", "as many as its model has it",
              unit="{} nodes", words=("nodes per token", "(node|device|group) limited routing", "routing nodes"),
              span="number", sensible=(1, 64)),
    ] = None  # fmt: skip
    tokens: Annotated[
        Annotated[Count, Field(ge=1, le=1e18)] | None,
        About("tokens of the run", "amount", "On how many tokens?", "what is usual for the workload", span="number",
              words=("[training] tokens", "token count", "token budget"), sensible=(1e5, 1e14),
              lookalikes=("tokens per second", "tokens per request")),
    ] = None  # fmt: skip
    days: Annotated[
        Annotated[Days, Field(gt=0, le=36500)] | None,
        About("length of the run", "time", "How long does it run?", "what is usual for the workload", unit="{} days",
              words=("run (time|length|duration)", "duration", "length of the run"), span="time",
              sensible=(0.02, 800)),
    ] = None  # fmt: skip

    @model_validator(mode="after")
    def _one_length(self) -> Training:
        if self.tokens is not None and self.days is not None:
            raise ValueError("expected tokens or days, got both")
        return self


_DEGREE = "the best split is searched for each network"


class Parallelism(Section):
    """How the job is split. ``dp`` follows from the GPUs; when given it is checked."""

    strategy: Annotated[
        Strategy,
        BeforeValidator(_zero3_is_fsdp),
        About("data parallelism", "choice", "How are the weights spread over the GPUs?", _DEGREE,
              words=("(sharding|parallelism) strategy",)),
    ] = "ddp"  # fmt: skip
    tp: Annotated[
        Positive,
        About("tensor parallel", "count", "Over how many GPUs is a layer split?", _DEGREE, span="number",
              words=("tp [size|degree]", "(tensor|model) (parallel|parallelism) [size|degree]"), sensible=(1, 128)),
    ] = 1  # fmt: skip
    pp: Annotated[
        Positive,
        About("pipeline parallel", "count", "Into how many pipeline stages?", _DEGREE, span="number",
              words=("pp [size|degree]", "pipeline (parallel|parallelism|stages|depth) "
                                         "[size|degree]", "stages"), sensible=(1, 256)),
    ] = 1  # fmt: skip
    cp: Annotated[
        Positive,
        About("context parallel", "count", "Over how many GPUs is a sequence split?", _DEGREE, span="number",
              words=("cp [size|degree]", "context (parallel|parallelism) [size|degree]"), sensible=(1, 512)),
    ] = 1  # fmt: skip
    ep: Annotated[
        Positive,
        About("expert parallel", "count", "Over how many GPUs are the experts spread?", _DEGREE, span="number",
              words=("ep [size|degree]", "expert (parallel|parallelism) [size|degree]"), sensible=(1, 1024)),
    ] = 1  # fmt: skip
    etp: Annotated[
        Positive | None,
        About("expert tensor parallel", "count", "Over how many GPUs is one expert split?",
              "one where experts are spread, else as a layer is", span="number",
              words=("etp [size|degree]", "expert tensor (parallel|parallelism) [size|degree]"), sensible=(1, 64)),
    ] = None  # fmt: skip
    dp: Annotated[
        Positive | None,
        About("data parallel", "count", "How many copies of the model?", "it follows from the GPUs", span="number",
              words=("dp [size|degree]", "data (parallel|parallelism) [size|degree]"), sensible=(1, 200_000)),
    ] = None  # fmt: skip
    interleave: Annotated[
        Positive,
        About("interleaving", "count", "How many virtual stages per GPU?", "none", span="number", sensible=(1, 64),
              words=("interleave [d]", "interleaving", "virtual (pipeline|stages) [size|stages]", "vpp", "vp")),
    ] = 1  # fmt: skip
    sequence_parallel: Annotated[
        YesNo,
        About("sequence parallelism", "flag", "Does tensor parallelism share the "
                                              "sequence?", "it does where tp is above 1",
              words=("sequence (parallel|parallelism)", "sp")),
    ] = False  # fmt: skip
    shard_within_node: Annotated[
        YesNo,
        About("sharding within the node", "flag", "Are the weights sharded inside a node only?", "no",
              words=("(shard|sharding) (within|inside) (a|the|each) node",)),
    ] = False  # fmt: skip
    inner_steps: Annotated[
        Positive | None,
        About("inner steps", "count", "How many steps does an island take between two exchanges?",
              "what the method's paper uses", span="number", sensible=(1, 100_000),
              words=("inner steps", "local steps", "steps between (syncs|synchronisations|exchanges)")),
    ] = None  # fmt: skip

    @model_validator(mode="after")
    def _rare(self) -> Parallelism:
        """Inner steps are of islands that meet rarely: they say so where no strategy does."""
        if self.inner_steps is not None and self.strategy not in RARELY:
            if "strategy" in self.model_fields_set:
                raise ValueError(f"expected strategy {', '.join(RARELY)} beside inner_steps, got {self.strategy}")
            self.strategy = "diloco"
        return self


Algorithm = Literal["grpo", "dapo", "rloo", "ppo", "dpo"]
WeightSync = Literal["broadcast", "buckets", "reshard", "checkpoint-engine", "disk"]
_NO_MODEL = "none: rewards are computed by rules"


def _identifier_or_size(value: Any) -> str:
    """A catalog's id, or a number of parameters as people write it: ``350M``, ``7e9``."""
    plain = isinstance(value, (int, float)) and not isinstance(value, bool)
    return f"{value:g}" if plain else _identifier(value)


IdOrSize = Annotated[str, BeforeValidator(_identifier_or_size)]


class Reinforcement(Section):
    """Reinforcement learning: the answers of one step, who writes them, and how new weights get there."""

    algorithm: Annotated[
        Algorithm | None,
        About("algorithm", "choice", "Which algorithm?", "GRPO", words=("rl algorithm", "(rl|policy) (method|loss)")),
    ] = None
    prompts_per_step: Annotated[
        Annotated[Whole, Field(ge=1, le=10_000_000)] | None,
        About("prompts per step", "count", "How many prompts does a step take?", "64, or 1,024 where each has one "
                                                                                 "answer",
              span="number", plain=True, sensible=(1, 100_000),
              words=("prompts [per step]", "(rollout|prompt) batch [size]", "questions per step")),
    ] = None  # fmt: skip
    samples_per_prompt: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000)] | None,
        About("answers per prompt", "count", "How many answers does a prompt get?", "16, or one in PPO",
              span="number", plain=True, sensible=(1, 1024),
              words=("(samples|answers|rollouts|generations|completions|responses) (per|each|for each|for every) "
                     "(prompt|question)", "group size", "rollout n", "num generations")),
    ] = None  # fmt: skip
    prompt_tokens: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)] | None,
        About("prompt length", "count", "How long is a prompt?", "512 tokens", unit="{} tokens", span="number",
              plain=True, words=("rl prompt (length|tokens)",)),
    ] = None  # fmt: skip
    response_tokens: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)] | None,
        About("mean answer", "count", "How long is an answer on average?", "2,048 tokens", unit="{} tokens",
              span="number", plain=True, sensible=(8, 200_000),
              words=("(mean|average|avg|typical) (rollout|trajectory|episode|response) (length|size|tokens)",)),
    ] = None  # fmt: skip
    max_response_tokens: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)] | None,
        About("longest answer", "count", "How long may an answer be?", "four times the mean", unit="{} tokens",
              span="number", plain=True, binary=True, sensible=(8, 1_000_000),
              words=("(max|maximum|longest) (rollout|trajectory|episode|response|answer|completion|generation|new) "
                     "[length|size|tokens]", "(response|answer|generation) (limit|cap)")),
    ] = None  # fmt: skip
    rollout_gpus: Annotated[
        Annotated[Whole, Field(ge=1, le=1_000_000)] | None,
        About("GPUs that generate", "count", "How many of the GPUs only write answers?",
              "none: the same GPUs take turns",
              span="number", words=("(rollout|generation|sampler|actor) gpus",)),
    ] = None  # fmt: skip
    rollout_tensor_parallel: Annotated[
        Positive | None,
        About("tensor parallel of generation", "count", "Over how many GPUs is an engine's copy split?",
              "what writes the answers soonest", span="number", words=("(rollout|generation|engine) tp",),
              sensible=(1, 128)),
    ] = None  # fmt: skip
    rollout_precision: Annotated[
        Precision | None,
        About("precision of generation", "choice", "In which precision are answers written?", "as it is trained",
              words=("(rollout|generation) (precision|dtype)",)),
    ] = None  # fmt: skip
    asynchronous: Annotated[
        YesNo | None,
        About("asynchronous", "flag", "Are answers written while training runs?", "they are not: the phases wait for "
                                                                                  "each other",
              words=("(asynchronous|async) (rl|rollouts|generation|training)",)),
    ] = None  # fmt: skip
    staleness: Annotated[
        Annotated[Whole, Field(ge=0, le=1000)] | None,
        About("steps off policy", "count", "How many steps may answers be older than the weights?",
              "one where it is asynchronous", span="number", sensible=(0, 64),
              words=("(staleness|off policyness)", "steps off [policy]", "(max|maximum) (staleness|lag)")),
    ] = None  # fmt: skip
    weight_sync: Annotated[
        WeightSync | None,
        About("weight sync", "choice", "How do new weights get to who writes the answers?",
              "what is usual for where they are written", words=("weight (sync|synchronisation|synchronization|update)",
                                                                 "refit")),
    ] = None  # fmt: skip
    reference_model: Annotated[
        YesNo | None,
        About("reference model", "flag", "Is there a reference model?", "there is, but for DAPO",
              words=("(reference|ref) (model|policy)", "kl (penalty|loss|term)")),
    ] = None  # fmt: skip
    critic: Annotated[
        IdOrSize | None,
        About("critic", "id", "Which model is the critic?", "none, or in PPO one as large as the policy",
              words=("critic [model]", "value model")),
    ] = None  # fmt: skip
    reward_model: Annotated[
        IdOrSize | None,
        About("reward model", "id", "Which model gives the rewards?", _NO_MODEL, words=("reward model",)),
    ] = None  # fmt: skip

    @model_validator(mode="after")
    def _lengths(self) -> Reinforcement:
        mean, most = self.response_tokens, self.max_response_tokens
        if mean is not None and most is not None and mean > most:
            raise ValueError(f"expected response_tokens of at most max_response_tokens ({most}), got {mean}")
        if self.staleness and self.asynchronous is False:
            raise ValueError(f"expected asynchronous beside staleness {self.staleness}, got false")
        return self


class Inference(Section):
    """Serving: how a request looks and how many come; ``tokens`` and ``requests`` of a job that ends, in bulk."""

    tensor_parallel: Annotated[
        Positive | None,
        About("tensor parallel", "count", "Over how many GPUs is a copy split?", "what fits and carries most",
              span="number", words=("tp [size|degree]", "tensor (parallel|parallelism) "
                                                        "[size|degree]"), sensible=(1, 128)),
    ] = None  # fmt: skip
    pipeline_parallel: Annotated[
        Positive | None,
        About("pipeline stages of a copy", "count", "Into how many stages is a copy split?", "as few as hold it",
              span="number", words=("pipeline stages of a copy", "stages per copy"), sensible=(1, 64)),
    ] = None  # fmt: skip
    data_parallel: Annotated[
        Positive | None,
        About("attention replicas", "count", "How many replicas of the attention share the experts?",
              "what fits and carries most", span="number", words=("attention replicas", "dp attention"),
              sensible=(1, 512)),
    ] = None  # fmt: skip
    expert_parallel: Annotated[
        Positive | None,
        About("GPUs that share the experts", "count", "Over how many GPUs are the experts of a copy spread?",
              "all of a copy with attention replicas, else one", span="number",
              words=("gpus that share the experts",), sensible=(1, 512)),
    ] = None  # fmt: skip
    prompt_tokens: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)],
        About("prompt length", "count", "How many tokens has a prompt?", "2,000", unit="{} tokens", span="number",
              words=("prompt (length|tokens|size)", "input (tokens|length)", "isl"), sensible=(1, 2_000_000)),
    ] = 2000  # fmt: skip
    output_tokens: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)],
        About("answer length", "count", "How many tokens has an answer?", "500", unit="{} tokens", span="number",
              words=("(output|answer|response|completion) (length|tokens|size)", "osl"), sensible=(1, 200_000)),
    ] = 500  # fmt: skip
    requests_per_s: Annotated[
        Annotated[Count, Field(gt=0, le=1e9)] | None,
        About("load", "amount", "How many requests come per second?", "the cluster is taken as fully used",
              unit="{} requests per second", span="number", words=("load", "requests per second", "qps", "rps")),
    ] = None  # fmt: skip
    tokens_per_s: Annotated[
        Annotated[Count, Field(gt=0, le=1e12)] | None,
        About("output tokens per second", "amount", "How many output tokens per second, of all users together?",
              "as the requests have it", unit="{} output tokens per second", span="number",
              words=("output tokens (per second|a second)", "token (rate|throughput)")),
    ] = None  # fmt: skip
    concurrency: Annotated[
        Annotated[Whole, Field(ge=1, le=100_000_000)] | None,
        About("requests in flight", "count", "How many requests are answered at the same time?", "what fits",
              span="number", words=("concurrent (users|requests|sessions|streams)", "concurrency")),
    ] = None  # fmt: skip
    ttft_ms: Annotated[
        Annotated[Count, Field(gt=0, le=1e7)] | None,
        About("time to first token", "amount", "How long may the first token take?", "no target", unit="{} ms",
              words=("ttft", "time to first token", "first token latency"), span="time"),
    ] = None  # fmt: skip
    tpot_ms: Annotated[
        Annotated[Count, Field(gt=0, le=1e6)] | None,
        About("time per output token", "amount", "How long may each further token take?", "no target", unit="{} ms",
              words=("tpot", "time per output token", "inter token latency", "itl"), span="time"),
    ] = None  # fmt: skip
    tokens: Annotated[
        Annotated[Count, Field(gt=0, le=1e18)] | None,
        About("output tokens of the job", "count", "How many output tokens has the whole job?", "it has no end",
              unit="{} tokens", span="number", words=("output tokens (of the job|in all|in total)",)),
    ] = None  # fmt: skip
    requests: Annotated[
        Annotated[Count, Field(gt=0, le=1e15)] | None,
        About("requests of the job", "count", "How many requests has the whole job?", "it has no end",
              unit="{} requests", span="number",
              words=("(requests|documents|records) (of the job|in all|in total)",)),
    ] = None  # fmt: skip
    precision: Annotated[
        ServedPrecision | None,
        About("precision", "choice", "In which precision is it served?", "as the model is published",
              words=("precision", "dtype", "quantization")),
    ] = None  # fmt: skip
    kv_precision: Annotated[
        Literal["bf16", "fp8"] | None,
        About("cache precision", "choice", "In which precision are keys and values kept?",
              "bf16; fp8 where TensorRT-LLM serves narrower weights",
              words=("(kv|kv cache|cache) (precision|dtype|quantization)",)),
    ] = None  # fmt: skip
    engine: Annotated[
        Literal["vllm", "sglang", "tensorrt-llm"] | None,
        About("engine", "choice", "Which engine serves it?", "the middle of vLLM, SGLang and TensorRT-LLM",
              words=("[serving|inference] engine", "serving (stack|framework)")),
    ] = None  # fmt: skip

    prefill_gpus: Annotated[
        Positive | None,
        About("GPUs of a prefill instance", "count", "How many GPUs has one instance that reads prompts?",
              "what carries most", span="number", words=("gpus (per|of a) prefill (instance|worker)",),
              sensible=(1, 512)),
    ] = None  # fmt: skip
    decode_gpus: Annotated[
        Positive | None,
        About("GPUs of a decode instance", "count", "How many GPUs has one instance that writes answers?",
              "what carries most", span="number", words=("gpus (per|of a) decode (instance|worker)",),
              sensible=(1, 512)),
    ] = None  # fmt: skip
    prefill_workers: Annotated[
        Positive | None,
        About("prefill instances", "count", "How many instances read prompts?", "as many as balance", span="number",
              words=("prefill (instances|workers)",), sensible=(1, 1000)),
    ] = None  # fmt: skip
    decode_workers: Annotated[
        Positive | None,
        About("decode instances", "count", "How many instances write answers?", "as many as balance", span="number",
              words=("decode (instances|workers)",), sensible=(1, 1000)),
    ] = None  # fmt: skip
    cached_percent: Annotated[
        Annotated[Percent, Field(ge=0, lt=100)] | None,
        About("prompt cache hits", "amount", "What share of a prompt's tokens is in the cache already?", "none",
              unit="{} %", span="percent", words=("(prefix|prompt|kv) [cache] hit rate", "cache hits")),
    ] = None  # fmt: skip
    cache_store: Annotated[
        Literal["gpu", "host", "remote"] | None,
        About("where cached prompts are kept", "choice", "Where are the caches of earlier prompts kept?",
              "in GPU memory"),
    ] = None  # fmt: skip

    @property
    def sides(self) -> list[str]:
        """What is said of prefill or of decode alone."""
        names = ("prefill_gpus", "decode_gpus", "prefill_workers", "decode_workers")
        return [name for name in names if getattr(self, name) is not None]

    @property
    def job_tokens(self) -> float | None:
        """Output tokens of the whole job; ``None`` where it has no end."""
        return self.tokens or (self.requests and self.requests * self.output_tokens)

    @property
    def rate(self) -> float | None:
        """Requests per second, as said or as the output tokens per second have it."""
        return self.requests_per_s or (self.tokens_per_s and self.tokens_per_s / self.output_tokens)

    @property
    def sizes(self) -> bool:
        """Whether the load says how many GPUs it takes: a rate does, and users do who must not wait too long."""
        return self.rate is not None or bool(self.concurrency and (self.ttft_ms or self.tpot_ms))

    @model_validator(mode="after")
    def _said_once(self) -> Inference:
        if self.tokens is not None and self.requests is not None:
            raise ValueError("expected tokens or requests of the whole job, got both")
        if self.tokens_per_s is not None and self.requests_per_s is not None:
            raise ValueError("expected requests_per_s or tokens_per_s, got both")
        return self


class Quote(Section):
    """What somebody offers to this job: the price of a GPU-hour, or a sum.

    Renting, a sum is that of the run, or of ``months`` months where a term is given; buying, it is that of the whole
    cluster, or of the network alone where it is far less than its GPUs cost. ``provider`` need not be in the catalog.
    ``oversubscription``, ``nics_per_node`` and ``gbps_per_nic`` are of its network, where it says so: else
    ``cluster``'s, or what the provider lists. ``includes`` are ids of the catalog's ``quote_items``.
    """

    fabric: Id | None = None  # null: what the provider sells with this GPU
    usd: Annotated[Usd, Field(gt=0, le=1e13)] | None = None
    gpu_hour_usd: Annotated[Usd, Field(gt=0, le=1e5)] | None = None
    provider: Annotated[str, BeforeValidator(_identifier), Field(max_length=100)] | None = None
    months: Annotated[Count, Field(gt=0, le=240)] | None = None
    oversubscription: Annotated[Ratio, Field(ge=1, le=32)] | None = None
    nics_per_node: Annotated[Whole, Field(ge=1, le=256)] | None = None
    gbps_per_nic: Annotated[Gbps, Field(gt=0, le=12_800)] | None = None  # null: the line rate of the fabric
    includes: list[Id] = Field(default_factory=list)
    note: Annotated[str, Field(max_length=1000)] = ""

    @property
    def tells_adapters(self) -> bool:
        """Whether it says how many adapters a node has, or at which rate."""
        return self.nics_per_node is not None or self.gbps_per_nic is not None

    @model_validator(mode="after")
    def _one_price(self) -> Quote:
        if (self.usd is None) == (self.gpu_hour_usd is None):
            raise ValueError(f"expected usd or gpu_hour_usd, got {'neither' if self.usd is None else 'both'}")
        if self.fabric is None and self.provider is None:
            raise ValueError("expected fabric or provider, got neither: a price alone is budget.gpu_hour_usd")
        return self


class Budget(Section):
    """Money: renting or buying, what is quoted, what may be spent."""

    mode: Annotated[
        Literal["rent", "buy"],
        About("machines", "choice", "Rented or bought?", "rented", words=("machines",)),
    ] = "rent"
    usd: Annotated[
        Annotated[Usd, Field(gt=0, le=1e13)] | None,
        About("budget", "money", "What may it cost in all?", "no limit", unit="${}", span="money", sensible=(100, 1e11),
              words=("[total|overall] budget", "spending [limit|cap]", "funding", "cost (limit|cap|ceiling)"),
              lookalikes=("(token|power|time|memory|latency|error|thermal|compute|energy) budget",)),
    ] = None  # fmt: skip
    usd_per_month: Annotated[
        Annotated[Usd, Field(gt=0, le=1e12)] | None,
        About("budget per month", "money", "What may it cost a month?", "no limit", unit="${} per month",
              span="money/month", words=("monthly (budget|spend|limit|cap)", "budget per month")),
    ] = None  # fmt: skip
    reserved_days: Annotated[
        Annotated[Days, Field(gt=0, le=36500)] | None,
        About("reservation", "time", "For how long are the machines reserved?", "no longer than the run",
              unit="{} days", span="time", sensible=(1, 2000),
              words=("(reservation|reserved term|rental term|commitment) [period|length]",)),
    ] = None  # fmt: skip
    network_share_percent: Annotated[
        Annotated[Percent, Field(gt=0, le=100)] | None,
        About("share for the network", "amount", "Which share of the money may the network take?", "any share",
              unit="{} %", span="percent", words=("network (share|budget share)", "share (for|of) the network"),
              sensible=(1, 60)),
    ] = None  # fmt: skip
    quotes: Annotated[
        Annotated[list[Quote], Field(max_length=20)],
        About("quotes", "list", "Which offers do you have in writing?", "the dated offers of the catalog",
              words=("quotes", "quotations")),
    ] = Field(default_factory=list)  # fmt: skip
    gpu_hour_usd: Annotated[
        Annotated[Usd, Field(gt=0, le=1e5)] | None,
        About("price", "money", "What does a GPU-hour cost?", "the dated price of the catalog",
              unit="${} per GPU-hour", span="money/gpu-hour", sensible=(0.05, 100),
              words=("(gpu|hourly|quoted|unit) (price|rate|cost)", "price", "rate", "gpu hours")),
    ] = None  # fmt: skip
    fabric_premium_gpu_hour_usd: Annotated[
        Annotated[Usd, Field(ge=0, le=1e5)] | None,
        About("price of the network", "money", "What does the network cost on top of a GPU-hour?",
              "the dated price of the catalog", unit="${} per GPU-hour", span="money/gpu-hour", sensible=(0.001, 20),
              words=("(network|fabric|interconnect|infiniband|roce) "
                     "(premium|surcharge|uplift)", "premium", "surcharge")),
    ] = None  # fmt: skip
    amortization_months: Annotated[
        Annotated[Whole, Field(ge=1, le=240)] | None,
        About("amortisation", "time", "Over how many months is it written off?", "36 months", unit="{} months",
              span="time", words=("amortization [period]", "depreciation [period]", "write off [period]"),
              sensible=(6, 120)),
    ] = None  # fmt: skip
    electricity_usd_per_kwh: Annotated[
        Annotated[Usd, Field(ge=0, le=100)] | None,
        About("electricity", "money", "What does a kWh cost?", "the dated price of the catalog", unit="${} per kWh",
              span="money/kwh", words=("electricity [price|cost|rate]", "power (price|cost|rate)",
                                       "energy (price|cost)"),
              sensible=(0.005, 2)),
    ] = None  # fmt: skip
    spot: Annotated[
        YesNo,
        About("spot instances", "flag", "On machines that can be taken away?", "no",
              words=("spot [instances|machines|capacity]", "preemptible [instances|machines]")),
    ] = False  # fmt: skip

    @model_validator(mode="after")
    def _quoted_once(self) -> Budget:
        if self.quotes and self.gpu_hour_usd is not None:
            raise ValueError("expected no gpu_hour_usd beside quotes, as each quote has its own price")
        return self

    @property
    def on_spot(self) -> bool:
        """Whether machines can be taken away: rented ones alone, and none that are reserved for a term."""
        return self.spot and self.mode == "rent" and self.reserved_days is None


class Constraints(Section):
    """What must hold, whatever the price."""

    max_slowdown_percent: Annotated[
        Annotated[Percent, Field(ge=0, le=1e6)] | None,
        About("slowdown accepted", "amount", "How much slower than the fastest network may it be?", "any slowdown",
              unit="{} %", span="percent", words=("[max|maximum] slowdown [limit]", "performance loss"), sensible=(0,
                                                                                                                   500)),
    ] = None  # fmt: skip
    deadline_days: Annotated[
        Annotated[Days, Field(gt=0, le=36500)] | None,
        About("deadline", "time", "When must it be done?", "no deadline", unit="{} days", span="time",
              words=("deadline", "due date", "time limit", "cutoff [date]"), sensible=(0.02, 2000)),
    ] = None  # fmt: skip
    vendor_neutral: Annotated[
        YesNo,
        About("vendor neutral", "flag", "Must more than one vendor sell the network?", "one vendor is fine",
              words=("vendor (neutral|neutrality)", "vendor lock in")),
    ] = False  # fmt: skip
    network_team: Annotated[
        Literal["none", "some", "expert"],
        About("network team", "choice", "Who runs the network?", "people with some network knowledge",
              words=("network (team|people|engineers|skills)",)),
    ] = "some"  # fmt: skip
    max_power_kw: Annotated[
        Annotated[Count, Field(gt=0, le=1e7)] | None,
        About("power limit", "amount", "How much power may machines and network draw together?", "no limit",
              unit="{} kW",
              words=("power (limit|budget|cap|envelope|ceiling)", "(max|maximum) power", "electrical (limit|capacity)"),
              span="power", sensible=(0.2, 1e6)),
    ] = None  # fmt: skip
    excluded_fabrics: Annotated[
        list[Id],
        About("ruled out", "list", "Which networks are out of the question?", "none",
              words=("excluded (fabrics|networks)",)),
    ] = Field(default_factory=list)  # never considered: "no InfiniBand"  # fmt: skip


_OPEN = {"gpu": "open", "gpus": 1}


class Questionnaire(Section):
    """What the person said, before anything is assumed."""

    name: Annotated[
        Annotated[str, BeforeValidator(_name), Field(min_length=1, max_length=200)] | None,
        About("name", "id", "What is the plan called?", "no name"),
    ] = None
    workload: Annotated[
        Workload, About("workload", "choice", "What is to be done?", "nothing: it is needed", words=("workload", "job"))
    ]
    model: Annotated[
        Id | ModelShape,
        About("model", "id", "Which model?", "nothing: it is needed", words=("model",), span="model"),
    ]
    cluster: Cluster
    training: Training | None = None
    parallelism: Annotated[
        Literal["auto"] | Parallelism,
        About("parallelism", "choice", "How is the model split over the GPUs?", _DEGREE,
              words=("parallelism", "split", "sharding")),
    ] = "auto"  # fmt: skip
    rl: Reinforcement | None = None
    inference: Inference | None = None
    budget: Budget = Field(default_factory=Budget)
    constraints: Constraints = Field(default_factory=Constraints)
    _converted: tuple[tuple[str, str, float], ...] = ()
    _sized_by_load: tuple[str, ...] = ()

    @model_validator(mode="wrap")
    @classmethod
    def _without_gpus(cls, given: Any, handler: ModelWrapValidatorHandler[Questionnaire]) -> Questionnaire:
        """Of a job that serves the GPUs may be left open: their number follows from the load."""
        cluster = given.get("cluster") if isinstance(given, Mapping) and given.get("workload") in SERVING else False
        if cluster is not None and not isinstance(cluster, Mapping):
            return handler(given)
        said = {name: value for name, value in (cluster or {}).items() if name not in _OPEN or value is not None}
        left = tuple(name for name in _OPEN if name not in said)
        made = handler({**given, "cluster": {**_OPEN, **said}} if left else given)
        made._sized_by_load = left
        return made

    @property
    def sized_by_load(self) -> tuple[str, ...]:
        """Which of ``gpu`` and ``gpus`` nobody said: what stands in the cluster then only holds their place."""
        return self._sized_by_load

    def with_gpus_said(self) -> Questionnaire:
        """The same, with what stands in its cluster as said."""
        self._sized_by_load = ()
        return self

    @property
    def converted(self) -> tuple[tuple[str, str, float], ...]:
        """What was said in another currency: its code, the amount in the person's words, US dollars."""
        return self._converted

    def with_converted(self, converted: Iterable[tuple[str, str, float]]) -> Questionnaire:
        """The same, with what was said in another currency."""
        self._converted = tuple(converted)
        return self

    @property
    def serves(self) -> bool:
        return self.workload in SERVING

    @property
    def latest_days(self) -> float | None:
        """Days that work may take and keeps the deadline; of serving without a job that ends none."""
        deadline = self.constraints.deadline_days
        if self.serves:
            return deadline if self.inference is not None and self.inference.job_tokens is not None else None
        return None if deadline is None else latest_days(deadline, self.training.days if self.training else None)

    @property
    def trainers(self) -> int:
        """GPUs that train: all but those that reinforcement learning leaves to generation."""
        return self.cluster.gpus - ((self.rl.rollout_gpus or 0) if self.rl else 0)

    @model_validator(mode="after")
    def _consistent(self) -> Questionnaire:
        cluster, parallelism = self.cluster, self.parallelism
        if self.serves and self.training is not None:
            raise ValueError(f"expected no training section for workload {self.workload}")
        if not self.serves and self.inference is not None:
            raise ValueError(f"expected no inference section for workload {self.workload}")
        if self.workload != "batch-inference" and self.inference is not None and self.inference.job_tokens:
            said = "tokens" if self.inference.tokens else "requests"
            raise ValueError(f"expected inference.{said} with workload batch-inference alone, got {self.workload}")
        if self.workload != "disaggregated-inference" and self.inference is not None and self.inference.sides:
            said = self.inference.sides[0]
            raise ValueError(f"expected inference.{said} with workload disaggregated-inference, got {self.workload}")
        if self.rl is not None:
            self._check_loop(self.rl)
        if cluster.wan_gbps is not None and cluster.sites == 1:
            raise ValueError("expected cluster.sites of at least 2 beside cluster.wan_gbps, got 1")
        if cluster.sites > 1 and cluster.gpus % cluster.sites:
            raise ValueError(f"expected cluster.gpus divisible by cluster.sites ({cluster.sites}), got {cluster.gpus}")
        if isinstance(parallelism, Parallelism):
            split = parallelism.tp * parallelism.pp * parallelism.cp
            gpus, whose = self.trainers, "the GPUs that train" if self.trainers < cluster.gpus else "cluster.gpus"
            if gpus % split:
                raise ValueError(f"expected tp·pp·cp to divide {whose} ({gpus}), got {split}")
            experts = parallelism.ep * (parallelism.etp or 1)
            if parallelism.etp is not None and (gpus // parallelism.pp) % experts:
                raise ValueError(f"expected ep·etp to divide {whose} ÷ pp ({gpus // parallelism.pp}), got {experts}")
            if parallelism.dp is not None and split * parallelism.dp != gpus:
                raise ValueError(f"expected tp·pp·cp·dp to be {whose} ({gpus}), got {split * parallelism.dp}")
        return self

    def _check_loop(self, rl: Reinforcement) -> None:
        if self.workload != "rlhf":
            raise ValueError(f"expected no rl section for workload {self.workload}")
        if rl.rollout_gpus is not None and rl.rollout_gpus >= self.cluster.gpus:
            raise ValueError(
                f"expected rl.rollout_gpus below cluster.gpus ({self.cluster.gpus}), as somebody must train, "
                f"got {rl.rollout_gpus}"
            )
        if rl.algorithm == "dpo" and (rl.rollout_gpus or rl.asynchronous):
            raise ValueError("expected no rollout_gpus and nothing asynchronous for dpo, which writes no answers")


def latest_days(deadline_days: float, run_days: float | None) -> float:
    """Days that keep a deadline. Where the run is given in days and not in tokens, its work is what the fastest network
    does in them: one that needs no more than a percent longer for just that is not late."""
    return deadline_days * (1.0 if run_days is None else 1.01)


FIELDS: Mapping[str, RegisteredField] = registry(Questionnaire)
"""What is known of every field, by its dotted path."""
