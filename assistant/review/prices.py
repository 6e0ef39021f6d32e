"""What machines cost by an earlier plan, laid over what is offered today."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from assistant.market import Offered, offered_tiers
from assistant.vocabulary.catalog import Catalog, Tier
from assistant.vocabulary.plan import Plan

Key = tuple[str, str, Tier, "float | None"]  # provider, instance, tier, months


def prices_of(plan: Plan) -> dict[Key, float | None]:
    """The published prices of a plan, US dollars per GPU-hour."""
    published = (offer for offer in plan.offers if offer.kind == "published")
    return {(one.provider, one.instance, one.tier, one.months): one.usd_per_gpu_hour for one in published}


def list_prices(catalog: Catalog) -> dict[Key, float]:
    """What every list says today."""
    found = (
        one
        for provider in catalog.providers.values()
        for offer in provider.offers
        for way in offered_tiers(provider, offer, catalog.constants, spot=True)
        for one in (way, *way.beside())
    )
    return {key_of(one): one.price.si for one in found if one.price is not None}


def key_of(offered: Offered) -> Key:
    """What an offer of the catalog is."""
    months = offered.listed.months if offered.listed else None
    return offered.provider, offered.offer.name, offered.tier, months


@dataclass(frozen=True)
class Instead:
    """Some offers at other prices (US dollars per GPU-hour), or at none, as though nobody told one."""

    prices: tuple[tuple[Key, float | None], ...]

    @classmethod
    def of(cls, prices: Mapping[Key, float | None]) -> Instead:
        return cls(tuple(prices.items()))

    def __call__(self, offered: Offered) -> Offered:
        there = dict(self.prices)
        key = key_of(offered)
        if offered.quote is not None or offered.listed is None or key not in there:
            return offered
        usd = there[key]
        if usd is None:
            return replace(offered, listed=None)
        price = offered.listed.price.model_copy(update={"value": usd})
        return replace(offered, listed=offered.listed.model_copy(update={"price": price}))
