"""Spot machines that are taken away: how often until on demand is the cheaper way."""

from __future__ import annotations

from math import sqrt

from assistant.vocabulary.plan import RentalOffer

from ... import figures
from .. import reading
from .asked import Asked
from .operations import STOP, assumed, nodes

_OFTEN, _RESTART = "spot interruptions per node and day", "seconds to restart after a spot interruption"
_DAY = 86_400.0


def preempted(asked: Asked) -> list[str]:
    """Interruptions a day from which the run costs as much on demand, and what is counted.

    Lost of the time, with M seconds between interruptions, R to restart and δ to write a checkpoint: √(2δ/M) + R/M
    (Young 1974); on demand wins where that is more than the discount.
    """
    if reading.serves(asked.plan) or asked.buys or asked.best is None:
        return []
    spot, demand = _cheapest(asked, "spot"), _cheapest(asked, "on-demand")
    if spot is None or demand is None:
        return ["No price is known for both, spot and on demand, so no number of interruptions evens them out."]
    rate, price = spot.usd_per_gpu_hour or 0.0, demand.usd_per_gpu_hour or 0.0
    stop, restart = assumed(asked.plan, STOP), assumed(asked.plan, _RESTART)
    if rate >= price:
        return [f"From the first: spot at {figures.usd(rate)} is no cheaper than {figures.usd(price)} on demand."]
    if stop is None or not restart:
        return []
    lost = 1 - rate / price
    root = (sqrt(2 * stop + 4 * restart * lost) - sqrt(2 * stop)) / (2 * restart)
    many, often = _DAY * root**2, assumed(asked.plan, _OFTEN)
    now = (often or 0.0) * nodes(asked.plan)
    share = 100 * (sqrt(2 * stop * now / _DAY) + restart * now / _DAY)
    hours = asked.best.run_hours or 0.0
    end = f", so it is done in about {figures.hours(hours * (1 - share / 100) / (1 - lost))}" if hours else ""
    return [
        f"About {figures.significant(many, 2)} a day over all {nodes(asked.plan):,.0f} nodes, one every "
        f"{figures.seconds(_DAY / many)}: then {100 * lost:.0f} % of the time is lost{end}, and as much is saved by "
        f"{figures.usd(rate)} instead of {figures.usd(price)}.",
        f"Counted are {figures.significant(now, 2)} a day ({often:g} per node, an assumption): {share:.1f} % lost. A "
        f"restart takes {figures.seconds(restart)}, a checkpoint {figures.seconds(stop)}.",
        "All machines are often taken at once: agree with yourself on which day you change over.",
    ]


def _cheapest(asked: Asked, tier: str) -> RentalOffer | None:
    """The cheapest offer of a tier, of the seller of the plan's own where it has one; planned on spot where the plan
    is not."""
    plan = asked.plan if reading.asked(asked.plan, "budget.spot") else asked.tried({"budget.spot": True})
    own = asked.plan.taken
    able = [o for o in plan.offers if o.tier == tier and o.usd_per_gpu_hour] if plan is not None else []
    same = [o for o in able if own is not None and o.provider == own.provider]
    return min(same or able, key=lambda o: o.ranked_usd, default=None)
