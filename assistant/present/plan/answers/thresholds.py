"""Where something turns as one figure moves: from how many GPUs on more stop paying, which network keeps the share that
waits below a limit, and what machines that are out at any time do to the end."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Candidate, Plan
from assistant.vocabulary.quantities import days_said

from ... import figures
from .. import reading
from .asked import Asked, money, usable
from .trials import same_work, sizes

_GPUS = "cluster.gpus"
_PAYS = 1.1  # times the GPU-hours: a doubling that takes more has lost a fifth of what it should bring
_DOWN, _UP = 2, 5  # halvings and doublings that are tried
_TOLD = 3  # networks that are named
_LIFTED = ("constraints.deadline_days", "budget.usd", "budget.usd_per_month")


class _Size(NamedTuple):
    gpus: int
    hours: float
    told: str
    waits: float | None

    @property
    def work(self) -> float:
        return self.gpus * self.hours


def knee(asked: Asked) -> list[str]:
    """The number of GPUs up to which a doubling pays, what the next one costs, and the first that keeps the date."""
    if reading.serves(asked.plan):
        return sizes(asked)
    found = _doubled(asked)
    if len(found) < 2:
        return sizes(asked)
    pairs = list(pairwise(found))
    at = next((n for n, (one, more) in enumerate(pairs) if more.work > _PAYS * one.work), len(pairs))
    told = found[max(0, at - 2) : at + 1]
    steps = "; ".join(f"{one.gpus:,}: {one.told}" for one in told)
    if at == len(pairs):
        said = [f"Not within what was tried, up to {found[-1].gpus:,} GPUs: each doubling still pays.", f"{steps}."]
    else:
        one, more = pairs[at]
        quicker, dearer = one.hours / more.hours, 100 * (more.work / one.work - 1)
        waits = f", {figures.percent(more.waits)} of a step waits" if more.waits is not None else ""
        said = [
            f"At about {one.gpus:,} GPUs: up to there a doubling nearly halves the time. {steps}.",
            f"Then it stops paying: {more.gpus:,} are {quicker:.2g} times as fast for {dearer:.0f} % more GPU-hours "
            f"({more.told}{waits}).",
        ]
    days = reading.asked(asked.plan, "constraints.deadline_days")
    first = next((one for one in found if days and one.hours <= 24 * days), None)
    return [*said, f"{first.gpus:,} is the first of them that keeps the {days_said(days)}."] if first else said


def _doubled(asked: Asked) -> list[_Size]:
    """The job on the GPUs of the plan, halved and doubled, as far as it can be planned: no limit on time and money."""
    gpus, per = reading.gpus(asked.plan), int(reading.asked(asked.plan, "cluster.gpus_per_node") or 8)
    free: dict[str, Any] = {name: None for name in _LIFTED if reading.asked(asked.plan, name)}
    found: list[_Size] = []
    for factor in range(-_DOWN, _UP + 1):
        size = int(gpus * 2.0**factor)
        if size < 1 or (factor and size > per and size % per):
            continue
        made = _planned(asked, {_GPUS: size, **free, **same_work(asked)})
        one = reading.chosen(made) if made is not None else None
        if made is None or one is None or not one.run_hours or reading.gpus(made) != size:
            if found:
                break
            continue
        cost = "" if one.cost_usd is None else f"{figures.usd(one.cost_usd.p50)}, "
        told = f"{cost}{figures.hours(one.run_hours)}"
        found.append(_Size(size, one.run_hours, told, one.exposed_communication_percent))
    return found


def _planned(asked: Asked, fields: dict[str, Any]) -> Plan | None:
    try:
        made = asked.planned(fields)
    except InputError:
        return None
    return None if made is None or made.recommendation.verdict == "infeasible" else made


def within_share(asked: Asked) -> list[str]:
    """The cheapest network of which less than the named share of a step waits, the next ones, and those that lose more;
    where none does, on how many GPUs one would."""
    limit = next((share for share in asked.amounts("percent", "share") if 0 < share < 100), None)
    best = asked.best
    if limit is None or best is None or best.exposed_communication_percent is None:
        return []
    waits = lambda c: c.exposed_communication_percent or 0.0
    able = [c for c in usable(asked) if c.exposed_communication_percent is not None]
    within = sorted((c for c in able if waits(c) <= limit), key=lambda c: (c.cost_usd is None, c.median_cost))
    beyond = sorted((c for c in able if waits(c) > limit), key=waits)
    named = lambda many: ", ".join(f"{asked.name(c.fabric)} {figures.percent(waits(c))}" for c in many[:_TOLD])
    if not within:
        least = beyond[0]
        return [
            f"No network does: the least is {figures.percent(waits(least))} of a step on {asked.name(least.fabric)}"
            f"{_on_fewer(asked, limit)}.",
            f"The others: {named(beyond[1:])}." if beyond[1:] else "",
        ]
    one = within[0]
    own = "what the plan takes: " if one is best else ""
    said = [
        f"{asked.name(one.fabric)}, {own}{figures.percent(waits(one))} of a step waits, below the {limit:g} %; "
        f"{_sum(asked, one)}."
    ]
    said += [f"So do {named(within[1:])}."] if within[1:] else []
    said += [f"More is lost on {named(beyond)}."] if beyond else ["Every network that was computed stays below it."]
    return said


def _sum(asked: Asked, one: Candidate) -> str:
    done = f", done in {figures.hours(one.run_hours)}" if reading.ends(asked.plan) else ""
    return f"{money(one)}{done}" if one.cost_usd else f"no price of it was read{done}"


def _on_fewer(asked: Asked, limit: float) -> str:
    """On how many GPUs a network would keep the share."""
    free: dict[str, Any] = {name: None for name in _LIFTED if reading.asked(asked.plan, name)}
    for part in (2, 4, 8):
        size = reading.gpus(asked.plan) // part
        made = _planned(asked, {_GPUS: size, **free, **same_work(asked)}) if size else None
        one = reading.chosen(made) if made is not None else None
        share = one.exposed_communication_percent if one is not None else None
        if one is not None and share is not None and share <= limit:
            done = f", done in {figures.hours(one.run_hours)}" if reading.ends(asked.plan) else ""
            return f"; on {size:,} GPUs it is {figures.percent(share)} on {asked.name(one.fabric)}{done}"
    return ""


def nodes_out(asked: Asked) -> list[str]:
    """How long it takes where a named share of the machines is out at any time, and the spares that make up for it."""
    share = next((share for share in asked.amounts("percent", "share") if 0 < share < 100), None)
    best, gpus = asked.best, reading.gpus(asked.plan)
    per = int(reading.asked(asked.plan, "cluster.gpus_per_node") or 8)
    if share is None or best is None or not best.run_hours or not reading.ends(asked.plan) or gpus <= per:
        return []
    nodes = gpus // per
    out = max(1, round(nodes * share / 100))
    hours = best.run_hours * nodes / (nodes - out) if out < nodes else 0.0
    if not hours:
        return []
    slow = reading.run_band(best)[1] * nodes / (nodes - out)
    days = reading.asked(asked.plan, "constraints.deadline_days")
    left = f"with {out} of {nodes} nodes out it takes about {figures.hours(hours)} instead of "
    left += f"{figures.hours(best.run_hours)}, in the slow tenth of cases {figures.hours(slow)}"
    if not days:
        first = f"{left[:1].upper()}{left[1:]}."
    else:
        kept = "Yes" if slow <= 24 * days else "Likely" if hours <= 24 * days else "No"
        within = "not within" if kept == "No" else "within"
        first = f"{kept}, {within} the {days_said(days)}: {left}."
    return [
        first,
        f"{figures.counted(out, 'spare node', 'spare nodes')} more, {nodes + out} in all, keep it at "
        f"{figures.hours(best.run_hours)}: a job that shards over all nodes needs them all, or a restart on fewer.",
    ]
