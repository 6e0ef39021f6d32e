"""Network equipment of one's own or second hand, and what a switch costs."""

from __future__ import annotations

from ... import figures
from .. import reading
from .asked import Asked
from .bandwidth import line_rate_named

_USED = ("used", "second hand", "second-hand", "refurbished", "ebay", "old ", "pre-owned")


def own_gear(asked: Asked) -> list[str]:
    """Whether switches and cards that one has, or finds second hand, can be used."""
    best = asked.best
    if best is None:
        return [asked.plan.recommendation.smallest_change or asked.plan.recommendation.headline]
    if best.fabric == "none":
        return ["Yes, for management and data: nothing of this job crosses a fast network between nodes."]
    name = asked.name(best.fabric)
    if not asked.buys and not reading.is_owned(asked.plan):
        return [
            f"No: rented machines come with their provider's network, here {name}, and nothing of yours goes into it.",
            "Gear of your own counts only with machines of your own: say that you buy or have the GPUs.",
        ]
    if any(word in asked.text for word in _USED):
        return [
            "By speed it makes no difference: what counts is the rate of each port and that firmware and cables match.",
            "The plan prices new parts only. Used ones come without warranty or support: test every port with "
            "all_reduce_perf before you rely on them, and keep spares.",
        ]
    rates = asked.amounts("rate")
    if not rates:
        return [f"Only if every port has the rate of the plan, {name}; say which switches they are and I compare."]
    return line_rate_named(asked)


def switch_price(asked: Asked) -> list[str]:
    """What a switch of the plan's network costs."""
    best, bought = asked.best, asked.plan.purchase
    if best is None:
        return [asked.plan.recommendation.smallest_change or asked.plan.recommendation.headline]
    if best.fabric == "none":
        return ["No switch for a fast network is needed; any Ethernet switch does for management."]
    if bought is None:
        return [f"Nothing: it is rented, and {asked.name(best.fabric)} with its switches is in the price of the GPUs."]
    items = [i for i in bought.items if i.kind == "switch"]
    said = [
        f"{i.item[:1].upper()}{i.item[1:]}: {figures.usd(i.usd)} each ({figures.usd(i.usd_low)}–"
        f"{figures.usd(i.usd_high)}), {i.count:,} of them {figures.usd(i.count * i.usd)}."
        for i in items
    ]
    return said or [f"The plan has no price of a single switch of {asked.name(best.fabric)}."]


def switch_named(asked: Asked) -> str | None:
    """Which switch it is, where that is asked."""
    if not any(word in asked.text for word in ("which", "model", "type", "name", "what switch")):
        return None
    best, bought = asked.best, asked.plan.purchase
    if best is None or best.fabric == "none":
        return None
    if bought is None:
        return f"Which switch is the provider's choice: what you rent is {asked.name(best.fabric)}, built by them."
    items = [i for i in bought.items if i.kind == "switch"]
    return f"Counted with {'; '.join(f'{i.count:,} × {i.item}' for i in items)}." if items else None
