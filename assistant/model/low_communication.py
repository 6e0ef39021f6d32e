"""Training in islands that meet rarely, between sites or nodes.

Each island trains alone for H inner steps, then the islands average what they have learned; the time of that exchange
is spread over the inner steps. By name: DiLoCo (2311.08105) sends the change since the last exchange and takes a step
of its own with the mean, H = 500 in its paper; local SGD (1808.07217) sends the weights, H = 16 there; federated
averaging (1602.05629) does so through a server that stands at one of the sites. All send one 16-bit number for each
trained parameter; fewer bits, as some implementations have them, are not modelled, nor an exchange that runs while the
next inner steps do, nor what H costs in quality.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assistant.vocabulary.plan import Band
from assistant.vocabulary.questionnaire import Parallelism

from .job import Job
from .machine import Machine
from .network import Network
from .uncertainty import normal_draws

if TYPE_CHECKING:
    from .training import Outcome


# Of Ethernet's 1,538 bytes per packet TCP carries 1,448: the most that a line gives.
TCP_BYTES = 1448
WAN_GOODPUT = TCP_BYTES / 1538
# Inner steps of each method's paper.
USUAL_STEPS = {"diloco": 500, "localsgd": 16, "fedavg": 500}
# What the sustained number of inner steps may cost, as a share of the time.
WAITING = 0.05


@dataclass(frozen=True)
class Synchronisation:
    """One exchange between islands: bytes into an island, seconds, and its share of a step when spread out."""

    islands: int
    bytes_: float
    seconds: float
    per_step: float


def synchronise(
    parameter_bytes: float,
    islands: int,
    island_rate: float,
    every: int,
    latency: float = 0.05,
    *,
    through_server: bool = False,
    goodput: float = 1.0,
) -> Synchronisation:
    """Averaging ``parameter_bytes`` among ``islands`` reached at ``island_rate`` bytes/s, once in ``every`` steps.

    Ring volume 2·(k−1)/k of the parameters into each island; 140 GB over 1 Gb/s between two sites take 1,120 s, and
    1,190 with a ``goodput`` of :data:`WAN_GOODPUT`, what the protocol leaves of the rate. A server at one of the sites
    takes in and gives out the parameters of all k − 1 others.
    """
    share = float(islands - 1) if through_server else 2.0 * (islands - 1) / islands
    volume, rounds = share * parameter_bytes * (2.0 if through_server else 1.0), 2.0 * (islands - 1)
    seconds = volume / (island_rate * goodput) + rounds * latency if islands > 1 else 0.0
    return Synchronisation(islands, volume, seconds, seconds / every)


def wide_area_draws(spread: float) -> np.ndarray:
    """By what an exchange between sites takes longer than at :data:`WAN_GOODPUT`, in every world: never less, as that
    is the most a line gives; ``spread``: standard deviation of the logarithm on the slow side."""
    return np.exp(spread * np.maximum(0.0, normal_draws("wide area")))


def one_stream(window: float, round_trip_s: float) -> float:
    """Bytes/s that one TCP stream carries at most: its window of bytes once per round trip."""
    return window / round_trip_s


def one_stream_with_losses(loss: float, round_trip_s: float) -> float:
    """Bytes/s of one TCP stream that loses a share of its packets: 1.22 · packet ÷ (round trip · √loss), Mathis et al.,
    ACM CCR 27(3), 1997."""
    return math.sqrt(1.5) * TCP_BYTES / (round_trip_s * math.sqrt(loss))


def sustained_steps(exchange_s: float, step_s: float, waiting: float = WAITING) -> int:
    """The fewest inner steps with which an exchange of ``exchange_s`` takes at most ``waiting`` of the time."""
    return max(1, math.ceil(exchange_s * (1.0 - waiting) / (waiting * step_s)))


def link_for_every_step(parameter_bytes: float, islands: int, hidden_s: float) -> float:
    """Bytes/s of a link over which the gradients of every step travel within ``hidden_s``, what the backward pass
    hides."""
    return 2.0 * (islands - 1) / islands * parameter_bytes / (hidden_s * WAN_GOODPUT)


def islands_of(job: Job, machine: Machine) -> int:
    """Islands of a job: its sites, or more where a site is larger than one scale-up domain and nothing joins its
    nodes."""
    return max(job.sites, machine.domains)


def inside_island(parallelism: Parallelism | None) -> Parallelism | None:
    """The split of one island: what was said of it, and left open where only the method was."""
    if parallelism is None or parallelism.model_fields_set <= {"strategy", "inner_steps"}:
        return None
    given = {name: getattr(parallelism, name) for name in parallelism.model_fields_set - {"inner_steps", "dp"}}
    return Parallelism.model_validate({**given, "strategy": "zero1"})


def predict_islands(
    job: Job,
    machine: Machine,
    networks: Sequence[Network],
    parallelism: Parallelism | None,
    predict: Callable[[Job, Machine, Sequence[Network], Parallelism | None], list[Outcome]],
) -> list[Outcome]:
    """The outcomes when every scale-up domain trains alone and each of the ``networks`` joins them rarely.

    ``predict`` is the prediction of one synchronous job. The WAN's bandwidth belongs to a site and is shared by its
    islands.
    """
    islands = islands_of(job, machine)
    inner_job = replace(job, gpus=job.gpus // islands, global_batch=max(1, job.global_batch // islands), sites=1)
    inner_machine = replace(machine, gpus=inner_job.gpus)
    inside = [replace(network, wide_area=False, possible=True) for network in networks]
    outcomes = predict(inner_job, inner_machine, inside, inside_island(parallelism))
    moved = job.trained_params * job.gradient_bytes
    found = []
    for network, outcome in zip(networks, outcomes, strict=True):
        rate = network.gpu_rate * machine.gpus_per_node
        rate = job.wan_bytes_per_s if network.wide_area and job.wan_bytes_per_s else rate
        per_site = max(1, islands // job.sites) if network.wide_area else 1
        sync = synchronise(moved, islands, rate / per_site, job.sync_every)
        found.append(_with_sync(outcome, network, job, islands, sync))
    return found


def _with_sync(outcome, network: Network, job: Job, islands: int, sync: Synchronisation):
    total = outcome.step_time_s + sync.per_step
    factor = outcome.step_time_s / total
    parts = outcome.breakdown.model_dump()
    exposed = outcome.exposed_communication_percent * factor + 100.0 * sync.per_step / total
    band = {name: getattr(outcome.band, name) + sync.per_step for name in ("p10", "p50", "p90")}
    return replace(
        outcome,
        network=network.id,
        step_time_s=total,
        draws=outcome.draws + sync.per_step,
        band=Band(**band),
        parallelism={**outcome.parallelism, "strategy": "diloco", "dp": outcome.parallelism["dp"] * islands},
        tokens_per_s_per_gpu=outcome.tokens_per_s_per_gpu * factor,
        tflops_per_gpu=outcome.tflops_per_gpu * factor,
        mfu=outcome.mfu * factor,
        exposed_communication_percent=exposed,
        breakdown=outcome.breakdown.model_copy(update={"dp": parts["dp"] + sync.per_step}),
        traffic_into_node={**outcome.traffic_into_node, "dp": sync.bytes_ / job.sync_every},
        outside_calibration=[*outcome.outside_calibration, "low-communication training: convergence is not predicted"],
    )
