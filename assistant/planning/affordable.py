"""What keeps budget, deadline and power where the job as asked does not: each way is planned before it is named."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from itertools import islice, takewhile
from math import ceil, floor, log10
from typing import Any

from assistant.library import checks
from assistant.vocabulary.errors import InputError
from assistant.vocabulary.plan import Alternative
from assistant.vocabulary.questionnaire import Questionnaire

from .budgets import BUDGETS, in_whole_hours, one_in_ten
from .entry import Entry
from .fewer import REFINED, largest, sizes_paid
from .grid import round_sizes
from .pipeline import CHOICE_ALONE, Decision, Pipeline
from .resolve import Resolved
from .rollouts import with_rollouts_for

MOST_TIMES = 3  # as many GPUs as perfect scaling asks for: what scales worse than to a third is no remedy
LARGER = (1.5, 2, 4, 8)  # times the GPUs: a model that is cramped on few costs more on them than on many
_LESS = 0.99  # of the tokens that a budget pays for: cost is not quite in proportion to them
_LESS_DAYS = (1.0, 0.9, 0.75)  # of the days that it pays for: their work may be another network's
_NEAR = 0.99  # of the tokens as asked: what trains so many trains as much
_MONEY, _OTHERS = ("budget", BUDGETS), ("constraints", ("deadline_days", "max_power_kw"))
Change = dict[str, Any]


def what_fits(made: Decision, pipeline: Pipeline) -> list[Alternative]:
    """Fewer GPUs or more, more time, another provider, spot machines, renting, fewer tokens or days: what of it keeps
    every limit, with what it costs and when it is done; where nothing does, what keeps the money and what keeps the
    deadline. Empty where no such limit stands in the way. Where the plan is for fewer GPUs for that, these are one
    of it."""
    if made.cheaper and made.instead_of is not None:
        made = made.instead_of
    asked, job = made.job.questionnaire, made.job
    if made.choice.chosen is not None or job.sites > 1:
        return []
    cheapest = _without_limits(asked, pipeline)
    if cheapest is None:
        return []
    late = asked.latest_days is not None and cheapest.days > asked.latest_days
    size = None
    if late:
        size = _quicker(job, cheapest, pipeline, {})
    else:
        size = _largest(job, cheapest, pipeline) or _longer(job, cheapest, pipeline)
    found = [
        size,
        _fed(made, size, pipeline) if size else None,
        *(_sooner(job, cheapest, pipeline) if not late else ()),
        *(planned_by(asked, change, pipeline) for change in _other_ways(job, cheapest)),
    ]
    if late and not any(found):
        found = [*_each(job, cheapest, pipeline)]
    found.append(next(_tried(asked, _less(job, cheapest), pipeline), None))
    told = [_with_all(one, made) for one in found if one is not None]
    return sorted(told, key=lambda one: one.tokens_as_asked is not None)  # what trains less comes last


def _with_all(found: Alternative, made: Decision) -> Alternative:
    """Of a run that was given in days also what it would train as asked, where a way trains less."""
    work, tokens = made.work, found.tokens
    if tokens is None or work is None:
        return found
    whole = work.steps * made.job.tokens_per_step
    return found.model_copy(update={"tokens": None} if tokens > _NEAR * whole else {"tokens_as_asked": whole})


def _without_limits(asked: Questionnaire, pipeline: Pipeline) -> Entry | None:
    """What would be chosen without a budget, and where that is not enough without a deadline and a limit of power;
    ``None`` where nobody gave one, or nothing would be chosen either."""
    for limits in ([_MONEY], [_MONEY, _OTHERS]):
        lifted = {f"{section}.{name}": None for section, names in limits for name in names}
        given = any(getattr(getattr(asked, section), name) is not None for section, names in limits for name in names)
        free = _decided(asked, lifted, pipeline) if given else None
        if free is not None and free.choice.chosen is not None:
            return free.choice.chosen
    return None


def _quicker(job: Resolved, cheapest: Entry, pipeline: Pipeline, change: Change) -> Alternative | None:
    """The fewest GPUs of round sizes with which the deadline is kept too, whatever else is ``change``d."""
    latest = job.questionnaire.latest_days
    left = latest and latest - (cheapest.price.delivery_days or 0.0)
    if not left or left <= 0:
        return None
    least = job.gpus * cheapest.median_hours / 24 / left
    sizes = takewhile(lambda size: size <= MOST_TIMES * least, round_sizes(least, job.gpus_per_node))
    tried = ({"cluster.gpus": size} | change for size in islice(sizes, REFINED))
    return next(_tried(job.questionnaire, tried, pipeline), None)


def _sooner(job: Resolved, cheapest: Entry, pipeline: Pipeline) -> list[Alternative]:
    """The fewest of more GPUs with which a rented run keeps every limit and is done sooner, and the most."""
    asked = job.questionnaire
    if asked.budget.usd is None or asked.budget.mode == "buy" or asked.serves:
        return []
    sizes = dict.fromkeys(ceil(job.nodes * times) * job.gpus_per_node for times in LARGER)
    able = _tried(asked, ({"cluster.gpus": size} for size in sizes if size > job.gpus), pipeline)
    found = [one for one in able if one.run_hours < cheapest.median_hours]
    return [*found[:1], *found[1:][-1:]]


def _fed(made: Decision, largest: Alternative, pipeline: Pipeline) -> Alternative | None:
    """Of the sizes that the power feeds, or a purchase pays for, on each network the one that is done soonest, where
    that is sooner than the largest: a slow network draws less and costs less, and waits for it."""
    asked, job = made.job.questionnaire, made.job
    power, money = asked.constraints.max_power_kw, asked.budget.usd if asked.budget.mode == "buy" else None
    able = [entry for entry in made.entries if entry.estimated is not None]
    shares = [power / entry.power_kw for entry in able if power and entry.power_kw]
    shares += [money / entry.outlay for entry in able if money and entry.outlay]
    nodes = {floor(job.nodes * share) for share in shares if share < 1} - {0}
    changes = ({"cluster.gpus": some * job.gpus_per_node} for some in sorted(nodes, reverse=True)[:REFINED])
    found = [one for one in _tried(asked, changes, pipeline) if one.run_hours < largest.run_hours]
    return min(found, key=lambda one: one.run_hours, default=None)


def _each(job: Resolved, cheapest: Entry, pipeline: Pipeline) -> Iterator[Alternative | None]:
    """Where nothing keeps money and deadline: what keeps the money in more time, and what the deadline costs."""
    asked, deadline = job.questionnaire, "constraints.deadline_days"
    slow = planned_by(asked, {deadline: None}, pipeline)
    yield (
        planned_by(asked, {deadline: ceil(slow.run_hours / 24 + slow.delivery_days)}, pipeline)
        if slow
        else _longer(job, cheapest, pipeline)
    )
    if asked.budget.usd is None:
        return
    quick = _quicker(job, cheapest, pipeline, {"budget.usd": None})
    enough = _up(quick.expected_cost_usd or quick.cost_usd) if quick else 0.0
    yield planned_by(asked, quick.change | {"budget.usd": enough}, pipeline) if quick else None


def planned_by(asked: Questionnaire, change: Change, pipeline: Pipeline) -> Alternative | None:
    """What the job comes to with some fields changed; ``None`` where that cannot be or keeps not every limit."""
    return next(_tried(asked, iter([change]), pipeline), None)


def _largest(job: Resolved, cheapest: Entry, pipeline: Pipeline, change: Change | None = None) -> Alternative | None:
    """The most GPUs, in whole nodes, with which a plan keeps every limit, whatever else is ``change``d."""

    def works(gpus: int) -> Alternative | None:
        return planned_by(job.questionnaire, {"cluster.gpus": gpus} | (change or {}), pipeline)

    return largest(job, sizes_paid(job, cheapest), works)


def _longer(job: Resolved, cheapest: Entry, pipeline: Pipeline) -> Alternative | None:
    """The largest of the smaller sizes that keeps the budget when it may take longer, with the deadline it needs."""
    if job.questionnaire.latest_days is None:
        return None
    found = _largest(job, cheapest, pipeline, {"constraints.deadline_days": None})
    if found is None:
        return None
    return planned_by(
        job.questionnaire,
        found.change | {"constraints.deadline_days": ceil(found.run_hours / 24 + found.delivery_days)},
        pipeline,
    )


def _other_ways(job: Resolved, cheapest: Entry) -> Iterator[Change]:
    """One change each, the least to the job first."""
    asked = job.questionnaire
    if asked.budget.quotes:
        yield {"budget.quotes": []}
    if asked.cluster.provider is not None:
        yield {"cluster.provider": None}
    if asked.budget.mode == "buy":
        yield {"budget.mode": "rent"}
    elif not asked.budget.spot and asked.budget.reserved_days is None:
        yield {"budget.spot": True}


def _less(job: Resolved, cheapest: Entry) -> Iterator[Change]:
    """Fewer tokens, or where days were given fewer days: about as many as the limits leave room for."""
    asked, training = job.questionnaire, job.questionnaire.training
    paid = asked.budget.usd / cheapest.median_cost if asked.budget.usd and asked.budget.mode == "rent" else None
    timed = (
        24 * (asked.latest_days - (cheapest.price.delivery_days or 0.0)) / cheapest.median_hours
        if asked.latest_days
        else None
    )
    share = min((share for share in (paid, timed) if share is not None), default=1.0)
    if training is None or not 0 < share < 1.0:
        return
    if training.tokens is not None:
        yield {"training.tokens": _down(_LESS * training.tokens * share)}
    elif training.days is not None:
        for part in _LESS_DAYS:
            yield {"training.days": _down(part * training.days * share)}


def _down(value: float) -> float:
    """Two significant digits, rounded down."""
    step = 10.0 ** (floor(log10(value)) - 1)
    return floor(value / step) * step


def _up(value: float) -> float:
    """Three significant digits, rounded up."""
    step = 10.0 ** (floor(log10(value)) - 2)
    return ceil(value / step) * step


def _tried(asked: Questionnaire, changes: Iterator[Change], pipeline: Pipeline) -> Iterator[Alternative]:
    """Those of the changes with which a plan keeps every limit, and on average the budget: of machines that may be
    taken away the middle sum may be within what the mean is beyond."""
    for change in changes:
        made = _decided(asked, change, pipeline)
        if made is not None and made.instead_of is not None:  # for fewer GPUs: then that is what is named
            change = {} if "cluster.gpus" in change else change | {"cluster.gpus": made.job.gpus}
        chosen = made.choice.chosen if made is not None else None
        # Without a price it keeps no budget.
        if change and made is not None and chosen is not None and made.kept_on_average:
            yield _told(_in_full(change, asked, made), made, chosen, pipeline.today or datetime.date.today())


def _in_full(change: Change, asked: Questionnaire, made: Decision) -> Change:
    """With how many GPUs are there, where the job as asked has no others and the changed one has: who writes the change
    into a file owns no more for it."""
    there = made.job.questionnaire.owned_gpus
    return change | {"budget.owned_gpus": there} if asked.budget.owned_gpus is None and _bought(made) else change


def _bought(made: Decision) -> int | None:
    """GPUs that are bought beside those that are there; ``None`` where none are there, or no others are bought."""
    there = made.job.questionnaire.owned_gpus
    return made.job.gpus - there or None if there else None


def _decided(asked: Questionnaire, change: Change, pipeline: Pipeline) -> Decision | None:
    """The decision with some fields changed; ``None`` where there is no such job."""
    changed = asked
    for path, value in change.items():
        changed = changed.changed(path, value)
    try:
        if "cluster.gpus" in change:
            changed = with_rollouts_for(changed, asked.cluster.gpus)
        checks.check_shape(changed, pipeline.catalog)
        return pipeline.decide(changed, CHOICE_ALONE, all_paid=True)
    except InputError:
        return None


def _told(change: Change, made: Decision, chosen: Entry, today: datetime.date) -> Alternative:
    offered, rent = chosen.price.offered, chosen.price.gpu_usd_per_hour
    provider = (offered.provider_name or None) if offered else made.job.provider.name if made.job.provider else None
    return Alternative(
        change=change,
        fabric=chosen.id,
        provider=provider,
        cost_usd=chosen.outlay,
        expected_cost_usd=chosen.ranked_cost if chosen.risky else None,
        whole_hours_usd=in_whole_hours(chosen),
        one_in_ten_usd=one_in_ten(chosen),
        price_age_days=rent.age_days if offered and rent.stale else None,
        bought=bool(chosen.price.capital_usd),
        gpus_bought=_bought(made),
        run_hours=chosen.median_hours,
        tokens=made.work.steps * made.job.tokens_per_step
        if made.work and made.job.days is not None and not made.job.serves
        else None,
        delivery_days=chosen.price.delivery_days or 0.0,
        done_by=None
        if made.job.serves and not made.job.served.job_tokens
        else (today + datetime.timedelta(days=ceil(chosen.days))).isoformat(),
    )
