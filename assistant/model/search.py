"""Which layouts are worth a look: every feasible split of a job, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from math import prod

import numpy as np

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.questionnaire import Parallelism

from .architecture import Architecture
from .job import DDP, DUALPIPE, FSDP, HSDP, RECOMPUTE, STRATEGIES, ZERO1, ZERO2, Job
from .layout import Layouts, Slices, distinct, layouts_of
from .machine import Machine
from .memory import FRAGMENTATION
from .mixtures import recomputes_lightly

_FULL = RECOMPUTE.index("full")
LARGEST_MICRO_BATCH = 64  # sequences
# Tokens of a micro-batch on one rank below which no sequence is cut further: two tiles, which no GPU's units fill.
LEAST_TOKENS = 256
# Scale-up domains that tensor parallelism is tried across where each GPU has at least so many tokens a step; with
# fewer of them across all, there is hardly anything else to split.
TENSOR_DOMAINS, FEW_TOKENS = 4, 1024
_NARROWEST = 8  # tensor-parallel ranks that are tried whatever a domain holds
# Bytes of a micro-batch's activations from which on one all-reduce, with less to launch, never beat a gather and a
# scatter with less to read: inside a domain, and across, where a switch may add. Found by trying random jobs on nine
# GPUs and all fabrics, not derived.
LONG, LONG_ACROSS = 4e6, 64e6
# Stacks whose recipes recompute norms and activations of dense models alone. Of those on FSDP torchtitan does, while
# llm-foundry, Accelerate and DeepSpeed recompute whole layers: who has it says so.
SELECTIVE = ("megatron", "jax", None)
_OF_EXPERTS = frozenset({"ep", "etp"})  # said alone they leave the rest of a split open
PARTS = tuple(part / 8.0 for part in range(1, 9))  # of the layers, recomputed


@dataclass(frozen=True)
class Choices:
    """What is tried in each direction; layouts are their product, less what cannot run.

    ``sequence_parallel`` ``None``: wherever tp exceeds 1. ``sharded_pipelines``: FSDP and HSDP with several stages too.
    ``within``: strategies tried a second time, with their shards inside a scale-up domain. ``domain``: GPUs of one,
    where layouts that it makes the same as others, or slower, are left out. ``memory``: bytes of a GPU, where what can
    never fit is left out.
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
    # ranks that share an expert: 0 is one where experts are spread and all of tp where not, -1 all of tp
    etp: Sequence[int] = (0,)
    shard_within_node: bool = False
    sharded_pipelines: bool = False
    within: Sequence[int] = ()
    domain: int | None = None
    memory: float | None = None


def divisors(number: int, largest: int | None = None) -> list[int]:
    """All divisors of ``number`` up to ``largest``, ascending."""
    limit = largest or number
    small = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    return [d for d in sorted(set(small + [number // d for d in small])) if d <= limit]


def layouts_for(
    job: Job, machine: Machine, parallelism: Parallelism | None, *, roomy: bool = True, repeats: bool = True
) -> Layouts:
    """Layouts of a fixed split (micro-batch and recompute still free unless given), or all sensible ones; where nothing
    but the spread of the experts is given, all sensible ones with it.

    ``roomy``: without those that plainly never fit, if others are left. ``repeats``: each with every recompute, else
    with none. Raises :class:`InputError` when the job cannot be split at all.
    """
    alone = (
        parallelism is not None and bool(parallelism.model_fields_set) and parallelism.model_fields_set <= _OF_EXPERTS
    )
    fixed = parallelism is not None and not alone
    if parallelism is None:
        choices = _free(job, machine)
    else:
        choices = _with_experts(_free(job, machine), parallelism) if alone else _fixed(job, parallelism)
    choices = choices if repeats else replace(choices, recompute=(0,))
    found = layouts_among(job, replace(choices, memory=machine.memory)) if roomy and not fixed else None
    found = found or layouts_among(job, choices, fixed=fixed) or layouts_among(job, choices, fixed=fixed, strict=False)
    if not found:
        raise InputError(
            f"expected a global batch of at least the data-parallel ranks of some split of {job.gpus} GPUs, "
            f"got {job.global_batch}",
            Place(field="training.global_batch"),
        )
    return found


def _with_experts(choices: Choices, given: Parallelism) -> Choices:
    """The choices left where only the spread of the experts was said."""
    return replace(choices, ep=[given.ep], etp=choices.etp if given.etp is None else [given.etp])


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
        etp=[given.etp or 0],
        shard_within_node=given.shard_within_node,
    )


def _interleaves(job: Job, given: Parallelism | None = None, pipelines: Sequence[int] = ()) -> Sequence[int]:
    """Model chunks per stage that may be tried: as given, else what Megatron can do; DeepSpeed's pipelines have one.

    Where a split is given and says nothing of interleaving, Megatron or an unknown framework is taken to use it, but
    not beside DualPipe, whose stages are whole.
    """
    if given is not None and ("interleave" in given.model_fields_set or given.pp == 1):
        return [given.interleave]
    if given is None:
        return chunks(job.architecture.layers, pipelines) if job.framework != "deepspeed" else [1]
    tried = job.framework in ("megatron", None) and job.expert_overlap != DUALPIPE
    return chunks(job.architecture.layers, [given.pp]) if tried else [1]


def chunks(layers: int, pipelines: Sequence[int]) -> list[int]:
    """Model chunks into which the layers of a stage divide, down to one layer each (Nemotron-4 340B, 2402.16819, had
    stages of 12 layers in 12 chunks); one stage has none."""
    stages = [-(-layers // pp) for pp in pipelines if pp > 1]
    return sorted({1}.union(*(divisors(stage) for stage in stages)))


def _free(job: Job, machine: Machine) -> Choices:
    """All that a split may be fixed to, but for what can never be faster.

    ``async`` and ``diloco`` are not among it: they change what is learned, so nobody gets them unasked. FSDP's gathers
    for every micro-batch stay out of pipelines, where a split that says FSDP is taken as ZeRO-2 (2407.21783, 3.3.2).
    """
    a = job.architecture
    few = job.tokens < FEW_TOKENS * job.gpus
    widest = job.gpus if few else max(_NARROWEST, TENSOR_DOMAINS * machine.domain)
    tp, pp, cp = _degrees(a, job.gpus, widest, job.sequence_length)
    ep = [d for d in divisors(a.experts, min(job.gpus, 128)) if job.gpus % d == 0] if a.experts else [1]
    whole = job.adapters is not None and job.adapters.quantized
    if whole and job.global_batch >= fewest_ranks(a, job.gpus, job.sequence_length, whole=True):
        tp, pp = [1], [1]  # bitsandbytes and torchao multiply whole four-bit weights: no stack splits them
    apart = machine.domains > 1
    return Choices(
        tp=tp,
        cp=cp,
        ep=ep,
        micro_batch=_micro_batches(job),
        pp=pp,
        interleave=_interleaves(job, pipelines=pp),
        strategy=[DDP, ZERO1, ZERO2, FSDP] + ([HSDP] if apart else []),
        recompute=_recompute(job),
        recomputed=_recomputed(job),
        etp=(0, -1) if a.experts else (0,),
        sequence_parallel=(False, True),
        within=[ZERO1, ZERO2] if apart else [],
        domain=machine.domain,
    )


def _degrees(a: Architecture, gpus: int, widest: int, sequence: int) -> tuple[list[int], list[int], list[int]]:
    """Tensor-parallel ranks, stages and context-parallel ranks that a model can be cut into on so many GPUs."""
    tp = [d for d in divisors(gpus, widest) if a.heads % d == 0]
    cp = [d for d in divisors(gpus, max(1, sequence // 64)) if sequence % d == 0]
    return tp, divisors(gpus, a.layers), cp


def fewest_ranks(a: Architecture, gpus: int, sequence: int, *, stages: bool = True, whole: bool = False) -> int:
    """Data-parallel ranks of the widest split that :func:`layouts_for` tries on any GPU, without ``stages`` that of
    layers and sequences alone, of ``whole`` models that of sequences alone: no step can have fewer sequences."""
    tp, pp, cp = _degrees(a, gpus, _NARROWEST, sequence)
    tp, pp = ([1], [1]) if whole else (tp, pp)
    cut = [c for c in cp if c == 1 or sequence / c >= LEAST_TOKENS]
    return gpus // max(p for p in map(prod, product(tp, pp if stages else [1], cut)) if gpus % p == 0)


def _micro_batches(job: Job) -> Sequence[int]:
    """What divides the batch: a micro-batch that does not divides no rank's share of it either."""
    return [job.micro_batch] if job.micro_batch else divisors(job.global_batch, LARGEST_MICRO_BATCH)


def _recompute(job: Job) -> Sequence[int]:
    if job.recompute is not None:
        return [RECOMPUTE.index(job.recompute)]
    if job.saves("offload"):  # what is kept on the host is what full recompute starts from
        return [_FULL]
    # with flash attention no scores are kept that could be recomputed; other parts are, where the stack has a switch
    lightly = recomputes_lightly(job) and (job.architecture.moe_layers or job.framework in SELECTIVE)
    return [0, 1, 2] if job.attention == "unfused" or lightly else [0, 2]


def _recomputed(job: Job) -> Sequence[float]:
    """Shares of the layers that may be recomputed. Beside adapters activations are what decides whether a frozen model
    fits, so no more layers than must be (Megatron's ``recompute_num_layers``, torchtitan's every so many layers)."""
    return PARTS if job.adapters is not None and job.recompute is None else (1.0,)


def layouts_among(job: Job, choices: Choices, *, fixed: bool = False, strict: bool = True) -> Layouts | None:
    """Every layout among the choices that can run, recompute varying fastest; ``None`` where none can.

    ``strict`` also asks that the batch divides evenly among ranks and micro-batches. A split that is ``fixed`` is taken
    as it is, sensible or not. Slices and pipelines are ruled out before strategies and recompute multiply them.
    """
    slices, group, shares = _slices(choices)
    if not fixed:
        kept = np.flatnonzero(_worth(job, slices, shares, choices))
        slices, group = slices.take(kept), group[kept]
    pp, dp, micro_batches, can = _splits(job, slices, choices, strict=strict, fixed=fixed)
    own, stage = np.nonzero(can)
    dp, micro_batches = dp[own, stage], micro_batches[own, stage]
    split, chunk = np.nonzero(_interleaved(job, choices, pp[stage], micro_batches))
    if not len(split):
        return None
    where = own[split], stage[split], chunk
    return _built(choices, slices, group, where, dp[split], micro_batches[split], fixed=fixed)


def _slices(choices: Choices) -> tuple[Slices, np.ndarray, np.ndarray]:
    """``(the product of the slice's columns, sequence parallel varying fastest; a number equal where tp, cp, ep and etp
    are; where all of tp shares an expert)``."""
    given = choices.sequence_parallel
    axes = (choices.tp, choices.cp, choices.ep, choices.etp, choices.micro_batch, (0,) if given is None else given)
    grid = np.meshgrid(*(np.asarray(axis, dtype=float) for axis in axes), indexing="ij")
    tp, cp, ep, etp, micro_batch, parallel = (column.ravel() for column in grid)
    group = np.arange(len(tp)) // (len(axes[-1]) * len(axes[-2]))
    ranks = np.where(etp > 0, etp, np.where((etp < 0) | (ep == 1), tp, 1.0))
    parallel = (tp > 1).astype(float) if given is None else parallel
    return Slices(tp, cp, ep, ranks, micro_batch, parallel), group, etp < 0


def _splits(
    job: Job, slices: Slices, choices: Choices, *, strict: bool, fixed: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """``(pp, dp, micro-batches, which can run)`` of slices × stages, shapes (P,) and (C, P)."""
    tp, cp, size = slices.tp[:, None], slices.cp[:, None], slices.micro_batch[:, None]
    pp = np.asarray(choices.pp, dtype=float)
    exact = job.gpus / (tp * cp) / pp
    can = (exact >= 1.0) & (exact == np.floor(exact)) & (exact * size <= job.global_batch)
    if strict:
        can &= np.mod(job.global_batch, np.maximum(exact, 1.0) * size) == 0
    elif fixed:
        can |= (exact >= 1.0) & (exact <= job.global_batch)
    dp = np.maximum(np.floor(exact), 1.0)
    micro_batches = np.ceil(job.global_batch / (dp * size))
    if not fixed:
        ranks = dp * cp * tp
        can &= (slices.ep == 1)[:, None] | (np.mod(ranks, (slices.ep * slices.etp)[:, None]) == 0)
    if choices.memory is not None:
        can &= _least_bytes(job, slices, pp, dp, micro_batches) * (1.0 + FRAGMENTATION) <= choices.memory
    if len(choices.interleave) == 1:  # given, not tried: of what can run the micro-batches that come in rounds, if any
        rounds = can & (np.mod(micro_batches, pp) == 0)
        can = rounds if choices.interleave[0] > 1 and rounds.any() else can
    return pp, dp, micro_batches, can


def _least_bytes(job: Job, slices: Slices, pp: np.ndarray, dp: np.ndarray, micro_batches: np.ndarray) -> np.ndarray:
    """Bytes that a GPU of the first stage holds at least, whatever is sharded and recomputed, (C, P): its layers'
    inputs, its share of the gradients and of Adam's states, and the weights, which no split of several stages shards.
    """
    a, tp, own = job.architecture, slices.tp[:, None], (slices.ep * slices.etp)[:, None]
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    inputs = tokens * job.activation_bytes * a.hidden / np.where(slices.sequence_parallel > 0, slices.tp, 1.0)
    inputs = inputs * (not job.saves("offload"))
    shared = (a.shared_layer_params + a.expert_layer_params) / (tp * dp * slices.cp[:, None])
    whole = a.shared_layer_params / tp + a.expert_layer_params / own
    weight, state = job.weight_bytes, 12.0 if job.precision == "fp32" else 14.0 if job.master_weights else 6.0
    alone = weight * (job.precision == "fp32" or not job.master_weights)  # master weights are FSDP's only ones
    if job.adapters is not None:
        weight, state, alone = job.adapters.base_bytes, 0.0, job.adapters.base_bytes
    held = np.where(pp > 1, whole * weight + shared * state, shared * (state + alone))
    return np.floor(a.layers / pp) * (inputs[:, None] * np.minimum(micro_batches, pp) + held)


def _worth(job: Job, slices: Slices, shares: np.ndarray, choices: Choices) -> np.ndarray:
    """Slices that a search need not drop, (C,): sequences split only where tp splits layers, and an expert shared
    where there are no more of them to spread, and once."""
    found = (slices.tp > 1) | (slices.sequence_parallel == 0)
    if len(choices.etp) > 1:
        found &= ~shares | ((slices.ep == max(choices.ep)) & (slices.tp > 1) & (slices.ep > 1))
    return found & ~_slower(job, slices, choices.domain) if choices.domain is not None else found


def _slower(job: Job, slices: Slices, domain: int) -> np.ndarray:
    """Slices that another one beats whatever the network, (C,).

    Sequences that are cut and then put side by side again: half the cuts with half as many sequences at a time on twice
    the ranks have the same tokens, products, shards and micro-batches, and fewer keys and values to send. Sequences cut
    to pieces that fill no GPU. Tensor-parallel ranks that do not share the sequence, where the collective is long: they
    read and write more and send as much.
    """
    tokens = slices.micro_batch * job.sequence_length / slices.cp
    again = (np.mod(slices.cp, 2.0) == 0.0) & (np.mod(slices.micro_batch, 2.0) == 0.0) & (job.micro_batch is None)
    bytes_ = tokens * job.architecture.hidden * job.activation_bytes
    long = bytes_ > np.where(slices.tp > domain, LONG_ACROSS, LONG)
    whole = (slices.tp > 1) & (slices.sequence_parallel == 0) & long
    return again | ((slices.cp > 1) & (tokens < LEAST_TOKENS)) | whole


def _interleaved(job: Job, choices: Choices, pp: np.ndarray, micro_batches: np.ndarray) -> np.ndarray:
    """Whose interleaving works, (N, V): micro-batches in rounds of the stages (2104.04473), and no stage deeper than
    without. A single one was given and is taken as it is.

    Layers need not divide: the first and last chunks take fewer, and of the embedding and the head each may be a chunk
    of its own (Llama 3 405B: 126 layers in 16 × 8 chunks, 2407.21783, 3.3.2).
    """
    v, layers, stages = np.asarray(choices.interleave, dtype=float), job.architecture.layers, pp[:, None]
    if len(v) == 1:
        return np.ones((len(pp), 1), dtype=bool)
    deepest = v * np.ceil(layers / (stages * v))
    shallow = (stages > 1) & (stages * v <= layers + 2) & (deepest <= np.ceil(layers / stages))
    return (v == 1) | (shallow & (np.mod(micro_batches, pp) == 0)[:, None])


def _built(
    choices: Choices,
    slices: Slices,
    group: np.ndarray,
    where: tuple[np.ndarray, ...],
    dp: np.ndarray,
    micro_batches: np.ndarray,
    *,
    fixed: bool,
) -> Layouts:
    """The pipelines at ``where`` (slice, stages, interleaving) in each strategy and with each recompute."""
    own, stage, chunk = where
    pp = np.asarray(choices.pp, dtype=float)[stage]
    strategies = np.asarray([*choices.strategy, *choices.within], dtype=float)
    # ZeRO-1 and ZeRO-2, next to each other, share among the same ranks
    places = np.arange(len(strategies)) - np.append(False, (strategies[1:] == ZERO2) & (strategies[:-1] == ZERO1))
    inside = np.asarray([choices.shard_within_node] * len(choices.strategy) + [True] * len(choices.within), dtype=float)
    recompute, recomputed = _repeats(choices.recompute, choices.recomputed)
    sharding = (
        np.ones((len(own), len(strategies)), dtype=bool)
        if fixed
        else _sharding(choices, pp, dp * slices.cp[own], slices.tp[own])
    )
    row, kind = (np.repeat(index, len(recompute)) for index in np.nonzero(sharding))
    first, index = distinct(own)
    return layouts_of(
        slices.take(own[first]),
        index[row],
        placement=((group[own] * len(choices.pp) + stage) * len(strategies))[row] + places[kind],
        pipeline=((own * len(choices.pp) + stage) * len(choices.interleave) + chunk)[row],
        pp=pp[row],
        dp=dp[row],
        interleave=np.asarray(choices.interleave, dtype=float)[chunk][row],
        strategy=strategies[kind],
        recompute=np.tile(recompute, len(row) // len(recompute)),
        recomputed=np.tile(recomputed, len(row) // len(recompute)),
        micro_batches=micro_batches[row],
        shard_within_node=inside[kind],
    )


def _sharding(choices: Choices, pp: np.ndarray, ranks: np.ndarray, tp: np.ndarray) -> np.ndarray:
    """Which strategies are worth a look for each pipeline, (N, S): sharding where there is something to shard, inside a
    domain where there is something outside."""
    several = (ranks > 1)[:, None]
    fully = several & (choices.sharded_pipelines | (pp == 1))[:, None]
    strategy = np.asarray([*choices.strategy, *choices.within])
    found = np.where((strategy == FSDP) | (strategy == HSDP), fully, several | (strategy == DDP))
    if choices.domain is None:
        return found
    inside = (strategy == HSDP) | (np.arange(len(strategy)) >= len(choices.strategy))
    return found & (~inside | (ranks * tp > choices.domain)[:, None])


def _repeats(recompute: Sequence[int], recomputed: Sequence[float]) -> tuple[np.ndarray, np.ndarray]:
    """``(what is recomputed, of which share of the layers)`` of each way to recompute, from none on, (V,)."""
    ways = [(kind, part) for kind in recompute for part in (recomputed if kind == _FULL else (1.0,))]
    return tuple(np.array(ways, dtype=float).T)


def with_every_recompute(job: Job, layouts: Layouts) -> Layouts:
    """Layouts without recompute with every way to recompute that is tried, from the one that repeats least on: these
    two columns get the shape (V, 1), which makes V rows of what depends on them."""
    recompute, recomputed = _repeats(_recompute(job), _recomputed(job))
    return replace(layouts, recompute=recompute[:, None], recomputed=recomputed[:, None])


def cheapest_recompute(layouts: Layouts, fits: np.ndarray) -> Layouts:
    """Of layouts :func:`with_every_recompute` those that fit some way, each with the way that repeats least, as
    repeating never saves time. ``fits``: (V, L).

    With r seconds repeated per layer and micro-batch a step of m micro-batches takes m·r per layer longer, and each
    exchange of gradients has r more per layer to hide a share of at most one behind. So it can never win with one
    exchange per step (DDP, ZeRO-1) or one per micro-batch (ZeRO-2, FSDP), nor with HSDP's second one from two
    micro-batches on.
    """
    able = np.flatnonzero(fits.any(0))
    way = fits[:, able].argmax(0)
    recompute, recomputed = layouts.recompute[way, 0], layouts.recomputed[way, 0]
    whole = replace(layouts, recompute=layouts.pp, recomputed=layouts.pp).rows(able)
    return replace(whole, recompute=recompute, recomputed=recomputed)


def needless_zero2(layouts: Layouts) -> np.ndarray:
    """Of layouts that all fit, those that scatter gradients after each micro-batch, as ZeRO-2 does, though the one
    before, ZeRO-1 with all else the same, needs to once a step. In an interleaved pipeline each round of scatters has a
    whole round's compute to hide behind, so there ZeRO-2 may be the faster one."""
    same = (layouts.strategy[1:] == ZERO2) & (layouts.strategy[:-1] == ZERO1) & (layouts.interleave[1:] == 1)
    for column in (layouts.pipeline, layouts.shard_within_node, layouts.recompute, layouts.recomputed):
        same &= column[1:] == column[:-1]
    return np.append(np.zeros(min(len(layouts), 1), dtype=bool), same)
