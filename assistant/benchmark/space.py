"""The best split of GPT-3 175B on 1,024 A100 over a space as large as Calculon's own search has, on every fabric.

Calculon's search (``optimal_execution``) varies tensor and pipeline parallelism, interleaving, micro-batch, recompute,
optimizer sharding, the tensor-parallel collectives and their overlap, and data-parallel overlap; their counterparts
stand in
:func:`choices` and :func:`variants`. What it varies besides and this model does not have is named in ``MISSING``. In
its place come ZeRO-2, FSDP and HSDP, shards inside a node, context parallel, unfused attention, the width of gradients
and their fused accumulation.

What is in the space but does not fit into memory is counted and not timed, which cannot change the answer. Nothing that
fits is left out: the step time of each such configuration is worked out on each fabric, no bound or sample in its
place.
"""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from assistant.library import Library
from assistant.model import Job, Machine, Networks
from assistant.model.framework import Framework
from assistant.model.job import DDP, FSDP, HSDP, ZERO1, ZERO2
from assistant.model.layout import Layouts
from assistant.model.quickest import fastest, fits_in
from assistant.model.search import Choices, divisors, layouts_among
from assistant.vocabulary.benchmark import Measurement

from .peers import CALCULON, CALCULON_SPACE
from .plans import between_nodes, large_job
from .timing import once

MISSING = (
    "offload of weights, activations and optimizer state",
    "fused activations",
    "gathering the sequence again in the backward pass",
    "reduce-scatter and all-gather from point-to-point sends as a third kind of tensor-parallel collective",
    "rings and pipes as two kinds of tensor-parallel overlap",
    "a network chosen per kind of parallelism (ours follow from the placement)",
)
# Strategies whose layouts need the same collectives, and whether their shards stay inside a node.
_STRATEGIES = (((DDP,), False), ((ZERO1, ZERO2), False), ((ZERO1, ZERO2), True), ((FSDP, HSDP), False))


@dataclass(frozen=True)
class Searched:
    """``space``: configurations of one fabric, ``fitting``: those that fit, all timed; ``seconds`` of the best on each
    fabric."""

    space: int
    fitting: int
    fabrics: int
    seconds: np.ndarray

    @property
    def evaluated(self) -> int:
        """Configurations whose memory and step time were worked out."""
        return self.fitting * self.fabrics


def choices(job: Job) -> Iterator[Choices]:
    """The splits: all tp that divides the heads, across nodes too, all micro-batches, all interleavings, every
    recompute."""
    tensor = [degree for degree in divisors(job.gpus) if job.architecture.heads % degree == 0]
    context = [2**power for power in range(5)]
    for tp, (strategies, within) in itertools.product(tensor, _STRATEGIES):
        yield Choices(
            tp=[tp],
            cp=context,
            ep=[1],
            micro_batch=divisors(job.global_batch),
            pp=divisors(job.gpus, 64),
            interleave=divisors(job.architecture.layers),
            strategy=strategies,
            recompute=(0, 1, 2),
            sequence_parallel=(False, True),
            shard_within_node=within,
            sharded_pipelines=True,
        )


def variants(job: Job, framework: Framework) -> list[tuple[Job, Framework]]:
    """What else Megatron can switch and memory does not depend on: both overlaps, wide gradients, fused
    accumulation."""
    widths = (job.gradient_bytes, 2 * job.gradient_bytes)
    switches = itertools.product((True, False), widths, (framework.tp_overlap, 0.0), (True, False))
    switched = lambda hidden, fused: replace(framework, tp_overlap=hidden, fused_accumulation=fused)
    return [
        (job.with_(gradient_overlap=overlap, gradient_bytes=wide), switched(hidden, fused))
        for overlap, wide, hidden, fused in switches
    ]


def searched(job: Job, machine: Machine, networks: Networks) -> Searched:
    """The whole space, on every network, with flash attention and without."""
    framework = machine.framework(job.framework)
    space, fitting, best = 0, 0, np.full(len(networks), np.inf)
    for attention, chosen in itertools.product(("flash", "unfused"), choices(job)):
        there = job.with_(attention=attention)
        layouts = layouts_among(there, chosen)
        if layouts is None:
            continue
        able, switched = fits_in(there, machine, layouts), variants(there, framework)
        space, fitting = space + len(switched) * len(layouts), fitting + len(switched) * int(able.sum())
        best = np.minimum(best, _least(switched, machine, networks, layouts.take(np.flatnonzero(able))))
    return Searched(space, fitting, len(networks), best)


def _least(switched: list[tuple[Job, Framework]], machine: Machine, networks: Networks, layouts: Layouts) -> np.ndarray:
    return np.min([fastest(job, machine, networks, layouts, framework)[1] for job, framework in switched], axis=0)


def measure(library: Library, repeats: int) -> list[Measurement]:
    """Once, however often the others are repeated: it takes as long as all of them."""
    job, machine = large_job(library.catalog, "megatron")
    networks = Networks(between_nodes(library.catalog, machine))
    seconds, found = once(lambda: searched(job, machine, networks))
    what = f"GPT-3 175B on 1,024 A100, {found.fabrics} fabrics"
    done = {"work": found.evaluated, "of": "configurations", "peers": [CALCULON], "notes": notes(found)}
    return [Measurement(part="space", what=what, values=[seconds], **done)]


def notes(found: Searched) -> list[str]:
    """What was counted."""
    return [
        f"In the space: {found.space:,} configurations for each of {found.fabrics} fabrics, "
        f"{found.space * found.fabrics:,} in all; Calculon's own search has {CALCULON_SPACE:,} for one system.",
        f"Evaluated, memory and step time: the {found.fitting:,} that fit into memory, on each fabric: "
        f"{found.evaluated:,}. The others are left out by their memory alone.",
        f"Switches of Calculon that have no counterpart: {'; '.join(MISSING)}.",
    ]
