"""How much memory training and serving need, how many GPUs that is at least, and whether they fit on those named."""

from __future__ import annotations

import math

from assistant.model import Job, Serving
from assistant.model.inference import splits_for
from assistant.model.memory import memory_of
from assistant.model.search import layouts_for
from assistant.model.serving_memory import USABLE_MEMORY, weight_bytes
from assistant.planning.sizes import STATE_BYTES
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Gpu
from assistant.vocabulary.questionnaire import TRAINING

from . import written
from .case import Case
from .model_sizes import context_length

_MOST_DOUBLINGS = 7
_SEQUENCE = {"finetuning": 4096}
_TRAINING = (
    "training: full training with Adam, every way to shard, split and recompute is tried; adapters such as "
    "LoRA need far less"
)
_SERVING = "serving: serving stacks give nine tenths of the memory to weights, cache and activations"


def memory(case: Case) -> Computed | None:
    """Memory for training, for serving, or for both when the question does not say which."""
    workload = case.fields.get("workload")
    serves = not case.trains or (workload is None and case.says("serves_word"))
    trains = workload in TRAINING or (workload is None and case.says("trains_word"))
    both = not serves and not trains
    texts = [*([_training(case)] if trains or both else []), *([_serving(case)] if serves or both else [])]
    limits = "; ".join([*([_TRAINING] if trains or both else []), *([_SERVING] if serves or both else [])])
    sized = {"gpu": case.gpu.id, "gpus": case.fields.get("cluster.gpus")}
    return case.answer(" ".join(texts), f"{limits[0].upper()}{limits[1:]}.", model=case.name, **sized)


def _training(case: Case) -> str:
    gpu, params, named = case.gpu, case.params, case.fields.get("cluster.gpus")
    states = STATE_BYTES * params
    least = math.ceil(states / gpu.memory.si)
    each = f"{STATE_BYTES:g} bytes (2 weights, 2 gradients, 12 optimizer)"
    case.figure("weights, gradients, Adam", states, "bytes", f"{written.count(params)} parameters × {each}")
    at_least = f"{written.bytes_(states)} ÷ {_room(gpu)} of one GPU, activations not counted"
    case.figure("GPUs at least, training", least, "GPUs", at_least)
    text = (
        f"Training {case.name} in mixed precision with Adam holds {written.bytes_(states)} of state: "
        f"at least {least} {gpu.name}."
    )
    if named is not None:
        used, split = _smallest(case, named), "the leanest split the model finds, activations and buffers counted"
        case.figure(f"fullest of {named} GPUs, training", used, "bytes", split, first=True)
        verdict, of = "fits" if used <= gpu.memory.si else "does not fit", f"{written.bytes_(used)} of {_room(gpu)}"
        return f"{text} On {named} it {verdict}: the leanest split takes {of} per GPU, activations counted."
    for size in _sizes(least, gpu):
        used = _smallest(case, size)
        if used <= gpu.memory.si:
            fits = f"smallest number tried that fits: {written.bytes_(used)} per GPU"
            case.figure("GPUs with activations, training", size, "GPUs", fits, first=True)
            return f"{text} With activations it fits from {size} ({written.bytes_(used)} of {_room(gpu)} per GPU)."
    return text


def _room(gpu: Gpu) -> str:
    return f"{written.bytes_(gpu.memory.si)} ({gpu.memory.value:g} {gpu.memory.unit})"


def _sizes(least: int, gpu: Gpu) -> list[int]:
    """The least number in a node, else whole nodes: every one of the first eight, then doublings."""
    node = gpu.gpus_per_node
    small = [n for n in (1, 2, 4) if least <= n < node]
    first = max(1, math.ceil(least / node))
    nodes = sorted({*range(first, first + 8), *(first * 2**power for power in range(_MOST_DOUBLINGS))})
    return [*small, *(node * n for n in nodes)]


def _smallest(case: Case, gpus: int) -> float:
    """Bytes on the fullest GPU of the leanest split; infinite where the job cannot be split over so many."""
    said = case.fields.get
    machine = case.machine(gpus, said("cluster.gpus_per_node") or case.usual_node(gpus))
    sequence = said("training.sequence_length") or _SEQUENCE.get(said("workload") or "", 8192)
    noted = any(one.field == "training.micro_batch" for one in case.taken.taken)
    if "training.sequence_length" not in case.fields and not noted:
        case.take("training.sequence_length", sequence, "usual; activations grow with it")
        case.take("training.micro_batch", 1, "the least there can be")
    sizes = {"sequence_length": sequence, "global_batch": gpus, "micro_batch": said("training.micro_batch") or 1}
    job = Job(case.architecture, gpus, **sizes, precision=said("training.precision", "bf16"))
    try:
        layouts = layouts_for(job, machine, None)
        return float(memory_of(job, machine, machine.framework(None), layouts).total.min())
    except ValueError:
        return math.inf


def _serving(case: Case) -> str:
    gpu, named = case.gpu, case.fields.get("cluster.gpus")
    precision = case.fields.get("training.precision") or case.fields.get("inference.precision")
    if precision is None:
        precision = case.take("inference.precision", case.architecture.native_precision, "as the model is published")
    prompt = int(context_length(case) or case.take("inference.prompt_tokens", 2000, "a usual length; give yours"))
    weights = weight_bytes(case.architecture, precision)
    per_node = case.fields.get("cluster.gpus_per_node") or gpu.gpus_per_node
    machine = case.machine(gpu.gpus_per_node, per_node)
    serving = Serving(case.architecture, named or machine.domain, precision=precision, prompt_tokens=prompt)
    split = splits_for(serving, machine)[0]
    needed = split.gpus
    least = math.ceil(weights / (USABLE_MEMORY * gpu.memory.si))
    each = f"{written.count(case.params)} parameters in {precision}, embeddings in 16 bits"
    case.figure("weights", weights, "bytes", each)
    usable = f"{written.bytes_(weights)} ÷ {USABLE_MEMORY:.0%} of {_room(gpu)}"
    case.figure("GPUs at least, weights alone", least, "GPUs", usable)
    requests = f"weights and the cache of four requests of {prompt + serving.output_tokens:,} tokens"
    ranks = f"{split.tp} ranks of tensor parallelism × {split.pp} stages"
    spread = ranks if split.pp > 1 else "as a power of two for tensor parallelism"
    case.figure("GPUs of one copy", needed, "GPUs", f"{requests}, {spread}" if needed > 1 else requests)
    text = (
        f"Serving {case.name} in {precision.upper()} holds {written.bytes_(weights)} of weights: at least {least} "
        f"{gpu.name}, {needed} for a copy with room for requests."
    )
    if named is None:
        return text
    if needed <= named:
        return f"{text} On {named} it fits."
    fits = "the weights fit, with little room for requests." if least <= named else "it does not fit."
    return f"{text} On {named} {fits}"
