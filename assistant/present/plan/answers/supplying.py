"""What lies around the GPUs: data that has to keep up, delivery and its contract, what a single server needs beside
it."""

from __future__ import annotations

from assistant.vocabulary.quantities import HOURS_PER_MONTH

from ... import figures
from .. import reading
from .asked import Asked, money
from .operations import assumed, nodes

_PASSES = 10  # over a data set: more are rare in training from scratch
_BATCH, _LENGTH = "training.global_batch", "training.sequence_length"


def data_rate(asked: Asked) -> list[str]:
    """How much data a second the run takes, as far as the plan knows it; it models no storage."""
    best = asked.best
    if best is None or best.step_time_s is None or reading.serves(asked.plan):
        return []
    value = lambda field: reading.asked(asked.plan, field) or assumed(asked.plan, field)
    batch, length = value(_BATCH), value(_LENGTH)
    rate = f"{figures.significant(batch / best.median_step)} sequences a second" if batch else "its batches"
    text = f" (as text {figures.significant(_TOKEN * batch * length / best.median_step / 1e6)} MB/s)" if batch and length else ""
    said = [f"Storage is not modelled. The run takes {rate} in all, {nodes(asked.plan):.0f} nodes together{text}."]
    size = next((gigabytes for gigabytes in asked.amounts("memory") if gigabytes >= _LARGE), None)
    if size and best.run_hours:
        once = size * 1e3 / (3600 * best.run_hours)
        said.append(
            f"{size:,.0f} GB once in the {figures.hours(best.run_hours)} of the run are {figures.significant(once)} MB/s, "
            f"{_PASSES} times over {figures.significant(_PASSES * once)} MB/s: object storage streams that over many "
            "connections a node."
        )
    return [
        *said,
        "What holds runs back is decoding and many small files: prepare the data once, cache it on the nodes' own disks, "
        "and time 20 steps with the loader alone.",
    ]


_TOKEN = 2.0  # bytes of a token as it is kept on disk: 16 bits
_LARGE = 100.0  # GB: what is less is no data set


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
    cost = f", {figures.usd(kwh * price)} at {figures.usd(price)} a kWh" if price else ""
    own = f"; counted in the sum are {figures.usd(counted)} a month" if counted else ""
    return f"Drawn all the time that is {kwh:,.0f} kWh a month with cooling{cost}{own}."
