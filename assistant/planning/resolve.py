"""From what the person said to a job the model can compute: every gap is filled and listed as an assumption."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import Any, Literal

from assistant.model import Adapters, Architecture, architecture_of, leaf_nodes
from assistant.model.adapters import ALL_LINEAR
from assistant.model.collectives import RACK_RINGS
from assistant.model.low_communication import USUAL_STEPS
from assistant.model.reinforcement import Loop
from assistant.model.serving_memory import reserves
from assistant.vocabulary.catalog import Catalog, Gpu, Model, Provider, ScaleUp
from assistant.vocabulary.counted import counted
from assistant.vocabulary.plan import Assumption
from assistant.vocabulary.quantities import HOURS_PER_MONTH, in_dollars
from assistant.vocabulary.questionnaire import (
    NARROW,
    RARELY,
    USUAL_SEQUENCE,
    Inference,
    ModelShape,
    Parallelism,
    Questionnaire,
    Training,
)

from . import rollouts
from .assumptions import Assumptions
from .batch_sizes import global_batch
from .mixtures import mixture_fields, published_precision

# Compute-optimal pretraining uses about twenty tokens per parameter (Hoffmann et al. 2022, 2203.15556).
TOKENS_PER_PARAMETER = 20.0
LORA_RANK = 16  # what MLPerf's fine-tuning benchmark and torchtune's recipes for 70B use
FINETUNING_TOKENS = 1e9  # assumed, and told: how long the run is changes no fabric, only the bill


# Of the cluster: who sells it, and which of the candidates is owned.
_SELLS = {"fabric", "provider"}
# Of a job: what stands in the rest of it as JSON, by name or by its numbers, and what no estimate looks at.
_DUMPED_OR_IDLE = {
    "questionnaire",
    "model",
    "gpu",
    "scale_up",
    "provider",
    "parallelism",
    "inference",
    "tokens",
    "days",
    "quoted_rent",
}
_DUMPED_OR_IDLE |= {"assumptions"}


@dataclass(frozen=True)
class Resolved:
    """A job without gaps. Counts are whole; ``tokens`` is None when the run's length is given in days."""

    questionnaire: Questionnaire
    model: Model | ModelShape
    model_name: str
    architecture: Architecture
    gpu: Gpu
    scale_up: ScaleUp
    provider: Provider | None
    gpus: int
    gpus_per_node: int
    domain: int  # GPUs that share the scale-up link: a node, or a rack
    sites: int
    wan_gbps: float | None
    sequence_length: int
    global_batch: int
    micro_batch: int | None
    precision: str
    recompute: str | None
    attention: str
    framework: str | None
    tokens: float | None
    days: float | None
    parallelism: Parallelism | None
    inference: Inference | None
    assumptions: tuple[Assumption, ...]
    expert_overlap: str | None = None
    expert_kernels: str | None = None
    dispatch_precision: str = "bf16"
    routing_nodes: int | None = None
    averaging: str = "diloco"  # by which method islands that meet rarely average
    inner_steps: int = USUAL_STEPS["diloco"]  # steps of an island between two exchanges
    adapters: Adapters | None = None  # what is trained beside a frozen model; None: all of it is trained
    quoted_rent: bool = False  # the rent of a GPU-hour was quoted: for this plan, or in the user's own catalog
    loop: Loop | None = None  # of reinforcement learning; its sequence length is that of a mean prompt and answer

    @property
    def longest_sequence(self) -> int:
        """Tokens of the longest sequence."""
        if self.loop is None:
            return self.sequence_length
        return round(self.loop.prompt_tokens + self.loop.longest_answer)

    @property
    def tokens_per_step(self) -> int:
        """Tokens that one step learns from: of an optimizer step, or of all answers of reinforcement learning."""
        return self.sequence_length * (self.global_batch if self.loop is None else self.loop.answers)

    @property
    def params(self) -> float:
        return self.architecture.params

    @property
    def sharding_open(self) -> bool:
        """Whether a split was given that does not say who keeps the states."""
        said = self.questionnaire.parallelism
        return (
            self.parallelism is not None and isinstance(said, Parallelism) and "strategy" not in said.model_fields_set
        )

    @property
    def rare(self) -> bool:
        """Whether the user fixed a method in which islands meet rarely."""
        return self.parallelism is not None and self.parallelism.strategy in RARELY

    @property
    def trained_params(self) -> float:
        """Parameters that have gradients."""
        return self.params if self.adapters is None else self.adapters.params(self.architecture)

    @property
    def served(self) -> Inference:
        """How the model is served. Raises :class:`LookupError` for a job that does not serve."""
        if self.inference is None:
            raise LookupError("expected a job that serves")
        return self.inference

    @property
    def nodes(self) -> int:
        return -(-self.gpus // self.gpus_per_node)

    @property
    def said_per_node(self) -> int | None:
        """GPUs of a machine where somebody said them, or where machines hold any number; ``None`` for the usual
        ones."""
        return self.questionnaire.cluster.gpus_per_node or (self.gpus_per_node if self.gpu.nodes_vary else None)

    @property
    def domains(self) -> int:
        """Scale-up domains in use; with one, nothing crosses a network. No link of one reaches another site."""
        return self.sites * -(-self.gpus // self.sites // self.domain)

    @property
    def serves(self) -> bool:
        return self.questionnaire.serves

    @cached_property
    def determines_estimates(self) -> tuple[Hashable, ...]:
        """Everything an estimate can depend on: all but money, people, the length of the run, and who sells it."""
        said = self.questionnaire.cluster.model_dump_json(exclude=_SELLS)
        parts = [part and part.model_dump_json() for part in (self.parallelism, self.inference)]
        rest = (getattr(self, one.name) for one in fields(self) if one.name not in _DUMPED_OR_IDLE)
        return (self.questionnaire.workload, said, self.sharding_open, *parts, *rest)

    def at_one_site(self) -> Resolved:
        """The part of the job that runs at one of several sites."""
        return replace(
            self,
            gpus=self.gpus // self.sites,
            global_batch=max(1, self.global_batch // self.sites),
            sites=1,
            wan_gbps=None,
        )


def resolve(questionnaire: Questionnaire, catalog: Catalog) -> Resolved:
    """Fill every gap of a questionnaire whose ids are in the catalog."""
    taken = Assumptions()
    gpu = catalog.gpus[questionnaire.cluster.gpu]
    questionnaire = _rented_or_bought(questionnaire, gpu, catalog, taken)
    cluster = questionnaire.cluster
    model = catalog.models[questionnaire.model] if isinstance(questionnaire.model, str) else questionnaire.model
    architecture = architecture_of(model)
    params = architecture.params
    per_node = _gpus_per_node(questionnaire, gpu, taken)
    training = _training(questionnaire, model, params, gpu, catalog, taken)
    training |= mixture_fields(questionnaire, model, architecture, gpu, training["precision"], taken)
    wan = cluster.wan_gbps
    if cluster.sites > 1 and wan is None:
        wan = taken.take("cluster.wan_gbps", *_line_between(questionnaire, max(per_node, gpu.scale_up_domain), catalog))
    _oversubscription(
        questionnaire, gpu, per_node, leaf_nodes(catalog.constants["congestion-leaf-ports"].si, 1.0), taken
    )
    _racks(cluster.gpus, gpu, taken)
    inference = _inference(questionnaire, taken)
    _of_a_mixture(model, architecture, taken)
    _currencies(questionnaire, catalog, taken)
    return Resolved(
        questionnaire=questionnaire,
        model=model,
        architecture=architecture,
        gpu=gpu,
        scale_up=catalog.scale_up_of(gpu, cluster.gpus, per_node),
        model_name=_size_name(model.params or params) if isinstance(model, ModelShape) else model.name,
        provider=catalog.providers[cluster.provider] if cluster.provider else None,
        gpus=cluster.gpus,
        gpus_per_node=per_node,
        domain=max(per_node, gpu.scale_up_domain) if gpu.scale_up_domain > gpu.gpus_per_node else per_node,
        sites=cluster.sites,
        wan_gbps=wan,
        inference=inference,
        parallelism=_split(questionnaire, split, taken)
        if isinstance(split := questionnaire.parallelism, Parallelism)
        else None,
        **_averaging(questionnaire, taken),
        **training,
        assumptions=tuple(taken.taken),
        quoted_rent=_quoted(questionnaire, gpu, catalog),
    )


def _quoted(questionnaire: Questionnaire, gpu: Gpu, catalog: Catalog) -> bool:
    """Whether a rent was quoted, for this job or in the user's own catalog."""
    return questionnaire.budget.gpu_hour_usd is not None or f"gpus.{gpu.id}.hour_price" in catalog.overrides


def _rented_or_bought(questionnaire: Questionnaire, gpu: Gpu, catalog: Catalog, taken: Assumptions) -> Questionnaire:
    """Machines that nobody lets are bought, where nobody said that they are rented; who lets machines sells none."""
    budget, cluster = questionnaire.budget, questionnaire.cluster
    said = (
        "mode" in budget.model_fields_set or budget.spot or cluster.provider is not None or cluster.fabric is not None
    )
    said = said or bool(budget.quotes)
    let = any(o.gpu == gpu.id and o.prices for provider in catalog.providers.values() for o in provider.offers)
    if budget.mode == "buy" and cluster.provider is not None:
        whose = catalog.providers[cluster.provider].name
        taken.take(
            "cluster.provider", "none", f"{whose} lets machines; what is bought may have any network that is sold"
        )
        return questionnaire.model_copy(update={"cluster": cluster.model_copy(update={"provider": None})})
    if budget.machines_there and budget.network_share_percent is not None:
        why = "of machines that are there already nothing is paid, so the network has no share of it"
        taken.take("budget.network_share_percent", "not counted", why)
        budget = budget.model_copy(update={"network_share_percent": None})
        questionnaire = questionnaire.model_copy(update={"budget": budget})
    if budget.mode == "rent" and budget.owned != "nothing":
        taken.take("budget.owned", "nothing", "to be rented was said: what is there already is not counted")
    if budget.mode == "buy" or said or let or _quoted(questionnaire, gpu, catalog):
        return questionnaire
    why = f"not said, and the catalog has no priced offer of a {gpu.name}; give a quote to have it rented"
    mode = taken.take("budget.mode", "buy", why)
    return questionnaire.model_copy(update={"budget": budget.model_copy(update={"mode": mode})})


def _of_a_mixture(model: Model | ModelShape, made: Architecture, taken: Assumptions) -> None:
    """What was not said of a mixture that is known by its sizes; of one whose dimensions are given, what follows."""
    if not isinstance(model, ModelShape):
        return
    if made.derived and made.experts:
        if not model.experts:
            why = f"not said: a token takes {made.experts_per_token} in most published mixtures; give experts to count"
            taken.take("model.experts", made.experts, f"{why} yours")
        why = "an expert so wide makes the parameters, at the depth and width of models whose tokens use as many"
        taken.take("model.expert_ffn", made.expert_ffn, why)
    elif model.active_params is not None:
        taken.take("model.active_params", made.active_params, "counted from the dimensions that are given")


def _currencies(questionnaire: Questionnaire, catalog: Catalog, taken: Assumptions) -> None:
    """The rate at which what was said in another currency was turned into dollars."""
    for code, said, dollars in questionnaire.converted:
        fact = catalog.constants[f"currency-{code}"]
        read = f"{fact.note}, {fact.source.removeprefix('derived: ')}, {fact.date}"
        how = f"{read}; {said} is counted as {in_dollars(dollars)}"
        taken.take(f"{code.upper()} in US dollars", f"{fact.value:g}", how)


def _size_name(params: float) -> str:
    """A model known by its size: ``7B model``, ``1.5T model``."""
    return f"{params / 1e12:.3g}T model" if params >= 0.9995e12 else f"{params / 1e9:.3g}B model"


def _gpus_per_node(questionnaire: Questionnaire, gpu: Gpu, taken: Assumptions) -> int:
    cluster = questionnaire.cluster
    if cluster.gpus_per_node is not None:
        return cluster.gpus_per_node
    at_each_site = cluster.gpus // cluster.sites
    usual = min(gpu.gpus_per_node, at_each_site)
    per_node = next(n for n in range(usual, 0, -1) if at_each_site % n == 0)
    why = f"the usual node of {gpu.name} has {gpu.gpus_per_node}"
    whole = -(-cluster.gpus // gpu.gpus_per_node)
    if cluster.gpus // per_node > whole and not gpu.nodes_vary and cluster.sites == 1:
        paid = whole * gpu.gpus_per_node
        why += f": {whole} whole ones are had, {paid:,} GPUs, of which {cluster.gpus:,} are used and all are paid for"
        return taken.take("cluster.gpus_per_node", gpu.gpus_per_node, why)
    if per_node != gpu.gpus_per_node:
        nodes = cluster.gpus // per_node
        them = f"{counted(cluster.gpus, 'GPU')} {'is' if cluster.gpus == 1 else 'are'} taken as"
        why += f"; {them} {'one node' if nodes == 1 else f'{nodes} nodes of {per_node}'}"
    return taken.take("cluster.gpus_per_node", per_node, why)


def _oversubscription(questionnaire: Questionnaire, gpu: Gpu, per_node: int, one_leaf: int, taken: Assumptions) -> None:
    """What is assumed of the network above the leaves, where nodes hang on more than one."""
    cluster, quotes = questionnaire.cluster, questionnaire.budget.quotes
    told = cluster.oversubscription is not None or questionnaire.budget.quotes_tell_oversubscription
    if not told and cluster.gpus // cluster.sites // per_node > one_leaf:
        quoted = [n for n, quote in enumerate(quotes, 1) if quote.oversubscription is not None]
        but = (
            f", but for quote{'s' * (len(quoted) > 1)} {', '.join(map(str, quoted))}, counted as quoted"
            if quoted
            else ""
        )
        taken.take(
            "cluster.oversubscription",
            1.0,
            f"leaf switches with as much bandwidth towards the spines as towards the nodes{but}",
        )
    if cluster.topology is None and cluster.gpus // cluster.sites // per_node > one_leaf:
        bought = questionnaire.budget.mode == "buy" and gpu.scale_up_domain > gpu.gpus_per_node
        drawn = "; the network of racks that are bought is drawn as it costs least, with this or as a fat-tree"
        taken.take(
            "cluster.topology",
            "plane" if (cluster.planes or 1) > 1 else "rail",
            "each adapter of a node on a leaf of its own rail, as reference designs have it; ranks half leaf by leaf "
            f"and half by chance{drawn if bought else ''}",
        )
    if cluster.in_network_reduction is None and cluster.gpus // cluster.sites // per_node > one_leaf:
        taken.take(
            "cluster.in_network_reduction", False, "switches that could add (SHARP) mostly do not: it is set up apart"
        )


def _racks(gpus: int, gpu: Gpu, taken: Assumptions) -> None:
    """What is assumed of rings through racks that share one scale-up link, where there are several."""
    if gpu.gpus_per_node < gpu.scale_up_domain < gpus:
        taken.take(
            "model.rack_adapters",
            RACK_RINGS,
            f"rings that cross a rack of {gpu.scale_up_domain} GPUs are taken to use as many of its adapters as those "
            "of a node do: nobody has published one",
        )


_BY_NAME = {
    "diloco": "DiLoCo's paper trains 500 steps between two exchanges (2311.08105)",
    "localsgd": "local SGD was shown to work with up to 16 steps between two exchanges (1808.07217)",
    "fedavg": "a few hundred local steps between two rounds, as several passes over a client's part of the data are "
    "(1602.05629); a server at one of the sites collects and spreads the weights",
}


def _averaging(questionnaire: Questionnaire, taken: Assumptions) -> dict[str, Any]:
    """How islands that meet rarely average, and after how many steps: as said, else as the method's paper has it."""
    split = questionnaire.parallelism
    said = split if isinstance(split, Parallelism) and split.strategy in RARELY else None
    method = said.strategy if said else "diloco"
    # Reinforcement learning sends its weights after every update: no island of it trains alone, unless that was said.
    unused = questionnaire.cluster.sites == 1 or questionnaire.workload == "rlhf"
    if questionnaire.serves or (said is None and unused):
        return {}
    steps = said.inner_steps if said and said.inner_steps else None
    if steps is None:
        steps = taken.take("parallelism.inner_steps", USUAL_STEPS[method], f"not said: {_BY_NAME[method]}")
    return {"averaging": method, "inner_steps": steps}


def _line_between(questionnaire: Questionnaire, together: int, catalog: Catalog) -> tuple[float, str]:
    """Gb/s between sites of which nobody said how they are joined, and why: those of the Ethernet that was named where
    it joins nothing else, as the ``together`` GPUs of a site share faster links."""
    cluster = questionnaire.cluster
    named = catalog.fabrics[cluster.fabric] if cluster.fabric else None
    alone = cluster.gpus // cluster.sites <= together
    if named is not None and named.line_rate is not None and named.transport == "tcp" and alone:
        return named.line_rate.value, f"each site is one node, so {named.label} is taken to join the sites; give theirs"
    return 10.0, "a link of 10 Gb/s between sites is what the sources take as usual; give yours"


def _split(questionnaire: Questionnaire, split: Parallelism, taken: Assumptions) -> Parallelism:
    """The split that was given, with what was not said of it: who keeps the optimizer's state, who shares the
    sequence."""
    training = questionnaire.training
    framework = training.framework if training is not None else None
    if split.strategy in RARELY:
        # The methods differ in how often islands meet and how; the model knows them as one strategy. What was said
        # remains told apart from what was not.
        return split.model_copy(update={"strategy": "diloco"})
    # Nobody who says "tp 8" and no more means a split in which every rank keeps Adam's states: few models fit so.
    megatron = framework == "megatron" or (framework is None and (split.tp > 1 or split.pp > 1))
    if megatron and "strategy" not in split.model_fields_set and not questionnaire.serves:
        taken.take(
            "parallelism.strategy",
            "zero1",
            "not said: Megatron's recipes spread the optimizer's state over the data-parallel ranks (distributed "
            "optimizer); say ddp where every rank keeps all of it",
        )
        split = split.model_copy(update={"strategy": "zero1"})
    if split.pp > 1 and split.strategy in ("fsdp", "hsdp") and not questionnaire.serves:
        taken.take(
            "parallelism.strategy",
            "zero2",
            "FSDP over pipeline stages keeps the weights it has gathered until the step ends, as torchtitan does where "
            "there are stages and as Llama 3 was trained (2407.21783, 3.3.2): gathering them for every micro-batch "
            "would cost more than it saves",
        )
        split = split.model_copy(
            update={"strategy": "zero2", "shard_within_node": split.strategy == "hsdp" or split.shard_within_node}
        )
    if questionnaire.serves or split.tp == 1 or "sequence_parallel" in split.model_fields_set:
        return split
    shared = framework != "deepspeed"
    taken.take(
        "parallelism.sequence_parallel",
        shared,
        "not said: tensor-parallel ranks share the sequence, as recipes for Megatron have it; "
        "without, activations take more memory"
        if shared
        else "not said: DeepSpeed leaves the sequence whole on every rank",
    )
    return split.model_copy(update={"sequence_parallel": shared})


def _training(
    questionnaire: Questionnaire,
    model: Model | ModelShape,
    params: float,
    gpu: Gpu,
    catalog: Catalog,
    taken: Assumptions,
) -> dict[str, Any]:
    """The fields of a job that its training section says, in the order in which what it leaves open is listed."""
    given = questionnaire.training or Training()
    said = {name: getattr(given, name) for name in ("micro_batch", "recompute", "attention", "framework", "days")}
    if questionnaire.serves:
        inference = questionnaire.inference or Inference()
        sequence = inference.prompt_tokens + inference.output_tokens
        precision = inference.precision or _served_precision(model, gpu, taken)
        return said | dict(sequence_length=sequence, global_batch=1, precision=precision, tokens=None)
    known = "precision" in given.model_fields_set
    precision = given.precision if known else _training_precision(questionnaire, model, gpu, taken)
    found = rollouts.answers(questionnaire, architecture_of(model), precision, catalog, taken)
    if found is not None:
        sequence, batch = found.sequence_length, found.global_batch
    else:
        sequence = given.sequence_length or _sequence_length(questionnaire, model, taken)
        batch = given.global_batch or global_batch(questionnaire, architecture_of(model), sequence, taken)
    unlimited = given.tokens is None and given.days is None
    learned_from = sequence * (found.loop.answers if found is not None else batch)  # tokens of a step
    told = given.tokens if given.steps is None else given.steps * learned_from
    tokens = _tokens(questionnaire, params, taken) if unlimited and told is None else told
    if given.framework is None:
        why = "not said: tuned kernels and eager ones differ by a third, so the band is wider, most of all upwards"
        taken.take("training.framework", None, why)
    _interleave(questionnaire.parallelism, given.framework, taken)
    adapters = _adapters(questionnaire, given, precision, taken)
    return said | dict(
        sequence_length=sequence,
        global_batch=batch,
        precision=precision,
        tokens=tokens,
        adapters=adapters,
        loop=found.loop if found else None,
    )


def _adapters(questionnaire: Questionnaire, given: Training, precision: str, taken: Assumptions) -> Adapters | None:
    """The adapters of LoRA and QLoRA, and how the frozen weights are held; ``None`` where every weight is trained."""
    method = given.method or ("lora" if given.lora_rank or given.lora_targets else None)
    if method is None and questionnaire.workload == "finetuning":
        why = "not said: every weight is trained; with LoRA far less memory is needed and hardly any gradients are sent"
        taken.take("training.method", "full", why)
    if method not in ("lora", "qlora"):
        return None
    rank = given.lora_rank or taken.take("training.lora_rank", LORA_RANK, "not said: a usual rank of adapters")
    targets = given.lora_targets or taken.take(
        "training.lora_targets",
        ALL_LINEAR,
        "not said: adapters beside every matrix of a layer, as QLoRA has them (2305.14314); on attention alone they "
        "cost less time and memory",
    )
    return Adapters(rank, targets, _frozen(method, precision, given.framework, taken))


def _frozen(method: str, precision: str, framework: str | None, taken: Assumptions) -> str:
    """How the frozen layers are held. Transformer Engine can keep FP8 weights alone where nothing updates them."""
    if method == "qlora":
        why = "QLoRA: four bits with twice quantised constants, 4.13 bits per weight; embeddings and head stay in 16"
        return taken.take("frozen weights", "nf4", why)
    if precision in NARROW and framework == "megatron":
        why = "nothing updates them, so Megatron's recipes keep no copy in 16 bits; embeddings and head stay in 16"
        return taken.take("frozen weights", "fp8", why)
    held = precision if precision in ("fp32", "fp16") else "bf16"
    return taken.take("frozen weights", held, "in the precision in which they multiply; say qlora for four bits")


_BF16 = {
    "training": "what most training runs use",
    "inference": "not said: weights in two bytes; fp8 takes half the memory where the GPU has units for it",
}


def _precision(section: str, gpu: Gpu, taken: Assumptions) -> str:
    if gpu.peak_fp16.si > 2 * gpu.peak_bf16.si:
        return taken.take(f"{section}.precision", "fp16", f"{gpu.name} has no BF16 units")
    return taken.take(f"{section}.precision", "bf16", _BF16[section])


def _served_precision(model: Model | ModelShape, gpu: Gpu, taken: Assumptions) -> str:
    native = model.native_precision
    if native == "bf16":
        return _precision("inference", gpu, taken)
    why = "as the model is published; where the GPU has no units for it, weights are widened as they are read"
    return taken.take("inference.precision", native, why)


def _training_precision(questionnaire: Questionnaire, model: Model | ModelShape, gpu: Gpu, taken: Assumptions) -> str:
    published = published_precision(questionnaire, model)
    if published == "fp8" and gpu.peak_fp8 is not None:
        return taken.take("training.precision", published, "as its publisher trained it; say bf16 for 16 bits")
    return _precision("training", gpu, taken)


def _interleave(split: Parallelism | Literal["auto"], framework: str | None, taken: Assumptions) -> None:
    if not isinstance(split, Parallelism) or split.pp == 1 or "interleave" in split.model_fields_set:
        return
    if framework in ("megatron", None):
        why = "not said: pipelines are interleaved where that is faster, as Megatron can"
        taken.take("parallelism.interleave", "auto", why)
    else:
        taken.take("parallelism.interleave", 1, "not said: one model chunk per stage")


def _sequence_length(questionnaire: Questionnaire, model: Model | ModelShape, taken: Assumptions) -> int:
    usual = USUAL_SEQUENCE[questionnaire.workload]
    context = getattr(model, "context", usual)
    length = min(usual, context)
    split = questionnaire.parallelism
    if isinstance(split, Parallelism) and length % split.cp:
        length += split.cp - length % split.cp
    return taken.take(
        "training.sequence_length", length, f"usual for {questionnaire.workload}, within the model's context"
    )


def _tokens(questionnaire: Questionnaire, params: float, taken: Assumptions) -> float:
    if questionnaire.workload == "pretraining":
        return taken.take(
            "training.tokens",
            TOKENS_PER_PARAMETER * params,
            "twenty tokens per parameter (Hoffmann et al. 2022); the length of the run does not change which fabric "
            "is cheapest",
        )
    return taken.take(
        "training.tokens",
        FINETUNING_TOKENS,
        "a billion tokens; the length of the run does not change which fabric is cheapest",
    )


def _inference(questionnaire: Questionnaire, taken: Assumptions) -> Inference | None:
    if not questionnaire.serves:
        return None
    inference = questionnaire.inference or Inference()
    for name, what in (("prompt_tokens", "a prompt"), ("output_tokens", "an answer")):
        if name not in inference.model_fields_set:
            taken.take(f"inference.{name}", getattr(inference, name), f"a usual length of {what}; give yours")
    split = questionnaire.parallelism
    if isinstance(split, Parallelism) and split.tp > 1 and inference.tensor_parallel is None:
        degree = taken.take(
            "inference.tensor_parallel", split.tp, "as parallelism.tp has it; the rest of a split is not for serving"
        )
        inference = inference.model_copy(update={"tensor_parallel": degree})
    if inference.engine is None:
        taken.take("inference.engine", None, "not said: the middle of vLLM, SGLang and TensorRT-LLM")
    elif reserves(inference.engine):
        why = "it begins a request only where memory has room for its whole answer; others begin more and fill up"
        taken.take("inference.engine", inference.engine, why)
    if inference.rate is None and inference.concurrency is None and inference.job_tokens is None:
        taken.take(
            "inference.requests_per_s",
            None,
            f"not said: the cluster is taken as fully used, for {HOURS_PER_MONTH:g} hours (one month)",
        )
    return inference
