"""Sizes that follow from a model's dimensions: parameters, key/value cache, FLOPs, bytes per step."""

from __future__ import annotations

import re

from assistant.library import Library
from assistant.model import Architecture, Job
from assistant.model.search import layouts_for
from assistant.model.traffic import traffic_of
from assistant.planning.resolve import TOKENS_PER_PARAMETER, Assumptions
from assistant.vocabulary.answers import Computed, Figure
from assistant.vocabulary.questionnaire import Parallelism

from . import written
from .asked import Asked
from .result import computed, figure
from .situation import Situation, model_of, params_of, situation

EXACT = "Exact arithmetic over the model's published dimensions; nothing is measured or fitted."
_DERIVED = "Only the size is known, so the dimensions are those of a plausible dense model of that size."
_REQUESTS = re.compile(r"(?P<n>\d+)\s(?:concurrent\s)?(?:requests|users|sequences|sessions)")
_CONTEXT = re.compile(r"(?<![\w.])(?P<n>\d{1,3}(?:,\d{3})+|[1-9]\d*)\s?(?P<k>k)?[\s-]tokens?\b")


def parameters(asked: Asked, library: Library) -> Computed | None:
    """All parameters of a catalog model, and those one token passes through."""
    named = model_of(asked, library.catalog)
    if named is None:
        return None
    name, a = named
    figures = [figure("parameters", a.params, "parameters", _sum(a))]
    text = f"{name} has {written.count(a.params)} parameters"
    if a.experts:
        figures.append(
            figure(
                "active per token",
                a.active_params,
                "parameters",
                f"{a.experts_per_token} of {a.experts} routed experts per layer",
            )
        )
        text += f", of which {written.count(a.active_params)} are active per token"
    figures.append(figure("weights in BF16", a.bytes("bf16"), "bytes", f"{written.count(a.params)} × 2 bytes"))
    return computed(
        "parameters",
        asked,
        f"{text}: {written.bytes_(a.bytes('bf16'))} in BF16.",
        figures,
        {"model": asked.fields["model"]},
        Assumptions(),
        EXACT,
    )


def _sum(a: Architecture) -> str:
    experts = f" + {a.experts} experts" if a.experts else ""
    return (
        f"{a.layers} layers × (attention {written.count(a.attention_params)} + MLP{experts}) + vocabulary {a.vocab:,} × "
        f"hidden {a.hidden:,}{'' if a.tied else ' × 2'}"
    )


def kv_cache(asked: Asked, library: Library) -> Computed | None:
    """Bytes of the key/value cache of a token, and of a context where one is named."""
    named, taken = model_of(asked, library.catalog), Assumptions()
    if named is None:
        return None
    name, a = named
    precision = "fp8" if "fp8" in asked.text else "bf16"
    if precision == "bf16":
        taken.take("kv_cache.precision", "bf16", "two bytes per element; FP8 halves it")
    each = a.kv_bytes_per_token(precision)
    figures = [figure("per token", each, "bytes", _kv_formula(a, precision))]
    text = f"The key/value cache of {name} takes {written.bytes_(each)} per token"
    length = context_length(asked)
    requests = _REQUESTS.search(asked.text)
    if length:
        many = int(requests["n"]) if requests else 1
        total = each * length * many
        of = f"{length:,} tokens" + (f" for each of {many} requests" if many > 1 else "")
        figures.insert(
            0,
            figure(
                f"for {of}",
                total,
                "bytes",
                f"{f'{many} × ' if many > 1 else ''}{length:,} tokens × {written.bytes_(each)}",
            ),
        )
        text += f", {written.bytes_(total)} for {of}"
    inputs = {"model": name, "precision": precision, "tokens": length}
    return computed("kv-cache", asked, text + ".", figures, inputs, taken, _DERIVED if a.derived else EXACT)


def context_length(asked: Asked) -> int | None:
    """Tokens of a context, also where they are said as tokens alone: "32k tokens" are 32,768."""
    said = asked.fields.get("training.sequence_length") or asked.fields.get("inference.prompt_tokens")
    tokens = _CONTEXT.search(asked.text)
    if said or not tokens:
        return said
    thousands = int(tokens["n"].replace(",", ""))
    if not tokens["k"]:
        return thousands
    return thousands * (1024 if thousands & (thousands - 1) == 0 else 1000)


def _kv_formula(a: Architecture, precision: str) -> str:
    size = 1 if precision == "fp8" else 2
    if a.latent is not None:
        return f"{a.layers} layers × ({a.latent.kv_rank} + {a.latent.rope}) compressed × {size} bytes"
    return f"{a.layers} layers × 2 × {a.kv_heads} key/value heads × {a.head_dim} × {size} bytes"


def flops(asked: Asked, library: Library) -> Computed | None:
    """FLOPs of training on so many tokens."""
    named, taken = model_of(asked, library.catalog), Assumptions()
    if named is None:
        return None
    name, a = named
    tokens = run_tokens(asked, a, taken)
    params = a.active_params if a.experts else params_of(asked, a)
    total = 6.0 * params * tokens
    active = "active " if a.experts else ""
    figures = [
        figure(
            "training",
            total,
            "FLOP",
            f"6 × {written.count(params)} {active}parameters × {written.count(tokens)} tokens",
        )
    ]
    text = f"Training {name} on {written.count(tokens)} tokens takes {written.flops(total)}"
    length = asked.fields.get("training.sequence_length") or taken.take(
        "training.sequence_length", 8192, "usual for pretraining"
    )
    figures.append(
        figure(
            "with attention counted, head once, look-up not",
            float(a.train_flops(length)) * tokens,
            "FLOP",
            f"3 × (2 × {written.count(a.matmul_params)} + causal attention over {length:,} tokens) per token",
        )
    )
    return computed(
        "flops", asked, text + ".", figures, {"model": name, "tokens": tokens}, taken, _DERIVED if a.derived else EXACT
    )


def run_tokens(asked: Asked, a: Architecture, taken: Assumptions) -> float:
    """Tokens of the run, as said, else compute-optimal."""
    said = asked.fields.get("training.tokens")
    return said or taken.take(
        "training.tokens", TOKENS_PER_PARAMETER * a.params, "twenty tokens per parameter (Hoffmann et al. 2022)"
    )


_METHODS = {
    "ddp": ("data parallel (all-reduce of gradients)", 2.0),
    "zero1": ("ZeRO-1 (reduce-scatter, all-gather of weights)", 2.0),
    "zero2": ("ZeRO-2, one micro-batch (reduce-scatter, all-gather of weights)", 2.0),
    "fsdp": ("FSDP or ZeRO-3, per micro-batch (two gathers, one scatter)", 3.0),
}


def step_traffic(asked: Asked, library: Library) -> Computed | None:
    """Bytes per optimizer step into a GPU and into a node, of the methods named or of data parallel and FSDP."""
    named, taken = model_of(asked, library.catalog), Assumptions()
    if named is None:
        return None
    name, a = named
    at = situation(asked, library.catalog, taken)
    said = asked.fields.get("parallelism.strategy")
    if (said is not None and said not in _METHODS) or at.gpus < 2:
        return None
    taken.take("training.precision", "bf16", "two bytes per weight and gradient")
    taken.take("parallelism", "no tensor or pipeline parallelism", "the method alone moves the whole model")
    taken.take(
        "training.micro_batches",
        1,
        "one micro-batch per step: FSDP and ZeRO-3 move as much again for every further one",
    )
    figures, parts = [], []
    for method in [said] if said else ["ddp", "fsdp"]:
        found = _moved(method, a, params_of(asked, a), at)
        figures += found
        parts.append(f"{_METHODS[method][0]} {written.bytes_(found[0].value)} into each {at.unit}")
    figures.append(
        figure(
            "the gradients themselves",
            2.0 * params_of(asked, a),
            "bytes",
            f"{written.count(params_of(asked, a))} parameters × 2 bytes",
        )
    )
    text = f"Per optimizer step {name} on {at.where} moves: {'; '.join(parts)}."
    inputs = {"model": name, "gpus": at.gpus, "gpus_per_node": at.gpus_per_node, "strategy": said}
    caveat = (
        "The volume of NCCL's rings; a tree or reduction inside the node first needs 2(n−1)/n with n nodes instead of "
        "GPUs. No time is predicted here."
    )
    return computed("traffic", asked, text, figures, inputs, taken, caveat)


def _moved(method: str, a: Architecture, params: float, at: Situation) -> list[Figure]:
    """Bytes into a domain and into a GPU, one micro-batch."""
    job = Job(a, at.gpus, global_batch=at.gpus, micro_batch=1, recompute="none")
    moved = traffic_of(job, at.machine, layouts_for(job, at.machine, Parallelism(strategy=method)))
    name, passes = _METHODS[method]
    said = params / a.params  # a size alone has the dimensions of a plausible model of nearly that size
    formula = f"{passes:g} · ({at.gpus}−1)/{at.gpus} · {written.bytes_(2.0 * params)}"
    into_gpu = said * float(moved.per_gpu["dp"][0])
    first = (
        [
            figure(
                f"{name}: into a {at.unit}",
                said * float(moved.into_domain["dp"][0]),
                "bytes",
                f"{formula}: a ring enters a {at.unit} once",
            )
        ]
        if at.domains > 1
        else []
    )
    return [*first, figure(f"{name}: into a GPU", into_gpu, "bytes", formula)]
