"""How much network a described job needs per node: the least bandwidth over which a step is hardly longer than over the most."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, replace

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
_WITH_FEWER, _ADAPTERS = "roce-v2-100", (1, 2, 4)  # fewer adapters than a node usually has
_SLOWEST_RDMA = 200e9 / 8  # bytes per second


@dataclass(frozen=True)
class _Tried:
    """A network with so many adapters in a node, and the job over it."""

    fabric: Fabric
    adapters: int
    found: Prediction

    @property
    def gbps(self) -> float:
        """Gb/s of all adapters of a node."""
        return self.fabric.line_rate.si * 8 / 1e9 * self.adapters


def bandwidth(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """Gb/s per node of the slowest network tried that is enough, beside what each of them costs in time."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    if named is None or not jobs.is_training(asked):
        return None
    at = situation(asked, catalog, Assumptions())
    if at.domains == 1:
        return None
    made = sorted(_tried(asked, library, at, taken), key=lambda one: one.gbps)
    fitting = [one for one in made if one.found.fits]
    if not fitting:
        return None
    best = min(one.found.step_time_s for one in fitting)
    enough = next(one for one in fitting if one.found.step_time_s <= (1 + NOTICED) * best)
    text = (
        f"{named[0]} on {at.where} needs about {significant(enough.gbps)} Gb/s per node ({enough.adapters} × {enough.fabric.name}): a step takes "
        f"{seconds(enough.found.step_time_s)}, {_against(enough.found.step_time_s / best)}. Per node: {', '.join(_each(one, best) for one in fitting)}."
    )
    return computed(
        "bandwidth",
        asked,
        text,
        _figures(enough, fitting),
        jobs.inputs(asked, named[0], list({one.fabric.id: one.fabric for one in made}.values())),
        taken,
        f"{jobs.caveat([one.found for one in made])} What counts as enough: at most {NOTICED:.0%} longer than on the fastest; each "
        "network at the job's best split over it.",
    )


def _tried(asked: Asked, library: Library, at: Situation, taken: Assumptions) -> Iterator[_Tried]:
    """The networks up to what a node's slots carry; the slowest with RDMA with fewer adapters too, unless their number was said."""
    catalog, fastest = library.catalog, max(at.gpu.usual_nic_line_rate.si, _SLOWEST_RDMA)
    for fabric in (catalog.fabrics[name] for name in _TRIED):
        if fabric.line_rate.si > fastest:
            continue
        usual = nics(fabric, asked, at, Assumptions())
        yield _Tried(fabric, usual, jobs.predictions(asked, catalog, [fabric], taken)[0])
        fewer = _ADAPTERS if fabric.id == _WITH_FEWER and "cluster.nics_per_node" not in asked.fields else ()
        for count in (count for count in fewer if count < usual):
            so_many = replace(asked, fields={**asked.fields, "cluster.nics_per_node": count})
            yield _Tried(fabric, count, jobs.predictions(so_many, catalog, [fabric], Assumptions())[0])


def _against(factor: float) -> str:
    told = longer(factor)
    return "the same as over the fastest tried" if told == "the same" else f"{told} than over the fastest tried"


def _each(one: _Tried, best: float) -> str:
    plain = "without RDMA " if one.fabric.technology == "tcp" else ""
    return f"{significant(one.gbps)} Gb/s {plain}{longer(one.found.step_time_s / best)}"


def _figures(enough: _Tried, made: list[_Tried]) -> list:
    return [
        figure(
            "bandwidth per node",
            enough.gbps,
            "Gb/s",
            f"{enough.adapters} × {enough.fabric.name}, the slowest tried that is enough",
        ),
        *(told for one in made for told in jobs.step_figures(one.fabric, one.found)[:1]),
    ]
