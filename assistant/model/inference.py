"""Serving a model: how a copy is spread, how many requests it answers at once and how fast, and what must cross nodes.

Memory is that of :mod:`serving_memory`, time that of :mod:`serving_time`; the network adds what a copy over several
scale-up domains reduces or hands over, and the prompt's cache where prompts and answers are on different nodes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from assistant.vocabulary.plan import Band

from .architecture import Architecture
from .cache_transfer import transfer_seconds
from .collectives import Wires
from .machine import Machine
from .network import Network, Networks
from .serving_memory import kv_format, memory_used, requests_held, reserves, weight_bytes
from .serving_network import bytes_between, decoding_added, prefill_added
from .serving_time import (
    Engined,
    Load,
    Served,
    Shape,
    Split,
    at_rate,
    decoded,
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
    cached: float = 0.0  # share of a prompt whose cache is there already
    fetched_over: float | str | None = None  # bytes/s of a GPU to the host's memory it is in, or "network"; its own
    prefill_gpus: int | None = None  # of one instance of that side, and how many instances
    decode_gpus: int | None = None
    prefill_workers: int | None = None
    decode_workers: int | None = None

    @property
    def loaded(self) -> bool:
        """Whether a load was said."""
        return bool(self.requests_per_s or self.concurrency)

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
    def fetched_bytes(self) -> float:
        """Of a prompt's cache that comes over the network because it is kept there."""
        return self.cached * self.kv_of_prompt if self.fetched_over == "network" else 0.0

    @property
    def kv_per_request(self) -> float:
        """Cache bytes of a request half way through its answer."""
        return float(self.architecture.kv_bytes(self.prompt_tokens + self.output_tokens / 2, self.formats[1]))


@dataclass(frozen=True)
class Sides:
    """Prefill and decode: instances of each, GPUs of one. ``kv_seconds``: to move a prompt's cache at the load;
    ``link_busy``: share of the network between them that is used; ``link_wanted``: share that the GPUs would use if it
    were never in their way, above 1 where it is too slow for them, or for the requests that are asked for."""

    prefill_workers: int
    prefill_gpus: int
    decode_workers: int
    decode_gpus: int
    kv_seconds: float
    link_busy: float
    link_wanted: float


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
    exposed_communication_percent: float
    memory_bytes: float
    fits: bool
    meets_targets: bool | None
    band: Band
    draws: np.ndarray
    outside_calibration: list[str]
    sides: Sides | None = None
    network_wait_s: float = 0.0  # of a whole request

    @property
    def kv_transfer_s(self) -> float:
        """Seconds to move a prompt's cache to the GPUs that answer; 0 where the same ones do."""
        return self.sides.kv_seconds if self.sides else 0.0


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
    copies = [copy_at_most(serving, machine, split) for split in splits_for(serving, machine)]
    timings = [timing_of(serving, machine, columns, copy) for copy in copies]
    middle = list(RATIOS).index(1.0)
    best = np.argmax(
        np.stack([_worth(serving, copy, timing, middle) for copy, timing in zip(copies, timings, strict=True)]), axis=0
    )
    for b in set(best.tolist()):
        copies[b] = loaded(serving, copies[b], max(1, serving.gpus // copies[b].split.gpus))
        timings[b] = timing_of(serving, machine, columns, copies[b])
    spreads = np.array([NETWORK_SPREAD[n.transport] for n in networks])
    times = np.stack([timings[b].per_token[:, f] for f, b in enumerate(best)], axis=1)
    spread = spreads_of(machine.constants)
    draws = drawn_times(times, spread.tpot, [n.id for n in networks], spreads)
    bands = quantiles(draws)
    return [
        _outcome(serving, machine, networks[f], copies[b], timings[b], f, middle, draws[f], bands[:, f])
        for f, b in enumerate(best)
    ]


def _worth(serving: Serving, copy: Copy, timing: Timing, middle: int) -> np.ndarray:
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
    since more room holds more requests; a copy over several domains as tp or as pp."""
    if serving.tensor_parallel or serving.pipeline_parallel or serving.data_parallel:
        return [_as_said(serving, machine)]
    whole = max(1, min(machine.domain, serving.gpus))
    inside = [*_inside(serving.architecture, machine, whole)]
    fitting = [one for one in inside if holds(serving, machine, one) >= 1]
    if fitting:
        roomy = [one for one in fitting if holds(serving, machine, one) >= SMALLEST_CONCURRENCY]
        return roomy or fitting
    tp, domains = max(one.tp for one in inside), 2
    while domains * machine.domain < MOST_GPUS and holds(serving, machine, Split(tp, domains)) < SMALLEST_CONCURRENCY:
        domains += 1
    return [Split(tp, domains), Split(1 << int(np.ceil(np.log2(tp * domains))))]


def _inside(a: Architecture, machine: Machine, whole: int) -> Iterator[Split]:
    """Within a domain: powers of two of ranks that divide the heads, a mixture with replicas of its attention besides,
    and stages where no fast link joins the GPUs."""
    sizes = [1 << d for d in range(int(np.log2(whole)) + 1)]
    ranks = [tp for tp in sizes if not a.heads or a.heads % tp == 0]
    yield from (Split(tp) for tp in ranks)
    if a.experts:
        yield from (Split(tp, 1, dp, dp) for tp in ranks for dp in sizes[1:] if tp * dp <= whole)
    if machine.scale_up_bandwidth <= SLOW_LINK:
        yield from (Split(tp, pp) for tp in ranks for pp in sizes[1:] if tp * pp <= whole)


# bytes/s of PCIe 5: below it stages of a pipeline may carry more than ranks that reduce in every layer, as vLLM's guide
# to parallelism says of nodes without NVLink (docs.vllm.ai, parallelism and scaling)
SLOW_LINK = 64e9
# whose rows the constants of serving are fitted to (measurements/serving.csv)
CALIBRATED = ("a100-sxm-40gb", "a100-sxm-80gb", "h100-sxm", "h200-sxm")
SMALLEST_CONCURRENCY = 4  # requests a copy should hold before it is split over more GPUs
MOST_GPUS = 4096  # of one copy: what no model needs


def uncalibrated(machine: Machine) -> list[str]:
    """That serving was not measured on this GPU, where it was not."""
    told = f"serving was measured on {', '.join(CALIBRATED)}; {machine.gpu} is predicted from its datasheet"
    return [] if machine.gpu in CALIBRATED else [told]


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
    reserved = reserves(serving.engine)
    return requests_held(serving.architecture, machine, split, serving.formats, serving.lengths, reserved=reserved)


def engined(serving: Serving, machine: Machine, split: Split) -> Engined:
    """The copy as the time of serving sees it."""
    constants, engine = serving_constants(machine.constants), engine_of(serving.engine, machine.constants)
    formats = serving.formats
    return Engined(serving.architecture, machine, split, *formats, constants, engine, streamed=not serving.offline)


def copy_at_most(serving: Serving, machine: Machine, split: Split) -> Copy:
    """A copy with as many requests in flight as keep the targets, else as many as serving stacks batch."""
    held, one = holds(serving, machine, split), engined(serving, machine, split)
    room = max(1.0, min(float(int(held)), LARGEST_BATCH * split.dp))
    grouped = serving.concurrency is not None
    full = Load(*serving.lengths, room, room, separate=serving.disaggregated, grouped=grouped, cached=serving.cached)
    if serving.ttft is not None or serving.tpot is not None:
        full = fastest_within(one, full, serving.ttft, serving.tpot)
    elif not (serving.offline or serving.concurrency or serving.requests_per_s):
        full = replace(full, concurrency=min(room, ONLINE_BATCH))
    most = under_load(one, full)
    return Copy(split, held, one, full, most, most.output_tokens_per_s)


def loaded(serving: Serving, copy: Copy, copies: int) -> Copy:
    """One of so many copies at its part of the load that was said; without a load at the most that it carries."""
    if serving.concurrency:
        load = replace(copy.load, concurrency=max(1.0, serving.concurrency / copies))
        return replace(copy, load=load, served=under_load(copy.engined, load))
    if serving.requests_per_s and not serving.offline:
        load, served = at_rate(copy.engined, copy.load, serving.requests_per_s / copies)
        return replace(copy, load=load, served=served)
    return copy


@dataclass(frozen=True)
class Timing:
    """Seconds per decoded token and to the first one, (K, F) over network slowdowns and networks; communication of a
    decoded token within."""

    per_token: np.ndarray
    first: np.ndarray
    per_token_communication: np.ndarray


def timing_of(serving: Serving, machine: Machine, columns: Networks, copy: Copy) -> Timing:
    one, split, load = copy.engined, copy.split, copy.load
    wires = Wires(machine, columns, RATIOS[:, None, None])
    batch = copy.served.batch / split.dp / split.pp
    halved = 2.0 * decoded(one, load, copy.served.batch / 2.0)
    decode = decoding_added(one, wires, batch, copy.served.tpot, float(halved))
    steps = max(1.0, load.fresh / load.chunk)
    each = float(one.step(Shape(0.0, 0.0, load.fresh / steps, load.behind)))
    prefill = steps * prefill_added(one, wires, load.fresh / steps, each)
    inside = float(one.reductions(batch))
    first = copy.served.ttft + prefill + decode + fetching(serving, wires, split)
    return Timing(copy.served.tpot + decode, first, decode + inside)


def fetching(serving: Serving, wires: Wires, split: Split) -> np.ndarray | float:
    """Seconds in which the part of a prompt's cache that is kept elsewhere comes to the GPUs of its copy."""
    bytes_ = serving.cached * serving.kv_of_prompt
    if not bytes_ or serving.fetched_over is None:
        return 0.0
    if isinstance(serving.fetched_over, float):
        return bytes_ / (serving.fetched_over * split.gpus)
    return transfer_seconds(wires, bytes_, min(split.gpus, wires.machine.gpus_per_node), stored=True)[..., 0]


def _outcome(
    serving: Serving,
    machine: Machine,
    network: Network,
    copy: Copy,
    timing: Timing,
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
    most = requests_of(serving, copy, copy.most * slower)
    delivered = requests_of(serving, copy, served.output_tokens_per_s * slower) * copies
    memory = memory_used(serving.architecture, split, serving.formats, serving.lengths, served.batch)
    token, prompt = (bytes_between(copy.engined, decoding=one) for one in (True, False))
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
        kv_bytes_per_request=serving.kv_per_request,
        across_nodes_per_token=token,
        across_nodes_per_request=prompt * copy.load.fresh + token * serving.output_tokens + serving.fetched_bytes,
        exposed_communication_percent=100.0 * float(timing.per_token_communication[middle, f]) / per_token,
        memory_bytes=memory,
        fits=copies >= 1 and copy.held >= 1 and (nodes == 1 or network.possible),
        meets_targets=None if serving.ttft is serving.tpot is None else keeps(serving, seen),
        band=Band(p10=float(band[0]), p50=float(band[1]), p90=float(band[2])),
        draws=draws,
        outside_calibration=uncalibrated(machine),
        network_wait_s=first - served.ttft + serving.output_tokens * (per_token - served.tpot),
    )


def _parallelism(split: Split, copies: int) -> dict[str, object]:
    shown: dict[str, object] = {"tp": split.tp, "pp": split.pp, "dp": copies}
    return shown | ({"ep": split.ep, "attention_replicas": split.dp} if split.dp > 1 else {})


def requests_of(serving: Serving, copy: Copy, output_tokens_per_s: float) -> float:
    """Requests per second of one copy; where prompts are read elsewhere, of its GPUs on both sides in balance."""
    rate = output_tokens_per_s / serving.output_tokens
    if not serving.disaggregated or not rate:
        return rate
    return 1.0 / (1.0 / rate + float(prefilled(copy.engined, copy.load)) / copy.split.dp)


def keeps(serving: Serving, served: Served) -> bool:
    """Whether both targets are kept."""
    return served.ttft <= (serving.ttft or np.inf) and served.tpot <= (serving.tpot or np.inf)
