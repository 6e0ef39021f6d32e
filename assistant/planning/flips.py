"""Where the answer turns: for each numeric input the nearest value at which another fabric is chosen.

A turn is a value at which the recommended fabric is clearly beaten; where two only swap places within their error bands
nothing turns. What the rules think of a fabric is taken to stay as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Flip

from .candidates import rented_openly
from .choice import choose_at, clearly_other
from .entry import Entry
from .pipeline import Decision
from .predictor import Predictor
from .remedy import fits_on
from .resolve import Resolved

# How far inputs are varied: farther away the turn is that of another job, or of another market.
FACTORS = (0.25, 0.5, 2.0, 4.0)
SHORTEST_SEQUENCE = 128  # tokens
PRICE_FACTORS = (1.5, 2.5, 5.0, 10.0)
BISECTIONS = 7  # to a percent of the step between two factors
MOST_FLIPS = 6
PRICE = "gpu_hour_usd"  # of a provider: what its list says of a GPU-hour
# A flip this close to where the answer turns is told a little beyond it, so that trying it shows it.
BEYOND = 0.02

Decide = Callable[[float], Entry | None]


def flips(made: Decision, predictor: Predictor) -> list[Flip]:
    """Nearest flips, prices first. None where nothing was chosen or nothing competes."""
    job, chosen = made.job, made.choice.chosen
    if chosen is None or made.choice.kept or chosen.considered.fabric.technology == "none":
        return []
    # What is to be avoided is chosen only where nothing else is left, and then nothing competes.
    able = [
        e for e in made.entries if e.usable and e.run_cost is not None and (e.verdict == "acceptable" or e is chosen)
    ]
    openly = rented_openly(job) and chosen.price.offered is not None
    prices = _list_price_flips(made, able, chosen) if openly else [_gpu_price_flip(job, able, chosen)]
    found = [
        _premium_flip(job, able, chosen),
        *prices,
        *_size_flips(job, able, chosen, predictor),
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
        prices = {e.id: (e.price.gpu_total, premium if e in quoted else e.price.fabric_total) for e in able}
        return choose_at(job.questionnaire, able, chosen, lambda e: prices[e.id])

    flip = _price_flip("budget.fabric_premium_gpu_hour_usd", now, decide, upward=chosen in quoted)
    if flip is None or chosen in quoted:
        return flip
    winner = next(e for e in able if e.id == flip.to_fabric)
    return flip.model_copy(update={"from_": round(winner.price.fabric_total, 3)})


def _gpu_price_flip(job: Resolved, able: list[Entry], chosen: Entry) -> Flip | None:
    """The price of a GPU-hour. A fabric that comes with one cloud's machines keeps that cloud's price."""
    now = chosen.price.gpu_total

    def decide(price: float) -> Entry | None:
        prices = {e.id: (price if e.price.gpu_total == now else e.price.gpu_total, e.price.fabric_total) for e in able}
        return choose_at(job.questionnaire, able, chosen, lambda e: prices[e.id])

    found = [_price_flip("budget.gpu_hour_usd", now, decide, upward=up) for up in (True, False)]
    return min((f for f in found if f is not None), key=lambda f: _distance(f.at, now), default=None)


def _list_price_flips(made: Decision, able: list[Entry], chosen: Entry) -> list[Flip | None]:
    """The list price of the provider whose offer is chosen, upward, and the nearest one of another, downward."""
    on_sale = _on_sale(made, able)
    ours, listed = _provider(chosen), {(one.provider, one.usd) for one in on_sale}
    up = [_provider_flip(made.job, on_sale, chosen, name, usd, upward=True) for name, usd in listed if name == ours]
    down = [_provider_flip(made.job, on_sale, chosen, name, usd, upward=False) for name, usd in listed if name != ours]
    nearest = lambda found: min(
        (f for f in found if f), key=lambda f: (_distance(f.at, f.from_), f.input), default=None
    )
    return [nearest(up), nearest(down)]


@dataclass(frozen=True)
class OnSale:
    """An offer as a price can move it: the run on it, and USD per GPU-hour of its GPU."""

    run: Entry
    provider: str
    usd: float

    def at(self, usd: float) -> Entry:
        """The run at another price."""
        extra = self.run.price.fabric_total
        return self.run.scaled((usd + extra) / (self.usd + extra))


def _on_sale(made: Decision, able: list[Entry]) -> list[OnSale]:
    """Every priced offer of the fabrics that come into question, in the tier in which these are rented."""
    fabrics, found = {entry.id for entry in able}, []
    for entry in made.variants:
        if entry.id not in fabrics or not entry.usable or entry.priced is None or entry.price.offered is None:
            continue
        extra = entry.price.fabric_total
        total = (entry.price.gpu_total + extra) * entry.price.offered.paid(made.job.gpus)
        for offered in entry.considered.offers:
            listed = offered.offer.hour_price if entry.price.spot_factor == 1.0 else offered.offer.hour_price_spot
            if listed is not None:
                run = entry.scaled((listed.si + extra) * offered.paid(made.job.gpus) / total)
                found.append(OnSale(run, offered.provider, listed.si))
    return found


def _provider_flip(
    job: Resolved, on_sale: list[OnSale], chosen: Entry, provider: str, now: float, *, upward: bool
) -> Flip | None:
    """The price nearest to ``now`` of one provider at which another fabric is chosen; all that it lets at this price
    moves, and of each fabric the offer counts that is then the cheapest."""

    def decide(price: float) -> Entry | None:
        best: dict[str, Entry] = {}
        for one in on_sale:
            entry = one.at(price) if (one.provider, one.usd) == (provider, now) else one.run
            if entry.id not in best or entry.median_cost < best[entry.id].median_cost:
                best[entry.id] = entry
        return clearly_other(list(best.values()), job.questionnaire, chosen.id)

    return _price_flip(f"providers.{provider}.{PRICE}", now, decide, upward=upward)


def _provider(entry: Entry) -> str | None:
    return entry.price.offered.provider if entry.price.offered else None


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
    found, at = decide(beyond), beyond
    if found is None:
        found, at = decide(other), other
    assert found  # what ``other`` was given for
    return Flip(input=path, from_=round(now, 3), at=round(at, 3), to_fabric=found.id)


def _distance(at: float, now: float) -> float:
    return float(abs(np.log(max(at, 1e-6) / now)))


def _size_flips(job: Resolved, able: list[Entry], chosen: Entry, predictor: Predictor) -> Iterable[Flip | None]:
    """Numbers of the job itself, varied over powers of two around what was said."""
    if job.serves or job.sites > 1:
        return []
    columns = [e for e in able if e.considered.fabric.technology not in ("none", "wan")]
    found = {
        path: _nearest(path, now, values, columns, job, chosen, predictor) for path, now, values in _varied_sizes(job)
    }
    gpus = found["cluster.gpus"]
    nearer = gpus is None or _distance(gpus.at, job.gpus) > _distance(job.domain, job.gpus)
    if nearer and fits_on(job, job.domain, job.parallelism, predictor):
        found["cluster.gpus"] = Flip(input="cluster.gpus", from_=job.gpus, at=job.domain, to_fabric="none")
    return found.values()


def _varied_sizes(job: Resolved) -> Iterator[tuple[str, int, list[int]]]:
    """``(field, as it is, values worth a try)``."""
    several_domains = [gpus for gpus in _multiples(job.gpus) if gpus > job.domain and gpus % job.gpus_per_node == 0]
    yield "cluster.gpus", job.gpus, several_domains
    yield "training.global_batch", job.global_batch, _multiples(job.global_batch)
    if job.loop is not None:  # its sequences are as long as the answers
        return
    yield "training.sequence_length", job.sequence_length, _multiples(job.sequence_length, SHORTEST_SEQUENCE)


def _multiples(now: int, least: int = 1) -> list[int]:
    """Whole values a power of two away, nearest first, the smaller of two as near first."""
    values = sorted({int(now * factor) for factor in FACTORS if now * factor >= least})
    return sorted(values, key=lambda value: _distance(value, now))


def _nearest(
    path: str, now: int, values: list[int], columns: list[Entry], job: Resolved, chosen: Entry, predictor: Predictor
) -> Flip | None:
    """The value nearest to ``now`` at which another column is chosen."""
    for value in values:
        other = _choice_at(path, value, columns, job, chosen, predictor)
        if other is not None:
            return Flip(input=path, from_=now, at=value, to_fabric=other.id)
    return None


def _choice_at(
    path: str, value: int, columns: list[Entry], job: Resolved, chosen: Entry, predictor: Predictor
) -> Entry | None:
    """What is chosen instead for the job with one number changed, everything assumed from it assumed anew."""
    try:
        there = predictor.varied(job, path, value)
        times = predictor.step_times(there, [e.considered for e in columns])
    except InputError:
        return None
    work = _steps(there) / _steps(job) * there.gpus / job.gpus
    able = [_rerun(entry, step, work) for entry, step in zip(columns, times, strict=True) if np.isfinite(step)]
    return clearly_other(able, there.questionnaire, chosen.id) if len(able) == len(columns) else None


def _steps(job: Resolved) -> float:
    """Optimizer steps of the run; for a run given in days only the ratio of tokens per step counts."""
    return (job.tokens or 1.0) / job.tokens_per_step


def _rerun(entry: Entry, step: float, work: float) -> Entry:
    """The entry with another step time and another amount of work (steps × GPUs, relative)."""
    factor = step / entry.step
    return entry.scaled(factor * work, hours=factor)
