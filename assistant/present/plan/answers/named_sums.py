"""What a question names beside a plan: a rent of the room, a currency, a price of the network, a time of use, one
switch."""

from __future__ import annotations

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Candidate, Purchase
from assistant.vocabulary.quantities import HOURS_PER_MONTH, in_months

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable

_DAYS_PER_MONTH = HOURS_PER_MONTH / 24
_NEAR = 0.01  # of a cost: as much, within the rounding


def colocation(asked: Asked) -> list[str]:
    """What a room costs that is let by the kilowatt: of the machines' power, which the contract may take at the site
    or at the rack."""
    rate, power = _per_kilowatt(asked), asked.plan.power
    if power is None:
        return ["Nothing works as asked, so nothing draws power."]
    if rate is None:
        return ["Say how many dollars, euros or pounds a kW costs a month: of another currency no rate is known."]
    sum_ = rate * power.it_kw
    said = [
        f"{figures.usd(sum_)} a month: {figures.significant(power.it_kw)} kW of machines and network at "
        f"{figures.usd(rate)} per kW."
    ]
    if not asked.buys:
        return [f"Nothing: the machines are rented, and their room is in the rent. Of your own it were {said[0]}"]
    run = asked.best.run_hours if asked.best is not None and reading.ends(asked.plan) else None
    said += [f"For the run of {figures.hours(run)}: {figures.usd(sum_ * run / HOURS_PER_MONTH)}."] if run else []
    said.append("On top of the plan's sums: they have electricity and cooling, and no room.")
    site = f"Where cooling is metered as well it is {figures.significant(power.site_kw)} kW"
    said.append(f"{site}, {figures.usd(rate * power.site_kw)} a month; by the kW that is reserved, ask which.")
    return said


def _per_kilowatt(asked: Asked) -> float | None:
    """The US dollars of a kilowatt-month that are named; ``None`` where the rate of the currency is not known."""
    for one in asked.said.amounts:
        if one.kind == "money":
            return float(one.value)
        if one.kind == "money-other":
            rate = asked.catalog.constants.get(f"currency-{one.currency.lower()}")
            return rate and float(one.value) * float(rate.value)
    return None


def sum_in_currency(asked: Asked) -> list[str]:
    """The plan's cost in the currency that is named, with the rate and its day."""
    best, code = asked.best, _currency(asked)
    if best is None or best.cost_usd is None:
        return [asked.plan.recommendation.smallest_change or "No price is known, so none in another currency."]
    rate = asked.catalog.constants.get(f"currency-{code.lower()}") if code else None
    if rate is None:
        return ["No exchange rate of that currency is in the catalog: the sums stay in US dollars."]
    told = lambda usd: figures.in_currency(usd / float(rate.value), code or "")
    bought = reading.to_buy(asked.plan)
    said = [f"{told(bought.capital_usd)} to buy"] if bought is not None else []
    said += [f"{told(best.usd_per_month)} a month"] if best.usd_per_month and _monthly(asked, bought) else []
    ends = reading.ends(asked.plan)
    said += [f"{told(best.median_cost)} for {reading.bill(asked.plan)}"] if ends else []
    unit = figures.in_currency(1.0, code or "")
    network = bought.network_usd if bought is not None and "network_word" in asked.said.roles.get("signs", {}) else None
    said = [f"{told(network)} for the network, of {said[0]}"] if network else said
    return [
        f"{'; '.join(said)}.",
        f"At {float(rate.value):g} dollars for {unit}, as read on {rate.date}; the plan counts in dollars.",
    ]


def _monthly(asked: Asked, bought: Purchase | None) -> bool:
    """Whether a month of it is told: it is owned, serves, lasts longer, or is asked."""
    best = asked.best
    long = best is not None and (best.run_hours or 0.0) > HOURS_PER_MONTH
    return bought is not None or asked.buys or not reading.ends(asked.plan) or long or "month" in asked.text


def _currency(asked: Asked) -> str | None:
    """The code of the currency that is named beside dollars."""
    return next(iter(asked.said.roles.get("signs", {}).get("currency_named", ())), None)


def network_at_sum(asked: Asked) -> list[str]:
    """Whether the network is worth a sum that is named: up to which price the work of its write-off costs less than on
    the next cheapest, and than without RDMA."""
    best, bought, sum_ = asked.best, asked.plan.purchase, _sum(asked)
    if best is None or sum_ is None:
        return []
    name = asked.name(best.fabric)
    if bought is None:
        return [f"There is none to pay: {name} is in the rent of the machines."]
    own, others = bought.network_usd, [c for c in usable(asked) if c is not best and c.cost_usd]
    plain = next((c for c in others if asked.catalog.fabrics[c.fabric].technology == "tcp"), None)
    if best.fabric == "none" or not others or not own:
        return ["No network is bought in this plan, and no other is needed."]
    plain, other = plain or others[0], others[0]
    worth, ahead = _worth(best, plain, bought, own), _worth(best, other, bought, own)
    verdict = "Yes" if sum_ <= ahead else "Not this one" if sum_ <= worth else "No"
    over = f"counted over {bought.months:g} months of full use; used less, it is worth less"
    said = [
        f"{verdict} at {figures.usd(sum_)}: {name}, {figures.usd(own)} in the plan, pays up to {figures.usd(ahead)}; "
        f"above that {asked.name(other.fabric)} does the work for less, {over}."
    ]
    slow = f"a step takes {lasts(slower(plain, best))} on {asked.name(plain.fabric)}"
    if other is plain:
        return [*said, f"{slow[0].upper()}{slow[1:]}."]
    return [*said, f"Against no RDMA at all it pays up to {figures.usd(worth)}: {slow}."]


def _sum(asked: Asked) -> float | None:
    """The largest sum that is named, in US dollars."""
    return max((usd for usd in asked.amounts("money", "sum", "large") if usd >= 1), default=None)


def _worth(best: Candidate, plain: Candidate, bought: Purchase, own: float) -> float:
    """US dollars to buy a network at which the work of its write-off costs as much as on a plainer one: ``own`` and
    what it saves, of which its support takes a share."""
    months = bought.months
    runs = months * HOURS_PER_MONTH / (best.run_hours or HOURS_PER_MONTH)
    saved = runs * (plain.median_cost - best.median_cost)
    support = bought.monthly_usd.get("support", 0.0) / bought.capital_usd * months
    return own + saved / (1 + support)


def one_switch(asked: Asked) -> list[str]:
    """Whether so few switches join the machines of the plan."""
    best, design = asked.best, asked.plan.fabric_design
    if best is None:
        return []
    if best.fabric == "none" or not design:
        return ["Yes: any one switch does, for nothing of this job crosses a fast network between machines."]
    name, count = asked.name(best.fabric), int(design["switches"])
    many = max((int(n) for n in asked.amounts("number") if n == int(n) and 0 < n < _FEW), default=1)
    if not asked.buys:
        return [f"That is the provider's affair: {name} is rented with the machines. It takes {count:,} of 64 ports."]
    counted = figures.counted(count, "switch", "switches")
    ports = f"{name} takes {counted} for {int(design['nics']):,} adapters"
    price = reading.to_buy(asked.plan)
    switches = [i for i in price.items if i.kind == "switch"] if price else []
    cost = "; ".join(f"{i.count:,} × {i.item} at {figures.usd(i.usd)}" for i in switches)
    verdict = "Yes" if many >= count else "No"
    said = [f"{verdict}: {ports}{f' ({cost})' if cost else ''}."]
    return [*said, "When the only one fails the run stands still: keep a spare."] if count == 1 else said


_FEW = 100


def used_for(asked: Asked) -> list[str]:
    """What machines or a network cost that are used a shorter time than they are written off over, beside a rent of
    that time."""
    best, bought, days = asked.best, asked.plan.purchase, next(iter(asked.amounts("time")), 0.0)
    months = days / _DAYS_PER_MONTH
    if best is None or not months:
        return []
    if bought is None or not bought.capital_usd:
        monthly = best.usd_per_month
        said = f"{figures.usd(monthly * months)} for {in_months(days)} in full use" if monthly else "Nothing changes"
        return [f"{said}: nothing is bought, so a shorter time costs in proportion."]
    shorter = asked.tried({"budget.amortization_months": max(1, round(months))})
    then = reading.chosen(shorter) if shorter else None
    if shorter is None or then is None or shorter.purchase is None:
        return []
    part, paid = reading.gpus(asked.plan), shorter.purchase
    hourly = f"{figures.usd(paid.usd_per_gpu_hour)} per GPU-hour instead of {figures.usd(bought.usd_per_gpu_hour)}"
    said = [
        f"Written off over {in_months(days)} instead of {bought.months:g}: "
        f"{figures.usd(added(paid.monthly_usd.values()))} a month, {hourly}, where nothing is sold again."
    ]
    if then.fabric != best.fabric:
        said.append(f"Then {asked.name(then.fabric)} costs least, {figures.usd(paid.capital_usd)} to buy.")
    elif bought.gpus_there:
        said.append(f"{asked.name(best.fabric)} stays the cheapest, {money(then)} for {reading.bill(asked.plan)}.")
    return [*said, *_rented_beside(asked, months, part, paid)]


def _rented_beside(asked: Asked, months: float, gpus: int, paid: Purchase) -> list[str]:
    """The rent of as many machines for that time."""
    rented = asked.tried({"budget.mode": "rent"}) if not paid.gpus_there else None
    offer = rented.offers[rented.recommendation.offer] if rented and rented.recommendation.offer is not None else None
    if offer is None or not offer.usd_per_gpu_hour:
        return []
    rent, own = offer.usd_per_gpu_hour * gpus * months * HOURS_PER_MONTH, added(paid.monthly_usd.values()) * months
    less = "less" if rent < own * (1 - _NEAR) else "more" if rent > own * (1 + _NEAR) else "as much"
    where = f"{offer.provider_name or offer.provider} at {figures.usd(offer.usd_per_gpu_hour)}"
    both = f"{figures.usd(rent)} against {figures.usd(own)}"
    return [f"Rented for that time, {where}: {less}, {both}."]
