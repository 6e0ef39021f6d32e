"""From the trainer to the engine: how long new weights take to where answers are written, by method and network.

Five ways are in use. *broadcast*: tensor by tensor, gathered and sent by one rank (OpenRLHF, TRL, verl at first): a
mixture of 20,000 tensors takes seconds whatever the network is. *buckets*: the same rank sends tensors packed into
buckets (verl's engines), as fast as one sender is. *checkpoint-engine*: every node sends its part of the buckets, in a
pipeline to every engine (Moonshot's checkpoint-engine, NeMo-RL): what a host loads and an engine unpacks sets the pace,
until a node's network is slower. *reshard*: each GPU of an engine fetches its own shard from who
holds it (NIXL, or inside a GPU where both take turns on it). *disk*: written to shared storage and read again.

Methods differ by software more than by network; constants are fitted to ``knowledge/measurements/weight_sync.csv``
(rows for calibration), each of them one or two publishers, so the band is wide (:data:`SPREAD`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.catalog import Fact

from .architecture import Architecture
from .fitted import from_catalog
from .machine import Machine
from .network import Networks

METHODS = ("broadcast", "buckets", "reshard", "checkpoint-engine", "disk")
BROADCAST, BUCKETS, RESHARD, CHECKPOINT_ENGINE, DISK = METHODS
# Standard deviation of the logarithm of the seconds: the rows that judge, of other software than the fitted rows, are
# up to three times off.
SPREAD = 0.6


@dataclass(frozen=True)
class SyncConstants:
    """``tensor``: seconds to gather, launch and load one tensor by itself. ``lone_rate``: bytes/s that one sender keeps
    up. ``start``: seconds until a pipeline of buckets runs. ``bucket_rate``: bytes/s that
    hosts and engines carry through such a pipeline. ``fetch_rate``: bytes/s that each GPU carries that fetches its
    shard. ``disk_rate``: bytes/s that shared storage takes from a trainer, and gives to the engines."""

    tensor: float = 0.58e-3
    lone_rate: float = 12.6e9
    start: float = 0.6
    bucket_rate: float = 75e9
    fetch_rate: float = 4.5e9
    disk_rate: float = 2e9


def sync_constants(constants: Mapping[str, Fact] | None) -> SyncConstants:
    """The constants of the catalog (``weight-sync-tensor`` and so on) over those above."""
    return from_catalog(SyncConstants(), "weight-sync", constants)


@dataclass(frozen=True)
class WeightSync:
    """What is moved. ``weights``: bytes of one copy in the engine's precision; ``tensors``: how many it consists of.

    ``shards``: GPUs that one copy in an engine is split over. ``apart``: trainer and engine have GPUs of their own.
    ``held``: where they take turns on the same GPUs, the share of the weights that the trainers of one scale-up domain
    hold together; the rest comes over the network.
    """

    weights: float
    tensors: float
    shards: int
    apart: bool
    held: float = 1.0


def tensors_of(a: Architecture) -> float:
    """Tensors of a model as frameworks name them: projections and norms of a layer, each expert's own."""
    halves = 3.0 if a.gated else 2.0
    attention = 4.0 + (2.0 if a.qk_norm else 0.0) + (3.0 if a.attention_bias or a.biases else 0.0)
    mlps = a.plain_layers * halves + a.moe_layers * (1.0 + halves * (a.experts + a.shared_experts))
    return a.layers * (attention + 2.0) + mlps + 3.0


def sync_seconds(sync: WeightSync, method: str, machine: Machine, networks: Networks) -> np.ndarray:
    """Seconds until every engine has the new weights, (F,) over networks."""
    c = sync_constants(machine.constants)
    flat = np.zeros(len(networks))
    lone, node, every = _rates(sync, machine, networks)
    if method == DISK:  # the storage hangs on the same network
        return c.start + 2.0 * sync.weights / np.minimum(c.disk_rate, node)
    if method == BROADCAST:
        return sync.tensors * c.tensor + sync.weights / np.minimum(c.lone_rate, lone)
    if method == BUCKETS:
        return c.start + sync.weights / np.minimum(c.lone_rate, lone)
    if method == CHECKPOINT_ENGINE:
        return c.start + sync.weights / np.minimum(c.bucket_rate, node)
    if sync.apart:
        return c.start + sync.weights / sync.shards / np.minimum(c.fetch_rate, every)
    inside = sync.weights / sync.shards / min(c.lone_rate, machine.scale_up_bandwidth)
    across = sync.weights * (1.0 - sync.held) / np.minimum(c.fetch_rate * machine.domain, node)
    return flat + sync.tensors * c.tensor + inside + (across if sync.held < 1.0 else 0.0)


def _rates(sync: WeightSync, machine: Machine, networks: Networks) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Bytes/s, (F,): of one sender alone, into a domain, and into each GPU when all of them receive."""
    if machine.domains == 1:
        inside = np.full(len(networks), machine.scale_up_bandwidth)
        return inside, inside * machine.domain, inside
    lone, every = networks.nic_rate[:, 0], networks.gpu_rate[:, 0]
    return np.minimum(lone, machine.scale_up_bandwidth), every * machine.domain, every


def into_domain(sync: WeightSync, method: str, machine: Machine) -> float:
    """Bytes that cross the network into one scale-up domain of engines."""
    if machine.domains == 1 or method == DISK:
        return 0.0
    if not sync.apart:
        return sync.weights * (1.0 - sync.held)
    if method == RESHARD:
        return sync.weights * max(1.0, machine.domain / sync.shards)
    return sync.weights
