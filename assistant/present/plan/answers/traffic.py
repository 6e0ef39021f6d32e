"""What crosses the network and how it is counted: collectives, overlap, how a network is rated, whether it matters."""

from __future__ import annotations

import re

from assistant.vocabulary.plan import Candidate

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower
from .networks import plainer_network

_MATTERS, _MUCH = 5.0, 20.0  # percent of a step


def all_reduce_means(asked: Asked) -> str:
    return (
        "All-reduce: each GPU has a part of the sum (its gradients), all are added up, and each gets the whole back. "
        "Between machines that goes over the network."
    )


def wiring_means(asked: Asked) -> str:
    """What an interconnect is, for who knows offices and no clusters."""
    return (
        f"The wiring between the machines. The {reading.gpus(asked.plan):,} chips share one task and tell "
        "each other their "
        "results all the time; none goes on before the last has answered."
    )


def wiring_here(asked: Asked) -> list[str]:
    """What good and bad wiring make of this bill."""
    best = asked.best
    if best is None:
        return []
    if best.fabric == "none":
        return ["In your case they need not: so pay for no special wiring."]
    said = f"Poor wiring means paid waiting: {figures.percent(best.exposed_communication_percent)} of the time"
    other = plainer_network(asked)
    if other is None or not other.cost_usd:
        return [f"{said} with the planned one."]
    return [
        f"{said} with the planned one, {figures.percent(other.exposed_communication_percent)} with office wiring: "
        f"{money(other)} instead of {money(best)}."
    ]


def irrelevant(asked: Asked) -> list[str]:
    """Yes or no to whether the network matters at all."""
    best = asked.best
    if best is None:
        return [asked.plan.recommendation.smallest_change or asked.plan.recommendation.headline]
    if best.fabric == "none":
        return ["Yes: nothing of this job crosses a network between nodes."]
    waits, name = best.exposed_communication_percent or 0.0, asked.name(best.fabric)
    other = plainer_network(asked)
    more = slower(other, best) if other is not None else 0.0
    most = max(waits, more)
    verdict = "Yes, nearly" if most < _MATTERS else "Not quite" if most < _MUCH else "No"
    beside = f"; on {asked.name(other.fabric)} a step takes {lasts(more)}" if other is not None else ""
    said = [f"{verdict}: {figures.percent(waits)} of a step waits for it on {name}{beside}."]
    if waits < _MATTERS <= more:
        said.append(
            "Overlap hides it where the network is fast enough; a slower one, more nodes or smaller batches show."
        )
    loop = best.learning
    sync = loop.weight_sync_s.get(loop.weight_sync or "") if loop else None
    if sync is not None:
        said.append(f"Between writing and training the new weights cross it: {figures.seconds(sync)} a step.")
    return said


def equivalent(asked: Asked) -> str | None:
    """What is to be written down so that another network is worth as much."""
    best = asked.best
    if best is None or best.fabric == "none" or not asked.says("alike"):
        return None
    made = asked.catalog.fabrics[best.fabric]
    reach = (
        f", {made.bandwidth_efficiency.si:.0%} of it reached by all_reduce_perf" if made.bandwidth_efficiency else ""
    )
    rate = made.nic_rate * 8 / 1e9
    return f"Equivalent is, in writing: {rate:g} Gb/s per GPU with RDMA{reach} over all nodes, tested before you pay."


def rated(asked: Asked) -> list[str]:
    """By what a network is counted, and what it makes of this job."""
    best = asked.best
    named = [c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) is not None]
    found = named[0] if named else best
    if best is None or found is None or found.fabric not in asked.catalog.fabrics:
        return []
    made = asked.catalog.fabrics[found.fabric]
    said = []
    if made.bandwidth_efficiency is not None:
        whence = made.bandwidth_efficiency.source.removeprefix("derived: ").partition(" (")[0].partition(";")[0]
        said.append(
            f"In the numbers: {asked.name(found.fabric)} gets {100 * made.bandwidth_efficiency.si:.0f} % of its line "
            f"({whence}{f', {made.bandwidth_efficiency.date}' if made.bandwidth_efficiency.date else ''})."
        )
        if found.exposed_communication_percent:
            waits = figures.percent(found.exposed_communication_percent)
            said.append(f"Were it better, a step gains at most what waits for it, {waits}: the rest is computing.")
    if found.step_time_s and found is not best:
        said.append(f"Here {_beside(asked, found, best)}.")
    return said


def reached_less(asked: Asked) -> list[str]:
    """The network at so many percent less than is counted of it: what waits grows as much, computing does not."""
    best = asked.best
    percent = next((share for share in asked.amounts("percent", "share") if 0 < share < 100), None)
    if percent is None and "bandwidth" in asked.text and asked.says("half"):
        percent = 50.0
    if best is None or percent is None or reading.serves(asked.plan):
        return []
    if not asked.says("less") and not asked.says("half"):
        return []
    named = (reading.candidate(asked.plan, fabric) for fabric in asked.fabrics)
    found = next((c for c in named if c is not None and c.step_time_s), best)
    if found.fabric == "none" or found.exposed_communication_percent is None:
        return []
    more = found.exposed_communication_percent * (1 / (1 - percent / 100) - 1)
    times = 1 + more / 100
    hours = found.run_hours or 0.0
    cost = f" and {figures.usd(times * found.median_cost)} instead of {money(found)}" if found.cost_usd else ""
    other = next((c for c in _beside_it(asked, found) if c.median_cost < times * found.median_cost), None)
    stays = "the choice stays" if other is None or found is not best else f"{asked.name(other.fabric)} is then cheaper"
    return [
        f"At {percent:g} % less a step takes at most {more:.2g} % longer, as only what waits grows: "
        f"{figures.hours(times * hours)} instead of {figures.hours(hours)}{cost}; {stays}."
    ]


def _beside_it(asked: Asked, found: Candidate) -> list[Candidate]:
    able = (c for c in asked.plan.candidates if c is not found and c.cost_usd and c.step_time_s and found.cost_usd)
    return [c for c in able if c.verdict == "acceptable" and c.fits is not False]


def _beside(asked: Asked, found: Candidate, best: Candidate) -> str:
    """A network beside the recommended: time, the experts' part of it, money."""
    step = f"a step takes {lasts(slower(found, best))} than on {asked.name(best.fabric)}".replace(
        "long than", "long as"
    )
    parts = [c.breakdown_s for c in (found, best)]
    ep = ""
    if asked.mixture and parts[0] is not None and parts[1] is not None and parts[0].ep and parts[1].ep:
        ep = f", the experts' all-to-all {figures.seconds(parts[0].ep)} of it against {figures.seconds(parts[1].ep)}"
    cost = f"; {money(found)} against {money(best)}" if found.cost_usd and best.cost_usd else ""
    return f"{step}{ep}{cost}"


def overlap(asked: Asked) -> list[str]:
    """What is taken to run beside the computing, and what another overlap would make of it."""
    best = asked.best
    if best is None or best.breakdown_s is None or reading.serves(asked.plan):
        return []
    waits = figures.percent(best.exposed_communication_percent)
    said = [
        "Gradients and shards travel beside the backward pass as far as it lasts; tensor and pipeline traffic waits. "
        f"{waits} of a step is left that nothing hides."
    ]
    if not asked.mixture:
        return [
            *said,
            "How much is hidden the plan does not tell apart: a profile of 20 steps shows what comes on top.",
        ]
    known = reading.asked(asked.plan, "training.expert_overlap") or next(
        (a.value for a in asked.plan.assumptions if a.field == "training.expert_overlap"), "none"
    )
    other = "batch" if known == "none" else "none"
    made = asked.tried({"training.expert_overlap": other})
    one = reading.chosen(made) if made else None
    now = "nothing hides the experts' traffic" if known == "none" else "the experts' traffic hides behind other batches"
    then = "hidden behind a second batch" if other == "batch" else "with nothing to hide it"
    takes = f"; {then}: {figures.hours(one.run_hours)} instead of {figures.hours(best.run_hours)}" if one else ""
    return [*said, f"Experts: counted is that {now}{takes}."]


def diloco(asked: Asked) -> list[str]:
    """What rare synchronisation is, and what it does here."""
    steps = next((a.value for a in asked.plan.assumptions if a.field == "parallelism.inner_steps"), None)
    many = f"{steps:g}" if isinstance(steps, int | float) else "some hundred"
    first = (
        f"Yes: with DiLoCo (local SGD) each site trains {many} steps alone, then only the change of the weights is "
        "exchanged: that many times less traffic."
    )
    best = asked.best
    if best is None or (reading.asked(asked.plan, "cluster.sites") or 1) < 2:
        return [first, "Here all GPUs stand at one site, so it would gain next to nothing.", _LEARNS]
    if asked.catalog.fabrics[best.fabric].technology != "wan":
        lockstep = f"The plan does without: in lockstep it takes {figures.hours(best.run_hours)}."
        return [first, lockstep, _LEARNS]
    sums = [c for c in asked.plan.candidates if c.run_hours and asked.catalog.fabrics[c.fabric].technology != "wan"]
    other = min(sums, key=lambda c: c.run_hours or 0.0, default=None)
    step = f", in lockstep on every step {figures.hours(other.run_hours)}" if other is not None else ""
    return [first, f"The plan counts with it: {figures.hours(best.run_hours)}{step}.", _LEARNS]


def exchanged(asked: Asked) -> list[str]:
    """What crosses between the sites at each exchange, how long it takes, how often it may be, and what line every
    step would take: as the plan warns of it."""
    told = next((w.message for w in asked.plan.warnings if w.code == "between-sites"), None)
    return re.split(r"(?<=[.]) (?=[A-Z])", told) if told else []


_LEARNS = "It changes what is learned a little: compare the loss on a small model before you rely on it."
