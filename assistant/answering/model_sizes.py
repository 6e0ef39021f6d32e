"""Sizes that follow from a model's dimensions: parameters, key/value cache, FLOPs, bytes per step."""

from __future__ import annotations

from assistant.model import Architecture, Job
from assistant.model.search import layouts_for
from assistant.model.traffic import traffic_of
from assistant.planning.resolve import FINETUNING_TOKENS, TOKENS_PER_PARAMETER
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.questionnaire import Parallelism, Strategy

from . import written
from .case import Case, Cluster

EXACT = "Exact arithmetic over the model's published dimensions; nothing is measured or fitted."
_DERIVED = "Only the size is known, so the dimensions are those of a plausible dense model of that size."
_RINGS = (
    "The volume of NCCL's rings; a tree or reduction inside the node first needs 2(n−1)/n with n nodes instead of "
    "GPUs. No time is predicted here."
)
_METHODS = {
    "ddp": ("data parallel (all-reduce of gradients)", 2.0),
    "zero1": ("ZeRO-1 (reduce-scatter, all-gather of weights)", 2.0),
    "zero2": ("ZeRO-2, one micro-batch (reduce-scatter, all-gather of weights)", 2.0),
    "fsdp": ("FSDP or ZeRO-3, per micro-batch (two gathers, one scatter)", 3.0),
}


def parameters(case: Case) -> Computed | None:
    """All parameters of a catalog model, and those one token passes through."""
    a, text = case.architecture, f"{case.name} has {written.count(case.architecture.params)} parameters"
    case.figure("parameters", a.params, "parameters", _sum(a))
    if a.experts:
        routed = f"{a.experts_per_token} of {a.experts} routed experts per layer"
        case.figure("active per token", a.active_params, "parameters", routed)
        text += f", of which {written.count(a.active_params)} are active per token"
    case.figure("weights in BF16", a.bytes("bf16"), "bytes", f"{written.count(a.params)} × 2 bytes")
    text += f": {written.bytes_(a.bytes('bf16'))} in BF16."
    return case.answer(text, EXACT, model=case.fields["model"])


def _sum(a: Architecture) -> str:
    experts = f" + {a.experts} experts" if a.experts else ""
    layer = f"(attention {written.count(a.attention_params)} + MLP{experts})"
    return f"{a.layers} layers × {layer} + vocabulary {a.vocab:,} × hidden {a.hidden:,}{'' if a.tied else ' × 2'}"


def kv_cache(case: Case) -> Computed | None:
    """Bytes of the key/value cache of a token, and of a context where one is named."""
    a, precision = case.architecture, kv_precision(case)
    each, length = a.kv_bytes_per_token(precision), context_length(case)
    text = f"The key/value cache of {case.name} takes {written.bytes_(each)} per token"
    if length:
        many = case.utterance.roles.get("requests", 1)
        of = f"{length:,} tokens" + (f" for each of {many} requests" if many > 1 else "")
        times = f"{f'{many} × ' if many > 1 else ''}{length:,} tokens × {written.bytes_(each)}{_beside(a)}"
        whole = float(a.kv_bytes(length, precision)) * many
        case.figure(f"for {of}", whole, "bytes", times)
        text += f", {written.bytes_(whole)} for {of}"
    case.figure("per token", each, "bytes", _kv_formula(a, precision))
    caveat = _DERIVED if a.derived else EXACT
    return case.answer(f"{text}.", caveat, model=case.name, precision=precision, tokens=length)


def kv_precision(case: Case) -> str:
    """FP8 where the question says so, else two bytes, and said."""
    if "fp8" in (case.fields.get("training.precision"), case.fields.get("inference.precision")):
        return "fp8"
    return case.take("kv_cache.precision", "bf16", "two bytes per element; FP8 halves it")


def context_length(case: Case) -> int | None:
    """Tokens of a context, also where they are said as tokens alone: "32k tokens" are 32,768."""
    said = case.fields.get("training.sequence_length") or case.fields.get("inference.prompt_tokens")
    return said or case.utterance.roles.get("prompt") or case.utterance.roles.get("tokens")


def _kv_formula(a: Architecture, precision: str) -> str:
    size = 1 if precision == "fp8" else 2
    parts = [
        f"{layers} layers × {_kept(a, width)} × {size} bytes{f' ÷ {every} tokens an entry' if every > 1 else ''}"
        for layers, width, every in a.growing()
    ]
    index = f"{a.index_layers} indexes × {a.index_bytes:g} bytes"
    return " + ".join([*parts, *([index] if a.index_layers else [])]) or "no layer keeps more of a longer context"


def _kept(a: Architecture, width: int) -> str:
    """The elements that a layer keeps of a token."""
    if a.cache_width:
        return f"{width}"
    if a.latent is not None:
        return f"({a.latent.kv_rank} + {a.latent.rope}) compressed"
    if a.value_dim not in (0, a.head_dim):
        return f"{a.kv_heads} key/value heads × ({a.head_dim} + {a.value_dim})"
    return f"2 × {a.kv_heads} key/value heads × {a.head_dim}"


def _beside(a: Architecture) -> str:
    """What layers keep that does not grow with the context."""
    near = a.sliding_layers - a.borrowing_sliding
    sliding = f", and at most {a.window:,} tokens in {near} sliding layers" if near else ""
    return sliding + (f", and the state of {a.linear_layers} linear layers" if a.linear_layers else "")


def flops(case: Case) -> Computed | None:
    """FLOPs of training on so many tokens."""
    a, tokens, params = case.architecture, run_tokens(case), case.active_params
    total, data = 6.0 * params * tokens, f"{written.count(tokens)} tokens"
    active = "active " if a.experts else ""
    case.figure("training", total, "FLOP", f"6 × {written.count(params)} {active}parameters × {data}")
    usual = "training.sequence_length", 8192, "usual for pretraining"
    length = case.fields.get("training.sequence_length") or case.take(*usual)
    counted = f"3 × (2 × {written.count(a.matmul_params)} + causal attention over {length:,} tokens) per token"
    with_attention = float(a.train_flops(length)) * tokens
    case.figure("with attention counted, head once, look-up not", with_attention, "FLOP", counted)
    text = f"Training {case.name} on {data} takes {written.flops(total)}."
    return case.answer(text, _DERIVED if a.derived else EXACT, model=case.name, tokens=tokens)


def run_tokens(case: Case) -> float:
    """Tokens of the run, as said, else compute-optimal; of a fine-tune as a plan takes them."""
    if case.fields.get("workload") == "finetuning" and not case.fields.get("training.tokens"):
        return case.take("training.tokens", FINETUNING_TOKENS, "a billion tokens, as nobody said how many")
    usual = TOKENS_PER_PARAMETER * case.architecture.params
    why = "twenty tokens per parameter (Hoffmann et al. 2022)"
    return case.fields.get("training.tokens") or case.take("training.tokens", usual, why)


def step_traffic(case: Case) -> Computed | None:
    """Bytes per optimizer step into a GPU and into a node, of the methods named or of data parallel and FSDP."""
    at, params, said = case.cluster, case.params, case.fields.get("parallelism.strategy")
    if (said is not None and said not in _METHODS) or at.gpus < 2:
        return None
    case.take("training.precision", "bf16", "two bytes per weight and gradient")
    case.take("parallelism", "no tensor or pipeline parallelism", "the method alone moves the whole model")
    again = "one micro-batch per step: FSDP and ZeRO-3 move as much again for every further one"
    case.take("training.micro_batches", 1, again)
    parts: list[str] = []
    methods: tuple[Strategy, ...] = (said,) if said else ("ddp", "fsdp")
    for method in methods:
        first = _moved(case, method, at)
        parts.append(f"{_METHODS[method][0]} {written.bytes_(first)} into each {at.unit}")
    case.figure("the gradients themselves", 2.0 * params, "bytes", f"{written.count(params)} parameters × 2 bytes")
    text = f"Per optimizer step {case.name} on {at.where} moves: {'; '.join(parts)}."
    sizes = {"gpus": at.gpus, "gpus_per_node": at.gpus_per_node, "strategy": said}
    return case.answer(text, _RINGS, model=case.name, **sizes)


def _moved(case: Case, method: Strategy, at: Cluster) -> float:
    """Bytes into a domain, or a GPU where there is one domain only, for one micro-batch."""
    a, params = case.architecture, case.params
    job = Job(a, at.gpus, global_batch=at.gpus, micro_batch=1, recompute="none")
    moved = traffic_of(job, at.machine, layouts_for(job, at.machine, Parallelism(strategy=method)))
    name, passes = _METHODS[method]
    said = params / a.params  # a size alone has the dimensions of a plausible model of nearly that size
    formula = f"{passes:g} · ({at.gpus}−1)/{at.gpus} · {written.bytes_(2.0 * params)}"
    into_gpu, into_domain = said * float(moved.per_gpu["dp"][0]), said * float(moved.into_domain["dp"][0])
    if at.domains > 1:
        case.figure(f"{name}: into a {at.unit}", into_domain, "bytes", f"{formula}: a ring enters a {at.unit} once")
    case.figure(f"{name}: into a GPU", into_gpu, "bytes", formula)
    return into_domain if at.domains > 1 else into_gpu
