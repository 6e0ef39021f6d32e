"""Whether it should be done at all; and where nothing works as asked, what would."""

from __future__ import annotations

from typing import Any

from assistant.vocabulary.plan import Plan

from ... import figures
from .. import card, flips, reading
from .asked import Asked, money
from .trials import rented_instead

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
    for times in (2, 4):
        ways.append((f"On {times * gpus:,} GPUs", {"cluster.gpus": times * gpus}))
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
    bought = plan.purchase
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
    return f"Yes: it fits and it can be done: {_in_short(plan)}."


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
        return f"Hardly: {both}, {gain:.2g} times as long."
    return f"Yes, if the time matters: {both}, {gain:.2g} times as long."


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
