"""What waiting costs and how sure the time is: money lost to the network, the deadline, a duration that is doubted, a
start on another day."""

from __future__ import annotations

import datetime
import re
from math import ceil

from assistant.vocabulary.quantities import days_said

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable
from .operations import restart

_MATTERS = 5.0  # percent of a step


def waiting_cost(asked: Asked) -> str | None:
    """What the share of the time that waits for communication comes to in money."""
    best = asked.best
    if best is None or best.exposed_communication_percent is None:
        return asked.plan.recommendation.smallest_change
    share = best.exposed_communication_percent
    between = " between and inside the sites" if (reading.asked(asked.plan, "cluster.sites") or 1) > 1 else ""
    waits = f"{figures.percent(share)} of the time the GPUs wait for communication{between}"
    if best.cost_usd is None:
        return f"{waits}; no price is known, so no sum."
    lost = figures.usd(best.cost_usd.p50 * share / 100)
    dollars = " The plan counts US dollars." if "euro" in asked.text or "€" in asked.text else ""
    return f"{waits}: about {lost} of the {money(best)} for {reading.bill(asked.plan)}.{dollars}"


def waiting_pays(asked: Asked) -> str | None:
    """Whether paying to wait less pays: the network that waits least, and what it costs."""
    best = asked.best
    if best is None or best.exposed_communication_percent is None:
        return None
    able = [c for c in usable(asked) if c is not best and c.exposed_communication_percent is not None]
    least = min(able, key=lambda c: c.exposed_communication_percent or 0.0, default=None)
    if least is None or slower(best, least) < _MATTERS:
        return "No network that was computed would make it noticeably less, so paying for a faster one buys nothing."
    waits = figures.percent(least.exposed_communication_percent)
    said = f"On {asked.name(least.fabric)} it is {waits}, each step {lasts(slower(least, best))}"
    if best.cost_usd is None or least.cost_usd is None:
        return f"{said}; what that costs is not known."
    more = least.median_cost - best.median_cost
    if more <= 0:
        return f"{said}, at {figures.usd(-more)} less."
    return f"{said}, but {figures.usd(more)} more for {reading.bill(asked.plan)}: waiting is the cheaper way."


def deadline_sure(asked: Asked) -> str | None:
    """How likely the run is to end within the time that was asked about or said."""
    best, run = asked.best, asked.run
    if best is None:
        return asked.plan.recommendation.smallest_change
    if run is None or best.run_hours is None:
        return "A service has no end, so there is no date to keep."
    limit = _time_there_is(asked)
    quick, slow = reading.run_band(best)
    if not limit:
        return f"You named no deadline. It takes {run[0]}; nine of ten cases are done within {run[2]}."
    within = f"the {days_said(limit)}, for it takes {run[0]}"
    if slow <= 12 * limit:
        return f"Yes, safe by our own errors: {within}, {run[2]} in the slow tenth of cases."
    if slow <= 24 * limit and asked.says("ninth_decile"):
        return f"Yes, at P90 too: {run[2]} of {days_said(limit)}; {run[0]} in the middle{_for_how_much(asked)}."
    if slow <= 24 * limit:
        return f"Likely, nine in ten or more: {within}, {run[2]} in the slow tenth of cases."
    if best.run_hours <= 24 * limit:
        return f"More likely than not: {within}, but {run[2]} in the slow tenth of cases."
    if quick <= 24 * limit:
        return f"No: {within}, and only a lucky case ({run[1]}) keeps them."
    return f"No: {within}, {run[1]} even in the lucky tenth of cases."


def _time_there_is(asked: Asked) -> float | None:
    """Days until the date: what is named, of a date that is moved what is left of the one that was said."""
    named = [days for days in asked.amounts("time") if days >= 1]
    limit = reading.asked(asked.plan, "constraints.deadline_days")
    if not named or not limit:
        return named[0] if named else limit
    if asked.says("moved-up") and named[0] < limit:
        return limit - named[0]
    return limit + named[0] if asked.says("moved-out") and named[0] < limit else named[0]


def _for_how_much(asked: Asked) -> str:
    """What it costs beside the next quote."""
    best, other = asked.best, reading.candidate(asked.plan, asked.plan.recommendation.runner_up)
    if best is None or other is None or not best.cost_usd or not other.cost_usd or not asked.plan.quotes:
        return ""
    return f", for {money(best)} instead of {money(other)} on {asked.name(other.fabric)}"


def deadline_risk(asked: Asked) -> str | None:
    """What is not in that."""
    if asked.run is None:
        return None
    test = "20 steps on the machines themselves settle it"
    return f"Computed, not measured: late delivery and a broken input pipeline are not in it; {test}."


def doubt_time(asked: Asked) -> str | None:
    """What the plan says beside a duration that is doubted, and what it is made of."""
    best, run = asked.best, asked.run
    if best is None:
        return asked.plan.recommendation.smallest_change
    if run is None or best.run_hours is None:
        return "It is a service: the plan gives no duration."
    named = next(iter(asked.amounts("time")), None)
    other = ""
    if named and abs(24 * named / best.run_hours - 1) > _MISREAD:
        other = f", not {figures.hours(24 * named)}"
    mfu = f", {100 * best.mfu:.0f} % of the GPUs' peak" if best.mfu else ""
    return f"The plan says {run[0]}{other}: computed{mfu}, not measured, so doubt is in order."


def more_for_it(asked: Asked) -> str | None:
    """How many GPUs end it in a time that is named and too short, and what they cost."""
    best, limit = asked.best, _time_there_is(asked)
    named = [limit] if limit else []
    if best is None or not best.run_hours or not named or not reading.ends(asked.plan):
        return None
    per, gpus = int(reading.asked(asked.plan, "cluster.gpus_per_node") or 8), reading.gpus(asked.plan)
    if best.run_hours <= 24 * named[0]:
        return None
    first = ceil(gpus * best.run_hours / (24 * named[0]) / per) * per
    for size in (first, first + per, first + 2 * per):
        made = asked.tried({"cluster.gpus": size, "constraints.deadline_days": named[0]})
        one = reading.chosen(made) if made else None
        if one is not None and one.run_hours and one.cost_usd:
            kept = reading.limits_in_short(made) if made else None
            within = f", {kept.rstrip('.')}" if kept else ""
            return (
                f"With {size:,} GPUs it would: {figures.hours(one.run_hours)}, {figures.usd(one.median_cost)}{within}."
            )
    return "More of these GPUs do not do it within your limits: fewer tokens would."


def doubted_figure(asked: Asked) -> list[str]:
    """The figure that is doubted, where it is no sum of money: how long it takes, or how quickly it answers."""
    if asked.says("of_speed") and reading.serves(asked.plan):
        best = asked.best
        served = best.serving if best is not None else None
        if served is None:
            return []
        limit = reading.asked(asked.plan, "inference.ttft_ms")
        beside = f", you asked for {limit:,g} ms" if limit else ""
        return [
            f"Computed, not measured: the first token after {figures.seconds(served.ttft_s)} in the mean{beside}.",
            "It hangs on how long prompts are and how many ask at once: bursts and long prompts wait longer.",
            "Test before you sign: one copy, your own prompts at peak rate for an hour, p95 against the target.",
        ]
    if asked.says("of_time") and not asked.says("of_money") and asked.run is not None:
        return [f"It takes {asked.run[0]}; in eight of ten cases {asked.run[1]} to {asked.run[2]}."]
    return []


_MISREAD = 0.15  # of the duration: what is nearer is the plan's own, rounded


def start_later(asked: Asked) -> list[str]:
    """The end and the price where it starts on another day."""
    best, run = asked.best, asked.run
    if best is None:
        return [asked.plan.recommendation.smallest_change or asked.plan.recommendation.headline]
    day = next((a.value for a in asked.said.amounts if a.kind == "date" and isinstance(a.value, datetime.date)), None)
    when = "later" if day is None else f"on {day.day} {day:%B %Y}"
    price = "what is bought" if asked.buys else "the rent"
    cost = f"At today's prices it stays {money(best)} for {reading.bill(asked.plan)}" if best.cost_usd else ""
    said = f"{cost}; what {price} costs then nobody knows, and the plan has no forecast." if cost else None
    if run is None or best.run_hours is None:
        return [one for one in (f"Started {when}, only the calendar moves.", said) if one]
    ends = ""
    if day is not None:
        done = day + datetime.timedelta(days=ceil(best.run_hours / 24) if best.run_hours > 24 else 0)
        ends = f" and is done by {done.day} {done:%B %Y}"
    return [one for one in (said, f"Started {when} it takes the same {run[0]}{ends}.") if one]


def listed(asked: Asked) -> list[str]:
    """Why a network is compared that is not recommended: where it stands and what it would add."""
    best = asked.best
    if best is None:
        return []
    one = next((c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) and c is not best), None)
    first = "Every network that exists for these GPUs is computed, so that you see what it would bring"
    if one is None or not one.step_time_s:
        return [f"{first}; the plan takes {asked.name(best.fabric)}."]
    name, unit = asked.name(one.fabric), "token" if reading.serves(asked.plan) else "step"
    said = f"Here {name} brings nothing" if slower(best, one) < _MATTERS else f"Here {name} is the faster one"
    long = f"each {unit} takes {lasts(slower(one, best))}"
    cost = ""
    if one.cost_usd and best.cost_usd:
        more = one.median_cost - best.median_cost
        cost = f", {figures.usd(abs(more))} {'more' if more >= 0 else 'less'} for {reading.bill(asked.plan)}"
    order = sorted(usable(asked), key=lambda c: (c.median_cost, c.median_step))
    place = f" It is number {order.index(one) + 1} of {len(order)} by cost." if one in order else ""
    return [f"{first}: it is a yardstick, no advice.", f"{said}: {long}{cost}.{place}"]


def stored(asked: Asked) -> list[str]:
    """Disk for checkpoints: its size per parameter that is trained, of which the plan has the number."""
    if reading.serves(asked.plan):
        return ["Serving writes no checkpoints; the nodes load the weights once at the start."]
    params = asked.params
    beside = "The price counts no storage: ask the provider for a shared file system and its price."
    if asked.buys:
        beside = "The purchase counts no storage: have a shared file system quoted as well."
    if not params or reading.asked(asked.plan, "training.method") in ("lora", "qlora"):
        return [f"Only the adapters are saved, a few GB at most. {beside}" if params else beside]
    size = asked.catalog.constants["cost-checkpoint-state"].si * params
    kept = re.search(r"last (\d+)", asked.text)
    many = int(kept[1]) if kept else 3
    rate = next(iter(asked.amounts("rate")), None)
    blocks = []
    if rate:
        every = re.search(r"checkpoint every ([^(]+?) \(", restart(asked) or "")
        often = f"; one every {every[1]}, and it is written in the background" if every else ""
        blocks = [f"At {rate / 8:g} GB/s it takes {figures.seconds(8 * size / (1e9 * rate))}{often or ' to write'}."]
    return [
        f"About {figures.bytes_text(size)} a checkpoint (weights and optimizer states): "
        f"{figures.bytes_text(many * size)} for the last {many}.",
        *blocks,
        beside,
    ]
