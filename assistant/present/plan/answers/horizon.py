"""Later than now: owning that ends early, waiting for the next generation, a long term while prices fall, more time."""

from __future__ import annotations

from math import ceil, log

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.quantities import DAYS_PER_MONTH, DAYS_PER_YEAR, HOURS_PER_MONTH, days_said

from ... import figures
from .. import reading
from .asked import Asked, money
from .moving import both_ways, part_of_a_whole
from .outlay import bought_instead
from .owning import month_rented
from .terms_of_rent import taken

_SOON = 25.0  # days: what is shorter is no time of owning
_FALLS = (0.1, 0.2)  # of a price within a year
_LIFTED = dict.fromkeys(("budget.usd", "budget.usd_per_month", "constraints.deadline_days"))
_FELT = 0.05  # of a sum: less apart is within what list prices differ


def _months(asked: Asked) -> float | None:
    return next((days / DAYS_PER_MONTH for days in asked.amounts("time") if days >= _SOON), None)


def left_early(asked: Asked) -> list[str]:
    """Renting beside buying where it ends after the months that are named: both sums, what buying has cost more, and
    for how much the machines would have to be sold."""
    months, found, rent = _months(asked), bought_instead(asked), month_rented(asked)
    if months is None or found is None or rent is None or months >= found[1].months or part_of_a_whole(asked):
        return []
    bought = found[1]
    running = added(usd for part, usd in bought.monthly_usd.items() if part in ("power", "support", "staff"))
    rented, owned = months * rent, bought.capital_usd + months * running
    hurt = owned - rented
    both = both_ways(asked)
    even = both.break_even_months if both else None
    pays = f"; buying pays after {even:.0f} months of full use" if even else "; buying never pays at these prices"
    if hurt <= 0:
        return [f"Not at all: after {months:.3g} months {figures.usd(-hurt)} less than renting{pays}."]
    resale = hurt / bought.capital_usd
    sold = (
        f"Sold for {figures.usd(hurt)}, {resale:.0%} of its price, it would be level: no resale is counted."
        if resale < 1
        else "No resale could make up for it; none is counted."
    )
    return [
        f"By {figures.usd(hurt)}, if nothing is sold: after {months:.3g} months in full use {figures.usd(owned)} "
        f"bought ({figures.usd(bought.capital_usd)} and upkeep), {figures.usd(rented)} rented{pays}.",
        sold,
        "Used less, renting by the hour would have cost less still.",
    ]


def waited_for(asked: Asked) -> list[str]:
    """What waiting for the next generation costs: the day it ends at the earliest, how much quicker it would have to
    be, and what a lower price would save."""
    months, best = _months(asked), asked.best
    if months is None or best is None or best.run_hours is None or not reading.ends(asked.plan):
        return []
    wait, run = months * DAYS_PER_MONTH, best.run_hours / 24
    bought = reading.to_buy(asked.plan)
    whole = bought.capital_usd if bought is not None else best.median_cost if best.cost_usd else None
    first = (
        f"{figures.hours(24 * (wait - run))} at least: begun now it is done in {figures.hours(24 * run)}, before "
        "the wait is over, however quick the next one is."
        if run < wait
        else f"{figures.hours(24 * wait)}, unless it is {run / (run - wait):.2g} times as quick: begun now it takes "
        f"{figures.hours(24 * run)}."
    )
    said = [f"In the calendar {first}"]
    if whole is not None:
        what = "to buy" if bought is not None else "for the run"
        each = _FALLS[0] * whole
        said.append(
            f"In dollars: 10 % cheaper saves {figures.usd(each)} of {figures.usd(whole)} {what}; it pays if a month "
            f"without the model is worth less than {figures.usd(each / months)}."
        )
    return [*said, *_newer(asked)]


def _newer(asked: Asked) -> list[str]:
    """The quickest newer kind of GPU that is to be had already, on as many."""
    own = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    best, bought = asked.best, reading.to_buy(asked.plan)
    able = [
        g
        for g, one in asked.catalog.gpus.items()
        if one.vendor == own.vendor
        and one.peak_bf16.si > own.peak_bf16.si
        and one.maturity == "shipping"
        and one.scale_up_domain == own.scale_up_domain
        and (one.purchase_price or one.hour_price)
    ]
    for gpu in sorted(able, key=lambda g: -asked.catalog.gpus[g].peak_bf16.si):
        made = asked.tried({"cluster.gpu": gpu, "cluster.provider": None, "cluster.fabric": None, **_LIFTED})
        one = reading.chosen(made) if made else None
        if made is None or one is None or not one.run_hours or best is None:
            continue
        price = reading.to_buy(made)
        sums = f", {money(one)} against {money(best)} for the run" if one.cost_usd and best.cost_usd else ""
        if price is not None and bought is not None:
            sums = f", {figures.usd(price.capital_usd)} to buy instead of {figures.usd(bought.capital_usd)}"
        name = asked.catalog.gpus[gpu].name
        return [f"No forecast is in it; newer and there already: {name}, {figures.hours(one.run_hours)}{sums}."]
    return ["What the next one can do or costs the plan does not know: no forecast is in it."]


def term_at_a_discount(asked: Asked) -> list[str]:
    """A term with the discount that is named beside renting by the month: both sums, the use and the fall of prices at
    which they tie."""
    off = next((share for share in asked.amounts("percent", "share") if 0 < share < 100), None)
    offer, best = taken(asked), asked.best
    rate = offer.usd_per_gpu_hour if offer else best.gpu_usd_per_hour if best else None
    named = next((days for days in asked.amounts("time") if days >= _A_TERM), None)
    days = named or reading.asked(asked.plan, "budget.reserved_days")
    if best is None or not rate or asked.buys or off is None or not days:
        return []
    months, hours = days / DAYS_PER_MONTH, 24 * days * reading.gpus(asked.plan)
    whole, term = rate * hours, (1 - off / 100) * rate * hours
    years = days / DAYS_PER_YEAR
    falls = [fall for fall in range(1, 80) if _mean_of_fall(fall / 100, years) <= 1 - off / 100]
    fall = f"; prices must fall {falls[0]} % a year to make it the dearer one" if falls else ""
    used, verdict = months * (1 - off / 100), "Sign if"
    run = best.run_hours if reading.ends(asked.plan) else None
    if run is not None and run / 24 < (1 - off / 100) * days:
        verdict = f"No for this run alone, it takes {figures.hours(run)}: sign only if"
    return [
        f"{verdict} you use them {used:.3g} of the {months:.3g} months: {figures.usd(term)} in all at {off:g} % off "
        f"({figures.usd(term / hours)} per GPU-hour), month by month {figures.usd(whole)} at today's "
        f"{figures.usd(rate)}.",
        f"They tie at {100 - off:g} % use{fall}. The plan has no forecast: with such a term a fall is yours to bear.",
        "Ask for a price that follows their list, or a way out after a year.",
    ]


_A_TERM, _A_WEEK = 60.0, 7.0  # days


def term_while_falling(asked: Asked) -> list[str]:
    """A term at a fixed price beside renting month by month while prices fall: both sums, and the discount for which
    the term is worth it."""
    offer, best = taken(asked), asked.best
    named = next((days for days in asked.amounts("time") if days >= DAYS_PER_YEAR - _A_WEEK), None)
    days = reading.asked(asked.plan, "budget.reserved_days") or (named if asked.says("falling") else None)
    rate = offer.usd_per_gpu_hour if offer else best.gpu_usd_per_hour if best else None
    years = (days or 0.0) / DAYS_PER_YEAR
    if best is None or not rate or asked.buys or years < 0.98 or asked.amounts("percent", "share"):
        return []
    whole = rate * reading.gpus(asked.plan) * 24 * (days or 0.0)
    shares = [_mean_of_fall(fall, years) for fall in _FALLS]
    told = " and ".join(
        f"{figures.usd(share * whole)} if they fall {fall:.0%} a year"
        for fall, share in zip(_FALLS, shares, strict=True)
    )
    off = " or ".join(f"{1 - share:.0%}" for share in shares)
    term = f"{figures.significant((days or 0.0) / DAYS_PER_MONTH)} months"
    listed = (
        ""
        if offer is not None and offer.tier == "reserved"
        else ", today's price, as no lower one for the term is read"
    )
    return [
        f"Only for a discount: {term} are {figures.usd(whole)} fixed{listed}; month by month it is {told}.",
        f"So sign only at least {off} below today's price, or with one that follows the list; at no discount any fall "
        "makes shorter terms cheaper.",
        "For the term: the machines are sure, and a rise is not yours. The plan has no forecast.",
    ]


def _mean_of_fall(fall: float, years: float) -> float:
    """The mean price over so many years ÷ the first, where it falls by a share every year, evenly."""
    kept = 1 - fall
    return (kept**years - 1) / (years * log(kept))


def in_more_time(asked: Asked) -> list[str]:
    """The same work in the longer time that is named: the fewest GPUs that end in it, and what that saves."""
    best, limit = asked.best, reading.asked(asked.plan, "constraints.deadline_days")
    days = next((one for one in asked.amounts("time") if one > 1), None)
    if limit and days and asked.says("moved-out"):
        days += limit  # "extended by a week"
    if best is None or best.run_hours is None or not limit or not days or days <= limit or not reading.ends(asked.plan):
        return []
    gpus = reading.gpus(asked.plan)
    found = _fewest(asked, days)
    if found is None:
        return []
    made, size = found
    one = reading.chosen(made)
    if one is None or not one.run_hours or size >= gpus:
        return []
    if not one.cost_usd or not best.cost_usd:
        return [f"In {days_said(days)} {size:,} GPUs do it instead of {gpus:,}; no price of it is known."]
    share = 1 - one.median_cost / best.median_cost
    small = abs(share) < _FELT
    verdict = "Just slower" if small else "Yes, it saves" if share > 0 else "No, it costs more"
    how = "within what prices may be off" if small else "as fewer GPUs wait less for each other"
    hours = " against ".join(figures.significant(h) for h in (size * one.run_hours, gpus * best.run_hours))
    price = f" at {figures.usd(one.gpu_usd_per_hour)}" if one.gpu_usd_per_hour else ""
    return [
        f"{verdict}: in {days_said(days)} {size:,} GPUs do it instead of {gpus:,}, {money(one)} instead of "
        f"{money(best)}, {abs(share):.1%} {'less' if share >= 0 else 'more'}: {how}.",
        f"Done in {figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}; {hours} GPU-hours{price}.",
    ]


def _fewest(asked: Asked, days: float) -> tuple[Plan, int] | None:
    """The plan with the fewest GPUs in whole nodes that was found to end within so many days."""
    best, gpus = asked.best, reading.gpus(asked.plan)
    per = int(reading.asked(asked.plan, "cluster.gpus_per_node") or 8)
    if best is None or best.run_hours is None:
        return None
    least = ceil(gpus * best.run_hours / (24 * days) / per)
    for nodes in range(least, least + 4):
        made = asked.tried({"cluster.gpus": nodes * per, "constraints.deadline_days": days})
        one = reading.chosen(made) if made else None
        if made is not None and one is not None and one.run_hours and one.run_hours <= 24 * days:
            return made, nodes * per
    return None


def term_or_demand(asked: Asked) -> list[str]:
    """The months that are named by the hour beside a longer term: both sums, and the discount at which they tie."""
    best, offer = asked.best, taken(asked)
    months = sorted({days / DAYS_PER_MONTH for days in asked.amounts("time") if days >= _SOON})
    rate = offer.usd_per_gpu_hour if offer else best.gpu_usd_per_hour if best else None
    if best is None or not rate or asked.buys or len(months) < _BOTH:
        return []
    short, long = months[0], months[-1]
    gpus = reading.gpus(asked.plan)
    listed = [o for o in asked.plan.offers if o.tier == "reserved" and o.usd_per_gpu_hour]
    term = min((o.usd_per_gpu_hour or 0.0 for o in listed), default=None)
    whole = (term or rate) * gpus * HOURS_PER_MONTH * long
    demand = rate * gpus * HOURS_PER_MONTH * short
    at = f"{figures.usd(term)} reserved" if term else f"{figures.usd(rate)}, as no reserved price is read"
    verdict = "Yes" if demand < whole else "No"
    said = [
        f"{verdict}: {short:.3g} months on demand are {figures.usd(demand)} at {figures.usd(rate)} per GPU-hour, "
        f"{long:.3g} months {figures.usd(whole)} at {at}.",
        f"They tie where the term costs {figures.usd(rate * short / long)} per GPU-hour, {1 - short / long:.0%} less, "
        f"or where you need them for {whole / (rate * gpus * HOURS_PER_MONTH):.3g} months.",
    ]
    if reading.ends(asked.plan) and best.run_hours:
        share = best.run_hours / (HOURS_PER_MONTH * short)
        said.append(
            f"A run takes {figures.hours(best.run_hours)}, {figures.percent(100 * share)} of those months: by the hour "
            "pay for the runs alone."
        )
    return said


_BOTH = 2


def over_years(asked: Asked) -> list[str]:
    """The whole of the time that is named: bought with what keeps it, and rented by the month."""
    months, found, rent = _months(asked), bought_instead(asked), month_rented(asked)
    if months is None or found is None or months < DAYS_PER_YEAR / DAYS_PER_MONTH - 0.5:
        return []
    bought = found[1]
    running = added(usd for part, usd in bought.monthly_usd.items() if part in ("power", "support", "staff"))
    whole = bought.capital_usd + months * running
    other = f"; rented {figures.usd(months * rent)}" if rent else ""
    pick = "" if not rent else " Bought is less." if whole < months * rent else " Rented is less."
    return [
        f"{figures.usd(whole)} over {months:.3g} months bought ({figures.usd(bought.capital_usd)} and "
        f"{figures.usd(months * running)} for power with cooling, support and network staff){other}.{pick}",
        f"Not in it: {', '.join(bought.not_counted[:7])}.",
    ]
