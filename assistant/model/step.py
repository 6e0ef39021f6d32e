"""One optimizer step: stages, micro-batches, bubbles and optimizer put together for networks × layouts.

What depends on a layout's slice, placement or pipeline alone is worked out for each different one and picked by index;
what no network touches has one row for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from .collectives import send_receive
from .compute import LayerTimes, floored, layer_times
from .exchange import exchanges, exposed_exchange, is_fully_sharded, sharded_layers
from .framework import Framework
from .job import FSDP, HSDP, RECOMPUTE, ZERO1, ZERO2, Job
from .layout import Layouts, distinct
from .machine import Machine
from .memory import Share, shard_sizes, share_of, trained_share
from .mixtures import exposed_experts, overlaps_experts, two_way
from .network import Networks
from .overlap import Links, Times, context_parallel, data_groups, expert_parallel, exposed, tensor_parallel
from .search import PARTS

_SELECTIVE, _FULL = RECOMPUTE.index("selective"), RECOMPUTE.index("full")
# bytes per parameter of Adam: 4 of gradient read, master weight and two moments read and written, 24, 2 of weight
# written
OPTIMIZER_TRAFFIC = 30.0
SEND_LAUNCH = 500e-6  # host time of one send between stages, which waits for the GPU: assumed, half a layer's launch


SLOW_HOST_LINK = 15.75e9  # bytes/s where the catalog knows no link to the host: PCIe 3.0 x16


@dataclass(frozen=True)
class Steps:
    """Seconds of one optimizer step, (F, L), and its parts under the names of the breakdown, broadcastable to it;
    ``gathers``, what sharded layers wait for, stands there beside what else is of ``dp``."""

    total: np.ndarray
    parts: dict[str, np.ndarray]


@dataclass(frozen=True)
class _Layer:
    """Seconds of the average layer and micro-batch, (F, K) or (1, K); of the head on the last stage, (K,).

    ``forward``, ``backward`` and ``repeated`` by themselves; ``tp`` is what tensor parallel adds to the three,
    ``outer_tp`` what it adds to the head, and ``ahead`` and ``back`` are the windows with it that gradients and weights
    travel behind. ``ep`` is what no other micro-batch's compute hides of the experts' communication, ``ep_alone`` all
    of it, where a pipeline fills or drains and there is no other micro-batch. ``weights``: seconds of the products that
    make weight gradients, which a bidirectional pipeline moves into its bubbles.
    """

    forward: Times
    backward: Times
    repeated: Times
    tp: Times
    cp: Times
    ep: Times
    ep_alone: Times
    ahead: Times
    back: Times
    head: Times
    outer_tp: Times
    weights: Times

    def all(self) -> Times:
        """Seconds on the critical path before data-parallel communication."""
        return self.forward + self.backward + self.repeated + self.tp + self.cp + self.ep


@dataclass(frozen=True)
class _Pieces:
    """What a step is made of: ``layer`` per kind of layout, picked by ``kind``; the rest per layout, (F, L) or (1, L).

    ``stage``: layers of the fullest stage. ``sharded``: per layer and micro-batch, ``outer`` per micro-batch, ``sync``,
    ``send`` and ``optimizer`` per step.
    """

    layers: int
    overhead: float
    layouts: Layouts
    layer: _Layer
    kind: np.ndarray
    stage: Times
    sharded: Times
    outer: Times
    sync: Times
    send: Times
    optimizer: Times
    two_way: np.ndarray | None

    def work(self) -> tuple[Times, Times]:
        """Seconds of one micro-batch: (all stages together, the slowest stage)."""
        one, head = (
            _pick(self.layer.all(), self.kind) + self.sharded,
            _pick(self.layer.head + self.layer.outer_tp, self.kind),
        )
        last = np.maximum(self.layers - (self.layouts.pp - 1.0) * self.stage, 0.0) * one + head
        return self.layers * one + head, np.maximum(self.stage * one, last)

    def filling(self, work: Times, slowest: Times) -> Times:
        """Seconds beyond every micro-batch on the slowest stage: the pipeline fills and drains, and nothing runs beside
        the experts' communication meanwhile."""
        pp, v = self.layouts.pp, self.layouts.interleave
        if self.two_way is None:
            return (work - slowest) / v
        layer, kind = self.layer, self.kind
        alone = _pick(layer.ep_alone - layer.ep, kind)
        one_way = (work - slowest + (self.layers - self.stage) * alone) / v
        if not self.two_way.any():
            return one_way
        one = _pick(layer.all(), kind) + self.sharded
        backward = _pick(layer.backward + layer.repeated + 0.5 * layer.ep_alone, kind)
        bubble = (0.5 * pp - 1.0) * (one + backward - 3.0 * _pick(layer.weights, kind))
        return np.where(self.two_way, self.stage * (np.maximum(bubble, 0.0) + pp * alone), one_way)


def steps(
    job: Job,
    machine: Machine,
    networks: Networks,
    layouts: Layouts,
    slowdown: float | np.ndarray = 1.0,
    framework: Framework | None = None,
) -> Steps:
    """Step time and parts of every layout on every network.

    ``slowdown`` stretches the network (for error bands). Pipelines follow one-forward-one-backward
    (2104.04473): T = m·t_max + (Σ t_stage − t_max)/v, which for equal stages is the bubble (p−1)/(v·m); DualPipe
    (2412.19437, 3.2.1) has one of (p/2 − 1)·(F&B + B − 3W).
    """
    parts = _parts(_pieces(job, machine, networks, layouts, slowdown, framework))
    return Steps(reduce(np.add, parts.values()), parts)


def step_times(
    job: Job, machine: Machine, networks: Networks, layouts: Layouts, framework: Framework | None = None
) -> np.ndarray:
    """The total of :func:`steps` alone, (F, L), or (1, L) where no network matters: what a search compares."""
    pieces = _pieces(job, machine, networks, layouts, 1.0, framework)
    work, slowest = pieces.work()
    m = layouts.micro_batches
    local = m * slowest + pieces.filling(work, slowest) + (pieces.optimizer + pieces.overhead)
    return np.atleast_2d(local + m * pieces.outer + pieces.sync + pieces.send)


def least_times(job: Job, machine: Machine, networks: Networks, layouts: Layouts) -> np.ndarray:
    """Seconds below which no step comes of layouts without recompute, however they share gradients and state: the
    layers' compute and communication and what stages send to each other, (F, L), or (1, L) where no network matters."""
    framework, none = machine.framework(job.framework), np.zeros(1)
    links, times = Links(machine, networks), layer_times(job, machine, framework, layouts.slices)
    first, kind = distinct(layouts.slice_index * 2 + is_fully_sharded(layouts))
    layer = _layer(job, links, framework, times, layouts.rows(first))
    send = _stage_sends(job, links, framework, layouts, times.forward)
    both = two_way(job, layouts) if overlaps_experts(job) else None
    stage = share_of(job, layouts).layers
    pieces = _Pieces(job.architecture.layers, 0.0, layouts, layer, kind, stage, none, none, none, send, none, both)
    work, slowest = pieces.work()
    return np.atleast_2d(layouts.micro_batches * slowest + pieces.filling(work, slowest) + send)


def _pick(values: Times, index: np.ndarray) -> Times:
    return np.take(values, index, axis=-1)


def _pieces(
    job: Job,
    machine: Machine,
    networks: Networks,
    layouts: Layouts,
    slowdown: float | np.ndarray,
    framework: Framework | None,
) -> _Pieces:
    framework = framework or machine.framework(job.framework)
    links, times = Links(machine, networks, slowdown), layer_times(job, machine, framework, layouts.slices)
    first, kind = distinct(
        (layouts.slice_index * 2 + is_fully_sharded(layouts)) * len(RECOMPUTE) + layouts.recompute.astype(int)
        if job.adapters is None
        else _kinds_in_part(layouts)
    )
    layer = _layer(job, links, framework, times, layouts.rows(first))
    first, place = distinct(layouts.placement)
    places = layouts.rows(first)
    share, groups = share_of(job, places), data_groups(places, machine.domain)
    trained = trained_share(job, share)
    stage, ahead, back = _pick(share.layers, place), _pick(layer.ahead, kind), _pick(layer.back, kind)
    fully, none = sharded_layers(job, links, framework, places, (share, trained), groups), np.zeros(1)
    return _Pieces(
        job.architecture.layers,
        framework.step_overhead,
        layouts,
        layer,
        kind,
        stage,
        sharded=fully.exposed(place, ahead, back, framework.overlap, layouts.recompute == _FULL) if fully else none,
        outer=_pick(fully.outer, place) if fully else none,
        sync=exposed_exchange(
            job, framework, layouts, exchanges(job, links, places, trained, groups), place, stage * ahead, stage * back
        ),
        send=_stage_sends(job, links, framework, layouts, times.forward),
        optimizer=_pick(
            optimizer_time(machine, places, trained) + once_a_step(job, machine, framework, places, trained), place
        ),
        two_way=two_way(job, layouts) if overlaps_experts(job) else None,
    )


def _kinds_in_part(layouts: Layouts) -> np.ndarray:
    """Whole numbers, equal for layouts of one kind where full recompute is for a part of the layers."""
    kind = (layouts.slice_index * 2 + is_fully_sharded(layouts)) * len(RECOMPUTE) + layouts.recompute
    return (kind * (len(PARTS) + 1) + layouts.recomputed * len(PARTS)).astype(int)


def _parts(pieces: _Pieces) -> dict[str, np.ndarray]:
    layer, kind, m, p = pieces.layer, pieces.kind, pieces.layouts.micro_batches, pieces.layouts.pp
    work, slowest = pieces.work()
    bubble = np.where(p > 1, m * slowest + pieces.filling(work, slowest) - m * work / p, 0.0)
    per_rank = m * pieces.layers / p
    return {
        "compute": per_rank * _pick(layer.forward + layer.backward, kind) + m / p * _pick(layer.head, kind),
        "recompute": per_rank * _pick(layer.repeated, kind),
        "tp": per_rank * _pick(layer.tp, kind) + m / p * _pick(layer.outer_tp, kind),
        "cp": per_rank * _pick(layer.cp, kind),
        "ep": per_rank * _pick(layer.ep, kind),
        "pp_bubble": bubble,
        "pp_p2p": pieces.send,
        "dp": pieces.sync,
        "gathers": per_rank * pieces.sharded + m * pieces.outer,
        "optimizer": pieces.optimizer,
        "other": np.full_like(m, pieces.overhead),
    }


def _layer(job: Job, links: Links, framework: Framework, times: LayerTimes, kinds: Layouts) -> _Layer:
    """A layer of layouts that differ in slice, recompute or whether weights are sharded.

    What full recompute repeats includes its forward communication.
    """
    slices, own, full = kinds.slices, kinds.slice_index, kinds.recompute == _FULL
    part = kinds.recomputed
    tp = tensor_parallel(job, links, framework, slices, times.forward)
    cp = context_parallel(job, links, framework, slices, times.attention)
    ep = expert_parallel(job, links, framework, slices)
    trained = trained_share(job, share_of(job, kinds))
    gradients = gradient_time(job, links.machine, framework, kinds, trained)
    repeated = np.where(kinds.recompute == _SELECTIVE, times.selective[own], 0.0)
    waits = _waits_for_host(job, links.machine, kinds, times.forward[own]) if job.saves("offload") else 0.0

    def passes(forward: Times, backward: Times) -> tuple[Times, Times, Times]:
        """(Forward, backward, repeated) when the GPU also does these seconds of critical communication in them."""
        again = floored(times.forward + forward - times.spared, times.forward_floor)
        return (
            _pick(floored(times.forward + forward, times.forward_floor), own),
            floored(times.backward[own] + gradients + _pick(backward, own), times.backward_floor[own]),
            np.where(full, part * (_pick(again, own) + waits), repeated),
        )

    alone, beside = passes(np.zeros_like(times.forward), np.zeros_like(times.forward)), passes(tp.forward, tp.backward)
    again = 1.0 + full * part  # full recompute repeats the forward pass's collectives
    experts = _pick(ep.forward, own) * again + _pick(ep.backward, own)
    return _Layer(
        *alone,
        tp=reduce(np.add, beside) - reduce(np.add, alone),
        cp=_pick(cp.forward, own) * again + _pick(cp.backward, own),
        ep=exposed_experts(job, links.machine, experts, reduce(np.add, alone)),
        ep_alone=experts,
        ahead=beside[0],
        back=beside[1] + beside[2],
        head=(times.head_forward + times.head_backward)[own],
        outer_tp=_pick(np.asarray(tp.outer), own),
        weights=(times.forward - times.attention)[own],
    )


def _waits_for_host(job: Job, machine: Machine, kinds: Layouts, forward: np.ndarray) -> np.ndarray:
    """Seconds per layer and micro-batch in which a layer's input goes to the host and comes back that neither the
    forward pass of a layer nor its backward pass (twice that, with what is recomputed three times) hides."""
    tokens = kinds.micro_batch * job.sequence_length / kinds.cp
    spread = np.where(kinds.sequence_parallel > 0, kinds.tp, 1.0)
    seconds = tokens * job.activation_bytes * job.architecture.hidden / spread / (machine.host_link or SLOW_HOST_LINK)
    return np.maximum(seconds - forward, 0.0) + np.maximum(seconds - 3.0 * forward, 0.0)


def gradient_time(job: Job, machine: Machine, framework: Framework, layouts: Layouts, share: Share) -> np.ndarray:
    """Seconds per layer and micro-batch in which gradients pass through memory once more, (L,).

    Where weights are whole, each micro-batch adds its gradient to the buffer: a kernel of its own reads both and writes
    one; fused into the product (Megatron) only the buffer's reading and its wider elements are extra. Fully sharded,
    the gradient is converted to the element that is reduced; PyTorch's FlatParameter first joins the gradients of the
    views and then divides by the ranks, two more kernels that read and write (2304.11277 section 4.2).
    """
    element, wide = float(job.weight_bytes), job.gradient_bytes
    converted = (element + wide) * (wide != element)
    sharded = converted + (2.0 * element + 2.0 * wide if framework.flat_gradients else 0.0)
    whole = 2.0 * wide - element if framework.fused_accumulation else 2.0 * wide + element
    bytes_ = np.where(is_fully_sharded(layouts), sharded, whole)
    return bytes_ * (share.layer_dense + share.layer_experts) / (machine.memory_bandwidth * machine.memory_efficiency)


def _stage_sends(job: Job, links: Links, framework: Framework, layouts: Layouts, forward: Times) -> Times:
    """Exposed seconds of activations and gradients between stages: all of them while the pipeline fills and drains,
    afterwards what does not hide behind the compute of a chunk (one micro-batch's ``forward`` through its layers).

    Tensor-parallel ranks send a share each and gather it inside the node (2104.04473 section 4.1, DeepSpeed likewise).
    Without interleaving a stage waits for its sends; with it they run beside the next chunk (Megatron's
    overlap_p2p_comm). As soon as one boundary between stages lies between scale-up domains, the whole pipeline moves at
    its pace. A stage has a boundary on either side, each a turn per micro-batch; where there is only one, or only one
    that counts, activations and gradients cross it at once (Megatron's send_forward_recv_backward).
    """
    if not (layouts.pp > 1).any():
        return np.zeros(1)
    first, pipe = distinct(layouts.pipeline)
    pipes, machine = layouts.rows(first), links.machine
    bytes_ = (
        pipes.micro_batch * job.sequence_length / pipes.cp * job.architecture.hidden * job.activation_bytes / pipes.tp
    )
    stage = pipes.tp * pipes.cp * pipes.dp
    crosses = (stage * pipes.pp > machine.domain) & (machine.domains > 1)
    domains = np.maximum(stage / machine.domain, 1.0)
    one = (
        send_receive(
            links.of(crosses),
            bytes_,
            crosses,
            np.minimum(stage, machine.domain),
            domains,
            stage * pipes.pp / machine.domain,
            both_ways=True,  # activations one way, gradients the other
        )
        + SEND_LAUNCH
    )
    chunk = np.ceil(job.architecture.layers / pipes.pp) * forward[pipes.slice_index] / pipes.interleave
    hidden = np.where(pipes.interleave > 1, framework.overlap, 0.0)
    steady = pipes.micro_batches * pipes.interleave * exposed(one, chunk, hidden)
    single = (pipes.pp == 2) | (crosses & (stage < machine.domain) & (stage * pipes.pp <= 2 * machine.domain))
    turns = np.where(single & (pipes.interleave == 1), 1.0, 2.0)
    return _pick(np.where(pipes.pp > 1, turns * (one * (pipes.pp - 1.0) + steady), 0.0), pipe)


def optimizer_time(machine: Machine, layouts: Layouts, share: Share) -> np.ndarray:
    """Seconds of the optimizer on the parameters a GPU updates: memory-bound."""
    dense, experts = shard_sizes(layouts, machine.domain)
    sharded = np.isin(layouts.strategy, (ZERO1, ZERO2, FSDP, HSDP))
    own = np.where(sharded, share.dense / dense + share.experts / experts, share.dense + share.experts)
    return OPTIMIZER_TRAFFIC * own / (machine.memory_bandwidth * machine.memory_efficiency)


def once_a_step(job: Job, machine: Machine, framework: Framework, layouts: Layouts, share: Share) -> np.ndarray:
    """Seconds in which a step passes through gradients and weights as often as it has micro-batches, once.

    Where gradients are added to a buffer by the products (Megatron) it is set to zero (Megatron-Core 0.12,
    ``zero_grad_buffer``), and a layer's weights that multiply in eight bits or four are cast in the first micro-batch
    alone. Sharded weights are cast with every gather, which the calibrated products have in them.
    """
    if not framework.fused_accumulation:
        return np.zeros(1)
    weights = share.layers * (share.layer_dense + share.layer_experts)
    casts = machine.kernels.fp8_casts * weights if job.narrow and job.adapters is None else 0.0
    bytes_ = framework.gradient_memory * (share.dense + share.experts) + casts
    moved = np.where(is_fully_sharded(layouts), 0.0, bytes_)
    return moved / (machine.memory_bandwidth * machine.memory_efficiency)
