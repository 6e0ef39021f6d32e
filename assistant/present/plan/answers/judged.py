"""Whether it should be done at all; and where nothing works as asked, what would."""

from __future__ import annotations

from typing import Any

from assistant.vocabulary.plan import Candidate, Plan
from assistant.vocabulary.quantities import times

from ... import figures
from .. import card, flips, reading
from .asked import Asked, lasts, money, slower
from .other_gpus import rented_instead

_TWO = 2  # ways out that are told
_MUCH = 40.0  # percent of a step that waits: from here on a job runs, but badly
_HARDLY = 1.3  # times as fast as one site alone: less is hardly worth a line between sites


def works_instead(asked: Asked) -> list[str]:
    """What would keep the limits or make the job fit, each planned before it is told; nothing where the plan works."""
    found = asked.plan.recommendation
    if asked.best is not None:
        return []
    if found.what_fits:
        ways = flips.ways_out(asked.plan)[:_TWO]
    else:
        ways = [*(f"{what}: {_in_short(plan)}." for what, plan in _ways_out(asked)), *rented_instead(asked)[:1]]
    return [found.smallest_change or found.headline, *ways]


def works_rented(asked: Asked) -> list[str]:
    """Where nothing works as asked: the job on rented machines."""
    if asked.best is not None:
        return []
    found = rented_instead(asked)
    reason = asked.plan.recommendation.smallest_change or asked.plan.recommendation.headline
    return [f"It does not run as asked; on rented machines it would: {found[0]}", *found[1:]] if found else [reason]


def _ways_out(asked: Asked) -> list[tuple[str, Plan]]:
    """Other ways to the same end that work: adapters, more machines, rented ones."""
    gpus, trains = reading.gpus(asked.plan), not reading.serves(asked.plan)
    ways: list[tuple[str, dict[str, Any]]] = []
    if trains and reading.asked(asked.plan, "training.method") not in ("lora", "qlora"):
        ways.append(("With adapters (LoRA)", {"training.method": "lora"}))
    for more in (2 * gpus, 4 * gpus):
        ways.append((f"On {more:,} GPUs", {"cluster.gpus": more}))
    found: list[tuple[str, Plan]] = []
    for what, fields in ways:
        made = asked.tried(fields) if len(found) < _TWO else None
        found += [(what, made)] if made is not None else []
    return found


def _in_short(plan: Plan) -> str:
    best = reading.chosen(plan)
    if best is None:
        return plan.recommendation.headline
    if not reading.ends(plan):
        return f"{money(best)} a month"
    bought = reading.to_buy(plan)
    cost = f"{figures.usd(bought.capital_usd)} to buy, " if bought is not None else f"{money(best)}, "
    cost = cost if bought is not None or best.cost_usd is not None else ""
    return f"{cost}done in {figures.hours(best.run_hours)}"


def sane(asked: Asked) -> str | None:
    """Yes or no, with what it comes to."""
    best, plan = asked.best, asked.plan
    if best is None:
        return f"Not as it stands. {plan.recommendation.smallest_change or plan.recommendation.headline}"
    if (reading.asked(plan, "cluster.sites") or 1) > 1 and reading.ends(plan):
        return _two_sites(asked)
    waits = best.exposed_communication_percent or 0.0
    if "not kept" in (reading.limits_kept(plan) or ""):
        return f"Not within your limits: {_in_short(plan)}."
    if waits >= _MUCH:
        where = f"for {asked.name(best.fabric)}"
        return f"It runs, but the GPUs wait {where} {figures.percent(waits)} of the time: {_in_short(plan)}."
    return f"It makes sense: it fits and it can be done: {_in_short(plan)}."


def _two_sites(asked: Asked) -> str:
    """Whether a run over several sites gains enough over one of them alone."""
    best, sites = asked.best, reading.asked(asked.plan, "cluster.sites")
    alone = asked.tried({"cluster.sites": 1, "cluster.gpus": reading.gpus(asked.plan) // sites})
    one = reading.chosen(alone) if alone else None
    if best is None or best.run_hours is None or one is None or one.run_hours is None:
        return f"Yes: {_in_short(asked.plan)}; one site alone does not do."
    gain = one.run_hours / best.run_hours
    both = f"over {sites} sites it takes {figures.hours(best.run_hours)}, at one alone {figures.hours(one.run_hours)}"
    if gain < _HARDLY:
        return f"It hardly makes sense: {both}, {times(gain)} as long."
    return f"It makes sense if the time matters: {both}, {times(gain)} as long."


def sane_because(asked: Asked) -> list[str]:
    """What it rests on: the time that waits, the memory, how certain the choice is."""
    best = asked.best
    if best is None:
        return works_instead(asked)[1:]
    sites = next((w.message for w in asked.plan.warnings if w.code == "between-sites"), None)
    if sites is not None and reading.ends(asked.plan):
        way = best.parallelism.get("inner_steps")
        how = (
            f"The sites exchange only every {way:,} steps, which changes the training: try it small first."
            if way
            else ""
        )
        return [text for text in (how,) if text]
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    full = f"{reading.gib(best) / (gpu.memory.si / 2**30):.0%} of the fullest GPU's memory"
    waits = f", {figures.percent(best.exposed_communication_percent)} of the time waits for communication"
    sure = next(iter(card.certain(asked.plan)), None)
    return [f"It takes {full}{waits if best.exposed_communication_percent else ''}.", *([sure] if sure else [])]


def needed(asked: Asked) -> list[str]:
    """Whether a network that is there was needed: what plainer ones would have done."""
    best = asked.best
    if best is None:
        return ["No network changes that: the job itself does not run as asked."]
    if best.fabric == "none":
        return ["No: nothing of this job crosses a network between nodes."]
    name, rate = asked.name(best.fabric), asked.catalog.fabrics[best.fabric].nic_rate
    others = [c for c in asked.plan.candidates if c.step_time_s and c.fits is not False and c is not best]
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    plain = min((c for c in others if kind(c) == "tcp"), key=lambda c: c.median_step, default=None)
    rdma = [c for c in others if kind(c) in ("roce", "infiniband") and asked.catalog.fabrics[c.fabric].nic_rate < rate]
    half = min(rdma, key=lambda c: asked.catalog.fabrics[c.fabric].nic_rate, default=None)
    told = [
        f"{asked.name(c.fabric)}: a step takes {lasts(slower(c, best))}{_whole(asked, c)}."
        for c in (half, plain)
        if c is not None
    ]
    waits = figures.percent(best.exposed_communication_percent)
    now = f"{name}: {waits} of a step waits{_whole(asked, best)}."
    if plain is not None and slower(plain, best) < _FELT_BY_THE_JOB:
        return [f"No: plain Ethernet would have done as well as {name}.", *reversed(told), now]
    if half is not None and slower(half, best) < _FELT_BY_THE_JOB:
        return [f"Not that much of it: RDMA yes, {name} no; a slower one would have done.", *told, now]
    return ["Yes: plainer networks cost time that this job feels.", *told, now]


def _whole(asked: Asked, found: Candidate) -> str:
    return f", {figures.hours(found.run_hours)} in all" if reading.ends(asked.plan) and found.run_hours else ""


_FELT_BY_THE_JOB = 5.0  # percent of a step: what is less is no reason for a network
