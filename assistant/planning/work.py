"""How much work a run that is given in days stands for, and a service without a load: one amount, whoever lets the
machines.

Who says "a run of 14 days" means that it takes 14 days as it is recommended. So that is the work: what the network does
in them that is recommended for the job as long as nothing narrows the choice, on machines that nobody takes away. A
provider or a rent that is named, spot machines that are allowed, a deadline or a budget change what is chosen for that
work and never the work itself; the same work takes longer or shorter on other networks. Who names a provider and a
deadline as well has days there in mind: then it is what is done at that provider in them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assistant.vocabulary.plan import Assumption, Warning_
from assistant.vocabulary.quantities import HOURS_PER_MONTH, days_said
from assistant.vocabulary.questionnaire import Questionnaire

from .budgets import BUDGETS
from .choice import Choice
from .entry import Entry
from .headline import lasting, name_of, tokens_told
from .resolve import Resolved

_RENTS = ("gpu_hour_usd", "fabric_premium_gpu_hour_usd")
_LIMITS = ("deadline_days", "max_slowdown_percent", "max_power_kw")
# Of a term that is paid as a whole the length decides what is cheapest, and so a little what the length stands for.
_ROUNDS = 3
_SAME = 1e-9
_AS_SAID = 0.01  # as a deadline of as many days takes it


@dataclass(frozen=True)
class Work:
    """Steps of a run; ``network``: what does them in the days that were said, ``recommended`` where nothing narrows the
    choice (else the fastest, as nobody lets any at a price)."""

    steps: float
    network: str | None = None
    recommended: bool = False


AtAPrice = Callable[[Work], Sequence[tuple[float, Entry]]]
Ran = Callable[[Work], tuple[Sequence[Entry], Callable[[], Choice]]]


def said(job: Resolved) -> Work | None:
    """The work of a job that tells it: tokens, a load that machines stand ready for; ``None`` where it is days."""
    if job.tokens is not None:
        return Work(job.tokens / job.tokens_per_step)
    if job.serves and (job.served.job_tokens or job.served.sizes):
        return Work(0.0)  # its hours follow from the load
    return None


def without_limits(asked: Questionnaire) -> Questionnaire:
    """The same job at whoever's, on machines that nobody takes away, without a limit of time or money and at the rents
    of the lists; at the provider that is named where a deadline is. Itself where nothing narrows its choice."""
    rents = _RENTS if asked.budget.mode == "rent" else ()
    provider = asked.cluster.provider if asked.constraints.deadline_days is not None else None
    limits = [getattr(asked.constraints, name) for name in _LIMITS]
    limits += [getattr(asked.budget, name) for name in (*BUDGETS, *rents)]
    if provider == asked.cluster.provider and not asked.budget.spot and all(limit is None for limit in limits):
        return asked
    budget = asked.budget.model_copy(
        update=dict.fromkeys((*BUDGETS, *rents)) | {"mode": asked.budget.mode, "spot": False}  # the mode, if not said
    )
    return asked.model_copy(
        update={
            "cluster": asked.cluster.model_copy(update={"provider": provider}),
            "budget": budget,
            "constraints": asked.constraints.model_copy(update=dict.fromkeys(_LIMITS)),
        }
    )


def of_days(job: Resolved, entries: Sequence[Entry], at_a_price: AtAPrice, ran: Ran) -> Work:
    """The work of the days of a job (of a service: of a month) that is asked for :func:`without_limits`. ``entries``:
    the networks with their estimates; ``at_a_price``: hours at the median of an amount of work on those that can be had
    at a price; ``ran``: the networks with an amount of work done, and what is chosen among them for whoever asks."""
    days = job.days if job.days is not None else HOURS_PER_MONTH / 24
    work = Work(days * 86400 / min((e.step for e in _fitting(entries)), default=1.0))
    # First what the fastest of those at a price does: what is a little longer than a term is renewed for another.
    let = at_a_price(work)
    if let:
        hours, fastest = min(let, key=lambda one: one[0])
        work = Work(work.steps * (days * 24 / hours), name_of(fastest))
    for number in range(bool(let), _ROUNDS + 1):
        found, chosen_of = ran(work)
        chosen = chosen_of().chosen
        on = chosen or min(_fitting(found), key=lambda e: e.median_hours, default=None)
        if on is None:
            break
        times = days * 24 / on.median_hours
        work = Work(work.steps * times, name_of(on), chosen is not None)
        if number and abs(times - 1) < _SAME:
            break
    return work


def _fitting(entries: Sequence[Entry]) -> list[Entry]:
    computed = [e for e in entries if e.estimated is not None]
    return [e for e in computed if e.estimate.fits] or computed


def assumed(work: Work | None, job: Resolved) -> list[Assumption]:
    """How much is done in the days that were asked for."""
    if job.days is None or job.serves or work is None or work.network is None:
        return []
    which = "as nobody lets any at a price the fastest is taken"
    if work.recommended:
        which = "it is recommended where neither a provider nor spot machines nor a limit narrows the choice"
    why = (
        f"what {work.network} does in {days_said(job.days)} on the machines, failures and checkpoints included; "
        f"{which}. The others are measured by the same work, and in time when it takes them at most 1 % longer than "
        "the deadline"
    )
    return [Assumption(field="training.tokens", value=float(f"{work.steps * job.tokens_per_step:.3g}"), why=why)]


def warned(work: Work | None, job: Resolved, chosen: Entry | None) -> list[Warning_]:
    """That the days that were said are those of another network, and how many its work takes here."""
    if work is None or job.days is None or chosen is None or not assumed(work, job):
        return []
    if abs(chosen.median_hours / 24 / job.days - 1) <= _AS_SAID:
        return []
    tokens = tokens_told(work.steps * job.tokens_per_step)
    message = (
        f"What {work.network} does in {days_said(job.days)} is taken as the work, {tokens}: here it takes "
        f"{lasting(chosen.median_hours)}. Give tokens (training.tokens) for another amount."
    )
    return [Warning_(code="days-are-work", message=message)]
