"""Reinforcement learning: which phase a step waits for, the weights between them, other ways to share the GPUs."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from assistant.vocabulary.plan import Candidate, Plan

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower
from .networks import time_parts
from .operations import assumed

_BIT = 0.05  # of a step: less is no reason for another network


def phases(asked: Asked) -> list[str]:
    """The phase that takes most of a step, and the others beside it; of other training the parts of a step."""
    best = asked.best
    loop = best.learning if best else None
    if best is None or loop is None:
        return time_parts(asked)
    name, most, other, less = "Writing the answers", loop.generation_s, "training", loop.training_side_s
    if less > most:
        name, most, other, less = "Training", less, "writing the answers", most
    beside = "at the same time" if loop.at_once else f"{100 * less / best.median_step:.0f} %"
    return [
        f"{name}: {figures.seconds(most)} of a step of {figures.seconds(best.median_step)} "
        f"({100 * most / best.median_step:.0f} %); {other} with what is computed beside it {figures.seconds(less)} "
        f"({beside}).",
        *(_shorter(asked, best) if asked.says("of_slowness") else ()),
        *_written(asked),
        "Writing is bound by memory: for each token all the weights are read. An estimate: five steps show it.",
        *_tail(loop.alone_s, loop.generation_s),
    ]


def _written(asked: Asked) -> list[str]:
    """How many tokens a step writes."""
    value = lambda field: reading.asked(asked.plan, f"rl.{field}") or assumed(asked.plan, f"rl.{field}")
    prompts, each, length = value("prompts_per_step"), value("samples_per_prompt"), value("response_tokens")
    if not prompts or not each or not length:
        return []
    many = figures.significant(prompts * each * length / 1e6)
    return [f"A step writes {many} million tokens: {prompts * each:,.0f} answers of {length:,.0f} in the mean."]


def _tail(alone: float, whole: float) -> list[str]:
    if alone < _BIT * whole:
        return []
    return [f"For {figures.seconds(alone)} of that fewer than a tenth are still being written: the long ones."]


def phases_network(asked: Asked) -> str | None:
    """What the network has to do with it."""
    best = asked.best
    if best is None or best.learning is None or best.fabric == "none":
        return None
    share = figures.percent(best.exposed_communication_percent)
    return f"The network is not it: {share} of a step waits for it on {asked.name(best.fabric)}."


def weight_sync(asked: Asked) -> list[str]:
    """How long new weights take to who writes the answers, on the plan's network and on what was named or is plain."""
    best = asked.best
    if best is None or best.learning is None:
        return []
    loop, seconds = best.learning, _sync(best)
    if seconds is None:
        return ["Nothing is sent: who trains and who writes the answers hold the same weights."]
    share = figures.percent(100 * seconds / best.median_step)
    much = f", {loop.weight_sync_gb:,.0f} GB into each node" if loop.weight_sync_gb >= 1 else ""
    way = f" ({loop.weight_sync})" if loop.weight_sync else ""
    named = (reading.candidate(asked.plan, fabric) for fabric in asked.fabrics)
    others = [c for c in (*named, _plainest(asked.plan, asked)) if c is not None and c is not best]
    other = next((c for c in others if _sync(c) is not None), None)
    said = [f"{figures.seconds(seconds)} a step on {asked.name(best.fabric)}{way}, {share} of it{much}."]
    if other is not None:
        said.append(
            f"On {asked.name(other.fabric)}: {figures.seconds(_sync(other))}, {_part(_sync(other), other)} of a step."
        )
    return said


def _sync(found: Candidate) -> float | None:
    return found.learning.weight_sync_s.get(found.learning.weight_sync or "") if found.learning else None


def _part(seconds: float | None, found: Candidate) -> str:
    return figures.percent(100 * (seconds or 0.0) / found.median_step)


def _plainest(plan: Plan, asked: Asked) -> Candidate | None:
    """The quickest plain Ethernet that was computed."""
    plain = [c for c in plan.candidates if c.step_time_s and asked.catalog.fabrics[c.fabric].technology == "tcp"]
    return min(plain, key=lambda c: c.median_step, default=None)


def at_once(asked: Asked) -> list[str]:
    """The two phases at the same time: time and money, and how far plain Ethernet is then."""
    best = asked.best
    if best is None or best.learning is None:
        return []
    if best.learning.at_once:
        return ["They run at the same time already.", *phases(asked)]
    gpus = reading.gpus(asked.plan)
    change: dict[str, Any] = {"rl.asynchronous": True, "rl.rollout_gpus": _rollouts(asked) or gpus // 2}
    made = asked.tried(change)
    one = reading.chosen(made) if made else None
    if made is None or one is None:
        return ["Writing answers while training runs does not do on these GPUs as asked."]
    said = [f"Asynchronous, {change['rl.rollout_gpus']:,} of {gpus:,} GPUs writing: {_sums(one)}, now {_sums(best)}."]
    plain = next((c for f in asked.fabrics if (c := reading.candidate(made, f)) and c.step_time_s), None)
    plain = plain or _plainest(made, asked)
    if plain is None or plain is one:
        return said
    more, cost = slower(plain, one), ""
    if plain.cost_usd and one.cost_usd:
        less = one.median_cost - plain.median_cost
        cost = f", {figures.usd(abs(less))} {'less' if less > 0 else 'more'}"
    enough = "Yes, plain Ethernet is enough for the time" if more < 100 * _BIT else "No, plain Ethernet is felt"
    return [f"{enough}: on {asked.name(plain.fabric)} a step then takes {lasts(more)}{cost}.", *said]


def _sums(found: Candidate) -> str:
    return f"{figures.hours(found.run_hours)}, {money(found)}"


def _rollouts(asked: Asked) -> int | None:
    """The GPUs that were named to write answers."""
    said = asked.said.fields.get("rl.rollout_gpus")
    if isinstance(said, int):
        return said
    gpus = reading.gpus(asked.plan)
    parts = [int(n) for n in asked.amounts("number") if 1 <= n < gpus]
    return next((one for one, other in pairwise(parts) if one + other == gpus), None)


def shared(asked: Asked) -> list[str]:
    """GPUs that only write answers beside GPUs that only train, against taking turns."""
    best = asked.best
    if best is None or best.learning is None:
        return []
    gpus = reading.gpus(asked.plan)
    loop = best.learning
    now = f"{loop.rollout_gpus:,} GPUs write" if loop.rollout_gpus else f"all {gpus:,} GPUs take turns"
    said = [f"Planned: {now}, {_sums(best)}."]
    many = _rollouts(asked) or gpus // 2
    for name, change in (("in turn", {}), ("at the same time", {"rl.asynchronous": True})):
        made = asked.tried({"rl.rollout_gpus": many, **change})
        one = reading.chosen(made) if made else None
        split = f"{many:,} for answers and {gpus - many:,} for training, {name}"
        if one is None:
            said.append(f"{split}: does not do here.")
            continue
        sync = _sync(one)
        waits = f"; new weights take {figures.seconds(sync)}, {_part(sync, one)} of a step" if sync else ""
        said.append(f"{split}: {_sums(one)} on {asked.name(one.fabric)}{waits}.")
    return said


def _shorter(asked: Asked, best: Candidate) -> list[str]:
    """What a step gains of answers half as long, and of twice the GPUs; what the weights between the phases take."""
    field = "rl.response_tokens"
    length = reading.asked(asked.plan, field) or assumed(asked.plan, field)
    sync = _sync(best)
    told = [f"weights between them {figures.seconds(sync)}" if sync else "weights between them nothing"]
    for name, change in (
        ("answers half as long", {field: int(length / 2)} if length else None),
        ("twice the GPUs", {"cluster.gpus": 2 * reading.gpus(asked.plan)}),
    ):
        made = asked.tried(change) if change else None
        one = reading.chosen(made) if made else None
        if one is not None and one.step_time_s and one.learning is not None:
            told.append(f"with {name} a step takes {figures.seconds(one.median_step)}")
    return [f"{told[0][:1].upper()}{'; '.join(told)[1:]}."]
