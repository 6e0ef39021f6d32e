"""What a service sends between nodes, beside the same GPUs serving without sending anything."""

from __future__ import annotations

import datetime
from dataclasses import replace

from assistant.model import predict_inference
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Crossing, ServedOver, ServingFigures

from .candidates import considered
from .entry import Entry
from .estimate import machine, networks
from .facts import crosses_nodes, likely
from .pipeline import Decision
from .resolve import Resolved
from .serving import serving


def crossing_of(made: Decision, catalog: Catalog) -> Crossing | None:
    """``None`` where nothing crosses, or nothing was computed."""
    job, able = made.job, [e for e in made.entries if e.estimated is not None and e.estimate.fits]
    if not job.serves or not able:
        return None
    told = made.choice.chosen or likely(able) or able[0]
    if not crosses_nodes(job, told.estimate.traffic):
        return None
    sides = told.estimate.serving
    if sides is None:
        return None
    apart = sides.prefill_workers is not None
    return Crossing(
        networks=sorted((_over(e) for e in able), key=lambda one: (-one.ttft_s, -one.tpot_s)),
        fabric=told.id,
        kv_gb_per_request=sides.kv_gb_per_request if apart else None,
        prefill_workers=sides.prefill_workers,
        prefill_gpus=sides.prefill_gpus,
        decode_workers=sides.decode_workers,
        decode_gpus=sides.decode_gpus,
        chunked=as_copies(job, sides.requests_per_s, told.id, catalog, made.today) if apart else None,
    )


def _over(entry: Entry) -> ServedOver:
    found = entry.estimate.serving
    assert found is not None
    return served_over(entry.id, found, entry.estimate.traffic.get("network_wait_percent", 0.0))


def served_over(fabric: str, found: ServingFigures, network_wait_percent: float = 0.0) -> ServedOver:
    """The figures of a service over one network."""
    return ServedOver(
        fabric=fabric,
        ttft_s=found.ttft_s,
        tpot_s=found.tpot_s,
        requests_per_s=found.requests_per_s,
        carries_requests_per_s=found.carries_requests_per_s,
        network_gb_per_s_per_node=found.network_gb_per_s_per_node,
        network_wait_percent=network_wait_percent,
        kv_transfer_s=found.kv_transfer_s,
        kv_link_percent=found.kv_link_wanted_percent,
    )


def as_copies(
    job: Resolved, rate: float, fabric: str, catalog: Catalog, today: datetime.date | None = None
) -> ServedOver | None:
    """The GPUs of prompts and answers apart as copies inside their nodes, at so many requests per second or at the most
    of them that they carry; ``None`` where no copy fits a node. ``fabric``: over which caches come from a store."""
    whole = replace(
        serving(job),
        disaggregated=False,
        requests_per_s=None if job.served.concurrency else rate,
        prefill_gpus=None,
        decode_gpus=None,
        prefill_workers=None,
        decode_workers=None,
    )
    gpus = machine(job, catalog)
    over = fabric if whole.fetched_over == "network" else "none"
    wires = networks([c for c in considered(job, catalog, today) if c.fabric.id == over], gpus, job, catalog)
    found = predict_inference(whole, gpus, wires)
    if not found or not found[0].fits:
        return None
    if 0.0 < found[0].carries < (whole.requests_per_s or 0.0):  # beyond it queues would never end
        found = predict_inference(replace(whole, requests_per_s=_FULL * found[0].carries), gpus, wires)
    one = found[0]
    return ServedOver(
        fabric=over,
        ttft_s=one.time_to_first_token_s,
        tpot_s=one.time_per_output_token_s,
        requests_per_s=one.requests_per_s,
        carries_requests_per_s=one.carries,
        network_gb_per_s_per_node=0.0,
        network_wait_percent=0.0,
    )


_FULL = 0.999  # of what is carried at most
