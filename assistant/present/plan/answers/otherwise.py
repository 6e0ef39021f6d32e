"""The job otherwise: whether its number of GPUs was a good guess, adapters instead of all weights, more patience."""

from __future__ import annotations

from typing import Any

from assistant.vocabulary.plan import Candidate

from ... import figures
from .. import reading
from .asked import Asked, money
from .trials import carried, same_work, sizes, sizes_verdict

_SPARE = 1.5  # times the load: who carries more has more than enough
_FELT = 0.02  # of the cost


def gpus_judged(asked: Asked) -> list[str]:
    """Whether the GPUs are too few, enough or too many; of a run half and twice as many beside them."""
    gpus, load = reading.gpus(asked.plan), reading.asked(asked.plan, "inference.requests_per_s")
    found = asked.plan.sizing
    if not reading.serves(asked.plan) or found is None or not load:
        verdict = sizes_verdict(asked)
        return [*([verdict] if verdict else []), *sizes(asked)]
    carries = found.carries_requests_per_s
    most = f"{gpus:,} carry up to {figures.significant(carries)} of your {load:g} requests a second"
    if asked.best is None:
        return [f"Too few: {most}.", *carried(asked, 1.0)]
    enough = (
        "More than enough"
        if carries > _SPARE * load
        else "Enough, with little to spare"
        if carries < 1.1 * load
        else "Enough"
    )
    return [f"{enough}: {most}.", f"Planned: {money(asked.best)} a month."]


def lora(asked: Asked) -> list[str]:
    """Adapters beside all the weights, or the reverse: time, memory, waiting, money."""
    best = asked.best
    if reading.serves(asked.plan):
        return []
    adapters = reading.asked(asked.plan, "training.method") in ("lora", "qlora")
    method, gpus = asked.said.fields.get("training.method"), reading.gpus(asked.plan)
    other = "full" if adapters else "lora"
    name, now = ("All weights", "adapters") if adapters else ("LoRA", "all weights")
    if method in _NAMES and method != reading.asked(asked.plan, "training.method"):
        other, name = str(method), _NAMES[str(method)]
    size = next((int(n) for n in asked.amounts("number") if 1 <= n < gpus), None)
    size = size or (max(1, gpus // 2) if asked.says("halved") else None)
    on = {"cluster.gpus": size} if size else {}
    made = asked.tried({"training.method": other, **on, **same_work(asked)})
    one = reading.chosen(made) if made else None
    name = f"{name} on {size:,}" if size else name
    if one is None or one.run_hours is None:
        return [f"{name} does not run here as asked."]
    if best is None or best.run_hours is None:
        return [f"{name} would run: {figures.hours(one.run_hours)}, {_gib(one)} per GPU.", _QUALITY]
    cost = f", {money(one)} instead of {money(best)}" if one.cost_usd and best.cost_usd else ""
    waits = [figures.percent(c.exposed_communication_percent) for c in (one, best)]
    memory = f", {_leanest(asked, other, one)} of the fullest GPU instead of {_gib(best)}"
    said = (
        f"{name}: {figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}{cost}{memory}, {waits[0]} "
        f"waiting instead of {waits[1]}."
    )
    better = one.run_hours < best.run_hours
    verdict = f"By time and memory {'yes' if better else 'no'}, for {name if better else now}."
    return [said, f"{verdict} {_QUALITY}"]


_NAMES = {"lora": "LoRA", "qlora": "QLoRA", "full": "All weights"}


def lora_fewer(asked: Asked) -> str | None:
    """With how few GPUs adapters would do, as the plan volunteers it."""
    told = asked.plan.volunteered
    return told if told and "LoRA" in told else None


def lora_alone(asked: Asked) -> str | None:
    """Adapters on one node of several, where nothing crosses a network."""
    per, gpus = reading.asked(asked.plan, "cluster.gpus_per_node"), reading.gpus(asked.plan)
    adapters = reading.asked(asked.plan, "training.method") in ("lora", "qlora")
    if adapters or not asked.says("one-machine") or not per or per >= gpus:
        return None
    made = asked.tried({"training.method": "lora", "cluster.gpus": per, **same_work(asked)})
    one = reading.chosen(made) if made else None
    if one is None or one.run_hours is None:
        return f"With adapters on one machine of {per} alone it does not run."
    none = ", and no network to buy" if one.fabric == "none" else ""
    return f"One machine is enough then: {per} GPUs do LoRA in {figures.hours(one.run_hours)}{none}."


def _leanest(asked: Asked, method: str, one: Candidate) -> str:
    """The memory that it can do with, where the fastest split takes more than it must."""
    lean = {"training.method": method, "training.micro_batch": 1, "training.recompute": "full", **same_work(asked)}
    made = asked.tried(lean)
    other = reading.chosen(made) if made else None
    return _gib(min((c for c in (one, other) if c is not None), key=reading.gib))


_QUALITY = "What it does to quality the plan does not know: try both on a part of your data."


def _gib(found: Candidate) -> str:
    return f"{reading.gib(found):.3g} GiB"


def patient(asked: Asked) -> list[str]:
    """What is cheaper where it may take longer: fewer GPUs, machines that can be taken away."""
    best = asked.best
    if best is None or best.cost_usd is None or best.run_hours is None or not reading.ends(asked.plan):
        return []
    more = next((24 * days for days in asked.amounts("time") if days > 0), None)
    gpus, found = reading.gpus(asked.plan), []
    tries: list[tuple[str, dict[str, Any]]] = [
        (f"{gpus // part:,} GPUs", {"cluster.gpus": gpus // part}) for part in (2, 4) if gpus // part
    ]
    tries.append(("spot machines", {"budget.spot": True}))
    for name, fields in tries:
        until = {"constraints.deadline_days": more / 24} if more else {}
        made = asked.tried({**fields, **same_work(asked), **until})
        one = reading.chosen(made) if made else None
        if one is None or one.cost_usd is None or one.run_hours is None:
            continue
        if more is None or one.run_hours <= best.run_hours + more:
            found.append((one.median_cost, f"{name}: {money(one)}, done in {figures.hours(one.run_hours)}"))
    now = f"{money(best)}, done in {figures.hours(best.run_hours)}"
    if not found:
        return [f"No: nothing else that was tried is done by then; planned is {now}."]
    found.sort()
    less = best.median_cost - found[0][0]
    if less > _FELT * best.median_cost:
        or_ = f" Or {found[1][1]}: GPU-hours stay, so fewer GPUs save little." if len(found) > 1 else ""
        return [f"Yes: {found[0][1]}, {figures.usd(less)} less than {now}.{or_}"]
    told = "; ".join(text for _, text in found[:2])
    return [f"No: no deadline made it dear, it is the cheapest already ({now}).", f"Slower hardly saves: {told}."]
