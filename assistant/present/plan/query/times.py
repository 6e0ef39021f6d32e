"""Figures in time: of the run, of a step and its parts, of failures."""

from __future__ import annotations

import datetime
from functools import partial
from math import ceil, exp, sqrt

from ... import figures
from .. import reading
from ..answers.operations import PER_NODE, RESTART, STOP, assumed, nodes
from ..answers.schedule import first_day
from .figure import Figure, Subject

_HOURS_PER_DAY = 24.0
_SECONDS = 3600.0
_DAY = 86_400.0
_PER_NODE = "cost-failures-per-node"
_SPREAD = "cost-failures-spread"


def steps(of: Subject) -> Figure | None:
    """Of the run."""
    given = [_given(of, f"training.{name}") for name in ("tokens", "global_batch", "sequence_length")]
    tokens, batch, length = given
    if not (tokens and batch and length):
        return None
    how = f"{figures.significant(tokens / 1e9)} billion tokens at {batch:,} × {length:,} a step."
    return Figure(tokens / (batch * length), "steps", how=(how,))


def _given(of: Subject, field: str):
    said = reading.asked(of.plan, field)
    return said if said is not None else next((a.value for a in of.plan.assumptions if a.field == field), None)


def duration(of: Subject) -> Figure | None:
    if not reading.ends(of.plan) or of.found.run_hours is None:
        return None
    quick, slow = reading.run_band(of.found)
    many, step = steps(of), of.found.step_time_s
    how = f"{many.written()} of {figures.seconds(step.p50)}, failures and checkpoints on top." if many and step else ""
    return Figure(of.found.run_hours, "hours", quick, slow, (how,) if how else ())


def finish(of: Subject) -> Figure | None:
    """The day on which it ends if it starts today."""
    long = duration(of)
    if long is None:
        return None
    named = (a.value for a in of.asked.said.amounts if isinstance(a.value, datetime.date) and "start" in of.asked.text)
    start = next(named, None) or first_day(of.asked)
    day = lambda hours: start.toordinal() + ceil(hours / _HOURS_PER_DAY)
    when = "today" if start == of.asked.today else f"on {reading.day(start.isoformat())}"
    how = f"Started {when} it takes {long.written()}."
    return Figure(day(long.value), "day", day(long.low or 0.0), day(long.high or 0.0), (how,))


def slack(of: Subject) -> Figure | None:
    """Between the end and the deadline; below nothing where it is missed."""
    days, long = reading.asked(of.plan, "constraints.deadline_days"), duration(of)
    if not days or long is None:
        return None
    left = lambda hours: _HOURS_PER_DAY * days - hours
    how = f"{days:g} days less {long.written()}."
    return Figure(left(long.value), "hours", left(long.high or 0.0), left(long.low or 0.0), (how,))


def step(of: Subject) -> Figure | None:
    return Figure.of(of.found.step_time_s, "seconds")


def wait_share(of: Subject) -> Figure | None:
    share = reading.waited(of.plan, of.found)
    if share is None:
        return None
    parts = _crossing(of)
    return Figure(share, "percent", how=(f"Of a step: {parts}.",) if parts else ())


_CROSSING = {"tp": "tensor parallel", "cp": "context parallel", "ep": "all-to-all of the experts", "pp_p2p": "between "
             "pipeline stages", "dp": "gradients and shards"}  # fmt: skip


def _crossing(of: Subject) -> str:
    """The exposed parts of a step, the longest first."""
    parts = of.found.breakdown_s.model_dump() if of.found.breakdown_s else {}
    told = sorted(((parts[name], text) for name, text in _CROSSING.items() if parts.get(name)), reverse=True)
    return ", ".join(f"{text} {figures.seconds(seconds)}" for seconds, text in told[:3])


def wait_step(of: Subject) -> Figure | None:
    share, step_ = reading.waited(of.plan, of.found), of.found.step_time_s
    if share is None or step_ is None or reading.serves(of.plan):
        return None
    parts = _crossing(of)
    how = [f"{figures.percent(share)} of {figures.seconds(step_.p50)}.", *([f"Of it: {parts}."] if parts else [])]
    return Figure(share / 100 * step_.p50, "seconds", how=tuple(how))


def wait_run(of: Subject) -> Figure | None:
    share, long = reading.waited(of.plan, of.found), duration(of)
    if share is None or long is None:
        return None
    return Figure(share / 100 * long.value, "hours", how=(f"{figures.percent(share)} of {long.written()}.",))


def part(of: Subject, name: str) -> Figure | None:
    """A part of a step: its exposed seconds and its share."""
    parts = of.found.breakdown_s.model_dump() if of.found.breakdown_s else {}
    seconds, whole = parts.get(name), of.found.step_time_s.p50 if of.found.step_time_s else 0.0
    if not whole or seconds is None:
        return None
    nothing = "What of it computing hides is not in that." if seconds else "Computing hides it, or there is none of it."
    share = f"{figures.percent(100 * seconds / whole)} of a step of {figures.seconds(whole)}."
    return Figure(seconds, "seconds", how=(share, nothing) if name in _CROSSING else (share,))


def failures(of: Subject, days: float | None = None) -> Figure | None:
    """How often something fails that stops the job: in the run, or in so many days."""
    rate, long = _rate(of), duration(of)
    source = of.asked.catalog.constants[_PER_NODE].source.removeprefix("derived: ")
    if rate is None or (days is None and long is None):
        return None
    per_day, far = rate * nodes(of.plan), exp(of.asked.catalog.constants[_SPREAD].value)
    span = days if days is not None else (long.value if long else 0.0) / _HOURS_PER_DAY
    many = per_day * span
    machines = figures.counted(round(nodes(of.plan)), "node", "nodes")
    how = (
        f"{figures.significant(rate, 2)} per node and day ({source}) on {machines}; "
        f"other clusters had {far:.1f} times as many or as few. They are counted in the end of the run."
    )
    return Figure(many, "failures", how=(how,))


def _rate(of: Subject) -> float | None:
    said = assumed(of.plan, PER_NODE)
    return said if said is not None else of.asked.catalog.constants[_PER_NODE].value


def between_failures(of: Subject) -> Figure | None:
    a_day = failures(of, 1.0)
    if a_day is None or not a_day.value:
        return None
    return Figure(_HOURS_PER_DAY / a_day.value, "hours", how=a_day.how)


def interval(of: Subject) -> Figure | None:
    """Between checkpoints, where the work that is lost and the time of saving are least (Young 1974)."""
    rate, stop = _rate(of), assumed(of.plan, STOP)
    if not rate or stop is None or reading.serves(of.plan):
        return None
    seconds = sqrt(2 * stop * _DAY / (rate * nodes(of.plan)))
    return Figure(seconds, "seconds", how=(f"One stops the work for {figures.seconds(stop)}.",))


def restart(of: Subject) -> Figure | None:
    again = assumed(of.plan, RESTART)
    every = interval(of)
    if again is None:
        return None
    more = (f"On top up to {every.written()} of work is done again: what was not saved.",) if every else ()
    return Figure(again, "seconds", how=more)


def lost_by_a_failure(of: Subject) -> Figure | None:
    """Hours of all GPUs: the restart, and half of what lies between two checkpoints."""
    every, again = interval(of), assumed(of.plan, RESTART)
    if every is None or again is None:
        return None
    how = (
        f"{figures.seconds(again)} to restart and, in the mean, {figures.seconds(every.value / 2)} of work done again."
    )
    return Figure(
        (again + every.value / 2) / _SECONDS,
        "hours",
        how=(how, f"With a checkpoint every {every.written()}; without any, all that was computed until then."),
    )


def lost_time(of: Subject) -> Figure | None:
    """To failures and checkpoints in the run."""
    kept, long = of.found.effective_time_percent, duration(of)
    if kept is None or long is None:
        return None
    share = 100 - kept.p50
    how = f"{figures.percent(share)} of {long.written()}, counted in it."
    return Figure(share / 100 * long.value, "hours", how=(how,))


def first_token(of: Subject) -> Figure | None:
    served = of.found.serving
    return Figure(served.ttft_s, "seconds", served.ttft_s_p10, served.ttft_s_p90) if served else None


def further_token(of: Subject) -> Figure | None:
    served = of.found.serving
    return Figure.of(served.tpot_band, "seconds") if served else None


def answer(of: Subject) -> Figure | None:
    """A whole answer: the first token and the further ones."""
    served = of.found.serving
    if served is None:
        return None
    length = reading.lengths(of.plan)[1]
    how = f"{figures.seconds(served.ttft_s)} to the first token and {length:,} of {figures.seconds(served.tpot_s)}."
    return Figure(served.ttft_s + length * served.tpot_s, "seconds", how=(how,))


def sync(of: Subject) -> Figure | None:
    learning = of.found.learning
    seconds = learning.weight_sync_s.get(learning.weight_sync or "") if learning else None
    return Figure(seconds, "seconds") if seconds is not None else None


TIMES = {
    "duration": duration,
    "finish-day": finish,
    "slack": slack,
    "step": step,
    "wait-share": wait_share,
    "wait-step": wait_step,
    "wait-run": wait_run,
    **{f"part-{name}": partial(part, name=name) for name in ("ep", "dp", "tp", "pp_bubble")},
    **{f"part-{name}": partial(part, name=name) for name in ("compute", "recompute", "optimizer")},
    **{f"part-{name}": partial(part, name=name) for name in ("generation", "training")},
    "failures-run": failures,
    "failures-day": partial(failures, days=1.0),
    "failures-week": partial(failures, days=7.0),
    "failures-month": partial(failures, days=30.4),
    "between-failures": between_failures,
    "interval": interval,
    "restart-time": restart,
    "failure-time": lost_by_a_failure,
    "lost-time": lost_time,
    "first-token": first_token,
    "further-token": further_token,
    "answer-time": answer,
    "sync": sync,
}
