"""What the run would be otherwise: slower by a factor, stopped in between, left as it comes, with fewer bits, split by
the asker, begun later, with sums in the switches."""

from __future__ import annotations

import re

from assistant.vocabulary.errors import InputError

from ... import figures
from .. import reading
from .asked import Asked, lasts, slower, usable


def by_a_factor(asked: Asked) -> str | None:
    """Whether the time may be wrong by the factor that is named, by our own errors."""
    best, factor = asked.best, asked.times
    if best is None or factor is None or best.step_time_s is None or not reading.ends(asked.plan):
        return None
    up, down = best.step_time_s.p90 / best.step_time_s.p50, best.step_time_s.p50 / best.step_time_s.p10
    kept = "less than that" if max(up, down) < factor else "so much"
    return f"By {kept}, in eight of ten cases: {up:.2g} times as long at worst, {1 / down:.2g} at best."


def stopped_between(asked: Asked) -> list[str]:
    """What one failure costs with the checkpoints that the message names, and what slack there is."""
    best, price = asked.best, asked.best.gpu_usd_per_hour if asked.best else None
    hours = [24 * days for days in asked.amounts("time") if 24 * days <= _LONGEST_BETWEEN]
    if best is None or not hours or reading.serves(asked.plan):
        return []
    gap, gpus = min(hours), reading.gpus(asked.plan)
    usd = lambda lost: f", {figures.usd(lost * gpus * price)}" if price else ""
    mean, most = gap / 2 + _RESTART, gap + _RESTART
    said = [
        f"{figures.hours(most)} at worst, {figures.hours(mean)} on average with the restart: {most * gpus:,.0f} "
        f"GPU-hours{usd(most)} at worst, {mean * gpus:,.0f}{usd(mean)} on average."
    ]
    days = reading.asked(asked.plan, "constraints.deadline_days")
    if days and best.run_hours:
        spare = 24 * days - best.run_hours
        said.append(
            f"The deadline leaves {figures.hours(spare)}: "
            f"{'one failure does not endanger it' if spare > most else 'it is missed'}."
        )
    return said


_LONGEST_BETWEEN = 24.0  # hours between checkpoints
_RESTART = 1 / 6  # hours: what the plan counts for a restart


def untouched(asked: Asked) -> list[str]:
    """What runs without settings of one's own on the offer that is taken, and what nobody promises."""
    best, number = asked.best, asked.plan.recommendation.offer
    if best is None:
        return []
    if best.fabric == "none":
        return ["Yes: nothing crosses a network between nodes, so there is nothing of NCCL to set."]
    seller = "the provider" if number is None else (asked.plan.offers[number].provider_name or "the provider")
    flags = {
        "infiniband": "NCCL finds InfiniBand by itself, with no flag",
        "roce": "RoCE wants a flag or two (the GID index, the traffic class), which an image should have set",
        "efa": "EFA wants the provider's plugin (aws-ofi-nccl), which its image has",
    }
    kind = asked.catalog.fabrics[best.fabric].technology
    runs = flags.get(kind, "it wants the plugin and the image of who sells it")
    return [
        f"Mostly: {runs}; FSDP has no network flags of its own. Take {seller}'s image as it is.",
        "What nobody can promise is their set-up: before you pay run all_reduce_perf on two nodes, 10 minutes.",
        "If it is far below the planned bandwidth, it fell back to sockets: that is theirs to mend.",
    ]


def quantised(asked: Asked) -> list[str]:
    """Whether a service does on the GPUs that are named with weights of fewer bits."""
    gpus = asked.said.fields.get("cluster.gpus") or reading.gpus(asked.plan)
    if not reading.serves(asked.plan) or asked.best is None:
        return []
    load = reading.asked(asked.plan, "inference.requests_per_s")
    said = []
    for bits in ("fp8", "bf16"):
        try:
            made = asked.planned({"cluster.gpus": gpus, "inference.precision": bits})
        except InputError:
            made = None
        one = reading.chosen(made) if made and made.recommendation.verdict != "infeasible" else None
        if made is None or one is None or one.serving is None:
            said.append(f"{bits.upper()} on {gpus:,}: does not do.")
            continue
        carries = made.sizing.carries_requests_per_s if made.sizing else None
        able = f", carries {figures.significant(carries)} requests a second" if carries else ""
        said.append(
            f"{bits.upper()} on {gpus:,}: {figures.usd(one.usd_per_month)} a month, first token "
            f"{figures.seconds(one.serving.ttft_s)}"
            f"{able}."
        )
    known = (
        f"Your load is {load:g} a second."
        if load
        else "Whether that carries your peak hangs on requests a second, which nobody said: say them."
    )
    return [
        *said,
        known,
        "8 bits lose little quality with most models, 4 bits more; the plan does not count it: test your own answers.",
    ]


def own_split(asked: Asked) -> list[str]:
    """The sharding that the asker had in mind beside the one that was found, in time and cost."""
    best, kinds = asked.best, asked.words.get("strategies", {})
    wanted = next((value for word, value in kinds.items() if word in asked.text), None)
    if best is None or wanted is None:
        return []
    found = "The plan tried both, and many more, and took the quickest."
    experts = {"parallelism.ep": 1} if asked.mixture and reading.asked(asked.plan, "parallelism.ep") != 1 else {}
    alone = {"parallelism.strategy": wanted, "parallelism.tp": 1, "parallelism.pp": 1, "parallelism.cp": 1, **experts}
    made = asked.tried({**alone, "cluster.fabric": best.fabric}) or asked.tried({**alone})
    one = reading.candidate(made, best.fabric) if made else None
    name = figures.strategy(wanted)
    if one is None or one.step_time_s is None:
        return [found, f"{name} alone does not fit the memory or cannot be computed for this job."]
    waits = (
        f"{figures.percent(one.exposed_communication_percent)} of a step waits, not "
        f"{figures.percent(best.exposed_communication_percent)}"
    )
    time = (
        f", done in {figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}"
        if reading.ends(asked.plan)
        else ""
    )
    more = (
        "It gathers every expert's weights though a token uses few; sending tokens to their experts moves less."
        if asked.mixture
        else ""
    )
    return [f"Plain {name}: a step takes {lasts(slower(one, best))}{time}; {waits}.", *([more] if more else []), found]


_WEEKS = re.compile(r"(?<![\d.])(\d{1,3}) ?\+? ?(?:weeks|wks)\b")


def lead_time(asked: Asked) -> str | None:
    """A delivery time that is named against the deadline and the run."""
    named, best = [days for days in asked.amounts("time") if days >= 14], asked.best
    named += [7.0 * int(weeks) for weeks in _WEEKS.findall(asked.text)]
    days = reading.asked(asked.plan, "constraints.deadline_days")
    if not named or best is None or asked.plan.purchase is None:
        return None
    said = f"No: delivery is not in the date. With {figures.hours(24 * named[0])} before it"
    run = (
        f" the run of {figures.hours(best.run_hours)} ends {figures.hours(24 * named[0] + best.run_hours)} "
        "from the order"
        if best.run_hours
        else ""
    )
    late = (
        f", {'beyond' if 24 * named[0] + (best.run_hours or 0) > 24 * days else 'within'} the "
        f"{figures.hours(24 * days)}"
        if days
        else ""
    )
    return f"{said}{run}{late}. Today's lead times the plan does not know."


def in_the_switch(asked: Asked) -> list[str]:
    """What reduction in the switches (SHARP) saves of a step on InfiniBand, computed with and without it."""
    best = asked.best
    if best is None:
        return []
    if best.fabric == "none":
        return ["Nothing of this job crosses a network between nodes, so it gains nothing."]
    able = [c for c in usable(asked) if asked.catalog.fabrics[c.fabric].technology == "infiniband"]
    fabric = best.fabric if any(c.fabric == best.fabric for c in able) else able[0].fabric if able else None
    if fabric is None:
        return ["It exists on InfiniBand alone, and no InfiniBand does for this job."]
    steps = {}
    for on in (True, False):
        made = asked.tried({"cluster.fabric": fabric, "cluster.in_network_reduction": on})
        one = reading.candidate(made, fabric) if made else None
        if one is not None and one.step_time_s is not None:
            steps[on] = one
    if len(steps) < 2:
        return [f"The plan cannot tell it apart on {asked.name(fabric)}: only a test with it on and off does."]
    less = 100 * (1 - steps[True].median_step / steps[False].median_step)
    felt = f"{less:.1f} % of a step" if less >= 0.1 else "next to nothing"
    return [
        f"Here {felt}: {figures.seconds(steps[True].median_step)} with it, "
        f"{figures.seconds(steps[False].median_step)} without, on {asked.name(fabric)}.",
        "It speeds all-reduce of few and large sums; sharded training gathers and scatters, mostly behind "
        "the computing.",
        "It is InfiniBand's; on Ethernet there is none. Do not pay for it before a test with it on and off.",
    ]
