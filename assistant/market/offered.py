"""An offer as one job sees it: who sells it, and how many GPUs of whole machines are paid for."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.vocabulary.catalog import Fact, Offer
from assistant.vocabulary.questionnaire import Quote


@dataclass(frozen=True)
class Offered:
    """A named instance or cluster of a provider (its id and its name).

    ``quote``: the quote it stands for, which no list says; ``number``: its place among the quotes.
    """

    provider: str
    provider_name: str
    offer: Offer
    quote: Quote | None = None
    number: int = 0

    @property
    def name(self) -> str:
        """``CoreWeave HGX H100``: the provider's name and the offer's, said once where one holds the other."""
        own = self.offer.name
        return own if self.provider_name.lower() in own.lower() else f"{self.provider_name} {own}"

    def price(self, spot: bool) -> Fact | None:
        """The list price of a GPU-hour, on demand or on the spot market; ``None`` where none was read."""
        return self.offer.hour_price_spot if spot else self.offer.hour_price

    def paid(self, gpus: int) -> int:
        """The GPUs that are paid for: all of every machine, but for a part of one where the smallest order is less."""
        per_machine = self.offer.gpus_per_node
        least = per_machine if self.offer.min_gpus is None else self.offer.min_gpus
        whole = gpus if gpus < per_machine and least < per_machine else -(-gpus // per_machine) * per_machine
        return max(whole, least)
