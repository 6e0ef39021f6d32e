"""What is asked of the plan at hand, before the search is: its figures, whether a network is needed, what other facts
would make of it. Nothing of this changes anything."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.present import figures
from assistant.present.fields import field_text
from assistant.present.plan import purchase
from assistant.present.plan.changes import SAME, as_it_is
from assistant.present.plan.quantities import given, in_time, value
from assistant.present.plan.reading import candidate, chosen, ends, serves
from assistant.vocabulary.answers import Answer as SearchAnswer
from assistant.vocabulary.plan import Plan, RentOrBuy
from assistant.vocabulary.utterance import Utterance

from ..answers.alternatives import alternatives, weighed
from ..answers.plan_answers import at_hand, note
from ..events import Answer, Event, Failure, Note, VariationShown
from ..heard import fields_varied, guessed
from .parts import Parts
from .readback import in_words
from .steps import vary

_MAY_VARY = ("ask", "what-if", "unclear")
_MAY_ASK_A_NUMBER = ("ask", "describe", "compare", "what-if", "unclear")
_FABRIC = "cluster.fabric"
_OF_A_PURCHASE = ("purchase-cost", "purchase-parts")


def figure_asked(parts: Parts, said: Utterance) -> list[Event] | None:
    """The answer to a question whose answer is a figure: of the plan at hand, computed, or of the plan with other
    facts."""
    state, catalog = parts.state, parts.catalog
    if state.plan is None:
        return _computed(parts, said)
    between = alternatives(said)
    if between:
        return parts.view_of(said)(lambda plan: _weighed(parts, plan, between))
    of_it = set(said.fields) - guessed(said, state.draft, parts.words)
    other = {name for name in of_it if name != _FABRIC and said.act not in ("why", "why-not")}
    new = {name for name in other if state.draft.fields.get(name) != said.fields[name]}
    topic, of_the_run = _of_this_plan(state.plan, said), "of_the_run" in said.roles["signs"]
    field = said.roles.get("value")
    if topic is None and field is not None and given(state.plan, field)[0] is not None:
        return parts.view_of(said)(lambda plan: [note(value(plan, field, catalog))])
    if topic == "in-time":
        return parts.view_of(said)(lambda plan: _in_time(parts, plan, said.roles["days"], said.text))
    if topic is not None and not new and (of_the_run or "cluster.gpu" not in said.fields):
        return _of_topic(parts, topic, said)
    found = _computed(parts, said)
    if found is not None or topic is None or not new or said.act not in _MAY_VARY:
        return found
    return _with_other_facts(parts, said, topic)


def _weighed(parts: Parts, plan: Plan, between: list[dict[str, Any]]) -> list[Event]:
    """Each of several values, and the question which one to take: a number then means one of them."""
    told, able = weighed(between, parts.planned_with, parts.catalog, serves(plan))
    return [told, parts.interviewer.ask_which(able)] if able else parts.answered(told)


def of_purchase(parts: Parts, said: Utterance) -> list[Event] | None:
    """What GPUs cost to buy, or networks in a plan that buys; "worth 40k more" sets nothing, another cluster is tried.
    That adapters are in the machines is no field: what they take off the sum is told."""
    plan, tried = parts.state.plan, {path for path in said.fields if path.startswith("cluster.")} - {_FABRIC}
    adapters = purchase.answer_adapters(plan) if plan and "nics_there" in said.roles["signs"] else None
    if said.topic == "purchase" and (bill := _figure(parts, said)) is not None:
        return [Answer(question=said.text, answer=bill)]
    if adapters and not said.fields and said.act in ("describe", "change", "unclear"):
        return parts.answered(note(adapters))
    if plan is None or tried or _of_this_plan(plan, said) not in _OF_A_PURCHASE:
        return None
    return _of_topic(parts, said.of_plan or "", said)


def _of_this_plan(plan: Plan, said: Utterance) -> str | None:
    """What is asked of the plan; of one that buys nothing there is no price of a purchase."""
    return None if said.of_plan in _OF_A_PURCHASE and plan.purchase is None else said.of_plan


def _of_topic(parts: Parts, topic: str, said: Utterance) -> list[Event]:
    if topic == "better":
        return _of_what_is_tried(parts)
    if topic == "rent-or-buy":
        return parts.view_of(said)(lambda plan: [note(purchase.answer(_both_ways(parts, plan)))])
    return parts.view_of(said)(lambda plan: of_topic(parts, plan, topic, said))


def of_topic(parts: Parts, plan: Plan, topic: str, said: Utterance) -> list[Event]:
    """The figures of a topic with what they are made of; whether a network is needed is computed for training."""
    # Between sites there is another network than within.
    one_site = (parts.state.draft.fields.get("cluster.sites") or 1) == 1
    needed = _figure(parts, said) if topic == "need" and one_site else None
    if needed is not None:
        return [Answer(question=said.text, answer=needed)]
    return parts.about.of_topic(plan, topic, said.fabrics)


def _both_ways(parts: Parts, plan: Plan) -> RentOrBuy | None:
    """Renting beside buying: a plan of machines that are bought has it, for one that rents it is worked out."""
    if plan.rent_or_buy is not None:
        return plan.rent_or_buy
    bought = parts.planned_with({"budget.mode": "buy"})
    return bought.rent_or_buy if bought else None


def _of_what_is_tried(parts: Parts) -> list[Event]:
    """Whether what is tried is better: what changes with it."""
    tried = parts.state.variation
    if tried is None:
        how = 'Say for example "what if 128 GPUs", or "compare RoCE and InfiniBand".'
        return [Note(text=f"Nothing is being tried. {how}")]
    return [Note(text=f"{in_words(tried)}, against the plan as it stands:", items=tried.changes)]


def _with_other_facts(parts: Parts, said: Utterance, topic: str) -> list[Event]:
    """A question of the plan with facts of its own ("what would it cost on 128 GPUs"): they are tried, and it is asked
    of that."""
    varied = what_if(parts, said)
    tried = parts.state.variation
    if tried is None or tried not in varied or topic == "better":  # a variation says by itself what is better
        return varied
    short = parts.more
    parts.more = lambda: [*(short() if short else ()), *parts.about.of_topic(tried.plan, topic, said.fabrics)]
    return varied


def _in_time(parts: Parts, plan: Plan, days: float, question: str) -> list[Event]:
    """Whether the run ends within so many days, and how many GPUs would end it."""
    if serves(plan):
        return parts.about.of_topic(plan, "run-time", ())
    from assistant.answering import gpus_for_days

    job = dict(parts.state.draft.fields) | {"training.tokens": given(plan, "training.tokens")[0]}
    if plan.recommendation.fabric != "none":
        job.setdefault(_FABRIC, plan.recommendation.fabric)
    sized = gpus_for_days(days, job, question, parts.library, parts.today)
    ends = note(in_time(plan, days, candidate(plan, at_hand(plan))))
    return [ends, *([Answer(question=question, answer=sized)] if sized is not None else [])]


def _computed(parts: Parts, said: Utterance) -> list[Event] | None:
    """The answer to a question for a number, whatever else its words could mean; a plan has its own turning points, but
    not the size of cluster from which a network pays."""
    found = _figure(parts, said) if said.act in _MAY_ASK_A_NUMBER else None
    if found is None or (said.act == "what-if" and parts.state.plan is not None and not _of_the_size(found)):
        return None
    return [Answer(question=said.text, answer=found)]


def _figure(parts: Parts, said: Utterance) -> SearchAnswer | None:
    from assistant.answering import computed_answer

    return computed_answer(said, parts.library, told=parts.state.draft.fields, today=parts.today)


def _of_the_size(found: SearchAnswer) -> bool:
    return found.computed is not None and found.computed.kind == "crossover"


def varied(parts: Parts, said: Utterance) -> dict[str, Any]:
    """What a message supposes to be otherwise."""
    return fields_varied(said, parts.state.draft, parts.catalog, parts.words)


def what_if(parts: Parts, said: Utterance) -> list[Event]:
    """Try what is supposed; what would turn the plan where nothing is."""
    fields = varied(parts, said)
    if fields:
        there = _as_it_is if said.act == "what-if" else lambda *_: []
        return parts.with_plan(lambda plan: there(parts, plan, fields) or [_tried(parts, plan, fields, said)])
    if said.rest:
        return [Failure(text=f'I did not understand what to vary: "{said.rest}".')]
    return parts.with_plan_in_view(lambda plan: parts.about.part(plan, "flips"))


def changes_nothing(events: Sequence[Event]) -> bool:
    """Whether what is tried makes the same plan."""
    return any(isinstance(event, VariationShown) and event.card[:1] == (SAME,) for event in events)


def _as_it_is(parts: Parts, plan: Plan, fields: Mapping[str, Any]) -> list[Event]:
    """What is supposed is the plan already: nothing is tried."""
    names = [field_text(path, value, parts.catalog) for path, value in fields.items()]
    told = as_it_is(plan, fields, names)
    return parts.answered(Note(text=told)) if told else []


def _tried(parts: Parts, plan: Plan, fields: dict[str, Any], said: Utterance) -> Event:
    tried = _in_the_time(vary(parts, plan, fields, said.text, said.rest), said)
    if isinstance(tried, VariationShown):
        tried = tried.model_copy(update={"card": (*_as_planned(plan, fields), *tried.card)})
    again = any(word in said.text.lower() for word in parts.words["second_try"])
    best = chosen(tried.plan) if isinstance(tried, VariationShown) else None
    limit = given(plan, "budget.usd")[0]
    if not isinstance(tried, VariationShown) or not again or best is None or best.cost_usd is None or not limit:
        return tried
    low, high = 2 * best.cost_usd.p50, 2 * best.cost_usd.p90
    does = "Yes" if high <= limit else "Yes, unless both go badly" if low <= limit else "No"
    told = f"{does}: two of them cost {figures.usd(low)} ({figures.usd(high)} at worst) of {figures.usd(limit)}."
    return tried.model_copy(update={"card": (told, *tried.card)})


def _as_planned(plan: Plan, fields: Mapping[str, Any]) -> list[str]:
    """Beside a split that is tried the one that is planned; where nothing works as asked either, so."""
    best = chosen(plan)
    if plan.recommendation.verdict == "infeasible" and serves(plan):
        return [f"As asked: {plan.recommendation.smallest_change}"] if plan.recommendation.smallest_change else []
    if best is None or not best.parallelism or not any(path.startswith("parallelism.") for path in fields):
        return []
    return [f"Planned: {figures.layout(best.parallelism)}."]


def _in_the_time(tried: Event, said: Utterance) -> Event:
    """What is tried, and whether it ends in a time that the question names: "still inside the four months?"."""
    days = next((a.value for a in said.amounts if a.kind == "time" and a.value >= 1), None)
    best = chosen(tried.plan) if isinstance(tried, VariationShown) else None
    if not isinstance(tried, VariationShown) or days is None or best is None or best.run_hours is None:
        return tried
    of_failures = any(one.field == "cluster.failures_per_node_day" for one in tried.fields)  # the time between them
    if of_failures or any(one.value == days for one in tried.fields) or not ends(tried.plan):
        return tried
    kept = "Yes, inside" if best.run_hours <= 24 * days else "No, not inside"
    told = f"{kept} the {figures.hours(24 * days)} that you name: it takes {figures.hours(best.run_hours)}."
    return tried.model_copy(update={"card": (told, *tried.card)})


def about_plan(parts: Parts, said: Utterance) -> list[Event]:
    """Why, why not, a comparison."""
    accepted = parts.state.plan if parts.state.variation else None
    return parts.with_plan_in_view(lambda plan: parts.about.answer(plan, said.contract(), said.text, accepted))


def looked_up(parts: Parts, said: Utterance) -> Answer | None:
    """What the knowledge has to say to a free question; ``None`` where it has no answer."""
    found = parts.about.search(said, parts.searcher)
    if not isinstance(found, Answer) or found.answer is None:
        return None
    return found if found.answer.answered else None


def look_up(parts: Parts, said: Utterance) -> list[Event]:
    """A free question, looked up."""
    return [parts.about.search(said, parts.searcher)]
