"""What data-parallel ranks exchange: gradients, weights of ZeRO and FSDP, HSDP's replicas, and what of it nothing
hides.

The collectives take seconds per *placement*, (F, D), worked out once for all layouts that share it; what hides behind
compute differs by layout, (F, L).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .collectives import Group, all_gather, all_reduce
from .framework import Framework
from .job import ASYNC, DDP, FSDP, HSDP, ZERO1, ZERO2, Job
from .layout import Layouts
from .memory import Share
from .overlap import DataGroups, Links, Times, exposed, spread, taken


def is_fully_sharded(layouts: Layouts) -> np.ndarray:
    """Whether weights are gathered layer by layer, (L,)."""
    return (layouts.strategy == FSDP) | (layouts.strategy == HSDP)


@dataclass(frozen=True)
class ShardedLayers:
    """FSDP's seconds per layer before the forward and around the backward pass; ``outer``: of embeddings and head.

    ``regathered``: of the forward pass's seconds, the share that a recomputed one spends again. ``ahead``: share of the
    layers before whose forward pass the host has run ahead and issued the next gather.
    """

    forward: Times
    backward: Times
    outer: Times
    regathered: float
    ahead: float

    def exposed(
        self, place: np.ndarray, forward: Times, backward: Times, share: float, recomputed: np.ndarray
    ) -> Times:
        """Seconds per layer and micro-batch that its own ``forward`` and ``backward`` seconds do not hide.

        Prefetch follows the backward pass, so nothing issues a recomputed forward pass's gathers early.
        """
        before = np.take(self.forward, place, axis=-1)
        again = self.regathered * recomputed * before if self.regathered else 0.0
        return (
            exposed(before, forward, share * self.ahead)
            + exposed(np.take(self.backward, place, axis=-1), backward, share)
            + again
        )


def sharded_layers(
    job: Job, links: Links, framework: Framework, layouts: Layouts, shares: tuple[Share, Share], groups: DataGroups
) -> ShardedLayers | None:
    """FSDP and ZeRO-3: each layer is gathered before forward and again before backward, its gradient scattered after.

    A layer's collectives run behind the neighbour layer's compute (prefetch); nothing precedes those of the unit of
    embeddings and head in a micro-batch (2304.11277 section 4). Forward, the next gather is issued early only because
    the host runs ahead of the GPU; a loop over experts waits for each expert's tokens to be counted, so it does not.
    ``shares``: what is held and what of it is trained; a frozen layer is gathered as it is held, but no wider than it
    multiplies, and has no gradient.
    ``None`` where no layout shards its weights.
    """
    share, trained = shares
    rows = np.flatnonzero(is_fully_sharded(layouts))
    if not len(rows):
        return None
    ranks, held = taken(groups.dense, rows), job.adapters
    in_layer = apart = float(job.weight_bytes)
    if held is not None:
        in_layer, apart = held.moved_bytes(in_layer), min(held.outer_bytes, apart)
    wide = float(job.gradient_bytes)
    forward, scatter, outer, outer_scatter = _passes(
        links,
        ranks,
        share.layer_dense[rows] * in_layer,
        trained.layer_dense[rows] * wide,
        share.outer[rows] * apart,
        trained.outer[rows] * wide,
    )
    if job.architecture.moe_layers:
        experts = share.layer_experts[rows] * in_layer, trained.layer_experts[rows] * wide
        more = _passes(links, taken(groups.experts, rows), *experts)
        forward, scatter = forward + more[0], scatter + more[1]
    a = job.architecture
    waits = a.moe_layers / a.layers if framework.expert_launch and job.expert_loop else 0.0
    return ShardedLayers(
        *(spread(times, rows, len(layouts)) for times in (forward, forward + scatter, outer + outer_scatter)),
        regathered=job.regathered,
        ahead=1.0 - waits,
    )


def _passes(links: Links, ranks: Group, *bytes_: np.ndarray) -> Times:
    """Seconds of all-gathers of so many bytes, or of reduce-scatters, which take as long; of nothing there is none.
    Shape (number of them, F, D)."""
    wires = links.of(ranks.domains > 1)
    stacked = np.stack(bytes_).reshape(len(bytes_), *(1,) * (wires.depth - 1), -1)
    return np.where(stacked > 0.0, all_gather(wires, stacked, ranks), 0.0)


@dataclass(frozen=True)
class Exchange:
    """Seconds of the collectives of one step over one kind of parameters: gradients, new weights, replicas of HSDP."""

    gradients: Times | None
    weights: Times | None
    replicas: Times | None


def exchanges(job: Job, links: Links, layouts: Layouts, share: Share, groups: DataGroups) -> list[Exchange]:
    """What is exchanged where weights are not sharded, and HSDP's replicas; dense and expert parameters apart."""
    found = [_exchange(job, links, layouts, share.dense, groups.dense, groups.dense_replicas)]
    if job.architecture.moe_layers:
        found.append(_exchange(job, links, layouts, share.experts, groups.experts, groups.expert_replicas))
    return found


def _exchange(job: Job, links: Links, layouts: Layouts, params: Times, ranks: Group, replicas: Group) -> Exchange:
    """DDP: one all-reduce of the stage's gradients. ZeRO-1 and 2: reduce-scatter, and all-gather of the new weights."""
    s, bytes_, all_ = layouts.strategy, params * job.gradient_bytes, len(layouts)
    whole, sharded, apart = (
        np.flatnonzero(rows) for rows in ((s == DDP) | (s == ASYNC), (s == ZERO1) | (s == ZERO2), replicas.size > 1)
    )
    gradients, weights, between = None, None, None
    if len(whole):
        gradients = spread(_reduced(links, bytes_[whole], taken(ranks, whole)), whole, all_)
    if len(sharded):
        own = params[sharded]
        wide = own * float(job.weight_bytes), own * float(job.gradient_bytes)
        gather, scatter = _passes(links, taken(ranks, sharded), *wide)
        scatter, weights = spread(scatter, sharded, all_), spread(gather, sharded, all_)
        gradients = scatter if gradients is None else gradients + scatter
    if len(apart):
        between = spread(_reduced(links, (bytes_ / ranks.size)[apart], taken(replicas, apart)), apart, all_)
    return Exchange(gradients, weights, between)


def _reduced(links: Links, bytes_: Times, ranks: Group) -> Times:
    return all_reduce(links.of(ranks.domains > 1), bytes_, ranks)


def exposed_exchange(
    job: Job,
    framework: Framework,
    layouts: Layouts,
    found: list[Exchange],
    place: np.ndarray,
    forward: Times,
    backward: Times,
) -> Times:
    """Seconds per optimizer step that are left of the exchanges.

    Gradients hide behind the last micro-batch's ``backward``, and HSDP's replicas behind what they leave of it; ZeRO's
    new weights hide behind the next ``forward``. Dense and expert parameters share these windows. ZeRO-2 scatters after
    every micro-batch or round of them. ``async`` hides behind the whole step.
    """
    overlap = framework.gradient_overlap if job.gradient_overlap is None else job.gradient_overlap
    share = framework.overlap if overlap else 0.0
    gradients, weights, replicas = (
        _summed([getattr(one, part) for one in found], place) for part in ("gradients", "weights", "replicas")
    )
    window, often = backward, 1.0
    if (asynchronous := layouts.strategy == ASYNC).any():
        window = np.where(asynchronous, layouts.micro_batches * (forward + backward), backward)
    if (each := layouts.strategy == ZERO2).any():
        often = np.where(each, layouts.rounds, 1.0)
        window = np.where(each, window * layouts.micro_batches / layouts.rounds, window)
    first = exposed(gradients, window, share)
    after = exposed(gradients + replicas, window, share) - first
    return often * first + after + exposed(weights, forward, share)


def _summed(parts: list[Times | None], place: np.ndarray) -> Times:
    """Seconds of the same part of all kinds of parameters, per layout."""
    return sum((np.take(part, place, axis=-1) for part in parts if part is not None), np.zeros(1))
