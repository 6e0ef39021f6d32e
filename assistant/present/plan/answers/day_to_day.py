"""What a plan means once it runs: who runs it, when which money leaves, a pause, spare machines, power and room."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from math import exp

from assistant.vocabulary.added import added
from assistant.vocabulary.quantities import HOURS_PER_MONTH, days_said

from ... import figures
from .. import reading
from .asked import Asked, money
from .operations import failures_a_day, nodes, restart_hours

_MONTHS = 12
_WEEKEND = 2.0  # days
_REPAIR = 14.0  # days until a node that failed is back, where none are named
_SURE = 0.95  # how often the spare nodes are to be enough


def operated(asked: Asked) -> list[str]:
    """Who runs the machines and the network, what is left for one's own people, and whether they are in the sum."""
    if asked.best is None:
        return []
    staff = "Staff is not in the total"
    if asked.buys:
        bought = asked.plan.purchase
        hire = next((a for a in asked.plan.assumptions if a.field == "network engineers to hire"), None)
        if bought is not None and bought.monthly_usd.get("staff"):
            staff = f"Network staff is in the total with {figures.usd(bought.monthly_usd['staff'])} a month, no other"
        elif hire is not None and isinstance(hire.value, float) and hire.value:
            staff = f"{hire.value:g} of a network engineer is in the total, nobody else"
        return [
            "You: bought machines are run by your own people, the network too; support mends what is broken, no more.",
            f"{staff}: racking, monitoring, drivers, a rota for nights and weekends come on top.",
        ]
    offer = asked.plan.taken
    who = offer.provider_name or offer.provider if offer is not None else "The provider"
    return [
        f"{who} runs the machines, the power and the network and replaces what fails; ask who watches it at night, and "
        "in what time a node is replaced.",
        "You run your jobs, data, images, checkpoints and restarts: somebody who starts jobs and reads logs, on call "
        "while it runs; no network engineer.",
        f"{staff}. Managed schedulers and premium support cost extra: ask.",
    ]


def paused(asked: Asked) -> list[str]:
    """What a stop of some days for maintenance does to the end, and whether the date is kept."""
    best, days = asked.best, _stop(asked)
    if best is None or best.run_hours is None or not reading.ends(asked.plan):
        return []
    limit, sites = (
        reading.asked(asked.plan, "constraints.deadline_days"),
        reading.asked(asked.plan, "cluster.sites") or 1,
    )
    restart = restart_hours(asked.plan)
    takes, slow = (hours + 24 * days + restart for hours in (best.run_hours, reading.run_band(best)[1]))
    rate = best.gpu_usd_per_hour
    idle = (
        "" if asked.buys or not rate else f", {figures.usd(24 * days * rate * reading.gpus(asked.plan))} if you pay on"
    )
    done = f"{figures.hours(takes)} instead of {figures.hours(best.run_hours)}"
    kept = "No date was said that it could miss"
    if limit:
        holds = takes <= 24 * limit
        sure = ", in the slow tenth of cases too" if slow <= 24 * limit else ", in the slow tenth of cases not"
        spare = figures.hours(abs(24 * limit - takes))
        kept = (
            f"{'Yes' if holds else 'No'}: {spare} {'to spare' if holds else 'over'} of {days_said(limit)}{sure * holds}"
        )
    said = [f"{kept}. With all stopped for {days_said(days)} it takes {done}{idle}."]
    if sites > 1:
        said.append(
            f"The other site may go on alone at about 1/{sites} of the work, if it holds a whole copy; then at most "
            f"{figures.hours(24 * days * (sites - 1) / sites)} are lost."
        )
    counted = f": {figures.hours(restart)} are counted for one" if restart else ""
    return [*said, f"Save a checkpoint before it stops and try a restart first{counted}."]


def _stop(asked: Asked) -> float:
    """Days of the stop that is named; a weekend where none is."""
    named = [days for days in asked.amounts("time") if 0 < days <= 31]
    return named[0] if named else _WEEKEND


def spare_nodes(asked: Asked) -> list[str]:
    """Whether so many spare nodes bridge the repair of those that fail (failures as a Poisson process)."""
    rate, best = failures_a_day(asked.plan), asked.best
    if best is None:
        return []
    if rate is None or reading.serves(asked.plan):
        return []
    repair = next((days for days in asked.amounts("time") if days >= 1), _REPAIR)
    many = nodes(asked.plan)
    a_day = many * rate
    away = a_day * repair
    spare = next((int(n) for n in asked.amounts("number") if 0 <= n < many), None)
    enough = next(n for n in range(int(many) + 1) if _at_most(n, away) >= _SURE or n >= many)
    whole = (
        f", {a_day * best.run_hours / 24:.2g} in the run of {figures.hours(best.run_hours)}" if best.run_hours else ""
    )
    counts = (
        f"Counted are {a_day:.2g} failures a day on {many:,.0f} nodes{whole}; if each took its node away for "
        f"{days_said(repair)}, {away:.2g} nodes were in repair at a time. Many go with a restart: then fewer."
    )
    keep = (
        f"{figures.counted(enough, 'spare node', 'spare nodes')} {'is' if enough == 1 else 'are'} enough 19 times of 20"
    )
    if spare is None:
        return [f"{keep[:1].upper()}{keep[1:]}.", counts]
    holds = _at_most(spare, away)
    verdict = "Yes" if holds >= _SURE else "Mostly" if holds >= 0.8 else "No"
    return [f"{verdict}: {spare} spare nodes are enough {holds:.0%} of the time; {keep}.", counts]


def _at_most(many: int, mean: float) -> float:
    """How likely at most so many are away (Poisson)."""
    share, whole = exp(-mean), 0.0
    for n in range(many + 1):
        whole += share
        share *= mean / (n + 1)
    return min(1.0, whole)


def cash_when(asked: Asked) -> list[str]:
    """Which money leaves in which quarter: what is bought at the order, what is rented by the month of its use."""
    best, bought = asked.best, asked.plan.purchase
    if best is None or best.cost_usd is None:
        return []
    start = asked.today + datetime.timedelta(days=int(best.delivery_days or 0))
    if bought is not None and bought.capital_usd and not bought.gpus_there:
        low, high = (figures.usd(usd) for usd in (bought.capital_usd_low, bought.capital_usd_high))
        written_off = figures.usd(3 * bought.capital_usd / bought.months)
        running = added(usd for part, usd in bought.monthly_usd.items() if part in ("power", "support", "staff"))
        return [
            f"{_quarter(start)}: {figures.usd(bought.capital_usd)} with the order ({low}–{high} by published parts), "
            "unless the seller takes instalments.",
            f"Then {figures.usd(3 * running)} a quarter for power with cooling, support and network staff.",
            f"The write-off in the books is {written_off} a quarter and no cash.",
        ]
    if not reading.ends(asked.plan) or best.run_hours is None:
        month = best.usd_per_month or 0.0
        return [
            f"{figures.usd(month)} every month, {figures.usd(3 * month)} a quarter, from {_quarter(start)} on; "
            "by the hour there is nothing up front.",
            "A surprise comes of load alone: more copies cost in proportion. Whether a term is paid ahead is the "
            "seller's to say.",
        ]
    parts = list(_by_quarter(start, best.run_hours, best.cost_usd.p50))
    slow = list(_by_quarter(start, reading.run_band(best)[1], best.cost_usd.p90))
    told = "; ".join(f"{name} {figures.usd(usd)}" for name, usd in parts)
    more = best.cost_usd.p90 - best.cost_usd.p50
    return [
        f"{told}: rented by the hour, begun {start.day} {start:%B %Y}, nothing up front and nothing after the run.",
        f"If it goes badly (one case in ten) {figures.usd(more)} more, {figures.usd(best.cost_usd.p90)} in all, and "
        f"the overrun comes last, in {slow[-1][0]}.",
        "Deposits and days of payment are the seller's to say: ask.",
    ]


def _by_quarter(start: datetime.date, hours: float, usd: float) -> Iterable[tuple[str, float]]:
    """The parts of a cost that is spread evenly over a run, by the quarter of the calendar."""
    at, end = start, start + datetime.timedelta(hours=hours) if hours >= 24 else start
    whole = max(1, (end - start).days)
    while True:
        month = 3 * ((at.month - 1) // 3) + 4  # the first of the next quarter
        after = datetime.date(at.year + month // 13, (month - 1) % 12 + 1, 1)
        days = (min(end, after) - at).days
        yield _quarter(at), usd * (days / whole if (end - start).days else 1.0)
        if after >= end:
            return
        at = after


def _quarter(day: datetime.date) -> str:
    return f"Q{(day.month - 1) // 3 + 1} {day.year}"


def power_and_room(asked: Asked) -> list[str]:
    """Power with cooling in a year, and the room, each by itself, with what is counted of them."""
    power, best = asked.plan.power, asked.best
    if power is None or best is None:
        return []
    price = power.usd_per_kwh
    year = power.site_kw * HOURS_PER_MONTH * _MONTHS
    first = (
        f"Power: {figures.usd(year * price)} a year at {figures.usd_per_kwh(price)} a kWh"
        if price
        else f"Power: {year:,.0f} kWh a year, whose price was not said"
    )
    said = [
        f"{first}, {figures.significant(power.it_kw)} kW of machines and network, with cooling "
        f"{figures.significant(power.site_kw)} kW, drawn all the time."
    ]
    if not asked.buys:
        return [
            "Rented, power, cooling and the room are in the price of the machines and are not told apart.",
            f"Of one's own: {said[0][:1].lower()}{said[0][1:]}",
        ]
    return [
        *said,
        "Room (colocation): not in the sum. It is let by the kW: say its price, and I count "
        f"{power.it_kw:,.0f} kW of it; whether power is in that price hangs on the contract.",
    ]


def run_longer(asked: Asked) -> list[str]:
    """What a rented run costs more where it lasts longer by the time that is named, and whether the budget holds."""
    best = asked.best
    days = next((one for one in asked.amounts("time") if one >= 1), None)
    if best is None or best.cost_usd is None or best.run_hours is None or asked.buys or not days:
        return []
    if not reading.ends(asked.plan) or not asked.says("slips"):
        return []
    more = best.median_cost / best.run_hours * 24 * days
    whole, limit = best.median_cost + more, reading.asked(asked.plan, "budget.usd")
    held = ""
    if limit:
        held = f", {'within' if whole <= limit else 'beyond'} the {figures.usd(limit)}"
    slow = reading.run_band(best)[1]
    odds = "less than one case in ten is" if slow < best.run_hours + 24 * days else "one case in ten or more is"
    return [
        f"If the run itself lasts {days_said(days)} longer: {figures.usd(more)} more, {figures.usd(whole)} in all "
        f"instead of {money(best)}{held}; {odds} so slow by our own errors ({figures.hours(slow)}).",
    ]
