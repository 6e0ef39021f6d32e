"""Who answers what is asked of a plan: what is asked of the plan, and the networks it is asked of → sections of the
plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from assistant.present.blocks import Block, Heading, Paragraph, sentences, told
from assistant.present.plan import (
    assumptions,
    candidates,
    comparison,
    network,
    opening,
    proof,
    purchase,
    quantities,
    reading,
    standing,
)
from assistant.present.plan.names import namer
from assistant.vocabulary.catalog import Catalog
from assistant.vocabulary.plan import Candidate, Plan

from ..events import Comparison, Event, Explanation, Note

_Quantity = Callable[[Plan, Candidate, Catalog], list[Block]]
_Against = Callable[[Plan, Candidate, Candidate, Catalog], list[Block]]
_QUANTITIES: dict[str, _Quantity] = {
    "run-time": quantities.duration,
    "run-cost": quantities.cost,
    "network-cost": quantities.network_cost,
    "step-time": quantities.step,
    "latency": quantities.latency,
    "throughput": quantities.throughput,
    "capacity": quantities.load,
    "mfu": quantities.mfu,
    "memory": quantities.memory,
    "waiting": quantities.waiting,
    "split": quantities.split,
}
_PARTS = {"network": network.design, "nccl": network.settings}
_AGAINST: dict[str, _Against] = {"need": standing.need, "win": standing.win, "apart": standing.apart}
_WHOLE: dict[str, Callable[[Plan], list[Block]]] = {
    "cheapest": candidates.cheapest,
    "fastest": candidates.fastest,
    "options": candidates.options,
    "summary": opening.summary,
    "trust": opening.trust,
    "power": purchase.answer_power,
    "purchase-parts": purchase.answer_parts,
}


def note(blocks: list[Block]) -> Note:
    """Blocks as something said: the first of them, and the others as a list under it."""
    first, *others = blocks
    return Note(text=sentences(first)[0], items=tuple(item for block in others for item in sentences(block)))


def explained(tree: proof.Reason) -> Explanation:
    """A proof as an answer."""
    return Explanation(about=tree.id or "", tree=tree)


def named(told: list[Event], plan: Plan) -> list[Event]:
    """What is said of a plan, with names in the place of ids."""
    return [_named(event, namer(plan)) for event in told]


def _named(event: Event, name: Callable[[str], str]) -> Event:
    match event:
        case Note(text=text, items=items):
            return event.model_copy(update={"text": name(text), "items": tuple(map(name, items))})
        case Explanation(tree=tree):
            return event.model_copy(update={"tree": _reason_named(tree, name)})
        case Comparison(summary=summary, left=left, right=right):
            return event.model_copy(update={"summary": name(summary), "heads": (name(left), name(right))})
    return event


def _reason_named(reason: proof.Reason, name: Callable[[str], str]) -> proof.Reason:
    """A fact of a rule keeps its id, by which the rule compares it."""
    text = reason.text if reason.kind == "fact" else name(reason.text)
    return replace(reason, text=text, children=tuple(_reason_named(one, name) for one in reason.children))


def compared(plan: Plan, left: str, right: str, catalog: Catalog) -> Comparison:
    """Two candidates point by point."""
    return Comparison(**vars(comparison.compare(plan, left, right, catalog)))


def answer(plan: Plan, topic: str, fabrics: Sequence[str], catalog: Catalog) -> list[Event]:
    """The events for a topic; ``fabrics`` are the candidates it was asked of, none: the recommended one."""
    if topic in _QUANTITIES:
        return [_quantity(plan, topic, fabric, catalog) for fabric in fabrics or [at_hand(plan)]]
    if topic in _PARTS:
        return [note(_part(plan, topic))]
    if topic in _AGAINST:
        return [_against(plan, topic, fabric, catalog) for fabric in fabrics]
    if topic == "purchase-cost":
        return [note(candidates.to_buy(plan, fabrics))]
    if topic == "second":
        return [_second(plan, catalog)]
    return [note(assumptions.prices(plan, catalog) if topic == "prices" else _WHOLE[topic](plan))]


def at_hand(plan: Plan) -> str:
    """The recommended network; where nothing works as asked, the cheapest that was computed and fits, else any."""
    if plan.recommendation.verdict != "infeasible":
        return plan.recommendation.fabric
    computed = [c for c in plan.candidates if c.step_time_s is not None and c.cost_usd is not None]
    fitting = [c for c in computed if c.fits is not False] or computed
    return min(fitting, key=lambda c: c.median_cost, default=plan.candidates[0]).fabric


def _quantity(plan: Plan, topic: str, fabric: str, catalog: Catalog) -> Event:
    found = reading.candidate(plan, fabric)
    if found is None or found.step_time_s is None:
        return explained(proof.why_fabric(plan, fabric))
    if found.fits is False:
        return note(quantities.memory(plan, found, catalog))
    said = note(_QUANTITIES[topic](plan, found, catalog))
    if found.verdict != "impossible":
        return said
    return Note(text=f"{said.text} It will not do here, though.", items=(*standing.barred(plan, found), *said.items))


def _part(plan: Plan, topic: str) -> list[Block]:
    section = _PARTS[topic](plan) or network.nothing(plan)
    head, *rest = section
    return [Paragraph(f"{head.text}, {plan.recommendation.fabric}:"), *rest] if isinstance(head, Heading) else section


def _against(plan: Plan, topic: str, fabric: str, catalog: Catalog) -> Event:
    """How a network stands against the recommended one; for one of which nothing is known, why."""
    found, best = reading.candidate(plan, fabric), reading.chosen(plan)
    if found is None or best is None or not best.cost_usd:
        return explained(proof.why_fabric(plan, fabric))
    if (topic == "apart" and found is best) or (topic == "win" and found.fits is False):
        return explained(proof.why_fabric(plan, fabric))
    if not found.cost_usd and not (topic == "win" and standing.barred(plan, found)):
        return explained(proof.why_fabric(plan, fabric))
    return note(_AGAINST[topic](plan, found, best, catalog))


def _second(plan: Plan, catalog: Catalog) -> Event:
    answer = plan.recommendation
    if answer.runner_up and reading.candidate(plan, answer.runner_up) and reading.chosen(plan):
        return compared(plan, answer.fabric, answer.runner_up, catalog)
    if answer.verdict == "infeasible":
        return note(told(candidates.NOTHING_WORKS))
    if answer.fabric == "none":
        return note(told("No network is needed, so none is the second."))
    return note(told("There is no second: nothing else would do here."))
