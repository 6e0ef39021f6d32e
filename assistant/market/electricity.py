"""Electricity: what a kWh costs and how much more than its machines a site draws; every kWh is counted and priced
here."""

from __future__ import annotations

from dataclasses import dataclass, replace

from assistant.vocabulary.catalog import Catalog, Fact
from assistant.vocabulary.questionnaire import Budget

from .priced import Freshness, Priced, constant, quoted


@dataclass(frozen=True)
class Electricity:
    """``usd_per_kwh``: as it was said, else the catalog's (``listed``). ``effectiveness``: power of the site ÷ power of
    its machines, as it was said, else the catalog's (``usual``)."""

    usd_per_kwh: float
    effectiveness: float
    listed: Fact | None
    usual: Fact | None = None

    @classmethod
    def of(cls, budget: Budget, catalog: Catalog) -> Electricity:
        """What the budget says, else the catalog. Raises :class:`KnowledgeError` when a constant is missing."""
        listed, said = constant(catalog.constants, "cost-electricity"), budget.electricity_usd_per_kwh
        usual, own = constant(catalog.constants, "cost-power-usage-effectiveness"), budget.power_usage_effectiveness
        price, effectiveness = (listed.value if said is None else said), (usual.value if own is None else own)
        return cls(price, effectiveness, listed if said is None else None, usual if own is None else None)

    def site_watts(self, watts: float) -> float:
        """What the site draws for machines that draw ``watts``."""
        return watts * self.effectiveness

    def kwh(self, watts: float, hours: float = 1.0) -> float:
        """kWh of a constant draw of machines, with what the site takes for them."""
        return self.site_watts(watts) / 1e3 * hours

    def usd(self, watts: float, hours: float = 1.0) -> float:
        """US dollars of :meth:`kwh`."""
        return self.kwh(watts, hours) * self.usd_per_kwh

    def priced(self, what: str, watts: float, freshness: Freshness) -> Priced:
        """US dollars per GPU-hour of ``watts`` per GPU."""
        note = f"{watts:,.0f} W per GPU with cooling"
        if self.listed is None:
            said = quoted(what, self.usd(watts), "budget.electricity_usd_per_kwh")
            return replace(said, note=note)
        factor = self.usd(watts) / self.listed.si if self.listed.si else 0.0
        return freshness.priced(what, self.listed, factor=factor, unit="USD/GPU-h", note=note)
