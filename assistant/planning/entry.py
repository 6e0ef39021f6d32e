"""One fabric as the planner carries it from prediction to verdict."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from assistant.market import CandidatePrice, Interruptions
from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Band, Barred, Breakdown, LearningStep, ServingFigures, Verdict

from .candidates import Considered

T = TypeVar("T")
_DOES_NOT_FIT = {"screen/does-not-fit", "screen/served-model-does-not-fit"}
_NOT_QUOTED = "screen/not-in-the-quotes"
_UNSOLD = {"screen/rented-out-by-nobody", "screen/not-sold-by-the-provider", _NOT_QUOTED}


@dataclass(frozen=True)
class Estimate:
    """What the model says of a job on one fabric.

    ``draws``: seconds per step (per output token when serving), shape (worlds,); index s is the same world for every
    fabric. ``rate``: work per second relative to a common unit, so that run time is work ÷ rate.
    """

    parallelism: dict[str, Any]
    draws: np.ndarray
    band: Band
    tokens_per_s_per_gpu: float
    tflops_per_gpu: float
    mfu: float
    exposed_percent: float
    memory_bytes: float
    fits: bool
    breakdown: Breakdown
    outside: tuple[str, ...] = ()
    traffic: dict[str, float] = field(default_factory=dict)
    alternatives: tuple[Estimate, ...] = ()  # between sites: islands on each fabric that may join the GPUs of a site
    training: Breakdown | None = None  # reinforcement learning: one optimizer step by itself
    learning: LearningStep | None = None  # the same: the halves of the step, the sync, memory by phase
    serving: ServingFigures | None = None
    crowded: str = ""  # why a split that was given and fits may run out of memory
    copies_short: float = 0.0  # serving: requests asked for ÷ requests carried within the targets; above 1 is too few

    @property
    def computing_s(self) -> float:
        """Seconds of the step in which its GPUs compute; of reinforcement learning those outside the sync and the
        exposed communication of training."""
        parts = self.breakdown
        if self.training is None:
            return parts.compute + parts.recompute
        inside = parts.generation + parts.logprob + parts.reference + parts.judges + parts.training + parts.waiting
        return inside - added(self.exposed_s(name) for name in ("dp", "tp", "cp", "ep", "pp_p2p"))

    def exposed_s(self, kind: str) -> float:
        """Seconds of the step that communication of one kind takes and nothing hides."""
        if self.training is None:
            return float(getattr(self.breakdown, kind))
        whole = added(self.training.model_dump().values())
        return float(getattr(self.training, kind)) / whole * self.breakdown.training


@dataclass(frozen=True)
class Stretched:
    """Seconds per step in every world, shape (worlds,), with what ``interruptions`` stretch the run by, and the two in
    the middle."""

    interruptions: Interruptions
    draws: np.ndarray
    low: float
    high: float

    @classmethod
    def of(cls, interruptions: Interruptions, draws: np.ndarray) -> Stretched:
        """``draws``: an even number of them."""
        return cls(interruptions, draws, *_middle(draws))

    def median_at(self, wanted: float) -> float:
        """The median, to the last bit, of :meth:`about`: a product with one number keeps the order of the draws."""
        factor = self._factor(wanted)
        return (self.low * factor + self.high * factor) / 2

    def about(self, wanted: float) -> np.ndarray:
        """The draws with this median, as :func:`about` has them."""
        return self.draws * self._factor(wanted) if wanted else self.draws

    def _factor(self, wanted: float) -> float:
        return wanted / ((self.low + self.high) / 2) if wanted else 1.0


@dataclass(eq=False)  # itself and no other, as its draws compare element by element
class Entry:
    """A considered fabric with its estimate, price, run and verdict. Filled from left to right.

    ``estimate``, ``price``, ``hours`` and ``cost`` are asked for only where they are known: :class:`LookupError`
    elsewhere.
    """

    considered: Considered
    estimated: Estimate | None = None
    priced: CandidatePrice | None = None
    inside: Entry | None = None  # between sites: the fabric that joins the GPUs of each
    stretched: Stretched | None = None  # the step with what interrupts a run at this price
    run_hours: np.ndarray | None = None  # shape (worlds,)
    run_cost: np.ndarray | None = None  # US dollars at the prices of the lists, shape (worlds,)
    price_error: np.ndarray | float = 1.0  # what the rent turns out to be ÷ what the list says, shape (worlds,)
    slowdown_percent: float | None = None
    steady_cost: float | None = None  # of spot machines: US dollars of the run on the same ones on demand
    power_kw: float | None = None  # machines, switches and optics, without cooling; None where nobody asks for it
    probability_best: float | None = None
    tie: bool = False
    points: float = 0.0
    verdict: Verdict = "acceptable"
    outweighed_by: str | None = None  # the saving for which it is taken although a rule says to avoid it
    reasons: list[str] = field(default_factory=list)
    ruled_out_by: list[str] = field(default_factory=list)  # of the reasons those that leave no way

    @property
    def estimate(self) -> Estimate:
        return _known(self.estimated)

    @property
    def price(self) -> CandidatePrice:
        return _known(self.priced)

    @property
    def hours(self) -> np.ndarray:
        """Hours of the run, shape (worlds,)."""
        return _known(self.run_hours)

    @property
    def cost(self) -> np.ndarray:
        """US dollars of the run at the prices of the lists, shape (worlds,)."""
        return _known(self.run_cost)

    @cached_property
    def likely_cost(self) -> np.ndarray:
        """US dollars of the run at the prices that may turn out, shape (worlds,). Asked for only once both are
        known."""
        return about(self.cost * self.price_error, self.median_cost)

    @property
    def outlay(self) -> float:
        """US dollars that a budget is held against: the purchase of what is bought, and where nothing is the cost of
        the run."""
        return self.price.capital_usd or self.median_cost

    @property
    def id(self) -> str:
        return self.considered.fabric.id

    @property
    def usable(self) -> bool:
        """Can be had, was computed, fits in memory."""
        estimated = self.estimated
        return estimated is not None and estimated.fits and self.considered.sold is not False

    @property
    def barred(self) -> Barred | None:
        """What stands in the way of one that is impossible."""
        if self.verdict != "impossible":
            return None
        if (self.estimated is not None and not self.estimate.fits) or _DOES_NOT_FIT & set(self.ruled_out_by):
            return "does-not-fit"
        if self.considered.sold is not False or not set(self.ruled_out_by) <= _UNSOLD:
            return "impossible"
        unsold = "not-quoted" if _NOT_QUOTED in self.ruled_out_by else "not-sold"
        return "no-price-quoted" if self.considered.offers else unsold

    @property
    def costed(self) -> bool:
        """Whether its cost is one in dollars; else it counts GPU-hours, for want of a price."""
        return self.priced is not None and self.priced.known and self.run_cost is not None

    @property
    def step(self) -> float:
        """Median seconds per step."""
        return self.estimated.band.p50 if self.estimated is not None else float("inf")

    @cached_property
    def median_hours(self) -> float:
        """Asked for only once the hours are known."""
        return median(self.run_hours)

    @property
    def days(self) -> float:
        """Days from the order to the end of the run, at the median; to the tenth of a second, lest a run of 14 days
        ends on the fifteenth."""
        return round(((self.priced and self.priced.delivery_days) or 0.0) + self.median_hours / 24, 6)

    @cached_property
    def median_cost(self) -> float:
        """Asked for only once the cost is known."""
        return median(self.run_cost)

    @property
    def risky(self) -> bool:
        """Whether its machines may be taken away, and it costs more on average than at the median."""
        return self.ranked_cost > self.median_cost

    @cached_property
    def ranked_cost(self) -> float:
        """US dollars that it is compared by: the median; of machines that may be taken away the mean where that is
        more (:func:`mean_cost`). Whoever rents them pays for the worlds in which they are taken away often, which no
        median shows."""
        if self.priced is None or self.priced.spot is None or self.run_cost is None:
            return self.median_cost
        return max(self.median_cost, mean_cost(self.likely_cost, self.steady_cost))

    @cached_property
    def on_offers(self) -> dict[int, tuple[object, Entry]]:
        """Itself on each offer of its terms as far as that was asked for, with the offer, by its identity."""
        return {}

    def settled(self) -> Entry:
        """Itself, its medians looked for, so that its copies have them."""
        _ = self.ranked_cost, self.median_hours
        return self

    def again(self, **changed: Any) -> Entry:
        """A copy that may be filled in further; with some fields ``changed`` nothing is kept that was worked out of
        them. ``dataclasses.replace`` and ``copy.copy`` take several times as long."""
        new = object.__new__(Entry)
        kept = self.__dict__.items()
        new.__dict__.update({k: v for k, v in kept if k not in _WORKED_OUT} | changed if changed else kept)
        return new

    def scaled(self, cost: float, hours: float = 1.0) -> Entry:
        """The entry with its draws of cost and hours multiplied; their medians scale with them and are not looked for
        again."""
        run_hours = self.run_hours if hours == 1.0 else self.hours * hours
        changed = self.again(run_cost=self.cost * cost, run_hours=run_hours)
        changed.__dict__.update(
            median_cost=self.median_cost * cost,
            ranked_cost=self.ranked_cost * cost,
            median_hours=self.median_hours * hours,
        )
        return changed


_WORKED_OUT = frozenset(name for name, one in vars(Entry).items() if isinstance(one, cached_property))


def mean_cost(costs: np.ndarray, steady: float | None) -> float:
    """US dollars that a run on machines that may be taken away takes on average over the worlds of ``costs``, shape
    (worlds,). Nobody waits for ever: who has spent on them what ``steady`` ones would have cost gives up and begins
    anew on these, and pays twice that, which is at most twice the least that could have been paid; ``None``: there are
    none to go over to.

    ``steady`` is what the same machines cost on demand, at the list price of the same offer. What somebody else lets,
    on this network or another, is no part of it: it is known only while nobody is named, it would make the same
    machines dearer whenever another becomes cheaper, and who gives up in the middle of a run has data and settings
    where the machines are, and can be sure of neither elsewhere. On demand is what can be had on the day on which one
    gives up; a term has to be agreed before."""
    return float(np.mean(costs if steady is None else np.where(costs <= steady, costs, 2.0 * steady)))


def cheapest_of_each(variants: list[Entry], meets: Callable[[Entry], bool]) -> list[Entry]:
    """Each fabric once, as it costs least where it can be used and ``meets`` what was asked, in the order of the
    fabrics. Of a reservation the whole term counts, however short the run; at the same cost the shorter term is
    taken."""

    def rank(entry: Entry) -> tuple[bool, bool, float, float]:
        usable, term = entry.usable, entry.priced.least_hours if entry.priced else 0.0
        return not usable, not (usable and meets(entry)), entry.ranked_cost, term

    of_each: dict[str, list[Entry]] = {}
    for entry in variants:
        of_each.setdefault(entry.id, []).append(entry)
    return [some[0] if len(some) == 1 else min(some, key=rank) for some in of_each.values()]


def _known(value: T | None) -> T:
    if value is None:
        raise LookupError("expected an entry that is filled so far")
    return value


def median(draws: np.ndarray | None) -> float:
    """The median of an even number of draws, infinite where there are none; ``np.median`` takes ten times as long."""
    if draws is None:
        return float("inf")
    low, high = _middle(draws)
    return (low + high) / 2


def _middle(draws: np.ndarray) -> tuple[float, float]:
    middle = len(draws) // 2
    parted = np.partition(draws, (middle - 1, middle))
    return float(parted[middle - 1]), float(parted[middle])


def about(draws: np.ndarray, wanted: float) -> np.ndarray:
    """The draws with this median: of a product of draws it strays from the product of the medians by chance."""
    return draws * (wanted / median(draws)) if wanted else draws


def band_of(draws: np.ndarray) -> Band:
    """P10, P50 and P90 of draws; to the last bit what ``np.quantile`` says, which takes several times as long."""
    ordered, last = np.sort(draws), len(draws) - 1

    def at(share: float) -> float:
        low = int(share * last)
        part, under, over = share * last - low, float(ordered[low]), float(ordered[min(low + 1, last)])
        return over - (over - under) * (1.0 - part) if part >= 0.5 else under + (over - under) * part

    return Band(p10=at(0.1), p50=at(0.5), p90=at(0.9))
