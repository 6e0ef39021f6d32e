"""Which candidates keep what was asked, and which miss nothing of it but the sum, because of their price."""

from __future__ import annotations

import numpy as np

from assistant.vocabulary.questionnaire import Questionnaire

from .budgets import usd_per_month, within_month, within_share
from .entry import Entry

# Rules that have nothing against a network but that it costs more than may be spent: another price silences them.
_TOO_DEAR = frozenset({"screen/over-budget", "screen/over-the-monthly-budget"})


def meets(entry: Entry, questionnaire: Questionnaire) -> bool:
    """Within what was asked, with enough copies for the requests asked for, each answered as fast as was asked for."""
    return within(entry, questionnaire) and _carries(entry)


def in_time(entry: Entry) -> bool:
    """Whether the targets of a request's tokens are met at the median, where any were given."""
    return entry.estimate.serving is None or entry.estimate.serving.meets_targets is not False


def within(entry: Entry, questionnaire: Questionnaire) -> bool:
    """Within deadline, accepted slowdown, power and budget at the median (as far as there is a price). A budget is that
    of the run, or of the purchase."""
    return _within_the_rest(entry, questionnaire) and not _over(entry, questionnaire)


def too_dear_alone(entry: Entry, questionnaire: Questionnaire) -> bool:
    """Whether what is rented is held off by its price alone: at a lower one it would keep all that was asked, and no
    rule has anything else against it."""
    if questionnaire.budget.mode != "rent" or not (entry.usable and entry.costed and _over(entry, questionnaire)):
        return False
    unopposed = entry.verdict != "impossible" and _TOO_DEAR.issuperset(entry.reasons)
    return unopposed and _carries(entry) and _within_the_rest(entry, questionnaire)


def affordable_share(entry: Entry, questionnaire: Questionnaire) -> float:
    """Down to which share of its price an offer keeps the budgets in money; 1 where it keeps them as it is."""
    budget, shares = questionnaire.budget, [1.0]
    if budget.usd is not None and entry.outlay > budget.usd:
        shares.append(budget.usd / entry.outlay)
    if budget.usd_per_month is not None and not within_month(entry, questionnaire):
        shares.append(budget.usd_per_month / usd_per_month(entry, questionnaire))
    return min(shares)


def cost_if_affordable(entry: Entry, questionnaire: Questionnaire) -> np.ndarray:
    """US dollars of the run at the prices that may turn out, (worlds,), infinite where the price is one at which the
    budget is missed."""
    fits = entry.price_error <= affordable_share(entry, questionnaire)
    return np.where(fits, entry.likely_cost, np.inf)


def _carries(entry: Entry) -> bool:
    return entry.estimate.copies_short <= 1 and in_time(entry)


def _over(entry: Entry, questionnaire: Questionnaire) -> bool:
    """Whether it costs more than may be spent, in all or a month."""
    limit = questionnaire.budget.usd
    over = limit is not None and entry.costed and entry.outlay > limit
    return over or not within_month(entry, questionnaire)


def _within_the_rest(entry: Entry, questionnaire: Questionnaire) -> bool:
    """Within all that was asked besides sums of money."""
    constraints, latest = questionnaire.constraints, questionnaire.latest_days
    late = latest is not None and entry.days > latest
    slow = (
        constraints.max_slowdown_percent is not None
        and (entry.slowdown_percent or 0.0) > constraints.max_slowdown_percent
    )
    hungry = constraints.max_power_kw is not None and (entry.power_kw or 0.0) > constraints.max_power_kw
    return not (late or slow or hungry) and within_share(entry, questionnaire)
