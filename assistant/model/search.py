"""Which layouts are worth a look: every feasible split of a job, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from assistant.vocabulary.errors import InputError, Place
from assistant.vocabulary.questionnaire import Parallelism

from .job import DDP, FSDP, HSDP, RECOMPUTE, STRATEGIES, ZERO1, Job
from .layout import Layouts, Slices, layouts_of
from .machine import Machine

MICRO_BATCHES = (1, 2, 4, 8, 16)
LARGEST_PIPELINE = 64
INTERLEAVES = (1, 2, 4, 8)
_SLICE = ("tp", "cp", "ep", "micro_batch")
_REST = ("pp", "interleave", "strategy", "recompute")


def divisors(number: int, largest: int | None = None) -> list[int]:
    """All divisors of ``number`` up to ``largest``, ascending."""
    limit = largest or number
    small = [d for d in range(1, int(number**0.5) + 1) if number % d == 0]
    return [d for d in sorted(set(small + [number // d for d in small])) if d <= limit]


def layouts_for(job: Job, machine: Machine, parallelism: Parallelism | None) -> Layouts:
    """Layouts of a fixed split (micro-batch and recompute still free unless given), or all sensible ones.

    Raises :class:`InputError` when the job cannot be split at all.
    """
    choices = _fixed(job, parallelism) if parallelism is not None else _free(job, machine)
    columns = _grid(choices)
    keep = _feasible(job, columns, strict=True, fixed=parallelism is not None)
    if not keep.any():
        keep = _feasible(job, columns, strict=False, fixed=parallelism is not None)
    if not keep.any():
        raise InputError(f"expected a global batch of at least the data-parallel ranks of some split of {job.gpus} GPUs, "
                         f"got {job.global_batch}", Place(field="training.global_batch"))
    return _built(job, columns, keep, choices, parallelism)


def _fixed(job: Job, given: Parallelism) -> dict[str, Sequence[int]]:
    ranks = job.gpus // (given.tp * given.pp * given.cp)
    if job.global_batch < ranks:
        raise InputError(f"expected a global batch of at least the {ranks} data-parallel ranks, got {job.global_batch}",
                         Place(field="training.global_batch"))
    return {"tp": [given.tp], "cp": [given.cp], "ep": [given.ep], "micro_batch": _micro_batches(job), "pp": [given.pp],
            "interleave": _interleaves(job, given), "strategy": [STRATEGIES.index(given.strategy)], "recompute": _recompute(job)}


def _interleaves(job: Job, given: Parallelism | None = None) -> Sequence[int]:
    """Model chunks per stage that may be tried: as given, else what Megatron can do; DeepSpeed's pipelines have one.

    Where a split is given and says nothing of interleaving, Megatron or an unknown framework is taken to use it.
    """
    if given is not None and ("interleave" in given.model_fields_set or given.pp == 1):
        return [given.interleave]
    tried = job.framework in ("megatron", None) if given is not None else job.framework != "deepspeed"
    return INTERLEAVES if tried else [1]


def _free(job: Job, machine: Machine) -> dict[str, Sequence[int]]:
    a = job.architecture
    tp = [d for d in divisors(job.gpus, machine.domain) if a.heads % d == 0]
    pp = [d for d in divisors(job.gpus, min(a.layers, LARGEST_PIPELINE))]
    cp = [d for d in divisors(job.gpus, max(1, job.sequence_length // 8192)) if d & (d - 1) == 0]
    ep = [d for d in divisors(a.experts, min(job.gpus, 128)) if job.gpus % d == 0] if a.experts else [1]
    strategies = [DDP, ZERO1, FSDP] + ([HSDP] if machine.domains > 1 else [])
    return {"tp": tp, "cp": cp, "ep": ep, "micro_batch": _micro_batches(job), "pp": pp, "interleave": _interleaves(job),
            "strategy": strategies, "recompute": _recompute(job)}


def _micro_batches(job: Job) -> Sequence[int]:
    return [job.micro_batch] if job.micro_batch else [size for size in MICRO_BATCHES if size <= job.global_batch]


def _recompute(job: Job) -> Sequence[int]:
    if job.recompute is not None:
        return [RECOMPUTE.index(job.recompute)]
    return [0, 2] if job.attention == "flash" else [0, 1, 2]  # with flash attention no scores are kept that could be recomputed


def _grid(choices: dict[str, Sequence[int]]) -> dict[str, np.ndarray]:
    """Every combination: columns of equal length, recompute varying fastest, and the index of each one's slice."""
    names = _SLICE + _REST
    lengths = [len(choices[name]) for name in names]
    total = int(np.prod(lengths))
    index = np.arange(total)
    columns: dict[str, np.ndarray] = {}
    for name, length in zip(reversed(names), reversed(lengths), strict=True):
        columns[name] = np.asarray(choices[name], dtype=float)[index % length]
        index = index // length
    columns["slice_index"] = np.arange(total) // int(np.prod(lengths[len(_SLICE):]))
    return columns


def _feasible(job: Job, c: dict[str, np.ndarray], *, strict: bool, fixed: bool) -> np.ndarray:
    """Which rows can run. ``strict`` also asks that the batch divides evenly among ranks and micro-batches."""
    dp = job.gpus / (c["tp"] * c["pp"] * c["cp"])
    whole = (dp >= 1.0) & (dp == np.floor(dp)) & (dp * c["micro_batch"] <= job.global_batch)
    if strict:
        whole &= np.mod(job.global_batch, np.maximum(dp, 1.0) * c["micro_batch"]) == 0
    elif fixed:
        whole |= (dp >= 1.0) & (dp <= job.global_batch)
    c["dp"] = np.maximum(np.floor(dp), 1.0)
    c["micro_batches"] = np.ceil(job.global_batch / (c["dp"] * c["micro_batch"]))
    whole &= _interleaved(job, c)
    return whole if fixed else whole & _sensible(job, c)


def _interleaved(job: Job, c: dict[str, np.ndarray]) -> np.ndarray:
    """Rows whose interleaving works: micro-batches in rounds of the stages (2104.04473), and no stage deeper than without.

    Layers need not divide: the first and last chunks take fewer (Llama 3 405B has 126 layers on 16 stages, 2407.21783).
    """
    v, layers = c["interleave"], job.architecture.layers
    if (v == v[0]).all():  # given, not tried
        return np.ones(len(v), dtype=bool)
    deepest = v * np.ceil(layers / (c["pp"] * v))
    rounds = np.mod(c["micro_batches"], c["pp"]) == 0
    return (v == 1) | ((c["pp"] > 1) & (c["pp"] * v <= layers) & (deepest <= np.ceil(layers / c["pp"])) & rounds)


def _sensible(job: Job, c: dict[str, np.ndarray]) -> np.ndarray:
    """Rows a search need not drop: full pipelines, sharding where there is something to shard."""
    a = job.architecture
    ranks = c["dp"] * c["cp"]
    pipeline = (c["pp"] == 1) | (np.ceil(a.layers / c["pp"]) * (c["pp"] - 1) < a.layers)
    fully = (c["strategy"] == FSDP) | (c["strategy"] == HSDP)
    sharding = np.where(fully, (c["pp"] == 1) & (ranks > 1), (c["strategy"] == DDP) | (ranks > 1))
    experts = (c["ep"] == 1) | (np.mod(ranks * c["tp"], c["ep"]) == 0)
    return pipeline & sharding & experts


def _built(job: Job, c: dict[str, np.ndarray], keep: np.ndarray, choices: dict[str, Sequence[int]],
           given: Parallelism | None) -> Layouts:
    rows = np.array(list(product(*(choices[name] for name in _SLICE))), dtype=float)
    parallel = rows[:, 0] > 1 if given is None else np.full(len(rows), given.sequence_parallel)
    slices = Slices(rows[:, 0], rows[:, 1], rows[:, 2], rows[:, 3], parallel.astype(float))
    kept = {name: c[name][keep] for name in (*_REST, "dp", "micro_batches", "slice_index")}
    within = np.full(len(kept["pp"]), float(given.shard_within_node) if given is not None else 0.0)
    index = kept.pop("slice_index")
    return layouts_of(slices, index, shard_within_node=within, **kept)


def cheapest_recompute(fits: np.ndarray, layouts: Layouts) -> np.ndarray:
    """Of layouts that differ in recompute alone, those that fit and repeat the least: repeating never saves time."""
    first = np.ones(len(fits), dtype=bool)
    same = np.ones(max(len(fits) - 1, 0), dtype=bool)
    for column in (layouts.slice_index, layouts.pp, layouts.interleave, layouts.strategy):
        same &= column[1:] == column[:-1]
    fitted_before = np.zeros(len(fits), dtype=bool)
    for _ in range(2):  # recompute has at most three values
        fitted_before[1:] = same & (fits[:-1] | fitted_before[:-1])
    first &= fits & ~fitted_before
    return first

