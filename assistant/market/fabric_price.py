"""What the fabric adds per GPU-hour: a quoted premium, nothing when an offer includes it, the catalog's, or capital
cost."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from assistant.vocabulary.catalog import Fabric, Fact
from assistant.vocabulary.questionnaire import Questionnaire

from .arithmetic import amortized
from .offered import Offered
from .priced import Freshness, Origin, Priced, nothing, quoted

PREMIUM_FIELD = "budget.fabric_premium_gpu_hour_usd"
COMES_WITH_INSTANCE = frozenset({"efa", "tcpx", "tcpxo"})


def quoted_premium(questionnaire: Questionnaire, fabric: Fabric) -> float | None:
    """The quoted premium where it applies: to the fixed fabric when there is one, else to the InfiniBand candidates."""
    premium, fixed = questionnaire.budget.fabric_premium_gpu_hour_usd, questionnaire.cluster.fabric
    applies = fabric.id == fixed if fixed is not None else fabric.technology == "infiniband"
    return premium if applies else None


def rent(questionnaire: Questionnaire, fabric: Fabric, offers: Sequence[Offered], freshness: Freshness) -> Priced:
    """USD per GPU-hour on top of the rented GPU."""
    if any(o.quote is not None for o in offers):
        return nothing(fabric.name, "in the quote", "included")
    premium = quoted_premium(questionnaire, fabric)
    if premium is not None:
        return quoted(fabric.name, premium, PREMIUM_FIELD)
    if fabric.technology == "none" or fabric.technology in COMES_WITH_INSTANCE:
        return nothing(fabric.name, "part of the instance's price", "included")
    taken = [o.offer for o in offers if o.offer.gpu == questionnaire.cluster.gpu and fabric.id in o.offer.fabrics]
    if any(offer.fabric_included for offer in taken):
        return nothing(fabric.name, "included in the provider's offer", "included")
    if taken and all(offer.fabric_included is None for offer in taken):
        return nothing(fabric.name, "not known to be in the offer's price, and taken to be: ask", "included")
    if fabric.premium is not None:
        return freshness.priced(fabric.name, fabric.premium)
    return nothing(fabric.name, "no premium in the catalog: taken as part of the GPU's price")


def buy(
    questionnaire: Questionnaire,
    fabric: Fabric,
    months: float,
    capex_per_gpu: float | None,
    capex_date: datetime.date | None,
    freshness: Freshness,
) -> Priced:
    """USD per GPU-hour of the purchased fabric over ``months`` months of full use; power not included.

    ``capex_per_gpu``: US dollars per GPU of the design for this size, ``capex_date`` the date of its oldest price;
    ``None`` takes the catalog's two-tier figure.
    """
    premium = quoted_premium(questionnaire, fabric)
    if premium is not None:
        return quoted(fabric.name, premium, PREMIUM_FIELD)
    if fabric.technology in ("none", "wan") or fabric.technology in COMES_WITH_INSTANCE:
        return nothing(fabric.name, "nothing is bought for it")
    of: Origin
    capex, of, size = fabric.capex_per_gpu, "catalog", ", a two-tier network"
    if capex_per_gpu is not None:
        source, date = "derived: bill of materials of this size", capex_date or freshness.today
        capex, of, size = Fact(value=capex_per_gpu, unit="USD/GPU", source=source, date=date), "derived", ""
    if capex is None and fabric.premium is not None:  # what it costs when rented is all that is known of it
        return freshness.priced(fabric.name, fabric.premium)
    if capex is None:
        return nothing(fabric.name, "no capital cost in the catalog: counted as zero")
    note = f"{capex.value:,.0f} USD per GPU over {months:g} months{size}"
    return freshness.priced(fabric.name, capex, of, factor=amortized(1.0, months), unit="USD/GPU-h", note=note)
