"""Which layouts are worth a look: every feasible split of a job, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.questionnaire import Parallelism

from .job import DDP, FSDP, HSDP, RECOMPUTE, STRATEGIES, ZERO1, Job
from .layout import Layouts, Slices, distinct, layouts_of
from .machine import Machine

_FULL = RECOMPUTE.index("full")
MICRO_BATCHES = (1, 2, 4, 8, 16)
LARGEST_PIPELINE = 64  # stages of the deepest published one, a trillion parameters (2104.04473, table 1)
INTERLEAVES = (1, 2, 4, 8)
PARTS = tuple(part / 8.0 for part in range(1, 9))  # of the layers, recomputed


@dataclass(frozen=True)
class Choices:
    """What is tried in each direction; layouts are their product, less what cannot run.

    ``sequence_parallel`` ``None``: wherever tp exceeds 1. ``sharded_pipelines``: FSDP and HSDP with several stages too.
    """

    tp: Sequence[int]
    cp: Sequence[int]
    ep: Sequence[int]
    micro_batch: Sequence[int]
    pp: Sequence[int]
    interleave: Sequence[int]
    strategy: Sequence[int]
    recompute: Sequence[int]
    recomputed: Sequence[float] = (1.0,)  # shares of the layers tried with full recompute
    sequence_parallel: Sequence[bool] | None = None
    shard_within_node: bool = False
    sharded_pipelines: bool = False


def divisors(number: int, largest: int | None = None) -> list[int]:
    """All divisors of ``number`` up to ``largest``, ascending."""
    limit = largest or number
    small = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    return [d for d in sorted(set(small + [number // d for d in small])) if d <= limit]


def layouts_for(job: Job, machine: Machine, parallelism: Parallelism | None) -> Layouts:
    """Layouts of a fixed split (micro-batch and recompute still free unless given), or all sensible ones.

    Raises :class:`InputError` when the job cannot be split at all.
    """
    fixed = parallelism is not None
    choices = _fixed(job, parallelism) if fixed else _free(job, machine)
    found = layouts_among(job, choices, fixed=fixed) or layouts_among(job, choices, fixed=fixed, strict=False)
    if not found:
        raise InputError(
            f"expected a global batch of at least the data-parallel ranks of some split of {job.gpus} GPUs, "
            f"got {job.global_batch}",
            Place(field="training.global_batch"),
        )
    return found


def _fixed(job: Job, given: Parallelism) -> Choices:
    ranks = job.gpus // (given.tp * given.pp * given.cp)
    if job.global_batch < ranks:
        raise InputError(
            f"expected a global batch of at least the {ranks} data-parallel ranks, got {job.global_batch}",
            Place(field="training.global_batch"),
        )
    return Choices(
        tp=[given.tp],
        cp=[given.cp],
        ep=[given.ep],
        micro_batch=_micro_batches(job),
        pp=[given.pp],
        interleave=_interleaves(job, given),
        strategy=[STRATEGIES.index(given.strategy)],
        recompute=_recompute(job),
        recomputed=_recomputed(job),
        sequence_parallel=[given.sequence_parallel],
        shard_within_node=given.shard_within_node,
    )


def _interleaves(job: Job, given: Parallelism | None = None) -> Sequence[int]:
    """Model chunks per stage that may be tried: as given, else what Megatron can do; DeepSpeed's pipelines have one.

    Where a split is given and says nothing of interleaving, Megatron or an unknown framework is taken to use it.
    """
    if given is not None and ("interleave" in given.model_fields_set or given.pp == 1):
        return [given.interleave]
    tried = job.framework in ("megatron", None) if given is not None else job.framework != "deepspeed"
    return INTERLEAVES if tried else [1]


def _free(job: Job, machine: Machine) -> Choices:
    a = job.architecture
    tp = [d for d in divisors(job.gpus, machine.domain) if a.heads % d == 0]
    pp = [d for d in divisors(job.gpus, min(a.layers, LARGEST_PIPELINE))]
    cp = [
        d
        for d in divisors(job.gpus, max(1, max(job.sequence_length, job.longest_sequence or 0) // 8192))
        if d & (d - 1) == 0
    ]
    ep = [d for d in divisors(a.experts, min(job.gpus, 128)) if job.gpus % d == 0] if a.experts else [1]
    if job.adapters is not None and job.adapters.quantized and job.global_batch * max(cp) >= job.gpus:
        tp, pp = [1], [1]  # bitsandbytes and torchao multiply whole four-bit weights: no stack splits them
    strategies = [DDP, ZERO1, FSDP] + ([HSDP] if machine.domains > 1 else [])
    return Choices(
        tp=tp,
        cp=cp,
        ep=ep,
        micro_batch=_micro_batches(job),
        pp=pp,
        interleave=_interleaves(job),
        strategy=strategies,
        recompute=_recompute(job),
        recomputed=_recomputed(job),
    )


def _micro_batches(job: Job) -> Sequence[int]:
    return [job.micro_batch] if job.micro_batch else [size for size in MICRO_BATCHES if size <= job.global_batch]


def _recompute(job: Job) -> Sequence[int]:
    if job.recompute is not None:
        return [RECOMPUTE.index(job.recompute)]
    return (
        [0, 2] if job.attention == "flash" else [0, 1, 2]
    )  # with flash attention no scores are kept that could be recomputed


def _recomputed(job: Job) -> Sequence[float]:
    """Shares of the layers that may be recomputed. Beside adapters activations are what decides whether a frozen model
    fits, so no more layers than must be (Megatron's ``recompute_num_layers``, torchtitan's every so many layers)."""
    return PARTS if job.adapters is not None and job.recompute is None else (1.0,)


def layouts_among(job: Job, choices: Choices, *, fixed: bool = False, strict: bool = True) -> Layouts | None:
    """Every layout among the choices that can run, recompute varying fastest; ``None`` where none can.

    ``strict`` also asks that the batch divides evenly among ranks and micro-batches. A split that is ``fixed`` is taken
    as it is, sensible or not. Slices and pipelines are ruled out before strategies and recompute multiply them.
    """
    slices = _slices(choices)
    pp, dp, micro_batches, can = _splits(job, slices, choices, strict=strict, fixed=fixed)
    where = np.nonzero(_interleaved(job, choices, pp, micro_batches) & can[:, :, None])
    if not len(where[0]):
        return None
    return _built(choices, slices, where, dp, micro_batches, fixed=fixed)


def _slices(choices: Choices) -> Slices:
    """The product of the slice's columns, sequence parallel varying fastest."""
    given = choices.sequence_parallel
    axes = (choices.tp, choices.cp, choices.ep, choices.micro_batch, (0,) if given is None else given)
    grid = np.meshgrid(*(np.asarray(axis, dtype=float) for axis in axes), indexing="ij")
    tp, cp, ep, micro_batch, parallel = (column.ravel() for column in grid)
    return Slices(tp, cp, ep, micro_batch, (tp > 1).astype(float) if given is None else parallel)


def _splits(
    job: Job, slices: Slices, choices: Choices, *, strict: bool, fixed: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """``(pp, dp, micro-batches, which can run)`` of slices × stages, shapes (P,) and (C, P)."""
    tp, cp, size = slices.tp[:, None], slices.cp[:, None], slices.micro_batch[:, None]
    pp = np.asarray(choices.pp, dtype=float)
    exact = job.gpus / (tp * pp * cp)
    can = (exact >= 1.0) & (exact == np.floor(exact)) & (exact * size <= job.global_batch)
    if strict:
        can &= np.mod(job.global_batch, np.maximum(exact, 1.0) * size) == 0
    elif fixed:
        can |= (exact >= 1.0) & (exact <= job.global_batch)
    dp = np.maximum(np.floor(exact), 1.0)
    micro_batches = np.ceil(job.global_batch / (dp * size))
    return pp, dp, micro_batches, can if fixed else can & _sensible(job, slices, pp, dp, choices)


def _sensible(job: Job, slices: Slices, pp: np.ndarray, dp: np.ndarray, choices: Choices) -> np.ndarray:
    """Splits a search need not drop: full pipelines, experts spread evenly, sequences split only where tp splits
    layers."""
    layers = job.architecture.layers
    full = (pp == 1) | (np.ceil(layers / pp) * (pp - 1) < layers)
    ranks, ep = dp * slices.cp[:, None] * slices.tp[:, None], slices.ep[:, None]
    spread = (slices.tp > 1) | (slices.sequence_parallel == 0)
    return full & ((ep == 1) | (np.mod(ranks, ep) == 0)) & spread[:, None]


def _interleaved(job: Job, choices: Choices, pp: np.ndarray, micro_batches: np.ndarray) -> np.ndarray:
    """Whose interleaving works, (C, P, V): micro-batches in rounds of the stages (2104.04473), and no stage deeper than
    without.

    Layers need not divide: the first and last chunks take fewer (Llama 3 405B has 126 layers on 16 stages, 2407.21783).
    """
    v, layers, stages = np.asarray(choices.interleave, dtype=float), job.architecture.layers, pp[:, None]
    if len(v) == 1:  # given, not tried
        return np.ones((1, 1, 1), dtype=bool)
    deepest = v * np.ceil(layers / (stages * v))
    shallow = (stages > 1) & (stages * v <= layers) & (deepest <= np.ceil(layers / stages))
    rounds = np.mod(micro_batches, pp) == 0
    return (v == 1) | (shallow & rounds[:, :, None])


def _built(
    choices: Choices,
    slices: Slices,
    where: tuple[np.ndarray, ...],
    dp: np.ndarray,
    micro_batches: np.ndarray,
    *,
    fixed: bool,
) -> Layouts:
    """The pipelines at ``where`` (slice, stages, interleaving) in each strategy and with each recompute."""
    own, stage, chunk = where
    pp, dp, micro_batches = np.asarray(choices.pp, dtype=float)[stage], dp[own, stage], micro_batches[own, stage]
    strategies, recompute = (np.asarray(axis, dtype=float) for axis in (choices.strategy, choices.recompute))
    again = np.where(recompute == _FULL, len(choices.recomputed), 1)
    recompute = np.repeat(recompute, again)
    recomputed = np.concatenate([choices.recomputed if often > 1 else (1.0,) for often in again])
    sharding = (
        np.ones((len(own), len(strategies)), dtype=bool) if fixed else _sharding(choices, pp, dp * slices.cp[own])
    )
    row, kind = (np.repeat(index, len(recompute)) for index in np.nonzero(sharding))
    group = own // (len(choices.micro_batch) * len(choices.sequence_parallel or (0,)))  # slices of equal tp, cp and ep
    first, index = distinct(own)
    return layouts_of(
        slices.take(own[first]),
        index[row],
        placement=((group * len(choices.pp) + stage) * len(strategies))[row] + kind,
        pipeline=((own * len(choices.pp) + stage) * len(choices.interleave) + chunk)[row],
        pp=pp[row],
        dp=dp[row],
        interleave=np.asarray(choices.interleave, dtype=float)[chunk][row],
        strategy=strategies[kind],
        recompute=np.tile(recompute, len(row) // len(recompute)),
        recomputed=np.tile(recomputed, len(row) // len(recompute)),
        micro_batches=micro_batches[row],
        shard_within_node=np.full(len(row), float(choices.shard_within_node)),
    )


def _sharding(choices: Choices, pp: np.ndarray, ranks: np.ndarray) -> np.ndarray:
    """Which strategies are worth a look for each pipeline, (N, S): sharding where there is something to shard."""
    several = (ranks > 1)[:, None]
    fully = several & (choices.sharded_pipelines | (pp == 1))[:, None]
    strategy = np.asarray(choices.strategy)
    return np.where((strategy == FSDP) | (strategy == HSDP), fully, several | (strategy == DDP))


def cheapest_recompute(fits: np.ndarray, layouts: Layouts) -> np.ndarray:
    """Of layouts that differ in recompute alone, those that fit and repeat the least: repeating never saves time.

    With r seconds repeated per layer and micro-batch a step of m micro-batches takes m·r per layer longer, and each
    exchange of gradients has r more per layer to hide a share of at most one behind. So it can never win with one
    exchange per step (DDP, ZeRO-1) or one per micro-batch (ZeRO-2, FSDP), nor with HSDP's second one from two
    micro-batches on.
    """
    same = (layouts.pipeline[1:] == layouts.pipeline[:-1]) & (layouts.placement[1:] == layouts.placement[:-1])
    fitted_before = np.zeros(len(fits), dtype=bool)
    values = len(RECOMPUTE) + (len(PARTS) if layouts.recomputed.min(initial=1.0) < 1.0 else 0)
    for _ in range(values - 1):
        fitted_before[1:] = same & (fits[:-1] | fitted_before[:-1])
    return fits & ~fitted_before
