"""What a service sends between nodes, beside the same GPUs serving without sending anything."""

from __future__ import annotations

from dataclasses import replace

from assistant.model import predict_inference
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Crossing, ServedOver

from .candidates import considered
from .entry import Entry
from .estimate import machine, networks
from .facts import crosses_nodes
from .pipeline import Decision
from .resolve import Resolved
from .serving import serving


def crossing_of(made: Decision, catalog: Catalog) -> Crossing | None:
    """``None`` where nothing crosses, or nothing was computed."""
    job, able = made.job, [e for e in made.entries if e.estimated is not None and e.estimate.fits]
    if not job.serves or not able:
        return None
    told = next((e for e in able if e is made.choice.chosen), able[0])
    if not crosses_nodes(job, told.estimate.traffic):
        return None
    sides = told.estimate.serving
    if sides is None:
        return None
    apart = sides.prefill_workers is not None
    return Crossing(
        networks=sorted((_over(e) for e in able), key=lambda one: (-one.ttft_s, -one.tpot_s)),
        kv_gb_per_request=sides.kv_gb_per_request if apart else None,
        prefill_workers=sides.prefill_workers,
        prefill_gpus=sides.prefill_gpus,
        decode_workers=sides.decode_workers,
        decode_gpus=sides.decode_gpus,
        chunked=_chunked(job, catalog, made) if apart else None,
    )


def _over(entry: Entry) -> ServedOver:
    found = entry.estimate.serving
    assert found is not None
    return ServedOver(
        fabric=entry.id,
        ttft_s=found.ttft_s,
        tpot_s=found.tpot_s,
        requests_per_s=found.requests_per_s,
        network_gb_per_s_per_node=found.network_gb_per_s_per_node,
        network_wait_percent=entry.estimate.traffic.get("network_wait_percent", 0.0),
        kv_transfer_s=found.kv_transfer_s,
        kv_link_percent=found.kv_link_wanted_percent,
    )


def _chunked(job: Resolved, catalog: Catalog, made: Decision) -> ServedOver | None:
    """The same GPUs as copies inside their nodes; ``None`` where no copy fits one."""
    whole = replace(
        serving(job),
        disaggregated=False,
        prefill_gpus=None,
        decode_gpus=None,
        prefill_workers=None,
        decode_workers=None,
    )
    gpus = machine(job, catalog)
    none = [c for c in considered(job, catalog, made.today) if c.fabric.technology == "none"]
    found = predict_inference(whole, gpus, networks(none, gpus, job, catalog))
    if not found or not found[0].fits:
        return None
    one = found[0]
    return ServedOver(
        fabric="none",
        ttft_s=one.time_to_first_token_s,
        tpot_s=one.time_per_output_token_s,
        requests_per_s=one.requests_per_s,
        network_gb_per_s_per_node=0.0,
        network_wait_percent=0.0,
    )
