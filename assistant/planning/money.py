"""Hours and dollars of the run on every candidate, and how they compare."""

from __future__ import annotations

import datetime

import numpy as np

from assistant.market import candidate_prices
from assistant.model.uncertainty import normal_draws
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.quantities import HOURS_PER_MONTH

from .design import oldest_price
from .entry import Entry
from .resolve import Resolved

# Spread of a fabric price that was not quoted: the source that prices all three fabrics gives bands of about a quarter
# around the middle (InfiniBand 0.23–0.37, Spectrum-X 0.17–0.24, RoCE 0.085–0.125 USD per GPU-hour).
FABRIC_PRICE_SPREAD = 0.25


def price(
    entries: list[Entry], job: Resolved, catalog: Catalog, designs: dict[str, FabricDesign], today: datetime.date | None
) -> None:
    """Fill in the prices. ``designs``: the network of each fabric, when buying."""
    gpus = job.gpus // job.sites
    for entry in entries:
        design = designs.get(entry.id)
        entry.priced = candidate_prices(
            job.questionnaire,
            job.gpu,
            entry.considered.fabric,
            entry.considered.offers,
            catalog,
            design.capex_usd.mid / gpus if design else None,
            fabric_power_per_gpu=design.power_w / gpus if design else None,
            capex_date=oldest_price(design) if design else None,
            nodes=job.nodes,
            today=today,
        )


def run(entries: list[Entry], job: Resolved) -> None:
    """Fill in hours, cost and slowdown of the run.

    The work is the same for all: the tokens asked for, or as much as the fastest candidate does in the days asked for
    (serving: in one month).
    """
    computed = [e for e in entries if e.estimated is not None]
    fitting = [e for e in computed if e.estimate.fits] or computed
    if not fitting:
        return
    fastest = min(e.step for e in fitting)
    steps = _steps(job, fastest)
    for entry in computed:
        # Failures and, on spot machines, interruptions stretch the run.
        hours = steps * entry.estimate.draws / 3600 * entry.price.failure_factor
        entry.slowdown_percent = 100 * (entry.step / fastest - 1)
        entry.run_cost = _cost(entry, hours, job.gpus)
        entry.run_hours = hours * entry.price.spot_factor


def _steps(job: Resolved, fastest_step: float) -> float:
    if job.tokens is not None:
        return job.tokens / job.tokens_per_step
    days = job.days if job.days is not None else HOURS_PER_MONTH / 24
    return days * 86400 / fastest_step


def _cost(entry: Entry, hours: np.ndarray, gpus: int) -> np.ndarray:
    """US dollars in every world of ``hours`` on demand; a fabric price nobody quoted varies from world to world."""
    cost = entry.price.run_cost(hours, gpus)
    fabric = entry.price.fabric_usd_per_hour
    if fabric.origin in ("catalog", "derived") and fabric.value:
        error = np.exp(FABRIC_PRICE_SPREAD * normal_draws(f"price {entry.id}")) - 1
        cost = cost + hours * entry.price.spot_factor * gpus * fabric.value * error
    return cost
