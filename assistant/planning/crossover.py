"""From how many GPUs on this very job asks for RDMA, and for InfiniBand: the computed answer beside the sources'
numbers.

The job is computed again at other sizes, everything assumed from the size assumed anew, every fabric at its own best
parallelism, at the prices of the plan. A few dozen searches: for one plan that a person reads, not for a batch.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterable

import numpy as np

from assistant.library import Library
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.knowledge import Conflict, Knowledge
from assistant.vocabulary.plan import TIE_PERCENT, Crossover, CrossoverPoint, Plan, SourceNumber
from assistant.vocabulary.questionnaire import Questionnaire

from .candidates import considered
from .entry import Entry
from .pipeline import Pipeline, pipeline_of
from .predictor import Predictor
from .resolve import Resolved, resolve

DOUBLINGS = 7  # sizes tried: two scale-up domains, then twice as many, seven times


def with_crossover(plan: Plan, library: Library, *, today: datetime.date | None = None) -> Plan:
    """The plan with its crossover, where it touches the sources' disagreement about a number of GPUs."""
    conflict = threshold_conflict(library.knowledge)
    if conflict is None or conflict.topic not in {c.topic for c in plan.conflicts}:
        return plan
    return plan.model_copy(update={"crossover": crossover(plan, library, today=today)})


def threshold_conflict(knowledge: Knowledge) -> Conflict | None:
    """The disagreement about from how many GPUs InfiniBand pays."""
    return next((c for c in knowledge.conflicts.values() if "threshold" in c.touches), None)


def crossover(plan: Plan, library: Library, *, today: datetime.date | None = None) -> Crossover | None:
    """The crossovers of a training job at one site; ``None`` for other jobs, and for one that runs at no size tried."""
    pipeline, conflict = pipeline_of(library, today), threshold_conflict(library.knowledge)
    job = resolve(Questionnaire.model_validate(plan.questionnaire), library.catalog)
    if job.serves or job.sites > 1 or conflict is None:
        return None
    offered = _offered(job, pipeline, _ruled_out(plan, library.catalog))
    doubled = _sizes(job)
    named = [one for one in _numbers(conflict, library.knowledge, job) if one[2] <= doubled[-1]]
    sizes = sorted({*doubled, *(gpus for _, _, gpus in named if _several_domains(gpus, job))})
    points = [point for gpus in sizes if (point := _point(gpus, job, offered, pipeline.predictor)) is not None]
    if not points:
        return None
    return Crossover(
        topic=conflict.topic,
        rdma_from=_from(points, "rdma", "tcp"),
        infiniband_from=_from(points, "infiniband", "ethernet_rdma"),
        compared=_compared(points),
        gpus_per_domain=job.domain,
        points=points,
        sources=_beside(named, points, job),
    )


def _ruled_out(plan: Plan, catalog: Catalog) -> set[str]:
    """Fabrics the rules exclude or advise against at the plan's own size; plain TCP stays, its slowness is what is
    computed."""
    return {
        c.fabric
        for c in plan.candidates
        if c.reasons
        and c.verdict in ("impossible", "avoid")
        and (c.verdict == "impossible" or catalog.fabrics[c.fabric].kind != "tcp")
    }


def _offered(job: Resolved, pipeline: Pipeline, ruled_out: set[str]) -> list[Entry]:
    """Fabrics that can be had between nodes, with their prices at the job's own size."""
    found = [
        Entry(c)
        for c in considered(job, pipeline.catalog)
        if c.exists
        and c.sold is not False
        and c.fabric.technology not in ("none", "wan")
        and c.fabric.id not in ruled_out
    ]
    priced = [one for one in pipeline.priced(found, job) if one.considered.sold is not False and one.price.known]
    return [one for one in priced if not one.price.least_hours]  # a term is of the run at hand, not of other sizes


def _sizes(job: Resolved) -> list[int]:
    """Doublings of two domains, the job's own size among them, ascending."""
    doubled = {job.domain * 2**power for power in range(1, DOUBLINGS + 1)}
    return sorted(doubled | ({job.gpus, 2 * job.gpus} if job.domains > 1 else set()))


def _several_domains(gpus: int, job: Resolved) -> bool:
    return gpus > job.domain and gpus % job.gpus_per_node == 0


def _point(gpus: int, job: Resolved, offered: list[Entry], predictor: Predictor) -> CrossoverPoint | None:
    """The cheapest fabric of each kind at one size, US dollars per billion tokens; ``None`` where the job cannot
    run."""
    try:
        there = predictor.varied(job, "cluster.gpus", gpus, same_nodes=True)
        times = predictor.step_times(there, [e.considered for e in offered])
    except InputError:
        return None
    tokens = there.tokens_per_step / 1e9
    costs: dict[str, float] = {}
    for e, step in zip(offered, times, strict=True):
        if np.isfinite(step):
            cost = float(e.price.run_cost(step / 3600 * e.price.failure_factor * e.price.spot_factor, gpus)) / tokens
            costs[e.id] = min(cost, costs.get(e.id, cost))
    return _cheapest(gpus, costs, {e.id: e.considered.fabric.kind for e in offered}) if costs else None


def _cheapest(gpus: int, costs: dict[str, float], kinds: dict[str, str]) -> CrossoverPoint:
    best = {
        name: min((f for f in costs if kinds[f] == name.replace("_", "-")), key=costs.__getitem__, default=None)
        for name in ("tcp", "ethernet_rdma", "infiniband")
    }
    return CrossoverPoint(
        gpus=gpus,
        fabric=min(costs, key=costs.__getitem__),
        **best,
        usd_per_billion_tokens={fabric: round(costs[fabric], 2) for fabric in best.values() if fabric},
    )


def _usd(point: CrossoverPoint, kind: str) -> float | None:
    kinds = ("ethernet_rdma", "infiniband") if kind == "rdma" else (kind,)
    costs = [point.usd_per_billion_tokens[fabric] for one in kinds if (fabric := getattr(point, one))]
    return min(costs, default=None)


def _from(points: list[CrossoverPoint], kind: str, other: str) -> int | None:
    """The smallest size from which on ``kind`` is clearly the cheaper at every size tried; ``None``: not at the
    largest."""
    found = None
    for point in reversed(points):
        ours, theirs = _usd(point, kind), _usd(point, other)
        if ours is None or (theirs is not None and ours > theirs * (1 - TIE_PERCENT / 100)):
            break
        found = point.gpus
    return found


def _compared(points: list[CrossoverPoint]) -> list[str]:
    """The kinds that come into question at all."""
    return [kind for kind in ("tcp", "ethernet_rdma", "infiniband") if any(getattr(point, kind) for point in points)]


def _numbers(conflict: Conflict, knowledge: Knowledge, job: Resolved) -> list[tuple[str, str, int]]:
    """``(claim, what it says, GPUs)`` of each side that names a number of GPUs or nodes."""
    found = []
    for side in conflict.sides:
        figure = knowledge.claims[side.claim].figure
        if figure is None:
            continue
        scale = {"GPUs": 1, "H100": 1, "nodes": job.gpus_per_node}.get(figure.unit.split(",")[0])
        if scale is not None and isinstance(figure.value, (int, float)):
            found.append((side.claim, side.says, int(figure.value) * scale))
    return found


def _beside(named: Iterable[tuple[str, str, int]], points: list[CrossoverPoint], job: Resolved) -> list[SourceNumber]:
    """What this job would take at each source's number: none where all GPUs share the scale-up link."""
    taken = {point.gpus: point.fabric for point in points}
    return [
        SourceNumber(claim=claim, says=says, gpus=gpus, fabric="none" if gpus <= job.domain else taken.get(gpus))
        for claim, says, gpus in named
    ]
