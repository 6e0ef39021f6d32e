"""Where the answer turns: for each numeric input the nearest value at which another fabric wins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from assistant.model import sweep
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Flip

from .choice import TIE_PERCENT, Choice
from .entry import Entry
from .estimate import machine, model_job, networks
from .resolve import Resolved

FACTORS = (0.125, 0.25, 0.5, 2.0, 4.0, 8.0)
MOST_FLIPS = 6


@dataclass(frozen=True)
class _Rival:
    """What decides between two candidates: seconds per step and dollars per GPU-hour."""

    entry: Entry
    gpu: float
    fabric: float


def flips(job: Resolved, architecture: Any, entries: list[Entry], choice: Choice, catalog: Catalog) -> list[Flip]:
    """Nearest flips, prices first. None where nothing was chosen or nothing competes."""
    if choice.chosen is None or choice.kept:
        return []
    able = [e for e in entries if e.usable and e.verdict == "acceptable" and e.cost is not None]
    if choice.chosen not in able:
        able.append(choice.chosen)
    found = [*_price_flips(job, able, choice.chosen), *_size_flips(job, architecture, able, choice.chosen, catalog)]
    return found[:MOST_FLIPS]


def _price_flips(job: Resolved, able: list[Entry], chosen: Entry) -> Iterable[Flip]:
    """Closed form: cost ∝ step·(gpu + fabric), so two candidates cost the same at one GPU price, and at one premium."""
    premium = _premium_flip(job, able, chosen)
    gpu = _gpu_price_flip(able, chosen)
    return [flip for flip in (premium, gpu) if flip is not None]


def _premium_flip(job: Resolved, able: list[Entry], chosen: Entry) -> Flip | None:
    """The premium of the quoted fabric (InfiniBand unless one is fixed) at which the choice turns."""
    path = "budget.fabric_premium_gpu_hour_usd"
    quoted = [e for e in able if _takes_quote(e, job)]
    if not quoted:
        return None
    if chosen in quoted:
        rivals = [e for e in able if e not in quoted]
        solved = [(_equal_premium(chosen, rival), rival) for rival in rivals]
        higher = [(at, rival) for at, rival in solved if at > chosen.price.fabric_total]
        at, to = min(higher, key=lambda pair: pair[0], default=(None, None))
    else:
        solved = [(_equal_premium(q, chosen), q) for q in quoted]
        lower = [(at, q) for at, q in solved if 0 <= at < q.price.fabric_total]
        at, to = max(lower, key=lambda pair: pair[0], default=(None, None))
    if to is None:
        return None
    now = (chosen if chosen in quoted else to).price.fabric_total
    return Flip(input=path, from_=round(now, 3), at=round(float(at), 3), to_fabric=to.id)


def _takes_quote(entry: Entry, job: Resolved) -> bool:
    fixed = job.questionnaire.cluster.fabric
    return entry.id == fixed if fixed else entry.considered.fabric.technology == "infiniband"


def _equal_premium(entry: Entry, other: Entry) -> float:
    """The fabric price of ``entry`` at which its run costs as much as that of ``other``."""
    theirs = other.step * (other.price.gpu_total + other.price.fabric_total)
    return theirs / entry.step - entry.price.gpu_total


def _gpu_price_flip(able: list[Entry], chosen: Entry) -> Flip | None:
    """GPU price p with s₁(p + f₁) = s₂(p + f₂): p = (s₂f₂ − s₁f₁)/(s₁ − s₂)."""
    now, best = chosen.price.gpu_total, None
    for other in able:
        if other is chosen or abs(chosen.step - other.step) < 1e-9 * chosen.step:
            continue
        at = (other.step * other.price.fabric_total - chosen.step * chosen.price.fabric_total) / (chosen.step - other.step)
        if at > 0 and at != now and (best is None or _distance(at, now) < _distance(best[0], now)):
            best = (at, other)
    if best is None or best[1].median_cost < chosen.median_cost:
        return None
    return Flip(input="budget.gpu_hour_usd", from_=round(now, 3), at=round(float(best[0]), 3), to_fabric=best[1].id)


def _distance(at: float, now: float) -> float:
    return abs(np.log(at / now))


def _size_flips(job: Resolved, architecture: Any, able: list[Entry], chosen: Entry, catalog: Catalog) -> Iterable[Flip]:
    """Numbers of the job itself, varied over powers of two around what was said."""
    if job.serves or job.sites > 1 or chosen.considered.fabric.technology == "none":
        return []
    columns = [e for e in able if e.considered.fabric.technology not in ("none", "wan")]
    vary = {"gpus": _gpu_values(job), "global_batch": _batch_values(job), "sequence_length": _sequence_values(job)}
    gpus = machine(job, catalog)
    times = sweep(model_job(job, architecture), gpus, networks([e.considered for e in columns], gpus), job.parallelism, vary)
    paths = {"gpus": "cluster.gpus", "global_batch": "training.global_batch", "sequence_length": "training.sequence_length"}
    now = {"gpus": job.gpus, "global_batch": job.global_batch, "sequence_length": job.sequence_length}
    flips = [_nearest(paths[name], now[name], vary[name], times[name], columns, chosen) for name in vary]
    single = Flip(input="cluster.gpus", from_=job.gpus, at=job.domain, to_fabric="none")
    if flips[0] is None or _distance(flips[0].at, job.gpus) > _distance(job.domain, job.gpus):
        flips[0] = single
    return [flip for flip in flips if flip is not None]


def _nearest(path: str, now: float, values: list[int], times: np.ndarray, columns: list[Entry], chosen: Entry) -> Flip | None:
    """The value nearest to ``now`` at which another column is cheaper by more than a tie."""
    prices = np.array([e.price.gpu_total + e.price.fabric_total for e in columns])
    mine = columns.index(chosen)
    slack = (1 + TIE_PERCENT / 100) * max(1.0, chosen.median_cost / min(e.median_cost for e in columns))
    for i in sorted(range(len(values)), key=lambda i: _distance(values[i], now)):
        cost = times[:, i] * prices
        if np.isnan(cost[mine]) or np.all(np.isnan(cost)):
            continue
        best = int(np.nanargmin(cost))
        if cost[mine] > cost[best] * slack:
            return Flip(input=path, from_=now, at=values[i], to_fabric=columns[best].id)
    return None


def _gpu_values(job: Resolved) -> list[int]:
    values = {int(job.gpus * factor) for factor in FACTORS}
    return sorted(v for v in values if v > job.domain and v % job.gpus_per_node == 0)


def _batch_values(job: Resolved) -> list[int]:
    return sorted({int(job.global_batch * factor) for factor in FACTORS if job.global_batch * factor >= 1})


def _sequence_values(job: Resolved) -> list[int]:
    return sorted({int(job.sequence_length * factor) for factor in (0.25, 0.5, 2.0, 4.0) if job.sequence_length * factor >= 128})
