"""Sizes the rules look at: weights, optimizer state, cache, what a node holds."""

from __future__ import annotations

from typing import Any

from .entry import Entry
from .facts import reference
from .resolve import Resolved

GB = 1e9
# Mixed-precision Adam: 2 bytes of weight, 2 of gradient, 12 of master weight and moments (ZeRO, 1910.02054, section
# 3.1).
STATE_BYTES = 16.0


def sizes_of(job: Resolved, entries: list[Entry]) -> dict[str, Any]:
    """weights_gb, state_gb, node_memory_gb, fits_one_node, gradient_gb and, for serving, cache and replica sizes."""
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
    ref = reference(entries)
    if job.serves and ref is not None:
        traffic = ref.estimate.traffic
        seconds = traffic.get("kv_transfer_s") or 0
        sizes |= {
            "kv_gb_per_request": traffic.get("kv_gb_per_request"),
            "replica_nodes": traffic.get("replica_nodes"),
            "kv_transfer_gbps": 8 * traffic["kv_gb_per_request"] / seconds if seconds else None,
        }
    return sizes
