"""Estimates for serving: what must cross nodes at all, and what a request waits for."""

from __future__ import annotations

from math import inf
from typing import Any

from assistant.model import InferenceOutcome, Serving, predict_inference
from assistant.model.inference import Sides
from assistant.model.serving_time import Guesses
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Breakdown, ServingFigures

from .entry import Entry, Estimate, band_of
from .estimate import machine, networks
from .resolve import Resolved

HARDLY = 1e-6  # of a load: what is told in rounded numbers may be above what is carried


def serving(job: Resolved) -> Serving:
    """The served model as the quantitative model sees it."""
    inference = job.served
    return Serving(
        job.architecture,
        job.gpus,
        job.precision,
        inference.prompt_tokens,
        inference.output_tokens,
        inference.rate,
        inference.tensor_parallel,
        disaggregated=job.questionnaire.workload == "disaggregated-inference",
        offline=job.questionnaire.workload == "batch-inference",
        kv_precision=inference.kv_precision,
        engine=inference.engine,
        concurrency=inference.concurrency,
        at_random=job.questionnaire.workload == "inference" and inference.sizes,  # users, whose prompts are no burst
        pipeline_parallel=inference.pipeline_parallel,
        expert_parallel=inference.expert_parallel,
        data_parallel=inference.data_parallel,
        prefill_gpus=inference.prefill_gpus,
        decode_gpus=inference.decode_gpus,
        prefill_workers=inference.prefill_workers,
        decode_workers=inference.decode_workers,
        guesses=Guesses(inference.guesses, (inference.accepted_percent or 0.0) / 100),
        cached=(inference.cached_percent or 0.0) / 100,
        fetched_over=_store(job),
        ttft=inference.ttft_ms and inference.ttft_ms / 1e3,
        tpot=inference.tpot_ms and inference.tpot_ms / 1e3,
    )


def _store(job: Resolved) -> float | str | None:
    """What lies between a GPU and the caches of earlier prompts: its host link, or the network."""
    kept, host = job.served.cache_store, job.gpu.host_link
    return {"host": host.si if host else None, "remote": "network"}.get(kept or "gpu")


def estimate_serving(entries: list[Entry], job: Resolved, catalog: Catalog) -> None:
    """Fill in the estimates of fabrics that can be had; ``none`` only where nothing crosses nodes."""
    gpus = machine(job, catalog)
    outcomes = predict_inference(serving(job), gpus, networks([e.considered for e in entries], gpus, job, catalog))
    for entry, outcome in zip(entries, outcomes, strict=True):
        crossing = outcome.across_nodes_per_token + outcome.across_nodes_per_request
        if entry.considered.fabric.technology == "none" and crossing > 0:
            continue
        entry.estimated = _as_estimate(outcome, job, crossing)


def _as_estimate(outcome: InferenceOutcome, job: Resolved, crossing: float) -> Estimate:
    """Seconds per output token as a user sees them: the wait for the first token and the transfer of the cache
    included."""
    per_token = outcome.request_latency_s / job.served.output_tokens
    draws = outcome.draws * (per_token / outcome.time_per_output_token_s)
    waited = per_token * outcome.exposed_communication_percent / 100
    flops = 2.0 * job.params * outcome.tokens_per_s_per_gpu
    return Estimate(
        {**outcome.parallelism, "replicas": outcome.replicas},
        draws,
        band_of(draws),
        outcome.tokens_per_s_per_gpu,
        flops / 1e12,
        flops / job.gpu.peak_bf16.si,
        outcome.exposed_communication_percent,
        outcome.memory_bytes,
        outcome.fits,
        Breakdown(compute=per_token - waited, other=waited),
        tuple(outcome.outside_calibration),
        {
            "bytes_into_node": crossing,
            "kv_gb_per_request": outcome.kv_bytes_per_request / 1e9,
            "replica_nodes": outcome.nodes_per_replica,
            "kv_transfer_s": outcome.kv_transfer_s,
            "network_wait_percent": 100 * outcome.network_wait_s / outcome.request_latency_s,
            "time_to_first_token_s": outcome.time_to_first_token_s,
            "replicas": outcome.replicas,
            "replicas_needed": outcome.replicas_needed or 0,
        },
        serving=_figures(outcome, job),
        copies_short=_short(job.served.rate, outcome.carries),
    )


def _short(rate: float | None, carries: float) -> float:
    """The load ÷ what is carried; 0 without a rate."""
    return (rate / carries if carries else inf) * (1 - HARDLY) if rate else 0.0


def _figures(outcome: InferenceOutcome, job: Resolved) -> ServingFigures:
    """The figures of the whole cluster; what enters a node is what its share of the requests brings."""
    tokens, first, rate = outcome.band, outcome.first_token, outcome.output_rate
    nodes = -(-job.gpus // job.domain)
    answer = job.served.output_tokens
    rates = {
        "output_tokens_per_s": rate.p50,
        "total_tokens_per_s": outcome.requests_per_s * (answer + job.served.prompt_tokens),
        "output_tokens_per_s_per_gpu": rate.p50 / job.gpus,
        "requests_per_s": outcome.requests_per_s,
    }
    low, high = (end / rate.p50 if rate.p50 else 1.0 for end in (rate.p10, rate.p90))
    bands = rates | {f"{name}_p10": value * low for name, value in rates.items()}
    bands |= {f"{name}_p90": value * high for name, value in rates.items()}
    return ServingFigures(
        ttft_s=first.p50,
        ttft_s_p10=first.p10,
        ttft_s_p90=first.p90,
        tpot_s=outcome.time_per_output_token_s,
        tpot_s_p10=tokens.p10,
        tpot_s_p90=tokens.p90,
        concurrency=outcome.concurrency * outcome.replicas,
        max_concurrency=outcome.held * outcome.replicas,
        **bands,
        copies=outcome.replicas,
        gpus_per_copy=outcome.gpus_per_replica,
        kv_gb_per_request=outcome.kv_bytes_per_request / 1e9,
        network_gb_per_s_per_node=outcome.across_nodes_per_request * outcome.requests_per_s / nodes / 1e9,
        carries_requests_per_s=outcome.carries,
        meets_targets=outcome.meets_targets,
        **(_sides(outcome.sides) if outcome.sides else {}),
    )


def _sides(sides: Sides) -> dict[str, Any]:
    return {
        "prefill_workers": sides.prefill_workers,
        "prefill_gpus": sides.prefill_gpus,
        "decode_workers": sides.decode_workers,
        "decode_gpus": sides.decode_gpus,
        "kv_transfer_s": sides.kv_seconds,
        "kv_link_percent": 100 * sides.link_busy,
        "kv_link_wanted_percent": 100 * sides.link_wanted,
    }
