"""From a resolved job and the fabrics considered to an estimate for each: what the quantitative model says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assistant.model import Job, Machine, Network, Outcome, machine_of, network_of, predict_training
from assistant.model.low_communication import (
    WAN_GOODPUT,
    Synchronisation,
    inside_island,
    synchronise,
    wide_area_draws,
)
from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog

from . import profile
from .candidates import Considered
from .design import cabling_of
from .entry import Entry, Estimate, band_of
from .resolve import Resolved

# Gradients of the layers done first travel while the rest of the backward pass runs; it is two thirds of the compute.
BACKWARD_SHARE = 2 / 3


def machine(job: Resolved, catalog: Catalog) -> Machine:
    """The GPUs of a job, as a user's own profile has them where the catalog was loaded with one."""
    bridge = catalog.bridge_of(job.gpu)
    return profile.on_machine(machine_of(job.gpu, job.scale_up, job.gpus, job.gpus_per_node, catalog.constants, bridge))


def model_job(job: Resolved) -> Job:
    """One optimizer step as the model sees it."""
    return Job(
        job.architecture,
        job.gpus,
        job.questionnaire.workload,
        job.sequence_length,
        job.global_batch,
        job.micro_batch,
        job.precision,
        job.recompute,
        job.attention,
        job.framework,
        job.sites,
        job.wan_gbps * 1e9 / 8 if job.wan_gbps else None,
        adapters=job.adapters,
        expert_overlap=job.expert_overlap,
        expert_kernels=job.expert_kernels,
        dispatch_precision=job.dispatch_precision,
        routing_nodes=job.routing_nodes,
        sync_every=job.inner_steps,
        longest_sequence=None if job.loop is None else job.longest_sequence,
        sharding_open=job.sharding_open,
    )


def networks(found: list[Considered], of: Machine, job: Resolved, catalog: Catalog) -> list[Network]:
    """The fabrics as the collectives see them, as the job's cluster and a profile among the machine's constants have
    them."""

    def seen(one: Considered) -> Network:
        cabling = cabling_of(job.questionnaire.cluster, one.fabric, catalog)
        cabled = replace(cabling, oversubscription=one.oversubscription)
        return profile.on_network(network_of(one.fabric, one.nics_per_node, of, cabling=cabled), of)

    return [seen(one) for one in found]


def estimate_training(entries: list[Entry], job: Resolved, catalog: Catalog) -> None:
    """Fill in the estimates of fabrics that can be had."""
    if job.sites > 1:
        _between_sites(entries, job, catalog)
        return
    gpus = machine(job, catalog)
    fabrics = networks([e.considered for e in entries], gpus, job, catalog)
    outcomes = predict_training(model_job(job), gpus, fabrics, job.parallelism)
    for entry, outcome, network in zip(entries, outcomes, fabrics, strict=True):
        made = as_estimate(outcome, network.gpu_rate * gpus.domain)
        entry.estimated = _as_named(made, job) if job.rare else made


def _as_named(estimate: Estimate, job: Resolved) -> Estimate:
    """With the method by which islands average as it was named: the model knows them as one strategy."""
    return replace(estimate, parallelism={**estimate.parallelism, "strategy": job.averaging})


def as_estimate(outcome: Outcome, node_rate: float) -> Estimate:
    """The model's outcome in the planner's words; ``node_rate``: bytes/s into one scale-up domain."""
    into = added(outcome.traffic_into_node.values())
    return Estimate(
        outcome.parallelism,
        outcome.draws,
        outcome.band,
        outcome.tokens_per_s_per_gpu,
        outcome.tflops_per_gpu,
        outcome.mfu,
        outcome.exposed_communication_percent,
        outcome.memory_bytes,
        outcome.fits,
        outcome.breakdown,
        tuple(outcome.outside_calibration),
        {
            "bytes_into_node": into,
            "dp_bytes_into_node": outcome.traffic_into_node.get("dp", 0.0),
            "network_collectives": outcome.collectives,
            "network_seconds": into / node_rate,
        },
        crowded=outcome.crowded,
    )


def _between_sites(entries: list[Entry], job: Resolved, catalog: Catalog) -> None:
    """Several sites: every fabric joins the GPUs of one site; between sites there is only the wide-area link.

    A fabric as candidate means one synchronous job stretched over that link, or islands on that fabric where the user
    fixed a method in which they meet rarely, or where the fabric is given and islands are faster; ``wide-area low
    communication`` means islands, each on whichever fabric suits the inside of a site best.
    """
    site = replace(job.at_one_site(), parallelism=inside_island(job.parallelism) if job.rare else job.parallelism)
    gpus = machine(site, catalog)
    inside = [e for e in entries if e.considered.fabric.technology != "wan"]
    fabrics = networks([e.considered for e in inside], gpus, site, catalog)
    outcomes = predict_training(model_job(site), gpus, fabrics, site.parallelism)
    estimates = [as_estimate(one, net.gpu_rate * gpus.domain) for one, net in zip(outcomes, fabrics, strict=True)]
    gradients, link = job.trained_params * 2.0, (job.wan_gbps or 0.0) * 1e9 / 8
    every_step = synchronise(gradients, job.sites, link, 1, goodput=WAN_GOODPUT)
    server = job.averaging == "fedavg"
    rarely = synchronise(gradients, job.sites, link, job.inner_steps, through_server=server, goodput=WAN_GOODPUT)
    slower = wide_area_draws(catalog.constants["wan-spread"].si)
    apart = [_islands(one, rarely, e.id, job, slower) for one, e in zip(estimates, inside, strict=True)]
    for entry, estimate, islands in zip(inside, estimates, apart, strict=True):
        stretched = _stretched(estimate, every_step, site.global_batch, slower)
        given = entry.id == job.questionnaire.cluster.fabric and job.parallelism is None
        rare = job.rare or (given and islands.band.p50 < stretched.band.p50)
        entry.estimated = islands if rare else stretched
    # A network that is there joins the GPUs of each site; else the fastest, until prices tell which is the cheapest.
    owned = [one for one, e in zip(apart, inside, strict=True) if e.id == job.questionnaire.cluster.fabric]
    choices = tuple(owned or apart)
    fastest = min(choices, key=lambda one: (not one.fits, one.band.p50))
    for entry in entries:
        if entry.considered.fabric.technology == "wan":
            entry.estimated = replace(fastest, alternatives=choices)


def _stretched(estimate: Estimate, sync: Synchronisation, sequences: int, slower: np.ndarray) -> Estimate:
    """A synchronous step over the wide-area link; ``slower``: by what the exchange takes longer in every world."""
    hidden = last_backward_s(estimate.breakdown.compute, estimate.parallelism, sequences)
    return _longer(estimate, np.maximum(0.0, sync.per_step * slower - hidden), sync, {})


def last_backward_s(compute: float, parallelism: Mapping[str, Any], sequences: int) -> float:
    """Seconds of a step that an exchange of its gradients can hide behind: the backward pass of the last micro-batch,
    as the ones before it only add to them (2006.15704, 3.2.4).

    ``compute``: s of all passes of a step; ``sequences``: what all copies that ``parallelism`` counts take in a step.
    """
    micro_batches = sequences / ((parallelism.get("dp") or 1) * (parallelism.get("micro_batch") or 1))
    return BACKWARD_SHARE * compute / max(1.0, micro_batches)


def _islands(estimate: Estimate, sync: Synchronisation, fabric: str, job: Resolved, slower: np.ndarray) -> Estimate:
    """Islands that meet once in the job's inner steps, each on ``fabric``."""
    copies = (estimate.parallelism.get("dp") or 1) * job.sites
    layout = {
        "strategy": job.averaging,
        "inner_steps": job.inner_steps,
        "split_inside": estimate.parallelism.get("strategy"),
        "inside_each_site": fabric,
        "dp": copies,
    }
    longer = _longer(estimate, sync.per_step * slower, sync, layout)
    return replace(
        longer, outside=(*estimate.outside, "low-communication training: its convergence is not part of the prediction")
    )


def waited_for(draws: np.ndarray, waits: np.ndarray) -> tuple[np.ndarray, float]:
    """Steps in every world with what each waits besides, and the median of that, by which their median grows."""
    seconds = band_of(waits).p50
    longer = draws + waits
    return longer + (band_of(draws).p50 + seconds - band_of(longer).p50), seconds


def _longer(estimate: Estimate, waits: np.ndarray, sync: Synchronisation, layout: dict[str, object]) -> Estimate:
    """The estimate with the exposed exchange between sites, ``waits`` seconds in every world, added to each step."""
    draws, seconds = waited_for(estimate.draws, waits)
    factor = estimate.band.p50 / (estimate.band.p50 + seconds)
    waited = estimate.exposed_percent * factor + 100 * (1 - factor)
    return replace(
        estimate,
        parallelism={**estimate.parallelism, **layout},
        draws=draws,
        band=band_of(draws),
        exposed_percent=waited,
        tokens_per_s_per_gpu=estimate.tokens_per_s_per_gpu * factor,
        tflops_per_gpu=estimate.tflops_per_gpu * factor,
        mfu=estimate.mfu * factor,
        breakdown=estimate.breakdown.model_copy(update={"dp": estimate.breakdown.dp + seconds}),
        traffic={**estimate.traffic, "bytes_between_sites": sync.bytes_, "waited_between_sites": seconds},
    )
