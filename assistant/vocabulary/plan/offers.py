"""What machines come to for a job: published, quoted, and instead of what was asked."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, Literal

from pydantic import Field

from ..catalog import Tier, Trust
from .parts import Band, Contract, Verdict


def tier_told(tiers: Collection[str]) -> str:
    """`` (spot)`` beside a price that only such machines have; nothing beside that of machines on demand."""
    return "" if "on-demand" in tiers or not tiers else f" ({' and '.join(sorted(tiers))})"


class RentalOffer(Contract):
    """What one provider's machines come to for this job: ``fabric`` is what joins them, ``gbps_per_gpu`` its line rate.

    Without a price (USD per GPU-hour) nothing of the money is known. ``verdict`` is that of the fabric, and
    ``meets_limits`` tells whether deadline, budget and the other limits are kept; ``finishes_on`` is the day on which a
    run ends that begins on the day of the plan. ``months``: of a reservation, paid in whole terms. ``tied``: its sum is
    that of the cheapest within what lists and agreed prices differ by. ``paid_over_listed``: what the sums count ÷
    the price, above 1 where that is of a marketplace's cheapest host. ``gpus_paid``: of whole machines, and of the
    smallest order.
    """

    provider: str
    provider_name: str = ""  # as people write it; empty where a quote names nobody of the catalog
    instance: str
    gpu: str
    fabric: str
    gbps_per_gpu: float | None
    tier: Tier
    usd_per_gpu_hour: float | None
    usd_per_month: float | None
    run_cost_usd: Band | None
    expected_cost_usd: float | None = (
        None  # of spot machines: the mean, by which they are compared, of runs that go over to the same machines on
        # demand once as much is spent as these would have cost; null: there is none
    )
    unfinished_percent: float | None = None  # of spot machines: of runs that are interrupted faster than they restart
    finishes_days: float | None
    date: str | None
    source: str | None
    stale: bool
    verdict: Verdict
    meets_limits: bool
    network_included: bool | None
    trust: Trust | None = None
    kind: Literal["published", "quote"] = "published"
    finishes_on: str | None = None
    months: float | None = None
    tied: bool = False
    paid_over_listed: float = 1.0
    gpus_paid: int | None = None
    whole_days_up_to: float | None = None  # of a capacity block: longer ones are booked in whole weeks

    @property
    def ranked_usd(self) -> float:
        """By what offers are compared: the middle, of spot machines the mean where that is more; infinite where there
        is no sum, and where some runs never finish."""
        if self.run_cost_usd is None or self.unfinished_percent:
            return float("inf")
        return max(self.run_cost_usd.p50, self.expected_cost_usd or 0.0)


class QuotedOffer(Contract):
    """One of the person's quotes beside what is published. ``number`` counts them from 1, as they were given.

    ``run_cost_usd``: of a service a month's, and ``term_usd`` that of all ``months`` of its term;
    ``waiting_percent``: of the step, in which the GPUs wait for the network; ``effective_usd_per_gpu_hour``: what
    an hour of computing costs when that waiting is paid as well; ``finishes_on``: ordered on the day of the plan,
    and run as soon as it is delivered; ``usd_per_gpu_hour_to_win``: at which price it would cost as much as the
    best; ``counted``: what it says of its network, with which its time was worked out; ``missing``: what it leaves
    open; ``reply``: a mail that asks for it. ``published``: the list price nearest to it, and how far the quote is
    above it.
    """

    number: int
    provider: str | None
    fabric: str | None
    said: str
    usd_per_gpu_hour: float | None = None
    run_cost_usd: Band | None = None
    months: float | None = None
    term_usd: float | None = None
    finishes_days: float | None = None
    delivery_days: float | None = None
    finishes_on: str | None = None
    waiting_percent: float | None = None
    effective_usd_per_gpu_hour: float | None = None
    usd_per_gpu_hour_to_win: float | None = None
    verdict: Verdict | None = None
    meets_limits: bool | None = None
    includes: list[str] = Field(default_factory=list)
    counted: str = ""
    missing: list[str] = Field(default_factory=list)
    published: RentalOffer | None = None
    over_published_percent: float | None = None
    note: str = ""
    reply: str = ""


class Alternative(Contract):
    """A change (field → value) with which the job keeps its budget and every other limit; it was planned before it is
    named. ``cost_usd``: of the run, or of the purchase where the machines are ``bought``; ``expected_cost_usd``: the
    mean of spot machines, where it is more; ``done_by``: the day on which a run ends that begins on the day of the
    plan. ``whole_hours_usd``: of a short run by the hour, where each hour that was begun is billed;
    ``one_in_ten_usd``: of spot machines, what one run in ten costs or more; ``price_age_days``: of a rent that is
    old. ``tokens``: of a run that was given in days what this trains, where it is less than ``tokens_as_asked``;
    ``gpus_bought``: beside those that are there."""

    change: dict[str, Any]
    fabric: str
    provider: str | None
    cost_usd: float
    expected_cost_usd: float | None = None
    whole_hours_usd: float | None = None
    one_in_ten_usd: float | None = None
    price_age_days: int | None = None
    bought: bool = False
    gpus_bought: int | None = None
    run_hours: float
    tokens: float | None = None
    tokens_as_asked: float | None = None
    delivery_days: float = 0.0  # before it, from the order
    done_by: str | None = None


class RivalOffer(Contract):
    """The offer of somebody else with the recommended network that comes nearest to the one recommended: its list price
    and the price from which on it would be the cheaper one, USD per GPU-hour.

    Beside quotes the published offer that would be taken without them, with its ``fabric``, and the price of the
    ``quote`` that is taken (from 1) at which the run costs as much; ``cost_usd`` of the run or of a service's month.
    """

    provider: str
    instance: str
    tier: str
    usd_per_gpu_hour: float
    cheaper_at_usd_per_gpu_hour: float
    fabric: str | None = None
    quote: int | None = None
    quote_even_at_usd_per_gpu_hour: float | None = None
    cost_usd: float | None = None
