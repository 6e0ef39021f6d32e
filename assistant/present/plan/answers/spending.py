"""What may be spent: the highest bill, what of a sum was named, a smaller sum, what the purchase is worth later, in
whose books it stands."""

from __future__ import annotations

import datetime
from math import floor

from assistant.vocabulary.plan import Plan

from ... import figures
from .. import reading
from .asked import Asked, money

_LEAST_SUM = 10_000  # US dollars: what is smaller is no price of a cluster or its network
_NODES_TRIED = 4  # fewer and fewer, before it is given up
_SHORTER = 24.0  # months of write-off beside the plan's own


def sum_named(asked: Asked) -> float | None:
    """The sum that the message names, in US dollars; ``None`` where there is none."""
    money_ = [
        float(a.value) for a in asked.said.amounts if a.kind.startswith("money") and isinstance(a.value, int | float)
    ]
    return next(iter([*money_, *(n for n in asked.amounts("sum", "number", "large") if n >= _LEAST_SUM)]), None)


def bill_most(asked: Asked) -> list[str]:
    """The most that may be billed in nine of ten cases, against plan and limit; and what drives it up."""
    best = asked.best
    if best is None or best.cost_usd is None:
        return []
    limit = reading.asked(asked.plan, "budget.usd")
    high = best.cost_usd.p90
    against = "" if not limit else f", {'within' if high <= limit else 'beyond'} your {figures.usd_limit(limit)}"
    bought = asked.plan.purchase
    if bought is not None:
        return [
            f"The purchase: {figures.usd(bought.capital_usd_high)} at list prices that are high, "
            f"{figures.usd(bought.capital_usd)} planned.",
            f"On top, not counted: {', '.join(bought.not_counted[:5])}.",
        ]
    return [
        f"At most {figures.usd(high)} in nine of ten cases, {money(best)} planned{against}. Nothing caps it.",
        "Up: a slower run, runs done again, the least term, machines left on; storage, data out, tax on top.",
    ]


def largest_part(asked: Asked) -> str | None:
    """What of the sum is the largest part, where that is asked: of a purchase the machines beside the network."""
    best, bought = asked.best, reading.to_buy(asked.plan)
    if best is None or not asked.says("largest"):
        return None
    if bought is None:
        rate, network = best.gpu_usd_per_hour, best.fabric_usd_per_gpu_hour
        beside = f" and {figures.usd(network)} for the network" if network else ", the network in it"
        of_it = f": {figures.usd(rate)} per GPU-hour{beside}" if rate else ""
        return f"GPU-hours are all of the {money(best)}{of_it}; storage and data out come on top."
    if bought.network_usd is None:
        return f"It is one sum, {figures.usd(bought.capital_usd)}: no quote tells machines and network apart."
    parts = {"the machines": bought.capital_usd - bought.network_usd, "the network": bought.network_usd}
    (first, most), (other, less) = sorted(parts.items(), key=lambda one: -one[1])
    share = 100 * most / bought.capital_usd
    return (
        f"{first[:1].upper()}{first[1:]}: {figures.usd(most)} of {figures.usd(bought.capital_usd)} to buy "
        f"({share:.0f} %); {other} {figures.usd(less)}."
    )


def included_named(asked: Asked) -> str | None:
    """Which of the items that the message names are in the sum, and which are not."""
    kinds = asked.words.get("cost_items", {})
    bought = asked.plan.purchase
    holds = "bought" if bought is not None else "rented"
    named = [(name, item) for name, item in kinds.items() if any(word in asked.text for word in item["words"])]
    if not named:
        return None
    inside = [name for name, item in named if holds in item.get("counted", ())]
    outside = [name for name, item in named if holds not in item.get("counted", ())]
    told = [f"in it: {', '.join(inside)}"] if inside else []
    told += [f"not in it: {', '.join(outside)}"] if outside else []
    return f"Of what you name {'; '.join(told)}."


def less_money(asked: Asked) -> list[str]:
    """The job with the smaller sum that is named: whether it fits, what can go, and how many GPUs it pays for."""
    limit, best, bought = sum_named(asked), asked.best, asked.plan.purchase
    if limit is None or best is None:
        return []
    if bought is None:
        made = asked.tried({"budget.usd": limit})
        one = reading.chosen(made) if made else None
        if one is not None:
            return [f"{figures.usd_limit(limit)} is enough: {_offered(made, one.fabric, asked)}, {money(one)}."]
        return [f"{figures.usd_limit(limit)} is not enough: it costs {money(best)}.", *_fewer(asked, limit)]
    whole = bought.capital_usd
    if whole <= limit:
        return [f"{figures.usd_limit(limit)} is enough: the purchase costs {figures.usd(whole)}."]
    network = bought.network_usd
    alone = ", so no network at all would not do" if network and whole - network > limit else ""
    plain = f"; the network is {figures.usd(network)} of it{alone}" if network else ""
    said = [f"Not all of it: the purchase costs {figures.usd(whole)} against {figures.usd_limit(limit)}{plain}."]
    return [*said, *_fewer(asked, limit), *_rented(asked)]


def _offered(plan: Plan | None, fabric: str, asked: Asked) -> str:
    many = f"{reading.gpus(plan):,} GPUs" if plan else "it"
    return f"{many} with {asked.name(fabric)}"


def _fewer(asked: Asked, limit: float) -> list[str]:
    """What goes first: GPUs, as they are most of the sum; the most of them that it pays for in whole nodes."""
    gpus = reading.gpus(asked.plan)
    per = int(reading.asked(asked.plan, "cluster.gpus_per_node") or 8)
    bought = asked.plan.purchase
    now = bought.capital_usd if bought is not None else asked.best.median_cost if asked.best else 0.0
    first = floor(gpus * limit / now / per) * per if now else 0
    for size in range(first, max(0, first - _NODES_TRIED * per), -per):
        made = asked.tried({"cluster.gpus": size, "budget.usd": limit, "constraints.deadline_days": None})
        one = reading.chosen(made) if made else None
        if made is None or one is None or asked.best is None:
            continue
        sum_ = f"{figures.usd(made.purchase.capital_usd)} to buy" if made.purchase is not None else money(one)
        ends = reading.ends(made) and one.run_hours and asked.best.run_hours
        time = (
            f", a run in {figures.hours(one.run_hours)} instead of {figures.hours(asked.best.run_hours)}"
            if ends
            else ""
        )
        return [f"GPUs go first: {size:,} instead of {gpus:,} with {asked.name(one.fabric)}, {sum_}{time}."]
    return ["Fewer of these GPUs do not do it either: fewer tokens, a smaller model, or another GPU."]


def _rented(asked: Asked) -> list[str]:
    """The same run on machines that are let."""
    made = asked.tried({"budget.mode": "rent", "budget.usd": None, "budget.usd_per_month": None})
    one = reading.chosen(made) if made else None
    if one is None or one.cost_usd is None:
        return []
    return [f"Or rent: {money(one)} for {reading.bill(made) if made else 'the run'}, and no purchase."]


def ages(asked: Asked) -> list[str]:
    """What newer chips do to the plan: nothing is known of it, so what a shorter life would cost, and the hedge."""
    bought, best = asked.plan.purchase, asked.best
    if best is None:
        return []
    if bought is None:
        return [
            "Nothing of it is yours, so nothing can lose its worth: you rent, and may leave for the next chip.",
            "What that chip can do or costs nobody knows; a long term would tie you to this one.",
        ]
    said = [
        f"Maybe: nobody knows. No resale is counted: it is worth nothing after {bought.months:g} months in the plan."
    ]
    short = _SHORTER if bought.months > _SHORTER else bought.months / 2
    made = asked.tried({"budget.amortization_months": short})
    if made is not None and made.purchase is not None:
        said.append(f"If it is so after {short:g} months: {_a_month(made)} a month instead of {_a_month(asked.plan)}.")
    said.append(
        "Racks, power and fibre keep their use; GPUs lose theirs first, switches and adapters with the next rate."
    )
    return [*said, *_rented(asked)]


def _a_month(plan: Plan) -> str:
    """What a purchase costs a month, with its write-off, power and support."""
    best = reading.chosen(plan)
    return figures.usd(best.usd_per_month) if best is not None and best.usd_per_month else "unknown"


def books(asked: Asked) -> list[str]:
    """In which months money is spent, and what kind of spending it is; the rest is an accountant's."""
    best, bought = asked.best, asked.plan.purchase
    if best is None:
        return []
    said = ["That is your accountant's to say, not the plan's. What the plan knows:"]
    if bought is not None:
        return [
            *said,
            f"A purchase of {figures.usd(bought.capital_usd)}, as a rule an asset, counted here over {bought.months:g} "
            f"months from its delivery.",
        ]
    kind = "Rent, so as a rule a running expense of the months in which it is used."
    if not best.run_hours or not reading.ends(asked.plan):
        return [*said, kind, f"{money(best)} a month from the day it starts."]
    end = asked.today + datetime.timedelta(hours=best.run_hours)
    if end.year == asked.today.year:
        return [*said, f"Started today all of {money(best)} falls into {end.year}: {_span(asked.today, end)}.", kind]
    here = (datetime.date(asked.today.year + 1, 1, 1) - asked.today).days / max((end - asked.today).days, 1)
    split = (
        f"{figures.usd(here * best.median_cost)} in {asked.today.year}, "
        f"{figures.usd((1 - here) * best.median_cost)} after"
    )
    return [*said, f"Started today it runs {_span(asked.today, end)}: {split}.", kind]


def _span(first: datetime.date, last: datetime.date) -> str:
    return f"from {first.day} {first:%B} {first.year} to {last.day} {last:%B} {last.year}"
