"""Configurations per second: whole search spaces as arrays against one configuration at a time."""

from __future__ import annotations

import numpy as np

from assistant.library import Library
from assistant.model import Job, Networks, architecture_of, machine_of
from assistant.model.layout import Layouts
from assistant.model.search import layouts_for
from assistant.model.step import steps
from assistant.vocabulary.benchmark import Measurement

from .plans import FABRICS, twelve
from .timing import timed

GPUS = 1024
_ALONE = 50  # configurations that are worked out one at a time
_SINGLY = "one configuration at a time"


def measure(library: Library, repeats: int) -> list[Measurement]:
    """Step times of GPT-3 175B on 1,024 A100 in every sensible layout on each of twelve fabrics."""
    catalog = library.catalog
    gpu = catalog.gpus["a100-sxm-80gb"]
    machine = machine_of(gpu, catalog.scale_ups[gpu.scale_up], GPUS, gpu.gpus_per_node, catalog.constants)
    job = Job(architecture_of(catalog.models["gpt-3-175b"]), GPUS, sequence_length=2048, global_batch=3072)
    fabrics = twelve(catalog, machine)
    layouts = layouts_for(job, machine, None)
    single = [_one(layouts, index) for index in np.linspace(0, len(layouts) - 1, _ALONE).astype(int)]
    columns, first = Networks(fabrics), Networks(fabrics[:1])
    return [
        Measurement(part="search", what=_SINGLY, work=_ALONE, of="configurations",
                    values=timed(lambda: [steps(job, machine, first, one) for one in single], repeats)),
        Measurement(part="search", what="one fabric, all layouts as arrays", work=len(layouts), of="configurations",
                    against=_SINGLY, values=timed(lambda: steps(job, machine, first, layouts), repeats)),
        Measurement(part="search", what=f"{FABRICS} fabrics, all layouts as arrays", work=FABRICS * len(layouts),
                    of="configurations", against=_SINGLY, values=timed(lambda: steps(job, machine, columns, layouts), repeats))]


def _one(layouts: Layouts, index: int) -> Layouts:
    """One layout as a search space of its own, its slice included."""
    return layouts.take(np.array([index]))
