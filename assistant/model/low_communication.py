"""Training in islands that meet rarely: DiLoCo and local SGD between sites or nodes (2311.08105).

Each island trains alone for ``sync_every`` inner steps, then the islands average their changes once. The time of that
exchange is spread over the inner steps.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from assistant.vocabulary.plan import Band
from assistant.vocabulary.questionnaire import Parallelism

from .job import Job
from .machine import Machine
from .network import Network

if TYPE_CHECKING:
    from .training import Outcome


@dataclass(frozen=True)
class Synchronisation:
    """One exchange between islands: bytes into an island, seconds, and its share of a step when spread out."""

    islands: int
    bytes_: float
    seconds: float
    per_step: float


def synchronise(
    parameter_bytes: float, islands: int, island_rate: float, every: int, latency: float = 0.05
) -> Synchronisation:
    """Averaging ``parameter_bytes`` among ``islands`` reached at ``island_rate`` bytes/s, once in ``every`` steps.

    Ring volume 2·(k−1)/k of the parameters into each island; 140 GB over 1 Gb/s between two sites take 1,120 s.
    """
    volume = 2.0 * (islands - 1) / islands * parameter_bytes
    seconds = volume / island_rate + 2.0 * (islands - 1) * latency if islands > 1 else 0.0
    return Synchronisation(islands, volume, seconds, seconds / every)


def islands_of(job: Job, machine: Machine) -> int:
    """Islands of a job: its sites, or more where a site is larger than one scale-up domain and nothing joins its
    nodes."""
    return max(job.sites, machine.domains)


def predict_islands(
    job: Job,
    machine: Machine,
    network: Network,
    parallelism: Parallelism | None,
    predict: Callable[[Job, Machine, Sequence[Network], Parallelism | None], list[Outcome]],
) -> Outcome:
    """The outcome when every scale-up domain trains alone and ``network`` joins them rarely.

    ``predict`` is the prediction of one synchronous job. The WAN's bandwidth belongs to a site and is shared by its
    islands.
    """
    islands = islands_of(job, machine)
    inner_job = replace(job, gpus=job.gpus // islands, global_batch=max(1, job.global_batch // islands), sites=1)
    inner_machine = replace(machine, gpus=inner_job.gpus)
    inside = replace(network, wide_area=False, possible=True)
    split = parallelism and Parallelism(**{**parallelism.model_dump(), "strategy": "ddp", "dp": None})
    outcome = predict(inner_job, inner_machine, [inside], split)[0]
    rate = (
        job.wan_bytes_per_s if network.wide_area and job.wan_bytes_per_s else network.gpu_rate * machine.gpus_per_node
    )
    per_site = max(1, islands // job.sites) if network.wide_area else 1
    sync = synchronise(job.trained_params * job.gradient_bytes, islands, rate / per_site, job.sync_every)
    return _with_sync(outcome, network, job, islands, sync)


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
