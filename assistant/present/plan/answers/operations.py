"""Running it: what breaks first, failures and checkpoints, settings, people, and what to do next."""

from __future__ import annotations

import re
from math import ceil, sqrt

from assistant.vocabulary.plan import Candidate, Plan, QuotedOffer

from ... import figures
from .. import reading
from .asked import Asked, lasts, slower, usable
from .choice import one_line

_PER_NODE = "failures per node and day"
_RESTART, STOP = "seconds to restart after a failure", "seconds a checkpoint stops the work"
_DAY = 86_400.0


def weakest(asked: Asked) -> str | None:
    """The narrowest place of the set-up."""
    best = asked.best
    if best is None:
        return asked.plan.recommendation.smallest_change
    if (reading.asked(asked.plan, "cluster.sites") or 1) > 1:
        between = next((w.message for w in asked.plan.warnings if w.code == "between-sites"), "")
        return f"First the line between the sites: it joins them all and there is one of it. {between}".strip()
    gpu = asked.catalog.gpus[asked.plan.questionnaire["cluster"]["gpu"]]
    full = reading.gib(best) / (gpu.memory.si / 2**30)
    waits = reading.waited(asked.plan, best) or 0.0
    served = best.serving
    if served is not None:
        return (
            f"First the latency at peaks: it carries {served.max_concurrency:,} requests in flight; beyond, answers "
            "queue."
        )
    if waits >= 15:
        return f"First the network: {figures.percent(waits)} of a step waits for {asked.name(best.fabric)}."
    if full > 0.9:
        return f"First the memory: the fullest GPU is {100 * full:.0f} % full, no longer sequence may fit."
    return (
        f"Not the network ({figures.percent(waits)} of a step): the machines. One GPU or NIC that fails stops them all."
    )


def failures(asked: Asked) -> str | None:
    """How often something fails, and what is counted for it."""
    rate, best = failures_a_day(asked.plan), asked.best
    if rate is None or best is None or best.run_hours is None or reading.serves(asked.plan):
        return _served(asked)
    per_day = rate * nodes(asked.plan)
    many = per_day * best.run_hours / 24
    kept = best.effective_time_percent
    lost = f", {figures.percent(100 - kept.p50)} of the time with checkpoints" if kept else ""
    often = f"about {figures.significant(many, 2)} in the run" if many >= 1 else f"{many:.0%} likely in the run"
    return f"Failures: {often} ({figures.significant(per_day, 2)} a day), counted in the day it ends{lost}."


def slack(asked: Asked) -> str | None:
    """The days between the planned end and the deadline, and whether the slow tenth takes them."""
    limit, best = reading.asked(asked.plan, "constraints.deadline_days"), asked.best
    if not limit or best is None or best.run_hours is None or not reading.ends(asked.plan):
        return None
    spare, slow = 24 * limit - best.run_hours, reading.run_band(best)[1]
    if spare < 0:
        return f"The {limit:g} days are missed by {figures.hours(-spare)}."
    late = "the slow tenth keeps it too" if slow <= 24 * limit else f"the slow tenth ({figures.hours(slow)}) is late"
    return f"{figures.hours(spare)} to spare; {late}: run 20 steps first."


def failures_met(asked: Asked) -> str | None:
    """How often something fails in the run, and what is ready for it."""
    rate, best = failures_a_day(asked.plan), asked.best
    if rate is None or best is None or best.run_hours is None or reading.serves(asked.plan):
        return None
    many = rate * nodes(asked.plan) * best.run_hours / 24
    often = f"about {figures.significant(many, 2)}" if many >= 1 else f"{many:.0%} likely"
    return f"Failures, {often} in the run: checkpoints, automatic restart, a spare node."


def _served(asked: Asked) -> str | None:
    if asked.best is None or not reading.serves(asked.plan):
        return None
    copies = asked.best.serving.copies if asked.best.serving else 1
    if nodes(asked.plan) <= 1:
        month, limit = asked.best.usd_per_month, reading.asked(asked.plan, "budget.usd_per_month")
        over = f", over your {figures.usd_limit(limit)}" if month and limit and 2 * month > limit else ""
        spare = (
            f" A second machine, best at another site: {figures.usd(2 * month)} a month in all{over}." if month else ""
        )
        return f"All copies go with it until it is replaced; 99.9 % leaves 43 minutes a month.{spare}"
    if copies > 1:
        return f"If a machine dies its copies are gone and the other {copies - 1:,} at most take over: keep one spare."
    return "There is one copy: if its machine dies nothing answers until it is loaded again."


def nodes(plan: Plan) -> float:
    per = reading.asked(plan, "cluster.gpus_per_node") or assumed(plan, "cluster.gpus_per_node") or 8
    return max(1.0, reading.gpus(plan) / per)


def failures_a_day(plan: Plan) -> float | None:
    """Failures per node and day of a plan: as they were said, else as assumed; ``None`` where none are counted."""
    return reading.asked(plan, "cluster.failures_per_node_day") or assumed(plan, _PER_NODE)


def restart_hours(plan: Plan) -> float:
    """Hours that are counted for a restart; 0 where none are."""
    return (assumed(plan, _RESTART) or 0.0) / 3600


def assumed(plan: Plan, field: str) -> float | None:
    value = next((a.value for a in plan.assumptions if a.field == field), None)
    return float(value) if isinstance(value, int | float) else None


def watch(asked: Asked) -> str | None:
    found = [w.message for w in asked.plan.warnings if w.code in ("lossless-configuration", "static-routing")]
    if found:
        return f"Watch: {found[0].partition('. ')[0]}."
    first = next(iter(asked.plan.measure_first), None)
    return f"Measure before: {first}" if first and not reading.serves(asked.plan) else None


def on_failure(asked: Asked) -> str | None:
    """What happens when something fails."""
    if reading.serves(asked.plan):
        return _served(asked)
    if "checkpoint" in asked.text:
        return failures(asked) if "often will" in asked.text or "often does" in asked.text else None
    line = any(word in asked.text for word in ("fiber", "fibre", "link", "connection", "line"))
    if (reading.asked(asked.plan, "cluster.sites") or 1) > 1 and line:
        inner = assumed(asked.plan, "parallelism.inner_steps")
        split = f" Exchanged only every {inner:g} steps, each site goes on until the next" if inner else ""
        how = f"{split}; in lockstep" if split else " In lockstep"
        return f"Without the line between the sites no exchange is possible.{how} the whole run stops."
    return "The whole run stops: all GPUs wait for each other. It restarts from the last checkpoint."


def restart(asked: Asked) -> str | None:
    """What a failure costs, and how often to save."""
    rate = failures_a_day(asked.plan)
    again, stop = (assumed(asked.plan, f) for f in (_RESTART, STOP))
    if None in (rate, again, stop) or reading.serves(asked.plan):
        return None
    assert rate is not None and again is not None and stop is not None
    between = _DAY / (rate * nodes(asked.plan))
    every = sqrt(2 * stop * between)  # Young 1974: of the first order
    best = asked.best
    told = "often will" in asked.text or "often does" in asked.text  # then the share stands in it already
    takes = f"about {figures.seconds(again)} to restart and up to {figures.seconds(every)} of work done again"
    size = asked.catalog.constants["cost-checkpoint-state"].si * (asked.params or 0.0)
    one = (
        "one"
        if reading.asked(asked.plan, "training.method") in ("lora", "qlora") or not size
        else figures.bytes_text(size)
    )
    often = f"checkpoint every {figures.seconds(every)} ({one} stops it {figures.seconds(stop)})"
    counted = ""
    if best is not None and best.effective_time_percent and not told:
        kept = best.effective_time_percent.p50
        counted = f" Both are in the day it ends: {100 - kept:.1f} % of the time."
    return f"Each failure costs {takes}: {often}.{counted}"


def job_limit(asked: Asked) -> list[str]:
    """Whether a run fits into one job of a batch system, else how many in a row it takes, and what each costs."""
    best, limit = asked.best, next((24 * days for days in asked.amounts("time") if days > 0), None)
    if best is None or best.run_hours is None or limit is None or asked.run is None:
        return []
    middle, _, slow = asked.run
    jobs, most = ceil(best.run_hours / limit), ceil(reading.run_band(best)[1] / limit)
    again = assumed(asked.plan, _RESTART)
    way = "save at the end of each job and go on from there"
    cost = f"; each start costs about {figures.seconds(again)}" if again else ""
    if most == 1:
        return [f"It fits: {middle}, {slow} in the slow tenth, is within one job of {figures.hours(limit)}."]
    if jobs == 1:
        first = f"It fits: {middle} is within one job of {figures.hours(limit)}; the slow tenth ({slow}) needs {most}"
    else:
        first = f"In pieces: {middle} is {jobs} jobs of {figures.hours(limit)} in a row, {most} in the slow tenth"
    return [f"{first}: {way}{cost}."]


def failure_prepare(asked: Asked) -> str | None:
    """What to have ready."""
    if (reading.asked(asked.plan, "cluster.sites") or 1) > 1:
        small = asked.tried({"cluster.sites": 1, "cluster.gpus": reading.gpus(asked.plan) // 2})
        found = reading.chosen(small) if small else None
        alone = f", where the whole job takes {figures.hours(found.run_hours)}" if found and found.run_hours else ""
        return f"Have ready: checkpoints at both sites, and a launch file for one site alone{alone}."
    if reading.serves(asked.plan):
        return None
    return "Have ready: a spare node, automatic restart, checkpoints kept off the nodes."


_YES_OR_NO = re.compile(r"(?:so |and |but |ok |okay |well )*(?:do|does|did|is|are|must|need|will|have)\b")


def is_yes_or_no(asked: Asked) -> bool:
    """Whether it is asked if something has to be done, not what."""
    return bool(_YES_OR_NO.match(asked.text))


def doubts_the_settings(asked: Asked) -> bool:
    """Whether it is asked what is lost where nobody sets it up well."""
    return any(
        word in asked.text for word in ("isn", "not", "bad", "crap", "mis", "wrong", "congest", "shared", "noisy")
    )


def settings(asked: Asked) -> str | None:
    """Whether anything is to be configured."""
    best = asked.best
    other = bool(asked.fabrics) and best is not None and best.fabric not in asked.fabrics
    if best is None or reading.serves(asked.plan) or (other and not is_yes_or_no(asked)):
        return None
    kind = asked.catalog.fabrics[asked.fabrics[0] if other else best.fabric].technology
    if best.fabric == "none":
        return "No: nothing crosses a network, so there is nothing to tune between nodes."
    if doubts_the_settings(asked):
        return _untuned(asked)
    if kind in ("roce", "spectrum-x", "ultra-ethernet"):
        return "Yes: PFC and ECN on every switch and NIC of the path; the plan takes them as set well and tested."
    if kind == "infiniband":
        return "Hardly: InfiniBand is lossless by itself; check adaptive routing and GPUDirect RDMA."
    return "Little: the provider runs that network; take its image and plugin, and check that they are in use."


def _untuned(asked: Asked) -> str:
    """How bad a badly set-up network may be: the slow end of the band, and TCP for the worst."""
    best = asked.best
    assert best is not None
    band = best.step_time_s
    slow = f"{100 * (band.p90 / band.p50 - 1):.0f} %" if band else "a part"
    tcp = next((c for c in asked.plan.candidates if c.fabric == "ethernet-tcp-100" and c.step_time_s), None)
    worst = ""
    if tcp is not None and tcp is not best:
        worst = f"; without RDMA at all, as over 100 Gb/s TCP, a step takes {lasts(slower(tcp, best))}"
    return f"Yes, it is assumed to be set well. The slow end of the band is {slow} longer{worst}."


def settings_untuned(asked: Asked) -> str | None:
    """What it costs where nobody sets it up, of networks that have to be."""
    best = asked.best
    if best is None or asked.catalog.fabrics[best.fabric].technology not in ("roce", "spectrum-x"):
        return None
    slow = _untuned(asked).partition(". ")[2]
    return f"Left untuned, {slow[:1].lower()}{slow[1:]}"


def settings_check(asked: Asked) -> str | None:
    """What to check, and which quote would win then."""
    even = [q for q in asked.plan.quotes if q.usd_per_gpu_hour_to_win is None and q.waiting_percent is not None]
    warned = next((w.message for w in asked.plan.warnings if w.code == "lossless-configuration"), None)
    sites = (reading.asked(asked.plan, "cluster.sites") or 1) > 1
    far = " Across the long line use none of it: plain TCP or DiLoCo's few exchanges." if sites else ""
    test = next(iter(asked.plan.measure_first), None)
    if reading.serves(asked.plan):
        return None
    if even or asked.plan.quotes:
        return f"Before signing have them show it: {test or 'an all-reduce test on all nodes'}"
    if warned:
        return f"{warned.partition('. ')[2] or warned}{far}".strip()
    return f"Check: {test}" if test else None


def skills(asked: Asked) -> str | None:
    """Who has to run it."""
    best = asked.best
    if best is None:
        return None
    if best.fabric == "none" or not asked.buys:
        who = "nobody for the network" if best.fabric == "none" else "nobody of yours: the provider runs the network"
        return f"It takes {who}; somebody who starts jobs and reads logs is enough."
    fabric = asked.catalog.fabrics[best.fabric]
    need = {"none": "no specialist", "some": "one who has run it before", "expert": "an expert"}[fabric.skills]
    team = reading.asked(asked.plan, "constraints.network_team") or "some"
    hire = next((a for a in asked.plan.assumptions if a.field == "network engineers to hire"), None)
    extra = f"; {hire.value:g} of an engineer is counted in the sum" if hire and isinstance(hire.value, float) else ""
    return f"{fabric.name} takes {need}; your team is counted as having {team} network skill{extra}."


def lock_in(asked: Asked) -> str | None:
    """Who sells it, and whether it can grow."""
    best = asked.best
    if best is None or best.fabric == "none":
        return "Nothing of the network ties you to anybody, and more machines can be added one by one."
    fabric = asked.catalog.fabrics[best.fabric]
    tied = "from one vendor only" if fabric.vendors != "many" else "from many vendors, so nobody locks you in"
    proven = fabric.largest_proven_gpus
    grow = f"; published runs went up to {proven.si:,.0f} GPUs on it" if proven else ""
    return f"Switches and NICs come {tied}{grow}."


def ask_seller(asked: Asked) -> list[str]:
    """The questions that the plan rests on."""
    found = list(asked.plan.questions_for_provider)
    quote = _quote_of(asked)
    if quote is not None and quote.missing:
        who = quote.provider or quote.fabric
        return [f"Quote {quote.number} ({who}) leaves open: {', '.join(quote.missing)}.", *found[:3]]
    return found[:4] or ["What is in the price, from when, for how long, and may we run an all-reduce test first?"]


def _quote_of(asked: Asked) -> QuotedOffer | None:
    quotes = asked.plan.quotes
    letters = {f" {chr(97 + q.number - 1)} ": q for q in quotes}
    said = f" {asked.text} "
    sellers = {e.id for e in asked.said.entities if e.kind == "provider"}
    theirs = next((q for q in quotes if q.provider and q.provider in sellers), None)
    return (
        theirs
        or next((q for sign, q in letters.items() if sign in said and sign != " a "), None)
        or next(iter(quotes), None)
    )


def next_1(asked: Asked) -> str | None:
    line = one_line(asked)
    if asked.best is None or line is None:
        return asked.plan.recommendation.smallest_change
    first = next(iter(asked.plan.questions_for_provider), None)
    where = f"ask them: {first}" if first else "have a written quote with date and term"
    return f"1. {line.partition(':')[0]}; before you sign, {where.rstrip('.')}{'' if where.endswith('?') else '.'}"


def next_2(asked: Asked) -> str | None:
    if asked.best is None:
        return None
    if reading.serves(asked.plan):
        return "2. Run one copy for an hour with your own prompts: time to first token, tokens per second, memory."
    if nodes(asked.plan) <= 1:
        return "2. Run 20 steps: does it fit, and how long is a step? Compare with the plan."
    return "2. On two nodes first: all-reduce test, then 20 steps of your job; compare with the plan."


def next_3(asked: Asked) -> str | None:
    best = asked.best
    if best is None or best.step_time_s is None:
        return None
    expected = figures.seconds(best.step_time_s.p50)
    unit = "token" if reading.serves(asked.plan) else "step"
    return f"3. About {expected} a {unit}? Then start it all; if much slower, tell me what you measured."


def stock(asked: Asked) -> str | None:
    """What the plan does not know."""
    offer = asked.plan.recommendation.offer
    taken = asked.plan.offers[offer] if offer is not None else None
    where = (taken.provider_name or taken.provider) if taken else "the seller"
    term = ""
    if taken is not None:
        term = f" Of the term it knows: {f'{taken.months:g} months' if taken.months else 'by the hour'}."
    return f"The plan does not know it: stock, delivery, place, contract and support are {where}'s to say; ask.{term}"


def team_change(asked: Asked) -> str | None:
    """Whether what the team knows changes the choice: the network that it knows beside the one that was taken."""
    best = asked.best
    if best is None:
        return asked.plan.recommendation.smallest_change
    if best.fabric == "none":
        return "No: nothing crosses a network here, so nobody has to know one."
    if not asked.buys and not reading.is_owned(asked.plan):
        return "No: it is rented, and the provider runs the network."
    if asked.catalog.fabrics[best.fabric].technology != "infiniband":
        said = f"No: {asked.name(best.fabric)} is Ethernet, which they know"
        other = next((c for c in usable(asked) if asked.catalog.fabrics[c.fabric].technology == "infiniband"), None)
        if other is None or not other.cost_usd or not best.cost_usd:
            return f"{said}."
        more = other.median_cost - best.median_cost
        cost = f"{figures.usd(abs(more))} {'more' if more > 0 else 'less'} for {reading.bill(asked.plan)}"
        return f"{said}; on {asked.name(other.fabric)} a step takes {lasts(slower(other, best))}, for {cost}."
    kind = lambda c: asked.catalog.fabrics[c.fabric].technology
    able = [c for c in usable(asked) if kind(c) in ("roce", "spectrum-x", "ultra-ethernet")]
    other = min(able, key=lambda c: (c.median_cost, c.median_step), default=None)
    if other is None:
        return "No: no Ethernet with RDMA can be had for this job."
    more = slower(other, best)
    cost = ""
    if other.cost_usd and best.cost_usd:
        less = best.median_cost - other.median_cost
        cost = f" and costs {figures.usd(abs(less))} {'less' if less > 0 else 'more'} for {reading.bill(asked.plan)}"
    verdict = "Yes, it may decide" if more < _NEAR else "Hardly"
    return f"{verdict}: on {asked.name(other.fabric)} a step takes {lasts(more, asked.name(best.fabric))}{cost}."


_NEAR = 5.0  # percent of a step: nearer than this the people decide


def team_gain(asked: Asked) -> str | None:
    """What Ethernet asks of them all the same."""
    best = asked.best
    if best is None or best.fabric == "none" or (not asked.buys and not reading.is_owned(asked.plan)):
        return None
    kind = asked.catalog.fabrics[best.fabric].technology
    if kind == "infiniband":
        return (
            "InfiniBand is lossless by itself but has a subnet manager and tools of its own: weeks to learn, or a "
            "support contract."
        )
    if kind in ("roce", "spectrum-x", "ultra-ethernet"):
        return (
            "New to them may be RDMA: PFC and ECN (DCQCN) on every switch and adapter, MTU 9000, and adaptive routing, "
            "as few large flows collide under ECMP; prove it with nccl-tests."
        )
    return None


def _of_all(best: Candidate) -> float:
    """Seconds of a step that one case in ten is beyond."""
    return best.step_time_s.p90 if best.step_time_s else best.median_step


def quick_test(asked: Asked) -> list[str]:
    """The shortest test on two nodes, and the values to hold it against."""
    best = asked.best
    if best is None or best.step_time_s is None:
        return []
    if reading.serves(asked.plan):
        served = best.serving
        first = f"; expected: {figures.seconds(served.ttft_s)} to the first token" if served else ""
        return [f"One copy on a rented node for an hour at its share of your load{first}."]
    per = reading.asked(asked.plan, "cluster.gpus_per_node") or 8
    batch, gpus = reading.asked(asked.plan, "training.global_batch"), reading.gpus(asked.plan)
    change: dict[str, object] = {"cluster.gpus": 2 * per}
    if batch and gpus > 2 * per:
        change["training.global_batch"] = max(1, round(batch * 2 * per / gpus))
    small = asked.tried(change)
    one = reading.candidate(small, best.fabric) if small else None
    said = ["10 minutes on two nodes: all_reduce_perf of nccl-tests first, then 20 steps of your job."]
    if one is not None and one.step_time_s is not None:
        size = f" at batch {change['training.global_batch']}" if "training.global_batch" in change else ""
        low, high = figures.seconds(one.step_time_s.p10), figures.seconds(one.step_time_s.p90)
        waits = figures.percent(one.exposed_communication_percent)
        takes = f"{figures.seconds(one.median_step)} there{size} ({low} to {high})"
        said.append(f"A step should take {takes}, {waits} waiting.")
    else:
        band = best.step_time_s
        low, high = figures.seconds(band.p10), figures.seconds(band.p90)
        said.append(f"The job does not fit on two; on all nodes a step should take {low} to {high}.")
    said.insert(0, f"The time of a step: beyond {figures.seconds(_of_all(best))} on all nodes the plan is wrong.")
    return [*said, '"weft nccl bench" writes the test with the bandwidth to expect and what is an alarm.']
