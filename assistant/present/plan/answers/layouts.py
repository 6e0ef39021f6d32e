"""How the work is laid over the GPUs, as it is asked: a split that is named beside another, and the fewest GPUs that
hold it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.plan import Candidate, Plan

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower
from .trials import same_work, why_not

_TP = re.compile(r"\b(?:tp|tensor parallel(?:ism)?)[ =:-]?(\d{1,3})\b")
_CP = re.compile(r"\b(?:cp|context parallel(?:ism)?)[ =:-]?(\d{1,3})\b")
_FREE = dict.fromkeys(("parallelism.tp", "parallelism.pp", "parallelism.cp"))


def layout_planned(asked: Asked) -> str | None:
    """The split that the plan takes."""
    best = asked.best
    if best is None or not best.parallelism or reading.serves(asked.plan):
        return None
    waits = figures.percent(best.exposed_communication_percent)
    return f"Planned: {figures.layout(best.parallelism)}; {waits} of a step waits."


def splits_named(asked: Asked) -> list[str]:
    """Each split that the message names, planned on the plan's network: a step, what waits, the whole."""
    best = asked.best
    if best is None or best.step_time_s is None or reading.serves(asked.plan):
        return []
    kinds = asked.words.get("strategies", {})
    strategy = next((value for word, value in kinds.items() if word in asked.text), None)
    found: list[tuple[str, Mapping[str, object]]] = []
    if strategy is not None:
        alone = {"parallelism.strategy": strategy, "parallelism.tp": 1, "parallelism.pp": 1, "parallelism.cp": 1}
        found.append((f"{figures.strategy(strategy)} alone", alone))
    for name, pattern, field in (("TP", _TP, "parallelism.tp"), ("CP", _CP, "parallelism.cp")):
        found += [(f"{name} {many}", {**_FREE, field: int(many)}) for many in pattern.findall(asked.text)[:1]]
    if len(found) < (1 if strategy is None else 2):
        return []
    told = [_on_it(asked, name, change, best) for name, change in found]
    return [*told, f"Planned: {figures.layout(best.parallelism)}, {figures.seconds(best.median_step)} a step."]


def _on_it(asked: Asked, name: str, change: Mapping[str, object], best: Candidate) -> str:
    made = asked.tried({**change, "cluster.fabric": best.fabric})
    one = reading.candidate(made, best.fabric) if made is not None else None
    if one is None or one.step_time_s is None:
        return f"{name}: does not do. {why_not(asked, {**change, 'cluster.fabric': best.fabric})}".strip()
    more = lasts(slower(one, best))
    cost = f", {money(one)}" if one.cost_usd else ""
    return (
        f"{name}: {figures.seconds(one.median_step)} a step ({more}), "
        f"{figures.percent(one.exposed_communication_percent)} of it waits, {figures.hours(one.run_hours)}{cost}."
    )


def rates_named(asked: Asked) -> list[str]:
    """The plan's network at each line rate that the message names: a step, the whole, and what it costs."""
    best = asked.best
    if best is None or best.step_time_s is None or best.fabric == "none":
        return []
    own = asked.catalog.fabrics[best.fabric]
    rates = dict.fromkeys(int(rate) for rate in _RATE.findall(asked.text))
    found: list[Candidate] = []
    for rate in rates:
        same = [f for f, one in asked.catalog.fabrics.items() if _is_at(one, own.technology, rate)]
        made = next((plan for f in same if (plan := asked.tried({"cluster.fabric": f})) is not None), None)
        one = reading.chosen(made) if made is not None else None
        found += [one] if one is not None and one.step_time_s else []
    if len(found) < _PAIR:
        return []
    quick, slow = sorted(found[:_PAIR], key=lambda c: c.median_step)
    less = 100 * (1 - quick.median_step / slow.median_step)
    days = f", {figures.hours(quick.run_hours)} instead of {figures.hours(slow.run_hours)}"
    cost = f"; {money(quick)} and {money(slow)}" if quick.cost_usd and slow.cost_usd else "; no price of both is known"
    verdict = "Little" if less < _LITTLE else "It is felt"
    return [
        f"{verdict}: {asked.name(quick.fabric)} takes {less:.2g} % less than {asked.name(slow.fabric)}{days}{cost}."
    ]


def _is_at(fabric: Fabric, technology: str, rate: int) -> bool:
    return fabric.technology == technology and round(fabric.nic_rate * 8 / 1e9) == rate


_RATE = re.compile(r"\b(\d{2,4}) ?(?:g|gb/s|gbit/s|gbps)\b")
_PAIR, _LITTLE = 2, 5.0


def fewest_that_fit(asked: Asked) -> list[str]:
    """The fewest GPUs that hold the job beside those that are planned: time, money, and the difference."""
    best, gpus = asked.best, reading.gpus(asked.plan)
    if best is None or best.run_hours is None or not reading.ends(asked.plan):
        return []
    found = _fewest(asked, gpus)
    if found is None:
        return [f"{gpus:,} are the fewest that were found to hold it: {money(best)}, {figures.hours(best.run_hours)}."]
    made, size = found
    one = reading.chosen(made)
    if one is None or one.run_hours is None:
        return []
    apart = ""
    if one.cost_usd and best.cost_usd:
        less = best.median_cost - one.median_cost
        apart = f" {figures.usd(abs(less))} {'less' if less >= 0 else 'more'} in all."
    return [
        f"Fewest that fit: {size:,}, {money(one)}, done in {figures.hours(one.run_hours)} "
        f"({reading.gib(one):,.0f} GiB on the fullest).",
        f"Recommended: {gpus:,}, {money(best)}, done in {figures.hours(best.run_hours)}.{apart}",
        "The sum goes with the GPU-hours: more GPUs buy time, and a little is lost to waiting.",
    ]


def _fewest(asked: Asked, gpus: int) -> tuple[Plan, int] | None:
    """The plan on the fewest GPUs, halving and then in whole nodes."""
    per = int(reading.asked(asked.plan, "cluster.gpus_per_node") or 8)
    whole = [size for size in range(per, gpus, per)] if gpus <= 16 * per else [gpus // n for n in (16, 8, 4, 2)]
    for size in [*(n for n in (1, 2, 4) if n < min(per, gpus)), *whole]:
        made = asked.tried({"cluster.gpus": size, **same_work(asked)})
        if made is not None and reading.gpus(made) == size:
            return made, size
    return None
