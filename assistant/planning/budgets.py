"""Budgets besides that of the whole run or purchase: what may be spent a month, and the network's share of it."""

from __future__ import annotations

from assistant.vocabulary.questionnaire import Questionnaire

from .entry import Entry

BUDGETS = ("usd", "usd_per_month", "network_share_percent")  # fields of the questionnaire's budget that are limits


def usd_per_month(entry: Entry, questionnaire: Questionnaire) -> float:
    """US dollars of a month: of machines rented or written off all month; a rented run that is shorter costs itself
    alone."""
    whole = entry.price.usd_per_month(questionnaire.cluster.gpus)
    return whole if questionnaire.budget.mode == "buy" else min(whole, entry.median_cost)


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
