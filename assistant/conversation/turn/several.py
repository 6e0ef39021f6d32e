"""Several questions in one message: the values that one of them asks for, beside what the others are answered."""

from __future__ import annotations

from assistant.present.plan.quantities import given, value
from assistant.vocabulary.plan import Plan
from assistant.vocabulary.utterance import Utterance

from ..answers.plan_answers import note
from ..events import Event, Note
from ..heard import heard
from .followup import asks, fitted, questions_in
from .parts import Parts

_NO_VALUE = (None, "auto")


def with_values(parts: Parts, said: Utterance, events: list[Event]) -> list[Event]:
    """The answer to a message, and the values of the plan that another of its questions asks for: "how many tokens did
    you assume and where does the price come from?". An answer that is no short one stays as it is."""
    plan, clauses = parts.state.plan, questions_in(said.text)
    if plan is None or len(clauses) < 2 or "value" in said.roles or not events or not asks(parts, said):
        return events
    last = events[-1]
    if not isinstance(last, Note) or not all(isinstance(event, Note) for event in events):
        return events
    tried, of_the_trial = parts.state.variation, parts.view_of(said) == parts.with_plan_in_view
    told = _values(parts, tried.plan if tried and of_the_trial else plan, clauses)
    return [*events[:-1], fitted([last.text, *told, *last.items])] if told else events


def _values(parts: Parts, plan: Plan, clauses: list[str]) -> list[str]:
    """The values that clauses of a message ask for by name, as told or assumed."""
    apart = [heard(one, parts.state.in_view, parts.library, parts.today) for one in clauses]
    asked = dict.fromkeys(one.roles["value"] for one in apart if one.act == "ask" and "value" in one.roles)
    return [note(value(plan, f, parts.catalog)).text for f in asked if given(plan, f)[0] not in _NO_VALUE]
