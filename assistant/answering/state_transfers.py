"""How long a model's state takes to get somewhere: a prompt's key/value cache to another node, a checkpoint to storage."""

from __future__ import annotations

from assistant.library import Library
from assistant.planning.resolve import Assumptions
from assistant.present.figures import seconds
from assistant.vocabulary.answers import Computed

from . import written
from .asked import Asked
from .model_sizes import context_length
from .result import computed, figure
from .situation import fabrics, model_of, network, nics, params_of, situation

_USUAL_PROMPT = 2000
_STORED = 14.0  # bytes per parameter: weights in BF16, and Adam's master weights and two moments in FP32 (ZeRO, 1910.02054); no gradients
_WEIGHTS = 2.0
_MOST_NETWORKS = 3


def kv_transfer(asked: Asked, library: Library) -> Computed | None:
    """Seconds to move the cache of one prompt from a node that reads prompts to one that writes answers."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    if named is None:
        return None
    name, a = named
    length = context_length(asked) or taken.take("inference.prompt_tokens", _USUAL_PROMPT, "a usual length; give yours")
    taken.take("kv_cache.precision", "bf16", "two bytes per element; FP8 halves it")
    bytes_ = a.kv_bytes_per_token("bf16") * length
    sized = asked.with_size(2 * situation(asked, catalog, Assumptions()).gpu.gpus_per_node, taken, always=True)
    at = situation(sized, catalog, taken)
    figures, told, used = [], [], {}
    for fabric in fabrics(asked, catalog, taken, at.gpu)[:_MOST_NETWORKS]:
        used[fabric.id] = nics(fabric, sized, at, taken)
        line, rate = (
            fabric.line_rate.si * used[fabric.id],
            network(fabric, used[fabric.id], at).gpu_rate * at.gpus_per_node,
        )
        figures += [
            figure(
                f"at least, {fabric.id} at line rate",
                bytes_ / line,
                "s",
                f"{written.bytes_(bytes_)} ÷ ({used[fabric.id]} × {written.rate(fabric.line_rate.si)})",
            ),
            figure(
                f"expected, {fabric.id}",
                bytes_ / rate,
                "s",
                f"{written.bytes_(bytes_)} ÷ {written.rate(rate)} of a node",
            ),
        ]
        told.append(
            f"over {fabric.name} at least {seconds(bytes_ / line)} at line rate, {seconds(bytes_ / rate)} expected"
        )
    text = f"Moving the key/value cache of {length:,} tokens of {name}, {written.bytes_(bytes_)}, from one node to another: {'; '.join(told)}."
    inputs = {"model": name, "tokens": length, "bytes": bytes_, "nics_per_node": used}
    return computed(
        "kv-transfer",
        asked,
        text,
        [
            *figures,
            figure("cache", bytes_, "bytes", f"{length:,} tokens × {written.bytes_(a.kv_bytes_per_token('bf16'))}"),
        ],
        inputs,
        taken,
        "One prompt at a time over an idle network, through all adapters of the node; a cache that is sent layer by layer while "
        "the prompt is still read is waited for less.",
    )


def checkpoint(asked: Asked, library: Library) -> Computed | None:
    """Bytes of a training checkpoint, and seconds to write it where a rate is named."""
    named = model_of(asked, library.catalog)
    if named is None:
        return None
    params = params_of(asked, named[1])
    whole, weights = _STORED * params, _WEIGHTS * params
    figures = [
        figure(
            "checkpoint", whole, "bytes", f"{written.count(params)} parameters × 14 bytes (2 weights, 12 optimizer)"
        ),
        figure("weights alone", weights, "bytes", f"{written.count(params)} parameters × 2 bytes"),
    ]
    text = (
        f"A checkpoint of {named[0]} to go on training from takes {written.bytes_(whole)} with Adam's state, "
        f"{written.bytes_(weights)} for the weights in BF16 alone"
    )
    rate = asked.byte_rate or (asked.speeds[0] * 1e9 / 8 if asked.speeds else None)
    if rate:
        figures[:0] = [
            figure(f"time to {what}", bytes_ / rate, "s", f"{written.bytes_(bytes_)} ÷ {written.rate(rate)}")
            for what, bytes_ in (("write or read it", whole), ("write or read the weights", weights))
        ]
        text += f"; at {written.rate(rate)} that is {seconds(whole / rate)} and {seconds(weights / rate)}"
    return computed(
        "checkpoint",
        asked,
        text + ".",
        figures,
        {"model": named[0], "bytes_per_s": rate},
        Assumptions(),
        "The rate is taken as what the storage holds for the whole checkpoint; writing in the background stops the run for less.",
    )
