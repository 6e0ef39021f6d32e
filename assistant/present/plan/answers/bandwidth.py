"""Half the line, or twice: what another rate of the network brings, within a site and between sites."""

from __future__ import annotations

import re

from assistant.vocabulary.added import added
from assistant.vocabulary.plan import Candidate, Plan

from ... import figures
from .. import reading
from .asked import Asked, lasts, money, slower, usable
from .changing import adapters

_FELT = 5.0  # percent of a step
_LEAST_RATE = 10  # Gb/s: a number beside a rate that is smaller is none
_TIMES = re.compile(r"\b(\d{1,2}) ?x ?(\d{2,3})(?:g\b|\b(?! ?gpu))")


def line_rate(asked: Asked) -> list[str]:
    """The same network at the rates that were named, else at half and twice its own."""
    best = asked.best
    if best is None or (reading.asked(asked.plan, "cluster.sites") or 1) > 1:
        return []
    if best.fabric == "none":
        return ["Nothing of this job crosses a network between nodes, so its rate changes nothing."]
    nics = asked.said.fields.get("cluster.nics_per_node")
    if isinstance(nics, int) and not asked.amounts("rate"):
        return adapters(asked)
    if asked.said.fields.get("cluster.wan_gbps"):
        return _two_sites(asked, best)
    single = _single(asked, best)
    if single is not None:
        return single
    own = asked.catalog.fabrics[best.fabric].nic_rate * 8 / 1e9
    found = [(rate, _sibling(asked, rate)) for rate in _rates(asked, own)]
    said = [_told(asked, best, rate, one) for rate, one in found if one is not best]
    waits = figures.percent(reading.waited(asked.plan, best))
    now = f"{asked.name(best.fabric)} now: {waits} of a step waits for the network, {money(best)}."
    return [*said, now] if said else [now, "The plan knows no other rate of this network that this job could have."]


def _two_sites(asked: Asked, best: Candidate) -> list[str]:
    """Half of the machines at another site, over the lines that are named."""
    rate = next(iter(_lines(asked)), None) or float(asked.said.fields["cluster.wan_gbps"])
    made = asked.tried({"cluster.sites": 2, "cluster.wan_gbps": rate, "cluster.fabric": best.fabric})
    one = reading.chosen(made) if made else None
    line = f"{rate:,g} Gb/s ({rate / 8:,g} GB/s) for all of it"
    if one is None or one.step_time_s is None:
        return [f"No: over {line} between the sites the job does not run as asked."]
    more, found = slower(one, best), _KM.search(asked.text)
    ends = f", done in {figures.hours(one.run_hours)}"
    light = 2e3 * _LIGHT * float(found[1].rstrip(".,").replace(",", ".")) if found else 0.0
    way = f"Light needs {light:.2g} ms there and back: next to nothing against a step." if light else ""
    return [
        f"It can be done: over {line} a step takes {lasts(more)}{ends}.",
        *([way] if way else []),
        "Between the sites data parallelism alone, TP within a node; or DiLoCo.",
        "On top: long-reach optics, routers (InfiniBand needs extenders), the line.",
    ]


def line_rate_named(asked: Asked) -> list[str]:
    """The same of rates that are named without a network: "is 400G needed or would 100G do"."""
    best = asked.best
    if not asked.amounts("rate") or asked.fabrics or best is None or best.fabric == "none":
        return []
    found = [_sibling(asked, rate) for rate in _rates(asked, _rate(asked, best))]
    able = [c for c in found if c is not None and c is not best]
    enough = all(slower(best, c) < _FELT for c in able)
    more = any(rate > _rate(asked, best) for rate in asked.amounts("rate"))
    verdict = [f"{asked.name(best.fabric)} is enough; no more is needed."] if able and enough and more else []
    return [*verdict, *line_rate(asked)]


def _single(asked: Asked, best: Candidate) -> list[str] | None:
    """One cable of a rate that is named, between nodes that have one for every GPU now; with RDMA and without."""
    rate, ports = next(iter(asked.amounts("rate")), None), asked.said.fields.get("cluster.nics_per_node")
    several = isinstance(ports, int) and asked.says("by_node")
    if rate is None or not (several or asked.says("single")):
        return None
    many = int(ports) if several and ports else 1
    said = []
    for technology, how in (("roce", "with RDMA"), ("tcp", "as plain TCP")):
        same = (f for f in asked.catalog.fabrics.values() if f.technology == technology)
        fabric = next((f.id for f in same if abs(f.nic_rate * 8 / 1e9 - rate) < 1), None)
        made = asked.tried({"cluster.fabric": fabric, "cluster.nics_per_node": many}) if fabric else None
        one = reading.candidate(made, fabric) if made else None
        if one is not None and one.step_time_s is not None:
            ends = f", {figures.hours(one.run_hours)} in all" if reading.ends(asked.plan) and one.run_hours else ""
            cables = f"{many} cables of {rate:g} Gb/s" if many > 1 else f"One {rate:g} Gb/s cable"
            cost = f", {money(one)}" if several and one.cost_usd else ""
            said.append(f"{cables} per node {how}: a step takes {lasts(slower(one, best))}{ends}{cost}.")
    if not said:
        return None
    waits = figures.percent(best.exposed_communication_percent)
    ends = f", {figures.hours(best.run_hours)} in all" if reading.ends(asked.plan) and best.run_hours else ""
    now = f", {money(best)}" if several and best.cost_usd else ""
    return [*said, f"{asked.name(best.fabric)} now: {waits} of a step waits{ends}{now}."]


def _lines(asked: Asked) -> list[float]:
    """Gb/s of so many lines: "1x400", "2 x 100G"."""
    return [float(many) * float(each) for many, each in _TIMES.findall(asked.text)]


def _rates(asked: Asked, own: float) -> list[float]:
    """Gb/s per GPU that are asked about beside the plan's own."""
    named = [rate for rate in _lines(asked) or asked.amounts("rate") if rate != own]
    if not named:
        named = [rate for rate in asked.amounts("number") if rate >= 10 and rate != own]
    return list(dict.fromkeys(named))[:2] or [own / 2, *([] if asked.says("half") else [2 * own])]


def _sibling(asked: Asked, rate: float) -> Candidate | None:
    """The candidate of the same technology with this rate per adapter; else the network with half as many adapters."""
    best = asked.best
    assert best is not None
    made = asked.catalog.fabrics[best.fabric]
    same = [f for f in asked.catalog.fabrics.values() if f.technology == made.technology]
    ids = {f.id for f in same if abs(f.nic_rate * 8 / 1e9 - rate) < 1}
    found = next((c for c in asked.plan.candidates if c.fabric in ids and c.step_time_s), None)
    other = next((c for c in usable(asked) if abs(_rate(asked, c) - rate) < 1), None)
    return found or other or next((one for plan in _planned(asked, ids, rate) if (one := reading.chosen(plan))), None)


def _rate(asked: Asked, found: Candidate) -> float:
    """Gb/s of one adapter."""
    return asked.catalog.fabrics[found.fabric].nic_rate * 8 / 1e9


def _planned(asked: Asked, ids: set[str], rate: float) -> list[Plan]:
    """The job on that network given, or on so many of the adapters of its own."""
    best = asked.best
    assert best is not None
    own = asked.catalog.fabrics[best.fabric].nic_rate * 8 / 1e9
    per = reading.asked(asked.plan, "cluster.nics_per_node") or reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    tries: list[dict[str, object]] = [{"cluster.fabric": one} for one in ids]
    if (nics := round(per * rate / own)) and rate < own:
        tries.append({"cluster.fabric": best.fabric, "cluster.nics_per_node": nics})
    return [made for fields in tries if (made := asked.tried(fields)) is not None]


def _told(asked: Asked, best: Candidate, rate: float, other: Candidate | None) -> str:
    if other is None and (below := _below(asked, best, rate)):
        return below
    if other is None:
        return f"{rate:g} Gb/s per GPU: no such network of this kind can be had for this job."
    more = slower(other, best)
    how = "enough" if more < 5 else "felt" if more < 25 else "too slow"
    if more < -0.5:
        how = "hardly worth it" if more > -5 else "faster"
    ends = f", done in {figures.hours(other.run_hours)}" if reading.ends(asked.plan) else ""
    cost = f", {money(other)} against {money(best)}" if other.cost_usd and best.cost_usd else ""
    other_kind = asked.catalog.fabrics[other.fabric].technology != asked.catalog.fabrics[best.fabric].technology
    named = f" ({asked.name(other.fabric)})" if other_kind else ""
    return f"{rate:g} Gb/s per GPU{named}, {how}: a step takes {lasts(more)}{ends}{cost}."


def _below(asked: Asked, best: Candidate, rate: float) -> str | None:
    """A rate below the slowest Ethernet of the catalog: what waits between nodes on that grows at least as the rate
    shrinks; and one node alone, where nothing crosses."""
    plain = [f for f in asked.catalog.fabrics.values() if f.technology == "tcp"]
    slow = min(plain, key=lambda f: f.nic_rate)
    own = slow.nic_rate * 8 / 1e9
    tried = asked.tried({"cluster.fabric": slow.id}) if rate < own else None
    one = reading.candidate(tried, slow.id) if tried else None
    if one is None or one.breakdown_s is None or not one.step_time_s:
        return None
    parts = one.breakdown_s.model_dump()
    whole = added(parts.values()) or 1.0
    share = added(parts.get(part, 0.0) for part in ("dp", "pp_p2p", "ep", "weight_sync")) / whole
    step = one.median_step * (1 + (own / rate - 1) * share)
    more = 100 * (step / best.median_step - 1)
    ends = f", {figures.hours((one.run_hours or 0.0) * step / one.median_step)} in all" if one.run_hours else ""
    how = "Yes" if more < _FELT else "Yes, if you can wait" if more < _SLOW else "No"
    return (
        f"{how}: on {rate:g} Gb/s a step takes at least {lasts(more)}{ends}, reckoned from {asked.name(slow.id)}: the "
        f"plan has none that slow.{one_alone(asked)}"
    )


_SLOW = 50.0  # percent of a step


def one_alone(asked: Asked) -> str:
    """The run on one node of several: as asked, else with adapters."""
    per = reading.asked(asked.plan, "cluster.gpus_per_node")
    if not per or per >= reading.gpus(asked.plan) or not reading.ends(asked.plan):
        return ""
    ways = (("", {}), (" with LoRA, as all weights do not fit,", {"training.method": "lora"}))
    for how, change in ways:
        made = asked.tried({"cluster.gpus": per, **change})
        one = reading.chosen(made) if made else None
        if one is not None and one.run_hours is not None:
            return f" One machine of {per} alone{how} takes {figures.hours(one.run_hours)}, with nothing to cross."
    return ""


def line_rate_sites(asked: Asked) -> list[str]:
    """The job over another line between its sites, and what the line carries."""
    best = asked.best
    if best is None or (reading.asked(asked.plan, "cluster.sites") or 1) < 2:
        return []
    now = reading.asked(asked.plan, "cluster.wan_gbps") or next(
        (a.value for a in asked.plan.assumptions if a.field == "cluster.wan_gbps"), None
    )
    named = [rate for rate in asked.amounts("rate") if rate > 0]
    named += [rate for rate in asked.amounts("number") if named and rate >= _LEAST_RATE]
    rates = _lines(asked) or named or ([now / 2] if now else [])
    said = [text for rate in dict.fromkeys(rates) if rate != now and (text := _over(asked, rate))]
    carried = next((w.message for w in asked.plan.warnings if w.code == "between-sites"), None)
    here = f"Counted with {now:g} Gb/s: done in {figures.hours(best.run_hours)}." if now else ""
    return [*said[:2], *([here] if here else []), *([f"{carried.partition('. ')[0]}."] if carried else [])]


_KM = re.compile(r"(\d[\d.,]*) ?(?:km|kilomet)")
_LIGHT = 5e-6  # seconds for a kilometre of fibre


def one_way(asked: Asked) -> str | None:
    """How long light takes over a distance that is named, and whether that or the rate of the line decides."""
    best, found = asked.best, _KM.search(asked.text)
    if best is None or found is None:
        return None
    there = _LIGHT * float(found[1].rstrip(".,").replace(",", "."))
    said = f"{1e3 * there:.2g} ms one way, {2e3 * there:.2g} ms there and back, plus switches"
    share = f"against a step of {figures.seconds(best.median_step)}"
    return f"Light takes {said}: next to nothing {share}. The rate of the line decides, latency does not."


def _over(asked: Asked, rate: float) -> str | None:
    """The whole run over a line of so many Gb/s."""
    tried = asked.tried({"cluster.wan_gbps": rate})
    one, best = reading.chosen(tried) if tried else None, asked.best
    if one is None or best is None or one.run_hours is None or best.run_hours is None:
        return f"Over {rate:g} Gb/s it does not work."
    more = 100 * (one.run_hours / best.run_hours - 1)
    far = "as long as" if abs(more) < 1 else f"{abs(more):.2g} % {'longer' if more > 0 else 'less'} than"
    enough = "enough" if more < 5 else "felt"
    now = reading.asked(asked.plan, "cluster.wan_gbps")
    if now and rate > now:
        brings = "is enough" if more > -_FELT else "is felt"
        takes = f"{figures.hours(one.run_hours)}, {far} planned"
        return f"{now:g} Gb/s between the sites {brings}: over {rate:g} it takes {takes}."
    return f"{rate:g} Gb/s between the sites, {enough}: {figures.hours(one.run_hours)}, {far} planned."
