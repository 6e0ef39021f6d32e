"""Finer questions about a step: how far two networks are apart, what it is made of, other splits and other rates."""

from __future__ import annotations

import re

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Candidate

from ... import figures
from ...plots import PARTS
from .. import reading
from .asked import Asked, lasts, money, slower
from .pressed import other_kind

_SHOWN = 0.01  # of a step: what is less is no part to name
_NEAR = 5.0  # percent of a step: what is less apart is most of the gain
_LESS = re.compile(r"(\d+(?:[.,]\d+)?) ?(?:%|percent) (?:lower|less|cheaper|off)")
_TO = r"(?:\bto\b|->|→|\binstead of\b|\bvs\b\.?)"
_EP = re.compile(rf"\bep ?[=:of]* ?(\d{{1,4}})\b|\bep\b[^.?!]{{0,24}}?{_TO} ?(?:ep ?)?(\d{{1,4}})\b")


def step_gap(asked: Asked) -> list[str]:
    """Two networks by their step: percent, days over the run, and whether that is beyond the error."""
    pair = _pair(asked)
    if pair is None:
        return []
    one, other = pair
    more = slower(other, one)
    names = [asked.name(c.fabric) for c in pair]
    days = ""
    if one.run_hours and other.run_hours and reading.ends(asked.plan):
        apart = (other.run_hours - one.run_hours) / 24
        more_days = f"{figures.hours(24 * abs(apart))} {'more' if apart >= 0 else 'less'}"
        days = f"; over the whole run {more_days}"
    steps = f"{figures.seconds(other.median_step)} against {figures.seconds(one.median_step)}"
    assert one.step_time_s is not None
    low, high = (
        100 * (1 - one.step_time_s.p10 / one.step_time_s.p50),
        100 * (one.step_time_s.p90 / one.step_time_s.p50 - 1),
    )
    waits = [figures.percent(reading.waited(asked.plan, c)) for c in (other, one)]
    same = abs(more) < 0.5
    gap = "No gap: as long" if same else f"{abs(more):.2g} % {'longer' if more >= 0 else 'shorter'}"
    within = "within the error: call it a tie" if abs(more) < _NEAR else "beyond what errors of both share"
    return [
        f"{gap} on {names[1]} {'as' if same else 'than'} on {names[0]} ({steps}){days}.",
        f"{waits[0]} of a step waits for the network there, {waits[1]} on {names[0]}.",
        f"Each step may be off by {low:.0f} % less to {high:.0f} % more, mostly on both alike; the gap is {within}.",
    ]


def _pair(asked: Asked) -> tuple[Candidate, Candidate] | None:
    """InfiniBand, or what is recommended, and the network that is meant beside it."""
    best, other = asked.best, other_kind(asked)
    if best is None or other is None or best.step_time_s is None or best.fabric == "none":
        return None
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    named = [c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) and c.step_time_s]
    told = [c for f in asked.networks if (c := reading.candidate(asked.plan, f)) and c.step_time_s and c not in named]
    pair = named[:2] if len(named) > 1 else [*named, *told][:2] if named and told else [best, other]
    pair.sort(key=lambda c: kind(c) != "infiniband")
    return pair[0], pair[1]


def step_made_of(asked: Asked) -> list[str]:
    """What a step is made of in seconds, on the plan's network and on another one, and how it is computed."""
    best = asked.best
    if best is None or best.breakdown_s is None or reading.serves(asked.plan):
        return []
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    mfu = f", {100 * best.mfu:.0f} % of {gpu.peak_bf16.si / 1e12:,.0f} TFLOP/s" if best.mfu else ""
    other = _plain_or_named(asked)
    said = [_made_of(asked, best)]
    said += [_made_of(asked, other)] if other is not None and other.breakdown_s is not None else []
    return [
        *said,
        f"Compute: 6 × parameters × tokens ÷ GPUs{mfu}; communication: bytes ÷ reached bandwidth, less what "
        f"runs beside "
        "the backward pass.",
    ]


def _made_of(asked: Asked, found: Candidate) -> str:
    assert found.breakdown_s is not None
    seconds = found.breakdown_s.model_dump()
    whole = added(seconds.values()) or 1.0
    parts = [(seconds.get(key, 0.0), name) for key, name, *_ in PARTS]
    told = ", ".join(
        f"{name} {figures.seconds(one)}" for one, name in sorted(parts, reverse=True) if one > _SHOWN * whole
    )
    return f"{asked.name(found.fabric)}, {figures.seconds(found.median_step)}: {told}."


def _plain_or_named(asked: Asked) -> Candidate | None:
    """A named network, else the plain Ethernet that was computed."""
    best = asked.best
    named = (reading.candidate(asked.plan, f) for f in asked.fabrics)
    found = next((c for c in named if c is not None and c is not best and c.step_time_s), None)
    plain = [c for c in asked.plan.candidates if c.step_time_s and c is not best and c.fits is not False]
    plain = [c for c in plain if asked.catalog.fabrics[c.fabric].technology == "tcp"]
    return found or min(plain, key=lambda c: (c.fabric != "ethernet-tcp-100", c.median_step), default=None)


def even_bandwidth(asked: Asked) -> list[str]:
    """The bus bandwidth at which another network costs as much as InfiniBand, where it is so much cheaper."""
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    able = [c for c in asked.plan.candidates if c.step_time_s and c.breakdown_s and c.fits is not False]
    named = [c for c in able if c.fabric in asked.fabrics and kind(c) != "infiniband"]
    ours = next(iter(named or sorted((c for c in able if kind(c) == "roce"), key=lambda c: c.median_step)), None)
    theirs = next((c for c in able if kind(c) == "infiniband"), None)
    if ours is None or theirs is None or ours.exposed_communication_percent is None:
        return []
    made = asked.catalog.fabrics[ours.fabric]
    if made.bandwidth_efficiency is None:
        return []
    found = _LESS.search(asked.text)
    off = float(found[1].replace(",", ".")) if found else 0.0
    line = made.nic_rate / 1e9
    now = made.bandwidth_efficiency.si
    waits = ours.exposed_communication_percent / 100 * ours.median_step
    room = theirs.median_step / (1 - off / 100) - (ours.median_step - waits)
    if room <= 0:
        return [f"None: without any waiting {asked.name(ours.fabric)} would still be the slower one here."]
    need = now * waits / room
    price = f" at {off:g} % less an hour" if off else " at the same price; every percent less allows as much more time"
    verdict = "it has that already" if need <= now else "it lacks that"
    return [
        f"About {line * need:.3g} GB/s of bus bandwidth per adapter, {100 * need:.0f} % of its line{price}: there a "
        f"token costs as much as on {asked.name(theirs.fabric)}.",
        f"Counted are {line * now:.3g} GB/s ({100 * now:.0f} %), so {verdict}: a step takes "
        f"{figures.seconds(ours.median_step)} against {figures.seconds(theirs.median_step)}.",
        f"It rests on what waits, {figures.percent(ours.exposed_communication_percent)} of a step, taken as growing "
        "as the bandwidth falls.",
    ]


_LEAST_RATE = 10  # Gb/s, of a number without a unit


def effective_rate(asked: Asked) -> list[str]:
    """Another rate that is reached than is counted: what of a step that waits it would save."""
    best = asked.best
    if best is None or best.fabric not in asked.catalog.fabrics:
        return []
    made = asked.catalog.fabrics[best.fabric]
    named = [*asked.amounts("rate"), *(n for n in asked.amounts("number") if n >= _LEAST_RATE)]
    others = [rate for rate in named if rate != made.nic_rate * 8 / 1e9]  # "is 100 gig what we get, or more like 60"
    rate = next(iter(others or named), None)
    if rate is None:
        return []
    if made.bandwidth_efficiency is None:
        return ["Nothing of this job crosses a network between nodes, so a faster adapter changes nothing."]
    line = made.nic_rate * 8 / 1e9
    counted = line * made.bandwidth_efficiency.si
    waits = reading.waited(asked.plan, best) or 0.0
    if reading.serves(asked.plan) and asked.plan.crossing is None:
        first = f"It changes nothing here: each copy stays within its node, whatever the adapters reach of {line:g}."
        return [first, f"Counted were {counted:.0f} of {line:g} Gb/s; yours is unverified until nccl-tests show it."]
    saved = waits * (1 - counted / rate)
    how = "shorter" if saved > 0 else "longer"
    return [
        f"At {rate:g} Gb/s reached instead of the {counted:.0f} that are counted a step is about "
        f"{abs(saved):.2g} % {how}: {figures.percent(waits)} of it waits now.",
        _choice_at(asked, best, saved),
        f"Yours is unverified: run nccl-tests on two nodes; {counted:.0f} is {made.bandwidth_efficiency.source[:60]}.",
    ]


def _choice_at(asked: Asked, best: Candidate, saved: float) -> str:
    runner = reading.candidate(asked.plan, asked.plan.recommendation.runner_up)
    stays = "the choice stays" if saved >= 0 or runner is None else "look at the next network again"
    cost = ""
    if best.cost_usd:
        cost = f", {figures.usd((1 - saved / 100) * best.median_cost)} instead of {money(best)}"
    return f"So {stays}{cost} for {reading.bill(asked.plan)}."


def upgrade_steps(asked: Asked) -> list[str]:
    """The plan's network with few adapters and with all: the fewest that bring most of the gain."""
    best = asked.best
    plain = _plain_or_named(asked)
    if best is None or best.fabric == "none" or reading.serves(asked.plan):
        return []
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    rate = asked.catalog.fabrics[best.fabric].nic_rate * 8 / 1e9
    found: list[tuple[int, Candidate]] = []
    for many in (n for n in (1, 2, 4) if n < per):
        made = asked.tried({"cluster.fabric": best.fabric, "cluster.nics_per_node": many, "budget.usd": None})
        one = reading.candidate(made, best.fabric) if made else None
        if one is not None and one.step_time_s is not None:
            found.append((many, one))
    found.append((per, best))
    pick = next(((many, one) for many, one in found if slower(one, best) < _NEAR), (per, best))
    told = [f"{n} × {rate:g}: {figures.hours(c.run_hours)}" for n, c in found if c is not best and n != pick[0]]
    now = f"{asked.name(plain.fabric)}: {figures.hours(plain.run_hours)}; " if plain else ""
    gain = f"{pick[0]} adapters of {rate:g} Gb/s per node are the fewest within {_NEAR:g} % of all {per}"
    return [
        f"{gain}: done in {figures.hours(pick[1].run_hours)} instead of {figures.hours(best.run_hours)}.",
        f"{now}{'; '.join(told)}.",
        *_adapters_saved(asked, pick[0], per),
    ]


def _adapters_saved(asked: Asked, many: int, per: int) -> list[str]:
    """What fewer adapters take off the purchase of the network."""
    if many >= per:
        return []
    sums = []
    for nics in (many, per):
        change = {"budget.mode": "buy", "cluster.provider": None, "budget.usd": None, "cluster.nics_per_node": nics}
        best = asked.best
        made = asked.tried({**change, "cluster.fabric": best.fabric} if best else change)
        bought = made.purchase if made is not None else None
        if bought is None or bought.network_usd is None:
            return []
        sums.append(bought.network_usd)
    return [f"Bought, that network is {figures.usd(sums[0])} instead of {figures.usd(sums[1])} with all {per}."]


def experts_cost(asked: Asked) -> list[str]:
    """What the experts' traffic takes of a step, and what a network twice as fast would give."""
    best = asked.best
    if best is None or best.breakdown_s is None or not asked.mixture or reading.serves(asked.plan):
        return []
    whole = added(best.breakdown_s.model_dump().values()) or 1.0
    share = 100 * best.breakdown_s.ep / whole
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    ep = best.parallelism.get("ep") or 1
    where = f"inside the node (EP {ep})" if ep <= per else f"between nodes (EP {ep})"
    faster = [
        c
        for c in asked.plan.candidates
        if c.step_time_s and c.fits is not False and _rate(asked, c) > _rate(asked, best)
    ]
    other = min(faster, key=lambda c: c.median_step, default=None)
    gain = ""
    if other is None:
        made = asked.tried({"cluster.fabric": "infiniband-ndr-400", "budget.owned": None})
        other = reading.candidate(made, "infiniband-ndr-400") if made else None
    if other is not None and other.step_time_s:
        in_all = f"{figures.hours(other.run_hours)} in all instead of {figures.hours(best.run_hours)}"
        gain = f"On {asked.name(other.fabric)} a step takes {lasts(slower(other, best))}, {in_all}"
    felt = other is not None and other.step_time_s and slower(other, best) < -_NEAR
    verdict = "Yes, it would be felt" if felt else "Not at this size"
    return [
        f"{verdict}: the experts' all-to-all takes {figures.percent(share)} of a step, {where}; "
        f"{figures.percent(reading.waited(asked.plan, best))} waits for the network in all.",
        *([f"{gain}."] if gain else []),
        *([] if ep <= per else [f"Kept within a node (EP {per}) it leaves the network."]),
    ]


def _rate(asked: Asked, found: Candidate) -> float:
    return asked.catalog.fabrics[found.fabric].nic_rate


def expert_parallel_named(asked: Asked) -> list[str]:
    """The split of the plan, and the same with the expert parallelism that is named."""
    best, found = asked.best, [number for pair in _EP.findall(asked.text) for number in pair if number]
    if best is None or not best.parallelism or not asked.mixture:
        return []
    now = best.parallelism.get("ep") or 1
    wanted = next((int(n) for n in found if int(n) != now), None)
    said = [f"{figures.layout(best.parallelism)}."]
    if wanted is None:
        return said
    asked_for = wanted
    while wanted > 1 and reading.gpus(asked.plan) % wanted:
        wanted //= 2
    made = asked.tried({"parallelism.ep": wanted})
    one = reading.candidate(made, best.fabric) if made else None
    one = one or (reading.chosen(made) if made else None)
    if one is None or one.step_time_s is None:
        neither = "" if wanted == asked_for else f", and EP {wanted} does not either"
        why = "it takes as many experts and a number of GPUs that it divides"
        return [*said, f"EP {asked_for} does not do on {reading.gpus(asked.plan):,} GPUs{neither}: {why}."]
    cost = f", {money(one)} instead of {money(best)}" if one.cost_usd and best.cost_usd else ""
    waits = [figures.percent(c.exposed_communication_percent) for c in (one, best)]
    then = made.recommendation.fabric if made and made.recommendation.verdict != "infeasible" else best.fabric
    tied = then == best.fabric or (made is not None and best.fabric in made.recommendation.tied)
    pick = f"The network stays {asked.name(best.fabric)}" if tied else f"The network is then {asked.name(then)}"
    room = f"; {reading.gib(one):,.0f} GiB on the fullest GPU instead of {reading.gib(best):,.0f}"
    return [
        *said,
        f"{_divides(asked, asked_for, wanted)}With EP {wanted} instead of {now} a step takes "
        f"{lasts(slower(one, best))}, done in {figures.hours(one.run_hours)} "
        f"instead of {figures.hours(best.run_hours)}{cost}.",
        f"{pick}: {waits[0]} of a step waits then, now {waits[1]}{room}: {figures.layout(one.parallelism)}.",
    ]


def _divides(asked: Asked, named: int, wanted: int) -> str:
    gpus = reading.gpus(asked.plan)
    return "" if named == wanted else f"EP {named} cannot be: {gpus:,} GPUs are no multiple of it. "


def sharded_inside(asked: Asked) -> list[str]:
    """Weights sharded within each node alone: what the plain network makes of it, beside sharding over all GPUs."""
    best, plain = asked.best, _plain_or_named(asked)
    if best is None or reading.serves(asked.plan):
        return []
    inside = {"parallelism.strategy": "hsdp", "parallelism.shard_within_node": True}
    fabric = plain.fabric if plain is not None else "ethernet-tcp-100"
    steps: dict[str, Candidate] = {}
    for name, change in (("over all", {}), ("inside", inside)):
        made = asked.tried({**change, "cluster.provider": None})
        one = reading.candidate(made, fabric) if made else None
        if one is not None and one.step_time_s:
            steps[name] = one
    one = steps.get("inside")
    if one is None:
        return [f"Sharded within a node it does not do on {asked.name(fabric)}: the memory of a node is too small."]
    more = slower(one, best)
    verdict = (
        "Yes, then it is fine" if more < _NEAR else "Yes, if you can wait" if more < 10 * _NEAR else "No, not even then"
    )
    over = (
        f"; sharded over all GPUs it would be {figures.hours(steps['over all'].run_hours)}"
        if "over all" in steps
        else ""
    )
    cost = f" and {money(one)}" if one.cost_usd else ", at no price that was read"
    return [
        f"{verdict}: on {asked.name(fabric)} a step takes {lasts(more)} than on {asked.name(best.fabric)} now, "
        f"{figures.hours(one.run_hours)} in all{cost}{over}.".replace("long than", "long as"),
        "Only gradients cross nodes then, once a step; weights are gathered inside. "
        f"It takes {reading.gib(one):,.0f} GiB on the fullest GPU instead of {reading.gib(best):,.0f}.",
        f"{asked.name(best.fabric)} now: {figures.hours(best.run_hours)}, {money(best)}.",
    ]
