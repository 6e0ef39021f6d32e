"""How one network stands against the recommended: whether it is needed, what sets it apart, what would make it win."""

from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Candidate, Plan

from .. import figures
from ..blocks import Block, told
from . import card, flips, reading


def difference(plan: Plan, other: Candidate) -> str | None:
    """What taking this fabric would cost against the recommended one."""
    best = reading.chosen(plan)
    if best is None or best is other or not best.cost_usd or not other.cost_usd or other.fits is False:
        return None
    more, serves = other.median_cost - best.median_cost, reading.serves(plan)
    share = (
        f"{'more' if more >= 0 else 'less'} than {best.fabric} ({figures.percent(100 * abs(more) / best.median_cost)})"
    )
    timed, unit = other.step_time_s and best.step_time_s, "token" if serves else "step"
    time = f", each {unit} {_times(other, best)}" if timed else ""
    return f"{'A month of it' if serves else 'The run'} would cost {figures.usd(abs(more))} {share}{time}."


def _times(other: Candidate, best: Candidate) -> str:
    ratio = other.median_step / best.median_step
    if abs(ratio - 1) < reading.SAME:
        return "as long"
    return f"{ratio:.2f} times as long" if ratio > 1 else f"{1 / ratio:.2f} times as fast"


def barred(plan: Plan, found: Candidate) -> list[str]:
    """Why a candidate is impossible; for a plan in which nothing works, what would help."""
    change = plan.recommendation.smallest_change
    if plan.recommendation.verdict == "infeasible" and change:
        return [change]
    return [f.because for f in plan.findings if f.fabric == found.fabric and f.conclusion == "impossible"]


def apart(plan: Plan, found: Candidate, best: Candidate, catalog: Catalog) -> list[Block]:
    """How far a network is from the recommended one."""
    more = difference(plan, found)
    return told(
        f"{found.fabric}: {more}" if more else f"{found.fabric} has the same figures.",
        *barred(plan, found),
        f'"compare {found.fabric} and {best.fabric}" shows them point by point.',
    )


def need(plan: Plan, found: Candidate, best: Candidate, catalog: Catalog) -> list[Block]:
    """Whether a network is needed, by the plan's own verdicts; for training the computation says more."""
    fabric, no_way = found.fabric, barred(plan, found)
    if found is best:
        return told(f"{fabric} is what the plan recommends.", *card.certain(plan))
    if no_way:
        sold = found.barred in (None, "impossible", "does-not-fit")
        return told(f"{fabric} {'will not do here' if sold else 'cannot be had at a quoted price'}.", *no_way)
    does = "no network between nodes is needed" if best.fabric == "none" else f"{best.fabric} is recommended"
    against = [f.because for f in plan.findings if f.fabric == fabric and f.conclusion == "avoid"]
    how = "is better avoided" if found.verdict == "avoid" else "would do, but is not needed"
    return told(f"{fabric} {how}: {does}.", *against[:1], difference(plan, found))


def win(plan: Plan, found: Candidate, best: Candidate, catalog: Catalog) -> list[Block]:
    """What would have to change for a network to be recommended."""
    fabric, no_way = found.fabric, barred(plan, found)
    if found is best:
        return flips.answer(plan)
    if no_way:
        return told(f"{fabric} cannot be had here, whatever it costs.", *no_way)
    kin = {f.id for f in catalog.fabrics.values() if f.technology == catalog.fabrics[fabric].technology}
    items = [
        flips.turn(flip, plan.recommendation.fabric, plan)
        for flip in plan.recommendation.flips
        if flip.to_fabric in kin
    ]
    none = f"No single input, moved within the values tried, makes {fabric} win."
    return told(
        f"For {fabric} to win, one of these:" if items else none,
        *items,
        _price_to_tie(found, best, reading.with_upkeep(plan)),
    )


def _price_to_tie(found: Candidate, best: Candidate, upkeep: str) -> str | None:
    """The price per GPU-hour at which both runs cost the same: the other's GPUs and network, times its hours ÷ the
    hours of this one."""
    if not found.run_hours or not best.run_hours:
        return None
    usd, network = figures.usd, found.fabric_usd_per_gpu_hour or 0.0
    now = network + (found.gpu_usd_per_hour or 0.0)
    theirs = (best.fabric_usd_per_gpu_hour or 0.0) + (best.gpu_usd_per_hour or 0.0)
    less = now - theirs * best.run_hours / found.run_hours
    if abs(less) < reading.EQUAL * now:
        return "Their costs are the same already."
    if less < 0.0:
        rules = f'what speaks for {best.fabric} are the rules ("why").'
        return f"It costs less already, by {usd(-less)} per GPU-hour; {rules}"
    named, then = f"{usd(less)} less per GPU-hour", "then both cost the same."
    if less <= network:
        return f"Its network{upkeep and f'{upkeep},'} {named} ({usd(network - less)} instead of {usd(network)}): {then}"
    both = f"GPU and network together {named} ({usd(now - less)} instead of {usd(now)}): {then}"
    return f"{both} No price of its network alone does it."
