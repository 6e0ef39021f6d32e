"""Another network than planned: thinner above the racks, fewer adapters, changed later; and what joins GPUs inside."""

from __future__ import annotations

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Candidate

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower

_TAPERS = (2.0, 4.0)
_LIVES = 5.0  # percent of a step: what is less is lived with
_INSIDE = {"nvlink": "NVLink", "infinity": "Infinity Fabric", "pcie": "PCIe"}


def tapered(asked: Asked) -> list[str]:
    """The plan's network oversubscribed: time and money at each ratio, and the largest that does not hurt."""
    best = asked.best
    if best is None:
        return []
    if best.fabric == "none":
        return ["Nothing of this job crosses a network between nodes, so no oversubscription is felt."]
    design = asked.plan.fabric_design
    if asked.buys and design.get("tiers") == 1:
        many = figures.counted(design.get("switches") or 1, "switch", "switches")
        return [
            f"{asked.name(best.fabric)} is {many} in one tier here: there is no spine, so nothing to oversubscribe.",
            *_kept_inside(asked),
            *_grown(asked, best),
        ]
    named = asked.said.fields.get("cluster.oversubscription")
    ratios = [float(named)] if isinstance(named, int | float) and named > 1 else list(_TAPERS)
    said, fine = [], []
    for ratio in ratios:
        made = asked.tried({"cluster.oversubscription": ratio})
        one = reading.candidate(made, best.fabric) if made else None
        if one is None or one.step_time_s is None:
            said.append(f"{ratio:g}:1: does not do on {asked.name(best.fabric)}.")
            continue
        more = slower(one, best)
        fine += [ratio] if more < _LIVES else []
        said.append(f"{ratio:g}:1: a step takes {lasts(more)}{_ends(asked, one)}{_cost(best, one)}.")
    now = reading.asked(asked.plan, "cluster.oversubscription")
    counted = f"with {now:g}:1" if now else "without any"
    waits = figures.percent(best.exposed_communication_percent)
    verdict = f"{max(fine):g}:1 could be lived with" if fine else f"Not with {min(ratios):g}:1"
    first = f"{verdict}, on {asked.name(best.fabric)}; {counted} {waits} of a step waits."
    return [first, *said, *_of_the_other_size(asked, best.fabric, ratios[0])]


def _of_the_other_size(asked: Asked, fabric: str, ratio: float) -> list[str]:
    """The same of another size of model that the job may mean: "mostly 8B to 34B"."""
    own = asked.params or 0.0
    others = [size for size in asked.readings.get("model.params", ()) if size != own]
    if not others:
        return []
    other = max(others)
    steps = []
    for taper in (None, ratio):
        made = asked.tried({"model.params": other, "cluster.oversubscription": taper})
        steps.append(reading.candidate(made, fabric) if made else None)
    whole, thin = steps
    if whole is None or thin is None or not whole.step_time_s or not thin.step_time_s:
        return []
    return [f"With {other / 1e9:g}B a step takes {lasts(slower(thin, whole))}{_cost(whole, thin)}."]


def _kept_inside(asked: Asked) -> list[str]:
    """What of the split never crosses the spine."""
    tp, per = reading.asked(asked.plan, "parallelism.tp"), reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    inside = tp and 1 < tp <= per
    return [f"TP {tp} stays inside the node; only data and pipeline parallelism would cross it."] if inside else []


def _grown(asked: Asked, best: Candidate) -> list[str]:
    """From which size the same network has a spine, and what a thinner one does there."""
    gpus = reading.gpus(asked.plan)
    open_ = {"budget.usd": None, "budget.usd_per_month": None, "constraints.deadline_days": None}
    for times in (2, 4, 8):
        change = {"cluster.gpus": times * gpus, **open_}
        whole, thin = asked.tried(change), asked.tried({**change, "cluster.oversubscription": _TAPERS[0]})
        one = reading.candidate(whole, best.fabric) if whole else None
        other = reading.candidate(thin, best.fabric) if thin else None
        spine = whole is not None and whole.recommendation.fabric == best.fabric and whole.fabric_design["tiers"] > 1
        if spine and one is not None and other is not None and one.step_time_s and other.step_time_s:
            takes = lasts(slower(other, one))
            return [f"At {times * gpus:,} GPUs there is one: with {_TAPERS[0]:g}:1 a step takes {takes}."]
    return []


def _ends(asked: Asked, one: Candidate) -> str:
    return f", done in {figures.hours(one.run_hours)}" if reading.ends(asked.plan) else ""


def _cost(best: Candidate, one: Candidate) -> str:
    return f", {money(one)} against {money(best)}" if one.cost_usd and best.cost_usd else ""


def adapters(asked: Asked) -> list[str]:
    """The plan's network with another number of adapters in a node, and what would be taken then."""
    best, nics = asked.best, _nics(asked)
    if best is None or nics is None:
        return []
    if best.fabric == "none":
        return ["Nothing of this job crosses a network between nodes: their number changes nothing."]
    made = asked.tried({"cluster.nics_per_node": nics})
    same = reading.candidate(made, best.fabric) if made else None
    if made is None or same is None or same.step_time_s is None:
        return [f"NICs per node: {nics}: does not do here."]
    more = slower(same, best)
    worth = "hardly felt" if abs(more) < _LIVES else "a gain" if more < 0 else "felt"
    fewer = nics < (reading.asked(asked.plan, "cluster.nics_per_node") or _adapters(asked))
    can = f"{'Yes' if more < _LIVES else 'Not without loss'}: " if fewer else ""
    said = [
        f"{can}{nics} NICs per node on {asked.name(best.fabric)}, {worth}: a step is {lasts(more)}"
        f"{_ends(asked, same)}{_cost(best, same)}."
    ]
    other = reading.chosen(made)
    kept = asked.tried({"cluster.nics_per_node": nics, "cluster.fabric": best.fabric}) if asked.plan.purchase else None
    if asked.plan.purchase is not None and kept is not None and kept.purchase is not None:
        sums = f"{figures.usd(kept.purchase.capital_usd)} instead of {figures.usd(asked.plan.purchase.capital_usd)}"
        said.append(f"The purchase with it: {sums}.")
    if other is not None and other.fabric != best.fabric:
        said.append(f"With {nics} I would take {asked.name(other.fabric)}{_ends(asked, other)}{_cost(best, other)}.")
    if fewer and more < _LIVES:
        said.append("That is of this job: more nodes, or experts spread over them, would want all of them.")
    return said


def _adapters(asked: Asked) -> int:
    """Adapters in a node as planned."""
    return reading.asked(asked.plan, "cluster.gpus_per_node") or 8


def _nics(asked: Asked) -> int | None:
    """Adapters in a node that are named; half of what there are where fewer are asked about."""
    said = asked.said.fields.get("cluster.nics_per_node")
    planned = reading.asked(asked.plan, "cluster.nics_per_node") or _adapters(asked)
    if asked.says("half") and said in (None, planned):
        return max(1, planned // 2)
    if isinstance(said, int):
        return said
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    now = reading.asked(asked.plan, "cluster.nics_per_node") or per
    named = next((int(n) for n in asked.amounts("number") if 1 <= n <= per and n != now), None)
    return named or (max(1, now // 2) if asked.says("half") or asked.says("fewer") else None)


def balancing(asked: Asked) -> list[str]:
    """How traffic is spread over the links: what is counted of Ethernet with RDMA, and what either way gives."""
    best = asked.best
    if best is None or best.fabric == "none":
        return []
    named = [f for f in asked.fabrics if f in asked.catalog.fabrics]
    kinds = [c.fabric for c in asked.plan.candidates if c.step_time_s]
    roce = [f for f in (*named, *kinds) if asked.catalog.fabrics[f].technology == "roce"]
    rate = asked.catalog.fabrics[best.fabric].nic_rate
    fabric = next((f for f in roce if asked.catalog.fabrics[f].nic_rate == rate), next(iter(roce), best.fabric))
    counted = reading.asked(asked.plan, "cluster.adaptive_routing")
    counted = asked.catalog.fabrics[fabric].adaptive_routing if counted is None else counted
    ways = {True: "adaptive routing or packet spraying", False: "plain ECMP, by the hash of a flow"}
    said = [f"{asked.name(fabric)} is counted with {ways[bool(counted)]}{_own(asked, fabric, counted)}."]
    steps: dict[bool, Candidate] = {}
    for way in (True, False):
        made = asked.tried({"cluster.adaptive_routing": way})
        one = reading.candidate(made, fabric) if made else None
        if one is not None and one.step_time_s is not None:
            steps[way] = one
    if len(steps) == 2:
        more = lasts(slower(steps[False], steps[True]))
        ends = _ends(asked, steps[False])
        said.append(f"With ECMP a step on it takes {more} {_as(slower(steps[False], steps[True]))}with routing{ends}.")
    return said


def _as(percent: float) -> str:
    return "as " if abs(percent) < 0.5 or percent >= 100 else "than "


def _own(asked: Asked, fabric: str, counted: bool | None) -> str:
    """The networks that route around congestion by themselves, where this one does not."""
    if counted:
        return ""
    others = [
        c.fabric for c in asked.plan.candidates if c.step_time_s and asked.catalog.fabrics[c.fabric].adaptive_routing
    ]
    names = ", ".join(asked.name(f) for f in others[:2] if f != fabric)
    return f"; {names} with routing of their own" if names else ""


def upgrade_later(asked: Asked) -> list[str]:
    """Whether another network can be had afterwards, and what starting on the plainer one costs."""
    best = asked.best
    if best is None:
        return []
    if best.fabric == "none":
        return ["Yes: nothing crosses a network now, so start without one and add it when the job outgrows a node."]
    bought = asked.plan.purchase
    if bought is not None and not bought.capital_usd:
        return [
            "Yes: the machines stay, switches, cables and NICs of the new one are bought.",
            *_begun_plainer(asked, best),
        ]
    if bought is not None:
        whole, share = figures.usd(bought.capital_usd), bought.network_usd
        part = (
            f"{figures.usd(share)} of the {whole}" if share is not None else f"part of the {whole}, untold by the quote"
        )
        return [
            f"Yes, at a price: the machines stay, switches, cables and NICs are bought again; they are {part}.",
            *_begun_plainer(asked, best),
            "More nodes on the same network are the cheaper way to begin small: leave ports free in the switches.",
        ]
    takes = f", {figures.hours(best.run_hours)} here," if reading.ends(asked.plan) else ""
    return [
        f"Yes: rented, the network comes with the machines. You go on from a checkpoint on others; the code stays. "
        f"Within one run{takes} it is not worth the move.",
        *_begun_plainer(asked, best),
    ]


def _begun_plainer(asked: Asked, best: Candidate) -> list[str]:
    """The quickest plain Ethernet beside the plan's network."""
    plain = [c for c in asked.plan.candidates if c.step_time_s and c.fits is not False]
    plain = [c for c in plain if asked.catalog.fabrics[c.fabric].technology == "tcp" and c is not best]
    one = min(plain, key=lambda c: c.median_step, default=None)
    if one is None:
        return []
    return [f"On {asked.name(one.fabric)} meanwhile a step takes {lasts(slower(one, best))}{_ends(asked, one)}."]


def inside(asked: Asked) -> list[str]:
    """What joins the GPUs of a node, and whether more of it would help."""
    gpu, best = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]], asked.best
    kind = next((name for stem, name in _INSIDE.items() if gpu.scale_up.startswith(stem)), gpu.scale_up)
    has = "has no NVLink: inside a machine they talk over PCIe" if kind == "PCIe" else f"are joined by {kind}"
    if kind == "PCIe" and gpu.bridge:
        has = f"talk over PCIe; a bridge joins {gpu.bridged_gpus}"
    nodes = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    if gpu.scale_up_domain > nodes and reading.gpus(asked.plan) > gpu.scale_up_domain:
        has = f"are joined by {kind}, {gpu.scale_up_domain} in a rack; only what goes between racks takes the network"
    said = [f"{gpu.name}: {'it ' if has.startswith('has') else 'they '}{has}."]
    if best is None or best.breakdown_s is None:
        return said
    seconds = best.breakdown_s.model_dump()
    whole = added(seconds.values()) or 1.0
    between = added(seconds.get(part, 0.0) for part in ("tp", "cp", "ep"))
    waits = best.exposed_communication_percent or 0.0
    most = max(100 * between / whole, waits)
    if "only what goes between" in has:
        much = "so little depends on it" if waits < _LIVES else "so it matters"
        return [*said, f"{figures.percent(waits)} of a step waits for communication, {much}."]
    help_ = "It would hardly help" if most < _LIVES else f"At most {figures.percent(most)} of a step could be saved"
    return [*said, f"{help_}: in all {figures.percent(waits)} of a step waits for communication."]


def rates(asked: Asked) -> list[str]:
    """Line rates of the named networks per GPU, what is reached of them, and what it makes of a step."""
    best = asked.best
    named = [f for f in asked.fabrics if f in asked.catalog.fabrics]
    if best is None or best.fabric == "none":
        return []
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    said = []
    for fabric in dict.fromkeys([best.fabric, *named]):
        made = asked.catalog.fabrics[fabric]
        nics = made.nics_per_node or (1 if made.technology == "tcp" else per)
        reach = f", {made.bandwidth_efficiency.si:.0%} of it reached" if made.bandwidth_efficiency else ""
        rate = made.nic_rate * 8 / 1e9
        said.append(
            f"{asked.name(fabric)}: {nics} × {rate:g} Gb/s per node, {nics * rate / per:g} Gb/s per GPU{reach}."
        )
    if "gb/s" in asked.text or "bisection" in asked.text:
        made = asked.catalog.fabrics[best.fabric]
        rate = (made.nics_per_node or (1 if made.technology == "tcp" else per)) * made.nic_rate * 8 / 1e9 / per
        gpus = reading.gpus(asked.plan)
        said.append(
            f"Bits: {rate:g} Gb/s are {rate / 8:g} GB/s each way. Bisection, non-blocking: {gpus:,} × {rate:g} ÷ 2 = "
            f"{gpus * rate / 2e3:.3g} Tb/s."
        )
    found = (reading.candidate(asked.plan, fabric) for fabric in named)
    other = next((c for c in found if c is not None and c.step_time_s and c is not best), None)
    if other is not None:
        said.append(f"Of it this job feels: on {asked.name(other.fabric)} a step takes {lasts(slower(other, best))}.")
    return said
