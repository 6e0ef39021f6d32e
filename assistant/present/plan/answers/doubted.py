"""Where it is doubted: what is paid if the speed is off, and whose figure holds where somebody claims another."""

from __future__ import annotations

import re
from math import ceil

from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.plan import Candidate, Plan
from assistant.vocabulary.quantities import days_said

from ... import figures
from .. import reading
from .asked import Asked, money

_OF_OURS = re.compile(r"(?:%|percent|half|third|quarter)\s+(?:as|of|the)\b")
_CLOSE = 0.02  # shares of a speed that are closer say the same


def off_by(asked: Asked) -> list[str]:
    """Time and money where the job runs at another speed than is computed."""
    best, factor = asked.best, _factor(asked)
    if best is None:
        return [f"Nothing works as asked even at the speed that was computed. {asked.plan.recommendation.headline}"]
    computed = ""
    speed = "half the speed" if factor == 2 else f"{100 / factor:.0f} % of the speed"
    if "mfu" in asked.text and best.mfu and asked.amounts("percent"):
        speed = f"{100 * best.mfu / factor:.0f} % MFU"
        computed = f" (at the {100 * best.mfu:.0f} % computed)"
    if not reading.ends(asked.plan):
        return [_served(asked, speed, factor)]
    takes = f"{figures.hours(factor * (best.run_hours or 0.0))} instead of {figures.hours(best.run_hours)}{computed}"
    said = f"At {speed} it takes {takes}"
    bought = reading.to_buy(asked.plan)
    if bought is not None:
        return [f"{said}; the purchase stays {figures.usd(bought.capital_usd)}."]
    if best.cost_usd is None:
        return [f"{said}; no price of it is known."]
    return [f"{said} and costs {figures.usd(factor * best.cost_usd.p50)} instead of {money(best)}."]


def _served(asked: Asked, speed: str, factor: float) -> str:
    """A service at another speed: as many GPUs as a load takes that is as much larger."""
    best, load = asked.best, reading.asked(asked.plan, "inference.requests_per_s")
    assert best is not None
    if not load:
        return f"At {speed} the same money answers {100 / factor:.0f} % as many requests."
    more = asked.tried({"inference.requests_per_s": factor * load})
    if more is None:
        return f"At {speed} these {reading.gpus(asked.plan):,} GPUs miss the targets at {load:g} requests a second."
    one = reading.chosen(more)
    if reading.gpus(more) <= reading.gpus(asked.plan):
        return f"At {speed} these {reading.gpus(asked.plan):,} GPUs still carry the load within the targets."
    sums = f" and {money(one)} a month instead of {money(best)}" if one is not None else ""
    gpus = reading.gpus(asked.plan)
    return f"At {speed} the load takes about {reading.gpus(more):,} GPUs instead of {gpus:,}{sums}."


def _factor(asked: Asked) -> float:
    """How many times as long it takes, as the message has it; twice where it says nothing."""
    text, best = asked.text, asked.best
    shares = [share for share in asked.amounts("percent", "share") if share > 0]
    times = [many for many in asked.amounts("number") if 1.0 < many <= 100.0]
    if "mfu" in text and shares and best is not None and best.mfu:
        return 100 * best.mfu / shares[0]
    better = asked.says("better")
    if shares:
        factor = _of_share(shares[0] / 100, text, less=not better and asked.says("less"))
    elif times:
        factor = times[0]
    else:
        factor = asked.times or 2.0
        better = better and "half" not in text
    return 1 / factor if better and factor > 1 else factor


def _of_share(share: float, text: str, *, less: bool) -> float:
    """ "half of that", "30 % lower", "30 % too high"."""
    if share < 1 and _OF_OURS.search(text):
        return 1 / share
    if share < 1 and less:
        return 1 / (1 - share)
    return 1 + share


def off_by_limits(asked: Asked) -> str | None:
    """Whether the day and the money that were said hold then, and what would keep the day."""
    best, factor = asked.best, _factor(asked)
    if best is None or best.run_hours is None or not reading.ends(asked.plan):
        return None
    days, usd = reading.asked(asked.plan, "constraints.deadline_days"), reading.asked(asked.plan, "budget.usd")
    said = []
    if usd and best.cost_usd is not None and asked.plan.purchase is None:
        kept = "still within" if factor * best.cost_usd.p50 <= usd else "over"
        said.append(f"{kept} the {figures.usd(usd)}")
    late = bool(days) and factor * best.run_hours > 24 * days
    if days:
        said.append(f"{'too late for' if late else 'still within'} the {days_said(days)}")
    if not said:
        return None
    gpus = reading.gpus(asked.plan)
    more = f"; about {ceil(factor * gpus):,} GPUs instead of {gpus:,} would make up for it" if late else ""
    return f"That is {' and '.join(said)}{more}."


def off_by_check(asked: Asked) -> str | None:
    """How far off it is likely to be, and how to know."""
    best, factor = asked.best, _factor(asked)
    if best is None or best.step_time_s is None:
        return None
    band = best.step_time_s
    within = band.p10 <= factor * band.p50 <= band.p90
    span = f"eight of ten cases lie between {band.p10 / band.p50:.2f} and {band.p90 / band.p50:.2f} times the time"
    test = "one copy for an hour" if reading.serves(asked.plan) else "20 steps"
    likely = "that is within the error that is counted" if within else "so much is not likely"
    return f"By our own errors {span}: {likely}; {test} would show it."


def claim(asked: Asked) -> str | None:
    """What the plan says of the two networks whose speeds somebody claims."""
    one, other = _compared(asked)
    if one is None:
        return None
    if other is None:
        band = one.step_time_s
        spread = f", {figures.seconds(band.p10)} to {figures.seconds(band.p90)} in eight of ten cases" if band else ""
        unit = "token" if reading.serves(asked.plan) else "step"
        return f"Ours for this job on {asked.name(one.fabric)}: {figures.seconds(one.median_step)} a {unit}{spread}."
    share = other.median_step / one.median_step
    alone = ", at one site," if (reading.asked(asked.plan, "cluster.sites") or 1) > 1 else ""
    said = (
        f"Here{alone} {asked.name(one.fabric)} reaches {100 * share:.0f} % of the speed of {asked.name(other.fabric)}"
    )
    theirs = next((share / 100 for share in asked.amounts("percent")), None)
    if theirs is None:
        return f"{said}, the whole step counted."
    if "slower" in asked.text or (theirs < _A_GAP and any(word in asked.text for word in _OF_A_GAP)):
        theirs = 1 - theirs
    if share >= theirs - _CLOSE:
        return f"{said}: no less than the {100 * theirs:.0f} % that are claimed, so the two do not disagree."
    return f"{said}, they say {100 * theirs:.0f} %: for this job I would go by the lower figure until it is measured."


_A_GAP = 0.5  # a smaller share that is claimed is the distance between both
_OF_A_GAP = ("within", "difference", "apart", "gap", "less", "behind", "only")


def _compared(asked: Asked) -> tuple[Candidate | None, Candidate | None]:
    """The network of which something is claimed, and the one that it is held against."""
    sites = reading.asked(asked.plan, "cluster.sites") or 1
    plan = asked.plan if sites == 1 else _one_site(asked, sites)
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    able = [c for c in plan.candidates if c.verdict != "impossible" and c.fits is not False and c.step_time_s]
    timed = [c for c in plan.candidates if c.step_time_s and c.fits is not False and c.fabric != "none"]
    named = [next((c for c in timed if c.fabric == f), None) for f in _quoted(asked)]
    found = [c for c in named if c is not None]
    if "ethernet" in asked.text and not any(
        word in asked.text for word in _PLAIN
    ):  # as fast as any: not its slowest kind
        quick = [c for c in able if kind(c) in ("roce", "spectrum-x")]
        ethernet = min(quick, key=lambda c: c.median_step, default=None)
        found = [ethernet if ethernet is not None and kind(c) == "tcp" else c for c in found]
    if len(found) > 1:
        return found[0], found[1]
    if len(found) == 1:
        others = [c for c in able if kind(c) != kind(found[0]) and c.fabric != "none"]
        other = min(others, key=lambda c: c.median_step, default=None)
        infiniband = kind(found[0]) == "infiniband"
        return (other, found[0]) if infiniband and other is not None else (found[0], other)
    return asked.best, None


_PLAIN = ("tcp", "plain", "ordinary", "normal", "simple", "standard")


def _quoted(asked: Asked) -> list[str]:
    """The networks that are named; where quotes are on the table, at the rates of these."""
    kind = lambda fabric: asked.catalog.fabrics[fabric].technology if fabric in asked.catalog.fabrics else ""
    offered = {kind(q.fabric): q.fabric for q in asked.plan.quotes if q.fabric}
    return [offered.get(kind(fabric), fabric) for fabric in asked.fabrics]


def _one_site(asked: Asked, sites: int) -> Plan:
    """The job at one of its sites: between sites no network of a site is what it is."""
    return asked.tried({"cluster.sites": 1, "cluster.gpus": reading.gpus(asked.plan) // sites}) or asked.plan


def claim_why(asked: Asked) -> str | None:
    """Why such figures differ though both may be right."""
    one, _ = _compared(asked)
    if one is None:
        return None
    made: Fabric = asked.catalog.fabrics[one.fabric]
    share = one.exposed_communication_percent
    part = f", of which {figures.percent(share)} waits for it here" if share else ""
    line = made.bandwidth_efficiency
    ours = f" We count {figures.percent(100 * line.si)} of its line rate." if line is not None else ""
    return f"A slide tells the bandwidth of one operation in a tuned test; the plan counts the whole step{part}.{ours}"


def claim_check(asked: Asked) -> str | None:
    """What settles it."""
    test = next(iter(asked.plan.measure_first), None)
    settle = test[:1].lower() + test[1:] if test else "the same 20 steps of your job on both networks"
    return f"It is settled by a test on your nodes: {settle.rstrip('.')}."
