"""How much network a described job needs per node: the least bandwidth over which a step is hardly longer than over the most."""

from __future__ import annotations

import datetime

from assistant.library import Library
from assistant.planning.resolve import Assumptions
from assistant.present.figures import seconds, significant
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.plan import Prediction

from . import jobs
from .asked import Asked
from .network_verdicts import NOTICED, longer
from .result import computed, figure
from .situation import Situation, model_of, nics, situation

_TRIED = ("ethernet-tcp-25", "ethernet-tcp-100", "roce-v2-100", "roce-v2-200", "roce-v2-400", "roce-v2-800")
_SLOWEST_RDMA = 200e9 / 8  # bytes per second


def bandwidth(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """Gb/s per node of the slowest network tried that is enough, beside what each of them costs in time."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    if named is None or not jobs.is_training(asked):
        return None
    at = situation(asked, catalog, Assumptions())
    if at.domains == 1:
        return None
    fastest = max(at.gpu.usual_nic_line_rate.si, _SLOWEST_RDMA)  # what a node's slots carry
    on = [fabric for fabric in (catalog.fabrics[name] for name in _TRIED) if fabric.line_rate.si <= fastest]
    made = sorted(zip(on, jobs.predictions(asked, catalog, on, taken), strict=True), key=lambda pair: _of_node(pair[0], asked, at))
    fitting = [pair for pair in made if pair[1].fits]
    if not fitting:
        return None
    best = min(one.step_time_s for _, one in fitting)
    enough, found = next(pair for pair in fitting if pair[1].step_time_s <= (1 + NOTICED) * best)
    text = (f"{named[0]} on {at.where} needs about {_called(enough, asked, at)}: a step takes {seconds(found.step_time_s)}, "
            f"{longer(found.step_time_s / best)} than the fastest tried. {_each(fitting, best, asked, at)}")
    return computed("bandwidth", asked, text, _figures(enough, fitting, asked, at), jobs.inputs(asked, named[0], on), taken,
                    f"{jobs.caveat([one for _, one in made])} What counts as enough: at most {NOTICED:.0%} longer than on the fastest; each "
                    "network at the job's best split over it.")


def _of_node(fabric: Fabric, asked: Asked, at: Situation) -> float:
    """Gb/s of all adapters of a node."""
    return fabric.line_rate.si * 8 / 1e9 * nics(fabric, asked, at, Assumptions())


def _called(fabric: Fabric, asked: Asked, at: Situation) -> str:
    """``800 Gb/s per node (8 × RoCE v2 100 Gb/s)``."""
    return f"{significant(_of_node(fabric, asked, at))} Gb/s per node ({nics(fabric, asked, at, Assumptions())} × {fabric.name})"


def _each(made: list[tuple[Fabric, Prediction]], best: float, asked: Asked, at: Situation) -> str:
    told = [f"{significant(_of_node(fabric, asked, at))} Gb/s {'without RDMA ' if fabric.technology == 'tcp' else ''}"
            f"{longer(one.step_time_s / best)}" for fabric, one in made]
    return f"Per node: {', '.join(told)}."


def _figures(enough: Fabric, made: list[tuple[Fabric, Prediction]], asked: Asked, at: Situation) -> list:
    count = nics(enough, asked, at, Assumptions())
    return [figure("bandwidth per node", _of_node(enough, asked, at), "Gb/s", f"{count} × {enough.name}, the slowest tried that is enough"),
            *(one for fabric, found in made for one in jobs.step_figures(fabric, found)[:1])]
