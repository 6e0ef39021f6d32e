"""What the fabric adds per GPU-hour: a quoted premium, nothing when an offer includes it, the catalog's, or capital
cost."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.vocabulary.catalog import Catalog, Fabric, Fact
from assistant.vocabulary.questionnaire import Questionnaire

from .arithmetic import amortized
from .offered import Offered
from .priced import Freshness, Origin, Priced, nothing, quoted

PREMIUM_FIELD = "budget.fabric_premium_gpu_hour_usd"
COMES_WITH_INSTANCE = frozenset({"efa", "tcpx", "tcpxo"})


@dataclass(frozen=True)
class BillPart:
    """The price of one piece, and the share of the bill that all of its kind have; ``device``: the id in the catalog
    of the device whose price that is, by which it is dearer or cheaper for every network that is built from it."""

    price: Fact
    what: str
    device: str
    share: float


@dataclass(frozen=True)
class NetworkBill:
    """The network's own bill of materials at this size, per GPU: US dollars, watts of switches and optics, adapters,
    the date of its oldest price, and what it is made of."""

    usd: float
    watts: float = 0.0
    nics: float = 0.0
    date: datetime.date | None = None
    parts: tuple[BillPart, ...] = ()


def quoted_premium(questionnaire: Questionnaire, fabric: Fabric) -> float | None:
    """The quoted premium where it applies: to the fixed fabric when there is one, else to the InfiniBand candidates."""
    premium, fixed = questionnaire.budget.fabric_premium_gpu_hour_usd, questionnaire.cluster.fabric
    applies = fabric.id == fixed if fixed is not None else fabric.technology == "infiniband"
    return premium if applies else None


def rent(
    questionnaire: Questionnaire, fabric: Fabric, offers: Sequence[Offered], catalog: Catalog, freshness: Freshness
) -> Priced:
    """USD per GPU-hour on top of the rented GPU: what was quoted for it, or stands in the user's own catalog. Nobody
    quotes it otherwise, and what the network costs to build says nothing of a rent that contains one."""
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
    if f"fabrics.{fabric.id}.premium" in catalog.overrides and fabric.premium is not None:
        return freshness.priced(fabric.name, fabric.premium)
    if taken:
        return nothing(fabric.name, "sold apart, at a price that was not read, and not counted: ask")
    return nothing(fabric.name, "not said apart, and taken to be in the rent that was quoted: ask", "included")


def buy(
    questionnaire: Questionnaire,
    fabric: Fabric,
    months: float,
    bill: NetworkBill | None,
    catalog: Catalog,
    freshness: Freshness,
) -> Priced:
    """USD per GPU-hour of the purchased fabric over ``months`` months of full use; power and support not included.

    By the same rules for every fabric: its own bill of materials at this size, unless the person has a price of it.
    What the catalog says of a fabric counts only where no bill can be drawn (``bill`` is ``None``); unknown where it
    says nothing: what it costs when rented is no price of a purchase.
    """
    premium = quoted_premium(questionnaire, fabric)
    if premium is not None:
        return quoted(fabric.name, premium, PREMIUM_FIELD)
    if fabric.technology in ("none", "wan") or fabric.technology in COMES_WITH_INSTANCE:
        return nothing(fabric.name, "nothing is bought for it")
    theirs = f"fabrics.{fabric.id}.capex_per_gpu" in catalog.overrides
    of: Origin
    capex, of, how = fabric.capex_per_gpu, "catalog", "" if theirs else ", a figure for two tiers: no bill can be drawn"
    if bill is not None and not theirs:
        if not bill.usd:
            return nothing(fabric.name, "one machine: nothing to join")
        source, date = "derived: bill of materials of this size", bill.date or freshness.today
        capex, of, how = Fact(value=bill.usd, unit="USD/GPU", source=source, date=date), "derived", ""
    if capex is None:
        return nothing(fabric.name, "no price of a purchase is known, nor a bill of it can be drawn", "unknown")
    note = f"{capex.value:,.0f} USD per GPU over {months:g} months{how}"
    what = f"{fabric.name}, written off"
    return freshness.priced(what, capex, of, factor=amortized(1.0, months), unit="USD/GPU-h", note=note)
