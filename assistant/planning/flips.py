"""Where the answer turns: for each numeric input the nearest value at which another fabric is recommended.

Where two costs are equal follows from the plan; what is recommended there the rules have a say in. So every value that
is named was tried: the job was planned again with it, and the fabric named is the one recommended then.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from math import inf

import numpy as np

from assistant.market import Freshness, Offered
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Flip, RivalOffer
from assistant.vocabulary.quantities import outward
from assistant.vocabulary.questionnaire import Questionnaire

from .choice import clearly_other, tied_down_to
from .entry import Entry
from .limits import affordable_share, meets, too_dear_alone
from .offers import on, price_today, ranked_by
from .pipeline import Decision, Pipeline
from .quote_flips import quote_flips
from .remedy import fits_on
from .resolve import Resolved
from .turning import Even, distance, turn
from .work import Work

# How far inputs are varied: farther away the turn is that of another job, or of another market.
FACTORS = (0.25, 0.5, 2.0, 4.0)
SHORTEST_SEQUENCE = 128  # tokens
MOST_FLIPS = 6
LINES = (0.1, 1.0, 10.0, 25.0, 100.0, 400.0, 1600.0)  # Gb/s: rates at which lines between sites are commonly let
WAN, GPUS = "cluster.wan_gbps", "cluster.gpus"
GPU_PRICE, PREMIUM = "budget.gpu_hour_usd", "budget.fabric_premium_gpu_hour_usd"
_LISTED, _HOURLY = "providers.", ".gpu_hour_usd"  # what a provider's list says, as the input of a flip


def flips(made: Decision, pipeline: Pipeline) -> list[Flip]:
    """Nearest flips, prices first. None where nothing was chosen or nothing competes."""
    chosen = made.choice.chosen
    if chosen is None:
        return []
    quoted = quote_flips(made, chosen, pipeline)
    if made.choice.kept or chosen.considered.fabric.technology == "none":
        return quoted[:MOST_FLIPS]
    return [*quoted, *_price_flips(made, chosen, pipeline), *_size_flips(made, chosen, pipeline)][:MOST_FLIPS]


def provider_of(path: str) -> str | None:
    """Whose list price an input is; ``None`` where it is another."""
    return path[len(_LISTED) : -len(_HOURLY)] if path.startswith(_LISTED) else None


def _recommended(
    questionnaire: Questionnaire, pipeline: Pipeline, charging: Charging | None = None, work: Work | None = None
) -> str | None:
    """What is recommended, at other prices too. ``work``: of the same job, which no price changes."""
    try:
        return pipeline.outcome(questionnaire, charging=charging, work=work).fabric
    except InputError:
        return None


# Prices


@dataclass(frozen=True)
class Charging:
    """What one provider lets at a list price, at another, told on a ``date``; ``None``: when that one was."""

    provider: str
    usd: float
    instead: float
    date: datetime.date | None = None

    def __call__(self, offered: Offered) -> Offered:
        if offered.provider != self.provider:
            return offered
        listed = offered.listed
        if listed is None or listed.price.si != self.usd:
            return offered
        price = listed.price.model_copy(update={"value": self.instead, "date": self.date or listed.price.date})
        return replace(offered, listed=listed.model_copy(update={"price": price}))


def _price_flips(made: Decision, chosen: Entry, pipeline: Pipeline) -> Iterator[Flip]:
    """In each direction of each price the nearest turn."""
    if not chosen.costed:
        return
    for some in _evens(made, chosen, pipeline):
        near = sorted((one for one in some if one.at >= 0.0), key=lambda one: (one.far, one.path))
        near = [one for one in near if one.near]
        turns = (_turn(one, chosen.id, made.today or datetime.date.today()) for one in near[:2])
        yield from [flip for flip in turns if flip is not None][:1]


def _evens(made: Decision, chosen: Entry, pipeline: Pipeline) -> Iterator[list[Even]]:
    able = [e for e in made.entries if e.usable and e.costed and (e.verdict == "acceptable" or e is chosen)]
    asked = made.job.questionnaire
    if asked.budget.quotes:  # what is quoted is what is paid
        return
    # What a lower price of its own lets in; a higher one of the choice takes that beyond the budget too.
    dear = [e for e in made.entries if e not in able and too_dear_alone(e, asked)]
    if chosen.price.offered is not None and not made.job.quoted_rent:
        on_sale = _on_sale(made, {e.id for e in able}, pipeline.catalog)
        yield _dearer_here(made, on_sale, chosen, pipeline)
        on_sale += _on_sale(made, {e.id for e in dear}, pipeline.catalog)
        yield _cheaper_there(made, on_sale, chosen, pipeline)
        return
    yield _premiums(made, able, dear, chosen, pipeline)
    yield _gpu_prices(made, able, chosen, pipeline)


def rival_offer(made: Decision, catalog: Catalog) -> RivalOffer | None:
    """Of what others let with the recommended network the one whose price need fall least to cost as little, be it over
    the budget now. ``None`` where nobody else does, and where the price is no published offer's."""
    chosen, job = made.choice.chosen, made.job
    if chosen is None or not chosen.costed or chosen.price.offered is None or job.sites > 1 or job.quoted_rent:
        return None
    asked = job.questionnaire
    in_time = [e for e in made.variants if e.usable and (meets(e, asked) or too_dear_alone(e, asked))]
    ours = chosen.price.offered.provider
    others = [o for o in _on_sale(replace(made, variants=in_time), {chosen.id}, catalog) if o.provider != ours]
    near = min((o for o in others if o.cost >= chosen.ranked_cost), key=lambda o: o.cost, default=None)
    if near is None or (at := outward(near.at_cost(chosen.ranked_cost), up=False)) <= 0:
        return None
    return RivalOffer(
        provider=near.provider,
        instance=near.instance,
        tier=near.tier,
        usd_per_gpu_hour=near.usd,
        cheaper_at_usd_per_gpu_hour=at,
    )


@dataclass(frozen=True)
class OnSale:
    """What the run costs on an offer at its list price, by what offers are compared; ``at_cost``: the list price,
    asked for today, at which it costs so much; ``there``: the run on it."""

    fabric: str
    provider: str
    instance: str
    tier: str
    usd: float
    cost: float
    at_cost: Callable[[float], float]
    there: Entry


def _on_sale(made: Decision, fabrics: set[str], catalog: Catalog) -> list[OnSale]:
    """Every priced offer of the fabrics that come into question, each on its own terms."""
    found, freshness = [], Freshness.of(catalog.constants, made.today)
    for entry in made.variants:
        if entry.id not in fabrics or not entry.usable or not entry.costed or entry.price.offered is None:
            continue
        for offered in entry.considered.offers:
            if offered.price is not None and offered.listed is not None:
                there = on(entry, offered, made.job)
                age = freshness.priced(offered.name, offered.listed.price).age_days
                who = entry.id, offered.provider, offered.offer.name, offered.tier
                cost = ranked_by(there, offered, age, catalog)(1.0)
                found.append(
                    OnSale(*who, offered.price.si, cost, partial(price_today, there, offered, catalog=catalog), there)
                )
    return found


def _charged(
    made: Decision, provider: str, usd: float, at: float, pipeline: Pipeline, leaves: Callable[[], float], *, up: bool
) -> Even:
    def tried(date: datetime.date | None, price: float) -> str | None:
        charging = Charging(provider, usd, price, date)
        return _recommended(made.job.questionnaire, pipeline, charging, made.work)

    today = pipeline.today or datetime.date.today()
    undated = partial(tried, None) if pipeline.ages_decide(made.job) else None
    return Even(f"{_LISTED}{provider}{_HOURLY}", usd, at, partial(tried, today), up, undated, leaves)


def _dearer_here(made: Decision, on_sale: list[OnSale], chosen: Entry, pipeline: Pipeline) -> list[Even]:
    """The price of the chosen offer at which the best of the others costs as little, where that has another fabric."""
    key = _list_price(chosen)
    ours = [one for one in on_sale if (one.provider, one.usd) == key and one.fabric == chosen.id]
    best = min((o for o in on_sale if (o.provider, o.usd) != key), key=lambda o: o.cost, default=None)
    if best is None or best.fabric == chosen.id or not ours:
        return []
    mine = min(ours, key=lambda o: o.cost)

    def leaves() -> float:
        # Where somebody else lets the same network for a sum that the answer would stay with, it never turns.
        stay = (o for o in on_sale if (o.provider, o.usd) != key and o.fabric == chosen.id)
        if any(_held(made, one, best) < 1.0 for one in stay):
            return inf
        return mine.at_cost(mine.cost / _held(made, mine, best))

    return [_charged(made, *key, mine.at_cost(best.cost), pipeline, leaves, up=True)]


def _list_price(chosen: Entry) -> tuple[str, float]:
    """Whose list price it is that is paid, and the price."""
    offered = chosen.price.offered
    assert offered and offered.price  # what is on sale has both
    return offered.provider, offered.price.si


def _cheaper_there(made: Decision, on_sale: list[OnSale], chosen: Entry, pipeline: Pipeline) -> list[Even]:
    """The prices of others at which they cost as little as the chosen one, where that comes with another fabric."""
    best: dict[tuple[str, float], OnSale] = {}
    for one in sorted(on_sale, key=lambda o: o.cost):
        best.setdefault((one.provider, one.usd), one)
    best.pop(_list_price(chosen), None)
    others = [(key, one) for key, one in best.items() if one.fabric != chosen.id]
    mine = next(o for o in on_sale if (o.provider, o.usd) == _list_price(chosen) and o.fabric == chosen.id)

    def affordable(other: OnSale) -> float:
        return other.cost * affordable_share(other.there, made.job.questionnaire)

    def leaves(other: OnSale) -> float:
        return other.at_cost(min(affordable(other), other.cost * _held(made, mine, other)))

    return [
        _charged(
            *(made, *key, one.at_cost(min(affordable(one), chosen.ranked_cost)), pipeline, partial(leaves, one)),
            up=False,
        )
        for key, one in others
    ]


def _held(made: Decision, mine: OnSale, other: OnSale) -> float:
    """How many times what it costs another may cost at most to take the answer away from the chosen one by costs
    alone: as much as that where the rules prefer the other as much, else so much that they no longer tie."""
    points = {entry.id: entry.points for entry in made.entries}
    even = mine.cost / other.cost
    return even if points[other.fabric] >= points[mine.fabric] else even * tied_down_to(mine.there, other.there)


def _budgeted(made: Decision, path: str, now: float, at: float, pipeline: Pipeline, *, up: bool) -> Even:
    """A price of the budget."""
    name = path.partition(".")[2]

    def tried(price: float) -> str | None:
        budget = made.job.questionnaire.budget.model_copy(update={name: price})
        return _recommended(made.job.questionnaire.model_copy(update={"budget": budget}), pipeline)

    return Even(path, now, at, tried, up)


def _per_usd(entry: Entry) -> float:
    """What the run costs for each dollar that a GPU-hour costs."""
    return entry.median_cost / (entry.price.gpu_total + entry.price.fabric_total)


def _premiums(made: Decision, able: list[Entry], dear: list[Entry], chosen: Entry, pipeline: Pipeline) -> list[Even]:
    """The price of the fabric that a quoted premium would be of (InfiniBand unless one is fixed) at which it costs what
    the best of the others does. A quoted one is taken as it stands, power and all."""
    fixed = made.job.questionnaire.cluster.fabric
    quoted = [e for e in (*able, *dear) if (e.id == fixed if fixed else e.considered.fabric.technology == "infiniband")]
    others = [e for e in able if e not in quoted] if chosen in quoted else [chosen]
    ours = [chosen] if chosen in quoted else quoted
    if not others:
        return []
    cost = min(e.median_cost for e in others)
    found = []
    for one in ours:
        now = one.price.fabric_total
        at = cost / _per_usd(one) - one.price.gpu_total
        found.append(_budgeted(made, PREMIUM, now, at, pipeline, up=one is chosen))
    return found


def _gpu_prices(made: Decision, able: list[Entry], chosen: Entry, pipeline: Pipeline) -> list[Even]:
    """The price of a GPU-hour at which the chosen one costs what another does. A fabric that comes with one cloud's
    machines keeps that cloud's price."""
    now, ours = chosen.price.gpu_total, _per_usd(chosen)
    found = []
    for other in able:
        theirs = _per_usd(other)
        if other is chosen or theirs == ours:
            continue
        if other.price.gpu_total == now:
            at = (theirs * other.price.fabric_total - ours * chosen.price.fabric_total) / (ours - theirs)
        else:
            at = other.median_cost / ours - chosen.price.fabric_total
        found.append(_budgeted(made, GPU_PRICE, now, at, pipeline, up=at > now))
    return [one for one in found if one.at > 0]


def _turn(even: Even, chosen: str, today: datetime.date) -> Flip | None:
    found = turn(even, chosen)
    if found is None:
        return None
    at, to = found
    dated = None if even.undated is None or even.undated(at) == to else today.isoformat()
    return Flip(input=even.path, from_=round(even.now, 3), at=at, to_fabric=to, even=round(even.at, 3), dated=dated)


# Sizes


def _size_flips(made: Decision, chosen: Entry, pipeline: Pipeline) -> Iterable[Flip]:
    """Numbers of the job itself, varied over powers of two around what was said."""
    job = made.job
    if job.serves:
        return []
    if job.sites > 1:
        return _line_flips(job, chosen, pipeline)
    able = [e for e in made.entries if e.usable and e.run_cost is not None]
    columns = [
        e
        for e in able
        if (e.verdict == "acceptable" or e is chosen) and e.considered.fabric.technology not in ("none", "wan")
    ]
    # What else is varied changes nothing about the networks: what is best on these GPUs anyhow stays the best.
    anyhow = pipeline.predictor.cheapest_anyhow(job, columns, chosen)
    found = {
        path: _nearest(path, now, values, columns, job, chosen, pipeline)
        for path, now, values in _varied_sizes(job)
        if path == GPUS or not anyhow
    }
    gpus = found[GPUS]
    nearer = gpus is None or distance(gpus.at, job.gpus) > distance(job.domain, job.gpus)
    if nearer and fits_on(job, job.domain, job.parallelism, pipeline.predictor):
        found[GPUS] = _resized(GPUS, job.gpus, job.domain, job, chosen, pipeline) or gpus
    return [flip for flip in found.values() if flip is not None]


def _line_flips(job: Resolved, chosen: Entry, pipeline: Pipeline) -> list[Flip]:
    """The line between sites: the nearest of the usual rates at which another network is recommended."""
    now = job.wan_gbps or 0.0
    rates = sorted((rate for rate in LINES if rate != now), key=lambda rate: distance(rate, now))
    tried = (_resized(WAN, now, rate, job, chosen, pipeline) for rate in rates)
    return [flip for flip in islice((flip for flip in tried if flip is not None), 1)]


def _varied_sizes(job: Resolved) -> Iterator[tuple[str, int, list[int]]]:
    """``(field, as it is, values worth a try)``."""
    several_domains = [gpus for gpus in _multiples(job.gpus) if gpus > job.domain and gpus % job.gpus_per_node == 0]
    yield GPUS, job.gpus, several_domains
    yield "training.global_batch", job.global_batch, _multiples(job.global_batch)
    if job.loop is not None:  # its sequences are as long as the answers
        return
    yield "training.sequence_length", job.sequence_length, _multiples(job.sequence_length, SHORTEST_SEQUENCE)


def _multiples(now: int, least: int = 1) -> list[int]:
    """Whole values a power of two away, nearest first, the smaller of two as near first."""
    values = sorted({int(now * factor) for factor in FACTORS if now * factor >= least})
    return sorted(values, key=lambda value: distance(value, now))


def _nearest(
    path: str, now: int, values: list[int], columns: list[Entry], job: Resolved, chosen: Entry, pipeline: Pipeline
) -> Flip | None:
    """The value nearest to ``now`` at which another fabric is recommended; those at which the costs of the plan, scaled
    by the new steps, speak for it are tried."""
    if all(column is chosen for column in columns):  # nothing else comes into question at any size
        return None
    likely = (value for value in values if _choice_at(path, value, columns, job, chosen, pipeline) is not None)
    tried = (_resized(path, now, value, job, chosen, pipeline) for value in likely)
    return next((flip for flip in tried if flip is not None), None)


def _resized(path: str, now: float, value: float, job: Resolved, chosen: Entry, pipeline: Pipeline) -> Flip | None:
    """The flip that planning again with another size leads to."""
    try:
        there = pipeline.predictor.varied(job, path, value).questionnaire
    except InputError:
        return None
    found = _recommended(there, pipeline)
    return None if found in (None, chosen.id) else Flip(input=path, from_=now, at=value, to_fabric=found)


def _choice_at(
    path: str, value: int, columns: list[Entry], job: Resolved, chosen: Entry, pipeline: Pipeline
) -> Entry | None:
    """What would likely be chosen instead for the job with one number changed, everything assumed from it assumed
    anew."""
    try:
        there = pipeline.predictor.varied(job, path, value)
        if path == GPUS and pipeline.predictor.cheapest_anyhow(there, columns, chosen):
            return None
        times = pipeline.predictor.step_times(there, [e.considered for e in columns])
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
