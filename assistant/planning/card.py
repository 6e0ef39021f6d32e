"""The answer on a card: do what, what it costs, when it is done, why, and what would change it. Five lines that stand
alone, the same wherever a plan is shown."""

from __future__ import annotations

import datetime
from collections.abc import Iterable
from math import ceil, floor

from assistant.market import Offered, monthly
from assistant.reasoning import Conclusion
from assistant.vocabulary.plan import Card, Flip, Recommendation, Sizing, tier_told
from assistant.vocabulary.quantities import HOURS_PER_MONTH, compared, exact_usd, in_months, told_apart
from assistant.vocabulary.questionnaire import FIELDS

from .budgets import average_over, in_whole_hours, one_in_ten, usd_per_month
from .candidates import rented_openly
from .choice import beats
from .entry import Entry
from .fewer import takes
from .flips import GPU_PRICE, PREMIUM, provider_of
from .headline import (
    if_let,
    in_a_sentence,
    lasting,
    link_of_a_copy,
    name_of,
    not_together,
    seconds,
    tokens_told,
    unused,
    usd,
    whose_price,
    works_longer,
)
from .idle import idle_gpus, told_in_short
from .limits import meets
from .missed import kept_by_none, missed, not_as_asked
from .money import NOTICED, unfinished
from .pipeline import Decision
from .quote_flips import quote_of
from .resolve import Resolved

WORDS = 12  # of the reason: what takes more is no reason one remembers
_FOREVER = 24 * 3650.0  # hours; no date is told beyond
_OTHERS = 2  # tied networks that are named; more are counted
_MUCH = 2.0  # times the money of another that ties: then the tie is no reason to spend it


def card(made: Decision, answer: Recommendation, sizing: Sizing | None = None, flips: list[Flip] | None = None) -> Card:
    """The card of a decision; without ``flips`` they were not looked for yet, and what would change it is left open."""
    chosen, job = made.choice.chosen, made.job
    if chosen is None:
        return Card(
            do=not_as_asked(job, made.entries), cost="", finish="", because="", changes_if=answer.smallest_change or ""
        )
    return Card(
        do=f"{whose_price(job)}{_do(made, chosen, answer.tied)}",
        cost=_cost(job, chosen, sizing),
        finish=f"{_finish(made, chosen)}{_idle(job, chosen)}",
        because=_because(made, chosen),
        changes_if=_changes_if(made, chosen, flips),
    )


def _do(made: Decision, chosen: Entry, tied: Iterable[str]) -> str:
    """``Rent 64 NVIDIA H100 SXM5 80 GB at Voltage Park, with InfiniBand NDR 400 Gb/s.``, and what ties with it."""
    job, choice = made.job, made.choice
    some = f"{job.gpus:,} of the {made.instead_of.job.gpus:,}" if made.instead_of else f"{job.gpus:,}"
    gpus, network = f"{some} {job.gpu.name}", name_of(chosen)
    if chosen.considered.fabric.technology == "none":
        network = "no network between nodes" if job.nodes > 1 else "no network"
    there, offered = job.questionnaire.budget.machines_there, chosen.price.offered if chosen.priced else None
    if choice.standing == "in-place":
        return f"Keep {network} for the {gpus}{_keeping(made, chosen)}."
    of_offer = offered and (job.provider is None or offered.quote)  # a quote is its own seller's, whoever was named
    where = f" {offered.where}" if offered and of_offer else f" at {job.provider.name}" if job.provider else ""
    beside = f", as given{_keeping(made, chosen)}" if choice.standing == "given" else _ties(made, chosen, set(tied))
    beside = beside or unused(job, choice, ": none is needed, and")
    joined = network if network.startswith("no ") else f"with {network}"
    joined += if_let(chosen, made.conclusions)
    if there:
        first = "Name the network that is there (cluster.fabric): it is kept. " if _unnamed(job, chosen) else ""
        what = _to_what_is_there(made, chosen, network, joined)
        dearer = "" if choice.kept else _dearer(made, chosen, set(tied))
        return f"{first}{what}{_set_aside(made)}{beside}.{dearer}"
    budget = job.questionnaire.budget  # of neither said the machines may be there, and nobody asked
    said = "mode" in budget.model_fields_set or bool(budget.quotes)
    deed = "Buy" if budget.mode == "buy" else "Rent"
    what = f"{deed} {gpus}{_terms(offered)}{where}, {joined}{_set_aside(made)}{beside}"
    if choice.standing == "given" and not said:
        what = f"Take {network} for the {gpus}{where}{if_let(chosen, made.conclusions)}{beside}"
    return f"{what}.{_smallest_order(job, chosen) or _in_whole_machines(job, chosen)}"


def _ties(made: Decision, chosen: Entry, tied: set[str]) -> str:
    """What is as good as what was chosen; of a toss-up all that tie are said to cost the same."""
    others = [e for e in made.entries if e.id in tied and e is not chosen]
    if made.choice.certainty != "toss-up":
        others = [e for e in others if made.choice.even_with(e)]
    names = [name_of(e) for e in others]
    return f"; {_listed(names)} {'ties' if len(names) == 1 else 'tie'} with it" if names else ""


def _set_aside(made: Decision) -> str:
    """Of a network that was given and is not taken, what it would take of which limits."""
    given = [e for e in made.choice.over_limits if e.considered.owned and e is not made.choice.unused]
    asked = made.job.questionnaire
    least = min(given, key=lambda e: (len(missed(e, asked)), e.ranked_cost), default=None)
    limits = missed(least, asked) if least else []
    if least is None or not limits:
        return ""
    takes = " and ".join(f"{one.enough} instead of {one.given}" for one in limits)
    return f"; {name_of(least)}, which was given, takes {takes} and is set aside"


def _dearer(made: Decision, chosen: Entry, tied: set[str]) -> str:
    """That of networks whose costs tie another takes far less money to buy, and on what the tie rests."""
    buys = [(e.price.capital_usd, e) for e in made.entries if e.id in tied and e.costed and e.price.capital_usd]
    (least, other), ours = min(buys, key=lambda one: one[0], default=(0.0, chosen)), chosen.price.capital_usd or 0.0
    if other is chosen or ours < _MUCH * least:
        return ""
    rests = f"the tie counts on {chosen.price.months or 0:g} months of full use; with less, take it"
    return f" {name_of(other)} takes {usd(least)} to buy instead of {usd(ours)}: {rests}."


def _unnamed(job: Resolved, chosen: Entry) -> bool:
    """Whether a network is there too of which nobody said which one it is."""
    said = job.questionnaire.budget.network_there and job.questionnaire.cluster.fabric is None
    return said and chosen.considered.fabric.technology != "none"


def _to_what_is_there(made: Decision, chosen: Entry, network: str, joined: str) -> str:
    """``Buy InfiniBand NDR 400 Gb/s for the 64 NVIDIA H100 SXM5 80 GB that are there``."""
    job, before = made.job, made.asked.owned_gpus if made.asked else 0
    there = job.questionnaire.owned_gpus
    if there < job.gpus:
        return f"Buy {job.gpus - there:,} {job.gpu.name} to the {there:,} that are there, {joined}"
    ours = f"the {job.gpus:,} {job.gpu.name} that {'is' if job.gpus == 1 else 'are'} there"
    if before > job.gpus:  # a load takes fewer
        ours = f"{job.gpus:,} of the {before:,} {job.gpu.name} that are there"
    if network.startswith("no "):
        return f"Use {ours}, {joined}"
    return f"{'Without one b' if _unnamed(job, chosen) else 'B'}uy {network} for {ours}"


def _smallest_order(job: Resolved, chosen: Entry) -> str:
    """That no offer is let for as few GPUs as the job takes, and what is paid for."""
    offers = chosen.considered.offers
    if job.questionnaire.budget.mode != "rent" or not offers:
        return ""
    taken = chosen.price.offered if chosen.priced else None
    at_a_site = job.gpus // job.sites
    one = taken or min(offers, key=lambda o: o.paid(at_a_site))
    least = one.offer.min_gpus or 0
    if least <= -(-at_a_site // one.offer.gpus_per_node) * one.offer.gpus_per_node:
        return ""
    let = f" {one.provider_name} lets them from {least:,} GPUs on{' at a site' if job.sites > 1 else ''}"
    working = job.gpus - idle_gpus(chosen, job)
    paid = f"{let}: {least * job.sites:,} are paid for, {working:,} of them work"
    if not chosen.costed:
        return f"{let}: ask whether {at_a_site:,} can be had, else {least * job.sites:,} are paid for."
    return (
        f"{paid}." if taken else f"{paid}; where {job.gpus:,} were quoted, give the price as a quote (budget.quotes)."
    )


def _in_whole_machines(job: Resolved, chosen: Entry) -> str:
    """That a number of GPUs of which nobody has machines is let and sold in whole ones."""
    usual, vary = job.gpu.gpus_per_node, job.gpu.nodes_vary or job.questionnaire.cluster.gpus_per_node is not None
    if vary or job.gpus <= usual or job.gpus % usual == 0 or job.sites > 1:
        return ""
    fewer = job.gpus // usual * usual
    whole = f"{fewer + usual:,} are paid for, {job.gpus - idle_gpus(chosen, job):,} of them work"
    return f" Machines have {usual} GPUs: {whole}; ask for {fewer + usual:,} or {fewer:,}."


def _terms(offered: Offered | None) -> str:
    """That machines may be taken away, are booked ahead, or are paid for a term."""
    if offered is None or offered.tier in ("on-demand", "capacity-block"):
        return " in capacity blocks" if offered and offered.tier == "capacity-block" else ""
    months = offered.least_hours / HOURS_PER_MONTH
    return " on spot machines" if offered.tier == "spot" else f" reserved for {months:g} months" if months else ""


def _listed(names: list[str]) -> str:
    more = len(names) - _OTHERS
    return ", ".join(names[:_OTHERS]) + (f" and {more} more" if more > 0 else "")


def _keeping(made: Decision, chosen: Entry) -> str:
    """What a network that was named costs beside the cheapest."""
    other = made.choice.runner_up
    if other is None or not (chosen.costed and other.costed) or other.median_cost >= chosen.median_cost:
        return ""
    it = f"a {_billed(made.job)} on it" if chosen.price.capital_usd else "it"
    more = f"{it} costs {usd(chosen.median_cost - other.median_cost)} more than {in_a_sentence(other)}"
    return f"; for the same tokens {more}" if works_longer(made.job, chosen) else f"; {more}"


def _cost(job: Resolved, chosen: Entry, sizing: Sizing | None) -> str:
    """A month and in total; of a purchase the purchase."""
    if not chosen.costed:
        return f"{_without_a_price(job, chosen)}: ask, and say what you are quoted.{_paid_for(job, chosen)}"
    month = f"{usd(usd_per_month(chosen, job.questionnaire))} a month{_for_more_than_used(job, chosen)}"
    capital = chosen.price.capital_usd
    each = sizing.usd_per_million_output_tokens if sizing else None
    token = f", ${each:.2f} per million output tokens" if job.serves and each else ""
    if capital is not None and job.questionnaire.budget.machines_there:
        return _to_keep(job, chosen, month, capital, token)
    if capital is not None:
        to_buy = told_apart(capital, job.questionnaire.budget.usd, usd)
        return f"{to_buy} to buy; {month}, written off with power and support{token}."
    if job.serves:
        whole = f"{usd(chosen.median_cost)} for the job{_at_worst(job, chosen)}" if job.served.job_tokens else month
        return f"{whole}{token}{_of_term(chosen, job)}.{_on_demand(chosen)}"
    total = f"{told_apart(chosen.median_cost, job.questionnaire.budget.usd, usd)} for the run{_at_worst(job, chosen)}"
    longer = chosen.median_hours > 1.01 * HOURS_PER_MONTH
    total += "" if longer else _for_more_than_used(job, chosen)
    if longer:
        return f"{month}; {total}{_whatever_it_takes(chosen)}.{_on_demand(chosen)}"
    paid = f"{total}{_whatever_it_takes(chosen)}{_in_whole_hours(chosen)}."
    return f"{paid}{_on_demand(chosen)}{_by_ones_own(job, chosen)}"


def _without_a_price(job: Resolved, chosen: Entry) -> str:
    """Why there is none: of a network that was given nobody may let these GPUs with it."""
    if chosen.considered.owned and rented_openly(job) and not chosen.considered.offers:
        return "Nobody in the catalog lets these GPUs with this network"
    return "No price of it was read"


def _on_demand(chosen: Entry) -> str:
    """Of machines that are reserved for a term without a published price, that it is counted on demand, and from what
    the provider lists reserved machines without telling a term."""
    price, offered = chosen.price, chosen.price.offered
    if not price.reserved_hours or offered is None or offered.tier != "on-demand" or offered.quote:
        return ""
    if price.gpu_usd_per_hour.origin == "quoted":
        return ""
    term, hourly = in_months(price.reserved_hours / 24), f"${price.gpu_usd_per_hour.value:.2f} per GPU-hour"
    said = f" No price for {term} is published, so it is the list price on demand, {hourly}"
    off = f" up to {offered.reserved_percent_off:g} % off" if offered.reserved_percent_off else ""
    least = offered.least_reserved_usd
    if least is not None:
        said += f"; {offered.provider_name} lets reserved{off}, ${least:.2f} or more, without telling a term"
    return f"{said}: ask."


def _paid_for(job: Resolved, chosen: Entry) -> str:
    """Of machines without a price, up to which one the budget is kept."""
    paid = job.gpus * chosen.price.paid_share
    budget, hours = job.questionnaire.budget, paid * chosen.median_hours
    run = budget.usd / hours if budget.usd and hours and not job.questionnaire.open_ended else None
    month = monthly(1.0, paid)
    most = min((p for p in (run, budget.usd_per_month and budget.usd_per_month / month) if p), default=None)
    if not most or budget.mode == "buy":
        return ""
    many = f" of {round(paid):,} GPUs" if paid > job.gpus else ""
    return f" Your budget is kept up to ${floor(100 * most) / 100:,.2f} per GPU-hour{many}."


def _to_keep(job: Resolved, chosen: Entry, month: str, capital: float, token: str) -> str:
    """Of machines that are there what the rest costs to buy, and what a month and the run of all take."""
    run = "" if job.questionnaire.open_ended else f", {usd(chosen.median_cost)} for the run"
    worth = ""
    if hours := chosen.price.sunk:
        of_it, hour = usd(monthly(hours, job.gpus)), usd(job.questionnaire.budget.gpu_hour_usd or 0.0)
        worth = f" ({of_it} of it for what is there, at {hour} an hour of a GPU)"
    if not capital:
        return f"Nothing to buy; {month} of use for power, cooling and support{worth}{run}{token}."
    some = "the network" if job.questionnaire.owned_gpus == job.gpus else "what is missing"
    some += ", one for all of them" if _unnamed(job, chosen) else ""
    return f"{usd(capital)} to buy {some}; {month} of use, with its write-off, power and support{worth}{run}{token}."


def _of_term(chosen: Entry, job: Resolved) -> str:
    """Of a service that is let for a term, what the whole term comes to."""
    months = chosen.price.least_hours / HOURS_PER_MONTH
    if not chosen.price.by_the_month or months <= 1:
        return ""
    return f"; the {months:.3g} months agreed: {usd(months * usd_per_month(chosen, job.questionnaire))}"


def _for_more_than_used(job: Resolved, chosen: Entry) -> str:
    """Where the smallest order, or whole machines, are more than the job takes: how many GPUs are paid for."""
    paid = round(job.gpus * chosen.price.paid_share)
    return f" for {paid:,} GPUs, the fewest that are let there" if paid > job.gpus else ""


def _by_ones_own(job: Resolved, chosen: Entry) -> str:
    """That the rent is the one of the person's own catalog, and what it stands in place of."""
    price = chosen.price.gpu_usd_per_hour
    own = job.quoted_rent and job.questionnaire.budget.gpu_hour_usd is None and chosen.price.offered is None
    if not own or job.questionnaire.budget.mode == "buy":
        return ""
    whose = f"Your catalog's ${price.value:.2f} per GPU-hour ({price.source})"
    return f" {whose} stands in place of the lists and names no provider."


def _whatever_it_takes(chosen: Entry) -> str:
    """Of a term, or a least time, that the run does not fill: that it is paid for all the same; of one that is shorter
    than the run how it goes on."""
    offered, reserved, hours = chosen.price.offered, chosen.price.reserved_hours, chosen.median_hours
    terms, on_demand = offered.booked(max(hours, reserved)) if offered and offered.term_hours else (0, False)
    if offered and (terms > 1 or on_demand):
        each = f"{terms} terms of {in_months(offered.term_hours / 24)}" if terms > 1 else "its term"
        rest = " and the rest on demand, which costs less than another term" if on_demand else ", each paid whole"
        return f", for {each}{rest}{_reserved_beyond(reserved, hours)}"
    if 0 < reserved < 0.99 * chosen.median_hours:
        return f", the time beyond the {in_months(reserved / 24)} reserved by the hour at the same price"
    if not chosen.price.least_hours > 1.01 * chosen.median_hours:
        return ""
    term = in_months(chosen.price.least_hours / 24)
    paid = "a whole month is" if term == "1 month" else f"{term} are"
    return f", as {paid} paid for however short it is"


def _reserved_beyond(reserved: float, hours: float) -> str:
    """Of terms that are more than a run takes, that so many hours are reserved."""
    term = in_months(reserved / 24)
    return f", as {term} {'is' if term.startswith('1 ') else 'are'} reserved" if reserved > hours else ""


def _in_whole_hours(chosen: Entry) -> str:
    """Of a short run by the hour what it costs where each hour that was begun is billed: no list tells the least."""
    whole = in_whole_hours(chosen)
    return f" to the minute, {usd(whole)} in whole hours; ask for the least that is billed" if whole else ""


def _at_worst(job: Resolved, chosen: Entry) -> str:
    """Of machines that may be taken away what one run in ten costs, as how often they are is known least, and the
    average where that is over a budget."""
    worst, mean = one_in_ten(chosen), average_over(chosen, job.questionnaire)
    over = f", and over the budget on average, {usd(mean)}" if mean else ""
    if never := _never_done(chosen):
        over = f"; {never:.2g} of 100 never finish on them, so no average is known{over}"
    return f" ({usd(worst)} or more in one of ten, as often as they are taken away{over})" if worst else ""


def _never_done(chosen: Entry) -> float:
    """How many in a hundred runs never finish on machines that may be taken away, where it is enough for there to be no
    mean; 0 elsewhere."""
    share = unfinished(chosen.price.spot) if chosen.priced and chosen.price.spot else 0.0
    return 100 * share if share >= NOTICED else 0.0


def _idle(job: Resolved, chosen: Entry) -> str:
    """Which of the GPUs do nothing."""
    said = told_in_short(chosen, job)
    return f" {said}." if said else ""


def _finish(made: Decision, chosen: Entry) -> str:
    """When it is done; a service is as fast as it is."""
    job, served = made.job, chosen.estimate.serving
    if job.serves and not job.served.job_tokens:
        times = f"{1e3 * chosen.step:.3g} ms per output token"
        if served is not None:
            first, each = seconds(served.ttft_s), seconds(served.tpot_s)
            times = f"{served.instances}, first token after {first}, each further {each}"
        return f"{times[0].upper()}{times[1:]}."
    hours, delivery = chosen.median_hours, chosen.price.delivery_days
    if hours > _FOREVER:
        return f"Done in {lasting(hours)}."
    done = (made.today or datetime.date.today()) + datetime.timedelta(days=ceil(chosen.days))
    by = f"by {done.day} {done:%B %Y}"
    length = f"{lasting(hours)}{_in_it(made)}"
    if delivery:
        return f"Done in {length} after {lasting(24 * delivery)} of delivery, {by} if it is ordered today."
    if delivery is None and chosen.price.capital_usd:
        return f"Done in {length} from the day it is delivered; when that is nobody said: ask."
    return f"Done in {length}, {by} if it starts today."


def _in_it(made: Decision) -> str:
    """Of a run that was told by its days what it does in them."""
    job, work = made.job, made.work
    if job.days is None or job.serves or work is None:
        return ""
    return f" for {tokens_told(work.steps * job.tokens_per_step)}"


def _because(made: Decision, chosen: Entry) -> str:
    """At most :data:`WORDS` words."""
    job, choice = made.job, made.choice
    if made.instead_of is not None and made.sooner:
        return f"All {made.instead_of.job.gpus:,} wait for each other and miss the deadline."
    if made.instead_of is not None and made.cheaper:
        asked = made.instead_of
        return f"All {asked.job.gpus:,} take {takes(asked.job, asked.entries, asked.variants)}."
    if made.instead_of is not None:
        return f"{not_together(made.instead_of.job, f'{made.instead_of.job.gpus:,}')}."
    if choice.ground == "nothing-crosses":
        return f"{_whole(job, chosen)}: nothing crosses a network."
    if choice.ground == "kept":
        return f"It {'is there already' if choice.standing == 'in-place' else 'was given'}, and the job runs on it."
    if choice.ground == "limits":
        return _limited(made, choice.barred)
    if choice.ground == "purchase":
        return "Costs tie; what runs for least takes far more to buy and is hardly faster."
    if choice.ground == "rules":
        reasons = _reasons(made.conclusions, chosen)
        return _short("Costs tie; for it: " + ", ".join(reasons)) if reasons else "Costs tie; the rules prefer it."
    if choice.ground == "unpriced":
        return "It has the shortest run; no price was read."
    if _cheaper_in_the_middle(made, chosen) and not _never_done(chosen):
        other = "other spot machines" if chosen.price.spot else "spot machines"
        return f"Cheapest {_billed(job)} on average; {other} cost less only in the middle."
    return _alone(made) if choice.ground == "alone" else _cheapest(made, chosen)


def _limited(made: Decision, barred: list[Entry]) -> str:
    """Which limits the cheaper ones do not keep."""
    limits = kept_by_none(barred, made.job.questionnaire) or ["what was asked"]
    which = "A cheaper network misses" if len(barred) == 1 else f"{len(barred)} cheaper networks miss"
    said = f"{which} {' and '.join(limits)}."
    return said if len(said.split()) <= WORDS else f"{which} {limits[0]} or another limit."


def _whole(job: Resolved, chosen: Entry) -> str:
    """What keeps everything off the network."""
    served = chosen.estimate.serving
    if job.domains > 1 and served is not None and served.prefill_workers is not None:
        return f"Both sides lie in each rack of {job.domain}"
    if served is None or served.prefill_workers is not None:
        return "All its GPUs are in one node" if job.nodes == 1 else "All its GPUs share one scale-up link"
    return f"{'Each' if served.copies > 1 else 'The'} copy fits in one {link_of_a_copy(job, chosen)}"


def _cheapest(made: Decision, chosen: Entry) -> str:
    # The next by what it costs, whatever the rules make of it; there is one, or it would be alone.
    other = min(made.choice.rest, key=lambda e: e.ranked_cost, default=made.choice.runner_up)
    assert other is not None
    what = _billed(made.job)
    of = " of the quotes" if made.job.questionnaire.budget.quotes else ""
    least = f"Cheapest {what}{of or ' of those advised' if made.choice.unadvised else of}"
    nearer = any(e.ranked_cost < other.ranked_cost for e in made.choice.over_limits)
    keeping = " of those that keep the limits" if nearer else ""
    more = other.median_cost / chosen.median_cost
    if never := _never_done(chosen):  # then there is no average
        least = f"{least} in the middle, though {never:.2g} of 100 never finish"
    elif chosen.risky or other.risky:  # as they are compared
        least, more = f"{least} on average", other.ranked_cost / chosen.ranked_cost
    if beats(chosen, other):
        return f"The same cost as on {in_a_sentence(other)}, and faster."
    if more < 1.01:
        return f"{least}, by less than a percent."
    much = compared(more, "more")
    same = "tokens" if made.job.days is not None and not made.job.serves else what if what != "month" else "load"
    costs = "cost" if same == "tokens" else "costs"
    return f"{least}; the same {same} on the next cheapest network{keeping} {costs} {much} in all."


def _billed(job: Resolved) -> str:
    return "run" if not job.serves else "job" if job.served.job_tokens else "month"


def _cheaper_in_the_middle(made: Decision, chosen: Entry) -> bool:
    """Whether machines that may be taken away keep what was asked and cost less at the median, on any network."""
    asked, advised = made.job.questionnaire, {e.id for e in made.entries if e.verdict not in ("avoid", "impossible")}
    able = [e for e in made.variants if e.id in advised and e.usable and e.costed and e.risky and meets(e, asked)]
    return chosen.costed and any(
        e.median_cost < chosen.median_cost and chosen.ranked_cost <= e.ranked_cost for e in able
    )


def _alone(made: Decision) -> str:
    """Why no other network with a price competes."""
    if made.job.questionnaire.budget.quotes:
        cheaper = made.choice.unadvised
        offered = cheaper.price.offered if cheaper else None
        if offered is not None:
            return f"Quote {offered.number} costs less, on a network that is not advised."
        read = " and understood" if any(one.unread for one in made.job.questionnaire.budget.quotes) else ""
        return f"Of what was quoted{read} its {_billed(made.job)} is the cheapest."
    known = [e for e in made.entries if e.costed and e is not made.choice.chosen and e.usable]
    known = [e for e in known if e.verdict != "impossible"]
    if not known:
        where = f" at {made.job.provider.name}" if made.job.provider else ""
        return f"No other network that runs this job has a price{where}."
    limits = kept_by_none(known, made.job.questionnaire)
    if limits:
        return f"No other network keeps {' and '.join(limits)}."
    which = "that keeps the limits" if any(missed(e, made.job.questionnaire) for e in known) else "with a price"
    return f"No other network {which} is advised."


def _reasons(conclusions: Iterable[Conclusion], chosen: Entry) -> list[str]:
    """What the rules say for the choice, the weightiest first."""
    said = [c for c in conclusions if c.fabric == chosen.id and c.then.get("prefer", 0) > 0 and c.then.get("reason")]
    return [c.then["reason"] for c in sorted(said, key=lambda c: -c.then["prefer"])]


def _short(text: str) -> str:
    """As many reasons as fit the words."""
    while len(text.split()) > WORDS and ", " in text:
        text = text.rpartition(", ")[0]
    return f"{text}."


def _changes_if(made: Decision, chosen: Entry, flips: list[Flip] | None) -> str:
    if made.choice.kept:
        return "the job cannot run on it."
    if not flips and chosen.considered.fabric.technology == "none":
        return f"the job outgrows what needs no network{_then_needed(made)}."
    if flips is None:
        return ""
    if not flips:
        untried = "at least two inputs change together: no single one that was tried turns the answer."
        return _with_one_limit_looser(made) or untried
    flip = flips[0]
    then = "no network" if flip.to_fabric == "none" else _named(flip.to_fabric, made)
    then = then if flip.to_quote is None else f"quote {flip.to_quote}"
    return f"{_turning(flip, chosen, made)}: then {then}."


def _then_needed(made: Decision) -> str:
    return f": then {name_of(made.choice.unused)}" if made.choice.unused else ""


def _with_one_limit_looser(made: Decision) -> str:
    """The least change of one limit with which something that costs less is kept by all of them."""
    asked = made.job.questionnaire
    alone = [(limits[0], e) for e in made.choice.barred if len(limits := missed(e, asked)) == 1]
    if not alone:
        return ""
    limit, entry = min(alone, key=lambda one: one[0].needs / max(one[0].limit, 1e-9))
    return f"you accept {limit.enough} instead of {limit.given}: then {name_of(entry)} costs less."


def _turning(flip: Flip, chosen: Entry, made: Decision) -> str:
    """``the price at Amazon Web Services falls to $1.87 per GPU-hour``; of a count ``8 GPUs instead of 64``."""
    rises = flip.at > flip.from_
    provider, quote = provider_of(flip.input), quote_of(flip.input)
    about = FIELDS[GPU_PRICE if provider else f"budget.{flip.input.rpartition('.')[2]}" if quote else flip.input].about
    digits = exact_usd if about.kind == "money" else lambda x: f"{x:,.0f}" if abs(x) >= 1e4 else f"{x:,.4g}"
    value, now = (about.unit.format(digits(x)) for x in (flip.at, flip.from_))
    if not (provider or quote) and flip.input not in (GPU_PRICE, PREMIUM):
        return f"{about.label}: {value} instead of {now}"
    if provider:
        offers = [o for e in made.variants for o in e.considered.offers if o.provider == provider]
        tiers = {o.tier for o in offers if o.price and round(o.price.si, 3) == flip.from_}
        whose = f"at {offers[0].provider_name if offers else provider}{tier_told(tiers)}"
    elif quote:
        whose = f"of quote {quote}"
    elif flip.input == GPU_PRICE and made.job.questionnaire.budget.machines_there:
        return (
            f"an hour of a GPU is worth {value.removesuffix(' per GPU-hour')} or {'more' if rises else 'less'} to you"
        )
    elif flip.input == GPU_PRICE:
        whose = "of the GPU"
    else:  # a network wins by becoming cheaper itself, or where the choice becomes dearer
        whose = f"of {name_of(chosen) if rises else _named(flip.to_fabric, made)}"
    upkeep = ", with its power and upkeep," if chosen.price.capital_usd is not None and not quote else ""
    dated = f", as of {flip.dated}" if flip.dated else ""
    return f"the price {whose}{upkeep} {'rises' if rises else 'falls'} to {value}{dated}"


def _named(fabric: str, made: Decision) -> str:
    return next((name_of(e) for e in made.entries if e.id == fabric), fabric)
