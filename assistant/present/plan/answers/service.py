"""A service: a spare beside what its load takes, and which of its targets goes first when the load rises."""

from __future__ import annotations

from math import ceil

from assistant.vocabulary.plan import ServingFigures
from assistant.vocabulary.quantities import times

from ... import figures
from .. import reading
from .asked import Asked, money

_NEARLY = 0.98  # of the most that is carried


def spare(asked: Asked) -> str | None:
    """GPUs and money with one machine more than the job takes."""
    best, gpus = asked.best, reading.gpus(asked.plan)
    if best is None:
        return asked.plan.recommendation.smallest_change
    per = _node(asked)
    nodes = ceil(gpus / per)
    more = f"With a spare node of {per}: {gpus + per:,} GPUs, {nodes + 1:,} nodes"
    served = best.serving
    if served is not None and served.gpus_per_copy < per and nodes * per >= gpus + served.gpus_per_copy:
        more = f"A spare copy of {served.gpus_per_copy} GPUs fits in the {nodes:,} nodes; {more[:1].lower()}{more[1:]}"
    return f"{more}{_price(asked, per)}."


def _node(asked: Asked) -> int:
    said = reading.asked(asked.plan, "cluster.gpus_per_node")
    assumed = next((a.value for a in asked.plan.assumptions if a.field == "cluster.gpus_per_node"), None)
    return int(said or assumed or 8)


def _price(asked: Asked, per: int) -> str:
    """What so many GPUs more cost at the same price of each."""
    best, gpus, bought = asked.best, reading.gpus(asked.plan), asked.plan.purchase
    if bought is not None and bought.gpus_there:
        return "; those beyond what is there have to be bought"
    if bought is not None:
        return f", about {figures.usd(per * bought.usd_per_gpu)} more to buy"
    if best is None or best.cost_usd is None:
        return ""
    what = " a month" if not reading.ends(asked.plan) else " for the run"
    sum_ = best.cost_usd.p50 * (gpus + per) / gpus
    return f", about {figures.usd(sum_)}{what} instead of {money(best)}"


def spare_now(asked: Asked) -> str | None:
    """Whether what is planned has one already."""
    best, found, gpus = asked.best, asked.plan.sizing, reading.gpus(asked.plan)
    if best is None:
        return None
    load = reading.asked(asked.plan, "inference.requests_per_s")
    served = best.serving
    if found is None or served is None or not load or not found.carries_requests_per_s:
        return f"The plan counts {gpus:,} GPUs without a spare."
    copies, carries = served.copies, found.carries_requests_per_s
    down = max(1, _node(asked) // served.gpus_per_copy)
    left = carries * max(0, copies - down) / copies
    holds = "so a spare node is in it" if left >= load else "so no spare node is in it"
    most = figures.significant(carries)
    return (
        f"Now: {gpus:,} GPUs carry up to {most} requests a second for your {load:g}, with a node down about "
        f"{figures.significant(left)}: {holds}."
    )


def first_target(asked: Asked) -> str | None:
    """The target that is missed first at the same GPUs when the load rises."""
    best = asked.best
    if best is None or best.serving is None:
        return None
    targets = _targets(asked)
    if not targets:
        return "You named no target: say the time to the first token and per token that users may wait."
    full = _at_most(asked)
    served = full or best.serving
    first = max(targets, key=lambda name: _value(served, name) / targets[name])
    when = f" at {figures.significant(served.requests_per_s)} requests a second" if full is not None else ""
    told = f"{figures.seconds(_value(served, first))} of {figures.seconds(targets[first])}"
    return f"{first} goes first:{when} it is {told}."


def _targets(asked: Asked) -> dict[str, float]:
    """Seconds of the targets that were named."""
    said = {"The first token": "ttft_ms", "The time per token": "tpot_ms"}
    found = {name: reading.asked(asked.plan, f"inference.{field}") for name, field in said.items()}
    return {name: value / 1000 for name, value in found.items() if value}


def _value(served: ServingFigures, name: str) -> float:
    return served.ttft_s if name == "The first token" else served.tpot_s


def _at_most(asked: Asked) -> ServingFigures | None:
    """The figures of the same GPUs at nearly the most that they carry."""
    found, load = asked.plan.sizing, reading.asked(asked.plan, "inference.requests_per_s")
    if found is None or not load or found.carries_requests_per_s <= load:
        return None
    tried = asked.tried({"inference.requests_per_s": _NEARLY * found.carries_requests_per_s})
    one = reading.chosen(tried) if tried else None
    same = tried is not None and reading.gpus(tried) == reading.gpus(asked.plan)
    return one.serving if one is not None and same else None


def first_target_why(asked: Asked) -> str | None:
    """How near each target is now."""
    best, targets = asked.best, _targets(asked)
    if best is None or best.serving is None or not targets:
        return None
    served = best.serving
    near = [
        f"{name[:1].lower()}{name[1:]} {figures.seconds(_value(served, name))} of {figures.seconds(target)}"
        for name, target in targets.items()
    ]
    return f"Now: {', '.join(near)}."


def first_target_limit(asked: Asked) -> str | None:
    """Up to which load both hold."""
    found, load = asked.plan.sizing, reading.asked(asked.plan, "inference.requests_per_s")
    if found is None or not load or not found.carries_requests_per_s:
        return None
    most = found.carries_requests_per_s
    return f"These GPUs hold both up to {figures.significant(most)} requests a second, {times(most / load)} your load."


def node_lost(asked: Asked) -> list[str]:
    """The service with one machine less at the same load."""
    best, load = asked.best, reading.asked(asked.plan, "inference.requests_per_s")
    if best is None or best.serving is None:
        return []
    gpus, per = reading.gpus(asked.plan), _node(asked)
    left = gpus - per
    if left <= 0:
        return [f"No: it is one machine of {gpus:,} GPUs, and without it nothing is served."]
    made = asked.tried({"cluster.gpus": left})
    one = reading.chosen(made) if made else None
    if made is None or one is None or one.serving is None or reading.gpus(made) > left:
        found = asked.plan.sizing
        carries = left / gpus * found.carries_requests_per_s if found else 0.0
        holds = f", about {figures.significant(carries)} of {load:g} requests a second" if carries and load else ""
        return [f"No: the {left:,} GPUs that are left do not hold the targets at this load{holds}.", *_one_more(asked)]
    targets = _targets(asked) or dict.fromkeys(("The first token", "The time per token"), 0.0)
    times = (
        f"{name[:1].lower()}{name[1:]} {figures.seconds(_value(one.serving, name))}"
        f"{f' of {figures.seconds(target)}' if target else ''}"
        for name, target in targets.items()
    )
    carries = one.serving.carries_requests_per_s or (made.sizing.carries_requests_per_s if made.sizing else 0.0)
    most = f"; they carry up to {figures.significant(carries)} requests a second" if carries else ""
    of_load = f" at {load:g} requests a second" if load else ""
    return [f"Yes: with a node of {per} down, {left:,} GPUs are left{of_load}: {', '.join(times)}{most}."]


def _one_more(asked: Asked) -> list[str]:
    """With how many GPUs a machine may be lost, and what they cost: those that do when it is, and one machine more."""
    gpus, per = reading.gpus(asked.plan), _node(asked)
    for more in (1, 2, 3):
        size = gpus + per * more
        left = asked.tried({"cluster.gpus": size - per})
        if left is not None and asked.best is not None:
            return [f"With {size:,} one may be lost{_price(asked, per * more)}."]
    return []


def node_lost_now(asked: Asked) -> str | None:
    """What was in flight on it, and how much the planned ones hold."""
    best = asked.best
    if best is None or best.serving is None or reading.gpus(asked.plan) <= _node(asked):
        return None
    return "What the lost node was answering fails and is asked again: the plan counts a steady state, not that minute."


def tail(asked: Asked) -> list[str]:
    """Whether the times are of the mean or of the slow few."""
    best = asked.best
    served = best.serving if best else None
    if served is None:
        return []
    first, low, high = map(figures.seconds, (served.ttft_s, served.ttft_s_p10, served.ttft_s_p90))
    target = reading.asked(asked.plan, "inference.ttft_ms")
    of = f" of your {figures.seconds(target / 1000)}" if target else ""
    return [
        f"No p50, p95 or p99: {first}{of} to the first token is of the mean request, computed.",
        f"{low} to {high} is how far we may be off, not how requests differ: bursts wait longer.",
        "For a p99 in a contract load-test one copy with your own prompts at peak rate, and keep a reserve until then.",
    ]


def user_speed(asked: Asked) -> str | None:
    """How fast an answer runs for one user."""
    best = asked.best
    served = best.serving if best else None
    if served is None:
        return None
    rate = 1 / served.tpot_s
    reads = asked.words["reads"]
    felt = "slower than most people read" if rate < reads else "about as fast as one reads" if rate < 2 * reads else ""
    return (
        f"Each user gets {figures.significant(rate)} tokens a second{f', {felt}' if felt else ''}, the first after "
        f"{figures.seconds(served.ttft_s)}."
    )


def tail_reserve(asked: Asked) -> str | None:
    """How much of the most that is carried the load takes."""
    found, load = asked.plan.sizing, reading.asked(asked.plan, "inference.requests_per_s")
    if found is None or not load or not found.carries_requests_per_s:
        return None
    share = load / found.carries_requests_per_s
    return f"Your load is {share:.0%} of what these GPUs carry; queues grow steeply near all of it."


def serving_need(asked: Asked) -> list[str]:
    """Whether serving the model beside the training needs the network: the same model served on one node."""
    if reading.serves(asked.plan):
        return []
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]].name
    made = asked.tried({"workload": "inference", "cluster.gpus": per, "cluster.fabric": None})
    best = reading.chosen(made) if made else None
    if made is None or best is None or best.serving is None:
        return [f"A copy does not fit one node of {per} {gpu}: served over several it would cross the network."]
    size = figures.counted(best.serving.gpus_per_copy, "GPU", "GPUs")
    if best.fabric != "none":
        return [f"A copy takes {size}: between nodes it needs {asked.name(best.fabric)} as well."]
    own = asked.best
    train = ""
    if own is not None and own.fabric != "none":
        waits = figures.percent(own.exposed_communication_percent)
        train = f" The network is for the training, where {waits} of a step waits for it even so."
    return [
        f"No: a copy takes {size} of one node, so only requests and answers cross: any Ethernet will do.{train}",
        f"One node holds {figures.counted(best.serving.copies, 'copy', 'copies')}, "
        f"{figures.significant(best.serving.output_tokens_per_s)} output tokens a second.",
    ]
