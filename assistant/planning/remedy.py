"""For a job that cannot be done: the smallest change that would make it work. What is named has been tried."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from math import isfinite

from assistant.model import Adapters
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.quantities import HOURS_PER_MONTH
from assistant.vocabulary.questionnaire import Parallelism

from .budgets import BUDGETS, network_share_percent, usd_per_month, within_month, within_share
from .candidates import on_the_market
from .choice import meets
from .design import design_for
from .entry import Entry
from .grid import round_sizes
from .headline import usd
from .money import effective_time
from .predictor import Predictor
from .resolve import Resolved

GIB = 2.0**30
_OVER_BUDGET = "screen/over-budget"
MORE = (2, 3, 4, 6, 8, 12, 16, 32, 64)  # times the GPUs of a job that does not fit
MOST_TIMES = 3  # as many GPUs as perfect scaling asks for: what scales worse than to a third is no remedy


def smallest_change(job: Resolved, entries: list[Entry], predictor: Predictor) -> str:
    """One sentence: what stands in the way, and the value with which it would work."""
    computed = [e for e in entries if e.estimated is not None]
    if not computed:
        return f"Nothing in the catalog joins {job.gpu.name}: choose another GPU."
    fits = [e for e in computed if e.estimate.fits]
    if not fits:
        return _memory(job, min(computed, key=lambda e: e.estimate.memory_bytes), predictor)
    sold = [e for e in fits if e.considered.sold is not False]
    if not sold:
        return _not_sold(job, fits) + _in_one_domain(job, predictor)
    allowed = [e for e in sold if e.verdict != "impossible"] or sold
    if min(e.estimate.copies_short for e in allowed) > 1:
        return _more_copies(job, allowed[0], predictor)
    return _loosened(job, allowed, predictor)


def _not_sold(job: Resolved, fits: list[Entry]) -> str:
    """What to do where nobody, or not who was named, lets these GPUs with a network that the job can run on."""
    if job.questionnaire.budget.quotes:
        return f"None of the quotes has a network that {job.gpus:,} {job.gpu.name} can run this job on: ask for one."
    if job.provider is not None:
        return (
            f"The catalog knows no offer of {job.gpu.name} by {job.provider.name} with a network between nodes: leave "
            "the provider open, or take a GPU that it offers with one."
        )
    what = f"{job.gpus:,} {job.gpu.name}"
    silent = dict.fromkeys(offered.provider_name for e in fits for offered in e.considered.offers)
    if silent:
        return (
            f"{' and '.join(silent)} {'let' if len(silent) > 1 else 'lets'} {what} without telling a price: ask, and "
            "give the rent that you are quoted (budget.gpu_hour_usd)."
        )
    ways = "give the rent that you were quoted (budget.gpu_hour_usd), or plan to buy"
    return f"Nobody in the catalog rents out {what} at a price that it quotes: {ways}."


def _in_one_domain(job: Resolved, predictor: Predictor) -> str:
    """That fewer of them, which need no network, would do, where somebody lets these at a price."""
    if job.domains == 1 or job.sites > 1 or not fits_on(job, job.domain, job.parallelism, predictor):
        return ""
    there = replace(job, gpus=job.domain)
    if not any(offered.price for offered in on_the_market(there, predictor.catalog)):
        return ""
    return f" With the {job.domain} of one scale-up domain, which need no network, it would work."


def _memory(job: Resolved, least: Entry, predictor: Predictor) -> str:
    need, have = least.estimate.memory_bytes / GIB, job.gpu.memory.si / GIB
    text = f"It needs {need:,.0f} GiB per GPU and {job.gpu.name} has {have:,.0f} GiB"
    if job.serves:
        text = (
            f"One copy takes {job.architecture.bytes(job.precision) / GIB:,.0f} GiB for its {job.precision} weights "
            f"alone and {job.gpus:,} {job.gpu.name} hold {job.gpus * have:,.0f} GiB"
        )
    if job.parallelism is not None and fits_on(job, job.gpus, None, predictor):
        return f"{text}: with parallelism auto it fits on these {job.gpus:,} GPUs."
    fewer = _adapters(job, predictor)
    for gpus in (job.gpus * factor for factor in MORE):
        for split in dict.fromkeys([job.parallelism is not None, False]):
            if fits_on(job, gpus, job.parallelism if split else None, predictor):
                auto = "" if split or job.parallelism is None else " and parallelism auto"
                return f"{text}: with {gpus:,} GPUs{auto} it would fit{fewer}."
    return f"{text}: take GPUs with more memory, or a smaller model{fewer}."


def _adapters(job: Resolved, predictor: Predictor) -> str:
    """The way to train fewer weights that would fit where the job does not: LoRA, else QLoRA."""
    if job.serves or job.questionnaire.workload not in ("finetuning", "rlhf"):
        return ""
    usual = job.adapters or Adapters(base="bf16" if job.precision == "fp8" else job.precision)
    tried = {"LoRA": None if job.adapters else usual, "QLoRA": replace(usual, base="nf4")}
    for method, adapters in tried.items():
        if adapters is not None and fits_on(replace(job, adapters=adapters), job.gpus, job.parallelism, predictor):
            return f", or with {method} on these {job.gpus:,}"
    return ""


def fits_on(job: Resolved, gpus: int, parallelism: Parallelism | None, predictor: Predictor) -> bool:
    """Whether the job fits on another number of GPUs, at one split or (``None``) at any."""
    per_node = job.gpus_per_node if gpus % job.gpus_per_node == 0 else min(job.gpu.gpus_per_node, gpus)
    batch = max(job.global_batch, 1)
    return predictor.fits(
        replace(job, gpus=gpus, gpus_per_node=per_node, sites=1, parallelism=parallelism, global_batch=batch)
    )


def _more_copies(job: Resolved, entry: Entry, predictor: Predictor) -> str:
    """The fewest whole nodes that carry the load, each size with its own best split."""
    load, node = job.served.requests_per_s, max(job.gpus_per_node, job.gpu.gpus_per_node)
    carried = 100 / entry.estimate.copies_short
    text = f"{job.gpus:,} GPUs carry {carried:.2g} % of {load:g} requests per second"
    most = -(-int(1.1 * entry.estimate.copies_short * job.gpus) // node) + 1
    low, high = 0, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _carries(job, middle * node, node, entry, predictor) else (middle, high)
    return f"{text}: with about {high * node:,} GPUs it would work."


def _carries(job: Resolved, gpus: int, node: int, entry: Entry, predictor: Predictor) -> bool:
    there = replace(job, gpus=gpus, gpus_per_node=min(node, gpus), sites=1)
    return any(e.usable and e.estimate.copies_short <= 1 for e in predictor.estimated(there, entry.id))


def _loosened(job: Resolved, allowed: list[Entry], predictor: Predictor) -> str:
    """The constraints that stand in the way, with the values that would do."""
    q = job.questionnaire
    quick = min(allowed, key=lambda e: e.median_hours)
    # Of those that only the money speaks against, if there are any.
    cheap = min([e for e in allowed if set(e.reasons) <= {_OVER_BUDGET}] or allowed, key=lambda e: e.outlay)
    asked = []
    if q.constraints.deadline_days is not None and quick.median_hours / 24 > q.constraints.deadline_days:
        asked.append(
            f"a deadline of {quick.median_hours / 24:.3g} days (the fastest, {quick.id}) instead of "
            f"{q.constraints.deadline_days:g}" + _more_gpus(job, quick, predictor)
        )
    if q.budget.usd is not None and cheap.costed and cheap.outlay > q.budget.usd:
        less = _fewer_bought(job, cheap, q.budget.usd, predictor)
        asked.append(f"a budget of {usd(cheap.outlay)} (the cheapest, {cheap.id}) instead of {usd(q.budget.usd)}{less}")
    asked += _other_budgets(job, [e for e in allowed if e.costed])
    frugal = min(allowed, key=lambda e: e.power_kw or 0.0)
    if q.constraints.max_power_kw is not None and (frugal.power_kw or 0.0) > q.constraints.max_power_kw:
        fitting = int(job.gpus * q.constraints.max_power_kw / (frugal.power_kw or 1.0))
        fitting -= fitting % job.gpus_per_node if fitting > job.gpus_per_node else 0
        asked.append(
            f"{frugal.power_kw:,.3g} kW ({frugal.id}) instead of {q.constraints.max_power_kw:g} kW, which feed "
            f"{fitting:,} GPUs"
        )
    if not asked and q.constraints.max_slowdown_percent is not None:
        slowest = min(allowed, key=lambda e: e.slowdown_percent or 0)
        asked.append(
            f"a slowdown of {slowest.slowdown_percent or 0:.3g} % accepted instead of "
            f"{q.constraints.max_slowdown_percent:g} %"
        )
    if not asked:
        free = q.model_copy(update={"budget": q.budget.model_copy(update=dict.fromkeys(BUDGETS))})
        one = min((e for e in allowed if meets(e, free)), key=lambda e: e.outlay, default=cheap)
        asked.append(f"a budget of {usd(one.outlay)}, which buys {one.id} within the other limits")
    return "It would work with " + " and ".join(asked) + "."


def _fewer_bought(job: Resolved, entry: Entry, budget: float, predictor: Predictor) -> str:
    """``, which buys 24 GPUs with it``: the most whole nodes that a purchase within the budget has, if the job fits on
    them; else nothing."""
    months, machines = entry.price.months, entry.price.gpu_usd_per_hour.value * HOURS_PER_MONTH
    if months is None or job.sites > 1:
        return ""
    for gpus in range(
        int(budget / (machines * months)) // job.gpus_per_node * job.gpus_per_node, 0, -job.gpus_per_node
    ):
        drawn = design_for(entry, replace(job, gpus=gpus), predictor.catalog)
        if drawn is not None and gpus * machines * months + drawn.capex_usd.mid <= budget:
            return f", which buys {gpus:,} GPUs with it" if fits_on(job, gpus, job.parallelism, predictor) else ""
    return ""


def _other_budgets(job: Resolved, allowed: list[Entry]) -> list[str]:
    """What a month, and the network, would have to be allowed."""
    q, asked = job.questionnaire, []
    if not allowed:
        return asked
    if q.budget.usd_per_month is not None and not any(within_month(e, q) for e in allowed):
        least = min(allowed, key=lambda e: usd_per_month(e, q))
        asked.append(f"{usd(usd_per_month(least, q))} a month ({least.id}) instead of {usd(q.budget.usd_per_month)}")
    if q.budget.network_share_percent is not None and not any(within_share(e, q) for e in allowed):
        least = min(allowed, key=lambda e: network_share_percent(e) or 0.0)
        share = network_share_percent(least) or 0.0
        asked.append(f"{share:.3g} % for the network ({least.id}) instead of {q.budget.network_share_percent:g} %")
    return asked


def _more_gpus(job: Resolved, quick: Entry, predictor: Predictor) -> str:
    """``, or with about 1,408 GPUs``: the smallest size tried whose run ends by the deadline; else nothing.

    What was assumed from the size, the batch above all, is assumed anew at each.
    """
    deadline = job.questionnaire.constraints.deadline_days
    here = None if job.serves or job.sites > 1 else _time_per_token(job, job.gpus, quick, predictor)
    if here is None or deadline is None:
        return ""
    allowed = deadline * 24 / quick.median_hours * here
    least = job.gpus * here / allowed
    for gpus in takewhile(lambda size: size <= MOST_TIMES * least, round_sizes(least, job.gpus_per_node)):
        found = _time_per_token(job, gpus, quick, predictor)
        if found is not None and found <= allowed:
            return f", or with about {gpus:,} GPUs"
    return ""


def _time_per_token(job: Resolved, gpus: int, entry: Entry, predictor: Predictor) -> float | None:
    """Seconds on another number of GPUs at the best split, the failures of so many nodes included; ``None`` where the
    job cannot be split so."""
    try:
        there = predictor.varied(job, "cluster.gpus", gpus, same_nodes=True)
        [step] = predictor.step_times(there, [entry.considered])
    except InputError:
        return None
    trains = effective_time(there, predictor.catalog)
    if not isfinite(step) or trains is None:
        return None
    return float(step) / there.tokens_per_step * 100 / trains.p50
