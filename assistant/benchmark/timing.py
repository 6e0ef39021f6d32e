"""Times one thing, once or several times."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def timed(run: Callable[[], object], repeats: int, *, warm: int = 1) -> list[float]:
    """Seconds of each of ``repeats`` runs, after ``warm`` runs that do not count (caches, imports)."""
    for _ in range(warm):
        run()
    return [once(run)[0] for _ in range(repeats)]


def once(run: Callable[[], Result]) -> tuple[float, Result]:
    """Seconds of one run, and what it found."""
    began = time.perf_counter()
    found = run()
    return time.perf_counter() - began, found
