"""Beside figures of other people: why theirs differ, what their sum would buy, what a second place must cost."""

from __future__ import annotations

from typing import Any

from assistant.vocabulary.plan import Candidate

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable

_DAYS = 2  # lengths of others that are told
_POSSIBLE = 0.65  # of a GPU's peak: nothing published on BF16 reaches more
_A_NODE = 8


def spread(asked: Asked) -> list[str]:
    """Our own length, and the share of the GPUs' peak that the lengths of others would take."""
    best = asked.best
    if best is None or best.run_hours is None or asked.run is None:
        return []
    middle, quick, slow = asked.run
    ours = f"Ours: {middle}, {quick} to {slow} in eight of ten cases"
    if not best.mfu or best.learning is not None:  # most of a step of RL is no training
        return [f"{ours}."]
    said = [f"{ours}, at {best.mfu:.0%} of the GPUs' peak (MFU)."]
    lengths = sorted(days for days in _lengths(asked) if days > 0)[:_DAYS]
    shares = [(days, best.mfu * best.run_hours / (24 * days)) for days in lengths]
    told = [f"{days:g} days would take {share:.0%}{_judged(share, best)}" for days, share in shares]
    return [*said, *([f"{', '.join(told)}."] if told else [])]


def _lengths(asked: Asked) -> list[float]:
    """Days that others claim; a bare number beside a length is one as well."""
    times = [days for days in asked.amounts("time") if days > 0]
    bare = [n for n in asked.amounts("number") if times and n > 1 and times[0] / 10 < n < 10 * times[0]]
    return list(dict.fromkeys([*times, *bare]))


def _judged(share: float, best: Candidate) -> str:
    """How likely such a share is."""
    if share > _POSSIBLE:
        return " (more than anybody publishes)"
    quick, slow = reading.run_band(best)
    hours = (best.mfu or 0.0) * (best.run_hours or 0.0) / share
    return " (within our range)" if quick <= hours <= slow else " (outside it)"


def spread_from(asked: Asked) -> str | None:
    if asked.best is None or not reading.ends(asked.plan):
        return None
    return (
        "Such a spread comes from number format, kernels, recomputation, the split and failures: ask each for MFU and "
        "format; 20 steps decide it."
    )


def dearer(asked: Asked) -> list[str]:
    """What makes this job cost what it does, and what a smaller sum would buy of it."""
    best = asked.best
    if best is None or best.cost_usd is None or reading.serves(asked.plan):
        return []
    rate = best.cost_usd.p50 / (reading.gpus(asked.plan) * (best.run_hours or 1.0))
    hours = figures.significant(reading.gpus(asked.plan) * (best.run_hours or 0.0))
    full = "" if _adapters(asked) else ", every weight trained"
    tokens = reading.asked(asked.plan, "training.tokens")
    work = f" for {figures.significant(tokens / 1e6)} million tokens{full}" if tokens else full
    said = [f"Ours: {money(best)}, {hours} GPU-hours at {figures.usd(rate)}{work}."]
    theirs = next((usd for usd in asked.amounts("money") if usd > 0), None)
    each = reading.usd_per_million_tokens(asked.plan, best)
    if theirs and each and tokens:
        buys = theirs / each
        far = "more than the whole job" if 1e6 * buys > tokens else f"{1e6 * buys / tokens:.0%} of it"
        said.append(f"For {figures.usd(theirs)} it trains {figures.significant(buys)} million tokens, {far}.")
    return [said[0], *_with_adapters(asked), *said[1:]]


def _adapters(asked: Asked) -> bool:
    return reading.asked(asked.plan, "training.method") in ("lora", "qlora")


def _with_adapters(asked: Asked) -> list[str]:
    """The same tokens with adapters on a node."""
    if _adapters(asked):
        return ["It trains adapters only already: what is left is fewer tokens, or a cheaper GPU-hour."]
    if reading.asked(asked.plan, "workload") != "finetuning":
        return ["Such a sum is usually of fewer tokens, a smaller model, or a GPU-hour far below the lists."]
    change: dict[str, Any] = {"training.method": "lora", "cluster.gpus": _A_NODE}
    made = asked.tried(change)
    one = reading.chosen(made) if made else None
    if one is None or not one.cost_usd:
        return ["A small sum is usually adapters (LoRA) on few GPUs, or far fewer tokens."]
    sums = f"{money(one)}, done in {figures.hours(one.run_hours)}"
    return [f"Most likely theirs are adapters (LoRA) or fewer tokens: with LoRA on {_A_NODE} GPUs this is {sums}."]


def second_place(asked: Asked) -> list[str]:
    """What the next network would have to cost to come first, machines and network together."""
    best = asked.best
    if best is None or best.cost_usd is None:
        return []
    others = [c for c in usable(asked) if c is not best and c.cost_usd and c.verdict == "acceptable"]
    named = [c for c in others if c.fabric in asked.fabrics]
    runner = reading.candidate(asked.plan, asked.plan.recommendation.runner_up)
    known = runner if runner is not None and runner.cost_usd else None
    other = next(iter(named), None) or known or min(others, key=lambda c: c.median_cost, default=None)
    if other is None or not other.cost_usd:
        return ["No second network has a known price here; say what you are quoted and I compare it."]
    less = other.median_cost - best.median_cost
    what, name = reading.bill(asked.plan), asked.name(other.fabric)
    if less <= 0:
        why = [one.because for one in asked.plan.findings if one.fabric == other.fabric and one.conclusion == "avoid"]
        reason = f": {why[0]}" if why else ", within the error"
        said = f"{name} costs no more already, {money(other)} against {money(best)}"
        return [f"{said}; price does not decide{reason.rstrip('.')}."]
    share = f"{100 * less / other.median_cost:.2g} %"
    return [
        f"Second is {name}: {money(other)} for {what}. Below {money(best)}, {figures.usd(less)} ({share}) less, it "
        f"comes first; each step {lasts(slower(other, best))}.",
        *_per_hour(asked, best, other),
    ]


def _per_hour(asked: Asked, best: Candidate, other: Candidate) -> list[str]:
    """The same as a price of the GPU-hour."""
    gpus = reading.gpus(asked.plan)
    if not other.run_hours or not best.cost_usd or not other.cost_usd or not reading.ends(asked.plan):
        return []
    now, even = (c.median_cost / (gpus * other.run_hours) for c in (other, best))
    return [f"Per GPU-hour with its network: {figures.usd(even)} or less instead of {figures.usd(now)}."]


def apart(asked: Asked) -> list[str]:
    """Two networks in days and dollars and nothing else."""
    best = asked.best
    named = [c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) is not None and c.step_time_s]
    pair = named[:2] if len(named) > 1 else [*(c for c in named if c is not best), _rival(asked, named, best)]
    if len(pair) < 2 or pair[0] is None or pair[1] is None:
        return []
    one, other = pair
    names = f"{asked.name(one.fabric)} against {asked.name(other.fabric)}"
    return [f"{names}: {_time_apart(asked, one, other)}; {_money_apart(asked, one, other)}."]


def _rival(asked: Asked, named: list[Candidate], best: Candidate | None) -> Candidate | None:
    """What a network that is named alone is held against: the recommended, InfiniBand where both are Ethernet."""
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    if not named or best is None or "infiniband" in (kind(named[0]), kind(best)) or kind(best) in ("none", "wan"):
        return best
    others = [c for c in asked.plan.candidates if c.step_time_s and c.fits is not False and kind(c) == "infiniband"]
    return min(others, key=lambda c: (c.median_step, c.median_cost), default=best)


def _time_apart(asked: Asked, one: Candidate, other: Candidate) -> str:
    if not reading.ends(asked.plan) or one.run_hours is None or other.run_hours is None:
        return f"a token takes {lasts(slower(one, other))}"
    more = one.run_hours - other.run_hours
    if abs(more) < reading.APART * other.run_hours:
        return f"no difference in time (both {figures.hours(other.run_hours)})"
    how = "longer" if more > 0 else "shorter"
    return f"{figures.hours(abs(more))} {how} ({figures.hours(one.run_hours)}, {figures.hours(other.run_hours)})"


def _money_apart(asked: Asked, one: Candidate, other: Candidate) -> str:
    unknown = [c for c in (one, other) if not c.cost_usd]
    if unknown:
        known = next((c for c in (one, other) if c.cost_usd), None)
        sums = f" ({asked.name(known.fabric)}: {money(known)})" if known else ""
        return f"dollars unknown, nobody quotes {' or '.join(asked.name(c.fabric) for c in unknown)} here{sums}"
    more = one.median_cost - other.median_cost
    return f"{figures.usd(abs(more))} {'more' if more >= 0 else 'less'} ({money(one)}, {money(other)})"
