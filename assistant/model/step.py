"""One optimizer step: stages, micro-batches, bubbles and optimizer put together for networks × layouts."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .collectives import Wires, send_receive
from .compute import LayerTimes, floored, layer_times
from .framework import Framework
from .job import FSDP, HSDP, RECOMPUTE, Job
from .layout import Layouts
from .machine import Machine
from .memory import Share, share_of, shard_sizes
from .network import Networks
from .overlap import (LayerCommunication, context_parallel, data_groups, expert_parallel, exposed, fully_sharded, replicated,
                      tensor_parallel)

_SELECTIVE, _FULL = RECOMPUTE.index("selective"), RECOMPUTE.index("full")
OPTIMIZER_TRAFFIC = 30.0  # bytes per parameter Adam reads and writes: gradient, master weight, two moments, new weight
SEND_LAUNCH = 500e-6  # host time of one send between stages, which waits for the GPU


@dataclass(frozen=True)
class Steps:
    """Seconds of one optimizer step, (F, L), and its parts under the names of the breakdown, broadcastable to it."""

    total: np.ndarray
    parts: dict[str, np.ndarray]


@dataclass(frozen=True)
class _Layer:
    """Per-layer seconds picked per layout, (L,)."""

    forward: np.ndarray
    backward: np.ndarray
    repeated: np.ndarray
    forward_floor: np.ndarray
    backward_floor: np.ndarray
    attention: np.ndarray
    head: np.ndarray
    spared: np.ndarray

    def run(self, forward: np.ndarray, backward: np.ndarray, full: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Seconds (forward, backward, repeated) when the GPU also does ``forward`` and ``backward`` seconds of critical
        communication in them; what full recompute repeats includes its forward communication.
        """
        ahead = floored(self.forward + forward, self.forward_floor)
        again = np.where(full, floored(self.forward + forward - self.spared, self.forward_floor), self.repeated)
        return ahead, floored(self.backward + backward, self.backward_floor), again


def steps(job: Job, machine: Machine, networks: Networks, layouts: Layouts, slowdown: float | np.ndarray = 1.0,
          framework: Framework | None = None) -> Steps:
    """Step time and parts of every layout on every network.

    ``slowdown`` stretches the network (for error bands). Pipelines follow one-forward-one-backward
    (2104.04473): T = m·t_max + (Σ t_stage − t_max)/v, which for equal stages is the bubble (p−1)/(v·m).
    """
    framework = framework or machine.framework(job.framework)
    share = share_of(job, layouts)
    gradients = gradient_time(job, machine, framework, layouts, share)
    layer = _picked(layer_times(job, machine, framework, layouts.slices), layouts, gradients)
    return _assembled(job, Wires(machine, networks, slowdown), framework, layouts, layer, share)


def gradient_time(job: Job, machine: Machine, framework: Framework, layouts: Layouts, share: Share) -> np.ndarray:
    """Seconds per layer and micro-batch in which gradients pass through memory once more, (L,).

    Where weights are whole, each micro-batch adds its gradient to the buffer: a kernel of its own reads both and writes
    one; fused into the product (Megatron) only the buffer's reading and its wider elements are extra. Fully sharded,
    the gradient is converted to the element that is reduced; PyTorch's FlatParameter first joins the gradients of the
    views and then divides by the ranks, two more kernels that read and write (2304.11277 section 4.2).
    """
    element, wide = float(job.weight_bytes), job.gradient_bytes
    fully = (layouts.strategy == FSDP) | (layouts.strategy == HSDP)
    converted = (element + wide) * (wide != element)
    sharded = converted + (2.0 * element + 2.0 * wide if framework.flat_gradients else 0.0)
    whole = 2.0 * wide - element if framework.fused_accumulation else 2.0 * wide + element
    bytes_ = np.where(fully, sharded, whole)
    return bytes_ * (share.layer_dense + share.layer_experts) / (machine.memory_bandwidth * machine.memory_efficiency)


def _picked(times: LayerTimes, layouts: Layouts, gradients: np.ndarray) -> _Layer:
    index = layouts.slice_index
    forward, attention = times.forward[index], times.attention[index]
    repeated = np.where(layouts.recompute == _SELECTIVE, attention, 0.0)
    return _Layer(forward, times.backward[index] + gradients, repeated, times.forward_floor[index],
                  times.backward_floor[index], attention,
                  (times.head_forward + times.head_backward)[index], times.spared[index])


def _assembled(job: Job, wires: Wires, framework: Framework, layouts: Layouts, layer: _Layer, share: Share) -> Steps:
    layers, m, p, v = job.architecture.layers, layouts.micro_batches, layouts.pp, layouts.interleave
    full = layouts.recompute == _FULL
    again = 1.0 + full  # full recompute repeats the forward pass's collectives
    parallel = tensor_parallel(job, wires, framework, layouts, layer.forward)
    alone, beside = layer.run(np.zeros(1), np.zeros(1), full), layer.run(parallel.forward, parallel.backward, full)
    tp = sum(beside) - sum(alone)
    cp = _both(context_parallel(job, wires, framework, layouts, layer.attention), again)
    ep = _both(expert_parallel(job, wires, framework, layouts), again)
    groups = data_groups(layouts, wires.machine.domain)
    back = beside[1] + beside[2]
    sharded, outer = fully_sharded(job, wires, framework, layouts, share, groups, beside[0], back)
    sync = replicated(job, wires, framework, layouts, share, groups, share.layers * beside[0], share.layers * back)
    dp_layer = sharded.forward + sharded.backward

    one = sum(alone) + tp + cp + ep + dp_layer
    deepest = share.layers * one
    last = np.maximum(layers - (p - 1.0) * share.layers, 0.0) * one + layer.head
    slowest, work = np.maximum(deepest, last), layers * one + layer.head
    useful = m * work / p
    bubble = np.where(p > 1, m * slowest + (work - slowest) / v - useful, 0.0)
    send = _stage_sends(job, wires, framework, layouts, share.layers * layer.forward / v)
    per_rank = m * layers / p
    parts = {
        "compute": per_rank * (alone[0] + alone[1]) + m / p * layer.head, "recompute": per_rank * alone[2],
        "tp": per_rank * tp, "cp": per_rank * cp, "ep": per_rank * ep, "pp_bubble": bubble, "pp_p2p": send,
        "dp": per_rank * dp_layer + m * outer + sync, "optimizer": optimizer_time(wires.machine, layouts, share),
        "other": np.full_like(m, framework.step_overhead),
    }
    return Steps(sum(parts.values()), parts)


def _both(communication: LayerCommunication, again: np.ndarray) -> np.ndarray:
    """Seconds per layer and micro-batch of both directions, the forward part repeated where it is recomputed."""
    return communication.forward * again + communication.backward


def _stage_sends(job: Job, wires: Wires, framework: Framework, layouts: Layouts, chunk: np.ndarray) -> np.ndarray:
    """Exposed seconds of activations and gradients between stages: all of them while the pipeline fills and drains,
    afterwards what does not hide behind the compute of a ``chunk`` (seconds of one micro-batch's forward in a stage).

    Tensor-parallel ranks send a share each and gather it inside the node (2104.04473 section 4.1, DeepSpeed likewise).
    Without interleaving a stage waits for its sends; with it they run beside the next chunk (Megatron's overlap_p2p_comm).
    As soon as one boundary between stages lies between scale-up domains, the whole pipeline moves at its pace.
    """
    if not (layouts.pp > 1).any():
        return np.zeros(1)
    bytes_ = (layouts.micro_batch * job.sequence_length / layouts.cp * job.architecture.hidden * job.activation_bytes
              / layouts.tp)
    domain, stage = wires.machine.domain, layouts.tp * layouts.cp * layouts.dp
    crosses = (stage * layouts.pp > domain) & (wires.machine.domains > 1)
    one = send_receive(wires, bytes_, crosses, np.minimum(stage, domain)) + SEND_LAUNCH
    hidden = np.where(layouts.interleave > 1, framework.overlap, 0.0)
    steady = layouts.micro_batches * layouts.interleave * exposed(one, chunk, hidden)
    return np.where(layouts.pp > 1, 2.0 * (one * (layouts.pp - 1.0) + steady), 0.0)


def optimizer_time(machine: Machine, layouts: Layouts, share: Share) -> np.ndarray:
    """Seconds of the optimizer on the parameters a GPU updates: memory-bound."""
    dense, experts = shard_sizes(layouts, machine.domain)
    sharded = layouts.strategy != 0
    own = np.where(sharded, share.dense / dense + share.experts / experts, share.dense + share.experts)
    return OPTIMIZER_TRAFFIC * own / (machine.memory_bandwidth * machine.memory_efficiency)
