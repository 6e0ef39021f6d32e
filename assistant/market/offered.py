"""An offer as one job sees it: who lets it, on which terms, and how many GPUs of whole machines are paid for."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, replace

from assistant.vocabulary.catalog import Fact, ListPrice, Offer, Provider, Tier
from assistant.vocabulary.quantities import HOURS_PER_MONTH
from assistant.vocabulary.questionnaire import Quote

_FOR_A_TERM: tuple[Tier, ...] = ("reserved", "capacity-block")


@dataclass(frozen=True)
class Offered:
    """A named instance or cluster of a provider (its id and its name, which is empty where a quote names nobody) in one
    tier, with its list price there if one was read.

    ``quote``: the quote it stands for, which no list says; ``number``: its place among the quotes.
    """

    provider: str
    provider_name: str
    offer: Offer
    tier: Tier = "on-demand"
    listed: ListPrice | None = None
    quote: Quote | None = None
    number: int = 0

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
    def term_stated(self) -> bool:
        """Whether it is known for how long is paid; of a reservation that tells no term nobody can say what a run
        costs."""
        return self.tier not in _FOR_A_TERM or (self.listed is not None and self.listed.months is not None)

    def without_term(self) -> Iterator[Offered]:
        """The same machines at the list prices that tell no term: they stand beside, and no sum is made of them."""
        for tier in _FOR_A_TERM:
            untold = [price for price in self.offer.prices if price.tier == tier and price.months is None]
            listed = self.offer.usual(untold)
            if listed is not None:
                yield replace(self, tier=tier, listed=listed)

    @property
    def least_hours(self) -> float:
        """Hours that are paid for however short the run: the term of a reservation or a quote."""
        months = self.quote.months if self.quote else self.listed and self.listed.months
        return (months or 0.0) * HOURS_PER_MONTH

    @property
    def terms(self) -> Hashable:
        """What of it, besides the price, decides what a run takes: the tier, the term, how often machines are taken
        away; each quote is a way of its own."""
        taken = self.offer.spot_interruptions if self.tier == "spot" else None
        return self.tier, self.least_hours, taken and taken.value, self.number

    def paid(self, gpus: int) -> int:
        """The GPUs that are paid for: all of every machine, but for a part of one where the smallest order is less."""
        per_machine = self.offer.gpus_per_node
        least = per_machine if self.offer.min_gpus is None else self.offer.min_gpus
        whole = gpus if gpus < per_machine and least < per_machine else -(-gpus // per_machine) * per_machine
        return max(whole, least)


def offered_tiers(provider: Provider, offer: Offer, *, spot: bool) -> Iterator[Offered]:
    """On demand always, with its price or without; reserved for each term that is told; on the spot market where that
    is allowed and a price was read."""
    yield Offered(provider.id, provider.name, offer, "on-demand", offer.price("on-demand"))
    terms = sorted({price.months for price in offer.prices if price.months is not None})
    for months in terms:
        yield Offered(provider.id, provider.name, offer, "reserved", offer.price("reserved", months))
    listed = offer.price("spot") if spot else None
    if listed is not None:
        yield Offered(provider.id, provider.name, offer, "spot", listed)
