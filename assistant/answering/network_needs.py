"""Which of two networks is slower for a described job and by how much, and whether it needs InfiniBand or RDMA at all."""

from __future__ import annotations

import datetime
import re
from typing import Any

from assistant.library import Library
from assistant.planning.resolve import Assumptions
from assistant.present.figures import layout, percent, seconds, significant
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Catalog, Fabric
from assistant.vocabulary.plan import Prediction

from . import jobs
from .asked import Asked
from .result import computed, figure
from .situation import Situation, fabrics, model_of, situation

_NOTICED = 0.05  # of the step: less than the model's own error, and less than any surcharge for a faster network
_SAME = 1.005
_ABOUT_RDMA = re.compile(r"\brdma\b")
_COMPARED = ("ethernet-tcp-100", "roce-v2-400", "infiniband-ndr-400")


def slowdown(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """How much longer a step takes on one network than on another, each at its own best split unless that is said."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    at = situation(asked, catalog, Assumptions())
    if named is None or not jobs.is_training(asked) or at.domains == 1:
        return None
    on = _pair(fabrics(asked, catalog, taken, at.gpu), asked, catalog, taken)
    made = jobs.predictions(asked, catalog, on, taken)
    slow, fast = sorted(zip(on, made, strict=True), key=lambda pair: -pair[1].step_time_s)
    factor = slow[1].step_time_s / fast[1].step_time_s
    figures = [figure(f"{slow[0].id} ÷ {fast[0].id}", factor, "times",
                      f"{seconds(slow[1].step_time_s)} ÷ {seconds(fast[1].step_time_s)} per step"),
               *(one for fabric, found in (slow, fast) for one in jobs.step_figures(fabric, found)[:1])]
    text = (f"{named[0]} on {at.where}: over {slow[0].name} a step takes {seconds(slow[1].step_time_s)} "
            f"({jobs.spread(slow[1])}), over {fast[0].name} "
            f"{seconds(fast[1].step_time_s)} ({jobs.spread(fast[1])}): {_longer(factor)}. {_at(asked, taken, [slow, fast])}"
            f"{jobs.unfit(made)}")
    return computed("slowdown", asked, text, figures, jobs.inputs(asked, named[0], on), taken, jobs.caveat(made))


def need(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """Whether the job needs InfiniBand, or RDMA, or does on the network named: the step's length over TCP, RoCE and InfiniBand."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    at = situation(asked, catalog, Assumptions())
    if named is None or not jobs.is_training(asked):
        return None
    if at.domains == 1:
        return _inside(asked, named[0], at, taken)
    on = _with_named(fabrics(asked, catalog, Assumptions(), at.gpu), catalog)
    made = sorted(zip(on, jobs.predictions(asked, catalog, on, taken), strict=True), key=lambda pair: -pair[1].step_time_s)
    best = made[-1][1].step_time_s
    factors = {fabric.id: one.step_time_s / best for fabric, one in made}
    figures = [figure(f"{fabric.id} ÷ {made[-1][0].id}", factors[fabric.id], "times",
                      f"{seconds(one.step_time_s)} ÷ {seconds(best)} per step") for fabric, one in made[:-1]]
    figures += [one for fabric, found in made for one in jobs.step_figures(fabric, found)[:1]]
    told = ", ".join(f"over {fabric.name} {seconds(one.step_time_s)}"
                     f"{f' ({_longer(factors[fabric.id])})' if fabric != made[-1][0] else ''}" for fabric, one in reversed(made))
    text = (f"{_verdict(asked, made, factors)} {named[0]} on {at.where}, one step: {told}. {_at(asked, taken, made)}"
            f"{jobs.unfit([one for _, one in made])}")
    caveat = f"{jobs.caveat([one for _, one in made])} What counts as no need: at most {_NOTICED:.0%} longer than on the fastest."
    return computed("need", asked, text, figures, jobs.inputs(asked, named[0], on), taken, caveat)


def _inside(asked: Asked, model: str, at: Situation, taken: Assumptions) -> Computed:
    """One node or rack: no network is crossed, whatever its kind."""
    text = f"No: {model} on {at.where} crosses no network; the GPUs exchange everything over their own link."
    one = figure(f"{at.unit}s", at.domains, at.unit, f"{at.gpus} GPUs in {at.unit}s of {at.machine.domain}")
    return computed("need", asked, text, [one], jobs.inputs(asked, model, []), taken,
                    "That holds as long as the job stays inside; storage and users still come over some network.")


def _verdict(asked: Asked, made: list[tuple[Fabric, Prediction]], factors: dict[str, float]) -> str:
    """Yes or no, to what was asked: InfiniBand, RDMA, or whether the plain network named is enough."""
    enough = {fabric.id: factors[fabric.id] <= 1 + _NOTICED for fabric, _ in made}
    plain = next(fabric for fabric, _ in made if fabric.technology == "tcp")
    other = next((fabric for fabric, _ in reversed(made) if fabric.technology not in ("tcp", "infiniband")
                  and enough[fabric.id]), None)
    if asked.fabrics and all(fabric.technology == "tcp" for fabric, _ in made if fabric.id in asked.fabrics):
        return f"Yes, {plain.name} is enough." if enough[plain.id] else (
            f"No, {plain.name} is not enough; {other.name} is." if other else f"No, {plain.name} is not enough.")
    if enough[plain.id]:
        return f"No: even {plain.name} costs hardly any time here."
    if asked.has(_ABOUT_RDMA):
        return f"Yes: without RDMA, over {plain.name}, the job waits for the network."
    if asked.fabrics and asked.fabrics[0].startswith("roce"):
        return "RDMA yes, and RoCE v2 is enough." if other else "RoCE v2 is not enough."
    return (f"No: RDMA is needed, InfiniBand is not; {other.name} does as well." if other
            else "Yes: every other network here makes the step noticeably longer.")


def _with_named(named: list[Fabric], catalog: Catalog) -> list[Fabric]:
    """TCP, RoCE and InfiniBand, each as named where one is."""
    found = []
    for name in _COMPARED:
        usual = catalog.fabrics[name]
        found.append(next((one for one in named if one.technology == usual.technology), usual))
    return [*found, *(one for one in named if one not in found)]


def _longer(factor: float) -> str:
    if factor < _SAME:
        return "the same"
    return f"{percent(100 * (factor - 1))} longer" if factor < 2 else f"{significant(factor)} times as long"


def _at(asked: Asked, taken: Assumptions, made: list[tuple[Fabric, Prediction]]) -> str:
    """What the comparison stands or falls with: sequences and tokens per step, and how the job is split."""
    known: dict[str, Any] = {one.field: one.value for one in taken.taken} | dict(asked.fields)
    batch, length = known.get("training.global_batch"), known.get("training.sequence_length")
    sizes = f"{batch} sequences of {length} tokens per step" if batch and length else "the batch assumed below"
    splits = {layout(one.parallelism): fabric.name for fabric, one in made}
    how = next(iter(splits)) if len(splits) == 1 else "; ".join(f"{split} over {name}" for split, name in splits.items())
    return f"That holds for {sizes}, split {how}; smaller batches wait more."


def _pair(named: list[Fabric], asked: Asked, catalog: Catalog, taken: Assumptions) -> list[Fabric]:
    """The two networks compared; to one alone comes plain TCP or InfiniBand."""
    if len(named) >= 2:
        return named[:2]
    other = "infiniband-ndr-400" if named[0].transport == "tcp" else "ethernet-tcp-100"
    taken.take("cluster.fabric", other, "what it is compared with was not said")
    return [named[0], catalog.fabrics[other]]
