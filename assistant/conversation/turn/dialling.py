"""The dials in words: what can be turned, what would be recommended at each value, and a value taken."""

from __future__ import annotations

from typing import Any

from assistant.present.dials import bar_lines, name_of, short
from assistant.present.plan.reading import bill
from assistant.vocabulary.dial import Dial
from assistant.vocabulary.plan import Plan

from ..dials import fields_taken
from ..events import Dialled, Event, Note
from .parts import Parts
from .steps import change

# What people call a dial when they ask for it.
SAID = {"gpus": "GPUs", "amount": "batch", "price": "price", "time": "months"}


def dial(parts: Parts, name: str | None = None) -> list[Event]:
    """A dial of the accepted plan with the answer at every value; without a name those there are."""
    return parts.with_plan(lambda plan: [_dialled(parts, plan, name)])


def _dialled(parts: Parts, plan: Plan, name: str | None) -> Event:
    found, catalog = parts.dials.of(parts.state.draft, plan), parts.catalog
    if name not in found:
        items = tuple(
            f"dial {SAID[one]}: {name_of(turned, catalog)}, now {short(turned, turned.now)}"
            for one, turned in found.items()
        )
        return Note(text="This job has no such dial. It has:" if name else "These can be turned:", items=items)
    turned = found[name]
    known = parts.dials.all_of(parts.state.draft, turned)
    return Dialled(
        dial=turned,
        name=name_of(turned, catalog),
        points=tuple(known[value] for value in turned.stops),
        lines=tuple(bar_lines(turned, known, catalog, bill(plan))),
    )


def take(parts: Parts, turned: Dial, value: float | None) -> list[Event]:
    """A value of a dial becomes a fact of the job."""
    fields: dict[str, Any] = fields_taken(turned, value)
    return change(parts, fields)
