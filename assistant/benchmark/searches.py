"""Configurations per second of the search behind a plan: as arrays against one configuration at a time."""

import numpy as np

from assistant.library import Library
from assistant.model import Job, Machine, Networks
from assistant.model.layout import Layouts
from assistant.model.quickest import fastest, fits_in
from assistant.model.search import layouts_for
from assistant.vocabulary.benchmark import Measurement

from .peers import SEARCHES
from .plans import FABRICS, between_nodes, large_job
from .timing import timed

_ALONE = 50  # configurations that are worked out one at a time
_SINGLY = "one configuration at a time"


def measure(library: Library, repeats: int) -> list[Measurement]:
    """GPT-3 175B on 1,024 A100: every sensible layout is made, those that fit are timed on each fabric, the best is
    kept.

    Only what was timed counts as a configuration; the seconds hold the layouts that did not fit too.
    """
    job, machine = large_job(library.catalog)
    fabrics = between_nodes(library.catalog, machine)[:FABRICS]
    layouts = fitting(job, machine)
    single = [layouts.take(np.array([index])) for index in np.linspace(0, len(layouts) - 1, _ALONE).astype(int)]
    columns, first = Networks(fabrics), Networks(fabrics[:1])
    seconds = timed(lambda: [_alone(job, machine, first, one) for one in single], repeats)
    found = [Measurement(part="search", what=_SINGLY, work=_ALONE, of="configurations", values=seconds)]
    for name, on, peers in (("one fabric", first, []), (f"{FABRICS} fabrics", columns, SEARCHES)):
        seconds = timed(lambda on=on: fastest(job, machine, on, fitting(job, machine)), repeats)
        work = {"work": len(on) * len(layouts), "of": "configurations", "against": _SINGLY, "peers": peers}
        found.append(Measurement(part="search", what=f"{name}, all layouts as arrays", values=seconds, **work))
    return found


def fitting(job: Job, machine: Machine) -> Layouts:
    """The layouts that fit into memory, of every recompute."""
    layouts = layouts_for(job, machine, None)
    return layouts.take(np.flatnonzero(fits_in(job, machine, layouts)))


def _alone(job: Job, machine: Machine, network: Networks, layout: Layouts) -> object:
    return fits_in(job, machine, layout), fastest(job, machine, network, layout)
