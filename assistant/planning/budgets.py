"""Budgets besides that of the whole run or purchase: what may be spent a month, and the network's share of it; and what
a run may come to beside the sum that is held against one."""

from __future__ import annotations

from math import ceil

from assistant.vocabulary.questionnaire import Questionnaire

from .entry import Entry, band_of

BUDGETS = ("usd", "usd_per_month", "network_share_percent")  # fields of the questionnaire's budget that are limits
SHORT = 8.0  # hours of a run: beyond them the last one that was begun is a tenth of the sum or less


def usd_per_month(entry: Entry, questionnaire: Questionnaire) -> float:
    """US dollars of a month: of machines rented or written off all month; a rented run that is shorter costs itself
    alone."""
    whole = entry.price.usd_per_month(questionnaire.cluster.gpus)
    return whole if questionnaire.budget.mode == "buy" else min(whole, entry.median_cost)


def average_over(entry: Entry, questionnaire: Questionnaire) -> float | None:
    """US dollars of a run, or of a month, on machines that may be taken away on average, where that is more than may
    be spent on it; ``None`` elsewhere. A month of a longer run costs what is let for it, however long that takes."""
    if not (entry.costed and entry.risky):
        return None
    budget, run = questionnaire.budget, entry.ranked_cost
    month = min(entry.price.usd_per_month(questionnaire.cluster.gpus), run)
    over = (
        mean for mean, most in ((run, budget.usd), (month, budget.usd_per_month)) if most is not None and mean > most
    )
    return max(over, default=None)


def network_share_percent(entry: Entry) -> float | None:
    """Percent that is the network's, of the purchase or, rented, of what a GPU-hour costs; ``None`` where its price is
    within that of the machines."""
    price = entry.price
    network, machines = price.fabric_total, price.gpu_total
    if price.capital_usd is not None:
        network, machines = price.fabric_usd_per_hour.value, price.gpu_usd_per_hour.value
    if price.fabric_usd_per_hour.origin == "included" or not network + machines:
        return None
    return 100 * network / (network + machines)


def within_month(entry: Entry, questionnaire: Questionnaire) -> bool:
    """Whether a month costs no more than may be spent a month."""
    limit = questionnaire.budget.usd_per_month
    return limit is None or not entry.costed or usd_per_month(entry, questionnaire) <= limit


def within_share(entry: Entry, questionnaire: Questionnaire) -> bool:
    """Whether the network takes no more than its share, as far as its price is known."""
    limit = questionnaire.budget.network_share_percent
    return limit is None or not entry.costed or (network_share_percent(entry) or 0.0) <= limit


def in_whole_hours(entry: Entry) -> float | None:
    """US dollars of a short run by the hour where each hour that was begun is billed, which no list tells; ``None`` of
    others."""
    offered, hours = entry.price.offered, entry.median_hours
    if offered is None or entry.price.least_hours or offered.tier == "capacity-block" or not 0 < hours < SHORT:
        return None
    if offered.quote is not None and offered.quote.usd is not None:  # a sum of the whole run
        return None
    return entry.median_cost * ceil(hours) / hours


def one_in_ten(entry: Entry) -> float | None:
    """US dollars that one run in ten costs or more on machines that may be taken away; ``None`` on others."""
    return band_of(entry.likely_cost).p90 if entry.price.spot is not None else None
