"""Which of two networks is slower for a described job and by how much, and whether it needs InfiniBand or RDMA at
all."""

from __future__ import annotations

from typing import Any

from assistant.present.figures import layout, seconds, significant
from assistant.vocabulary.answers import Computed
from assistant.vocabulary.catalog import Catalog, Fabric

from . import jobs
from .case import Case, Cluster
from .network_verdicts import NOTICED, Compared, Made, longer, verdict

# Where nothing crosses a network none is needed, and any is enough.
_YES_INSIDE = {"needed": "No: ", "worth": "No: ", "too-little": "No: ", "enough": "Yes: ", "left-out": "Yes: "}
_COMPARED = ("ethernet-tcp-100", "roce-v2-400", "infiniband-ndr-400")
_NO_NEED = f"What counts as no need: at most {NOTICED:.0%} longer than on the fastest."
_STAYS_INSIDE = "That holds as long as the job stays inside; storage and users still come over some network."


def slowdown(case: Case) -> Computed | None:
    """How much longer a step takes on one network than on another, each at its own best split unless that is said."""
    at = case.bare()
    if not case.trains or at.domains == 1:
        return None
    on = _pair(case.networks(), case)
    made = case.predicted(on)
    slow, fast = sorted(zip(on, made, strict=True), key=lambda pair: -pair[1].step_time_s)
    factor = slow[1].step_time_s / fast[1].step_time_s
    times = [seconds(one.step_time_s) for _, one in (slow, fast)]
    case.figure(f"{slow[0].id} ÷ {fast[0].id}", factor, "times", f"{times[0]} ÷ {times[1]} per step")
    for fabric, one in (slow, fast):
        jobs.step_figure(case, fabric, one)
    text = (
        f"{case.name} on {at.where}: over {slow[0].name} a step takes {times[0]} ({jobs.spread(slow[1])}), over "
        f"{fast[0].name} {times[1]} ({jobs.spread(fast[1])}): {longer(factor)}. "
        f"{_at(case, [slow, fast])}{jobs.unfit(made)}"
    )
    return case.answer(text, jobs.caveat(made), **case.job_inputs(on))


def need(case: Case) -> Computed | None:
    """Whether the job needs InfiniBand, or RDMA, or does on the network named: the step's length over TCP, RoCE and
    InfiniBand."""
    if case.model is None:
        return None
    if not case.trains:
        return _serving(case)
    case.assume_size()
    at = case.bare()
    if at.domains == 1:
        return _inside(case, at)
    about = case.networks() if case.names_network else []
    on = _with_named(about or case.again().networks(), case.catalog)
    pairs = zip(on, case.predicted(on), strict=True)
    made = sorted(pairs, key=lambda pair: (pair[1].fits, -pair[1].step_time_s))
    found = Compared(made)
    best, fastest = found.best.step_time_s, made[-1][0]
    for fabric, one in made[:-1]:
        steps = f"{seconds(one.step_time_s)} ÷ {seconds(best)} per step"
        case.figure(f"{fabric.id} ÷ {fastest.id}", found.factor(fabric), "times", steps)
    for fabric, one in made:
        jobs.step_figure(case, fabric, one)
    lag = {fabric.id: f" ({longer(found.factor(fabric))})" for fabric, _ in made[:-1]}
    told = ", ".join(f"over {f.name} {seconds(one.step_time_s)}{lag.get(f.id, '')}" for f, one in reversed(made))
    size = " (how many was not said)" if any(one.field == "cluster.gpus" for one in case.taken.taken) else ""
    text = (
        f"{verdict(case, about, found)} {case.name} on {at.where}{size}, one step: {told}. "
        f"{_at(case, made)}{_unfit(made)}"
    )
    caveat = f"{jobs.caveat([one for _, one in made])} {_NO_NEED}"
    return case.answer(text, caveat, **case.job_inputs(on))


def _unfit(made: Made) -> str:
    """Where the job fits on some networks only; that it fits on none is the verdict."""
    out = [fabric.name for fabric, one in made if not one.fits]
    return f" It does not fit in memory as split over {' and '.join(out)}." if 0 < len(out) < len(made) else ""


def _serving(case: Case) -> Computed | None:
    """Serving is judged where it stays inside one node; what it takes over several depends on how the copies are
    cut."""
    if case.fields.get("workload") == "disaggregated-inference" or "cluster.gpus" not in case.fields:
        return None
    at = case.bare()
    return _inside(case, at) if at.domains == 1 else None


def _inside(case: Case, at: Cluster) -> Computed:
    """One node or rack: no network is crossed, whatever its kind, if the job fits there."""
    [made] = case.predicted([case.catalog.fabrics["none"]])
    crossed = f"{case.name} on {at.where} crosses no network; the GPUs exchange everything over their own link"
    split = layout(made.parallelism)
    text = f"{_YES_INSIDE.get(case.utterance.roles['stance'], '')}{crossed}."
    if not made.fits:
        doing = f"{'training' if case.trains else 'serving'} {case.name} on {at.where}"
        text = (
            f"It does not fit: {doing} takes {significant(made.memory_gb_per_gpu)} GB per GPU at {split}, each has "
            f"{significant(at.gpu.memory.si / 1e9)} GB. On more nodes ask again, with their number: inside this "
            f"{at.unit} no network is crossed."
        )
    case.figure(f"{at.unit}s", at.domains, at.unit, f"{at.gpus} GPUs in {at.unit}s of {at.machine.domain}")
    case.figure("memory", made.memory_gb_per_gpu, "GB per GPU", f"on the fullest GPU at {split}")
    return case.answer(text, _STAYS_INSIDE, **case.job_inputs([]))


def _with_named(named: list[Fabric], catalog: Catalog) -> list[Fabric]:
    """TCP, RoCE and InfiniBand, each as named where one is."""
    usual = [catalog.fabrics[name] for name in _COMPARED]
    found = [next((one for one in named if one.technology == each.technology), each) for each in usual]
    return [*found, *(one for one in named if one not in found)]


def _at(case: Case, made: Made) -> str:
    """What the comparison stands or falls with: sequences and tokens per step, and how the job is split."""
    known: dict[str, Any] = {one.field: one.value for one in case.taken.taken} | case.fields
    batch, length = known.get("training.global_batch"), known.get("training.sequence_length")
    sizes = f"{batch} sequences of {length} tokens per step" if batch and length else "the batch assumed below"
    splits = {layout(one.parallelism): fabric.name for fabric, one in made}
    each = "; ".join(f"{split} over {name}" for split, name in splits.items())
    return (
        f"That holds for {sizes}, split {next(iter(splits)) if len(splits) == 1 else each}; smaller batches wait more."
    )


def _pair(named: list[Fabric], case: Case) -> list[Fabric]:
    """The two networks compared; to one alone comes plain TCP or InfiniBand."""
    if len(named) >= 2:
        return named[:2]
    other = "infiniband-ndr-400" if named[0].transport == "tcp" else "ethernet-tcp-100"
    case.take("cluster.fabric", other, "what it is compared with was not said")
    return [named[0], case.catalog.fabrics[other]]
