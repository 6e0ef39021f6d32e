"""Configurations per second of the search behind a plan: as arrays against one configuration at a time."""

from __future__ import annotations

import numpy as np

from assistant.library import Library
from assistant.model import Job, Machine, Networks, architecture_of, machine_of
from assistant.model.layout import Layouts
from assistant.model.search import layouts_for
from assistant.model.training import fastest, fits_in
from assistant.vocabulary.benchmark import Measurement

from .peers import SEARCHES
from .plans import FABRICS, twelve
from .timing import timed

GPUS = 1024
_ALONE = 50  # configurations that are worked out one at a time
_SINGLY = "one configuration at a time"


def measure(library: Library, repeats: int) -> list[Measurement]:
    """GPT-3 175B on 1,024 A100: every sensible layout is made, those that fit are timed on each fabric, the best is
    kept.

    Only what was timed counts as a configuration; the seconds hold the layouts that did not fit too.
    """
    catalog = library.catalog
    gpu = catalog.gpus["a100-sxm-80gb"]
    machine = machine_of(gpu, catalog.scale_ups[gpu.scale_up], GPUS, gpu.gpus_per_node, catalog.constants)
    job = Job(architecture_of(catalog.models["gpt-3-175b"]), GPUS, sequence_length=2048, global_batch=3072)
    fabrics = twelve(catalog, machine)
    layouts = fitting(job, machine)
    single = [layouts.take(np.array([index])) for index in np.linspace(0, len(layouts) - 1, _ALONE).astype(int)]
    columns, first = Networks(fabrics), Networks(fabrics[:1])
    return [
        Measurement(
            part="search",
            what=_SINGLY,
            work=_ALONE,
            of="configurations",
            values=timed(lambda: [_alone(job, machine, first, one) for one in single], repeats),
        ),
        *(
            Measurement(
                part="search",
                what=what,
                work=len(on) * len(layouts),
                of="configurations",
                against=_SINGLY,
                peers=peers,
                values=timed(lambda on=on: fastest(job, machine, on, fitting(job, machine)), repeats),
            )
            for what, on, peers in (
                ("one fabric, all layouts as arrays", first, []),
                (f"{FABRICS} fabrics, all layouts as arrays", columns, SEARCHES),
            )
        ),
    ]


def fitting(job: Job, machine: Machine) -> Layouts:
    """The layouts that fit into memory, of every recompute."""
    layouts = layouts_for(job, machine, None)
    return layouts.take(np.flatnonzero(fits_in(job, machine, layouts)))


def _alone(job: Job, machine: Machine, network: Networks, layout: Layouts) -> object:
    return fits_in(job, machine, layout), fastest(job, machine, network, layout)
