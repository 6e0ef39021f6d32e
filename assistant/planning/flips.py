"""Where the answer turns: for each numeric input the nearest value at which another fabric is chosen.

A turn is a value at which the recommended fabric is clearly beaten; where two only swap places within their error bands
nothing turns. What the rules think of a fabric is taken to stay as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from assistant.library import checks
from assistant.model.training import best_times
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Flip
from assistant.vocabulary.questionnaire import Training

from .choice import Choice, clearly_other
from .entry import Entry
from .estimate import machine, model_job, networks
from .remedy import fits_on
from .resolve import Resolved, resolve

FACTORS = (0.25, 0.5, 2.0, 4.0)
PRICE_FACTORS = (1.5, 2.5, 5.0, 10.0)
BISECTIONS = 7
MOST_FLIPS = 6
# A flip this close to where the answer turns is told a little beyond it, so that trying it shows it.
BEYOND = 0.02

Decide = Callable[[float], Entry | None]


def flips(job: Resolved, architecture: Any, entries: list[Entry], choice: Choice, catalog: Catalog) -> list[Flip]:
    """Nearest flips, prices first. None where nothing was chosen or nothing competes."""
    if choice.chosen is None or choice.kept or choice.chosen.considered.fabric.technology == "none":
        return []
    # What is to be avoided is chosen only where nothing else is left, and then nothing competes.
    able = [e for e in entries if e.usable and e.cost is not None and (e.verdict == "acceptable" or e is choice.chosen)]
    found = [
        _premium_flip(job, able, choice.chosen),
        _gpu_price_flip(job, able, choice.chosen),
        *_size_flips(job, architecture, able, choice.chosen, catalog),
    ]
    return [flip for flip in found if flip is not None][:MOST_FLIPS]


def _premium_flip(job: Resolved, able: list[Entry], chosen: Entry) -> Flip | None:
    """The premium of the quoted fabric (InfiniBand unless one is fixed)."""
    fixed = job.questionnaire.cluster.fabric
    quoted = [e for e in able if (e.id == fixed if fixed else e.considered.fabric.technology == "infiniband")]
    if not quoted:
        return None
    now = (chosen if chosen in quoted else min(quoted, key=lambda e: e.median_cost)).price.fabric_total

    def decide(premium: float) -> Entry | None:
        return choose_at(
            job, able, chosen, lambda e: (e.price.gpu_total, premium if e in quoted else e.price.fabric_total)
        )

    flip = _price_flip("budget.fabric_premium_gpu_hour_usd", now, decide, upward=chosen in quoted)
    if flip is None or chosen in quoted:
        return flip
    winner = next(e for e in able if e.id == flip.to_fabric)
    return flip.model_copy(update={"from_": round(winner.price.fabric_total, 3)})


def _gpu_price_flip(job: Resolved, able: list[Entry], chosen: Entry) -> Flip | None:
    """The price of a GPU-hour. A fabric that comes with one cloud's machines keeps that cloud's price."""
    now = chosen.price.gpu_total

    def decide(price: float) -> Entry | None:
        return choose_at(
            job,
            able,
            chosen,
            lambda e: (price if e.price.gpu_total == now else e.price.gpu_total, e.price.fabric_total),
        )

    found = [_price_flip("budget.gpu_hour_usd", now, decide, upward=up) for up in (True, False)]
    return min((f for f in found if f is not None), key=lambda f: _distance(f.at, now), default=None)


def choose_at(
    job: Resolved, able: list[Entry], chosen: Entry, prices: Callable[[Entry], tuple[float, float]]
) -> Entry | None:
    """What is chosen instead with other prices per GPU-hour (of the GPU, of the fabric)."""

    def priced(entry: Entry) -> Entry:
        gpu, fabric = prices(entry)
        return entry.scaled((gpu + fabric) / (entry.price.gpu_total + entry.price.fabric_total))

    return clearly_other([priced(e) for e in able], job.questionnaire, chosen.id)


def _price_flip(path: str, now: float, decide: Decide, *, upward: bool) -> Flip | None:
    """The price nearest to ``now`` in one direction at which the decision differs, by steps and then by halving."""
    steps = [now * f for f in PRICE_FACTORS] if upward else [now / f for f in PRICE_FACTORS] + [0.0]
    same = now
    for price in steps:
        if decide(price) is not None:
            return _halved(path, now, same, price, decide)
        same = price
    return None


def _halved(path: str, now: float, same: float, other: float, decide: Decide) -> Flip:
    for _ in range(BISECTIONS):
        middle = (same + other) / 2
        same, other = (same, middle) if decide(middle) is not None else (middle, other)
    beyond = max(0.0, other * (1 + BEYOND if other > now else 1 - BEYOND))
    at = beyond if decide(beyond) is not None else other
    return Flip(input=path, from_=round(now, 3), at=round(at, 3), to_fabric=decide(at).id)


def _distance(at: float, now: float) -> float:
    return float(abs(np.log(max(at, 1e-6) / now)))


def _size_flips(
    job: Resolved, architecture: Any, able: list[Entry], chosen: Entry, catalog: Catalog
) -> Iterable[Flip | None]:
    """Numbers of the job itself, varied over powers of two around what was said."""
    if job.serves or job.sites > 1:
        return []
    columns = [e for e in able if e.considered.fabric.technology not in ("none", "wan")]
    vary = {
        "cluster.gpus": (job.gpus, _gpu_values(job)),
        "training.global_batch": (job.global_batch, _batch_values(job)),
        "training.sequence_length": (job.sequence_length, _sequence_values(job)),
    }
    found = {
        path: _nearest(path, now, values, columns, job, architecture, catalog, chosen)
        for path, (now, values) in vary.items()
    }
    gpus = found["cluster.gpus"]
    nearer = gpus is None or _distance(gpus.at, job.gpus) > _distance(job.domain, job.gpus)
    if nearer and fits_on(job, job.domain, job.parallelism, architecture, catalog):
        found["cluster.gpus"] = Flip(input="cluster.gpus", from_=job.gpus, at=job.domain, to_fabric="none")
    return found.values()


def _nearest(
    path: str,
    now: int,
    values: list[int],
    columns: list[Entry],
    job: Resolved,
    architecture: Any,
    catalog: Catalog,
    chosen: Entry,
) -> Flip | None:
    """The value nearest to ``now`` at which another column is chosen."""
    for value in sorted(values, key=lambda value: _distance(value, now)):
        other = _choice_at(path, value, columns, job, architecture, catalog, chosen)
        if other is not None:
            return Flip(input=path, from_=now, at=value, to_fabric=other.id)
    return None


def _choice_at(
    path: str, value: int, columns: list[Entry], job: Resolved, architecture: Any, catalog: Catalog, chosen: Entry
) -> Entry | None:
    """What is chosen instead for the job with one number changed, everything assumed from it assumed anew."""
    section, name = path.split(".")
    questionnaire = job.questionnaire
    part = getattr(questionnaire, section) or Training()
    changed = questionnaire.model_copy(update={section: part.model_copy(update={name: value})})
    try:
        checks.check_shape(changed, catalog)
        there = resolve(changed, catalog, lambda _: job.params)
        gpus = machine(there, catalog)
        times = best_times(
            model_job(there, architecture),
            gpus,
            networks([e.considered for e in columns], gpus, there),
            there.parallelism,
        )
    except ValueError:
        return None
    work = _steps(there) / _steps(job) * there.gpus / job.gpus
    able = [_rerun(entry, step, work) for entry, step in zip(columns, times, strict=True) if np.isfinite(step)]
    return clearly_other(able, changed, chosen.id) if len(able) == len(columns) else None


def _steps(job: Resolved) -> float:
    """Optimizer steps of the run; for a run given in days only the ratio of tokens per step counts."""
    return (job.tokens or 1.0) / (job.global_batch * job.sequence_length)


def _rerun(entry: Entry, step: float, work: float) -> Entry:
    """The entry with another step time and another amount of work (steps × GPUs, relative)."""
    factor = step / entry.step
    return entry.scaled(factor * work, hours=factor)


def _gpu_values(job: Resolved) -> list[int]:
    values = {int(job.gpus * factor) for factor in FACTORS}
    return sorted(v for v in values if v > job.domain and v % job.gpus_per_node == 0)


def _batch_values(job: Resolved) -> list[int]:
    return sorted({int(job.global_batch * factor) for factor in FACTORS if job.global_batch * factor >= 1})


def _sequence_values(job: Resolved) -> list[int]:
    return sorted({int(job.sequence_length * factor) for factor in FACTORS if job.sequence_length * factor >= 128})
