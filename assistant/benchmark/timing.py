"""Times one thing several times."""

from __future__ import annotations

import time
from collections.abc import Callable


def timed(run: Callable[[], object], repeats: int, *, warm: int = 1) -> list[float]:
    """Seconds of each of ``repeats`` runs, after ``warm`` runs that do not count (caches, imports)."""
    for _ in range(warm):
        run()
    return [_once(run) for _ in range(repeats)]


def _once(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began
