"""An offer as one job sees it: who lets it, on which terms, and how many GPUs of whole machines are paid for."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil

import numpy as np

from assistant.vocabulary.catalog import Fact, ListPrice, Offer, Provider, Tier
from assistant.vocabulary.quantities import HOURS_PER_MONTH
from assistant.vocabulary.questionnaire import Quote

from .priced import constant

_FORESEEN = 0.005  # of a run: a block of 14 days is booked for 14 days and an hour
_FOR_A_TERM: tuple[Tier, ...] = ("reserved", "capacity-block")


@dataclass(frozen=True)
class Offered:
    """A named instance or cluster of a provider (its id and its name, which is empty where a quote names nobody) in one
    tier, with its list price there if one was read.

    ``markup``: what is paid ÷ what is listed, where the list tells the price of a marketplace's cheapest host.
    ``by_the_day``: days up to which a capacity block is booked in whole days; longer ones are in whole weeks.
    ``reserved_percent_off``: off its list, at most and for no term that is told.
    ``quote``: the quote it stands for, which no list says; ``number``: its place among the quotes.
    ``steady``: of spot machines the same ones on demand, where the list has that price.
    """

    provider: str
    provider_name: str
    offer: Offer
    tier: Tier = "on-demand"
    listed: ListPrice | None = None
    quote: Quote | None = None
    number: int = 0
    markup: float = 1.0
    by_the_day: float = 0.0
    reserved_percent_off: float | None = None
    steady: Offered | None = None

    @property
    def name(self) -> str:
        """``CoreWeave HGX H100``: the provider's name and the offer's, said once where one holds the other."""
        own = self.offer.name
        return own if self.provider_name.lower() in own.lower() else f"{self.provider_name} {own}"

    @property
    def where(self) -> str:
        """``at CoreWeave``; of a quote that names nobody ``as in quote 2``."""
        return f"at {self.provider_name}" if self.provider_name else f"as in {self.offer.name}"

    @property
    def price(self) -> Fact | None:
        """The list price of a GPU-hour; ``None`` where none was read."""
        return self.listed and self.listed.price

    @property
    def usd_per_gpu_hour(self) -> float | None:
        """What is paid for a GPU-hour; ``None`` where no price was read."""
        return None if self.listed is None else self.listed.price.si * self.markup

    @property
    def summed(self) -> bool:
        """Whether a sum is made of its price: of a reservation that tells no term nobody can say what a run costs, a
        capacity block's price of low trust is no ground to leave the list on demand for, and a mean is nobody's
        offer."""
        if self.listed is None:
            return True
        if self.tier not in _FOR_A_TERM:
            return not self.listed.mean
        return self.listed.months is not None if self.tier == "reserved" else self.listed.trust != "low"

    def charging(self, other: Callable[[Offered], Offered]) -> Offered:
        """Itself at another price, and so the same machines on demand."""
        charged, steady = other(self), self.steady and other(self.steady)
        return charged if steady is self.steady else replace(charged, steady=steady)

    def beside(self) -> Iterator[Offered]:
        """The same machines at the list prices of which no sum is made: they are shown, and compete with nobody."""
        for tier in _FOR_A_TERM:
            some = [price for price in self.offer.prices if price.tier == tier and price.months is None]
            one = replace(self, tier=tier, listed=self.offer.usual(some))
            if one.listed is not None and not one.summed:
                yield one

    def told(self) -> Offered:
        """Itself; where its list has no price on demand but the mean of several, with that."""
        means = [price for price in self.offer.prices if price.tier == self.tier and price.mean]
        return replace(self, listed=self.offer.usual(means)) if self.listed is None and means else self

    @property
    def least_reserved_usd(self) -> float | None:
        """The least USD per GPU-hour that the provider publishes for a reservation without telling its term."""
        if (off := self.reserved_percent_off) is not None and self.usd_per_gpu_hour is not None:
            return self.usd_per_gpu_hour * (1 - off / 100)
        return min((one.usd_per_gpu_hour or 0.0 for one in self.beside() if one.tier == "reserved"), default=None)

    def charged(self, hours: np.ndarray) -> np.ndarray:
        """The hours that are paid for of a run of ``hours``, told at the price of the term.

        A reservation is paid in whole terms, as many as the middle of the draws takes: the first however short the run;
        after it it is renewed for another, or the rest is kept on demand where the list has that price and it comes to
        less. What a draw takes longer than what was booked is paid by the hour, and so is what is beyond a quote's
        least time. A capacity block is paid in whole days, a longer one in whole weeks. What is longer by no more than
        anybody can foresee begins none.
        """
        if self.tier == "capacity-block":
            days = np.ceil(hours / 24 * (1 - _FORESEEN))
            return 24 * np.where(days > self.by_the_day, 7 * np.ceil(days / 7), days)
        if self.term_hours:
            terms, rest_on_demand = self.booked(float(np.median(hours)))
            booked = terms * self.term_hours
            beyond = np.maximum(hours - booked, 0.0)
            hours = booked + beyond * (self._on_demand if rest_on_demand else 1.0)
        return np.maximum(hours, self.least_hours) if self.least_hours else hours

    def booked(self, hours: float) -> tuple[int, bool]:
        """Whole terms that are paid of a run of ``hours``, and whether the rest of it is kept on demand."""
        terms = max(1, ceil(hours * (1 - _FORESEEN) / self.term_hours))
        rest = hours - (terms - 1) * self.term_hours
        return (terms - 1, True) if terms > 1 and self._on_demand * rest < self.term_hours else (terms, False)

    @property
    def term_hours(self) -> float:
        """Hours of a term that is agreed; 0 without one."""
        return ((self.quote.months if self.quote else self.listed and self.listed.months) or 0.0) * HOURS_PER_MONTH

    @property
    def _on_demand(self) -> float:
        """List price on demand of the same machines ÷ that of the term; infinite where nobody names it."""
        hourly = None if self.quote else self.offer.price("on-demand")
        return hourly.price.si / self.listed.price.si if hourly and self.listed and self.listed.price.si else np.inf

    @property
    def least_hours(self) -> float:
        """Hours that are paid for however short the run: the first term, that or the least of a quote."""
        if self.quote:
            return 24 * (self.quote.least_days or 0.0)
        return self.term_hours

    @property
    def once_usd(self) -> float:
        """US dollars that are paid once, beside the price."""
        return (self.quote and self.quote.once_usd) or 0.0

    @property
    def terms(self) -> Hashable:
        """What of it, besides the price, decides what a run takes: the tier and the term. Each quote is a way of its
        own, and so are the spot machines of each offer: they differ in how often they are taken away, and in what it
        costs to go over to steady ones."""
        spot = (self.provider, self.offer.name) if self.tier == "spot" else None
        return self.tier, self.least_hours, spot, self.number

    def paid(self, gpus: int) -> int:
        """The GPUs that are paid for: all of every machine, but for a part of one where the smallest order is less."""
        per_machine = self.offer.gpus_per_node
        least = per_machine if self.offer.min_gpus is None else self.offer.min_gpus
        whole = gpus if gpus < per_machine and least < per_machine else -(-gpus // per_machine) * per_machine
        return max(whole, least)


def offered_tiers(provider: Provider, offer: Offer, constants: Mapping[str, Fact], *, spot: bool) -> Iterator[Offered]:
    """On demand always, with its price or without; reserved for each term that is told; as a capacity block, and on the
    spot market where that is allowed, where a price was read."""

    def of(tier: Tier, listed: ListPrice | None) -> Offered:
        markup = constant(constants, "market-paid-over-cheapest").si if listed and listed.of_the_cheapest else 1.0
        daily = constant(constants, "capacity-block-by-the-day").value if tier == "capacity-block" else 0.0
        at_most = provider.reserved_percent_off and provider.reserved_percent_off.value
        terms = {"markup": markup, "by_the_day": daily, "reserved_percent_off": at_most}
        return Offered(provider.id, provider.name, offer, tier, listed, **terms)

    yield of("on-demand", offer.price("on-demand"))
    for months in sorted({price.months for price in offer.prices if price.months is not None}):
        yield of("reserved", offer.price("reserved", months))
    if (block := offer.price("capacity-block")) is not None and (one := of("capacity-block", block)).summed:
        yield one
    if spot and (listed := offer.price("spot")) is not None:
        steady = offer.price("on-demand")
        yield replace(of("spot", listed), steady=of("on-demand", steady) if steady else None)
