"""In the machine room: power, how far cables reach, rails, the price of a port, and a cluster that grows."""

from __future__ import annotations

import re
from math import ceil
from typing import Any

from assistant.vocabulary.plan import Plan, PowerUse

from ... import figures
from .. import reading
from ..purchase import by_rack
from .asked import Asked, lasts, money, slower
from .replicas import twice_at_once
from .trials import twice_the_load

_LIMITS = ("budget.usd", "budget.usd_per_month", "constraints.deadline_days", "constraints.max_power_kw")
_MACHINES = ("server", "node", "box", "machine", "host")
_MOST = 64  # times as many GPUs


def power_enough(asked: Asked) -> list[str]:
    """What machines and network draw, with cooling too, against the power that there is or that is asked about."""
    drawn = asked.plan.power
    if drawn is None:
        return ["Nothing works as asked, so nothing draws power."]
    kw = lambda value: f"{figures.significant(value)} kW"
    parts = (
        f"{figures.counted(drawn.machines, 'machine', 'machines')} of at most {kw(drawn.machine_kw)}, "
        f"{kw(drawn.network_kw)} for the network: "
        f"{kw(drawn.it_kw)}; times {drawn.power_usage_effectiveness:g} for cooling {kw(drawn.site_kw)}."
    )
    limit = next(iter(asked.amounts("power")), None)
    kept = _racks(drawn, limit) if limit and "rack" in asked.text else reading.power_kept(asked.plan, limit)
    outlet = [_outlet(drawn.it_kw)] if re.search(r"\b(?:outlet|socket|breaker)", asked.text) else []
    fits = _fitting(asked, limit, drawn) if limit and "rack" not in asked.text else []
    return [*outlet, *([kept] if kept else []), *fits, parts, *_by_rack(asked)]


def _fitting(asked: Asked, limit: float, drawn: PowerUse) -> list[str]:
    """The most GPUs in whole nodes that so many kW feed with their network and cooling, where the plan takes more."""
    gpus, best = reading.gpus(asked.plan), asked.best
    if drawn.site_kw <= limit or best is None:
        return []
    per = drawn.gpus_per_machine
    most = int(gpus * limit / drawn.site_kw / per)
    for machines in range(most, max(0, most - _TRIED), -1):
        made = asked.tried({"cluster.gpus": machines * per, **{name: None for name in _LIMITS}})
        one = reading.chosen(made) if made is not None else None
        if made is None or one is None or made.power is None or made.power.site_kw > limit:
            continue
        takes = f"{figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}"
        ends = f", done in {takes}" if reading.ends(made) else ""
        kw = figures.significant(made.power.site_kw)
        cooled = f"With cooling (times {drawn.power_usage_effectiveness:g})"
        return [f"{cooled} {machines * per:,} GPUs fit, {kw} kW{ends}."]
    return []


_TRIED = 40  # machines fewer and fewer, as not every number can be split


def _outlet(kw: float) -> str:
    """Whether an outlet of a house feeds it for long, in the US and in Europe."""
    able = [place for place, most in _OUTLETS.items() if kw <= most]
    most = ", ".join(f"{place} {kw_:g} kW" for place, kw_ in _OUTLETS.items())
    verdict = f"Yes, with {' or '.join(able)}" if able else "No"
    return (
        f"{verdict}: it draws up to {figures.significant(kw)} kW, and for long an outlet gives: {most}. Else cap the "
        "GPUs' power (a third less costs little speed) or use two circuits."
    )


_OUTLETS = {"120 V 15 A": 1.44, "120 V 20 A": 1.92, "230 V 16 A": 2.94}  # kW, 80 % of the rating


def _racks(drawn: PowerUse, limit: float) -> str:
    """How many racks the machines fill where each may draw so much."""
    each = int(limit / drawn.machine_kw)
    if each < 1:
        return f"A machine draws more than the {limit:g} kW of a rack: it does not go in without a power cap."
    many = figures.counted(ceil(drawn.machines / each), "rack", "racks")
    return (
        f"{many} of {limit:g} kW: {figures.counted(each, 'machine', 'machines')} in each, sized by the maximum, which "
        "a power cap lowers; the average is less."
    )


def _by_rack(asked: Asked) -> list[str]:
    racks = asked.plan.power.racks if asked.plan.power else []
    return [f"By rack: {by_rack(racks)}."] if racks else []


def cables_reach(asked: Asked) -> list[str]:
    """Copper or fibre, and how far apart the racks may stand."""
    metres = {
        name: asked.catalog.constants[f"cabling-{name}-reach"].value for name in ("copper", "multimode", "single")
    }
    made = asked.plan.fabric_design
    rule = (
        f"At 400 Gb/s a copper cable reaches about {metres['copper']:g} m: within a rack or to the next. Farther "
        f"it is fibre: multimode {metres['multimode']:g} m, single-mode {metres['single']:g} m."
    )
    if not made:
        return [rule, "Of this job nothing crosses the nodes, so any Ethernet cable will do."]
    cables = made.get("cables") or {}
    leaf, rest = (
        cables.get("node_leaf", 0),
        sum(v for k, v in cables.items() if k != "node_leaf" and isinstance(v, int)),
    )
    up = f", {rest:,} between switches" if rest else ""
    return [
        rule,
        f"Here: {leaf:,} cables from nodes to switches{up}; the sum counts optics at both ends of all, so copper where "
        "it reaches is cheaper.",
        "Distance itself costs 5 ns a metre: within a hall no step is longer for it.",
    ]


def rails(asked: Asked) -> list[str]:
    """What rail-optimised means, and whether the plan is drawn so."""
    made = asked.plan.fabric_design
    means = (
        "Rail-optimised: adapter number i of every node goes to the same switch i, so most of an all-reduce crosses "
        "one switch only."
    )
    if "rail-only" in asked.text or "rail only" in asked.text:
        return _without_spines(asked)
    if not made or not made.get("switches"):
        return [means, "It changes nothing here: nothing that he needs to buy, or the provider has built it."]
    switches = figures.counted(made["switches"], "switch", "switches")
    tiers = f"{switches} in {figures.counted(made['tiers'], 'tier', 'tiers')}"
    if made.get("topology") == "rail":
        return [means, f"This plan is drawn so: {made.get('rails')} rails, {tiers}, at no price on top."]
    return [means, f"This plan is not drawn so ({made.get('topology')}, {tiers}); it is wiring, not other hardware."]


def _without_spines(asked: Asked) -> list[str]:
    """That rails without switches between them are not modelled, and the nearest that is: a thin spine."""
    best, made = asked.best, asked.plan.fabric_design
    said = [
        "Rail-only cannot be computed here: every network of the plan joins all adapters. It leaves out the switches "
        "between rails, so what goes from rail to rail takes NVLink first; all-to-all and experts suffer."
    ]
    if best is None or not made or not made.get("switches"):
        return said
    thin = asked.tried({"cluster.oversubscription": 4.0, "cluster.fabric": best.fabric})
    one = reading.candidate(thin, best.fabric) if thin is not None else None
    if thin is None or one is None or one.step_time_s is None or not thin.fabric_design.get("switches"):
        return said
    more = lasts(slower(one, best))
    sums = [plan.purchase.network_usd if plan.purchase is not None else None for plan in (thin, asked.plan)]
    cost = f", {figures.usd(sums[0])} instead of {figures.usd(sums[1])}" if all(sums) else ""
    return [
        *said,
        f"Nearest, a 4:1 spine: {thin.fabric_design['switches']:,} switches instead of {made['switches']:,}{cost}; a "
        f"step takes {more}.",
    ]


def per_port(asked: Asked) -> list[str]:
    """The network's price by adapter port and by GPU."""
    best, made = asked.best, asked.plan.fabric_design
    capex = made.get("capex_usd") if made else None
    if best is None:
        return []
    if best.fabric == "none":
        return ["Nothing: the plan buys no network between the nodes."]
    if not asked.buys and not reading.is_owned(asked.plan):
        extra = best.fabric_usd_per_gpu_hour
        sums = f"{figures.usd(extra)} per GPU-hour of it" if extra else "no price of its own"
        return [f"Rented, the network is in the price of the machines: {sums}."]
    if not capex:
        return ["No price of this network's parts was read: ask for a quote per port."]
    ports, gpus = made["nics"], reading.gpus(asked.plan)
    low, mid, high = (figures.usd(capex[end] / ports) for end in ("low", "mid", "high"))
    share = asked.plan.purchase.network_percent if asked.plan.purchase else None
    of_it = f"; {figures.percent(share)} of the purchase" if share is not None else ""
    hour = made.get("usd_per_gpu_hour")
    rate = f", {figures.usd(hour)} per GPU-hour over its write-off" if hour else ""
    return [
        f"{mid} per port ({low}–{high}): {figures.usd(capex['mid'])} for {ports:,} ports of adapters, with switches "
        "and cables.",
        f"Per GPU {figures.usd(capex['mid'] / gpus)}{rate}{of_it}.",
    ]


def grown(asked: Asked) -> list[str]:
    """The cluster at another size: which network then, how many switches, and what to order now."""
    gpus, size = reading.gpus(asked.plan), _target(asked)
    if asked.best is None or size is None or size == gpus:
        return []
    loads = ("inference.requests_per_s", "inference.concurrency")
    if reading.serves(asked.plan) and any(reading.asked(asked.plan, one) for one in loads):
        return twice_the_load(asked) or twice_at_once(asked)  # it is the load that grows
    change: dict[str, Any] = {"cluster.gpus": size, **{name: None for name in _LIMITS}}
    made = asked.tried(change)
    one = reading.chosen(made) if made else None
    if made is None or one is None:
        return [f"{size:,} GPUs: this job does not run on so many or so few as it is."]
    if size < gpus:
        return _begun(asked, made, size)
    if reading.serves(asked.plan) and asked.best.fabric == "none" == one.fabric and reading.gpus(made) == size:
        return [
            f"It scales: copies are added, {size:,} GPUs instead of {gpus:,}, {money(one)} a month instead of "
            f"{money(asked.best)}; still no network between them.",
            "Nothing has to be decided for it now: each copy stands alone, so more are rented or bought when the load "
            "comes. Ask now how many more can be had, and when.",
        ]
    then, tied = one.fabric, made.recommendation.tied
    same = then == asked.best.fabric or asked.best.fabric in tied
    name = asked.name(asked.best.fabric)
    verdict = (
        f"The choice holds: at {size:,} GPUs {name} is still {'first' if then == asked.best.fabric else 'as good'}"
    )
    if not same:
        verdict = f"Yes: at {size:,} GPUs I would take {asked.name(then)} instead of {name}"
    grid = asked.tried({**change, "cluster.fabric": asked.best.fabric}) or made
    power = f"; {figures.significant(grid.power.site_kw)} kW with cooling then" if grid.power else ""
    return [f"{verdict}.", *_switches(asked.plan, grid), f"Plan now for its ports, rows and power{power}."]


def _switches(now: Plan, then: Plan) -> list[str]:
    """How many switches each has, and from where on another tier is needed."""
    here, there = now.fabric_design, then.fabric_design
    if not here or not there or not there.get("switches"):
        return []
    tiers = lambda made: figures.counted(made["tiers"], "tier", "tiers")
    more = (
        f"{there['switches']:,} switches in {tiers(there)} instead of {here['switches']:,} in {tiers(here)}"
        if here.get("switches")
        else f"{there['switches']:,} switches in {tiers(there)}"
    )
    radix = (there.get("switch") or {}).get("radix")
    if there["tiers"] > here.get("tiers", 1):
        keep = "leave ports for spines in the leaf switches, else they are recabled"
    else:
        keep = "the leaf switches stay, spines and cables are added"
    ports = f", {radix} ports each" if radix else ""
    return [f"{more[0].upper()}{more[1:]}{ports}: {keep}."]


def _begun(asked: Asked, small: Plan, size: int) -> list[str]:
    """Beginning with a part of the machines on the switches of the whole."""
    gpus, best, one = reading.gpus(asked.plan), asked.best, reading.chosen(small)
    assert best is not None
    here, there = asked.plan.fabric_design, small.fabric_design
    said = [f"Yes: order the network for {gpus:,} GPUs now and add machines with their adapters and cables."]
    if here and there and here.get("switches"):
        same = here["switches"] == there.get("switches")
        fewer = "as many" if same else f"{there.get('switches', 0):,}"
        said.append(
            f"{gpus:,} GPUs need {figures.counted(here['switches'], 'switch', 'switches')}, {size:,} need {fewer}: "
            + ("nothing is bought twice." if same else "buy the whole, or leave ports for the rest.")
        )
    if one is not None and one.run_hours and best.run_hours and reading.ends(asked.plan):
        takes = f"{figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}"
        said.append(f"Until then a run takes {takes} on {size:,}.")
    elif one is None or one.step_time_s is None:
        said.append(f"On {size:,} alone this job does not run as it is.")
    return said


def _target(asked: Asked) -> int | None:
    """The number of GPUs that is named, as such or as machines; where none is, four times as many."""
    gpus, per = reading.gpus(asked.plan), reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    said = asked.said.fields.get("cluster.gpus")
    if asked.times and not isinstance(said, int):
        fewer = asked.says("fewer") or asked.says("half")
        return max(1, int(gpus / asked.times)) if fewer else int(gpus * asked.times)
    counts = [int(n) for n in asked.amounts("number", "size") if 1 <= n <= _MOST * gpus]
    if any(word in asked.text for word in _MACHINES):
        counts = [n * per for n in counts] or ([said] if isinstance(said, int) else [])
    elif isinstance(said, int) and said != gpus:
        counts = [said]
    found = next((n for n in counts if n != gpus and n >= per), None)
    return found or 4 * gpus
