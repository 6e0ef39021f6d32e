"""From a questionnaire to a plan. :func:`plan` is the one way through; each step of it is a module of its own."""

from __future__ import annotations

from .crossover import with_crossover
from .planner import Begun, Decision, begun, decide, plan

__all__ = ["Begun", "Decision", "begun", "decide", "plan", "with_crossover"]
