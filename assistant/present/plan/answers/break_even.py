"""Where it evens out: how much slower a cheaper network may be, what would prove the plan wrong, and how bad it gets on
the plain one."""

from __future__ import annotations

from assistant.vocabulary.plan import Candidate
from assistant.vocabulary.quantities import compared, days_said

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower
from .networks import plainer_network

_TEST_STEPS = 20  # as many as show a steady step: the first few warm up
_CLOSE = 1.25  # times the sum
_MOST = 95.0  # percent: a larger discount is none


def parity(asked: Asked) -> list[str]:
    """How much longer a run may take where its hours cost so many percent less, and how much longer it does."""
    best = asked.best
    percent = next((share for share in asked.amounts("percent", "share") if 0 < share <= _MOST), None)
    if best is None or percent is None or not reading.ends(asked.plan) or not asked.says("slowdown"):
        return []
    times = 1 / (1 - percent / 100)
    said = [
        f"At {percent:g} % less an hour the sum evens out where the run takes {100 * (times - 1):.1f} % longer "
        f"(1 ÷ {1 - percent / 100:.2f})."
    ]
    other = _other(asked)
    if other is None:
        return said
    more, hours = slower(other, best), other.run_hours or 0.0
    pays = "the discount pays" if more < 100 * (times - 1) else "the discount does not pay"
    return [
        *said,
        f"A step on {asked.name(other.fabric)} is computed to take {lasts(more)}, {figures.hours(hours)} in all "
        f"instead of {figures.hours(best.run_hours)}: {pays}.",
    ]


def _other(asked: Asked) -> Candidate | None:
    """The network that the plan's own is held against: a named one, else the next best."""
    best = asked.best
    named = (reading.candidate(asked.plan, one) for one in (*asked.fabrics, asked.plan.recommendation.runner_up))
    return next((c for c in named if c is not None and c is not best and c.step_time_s), None)


def disprove(asked: Asked) -> list[str]:
    """A measurement that would turn the answer: the step at which another network costs as little."""
    best = asked.best
    other = _held_against(asked)
    if best is None or other is None or best.step_time_s is None or reading.serves(asked.plan):
        return []
    even = best.median_step
    cheaper = bool(best.cost_usd and other.cost_usd and best.median_cost and other.median_cost)
    if cheaper:
        even *= other.median_step / best.median_step * best.median_cost / other.median_cost
    name, computed = asked.name(other.fabric), figures.seconds(other.median_step)
    would = "cost no more" if cheaper else "be as fast"
    seconds = _TEST_STEPS * other.median_step
    price = other.gpu_usd_per_hour or best.gpu_usd_per_hour
    cost = f", about {figures.usd(price * reading.gpus(asked.plan) * seconds / 3600)}" if price else ""
    return [
        f"A test: {_TEST_STEPS} steps of your job on {name} ({figures.seconds(seconds)}{cost}). "
        f"At {figures.seconds(even)} a step or less it would {would}, and I would take it; computed are {computed}."
    ]


def _held_against(asked: Asked) -> Candidate | None:
    """The network that somebody believes in: a named one, else the next best where it is close, else the plain one."""
    named, best = _named(asked), asked.best
    runner = reading.candidate(asked.plan, asked.plan.recommendation.runner_up)
    close = runner is not None and best is not None and runner.median_cost < _CLOSE * best.median_cost
    return named or (runner if close else None) or plainer_network(asked) or runner


def slower_on(asked: Asked) -> list[str]:
    """A network that is named, or whose rate is, beside the plan's: step, run, money, and what the difference is."""
    best, other = asked.best, _named(asked) or plainer_network(asked)
    if best is None or other is None or other.step_time_s is None or best.step_time_s is None:
        return []
    band, ends = other.step_time_s, reading.ends(asked.plan)
    sums = f", {money(other)} instead of {money(best)}" if other.cost_usd and best.cost_usd else ""
    takes = (
        f"; {figures.hours(other.run_hours)} in all instead of {figures.hours(best.run_hours)}{sums}" if ends else sums
    )
    waits = [figures.percent(reading.waited(asked.plan, c)) for c in (other, best)]
    return [
        f"On {asked.name(other.fabric)} a step takes {figures.seconds(band.p50)} ({figures.seconds(band.p10)} to "
        f"{figures.seconds(band.p90)}), on {asked.name(best.fabric)} {figures.seconds(best.median_step)}: "
        f"{lasts(slower(other, best))}{takes}.",
        f"{waits[0]} of a step waits for the network there, here {waits[1]}. Computed from published measured runs, "
        "not from what sellers say; 20 steps show it.",
    ]


def _named(asked: Asked) -> Candidate | None:
    """The network that is named, or the one of a rate that is, plain Ethernet first."""
    found = _other(asked) if asked.fabrics else None
    rates = asked.amounts("rate")
    able = [c for c in asked.plan.candidates if c.step_time_s and c is not asked.best]
    rate = lambda c: asked.catalog.fabrics[c.fabric].nic_rate * 8 / 1e9
    same = [c for c in able if any(abs(rate(c) - one) < 1 for one in rates)]
    plain = [c for c in same if asked.catalog.fabrics[c.fabric].technology == "tcp"]
    return found or next(iter(plain or same), None)


def regret(asked: Asked) -> list[str]:
    """What is lost where the choice turns out badly: its slow tenth beside the next best in the middle."""
    best, plan = asked.best, asked.plan
    other = reading.candidate(plan, plan.recommendation.runner_up)
    if best is None or other is None or best.cost_usd is None or other.cost_usd is None or not reading.ends(plan):
        return worst_case(asked)
    slow, most = reading.run_band(best)[1], best.cost_usd.p90
    late, more = slow - (other.run_hours or 0.0), most - other.cost_usd.p50
    lost = f"{figures.usd(more)} more" if more > 0 else f"even so {figures.usd(-more)} less"
    return [
        f"That {asked.name(best.fabric)} is as slow as in one case of ten: {figures.hours(slow)} and "
        f"{figures.usd(most)}, {figures.hours(late)} later and {lost} than {asked.name(other.fabric)} in the middle "
        f"({money(other)}){_limits(asked, best)}",
        f"Limit it: {_TEST_STEPS} steps on the machines before you sign for long (above "
        f"{figures.seconds(best.step_time_s.p90 if best.step_time_s else None)} a step stop), and a right to leave.",
    ]


def worst_case(asked: Asked) -> list[str]:
    """What is lost on the plain network, where its slow tenth of cases ends, and whether the limits hold then."""
    best, plain = asked.best, _named(asked) or plainer_network(asked)
    if best is None:
        return []
    if plain is None or best.fabric == "none" or not reading.ends(asked.plan) or plain.step_time_s is None:
        return _of_the_plan(asked, best)
    slow = reading.run_band(plain)[1]
    sums = f" and {money(plain)}" if plain.cost_usd else ""
    most = f" and {figures.usd(plain.cost_usd.p90)}" if plain.cost_usd else ""
    return [
        f"On {asked.name(plain.fabric)} instead it takes {figures.hours(plain.run_hours)}{sums}, in one case of ten "
        f"{figures.hours(slow)}{most}{_limits(asked, plain)}",
        "The rest of the risk is a run that hangs: a checkpoint every half hour, and stop it where 20 steps take twice "
        "as long as computed.",
    ]


def _of_the_plan(asked: Asked, best: Candidate) -> list[str]:
    if best.cost_usd is None or not reading.ends(asked.plan):
        return []
    slow = figures.hours(reading.run_band(best)[1])
    return [f"In one case of ten it takes {slow} and costs {figures.usd(best.cost_usd.p90)}{_limits(asked, best)}"]


def _limits(asked: Asked, found: Candidate) -> str:
    """Whether the slow tenth keeps the day and the money that were said."""
    days, usd = reading.asked(asked.plan, "constraints.deadline_days"), reading.asked(asked.plan, "budget.usd")
    slow, most = reading.run_band(found)[1], found.cost_usd.p90 if found.cost_usd else None
    told = [f"{'within' if slow <= 24 * days else 'past'} the {days_said(days)}"] if days else []
    told += [f"{'within' if most <= usd else 'over'} the {figures.usd(usd)}"] if usd and most is not None else []
    return f": {', '.join(told)}." if told else "."


def first_limit(asked: Asked) -> str | None:
    """Which of the limits breaks first where steps come out slower."""
    best = asked.best
    if best is None or best.run_hours is None or not reading.ends(asked.plan):
        return None
    days, usd = reading.asked(asked.plan, "constraints.deadline_days"), reading.asked(asked.plan, "budget.usd")
    room = [(24 * days / best.run_hours, f"the {days_said(days)}")] if days else []
    if usd and best.cost_usd is not None and asked.plan.purchase is None:
        room.append((usd / best.cost_usd.p50, f"the {figures.usd(usd)}"))
    if not room:
        return None
    (first, what), *later = sorted(room)
    then = "".join(f"; {other} from {compared(times, 'longer')} on" for times, other in later)
    if first < 1:
        return f"First {what}: broken already{then}."
    return f"First {what}: steps {compared(first, 'longer')} break it{then}."


def accumulate(asked: Asked) -> list[str]:
    """The same with a batch four times as large: fewer exchanges for the same work."""
    best = asked.best
    batch = reading.asked(asked.plan, _BATCH) or next(
        (a.value for a in asked.plan.assumptions if a.field == _BATCH), None
    )
    plain = plainer_network(asked)
    if best is None or not isinstance(batch, int | float) or not asked.says("accumulation"):
        return []
    more = int(4 * batch)
    tried = asked.tried({_BATCH: more})
    found = reading.candidate(tried, plain.fabric if plain is not None else best.fabric) if tried else None
    now = plain or best
    if found is None or found.exposed_communication_percent is None or now.exposed_communication_percent is None:
        return []
    then, before = (
        figures.percent(found.exposed_communication_percent),
        figures.percent(now.exposed_communication_percent),
    )
    left = found.exposed_communication_percent
    verdict = (
        "so it all but does"
        if left < 5
        else "so it helps in part"
        if left < 0.7 * now.exposed_communication_percent
        else "so hardly"
    )
    return [
        f"On {asked.name(now.fabric)} a global batch of {more:,} instead of {batch:,.0f} leaves {then} of a step "
        f"waiting instead of {before}: {verdict}.",
        "Accumulation spreads the exchange of gradients; sharded weights are still gathered for every micro-batch, and "
        "so large a batch may learn worse.",
    ]


_BATCH = "training.global_batch"
