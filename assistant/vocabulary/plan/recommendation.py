"""The answer: each network that was considered, which one, how sure, and where that turns."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field

from .offers import Alternative, RivalOffer
from .parts import Band, Barred, Certainty, Contract, Verdict
from .prediction import Breakdown, LearningStep, ServingFigures


class Flip(Contract):
    """The nearest value of one input at which another fabric is recommended, or ``to_quote`` (from 1) in place of
    another; ``even``: of a price, where the two cost the same; ``dated``: the day of the price at which it turns,
    where with the date of the list it would not: what is old counts for dearer, as nobody knows it as well."""

    input: str
    from_: Any = Field(validation_alias="from", serialization_alias="from")
    at: Any
    to_fabric: str
    even: float | None = None
    to_quote: int | None = None
    dated: str | None = None


Outcome = Literal["recommended", "no-network-needed", "infeasible"]


class Card(Contract):
    """The answer in five short lines, each of which stands alone."""

    do: str
    cost: str
    finish: str
    because: str
    changes_if: str


class Recommendation(Contract):
    """The answer in one sentence, how sure it is and where it turns. ``certainty``: how clear it is which network costs
    least, of a network that was given too whether that is another; ``tied``: the networks whose cost the error cannot
    tell from that of the answer, itself first; ``confidence``: the share of drawn worlds in which the answer is the
    cheapest of those that keep what was asked, or within a percent of it: what ``certainty`` says in a word, but for
    how near the next one comes."""

    fabric: str
    verdict: Outcome
    headline: str
    confidence: float
    certainty: Certainty = "clear"
    tied: list[str] = Field(default_factory=list)
    card: Card | None = None
    runner_up: str | None = None
    flips: list[Flip] = Field(default_factory=list)
    offer: int | None = None  # where the plan's offers have the one recommended
    rival_offer: RivalOffer | None = None  # of the same network, whose choice the confidence says nothing of
    smallest_change: str | None = None  # infeasible: what would make it work
    what_fits: list[Alternative] = Field(default_factory=list)  # over budget: what would keep it
    not_the_likeliest: str | None = None  # why another fabric is recommended than the one most often the cheapest


class Medians(Contract):
    """The middle of the bands of a fabric, infinite where nothing was computed, and how it stands."""

    if TYPE_CHECKING:
        verdict: Verdict
        barred: Barred | None
        step_time_s: Band | None
        cost_usd: Band | None

    @property
    def standing(self) -> str:
        """The verdict in words, of one that is out of the question what stands in its way."""
        return (self.barred or self.verdict).replace("-", " ")

    @property
    def median_cost(self) -> float:
        """US dollars of the run."""
        return self.cost_usd.p50 if self.cost_usd else math.inf

    @property
    def median_step(self) -> float:
        """Seconds, of a service those of each further token."""
        return self.step_time_s.p50 if self.step_time_s else math.inf


class Candidate(Medians):
    """One fabric considered, at its own best parallelism unless that is fixed.

    Figures are ``None`` where nothing was computed (a fabric that cannot exist here).
    """

    fabric: str
    verdict: Verdict
    barred: Barred | None = None  # of an impossible one why
    reasons: list[str] = Field(default_factory=list)
    limits_missed: list[str] = Field(default_factory=list)  # of those that were given, in words
    parallelism: dict[str, Any] = Field(default_factory=dict)
    step_time_s: Band | None = None
    tokens_per_s_per_gpu: float | None = None
    mfu: float | None = None
    exposed_communication_percent: float | None = None
    slowdown_percent: float | None = None
    memory_gb_per_gpu: float | None = None
    fits: bool | None = None
    run_hours: float | None = None
    run_hours_band: Band | None = None  # of the same worlds as the cost
    delivery_days: float | None = None  # before it, from the order; None where nobody said
    cost_usd: Band | None = None
    fabric_usd_per_gpu_hour: float | None = None  # of one that is bought the write-off with its power and upkeep
    usd_per_month: float | None = None  # rented or written off all month; a shorter rented run: itself
    usd_to_buy: float | None = None  # of what is not there yet; None where nothing is bought or it has no price
    # what the GPU costs with this fabric: a cloud's own fabric has its cloud's price
    offer: int | None = None  # the cheapest of the plan's offers with this fabric
    gpu_usd_per_hour: float | None = None
    probability_best: float | None = None
    breakdown_s: Breakdown | None = None
    # training: what failures and checkpoints leave of the time, on machines that nobody takes away
    effective_time_percent: Band | None = None
    learning: LearningStep | None = None
    serving: ServingFigures | None = None


class Mover(Contract):
    """What the cost of the recommendation would be, US dollars, if one thing alone turned out at its tenth or its
    ninetieth percentile and all else in the middle; what moves it most stands first."""

    what: Literal["price", "purchase-price", "step", "interruptions", "network-price"]
    low_usd: float
    high_usd: float
