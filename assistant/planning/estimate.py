"""From a resolved job and the fabrics considered to an estimate for each: what the quantitative model says."""

from __future__ import annotations

from dataclasses import replace

from assistant.model import Cabling, Job, Machine, Network, Outcome, machine_of, network_of, predict_training
from assistant.model.low_communication import Synchronisation, synchronise
from assistant.vocabulary.catalog import Catalog

from . import profile
from .candidates import Considered
from .entry import Entry, Estimate, band_of
from .resolve import USUAL_PLANES, Resolved

# Gradients of the layers done first travel while the rest of the backward pass runs; it is two thirds of the compute.
_BACKWARD_SHARE = 2 / 3


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
    )


def networks(found: list[Considered], of: Machine, job: Resolved) -> list[Network]:
    """The fabrics as the collectives see them, as the job's cluster and a profile among the machine's constants have
    them."""
    cluster = job.questionnaire.cluster
    cabling = Cabling(
        cluster.oversubscription or 1.0,
        cluster.adaptive_routing,
        bool(cluster.in_network_reduction),
        cluster.lossless,
        cluster.topology or "rail",
        cluster.planes or (USUAL_PLANES if cluster.topology == "plane" else 1),
    )
    return [profile.on_network(network_of(c.fabric, c.nics_per_node, of, cabling=cabling), of) for c in found]


def estimate_training(entries: list[Entry], job: Resolved, catalog: Catalog) -> None:
    """Fill in the estimates of fabrics that can be had."""
    if job.sites > 1:
        _between_sites(entries, job, catalog)
        return
    gpus = machine(job, catalog)
    fabrics = networks([e.considered for e in entries], gpus, job)
    outcomes = predict_training(model_job(job), gpus, fabrics, job.parallelism)
    for entry, outcome, network in zip(entries, outcomes, fabrics, strict=True):
        entry.estimated = as_estimate(outcome, network.gpu_rate * gpus.domain)


def as_estimate(outcome: Outcome, node_rate: float) -> Estimate:
    """The model's outcome in the planner's words; ``node_rate``: bytes/s into one scale-up domain."""
    into = sum(outcome.traffic_into_node.values())
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
        {"bytes_into_node": into, "network_collectives": outcome.collectives, "network_seconds": into / node_rate},
    )


def _between_sites(entries: list[Entry], job: Resolved, catalog: Catalog) -> None:
    """Several sites: every fabric joins the GPUs of one site; between sites there is only the wide-area link.

    A fabric as candidate means one synchronous job stretched over that link; ``wide-area low communication`` means
    islands that meet rarely, each on the fabric that is fastest inside a site.
    """
    site = replace(
        job.at_one_site(),
        parallelism=None if job.parallelism is None or job.parallelism.strategy == "diloco" else job.parallelism,
    )
    gpus = machine(site, catalog)
    inside = [e for e in entries if e.considered.fabric.technology != "wan"]
    fabrics = networks([e.considered for e in inside], gpus, site)
    outcomes = predict_training(model_job(site), gpus, fabrics, site.parallelism)
    rates = [network.gpu_rate * gpus.domain for network in fabrics]
    gradients, link = job.trained_params * 2.0, (job.wan_gbps or 0.0) * 1e9 / 8
    every_step = synchronise(gradients, job.sites, link, 1)
    for entry, outcome, rate in zip(inside, outcomes, rates, strict=True):
        entry.estimated = _stretched(as_estimate(outcome, rate), every_step)
    rarely = synchronise(gradients, job.sites, link, model_job(job).sync_every)
    fastest = min(range(len(inside)), key=lambda i: (not outcomes[i].fits, outcomes[i].band.p50))
    for entry in entries:
        if entry.considered.fabric.technology == "wan":
            entry.estimated = _islands(
                as_estimate(outcomes[fastest], rates[fastest]), rarely, inside[fastest].id, job.sites
            )


def _stretched(estimate: Estimate, sync: Synchronisation) -> Estimate:
    """A synchronous step over the wide-area link: what of the exchange the backward pass does not hide is waited
    for."""
    exposed = max(0.0, sync.per_step - _BACKWARD_SHARE * estimate.breakdown.compute)
    return _longer(estimate, exposed, sync, {})


def _islands(estimate: Estimate, sync: Synchronisation, fabric: str, sites: int) -> Estimate:
    layout = {"strategy": "diloco", "inside_each_site": fabric, "dp": (estimate.parallelism.get("dp") or 1) * sites}
    longer = _longer(estimate, sync.per_step, sync, layout)
    return replace(
        longer, outside=(*estimate.outside, "low-communication training: its convergence is not part of the prediction")
    )


def _longer(estimate: Estimate, seconds: float, sync: Synchronisation, layout: dict[str, object]) -> Estimate:
    """The estimate with ``seconds`` of exposed exchange between sites added to each step."""
    draws = estimate.draws + seconds
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
        traffic={**estimate.traffic, "bytes_between_sites": sync.bytes_, "seconds_between_sites": sync.seconds},
    )
