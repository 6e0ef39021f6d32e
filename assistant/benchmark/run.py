"""Runs the parts of the benchmark and says on what machine."""

import os
import platform
from collections.abc import Callable, Sequence

import assistant
from assistant.library import Library
from assistant.vocabulary.benchmark import Benchmark, Measurement

from . import batches, kinds, plans, screen, searches, space, startup

PARTS: dict[str, Callable[[Library, int], list[Measurement]]] = {
    "startup": startup.measure,
    "plan": plans.measure,
    "search": searches.measure,
    "batch": batches.measure,
    "kinds": kinds.measure,
    "space": space.measure,
    "screen": screen.measure,
}


def benchmark(
    library: Library, parts: Sequence[str], repeats: int, done: Callable[[], None] = lambda: None
) -> Benchmark:
    """Every measurement of these parts, each taken ``repeats`` times; ``done`` hears of each part."""
    load, measured = _load(), []
    for part in parts:
        measured += PARTS[part](library, repeats)
        done()
    return Benchmark(
        weft=assistant.__version__,
        python=platform.python_version(),
        machine=f"{platform.system()} {platform.machine()}",
        processors=os.cpu_count() or 1,
        load=load,
        measurements=measured,
    )


def _load() -> float | None:
    try:
        return round(os.getloadavg()[0], 1)
    except (AttributeError, OSError):
        return None
