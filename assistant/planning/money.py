"""Hours and dollars of the run on every candidate, and how they compare."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np

from assistant.library.freshness import half_life_days
from assistant.market import (
    CandidatePrice,
    Interruptions,
    Offered,
    candidate_prices,
    checkpoint_seconds,
    interruptions_of,
)
from assistant.model.uncertainty import normal_draws
from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Catalog, ListPrice
from assistant.vocabulary.plan import Band
from assistant.vocabulary.quantities import HOURS_PER_MONTH
from assistant.vocabulary.questionnaire import Quote

from .candidates import Considered
from .design import Drawn
from .entry import Entry, Stretched, about, median
from .resolve import Resolved

NOTICED = 0.05  # share of runs that never finish from which there is no mean to tell (fewer count as stopped late)


def priced(
    entries: list[Entry], job: Resolved, catalog: Catalog, designs: dict[str, Drawn], today: datetime.date | None
) -> list[Entry]:
    """The entries with their prices, each once on every terms (tier, term, rate of interruption) on which its network
    is let; those that cannot be had at all as they are. ``designs``: the network of each fabric, when buying."""

    def on_terms(entry: Entry) -> list[Entry]:
        terms = entry.considered.on_each_terms() if entry.considered.computable else ()
        some = [entry.again(considered=one, priced=_price(one, job, catalog, designs, today)) for one in terms]
        return some or [entry]

    found = [on_terms(entry) for entry in entries]
    whole = [
        _joined_inside(one, found, bought=job.questionnaire.budget.mode == "buy")
        if one.estimated is not None and one.estimate.alternatives
        else some
        for one, some in zip(entries, found, strict=True)
    ]
    return [one if _stands_alone(one, job) else _not_between_sites(one) for some in whole for one in some]


def _stands_alone(entry: Entry, job: Resolved) -> bool:
    """Whether it joins the whole job; between sites no network at all is what a site may take inside, and no more."""
    return entry.considered.fabric.technology != "none" or job.sites == 1 or job.serves


def _not_between_sites(entry: Entry) -> Entry:
    return Entry(replace(entry.considered, exists=False, offers=()))


def _price(
    one: Considered, job: Resolved, catalog: Catalog, designs: dict[str, Drawn], today: datetime.date | None
) -> CandidatePrice:
    drawn = designs.get(one.fabric.id)
    return candidate_prices(
        job.questionnaire,
        job.gpu,
        one.fabric,
        one.offers,
        catalog,
        drawn.bill if drawn else None,
        nodes=job.nodes,
        checkpoint_bytes=checkpoint_bytes(job, catalog),
        today=today,
    )


def _joined_inside(entry: Entry, found: list[list[Entry]], *, bought: bool) -> list[Entry]:
    """Between sites: islands on every fabric that may join the GPUs of a site, at its prices; machines of one's own
    stand in no cloud. The line between the sites has no price here."""
    named = {islands.parallelism["inside_each_site"] for islands in entry.estimate.alternatives}
    insides = [some for some in found if some[0].id in named and some[0].estimated is not None]
    joined = [
        replace(
            entry,
            considered=replace(entry.considered, offers=one.considered.offers, sold=one.considered.sold),
            estimated=islands,
            priced=one.price,
            inside=one,
        )
        for islands, some in zip(entry.estimate.alternatives, insides, strict=True)
        for one in some
    ]
    buyable = [one for one in joined if one.inside and one.inside.considered.fabric.providers is None]
    return buyable if bought and buyable else joined


def checkpoint_bytes(job: Resolved, catalog: Catalog) -> float | None:
    """One GPU's part of a checkpoint; ``None`` where nothing is trained."""
    return None if job.serves else catalog.constants["cost-checkpoint-state"].si * job.trained_params / job.gpus


def effective_time(job: Resolved, catalog: Catalog) -> Band | None:
    """Percent of a training run's time that trains, on machines that nobody takes away; ``None`` for serving."""
    state = checkpoint_bytes(job, catalog)
    if state is None:
        return None
    said = job.questionnaire.cluster.failures_per_node_day
    return effective_percent(interruptions_of(job.nodes, checkpoint_seconds(state, catalog), catalog, said=said))


@lru_cache(maxsize=256)
def effective_percent(interruptions: Interruptions) -> Band:
    """The share of the time that trains as a band, percent."""
    p10, p50, p90 = (100.0 * share for share in interruptions.effective())
    return Band(p10=p10, p50=p50, p90=p90)


def at_other_prices(
    entries: list[Entry],
    job: Resolved,
    catalog: Catalog,
    today: datetime.date | None,
    charging: Callable[[Offered], Offered],
    steps: float,
) -> list[Entry]:
    """Rented entries of one site, priced and run, with what is offered at other prices: those that have nothing of it
    as they are, the others priced and run again."""
    seen = [entry.considered.charging(charging) for entry in entries]
    found = [
        entry.again()
        if one is entry.considered
        else entry.again(considered=one, priced=entry.priced and _price(one, job, catalog, {}, today))
        for one, entry in zip(seen, entries, strict=True)
    ]
    changed = [new for new, old in zip(found, entries, strict=True) if new.considered is not old.considered]
    run(found, job, catalog, steps, changed)
    return found


def run(entries: list[Entry], job: Resolved, catalog: Catalog, steps: float, only: list[Entry] | None = None) -> None:
    """Fill in hours, cost and slowdown of the run, of all or ``only`` some of the entries.

    The work of ``steps`` is the same for all; failures and checkpoints stretch it. Machines that answer a load stand
    ready all month.
    """
    computed = [e for e in entries if e.estimated is not None]
    fitting = _that_count(entries)
    if not fitting:
        return
    fastest = min(e.step for e in fitting)
    for entry in computed if only is None else [e for e in only if e.estimated is not None]:
        price = entry.price
        if _is_let_all_month(job):
            entry.run_hours = np.full_like(entry.estimate.draws, HOURS_PER_MONTH)
        else:
            entry.stretched, hours = _stretched(entry), _disturbed(entry, job, steps)
            entry.run_hours = entry.stretched.about(hours)
            entry.median_hours = entry.stretched.median_at(hours)
        entry.run_cost, entry.price_error = _cost(entry, job.gpus, catalog), _price_error(price, catalog)
        entry.steady_cost = steady_cost(entry, job)
        entry.slowdown_percent = 100 * (entry.step / fastest - 1)
        if job.questionnaire.budget.mode == "rent" and price.offered is not None:
            _as_quoted(entry, price.offered.quote, job.gpus)


def hours_at_a_price(entries: list[Entry], job: Resolved, steps: float) -> list[tuple[float, Entry]]:
    """Hours at the median that :func:`run` gives to what can be used at a price, each with its entry."""
    able = [e for e in entries if e.usable and e.priced is not None and e.priced.known]
    if _is_let_all_month(job):
        return [(HOURS_PER_MONTH, entry) for entry in able]
    return [(_stretched(entry).median_at(_disturbed(entry, job, steps)), entry) for entry in able]


def stretch(entries: list[Entry]) -> list[Entry]:
    """The entries, each with its step as interruptions stretch it: the same for every amount of work."""
    for entry in entries:
        if entry.estimated is not None and entry.priced is not None:
            entry.stretched = _stretched(entry)
    return entries


def _stretched(entry: Entry) -> Stretched:
    """Failures and, on spot machines, interruptions stretch the run."""
    interrupted = entry.price.spot or entry.price.interruptions
    if entry.stretched is not None and entry.stretched.interruptions == interrupted:
        return entry.stretched
    return Stretched.of(interrupted, entry.estimate.draws * stretched_by(interrupted))


def _disturbed(entry: Entry, job: Resolved, steps: float) -> float:
    """Hours of the work at the median, interruptions included."""
    return _undisturbed(entry, job, steps) * entry.price.failure_factor * entry.price.spot_factor


def steady_cost(entry: Entry, job: Resolved) -> float | None:
    """US dollars of the run of ``entry`` on the same machines on demand, to which who gives up spot machines goes over
    (:func:`mean_cost`); ``None`` where these are none, their list has no such price, or some runs never end."""
    price, offered = entry.price, entry.price.offered
    if price.spot is None or offered is None or unfinished(price.spot) >= NOTICED:
        return None
    steady = offered.steady
    if steady is None or steady.listed is None:
        return None
    hours = entry.median_hours / (1.0 if _is_let_all_month(job) else price.spot_factor)
    return price.taking(steady, job.gpus // job.sites).run_cost(hours, job.gpus)


def _as_quoted(entry: Entry, quote: Quote | None, gpus: int) -> None:
    """The cost by the terms of a quote: a sum without a term is that of the run."""
    if quote is None or quote.months is not None or quote.usd is None:
        return
    entry.run_cost = np.full_like(entry.hours, quote.usd)
    hourly = replace(entry.price.gpu_usd_per_hour, value=quote.usd / (entry.median_hours * gpus))
    entry.priced = replace(entry.price, gpu_usd_per_hour=hourly)


@lru_cache(maxsize=64)
def _part_error(part: str, spread: float) -> np.ndarray:
    """What a part of a network turns out to cost ÷ what was read, (worlds,)."""
    return np.exp(spread * normal_draws(f"price {part}"))


def list_price_spread(catalog: Catalog, of: str) -> float:
    """Standard deviation of the logarithm of what is agreed in the end ÷ what a list says: ``of`` a tier, or of a price
    of ``low-trust``."""
    return catalog.constants[f"price-spread-{of if of in ('spot', 'low-trust') else 'list'}"].si


def list_price_error(provider: str, listed: ListPrice, age_days: int | None, catalog: Catalog) -> np.ndarray:
    """What a rent turns out to be ÷ what the list of ``age_days`` days ago says, in every world: the same for all that
    one provider lets."""
    spread = list_price_spread(catalog, "low-trust" if listed.trust == "low" else listed.tier)
    drift = np.log1p(catalog.constants["freshness-price-drift"].si)
    half_lives = max(age_days or 0, 0) / catalog.constants["cost-price-half-life"].value
    return _agreed(provider, float(np.hypot(spread, drift * np.sqrt(half_lives))))


@lru_cache(maxsize=256)
def _agreed(provider: str, spread: float) -> np.ndarray:
    """What one provider agrees to ÷ what its list says, (worlds,)."""
    return np.exp(spread * normal_draws(f"price of {provider}"))


def _price_error(price: CandidatePrice, catalog: Catalog) -> np.ndarray | float:
    """That of the offer whose price it is, or of the purchase; 1 where it is neither's, and of what is quoted."""
    offered = price.offered
    if offered is not None and offered.quote is not None:
        return 1.0
    if price.months is not None:
        return _purchase_error(price, catalog)
    if offered is None or offered.listed is None:
        return 1.0
    return list_price_error(offered.provider, offered.listed, price.gpu_usd_per_hour.age_days, catalog)


def _purchase_error(price: CandidatePrice, catalog: Catalog) -> np.ndarray | float:
    """What machines that were not quoted turn out to cost moves their part of the sum, the same for every network."""
    machines = price.gpu_usd_per_hour
    if machines.origin not in ("catalog", "derived"):
        return 1.0
    drift = np.log1p(catalog.constants["freshness-price-drift"].si)
    half_lives = max(machines.age_days or 0, 0) / half_life_days(catalog, "purchase price")
    error = (
        np.exp(
            np.hypot(list_price_spread(catalog, "purchase"), drift * np.sqrt(half_lives))
            * normal_draws(f"price {machines.device or machines.what}")
        )
        - 1
    )
    return 1 + machines.value / (price.gpu_total + price.fabric_total) * error


@lru_cache(maxsize=256)
def stretched_by(interruptions: Interruptions) -> np.ndarray:
    """What interruptions stretch a run by in every world, (worlds,): the same for every fabric."""
    return interruptions.factors(normal_draws("failures"), normal_draws("restart"))


@lru_cache(maxsize=256)
def unfinished(interruptions: Interruptions) -> float:
    """The share of the worlds in which a run with these interruptions does not finish."""
    return interruptions.unfinished(normal_draws("failures"), normal_draws("restart"))


def _is_let_all_month(job: Resolved) -> bool:
    """Whether machines stand ready for a load, however long they wait for it."""
    return job.serves and job.served.job_tokens is None and job.served.sizes


def _undisturbed(entry: Entry, job: Resolved, steps: float) -> float:
    """Hours of the work at the median, did nothing interrupt it."""
    bulk, served = job.serves and job.served.job_tokens, entry.estimate.serving
    if bulk and served:
        return bulk / max(served.output_tokens_per_s, 1e-9) / 3600
    return steps * entry.step / 3600


def _that_count(entries: list[Entry]) -> list[Entry]:
    computed = [e for e in entries if e.estimated is not None]
    return [e for e in computed if e.usable] or [e for e in computed if e.estimate.fits] or computed


def _cost(entry: Entry, gpus: int, catalog: Catalog) -> np.ndarray:
    """US dollars in every world; a fabric price nobody quoted varies from world to world."""
    price, hours = entry.price, entry.hours
    cost, fabric = price.run_cost(hours, gpus), price.fabric_usd_per_hour
    if fabric.origin in ("catalog", "derived") and fabric.value:
        # What several networks are built from is dearer or cheaper for all of them.
        parts = [(part.device or part.what, usd) for part, usd in price.fabric_parts] or [(entry.id, fabric.value)]
        spread = catalog.constants["price-spread-network"].si
        error = added(usd * (_part_error(part, spread) - 1) for part, usd in parts)
        # The middle stays that of the prices as they were read: rate × hours is the cost that is told.
        cost = about(cost + price.charged(hours) * gpus * price.paid_share * error, median(cost))
    return cost
