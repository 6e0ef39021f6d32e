"""Memory of serving: one accounting for what fits, how many requests are in flight and what is moved. Bytes."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .architecture import Architecture, element_bytes
from .machine import Machine
from .serving_time import Split, weight_formats

USABLE_MEMORY = 0.9  # share of GPU memory that serving stacks give to weights and cache (vLLM's default)
# what they are told to take where a model else leaves no room: the driver and the libraries need about 2 of 80 GB
TIGHT_MEMORY = 0.97
STEP_TOKENS = 8192  # tokens that a step carries at most: the usual limit of a chunked prefill (max_num_batched_tokens)
RUNTIME = 0.5e9  # bytes of graphs, communication buffers and work space on each GPU: assumed


def kv_format(kv_precision: str | None, precision: str, engine: str | None) -> str:
    """The format keys and values are kept in: as said, else in 16 bits, but in FP8 where TensorRT-LLM serves narrow
    weights, whose published checkpoints say so; those in MXFP4 are OpenAI's, which say nothing of it."""
    narrow = precision in ("fp8", "nvfp4") and (engine or "").startswith("tensorrt-llm")
    return kv_precision or ("fp8" if narrow else "bf16")


def weight_bytes(a: Architecture, precision: str) -> float:
    """All weights as served; embeddings and head stay in 16 bits."""
    shared, experts = (element_bytes(one) for one in weight_formats(a, precision))
    outer = max(2.0, shared) if precision != "fp32" else 4.0
    return a.layers * (a.shared_layer_params * shared + a.expert_layer_params * experts) + a.outer_params * outer


def weights_per_gpu(a: Architecture, precision: str, split: Split) -> float:
    """Weights of one GPU: attention replicas hold all of the attention and their part of the experts."""
    _, experts = (element_bytes(one) for one in weight_formats(a, precision))
    routed = a.layers * a.expert_layer_params * experts
    return (routed / split.dp + weight_bytes(a, precision) - routed) / (split.tp * split.pp)


def reserved_bytes(a: Architecture, split: Split) -> float:
    """Activations of the fullest step and what the runtime keeps: four hidden states and the widest part of an MLP."""
    width = 4.0 * a.hidden + 3.0 * max(a.ffn, a.expert_ffn * a.experts_per_token) / split.tp
    return 2.0 * STEP_TOKENS * width + RUNTIME


def cache_per_gpu(a: Architecture, tokens: float, kv_precision: str, split: Split) -> float:
    """Cache of one request on each GPU of its replica."""
    return float(a.kv_bytes(tokens, kv_precision)) * a.kv_share(split.tp) / split.pp


def reserves(engine: str | None) -> bool:
    """Whether an engine begins a request only where its whole answer finds room, so that none is put off half way:
    TensorRT-LLM unless told otherwise (its capacity policy GUARANTEED_NO_EVICT, quoted from memory of its
    documentation; its own throughput tables of long answers bear it out). The others fill what there is."""
    return (engine or "").startswith("tensorrt-llm")


def requests_held(
    a: Architecture,
    machine: Machine,
    split: Split,
    formats: tuple[str, str],
    lengths: tuple[float, float],
    usable: float = USABLE_MEMORY,
    *,
    reserved: bool = False,
) -> float:
    """Requests in flight that a copy's memory holds with lengths as they fill, the prompt and half of the answer, or
    with whole answers where room for them is ``reserved``.

    ``formats``: of weights and cache; ``lengths``: tokens of prompt and answer. Less than 1 where one request with its
    whole answer finds no room even in what engines are told to take at the tightest.
    """
    return _held(a, machine.memory, split, formats, lengths, usable, reserved)


@lru_cache(maxsize=4096)  # some hundred bytes each; one choice of a layout asks the same of each a dozen times
def _held(
    a: Architecture,
    memory: float,
    split: Split,
    formats: tuple[str, str],
    lengths: tuple[float, float],
    usable: float,
    reserved: bool,
) -> float:
    (precision, kv_precision), (prompt, answer) = formats, lengths
    held = weights_per_gpu(a, precision, split) + reserved_bytes(a, split)
    room = memory * usable - held
    longest = cache_per_gpu(a, prompt + answer, kv_precision, split)
    if room < longest:
        tight = TIGHT_MEMORY if usable >= USABLE_MEMORY else usable  # beside a trainer there is no more
        room = memory * tight - weights_per_gpu(a, precision, split) - RUNTIME
        return split.dp * min(1.0, max(room, 0.0) / longest)
    kept = longest if reserved else cache_per_gpu(a, prompt + answer / 2.0, kv_precision, split)
    return split.dp * max(1.0, room / kept)


def memory_used(
    a: Architecture, split: Split, formats: tuple[str, str], lengths: tuple[float, float], requests: float
) -> float:
    """Bytes of one GPU with so many requests of the copy in flight."""
    middle = cache_per_gpu(a, lengths[0] + lengths[1] / 2.0, formats[1], split)
    return (
        weights_per_gpu(a, formats[0], split) + reserved_bytes(a, split) + float(np.ceil(requests / split.dp)) * middle
    )
