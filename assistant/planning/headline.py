"""The answer in one sentence."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.reasoning import Conclusion
from assistant.vocabulary.quantities import DAYS_PER_YEAR, HOURS_PER_MONTH, compared

from .budgets import usd_per_month
from .choice import Choice
from .entry import Entry
from .resolve import Resolved

_UNTOLD = "more-than-anybody-says"  # the warning that no offer says so many are let at once
_UNKNOWN = "at a price that nobody tells"


def on_fewer(job: Resolved, asked: Resolved, hours: float | None, takes: str | None = None) -> str:
    """That the answer is for fewer GPUs than were asked for: nobody lets these, they are slower and take ``hours``, or
    what they ``take`` is beyond the budget."""
    them = f"{asked.gpus:,} {job.gpu.name}"
    why = not_together(asked, them)
    if takes:
        why = f"All {them} take {takes}"
    elif hours is not None:
        why = f"All {them} wait for each other and take {lasting(hours)}"
    return f"{why}; this is for {job.gpus:,} of them. "


def not_together(asked: Resolved, them: str) -> str:
    """That ``them`` are not let together at a price: by whom was named, else by anybody."""
    if asked.provider is not None:
        return f"{asked.provider.name} quotes no price of {them} together"
    return f"Nobody lets {them} together at a price that it quotes"


def if_let(chosen: Entry, conclusions: Iterable[Conclusion]) -> str:
    """Of a list price of more machines than anybody says to let at once, that nobody does: as the rules have it."""
    untold = any(c.fabric == chosen.id and c.then.get("warn") == _UNTOLD for c in conclusions)
    return ", if so many are let at all, which nobody says" if untold else ""


def whose_price(job: Resolved) -> str:
    """The question whose something is that was told with the quotes and is not placed, before what is said of the
    others; nothing where all is."""
    told = job.questionnaire.budget.open_prices
    return (
        f'First say whose "{told}" is, and for what: it was told with the quotes and is not placed for certain. '
        "Without it: "
        if told
        else ""
    )


def headline(job: Resolved, choice: Choice, verdict: str, conclusions: Iterable[Conclusion] = ()) -> str:
    """One sentence with the figures that decide, behind what is to be said before it holds."""
    return f"{whose_price(job)}{_answer(job, choice, verdict, conclusions)}"


def _answer(job: Resolved, choice: Choice, verdict: str, conclusions: Iterable[Conclusion]) -> str:
    if verdict == "no-network-needed":
        return _no_network(job, choice)
    if choice.chosen is None:
        return f"No fabric lets {_job(job)} run as asked."
    chosen, other = choice.chosen, choice.runner_up
    what = f"{name_of(chosen)} for {_job(job)}: {_figures(job, chosen)}{if_let(chosen, conclusions)}"
    if choice.kept:
        led = "Keep" if choice.standing == "in-place" else "As given,"
        return f"{led} {what}{_cost_of_keeping(choice, chosen, other)}."
    if choice.coin_flip and other is not None:
        return (
            f"A coin flip between {name_of(chosen)} and {name_of(other)} for {_job(job)}: {_figures(job, chosen)}; "
            "their costs cannot be told apart."
        )
    return f"{what[0].upper()}{what[1:]}{_against(job, choice, chosen)}."


def name_of(entry: Entry) -> str:
    """``RoCE v2 400 Gb/s``; between sites with the network inside each."""
    if entry.inside is None or entry.inside.considered.fabric.technology == "none":
        return entry.considered.fabric.name
    return f"{entry.considered.fabric.name} with {entry.inside.considered.fabric.name} inside each site"


def in_a_sentence(entry: Entry) -> str:
    """Its name as it stands inside a sentence: ``no network between nodes``."""
    name = name_of(entry)
    return name if entry.considered.fabric.technology != "none" else f"{name[:1].lower()}{name[1:]}"


def _job(job: Resolved) -> str:
    return f"{job.model_name} {job.questionnaire.workload} on {job.gpus:,} {job.gpu.name}"


def unused(job: Resolved, choice: Choice, led: str) -> str:
    """Of a network that was named that nothing of the job crosses it, after the words that lead to it."""
    if choice.unused is None:
        return ""
    name = name_of(choice.unused)
    if job.questionnaire.budget.network_there:
        return f"{led} your {name} stays unused by this job"
    return f"{led} {name}, which was given, would carry nothing of this job"


def _no_network(job: Resolved, choice: Choice) -> str:
    link, chosen = job.scale_up.name, choice.chosen
    priced = f" {_sum(job, chosen)}." if chosen and chosen.costed else ""
    if job.domains == 1:
        where = "in one node" if job.nodes == 1 else f"across {job.nodes} nodes of one rack"
        gpus = "The one GPU needs no link at all" if job.gpus == 1 else f"All {job.gpus} GPUs share {link} {where}"
        return (
            f"No network between nodes is needed for {_job(job)}: {gpus[0].lower()}{gpus[1:]}, so nothing "
            f"crosses a fabric{unused(job, choice, ';')}.{priced}"
        )
    served = chosen.estimate.serving if chosen else None
    if served is not None and served.prefill_workers is not None:
        return (
            f"No network between nodes is needed for {_job(job)}: in each rack of {job.domain} GPUs what reads prompts "
            f"and what writes answers share {link}, so only requests cross, which ordinary Ethernet carries.{priced}"
        )
    where = link_of_a_copy(job, chosen)
    return (
        f"No fabric between nodes is needed for {_job(job)}: {_each_copy(chosen)} fits in one {where}, so only "
        f"requests cross, which ordinary Ethernet carries.{priced}"
    )


def link_of_a_copy(job: Resolved, chosen: Entry | None) -> str:
    """What a copy of the model, where it crosses no network, is at most in: a GPU, a node or a rack."""
    served = chosen.estimate.serving if chosen else None
    gpus = served.gpus_per_copy if served else job.gpus_per_node
    return "GPU" if gpus == 1 else "node" if gpus <= job.gpus_per_node else "rack"


def _sum(job: Resolved, chosen: Entry) -> str:
    """What machines without a network between them cost."""
    if not chosen.price.capital_usd:
        return f"About {usd(chosen.median_cost)}{sum_of(job, chosen)}{_at(job, chosen)}"
    what = "month" if job.serves else "run"
    return f"About {usd(chosen.price.capital_usd)} to buy, of which the {what} takes {usd(chosen.median_cost)}"


def _figures(job: Resolved, entry: Entry) -> str:
    if job.serves:
        served = entry.estimate.serving
        token = f"{1e3 * (served.tpot_s if served else entry.step):.3g} ms per output token"
        if entry.price.capital_usd:
            return f"{token}, {usd(entry.median_cost)} a month of a purchase of about {usd(entry.price.capital_usd)}"
        cost = f"{usd(_bill(job, entry))}{sum_of(job, entry)}" if entry.costed else _UNKNOWN
        return f"{token}, {cost}{_at(job, entry)}"
    return f"{seconds(entry.step)} per step, {lasting(entry.median_hours)}, {_money(job, entry)}"


def _bill(job: Resolved, entry: Entry) -> float:
    """US dollars of a month of a service, or of a job in bulk."""
    return entry.median_cost if job.served.job_tokens else usd_per_month(entry, job.questionnaire)


def sum_of(job: Resolved, entry: Entry) -> str:
    """What a sum of serving is of: a month, or the job in bulk with its length."""
    if not job.serves:
        return ""
    return f" for the job, done in {lasting(entry.median_hours)}," if job.served.job_tokens else " a month"


def works_longer(job: Resolved, entry: Entry) -> bool:
    """Whether a service takes more than a month for what its fastest network writes in one."""
    return job.serves and job.served.job_tokens is None and entry.median_hours > 1.01 * HOURS_PER_MONTH


def _each_copy(chosen: Entry | None) -> str:
    """``each of 3 copies of 8 GPUs``."""
    served = chosen.estimate.serving if chosen else None
    if served is None or served.prefill_workers or min(served.copies, served.gpus_per_copy) < 2:
        return "each copy of the model"
    return f"each of {served.instances}"


def _money(job: Resolved, entry: Entry) -> str:
    """What the run costs, and to whom; of machines that are bought what they cost to buy."""
    if not entry.costed:
        return _UNKNOWN
    if not entry.price.capital_usd:
        return f"about {usd(entry.median_cost)}{_at(job, entry)}"
    if job.questionnaire.budget.machines_there:
        return f"about {usd(entry.median_cost)} with {usd(entry.price.capital_usd)} to buy for what is there"
    return f"{usd(entry.median_cost)} for its share of a purchase of about {usd(entry.price.capital_usd)}"


def _at(job: Resolved, entry: Entry) -> str:
    """Whose price that is, where nobody named a provider."""
    offered = entry.price.offered
    if offered is None or job.provider is not None:
        return ""
    tier = "" if offered.tier == "on-demand" else f", {offered.tier}"
    lets = entry.considered.owned and offered.provider_name
    where = f"as {offered.provider_name} lets it" if lets else offered.where
    return f" {where} (${entry.price.gpu_usd_per_hour.value:.2f} per GPU and hour{tier})"


def _against(job: Resolved, choice: Choice, chosen: Entry) -> str:
    other = choice.runner_up
    if other is None or not (other.costed and chosen.costed):
        return ""
    more = 100 * (other.median_cost / chosen.median_cost - 1)
    if other.risky and more < 0:
        return f"; {name_of(other)} on spot machines would cost {-more:.2g} % less in the middle and more on average"
    much = compared(1 + more / 100, "more")
    if chosen.inside is not None and other.inside is None and more >= 1:
        return f"; every step in unison across the sites, on {name_of(other)}, would cost {much}"
    if more >= 1 and other.price.offered is not None and job.provider is None:
        theirs = f"{name_of(other)} {other.price.offered.where}"
        of = " that is advised" if choice.unadvised else ""
        return f"; the cheapest with another network{of}, {theirs}, would cost {much}"
    if abs(more) < 1:
        return f"; {name_of(other)} costs the same within the error and is the runner-up"
    if more > 0:
        return f"; the runner-up {name_of(other)} would cost {much}"
    return f"; {name_of(other)} would cost {-more:.2g} % less, within the error, and ranks lower by the rules"


def _cost_of_keeping(choice: Choice, chosen: Entry, other: Entry | None) -> str:
    if not chosen.costed:
        return ""
    if other is None or other.median_cost >= chosen.median_cost:
        return "; nothing else would be clearly cheaper"
    more, how = chosen.median_cost - other.median_cost, compared(chosen.median_cost / other.median_cost, "more")
    it = "keeping it" if choice.standing == "in-place" else "it"
    return f"; {it} costs {usd(more)} more than {in_a_sentence(other)} ({how.removesuffix(' more')})"


def tokens_told(tokens: float) -> str:
    """``109 billion tokens``, ``1.41 trillion tokens``."""
    scale, word = next(((s, w) for s, w in ((1e12, "trillion"), (1e9, "billion")) if tokens >= s), (1e6, "million"))
    return f"{float(f'{tokens / scale:.3g}'):,g} {word} tokens"


def seconds(value: float) -> str:
    """In the units in which the tables of a plan tell it too."""
    for limit, scale, unit in ((1.0, 1e-3, "ms"), (120.0, 1.0, "s"), (7200.0, 60.0, "min")):
        if value < limit:
            return f"{value / scale:.3g} {unit}"
    return f"{value / 3600:,.3g} hours"


def lasting(hours: float) -> str:
    """A length of time with three significant digits, in the unit that suits it."""
    if hours < 2:
        return f"{60 * hours:.3g} min"
    return (
        f"{hours:.3g} hours"
        if hours < 48
        else f"{hours / 24:,.3g} days"
        if hours < 24 * 1000
        else f"{hours / 24 / DAYS_PER_YEAR:,.3g} years"
    )


def usd(value: float) -> str:
    """An amount with three significant digits, below $10 with cents."""
    if value < 9.995:
        return f"${value:.2f}"
    for limit, scale, unit in ((9.995e8, 1e9, " bn"), (9.995e5, 1e6, " M")):
        if value >= limit:
            return f"${f'{value / scale:#.3g}'.rstrip('.')}{unit}"
    return f"${float(f'{value:.3g}'):,.0f}"
