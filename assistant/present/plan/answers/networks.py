"""Networks: whether one is needed or enough, what speaks against another, what it waits for, what it is made of."""

from __future__ import annotations

from assistant.vocabulary.added import added
from assistant.vocabulary.catalog import Fabric
from assistant.vocabulary.plan import Candidate
from assistant.vocabulary.quantities import days_said

from ... import figures
from ...plots import PARTS
from .. import reading, standing
from .asked import Asked, lasts, money, slower, usable

_FELT = 20.0  # percent of a step from which the whole time is told as well
_DEAR = 0.1  # of the cost: what is dearer by more is no equal
_MATTERS = 5.0  # percent of a step: what is less is no reason for a network
_SKILLS = {
    "none": "no network specialist",
    "some": "somebody who has run such a network",
    "expert": "an expert: flow and congestion control (PFC, ECN) on every switch and NIC",
}


def need(asked: Asked) -> str | None:
    """Whether a fast network is needed, decided by the time that a plainer one costs."""
    best, plainer = asked.best, plainer_network(asked)
    if best is None:
        return asked.plan.recommendation.smallest_change
    if best.fabric == "none":
        found = asked.plan.recommendation.card
        return f"No special network is needed. {found.because if found else ''}"
    if asked.catalog.fabrics[best.fabric].technology == "tcp":
        return _plain_already(asked, best)
    if plainer is None:
        return f"{asked.name(best.fabric)} is what there is: nothing plainer runs this job."
    more, name = slower(plainer, best), asked.name(plainer.fabric)
    days = reading.asked(asked.plan, "constraints.deadline_days")
    if plainer.fabric in asked.fabrics and more >= _MATTERS and days and plainer.run_hours:
        kept = "Slower but in time" if plainer.run_hours <= 24 * days else "No, too late"
        takes = f"{figures.hours(plainer.run_hours)} instead of {figures.hours(best.run_hours)}, of {days_said(days)}"
        return f"{kept}: on {name} it takes {takes}; each step {lasts(more)}."
    if more < _MATTERS:
        return f"Not for its speed: on {name} a step takes {lasts(more)} than on {asked.name(best.fabric)}.".replace(
            "as long than", "as long as"
        )
    return f"Yes, a fast network: on {name} a step takes {lasts(more)} than on {asked.name(best.fabric)}.".replace(
        "times as long than", "times as long as"
    )


def _plain_already(asked: Asked, best: Candidate) -> str:
    """That plain Ethernet is what is taken, and what RDMA would bring."""
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    rdma = [c for c in usable(asked) if kind(c) not in ("tcp", "none", "wan")]
    name, other = asked.name(best.fabric), min(rdma, key=lambda c: (c.median_step, c.median_cost), default=None)
    if other is None:
        return f"No: {name} is plain Ethernet already, and nothing faster can be had for this job."
    more = slower(other, best)
    cost = ""
    if other.cost_usd and best.cost_usd:
        less = best.median_cost - other.median_cost
        cost = f", {figures.usd(abs(less))} {'less' if less > 0 else 'more'} for {reading.bill(asked.plan)}"
    return f"No: {name} is plain Ethernet already. On {asked.name(other.fabric)} a step is {lasts(more)}{cost}."


def plainer_network(asked: Asked) -> Candidate | None:
    """What would be taken instead of the network that is asked about: another technology, or plain TCP."""
    best = asked.best
    if best is None:
        return None
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    said = next((c for f in asked.fabrics if (c := reading.candidate(asked.plan, f)) and c.step_time_s), None)
    if said is not None and said is not best and kind(said) == "tcp":
        return said
    named = {asked.catalog.fabrics[f].technology for f in asked.fabrics}
    others = [c for c in asked.plan.candidates if c.step_time_s and c.fits is not False and kind(c) != kind(best)]
    others = [c for c in others if c.fabric not in ("none", "wan-low-communication")]
    plain = [c for c in others if kind(c) == "tcp" and c.verdict != "impossible"] or [
        c for c in others if kind(c) == "tcp"
    ]
    if named & {"tcp"} or not named:
        return min(plain, key=lambda c: c.median_step, default=None)
    if named == {kind(best)}:
        rdma = [c for c in others if kind(c) != "tcp" and c.verdict != "impossible"]
        return min(rdma, key=lambda c: (c.median_cost, c.median_step), default=None) or next(iter(plain), None)
    return next((c for c in others if kind(c) in named), None) or next(iter(plain), None)


def need_reason(asked: Asked) -> str | None:
    """How much of the time it is about."""
    best = asked.best
    if best is None:
        return None
    if best.fabric == "none":
        return "So pay no premium for one: ordinary Ethernet carries requests and data."
    waits = figures.percent(best.exposed_communication_percent)
    plainer = plainer_network(asked)
    said = f"{waits} of a step is communication that nothing hides, on {asked.name(best.fabric)}"
    if plainer is None or plainer.exposed_communication_percent is None or slower(plainer, best) < _MATTERS:
        return f"{said}."
    rest = figures.percent(plainer.exposed_communication_percent)
    return f"{said}, on {asked.name(plainer.fabric)} {rest}: that is what it is paid for."


def not_yet(asked: Asked) -> str | None:
    """What is known of a network that is named and new."""
    fabrics = asked.catalog.fabrics
    made = next((fabrics[f] for f in asked.fabrics if f in fabrics and fabrics[f].maturity == "emerging"), None)
    return f"{made.summary} It is counted by its kind, nothing is measured: no reason to wait." if made else None


def need_offer(asked: Asked) -> str | None:
    """What to take where no network is needed."""
    best, found = asked.best, asked.plan.recommendation.card
    return f"So take: {found.do}" if best is not None and best.fabric == "none" and found else None


def need_more(asked: Asked) -> str | None:
    """What leaving it out would cost or save."""
    best, plainer = asked.best, plainer_network(asked)
    if best is None or plainer is None or best.fabric == "none":
        return None
    plain = [c for c in asked.plan.candidates if c.fabric.startswith("ethernet-tcp") and c.step_time_s]
    tcp = min(plain, key=lambda c: c.median_step, default=None)
    if best.cost_usd and plainer.cost_usd:
        less = best.median_cost - plainer.median_cost
        what = f"{figures.usd(abs(less))} {'saved' if less > 0 else 'more'} for {reading.bill(asked.plan)}"
        why = ""
        if less < 0 and slower(plainer, best) < _MATTERS:
            why = ": it is the price of who sells it, not the network"
        return f"With {asked.name(plainer.fabric)}: {money(plainer)} instead of {money(best)}, {what}{why}."
    if tcp is not None and tcp is not plainer:
        return f"Plain TCP ({asked.name(tcp.fabric)}) takes {lasts(slower(tcp, best))}."
    return None


def _at_hand(asked: Asked) -> Candidate | None:
    """The network that is asked about: named, else given, else the recommended."""
    named = (reading.candidate(asked.plan, f) for f in asked.fabrics)
    found = next((c for c in named if c is not None and c.step_time_s), None)
    return found or asked.best


def enough(asked: Asked) -> str | None:
    """Whether a network does, by the time that the best would save."""
    found, quickest = _at_hand(asked), _quickest(asked)
    if asked.best is None:
        return "No network changes that: the job itself does not run as asked."
    if found is None or quickest is None:
        return asked.plan.recommendation.smallest_change
    if found.fabric == "none":
        return "Yes: nothing of this job crosses a network, so what is there is enough."
    if asked.best.fabric == "none" and found is not asked.best:
        more = found.median_cost - asked.best.median_cost if found.cost_usd and asked.best.cost_usd else 0.0
        cost = f" for {figures.usd(more)} more for {reading.bill(asked.plan)}" if more > 0 else ""
        return f"Not worth it: nothing of this job crosses nodes, so {asked.name(found.fabric)} brings nothing{cost}."
    name = asked.name(found.fabric)
    barred = standing.barred(asked.plan, found)
    if found.verdict == "impossible" and barred:
        return f"No: {name} will not do here. {barred[0]}"
    late = reading.asked(asked.plan, "constraints.deadline_days")
    yes = "Keep it" if asked.says("keep") and reading.is_given(asked.plan) else "Yes"
    alone = [c for c in usable(asked) if c is not found and c.fabric != "none"]
    if not alone and reading.is_given(asked.plan) and (found.exposed_communication_percent or 0.0) >= _MATTERS:
        return f"It does, but it is what holds the job back; for {name} the plan knows nothing faster for these GPUs."
    in_time = not late or (found.run_hours or 0.0) <= 24 * late
    loses = slower(found, quickest)
    if not in_time:
        return f"No: on {name} the run takes {figures.hours(found.run_hours)}, longer than your {days_said(late)}."
    if found is quickest or loses < _MATTERS:
        return f"{yes}: {name} is enough; nothing faster would save more than {max(0.0, loses):.1f} % of a step."
    ends = f", {figures.hours(found.run_hours)} in all" if reading.ends(asked.plan) else ""
    fine = "Keep it" if yes == "Keep it" else "It is enough"
    how = fine if loses < _FELT or late else "Hardly: it runs, but slowly"
    return f"{how}: on {name} a step takes {lasts(loses)} than on the fastest{ends}."


def _quickest(asked: Asked) -> Candidate | None:
    return min(usable(asked), key=lambda c: c.median_step, default=None)


def time_lost(asked: Asked) -> str | None:
    found = _at_hand(asked)
    needless = asked.best is not None and asked.best.fabric == "none"
    if found is None or needless or not found.exposed_communication_percent:
        return None
    share = found.exposed_communication_percent
    lost = f", {figures.hours((found.run_hours or 0.0) * share / 100)} of the run" if reading.ends(asked.plan) else ""
    return f"The GPUs wait for it {figures.percent(share)} of the time{lost}."


def deadline(asked: Asked) -> str | None:
    """Whether the day that was said is kept."""
    kept = reading.limits_kept(asked.plan)
    found = [part for part in (kept or "").split(". ") if part.startswith("Deadline")]
    return f"{found[0].rstrip('.')}." if found else None


def upgrade(asked: Asked) -> str | None:
    """The cheapest faster network: what it saves, and whether that is worth it."""
    found = _at_hand(asked)
    if found is None or found.fabric == "none" or found.step_time_s is None:
        return None
    if asked.best is not None and asked.best.fabric == "none":
        return "Plain 10 to 100G Ethernet carries requests, data and weights; more is money for nothing."
    faster = [c for c in usable(asked) if slower(found, c) > _MATTERS]
    if not faster:
        waits = found.exposed_communication_percent or 0.0
        if not [c for c in usable(asked) if c is not found and c.fabric != "none"] and waits >= _MATTERS:
            most = f"A faster one could save at most {figures.percent(waits)} of the time"
            return f"{most}: used 25G or 100G cards pay only where you run this often."
        name = asked.name(found.fabric)
        return f"No network faster than {name} would help by more than a few percent: buy none of those."
    price = lambda c: c.fabric_usd_per_gpu_hour or 0.0
    one = min(faster, key=lambda c: (price(c), c.median_step))
    hours = (found.run_hours or 0.0) - (one.run_hours or 0.0)
    saved = f"{figures.hours(hours)} a run" if reading.ends(asked.plan) else f"{slower(found, one):.0f} % of a token"
    cost = found.median_cost - one.median_cost if found.cost_usd and one.cost_usd else 0.0
    sums = f" and {figures.usd(cost)}" if cost > 1 else ""
    days = reading.asked(asked.plan, "constraints.deadline_days")
    needless = days and (found.run_hours or 0.0) <= 24 * days
    verdict = "you do not need it for the deadline, so only if you run this often" if needless else "worth it"
    verdict = verdict if needless or cost > 0 else "it costs more than the time it saves, unless time is short"
    return f"The cheapest step up, {asked.name(one.fabric)}, saves {saved}{sums}: {verdict}."


def against(asked: Asked) -> list[str]:
    """Each network that was named beside the recommended: time, and whether it would do."""
    best = asked.best
    if best is None:
        named = [c for c in (reading.candidate(asked.plan, f) for f in asked.fabrics) if c is not None]
        return [_of_what_cannot_be(asked, one) for one in named[:2]]
    others = [reading.candidate(asked.plan, f) for f in asked.fabrics if f != best.fabric]
    found = [c for c in others if c is not None]
    if asked.says("ethernet-staff"):  # who is there is meant, no network
        found = [c for c in found if asked.catalog.fabrics[c.fabric].technology != "tcp"] or found
    kinds = {asked.catalog.fabrics[f].technology for f in (best.fabric, *asked.fabrics)}
    if asked.fabrics and len(kinds) == 1 and asked.says("of-itself"):
        others = [c for c in (_other_kind(asked, best),) if c is not None]
        return [
            *_of_the_given(asked, best),
            *_no_experts_cross(asked, best),
            *(_against(asked, best, c) for c in others),
        ]
    if not found:
        if best.fabric in asked.fabrics:
            given = "given" if reading.is_given(asked.plan) else "recommended"
            name = asked.name(best.fabric)
            said = _of_the_given(asked, best)
            first = (
                f"Nothing speaks against {name}: it is {given}."
                if asked.said.act == "why-not"
                else f"{name} is {given}."
            )
            priced = [c for c in asked.plan.candidates if c is not best and c.step_time_s and c.cost_usd]
            runner = min(priced, key=lambda c: c.median_cost, default=None)
            beside = [f"Next best: {_against(asked, best, runner)}"] if runner is not None else []
            return [f"{first} {said[0]}", *beside, *said[1:]] if said else [first, *beside]
        if asked.fabrics:
            return []
        runner = reading.candidate(asked.plan, asked.plan.recommendation.runner_up)
        found = [runner] if runner is not None else []
    both = [c for c in found[:2] if c.step_time_s and c.verdict == "acceptable" and abs(slower(c, best)) < _MATTERS]
    if len(both) == 2:
        named = " and ".join(f"{asked.name(c.fabric)} ({_apart(asked, best, c)})" for c in both)
        return [f"{named} would do as well as {asked.name(best.fabric)}."]
    return [_against(asked, best, other) for other in found[:2]]


def _other_kind(asked: Asked, best: Candidate) -> Candidate | None:
    """The cheapest network of another technology than the plan's with RDMA, sold here or not."""
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    able = [c for c in asked.plan.candidates if c.step_time_s and c.fits is not False]
    able = [c for c in able if kind(c) in ("infiniband", "roce") and kind(c) != kind(best)]
    return min(able, key=lambda c: c.median_step, default=None)


def _no_experts_cross(asked: Asked, best: Candidate) -> list[str]:
    """Where the experts' traffic goes."""
    domain = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]].scale_up_domain
    degree = best.parallelism.get("ep") or 1
    if not asked.mixture or degree > domain:
        return []
    return [f"The experts' all-to-all stays inside the nodes (EP {degree}): this network does not carry it."]


def _no_experts(asked: Asked, best: Candidate) -> list[str]:
    """That the experts' traffic stays inside, where it is asked of a mixture."""
    if not asked.mixture or (best.parallelism.get("ep") or 1) > 1:
        return []
    return ["The experts are not split over GPUs here, so nothing goes all-to-all."]


def _of_what_cannot_be(asked: Asked, one: Candidate) -> str:
    barred = standing.barred(asked.plan, one)
    why = "it does not fit" if one.fits is False else "it cannot be done as asked"
    return f"{asked.name(one.fabric)}: {why}. {barred[0] if barred else ''}".strip()


def _apart(asked: Asked, best: Candidate, other: Candidate, led: str = "steps", than: str = "") -> str:
    """How far a network is from the recommended one, in time and money."""
    step, long = f"{led} {lasts(slower(other, best), than)}", slower(other, best) > _FELT and reading.ends(asked.plan)
    step += f" ({figures.hours(other.run_hours)} in all)" if long else ""
    if not other.cost_usd or not best.cost_usd:
        return step
    more = other.median_cost - best.median_cost
    return f"{step}, {figures.usd(abs(more))} {'more' if more >= 0 else 'less'} for {reading.bill(asked.plan)}"


def _of_the_given(asked: Asked, best: Candidate) -> list[str]:
    """How far what is there is from the fastest that is let to anybody."""
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    others = [c for c in asked.plan.candidates if c.step_time_s and c.fits is not False and kind(c) != kind(best)]
    quickest, lost = min(others, key=lambda c: c.median_step, default=None), time_lost(asked)
    if quickest is None or slower(best, quickest) < 0.5:
        waits = best.exposed_communication_percent or 0.0
        how = "tolerable" if waits < 10 else "felt" if waits < 25 else "bad"
        return [f"{lost or ''} So it is {how}; nothing that was computed is faster.".strip(), *_no_experts(asked, best)]
    less, name = slower(best, quickest), asked.name(quickest.fabric)
    far = "tolerable" if less < 10 else "felt" if less < 50 else "bad"
    here = "" if quickest.verdict != "impossible" else ", which is not sold here,"
    return [text for text in (f"Against {name}{here} a step takes {lasts(less)}: {far}.", lost) if text]


def _against(asked: Asked, best: Candidate, other: Candidate) -> str:
    name = asked.name(other.fabric)
    barred = standing.barred(asked.plan, other)
    why = f" {barred[0]}" if barred else ""
    if other.step_time_s is None:
        return f"{name} is ruled out here.{why}"
    if other.fits is False:
        return f"{name}: it does not fit.{why}"
    if other.verdict == "impossible":
        would = _apart(asked, best, other, "a step would take", asked.name(best.fabric))
        return f"{name} is ruled out here.{why} If it could be had, {would}."
    apart = _apart(asked, best, other)
    near = abs(slower(other, best)) < _MATTERS
    more = other.median_cost - best.median_cost if other.cost_usd and best.cost_usd else 0.0
    dear = more > _DEAR * best.median_cost if best.cost_usd else False
    does = "it would run, but costs more" if dear else "it would do as well" if near else "it would do"
    verdict = "avoid it" if other.verdict == "avoid" else does
    credits = (
        f" From {figures.usd(more)} of credits on it is the cheaper one." if dear and "credit" in asked.text else ""
    )
    stay = f"; stay with {asked.name(best.fabric)}" if near and not dear and more > 0 and len(asked.fabrics) > 1 else ""
    return f"{name}: {apart}: {verdict}{stay}.{credits}"


def against_needs(asked: Asked) -> str | None:
    """What it takes to run it well, beside what the recommended takes."""
    named = [f for f in asked.fabrics if reading.candidate(asked.plan, f)] if asked.best else []
    named = named or ([] if asked.fabrics else [asked.plan.recommendation.runner_up or ""])
    found = [asked.catalog.fabrics[f] for f in named if f in asked.catalog.fabrics]
    if not found or found[0].technology == "none":
        return None
    one = next((f for f in found if f.id != asked.plan.recommendation.fabric), found[0])
    if one.skills == "none" or one.id == asked.plan.recommendation.fabric:
        return None
    return f"To run {one.name} well takes {_SKILLS[one.skills]}{_knows(asked, one)}."


def _knows(asked: Asked, one: Fabric) -> str:
    ethernet = one.technology in ("roce", "tcp", "spectrum-x", "ultra-ethernet")
    knows = any(word in asked.text for word in ("team", "people", "guys", "admins", "know"))
    return "; a team that knows Ethernet is a reason for it" if ethernet and knows else ""


def little_because(asked: Asked) -> str | None:
    """How much of a step waits for the network, and why no more."""
    best = asked.best
    if best is None or best.exposed_communication_percent is None:
        return None
    if best.fabric == "none":
        return "Nothing of it crosses nodes: the GPUs that exchange much sit in one machine."
    waits, name = best.exposed_communication_percent, asked.name(best.fabric)
    if waits >= _MATTERS:
        return f"It does matter: {figures.percent(waits)} of a step waits for communication on {name}."
    return (
        f"On {name} only {figures.percent(waits)} of a step waits: a large batch computes long and sends little, most "
        "of it meanwhile. More nodes, smaller batches or slower lines change that."
    )


def little_plainer(asked: Asked) -> str | None:
    """What the same job waits on a plainer network: why a fast one is taken all the same."""
    best, plainer = asked.best, plainer_network(asked)
    if best is None or plainer is None or plainer.exposed_communication_percent is None or best.fabric == "none":
        return None
    waits = figures.percent(plainer.exposed_communication_percent)
    long, name = lasts(slower(plainer, best)), asked.name(plainer.fabric)
    extra, upkeep = best.fabric_usd_per_gpu_hour, reading.with_upkeep(asked.plan)
    paid = (
        f"The network{upkeep} adds {figures.usd(extra)} per GPU-hour" if extra else "The network costs nothing on top"
    )
    if slower(plainer, best) < _MATTERS:
        return f"On {name} it is {waits}, each step {long}: for its speed alone no fast network is needed. {paid}."
    return f"On {name} it is {waits} and each step {long}: it waits so little because the network is fast. {paid}."


def exposed_means(asked: Asked) -> str | None:
    return (
        "Exposed is the communication that no computing hides: while it lasts the GPUs stand and wait. What runs "
        "beside the arithmetic costs nothing and is not counted."
    )


def exposed_here(asked: Asked) -> str | None:
    best = asked.best
    if best is None or best.exposed_communication_percent is None:
        return None
    hours = (best.run_hours or 0.0) * best.exposed_communication_percent / 100
    lost = f", {figures.hours(hours)} of the run" if reading.ends(asked.plan) else ""
    share = figures.percent(best.exposed_communication_percent)
    where = "" if best.fabric == "none" else f" on {asked.name(best.fabric)}"
    much = "little" if best.exposed_communication_percent < 10 else "usual" if lost else "much"
    much = "much" if best.exposed_communication_percent >= 25 else much
    return f"Here it is {share} of a step{where}{lost}: {much}."


def time_parts(asked: Asked) -> list[str]:
    """The parts of a step, those of the network by themselves."""
    best = _at_hand(asked)
    if best is None or best.breakdown_s is None:
        return []
    seconds = best.breakdown_s.model_dump()
    whole = added(seconds.values()) or 1.0
    kinds: dict[str, list[tuple[float, str]]] = {"work": [], "network": [], "wait": []}
    for key, name, _, kind in PARTS:
        if seconds.get(key, 0.0) > 0.001 * whole:
            kinds[kind].append((seconds[key] / whole, _WORDS.get(key, name)))
    told = lambda kind: ", ".join(
        f"{name} {figures.percent(100 * s)}{f' ({figures.seconds(s * best.median_step)})' if kind == 'network' else ''}"
        for s, name in sorted(kinds[kind], reverse=True)
    )
    inside = "Nothing waits for a network between nodes; inside the node" if best.fabric == "none" else "Of a step"
    network = f"{inside} communication that nothing hides is: {told('network') or 'next to nothing'}."
    waits = f", {told('wait')}" if kinds["wait"] else ""
    hides = next(
        (a.value for a in asked.plan.assumptions if a.field in ("training.expert_overlap", "expert overlap")), None
    )
    if seconds.get("ep", 0.0) > 0.001 * whole and hides == "none":
        network += " Of the experts' nothing is taken to be hidden, as you named no overlap."
    return [network, f"The rest: {told('work')}{waits}."]


_WORDS = {
    "dp": "gradients and shards (data parallel)",
    "ep": "experts' all-to-all",
    "tp": "tensor parallel, inside the node",
    "pp_p2p": "pipeline sends",
}


def after_overlap(asked: Asked) -> str | None:
    """That what is told as waiting is what overlap has left, and a share that is quoted put right."""
    best = asked.best
    if best is None or best.exposed_communication_percent is None or not asked.says("of_overlap"):
        return None
    waits = best.exposed_communication_percent
    named = next((share for share in asked.amounts("percent") if abs(share - waits) > 1), None)
    put_right = f"; the plan has no {named:g} %" if named is not None else ""
    return f"After overlap: {figures.percent(waits)} of a step is left and comes on top of the computing{put_right}."


def parts_asked(asked: Asked) -> list[str]:
    """Of what kinds of parallelism the communication is that nothing hides, where that is asked."""
    found = time_parts(asked) if asked.says("parts") else None
    return [found] if isinstance(found, str) else [*(found or ())]


def traffic_note(asked: Asked) -> str | None:
    """Latency or bandwidth, and what runs hidden."""
    best = _at_hand(asked)
    if best is None or best.fabric == "none":
        return None
    known = asked.catalog.fabrics[best.fabric].latency
    sites = reading.asked(asked.plan, "cluster.sites") or 1
    if sites > 1:
        between = next((w.message for w in asked.plan.warnings if w.code == "between-sites"), None)
        km = "Light takes 5 µs per km, so tens of km add under a millisecond: bandwidth decides, latency does not. "
        return f"{km}{between or ''}".strip()
    inside = _no_experts(asked, best)
    if inside:
        return inside[0]
    if known is None or any(word in asked.text for word in ("gradient", "share", "how much")):
        return "What the computing hides is not in these shares."
    small = f"{figures.seconds(known.si)} a message"
    return f"Bandwidth decides: messages are large, and latency is {small} against a step of {_step(best)}."


def _step(found: Candidate) -> str:
    return figures.seconds(found.step_time_s.p50 if found.step_time_s else None)


def need_rollouts(asked: Asked) -> list[str]:
    """What the GPUs that write answers need of the network, where they are asked about."""
    best = asked.best
    if best is None or not any(word in asked.text for word in ("rollout", "generat", "inference", "sampl")):
        return []
    loop = best.learning
    if loop is None:
        return []
    sync = loop.weight_sync_s.get(loop.weight_sync or "")
    part = f", {figures.seconds(sync)} of a step of {_step(best)}" if sync is not None else ""
    name = asked.name(best.fabric)
    if loop.generation_crosses_nodes:
        first = f"Generation: yes, a copy of the model spans nodes, so each token crosses {name}."
    else:
        first = "Generation: no, each copy fits in a node and sends nothing while it writes."
    much = f", {loop.weight_sync_gb:,.0f} GB into a node" if loop.weight_sync_gb >= 1 else ""
    where = "the same GPUs take turns" if not loop.rollout_gpus else f"{loop.rollout_gpus:,} GPUs write"
    return [
        first,
        f"Between the two ({where}) only weights cross{much}{part}.",
    ]


def need_beyond(asked: Asked) -> str | None:
    """What changes once the job is on two nodes, where nothing crosses a network now."""
    best, gpus = asked.best, reading.gpus(asked.plan)
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    if best is None or best.fabric != "none" or reading.serves(asked.plan) or gpus > per:
        return None
    made = asked.tried({"cluster.gpus": 2 * per, "cluster.fabric": None, "training.days": None})
    plain = [c for c in made.candidates if c.fabric.startswith("ethernet-tcp") and c.step_time_s] if made else []
    fast = [c for c in made.candidates if c.step_time_s and not c.fabric.startswith("ethernet-tcp")] if made else []
    if not plain or not fast:
        return None
    slow, quick = min(plain, key=lambda c: c.median_step), min(fast, key=lambda c: c.median_step)
    more = lasts(slower(slow, quick), asked.name(quick.fabric))
    return f"On two nodes it would begin to count: a step on {asked.name(slow.fabric)} takes {more}."
