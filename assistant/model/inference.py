"""Serving a model: how a copy is spread, how many requests it answers at once and how fast, and what must cross nodes.

Memory is that of :mod:`serving_memory`, time that of :mod:`serving_time`; the network adds what a copy over several
scale-up domains reduces or hands over, and the prompt's cache where prompts and answers are on different nodes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from assistant.vocabulary.plan import Band

from .architecture import Architecture
from .cache_transfer import transfer_seconds
from .collectives import Wires
from .machine import Machine
from .network import Networks
from .serving_constants import CALIBRATED, engine_of, serving_constants
from .serving_memory import kv_format, requests_held, reserves, weight_bytes
from .serving_network import PassAdded, crosses
from .serving_time import (
    NOTHING_GUESSED,
    Engined,
    Guesses,
    Load,
    Served,
    Split,
    at_rate,
    fastest_within,
    prefilled,
    slowed_at_rate,
    under_load,
)
from .uncertainty import RATIOS

LARGEST_BATCH = (
    1024  # requests a copy decodes together: the most that vLLM schedules on data-centre GPUs (max_num_seqs)
)
ONLINE_BATCH = 64  # assumed where somebody waits for each token and neither load nor targets are said


@dataclass(frozen=True)
class Serving:
    """What is served. ``tensor_parallel`` fixes the split; ``disaggregated`` keeps prefill and decode on different
    nodes; ``concurrency``: requests in flight on all GPUs, which as in a benchmark follow each other at once, or come
    ``at_random`` as those of users do; ``ttft`` and ``tpot``: seconds that are asked for."""

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
    at_random: bool = False
    pipeline_parallel: int | None = None
    expert_parallel: int | None = None
    data_parallel: int | None = None
    ttft: float | None = None
    tpot: float | None = None
    guesses: Guesses = NOTHING_GUESSED
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
    def targeted(self) -> bool:
        """Whether somebody said how long a token may take, the first or a further one."""
        return bool(self.ttft or self.tpot)

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
    any. Figures of the whole cluster: ``requests_per_s`` and ``output_tokens_per_s`` at the load; ``carries``, requests
    per second at most within the targets, 0 where not even one is answered in time. ``tokens_per_s_per_gpu`` is what a
    GPU carries at most.
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
    carries: float
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

    ``load``: requests in flight as they are predicted.
    """

    split: Split
    held: float
    engined: Engined
    load: Load
    served: Served


def splits_for(serving: Serving, machine: Machine) -> list[Split]:
    """Ways to spread a copy: from the fewest GPUs whose memory holds weights and some requests up to a whole domain,
    since more room holds more requests; a copy over several domains as tp, as pp, or with the experts over all."""
    if serving.tensor_parallel or serving.pipeline_parallel or serving.data_parallel:
        return [_as_said(serving, machine)]
    whole = max(1, min(machine.domain, serving.gpus))
    inside = {one: holds(serving, machine, one) for one in _inside(serving.architecture, machine, whole)}
    fitting = [one for one, held in inside.items() if held >= 1]
    if fitting:
        return [one for one in fitting if inside[one] >= SMALLEST_CONCURRENCY] or fitting
    tp, domains = max(one.tp for one in inside), 2
    while domains * machine.domain < MOST_GPUS and holds(serving, machine, Split(tp, domains)) < SMALLEST_CONCURRENCY:
        domains += 1
    spread = 1 << int(np.ceil(np.log2(tp * domains)))
    wide = [Split(1, 1, spread, spread)] if serving.architecture.experts else []
    return [Split(tp, domains), Split(spread), *(one for one in wide if holds(serving, machine, one) >= 1)]


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
    return Engined(
        serving.architecture, machine, split, *formats, constants, engine, not serving.offline, serving.guesses
    )


def copy_at_most(serving: Serving, machine: Machine, split: Split, one: Engined | None = None) -> Copy:
    """A copy with as many requests in flight as keep the targets, else as many as serving stacks batch. ``one``: the
    copy as the time of serving sees it, where that is there already."""
    held, one = holds(serving, machine, split), one or engined(serving, machine, split)
    room = max(1.0, min(float(int(held)), LARGEST_BATCH * split.dp))
    grouped = serving.concurrency is not None and not serving.at_random
    full = Load(*serving.lengths, room, room, separate=serving.disaggregated, grouped=grouped, cached=serving.cached)
    if serving.ttft is not None or serving.tpot is not None:
        full = fastest_within(one, full, serving.ttft, serving.tpot)
    elif not (serving.offline or serving.concurrency or serving.requests_per_s):
        full = replace(full, concurrency=min(room, ONLINE_BATCH))
    return Copy(split, held, one, full, under_load(one, full))


def most_within(serving: Serving, machine: Machine, network: Networks, split: Split) -> tuple[Copy, Timing]:
    """:func:`copy_at_most` of a copy over several domains that one network joins, its targets tightened by what the
    network takes of them; and how it is on that network."""
    copy = copy_at_most(serving, machine, split)
    timing = timing_of(serving, machine, network, copy)
    for _ in range(ROUNDS):
        seen = timing.of_one(copy)
        first, token = seen.ttft - copy.served.ttft, seen.tpot - copy.served.tpot
        tight = replace(serving, ttft=serving.ttft and serving.ttft - first, tpot=serving.tpot and serving.tpot - token)
        if keeps(serving, seen) or min(tight.ttft or 1.0, tight.tpot or 1.0) <= 0.0:
            break
        copy = copy_at_most(tight, machine, split)
        timing = timing_of(serving, machine, network, copy)
    return copy, timing


def seen_over(
    serving: Serving, machine: Machine, network: Networks, copy: Copy, most: Load | None = None, rate: float = 0.0
) -> Served:
    """What a copy delivers with the part that one network has in it; ``most`` and ``rate`` as in :func:`timing_of`."""
    return timing_of(serving, machine, network, copy, most, rate).of_one(copy)


_MIDDLE = list(RATIOS).index(1.0)
ROUNDS = 3  # of the targets less what the network takes at the batch that keeps them


def asked_of_one(serving: Serving, copies: int) -> float:
    """Requests per second that are asked of one of so many copies; 0 where those in flight are said, or nothing."""
    if serving.concurrency or serving.offline or not serving.requests_per_s:
        return 0.0
    return serving.requests_per_s / copies


def loaded(serving: Serving, copy: Copy, copies: int) -> Copy:
    """One of so many copies at its part of the load that was said; without a load at the most that it carries."""
    if serving.concurrency:
        load = replace(copy.load, concurrency=max(1.0, serving.concurrency / copies))
        return replace(copy, load=load, served=under_load(copy.engined, load))
    if rate := asked_of_one(serving, copies):
        load, served = at_rate(copy.engined, copy.load, copy.served, rate)
        return replace(copy, load=load, served=served)
    return copy


@dataclass(frozen=True)
class Timing:
    """Seconds per decoded token and to the first one, output tokens/s of a copy and requests in flight on it, (K, F)
    over network slowdowns and networks; communication of a decoded token within."""

    per_token: np.ndarray
    first: np.ndarray
    per_token_communication: np.ndarray
    output_rate: np.ndarray
    in_flight: np.ndarray

    def of_one(self, copy: Copy) -> Served:
        """What the copy delivers on the first network at the middle of its slowdowns."""
        tpot, first = float(self.per_token[_MIDDLE, 0]), float(self.first[_MIDDLE, 0])
        return replace(copy.served, ttft=first, tpot=tpot, output_tokens_per_s=float(self.output_rate[_MIDDLE, 0]))


def timing_of(
    serving: Serving, machine: Machine, columns: Networks, copy: Copy, most: Load | None = None, rate: float = 0.0
) -> Timing:
    """A copy on networks, at its load; where that comes of a ``rate`` of requests per second, with as many in flight as
    follow from it on each network, ``most`` of them."""
    one, load, served, free = copy.engined, copy.load, copy.served, copy.served
    wires = Wires(machine, columns, RATIOS[:, None, None])
    if crosses(one):
        network = PassAdded(one, wires)
        if most is None or not rate:
            served = under_load(one, load, network)
        else:
            load, served = slowed_at_rate(one, most, rate, network)
            free = under_load(one, load)
    many = np.zeros((len(RATIOS), len(columns)))
    requests = copy.served.batch / copy.split.dp / copy.split.pp
    inside = float(one.reductions(requests * one.guesses.checked)) / one.guesses.gained
    return Timing(
        many + served.tpot,
        many + served.ttft + fetching(serving, wires, copy.split),
        many + served.tpot - free.tpot + inside,
        many + served.output_tokens_per_s,
        many + load.concurrency,
    )


def fetching(serving: Serving, wires: Wires, split: Split) -> np.ndarray | float:
    """Seconds in which the part of a prompt's cache that is kept elsewhere comes to the GPUs of its copy."""
    bytes_ = serving.cached * serving.kv_of_prompt
    if not bytes_ or serving.fetched_over is None:
        return 0.0
    if isinstance(serving.fetched_over, float):
        return bytes_ / (serving.fetched_over * split.gpus)
    return transfer_seconds(wires, bytes_, min(split.gpus, wires.machine.gpus_per_node), stored=True)[..., 0]


def requests_of(serving: Serving, copy: Copy, output_tokens_per_s: float) -> float:
    """Requests per second of one copy; where prompts are read elsewhere, of its GPUs on both sides in balance."""
    rate = output_tokens_per_s / serving.output_tokens
    if not serving.disaggregated or not rate:
        return rate
    return 1.0 / (1.0 / rate + float(prefilled(copy.engined, copy.load)) / copy.split.dp)


def keeps(serving: Serving, served: Served) -> bool:
    """Whether both targets are kept."""
    return served.ttft <= (serving.ttft or np.inf) and served.tpot <= (serving.tpot or np.inf)
