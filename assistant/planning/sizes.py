"""Sizes the rules look at: weights, optimizer state, cache, what a node holds."""

from __future__ import annotations

from typing import Any

from .entry import Entry
from .resolve import Resolved

GB = 1e9
# Mixed-precision Adam: 2 bytes of weight, 2 of gradient, 12 of master weight and moments (ZeRO, 1910.02054, section
# 3.1).
STATE_BYTES = 16.0


def sizes_of(job: Resolved, run: Entry | None) -> dict[str, Any]:
    """weights_gb, state_gb, node_memory_gb, fits_one_node, gradient_gb and, for serving, cache and replica sizes on the
    network that it is to ``run`` on."""
    weights, node = job.architecture.bytes(job.precision) / GB, job.gpu.memory.si * job.domain / GB
    state = weights if job.serves else STATE_BYTES * job.trained_params / GB
    if job.adapters is not None:
        weights = job.adapters.held_bytes(job.architecture) / GB
        state += weights
    sizes = {
        "weights_gb": weights,
        "state_gb": state,
        "node_memory_gb": node,
        "fits_one_node": state <= node,
        "gradient_gb": None if job.serves else 2 * job.trained_params / GB,
    }
    if job.serves and run is not None:
        traffic = run.estimate.traffic
        seconds = traffic.get("kv_transfer_s") or 0
        sizes |= {
            "kv_gb_per_request": traffic.get("kv_gb_per_request"),
            "replica_nodes": traffic.get("replica_nodes"),
            "kv_transfer_ms": 1e3 * seconds if seconds else None,
            "kv_transfer_gbps": _leaving(run, job) if seconds else None,
            "prefill_decode": _apart(run),
        }
    return sizes


def _leaving(entry: Entry, job: Resolved) -> float | None:
    """Gb/s of caches that leave a node of prefill at the load."""
    found = entry.estimate.serving
    if found is None or not found.prefill_workers or not found.prefill_gpus:
        return None
    bits = 8 * found.kv_gb_per_request * found.requests_per_s
    return bits / max(1.0, found.prefill_workers * found.prefill_gpus / job.gpus_per_node)


def _apart(entry: Entry) -> str | None:
    """``3 × 8 GPUs read prompts and 5 × 8 write answers``."""
    found = entry.estimate.serving
    return None if found is None or found.prefill_workers is None else found.instances
