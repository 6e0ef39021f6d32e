"""The fastest layout that fits into memory, on each of several networks.

A job may be split in ten thousand ways. What a layer of each takes and what its stages send, without the exchange of
gradients, is a bound for all that share gradients and state one way or another; so once a few layouts are timed, most
others need not be.
"""

from __future__ import annotations

import numpy as np

from assistant.vocabulary.questionnaire import Parallelism

from .exchange import is_fully_sharded
from .framework import Framework
from .job import Job
from .layout import Layouts, joined
from .machine import Machine
from .memory import memory_of
from .network import Networks
from .search import cheapest_recompute, layouts_for, needless_zero2, with_every_recompute
from .step import least_times, step_times

# layouts × networks worked out at once: a column of 256 KiB, of which a handful fit into a core's second cache
PIECE = 32768
# Layouts × networks from which on it takes less time to bound them first; and of these, what is timed to have
# something to compare with: one in so many, and so many of the lowest bounds of each network. Tried, not derived.
MANY, SAMPLED, LOWEST = 40_000, 32, 8
# A bound is compared with so much to spare for the last bits of its sum.
ROUNDING = 1e-9


def searched(
    job: Job, machine: Machine, networks: Networks, parallelism: Parallelism | None = None
) -> tuple[Layouts, np.ndarray, bool]:
    """``(the fastest layout of each network or one for all, its seconds per step (F,), whether it fits)``.

    Where nothing fits it is the least unfit layout. Raises :class:`InputError` when the job cannot be split over its
    GPUs.
    """
    layouts = layouts_for(job, machine, parallelism, repeats=False)
    if len(layouts) * len(networks) > MANY and (chosen := _bounded(job, machine, networks, layouts)):
        return *chosen, True
    layouts, fits = fitting(job, machine, parallelism, layouts)
    best, seconds = fastest(job, machine, networks, layouts)
    return layouts.take(best[:1] if (best == best[0]).all() else best), seconds, fits


def _bounded(job: Job, machine: Machine, networks: Networks, layouts: Layouts) -> tuple[Layouts, np.ndarray] | None:
    """The fastest of layouts without recompute and their seconds, without timing those that cannot be; ``None`` where
    none fits of those that would have told.

    Networks on which few layouts are left are searched by themselves.
    """
    left = _promising(job, machine, networks, layouts)
    if left is None:
        return None
    few = (left.sum(1) * 3 < left.sum(1).max()) & (left.any(0).sum() * len(networks) > PIECE // 2)
    parts, times = [], np.empty(len(networks))
    groups = [np.flatnonzero(group) for group in (few, ~few) if group.any()]
    for group in groups:
        some = _able(job, machine, layouts.rows(np.flatnonzero(left[group].any(0))))
        assert some is not None  # what was timed is among them
        best, times[group] = fastest(job, machine, networks.some(group), some)
        parts.append(some.take(best))
    return joined(parts).take(np.argsort(np.concatenate(groups))), times


def _promising(job: Job, machine: Machine, networks: Networks, layouts: Layouts) -> np.ndarray | None:
    """Which layouts without recompute may be the fastest, (F, L); ``None`` where none fits of those that are timed to
    tell."""
    fully = is_fully_sharded(layouts)
    new = np.append(True, (layouts.pipeline[1:] != layouts.pipeline[:-1]) | (fully[1:] != fully[:-1]))
    kind = np.cumsum(new) - 1
    bound = least_times(job, machine, networks, layouts.rows(np.flatnonzero(new)))
    tried = np.arange(bound.shape[1]) % SAMPLED == 0
    tried[np.argpartition(bound, LOWEST, axis=1)[:, :LOWEST]] = True
    some = _able(job, machine, layouts.rows(np.flatnonzero(tried[kind])))
    if some is None:
        return None
    _, seconds = fastest(job, machine, networks, some)
    return np.take(bound <= seconds[:, None] * (1.0 + ROUNDING), kind, axis=1)


def fitting(
    job: Job, machine: Machine, parallelism: Parallelism | None = None, layouts: Layouts | None = None
) -> tuple[Layouts, bool]:
    """``(the layouts that fit, True)``, of those that differ in recompute only the one that repeats least; else ``(the
    least unfit one, False)``. ``layouts``: those there are, without recompute. Raises :class:`InputError` when the job
    cannot be split over its GPUs."""
    layouts = layouts or layouts_for(job, machine, parallelism, repeats=False)
    if found := _able(job, machine, layouts):
        return found, True
    roomy = parallelism is not None
    every, needed = _needed(job, machine, layouts_for(job, machine, parallelism, roomy=roomy, repeats=False))
    layout, way = np.unravel_index(np.argmin(needed.T), needed.T.shape)
    return cheapest_recompute(every, needed == needed[way, layout]).take(slice(0, 1)), False


def _able(job: Job, machine: Machine, layouts: Layouts) -> Layouts | None:
    """Those of layouts without recompute that fit, with the least of it."""
    every, needed = _needed(job, machine, layouts)
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
