"""A question of the plan by its parts: which figures are asked for, of what, under which change, against which limit.

What is named and what is supposed is read as facts of a job are; which figures are asked for is learned
(``knowledge/language/measures.yaml``). The answer is put together from those parts: no wording of a question is
known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assistant.present.plan import reading
from assistant.present.plan.answers import Asked, remedied, sentences
from assistant.present.plan.answers.measures import MEASURES, Beside, changed, held, told
from assistant.present.plan.names import namer
from assistant.understanding.followups import ELSEWHERE
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.utterance import Utterance

from ..events import Event, Note, VariationShown
from .followup import fitted, is_question, made_from, new_facts
from .parts import Parts

_ASKED = 0.5  # how likely a figure is that counts as asked for
_LIMITED_BY = {  # a field that limits a figure: named in a question for that figure it is what it is held against
    "constraints.deadline_days": "time", "training.days": "time", "budget.usd": "cost", "budget.usd_per_month": "month",
    "constraints.max_power_kw": "power", "budget.reserved_days": "time",
}  # fmt: skip
OF_THE_CARD = frozenset({"cost", "month", "time"})  # told of whatever is tried
_PRICED = frozenset({"cluster.provider", "cluster.fabric"})  # what a price may be named with
_MOST_BESIDE = 4
# How likely a kind of question is that is told as it is beside several figures, and beside a limit, of a time and else.
_SURE, _POSSIBLY, _SURELY = 0.45, 0.2, 0.6


def measures(said: Utterance) -> list[str]:
    """The figures that a message asks for."""
    return [name for name, share in said.measures if share >= _ASKED]


def answered(parts: Parts, said: Utterance) -> list[Event] | None:
    """The figures of the plan that are asked for, where it is asked for more than one, beside what is named or
    against a limit; ``None`` where that is not so."""
    names = measures(said)
    priced = _at_a_price(parts, said)
    if priced:
        return priced
    sized = said.of_plan == "in-time" and set(names) <= _kin(["time"])  # told with the GPUs that would end it in time
    weighed = any(one["topic"] == said.of_plan and one.get("of") == "networks" for one in _topics(parts))
    if parts.state.plan is None or not names or sized or weighed or not is_question(parts, said):
        return None
    facts = new_facts(parts, said) - {path for path, name in _LIMITED_BY.items() if name in _kin(names)}
    if facts - {"cluster.provider", "cluster.fabric"} or said.offers or said.excluded:
        return None  # it is tried
    view = parts.view_of(said)

    def of_plan(plan: Plan) -> list[Event]:
        asked = made_from(parts, plan, said)
        asked, lead = remedied(asked) or (asked, "")
        found = _lines(parts, asked, names)
        return [fitted([*([lead] if lead else []), *map(namer(asked.plan), found)])] if found else []

    events = view(of_plan)
    return events if any(isinstance(event, Note) and not event.text.endswith(":") for event in events) else None


def _at_a_price(parts: Parts, said: Utterance) -> list[Event] | None:
    """What is named, a provider or a network, for the price or the share of it that is said: a price that is told
    beside a plan is held against it, whether it is asked or not."""
    plan = parts.state.plan
    beside = _PRICED if any(one.kind == "percent" for one in said.amounts) else frozenset[str]()
    beside = _PRICED | {"budget.gpu_hour_usd"} if is_question(parts, said) else beside
    others = new_facts(parts, said) - beside  # a price that is stated with its provider is taken as a fact
    if plan is None or said.offers or others or not said.amounts:
        return None
    asked = made_from(parts, plan, said)
    found = sentences(asked, ["seller-at"]) or sentences(asked, ["network-at"])
    if not found:
        return None
    return parts.answered(fitted([*map(namer(plan), found), *sentences(asked, ["seller-price"])]))


def _kin(names: Sequence[str]) -> set[str]:
    """The figures with those of the same kind: "cost" with what it is at worst."""
    limits = {MEASURES[name].limit for name in names} - {""}
    return {name for name, one in MEASURES.items() if one.limit in limits} | set(names)


def _lines(parts: Parts, asked: Asked, names: Sequence[str]) -> list[str]:
    """What is told of the figures, the answer first; nothing where the plan is asked for one alone as it stands."""
    best = asked.best
    if best is None:
        return []
    own = Beside(asked.name(best.fabric), asked.plan, best)
    names = [name for name in names if MEASURES[name].of(asked.plan, best) is not None]
    others, limits = _beside(asked, own), {name: _limits(asked, name) for name in names}
    sellers = sentences(asked, ["named-seller", "seller-price"]) if asked.said.named("provider") else []
    alone, (kind, share) = not others and not sellers, next(iter(asked.said.followup), (ELSEWHERE, 0.0))
    # Of a time the kinds tell more: in the slow tenth of cases, and with how many GPUs it would be kept.
    enough = _POSSIBLY if set(names) <= _kin(["time"]) else _SURELY
    held_against = any(limits.values()) and (kind == ELSEWHERE or share < enough)
    if alone and not held_against and (len(names) < 2 or _is_a_kind_of(parts, asked.said, names)):
        return []
    found: list[str] = []
    for name in names:
        called = _called(parts, asked.plan, name)
        kept = held(name, called, own, limits[name]) if limits[name] else None
        if kept:
            found.append(kept)
        elif others:
            found += filter(None, [told(name, _begun(called), [own, *others])])
        elif not (sellers and name in OF_THE_CARD):
            own_words = sentences(asked, _data(parts)[name].get("tells", ()))[:1]
            found += own_words or filter(None, [told(name, _begun(called), [own])])
    return [*sellers, *found]


def _is_a_kind_of(parts: Parts, said: Utterance, names: Sequence[str]) -> bool:
    """Whether a kind of question is sure that asks for all the figures: its sentences tell more of them."""
    kind, share = next(iter(said.followup), (ELSEWHERE, 0.0))
    asks = lambda one: kind in (*one.get("kinds", ()), *one.get("either", ()))
    return kind != ELSEWHERE and share >= _SURE and all(asks(_data(parts)[name]) for name in names)


def _beside(asked: Asked, own: Beside) -> list[Beside]:
    """The other networks that are meant: those that are named, else where each is asked for those of the job."""
    named = asked.fabrics or (asked.networks if asked.says("of_each") else ())
    others = (reading.candidate(asked.plan, fabric) for fabric in dict.fromkeys(named) if fabric != own.found.fabric)
    return [Beside(asked.name(c.fabric), asked.plan, c) for c in others if c is not None][:_MOST_BESIDE]


def _limits(asked: Asked, name: str) -> list[float]:
    """The amounts of a message that a figure may be held against, in the order in which they stand."""
    return asked.amounts(MEASURES[name].limit) if MEASURES[name].limit else []


def besides(parts: Parts, said: Utterance, events: list[Event]) -> list[Event]:
    """What is tried, with the figures that are asked for and that the card does not tell: before → after."""
    plan = parts.state.plan
    names = [name for name in measures(said) if name not in OF_THE_CARD]
    if plan is None or not names:
        return events
    return [_with(parts, event, plan, names) if isinstance(event, VariationShown) else event for event in events]


def _with(parts: Parts, tried: VariationShown, plan: Plan, names: Sequence[str]) -> VariationShown:
    before, after = (reading.chosen(one) for one in (plan, tried.plan))
    if before is None or after is None or tried.plan.recommendation.verdict == "infeasible":
        return tried
    was, now = Beside("", plan, before), Beside("", tried.plan, after)
    lines = (changed(name, _begun(_called(parts, plan, name)), was, now) for name in names)
    return tried.model_copy(update={"card": (*filter(None, lines), *tried.card)})


def _topics(parts: Parts) -> list[dict[str, Any]]:
    return parts.library.language["topics"]["topics"]


def _data(parts: Parts) -> dict[str, Any]:
    return parts.library.language["measures"]


def _called(parts: Parts, plan: Plan, name: str) -> str:
    one = _data(parts)[name]
    return one["called"] if reading.ends(plan) else one.get("of_service", one["called"])


def _begun(called: str) -> str:
    return called[:1].upper() + called[1:]
