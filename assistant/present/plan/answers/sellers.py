"""Who else sells it, and what it comes to at somebody who is named."""

from __future__ import annotations

from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.plan import Candidate, Plan, RentalOffer

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable

_MOST = 3
_A_SUM = 100.0  # US dollars: less is a price, no credits


def other_sellers(asked: Asked) -> list[str]:
    """The next offers of other providers, each with its sum; of what is bought where bids come from."""
    plan = asked.plan
    taken = plan.taken
    best = asked.best
    if best is None:
        return ["Nothing works as asked, so nobody sells it."]
    if asked.buys:
        fabric = asked.catalog.fabrics[best.fabric]
        gpu = asked.catalog.gpus[plan.questionnaire["cluster"]["gpu"]]
        maker = "NVIDIA" if gpu.vendor == "nvidia" else gpu.vendor.upper()
        return [
            f"The plan has no list of sellers of hardware. The GPUs are {maker}'s alone, but many server makers build "
            f"machines with them. {_makers(asked, fabric)}",
        ]
    own = taken.provider if taken else None
    lifted = _anywhere(asked)
    found = _of_others(lifted or plan, own)
    if not found:
        return ["Nobody else lets it at a price that was read."]
    return [*_cheaper(asked, found[0], pinned=lifted is not None), *(_offered(asked, o) for o in found[:_MOST])]


def _anywhere(asked: Asked) -> Plan | None:
    """The plan at any provider, where one was named: what others ask is asked without it."""
    if not reading.asked(asked.plan, "cluster.provider"):
        return None
    return asked.tried({"cluster.provider": None, "budget.mode": "rent"})


def _of_others(plan: Plan, own: str | None) -> list[RentalOffer]:
    """The first offer of each other provider, the cheapest first."""
    seen: dict[str, RentalOffer] = {}
    for o in plan.offers:
        if o.run_cost_usd and o.provider != own and o.verdict != "avoid":
            seen.setdefault(o.provider, o)
    return list(seen.values())


def _offered(asked: Asked, o: RentalOffer) -> str:
    ends = "" if reading.ends(asked.plan) else " a month"
    return (
        f"{o.provider_name or o.provider}: {asked.name(o.fabric)}, {figures.usd(o.usd_per_gpu_hour)} per GPU-hour, "
        f"{figures.usd(o.run_cost_usd and o.run_cost_usd.p50)}{ends}{'' if o.meets_limits else ', beyond your limits'}."
    )


def _cheaper(asked: Asked, other: RentalOffer, *, pinned: bool) -> list[str]:
    """Whether the cheapest of the others asks less than the plan's own provider."""
    best, taken = asked.best, asked.plan.taken
    if (
        not (pinned or asked.says("cheaper"))
        or best is None
        or taken is None
        or not (best.cost_usd and other.run_cost_usd)
    ):
        return []
    less, own = best.median_cost - other.run_cost_usd.p50, taken.provider_name or taken.provider
    name, sums = other.provider_name or other.provider, f"{own}'s {money(best)}"
    if less > reading.APART * best.median_cost:
        return [f"Cheaper than {sums}: {name}, {figures.usd(less)} ({100 * less / best.median_cost:.0f} %) less."]
    return [f"Nobody is cheaper than {sums} at a price that was read; the next is {name}."]


def trust_seller(asked: Asked) -> list[str]:
    """What the plan knows of the providers: how sure their prices are, and nothing of their service."""
    if asked.buys:
        return ["It is bought, so no provider lets it; of makers and dealers the plan has no ratings."]
    able = [o for o in asked.plan.offers if o.run_cost_usd and o.meets_limits and o.verdict != "avoid"]
    first = "The plan rates no provider's service or solvency, only where its price was read"
    if not able:
        return [f"{first}."]
    sure = list(dict.fromkeys(o.provider_name or o.provider for o in able if o.trust == "high"))[:_MOST]
    weak = list(dict.fromkeys(o.provider_name or o.provider for o in able if o.trust == "low"))[:_MOST]
    read = f": in their own lists at {', '.join(sure)}" if sure else ""
    said = [f"{first}{read}."]
    said += [f"Read second-hand, so ask again: {', '.join(weak)}."] if weak else []
    ask = next(iter(asked.plan.questions_for_provider), None)
    test = "Before you pay: a short test on their nodes and references of customers with as many GPUs"
    return [*said, f"{test}. Ask first: {ask}" if ask else f"{test}."]


def _makers(asked: Asked, fabric: Fabric) -> str:
    """Who makes switches for a network, as far as the catalog has them."""
    if fabric.technology == "none":
        return "No network between nodes is to be bought."
    kind = "infiniband" if fabric.technology == "infiniband" else "ethernet"
    made = [d.vendor for d in asked.catalog.devices.values() if d.kind == "switch" and d.technology in (kind, "both")]
    names = ", ".join(dict.fromkeys(made))
    many = "among others " if fabric.vendors == "many" else ""
    return f"Switches for {asked.name(fabric.id)} are made by {many}{names}." if names else ""


def named_seller(asked: Asked) -> list[str]:
    """The job at each provider that is named, beside the plan's own."""
    plan, best = asked.plan, asked.best
    taken = plan.taken
    own = taken.provider if taken else None
    names = list(dict.fromkeys(e.id for e in asked.said.entities if e.kind == "provider"))  # "why not lambda" as well
    others = [name for name in names if name != own][:_MOST]
    if not others:
        name = asked.catalog.providers[own].name if own in names and own is not None else None
        return [f"{name} is what the plan takes: {money(best)} for {reading.bill(plan)}."] if name and best else []
    return [_at_the_seller(asked, one) for one in others]


def _at_the_seller(asked: Asked, provider: str) -> str:
    """Cost and time at a provider, and how far that is from the plan."""
    name, best = asked.catalog.providers[provider].name, asked.best
    fields: dict[str, object] = {"cluster.provider": provider, "budget.mode": "rent", "budget.quotes": None}
    if reading.asked(asked.plan, "cluster.fabric"):
        fields["cluster.fabric"] = None
    tried = asked.tried(fields)
    beyond = ""
    if tried is None:
        limits = ("budget.usd", "budget.usd_per_month", "constraints.deadline_days")
        tried, beyond = asked.tried(fields | dict.fromkeys(limits)), ", beyond your limits"
    there = reading.chosen(tried) if tried else None
    if tried is None or there is None or there.cost_usd is None:
        return f"{name}: no price was read at which this job runs there."
    many = f"{reading.gpus(tried):,} GPUs, " if reading.gpus(tried) != reading.gpus(asked.plan) else ""
    done = f", done in {figures.hours(there.run_hours)}" if reading.ends(tried) else " a month"
    said = f"{name}: {many}{asked.name(there.fabric)}, {money(there)}{done}{beyond}"
    if best is None or best.cost_usd is None:
        return f"{said}."
    more = there.median_cost - best.median_cost
    if abs(more) <= reading.APART * best.median_cost:
        return f"{said}: as much as the plan's {money(best)}."
    far = f"{figures.usd(abs(more))} {'more' if more > 0 else 'less'} than the plan's {money(best)}"
    if "credit" not in asked.text or more <= 0:
        return f"{said}: {far}."
    given = next((usd for usd in asked.amounts("money") if usd >= _A_SUM), None)
    if given is None:
        return f"{said}: {far}. From {figures.usd(more)} of credits on it is the cheaper one."
    left = f"with {figures.usd(given)} of credits {figures.usd(max(0.0, there.median_cost - given))} are left to pay"
    return f"{said}; {left}, against the plan's {money(best)}."


def seller_price(asked: Asked) -> str | None:
    """How old that price is."""
    for provider in asked.said.named("provider"):
        own = (o for o in asked.plan.offers if o.provider == provider and o.usd_per_gpu_hour)
        offer = next((o for o in own if o.date), None)  # a quote has none
        if offer is not None:
            trust = f", trust {offer.trust}" if offer.trust else ""
            rate = f"{figures.usd(offer.usd_per_gpu_hour)} per GPU-hour {offer.tier}"
            return f"By its list of {offer.date}{trust}: {rate}; ask what they really take."
    return None


def without_seller(asked: Asked) -> list[str]:
    """The plan without a provider that is refused."""
    plan = asked.plan
    refused = [e.id for e in asked.said.entities if e.kind == "provider"]
    names = " and ".join(asked.catalog.providers[one].name for one in refused if one in asked.catalog.providers)
    taken = plan.taken
    if not names or asked.best is None:
        return []
    if taken is None or taken.provider not in refused:
        where = f"the plan is at {taken.provider_name or taken.provider}" if taken else "the plan rents nothing there"
        return [f"Nothing changes without {names}: {where}."]
    others = [text for text in other_sellers(asked) if not any(name in text for name in names.split(" and "))]
    return [f"The plan is at {names}. Without it:", *others, "Name the one to take."] if others else []


def other_bids(asked: Asked) -> str | None:
    """How to have bids that compare."""
    if asked.buys:
        return (
            'For three bids send three of them the same list ("what goes on the purchase order") and ask for delivery.'
        )
    return "Ask them the same questions, and tell me what they quote: I lay the quotes side by side."


def which_others(asked: Asked) -> list[str]:
    """The other networks that do the job, those of several makers where that is asked or was said."""
    best = asked.best
    if best is None:
        return []
    neutral = asked.says("neutral") or bool(reading.asked(asked.plan, "constraints.vendor_neutral"))
    able = [c for c in usable(asked) if c is not best and c.fabric != "none"]
    if neutral:
        able = [c for c in able if asked.catalog.fabrics[c.fabric].vendors == "many"]
    kind = "of several makers " if neutral else ""
    if not able:
        own = f" {asked.name(best.fabric)} is itself." if neutral and _is_neutral(asked, best.fabric) else ""
        return [f"No other network {kind}can be had for this job.{own}"]
    told = [f"{asked.name(c.fabric)} ({_beside(asked, c)})" for c in able[:_OTHERS]]
    return [
        f"{len(able)} other network{'s' * (len(able) != 1)} {kind}would do, the cheapest first: {', '.join(told)}.",
        f"Beside {asked.name(best.fabric)} at {money(best)}. Products are the bidders' to name: the plan knows kinds.",
    ]


_OTHERS = 4  # networks that are told


def _is_neutral(asked: Asked, fabric: str) -> bool:
    return fabric != "none" and asked.catalog.fabrics[fabric].vendors == "many"


def _beside(asked: Asked, one: Candidate) -> str:
    """How far behind the plan a network is."""
    best = asked.best
    if best is None:
        return ""
    step = f"step {lasts(slower(one, best))}"
    if not one.cost_usd or not best.cost_usd:
        return f"{step}, no price"
    more = one.median_cost - best.median_cost
    return f"{step}, {figures.usd(abs(more))} {'more' if more >= 0 else 'less'}"
