"""What the fabric adds per GPU-hour: a quoted premium, nothing when an offer includes it, the catalog's, or capital
cost."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from assistant.vocabulary.catalog import Fabric, Fact, Offer
from assistant.vocabulary.questionnaire import Questionnaire

from .arithmetic import amortized
from .priced import Freshness, Priced, nothing, quoted

PREMIUM_FIELD = "budget.fabric_premium_gpu_hour_usd"
COMES_WITH_INSTANCE = frozenset({"efa", "tcpx", "tcpxo"})


def quoted_premium(questionnaire: Questionnaire, fabric: Fabric) -> float | None:
    """The quoted premium where it applies: to the fixed fabric when there is one, else to the InfiniBand candidates."""
    premium, fixed = questionnaire.budget.fabric_premium_gpu_hour_usd, questionnaire.cluster.fabric
    applies = fabric.id == fixed if fixed is not None else fabric.technology == "infiniband"
    return premium if applies else None


def rent(questionnaire: Questionnaire, fabric: Fabric, offers: Sequence[Offer], freshness: Freshness) -> Priced:
    """USD per GPU-hour on top of the rented GPU."""
    premium = quoted_premium(questionnaire, fabric)
    if premium is not None:
        return quoted(fabric.name, premium, PREMIUM_FIELD)
    if fabric.technology == "none" or fabric.technology in COMES_WITH_INSTANCE:
        return nothing(fabric.name, "part of the instance's price", "included")
    if any(
        offer.fabric_included and fabric.id in offer.fabrics and offer.gpu == questionnaire.cluster.gpu
        for offer in offers
    ):
        return nothing(fabric.name, "included in the provider's offer", "included")
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
    if capex_per_gpu is not None:
        per_gpu = Fact(
            value=capex_per_gpu,
            unit="USD/GPU",
            source="derived: bill of materials of this size",
            date=capex_date or freshness.today,
        )
        return freshness.priced(
            fabric.name,
            per_gpu,
            "derived",
            factor=amortized(1.0, months),
            unit="USD/GPU-h",
            note=f"{capex_per_gpu:,.0f} USD per GPU over {months:g} months",
        )
    if fabric.capex_per_gpu is not None:
        return freshness.priced(
            fabric.name,
            fabric.capex_per_gpu,
            factor=amortized(1.0, months),
            unit="USD/GPU-h",
            note=f"{fabric.capex_per_gpu.value:,.0f} USD per GPU over {months:g} months, a two-tier network",
        )
    return nothing(fabric.name, "no capital cost in the catalog: counted as zero")
