"""Fewer GPUs than were asked for: where nobody lets all of them, and where all of them are slower than some."""

from __future__ import annotations

from collections.abc import Iterable

from .entry import Entry
from .resolve import Resolved

_MOST_SIZES = 8  # tried, the largest first


def sizes_faster(job: Resolved, entries: Iterable[Entry]) -> list[int]:
    """Fewer GPUs that may be done sooner, the most first: halves, and powers of two. Nothing where no deadline is
    missed, where the work grows with the GPUs, and where their number was fixed by what else was said."""
    asked = job.questionnaire
    fixed = asked.parallelism != "auto" or (asked.rl is not None and asked.rl.rollout_gpus is not None)
    if (
        asked.latest_days is None
        or job.tokens is None
        or job.serves
        or job.sites > 1
        or fixed
        or not _late(job, entries)
    ):
        return []
    below = {job.gpus >> power for power in range(1, _MOST_SIZES)}
    below |= {1 << max(job.gpus.bit_length() - power, 0) for power in range(1, _MOST_SIZES)}
    whole = {size // job.gpus_per_node * job.gpus_per_node for size in below}
    return sorted((size for size in whole if 0 < size < job.gpus), reverse=True)[:_MOST_SIZES]


def quickest(entries: Iterable[Entry]) -> float:
    """Hours of the run on the fastest network that can be had."""
    return min((e.median_hours for e in entries if e.usable and e.run_hours is not None), default=float("inf"))


def _late(job: Resolved, entries: Iterable[Entry]) -> bool:
    """Whether every network that the job can run on misses the deadline."""
    able = [e for e in entries if e.usable and e.run_hours is not None]
    return bool(able) and all(e.days > (job.questionnaire.latest_days or 0.0) for e in able)
