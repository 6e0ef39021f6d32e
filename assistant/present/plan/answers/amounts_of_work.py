"""More or less of the work than is planned: many runs a day, longer answers, fewer tokens, and what size loses."""

from __future__ import annotations

from math import ceil

from assistant.vocabulary.plan import Candidate

from ... import figures
from ...fields import value_text
from .. import reading
from .asked import Asked, money
from .operations import assumed
from .spending import sum_named
from .trials import line, why_not

_RUNS = "training.runs_per_day"
_TOKENS = "training.tokens"
_HOURS = 24.0
_FULL = 0.9  # of a day: what fills more leaves no room for loading or a run that fails
_MOST_RUNS = 100_000
_NEARLY = 1.15  # times as long


def runs_cover(asked: Asked) -> list[str]:
    """Whether the machines do so many runs a day, one after the other on a node each, and how many more would."""
    told = reading.asked(asked.plan, _RUNS)
    best, gpus = asked.best, reading.gpus(asked.plan)
    named = [n for n in asked.amounts("number") if 1 < n <= _MOST_RUNS and n != gpus]
    every: list[float] = [*([float(told)] if told else []), *named]
    counts = list(dict.fromkeys(every))[-2:]
    if best is None or not best.run_hours or not counts or not reading.ends(asked.plan) or not (told or _a_day(asked)):
        return []
    per = min(gpus, int(reading.asked(asked.plan, "cluster.gpus_per_node") or 8))
    alone = best if per == gpus else _alone(asked, per)
    if alone is None or not alone.run_hours:
        per, alone = gpus, best
    lanes = gpus // per
    hours = alone.run_hours or 0.0
    each = per * hours
    said = []
    for many in counts:
        share = many * hours / (lanes * _HOURS)
        does = "yes" if share <= _FULL else "hardly" if share <= 1 else "no"
        more = ""
        if share > _FULL:
            need = ceil(many * hours / (_FULL * _HOURS)) * per
            left = figures.hours(_HOURS * (share - 1))
            more = (
                f"; {need - gpus:,} GPUs more would, or {left} of it waits for the next day"
                if share > 1
                else f"; {need - gpus:,} GPUs more leave room"
            )
        said.append(
            f"{many:,g} a day: {does}, they fill {figures.percent(100 * share)} of it, "
            f"{figures.significant(many * each)} of {_HOURS * gpus:,.0f} GPU-hours{more}."
        )
    tokens = reading.asked(asked.plan, _TOKENS)
    of = f" of {_of_tokens(asked, tokens)} tokens" if tokens else ", of tokens that nobody said,"
    where = f"one node of {per}" if lanes > 1 else f"all {gpus}"
    return [
        *said,
        f"A run{of} takes {figures.hours(hours)} on {where}, {figures.significant(each)} GPU-hours"
        f"{f'; {lanes} nodes do {lanes} at once' if lanes > 1 else ''}.",
        "Loading model and data comes on top: for short runs count minutes each, and keep some GPUs free for peaks.",
    ]  # fmt: skip


def _of_tokens(asked: Asked, tokens: float) -> str:
    return value_text(_TOKENS, tokens, asked.catalog)


def _a_day(asked: Asked) -> bool:
    return any(word in asked.text for word in ("/day", "a day", "per day", "daily", "each day", "every day"))


def _alone(asked: Asked, per: int) -> Candidate | None:
    """The run on one node."""
    made = asked.tried({"cluster.gpus": per, "cluster.fabric": None, "budget.owned": None})
    return reading.chosen(made) if made is not None else None


def times_as_long(asked: Asked) -> list[str]:
    """Answers, or prompts, that are so many times as long as was said: time and money, and how the GPUs are shared."""
    best, times = asked.best, asked.times
    named = max((n for n in asked.amounts("number", "size", "sum", "large") if n >= _TOKENS_LONG), default=None)
    if best is None or not (named or (times and times > 1)):
        return []
    section = "inference" if reading.serves(asked.plan) else "rl"
    prompts = any(word in asked.text for word in ("prompt", "input", "context")) and section == "inference"
    names = ("prompt_tokens",) if prompts else _ANSWERS[section]
    paths = [f"{section}.{name}" for name in names]
    known = lambda path: reading.asked(asked.plan, path) or assumed(asked.plan, path)
    fields = {path: value for path in paths if (value := known(path))}
    if not fields:
        return []
    longest = max(fields.values())
    if named is not None and named > 1.05 * longest:
        times = named / longest  # "8k → 32k": the length that is named last
    if not times or times <= 1:
        return []
    change = {name: int(times * value) for name, value in fields.items()}
    told = f"{max(change.values()):,} tokens instead of {int(max(fields.values())):,}"
    made = asked.tried(change)
    one = reading.chosen(made) if made is not None else None
    if made is None or one is None or one.step_time_s is None:
        return [f"{told}: does not do on these GPUs. {why_not(asked, change)}".strip()]
    if reading.serves(asked.plan):
        return [f"{told}: {reading.gpus(made):,} GPUs instead of {reading.gpus(asked.plan):,}, {line(made, asked)}."]
    sums = f", {money(one)} instead of {money(best)}" if one.cost_usd and best.cost_usd else ""
    said = [
        f"{told}: {figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}{sums}; a step "
        f"{figures.seconds(one.median_step)} instead of {figures.seconds(best.median_step)}."
    ]
    then, now = one.learning, best.learning
    if then is not None and now is not None:
        share = [f"{figures.seconds(loop.generation_s)} writing" for loop in (then, now)]
        writes = f"; {then.rollout_gpus:,} GPUs write" if then.rollout_gpus else "; all GPUs take turns"
        said.append(
            f"{share[0]} instead of {share[1]} of it{writes}; {reading.gib(one):.3g} GiB on the fullest GPU instead of "
            f"{reading.gib(best):.3g}: fewer answers fit in memory at once."
        )
    return said


_TOKENS_LONG = 1000  # from which a number is a length of answers or prompts, and no factor
_ANSWERS = {"inference": ("output_tokens",), "rl": ("max_response_tokens", "response_tokens")}


def less_work(asked: Asked) -> list[str]:
    """The run with the tokens that are named: its sum beside the planned one, what is left of the budget, and whether
    it pays for a second."""
    tokens, now = asked.meant(_TOKENS), reading.asked(asked.plan, _TOKENS)
    best = asked.best
    if not tokens or not now or tokens == now or best is None or not best.run_hours or reading.serves(asked.plan):
        return []
    made = asked.tried({_TOKENS: tokens})
    one = reading.chosen(made) if made is not None else None
    if one is None or not one.run_hours:
        return []
    sums = f"{money(one)} instead of {money(best)}, " if one.cost_usd and best.cost_usd else ""
    said = (
        f"{_of_tokens(asked, tokens)} tokens: {sums}{figures.hours(one.run_hours)} instead of "
        f"{figures.hours(best.run_hours)}."
    )
    limit = reading.asked(asked.plan, "budget.usd") or sum_named(asked)
    if not limit or not one.cost_usd:
        return [said]
    left = limit - one.cost_usd.p50
    twice = 2 * one.cost_usd.p50 <= limit
    sure = 2 * one.cost_usd.p90 <= limit
    verdict = "Yes" if sure else "Yes, in the middle of the cases" if twice else "No"
    return [
        f"{verdict}: of {figures.usd(limit)} {figures.usd(max(0.0, left))} are left after one run, and two cost "
        f"{figures.usd(2 * one.cost_usd.p50)} ({figures.usd(2 * one.cost_usd.p90)} if both go badly).",
        said,
    ]


def scale_lost(asked: Asked) -> list[str]:
    """What a large number of GPUs loses: the part of a step that waits, the time lost to failures, and how much less
    each GPU does than on fewer."""
    best, gpus = asked.best, reading.gpus(asked.plan)
    if best is None or not best.run_hours or not best.tokens_per_s_per_gpu or reading.serves(asked.plan):
        return []
    kept = best.effective_time_percent
    failed = f", {100 - kept.p50:.1f} % of the time goes to failures and checkpoints" if kept else ""
    mfu = f"; {100 * best.mfu:.0f} % MFU is left" if best.mfu else ""
    said = [
        f"{figures.percent(best.exposed_communication_percent)} of a step waits for communication{failed}{mfu}: "
        "computed for this size, not taken as linear."
    ]
    made = _fewer(asked, gpus)
    if made is not None:
        size, one = made
        # another split may do better than the next size
        ratio = best.tokens_per_s_per_gpu / (one.tokens_per_s_per_gpu or best.tokens_per_s_per_gpu)
        cost = f", {money(one)} instead of {money(best)}" if one.cost_usd and best.cost_usd else ""
        each = "" if ratio > 1 else f": each GPU of the {gpus:,} does {100 * ratio:.0f} % of what one of those does"
        nearly = (one.run_hours or 0.0) < _NEARLY * best.run_hours
        said.append(
            f"{'Nearly as fast' if nearly else 'Not as fast'} on {size:,}: {figures.hours(one.run_hours)} instead of "
            f"{figures.hours(best.run_hours)}{cost}{each}."
        )
    return [*said, "Stragglers and the batch that learns well at that size are not in it: ask for a test on all nodes."]


def _fewer(asked: Asked, gpus: int) -> tuple[int, Candidate] | None:
    """The job on the number of GPUs that is named, or the next that it can be split over; else on a quarter."""
    per = int(reading.asked(asked.plan, "cluster.gpus_per_node") or 8)
    named = next((int(n) for n in asked.amounts("number") if per <= n < gpus), gpus // 4)
    for share in (1.0, 1.024, 0.96):  # 6,144 where 6,000 cannot be split
        size = round(named * share / per) * per
        made = asked.tried({"cluster.gpus": size, "cluster.fabric": None})
        one = reading.chosen(made) if made is not None else None
        if one is not None and one.run_hours and one.tokens_per_s_per_gpu:
            return size, one
    return None
