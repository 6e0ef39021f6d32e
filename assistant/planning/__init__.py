"""From a questionnaire to a plan. :func:`plan` is the one way through; each step of it is a module of its own."""

from __future__ import annotations

from .crossover import with_crossover
from .outcome import Outcome
from .pipeline import CHOICE_ALONE, Decision, Pipeline, forget, pipeline_of
from .planner import Begun, begun, decide, plan
from .rent_or_buy import against_rent

__all__ = [
    "CHOICE_ALONE",
    "Begun",
    "Decision",
    "Outcome",
    "Pipeline",
    "against_rent",
    "begun",
    "decide",
    "forget",
    "pipeline_of",
    "plan",
    "with_crossover",
]
