"""What lies around the GPUs: data that has to keep up, delivery and its contract, what a single server needs beside
it."""

from __future__ import annotations

import re

from assistant.vocabulary.quantities import HOURS_PER_MONTH, days_said

from ... import figures
from .. import reading
from .asked import Asked, money
from .operations import assumed, nodes

_BATCH = "training.global_batch"


def data_rate(asked: Asked) -> list[str]:
    """How much data a second the run takes, as far as the plan knows it; it models no storage."""
    best = asked.best
    if best is None or best.step_time_s is None or reading.serves(asked.plan):
        return []
    batch = reading.asked(asked.plan, _BATCH) or assumed(asked.plan, _BATCH)
    size = next((gigabytes for gigabytes in asked.amounts("memory") if gigabytes >= _LARGE), None)
    rate = f"{figures.significant(batch / best.median_step)} samples a second" if batch else "its batches"
    said = [f"Storage is not modelled. By the plan {nodes(asked.plan):.0f} nodes together read {rate}."]
    if size and best.run_hours:
        once = size * 1e3 / (3600 * best.run_hours)
        verdict = "a network card alone carries 1,000 MB/s, so the line does" if once < _EASY else "plan a fast store"
        said.append(
            f"{size:,.0f} GB in the {figures.hours(best.run_hours)} of the run: {figures.significant(once)} MB/s for "
            f"each pass over them; {verdict}."
        )
    return [
        *said,
        "What starves GPUs is decoding and small files: prepare the data once, keep it on the nodes' disks, time the "
        "loader alone.",
    ]


_EASY = 100.0  # MB/s a pass
_LARGE = 100.0  # GB: what is less is no data set


def per_parameter(asked: Asked) -> list[str]:
    """Twenty tokens a parameter: what they would cost, and why more may still be right."""
    params, best = asked.params, asked.best
    tokens = reading.asked(asked.plan, "training.tokens")
    if not params or not tokens or best is None or best.run_hours is None or best.cost_usd is None:
        return []
    few = _BEST_OF_COMPUTE * params
    share = few / tokens
    own, best_few = (figures.significant(value / 1e9) for value in (params, few))
    sums = f"{figures.usd(share * best.cost_usd.p50)} and {figures.hours(share * best.run_hours)}"
    return [
        f"{_BEST_OF_COMPUTE} × {own} billion are {best_few} billion tokens, {share:.0%} of yours: about {sums}.",
        "No waste by itself: the rule is best for the training's compute; small models go far past it, being cheap to "
        "serve (Llama 3 8B: 15 trillion).",
        f"The plan costs what was asked for ({money(best)}); say the tokens that you want.",
    ]


_BEST_OF_COMPUTE = 20  # tokens per parameter, Hoffmann et al. 2022


def more_data(asked: Asked) -> list[str]:
    """The run on so many times the data, beside the planned one."""
    times = _times(asked)
    tokens = reading.asked(asked.plan, _TOKENS) or assumed(asked.plan, _TOKENS)
    best = asked.best
    if best is None or not times or not tokens or reading.serves(asked.plan):
        return []
    tried = asked.tried({_TOKENS: round(times * tokens), "training.days": None, "budget.usd": None, _DAYS: None})
    one = reading.chosen(tried) if tried else None
    if one is None or one.run_hours is None:
        return []
    cost = f", {money(one)} instead of {money(best)}" if one.cost_usd and best.cost_usd else ""
    days, usd = reading.asked(asked.plan, _DAYS), reading.asked(asked.plan, "budget.usd")
    kept = [f"{'within' if one.run_hours <= 24 * days else 'past'} the {days_said(days)}"] if days else []
    if usd and one.cost_usd:
        kept.append(f"{'within' if one.cost_usd.p50 <= usd else 'over'} the {figures.usd(usd)}")
    limits = f": {', '.join(kept)}" if kept else ""
    return [
        f"With {times:g} times the data: {figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}"
        f"{cost}{limits}."
    ]


def _times(asked: Asked) -> float | None:
    """The factor in figures or in a word."""
    found = _FACTOR.search(asked.text)
    return float(found[1]) if found else asked.times


_TOKENS, _DAYS = "training.tokens", "constraints.deadline_days"
_FACTOR = re.compile(r"\b(\d{1,3}(?:\.\d)?) ?(?:times|x)\b")


def delivery_risk(asked: Asked) -> list[str]:
    """What may go wrong until the machines are there, what belongs in the contract, and what to do meanwhile."""
    if not asked.buys:
        return [
            "Renting: that so many GPUs are free on the day and next to each other; have the day, the number and the "
            "network in writing, with a right to leave if they are late.",
            "Pay from the day on which an acceptance test is passed, not before; a failed node is replaced at once.",
        ]
    said = [
        "Lead times of servers, GPUs and optics, and a room whose power and cooling are not ready; the plan knows none "
        "of them: ask for dates in writing.",
        "In the contract: a delivery date with a penalty a week, payment after the acceptance test, response time of "
        "support, spare parts on the shelf, a right to cancel.",
    ]
    rented = asked.tried({"budget.mode": "rent", "budget.usd": None, "cluster.provider": None})
    one = reading.chosen(rented) if rented else None
    if one is not None and one.usd_per_month:
        said.append(f"If it is late: the same GPUs rented meanwhile, {figures.usd(one.usd_per_month)} a month.")
    elif one is not None and one.cost_usd is not None:
        said.append(f"If it is late: rented meanwhile the run costs {money(one)}.")
    return said


def beside_a_server(asked: Asked) -> list[str]:
    """What a machine that needs no network between nodes is ordered with."""
    best, bought = asked.best, asked.plan.purchase
    if best is None or bought is None or best.fabric != "none":
        return []
    power = asked.plan.power
    feed = f" for {power.it_kw:.3g} kW" if power is not None else ""
    return [
        f"With each: two ports of 25 to 100G Ethernet to your own switch, rails, power leads and a PDU{feed}, support "
        "with a response time for the years of use.",
        "Optional: spare disks, fan and power supply on site, an out-of-band port, installation. No InfiniBand, no "
        "fabric switch.",
    ]


def energy(asked: Asked) -> str | None:
    """Energy of a month at the most it can draw, and what it costs."""
    power, bought = asked.plan.power, asked.plan.purchase
    if power is None:
        return None
    kwh = power.site_kw * HOURS_PER_MONTH
    price = power.usd_per_kwh
    counted = bought.monthly_usd.get("power") if bought is not None else None
    month = kwh * price if price else 0.0
    cost = (
        f", {figures.usd(month)} at {figures.usd_per_kwh(price)} a kWh, {figures.usd(12 * month)} a year"
        if price
        else ""
    )
    own = (
        f"; counted in the sum are {figures.usd(counted)} a month" if counted and round(counted) != round(month) else ""
    )
    return (
        f"At most {figures.significant(power.it_kw)} kW, with cooling {figures.significant(power.site_kw)} kW: drawn "
        f"all the time {kwh:,.0f} kWh a month{cost}{own}."
    )
