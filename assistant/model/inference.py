"""Serving a model: how a copy is spread, how many requests it answers at once and how fast, and what must cross nodes.

Memory is that of :mod:`serving_memory`, time that of :mod:`serving_time`; the network adds what a copy over several
scale-up domains reduces or hands over, and the prompt's cache where prompts and answers are on different nodes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.vocabulary.plan import Band

from .architecture import Architecture
from .collectives import Wires, all_reduce, group
from .machine import Machine
from .network import Network, Networks
from .serving_memory import kv_format, memory_used, requests_held, weight_bytes
from .serving_time import (
    Engined,
    Load,
    Served,
    Split,
    at_rate,
    engine_of,
    fastest_within,
    prefilled,
    serving_constants,
    spreads_of,
    under_load,
)
from .uncertainty import NETWORK_SPREAD, RATIOS, drawn_times, quantiles

LARGEST_BATCH = (
    1024  # requests a copy decodes together: the most that vLLM schedules on data-centre GPUs (max_num_seqs)
)
ONLINE_BATCH = 64  # assumed where somebody waits for each token and neither load nor targets are said


@dataclass(frozen=True)
class Serving:
    """What is served. ``tensor_parallel`` fixes the split; ``disaggregated`` keeps prefill and decode on different
    nodes; ``concurrency``: requests in flight on all GPUs; ``ttft`` and ``tpot``: seconds that are asked for."""

    architecture: Architecture
    gpus: int
    precision: str = "bf16"
    prompt_tokens: int = 2000
    output_tokens: int = 500
    requests_per_s: float | None = None
    tensor_parallel: int | None = None
    disaggregated: bool = False
    offline: bool = False
    kv_precision: str | None = None
    engine: str | None = None
    concurrency: int | None = None
    pipeline_parallel: int | None = None
    expert_parallel: int | None = None
    data_parallel: int | None = None
    ttft: float | None = None
    tpot: float | None = None

    @property
    def weight_bytes(self) -> float:
        return weight_bytes(self.architecture, self.precision)

    @property
    def formats(self) -> tuple[str, str]:
        """Of weights and cache."""
        return self.precision, kv_format(self.kv_precision, self.precision, self.engine)

    @property
    def lengths(self) -> tuple[float, float]:
        """Tokens of prompt and answer."""
        return float(self.prompt_tokens), float(self.output_tokens)

    @property
    def kv_of_prompt(self) -> float:
        """Cache bytes of a whole prompt: what moves from prefill to decode."""
        return float(self.architecture.kv_bytes(self.prompt_tokens, self.formats[1]))

    @property
    def kv_per_request(self) -> float:
        """Cache bytes of a request half way through its answer."""
        return float(self.architecture.kv_bytes(self.prompt_tokens + self.output_tokens / 2, self.formats[1]))


@dataclass(frozen=True)
class InferenceOutcome:
    """One network. Seconds, bytes; ``draws`` are worlds of the time per output token.

    ``across_nodes_per_token`` and ``across_nodes_per_request``: bytes that must cross between scale-up domains.
    ``concurrency``: requests in flight on one copy, ``held`` those its memory holds. ``meets_targets``: null without
    any. Figures of the whole cluster at the load: ``requests_per_s``, ``output_tokens_per_s``; ``tokens_per_s_per_gpu``
    is what a GPU carries at most.
    """

    network: str
    parallelism: dict[str, object]
    replicas: int
    replicas_needed: int | None
    nodes_per_replica: int
    gpus_per_replica: int
    concurrency: int
    held: int
    time_per_output_token_s: float
    time_to_first_token_s: float
    first_token: Band
    request_latency_s: float
    requests_per_s: float
    output_tokens_per_s: float
    output_rate: Band
    tokens_per_s_per_gpu: float
    kv_bytes_per_request: float
    across_nodes_per_token: float
    across_nodes_per_request: float
    kv_transfer_s: float
    exposed_communication_percent: float
    memory_bytes: float
    fits: bool
    meets_targets: bool | None
    band: Band
    draws: np.ndarray
    outside_calibration: list[str]


@dataclass(frozen=True)
class Copy:
    """One way to spread a copy, with what it delivers before the network between domains has its part.

    ``load``: requests in flight as they are predicted; ``most``: output tokens/s at the largest batch.
    """

    split: Split
    held: float
    engined: Engined
    load: Load
    served: Served
    most: float


def predict_inference(serving: Serving, machine: Machine, networks: Sequence[Network]) -> list[InferenceOutcome]:
    """One outcome per network, in their order, each with the split of a copy whose GPUs carry the most requests."""
    columns = Networks(networks)
    copies = [_copy(serving, machine, split) for split in splits_for(serving, machine)]
    timings = [_timing(serving, machine, columns, copy) for copy in copies]
    middle = list(RATIOS).index(1.0)
    best = np.argmax(
        np.stack([_worth(serving, copy, timing, middle) for copy, timing in zip(copies, timings, strict=True)]), axis=0
    )
    for b in set(best.tolist()):
        copies[b] = _loaded(serving, copies[b])
        timings[b] = _timing(serving, machine, columns, copies[b])
    spreads = np.array([NETWORK_SPREAD[n.transport] for n in networks])
    times = np.stack([timings[b].per_token[:, f] for f, b in enumerate(best)], axis=1)
    spread = spreads_of(machine.constants)
    draws = drawn_times(times, spread.tpot, [n.id for n in networks], spreads)
    bands = quantiles(draws)
    return [
        _outcome(serving, machine, networks[f], copies[b], timings[b], f, middle, draws[f], bands[:, f])
        for f, b in enumerate(best)
    ]


def _worth(serving: Serving, copy: Copy, timing: _Timing, middle: int) -> np.ndarray:
    """Output tokens/s of one GPU at most on each network; copies that miss a target come after those that do not, and
    copies that do not fit last."""
    slower = copy.served.tpot / timing.per_token[middle]
    worth = copy.most / copy.split.gpus * slower
    late = np.zeros_like(worth, dtype=bool)
    if serving.tpot is not None:
        late |= timing.per_token[middle] > serving.tpot
    if serving.ttft is not None:
        late |= timing.first[middle] > serving.ttft
    return worth * np.where(late, 1e-3, 1.0) * (1.0 if copy.held >= 1 else 1e-6)


def splits_for(serving: Serving, machine: Machine) -> list[Split]:
    """Ways to spread a copy: from the fewest GPUs whose memory holds weights and some requests up to a whole domain,
    since more room holds more requests; a mixture also with as many attention replicas as GPUs; a copy over several
    domains as tp or as pp."""
    if serving.tensor_parallel or serving.data_parallel:
        return [_as_said(serving, machine)]
    whole = max(1, min(machine.domain, serving.gpus))
    inside = [Split(1 << d) for d in range(int(np.log2(whole)) + 1)]
    if serving.architecture.experts:
        inside += [Split(1, 1, one.tp, one.tp) for one in inside if one.tp > 1]
    fitting = [one for one in inside if holds(serving, machine, one) >= 1]
    if fitting:
        roomy = [one for one in fitting if holds(serving, machine, one) >= SMALLEST_CONCURRENCY]
        return roomy or fitting
    tp, domains = inside[0].tp if whole == 1 else 1 << int(np.log2(whole)), 2
    while domains * machine.domain < MOST_GPUS and holds(serving, machine, Split(tp, domains)) < SMALLEST_CONCURRENCY:
        domains += 1
    return [Split(tp, domains), Split(1 << int(np.ceil(np.log2(tp * domains))))]


# whose rows the constants of serving are fitted to (measurements/serving.csv)
CALIBRATED = ("a100-sxm-40gb", "a100-sxm-80gb", "h100-sxm", "h200-sxm")
SMALLEST_CONCURRENCY = 4  # requests a copy should hold before it is split over more GPUs
MOST_GPUS = 4096  # of one copy: what no model needs


def _as_said(serving: Serving, machine: Machine) -> Split:
    tp, dp = serving.tensor_parallel or 1, serving.data_parallel or 1
    ep = serving.expert_parallel or dp
    if serving.pipeline_parallel:
        return Split(tp, serving.pipeline_parallel, dp, ep)
    stages = 1
    while stages * tp * dp < MOST_GPUS and holds(serving, machine, Split(tp, stages, dp, ep)) < 1:
        stages += 1
    return Split(tp, stages, dp, ep)


def holds(serving: Serving, machine: Machine, split: Split) -> float:
    """Requests in flight that the memory of a copy holds; less than 1 where not one fits."""
    return requests_held(serving.architecture, machine, split, serving.formats, serving.lengths)


def engined(serving: Serving, machine: Machine, split: Split) -> Engined:
    """The copy as the time of serving sees it."""
    constants, engine = serving_constants(machine.constants), engine_of(serving.engine, machine.constants)
    formats = serving.formats
    return Engined(serving.architecture, machine, split, *formats, constants, engine, streamed=not serving.offline)


def _copy(serving: Serving, machine: Machine, split: Split) -> Copy:
    """A copy with as many requests in flight as keep the targets, else as many as serving stacks batch."""
    held, one = holds(serving, machine, split), engined(serving, machine, split)
    room = max(1.0, min(float(int(held)), LARGEST_BATCH * split.dp))
    grouped = serving.concurrency is not None
    full = Load(*serving.lengths, room, room, separate=serving.disaggregated, grouped=grouped)
    if serving.ttft is not None or serving.tpot is not None:
        full = fastest_within(one, full, serving.ttft, serving.tpot)
    elif not (serving.offline or serving.concurrency or serving.requests_per_s):
        full = replace(full, concurrency=min(room, ONLINE_BATCH))
    most = under_load(one, full)
    return Copy(split, held, one, full, most, most.output_tokens_per_s)


def _loaded(serving: Serving, copy: Copy) -> Copy:
    """The copy at its part of the load that was said."""
    copies = max(1, serving.gpus // copy.split.gpus)
    if serving.concurrency:
        load = replace(copy.load, concurrency=max(1.0, serving.concurrency / copies))
        return replace(copy, load=load, served=under_load(copy.engined, load))
    if serving.requests_per_s and not serving.offline:
        load, served = at_rate(copy.engined, copy.load, serving.requests_per_s / copies)
        return replace(copy, load=load, served=served)
    return copy


@dataclass(frozen=True)
class _Timing:
    """Seconds per decoded token, to the first one and of the prompt's transfer, (K, F) over network slowdowns and
    networks; communication of a decoded token within."""

    per_token: np.ndarray
    first: np.ndarray
    per_token_communication: np.ndarray
    transfer: np.ndarray


def _timing(serving: Serving, machine: Machine, columns: Networks, copy: Copy) -> _Timing:
    a, split = serving.architecture, copy.split
    wires = Wires(machine, columns, RATIOS[:, None, None])
    shape = np.broadcast_shapes(np.shape(wires.latency), (1, 1, 1))[:2]
    decode, prefill, transfer = (np.zeros(shape) for _ in range(3))
    if split.gpus > machine.domain:
        token_bytes = float(a.hidden * 2)
        decode = pass_communication(wires, a, split, copy.served.batch / split.dp / split.pp * token_bytes)
        prefill = pass_communication(wires, a, split, serving.prompt_tokens * token_bytes)
    if split.dp > 1:  # two halves of the batch take turns, so that one computes while the other travels
        decode = np.maximum(decode - copy.served.tpot, 0.0)
        prefill = np.maximum(prefill - copy.served.ttft, 0.0)
    if serving.disaggregated:
        transfer = transfer + _transfer(serving, wires, split)
    inside = float(copy.engined.reductions(copy.served.batch / split.dp / split.pp))
    return _Timing(copy.served.tpot + decode, copy.served.ttft + prefill + transfer + decode, decode + inside, transfer)


def pass_communication(wires: Wires, a: Architecture, split: Split, bytes_: float) -> np.ndarray:
    """Seconds of one pass through the model: two all-reduces per layer, one hand-over per stage, each token to its
    experts and back where the attention has replicas (in eight bits out, in 16 back); (K, F)."""
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
    if split.dp > 1 and a.experts:
        away = a.experts_per_token * max(0.0, 1.0 - wires.machine.domain / split.gpus)
        exchanged = 1.5 * bytes_ * away / (wires.networks.gpu_rate / wires.slowdown) + 2.0 * wires.latency
        time = time + a.moe_layers * exchanged[..., 0]
    return time


def _transfer(serving: Serving, wires: Wires, split: Split) -> np.ndarray | float:
    """Seconds to move one prompt's cache to a decoding copy: over the NICs of its GPUs, or over the link that all GPUs
    share."""
    machine = wires.machine
    if serving.gpus <= machine.domain:
        return serving.kv_of_prompt / (machine.scale_up_bandwidth * split.gpus) + machine.scale_up_latency
    rate = wires.networks.gpu_rate * split.gpus / wires.slowdown
    return (serving.kv_of_prompt / rate + wires.latency)[..., 0]


def _outcome(
    serving: Serving,
    machine: Machine,
    network: Network,
    copy: Copy,
    timing: _Timing,
    f: int,
    middle: int,
    draws: np.ndarray,
    band: np.ndarray,
) -> InferenceOutcome:
    split, served, spread = copy.split, copy.served, spreads_of(machine.constants)
    per_token, first = float(timing.per_token[middle, f]), float(timing.first[middle, f])
    slower = served.tpot / per_token
    nodes = -(-split.gpus // machine.domain)
    copies = serving.gpus // split.gpus
    most = _requests(serving, copy, copy.most * slower)
    delivered = _requests(serving, copy, served.output_tokens_per_s * slower) * copies
    memory = memory_used(serving.architecture, split, serving.formats, serving.lengths, served.batch)
    crossing = _crossing(serving.architecture, split, machine)
    seen = replace(served, ttft=first, tpot=per_token)
    tokens = delivered * serving.output_tokens
    return InferenceOutcome(
        network=network.id,
        parallelism=_parallelism(split, copies),
        replicas=copies,
        replicas_needed=None
        if serving.requests_per_s is None or not most
        else int(np.ceil(serving.requests_per_s / most)),
        nodes_per_replica=nodes,
        gpus_per_replica=split.gpus,
        concurrency=max(1, round(copy.load.concurrency)),
        held=int(copy.held),
        time_per_output_token_s=per_token,
        time_to_first_token_s=first,
        first_token=spread.band(first, spread.ttft),
        request_latency_s=first + (serving.output_tokens - 1) * per_token,
        requests_per_s=delivered,
        output_tokens_per_s=tokens,
        output_rate=spread.band(tokens, spread.rate),
        tokens_per_s_per_gpu=most * serving.output_tokens / split.gpus if copies else 0.0,
        kv_bytes_per_request=serving.kv_of_prompt if serving.disaggregated else serving.kv_per_request,
        across_nodes_per_token=crossing,
        across_nodes_per_request=crossing * (serving.prompt_tokens + serving.output_tokens)
        + (serving.kv_of_prompt if serving.disaggregated and serving.gpus > machine.domain else 0.0),
        kv_transfer_s=float(timing.transfer[middle, f]),
        exposed_communication_percent=100.0 * float(timing.per_token_communication[middle, f]) / per_token,
        memory_bytes=memory,
        fits=copies >= 1 and copy.held >= 1 and (nodes == 1 or network.possible),
        meets_targets=None if serving.ttft is serving.tpot is None else _keeps(serving, seen),
        band=Band(p10=float(band[0]), p50=float(band[1]), p90=float(band[2])),
        draws=draws,
        outside_calibration=[]
        if machine.gpu in CALIBRATED
        else [f"serving was measured on {', '.join(CALIBRATED)}; {machine.gpu} is predicted from its datasheet"],
    )


def _parallelism(split: Split, copies: int) -> dict[str, object]:
    shown: dict[str, object] = {"tp": split.tp, "pp": split.pp, "dp": copies}
    return shown | ({"ep": split.ep, "attention_replicas": split.dp} if split.dp > 1 else {})


def _requests(serving: Serving, copy: Copy, output_tokens_per_s: float) -> float:
    """Requests per second of one copy; where prompts are worked on elsewhere, of its share of both sides."""
    rate = output_tokens_per_s / serving.output_tokens
    if not serving.disaggregated or not rate:
        return rate
    prompts = float(prefilled(copy.engined, copy.load)) / copy.split.dp
    return 1.0 / (1.0 / rate + prompts)


def _crossing(a: Architecture, split: Split, machine: Machine) -> float:
    """Bytes into one domain per token: two all-reduced activations per layer (tp) or one hand-over per stage (pp)."""
    activation = 2.0 * a.hidden
    if split.tp > machine.domain:
        return 2.0 * a.layers * 2.0 * activation * (split.tp - 1) / split.tp
    return activation * (split.pp - 1) if split.pp > 1 and split.gpus > machine.domain else 0.0


@dataclass(frozen=True)
class Sizing:
    """GPUs that carry a load within its targets with copies of one split. Times in seconds, ``carries``: requests per
    second of one copy at most."""

    split: Split
    copies: int
    carries: float
    ttft: float
    tpot: float

    @property
    def gpus(self) -> int:
        return self.copies * self.split.gpus


def sizings(serving: Serving, machine: Machine) -> list[Sizing]:
    """How many GPUs ``serving.requests_per_s`` takes within ``ttft`` and ``tpot``, fewest first: every split inside a
    domain that keeps them, none where no split does. ``serving.gpus`` is how many a copy may have at most.

    Raises ValueError without requests per second.
    """
    if not serving.requests_per_s:
        raise ValueError("expected requests_per_s above 0, got none")
    asked = replace(serving, concurrency=None)
    found = []
    for split in splits_for(asked, machine):
        copy = _copy(asked, machine, split)
        carries = _requests(asked, copy, copy.most)
        if split.gpus > machine.domain or copy.held < 1 or not _keeps(asked, copy.served):
            continue
        copies = int(np.ceil(serving.requests_per_s / carries))
        served = at_rate(copy.engined, copy.load, serving.requests_per_s / copies)[1]
        found.append(Sizing(split, copies, carries, served.ttft, served.tpot))
    return sorted(found, key=lambda one: (one.gpus, one.split.gpus))


def _keeps(serving: Serving, served: Served) -> bool:
    """Whether both targets are kept."""
    return served.ttft <= (serving.ttft or np.inf) and served.tpot <= (serving.tpot or np.inf)
