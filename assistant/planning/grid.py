"""Numbers of GPUs worth trying: whole nodes in numbers that split well."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

MOST_GPUS = 200_000  # more than any cluster; what needs more is no job
_STEPS = (8, 10, 12, 14)  # sizes tried in every doubling, in eighths of the smaller


def round_sizes(least: float, node: int) -> Iterator[int]:
    """Sizes from ``least`` up: parts of a node, then whole nodes, four sizes to every doubling."""
    yield from (n for n in (1, 2, 4) if least <= n < node)
    small = [n * node for n in range(1, 8)]
    large = (step * 2**power * node for power in range(40) for step in _STEPS)
    yield from (gpus for gpus in (*small, *takewhile(lambda gpus: gpus <= MOST_GPUS, large)) if gpus >= least)
