"""What is bought: the bill of machines and network, and what owning them costs a month."""

from __future__ import annotations

from typing import Literal

from assistant.market import CandidatePrice, Priced, capital, machine_of, monthly
from assistant.vocabulary.added import added
from assistant.vocabulary.answers import FabricDesign
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Purchase, PurchaseItem

from .entry import Entry
from .resolve import Resolved

_LEFT_OUT = ("racks, cabling work and building", "storage and the management network", "interest, resale and tax")


def purchase_of(chosen: Entry | None, job: Resolved, design: FabricDesign | None, catalog: Catalog) -> Purchase | None:
    """The purchase of a plan; ``None`` where nothing is bought or nothing was chosen."""
    if chosen is None or chosen.priced is None or chosen.price.months is None:
        return None
    price, months = chosen.price, chosen.price.months
    items, network = [_machines(price, job, months, catalog)], price.fabric_usd_per_hour
    there = job.questionnaire.owned_gpus
    if network.origin == "included":
        items[0].item += ", with its network"
    if price.gpu_usd_per_hour.origin != "quoted" and there < job.gpus:
        items[0].item += ", without its adapters"
    kept = job.questionnaire.budget.network_there and chosen.considered.owned
    by_parts = design is not None and network.origin == "derived" and not kept
    if design is not None and by_parts:
        items += _parts(design, job.sites)
    elif network.value:
        items.append(_whole(network, job.gpus, months, "network"))
    low, mid, high = (added(i.count * usd for i, usd in zip(items, of, strict=True)) for of in _bands(items))
    upkeep = price.upkeep
    hourly = {
        "power": _sum(price.gpu_power_usd_per_hour, price.fabric_power_usd_per_hour),
        "support": _sum(upkeep.gpu_support, upkeep.fabric_support),
        "staff": _sum(upkeep.staff),
    }
    if price.sunk:
        hourly["hours_there"] = price.sunk
    by_month = {"write_off": mid / months} | {part: monthly(usd, job.gpus) for part, usd in hourly.items()}
    idle = price.gpu_usd_per_hour.origin != "quoted" and there < job.gpus
    return Purchase(
        items=items,
        gpus_there=there,
        network_there=kept,
        capital_usd=mid,
        capital_usd_low=low,
        capital_usd_high=high,
        usd_per_gpu=mid / (job.gpus - there or job.gpus),
        network_percent=_network_percent(items, mid, in_one_sum=network.origin == "included"),
        months=months,
        delivery_days=price.delivery_days,
        monthly_usd=by_month,
        support_quoted=any(
            p is not None and p.origin == "included" for p in (upkeep.gpu_support, upkeep.fabric_support)
        ),
        usd_per_gpu_hour=price.gpu_total + price.fabric_total,
        spare_gpus=max(0, _held(job, catalog) - job.gpus) if idle else 0,
        not_counted=list(_LEFT_OUT),
    )


def _network_percent(items: list[PurchaseItem], capital: float, *, in_one_sum: bool) -> float | None:
    """Of the capital; ``None`` where machines and network are quoted in one sum, which tells no part of it."""
    if in_one_sum:
        return None
    return 100 * (capital - items[0].usd * items[0].count) / capital if capital else 0.0


def _held(job: Resolved, catalog: Catalog) -> int:
    """GPUs in the machines that are bought."""
    machine = machine_of(job.gpu, catalog, job.said_per_node)
    return machine.gpus * machine.count(job.gpus, job.sites)


def _bands(items: list[PurchaseItem]) -> tuple[list[float], list[float], list[float]]:
    return [i.usd_low for i in items], [i.usd for i in items], [i.usd_high for i in items]


def _sum(*parts: Priced | None) -> float:
    return added(part.value for part in parts if part is not None)


def _machines(price: CandidatePrice, job: Resolved, months: float, catalog: Catalog) -> PurchaseItem:
    """Servers or racks as they are sold, the last one too where it is partly filled; those that are there only where
    there are no others. Of a price for an hour of all of them only those that are missing are bought."""
    of_gpu, machine = price.gpu_usd_per_hour, machine_of(job.gpu, catalog, job.said_per_node)
    each = _whole(of_gpu, job.gpus, months, "machine")
    whole, there = machine.count(job.gpus, job.sites), job.questionnaire.owned_gpus
    count = max(0, whole - -(-there // machine.gpus)) or whole
    if there == job.gpus:  # also where an hour of them has a price of its own
        each = each.model_copy(update={"usd": 0.0, "usd_low": 0.0, "usd_high": 0.0, "note": None})
    missing = job.gpus * (1 - price.sunk / of_gpu.value if price.sunk else 1)
    usd = {name: getattr(each, name) * missing / count for name in ("usd", "usd_low", "usd_high")}
    what = f"{'rack' if machine.rack_scale else 'server'} of {machine.gpus} {each.item}"
    return each.model_copy(update={"item": what, "count": count, **usd})


def _whole(price: Priced, gpus: int, months: float, kind: Literal["machine", "network"]) -> PurchaseItem:
    """GPUs with their machines, or a network of which one price per GPU is known."""
    usd = capital(price.value, months)
    date = price.date.isoformat() if price.date else None
    what, note = price.what.removesuffix(", bought"), price.note
    if price.origin == "quoted" and note is None:
        note = f"{price.value:,.4g} USD per GPU-hour as quoted, taken for a purchase over {months:g} months"
    return PurchaseItem(
        item=what, count=gpus, usd=usd, usd_low=usd, usd_high=usd, kind=kind, date=date, source=price.source, note=note
    )


def _parts(design: FabricDesign, sites: int) -> list[PurchaseItem]:
    """Switches, adapters, optics and cables of every site."""
    return [
        PurchaseItem(
            item=part.item,
            kind=part.kind,
            count=(part.count or 0) * sites,
            usd=part.usd,
            usd_low=part.usd if part.usd_low is None else part.usd_low,
            usd_high=part.usd if part.usd_high is None else part.usd_high,
            date=part.date,
            source=part.source,
            note=part.derived,
        )
        for part in design.prices
    ]
