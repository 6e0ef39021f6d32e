"""What is worth saying unasked, once a plan stands: at most one line, planned again before it is said.

Tried is only what the plan itself hints at (a long wait, a full memory, states that need several nodes), so most plans
try nothing or one thing.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Alternative, RivalOffer
from assistant.vocabulary.quantities import HOURS_PER_MONTH, exact_usd, outward

from .affordable import Change, planned_by
from .entry import Entry
from .headline import lasting, name_of, usd
from .pipeline import Decision, Pipeline
from .quotes import provider_of
from .resolve import Resolved

WAITS = 8.0  # percent of a step that communication takes, from which fewer GPUs may cost less
SAVES = 0.15  # of the cost: what saves less is not worth a line
LONGER = 3.0  # times the run: who waits for one node as long as that wants no advice to save
_LESS = 0.01  # of the price of a quote: the lists and the quotes are of the same day, so less is less
SOON = 52.0  # weeks of use within which a network must have paid for itself
FULL_RECOMPUTE = "full"  # the memory is so tight that work is done twice


def volunteered(made: Decision, pipeline: Pipeline, rival: RivalOffer | None = None) -> str | None:
    """The line, or ``None`` where nothing is worth one: no choice, no price, several sites, or nothing that saves a
    good part of the cost within the same limits. ``rival``: beside quotes the best published offer."""
    chosen, job = made.choice.chosen, made.job
    if chosen is None or not chosen.costed or job.sites > 1 or made.instead_of is not None:
        return None
    if job.questionnaire.budget.quotes:
        return _published(job, chosen, rival, pipeline.catalog)
    if made.choice.kept:
        return _pays_back(made, chosen)
    found = (_line(made, chosen, change, pipeline) for change in _hinted(made, chosen))
    return next((text for text in found if text), None)


def _published(job: Resolved, chosen: Entry, rival: RivalOffer | None, catalog: Catalog) -> str | None:
    """A list price at which the run costs less than with the quote that is taken, and so than with any."""
    if rival is None or rival.quote is None or not rival.cost_usd or not chosen.costed:
        return None
    if rival.cost_usd > (1 - _LESS) * chosen.median_cost:
        return None
    even = rival.quote_even_at_usd_per_gpu_hour
    match = f": quote {rival.quote} would match it at ${exact_usd(outward(even, up=False))}" if even else ""
    sum_ = (
        f", {usd(rival.cost_usd)} {'a month' if job.questionnaire.open_ended else 'in all'}" if rival.cost_usd else ""
    )
    seller = catalog.names.get(rival.provider, rival.provider)
    listed = f"{seller} lists {rival.instance} at ${rival.usd_per_gpu_hour:.2f} per GPU-hour{sum_}"
    bound = _bound_by_its_quote(job, rival.provider, catalog)
    return f"{listed}, less than any quote{match}{bound}."


def _bound_by_its_quote(job: Resolved, seller: str, catalog: Catalog) -> str:
    """The least time for which the same seller's quote is, which its list does not ask for: without it the list price
    may not be had."""
    quotes = [(provider_of(quote, catalog), quote.least_days) for quote in job.questionnaire.budget.quotes]
    days = min((least for one, least in quotes if one and least and seller in (one.id, one.name)), default=None)
    called = catalog.names.get(seller, seller)
    return (
        f"; {called}'s own quote is for {days:,.0f} days at least: ask whether its list holds without" if days else ""
    )


def _pays_back(made: Decision, chosen: Entry) -> str | None:
    """A network of one's own that is soon paid by the hours of the machines that it saves: its price, written off over
    the months, ÷ what the machines cost in the hours it saves."""
    budget, hours = made.job.questionnaire.budget, chosen.median_hours
    if budget.mode != "buy" or made.job.serves:
        return None
    found = []
    for one in made.entries:
        saves = 1 - one.median_hours / hours if one.costed and one.verdict == "acceptable" and one.usable else 0.0
        if one is not chosen and saves > 0:
            written_off = one.price.fabric_total * (budget.amortization_months or 36) * HOURS_PER_MONTH
            found.append((written_off / (saves * one.price.gpu_total) / 168, one, saves))
    weeks, one, saves = min(found, key=lambda each: each[0], default=(SOON + 1, chosen, 0.0))
    if weeks > SOON:
        return None
    shorter = f"runs {100 * saves:.0f} % shorter"
    return f"{name_of(one)} would pay back in about {ceil(weeks)} weeks of use: {shorter}."


def _hinted(made: Decision, chosen: Entry) -> Iterator[Change]:
    """What the plan gives a reason to try, the likeliest to be worth it first."""
    job, asked = made.job, made.job.questionnaire
    training, estimate = asked.training, chosen.estimate
    if job.serves:
        served = estimate.serving
        if served and served.gpus_per_copy > job.domain and job.gpu.peak_fp8 is not None and "8" not in job.precision:
            yield {"inference.precision": "fp8"}
        return
    if training is None:
        return
    same: Change = {}  # with the days the work would change
    if training.days is not None and made.work is not None:
        same = {"training.days": None, "training.tokens": round(made.work.steps * job.tokens_per_step)}
    if asked.budget.machines_there and job.nodes > 1 and chosen.price.capital_usd:
        yield same | {"cluster.gpus": job.domain}  # of what is there as much as needs no network
    if asked.workload == "finetuning" and training.method == "full" and job.nodes > 1 and job.adapters is None:
        yield same | {"training.method": "lora", "cluster.gpus": job.gpus_per_node}
    if training.days is not None or asked.budget.mode == "buy":
        return  # who names the days wants them; what is bought is there
    if estimate.parallelism.get("recompute") == FULL_RECOMPUTE:
        yield {"cluster.gpus": 2 * job.gpus}
    if estimate.exposed_percent >= WAITS and job.nodes > 1:
        yield {"cluster.gpus": job.gpus // 2}


def _line(made: Decision, chosen: Entry, change: Change, pipeline: Pipeline) -> str | None:
    found = planned_by(made.job.questionnaire, change, pipeline)
    if found is not None and found.fabric == "none" and made.job.questionnaire.budget.machines_there:
        done = f"{usd(found.cost_usd)}, done in {lasting(found.run_hours)} instead of {lasting(chosen.median_hours)}"
        how = "With LoRA, on" if change.get("training.method") == "lora" else "On"
        return f"{how} {change['cluster.gpus']:,} of those that are there nothing has to be bought: {done}."
    if found is None or found.cost_usd > (1 - SAVES) * chosen.outlay:
        return None
    if change.get("training.method") == "lora":
        if found.run_hours > LONGER * chosen.median_hours:
            return None
        gpus, joined = change["cluster.gpus"], "without a network" if found.fabric == "none" else "on one node"
        return f"If adapters (LoRA) would do: {gpus:,} GPUs {joined}, {_sums(chosen, found)}."
    if "inference.precision" in change:
        joined = ", and a copy needs no network" if found.fabric == "none" else ""
        return f"In FP8 it would cost {usd(found.cost_usd)} instead of {usd(chosen.outlay)}{joined}."
    much_later = found.run_hours > 1.5 * chosen.median_hours
    if much_later and made.job.questionnaire.latest_days is None:
        return None  # cheaper for being later is no news
    return f"{change['cluster.gpus']:,} GPUs would cost less: {_sums(chosen, found)}."


def _sums(chosen: Entry, found: Alternative) -> str:
    """What it costs and how long it takes, beside what is recommended."""
    done = f"{lasting(found.run_hours)} instead of {lasting(chosen.median_hours)}"
    return f"{usd(found.cost_usd)} instead of {usd(chosen.outlay)}, done in {done}"
