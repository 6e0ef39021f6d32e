"""Bytes on the fullest GPU: weights, gradients, optimizer, activations, gathered parameters, buffers.

Sources: sharded states ZeRO (1910.02054), pipelines Narayanan et al. (2104.04473); activations in :mod:`activations`.
Columns of layouts, shape (L,). How far the sums are from measured memory: ``weft validate``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from .activations import HABITS, Habits, activations, in_flight
from .adapters import Adapters
from .framework import Framework
from .job import DDP, FSDP, HSDP, ZERO1, ZERO2, Job
from .layout import Layouts
from .machine import Machine
from .mixtures import two_way

# CUDA context, NCCL channels and library workspaces of one process, outside of PyTorch's allocator: the fullest
# Ultrascale run had 77.4 GiB in the allocator of the 79.1 GiB that an 80 GB H100 gives out, so it is at most 1.8 GB
# there.
CONTEXT = 1.5e9
# of a GPU's memory, which the driver keeps: PyTorch sees 79.1 GiB of an H100's 80, 178.4 of a B200's 180
WITHHELD = 0.01
# Of the allocated memory: blocks the caching allocator cannot give out, and what the sums below miss. The least whole
# percent that holds four fifths of the Ultrascale rows for calibration in ``knowledge/measurements/memory.csv``.
FRAGMENTATION = 0.08
# Of the allocated memory: what the sums are too high by, the least whole percent above which four fifths of the same
# rows lie. A split that somebody fixed is refused where it needs more than a GPU has even so, and without the margin:
# before PyTorch's allocator gives up it takes back what it holds in vain.
SURPLUS = 0.03


@dataclass(frozen=True)
class Memory:
    """Bytes per GPU, shape (L,) each."""

    weights: np.ndarray
    gradients: np.ndarray
    optimizer: np.ndarray
    activations: np.ndarray
    gathered: np.ndarray
    buffers: np.ndarray

    @property
    def allocated(self) -> np.ndarray:
        """Peak of what PyTorch's allocator has given out (``torch.cuda.max_memory_allocated``)."""
        return self.weights + self.gradients + self.optimizer + self.activations + self.gathered

    @property
    def total(self) -> np.ndarray:
        """All parts with the fragmentation margin, as the driver sees it."""
        return self.allocated * (1.0 + FRAGMENTATION) + self.buffers


@dataclass(frozen=True)
class Share:
    """Parameters one GPU is responsible for before any sharding over data parallel ranks, shape (L,)."""

    dense: np.ndarray  # attention, norms, dense MLP, embeddings
    experts: np.ndarray
    layers: np.ndarray  # layers of the fullest stage
    layer_dense: np.ndarray
    layer_experts: np.ndarray
    outer: np.ndarray  # embeddings and head on this stage


def share_of(job: Job, layouts: Layouts) -> Share:
    """Parameters per GPU of the fullest stage: tp splits all but the norms, pp the layers, ep the routed experts.

    Chunks that do not divide the layers are whole layers all the same: of 80 layers on 4 stages in 3 chunks one has 21.
    """
    a, v = job.architecture, layouts.interleave
    layers = v * np.ceil(a.layers / (layouts.pp * v))
    layer_dense = a.shared_layer_params / layouts.tp
    layer_experts = a.expert_layer_params / (layouts.ep * layouts.etp)
    outer = np.where(layouts.pp > 1, a.embedding_params, a.outer_params) / layouts.tp
    return Share(layers * layer_dense + outer, layers * layer_experts, layers, layer_dense, layer_experts, outer)


def trained_share(job: Job, share: Share) -> Share:
    """Of a GPU's parameters those that have gradients: all, or the adapters, split as what they stand beside is."""
    if job.adapters is None:
        return share
    a = job.architecture
    dense = share.layer_dense * (job.adapters.dense_params(a) / a.shared_layer_params)
    experts = share.layer_experts * (job.adapters.expert_params(a) / a.expert_layer_params if a.experts else 0.0)
    outer = np.zeros_like(share.outer)
    return Share(share.layers * dense, share.layers * experts, share.layers, dense, experts, outer)


def shard_sizes(layouts: Layouts, domain: int) -> tuple[np.ndarray, np.ndarray]:
    """Ranks that share one copy of the sharded state: (for dense parameters, for experts).

    All data-parallel ranks, or for HSDP and ``shard_within_node`` those inside one scale-up domain.
    """
    dense = layouts.dp * layouts.cp
    own = layouts.ep * layouts.etp  # ranks that hold one copy of the experts
    experts = np.where(layouts.ep > 1, np.maximum(dense * layouts.tp / own, 1.0), dense)
    inside = (layouts.strategy == HSDP) | (layouts.shard_within_node > 0)
    room = np.maximum(np.floor(domain / layouts.tp), 1.0)
    expert_room = np.where(layouts.ep > 1, np.maximum(np.floor(domain / own), 1.0), room)
    return np.where(inside, np.minimum(dense, room), dense), np.where(inside, np.minimum(experts, expert_room), experts)


@dataclass(frozen=True)
class Stage:
    """One pipeline stage of every layout, shape (L,): its layers, micro-batches in flight, vocabulary matrices,
    logits."""

    layers: np.ndarray
    in_flight: np.ndarray
    outer: np.ndarray  # parameters before tensor parallelism
    loss: np.ndarray  # 1 where the stage computes the loss


def stages(job: Job, layouts: Layouts, habits: Habits) -> tuple[Stage, Stage, Stage]:
    """The stages one of which is the fullest: the first, the first with the most layers, and the last.

    Where layers do not divide, the last stage has one less for its head, then the first ones, which hold most
    micro-batches (Llama 3 405B: 126 layers, 7 on the first and the last of 16 stages, 2407.21783, 3.3.2). nanotron
    fills from the front.
    """
    a, pp = job.architecture, layouts.pp
    one, none = np.ones(len(pp)), np.zeros(len(pp))
    if habits.weighs_head:
        cost = a.embedding_params / (a.shared_layer_params + a.expert_layer_params)
        most = np.where(pp > 1, np.minimum(np.ceil((a.layers + cost) / pp), a.layers), a.layers)
        first, last, place = most, np.where(pp > 1, np.maximum(a.layers - most * (pp - 1.0), 1.0), most), none
    else:
        most = np.ceil(a.layers / pp)
        fewer = most * pp - a.layers
        first, last = most - (fewer > 1), most - (fewer > 0)
        place = np.clip(fewer - 1.0, 0.0, pp - 1.0)
    single = pp == 1
    outer = np.where(single, float(a.outer_params), float(a.embedding_params))
    held = in_flight(layouts, [0.0, place, pp - 1.0])
    if (both := two_way(job, layouts)).any():  # every rank holds two stages and one micro-batch more than stages
        held = [np.where(both, np.minimum(layouts.micro_batches, pp + 1.0), often) for often in held]
    return (
        Stage(first, held[0], outer, single * one),
        Stage(most, held[1], none, none),
        Stage(last, held[2], outer, one),
    )


@dataclass(frozen=True)
class States:
    """Bytes per dense or expert parameter that a GPU is responsible for, shape (L,) each."""

    weights: np.ndarray
    gradients: np.ndarray
    optimizer: np.ndarray

    @property
    def total(self) -> np.ndarray:
        return self.weights + self.gradients + self.optimizer


def states(job: Job, gradient: float, strategy: np.ndarray, ranks: np.ndarray) -> States:
    """Weights, gradients and Adam's states per parameter, sharded over ``ranks`` as the strategy has it (1910.02054).

    Mixed precision: 16-bit weights, FP32 master weights and two FP32 moments, 2 + 12 bytes; FSDP's master weights are
    its only ones. Without master weights everything has 16 bits.
    """
    mixed = job.master_weights and job.precision != "fp32"
    weight, moments = float(job.weight_bytes), 8.0 if job.master_weights or job.precision == "fp32" else 4.0
    fully = ((strategy == FSDP) | (strategy == HSDP)) & (ranks > 1)  # over one rank both are left out (torchtitan)
    shared = 1.0 / ranks
    return States(
        weights=np.where(fully, 0.0 if mixed else weight * shared, weight),
        gradients=np.where(fully | (strategy == ZERO2), shared, 1.0) * gradient,
        optimizer=np.where(fully | (strategy == ZERO1) | (strategy == ZERO2), shared, 1.0)
        * (moments + (4.0 if mixed else 0.0)),
    )


def _states_of(
    job: Job, gradient: float, strategy: np.ndarray, ranks: np.ndarray, expert_ranks: np.ndarray
) -> tuple[States, States, States]:
    """States per parameter of a layer, of its routed experts, and of embeddings and head.

    Beside adapters a parameter is a frozen weight, whole or a shard of it, and its share of the adapters' own states.
    """
    a, adapters = job.architecture, job.adapters
    dense = outer = states(job, gradient, strategy, ranks)
    experts = states(job, gradient, strategy, expert_ranks) if a.experts else dense
    if adapters is None and job.quantized_bytes:  # of layers that are whole; embeddings and head multiply in 16 bits
        dense, experts = (_quantized(kind, job, strategy) for kind in (dense, experts))
    if adapters is None:
        return dense, experts, outer
    fully = (strategy == FSDP) | (strategy == HSDP)
    whole, whole_experts = np.where(fully, 1.0 / ranks, 1.0), np.where(fully, 1.0 / expert_ranks, 1.0)
    part = adapters.dense_params(a) / a.shared_layer_params
    expert_part = adapters.expert_params(a) / a.expert_layer_params if a.experts else 0.0
    return (
        _beside(dense, part, adapters.base_bytes * whole),
        _beside(experts, expert_part, adapters.base_bytes * whole_experts),
        _beside(dense, 0.0, adapters.outer_bytes * whole),
    )


def _quantized(states: States, job: Job, strategy: np.ndarray) -> States:
    """The states of layers whose weights are also kept as their products take them in. A sharded layer's are made of
    what is gathered and gone with it."""
    whole = (strategy != FSDP) & (strategy != HSDP)
    return replace(states, weights=states.weights + np.where(whole, job.quantized_bytes, 0.0))


def _twice(states: States, both: np.ndarray) -> States:
    """The states where a rank holds two stages: their weights and gradients, the optimizer's share of twice the
    ranks."""
    if not both.any():
        return states
    copies = np.where(both, 2.0, 1.0)
    return States(states.weights * copies, states.gradients * copies, states.optimizer)


def _beside(trained: States, part: float, frozen: np.ndarray) -> States:
    """Per frozen weight: its own bytes, and the states of so many trained parameters."""
    return States(frozen + part * trained.weights, part * trained.gradients, part * trained.optimizer)


def gradient_bytes(job: Job, framework: Framework) -> float:
    """Bytes of one gradient element in memory: what the stack accumulates in, and what it keeps beside.

    FP16 weights have FP16 gradients, their loss being scaled (1710.03740), but for FSDP's, whose shards are FP32.
    """
    if job.precision == "fp32":
        return 4.0
    if not job.master_weights or (job.precision == "fp16" and framework.name != "fsdp"):
        return 2.0
    return framework.gradient_memory + HABITS[framework.name].half_gradients


def least_bytes(job: Job, machine: Machine, framework: Framework, layouts: Layouts) -> np.ndarray:
    """Bytes per GPU without which a layout cannot run, (L,): no margin, the sums as much too high as they were seen to
    be, and inputs that a stack keeps gathered though it could gather them again not counted."""
    habits = replace(HABITS[framework.name], gathered=False)
    found = memory_of(job, machine, framework, layouts, habits=habits)
    return found.allocated * (1.0 - SURPLUS) + found.buffers


def memory_of(
    job: Job,
    machine: Machine,
    framework: Framework,
    layouts: Layouts,
    *,
    habits: Habits | None = None,
    first: bool = False,
) -> Memory:
    """Bytes per GPU by kind on the fullest pipeline stage, or on the ``first`` one. ``habits``: other than the
    stack's."""
    habits, gradient = habits or HABITS[framework.name], gradient_bytes(job, framework)
    share, (ranks, expert_ranks) = share_of(job, layouts), shard_sizes(layouts, machine.domain)
    strategy = layouts.strategy
    dense, experts, outer = (
        _twice(kind, two_way(job, layouts)) for kind in _states_of(job, gradient, strategy, ranks, expert_ranks)
    )
    kept, work, logits = activations(job, layouts, habits)
    per_layer = share.layer_dense * dense.total + share.layer_experts * experts.total

    def bytes_on(stage: Stage) -> np.ndarray:
        held = stage.layers * (per_layer + kept * stage.in_flight) + stage.outer / layouts.tp * outer.total
        return held + np.maximum(work, stage.loss * logits)

    places = stages(job, layouts, habits)
    stage = places[0]
    if layouts.pp.max() > 1 and not first:
        stage = _fullest(places, [bytes_on(place) for place in places])
    own, own_experts = stage.layers * share.layer_dense + stage.outer / layouts.tp, stage.layers * share.layer_experts
    gathered, head = _gathered(job, layouts, share, ranks, gradient)
    at_loss = stage.loss * (logits + head) > work + gathered
    apart = stage.outer / layouts.tp  # counted in own as a layer's; where that is the same, nothing is added
    return Memory(
        weights=own * dense.weights + own_experts * experts.weights + apart * (outer.weights - dense.weights),
        gradients=own * dense.gradients + own_experts * experts.gradients + apart * (outer.gradients - dense.gradients),
        optimizer=own * dense.optimizer + own_experts * experts.optimizer + apart * (outer.optimizer - dense.optimizer),
        activations=stage.layers * kept * stage.in_flight + np.where(at_loss, stage.loss * logits, work),
        gathered=np.where(at_loss, head, gathered),
        buffers=np.where(strategy == DDP, 0.0, 0.2e9) + (CONTEXT + WITHHELD * machine.memory),
    )


def _fullest(candidates: Sequence[Stage], bytes_: Sequence[np.ndarray]) -> Stage:
    """Of each layout's candidate stages the one with the most bytes."""
    fullest, most = candidates[0], bytes_[0]
    for stage, other in zip(candidates[1:], bytes_[1:], strict=True):
        more = other > most
        fullest = Stage(
            *(np.where(more, getattr(stage, name), getattr(fullest, name)) for name in Stage.__dataclass_fields__)
        )
        most = np.where(more, other, most)
    return fullest


def _gathered(
    job: Job, layouts: Layouts, share: Share, ranks: np.ndarray, gradient: float
) -> tuple[np.ndarray, np.ndarray]:
    """Whole parameters and gradients of sharded layers while they are in use, (in a layer's backward pass, at the
    loss).

    FSDP: the layer at work and the one prefetched, embeddings and head with the root, and one layer's gradients before
    they are scattered (2304.11277, 3.3 and 4.2). ZeRO-2: one layer's gradients, or a chunk's while its round lasts.
    """
    if job.adapters is not None:
        return _gathered_beside(job, job.adapters, layouts, share, ranks, gradient)
    strategy, layer = layouts.strategy, share.layer_dense + share.layer_experts
    fully = (strategy == FSDP) | (strategy == HSDP)
    unsharded = np.where(fully, (2.0 * layer + share.outer) * job.weight_bytes, 0.0)
    chunk = np.where(layouts.interleave > 1, share.layers / layouts.interleave, 1.0)
    unsharded = unsharded + np.where(fully, 1.0, np.where(strategy == ZERO2, chunk, 0.0)) * layer * gradient
    unsharded = np.where(ranks > 1, unsharded, 0.0)
    return unsharded, unsharded


def _gathered_beside(
    job: Job, adapters: Adapters, layouts: Layouts, share: Share, ranks: np.ndarray, gradient: float
) -> tuple[np.ndarray, np.ndarray]:
    """:func:`_gathered` of a frozen model, whose weights travel as they are held, but no wider than they multiply: one
    that is held wider has narrower copies of the layers at work on a single rank too. And the 16 bits of the largest
    product's weights that four bits are made into before it (bitsandbytes, torchao: one product at a time).

    Stacks that fine-tune shard embeddings and head each by itself (torchtune's ``custom_sharded_layers``, torchtitan),
    so only the head is whole at the loss, and nothing of both while a layer is at work. One weight that is both belongs
    to the root's unit, which is whole until the backward pass has ended (PyTorch's ``fully_shard``).
    """
    a, strategy = job.architecture, layouts.strategy
    fully = ((strategy == FSDP) | (strategy == HSDP)) & (ranks > 1)
    layer, trained = share.layer_dense + share.layer_experts, trained_share(job, share)
    gradients = (trained.layer_dense + trained.layer_experts) * gradient
    scattered = np.where(fully | ((strategy == ZERO2) & (ranks > 1)), gradients, 0.0)
    largest = a.hidden * max(a.ffn if a.plain_layers else a.expert_ffn, a.query_width) / layouts.tp
    widened = largest * job.weight_bytes if adapters.quantized else 0.0
    moved = adapters.moved_bytes(job.weight_bytes)
    copied = fully | (adapters.base_bytes > moved)
    head = a.embedding_params / layouts.tp * min(adapters.outer_bytes, job.weight_bytes)
    root = np.where(layouts.pp == 1, head, 0.0) if a.tied else 0.0
    return np.where(copied, 2.0 * layer * moved + root, 0.0) + scattered + widened, np.where(copied, head, 0.0)
