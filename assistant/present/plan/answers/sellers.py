"""Who else sells it."""

from __future__ import annotations

from ... import figures
from .. import reading
from .asked import Asked

_MOST = 3


def other_sellers(asked: Asked) -> list[str]:
    """The next offers of other providers, each with its sum; of what is bought where bids come from."""
    plan = asked.plan
    taken = plan.offers[plan.recommendation.offer] if plan.recommendation.offer is not None else None
    best = asked.best
    if best is None:
        return ["Nothing works as asked, so nobody sells it."]
    if asked.buys:
        fabric = asked.catalog.fabrics[best.fabric]
        sold = "many vendors make its switches and NICs" if fabric.vendors == "many" else "one vendor makes it"
        gpu = asked.catalog.gpus[plan.questionnaire["cluster"]["gpu"]]
        maker = "NVIDIA" if gpu.vendor == "nvidia" else gpu.vendor.upper()
        servers = "Dell, HPE, Supermicro, Lenovo and others build machines with it"
        return [
            f"The plan has no list of sellers of hardware. The GPUs are {maker}'s alone, but {servers}; of "
            f"{fabric.name} {sold}.",
        ]
    own = taken.provider if taken else None
    seen = {}
    for o in plan.offers:
        if o.run_cost_usd and o.provider != own and o.verdict != "avoid":
            seen.setdefault(o.provider, o)
    if not seen:
        return ["Nobody else lets it at a price that was read."]
    ends = "" if reading.ends(plan) else " a month"
    return [
        f"{o.provider_name or o.provider}: {asked.name(o.fabric)}, {figures.usd(o.usd_per_gpu_hour)} per GPU-hour, "
        f"{figures.usd(o.run_cost_usd and o.run_cost_usd.p50)}{ends}{'' if o.meets_limits else ', beyond your limits'}."
        for o in list(seen.values())[:_MOST]
    ]


def other_bids(asked: Asked) -> str | None:
    """How to have bids that compare."""
    if asked.buys:
        return (
            'For three bids send three of them the same list ("what goes on the purchase order") and ask for delivery.'
        )
    return "Ask them the same questions, and tell me what they quote: I lay the quotes side by side."
