"""How long a model's state takes to get somewhere: a prompt's key/value cache to another node, a checkpoint to
storage."""

from __future__ import annotations

from assistant.model import Networks
from assistant.model.cache_transfer import transfer_seconds
from assistant.model.collectives import Wires
from assistant.present.figures import seconds
from assistant.vocabulary.answers import Computed

from . import written
from .case import Case
from .collective_times import MOST_NETWORKS, network
from .model_sizes import context_length

_USUAL_PROMPT = 2000
# bytes per parameter: weights in BF16, and Adam's master weights and two moments in FP32 (ZeRO, 1910.02054); no
# gradients
_STORED = 14.0
_WEIGHTS = 2.0
_IDLE = (
    "One prompt at a time over an idle network, through all adapters of the node, at what vLLM with Mooncake was "
    "measured to reach; a cache that is sent layer by layer while the prompt is still read is waited for less."
)
_STORAGE = (
    "The rate is taken as what the storage holds for the whole checkpoint; writing in the background stops "
    "the run for less."
)


def kv_transfer(case: Case) -> Computed | None:
    """Seconds to move the cache of one prompt from a node that reads prompts to one that writes answers."""
    prompt = "inference.prompt_tokens", _USUAL_PROMPT, "a usual length; give yours"
    length = context_length(case) or case.take(*prompt)
    case.take("kv_cache.precision", "bf16", "two bytes per element; FP8 halves it")
    each = case.architecture.kv_bytes_per_token("bf16")
    bytes_ = each * length
    case.fields["cluster.gpus"] = 2 * case.gpu.gpus_per_node
    at, told, used = case.cluster, [], {}
    for fabric in case.networks()[:MOST_NETWORKS]:
        nics = used[fabric.id] = case.nics(fabric, at)
        wires, line = Wires(at.machine, Networks([network(fabric, nics, at)])), fabric.nic_rate * nics
        least, expected = bytes_ / line, float(transfer_seconds(wires, bytes_, at.gpus_per_node).item())
        size, links = written.bytes_(bytes_), f"({nics} × {written.rate(fabric.nic_rate)})"
        case.figure(f"at least, {fabric.id} at line rate", least, "s", f"{size} ÷ {links}")
        case.figure(f"expected, {fabric.id}", expected, "s", f"{size} ÷ {written.rate(bytes_ / expected)} of a node")
        told.append(f"over {fabric.name} at least {seconds(least)} at line rate, {seconds(expected)} expected")
    case.figure("cache", bytes_, "bytes", f"{length:,} tokens × {written.bytes_(each)}")
    cache = f"the key/value cache of {length:,} tokens of {case.name}, {written.bytes_(bytes_)}"
    text = f"Moving {cache}, from one node to another: {'; '.join(told)}."
    return case.answer(text, _IDLE, model=case.name, tokens=length, bytes=bytes_, nics_per_node=used)


def checkpoint(case: Case) -> Computed | None:
    """Bytes of a training checkpoint, and seconds to write it where a rate is named."""
    sizes = {"it": _STORED * case.params, "the weights": _WEIGHTS * case.params}
    whole, weights = sizes.values()
    text = (
        f"A checkpoint of {case.name} to go on training from takes {written.bytes_(whole)} with Adam's state, "
        f"{written.bytes_(weights)} for the weights in BF16 alone"
    )
    rate = case.utterance.roles.get("byte_rate") or (case.speeds[0] * 1e9 / 8 if case.speeds else None)
    if rate:
        for what, size in sizes.items():
            formula = f"{written.bytes_(size)} ÷ {written.rate(rate)}"
            case.figure(f"time to write or read {what}", size / rate, "s", formula)
        text += f"; at {written.rate(rate)} that is {seconds(whole / rate)} and {seconds(weights / rate)}"
    params = f"{written.count(case.params)} parameters"
    case.figure("checkpoint", whole, "bytes", f"{params} × 14 bytes (2 weights, 12 optimizer)")
    case.figure("weights alone", weights, "bytes", f"{params} × 2 bytes")
    return case.answer(f"{text}.", _STORAGE, model=case.name, bytes_per_s=rate)
