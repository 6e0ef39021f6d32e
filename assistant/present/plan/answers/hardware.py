"""What the machines hold and what is ordered: memory, switches, cables, the items of a purchase."""

from __future__ import annotations

from ... import figures
from ...blocks import sentences
from .. import quantities, reading
from .asked import Asked


def design_counts(asked: Asked) -> str | None:
    """NICs, switches and cables of the recommended network."""
    made = asked.plan.fabric_design
    if not made:
        if asked.best is not None and asked.best.fabric == "none":
            return "None: no network between the nodes is needed; ordinary Ethernet for data and management is enough."
        return "The plan draws no network here."
    cables = made.get("cables") or {}
    links = sum(v for v in cables.values() if isinstance(v, int))
    switches = f"{made['switches']} switches in {made['tiers']} tier{'s' * (made['tiers'] > 1)}"
    parts = f"{made['leaf']} leaf, {made['spine']} spine" if made["tiers"] > 1 else "no spine"
    lines = f", {links:,} cables" if links else ""
    optics = f", {made['optics']:,} optics" if made.get("optics") else ""
    return (
        f"About {switches} ({parts}), {made['nics']:,} NICs{lines}{optics} for {made['nodes']} nodes on "
        f"{asked.name(made['fabric'])}."
    )


def design_money(asked: Asked) -> str | None:
    made = asked.plan.fabric_design
    capex = made.get("capex_usd") if made else None
    if not capex:
        return None
    low, high = figures.usd(capex["low"]), figures.usd(capex["high"])
    return f"About {figures.usd(capex['mid'])} to buy ({low}–{high})."


def design_next(asked: Asked) -> str | None:
    if not asked.plan.fabric_design:
        return None
    rented = "" if asked.buys else "Rented, all of it is the provider's. "
    return f"{rented}Storage, management network and spares are not in it: an integrator's drawing has them."


def order_machines(asked: Asked) -> str | None:
    """The machines of the order with their sum."""
    bought = asked.plan.purchase
    if bought is None:
        found = asked.plan.recommendation.card
        return f"It is rented, so one line: {found.do} {found.cost}" if found else None
    first = bought.items[0]
    return f"{first.count:,} × {first.item}: {figures.usd(first.count * first.usd)}."


def order_network(asked: Asked) -> str | None:
    """The parts of the network with their sums."""
    bought = asked.plan.purchase
    if bought is None:
        return None
    parts = [f"{i.count:,} × {i.item.partition(':')[2].strip() or i.item} {figures.usd(i.count * i.usd)}"
             for i in bought.items[1:]]  # fmt: skip
    name = asked.name(asked.plan.recommendation.fabric)
    return f"{name}: {'; '.join(parts)}. Together {figures.usd(bought.capital_usd)}."


def order_missing(asked: Asked) -> str | None:
    bought = asked.plan.purchase
    if bought is None:
        return None
    return f"Not in it: {', '.join(bought.not_counted)}. Have a written quote for each line."


def fits(asked: Asked) -> str | None:
    """Whether the job fits, and how full the fullest GPU is."""
    best = asked.best or next((c for c in asked.plan.candidates if c.memory_gb_per_gpu), None)
    if best is None or not best.memory_gb_per_gpu:
        return asked.plan.recommendation.smallest_change
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    room, need = gpu.memory.si / 2**30, reading.gib(best)
    if best.fits is False or asked.best is None:
        change = asked.plan.recommendation.smallest_change or ""
        return f"No: the leanest split needs {need:,.0f} GiB per GPU and {gpu.name} has {room:,.0f}. {change}".strip()
    split = figures.layout(best.parallelism)
    spare = max(0.0, room - need)
    return f"Yes: {need:,.1f} of the {room:,.0f} GiB of the fullest GPU, {spare:,.1f} GiB to spare, at {split}."


def memory_counts(asked: Asked) -> str | None:
    """What is in the figure."""
    best = asked.best
    if best is None:
        return None
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    _, *items = [text for block in quantities.memory(asked.plan, best, asked.catalog) for text in sentences(block)]
    counted = next((text for text in items if text.startswith("Counted")), "")
    lean = reading.gib(best) > 0.85 * gpu.memory.si / 2**30
    less = " Tighter still: smaller micro-batch, full recomputation or LoRA." if lean else ""
    if reading.asked(asked.plan, "training.method") in ("lora", "qlora"):
        counted = "Counted: frozen weights, adapters with gradients and optimizer states, activations, buffers, margin."
        less = ""
    return f"{counted}{less}" or None
