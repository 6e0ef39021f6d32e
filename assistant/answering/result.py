"""Puts a computed answer together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assistant.planning.resolve import Assumptions
from assistant.vocabulary.answers import Computed, Figure
from assistant.vocabulary.plan import Assumption, Crossover

from .asked import Asked

# What depends on how the job is trained; the others take no more than model and machines from a conversation.
_OF_A_JOB = frozenset(
    {"step-time", "run-time", "slowdown", "need", "crossover", "memory", "deadline", "load", "bandwidth", "run-cost"}
)


def computed(
    kind: str,
    asked: Asked,
    text: str,
    figures: Sequence[Figure],
    inputs: Mapping[str, Any],
    taken: Assumptions,
    caveat: str,
    crossover: Crossover | None = None,
) -> Computed:
    """The answer whose first figure is its value; what was corrected and what the conversation knew is among the assumptions."""
    first = figures[0]
    told = [
        Assumption(field=name, value=value, why="said earlier in the conversation")
        for name, value in asked.told.items()
        if kind in _OF_A_JOB or name.startswith(("model", "cluster."))
    ]
    assumptions = {(one.field, str(one.value)): one for one in [*asked.corrected, *told, *taken.taken]}
    return Computed(
        kind=kind,
        text=text,
        value=first.value,
        unit=first.unit,
        formula=first.formula,
        inputs=dict(inputs),
        assumptions=list(assumptions.values()),
        figures=list(figures),
        caveat=caveat,
        crossover=crossover,
    )


def figure(name: str, value: float, unit: str, formula: str) -> Figure:
    """A number with five significant digits at least: more than any reader needs, without noise."""
    return Figure(name=name, value=float(f"{value:.6g}"), unit=unit, formula=formula)
