"""What moves the cost of the recommendation: each thing that is uncertain about it, alone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import numpy as np

from assistant.vocabulary.plan import Mover

from .entry import Entry, about
from .money import stretched_by
from .resolve import Resolved

What = Literal["price", "purchase-price", "step", "interruptions", "network-price"]
LEAST = 0.005  # of the cost between the percentiles: what moves it less is not told


def movers_of(chosen: Entry | None, job: Resolved) -> list[Mover]:
    """What moves the cost most first; nothing where nothing is chosen or has a price.

    Each is drawn in the worlds in which all are drawn together for the cost's own band; the others stay in the middle.
    """
    if chosen is None or not chosen.costed:
        return []
    found = [_mover(what, cost, chosen.median_cost) for what, cost in _alone(chosen, job)]
    told = [one for one in found if one.high_usd - one.low_usd > LEAST * chosen.median_cost]
    return sorted(told, key=lambda one: one.low_usd - one.high_usd)


def _alone(chosen: Entry, job: Resolved) -> Iterator[tuple[What, np.ndarray]]:
    """The cost in every world, (worlds,), with one thing drawn."""
    price, middle, worlds = chosen.price, chosen.median_cost, np.ones_like(chosen.cost)
    yield "price" if price.months is None else "purchase-price", middle * worlds * chosen.price_error
    if not np.ptp(chosen.cost):  # a sum that was quoted, or machines that are let all month
        return
    hours = chosen.median_hours
    interruptions = stretched_by(price.spot or price.interruptions)
    drawn: tuple[tuple[What, np.ndarray], ...] = (("step", chosen.estimate.draws), ("interruptions", interruptions))
    for what, times in drawn:
        yield what, np.asarray(price.run_cost(about(times, hours), job.gpus))
    network = (chosen.cost - np.asarray(price.run_cost(chosen.hours, job.gpus))) / chosen.hours
    yield "network-price", middle + network * hours


def _mover(what: What, cost: np.ndarray, middle: float) -> Mover:
    """The band of a cost, around the middle that the plan names."""
    low, mid, high = np.quantile(cost, (0.1, 0.5, 0.9))
    return Mover(what=what, low_usd=float(middle * low / mid), high_usd=float(middle * high / mid))
