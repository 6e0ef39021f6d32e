"""Fewer GPUs than were asked for: where nobody lets all of them, where all of them are slower than some, and where all
of them cost more than may be spent."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import floor
from typing import TypeVar

from .budgets import usd_per_month
from .entry import Entry
from .missed import Missed, missed
from .resolve import Resolved

T = TypeVar("T")
_MOST_SIZES = 8  # tried, the largest first
# Of the GPUs that a budget pays for in proportion: a smaller network may cost less for each, and what comes with every
# cluster a little more.
AROUND = (1.25, 1.0, 0.95, 0.9, 0.8)
SMALLER = (3 / 4, 1 / 2, 1 / 3, 1 / 4, 1 / 6, 1 / 8, 1 / 16, 1 / 32)  # of the GPUs: tried besides, the largest first
REFINED = 6  # halvings of what is between a size that works and the next that does not


def sizes_faster(job: Resolved, entries: Iterable[Entry]) -> list[int]:
    """Fewer GPUs that may be done sooner, the most first: halves, and powers of two. Nothing where no deadline is
    missed, where the work grows with the GPUs, and where their number was fixed by what else was said."""
    if (
        job.questionnaire.latest_days is None
        or job.tokens is None
        or job.serves
        or job.sites > 1
        or _fixed(job)
        or not late(job, entries)
    ):
        return []
    below = {job.gpus >> power for power in range(1, _MOST_SIZES)}
    below |= {1 << max(job.gpus.bit_length() - power, 0) for power in range(1, _MOST_SIZES)}
    whole = {size // job.gpus_per_node * job.gpus_per_node for size in below}
    return sorted((size for size in whole if 0 < size < job.gpus), reverse=True)[:_MOST_SIZES]


def quickest(entries: Iterable[Entry]) -> float:
    """Hours of the run on the fastest network that can be had."""
    return min((e.median_hours for e in entries if e.usable and e.run_hours is not None), default=float("inf"))


def _fixed(job: Resolved) -> bool:
    """Whether what else was said leaves no other number of GPUs."""
    asked = job.questionnaire
    return asked.parallelism != "auto" or (asked.rl is not None and asked.rl.rollout_gpus is not None)


def _grows(job: Resolved) -> bool:
    """Whether more GPUs do more: of a run that is given in days, and of a service that serves what it can."""
    return job.days is not None or job.questionnaire.open_ended


def late(job: Resolved, entries: Iterable[Entry]) -> bool:
    """Whether every network that the job can run on misses the deadline."""
    latest = job.questionnaire.latest_days
    able = [e for e in entries if e.usable and e.run_hours is not None] if latest is not None else []
    return bool(able) and all(e.days > (latest or 0.0) for e in able)


def too_dear(
    job: Resolved, entries: Iterable[Entry], variants: Iterable[Entry] = ()
) -> tuple[Entry, list[Missed]] | None:
    """The cheapest of what misses nothing but a budget in money, and what it misses of it; ``None`` where something
    else stands in the way of everything. Of a month it is no such thing to so many tokens: on fewer GPUs they take as
    much longer, and may take years. ``variants``: the same networks on all terms on which they are let, judged as
    ``entries`` are."""
    judged = {entry.id: entry for entry in entries}
    able = [e for e in judged.values() if e.estimated is not None and e.estimate.copies_short <= 1]
    names = {e.id for e in able if e.verdict != "impossible"}
    short = [
        (e, limits)
        for e in (*able, *variants)
        if e.id in names and e.usable and e.costed and (limits := missed(e, job.questionnaire))
    ]
    money = {"budget.usd", "budget.usd_per_month"} if _grows(job) else {"budget.usd"}
    dear = [one for one in short if {limit.field for limit in one[1]} <= money]
    return min(dear, key=lambda one: one[0].ranked_cost, default=None)


def takes(job: Resolved, entries: Iterable[Entry], variants: Iterable[Entry]) -> str:
    """What all GPUs take at the least of the budget: ``$91,700 instead of $50,000``; empty where it is no budget that
    they miss."""
    dear = too_dear(job, entries, variants)
    return f"{dear[1][0].enough} instead of {dear[1][0].given}" if dear else ""


def may_be_fewer(job: Resolved) -> bool:
    """Whether a run that is rented, or a service without a load, is the one that was asked for on fewer GPUs too. Who
    buys has ordered so many, who was quoted has a price of so many, and a load takes what it takes."""
    asked = job.questionnaire
    loaded = job.serves and job.served.sizes and not job.served.job_tokens
    return not (asked.budget.mode == "buy" or asked.budget.quotes or job.sites > 1 or loaded or _fixed(job))


def sizes_paid(job: Resolved, cheapest: Entry) -> list[int]:
    """Fewer GPUs and fewer, in whole nodes: about as many as the budget pays for, then the usual shares; rented also
    halves of a node."""
    budget, node = job.questionnaire.budget, job.gpus_per_node
    month = budget.usd_per_month and budget.usd_per_month / usd_per_month(cheapest, job.questionnaire)
    in_proportion = budget.mode == "buy" or budget.reserved_days or _grows(job)
    paid = budget.usd / cheapest.outlay if budget.usd and in_proportion else None
    most = min((share for share in (month, paid) if share is not None), default=1.0)
    nodes = {floor(job.nodes * share) for share in (*(most * part for part in AROUND), *SMALLER)}
    gpus = {n * node for n in nodes if 0 < n <= AROUND[0] * job.nodes * most}
    if budget.mode != "buy":
        gpus |= {node >> power for power in range(1, node.bit_length())}
    return sorted((some for some in gpus if some < job.gpus), reverse=True)


def largest(job: Resolved, sizes: Sequence[int], works: Callable[[int], T | None]) -> T | None:
    """What ``works`` brings for the most GPUs, in whole nodes, with which it brings anything: the first of the sizes,
    the largest first, and what is between it and the next that does not."""
    found, most, above = None, 0, job.gpus
    for gpus in sizes:
        found = works(gpus)
        if found is not None:
            most = gpus
            break
        above = gpus
    node = job.gpus_per_node
    for _ in range(REFINED if found is not None and most >= node else 0):
        middle = (most + above) // 2 // node * node
        better = works(middle) if middle > most else None
        found, most, above = (better, middle, above) if better is not None else (found, most, middle)
    return found
