"""What the network adds to decoding where the experts of a served mixture lie on many GPUs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from assistant.model.collectives import Wires
from assistant.model.inference import engined, holds
from assistant.model.network import Networks
from assistant.model.serving_network import SpreadLayer, spread_layers
from assistant.model.serving_time import Split
from assistant.vocabulary.catalog import Catalog

from .candidates import considered
from .estimate import machine, networks
from .resolve import Resolved
from .serving import serving


@dataclass(frozen=True)
class SpreadExperts:
    """Experts over ``ranks`` GPUs with ``requests`` on each; by id of fabric what one layer and a step take.
    ``domain``: GPUs that need no network between them. Without ``layers`` the ranks share one, or no request fits."""

    ranks: int
    domain: int
    requests: float
    held: float
    layers: dict[str, SpreadLayer]


def spread_experts(
    job: Resolved, ranks: int, requests: float, fabrics: Iterable[str], catalog: Catalog
) -> SpreadExperts:
    """``requests`` are those wanted on each GPU, or as many as its memory holds."""
    asked = replace(serving(job), disaggregated=False, data_parallel=ranks, expert_parallel=ranks)
    gpus, split = machine(job, catalog), Split(1, 1, ranks, ranks)
    held = holds(asked, gpus, split) / ranks
    batch = min(requests, float(np.floor(held)))
    if ranks <= gpus.domain or batch < 1.0:
        return SpreadExperts(ranks, gpus.domain, batch, held, {})
    named = {one.fabric.id: one for one in considered(job, catalog)}  # of one sold with several adapters the most
    found = [named[name] for name in fabrics if name in named]
    wires = Wires(gpus, Networks(networks(found, gpus, job, catalog)), np.ones((1, 1, 1)))
    context = asked.prompt_tokens + asked.output_tokens / 2
    made = spread_layers(engined(asked, gpus, split), wires, batch, context)
    layers = {one.fabric.id: layer for one, layer in zip(found, made, strict=True)}
    return SpreadExperts(ranks, gpus.domain, batch, held, layers)
