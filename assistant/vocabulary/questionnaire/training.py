"""How a model is trained: its run, its split over the GPUs, its reinforcement learning."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, model_validator

from ..fields import About
from ..quantities import Count, Days, Whole, YesNo
from .section import RARELY, Positive, Precision, Section, Strategy, identifier, zero3_is_fsdp

# Tokens of a sequence by workload, where nobody says how long it is.
USUAL_SEQUENCE = {"pretraining": 8192, "finetuning": 4096}


class Training(Section):
    """One optimizer step and the length of the run; absent for inference."""

    method: Annotated[
        Literal["full", "lora", "qlora"] | None,
        About("method", "choice", "Full fine-tuning, LoRA or QLoRA?", "every weight is trained"),
    ] = None
    lora_rank: Annotated[
        Annotated[Whole, Field(ge=1, le=4096)] | None,
        About("LoRA rank", "count", "Which LoRA rank?", "16", words=("[lora] =rank", "lora r"), span="number"),
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
    expert_kernels: Annotated[
        Literal["separate", "fused"] | None,
        About("expert kernels", "choice", "Are the experts' kernels fused, the whole step one CUDA graph?",
              "fused in Megatron's releases that have them, else separate",
              words=("(expert|moe) kernels", "(fused|separate) (expert|moe) kernels")),
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
    steps: Annotated[
        Annotated[Whole, Field(ge=1, le=1_000_000_000)] | None,
        About("steps of the run", "count", "How many optimizer steps?", "as many as the tokens take",
              unit="{} steps", span="number", words=("(total|max|train|training) steps", "number of steps"),
              sensible=(10, 10_000_000), lookalikes=("steps between two checkpoints",)),
    ] = None  # fmt: skip
    runs_per_day: Annotated[
        Annotated[Count, Field(ge=1e-6, le=1e6)] | None,
        About("runs a day", "amount", "How many such runs are there a day?", "one run", unit="{} runs a day",
              span="number", words=("(runs|trainings) (a|per) day",), sensible=(0.001, 10_000)),
    ] = None  # fmt: skip
    days: Annotated[
        Annotated[Days, Field(ge=1e-6, le=36500)] | None,
        About("length of the run", "time", "How long does it run?", "what is usual for the workload", unit="{} days",
              words=("run (time|length|duration)", "duration", "length of the run"), span="time",
              sensible=(0.02, 800)),
    ] = None  # fmt: skip

    @model_validator(mode="after")
    def _one_length(self) -> Training:
        if self.tokens is not None and self.days is not None:
            raise ValueError("expected tokens or days, got both")
        if self.steps is not None and (self.tokens or self.days):
            raise ValueError("expected steps or another length of the run, got both")
        return self


SEARCHED = "the best split is searched for each network"


class Parallelism(Section):
    """How the job is split. ``dp`` follows from the GPUs; when given it is checked."""

    strategy: Annotated[
        Strategy,
        BeforeValidator(zero3_is_fsdp),
        About("data parallelism", "choice", "How are the weights spread over the GPUs?", SEARCHED,
              words=("(sharding|parallelism) strategy",)),
    ] = "ddp"  # fmt: skip
    tp: Annotated[
        Positive,
        About("tensor parallel", "count", "Over how many GPUs is a layer split?", SEARCHED, span="number",
              words=("tp [size|degree]", "(tensor|model) (parallel|parallelism) [size|degree]"), sensible=(1, 128)),
    ] = 1  # fmt: skip
    pp: Annotated[
        Positive,
        About("pipeline parallel", "count", "Into how many pipeline stages?", SEARCHED, span="number",
              words=("pp [size|degree]", "pipeline (parallel|parallelism|stages|depth) "
                                         "[size|degree]", "stages"), sensible=(1, 256)),
    ] = 1  # fmt: skip
    cp: Annotated[
        Positive,
        About("context parallel", "count", "Over how many GPUs is a sequence split?", SEARCHED, span="number",
              words=("cp [size|degree]", "context (parallel|parallelism) [size|degree]"), sensible=(1, 512)),
    ] = 1  # fmt: skip
    ep: Annotated[
        Positive,
        About("expert parallel", "count", "Over how many GPUs are the experts spread?", SEARCHED, span="number",
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

    @property
    def rounds(self) -> int:
        """Micro-batches in a round: with interleaving as many as there are stages, else any number."""
        return self.pp if self.interleave > 1 else 1

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
    return f"{value:g}" if plain else identifier(value)


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
              words=("critic [model]", "value model"), span="model"),
    ] = None  # fmt: skip
    reward_model: Annotated[
        IdOrSize | None,
        About("reward model", "id", "Which model gives the rewards?", _NO_MODEL, words=("reward model",), span="model"),
    ] = None  # fmt: skip

    @model_validator(mode="after")
    def _lengths(self) -> Reinforcement:
        mean, most = self.response_tokens, self.max_response_tokens
        if mean is not None and most is not None and mean > most:
            raise ValueError(f"expected response_tokens of at most max_response_tokens ({most}), got {mean}")
        if self.staleness and self.asynchronous is False:
            raise ValueError(f"expected asynchronous beside staleness {self.staleness}, got false")
        return self
