"""How much network a described job needs per node: the least bandwidth over which a step is hardly longer than over the
most."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from assistant.present.figures import seconds, significant
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.plan import Prediction

from . import jobs
from .case import Case, Cluster
from .network_verdicts import NOTICED, longer

_TRIED = ("ethernet-tcp-25", "ethernet-tcp-100", "roce-v2-100", "roce-v2-200", "roce-v2-400", "roce-v2-800")
_WITH_FEWER, _ADAPTERS = "roce-v2-100", (1, 2, 4)  # fewer adapters than a node usually has
_SLOWEST_RDMA = 200e9 / 8  # bytes per second
_ENOUGH = (
    f"What counts as enough: at most {NOTICED:.0%} longer than on the fastest; each network at the job's best "
    "split over it."
)


@dataclass(frozen=True)
class _Tried:
    """A network with so many adapters in a node, and the job over it."""

    fabric: Fabric
    adapters: int
    found: Prediction

    @property
    def gbps(self) -> float:
        """Gb/s of all adapters of a node."""
        return self.fabric.nic_rate * 8 / 1e9 * self.adapters


def bandwidth(case: Case) -> Computed | None:
    """Gb/s per node of the slowest network tried that is enough, beside what each of them costs in time."""
    at = case.bare()
    if not case.trains or at.domains == 1:
        return None
    made = sorted(_tried(case, at), key=lambda one: one.gbps)
    fitting = [one for one in made if one.found.fits]
    if not fitting:
        return None
    best = min(one.found.step_time_s for one in fitting)
    enough = next(one for one in fitting if one.found.step_time_s <= (1 + NOTICED) * best)
    least = f"{enough.adapters} × {enough.fabric.name}"
    case.figure("bandwidth per node", enough.gbps, "Gb/s", f"{least}, the slowest tried that is enough")
    for one in fitting:
        jobs.step_figure(case, one.fabric, one.found)
    text = (
        f"{case.name} on {at.where} needs about {significant(enough.gbps)} Gb/s per node ({least}): a step takes "
        f"{seconds(enough.found.step_time_s)}, {_against(enough.found.step_time_s / best)}. "
        f"Per node: {', '.join(_each(one, best) for one in fitting)}."
    )
    on = list({one.fabric.id: one.fabric for one in made}.values())
    return case.answer(text, f"{jobs.caveat([one.found for one in made])} {_ENOUGH}", **case.job_inputs(on))


def _tried(case: Case, at: Cluster) -> Iterator[_Tried]:
    """Every network of :data:`_TRIED` up to the GPU's usual speed, one of them with fewer adapters too."""
    fastest = max(at.gpu.usual_nic_line_rate.si, _SLOWEST_RDMA)
    for fabric in (case.catalog.fabrics[name] for name in _TRIED):
        if fabric.nic_rate > fastest:
            continue
        usual = case.again().nics(fabric, at)
        yield _Tried(fabric, usual, case.predicted([fabric])[0])
        fewer = _ADAPTERS if fabric.id == _WITH_FEWER and "cluster.nics_per_node" not in case.fields else ()
        for count in (count for count in fewer if count < usual):
            yield _Tried(fabric, count, case.again(cluster__nics_per_node=count).predicted([fabric])[0])


def _against(factor: float) -> str:
    told = longer(factor)
    return "the same as over the fastest tried" if told == "the same" else f"{told} than over the fastest tried"


def _each(one: _Tried, best: float) -> str:
    plain = "without RDMA " if one.fabric.technology == "tcp" else ""
    return f"{significant(one.gbps)} Gb/s {plain}{longer(one.found.step_time_s / best)}"
