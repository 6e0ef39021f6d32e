"""What somebody needs who has to decide or to promise: one day, one number, the next offer, the odds."""

from __future__ import annotations

import datetime

from assistant.vocabulary.plan import Candidate
from assistant.vocabulary.quantities import HOURS_PER_MONTH, days_said

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable
from .terms_of_rent import taken

_ALIKE = 1.0  # percent of a step: what is less apart is as fast
_WRONG = 3.0  # times the price: what is farther from it is no price of the hour
_CERTAIN = {"clear": "it is clear", "close": "it is close", "toss-up": "it is a toss-up"}


def promised(asked: Asked) -> list[str]:
    """Which of the cases the day is, and the one to promise."""
    best = asked.best
    if best is None or best.run_hours is None or not reading.ends(asked.plan):
        return []
    slow = reading.run_band(best)[1]
    if asked.plan.purchase is not None and not asked.plan.purchase.gpus_there:
        return [
            f"It is the median, {figures.hours(best.run_hours)} from delivery; promise {figures.hours(slow)}, which "
            "nine of ten cases keep, after a delivery that is in writing."
        ]
    day = lambda hours: reading.day((asked.today + datetime.timedelta(hours=hours)).isoformat())
    limit = reading.asked(asked.plan, "constraints.deadline_days") or next(
        (days for days in asked.amounts("time") if days > 1), None
    )
    kept = "" if not limit else f", {'within' if slow <= 24 * limit else 'past'} the {days_said(limit)}"
    return [
        f"It is the median: half of the cases end later. Promise {day(slow)}, {figures.hours(slow)}: nine of ten are "
        f"done by then{kept}.",
        f"The median is {day(best.run_hours)}, {figures.hours(best.run_hours)}, if it starts today; the days until the "
        "machines are there come on top.",
    ]


def one_number(asked: Asked) -> list[str]:
    """The one comparison that decides: the best network of another kind in time, then in money."""
    best, other = asked.best, other_kind(asked)
    if best is None or best.step_time_s is None:
        return []
    if best.fabric == "none":
        return ["0 bytes cross a network between nodes here: no network is recommended, so none is advertised."]
    if other is None:
        return []
    more = slower(other, best)
    priced = [c for c in usable(asked) if c is not best and c.cost_usd and c.verdict == "acceptable"]
    least = min(priced, key=lambda c: c.median_cost, default=None)
    steps = f"{figures.seconds(other.median_step)} against {figures.seconds(best.median_step)}"
    names = f"on {asked.name(other.fabric)} a step takes {lasts(more)} than on {asked.name(best.fabric)} ({steps})"
    sums = ""
    if best.cost_usd and other.cost_usd:
        sums = f"; {money(other)} against {money(best)} for {reading.bill(asked.plan)}"
    elif best.cost_usd and least is not None:
        sums = f"; the next with a price, {asked.name(least.fabric)}, is {money(least)} against {money(best)}"
    fast = abs(more) < _ALIKE
    price = "So it is not the speed: the price decides, " if fast else "So the speed speaks for it; the price is "
    offers = [o for o in asked.plan.offers if o.fabric == best.fabric and o.usd_per_gpu_hour]
    seller = f"{len(offers)} published offers of it" if offers else "parts at published prices"
    low, high = (figures.seconds(getattr(best.step_time_s, end)) for end in ("p10", "p90"))
    return [
        f"{'As fast' if fast else f'{abs(more):.2g} %'}: {names.replace('long than', 'long as')}{sums}.",
        f"{price}that of {seller}. A step is computed, {low} to {high}; 20 steps of yours on both show it.",
    ]


def other_kind(asked: Asked) -> Candidate | None:
    """The best network of another technology with RDMA: a named one first."""
    best = asked.best
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    named = (reading.candidate(asked.plan, f) for f in asked.fabrics)
    ethernet = best is not None and kind(best) in (
        "roce",
        "spectrum-x",
        "ultra-ethernet",
    )  # is what "ethernet" names then
    meant = (c for c in named if c is not None and c is not best and not (ethernet and kind(c) == "tcp"))
    found = next((c for c in meant if c.step_time_s), None)
    able = [c for c in asked.plan.candidates if c.step_time_s and c.fits is not False and c is not best]
    wanted = "roce" if best is not None and kind(best) == "infiniband" else "infiniband"
    rest = [c for c in able if kind(c) == wanted] or [c for c in able if best and kind(c) != kind(best)]
    return found or min(rest, key=lambda c: (c.median_step, c.median_cost), default=None)


def next_offer(asked: Asked) -> list[str]:
    """The next offer of another seller: how far behind it is, a month and in all, and at which price it would win."""
    offer, best = taken(asked), asked.best
    if offer is None or best is None or offer.run_cost_usd is None or not offer.usd_per_gpu_hour:
        return []
    others = [o for o in asked.plan.offers if o.provider != offer.provider and o.run_cost_usd and o.usd_per_gpu_hour]
    able = [o for o in others if o.verdict in ("recommended", "acceptable") and o.meets_limits] or others
    second = min(able, key=lambda o: o.ranked_usd, default=None)
    if second is None or second.usd_per_gpu_hour is None:
        return ["Nobody else lets it at a price that was read, so there is nothing to haggle with."]
    more = second.ranked_usd - offer.ranked_usd
    who = second.provider_name or second.provider
    even = second.usd_per_gpu_hour * offer.ranked_usd / second.ranked_usd
    month = HOURS_PER_MONTH * reading.gpus(asked.plan)
    apart = f"{figures.usd(month * (second.usd_per_gpu_hour - offer.usd_per_gpu_hour))} a month"
    found = reading.candidate(asked.plan, second.fabric)
    time = f"; each step {lasts(slower(found, best))}" if found is not None and found.step_time_s else ""
    return [
        f"Second is {who}, {asked.name(second.fabric)}: {figures.usd(second.ranked_usd)} for {reading.bill(asked.plan)}"
        f", {figures.usd(more)} ({more / offer.ranked_usd:.0%}) more than {offer.provider_name or offer.provider}, "
        f"{apart}{time}.",
        f"It would win below {figures.usd(even)} per GPU-hour instead of {figures.usd(second.usd_per_gpu_hour)}; the "
        f"first may rise to {figures.usd(offer.usd_per_gpu_hour * second.ranked_usd / offer.ranked_usd)} from "
        f"{figures.usd(offer.usd_per_gpu_hour)}.",
    ]


def price_named(asked: Asked) -> list[str]:
    """A price of the hour that is named, held against the one that is taken, in plain words."""
    offer, best = taken(asked), asked.best
    if offer is None or best is None or best.cost_usd is None or not offer.usd_per_gpu_hour:
        return []
    rate = offer.usd_per_gpu_hour
    named = next((usd for usd in asked.amounts("money") if rate / _WRONG < usd < _WRONG * rate), None)
    if named is None:
        return []
    sums = figures.usd(named / rate * best.cost_usd.p50)
    who = offer.provider_name or offer.provider
    if named > rate:
        return [
            f"Because we pay less: {figures.usd(rate)} per GPU-hour at {who}, {money(best)} in all; at "
            f"{figures.usd(named)} the same would be {sums}.",
            "For more money it would have to be sure sooner, or come with a promise of the machines and of support: "
            "ask for that in writing.",
        ]
    ends = f", done in {figures.hours(best.run_hours)} either way" if reading.ends(asked.plan) else ""
    return [
        f"Nobody who is published asks {figures.usd(named)}; the lowest that keeps what you asked for is "
        f"{figures.usd(rate)} at {who}. If it holds, take it: {sums} instead of {money(best)}{ends}.",
        "It holds if the network is the same and in the price, and if machines and day are in writing.",
    ]


def odds(asked: Asked) -> list[str]:
    """How likely the choice is not the cheapest in the end, and what is lost then."""
    best, plan = asked.best, asked.plan
    other = other_kind(asked)
    if best is None or best.step_time_s is None:
        return []
    likely = plan.recommendation.confidence
    said = [
        f"{100 * (1 - likely):.0f} %: so often {asked.name(best.fabric)} is not the cheapest of what is advised; then "
        f"{_lost(asked, best)} is lost."
    ]
    if other is not None and other.run_hours and best.run_hours and reading.ends(plan):
        slow = reading.run_band(best)[1]
        late = max(0.0, slow - other.run_hours)
        cost = ""
        if best.cost_usd and other.cost_usd:
            cost = f" and {figures.usd(max(0.0, best.cost_usd.p90 - other.median_cost))}"
        said.append(
            f"At its worst, one case of ten, it takes {figures.hours(slow)}: {late / 168:.1f} weeks{cost} more than "
            f"{asked.name(other.fabric)} in the middle ({figures.hours(other.run_hours)})."
        )
    step = figures.seconds(best.step_time_s.p90)
    return [*said, f"20 steps on all nodes show it in an hour: above {step} a step stop."]


def _lost(asked: Asked, best: Candidate) -> str:
    """What the cheapest other network would have saved, at the middle of its band."""
    others = [c for c in usable(asked) if c is not best and c.cost_usd and c.verdict == "acceptable"]
    least = min(others, key=lambda c: c.cost_usd.p10 if c.cost_usd else 0.0, default=None)
    if least is None or least.cost_usd is None or best.cost_usd is None:
        return "time, no sum that is known,"
    return f"at most about {figures.usd(max(0.0, best.cost_usd.p50 - least.cost_usd.p10))}"


def if_forced(asked: Asked) -> list[str]:
    """The one pick, with its sum and day, and how sure it is in a word."""
    best, card = asked.best, asked.plan.recommendation.card
    if best is None or card is None:
        return []
    ends = f", done in {figures.hours(best.run_hours)}" if reading.ends(asked.plan) else ""
    runner = reading.candidate(asked.plan, asked.plan.recommendation.runner_up)
    beside = ""
    if runner is not None and runner.cost_usd and runner is not best:
        time = f", {figures.hours(runner.run_hours)}" if reading.ends(asked.plan) else ""
        beside = f" Next: {asked.name(runner.fabric)}, {money(runner)}{time}."
    word = _CERTAIN.get(str(asked.plan.recommendation.certainty), "")
    return [
        f"{card.do.rstrip('.')}: {money(best)}{ends}; {word}, {100 * asked.plan.recommendation.confidence:.0f} "
        f"% of the "
        f"draws.{beside}"
    ]


def tips_named(asked: Asked) -> list[str]:
    """What would tip the choice to another network that the job names: the price at which it costs as much, or its
    own."""
    best = asked.best
    if best is None or best.cost_usd is None or not best.step_time_s or "toss" not in asked.text:
        return []
    word = _CERTAIN.get(str(asked.plan.recommendation.certainty), "")
    said = []
    for fabric in asked.networks:
        one = reading.candidate(asked.plan, fabric)
        if one is None or one is best or one.step_time_s is None or not one.run_hours:
            continue
        even = best.median_cost / (reading.gpus(asked.plan) * one.run_hours)
        asks = f", it is {money(one)}" if one.cost_usd else ", no rent with it is published"
        said.append(
            f"{asked.name(fabric)}: each step {lasts(slower(one, best))}{asks}; it ties at {figures.usd(even)} per "
            f"GPU-hour, and {asked.name(best.fabric)} is {money(best)}."
        )
    return [f"Toss-up would mean that the sums tie within their error. Here {word}.", *said] if said else []


def day_one(asked: Asked) -> list[str]:
    """What to look at in the first hour, with the figures at which to stop."""
    best = asked.best
    if best is None or best.step_time_s is None or reading.serves(asked.plan):
        return []
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    price, gpus = best.gpu_usd_per_hour, reading.gpus(asked.plan)
    hour = f", {figures.usd(price * gpus)} an hour" if price and not asked.buys else ""
    limit, step = figures.seconds(best.step_time_s.p90), figures.seconds(best.median_step)
    rate = f" ({figures.significant(best.tokens_per_s_per_gpu)} tokens/s per GPU)" if best.tokens_per_s_per_gpu else ""
    room = gpu.memory.si / 2**30
    net = "" if best.fabric == "none" else " Network: all_reduce_perf on two nodes first."
    sum_ = f" of {money(best)}" if best.cost_usd and not asked.buys else ""
    return [
        f"20 steps of your job{hour}: {step} each{rate}. Above {limit} stop: days and sum{sum_} grow as much.",
        f"Memory: planned {reading.gib(best):,.0f} of {room:,.0f} GiB on the fullest GPU.",
        f"Storage: read the data and write one checkpoint, timed.{net}",
    ]


def evidence(asked: Asked) -> list[str]:
    """What is measured by others, what makers say, and what is modelled, of what counts here."""
    best = asked.best
    if best is None or not asked.says("of_measuring"):
        return []
    made = asked.catalog.fabrics.get(best.fabric)
    reached = made.bandwidth_efficiency if made is not None else None
    network = ""
    if reached is not None:
        whence = "derived from measurements" if reached.source.startswith("derived") else "measured"
        network = f"; what {asked.name(best.fabric)} reaches of its line, {100 * reached.si:.0f} % ({whence})"
    return [
        f"Measured by others: time of kernels on published runs, failures per node{network}.",
        "Makers' data: peaks, memory, line rates. Lists: prices. Modelled: the split, what overlaps, slow nodes, the "
        "sum of it all; that decides the time of a step.",
    ]


def rack_scale(asked: Asked) -> list[str]:
    """Machines with many GPUs on one scale-up link beside those of the plan: both sums, and the price at which they
    tie."""
    best, own = asked.best, asked.plan.questionnaire["cluster"]["gpu"]
    domain = asked.catalog.gpus[own].scale_up_domain
    wide = [g for g, one in asked.catalog.gpus.items() if one.scale_up_domain > domain and one.vendor == "nvidia"]
    named = [g for g in asked.said.named("gpu") if g in wide]
    stem = own.partition("-")[0]
    gpu = next(iter([*named, *(g for g in wide if stem in g), *wide]), None)
    if best is None or gpu is None or not best.run_hours or not reading.ends(asked.plan):
        return []
    open_ = {"cluster.gpus_per_node": None, "cluster.fabric": None, "budget.usd": None, "cluster.provider": None}
    made = asked.tried({"cluster.gpu": gpu, **open_})
    one = reading.chosen(made) if made else None
    name, mine = asked.catalog.gpus[gpu].name, asked.catalog.gpus[own].name
    if made is None or one is None or not one.run_hours:
        return [f"{name}: does not do here as asked."]
    gpus = reading.gpus(made)
    less = 100 * (1 - one.run_hours / best.run_hours)
    said = f"{name}: done in {figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}"
    if not best.cost_usd:
        return [f"{said}; no price of {mine} is known, so no premium can be told."]
    even = best.median_cost / (gpus * one.run_hours)
    now = best.median_cost / (reading.gpus(asked.plan) * best.run_hours)
    asks = one.median_cost / (gpus * one.run_hours) if one.cost_usd else None
    verdict = "No price of it is known" if asks is None else "It pays" if asks <= even else "It does not pay"
    costs = "" if asks is None else f", {money(one)} against {money(best)}"
    waits = [figures.percent(c.exposed_communication_percent) for c in (one, best)]
    return [
        f"{verdict}: {said}{costs}.",
        f"It may cost {figures.usd(even)} per GPU-hour, {100 * (even / now - 1):.0f} % more than "
        f"{figures.usd(now)} for "
        f"{mine}{'' if asks is None else f'; it is let at {figures.usd(asks)}'}.",
        f"{waits[0]} of a step waits for communication there, {waits[1]} here: it saves {less:.0f} % of the time.",
    ]
