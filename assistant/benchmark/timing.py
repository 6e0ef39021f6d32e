"""Times one thing, once or several times."""

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def own_process(arguments: list[str], **environment: str) -> str:
    """What one process of this interpreter prints that finds the program as this one did; its error is ours."""
    place = {**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry), **environment}
    run = [sys.executable, *arguments]
    ended = subprocess.run(run, check=True, capture_output=True, stdin=subprocess.DEVNULL, env=place, timeout=600)
    return ended.stdout.decode()


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
