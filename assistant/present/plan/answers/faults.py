"""What fails and how often: a rate to plan for, links that flap, and one link that is slow."""

from __future__ import annotations

from math import exp

from ... import figures
from .. import reading
from .asked import Asked, lasts, slower
from .operations import assumed, failures_a_day, nodes

_WEEK = 7
_RATE, _SPREAD = "cost-failures-per-node", "cost-failures-spread"


def failure_rate(asked: Asked) -> list[str]:
    """Failures that stop the job, a week and a day, and where the rate is from."""
    usual = asked.catalog.constants[_RATE].value
    own = reading.asked(asked.plan, "cluster.failures_per_node_day")
    rate, many = failures_a_day(asked.plan) or usual, nodes(asked.plan)
    per_day, far = rate * many, exp(asked.catalog.constants[_SPREAD].value)
    machines = figures.counted(round(many), "node", "nodes")
    source = asked.catalog.constants[_RATE].source.removeprefix("derived: ")
    stops = "take a copy down" if reading.serves(asked.plan) else "stop the job"
    return [
        f"Plan for about {figures.significant(_WEEK * per_day, 2)} a week that {stops}: "
        f"{figures.significant(per_day, 2)} a day on {machines}.",
        f"Counted: {rate:.3g} per node and day, as you said. The catalog has {usual:g} ({source})."
        if own
        else f"Counted: {rate:g} per node and day ({source}). Other clusters had {far:.1f} times as many or as few.",
    ]


def link_faults(asked: Asked) -> list[str]:
    """Whether one technology's links fail more: nothing that is known tells them apart."""
    best = asked.best
    if best is None:
        return []
    if best.fabric == "none":
        return ["Nothing of this job crosses a network between nodes, so no link of one can stop it."]
    kinds = [reading.candidate(asked.plan, f) for f in _two(asked)]
    scatter = [
        f"{fact.value:.0%} on {asked.name(c.fabric)}"
        for c in kinds
        if c is not None and (fact := asked.catalog.fabrics[c.fabric].jitter) is not None
    ]
    counted = f"; what differs is the scatter of steps, {' and '.join(scatter)}" if len(scatter) > 1 else ""
    return [
        "Nobody measured it on both, so do not decide by it: the plan counts the same failures on every network"
        f"{counted}.",
        "Both have optics, cables and ports that fail alike. Ask each seller in writing for link losses per 1,000 "
        "links and month, and who replaces an optic in which time.",
    ]


def _two(asked: Asked) -> list[str]:
    """The recommended network, and the best of RoCE or InfiniBand that it is not."""
    best = asked.best
    assert best is not None
    kind = lambda fabric: asked.catalog.fabrics[fabric].technology
    other = "roce" if kind(best.fabric) == "infiniband" else "infiniband"
    found = [c.fabric for c in asked.plan.candidates if kind(c.fabric) == other and c.step_time_s]
    return [best.fabric, *found[:1]]


def slow_link(asked: Asked) -> list[str]:
    """A step where all wait for one adapter or link at half its speed."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return []
    if best.fabric == "none":
        return ["Nothing: no traffic of this job crosses a network between nodes."]
    if (reading.asked(asked.plan, "cluster.sites") or 1) > 1 and asked.says("between-sites"):
        return _slow_between_sites(asked)
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    nics = reading.asked(asked.plan, "cluster.nics_per_node") or per
    made = asked.tried({"cluster.fabric": best.fabric, "cluster.nics_per_node": max(1, nics // 2)})
    one = reading.candidate(made, best.fabric) if made else None
    waits = figures.percent(reading.waited(asked.plan, best))
    if one is None or one.step_time_s is None:
        return [f"The whole job goes at the speed of the slowest link; {waits} of a step waits for the network now."]
    more = slower(one, best)
    times = f"{figures.seconds(one.median_step)} instead of {figures.seconds(best.median_step)}"
    days = ""
    if reading.ends(asked.plan) and one.run_hours and best.run_hours:
        days = f"; a whole run so takes {figures.hours(max(0.0, one.run_hours - best.run_hours))} more"
    return [
        f"All wait for the slowest, so it is as if every link had half its speed: a step takes {lasts(more)}, "
        f"{times}{days}.{_elsewhere_slow(asked, nics)}",
        f"So little or much because {waits} of a step waits for the network when all is well. Find it with the bus "
        "bandwidth node by node, and take that node out.",
    ]


def _slow_between_sites(asked: Asked) -> list[str]:
    """The line between the sites at half its rate, in lockstep or synchronised rarely as planned; without any line."""
    best = asked.best
    rate = reading.asked(asked.plan, _LINE) or assumed(asked.plan, _LINE)
    if best is None or not rate:
        return []
    made = asked.tried({_LINE: rate / 2, "cluster.fabric": None})
    one = reading.candidate(made, best.fabric) if made else None
    if one is None or one.step_time_s is None:
        return [f"At {rate / 2:g} Gb/s between the sites the plan as it is does not do."]
    more = slower(one, best)
    days = next((days for days in asked.amounts("time") if 0 < days <= 31), 1.0)
    lost = 24 * days * (1 - 1 / (1 + max(0.0, more) / 100))
    return [
        f"It goes on: at {rate / 2:g} instead of {rate:g} Gb/s between the sites a step takes {lasts(more)}, so "
        f"{figures.hours(24 * days)} of it cost {figures.hours(lost)}.",
        "If the line goes altogether: synchronised rarely each site trains on until the next exchange; in lockstep all "
        "stop and go on from the last checkpoint.",
    ]


_LINE = "cluster.wan_gbps"


def _elsewhere_slow(asked: Asked, nics: int) -> str:
    """The same on the best network of another kind."""
    other = next((f for f in _two(asked)[1:]), None)
    here = reading.candidate(asked.plan, other)
    made = asked.tried({"cluster.fabric": other, "cluster.nics_per_node": max(1, nics // 2)}) if other else None
    one = reading.candidate(made, other) if made else None
    if other is None or here is None or one is None or not here.step_time_s or not one.step_time_s:
        return ""
    return f" On {asked.name(other)}: {lasts(slower(one, here))}."
