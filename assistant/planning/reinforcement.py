"""Estimates for reinforcement learning: the whole step, what its phases hold in memory, what its weights ask of the
network."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from assistant.model import Machine, Network
from assistant.model.low_communication import WAN_GOODPUT, synchronise, wide_area_draws
from assistant.model.reinforcement import Loop, StepOutcome, balanced_rollout_gpus, predict_reinforcement
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.plan import LearningStep
from assistant.vocabulary.questionnaire import Questionnaire

from .candidates import considered
from .entry import Entry, Estimate, band_of
from .estimate import as_estimate, last_backward_s, machine, model_job, networks, waited_for
from .resolve import Resolved, resolve
from .rollouts import BALANCED


def estimate_reinforcement(entries: list[Entry], job: Resolved, loop: Loop, catalog: Catalog) -> None:
    """Fill in the estimates of fabrics that can be had. Low-communication methods between sites get none: what is
    learned from must be written with the newest weights."""
    gpus = machine(job, catalog)
    inside = [e for e in entries if e.considered.fabric.technology != "wan"]
    fabrics = networks([e.considered for e in inside], gpus, job, catalog)
    for entry, one, network in zip(inside, outcomes(job, loop, gpus, fabrics), fabrics, strict=True):
        estimate = as_estimate(one.outcome, network.gpu_rate * gpus.domain)
        whole = replace(estimate, training=one.training.breakdown, learning=_learning(one, loop))
        slower = wide_area_draws(catalog.constants["wan-spread"].si)
        entry.estimated = whole if job.sites == 1 else _between_sites(whole, job, loop, one, slower)


def _between_sites(estimate: Estimate, job: Resolved, loop: Loop, found: StepOutcome, slower: np.ndarray) -> Estimate:
    """What the link between sites adds to each step; ``slower``: by what it takes longer in every world.

    With GPUs that only generate, those are elsewhere and the new weights cross the link once a step. One step off
    policy the trainer goes on meanwhile and only who generates waits for them, so what it has to spare hides them; at
    two steps and more they travel beside the next step. Where all GPUs take turns, each optimizer step exchanges
    gradients over the link (:func:`synchronise`), of which the backward pass hides what it can.
    """
    link = (job.wan_gbps or 0.0) * 1e9 / 8
    if loop.apart:
        moved = job.architecture.bytes(loop.rollout_precision)
        spare = max(0.0, found.training_side_s - found.generation_s) if loop.steps_off else 0.0
        hidden = estimate.band.p50 if loop.steps_off > 1 else spare
        waits = np.maximum(0.0, moved / (link * WAN_GOODPUT) * slower - hidden)
        return _longer(estimate, waits, moved, "weight_sync")
    updates = ceil(loop.answers / job.global_batch)
    one = synchronise(job.trained_params * 2.0, job.sites, link, 1, goodput=WAN_GOODPUT)
    compute = estimate.training.compute if estimate.training else 0.0
    hidden = last_backward_s(compute, estimate.parallelism, job.global_batch)
    waits = updates * np.maximum(0.0, one.per_step * slower - hidden)
    return _longer(estimate, waits, updates * one.bytes_, "training")


def _longer(estimate: Estimate, waits: np.ndarray, moved: float, part: str) -> Estimate:
    """The estimate with ``waits`` seconds, in every world, added to a part of the step; ``moved`` bytes cross the
    link."""
    draws, waited = waited_for(estimate.draws, waits)
    factor = estimate.band.p50 / (estimate.band.p50 + waited)
    return replace(
        estimate,
        draws=draws,
        band=band_of(draws),
        exposed_percent=estimate.exposed_percent * factor + 100.0 * (1.0 - factor),
        tokens_per_s_per_gpu=estimate.tokens_per_s_per_gpu * factor,
        tflops_per_gpu=estimate.tflops_per_gpu * factor,
        mfu=estimate.mfu * factor,
        breakdown=estimate.breakdown.model_copy(update={part: getattr(estimate.breakdown, part) + waited}),
        traffic={**estimate.traffic, "bytes_between_sites": moved, "waited_between_sites": waited},
    )


def _learning(one: StepOutcome, loop: Loop) -> LearningStep:
    placed = one.outcome.parallelism
    return LearningStep(
        generation_s=one.generation_s,
        training_side_s=one.training_side_s,
        at_once=loop.apart and loop.steps_off > 0,
        alone_s=one.generated.alone_s if one.generated else 0.0,
        generation_crosses_nodes=one.generated is not None and one.generated.crosses,
        rollout_gpus=placed.get("rollout_gpus"),
        weight_sync=placed.get("weight_sync"),
        weight_sync_s=one.sync_s,
        weight_sync_gb=one.sync_bytes / 1e9,
        memory_gb={phase: bytes_ / 1e9 for phase, bytes_ in one.memory.items()},
    )


@dataclass(frozen=True)
class StepSeconds:
    """A step taken apart: seconds of generation, of the trainer, of the sync; ``at_once``: the two work at the same
    time."""

    generation: float
    trainer: float
    sync: float
    at_once: bool


def step_seconds(questionnaire: Questionnaire, catalog: Catalog) -> StepSeconds:
    """The halves of a step on the network that the questionnaire names, or the fastest. Raises :class:`InputError` for
    a job that cannot be split over its GPUs, :class:`LookupError` for one that learns from no answers."""
    job = resolve(questionnaire, catalog)
    if job.loop is None:
        raise LookupError("expected a job of reinforcement learning")
    gpus = machine(job, catalog)
    wanted = questionnaire.cluster.fabric
    found = [c for c in considered(job, catalog) if c.exists and c.fabric.id == (wanted or c.fabric.id)]
    one = min(
        outcomes(job, job.loop, gpus, networks(found, gpus, job, catalog)), key=lambda each: each.outcome.step_time_s
    )
    return StepSeconds(
        one.generation_s,
        one.training_side_s,
        one.outcome.breakdown.weight_sync,
        job.loop.apart and job.loop.steps_off > 0,
    )


def outcomes(job: Resolved, loop: Loop, gpus: Machine, fabrics: list[Network]) -> list[StepOutcome]:
    """The whole step on each network. Raises :class:`InputError` when the GPUs that train cannot be split as asked."""
    if not fabrics:
        return []
    step, split = model_job(job), job.parallelism
    if loop.rollout_gpus == BALANCED and loop.apart:
        loop = replace(loop, rollout_gpus=balanced_rollout_gpus(loop, step, gpus, fabrics))
    trainers = gpus.gpus - (loop.rollout_gpus or 0)
    if trainers < 1:
        raise InputError(
            f"expected fewer than the {gpus.gpus} GPUs, as somebody must train, got {loop.rollout_gpus}",
            Place(field="rl.rollout_gpus"),
        )
    together = 1 if split is None else split.tp * split.pp * split.cp
    if trainers % together:
        raise InputError(
            f"expected tp·pp·cp to divide the {trainers} GPUs that train, got {together}", Place(field="parallelism")
        )
    return predict_reinforcement(loop, step.with_(gpus=trainers), gpus, fabrics, split)
