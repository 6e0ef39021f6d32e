"""How much memory training and serving need, how many GPUs that is at least, and whether they fit on those named."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

from assistant.library import Library
from assistant.model import Architecture, Job, Machine, Serving, machine_of
from assistant.model.architecture import BYTES
from assistant.model.inference import USABLE_MEMORY, splits_for
from assistant.model.memory import memory_of
from assistant.model.search import layouts_for
from assistant.planning import profile
from assistant.planning.resolve import Assumptions
from assistant.planning.sizes import STATE_BYTES
from assistant.vocabulary.answers import Computed, Figure
from assistant.vocabulary.catalog import Catalog, Gpu
from assistant.vocabulary.questionnaire import SERVING, TRAINING

from . import written
from .asked import Asked
from .model_sizes import context_length
from .result import computed, figure
from .situation import gpu_of, model_of, params_of

_SERVES = re.compile(r"\b(?:serv\w*|inferenc\w*|infer|host\w*|deploy\w*|chat\w*|run)\b")
_TRAINS = re.compile(r"\b(?:pre[\s-]?)?train\w*|fine[\s-]?tun\w*|\bsft\b|optimi[sz]er")
_MOST_DOUBLINGS = 7
_SEQUENCE = {"finetuning": 4096}


@dataclass(frozen=True)
class _Case:
    """One model on one kind of GPU; ``named`` is the number of GPUs the question names."""

    name: str
    architecture: Architecture
    gpu: Gpu
    named: int | None
    asked: Asked
    catalog: Catalog
    taken: Assumptions

    def machine(self, gpus: int) -> Machine:
        gpu, said = self.gpu, self.asked.fields.get("cluster.gpus_per_node")
        per_node = said or next(n for n in range(min(gpu.gpus_per_node, gpus), 0, -1) if gpus % n == 0)
        made = machine_of(gpu, self.catalog.scale_ups[gpu.scale_up], gpus, per_node, self.catalog.constants)
        return profile.on_machine(made)


def memory(asked: Asked, library: Library) -> Computed | None:
    """Memory for training, for serving, or for both when the question does not say which."""
    named, taken = model_of(asked, library.catalog), Assumptions()
    if named is None:
        return None
    case = _Case(
        *named, gpu_of(asked, library.catalog, taken), asked.fields.get("cluster.gpus"), asked, library.catalog, taken
    )
    workload = asked.fields.get("workload")
    serves = workload in SERVING or (workload is None and asked.has(_SERVES))
    trains = workload in TRAINING or (workload is None and asked.has(_TRAINS))
    both = not serves and not trains
    parts = [*([_training(case)] if trains or both else []), *([_serving(case)] if serves or both else [])]
    figures = [one for _, found in parts for one in found]
    inputs = {"model": case.name, "gpu": case.gpu.id, "gpus": case.named}
    return computed(
        "memory",
        asked,
        " ".join(text for text, _ in parts),
        figures,
        inputs,
        taken,
        _caveat(trains or both, serves or both),
    )


def _training(case: _Case) -> tuple[str, list[Figure]]:
    gpu, params = case.gpu, params_of(case.asked, case.architecture)
    states = STATE_BYTES * params
    least = math.ceil(states / gpu.memory.si)
    figures = [
        figure(
            "weights, gradients, Adam",
            states,
            "bytes",
            f"{written.count(params)} parameters × {STATE_BYTES:g} bytes (2 weights, 2 gradients, 12 optimizer)",
        ),
        figure(
            "GPUs at least, training",
            least,
            "GPUs",
            f"{written.bytes_(states)} ÷ {_room(gpu)} of one GPU, activations not counted",
        ),
    ]
    text = (
        f"Training {case.name} in mixed precision with Adam holds {written.bytes_(states)} of state: "
        f"at least {least} {gpu.name}."
    )
    if case.named is not None:
        used = _smallest(case, case.named)
        figures.insert(
            0,
            figure(
                f"fullest of {case.named} GPUs, training",
                used,
                "bytes",
                "the leanest split the model finds, activations and buffers counted",
            ),
        )
        verdict = "fits" if used <= gpu.memory.si else "does not fit"
        return (
            f"{text} On {case.named} it {verdict}: the leanest split takes {written.bytes_(used)} of {_room(gpu)} per GPU, "
            f"activations counted."
        ), figures
    found = next(((n, used) for n in _sizes(least, gpu) if (used := _smallest(case, n)) <= gpu.memory.si), None)
    if found is not None:
        figures.insert(
            0,
            figure(
                "GPUs with activations, training",
                found[0],
                "GPUs",
                f"smallest number tried that fits: {written.bytes_(found[1])} per GPU",
            ),
        )
        text += f" With activations it fits from {found[0]} ({written.bytes_(found[1])} of {_room(gpu)} per GPU)."
    return text, figures


def _room(gpu: Gpu) -> str:
    return f"{written.bytes_(gpu.memory.si)} ({gpu.memory.value:g} {gpu.memory.unit})"


def _sizes(least: int, gpu: Gpu) -> list[int]:
    """The least number in a node, else whole nodes: every one of the first eight, then doublings."""
    node = gpu.gpus_per_node
    small = [n for n in (1, 2, 4) if least <= n < node]
    first = max(1, math.ceil(least / node))
    nodes = sorted({*range(first, first + 8), *(first * 2**power for power in range(_MOST_DOUBLINGS))})
    return [*small, *(node * n for n in nodes)]


def _smallest(case: _Case, gpus: int) -> float:
    """Bytes on the fullest GPU of the leanest split; infinite where the job cannot be split over so many."""
    asked, machine = case.asked, case.machine(gpus)
    sequence = asked.fields.get("training.sequence_length") or _SEQUENCE.get(asked.fields.get("workload"), 8192)
    noted = any(one.field == "training.sequence_length" for one in case.taken.taken)
    if not noted and "training.sequence_length" not in asked.fields:
        case.taken.take("training.sequence_length", sequence, "usual; activations grow with it")
        case.taken.take("training.micro_batch", 1, "the least there can be")
    job = Job(
        case.architecture,
        gpus,
        sequence_length=sequence,
        global_batch=gpus,
        micro_batch=asked.fields.get("training.micro_batch") or 1,
        precision=asked.fields.get("training.precision", "bf16"),
    )
    try:
        layouts = layouts_for(job, machine, None)
        return float(memory_of(job, machine, machine.framework(None), layouts).total.min())
    except ValueError:
        return math.inf


def _serving(case: _Case) -> tuple[str, list[Figure]]:
    a, gpu, asked = case.architecture, case.gpu, case.asked
    precision = asked.fields.get("training.precision")
    if precision is None:
        precision = case.taken.take("inference.precision", "bf16", "as published; FP8 halves the weights")
    prompt = context_length(asked) or case.taken.take("inference.prompt_tokens", 2000, "a usual length; give yours")
    serving = Serving(a, case.named or 1, precision=precision, prompt_tokens=int(prompt))
    params = params_of(asked, a)
    weights, usable = params * BYTES[precision], USABLE_MEMORY * gpu.memory.si
    needed = splits_for(serving, case.machine(gpu.gpus_per_node))[0].gpus
    least = math.ceil(weights / usable)
    figures = [
        figure("weights", weights, "bytes", f"{written.count(params)} parameters × {BYTES[precision]} bytes"),
        figure(
            "GPUs at least, weights alone",
            least,
            "GPUs",
            f"{written.bytes_(weights)} ÷ {USABLE_MEMORY:.0%} of {_room(gpu)}",
        ),
        figure(
            "GPUs of one copy",
            needed,
            "GPUs",
            f"weights and the cache of four requests of "
            f"{int(prompt) + serving.output_tokens:,} tokens, "
            f"as a power of two for tensor parallelism",
        ),
    ]
    text = (
        f"Serving {case.name} in {precision.upper()} holds {written.bytes_(weights)} of weights: at least {least} "
        f"{gpu.name}, {needed} for a copy with room for requests."
    )
    if case.named is not None:
        text += (
            f" On {case.named} it fits."
            if needed <= case.named
            else f" On {case.named} the weights fit, with little room for requests."
            if least <= case.named
            else f" On {case.named} it does not fit."
        )
    return text, figures


def _caveat(trains: bool, serves: bool) -> str:
    parts = (
        [
            "training: full training with Adam, every way to shard, split and recompute is tried; adapters such as LoRA need "
            "far less"
        ]
        if trains
        else []
    )
    parts += (
        [
            "serving: serving stacks give nine tenths of the memory to weights and cache; quantised weights below FP8 are "
            "not counted"
        ]
        if serves
        else []
    )
    text = "; ".join(parts)
    return f"{text[0].upper()}{text[1:]}."
