"""Serving at first order: prefill and decode rooflines, and what must cross nodes per token and per request.

Prefill is bound by arithmetic, decode by reading weights and cache (roofline, 2211.05102). A replica spans ``tp·pp``
GPUs; tensor parallel across nodes reduces activations twice per layer and token, a pipeline across nodes hands one
activation over per stage, disaggregated serving moves the prompt's key/value cache once per request.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.plan import Band

from .architecture import BYTES, Architecture
from .collectives import Wires, all_reduce, group
from .machine import Machine
from .network import Network, Networks
from .uncertainty import NETWORK_SPREAD, RATIOS, drawn_times, quantiles

USABLE_MEMORY = 0.9  # share of GPU memory that serving stacks give to weights and cache (vLLM's default)
LAYER_LAUNCH = 12e-6  # seconds per decoded layer that graphs do not hide: a dozen kernels of about a microsecond each
LARGEST_BATCH = 256  # requests decoded together: the most that vLLM schedules unless told otherwise (max_num_seqs)
ONLINE_BATCH = 64  # assumed: a quarter of it where somebody waits for each token
# standard deviation of the logarithm: assumed, about that of mixtures in training, as no serving was measured
SPREAD = 0.25
SMALLEST_CONCURRENCY = 4  # requests a replica should hold before it is split over more GPUs


@dataclass(frozen=True)
class Serving:
    """What is served. ``tensor_parallel`` fixes the split; ``disaggregated`` keeps prefill and decode on different
    nodes."""

    architecture: Architecture
    gpus: int
    precision: str = "bf16"
    prompt_tokens: int = 2000
    output_tokens: int = 500
    requests_per_s: float | None = None
    tensor_parallel: int | None = None
    disaggregated: bool = False
    offline: bool = False

    @property
    def weight_bytes(self) -> float:
        return self.architecture.bytes(self.precision)

    @property
    def kv_per_token(self) -> float:
        """Cache bytes per token; FP8 weights are usually served with a 16-bit cache."""
        return self.architecture.kv_bytes_per_token("bf16")

    @property
    def kv_per_request(self) -> float:
        """Cache bytes of a request with its whole output."""
        return self.kv_per_token * (self.prompt_tokens + self.output_tokens)


@dataclass(frozen=True)
class InferenceOutcome:
    """One network. Seconds, bytes; ``draws`` are worlds of the time per output token.

    ``across_nodes_per_token`` and ``across_nodes_per_request``: bytes that must cross between scale-up domains.
    """

    network: str
    parallelism: dict[str, object]
    replicas: int
    replicas_needed: int | None
    nodes_per_replica: int
    concurrency: int
    time_per_output_token_s: float
    time_to_first_token_s: float
    request_latency_s: float
    requests_per_s: float
    tokens_per_s_per_gpu: float
    kv_bytes_per_request: float
    across_nodes_per_token: float
    across_nodes_per_request: float
    kv_transfer_s: float
    exposed_communication_percent: float
    memory_bytes: float
    fits: bool
    band: Band
    draws: np.ndarray
    outside_calibration: list[str]


@dataclass(frozen=True)
class Split:
    """One way to spread a replica: ``tp`` ranks per stage, ``pp`` stages."""

    tp: int
    pp: int

    @property
    def gpus(self) -> int:
        return self.tp * self.pp


def predict_inference(serving: Serving, machine: Machine, networks: Sequence[Network]) -> list[InferenceOutcome]:
    """One outcome per network, in their order, each with the split of a replica whose GPUs carry the most requests."""
    columns = Networks(networks)
    splits = splits_for(serving, machine)
    batches = [concurrency(serving, machine, split) for split in splits]
    timings = [_timing(serving, machine, columns, split, batch) for split, batch in zip(splits, batches, strict=True)]
    middle = list(RATIOS).index(1.0)
    best = np.argmax(
        np.stack(
            [
                _rate(serving, split, timing.prefill[middle], timing.per_token[middle], batch) / split.gpus
                for split, timing, batch in zip(splits, timings, batches, strict=True)
            ]
        ),
        axis=0,
    )
    spreads = np.array([NETWORK_SPREAD[n.transport] for n in networks])
    times = np.stack([timings[b].per_token[:, f] for f, b in enumerate(best)], axis=1)
    draws = drawn_times(times, SPREAD, [n.id for n in networks], spreads)
    bands = quantiles(draws)
    return [
        _outcome(serving, machine, networks[f], splits[b], timings[b], f, middle, draws[f], bands[:, f], batches[b])
        for f, b in enumerate(best)
    ]


def _rate(
    serving: Serving, split: Split, prefill: np.ndarray | float, per_token: np.ndarray | float, batch: int
) -> np.ndarray | float:
    """Requests per second of one replica.

    Continuous batching: a request costs its prefill and its share of the decode steps it sits in; stages of a pipeline
    overlap.
    """
    return split.pp / (prefill + serving.output_tokens * per_token / batch)


def splits_for(serving: Serving, machine: Machine) -> list[Split]:
    """Ways to spread a replica: from the fewest GPUs whose memory holds weights and some requests up to a whole domain,
    since more room holds more requests; a replica over several domains as tp or as pp."""
    if serving.tensor_parallel:
        stages = -(-_gpus_needed(serving, machine) // serving.tensor_parallel)
        return [Split(serving.tensor_parallel, max(1, stages))]
    needed = _gpus_needed(serving, machine)
    gpus = 1 << max(0, int(np.ceil(np.log2(needed))))
    if gpus <= machine.domain:
        most = max(min(machine.domain, serving.gpus), gpus)
        return [Split(gpus << doubled, 1) for doubled in range(int(np.log2(most / gpus)) + 1)]
    return [Split(gpus, 1), Split(machine.domain, -(-gpus // machine.domain))]


def _gpus_needed(serving: Serving, machine: Machine) -> int:
    room = machine.memory * USABLE_MEMORY
    return max(1, int(np.ceil((serving.weight_bytes * 1.03 + SMALLEST_CONCURRENCY * serving.kv_per_request) / room)))


def concurrency(serving: Serving, machine: Machine, split: Split) -> int:
    """Requests a replica decodes together: what memory holds, at most what serving stacks batch."""
    room = split.gpus * machine.memory * USABLE_MEMORY - serving.weight_bytes * 1.03
    held = int(room / (serving.kv_per_token * (serving.prompt_tokens + serving.output_tokens / 2)))
    return max(1, min(held, LARGEST_BATCH if serving.offline else ONLINE_BATCH))


@dataclass(frozen=True)
class _Timing:
    """Seconds per decoded token and per prompt, (K, F) over network slowdowns and networks; communication within
    them."""

    per_token: np.ndarray
    prefill: np.ndarray
    per_token_communication: np.ndarray
    transfer: np.ndarray


def _timing(serving: Serving, machine: Machine, columns: Networks, split: Split, batch: int) -> _Timing:
    wires = Wires(machine, columns, RATIOS[:, None, None])
    a = serving.architecture
    token_bytes = float(a.hidden * 2)
    decode = pass_communication(wires, a, split, batch * token_bytes)
    prefill = pass_communication(wires, a, split, serving.prompt_tokens * token_bytes)
    transfer = _transfer(serving, wires, split) if serving.disaggregated else np.zeros_like(decode)
    return _Timing(
        decode_compute(serving, machine, split, batch) + decode,
        prefill_compute(serving, machine, split) + prefill,
        decode,
        transfer,
    )


def pass_communication(wires: Wires, a: Architecture, split: Split, bytes_: float) -> np.ndarray:
    """Seconds of one pass through the model: two all-reduces per layer, one hand-over per stage; (K, F)."""
    shape = np.broadcast_shapes(np.shape(wires.latency), (1, 1, 1))[:2]
    time = np.zeros(shape)
    if split.tp > 1:
        ranks = group(np.array([float(split.tp)]), np.ones(1), wires.machine.domain)
        time = (
            time + 2.0 * a.layers * np.broadcast_to(all_reduce(wires, np.array([bytes_]), ranks), (*shape, 1))[..., 0]
        )
    if split.pp > 1:
        hop = bytes_ / (wires.networks.nic_rate / wires.slowdown) + wires.latency
        time = time + (split.pp - 1) * hop[..., 0]
    return time


def _transfer(serving: Serving, wires: Wires, split: Split) -> np.ndarray:
    """Seconds to move one prompt's cache to a decoding replica: over the NICs of the replica's GPUs, or over the link
    that all GPUs share."""
    bytes_, machine = serving.kv_per_token * serving.prompt_tokens, wires.machine
    if serving.gpus <= machine.domain:
        alone = bytes_ / (machine.scale_up_bandwidth * split.gpus) + machine.scale_up_latency
        return np.full(np.broadcast_shapes(np.shape(wires.latency), (1, 1, 1))[:2], alone)
    rate = wires.networks.gpu_rate * split.gpus / wires.slowdown
    return (bytes_ / rate + wires.latency)[..., 0]


def decode_compute(serving: Serving, machine: Machine, split: Split, batch: int) -> float:
    """Seconds of one decoded token for ``batch`` requests: the larger of reading and arithmetic, stage after stage."""
    a = serving.architecture
    touched = 1.0 - (1.0 - a.experts_per_token / a.experts) ** batch if a.experts else 1.0
    params = a.layers * (a.shared_layer_params + a.expert_layer_params * touched) + a.embedding_params
    weights = params * BYTES[serving.precision]
    cache = batch * serving.kv_per_token * (serving.prompt_tokens + serving.output_tokens / 2)
    read = (weights + cache) / (split.tp * machine.memory_bandwidth * machine.memory_efficiency)
    arithmetic = 2.0 * a.matmul_params * batch / (split.tp * machine.peak[serving.precision] * machine.gemm_efficiency)
    return max(read, arithmetic) + a.layers * LAYER_LAUNCH


def prefill_compute(serving: Serving, machine: Machine, split: Split) -> float:
    """Seconds of arithmetic for one prompt (causal half of attention)."""
    a, s = serving.architecture, serving.prompt_tokens
    products = 2.0 * a.matmul_params * s / (machine.peak[serving.precision] * machine.gemm_efficiency)
    attention = float(a.attention_flops(s)) * s / (machine.peak["bf16"] * machine.attention_efficiency)
    return (products + attention) / split.tp + a.layers * LAYER_LAUNCH


def _outcome(
    serving: Serving,
    machine: Machine,
    network: Network,
    split: Split,
    timing: _Timing,
    f: int,
    middle: int,
    draws: np.ndarray,
    band: np.ndarray,
    batch: int,
) -> InferenceOutcome:
    per_token, prefill = float(timing.per_token[middle, f]), float(timing.prefill[middle, f])
    transfer = float(timing.transfer[middle, f])
    nodes, apart = -(-split.gpus // machine.domain), serving.disaggregated and serving.gpus > machine.domain
    replicas = serving.gpus // split.gpus
    rate = float(_rate(serving, split, prefill, per_token, batch)) if replicas else 0.0
    first = prefill + transfer + per_token
    memory = (serving.weight_bytes * 1.03 + batch * serving.kv_per_request) / split.gpus
    return InferenceOutcome(
        network=network.id,
        parallelism={"tp": split.tp, "pp": split.pp, "dp": replicas},
        replicas=replicas,
        replicas_needed=None
        if serving.requests_per_s is None or not rate
        else int(np.ceil(serving.requests_per_s / rate)),
        nodes_per_replica=nodes,
        concurrency=batch,
        time_per_output_token_s=per_token,
        time_to_first_token_s=first,
        request_latency_s=first + (serving.output_tokens - 1) * per_token,
        requests_per_s=rate * replicas,
        tokens_per_s_per_gpu=rate * serving.output_tokens / split.gpus,
        kv_bytes_per_request=serving.kv_per_request,
        across_nodes_per_token=_crossing(serving.architecture, split, machine),
        across_nodes_per_request=_crossing(serving.architecture, split, machine)
        * (serving.prompt_tokens + serving.output_tokens)
        + (serving.kv_per_token * serving.prompt_tokens if apart else 0.0),
        kv_transfer_s=transfer,
        exposed_communication_percent=100.0 * float(timing.per_token_communication[middle, f]) / per_token,
        memory_bytes=memory,
        fits=replicas >= 1 and memory <= machine.memory and (nodes == 1 or network.possible),
        band=Band(p10=float(band[0]), p50=float(band[1]), p90=float(band[2])),
        draws=draws,
        outside_calibration=[
            "serving: first order, not calibrated on measured runs",
            *([machine.not_measured] if machine.not_measured else []),
        ],
    )


def _crossing(a: Architecture, split: Split, machine: Machine) -> float:
    """Bytes into one domain per token: two all-reduced activations per layer (tp) or one hand-over per stage (pp)."""
    activation = 2.0 * a.hidden
    if split.tp > machine.domain:
        return 2.0 * a.layers * 2.0 * activation * (split.tp - 1) / split.tp
    return activation * (split.pp - 1) if split.pp > 1 and split.gpus > machine.domain else 0.0
