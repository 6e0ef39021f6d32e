"""How dear the offer that a plan rests on may become before another is taken in its place."""

from __future__ import annotations

import datetime

from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import RentalOffer
from assistant.vocabulary.prices import Dearer

from .entry import Entry
from .flips import Charging
from .offers import list_price_at
from .pipeline import CHOICE_ALONE
from .planner import Begun
from .turning import Even, turn


def when_dearer(begun: Begun) -> Dearer | None:
    """The turn of the offer that is recommended; ``None`` where it has no dated price and sum."""
    plan, made = begun.plan, begun.made
    taken = plan.taken
    if taken is None or taken.run_cost_usd is None or taken.usd_per_gpu_hour is None or taken.date is None:
        return None
    usd = taken.usd_per_gpu_hour
    rivals = [o for o in plan.offers if o.meets_limits and o.verdict != "avoid" and _who(o) != _who(taken)]
    # what costs less already was not chosen for its price
    able = [o for o in rivals if taken.ranked_usd <= o.ranked_usd < float("inf")]
    nearest = min(able, key=lambda o: o.ranked_usd, default=None)
    if nearest is None:
        return Dearer(None, None, rivals=len(rivals))
    prices: list[float] = []

    def tried(price: float) -> str | None:
        prices.append(price)
        charging = Charging(taken.provider, usd, price, begun.pipeline.today or datetime.date.today())
        try:
            there = begun.pipeline.decide(made.job.questionnaire, CHOICE_ALONE, charging=charging, work=made.work)
        except InputError:
            return None
        return there.choice.chosen and _taken(there.choice.chosen)

    even = Even("", usd, list_price_at(taken, nearest.ranked_usd), tried, up=True)
    found = turn(even, f"{taken.provider}: {taken.instance}, {taken.fabric}") if even.near else None
    at, then = found or (None, f"{nearest.provider}: {nearest.instance}, {nearest.fabric}")
    return Dearer(at, then, max(prices, default=None), len(rivals))


def _who(offer: RentalOffer) -> tuple[str, str]:
    return offer.provider, offer.instance


def _taken(chosen: Entry) -> str | None:
    """Whose machines are taken, and what joins them."""
    offered = chosen.priced.offered if chosen.priced else None
    return offered and f"{offered.provider}: {offered.offer.name}, {(chosen.inside or chosen).id}"
