"""What is paid for what: dearer power, cables, months of use from which owning pays, a discount with a string."""

from __future__ import annotations

from math import sqrt

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Plan, Purchase
from assistant.vocabulary.quantities import DAYS_PER_MONTH, HOURS_PER_MONTH

from ... import figures
from .. import reading
from ..purchase import optics
from .asked import Asked, lasts, money, slower
from .moving import both_ways as rent_beside_purchase
from .operations import STOP, assumed, failures_a_day, nodes
from .outlay import bought_instead
from .terms_of_rent import taken

_LIFTED: dict[str, object] = {"budget.usd": None, "budget.usd_per_month": None}
_DAY = 86_400.0


def dearer_power(asked: Asked) -> list[str]:
    """The machines of one's own where power costs so many percent more, beside renting."""
    found = bought_instead(asked)
    percent = next((p for p in asked.amounts("percent", "share") if 0 < p < 1000), None)
    if found is None or percent is None or not asked.says("of_power"):
        return []
    plan, bought = found
    power = bought.monthly_usd.get("power", 0.0)
    whole = added(bought.monthly_usd.values())
    more = power * percent / 100
    best = reading.chosen(plan)
    share = f", {more / whole:.1%} of it" if whole else ""
    share = f", {more / whole:.1%} of it" if whole else ""
    sums = f"{figures.usd(power)} of {figures.usd(whole)} a month"
    said = [f"Power is {sums}; {percent:g} % more adds {figures.usd(more)}{share}."]
    rented = _rented(asked)
    if rented is None or best is None or best.run_hours is None:
        return said
    name, usd, hours = rented
    run = best.run_hours / HOURS_PER_MONTH
    mine = (whole + more) * run
    stay = mine <= usd
    flip = (usd / run - whole) / power if power and run else None
    turn = f"; it turns only where power costs {1 + flip:.2g} times as much" if flip and flip > 0 else ""
    return [
        f"{'Yes, stay' if stay else 'No, rent'}: the run is {figures.usd(mine)} on your machines then "
        f"({figures.usd(whole * run)} now), {figures.usd(usd)} on {name}{turn}.",
        *said,
        f"Yours take {figures.hours(best.run_hours)}, the rented {figures.hours(hours)}.",
    ]


def _rented(asked: Asked) -> tuple[str, float, float] | None:
    """The run on rented machines: of a GPU that is named, of one's own kind or a newer one, whichever is least."""
    own = asked.plan.questionnaire["cluster"]["gpu"]
    open_ = {
        "budget.owned": None,
        "budget.mode": "rent",
        "cluster.fabric": None,
        "cluster.gpus_per_node": None,
        **_LIFTED,
    }
    found = []
    for gpu in dict.fromkeys([*asked.said.named("gpu"), own, "h100-sxm"]):
        made = asked.tried({**open_, "cluster.gpu": gpu})
        one = reading.chosen(made) if made else None
        if made is not None and one is not None and one.cost_usd and one.run_hours:
            name = f"{reading.gpus(made):,} rented {asked.catalog.gpus[gpu].name.removeprefix('NVIDIA ')}"
            found.append((one.median_cost, name, one.run_hours))
    if not found:
        return None
    usd, name, hours = min(found)
    return name, usd, hours


def cables_share(asked: Asked) -> list[str]:
    """The links of a network that is bought: their sum, what cheaper ones save, what fewer of them cost in time."""
    best = asked.best
    fabric = best.fabric if best is not None else None
    found = bought_instead(asked, fabric) or bought_instead(asked)
    if found is None or best is None:
        return ["The plan buys no network, so it has no cables to price."]
    plan, bought = found
    links = [i for i in bought.items if i.kind == "link" and i.usd]
    sum_ = added(i.count * i.usd for i in links)
    network = bought.network_usd
    if not sum_ or not network:
        return ["Cables and optics are not priced apart here: ask for them as lines of their own."]
    per = reading.asked(plan, "cluster.gpus_per_node") or 8
    half = asked.tried({"cluster.nics_per_node": max(1, per // 2), "cluster.fabric": best.fabric})
    one = reading.candidate(half, best.fabric) if half else None
    fewer = ""
    if one is not None and one.step_time_s:
        fewer = (
            f"Half the rails save about {figures.usd(sum_ / 2)} of it; a step then takes {lasts(slower(one, best))}."
        )
    many = added(i.count for i in links)
    return [
        f"Not all of them: {many:,.0f} links are {figures.usd(sum_)} of the network's {figures.usd(network)}, "
        f"{sum_ / network:.0%}, and every port in use needs one.",
        *(optics(bought)[:1] or ["Within a rack passive copper does; optics are needed between racks only."]),
        *([fewer] if fewer else []),
    ]


def owning_from(asked: Asked) -> list[str]:
    """Renting beside buying over the months that are named: both sums, and the month from which owning pays."""
    found = bought_instead(asked)
    months = [days / DAYS_PER_MONTH for days in asked.amounts("time") if days >= 25]
    rent = month_rented(asked)
    if found is None or rent is None:
        return []
    bought = found[1]
    running = added(usd for part, usd in bought.monthly_usd.items() if part in ("power", "support", "staff"))
    both = rent_beside_purchase(asked)
    even = both.break_even_months if both else bought.capital_usd / (rent - running) if rent > running else None
    spans = list(dict.fromkeys([round(m) for m in months] + [round(bought.months)]))[:2]
    told = [
        f"{span} months: {figures.usd(span * rent)} rented, {figures.usd(bought.capital_usd + span * running)} bought"
        for span in spans
    ]
    never = "owning never pays: an hour of rent costs less than its upkeep"
    pays = f"owning pays after {even:.0f} months of full use" if even else never
    first = ""
    if months:
        first = "Yes, rent: " if even is None or months[0] < even else "No, buy: "
    use = both.break_even_utilization_percent if both else 100 * even / bought.months if even else None
    share = (
        f"; below {use:.0f} % of use over {bought.months:g} months it does not" if even and use and use < 100 else ""
    )
    longer = f", longer than the {bought.months:g} of its write-off" if even and even > bought.months else ""
    begin = f"{first}{pays}{longer or share}"
    return [
        f"{begin[:1].upper()}{begin[1:]}.",
        f"{'; '.join(told)}.",
        "No resale is counted for what is bought: it moves that month forward. What is rented by the month can "
        "be left.",
    ]


def month_rented(asked: Asked) -> float | None:
    """US dollars a month of the same machines rented."""
    plan: Plan | None = asked.plan
    if asked.buys:
        plan = asked.tried({"budget.mode": "rent", "budget.owned": None, "cluster.fabric": None, **_LIFTED})
    best = reading.chosen(plan) if plan is not None else None
    if plan is None or best is None:
        return None
    if reading.serves(plan):
        return best.usd_per_month
    rate = best.gpu_usd_per_hour
    return rate * reading.gpus(plan) * HOURS_PER_MONTH if rate else None


def with_a_string(asked: Asked) -> list[str]:
    """A discount that comes with a network: the sum with both beside the plan's own."""
    percent = next((p for p in asked.amounts("percent", "share") if 0 < p < 100), None)
    own = bought_instead(asked)
    fabric = next((f for f in asked.fabrics if f in asked.catalog.fabrics and f != "none"), None)
    best = asked.best
    if percent is None or own is None or best is None or fabric is None or fabric == best.fabric:
        return []
    whole = own[1].capital_usd
    if best.fabric == "none":
        off = percent / 100 * whole
        return [
            f"Only if that network costs less than the discount: nothing of this job crosses one, so it adds "
            f"nothing, and "
            f"{percent:g} % off {figures.usd(whole)} are {figures.usd(off)}.",
            f"With it for less than {figures.usd(whole * percent / (100 - percent))}, adapters, switch and "
            f"cables, and the "
            f"discount on all of it, you pay less than {figures.usd(whole)}; above that leave it.",
            "Have both offers in lines: with and without, what the percentage is of, and support.",
        ]
    extra = _network_of(asked, fabric)
    if extra is None:
        return []
    other = (whole if best.fabric == "none" else whole - (own[1].network_usd or 0.0)) + extra
    then = (1 - percent / 100) * other
    flip = 100 * (1 - whole / other)
    takes = "take it" if then < whole else "leave it"
    return [
        f"{'Yes' if then < whole else 'No'}, {takes}: with {asked.name(fabric)} and {percent:g} % off all of it "
        f"you pay {figures.usd(then)} instead of {figures.usd(whole)}.",
        f"{asked.name(fabric)} is {figures.usd(extra)} of {figures.usd(other)} before the discount; it evens out at "
        f"{flip:.1f} % off.",
        "If the percentage is of the machines alone, count it anew; lists know no discounts: have both as lines.",
    ]


def _network_of(asked: Asked, fabric: str) -> float | None:
    """US dollars of a network that the job is planned over."""
    made = asked.tried({"cluster.fabric": fabric, "budget.mode": "buy", **_LIFTED})
    bought = made.purchase if made is not None else None
    if bought is not None and bought.network_usd:
        return bought.network_usd
    return None


def checkpoint_every(asked: Asked) -> list[str]:
    """What saving at one interval and at another costs of the time, and the best one."""
    rate, stop = failures_a_day(asked.plan), assumed(asked.plan, STOP)
    best = asked.best
    if rate is None or stop is None or best is None or best.run_hours is None or reading.serves(asked.plan):
        return []
    between = _DAY / (rate * nodes(asked.plan))
    named = [days * _DAY for days in asked.amounts("time") if 30 <= days * _DAY <= _DAY]
    named += [3600.0] if "hourly" in asked.text else []
    spans = list(dict.fromkeys(named))[:2] or [600.0, 3600.0]
    lost = lambda every: 100 * (stop / every + every / 2 / between)
    ideal = sqrt(2 * stop * between)
    price = best.cost_usd.p50 if best.cost_usd else 0.0
    told = "; ".join(
        f"every {figures.seconds(one)} {lost(one):.2g} % of the time ({figures.hours(lost(one) / 100 * best.run_hours)}"
        f"{f', {figures.usd(lost(one) / 100 * price)}' if price else ''})"
        for one in spans
    )
    least = min(spans, key=lost)
    size = asked.catalog.constants["cost-checkpoint-state"].si * (asked.params or 0.0)
    writes = f" ({figures.bytes_text(size)}, {size / stop / 1e9:,.0f} GB/s to storage)" if size and stop else ""
    first = f"Every {figures.seconds(least)} is the better one" if len(spans) > 1 else f"Every {figures.seconds(least)}"
    return [
        f"{first}: {told}.",
        f"Best is about every {figures.seconds(ideal)}: {lost(ideal):.2g} %. A checkpoint stops the work "
        f"{figures.seconds(stop)}{writes}; a failure comes every {figures.seconds(between)}.",
        "Counted are the stops and half an interval of work lost at each failure; restarts come on top either way.",
    ]


def counted_failures(asked: Asked) -> list[str]:
    """How many failures the run counts on, and what each costs."""
    rate, best = failures_a_day(asked.plan), asked.best
    if rate is None or best is None or best.run_hours is None or reading.serves(asked.plan):
        return []
    per_day = rate * nodes(asked.plan)
    many = per_day * best.run_hours / 24
    kept = best.effective_time_percent.p50 if best.effective_time_percent else None
    lost = "" if kept is None else f"; with checkpoints {100 - kept:.1f} % of the time"
    days = (
        ""
        if kept is None
        else f", {figures.hours((100 - kept) / 100 * best.run_hours)} of {figures.hours(best.run_hours)}"
    )
    cost = f", {figures.usd((100 - kept) / 100 * best.median_cost)}" if kept is not None and best.cost_usd else ""
    return [
        f"About {figures.significant(many, 2)} in the run: {rate:g} per node and day, one every "
        f"{figures.seconds(_DAY / per_day)} on {nodes(asked.plan):,.0f} nodes{lost}{days}{cost}."
    ]


def idle_term(asked: Asked) -> list[str]:
    """What is paid of a term after the run has ended, and the use from which the term is the cheaper one."""
    best, offer = asked.best, taken(asked)
    days = reading.asked(asked.plan, "budget.reserved_days")
    if best is None or best.run_hours is None or not days or offer is None or not offer.usd_per_gpu_hour:
        return []
    rate, gpus = offer.usd_per_gpu_hour, reading.gpus(asked.plan)
    idle = max(0.0, 24 * days - best.run_hours)
    by_hour = asked.tried({"budget.reserved_days": None})
    one = reading.chosen(by_hour) if by_hour else None
    whole = rate * gpus * 24 * days
    said = [
        f"{figures.usd(rate * gpus * idle)}: the run takes {figures.hours(best.run_hours)} of "
        f"{figures.hours(24 * days)}, "
        f"so {idle / HOURS_PER_MONTH:.1f} months are paid and not used."
    ]
    if one is not None and one.cost_usd and one.gpu_usd_per_hour:
        even = whole / (one.gpu_usd_per_hour * gpus) / HOURS_PER_MONTH
        said.append(
            f"On demand the run alone costs {money(one)} instead of {figures.usd(whole)}; both are equal at "
            f"{even:.1f} months of use, so the term needs a lower price or other work."
        )
    return [*said, "Ask whether the rest can be sublet, moved or given back: lists do not say."]


def taper_saves(asked: Asked) -> list[str]:
    """What a thinner spine takes off the purchase of the network."""
    best = asked.best
    named = asked.said.fields.get("cluster.oversubscription")
    if best is None or best.fabric == "none" or not asked.says("of_switches"):
        return []
    ratio = float(named) if isinstance(named, int | float) and named > 1 else 2.0
    found: list[tuple[float, int]] = []
    for one in (1.0, ratio):
        change = {"budget.mode": "buy", "cluster.provider": None, "cluster.fabric": best.fabric, **_LIFTED}
        made = asked.tried({**change, "cluster.oversubscription": one})
        bought: Purchase | None = made.purchase if made is not None else None
        if made is None or bought is None or bought.network_usd is None:
            return []
        found.append((bought.network_usd, int(made.fabric_design.get("switches") or 0)))
    (whole, many), (thin, fewer) = found
    if thin >= whole:
        return [f"It saves nothing to buy: {many} switches either way ({figures.usd(whole)})."]
    return [
        f"To buy it saves {figures.usd(whole - thin)}: {fewer} switches instead of {many}, {figures.usd(thin)} instead "
        f"of {figures.usd(whole)} for the network."
    ]
