"""Training predictions: every network at its own best layout, with error bands, and fast sweeps of one input."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from assistant.vocabulary.added import added
from assistant.vocabulary.large_messages import NETWORK_SPREAD
from assistant.vocabulary.plan import Band, Breakdown
from assistant.vocabulary.questionnaire import BLOCK_SCALED, Parallelism

from .framework import UNKNOWN
from .job import DILOCO, SAVINGS, STRATEGIES, Job
from .layout import Layouts
from .low_communication import predict_islands
from .machine import Machine
from .memory import FRAGMENTATION, least_bytes, memory_of
from .network import Network, Networks
from .quickest import searched
from .step import steps
from .traffic import Traffic, traffic_of
from .uncertainty import RATIOS, drawn_times, quantiles

COMMUNICATION = ("tp", "cp", "ep", "pp_p2p", "dp")
MIDDLE = list(RATIOS).index(1.0)
# times the error of a network beyond the largest published run on it: assumed, as congestion-uplink-spread is
BEYOND_PROVEN = 1.5
Vary = dict[str, Sequence[float]]


@dataclass(frozen=True)
class Outcome:
    """One network at its best layout. Seconds, bytes, FLOP/s; ``mfu`` is a fraction of the precision's dense peak.

    ``draws`` has shape (worlds,): index s is the same world for every network of one call. ``traffic_into_node``: bytes
    per optimizer step by kind; a node is a scale-up domain. ``gathers``: of the breakdown's ``dp`` the seconds in which
    sharded layers wait for weights and gradients, micro-batch by micro-batch. ``crowded``: why a split that was given
    and fits may run out of memory.
    """

    network: str
    parallelism: dict[str, Any]
    step_time_s: float
    draws: np.ndarray
    band: Band
    tokens_per_s_per_gpu: float
    tflops_per_gpu: float
    mfu: float
    exposed_communication_percent: float
    memory_bytes: float
    fits: bool
    breakdown: Breakdown
    outside_calibration: list[str]
    traffic_into_node: dict[str, float] = field(default_factory=dict)
    collectives: float = 0.0
    gathers: float = 0.0
    crowded: str = ""


def predict_training(
    job: Job, machine: Machine, networks: Sequence[Network], parallelism: Parallelism | None = None
) -> list[Outcome]:
    """One outcome per network, in their order.

    With ``parallelism`` that split is used (micro-batch and recompute are chosen when the job leaves them open), else
    the fastest layout that fits. When nothing fits, the layout with the least memory and ``fits`` False. Raises
    :class:`InputError` when the job cannot be split over its GPUs.
    """
    asked = parallelism is not None and STRATEGIES.index(parallelism.strategy) == DILOCO
    apart = [n.wide_area or asked for n in networks]
    rarely, always = ([n for n, alone in zip(networks, apart, strict=True) if alone is kind] for kind in (True, False))
    found = {True: iter(predict_islands(job, machine, rarely, parallelism, _together) if rarely else [])}
    found[False] = iter(_together(job, machine, always, parallelism))
    return [next(found[alone]) for alone in apart]


def _together(
    job: Job, machine: Machine, networks: Sequence[Network], parallelism: Parallelism | None
) -> list[Outcome]:
    """Networks that join all GPUs into one synchronous job."""
    if not networks:
        return []
    columns = Networks(networks)
    layouts, _, fits = searched(job, machine, columns, parallelism, timed=False)
    if not fits and parallelism is None and job.saving == SAVINGS[0]:
        return _saving(job, machine, networks) or _outcomes(job, machine, columns, layouts, fits)
    return _outcomes(job, machine, columns, layouts, fits)


def _saving(job: Job, machine: Machine, networks: Sequence[Network]) -> list[Outcome]:
    """The outcomes with the least that is done to save memory where a job does not fit without; none where it never
    does."""
    able: list[Outcome] = []
    for kind in reversed(SAVINGS[1:]):  # most jobs that do not fit have too many parameters, and nothing helps
        tried = _together(job.with_(saving=kind), machine, networks, None)
        if not any(one.fits for one in tried):
            break
        able = [replace(one, parallelism={**one.parallelism, "saving": kind}) for one in tried]
    return able


def _outcomes(job: Job, machine: Machine, columns: Networks, layouts: Layouts, fits: bool) -> list[Outcome]:
    """Outcomes of network f at layout f, or of all networks at one layout."""
    networks, own = np.arange(len(columns)), np.arange(len(columns)) % len(layouts)
    shape = (len(RATIOS), len(columns), len(layouts))
    slowed = steps(job, machine, columns, layouts, RATIOS[:, None, None])
    times = np.broadcast_to(slowed.total, shape)[:, networks, own]
    parts = {name: _at(part, networks, own) for name, part in slowed.parts.items()}
    memory, crowded = _memory(job, machine, layouts, fits)
    traffic = traffic_of(job, machine, layouts)
    spread, reasons = compute_spread(job, machine)
    network_spread = np.array([network_spread_of(n, job, machine.domains) for n in columns.networks])
    slower = math.hypot(spread, practice_spread(job, machine))
    draws = drawn_times(times, spread, [n.id for n in columns.networks], network_spread, slower)
    bands = quantiles(draws).T.tolist()
    return [
        _outcome(
            job,
            machine,
            network,
            layouts,
            int(own[f]),
            {name: part[f] for name, part in parts.items()},
            draws[f],
            bands[f],
            memory,
            traffic,
            fits,
            reasons,
            crowded,
        )
        for f, network in enumerate(columns.networks)
    ]


def _memory(job: Job, machine: Machine, layouts: Layouts, fits: bool) -> tuple[list[float], str]:
    """Bytes per GPU of each layout, and what is said where a split that was given ``fits`` without the margin alone:
    what is left of a GPU is all of the margin that there is."""
    framework = machine.framework(job.framework)
    whole = memory_of(job, machine, framework, layouts).total
    if not fits or (whole <= machine.memory).all():
        return whole.tolist(), ""
    least = float(least_bytes(job, machine, framework, layouts)[whole > machine.memory].max())
    return np.minimum(whole, machine.memory).tolist(), (
        f"the split takes at least {100 * least / machine.memory:.0f} % of a GPU's memory, without all of the "
        f"{100 * FRAGMENTATION:.0f} % that are kept for fragmentation elsewhere: it may run, and it may run out of "
        "memory"
    )


def _at(part: np.ndarray, networks: np.ndarray, own: np.ndarray) -> list[float]:
    """A part of the time of each network at its layout, with networks as fast as they are; what is the same for all of
    them has one row."""
    rows = part[MIDDLE if len(part) > 1 else 0] if part.ndim == 3 else np.atleast_2d(part)
    return rows[np.minimum(networks, len(rows) - 1), np.minimum(own, rows.shape[1] - 1)].tolist()


def _outcome(
    job: Job,
    machine: Machine,
    network: Network,
    layouts: Layouts,
    index: int,
    parts: dict[str, float],
    draws: np.ndarray,
    band: list[float],
    memory: list[float],
    traffic: Traffic,
    fits: bool,
    reasons: list[str],
    crowded: str,
) -> Outcome:
    total, gathers = added(parts.values()), parts.pop("gathers")
    parts["dp"] += gathers
    flops = job.model_flops / (total * job.gpus)
    return Outcome(
        network=network.id,
        parallelism=layouts.one(index),
        step_time_s=total,
        draws=draws,
        band=Band(p10=band[0], p50=band[1], p90=band[2]),
        tokens_per_s_per_gpu=job.tokens / (total * job.gpus),
        tflops_per_gpu=flops / 1e12,
        mfu=flops / machine.peak[job.precision],
        exposed_communication_percent=100.0 * added(parts[name] for name in COMMUNICATION) / total,
        memory_bytes=memory[index],
        fits=fits and network.possible,
        breakdown=Breakdown(**parts),
        gathers=gathers,
        outside_calibration=reasons + _beyond(job, network, machine.domains),
        traffic_into_node={k: float(v[index]) for k, v in traffic.into_domain.items()},
        collectives=float(np.broadcast_to(traffic.collectives, len(layouts))[index]),
        crowded=crowded,
    )


def _beyond(job: Job, network: Network, domains: int) -> list[str]:
    """Said when the job is larger than any published run on this network, or crosses uplinks that nothing was measured
    over."""
    reasons = []
    if job.gpus > network.proven_gpus:
        reasons.append(f"{job.gpus} GPUs: the largest published run on {network.id} has {network.proven_gpus:.0f}")
    if _crosses_thin_uplinks(network, domains):
        reasons.append("leaves are oversubscribed: none of the measured runs tells how ranks share their uplinks")
    if network.lossy:
        reasons.append(f"{network.id} without flow control: what is lost differs from one network to the next")
    return reasons


def _crosses_thin_uplinks(network: Network, domains: int) -> bool:
    return network.oversubscription > 1 and domains > network.leaf_domains


# What widens a stack's own spread, as standard deviations of the logarithm of compute time that add up squared. Errors
# are of knowledge/measurements/training.csv, 2,287 rows, as the model with its shipped constants predicts them.
# - A relative's efficiencies: those of the five measured GPU families scatter by 0.17 (products) and 0.19 (attention);
# a   relative is nearer than any family. The four runs on such a GPU (H200) are 0.25 off.
# - FP8: the 138 dense steps scatter by 0.091 and those in BF16 by 0.079, of which 0.045 is left for FP8; the 47 rows
# that judge   the model by 0.13, which leaves 0.10. In the middle.
# - A model known by its size alone: its step against that of the true architecture scatters by 0.084 over the 68 dense
# models of   the catalog.
# - QLoRA: making weights wider at 7 times the least time takes a fifth of torchtune's step on an RTX 4090, where it was
# slowest: half of that.
# - FP32 and more GPUs than Llama 3 405B was trained on (16,384; the largest measured row has 2,304) are assumed:
# nothing   measured tells.
_TAKEN_OVER, _FP8, _FP32, _BY_SIZE, _BEYOND_PUBLISHED = 0.15, 0.07, 0.10, 0.08, 0.10
_FOUR_BITS = 0.10
# - A vendor of whose GPUs no run was calibrated on has kernels and libraries of its own: what a stack's name tells is
# no more than that some stack runs.
# - Block-scaled training: MXFP8 is as far off as FP8; 18 steps in NVFP4 scatter by 0.11 (``block_scaled.csv``), and all
# are of one publisher.
_BLOCKS_8, _BLOCKS_4 = 0.07, 0.15
LARGEST_PUBLISHED = 16_384
CALIBRATED_VENDORS = ("nvidia",)
STRAGGLING_NODES = 16  # of the smallest jobs, 128 GPUs, that stragglers were counted in


def compute_spread(job: Job, machine: Machine) -> tuple[float, list[str]]:
    """Standard deviation of the logarithm of compute time, and what lies outside of what was calibrated."""
    framework = machine.framework(job.framework)
    widened = (
        (not machine.calibrated, _TAKEN_OVER, machine.not_measured),
        (machine.spread > 0.0, machine.spread, ""),
        (job.precision == "fp8", _FP8, ""),
        (job.precision == "mxfp8", _BLOCKS_8, ""),
        (
            job.precision == "nvfp4",
            _BLOCKS_4,
            "NVFP4: checked on Llama 8B to 405B in Megatron on GB200 and GB300 alone",
        ),
        (
            job.precision in BLOCK_SCALED and not machine.calibrated,
            0.0,
            f"{job.precision.upper()}: of no training run on this GPU is anything known, nor whether Transformer "
            "Engine has the kernels for it",
        ),
        (job.precision == "fp32", _FP32, "fp32: no measured rows"),
        (bool(job.architecture.experts), framework.mixture_spread, ""),
        (job.adapters is not None and job.adapters.quantized, _FOUR_BITS, "QLoRA: kernels for four bits differ widely"),
        (job.architecture.derived, _BY_SIZE, "model known by its parameter count only"),
        (
            job.gpus > LARGEST_PUBLISHED,
            _BEYOND_PUBLISHED,
            f"{job.gpus} GPUs: larger than any run the model was checked on",
        ),
    )
    found = [(spread, reason) for applies, spread, reason in widened if applies]
    stack = framework.total_spread
    if machine.vendor not in CALIBRATED_VENDORS:
        stack = max(stack, UNKNOWN.total_spread)
    variance = added((spread**2 for spread, _ in found), stack**2)
    return math.sqrt(variance), [reason for _, reason in found if reason]


def practice_spread(job: Job, machine: Machine) -> float:
    """What teams take longer than their stack needs, as a standard deviation of the logarithm of compute time that
    holds upwards only: software that is not tuned, and stragglers, whose part grows with the nodes as one of them is
    enough."""
    framework = machine.framework(job.framework)
    many = min(1.0, math.sqrt(machine.nodes / STRAGGLING_NODES))
    return math.hypot(framework.practice_spread, many * framework.stragglers)


def network_spread_of(network: Network, job: Job, domains: int) -> float:
    """Standard deviation of the logarithm of this network's time; wider beyond the largest published run on it, and
    where ``domains`` of a job are joined by the uplinks of oversubscribed leaves (``congestion-uplink-spread``). Both
    are assumed."""
    spread = NETWORK_SPREAD[network.transport]
    spread *= BEYOND_PROVEN if job.gpus > network.proven_gpus else 1.0
    spread *= BEYOND_PROVEN if network.lossy else 1.0
    return spread * (network.uplink_spread if _crosses_thin_uplinks(network, domains) else 1.0)


def sweep(
    job: Job, machine: Machine, networks: Sequence[Network], parallelism: Parallelism | None, vary: Vary
) -> dict[str, np.ndarray]:
    """Step seconds with one field varied at a time: ``{field: (networks, values)}``.

    Fields: ``gpus``, ``global_batch``, ``sequence_length`` of the job; ``line_rate`` a factor on every network's
    bandwidth, and ``latency`` on its latency. A value the job cannot be split for gives NaN.
    """
    return {
        name: np.stack([_varied(job, machine, networks, parallelism, name, value) for value in values], axis=1)
        for name, values in vary.items()
    }


def _varied(
    job: Job, machine: Machine, networks: Sequence[Network], parallelism: Parallelism | None, name: str, value: float
) -> np.ndarray:
    if name in ("line_rate", "latency"):
        networks = [scaled(n, name, value) for n in networks]
    else:
        job = replace(job, **{name: int(value)})
        machine = replace(machine, gpus=job.gpus)
    try:
        return best_times(job, machine, networks, parallelism)
    except ValueError:
        return np.full(len(networks), np.nan)


def scaled(network: Network, name: str, factor: float) -> Network:
    """The network with its bandwidth (``line_rate``) or ``latency`` multiplied."""
    if name == "latency":
        return replace(network, latency=network.latency * factor)
    return replace(network, gpu_rate=network.gpu_rate * factor, nic_rate=network.nic_rate * factor)


def best_times(
    job: Job, machine: Machine, networks: Sequence[Network], parallelism: Parallelism | None = None
) -> np.ndarray:
    """Seconds per step of each network at its best layout, (F,), without bands; NaN when nothing fits."""
    if not networks:
        return np.empty(0)
    if any(n.wide_area for n in networks):
        return np.array(
            [o.step_time_s if o.fits else np.nan for o in predict_training(job, machine, networks, parallelism)]
        )
    _, seconds, fits = searched(job, machine, Networks(networks), parallelism)
    if not fits and parallelism is None and job.saving == SAVINGS[0]:
        saved = _saving(job, machine, networks)
        return np.array([one.step_time_s for one in saved]) if saved else np.full(len(networks), np.nan)
    return seconds if fits else np.full(len(networks), np.nan)


__all__ = ["Outcome", "best_times", "predict_training", "sweep"]
