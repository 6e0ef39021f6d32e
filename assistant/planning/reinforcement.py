"""Estimates for reinforcement learning: the whole step, what its phases hold in memory, what its weights ask of the
network."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assistant.model import Machine, Network
from assistant.model.reinforcement import Loop, StepOutcome, balanced_rollout_gpus, predict_reinforcement
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.plan import LearningStep
from assistant.vocabulary.questionnaire import Questionnaire

from .candidates import considered
from .entry import Entry
from .estimate import as_estimate, machine, model_job, networks
from .resolve import Resolved, resolve
from .rollouts import BALANCED


def estimate_reinforcement(entries: list[Entry], job: Resolved, loop: Loop, catalog: Catalog) -> None:
    """Fill in the estimates of fabrics that can be had."""
    gpus = machine(job, catalog)
    fabrics = networks([e.considered for e in entries], gpus, job)
    for entry, one, network in zip(entries, outcomes(job, loop, gpus, fabrics), fabrics, strict=True):
        estimate = as_estimate(one.outcome, network.gpu_rate * gpus.domain)
        entry.estimated = replace(estimate, training=one.training.breakdown, learning=_learning(one, loop))


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
    one = min(outcomes(job, job.loop, gpus, networks(found, gpus, job)), key=lambda each: each.outcome.step_time_s)
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
    together = 1 if split is None else split.tp * split.pp * split.cp
    if trainers % together:
        raise InputError(
            f"expected tp·pp·cp to divide the {trainers} GPUs that train, got {together}", Place(field="parallelism")
        )
    return predict_reinforcement(loop, step.with_(gpus=trainers), gpus, fabrics, split)
