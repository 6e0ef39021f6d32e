"""The fastest layout that fits into memory, on each of several networks.

A job may be split in ten thousand ways. What a layer of each takes and what its stages send, without the exchange of
gradients, is a bound for all that share gradients and state one way or another; so once a few layouts are timed, most
others need not be.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from assistant.vocabulary.questionnaire import Parallelism

from .exchange import is_fully_sharded
from .framework import Framework
from .job import Job
from .layout import Layouts, joined
from .machine import Machine
from .memory import least_bytes, memory_of
from .network import Networks
from .search import cheapest_recompute, layouts_for, needless_zero2, with_every_recompute
from .step import least_times, step_times

# layouts × networks worked out at once: a column of 256 KiB, of which a handful fit into a core's second cache
PIECE = 32768
# Layouts × networks from which on it takes less time to bound them first. Of these are timed at once, to have something
# to compare the others with, one in so many and of each network those of the lowest bounds: so many, or one in sixteen.
# Tried, not derived.
MANY, SAMPLED, LOWEST, SIXTEENTH = 40_000, 32, 192, 16
_WIDER = ("ddp", "zero1", "zero2", "fsdp")  # each spreads what the one before it does, and more
# A bound is compared with so much to spare for the last bits of its sum.
ROUNDING = 1e-9


def searched(
    job: Job, machine: Machine, networks: Networks, parallelism: Parallelism | None = None, *, timed: bool = True
) -> tuple[Layouts, np.ndarray, bool]:
    """``(the fastest layout of each network or one for all, its seconds per step (F,), whether it fits)``.

    Where nothing fits it is the least unfit layout. Without ``timed`` a single layout is not timed, and the seconds are
    not a number. Raises :class:`InputError` when the job cannot be split over its
    GPUs.
    """
    layouts = layouts_for(job, machine, parallelism, repeats=False)
    if len(layouts) * len(networks) > MANY and (chosen := _bounded(job, machine, networks, layouts)):
        return *chosen, True
    layouts, fits = fitting(job, machine, parallelism, layouts)
    if len(layouts) == 1 and not timed:
        return layouts, np.full(len(networks), np.nan), fits
    best, seconds = fastest(job, machine, networks, layouts)
    return layouts.take(best[:1] if (best == best[0]).all() else best), seconds, fits


def _bounded(job: Job, machine: Machine, networks: Networks, layouts: Layouts) -> tuple[Layouts, np.ndarray] | None:
    """The fastest of layouts without recompute and their seconds, without timing those that cannot be; ``None`` where
    none fits of those that would have told."""
    fully = is_fully_sharded(layouts)
    new = np.append(True, (layouts.pipeline[1:] != layouts.pipeline[:-1]) | (fully[1:] != fully[:-1]))
    kind = np.cumsum(new) - 1
    bound = least_times(job, machine, networks, layouts.rows(np.flatnonzero(new)))
    tried = np.arange(bound.shape[1]) % SAMPLED == 0
    lowest = min(max(LOWEST, bound.shape[1] // SIXTEENTH), bound.shape[1] - 1)
    tried[np.argpartition(bound, lowest, axis=1)[:, :lowest]] = True
    found = _timed(job, machine, networks, layouts.rows(np.flatnonzero(tried[kind])))
    if found is None:
        return None
    chosen, seconds = found
    left = (bound <= seconds[:, None] * (1.0 + ROUNDING)) & ~tried
    late = np.flatnonzero(left.any(1))
    rest = layouts.rows(np.flatnonzero(left.any(0)[kind])) if len(late) else None
    if rest is None or (others := _timed(job, machine, networks.some(late), rest)) is None:
        return chosen, seconds
    index, better = np.arange(len(networks)), others[1] < seconds[late]
    index[late[better]] = len(networks) + np.flatnonzero(better)
    seconds[late] = np.minimum(seconds[late], others[1])
    return joined([chosen, others[0]]).take(index), seconds


def _timed(job: Job, machine: Machine, networks: Networks, layouts: Layouts) -> tuple[Layouts, np.ndarray] | None:
    """Of layouts without recompute the fastest that fits on each network, and its seconds; ``None`` where none fits."""
    some = _able(job, machine, layouts)
    if some is None:
        return None
    best, seconds = fastest(job, machine, networks, some)
    return some.take(best), seconds


def fitting(
    job: Job, machine: Machine, parallelism: Parallelism | None = None, layouts: Layouts | None = None
) -> tuple[Layouts, bool]:
    """``(the layouts that fit, True)``, of those that differ in recompute only the one that repeats least; else ``(the
    least unfit one, False)``. ``layouts``: those there are, without recompute. A split that is given may do without the
    margin for fragmentation, which none that is chosen does. Raises :class:`InputError` when the job cannot be split
    over its GPUs."""
    layouts = layouts or layouts_for(job, machine, parallelism, repeats=False)
    if found := _able(job, machine, layouts):
        return found, True
    for split in _spread_wider(job, parallelism):
        if found := _able(job, machine, layouts_for(job, machine, split, repeats=False)):
            return found, True
    if parallelism is not None and (found := _able(job, machine, layouts, spare=False)):
        return found, True
    roomy = parallelism is not None
    every, needed = _needed(job, machine, layouts_for(job, machine, parallelism, roomy=roomy, repeats=False))
    layout, way = np.unravel_index(np.argmin(needed.T), needed.T.shape)
    return cheapest_recompute(every, needed == needed[way, layout]).take(slice(0, 1)), False


def _spread_wider(job: Job, given: Parallelism | None) -> Iterator[Parallelism]:
    """The split with its states spread over more ranks (ZeRO, 1910.02054), as far as nobody said who keeps them; stages
    of a pipeline keep the weights they gathered until the step ends."""
    if given is None or not job.sharding_open or given.strategy not in _WIDER:
        return
    for strategy in _WIDER[_WIDER.index(given.strategy) + 1 :]:
        if strategy != "fsdp" or given.pp == 1:
            yield given.model_copy(update={"strategy": strategy})


def _able(job: Job, machine: Machine, layouts: Layouts, *, spare: bool = True) -> Layouts | None:
    """Those of layouts without recompute that fit, with the least of it; with room to ``spare`` or without."""
    if spare:
        every, needed = _needed(job, machine, layouts)
    else:
        every = with_every_recompute(job, layouts)
        needed = least_bytes(job, machine, machine.framework(job.framework), every)
    fits = needed <= machine.memory
    if not fits.any():
        return None
    found = cheapest_recompute(every, fits)
    return found.take(np.flatnonzero(~needless_zero2(found)))


def _needed(job: Job, machine: Machine, layouts: Layouts) -> tuple[Layouts, np.ndarray]:
    """The layouts with every recompute, and their bytes, (V, L), with the margin for fragmentation."""
    every = with_every_recompute(job, layouts)
    return every, memory_of(job, machine, machine.framework(job.framework), every).total


def fits_in(job: Job, machine: Machine, layouts: Layouts) -> np.ndarray:
    """Which layouts fit into a GPU's memory, (L,), in pieces like :func:`fastest`."""
    framework, starts = machine.framework(job.framework), range(0, len(layouts), PIECE)
    return np.concatenate(
        [
            memory_of(job, machine, framework, layouts.rows(slice(at, at + PIECE))).total <= machine.memory
            for at in starts
        ]
    )


def fastest(
    job: Job, machine: Machine, networks: Networks, layouts: Layouts, framework: Framework | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """``(the first of the fastest layouts, its seconds per step)`` of each network, (F,).

    Layouts are taken in pieces whose columns stay in a core's cache.
    """
    best, least = np.zeros(len(networks), dtype=int), np.full(len(networks), np.inf)
    size = max(PIECE // len(networks), 1)
    for start in range(0, len(layouts), size):
        piece = layouts if size >= len(layouts) else layouts.take(slice(start, start + size))
        total = step_times(job, machine, networks, piece, framework)
        own = np.argmin(total, axis=1)
        seconds = np.broadcast_to(np.take_along_axis(total, own[:, None], axis=1)[:, 0], least.shape)
        best = np.where(seconds < least, start + own, best)
        least = np.minimum(least, seconds)
    return best, least
