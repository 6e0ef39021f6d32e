"""Which of two networks is slower for a described job and by how much, and whether it needs InfiniBand or RDMA at all."""

from __future__ import annotations

import datetime
from typing import Any

from assistant.library import Library
from assistant.planning.resolve import Assumptions
from assistant.present.figures import layout, seconds, significant
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Catalog, Fabric
from assistant.vocabulary.plan import Prediction

from . import jobs
from .asked import Asked
from .network_verdicts import NOTICED, Compared, longer, verdict
from .polarity import Polarity, names_network, polarity_of
from .result import computed, figure
from .situation import USUAL_NODES, Situation, fabrics, gpu_of, model_of, situation

# Where nothing crosses a network none is needed, and any is enough.
_YES_INSIDE = {
    Polarity.NEEDED: "No: ",
    Polarity.WORTH: "No: ",
    Polarity.TOO_LITTLE: "No: ",
    Polarity.ENOUGH: "Yes: ",
    Polarity.LEFT_OUT: "Yes: ",
}
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
    figures = [
        figure(
            f"{slow[0].id} ÷ {fast[0].id}",
            factor,
            "times",
            f"{seconds(slow[1].step_time_s)} ÷ {seconds(fast[1].step_time_s)} per step",
        ),
        *(one for fabric, found in (slow, fast) for one in jobs.step_figures(fabric, found)[:1]),
    ]
    text = (
        f"{named[0]} on {at.where}: over {slow[0].name} a step takes {seconds(slow[1].step_time_s)} "
        f"({jobs.spread(slow[1])}), over {fast[0].name} "
        f"{seconds(fast[1].step_time_s)} ({jobs.spread(fast[1])}): {longer(factor)}. {_at(asked, taken, [slow, fast])}"
        f"{jobs.unfit(made)}"
    )
    return computed("slowdown", asked, text, figures, jobs.inputs(asked, named[0], on), taken, jobs.caveat(made))


def need(asked: Asked, library: Library, today: datetime.date | None) -> Computed | None:
    """Whether the job needs InfiniBand, or RDMA, or does on the network named: the step's length over TCP, RoCE and InfiniBand."""
    named, taken, catalog = model_of(asked, library.catalog), Assumptions(), library.catalog
    if named is None:
        return None
    if not jobs.is_training(asked):
        return _serving(asked, named[0], catalog, taken)
    asked = asked.with_size(USUAL_NODES * gpu_of(asked, catalog, Assumptions()).gpus_per_node, taken)
    at = situation(asked, catalog, Assumptions())
    if at.domains == 1:
        return _inside(asked, named[0], at, catalog, taken)
    about = fabrics(asked, catalog, taken, at.gpu) if names_network(asked) else []
    on = _with_named(about or fabrics(asked, catalog, Assumptions(), at.gpu), catalog)
    made = sorted(
        zip(on, jobs.predictions(asked, catalog, on, taken), strict=True),
        key=lambda pair: (pair[1].fits, -pair[1].step_time_s),
    )
    best = made[-1][1].step_time_s
    factors = {fabric.id: one.step_time_s / best for fabric, one in made}
    figures = [
        figure(
            f"{fabric.id} ÷ {made[-1][0].id}",
            factors[fabric.id],
            "times",
            f"{seconds(one.step_time_s)} ÷ {seconds(best)} per step",
        )
        for fabric, one in made[:-1]
    ]
    figures += [one for fabric, found in made for one in jobs.step_figures(fabric, found)[:1]]
    told = ", ".join(
        f"over {fabric.name} {seconds(one.step_time_s)}"
        f"{f' ({longer(factors[fabric.id])})' if fabric != made[-1][0] else ''}"
        for fabric, one in reversed(made)
    )
    size = " (how many was not said)" if any(one.field == "cluster.gpus" for one in taken.taken) else ""
    text = (
        f"{verdict(asked, about, Compared(made))} {named[0]} on {at.where}{size}, one step: {told}. {_at(asked, taken, made)}"
        f"{_unfit(made)}"
    )
    caveat = f"{jobs.caveat([one for _, one in made])} What counts as no need: at most {NOTICED:.0%} longer than on the fastest."
    return computed("need", asked, text, figures, jobs.inputs(asked, named[0], on), taken, caveat)


def _unfit(made: list[tuple[Fabric, Prediction]]) -> str:
    """Where the job fits on some networks only; that it fits on none is the verdict."""
    out = [fabric.name for fabric, one in made if not one.fits]
    return f" It does not fit in memory as split over {' and '.join(out)}." if 0 < len(out) < len(made) else ""


def _serving(asked: Asked, model: str, catalog: Catalog, taken: Assumptions) -> Computed | None:
    """Serving is judged where it stays inside one node; what it takes over several depends on how the copies are cut."""
    if asked.fields.get("workload") == "disaggregated-inference" or "cluster.gpus" not in asked.fields:
        return None
    at = situation(asked, catalog, Assumptions())
    return _inside(asked, model, at, catalog, taken) if at.domains == 1 else None


def _inside(asked: Asked, model: str, at: Situation, catalog: Catalog, taken: Assumptions) -> Computed:
    """One node or rack: no network is crossed, whatever its kind, if the job fits there."""
    [made] = jobs.predictions(asked, catalog, [catalog.fabrics["none"]], taken)
    crossed = f"{model} on {at.where} crosses no network; the GPUs exchange everything over their own link"
    if made.fits:
        text = f"{_YES_INSIDE.get(polarity_of(asked.text), '')}{crossed}."
    else:
        text = (
            f"It does not fit: {'training' if jobs.is_training(asked) else 'serving'} {model} on {at.where} takes {significant(made.memory_gb_per_gpu)} GB per GPU "
            f"at {layout(made.parallelism)}, each has {significant(at.gpu.memory.si / 1e9)} GB. On more nodes ask again, "
            f"with their number: inside this {at.unit} no network is crossed."
        )
    figures = [
        figure(f"{at.unit}s", at.domains, at.unit, f"{at.gpus} GPUs in {at.unit}s of {at.machine.domain}"),
        figure("memory", made.memory_gb_per_gpu, "GB per GPU", f"on the fullest GPU at {layout(made.parallelism)}"),
    ]
    return computed(
        "need",
        asked,
        text,
        figures,
        jobs.inputs(asked, model, []),
        taken,
        "That holds as long as the job stays inside; storage and users still come over some network.",
    )


def _with_named(named: list[Fabric], catalog: Catalog) -> list[Fabric]:
    """TCP, RoCE and InfiniBand, each as named where one is."""
    found = []
    for name in _COMPARED:
        usual = catalog.fabrics[name]
        found.append(next((one for one in named if one.technology == usual.technology), usual))
    return [*found, *(one for one in named if one not in found)]


def _at(asked: Asked, taken: Assumptions, made: list[tuple[Fabric, Prediction]]) -> str:
    """What the comparison stands or falls with: sequences and tokens per step, and how the job is split."""
    known: dict[str, Any] = {one.field: one.value for one in taken.taken} | dict(asked.fields)
    batch, length = known.get("training.global_batch"), known.get("training.sequence_length")
    sizes = f"{batch} sequences of {length} tokens per step" if batch and length else "the batch assumed below"
    splits = {layout(one.parallelism): fabric.name for fabric, one in made}
    how = (
        next(iter(splits)) if len(splits) == 1 else "; ".join(f"{split} over {name}" for split, name in splits.items())
    )
    return f"That holds for {sizes}, split {how}; smaller batches wait more."


def _pair(named: list[Fabric], asked: Asked, catalog: Catalog, taken: Assumptions) -> list[Fabric]:
    """The two networks compared; to one alone comes plain TCP or InfiniBand."""
    if len(named) >= 2:
        return named[:2]
    other = "infiniband-ndr-400" if named[0].transport == "tcp" else "ethernet-tcp-100"
    taken.take("cluster.fabric", other, "what it is compared with was not said")
    return [named[0], catalog.fabrics[other]]
