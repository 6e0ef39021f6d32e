"""What a plan says to the questions of :mod:`plan_questions`: its figures, its ranking, its parts, how far to trust it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from assistant.present import figures, reading
from assistant.present.fields import assumed_text, field_name, value_text
from assistant.present.report import Block, Bullets, Table, report
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Candidate, Flip, Plan

from . import comparing, explaining, plan_figures
from .changes import candidate, chosen, unit_of_work
from .events import Event, Note

_Figure = Callable[[Plan, Candidate, Catalog], Note]
_FIGURES: dict[str, _Figure] = {
    "duration": plan_figures.duration,
    "cost": plan_figures.cost,
    "network-cost": plan_figures.network_cost,
    "step": plan_figures.step,
    "latency": plan_figures.latency,
    "throughput": plan_figures.throughput,
    "load": plan_figures.load,
    "mfu": plan_figures.mfu,
    "memory": plan_figures.memory,
    "waiting": plan_figures.waiting,
    "split": plan_figures.split,
}
_PARTS = {"network": "The network", "nccl": "NCCL settings"}
_NOTHING_WORKS = Note(text="Nothing works as asked.")
_LEAST_DIFFERENCE = 0.0005  # of the cost: a smaller one is none


def answer(plan: Plan, topic: str, fabrics: Sequence[str], catalog: Catalog) -> list[Event]:
    """The events for a topic; ``fabrics`` are the candidates it was asked of, none: the recommended one."""
    if topic in _FIGURES:
        return [_figure(plan, topic, fabric, catalog) for fabric in fabrics or [_at_hand(plan)]]
    if topic in _PARTS:
        return [_part(plan, _PARTS[topic])]
    if topic in _OF_A_NETWORK:
        made = _OF_A_NETWORK[topic]
        return [made(plan, fabric, catalog) for fabric in fabrics]
    return [_OF_THE_PLAN[topic](plan, catalog)]


def _figure(plan: Plan, topic: str, fabric: str, catalog: Catalog) -> Event:
    found = candidate(plan, fabric)
    if found is None or found.step_time_s is None:
        return explaining.why_fabric(plan, fabric)
    if found.fits is False and topic != "memory":
        return plan_figures.memory(plan, found, catalog)
    note = _FIGURES[topic](plan, found, catalog)
    if found.verdict != "impossible" or found.fits is False:
        return note
    return Note(text=f"{note.text} It will not do here, though.", items=(*explaining.barred(plan, found), *note.items))


def _at_hand(plan: Plan) -> str:
    """The recommended network; where nothing works as asked, the cheapest that was computed and fits, else any."""
    if plan.recommendation.verdict != "infeasible":
        return plan.recommendation.fabric
    computed = [c for c in plan.candidates if c.step_time_s is not None and c.cost_usd is not None]
    fitting = [c for c in computed if c.fits is not False] or computed
    return min(fitting, key=lambda c: c.cost_usd.p50 if c.cost_usd else 0.0, default=plan.candidates[0]).fabric


def in_time(plan: Plan, days: float) -> Note:
    """Whether the recommended run ends within so many days."""
    best = candidate(plan, _at_hand(plan))
    if best is None or best.run_hours is None or best.fits is False:
        return Note(text="Nothing works as asked, in any time.")
    fits, (quick, slow) = best.run_hours <= 24 * days, reading.run_band(best)
    how_far = "" if fits else f", {figures.significant(best.run_hours / 24 / days, 2)} times as long"
    maybe = "; in the slowest tenth of cases it takes longer than that" if fits and slow > 24 * days else ""
    over = "" if best.fabric == "none" else f" over {best.fabric}"
    where = f"on {plan.questionnaire['cluster']['gpus']:,} GPUs{over}"
    return Note(
        text=f"{'Yes' if fits else 'No'}: {where} the run takes {figures.hours(best.run_hours)} ({figures.hours(quick)}–{figures.hours(slow)}){how_far}{maybe}."
    )


def _part(plan: Plan, title: str) -> Note:
    """A section of the report."""
    section = next((s for s in report(plan) if s.title == title), None)
    if section is None:
        alone = plan.recommendation.fabric == "none"
        return Note(
            text="No network joins the nodes of this plan: nothing to build, nothing to set."
            if alone
            else "The plan has nothing to say on that."
        )
    items = [line for block in section.blocks for line in _lines(block)]
    return Note(text=f"{title}, {plan.recommendation.fabric}:", items=tuple(items))


def _lines(block: Block) -> list[str]:
    if isinstance(block, Bullets):
        return block.items
    return [f"{row[0]}: {row[1]}" for row in block.rows] if isinstance(block, Table) else [block.text]


def _able(plan: Plan) -> list[Candidate]:
    return [
        c for c in plan.candidates if c.verdict != "impossible" and c.fits is not False and c.cost_usd and c.step_time_s
    ]


def _cheapest(plan: Plan, catalog: Catalog) -> Note:
    able = sorted(_able(plan), key=lambda c: c.cost_usd.p50 if c.cost_usd else 0.0)[: plan_figures.MOST_OTHERS]
    if not able:
        return _NOTHING_WORKS
    items = [
        f"{c.fabric}: {figures.usd_band(c.cost_usd)}, the cheapest in {c.probability_best or 0.0:.0%} of the draws."
        for c in able
    ]
    best, taken = able[0].fabric, plan.recommendation
    other = taken.not_the_likeliest or f"Recommended is {taken.fabric}."
    return Note(
        text=f"{best} has the lowest cost in the median. {'It is the recommendation.' if best == taken.fabric else other}",
        items=tuple(items),
    )


def _fastest(plan: Plan, catalog: Catalog) -> Note:
    able = sorted(_able(plan), key=lambda c: c.step_time_s.p50 if c.step_time_s else 0.0)[: plan_figures.MOST_OTHERS]
    items = [
        f"{c.fabric}: {figures.seconds(c.step_time_s and c.step_time_s.p50)}, {figures.usd(c.cost_usd and c.cost_usd.p50)}."
        for c in able
    ]
    return Note(text=f"{able[0].fabric} is the fastest.", items=tuple(items)) if able else _NOTHING_WORKS


def _second(plan: Plan, catalog: Catalog) -> Event:
    second = plan.recommendation.runner_up
    if second is None or candidate(plan, second) is None or chosen(plan) is None:
        if plan.recommendation.verdict == "infeasible":
            return _NOTHING_WORKS
        alone = plan.recommendation.fabric == "none"
        return Note(
            text="No network is needed, so none is the second."
            if alone
            else "There is no second: nothing else would do here."
        )
    return comparing.compare(plan, plan.recommendation.fabric, second, catalog)


def _options(plan: Plan, catalog: Catalog) -> Note:
    """Every network that was computed, and those that are none here."""
    items = [
        f"{c.fabric}, {reading.verdict(c, plan)}: {figures.seconds(c.step_time_s.p50)}, {figures.usd(c.cost_usd.p50)}."
        for c in plan.candidates
        if c.step_time_s and c.cost_usd and c.verdict != "impossible"
    ]
    gone = [c.fabric for c in plan.candidates if c.verdict == "impossible"]
    items += [f"Not possible here: {', '.join(gone)}."] if gone else []
    return Note(text=f"The networks of this plan, {unit_of_work(plan).lower()} and cost on each:", items=tuple(items))


def _summary(plan: Plan, catalog: Catalog) -> Note:
    best, said = chosen(plan), plan.recommendation
    items = [text for text in (reading.confidence(plan), said.not_the_likeliest, said.smallest_change) if text]
    if best is not None and best.step_time_s is not None and best.fits is not False:
        waits = f"{figures.percent(best.exposed_communication_percent)} of the time is communication that nothing hides, inside nodes too"
        items.append(f"{waits}; split: {figures.layout(best.parallelism)}.")
    chose = [f.because for f in plan.findings if f.stage == "choose" and f.fabric == said.fabric]
    items += chose[:1] + [f"It would turn: {_turn(flip)}." for flip in said.flips[:2]]
    items += [f"Measure first: {text}" for text in plan.measure_first[:1]]
    return Note(text=said.headline, items=tuple(items))


def _turn(flip: Flip) -> str:
    return (
        f"{field_name(flip.input)} {value_text(flip.input, flip.at)} instead of {value_text(flip.input, flip.from_)}, then "
        f"{'no network' if flip.to_fabric == 'none' else flip.to_fabric}"
    )


def _trust(plan: Plan, catalog: Catalog) -> Note:
    best = chosen(plan)
    items = [reading.confidence(plan)] if reading.confidence(plan) else []
    if best is not None and best.step_time_s is not None:
        band = best.step_time_s
        said = (
            ""
            if plan_figures.serves(plan)
            else "; so the errors on measured runs say (weft validate, weft handbook accuracy)"
        )
        items.append(
            f"In eight of ten cases the step lies between {figures.seconds(band.p10)} and {figures.seconds(band.p90)}, {band.p10 / band.p50 - 1:+.0%} to "
            f"{band.p90 / band.p50 - 1:+.0%} of what is named{said}."
        )
    items += [w.message for w in plan.warnings if w.message.startswith("Less sure")]
    items.append(
        f'{len(plan.assumptions)} values were assumed, because nobody said them; "assumptions" lists them.'
        if plan.assumptions
        else "Nothing was assumed."
    )
    items += [f"What would settle it: {text}" for text in plan.measure_first[:1]]
    return Note(text="How far to trust it:", items=tuple(items))


def _prices(plan: Plan, catalog: Catalog) -> Note:
    found = chosen(plan)
    items = [
        f"{assumed_text(a, catalog)}: {a.why}."
        for a in plan.assumptions
        if a.field.startswith(("budget.", "fabrics.", "catalog."))
    ]
    told = [
        f"{field_name(name)}: {value_text(name, value)}, as you said."
        for name in ("budget.gpu_hour_usd", "budget.fabric_premium_gpu_hour_usd")
        if (value := (plan.questionnaire.get("budget") or {}).get(name.split(".")[1])) is not None
    ]
    items = [*told, *items, *(w.message for w in plan.warnings if "price" in w.code)]
    per_hour = f" of {found.fabric}" if found else ""
    return Note(text=f"The prices{per_hour}:" if items else "No price was needed.", items=tuple(items))


def _apart(plan: Plan, fabric: str, catalog: Catalog) -> Event:
    """How far a network is from the recommended one."""
    found, best = candidate(plan, fabric), chosen(plan)
    if found is None or best is None or found is best or not found.cost_usd or not best.cost_usd:
        return explaining.why_fabric(plan, fabric)
    difference = explaining.difference(plan, found)
    return Note(
        text=f"{fabric}: {difference}" if difference else f"{fabric} has the same figures.",
        items=(*explaining.barred(plan, found), f'"compare {fabric} and {best.fabric}" shows them point by point.'),
    )


def _need(plan: Plan, fabric: str, catalog: Catalog) -> Event:
    """Whether a network is needed, by the plan's own verdicts; for training the computation says more."""
    found, best = candidate(plan, fabric), chosen(plan)
    if found is None or best is None or not found.cost_usd or not best.cost_usd:
        return explaining.why_fabric(plan, fabric)
    if found is best:
        return Note(text=f"{fabric} is what the plan recommends.", items=(reading.confidence(plan),))
    barred, more = explaining.barred(plan, found), explaining.difference(plan, found)
    if barred:
        return Note(text=f"{fabric} will not do here.", items=tuple(barred))
    does = "no network between nodes is needed" if best.fabric == "none" else f"{best.fabric} is recommended"
    against = [f.because for f in plan.findings if f.fabric == fabric and f.conclusion == "avoid"]
    return Note(
        text=f"{fabric} {'is better avoided' if found.verdict == 'avoid' else 'would do, but is not needed'}: {does}.",
        items=(*against[:1], *([more] if more else [])),
    )


def _win(plan: Plan, fabric: str, catalog: Catalog) -> Event:
    """What would have to change for a network to be recommended."""
    found, best = candidate(plan, fabric), chosen(plan)
    if found is None or best is None or not found.cost_usd or not best.cost_usd or found.fits is False:
        return explaining.why_fabric(plan, fabric)
    if found is best:
        return explaining.flips(plan)
    barred = explaining.barred(plan, found)
    if barred:
        return Note(text=f"{fabric} cannot be had here, whatever it costs.", items=tuple(barred))
    technology = catalog.fabrics[fabric].technology
    items = [
        f"{_turn(flip)}."
        for flip in plan.recommendation.flips
        if flip.to_fabric == fabric
        or (flip.to_fabric in catalog.fabrics and catalog.fabrics[flip.to_fabric].technology == technology)
    ]
    return Note(
        text=f"For {fabric} to win, one of these:"
        if items
        else f"No single input, moved within the values tried, makes {fabric} win.",
        items=(*items, *_price_to_tie(found, best)),
    )


def _price_to_tie(found: Candidate, best: Candidate) -> list[str]:
    """The price per GPU-hour at which both runs cost the same: the other's GPUs and network, times its hours ÷ the hours of this one."""
    if not found.run_hours or not best.run_hours:
        return []
    network = found.fabric_usd_per_gpu_hour or 0.0
    now, theirs = (
        network + (found.gpu_usd_per_hour or 0.0),
        (best.fabric_usd_per_gpu_hour or 0.0) + (best.gpu_usd_per_hour or 0.0),
    )
    less = now - theirs * best.run_hours / found.run_hours
    if abs(less) < _LEAST_DIFFERENCE * now:
        return ["Their costs are the same already."]
    if less < 0.0:
        return [
            f'It costs less already, by {figures.usd(-less)} per GPU-hour; what speaks for {best.fabric} are the rules ("why").'
        ]
    named = f"{figures.usd(less)} less per GPU-hour"
    if less <= network:
        return [
            f"Its network {named} ({figures.usd(network - less)} instead of {figures.usd(network)}): then both runs cost the same."
        ]
    return [
        f"GPU and network together {named} ({figures.usd(now - less)} instead of {figures.usd(now)}): then both runs cost the same. "
        "No price of its network alone does it."
    ]


_OF_A_NETWORK: dict[str, Callable[[Plan, str, Catalog], Event]] = {"need": _need, "win": _win, "apart": _apart}
_OF_THE_PLAN: dict[str, Callable[[Plan, Catalog], Event]] = {
    "cheapest": _cheapest,
    "fastest": _fastest,
    "second": _second,
    "options": _options,
    "summary": _summary,
    "trust": _trust,
    "prices": _prices,
}
